// The JSON Schema of specs, for editors: the table of keys and the registry of mechanisms, as JSON Schema 2020-12.
#pragma once

#include <string>

namespace ldp::cli {

/// Returns the schema as JSON. A spec that it rejects is invalid. It does not check rules between keys.
[[nodiscard]] std::string spec_schema();

}  // namespace ldp::cli
