#include "distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "error.hpp"
#include "summary.hpp"

namespace ldp {

namespace {

[[noreturn]] void out_of_range(const std::string& what, double found) {
    throw Error(ErrorCode::invalid_value, what, "Found " + std::to_string(found) + ".");
}

/// Where on the curve through the corners (i, curve[i]), which does not fall, the height is reached: the
/// middle of a level stretch, an end if the curve stays above or below.
double place(std::span<const double> curve, double height) {
    const auto crossing = [&](auto bound) {
        if (bound == curve.begin()) return 0.0;
        if (bound == curve.end()) return static_cast<double>(curve.size() - 1);
        const double before = *(bound - 1);
        return static_cast<double>(bound - curve.begin()) - 1 + (height - before) / (*bound - before);
    };
    const auto last = std::ranges::upper_bound(curve, height);
    const auto first = std::ranges::lower_bound(curve, height);
    return (crossing(first) + crossing(last)) / 2;
}

/// The curve that does not fall and is nearest by squares: neighbours that fall are pooled.
std::vector<double> monotone(std::span<const double> curve) {
    struct Pool {
        double sum;
        std::size_t size;
        [[nodiscard]] double mean() const { return sum / static_cast<double>(size); }
    };
    std::vector<Pool> pools;
    for (const double height : curve) {
        pools.push_back({height, 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
            const Pool last = pools.back();
            pools.pop_back();
            pools.back() = {pools.back().sum + last.sum, pools.back().size + last.size};
        }
    }
    std::vector<double> level;
    for (const Pool& pool : pools) level.insert(level.end(), pool.size, pool.mean());
    return level;
}

/// A summary opened for questions about its distribution.
class Reading {
  public:
    Reading(const Mechanism& mechanism, Bytes summary)
        : ordered_(ordered(mechanism)), n_(summary_count(mechanism, summary)) {
        if (n_ == 0)
            throw Error(ErrorCode::invalid_value, "the summary holds no reports", {},
                        "Estimates need at least one report.");
        state_ = summary_state(mechanism, summary);
        steps_ = mechanism.cells()[0] - 1;
        blur_ = ordered_.blur(n_);
    }

    [[nodiscard]] Distribution fit(Smoothing smoothing) const { return ordered_.fit(n_, state_, smoothing); }
    [[nodiscard]] double resolution() const { return value(static_cast<double>(blur_)) - value(0); }
    [[nodiscard]] double steps() const { return static_cast<double>(steps_); }
    /// The attribute's value at a place in steps, and the reverse.
    [[nodiscard]] double value(double at) const {
        const auto [low, high] = ordered_.ends();
        return low + (high - low) * (at / steps());
    }
    [[nodiscard]] double at(double value) const {
        const auto [low, high] = ordered_.ends();
        return (value - low) / (high - low) * steps();
    }

    /// The share that each point, smeared, has below a place. A place between two points is a mixture of
    /// theirs, so that the slope changes at points only: then rounding a value to a neighbouring point at
    /// random does not change its mean share either.
    [[nodiscard]] std::vector<double> below(double at) const {
        const double point = std::min(std::floor(at), steps() - 1);
        const double rest = at - point;
        const auto blur = static_cast<double>(blur_);
        std::vector<double> share(steps_ + 1);
        for (std::size_t s = 0; s <= steps_; ++s) {
            const double reach = point + blur / 2 - static_cast<double>(s);
            share[s] = (1 - rest) * std::clamp(reach / blur, 0.0, 1.0) +
                       rest * std::clamp((reach + 1) / blur, 0.0, 1.0);
        }
        return share;
    }

    /// The mean of a function with values from 0 to 1 over the people.
    [[nodiscard]] Estimate mean_of(std::span<const double> function, Target target) {
        read();
        double mean = function[steps_];
        for (std::size_t s = 0; s < steps_; ++s) mean += cumulative_[s] * (function[s] - function[s + 1]);
        // As if people were distributed like the nearest true distribution, not from the spread of the few
        // outputs seen: one report has an error too.
        double variance = ordered_.noise(shares_, function);
        if (target == Target::population) {
            double first = 0, second = 0;
            for (std::size_t s = 0; s <= steps_; ++s) {
                first += shares_[s] * function[s];
                second += shares_[s] * function[s] * function[s];
            }
            variance += std::max(second - first * first, 0.0);
        }
        return {mean, std::sqrt(variance / static_cast<double>(n_))};
    }

    /// The smeared cumulative share at each point: below() for all of them at once, a moving average.
    [[nodiscard]] std::vector<double> curve() {
        read();
        const auto sharp = [&](std::size_t i) {  // at point i − blur/2
            return i < blur_ / 2 ? 0.0 : i - blur_ / 2 >= steps_ ? 1.0 : cumulative_[i - blur_ / 2];
        };
        std::vector<double> smeared(steps_ + 1);
        double sum = 0;
        for (std::size_t i = 0; i < blur_; ++i) sum += sharp(i);
        for (std::size_t s = 0; s <= steps_; ++s) {
            smeared[s] = sum / static_cast<double>(blur_);
            sum += sharp(s + blur_) - sharp(s);
        }
        return smeared;
    }

  private:
    static const OrderedMechanism& ordered(const Mechanism& mechanism) {
        check_answers(mechanism, Quantity::distribution);
        return dynamic_cast<const OrderedMechanism&>(mechanism);
    }

    void read() {
        if (!cumulative_.empty()) return;
        cumulative_ = ordered_.cumulative(n_, state_);
        shares_ = monotone(cumulative_);
        for (double& share : shares_) share = std::clamp(share, 0.0, 1.0);
        shares_.back() = 1;
        std::adjacent_difference(shares_.begin(), shares_.end(), shares_.begin());
    }

    const OrderedMechanism& ordered_;
    std::uint64_t n_;
    Bytes state_;
    std::size_t steps_;
    std::uint64_t blur_;
    std::vector<double> cumulative_;  ///< unbiased
    std::vector<double> shares_;      ///< of a distribution near it
};

/// Replaces densities by the average of their neighbours' with weights 1, 2, 1, and keeps the sum. The outer
/// cells are halves, and have one neighbour twice.
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

Distribution decode(const Mechanism& mechanism, Bytes summary, Smoothing smoothing) {
    return Reading(mechanism, summary).fit(smoothing);
}

double resolution(const Mechanism& mechanism, Bytes summary) {
    return Reading(mechanism, summary).resolution();
}

Estimate cdf(const Mechanism& mechanism, Bytes summary, double value, Target target) {
    if (std::isnan(value)) out_of_range("the value must be a number", value);
    Reading reading(mechanism, summary);
    const double at = reading.at(value);
    if (at < 0) return {0, 0};
    if (at >= reading.steps()) return {1, 0};
    return reading.mean_of(reading.below(at), target);
}

std::vector<Estimate> histogram(const Mechanism& mechanism, Bytes summary, std::size_t bins, Target target) {
    Reading reading(mechanism, summary);
    const double steps = reading.steps();
    const auto most = std::min<std::size_t>(max_bins, static_cast<std::size_t>(steps) + 1);
    if (bins < 1 || bins > most)
        out_of_range("the number of bins must lie between 1 and " + std::to_string(most),
                     static_cast<double>(bins));
    std::vector<Estimate> shares;
    std::vector<double> from(static_cast<std::size_t>(steps) + 1);
    for (std::size_t i = 1; i <= bins; ++i) {
        const std::vector<double> to =
            i == bins ? std::vector<double>(from.size(), 1.0)
                      : reading.below(steps * static_cast<double>(i) / static_cast<double>(bins));
        std::vector<double> between(from.size());
        std::ranges::transform(to, from, between.begin(), std::minus());
        shares.push_back(reading.mean_of(between, target));
        from = to;
    }
    return shares;
}

Quantile quantile(const Mechanism& mechanism, Bytes summary, double share, double confidence, Target target) {
    if (!(share > 0 && share < 1)) out_of_range("the share must lie between 0 and 1", share);
    Reading reading(mechanism, summary);
    const std::vector<double> curve = monotone(reading.curve());
    const double at = place(curve, share);
    const double error = reach(confidence) * reading.mean_of(reading.below(at), target).standard_error;
    return {reading.value(at),
            {reading.value(place(curve, share - error)), reading.value(place(curve, share + error))}};
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
        std::vector<double> next = fit.shares;
        const double likelihood = static_cast<double>(n) * improve(next);
        fit.converged = std::abs(likelihood - before) < enough;
        if (fit.converged) break;
        before = likelihood;
        if (smoothing == Smoothing::binomial) smooth(next);
        const double sum = std::accumulate(next.begin(), next.end(), 0.0);  // 1, but for rounding
        for (double& share : next) share /= sum;
        fit.shares = std::move(next);
        ++fit.iterations;
    }

    const double range = ends.upper - ends.lower;
    fit.edges.push_back(ends.lower);
    for (std::size_t s = 1; s < points; ++s)
        fit.edges.push_back(ends.lower + range * ((static_cast<double>(s) - 0.5) / steps));
    fit.edges.push_back(ends.upper);
    return fit;
}

// Smearing over b (as a share of the range) puts a cumulative share off by at most slope·b²/24; the standard
// error there is √(n_variance/(n·b)).
std::uint64_t balanced_blur(double n_variance, std::uint64_t n, std::uint64_t steps) noexcept {
    constexpr double slope = 16, part = 0.25;
    const double b = std::pow(24 * part / slope * std::sqrt(n_variance / static_cast<double>(n)), 0.4);
    const double halves = std::round(b * static_cast<double>(steps) / 2);
    return 2 * static_cast<std::uint64_t>(
                   std::clamp(halves, 1.0, std::max(1.0, std::floor(static_cast<double>(steps) / 2))));
}

}  // namespace ldp
