// The limit of one number: the least worst variance that any channel can have.
#pragma once

#include <cstddef>

namespace evaluation {

/// A lower bound of max n·Var over the inputs −1, …, 0, …, 1 (`steps` inputs from 0 up to 1). It holds
/// for every ε-LDP channel with an estimator that is unbiased at these inputs, and is at most 1e-4 of it
/// below the minimum. With more inputs it rises to the limit for a number on [−1,1].
///
/// A linear program. A column is an output with its decoded value. Its probability takes one value under
/// some inputs and e^ε times that value under the others; every channel is a mixture of such outputs.
/// There are too many to list. The dual variables give the column with the largest improvement, until no
/// column improves the solution. The remaining columns prove the bound.
[[nodiscard]] double least_worst_variance(double epsilon, std::size_t inputs);

}  // namespace evaluation
