#include "core/tables/pooled.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/interrupt.hpp"

namespace ldp {

std::vector<std::uint32_t> cells_of(std::span<const std::size_t> attributes,
                                    std::span<const std::uint64_t> sizes, std::span<const std::size_t> kept) {
    std::vector<std::uint32_t> cells{0};
    std::uint32_t stride = 1;
    std::vector<std::uint32_t> strides(attributes.size());
    for (std::size_t i = attributes.size(); i-- > 0;)
        if (std::ranges::binary_search(kept, attributes[i])) {
            strides[i] = stride;
            stride *= static_cast<std::uint32_t>(sizes[i]);
        }
    Work work;
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        std::vector<std::uint32_t> finer;
        finer.reserve(cells.size() * sizes[i]);
        for (const std::uint32_t cell : cells) {
            work.done(sizes[i]);
            for (std::uint32_t value = 0; value < sizes[i]; ++value)
                finer.push_back(cell + value * strides[i]);
        }
        cells = std::move(finer);
    }
    return cells;
}

Table summed(const Table& table, std::span<const std::size_t> kept) {
    Table result;
    result.variance = table.variance;
    result.people = table.people;
    result.held = table.held;
    std::uint64_t cells = 1;
    for (std::size_t i = 0; i < table.attributes.size(); ++i) {
        if (std::ranges::binary_search(kept, table.attributes[i])) {
            result.attributes.push_back(table.attributes[i]);
            result.sizes.push_back(table.sizes[i]);
            cells *= table.sizes[i];
        } else {
            result.variance *= static_cast<double>(table.sizes[i]);
        }
    }
    result.shares.resize(cells);
    const auto to = cells_of(table.attributes, table.sizes, kept);
    for (std::size_t cell = 0; cell < to.size(); ++cell) result.shares[to[cell]] += table.shares[cell];
    return result;
}

double noise_of(const Table& table) {
    return std::max(0.0, table.variance - 1 / (static_cast<double>(table.shares.size()) * table.people));
}

double flat_noise_of(const Table& table) {
    return std::max(0.0, noise_of(table) - table.held / static_cast<double>(table.shares.size()));
}

double cell_variance(const Table& table, double share) {
    const double one = 1 / table.people + table.held;
    return flat_noise_of(table) + one * std::max(share, one);
}

Pooled pooled(std::span<const Table> tables, std::span<const std::size_t> attributes) {
    std::vector<std::size_t> indexes;
    for (std::size_t t = 0; t < tables.size(); ++t)
        if (std::ranges::includes(tables[t].attributes, attributes)) indexes.push_back(t);
    return pooled(tables, attributes, indexes);
}

Pooled pooled(std::span<const Table> tables, std::span<const std::size_t> attributes,
              std::span<const std::size_t> indexes) {
    Pooled all;
    double precision = 0, repeats = 0, held = 0;
    for (const std::size_t t : indexes) {
        Table part = summed(tables[t], attributes);
        const double excess = (std::accumulate(part.shares.begin(), part.shares.end(), 0.0) - 1) /
                              static_cast<double>(part.shares.size());
        const double weight = 1 / part.variance;
        if (all.weights.empty()) {
            all.table = part;
            std::ranges::fill(all.table.shares, 0);
        }
        for (std::size_t cell = 0; cell < part.shares.size(); ++cell)
            all.table.shares[cell] += weight * (part.shares[cell] - excess);
        precision += weight;
        repeats += weight * weight / part.people;
        held += weight * weight * part.held;
        all.weights.emplace_back(t, weight);
    }
    if (all.weights.empty()) return all;
    for (double& share : all.table.shares) share /= precision;
    for (auto& [number, weight] : all.weights) weight /= precision;
    all.table.variance = 1 / precision;
    all.table.people = precision * precision / repeats;
    all.table.held = held / (precision * precision);
    return all;
}

std::map<std::vector<std::size_t>, std::vector<std::size_t>> sets_of(std::span<const Table> tables,
                                                                     std::size_t count) {
    std::map<std::vector<std::size_t>, std::vector<std::size_t>> sets;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const Table& table = tables[t];
        const std::size_t all = table.attributes.size();
        if (all < count) continue;
        std::vector<bool> chosen(all);
        std::fill_n(chosen.begin(), count, true);
        do {
            std::vector<std::size_t> set;
            for (std::size_t i = 0; i < all; ++i)
                if (chosen[i]) set.push_back(table.attributes[i]);
            sets[std::move(set)].push_back(t);
        } while (std::prev_permutation(chosen.begin(), chosen.end()));
    }
    return sets;
}

std::vector<std::uint64_t> sizes_in(std::span<const Table> tables) {
    std::vector<std::uint64_t> sizes;
    for (const Table& table : tables)
        for (std::size_t i = 0; i < table.attributes.size(); ++i) {
            if (sizes.size() <= table.attributes[i]) sizes.resize(table.attributes[i] + 1);
            sizes[table.attributes[i]] = table.sizes[i];
        }
    return sizes;
}

}  // namespace ldp
