// The meaning of ε for a person: bounds of an observer's odds, guesses and beliefs after a report. All bounds
// hold at δ = 0 unless stated otherwise.
#pragma once

#include <cmath>
#include <string>

#include "core/base/text.hpp"

namespace ldp {

/// The largest factor by which a report changes the odds between any two values: e^ε.
[[nodiscard]] inline double odds_factor(double epsilon) noexcept {
    return std::exp(epsilon);
}
/// Upper bound of the probability of guessing which of two equally likely values a person has:
/// (e^ε + δ)/(1 + e^ε).
[[nodiscard]] inline double right_guess(double epsilon, double delta = 0) noexcept {
    return (1 + delta * std::exp(-epsilon)) / (1 + std::exp(-epsilon));
}
/// Upper bound of the posterior probability of a statement with prior probability π = `prior` in (0, 1):
/// πe^ε/(πe^ε + 1 − π).
[[nodiscard]] inline double posterior(double prior, double epsilon) noexcept {
    return prior / (prior + (1 - prior) * std::exp(-epsilon));
}
/// ε of the joint reports of a group of people, each at ε: neighbours differ in all of their values.
[[nodiscard]] inline double group_epsilon(double epsilon, double people) noexcept {
    return people * epsilon;
}

/// Bounds as text. They are rounded upwards, so that the text is true. A factor has three digits. A
/// probability in (0, 1) is given in percent, up to the second digit that differs from 100 %.
[[nodiscard]] std::string reported_factor(double bound);
[[nodiscard]] std::string reported_percent(double bound);
/// The text after an ε that holds except with probability δ; empty if δ is 0.
[[nodiscard]] inline std::string but_for(double delta) {
    return delta == 0 ? "" : ", except with probability " + shortest(delta) + " (delta)";
}

}  // namespace ldp
