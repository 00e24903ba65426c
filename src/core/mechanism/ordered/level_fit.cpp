#include "core/mechanism/ordered/level_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"

namespace ldp {

namespace {

[[noreturn]] void out_of_range(const std::string& what, double found) {
    raise(ErrorCode::invalid_value, what, "Found " + shortest(found) + ".");
}

/// Averages each density with its neighbours with weights 1, 2, 1, and preserves the sum. The outer cells are
/// half as wide and use their only neighbour twice.
void smooth(std::vector<double>& shares) {
    const std::size_t last = shares.size() - 1;
    shares[0] *= 2;
    shares[last] *= 2;
    double before = shares[1];
    for (std::size_t s = 0; s <= last; ++s) {
        const double here = shares[s];
        shares[s] = (before + 2 * here + (s < last ? shares[s + 1] : before)) / 4;
        before = here;
    }
    shares[0] /= 2;
    shares[last] /= 2;
}

}  // namespace

double Distribution::cdf(double value) const {
    const auto above = std::ranges::upper_bound(edges, value);
    if (above == edges.begin()) return 0;
    if (above == edges.end()) return 1;
    const auto cell = static_cast<std::size_t>(above - edges.begin()) - 1;
    const double below =
        std::accumulate(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(cell), 0.0);
    return below + shares[cell] * ((value - edges[cell]) / (edges[cell + 1] - edges[cell]));
}

double Distribution::quantile(double share) const {
    if (!(share >= 0 && share <= 1)) out_of_range("the share must lie between 0 and 1", share);
    double left = share;
    std::size_t cell = 0;
    while (cell + 1 < shares.size() && left > shares[cell]) left -= shares[cell++];
    const double part = shares[cell] > 0 ? std::min(left / shares[cell], 1.0) : 0;
    return edges[cell] + part * (edges[cell + 1] - edges[cell]);
}

std::vector<double> Distribution::histogram(std::size_t bins) const {
    if (bins == 0) out_of_range("a histogram has at least one bin", 0);
    std::vector<double> sums(bins);
    double below = 0;
    for (std::size_t i = 0; i < bins; ++i) {
        const double part = static_cast<double>(i + 1) / static_cast<double>(bins);
        const double to = i + 1 == bins ? 1 : cdf(edges.front() + part * (edges.back() - edges.front()));
        sums[i] = to - below;
        below = to;
    }
    return sums;
}

std::vector<double> edges_around(const Interval& ends, std::size_t points) {
    const auto steps = static_cast<double>(points - 1);
    std::vector<double> edges{ends.lower};
    for (std::size_t s = 1; s < points; ++s)
        edges.push_back(ends.lower + (ends.upper - ends.lower) * ((static_cast<double>(s) - 0.5) / steps));
    edges.push_back(ends.upper);
    return edges;
}

Distribution fit_points(Interval ends, std::size_t points, std::uint64_t n, double epsilon,
                        Smoothing smoothing, const std::function<double(std::span<double>)>& improve) {
    constexpr unsigned most = 10000;
    const double enough = 1e-3 * (smoothing == Smoothing::none ? std::exp(epsilon) : 1);
    const auto steps = static_cast<double>(points - 1);

    Distribution fit{{}, std::vector<double>(points, 1 / steps), 0, false};
    fit.shares.front() /= 2;
    fit.shares.back() /= 2;
    double before = -HUGE_VAL;
    while (!fit.converged && fit.iterations < most) {
        check_interrupt();
        std::vector<double> next = fit.shares;
        const double likelihood = static_cast<double>(n) * improve(next);
        fit.converged = std::abs(likelihood - before) < enough;
        if (fit.converged) break;
        before = likelihood;
        if (smoothing == Smoothing::binomial) smooth(next);
        const double sum = std::accumulate(next.begin(), next.end(), 0.0);  // 1 up to rounding
        for (double& share : next) share /= sum;
        fit.shares = std::move(next);
        ++fit.iterations;
    }

    fit.edges = edges_around(ends, points);
    return fit;
}

std::vector<Estimate> without_errors(const Distribution& fit) {
    std::vector<Estimate> estimates;
    for (const double share : fit.shares) estimates.push_back({share, unknown});
    return estimates;
}

}  // namespace ldp
