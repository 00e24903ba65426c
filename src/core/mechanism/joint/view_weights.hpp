// The weights with which people are divided among views, and the sets of attributes that a spec announces.
#pragma once

#include <utility>
#include <vector>

#include "core/mechanism/joint/joint_views.hpp"

namespace ldp::joint {

inline constexpr std::uint64_t max_cells = 8192;  ///< of a view
/// Largest share of people who report a single attribute if others report several.
inline constexpr double most_singles = 0.9;

/// ε of the reports of a view. In two layers, errors depend on the ε of one report.
struct ViewEpsilon {
    double epsilon;
    double first = 0;  ///< of one report; 0 in one layer
};
/// Whether in two layers the cells of a view are reported in one bit each (l_osue) instead of as one cell
/// (l_grr). The mechanism with the smaller variance for equally frequent cells is used.
[[nodiscard]] bool reports_bits(std::uint64_t cells, double report_epsilon);

/// The number of cells and of attributes of a view, which determine its inner mechanism and its weight.
using ViewKind = std::pair<std::uint64_t, std::uint8_t>;

[[nodiscard]] ViewKind kind_of_view(const ViewAttributes& view, const std::vector<std::uint64_t>& sizes);
/// Returns n·Var of a cell's share with the best inner mechanism for equally frequent cells.
[[nodiscard]] double promised_cell(std::uint64_t cells, const ViewEpsilon& of);
/// Returns the sampling weight of a view of this kind that minimizes the total variance of the target over
/// the views. The target is a cell, or a box of half the width of each attribute.
[[nodiscard]] double assignment_weight(const ViewKind& kind, const ViewEpsilon& of, bool ranges);

/// Sorts the announced sets of queries and removes repetitions. Error (invalid_spec) unless they are sets of 1
/// to 3 different attributes.
void settle_asked(IntegerRows& sets);

}  // namespace ldp::joint
