// Monotone regression.
#pragma once

#include <span>
#include <vector>

namespace ldp {

/// Returns the position at which the non-decreasing curve through the points (i, curve[i]) reaches the
/// height. It is the middle of a constant segment, or an end if the whole curve is above or below.
[[nodiscard]] double place(std::span<const double> curve, double height);

/// Returns the non-decreasing curve with the smallest weighted squared distance (pool adjacent violators).
/// Weights are equal if none are given.
[[nodiscard]] std::vector<double> monotone(std::span<const double> curve,
                                           std::span<const double> weights = {});

/// Returns a non-decreasing curve clipped to a cumulative distribution.
[[nodiscard]] std::vector<double> confined(std::vector<double> curve);

}  // namespace ldp
