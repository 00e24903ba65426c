// The noise of shares of arcs that are estimated by the inverse of a ring channel.
#pragma once

#include <memory>
#include <vector>

#include "core/mechanism/circular/ring_channel.hpp"
#include "core/mechanism/ordered/ordered.hpp"

namespace ldp {

/// Returns the noise of estimates from n reports. Functions and shares have a value for each point and one more, for the end
/// of the range, which is the first point.
[[nodiscard]] std::unique_ptr<const OrderedNoise> noise_on_ring(const RingChannel& channel, std::uint64_t n,
                                                                std::vector<double> shares);

}  // namespace ldp
