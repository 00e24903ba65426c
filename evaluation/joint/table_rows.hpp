// Utility of synthetic records in place of the original records.
#pragma once

#include <cstddef>
#include <vector>

#include "record_files.hpp"

namespace evaluation {

/// A number of a person that is predicted from others of theirs, by a polynomial of degree two in each.
struct Regression {
    std::size_t outcome;
    std::vector<std::size_t> predictors;
};

/// Difference of the predictions of two regressions by least squares, one fitted on the rows and one on
/// the people: the root mean square over the people, in standard deviations of the outcome. Values are
/// the numbers of cells.
[[nodiscard]] double misfit(const Records& people, const Records& rows, const Regression& regression);

}  // namespace evaluation
