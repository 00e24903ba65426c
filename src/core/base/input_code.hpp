// A person's values as a randomizer sees them.
#pragma once

#include <cstdint>
#include <span>

namespace ldp {

/// The number of a category, or of a point of the declared grid: no floating-point number enters a
/// randomizer.
using Cell = std::uint64_t;
/// A record: one cell for each attribute.
using Input = std::span<const Cell>;

}  // namespace ldp
