#include "figures/figure_drawing.hpp"

#include <algorithm>
#include <cmath>

#include "figures/figure_numbers.hpp"
#include "figures/formatting.hpp"
#include "plot/bars.hpp"
#include "plot/chart.hpp"
#include "plot/intervals.hpp"

namespace ldp::figures {

namespace {

using Label = std::string (*)(double);

std::string per_cent(double value) {
    return rounded(100 * value) + "\u00A0%";
}

Label label_of(const Figure& figure) {
    return figure.shares ? per_cent : rounded;
}

/// A number of a figure as it is drawn: shares lie between 0 and 1.
double drawn_at(const Figure& figure, double value) {
    return figure.shares && !std::isnan(value) ? std::clamp(value, 0.0, 1.0) : value;
}

/// The value is the estimate with its interval, as in sentences.
plot::PlottedEstimate mark_of(const Row& row, const std::string& subject, const Figure& figure,
                              const FigureNumbers& numbers) {
    const std::string sign = sign_of(figure, row), ends = numbers.interval(row);
    Row plain = row;
    if (!common_unit(figure).empty()) plain.unit.clear();  // the foot has it
    plot::PlottedEstimate mark{.name = subject,
                               .value = sign + (sign.empty() ? "" : " ") + numbers.estimate(plain) +
                                        (ends.empty() ? "" : " (" + ends + ")"),
                               .title = subject + ": " + numbers.estimate_and_interval(row),
                               .estimate = drawn_at(figure, row.estimate),
                               .low = drawn_at(figure, row.lower),
                               .high = drawn_at(figure, row.upper),
                               .truth = row.truth};
    if (row.scale) mark.range = {row.scale->lower, row.scale->upper};
    if (row.proportion) mark.label = per_cent;
    return mark;
}

std::vector<plot::PlottedEstimate> marks_of(const Figure& figure) {
    const FigureNumbers numbers(figure);
    std::vector<plot::PlottedEstimate> found;
    for (const Row* row : display_order(figure))
        found.push_back(mark_of(*row, subject(*row, 32), figure, numbers));
    return found;
}

/// The groups of rows, in order of their first.
std::vector<std::string> groups_of(const Figure& figure) {
    std::vector<std::string> found;
    for (const Row& row : figure.rows)
        if (std::ranges::find(found, row.group) == found.end()) found.push_back(row.group);
    return found;
}

/// The intervals are those of the unbiased estimates, which the table has. So the drawing has no interval as text.
plot::Drawing histogram(Figure figure) {
    for (Row& row : figure.rows)
        if (!std::isnan(row.drawn)) row.estimate = row.drawn;
    std::vector<std::string> edges;
    const bool of_points =
        std::ranges::all_of(figure.rows, [](const Row& row) { return row.at == row.until; });
    for (const Row& row : figure.rows) edges.push_back(row.edge.empty() ? rounded(row.at) : row.edge);
    if (!of_points && !figure.rows.empty())
        edges.push_back(figure.last_edge.empty() ? rounded(figure.rows.back().until) : figure.last_edge);
    std::vector<plot::PlottedEstimate> marks = marks_of(figure);
    for (plot::PlottedEstimate& mark : marks)
        if (const std::size_t unit = mark.value.find("\u00A0%"); unit != std::string::npos)
            mark.value.erase(unit);  // the axis has it, and all behind it is the interval
    for (std::size_t i = 0; i < marks.size(); ++i)
        for (double* height : {&marks[i].estimate, &marks[i].low, &marks[i].high})
            *height *= figure.rows[i].height;
    return plot::histogram(marks, edges, figure.end, label_of(figure), figure.axis, "share of people");
}

/// A line for each group.
plot::Drawing lines(const Figure& figure) {
    const FigureNumbers numbers(figure);
    plot::Chart chart{.x = figure.axis,
                      .from_zero = axis_from_zero(figure),
                      .end = figure.end,
                      .direct = true,
                      .groups = figure.kind == Figure::Kind::comparison,
                      .label = label_of(figure)};
    const auto groups = groups_of(figure);
    for (const std::string& group : groups) {
        plot::Series series{group.empty() ? "" : name(group, 32), {}};
        for (const Row& row : figure.rows)
            if (row.group == group)
                series.points.push_back({row.at, drawn_at(figure, row.estimate), drawn_at(figure, row.lower),
                                         drawn_at(figure, row.upper),
                                         (row.label.empty() ? rounded(row.at) : name(row.label)) + ": " +
                                             numbers.estimate_and_interval(row),
                                         sign_of(figure, row)});
        chart.series.push_back(std::move(series));
    }
    if (figure.kind == Figure::Kind::change) {
        for (const Row& row : figure.rows)
            if (std::ranges::find(chart.marks, row.at) == chart.marks.end()) chart.marks.push_back(row.at);
    } else if (figure.kind == Figure::Kind::curve) {
        chart.x = name(figure.axis, 40);
        if (!figure.rows[0].unit.empty()) chart.y = name(figure.rows[0].unit, 40);
        if (figure.position != nullptr) {
            chart.mark = figure.position;
            for (const Row& row : figure.rows) chart.marks.push_back(row.at);
        }
    } else {
        chart.x.clear();
        for (const Row& row : figure.rows)
            if (row.group == groups[0]) chart.names.push_back(name(row.label, 10));
    }
    return plot::drawn(chart);
}

plot::Drawing grid(const Figure& figure) {
    const FigureNumbers numbers(figure);
    plot::Grid grid;
    if (!figure.row_of.empty()) grid.corner = name(figure.row_of, 11);
    if (!figure.axis.empty()) grid.heading = name(figure.axis, 40);
    const auto columns = groups_of(figure);
    const auto letters = std::max<std::size_t>(3, 48 / std::max<std::size_t>(columns.size(), 1));
    for (const std::string& column : columns) grid.columns.push_back(name(column, letters));
    for (const Row& row : figure.rows) {
        const auto column = static_cast<std::size_t>(std::ranges::find(columns, row.group) - columns.begin());
        if (column == 0) grid.lines.push_back({name(row.label, 14), {columns.size(), std::nullopt}});
        auto& cell = grid.lines.back().cells[column];
        cell = mark_of(row, name(row.label) + ", " + name(row.group), figure, numbers);
        cell->value = numbers.estimate(row);
        if (const std::string ends = numbers.interval(row); !ends.empty()) cell->ends = "(" + ends + ")";
    }
    return plot::drawn(grid);
}

/// Vectors as lines, one for each group; other estimates as blocks of one row for each group.
plot::Drawing comparison(const Figure& figure) {
    if (figure.ordered && !figure.shares) return lines(figure);
    const FigureNumbers numbers(figure);
    const auto groups = groups_of(figure);
    std::vector<plot::Block> blocks;
    const std::string* last = nullptr;
    for (const Row* row : display_order(figure)) {
        if (last == nullptr || *last != row->label)
            blocks.push_back(
                {row->label.empty() ? "" : name(row->label, 40), {groups.size(), plot::PlottedEstimate{}}});
        last = &row->label;
        const auto group = static_cast<std::size_t>(std::ranges::find(groups, row->group) - groups.begin());
        blocks.back().marks[group] = mark_of(*row, name(row->group, 26), figure, numbers);
    }
    for (plot::Block& block : blocks)
        for (std::size_t i = 0; i < groups.size(); ++i)
            if (block.marks[i].name.empty())
                block.marks[i] = {
                    .name = name(groups[i], 26), .value = "none", .title = name(groups[i]) + ": none"};
    return plot::blocks(blocks, figure.end, axis_from_zero(figure), label_of(figure));
}

}  // namespace

plot::Drawing drawn(const Figure& figure) {
    if (!figure.drawn_groups.empty()) {
        Figure part = figure;
        part.drawn_groups.clear();
        std::erase_if(part.rows, [&](const Row& row) {
            return std::ranges::find(figure.drawn_groups, row.group) == figure.drawn_groups.end();
        });
        return drawn(part);
    }
    switch (figure.kind) {
        case Figure::Kind::category:
            return plot::bars(marks_of(figure), figure.end, label_of(figure));
        case Figure::Kind::distribution:
            return histogram(figure);
        case Figure::Kind::vector:
        case Figure::Kind::change:
        case Figure::Kind::curve:
            return lines(figure);
        case Figure::Kind::table:
            return grid(figure);
        case Figure::Kind::comparison:
            return comparison(figure);
        case Figure::Kind::mean:
        case Figure::Kind::quantiles:
        case Figure::Kind::association:
            break;
    }
    const double from = figure.shares ? 0 : figure.range ? figure.range->lower : NAN;
    return plot::drawn(marks_of(figure), from, label_of(figure));
}

}  // namespace ldp::figures
