// Input codes of sets of labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/input_code.hpp"

namespace ldp {

/// Largest number of different sets of one attribute: every set has an input code.
inline constexpr std::uint64_t max_label_sets = std::uint64_t{1} << 62;

/// Returns the number of sets of at most `most` of k labels; max_label_sets + 1 if it is larger than max_label_sets.
[[nodiscard]] std::uint64_t count_label_sets(std::uint64_t labels, std::uint64_t most) noexcept;
/// Returns the largest `most` whose sets have codes.
[[nodiscard]] std::uint64_t most_labels_that_fit(std::uint64_t labels) noexcept;
/// Returns the input code of a set, which is given as ascending numbers of labels. The empty set has the code 0,
/// smaller sets have smaller codes, and sets of one size are in the order of their largest labels (combinatorial
/// number system, Lehmer 1964).
[[nodiscard]] Cell code_of_set(std::uint64_t labels, std::span<const Cell> set) noexcept;
/// Returns the labels of a code, ascending.
[[nodiscard]] std::vector<Cell> set_of_code(std::uint64_t labels, Cell code);

/// Returns `most` of the labels, ascending: those with the smallest hash values under this word. Every set of that
/// size has the same chance over all words.
[[nodiscard]] std::vector<Cell> cut_set(std::vector<Cell> set, std::uint64_t most, std::uint64_t word);

}  // namespace ldp
