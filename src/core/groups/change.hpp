// Differences between the estimates of two summaries of a series.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/groups/interval_rule.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// The change of a number's mean or of a value's share.
struct Change {
    std::uint32_t attribute;
    std::optional<std::uint32_t> value;  ///< the category's value; empty for the mean of a number
    /// after − before, in the units of means and frequencies; NaN if one summary has no estimate
    Estimate difference;
    Interval interval;      ///< of the difference
    double p_value;         ///< of the hypothesis that nothing changed, two-sided
    double critical_value;  ///< of the interval
};

/// Returns the mean of each numeric attribute and the share of each value of each categorical attribute in `after`, minus the
/// corresponding value in `before`. Both summaries must be validated.
///
/// `kept` is the share of users, relative to the smaller summary, who are in both summaries with the same
/// response key and therefore repeated a memoized response. The noise that both summaries share cancels in
/// part; the intervals are those of difference() with the remaining variance. These users are assumed to have
/// the same distribution of values as all others. With 0, the summaries are treated as independent. For the
/// same users this is conservative unless many values moved to the opposite side of the mean.
///
/// Error: incompatible if the summaries have different specs, invalid_value if a summary has no reports or
/// `kept` is outside [0, 1], unsupported if the mechanism has no such estimates.
[[nodiscard]] std::vector<Change> change(const SummaryView& before, const SummaryView& after, double kept,
                                         const IntervalRule& rule, Target target = Target::sample);

}  // namespace ldp
