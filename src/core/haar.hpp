// The Haar transform: the mean of a vector, and for every node of a binary tree over its entries half the
// difference between the means of its two halves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ldp {

/// The tree over `leaves` entries (1 to 2^20), padded to a power of two at its end. A node with nothing but
/// padding on its right takes the mean of its left half, so padding adds no coefficient: there are exactly as
/// many coefficients as leaves. Coefficient 0 is the root's mean; the details follow in breadth-first order.
class HaarTree {
  public:
    explicit HaarTree(std::size_t leaves);

    /// Leaves, and coefficients.
    [[nodiscard]] std::size_t size() const noexcept { return leaves_; }
    /// Leaves that a coefficient enters.
    [[nodiscard]] std::size_t reach(std::size_t coefficient) const noexcept { return reach_[coefficient]; }

    /// Coefficients of `leaves`, in one pass over the tree; both of size().
    void forward(std::span<const double> leaves, std::span<double> coefficients) const;
    /// The leaves of `coefficients`: the exact inverse but for rounding.
    void inverse(std::span<const double> coefficients, std::span<double> leaves) const;
    /// Per leaf, the sum of `terms` (one per coefficient) over the coefficients that it is made of: with
    /// variances of uncorrelated coefficients, the leaves' variances.
    void accumulate_paths(std::span<const double> terms, std::span<double> leaves) const;

  private:
    static constexpr std::uint32_t none = 0;

    /// Walks from the root down: each leaf is given what `descend(parent, term, left?)` makes along its path.
    template <class Descend>
    void descend(std::span<const double> coefficients, std::span<double> leaves, Descend step) const;

    std::size_t leaves_;
    std::size_t padded_;  // a power of two
    std::vector<std::uint32_t>
        coefficient_;  // of each inner node, root = 1; none if its right half is padding
    std::vector<std::uint32_t> reach_;
};

}  // namespace ldp
