// Axes: where a value stands, which values are labelled, and how a number is written.
#pragma once

#include <string>
#include <vector>

namespace ldp::plot {

/// Maps the values from low to high to the positions from first to last, in per cent of a drawing's width
/// or in pixels.
struct Scale {
    double low, high;
    double first = 0, last = 100;
    bool logarithmic = false;  ///< equal factors are equal distances

    /// Whether the value has a position: it is finite and, on a logarithmic scale, positive.
    [[nodiscard]] bool holds(double value) const noexcept;
    /// The position. Values outside stand at the nearer end.
    [[nodiscard]] double at(double value) const noexcept;
    /// Extends the scale to a value that it holds.
    void include(double value) noexcept;
    /// Makes low less than high: around the only value, or from 0 to 1 if it is 0 or nothing was included.
    void close() noexcept;
    /// Round numbers from low to high, ascending. On a linear scale they are about five multiples of 1, 2
    /// or 5 times a power of ten. On a logarithmic one they are powers of ten, and on a narrow range more.
    [[nodiscard]] std::vector<double> ticks() const;

    /// A scale that includes nothing yet.
    [[nodiscard]] static Scale empty(double first, double last, bool logarithmic = false) noexcept;
};

/// A number in at most six digits; large and small ones with a power of ten, as in 2·10⁻⁵.
[[nodiscard]] std::string number(double value);

}  // namespace ldp::plot
