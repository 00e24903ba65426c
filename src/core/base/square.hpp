// The square of a number, and the length of a vector.
#pragma once

#include <algorithm>
#include <cmath>

namespace ldp {

[[nodiscard]] constexpr double square(double number) noexcept {
    return number * number;
}

/// Returns √(a² + b²); no intermediate result overflows. All steps are operations that IEEE 754 rounds exactly, so hosts
/// that round each step to a double, and fuse none, return the same bits. C libraries may round hypot() differently.
[[nodiscard]] inline double vector_length(double a, double b) noexcept {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    const double large = std::max(std::abs(a), std::abs(b)), small = std::min(std::abs(a), std::abs(b));
    if (!(large > 0) || std::isinf(large)) return large;
    return large * std::sqrt(1 + square(small / large));
}

}  // namespace ldp
