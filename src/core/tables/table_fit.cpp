#include "core/tables/table_fit.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/summary/queries/empirical_bayes.hpp"
#include "core/tables/common_parts.hpp"
#include "core/tables/pairs.hpp"
#include "core/tables/pooled.hpp"
#include "core/tables/scaling.hpp"
#include "core/tables/spectrum.hpp"

namespace ldp {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Lower bound of a cell, relative to independent attributes, instead of a negative share. Zero cells could
/// make scaling to the margins impossible.
constexpr double least_share = 1e-4;

Table of_unknown_noise(std::span<const std::size_t> attributes, std::vector<std::uint64_t> sizes,
                       std::vector<double> shares, double people) {
    return {{attributes.begin(), attributes.end()}, std::move(sizes), std::move(shares), unknown, people};
}

/// Returns the nearest distribution: subtracts a constant from all shares and sets negative results to 0.
std::vector<double> nearest_distribution(const std::vector<double>& shares) {
    std::vector<double> order = shares;
    std::ranges::sort(order, std::ranges::greater());
    double sum = 0, less = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        sum += order[i];
        const double amount = (sum - 1) / static_cast<double>(i + 1);
        if (order[i] > amount) less = amount;
    }
    for (double& share : order) share = 0;
    for (std::size_t v = 0; v < shares.size(); ++v) order[v] = std::max(0.0, shares[v] - less);
    return order;
}

/// Empirical Bayes has a smaller error than the nearest distribution for many values (evaluation/consistency). If
/// the standard error of a share is at least `much_noise` mean shares, it has for `several_values`, too.
/// Fewer values say too little about their distribution.
constexpr std::size_t many_values = 32, several_values = 6;
constexpr double much_noise = 0.4;

std::vector<double> likely_distribution(const Table& single) {
    const std::size_t values = single.shares.size();
    const double noise = std::sqrt(single.variance) * static_cast<double>(values);
    const bool noisy = values >= several_values && noise >= much_noise && std::isfinite(noise);
    if (values < many_values && !noisy) return nearest_distribution(single.shares);
    std::vector<Estimate> estimates;
    for (const double share : single.shares) estimates.push_back({share, std::sqrt(single.variance)});
    return empirical_bayes(estimates);
}

/// Returns the table of maximum entropy of these attributes with the given margins.
std::vector<double> most_entropy(std::span<const std::size_t> attributes,
                                 std::span<const std::uint64_t> sizes, std::vector<Table> margins) {
    std::uint64_t cells = 1;
    for (const std::uint64_t size : sizes) cells *= size;
    std::vector<double> shares(cells, 1 / static_cast<double>(cells));
    Scaling(attributes, sizes, std::move(margins)).settle(shares);
    return shares;
}

/// Shrinks a singular value of a matrix with noise, optimally for the squared error. Values are in units of
/// the noise of one cell times the root of the larger side. `aspect` is the smaller side divided by the
/// larger.
double shrunk(double value, double aspect) {
    if (value <= 1 + std::sqrt(aspect)) return 0;
    const double square = value * value - aspect - 1;
    return std::sqrt(square * square - 4 * aspect) / value;
}

/// Returns the singular value that the largest of a matrix of independent noise of variance 1 exceeds with a
/// probability of 1 % (Johnstone 2001).
double largest_of_noise(double rows, double columns) {
    constexpr double quantile = 2.02;  // of the law of Tracy and Widom 1996
    const double root = std::sqrt(rows) + std::sqrt(columns);
    return std::sqrt(root * root + quantile * root * std::cbrt(1 / std::sqrt(rows) + 1 / std::sqrt(columns)));
}

/// Clarity of an interaction from which on it is more than half signal.
constexpr double mostly_clear = 0.5;

/// Returns the denoised interaction. Its cells are divided by the standard deviations of their noise first, so
/// that the noise is equal in all directions. Unless most of the interaction is clear, a singular value counts
/// only if noise alone would rarely exceed it.
RowMatrix denoised(const RowMatrix& interaction, const RowMatrix& deviations, double clear) {
    const auto [least, most] = std::minmax({interaction.rows() - 1, interaction.cols() - 1});
    if (least < 1) return RowMatrix::Zero(interaction.rows(), interaction.cols());
    const auto rows = static_cast<double>(least), columns = static_cast<double>(most);
    const double unit = std::sqrt(columns), aspect = rows / columns;
    const double lowest = clear < mostly_clear ? largest_of_noise(rows, columns) : 0;
    const RowMatrix kept = with_singular_values(interaction.cwiseQuotient(deviations), [&](double value) {
        return value < lowest ? 0 : unit * shrunk(value / unit, aspect);
    });
    return kept.cwiseProduct(deviations);
}

/// Returns the table of two independent attributes with these margins.
RowMatrix even_table(const Table& p, const Table& q) {
    const Eigen::Map<const Eigen::VectorXd> left(p.shares.data(), static_cast<Eigen::Index>(p.shares.size())),
        right(q.shares.data(), static_cast<Eigen::Index>(q.shares.size()));
    return left * right.transpose();
}

/// Returns a bound of the sampling variance of a mixture of values. Counts vary in proportion to the shares
/// p. For weights that add up to 0, no weight exceeds 1 − 1/k of the sum of squares of all k, so that Σ
/// p·weight² is at most this bound over k.
double most_of_sampling(const Table& table) {
    std::vector<double> most(2);
    std::ranges::partial_sort_copy(table.shares, most, std::ranges::greater());
    return most[0] * static_cast<double>(table.shares.size() - 1) + most[1];
}

Interaction interaction_of(const Table& measured, const Table& p, const Table& q) {
    const RowMatrix even = even_table(p, q);
    RowMatrix beyond = Eigen::Map<const RowMatrix>(measured.shares.data(), even.rows(), even.cols()) - even;
    beyond.colwise() -= Eigen::VectorXd(beyond.rowwise().mean());
    beyond.rowwise() -= Eigen::RowVectorXd(beyond.colwise().mean());
    const double noise = noise_of(measured);
    const auto added_up = [&](const Table& along, const Table& across) {
        const auto rows = static_cast<double>(along.shares.size()),
                   columns = static_cast<double>(across.shares.size());
        return noise * (columns - 1) + most_of_sampling(along) / rows * (1 - 1 / columns) / measured.people;
    };
    return {measured.attributes[0], measured.attributes[1], beyond, added_up(p, q), added_up(q, p)};
}

/// Returns the sum of the part that the pair has in common with all others and the denoised remainder.
Table fitted_pair(const Table& measured, const Table& p, const Table& q, const Interaction& remainder,
                  const RowMatrix& common, double clear) {
    const RowMatrix even = even_table(p, q);
    const RowMatrix deviations =
        even.unaryExpr([&](double share) { return std::sqrt(cell_variance(measured, share)); });
    const RowMatrix rest = denoised(remainder.shares, deviations, clear);
    const RowMatrix fitted = (even + common + clear * rest).cwiseMax(least_share * even);
    std::vector<double> cells(fitted.data(), fitted.data() + fitted.size());
    Scaling(measured.attributes, measured.sizes, {p, q}).settle(cells);
    return of_unknown_noise(measured.attributes, measured.sizes, std::move(cells), measured.people);
}

/// Subtracts all smaller marginals from a table; the remainder has zero margins.
void take_out_margins(std::vector<double>& shares, const Table& shape) {
    for (std::size_t out = 0; out < shape.attributes.size(); ++out) {
        std::vector<std::size_t> kept = shape.attributes;
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(out));
        const auto cells = cells_of(shape.attributes, shape.sizes, kept);
        std::vector<double> means(shares.size() / shape.sizes[out]);
        for (std::size_t cell = 0; cell < shares.size(); ++cell)
            means[cells[cell]] += shares[cell] / static_cast<double>(shape.sizes[out]);
        for (std::size_t cell = 0; cell < shares.size(); ++cell) shares[cell] -= means[cells[cell]];
    }
}

Table fitted_triple(const Table& measured, const std::vector<Table>& pairs) {
    const std::vector<double> plain = most_entropy(measured.attributes, measured.sizes, pairs);
    std::vector<double> beyond = measured.shares;
    for (std::size_t cell = 0; cell < plain.size(); ++cell) beyond[cell] -= plain[cell];
    take_out_margins(beyond, measured);
    double squares = 0, degrees_of_freedom = 1;
    for (const double share : beyond) squares += share * share;
    for (const std::uint64_t size : measured.sizes) degrees_of_freedom *= static_cast<double>(size - 1);
    const double kept = squares > 0 ? std::max(0.0, 1 - degrees_of_freedom * measured.variance / squares) : 0;
    std::vector<double> cells = plain;
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
        cells[cell] = std::max(cells[cell] + kept * beyond[cell], least_share * plain[cell]);
    Scaling(measured.attributes, measured.sizes, pairs).settle(cells);
    return of_unknown_noise(measured.attributes, measured.sizes, std::move(cells), measured.people);
}

}  // namespace

Fit::Fit(std::span<const Table> measured) {
    Shares shares(sizes_in(measured).size());
    const auto tell = [&](std::size_t attribute, const Table& table) {
        shares[attribute] = likely_distribution(table);
        return of_unknown_noise(table.attributes, table.sizes, shares[attribute], table.people);
    };
    for (const auto& [set, indexes] : sets_of(measured, 1))
        tables_.push_back(tell(set[0], pooled(measured, set, indexes).table));
    const std::vector<Pair> pairs = pairs_in(measured);
    std::vector<Interaction> interactions;
    std::vector<Eigen::MatrixXd> common;
    std::vector<Dependence> dependence, remainder;  // of the interactions, and of what is not common
    const auto look = [&] {
        interactions.clear();
        for (const Pair& pair : pairs) {
            const auto* set = pair.table.attributes.data();
            interactions.push_back(interaction_of(pair.table, *find({set, 1}), *find({set + 1, 1})));
        }
        common = supported_parts(pairs, interactions, shares);
        dependence = dependences(pairs, interactions, shares);
        for (std::size_t i = 0; i < pairs.size(); ++i) interactions[i].shares -= common[i];
        remainder = dependences(pairs, interactions, shares);
    };
    // The unbiased sums of pairs give a first estimate of the shares. Associations estimated from them then
    // improve the shares.
    look();
    const Shares before = shares;
    for (Table& table : tables_)
        table = tell(table.attributes[0],
                     single(table.attributes[0], measured, pairs, dependence, common, before));
    look();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        check_interrupt();
        const auto* set = pairs[i].table.attributes.data();
        tables_.push_back(fitted_pair(pairs[i].table, *find({set, 1}), *find({set + 1, 1}), interactions[i],
                                      common[i], remainder[i].clear));
    }
    const auto triples = sets_of(measured, 3);
    for (const auto& [set, indexes] : triples) {
        check_interrupt();
        tables_.push_back(fitted_triple(pooled(measured, set, indexes).table, within(set)));
    }
    if (!triples.empty()) agree();
}

/// Sets pairs to the mean of their values in the tables of three attributes, and scales these tables to the
/// pairs.
void Fit::agree() {
    constexpr std::size_t most_rounds = 1000;
    const auto triples =
        std::ranges::partition_point(tables_, [](const Table& table) { return table.attributes.size() < 3; });
    std::vector<std::vector<std::size_t>> parts;  // for each triple, the pairs in it
    std::vector<double> holders(tables_.size());
    for (auto triple = triples; triple != tables_.end(); ++triple) {
        std::vector<std::size_t>& own = parts.emplace_back();
        for (std::size_t t = 0; t < tables_.size(); ++t)
            if (tables_[t].attributes.size() == 2 &&
                std::ranges::includes(triple->attributes, tables_[t].attributes)) {
                own.push_back(t);
                ++holders[t];
            }
    }
    for (std::size_t round = 0; round < most_rounds; ++round) {
        double apart = 0;
        std::vector<std::vector<double>> means(tables_.size());
        for (std::size_t i = 0; i < parts.size(); ++i)
            for (const std::size_t t : parts[i]) {
                const Table part = summed(triples[static_cast<std::ptrdiff_t>(i)], tables_[t].attributes);
                means[t].resize(part.shares.size());
                for (std::size_t cell = 0; cell < part.shares.size(); ++cell) {
                    means[t][cell] += part.shares[cell] / holders[t];
                    apart = std::max(apart, std::abs(part.shares[cell] - tables_[t].shares[cell]));
                }
            }
        for (std::size_t t = 0; t < means.size(); ++t)
            if (holders[t] > 0) tables_[t].shares = std::move(means[t]);
        if (apart < 1e-8) break;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            Table& triple = triples[static_cast<std::ptrdiff_t>(i)];
            check_interrupt();
            std::vector<Table> margins;
            for (const std::size_t t : parts[i]) margins.push_back(tables_[t]);
            // Single attributes come last: a mean of pairs that have a margin has it, too.
            for (const std::size_t& attribute : triple.attributes) margins.push_back(*find({&attribute, 1}));
            Scaling(triple.attributes, triple.sizes, std::move(margins)).sweep(triple.shares);
        }
    }
}

const Table* Fit::find(std::span<const std::size_t> attributes) const {
    const auto found = std::ranges::find_if(
        tables_, [&](const Table& table) { return std::ranges::equal(table.attributes, attributes); });
    return found == tables_.end() ? nullptr : &*found;
}

bool Fit::holds(std::span<const std::size_t> attributes) const {
    return find(attributes) != nullptr;
}

std::vector<Table> Fit::within(std::span<const std::size_t> attributes) const {
    std::vector<Table> found;
    for (auto table = tables_.rbegin(); table != tables_.rend(); ++table)
        if (table->attributes.size() < attributes.size() &&
            std::ranges::includes(attributes, table->attributes) &&
            std::ranges::none_of(found, [&](const Table& other) {
                return std::ranges::includes(other.attributes, table->attributes);
            }))
            found.push_back(*table);
    return found;
}

Table Fit::table(std::span<const std::size_t> attributes) const {
    if (const Table* found = find(attributes)) return *found;
    std::vector<std::uint64_t> sizes;
    std::uint64_t cells = 1;
    double people = std::numeric_limits<double>::infinity();
    for (const std::size_t& attribute : attributes) {
        const Table* single = find({&attribute, 1});
        if (single == nullptr)
            raise(ErrorCode::unsupported, "no report contains attribute " + std::to_string(attribute), {},
                  "Use other attributes, or wait for more reports.");
        sizes.push_back(single->sizes[0]);
        cells = cells > most_cells ? cells : cells * sizes.back();
    }
    if (cells > most_cells)
        raise(ErrorCode::invalid_value, "the query has too many cells for a model",
              "At most " + std::to_string(most_cells) + " are supported.", "Use fewer attributes.");
    std::vector<Table> margins = within(attributes);
    for (const Table& margin : margins) people = std::min(people, margin.people);
    return of_unknown_noise(attributes, sizes, most_entropy(attributes, sizes, std::move(margins)), people);
}

}  // namespace ldp
