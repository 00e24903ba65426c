#include "core/summary/packed_state.hpp"

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"

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

/// The counters of an untrusted body in the short form. Throws Error (malformed) if the part before them is not that
/// of a summary of the mechanism.
Bytes packed_counters(const Mechanism& mechanism, Bytes body) {
    const SummaryFrame frame(mechanism.block().size());
    if (body.size() < frame.size(0)) throw_malformed("The bytes end before the counters.");
    if (!begins_with_block(body, mechanism.block()) || kind_of(body) != Kind::summary)
        throw_malformed("The state begins with another block.");
    const std::uint64_t n = frame.count(body);
    const Rounds rounds = frame.rounds(body);
    if (n > max_count || rounds.empty() != (n == 0) || (n == 0 && rounds != Rounds::none()))
        throw_malformed("No reports have this number and these rounds.");
    return body.subspan(frame.size(0));
}

constexpr const char* other_form = "The counters do not have the form of a transmitted state.";

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
    unpack_unchecked(mechanism, body, state);
    check_summary(mechanism, state);
}

void check_packed_form(const Mechanism& mechanism, Bytes body) {
    if (!are_packed_words(packed_counters(mechanism, body), counted_size(mechanism)))
        throw_malformed(other_form);
    check_interrupt();
}

void unpack_unchecked(const Mechanism& mechanism, Bytes body, MutableBytes summary) {
    const Bytes counters = packed_counters(mechanism, body);
    const std::size_t head = head_size(mechanism);
    std::ranges::copy(body.first(head), summary.begin());
    if (!unpack_words(counters, summary.subspan(head))) throw_malformed(other_form);
    check_interrupt();
}

PackedSum::PackedSum(const Mechanism& mechanism) : mechanism_(&mechanism) {
    const std::size_t size = counted_size(mechanism);
    mechanism.append_own_sums(0, parts_);
    for (const OwnSum& part : parts_) ranges_.push_back({part.at, part.aggregator->state_size()});
    // Bits of some domains take a number of bytes that is no multiple of a word, so counters behind them share words.
    const auto shares_words = [&](const ByteRange& range) {
        return range.at % counter_size != 0 ||
               (range.size % counter_size != 0 && range.at + range.size != size);
    };
    if (std::ranges::any_of(ranges_, shares_words)) {
        parts_.clear();
        ranges_ = {{0, size}};
    }
    for (const ByteRange& range : ranges_) memory_ += range.size_of_words();
}

void PackedSum::add(MutableBytes summary, Bytes body, MutableBytes memory) const {
    const SummaryFrame frame(mechanism_->block().size());
    const Bytes counters = packed_counters(*mechanism_, body);
    const std::uint64_t ours = frame.count(summary), theirs = frame.count(body);
    if (ours > max_count || theirs > max_count - ours) raise_outcome(Outcome::full, summary, body);
    const MutableBytes state = frame.state(summary);
    std::ranges::fill(memory, std::byte{0});
    if (!add_words(counters, state, ranges_, memory)) throw_malformed(other_form);
    std::size_t copied = 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
        const MutableBytes into = state.subspan(ranges_[i].at, ranges_[i].size);
        const Bytes other = memory.subspan(copied, ranges_[i].size);
        if (parts_.empty())
            merge_counted(*mechanism_, into, other);
        else
            parts_[i].aggregator->merge(into, other);
        copied += ranges_[i].size_of_words();
    }
    frame.add_count(summary, theirs, frame.rounds(body));
    check_interrupt();
}

}  // namespace ldp
