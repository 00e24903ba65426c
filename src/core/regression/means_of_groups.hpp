// Means of a number by a private group, from reports about both (mechanism/mean/means_by_group.hpp).
#pragma once

#include <vector>

#include "core/mechanism/role/summary_view.hpp"
#include "core/regression/product_regression.hpp"

namespace ldp {

/// Means of all groups, and their differences from the mean of the first group.
///
/// A mean is the ratio of a sum and a share. Its interval consists of the means within the declared range at which the
/// sum minus the mean times the share is within its error (Fieller 1954). If the share is not significantly greater than
/// 0, the interval is the range, the mean is limited to the range, and its standard error is unknown.
///
/// The interval of a difference follows from those of the two means and the correlation of their errors ("method of
/// variance estimates recovery", Zou, Donner 2008). The first difference is 0.
struct MeansOfGroups {
    std::vector<Coefficient> means, differences;
};

/// Whether the reports estimate the means of the first attribute in groups of the second one.
[[nodiscard]] bool has_means_of_groups(const Mechanism& mechanism, std::size_t number, std::size_t group);

/// Returns the means from the reports about a category and a number; n ≥ 1. The errors are those for a population.
/// Repeated responses of one person count as one, except for the part that a second layer draws anew.
[[nodiscard]] MeansOfGroups means_of_groups(const SummaryView& part, double critical_value);

}  // namespace ldp
