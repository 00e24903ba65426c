// Vectors that are reported through their Haar transform, and what is moved of vectors before they are
// reported.
#pragma once

#include "core/math/haar_tree.hpp"
#include "core/mechanism/capability.hpp"

namespace ldp {

/// A vector that the spec confines to less than the ranges of its attributes.
class ConfinedVector : public Capability {
  public:
    static constexpr const char* offers = "what it moves of a vector";

    /// How many of the numbers that an input leads to lie outside of that, and are moved: the coefficients of
    /// haar to the ends of their ranges; the attributes of gaussian towards their middles, where the vector
    /// is too long.
    [[nodiscard]] virtual std::size_t clamped(Input input) const = 0;
};

/// What answers Quantity::coefficients.
class HaarVector : public ConfinedVector {
  public:
    static constexpr const char* offers = "Haar coefficients";

    [[nodiscard]] virtual const HaarTree& tree() const noexcept = 0;
    /// An attribute's declared range, which stands for [−1,1].
    [[nodiscard]] virtual Interval ends(std::size_t attribute) const noexcept = 0;
};

/// ConfinedVector::clamped() of any mechanism: none of others.
[[nodiscard]] inline std::size_t clamped_coefficients(const Mechanism& mechanism, Input input) {
    const auto* vector = find_capability<ConfinedVector>(mechanism);
    return vector == nullptr ? 0 : vector->clamped(input);
}

}  // namespace ldp
