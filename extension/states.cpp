// The type ldp_agg_state: lists of reports that become summaries, and the form in which states are sent to
// other servers (core/summary/packed_state.hpp), as Base64 where a server sends text.

#include "states.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "core/base/interrupt.hpp"
#include "core/format/base64.hpp"
#include "server_limits.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
}

using namespace ldp;

namespace {

/// A new state begins with space for this number of reports.
constexpr std::uint64_t first_reports = 4;

/// Memory of this backend for summaries that one call needs. Fresh memory of some megabytes costs more time than
/// a summary's counters, so it is kept up to this size.
constexpr std::size_t kept_memory = std::size_t{4} << 20;

MutableBytes memory_for_now(std::size_t size) {
    static std::byte* kept = nullptr;
    static std::size_t kept_size = 0;
    if (size > kept_memory) return {static_cast<std::byte*>(try_palloc(size)), size};
    if (size > kept_size) {
        const std::size_t larger = std::bit_ceil(size);
        void* memory = MemoryContextAllocExtended(TopMemoryContext, larger, MCXT_ALLOC_NO_OOM);
        if (memory == nullptr) throw std::bad_alloc();
        if (kept != nullptr) pfree(kept);
        kept = static_cast<std::byte*>(memory);
        kept_size = larger;
    }
    return {kept, size};
}

/// Frees such memory if it is not kept. One query may read and write many states before its memory is freed.
void release_memory(MutableBytes memory) {
    if (memory.size() > kept_memory) pfree(memory.data());
}

const Mechanism& mechanism_of_body(FunctionCallInfo fcinfo, Bytes body) {
    const Mechanism& mechanism = mechanism_of(fcinfo, body, is_list(body) ? Kind::report : Kind::summary);
    check_state_size(std::max(summary_size(mechanism), body.size()));
    return mechanism;
}

/// The bytes of a state as they are sent.
Bytes packed(FunctionCallInfo fcinfo, Bytes state) {
    const Bytes head = head_of(state);
    Bytes body = state.subspan(head.size());
    if (is_packed(body)) return state;
    if (is_unchecked(body)) {
        // The receiver checks it.
        const MutableBytes copy{static_cast<std::byte*>(try_palloc(body.size())), body.size()};
        copy_in_segments(body, copy);
        unmark(copy);
        body = copy;
    }
    const Mechanism& mechanism = mechanism_of(fcinfo, body, is_list(body) ? Kind::report : Kind::summary);
    const ReportList lists(mechanism);
    MutableBytes summary;
    if (is_list(body) && lists.fits(body) && packs_as_summary(mechanism, body)) {
        summary = memory_for_now(summary_size(mechanism));
        start_summary(mechanism, summary);
        count_list(lists, summary, body);
        body = summary;
    }
    const std::size_t bound = head.size() + packed_state_bound(body);
    const MutableBytes bytes{static_cast<std::byte*>(try_palloc(bound)), bound};
    std::ranges::copy(head, bytes.begin());
    const std::size_t size = head.size() + pack_state(mechanism, body, bytes.subspan(head.size()));
    release_memory(summary);
    return {static_cast<std::byte*>(repalloc(bytes.data(), size)), size};
}

/// The state of untrusted bytes as they are sent. Of a summary, which remains in the short form, the form is checked.
varlena* received(FunctionCallInfo fcinfo, Bytes bytes) {
    const Bytes head = head_of(bytes), packed = bytes.subspan(head.size()), body = packed_body(packed);
    const Mechanism& mechanism = mechanism_of_body(fcinfo, body);
    const Bytes kept = is_list(body) ? body : packed;
    if (is_list(body))
        ReportList(mechanism).check(body);
    else
        check_packed_form(mechanism, body);
    varlena* state = new_value(head.size() + kept.size());
    std::ranges::copy(head, writable(state).begin());
    copy_in_segments(kept, writable(state).subspan(head.size()));
    return state;
}

/// Bytes of Base64 that are converted between checks for interrupts; a multiple of 3.
constexpr std::size_t strip = std::size_t{3} << 18;

}  // namespace

namespace ldp {

Bytes head_of(Bytes state) {
    if (!state.empty() && state[0] != head_mark) return {};
    if (state.size() > head_kind_at) {
        const auto rest = load<std::uint32_t>(state.data() + 1);
        if (rest >= 1 && rest <= state.size() - head_kind_at) return state.first(head_kind_at + rest);
    }
    throw Error(ErrorCode::malformed, "invalid ldp_agg_state value",
                "Found " + std::to_string(state.size()) +
                    " bytes, which begin neither with a summary nor with a complete head.",
                "The bytes are truncated or damaged, or do not come from ldp.");
}

varlena* empty_state(const Mechanism& mechanism, std::size_t head_size) {
    const std::size_t size = summary_size(mechanism);
    check_state_size(size);
    varlena* state = new_value(head_size + size);
    start_summary(mechanism, writable(state).subspan(head_size));
    return state;
}

varlena* new_state(const ReportList& lists, Bytes head, std::uint64_t reports) {
    check_state_size(summary_size(lists.mechanism()));
    const std::size_t size =
        lists.size_for(std::max(reports, std::min(first_reports, lists.most())), VARHDRSZ + head.size());
    if (lists.most() == 0 || size == 0) {
        varlena* state = empty_state(lists.mechanism(), head.size());
        std::ranges::copy(head, writable(state).begin());
        return state;
    }
    varlena* state = new_value(head.size() + size);
    std::ranges::copy(head, writable(state).begin());
    lists.start(writable(state).subspan(head.size()));
    return state;
}

ReportList lists_of(FunctionCallInfo fcinfo, Bytes list) {
    const std::optional<ReportList>& cached = site_of(fcinfo).lists;
    if (likely(cached && cached->fits(list))) return *cached;
    const ReportList lists(mechanism_of(fcinfo, list, Kind::report));
    if (!lists.fits(list)) lists.check(list);  // throws the error
    return lists;
}

void count_list(const ReportList& lists, MutableBytes summary, Bytes list) {
    const Outcome outcome = lists.count_into(summary, list);
    if (outcome != Outcome::ok) raise_outcome(outcome, summary, list);
    check_interrupt();
}

varlena* grown(const ReportList& lists, Bytes head, Bytes list, std::uint64_t more) {
    varlena* state = new_state(lists, head, lists.count(list) + more);
    const MutableBytes copy = writable(state).subspan(head.size());
    if (is_list(copy))
        lists.append_list(copy, list);
    else
        count_list(lists, copy, list);
    return state;
}

void check_sum(FunctionCallInfo fcinfo, MutableBytes state) {
    unmark(state);
    check_summary(mechanism_of(fcinfo, state, Kind::summary), state);
}

varlena* packed_sum(FunctionCallInfo fcinfo, varlena* state, Bytes head, Bytes packed) {
    const Bytes body = packed_body(packed);
    const Mechanism& mechanism = mechanism_of_body(fcinfo, body);
    const auto check_block = [&](Bytes other) {
        if (!begins_with_block(other, mechanism.block())) raise_incompatible(other, body);
    };
    const Bytes before = contents(state).subspan(head.size());
    if (is_packed(before)) {
        const Bytes first = packed_body(before);
        check_block(first);
        state = new_value(head.size() + summary_size(mechanism));
        std::ranges::copy(head, writable(state).begin());
        unpack_unchecked(mechanism, first, writable(state).subspan(head.size()));
    }
    const MutableBytes sum = writable(state).subspan(head.size());
    if (is_unchecked(sum)) unmark(sum);
    if (!is_summary_of(mechanism, sum)) {
        check_block(sum);
        check_summary(mechanism, sum);  // throws the error
    }
    const PackedSum sums(mechanism);
    const MutableBytes memory = memory_for_now(sums.memory());
    sums.add(sum, body, memory);
    release_memory(memory);
    sum[0] = unchecked_mark;
    return state;
}

varlena* as_summary(FunctionCallInfo fcinfo, Bytes head, Bytes state) {
    if (is_unchecked(state)) {
        varlena* summary = new_value(head.size() + state.size());
        std::ranges::copy(head, writable(summary).begin());
        const MutableBytes copy = writable(summary).subspan(head.size());
        copy_in_segments(state, copy);
        check_sum(fcinfo, copy);
        return summary;
    }
    if (is_list(state)) {
        const ReportList lists = lists_of(fcinfo, state);
        varlena* summary = empty_state(lists.mechanism(), head.size());
        std::ranges::copy(head, writable(summary).begin());
        count_list(lists, writable(summary).subspan(head.size()), state);
        return summary;
    }
    const Bytes body = packed_body(state);
    const Mechanism& mechanism = mechanism_of_body(fcinfo, body);
    varlena* summary = new_value(head.size() + summary_size(mechanism));
    std::ranges::copy(head, writable(summary).begin());
    unpack_state(mechanism, body, writable(summary).subspan(head.size()));
    return summary;
}

MutableBytes unpacked_for_now(FunctionCallInfo fcinfo, Bytes packed) {
    const Bytes body = packed_body(packed);
    const Mechanism& mechanism = mechanism_of_body(fcinfo, body);
    const MutableBytes summary = memory_for_now(summary_size(mechanism));
    unpack_state(mechanism, body, summary);
    return summary;
}

}  // namespace ldp

LDP_FUNCTION_OF_REPORTS(ldp_agg_state_in, ERRCODE_INVALID_TEXT_REPRESENTATION) {
    const std::string_view digits = PG_GETARG_CSTRING(0);
    const std::size_t size = base64_size(digits);
    bool right = size != SIZE_MAX;
    const MutableBytes bytes{static_cast<std::byte*>(try_palloc(right ? size + 1 : 1)), right ? size : 0};
    for (std::size_t at = 0; right && at < size; at += strip) {
        CHECK_FOR_INTERRUPTS();
        right = from_base64(digits.substr(at / 3 * 4, strip / 3 * 4), bytes.data() + at);
    }
    if (!right)
        throw Error(ErrorCode::malformed, "invalid text for the state of an aggregate",
                    "The text must be Base64.",
                    "The text is truncated or damaged, or does not come from ldp.");
    PG_RETURN_POINTER(received(fcinfo, bytes));
}

LDP_FUNCTION(ldp_agg_state_out) {
    const Bytes bytes = packed(fcinfo, contents(PG_GETARG_VARLENA_PP(0)));
    const std::size_t length = base64_length(bytes.size());
    auto* digits = static_cast<char*>(try_palloc(length + 1));
    for (std::size_t at = 0; at < bytes.size(); at += strip) {
        CHECK_FOR_INTERRUPTS();
        to_base64(bytes.subspan(at, std::min(strip, bytes.size() - at)), digits + at / 3 * 4);
    }
    digits[length] = '\0';
    PG_RETURN_CSTRING(digits);
}

LDP_FUNCTION(ldp_agg_state_recv) {
    auto* message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    const int size = message->len - message->cursor;
    const auto* bytes = reinterpret_cast<const std::byte*>(pq_getmsgbytes(message, size));
    PG_RETURN_POINTER(received(fcinfo, {bytes, static_cast<std::size_t>(size)}));
}

LDP_FUNCTION(ldp_agg_state_send) {
    const Bytes bytes = packed(fcinfo, contents(PG_GETARG_VARLENA_PP(0)));
    varlena* value = new_value(bytes.size());
    copy_in_segments(bytes, writable(value));
    PG_RETURN_POINTER(value);
}

/// (ldp_agg_state) → ldp_summary: of a state without arguments.
LDP_FUNCTION(ldp_agg_final) {
    varlena* state = PG_GETARG_VARLENA_PP(0);
    const Bytes bytes = contents(state);
    if (is_unchecked(bytes) && VARATT_IS_4B_U(state) && AggCheckCallContext(fcinfo, nullptr) != 0) {
        check_sum(fcinfo, writable(state));  // again if the state is final again; it remains the same
        PG_RETURN_POINTER(state);
    }
    if (is_list(bytes) || is_packed(bytes) || is_unchecked(bytes))
        PG_RETURN_POINTER(as_summary(fcinfo, {}, bytes));
    const Mechanism& mechanism = mechanism_of(fcinfo, bytes, Kind::summary);
    if (!is_summary_of(mechanism, bytes)) check_summary(mechanism, bytes);  // throws the error
    PG_RETURN_POINTER(state);
}
