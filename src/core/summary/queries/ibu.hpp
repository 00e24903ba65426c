// The iterative Bayesian update of frequencies under a pure protocol: its limit, and an early stopped
// version.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/frequency/pure_protocol.hpp"

namespace ldp {

/// Returns the limit of the update: the distribution that maximizes the likelihood of each value's supports,
/// treated as independent. Requires at least one unbiased estimate; all must be finite.
[[nodiscard]] std::vector<double> ibu(std::span<const double> estimates, const PureProtocol& protocol);

/// Returns the update from equal shares, stopped when Stein's unbiased estimate of the squared error rises.
/// The estimates must be computed from n reports.
[[nodiscard]] std::vector<double> ibu_early(std::span<const double> estimates, const PureProtocol& protocol,
                                            std::uint64_t n);

}  // namespace ldp
