// Inversion of square matrices.
#pragma once

#include <cstddef>
#include <vector>

namespace ldp {

struct Inverse {
    std::vector<double> matrix;  ///< row after row
    /// |M|·|M⁻¹| in the maximum row sum norm: the factor by which the inverse can amplify relative errors.
    /// Infinite for a singular matrix, whose inverse is empty.
    double condition;
};

/// Returns the inverse of a matrix of size² entries, row after row. The run time is cubic in the size; it can
/// be interrupted.
[[nodiscard]] Inverse inverse_of(const std::vector<double>& matrix, std::size_t size);

}  // namespace ldp
