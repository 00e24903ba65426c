// Figures as SVG. Places across are in per cent and places down in pixels, so that a drawing is as wide as
// what it stands in while its text keeps its size.

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

#include "cli/answers/layouts.hpp"
#include "cli/answers/wording.hpp"

namespace ldp::cli {

namespace {

constexpr std::size_t colours = 6;

/// From low to high, as places between two per cents.
struct Scale {
    double low, high, first = 1, last = 99;

    [[nodiscard]] double at(double value) const {
        return first + (last - first) * std::clamp((value - low) / (high - low), 0.0, 1.0);
    }
    /// Three to six round numbers within.
    [[nodiscard]] std::vector<double> ticks() const {
        const double rough = (high - low) / 5, power = std::pow(10, std::floor(std::log10(rough)));
        const double step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1);
        std::vector<double> found;
        const double least = std::ceil(low / step - 1e-9), most = std::floor(high / step + 1e-9);
        for (int i = 0; least + i <= most; ++i) found.push_back((least + i) * step);
        return found;
    }
};

/// That holds all estimates and intervals, and of shares zero.
Scale scale_of(const Figure& figure) {
    double low = figure.shares ? 0 : HUGE_VAL, high = figure.shares ? 0 : -HUGE_VAL;
    for (const Row& row : figure.rows)
        for (const double value : {row.estimate, row.lower, row.upper, row.truth})
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
    if (!(low < high)) return {std::isfinite(low) ? low - 1 : 0, std::isfinite(high) ? high + 1 : 1};
    return {low, high};
}

std::string tick_label(double value, bool shares) {
    return rounded(shares ? 100 * value : value) + (shares ? "\u00A0%" : "");
}

class Canvas {
  public:
    Canvas() { svg_.precision(6); }
    void text(double x, double y, const char* style, const std::string& text) {
        svg_ << "<text x=\"" << x << "%\" y=\"" << y << "\" class=\"" << style << "\">" << escaped(text)
             << "</text>\n";
    }
    void line(double x1, double y1, double x2, double y2, const std::string& style) {
        svg_ << "<line x1=\"" << x1 << "%\" y1=\"" << y1 << "\" x2=\"" << x2 << "%\" y2=\"" << y2
             << "\" class=\"" << style << "\"/>\n";
    }
    void dot(double x, double y, const std::string& style, double radius = 4.5) {
        svg_ << "<circle cx=\"" << x << "%\" cy=\"" << y << "\" r=\"" << radius << "\" class=\"" << style
             << "\"/>\n";
    }
    /// An estimate and its interval, lying.
    void mark(const Row& row, const Scale& scale, double y, const std::string& colour, double cap = 5) {
        if (std::isfinite(row.lower) && std::isfinite(row.upper)) {
            line(scale.at(row.lower), y, scale.at(row.upper), y, "s " + colour);
            for (const double end : {row.lower, row.upper})
                line(scale.at(end), y - cap, scale.at(end), y + cap, "s " + colour);
        }
        if (std::isfinite(row.estimate)) dot(scale.at(row.estimate), y, "f " + colour, cap - 0.5);
        if (std::isfinite(row.truth))
            svg_ << "<svg x=\"" << scale.at(row.truth) << "%\" y=\"" << y
                 << "\"><path d=\"M0 4l5 7h-10z\" class=\"f c1\"/></svg>\n";
    }
    /// What the pointer rests on, told.
    void begin(const std::string& title) { svg_ << "<g><title>" << escaped(title) << "</title>\n"; }
    void end() { svg_ << "</g>\n"; }
    std::ostringstream& raw() { return svg_; }

  private:
    std::ostringstream svg_;
};

/// Where a label ends that stands at x: those at the ends must not leave the drawing.
const char* anchored(double x) {
    return x < 4 ? "t m" : x > 96 ? "t m e" : "t m c";
}

Drawing marks(const Figure& figure) {
    Canvas canvas;
    const bool own = std::ranges::any_of(figure.rows, [](const Row& row) { return row.scale.has_value(); });
    const Scale common = scale_of(figure);
    const double step = own ? 58 : 44;
    const double bottom = step * static_cast<double>(figure.rows.size());
    const auto ticks = own ? std::vector<double>{} : common.ticks();
    for (const double tick : ticks)
        canvas.text(common.at(tick), bottom + 12, anchored(common.at(tick)), tick_label(tick, figure.shares));
    double y = 0;
    for (const Row& row : figure.rows) {
        const Scale scale = row.scale ? Scale{row.scale->lower, row.scale->upper} : common;
        canvas.begin(subject(row) + ": " + told(row, figure.shares));
        canvas.text(0, y + 15, "t b", subject(row, 32));
        canvas.text(100, y + 15, "t e", estimate_of(row, figure.shares));
        canvas.line(1, y + 29, 99, y + 29, "g");
        for (const double tick : ticks)
            canvas.line(common.at(tick), y + 22, common.at(tick), y + 36, tick == 0 ? "g z" : "g");
        canvas.mark(row, scale, y + 29, "c0");
        if (own) {
            canvas.text(1, y + 47, "t m", tick_label(scale.low, figure.shares));
            canvas.text(99, y + 47, "t m e", tick_label(scale.high, figure.shares));
        }
        canvas.end();
        y += step;
    }
    return {canvas.raw().str(), bottom + (own ? 0 : 20)};
}

/// The groups of rows, in order of their first.
std::vector<std::string> groups(const Figure& figure) {
    std::vector<std::string> found;
    for (const Row& row : figure.rows)
        if (std::ranges::find(found, row.group) == found.end()) found.push_back(row.group);
    return found;
}

Drawing lines(const Figure& figure) {
    constexpr double top = 12, height = 240, bottom = top + height, left = 13, right = 98;
    Canvas canvas;
    const auto names = groups(figure);
    Scale x{HUGE_VAL, -HUGE_VAL, left + 2, right - 2};
    for (const Row& row : figure.rows) {
        x.low = std::min(x.low, row.at);
        x.high = std::max(x.high, row.at);
    }
    if (!(x.low < x.high)) x.high = x.low + 1;
    const Scale y = scale_of(figure);
    const auto down = [&](double value) {
        return bottom - height * std::clamp((value - y.low) / (y.high - y.low), 0.0, 1.0);
    };
    for (const double tick : y.ticks()) {
        canvas.line(left, down(tick), right, down(tick), tick == 0 ? "g z" : "g");
        canvas.text(left - 1.5, down(tick) + 4, "t m e", tick_label(tick, figure.shares));
    }
    for (const double tick : x.ticks())
        if (tick == std::floor(tick)) canvas.text(x.at(tick), bottom + 18, "t m c", rounded(tick));
    canvas.text((left + right) / 2, bottom + 38, "t m c", figure.axis);
    const bool sparse = figure.rows.size() <= 40 * names.size();
    double legend = bottom + 60;
    for (std::size_t line = 0; line < names.size(); ++line) {
        // Side by side, so that intervals about the same place all show.
        const double aside = 0.5 * (static_cast<double>(line) - static_cast<double>(names.size() - 1) / 2);
        const std::string colour = "c" + std::to_string(line % colours);
        std::ostringstream path, band, back;
        for (const Row& row : figure.rows)
            if (row.group == names[line] && std::isfinite(row.estimate)) {
                const double across = 10 * (x.at(row.at) + aside);
                path << across << "," << down(row.estimate) << " ";
                if (!std::isfinite(row.lower)) continue;
                band << across << "," << down(row.lower) << " ";
                std::ostringstream point;
                point << across << "," << down(row.upper) << " ";
                back.str(point.str() + back.str());
            }
        // The only place where both coordinates stretch: points of a path know no per cents.
        canvas.raw() << "<svg x=\"0\" y=\"0\" width=\"100%\" height=\"" << bottom << "\" viewBox=\"0 0 1000 "
                     << bottom << "\" preserveAspectRatio=\"none\">";
        if (!sparse)
            canvas.raw() << "<polygon class=\"w " << colour << "\" points=\"" << band.str() << back.str()
                         << "\"/>";
        canvas.raw() << "<polyline class=\"p " << colour << "\" points=\"" << path.str() << "\"/></svg>\n";
        if (sparse)
            for (const Row& row : figure.rows)
                if (row.group == names[line] && std::isfinite(row.estimate)) {
                    canvas.begin((row.label.empty() ? rounded(row.at) : name(row.label)) + ": " +
                                 told(row, figure.shares));
                    const double across = x.at(row.at) + aside;
                    if (std::isfinite(row.lower))
                        canvas.line(across, down(row.lower), across, down(row.upper), "s " + colour);
                    canvas.dot(across, down(row.estimate), "f " + colour, 3.5);
                    canvas.end();
                }
        if (names.size() < 2) continue;
        canvas.line(left, legend - 4, left + 5, legend - 4, "s " + colour);
        canvas.dot(left + 2.5, legend - 4, "f " + colour, 3.5);
        canvas.text(left + 7, legend, "t", name(names[line], 32));
        legend += 20;
    }
    return {canvas.raw().str(), legend - 10};
}

Drawing grid(const Figure& figure) {
    constexpr double left = 24, head = 26, high = 46;
    Canvas canvas;
    const auto columns = groups(figure);
    Scale scale = scale_of(figure);
    scale.low = 0;
    const double wide = (100 - left) / static_cast<double>(columns.size());
    const auto letters = std::max<std::size_t>(3, 48 / std::max<std::size_t>(columns.size(), 1));
    for (std::size_t c = 0; c < columns.size(); ++c)
        canvas.text(left + wide * (static_cast<double>(c) + 0.5), head - 8, "t b c",
                    name(columns[c], letters));
    double y = head - high;
    std::string last;
    for (const Row& row : figure.rows) {
        const auto column = static_cast<double>(std::ranges::find(columns, row.group) - columns.begin());
        if (column == 0) {
            y += high;
            canvas.text(0, y + 20, "t b", name(row.label, 14));
        }
        const double from = left + wide * column;
        canvas.begin(name(row.label) + ", " + name(row.group) + ": " + told(row, figure.shares));
        canvas.raw() << "<rect x=\"" << from + 0.3 << "%\" y=\"" << y + 1 << "\" width=\"" << wide - 0.6
                     << "%\" height=\"" << high - 3 << "\" rx=\"3\" class=\"h c0\" fill-opacity=\""
                     << 0.04 + 0.3 * std::clamp(row.estimate / scale.high, 0.0, 1.0) << "\"/>\n";
        canvas.text(from + wide / 2, y + 20, "t c", estimate_of(row, figure.shares));
        scale.first = from + 0.08 * wide;
        scale.last = from + 0.92 * wide;
        canvas.mark(row, scale, y + 33, "c0", 3.5);
        canvas.end();
    }
    return {canvas.raw().str(), y + high + 2};
}

}  // namespace

const char* const drawing_style = R"(
svg { font: 13px system-ui, sans-serif; overflow: visible }
.t { fill: #1d2730 } .m { fill: #55626d; font-size: 11.5px } .b { font-weight: 600 }
.c { text-anchor: middle } .e { text-anchor: end }
.g { stroke: #d9e0e6 } .z { stroke: #8796a2 } .s { stroke-width: 2 }
.c0 { stroke: #1763a6; fill: #1763a6 } .c1 { stroke: #b3400e; fill: #b3400e } .c2 { stroke: #1c7a4a; fill: #1c7a4a }
.c3 { stroke: #7b3fa0; fill: #7b3fa0 } .c4 { stroke: #86670a; fill: #86670a } .c5 { stroke: #5a6470; fill: #5a6470 }
@media screen and (prefers-color-scheme: dark) {
  .t { fill: #e8edf1 } .m { fill: #a3b0bb } .g { stroke: #36424d } .z { stroke: #71808d }
  .c0 { stroke: #6db3f2; fill: #6db3f2 } .c1 { stroke: #f2905c; fill: #f2905c } .c2 { stroke: #5fcb92; fill: #5fcb92 }
  .c3 { stroke: #c79be8; fill: #c79be8 } .c4 { stroke: #dcb94a; fill: #dcb94a } .c5 { stroke: #aab4be; fill: #aab4be }
}
.p { fill: none; stroke-width: 1.8; vector-effect: non-scaling-stroke }
.h, .w { stroke: none } .w { fill-opacity: .22 }
)";

Drawing drawn(const Figure& figure) {
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
    constexpr double wide = 720, margin = 24;
    constexpr std::size_t letters = 105;  // that a line has room for
    std::ostringstream inside;
    double y = 12;
    const auto write = [&](const std::string& text, const char* style, double size) {
        for (const std::string& line : lines_of(text, letters)) {
            y += 1.5 * size;
            inside << "<text x=\"" << margin << "\" y=\"" << y << "\" class=\"" << style << "\" font-size=\""
                   << size << "\">" << escaped(line) << "</text>\n";
        }
    };
    write(document.title, "t b", 18);
    for (const std::string& sentence : document.lead) write(sentence, "t", 13);
    for (const Section& section : document.sections)
        for (const Figure& figure : section.figures) {
            y += 20;
            write(figure.title, "t b", 15);
            if (!figure.about.empty()) write(figure.about, "t m", 12);
            if (!figure.refused.empty()) write(figure.refused, "t", 12);
            if (figure.rows.empty()) continue;
            const auto [svg, height] = drawn(figure);
            inside << "<svg x=\"" << margin << "\" y=\"" << y + 8 << "\" width=\"" << wide - 2 * margin
                   << "\" height=\"" << height << "\">\n"
                   << svg << "</svg>\n";
            y += height + 12;
        }
    out << R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" << wide << "\" height=\"" << y + margin
        << "\">\n<style>" << drawing_style
        << ".paper { fill: #fff } @media screen and (prefers-color-scheme: dark) { .paper { fill: #14191e } "
           "}\n"
           "</style>\n<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n"
        << inside.str() << "</svg>\n";
}

}  // namespace ldp::cli
