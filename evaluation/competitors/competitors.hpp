// Published methods for ranges of one ordered attribute, rebuilt from their papers for comparison. They are
// linked into the evaluation only. What is simulated is exact: reports are drawn from their laws, counted by
// node.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace evaluation {

/// The values of people, 0 to k − 1.
using Held = std::vector<std::uint32_t>;

/// AHEAD (Du et al. 2021): a binary tree that grows level by level. People are divided evenly among the
/// levels; each level's people report their node of the tree so far through optimized unary encoding at the
/// full ε. A node is split if its estimate exceeds √(3·variance). Each level's estimates are made
/// non-negative with sum 1 (norm-sub), then averaged bottom-up by their variances; inside a leaf people are
/// taken to be spread evenly. Returns the estimated shares of the k values, k a power of 2.
[[nodiscard]] std::vector<double> ahead(Held people, std::size_t k, double epsilon, std::mt19937_64& random);

/// PriPL-Tree (Wang et al. 2024). A fifth of the people report through the square wave. A continuous,
/// piecewise linear function is fitted to their distribution by least squares. Breakpoints are added one
/// by one, in the segment with the largest residue, while the residue falls by half a percent or more, up
/// to 32 segments. The first half of the people serve the fit without smoothing, the others the smoothed
/// one. A balanced binary tree stands over the segments. The other people are divided evenly among its
/// levels and report their node through optimized unary encoding. Estimates are averaged bottom-up by
/// their variances, including those of the first fifth, and made consistent and non-negative top-down.
/// Inside a leaf the fitted slope is kept up to the slope at which a share becomes negative. The paper's
/// merging of inner nodes is omitted.
[[nodiscard]] std::vector<double> pripl_tree(Held people, std::size_t k, double epsilon,
                                             std::mt19937_64& random);

}  // namespace evaluation
