// What an endpoint (ldp collect) says of a failure.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace ldp {

/// The Error (environment) for an answer of this status that is a failure. Of the endpoint the body is JSON
/// as RFC 9457 has it, of a proxy in front of it anything. `receipt` says whether the answer has the right
/// receipt; if it needs one and has none, the error says that something other than the endpoint answered.
[[nodiscard]] Error endpoint_error(std::string_view doing, unsigned status, std::string_view body,
                                   bool receipt = false);

}  // namespace ldp
