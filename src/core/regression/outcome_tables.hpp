// Estimated shares of a binary outcome by private predictors, from the reports of one summary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/role/summary_view.hpp"
#include "core/regression/logistic_fit.hpp"

namespace ldp {

/// A value of an attribute, and the attributes that predict it; all by their numbers in the record.
struct OutcomeOf {
    std::size_t attribute;
    std::uint64_t value;
    std::vector<std::size_t> predictors;
};

/// Returns the number of values of an attribute, or 0 if it is a number or has strings of an open domain.
[[nodiscard]] std::uint64_t values_of(const Mechanism& mechanism, std::size_t attribute);

/// Returns a table of each view that has all the attributes, or of the reports about the only attribute. A combination of
/// predictors is a number in which the last predictor varies fastest. Repeated responses of a person count as one. Throws
/// Error (unsupported) if the reports are not about all these attributes together, if there are more than
/// max_predictor_cells combinations, or if required rounds are unknown. There may be no reports.
[[nodiscard]] std::vector<OutcomeTable> outcome_tables(const SummaryView& view, const OutcomeOf& outcome);

}  // namespace ldp
