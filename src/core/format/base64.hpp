// Base64: the text form of states, which is shorter than hexadecimal text.
#pragma once

#include <string_view>

#include "core/base/bytes.hpp"

namespace ldp {

/// Returns the number of characters of Base64 text of this number of bytes, with padding.
[[nodiscard]] constexpr std::size_t base64_length(std::size_t size) noexcept {
    return (size + 2) / 3 * 4;
}
/// Writes Base64 (RFC 4648) with padding and without line breaks; base64_length() characters without a
/// terminator.
void to_base64(Bytes bytes, char* out) noexcept;
/// Returns the number of bytes of Base64 text of this form, or SIZE_MAX if its length is not possible or it has
/// padding elsewhere than at its end.
[[nodiscard]] std::size_t base64_size(std::string_view text) noexcept;
/// Fills `out` (base64_size() bytes). Returns false if the text is not what to_base64() writes. Text of which
/// base64_size() is known can be converted in segments of a multiple of 4 characters.
[[nodiscard]] bool from_base64(std::string_view text, std::byte* out) noexcept;

}  // namespace ldp
