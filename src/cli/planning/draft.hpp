// Drafts of specs from CSV files.
#pragma once

#include <string>

namespace ldp::cli {

/// Writes a spec for the columns of a CSV file to standard output. Writes a note on each column and a warning
/// to standard error. Throws the errors of the reader, and Error (malformed) if the file has no rows, or no
/// column that can be an attribute.
int draft_spec(const std::string& name);

}  // namespace ldp::cli
