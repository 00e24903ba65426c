// What the interactions of all pairs of attributes have in common. A pair's table may say little more than
// noise where all of them together are clear: if people differ in a few traits that nobody asked for, and
// attributes hang together because they follow these, then the covariances of all attributes' values are a
// matrix of a few eigenvalues, all positive, however many attributes there are (the model of factor
// analysis).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

namespace ldp {

/// How the share of each cell of two attributes differs from that of independent ones, as measured: a row for
/// each value of the first, a column for each of the second; rows and columns add up to 0.
struct Interaction {
    std::size_t first, second;  ///< attributes, first < second
    Eigen::MatrixXd shares;
    /// The most variance that the noise has, added up over a row: of any unit mixture of rows, and of
    /// columns.
    double row_noise, column_noise;
};

/// Of each interaction the part that follows such traits, as far as that is not noise. Noise alone has
/// eigenvalues up to an edge (Wigner 1958); one clearly beyond it, λ, is shrunk to √(λ² − edge²), which is
/// best for the sum of squared errors if all cells' noise is alike (Gavish, Donoho 2017); the edge is that of
/// the noisiest row. What was not measured, such as the blocks on the diagonal, follows from the rest, by
/// turns (Mazumder, Hastie, Tibshirani 2010). All 0 if nothing is beyond the edge, and for more than 512
/// values in all, of which the eigenvalues would take too long.
[[nodiscard]] std::vector<Eigen::MatrixXd> common_parts(std::span<const Interaction> interactions);

}  // namespace ldp
