// Empirical Bayes estimates of the shares of ordered points.
#pragma once

#include <span>
#include <vector>

namespace ldp {

/// Returns non-negative shares of two or more points with sum 1. `cumulative` are unbiased estimates of the
/// share at or below each point; the last one is 1. In the binary tree over the points, padded at the end to
/// a power of two, a node's coefficient is the share of its left half minus the share of its right half.
/// `variances` has the variances of the coefficients that follow from these estimates, one per level from the
/// root downwards.
///
/// From the root downwards, each node's share is split by the posterior mean of its coefficient. Its prior is
/// a mixture. In two components, the mean corresponds to equal points, or to the parabola through the node
/// and its neighbours (Donoho 1993), with a normal deviation proportional to the node's share. In the others,
/// the whole share is in one half. The weights in a level maximize the likelihood of its estimates, with one
/// additional node distributed as in the level above. Constant segments therefore become constant and smooth
/// segments smooth, while coefficients that exceed their noise are preserved.
[[nodiscard]] std::vector<double> shrunk_splits(std::span<const double> cumulative,
                                                std::span<const double> variances);

}  // namespace ldp
