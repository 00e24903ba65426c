// Submission of reports and claims of batches. Reports are inserted with the rights of the submitter; only the
// record of a batch is written with the rights of the extension's owner. The common case is decided here.
// Otherwise ldp_insertable() in sql/submission.sql decides, and raises the errors.

#include <algorithm>
#include <cstring>

#include "collection/claims.hpp"
#include "collection/insertion.hpp"
#include "collection/public_columns.hpp"
#include "collection/report_table.hpp"
#include "collection/session_plans.hpp"
#include "core/base/sha256.hpp"

extern "C" {
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/uuid.h"
}

using namespace ldp;

namespace {

StatementParameter argument(FunctionCallInfo fcinfo, int number, Oid type) {
    return {type, PG_GETARG_DATUM(number), PG_ARGISNULL(number)};
}

/// Returns the single value of the first row of the last statement; `none` is set if it is NULL.
Datum first_value(int column, bool& none) {
    return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &none);
}

std::string_view text_of(const text* value) noexcept {
    return {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

constexpr const char* collection_row =
    "SELECT c.reports, c.fingerprint, c.parameters FROM ldp_internal.ldp_collection AS c WHERE c.name OPERATOR(pg_catalog.=) "
    "$1";
/// No other transaction removes the collection before this one has ended.
constexpr const char* collection_row_share =
    "SELECT c.reports, c.fingerprint, c.parameters, c.tokens FROM ldp_internal.ldp_collection AS c WHERE c.name "
    "OPERATOR(pg_catalog.=) $1 FOR KEY SHARE";

/// Opens and locks the table of a collection to which a role may submit reports. Raises the errors of
/// ldp_insertable(). Sets `tokens`, for collection_row_share, to whether the collection requires tokens. Must be called between
/// SPI_connect() and SPI_finish().
Relation submittable(const StatementParameter& name, Oid role, const char* look_up, LOCKMODE lock,
                     bool* tokens = nullptr) {
    if (run_kept(PlanCache::catalog, look_up, &name, 1) == 1) {
        bool none, unknown, without;
        if (tokens != nullptr) *tokens = DatumGetBool(first_value(4, none));
        const Oid id = DatumGetObjectId(first_value(1, none));
        const Datum fingerprint = first_value(2, unknown), block = first_value(3, without);
        // The right comes before the lock: a role without it must not hold up others.
        if (!none && !unknown && !without && may_submit(id, role)) {
            Relation table = try_relation_open(id, lock);
            if (table != nullptr) {
                if (stores_spec(table, text_of(DatumGetTextPP(fingerprint)), block)) return table;
                relation_close(table, lock);
            }
        }
    }
    char* const caller = GetUserNameFromId(role, false);
    auto* role_name = static_cast<Name>(palloc0(NAMEDATALEN));
    namestrcpy(role_name, caller);
    const StatementParameter both[] = {name, {NAMEOID, NameGetDatum(role_name)}};
    run_kept(PlanCache::catalog,
             "SELECT ldp_internal.ldp_insertable($1, $2)::pg_catalog.regclass::pg_catalog.oid", both, 2);
    bool none;
    const Oid id = DatumGetObjectId(first_value(1, none));
    Relation table = try_relation_open(id, lock);
    if (table == nullptr)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                        errmsg("collection \"%s\" has just been dropped", TextDatumGetCString(name.value))));
    return table;
}

/// The same with the rights of the caller, for an insertion.
Relation opened_for_insertion(FunctionCallInfo fcinfo) {
    SPI_connect();
    Relation table = submittable(argument(fcinfo, 0, TEXTOID), GetUserId(), collection_row, RowExclusiveLock);
    SPI_finish();
    return table;
}

// Digests ---------------------------------------------------------------------------------------------------

/// A name and a value in UTF-8.
struct PublicBytes {
    std::string_view name, value;
};

std::string_view utf8(char* text) {
    return pg_server_to_any(text, static_cast<int>(std::strlen(text)), PG_UTF8);
}

void add_measured(Sha256& digest, std::string_view text) {
    char size[24];
    const int length = snprintf(size, sizeof size, "%zu:", text.size());
    digest.add(std::string_view(size, static_cast<std::size_t>(length)));
    digest.add(text);
}

bytea* value_of(Sha256& digest) {
    const auto bytes = digest.digest();
    auto* result = static_cast<bytea*>(palloc(VARHDRSZ + bytes.size()));
    SET_VARSIZE(result, VARHDRSZ + bytes.size());
    std::memcpy(VARDATA(result), bytes.data(), bytes.size());
    return result;
}

/// Returns the digest of these arguments: reports, round and columns.
bytea* digest_of(FunctionCallInfo fcinfo, int first, Oid report) {
    const PublicTexts columns = public_texts(fcinfo, first + 2);
    auto* values = static_cast<PublicBytes*>(
        palloc((static_cast<std::size_t>(columns.count) + 1) * sizeof(PublicBytes)));
    int count = 0;
    for (int i = 0; i < columns.count; ++i)
        if (columns.texts[i].value != nullptr)
            values[count++] = {utf8(columns.texts[i].name), utf8(columns.texts[i].value)};
    std::sort(values, values + count,
              [](const PublicBytes& a, const PublicBytes& b) { return a.name < b.name; });

    Sha256 digest;
    char round[16] = ":";
    if (!PG_ARGISNULL(first + 1)) snprintf(round, sizeof round, "%d:", PG_GETARG_INT32(first + 1));
    digest.add(std::string_view(round));
    Datum* reports = nullptr;
    bool* missing = nullptr;
    int number = 0;
    if (!PG_ARGISNULL(first))
        deconstruct_array(PG_GETARG_ARRAYTYPE_P(first), report, -1, false, TYPALIGN_INT, &reports, &missing,
                          &number);
    for (int i = 0; i < number; ++i) {
        CHECK_FOR_INTERRUPTS();
        if (i > 0) digest.add(std::string_view(","));
        if (missing[i]) {
            digest.add(std::string_view("NULL"));
            continue;
        }
        const Bytes bytes = contents(reinterpret_cast<const varlena*>(DatumGetPointer(reports[i])));
        constexpr std::string_view digits = "0123456789abcdef";
        char text[512];
        for (std::size_t at = 0; at < bytes.size(); at += sizeof text / 2) {
            const Bytes piece = bytes.subspan(at, std::min(sizeof text / 2, bytes.size() - at));
            char* to = text;
            for (const std::byte each : piece) {
                *to++ = digits[std::to_integer<std::size_t>(each >> 4)];
                *to++ = digits[std::to_integer<std::size_t>(each & std::byte{15})];
            }
            digest.add(std::string_view(text, static_cast<std::size_t>(to - text)));
        }
    }
    // The values are sorted by the bytes of the columns' names; clients compute the same digest.
    if (count > 0) digest.add(std::string_view("\n"));
    for (int i = 0; i < count; ++i) {
        add_measured(digest, values[i].name);
        add_measured(digest, values[i].value);
    }
    return value_of(digest);
}

/// Removes the token from the public columns in this argument, and returns its digest; null without a token.
bytea* take_token(FunctionCallInfo fcinfo, int number) {
    const PublicTexts columns = public_texts(fcinfo, number);
    PublicText* const end = columns.texts + columns.count;
    PublicText* const found =
        std::find_if(columns.texts, end, [](const PublicText& one) { return token_column == one.name; });
    if (found == end) return nullptr;
    NullableDatum& values = fcinfo->args[number];
    values.value = DirectFunctionCall2(jsonb_delete, values.value, CStringGetTextDatum(token_column.data()));
    if (found->value == nullptr) return nullptr;
    Sha256 digest;
    digest.add(utf8(found->value));
    return value_of(digest);
}

// Claims ----------------------------------------------------------------------------------------------------

/// The name under which a batch is recorded. A trigger may set a role for the session's user (ALTER ROLE ... SET
/// role). The same batch must not count again under that role in later sessions.
Name submitter_of_record(Name caller, Oid role) {
    if (role == GetSessionUserId()) return caller;
    auto* session = static_cast<Name>(palloc0(NAMEDATALEN));
    namestrcpy(session, GetUserNameFromId(GetSessionUserId(), false));
    const StatementParameter user{OIDOID, ObjectIdGetDatum(GetSessionUserId())};
    const std::uint64_t found = run_kept(
        PlanCache::catalog,
        "SELECT FROM pg_catalog.pg_db_role_setting AS s, pg_catalog.unnest(s.setconfig) AS c (setting) "
        "WHERE s.setrole OPERATOR(pg_catalog.=) ANY (ARRAY[0::pg_catalog.oid, $1]) AND "
        "pg_catalog.lower(pg_catalog.split_part(c.setting, '=', 1)) OPERATOR(pg_catalog.=) 'role'",
        &user, 1);
    return found > 0 ? session : caller;
}

/// The submitter deletes the reports of a batch after the commit, so the commit must be durable.
void commit_durably() {
    if (synchronous_commit != SYNCHRONOUS_COMMIT_OFF) return;
    (void)set_config_option("synchronous_commit", "on", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0,
                            false);
}

/// A batch to be claimed. Raises an error for a value that no batch has.
Claim claim_of(const StatementParameter& batch, const StatementParameter& reports,
               const StatementParameter& digest, const StatementParameter& token) {
    if (batch.null || reports.null || digest.null)
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("identifier, number of reports and digest of a batch must not be NULL")));
    const auto size = [](const StatementParameter& value) {
        return static_cast<int>(contents(PG_DETOAST_DATUM_PACKED(value.value)).size());
    };
    if (size(digest) != 32)
        ereport(
            ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the digest of a batch must have 32 bytes"),
             errdetail("The digest has %d bytes.", size(digest)),
             errhint("Send the SHA-256 digest of the content, the same for each repetition of the batch.")));
    if (!token.null && size(token) != 32)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the digest of a token must have 32 bytes"),
                 errhint("Send the SHA-256 digest of the token.")));
    return {batch.value, reports.value, digest.value, token, ClaimResult::fresh, 0};
}

/// Checks that the caller, argument 0, may submit reports to the collection, argument 1, and locks the collection. Must be
/// called between SPI_connect() and SPI_finish().
ClaimOwner owner_of_claims(FunctionCallInfo fcinfo) {
    auto* const caller = PG_GETARG_NAME(0);
    const Oid role = get_role_oid(NameStr(*caller), false);
    const StatementParameter name = argument(fcinfo, 1, TEXTOID);
    bool tokens = true;
    Relation table = submittable(name, role, collection_row_share, AccessShareLock, &tokens);
    relation_close(table, AccessShareLock);
    const StatementParameter recorded{TEXTOID,
                                      CStringGetTextDatum(NameStr(*submitter_of_record(caller, role)))};
    commit_durably();
    return {name, recorded, tokens};
}

void refuse_null_caller(FunctionCallInfo fcinfo) {
    if (PG_ARGISNULL(0))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("caller must not be NULL")));
}

/// The elements of an array, whose number must be `count`; without one, all NULL.
StatementParameter* elements(FunctionCallInfo fcinfo, int number, Oid type, std::int16_t length,
                             bool by_value, char alignment, int count) {
    auto* all = static_cast<StatementParameter*>(
        palloc((static_cast<std::size_t>(count) + 1) * sizeof(StatementParameter)));
    std::fill_n(all, count, StatementParameter{type, Datum{0}, true});
    if (PG_ARGISNULL(number)) return all;
    Datum* values;
    bool* missing;
    int found;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(number), type, length, by_value, alignment, &values, &missing,
                      &found);
    if (found != count)
        ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                        errmsg("the arrays of a claim must have equal sizes"),
                        errdetail("An array has %d elements; the first one has %d.", found, count)));
    for (int i = 0; i < count; ++i) all[i] = {type, values[i], missing[i]};
    return all;
}

/// Calls ldp_claim_batch as a statement of the caller would.
bool claimed(FunctionCallInfo fcinfo, Oid schema, std::int64_t reports, bytea* digest, bytea* token) {
    constexpr Oid types[] = {TEXTOID, UUIDOID, INT8OID, BYTEAOID, BYTEAOID};
    char name[] = "ldp_claim_batch";
    const Oid function =
        LookupFuncName(list_make2(makeString(get_namespace_name(schema)), makeString(name)), 5, types, false);
#if PG_VERSION_NUM >= 160000
    const AclResult allowed = object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE);
#else
    const AclResult allowed = pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE);
#endif
    if (allowed != ACLCHECK_OK) aclcheck_error(allowed, OBJECT_FUNCTION, name);
    FmgrInfo info;
    fmgr_info(function, &info);
    LOCAL_FCINFO(call, 5);
    InitFunctionCallInfoData(*call, &info, 5, InvalidOid, nullptr, nullptr);
    call->args[0] = fcinfo->args[0];
    call->args[1] = fcinfo->args[1];
    call->args[2] = {Int64GetDatum(reports), false};
    call->args[3] = {PointerGetDatum(digest), false};
    call->args[4] = {PointerGetDatum(token), token == nullptr};
    return DatumGetBool(FunctionCallInvoke(call));
}

/// Raises an error unless a collection's table accepted all rows of the reports of argument `first`.
void check_inserted(FunctionCallInfo fcinfo, Relation table, InsertedRows rows, int first, Oid report) {
    if (rows.stored == rows.expected) return;
    const char* name = quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
                                                  RelationGetRelationName(table));
    const StatementParameter all[] = {argument(fcinfo, 0, TEXTOID),
                                      {TEXTOID, CStringGetTextDatum(name)},
                                      {INT8OID, Int64GetDatum(static_cast<std::int64_t>(rows.stored))},
                                      argument(fcinfo, first, get_array_type(report))};
    SPI_connect();
    run_kept(PlanCache::catalog, "SELECT ldp_internal.ldp_check_inserted($1, $2, $3, $4)", all, 4);
    SPI_finish();
}

}  // namespace

/// (reports, round, columns) → bytea
LDP_FUNCTION(ldp_batch_digest) {
    PG_RETURN_BYTEA_P(
        digest_of(fcinfo, 0, type_named("ldp_report", get_func_namespace(fcinfo->flinfo->fn_oid))));
}

/// (caller, name, batch, reports, digest, token) → boolean: whether the batch is new. SECURITY DEFINER.
LDP_FUNCTION(ldp_claim_batch_as) {
    PreventCommandIfReadOnly("ldp_claim_batch()");
    refuse_null_caller(fcinfo);
    const Claim claim = claim_of(argument(fcinfo, 2, UUIDOID), argument(fcinfo, 3, INT8OID),
                                 argument(fcinfo, 4, BYTEAOID), argument(fcinfo, 5, BYTEAOID));
    SPI_connect();
    const bool fresh = claim_alone(owner_of_claims(fcinfo), claim);
    SPI_finish();
    PG_RETURN_BOOL(fresh);
}

/// (caller, name, batches, reports, digests, tokens) → text[]: the result of each claim. SECURITY DEFINER.
LDP_FUNCTION(ldp_claim_batches_as) {
    PreventCommandIfReadOnly("ldp_claim_batches()");
    refuse_null_caller(fcinfo);
    const int count = PG_ARGISNULL(2) ? 0
                                      : ArrayGetNItems(ARR_NDIM(PG_GETARG_ARRAYTYPE_P(2)),
                                                       ARR_DIMS(PG_GETARG_ARRAYTYPE_P(2)));
    const auto* batches = elements(fcinfo, 2, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR, count);
    const auto* reports =
        elements(fcinfo, 3, INT8OID, sizeof(std::int64_t), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, count);
    const auto* digests = elements(fcinfo, 4, BYTEAOID, -1, false, TYPALIGN_INT, count);
    const auto* tokens = elements(fcinfo, 5, BYTEAOID, -1, false, TYPALIGN_INT, count);
    const auto size = static_cast<std::size_t>(count);
    auto* claims = static_cast<Claim*>(palloc((size + 1) * sizeof(Claim)));
    for (std::size_t i = 0; i < size; ++i)
        claims[i] = claim_of(batches[i], reports[i], digests[i], tokens[i]);
    SPI_connect();
    claim_together(owner_of_claims(fcinfo), claims, size);
    SPI_finish();
    auto* results = static_cast<Datum*>(palloc((size + 1) * sizeof(Datum)));
    for (std::size_t i = 0; i < size; ++i) results[i] = CStringGetTextDatum(result_text(claims[i].result));
    PG_RETURN_ARRAYTYPE_P(construct_array(results, count, TEXTOID, -1, false, TYPALIGN_INT));
}

/// (name, report, round, columns)
LDP_FUNCTION(ldp_submit) {
    PreventCommandIfReadOnly("ldp_submit()");
    const Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
    Relation table = opened_for_insertion(fcinfo);
    (void)insert_report(fcinfo, table, schema, 1);
    relation_close(table, NoLock);
    PG_RETURN_VOID();
}

/// (name, batch, reports, round, columns) → bigint: number of reports added.
LDP_FUNCTION(ldp_submit_batch) {
    PreventCommandIfReadOnly("ldp_submit_batch()");
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("identifier and reports of a batch must not be NULL")));
    const Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
    const Oid report = type_named("ldp_report", schema);
    const ArrayType* reports = PG_GETARG_ARRAYTYPE_P(2);
    const std::int64_t count = ArrayGetNItems(ARR_NDIM(reports), ARR_DIMS(reports));
    bytea* const digest = digest_of(fcinfo, 2, report);
    // A copy, because the arguments may be those of further calls.
    LOCAL_FCINFO(stored, 5);
    std::memcpy(stored, fcinfo, SizeForFunctionCallInfo(5));
    if (!claimed(fcinfo, schema, count, digest, take_token(stored, 4))) PG_RETURN_INT64(0);
    Relation table = opened_for_insertion(fcinfo);
    check_inserted(fcinfo, table, insert_reports(stored, table, schema, 2), 2, report);
    relation_close(table, NoLock);
    PG_RETURN_INT64(count);
}
