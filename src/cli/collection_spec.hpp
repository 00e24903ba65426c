// The spec of a collection in a database, for commands that take a spec.
#pragma once

#include <string>

namespace ldp::cli {

/// Returns the canonical spec of a collection as JSON. The environment of libpq (PGHOST, PGDATABASE, …) names
/// the database. Throws Error (environment) if the database cannot be reached or has no such collection.
[[nodiscard]] std::string collection_spec(const std::string& name);

}  // namespace ldp::cli
