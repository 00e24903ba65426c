// Comparisons of groups of people by their summaries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/groups/difference.hpp"
#include "core/groups/group_estimates.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// Maximum number of comparisons in one call.
inline constexpr std::size_t max_comparisons = 2'000'000;

/// The difference of two groups in the mean of a number or in the share of a value.
struct Comparison {
    std::uint32_t group, baseline;  ///< their numbers, from 0
    std::uint32_t attribute;
    float critical_value;  ///< of the interval; of all rows together or all looks if the rule says so
    std::optional<std::uint32_t> value;  ///< the category's value; empty for the mean of a number
    Difference difference;               ///< group − baseline, in units of means or shares
    /// The p-value adjusted for the number of comparisons (Holm 1979). It is unknown if a group has fewer
    /// reports than the spec's min_group, and such comparisons do not count.
    double adjusted;
};

/// An attribute, or a joint table under the number of its first attribute.
struct ComparedAttribute {
    std::size_t attribute;
    bool number;
    std::size_t values;
};

/// Returns the attributes that have estimates to compare: all, or these, which must be ascending. Throws the
/// errors of GroupComparison. The result is empty if no group has reports.
[[nodiscard]] std::vector<ComparedAttribute> compared_attributes(std::span<const SummaryView> groups,
                                                                 std::span<const std::size_t> attributes);
/// Returns the reports of a group about an attribute, or about joint tables with it.
[[nodiscard]] SummaryView reports_about(const SummaryView& group, std::size_t attribute, bool table);

/// A comparison of all pairs of groups, or of each group with the baseline if there is one. For each pair
/// there is one result per numeric attribute and per value of each category. With one of `attributes` the
/// results are about this attribute alone. With several, which must be ascending, they are about the cells of
/// the joint table. All summaries must be validated. Results that involve a group without reports are
/// unknown.
///
/// Groups are assumed to consist of different people. If some people are in two groups, for example with
/// reports of different rounds, the difference is usually more precise than stated.
///
/// Error incompatible if the summaries have different specs. Error invalid_value if there are fewer than two
/// groups, more than max_comparisons results, or no such attribute or baseline. Error unsupported if the
/// mechanism has no such estimates. The summaries must outlive the object.
class GroupComparison {
  public:
    /// Counts the results and estimates nothing.
    GroupComparison(std::span<const SummaryView> groups, std::optional<std::size_t> baseline,
                    std::vector<std::size_t> attributes);

    /// Returns the number of results. It is 0 if no group has reports.
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// Writes count() results. The results of an attribute are adjacent, and within them the results of a
    /// pair of groups.
    void write(const IntervalRule& rule, Target target, std::span<Comparison> results) const;

  private:
    void write(const ComparedAttribute& compared, std::span<const GroupEstimates> estimates,
               const IntervalRule& rule, std::span<Comparison> results) const;
    /// Returns the number of results whose groups have enough reports.
    [[nodiscard]] std::size_t count_published() const;

    std::span<const SummaryView> groups_;
    std::optional<std::size_t> baseline_;
    std::vector<std::size_t> attributes_;
    std::vector<ComparedAttribute> compared_;
    std::size_t pairs_, count_ = 0;
};

/// Returns all results of a GroupComparison.
[[nodiscard]] std::vector<Comparison> compare(std::span<const SummaryView> groups,
                                              std::optional<std::size_t> baseline, const IntervalRule& rule,
                                              Target target, const std::vector<std::size_t>& attributes = {});

}  // namespace ldp
