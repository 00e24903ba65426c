// Estimates of numbers that people may leave out: the response rate, and the mean among the people who answer.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// The terms of an interval of a mean among the people who answer.
struct AnsweredInterval {
    Target target = Target::sample;
    double critical_value = 0;
    double repetitions = 1;  ///< largest number of reports of one person
    double forged = 0;       ///< largest share of forged reports
    double margin =
        0;  ///< extension of the declared range, in halves of it, to which the interval is clipped
};

/// Distribution of the numbers of the people who answer: moments on [−1,1].
struct AnsweredMoments {
    double mean, mean_square;
};

/// n·Var of the mean on [−1,1], to first order in 1/n, and n·Var of the response rate.
struct AnsweredVariances {
    double mean, rate;
};

/// Unbiased terms of the mean θ of a function f of the numbers among the people who answer: the root of the mean of f − θ,
/// which is 0 for people without a number. Groups are combined by adding these terms, because the root is a ratio and cannot be
/// added.
struct AnsweredMean {
    double sum,
        rate;  ///< the mean of f over all people, 0 without a number, and the share who answer; not clipped
    std::array<double, 3> square;  ///< variance of the mean of f − θ: coefficients of 1, θ, θ²

    [[nodiscard]] double at(double mean) const noexcept { return sum - mean * rate; }
    [[nodiscard]] double error(double mean) const noexcept {
        return std::sqrt(std::max(0.0, square[0] + mean * (square[1] + mean * square[2])));
    }
};

/// Returns whether hardly anybody may answer. The mean among the people who answer then has no meaning: estimate() clips it to the
/// range, so that no sum and no difference may use it. `rate` is the estimate for a population.
[[nodiscard]] inline bool hardly_answered(const Estimate& rate) noexcept {
    constexpr double clear = 1.96;
    return !(rate.value > clear * rate.standard_error);
}

/// Returns the coefficients of a polynomial of degree 2 from its values at 0, 1/2 and 1.
[[nodiscard]] inline std::array<double, 3> quadratic_through(double begin, double middle,
                                                             double end) noexcept {
    return {begin, 4 * middle - 3 * begin - end, 2 * (begin + end) - 4 * middle};
}

/// Returns the farthest accepted mean from `start` towards `to`: `to` itself, or the result of a bisection.
template <class Accepted>
[[nodiscard]] double last_accepted(double start, double to, const Accepted& accepted) {
    if (accepted(to)) return to;
    double inside = start, outside = to;
    for (int halving = 0; halving < 48; ++halving) {
        const double middle = (inside + outside) / 2;
        (accepted(middle) ? inside : outside) = middle;
    }
    return inside;
}

/// Returns the interval of the accepted means between `ends`, searched from an estimate outwards. An estimate beyond an end
/// stays in the interval, which then reaches to the far end of estimate ± half.
template <class Accepted>
[[nodiscard]] Interval accepted_means(double estimate, double half, const Interval& ends,
                                      const Accepted& accepted) {
    const double nearest = std::clamp(estimate, ends.lower, ends.upper);
    const bool possible = accepted(nearest);
    if (!possible && nearest == estimate) return ends;
    Interval found{nearest, nearest};
    if (possible)
        found = {last_accepted(nearest, ends.lower, accepted), last_accepted(nearest, ends.upper, accepted)};
    if (estimate > nearest) found.upper = std::max(found.upper, estimate + half);
    if (estimate < nearest) found.lower = std::min(found.lower, estimate - half);
    return found;
}

/// Capability of mechanisms for a number that people may leave out. estimate() returns the mean among the
/// people who answer.
class ResponseRate : public Capability {
  public:
    static constexpr const char* offers = "the share of people who answer";

    /// Returns the estimated share of people who answer; n ≥ 1. It may lie outside 0 to 1.
    [[nodiscard]] virtual Estimate response_rate(const Counts& counts, Target target) const = 0;
    /// Returns the law of this estimate.
    [[nodiscard]] virtual ErrorLaw response_law(const Counts& counts, Target target) const = 0;
    /// Returns the terms of the mean, as a share of the range, for sums over groups; n ≥ 1.
    [[nodiscard]] virtual AnsweredMean answered_mean(const Counts& counts, Target target) const = 0;
    /// Returns the interval of the mean among the people who answer; n ≥ 1. If the reports do not exclude that
    /// hardly anybody answers, it is the whole range. It contains an estimate beyond the range.
    [[nodiscard]] virtual Interval answered_interval(const Counts& counts,
                                                     const AnsweredInterval& terms) const = 0;
    /// Returns the variances at a response rate.
    [[nodiscard]] virtual AnsweredVariances variances(double response_rate, const AnsweredMoments& answers,
                                                      Target target) const = 0;
};

}  // namespace ldp
