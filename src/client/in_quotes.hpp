// Quoting of untrusted text in error messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ldp {

/// Returns the text in double quotes, shortened to `most` bytes (whole UTF-8 characters), with control
/// characters as `\xNN`, so that untrusted text can neither flood nor control a terminal. (The name is not
/// `quoted`, because an unqualified call with a std::string would find std::quoted.)
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t most = 40);

/// Returns the words of another program as a quotation: `the server says: "message. detail. hint"`. Empty without words.
/// The words have at most 400 bytes, without control characters, and with ' for ", so that they cannot end the
/// quotation. Use them only in the detail of an Error: message and hint contain only texts of this library.
[[nodiscard]] std::string said_by(std::string_view speaker, std::string_view message,
                                  std::string_view detail = {}, std::string_view hint = {});
/// Returns the words of a server as a quotation.
[[nodiscard]] inline std::string server_says(std::string_view message, std::string_view detail = {},
                                             std::string_view hint = {}) {
    return said_by("the server", message, detail, hint);
}

}  // namespace ldp
