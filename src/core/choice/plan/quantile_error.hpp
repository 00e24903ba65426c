// The predicted error of an estimated quantile.
#pragma once

#include "core/mechanism/ordered/ordered_estimator.hpp"

namespace ldp {

/// The distribution of the result of OrderedEstimator::quantile(), in steps.
struct QuantileError {
    double mean;      ///< its mean
    double variance;  ///< its variance
};

/// Returns the distribution of a quantile if people are spread over the points by these shares. `estimator`
/// has the expected estimates.
///
/// The distribution has no closed form. The estimated curve is made monotone, which removes part of the
/// noise, and if values are concentrated at a few points, the quantile jumps. But the covariances of the
/// estimates are known. So the curve is simulated near the share, at up to 256 points, by the normal
/// distribution and from a fixed seed. The standard error is accurate to 1 %, and reproducible.
[[nodiscard]] QuantileError quantile_error(OrderedEstimator& estimator, std::span<const double> shares,
                                           double share, Target target);

}  // namespace ldp
