#include "plot/intervals.hpp"

#include <algorithm>
#include <tuple>

namespace ldp::plot {

void include(Scale& scale, const PlottedEstimate& mark) {
    for (const double value : {mark.estimate, mark.low, mark.high, mark.truth}) scale.include(value);
}

void draw(Canvas& canvas, const PlottedEstimate& mark, const Scale& scale, double y,
          const std::string& colour) {
    constexpr double cap = 5, radius = 3;
    if (std::isfinite(mark.low) && std::isfinite(mark.high)) {
        canvas.line(scale.at(mark.low), y, scale.at(mark.high), y, "s " + colour);
        for (const double end : {mark.low, mark.high})
            canvas.line(scale.at(end), y - cap, scale.at(end), y + cap, "s " + colour);
    }
    if (std::isfinite(mark.estimate)) canvas.circle(scale.at(mark.estimate), y, radius, "h " + colour);
    if (std::isfinite(mark.truth)) canvas.pointer(scale.at(mark.truth), y, "f c1");
}

void write_above(Canvas& canvas, const PlottedEstimate& mark, const Scale& scale, double indent, double y,
                 const std::string& style) {
    const double width = label_width(mark.value), free = indent + 1.2 * label_width(mark.name) + 2.5;
    const double x = std::isfinite(mark.estimate) ? scale.at(mark.estimate) - width / 2 : indent;
    if (x < free) return canvas.texts(indent, y, style, mark.name, mark.value);
    canvas.text(indent, y, style, mark.name);
    if (x + width > 99.5)
        canvas.text(99.5, y, "t e", mark.value);
    else
        canvas.text(x + width / 2, y, "t c", mark.value);
}

Drawing drawn(const std::vector<PlottedEstimate>& marks, double from, std::string (*label)(double)) {
    Canvas canvas;
    const bool own =
        std::ranges::any_of(marks, [](const PlottedEstimate& mark) { return mark.range.has_value(); });
    Scale common = Scale::empty(1, 99);
    common.include(from);
    for (const PlottedEstimate& mark : marks) include(common, mark);
    common.close();
    const double step = own ? 58 : 44, bottom = step * static_cast<double>(marks.size());
    const auto ticks = own ? std::vector<double>{} : common.ticks();
    for (const double tick : ticks)
        canvas.text(common.at(tick), bottom + 12, anchor(common.at(tick)), label(tick));
    double y = 0;
    for (const PlottedEstimate& mark : marks) {
        Scale scale = common;
        if (mark.range) std::tie(scale.low, scale.high) = *mark.range;
        canvas.begin(mark.title);
        write_above(canvas, mark, scale, 0, y + 15, "t b");
        canvas.line(1, y + 29, 99, y + 29, "g");
        for (const double tick : ticks)
            canvas.line(common.at(tick), y + 22, common.at(tick), y + 36, tick == 0 ? "g z" : "g");
        draw(canvas, mark, scale, y + 29, colour_of(0));
        if (own) {
            const auto of_end = mark.label == nullptr ? label : mark.label;
            canvas.text(1, y + 47, "m", of_end(scale.low));
            canvas.text(99, y + 47, "m e", of_end(scale.high));
        }
        canvas.end();
        y += step;
    }
    return canvas.drawing(bottom + (own ? 0 : 20));
}

Drawing drawn(const Grid& grid) {
    constexpr double left = 24, high = 42, darkest = 0.4;
    const double head = grid.heading.empty() ? 26 : 44;
    Canvas canvas;
    double most = 0;
    for (const Grid::Line& line : grid.lines)
        for (const auto& cell : line.cells)
            if (cell && std::isfinite(cell->estimate)) most = std::max(most, cell->estimate);
    const double wide = (100 - left) / static_cast<double>(grid.columns.size());
    canvas.text(0, head - 8, "m", grid.corner);
    if (!grid.heading.empty()) canvas.text((left + 100) / 2, 14, "m c", grid.heading);
    for (std::size_t c = 0; c < grid.columns.size(); ++c)
        canvas.text(left + wide * (static_cast<double>(c) + 0.5), head - 8, "t b c", grid.columns[c]);
    double y = head;
    for (const Grid::Line& line : grid.lines) {
        canvas.text(0, y + 24, "t b", line.name);
        for (std::size_t c = 0; c < line.cells.size(); ++c) {
            if (!line.cells[c]) continue;
            const PlottedEstimate& mark = *line.cells[c];
            const double from = left + wide * static_cast<double>(c), middle = from + wide / 2;
            const double share = std::isfinite(mark.estimate) && most > 0 ? mark.estimate / most : 0;
            canvas.begin(mark.title);
            canvas.rectangle(from + 0.3, y + 1, wide - 0.6, high - 3, "h c0",
                             0.04 + (darkest - 0.04) * std::clamp(share, 0.0, 1.0));
            canvas.text(middle, y + (mark.ends.empty() ? 24 : 17), "t c", mark.value);
            canvas.text(middle, y + 33, "m c", mark.ends);
            canvas.end();
        }
        y += high;
    }
    return canvas.drawing(y + 2);
}

}  // namespace ldp::plot
