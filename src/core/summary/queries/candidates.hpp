// Selection among candidate values if reports are Bloom filters. The number of candidates may exceed the
// number of bits, so that individual estimates do not exist.
#pragma once

#include <string_view>
#include <vector>

#include "core/mechanism/longitudinal/candidate_search.hpp"
#include "core/summary/queries/top.hpp"

namespace ldp {

/// Returns the method named "nnls" or "lasso". Error (invalid_value) for other names.
[[nodiscard]] CandidateMethod candidate_method_named(std::string_view name);

/// Returns the selected values, the largest estimates first. All values of the domain count as tested; values
/// that are not selected have no p-value. Values with equal bits in every cohort cannot be distinguished, and
/// one represents all of them.
///
/// After the selection, p-values and standard errors are approximate. They hold if the values that are not
/// selected are spread evenly over the bits of the filters, with small shares.
///
/// Error: unsupported if every value has an estimate of its own (see top.hpp), invalid_value if there are no
/// reports.
[[nodiscard]] std::vector<Ranked> candidates(const SummaryView& view, CandidateMethod method,
                                             Control control);

}  // namespace ldp
