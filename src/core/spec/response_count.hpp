// Number of different responses of a person under a spec of memoized responses.
#pragma once

#include "core/mechanism/mechanism.hpp"
#include "core/spec/spec.hpp"

namespace ldp {

/// Returns how many different responses a person's values may need, for any values; 2^64 − 1 if it is larger.
/// It is the number of keys of the mechanism, or less if numbers are rounded to few points.
[[nodiscard]] std::uint64_t possible_responses(const Spec& spec, const Mechanism& mechanism);

/// Returns how many different responses the budget of a person pays for. The spec has a budget.
[[nodiscard]] std::uint64_t affordable_responses(const Spec& spec);

/// Returns the largest number of different responses that a person gives: the smaller one of the two above.
[[nodiscard]] std::uint64_t most_responses(const Spec& spec, const Mechanism& mechanism);

}  // namespace ldp
