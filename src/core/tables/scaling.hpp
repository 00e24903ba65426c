// Iterative proportional scaling (Deming, Stephan 1940): the table with given margins that is nearest to a
// given table by relative entropy.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/tables/table.hpp"

namespace ldp {

/// Returns a share times a factor; 0 if one of them is 0. Positive results have a lower bound from which a
/// later factor can restore them. Without it, inconsistent margins would set more and more cells to 0.
[[nodiscard]] inline double scaled(double share, double factor) noexcept {
    constexpr double least = 1e-200;
    return share > 0 && factor > 0 ? std::max(share * factor, least) : 0;
}

/// Margins that a table of some attributes must have.
class Scaling {
  public:
    /// For tables of these attributes (ascending), which must contain the attributes of the margins.
    Scaling(std::span<const std::size_t> attributes, std::span<const std::uint64_t> sizes,
            std::vector<Table> margins);

    /// Scales the shares to each margin in turn, or by a power `step` of the required factors. Returns the
    /// largest sum of absolute differences of a margin before the step. Cells that are 0 stay 0.
    double sweep(std::vector<double>& shares, double step = 1) const;

    /// Repeats sweeps until all margins agree to 10^-9. For inconsistent margins, the steps decrease after
    /// some sweeps and the result is a compromise.
    void settle(std::vector<double>& shares) const;

  private:
    /// The index of a margin's cell for each cell of a table. The last attributes are either all in the margin, so that
    /// runs of `length` cells have consecutive indexes (`rising`), or all outside, so that runs have equal indexes.
    struct MarginCells {
        std::size_t length;
        bool rising;
        std::vector<std::uint32_t> starts;  ///< index of the first cell of each run
    };
    [[nodiscard]] static MarginCells runs_of(std::span<const std::size_t> attributes,
                                             std::span<const std::uint64_t> sizes,
                                             std::span<const std::size_t> margin);

    std::vector<Table> margins_;
    std::vector<MarginCells> cells_;  ///< for each margin
};

/// Returns the step of a sweep, counted from 0: 1 at first, then decreasing with a divergent sum.
[[nodiscard]] double scaling_step(std::size_t sweep);

}  // namespace ldp
