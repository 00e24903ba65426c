// Line charts, as SVG.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ldp::cli {

struct Line {
    std::string name;
    std::vector<std::pair<double, double>> points;  ///< x ascending
    /// Each point's, from and to; may be empty.
    std::vector<std::pair<double, double>> intervals = {};
    /// What the points should be. If there is any, it is a thin line, and the points are dots.
    std::vector<std::pair<double, double>> formula = {};
};

struct Panel {
    std::string title;
    std::string caption;  ///< below: what x is, and what y is
    bool logarithmic;     ///< both axes: equal factors are equal distances; otherwise y begins at 0
    std::vector<Line> lines;
    std::vector<double> marks;  ///< where x is labelled
};

/// The panels side by side, each with its legend below. Points that have no place (NaN, infinity, and 0 or
/// less where the axes are logarithmic) are left out.
[[nodiscard]] std::string drawing(std::span<const Panel> panels);

}  // namespace ldp::cli
