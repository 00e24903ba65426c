// Comparisons of estimates: of groups of people, and of rounds.
#pragma once

#include <cstddef>
#include <span>

#include "cli/answers/document.hpp"

namespace ldp::cli {

/// Two groups have one difference: the second contrast of the same estimate is removed, and the first one names the row of
/// the other group.
void join_two_groups(Figure& figure);

/// Sets Figure::changes: the last row of each line minus the one before it, and minus the first one, with intervals for
/// independent estimates (core/groups/independent.hpp). Their p-values are unknown: the caller sets those of the
/// library's tests, and a change without one is never clear.
void compare_rounds(Figure& figure);

/// Whether a change begins at the second-to-last round of its figure, not at the first one.
[[nodiscard]] bool is_latest(const Figure& figure, const LineChange& change);

/// Marks the significant changes and differences of all sections together, at 5 %. Each of three families has the correction
/// of Holm (1979): latest changes, changes since the first round, and differences between groups.
void mark_clear(std::span<Section> sections);

}  // namespace ldp::cli
