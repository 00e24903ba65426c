// Simulations on files of people's values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/command.hpp"
#include "cli/input/csv.hpp"
#include "client/collection.hpp"
#include "simulation/life.hpp"

namespace ldp::cli {

/// Simulates repeated runs in which each person in the file of --data reports once. Prints the errors beside
/// the predicted errors.
int simulate_once(const Arguments& arguments, const Collection& collection);

/// Reads the values of a spec's only attribute from a file, by person and round. `columns` is the text of
/// the option `option`, which names the three columns. Rows may be in any order. A value is valid until the
/// next value of the person, and the first value is also valid before its round. Throws Error: malformed or
/// invalid_value for invalid rows, unsupported for specs of several attributes.
[[nodiscard]] std::vector<std::vector<double>> read_series(const std::string& name,
                                                           const std::string& columns, const char* option,
                                                           const CsvFormat& format,
                                                           const Collection& collection);

/// Reads the people in the file of --fixed, as many as the file has and at most `most`: the values of the
/// attributes without a stream, from columns of their names. Other attributes have the value 0. Throws Error
/// (malformed or invalid_value) for invalid rows.
[[nodiscard]] std::vector<std::vector<double>> read_fixed(
    const Arguments& arguments, const Collection& collection,
    const std::vector<std::optional<simulation::Stream>>& streams, std::uint64_t most);

}  // namespace ldp::cli
