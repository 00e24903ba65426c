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
    /// The part of that noise which goes with the shares: of Σ g·share it is this times Σ share·g², beside
    /// what sampling adds. `variance` has it as of even shares.
    double held = 0;
};

}  // namespace ldp
