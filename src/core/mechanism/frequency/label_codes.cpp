#include "core/mechanism/frequency/label_codes.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"

namespace ldp {

namespace {

/// Returns the number of subsets of a size; max_label_sets + 1 if it is larger than max_label_sets.
std::uint64_t subset_count(std::uint64_t n, std::uint64_t size) noexcept {
    if (size > n) return 0;
    Uint128 count = 1;
    for (std::uint64_t i = 1; i <= size && count <= max_label_sets; ++i) count = count * (n - size + i) / i;
    return static_cast<std::uint64_t>(std::min<Uint128>(count, max_label_sets + 1));
}

/// A bijective hash of 64 bits (Steele, Lea, Flood 2014).
std::uint64_t hashed(std::uint64_t word) noexcept {
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

}  // namespace

std::uint64_t count_label_sets(std::uint64_t labels, std::uint64_t most) noexcept {
    std::uint64_t count = 0;
    for (std::uint64_t size = 0; size <= most && count <= max_label_sets; ++size)
        count += subset_count(labels, size);
    return std::min(count, max_label_sets + 1);
}

std::uint64_t most_labels_that_fit(std::uint64_t labels) noexcept {
    std::uint64_t most = 0, count = 1;
    while (most < labels && (count += subset_count(labels, most + 1)) <= max_label_sets) ++most;
    return most;
}

Cell code_of_set(std::uint64_t labels, std::span<const Cell> set) noexcept {
    Cell code = 0;
    for (std::uint64_t size = 0; size < set.size(); ++size) code += subset_count(labels, size);
    for (std::size_t i = 0; i < set.size(); ++i) code += subset_count(set[i], i + 1);
    return code;
}

std::vector<Cell> set_of_code(std::uint64_t labels, Cell code) {
    std::uint64_t size = 0;
    for (std::uint64_t count = 1; code >= count; count = subset_count(labels, ++size)) code -= count;
    std::vector<Cell> set(size);
    for (std::uint64_t i = size; i > 0; --i) {
        std::uint64_t low = i - 1, high = labels;  // subset_count(low, i) ≤ code < subset_count(high, i)
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            (subset_count(middle, i) <= code ? low : high) = middle;
        }
        set[i - 1] = low;
        code -= subset_count(low, i);
    }
    return set;
}

std::vector<Cell> cut_set(std::vector<Cell> set, std::uint64_t most, std::uint64_t word) {
    if (set.size() <= most) return set;
    std::ranges::sort(set, {},
                      [word](Cell label) { return hashed(word + (label + 1) * 0x9e3779b97f4a7c15); });
    set.resize(most);
    std::ranges::sort(set);
    return set;
}

}  // namespace ldp
