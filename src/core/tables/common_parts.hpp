// The part of the interactions that all pairs share, because attributes depend on the same few latent traits.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/tables/pairs.hpp"

namespace ldp {

/// Returns the low-rank part of each interaction. Noise alone has eigenvalues up to an edge (Wigner 1958). An
/// eigenvalue λ clearly above the edge is shrunk to √(λ² − edge²), which minimizes the squared error if the
/// noise is equal in all cells (Gavish, Donoho 2017). The edge is computed from the noisiest row. Entries
/// that were not measured, such as the blocks on the diagonal, are imputed iteratively (Mazumder, Hastie,
/// Tibshirani 2010). The result is 0 if no eigenvalue exceeds the edge, and for more than 512 values in
/// total, where the eigenvalues would take too long.
[[nodiscard]] std::vector<Eigen::MatrixXd> common_parts(std::span<const Interaction> interactions);

/// Returns the same parts, each multiplied by the probability that it describes its pair better than
/// independence does. An attribute that depends on one other attribute has no trait in common with the rest,
/// and the low-rank part of its other pairs is noise. Each pair is therefore predicted from the other pairs. The
/// squared distance of its measurement from the prediction, compared with the distance from 0, is its evidence.
/// The prior probability is estimated from all pairs (empirical Bayes).
[[nodiscard]] std::vector<Eigen::MatrixXd> supported_parts(std::span<const Pair> pairs,
                                                           std::span<const Interaction> interactions,
                                                           const Shares& shares);

}  // namespace ldp
