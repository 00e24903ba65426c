// Published methods for ranges of one ordered attribute, rebuilt from their papers for comparison. They are
// linked into benchmarks only. What is simulated is exact: reports are drawn from their laws, counted by
// node.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace bench {

/// The values of people, 0 to k − 1.
using Held = std::vector<std::uint32_t>;

/// AHEAD (Du et al. 2021): a binary tree that grows level by level. People are divided evenly among the
/// levels; each level's people report their node of the tree so far through optimized unary encoding at the
/// full ε. A node is split if its estimate exceeds √(3·variance). Each level's estimates are made
/// non-negative with sum 1 (norm-sub), then averaged bottom-up by their variances; inside a leaf people are
/// taken to be spread evenly. Returns the estimated shares of the k values, k a power of 2.
[[nodiscard]] std::vector<double> ahead(Held people, std::size_t k, double epsilon, std::mt19937_64& random);

/// PriPL-Tree (Wang et al. 2024): a fifth of the people report through the square wave. A continuous,
/// piecewise linear function is fitted to their distribution by least squares; breakpoints are added one by
/// one, in the segment with the largest residue, while the residue falls by half a percent or more, up to 32
/// segments: the first half of them for the fit without smoothing, the others for the smoothed one. A
/// balanced binary tree stands over the segments; the other people are divided evenly among its levels and
/// report their node through optimized unary encoding. Estimates are averaged bottom-up by their variances,
/// those of the first fifth among them, and made consistent and non-negative top-down. Inside a leaf the
/// fitted slope is kept as far as no share is negative. Left out: the merging of inner nodes that the paper
/// adds to the balanced tree.
[[nodiscard]] std::vector<double> pripl_tree(Held people, std::size_t k, double epsilon,
                                             std::mt19937_64& random);

}  // namespace bench
