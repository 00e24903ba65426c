// How sure a summary is of what it tells, beyond the standard errors of its estimates.
#pragma once

#include "core/mechanism/error_law.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// The law of the estimates that are about one attribute, which there is: for interval(). The normal one
/// where people's reports repeat each other.
[[nodiscard]] ErrorLaw error_law(const SummaryView& view, std::size_t attribute, Target target);

}  // namespace ldp
