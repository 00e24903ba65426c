// The attributes of a spec in JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/mechanism/role/settings.hpp"

namespace ldp {

class JsonObject;

/// The mechanisms that a spec may name, for errors: "one of auto, grr, …".
[[nodiscard]] std::string mechanism_names();
/// Throws Error (invalid_spec): there is no mechanism of this name, or this build leaves it out.
[[noreturn]] void refuse_mechanism_name(const std::string& name);
/// Whether text holds control characters, which no name or sentence may.
[[nodiscard]] bool has_control(std::string_view text);

/// The label of an element of a vector: its name without the vector's.
[[nodiscard]] std::string element_label(const Attribute& element);

/// "attributes", or what a single attribute may be written as without the array: {"domain": …}, or {"min": …,
/// "max": …}, at the top. Throws Error (invalid_spec).
[[nodiscard]] std::vector<Attribute> read_attributes(JsonObject& top);

/// The same from the JSON array that a canonical spec has as "attributes"; none from an empty one.
[[nodiscard]] std::vector<Attribute> read_attributes(std::string_view json);

}  // namespace ldp
