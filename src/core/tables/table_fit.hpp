// Tables that could be those of people: no share is negative, they sum to 1, and what two tables share, they
// agree on. Biased, and nearer to the truth than unbiased ones wherever noise is not small.
#pragma once

#include <span>
#include <vector>

#include "core/tables/table.hpp"

namespace ldp {

/// One table for each attribute, and for each two and three that some measured table holds, of noise that is
/// not known (variance NaN). Fitted from small to large:
///   one attribute   the nearest distribution to its shares, or of many values the likely one
///                   (empirical_bayes.hpp), where pairs tell the more of an attribute the nearer they are to
///                   independent (pairs.hpp);
///   two             their product, what their interaction has in common with all others (pairs.hpp), and as
///                   much of the rest as is not noise: each of its singular values is shrunk as is best for
///                   its size (Gavish, Donoho 2017), and all of them by how clear the dependence is among all
///                   pairs (pairs.hpp);
///   three           the table of most entropy that has the fitted pairs, and of the interaction of all three
///                   the part that is not noise (James, Stein 1961);
/// each then scaled until no share is negative and it has the tables below it. Pairs that no table of three
/// attributes has together are met half-way, until all tables agree.
class Fit {
  public:
    /// Tables of more than three attributes are taken apart.
    explicit Fit(std::span<const Table> measured);
    /// Of tables that are fitted already, by the number of attributes and then by these, and agree.
    [[nodiscard]] static Fit of_fitted(std::vector<Table> tables) {
        Fit fit;
        fit.tables_ = std::move(tables);
        return fit;
    }

    /// Of any attributes, ascending. What no fitted table holds follows from those within the question as the
    /// one of most entropy that has them: attributes hang together as far as was measured, and no further.
    /// Throws Error: unsupported if nothing tells of an attribute, invalid_value above most_cells.
    [[nodiscard]] Table table(std::span<const std::size_t> attributes) const;
    /// Whether a measured table holds all of them, ascending, so that no model takes part in the answer.
    [[nodiscard]] bool holds(std::span<const std::size_t> attributes) const;
    /// The fitted tables within these attributes that no other one of them holds whole.
    [[nodiscard]] std::vector<Table> within(std::span<const std::size_t> attributes) const;

    [[nodiscard]] const std::vector<Table>& tables() const noexcept { return tables_; }

    /// Of a question.
    static constexpr std::uint64_t most_cells = std::uint64_t{1} << 20;

  private:
    Fit() = default;
    [[nodiscard]] const Table* find(std::span<const std::size_t> attributes) const;
    void agree();

    std::vector<Table> tables_;  ///< by the number of attributes, then by these
};

}  // namespace ldp
