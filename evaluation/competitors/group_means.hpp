// Means of a number by a private group, through means_by_group and through the mechanism of Raab et al. (2025).
#pragma once

#include <cstddef>

namespace evaluation {

/// Prints the root mean squared error of the means of five age groups, and the coverage of intervals, as a Markdown table.
void print_group_mean_table(std::size_t repetitions);

}  // namespace evaluation
