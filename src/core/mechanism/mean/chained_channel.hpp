// Numeric randomizers in two layers, for mechanisms that report derived numbers.
#pragma once

#include "core/channel/symmetric.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"

namespace ldp {

/// A memoized channel, a second response each time an output is sent, and the chain of both.
struct ChainedChannel {
    std::unique_ptr<const NumericChannel> chain;
    const NumericChannel* kept;    ///< in the chain, with ε∞
    const SymmetricChannel* sent;  ///< in the chain
};
/// Whether a second response can perturb outputs of this channel: the channel must have few outputs.
[[nodiscard]] constexpr bool has_second_layer(Response response) noexcept {
    return response == Response::optimal || response == Response::duchi;
}
/// Returns a channel of ε∞ with a second response that gives one report ε₁. Requires has_second_layer().
/// Decoded values are computed for ε₁. Error (malformed) if the parameters are out of range.
[[nodiscard]] ChainedChannel make_chain(Response response, const ChannelSize& size, double epsilon,
                                        double report_epsilon);

}  // namespace ldp
