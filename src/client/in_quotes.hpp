// Quoting of untrusted text in error messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ldp {

/// Returns the text in double quotes, shortened to `most` bytes (whole UTF-8 characters), with control
/// characters as \xNN, so that untrusted text can neither flood nor control a terminal. (The name is not
/// `quoted`, because an unqualified call with a std::string would find std::quoted.)
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t most = 40);

}  // namespace ldp
