// The attributes of a spec, as JSON tells them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/mechanism/settings.hpp"

namespace ldp {

class JsonObject;

/// The mechanisms that a spec may name, for errors: "one of auto, grr, …".
[[nodiscard]] std::string mechanism_names();
/// Whether text holds control characters, which no name or sentence may.
[[nodiscard]] bool has_control(std::string_view text);

/// "attributes", or what a single attribute may be written as without the array: {"domain": …}, or {"min": …,
/// "max": …}, at the top. Throws Error (invalid_spec).
[[nodiscard]] std::vector<Attribute> read_attributes(JsonObject& top);

/// The same from an array of attributes, as a canonical spec or with_labels() has it; none from an empty one.
[[nodiscard]] std::vector<Attribute> read_attributes(std::string_view json);

/// The "attributes" of a canonical spec, where numbers in bins also have the bins' labels as their "domain".
/// Throws as Spec::from_json does.
[[nodiscard]] std::string with_labels(std::string_view attributes);

}  // namespace ldp
