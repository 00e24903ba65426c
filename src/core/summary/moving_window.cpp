#include "core/summary/moving_window.hpp"

#include "core/format/summary_frame.hpp"

namespace ldp {

namespace {

void invert(MutableBytes state) noexcept {
    for (std::byte& each : state) each = ~each;
}

/// The rounds of the remainder are known if the part lies strictly inside the rounds of the whole. If the
/// rounds of the whole are unknown, subtracting a part with known rounds changes nothing. Without a part with
/// unknown rounds, the rounds of the remainder may be known; memoized responses require a new sum in that
/// case.
bool keeps(const Rounds& whole, const Rounds& part, bool memoized_responses) noexcept {
    if (!whole.recorded()) return part.recorded() || !memoized_responses;
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
    merge_counted(mechanism, state, frame.state(other));
    invert(state);
    frame.add_count(from, ~frame.count(other) + 1, Rounds::none());
    return true;
}

}  // namespace ldp
