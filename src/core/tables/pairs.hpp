// What all pairs of attributes tell of each one, and of single attributes. A pair's table may say little more
// than noise where all of them together are clear: if people differ in a few traits that nobody asked for,
// and attributes hang together because they follow these, then the covariances of all attributes' values are
// a matrix of a few eigenvalues, all positive, however many attributes there are (the model of factor
// analysis).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "core/tables/table.hpp"

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

/// Of each attribute's values, by attribute number; none where nothing was measured.
using Shares = std::vector<std::vector<double>>;

/// What was measured of two attributes.
struct Pair {
    Table table;
    /// The part of its people that it counts as its own: those who reported three attributes stand for each
    /// of them in two pairs, a half in each.
    double own;
};

/// All pairs that a measured table holds.
[[nodiscard]] std::vector<Pair> pairs_in(std::span<const Table> measured);

/// What is expected of an interaction, given how large it and all others were measured.
struct Dependence {
    /// The interaction is spread like the deviations of that part of a person: with mean 0, and the
    /// covariance that the cells of independent attributes have in samples of 1/spread people.
    double spread;
    double clear;  ///< the part of what was measured that is not noise, 0 to 1
};

/// A pair's squared contingency, spread·(k₁ − 1)(k₂ − 1), is taken to be log-logistic around a median that
/// all pairs share, each as far as it makes likely what was measured of all of them (Robbins 1956).
[[nodiscard]] std::vector<Dependence> dependences(std::span<const Pair> pairs,
                                                  std::span<const Interaction> interactions,
                                                  const Shares& shares);

/// The table of one attribute, from those who reported it alone and from all its pairs: the sums of their
/// cells, less what they have in common with all pairs, weighted as is best if the other attribute has these
/// shares and the interaction that spread. If it is 0, that is by the shares themselves; if it is large,
/// evenly, which is what sums without any bias are.
[[nodiscard]] Table single(std::size_t attribute, std::span<const Table> measured,
                           std::span<const Pair> pairs, std::span<const Dependence> dependence,
                           std::span<const Eigen::MatrixXd> common, const Shares& shares);

}  // namespace ldp
