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

// Errors ----------------------------------------------------------------------------------------------------

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
        case ErrorCode::changed:
            return ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
    }
    return ERRCODE_INTERNAL_ERROR;
}

/// Runs PostgreSQL's interrupt checks between two steps of a long computation. Returns true if they
/// raised an error. The error stays on PostgreSQL's error stack, which needs no memory, until raise()
/// throws it; nothing is reported in between. The jump ends in this frame, which has no C++ objects.
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

/// keep() for error messages, where a failed allocation must not throw again.
const char* try_keep(std::string_view text) noexcept {
    try {
        return keep(text);
    } catch (...) {
        return "out of memory while reporting an error";
    }
}

/// Remedies in terms of SQL functions.
constexpr RemedyWords sql_words{
    "frequencies (use ldp_estimate or ldp_top)",
    "means (use ldp_estimate)",
    "Haar coefficients (use ldp_coefficients)",
    "the distribution (use ldp_histogram or ldp_quantiles)",
    "shares of strings (use ldp_frequent_strings or ldp_string_proportions)",
    "They estimate each round of a series: use ldp_series, for a record with attribute => name. Series of "
    "numbers also have ldp_series_between and ldp_series_quantiles.",
    "Use ldp_part(summary, attribute) for one attribute.",
    "ldp_marginals(summary) lists the marginals. Use fewer attributes, or declare a marginal of these attributes in the "
    "next spec.",
    "Aggregate them with their round, as in ldp_agg(report, round), or use ldp_estimate(name).",
    "Use one round, as in ldp_summary_of(name, round => 1), or group the reports by round.",
    "Use ldp_estimate(summary, ARRAY[name]) or ldp_marginal for shares.",
    "Use ldp_estimate for means.",
    "Use ldp_learn_range.",
    "Add the attributes to \"joint_tables\" in the next spec. ldp_marginals(summary) lists the existing "
    "joint tables.",
    "Estimate shorter periods, for example with by => '{year(day)}', and average their rows with "
    "ldp_weighted(row, (row).n). A rollup whose refresh fails needs a column of time.",
    "ldp_spec_info(spec) makes the choices that a spec leaves open.",
};

/// The hint in terms of SQL functions.
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

// Memory ----------------------------------------------------------------------------------------------------

void* try_palloc(std::size_t size) {
    // Above MaxAllocSize, palloc_extended jumps regardless of its flags.
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

// Text ------------------------------------------------------------------------------------------------------

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

// Mechanisms ------------------------------------------------------------------------------------------------

namespace {

using Shared = std::shared_ptr<const Mechanism>;

/// Recently used mechanisms; the newest replaces the oldest.
template <std::size_t capacity>
struct RecentMechanisms {
    Shared mechanisms[capacity];
    std::size_t oldest = 0;

    [[nodiscard]] const Shared* find(Bytes bytes) const noexcept {
        for (const Shared& mechanism : mechanisms) {
            if (mechanism == nullptr) break;
            if (begins_with_block(bytes, mechanism->block())) return &mechanism;
        }
        return nullptr;
    }
    const Mechanism& put(const Shared& mechanism) noexcept {
        Shared& slot = mechanisms[oldest];
        oldest = (oldest + 1) % capacity;
        slot = mechanism;
        return *slot;
    }
};

/// Mechanisms that this backend used last. Some executors look up a function anew for each row and lose
/// its cache; loading a mechanism again costs more than counting a hundred reports.
RecentMechanisms<32>& backend_cache() {
    static auto* const recent = new RecentMechanisms<32>;  // never destroyed
    return *recent;
}

/// The newest mechanism of the backend, with its cache.
struct NewestSite : CallSite {
    Shared mechanism;

    void put(const Shared& newest) noexcept {
        if (mechanism == newest) return;
        mechanism = newest;
        first.emplace(*newest);
        lists.emplace(*newest);
    }
};

NewestSite& backend_site() {
    static auto* const newest = new NewestSite;  // never destroyed
    return *newest;
}

/// Mechanisms that one call site of a query used last. A collection needs one; a few more serve a query
/// that groups several collections. They stay loaded regardless of other call sites.
struct Cache : CallSite, RecentMechanisms<8> {
    MemoryContextCallback callback;

    const Mechanism& keep(const Shared& mechanism) noexcept {
        const Mechanism& kept = put(mechanism);
        first.emplace(*mechanisms[0]);
        lists.emplace(*mechanisms[0]);
        backend_site().put(mechanism);
        return kept;
    }
};

void release(void* cache) noexcept {
    static_cast<Cache*>(cache)->~Cache();
}

Cache* cache_at(const FmgrInfo& function) noexcept {
    return static_cast<Cache*>(static_cast<CallSite*>(function.fn_extra));
}

Cache& cache_of(FunctionCallInfo fcinfo) {
    // A direct call has no call site, so its mechanism lives as long as its memory context.
    FmgrInfo* const function = fcinfo->flinfo;
    if (function != nullptr && function->fn_extra != nullptr) return *cache_at(*function);
    MemoryContextData* home = function != nullptr ? function->fn_mcxt : CurrentMemoryContext;
    auto* cache = new (MemoryContextAlloc(home, sizeof(Cache))) Cache;
    cache->callback.func = release;
    cache->callback.arg = cache;
    MemoryContextRegisterResetCallback(home, &cache->callback);
    if (function != nullptr) function->fn_extra = static_cast<CallSite*>(cache);
    return *cache;
}

/// A mechanism other than the first of its call site.
[[gnu::noinline]] const Mechanism& looked_up(FunctionCallInfo fcinfo, Bytes bytes, Kind kind,
                                             bool right_kind) {
    Cache& cache = cache_of(fcinfo);
    if (right_kind)
        if (const Shared* found = cache.find(bytes)) return **found;
    RecentMechanisms<32>& recent = backend_cache();
    if (right_kind)
        if (const Shared* found = recent.find(bytes)) return cache.keep(*found);
    const Shared loaded = load_mechanism(bytes, kind);
    recent.put(loaded);
    return cache.keep(loaded);
}

}  // namespace

const CallSite& newest_site() noexcept {
    return backend_site();
}

const Mechanism& mechanism_of(FunctionCallInfo fcinfo, Bytes bytes, Kind kind) {
    const bool right_kind = bytes.size() >= header_size && kind_of(bytes) == kind;
    const FmgrInfo* const function = fcinfo->flinfo;
    // Called for each report, usually for the one mechanism of a collection.
    if (likely(right_kind && function != nullptr && function->fn_extra != nullptr)) {
        const Shared& first = cache_at(*function)->mechanisms[0];
        if (likely(first != nullptr && begins_with_block(bytes, first->block()))) return *first;
    }
    return looked_up(fcinfo, bytes, kind, right_kind);
}

}  // namespace ldp

/// () → text: the version of this library.
LDP_FUNCTION(ldp_library_version) {
    PG_RETURN_TEXT_P(cstring_to_text(LDP_VERSION));
}
