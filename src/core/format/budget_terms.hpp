// The terms of a budget in the flags of a block (header.hpp), if the values of a person can need more
// responses than the budget pays for. From them the server computes the first round in which a budget can
// have ended.
#pragma once

#include <cstdint>

#include "core/base/bytes.hpp"

namespace ldp {

/// What reports contain about budgets that ended.
enum class BudgetEnd : std::uint8_t {
    signalled,  ///< responses are repeated, and each report contains a signal that the budget has ended
                ///< (mechanism/spent_signal.hpp)
    silent,     ///< responses are repeated, and reports do not show it
    stopped,    ///< the person sends no more reports
};

/// The terms of a person's budget.
struct BudgetTerms {
    std::uint32_t responses = 0;  ///< that it pays for; 0 if the budget cannot end
    BudgetEnd end = BudgetEnd::silent;

    /// Whether the values of a person can need more responses.
    [[nodiscard]] bool can_end() const noexcept { return responses != 0; }
    /// Whether reports have a signal.
    [[nodiscard]] bool has_signal() const noexcept { return can_end() && end == BudgetEnd::signalled; }
};

/// Returns the terms in a block that begins with a valid header. The number of responses is rounded down to
/// one that the flags can hold: exact up to 20, and at most half too small up to 10,000.
[[nodiscard]] BudgetTerms budget_terms(Bytes block) noexcept;
/// Writes the terms into a block, whose responses are memoized.
void set_budget_terms(MutableBytes block, const BudgetTerms& terms) noexcept;
/// Whether these are the flags of a block.
[[nodiscard]] bool valid_flags(std::byte flags) noexcept;

}  // namespace ldp
