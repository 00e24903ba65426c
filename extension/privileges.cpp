// What SQL cannot say by itself: who called a function that runs with its owner's rights, and that a query is
// to run with the rights of another role. Rules are written in sql/ldp.sql; here are only the two steps.

#include "boundary.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
}

using namespace ldp;

namespace {

/// NAME_as(caller name, …), beside the function NAME(…) that was called.
FmgrInfo* namesake(FmgrInfo* called) {
    Oid* types;
    int count;
    (void)get_func_signature(called->fn_oid, &types, &count);
    auto* wanted = static_cast<Oid*>(palloc(sizeof(Oid) * (static_cast<std::size_t>(count) + 1)));
    wanted[0] = NAMEOID;
    for (int i = 0; i < count; ++i) wanted[i + 1] = types[i];
    char* schema = get_namespace_name(get_func_namespace(called->fn_oid));
    char* name = psprintf("%s_as", get_func_name(called->fn_oid));
    auto* found = static_cast<FmgrInfo*>(MemoryContextAlloc(called->fn_mcxt, sizeof(FmgrInfo)));
    fmgr_info_cxt(LookupFuncName(list_make2(makeString(schema), makeString(name)), count + 1, wanted, false),
                  found, called->fn_mcxt);
    return found;
}

}  // namespace

/// Calls the namesake with the caller's name before the arguments. It is SECURITY DEFINER, so it cannot see
/// the caller, and nobody may execute it, so it can believe what it is told.
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
    const Datum result = FunctionCallInvoke(call);
    fcinfo->isnull = call->isnull;
    return result;
}

/// (role, policies, query, NULL of the result's type): the one value that the query gives, run with the
/// rights of that role as PostgreSQL runs what belongs to a table's owner (ANALYZE, REFRESH MATERIALIZED
/// VIEW): nothing that it calls gets the caller's rights, changes the session, or outlives the query. Without
/// policies, an owner's own rows are all there is to see.
LDP_FUNCTION(ldp_run_as) {
    const Oid role = PG_GETARG_OID(0);
    const bool policies = PG_GETARG_BOOL(1);
    const char* query = text_to_cstring(PG_GETARG_TEXT_PP(2));
    const Oid type = get_fn_expr_rettype(fcinfo->flinfo);

    Oid user;
    int context;
    GetUserIdAndSecContext(&user, &context);
    SetUserIdAndSecContext(role,
                           context | SECURITY_RESTRICTED_OPERATION | (policies ? 0 : SECURITY_NOFORCE_RLS));
    const int settings = NewGUCNestLevel();
    SPI_connect();
    if (SPI_execute(query, true, 0) != SPI_OK_SELECT || SPI_processed != 1 ||
        SPI_gettypeid(SPI_tuptable->tupdesc, 1) != type)
        elog(ERROR, "a query of ldp gave no single value of the type %u: %s", type, query);
    Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &fcinfo->isnull);
    if (!fcinfo->isnull) value = SPI_datumTransfer(value, false, -1);
    SPI_finish();
    AtEOXact_GUC(false, settings);
    SetUserIdAndSecContext(user, context);
    return value;
}
