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

Distribution fit_points(Interval ends, const WindowDecoder& decoder, std::span<const double> observed,
                        std::uint64_t n, double epsilon, Smoothing smoothing) {
    constexpr unsigned most = 10000;
    const double enough = 1e-3 * (smoothing == Smoothing::none ? std::exp(epsilon) : 1);
    const std::size_t points = decoder.inputs();

    Distribution found{edges_around(ends, points),
                       std::vector<double>(points, 1 / static_cast<double>(points - 1)), 0, false};
    found.shares.front() /= 2;
    found.shares.back() /= 2;
    WindowFit fit(decoder, observed, found.shares);
    for (; found.iterations < most; ++found.iterations) {
        check_interrupt();
        found.converged =
            std::abs(fit.gain(enough / static_cast<double>(n))) < enough / static_cast<double>(n);
        if (found.converged) break;
        fit.step(smoothing == Smoothing::binomial);
    }
    found.shares.assign(fit.shares().begin(), fit.shares().end());
    const double sum = std::accumulate(found.shares.begin(), found.shares.end(), 0.0);  // 1 up to rounding
    for (double& share : found.shares) share /= sum;
    return found;
}

std::vector<Estimate> without_errors(const Distribution& fit) {
    std::vector<Estimate> estimates;
    for (const double share : fit.shares) estimates.push_back({share, unknown});
    return estimates;
}

}  // namespace ldp
