// Estimates of pairs and of single attributes from all pairs together. The table of one pair may be mostly
// noise while all tables together are informative. People may differ in a few latent traits through which the
// attributes are associated (the model of factor analysis). The covariances of all attributes' values then
// form a positive semidefinite matrix of low rank, however many attributes there are.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "core/tables/table.hpp"

namespace ldp {

/// The measured interaction of two attributes: the difference between the shares of the cells and the shares
/// for independent attributes. A row for each value of the first, a column for each value of the second. Rows
/// and columns add up to 0.
struct Interaction {
    std::size_t first, second;  ///< attributes, first < second
    Eigen::MatrixXd shares;
    /// Largest variance of the noise summed over a row, over all unit mixtures of rows, and of the noise
    /// summed over a column, over all unit mixtures of columns.
    double row_noise, column_noise;
};

/// Shares of each attribute's values, by attribute index; empty for attributes without reports.
using Shares = std::vector<std::vector<double>>;

/// The measured table of a pair.
struct Pair {
    Table table;
    /// The fraction of its people that the pair counts: a report of three attributes counts one half for each
    /// of an attribute's two pairs.
    double own;
};

/// Returns all pairs in the measured tables.
[[nodiscard]] std::vector<Pair> pairs_in(std::span<const Table> measured);

/// The estimated distribution of an interaction, given its own and all other measurements.
struct Dependence {
    /// The interaction has mean 0 and the covariance of the deviations in samples of 1/spread people from
    /// independent attributes.
    double spread;
    double clear;  ///< the fraction of the measured interaction that is not noise, 0 to 1
};

/// Returns the dependence of each pair by empirical Bayes (Robbins 1956). The squared contingency of a pair,
/// spread·(k₁ − 1)(k₂ − 1), has a log-logistic prior around a median that all pairs share. The medians are
/// weighted by the likelihood of all measurements.
[[nodiscard]] std::vector<Dependence> dependences(std::span<const Pair> pairs,
                                                  std::span<const Interaction> interactions,
                                                  const Shares& shares);

/// Returns the table of one attribute from its own reports and from all its pairs. A pair contributes the
/// sums over the other attribute's cells, minus the part that it shares with all pairs. The weights are
/// optimal for the given shares and the given spread of the interaction. They are proportional to the other
/// attribute's shares if the spread is 0. If it is large, they are even, which gives unbiased sums.
[[nodiscard]] Table single(std::size_t attribute, std::span<const Table> measured,
                           std::span<const Pair> pairs, std::span<const Dependence> dependence,
                           std::span<const Eigen::MatrixXd> common, const Shares& shares);

}  // namespace ldp
