// A query of a distributed rollup has a row for each bucket and shard. Aggregates of Citus take several
// microseconds for each of these rows, mostly to look up functions. Here, the rows are fetched as they are, and the
// summaries of a bucket are added in their short form.

#include "collection/shard_rows.hpp"

#include "collection/report_table.hpp"
#include "states.hpp"

extern "C" {
#include "access/htup_details.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/queryenvironment.h"
#include "utils/tuplestore.h"
}

#include <cstring>

using namespace ldp;

namespace {

char table_name[] = "ldp_shard_rows";

/// A key of the rollup's table: a SHA-256 digest.
constexpr std::size_t key_size = 32;

/// The rows of a bucket.
struct BucketSum {
    std::byte key[key_size];
    HeapTuple row;     ///< the first one
    varlena* summary;  ///< the sum: in the short form, or unchecked
    BucketSum* next;
};

/// Rows on their way from the query into the table.
struct ShardRows {
    FunctionCallInfo fcinfo;
    TupleDesc fetched;  ///< of the query
    Tuplestorestate* table;
    TupleDesc columns;  ///< of the table
    HTAB* buckets;      ///< null if the query has no column bucket
    BucketSum* first;
    BucketSum** last;
};

/// A value of the query, which is copied if it is compressed.
varlena* value_of(HeapTuple row, TupleDesc fetched, int column) {
    bool none;
    const Datum value = heap_getattr(row, column, fetched, &none);
    if (none) elog(ERROR, "column %d of the rows of shards is NULL", column);
    return reinterpret_cast<varlena*>(PG_DETOAST_DATUM_PACKED(value));
}

/// The summary of a row in the short form.
varlena* summary_of_row(const ShardRows& rows, HeapTuple row) {
    varlena* state = value_of(row, rows.fetched, rows.fetched->natts);
    if (!is_packed_summary(contents(state)))
        elog(ERROR, "the rows of shards have no summary in the short form");
    return state;
}

void put_row(const ShardRows& rows, HeapTuple row, varlena* summary) {
    const int skipped = rows.buckets == nullptr ? 0 : 1, count = rows.columns->natts;
    auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<std::size_t>(count)));
    auto* nulls = static_cast<bool*>(palloc(sizeof(bool) * static_cast<std::size_t>(count)));
    for (int i = 0; i + 1 < count; ++i)
        values[i] = heap_getattr(row, i + 1 + skipped, rows.fetched, &nulls[i]);
    values[count - 1] = PointerGetDatum(summary);
    nulls[count - 1] = false;
    tuplestore_putvalues(rows.table, rows.columns, values, nulls);
    pfree(values);
    pfree(nulls);
}

void add_to_bucket(ShardRows& rows, HeapTuple row) {
    const Bytes key = contents(value_of(row, rows.fetched, 1));
    if (key.size() != key_size) elog(ERROR, "the rows of shards have an invalid bucket");
    bool found;
    auto* bucket = static_cast<BucketSum*>(hash_search(rows.buckets, key.data(), HASH_ENTER, &found));
    varlena* state = summary_of_row(rows, row);
    if (found) {
        varlena* const before = bucket->summary;
        bucket->summary = packed_sum(rows.fcinfo, before, {}, contents(state));
        if (bucket->summary != before) pfree(before);
        return;
    }
    // Rows of the query are freed with each portion of them.
    bucket->row = heap_copytuple(row);
    bucket->summary = static_cast<varlena*>(palloc(VARSIZE_ANY(state)));
    std::memcpy(bucket->summary, state, VARSIZE_ANY(state));
    bucket->next = nullptr;
    *rows.last = bucket;
    rows.last = &bucket->next;
}

void take_row(ShardRows& rows, HeapTuple row) {
    if (rows.buckets != nullptr) return add_to_bucket(rows, row);
    varlena* summary = as_summary(rows.fcinfo, {}, contents(summary_of_row(rows, row)));
    put_row(rows, row, summary);
    pfree(summary);
}

/// The columns of the table.
TupleDesc columns_of(TupleDesc fetched, bool bucket) {
    const int skipped = bucket ? 1 : 0, count = fetched->natts - skipped;
    TupleDesc columns = CreateTemplateTupleDesc(count);
    for (int i = 1; i < count; ++i)
        TupleDescCopyEntry(columns, static_cast<AttrNumber>(i), fetched,
                           static_cast<AttrNumber>(i + skipped));
    TupleDescInitEntry(columns, static_cast<AttrNumber>(count),
                       NameStr(TupleDescAttr(fetched, count - 1 + skipped)->attname),
                       type_named("ldp_summary", extension_schema()), -1, 0);
    return columns;
}

HTAB* new_buckets() {
    HASHCTL control{};
    control.keysize = key_size;
    control.entrysize = sizeof(BucketSum);
    control.hcxt = CurrentMemoryContext;
    return hash_create("buckets of shards", 1024, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

}  // namespace

namespace ldp {

void register_shard_rows(FunctionCallInfo fcinfo, const char* query) {
    constexpr long portion = 1000;
    MemoryContextData* const memory = CurrentMemoryContext;
    const Portal cursor = SPI_cursor_open_with_args(nullptr, query, 0, nullptr, nullptr, nullptr, true, 0);
    ShardRows rows{fcinfo, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
    rows.last = &rows.first;
    do {
        SPI_cursor_fetch(cursor, true, portion);
        if (rows.table == nullptr) {
            rows.fetched = CreateTupleDescCopy(SPI_tuptable->tupdesc);
            const bool bucket = std::strcmp(NameStr(TupleDescAttr(rows.fetched, 0)->attname), "bucket") == 0;
            if (bucket) rows.buckets = new_buckets();
            rows.columns = columns_of(rows.fetched, bucket);
            rows.table = tuplestore_begin_heap(true, false, work_mem);
        }
        for (std::uint64_t i = 0; i < SPI_processed; ++i) take_row(rows, SPI_tuptable->vals[i]);
        SPI_freetuptable(SPI_tuptable);
        CHECK_FOR_INTERRUPTS();
    } while (SPI_processed > 0);
    SPI_cursor_close(cursor);
    for (BucketSum* bucket = rows.first; bucket != nullptr; bucket = bucket->next) {
        varlena* summary = bucket->summary;
        if (is_unchecked(contents(summary)))
            check_sum(fcinfo, writable(summary));
        else
            summary = as_summary(fcinfo, {}, contents(summary));
        put_row(rows, bucket->row, summary);
        pfree(summary);
        if (summary != bucket->summary) pfree(bucket->summary);
        heap_freetuple(bucket->row);
        CHECK_FOR_INTERRUPTS();
    }
    if (rows.buckets != nullptr) hash_destroy(rows.buckets);
    MemoryContextSwitchTo(memory);

    auto* relation = static_cast<EphemeralNamedRelation>(palloc0(sizeof(EphemeralNamedRelationData)));
    relation->md.name = table_name;
    relation->md.reliddesc = InvalidOid;
    relation->md.tupdesc = rows.columns;
    relation->md.enrtype = ENR_NAMED_TUPLESTORE;
    relation->md.enrtuples = static_cast<double>(tuplestore_tuple_count(rows.table));
    relation->reldata = rows.table;
    if (SPI_register_relation(relation) != SPI_OK_REL_REGISTER)
        elog(ERROR, "the rows of shards have no table");
}

}  // namespace ldp
