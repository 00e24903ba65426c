#include "boundary.hpp"

#include "core/base/interrupt.hpp"

#include <cstring>
#include <exception>
#include <memory>
#include <new>

extern "C" {
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/syscache.h"
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#endif

#ifdef PG_MODULE_MAGIC_EXT  // from PostgreSQL 18 on; pg_get_loaded_modules() shows it
PG_MODULE_MAGIC_EXT(.name = "ldp", .version = LDP_VERSION);
#else
PG_MODULE_MAGIC;
#endif
}

namespace ldp {

// Errors ---------------------------------------------------------------------------------------------------

namespace {

int sqlstate(ErrorCode code, int malformed) noexcept {
    switch (code) {
        case ErrorCode::invalid_spec:
        case ErrorCode::invalid_value:
            return ERRCODE_INVALID_PARAMETER_VALUE;
        case ErrorCode::malformed:
            return malformed;
        case ErrorCode::incompatible:
            return ERRCODE_DATATYPE_MISMATCH;
        case ErrorCode::unsupported:
            return ERRCODE_FEATURE_NOT_SUPPORTED;
        case ErrorCode::full:
        case ErrorCode::spent:
            return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
        case ErrorCode::environment:
            return ERRCODE_SYSTEM_ERROR;
    }
    return ERRCODE_INTERNAL_ERROR;
}

/// Does all that PostgreSQL wants done between two steps of a long computation. True if that ended in an
/// error. It stays on PostgreSQL's stack, which takes no memory, for raise() to throw on: nothing is reported
/// in between. The frame is C's: the jump ends here.
bool interrupted() noexcept {
    volatile bool stopped = false;
    PG_TRY();
    { CHECK_FOR_INTERRUPTS(); }
    PG_CATCH();
    { stopped = true; }
    PG_END_TRY();
    return stopped;
}

bool wants_stop() noexcept {
    return unlikely(InterruptPending) && interrupted();
}

/// keep, where failing to must not throw again.
const char* try_keep(std::string_view text) noexcept {
    try {
        return keep(text);
    } catch (...) {
        return "out of memory while reporting an error";
    }
}

/// Remedies as SQL has them.
constexpr RemedyWords sql_words{
    "frequencies (ask with ldp_frequencies or ldp_top)",
    "means (ask with ldp_means)",
    "Haar coefficients (ask with ldp_coefficients)",
    "the distribution (ask with ldp_histogram or ldp_quantiles)",
    "They tell frequencies in each round of a series: ask with ldp_series.",
    "One attribute by itself is what ldp_part(summary, attribute) takes out.",
    "ldp_views(summary) lists what is reported together. Ask about fewer attributes at a time, or declare a "
    "view "
    "of these in the next spec.",
    "Count them with their round, as in ldp_agg(report, round), or ask ldp_estimate(name).",
    "Ask about one round, as in ldp_summary_of(name, round => 1), or group the reports by round.",
    "Ask for shares with ldp_frequencies(summary, attribute => name), or ldp_marginal.",
    "Ask for means with ldp_means.",
    "Ask for them with ldp_learn_range.",
};

/// The hint in SQL's words.
const char* try_hint(const Error& error) noexcept {
    try {
        return keep(error.hint(sql_words));
    } catch (...) {
        return "";
    }
}

/// The rest of an ereport or errsave.
int say(const Fault& fault) {
    errcode(fault.sqlstate);
    errmsg_internal("%s", server_text(fault.message));
    if (*fault.detail != '\0') errdetail_internal("%s", server_text(fault.detail));
    if (*fault.hint != '\0') errhint("%s", server_text(fault.hint));
    return 0;
}

}  // namespace

Fault caught(int malformed) noexcept {
    try {
        throw;
    } catch (const Interrupted&) {
        return {true, 0, false, "", "", ""};
    } catch (const Error& error) {
        return {false,
                sqlstate(error.code(), malformed),
                true,
                try_keep(error.what()),
                try_keep(error.detail()),
                try_hint(error)};
    } catch (const std::bad_alloc&) {
        return {false, ERRCODE_OUT_OF_MEMORY, false, "out of memory", "", ""};
    } catch (const std::exception& error) {
        return {false, ERRCODE_INTERNAL_ERROR,
                false, try_keep(error.what()),
                "",    "This is a bug in ldp; please report it."};
    } catch (...) {
        return {false, ERRCODE_INTERNAL_ERROR,
                false, "unknown failure",
                "",    "This is a bug in ldp; please report it."};
    }
}

Datum raise(const Fault& fault, [[maybe_unused]] FunctionCallInfo fcinfo) {
    if (fault.interrupted) PG_RE_THROW();
#if PG_VERSION_NUM >= 160000
    if (fault.of_input) {
        errsave(fcinfo->context, say(fault));
        PG_RETURN_NULL();
    }
#endif
    ereport(ERROR, say(fault));
    pg_unreachable();
}

void begin_interrupts() noexcept {
    interrupt_handler.store(wants_stop);
}

// Memory ---------------------------------------------------------------------------------------------------

void* try_palloc(std::size_t size) {
    // Beyond MaxAllocSize palloc_extended would jump whatever its flags say.
    void* memory = size <= MaxAllocSize ? palloc_extended(size, MCXT_ALLOC_NO_OOM) : nullptr;
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

char* keep(std::string_view text) {
    auto* copy = static_cast<char*>(try_palloc(text.size() + 1));
    text.copy(copy, text.size());
    copy[text.size()] = '\0';
    return copy;
}

varlena* new_value(std::size_t size) {
    auto* value = static_cast<varlena*>(try_palloc(VARHDRSZ + size));
    SET_VARSIZE(value, VARHDRSZ + size);
    return value;
}

// Text -----------------------------------------------------------------------------------------------------

const char* json_argument(FunctionCallInfo fcinfo, int number) {
    const char* text = DatumGetCString(DirectFunctionCall1(jsonb_out, PG_GETARG_DATUM(number)));
    return pg_server_to_any(text, static_cast<int>(std::strlen(text)), PG_UTF8);
}

std::string_view core_text(std::string_view text) {
    const char* utf8 = pg_server_to_any(text.data(), static_cast<int>(text.size()), PG_UTF8);
    return utf8 == text.data() ? text : std::string_view(utf8);
}

const char* server_text(const char* utf8) {
    return pg_any_to_server(utf8, static_cast<int>(std::strlen(utf8)), PG_UTF8);
}

Datum json_value(const char* utf8) {
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(server_text(utf8)));
}

Oid type_named(const char* name, Oid schema) {
    return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name), ObjectIdGetDatum(schema));
}

// Mechanisms -----------------------------------------------------------------------------------------------

namespace {

using Shared = std::shared_ptr<const Mechanism>;

/// Mechanisms met last, the newest in the place of the oldest.
template <std::size_t places>
struct Shelf {
    Shared mechanisms[places];
    std::size_t oldest = 0;

    [[nodiscard]] const Shared* find(Bytes bytes) const noexcept {
        for (const Shared& mechanism : mechanisms) {
            if (mechanism == nullptr) break;
            if (begins_with_block(bytes, mechanism->block())) return &mechanism;
        }
        return nullptr;
    }
    const Mechanism& put(const Shared& mechanism) noexcept {
        Shared& place = mechanisms[oldest];
        oldest = (oldest + 1) % places;
        place = mechanism;
        return *place;
    }
};

/// Those that this backend met last. Executors of other systems look a function up anew for each row, and so
/// lose what its place remembers; loading a mechanism anew costs more than a hundred reports.
Shelf<32>& met_here() {
    static auto* const shelf = new Shelf<32>;  // never destroyed
    return *shelf;
}

/// Those that one place in a query met last: one is what a collection needs; a few more serve a query that
/// groups several collections. What stands here stays loaded, whatever other places meet meanwhile.
struct Cache : CallSite, Shelf<8> {
    MemoryContextCallback callback;

    const Mechanism& keep(const Shared& mechanism) noexcept {
        const Mechanism& kept = put(mechanism);
        first.emplace(*mechanisms[0]);
        return kept;
    }
};

void release(void* cache) noexcept {
    static_cast<Cache*>(cache)->~Cache();
}

Cache* cache_at(const FmgrInfo& place) noexcept {
    return static_cast<Cache*>(static_cast<CallSite*>(place.fn_extra));
}

Cache& cache_of(FunctionCallInfo fcinfo) {
    // A direct call has no place in a query: its mechanism lives as long as its memory.
    FmgrInfo* const place = fcinfo->flinfo;
    if (place != nullptr && place->fn_extra != nullptr) return *cache_at(*place);
    MemoryContextData* home = place != nullptr ? place->fn_mcxt : CurrentMemoryContext;
    auto* cache = new (MemoryContextAlloc(home, sizeof(Cache))) Cache;
    cache->callback.func = release;
    cache->callback.arg = cache;
    MemoryContextRegisterResetCallback(home, &cache->callback);
    if (place != nullptr) place->fn_extra = static_cast<CallSite*>(cache);
    return *cache;
}

/// What is not the first that its place met.
[[gnu::noinline]] const Mechanism& looked_up(FunctionCallInfo fcinfo, Bytes bytes, Kind kind,
                                             bool right_kind) {
    Cache& cache = cache_of(fcinfo);
    if (right_kind)
        if (const Shared* found = cache.find(bytes)) return **found;
    Shelf<32>& shelf = met_here();
    if (right_kind)
        if (const Shared* found = shelf.find(bytes)) return cache.keep(*found);
    const Shared loaded = load_mechanism(bytes, kind);
    shelf.put(loaded);
    return cache.keep(loaded);
}

}  // namespace

const Mechanism& mechanism_of(FunctionCallInfo fcinfo, Bytes bytes, Kind kind) {
    const bool right_kind = bytes.size() >= header_size && kind_of(bytes) == kind;
    const FmgrInfo* const place = fcinfo->flinfo;
    // Asked for each report, nearly always for the one mechanism of a collection.
    if (likely(right_kind && place != nullptr && place->fn_extra != nullptr)) {
        const Shared& first = cache_at(*place)->mechanisms[0];
        if (likely(first != nullptr && begins_with_block(bytes, first->block()))) return *first;
    }
    return looked_up(fcinfo, bytes, kind, right_kind);
}

}  // namespace ldp
