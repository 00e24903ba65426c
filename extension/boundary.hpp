// Where C++ and PostgreSQL meet. Everything else in this directory relies on the rules kept here.
//
// PostgreSQL leaves a function by longjmp when something fails, C++ by an exception; neither may cross the
// other's frames. So:
//
//   1. Every entry point is written with LDP_FUNCTION, whose wrapper catches whatever C++ throws, copies what
//      it says, leaves the catch block, and only then raises it as PostgreSQL's error.
//   2. A PostgreSQL call may jump (nearly all can: palloc, detoasting, ereport). It is never made while an
//      object with a destructor is alive. A body therefore has two kinds of stretches: PostgreSQL calls
//      among plain pointers and numbers, and blocks of C++ that hold vectors, strings and mechanisms and call
//      no PostgreSQL but try_palloc, which throws instead of jumping. What a block finds out leaves it in
//      memory from try_palloc, or in memory that was obtained before the block began.
//   3. What must outlive a call (a mechanism, which owns vectors) hangs on a memory context whose reset
//      callback lets go of it, so that an aborted statement does, too.
//   4. No static object has a destructor. Counting and merging throw nothing and allocate nothing.
//   5. A long computation asks now and then whether to stop (core/base/interrupt.hpp). PostgreSQL's answer is
//      its error, which stays where it was raised while C++ unwinds, and is thrown on by the wrapper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/error.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/registry.hpp"
#include "core/summary/batch.hpp"
#include "core/summary/summary.hpp"

// PostgreSQL up to 15 leaves this empty, and with hidden visibility it would not find its entry points.
#define PGDLLEXPORT __attribute__((visibility("default")))

extern "C" {
#include "postgres.h"

#include "fmgr.h"
#include "utils/memutils.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
}

/// Defines an entry point: LDP_FUNCTION(name) { body that uses fcinfo and the PG_GETARG_… macros }. Its
/// second form says which SQLSTATE malformed input has: for text ERRCODE_INVALID_TEXT_REPRESENTATION, else
/// the default.
#define LDP_FUNCTION(name) LDP_FUNCTION_OF_REPORTS(name, ERRCODE_INVALID_BINARY_REPRESENTATION)
#define LDP_FUNCTION_OF_REPORTS(name, malformed)           \
    extern "C" {                                           \
    PGDLLEXPORT Datum name(PG_FUNCTION_ARGS);              \
    PG_FUNCTION_INFO_V1(name);                             \
    }                                                      \
    static Datum name##_body(FunctionCallInfo);            \
    Datum name(PG_FUNCTION_ARGS) {                         \
        return ldp::entry<name##_body, malformed>(fcinfo); \
    }                                                      \
    static Datum name##_body([[maybe_unused]] FunctionCallInfo fcinfo)

namespace ldp {

/// What an exception said, in PostgreSQL's memory: it outlives the catch block and needs no destructor.
struct Fault {
    bool interrupted;  ///< PostgreSQL stopped the call by an error of its own; then nothing else counts
    int sqlstate;
    bool of_input;  ///< the arguments are at fault, not the machine or ldp itself
    const char* message;
    const char* detail;
    const char* hint;
};

/// Describes the exception being handled; `malformed` is the SQLSTATE of malformed input. For catch blocks
/// only.
[[nodiscard]] Fault caught(int malformed) noexcept;
/// Raises the fault as an error, or saves it where an input function's caller asked for that.
Datum raise(const Fault& fault, FunctionCallInfo fcinfo);

/// From now on computations ask PostgreSQL whether to stop.
void begin_interrupts() noexcept;

/// The wrapper around every entry point.
template <Datum (*body)(FunctionCallInfo), int malformed>
Datum entry(FunctionCallInfo fcinfo) {
    Fault fault;
    try {
        return body(fcinfo);
    } catch (...) {
        fault = caught(malformed);
    }
    return raise(fault, fcinfo);
}

// Memory ---------------------------------------------------------------------------------------------------

/// palloc that throws std::bad_alloc and never jumps: the one PostgreSQL call allowed beside C++ objects.
[[nodiscard]] void* try_palloc(std::size_t size);
/// A copy for PostgreSQL to keep, zero-terminated; allowed beside C++ objects.
[[nodiscard]] char* keep(std::string_view text);
/// A new variable-length value (varlena) with room for `size` bytes; allowed beside C++ objects.
[[nodiscard]] varlena* new_value(std::size_t size);

/// The bytes of a value that is not toasted; short headers, as stored rows have them, are fine.
[[nodiscard]] inline Bytes contents(const varlena* value) noexcept {
    return {reinterpret_cast<const std::byte*>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}
/// The same, to write to. The value is new_value's, or a copy of one's own.
[[nodiscard]] inline MutableBytes writable(varlena* value) noexcept {
    return {reinterpret_cast<std::byte*>(VARDATA(value)), VARSIZE(value) - VARHDRSZ};
}

// Text: core speaks UTF-8, the server whatever its database does -------------------------------------------

/// A jsonb argument as UTF-8 text.
[[nodiscard]] const char* json_argument(FunctionCallInfo fcinfo, int number);
/// Text of the server's as UTF-8.
[[nodiscard]] std::string_view core_text(std::string_view text);
/// UTF-8 text as a jsonb value.
[[nodiscard]] Datum json_value(const char* utf8);
/// UTF-8 text as the server writes it.
[[nodiscard]] const char* server_text(const char* utf8);

/// The type of this name in a schema, or InvalidOid. May jump.
[[nodiscard]] Oid type_named(const char* name, Oid schema);

// Mechanisms -----------------------------------------------------------------------------------------------

/// The mechanism of the parameter block that these bytes of this kind begin with, remembered for the next
/// call of this backend, and kept for the next one from the same place in a query. What follows the block,
/// and whether anything does, the caller looks at. Throws Error (malformed).
[[nodiscard]] const Mechanism& mechanism_of(FunctionCallInfo fcinfo, Bytes bytes, Kind kind);
/// What a place in a query remembers, behind its fn_extra: mechanism_of() keeps more there.
struct CallSite {
    std::optional<ReportCounter> first;  ///< of the mechanism that it met first, once it has met one
};
/// That counter, if this is a summary that it counts in; else null.
[[nodiscard]] inline const ReportCounter* counter_of(FunctionCallInfo fcinfo, Bytes summary) noexcept {
    if (fcinfo->flinfo == nullptr || fcinfo->flinfo->fn_extra == nullptr) return nullptr;
    const auto& first = static_cast<const CallSite*>(fcinfo->flinfo->fn_extra)->first;
    return likely(first && first->counts_in(summary)) ? &*first : nullptr;
}

}  // namespace ldp
