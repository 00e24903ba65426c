#include "cli/answers/figure_numbers.hpp"

#include <algorithm>

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

}  // namespace

double margin_of(const Row& row) noexcept {
    return std::max(row.upper - row.estimate, row.estimate - row.lower);
}

FigureNumbers::FigureNumbers(const Figure& figure) : unit_(figure.shares ? 100 : 1) {
    own_ = std::ranges::any_of(figure.rows, [&](const Row& row) {
        const auto& first = figure.rows[0].scale;
        return row.scale && first && (row.scale->lower != first->lower || row.scale->upper != first->upper);
    });
    std::vector<double> margins;
    for (const Row& row : figure.rows)
        if (const double margin = unit_ * margin_of(row); margin > 0 && std::isfinite(margin))
            margins.push_back(margin);
    if (margins.empty()) return;
    const auto middle = margins.begin() + static_cast<std::ptrdiff_t>(margins.size() / 2);
    std::ranges::nth_element(margins, middle);
    margin_ = *middle;
}

double FigureNumbers::in_units(double value, bool limited) const noexcept {
    return limited && unit_ == 100 ? std::clamp(unit_ * value, 0.0, 100.0) : unit_ * value;
}

std::string FigureNumbers::text(double value, const Row& row, int more) const {
    if (!std::isfinite(value)) return rounded(value);
    const double margin = own_ ? unit_ * margin_of(row) : margin_;
    // A smaller margin is a rounding error of the computation.
    if (!(margin > 1e-9 * std::max(1.0, std::abs(value)))) return rounded(value);
    return with_digits(value,
                       std::clamp(more - static_cast<int>(std::floor(std::log10(margin))), 0, most_digits));
}

std::string FigureNumbers::suffix(const Row& row) const {
    if (unit_ == 100) return "\u00A0%";
    return row.unit.empty() ? "" : "\u00A0" + row.unit;
}

std::string FigureNumbers::estimate(const Row& row) const {
    if (std::isnan(row.estimate)) return "none";
    return text(in_units(row.estimate, true), row, 0) + suffix(row);
}

std::string FigureNumbers::interval(const Row& row) const {
    if (std::isnan(row.lower) || std::isnan(row.upper)) return {};
    const double low = in_units(row.lower, true), high = in_units(row.upper, true);
    return text(low, row, 0) + (low < 0 ? " to " : "\u2013") + text(high, row, 0);
}

std::string FigureNumbers::estimate_and_interval(const Row& row) const {
    if (std::isnan(row.estimate)) return row.note.empty() ? "no estimate" : "no estimate: " + row.note;
    const std::string ends = interval(row);
    return estimate(row) + (ends.empty() ? "" : " (" + ends + ")");
}

std::string FigureNumbers::exact(double value, const Row& row) const {
    if (std::isnan(value)) return "none";
    return text(in_units(value, false), row, 1) + suffix(row);
}

std::string FigureNumbers::margin(const Row& row) const {
    const double margin = margin_of(row);
    return std::isnan(margin) ? "none" : "\u00B1\u00A0" + text(in_units(margin, false), row, 1);
}

std::string FigureNumbers::size_of(double difference, const Row& row) const {
    const std::string size = text(in_units(std::abs(difference), true), row, 0);
    return unit_ == 1 ? size + suffix(row) : size + (size == "1" ? " point" : " points");
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
    for (const Row* row : rows) {
        std::vector<std::string> notes;
        if (row->contrast == Contrast::above) notes.emplace_back("\u25B2 clearly above the others");
        if (row->contrast == Contrast::below) notes.emplace_back("\u25BC clearly below the others");
        if (!same && !row->n.empty()) notes.push_back(reports(row->n));
        if (!row->note.empty()) notes.push_back(row->note);
        const bool ends = !std::isnan(row->lower) && !std::isnan(row->upper);
        table.rows.push_back({{.text = subject_of(figure, *row), .note = joined(notes)},
                              {numbers.exact(row->estimate, *row), row->estimate},
                              {numbers.margin(*row)},
                              {.text = ends ? numbers.exact(row->lower, *row) : "none",
                               .value = ends ? row->lower : NAN,
                               .to = ends ? numbers.exact(row->upper, *row) : "",
                               .to_value = row->upper}});
    }
    return table;
}

}  // namespace ldp::cli
