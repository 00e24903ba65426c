// The choice between a sharp and a smooth mechanism for the distribution of one number, from the reports of a
// part of the people.
//
// An unbiased estimate has a known error. The error of a smooth fit is a bias, which does not shrink with
// more reports, and a smaller noise. The bias depends on the people: next to none for a smooth density, large
// for values at a few points. Here it is estimated from two independent halves of a first round. Each half's
// sharp fit is sent through the smooth mechanism and its fit, without noise; what that takes away from the
// half's unbiased estimate is compared with what it takes away from the other half's. The mean product of the
// two is the squared bias of a range's share, without bias itself, since the noise of the halves is
// independent: a held-out error.
#pragma once

#include <cstdint>
#include <string>

#include "core/mechanism/ordered/choice.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// Errors to expect of the share of a range, root mean squares over all ranges of the points, against the
/// population, if so many other people report.
struct FirstLook {
    const MechanismEntry* chosen;  ///< the mechanism with the smaller error
    const MechanismEntry* sharp;   ///< the unbiased one of least variance
    double sharp_error;            ///< its error: noise and sample of people
    double smooth_error;           ///< of the fit of `square_wave`: bias and noise
    double bias_square;            ///< the mean squared bias of the fit: the estimate, which may be negative
    double bias_square_error;      ///< its standard error, or a bound of it
    std::uint64_t grid;            ///< steps of the smooth mechanism that these errors are of
    bool clear;                    ///< whether the difference of the squares exceeds two standard errors
};

/// From two summaries of one spec with different people each, for `people` others. Throws Error: unsupported
/// if the reports do not estimate the distribution of a number without smearing, incompatible if the
/// summaries are of different specs, invalid_value if one has no reports or `people` is not from 1 to 2^50.
[[nodiscard]] FirstLook first_look(const SummaryView& one, const SummaryView& other, std::uint64_t people);

}  // namespace ldp
