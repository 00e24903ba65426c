// The index on the stamps of reports: BRIN, but the insertion of a stamp returns at once if the same transaction has just
// inserted this stamp into the same range of pages.
//
// BRIN stores the smallest and the largest stamp of a range. All rows of a transaction have the same stamp, so only its
// first row in a range can change the range. Up to version 16, PostgreSQL reads the range again for each row, which takes
// longer than the rest of an insertion of many rows.
//
// The result is the same as that of BRIN. The range contains the first row until the end of its subtransaction, so any
// later summary of the range contains its stamp.

#include "boundary.hpp"

#include <algorithm>

extern "C" {
#include "access/amapi.h"
#include "access/brin.h"
#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "storage/bufmgr.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"
#include "utils/rel.h"
}

using namespace ldp;

namespace {

aminsert_function insert_into_brin = nullptr;

/// The last stamp that was inserted into an index.
struct LastStamp {
    Oid index;
    FullTransactionId transaction;  ///< of the subtransaction
    BlockNumber range;
    std::int64_t stamp;
};
LastStamp last_stamps[16];

BlockNumber pages_of_range(Relation index) noexcept {
    // Not the macro of brin.h, which asserts the identifier of BRIN.
    const auto* options = reinterpret_cast<const BrinOptions*>(index->rd_options);
    return options != nullptr ? options->pagesPerRange : BRIN_DEFAULT_PAGES_PER_RANGE;
}

bool insert_stamp(Relation index, Datum* values, bool* nulls, ItemPointer row, Relation table,
                  IndexUniqueCheck unique,
#if PG_VERSION_NUM >= 140000
                  bool unchanged,
#endif
                  IndexInfo* info) {
    const auto insert = [&] {
        return insert_into_brin(index, values, nulls, row, table, unique,
#if PG_VERSION_NUM >= 140000
                                unchanged,
#endif
                                info);
    };
    if (nulls[0]) return insert();
    const LastStamp now{RelationGetRelid(index), GetCurrentFullTransactionId(),
                        ItemPointerGetBlockNumber(row) / pages_of_range(index), DatumGetInt64(values[0])};
    LastStamp& last = last_stamps[now.index % std::size(last_stamps)];
    if (last.index == now.index && FullTransactionIdEquals(last.transaction, now.transaction) &&
        last.range == now.range && last.stamp == now.stamp)
        return false;
    const bool result = insert();
    last = now;
    return result;
}

bool owns(Oid relation) {
#if PG_VERSION_NUM >= 160000
    return object_ownercheck(RelationRelationId, relation, GetUserId());
#else
    return pg_class_ownercheck(relation, GetUserId());
#endif
}

}  // namespace

/// The access method ldp_stamps.
LDP_FUNCTION(ldp_stamps_handler) {
    const auto* brin = reinterpret_cast<const IndexAmRoutine*>(
        DatumGetPointer(DirectFunctionCall1(brinhandler, PointerGetDatum(nullptr))));
    insert_into_brin = brin->aminsert;
    // From version 19 on, the caller keeps the pointer; before, it frees the structure.
#if PG_VERSION_NUM >= 190000
    static IndexAmRoutine all;
    IndexAmRoutine* const routine = &all;
#else
    auto* const routine = static_cast<IndexAmRoutine*>(palloc(sizeof(IndexAmRoutine)));
#endif
    *routine = *brin;
    routine->aminsert = insert_stamp;
    PG_RETURN_POINTER(routine);
}

/// (index) → bigint: summarizes ranges of pages that are full, as VACUUM does. PostgreSQL's function accepts only the
/// access method brin.
LDP_FUNCTION(ldp_summarize_stamps) {
    const Oid id = PG_GETARG_OID(0);
    Relation table = table_open(IndexGetRelation(id, false), ShareUpdateExclusiveLock);
    Relation index = index_open(id, ShareUpdateExclusiveLock);
    if (!owns(id)) aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_INDEX, RelationGetRelationName(index));
    // A partitioned index has no pages.
    if (index->rd_rel->relkind != RELKIND_INDEX || index->rd_indam->aminsert != insert_stamp)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("\"%s\" is not an index on stamps", RelationGetRelationName(index))));
    IndexVacuumInfo info{};
    info.index = index;
#if PG_VERSION_NUM >= 160000
    info.heaprel = table;
#endif
    info.message_level = DEBUG2;
    info.estimated_count = true;
    info.num_heap_tuples = table->rd_rel->reltuples;
    info.strategy = GetAccessStrategy(BAS_VACUUM);
    const IndexBulkDeleteResult* found = index->rd_indam->amvacuumcleanup(&info, nullptr);
    const auto ranges = found == nullptr ? 0 : static_cast<std::int64_t>(found->num_index_tuples);
    FreeAccessStrategy(info.strategy);
    index_close(index, ShareUpdateExclusiveLock);
    table_close(table, ShareUpdateExclusiveLock);
    PG_RETURN_INT64(ranges);
}
