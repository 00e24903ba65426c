// Weights of groups that agree with known totals of a population.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ldp {

/// Groups of people in the cells of one or several columns. The cells of all columns are numbered together.
struct CalibrationCells {
    std::size_t groups = 0;
    std::span<const std::int32_t> cells;  ///< of each group its cell in every column, one group after another
    std::span<const double> totals;       ///< the known total of each cell

    [[nodiscard]] std::size_t columns() const noexcept { return groups == 0 ? 0 : cells.size() / groups; }
    [[nodiscard]] std::size_t cell(std::size_t group, std::size_t column) const noexcept {
        return static_cast<std::size_t>(cells[group * columns() + column]);
    }
};

/// Returns the weights of the groups: the start weights, times a factor for each cell, so that the weights in each cell
/// add up to its total (iterative proportional fitting; Deming, Stephan 1940). With one column, it is post-stratification.
/// Without columns, the start weights are returned. The relative difference from each total is at most 1e-9.
///
/// Throws Error (invalid_value) if the arguments have different sizes, and for weights or totals that are negative or not
/// finite. It also throws if the sums of two columns' totals differ by more than 0.1 %; below, they are scaled to the first.
/// It throws if 2,000 steps do not suffice, for example if a cell has no groups.
[[nodiscard]] std::vector<double> calibrated_weights(std::span<const double> start,
                                                     const CalibrationCells& cells);

/// Returns the residuals of a weighted least-squares fit of values by a constant and an effect of each cell. A column may
/// leave a group out of the fit with weight 0; its residual is 0.
[[nodiscard]] std::vector<double> calibration_residuals(std::span<const double> values,
                                                        std::span<const double> weights,
                                                        const CalibrationCells& cells);

}  // namespace ldp
