#include "core/mechanism/ordered/reading.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/math/monotone.hpp"

namespace ldp {

namespace {

/// A value that is a point's own lands next to it by rounding alone; no value that matters is as near.
constexpr double touching = 1e-6;

/// The point at or before a place.
double point_from(double place) {
    return std::floor(place + touching);
}

/// The first number of first..last−1 without a property that a beginning of them has; last if all have.
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

Reading::Reading(const Ordered& ordered, const Counts& counts)
    : ordered_(ordered), counts_(counts), steps_(ordered.points() - 1), blur_(ordered.blur(counts.n)) {}

double Reading::value(double at) const {
    const auto [low, high] = ordered_.ends();
    return low + (high - low) * at / steps();  // exact for whole numbers on a step each
}

double Reading::before(double value) const {
    const double place = at(value);
    return place <= 0 ? left_end : place > steps() ? right_end : place;
}

double Reading::behind(double value) const {
    const double place = at(value);
    return place < 0 ? left_end : place >= steps() ? right_end : sharp() ? point_from(place) + 1 : place;
}

Estimate Reading::share(double from, double to, Target target) {
    if (sharp()) return between(points_below(from), points_below(to), target);
    if (from >= to) return {0, 0};
    if (from == left_end && to == right_end) return {1, 0};
    std::vector<double> function = below(to);
    std::ranges::transform(function, below(from), function.begin(), std::minus());
    return mean_of(function, target);
}

Estimate Reading::between(std::size_t first, std::size_t end, Target target) {
    if (first >= end) return {0, 0};
    if (first == 0 && end == steps_ + 1) return {1, 0};
    read();
    const auto rise = [&](std::span<const double> curve) {
        return curve[end - 1] - (first == 0 ? 0 : curve[first - 1]);
    };
    const double near = rise(nearest_);
    return {rise(cumulative_), error(noise_->between(first, end), near * (1 - near), target)};
}

Estimate Reading::mean_of(std::span<const double> function, Target target) {
    read();
    double mean = function[steps_], first = 0, second = 0;
    for (std::size_t s = 0; s < steps_; ++s) mean += cumulative_[s] * (function[s] - function[s + 1]);
    for (std::size_t s = 0; s <= steps_; ++s) {
        first += shares_[s] * function[s];
        second += shares_[s] * function[s] * function[s];
    }
    return {mean, error(noise_->of(function), std::max(second - first * first, 0.0), target)};
}

// For all places at once, a moving average.
std::vector<double> Reading::smeared() {
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

Reading::Curve Reading::fitted() {
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

Distribution Reading::fit_monotone() {
    std::vector<double> shares = confined(fitted().height);
    std::adjacent_difference(shares.begin(), shares.end(), shares.begin());
    return {edges_around(ordered_.ends(), shares.size()), std::move(shares), 0, true};
}

Quantile Reading::quantile(double share, double reach, Target target) {
    if (sharp()) return sharp_quantile(share, reach, target);
    const std::vector<double> curve = monotone(smeared());
    const double at = place(curve, share);
    const double error = reach * this->share(left_end, at, target).standard_error;
    return {value(at), {value(place(curve, share - error)), value(place(curve, share + error))}};
}

Quantile Reading::sharp_quantile(double share, double reach, Target target) {
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
        const double middle = static_cast<double>(from + to - 1) / 2, off = static_cast<double>(s) - middle;
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

double Reading::error(double noise, double sampling, Target target) const {
    return std::sqrt((noise + (target == Target::population ? sampling : 0)) /
                     static_cast<double>(counts_.n));
}

double Reading::at(double value) const {
    const auto [low, high] = ordered_.ends();
    return (value - low) * steps() / (high - low);
}

std::size_t Reading::points_below(double place) const {
    return static_cast<std::size_t>(std::clamp(std::ceil(place - touching), 0.0, steps() + 1));
}

// A place between two points is a mixture of theirs, so that the slope changes at points only: then rounding
// a value to a neighbouring point at random does not change its mean share either.
std::vector<double> Reading::below(double at) const {
    if (at == left_end || at == right_end) return std::vector<double>(steps_ + 1, at == left_end ? 0 : 1);
    const double point = std::min(std::floor(at), steps() - 1);
    const double rest = at - point;
    const auto blur = static_cast<double>(blur_);
    std::vector<double> share(steps_ + 1);
    for (std::size_t s = 0; s <= steps_; ++s) {
        const double reach = point + blur / 2 - static_cast<double>(s);
        share[s] =
            (1 - rest) * std::clamp(reach / blur, 0.0, 1.0) + rest * std::clamp((reach + 1) / blur, 0.0, 1.0);
    }
    return share;
}

// Errors are as if people were distributed like the nearest true distribution, not from the spread of the
// few outputs seen: one report has an error too.
void Reading::read() {
    if (!cumulative_.empty()) return;
    cumulative_ = ordered_.cumulative(counts_);
    nearest_ = confined(monotone(cumulative_));
    shares_.resize(nearest_.size());
    std::adjacent_difference(nearest_.begin(), nearest_.end(), shares_.begin());
    noise_ = ordered_.noise(counts_, shares_);
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
