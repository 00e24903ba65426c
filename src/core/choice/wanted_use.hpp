// The key "estimate" of a spec: the estimates for which the mechanism of an attribute is chosen.
#pragma once

#include <optional>

#include "core/choice/ordered_choice.hpp"
#include "core/contract/json_object.hpp"

namespace ldp {

/// The default of "max_report_bytes" where a distribution is wanted: reports about sets of ranges are long.
inline constexpr std::uint64_t ordered_report_bytes = 512;

/// The use of an ordered attribute that "estimate" names; nothing for "mean", or without the key. Throws Error
/// (invalid_spec) for another word, or in a record.
[[nodiscard]] std::optional<OrderedUse> ordered_use(const Json& spec);

/// The use that a choice among ordered mechanisms is about: the use that "estimate" names, otherwise the use
/// of the spec's own mechanism if it is an ordered one.
[[nodiscard]] std::optional<OrderedUse> advised_use(const Json& spec);

/// The request for the only attribute. The spec's "grid" is a part of it.
[[nodiscard]] OrderedRequest ordered_request(const Json& spec, const SelectionRequest& demand,
                                             OrderedUse use);

}  // namespace ldp
