// Optimal warps of the warped window.
#pragma once

#include "core/channel/warped.hpp"

namespace ldp {

enum class WarpAim : std::uint8_t {
    worst,    ///< smallest maximum of the variance over the range
    average,  ///< smallest average of the variance over the range
};

/// Returns the best warp for this ε. The loss is below 1 % up to ε = 5: one width is considered, and decoded
/// values are piecewise linear with few integers.
///
/// The computation uses floating point. Two machines with different rounding find the same warp unless a
/// decoded value before rounding is within rounding error of a half. In that case their parameter blocks
/// differ, and neither accepts the other's reports.
[[nodiscard]] Warp design_warp(double epsilon, WarpAim aim);

}  // namespace ldp
