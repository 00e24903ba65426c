// One HTML page that asks nobody for anything: its policy forbids scripts and all that is not in it. It is
// well-formed XML, so that a program can look into it.

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cli/answers/layouts.hpp"
#include "cli/answers/wording.hpp"
#include "core/base/text.hpp"
#include "plot/style.hpp"

namespace ldp::cli {

namespace {

/// Tables longer than this are shown when asked for.
constexpr std::size_t long_table = 12;

// Colours keep a contrast of 4.5 to 1 in both schemes.
constexpr const char* style = R"(
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2730; --soft: #55626d; --line: #d9e0e6; --wash: #f3f6f8;
  --link: #1763a6 }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #14191e; --ink: #e8edf1; --soft: #a3b0bb; --line: #36424d; --wash: #1d252c; --link: #6db3f2 }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .2em 0 .6em }
h2 { font-size: 1.3rem; margin: 2.4em 0 .6em; padding-top: .6em; border-top: 1px solid var(--line) }
h3 { font-size: 1.05rem; margin: 0 0 .2em }
p { margin: .5em 0 }
a { color: var(--link) }
.lead { font-size: 1.08rem }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5em 1em; outline: 2px solid var(--link) }
nav ul { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .2em 1.2em }
figure, .facts { margin: 1.8em 0 2.4em }
figure > svg { display: block; width: 100%; margin: 1em 0 .6em }
.about { color: var(--soft); margin: 0 }
.refused { border-left: 3px solid var(--soft); padding: .2em 0 .2em .8em }
details { margin: .3em 0 }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; width: fit-content }
.wide { overflow-x: auto; margin: .4em 0 }
.wide:focus-visible, pre:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
table { border-collapse: collapse; font-size: .9rem; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: end; padding: .25em .6em; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: normal }
th { font-weight: 600 }
th.words, td.words { text-align: start }
:is(th, td):first-child { padding-inline-start: 0 }
tbody th { font-weight: 400; overflow-wrap: anywhere; min-width: 6rem }
pre { margin: .4em 0; padding: .6em .8em; background: var(--wash); border-radius: 4px; font-size: .82rem;
  line-height: 1.4; white-space: pre-wrap }
@media print {
  body { max-width: none; font-size: 10.5pt; padding: 0 }
  .skip, nav, summary { display: none }
  figure, tr, .facts { break-inside: avoid }
  h2, h3, figcaption { break-after: avoid }
  details::details-content { content-visibility: visible; display: block; block-size: auto }
  pre { background: none; border: 1px solid var(--line) }
  .wide { overflow: visible }
}
)";

class Writer {
  public:
    explicit Writer(std::ostream& out) : out_(out) {}

    void text(const char* element, const std::string& text, const char* attributes = "") {
        out_ << "<" << element << attributes << ">" << in_html(text) << "</" << element << ">\n";
    }
    void sql(const std::string& sql) {
        if (sql.empty()) return;
        out_ << "<details><summary>SQL</summary><pre tabindex=\"0\"><code>" << in_html(sql)
             << ";</code></pre></details>\n";
    }
    void table(const Table& table) {
        const auto opened = [&](const char* element, std::size_t column) -> std::ostream& {
            return out_ << "<" << element << (table.header[column].words ? " class=\"words\"" : "");
        };
        out_
            << "<details" << (table.rows.size() <= long_table ? " open=\"open\"" : "")
            << "><summary>Numbers</summary>\n<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\""
            << escaped(unmarked(table.title)) << ", numbers\"><table>\n<thead><tr>";
        for (std::size_t c = 0; c < table.header.size(); ++c)
            opened("th", c) << " scope=\"col\">" << in_html(table.header[c].title) << "</th>";
        out_ << "</tr></thead>\n<tbody>\n";
        for (const auto& row : table.rows) {
            out_ << "<tr>";
            for (std::size_t c = 0; c < row.size(); ++c) {
                opened(c == 0 ? "th" : "td", c) << (c == 0 ? " scope=\"row\">" : ">");
                const bool exact = !std::isnan(row[c].value);
                if (exact) out_ << "<data value=\"" << shortest(row[c].value) << "\">";
                out_ << in_html(row[c].text) << (exact ? "</data>" : "") << (c == 0 ? "</th>" : "</td>");
            }
            out_ << "</tr>\n";
        }
        out_ << "</tbody></table></div></details>\n";
    }
    void refused(const std::string& why) {
        if (!why.empty()) text("p", why, " class=\"refused\"");
    }
    std::ostream& raw() { return out_; }

  private:
    std::ostream& out_;
};

Table numbers_of(const Figure& figure) {
    const auto any = [&](auto test) { return std::ranges::any_of(figure.rows, test); };
    const bool placed = figure.kind == Figure::Kind::lines;
    const bool labelled = any([](const Row& row) { return !row.label.empty(); });
    const bool grouped_rows = any([](const Row& row) { return !row.group.empty(); });
    const bool errors = any([](const Row& row) { return std::isfinite(row.error); });
    const bool notes = any([](const Row& row) { return !row.note.empty(); });
    Table table{.title = figure.title};
    if (placed) table.header.push_back({figure.axis, true});
    if (labelled) table.header.push_back({"about", true});
    if (grouped_rows) table.header.push_back({labelled ? "and" : "about", true});
    table.header.push_back({"estimate"});
    if (errors) table.header.push_back({"standard error"});
    for (const char* title : {"from", "to", "reports"}) table.header.push_back({title});
    if (notes) table.header.push_back({"note", true});
    for (const Row& row : figure.rows) {
        const auto number = [&](double value) {
            return Cell{shown(value, error_of(row), figure.shares), value};
        };
        auto& cells = table.rows.emplace_back();
        if (placed) cells.push_back({rounded(row.at)});
        if (labelled) cells.push_back({name(row.label)});
        if (grouped_rows) cells.push_back({name(row.group)});
        cells.push_back(number(row.estimate));
        if (errors) cells.push_back(number(row.error));
        cells.push_back(number(row.lower));
        cells.push_back(number(row.upper));
        cells.push_back({row.n.empty() ? row.n : grouped(std::stoull(row.n))});
        if (notes) cells.push_back({row.note});
    }
    return table;
}

void write(Writer& page, const Figure& figure) {
    std::ostream& out = page.raw();
    out << "<figure><figcaption>";
    page.text("h3", figure.title);
    if (!figure.about.empty()) page.text("p", figure.about, " class=\"about\"");
    out << "</figcaption>\n";
    page.refused(figure.refused);
    if (!figure.rows.empty()) {
        const auto [svg, height] = drawn(figure);
        out << "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" height=\"" << height
            << "\" aria-label=\"" << escaped(unmarked(figure.title))
            << ": estimates and their intervals; the table below has the numbers\">\n"
            << svg << "</svg>\n";
        page.table(numbers_of(figure));
    }
    page.sql(figure.sql);
    out << "</figure>\n";
}

void write(Writer& page, const Table& table) {
    page.raw() << "<div class=\"facts\">\n";
    page.text("h3", table.title);
    if (!table.about.empty()) page.text("p", table.about, " class=\"about\"");
    page.refused(table.refused);
    if (!table.rows.empty()) page.table(table);
    page.sql(table.sql);
    page.raw() << "</div>\n";
}

}  // namespace

void write_html(std::ostream& out, const Document& document) {
    Writer page(out);
    out << "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta "
           "charset=\"utf-8\"/>\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>"
        << escaped(unmarked(document.title)) << "</title>\n<style>\n"
        << style << "\n"
        << plot::style_sheet()
        << "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#answers\">Skip to the "
           "answers</a>\n<header>\n";
    page.text("h1", document.title);
    for (const std::string& sentence : document.lead) page.text("p", sentence, " class=\"lead\"");
    out << "<nav aria-label=\"On this page\"><ul>\n";
    for (std::size_t i = 0; i < document.sections.size(); ++i)
        out << "<li><a href=\"#section-" << i << "\">" << in_html(document.sections[i].title)
            << "</a></li>\n";
    out << "</ul></nav>\n</header>\n<main id=\"answers\">\n";
    for (std::size_t i = 0; i < document.sections.size(); ++i) {
        const Section& section = document.sections[i];
        out << "<section aria-labelledby=\"section-" << i << "\">\n<h2 id=\"section-" << i << "\">"
            << in_html(section.title) << "</h2>\n";
        for (const std::string& paragraph : section.paragraphs) page.text("p", paragraph);
        if (!section.points.empty()) {
            out << "<ul>\n";
            for (const std::string& point : section.points) page.text("li", point);
            out << "</ul>\n";
        }
        for (const Figure& figure : section.figures) write(page, figure);
        for (const Table& table : section.tables) write(page, table);
        out << "</section>\n";
    }
    out << "</main>\n</body>\n</html>\n" << std::flush;
}

}  // namespace ldp::cli
