#include "core/mechanism/mean/chained_channel.hpp"

#include "core/channel/binary.hpp"
#include "core/channel/warped.hpp"

namespace ldp {

ChainedChannel make_chain(Response response, const ChannelSize& size, double epsilon, double report_epsilon) {
    const auto channel = make_channel(response, size, epsilon);
    const auto chained = [&](auto chain) -> ChainedChannel {
        const NumericChannel* kept = &chain->kept();
        const SymmetricChannel* sent = &chain->sent();
        return {std::move(chain), kept, sent};
    };
    if (response == Response::optimal) {
        const auto& kept = static_cast<const WarpedChannel&>(*channel);
        const SymmetricChannel sent(kept.outputs(),
                                    second_odds(kept.odds(), kept.outputs(), report_epsilon, kept.width()));
        return chained(std::make_unique<WarpedChain>(kept, sent));
    }
    const auto& kept = static_cast<const BinaryChannel&>(*channel);
    return chained(std::make_unique<BinaryChain>(
        kept, SymmetricChannel(2, second_odds(kept.odds(), 2, report_epsilon))));
}

}  // namespace ldp
