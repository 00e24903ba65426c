#include "core/summary/moving_window.hpp"

#include "core/format/summary_frame.hpp"

namespace ldp {

namespace {

void invert(MutableBytes state) noexcept {
    for (std::byte& each : state) each = ~each;
}

/// The rounds of a whole are known without those of a part that lies strictly inside them. Of a whole that
/// does not know them a part that does changes nothing; without one that does not the rest may know its own.
/// That is looked at anew where answers depend on it.
bool keeps(const Rounds& whole, const Rounds& part, bool memoized_responses) noexcept {
    if (!whole.told()) return part.told() || !memoized_responses;
    return whole.first < part.first && part.last < whole.last;
}

}  // namespace

bool subtract(const Mechanism& mechanism, MutableBytes from, Bytes other) noexcept {
    const SummaryFrame frame(mechanism.block().size());
    if (!is_summary_of(mechanism, other) || frame.count(other) >= frame.count(from) ||
        !keeps(frame.rounds(from), frame.rounds(other), mechanism.header().kept))
        return false;
    const MutableBytes state = frame.state(from);
    invert(state);
    mechanism.merge(state, frame.state(other));
    invert(state);
    frame.add_count(from, ~frame.count(other) + 1, Rounds::none());
    return true;
}

}  // namespace ldp
