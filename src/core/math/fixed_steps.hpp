// Searches and sorting in a number of steps that depends on public sizes only. The time of a report then depends neither on
// a value nor on whether it is in the domain.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/input_code.hpp"

namespace ldp {

/// Returns `yes` if the condition is true, otherwise `no`, without a branch.
[[nodiscard]] inline std::uint64_t chosen(bool condition, std::uint64_t yes, std::uint64_t no) noexcept {
    return no ^ ((yes ^ no) & -static_cast<std::uint64_t>(condition));
}

/// Returns the number of the first values of an ascending list of `size` values for which the condition holds. It holds for no
/// value after one for which it does not. `holds(i)` is called for i < size, always the same number of times.
template <class Holds>
[[nodiscard]] std::size_t count_first(std::size_t size, Holds holds) noexcept {
    std::size_t count = 0;
    for (std::size_t step = std::bit_floor(size); step > 0; step /= 2) {
        const std::size_t next = count + step;
        const bool inside = next <= size;
        count = chosen(inside & holds(chosen(inside, next, size) - 1), next, count);
    }
    return count;
}

/// Returns the different values among these that are below `end`, ascending. Further elements are `end`, so that the result has
/// the size of the argument. The number of steps is quadratic.
[[nodiscard]] std::vector<Cell> sorted_set(std::span<const Cell> values, Cell end);

/// Finds texts in a list. All searches take the same steps, except that a text's bytes beyond the longest one of the list are
/// not read.
class TextSearch {
  public:
    /// The texts must be different. They are copied.
    explicit TextSearch(std::span<const std::string> texts);
    /// Returns the index of the text; size() if it is not in the list.
    [[nodiscard]] std::size_t find(std::string_view text) const;
    [[nodiscard]] std::size_t size() const noexcept { return lengths_.size(); }

  private:
    /// Writes a text in words, padded with zeros, and returns its position in the hash table.
    std::size_t write(std::string_view text, std::span<std::uint64_t> key) const noexcept;

    std::size_t words_ = 0;             ///< number of words of the longest text
    std::size_t probes_ = 0;            ///< number of slots that every search examines
    std::vector<std::size_t> lengths_;  ///< of the texts, in bytes
    std::vector<std::uint64_t> keys_;   ///< the words of all texts
    std::vector<std::uint32_t> slots_;  ///< an open hash table: the index of a text plus 1, or 0
};

}  // namespace ldp
