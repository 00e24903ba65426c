// The mean direction of values on a circle, such as hours of the day.
//
// The mean vector is the mean of e^(iθ) over the people, where θ is a value as an angle. Its angle is the mean direction
// and its length the mean resultant length: 1 if all people have the same value, 0 if no direction is preferred.
#pragma once

#include <complex>

#include "core/mechanism/ordered/ordered.hpp"

namespace ldp {

/// The terms of an interval of a direction.
struct DirectionTerms {
    Target target = Target::sample;
    double critical_value = 0;
    double repetitions = 1;  ///< largest number of reports of one person
    double forged = 0;       ///< largest share of forged reports
};

/// An estimated direction, in the unit of the attribute.
struct Direction {
    Estimate
        direction;  ///< from the lower end of the range to before the upper end; the error is unknown if it is not determined
    /// Contains the direction. An end may lie beyond an end of the range: the interval goes on at its other end. It is the
    /// whole range if the direction is not determined.
    Interval interval;
    bool determined;  ///< whether a mean vector of length 0 is excluded
};

/// An estimated mean resultant length.
struct ResultantLength {
    Estimate estimate;
    Interval interval;
};

/// An estimated mean vector and the covariance matrix of its two coordinates.
struct MeanVector {
    std::complex<double> mean;
    double xx, xy, yy;

    /// Returns the variance in the direction of a unit vector.
    [[nodiscard]] double along(double x, double y) const noexcept {
        return std::max(0.0, x * x * xx + 2 * x * y * xy + y * y * yy);
    }
};

/// Returns the direction of an estimated mean vector on a circle from `ends.lower` to `ends.upper`. Forged reports may move the
/// vector by `shift`.
///
/// A direction is in the interval if the part of the vector across it is within `critical_value` errors of 0 (Fieller 1954).
/// If an ellipse around the vector with the same coverage contains 0, every direction is in the interval.
[[nodiscard]] Direction direction_of(const MeanVector& found, const Interval& ends, double critical_value,
                                     double shift = 0);
/// Returns the length of the vector. The interval costs a hundred times as much as the direction.
[[nodiscard]] ResultantLength length_of(const MeanVector& found, double critical_value, double shift = 0);

/// The mean direction that a mechanism for values on a circle estimates instead of a mean. No sum, difference or mean of
/// attributes may use it.
class MeanDirection {
  public:
    MeanDirection() = default;
    MeanDirection(const MeanDirection&) = delete;
    MeanDirection& operator=(const MeanDirection&) = delete;
    virtual ~MeanDirection() = default;

    /// Return the estimates; n ≥ 1.
    [[nodiscard]] virtual Direction direction(const Counts& counts, const DirectionTerms& terms) const = 0;
    [[nodiscard]] virtual ResultantLength resultant_length(const Counts& counts,
                                                           const DirectionTerms& terms) const = 0;
    /// n·Var of the direction to first order, in squares of half the range: of the randomizer, and between people. Infinite if
    /// the shares have no direction.
    struct DirectionVariance {
        double noise, sampling;
    };
    [[nodiscard]] virtual DirectionVariance direction_variance(std::span<const double> shares) const = 0;
};

/// Returns the mean direction that a mechanism estimates; null if its values are not on a circle.
[[nodiscard]] inline const MeanDirection* find_direction(const Mechanism& mechanism) noexcept {
    const auto* ordered = find_capability<Ordered>(mechanism);
    return ordered == nullptr ? nullptr : ordered->circle();
}

/// Throws Error (unsupported) if the points are on a circle: without a first value, there are no quantiles.
void check_has_quantiles(const Ordered& ordered);

}  // namespace ldp
