// Length: shares, means, quantiles and their intervals are read from one prepared state.
#include "core/mechanism/ordered/ordered_estimator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/unknown.hpp"
#include "core/math/monotone.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/ordered/shrunk_splits.hpp"

namespace ldp {

namespace {

/// Tolerance in steps for values that equal a point up to rounding.
constexpr double touching = 1e-6;

/// Returns the point at or before a position.
double point_from(double place) {
    return std::floor(place + touching);
}

/// Returns the first number of first..last−1 without a property that holds on an initial segment; last if all
/// have it.
template <class Property>
std::size_t first_without(Property has, std::size_t first, std::size_t last) {
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (has(middle))
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

}  // namespace

OrderedEstimator::OrderedEstimator(const Ordered& ordered, const Counts& counts, double each, double drawn)
    : ordered_(ordered),
      counts_(counts),
      steps_(ordered.points() - 1),
      last_(steps_ + ordered.unanswered()),
      blur_(ordered.blur(counts.n)),
      each_(each),
      drawn_(drawn) {}

OrderedEstimator::OrderedEstimator(const Ordered& ordered, std::vector<double> shares, std::uint64_t n,
                                   double rate)
    : OrderedEstimator(ordered, Counts{n, {}}) {
    expected_ = true;
    if (optional()) {
        for (double& share : shares) share *= rate;
        shares.push_back(1 - rate);
    }
    cumulative_.resize(shares.size());
    std::partial_sum(shares.begin(), shares.end(), cumulative_.begin());
    nearest_ = cumulative_;
    noise_ = ordered.expected_noise(shares);
    shares_ = std::move(shares);
}

double OrderedEstimator::value(double at) const {
    const auto [low, high] = ordered_.ends();
    if (at >= steps()) return high;                            // a rounded sum could exceed it
    return std::min(high, low + (high - low) * at / steps());  // exact for integers with a step of 1
}

double OrderedEstimator::resolution() const noexcept {
    const auto [low, high] = ordered_.ends();
    return (high - low) * static_cast<double>(blur_) / steps();
}

double OrderedEstimator::before(double value) const {
    const double place = at(value);
    return place <= 0 ? left_end : place > steps() ? right_end : place;
}

double OrderedEstimator::behind(double value) const {
    const double place = at(value);
    return place < 0 ? left_end : place >= steps() ? right_end : sharp() ? point_from(place) + 1 : place;
}

Estimate OrderedEstimator::share(double from, double to, Target target) {
    if (sharp()) return between(points_below(from), points_below(to), target);
    if (from >= to) return {0, 0};
    if (from == left_end && to == right_end) return {1, 0};
    std::vector<double> function = below(to);
    std::ranges::transform(function, below(from), function.begin(), std::minus());
    return mean_of(function, target);
}

OrderedEstimator::LawfulShare OrderedEstimator::within(double low, double high, Target target) {
    if (!circular()) {
        const double from = before(low), to = behind(high);
        return {share(from, to, target), law_of_share(from, to, target)};
    }
    const double first = std::isinf(low) ? 0 : std::ceil(at(low) - touching);
    double last = std::isinf(high) ? steps() - 1 : std::floor(at(high) + touching);
    if (low > high) last += steps() * std::ceil((first - last) / steps());
    const double points = last - first + 1;
    if (points >= steps() || points < 1) return {{points < 1 ? 0.0 : 1.0, 0}, ldp::law_of_share()};
    const auto from = static_cast<std::size_t>(first - steps() * std::floor(first / steps()));
    const std::size_t end = from + static_cast<std::size_t>(points);
    if (end <= steps_) return {between(from, end, target), law_between(from, end, target)};
    const Estimate others = between(end - steps_, from, target);
    ErrorLaw law = law_between(end - steps_, from, target);
    if (law.curve.n > 0) law.curve = law.curve.mirrored();
    return {{1 - others.value, others.standard_error}, law};
}

Estimate OrderedEstimator::between(std::size_t first, std::size_t end, Target target) {
    if (first >= end) return {0, 0};
    if (first == 0 && end == steps_ + 1) return {1, 0};
    read();
    const auto rise = [&](std::span<const double> curve) {
        return curve[end - 1] - (first == 0 ? 0 : curve[first - 1]);
    };
    if (optional()) {
        std::vector<double> inside(steps_ + 1);
        std::fill(inside.begin() + static_cast<std::ptrdiff_t>(first),
                  inside.begin() + static_cast<std::ptrdiff_t>(end), 1);
        return mean_of(inside, target);
    }
    const double near = rise(nearest_);
    return {rise(cumulative_), error(noise_->between(first, end), near * (1 - near), target)};
}

ErrorLaw OrderedEstimator::law_of_share(double from, double to, Target target) {
    return sharp() ? law_between(points_below(from), points_below(to), target) : ldp::law_of_share();
}

// If reports repeat each other, the law at other true values is unknown.
ErrorLaw OrderedEstimator::law_between(std::size_t first, std::size_t end, Target target) {
    ErrorLaw law = ldp::law_of_share();
    if (first >= end || (first == 0 && end == steps_ + 1)) return law;
    if (optional()) return law_among_answered(first, end, target);
    if (each_ > 1) return law;
    read();
    if (const auto counted = noise_->law_of_count(first, end, target); counted && drawn_ == 1)
        return *counted;
    law.curve = noise_->curve(first, end, target);
    if (target == Target::sample && drawn_ < 1)
        law.curve = TruthCurve::mixed(law.curve, noise_->curve(first, end, Target::population), drawn_);
    return law;
}

Estimate OrderedEstimator::mean_of(std::span<const double> function, Target target) {
    read();
    if (optional()) {
        const double rate = cumulative_[steps_];
        double sum = rate * function[steps_];
        for (std::size_t s = 0; s < steps_; ++s) sum += cumulative_[s] * (function[s] - function[s + 1]);
        if (!(rate > 0)) return {unknown, unknown};
        const auto [least, most] = std::ranges::minmax(function);
        const double possible = std::clamp(sum / rate, least, most);
        // If hardly anybody may answer, a ratio beyond the possible values has no meaning. Its interval only grows.
        const bool few = possible != sum / rate && hardly_answered(answered(Target::population));
        const std::vector<double> off = contrast(function, possible);
        return {few ? possible : sum / rate, std::sqrt(variance_of(off, shares_, *noise_, target)) / rate};
    }
    double mean = function[steps_], first = 0, second = 0;
    for (std::size_t s = 0; s < steps_; ++s) mean += cumulative_[s] * (function[s] - function[s + 1]);
    for (std::size_t s = 0; s <= steps_; ++s) {
        first += shares_[s] * function[s];
        second += shares_[s] * function[s] * function[s];
    }
    // An estimate from few reports is discrete; the variance within a step is added to the normal law
    // (Sheppard 1898).
    const double step = noise_->stride(function);
    const double noise = noise_->of(function) + step * step / 12 / static_cast<double>(counts_.n);
    return {mean, error(noise, std::max(second - first * first, 0.0), target)};
}

std::vector<double> OrderedEstimator::contrast(std::span<const double> function, double mean) const {
    std::vector<double> off(last_ + 1);
    for (std::size_t s = 0; s <= steps_; ++s) off[s] = function[s] - mean;
    return off;
}

double OrderedEstimator::variance_of(std::span<const double> function, std::span<const double> shares,
                                     const OrderedNoise& noise, Target target) const {
    double first = 0, second = 0;
    for (std::size_t s = 0; s <= last_; ++s) {
        first += shares[s] * function[s];
        second += shares[s] * function[s] * function[s];
    }
    return square(error(noise.of(function), std::max(second - first * first, 0.0), target));
}

AnsweredMean OrderedEstimator::answered_mean(std::span<const double> function, Target target) {
    read();
    double sum = cumulative_[steps_] * function[steps_];
    for (std::size_t s = 0; s < steps_; ++s) sum += cumulative_[s] * (function[s] - function[s + 1]);
    const auto at = [&](double mean) {
        return variance_of(contrast(function, mean), shares_, *noise_, target);
    };
    return {sum, cumulative_[steps_], quadratic_through(at(0), at(0.5), at(1))};
}

// At each true share, the people who answer are distributed inside and outside of the range as estimated.
ErrorLaw OrderedEstimator::law_among_answered(std::size_t first, std::size_t end, Target target) {
    read();
    ErrorLaw law = ldp::law_of_share();
    const double rate = cumulative_[steps_], possible = nearest_[steps_];
    if (!(rate > 0)) return law;
    const auto inside = [&](std::size_t s) { return s >= first && s < end; };
    const auto points = static_cast<double>(steps_ + 1), wide = static_cast<double>(end - first);
    double share = 0;
    for (std::size_t s = first; s < end; ++s) share += shares_[s];
    std::vector<double> function(steps_ + 1);
    std::fill(function.begin() + static_cast<std::ptrdiff_t>(first),
              function.begin() + static_cast<std::ptrdiff_t>(end), 1);
    const double n = static_cast<double>(counts_.n);
    TruthCurve::Cubic variances{}, thirds{};
    for (std::size_t i = 0; i < variances.size(); ++i) {
        check_interrupt();
        const double truth = static_cast<double>(i) / 3;
        std::vector<double> people = shares_;
        for (std::size_t s = 0; s <= steps_; ++s) {
            const double all = inside(s) ? share : possible - share, size = inside(s) ? wide : points - wide;
            const double part = all > 0 ? shares_[s] / all : 1 / size;
            people[s] = possible * (inside(s) ? truth : 1 - truth) * part;
        }
        const auto noise = noise_for(people);
        variances[i] = n * variance_of(contrast(function, truth), people, *noise, target) / square(rate);
        if (target == Target::population && each_ == 1)
            thirds[i] = possible * truth * (1 - truth) * (1 - 2 * truth) / (rate * square(rate));
    }
    law.curve = TruthCurve::through(n, variances, thirds);
    return law;
}

Estimate OrderedEstimator::answered(Target target) {
    read();
    const double possible = nearest_[steps_];
    return {cumulative_[steps_], error(noise_->between(0, steps_ + 1), possible * (1 - possible), target)};
}

ErrorLaw OrderedEstimator::law_of_answered(Target target) {
    read();
    ErrorLaw law = ldp::law_of_share();
    if (each_ == 1) law.curve = noise_->curve(0, steps_ + 1, target);
    return law;
}

// Computes a moving average at all positions.
std::vector<double> OrderedEstimator::smeared() {
    read();
    const auto at_point = [&](std::size_t i) {  // at point i − blur/2
        return i < blur_ / 2 ? 0.0 : i - blur_ / 2 >= steps_ ? 1.0 : cumulative_[i - blur_ / 2];
    };
    std::vector<double> curve(steps_ + 1);
    double sum = 0;
    for (std::size_t i = 0; i < blur_; ++i) sum += at_point(i);
    for (std::size_t s = 0; s <= steps_; ++s) {
        curve[s] = sum / static_cast<double>(blur_);
        sum += at_point(s + blur_) - at_point(s);
    }
    return curve;
}

const OrderedEstimator::Curve& OrderedEstimator::curve() {
    if (!curve_.height.empty()) return curve_;
    if (!sharp()) {
        curve_.height = monotone(smeared());
        return curve_;
    }
    read();
    constexpr double least = 1e-12;  // keeps weights finite if there is hardly any noise
    Work work;
    curve_.weight = noise_->before_each(last_);
    for (double& weight : curve_.weight) weight = 1 / std::max(weight, least);
    // The last point is excluded: its share is known to be 1, and it would pool all estimates above 1.
    curve_.height = monotone(std::span(cumulative_).first(last_), curve_.weight);
    for (std::size_t s = 0; s < last_; ++s, work.done()) {
        if (s == 0 || curve_.height[s] != curve_.height[s - 1]) curve_.pools.push_back({s, s, 0, {}});
        Pool& pool = curve_.pools.back();
        pool.to = s + 1;
        pool.noisiest = std::max(pool.noisiest, 1 / curve_.weight[s]);
    }
    curve_.pools.push_back({last_, last_ + 1, 0, {}});
    curve_.height.push_back(std::max(curve_.height.back(), 1.0));
    return curve_;
}

// The sum of a level's coefficients has the sum of their variances, since they are uncorrelated.
std::vector<double> OrderedEstimator::split_variances() {
    read();
    const std::size_t points = last_ + 1;
    std::vector<double> variances, function(points);
    for (std::size_t width = std::bit_ceil(points); width > 1; width /= 2) {
        const std::size_t half = width / 2, nodes = (points - half - 1) / width + 1;
        for_each_index(points, [&](std::size_t s) {
            const bool whole = s / width < nodes;
            function[s] = !whole ? 0 : s % width < half ? 1 : -1;
        });
        variances.push_back(noise_->of(function) * each_ /
                            (static_cast<double>(nodes) * static_cast<double>(counts_.n)));
    }
    return variances;
}

// Shrinkage errs for distributions concentrated on few points, pooling for flat ones. Their errors are rarely
// similar, so that the average is closer to the truth than either.
Distribution OrderedEstimator::fit() {
    constexpr double pooled_part = 0.4;
    std::vector<double> pooled = confined(curve().height);
    std::adjacent_difference(pooled.begin(), pooled.end(), pooled.begin());
    std::vector<double> shares = shrunk_splits(cumulative_, split_variances());
    for (std::size_t s = 0; s <= last_; ++s) shares[s] = std::lerp(shares[s], pooled[s], pooled_part);
    if (optional()) {
        shares.pop_back();
        const double rate = std::accumulate(shares.begin(), shares.end(), 0.0);
        for (double& share : shares) share = rate > 0 ? share / rate : unknown;
    }
    return {edges_around(ordered_.ends(), shares.size()), std::move(shares), 0, true};
}

double OrderedEstimator::place_of(double share) {
    const std::vector<double>& height = curve().height;
    if (!sharp()) return place(height, share);
    const double wanted = optional() ? share * answering() : share;
    const auto found = std::ranges::lower_bound(height, wanted) - height.begin();
    return std::min(static_cast<double>(found), static_cast<double>(steps_));
}

double OrderedEstimator::height_at(double position) {
    if (position == left_end) return 0;
    if (position == right_end) return 1;
    const std::vector<double>& height = curve().height;
    if (sharp()) {
        const std::size_t below = std::min(points_below(position), steps_ + 1);
        if (below == 0 || below > steps_) return below == 0 ? 0 : 1;
        return std::clamp(height[below - 1] / (optional() ? answering() : 1), 0.0, 1.0);
    }
    const double point = std::clamp(std::floor(position), 0.0, steps() - 1);
    const auto s = static_cast<std::size_t>(point);
    return std::clamp(std::lerp(height[s], height[s + 1], position - point), 0.0, 1.0);
}

double OrderedEstimator::monotone_share(double from, double to) {
    if (optional() && !(answering() > 0)) return unknown;
    return std::max(0.0, height_at(to) - height_at(from));
}

// The height of the curve at the last point is too large on average, as the largest of many estimates.
double OrderedEstimator::answering() {
    read();
    return cumulative_[steps_];
}

double OrderedEstimator::quantile(double share) {
    if (optional() && !(answering() > 0)) return unknown;
    return value(place_of(share));
}

Quantile OrderedEstimator::quantile(double share, double critical_value, Target target) {
    if (optional() && !(answering() > 0)) return {unknown, ordered_.ends()};
    const double at = place_of(share);
    if (sharp())
        return {value(at), sharp_interval(share, static_cast<std::size_t>(at), critical_value, target)};
    const double error = critical_value * this->share(left_end, at, target).standard_error;
    return {value(at), {value(place_of(share - error)), value(place_of(share + error))}};
}

OrderedEstimator::Pool& OrderedEstimator::pool_of(std::size_t point) {
    return *(std::ranges::upper_bound(curve_.pools, point, {}, &Pool::from) - 1);
}

std::vector<double> OrderedEstimator::within(const Pool& pool) const {
    const auto weights = std::span(curve_.weight).subspan(pool.from, pool.to - pool.from);
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    double passed = 0;
    std::vector<double> function;
    function.reserve(weights.size());
    for (const double weight : weights) {
        function.push_back(1 - passed / all);
        passed += weight;
    }
    return function;
}

double OrderedEstimator::error_of_answered(const Pool& pool, double share, Target target) {
    std::vector<double> function(last_ + 1);
    std::fill_n(function.begin(), pool.from, 1);
    std::ranges::copy(within(pool), function.begin() + static_cast<std::ptrdiff_t>(pool.from));
    for (std::size_t s = 0; s <= steps_; ++s) function[s] -= share;
    return std::sqrt(variance_of(function, shares_, *noise_, target));
}

// A height is the mean of the pooled estimates and has less noise than each of them.
double OrderedEstimator::error_of(Pool& pool, Target target) {
    std::optional<double>& known = pool.error[target == Target::sample ? 0 : 1];
    if (known) return *known;
    const std::vector<double> function = within(pool);
    double first = pool.from == 0 ? 0 : nearest_[pool.from - 1], second = first;
    for (std::size_t i = 0; i < function.size(); ++i) {
        const double part = function[i];
        first += shares_[pool.from + i] * part;
        second += shares_[pool.from + i] * part * part;
    }
    known = error(noise_->falling(pool.from, function), std::max(second - first * first, 0.0), target);
    return *known;
}

Interval OrderedEstimator::sharp_interval(double share, std::size_t point, double critical_value,
                                          Target target) {
    const std::vector<double>& height = curve().height;
    // Inside a pool, the true share increases in an unknown way. If it increases evenly, it is linear between
    // the middles of adjacent pools. If it increases at one point, it keeps its height. A point is excluded
    // only if both cases exclude the share there.
    const auto middle = [](const Pool& pool) { return static_cast<double>(pool.from + pool.to - 1) / 2; };
    const auto evenly = [&](std::size_t s) {
        const Pool& pool = pool_of(s);
        const double off = static_cast<double>(s) - middle(pool);
        if (off == 0 || (off < 0 && pool.from == 0)) return height[s];
        if (off > 0 && optional() && pool.to > steps_)
            return height[s];  // nobody answers with a larger number
        const Pool& next = pool_of(off < 0 ? pool.from - 1 : pool.to);
        return height[s] + (height[next.from] - height[s]) * off / (middle(next) - middle(pool));
    };
    // A mean has at most the noise of its noisiest term, and a share at most the sampling error of 1/2. This
    // bound decides most steps of the bisection without further computation.
    const double wanted = optional() ? share * answering() : share;
    const auto beyond = [&](std::size_t s, double off) {
        Pool& pool = pool_of(s);
        if (optional()) return off > 0 && off > critical_value * error_of_answered(pool, share, target);
        return off > critical_value * error(pool.noisiest, 0.25, target) ||
               off > critical_value * error_of(pool, target);
    };
    const auto low = [&](std::size_t s) { return beyond(s, wanted - std::max(height[s], evenly(s))); };
    const auto not_high = [&](std::size_t s) { return !beyond(s, std::min(height[s], evenly(s)) - wanted); };
    const std::size_t first = first_without(low, 0, point), last = first_without(not_high, point, steps_);
    return {value(static_cast<double>(first)), value(static_cast<double>(last))};
}

double OrderedEstimator::error(double noise, double sampling, Target target) const {
    const double sampled = target == Target::population ? 1 : 1 - drawn_;
    return std::sqrt((noise + sampled * sampling) * each_ / static_cast<double>(counts_.n));
}

double OrderedEstimator::at(double value) const {
    const auto [low, high] = ordered_.ends();
    return (value - low) * steps() / (high - low);
}

std::size_t OrderedEstimator::points_below(double place) const {
    return static_cast<std::size_t>(std::clamp(std::ceil(place - touching), 0.0, steps() + 1));
}

// A position between two points is a mixture of both, so that the slope changes at points only. Random
// rounding of a value to a neighbouring point then preserves its mean share.
std::vector<double> OrderedEstimator::below(double at) const {
    if (at == left_end || at == right_end) return std::vector<double>(steps_ + 1, at == left_end ? 0 : 1);
    const double point = std::min(std::floor(at), steps() - 1);
    const double rest = at - point;
    const auto blur = static_cast<double>(blur_);
    std::vector<double> share(steps_ + 1);
    // Points before these are whole, points after them are 0.
    const double least = point - blur / 2, most = point + blur / 2 + 1;
    const auto whole = static_cast<std::size_t>(std::clamp(least, 0.0, steps() + 1)),
               end = static_cast<std::size_t>(std::clamp(most + 1, 0.0, steps() + 1));
    std::fill_n(share.begin(), whole, (1 - rest) + rest);
    for (std::size_t s = whole; s < end; ++s) {
        const double behind = point + blur / 2 - static_cast<double>(s);
        share[s] = (1 - rest) * std::clamp(behind / blur, 0.0, 1.0) +
                   rest * std::clamp((behind + 1) / blur, 0.0, 1.0);
    }
    return share;
}

// Errors are computed from the nearest distribution and not from the sample variance, which is 0 for one
// report.
void OrderedEstimator::read() {
    if (!cumulative_.empty()) return;
    cumulative_ = ordered_.cumulative(counts_);
    nearest_ = confined(monotone(cumulative_));
    shares_.resize(nearest_.size());
    std::adjacent_difference(nearest_.begin(), nearest_.end(), shares_.begin());
    noise_ = noise_for(shares_);
}

std::unique_ptr<const OrderedNoise> OrderedEstimator::noise_for(std::vector<double> shares) const {
    if (expected_) return ordered_.expected_noise(std::move(shares));
    if (each_ == 1) return ordered_.noise(counts_, std::move(shares));
    return ordered_.repeated_noise(counts_, std::move(shares), each_);
}

// Smoothing over b (as a share of the range) has a bias of at most slope·b²/24; the standard error is
// √(n_variance/(n·b)).
std::uint64_t balanced_blur(double n_variance, std::uint64_t n, std::uint64_t steps) noexcept {
    constexpr double slope = 16, part = 0.25;
    const double b = std::pow(24 * part / slope * std::sqrt(n_variance / static_cast<double>(n)), 0.4);
    const double halves = std::round(b * static_cast<double>(steps) / 2);
    return 2 * static_cast<std::uint64_t>(
                   std::clamp(halves, 1.0, std::max(1.0, std::floor(static_cast<double>(steps) / 2))));
}

}  // namespace ldp
