#include "core/joint/combine.hpp"

#include <cmath>

namespace ldp {

// By the ratio of the errors, whose squares may be no doubles.
Estimate combined(const Estimate& one, const Estimate& other) noexcept {
    const double ratio = other.standard_error / one.standard_error;
    const double weight = 1 / (1 + ratio * ratio);
    return {std::lerp(one.value, other.value, weight), other.standard_error * (1 / std::hypot(1, ratio))};
}

}  // namespace ldp
