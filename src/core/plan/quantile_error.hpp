// How far a quantile errs that is read off reports.
#pragma once

#include "core/mechanism/ordered/ordered_estimator.hpp"

namespace ldp {

/// Of the place, in steps, that Reading::quantile() finds.
struct QuantileError {
    double mean;      ///< where it is expected
    double variance;  ///< about its mean
};

/// If people are spread over the points by these shares, and `reading` is one of what may be expected of
/// them.
///
/// There is no formula for it: the curve that quantiles are read off is kept from falling, which takes out a
/// part of the noise, and people's values may be heaped, so that the place jumps. But the estimates'
/// covariances are known; so the curve is drawn again and again near the share, at most at 256 points, by the
/// normal law and from a fixed seed: the standard error is right to 1 %, and always the same.
[[nodiscard]] QuantileError quantile_error(Reading& reading, std::span<const double> shares, double share,
                                           Target target);

}  // namespace ldp
