// Numbers and text of others, as pages show them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/document.hpp"

namespace ldp::cli {

/// Text of others, fit for any page: control characters, those that turn the direction of text, and what is
/// no character at all stand as \u{...}; and between marks (U+2068 and U+2069) that keep its own direction
/// inside. At most so many characters of it, and an ellipsis.
[[nodiscard]] std::string name(std::string_view text, std::size_t most = 200);
/// Text as a constant of SQL, where standard_conforming_strings is on: with escapes for the same characters.
[[nodiscard]] std::string constant(std::string_view text);
/// Text without such marks, for what does not know them.
[[nodiscard]] std::string unmarked(std::string_view text);
/// Text in HTML, where the marks become elements, or in other XML.
[[nodiscard]] std::string escaped(std::string_view text);
[[nodiscard]] std::string in_html(std::string_view text);
/// How many columns of a terminal it takes, about.
[[nodiscard]] std::size_t width(std::string_view text) noexcept;

/// A text in lines of at most so many columns, as far as its words allow.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text, std::size_t columns);

/// What a row is about, in at most about so many characters.
[[nodiscard]] std::string subject(const Row& row, std::size_t most = 200);
/// A number with as many digits as its error leaves, of which two are shown; shares in per cent.
[[nodiscard]] std::string shown(double value, double error, bool shares);
/// A number of no known error, in five digits.
[[nodiscard]] std::string rounded(double value);
/// A row's standard error; where there is none, what the interval would have it be.
[[nodiscard]] double error_of(const Row& row) noexcept;
/// A row's estimate and its interval, "12.3 % (10.1 to 14.5)"; its estimate alone where there is no interval,
/// and why, where there is no estimate.
[[nodiscard]] std::string told(const Row& row, bool shares);
/// A row's estimate alone, or "none".
[[nodiscard]] std::string estimate_of(const Row& row, bool shares);

}  // namespace ldp::cli
