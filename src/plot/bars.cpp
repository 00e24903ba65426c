#include "plot/bars.hpp"

#include <algorithm>
#include <cmath>

namespace ldp::plot {

namespace {

/// Of bars, so that intervals stay visible on them.
constexpr double pale = 0.25;

/// A row of bars() and blocks(): a line of text, and below it the interval in a part of the axis.
constexpr double row_height = 36, middle_of_row = 24, half_of_axis = 7;

/// Extends the scale to the given end, or else to all marks, and closes it.
template <class Marks>
void close(Scale& scale, double end, const Marks& marks) {
    if (std::isfinite(end))
        scale.include(end);
    else
        for (const PlottedEstimate& mark : marks) include(scale, mark);
    scale.close();
}

/// The lines of the axis in one row, which cross no text.
void axis_of_row(Canvas& canvas, const Scale& scale, double y) {
    canvas.line(scale.first, y + middle_of_row, scale.last, y + middle_of_row, "g");
    for (const double tick : scale.ticks())
        canvas.line(scale.at(tick), y + middle_of_row - half_of_axis, scale.at(tick),
                    y + middle_of_row + half_of_axis, tick == 0 ? "g z" : "g");
}

/// The labels of the axis, which do not touch.
void labels_of_axis(Canvas& canvas, const Scale& scale, double y, std::string (*label)(double)) {
    double free = -HUGE_VAL;
    for (const double tick : scale.ticks()) {
        const double half = label_width(label(tick)) / 2, x = scale.at(tick);
        const double begin = x < 4 ? x : x > 96 ? x - 2 * half : x - half;
        if (begin < free) continue;
        free = begin + 2 * half + 2;
        canvas.text(x, y, anchor(x), label(tick));
    }
}

/// A mark with its name and value above its interval.
void row(Canvas& canvas, const PlottedEstimate& mark, const Scale& scale, double y, double indent,
         const std::string& colour, bool bar) {
    canvas.begin(mark.title);
    axis_of_row(canvas, scale, y);
    write_above(canvas, mark, scale, indent, y + 12, "t");
    if (bar && std::isfinite(mark.estimate))
        canvas.rectangle(scale.first, y + middle_of_row - half_of_axis, scale.at(mark.estimate) - scale.first,
                         2 * half_of_axis, "h " + colour, pale);
    draw(canvas, mark, scale, y + middle_of_row, colour);
    canvas.end();
}

}  // namespace

Drawing bars(const std::vector<PlottedEstimate>& marks, double end, std::string (*label)(double)) {
    Canvas canvas;
    Scale scale = Scale::empty(0.5, 99);
    scale.include(0);
    close(scale, end, marks);
    double y = 0;
    for (const PlottedEstimate& mark : marks) {
        row(canvas, mark, scale, y, 0, colour_of(0), true);
        y += row_height;
    }
    labels_of_axis(canvas, scale, y + 10, label);
    return canvas.drawing(y + 16);
}

Drawing histogram(const std::vector<PlottedEstimate>& marks, const std::vector<std::string>& edges,
                  double end, std::string (*label)(double), const std::string& x_title,
                  const std::string& y_title) {
    constexpr double first = 11, last = 99;
    const double top = y_title.empty() ? 18 : 36, ground = top + 170;
    // The number of a bar stands left of its interval.
    constexpr double of_number = 0.38, of_interval = 0.78;
    Canvas canvas;
    if (!y_title.empty()) canvas.text(0, 12, "m", y_title);
    Scale y = Scale::empty(ground, top);
    y.include(0);
    close(y, end, marks);
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
        const double x = first + wide * static_cast<double>(i), height = y.at(mark.estimate);
        canvas.begin(mark.title);
        canvas.rectangle(x + 0.15, height, wide - 0.3, ground - height, "h c0", pale);
        canvas.line(x + 0.15, height, x + wide - 0.15, height, "s c0");
        if (std::isfinite(mark.low) && std::isfinite(mark.high))
            canvas.line(x + of_interval * wide, y.at(mark.low), x + of_interval * wide, y.at(mark.high),
                        "s c0");
        canvas.circle(x + of_interval * wide, height, 3, "h c0");
        if (label_width(mark.value) <= 2 * of_number * wide)
            canvas.text(x + of_number * wide, height - 5, "m c", mark.value);
        canvas.end();
    }
    if (!x_title.empty()) canvas.text((first + last) / 2, ground + 36, "m c", x_title);
    return canvas.drawing(ground + (x_title.empty() ? 26 : 44));
}

Drawing blocks(const std::vector<Block>& blocks, double end, bool from_zero, std::string (*label)(double)) {
    constexpr double of_name = 22, between = 8, indent = 1.5;
    Canvas canvas;
    std::vector<PlottedEstimate> marks;
    for (const Block& block : blocks) marks.insert(marks.end(), block.marks.begin(), block.marks.end());
    Scale scale = Scale::empty(indent, 99);
    if (from_zero) scale.include(0);
    close(scale, end, marks);
    double y = 0;
    for (const Block& block : blocks) {
        if (!block.name.empty()) canvas.text(0, (y += of_name) - 6, "t b", block.name);
        for (std::size_t i = 0; i < block.marks.size(); ++i) {
            row(canvas, block.marks[i], scale, y, indent, colour_of_group(i), false);
            y += row_height;
        }
        y += between;
    }
    labels_of_axis(canvas, scale, y + 6, label);
    return canvas.drawing(y + 12);
}

}  // namespace ldp::plot
