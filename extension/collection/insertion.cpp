// Insertion of many reports into a table. COPY fills a page with rows before it writes the page to the
// log, while INSERT writes each row by itself. Therefore a batch is converted into the input of COPY.
//
// A batch is checked when it enters as a value of its type, and COPY checks each report again. This file
// checks only the frame of the batch, which bounds all reads.

#include <algorithm>
#include <type_traits>

#include "arguments.hpp"

extern "C" {
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "commands/copy.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "parser/parse_relation.h"
#include "port/pg_bswap.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
}

using namespace ldp;

namespace {

/// Bytes of COPY's binary format, with numbers in the network's order.
struct Stream {
    char* at;
    void put(const void* bytes, std::size_t size) noexcept {
        at = std::copy_n(static_cast<const char*>(bytes), size, at);
    }
    void put16(std::uint16_t number) noexcept {
        number = pg_hton16(number);
        put(&number, sizeof number);
    }
    void put32(std::uint32_t number) noexcept {
        number = pg_hton32(number);
        put(&number, sizeof number);
    }
};

/// A batch as input of COPY: a head, one row per report, and an end.
struct Source {
    Bytes batch;
    BatchFrame frame;
    std::size_t count, next;  ///< number of reports, and the next one
    char* row;                ///< buffer of a row, reused for all reports
    char* payload;            ///< payload within the row
    std::size_t row_size;
    const char *at, *end;  ///< unread rest of the current piece
    bool ended;
};
static_assert(std::is_trivially_destructible_v<Source>, "COPY may jump");

// Signature, no flags, no extension of the head; the ninth zero is the terminator of the literal. The end
// is a row of -1 columns.
constexpr char copy_head[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0";
constexpr char copy_end[] = {'\377', '\377'};

/// COPY passes no argument to its source. A trigger may start another insertion during one.
Source* reading = nullptr;

/// Reads the next bytes for COPY.
int read(void* to, int, int most) {
    Source& source = *reading;
    auto* out = static_cast<char*>(to);
    auto left = static_cast<std::size_t>(most);
    while (left > 0) {
        if (source.at == source.end) {
            if (source.next < source.count) {
                const Bytes payload = source.frame.payload(source.batch, source.next++);
                std::ranges::copy(payload, reinterpret_cast<std::byte*>(source.payload));
                source.at = source.row;
                source.end = source.row + source.row_size;
            } else if (!source.ended) {
                source.ended = true;
                source.at = copy_end;
                source.end = std::ranges::end(copy_end);
            } else {
                break;
            }
        }
        const std::size_t size = std::min(left, static_cast<std::size_t>(source.end - source.at));
        out = std::copy_n(source.at, size, out);
        source.at += size;
        left -= size;
    }
    return most - static_cast<int>(left);
}

/// Checks the frame of the batch. Calls PostgreSQL only for memory.
Source source_of(FunctionCallInfo fcinfo, Bytes batch, std::int32_t round) {
    const Mechanism& mechanism = mechanism_of(fcinfo, batch, Kind::batch);
    const BatchFrame frame = batch_frame(mechanism);
    if (!frame.fits(batch, mechanism.block())) check_batch(mechanism, batch);  // throws the reason
    const std::size_t block = mechanism.block().size(), payload = mechanism.payload_size();
    const std::size_t row_size = 2 + 4 + block + payload + 4 + 4;
    auto* bytes = static_cast<char*>(try_palloc(row_size));
    Stream row{bytes};
    row.put16(2);
    row.put32(static_cast<std::uint32_t>(block + payload));
    const MutableBytes report(reinterpret_cast<std::byte*>(row.at), block + payload);
    std::ranges::copy(batch.first(block), report.begin());
    set_kind(report, Kind::report);
    row.at += block + payload;
    row.put32(sizeof round);
    row.put32(static_cast<std::uint32_t>(round));
    return {batch,    frame,     frame.count(batch),          0,    bytes, bytes + 2 + 4 + block,
            row_size, copy_head, std::ranges::end(copy_head), false};
}

/// The columns for reports: report or batch, and round.
struct ReportColumns {
    AttrNumber report, round;
};

/// The columns of a table: the first one by name and type, the second one "round". A missing column has
/// the number 0.
ReportColumns columns_of(Relation table, const char* name, Oid type) {
    const Oid relation = RelationGetRelid(table);
    const ReportColumns found{get_attnum(relation, name), get_attnum(relation, "round")};
    if (found.report == InvalidAttrNumber || get_atttype(relation, found.report) != type ||
        found.round == InvalidAttrNumber || get_atttype(relation, found.round) != INT4OID)
        return {InvalidAttrNumber, InvalidAttrNumber};
    return found;
}

[[noreturn]] void refuse_table(Relation table) {
    ereport(
        ERROR,
        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
         errmsg("reports cannot be inserted into \"%s\"", RelationGetRelationName(table)),
         errdetail(
             "The table has neither a column \"report\" of the type ldp_report nor a column \"batch\" of the "
             "type ldp_report_batch, or no column \"round\" of the type integer."),
         errhint("Specify the table of a collection.")));
    pg_unreachable();
}

/// Whether COPY has the same effect as INSERT for these rows. This is false if policies, rules or
/// triggers process each row, or if an extension redirects rows, as Citus does when it plans an INSERT.
bool copies(Relation table) {
    const char kind = table->rd_rel->relkind;
    return (kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE) && table->rd_rules == nullptr &&
           (table->trigdesc == nullptr || !table->trigdesc->trig_insert_before_row) &&
           check_enable_rls(RelationGetRelid(table), InvalidOid, false) != RLS_ENABLED &&
           get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE) == InvalidOid;
}

/// The range table of COPY into these columns, after a check of the caller's privileges.
ParseState* permitted(Relation table, const ReportColumns& columns) {
    ParseState* state = make_parsestate(nullptr);
    ParseNamespaceItem* item =
        addRangeTableEntryForRelation(state, table, RowExclusiveLock, nullptr, false, false);
#if PG_VERSION_NUM >= 160000
    RTEPermissionInfo* rights = item->p_perminfo;
#else
    RangeTblEntry* rights = item->p_rte;
#endif
    rights->requiredPerms = ACL_INSERT;
    for (const AttrNumber column : {columns.report, columns.round})
        rights->insertedCols =
            bms_add_member(rights->insertedCols, column - FirstLowInvalidHeapAttributeNumber);
#if PG_VERSION_NUM >= 160000
    ExecCheckPermissions(state->p_rtable, list_make1(rights), true);
#else
    ExecCheckRTPerms(state->p_rtable, true);
#endif
    return state;
}

std::uint64_t copy_in(Relation table, const ReportColumns& columns, Source& source) {
    ParseState* state = permitted(table, columns);
    if (!table->rd_islocaltemp) PreventCommandIfReadOnly("ldp_insert()");

    char report[] = "report", round[] = "round", format[] = "format", binary[] = "binary";
    List* names = list_make2(makeString(report), makeString(round));
    List* options = list_make1(makeDefElem(format, reinterpret_cast<Node*>(makeString(binary)), -1));
    std::uint64_t rows = 0;
    Source* const before = reading;
    reading = &source;
    PG_TRY();
    {
#if PG_VERSION_NUM >= 140000
        auto* copy = BeginCopyFrom(state, table, nullptr, nullptr, false, &read, names, options);
#else
        auto* copy = BeginCopyFrom(state, table, nullptr, false, &read, names, options);
#endif
        rows = CopyFrom(copy);
        EndCopyFrom(copy);
    }
    PG_FINALLY();
    { reading = before; }
    PG_END_TRY();
    return rows;
}

/// Runs an INSERT with parameters of these types. Returns the number of rows inserted.
std::uint64_t run(const char* statement, Oid (&types)[2], Datum (&values)[2], const char* nulls) {
    SPI_connect();
    if (SPI_execute_with_args(statement, 2, types, values, nulls, false, 0) < 0)
        elog(ERROR, "a command of ldp could not run: %s", statement);
    const std::uint64_t rows = SPI_processed;
    SPI_finish();
    return rows;
}

/// Inserts the batch with INSERT: as one row, or as one row per report.
std::uint64_t insert(Relation table, Oid schema, bool apart, Oid batch_type, Datum batch, Datum round) {
    const char* name = quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
                                                  RelationGetRelationName(table));
    const char* statement = apart ? psprintf("INSERT INTO %s (report, round) SELECT %s.ldp_unpack($1), $2",
                                             name, quote_identifier(get_namespace_name(schema)))
                                  : psprintf("INSERT INTO %s (batch, round) SELECT $1, $2", name);
    Oid types[] = {batch_type, INT4OID};
    Datum values[] = {batch, round};
    return run(statement, types, values, nullptr);
}

/// The number of reports in a batch.
std::uint64_t count_of(Bytes batch) {
    const BatchFrame frame(read_header(batch, Kind::batch).block_size, 1);
    return batch.size() < frame.payloads_at() ? 0 : frame.count(batch);
}

/// SQLSTATE of a row that fits no partition; sqlstate_no_partition of core/delivery/next_step.hpp.
constexpr int no_partition = MAKE_SQLSTATE('L', 'D', '0', '0', '2');

/// Rethrows the error being handled. A row without a partition has an SQLSTATE of its own, unlike a row
/// that violates a CHECK: the former may succeed after partitions are added, so clients repeat it.
[[noreturn]] void rethrow(MemoryContextData* caller) {
    if (geterrcode() != ERRCODE_CHECK_VIOLATION) PG_RE_THROW();
    MemoryContextSwitchTo(caller);
    ErrorData* error = CopyErrorData();
    FlushErrorState();
    // The name of a CHECK is set, unlike that of a partition bound.
    if (error->table_name != nullptr && error->constraint_name == nullptr) {
        error->sqlerrcode = no_partition;
        if (error->hint == nullptr)
            error->hint = pstrdup(
                "Repeat the transaction: a partition may just have been added. If it fails again, no "
                "partition "
                "covers the row.");
    }
    ReThrowError(error);
    pg_unreachable();
}

/// Runs an insertion; errors pass through rethrow().
template <class Insertion>
std::uint64_t inserted(const Insertion& insertion) {
    std::uint64_t rows = 0;
    MemoryContextData* caller = CurrentMemoryContext;
    PG_TRY();
    { rows = insertion(); }
    PG_CATCH();
    { rethrow(caller); }
    PG_END_TRY();
    return rows;
}

}  // namespace

/// (table, batch, round) → bigint: number of reports inserted.
LDP_FUNCTION(ldp_insert) {
    const Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
    const Datum batch = PointerGetDatum(PG_GETARG_VARLENA_PP(1));
    Relation table = try_relation_open(PG_GETARG_OID(0), RowExclusiveLock);
    if (table == nullptr)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("table with OID %u does not exist", PG_GETARG_OID(0)),
                        errhint("Specify a table, as in ldp_insert('visits', ...).")));
    const Oid batch_type = type_named("ldp_report_batch", schema);
    const ReportColumns columns = columns_of(table, "report", type_named("ldp_report", schema));
    const bool apart = columns.report != InvalidAttrNumber;
    if (!apart && columns_of(table, "batch", batch_type).report == InvalidAttrNumber) refuse_table(table);
    std::uint64_t rows;
    if (apart && copies(table)) {
        Source source = source_of(fcinfo, contents(reinterpret_cast<varlena*>(DatumGetPointer(batch))),
                                  PG_GETARG_INT32(2));
        rows = inserted([&] { return copy_in(table, columns, source); });
    } else {
        rows = inserted([&] { return insert(table, schema, apart, batch_type, batch, PG_GETARG_DATUM(2)); });
        if (!apart) rows *= count_of(contents(reinterpret_cast<varlena*>(DatumGetPointer(batch))));
    }
    relation_close(table, NoLock);
    PG_RETURN_INT64(static_cast<std::int64_t>(rows));
}

/// (table, reports, round) → bigint: runs the statement of ldp_insertion. The name of the table is
/// quoted.
LDP_FUNCTION(ldp_insert_reports) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    const char* schema = quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
    MemoryContextData* caller = CurrentMemoryContext;
    Oid text_type[] = {TEXTOID};
    Datum name[] = {PG_GETARG_DATUM(0)};
    const char* query = psprintf("SELECT %s.ldp_insertion($1)", schema);
    SPI_connect();
    if (SPI_execute_with_args(query, 1, text_type, name, nullptr, true, 1) != SPI_OK_SELECT ||
        SPI_processed != 1)
        elog(ERROR, "a command of ldp could not run: %s", query);
    const char* found = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
    const char* statement = MemoryContextStrdup(caller, found == nullptr ? "" : found);
    SPI_finish();
    Oid types[] = {get_fn_expr_argtype(fcinfo->flinfo, 1), INT4OID};
    Datum values[] = {PG_GETARG_DATUM(1), PG_GETARG_DATUM(2)};
    const char nulls[] = {PG_ARGISNULL(1) ? 'n' : ' ', PG_ARGISNULL(2) ? 'n' : ' ', '\0'};
    const std::uint64_t rows = inserted([&] { return run(statement, types, values, nulls); });
    PG_RETURN_INT64(static_cast<std::int64_t>(rows));
}
