// Error laws and intervals of the estimates of a summary.
#pragma once

#include "core/mechanism/error_law.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// Returns the law of an attribute's estimates, for interval(). The attribute must exist. The result is the
/// normal law if people repeat memoized responses. Its possible true values are those of a share, or the
/// range of the attribute. Shares of attributes with joint views have a law each: see
/// tables/share_intervals.hpp.
[[nodiscard]] ErrorLaw error_law(const SummaryView& view, std::size_t attribute, Target target);

/// Returns the law of group_mean(view, first, last, target).
[[nodiscard]] ErrorLaw group_law(const SummaryView& view, std::size_t first, std::size_t last, Target target);

/// Returns the interval of combined(one, other) from both intervals at the same confidence. Its half-widths
/// follow from those of the two intervals with the weights of the estimates (Zou, Donner 2008). The
/// small-sample corrections of the two intervals are therefore kept.
[[nodiscard]] Interval combined_interval(const Estimate& one, const Interval& of_one, const Estimate& other,
                                         const Interval& of_other) noexcept;

}  // namespace ldp
