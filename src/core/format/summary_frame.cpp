#include "core/format/summary_frame.hpp"

#include "core/base/interrupt.hpp"

namespace ldp {

void SummaryDraft::write(MutableBytes summary) const {
    const SummaryFrame frame(block.size());
    frame.start_head(summary, block);
    frame.add_count(summary, n, rounds);
    const MutableBytes counted = frame.state(summary);
    copy_in_segments(state, counted.first(state.size()));
    if (behind) store(counted.data() + state.size(), *behind);
}

std::vector<std::byte> SummaryDraft::bytes() const {
    std::vector<std::byte> summary(size());
    write(summary);
    return summary;
}

}  // namespace ldp
