// How often the intervals of several attributes' answers hold the truth: boxes and associations.
#pragma once

#include <cstddef>
#include <string>

namespace ldp {

/// Prints a line for each cell of the two tables, "boxes" and "associations"; of all if `only` is empty.
void joint_intervals(std::size_t repetitions, const std::string& only);

}  // namespace ldp
