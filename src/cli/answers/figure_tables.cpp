#include "cli/answers/figure_tables.hpp"

#include <algorithm>

#include "cli/answers/clear_differences.hpp"
#include "cli/answers/results.hpp"
#include "core/base/text.hpp"
#include "figures/figure_numbers.hpp"
#include "figures/formatting.hpp"

namespace ldp::cli {

namespace {

/// The title of the first column.
std::string subject_of(const Figure& figure) {
    switch (figure.kind) {
        case Figure::Kind::category:
        case Figure::Kind::table:
            return "answer";
        case Figure::Kind::distribution:
            return "interval";
        case Figure::Kind::quantiles:
            return "share of people below";
        case Figure::Kind::association:
            return "pair";
        case Figure::Kind::change:
            return figure.axis;
        case Figure::Kind::curve:
            return name(figure.axis, 40);
        case Figure::Kind::comparison: {
            const bool labels = !figure.rows.empty() && !figure.rows[0].label.empty();
            return (labels ? figure.shares ? "answer, " : "attribute, " : "") + name(figure.axis, 40);
        }
        case Figure::Kind::mean:
        case Figure::Kind::vector:
            break;
    }
    return "attribute";
}

std::string subject_of(const Figure& figure, const Row& row) {
    const std::string other = row.group.empty() ? "" : name(row.group);
    if (figure.kind == Figure::Kind::change)
        return rounded(row.at) + (other.empty() ? "" : ", " + other) +
               (row.label.empty() ? "" : ", " + name(row.label));
    if (row.label.empty()) return other;
    return name(row.label) + (other.empty() ? "" : ", " + other);
}

std::string reports(const std::string& n) {
    return grouped(std::stoull(n)) + (n == "1" ? " report" : " reports");
}

/// Rows of a figure by round or by group: a line for each value, and a column for each round or group.
struct Matrix {
    const Figure& figure;
    std::vector<std::string> lines = {};
    std::vector<const Row*> columns = {};  ///< the first row of each

    explicit Matrix(const Figure& of) : figure(of) {
        for (const Row* row : display_order(figure)) {
            if (std::ranges::find(lines, line_of(*row)) == lines.end()) lines.push_back(line_of(*row));
            if (std::ranges::none_of(columns, [&](const Row* column) { return same_column(*column, *row); }))
                columns.push_back(row);
        }
    }

    [[nodiscard]] bool rounds() const { return figure.kind == Figure::Kind::change; }
    [[nodiscard]] const std::string& line_of(const Row& row) const {
        return rounds() ? row.group : row.label;
    }
    [[nodiscard]] bool same_column(const Row& one, const Row& other) const {
        return rounds() ? one.at == other.at : one.group == other.group;
    }
    [[nodiscard]] const Row* find(const std::string& line, const Row& column) const {
        for (const Row& row : figure.rows)
            if (line_of(row) == line && same_column(row, column)) return &row;
        return nullptr;
    }
    [[nodiscard]] std::string title_of(const Row& column) const {
        if (!rounds()) return name(column.group, 60);
        return figure.axis + "\u00A0" + rounded(column.at) +
               (std::isnan(column.until) ? "" : "\u2013" + rounded(column.until));
    }
    [[nodiscard]] std::string title_of(const std::string& line) const {
        return line.empty() ? figure.quantity : name(line);
    }
    [[nodiscard]] Cell cell(const Row* row) const {
        const FigureNumbers numbers(figure);
        if (row == nullptr || std::isnan(row->estimate))
            return {row == nullptr ? "none" : row->note.empty() ? "none" : row->note};
        const std::string sign = sign_of(figure, *row);
        Row plain = *row;
        if (!common_unit(figure).empty()) plain.unit.clear();  // the caption has it
        return {.text = numbers.exact(row->estimate, plain),
                .value = row->estimate,
                .note = numbers.margin(*row) + (sign.empty() ? "" : " " + sign)};
    }
    /// The change since the round before the last one, with its interval and its test.
    [[nodiscard]] Cell change_of(const std::string& line) const {
        for (const LineChange& change : figure.changes) {
            if (change.group != line || !is_latest(figure, change)) continue;
            const auto row = std::ranges::find_if(
                figure.rows, [&](const Row& one) { return one.group == line && one.at == change.to; });
            if (row == figure.rows.end()) continue;
            Row plain = *row;
            plain.unit.clear();
            const FigureNumbers numbers(figure);
            const char* const sign = !change.clear ? "" : change.estimate > 0 ? " \u25B2" : " \u25BC";
            return {.text = numbers.signed_exact(change.estimate, plain),
                    .note = numbers.signed_exact(change.lower, plain) + " to " +
                            numbers.signed_exact(change.upper, plain) + ", " + p_value_text(change.p_value) +
                            sign};
        }
        return {"none"};
    }
    /// The table of these columns, or, turned, of these lines.
    [[nodiscard]] Table table(double confidence, std::size_t first, std::size_t last, bool turned) const {
        Table table{.title = figure.title,
                    .about = (common_unit(figure).empty() ? "" : "in " + name(common_unit(figure)) + "; ") +
                             "estimate \u00B1 margin of error (" + interval_title(confidence) + ")"};
        table.header.push_back({turned ? rounds() ? figure.axis : unmarked(name(figure.axis, 40))
                                : lines.size() == 1 && lines[0].empty() ? "quantity"
                                : figure.shares                         ? "answer"
                                                                        : "attribute",
                                true});
        const bool changes = rounds() && !turned && last == columns.size() && !figure.changes.empty();
        if (turned) {
            for (const std::string& line : lines) table.header.push_back({title_of(line)});
            for (const Row* column : columns) {
                std::vector<Cell> row{{title_of(*column)}};
                for (const std::string& line : lines) row.push_back(cell(find(line, *column)));
                table.rows.push_back(std::move(row));
            }
            return table;
        }
        for (std::size_t c = first; c < last; ++c) table.header.push_back({title_of(*columns[c])});
        if (changes)
            table.header.push_back({"change since " + figure.axis + "\u00A0" +
                                    rounded(figure.changes[0].from) + (figure.shares ? ", points" : "")});
        for (const std::string& line : lines) {
            std::vector<Cell> row{{title_of(line)}};
            for (std::size_t c = first; c < last; ++c) row.push_back(cell(find(line, *columns[c])));
            if (changes) row.push_back(change_of(line));
            table.rows.push_back(std::move(row));
        }
        return table;
    }
};

}  // namespace

std::string common_note(const Figure& figure) {
    const auto first = std::ranges::find_if(figure.rows, [](const Row& row) { return !row.note.empty(); });
    if (first == figure.rows.end() || figure.rows.size() < 2) return {};
    // A row without an estimate has its own reason.
    const bool same = std::ranges::all_of(
        figure.rows, [&](const Row& row) { return row.note == first->note && std::isfinite(row.estimate); });
    return same ? first->note : std::string();
}

std::string p_value_text(double p_value) {
    if (std::isnan(p_value)) return {};
    return p_value < 0.001 ? "p\u00A0<\u00A00.001"
                           : "p\u00A0=\u00A0" + with_digits(p_value, p_value < 0.1 ? 3 : 2);
}

std::vector<Table> tables_of(const Figure& figure, double confidence, std::size_t most_columns) {
    const bool rounds = figure.kind == Figure::Kind::change;
    if (!rounds && figure.kind != Figure::Kind::comparison) return {table_of(figure, confidence)};
    const Matrix matrix(figure);
    const std::size_t lines = matrix.lines.size(), columns = matrix.columns.size();
    // Many rounds of few values, and many groups, are read downwards.
    if (columns > most_columns && lines <= most_columns) return {matrix.table(confidence, 0, lines, true)};
    std::vector<Table> found;
    for (std::size_t first = 0; first < columns; first += most_columns)
        found.push_back(matrix.table(confidence, first, std::min(columns, first + most_columns), false));
    return found;
}

Table table_of(const Figure& figure, double confidence) {
    const FigureNumbers numbers(figure);
    const auto rows = display_order(figure);
    const bool same = std::ranges::all_of(rows, [&](const Row* row) { return row->n == rows[0]->n; });
    Table table{
        .title = figure.title,
        .header = {
            {subject_of(figure), true}, {"estimate"}, {"margin of error"}, {interval_title(confidence)}}};
    if (same && !rows.empty() && !rows[0]->n.empty()) table.about = reports(rows[0]->n);
    const std::string unit = common_unit(figure), note = common_note(figure);
    if (!unit.empty()) table.about += (table.about.empty() ? "in " : ", in ") + name(unit);
    if (!note.empty()) table.about += (table.about.empty() ? "" : "; ") + note;
    for (const Row* row : rows) {
        Row plain = *row;
        if (!unit.empty()) plain.unit.clear();
        std::vector<std::string> notes;
        if (const std::string sign = sign_of(figure, *row); !sign.empty())
            notes.push_back(sign + (row->contrast == Contrast::above ? " clearly above the others"
                                                                     : " clearly below the others"));
        if (!same && !row->n.empty()) notes.push_back(reports(row->n));
        if (!row->note.empty() && note.empty()) notes.push_back(row->note);
        const bool ends = !std::isnan(row->lower) && !std::isnan(row->upper);
        table.rows.push_back({{.text = subject_of(figure, *row), .note = joined(notes)},
                              {numbers.exact(row->estimate, plain), row->estimate},
                              {numbers.margin(*row)},
                              {.text = ends ? numbers.exact(row->lower, plain) : "none",
                               .value = ends ? row->lower : NAN,
                               .to = ends ? numbers.exact(row->upper, plain) : "",
                               .to_value = row->upper}});
    }
    return table;
}

}  // namespace ldp::cli
