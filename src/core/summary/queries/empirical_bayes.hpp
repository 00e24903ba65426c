// Empirical Bayes estimates of many frequencies, with a nonparametric prior.
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/role/estimate.hpp"

namespace ldp {

/// Returns posterior means under the distribution of frequencies that maximizes the joint likelihood of all
/// estimates, whatever its shape (Kiefer, Wolfowitz 1956; Jiang, Zhang 2009). A constant is added to all
/// estimates so that the means, which are not negative, sum to 1. Requires at least one estimate, and a
/// standard error of each.
[[nodiscard]] std::vector<double> empirical_bayes(std::span<const Estimate> estimates);

}  // namespace ldp
