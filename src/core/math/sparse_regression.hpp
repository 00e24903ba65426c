// Least squares on designs of zeros and ones: what turns the bits of Bloom filters into shares of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ldp {

/// A matrix X of zeros and ones in blocks of equally many rows, one above another. Every column has the same
/// number of ones in every block, and is held as their places.
///
/// A centred design has each column less its mean. That is the same as a further column of ones in every
/// block: the regression then knows nothing of a block's sum, and what spreads evenly over the rows has no
/// part in it.
class BlockDesign {
  public:
    BlockDesign(std::size_t blocks, std::size_t rows, std::size_t ones, bool centred) noexcept
        : blocks_(blocks), rows_(rows), ones_(ones), centred_(centred) {}

    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
    [[nodiscard]] bool centred() const noexcept { return centred_; }
    [[nodiscard]] std::size_t height() const noexcept { return blocks_ * rows_; }
    [[nodiscard]] std::size_t columns() const noexcept { return places_.size() / column_ones(); }
    /// The ones of a column, the same for all.
    [[nodiscard]] std::size_t column_ones() const noexcept { return blocks_ * ones_; }
    /// What is taken off every entry.
    [[nodiscard]] double offset() const noexcept {
        return centred_ ? static_cast<double>(ones_) / static_cast<double>(rows_) : 0;
    }
    /// The square of a column's length, the same for all.
    [[nodiscard]] double norm() const noexcept { return static_cast<double>(column_ones()) * (1 - offset()); }

    void reserve(std::size_t columns) { places_.reserve(columns * column_ones()); }
    /// Appends a column, block after block: the places of its ones within each.
    void append(std::span<const std::uint16_t> places) {
        places_.insert(places_.end(), places.begin(), places.end());
    }

    /// Calls visit(block, row) for every one of a column; rows count through all blocks.
    template <class Visit>
    void for_each_one(std::size_t column, Visit visit) const {
        const std::uint16_t* place = places_.data() + column * column_ones();
        for (std::size_t block = 0; block < blocks_; ++block)
            for (std::size_t i = 0; i < ones_; ++i) visit(block, block * rows_ + *place++);
    }

    /// y += factor · column, but for the offset.
    void add(std::vector<double>& y, std::size_t column, double factor) const;
    /// Xᵀy.
    [[nodiscard]] std::vector<double> project(const std::vector<double>& y) const;
    /// Its entries for some columns.
    [[nodiscard]] std::vector<double> project(const std::vector<double>& y,
                                              std::span<const std::size_t> columns) const;

  private:
    [[nodiscard]] double dot(const std::vector<double>& y, std::size_t column) const;

    std::size_t blocks_, rows_, ones_;
    bool centred_;
    std::vector<std::uint16_t> places_;
};

/// Ordinary least squares: β = (XᵀX)⁻¹Xᵀy. Dense: time grows with the third power of the number of columns.
/// All but solve() can be interrupted.
class LeastSquares {
  public:
    /// Nothing if the columns depend on one another, up to rounding.
    [[nodiscard]] static std::optional<LeastSquares> of(BlockDesign design);

    [[nodiscard]] std::vector<double> solve(const std::vector<double>& y) const;
    /// Row u of (XᵀX)⁻¹Xᵀ: what each entry of y counts for in β_u.
    [[nodiscard]] std::vector<double> weights(std::size_t u) const;
    /// The u-th diagonal entry of (XᵀX)⁻¹: the variance of β_u per variance of an entry of y.
    [[nodiscard]] double leverage(std::size_t u) const noexcept { return inverse_[u * (size() + 1)]; }
    /// For each column v, the mean over the blocks j of (c·(XᵀX)⁻¹XⱼᵀXⱼ)²_uv: the mean square of what a unit
    /// of v adds to β_u when it is seen in one block, drawn at random, as if in all c.
    [[nodiscard]] std::vector<double> mean_square(std::size_t u) const;
    /// The variance of an entry of y as its distances from Xβ show it; there must be more rows than columns.
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

/// Minimises ½|y − Xβ|² + penalty·Σβ over β ≥ 0 by active sets (Lawson, Hanson 1974): one column after
/// another may differ from 0, the steepest first, until none is steeper than `entry` ≥ penalty, or `most`
/// columns do. Returns those. Least squares if both are 0; lasso (Tibshirani 1996) if both are equal; with an
/// entry alone, least squares that stop where only noise would be left to explain. Of columns that depend on
/// those before them the first stands for all.
[[nodiscard]] std::vector<Term> non_negative(const BlockDesign& design, const std::vector<double>& y,
                                             double entry, double penalty, std::size_t most);

}  // namespace ldp
