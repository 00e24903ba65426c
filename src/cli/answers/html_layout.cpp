// The HTML page: src/cli/templates/page.html, page_table.html and page_cell.html with the values of a
// document. Its policy forbids scripts and all loading. It is well-formed XML, so that other programs can
// read it.

#include <cmath>
#include <ostream>
#include <sstream>

#include "cli/answers/figure_numbers.hpp"
#include "cli/answers/formatting.hpp"
#include "cli/answers/layouts.hpp"
#include "cli/answers/results.hpp"
#include "cli/template.hpp"
#include "core/base/text.hpp"
#include "plot/style.hpp"

namespace ldp::cli {

namespace {

/// A template without its last line break.
std::string inline_template(std::string_view file, const Fields& fields) {
    std::string text = filled(template_text(file), fields, in_html);
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

/// Text without line breaks in intervals such as "46–49".
std::string unbroken(const std::string& text) {
    constexpr std::string_view dash = "\u2013", joiner = "\u2060";
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        out += text[at];
        if (std::string_view(out).ends_with(dash) && at + 1 < text.size() && text[at + 1] >= '0' &&
            text[at + 1] <= '9')
            out += joiner;
    }
    return out;
}

std::vector<Fields> texts_of(const std::vector<std::string>& all) {
    std::vector<Fields> found;
    for (const std::string& text : all) found.push_back({.values = {{"text", text}}});
    return found;
}

std::vector<Fields> text_of(const std::string& text) {
    return text.empty() ? std::vector<Fields>{} : texts_of({text});
}

std::string content_of(const Cell& cell) {
    Fields fields{.sections = {{"numbers", {}}, {"texts", {}}, {"notes", text_of(cell.note)}}};
    const auto number = [&](const std::string& text, double value, bool end) {
        auto& one = fields.sections["numbers"].emplace_back(
            Fields{.values = {{"text", text}, {"value", shortest(value)}}});
        one.show("to", end);
    };
    if (std::isnan(cell.value))
        fields.sections["texts"] = text_of(cell.text);
    else
        number(cell.text, cell.value, false);
    if (!cell.to.empty()) number(cell.to, cell.to_value, true);
    return inline_template("page_cell.html", fields);
}

/// The caption repeats a heading unless the table is in a figure.
std::string html_of(const Table& table, const std::string& caption, bool unseen) {
    if (table.rows.empty()) return {};
    Fields fields{.values = {{"caption", caption}}, .sections = {{"header", {}}, {"rows", {}}}};
    fields.show("unseen", unseen);
    const auto add = [&](std::vector<Fields>& cells, std::size_t column, Fields cell) {
        cell.show("words", table.header[column].words);
        cells.push_back(std::move(cell));
    };
    for (std::size_t c = 0; c < table.header.size(); ++c)
        add(fields.sections["header"], c, {.values = {{"text", table.header[c].title}}});
    for (const auto& row : table.rows) {
        Fields line{.sections = {{"heads", {}}, {"cells", {}}}};
        for (std::size_t c = 0; c < row.size(); ++c)
            add(line.sections[c == 0 ? "heads" : "cells"], c, {.values = {{"content", content_of(row[c])}}});
        fields.sections["rows"].push_back(std::move(line));
    }
    return filled(template_text("page_table.html"), fields, in_html);
}

/// The fields that figures and tables have in common.
template <class Part>
Fields fields_of(const Part& part) {
    return {.values = {{"title", part.title}, {"plain_title", unmarked(part.title)}},
            .sections = {{"abouts", text_of(part.about)},
                         {"refusals", text_of(part.refused)},
                         {"queries", text_of(part.sql)}}};
}

Fields fields_of(const Figure& figure, double confidence, std::size_t number) {
    Fields fields = fields_of<Figure>(figure);
    fields.values["figure"] = std::to_string(number);
    fields.sections["headings"] = text_of(figure.heading);
    fields.sections["results"] = text_of(unbroken(figure.result));
    fields.show("has_caption", !figure.heading.empty() || !figure.about.empty() || !figure.result.empty());
    fields.sections["drawings"] = {};
    if (figure.rows.empty()) return fields;
    const auto [svg, height] = drawn(figure);
    std::string result = unmarked(result_of(figure, confidence));
    result += (result.empty() ? "" : " ") + std::string("The table below the drawing has all numbers.");
    const Table table = table_of(figure, confidence);
    const std::string caption = figure.title + (table.about.empty() ? "" : ", " + table.about);
    fields.sections["drawings"].push_back({.values = {{"svg", svg},
                                                      {"height", shortest(height)},
                                                      {"description", result},
                                                      {"table", html_of(table, caption, false)}}});
    return fields;
}

}  // namespace

void write_html(std::ostream& out, const Document& document) {
    Fields page{.values = {{"title", document.title},
                           {"plain_title", unmarked(document.title)},
                           {"style", std::string(template_text("page.css"))},
                           {"drawing_style", plot::style_sheet()}},
                .sections = {{"lead", texts_of(document.lead)},
                             {"notes", texts_of(document.notes)},
                             {"questions", {}},
                             {"others", {}},
                             {"sections", {}}}};
    page.show("has_notes", !document.notes.empty());
    std::size_t figures = 0;
    for (std::size_t i = 0; i < document.sections.size(); ++i) {
        const Section& section = document.sections[i];
        Fields fields{.values = {{"number", std::to_string(i)}, {"title", section.title}},
                      .sections = {{"asked", text_of(section.question)},
                                   {"headlines", text_of(unbroken(section.result))},
                                   {"paragraphs", texts_of(section.paragraphs)},
                                   {"points", texts_of(section.points)},
                                   {"figures", {}},
                                   {"tables", {}}}};
        fields.show("has_points", !section.points.empty());
        Fields link{.values = fields.values};
        link.values["result"] = unbroken(section.result);
        page.sections[section.result.empty() ? "others" : "questions"].push_back(std::move(link));
        for (const Figure& figure : section.figures)
            fields.sections["figures"].push_back(fields_of(figure, document.confidence, figures++));
        for (const Table& table : section.tables) {
            Fields one = fields_of(table);
            one.values["table"] = html_of(table, table.title, true);
            fields.sections["tables"].push_back(std::move(one));
        }
        page.sections["sections"].push_back(std::move(fields));
    }
    page.show("has_questions", !page.sections["questions"].empty());
    out << filled(template_text("page.html"), page, in_html) << std::flush;
}

}  // namespace ldp::cli
