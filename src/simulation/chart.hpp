// Line charts, as SVG.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ldp::simulation {

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
    std::string x, y;  ///< what they are; may be empty
    bool logarithmic;  ///< both axes: equal factors are equal distances; otherwise y begins at 0
    std::vector<Line> lines;
    std::vector<double> marks;  ///< where x is labelled, as far as labels have room
};

/// The panels, at least one, in rows of three at most, each with its legend below, and a note below them all.
/// Points that have no place (NaN, infinity, and 0 or less where the axes are logarithmic) are left out.
/// Texts are SVG as they stand.
[[nodiscard]] std::string drawing(std::span<const Panel> panels, const std::string& note = {});

}  // namespace ldp::simulation
