// Intervals where the normal law does not hold: of few reports, and of shares and means that follow from a
// count.
#pragma once

#include <array>
#include <limits>

#include "core/mechanism/capability.hpp"

namespace ldp {

/// How the variance and the skewness of an estimate depend on what it estimates: the cumulants of a mean of
/// `n` terms as polynomials in the truth f.
struct TruthCurve {
    using Cubic = std::array<double, 4>;  ///< coefficients of 1, f, f², f³

    double n = 0;      ///< the number of reports; 0 if the dependence is not known
    Cubic variance{};  ///< n·variance
    Cubic third{};     ///< n²·(third central moment)

    /// The mean of one term a report with the mean f, where the second and the third moment of a term are
    /// these for people who hold the value and for all others. Against the people who reported, or against a
    /// population.
    struct TermMoments {
        double second, third;
    };
    [[nodiscard]] static TruthCurve of_terms(double n, const TermMoments& holders, const TermMoments& others,
                                             Target target) noexcept;
    /// The same from the cumulants at the truths 0, 1/3, 2/3 and 1.
    [[nodiscard]] static TruthCurve through(double n, const Cubic& variances, const Cubic& thirds) noexcept;

    [[nodiscard]] double variance_at(double truth) const noexcept;
    [[nodiscard]] double third_at(double truth) const noexcept;
};

/// How an estimate is distributed about what it estimates, as far as its interval depends on it. By default
/// the normal law.
struct ErrorLaw {
    /// The number of reports of which the estimate follows by a count; 0 if it follows from no count.
    std::uint64_t n = 0;
    /// The probability that a report counts, of a person at the upper end of `truths` and at the lower.
    double p = 1, q = 0;
    /// Whether every person is at one of the ends, and they are the people who reported: their number at the
    /// upper end is what is estimated. Otherwise each report counts with the same probability.
    bool counts_people = false;
    /// The possible values of what is estimated: finite ends if there is a count.
    Interval truths{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    /// Of a share that follows from no count, its variance at each possible truth.
    TruthCurve curve = {};
    /// The number of people from a population of which a share is estimated, where only the noise at the
    /// estimate is known: the variance has f(1 − f)/people, f being the truth, beside it. 0 otherwise.
    double people = 0;
    /// Where the standard error is itself estimated, of so many degrees of freedom; 0 if it is not.
    double degrees_of_freedom = 0;
    /// Variance beside that of the standard error, for what reports so few may not show.
    double unseen = 0;
};

/// The possible values of a share.
inline constexpr Interval possible_shares{0, 1};
/// The law of a share of which no more is known than that it is one.
[[nodiscard]] constexpr ErrorLaw law_of_share() noexcept {
    return {.truths = possible_shares};
}

/// The interval of an estimate that reaches `reach` standard errors, or as far as the law does with the same
/// probability. Of a count whose standard deviation is below 10 it is that of all truths under which neither
/// so many nor so few are too rare, what was counted having half its probability (mid-P; Lancaster 1961). Of
/// a share with a curve it is that of all truths from which the estimate is no further than so many standard
/// errors, taken at the truth (Wilson 1927) and corrected for the skewness there (Cornish, Fisher 1938).
///
/// It contains the estimate, which may lie beyond what is possible, and at least one of the possible truths:
/// where no truth is compatible with the estimate, the nearest one.
[[nodiscard]] Interval interval(const Estimate& estimate, double critical_value, const ErrorLaw& law);

/// Estimates whose law is known.
class KnownErrors : public Capability {
  public:
    static constexpr const char* offers = "how their estimates are distributed";

    /// Of an estimate of n ≥ 1 reports of as many people.
    [[nodiscard]] virtual ErrorLaw error_law(std::uint64_t n, Target target) const noexcept = 0;
};

/// Estimates each of which has a law of its own, which depends on what was counted.
class ItemErrors : public Capability {
  public:
    static constexpr const char* offers = "how each of their estimates is distributed";

    /// The interval of each of the estimates that estimate() gives; it reaches so many standard errors. n ≥ 1
    /// reports of as many people.
    [[nodiscard]] virtual std::vector<Interval> intervals(const Counts& counts, const Question& question,
                                                          double critical_value) const = 0;
};

}  // namespace ldp
