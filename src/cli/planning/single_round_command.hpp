// Files of people's values that simulations run on.
#pragma once

#include <vector>

#include "cli/command.hpp"
#include "client/collection.hpp"

namespace ldp::cli {

/// Everybody in the file of --data reports once, again and again: prints errors beside their predictions.
int simulate_once(const Arguments& arguments, const Collection& collection);

/// The values of the only attribute in the file of --data, person by person and round by round: the columns
/// that --series names. A value holds until the person's next one, and the first one before it as well.
/// Throws Error: malformed or invalid_value for rows that are none, unsupported for specs of several
/// attributes.
[[nodiscard]] std::vector<std::vector<double>> read_series(const Arguments& arguments,
                                                           const Collection& collection);

}  // namespace ldp::cli
