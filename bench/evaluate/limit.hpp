// The limit of one number: the least worst variance that any channel can have.
#pragma once

#include <cstddef>

namespace bench {

/// A lower bound of max n·Var over the inputs −1, …, 0, …, 1, so many from 0 up to 1, of every ε-LDP channel
/// with a reading of its outputs that is unbiased at these inputs; no more than 1e-4 of it below the least.
/// With more inputs it rises to the limit of a number on [−1,1].
///
/// A linear program. A column is an output with its reading: it has one probability under some inputs and
/// e^ε times that under the others, and every channel is a mixture of such. They are too many to be listed;
/// the one that improves most is found from the dual variables, until none does. Those that are left prove
/// the bound.
[[nodiscard]] double least_worst_variance(double epsilon, std::size_t inputs);

}  // namespace bench
