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

/// The width of the widest of these texts, in per cent.
template <class TextOf>
double widest(const std::vector<PlottedEstimate>& marks, TextOf text_of) {
    double most = 0;
    for (const PlottedEstimate& mark : marks) most = std::max(most, label_width(text_of(mark)));
    return most;
}

/// Where a value stands: behind the interval.
double behind(const PlottedEstimate& mark, const Scale& scale) {
    double end = scale.first;
    for (const double value : {mark.estimate, mark.high})
        if (std::isfinite(value)) end = std::max(end, scale.at(value));
    return end + 1.4;
}

/// Lines of the grid with their labels below.
void grid_lines(Canvas& canvas, const Scale& scale, double top, double bottom, std::string (*label)(double)) {
    double free = 0;
    for (const double tick : scale.ticks()) {
        canvas.line(scale.at(tick), top, scale.at(tick), bottom, tick == 0 ? "g z" : "g");
        const double half = label_width(label(tick)) / 2;
        if (scale.at(tick) - half < free && tick != scale.low) continue;
        free = scale.at(tick) + half + 1;
        canvas.text(scale.at(tick), bottom + 13, scale.at(tick) < 3 ? "m" : "m c", label(tick));
    }
}

}  // namespace

Drawing bars(const std::vector<PlottedEstimate>& marks, double end, std::string (*label)(double)) {
    constexpr double most_beside = 33;
    Canvas canvas;
    const double names = widest(marks, [](const PlottedEstimate& mark) { return mark.name; });
    const double values = widest(marks, [](const PlottedEstimate& mark) { return mark.value; });
    const bool beside = names <= most_beside;
    const double step = beside ? 25 : 42, above = beside ? 3 : 19;
    Scale scale = Scale::empty(beside ? 1.1 * names + 1.5 : 0, 98 - std::min(1.1 * values, 40.0));
    scale.include(0);
    if (std::isfinite(end))
        scale.include(end);
    else
        for (const PlottedEstimate& mark : marks) include(scale, mark);
    scale.close();
    grid_lines(canvas, scale, 0, step * static_cast<double>(marks.size()), label);
    double y = 0;
    for (const PlottedEstimate& mark : marks) {
        const double middle = y + above + 8;
        canvas.begin(mark.title);
        canvas.text(0, beside ? middle + 4.5 : y + 14, "t", mark.name);
        if (std::isfinite(mark.estimate))
            canvas.rectangle(scale.first, y + above, scale.at(mark.estimate) - scale.first, 16, "h c0", pale);
        interval_in(canvas, mark, scale, middle, "c0");
        canvas.text(behind(mark, scale), middle + 4.5, "t", mark.value);
        canvas.end();
        y += step;
    }
    return canvas.drawing(y + 18);
}

Drawing histogram(const std::vector<PlottedEstimate>& marks, const std::vector<std::string>& edges,
                  double end, std::string (*label)(double)) {
    constexpr double first = 11, last = 99, top = 18, ground = 188;
    Canvas canvas;
    Scale y = Scale::empty(ground, top);
    y.include(0);
    if (std::isfinite(end))
        y.include(end);
    else
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
        if (label_width(mark.value) <= wide)
            canvas.text(middle, y.at(std::isfinite(mark.high) ? mark.high : mark.estimate) - 5, "m c",
                        mark.value);
        canvas.end();
    }
    return canvas.drawing(ground + 26);
}

Drawing blocks(const std::vector<Block>& blocks, double end, bool from_zero, std::string (*label)(double)) {
    constexpr double step = 19;
    Canvas canvas;
    double names = 0, values = 0;
    for (const Block& block : blocks) {
        names = std::max(names, widest(block.marks, [](const PlottedEstimate& mark) { return mark.name; }));
        values =
            std::max(values, widest(block.marks, [](const PlottedEstimate& mark) { return mark.value; }));
    }
    Scale scale = Scale::empty(std::min(1.1 * names, 33.0) + 3, 98 - std::min(1.1 * values, 40.0));
    if (from_zero) scale.include(0);
    if (std::isfinite(end)) scale.include(end);
    for (const Block& block : blocks)
        for (const PlottedEstimate& mark : block.marks)
            if (!std::isfinite(end)) include(scale, mark);
    scale.close();
    double height = 0;
    for (const Block& block : blocks)
        height += (block.name.empty() ? 0 : step) + step * static_cast<double>(block.marks.size()) + 6;
    grid_lines(canvas, scale, 0, height, label);
    double y = 0;
    for (const Block& block : blocks) {
        if (!block.name.empty()) canvas.text(0, (y += step) - 5, "t b", block.name);
        for (std::size_t i = 0; i < block.marks.size(); ++i) {
            const PlottedEstimate& mark = block.marks[i];
            canvas.begin(mark.title);
            canvas.text(1.5, y + 14, "t", mark.name);
            interval_in(canvas, mark, scale, y + 10, colour_of(i));
            canvas.text(behind(mark, scale), y + 14, "t", mark.value);
            canvas.end();
            y += step;
        }
        y += 6;
    }
    return canvas.drawing(height + 18);
}

}  // namespace ldp::plot
