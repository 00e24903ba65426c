// Fields of the CSV files that the command writes.
#pragma once

#include <string>
#include <string_view>

namespace ldp::cli {

/// Returns a field of CSV (RFC 4180), in quotes if it needs them. A text that a spreadsheet would take for a formula, because it
/// begins with =, +, -, @, a tab or a carriage return, begins with an apostrophe instead. Numbers are unchanged.
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace ldp::cli
