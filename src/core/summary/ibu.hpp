// The iterative Bayesian update of frequencies under a pure protocol: the distribution that it ends at, and
// the one on its way where the noise begins to weigh more than what is still to be learnt.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/frequency/pure_protocol.hpp"

namespace ldp {

/// Where the update converges to: the distribution on which the shares of reports that support each value are
/// likeliest, each taken for itself. Of at least one unbiased estimate, and all finite.
[[nodiscard]] std::vector<double> ibu(std::span<const double> estimates, const PureProtocol& protocol);

/// The update, begun at equal shares and stopped as soon as the squared error, which Stein's unbiased
/// estimate tells, rises. Estimates of n reports.
[[nodiscard]] std::vector<double> ibu_early(std::span<const double> estimates, const PureProtocol& protocol,
                                            std::uint64_t n);

}  // namespace ldp
