// What the endpoint answers a request: a status of HTTP, and in the words of Error what went wrong.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace ldp::collect {

struct Answer {
    unsigned status = 200;
    std::string type = {};  ///< media type of the body; empty: there is none
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> fields = {};  ///< further header fields
    bool close = false;                                            ///< whether the connection ends with it
};

/// A failure, told as RFC 9457 has it: {"title": …, "detail": …, "hint": …}.
[[nodiscard]] Answer problem(unsigned status, const Error& error);
[[nodiscard]] Answer problem(unsigned status, const std::string& title, const std::string& hint = {});
/// The same of what passes, and stored nothing: to be repeated unchanged after so many seconds.
[[nodiscard]] Answer later(unsigned status, int seconds, const std::string& title);
/// The same where it is not known whether it was stored.
[[nodiscard]] Answer in_doubt(int seconds, const std::string& title);

}  // namespace ldp::collect
