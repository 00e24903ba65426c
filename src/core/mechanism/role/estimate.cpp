#include "core/mechanism/role/estimate.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

double critical_value(double confidence) {
    if (!(confidence > 0 && confidence < 1))
        raise(ErrorCode::invalid_value, "the confidence must lie between 0 and 1",
              "Found " + shortest(confidence) + ".", "For a 95 % interval, use 0.95.");
    // If the confidence is too close to 1, the rounded value is 1, whose quantile is infinite.
    const double below = (1 + confidence) / 2;
    if (below >= 1)
        raise(ErrorCode::invalid_value, "the confidence is too close to 1",
              "Found " + shortest(confidence) + "; the greatest is 0.9999999999999998.",
              "For a 95 % interval, use 0.95.");
    return normal_quantile(below);
}

Interval interval(const Estimate& estimate, double confidence) {
    const double z = critical_value(confidence);
    return {estimate.value - z * estimate.standard_error, estimate.value + z * estimate.standard_error};
}

// Computed from the ratio of the errors, since their squares may overflow.
Estimate combined(const Estimate& one, const Estimate& other) noexcept {
    const bool first = one.standard_error < other.standard_error;
    const auto& [value, least] = first ? one : other;
    const auto& [further, most] = first ? other : one;
    const double ratio = least / most, weight = 1 / (1 + ratio * ratio);
    return {std::lerp(further, value, weight), least / std::hypot(1, ratio)};
}

}  // namespace ldp
