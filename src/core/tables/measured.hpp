// Joint estimates of several attributes, independent of the mechanism that collected them.
#pragma once

#include <variant>
#include <vector>

#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/role/summary_view.hpp"
#include "core/tables/table.hpp"

namespace ldp {

using Details = JointViews::Details;

/// A table, or the Haar coefficients, of every view with reports, in the order of the views, from different
/// people. A table's variance is the variance for even shares. If people's reports repeat, variance and
/// people are computed from the lower bound of the number of people.
using Measured = std::variant<std::vector<Table>, std::vector<Details>>;

/// Returns unbiased estimates. Error: unsupported if the reports do not cover several attributes together, or
/// if required rounds are unknown; invalid_value if there are no reports.
[[nodiscard]] Measured measured(const SummaryView& view);

/// Returns the same estimates for a model. Error (unsupported) also if there are fewer reports than the
/// min_group of the spec.
[[nodiscard]] Measured measured_for_model(const SummaryView& view);

}  // namespace ldp
