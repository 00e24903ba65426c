// The test whether groups of different people have the same distribution of a value, with one p-value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/groups/difference.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// The test of one attribute. Numbers are unknown if fewer than two groups have enough reports.
struct GroupTest {
    std::uint32_t attribute;
    double statistic;           ///< χ²; unknown if the values were tested one by one
    double degrees_of_freedom;  ///< of the statistic
    double p_value;             ///< of the hypothesis that all groups have the same distribution
    double adjusted;            ///< p_value, adjusted for the number of tests (Holm 1979)
    std::uint32_t groups;       ///< number of groups with enough reports
    std::uint64_t n;            ///< number of their reports about the attribute
    std::size_t values;         ///< number of values; 1 for the mean of a number
    /// Number of classes of values in the statistic: less than `values` if rare values were merged.
    std::size_t classes;
    bool one_by_one;  ///< whether the values were tested one by one
};

/// Returns a test for each attribute that GroupComparison compares, or for these attributes. The groups are samples of
/// different people from populations.
///
/// The estimated shares of a group with n reports have the covariance C(f)/n. The channel and the shares f that all
/// groups have under the hypothesis determine C; f is estimated from all groups together. With the mean y of all groups,
/// the statistic Σ n·(x − y)ᵀC⁻(x − y) over the groups' shares x has (groups − 1)·(values − 1) degrees of
/// freedom. For `grr`, it is Pearson's statistic. Values are merged, the rarest first, until each class has
/// at least `least_count` supporting reports in a group of average size (harmonic mean).
///
/// If the mechanism does not state C, each value is tested alone, and the p-value is the smallest of all, times their
/// number (Bonferroni). Means of numbers have the statistic Σ (x − y)²/V with the variance V of each group.
///
/// Error incompatible if the summaries have different specs. Error invalid_value if there are fewer than two groups, no
/// such attribute, or too many values and groups. Error unsupported if the mechanism has no such estimates.
[[nodiscard]] std::vector<GroupTest> test_groups(std::span<const SummaryView> groups,
                                                 const std::vector<std::size_t>& attributes = {});

/// Minimum expected number of reports in a class of values (Cochran 1954).
inline constexpr double least_count = 5;

}  // namespace ldp
