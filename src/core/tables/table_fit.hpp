// Fitted marginals: non-negative, sum to 1, and mutually consistent. They are biased, and have a smaller
// error than unbiased estimates unless noise is small.
#pragma once

#include <span>
#include <vector>

#include "core/tables/table.hpp"

namespace ldp {

/// One table for each attribute, and for each pair and triple that some measured table contains. Their errors
/// are unknown (variance NaN). They are fitted from small to large:
/// - One attribute: the distribution nearest to its shares, or, for many values or much noise, the empirical
/// Bayes estimate (empirical_bayes.hpp). The weaker the association of a pair, the more weight its table
/// receives in the estimate of each attribute's marginal (pairs.hpp).
/// - Two: the product of the marginals, the low-rank part that all interactions share, where other pairs
/// support it (common_parts.hpp), and the denoised remainder. Its singular values are shrunk optimally (Gavish,
/// Donoho 2017), and further according to the dependence among all pairs (pairs.hpp).
/// - Three: the table of maximum entropy with the fitted pairs, plus the denoised interaction of all three
/// (James, Stein 1961).
/// Each table is then scaled until it is non-negative and consistent with the smaller ones. Pairs that no
/// table of three attributes can have together are averaged until all tables agree.
class Fit {
  public:
    /// Tables of more than three attributes are decomposed into their marginals.
    explicit Fit(std::span<const Table> measured);
    /// Returns the fit of consistent, fitted tables, sorted by the number of attributes and then by the
    /// attributes.
    [[nodiscard]] static Fit of_fitted(std::vector<Table> tables) {
        Fit fit;
        fit.tables_ = std::move(tables);
        return fit;
    }

    /// Returns the table of any attributes (ascending). If no fitted table contains them, it is the table of
    /// maximum entropy with the fitted tables of its subsets. Error: unsupported if an attribute has no
    /// reports, invalid_value above most_cells.
    [[nodiscard]] Table table(std::span<const std::size_t> attributes) const;
    /// Returns whether a measured table contains all attributes (ascending), so that no model is needed.
    [[nodiscard]] bool holds(std::span<const std::size_t> attributes) const;
    /// Returns the maximal fitted tables within these attributes.
    [[nodiscard]] std::vector<Table> within(std::span<const std::size_t> attributes) const;

    [[nodiscard]] const std::vector<Table>& tables() const noexcept { return tables_; }

    /// Maximum number of cells of a requested table.
    static constexpr std::uint64_t most_cells = std::uint64_t{1} << 20;

  private:
    Fit() = default;
    [[nodiscard]] const Table* find(std::span<const std::size_t> attributes) const;
    void agree();

    std::vector<Table> tables_;  ///< by the number of attributes, then by the attributes
};

}  // namespace ldp
