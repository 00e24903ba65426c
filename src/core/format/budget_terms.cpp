#include "core/format/budget_terms.hpp"

#include <algorithm>
#include <iterator>

namespace ldp {

namespace {

// Bit 0 of the flags: responses are memoized. The other seven: 0, or 1 + 3·(index of the number of responses)
// + end. Existing indexes never change.
constexpr std::size_t terms_offset = 3;
constexpr std::byte memoized_flag{1};
constexpr unsigned ends = 3;
constexpr std::uint32_t response_numbers[] = {
    1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,  12,  13,  14,  15,  16,  17,  18,   19,   20,   22,
    24, 27, 30, 34, 38, 43, 48, 55, 65, 80, 100, 130, 170, 230, 320, 500, 800, 1300, 2500, 5000, 10000};
static_assert(ends * std::size(response_numbers) <= 127);

unsigned code_of(std::byte flags) noexcept {
    return std::to_integer<unsigned>(flags) >> 1;
}

}  // namespace

BudgetTerms budget_terms(Bytes block) noexcept {
    const unsigned code = code_of(block[terms_offset]);
    if (code == 0) return {};
    return {response_numbers[(code - 1) / ends], static_cast<BudgetEnd>((code - 1) % ends)};
}

void set_budget_terms(MutableBytes block, const BudgetTerms& terms) noexcept {
    unsigned code = 0;
    if (terms.can_end()) {
        const auto index =
            std::ranges::upper_bound(response_numbers, terms.responses) - std::begin(response_numbers) - 1;
        code = 1 + ends * static_cast<unsigned>(index) + static_cast<unsigned>(terms.end);
    }
    block[terms_offset] = (block[terms_offset] & memoized_flag) | static_cast<std::byte>(code << 1);
}

bool valid_flags(std::byte flags) noexcept {
    const bool kept = (flags & memoized_flag) != std::byte{0};
    return code_of(flags) <= ends * std::size(response_numbers) && (kept || code_of(flags) == 0);
}

}  // namespace ldp
