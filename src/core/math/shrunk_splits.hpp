// Shares of points in order, from noisy ones, by a prior that the data themselves tell (empirical Bayes).
#pragma once

#include <span>
#include <vector>

namespace ldp {

/// The shares of points, two or more: none negative, sum 1. `cumulative` are unbiased estimates of what is at
/// or below each, the last one 1. In the binary tree over the points, padded to a power of two at its end,
/// each node's detail is the share of its left half less that of its right half; `variances` are those of the
/// details that these estimates tell, the root's first and one for each level.
///
/// From the root down each node's share is split by what its detail is expected to be, given the estimate of
/// it. Before, it lies where all points are alike, or where the parabola through the node and its neighbours
/// has it (Donoho 1993), but for a normal deviation in proportion to the node's share; or all is in one half.
/// How often each of these holds in a level is what makes the estimates likeliest, the level above counting
/// as one node more. So even stretches become even, smooth ones smooth, and where the details are larger than
/// their noise they stay.
[[nodiscard]] std::vector<double> shrunk_splits(std::span<const double> cumulative,
                                                std::span<const double> variances);

}  // namespace ldp
