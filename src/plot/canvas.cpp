#include "plot/canvas.hpp"

#include <algorithm>
#include <iterator>

#include "plot/style.hpp"

namespace ldp::plot {

namespace {

/// Around the origin, about 1 to each side; the first is a circle.
constexpr const char* shapes[] = {"M-.9-.9h1.8v1.8h-1.8z", "M0-1.15L1.1.8H-1.1z",
                                  "M0-1.2L1.2 0L0 1.2L-1.2 0z"};

/// The number of characters of UTF-8, without U+2068 and U+2069, which have no width.
std::size_t length(std::string_view text) noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view three = text.substr(i, 3);
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && three != "\xe2\x81\xa8" &&
            three != "\xe2\x81\xa9")
            ++count;
    }
    return count;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) switch (c) {
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '&':
                safe += "&amp;";
                break;
            case '"':
                safe += "&quot;";
                break;
            case '\'':
                safe += "&#39;";
                break;
            default:
                safe += c;
        }
    return safe;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t characters) {
    std::vector<std::string> lines(1);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        std::string& last = lines.back();
        if (!last.empty() && length(last) + 1 + length(word) > characters) {
            lines.emplace_back(word);
        } else {
            if (!last.empty()) last += ' ';
            last += word;
        }
        at = end + 1;
    }
    return lines;
}

double label_width(std::string_view label) noexcept {
    return 2.1 * static_cast<double>(length(label));
}

const char* anchor(double x) noexcept {
    return x < 4 ? "m" : x > 96 ? "m e" : "m c";
}

std::string colour_of(std::size_t series) {
    return "c" + std::to_string(series % series_colours());
}

std::size_t series_of_group(std::size_t group) {
    static constexpr std::size_t of_groups[] = {2, 3, 4, 6, 8, 10, 7, 9, 5};
    // Behind the last colour, the signs of the series differ.
    return of_groups[group % std::size(of_groups)] + series_colours() * (group / std::size(of_groups));
}

std::string colour_of_group(std::size_t group) {
    return colour_of(series_of_group(group));
}

Canvas::Canvas() {
    svg_.precision(6);
}

void Canvas::text(double x, double y, std::string_view style, std::string_view text, double size) {
    svg_ << "<text x=\"" << x << "%\" y=\"" << y << "\" class=\"" << style << "\"";
    if (size != 0) svg_ << " style=\"font-size: " << size << "px\"";
    svg_ << ">" << escaped(text) << "</text>\n";
}

void Canvas::texts(double x, double y, std::string_view style, std::string_view first,
                   std::string_view second) {
    svg_ << "<text x=\"" << x << "%\" y=\"" << y << "\" class=\"t\"><tspan class=\"" << style << "\">"
         << escaped(first) << "</tspan><tspan dx=\"6\">\u00A0" << escaped(second) << "</tspan></text>\n";
}

void Canvas::line(double x1, double y1, double x2, double y2, std::string_view style, double thick) {
    svg_ << "<line x1=\"" << x1 << "%\" y1=\"" << y1 << "\" x2=\"" << x2 << "%\" y2=\"" << y2 << "\" class=\""
         << style << "\"";
    if (thick != 0) svg_ << " stroke-width=\"" << thick << "\" stroke-opacity=\".6\"";
    svg_ << "/>\n";
}

void Canvas::rectangle(double x, double y, double width, double height, std::string_view style,
                       double opacity) {
    svg_ << "<rect x=\"" << x << "%\" y=\"" << y << "\" width=\"" << width << "%\" height=\"" << height
         << "\" rx=\"3\" class=\"" << style << "\" fill-opacity=\"" << opacity << "\"/>\n";
}

void Canvas::circle(double x, double y, double radius, std::string_view style) {
    svg_ << "<circle cx=\"" << x << "%\" cy=\"" << y << "\" r=\"" << radius << "\" class=\"" << style
         << "\"/>\n";
}

void Canvas::pointer(double x, double y, std::string_view style) {
    svg_ << "<svg x=\"" << x << "%\" y=\"" << y << "\"><path d=\"M0 4l5 7h-10z\" class=\"" << style
         << "\"/></svg>\n";
}

void Canvas::marker(double x, double y, double radius, std::size_t series) {
    const std::size_t shape = (series + series / series_colours()) % (std::size(shapes) + 1);
    if (shape == 0) return circle(x, y, radius, "h " + colour_of(series));
    svg_ << "<svg x=\"" << x << "%\" y=\"" << y << "\"><path transform=\"scale(" << radius << ")\" d=\""
         << shapes[shape - 1] << "\" class=\"h " << colour_of(series) << "\"/></svg>\n";
}

/// Points of a path cannot be in per cent, so both coordinates are scaled here.
void Canvas::stretched(const char* element, const Points& points, double height,
                       const std::string& attributes) {
    svg_ << R"(<svg x="0" y="0" width="100%" height=")" << height << "\" viewBox=\"0 0 1000 " << height
         << "\" preserveAspectRatio=\"none\"><" << element << " " << attributes << " points=\"";
    for (const auto& [x, y] : points) svg_ << 10 * x << "," << y << " ";
    svg_ << "\"/></svg>\n";
}

void Canvas::path(const Points& points, double height, std::string_view style, double thick) {
    std::ostringstream attributes;
    attributes << "class=\"" << style << "\" stroke-width=\"" << thick << "\"";
    stretched("polyline", points, height, attributes.str());
}

void Canvas::area(const Points& points, double height, std::string_view style) {
    stretched("polygon", points, height, "class=\"" + std::string(style) + "\"");
}

void Canvas::begin(std::string_view title) {
    svg_ << "<g><title>" << escaped(title) << "</title>\n";
}

void Canvas::end() {
    svg_ << "</g>\n";
}

void Canvas::insert(const Drawing& drawing, double x, double y, double width) {
    svg_ << "<svg x=\"" << x << "%\" y=\"" << y << "\" width=\"" << width << "%\" height=\"" << drawing.height
         << "\">\n"
         << drawing.svg << "</svg>\n";
}

}  // namespace ldp::plot
