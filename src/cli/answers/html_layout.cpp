// The HTML page: src/cli/templates/page.html, page_table.html and page_cell.html with the values of a
// document. Its policy forbids scripts and all loading. It is well-formed XML, so that other programs can
// read it.

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

#include "cli/answers/figure_tables.hpp"
#include "cli/answers/layouts.hpp"
#include "cli/answers/results.hpp"
#include "cli/template.hpp"
#include "core/base/text.hpp"
#include "figures/figure_drawing.hpp"
#include "figures/figure_numbers.hpp"
#include "figures/formatting.hpp"
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

/// A link that contains the rows, so that they can be saved without a server and without scripts.
std::string data_link(const Figure& figure) {
    std::ostringstream csv;
    csv << csv_header;
    write_csv_rows(csv, figure);
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string link = "data:text/csv;charset=utf-8,";
    for (const char c : csv.str()) {
        const auto byte = static_cast<unsigned char>(c);
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
            c == '-')
            link += c;
        else
            link += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return link;
}

/// Whether the drawing has the intervals as text, so that paper needs no table.
bool states_intervals(const Figure& figure) {
    using Kind = Figure::Kind;
    return figure.kind == Kind::category || figure.kind == Kind::mean || figure.kind == Kind::quantiles ||
           figure.kind == Kind::association;
}

/// The number of reports of each group of people, if the rows of a group have the same, and the groups are few.
std::string reports_of_groups(const Figure& figure) {
    constexpr std::size_t most = 8;
    std::vector<const Row*> groups;
    for (const Row& row : figure.rows) {
        const auto same =
            std::ranges::find_if(groups, [&](const Row* one) { return one->group == row.group; });
        if (same == groups.end())
            groups.push_back(&row);
        else if ((*same)->n != row.n)
            return {};
    }
    if (groups.size() > most) return {};
    std::string text;
    for (const Row* row : groups) {
        if (row->n.empty()) return {};
        text +=
            (text.empty() ? "Reports: " : ", ") + name(row->group, 40) + " " + grouped(std::stoull(row->n));
    }
    return text + ". ";
}

/// Whether the drawing chooses the ends of its axis.
bool has_axis(const Figure& figure) {
    using Kind = Figure::Kind;
    return figure.kind == Kind::comparison || figure.kind == Kind::change || figure.kind == Kind::vector ||
           figure.kind == Kind::curve;
}

bool above_zero(const Figure& figure) {
    return std::ranges::none_of(figure.rows,
                                [](const Row& row) { return row.estimate <= 0 || row.lower <= 0; });
}

/// The meaning of the triangles of a comparison, if it has any.
std::string meaning_of_signs(const Figure& figure) {
    bool above = false, below = false;
    for (const Row& row : figure.rows) {
        const std::string sign = sign_of(figure, row);
        above |= row.contrast == Contrast::above;
        below |= !sign.empty() && row.contrast == Contrast::below;
    }
    if (!above && !below) return {};
    const bool two =
        std::ranges::any_of(figure.contrasts, [](const GroupContrast& one) { return one.other.has_value(); });
    if (two) return "\u25B2: clearly more than in the other group. ";
    return std::string(above ? below ? "\u25B2, \u25BC: clearly more, less" : "\u25B2: clearly more"
                             : "\u25BC: clearly less") +
           " than in all other groups together. ";
}

/// The number of reports of a figure, if all rows have the same, and the meaning of its lines.
std::string foot_of(const Figure& figure, double confidence) {
    std::string text;
    if (const std::string& n = figure.rows[0].n;
        !n.empty() && std::ranges::all_of(figure.rows, [&](const Row& row) { return row.n == n; }))
        text = grouped(std::stoull(n)) + (n == "1" ? " report. " : " reports. ");
    else if (figure.kind == Figure::Kind::comparison)
        text = reports_of_groups(figure);
    if (figure.kind == Figure::Kind::table)
        return text + "In parentheses: " + interval_title(confidence) + "s.";
    text += meaning_of_signs(figure);
    const std::string unit = common_unit(figure);
    if (!unit.empty() && figure.kind != Figure::Kind::change && figure.kind != Figure::Kind::curve)
        text += "Numbers in " + name(unit) + ". ";
    const std::string axis = has_axis(figure) && !axis_from_zero(figure) && above_zero(figure)
                                 ? " The axis does not begin at 0."
                                 : "";
    if (figure.kind == Figure::Kind::curve)
        return text + "Lines or band: " + interval_title(confidence) + "s, each for its point alone." + axis;
    return text + "Lines: " + interval_title(confidence) + "s." + axis;
}

Fields fields_of(const Figure& figure, double confidence, std::size_t number) {
    Fields fields = fields_of<Figure>(figure);
    fields.values["figure"] = std::to_string(number);
    fields.sections["headings"] = text_of(figure.heading);
    fields.sections["results"] = text_of(unbroken(figure.result));
    fields.show("has_caption", !figure.heading.empty() || !figure.about.empty() || !figure.result.empty());
    fields.sections["drawings"] = {};
    if (figure.rows.empty()) return fields;
    const auto [svg, height] = figures::drawn(figure);
    std::string result = unmarked(result_of(figure));
    result += (result.empty() ? "" : " ") + std::string("The table below the drawing has all numbers.");
    std::string tables;
    for (const Table& table : tables_of(figure, confidence))
        tables += html_of(table, figure.title + (table.about.empty() ? "" : ", " + table.about), false);
    Fields drawing{.values = {{"svg", svg},
                              {"height", shortest(height)},
                              {"description", result},
                              {"foot", foot_of(figure, confidence)},
                              {"file", "figure-" + std::to_string(number + 1) + ".csv"},
                              {"data", data_link(figure)},
                              {"table", tables}}};
    drawing.show("on_screen", states_intervals(figure));
    fields.sections["drawings"].push_back(std::move(drawing));
    return fields;
}

bool has_clear(const Figure& figure) {
    return std::ranges::any_of(figure.changes, &LineChange::clear) ||
           std::ranges::any_of(figure.rows, [](const Row& row) {
               return row.contrast == Contrast::above || row.contrast == Contrast::below;
           });
}

/// The sentences about clear changes and differences of a section.
std::vector<Fields> differences_of(const Section& section) {
    std::vector<Fields> found;
    for (const Figure& figure : section.figures)
        if (has_clear(figure) && !figure.result.empty())
            found.push_back({.values = {{"text", unbroken(figure.result)}}});
    return found;
}

/// The first figure with a clear change or difference, as in the news, or else the first one that is drawn.
const Figure* lead_of(const std::vector<Section>& sections, const Section*& of) {
    const Figure* first = nullptr;
    for (const Section& section : sections)
        for (const Figure& figure : section.figures) {
            if (figure.rows.empty()) continue;
            if (const bool clear = has_clear(figure); clear || first == nullptr) {
                first = &figure;
                of = &section;
                if (clear) return first;
            }
        }
    return first;
}

}  // namespace

void write_html(std::ostream& out, const Document& document) {
    Fields page{.values = {{"title", document.title},
                           {"plain_title", unmarked(document.title)},
                           {"style", std::string(template_text("page.css"))},
                           {"drawing_style", plot::style_sheet()}},
                .sections = {{"news", text_of(unbroken(document.news))},
                             {"descriptions", text_of(document.description)},
                             {"dates", {}},
                             {"leads", {}},
                             {"warnings", {}},
                             {"facts", {}},
                             {"sources", text_of(document.source)},
                             {"citations", text_of(document.citation)},
                             {"notes", texts_of(document.notes)},
                             {"questions", {}},
                             {"others", {}},
                             {"sections", {}}}};
    page.show("has_notes", !document.notes.empty());
    for (const Fact& fact : document.lead)
        page.sections[fact.use == Fact::Use::dates     ? "dates"
                      : fact.use == Fact::Use::warning ? "warnings"
                                                       : "facts"]
            .push_back({.values = {{"title", fact.title}, {"text", unbroken(fact.text)}}});
    const Section* of = nullptr;
    if (const Figure* const lead = lead_of(document.sections, of); lead != nullptr) {
        const auto [svg, height] = figures::drawn(*lead);
        page.sections["leads"].push_back(
            {.values = {{"title", lead->title},
                        {"plain_title", unmarked(lead->title)},
                        {"svg", svg},
                        {"height", shortest(height)},
                        {"description", unmarked(result_of(*lead)) + " The section \u201C" +
                                            unmarked(of->title) + "\u201D has all numbers."},
                        {"foot", foot_of(*lead, document.confidence)},
                        {"number", std::to_string(of - document.sections.data())}},
             .sections = {{"asked", text_of(of->question)}}});
    }
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
        fields.show("has_figures", !section.figures.empty());
        Fields link{.values = fields.values};
        link.values["result"] = unbroken(section.result);
        link.sections["differences"] = differences_of(section);
        const bool known = section.result.empty() || section.result == document.news;
        page.sections[known ? "others" : "questions"].push_back(std::move(link));
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
