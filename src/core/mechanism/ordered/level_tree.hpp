// Consistent estimates in a hierarchy: shares of ordered points from estimates on the levels of a binary
// tree, each level with its own noise (Hay, Rastogi, Miklau, Suciu 2010; Cormode, Kulkarni, Srivastava 2019).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
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

    /// Sums of the weights of the estimates of a depth in a mean, and of their squares: over all nodes, and over the people at their
    /// own nodes. Each `Lanes` has the numbers of several means: it is a vector of doubles, or a double.
    template <class Lanes>
    struct DepthWeights {
        Lanes all{}, all_squares{}, own{}, own_squares{}, least = Lanes{} + HUGE_VAL,
                                                          most = Lanes{} - HUGE_VAL;

        [[gnu::always_inline]] void add(const Lanes& nodes, const Lanes& people,
                                        const Lanes& weight) noexcept {
            const Lanes square = weight * weight;
            all += nodes * weight;
            all_squares += nodes * square;
            own += people * weight;
            own_squares += people * square;
            least = weight < least ? weight : least;
            most = weight > most ? weight : most;
        }
        /// Multiplies all weights by a factor that is not negative, and the numbers of nodes by `nodes`.
        [[gnu::always_inline]] void scale(double factor, double nodes) noexcept {
            all *= factor * nodes;
            all_squares *= factor * factor * nodes;
            own *= factor;
            own_squares *= factor * factor;
            least *= factor;
            most *= factor;
        }
    };
    /// The weights in the shares of people before successive points: those of functions that are 1 before the point `end`, end + 1,
    /// and so on, with 0 < end < points(), and 0 from there on. Other ends have no meaning. `below` has the share of people
    /// before each point. The run time is proportional to the depth.
    template <class Lanes>
    class WeightsBefore {
      public:
        [[gnu::always_inline]] WeightsBefore(const LevelTree& tree, std::uint64_t end,
                                             const double* below) noexcept
            : tree_(tree),
              end_(end),
              below_(below),
              complete_(tree.points_ == std::uint64_t{1} << tree.depth_) {
            double ends[lanes];
            for (std::size_t i = 0; i < lanes; ++i) ends[i] = static_cast<double>(end + i);
            std::memcpy(&ends_, ends, sizeof(ends_));
            if (complete_) {
                if (tree.deepest_ < tree.depth_) {
                    find_mean(PathNodes(*this, tree.deepest_).first, tree.deepest_);
                    find_blind(mean_);
                }
                find_mean(Lanes{}, 0);
                constant_ = mean_;
                return;
            }
            means_[tree.depth_] = Lanes{};
            for (unsigned depth = tree.depth_; depth > 0; --depth) {
                const PathNodes path(*this, depth);
                const Lanes mean = means_[depth], half = (mean + path.right) / 2;
                means_[depth - 1] = path.branches > 0 ? half : mean;
            }
            constant_ = mean_ = means_[0];
            find_blind(means_[tree.deepest_]);
        }
        /// Moves to the next depth, from 1 on. Returns false after the last estimated depth.
        [[gnu::always_inline]] bool next() noexcept {
            if (depth_ == tree_.deepest_) return false;
            const double kept = 1 - tree_.own_[depth_];
            const Lanes parent = mean_, rest = weight_ * kept;
            beside_.scale(kept, 2);
            ++depth_;
            const PathNodes path(*this, depth_);
            if (complete_)
                find_mean(path.first, depth_);
            else
                mean_ = means_[depth_];
            weight_ = mean_ - parent + rest;
            // All nodes of a subtree beside the path have one weight at a depth, and twice as many are at the next depth.
            const Lanes beside = path.right - parent + rest, square = beside * beside;
            beside_.all += path.branches * beside;
            beside_.all_squares += path.branches * square;
            beside_.own += path.people_beside * beside;
            beside_.own_squares += path.people_beside * square;
            beside_.least = path.branches > 0 && beside < beside_.least ? beside : beside_.least;
            beside_.most = path.branches > 0 && beside > beside_.most ? beside : beside_.most;
            people_ = path.people;
            if (complete_) return true;
            // The last subtree has nodes less.
            last_weight_ = path.last > 0 ? beside : last_weight_ * kept;
            last_end_ = path.last > 0 ? path.last : 2 * last_end_;
            return true;
        }
        [[nodiscard]] unsigned depth() const noexcept { return depth_; }
        /// Returns the weights at the depth, each divided by own(depth()).
        [[nodiscard]] [[gnu::always_inline]] DepthWeights<Lanes> weights() const noexcept {
            DepthWeights<Lanes> found = beside_;
            found.add(Lanes{} + 1, people_, weight_);
            if (complete_) return found;
            const Lanes off = last_end_ - static_cast<double>(tree_.nodes(depth_)),
                        missing = last_end_ > 0 ? off : Lanes{};
            found.all -= missing * last_weight_;
            found.all_squares -= missing * last_weight_ * last_weight_;
            return found;
        }
        /// Returns the mean of the function.
        [[nodiscard]] const Lanes& constant() const noexcept { return constant_; }
        /// Returns a bound of the part that no estimate determines.
        [[nodiscard]] const Lanes& blind() const noexcept { return blind_; }

      private:
        static constexpr std::size_t lanes = sizeof(Lanes) / sizeof(double);

        /// A node of a depth above an end: whether it is a right child, and whether its parent has two, its first point, and the
        /// people in it and in its sibling. `last` is the end of a sibling that has points missing, otherwise 0.
        struct PathNode {
            double right, branches, first, people, people_beside, last;
        };
        /// The nodes above all ends.
        struct PathNodes {
            Lanes right, branches, first, people, people_beside, last;

            [[gnu::always_inline]] PathNodes(const WeightsBefore& of, unsigned depth) noexcept {
                // An end at a multiple of their number shares its nodes with the others.
                const bool shared = std::uint64_t{1} << (of.tree_.depth_ - depth) >= lanes;
                PathNode nodes[lanes];
                for (std::size_t i = 0; i < (shared ? 1 : lanes); ++i)
                    nodes[i] = of.node_above(of.end_ + i, depth);
                const auto set = [&](Lanes & to, double PathNode::*member) __attribute__((always_inline)) {
                    double each[lanes];
                    for (std::size_t i = 0; i < lanes; ++i) each[i] = nodes[i].*member;
                    std::memcpy(&to, each, sizeof(to));
                };
                if (shared) {
                    right = Lanes{} + nodes[0].right;
                    branches = Lanes{} + nodes[0].branches;
                    first = Lanes{} + nodes[0].first;
                    people = Lanes{} + nodes[0].people;
                    people_beside = Lanes{} + nodes[0].people_beside;
                    last = Lanes{} + nodes[0].last;
                    return;
                }
                set(right, &PathNode::right);
                set(branches, &PathNode::branches);
                set(first, &PathNode::first);
                set(people, &PathNode::people);
                set(people_beside, &PathNode::people_beside);
                set(last, &PathNode::last);
            }
        };
        [[gnu::always_inline]] PathNode node_above(std::uint64_t end, unsigned depth) const noexcept {
            const unsigned height = tree_.depth_ - depth;
            const std::uint64_t node = end >> height, other = node ^ 1;
            const std::uint64_t begin = std::min(node << height, tree_.points_),
                                stop = std::min((node + 1) << height, tree_.points_),
                                begin_beside = std::min(other << height, tree_.points_),
                                stop_beside = std::min((other + 1) << height, tree_.points_);
            const bool is_right = node % 2 == 1, two = is_right || begin_beside < tree_.points_;
            return {is_right ? 1.0 : 0.0,
                    two ? 1.0 : 0.0,
                    static_cast<double>(node << height),
                    below_[stop] - below_[begin],
                    below_[stop_beside] - below_[begin_beside],
                    two && (other + 1) << height > tree_.points_ ? static_cast<double>(other + 1) : 0.0};
        }
        /// Computes the mean in the nodes of a depth of a complete tree, which begin at these points.
        [[gnu::always_inline]] void find_mean(const Lanes& first, unsigned depth) noexcept {
            mean_ = (ends_ - first) / static_cast<double>(std::uint64_t{1} << (tree_.depth_ - depth));
        }
        [[gnu::always_inline]] void find_blind(const Lanes& mean) noexcept {
            const Lanes other = 1 - mean, far = mean > other ? mean : other;
            blind_ = mean > 0 ? far : Lanes{};
        }

        const LevelTree& tree_;
        std::uint64_t end_;
        const double* below_;
        bool complete_;
        unsigned depth_ = 0;
        std::array<Lanes, 33> means_;  ///< in the nodes above the ends, by depth; of incomplete trees
        Lanes ends_, mean_, constant_, blind_{}, weight_{}, people_{}, last_weight_{}, last_end_{};
        DepthWeights<Lanes> beside_;
    };
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
