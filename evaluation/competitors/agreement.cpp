#include "agreement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace evaluation {

namespace {

/// The nearest distribution: one amount is subtracted from all, what would be negative becomes 0. Returns how
/// far the farthest cell moved.
double project(std::vector<double>& shares) {
    std::vector<double> sorted = shares;
    std::ranges::sort(sorted, std::greater<>());
    double sum = 0, subtracted = 0;
    for (std::size_t kept = 1; kept <= sorted.size(); ++kept) {
        sum += sorted[kept - 1];
        const double amount = (sum - 1) / static_cast<double>(kept);
        if (amount >= sorted[kept - 1]) break;
        subtracted = amount;
    }
    double farthest = 0;
    for (double& share : shares) {
        const double before = share;
        share = std::max(0.0, share - subtracted);
        farthest = std::max(farthest, std::abs(share - before));
    }
    return farthest;
}

/// Which slice of an attribute each cell of a table is in.
std::vector<std::size_t> slices_of(const ldp::Table& table, std::size_t position, std::size_t slices) {
    std::size_t stride = 1;
    for (std::size_t p = position + 1; p < table.sizes.size(); ++p) stride *= table.sizes[p];
    std::vector<std::size_t> all(table.shares.size());
    for (std::size_t cell = 0; cell < all.size(); ++cell)
        all[cell] = cell / stride % table.sizes[position] * slices / table.sizes[position];
    return all;
}

/// A table that has an attribute, cut into its slices.
struct Cut {
    ldp::Table* table;
    std::vector<std::size_t> slice;  ///< of each cell
    double cells;                    ///< in a slice
};

void agree_on(const std::vector<Cut>& cuts, std::size_t slices) {
    std::vector<std::vector<double>> sums;
    std::vector<double> mean(slices);
    double precision = 0;
    for (const Cut& cut : cuts) {
        std::vector<double>& sum = sums.emplace_back(slices);
        for (std::size_t cell = 0; cell < cut.slice.size(); ++cell)
            sum[cut.slice[cell]] += cut.table->shares[cell];
        const double weight = 1 / (cut.cells * cut.table->variance);
        precision += weight;
        for (std::size_t s = 0; s < slices; ++s) mean[s] += weight * sum[s];
    }
    for (std::size_t c = 0; c < cuts.size(); ++c)
        for (std::size_t cell = 0; cell < cuts[c].slice.size(); ++cell) {
            const std::size_t s = cuts[c].slice[cell];
            cuts[c].table->shares[cell] += (mean[s] / precision - sums[c][s]) / cuts[c].cells;
        }
}

}  // namespace

void make_agree(std::vector<ldp::Table>& tables, std::span<const std::size_t> slices) {
    constexpr std::size_t most_rounds = 100;
    constexpr double settled = 1e-7;
    std::vector<std::vector<Cut>> cuts(slices.size());
    for (ldp::Table& table : tables) {
        project(table.shares);
        for (std::size_t p = 0; p < table.attributes.size(); ++p) {
            const std::size_t a = table.attributes[p];
            cuts[a].push_back({&table, slices_of(table, p, slices[a]),
                               static_cast<double>(table.shares.size()) / static_cast<double>(slices[a])});
        }
    }
    for (std::size_t round = 0; round < most_rounds; ++round) {
        for (std::size_t a = 0; a < slices.size(); ++a) agree_on(cuts[a], slices[a]);
        double farthest = 0;
        for (ldp::Table& table : tables) farthest = std::max(farthest, project(table.shares));
        if (farthest < settled) break;
    }
}

std::vector<double> maximum_entropy(std::span<const std::size_t> attributes,
                                    std::span<const std::size_t> sizes,
                                    const std::vector<const ldp::Table*>& tables) {
    constexpr std::size_t most_rounds = 100;
    constexpr double settled = 1e-5;
    std::size_t cells = 1;
    for (const std::size_t size : sizes) cells *= size;
    // Of each table the place of every cell of the whole.
    std::vector<std::vector<std::size_t>> places;
    for (const ldp::Table* table : tables) {
        std::vector<std::size_t>& place = places.emplace_back(cells);
        for (std::size_t cell = 0; cell < cells; ++cell) {
            std::size_t rest = cell, stride = 1;
            for (std::size_t p = table->attributes.size(), q = attributes.size(); q-- > 0;) {
                if (p > 0 && table->attributes[p - 1] == attributes[q]) {
                    place[cell] += rest % sizes[q] * stride;
                    stride *= sizes[q];
                    --p;
                }
                rest /= sizes[q];
            }
        }
    }
    std::vector<double> whole(cells, 1 / static_cast<double>(cells)), factors;
    for (std::size_t round = 0; round < most_rounds; ++round) {
        double off = 0;
        for (std::size_t t = 0; t < tables.size(); ++t) {
            factors.assign(tables[t]->shares.size(), 0);
            for (std::size_t cell = 0; cell < cells; ++cell) factors[places[t][cell]] += whole[cell];
            for (std::size_t i = 0; i < factors.size(); ++i) {
                const double wanted = tables[t]->shares[i];
                off += std::abs(wanted - factors[i]);
                factors[i] = factors[i] > 0 ? wanted / factors[i] : 0;
            }
            for (std::size_t cell = 0; cell < cells; ++cell) whole[cell] *= factors[places[t][cell]];
        }
        if (off < settled) break;
    }
    return whole;
}

}  // namespace evaluation
