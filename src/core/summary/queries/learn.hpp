// Ranges learned in a first round for a second round (Karwa, Vadhan 2018; Kent et al. 2024). In the first
// round, a part of the people report the position of their values. In the second round, the others report
// their values on the learned range. Noise is proportional to the range, so that a narrow range reduces the
// error. Each person reports once. The total cost is ε, and the learned range is post-processing of private
// reports.
//
// Values outside the learned range are clamped to its ends. The second round estimates the mean of the
// clamped values, and its intervals refer to that mean. The bias is the mean distance of the values from the
// range.
#pragma once

#include <vector>

#include "core/mechanism/vector/range_learning.hpp"

namespace ldp {

/// Returns, for each attribute of a first round or each coefficient of `haar_ranges`, a range that contains
/// at least the share `coverage` of the population. The ranges are in ascending order of the attributes. Each
/// range has confidence 99 % (normal approximation). If the reports do not suffice, the declared range is
/// returned. The same applies to a number in a record, whose reports carry a mean but no distribution. A
/// coverage near 1 needs many reports: the standard error of the share must be well below 1 − coverage.
///
/// For coefficients, all Haar coefficients of a level have the same range. It contains all of them at once
/// for the given share of people. The result can be used as the "coefficients" of a second spec.
///
/// Error: invalid_value unless 0 < coverage < 1, or if there are no reports; unsupported if the reports carry
/// no distribution.
[[nodiscard]] std::vector<LearntRange> learn_ranges(const SummaryView& view, double coverage);

/// Returns the approximate number of reports at which learn_ranges() excludes the outer sixteenth of the
/// range at either end, if hardly any person is there. The mechanism must be for an ordered attribute, or a
/// frequency oracle. With fewer reports, learn_ranges() returns the declared range. Throws the errors of
/// learn_ranges().
[[nodiscard]] std::uint64_t reports_to_narrow(const Mechanism& mechanism, double coverage);

}  // namespace ldp
