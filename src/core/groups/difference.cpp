#include "core/groups/difference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/square.hpp"
#include "core/base/unknown.hpp"
#include "core/math/statistics.hpp"
#include "core/math/tails.hpp"

namespace ldp {

namespace {

/// Larger critical values have p-values that a double cannot distinguish from 0.
constexpr double largest_critical_value = 40;

/// Second and third central moments of an estimate, at each possible true value.
class EstimateMoments {
  public:
    /// In units of this length; squares of numbers on a wide range may overflow.
    EstimateMoments(const GroupEstimate& group, double unit)
        : curve_(curve_of(group.estimate, group.law)),
          variance_(square(group.estimate.standard_error / unit) + square(group.law.unseen_error / unit)),
          unseen_(square(group.law.unseen_error / unit)),
          degrees_(group.law.degrees_of_freedom),
          truths_(group.law.truths) {
        if (curve_ && std::isinf(truths_.upper - truths_.lower)) truths_ = possible_shares;
        truths_ = {truths_.lower / unit, truths_.upper / unit};
    }

    /// Whether the moments depend on the true value.
    [[nodiscard]] bool varies() const noexcept { return curve_.has_value(); }
    [[nodiscard]] const Interval& truths() const noexcept { return truths_; }
    [[nodiscard]] double degrees_of_freedom() const noexcept { return degrees_; }

    [[nodiscard]] double variance(double truth) const noexcept {
        if (!curve_) return variance_;
        return std::max(0.0, square(length()) * curve_->variance_at(share(truth)) / curve_->n) + unseen_;
    }
    /// A function of the true value, and its derivative.
    struct Slope {
        double value, derivative;
    };
    [[nodiscard]] Slope variance_and_slope(double truth) const noexcept {
        if (!curve_) return {variance_, 0};
        const double at = share(truth), scale = square(length()) / curve_->n;
        const auto& [c0, c1, c2, c3] = curve_->variance;
        const double variance = scale * (c0 + at * (c1 + at * (c2 + at * c3)));
        if (!(variance > 0)) return {unseen_, 0};
        return {variance + unseen_, scale / length() * (c1 + at * (2 * c2 + at * 3 * c3))};
    }
    [[nodiscard]] double third(double truth) const noexcept {
        if (!curve_) return 0;
        return length() * square(length()) * curve_->third_at(share(truth)) / square(curve_->n);
    }

  private:
    [[nodiscard]] double length() const noexcept { return truths_.upper - truths_.lower; }
    [[nodiscard]] double share(double truth) const noexcept { return (truth - truths_.lower) / length(); }

    std::optional<TruthCurve> curve_;
    double variance_, unseen_, degrees_;
    Interval truths_;
};

/// The test of hypothetical differences.
class ScoreTest {
  public:
    ScoreTest(const GroupEstimate& group, const GroupEstimate& baseline, double remaining, double unit)
        : group_(group, unit),
          baseline_(baseline, unit),
          remaining_(remaining),
          first_(group.estimate.value / unit),
          second_(baseline.estimate.value / unit) {
        possible_ = {group_.truths().lower - baseline_.truths().upper,
                     group_.truths().upper - baseline_.truths().lower};
        // Where the variance is known at the estimate only, differences are unlimited. The standard error of few
        // reports can be almost 0, so that it does not limit the search alone.
        const double estimate = first_ - second_;
        const auto length = [](const Interval& truths) {
            return std::isinf(truths.lower) || std::isinf(truths.upper) ? 0 : truths.upper - truths.lower;
        };
        const double far = std::max(1000 * vector_length(group.estimate.standard_error / unit,
                                                         baseline.estimate.standard_error / unit),
                                    2 * std::max(length(group_.truths()), length(baseline_.truths())));
        if (std::isinf(possible_.lower)) possible_.lower = estimate - far;
        if (std::isinf(possible_.upper)) possible_.upper = estimate + far;
    }

    /// Returns the differences that are not rejected, and the estimate itself.
    [[nodiscard]] Interval interval(double critical_value) const {
        const double estimate = first_ - second_;
        if (!group_.varies() && !baseline_.varies()) {
            const Score score = at(estimate);
            const double far = student(critical_value, score) * score.standard_error;
            return {estimate - far, estimate + far};
        }
        const double begin = std::clamp(estimate, possible_.lower, possible_.upper);
        double lower = last_accepted(begin, possible_.lower, critical_value),
               upper = last_accepted(begin, possible_.upper, critical_value);
        // With few reports and a large critical value, the test may reject differences between the estimate and an
        // accepted 0.
        if ((lower > 0 || upper < 0) && possible_.lower < 0 && possible_.upper > 0 &&
            margin(0, critical_value) >= 0)
            (lower > 0 ? lower : upper) =
                last_accepted(0, lower > 0 ? possible_.lower : possible_.upper, critical_value);
        return {std::min(estimate, lower), std::max(estimate, upper)};
    }

    /// Returns the p-value of the hypothesis that the difference is 0.
    [[nodiscard]] double p_value(const IntervalRule& rule, double people) const {
        const Score score = at(0);
        if (!(score.degrees_of_freedom > 0)) return rule.p_value(normal_deviations(score), people);
        const double p_value = 2 * student_above(std::abs(score.deviations), score.degrees_of_freedom);
        if (!rule.anytime() || !(p_value > 0)) return p_value;
        return rule.p_value(p_value < 1 ? -normal_quantile(p_value / 2) : 0, people);
    }

  private:
    struct Score {
        double deviations;      ///< distance of the estimate from the hypothesis, in standard errors
        double standard_error;  ///< under the hypothesis
        double skewness;
        double degrees_of_freedom;  ///< 0 if the standard error is exact
    };

    /// Returns the true value of the baseline under the hypothesis: the root t of (x₁ − t − δ)/V₁(t + δ) +
    /// (x₂ − t)/V₂(t), the likelihood equation of counts. The root lies between both estimates. A
    /// fixed-point iteration would not leave an estimate whose variance is 0. Newton's steps begin at the root for the last
    /// hypothesis, which is near; steps that leave the bracket are halved.
    [[nodiscard]] double restricted(double delta) const noexcept {
        const double lowest = std::max(baseline_.truths().lower, group_.truths().lower - delta);
        const double highest =
            std::max(lowest, std::min(baseline_.truths().upper, group_.truths().upper - delta));
        const double of_group = first_ - delta;
        // The mean of both estimates with the precisions at a true value, minus this value.
        const auto beyond = [&](double truth, double v1, double v2) {
            return std::lerp(of_group, second_, v1 + v2 > 0 ? v1 / (v1 + v2) : 0.5) - truth;
        };
        double low = std::clamp(std::min(of_group, second_), lowest, highest);
        double high = std::clamp(std::max(of_group, second_), lowest, highest);
        if (!group_.varies() && !baseline_.varies())
            return std::clamp(low + beyond(low, group_.variance(low + delta), baseline_.variance(low)),
                              lowest, highest);
        const double close = 1e-14 * (high - low);
        double truth = std::isnan(last_root_) ? std::midpoint(low, high) : std::clamp(last_root_, low, high);
        constexpr int most_steps = 100;
        for (int step = 0; step < most_steps && high - low > close; ++step) {
            const auto [v1, slope1] = group_.variance_and_slope(truth + delta);
            const auto [v2, slope2] = baseline_.variance_and_slope(truth);
            // The likelihood equation times both variances.
            const double score = (of_group - truth) * v2 + (second_ - truth) * v1;
            const bool rises = v1 + v2 > 0 ? score > 0 : beyond(truth, v1, v2) > 0;
            (rises ? low : high) = truth;
            const double slope = (of_group - truth) * slope2 + (second_ - truth) * slope1 - v1 - v2;
            double next = truth - score / slope;
            if (!(next > low && next < high)) next = std::midpoint(low, high);
            if (next == low || next == high || std::abs(next - truth) <= close) break;
            truth = next;
        }
        return last_root_ = truth;
    }
    [[nodiscard]] Score at(double delta) const noexcept {
        const double truth = restricted(delta);
        const double v1 = group_.variance(truth + delta), v2 = baseline_.variance(truth);
        const double variance = (v1 + v2) * remaining_, off = first_ - second_ - delta;
        if (!(variance > 0)) return {off == 0 ? 0 : std::copysign(HUGE_VAL, off), 0, 0, 0};
        const double error = std::sqrt(variance);
        const double d1 = group_.degrees_of_freedom(), d2 = baseline_.degrees_of_freedom();
        const double spread = (d1 > 0 ? square(v1) / d1 : 0) + (d2 > 0 ? square(v2) / d2 : 0);
        return {off / error, error,
                (group_.third(truth + delta) - baseline_.third(truth)) * remaining_ / (variance * error),
                spread > 0 ? square(v1 + v2) / spread : 0};
    }
    static double student(double critical_value, const Score& score) {
        return score.degrees_of_freedom > 0 ? student_critical_value(critical_value, score.degrees_of_freedom)
                                            : critical_value;
    }
    /// Returns how far the difference is from being rejected; not positive if it is rejected.
    [[nodiscard]] double margin(double delta, double critical_value) const {
        const Score score = at(delta);
        return score.degrees_of_freedom > 0 ? student(critical_value, score) - std::abs(score.deviations)
                                            : critical_value - normal_deviations(score);
    }
    /// Returns the least critical value c that does not reject. Deviations in the direction of the skewness s
    /// are rejected beyond c + |s|·(c² − 1)/6, deviations in the other direction beyond c − |s|·(c² − 1)/6.
    /// Deviations up to c/2 are never rejected.
    static double normal_deviations(const Score& score) noexcept {
        const double off = std::abs(score.deviations);
        const double sixth = std::copysign(1.0, score.deviations) * score.skewness / 6;
        // The smaller root c of c + sixth·(c² − 1) = off.
        const double discriminant = 1 + 4 * sixth * (sixth + off);
        if (!(discriminant >= 0)) return 2 * off;
        return std::clamp(2 * (sixth + off) / (1 + std::sqrt(discriminant)), 0.0, 2 * off);
    }
    /// Returns the difference nearest to `end` that is accepted, within 1e-12 of the range; `begin` if all others are rejected.
    /// The search begins at the end of the normal interval. It takes secants through the last two differences while they stay
    /// between an accepted and a rejected one, and halves this interval otherwise.
    [[nodiscard]] double last_accepted(double begin, double end, double critical_value) const {
        if (const double at_end = margin(end, critical_value); at_end >= 0) return end;
        const double close = 1e-12 * std::abs(end - begin);
        double accepted = begin, rejected = end;
        double last = begin, at_last = margin(begin, critical_value);
        double next = begin + std::copysign(critical_value * at(begin).standard_error, end - begin);
        constexpr int most_secants = 20, most_steps = 200;
        for (int step = 0; step < most_steps; ++step) {
            if (!(next > std::min(accepted, rejected) && next < std::max(accepted, rejected)))
                next = std::midpoint(accepted, rejected);
            if (next == accepted || next == rejected) break;
            const double value = margin(next, critical_value);
            (value > 0 ? accepted : rejected) = next;
            if (value == 0) return next;
            const double secant = next - value * ((next - last) / (value - at_last));
            last = next;
            at_last = value;
            if (std::abs(secant - next) <= close || std::abs(rejected - accepted) <= close) break;
            next = step < most_secants ? secant : std::midpoint(accepted, rejected);
        }
        return std::clamp(last, std::min(accepted, rejected), std::max(accepted, rejected));
    }

    EstimateMoments group_, baseline_;
    double remaining_, first_, second_;
    Interval possible_{};
    mutable double last_root_ = unknown;
};

/// Estimates that are linear in a count with a larger standard deviation, in reports, are normal.
constexpr double normal_count = 30;

/// Returns the estimate with the normal law, if its law is nearly normal; otherwise the estimate itself.
GroupEstimate simplified(const GroupEstimate& group) {
    const ErrorLaw& law = group.law;
    const double length = law.truths.upper - law.truths.lower;
    const double deviation =
        static_cast<double>(law.n) * (law.p - law.q) * group.estimate.standard_error / length;
    const bool counted = law.n > 0 && law.curve.n == 0 && law.people == 0 && law.unseen_error == 0;
    return counted && deviation >= normal_count ? GroupEstimate{group.estimate, {}} : group;
}

}  // namespace

double people_of_difference(const GroupEstimate& group, const GroupEstimate& baseline) noexcept {
    const double a = group.people, b = baseline.people;
    const double unit = std::max(group.estimate.standard_error, baseline.estimate.standard_error);
    if (!(unit > 0)) return a + b > 0 ? 2 * a * b / (a + b) : 0;
    // With the variances a·s² and b·t² of one person: the harmonic mean of a and b, weighted by these variances.
    const double s = square(group.estimate.standard_error / unit),
                 t = square(baseline.estimate.standard_error / unit);
    return (a * s + b * t) / (s + t);
}

Difference difference(const GroupEstimate& group, const GroupEstimate& baseline, const IntervalRule& rule,
                      double remaining) {
    const auto known = [](const Estimate& estimate) {
        return !std::isnan(estimate.value) && !std::isnan(estimate.standard_error);
    };
    if (!known(group.estimate) || !known(baseline.estimate))
        return {{unknown, unknown}, {unknown, unknown}, unknown};
    const double errors = vector_length(group.estimate.standard_error, baseline.estimate.standard_error);
    const double unit = errors > 0 && std::isfinite(errors) ? errors : 1;
    const ScoreTest test(simplified(group), simplified(baseline), remaining, unit);
    const double people = people_of_difference(group, baseline);
    const Interval found = test.interval(rule.critical_value(people));
    return {{group.estimate.value - baseline.estimate.value, std::sqrt(remaining) * errors},
            {unit * found.lower, unit * found.upper},
            test.p_value(rule, people)};
}

double heterogeneity(std::span<const GroupEstimate> groups) {
    double unit = 0;
    for (const GroupEstimate& group : groups) {
        if (std::isnan(group.estimate.value) || std::isnan(group.estimate.standard_error)) return unknown;
        unit = std::max(unit, group.estimate.standard_error);
    }
    if (!(unit > 0) || std::isinf(unit)) unit = 1;
    std::vector<EstimateMoments> moments;
    Interval possible{-HUGE_VAL, HUGE_VAL};
    for (const GroupEstimate& group : groups) {
        moments.emplace_back(simplified(group), unit);
        if (moments.back().varies()) possible = moments.back().truths();
    }
    const auto variance = [&](std::size_t group, double truth) {
        const double degrees = moments[group].degrees_of_freedom();
        // The variance of Student's distribution.
        return moments[group].variance(truth) * (degrees > 2 ? degrees / (degrees - 2) : 1);
    };
    // The mean, weighted by the precisions at the mean.
    double mean = 0, statistic = 0;
    for (std::size_t group = 0; group < groups.size(); ++group)
        mean += groups[group].estimate.value / unit / static_cast<double>(groups.size());
    for (int step = 0; step < 5; ++step) {
        const double truth = std::clamp(mean, possible.lower, possible.upper);
        double weights = 0, sum = 0;
        statistic = 0;
        for (std::size_t group = 0; group < groups.size(); ++group) {
            const double each = std::max(variance(group, truth), 1e-24);
            const double value = groups[group].estimate.value / unit;
            weights += 1 / each;
            sum += value / each;
            statistic += square(value - mean) / each;
        }
        mean = sum / weights;
    }
    return statistic;
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
    struct Tested {
        double p_value, adjusted;
    };
    std::vector<Tested> tests;
    for (const double each : p_values) tests.push_back({each, each});
    adjust_by_holm<Tested>(
        tests, [](const Tested& one) { return one.p_value; },
        [](Tested& one, double adjusted) { one.adjusted = adjusted; });
    std::vector<double> all;
    for (const Tested& each : tests) all.push_back(each.adjusted);
    return all;
}

}  // namespace ldp
