// The library of JSON. Its templates that read and write text take a second each to compile: here once, not
// in every file that does it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ldp {

using Json = nlohmann::json;

/// What becomes of a text that is no JSON, or of one in a document that is not UTF-8.
enum class Unsound {
    refused,  ///< throws Json::exception
    allowed,  ///< the document is discarded; what is no character is replaced
};

/// Text to a document. `watch` is told of what is read, and may throw.
[[nodiscard]] Json json_of(std::string_view text, Unsound unsound, const Json::parser_callback_t& watch = {});

/// A document as text, on one line.
[[nodiscard]] std::string json_text(const Json& value, Unsound unsound = Unsound::refused);

}  // namespace ldp
