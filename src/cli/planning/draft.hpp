// Drafts of specs from files of people's values.
#pragma once

#include <string>

#include "cli/input/csv.hpp"

namespace ldp::cli {

/// Writes a spec for the columns of a file to standard output. Writes a note on each column and a warning
/// to standard error. Throws the errors of the reader, and Error (malformed) if the file has no rows, or no
/// column that can be an attribute.
int draft_spec(const std::string& name, const CsvFormat& format);

}  // namespace ldp::cli
