// Bounds of privacy as text. They are rounded upwards, so that the text is true.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/text.hpp"
#include "core/contract/privacy_statement.hpp"

namespace ldp {

/// Returns a factor with three digits.
[[nodiscard]] std::string reported_factor(double bound);
/// Returns a probability in (0, 1) in percent, up to the second digit that differs from 100 %.
[[nodiscard]] std::string reported_percent(double bound);
/// Returns the text after an ε that holds except with probability δ; empty if δ is 0.
[[nodiscard]] inline std::string but_for(double delta) {
    return delta == 0 ? "" : ", except with probability " + shortest(delta) + " (delta)";
}

/// Returns the bounds of a statement one per line; all lines but the first are indented by this number of
/// spaces: "2 for one report".
[[nodiscard]] std::string bound_lines(const PrivacyStatement& statement, std::size_t indent);

}  // namespace ldp
