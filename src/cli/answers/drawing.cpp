// Figures as drawings: what a row is called and how numbers are written; src/plot draws.

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cli/answers/formatting.hpp"
#include "cli/answers/layouts.hpp"
#include "plot/chart.hpp"
#include "plot/intervals.hpp"
#include "plot/sheet.hpp"

namespace ldp::cli {

namespace {

using Label = std::string (*)(double);

Label label_of(const Figure& figure) {
    if (figure.shares) return [](double value) { return rounded(100 * value) + "\u00A0%"; };
    return rounded;
}

plot::Mark mark_of(const Row& row, const std::string& about, const Figure& figure) {
    plot::Mark mark{.name = subject(row, 32),
                    .value = estimate_of(row, figure.shares),
                    .title = about + ": " + told(row, figure.shares),
                    .estimate = row.estimate,
                    .low = row.lower,
                    .high = row.upper,
                    .truth = row.truth};
    if (row.scale) mark.range = {row.scale->lower, row.scale->upper};
    return mark;
}

/// The groups of rows, in order of their first.
std::vector<std::string> groups(const Figure& figure) {
    std::vector<std::string> found;
    for (const Row& row : figure.rows)
        if (std::ranges::find(found, row.group) == found.end()) found.push_back(row.group);
    return found;
}

plot::Drawing marks(const Figure& figure) {
    std::vector<plot::Mark> found;
    for (const Row& row : figure.rows) found.push_back(mark_of(row, subject(row), figure));
    return plot::drawn(found, figure.shares, label_of(figure));
}

plot::Drawing lines(const Figure& figure) {
    plot::Chart chart{.x = figure.axis, .from_zero = figure.shares, .label = label_of(figure)};
    const auto names = groups(figure);
    for (const std::string& group : names) {
        plot::Series series{names.size() < 2 ? "" : name(group, 32), {}};
        for (const Row& row : figure.rows)
            if (row.group == group)
                series.points.push_back({row.at, row.estimate, row.lower, row.upper,
                                         (row.label.empty() ? rounded(row.at) : name(row.label)) + ": " +
                                             told(row, figure.shares)});
        chart.series.push_back(std::move(series));
    }
    return plot::drawn(chart);
}

plot::Drawing grid(const Figure& figure) {
    plot::Grid grid;
    const auto columns = groups(figure);
    const auto letters = std::max<std::size_t>(3, 48 / std::max<std::size_t>(columns.size(), 1));
    for (const std::string& column : columns) grid.columns.push_back(name(column, letters));
    for (const Row& row : figure.rows) {
        const auto column = static_cast<std::size_t>(std::ranges::find(columns, row.group) - columns.begin());
        if (column == 0) grid.lines.push_back({name(row.label, 14), {columns.size(), std::nullopt}});
        grid.lines.back().cells[column] = mark_of(row, name(row.label) + ", " + name(row.group), figure);
    }
    return plot::drawn(grid);
}

}  // namespace

plot::Drawing drawn(const Figure& figure) {
    switch (figure.kind) {
        case Figure::Kind::lines:
            return lines(figure);
        case Figure::Kind::grid:
            return grid(figure);
        case Figure::Kind::marks:
            break;
    }
    return marks(figure);
}

void write_svg(std::ostream& out, const Document& document) {
    plot::Sheet sheet;
    sheet.text(document.title, "t b", 18);
    for (const std::string& sentence : document.lead) sheet.text(sentence, "t", 13);
    for (const Section& section : document.sections)
        for (const Figure& figure : section.figures) {
            sheet.gap(20);
            sheet.text(figure.title, "t b", 15);
            if (!figure.about.empty()) sheet.text(figure.about, "m", 12);
            if (!figure.refused.empty()) sheet.text(figure.refused, "t", 12);
            if (figure.rows.empty()) continue;
            sheet.gap(8);
            sheet.row({{drawn(figure)}});
        }
    out << sheet.svg();
}

}  // namespace ldp::cli
