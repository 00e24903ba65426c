// How strongly two attributes hang together, once it is known how their values are spread, what their
// interaction is and how it errs; whatever measured them.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "core/tables/model/association.hpp"

namespace ldp {

/// An attribute's values in groups: those that are told from nobody stand for themselves, 63 at most, and the
/// others count as one, with as many of the rarest as it takes to tell that one from nobody.
struct Groups {
    std::vector<std::size_t> of;  ///< every value
    Eigen::VectorXd members;      ///< of every group
    Eigen::VectorXd shares;       ///< of every group, positive
};
/// Of the table of one attribute.
[[nodiscard]] Groups grouped(const Table& margin);

/// The chance of a sum of weighted χ² above this, by the law of a single one, moved and scaled, with its
/// first three cumulants (Buckley, Eagleson 1988).
[[nodiscard]] double chance_above(double sum, const std::array<double, 3>& cumulants);

/// The table of two attributes' groups.
struct Contingency {
    Eigen::VectorXd rows, columns;  ///< shares, positive
    Eigen::MatrixXd
        interaction;  ///< how each cell's share differs from the product of its row's and column's
    /// The squared contingency of what would be measured if the two were independent.
    double spurious_mean = 0, spurious_variance = 0;
    /// The variance of the squared contingency through its derivatives.
    double linear_variance = 0;

    /// Σ interaction²/(row·column), as measured.
    [[nodiscard]] double squared() const;
};
/// Tells V, its interval, which reaches so many standard errors, and the information.
void tell(Association& found, const Contingency& table, double critical_value);

/// Every pair of attributes that was measured, in ascending order; p-values are not adjusted.
[[nodiscard]] std::vector<Association> associated(std::span<const Table> tables, double critical_value);
[[nodiscard]] std::vector<Association> associated(std::span<const Details> details, double critical_value);

}  // namespace ldp
