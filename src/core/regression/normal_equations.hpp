// Least squares from moments: coefficients γ with E[zzᵀ]γ = E[zy] from estimates of the mean products,
// without individual z and y. Each result has a gradient by the moments, from which its standard error
// follows (the delta method).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ldp {

/// A function of moments and its derivatives.
struct MomentFunction {
    double value;
    std::vector<double> gradient;  ///< one element per moment
};

/// The equations of k unknowns. Entries are indexes of moments; a moment may occur several times.
class NormalEquations {
  public:
    /// `gram` has the k·k entries of the symmetric E[zzᵀ], row by row, and `right` has the k entries of
    /// E[zy].
    NormalEquations(std::span<const double> moments, std::vector<std::size_t> gram,
                    std::vector<std::size_t> right)
        : moments_(moments), gram_(std::move(gram)), right_(std::move(right)) {}

    [[nodiscard]] std::size_t unknowns() const noexcept { return right_.size(); }
    /// Returns the residual variance of z_j after regression on the other terms of the first `among` > j: the
    /// denominator of the j-th coefficient. The matrix of the other terms must be positive definite.
    [[nodiscard]] MomentFunction left_open(std::size_t j, std::size_t among) const;
    /// Returns the denominator of the combination aᵀγ: 1/(aᵀG⁻¹a), which is left_open() of all terms for one coefficient. It
    /// is not positive if the matrix is not positive definite along a.
    [[nodiscard]] MomentFunction left_open_along(std::span<const double> a) const;
    /// Returns γ. The matrix must be positive definite.
    [[nodiscard]] std::vector<MomentFunction> solve() const;
    /// Returns γᵀE[zy], the explained part of E[y²].
    [[nodiscard]] MomentFunction explained() const;

  private:
    [[nodiscard]] double gram(std::size_t i, std::size_t k) const { return moments_[place(i, k)]; }
    [[nodiscard]] std::size_t place(std::size_t i, std::size_t k) const { return gram_[i * unknowns() + k]; }

    std::span<const double> moments_;
    std::vector<std::size_t> gram_, right_;
};

}  // namespace ldp
