// Public columns that are filled from the columns of a file.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "core/delivery/public_values.hpp"

namespace ldp::cli {

/// A public column, and the column of the file with its values.
struct PublicSource {
    PublicColumn column;
    std::string source;
};

/// Adds --public.
void add_public_options(Options& options);
/// The public columns that the user named, before any server is asked.
struct NamedColumn {
    std::string name, source;
};
/// Returns the columns that --public names: COLUMN, or COLUMN=NAME, separated at the first "=". Throws
/// UsageError for an empty name or a column that is named twice.
[[nodiscard]] std::vector<NamedColumn> public_option(const Arguments& arguments);
/// Returns the named columns with their types. The list of the server cannot add columns. Throws Error
/// (incompatible) if it lacks a named column, or contains a required column that was not named.
[[nodiscard]] std::vector<PublicSource> public_sources(const std::vector<NamedColumn>& named,
                                                       const std::vector<PublicColumn>& offered);

/// Returns whether the column has a type of numbers.
[[nodiscard]] bool is_public_number(const PublicColumn& column);

/// Sets the value of a public column in one row. An empty field is no value, so the column takes its default.
///
/// Throws Error (invalid_value) if the field is too long or not UTF-8, or if it is empty and the column needs
/// a value. The form of numbers, truth values, dates and times (ISO 8601) is checked here. The server checks all values
/// (submission/value_check.hpp).
void set_public_value(PublicValues& values, const PublicColumn& column, std::string_view field);

/// Values of public columns that the server refuses, with its reasons, by the name of the column.
using RefusedValues = std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>>;
/// Returns the error for such a value.
[[nodiscard]] Error refused_value(const std::string& column, const std::string& value,
                                  const std::string& reason);

}  // namespace ldp::cli
