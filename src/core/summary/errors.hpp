// How sure a summary is of what it tells, beyond the standard errors of its estimates.
#pragma once

#include "core/mechanism/error_law.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// The law of the estimates that are about one attribute, which there is: for interval(). The normal one
/// where people's reports repeat each other.
[[nodiscard]] ErrorLaw error_law(const SummaryView& view, std::size_t attribute, Target target);

/// The law of group_mean(view, first, last, target).
[[nodiscard]] ErrorLaw group_law(const SummaryView& view, std::size_t first, std::size_t last, Target target);

/// The interval of combined(one, other), from the intervals of both at the same confidence. How far it
/// reaches to either side follows from how far they do, weighed as the estimates are (Zou, Donner 2008): so
/// it keeps what intervals of few reports allow for.
[[nodiscard]] Interval combined_interval(const Estimate& one, const Interval& of_one, const Estimate& other,
                                         const Interval& of_other) noexcept;

/// The intervals of estimate(view, question), in the same order; each reaches so many standard errors.
[[nodiscard]] std::vector<Interval> intervals(const SummaryView& view, const Question& question,
                                              std::span<const Estimate> estimates, double critical_value);

}  // namespace ldp
