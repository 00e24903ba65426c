// Counts of a hierarchy made to agree: shares of points in order, told level by level of a binary tree over
// them, each level with noise of its own (Hay, Rastogi, Miklau, Suciu 2010; Cormode, Kulkarni, Srivastava
// 2019).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/interrupt.hpp"

namespace ldp {

/// A tree over `points` (2 to 2^31) of depth L = ⌈log₂ points⌉: a node of depth ℓ covers the next 2^{L−ℓ}
/// points, fewer at the right end, and has a right child only if there is a point for it. The root's share
/// is 1. Of some depths all nodes' shares are estimated, without bias and with the same variance for each;
/// what is estimated of different nodes of a depth may vary together, all pairs alike.
///
/// Such estimates say of the difference between two siblings the same as the sums below them do, and these
/// are combined by their precisions. That is weighted least squares over the tree: there, contrasts between
/// siblings do not mix with other contrasts. It is exact where the tree is complete; at the right end the
/// same weights are taken, which stay without bias.
///
/// A tree whose nodes have b = 2^m children is this one with estimates of every m-th depth.
class LevelTree {
  public:
    /// How precise the estimates of one node are, at depths 1 to L: 1/variance, but for a common factor; 0
    /// where there are none. Below the deepest one shares are halved, which says nothing.
    LevelTree(std::uint64_t points, std::span<const double> precisions);

    [[nodiscard]] static unsigned depth_of(std::uint64_t points) noexcept {
        return static_cast<unsigned>(std::bit_width(points - 1));
    }
    [[nodiscard]] static std::uint64_t nodes_of(std::uint64_t points, unsigned depth) noexcept {
        return ((points - 1) >> (depth_of(points) - depth)) + 1;
    }
    [[nodiscard]] std::uint64_t points() const noexcept { return points_; }
    [[nodiscard]] unsigned depth() const noexcept { return depth_; }
    [[nodiscard]] std::uint64_t nodes(unsigned depth) const noexcept { return nodes_of(points_, depth); }
    /// The points of a node: from here up to, not including, the next node's.
    [[nodiscard]] std::uint64_t first_point(unsigned depth, std::uint64_t node) const noexcept {
        return std::min(node << (depth_ - depth), points_);
    }

    /// The shares of the points, from those of the nodes of each depth from 1 on; where there are none of a
    /// depth, none are looked at.
    [[nodiscard]] std::vector<double> shares(std::span<const std::vector<double>> estimates) const;

    /// What the mean of a function of the points is made of.
    struct Mean {
        double constant = 0;  ///< what it is if all estimates are 0
        double blind = 0;     ///< how far what no estimate tells can put it off at most
    };
    /// Tells visit(depth, first, end, weight) for blocks of nodes: the mean of the function over the shares
    /// is Σ weight·estimate, plus the constant. The function: flat(first, end) says whether it is the same at
    /// these points, value(point) what it is. Takes steps in proportion to the nodes that are not flat times
    /// the depth.
    template <class Function, class Visit>
    Mean mean_of(const Function& function, Visit visit) const {
        const double root = mean(function, 0, 0);
        Mean found{root, 0};
        Work work;
        descend(function, visit, found, 0, 0, root, 0, work);
        return found;
    }

    /// How probable depths 1 to L are to be asked for the least mean variance of all ranges, if one node's
    /// variance is this when all people are asked; no depth with less than a 256th. Complete trees are
    /// looked at.
    [[nodiscard]] static std::vector<double> best_draws(std::span<const double> variances);
    /// The mean over all ranges of a complete tree of what their variances sum up to, with these precisions.
    [[nodiscard]] static double mean_range_variance(std::span<const double> precisions);

  private:
    [[nodiscard]] bool has_right(unsigned depth, std::uint64_t node) const noexcept {
        return first_point(depth + 1, 2 * node + 1) < points_;
    }
    template <class Function>
    [[nodiscard]] double mean(const Function& function, unsigned depth, std::uint64_t node) const {
        const std::uint64_t first = first_point(depth, node);
        if (function.flat(first, first_point(depth, node + 1))) return function.value(first);
        const double left = mean(function, depth + 1, 2 * node);
        return has_right(depth, node) ? (left + mean(function, depth + 1, 2 * node + 1)) / 2 : left;
    }
    template <class Function>
    [[nodiscard]] double furthest(const Function& function, unsigned depth, std::uint64_t node,
                                  double from) const {
        const std::uint64_t first = first_point(depth, node);
        if (function.flat(first, first_point(depth, node + 1))) return std::abs(function.value(first) - from);
        const double left = furthest(function, depth + 1, 2 * node, from);
        return has_right(depth, node) ? std::max(left, furthest(function, depth + 1, 2 * node + 1, from))
                                      : left;
    }
    // The mean is Σ over points of share·function. Going down, a node's share is what the estimates from
    // here on downwards, z, say, moved by half of what the node above has too much of: so z counts for the
    // function's mean here less its mean in the node above, plus what z counts for there, as far as that is
    // made of z here.
    template <class Function, class Visit>
    void descend(const Function& function, Visit& visit, Mean& found, unsigned depth, std::uint64_t node,
                 double mean_here, double weight_here, Work& work) const {
        work.done();
        const std::uint64_t first = first_point(depth, node), end = first_point(depth, node + 1);
        if (function.flat(first, end)) {
            double rest = weight_here * (1 - own_[depth]);
            for (unsigned below = depth + 1; below <= depth_ && rest != 0; ++below) {
                if (own_[below] != 0)
                    visit(below, node << (below - depth), ((end - 1) >> (depth_ - below)) + 1,
                          rest * own_[below]);
                rest *= 1 - own_[below];
            }
            return;
        }
        if (depth == deepest_)
            found.blind = std::max(found.blind, furthest(function, depth, node, mean_here));
        const double rest = weight_here * (1 - own_[depth]);
        for (std::uint64_t child = 2 * node; child <= 2 * node + (has_right(depth, node) ? 1 : 0); ++child) {
            const double mean_there = mean(function, depth + 1, child);
            const double weight = mean_there - mean_here + rest;
            if (own_[depth + 1] != 0) visit(depth + 1, child, child + 1, weight * own_[depth + 1]);
            descend(function, visit, found, depth + 1, child, mean_there, weight, work);
        }
    }

    std::uint64_t points_;
    unsigned depth_;
    unsigned deepest_ = 0;     // depth that is estimated
    std::vector<double> own_;  // by depth: the part of z that is the node's own estimate, not its children's
};

}  // namespace ldp
