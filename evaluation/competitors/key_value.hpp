// Means of numbers that people may leave out, by optional_mean and by two mechanisms for key-value data.
#pragma once

namespace evaluation {

/// Prints n·MSE of the mean of the people who answer as Markdown tables, one for each response rate.
void print_key_value_tables();

}  // namespace evaluation
