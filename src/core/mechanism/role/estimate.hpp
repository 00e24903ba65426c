// Estimates, standard errors and normal intervals.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base/unknown.hpp"

namespace ldp {

/// An estimate and its standard error, in the units of the attribute. Both are `unknown` if the reports carry
/// no information.
struct Estimate {
    double value;
    double standard_error;
};

/// Returns an estimate whose variance is `weight` times the variance of the first plus 1 − weight times the
/// variance of the second. Both have the same value.
[[nodiscard]] inline Estimate mixed(const Estimate& one, const Estimate& other, double weight) noexcept {
    return {one.value,
            std::hypot(std::sqrt(weight) * one.standard_error, std::sqrt(1 - weight) * other.standard_error)};
}

struct Interval {
    double lower;
    double upper;
};

/// The reference of an error.
enum class Target {
    sample,      ///< the users who reported: noise of the randomizers only
    population,  ///< the population that the users were sampled from: noise and sampling error
};

/// The quantities that can be estimated from a summary. Each mechanism supports a subset.
enum class Quantity {
    frequencies,   ///< the share of each value of a categorical attribute
    means,         ///< the mean of each numeric attribute, in its own units
    coefficients,  ///< the mean of each Haar coefficient, attributes scaled to [−1,1]
    distribution,  ///< the share of each grid point of an ordered attribute, without errors; see ordered.hpp
    strings,       ///< shares of strings of an open domain, see strings/string_shares.hpp
};

/// The attribute of a request if the reports carry one attribute only.
inline constexpr std::size_t only_attribute = std::size_t{0} - 1;

struct Question {
    Quantity quantity;
    Target target = Target::sample;
    std::size_t attribute = only_attribute;  ///< for frequencies of one attribute among several
};

/// Returns the two-sided critical value of the standard normal distribution. Error (invalid_value) unless 0 <
/// confidence < 1.
[[nodiscard]] double critical_value(double confidence);
[[nodiscard]] Interval interval(const Estimate& estimate, double confidence);

/// Returns the inverse-variance weighted mean of two estimates of one quantity from disjoint groups of users,
/// and its standard error: 1/e² = 1/e₁² + 1/e₂². Examples are collections at several ε, or before and after a
/// renewal of the spec. Combination is associative and commutative, and no weighted mean has a smaller
/// variance. Both standard errors must be positive and finite, and the reports must be independent.
///
/// If a standard error is itself estimated, it can be correlated with its estimate, which biases the weights.
/// With a few hundred reports on each side the bias is below a tenth of the standard error.
[[nodiscard]] Estimate combined(const Estimate& one, const Estimate& other) noexcept;

}  // namespace ldp
