// Places on a circle, such as hours of the day, and vectors of length 1.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>

#include "core/mechanism/role/estimate.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// A circle with the places from `ends.lower` to before `ends.upper`.
struct Circle {
    Interval ends;

    explicit Circle(const Interval& range) : ends(range) {}
    explicit Circle(const Attribute& attribute) : ends{attribute.min, attribute.max} {}

    /// The length of an arc with an angle of 1.
    [[nodiscard]] double unit() const noexcept { return (ends.upper - ends.lower) / (2 * std::numbers::pi); }
    /// Returns the vector of length 1 to a place.
    [[nodiscard]] std::complex<double> vector_to(double place) const noexcept {
        return std::polar(1.0, (place - ends.lower) / unit());
    }
    /// Returns the place to which a vector points.
    [[nodiscard]] double place_of(std::complex<double> vector) const noexcept {
        const double angle = std::arg(vector);
        const double place = ends.lower + unit() * (angle < 0 ? angle + 2 * std::numbers::pi : angle);
        return place < ends.upper ? place : ends.lower;  // an angle just below 2π may be rounded up
    }
    /// Returns the shorter arc between two places; negative if it leads backwards.
    [[nodiscard]] double arc(double from, double to) const noexcept {
        return unit() * std::arg(vector_to(to) / vector_to(from));
    }
};

}  // namespace ldp
