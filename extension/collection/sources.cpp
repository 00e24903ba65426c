// The type ldp_source and its casts. What a name means is in sql/report_access.sql.

#include "collection/sources.hpp"

#include "collection/report_table.hpp"

#include <algorithm>
#include <cstring>

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "libpq/pqformat.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

extern "C" {
PGDLLEXPORT Datum ldp_summary_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum ldp_summary_out(PG_FUNCTION_ARGS);
}

using namespace ldp;

namespace {

enum class SourceKind : std::int32_t { name, summary, groups };

/// The body begins 8 bytes behind the beginning of a value, so that an array is aligned.
constexpr std::size_t kind_size = sizeof(std::int32_t);
static_assert(VARHDRSZ + kind_size == 8 && MAXIMUM_ALIGNOF <= 8);

/// An argument with a long header, and aligned.
varlena* whole_source(FunctionCallInfo fcinfo, int number) {
    return PG_DETOAST_DATUM(PG_GETARG_DATUM(number));
}

SourceKind source_kind(const varlena* source) {
    std::int32_t kind;
    std::memcpy(&kind, VARDATA(source), kind_size);
    return static_cast<SourceKind>(kind);
}

/// The body of a source as a value of its own kind: a text, a summary or an array.
varlena* body_of(const varlena* source) {
    const std::size_t size = VARSIZE(source) - VARHDRSZ - kind_size;
    auto* value = static_cast<varlena*>(palloc(size + VARHDRSZ));
    SET_VARSIZE(value, size + VARHDRSZ);
    std::memcpy(VARDATA(value), VARDATA(source) + kind_size, size);
    return value;
}

Datum new_source(SourceKind kind, const void* body, std::size_t size) {
    auto* value = static_cast<varlena*>(palloc(VARHDRSZ + kind_size + size));
    SET_VARSIZE(value, VARHDRSZ + kind_size + size);
    std::memcpy(VARDATA(value), &kind, kind_size);
    std::memcpy(VARDATA(value) + kind_size, body, size);
    return PointerGetDatum(value);
}

Datum named_source(const char* name) {
    return new_source(SourceKind::name, name, std::strlen(name));
}

Datum value_source(SourceKind kind, const varlena* value) {
    return new_source(kind, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
}

Bytes summary_bytes(Datum summary) {
    return contents(PG_DETOAST_DATUM_PACKED(summary));
}

/// Text as a source. Text that is too long for a name is the text of a summary: clients pass the output of ldp_agg as
/// text without a type.
Datum source_of_words(FunctionCallInfo fcinfo, const char* words) {
    if (std::strlen(words) < NAMEDATALEN) return named_source(words);
    auto* call = static_cast<FunctionCallInfo>(palloc0(SizeForFunctionCallInfo(1)));
    InitFunctionCallInfoData(*call, fcinfo->flinfo, 1, InvalidOid, nullptr, nullptr);
    call->args[0] = {CStringGetDatum(words), false};
    return value_source(SourceKind::summary, reinterpret_cast<const varlena*>(ldp_summary_in(call)));
}

/// The result of a function of the extension, by its name in a schema; nothing for NULL.
template <int count>
std::optional<Datum> called(const char* schema, const char* function, const Oid (&types)[count],
                            const NullableDatum (&arguments)[count]) {
    FmgrInfo found;
    fmgr_info(LookupFuncName(list_make2(makeString(pstrdup(schema)), makeString(pstrdup(function))), count,
                             types, false),
              &found);
    auto* call = static_cast<FunctionCallInfo>(palloc0(SizeForFunctionCallInfo(count)));
    InitFunctionCallInfoData(*call, &found, count, InvalidOid, nullptr, nullptr);
    std::copy_n(arguments, count, call->args);
    const Datum result = FunctionCallInvoke(call);
    return call->isnull ? std::nullopt : std::optional(result);
}

/// ldp_summary_of(name, NULL). Nothing if it returns NULL.
std::optional<Bytes> summary_named(Datum name) {
    const auto summary = called(get_namespace_name(extension_schema()), "ldp_summary_of", {TEXTOID, INT4OID},
                                {{name, false}, {Datum{0}, true}});
    return summary ? std::optional(summary_bytes(*summary)) : std::nullopt;
}

/// The summary of the only group; nothing without groups, or if the summary is NULL.
std::optional<Bytes> only_summary(ArrayType* groups) {
    Datum* values;
    bool* missing;
    int count;
    deconstruct_array(groups, ARR_ELEMTYPE(groups), -1, false, TYPALIGN_DOUBLE, &values, &missing, &count);
    if (count == 0) return std::nullopt;
    if (count > 1)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("a source of %d groups has no single summary", count),
                 errhint("For each group, use FROM unnest(groups) AS g, function(g.summary). For all groups "
                         "together, use ldp_rollup(summary).")));
    if (missing[0]) return std::nullopt;
    bool none = false;
    const Datum summary = GetAttributeByNum(DatumGetHeapTupleHeader(values[0]), 2, &none);
    return none ? std::nullopt : std::optional(summary_bytes(summary));
}

}  // namespace

namespace ldp {

std::optional<Bytes> source_summary(FunctionCallInfo fcinfo, int number) {
    const varlena* source = whole_source(fcinfo, number);
    switch (source_kind(source)) {
        case SourceKind::name:
            return summary_named(PointerGetDatum(body_of(source)));
        case SourceKind::summary:
            return contents(source).subspan(kind_size);
        case SourceKind::groups:
            return only_summary(DatumGetArrayTypeP(PointerGetDatum(body_of(source))));
    }
    return std::nullopt;
}

bool is_groups(Datum source) {
    return source_kind(reinterpret_cast<const varlena*>(PG_DETOAST_DATUM_SLICE(
               source, 0, static_cast<std::int32_t>(kind_size)))) == SourceKind::groups;
}

SourceGroups source_groups(FunctionCallInfo fcinfo, int by, std::optional<int> further) {
    const Oid types[] = {type_named("ldp_source", extension_schema()), TEXTARRAYOID, TEXTOID};
    const NullableDatum added = further ? fcinfo->args[*further] : NullableDatum{Datum{0}, true};
    const auto found =
        called("ldp_internal", "ldp_source_groups", types, {fcinfo->args[0], fcinfo->args[by], added});
    const HeapTupleHeader row = DatumGetHeapTupleHeader(*found);
    bool none;
    const auto array = [&](const char* column) {
        return DatumGetArrayTypeP(GetAttributeByName(row, column, &none));
    };
    return {array("groups"), array("names"), array("summaries")};
}

std::optional<Bytes> summary_head(Datum source) {
    const auto* head = reinterpret_cast<const varlena*>(
        PG_DETOAST_DATUM_SLICE(source, 0, static_cast<std::int32_t>(kind_size + max_block_size)));
    const Bytes bytes = contents(head);
    std::int32_t kind;
    std::memcpy(&kind, bytes.data(), kind_size);
    if (static_cast<SourceKind>(kind) != SourceKind::summary) return std::nullopt;
    return bytes.subspan(kind_size);
}

}  // namespace ldp

/// Text of a source: a name, or the text of a summary.
LDP_FUNCTION(ldp_source_in) {
    return source_of_words(fcinfo, PG_GETARG_CSTRING(0));
}

LDP_FUNCTION(ldp_source_recv) {
    auto* message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    int size;
    return source_of_words(fcinfo, pq_getmsgtext(message, message->len - message->cursor, &size));
}

namespace {

/// The name, the text of the summary, or the number of groups.
char* source_words(FunctionCallInfo fcinfo) {
    const varlena* source = whole_source(fcinfo, 0);
    switch (source_kind(source)) {
        case SourceKind::name:
            return text_to_cstring(body_of(source));
        case SourceKind::summary:
            return DatumGetCString(DirectFunctionCall1(ldp_summary_out, PointerGetDatum(body_of(source))));
        case SourceKind::groups:
            break;
    }
    const auto* groups = DatumGetArrayTypeP(PointerGetDatum(body_of(source)));
    return psprintf("(%d groups)", ArrayGetNItems(ARR_NDIM(groups), ARR_DIMS(groups)));
}

}  // namespace

LDP_FUNCTION(ldp_source_out) {
    PG_RETURN_CSTRING(source_words(fcinfo));
}

LDP_FUNCTION(ldp_source_send) {
    StringInfoData message;
    pq_begintypsend(&message);
    const char* words = source_words(fcinfo);
    pq_sendtext(&message, words, static_cast<int>(std::strlen(words)));
    PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

// Casts ---------------------------------------------------------------------------------------------------------

LDP_FUNCTION(ldp_source_of_text) {
    return source_of_words(fcinfo, text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

LDP_FUNCTION(ldp_source_of_name) {
    return named_source(NameStr(*PG_GETARG_NAME(0)));
}

LDP_FUNCTION(ldp_source_of_summary) {
    return value_source(SourceKind::summary, PG_GETARG_VARLENA_PP(0));
}

/// Elements of an array are never stored outside of it.
LDP_FUNCTION(ldp_source_of_groups) {
    return value_source(SourceKind::groups, PG_GETARG_VARLENA_PP(0));
}

// Parts ---------------------------------------------------------------------------------------------------------

/// (source) → text: the name; NULL for a source without one.
LDP_FUNCTION(ldp_source_name) {
    const varlena* source = whole_source(fcinfo, 0);
    if (source_kind(source) != SourceKind::name) PG_RETURN_NULL();
    PG_RETURN_TEXT_P(body_of(source));
}

/// (source) → ldp_group[]: the groups; NULL for a source of another kind.
LDP_FUNCTION(ldp_source_array) {
    const varlena* source = whole_source(fcinfo, 0);
    if (source_kind(source) != SourceKind::groups) PG_RETURN_NULL();
    PG_RETURN_POINTER(body_of(source));
}

/// (source) → ldp_summary: the summary of a source that has one.
LDP_FUNCTION(ldp_source_summary) {
    const std::optional<Bytes> summary = source_summary(fcinfo, 0);
    if (!summary) PG_RETURN_NULL();
    varlena* value = new_value(summary->size());
    std::memcpy(VARDATA(value), summary->data(), summary->size());
    PG_RETURN_POINTER(value);
}
