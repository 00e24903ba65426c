// The spec and the public columns of a collection in a database, for commands that take a spec.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/delivery/public_values.hpp"

namespace ldp::cli {

/// Returns the NAME of an argument "collection:NAME"; nothing for any other spec.
[[nodiscard]] std::optional<std::string> collection_name(const std::string& given);

/// Returns the canonical spec of a collection as JSON. The environment of libpq (PGHOST, PGDATABASE, …) names
/// the database. Throws Error (environment) if the database cannot be reached or has no such collection.
[[nodiscard]] std::string collection_spec(const std::string& name);
/// Returns the public columns of the collection. Throws as collection_spec() does.
[[nodiscard]] std::vector<PublicColumn> collection_columns(const std::string& name);

}  // namespace ldp::cli
