// Cross tables as they were reported, one for each view.
#pragma once

#include "core/joint/table.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// The unbiased table of every view that anybody reported on, in the order of the views; their people are
/// different ones. The variance is that of even shares. Where people's reports repeat, variance and people
/// are those of as few people as they can be of. Throws Error: unsupported if the reports do not tell several
/// attributes together, or were counted without the rounds that it takes; invalid_value if there are none.
[[nodiscard]] std::vector<Table> tables(const SummaryView& view);

/// The same for a model, which shows nothing of itself that is not an estimate: throws Error (unsupported) of
/// fewer reports than the spec's min_group, too.
[[nodiscard]] std::vector<Table> tables_for_model(const SummaryView& view);

}  // namespace ldp
