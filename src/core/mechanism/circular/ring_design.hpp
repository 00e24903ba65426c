// The choice of the points that a ring channel favours.
#pragma once

#include <cstdint>

namespace ldp {

/// Estimates for which a pattern is chosen.
enum class RingUse { direction, arcs };

/// Smallest and largest number of points on a circle. A pattern has one bit for each point.
inline constexpr std::uint64_t least_ring_points = 3, most_ring_points = 64;

/// Returns the pattern for a circle of `points` points: bit d stands for the point d steps after the own one.
///
/// For the direction, the window with the largest first harmonic has the smallest error. The pattern has at most
/// 10 % more variance of the direction than this window. Among the patterns that a local search visits, it has the
/// smallest mean variance of the share of an arc. For arcs, only the variance of arcs counts. A window nearly hides
/// the frequencies that have whole periods in it, so that shares of arcs need a few detached points.
[[nodiscard]] std::uint64_t design_ring(std::uint64_t points, double epsilon, RingUse use);

}  // namespace ldp
