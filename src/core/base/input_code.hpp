// A person's values as input codes of a randomizer.
#pragma once

#include <cstdint>
#include <span>

namespace ldp {

/// The index of a category, or of a point of the declared grid. Randomizers have no floating-point input.
using Cell = std::uint64_t;
/// A record: one input code per attribute.
using Input = std::span<const Cell>;

}  // namespace ldp
