#include "core/groups/independent.hpp"

#include <cmath>
#include <limits>

#include "core/mechanism/role/error_law.hpp"

namespace ldp {
namespace {

/// Returns the longer distance between an estimate and the ends of its interval.
double longer_half(const BoundedEstimate& of) noexcept {
    return std::fmax(of.estimate.value - of.interval.lower, of.interval.upper - of.estimate.value);
}

BoundedEstimate extended_by(const Estimate& estimate, double distance) noexcept {
    return {estimate, {estimate.value - distance, estimate.value + distance}};
}

}  // namespace

double half_length(double standard_error, double critical_value) {
    return interval(Estimate{0, standard_error}, critical_value, ErrorLaw{}).upper;
}

BoundedEstimate difference_of(const BoundedEstimate& one, const BoundedEstimate& other) noexcept {
    return extended_by({one.estimate.value - other.estimate.value,
                        std::hypot(one.estimate.standard_error, other.estimate.standard_error)},
                       std::hypot(longer_half(one), longer_half(other)));
}

BoundedEstimate quotient_of(const BoundedEstimate& one, const BoundedEstimate& other) noexcept {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double numerator = one.estimate.value, denominator = other.estimate.value;
    const double value = numerator / denominator;
    const double error = std::hypot(one.estimate.standard_error, value * other.estimate.standard_error) /
                         std::fabs(denominator);
    if (denominator == 0) return {{unknown, unknown}, {unknown, unknown}};
    // Relative to the denominator: (value − q)² = half² + (other_half·q)², a quadratic equation in q.
    const double half = longer_half(one) / denominator, other_half = longer_half(other) / denominator;
    const double square = 1 - other_half * other_half;
    if (!(square > 0)) return {{value, error}, {-infinity, infinity}};
    const double root = std::sqrt(half * half * square + value * value * other_half * other_half);
    return {{value, error}, {(value - root) / square, (value + root) / square}};
}

BoundedEstimate weighted_mean(const BoundedEstimate& one, double weight, const BoundedEstimate& other,
                              double other_weight) noexcept {
    if (other_weight == 0) return one;
    if (weight == 0) return other;
    // Shares of the total of the weights, which may exceed the range of a double.
    const double larger = std::fmax(weight, other_weight);
    const double total = weight / larger + other_weight / larger;
    const double share = weight / larger / total, rest = other_weight / larger / total;
    return extended_by(
        {share * one.estimate.value + rest * other.estimate.value,
         std::hypot(share * one.estimate.standard_error, rest * other.estimate.standard_error)},
        std::hypot(share * longer_half(one), rest * longer_half(other)));
}

}  // namespace ldp
