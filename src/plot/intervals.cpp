#include "plot/intervals.hpp"

#include <algorithm>
#include <tuple>

namespace ldp::plot {

namespace {

/// The estimate and its interval, across.
void draw(Canvas& canvas, const PlottedEstimate& mark, const Scale& scale, double y, double cap = 5) {
    if (std::isfinite(mark.low) && std::isfinite(mark.high)) {
        canvas.line(scale.at(mark.low), y, scale.at(mark.high), y, "s c0");
        for (const double end : {mark.low, mark.high})
            canvas.line(scale.at(end), y - cap, scale.at(end), y + cap, "s c0");
    }
    if (std::isfinite(mark.estimate)) canvas.circle(scale.at(mark.estimate), y, cap - 0.5, "f c0");
    if (std::isfinite(mark.truth)) canvas.pointer(scale.at(mark.truth), y, "f c1");
}

}  // namespace

void include(Scale& scale, const PlottedEstimate& mark) {
    for (const double value : {mark.estimate, mark.low, mark.high, mark.truth}) scale.include(value);
}

Drawing drawn(const std::vector<PlottedEstimate>& marks, bool from_zero, std::string (*label)(double)) {
    Canvas canvas;
    const bool own =
        std::ranges::any_of(marks, [](const PlottedEstimate& mark) { return mark.range.has_value(); });
    Scale common = Scale::empty(1, 99);
    if (from_zero) common.include(0);
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
        canvas.text(0, y + 15, "t b", mark.name);
        canvas.text(100, y + 15, "t e", mark.value);
        canvas.line(1, y + 29, 99, y + 29, "g");
        for (const double tick : ticks)
            canvas.line(common.at(tick), y + 22, common.at(tick), y + 36, tick == 0 ? "g z" : "g");
        draw(canvas, mark, scale, y + 29);
        if (own) {
            canvas.text(1, y + 47, "m", label(scale.low));
            canvas.text(99, y + 47, "m e", label(scale.high));
        }
        canvas.end();
        y += step;
    }
    return canvas.drawing(bottom + (own ? 0 : 20));
}

Drawing drawn(const Grid& grid) {
    constexpr double left = 24, head = 26, high = 46;
    Canvas canvas;
    Scale scale = Scale::empty(0, 100);
    scale.include(0);
    for (const Grid::Line& line : grid.lines)
        for (const auto& cell : line.cells)
            if (cell) include(scale, *cell);
    scale.low = 0;
    scale.close();
    const double wide = (100 - left) / static_cast<double>(grid.columns.size());
    for (std::size_t c = 0; c < grid.columns.size(); ++c)
        canvas.text(left + wide * (static_cast<double>(c) + 0.5), head - 8, "t b c", grid.columns[c]);
    double y = head;
    for (const Grid::Line& line : grid.lines) {
        canvas.text(0, y + 20, "t b", line.name);
        for (std::size_t c = 0; c < line.cells.size(); ++c) {
            if (!line.cells[c]) continue;
            const PlottedEstimate& mark = *line.cells[c];
            const double from = left + wide * static_cast<double>(c);
            const double share = std::isfinite(mark.estimate) ? mark.estimate / scale.high : 0;
            canvas.begin(mark.title);
            canvas.rectangle(from + 0.3, y + 1, wide - 0.6, high - 3, "h c0",
                             0.04 + 0.3 * std::clamp(share, 0.0, 1.0));
            canvas.text(from + wide / 2, y + 20, "t c", mark.value);
            scale.first = from + 0.08 * wide;
            scale.last = from + 0.92 * wide;
            draw(canvas, mark, scale, y + 33, 3.5);
            canvas.end();
        }
        y += high;
    }
    return canvas.drawing(y + 2);
}

}  // namespace ldp::plot
