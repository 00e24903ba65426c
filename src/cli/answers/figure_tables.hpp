// The numbers of a figure as tables, all with one precision.
#pragma once

#include <string>
#include <vector>

#include "cli/answers/document.hpp"

namespace ldp::cli {

/// The numbers of a figure in the order of its drawing, in four columns, which fit on a telephone. The first
/// column is the subject of a row, with its number of reports and its note where rows differ.
[[nodiscard]] Table table_of(const Figure& figure, double confidence);
/// The numbers of a figure as one or several tables: for rounds or groups of people, matrices with at most
/// this number of estimates in a row. A cell has the estimate and its margin of error.
[[nodiscard]] std::vector<Table> tables_of(const Figure& figure, double confidence,
                                           std::size_t most_columns = 5);
/// The note of all rows; empty if they differ.
[[nodiscard]] std::string common_note(const Figure& figure);
/// "p < 0.001".
[[nodiscard]] std::string p_value_text(double p_value);

}  // namespace ldp::cli
