// The inverse of a square matrix.
#pragma once

#include <cstddef>
#include <vector>

namespace ldp {

struct Inverse {
    std::vector<double> matrix;  ///< row after row
    /// |M|·|M⁻¹|, by the greatest sum of magnitudes in a row: how many times larger, relatively, an error may
    /// be behind the inverse than before it. Infinite of a singular matrix, whose inverse is nothing.
    double condition;
};

/// Of a matrix of size² entries, row after row. Time grows with the third power of the size; can be
/// interrupted.
[[nodiscard]] Inverse inverse_of(const std::vector<double>& matrix, std::size_t size);

}  // namespace ldp
