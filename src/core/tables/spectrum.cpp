#include "core/tables/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace ldp {

Eigen::MatrixXd with_eigenvalues(const Eigen::MatrixXd& symmetric, const SpectralMap& map) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(symmetric);
    return parts.eigenvectors() * parts.eigenvalues().unaryExpr(map).asDiagonal() *
           parts.eigenvectors().transpose();
}

Eigen::MatrixXd with_singular_values(const Eigen::MatrixXd& matrix, const SpectralMap& map) {
    if (matrix.rows() < matrix.cols()) return with_singular_values(matrix.transpose(), map).transpose();
    const auto gain = [&](double square) {
        const double value = std::sqrt(square);
        return square > 0 ? map(value) / value : 0;
    };
    return matrix * with_eigenvalues(matrix.transpose() * matrix, gain);
}

}  // namespace ldp
