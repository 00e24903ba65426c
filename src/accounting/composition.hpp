// What several answers about one person cost together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ldp {

/// ε that `count` answers at ε each cost together, at a failure probability δ in (0, 1): the advanced
/// composition √(2k ln(1/δ))·ε + kε(e^ε − 1) (Dwork, Roth 2014, theorem 3.20, doi:10.1561/0400000042). It is
/// below the sum, which is the cost at δ = 0, only for many answers at a small ε.
[[nodiscard]] inline double advanced_composition(std::uint64_t count, double epsilon, double delta) noexcept {
    const auto k = static_cast<double>(count);
    return std::sqrt(2 * k * std::log(1 / delta)) * epsilon + k * epsilon * std::expm1(epsilon);
}

/// What a person has spent: so many answers at ε each. Both figures of the whole are true; the smaller one
/// counts.
struct Spent {
    std::uint64_t answers;
    double epsilon;   ///< of each
    double sum;       ///< of all, for certain
    double advanced;  ///< of all but for a probability of delta: advanced_composition
    double delta;

    /// Whether the advanced figure is the smaller one.
    [[nodiscard]] bool by_advanced() const noexcept { return advanced < sum; }
    [[nodiscard]] double least() const noexcept { return std::min(sum, advanced); }
};

/// The cost of so many answers at ε each. Throws Error (invalid_value) unless δ lies in (0, 1).
[[nodiscard]] Spent spent(std::uint64_t answers, double epsilon, double delta);

}  // namespace ldp
