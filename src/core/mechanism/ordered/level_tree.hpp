// Consistent estimates in a hierarchy: shares of ordered points from estimates on the levels of a binary
// tree, each level with its own noise (Hay, Rastogi, Miklau, Suciu 2010; Cormode, Kulkarni, Srivastava 2019).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/interrupt.hpp"

namespace ldp {

/// A tree over `points` (2 to 2^31) of depth L = ⌈log₂ points⌉. A node of depth ℓ covers 2^{L−ℓ} points,
/// fewer at the right end, and has a right child only if it contains a point. The root's share is 1. At some
/// depths, the shares of all nodes are estimated without bias and with equal variances. Estimates of
/// different nodes of a depth may be correlated, equally for all pairs.
///
/// The difference between two siblings is estimated directly and from the levels below, and both estimates
/// are combined by their precisions. This is weighted least squares over the tree, where contrasts between
/// siblings are uncorrelated with other contrasts. It is optimal for a complete tree. At the right end, the
/// same weights are used, which remain unbiased.
///
/// A tree whose nodes have b = 2^m children is this tree with estimates at every m-th depth.
class LevelTree {
  public:
    /// `precisions` has the precision of one node's estimate at each depth from 1 to L: 1/variance up to a
    /// common factor; 0 without estimates. Below the deepest estimated level, shares are divided equally.
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
    /// Returns the first point of a node; the node ends before the first point of the next one.
    [[nodiscard]] std::uint64_t first_point(unsigned depth, std::uint64_t node) const noexcept {
        return std::min(node << (depth_ - depth), points_);
    }

    /// Returns the shares of the points from the shares of the nodes of each depth from 1 on; depths with
    /// precision 0 are ignored.
    [[nodiscard]] std::vector<double> shares(std::span<const std::vector<double>> estimates) const;

    /// The constant terms of the mean of a function of the points.
    struct Mean {
        double constant = 0;  ///< the mean if all estimates are 0
        double blind = 0;     ///< bound of the part that no estimate determines
    };
    /// Calls visit(depth, first, end, weight) for blocks of nodes. The mean of the function over the shares
    /// is Σ weight·estimate plus the constant. flat(first, end) returns whether the function is constant on
    /// these points, and value(point) returns its value. The mean in each node is computed once. The run time is
    /// proportional to the number of nodes on which the function is not constant, times the depth if blocks of
    /// several depths are visited below each of them.
    template <class Function, class Visit>
    Mean mean_of(const Function& function, Visit visit) const {
        NodeMeans means;
        means.values.reserve(std::size_t{8} * (depth_ + 1));
        const double root = mean(function, 0, 0, means);
        Mean found{root, 0};
        Work work;
        descend(function, visit, found, 0, 0, root, 0, means, work);
        return found;
    }

    /// The weights of the estimates of a depth in a mean, summed over all nodes and over the people at their own nodes.
    struct DepthWeights {
        using Pair [[gnu::vector_size(16)]] = double;
        Pair sums{}, squares{};
        double least = HUGE_VAL, most = -HUGE_VAL;

        void add(double nodes, double people, double weight) noexcept {
            const Pair weights = Pair{nodes, people} * weight;
            sums += weights;
            squares += weights * weight;
            least = std::min(least, weight);
            most = std::max(most, weight);
        }
        /// Multiplies all weights by a factor that is not negative.
        void scale(double factor) noexcept {
            sums *= factor;
            squares *= factor * factor;
            least *= factor;
            most *= factor;
        }
    };
    /// Calls visit(depth, weights) for each estimated depth, with all of its nodes, for the function that is 1 before the
    /// point `end`, with 0 < end < points(), and 0 from there on. `below` has the share of people before each point. The run
    /// time is proportional to the depth.
    template <class Visit>
    Mean mean_before(std::uint64_t end, std::span<const double> below, Visit visit) const {
        const auto path = [&](unsigned depth) { return end >> (depth_ - depth); };
        std::array<double, 33> means;  // on the path to the point
        means[depth_] = 0;
        for (unsigned depth = depth_; depth-- > 0;)
            means[depth] = path(depth + 1) % 2 == 1        ? (1 + means[depth + 1]) / 2
                           : has_right(depth, path(depth)) ? means[depth + 1] / 2
                                                           : means[depth + 1];
        Mean found{means[0], 0};
        if (means[deepest_] > 0) found.blind = std::max(1 - means[deepest_], means[deepest_]);
        const auto people = [&](unsigned depth, std::uint64_t node) {
            return below[first_point(depth, node + 1)] - below[first_point(depth, node)];
        };
        // All nodes of a subtree beside the path have one weight at a depth, and twice as many are at the next depth. The
        // last subtree has `missing` nodes less.
        DepthWeights beside;
        double weight = 0, last_weight = 0;
        std::uint64_t last_first = 0, last_nodes = 0;
        for (unsigned depth = 0; depth < deepest_; ++depth) {
            const double kept = 1 - own_[depth], rest = weight * kept;
            beside.scale(kept);
            beside.sums[0] *= 2;
            beside.squares[0] *= 2;
            last_weight *= kept;
            last_first *= 2;
            last_nodes *= 2;
            const unsigned next = depth + 1;
            const std::uint64_t node = path(next);
            const bool right = node % 2 == 1;
            weight = means[next] - means[depth] + rest;
            if (right || has_right(depth, path(depth))) {
                const std::uint64_t other = node ^ 1;
                const double other_weight = (right ? 1 : 0) - means[depth] + rest;
                beside.add(1, people(next, other), other_weight);
                if ((other + 1) << (depth_ - next) > points_) {
                    last_weight = other_weight;
                    last_first = other;
                    last_nodes = 1;
                }
            }
            if (own_[next] == 0) continue;
            DepthWeights all = beside;
            if (last_nodes > 0) {
                const auto missing = static_cast<double>(last_first + last_nodes - nodes(next));
                all.sums[0] -= missing * last_weight;
                all.squares[0] -= missing * last_weight * last_weight;
            }
            all.add(1, people(next, node), weight);
            all.scale(own_[next]);
            visit(next, all);
        }
        return found;
    }
    /// Returns the weight of a node's own estimate in the estimate of its subtree.
    [[nodiscard]] double own(unsigned depth) const noexcept { return own_[depth]; }

    /// Returns the sampling probabilities of depths 1 to L that minimize the mean variance of all ranges.
    /// `variances` has the variance of one node at each depth if all people report this depth. Probabilities
    /// below 1/256 are set to 0. The computation assumes a complete tree.
    [[nodiscard]] static std::vector<double> best_draws(std::span<const double> variances);
    /// Returns the mean over all ranges of a complete tree of their variance with these precisions.
    [[nodiscard]] static double mean_range_variance(std::span<const double> precisions);

  private:
    [[nodiscard]] bool has_right(unsigned depth, std::uint64_t node) const noexcept {
        return first_point(depth + 1, 2 * node + 1) < points_;
    }
    /// The means of a function in the nodes on which it is not constant. A node precedes the nodes below it
    /// and to its right.
    struct NodeMeans {
        std::vector<double> values;
        std::size_t next = 0;  ///< the first mean that is not used yet
    };
    template <class Function>
    [[nodiscard]] double mean(const Function& function, unsigned depth, std::uint64_t node,
                              NodeMeans& means) const {
        const std::uint64_t first = first_point(depth, node);
        if (function.flat(first, first_point(depth, node + 1))) return function.value(first);
        const std::size_t here = means.values.size();
        means.values.push_back(0);
        const double left = mean(function, depth + 1, 2 * node, means);
        return means.values[here] = has_right(depth, node)
                                        ? (left + mean(function, depth + 1, 2 * node + 1, means)) / 2
                                        : left;
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
    // The mean is Σ share·function over the points. Let z be the estimate of a node's share from its subtree.
    // A node's share is z plus half of the correction of its parent. The weight of z is therefore the mean of
    // the function in the node minus that in its parent, plus the weight of the parent's z to the extent that
    // it consists of this z.
    template <class Function, class Visit>
    void descend(const Function& function, Visit& visit, Mean& found, unsigned depth, std::uint64_t node,
                 double mean_here, double weight_here, NodeMeans& means, Work& work) const {
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
        ++means.next;
        if (depth == deepest_)
            found.blind = std::max(found.blind, furthest(function, depth, node, mean_here));
        const double rest = weight_here * (1 - own_[depth]);
        for (std::uint64_t child = 2 * node; child <= 2 * node + (has_right(depth, node) ? 1 : 0); ++child) {
            const std::uint64_t begin = first_point(depth + 1, child);
            const double mean_there = function.flat(begin, first_point(depth + 1, child + 1))
                                          ? function.value(begin)
                                          : means.values[means.next];
            const double weight = mean_there - mean_here + rest;
            if (own_[depth + 1] != 0) visit(depth + 1, child, child + 1, weight * own_[depth + 1]);
            descend(function, visit, found, depth + 1, child, mean_there, weight, means, work);
        }
    }

    std::uint64_t points_;
    unsigned depth_;
    unsigned deepest_ = 0;     // deepest estimated depth
    std::vector<double> own_;  // by depth: weight of the node's own estimate in z; the rest is its children's
};

}  // namespace ldp
