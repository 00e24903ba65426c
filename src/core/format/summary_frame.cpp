#include "core/format/summary_frame.hpp"

namespace ldp {

std::vector<std::byte> frame_summary(Bytes block, std::uint64_t n, const Rounds& rounds, Bytes state) {
    const SummaryFrame frame(block.size());
    std::vector<std::byte> summary(frame.size(state.size()));
    frame.start(summary, block);
    frame.add_count(summary, n, rounds);
    std::ranges::copy(state, frame.state(MutableBytes(summary)).begin());
    return summary;
}

}  // namespace ldp
