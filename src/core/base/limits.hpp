// Bounds that several layers rely on.
#pragma once

#include <cstdint>

namespace ldp {

/// Where the range of ε begins that a spec may ask for. Below it nothing could be learnt; above it nothing
/// would be protected.
inline constexpr double min_epsilon = 0.001;
inline constexpr double max_epsilon = 20;  ///< its other end

/// Reports a summary may count: sums of squares then fit their 128 bits with room to spare.
inline constexpr std::uint64_t max_count = std::uint64_t{1} << 40;

}  // namespace ldp
