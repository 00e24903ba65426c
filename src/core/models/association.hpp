// Strength of association between pairs of attributes.
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/role/estimate.hpp"
#include "core/tables/measured.hpp"

namespace ldp {

/// The association of two attributes. For tables, values that are not significantly greater than zero are
/// merged into one group. For Haar coefficients, the values are groups of adjacent values on the finest level
/// of both attributes at which two groups are significantly greater than zero, at most 16 groups. NaN if an
/// attribute has fewer than two groups.
struct Association {
    std::size_t first, second;
    /// Cramér's V, from 0 (independent) to 1: the root of the mean squared contingency divided by the smaller
    /// number of values minus 1. The squared contingency is corrected for noise (cf. Bergsma 2013 for
    /// sampling). For independent attributes it is therefore about 0, however few the reports.
    double cramers_v;
    Interval v_interval;  ///< transformed interval of the squared contingency at the requested confidence
    /// Mutual information in bits, computed from a table whose deviation from independence is shrunk to its
    /// debiased size. The standard error follows from the standard error of the squared contingency.
    Estimate information;
    /// P-value of the hypothesis of independence. The statistic is the sum of the squared interaction
    /// contrasts in units of their noise. Its law is approximated by a weighted χ² with the same first three
    /// cumulants (Gaboardi, Rogers 2018 for the idea; Hall 1983, Buckley, Eagleson 1988 for the law). With
    /// equal noise it is χ² with (k₁−1)(k₂−1) degrees of freedom. For Haar coefficients down to groups of
    /// 1/16 of the values, each square is weighted by its share of the values and its noise, so that coarse
    /// coefficients have the largest weights.
    double p_value;
    /// The p-value adjusted for the number of pairs. For any level, the probability that any independent pair
    /// has a value below the level is at most the level (Holm 1979).
    double adjusted;
    double people;  ///< number of people who reported both attributes
};

/// Returns every measured pair of attributes, in ascending order. Users are assigned to views at random and
/// are a sample, so that errors have the target population: independence is a statement about the population.
[[nodiscard]] std::vector<Association> associations(const Measured& measured, double confidence);

/// Returns views for a second round from the associations of `attributes` attributes in a first round. These
/// are the pairs with an adjusted p-value below `significance`, and single views for all other attributes.
/// Single views come first, and each part is ascending. Error (invalid_value) unless 0 ≤ significance ≤ 1.
[[nodiscard]] std::vector<std::vector<std::size_t>> learnt_views(std::span<const Association> found,
                                                                 std::size_t attributes, double significance);

}  // namespace ldp
