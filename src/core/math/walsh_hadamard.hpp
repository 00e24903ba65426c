// The fast Walsh–Hadamard transform: sums over all rows of a Hadamard matrix.
#pragma once

#include <cstdint>
#include <span>

namespace ldp {

/// Multiplies by the Hadamard matrix of order a.size(), a power of two. The entry in row r and column c is −1
/// to the number of binary digits that r and c share. Arithmetic is modulo 2^64, so that signed sums are
/// exact. Can be interrupted.
void walsh_hadamard(std::span<std::uint64_t> a);
void walsh_hadamard(std::span<double> a);

}  // namespace ldp
