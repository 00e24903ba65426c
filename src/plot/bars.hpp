// Bars of shares: below one another, as a histogram, or by group of people.
#pragma once

#include <string>
#include <vector>

#include "plot/canvas.hpp"
#include "plot/intervals.hpp"

namespace ldp::plot {

/// A horizontal bar from zero for each mark, with its value behind it, and an axis below. The name is beside the bar if
/// all names are short, else above it. The axis ends at `end`, or, if that is NaN, where the marks do.
[[nodiscard]] Drawing bars(const std::vector<PlottedEstimate>& marks, double end,
                           std::string (*label)(double));

/// A vertical bar from zero for each mark, side by side without gaps in their order. An edge is the label of
/// a bar's left end; the last edge is that of the right end of the last bar. Edges that would overlap are
/// left out. Values are above the bars if they fit. The axis ends at `end`, or, if that is NaN, where the marks do.
[[nodiscard]] Drawing histogram(const std::vector<PlottedEstimate>& marks,
                                const std::vector<std::string>& edges, double end,
                                std::string (*label)(double));

/// The marks of one value, one for each group. The colour of a group is that of its index.
struct Block {
    std::string name;  ///< may be empty
    std::vector<PlottedEstimate> marks;
};
/// Blocks below one another: the group's name, its interval on one scale for all, and its value behind it. The axis ends
/// at `end`, or, if that is NaN, where the marks do.
[[nodiscard]] Drawing blocks(const std::vector<Block>& blocks, double end, bool from_zero,
                             std::string (*label)(double));

}  // namespace ldp::plot
