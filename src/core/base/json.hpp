// JSON. The templates of the library take a second each to compile; this header avoids them in other files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ldp {

using Json = nlohmann::json;

/// Treatment of text that is not JSON, or not UTF-8 inside a document.
enum class Unsound {
    refused,  ///< throws Json::exception
    allowed,  ///< the document is discarded; invalid characters are replaced
};

/// Parses a document. `watch` is called during parsing and may throw.
[[nodiscard]] Json json_of(std::string_view text, Unsound unsound, const Json::parser_callback_t& watch = {});

/// Returns a document as text on one line.
[[nodiscard]] std::string json_text(const Json& value, Unsound unsound = Unsound::refused);
/// Returns a document in the canonical form of RFC 8785 (JSON Canonicalization Scheme): equal values have equal texts in every
/// implementation. Numbers are doubles.
[[nodiscard]] std::string canonical_text(const Json& value, Unsound unsound = Unsound::refused);

}  // namespace ldp
