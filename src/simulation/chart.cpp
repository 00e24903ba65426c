#include "simulation/chart.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

namespace ldp::simulation {

namespace {

constexpr const char* colours[] = {"#2a6db0", "#c0392b", "#27823b", "#e08e0b", "#8e44ad",
                                   "#6f7780", "#16a2b8", "#d35f9d", "#7d5a3c", "#9aa812",
                                   "#1c2e6b", "#f2766b", "#5ec4a5", "#000000"};
/// Around the origin, about 1 to each side.
constexpr const char* shapes[] = {"M-1,0a1,1 0 1,0 2,0a1,1 0 1,0 -2,0z", "M-.9-.9h1.8v1.8h-1.8z",
                                  "M0-1.15L1.1.8H-1.1z", "M0-1.2L1.2 0L0 1.2L-1.2 0z"};
constexpr double width = 520, left = 70, top = 66, plot_width = 420, plot_height = 280, line_height = 18;
constexpr double legend = top + plot_height + 66, gap = 24;
constexpr std::size_t most_in_a_row = 3;
/// Lines of more points than these are told by the line alone.
constexpr std::size_t most_markers = 16;

/// About how wide a text of this size is.
double width_of(const std::string& text, double size) {
    return 0.56 * size * static_cast<double>(text.size());
}

/// Very large and very small numbers by powers of ten.
std::string label(double value) {
    const auto plain = [](double number) {
        std::ostringstream text;
        text << number;
        return text.str();
    };
    if (value == 0 || (std::abs(value) >= 1e-3 && std::abs(value) < 1e4)) return plain(value);
    static constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const double power = std::floor(std::log10(std::abs(value)) + 1e-9);
    std::string text = plain(value / std::pow(10, power));
    text = (text == "1" ? "10" : text + "·10") + (power < 0 ? "⁻" : "");
    for (const char digit : plain(std::abs(power))) text += raised[digit - '0'];
    return text;
}

/// An axis from low to high.
struct Axis {
    bool logarithmic;
    double low, high;

    [[nodiscard]] bool holds(double value) const {
        return std::isfinite(value) && (!logarithmic || value > 0);
    }
    [[nodiscard]] double share(double value) const {
        return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    }
    void widen(double value) {
        if (!holds(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    /// Some numbers within that are easily read: steps of 1, 2 or 5 times a power of ten, which begin at
    /// `low`; or such numbers themselves, over a wide range only the powers, over a narrow one more.
    [[nodiscard]] std::vector<double> marks() const {
        std::vector<double> found;
        if (!logarithmic) {
            const double rough = (high - low) / 6, power = std::pow(10, std::floor(std::log10(rough)));
            const double step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : 2);
            for (int i = 0; low + i * step <= high; ++i) found.push_back(low + i * step);
            return found;
        }
        const std::vector<double> digits = high / low > 100  ? std::vector<double>{1}
                                           : high / low > 10 ? std::vector<double>{1, 2, 5}
                                                             : std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 8};
        const int last = static_cast<int>(std::floor(std::log10(high)));
        for (int power = static_cast<int>(std::floor(std::log10(low))); power <= last; ++power)
            for (const double digit : digits)
                if (const double at = digit * std::pow(10, power); at >= low && at <= high)
                    found.push_back(at);
        return found;
    }
};

void write(std::ostream& svg, double x, double y, const char* style, const std::string& text) {
    svg << "<text x=\"" << x << "\" y=\"" << y << "\" " << style << ">" << text << "</text>\n";
}
void segment(std::ostream& svg, double x1, double y1, double x2, double y2, const std::string& style) {
    svg << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2 << "\" " << style
        << "/>\n";
}

/// Of one among so many lines. The first are drawn first, and broader, so that lines that coincide all show.
struct Style {
    Style(std::size_t line, std::size_t lines)
        : colour(colours[line % std::size(colours)]),
          shape(shapes[line % std::size(shapes)]),
          radius(6 - 3 * static_cast<double>(line) / static_cast<double>(lines)),
          broad(3.2 - 1.8 * static_cast<double>(line) / static_cast<double>(lines)) {}
    void marker(std::ostream& svg, double x, double y) const {
        svg << "<path transform=\"translate(" << x << "," << y << ") scale(" << radius << ")\" d=\"" << shape
            << "\" fill=\"" << colour << "\" stroke=\"white\" stroke-width=\".2\"/>\n";
    }
    [[nodiscard]] std::string stroke(double thick) const {
        return "stroke=\"" + std::string(colour) + "\" stroke-width=\"" + label(thick) + "\"";
    }
    const char *colour, *shape;
    double radius, broad;
};

std::size_t columns(const Panel& panel) {
    double widest = 0;
    for (const Line& line : panel.lines) widest = std::max(widest, width_of(line.name, 12));
    return widest < plot_width / 2 - 40 ? 2 : 1;
}
double height_of(const Panel& panel) {
    const std::size_t rows = (panel.lines.size() + columns(panel) - 1) / columns(panel);
    return legend + line_height * static_cast<double>(rows) + gap;
}

void draw(const Panel& panel, std::ostream& svg) {
    Axis x{panel.logarithmic, HUGE_VAL, -HUGE_VAL};
    Axis y{panel.logarithmic, panel.logarithmic ? HUGE_VAL : 0, panel.logarithmic ? -HUGE_VAL : 0};
    for (const Line& line : panel.lines)
        for (const auto* points : {&line.points, &line.formula})
            for (const auto& [at, value] : *points) {
                x.widen(at);
                y.widen(value);
            }
    if (!(x.high > x.low)) x.high = x.low + 1;
    y.high = y.high > 0 ? 1.2 * y.high : 1;
    if (panel.logarithmic) y.low /= 1.2;
    const double bottom = top + plot_height, right = left + plot_width;
    const auto across = [&](double value) { return left + plot_width * (0.02 + 0.96 * x.share(value)); };
    const auto down = [&](double value) { return bottom - plot_height * y.share(value); };

    const double size = std::min(15.0, 15 * (width - left) / (1.15 * width_of(panel.title, 15)));
    write(svg, left, 26, ("font-weight=\"bold\" font-size=\"" + label(size) + "\"").c_str(), panel.title);
    write(svg, left, 48, R"(fill="#555")", panel.y.empty() ? "" : "↑ " + panel.y);
    for (const double mark : y.marks()) {
        segment(svg, left, down(mark), right, down(mark), "stroke=\"#e4e4e4\"");
        write(svg, left - 8, down(mark) + 4, R"(text-anchor="end" fill="#333")", label(mark));
    }
    std::vector<double> marks = panel.marks;
    std::ranges::sort(marks);
    double free = 0;  // from here on no mark has been written
    for (const double mark : marks) {
        const double half = width_of(label(mark), 12) / 2;
        if (!x.holds(mark) || across(mark) - half < free) continue;
        free = across(mark) + half + 6;
        segment(svg, across(mark), top, across(mark), bottom, "stroke=\"#f0f0f0\"");
        write(svg, across(mark), bottom + 20, R"(text-anchor="middle" fill="#333")", label(mark));
    }
    segment(svg, left, bottom, right, bottom, "stroke=\"#888\"");
    segment(svg, left, top, left, bottom, "stroke=\"#888\"");
    write(svg, left + plot_width / 2, bottom + 42, R"(text-anchor="middle" fill="#555")", panel.x);

    for (std::size_t i = 0; i < panel.lines.size(); ++i) {
        const Style style(i, panel.lines.size());
        const auto& [name, points, intervals, formula] = panel.lines[i];
        svg << "<polyline fill=\"none\" " << style.stroke(formula.empty() ? style.broad : 1) << " points=\"";
        for (const auto& [at, value] : formula.empty() ? points : formula)
            if (x.holds(at) && y.holds(value)) svg << across(at) << "," << down(value) << " ";
        svg << "\"/>\n";
        const bool marked = points.size() <= most_markers;
        for (std::size_t p = 0; p < points.size(); ++p) {
            const auto [at, value] = points[p];
            if (!x.holds(at) || !y.holds(value)) continue;
            if (p < intervals.size() && y.holds(intervals[p].first))
                segment(svg, across(at), down(std::max(intervals[p].first, y.low)), across(at),
                        down(std::min(intervals[p].second, y.high)), style.stroke(1.2));
            if (marked) style.marker(svg, across(at), down(value));
        }
        const std::size_t row = i / columns(panel), column = i % columns(panel);
        const double from = left + plot_width / 2 * static_cast<double>(column);
        const double middle = legend + line_height * static_cast<double>(row);
        segment(svg, from, middle, from + 24, middle, style.stroke(formula.empty() ? style.broad : 1));
        if (marked) style.marker(svg, from + 12, middle);
        write(svg, from + 32, middle + 4, "", name);
    }
}

}  // namespace

std::string drawing(std::span<const Panel> panels, const std::string& note) {
    std::ostringstream inside;
    inside.precision(5);
    double height = 0;
    const std::size_t rows = (panels.size() + most_in_a_row - 1) / most_in_a_row;
    const std::size_t in_a_row = (panels.size() + rows - 1) / rows;
    for (std::size_t first = 0; first < panels.size(); first += in_a_row) {
        double highest = 0;
        for (std::size_t i = first; i < std::min(first + in_a_row, panels.size()); ++i) {
            inside << "<g transform=\"translate(" << width * static_cast<double>(i - first) << "," << height
                   << ")\">\n";
            draw(panels[i], inside);
            inside << "</g>\n";
            highest = std::max(highest, height_of(panels[i]));
        }
        height += highest;
    }
    if (!note.empty()) write(inside, left, height += gap / 2, R"(fill="#555" font-style="italic")", note);
    const double whole = std::max(width * static_cast<double>(in_a_row), 2 * left + width_of(note, 12));
    std::ostringstream svg;
    svg << R"(<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" width=")"
        << whole << "\" height=\"" << height + gap
        << "\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        << inside.str() << "</svg>\n";
    return svg.str();
}

}  // namespace ldp::simulation
