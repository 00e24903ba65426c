// Numbers and foreign text in terminals, drawings and pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "figures/estimate_figure.hpp"

namespace ldp::figures {

/// Foreign text of at most this number of characters, with an ellipsis if it is longer. Control characters,
/// characters that change the direction of text, and invalid bytes are written as \u{...}. The result is
/// between the marks U+2068 and U+2069, which isolate its direction from the text around it.
[[nodiscard]] std::string name(std::string_view text, std::size_t most = 200);
/// Text as a string constant of SQL with standard_conforming_strings; the same characters are escaped,
/// and braces, which begin placeholders of Source::ask().
[[nodiscard]] std::string constant(std::string_view text);
/// Text without the marks of name(), for terminals and attributes.
[[nodiscard]] std::string unmarked(std::string_view text);
/// Text escaped for XML; for HTML, the marks become bdi elements.
[[nodiscard]] std::string escaped(std::string_view text);
[[nodiscard]] std::string in_html(std::string_view text);
/// The approximate number of columns of a text in a terminal.
[[nodiscard]] std::size_t width(std::string_view text) noexcept;

/// A text in lines of at most this number of columns, unless a word is longer.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text, std::size_t columns);

/// The label and the group of a row, in at most about this number of characters.
[[nodiscard]] std::string subject(const Row& row, std::size_t most = 200);
/// A number with this number of digits after the decimal point and a comma between thousands.
[[nodiscard]] std::string with_digits(double value, int digits);
/// A number with two significant digits of its error. Shares are in per cent.
[[nodiscard]] std::string shown(double value, double error, bool shares);
/// A time in days since 1970 as "2026-03-02", or "2026-03-02 14:30" if it is not midnight.
[[nodiscard]] std::string date_of_days(double days);
/// A time of the day in hours as "14:30", or "14:30:05" if it has seconds.
[[nodiscard]] std::string time_of_hours(double hours);
/// A number without a known error, in five digits.
[[nodiscard]] std::string rounded(double value);
/// An end of a bin, in two digits of the bin's width.
[[nodiscard]] std::string edge_text(double edge, double width);
/// A number without a known error, in three digits, for numbers that readers only compare.
[[nodiscard]] std::string brief(double value);

}  // namespace ldp::figures
