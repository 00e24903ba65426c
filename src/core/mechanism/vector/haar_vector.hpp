// Vectors that are reported through their Haar transform.
#pragma once

#include "core/math/haar_tree.hpp"
#include "core/mechanism/role/capability.hpp"

namespace ldp {

/// Capability of mechanisms that estimate Quantity::coefficients.
class HaarVector : public Capability {
  public:
    static constexpr const char* offers = "Haar coefficients";

    [[nodiscard]] virtual const HaarTree& tree() const noexcept = 0;
    /// Returns the declared range of an attribute, which is scaled to [−1,1].
    [[nodiscard]] virtual Interval ends(std::size_t attribute) const noexcept = 0;
};

}  // namespace ldp
