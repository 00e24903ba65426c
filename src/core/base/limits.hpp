// Bounds that several layers use.
#pragma once

#include <cstdint>

namespace ldp {

/// Range of ε in a spec. Below it, estimates would have no precision; above it, reports would have no
/// protection.
inline constexpr double min_epsilon = 0.001;
inline constexpr double max_epsilon = 20;  ///< upper end

/// Maximum number of reports in a summary, chosen so that sums of squares fit in 128 bits.
inline constexpr std::uint64_t max_count = std::uint64_t{1} << 40;

}  // namespace ldp
