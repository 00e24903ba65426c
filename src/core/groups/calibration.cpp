#include "core/groups/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"

namespace ldp {

namespace {

constexpr int most_sweeps = 2000;
constexpr double tolerance = 1e-9, tolerated_sums = 1e-3;

[[noreturn]] void reject(const std::string& what, const std::string& detail, const std::string& hint = {}) {
    throw Error(ErrorCode::invalid_value, what, detail, hint);
}

bool usable(double number) noexcept {
    return number >= 0 && std::isfinite(number);
}

void check(std::span<const double> start, const CalibrationCells& cells) {
    const std::size_t columns = cells.columns();
    if (start.size() != cells.groups || (cells.groups > 0 && cells.cells.size() % cells.groups != 0))
        reject("weights and cells of the groups have different sizes",
               "There are " + std::to_string(cells.groups) + " groups, " + std::to_string(start.size()) +
                   " weights and " + std::to_string(cells.cells.size()) + " cells.",
               "Pass a weight of each group, and its cell in every column.");
    for (const double weight : start)
        if (!usable(weight))
            reject("invalid weight of a group: " + shortest(weight), {},
                   "A weight must be a number of at least 0.");
    for (const double total : cells.totals)
        if (!usable(total))
            reject("invalid total: " + shortest(total), {}, "A total must be a number of at least 0.");
    std::vector<std::size_t> column_of(cells.totals.size(), columns);
    for (std::size_t g = 0; g < cells.groups; ++g)
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t cell = cells.cell(g, c);
            if (cells.cells[g * columns + c] < 0 || cell >= cells.totals.size() ||
                (column_of[cell] != columns && column_of[cell] != c))
                reject("cell " + std::to_string(cells.cells[g * columns + c]) +
                           " is not in the range of its column",
                       "There are " + std::to_string(cells.totals.size()) + " totals.",
                       "Use consecutive numbers for the cells of all columns, from 0.");
            column_of[cell] = c;
        }
}

/// The sums of numbers of the groups in each cell of a column.
class CellSums {
  public:
    explicit CellSums(const CalibrationCells& cells) : cells_(cells), sums_(cells.totals.size()) {}

    void sum(std::span<const double> weights, std::size_t column) {
        std::ranges::fill(sums_, 0);
        for (std::size_t g = 0; g < weights.size(); ++g) sums_[cells_.cell(g, column)] += weights[g];
    }
    [[nodiscard]] double operator[](std::size_t cell) const noexcept { return sums_[cell]; }

  private:
    const CalibrationCells& cells_;
    std::vector<double> sums_;
};

}  // namespace

std::vector<double> calibrated_weights(std::span<const double> start, const CalibrationCells& cells) {
    check(start, cells);
    const std::size_t columns = cells.columns();
    std::vector<double> weights(start.begin(), start.end());
    if (columns == 0) return weights;
    // The column of each cell; cells without groups belong to the column of the cell before.
    std::vector<std::size_t> column_of(cells.totals.size(), columns);
    for (std::size_t g = 0; g < cells.groups; ++g)
        for (std::size_t c = 0; c < columns; ++c) column_of[cells.cell(g, c)] = c;
    std::vector<double> totals(cells.totals.begin(), cells.totals.end()), of_column(columns);
    for (std::size_t i = 0; i < totals.size(); ++i) {
        if (column_of[i] == columns && totals[i] > 0)
            reject("no group is in a cell with a positive total", "It is cell " + std::to_string(i) + ".",
                   "Merge the cell with another one.");
        if (column_of[i] < columns) of_column[column_of[i]] += totals[i];
    }
    for (std::size_t c = 0; c < columns; ++c)
        if (!(std::abs(of_column[c] - of_column[0]) <= tolerated_sums * of_column[0]) || of_column[c] == 0)
            reject("the totals of the columns have different sums",
                   "The sums are " + shortest(of_column[0]) + " and " + shortest(of_column[c]) + ".",
                   "The totals of all columns must describe the same people.");
    for (std::size_t i = 0; i < totals.size(); ++i)
        if (column_of[i] < columns) totals[i] *= of_column[0] / of_column[column_of[i]];
    CellSums sums(cells);
    Work work;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double largest = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            work.done(4 * weights.size() + totals.size());
            sums.sum(weights, c);
            for (std::size_t i = 0; i < totals.size(); ++i) {
                if (column_of[i] != c) continue;
                if (sums[i] == 0 && totals[i] > 0)
                    reject("no group with a weight is in a cell with a positive total",
                           "It is cell " + std::to_string(i) + ".", "Merge the cell with another one.");
                if (totals[i] > 0) largest = std::max(largest, std::abs(sums[i] / totals[i] - 1));
            }
            for (std::size_t g = 0; g < weights.size(); ++g) {
                const std::size_t cell = cells.cell(g, c);
                weights[g] = sums[cell] > 0 ? weights[g] / sums[cell] * totals[cell] : 0;
            }
        }
        if (largest <= tolerance) break;  // before this sweep
        if (sweep + 1 == most_sweeps)
            reject("the weights of the groups do not converge to the totals",
                   "After " + std::to_string(most_sweeps) + " steps, a sum differs by " +
                       shortest(std::round(1000 * largest) / 10) + " %.",
                   "Some totals contradict the groups with reports. Merge values of a column.");
    }
    return weights;
}

std::vector<double> calibration_residuals(std::span<const double> values, std::span<const double> weights,
                                          const CalibrationCells& cells) {
    std::vector<double> residuals(values.begin(), values.end());
    const std::size_t columns = cells.columns();
    for (std::size_t g = 0; g < residuals.size(); ++g)
        if (weights[g] == 0) residuals[g] = 0;
    if (columns == 0) {
        double sum = 0, all = 0;
        for (std::size_t g = 0; g < residuals.size(); ++g)
            sum += weights[g] * residuals[g], all += weights[g];
        for (std::size_t g = 0; g < residuals.size(); ++g)
            if (weights[g] > 0) residuals[g] -= sum / all;
        return residuals;
    }
    CellSums sums(cells), of_weights(cells);
    std::vector<double> products(residuals.size());
    Work work;
    // Columns in turn, each by the means of its cells, which one column makes exact.
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double largest = 0, size = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            work.done(6 * residuals.size() + cells.totals.size());
            for (std::size_t g = 0; g < residuals.size(); ++g) products[g] = weights[g] * residuals[g];
            sums.sum(products, c);
            of_weights.sum(weights, c);
            for (std::size_t g = 0; g < residuals.size(); ++g) {
                if (weights[g] == 0) continue;
                const std::size_t cell = cells.cell(g, c);
                const double mean = sums[cell] / of_weights[cell];
                residuals[g] -= mean;
                largest = std::max(largest, std::abs(mean));
                size = std::max(size, std::abs(residuals[g]));
            }
        }
        if (columns == 1 || largest <= 1e-6 * size || largest == 0) break;
    }
    return residuals;
}

}  // namespace ldp
