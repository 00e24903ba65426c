// Codes of strings of an open domain. The code is a number of `longest` digits in base alphabet + 1. The
// first character is the highest digit. The digit 0, the terminator, fills all positions after the end. A
// prefix of a string is its code without the lowest digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// Maximum number of characters of an alphabet.
inline constexpr std::size_t max_alphabet = 65535;

/// Reads an alphabet in short form: characters, and ranges such as "a-z". A hyphen at the beginning or the
/// end is a character. Returns the characters in ascending order without repetitions; nothing if the text is
/// not valid UTF-8, if a range descends, or if it contains a control character.
[[nodiscard]] std::optional<std::u32string> read_alphabet(std::string_view text);
/// Returns the short form, which is unique: runs of three or more characters become ranges.
[[nodiscard]] std::string alphabet_text(std::u32string_view alphabet);

/// Returns the maximum length of strings over an alphabet of this size whose codes are below 2^63.
[[nodiscard]] std::uint64_t longest_that_fits(std::uint64_t alphabet) noexcept;
/// Returns the number of codes. Precondition: longest ≤ longest_that_fits().
[[nodiscard]] std::uint64_t code_count(const StringDomain& strings) noexcept;

/// A string's code, and whether the string was changed by the encoding.
struct StringCode {
    std::uint64_t code = 0;
    bool truncated = false;  ///< it has more than `longest` characters
    bool replaced = false;   ///< it has characters outside of the alphabet
};
/// Returns the code of a text; nothing if the text is not valid UTF-8, or if it has characters outside the
/// alphabet and the spec has no replacement for them.
[[nodiscard]] std::optional<StringCode> code_of(const StringDomain& strings, std::string_view text) noexcept;
/// Returns the string of a code, in UTF-8, without the digits after a terminator, which no string has.
[[nodiscard]] std::string string_of(const StringDomain& strings, std::uint64_t code);
/// Returns the string of a code for display. Three dots follow a string of `longest` characters, because
/// longer strings have the same code. code_of() of the result is the same code. The dots are ASCII, which
/// every encoding of a server has.
[[nodiscard]] std::string string_label(const StringDomain& strings, std::uint64_t code);

}  // namespace ldp
