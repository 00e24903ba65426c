#include "core/summary/packed_state.hpp"

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/format/packed_words.hpp"

namespace ldp {

namespace {

/// Bytes between interrupt checks; a multiple of the groups of packed words.
constexpr std::size_t segment_size = std::size_t{1} << 20;
/// Counting and packing a byte of counters, and the reverse, costs about as much as sending 1/64 of a byte.
constexpr std::size_t counters_per_sent_byte = 64;
/// Shorter lists are sent as they are.
constexpr std::size_t short_list = 256;

[[noreturn]] void throw_malformed(const char* detail) {
    raise(ErrorCode::malformed, "invalid state of an aggregate", detail,
          "The bytes are truncated or damaged, or do not come from ldp.");
}

std::size_t head_size(const Mechanism& mechanism) noexcept {
    return SummaryFrame(mechanism.block().size()).size(0);
}

}  // namespace

bool packs_as_summary(const Mechanism& mechanism, Bytes list) noexcept {
    const std::uint64_t sent = SummaryFrame(mechanism.block().size()).count(list) * sent_size(mechanism);
    return sent > short_list && sent > counted_size(mechanism) / counters_per_sent_byte;
}

std::size_t packed_state_bound(Bytes state) noexcept {
    return sizeof(packed_state_version) + state.size() + packed_bound(state.size());
}

std::size_t pack_state(const Mechanism& mechanism, Bytes state, MutableBytes packed) {
    const bool list = is_list(state);
    const ReportList lists(mechanism);
    if (list ? !lists.fits(state) : !is_summary_of(mechanism, state))
        throw_malformed("The size or block of the state does not match its parameters.");
    packed[0] = packed_state_version;
    const Bytes head = state.first(list ? lists.size(lists.count(state)) : head_size(mechanism));
    copy_in_segments(head, packed.subspan(1));
    std::size_t at = 1 + head.size();
    if (list) return at;
    for (Bytes rest = state.subspan(head.size()); !rest.empty();) {
        const Bytes segment = rest.first(std::min(segment_size, rest.size()));
        at += pack_words(segment, packed.subspan(at));
        rest = rest.subspan(segment.size());
        check_interrupt();
    }
    return at;
}

Bytes packed_body(Bytes packed) {
    if (packed.empty()) throw_malformed("The state is empty.");
    if (packed[0] != packed_state_version) throw_malformed("The version in its first byte is not supported.");
    return packed.subspan(1);
}

std::size_t unpacked_size(const Mechanism& mechanism, Bytes body) noexcept {
    return is_list(body) ? body.size() : summary_size(mechanism);
}

void unpack_state(const Mechanism& mechanism, Bytes body, MutableBytes state) {
    if (is_list(body)) {
        ReportList(mechanism).check(body);
        copy_in_segments(body, state);
        return;
    }
    const std::size_t head = head_size(mechanism);
    if (body.size() < head) throw_malformed("The bytes end before the counters.");
    std::ranges::copy(body.first(head), state.begin());
    if (!unpack_words(body.subspan(head), state.subspan(head)))
        throw_malformed("The counters do not have the form of a transmitted state.");
    check_interrupt();
    check_summary(mechanism, state);
}

}  // namespace ldp
