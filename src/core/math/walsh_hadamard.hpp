// Sums over the rows of a Hadamard matrix, all at once.
#pragma once

#include <cstdint>
#include <span>

namespace ldp {

/// Multiplies by the Hadamard matrix whose order is a.size(), a power of two, and whose entry in row r and
/// column c is −1 to the number of binary digits that r and c share (the fast Walsh–Hadamard transform).
/// Modulo 2^64, so that sums of either sign are exact. Can be interrupted.
void walsh_hadamard(std::span<std::uint64_t> a);
void walsh_hadamard(std::span<double> a);

}  // namespace ldp
