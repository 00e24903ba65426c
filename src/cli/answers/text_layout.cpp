// The layouts for terminals and spreadsheets.

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cli/answers/figure_tables.hpp"
#include "cli/answers/layouts.hpp"
#include "cli/answers/results.hpp"
#include "cli/input/csv_field.hpp"
#include "core/base/text.hpp"
#include "figures/figure_numbers.hpp"
#include "figures/formatting.hpp"

namespace ldp::cli {

namespace {

std::string padded(const std::string& text, std::size_t columns, bool right = false) {
    const std::size_t has = width(text);
    const std::string space(columns > has ? columns - has : 0, ' ');
    return right ? space + text : text + space;
}

void wrap(std::ostream& out, const std::string& text, std::size_t columns, const std::string& indent = {}) {
    for (const std::string& line : lines_of(text, columns - indent.size())) out << indent << line << "\n";
}

/// An interval between a low and a high end, with the estimate in it: "  |--o---|   ".
std::string bar(const Row& row, const Interval& ends, std::size_t columns) {
    std::string line(columns, ' ');
    if (!std::isfinite(row.estimate)) return line;
    const auto at = [&](double value) {
        const double share = std::clamp((value - ends.lower) / (ends.upper - ends.lower), 0.0, 1.0);
        return static_cast<std::size_t>(std::lround(share * static_cast<double>(columns - 1)));
    };
    if (std::isfinite(row.lower) && std::isfinite(row.upper)) {
        for (std::size_t i = at(row.lower); i <= at(row.upper); ++i) line[i] = '-';
        line[at(row.lower)] = line[at(row.upper)] = '|';
    }
    line[at(row.estimate)] = 'o';
    return line;
}

/// The range of all rows. Shares begin at 0: bar() shows what lies below there.
Interval ends_of(const Figure& figure) {
    Interval ends{figure.shares ? 0 : HUGE_VAL, figure.shares ? 0 : -HUGE_VAL};
    for (const Row& row : figure.rows)
        for (const double value : {row.estimate, row.lower, row.upper, row.truth})
            if (std::isfinite(value))
                ends = {figure.shares ? 0 : std::min(ends.lower, value), std::max(ends.upper, value)};
    return ends.lower < ends.upper ? ends : Interval{0, 1};
}

void write(std::ostream& out, const Figure& figure, std::size_t columns) {
    const FigureNumbers numbers(figure);
    const auto rows = display_order(figure);
    std::size_t subjects = 0, estimates = 0;
    for (const Row* row : rows) {
        subjects = std::max(subjects, width(unmarked(subject(*row, 40))));
        if (std::isfinite(row->estimate))
            estimates = std::max(estimates, width(numbers.estimate_and_interval(*row)));
    }
    const std::size_t used = subjects + estimates + 6;
    const std::size_t room = columns > used + 16 ? std::min<std::size_t>(columns - used, 60) : 0;
    const Interval ends = ends_of(figure);
    for (const Row* row : rows) {
        out << "  " << padded(unmarked(subject(*row, 40)), subjects) << "  "
            << padded(numbers.estimate_and_interval(*row), estimates, true);
        if (room > 0 && std::isfinite(row->estimate)) {
            const std::string line = bar(*row, row->scale.value_or(ends), room);
            out << "  " << line.substr(0, line.find_last_not_of(' ') + 1);
        }
        out << "\n";
    }
}

void write(std::ostream& out, const Table& table) {
    std::vector<std::size_t> widths;
    std::vector<Column> header = table.header;
    for (const Column& column : header) widths.push_back(width(unmarked(column.title)));
    const auto content = [](const Cell& cell) {
        return unmarked(cell.text + (cell.note.empty() ? "" : "  " + cell.note));
    };
    for (Column& column : header) column.title = unmarked(column.title);
    for (const auto& row : table.rows)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(content(row[c])));
    const auto line = [&](auto text_of) {
        std::string text;
        for (std::size_t c = 0; c < widths.size(); ++c)
            text += "  " + padded(text_of(c), widths[c], !header[c].words);
        out << text.substr(0, text.find_last_not_of(' ') + 1) << "\n";
    };
    line([&](std::size_t c) { return header[c].title; });
    for (const auto& row : table.rows) line([&](std::size_t c) { return content(row[c]); });
}

std::string number_field(double number) {
    return std::isnan(number) ? "" : shortest(number);
}

}  // namespace

void write_csv_rows(std::ostream& out, const Figure& figure) {
    for (const Row& row : figure.rows) {
        out << csv_field(unmarked(figure.title)) << "," << csv_field(row.label) << ","
            << csv_field(row.group);
        for (const double number : {row.at, row.estimate, row.error, row.lower, row.upper})
            out << "," << number_field(number);
        out << "," << row.n << "," << csv_field(row.note) << "\n";
    }
}

void write_text(std::ostream& out, const Document& document, std::size_t columns) {
    const auto head = [&](const auto& part) {
        out << "\n" << unmarked(part.title) << "\n";
        if (!part.about.empty()) wrap(out, unmarked(part.about), columns, "  ");
        if (!part.refused.empty()) wrap(out, unmarked(part.refused), columns, "  ");
        return part.refused.empty();
    };
    const auto foot = [&](const auto& part) {
        if (!part.sql.empty()) out << "  " << unmarked(part.sql) << ";\n";
    };
    out << unmarked(document.title) << "\n";
    for (const std::string* text : {&document.description, &document.news})
        if (!text->empty()) wrap(out, unmarked(*text), columns);
    for (const Fact& fact : document.lead)
        wrap(out,
             (fact.title == "Note" || fact.title == "Warning" ? fact.title + ": " : "") + unmarked(fact.text),
             columns);
    for (const Section& section : document.sections) {
        if (!section.result.empty() || !section.question.empty()) {
            out << "\n" << unmarked(section.title) << "\n";
            for (const std::string* sentence : {&section.question, &section.result})
                if (!sentence->empty()) wrap(out, unmarked(*sentence), columns, "  ");
        }
        for (const Figure& figure : section.figures) {
            if (head(figure)) {
                if (!figure.result.empty()) wrap(out, unmarked(figure.result), columns, "  ");
                if (figure.kind == Figure::Kind::change || figure.kind == Figure::Kind::comparison) {
                    // An estimate with its margin takes about 20 columns, and a change 42.
                    const std::size_t used = figure.kind == Figure::Kind::change ? 56 : 14;
                    const std::size_t most =
                        std::max<std::size_t>(1, columns > used ? (columns - used) / 20 : 0);
                    for (const Table& table : tables_of(figure, document.confidence, most)) write(out, table);
                } else {
                    write(out, figure, columns);
                }
            }
            foot(figure);
        }
        for (const Table& table : section.tables) {
            if (head(table)) write(out, table);
            foot(table);
        }
    }
    if (!document.notes.empty()) out << "\n";
    for (const std::string& note : document.notes) wrap(out, unmarked(note), columns);
    if (!document.source.empty()) wrap(out, "Source: " + unmarked(document.source), columns);
    if (!document.citation.empty()) wrap(out, "Cite as: " + unmarked(document.citation), columns);
    out << std::flush;
}

void write_csv(std::ostream& out, const Document& document) {
    out << csv_header;
    for (const Section& section : document.sections)
        for (const Figure& figure : section.figures) write_csv_rows(out, figure);
    out << std::flush;
}

}  // namespace ldp::cli
