// A document as people and programs read it.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/answers/document.hpp"

namespace ldp::cli {

/// Figures and tables, for a terminal of so many columns.
void write_text(std::ostream& out, const Document& document, std::size_t columns);
/// Every row of every figure, as CSV (RFC 4180) with a header; labels as the collection has them.
void write_csv(std::ostream& out, const Document& document);
/// All figures below one another, as one SVG document.
void write_svg(std::ostream& out, const Document& document);
/// One HTML page, which is XML as well, that needs nothing else and runs nothing.
void write_html(std::ostream& out, const Document& document);

/// A figure as the content of an SVG element of any width and this height, in pixels.
struct Drawing {
    std::string svg;
    double height;
};
[[nodiscard]] Drawing drawn(const Figure& figure);
/// The style sheet of drawings, for light and dark.
extern const char* const drawing_style;

}  // namespace ldp::cli
