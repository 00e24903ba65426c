// Means of one part of a record, and estimates without the rounding of numbers.
#pragma once

#include <vector>

#include "core/mechanism/role/estimate.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// Returns the means of the part with an attribute: of that attribute alone, or of all elements of its
/// vector. Other parts of a record are not estimated. The means are unknown if the part has no reports, and
/// the result is empty if it has no means. Error invalid_value if there is no such attribute or no report.
[[nodiscard]] std::vector<Estimate> means_of_part(const SummaryView& view, std::size_t attribute,
                                                  Target target);

/// Returns the result of estimate(), except that errors for the people who reported include only the noise,
/// without the rounding of their numbers.
[[nodiscard]] std::vector<Estimate> estimate_without_rounding(const SummaryView& view,
                                                              const Question& question);

}  // namespace ldp
