// SVG elements. Positions across are in per cent and positions down in pixels: a drawing is as wide as its
// frame, on a telephone as well, and its text keeps its size.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ldp::plot {

/// The content of an SVG element of any width and this height, in pixels.
struct Drawing {
    std::string svg;
    double height;
};

/// Text in XML.
[[nodiscard]] std::string escaped(std::string_view text);
/// A text in lines of at most this number of characters, unless a word is longer.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t characters);

/// The approximate width of a label, in per cent of a narrow screen.
[[nodiscard]] double label_width(std::string_view label) noexcept;
/// The style of a label at x, in per cent: labels at the ends stay inside of the drawing.
[[nodiscard]] const char* anchor(double x) noexcept;

/// Styles are classes of style_sheet(). Texts are escaped here.
class Canvas {
  public:
    using Points = std::vector<std::pair<double, double>>;

    Canvas();
    /// Of the style's size unless another one is given, in pixels.
    void text(double x, double y, std::string_view style, std::string_view text, double size = 0);
    /// A text and another one behind it.
    void texts(double x, double y, std::string_view style, std::string_view first, std::string_view second);
    /// Of the style's thickness unless another one is given, in pixels.
    void line(double x1, double y1, double x2, double y2, std::string_view style, double thick = 0);
    void rectangle(double x, double y, double width, double height, std::string_view style,
                   double opacity = 1);
    void circle(double x, double y, double radius, std::string_view style);
    /// A small triangle below the position, which it points to.
    void pointer(double x, double y, std::string_view style);
    /// The sign of a series: its colour, and one of four shapes.
    void marker(double x, double y, double radius, std::size_t series);
    void path(const Points& points, double height, std::string_view style, double thick);
    void area(const Points& points, double height, std::string_view style);
    /// What stands between has a title, which browsers show beside the pointer and screen readers read.
    void begin(std::string_view title);
    void end();
    /// Another drawing, in a part of this one.
    void insert(const Drawing& drawing, double x, double y, double width);

    [[nodiscard]] Drawing drawing(double height) const { return {svg_.str(), height}; }

  private:
    void stretched(const char* element, const Points& points, double height, const std::string& attributes);

    std::ostringstream svg_;
};

/// The class of a series' colour.
[[nodiscard]] std::string colour_of(std::size_t series);
/// The series whose colour a group of people has: not the first one, which stands for all people, and no red.
[[nodiscard]] std::size_t series_of_group(std::size_t group);
[[nodiscard]] std::string colour_of_group(std::size_t group);

}  // namespace ldp::plot
