#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace demo {

namespace {

constexpr double width = 760, left = 170, right = 40, row = 30, head = 58, axis = 34, gap = 18;
const char* const ink = "#22303c";
const char* const pale = "#d5dde3";
const char* const blue = "#1f6fb2";
const char* const orange = "#d9662b";

std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char* pattern, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof(text), pattern, arguments);
    va_end(arguments);
    return text;
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

std::string words(double x, double y, const std::string& text, const char* style) {
    return format("<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style) + escaped(text) + "</text>\n";
}

/// Round numbers, four to eight of them, that span a range.
std::vector<double> ticks(double low, double high) {
    const double raw = (high - low) / 5;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    const double step = power * (raw < 1.5 * power ? 1 : raw < 3.5 * power ? 2 : raw < 7.5 * power ? 5 : 10);
    std::vector<double> at;
    for (double t = std::floor(low / step) * step; t < high + step; t += step)
        at.push_back(std::abs(t) < step / 2 ? 0 : t);
    return at;
}

std::string draw_panel(const Panel& panel, double top) {
    double low = panel.marks.front().truth, high = low;
    for (const Mark& mark : panel.marks) {
        low = std::min({low, mark.lower, mark.truth});
        high = std::max({high, mark.upper, mark.truth});
    }
    const auto at = ticks(low, high);
    const auto x = [&](double value) {
        return left + (value - at.front()) / (at.back() - at.front()) * (width - left - right);
    };
    const double bottom = top + head + row * static_cast<double>(panel.marks.size());
    std::string out = words(left, top + 26, panel.title, "font-size=\"15\" font-weight=\"600\"");
    for (const double t : at) {
        out += format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x(t),
                      top + head - 18, x(t), bottom, pale);
        out += words(x(t), bottom + 16, format("%g", t),
                     "font-size=\"11\" text-anchor=\"middle\" fill=\"#5b6b78\"");
    }
    out += words(width - right, bottom + 30, panel.unit,
                 "font-size=\"11\" text-anchor=\"end\" fill=\"#5b6b78\"");
    double y = top + head;
    for (const Mark& mark : panel.marks) {
        out += words(left - 14, y + 4, mark.label, "font-size=\"13\" text-anchor=\"end\"");
        out += format(
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2.5\"/>\n",
            x(mark.lower), y, x(mark.upper), y, blue);
        for (const double end : {mark.lower, mark.upper})
            out += format(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"2.5\"/>\n",
                x(end), y - 5, x(end), y + 5, blue);
        out += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"%s\"/>\n", x(mark.estimate), y, blue);
        out += format("<path d=\"M%.1f %.1fl5 7h-10z\" fill=\"%s\"/>\n", x(mark.truth), y + 5, orange);
        y += row;
    }
    return out;
}

double height(const Panel& panel) {
    return head + row * static_cast<double>(panel.marks.size()) + axis + gap;
}

}  // namespace

std::string draw(const std::string& title, const std::vector<Panel>& panels) {
    double top = 64, bottom = top;
    for (const Panel& panel : panels) bottom += height(panel);
    std::string out = format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
        "font-family=\"system-ui, sans-serif\" fill=\"%s\">\n<rect width=\"100%%\" height=\"100%%\" "
        "fill=\"white\"/>\n",
        width, bottom, width, bottom, ink);
    out += words(left, 32, title, "font-size=\"18\" font-weight=\"700\"");
    out += format("<circle cx=\"%.0f\" cy=\"50\" r=\"4.5\" fill=\"%s\"/>\n", left + 5, blue);
    out += words(left + 16, 54, "private estimate and 95 % interval", "font-size=\"12\"");
    out += format("<path d=\"M%.0f 46l5 7h-10z\" fill=\"%s\"/>\n", left + 240, orange);
    out += words(left + 252, 54, "truth, which the server never sees", "font-size=\"12\"");
    for (const Panel& panel : panels) {
        out += draw_panel(panel, top);
        top += height(panel);
    }
    return out + "</svg>\n";
}

}  // namespace demo
