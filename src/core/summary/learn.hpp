// Ranges learnt in a first round, for a second (Karwa, Vadhan 2018; Kent et al. 2024). A part of the people
// report where their values lie; the others report the values themselves, on the range that this part taught.
// Noise is proportional to the range, so a narrow one pays. Everybody reports once: the cost is ε in all, and
// a learnt range is post-processing of private reports.
//
// A range that leaves some people out moves their values to its ends: the second round estimates the mean of
// clamped values, and its error bars are about that mean. The difference, the bias, is the mean distance by
// which values stick out.
#pragma once

#include <vector>

#include "core/mechanism/vector/range_learning.hpp"

namespace ldp {

/// Of each attribute of a first round's reports, or of each coefficient of `haar_ranges`, a range that holds
/// at least the share `coverage` of the population, in ascending order. Every one of them does so with
/// confidence 99 % (by the normal approximation); where the reports know too little, it is the declared
/// range, as it is for a number in a record, of which they tell a mean but no distribution. A coverage near 1
/// needs many reports: nothing narrower can be promised before the share's standard error is well below 1 −
/// coverage.
///
/// Of coefficients, the range of a detail is the same for all of a level, and holds, for the share, all of
/// the level's details at once; what comes out is ready to be the "coefficients" of a second spec.
///
/// Throws Error: invalid_value unless 0 < coverage < 1, or if there are no reports; unsupported if the
/// reports tell no distribution.
[[nodiscard]] std::vector<LearntRange> learn_ranges(const SummaryView& view, double coverage);

/// About how many reports of an attribute learn_ranges() takes to leave out the outer sixteenth of its range
/// at either end, if hardly anybody is there: the mechanism is one of an ordered attribute or an oracle.
/// Fewer give the declared range. Throws Error as learn_ranges() does.
[[nodiscard]] std::uint64_t reports_to_narrow(const Mechanism& mechanism, double coverage);

}  // namespace ldp
