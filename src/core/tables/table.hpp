// Estimated cross tables, independent of the mechanism.
#pragma once

#include <cstdint>
#include <vector>

namespace ldp {

/// Estimated shares of the cells of a cross table.
struct Table {
    std::vector<std::size_t> attributes;  ///< ascending
    std::vector<std::uint64_t> sizes;     ///< number of values of each attribute
    std::vector<double> shares;           ///< of every cell; the last attribute's value varies fastest
    /// Noise of one cell's share: the variance of Σ g·share is this times Σ g², with g adding up to 0.
    double variance = 0;
    double people = 0;  ///< number of people who reported it
    /// The part of the noise that is proportional to the shares: for Σ g·share, it is this times Σ share·g²,
    /// in addition to the sampling error. `variance` includes it for even shares.
    double held = 0;
};

}  // namespace ldp
