#include "core/mechanism/ordered/shrunk_splits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

/// Standard deviations relative to the node's share.
constexpr std::array deviation_shares{1.0, 0.5, 0.25, 0.125, 0.0};
/// Each deviation around two centres, plus the two one-sided splits.
constexpr std::size_t kinds = 2 * deviation_shares.size() + 2;
using OfKinds = std::array<double, kinds>;

struct SplitEstimate {
    double share;      ///< of both halves
    double even;       ///< the coefficient for equal points
    double predicted;  ///< the coefficient predicted from the neighbours
    double estimate;   ///< estimate of the coefficient
};

/// Posterior quantities of a node's coefficient by component: the density of its estimate up to a common
/// factor, and its conditional mean.
struct SplitPosterior {
    OfKinds densities, coefficients;
};

SplitPosterior posterior_of(const SplitEstimate& split, double variance) {
    struct SplitSpread {
        double signal, all, logarithm;
    };
    std::array<SplitSpread, deviation_shares.size()> spreads;  // the last one has no signal
    for (std::size_t i = 0; i < spreads.size(); ++i) {
        const double deviation = deviation_shares[i] * split.share, signal = deviation * deviation;
        spreads[i] = {signal, signal + variance, std::log(signal + variance)};
    }
    SplitPosterior found;
    std::size_t kind = 0;
    const auto add = [&](double center, const SplitSpread& spread) {
        const double off = split.estimate - center;
        found.densities[kind] = -(off * off / spread.all + spread.logarithm) / 2;
        found.coefficients[kind++] =
            std::clamp(center + off * spread.signal / spread.all, -split.share, split.share);
    };
    for (const double center : {split.even, split.predicted})
        for (const SplitSpread& spread : spreads) add(center, spread);
    for (const double end : {split.share, -split.share}) add(end, spreads.back());
    const double most = std::ranges::max(found.densities);
    for (double& density : found.densities) density = std::exp(density - most);
    return found;
}

/// Returns the posterior mean of the coefficient.
double expected(const OfKinds& weights, const SplitPosterior& posterior, double share) {
    double all = 0, sum = 0;
    for (std::size_t i = 0; i < kinds; ++i) {
        const double weight = weights[i] * posterior.densities[i];
        all += weight;
        sum += weight * posterior.coefficients[i];
    }
    return std::clamp(sum / all, -share, share);  // clamps rounding errors
}

/// Returns the weights of the components in a level by expectation maximization from those of the level
/// above. The number of steps is small, since later ones fit the noise.
OfKinds weights_of(std::span<const SplitPosterior> splits, const OfKinds& above) {
    constexpr int steps = 8;
    OfKinds weights = above;
    Work work;
    for (int step = 0; step < steps; ++step) {
        OfKinds found = above;
        for (const SplitPosterior& split : splits) {
            OfKinds parts;
            double all = 0;
            for (std::size_t i = 0; i < kinds; ++i) all += parts[i] = weights[i] * split.densities[i];
            for (std::size_t i = 0; i < kinds; ++i) found[i] += parts[i] / all;
            work.done(kinds);
        }
        found[kinds - 1] = found[kinds - 2] =
            (found[kinds - 1] + found[kinds - 2]) / 2;  // left and right are symmetric
        for (std::size_t i = 0; i < kinds; ++i)
            weights[i] = found[i] / static_cast<double>(splits.size() + 1);
    }
    return weights;
}

/// Returns the coefficient of a node predicted by the parabola through its share and its neighbours', or by
/// the line at the ends.
double predicted(std::span<const double> shares, std::size_t node) {
    const std::size_t last = shares.size() - 1, before = node - (node > 0 ? 1 : 0),
                      behind = std::min(node + 1, last);
    const double slope =
        behind == before ? 0 : (shares[before] - shares[behind]) / (4 * static_cast<double>(behind - before));
    return std::clamp(slope, -shares[node], shares[node]);
}

}  // namespace

std::vector<double> shrunk_splits(std::span<const double> cumulative, std::span<const double> variances) {
    constexpr double least = 1e-24;  // keeps densities finite
    const std::size_t points = cumulative.size();
    const auto below = [&](std::size_t point) {
        return point == 0 ? 0 : cumulative[std::min(point, points) - 1];
    };
    OfKinds weights;
    weights.fill(1.0 / kinds);
    std::vector<double> shares{1};
    std::size_t width = std::bit_ceil(points);
    for (const double known : variances) {
        const double variance = std::max(known, least);
        const std::size_t half = width / 2, full = points / width,
                          nodes = (points - half - 1) / width + 1;  // with a right half
        const auto split = [&](std::size_t node) -> SplitEstimate {
            const std::size_t first = node * width, covered = std::min(width, points - first);
            const double share = shares[node],
                         even = share * static_cast<double>(width - covered) / static_cast<double>(covered);
            return {share, even, covered < width ? even : predicted(std::span(shares).first(full), node),
                    2 * below(first + half) - below(first) - below(first + width)};
        };
        std::vector<SplitPosterior> splits;
        splits.reserve(nodes);
        Work work;
        for (std::size_t node = 0; node < nodes; ++node, work.done(2 * kinds))
            splits.push_back(posterior_of(split(node), variance));
        weights = weights_of(splits, weights);
        std::vector<double> halves;
        halves.reserve(2 * shares.size());
        for (std::size_t node = 0; node < nodes; ++node, work.done()) {
            const double detail = expected(weights, splits[node], shares[node]);
            halves.push_back((shares[node] + detail) / 2);
            halves.push_back((shares[node] - detail) / 2);
        }
        if (nodes < shares.size()) halves.push_back(shares.back());
        shares = std::move(halves);
        width = half;
    }
    return shares;
}

}  // namespace ldp
