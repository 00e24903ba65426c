#include "core/summary/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

[[noreturn]] void out_of_range(const std::string& what, double found) {
    throw Error(ErrorCode::invalid_value, what, "Found " + shortest(found) + ".");
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

/// The curve that does not fall and is nearest by squares, of equal weight if there are no weights:
/// neighbours that fall are pooled.
std::vector<double> monotone(std::span<const double> curve, std::span<const double> weights = {}) {
    struct Pool {
        double sum, weight;
        std::size_t size;
        [[nodiscard]] double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    for (std::size_t s = 0; s < curve.size(); ++s) {
        const double weight = weights.empty() ? 1 : weights[s];
        pools.push_back({curve[s] * weight, weight, 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
            const Pool last = pools.back();
            pools.pop_back();
            Pool& into = pools.back();
            into = {into.sum + last.sum, into.weight + last.weight, into.size + last.size};
        }
    }
    std::vector<double> level;
    for (const Pool& pool : pools) level.insert(level.end(), pool.size, pool.mean());
    return level;
}

/// A curve that does not fall, as a cumulative distribution.
std::vector<double> confined(std::vector<double> curve) {
    for (double& height : curve) height = std::clamp(height, 0.0, 1.0);
    curve.back() = 1;
    return curve;
}

/// A state opened for questions about its distribution.
class Reading {
  public:
    Reading(const Mechanism& mechanism, Bytes summary)
        : Reading(mechanism, summary_count(mechanism, summary), summary_state(mechanism, summary)) {
        if (n_ == 0)
            throw Error(ErrorCode::invalid_value, "the summary holds no reports", {},
                        "Estimates need at least one report.");
    }
    Reading(const Mechanism& mechanism, std::uint64_t n, Bytes state)
        : ordered_(ordered(mechanism)),
          n_(n),
          state_(state),
          steps_(mechanism.cells()[0] - 1),
          blur_(ordered_.blur(n)) {}

    [[nodiscard]] Distribution fit(Smoothing smoothing) const { return ordered_.fit(n_, state_, smoothing); }
    [[nodiscard]] Interval ends() const { return ordered_.ends(); }
    [[nodiscard]] bool sharp() const { return blur_ == 0; }
    [[nodiscard]] double resolution() const { return value(static_cast<double>(blur_)) - value(0); }
    [[nodiscard]] double steps() const { return static_cast<double>(steps_); }
    /// The attribute's value at a place in steps.
    [[nodiscard]] double value(double at) const {
        const auto [low, high] = ordered_.ends();
        return low + (high - low) * at / steps();  // exact for whole numbers on a step each
    }

    /// Places, in steps, with all of the range, none of it, or a part on their left: there the values below
    /// `value`, or those at it as well.
    static constexpr double right_end = std::numeric_limits<double>::max();
    static constexpr double left_end = std::numeric_limits<double>::lowest();
    [[nodiscard]] double before(double value) const {
        const double place = at(value);
        return place <= 0 ? left_end : place > steps() ? right_end : place;
    }
    [[nodiscard]] double behind(double value) const {
        const double place = at(value);
        return place < 0 ? left_end : place >= steps() ? right_end : sharp() ? point_from(place) + 1 : place;
    }

    /// The share of people on the left of one place and not of the other.
    [[nodiscard]] Estimate share(double from, double to, Target target) {
        if (sharp()) return between(points_below(from), points_below(to), target);
        if (from >= to) return {0, 0};
        if (from == left_end && to == right_end) return {1, 0};
        std::vector<double> function = below(to);
        std::ranges::transform(function, below(from), function.begin(), std::minus());
        return mean_of(function, target);
    }
    /// The share of people from one point up to, not including, another.
    [[nodiscard]] Estimate between(std::size_t first, std::size_t end, Target target) {
        if (first >= end) return {0, 0};
        if (first == 0 && end == steps_ + 1) return {1, 0};
        read();
        const auto rise = [&](std::span<const double> curve) {
            return curve[end - 1] - (first == 0 ? 0 : curve[first - 1]);
        };
        const double near = rise(nearest_);
        return {rise(cumulative_), error(noise_->between(first, end), near * (1 - near), target)};
    }

    /// The mean of a function over the people.
    [[nodiscard]] Estimate mean_of(std::span<const double> function, Target target) {
        read();
        double mean = function[steps_], first = 0, second = 0;
        for (std::size_t s = 0; s < steps_; ++s) mean += cumulative_[s] * (function[s] - function[s + 1]);
        for (std::size_t s = 0; s <= steps_; ++s) {
            first += shares_[s] * function[s];
            second += shares_[s] * function[s] * function[s];
        }
        return {mean, error(noise_->of(function), std::max(second - first * first, 0.0), target)};
    }

    /// The cumulative share at each point, smeared unless sharp: for all places at once, a moving average.
    [[nodiscard]] std::vector<double> curve() {
        read();
        const auto at_point = [&](std::size_t i) {  // at point i − blur/2
            return i < blur_ / 2 ? 0.0 : i - blur_ / 2 >= steps_ ? 1.0 : cumulative_[i - blur_ / 2];
        };
        std::vector<double> smeared(steps_ + 1);
        double sum = 0;
        for (std::size_t i = 0; i < blur_; ++i) sum += at_point(i);
        for (std::size_t s = 0; s <= steps_; ++s) {
            smeared[s] = sum / static_cast<double>(blur_);
            sum += at_point(s + blur_) - at_point(s);
        }
        return smeared;
    }

    /// Of a sharp mechanism: the curve that does not fall and is nearest to the estimates, by the weights
    /// that their variances give them.
    struct Curve {
        std::vector<double> height, weight;
    };
    [[nodiscard]] Curve fitted() {
        read();
        constexpr double least = 1e-12;  // where hardly any noise is left, weights stay finite
        Curve curve;
        for (std::size_t s = 0; s < steps_; ++s)
            curve.weight.push_back(1 / std::max(noise_->between(0, s + 1), least));
        // The last point is known, and would take with it all that lie above it by chance.
        curve.height = monotone(std::span(cumulative_).first(steps_), curve.weight);
        curve.height.push_back(std::max(curve.height.back(), 1.0));
        return curve;
    }

    /// The first number of first..last−1 without a property that a beginning of them has; last if all have.
    template <class Property>
    [[nodiscard]] static std::size_t first_without(Property has, std::size_t first, std::size_t last) {
        while (first < last) {
            const std::size_t middle = first + (last - first) / 2;
            if (has(middle))
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }

    /// Of a sharp mechanism: the first point with a share at or below it, and those that may be.
    [[nodiscard]] Quantile sharp_quantile(double share, double reach, Target target) {
        const Curve curve = fitted();
        const std::vector<double>&height = curve.height, &weight = curve.weight;
        struct Pool {
            std::size_t from, to;
        };
        const auto pool_of = [&](std::size_t s) {
            if (s == steps_) return Pool{s, s + 1};
            const auto [from, to] = std::equal_range(height.begin(), height.end() - 1, height[s]);
            return Pool{static_cast<std::size_t>(from - height.begin()),
                        static_cast<std::size_t>(to - height.begin())};
        };
        // A height is the mean of the estimates that were pooled there, and so has less noise than each.
        const auto margin = [&](std::size_t s) {
            const auto [from, to] = pool_of(s);
            double all = 0, passed = 0;
            for (std::size_t x = from; x < to; ++x) all += weight[x];
            std::vector<double> function(height.size());
            for (std::size_t x = 0; x < to; ++x) {
                function[x] = 1 - passed / all;
                if (x >= from) passed += weight[x];
            }
            return reach * mean_of(function, target).standard_error;
        };
        const auto point = static_cast<std::size_t>(std::ranges::lower_bound(height, share) - height.begin());
        // Inside a pool the share rises by an unknown course: evenly from one pool's middle to the next
        // one's.
        const auto risen = [&](std::size_t s) {
            const auto [from, to] = pool_of(s);
            const double middle = static_cast<double>(from + to - 1) / 2,
                         off = static_cast<double>(s) - middle;
            if (off == 0 || (off < 0 && from == 0)) return height[s];
            const auto [before, behind] = pool_of(off < 0 ? from - 1 : to);
            const double other = static_cast<double>(before + behind - 1) / 2;
            return height[s] + (height[before] - height[s]) * off / (other - middle);
        };
        // No mean has more noise than the noisiest of its parts, and no share more sampling error than a
        // half: that decides most of the bisection at a glance.
        const auto beyond = [&](std::size_t s, double off) {
            const auto [from, to] = pool_of(s);
            const double least = std::ranges::min(std::span(weight).subspan(from, to - from));
            return off > reach * error(1 / least, 0.25, target) || off > margin(s);
        };
        const auto low = [&](std::size_t s) { return beyond(s, share - risen(s)); };
        const auto not_high = [&](std::size_t s) { return !beyond(s, risen(s) - share); };
        const std::size_t first = first_without(low, 0, point), last = first_without(not_high, point, steps_);
        return {value(static_cast<double>(point)),
                {value(static_cast<double>(first)), value(static_cast<double>(last))}};
    }

    [[nodiscard]] double error(double noise, double sampling, Target target) const {
        return std::sqrt((noise + (target == Target::population ? sampling : 0)) / static_cast<double>(n_));
    }

  private:
    static const OrderedMechanism& ordered(const Mechanism& mechanism) {
        check_answers(mechanism, Quantity::distribution);
        return dynamic_cast<const OrderedMechanism&>(mechanism);
    }

    /// The place of a value.
    [[nodiscard]] double at(double value) const {
        const auto [low, high] = ordered_.ends();
        return (value - low) * steps() / (high - low);
    }
    /// The point at or before a place. A value that is a point's own lands next to it by rounding alone; no
    /// value that matters is as near.
    static constexpr double touching = 1e-6;
    [[nodiscard]] static double point_from(double place) { return std::floor(place + touching); }
    [[nodiscard]] std::size_t points_below(double place) const {
        return static_cast<std::size_t>(std::clamp(std::ceil(place - touching), 0.0, steps() + 1));
    }

    /// The share that each point, smeared, has below a place. A place between two points is a mixture of
    /// theirs, so that the slope changes at points only: then rounding a value to a neighbouring point at
    /// random does not change its mean share either.
    [[nodiscard]] std::vector<double> below(double at) const {
        if (at == left_end || at == right_end) return std::vector<double>(steps_ + 1, at == left_end ? 0 : 1);
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

    // Errors are as if people were distributed like the nearest true distribution, not from the spread of the
    // few outputs seen: one report has an error too.
    void read() {
        if (!cumulative_.empty()) return;
        cumulative_ = ordered_.cumulative(n_, state_);
        nearest_ = confined(monotone(cumulative_));
        shares_.resize(nearest_.size());
        std::adjacent_difference(nearest_.begin(), nearest_.end(), shares_.begin());
        noise_ = ordered_.noise(n_, state_, shares_);
    }

    const OrderedMechanism& ordered_;
    std::uint64_t n_;
    Bytes state_;
    std::size_t steps_;
    std::uint64_t blur_;
    std::vector<double> cumulative_;  ///< unbiased
    std::vector<double> nearest_;     ///< a cumulative distribution near it
    std::vector<double> shares_;      ///< of that
    std::unique_ptr<const OrderedNoise> noise_;
};

/// Edges of the cells around points at equal distances, each reaching half a step to either side, so that the
/// outer cells are halves.
std::vector<double> edges_around(const Interval& ends, std::size_t points) {
    const auto steps = static_cast<double>(points - 1);
    std::vector<double> edges{ends.lower};
    for (std::size_t s = 1; s < points; ++s)
        edges.push_back(ends.lower + (ends.upper - ends.lower) * ((static_cast<double>(s) - 0.5) / steps));
    edges.push_back(ends.upper);
    return edges;
}

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
    return reading.share(Reading::left_end, reading.behind(value), target);
}

Estimate share_between(const Mechanism& mechanism, Bytes summary, double low, double high, Target target) {
    if (!(low <= high)) out_of_range("the range must not end before it begins", high);
    Reading reading(mechanism, summary);
    return reading.share(reading.before(low), reading.behind(high), target);
}

std::vector<Estimate> histogram(const Mechanism& mechanism, Bytes summary, std::size_t bins, Target target) {
    Reading reading(mechanism, summary);
    const double steps = reading.steps();
    const auto most = std::min<std::size_t>(max_bins, static_cast<std::size_t>(steps) + 1);
    if (bins < 1 || bins > most)
        out_of_range("the number of bins must lie between 1 and " + std::to_string(most),
                     static_cast<double>(bins));
    std::vector<Estimate> shares;
    double from = Reading::left_end;
    for (std::size_t i = 1; i <= bins; ++i) {
        const double to =
            i == bins ? Reading::right_end : steps * static_cast<double>(i) / static_cast<double>(bins);
        shares.push_back(reading.share(from, to, target));
        from = to;
    }
    return shares;
}

Quantile quantile(const Mechanism& mechanism, Bytes summary, double share, double confidence, Target target) {
    if (!(share > 0 && share < 1)) out_of_range("the share must lie between 0 and 1", share);
    Reading reading(mechanism, summary);
    if (reading.sharp()) return reading.sharp_quantile(share, reach(confidence), target);
    const std::vector<double> curve = monotone(reading.curve());
    const double at = place(curve, share);
    const double error = reach(confidence) * reading.share(Reading::left_end, at, target).standard_error;
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

    fit.edges = edges_around(ends, points);
    return fit;
}

Distribution fit_monotone(const Mechanism& mechanism, std::uint64_t n, Bytes state) {
    Reading reading(mechanism, n, state);
    std::vector<double> shares = confined(reading.fitted().height);
    std::adjacent_difference(shares.begin(), shares.end(), shares.begin());
    return {edges_around(reading.ends(), shares.size()), std::move(shares), 0, true};
}

std::vector<Estimate> without_errors(const Distribution& fit) {
    std::vector<Estimate> estimates;
    for (const double share : fit.shares)
        estimates.push_back({share, std::numeric_limits<double>::quiet_NaN()});
    return estimates;
}

Estimate mean_of(const Mechanism& mechanism, std::uint64_t n, Bytes state, std::span<const double> function,
                 Target target) {
    return Reading(mechanism, n, state).mean_of(function, target);
}

std::vector<Estimate> shares_of(const Mechanism& mechanism, std::uint64_t n, Bytes state, Target target) {
    Reading reading(mechanism, n, state);
    std::vector<Estimate> shares;
    for (std::size_t point = 0; point < mechanism.cells()[0]; ++point)
        shares.push_back(reading.between(point, point + 1, target));
    return shares;
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
