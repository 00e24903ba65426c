// Tail probabilities for small-sample intervals.
#pragma once

#include <cstdint>

namespace ldp {

/// Independent bits with the same probability of 1.
struct Bits {
    std::uint64_t count;
    double one;
};

/// Returns P(X > ones) + P(X = ones)/2, where X is the number of ones of both groups of bits. The run time is
/// proportional to the standard deviation of X.
[[nodiscard]] double upper_tail(std::int64_t ones, const Bits& some, const Bits& others);

/// Returns the critical value of Student's distribution at the probability at which the normal distribution
/// has the critical value `deviations`.
[[nodiscard]] double student_critical_value(double deviations, double degrees_of_freedom);
/// Returns the probability that a variable with Student's distribution is at least `deviations` ≥ 0.
[[nodiscard]] double student_above(double deviations, double degrees_of_freedom);

}  // namespace ldp
