// The choice between a sharp and a smooth mechanism for the distribution of one number, from the reports of a
// part of the people.
//
// An unbiased estimate has a known error. A smooth fit has less noise, but also a bias, which does not shrink
// with more reports. The bias is almost 0 for a smooth density, and large for values at a few points. It is
// estimated from two independent halves of a first round. Each half's sharp fit is passed through the smooth
// mechanism and its fit, without noise. Its difference from the half's unbiased estimate is an estimate of
// the bias. The mean product of the two halves' differences is an unbiased estimate of the squared bias of a
// range's share, because the noise of the halves is independent.
#pragma once

#include <cstdint>
#include <string>

#include "core/choice/ordered_choice.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// Expected errors of the share of a range from the reports of `people` other people. They are root mean
/// squares over all ranges of the points, against the population.
struct FirstLook {
    const MechanismEntry* chosen;  ///< the mechanism with the smaller error
    const MechanismEntry* sharp;   ///< the unbiased mechanism with the smallest variance
    double sharp_error;            ///< its error: noise and sampling error
    double smooth_error;           ///< of the fit of `square_wave`: bias and noise
    double bias_square;            ///< the mean squared bias of the fit: the estimate, which may be negative
    double bias_square_error;      ///< its standard error, or a bound of it
    std::uint64_t grid;            ///< steps of the smooth mechanism for these errors
    bool clear;                    ///< whether the difference of the squares exceeds two standard errors
};

/// Computes the errors from two summaries of one spec with different people, for `people` other people.
/// Throws Error (unsupported) if the mechanism does not estimate the distribution of a number without
/// smoothing. Throws Error (incompatible) if the summaries have different specs, and Error (invalid_value) if
/// a summary has no reports or `people` is not from 1 to 2^50.
[[nodiscard]] FirstLook first_look(const SummaryView& one, const SummaryView& other, std::uint64_t people);

}  // namespace ldp
