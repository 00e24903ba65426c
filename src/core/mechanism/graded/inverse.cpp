#include "core/mechanism/graded/inverse.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

/// Number of columns between two interrupt checks.
constexpr Eigen::Index strip = 32;

/// Replaces a matrix by its LU factors strip by strip, with partial pivoting. L has a unit diagonal and is
/// stored below the diagonal. `order` maps rows of LU to rows of the matrix. Returns false if the matrix is
/// singular.
bool factorise(Eigen::MatrixXd& matrix, std::vector<Eigen::Index>& order) {
    const Eigen::Index size = matrix.rows();
    for (Eigen::Index from = 0; from < size; from += strip) {
        check_interrupt();
        const Eigen::Index width = std::min(strip, size - from), end = from + width, left = size - end;
        for (Eigen::Index j = from; j < end; ++j) {
            Eigen::Index pivot;
            if (!(matrix.col(j).tail(size - j).cwiseAbs().maxCoeff(&pivot) > 0)) return false;
            if (pivot != 0) {
                matrix.row(j).swap(matrix.row(j + pivot));
                std::swap(order[static_cast<std::size_t>(j)], order[static_cast<std::size_t>(j + pivot)]);
            }
            const Eigen::Index below = size - j - 1, right = end - j - 1;
            auto factors = matrix.col(j).tail(below);
            factors /= matrix(j, j);
            matrix.block(j + 1, j + 1, below, right).noalias() -=
                factors * matrix.row(j).segment(j + 1, right);
        }
        if (left == 0) break;
        auto beside = matrix.block(from, end, width, left);
        matrix.block(from, from, width, width).triangularView<Eigen::UnitLower>().solveInPlace(beside);
        matrix.bottomRightCorner(left, left).noalias() -= matrix.block(end, from, left, width) * beside;
    }
    return true;
}

/// Returns the maximum column sum of absolute values.
double norm(const Eigen::MatrixXd& matrix) {
    return matrix.cwiseAbs().colwise().sum().maxCoeff();
}

}  // namespace

// Eigen stores columns. It inverts the transpose, whose inverse is the transpose of the inverse.
Inverse inverse_of(const std::vector<double>& matrix, std::size_t size) {
    const auto n = static_cast<Eigen::Index>(size);
    Eigen::MatrixXd factors = Eigen::MatrixXd::Map(matrix.data(), n, n);
    const double norm_before = norm(factors);
    std::vector<Eigen::Index> order(size);
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    if (!factorise(factors, order)) return {{}, std::numeric_limits<double>::infinity()};
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t i = 0; i < size; ++i) inverse(static_cast<Eigen::Index>(i), order[i]) = 1;
    for (Eigen::Index from = 0; from < n; from += strip) {
        check_interrupt();
        auto columns = inverse.middleCols(from, std::min(strip, n - from));
        factors.triangularView<Eigen::UnitLower>().solveInPlace(columns);
        factors.triangularView<Eigen::Upper>().solveInPlace(columns);
    }
    Inverse found{std::vector<double>(size * size), norm_before * norm(inverse)};
    Eigen::MatrixXd::Map(found.matrix.data(), n, n) = inverse;
    return found;
}

}  // namespace ldp
