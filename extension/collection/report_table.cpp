#include "collection/report_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "collection/report_check.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tupdesc.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/primnodes.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace ldp {

namespace {

/// The number of the stored column of this name and type; 0 if it does not exist.
AttrNumber column(TupleDesc columns, const char* name, Oid type) {
    for (int i = 0; i < columns->natts; ++i) {
        const FormData_pg_attribute* one = TupleDescAttr(columns, i);
        if (!one->attisdropped && one->attgenerated == '\0' && one->atttypid == type &&
            std::strcmp(NameStr(one->attname), name) == 0)
            return one->attnum;
    }
    return InvalidAttrNumber;
}

/// Whether this is a call function(column, bytes) that accepts reports with the block.
bool calls(const char* expression, Oid function, AttrNumber column, Bytes block) {
    auto* call = static_cast<FuncExpr*>(stringToNode(expression));
    if (!IsA(call, FuncExpr) || call->funcid != function || list_length(call->args) != 2) return false;
    auto* first = static_cast<Var*>(linitial(call->args));
    auto* second = static_cast<Const*>(lsecond(call->args));
    if (!IsA(first, Var) || first->varattno != column || !IsA(second, Const) || second->constisnull)
        return false;
    return accepts(contents(PG_DETOAST_DATUM_PACKED(second->constvalue)), block);
}

/// A table that was found to store reports of the spec with this fingerprint.
struct CheckedTable {
    static constexpr std::size_t digits = 64;

    Oid table;  ///< InvalidOid: the entry is free
    std::array<char, digits> fingerprint;

    [[nodiscard]] bool is(Oid other, std::string_view text) const noexcept {
        return table == other && text == std::string_view(fingerprint.data(), digits);
    }
};
CheckedTable checked_tables[16];

/// Called by PostgreSQL if a table, or any table, may have changed. Must not fail.
void forget_table(Datum, Oid changed) {
    for (CheckedTable& each : checked_tables)
        if (changed == InvalidOid || each.table == changed) each.table = InvalidOid;
}

bool has_right(AclResult result) noexcept {
    return result == ACLCHECK_OK;
}

bool may_use_schema(Oid schema, Oid role) {
#if PG_VERSION_NUM >= 160000
    return has_right(object_aclcheck(NamespaceRelationId, schema, role, ACL_USAGE));
#else
    return has_right(pg_namespace_aclcheck(schema, role, ACL_USAGE));
#endif
}

}  // namespace

Oid extension_schema() {
    Relation extensions = table_open(ExtensionRelationId, AccessShareLock);
    ScanKeyData key;
    ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum("ldp"));
    SysScanDesc scan = systable_beginscan(extensions, ExtensionNameIndexId, true, nullptr, 1, &key);
    HeapTuple row = systable_getnext(scan);
    if (!HeapTupleIsValid(row)) elog(ERROR, "the extension ldp does not exist");
    const Oid schema = reinterpret_cast<Form_pg_extension>(GETSTRUCT(row))->extnamespace;
    systable_endscan(scan);
    table_close(extensions, AccessShareLock);
    return schema;
}

ReportColumns report_columns(Oid table, const char* name, Oid type) {
    const ReportColumns found{get_attnum(table, name), get_attnum(table, "round")};
    if (found.report == InvalidAttrNumber || get_atttype(table, found.report) != type ||
        found.round == InvalidAttrNumber || get_atttype(table, found.round) != INT4OID)
        return {InvalidAttrNumber, InvalidAttrNumber};
    return found;
}

const char* table_problem(Relation table, Oid schema, const varlena* block) {
    // As in ldp_report_column, single reports take precedence.
    Oid report = type_named("ldp_report", schema);
    TupleDescData* columns = RelationGetDescr(table);
    AttrNumber reports = column(columns, "report", report);
    if (reports == InvalidAttrNumber) {
        report = type_named("ldp_report_batch", schema);
        reports = column(columns, "batch", report);
    }
    if (table->rd_rel->relkind != RELKIND_RELATION && table->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
        return "It is not a table.";
    if (table->rd_rel->relpersistence == RELPERSISTENCE_TEMP) return "It is temporary.";
    if (reports == InvalidAttrNumber)
        return "It has no column \"report\" of the type ldp_report, nor \"batch\" of ldp_report_batch.";
    if (column(columns, "round", INT4OID) == InvalidAttrNumber)
        return "It has no column \"round\" of the type integer.";
    if (block == nullptr) return nullptr;

    char schema_name[] = "ldp_internal", name[] = "ldp_check_report";
    const Oid arguments[] = {report, BYTEAOID};
    const Oid check =
        LookupFuncName(list_make2(makeString(schema_name), makeString(name)), 2, arguments, false);
    const TupleConstr* rules = columns->constr;
    for (int i = 0; rules != nullptr && i < rules->num_check; ++i) {
        const ConstrCheck& rule = rules->check[i];
        if (std::strcmp(rule.ccname, "report_follows_spec") == 0 && rule.ccvalid && !rule.ccnoinherit &&
            calls(rule.ccbin, check, reports, contents(block)))
            return nullptr;
    }
    return "It has no constraint \"report_follows_spec\" that compares its reports with the spec.";
}

bool stores_spec(Relation table, std::string_view fingerprint, Datum block) {
    static bool watching = false;
    static std::size_t next = 0;
    if (!watching) {
        CacheRegisterRelcacheCallback(forget_table, 0);
        watching = true;
    }
    const Oid id = RelationGetRelid(table);
    for (const CheckedTable& each : checked_tables)
        if (each.is(id, fingerprint)) return true;
    if (table_problem(table, extension_schema(), PG_DETOAST_DATUM_PACKED(block)) != nullptr) return false;
    // The lock on the table excludes that it has changed since the check.
    if (fingerprint.size() == CheckedTable::digits) {
        CheckedTable& entry = checked_tables[next++ % std::size(checked_tables)];
        entry.table = id;
        std::ranges::copy(fingerprint, entry.fingerprint.begin());
    }
    return true;
}

bool may_submit(Oid table, Oid role) {
    HeapTuple found = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
    if (!HeapTupleIsValid(found)) return false;
    const Oid space = reinterpret_cast<Form_pg_class>(GETSTRUCT(found))->relnamespace;
    ReleaseSysCache(found);
    if (!may_use_schema(space, role)) return false;
    // A privilege on the table is the common case and the cheaper question.
    if (has_right(pg_class_aclcheck(table, role, ACL_INSERT))) return true;
    const Oid schema = extension_schema();
    ReportColumns columns = report_columns(table, "report", type_named("ldp_report", schema));
    if (columns.report == InvalidAttrNumber)
        columns = report_columns(table, "batch", type_named("ldp_report_batch", schema));
    return columns.report != InvalidAttrNumber &&
           has_right(pg_attribute_aclcheck(table, columns.report, role, ACL_INSERT));
}

}  // namespace ldp
