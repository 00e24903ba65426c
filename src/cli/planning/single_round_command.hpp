// Simulations on files of people's values.
#pragma once

#include <vector>

#include "cli/command.hpp"
#include "client/collection.hpp"

namespace ldp::cli {

/// Simulates repeated runs in which each person in the file of --data reports once. Prints the errors beside
/// the predicted ones.
int simulate_once(const Arguments& arguments, const Collection& collection);

/// Reads the values of a spec's only attribute from the file of --data, by person and round. --series names
/// the columns. A value holds until the person's next one, and the first one also holds before its round.
/// Throws Error: malformed or invalid_value for invalid rows, unsupported for specs of several attributes.
[[nodiscard]] std::vector<std::vector<double>> read_series(const Arguments& arguments,
                                                           const Collection& collection);

}  // namespace ldp::cli
