// Intervals for estimates whose error is not normal: estimates from few reports, and shares and means that
// are linear in a count.
//
// All functions that make intervals from a critical value. test/structure/run rejects a critical value in a product
// or a quotient in any other file:
//
//   interval()               core/mechanism/role/error_law.hpp             estimates with an error law
//   interval()               core/mechanism/role/estimate.hpp              the normal law
//   robust_interval()        core/mechanism/role/forgery.hpp               a bounded share of forged reports
//   quantile()               core/mechanism/ordered/ordered_estimator.hpp  quantiles of a distribution
//   interval_of_quotient()   core/tables/quotient.hpp                      conditional shares
//   Marginal::quotient()     core/tables/marginal.hpp                      the same, with what few reports may not show
//   associated()             core/models/contingency.hpp                   measures of association
//   difference()             core/groups/difference.hpp                    differences of groups
//   correlation()            core/regression/product_regression.hpp        correlations
//   extended()               core/summary/spent.hpp                        intervals with a bounded bias
//   answered_interval()      core/mechanism/mean/optional_mean.cpp         means of answers that may be missing
//   answered_mean_interval() core/mechanism/ordered/drawn_levels.cpp       the same, from distributions
//   means_of_groups()        core/regression/means_of_groups.cpp           means of a number by a private group
//   direction_of()           core/mechanism/circular/mean_direction.cpp    mean directions
//   length_of()              core/mechanism/circular/mean_direction.cpp    mean resultant lengths
//
// combined_interval() in core/summary/errors.hpp combines intervals and has no critical value.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>

#include "core/mechanism/role/capability.hpp"

namespace ldp {

/// Variance and third central moment of an estimate as functions of the true value f: the cumulants of a mean
/// of `n` terms, as polynomials in f.
struct TruthCurve {
    using Cubic = std::array<double, 4>;  ///< coefficients of 1, f, f², f³

    double n = 0;      ///< number of reports; 0 if the dependence on f is unknown
    Cubic variance{};  ///< n·variance
    Cubic third{};     ///< n²·(third central moment)

    /// Second and third moments of the term of one report, for users who hold the value and for all others.
    /// The mean of a term is f. of_terms() returns the curve for the given target.
    struct TermMoments {
        double second, third;
    };
    [[nodiscard]] static TruthCurve of_terms(double n, const TermMoments& holders, const TermMoments& others,
                                             Target target) noexcept;
    /// Returns the curve through the given cumulants at the true values 0, 1/3, 2/3 and 1.
    [[nodiscard]] static TruthCurve through(double n, const Cubic& variances, const Cubic& thirds) noexcept;

    /// Returns the curve with `weight` times the cumulants of one curve and 1 − weight times the cumulants of
    /// the other. Both must have the same n.
    [[nodiscard]] static TruthCurve mixed(const TruthCurve& one, const TruthCurve& other,
                                          double weight) noexcept;

    /// Returns the curve of one minus the estimate.
    [[nodiscard]] TruthCurve mirrored() const noexcept;
    [[nodiscard]] double variance_at(double truth) const noexcept;
    [[nodiscard]] double third_at(double truth) const noexcept;
};

/// The distribution of an estimate about the true value, with the parameters that intervals depend on. The
/// default is the normal law.
struct ErrorLaw {
    /// Number of reports if the estimate is linear in a count of reports; 0 otherwise.
    std::uint64_t n = 0;
    /// Probability that a report is counted, for a user at the upper end (p) and at the lower end (q) of
    /// `truths`.
    double p = 1, q = 0;
    /// True if every user is at one of the two ends and the target is the sample. The estimand is then the
    /// number of users at the upper end. If false, each report is counted with the same probability.
    bool counts_people = false;
    /// Possible true values. The ends are finite if the estimate is linear in a count.
    Interval truths{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    /// For an estimate that is not linear in a count: the variance at each possible true value, as a share of
    /// the distance between the ends of `truths`.
    TruthCurve curve = {};
    /// For a share of a population whose noise is known at the estimate only: the number of sampled users.
    /// The sampling error f(1 − f)/people at the true value f is added to the variance. 0 otherwise.
    double people = 0;
    /// Degrees of freedom of an estimated standard error; 0 if the standard error is exact.
    double degrees_of_freedom = 0;
    /// Standard deviation of a component that few reports may not show. Its square is added to the square of
    /// the standard error.
    double unseen_error = 0;
};

/// The possible values of a share.
inline constexpr Interval possible_shares{0, 1};
/// Returns the law of a share of which only the range of possible values is known.
[[nodiscard]] constexpr ErrorLaw law_of_share() noexcept {
    return {.truths = possible_shares};
}

/// Returns variance and third moment of an estimate at each possible true value, as a share of the distance
/// between the ends of `truths` (0 and 1 for a share). The result is empty if they do not depend on the true
/// value. The component `unseen_error` is not included.
[[nodiscard]] std::optional<TruthCurve> curve_of(const Estimate& estimate, const ErrorLaw& law) noexcept;

/// Returns the interval of an estimate: `critical_value` standard errors to either side, or the limits with
/// the same coverage under the law.
///
/// If the estimate is linear in a count with a standard deviation below 10, the interval consists of the true
/// values that an exact binomial test accepts. The observed count has half its probability (mid-P; Lancaster
/// 1961). If the share has a curve, the interval consists of the true values within `critical_value` standard
/// errors of the estimate. The standard error is taken at the true value (Wilson 1927) and corrected for the
/// skewness there (Cornish, Fisher 1938).
///
/// The interval contains the estimate, which may lie outside the possible values, and at least one possible
/// value. If no possible value is compatible with the estimate, the interval contains the nearest one.
[[nodiscard]] Interval interval(const Estimate& estimate, double critical_value, const ErrorLaw& law);

/// Capability of mechanisms whose estimates have known errors.
class KnownErrors : public Capability {
  public:
    static constexpr const char* offers = "the distribution of its errors";

    /// Returns the law of an estimate from n ≥ 1 reports, one per user.
    [[nodiscard]] virtual ErrorLaw error_law(std::uint64_t n, Target target) const noexcept = 0;
    /// Calls `visit` with the law of each share that estimate() returns, in order, if the laws are different and depend
    /// on the counts. Returns false without a call if all follow error_law(). Requires n ≥ 1 reports, one per user.
    virtual bool visit_laws(const Counts& /*counts*/, Target /*target*/,
                            const std::function<void(const ErrorLaw&)>& /*visit*/) const {
        return false;
    }
};

}  // namespace ldp
