// Text from outside, made fit for an error message.
#pragma once

#include <string>
#include <string_view>

namespace ldp {

/// In double quotes, at most 40 bytes of it (whole UTF-8 characters), control characters as \xNN: a hostile
/// field can neither flood a terminal nor command it.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace ldp
