#include "core/mechanism/literature/sparse_regression.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/interrupt.hpp"

namespace ldp {

// Products with a design -----------------------------------------------------------------------------------

void BlockDesign::add(std::vector<double>& y, std::size_t column, double factor) const {
    for_each_one(column, [&](std::size_t row) { y[row] += factor; });
}

double BlockDesign::dot(const std::vector<double>& y, std::size_t column) const {
    double sum = 0;
    for_each_one(column, [&](std::size_t row) { sum += y[row]; });
    return sum;
}

std::vector<double> BlockDesign::project(const std::vector<double>& y,
                                         std::span<const std::size_t> columns) const {
    const double off = centred_ ? offset() * std::accumulate(y.begin(), y.end(), 0.0) : 0;
    std::vector<double> products(columns.size());
    Work work;
    std::ranges::transform(columns, products.begin(), [&](std::size_t column) {
        work.done(column_ones());
        return dot(y, column) - off;
    });
    return products;
}

std::vector<double> BlockDesign::project(const std::vector<double>& y) const {
    std::vector<std::size_t> all(columns());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return project(y, all);
}

namespace {

/// Returns column u of a design.
std::vector<double> column_of(const BlockDesign& design, std::size_t u) {
    std::vector<double> dense(design.height());
    design.add(dense, u, 1);
    return dense;
}

}  // namespace

// Ordinary least squares -----------------------------------------------------------------------------------

namespace {

/// Number of columns between two interrupt checks: a few milliseconds for a few thousand columns.
constexpr Eigen::Index strip_width = 32;

/// Returns the lower part of XᵀX.
Eigen::MatrixXd gram_of(const BlockDesign& design) {
    const std::size_t k = design.columns();
    Eigen::MatrixXd gram(k, k);
    std::vector<std::size_t> rest(k);
    std::iota(rest.begin(), rest.end(), std::size_t{0});
    for (std::size_t u = 0; u < k; ++u) {
        const std::vector<double> products = design.project(column_of(design, u), std::span(rest).subspan(u));
        std::ranges::copy(products, &gram(static_cast<Eigen::Index>(u), static_cast<Eigen::Index>(u)));
    }
    return gram;
}

/// Replaces the lower part of a symmetric matrix by its Cholesky factor, strip by strip. Returns false if it
/// is not positive definite.
bool factorise(Eigen::MatrixXd& matrix) {
    const Eigen::Index size = matrix.rows();
    for (Eigen::Index from = 0; from < size; from += strip_width) {
        check_interrupt();
        const Eigen::Index width = std::min(strip_width, size - from), left = size - from - width;
        Eigen::Ref<Eigen::MatrixXd> diagonal = matrix.block(from, from, width, width);
        const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(diagonal);  // in place
        if (factor.info() != Eigen::Success) return false;
        if (left == 0) break;
        auto below = matrix.block(from + width, from, left, width);
        diagonal.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
        matrix.bottomRightCorner(left, left).selfadjointView<Eigen::Lower>().rankUpdate(below, -1);
    }
    return true;
}

/// Returns the inverse of LLᵀ, column by column.
std::vector<double> inverse_of(const Eigen::MatrixXd& factor) {
    const Eigen::Index size = factor.rows();
    std::vector<double> all(static_cast<std::size_t>(size * size));
    auto inverse = Eigen::MatrixXd::Map(all.data(), size, size);
    for (Eigen::Index from = 0; from < size; from += strip_width) {
        check_interrupt();
        const Eigen::Index width = std::min(strip_width, size - from), left = size - from;
        auto columns = inverse.middleCols(from, width);
        columns.block(from, 0, width, width).setIdentity();
        auto lower = columns.bottomRows(left);  // L⁻¹ is zero above
        factor.bottomRightCorner(left, left).triangularView<Eigen::Lower>().solveInPlace(lower);
        check_interrupt();
        factor.triangularView<Eigen::Lower>().transpose().solveInPlace(columns);
    }
    return all;
}

}  // namespace

std::optional<LeastSquares> LeastSquares::of(BlockDesign design) {
    // Rounding errors of a singular matrix of a few thousand rows are below this value, and estimates at this
    // condition number would be unusable.
    constexpr double singular = 1e-11;
    Eigen::MatrixXd gram = gram_of(design);
    const double norm = gram.selfadjointView<Eigen::Lower>().toDenseMatrix().colwise().lpNorm<1>().maxCoeff();
    if (!factorise(gram)) return std::nullopt;
    std::vector<double> inverse = inverse_of(gram);
    const double inverse_norm =
        Eigen::MatrixXd::Map(inverse.data(), gram.rows(), gram.rows()).colwise().lpNorm<1>().maxCoeff();
    if (!(norm * inverse_norm * singular < 1)) return std::nullopt;
    return LeastSquares(std::move(design), std::move(inverse));
}

std::vector<double> LeastSquares::solve(const std::vector<double>& y) const {
    const std::vector<double> products = design_.project(y);
    std::vector<double> solution(size());
    for (std::size_t u = 0; u < size(); ++u)
        solution[u] = std::inner_product(products.begin(), products.end(), inverse_.data() + u * size(), 0.0);
    return solution;
}

std::vector<double> LeastSquares::weights(std::size_t u) const {
    const double* inverse = inverse_.data() + u * size();
    std::vector<double> row(design_.height(),
                            -design_.offset() * std::accumulate(inverse, inverse + size(), 0.0));
    const std::size_t ones = design_.column_ones();
    Work work;
    for (std::size_t v = 0; v < size(); ++v, work.done(ones)) design_.add(row, v, inverse[v]);
    return row;
}

std::vector<double> LeastSquares::mean_square(std::size_t u) const {
    // Computes products of the weights with each block of each column. The offset of the columns adds
    // nothing, since the weights add up to 0 within a block of a centred design.
    const std::vector<double> row = weights(u);
    const std::size_t ones = design_.column_ones();
    Work work;
    std::vector<double> squares(size());
    for (std::size_t v = 0; v < size(); ++v, work.done(ones))
        design_.for_each_block(v, [&](std::size_t first, std::span<const std::uint16_t> places) {
            double product = 0;
            for (const std::uint16_t place : places) product += row[first + place];
            squares[v] += product * product * static_cast<double>(design_.blocks());
        });
    return squares;
}

double LeastSquares::residual_variance(std::vector<double> y, const std::vector<double>& beta) const {
    Work work;
    for (std::size_t v = 0; v < size(); ++v, work.done(design_.column_ones())) design_.add(y, v, -beta[v]);
    double squares = std::inner_product(y.begin(), y.end(), y.begin(), 0.0);
    std::size_t degrees_of_freedom = y.size() - size();
    if (design_.centred()) {  // a column of ones in every block removes its sum
        const std::size_t rows = y.size() / design_.blocks();
        for (auto block = y.begin(); block != y.end(); block += static_cast<std::ptrdiff_t>(rows)) {
            const double sum = std::accumulate(block, block + static_cast<std::ptrdiff_t>(rows), 0.0);
            squares -= sum * sum / static_cast<double>(rows);
        }
        degrees_of_freedom -= design_.blocks();
    }
    return squares / static_cast<double>(degrees_of_freedom);
}

// Non-negative least squares -------------------------------------------------------------------------------

namespace {

/// The active columns, and the Cholesky factor L of their XᵀX, row after row.
class ActiveSet {
  public:
    ActiveSet(const BlockDesign& design, const std::vector<double>& y, double penalty)
        : design_(design), y_(y), penalty_(penalty) {}

    [[nodiscard]] const std::vector<Term>& terms() const noexcept { return terms_; }
    /// Returns y − Xβ without the offset.
    [[nodiscard]] std::vector<double> residual() const {
        std::vector<double> rest = y_;
        Work work;
        for (const Term& term : terms_) {
            design_.add(rest, term.column, -term.coefficient);
            work.done(design_.column_ones());
        }
        return rest;
    }

    /// Adds a column and moves to the minimum over all active columns. Returns false and changes nothing if
    /// it depends on them linearly.
    bool enter(std::size_t column) {
        if (!append(column)) return false;
        Eigen::VectorXd target = minimum();
        if (!(target[target.size() - 1] > 0)) {  // the slope is positive by rounding only
            erase(terms_.size() - 1);
            return false;
        }
        while (!approach(target)) target = minimum();
        return true;
    }

  private:
    static Eigen::Index index(std::size_t i) noexcept { return static_cast<Eigen::Index>(i); }

    [[nodiscard]] auto square(std::size_t p) const { return factor_.topLeftCorner(index(p), index(p)); }

    bool append(std::size_t column) {
        check_interrupt();
        // Threshold for a column nearly in the span of the others.
        constexpr double dependent = 1e-6;
        const std::size_t p = terms_.size();
        std::vector<std::size_t> columns(p);
        std::ranges::transform(terms_, columns.begin(), &Term::column);
        columns.push_back(column);
        const std::vector<double> products = design_.project(column_of(design_, column), columns);
        if (index(p) == factor_.rows()) factor_.conservativeResize(2 * index(p) + 16, 2 * index(p) + 16);
        Eigen::VectorXd row = Eigen::VectorXd::Map(products.data(), index(p));
        square(p).triangularView<Eigen::Lower>().solveInPlace(row);
        const double left = products[p] - row.squaredNorm();
        if (left < dependent * products[p]) return false;
        factor_.row(index(p)).head(index(p)) = row.transpose();
        factor_(index(p), index(p)) = std::sqrt(left);
        terms_.push_back({column, 0});
        slopes_.push_back(design_.project(y_, std::span(columns).last(1))[0] - penalty_);
        return true;
    }

    // Without a row, L is no longer triangular. Rotations of adjacent columns restore it.
    void erase(std::size_t i) {
        check_interrupt();
        const Eigen::Index p = index(terms_.size()), from = index(i);
        for (Eigen::Index row = from; row + 1 < p; ++row) {
            factor_.row(row).head(row + 2) = factor_.row(row + 1).head(row + 2);
        }
        for (Eigen::Index j = from; j + 1 < p; ++j) {
            Eigen::JacobiRotation<double> rotation;
            rotation.makeGivens(factor_(j, j), factor_(j, j + 1));
            factor_.block(j, 0, p - 1 - j, p).applyOnTheRight(j, j + 1, rotation);
        }
        terms_.erase(terms_.begin() + from);
        slopes_.erase(slopes_.begin() + from);
    }

    /// Returns the unconstrained minimum over the active columns.
    [[nodiscard]] Eigen::VectorXd minimum() const {
        check_interrupt();
        const std::size_t p = terms_.size();
        Eigen::VectorXd solution = Eigen::VectorXd::Map(slopes_.data(), index(p));
        square(p).triangularView<Eigen::Lower>().solveInPlace(solution);
        square(p).transpose().triangularView<Eigen::Upper>().solveInPlace(solution);
        return solution;
    }

    /// Moves towards `target` until a coefficient becomes 0; such columns leave. Returns whether the target
    /// was reached.
    bool approach(const Eigen::VectorXd& target) {
        std::vector<double> stops(terms_.size(), 2);
        double step = 1;
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            const double from = terms_[i].coefficient, to = target[index(i)];
            if (to <= 0) stops[i] = from > 0 ? from / (from - to) : 0;
            step = std::min(step, stops[i]);
        }
        for (std::size_t i = terms_.size(); i-- > 0;) {
            terms_[i].coefficient += step * (target[index(i)] - terms_[i].coefficient);
            if (stops[i] <= step) erase(i);
        }
        return step == 1;
    }

    const BlockDesign& design_;
    const std::vector<double>& y_;
    double penalty_;
    std::vector<Term> terms_;
    std::vector<double> slopes_;  // Xᵀy − penalty
    Eigen::MatrixXd factor_;      // lower triangle; allocated with spare rows
};

}  // namespace

std::vector<Term> non_negative(const BlockDesign& design, const std::vector<double>& y, double entry,
                               double penalty, std::size_t most) {
    ActiveSet active(design, y, penalty);
    // Every entry lowers the minimum, so that the loop ends; the limit guards against rounding errors.
    std::size_t entries = 3 * most;
    for (bool moved = true; moved;) {
        moved = false;
        // After each entry, only columns with a large slope are checked again, until none remains.
        std::vector<double> slopes = design.project(active.residual());
        for (const Term& term : active.terms()) slopes[term.column] = entry;
        std::vector<std::size_t> steep;
        for (std::size_t v = 0; v < slopes.size(); ++v)
            if (slopes[v] > entry) steep.push_back(v);
        while (!steep.empty()) {
            slopes = design.project(active.residual(), steep);
            const auto steepest = std::ranges::max_element(slopes);
            if (!(*steepest > entry)) break;
            if (active.terms().size() >= most || entries-- == 0) return active.terms();
            const auto column = steep.begin() + (steepest - slopes.begin());
            moved |= active.enter(*column);
            steep.erase(column);
        }
    }
    return active.terms();
}

}  // namespace ldp
