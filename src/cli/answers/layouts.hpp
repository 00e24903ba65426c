// The layouts of a document: text, CSV, SVG and HTML.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/answers/document.hpp"

namespace ldp::cli {

/// Figures and tables for a terminal with this number of columns.
void write_text(std::ostream& out, const Document& document, std::size_t columns);
/// Every row of every figure, as CSV (RFC 4180) with a header. Numbers and labels are unchanged, except labels like formulas.
void write_csv(std::ostream& out, const Document& document);
inline constexpr const char* csv_header = "figure,label,group,at,estimate,stderr,lower,upper,n,note\n";
/// The rows of one figure in this format.
void write_csv_rows(std::ostream& out, const Figure& figure);
/// All figures below one another, as one SVG document.
void write_svg(std::ostream& out, const Document& document);
/// One HTML page, which is also well-formed XML. It loads no other file and runs no script.
void write_html(std::ostream& out, const Document& document);

}  // namespace ldp::cli
