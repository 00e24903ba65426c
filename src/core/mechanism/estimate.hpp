// Estimates, and how sure they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ldp {

/// An estimate and its standard error, in the units of the question. NaN where the reports say nothing.
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
    sample,      ///< the people who reported: the randomisers' noise alone
    population,  ///< a population they were drawn from: the sampling error as well
};

/// What a summary can be asked. A mechanism answers those its reports carry.
enum class Quantity {
    frequencies,   ///< the share of each value of a categorical attribute
    means,         ///< the mean of each numeric attribute, in its own units
    coefficients,  ///< the mean of each Haar coefficient, attributes scaled to [−1,1]
    distribution,  ///< the share of each point of an ordered attribute's range; without errors, see
                   ///< distribution.hpp
};

struct Question {
    Quantity quantity;
    Target target = Target::sample;
    std::size_t attribute = 0;  ///< of a record: whose frequencies
};

/// How many standard errors a central interval of the normal approximation reaches to either side;
/// 0 < confidence < 1, else Error (invalid_value).
[[nodiscard]] double reach(double confidence);
[[nodiscard]] Interval interval(const Estimate& estimate, double confidence);

/// A pure protocol: a report supports its true value with probability p, any other with probability q.
struct PureProtocol {
    double p;
    double q;

    /// n·Var of an estimated frequency whose true value is f: the randomiser's part.
    [[nodiscard]] double n_variance(double f) const noexcept {
        return (f * p * (1 - p) + (1 - f) * q * (1 - q)) / ((p - q) * (p - q));
    }
    /// Unbiased frequencies from how many of n reports support each value.
    [[nodiscard]] std::vector<Estimate> frequencies(std::span<const std::uint64_t> supports, std::uint64_t n,
                                                    Target target) const;
};

}  // namespace ldp
