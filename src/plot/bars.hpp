// Bars of shares: below one another, as a histogram, or by group of people.
#pragma once

#include <string>
#include <vector>

#include "plot/canvas.hpp"
#include "plot/intervals.hpp"

namespace ldp::plot {

/// A horizontal bar from zero for each mark, its name and value above it, and an axis below. The axis ends at
/// `end`, or, if `end` is NaN, at the end of the marks.
[[nodiscard]] Drawing bars(const std::vector<PlottedEstimate>& marks, double end,
                           std::string (*label)(double));

/// A vertical bar from zero for each mark, side by side without gaps in their order. An edge is the label of
/// a bar's left end; the last edge is the label of the right end of the last bar. Edges that would overlap
/// are left out. Values are above the bars if they fit. The axis ends at `end`, or, if `end` is NaN, at the
/// end of the marks. The titles of the axes may be empty.
[[nodiscard]] Drawing histogram(const std::vector<PlottedEstimate>& marks,
                                const std::vector<std::string>& edges, double end,
                                std::string (*label)(double), const std::string& x_title = {},
                                const std::string& y_title = {});

/// The marks of one value, one for each group, in colour_of_group() of its index.
struct Block {
    std::string name;  ///< may be empty
    std::vector<PlottedEstimate> marks;
};
/// Blocks below one another: name and value of a group, and below them its interval on one scale for all. The axis ends at
/// `end`, or, if `end` is NaN, at the end of the marks.
[[nodiscard]] Drawing blocks(const std::vector<Block>& blocks, double end, bool from_zero,
                             std::string (*label)(double));

}  // namespace ldp::plot
