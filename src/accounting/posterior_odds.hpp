// What ε means to a person: how far a report can change what others believe of them. All of it is at δ = 0,
// if not said otherwise.
#pragma once

#include <cmath>
#include <string>

#include "core/base/text.hpp"

namespace ldp {

/// The factor by which the odds between any two values move at most: e^ε.
[[nodiscard]] inline double odds_factor(double epsilon) noexcept {
    return std::exp(epsilon);
}
/// The chance at most of telling which of two equally likely values it is: (e^ε + δ)/(1 + e^ε).
[[nodiscard]] inline double right_guess(double epsilon, double delta = 0) noexcept {
    return (1 + delta * std::exp(-epsilon)) / (1 + std::exp(-epsilon));
}
/// What is believed at most, after the report, of something that was believed with probability `prior` in
/// (0, 1) before: πe^ε/(πe^ε + 1 − π).
[[nodiscard]] inline double posterior(double prior, double epsilon) noexcept {
    return prior / (prior + (1 - prior) * std::exp(-epsilon));
}
/// ε of what so many people report together, each at ε: they differ in all of their values.
[[nodiscard]] inline double group_epsilon(double epsilon, double people) noexcept {
    return people * epsilon;
}

/// Bounds as readers are told them, rounded upwards, so that what is said is true: a factor in three digits;
/// a probability, above 0 and below 1, in percent, with the digit that tells it from certainty and the next.
[[nodiscard]] std::string reported_factor(double bound);
[[nodiscard]] std::string told_percent(double bound);
/// What goes on after an ε that holds but for a probability of δ; nothing where δ is 0.
[[nodiscard]] inline std::string but_for(double delta) {
    return delta == 0 ? "" : ", but for a probability of " + shortest(delta) + " (delta)";
}

}  // namespace ldp
