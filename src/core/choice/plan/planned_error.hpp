// The standard errors that a spec promises, for comparison with those of estimates.
#pragma once

#include <cstddef>

#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// Returns the standard error that the spec promises for as many people as reported, for the target sample.
/// For a mean, it is the standard error in the worst case; for shares, the root mean square over all values.
/// Repeated responses of one person count once. `unit` is half the range of a number, and 1 for shares.
/// Requires reports.
[[nodiscard]] double planned_error(const SummaryView& view, std::size_t attribute, double unit);

}  // namespace ldp
