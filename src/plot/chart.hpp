// Charts: series of points with error bars along an axis.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plot/canvas.hpp"
#include "plot/scale.hpp"

namespace ldp::plot {

struct Point {
    double x, y;
    double low = NAN, high = NAN;  ///< the interval, or NaN
    std::string title = {};        ///< shown beside the pointer; may be empty
    std::string sign = {};         ///< above the interval; may be empty
};

struct Series {
    std::string name;
    std::vector<Point> points;  ///< x ascending
    /// The expected values of the points. If there are any, they are drawn as a thin line, and the points are
    /// not connected.
    Canvas::Points formula = {};
};

struct Chart {
    std::string title = {};
    std::string x = {}, y = {};  ///< titles of the axes; may be empty
    bool logarithmic = false;    ///< both axes
    bool from_zero = true;       ///< whether a linear y axis always includes zero
    double end = NAN;            ///< a linear y axis reaches at least to this number
    bool direct = false;  ///< whether names of several series are beside their last points, without a key
    bool groups = false;  ///< whether the series are groups of people, which have colours of their own
    std::vector<Series> series = {};
    std::vector<double> marks = {};         ///< labels of the x axis, if they fit; otherwise round numbers
    std::vector<std::string> names = {};    ///< labels of x = 0, 1, 2, … instead of numbers, if they fit
    std::string (*label)(double) = number;  ///< of y
    std::string (*mark)(double) = number;   ///< labels of x without names
};

/// The chart and its key, if it has one. Points without a position (NaN, infinity, and 0 or less where the axes are
/// logarithmic) are left out. If there are few points, they have markers and error bars; many points have a
/// line and a band.
[[nodiscard]] Drawing drawn(const Chart& chart);

/// The charts as a file, in rows of as many columns, and a note below them all.
[[nodiscard]] std::string charts(std::span<const Chart> charts, std::size_t columns = 1,
                                 const std::string& note = {});

}  // namespace ldp::plot
