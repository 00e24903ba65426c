// Iterative proportional scaling (Deming, Stephan 1940): the table that has given margins and is otherwise as
// near as can be to a given one, by relative entropy.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/tables/table.hpp"

namespace ldp {

/// A share times a factor; 0 if one of them is, and else no smaller than a number can be that a factor brings
/// back: margins that hardly agree would make ever more cells 0, until no table is left.
[[nodiscard]] inline double scaled(double share, double factor) noexcept {
    constexpr double least = 1e-200;
    return share > 0 && factor > 0 ? std::max(share * factor, least) : 0;
}

/// Margins that a table of some attributes is to have.
class Scaling {
  public:
    /// For tables of these attributes, ascending; what the margins are of is among them.
    Scaling(std::span<const std::size_t> attributes, std::span<const std::uint64_t> sizes,
            std::vector<Table> margins);

    /// Gives the shares each margin in turn, or goes part of the way, as a power of what is missing. Returns
    /// how far off the worst margin was, as the sum of absolute differences. Cells that are 0 stay 0.
    double sweep(std::vector<double>& shares, double step = 1) const;

    /// Sweeps until all margins are there to 10^-9. Margins that no table has together are met half-way:
    /// after some sweeps the steps become smaller.
    void settle(std::vector<double>& shares) const;

  private:
    std::vector<Table> margins_;
    std::vector<std::vector<std::uint32_t>> cells_;  ///< of each margin, where each cell of the table belongs
};

/// The step of a sweep, from 0 on: whole at first, then ever smaller, with a sum that grows without bound.
[[nodiscard]] double scaling_step(std::size_t sweep);

}  // namespace ldp
