// Series: how the answers of one summary differ from those of an earlier one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/mechanism/capability.hpp"

namespace ldp {

/// How the mean of a number, or the share of a value, changed.
struct Change {
    std::uint32_t attribute;
    std::optional<std::uint32_t> value;  ///< of a category; none if it is a number's mean
    Estimate difference;  ///< after − before, in the units of means and frequencies; NaN where
                          ///< one of the summaries does not tell
};

/// The mean of each numeric attribute and the share of each value of each categorical one, in `after` less
/// those in `before`, both checked.
///
/// `kept` is the share of people, of those in the smaller summary, who are in both and whose permanent
/// response key is the same in both, so that they repeated an answer from memory: the noise that the two have
/// in common cancels in part. They are taken to hold values as everybody does. With 0 the summaries are
/// independent; for the same people that errs on the safe side unless the values of many moved to the
/// opposite side of the mean.
///
/// Throws Error: incompatible if the summaries are of different specs, invalid_value if one holds no reports
/// or `kept` is not within [0, 1], unsupported where there are no estimates.
[[nodiscard]] std::vector<Change> change(const SummaryView& before, const SummaryView& after, double kept,
                                         Target target = Target::sample);

}  // namespace ldp
