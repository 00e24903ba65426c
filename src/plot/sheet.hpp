// A drawing in its own file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plot/canvas.hpp"

namespace ldp::plot {

/// Texts and drawings below one another, in a frame with 520 pixels for each column. On narrow screens, a
/// column may shrink to 340 pixels.
class ChartLayout {
  public:
    explicit ChartLayout(std::size_t columns = 1);
    void text(std::string_view text, std::string_view style, double size);
    void gap(double height) { y_ += height; }
    /// Adds drawings side by side, at most one for each column.
    void row(std::span<const Drawing> drawings);
    /// Returns the SVG document.
    [[nodiscard]] std::string svg() const;

  private:
    std::size_t columns_;
    double y_ = 12;
    Canvas canvas_;
};

}  // namespace ldp::plot
