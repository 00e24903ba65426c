// What several answers about one person cost together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ldp {

/// ε that `count` answers at ε each cost together, at a failure probability δ in (0, 1): the advanced
/// composition √(2k ln(1/δ))·ε + kε(e^ε − 1) (Dwork, Roth 2014, theorem 3.20). It is below the sum, which is
/// the cost at δ = 0, only for many answers at a small ε.
[[nodiscard]] inline double advanced_composition(std::uint64_t count, double epsilon, double delta) noexcept {
    const auto k = static_cast<double>(count);
    return std::sqrt(2 * k * std::log(1 / delta)) * epsilon + k * epsilon * std::expm1(epsilon);
}

}  // namespace ldp
