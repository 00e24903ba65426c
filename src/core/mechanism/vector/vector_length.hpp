// Vectors of bounded length on a grid: the options "norm" and "grid" of the mechanisms that need a bound of the length.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/input_code.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// The bound of the length of vectors of `d` attributes, each scaled to [−1, 1] and divided into `steps` grid steps.
struct VectorLength {
    std::uint64_t d;
    std::uint64_t steps;
    double norm;

    /// Returns half the number of steps.
    [[nodiscard]] double half() const noexcept { return static_cast<double>(steps) / 2; }
    /// Returns the bound in grid steps. Rounding to the grid moves each coordinate by less than a step, and no vector is
    /// longer than the corners of the cube. A vector within the norm is therefore within the radius.
    [[nodiscard]] double radius() const noexcept {
        const double diagonal = std::sqrt(static_cast<double>(d));
        return std::min(norm * half() + diagonal, diagonal * half());
    }
    /// Returns the squared length of a vector in grid steps: an integer below 2^53.
    [[nodiscard]] double squared(Input input) const noexcept;
    /// Throws Error (malformed) if the number of steps is odd, or the norm is out of range.
    void check_block() const;
};

/// Throws Error (invalid_spec) unless the norm is above 0 and at most √d for `d` attributes.
void check_norm(double norm, std::size_t d);
/// Completes "norm", which is √d by default, and "grid". Unless given, the grid is the coarsest power of two with at least
/// `finest` steps on each side of the middle. Error (invalid_spec) if one of them is out of range.
void settle_length(SettingsDraft& draft, double (*finest)(const SettingsDraft&, double norm));

/// Returns a bound of the probability that a sum of squares of normal variables deviates from its expectation by at least
/// `excess`. The variables have this variance, and the squares of their means add up to at most `squares` (Birgé 2001,
/// doi:10.1214/lnms/1215090065, lemma 8.1). Integer parts of normal variables are not further from their means.
[[nodiscard]] double squares_beyond(double excess, double variables, double variance,
                                    double squares) noexcept;

}  // namespace ldp
