// Statistics of the association of two attributes from their marginals, their interaction and its error,
// independent of the mechanism.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "core/models/association.hpp"

namespace ldp {

/// Groups of an attribute's values. Up to 63 values that are significantly greater than zero form groups of
/// their own. The others are merged into one group, together with as many of the rarest values as needed to
/// make it significantly greater than zero.
struct Groups {
    std::vector<std::size_t> of;  ///< of every value
    Eigen::VectorXd members;      ///< of every group
    Eigen::VectorXd shares;       ///< of every group, positive
};
/// Returns the groups for the table of one attribute.
[[nodiscard]] Groups grouped(const Table& margin);

/// Returns the probability that a sum of weighted χ² variables exceeds `sum`. The law is approximated by a
/// shifted and scaled χ² variable with the same first three cumulants (Buckley, Eagleson 1988).
[[nodiscard]] double chance_above(double sum, const std::array<double, 3>& cumulants);

/// The table of two attributes' groups.
struct Contingency {
    Eigen::VectorXd rows, columns;  ///< shares, positive
    Eigen::MatrixXd interaction;    ///< difference between each cell's share and the product of its margins
    /// Mean and variance of the measured squared contingency of independent attributes.
    double spurious_mean = 0, spurious_variance = 0;
    /// First-order variance of the squared contingency (delta method).
    double linear_variance = 0;

    /// Returns Σ interaction²/(row·column), as measured.
    [[nodiscard]] double squared() const;
};
/// Sets V, its interval at this critical value, and the mutual information.
void tell(Association& found, const Contingency& table, double critical_value);

/// Returns every measured pair of attributes, in ascending order; p-values are not adjusted.
[[nodiscard]] std::vector<Association> associated(std::span<const Table> tables, double critical_value);
[[nodiscard]] std::vector<Association> associated(std::span<const Details> details, double critical_value);

}  // namespace ldp
