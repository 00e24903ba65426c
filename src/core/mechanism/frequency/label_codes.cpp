#include "core/mechanism/frequency/label_codes.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"
#include "core/math/fixed_steps.hpp"

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

SetCodes::SetCodes(std::uint64_t labels, std::uint64_t most) : labels_(labels), most_(most) {
    counts_.reserve(labels * most);
    for (std::uint64_t size = 1; size <= most; ++size)
        for (std::uint64_t n = 0; n < labels; ++n)  // Pascal's triangle
            counts_.push_back(n == 0 ? 0 : counts_.back() + (size == 1 ? 1 : counts(size - 1)[n - 1]));
    for (std::uint64_t size = 0; size <= most; ++size)
        smaller_.push_back(size == 0 ? 0 : smaller_.back() + subset_count(labels, size - 1));
}

Cell SetCodes::code_of(std::span<const Cell> items) const noexcept {
    Cell code = 0;
    std::uint64_t size = 0;
    for (std::uint64_t i = 0; i < most_; ++i) {
        const bool is_label = items[i] < labels_;
        size += is_label;
        code += chosen(is_label, counts(i + 1)[chosen(is_label, items[i], 0)], 0);
    }
    return code + smaller_[size];
}

std::vector<Cell> SetCodes::items_of(Cell code) const {
    std::vector<Cell> items(most_);
    std::uint64_t size = 0;
    for (std::uint64_t larger = 1; larger <= most_; ++larger) size += smaller_[larger] <= code;
    code -= smaller_[size];
    for (std::uint64_t i = most_; i > 0; --i) {
        const bool is_label = i <= size;
        const std::span<const std::uint64_t> of_size = counts(i);
        const Cell label = count_first(labels_, [&](std::size_t n) { return of_size[n] <= code; }) - 1;
        items[i - 1] = chosen(is_label, label, labels_ + i - 1 - size);
        code -= chosen(is_label, of_size[label], 0);
    }
    return items;
}

Cell code_of_set(std::uint64_t labels, std::span<const Cell> set) {
    return SetCodes(labels, set.size()).code_of(set);
}

std::vector<Cell> set_of_code(std::uint64_t labels, Cell code) {
    std::uint64_t most = 0;
    while (count_label_sets(labels, most) <= code) ++most;
    return SetCodes(labels, most).items_of(code);
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
