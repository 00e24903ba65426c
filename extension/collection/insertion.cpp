// Many reports into a table at once. COPY fills a page with rows before it writes them to the log, where
// INSERT writes each for itself; so a batch is taken apart into what COPY reads.
//
// A batch is checked when it enters as a value of its type, and each report again when COPY reads it; here
// only the batch's frame is checked, which bounds what is read.

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

/// A batch as COPY is to read it: a head, a row for each report, an end.
struct Source {
    Bytes batch;
    BatchFrame frame;
    std::size_t count, next;  ///< reports, and which of them comes next
    char* row;                ///< a row, in which reports take turns,
    char* payload;            ///< and where in it their payloads stand
    std::size_t row_size;
    const char *at, *end;  ///< what of the present piece was not read yet
    bool ended;
};
static_assert(std::is_trivially_destructible_v<Source>, "COPY may jump");

// A signature, no flags, no more of a head: the ninth zero is the literal's own. The end is a row of -1
// columns.
constexpr char copy_head[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0";
constexpr char copy_end[] = {'\377', '\377'};

/// COPY gives its source no argument. A trigger may begin another insertion amid one.
Source* reading = nullptr;

/// COPY's next bytes.
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

/// Checks the batch's frame. PostgreSQL is called for memory alone.
Source source_of(FunctionCallInfo fcinfo, Bytes batch, std::int32_t round) {
    const Mechanism& mechanism = mechanism_of(fcinfo, batch, Kind::batch);
    const BatchFrame frame = batch_frame(mechanism);
    if (!frame.fits(batch, mechanism.block())) check_batch(mechanism, batch);  // which says why
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

/// Columns that reports go to: report, or batch, and round.
struct ReportColumns {
    AttrNumber report, round;
};

/// The columns of a table, the first of this name and type, the second "round"; without number if one is
/// missing.
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
         errdetail("It has neither a column \"report\" of the type ldp_report nor a column \"batch\" of the "
                   "type ldp_report_batch, or no column \"round\" of the type integer."),
         errhint("Name the table of a collection.")));
    pg_unreachable();
}

/// Whether COPY does with these rows what INSERT would do: not where policies, rules or triggers have a say
/// in each row, nor where an extension sends rows elsewhere, as Citus does while INSERT is planned.
bool copies(Relation table) {
    const char kind = table->rd_rel->relkind;
    return (kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE) && table->rd_rules == nullptr &&
           (table->trigdesc == nullptr || !table->trigdesc->trig_insert_before_row) &&
           check_enable_rls(RelationGetRelid(table), InvalidOid, false) != RLS_ENABLED &&
           get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE) == InvalidOid;
}

/// The range table of COPY into these columns, once it is certain that the caller may insert there.
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

/// Runs an INSERT whose parameters have these types. Returns how many rows it inserted.
std::uint64_t run(const char* statement, Oid (&types)[2], Datum (&values)[2], const char* nulls) {
    SPI_connect();
    if (SPI_execute_with_args(statement, 2, types, values, nulls, false, 0) < 0)
        elog(ERROR, "a command of ldp could not run: %s", statement);
    const std::uint64_t rows = SPI_processed;
    SPI_finish();
    return rows;
}

/// The batch, with INSERT: as it is, or taken apart into rows of single reports.
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

/// How many reports a batch has.
std::uint64_t count_of(Bytes batch) {
    const BatchFrame frame(read_header(batch, Kind::batch).block_size, 1);
    return batch.size() < frame.payloads_at() ? 0 : frame.count(batch);
}

/// SQLSTATE of a row that fits no partition; sqlstate_no_partition of core/delivery/next_step.hpp.
constexpr int no_partition = MAKE_SQLSTATE('L', 'D', '0', '0', '2');

/// Throws the error that is being handled once more. A row that fits no partition is told from one that a
/// CHECK of the table refuses: while partitions are being added it passes, so clients send it again.
[[noreturn]] void rethrow(MemoryContextData* caller) {
    if (geterrcode() != ERRCODE_CHECK_VIOLATION) PG_RE_THROW();
    MemoryContextSwitchTo(caller);
    ErrorData* error = CopyErrorData();
    FlushErrorState();
    // A CHECK has a name; the bounds of a partition have none.
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

/// Runs an insertion, whose errors are told as rethrow() does.
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

/// (table, batch, round) → bigint: how many reports were inserted.
LDP_FUNCTION(ldp_insert) {
    const Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
    const Datum batch = PointerGetDatum(PG_GETARG_VARLENA_PP(1));
    Relation table = try_relation_open(PG_GETARG_OID(0), RowExclusiveLock);
    if (table == nullptr)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("there is no table with the number %u", PG_GETARG_OID(0)),
                        errhint("Name it, as in ldp_insert('visits', ...).")));
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

/// (table, reports, round) → bigint: runs what ldp_insertion says. The table's name is quoted.
LDP_FUNCTION(ldp_insert_reports) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    const char* schema = quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
    MemoryContextData* caller = CurrentMemoryContext;
    Oid text_type[] = {TEXTOID};
    Datum name[] = {PG_GETARG_DATUM(0)};
    const char* question = psprintf("SELECT %s.ldp_insertion($1)", schema);
    SPI_connect();
    if (SPI_execute_with_args(question, 1, text_type, name, nullptr, true, 1) != SPI_OK_SELECT ||
        SPI_processed != 1)
        elog(ERROR, "a command of ldp could not run: %s", question);
    const char* found = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
    const char* statement = MemoryContextStrdup(caller, found == nullptr ? "" : found);
    SPI_finish();
    Oid types[] = {get_fn_expr_argtype(fcinfo->flinfo, 1), INT4OID};
    Datum values[] = {PG_GETARG_DATUM(1), PG_GETARG_DATUM(2)};
    const char nulls[] = {PG_ARGISNULL(1) ? 'n' : ' ', PG_ARGISNULL(2) ? 'n' : ' ', '\0'};
    const std::uint64_t rows = inserted([&] { return run(statement, types, values, nulls); });
    PG_RETURN_INT64(static_cast<std::int64_t>(rows));
}
