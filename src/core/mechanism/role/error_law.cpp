#include "core/mechanism/role/error_law.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/base/square.hpp"
#include "core/base/unknown.hpp"
#include "core/math/monotone.hpp"
#include "core/math/statistics.hpp"
#include "core/math/tails.hpp"

namespace ldp {

namespace {

/// If the standard deviation of a count is above this, the error of the normal approximation is below a
/// twentieth of it.
constexpr double normal_from = 10;

/// Returns the normal quantile of a probability; infinity outside (0, 1).
double deviate_of(double probability) {
    return probability > 0 && probability < 1 ? normal_quantile(probability) : HUGE_VAL;
}

/// Interval for a count. True values are represented as fractions of the distance between the two ends.
class CountInterval {
  public:
    CountInterval(const ErrorLaw& law, std::int64_t count, double critical_value)
        : law_(law), count_(count), critical_value_(critical_value), error_(one_sided(critical_value)) {}

    /// Returns the smallest share at which the upper tail at the count is not too improbable, and the largest
    /// share at which the lower tail is not.
    [[nodiscard]] Interval operator()() const {
        return {end([&](double share) { return more(share); }, normal_end(-1)),
                1 - end([&](double rest) { return 1 - more(1 - rest); }, 1 - normal_end(1))};
    }

  private:
    /// Returns the probability of a larger count plus half the probability of the observed count.
    [[nodiscard]] double more(double share) const {
        if (!law_.counts_people)
            return upper_tail(count_, {law_.n, std::lerp(law_.q, law_.p, share)}, {0, 0});
        const auto holders = static_cast<std::uint64_t>(std::llround(share * static_cast<double>(law_.n)));
        return upper_tail(count_, {holders, law_.p}, {law_.n - holders, law_.q});
    }
    [[nodiscard]] double deviation(double share) const {
        const auto n = static_cast<double>(law_.n);
        const auto variance = [](double one) { return one * (1 - one); };
        return std::sqrt(n * (law_.counts_people ? std::lerp(variance(law_.q), variance(law_.p), share)
                                                 : variance(std::lerp(law_.q, law_.p, share))));
    }
    /// Returns an end of the interval of the normal law whose deviation is that at the end.
    [[nodiscard]] double normal_end(double side) const {
        const double slope = static_cast<double>(law_.n) * (law_.p - law_.q);
        const double estimate = static_cast<double>(count_) / slope - law_.q / (law_.p - law_.q);
        double share = std::clamp(estimate, 0.0, 1.0);
        for (int step = 0; step < 4; ++step)
            share = std::clamp(estimate + side * critical_value_ * deviation(share) / slope, 0.0, 1.0);
        return share;
    }
    /// Returns the smallest share at which an increasing probability is at least the error; 1 if no share has it. A
    /// probability takes microseconds, so the search starts at a guess, and takes secants of the probability's normal
    /// deviate, which is nearly linear. Its result is that of a bisection.
    template <class Probability>
    [[nodiscard]] double end(Probability probability, double guess) const {
        constexpr int most_secants = 16;
        const auto n = static_cast<double>(law_.n);
        const double steps = law_.counts_people ? n : 0x1p40;
        const double from = steps * deviation(guess) / (n * (law_.p - law_.q));
        double below = -1, above = steps;
        double last = 0, last_deviate = 0, step_of_deviate = std::isfinite(from) ? from : 1;
        double at = std::floor(guess * steps);
        for (int probes = 0; above - below > 1; ++probes) {
            at = std::clamp(at, below + 1, above - 1);
            const double found = probability(at / steps);
            (found >= error_ ? above : below) = at;
            const double deviate = deviate_of(found) + critical_value_;
            if (probes >= most_secants || !std::isfinite(deviate)) {
                at = std::floor((below + above) / 2);
                continue;
            }
            if (probes > 0 && deviate != last_deviate)
                step_of_deviate = (at - last) / (deviate - last_deviate);
            last = at;
            last_deviate = deviate;
            at = std::floor(at - deviate * step_of_deviate);
        }
        return above / steps;
    }

    const ErrorLaw& law_;
    std::int64_t count_;
    double critical_value_, error_;
};

/// Returns CountInterval(law, count, critical_value)(). A series has many summaries of few reports, and so the same
/// intervals many times. Each takes up to a tenth of a millisecond; therefore a thread keeps the last ones.
Interval count_interval(const ErrorLaw& law, std::int64_t count, double critical_value) {
    struct KeptInterval {
        std::array<std::uint64_t, 5> key;
        Interval interval;
    };
    constexpr std::size_t capacity = 4096;
    static thread_local std::array<KeptInterval, capacity> all{};
    // Bits of numbers, so that equal keys have equal intervals. A kept interval is of n > 0 reports.
    const std::array<std::uint64_t, 5> key{
        2 * law.n + (law.counts_people ? 1 : 0), static_cast<std::uint64_t>(count),
        std::bit_cast<std::uint64_t>(law.p), std::bit_cast<std::uint64_t>(law.q),
        std::bit_cast<std::uint64_t>(critical_value)};
    std::uint64_t hash = 0;
    for (const std::uint64_t word : key) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
    }
    KeptInterval& entry = all[hash % capacity];
    if (entry.key != key) entry = {key, CountInterval(law, count, critical_value)()};
    return entry.interval;
}

/// Interval for a share with a variance curve. At each share, the distance of the estimate in standard errors
/// is compared with the critical value, corrected for the skewness there (Cornish, Fisher 1938).
class ShareInterval {
  public:
    ShareInterval(double value, double critical_value, const TruthCurve& curve, double unseen_error)
        : value_(value), critical_value_(critical_value), curve_(curve), unseen_(square(unseen_error)) {}

    /// Contains the estimate. If the estimate lies outside the possible shares, the interval also contains
    /// the nearest possible share.
    [[nodiscard]] Interval operator()() const {
        const double nearest = std::clamp(value_, 0.0, 1.0);
        const double low = last(1, nearest, 0), high = last(-1, nearest, 1);
        return {std::min(value_, low), std::max(value_, high)};
    }

  private:
    struct Errors {
        double off;   ///< distance between estimate and share, in standard errors
        double skew;  ///< correction of the critical value for skewness
    };
    [[nodiscard]] Errors at(double share) const noexcept {
        const double variance = curve_.variance_at(share) / curve_.n + unseen_;
        const double off = value_ - share;
        if (!(variance > 0)) return {off == 0 ? 0 : std::copysign(HUGE_VAL, off), 0};
        const double third = curve_.third_at(share) / (curve_.n * curve_.n), deviation = std::sqrt(variance);
        return {off / deviation, third / (variance * deviation) * (square(critical_value_) - 1) / 6};
    }
    /// Returns by how many standard errors the estimate is too far from a share. The interval contains the shares for
    /// which this is not positive. `side` is 1 if the estimate is above the share, -1 if it is below. The correction for
    /// skewness diverges as the variance vanishes, and is limited so that it does not change the sign of the critical
    /// value.
    [[nodiscard]] double excess(double share, double side) const noexcept {
        const auto [off, skew] = at(share);
        return side * off - (critical_value_ + std::max(side * skew, -critical_value_ / 2));
    }
    /// Returns the share nearest to `end` whose excess is not positive, if the excess of all shares from `begin` to it
    /// is not positive; otherwise `begin`.
    [[nodiscard]] double last(double side, double begin, double end) const noexcept {
        return last_without_excess(begin, end, -critical_value_,
                                   [&](double share) { return excess(share, side); });
    }

    double value_, critical_value_;
    const TruthCurve& curve_;
    double unseen_;  // variance
};

/// The variance is the noise at the estimate plus the sampling error at the true value.
TruthCurve curve_of_noise(const Estimate& estimate, double people) noexcept {
    const double at = std::clamp(estimate.value, 0.0, 1.0);
    const double noise = std::max(0.0, people * square(estimate.standard_error) - at * (1 - at));
    return {people, {noise, 1, -1, 0}, {}};
}

/// The moments of an estimate that is linear in a count of independent events.
TruthCurve curve_of_count(const ErrorLaw& law) noexcept {
    const double p = law.p, q = law.q, slope = p - q;
    const auto variance = [](double one) { return one * (1 - one); };
    const auto third = [](double one) { return one * (1 - one) * (1 - 2 * one); };
    TruthCurve::Cubic variances{}, thirds{};
    for (std::size_t i = 0; i < variances.size(); ++i) {
        const double share = static_cast<double>(i) / 3, counted = std::lerp(q, p, share);
        const auto at = [&](auto moment) {
            return law.counts_people ? std::lerp(moment(q), moment(p), share) : moment(counted);
        };
        variances[i] = at(variance) / square(slope);
        thirds[i] = at(third) / (slope * square(slope));
    }
    return TruthCurve::through(static_cast<double>(law.n), variances, thirds);
}

double value_of(const TruthCurve::Cubic& cubic, double at) noexcept {
    return cubic[0] + at * (cubic[1] + at * (cubic[2] + at * cubic[3]));
}

/// Interpolates values at 0, 1/3, 2/3 and 1 by Newton's differences.
TruthCurve::Cubic cubic_through(const TruthCurve::Cubic& at) noexcept {
    const double first = at[1] - at[0], second = at[2] - 2 * at[1] + at[0],
                 last = at[3] - 3 * at[2] + 3 * at[1] - at[0];
    // At t = 3f: at[0] + first·t + second·t(t − 1)/2 + last·t(t − 1)(t − 2)/6.
    return {at[0], 3 * (first - second / 2 + last / 3), 9 * (second / 2 - last / 2), 27 * last / 6};
}

/// Extends an interval so that it contains at least one of the possible true values.
Interval reaching(const Interval& truths, const Interval& found) noexcept {
    return {std::min(found.lower, truths.upper), std::max(found.upper, truths.lower)};
}

}  // namespace

TruthCurve TruthCurve::of_terms(double n, const TermMoments& holders, const TermMoments& others,
                                Target target) noexcept {
    const double second = holders.second - others.second, third = holders.third - others.third;
    // The term of a user varies about the user's own mean, which is 1 or 0.
    if (target == Target::sample)
        return {n, {others.second, second - 1, 0, 0}, {others.third, third - 3 * holders.second + 2, 0, 0}};
    return {n, {others.second, second, -1, 0}, {others.third, third - 3 * others.second, -3 * second, 2}};
}

TruthCurve TruthCurve::mixed(const TruthCurve& one, const TruthCurve& other, double weight) noexcept {
    TruthCurve all{.n = one.n};
    for (std::size_t i = 0; i < all.variance.size(); ++i) {
        all.variance[i] = std::lerp(other.variance[i], one.variance[i], weight);
        all.third[i] = std::lerp(other.third[i], one.third[i], weight);
    }
    return all;
}

TruthCurve TruthCurve::through(double n, const Cubic& variances, const Cubic& thirds) noexcept {
    return {n, cubic_through(variances), cubic_through(thirds)};
}

TruthCurve TruthCurve::mirrored() const noexcept {
    Cubic variances{}, thirds{};
    for (std::size_t i = 0; i < variances.size(); ++i) {
        const double truth = 1 - static_cast<double>(i) / 3;
        variances[i] = variance_at(truth);
        thirds[i] = -third_at(truth);
    }
    return through(n, variances, thirds);
}

double TruthCurve::variance_at(double truth) const noexcept {
    return value_of(variance, truth);
}

double TruthCurve::third_at(double truth) const noexcept {
    return value_of(third, truth);
}

std::optional<TruthCurve> curve_of(const Estimate& estimate, const ErrorLaw& law) noexcept {
    if (law.curve.n > 0) return law.curve;
    if (law.people > 0) return curve_of_noise(estimate, law.people);
    if (law.n > 0) return curve_of_count(law);
    return {};
}

Interval interval(const Estimate& estimate, double critical_value, const ErrorLaw& law) {
    const auto [value, plain] = estimate;
    if (std::isnan(value) || std::isnan(plain)) return {unknown, unknown};
    const double error = vector_length(plain, law.unseen_error);
    const double far = law.degrees_of_freedom > 0
                           ? student_critical_value(critical_value, law.degrees_of_freedom)
                           : critical_value;
    const double length = law.truths.upper - law.truths.lower;
    if (law.curve.n > 0) {
        // A share needs no scale, and a law may leave its ends out.
        const double low_end = std::isfinite(length) ? law.truths.lower : 0;
        const double scale = std::isfinite(length) ? length : 1;
        const double share = (value - low_end) / scale;
        const auto [low, high] = ShareInterval(share, far, law.curve, law.unseen_error / scale)();
        return {std::min(value, std::fma(low, scale, low_end)),
                std::max(value, std::fma(high, scale, low_end))};
    }
    if (law.people > 0)
        return ShareInterval(value, far, curve_of_noise(estimate, law.people), law.unseen_error)();
    const auto n = static_cast<double>(law.n);
    const double slope = law.p - law.q;
    if (law.n == 0 || !(n * slope * error / length < normal_from))
        return reaching(law.truths, {value - far * error, value + far * error});
    const double share = (value - law.truths.lower) / length;
    const auto count = static_cast<std::int64_t>(std::llround(n * (law.q + share * slope)));
    const auto [low, high] = count_interval(law, count, critical_value);
    return {std::min(value, std::lerp(law.truths.lower, law.truths.upper, low)),
            std::max(value, std::lerp(law.truths.lower, law.truths.upper, high))};
}

}  // namespace ldp
