#include "plot/sheet.hpp"

#include <algorithm>
#include <sstream>

#include "plot/style.hpp"

namespace ldp::plot {

namespace {

/// Of a column, in pixels: as written, and on a narrow screen.
constexpr double width = 520, least_width = 340;
/// On each side, in per cent of a column.
constexpr double margin = 4;
/// What the least width has room for, at 13 pixels.
constexpr double letters_across = 52;

}  // namespace

ChartLayout::ChartLayout(std::size_t columns) : columns_(columns) {}

void ChartLayout::text(std::string_view text, std::string_view style, double size) {
    const auto room = static_cast<std::size_t>(static_cast<double>(columns_) * letters_across * 13 / size);
    for (const std::string& line : wrapped(text, room)) {
        y_ += 1.5 * size;
        canvas_.text(margin / static_cast<double>(columns_), y_, style, line, size);
    }
}

void ChartLayout::row(std::span<const Drawing> drawings) {
    const double column = 100.0 / static_cast<double>(columns_);
    double height = 0, x = column * margin / 100;
    for (const Drawing& drawing : drawings) {
        canvas_.insert(drawing, x, y_, column * (1 - 2 * margin / 100));
        x += column;
        height = std::max(height, drawing.height);
    }
    y_ += height;
}

std::string ChartLayout::svg() const {
    const auto columns = static_cast<double>(columns_);
    const Drawing all = canvas_.drawing(y_ + 20);
    std::ostringstream out;
    out << R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" << columns * width << "\" height=\""
        << all.height << "\" style=\"max-width: 100%; min-width: " << columns * least_width
        << "px\">\n<style>\n"
        << style_sheet() << "</style>\n<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n"
        << all.svg << "</svg>\n";
    return out.str();
}

}  // namespace ldp::plot
