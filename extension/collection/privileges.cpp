// Operations that SQL cannot do, or not fast enough. These are: the caller of a function with its owner's
// rights, a query with the rights of another role, the check of a report table, and the order of
// transactions. The rules are in sql/; this file has only the steps.

#include "collection/report_table.hpp"
#include "collection/shard_rows.hpp"

extern "C" {
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

#include <cstring>

using namespace ldp;

namespace {

char internal_schema[] = "ldp_internal";

/// ldp_internal.NAME_as(caller name, …) of the called function NAME(…).
FmgrInfo* namesake(FmgrInfo* called) {
    Oid* types;
    int count;
    (void)get_func_signature(called->fn_oid, &types, &count);
    auto* wanted = static_cast<Oid*>(palloc(sizeof(Oid) * (static_cast<std::size_t>(count) + 1)));
    wanted[0] = NAMEOID;
    for (int i = 0; i < count; ++i) wanted[i + 1] = types[i];
    char* name = psprintf("%s_as", get_func_name(called->fn_oid));
    auto* found = static_cast<FmgrInfo*>(MemoryContextAlloc(called->fn_mcxt, sizeof(FmgrInfo)));
    fmgr_info_cxt(
        LookupFuncName(list_make2(makeString(internal_schema), makeString(name)), count + 1, wanted, false),
        found, called->fn_mcxt);
    return found;
}

/// Rethrows the error being handled. The context of a message of RAISE lists the functions of ldp that were
/// active, and is left out; that of the caller remains.
[[noreturn]] void rethrow_without_context(MemoryContextData* memory) {
    MemoryContextSwitchTo(memory);
    ErrorData* error = CopyErrorData();
    if (error->funcname == nullptr || std::strcmp(error->funcname, "exec_stmt_raise") != 0) PG_RE_THROW();
    FlushErrorState();
    error->context = nullptr;
    ThrowErrorData(error);
    pg_unreachable();
}

/// The role and security context of the session before the change of rights.
struct Disguise {
    Oid user;
    int context;
    int settings;
};

/// Runs the following code with the rights of that role until restored, in the way PostgreSQL runs code
/// of a table's owner (ANALYZE, REFRESH MATERIALIZED VIEW). Called functions cannot get the caller's
/// rights, change the session, or outlive the command. An error restores the rights, too.
Disguise disguise(Oid role, bool policies) {
    Disguise before{};
    GetUserIdAndSecContext(&before.user, &before.context);
    SetUserIdAndSecContext(
        role, before.context | SECURITY_RESTRICTED_OPERATION | (policies ? 0 : SECURITY_NOFORCE_RLS));
    before.settings = NewGUCNestLevel();
    return before;
}

void reveal(const Disguise& before) {
    AtEOXact_GUC(false, before.settings);
    SetUserIdAndSecContext(before.user, before.context);
}

/// Identifier of the cluster and the database in it.
const char* home() {
    static char identifier[48];
    if (identifier[0] == '\0')
        snprintf(identifier, sizeof identifier, UINT64_FORMAT "/%u", GetSystemIdentifier(), MyDatabaseId);
    return identifier;
}

}  // namespace

/// The quoted name of the schema that has the public objects of the extension.
LDP_FUNCTION(ldp_schema) {
    PG_RETURN_TEXT_P(cstring_to_text(quote_identifier(get_namespace_name(extension_schema()))));
}

/// (table, parameter block or NULL) → text: the problem of the table; NULL if it has none, empty if it
/// does not exist. The table is not locked.
LDP_FUNCTION(ldp_table_problem) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    const varlena* block = PG_ARGISNULL(1) ? nullptr : PG_GETARG_VARLENA_PP(1);
    Relation table = try_relation_open(PG_GETARG_OID(0), AccessShareLock);
    if (table == nullptr) PG_RETURN_TEXT_P(cstring_to_text(""));
    const char* found = table_problem(table, extension_schema(), block);
    relation_close(table, AccessShareLock);
    if (found == nullptr) PG_RETURN_NULL();
    PG_RETURN_TEXT_P(cstring_to_text(found));
}

/// Calls the function NAME_as with the name of the caller before the arguments. NAME_as is SECURITY
/// DEFINER, so it cannot determine the caller itself. Only its owner may execute it, so it can trust this
/// argument.
LDP_FUNCTION(ldp_with_caller) {
    FmgrInfo* const called = fcinfo->flinfo;
    if (called->fn_extra == nullptr) called->fn_extra = namesake(called);
    const int count = PG_NARGS() + 1;
    auto* call = static_cast<FunctionCallInfo>(palloc0(SizeForFunctionCallInfo(count)));
    InitFunctionCallInfoData(*call, static_cast<FmgrInfo*>(called->fn_extra), static_cast<short>(count),
                             InvalidOid, nullptr, nullptr);
    auto* caller = static_cast<Name>(palloc0(NAMEDATALEN));
    namestrcpy(caller, GetUserNameFromId(GetUserId(), false));
    call->args[0] = {NameGetDatum(caller), false};
    for (int i = 1; i < count; ++i) call->args[i] = fcinfo->args[i - 1];
    MemoryContextData* const memory = CurrentMemoryContext;
    Datum result = 0;
    PG_TRY();
    { result = FunctionCallInvoke(call); }
    PG_CATCH();
    { rethrow_without_context(memory); }
    PG_END_TRY();
    fcinfo->isnull = call->isnull;
    return result;
}

namespace {

/// The single value of a query that runs with the rights of a role. Without policies, row-level security is off, as for
/// an owner. If `shards` is a query, its rows are the table ldp_shard_rows.
Datum run_as(FunctionCallInfo fcinfo, Oid role, bool policies, const char* shards, const char* query) {
    const Oid type = get_fn_expr_rettype(fcinfo->flinfo);
    std::int16_t length;
    bool by_value;
    get_typlenbyval(type, &length, &by_value);

    const Disguise before = disguise(role, policies);
    SPI_connect();
    if (shards != nullptr) register_shard_rows(fcinfo, shards);
    if (SPI_execute(query, true, 0) != SPI_OK_SELECT || SPI_processed != 1 ||
        SPI_gettypeid(SPI_tuptable->tupdesc, 1) != type)
        elog(ERROR, "a query of ldp did not return a single value of the type %u: %s", type, query);
    Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &fcinfo->isnull);
    if (!fcinfo->isnull) value = SPI_datumTransfer(value, by_value, length);
    SPI_finish();
    reveal(before);
    return value;
}

}  // namespace

/// (role, policies, query, NULL of the result's type): the single value of a query that runs with the
/// rights of that role.
LDP_FUNCTION(ldp_run_as) {
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2)) PG_RETURN_NULL();
    return run_as(fcinfo, PG_GETARG_OID(0), PG_GETARG_BOOL(1), nullptr,
                  text_to_cstring(PG_GETARG_TEXT_PP(2)));
}

/// (role, policies, query of shards, query, NULL of the result's type): the same, and the second query reads the
/// rows of the first one.
LDP_FUNCTION(ldp_run_over_shards) {
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3)) PG_RETURN_NULL();
    return run_as(fcinfo, PG_GETARG_OID(0), PG_GETARG_BOOL(1), text_to_cstring(PG_GETARG_TEXT_PP(2)),
                  text_to_cstring(PG_GETARG_TEXT_PP(3)));
}

/// (role, command) → bigint: runs a command with the rights of that role. Returns the single number of a
/// SELECT, and the number of rows of any other command.
LDP_FUNCTION(ldp_change_as) {
    const char* command = text_to_cstring(PG_GETARG_TEXT_PP(1));
    const Disguise before = disguise(PG_GETARG_OID(0), false);
    SPI_connect();
    const int done = SPI_execute(command, false, 0);
    if (done < 0) elog(ERROR, "a statement of ldp failed: %s", command);
    auto number = static_cast<std::int64_t>(SPI_processed);
    if (done == SPI_OK_SELECT) {
        if (SPI_processed != 1 || SPI_gettypeid(SPI_tuptable->tupdesc, 1) != INT8OID)
            elog(ERROR, "a statement of ldp did not return a single number: %s", command);
        bool none;
        const Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &none);
        number = none ? 0 : DatumGetInt64(value);
    }
    SPI_finish();
    reveal(before);
    PG_RETURN_INT64(number);
}

/// () → text: identifies this database. Transactions are numbered by the cluster, so a copy of a database
/// has another identifier.
LDP_FUNCTION(ldp_cluster_database) {
    PG_RETURN_TEXT_P(cstring_to_text(home()));
}

/// (home, stamp) → bigint: the number of the current transaction plus a stamp; NULL in a database other
/// than home, where transaction numbers have another meaning. The result is equal for all rows of a
/// transaction and its subtransactions. Therefore the function is STABLE, and COPY inserts many rows at
/// once. An error if the sum exceeds bigint, because a stamp that wrapped around would never be counted.
LDP_FUNCTION(ldp_arrival) {
    const text* there = PG_GETARG_TEXT_PP(0);
    const char* here = home();
    if (VARSIZE_ANY_EXHDR(there) != std::strlen(here) ||
        std::memcmp(VARDATA_ANY(there), here, VARSIZE_ANY_EXHDR(there)) != 0)
        PG_RETURN_NULL();
    const auto number = static_cast<std::int64_t>(U64FromFullTransactionId(GetTopFullTransactionId()));
    int64 stamp;
    if (pg_add_s64_overflow(PG_GETARG_INT64(1), number, &stamp))
        ereport(
            ERROR,
            (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("ldp_arrival is out of range"),
             errdetail("The stamp would be above 9223372036854775807."),
             errhint(
                 "Set ldp_arrival to 0 in rows whose stamp was not assigned by a transaction, and refresh "
                 "a rollup.")));
    PG_RETURN_INT64(stamp);
}
