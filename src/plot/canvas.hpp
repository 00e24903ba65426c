// SVG elements. Positions across are in per cent and positions down in pixels: a drawing is as wide as its
// frame, also on a telephone, and the size of its text does not change.
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

/// Returns a text with escapes for XML.
[[nodiscard]] std::string escaped(std::string_view text);
/// Returns a text in lines of at most this number of characters, except for longer words.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t characters);

/// Returns the approximate width of a label, in per cent of a narrow screen.
[[nodiscard]] double label_width(std::string_view label) noexcept;
/// Returns the style of a label at x, in per cent. Labels at the ends stay inside the drawing.
[[nodiscard]] const char* anchor(double x) noexcept;

/// Draws SVG elements. Styles are classes of style_sheet(). The functions escape their texts.
class Canvas {
  public:
    using Points = std::vector<std::pair<double, double>>;

    Canvas();
    /// Draws a text. `size` is in pixels; 0 stands for the size of the style.
    void text(double x, double y, std::string_view style, std::string_view text, double size = 0);
    /// Draws a text, followed by a second one.
    void texts(double x, double y, std::string_view style, std::string_view first, std::string_view second);
    /// Draws a line. `thick` is in pixels; 0 stands for the thickness of the style.
    void line(double x1, double y1, double x2, double y2, std::string_view style, double thick = 0);
    void rectangle(double x, double y, double width, double height, std::string_view style,
                   double opacity = 1);
    void circle(double x, double y, double radius, std::string_view style);
    /// Draws a small triangle below the position that points to it.
    void pointer(double x, double y, std::string_view style);
    /// Draws the marker of a series in its colour and in one of four shapes.
    void marker(double x, double y, double radius, std::size_t series);
    void path(const Points& points, double height, std::string_view style, double thick);
    void area(const Points& points, double height, std::string_view style);
    /// The elements between begin() and end() have a title. Browsers show it beside the pointer, and screen
    /// readers read it.
    void begin(std::string_view title);
    void end();
    /// Inserts another drawing.
    void insert(const Drawing& drawing, double x, double y, double width);

    [[nodiscard]] Drawing drawing(double height) const { return {svg_.str(), height}; }

  private:
    void stretched(const char* element, const Points& points, double height, const std::string& attributes);

    std::ostringstream svg_;
};

/// Returns the class of the colour of a series.
[[nodiscard]] std::string colour_of(std::size_t series);
/// Returns the series whose colour is used for a group of people. It is neither the first one, which stands
/// for all people, nor red.
[[nodiscard]] std::size_t series_of_group(std::size_t group);
[[nodiscard]] std::string colour_of_group(std::size_t group);

}  // namespace ldp::plot
