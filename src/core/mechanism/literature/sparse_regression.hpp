// Least squares for binary designs, which estimate shares of values from the bits of Bloom filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ldp {

/// A binary matrix X in blocks with the same number of rows. Every column has the same number of ones in
/// every block and is stored as their positions.
///
/// In a centered design, each column is reduced by its mean. This is equivalent to an additional column of
/// ones in every block: the regression ignores the sum of a block, and effects that are spread evenly over
/// the rows.
class BlockDesign {
  public:
    BlockDesign(std::size_t blocks, std::size_t rows, std::size_t ones, bool centred) noexcept
        : blocks_(blocks), rows_(rows), ones_(ones), centred_(centred) {}

    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
    [[nodiscard]] bool centred() const noexcept { return centred_; }
    [[nodiscard]] std::size_t height() const noexcept { return blocks_ * rows_; }
    [[nodiscard]] std::size_t columns() const noexcept { return places_.size() / column_ones(); }
    /// Returns the number of ones of a column, which is the same for all.
    [[nodiscard]] std::size_t column_ones() const noexcept { return blocks_ * ones_; }
    /// Returns the constant that is subtracted from every entry.
    [[nodiscard]] double offset() const noexcept {
        return centred_ ? static_cast<double>(ones_) / static_cast<double>(rows_) : 0;
    }
    /// Returns the squared norm of a column, which is the same for all.
    [[nodiscard]] double norm() const noexcept { return static_cast<double>(column_ones()) * (1 - offset()); }

    void reserve(std::size_t columns) { places_.reserve(columns * column_ones()); }
    /// Appends a column, block after block, as the positions of its ones within each.
    void append(std::span<const std::uint16_t> places) {
        places_.insert(places_.end(), places.begin(), places.end());
    }

    /// Calls visit(first, places) for every block of a column: its first row, and the positions of the ones from there on.
    /// Rows are numbered over all blocks.
    template <class Visit>
    void for_each_block(std::size_t column, Visit visit) const {
        const std::span places = std::span(places_).subspan(column * column_ones(), column_ones());
        for (std::size_t block = 0; block < blocks_; ++block)
            visit(block * rows_, places.subspan(block * ones_, ones_));
    }
    /// Calls visit(row) for every one of a column.
    template <class Visit>
    void for_each_one(std::size_t column, Visit visit) const {
        for_each_block(column, [&](std::size_t first, std::span<const std::uint16_t> places) {
            for (const std::uint16_t place : places) visit(first + place);
        });
    }

    /// y += factor · column, without the offset.
    void add(std::vector<double>& y, std::size_t column, double factor) const;
    /// Returns Xᵀy.
    [[nodiscard]] std::vector<double> project(const std::vector<double>& y) const;
    /// Returns the entries of Xᵀy for some columns.
    [[nodiscard]] std::vector<double> project(const std::vector<double>& y,
                                              std::span<const std::size_t> columns) const;

  private:
    [[nodiscard]] double dot(const std::vector<double>& y, std::size_t column) const;

    std::size_t blocks_, rows_, ones_;
    bool centred_;
    std::vector<std::uint16_t> places_;
};

/// Ordinary least squares: β = (XᵀX)⁻¹Xᵀy. Dense: the run time is cubic in the number of columns. All
/// functions except solve() can be interrupted.
class LeastSquares {
  public:
    /// Returns the solver; empty if the columns are linearly dependent up to rounding.
    [[nodiscard]] static std::optional<LeastSquares> of(BlockDesign design);

    [[nodiscard]] std::vector<double> solve(const std::vector<double>& y) const;
    /// Returns row u of (XᵀX)⁻¹Xᵀ: the weight of each entry of y in β_u.
    [[nodiscard]] std::vector<double> weights(std::size_t u) const;
    /// Returns the u-th diagonal entry of (XᵀX)⁻¹: the variance of β_u per variance of an entry of y.
    [[nodiscard]] double leverage(std::size_t u) const noexcept { return inverse_[u * (size() + 1)]; }
    /// Returns, for each column v, the mean over the blocks j of (c·(XᵀX)⁻¹XⱼᵀXⱼ)²_uv. This is the mean
    /// square of the term of one unit of v in β_u if it is observed in one random block and weighted by c.
    [[nodiscard]] std::vector<double> mean_square(std::size_t u) const;
    /// Returns the residual variance of an entry of y; there must be more rows than columns.
    [[nodiscard]] double residual_variance(std::vector<double> y, const std::vector<double>& beta) const;

  private:
    LeastSquares(BlockDesign design, std::vector<double> inverse)
        : design_(std::move(design)), inverse_(std::move(inverse)) {}
    [[nodiscard]] std::size_t size() const noexcept { return design_.columns(); }

    BlockDesign design_;
    std::vector<double> inverse_;
};

struct Term {
    std::size_t column;
    double coefficient;  ///< positive
};

/// Minimizes ½|y − Xβ|² + penalty·Σβ over β ≥ 0 by active sets (Lawson, Hanson 1974). Columns enter one after
/// another, the one with the largest slope first, until no slope exceeds `entry` ≥ penalty, or `most` columns
/// are active. Returns the active columns. This is least squares if both are 0 and the lasso (Tibshirani
/// 1996) if both are equal. With `entry` alone, it is least squares that stops when only noise remains.
/// Columns that depend linearly on active ones are skipped.
[[nodiscard]] std::vector<Term> non_negative(const BlockDesign& design, const std::vector<double>& y,
                                             double entry, double penalty, std::size_t most);

}  // namespace ldp
