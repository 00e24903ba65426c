// Public columns that are filled from the columns of a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/delivery/public_values.hpp"

namespace ldp::cli {

/// A public column, and the column of the file with its values.
struct PublicSource {
    PublicColumn column;
    std::string source;
};

/// Returns whether the column has a type of numbers.
[[nodiscard]] bool is_public_number(const PublicColumn& column);

/// Sets the value of a public column in one row. An empty field is no value, so the column takes its default.
///
/// Throws Error (invalid_value) if the field is too long or not UTF-8, or if it is empty and the column needs
/// a value. Numbers, truth values, dates and times (ISO 8601) are checked here; the server checks other
/// types.
void set_public_value(PublicValues& values, const PublicColumn& column, std::string_view field);

}  // namespace ldp::cli
