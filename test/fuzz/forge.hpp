// Well-formed blocks with one chosen fault: parameters at and beyond their bounds, and nested mechanisms
// that are not allowed, too many, or too few.
#pragma once

#include <vector>

#include "choices.hpp"

namespace ldp::fuzz {

/// A report's block.
[[nodiscard]] std::vector<std::byte> forge_block(Choices& choices);
/// Whether blocks of this mechanism are forged, by number.
[[nodiscard]] bool is_forged(std::uint8_t mechanism) noexcept;
/// Flips, overwrites, cuts and prolongs bytes in a few places, or nothing.
void damage(std::vector<std::byte>& bytes, Choices& choices);

}  // namespace ldp::fuzz
