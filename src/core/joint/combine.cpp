#include "core/joint/combine.hpp"

#include <cmath>

namespace ldp {

// By the ratio of the errors, whose squares may be no doubles.
Estimate combined(const Estimate& one, const Estimate& other) noexcept {
    const bool first = one.standard_error < other.standard_error;
    const auto& [value, least] = first ? one : other;
    const auto& [further, most] = first ? other : one;
    const double ratio = least / most, weight = 1 / (1 + ratio * ratio);
    return {std::lerp(further, value, weight), least / std::hypot(1, ratio)};
}

}  // namespace ldp
