#include "accounting/binomial_window.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

/// Appends the weights that follow a weight of 1, `ratio(i)` being what the one after i steps is multiplied
/// by, until those that are left have at most `cut` together. Ratios do not grow, so that what is left is at
/// most a geometric series.
template <class Ratio>
void go_out(std::vector<double>& weights, double cut, Ratio ratio) {
    Work work;
    double weight = 1;
    for (std::uint64_t i = 0;; ++i, work.done()) {
        const double next = ratio(i);
        if (next < 1 && weight * next <= cut * (1 - next)) return;
        weights.push_back(weight *= next);
    }
}

}  // namespace

BinomialWindow binomial_window(std::uint64_t n, double odds, double cut) {
    const auto trials = static_cast<double>(n);
    const auto mode = std::min(
        n, static_cast<std::uint64_t>((trials + 1) * (odds > 1 ? 1 / (1 + 1 / odds) : odds / (1 + odds))));
    const auto at = static_cast<double>(mode);
    std::vector<double> weights;
    go_out(weights, cut / 2, [&](std::uint64_t i) {
        const auto successes = static_cast<double>(i);
        return (at - successes) / (trials - at + successes + 1) / odds;
    });
    const std::size_t below = weights.size();
    std::ranges::reverse(weights);
    weights.push_back(1);
    go_out(weights, cut / 2, [&](std::uint64_t i) {
        const auto successes = at + static_cast<double>(i);
        return (trials - successes) / (successes + 1) * odds;
    });
    double sum = 0;
    for (const double weight : weights) sum += weight;
    for (double& weight : weights) weight /= sum;
    return {mode - below, std::move(weights)};
}

}  // namespace ldp
