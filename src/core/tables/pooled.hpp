// What several tables say of the same attributes.
#pragma once

#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/tables/table.hpp"

namespace ldp {

/// Of every cell of a table of these attributes, which cell of the table of `kept`, some of them in ascending
/// order, it belongs to.
[[nodiscard]] std::vector<std::uint32_t> cells_of(std::span<const std::size_t> attributes,
                                                  std::span<const std::uint64_t> sizes,
                                                  std::span<const std::size_t> kept);

/// The table of some of a table's attributes, the others summed out: variances of cells add up.
[[nodiscard]] Table summed(const Table& table, std::span<const std::size_t> kept);

/// What of a table's variance is the randomizers' noise: the variance is that against a population of even
/// shares, which sampling has a part in.
[[nodiscard]] double noise_of(const Table& table);

/// What of that is the same in all cells, however frequent they are.
[[nodiscard]] double flat_noise_of(const Table& table);

/// A table, and how much each measured one had a say in it.
struct Pooled {
    Table table;  ///< shares sum to 1; people is what as many drawn for this table alone would tell
    std::vector<std::pair<std::size_t, double>> weights;  ///< tables by number; they sum to 1
};

/// All tables that hold these attributes (ascending), combined by their precision: unbiased, and the least
/// variance where tables are of different people. The total, which is known, is set to 1. There are no
/// weights if no table holds them.
[[nodiscard]] Pooled pooled(std::span<const Table> tables, std::span<const std::size_t> attributes);

/// All sets of so many attributes, ascending, that some table holds.
[[nodiscard]] std::set<std::vector<std::size_t>> sets_of(std::span<const Table> tables, std::size_t count);

/// How many values each attribute has that some table holds, by number; 0 for those that none does.
[[nodiscard]] std::vector<std::uint64_t> sizes_in(std::span<const Table> tables);

}  // namespace ldp
