// Estimates, and how sure they are.
#pragma once

#include <cstdint>
#include <vector>

#include "bytes.hpp"

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
};

struct Question {
    Quantity quantity;
    Target target = Target::sample;
};

/// Central interval of the normal approximation; 0 < confidence < 1, else Error (invalid_value).
[[nodiscard]] Interval interval(const Estimate& estimate, double confidence);

/// A pure protocol: a report supports its true value with probability p, any other with probability q.
struct PureProtocol {
    double p;
    double q;

    /// n·Var of an estimated frequency whose true value is f: the randomiser's part.
    [[nodiscard]] double n_variance(double f) const noexcept {
        return (f * p * (1 - p) + (1 - f) * q * (1 - q)) / ((p - q) * (p - q));
    }
    /// Unbiased frequencies from `items` support counters (64 bits each) over n reports.
    [[nodiscard]] std::vector<Estimate> frequencies(Bytes counters, std::uint64_t n, Target target) const;
};

}  // namespace ldp
