#include "core/mechanism/ordered/level_tree.hpp"

#include <numeric>

namespace ldp {

namespace {

/// Returns the precision of a node's combined estimate from its depth downwards: its own precision plus that
/// of the sum of its two children.
std::vector<double> from_below(std::span<const double> precisions) {
    std::vector<double> all(precisions.begin(), precisions.end());
    for (std::size_t i = all.size() - 1; i-- > 0;) all[i] += all[i + 1] / 2;
    return all;
}

/// Returns, for each depth, the mean over all ranges of the sum over its nodes of (fraction of the node in
/// the range − that of its parent)². A cut after t of a node's w points contributes min(t, w−t)/w of the
/// difference between its halves.
std::vector<double> squares(std::size_t depth) {
    std::vector<double> all;
    for (std::size_t i = 0; i < depth; ++i) {
        const double nodes = std::ldexp(1.0, static_cast<int>(i)),
                     width = std::ldexp(1.0, static_cast<int>(depth - i));
        all.push_back(2 * (1.0 / 6 + 1 / (3 * width * width) - 1 / (8 * nodes)));
    }
    return all;
}

}  // namespace

LevelTree::LevelTree(std::uint64_t points, std::span<const double> precisions)
    : points_(points), depth_(depth_of(points)), own_(depth_ + 1) {
    const std::vector<double> all = from_below(precisions);
    for (unsigned depth = 1; depth <= depth_; ++depth) {
        if (precisions[depth - 1] == 0) continue;
        own_[depth] = precisions[depth - 1] / all[depth - 1];
        deepest_ = depth;
    }
}

std::vector<double> LevelTree::shares(std::span<const std::vector<double>> estimates) const {
    Work work;
    std::vector<std::vector<double>> z(depth_ + 1);
    for (unsigned depth = deepest_; depth > 0; --depth) {
        z[depth].resize(nodes(depth));
        for (std::uint64_t node = 0; node < z[depth].size(); ++node, work.done()) {
            const auto below = [&](std::uint64_t child) {
                return depth < deepest_ && child < z[depth + 1].size() ? z[depth + 1][child] : 0;
            };
            const double own = own_[depth] == 0 ? 0 : estimates[depth - 1][node];
            z[depth][node] = std::lerp(below(2 * node) + below(2 * node + 1), own, own_[depth]);
        }
    }
    std::vector<double> shares{1}, next;
    for (unsigned depth = 1; depth <= depth_; ++depth) {
        next.clear();
        next.reserve(2 * shares.size());
        const auto difference = [&](std::uint64_t node) { return depth <= deepest_ ? z[depth][node] : 0; };
        for (std::uint64_t node = 0; node < shares.size(); ++node, work.done()) {
            if (!has_right(depth - 1, node)) {
                next.push_back(shares[node]);
                continue;
            }
            const double apart = (difference(2 * node) - difference(2 * node + 1)) / 2;
            next.push_back(shares[node] / 2 + apart);
            next.push_back(shares[node] / 2 - apart);
        }
        std::swap(shares, next);
    }
    return shares;
}

double LevelTree::mean_range_variance(std::span<const double> precisions) {
    const std::vector<double> need = squares(precisions.size()), precise = from_below(precisions);
    double sum = 0;
    for (std::size_t i = 0; i < need.size(); ++i) sum += need[i] / precise[i];
    return sum;
}

// The variance is convex in the probabilities, with the derivative −gain. At the optimum, all positive
// probabilities have the same gain. Each step multiplies them by the root of their gain relative to the mean,
// which does not increase the variance (Torsney 1977).
std::vector<double> LevelTree::best_draws(std::span<const double> variances) {
    constexpr double least = 1.0 / 256;
    const std::size_t depth = variances.size();
    const std::vector<double> need = squares(depth);
    std::vector<double> draws(depth, 1 / static_cast<double>(depth));
    const auto improve = [&] {
        std::vector<double> precisions(depth), gains(depth);
        for (std::size_t i = 0; i < depth; ++i) precisions[i] = draws[i] / variances[i];
        const std::vector<double> precise = from_below(precisions);
        double gain = 0, sum = 0;
        for (std::size_t i = 0; i < depth; ++i) {
            gain = gain / 2 + need[i] / (precise[i] * precise[i]);
            gains[i] = gain / variances[i];
        }
        for (std::size_t i = 0; i < depth; ++i) sum += draws[i] *= std::sqrt(gains[i]);
        for (double& draw : draws) draw /= sum;
    };
    constexpr int steps = 1000;
    for (int step = 0; step < steps; ++step) improve();
    // Levels near the root are estimated nearly as well by the levels below them.
    for (double& draw : draws)
        if (draw < least) draw = 0;
    for (int step = 0; step < steps; ++step) improve();
    return draws;
}

}  // namespace ldp
