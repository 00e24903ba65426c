// Measured cross tables without reports: of a known population, with the noise that tables say they have.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "../support/seeded_words.hpp"
#include "core/tables/pooled.hpp"

namespace ldp::test {

/// A whole population: the share of every cell of all its attributes.
inline Table population(std::vector<std::uint64_t> sizes,
                        const std::function<double(const std::vector<std::size_t>&)>& weight) {
    Table all;
    all.sizes = std::move(sizes);
    all.attributes.resize(all.sizes.size());
    std::iota(all.attributes.begin(), all.attributes.end(), std::size_t{0});
    std::vector<std::size_t> values(all.sizes.size());
    for (;;) {
        all.shares.push_back(weight(values));
        std::size_t at = values.size();
        while (at > 0 && ++values[at - 1] == all.sizes[at - 1]) values[--at] = 0;
        if (at == 0) break;
    }
    const double sum = std::accumulate(all.shares.begin(), all.shares.end(), 0.0);
    for (double& share : all.shares) share /= sum;
    return all;
}

/// Attributes that each depend on the next one, and through it alone on the following ones.
inline Table chain(std::vector<std::uint64_t> sizes, double strength) {
    return population(std::move(sizes), [=](const std::vector<std::size_t>& v) {
        double weight = 1;
        for (std::size_t i = 0; i < v.size(); ++i) {
            weight /= 1 + static_cast<double>(v[i]);
            if (i > 0)
                weight *=
                    std::exp(-strength * std::abs(static_cast<double>(v[i]) - static_cast<double>(v[i - 1])));
        }
        return weight;
    });
}

/// Reports of this number of people drawn from it about some of its attributes, if each cell's noise has
/// this variance.
inline Table measured(const Table& all, const std::vector<std::size_t>& attributes, std::uint64_t people,
                      double noise, BitSource& bits) {
    Table table = summed(all, attributes);
    const auto uniform = [&] { return (static_cast<double>(bits.word() >> 11) + 0.5) / 0x1p53; };
    std::vector<double> sums(table.shares.size());
    std::partial_sum(table.shares.begin(), table.shares.end(), sums.begin());
    std::vector<double> found(sums.size());
    for (std::uint64_t i = 0; i < people; ++i) {
        const auto cell = std::ranges::upper_bound(sums, uniform() * sums.back()) - sums.begin();
        found[std::min<std::size_t>(static_cast<std::size_t>(cell), found.size() - 1)] +=
            1 / static_cast<double>(people);
    }
    // Box and Muller's normal numbers.
    for (double& share : found)
        share += std::sqrt(-2 * noise * std::log(uniform())) * std::cos(2 * std::acos(-1.0) * uniform());
    table.shares = std::move(found);
    table.people = static_cast<double>(people);
    table.variance = noise + 1 / (static_cast<double>(table.shares.size()) * table.people);
    return table;
}

/// All pairs of this number of attributes.
inline std::vector<std::vector<std::size_t>> all_pairs(std::size_t attributes) {
    std::vector<std::vector<std::size_t>> pairs;
    for (std::size_t a = 0; a < attributes; ++a)
        for (std::size_t b = a + 1; b < attributes; ++b) pairs.push_back({a, b});
    return pairs;
}

inline std::vector<Table> measured(const Table& all, const std::vector<std::vector<std::size_t>>& views,
                                   std::uint64_t people, double noise, BitSource& bits) {
    std::vector<Table> tables;
    for (const auto& view : views) tables.push_back(measured(all, view, people, noise, bits));
    return tables;
}

/// Half the sum of the absolute differences of shares.
inline double variation(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]) / 2;
    return sum;
}

}  // namespace ldp::test
