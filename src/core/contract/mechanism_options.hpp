// The options of mechanisms in a spec, as JSON.
#pragma once

#include <vector>

#include "core/contract/json_object.hpp"

namespace ldp {

/// Reads an option from an object into `values`, or its default if the key is missing and the option has one.
/// `attributes` are the attributes of the mechanism. Throws Error (invalid_spec) for a value out of bounds.
void read_option(JsonObject& object, const Option& option, const std::vector<Attribute>& attributes,
                 OptionValues& values);

/// The value of an option as read_option() reads it.
[[nodiscard]] Json option_json(const Option& option, const OptionValue& value,
                               const std::vector<Attribute>& attributes);

}  // namespace ldp
