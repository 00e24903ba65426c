// What was measured of some attributes together, whatever measured it.
#pragma once

#include <cstdint>
#include <vector>

namespace ldp {

/// Estimated shares of the cells of a cross table.
struct Table {
    std::vector<std::size_t> attributes;  ///< ascending
    std::vector<std::uint64_t> sizes;     ///< how many values each of them has
    std::vector<double> shares;           ///< of every cell, the last attribute's value running fastest
    /// The noise of one cell's share: that of Σ g·share is this times Σ g², the g adding up to 0.
    double variance = 0;
    double people = 0;  ///< whose reports are about it
};

}  // namespace ldp
