// How the numbers of a record hang together: covariance, correlation, and the regression of one on others,
// from the means of their products (spec/products.hpp).
//
// Errors follow by the delta method, to the first order in the moments' errors. It holds where what is
// divided by (a variance, a group's share, what of a predictor the others leave open) is many of its own
// standard errors from 0. Below five the answer is refused, by an error with these numbers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/mechanism/settings.hpp"
#include "core/regression/record_moments.hpp"

namespace ldp {

/// What is asked of a summary of a record with these attributes, as its spec has them.
struct Joint {
    const SummaryView& view;
    std::span<const Attribute> attributes;
    Target target = Target::sample;
};

/// An answer, and the attribute that the fewest of the reports it is from tell of. Estimates are NaN where no
/// report tells of a moment, or fewer than the spec's min_group.
struct MomentEstimate {
    Estimate estimate;
    Interval interval;
    std::size_t scarcest;
};

// All throw Error: unsupported unless the reports are of single attributes of a record and tell every product
// that is needed, or if a design is singular; invalid_value if there are no reports, an attribute is none
// of the record's, or the attributes are those of another record. Attributes are named; `reach` is that of
// intervals, in standard errors.

/// Of two numbers; of a number with itself its variance.
[[nodiscard]] MomentEstimate covariance(const Joint& joint, const std::string& x, const std::string& y,
                                        double critical_value);
/// Pearson's. The interval is of all ρ from which the estimates are no further than their errors allow
/// (Fieller 1954), within −1 to 1; the estimate may lie outside.
[[nodiscard]] MomentEstimate correlation(const Joint& joint, const std::string& x, const std::string& y,
                                         double critical_value);

/// Least squares: of = intercept + Σ slope·on, with an intercept for each value of `group` if there is one
/// (fixed effects). Without predictors that is the mean in each group.
struct RegressionDesign {
    std::string of;
    std::vector<std::string> on;
    std::optional<std::string> group;
};

struct Regression {
    std::vector<Estimate> intercepts;  ///< of every group, or the only one
    std::vector<Estimate> slopes;      ///< of the predictors, in order
    /// The share of the variance that is explained; NaN where the note says why.
    Estimate r_squared;
    std::string r_squared_note;
    std::size_t scarcest;  ///< as MomentEstimate::scarcest
};
[[nodiscard]] Regression regression(const Joint& joint, const RegressionDesign& design);

}  // namespace ldp
