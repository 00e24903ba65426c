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
#include "collection/insertion.hpp"
#include "collection/public_columns.hpp"
#include "collection/random_order.hpp"
#include "collection/report_table.hpp"
#include "collection/session_plans.hpp"

extern "C" {
#include "access/relation.h"
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

/// Runs an INSERT with two parameters, followed by the public columns. Returns the number of rows inserted.
std::uint64_t run_insert(const char* statement, const StatementParameter& first,
                         const StatementParameter& second, const PublicColumns& filled) {
    const int count = 2 + filled.count;
    auto* all = static_cast<StatementParameter*>(
        palloc(static_cast<std::size_t>(count) * sizeof(StatementParameter)));
    all[0] = first;
    all[1] = second;
    for (int i = 0; i < filled.count; ++i) all[2 + i] = {filled.columns[i].type, filled.columns[i].value};
    SPI_connect();
    const std::uint64_t rows = run_kept(PlanCache::insertions, statement, all, count);
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
              : psprintf("INSERT INTO %s (batch, round%s) VALUES ($1, $2%s)", name, names, values);
    return run_insert(statement, {batch_type, batch}, {INT4OID, round}, filled);
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

/// The reports of an array as one batch, with payloads in ascending order or in that of the array. Null if they do
/// not form exactly one batch: if the array is empty, a report is NULL, the specs differ, or the batch would be too
/// large.
varlena* batch_of(FunctionCallInfo fcinfo, const Datum* reports, const bool* missing, std::size_t count,
                  bool sorted) {
    if (count == 0 || std::find(missing, missing + count, true) != missing + count) return nullptr;
    const auto report = [&](std::size_t i) {
        return contents(reinterpret_cast<const varlena*>(DatumGetPointer(reports[i])));
    };
    const Bytes first = report(0);
    if (count > std::max<std::size_t>(max_batch_payloads / first.size(), 1)) return nullptr;
    const Mechanism& mechanism = mechanism_of(fcinfo, first, Kind::report);
    const Bytes block = mechanism.block();
    for (std::size_t i = 1; i < count; ++i)
        if (report(i).size() != first.size() ||
            std::memcmp(report(i).data(), first.data(), block.size()) != 0)
            return nullptr;
    const BatchFrame frame = batch_frame(mechanism);
    varlena* batch = new_value(frame.size(count));
    frame.start(writable(batch), block, static_cast<std::uint32_t>(count));
    const MutableBytes payloads = frame.payloads(writable(batch));
    const std::size_t size = first.size() - block.size();
    for (std::size_t i = 0; i < count; ++i)
        std::ranges::copy(payload_of(report(i), block), payloads.subspan(i * size, size).begin());
    if (sorted) sort_payloads(payloads, size);
    return batch;
}

[[noreturn]] void refuse_null_report() {
    ereport(ERROR, (errcode(ERRCODE_NOT_NULL_VIOLATION), errmsg("reports of a batch must not be NULL"),
                    errhint("Remove the NULL elements of the array.")));
    pg_unreachable();
}

/// Inserts one report, or one batch of reports, as a row.
std::uint64_t insert_row(Relation table, const char* column, const StatementParameter& value,
                         const StatementParameter& round, const PublicColumns& filled) {
    const auto [name, names, values] = insert_texts(table, filled);
    const char* statement =
        psprintf("INSERT INTO %s (%s, round%s) VALUES ($1, $2%s)", name, column, names, values);
    return inserted([&] { return run_insert(statement, value, round, filled); });
}

}  // namespace

namespace ldp {

InsertedRows insert_report(FunctionCallInfo fcinfo, Relation table, Oid schema, int first) {
    const PublicColumns filled = public_columns(RelationGetRelid(table), fcinfo, first + 2);
    const StatementParameter round{INT4OID, PG_GETARG_DATUM(first + 1), PG_ARGISNULL(first + 1)};
    const Oid type = type_named("ldp_report", schema);
    if (report_columns(RelationGetRelid(table), "report", type).report != InvalidAttrNumber)
        return {
            insert_row(table, "report", {type, PG_GETARG_DATUM(first), PG_ARGISNULL(first)}, round, filled),
            1};
    if (PG_ARGISNULL(first)) refuse_null_report();
    const Datum report = PointerGetDatum(PG_GETARG_VARLENA_PP(first));
    const bool missing = false;
    varlena* const batch = batch_of(fcinfo, &report, &missing, 1, true);
    return {insert_row(table, "batch", {type_named("ldp_report_batch", schema), PointerGetDatum(batch)},
                       round, filled),
            1};
}

InsertedRows insert_reports(FunctionCallInfo fcinfo, Relation table, Oid schema, int first) {
    const Oid id = RelationGetRelid(table);
    const PublicColumns filled = public_columns(id, fcinfo, first + 2);
    const StatementParameter round{INT4OID, PG_GETARG_DATUM(first + 1), PG_ARGISNULL(first + 1)};
    const Oid type = type_named("ldp_report", schema);
    const ReportColumns columns = report_columns(id, "report", type);
    const bool apart = columns.report != InvalidAttrNumber;
    Datum* reports = nullptr;
    bool* missing = nullptr;
    int count = 0;
    if (!PG_ARGISNULL(first))
        deconstruct_array(PG_GETARG_ARRAYTYPE_P(first), type, -1, false, TYPALIGN_INT, &reports, &missing,
                          &count);
    if (apart && count == 1)
        return {insert_row(table, "report", {type, reports[0], missing[0]}, round, filled), 1};
    const bool copied = apart && !round.null && filled.sendable && copies(table);
    varlena* const batch = apart && !copied
                               ? nullptr
                               : batch_of(fcinfo, reports, missing, static_cast<std::size_t>(count), !apart);
    if (batch != nullptr && !apart)
        return {insert_row(table, "batch", {type_named("ldp_report_batch", schema), PointerGetDatum(batch)},
                           round, filled),
                1};
    if (batch != nullptr) {
        Source source = source_of(fcinfo, contents(batch), DatumGetInt32(round.value), filled);
        return {inserted([&] { return copy_in(table, columns, filled, source); }),
                static_cast<std::uint64_t>(count)};
    }
    const auto [name, names, values] = insert_texts(table, filled);
    const char* statement = psprintf(
        apart ? "INSERT INTO %s (report, round%s) SELECT r, $2%s FROM pg_catalog.unnest($1) AS r ORDER BY "
                "pg_catalog.random()"
              : "INSERT INTO %s (batch, round%s) SELECT r, $2%s FROM ldp_internal.ldp_packed($1) AS r",
        name, names, values);
    const StatementParameter all{get_array_type(type), PG_GETARG_DATUM(first), PG_ARGISNULL(first)};
    return {inserted([&] { return run_insert(statement, all, round, filled); }),
            apart ? static_cast<std::uint64_t>(count) : InsertedRows::unknown};
}

}  // namespace ldp

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
    const ReportColumns columns =
        report_columns(RelationGetRelid(table), "report", type_named("ldp_report", schema));
    const bool apart = columns.report != InvalidAttrNumber;
    if (!apart && report_columns(RelationGetRelid(table), "batch", batch_type).report == InvalidAttrNumber)
        refuse_table(table);
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
    const std::uint64_t rows = insert_reports(fcinfo, table, extension_schema(), 1).stored;
    relation_close(table, NoLock);
    PG_RETURN_INT64(static_cast<std::int64_t>(rows));
}
