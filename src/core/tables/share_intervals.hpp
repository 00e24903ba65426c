// Intervals of all estimates of a question.
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/error_law.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// Returns the intervals of estimate(view, question), in the same order, at this critical value.
[[nodiscard]] std::vector<Interval> intervals(const SummaryView& view, const Question& question,
                                              std::span<const Estimate> estimates, double critical_value);

}  // namespace ldp
