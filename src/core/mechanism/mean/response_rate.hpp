// Estimates of numbers that people may leave out: the response rate, and the mean among the people who answer.
#pragma once

#include "core/mechanism/error_law.hpp"

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

/// Capability of mechanisms for a number that people may leave out. estimate() returns the mean among the
/// people who answer.
class ResponseRate : public Capability {
  public:
    static constexpr const char* offers = "the share of people who answer";

    /// Returns the estimated share of people who answer; n ≥ 1. It may lie outside 0 to 1.
    [[nodiscard]] virtual Estimate response_rate(const Counts& counts, Target target) const = 0;
    /// Returns the law of this estimate.
    [[nodiscard]] virtual ErrorLaw response_law(const Counts& counts, Target target) const = 0;
    /// Returns the interval of the mean among the people who answer; n ≥ 1. If the reports do not exclude that
    /// hardly anybody answers, it is the whole range.
    [[nodiscard]] virtual Interval answered_interval(const Counts& counts,
                                                     const AnsweredInterval& terms) const = 0;
    /// Returns the variances at a response rate.
    [[nodiscard]] virtual AnsweredVariances variances(double response_rate, const AnsweredMoments& answers,
                                                      Target target) const = 0;
};

}  // namespace ldp
