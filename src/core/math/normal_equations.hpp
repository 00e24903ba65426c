// Least squares from moments alone: coefficients γ with E[zzᵀ]γ = E[zy], where nobody's z and y are known,
// only estimates of their products' means. Each answer comes with its gradient in the moments, so that its
// standard error follows from theirs (the delta method).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ldp {

/// A number that follows from moments, and how it moves with each of them.
struct MomentFunction {
    double value;
    std::vector<double> gradient;  ///< as many as there are moments
};

/// The equations of k unknowns. Entries are places among the moments; a moment may stand in several.
class NormalEquations {
  public:
    /// `gram` has the k·k entries of the symmetric E[zzᵀ], row by row, `right` the k of E[zy].
    NormalEquations(std::span<const double> moments, std::vector<std::size_t> gram,
                    std::vector<std::size_t> right)
        : moments_(moments), gram_(std::move(gram)), right_(std::move(right)) {}

    [[nodiscard]] std::size_t unknowns() const noexcept { return right_.size(); }
    /// E[z_j²] less what the others of the first `among` > j of the z explain of it: the denominator of the
    /// j-th coefficient. The others' matrix must be positive definite.
    [[nodiscard]] MomentFunction left_open(std::size_t j, std::size_t among) const;
    /// γ. The matrix must be positive definite.
    [[nodiscard]] std::vector<MomentFunction> solve() const;
    /// γᵀE[zy]: what they explain of E[y²].
    [[nodiscard]] MomentFunction explained() const;

  private:
    [[nodiscard]] double gram(std::size_t i, std::size_t k) const { return moments_[place(i, k)]; }
    [[nodiscard]] std::size_t place(std::size_t i, std::size_t k) const { return gram_[i * unknowns() + k]; }

    std::span<const double> moments_;
    std::vector<std::size_t> gram_, right_;
};

}  // namespace ldp
