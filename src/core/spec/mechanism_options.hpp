// The options of mechanisms in a spec, as JSON, and the key "want": the estimates for which "auto" chooses
// the mechanism of an attribute.
#pragma once

#include <optional>
#include <vector>

#include "core/choice/ordered_choice.hpp"
#include "core/spec/json_object.hpp"

namespace ldp {

/// Reads an option from an object into `values`, or its default if the key is missing and the option has one.
/// `attributes` are those of the mechanism. Throws Error (invalid_spec) for a value out of bounds.
void read_option(JsonObject& object, const Option& option, const std::vector<Attribute>& attributes,
                 OptionValues& values);

/// The value of an option as read_option() reads it.
[[nodiscard]] Json option_json(const Option& option, const OptionValue& value,
                               const std::vector<Attribute>& attributes);

/// The default of "max_report_bytes" where a distribution is wanted: reports about sets of ranges are long.
inline constexpr std::uint64_t ordered_report_bytes = 512;

/// The use of an ordered attribute that "want" names; nothing for "mean", or without the key. Throws Error
/// (invalid_spec) for another word, or in a record.
[[nodiscard]] std::optional<OrderedUse> ordered_use(const Json& spec);

/// The use that a choice among ordered mechanisms is about: that of "want", else of the spec's own mechanism
/// if it is one of them.
[[nodiscard]] std::optional<OrderedUse> advised_use(const Json& spec);

/// The request for the only attribute. The spec's "grid" is a part of it.
[[nodiscard]] OrderedRequest ordered_request(const Json& spec, const SelectionRequest& demand,
                                             OrderedUse use);

}  // namespace ldp
