#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

namespace ldp::cli {

namespace {

constexpr const char* colours[] = {"#2a6db0", "#c0392b", "#27823b", "#e08e0b", "#8e44ad",
                                   "#777777", "#16a2b8", "#d35f9d", "#7d5a3c", "#a3b118",
                                   "#1c2e6b", "#bbbbbb", "#5ec4a5", "#000000"};
constexpr double width = 470, left = 60, top = 50, plot_width = 380, plot_height = 260, line_height = 16;
constexpr double legend = top + plot_height + 60;

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
    /// `low`; or such numbers themselves, over a wide range only the powers.
    [[nodiscard]] std::vector<double> marks() const {
        std::vector<double> found;
        if (!logarithmic) {
            const double rough = (high - low) / 6, power = std::pow(10, std::floor(std::log10(rough)));
            const double step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : 2);
            for (int i = 0; low + i * step <= high; ++i) found.push_back(low + i * step);
            return found;
        }
        const bool wide = high / low > 100;
        const int last = static_cast<int>(std::floor(std::log10(high)));
        for (int power = static_cast<int>(std::floor(std::log10(low))); power <= last; ++power)
            for (const double digit : {1, 2, 5})
                if (const double at = digit * std::pow(10, power);
                    at >= low && at <= high && (digit == 1 || !wide))
                    found.push_back(at);
        return found;
    }
};

void draw(const Panel& panel, double from, std::ostream& svg) {
    Axis x{panel.logarithmic, HUGE_VAL, -HUGE_VAL};
    Axis y{panel.logarithmic, panel.logarithmic ? HUGE_VAL : 0, panel.logarithmic ? -HUGE_VAL : 0};
    for (const Line& line : panel.lines)
        for (const auto* points : {&line.points, &line.formula})
            for (const auto& [at, value] : *points) {
                x.widen(at);
                y.widen(value);
            }
    if (!(x.high > x.low)) x.high = x.low + 1;
    y.high = y.high > 0 ? 1.1 * y.high : 1;
    if (panel.logarithmic) y.low /= 1.1;
    const auto across = [&](double value) { return from + plot_width * x.share(value); };
    const auto down = [&](double value) { return top + plot_height * (1 - y.share(value)); };

    svg << "<text x=\"" << from << "\" y=\"24\" font-size=\"13\">" << panel.title << "</text>\n";
    for (const double mark : y.marks())
        svg << "<line x1=\"" << from << "\" x2=\"" << from + plot_width << "\" y1=\"" << down(mark)
            << "\" y2=\"" << down(mark) << "\" stroke=\"#ddd\"/><text x=\"" << from - 8 << "\" y=\""
            << down(mark) + 4 << "\" text-anchor=\"end\">" << mark << "</text>\n";
    for (const double mark : panel.marks)
        svg << "<text x=\"" << across(mark) << "\" y=\"" << top + plot_height + 20
            << "\" text-anchor=\"middle\">" << mark << "</text>\n";
    svg << "<text x=\"" << from + plot_width / 2 << "\" y=\"" << top + plot_height + 38
        << "\" text-anchor=\"middle\">" << panel.caption << "</text>\n";
    for (std::size_t i = 0; i < panel.lines.size(); ++i) {
        const char* const colour = colours[i % std::size(colours)];
        const auto& [name, points, intervals, formula] = panel.lines[i];
        for (std::size_t p = 0; p < points.size(); ++p) {
            const auto [at, value] = points[p];
            if (!x.holds(at) || !y.holds(value)) continue;
            if (!formula.empty())
                svg << "<circle cx=\"" << across(at) << "\" cy=\"" << down(value) << "\" r=\"2.5\" fill=\""
                    << colour << "\"/>\n";
            if (p >= intervals.size() || !y.holds(intervals[p].first)) continue;
            const double top_end = down(std::min(intervals[p].second, y.high));
            svg << "<line x1=\"" << across(at) << "\" x2=\"" << across(at) << "\" y1=\""
                << down(std::max(intervals[p].first, y.low)) << "\" y2=\"" << top_end << "\" stroke=\""
                << colour << "\"/>\n";
        }
        svg << "<polyline fill=\"none\" stroke-width=\"" << (formula.empty() ? 2.0 : 0.7) << "\" stroke=\""
            << colour << "\" points=\"";
        for (const auto& [at, value] : formula.empty() ? points : formula)
            if (x.holds(at) && y.holds(value)) svg << across(at) << "," << down(value) << " ";
        const std::size_t rows_above = i / 2;
        const double row = legend + line_height * static_cast<double>(rows_above);
        const double column = from + (i % 2 == 0 ? 0 : 190);
        svg << "\"/><line x1=\"" << column << "\" x2=\"" << column + 18 << "\" y1=\"" << row - 4 << "\" y2=\""
            << row - 4 << "\" stroke-width=\"3\" stroke=\"" << colour << "\"/><text x=\"" << column + 24
            << "\" y=\"" << row << "\">" << name << "</text>\n";
    }
}

}  // namespace

std::string drawing(std::span<const Panel> panels) {
    std::size_t most = 0;
    for (const Panel& panel : panels) most = std::max(most, panel.lines.size());
    std::ostringstream svg;
    svg.precision(5);
    svg << R"(<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" width=")"
        << width * static_cast<double>(panels.size()) << "\" height=\""
        << legend + line_height * (static_cast<double>(most) / 2 + 1)
        << "\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    for (std::size_t i = 0; i < panels.size(); ++i)
        draw(panels[i], left + width * static_cast<double>(i), svg);
    svg << "</svg>\n";
    return svg.str();
}

}  // namespace ldp::cli
