// Logistic regression of a private outcome, from the counts of a channel whose moments are known exactly.
//
// The shares π of the cells (predictors, outcome) are π = g·P(outcome | predictors; β). The distribution g of private
// predictors is estimated together with the coefficients β. With V the covariance of a report's estimated shares f under π,
// β and g ≥ 0 solve Dᵀ V⁻(f − π) = 0 with D = ∂π/∂(β, g) (quasi-likelihood, Wedderburn 1974). If a report is one cell, the
// counts are multinomial, and this is the derivative of the exact log-likelihood. It is also exact if there is one cell of
// predictors, because the count of one value is binomial. For other channels, such as subset selection, the counts are not
// multinomial. Among estimating functions that are linear in the counts, this one has the smallest asymptotic variance.
//
// V of a table with shares of unequal numbers of cells is diag(even·cells + held·π) minus a matrix of rank two
// (FrequencyOracle::ContrastMoments). No covariance matrix is inverted, and the work is linear in the cells apart from a
// factorization for g.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/regression/product_regression.hpp"

namespace ldp {

/// The most combinations of values of private predictors.
inline constexpr std::size_t max_predictor_cells = 256;

/// Estimated shares of one group of reports: two for each combination of predictors, without and with the outcome.
struct OutcomeTable {
    std::uint64_t reports = 0;
    double people = 0;          ///< number of reports, each of another person
    double even = 0, held = 0;  ///< FrequencyOracle::ContrastMoments
    bool exact = false;  ///< whether the counts are multinomial or binomial, so that the likelihood is exact
    std::vector<double> shares = {};  ///< they add up to 1
    std::vector<double> cells = {};   ///< number of cells of the reports that each share adds up
};

/// Reports with the same values of public predictors. The tables are of different people.
struct OutcomeGroup {
    std::vector<OutcomeTable> tables;
    std::vector<double>
        design;  ///< the values of all terms, one combination of private predictors after another
};

/// A term of the linear predictor.
struct LogisticTerm {
    bool number = false;     ///< a numeric predictor; otherwise it is 0 or 1
    bool intercept = false;  ///< the intercept, or that of a group
};

/// Returns the coefficients of the terms: changes of the log odds of the outcome. Their errors are from the observed
/// information if the counts have an exact likelihood, and from the sandwich estimate otherwise. A coefficient without bounds
/// has a note: if predictors separate the outcomes or depend on each other, or if there are too few reports. The errors are
/// those for a population.
[[nodiscard]] std::vector<Coefficient> logistic_fit(std::span<const OutcomeGroup> groups,
                                                    std::span<const LogisticTerm> terms,
                                                    double critical_value);

}  // namespace ldp
