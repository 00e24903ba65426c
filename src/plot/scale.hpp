// Axes: the positions of values, the labelled values, and the format of numbers.
#pragma once

#include <string>
#include <vector>

namespace ldp::plot {

/// Maps the values from low to high to the positions from first to last, in per cent of a drawing's width
/// or in pixels.
struct Scale {
    double low, high;
    double first = 0, last = 100;
    bool logarithmic = false;  ///< equal ratios have equal distances

    /// Whether the value has a position: it is finite and, on a logarithmic scale, positive.
    [[nodiscard]] bool holds(double value) const noexcept;
    /// Returns the position of a value. Values outside the scale are at the nearer end.
    [[nodiscard]] double at(double value) const noexcept;
    /// Extends the scale to a value for which holds() is true.
    void include(double value) noexcept;
    /// Ensures that low is less than high. A scale with one value is extended on both sides; if the value is
    /// 0 or does not exist, the scale is from 0 to 1. A logarithmic scale without values is from 1 to 10.
    void close() noexcept;
    /// Returns round numbers from low to high in ascending order. On a linear scale, these are about five
    /// multiples of 1, 2 or 5 times a power of ten. On a logarithmic scale, these are powers of ten, with
    /// further numbers if the range is narrow.
    [[nodiscard]] std::vector<double> ticks() const;

    /// Returns a scale without values.
    [[nodiscard]] static Scale empty(double first, double last, bool logarithmic = false) noexcept;
};

/// Returns a number with at most six digits. Large and small numbers have a power of ten, as in 2·10⁻⁵.
[[nodiscard]] std::string number(double value);

}  // namespace ldp::plot
