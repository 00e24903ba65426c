// What an endpoint (ldp collect) says of a failure.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace ldp {

/// The Error (environment) for an answer of this status that is a failure. Of the endpoint the body is JSON
/// as RFC 9457 has it, of a proxy in front of it anything.
[[nodiscard]] Error endpoint_error(std::string_view doing, unsigned status, std::string_view body);

}  // namespace ldp
