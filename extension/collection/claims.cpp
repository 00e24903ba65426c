#include "collection/claims.hpp"

#include <algorithm>
#include <cstring>
#include <span>

extern "C" {
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "pgstat.h"
#include "replication/syncrep.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/uuid.h"
}

namespace ldp {

namespace {

/// SQLSTATE of a batch that was counted with other content; sqlstate_outdated of core/delivery/next_step.hpp.
constexpr int other_content = MAKE_SQLSTATE('L', 'D', '0', '0', '1');
/// SQLSTATE of a batch without a valid token; sqlstate_token of core/delivery/next_step.hpp.
constexpr int no_token = MAKE_SQLSTATE('L', 'D', '0', '0', '3');

int order_of(const Claim& a, const Claim& b) noexcept {
    return std::memcmp(DatumGetPointer(a.batch), DatumGetPointer(b.batch), UUID_LEN);
}

/// The value of a column of the result of the last statement. No column of these statements is NULL.
Datum value_at(std::uint64_t row, int column) {
    bool none;
    return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &none);
}

Bytes digest_of(const Claim& claim) {
    return contents(PG_DETOAST_DATUM_PACKED(claim.digest));
}

/// Citus distributes the records by batch, and does not plan statements over several of them with a conflict clause.
bool is_distributed() {
    return get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE) != InvalidOid;
}

/// An array of one member of each claim.
template <class Member>
StatementParameter array_of(Claim* const* claims, std::size_t count, Oid type, std::int16_t length,
                            bool by_value, char alignment, Member member) {
    auto* values = static_cast<Datum*>(palloc(count * sizeof(Datum)));
    for (std::size_t i = 0; i < count; ++i) values[i] = member(*claims[i]);
    return {get_array_type(type), PointerGetDatum(construct_array(values, static_cast<int>(count), type,
                                                                  length, by_value, alignment))};
}

StatementParameter batches_of(Claim* const* claims, std::size_t count) {
    return array_of(claims, count, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR,
                    [](const Claim& one) { return one.batch; });
}

/// A new batch of this transaction.
struct NewBatch {
    std::uint8_t batch[UUID_LEN], digest[32];
    std::int64_t reports;
};

/// The batches, sorted, that a call recorded in this transaction. A client claims its batches again before the commit,
/// because a trigger could have removed the records. The session counts deletions and updates: if there were none since
/// the call, the records are not read again. Tables of Citus are not counted.
struct NewBatches {
    MemoryContextCallback at_end;
    text *collection, *submitter;
    NewBatch* batches;
    std::size_t count;
    std::int64_t changes;  ///< value of changes_of_records() after the call
};
NewBatches* new_batches = nullptr;
/// The most batches that are kept.
constexpr std::size_t most_new_batches = 10000;

/// The number of records that this session deleted or updated. Also counts those of other transactions that the session
/// has not yet added to the statistics of the table.
std::int64_t changes_of_records() {
    const Datum table =
        ObjectIdGetDatum(get_relname_relid("ldp_batch", get_namespace_oid("ldp_internal", false)));
    return DatumGetInt64(DirectFunctionCall1(pg_stat_get_xact_tuples_deleted, table)) +
           DatumGetInt64(DirectFunctionCall1(pg_stat_get_xact_tuples_updated, table));
}

/// Keeps the new batches of a call for the rest of the transaction. The records of a subtransaction may be rolled back.
void keep_new(const ClaimOwner& owner, Claim* const* claims, std::size_t count) {
    if (count > most_new_batches || GetCurrentTransactionNestLevel() > 1 || !pgstat_track_counts) return;
    const MemoryContext before = MemoryContextSwitchTo(TopTransactionContext);
    if (new_batches == nullptr) {
        auto* const made = static_cast<NewBatches*>(palloc0(sizeof(NewBatches)));
        made->at_end.func = [](void*) { new_batches = nullptr; };
        MemoryContextRegisterResetCallback(TopTransactionContext, &made->at_end);
        new_batches = made;
    } else if (new_batches->batches != nullptr) {
        pfree(new_batches->collection);
        pfree(new_batches->submitter);
        pfree(new_batches->batches);
    }
    NewBatches& kept = *new_batches;
    kept.count = 0;
    kept.collection = DatumGetTextPCopy(owner.collection.value);
    kept.submitter = DatumGetTextPCopy(owner.submitter.value);
    kept.batches = static_cast<NewBatch*>(palloc(count * sizeof(NewBatch)));
    kept.changes = changes_of_records();
    for (std::size_t i = 0; i < count; ++i) {
        const Claim& claim = *claims[i];
        if (claim.result != ClaimResult::fresh) continue;
        NewBatch& batch = kept.batches[kept.count++];
        std::memcpy(batch.batch, DatumGetPointer(claim.batch), UUID_LEN);
        std::ranges::copy(digest_of(claim), std::as_writable_bytes(std::span(batch.digest)).begin());
        batch.reports = DatumGetInt64(claim.reports);
    }
    MemoryContextSwitchTo(before);
}

/// Whether a call recorded all these batches in this transaction, and their records exist.
bool are_new(const ClaimOwner& owner, Claim* const* claims, std::size_t count) {
    if (new_batches == nullptr || count > new_batches->count || !pgstat_track_counts ||
        new_batches->changes != changes_of_records())
        return false;
    const auto same = [](const text* kept, const StatementParameter& now) {
        return std::ranges::equal(contents(kept), contents(DatumGetTextPP(now.value)));
    };
    if (!same(new_batches->collection, owner.collection) || !same(new_batches->submitter, owner.submitter))
        return false;
    const NewBatch *at = new_batches->batches, *const end = at + new_batches->count;
    for (std::size_t i = 0; i < count; ++i) {
        const Claim& claim = *claims[i];
        const auto* const id = DatumGetPointer(claim.batch);
        while (at != end && std::memcmp(at->batch, id, UUID_LEN) < 0) ++at;
        if (at == end || std::memcmp(at->batch, id, UUID_LEN) != 0 ||
            at->reports != DatumGetInt64(claim.reports) ||
            !std::ranges::equal(std::as_bytes(std::span(at->digest)), digest_of(claim)))
            return false;
    }
    return true;
}

void record_one(const ClaimOwner& owner, Claim& claim) {
    const StatementParameter row[] = {owner.collection,
                                      owner.submitter,
                                      {UUIDOID, claim.batch},
                                      {INT8OID, claim.reports},
                                      {BYTEAOID, claim.digest}};
    const bool fresh =
        run_kept(PlanCache::catalog,
                 "INSERT INTO ldp_internal.ldp_batch (collection, submitter, batch, reports, digest) "
                 "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                 row, 5) == 1;
    claim.result = fresh ? ClaimResult::fresh : ClaimResult::repeated;
}

/// Records the batches that are not recorded. The claims are sorted by batch; of equal batches, the first is new.
void record(const ClaimOwner& owner, Claim* const* claims, std::size_t count, bool one_by_one) {
    if (one_by_one) {
        for (std::size_t i = 0; i < count; ++i) record_one(owner, *claims[i]);
        return;
    }
    const StatementParameter rows[] = {
        owner.collection, owner.submitter, batches_of(claims, count),
        array_of(claims, count, INT8OID, sizeof(std::int64_t), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
                 [](const Claim& one) { return one.reports; }),
        array_of(claims, count, BYTEAOID, -1, false, TYPALIGN_INT,
                 [](const Claim& one) { return one.digest; })};
    // The rows are inserted, and returned, in the order of the arrays.
    const std::uint64_t fresh = run_kept(
        PlanCache::catalog,
        "INSERT INTO ldp_internal.ldp_batch AS b (collection, submitter, batch, reports, digest) "
        "SELECT $1, $2, u.batch, u.reports, u.digest FROM ROWS FROM (pg_catalog.unnest($3), pg_catalog.unnest($4), "
        "pg_catalog.unnest($5)) AS u (batch, reports, digest) ON CONFLICT DO NOTHING RETURNING b.batch",
        rows, 5);
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_next = next < fresh && std::memcmp(DatumGetPointer(claims[i]->batch),
                                                         DatumGetPointer(value_at(next, 1)), UUID_LEN) == 0;
        claims[i]->result = is_next ? ClaimResult::fresh : ClaimResult::repeated;
        if (is_next) ++next;
    }
    if (next != fresh) elog(ERROR, "the records of batches are not in the order of the claims");
}

/// Deletes the token of a new batch. A token admits one report. A revocation, which has no reports, needs no token.
ClaimResult redeemed(const ClaimOwner& owner, const Claim& claim) {
    const std::int64_t reports = DatumGetInt64(claim.reports);
    if (reports == 0 || (claim.token.null && !owner.tokens)) return ClaimResult::fresh;
    if (claim.token.null) return ClaimResult::token_missing;
    if (reports != 1) return ClaimResult::several_reports;
    const StatementParameter row[] = {owner.collection, claim.token};
    const bool found =
        run_kept(PlanCache::catalog,
                 "DELETE FROM ldp_internal.ldp_token AS t WHERE t.collection OPERATOR(pg_catalog.=) $1 "
                 "AND t.digest OPERATOR(pg_catalog.=) $2",
                 row, 2) == 1;
    return found ? ClaimResult::fresh : ClaimResult::token_unknown;
}

/// Removes the record of a batch that is refused in this transaction.
void erase(const ClaimOwner& owner, const Claim& claim) {
    const StatementParameter row[] = {owner.collection, owner.submitter, {UUIDOID, claim.batch}};
    run_kept(
        PlanCache::catalog,
        "DELETE FROM ldp_internal.ldp_batch AS b WHERE b.collection OPERATOR(pg_catalog.=) $1 AND b.submitter "
        "OPERATOR(pg_catalog.=) $2 AND b.batch OPERATOR(pg_catalog.=) $3",
        row, 3);
}

/// Compares batches that were recorded before with the records.
void compare(const ClaimOwner& owner, Claim* const* claims, std::size_t count, bool one_by_one) {
    if (one_by_one && count > 1) {
        for (std::size_t i = 0; i < count; ++i) compare(owner, claims + i, 1, true);
        return;
    }
    if (count == 0) return;
    StatementParameter rows[] = {owner.collection, owner.submitter, {UUIDOID, claims[0]->batch}};
    if (count > 1) rows[2] = batches_of(claims, count);
    // Each batch is looked up in the index: OFFSET prevents a plan that reads all records.
    const std::uint64_t found = run_kept(
        PlanCache::catalog,
        count == 1
            ? "SELECT b.reports, b.digest FROM ldp_internal.ldp_batch AS b WHERE b.collection "
              "OPERATOR(pg_catalog.=) $1 AND b.submitter OPERATOR(pg_catalog.=) $2 AND b.batch "
              "OPERATOR(pg_catalog.=) $3"
            : "SELECT r.reports, r.digest FROM pg_catalog.unnest($3) AS u (batch), LATERAL (SELECT b.reports, "
              "b.digest FROM ldp_internal.ldp_batch AS b WHERE b.collection OPERATOR(pg_catalog.=) $1 AND "
              "b.submitter OPERATOR(pg_catalog.=) $2 AND b.batch OPERATOR(pg_catalog.=) u.batch OFFSET 0) AS r",
        rows, 3);
    if (found != count)
        ereport(ERROR, (errcode(ERRCODE_NO_DATA_FOUND), errmsg("the record of a batch was just removed"),
                        errhint("Repeat the batch.")));
    for (std::size_t i = 0; i < count; ++i) {
        Claim& claim = *claims[i];
        claim.counted = DatumGetInt64(value_at(i, 1));
        const Bytes before = contents(PG_DETOAST_DATUM_PACKED(value_at(i, 2)));
        if (claim.counted != DatumGetInt64(claim.reports) || !std::ranges::equal(before, digest_of(claim)))
            claim.result = ClaimResult::other_batch;
    }
}

[[noreturn]] void refuse_other_batch(const ClaimOwner& owner, const Claim& claim) {
    const std::int64_t given = DatumGetInt64(claim.reports);
    ereport(
        ERROR,
        (errcode(other_content),
         errmsg("batch %s of collection \"%s\" was counted before with other reports",
                DatumGetCString(DirectFunctionCall1(uuid_out, claim.batch)),
                TextDatumGetCString(owner.collection.value)),
         claim.counted == given
             ? errdetail("Both batches have %lld reports; their rounds, public columns or reports differ.",
                         static_cast<long long>(claim.counted))
             : errdetail("The counted batch has %lld reports; the new batch has %lld.",
                         static_cast<long long>(claim.counted), static_cast<long long>(given)),
         errhint("Use a new identifier for each batch, and repeat a batch unchanged.")));
    pg_unreachable();
}

[[noreturn]] void refuse_without_token(const ClaimOwner& owner, const Claim& claim) {
    const char* const collection = TextDatumGetCString(owner.collection.value);
    if (claim.result == ClaimResult::token_missing)
        ereport(ERROR,
                (errcode(no_token), errmsg("collection \"%s\" requires a token for each report", collection),
                 errhint("Send the token in the public column ldp_token.")));
    if (claim.result == ClaimResult::several_reports)
        ereport(ERROR, (errcode(no_token), errmsg("a token admits one report"),
                        errdetail("The batch has %lld reports.",
                                  static_cast<long long>(DatumGetInt64(claim.reports))),
                        errhint("Submit each report in a batch of its own, with its own token.")));
    ereport(
        ERROR,
        (errcode(no_token),
         errmsg("the token is unknown to collection \"%s\", or was redeemed by another batch", collection),
         errhint("A token admits one batch. The owner of the collection can create further tokens.")));
    pg_unreachable();
}

bool is_refused_for_token(const Claim& claim) noexcept {
    return claim.result > ClaimResult::other_batch;
}

}  // namespace

void claim_together(const ClaimOwner& owner, Claim* claims, std::size_t count) {
    auto** sorted = static_cast<Claim**>(palloc((count + 1) * sizeof(Claim*)));
    for (std::size_t i = 0; i < count; ++i) sorted[i] = claims + i;
    // Equal batches stay in the order of the caller.
    std::sort(sorted, sorted + count, [](const Claim* a, const Claim* b) {
        const int order = order_of(*a, *b);
        return order < 0 || (order == 0 && a < b);
    });
    if (count > 1 && are_new(owner, sorted, count)) {
        for (std::size_t i = 0; i < count; ++i) claims[i].result = ClaimResult::repeated;
        return;
    }
    const bool distributed = is_distributed(), one_by_one = count == 1 || distributed;
    record(owner, sorted, count, one_by_one);

    auto** known = static_cast<Claim**>(palloc((count + 1) * sizeof(Claim*)));
    std::size_t known_count = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Claim& claim = *sorted[i];
        if (claim.result == ClaimResult::fresh) {
            claim.result = redeemed(owner, claim);
            if (is_refused_for_token(claim)) erase(owner, claim);
        } else if (i > 0 && is_refused_for_token(*sorted[i - 1]) && order_of(*sorted[i - 1], claim) == 0) {
            claim_together(owner, &claim, 1);  // the record that it met was erased
        } else {
            known[known_count++] = &claim;
        }
    }
    compare(owner, known, known_count, one_by_one);
    // The commit that counted the batch may have been cut off while it waited for a standby. A transaction without
    // a record in the log would not wait for one; this one is replicated after the batch.
    const bool repeated = std::any_of(known, known + known_count, [](const Claim* claim) {
        return claim->result == ClaimResult::repeated;
    });
    if (repeated && SyncRepStandbyNames != nullptr && SyncRepStandbyNames[0] != '\0')
        run_kept(PlanCache::catalog,
                 "SELECT pg_catalog.pg_logical_emit_message(true, 'ldp', ''::pg_catalog.text)", nullptr, 0);
    if (count > 1 && !distributed) keep_new(owner, sorted, count);
}

bool claim_alone(const ClaimOwner& owner, Claim claim) {
    claim_together(owner, &claim, 1);
    if (claim.result == ClaimResult::other_batch) refuse_other_batch(owner, claim);
    if (is_refused_for_token(claim)) refuse_without_token(owner, claim);
    return claim.result == ClaimResult::fresh;
}

const char* result_text(ClaimResult result) noexcept {
    switch (result) {
        case ClaimResult::fresh:
            return "new";
        case ClaimResult::repeated:
            return "repeated";
        case ClaimResult::other_batch:
            return "LD001";
        default:
            return "LD003";
    }
}

}  // namespace ldp
