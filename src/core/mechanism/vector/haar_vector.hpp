// Vectors that are reported through their Haar transform.
#pragma once

#include "core/math/haar_tree.hpp"
#include "core/mechanism/capability.hpp"

namespace ldp {

/// What answers Quantity::coefficients.
class HaarVector : public Capability {
  public:
    static constexpr const char* offers = "Haar coefficients";

    [[nodiscard]] virtual const HaarTree& tree() const noexcept = 0;
    /// An attribute's declared range, which stands for [−1,1].
    [[nodiscard]] virtual Interval ends(std::size_t attribute) const noexcept = 0;
    /// How many of the coefficients that an input leads to lie outside the ranges that the spec gives them,
    /// and are moved to their ends.
    [[nodiscard]] virtual std::size_t clamped(Input input) const = 0;
};

/// HaarVector::clamped() of any mechanism: none of others.
[[nodiscard]] inline std::size_t clamped_coefficients(const Mechanism& mechanism, Input input) {
    const auto* haar = find_capability<HaarVector>(mechanism);
    return haar == nullptr ? 0 : haar->clamped(input);
}

}  // namespace ldp
