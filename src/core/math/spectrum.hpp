/// Matrices whose spectrum is changed: what is noise is told from what is not by the size of its part.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace ldp {

/// What becomes of an eigenvalue or a singular value.
using SpectralMap = std::function<double(double)>;

/// A symmetric matrix, of which the lower triangle is read, with every eigenvalue v replaced by map(v).
[[nodiscard]] Eigen::MatrixXd with_eigenvalues(const Eigen::MatrixXd& symmetric, const SpectralMap& map);

/// A matrix with every singular value s > 0 replaced by map(s). By the eigenvalues s² of its product with
/// itself: of values below 1e-8 of the largest, map must make 0, for they are not known.
[[nodiscard]] Eigen::MatrixXd with_singular_values(const Eigen::MatrixXd& matrix, const SpectralMap& map);

}  // namespace ldp
