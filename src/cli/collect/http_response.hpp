// HTTP responses of the endpoint, with the message, detail and hint of an Error.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace ldp::collect {

struct HttpResponse {
    unsigned status = 200;
    std::string type = {};  ///< media type of the body; empty if there is no body
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> fields = {};  ///< further header fields
    bool close = false;  ///< whether the connection is closed after the response
};

/// Returns the response for an error in the format of RFC 9457: {"title": …, "detail": …, "hint": …}.
[[nodiscard]] HttpResponse problem(unsigned status, const Error& error);
[[nodiscard]] HttpResponse problem(unsigned status, const std::string& title, const std::string& hint = {});
/// Returns the response to a batch without a valid token. Its body also has a code, which programs can compare.
[[nodiscard]] HttpResponse no_token();
/// Returns the response for a temporary failure that stored nothing. The client repeats the request unchanged
/// after this number of seconds.
[[nodiscard]] HttpResponse later(unsigned status, int seconds, const std::string& title);
/// Returns the response for a temporary failure after which it is unknown whether the batch was stored.
[[nodiscard]] HttpResponse in_doubt(int seconds, const std::string& title);

}  // namespace ldp::collect
