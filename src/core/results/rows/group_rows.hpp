// Rows of estimates from many groups of different people: means over groups that are a sample of groups.
#pragma once

#include "core/results/row_functions.hpp"

namespace ldp {

/// The functions of groups, whose queries have the summaries. Throws Error (invalid_value) for another name.
[[nodiscard]] const RowFunction& group_function(std::string_view name);

}  // namespace ldp
