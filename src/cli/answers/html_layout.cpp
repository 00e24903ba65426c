// One HTML page that asks nobody for anything: its policy forbids scripts and all that is not in it. It is
// well-formed XML, so that a program can look into it.

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

#include "cli/answers/formatting.hpp"
#include "cli/answers/layouts.hpp"
#include "cli/template.hpp"
#include "core/base/text.hpp"
#include "plot/style.hpp"

namespace ldp::cli {

namespace {

/// Tables longer than this are shown when asked for.
constexpr std::size_t long_table = 12;

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
    const auto texts = [](const std::vector<std::string>& all) {
        std::vector<Fields> found;
        for (const std::string& text : all) found.push_back({.values = {{"text", text}}});
        return found;
    };
    Fields page{.values = {{"title", document.title},
                           {"plain_title", unmarked(document.title)},
                           {"style", std::string(template_text("page.css"))},
                           {"drawing_style", plot::style_sheet()}},
                .sections = {{"lead", texts(document.lead)}, {"sections", {}}}};
    for (const Section& section : document.sections) {
        std::ostringstream inside;
        Writer writer(inside);
        for (const Figure& figure : section.figures) write(writer, figure);
        for (const Table& table : section.tables) write(writer, table);
        auto& sections = page.sections["sections"];
        Fields fields{
            .values = {{"number", std::to_string(sections.size())},
                       {"title", section.title},
                       {"figures", inside.str()}},
            .sections = {{"paragraphs", texts(section.paragraphs)}, {"points", texts(section.points)}}};
        fields.show("has_points", !section.points.empty());
        sections.push_back(std::move(fields));
    }
    out << filled(template_text("page.html"), page, in_html) << std::flush;
}

}  // namespace ldp::cli
