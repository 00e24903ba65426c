// Capabilities of vectors that are reported through their Haar transform or are clamped before the report.
#pragma once

#include "core/math/haar_tree.hpp"
#include "core/mechanism/capability.hpp"

namespace ldp {

/// Capability of mechanisms that clamp a vector to less than the ranges of its attributes.
class ConfinedVector : public Capability {
  public:
    static constexpr const char* offers = "clamping of Haar coefficients";

    /// Returns the number of values that are clamped for an input: coefficients outside their ranges (haar),
    /// or attributes of a vector that is too long (gaussian).
    [[nodiscard]] virtual std::size_t clamped(Input input) const = 0;
};

/// Capability of mechanisms that estimate Quantity::coefficients.
class HaarVector : public ConfinedVector {
  public:
    static constexpr const char* offers = "Haar coefficients";

    [[nodiscard]] virtual const HaarTree& tree() const noexcept = 0;
    /// Returns the declared range of an attribute, which is scaled to [−1,1].
    [[nodiscard]] virtual Interval ends(std::size_t attribute) const noexcept = 0;
};

/// Returns ConfinedVector::clamped() of any mechanism; 0 for mechanisms without the capability.
[[nodiscard]] inline std::size_t clamped_coefficients(const Mechanism& mechanism, Input input) {
    const auto* vector = find_capability<ConfinedVector>(mechanism);
    return vector == nullptr ? 0 : vector->clamped(input);
}

}  // namespace ldp
