// A drawing as a file of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plot/canvas.hpp"

namespace ldp::plot {

/// Texts and drawings below one another, in a frame of 520 pixels a column, of which a narrower screen may
/// take a third.
class ChartLayout {
  public:
    explicit ChartLayout(std::size_t columns = 1);
    void text(std::string_view text, std::string_view style, double size);
    void gap(double height) { y_ += height; }
    /// Drawings side by side, at most one a column.
    void row(std::span<const Drawing> drawings);
    /// The SVG document.
    [[nodiscard]] std::string svg() const;

  private:
    std::size_t columns_;
    double y_ = 12;
    Canvas canvas_;
};

}  // namespace ldp::plot
