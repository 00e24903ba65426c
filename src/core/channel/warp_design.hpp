// Which warp is best.
#pragma once

#include "core/channel/warped.hpp"

namespace ldp {

enum class WarpAim : std::uint8_t {
    worst,    ///< the least variance where it is largest
    average,  ///< the least variance on average over the range
};

/// The best warp for this ε, but for what is lost by looking at one width, and by readings that are lines of
/// a few whole numbers: less than 1 % up to ε = 5.
///
/// It is computed in floating point. Two machines whose last digits differ find the same one, unless a
/// reading before rounding is half way between two whole numbers to all of those digits; and then their
/// parameter blocks differ, and neither takes the other's reports for its own.
[[nodiscard]] Warp design_warp(double epsilon, WarpAim aim);

}  // namespace ldp
