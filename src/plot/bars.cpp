#include "plot/bars.hpp"

#include <algorithm>
#include <cmath>

namespace ldp::plot {

namespace {

/// Of bars, so that intervals stay visible on them.
constexpr double pale = 0.25;

/// The estimate and its interval, across.
void interval_in(Canvas& canvas, const PlottedEstimate& mark, const Scale& scale, double y,
                 const std::string& colour) {
    if (std::isfinite(mark.low) && std::isfinite(mark.high))
        canvas.line(scale.at(mark.low), y, scale.at(mark.high), y, "s " + colour);
    if (std::isfinite(mark.estimate)) canvas.circle(scale.at(mark.estimate), y, 4.5, "h " + colour);
    if (std::isfinite(mark.truth)) canvas.pointer(scale.at(mark.truth), y, "f c1");
}

}  // namespace

Drawing bars(const std::vector<PlottedEstimate>& marks) {
    constexpr double step = 46;
    Canvas canvas;
    Scale scale = Scale::empty(0, 98.5);
    scale.include(0);
    for (const PlottedEstimate& mark : marks) include(scale, mark);
    scale.close();
    double y = 0;
    for (const PlottedEstimate& mark : marks) {
        canvas.begin(mark.title);
        canvas.text(0, y + 15, "t", mark.name);
        canvas.text(100, y + 15, "t b e", mark.value);
        if (std::isfinite(mark.estimate))
            canvas.rectangle(0, y + 22, scale.at(mark.estimate), 14, "h c0", pale);
        canvas.line(0, y + 20, 0, y + 38, "g z");
        interval_in(canvas, mark, scale, y + 29, "c0");
        canvas.end();
        y += step;
    }
    return canvas.drawing(y);
}

Drawing histogram(const std::vector<PlottedEstimate>& marks, const std::vector<std::string>& edges,
                  std::string (*label)(double)) {
    constexpr double first = 11, last = 99, top = 12, ground = 202;
    Canvas canvas;
    Scale y = Scale::empty(ground, top);
    y.include(0);
    for (const PlottedEstimate& mark : marks) include(y, mark);
    y.close();
    for (const double tick : y.ticks()) {
        canvas.line(first, y.at(tick), last, y.at(tick), tick == 0 ? "g z" : "g");
        canvas.text(first - 1.5, y.at(tick) + 4, "m e", label(tick));
    }
    const double wide = (last - first) / static_cast<double>(std::max<std::size_t>(marks.size(), 1));
    double widest = 0;
    for (const std::string& edge : edges) widest = std::max(widest, label_width(edge));
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil((widest + 1) / wide)));
    for (std::size_t i = 0; i < edges.size(); i += every) {
        const double x = first + wide * (static_cast<double>(i) + (edges.size() > marks.size() ? 0 : 0.5));
        canvas.line(x, ground, x, ground + 4, "g z");
        canvas.text(x, ground + 19, anchor(x), edges[i]);
    }
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const PlottedEstimate& mark = marks[i];
        if (!std::isfinite(mark.estimate)) continue;
        const double x = first + wide * static_cast<double>(i), middle = x + wide / 2;
        canvas.begin(mark.title);
        canvas.rectangle(x + 0.15, y.at(mark.estimate), wide - 0.3, ground - y.at(mark.estimate), "h c0",
                         pale);
        if (std::isfinite(mark.low) && std::isfinite(mark.high))
            canvas.line(middle, y.at(mark.low), middle, y.at(mark.high), "s c0");
        canvas.circle(middle, y.at(mark.estimate), 3.5, "h c0");
        canvas.end();
    }
    return canvas.drawing(ground + 26);
}

Drawing blocks(const std::vector<Block>& blocks, bool from_zero, std::string (*label)(double)) {
    constexpr double first = 34, last = 80, step = 21;
    Canvas canvas;
    Scale scale = Scale::empty(first, last);
    if (from_zero) scale.include(0);
    for (const Block& block : blocks)
        for (const PlottedEstimate& mark : block.marks) include(scale, mark);
    scale.close();
    double y = 0;
    for (const Block& block : blocks) {
        if (!block.name.empty()) canvas.text(0, (y += step) - 6, "t b", block.name);
        for (std::size_t i = 0; i < block.marks.size(); ++i) {
            const PlottedEstimate& mark = block.marks[i];
            canvas.begin(mark.title);
            canvas.text(1.5, y + 14, "t", mark.name);
            canvas.line(first, y + 10, last, y + 10, "g");
            interval_in(canvas, mark, scale, y + 10, colour_of(i));
            canvas.text(100, y + 14, "t e", mark.value);
            canvas.end();
            y += step;
        }
        y += 8;
    }
    double free = 0;
    for (const double tick : scale.ticks()) {
        const double half = label_width(label(tick)) / 2;
        if (scale.at(tick) - half < free) continue;
        free = scale.at(tick) + half + 1;
        canvas.line(scale.at(tick), y - 4, scale.at(tick), y, "g z");
        canvas.text(scale.at(tick), y + 13, "m c", label(tick));
    }
    return canvas.drawing(y + 20);
}

}  // namespace ldp::plot
