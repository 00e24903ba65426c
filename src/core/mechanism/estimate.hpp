// Estimates, and how sure they are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/unknown.hpp"

namespace ldp {

/// An estimate and its standard error, in the units of the question. `unknown` where the reports say nothing.
struct Estimate {
    double value;
    double standard_error;
};

struct Interval {
    double lower;
    double upper;
};

/// What the error is measured against.
enum class Target {
    sample,      ///< the people who reported: the randomizers' noise alone
    population,  ///< a population they were drawn from: the sampling error as well
};

/// What a summary can be asked. A mechanism answers those its reports carry.
enum class Quantity {
    frequencies,   ///< the share of each value of a categorical attribute
    means,         ///< the mean of each numeric attribute, in its own units
    coefficients,  ///< the mean of each Haar coefficient, attributes scaled to [−1,1]
    distribution,  ///< the share of each point of an ordered attribute's range; without errors, see
                   ///< ordered.hpp
};

/// The attribute of a question to reports that are about one only.
inline constexpr std::size_t only_attribute = std::size_t{0} - 1;

struct Question {
    Quantity quantity;
    Target target = Target::sample;
    std::size_t attribute = only_attribute;  ///< of frequencies: whose, where there are several
};

/// How many standard errors a central interval of the normal approximation reaches to either side;
/// 0 < confidence < 1, else Error (invalid_value).
[[nodiscard]] double critical_value(double confidence);
[[nodiscard]] Interval interval(const Estimate& estimate, double confidence);

/// One estimate from two of the same number, by people of their own: of collections at several ε, or before
/// and after a spec was renewed. The mean of both weighed by their precision, and its standard error: 1/e² =
/// 1/e₁² + 1/e₂². Combining goes in any order, and is of least variance among weighted means
/// (inverse-variance weighting). Both errors are above 0 and finite, and those of independent reports.
///
/// A standard error that was itself estimated may be smaller where its estimate is, which then weighs more:
/// of a few hundred reports each that moves the mean by less than a tenth of its standard error.
[[nodiscard]] Estimate combined(const Estimate& one, const Estimate& other) noexcept;

}  // namespace ldp
