// Comparisons of independent estimates: of groups of people, and of rounds.
#pragma once

#include <cstddef>

#include "cli/answers/document.hpp"

namespace ldp::cli {

/// The first estimate minus the second, with its standard error and confidence interval.
struct RowDifference {
    double estimate = NAN, error = NAN, lower = NAN, upper = NAN;
};

/// The standard error of a row. Without one, that of a normal estimate with the row's interval, which has
/// this confidence.
[[nodiscard]] double normal_error(const Row& row, double confidence);

/// The difference of two independent estimates, by the normal law. NaN if one of them has no error.
[[nodiscard]] RowDifference row_difference(const Row& one, const Row& other, double confidence);

/// Whether a difference is significant at 5 % among this number of comparisons (Bonferroni correction).
[[nodiscard]] bool is_clear(const RowDifference& difference, std::size_t comparisons);

/// Compares each row of a comparison with the same estimate of all other groups together, which are weighted
/// by their numbers of reports, and sets Row::contrast. With two groups each is compared with the other one.
void compare_groups(Figure& figure, double confidence);

/// The change of one line from its first to its last estimate. The rows are null if it has fewer than two.
struct Change {
    const Row *first = nullptr, *last = nullptr;
    RowDifference difference = {};
    bool clear = false;
};
/// The change of each line of a figure by round, in the order of their first rows.
[[nodiscard]] std::vector<Change> changes(const Figure& figure, double confidence);

}  // namespace ldp::cli
