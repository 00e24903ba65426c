// The Haar transform: the mean of a vector, and for every node of a binary tree over its entries half the
// difference between the means of its two halves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ldp {

/// The tree over `leaves` entries (1 to 2^20), padded at the end to a power of two. A node with only padding
/// on its right takes the mean of its left half. Padding therefore adds no coefficients, and there is one
/// coefficient per leaf. Coefficient 0 is the root's mean; the others follow in breadth-first order.
class HaarTree {
  public:
    explicit HaarTree(std::size_t leaves);

    /// Returns the number of leaves, which equals the number of coefficients.
    [[nodiscard]] std::size_t size() const noexcept { return leaves_; }
    /// The leaves below a coefficient: `left` leaves starting at `first` with a positive sign, then `right`
    /// leaves with a negative sign. All signs of the mean are positive.
    struct Extent {
        std::uint32_t first, left, right;
    };
    [[nodiscard]] const Extent& extent(std::size_t coefficient) const noexcept {
        return extents_[coefficient];
    }
    /// Returns the number of leaves below a coefficient.
    [[nodiscard]] std::size_t reach(std::size_t coefficient) const noexcept {
        return std::size_t{extents_[coefficient].left} + extents_[coefficient].right;
    }
    /// Returns the first coefficient of each level, from the root downwards, followed by size().
    [[nodiscard]] std::span<const std::size_t> levels() const noexcept { return levels_; }

    /// Computes the coefficients of `leaves` in one pass over the tree; both have size() elements.
    void forward(std::span<const double> leaves, std::span<double> coefficients) const;
    /// Computes the leaves of `coefficients`: the inverse up to rounding.
    void inverse(std::span<const double> coefficients, std::span<double> leaves) const;
    /// Computes the weight of each coefficient in a weighted sum of leaves: the transpose of inverse(). The
    /// weight is exactly 0 if all leaves below the coefficient have weight 0.
    void transpose(std::span<const double> leaf_weights, std::span<double> weights) const;
    /// Computes, for each leaf, the sum of `terms` (one per coefficient) over the coefficients on its path.
    /// For variances of uncorrelated coefficients, the result is the leaves' variances.
    void accumulate_paths(std::span<const double> terms, std::span<double> leaves) const;

  private:
    static constexpr std::uint32_t none = 0;

    /// Traverses the tree from the root; a leaf's value is the result of `step(parent, term, left?)` along
    /// its path.
    template <class Descend>
    void descend(std::span<const double> coefficients, std::span<double> leaves, Descend step) const;

    std::size_t leaves_;
    std::size_t padded_;  // a power of two
    std::vector<std::uint32_t>
        coefficient_;  // of each inner node, root = 1; none if its right half is padding
    std::vector<Extent> extents_;
    std::vector<std::size_t> levels_;
};

/// The target for which coefficients are optimized.
enum class Aim : std::uint8_t {
    leaves = 0,  ///< all leaves
    mean = 1,    ///< the mean of all leaves
    ranges = 2,  ///< the sums over all ranges of adjacent leaves
};

/// Returns the mean squared weight of each coefficient in the target, summed over the leaves or averaged over
/// the ranges. It is the weight of the coefficient's variance. For a coefficient with noise r, sampling
/// probabilities proportional to r times the root of this weight minimize the total variance.
[[nodiscard]] std::vector<double> squared_needs(const HaarTree& tree, Aim aim);

}  // namespace ldp
