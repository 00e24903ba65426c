// Combination of several tables of the same attributes.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/tables/table.hpp"

namespace ldp {

/// Returns, for every cell of a table of these attributes, the index of its cell in the table of `kept`, a
/// subset in ascending order.
[[nodiscard]] std::vector<std::uint32_t> cells_of(std::span<const std::size_t> attributes,
                                                  std::span<const std::uint64_t> sizes,
                                                  std::span<const std::size_t> kept);

/// Returns a marginal of a table: the other attributes are summed out, and the variances of cells are added.
[[nodiscard]] Table summed(const Table& table, std::span<const std::size_t> kept);

/// Returns the part of a table's variance that is randomizer noise. The variance refers to even shares and
/// the target population, and includes the sampling error.
[[nodiscard]] double noise_of(const Table& table);

/// Returns the part of that noise that does not depend on the shares.
[[nodiscard]] double flat_noise_of(const Table& table);

/// Returns the variance of a cell with this expected share: noise and sampling error. A cell in which less than one
/// person is expected gets the variance of one person: its law is far from normal, with rare large values.
[[nodiscard]] double cell_variance(const Table& table, double share);

/// A combined table and the weights of the measured tables.
struct Pooled {
    Table table;  ///< shares sum to 1; people is the number with equal precision in one table
    std::vector<std::pair<std::size_t, double>> weights;  ///< by the index of the table; they sum to 1
};

/// Returns the combination of all tables that contain these attributes (ascending), weighted by precision. It
/// is unbiased, and has the smallest variance if the tables are from different people. The total is known and
/// set to 1. The weights are empty if no table contains the attributes.
[[nodiscard]] Pooled pooled(std::span<const Table> tables, std::span<const std::size_t> attributes);

/// Returns this combination from the tables with these indexes, ascending, which must be all tables that
/// contain the attributes.
[[nodiscard]] Pooled pooled(std::span<const Table> tables, std::span<const std::size_t> attributes,
                            std::span<const std::size_t> indexes);

/// Returns all sets of `count` attributes, ascending, that some table contains, with the indexes of these tables.
[[nodiscard]] std::map<std::vector<std::size_t>, std::vector<std::size_t>> sets_of(
    std::span<const Table> tables, std::size_t count);

/// Returns the number of values of each attribute, by index; 0 for attributes that no table contains.
[[nodiscard]] std::vector<std::uint64_t> sizes_in(std::span<const Table> tables);

}  // namespace ldp
