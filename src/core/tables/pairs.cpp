#include "core/tables/pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/tables/pooled.hpp"

namespace ldp {

namespace {

/// Range and step of the squared contingencies: from 10⁻⁴, indistinguishable from independence, to above 100.
constexpr double least_contingency = 1e-4, contingency_step = 4;
constexpr std::size_t contingencies = 11;
/// The candidates for the median have a smaller step and end at 13.
constexpr double median_step = 2;
constexpr std::size_t medians = 18;

using Grid = std::array<double, contingencies>;

Grid possible() {
    Grid grid{};
    for (std::size_t g = 0; g < grid.size(); ++g)
        grid[g] = least_contingency * std::pow(contingency_step, static_cast<double>(g));
    return grid;
}

/// Returns the dimension of a table's interaction.
double degrees_of_freedom(const Table& pair) {
    const std::uint64_t directions = (pair.sizes[0] - 1) * (pair.sizes[1] - 1);
    return static_cast<double>(std::max<std::uint64_t>(1, directions));
}

/// The log-likelihood of the measurement and the fraction that is not noise, by contingency.
struct InteractionLikelihood {
    Grid likelihood{}, clear{};
};

/// Computes the likelihood cell by cell; each cell counts as its fraction of a degree of freedom.
InteractionLikelihood reading(const Pair& pair, const Interaction& interaction, const Shares& shares,
                              const Grid& grid) {
    const std::vector<double>&p = shares[interaction.first], &q = shares[interaction.second];
    const double all = degrees_of_freedom(pair.table),
                 part = all / static_cast<double>(pair.table.shares.size());
    InteractionLikelihood found;
    double total = 0;
    Work work;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < q.size(); ++j) {
            work.done(grid.size());
            const double cell =
                interaction.shares(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
            const double weight = p[i] * (1 - p[i]) * q[j] * (1 - q[j]);
            const double noise = part * cell_variance(pair.table, weight / part);
            total += weight;
            for (std::size_t g = 0; g < grid.size(); ++g) {
                const double spread = grid[g] / all * weight, variance = noise + spread;
                found.likelihood[g] -= part * (std::log(variance) + cell * cell / variance) / 2;
                found.clear[g] += weight * spread / variance;
            }
        }
    for (double& clear : found.clear) clear = total > 0 ? clear / total : 0;
    return found;
}

/// Returns a candidate for the median.
double median(std::size_t number) {
    return least_contingency * std::pow(median_step, static_cast<double>(number));
}

/// Returns the prior probability of each contingency for this median.
Grid around(double middle, const Grid& grid) {
    Grid weights{};
    double sum = 0;
    for (std::size_t g = 0; g < grid.size(); ++g) {
        const double ratio = grid[g] / middle;
        sum += weights[g] = ratio / ((1 + ratio) * (1 + ratio));
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

/// Updates the weights with a likelihood and returns the logarithm of the marginal likelihood.
double learn(Grid& weights, const Grid& likelihood) {
    const double most = *std::ranges::max_element(likelihood);
    double sum = 0;
    for (std::size_t g = 0; g < weights.size(); ++g) sum += weights[g] *= std::exp(likelihood[g] - most);
    for (double& weight : weights) weight /= sum;
    return std::log(sum) + most;
}

/// Returns the estimate of one attribute from a pair.
Table fitted_table(std::size_t attribute, const Pair& pair, double spread, const Eigen::MatrixXd& common,
                   const Shares& shares) {
    const Table& table = pair.table;
    const bool rows = table.attributes[0] == attribute;
    const std::vector<double>&p = shares[attribute], &q = shares[table.attributes[rows ? 1 : 0]];
    const auto k = static_cast<double>(p.size());
    double squares = 0;
    for (const double share : p) squares += share * share;
    // A value's row has the noise of its cells. Sampling and the interaction vary in proportion to the other
    // attribute's shares; the row's total varies by sampling only.
    const double least = 1 / (k * table.people), between = spread * (1 - squares) / std::max(1.0, k - 1);
    std::vector<double> weights;
    double total = 0;
    for (const double share : q) {
        weights.push_back(share > 0 ? share / (noise_of(table) + (least + between) * share) : 0);
        total += weights.back() * share;
    }
    Table found{{attribute},
                {p.size()},
                std::vector<double>(p.size()),
                std::max(least, 1 / total - between) / pair.own,
                table.people * pair.own};
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < q.size(); ++j) {
            const std::size_t row = rows ? i : j, column = rows ? j : i;
            found.shares[i] += weights[j] / total *
                               (table.shares[row * table.sizes[1] + column] -
                                common(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)));
        }
    return found;
}

}  // namespace

std::vector<Pair> pairs_in(std::span<const Table> measured) {
    std::vector<Pair> pairs;
    for (const auto& [set, indexes] : sets_of(measured, 2)) {
        check_interrupt();
        Pooled all = pooled(measured, set, indexes);
        Pair& pair = pairs.emplace_back(Pair{std::move(all.table), 0});
        for (const auto& [number, weight] : all.weights)
            pair.own += weight / static_cast<double>(measured[number].attributes.size() - 1);
    }
    return pairs;
}

std::vector<Dependence> dependences(std::span<const Pair> pairs, std::span<const Interaction> interactions,
                                    const Shares& shares) {
    const Grid grid = possible();
    std::vector<InteractionLikelihood> decoded_values;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        decoded_values.push_back(reading(pairs[i], interactions[i], shares, grid));
    // The likelihood of all measurements for each median.
    std::vector<double> evidence;
    for (std::size_t m = 0; m < medians; ++m) {
        const Grid weights = around(median(m), grid);
        evidence.push_back(0);
        for (const InteractionLikelihood& one : decoded_values) {
            Grid own = weights;
            evidence.back() += learn(own, one.likelihood);
        }
    }
    const double most = *std::ranges::max_element(evidence);
    std::vector<Dependence> found(pairs.size());
    double sum = 0;
    for (std::size_t m = 0; m < medians; ++m) {
        const double weight = std::exp(evidence[m] - most);
        sum += weight;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            Grid weights = around(median(m), grid);
            learn(weights, decoded_values[i].likelihood);
            for (std::size_t g = 0; g < grid.size(); ++g) {
                found[i].spread += weight * weights[g] * grid[g] / degrees_of_freedom(pairs[i].table);
                found[i].clear += weight * weights[g] * decoded_values[i].clear[g];
            }
        }
    }
    for (Dependence& one : found) {
        one.spread /= sum;
        one.clear /= sum;
    }
    return found;
}

Table single(std::size_t attribute, std::span<const Table> measured, std::span<const Pair> pairs,
             std::span<const Dependence> dependence, std::span<const Eigen::MatrixXd> common,
             const Shares& shares) {
    std::vector<Table> all;
    for (const Table& table : measured)
        if (table.attributes.size() == 1 && table.attributes[0] == attribute) all.push_back(table);
    for (std::size_t i = 0; i < pairs.size(); ++i)
        if (std::ranges::binary_search(pairs[i].table.attributes, attribute))
            all.push_back(fitted_table(attribute, pairs[i], dependence[i].spread, common[i], shares));
    return pooled(all, {&attribute, 1}).table;
}

}  // namespace ldp
