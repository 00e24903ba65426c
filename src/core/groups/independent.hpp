// Arithmetic of estimates from different people: differences, quotients and weighted means. The interval of the result
// follows from the intervals of the estimates and has their confidence ("method of variance estimates recovery", Zou,
// Donner 2008), with the longer half of each interval on both sides. The shorter half of an interval that ends at
// a possible value contains no information about the error of the estimate, and several estimates may err in
// one direction there.
#pragma once

#include "core/mechanism/role/estimate.hpp"

namespace ldp {

/// An estimate and its interval, which contains the estimate.
struct BoundedEstimate {
    Estimate estimate;
    Interval interval;
};

/// Half the length of the normal interval of an estimate with this standard error, as a term of the interval of a sum.
[[nodiscard]] double half_length(double standard_error, double critical_value);

/// Returns one − other.
[[nodiscard]] BoundedEstimate difference_of(const BoundedEstimate& one,
                                            const BoundedEstimate& other) noexcept;

/// Returns one/other with the standard error of the linearized quotient. The interval contains the quotients
/// q for which the interval of one − q·other contains 0 (Fieller 1954). It is unlimited if `other` may be 0.
/// All numbers are unknown if the denominator is estimated as 0.
[[nodiscard]] BoundedEstimate quotient_of(const BoundedEstimate& one, const BoundedEstimate& other) noexcept;

/// Returns (weight·one + other_weight·other)/(weight + other_weight). No weight is negative, and one of them is
/// greater than 0. An estimate with weight 0 has no effect.
[[nodiscard]] BoundedEstimate weighted_mean(const BoundedEstimate& one, double weight,
                                            const BoundedEstimate& other, double other_weight) noexcept;

}  // namespace ldp
