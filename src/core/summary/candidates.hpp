// Which of many candidate values people hold, where reports are Bloom filters: there may be more candidates
// than bits, and no estimate for each.
#pragma once

#include <string_view>
#include <vector>

#include "core/mechanism/longitudinal/candidate_search.hpp"
#include "core/summary/top.hpp"

namespace ldp {

/// "nnls" or "lasso"; throws Error (invalid_value).
[[nodiscard]] CandidateMethod candidate_method_named(std::string_view name);

/// The values that the reports speak for, the largest estimates first. All values of the domain count as
/// tested, also those that were not selected, which have no p-value of their own. After a selection p-values
/// and standard errors are approximate: they hold if the values that were not selected are spread evenly over
/// the filters' bits, many with a small share each. Values whose bits agree in every cohort cannot be told
/// apart; one stands for all. Throws Error: unsupported if every value has an estimate of its own (see
/// top.hpp), invalid_value if there are no reports.
[[nodiscard]] std::vector<Ranked> candidates(const SummaryView& view, CandidateMethod method,
                                             Control control);

}  // namespace ldp
