// Combinations of nodes and snapshots, and the probabilities with which users draw them.
#include <cmath>

#include "core/mechanism/longitudinal/difference_tree.hpp"

namespace ldp {

// The sum of the variances of the rounds is convex in the probabilities. The multiplicative algorithm for such
// designs (Torsney 1977) multiplies each by the root of what the sum gains from it. 16 steps come within 1 % of
// the minimum. No probability is below 1/256, so that every level has reports for the health checks. Weights are
// rounded to multiples of 2^-12, so that they are the same on all platforms.
void DifferenceTree::choose_weights() {
    constexpr unsigned steps = 16, resolution = 12;
    constexpr double least = 1.0 / 256;
    const std::size_t count = levels_.size() + 1;
    std::vector<double> shares(count, 0.5 / static_cast<double>(levels_.size()));
    shares.back() = 0.5;
    const auto precision = [&](const NodeLevel& level, std::uint32_t node) {
        return square(level.tilt / scale(node));
    };
    const double of_round = snapshots_.precision / static_cast<double>(size_.rounds);
    for (unsigned step = 0; step < steps; ++step) {
        std::vector<double> nodes, rounds(size_.rounds, shares.back() * of_round);
        for (std::size_t height = 0; height < levels_.size(); ++height)
            for (std::uint32_t node = 0; node < levels_[height].nodes; ++node)
                nodes.push_back(shares[height] * precision(levels_[height], node));
        const RoundSystem::Variances found = RoundSystem(size_.rounds, nodes, rounds).variances();
        std::vector<double> gains(count);
        for (std::size_t height = 0; height < levels_.size(); ++height)
            for (std::uint32_t node = 0; node < levels_[height].nodes; ++node)
                gains[height] +=
                    precision(levels_[height], node) * found.gains_of_nodes[levels_[height].first + node];
        for (std::uint32_t round = 1; round <= size_.rounds; ++round)
            gains.back() += of_round * found.gains_of_rounds[round];
        double all = 0;
        for (std::size_t i = 0; i < count; ++i) all += shares[i] *= std::sqrt(gains[i]);
        double raised = 0;
        for (double& share : shares) raised += share = std::max(share / all, least);
        for (double& share : shares) share /= raised;
    }
    const auto whole = [](double share) {
        return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ldexp(share, resolution) + 0.5));
    };
    for (std::size_t height = 0; height < levels_.size(); ++height)
        weights_ += levels_[height].weight = whole(shares[height]);
    weights_ += snapshot_weight_ = whole(shares.back());
}

// Sums of nodes --------------------------------------------------------------------------------------------

DifferenceTree::NodeSum::NodeSum(const DifferenceTree& tree, std::vector<double> reports)
    : tree_(tree),
      reports_(std::move(reports)),
      precisions_(precisions()),
      system_(tree.size_.rounds, of_nodes(), of_rounds()) {}

std::vector<double> DifferenceTree::NodeSum::precisions() const {
    std::vector<double> all(reports_);
    for (const NodeLevel& level : tree_.levels_)
        for (std::uint32_t node = 0; node < level.nodes; ++node)
            all[level.first + node] *= square(level.tilt / scale(node));
    for (double& each : std::span(all).subspan(tree_.nodes_)) each *= tree_.snapshots_.precision;
    return all;
}

std::vector<DifferenceTree::NodeTerm> DifferenceTree::NodeSum::sum(std::uint32_t round) const {
    const RoundWeight one{round, 1};
    return sum({&one, 1});
}

std::vector<DifferenceTree::NodeTerm> DifferenceTree::NodeSum::sum(
    std::span<const RoundWeight> weights) const {
    for (const RoundWeight& each : weights)
        if (!known(each.round)) return {};
    const std::vector<double> covariances = system_.covariances(weights);
    std::vector<NodeTerm> terms;
    terms.reserve(precisions_.size());
    for (std::size_t height = 0; height < tree_.levels_.size(); ++height)
        for (std::uint32_t node = 0; node < tree_.levels_[height].nodes; ++node) {
            const double precision = precisions_[at(height, node)];
            if (precision == 0) continue;
            const std::uint32_t before = node << height, end = (node + 1) << height;
            terms.push_back({height, node, precision * (covariances[end] - covariances[before])});
        }
    for (std::uint32_t round = 0; round < tree_.size_.rounds; ++round)
        if (of_rounds()[round] > 0)
            terms.push_back({tree_.levels_.size(), round, of_rounds()[round] * covariances[round + 1]});
    return terms;
}

DifferenceTree::NodeSum::Spread DifferenceTree::NodeSum::spread(std::span<const NodeTerm> terms) const {
    Spread found;
    for (const NodeTerm& term : terms) {
        const auto& [height, node, weight] = term;
        const double factor = square(weight) / reports(height, node);
        if (tree_.of_snapshots(term)) {
            found.snapshots.push_back({node + 1, factor});
            found.all_snapshots += factor;
            continue;
        }
        found.bits += factor * square(scale(node) / tree_.levels_[height].tilt);
        if (node == 0) found.first.push_back({height, factor});
    }
    return found;
}

std::vector<double> DifferenceTree::NodeSum::sign_variances() const {
    std::vector<double> all = system_.variances().of_rounds;
    all.erase(all.begin());
    return all;
}

std::vector<double> DifferenceTree::NodeSum::signs(std::span<const double> found, std::size_t columns) const {
    std::vector<double> right((tree_.size_.rounds + std::size_t{1}) * columns);
    const auto observe = [&](std::size_t at, std::uint32_t before, std::uint32_t end) {
        if (precisions_[at] == 0) return;
        for (std::size_t c = 0; c < columns; ++c) {
            const double each = precisions_[at] * found[at * columns + c];
            right[end * columns + c] += each;
            right[before * columns + c] -= each;
        }
    };
    for (std::size_t height = 0; height < tree_.levels_.size(); ++height)
        for (std::uint32_t node = 0; node < tree_.levels_[height].nodes; ++node)
            observe(at(height, node), node << height, (node + 1) << height);
    for (std::uint32_t round = 0; round < tree_.size_.rounds; ++round)
        observe(tree_.nodes_ + round, 0, round + 1);
    system_.solve(right, columns);
    for (std::uint32_t round = 1; round <= tree_.size_.rounds; ++round)
        if (!known(round))
            std::fill_n(right.begin() + static_cast<std::ptrdiff_t>(round * columns), columns, unknown);
    right.erase(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(columns));
    return right;
}

DifferenceTree::NodeSum::Drawn DifferenceTree::NodeSum::drawn(std::uint32_t round) const {
    Drawn all{0, 0};
    for (std::size_t height = 0; round >> height != 0; ++height) {
        all.people += reports(height, 0);
        all.probability += tree_.chance(tree_.levels_[height]);
    }
    for (std::uint32_t t = 0; t < round; ++t) {
        all.people += reports(tree_.levels_.size(), t);
        all.probability += tree_.snapshot_chance();
    }
    return all;
}

}  // namespace ldp
