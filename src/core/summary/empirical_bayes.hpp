// Frequencies of many values estimated together: each lends the others what it tells of how frequencies are
// spread.
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/estimate.hpp"

namespace ldp {

/// The mean of each frequency given its estimate, under the law of frequencies on which all estimates
/// together are likeliest, whatever its shape (Kiefer, Wolfowitz 1956; Jiang, Zhang 2009); one amount is
/// added to all estimates so that the means, none of which is negative, sum to 1. At least one estimate, and
/// all with a standard error.
[[nodiscard]] std::vector<double> empirical_bayes(std::span<const Estimate> estimates);

}  // namespace ldp
