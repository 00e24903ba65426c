// Tables that could be those of people: no share is negative, they sum to 1, and what two tables share, they
// agree on. Biased, and nearer to the truth than unbiased ones wherever noise is not small.
#pragma once

#include <span>
#include <vector>

#include "core/joint/table.hpp"

namespace ldp {

/// Cells of a table that a question may ask a model for.
inline constexpr std::uint64_t most_modelled_cells = std::uint64_t{1} << 20;

/// One table for each set of attributes that was measured, and one for each attribute and each pair within
/// them. Fitted from below:
///   one attribute   the nearest distribution to its pooled shares;
///   two             their product, and as much of their interaction as is not noise: of the pooled table's
///                   interaction each singular value is shrunk as is best for its size (Gavish, Donoho 2017);
///   three           the table of most entropy that has the fitted pairs, and of what else was measured the
///                   part that is not noise (James, Stein 1961);
/// each then scaled until no share is negative and it has the margins below it. Tables of three that leave a
/// pair in between different ones are scaled until they agree.
class Fit {
  public:
    explicit Fit(std::span<const Table> tables);

    /// Of attributes (ascending) that some table holds; variance is NaN. Throws Error (unsupported) if none
    /// does.
    [[nodiscard]] Table table(std::span<const std::size_t> attributes) const;
    /// Of any attributes: what no table holds follows from the fitted tables within the question, as the one
    /// of most entropy among the tables that have them; so attributes hang together only as far as was
    /// measured. Throws Error: unsupported if an attribute was not measured, invalid_value above
    /// most_modelled_cells.
    [[nodiscard]] Table modelled(std::span<const std::size_t> attributes) const;
    /// All tables, from small to large.
    [[nodiscard]] const std::vector<Table>& tables() const noexcept { return tables_; }

  private:
    [[nodiscard]] const Table* find(std::span<const std::size_t> attributes) const;
    void fit_triples(std::span<const Table> measured);

    std::vector<Table> tables_;
};

/// The tables to scale to, of attributes in ascending order: those that no other one of them holds whole.
[[nodiscard]] std::vector<Table> largest_within(std::span<const Table> tables,
                                                std::span<const std::size_t> attributes);

}  // namespace ldp
