#include "core/mechanism/frequency/set_channel.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

namespace {

long double quotient(std::uint64_t numerator, std::uint64_t denominator) noexcept {
    return static_cast<long double>(numerator) / static_cast<long double>(denominator);
}

/// Returns the probability that an even draw of `size` of `items` contains none of `avoided`.
long double none_of(std::uint64_t items, std::uint64_t avoided, std::uint64_t size) noexcept {
    long double none = 1;
    for (std::uint64_t i = 0; i < avoided; ++i) none *= quotient(items - size - i, items - i);
    return none;
}

}  // namespace

// Of all outputs, the share h = C(k,w)/C(d,w) has no item of the person. An output that has one has the weight e, so
// that the mean weight is h + e(1−h). The outputs with a given foreign item have the share w/d, and those of them
// without an item of the person the share none_of(d−1, m, w−1) of it.
SetChannel::SetProbabilities SetChannel::probabilities(std::uint64_t labels, std::uint64_t own,
                                                       std::uint64_t size, double epsilon) noexcept {
    const std::uint64_t d = labels + own;
    const long double e = std::exp(static_cast<long double>(epsilon)), h = none_of(d, own, size);
    const long double mean = h + e * (1 - h), each = quotient(size, d) / mean;
    const long double rest = none_of(d - 1, own, size - 1);
    return {static_cast<double>(each * e), static_cast<double>(each * (rest + e * (1 - rest))),
            static_cast<double>(h / mean)};
}

// Let g_i be the probability that the i-th is the first if all outputs have the same probability. Then g_0 = w/d, and
// g_{i+1}/g_i = C(d−i−2, w−1)/C(d−i−1, w−1) = (d−i−w)/(d−i−1).
//
// The weight of "none" is rounded down first. The others are at most e·g_i/h times that weight, less a slack of 2^-44.
// The slack is more than the rounding errors of at most 2^15 products of 64 bits.
SetChannel::SetChannel(std::uint64_t labels, std::uint64_t own, std::uint64_t size, double epsilon)
    : k_(labels), m_(own), w_(size) {
    const SetProbabilities all = probabilities(labels, own, size, epsilon);
    p_ = all.p;
    q_ = all.q;
    const std::uint64_t d = items();
    const long double e = std::exp(static_cast<long double>(epsilon)) * (1 - std::ldexp(1.0L, -44));
    const long double h = none_of(d, own, size), mean = h + e * (1 - h);
    constexpr std::uint64_t least = std::uint64_t{1} << 20;
    const auto none = static_cast<std::uint64_t>(std::ldexp(h / mean, 62));
    long double first = quotient(size, d);
    std::uint64_t sum = 0, lowest = none;
    for (std::uint64_t i = 0; i < m_; ++i) {
        const auto weight = static_cast<std::uint64_t>(static_cast<long double>(none) * (e * (first / h)));
        lowest = std::min(lowest, weight);
        sums_.push_back(sum += weight);
        if (i + 1 < m_) first *= quotient(d - i - w_, d - i - 1);
    }
    sums_.push_back(sum + none);
    if (lowest < least)
        raise(ErrorCode::invalid_spec, "the sets are too large for this epsilon",
              "The smallest probability of a step does not fit in 2^-42.",
              "Lower epsilon, \"most\" or the number of labels.");
    // Outputs with two given items have the share w(w−1)/(d(d−1)).
    const long double pair = d > 1 ? quotient(w_, d) * quotient(w_ - 1, d - 1) /
                                         (h + std::exp(static_cast<long double>(epsilon)) * (1 - h))
                                   : 0;
    const long double full = std::exp(static_cast<long double>(epsilon));
    own_pair_ = static_cast<double>(pair * full);
    const long double rest = w_ > 1 ? none_of(d - 2, m_, w_ - 2) : 0;
    foreign_pair_ = k_ > 1 ? static_cast<double>(pair * (rest + full * (1 - rest))) : 0;
}

// Floyd's sampling (Bentley, Floyd 1987), as in subset_channel.cpp. If the output has an item of the person, it needs
// one other item less: the first draw is not used.
std::vector<bool> SetChannel::sample(std::span<const Cell> own, BitSource& bits) const {
    std::vector<bool> set(items());
    const std::uint64_t first = bits.pick(sums_);
    const bool hit = first < m_;
    const std::uint64_t left_out = hit ? first + 1 : m_;
    const auto other = [&](std::uint64_t i) {
        for (std::uint64_t j = 0; j < m_; ++j) i += (j < left_out) & (i >= own[j]);
        return i;
    };
    if (hit) set[own[first]] = true;
    const std::uint64_t others = items() - left_out;
    for (std::uint64_t j = others - w_; j < others; ++j) {
        const std::uint64_t drawn = other(bits.below(j + 1));
        if (hit && j == others - w_) continue;
        set[set[drawn] ? other(j) : drawn] = true;
    }
    return set;
}

Exact SetChannel::even_odds(std::size_t first) const {
    const std::uint64_t d = items();
    Exact odds = exact(w_, d);
    for (std::size_t i = 0; i < first; ++i) odds = odds * exact(d - i - w_, d - i - 1);
    for (std::uint64_t i = 0; i < m_; ++i) odds = odds * exact(d - i, d - w_ - i);
    return odds;
}

Exact SetChannel::probability(std::size_t first) const {
    const std::uint64_t weight = sums_[first] - (first == 0 ? 0 : sums_[first - 1]);
    return exact(weight, sums_.back()) /
           (first == m_ ? subsets(k_, w_) : subsets(items() - first - 1, w_ - 1));
}

Exact SetChannel::worst_ratio() const {
    const std::uint64_t none = sums_[m_] - sums_[m_ - 1];
    Exact least = exact(1, 1), most = least;
    for (std::size_t i = 0; i < m_; ++i) {
        const Exact ratio = exact(sums_[i] - (i == 0 ? 0 : sums_[i - 1]), none) / even_odds(i);
        least = std::min(least, ratio);
        most = std::max(most, ratio);
    }
    return most / least;
}

ChannelLaw SetChannel::channel_law() const {
    LevelsLaw law;
    for (std::size_t i = 0; i <= m_; ++i)
        law.levels.push_back(
            {exact(sums_[i] - (i == 0 ? 0 : sums_[i - 1]), sums_.back()),
             i == m_ ? OutputCount::choose(k_, w_) : OutputCount::choose(items() - i - 1, w_ - 1)});
    return {std::move(law)};
}

double SetChannel::max_probability() const {
    const auto d = static_cast<double>(items()), w = static_cast<double>(w_);
    const double sets = std::lgamma(d + 1) - std::lgamma(w + 1) - std::lgamma(d - w + 1);
    return std::exp(std::log(p_ * d / w) - sets);
}

}  // namespace ldp
