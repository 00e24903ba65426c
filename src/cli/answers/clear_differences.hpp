// Comparisons of estimates: of groups of people, and of rounds.
#pragma once

#include <cstddef>
#include <span>

#include "cli/answers/document.hpp"

namespace ldp::cli {

/// The first estimate minus the second, with its standard error and confidence interval.
struct RowDifference {
    double estimate = NAN, error = NAN, lower = NAN, upper = NAN;

    /// Two-sided, of the hypothesis that both are equal; 1 without an error.
    [[nodiscard]] double p_value() const noexcept;
};

/// The standard error of a row. Without one, that of a normal estimate with the row's interval, which has
/// this confidence.
[[nodiscard]] double normal_error(const Row& row, double confidence);

/// The difference of two independent estimates, by the normal law. NaN if one of them has no error.
[[nodiscard]] RowDifference row_difference(const Row& one, const Row& other, double confidence);

/// Compares each row of a comparison with the same estimate of all other groups together, which are weighted
/// by their numbers of reports, and sets Figure::contrasts. Two groups have one difference.
void compare_groups(Figure& figure, double confidence);

/// Compares the last row of each line with the one before it, and with the first one, as independent estimates, and
/// sets Figure::changes.
void compare_rounds(Figure& figure, double confidence);

/// Whether a change is from the round before the last one of its figure, not from the first one.
[[nodiscard]] bool is_latest(const Figure& figure, const LineChange& change);

/// Marks what is significant at 5 % in all sections together, by the correction of Holm (1979) for each of three
/// families: latest changes, changes since the first round, and differences between groups.
void mark_clear(std::span<Section> sections);

}  // namespace ldp::cli
