// Inputs as text, for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/contract/spec.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

/// The attribute of an input code. A series has a code for each round.
struct InputCode {
    std::size_t attribute;  ///< its index
    std::size_t round = 0;  ///< from 1; 0 unless the attribute is a series
};

/// Returns the attribute and the round of each code of an input.
[[nodiscard]] std::vector<InputCode> input_codes(const Spec& spec, const Mechanism& mechanism);

/// Returns a record as text: "wage 12.5, region north"; a series as "round 1 north, round 2 south". At most 200
/// characters.
[[nodiscard]] std::string input_text(const Spec& spec, const Mechanism& mechanism, Input input);

}  // namespace ldp
