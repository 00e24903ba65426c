// How often the intervals of a logistic regression contain the coefficients.
#pragma once

#include <cstddef>

namespace ldp {

/// Prints a line for each design, ε and number of people: coverage and mean standard error of each coefficient. Returns the number
/// of coverages outside 93 to 97 % by more than two standard deviations of the simulation.
int logistic_intervals(std::size_t repetitions);

}  // namespace ldp
