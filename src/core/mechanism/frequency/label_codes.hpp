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
/// The input codes of the sets of at most `most` of k labels. The empty set has the code 0, smaller sets have smaller codes, and
/// sets of one size are in the order of their largest labels (combinatorial number system, Lehmer 1964). All sets take the
/// same steps.
class SetCodes {
  public:
    /// Requires count_label_sets(labels, most) ≤ max_label_sets.
    SetCodes(std::uint64_t labels, std::uint64_t most);
    [[nodiscard]] std::uint64_t most() const noexcept { return most_; }
    /// Returns the code of a set. `items` has the numbers of its labels, ascending; then, up to `most` items in all, numbers
    /// of at least k.
    [[nodiscard]] Cell code_of(std::span<const Cell> items) const noexcept;
    /// Returns the labels of a code, ascending; then, up to `most` items in all, the dummies k, k + 1, ….
    [[nodiscard]] std::vector<Cell> items_of(Cell code) const;

  private:
    /// Returns the numbers of subsets of `size` ≥ 1 of 0, …, k − 1 labels.
    [[nodiscard]] std::span<const std::uint64_t> counts(std::uint64_t size) const noexcept {
        return std::span(counts_).subspan((size - 1) * labels_, labels_);
    }

    std::uint64_t labels_, most_;
    std::vector<std::uint64_t> counts_;   ///< the numbers for all sizes, one after another
    std::vector<std::uint64_t> smaller_;  ///< for each size the number of smaller sets
};

/// Returns the input code of one set, which is given as ascending numbers of labels. SetCodes is faster for several sets.
[[nodiscard]] Cell code_of_set(std::uint64_t labels, std::span<const Cell> set);
/// Returns the labels of one code, ascending.
[[nodiscard]] std::vector<Cell> set_of_code(std::uint64_t labels, Cell code);

/// Returns `most` of the labels, ascending: those with the smallest hash values under this word. Every set of that
/// size has the same chance over all words.
[[nodiscard]] std::vector<Cell> cut_set(std::vector<Cell> set, std::uint64_t most, std::uint64_t word);

}  // namespace ldp
