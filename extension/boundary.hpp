// The boundary of C++ and PostgreSQL. All other files of this directory rely on these rules.
//
// PostgreSQL leaves a function by longjmp on an error, C++ by an exception. Neither may cross the frames
// of the other. Hence five rules:
//
//   1. Every entry point is defined with LDP_FUNCTION. Its wrapper catches every C++ exception, copies
//   the message, leaves the catch block, and then raises a PostgreSQL error.
//   2. A PostgreSQL call may jump; nearly all can (palloc, detoasting, ereport). It is never made while
//   an object with a destructor is alive. Therefore a body has two kinds of sections: PostgreSQL calls
//   among plain pointers and numbers, and blocks of C++. The blocks hold vectors, strings and
//   mechanisms, and call no PostgreSQL function except try_palloc, which throws instead of jumping.
//   Their results are in memory from try_palloc, or in memory obtained before the block.
//   3. An object that must outlive a call, such as a mechanism with its vectors, belongs to a memory
//   context. A reset callback releases it, also if the statement is aborted.
//   4. No static object has a destructor. Counting and merging do not throw or allocate.
//   5. A long computation checks regularly for interrupts (core/base/interrupt.hpp). An interrupt is a
//   PostgreSQL error. It stays on the error stack while C++ unwinds, and the wrapper rethrows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/error.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/batch.hpp"
#include "core/summary/report_list.hpp"
#include "core/summary/summary.hpp"

// PostgreSQL up to 15 leaves this macro empty; with hidden visibility the entry points would not be found.
#define PGDLLEXPORT __attribute__((visibility("default")))

extern "C" {
#include "postgres.h"

#include "fmgr.h"
#include "utils/memutils.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
}

/// Defines an entry point: LDP_FUNCTION(name) { body with fcinfo and the PG_GETARG_… macros }. The second
/// form sets the SQLSTATE of malformed input: ERRCODE_INVALID_TEXT_REPRESENTATION for text, otherwise the
/// default.
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

/// The content of an exception in PostgreSQL's memory. It outlives the catch block and needs no
/// destructor.
struct Fault {
    bool interrupted;  ///< a PostgreSQL error interrupted the call; the other members are unused
    int sqlstate;
    bool of_input;  ///< the arguments caused the fault, not the machine or ldp
    const char* message;
    const char* detail;
    const char* hint;
};

/// Describes the exception being handled; `malformed` is the SQLSTATE of malformed input. Only for catch
/// blocks.
[[nodiscard]] Fault caught(int malformed) noexcept;
/// Raises the fault as an error, or saves it if the caller of an input function requested a soft error.
Datum raise(const Fault& fault, FunctionCallInfo fcinfo);

/// Makes computations check for PostgreSQL interrupts from now on.
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

// Memory ----------------------------------------------------------------------------------------------------

/// palloc that throws std::bad_alloc and never jumps. It is the only PostgreSQL call allowed beside C++
/// objects.
[[nodiscard]] void* try_palloc(std::size_t size);
/// A zero-terminated copy in PostgreSQL's memory; allowed beside C++ objects.
[[nodiscard]] char* keep(std::string_view text);
/// A new variable-length value (varlena) with space for `size` bytes; allowed beside C++ objects.
[[nodiscard]] varlena* new_value(std::size_t size);

/// The bytes of a value that is not toasted; short headers of stored rows are accepted.
[[nodiscard]] inline Bytes contents(const varlena* value) noexcept {
    return {reinterpret_cast<const std::byte*>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}
/// The same, writable. The value must come from new_value or be a private copy.
[[nodiscard]] inline MutableBytes writable(varlena* value) noexcept {
    return {reinterpret_cast<std::byte*>(VARDATA(value)), VARSIZE(value) - VARHDRSZ};
}

// Text: core uses UTF-8, the server the encoding of the database --------------------------------------------

/// A jsonb argument as UTF-8 text.
[[nodiscard]] const char* json_argument(FunctionCallInfo fcinfo, int number);
/// Text in the server's encoding as UTF-8.
[[nodiscard]] std::string_view core_text(std::string_view text);
/// UTF-8 text as a jsonb value.
[[nodiscard]] Datum json_value(const char* utf8);
/// UTF-8 text in the server's encoding.
[[nodiscard]] const char* server_text(const char* utf8);

/// The type of this name in a schema, or InvalidOid. May jump.
[[nodiscard]] Oid type_named(const char* name, Oid schema);

// Mechanisms ------------------------------------------------------------------------------------------------

/// The mechanism of the parameter block at the beginning of these bytes of this kind. It is cached for
/// later calls in this backend, and for later calls from the same call site. The caller checks the bytes
/// behind the block. Throws Error (malformed).
[[nodiscard]] const Mechanism& mechanism_of(FunctionCallInfo fcinfo, Bytes bytes, Kind kind);
/// Cache of a call site, in its fn_extra; mechanism_of() stores more there.
struct CallSite {
    std::optional<ReportCounter> first;  ///< of the first mechanism that it used
    std::optional<ReportList> lists;     ///< of the same mechanism
};
/// The cache of the mechanism that this backend used last at a new call site. It is valid until the next call
/// of mechanism_of().
[[nodiscard]] const CallSite& newest_site() noexcept;
/// The cache of this call site, or the newest one if this is a new call site. Executors that look up a function
/// anew for each row have a new call site for each row.
[[nodiscard]] inline const CallSite& site_of(FunctionCallInfo fcinfo) noexcept {
    if (unlikely(fcinfo->flinfo == nullptr || fcinfo->flinfo->fn_extra == nullptr)) return newest_site();
    return *static_cast<const CallSite*>(fcinfo->flinfo->fn_extra);
}
/// Its counter if it counts in this summary; otherwise null.
[[nodiscard]] inline const ReportCounter* counter_of(FunctionCallInfo fcinfo, Bytes summary) noexcept {
    const auto& first = site_of(fcinfo).first;
    return likely(first && first->counts_in(summary)) ? &*first : nullptr;
}

}  // namespace ldp
