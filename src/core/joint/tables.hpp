// Cross tables as they were reported, one for each view.
#pragma once

#include "core/joint/table.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// The unbiased table of every view that anybody reported on, in the order of the views; their people are
/// different ones. The variance is that of even shares. Throws Error: unsupported if the reports do not tell
/// several attributes together, or repeat; invalid_value if there are none.
[[nodiscard]] std::vector<Table> tables(const SummaryView& view);

}  // namespace ldp
