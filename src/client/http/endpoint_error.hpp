// Errors from the responses of an endpoint (ldp collect).
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace ldp {

/// Returns the Error (environment) for a response with this failure status. The endpoint's body is JSON as in
/// RFC 9457; a proxy may send any body. The detail quotes the body; message and hint contain no part of it.
/// `receipt` is true if the response has the right receipt. If a required receipt is missing, the error
/// states that the response does not come from the endpoint.
[[nodiscard]] Error endpoint_error(std::string_view doing, unsigned status, std::string_view body,
                                   bool receipt = false);

}  // namespace ldp
