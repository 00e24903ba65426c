// Text from outside, made fit for an error message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ldp {

/// In double quotes, at most `most` bytes of it (whole UTF-8 characters), control characters as \xNN: a
/// hostile field can neither flood a terminal nor command it. (Of a std::string the standard library would
/// take its own `quoted`, wherever <iomanip> came with another header.)
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t most = 40);

}  // namespace ldp
