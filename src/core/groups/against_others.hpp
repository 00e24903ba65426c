// Comparisons of a group of people with all other groups together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/groups/difference.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// Returns for each of these validated summaries of the mechanism the merged summary of all others, so that their
/// reports count equally. Requires two summaries or more.
[[nodiscard]] std::vector<std::vector<std::byte>> summaries_of_others(
    const Mechanism& mechanism, std::span<const std::vector<std::byte>> summaries);

/// Returns whether the medians of an attribute have a test: it is ordered, and no response may repeat a spent budget.
[[nodiscard]] bool compares_medians(const Mechanism& mechanism, std::size_t attribute);

/// Returns the median of an ordered attribute in both groups together. Throws Error (unsupported) without the
/// capability Ordered; (invalid_value) without reports.
[[nodiscard]] double common_median(const SummaryView& group, const SummaryView& baseline,
                                   std::size_t attribute);

/// Compares the medians of an ordered attribute in two groups of different people: the share of the baseline at or below
/// the common median minus the share of the group (Mood 1954). It is positive if the group has larger values.
/// The median is chosen from the same reports, which has no effect on the test in large groups.
[[nodiscard]] Difference difference_of_medians(const SummaryView& group, const SummaryView& baseline,
                                               std::size_t attribute, const IntervalRule& rule,
                                               Target target);

}  // namespace ldp
