// What a summary tells of several attributes together, whichever mechanism collected it.
#pragma once

#include <variant>
#include <vector>

#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/summary_view.hpp"
#include "core/tables/table.hpp"

namespace ldp {

using Details = JointCoefficients::Details;

/// A table, or the Haar details, of every view that anybody reported on, in the order of the views; their
/// people are different ones. A table's variance is that of even shares. Where people's reports repeat,
/// variance and people are those of as few people as they can be of.
using Measured = std::variant<std::vector<Table>, std::vector<Details>>;

/// Unbiased. Throws Error: unsupported if the reports do not tell several attributes together, or were
/// counted without the rounds that it takes; invalid_value if there are none.
[[nodiscard]] Measured measured(const SummaryView& view);

/// The same for a model, which shows nothing of itself that is not an estimate: throws Error (unsupported) of
/// fewer reports than the spec's min_group, too.
[[nodiscard]] Measured measured_for_model(const SummaryView& view);

}  // namespace ldp
