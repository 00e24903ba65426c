// Insertion of many reports into a table. COPY fills a page with rows before it writes the page to the
// log, while INSERT writes each row by itself. Therefore a batch is converted into the input of COPY.
//
// A batch is checked when it enters as a value of its type, and COPY checks each report again. This file
// checks only the frame of the batch, which bounds all reads. Public columns (public_columns.hpp) have the same
// values in each row.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "arguments.hpp"
#include "collection/public_columns.hpp"
#include "collection/random_order.hpp"

extern "C" {
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "commands/copy.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "parser/parse_relation.h"
#include "port/pg_bswap.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
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
    std::size_t count, next;  ///< number of reports, and the number of those read
    const std::uint32_t* order;
    char* row;      ///< buffer of a row, reused for all reports
    char* payload;  ///< payload within the row
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
                const Bytes payload = source.frame.payload(source.batch, source.order[source.next++]);
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
Source source_of(FunctionCallInfo fcinfo, Bytes batch, std::int32_t round, const PublicColumns& filled) {
    const Mechanism& mechanism = mechanism_of(fcinfo, batch, Kind::batch);
    const BatchFrame frame = batch_frame(mechanism);
    if (!frame.fits(batch, mechanism.block())) check_batch(mechanism, batch);  // throws the reason
    const std::size_t block = mechanism.block().size(), payload = sent_size(mechanism);
    std::size_t row_size = 2 + 4 + block + payload + 4 + 4;
    for (int i = 0; i < filled.count; ++i) row_size += 4 + contents(filled.columns[i].sent).size();
    auto* bytes = static_cast<char*>(try_palloc(row_size));
    Stream row{bytes};
    row.put16(static_cast<std::uint16_t>(2 + filled.count));
    row.put32(static_cast<std::uint32_t>(block + payload));
    const MutableBytes report(reinterpret_cast<std::byte*>(row.at), block + payload);
    std::ranges::copy(batch.first(block), report.begin());
    set_kind(report, Kind::report);
    row.at += block + payload;
    row.put32(sizeof round);
    row.put32(static_cast<std::uint32_t>(round));
    for (int i = 0; i < filled.count; ++i) {
        const Bytes value = contents(filled.columns[i].sent);
        row.put32(static_cast<std::uint32_t>(value.size()));
        row.put(value.data(), value.size());
    }
    const std::size_t count = frame.count(batch);
    return {batch,
            frame,
            count,
            0,
            random_order(count),
            bytes,
            bytes + 2 + 4 + block,
            row_size,
            copy_head,
            std::ranges::end(copy_head),
            false};
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
ParseState* permitted(Relation table, const ReportColumns& columns, const PublicColumns& filled) {
    ParseState* state = make_parsestate(nullptr);
    ParseNamespaceItem* item =
        addRangeTableEntryForRelation(state, table, RowExclusiveLock, nullptr, false, false);
#if PG_VERSION_NUM >= 160000
    RTEPermissionInfo* rights = item->p_perminfo;
#else
    RangeTblEntry* rights = item->p_rte;
#endif
    rights->requiredPerms = ACL_INSERT;
    const auto inserts = [&](AttrNumber column) {
        rights->insertedCols =
            bms_add_member(rights->insertedCols, column - FirstLowInvalidHeapAttributeNumber);
    };
    inserts(columns.report);
    inserts(columns.round);
    for (int i = 0; i < filled.count; ++i) inserts(filled.columns[i].number);
#if PG_VERSION_NUM >= 160000
    ExecCheckPermissions(state->p_rtable, list_make1(rights), true);
#else
    ExecCheckRTPerms(state->p_rtable, true);
#endif
    return state;
}

std::uint64_t copy_in(Relation table, const ReportColumns& columns, const PublicColumns& filled,
                      Source& source) {
    ParseState* state = permitted(table, columns, filled);
    if (!table->rd_islocaltemp) PreventCommandIfReadOnly("ldp_insert()");

    char report[] = "report", round[] = "round", format[] = "format", binary[] = "binary";
    List* names = list_make2(makeString(report), makeString(round));
    for (int i = 0; i < filled.count; ++i) names = lappend(names, makeString(filled.columns[i].name));
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

/// A parameter of a statement.
struct Parameter {
    Oid type;
    Datum value;
    bool null = false;
};

/// A statement that this session has planned before, in memory that lasts as long as the session.
struct PreparedInsert {
    char* statement;
    Oid* types;
    int count;
    int running;  ///< number of executions at the moment: a trigger may insert during an insertion
    SPIPlanPtr plan;
};

/// Returns the plan of a statement, or null if all entries are running. The session keeps the plans of its last
/// statements, because planning takes longer than the insertion of a report. PostgreSQL replans if the table, the role or
/// the search path has changed. Must be called between SPI_connect() and SPI_finish().
PreparedInsert* prepared(const char* statement, int count, Oid* types) {
    static PreparedInsert inserts[16];
    static std::size_t oldest = 0;
    PreparedInsert* entry = nullptr;
    for (std::size_t i = 0; i < std::size(inserts); ++i) {
        PreparedInsert& known = inserts[(oldest + i) % std::size(inserts)];
        if (known.plan != nullptr && known.count == count && std::strcmp(known.statement, statement) == 0 &&
            std::equal(types, types + count, known.types))
            return &known;
        if (entry == nullptr && known.running == 0) entry = &known;
    }
    if (entry == nullptr) return nullptr;
    SPIPlanPtr plan = SPI_prepare(statement, count, types);
    if (plan == nullptr) elog(ERROR, "a command of ldp could not be prepared: %s", statement);
    // All memory is allocated before the entry changes, as each allocation may jump.
    char* text = MemoryContextStrdup(TopMemoryContext, statement);
    auto* copy = static_cast<Oid*>(
        MemoryContextAlloc(TopMemoryContext, static_cast<std::size_t>(count) * sizeof(Oid)));
    std::copy_n(types, count, copy);
    if (entry->plan != nullptr) {
        SPI_freeplan(entry->plan);
        pfree(entry->statement);
        pfree(entry->types);
    }
    SPI_keepplan(plan);
    *entry = {text, copy, count, 0, plan};
    oldest = (static_cast<std::size_t>(entry - inserts) + 1) % std::size(inserts);
    return entry;
}

int execute(PreparedInsert& kept, Datum* values, const char* nulls) {
    volatile int result = 0;
    ++kept.running;
    PG_TRY();
    { result = SPI_execute_plan(kept.plan, values, nulls, false, 0); }
    PG_FINALLY();
    { --kept.running; }
    PG_END_TRY();
    return result;
}

/// Runs an INSERT with two parameters, followed by the public columns. Returns the number of rows inserted.
std::uint64_t run(const char* statement, const Parameter& first, const Parameter& second,
                  const PublicColumns& filled) {
    const int count = 2 + filled.count;
    auto* types = static_cast<Oid*>(palloc(static_cast<std::size_t>(count) * sizeof(Oid)));
    auto* values = static_cast<Datum*>(palloc(static_cast<std::size_t>(count) * sizeof(Datum)));
    auto* nulls = static_cast<char*>(palloc(static_cast<std::size_t>(count) + 1));
    const auto set = [&](int at, const Parameter& parameter) {
        types[at] = parameter.type;
        values[at] = parameter.value;
        nulls[at] = parameter.null ? 'n' : ' ';
    };
    set(0, first);
    set(1, second);
    for (int i = 0; i < filled.count; ++i) set(2 + i, {filled.columns[i].type, filled.columns[i].value});
    nulls[count] = '\0';
    SPI_connect();
    PreparedInsert* const kept = prepared(statement, count, types);
    const int result = kept == nullptr
                           ? SPI_execute_with_args(statement, count, types, values, nulls, false, 0)
                           : execute(*kept, values, nulls);
    if (result < 0) elog(ERROR, "a command of ldp could not run: %s", statement);
    const std::uint64_t rows = SPI_processed;
    SPI_finish();
    return rows;
}

/// The names of a table and its public columns, and the parameters of the columns, as an INSERT has them.
struct InsertTexts {
    const char *table, *names, *values;
};

InsertTexts insert_texts(Relation table, const PublicColumns& filled) {
    InsertTexts all{quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
                                               RelationGetRelationName(table)),
                    "", ""};
    for (int i = 0; i < filled.count; ++i) {
        all.names = psprintf("%s, %s", all.names, quote_identifier(filled.columns[i].name));
        all.values = psprintf("%s, $%d", all.values, i + 3);
    }
    return all;
}

/// Inserts the batch with INSERT: as one row, or as one row per report.
std::uint64_t insert(Relation table, Oid schema, bool apart, Oid batch_type, Datum batch, Datum round,
                     const PublicColumns& filled) {
    const auto [name, names, values] = insert_texts(table, filled);
    const char* statement =
        apart ? psprintf("INSERT INTO %s (report, round%s) SELECT %s.ldp_unpack($1), $2%s", name, names,
                         quote_identifier(get_namespace_name(schema)), values)
              : psprintf("INSERT INTO %s (batch, round%s) SELECT $1, $2%s", name, names, values);
    return run(statement, {batch_type, batch}, {INT4OID, round}, filled);
}

/// The number of reports in a batch.
std::uint64_t count_of(Bytes batch) {
    const BatchFrame frame(read_header(batch, Kind::batch).block_size, 1);
    return batch.size() < frame.payloads_at() ? 0 : frame.count(batch);
}

/// SQLSTATE of a row that fits no partition; sqlstate_no_partition of core/delivery/next_step.hpp.
constexpr int no_partition = MAKE_SQLSTATE('L', 'D', '0', '0', '2');

/// Cuts a text to its first kilobyte of whole characters.
void cut(char* text) {
    constexpr int most = 1024;
    if (text == nullptr) return;
    const auto size = static_cast<int>(std::min<std::size_t>(std::strlen(text), MaxAllocSize));
    if (size > most) text[pg_mbcliplen(text, size, most)] = '\0';
}

/// Rethrows the error being handled, with texts of at most 1 kB: a trigger can raise texts of any size, which
/// clients would hold in memory. A row without a partition has an SQLSTATE of its own, unlike a row that
/// violates a CHECK: the former may succeed after partitions are added, so clients repeat it.
[[noreturn]] void rethrow(MemoryContextData* caller) {
    MemoryContextSwitchTo(caller);
    ErrorData* error = CopyErrorData();
    FlushErrorState();
    for (char* text : {error->message, error->detail, error->hint, error->context, error->internalquery})
        cut(text);
    // The name of a CHECK is set, unlike that of a partition bound.
    if (error->sqlerrcode == ERRCODE_CHECK_VIOLATION && error->table_name != nullptr &&
        error->constraint_name == nullptr) {
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

/// (table, batch, round, columns) → bigint: number of reports inserted.
LDP_FUNCTION(ldp_insert) {
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2)) PG_RETURN_NULL();
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
    const PublicColumns filled = public_columns(RelationGetRelid(table), fcinfo, 3);
    std::uint64_t rows;
    if (apart && filled.sendable && copies(table)) {
        Source source = source_of(fcinfo, contents(reinterpret_cast<varlena*>(DatumGetPointer(batch))),
                                  PG_GETARG_INT32(2), filled);
        rows = inserted([&] { return copy_in(table, columns, filled, source); });
    } else {
        rows = inserted(
            [&] { return insert(table, schema, apart, batch_type, batch, PG_GETARG_DATUM(2), filled); });
        if (!apart) rows *= count_of(contents(reinterpret_cast<varlena*>(DatumGetPointer(batch))));
    }
    relation_close(table, NoLock);
    PG_RETURN_INT64(static_cast<std::int64_t>(rows));
}

/// (table, reports, round, columns) → bigint: inserts the reports in random order, or in batches, with the rights of the
/// caller. The name of the table is quoted.
LDP_FUNCTION(ldp_insert_reports) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    const Datum name = PointerGetDatum(PG_GETARG_TEXT_PP(0));
    Relation table =
        try_relation_open(DatumGetObjectId(DirectFunctionCall1(text_regclass, name)), RowExclusiveLock);
    if (table == nullptr)  // dropped since its name was found
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("relation %s does not exist", TextDatumGetCString(name))));
    const PublicColumns filled = public_columns(RelationGetRelid(table), fcinfo, 3);
    const Parameter reports{get_fn_expr_argtype(fcinfo->flinfo, 1), PG_GETARG_DATUM(1), PG_ARGISNULL(1)};
    const Parameter round{INT4OID, PG_GETARG_DATUM(2), PG_ARGISNULL(2)};
    const bool apart =
        columns_of(table, "report", get_element_type(reports.type)).report != InvalidAttrNumber;
    const auto [written, names, values] = insert_texts(table, filled);
    const char* statement = psprintf(
        apart ? "INSERT INTO %s (report, round%s) SELECT r, $2%s FROM pg_catalog.unnest($1) AS r ORDER BY "
                "pg_catalog.random()"
              : "INSERT INTO %s (batch, round%s) SELECT r, $2%s FROM ldp_internal.ldp_packed($1) AS r",
        written, names, values);
    const std::uint64_t rows = inserted([&] { return run(statement, reports, round, filled); });
    relation_close(table, NoLock);
    PG_RETURN_INT64(static_cast<std::int64_t>(rows));
}
