// Covariance, correlation and linear regression of the numbers of a record, from the means of their products
// (spec/products.hpp).
//
// Errors follow by the delta method, to the first order in the moments' errors. Denominators are variances,
// shares of groups, and residual variances of predictors given the others.
//
// The interval of a coefficient consists of the values at which numerator − value·denominator is within its error (Fieller
// 1954). If the denominator is not significantly greater than 0, the interval of a coefficient is unbounded, and that of a
// correlation is [−1, 1].
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/unknown.hpp"
#include "core/mechanism/role/settings.hpp"
#include "core/regression/record_moments.hpp"

namespace ldp {

/// A summary of a record with these attributes of its spec, and the target of the estimates.
struct Joint {
    const SummaryView& view;
    std::span<const Attribute> attributes;
    Target target = Target::sample;
};

/// An estimate, and the attribute with the fewest reports among those that it uses. The estimate is NaN if a
/// moment has no reports, or fewer than the spec's min_group, and for the reason in the note.
struct MomentEstimate {
    Estimate estimate;
    Interval interval;
    std::size_t scarcest;
    std::string note = {};  ///< the reason of the interval [−1, 1] without an estimate
};

// Attributes are given by name. `critical_value` is that of intervals. All functions throw Error
// (unsupported) unless the reports contain single attributes of a record, including all required products. They throw Error (invalid_value) if there are no reports, if the record does
// not have an attribute, or if the attributes belong to another record.

/// Returns the covariance of two numbers; for a number and itself, its variance.
[[nodiscard]] MomentEstimate covariance(const Joint& joint, const std::string& x, const std::string& y,
                                        double critical_value);
/// Returns Pearson's correlation. The interval contains all ρ in −1 to 1 that are compatible with the
/// estimates and their errors (Fieller 1954). The estimate may lie outside of −1 to 1.
[[nodiscard]] MomentEstimate correlation(const Joint& joint, const std::string& x, const std::string& y,
                                         double critical_value);

/// Least squares: of = intercept + Σ slope·on. If `group` is given, each of its values has an intercept
/// (fixed effects). Without predictors, the intercepts are the means of the groups.
struct RegressionDesign {
    std::string of;
    std::vector<std::string> on;
    std::optional<std::string> group;
};

/// A coefficient of a regression.
struct Coefficient {
    Estimate estimate{unknown, unknown};  ///< NaN if the interval is unbounded
    Interval interval{unknown, unknown};
    std::string note = {};  ///< the reason of an unbounded interval
};

struct Regression {
    std::vector<Coefficient> intercepts;  ///< of each group, or a single one
    std::vector<Coefficient> slopes;      ///< of the predictors, in order
    /// The explained share of the variance; NaN with the cause in the note.
    Estimate r_squared;
    std::string r_squared_note;
    std::size_t scarcest;  ///< as MomentEstimate::scarcest
};
[[nodiscard]] Regression regression(const Joint& joint, const RegressionDesign& design,
                                    double critical_value);

}  // namespace ldp
