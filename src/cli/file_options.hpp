// Options of commands that read files of people's values.
#pragma once

#include "cli/command.hpp"
#include "cli/input/csv.hpp"

namespace ldp::cli {

/// Adds --delimiter, --decimal and --missing.
void add_file_options(Options& options);
/// Returns the delimiter that --delimiter names. Throws UsageError.
[[nodiscard]] char delimiter_option(const Arguments& arguments);
/// Returns the file format that these options select.
[[nodiscard]] CsvFormat file_format(const Arguments& arguments);
/// Returns the options that give this format, each after a space; empty for the default.
[[nodiscard]] std::string format_options(const CsvFormat& format);

}  // namespace ldp::cli
