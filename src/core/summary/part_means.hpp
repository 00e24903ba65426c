// Means of one part of a record.
#pragma once

#include <vector>

#include "core/mechanism/estimate.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// Returns the means of the part with an attribute: of that attribute alone, or of all elements of its
/// vector. Other parts of a record are not estimated. The means are unknown if the part has no reports, and
/// the result is empty if it has no means. Error invalid_value if there is no such attribute or no report.
[[nodiscard]] std::vector<Estimate> means_of_part(const SummaryView& view, std::size_t attribute,
                                                  Target target);

}  // namespace ldp
