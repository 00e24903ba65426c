// A first spec from a file.
#pragma once

#include <string>

namespace ldp::cli {

/// Writes a spec for the columns of a CSV file to standard output, and to standard error what was made of
/// each, and a warning. Throws Error of the reader; malformed if there are no rows, or no column that an
/// attribute can be made of.
int draft_spec(const std::string& name);

}  // namespace ldp::cli
