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
    /// The leaves that a coefficient enters: `left` of them from `first` on with its own sign, then `right`
    /// more with the other one. The mean enters all with its own.
    struct Extent {
        std::uint32_t first, left, right;
    };
    [[nodiscard]] const Extent& extent(std::size_t coefficient) const noexcept {
        return extents_[coefficient];
    }
    /// How many they are.
    [[nodiscard]] std::size_t reach(std::size_t coefficient) const noexcept {
        return std::size_t{extents_[coefficient].left} + extents_[coefficient].right;
    }
    /// The first detail of each level, from the root's down, and size() behind the last.
    [[nodiscard]] std::span<const std::size_t> levels() const noexcept { return levels_; }

    /// Coefficients of `leaves`, in one pass over the tree; both of size().
    void forward(std::span<const double> leaves, std::span<double> coefficients) const;
    /// The leaves of `coefficients`: the exact inverse but for rounding.
    void inverse(std::span<const double> coefficients, std::span<double> leaves) const;
    /// The weight of each coefficient in a weighted sum of leaves: the transpose of inverse(). A coefficient
    /// that enters no leaf with a weight has exactly 0.
    void transpose(std::span<const double> leaf_weights, std::span<double> weights) const;
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
    std::vector<Extent> extents_;
    std::vector<std::size_t> levels_;
};

/// What the coefficients are to answer best.
enum class Aim : std::uint8_t {
    leaves = 0,  ///< all leaves
    mean = 1,    ///< the mean of all leaves
    ranges = 2,  ///< the sums over all ranges of adjoining leaves
};

/// The squared weight of each coefficient in a question, summed over the leaves, averaged over the ranges:
/// what a coefficient's variance counts for. Needed from a coefficient with noise r is a draw probability ∝ r
/// times the root, which makes the summed variance of the answers the least.
[[nodiscard]] std::vector<double> squared_needs(const HaarTree& tree, Aim aim);

}  // namespace ldp
