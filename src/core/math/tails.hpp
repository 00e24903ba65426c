// Tails that intervals of few reports are made of.
#pragma once

#include <cstdint>

namespace ldp {

/// Independent bits that are 1 with the same probability.
struct Bits {
    std::uint64_t count;
    double one;
};

/// P(X > ones) + P(X = ones)/2, X being how many of these bits are 1. Takes time in proportion to the
/// standard deviation of X.
[[nodiscard]] double upper_tail(std::int64_t ones, const Bits& some, const Bits& others);

/// How far Student's law of so many degrees of freedom reaches with the probability with which the normal law
/// reaches so many standard deviations.
[[nodiscard]] double student_critical_value(double deviations, double degrees_of_freedom);

}  // namespace ldp
