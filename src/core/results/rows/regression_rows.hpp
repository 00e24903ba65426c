// Rows of curves: the mean of a number as a function of a public column.
#pragma once

#include "core/results/row_functions.hpp"

namespace ldp {

/// A row for each design point, in ascending order: the curve there. The query has the design points in
/// SummaryQuery::shares, and their summaries in SummaryQuery::summaries, in the same order. SummaryQuery::value is the
/// bandwidth. The function is not in row_functions(), because hosts pass groups in different ways.
[[nodiscard]] const RowFunction& kernel_regression_function() noexcept;

}  // namespace ldp
