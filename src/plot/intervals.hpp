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
    std::string title = {};             ///< shown beside the pointer
    double estimate = NAN, low = NAN, high = NAN;
    double truth = NAN;  ///< where it is known, as in simulations
    /// The range to draw it in, if it is its own.
    std::optional<std::pair<double, double>> range = {};
};

/// Extends the scale to all numbers of the mark.
void include(Scale& scale, const PlottedEstimate& mark);

/// One below the other: on a common scale with ticks, or each on a scale of its own if any has its range.
[[nodiscard]] Drawing drawn(const std::vector<PlottedEstimate>& marks, bool from_zero,
                            std::string (*label)(double));

/// A table: a name for each column, and rows of a name and cells.
struct Grid {
    struct Line {
        std::string name;
        std::vector<std::optional<PlottedEstimate>> cells;  ///< one a column
    };
    std::vector<std::string> columns;
    std::vector<Line> lines;
};
/// Cells have the darker ground the larger their estimate, and intervals on one scale from zero.
[[nodiscard]] Drawing drawn(const Grid& grid);

}  // namespace ldp::plot
