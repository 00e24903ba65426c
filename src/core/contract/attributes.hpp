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
/// Throws Error (invalid_spec): there is no mechanism with this name, or this build does not contain it.
[[noreturn]] void refuse_mechanism_name(const std::string& name);
/// Returns whether an attribute may have this name.
[[nodiscard]] bool is_attribute_name(std::string_view name);
/// Returns whether a text contains control characters. Names and sentences must not contain any.
[[nodiscard]] bool has_control(std::string_view text);

/// Returns the label of an element of a vector: its name without the name of the vector.
[[nodiscard]] std::string element_label(const Attribute& element);

/// Reads the array "attributes", or the short form of a single attribute without the array: {"domain": …}, or
/// {"min": …, "max": …}, as keys of the spec. Throws Error (invalid_spec).
[[nodiscard]] std::vector<Attribute> read_attributes(JsonObject& top);

/// Reads the JSON array "attributes" of a canonical spec. Returns no attributes for an empty array.
[[nodiscard]] std::vector<Attribute> read_attributes(std::string_view json);

}  // namespace ldp
