// Estimates with their intervals: below one another, or in the cells of a table.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plot/canvas.hpp"
#include "plot/scale.hpp"

namespace ldp::plot {

/// An estimate and its interval. Numbers that do not exist are NaN.
struct PlottedEstimate {
    std::string name = {}, value = {};  ///< the subject, and the estimate as text
    std::string ends = {};              ///< the interval as text, if the value does not contain it
    std::string title = {};             ///< shown beside the pointer
    double estimate = NAN, low = NAN, high = NAN;
    double truth = NAN;  ///< the exact value if it is known, as in simulations
    /// The range of the drawing, if the estimate has its own.
    std::optional<std::pair<double, double>> range = {};
    std::string (*label)(double) = nullptr;  ///< of the ends of this range; null for the labels of the axis
};

/// Extends the scale to all numbers of the mark.
void include(Scale& scale, const PlottedEstimate& mark);
/// Draws the estimate and its interval horizontally. The dot is smaller than the caps of the interval, so
/// both are visible.
void draw(Canvas& canvas, const PlottedEstimate& mark, const Scale& scale, double y,
          const std::string& colour);
/// Draws the name at the indent, and the value on the same line: above its estimate, or as near as space permits.
void write_above(Canvas& canvas, const PlottedEstimate& mark, const Scale& scale, double indent, double y,
                 const std::string& style);

/// Returns a drawing of the estimates below one another: on a common scale with ticks, or each on its own
/// scale if any of them has its own range. The common scale includes `from` unless it is NaN.
[[nodiscard]] Drawing drawn(const std::vector<PlottedEstimate>& marks, double from,
                            std::string (*label)(double));

/// A table: a name for each column, and rows of a name and cells.
struct Grid {
    struct Line {
        std::string name;
        std::vector<std::optional<PlottedEstimate>> cells;  ///< one for each column
    };
    std::vector<std::string> columns;
    std::vector<Line> lines;
    std::string corner = {}, heading = {};  ///< titles of the lines, and of the columns
};
/// Cells with larger estimates have a darker background. The interval is a text below the value.
[[nodiscard]] Drawing drawn(const Grid& grid);

}  // namespace ldp::plot
