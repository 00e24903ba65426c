#include "cli/answers/figure_numbers.hpp"

#include <algorithm>

#include "cli/answers/clear_differences.hpp"
#include "cli/answers/formatting.hpp"
#include "cli/answers/results.hpp"
#include "core/base/text.hpp"

namespace ldp::cli {

namespace {

constexpr int most_digits = 12;

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

std::string common_unit(const Figure& figure) {
    const bool same =
        std::ranges::all_of(figure.rows, [&](const Row& row) { return row.unit == figure.rows[0].unit; });
    return same && !figure.rows.empty() ? figure.rows[0].unit : std::string();
}

std::string sign_of(const Figure& figure, const Row& row) {
    if (row.contrast == Contrast::above) return "\u25B2";
    if (row.contrast != Contrast::below) return {};
    const bool same = std::ranges::any_of(figure.contrasts, [&](const GroupContrast& one) {
        return one.other && (&figure.rows[one.row] == &row || &figure.rows[*one.other] == &row);
    });
    return same ? "" : "\u25BC";
}

double margin_of(const Row& row) noexcept {
    return std::max(row.upper - row.estimate, row.estimate - row.lower);
}

FigureNumbers::FigureNumbers(const Figure& figure) : shares_(figure.shares) {
    own_ = std::ranges::any_of(figure.rows, [&](const Row& row) {
        const auto& first = figure.rows[0].scale;
        return row.scale && first && (row.scale->lower != first->lower || row.scale->upper != first->upper);
    });
    std::vector<double> margins;
    for (const Row& row : figure.rows)
        if (const double margin = in_units(margin_of(row), row, false); margin > 0 && std::isfinite(margin))
            margins.push_back(margin);
    if (margins.empty()) return;
    const auto middle = margins.begin() + static_cast<std::ptrdiff_t>(margins.size() / 2);
    std::ranges::nth_element(margins, middle);
    margin_ = *middle;
}

double FigureNumbers::in_units(double value, const Row& row, bool limited) const noexcept {
    if (!in_per_cent(row)) return value;
    return limited ? std::clamp(100 * value, 0.0, 100.0) : 100 * value;
}

std::string FigureNumbers::text(double value, const Row& row, int more) const {
    if (!std::isfinite(value)) return rounded(value);
    const double margin = own_ ? in_units(margin_of(row), row, false) : margin_;
    // A smaller margin is a rounding error of the computation.
    if (!(margin > 1e-9 * std::max(1.0, std::abs(value)))) return rounded(value);
    return with_digits(value,
                       std::clamp(more - static_cast<int>(std::floor(std::log10(margin))), 0, most_digits));
}

std::string FigureNumbers::suffix(const Row& row) const {
    if (in_per_cent(row)) return "\u00A0%";
    return row.unit.empty() ? "" : "\u00A0" + row.unit;
}

std::string FigureNumbers::estimate(const Row& row) const {
    if (std::isnan(row.estimate)) return "none";
    return text(in_units(row.estimate, row, true), row, 0) + suffix(row);
}

std::string FigureNumbers::interval(const Row& row) const {
    if (std::isnan(row.lower) || std::isnan(row.upper)) return {};
    const double low = in_units(row.lower, row, true), high = in_units(row.upper, row, true);
    return text(low, row, 0) + (low < 0 ? " to " : "\u2013") + text(high, row, 0);
}

std::string FigureNumbers::estimate_and_interval(const Row& row) const {
    if (std::isnan(row.estimate)) return row.note.empty() ? "no estimate" : "no estimate: " + row.note;
    const std::string ends = interval(row);
    return estimate(row) + (ends.empty() ? "" : " (" + ends + ")");
}

std::string FigureNumbers::exact(double value, const Row& row) const {
    if (std::isnan(value)) return "none";
    return text(in_units(value, row, false), row, 1) + suffix(row);
}

std::string FigureNumbers::signed_exact(double difference, const Row& row) const {
    const std::string size = text(in_units(std::abs(difference), row, false), row, 1);
    const bool zero = size.find_first_not_of("0.,") == std::string::npos;
    return (zero ? "" : difference < 0 ? "\u2212" : "+") + size + (in_per_cent(row) ? "" : suffix(row));
}

std::string FigureNumbers::margin(const Row& row) const {
    const double margin = margin_of(row);
    return std::isnan(margin) ? "none" : "\u00B1\u00A0" + text(in_units(margin, row, false), row, 1);
}

std::string FigureNumbers::size_and_interval(double difference, const Interval& ends, const Row& row) const {
    if (in_per_cent(row)) {  // no share changes by more than 100 points
        const auto limited = [](double value) { return std::clamp(value, -1.0, 1.0); };
        return size_and_interval_of(limited(difference), {limited(ends.lower), limited(ends.upper)}, row);
    }
    return size_and_interval_of(difference, ends, row);
}

std::string FigureNumbers::size_and_interval_of(double difference, const Interval& ends,
                                                const Row& row) const {
    const bool up = difference >= 0;
    const auto number = [&](double value) { return text(in_units(value, row, false), row, 1); };
    const std::string size = number(std::abs(difference));
    return (!in_per_cent(row) ? size + suffix(row) : size + (size == "1" ? " point" : " points")) + " (" +
           number(up ? ends.lower : -ends.upper) + " to " + number(up ? ends.upper : -ends.lower) + ")";
}

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
