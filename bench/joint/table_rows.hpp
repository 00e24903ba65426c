// What made-up rows are good for, in place of the people they stand for.
#pragma once

#include <cstddef>
#include <vector>

#include "record_files.hpp"

namespace bench {

/// A number of a person that is predicted from others of theirs, by a polynomial of degree two in each.
struct Regression {
    std::size_t outcome;
    std::vector<std::size_t> predictors;
};

/// How far what a regression predicts for people that was fitted on rows lies from what it predicts if it was
/// fitted on the people, by least squares: the root of the mean square, in standard deviations of the
/// outcome. Values are the numbers of cells.
[[nodiscard]] double misfit(const Records& people, const Records& rows, const Regression& regression);

}  // namespace bench
