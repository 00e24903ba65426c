/// Transformation of matrices by their spectrum, which separates noise by its size.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace ldp {

/// Maps an eigenvalue or a singular value.
using SpectralMap = std::function<double(double)>;

/// Returns a symmetric matrix, given by its lower triangle, with every eigenvalue v replaced by map(v).
[[nodiscard]] Eigen::MatrixXd with_eigenvalues(const Eigen::MatrixXd& symmetric, const SpectralMap& map);

/// Returns a matrix with every singular value s > 0 replaced by map(s). The computation uses the eigenvalues
/// s² of its product with its transpose. `map` must return 0 for values below 1e-8 of the largest, which are
/// inaccurate.
[[nodiscard]] Eigen::MatrixXd with_singular_values(const Eigen::MatrixXd& matrix, const SpectralMap& map);

}  // namespace ldp
