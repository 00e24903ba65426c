// States of aggregates as another server sends them.

#include "core/summary/packed_state.hpp"

#include "allocated.hpp"
#include "examine.hpp"

namespace ldp::fuzz {

namespace {

/// Larger states are left to tests that can wait for them.
constexpr std::size_t largest_state = std::size_t{1} << 13;
/// Bound on the memory that reading a state holds at once besides the state, such as an error's text.
constexpr std::size_t most_to_read = std::size_t{1} << 14;

std::vector<std::byte> counted(const Mechanism& mechanism, Bytes list) {
    const ReportList lists(mechanism);
    need(lists.fits(list), "a list that was taken does not fit");
    std::vector<std::byte> summary(summary_size(mechanism));
    start_summary(mechanism, summary);
    need(lists.count_into(summary, list) == Outcome::ok, "a list that was taken is not counted");
    return summary;
}

}  // namespace

bool packed(Bytes bytes) {
    Bytes body;
    if (refused({ErrorCode::malformed}, [&] { body = packed_body(bytes); })) return false;
    const auto mechanism = loaded(body, is_list(body) ? Kind::report : Kind::summary);
    if (mechanism == nullptr || summary_size(*mechanism) > largest_state) return false;
    std::vector<std::byte> state(unpacked_size(*mechanism, body));
    {
        const LiveMemory memory;
        const bool no = refused({ErrorCode::malformed}, [&] { unpack_state(*mechanism, body, state); });
        need(memory.most() <= most_to_read, "a state takes much memory while it is read");
        if (no) return false;
    }
    std::vector<std::byte> again(packed_state_bound(state));
    again.resize(pack_state(*mechanism, state, again));
    std::vector<std::byte> back(unpacked_size(*mechanism, packed_body(again)));
    unpack_state(*mechanism, packed_body(again), back);
    need(back == state, "a state is sent as another");
    need(examine_summary(is_list(state) ? counted(*mechanism, state) : state), "a state is no summary");
    return true;
}

}  // namespace ldp::fuzz
