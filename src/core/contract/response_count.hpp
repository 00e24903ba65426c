// Numbers of different responses of a person under a spec of memoized responses: those that are possible, and
// those that the budget pays for.
#pragma once

#include <vector>

#include "core/contract/spec.hpp"
#include "core/format/budget_terms.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

/// Returns how many different responses a person's values may need, for any values; 2^64 − 1 if it is larger.
/// It is the number of keys of the mechanism, or less if numbers are rounded to few points.
[[nodiscard]] std::uint64_t possible_responses(const Spec& spec, const Mechanism& mechanism);
/// Returns this number for a mechanism that reports the attributes from `first` on.
[[nodiscard]] std::uint64_t possible_responses(const std::vector<Attribute>& attributes,
                                               const Evolving& evolving, const Mechanism& mechanism,
                                               std::size_t first);

/// Returns how many different responses the budget pays for if a person's values may need `possible`. If it
/// does not pay for all of them, a signal of spent budgets (mechanism/spent_signal.hpp) is paid from it
/// first.
[[nodiscard]] std::uint64_t affordable_responses(const Budget& budget, std::uint64_t possible,
                                                 const Mechanism& mechanism);
/// Returns this number for a spec that has a budget.
[[nodiscard]] std::uint64_t affordable_responses(const Spec& spec, const Mechanism& mechanism);
[[nodiscard]] std::uint64_t affordable_responses(const Spec& spec);

/// Returns the largest number of different responses that a person gives: the smaller of the two numbers
/// above.
[[nodiscard]] std::uint64_t most_responses(const Spec& spec, const Mechanism& mechanism);

/// Returns the largest total ε of a person under a spec that has a budget. With memoized responses, it is the
/// ε of all responses and of the signal; for a series, it is the ε of the series. Without them, the budget
/// pays for some fresh reports.
[[nodiscard]] double most_epsilon(const Spec& spec, const Mechanism& mechanism);

/// Returns the terms of the spec's budget for the blocks of its reports.
[[nodiscard]] BudgetTerms budget_terms(const Spec& spec, const Mechanism& mechanism);

/// Returns how many responses the budget pays for beside the signal of a spent budget; 0 if reports have none.
[[nodiscard]] std::uint64_t beside_signal(const Budget& budget, const Mechanism& mechanism);

}  // namespace ldp
