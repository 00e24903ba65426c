// ldp_report, ldp_report_batch and ldp_summary: hexadecimal as text, bytes in binary format. External input is
// checked completely, once, in this file; the rest of the extension relies on values of these types. Comparison,
// hashing and sending use PostgreSQL's functions for bytea.

#include <algorithm>
#include <memory>

#include "boundary.hpp"
#include "collection/random_order.hpp"

extern "C" {
#include "funcapi.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
}

using namespace ldp;

namespace {

/// More than any mechanism needs (the largest summaries, 2^25 counters of hadamard, have 256 MiB). Longer
/// values are rejected before any allocation.
constexpr std::size_t most_bytes(Kind kind) noexcept {
    constexpr std::size_t most[] = {std::size_t{1} << 20, std::size_t{320} << 20, std::size_t{17} << 20};
    return most[static_cast<std::size_t>(kind)];
}
static_assert(2 * most_bytes(Kind::summary) < MaxAllocSize, "its text must fit as well");
static_assert(most_bytes(Kind::batch) >= max_block_size + sizeof(std::uint32_t) + max_batch_payloads);

void check_length(std::size_t size, Kind kind) {
    if (size > most_bytes(kind))
        throw Error(ErrorCode::malformed, std::string("too many bytes for an ldp ") + noun(kind),
                    "Found " + std::to_string(size) + " bytes; the limit is " +
                        std::to_string(most_bytes(kind)) + ".",
                    "The bytes are damaged or do not come from ldp.");
}

void check(FunctionCallInfo fcinfo, Bytes bytes, Kind kind) {
    check_value(mechanism_of(fcinfo, bytes, kind), bytes, kind);
}

[[noreturn]] void throw_no_digits(Kind kind) {
    throw Error(
        ErrorCode::malformed, std::string("invalid text for an ldp ") + noun(kind),
        "The text must have an even number of hexadecimal digits.",
        kind == Kind::summary
            ? "The text is truncated or damaged, or does not come from ldp. For the summary of a collection, "
              "use ldp_summary_of(name)."
            : "The text is truncated or damaged, or does not come from ldp.");
}

/// Checks for interrupts between conversions of this many bytes.
constexpr std::size_t strip = std::size_t{1} << 20;

bool read_digits(std::string_view text, MutableBytes bytes) {
    if (text.size() % 2 != 0) return false;
    for (std::size_t at = 0; at < bytes.size(); at += strip) {
        CHECK_FOR_INTERRUPTS();
        if (!from_hex(text.substr(2 * at, 2 * strip), bytes.data() + at)) return false;
    }
    return true;
}

Datum read_text(FunctionCallInfo fcinfo, Kind kind) {
    std::string_view text = PG_GETARG_CSTRING(0);
    if (text.starts_with("\\x")) text.remove_prefix(2);  // the text of a bytea
    check_length(text.size() / 2, kind);
    varlena* value = new_value(text.size() / 2);
    if (!read_digits(text, writable(value))) throw_no_digits(kind);
    check(fcinfo, contents(value), kind);
    PG_RETURN_POINTER(value);
}

Datum write_text(FunctionCallInfo fcinfo) {
    const Bytes bytes = contents(PG_GETARG_VARLENA_PP(0));
    auto* text = static_cast<char*>(try_palloc(2 * bytes.size() + 1));
    for (std::size_t at = 0; at < bytes.size(); at += strip) {
        CHECK_FOR_INTERRUPTS();
        to_hex(bytes.subspan(at, std::min(strip, bytes.size() - at)), text + 2 * at);
    }
    text[2 * bytes.size()] = '\0';
    PG_RETURN_CSTRING(text);
}

Datum receive(FunctionCallInfo fcinfo, Kind kind) {
    auto* message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    const int size = message->len - message->cursor;
    check_length(static_cast<std::size_t>(size), kind);
    varlena* value = new_value(static_cast<std::size_t>(size));
    pq_copymsgbytes(message, VARDATA(value), size);
    check(fcinfo, contents(value), kind);
    PG_RETURN_POINTER(value);
}

Datum of_bytes(FunctionCallInfo fcinfo, Kind kind) {
    const Bytes bytes = contents(PG_GETARG_VARLENA_PP(0));
    check_length(bytes.size(), kind);
    varlena* value = new_value(bytes.size());
    std::ranges::copy(bytes, writable(value).begin());
    check(fcinfo, contents(value), kind);
    PG_RETURN_POINTER(value);
}

}  // namespace

/// Input, output, binary input and the cast from bytea of a type, whose values are of this kind.
#define LDP_TYPE(type, kind)                                                  \
    LDP_FUNCTION_OF_REPORTS(type##_in, ERRCODE_INVALID_TEXT_REPRESENTATION) { \
        return read_text(fcinfo, kind);                                       \
    }                                                                         \
    LDP_FUNCTION(type##_out) {                                                \
        return write_text(fcinfo);                                            \
    }                                                                         \
    LDP_FUNCTION(type##_recv) {                                               \
        return receive(fcinfo, kind);                                         \
    }                                                                         \
    LDP_FUNCTION(type##_of_bytes) {                                           \
        return of_bytes(fcinfo, kind);                                        \
    }

LDP_TYPE(ldp_report, Kind::report)
LDP_TYPE(ldp_report_batch, Kind::batch)
LDP_TYPE(ldp_summary, Kind::summary)

// Batches ---------------------------------------------------------------------------------------------------

/// The number of reports in a batch; reads only the head.
LDP_FUNCTION(ldp_batch_count) {
    const Bytes head = contents(PG_DETOAST_DATUM_SLICE(
        PG_GETARG_DATUM(0), 0, static_cast<std::int32_t>(max_block_size + sizeof(std::uint32_t))));
    const std::size_t block = read_header(head, Kind::batch).block_size;
    const BatchFrame frame(block, 1);
    if (head.size() < frame.payloads_at())
        throw Error(ErrorCode::malformed, "invalid ldp batch", "The bytes end before the number of reports.");
    PG_RETURN_INT64(frame.count(head));
}

namespace {

/// A batch during unpacking, in memory that lives as long as its rows.
struct Unpacking {
    Bytes batch, block;
    BatchFrame frame;
    std::size_t payload_size;
    const std::uint32_t* order;
};

/// Loads the mechanism itself, because a set-returning function uses fn_extra for another purpose than
/// mechanism_of.
Unpacking unpacking(Bytes batch) {
    const std::unique_ptr<const Mechanism> mechanism = load_mechanism(batch, Kind::batch);
    check_batch(*mechanism, batch);
    const BatchFrame frame = batch_frame(*mechanism);
    return {batch, batch.first(mechanism->block().size()), frame, sent_size(*mechanism),
            random_order(frame.count(batch))};
}

}  // namespace

/// (batch) → its reports, in random order.
LDP_FUNCTION(ldp_unpack) {
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext* first = SRF_FIRSTCALL_INIT();
        MemoryContextData* caller = MemoryContextSwitchTo(first->multi_call_memory_ctx);
        auto* all = static_cast<Unpacking*>(palloc(sizeof(Unpacking)));
        *all = unpacking(contents(PG_GETARG_BYTEA_P_COPY(0)));
        first->user_fctx = all;
        first->max_calls = all->frame.count(all->batch);
        MemoryContextSwitchTo(caller);
    }
    FuncCallContext* call = SRF_PERCALL_SETUP();
    if (call->call_cntr >= call->max_calls) SRF_RETURN_DONE(call);
    const auto& all = *static_cast<const Unpacking*>(call->user_fctx);
    varlena* report = new_value(all.block.size() + all.payload_size);
    std::ranges::copy(all.block, writable(report).begin());
    set_kind(writable(report), Kind::report);
    std::ranges::copy(all.frame.payload(all.batch, all.order[call->call_cntr]),
                      writable(report).subspan(all.block.size()).begin());
    SRF_RETURN_NEXT(call, PointerGetDatum(report));
}
