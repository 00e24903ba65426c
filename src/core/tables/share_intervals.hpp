// Intervals of all estimates of a question.
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/role/error_law.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// Returns the law of each share of an attribute if the mechanism determines it from the reports about its value; empty
/// otherwise.
[[nodiscard]] std::vector<ErrorLaw> own_laws(const SummaryView& view, std::size_t attribute, Target target);

/// Returns the intervals of an attribute's shares if each has an error law of its own, determined by the counts.
/// Empty if one law, that of error_law() in core/summary/errors.hpp, applies to all.
[[nodiscard]] std::vector<Interval> own_intervals(const SummaryView& view, std::size_t attribute,
                                                  Target target, double critical_value);

/// Returns the intervals of estimate(view, question), in the same order, at this critical value.
[[nodiscard]] std::vector<Interval> intervals(const SummaryView& view, const Question& question,
                                              std::span<const Estimate> estimates, double critical_value);

}  // namespace ldp
