// The clock of tables whose rows are on several servers. sql/epochs.sql explains how rollups use it; this file reads and
// advances the clock of one server, and locks epochs.

#include "boundary.hpp"

extern "C" {
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "tcop/pquery.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"
}

#include <algorithm>

using namespace ldp;

namespace {

// The value of the sequence is an epoch and, in the low bits, the timeline of the server that set it. A standby that was
// promoted, or a server that was recovered to an earlier moment, may lack the last values. It has another timeline, so it
// has no epoch until the next refresh sets one.
constexpr int timeline_bits = 16;

/// An epoch modulo this number is part of the tag of its lock. Epochs that share a lock only end later.
constexpr std::int64_t lock_count = 32767;
/// Stands for all epochs, in transactions that store reports of very many.
constexpr std::uint16_t lock_of_all = lock_count;

/// An epoch that this transaction has locked for a table.
struct LockedEpoch {
    std::uint32_t table;
    std::int64_t epoch;
    bool chosen;  ///< reports that this server stamps get this epoch
};
constexpr int most_locked = 16;
LockedEpoch locked[most_locked];
int locked_count = 0;

void forget_locked(XactEvent event, void*) {
    switch (event) {
        case XACT_EVENT_COMMIT:
        case XACT_EVENT_ABORT:
        case XACT_EVENT_PREPARE:
            locked_count = 0;
            break;
        default:
            break;
    }
}

/// Adds to the list, if there is space. Without an entry, an epoch is locked anew.
void remember_locked(const LockedEpoch& one) {
    static bool registered = false;
    if (!registered) RegisterXactCallback(&forget_locked, nullptr);
    registered = true;
    if (locked_count < most_locked) locked[locked_count++] = one;
}

Oid clock_sequence() {
    return get_relname_relid("ldp_clock", get_namespace_oid("ldp_internal", false));
}

/// The value of the sequence; 0 before the first refresh.
std::int64_t clock_value(Oid sequence) {
    LOCAL_FCINFO(call, 1);
    InitFunctionCallInfoData(*call, nullptr, 1, InvalidOid, nullptr, nullptr);
    call->args[0] = {ObjectIdGetDatum(sequence), false};
    const Datum value = pg_sequence_last_value(call);
    return call->isnull ? 0 : DatumGetInt64(value);
}

std::int64_t timeline() {
#if PG_VERSION_NUM >= 150000
    const TimeLineID current = GetWALInsertionTimeLine();
#else
    const TimeLineID current = ThisTimeLineID;
#endif
    return current % (1 << timeline_bits);
}

/// The epoch of this server; 0 if it has none.
std::int64_t current_epoch(Oid sequence) {
    if (RecoveryInProgress()) return 0;  // also initializes the timeline
    const std::int64_t value = clock_value(sequence);
    return value % (1 << timeline_bits) == timeline() ? value >> timeline_bits : 0;
}

/// Locks an epoch until the end of the transaction, including a prepared one. The class in the tag is the sequence, so
/// that no other lock has this tag.
void lock_epoch(Oid sequence, std::uint32_t table, std::uint16_t number) {
    LOCKTAG tag;
    SET_LOCKTAG_OBJECT(tag, MyDatabaseId, sequence, table, number);
    // A lock of a subtransaction would end when the subtransaction is undone.
    ResourceOwnerData* const before = CurrentResourceOwner;
    CurrentResourceOwner = TopTransactionResourceOwner;
    PG_TRY();
    { (void)LockAcquire(&tag, ShareLock, false, false); }
    PG_FINALLY();
    { CurrentResourceOwner = before; }
    PG_END_TRY();
}

std::uint16_t lock_number(std::int64_t epoch) {
    return static_cast<std::uint16_t>(epoch % lock_count);
}

/// Whether an INSERT commits by itself as soon as it ends, also if the server that sent it has crashed since.
bool commits_itself() {
    return !IsTransactionBlock() && ActivePortal != nullptr && ActivePortal->commandTag == CMDTAG_INSERT;
}

}  // namespace

/// (table) → bigint: the epoch of the reports that this transaction inserts into a table; NULL if this server has no
/// epoch. All rows of a transaction have the same epoch, so the function is STABLE.
LDP_FUNCTION(ldp_epoch) {
    const auto table = static_cast<std::uint32_t>(PG_GETARG_INT64(0));
    for (int i = 0; i < locked_count; ++i)
        if (locked[i].chosen && locked[i].table == table) PG_RETURN_INT64(locked[i].epoch);
    const Oid sequence = clock_sequence();
    // An epoch that ended before it was locked does not count as locked. A refresh ends an epoch first, and then looks for
    // locks.
    for (std::int64_t epoch = current_epoch(sequence), later;; epoch = later) {
        if (epoch == 0) PG_RETURN_NULL();
        lock_epoch(sequence, table, lock_number(epoch));
        later = current_epoch(sequence);
        if (later != epoch) continue;
        remember_locked({table, epoch, true});
        PG_RETURN_INT64(epoch);
    }
}

/// (table, stamp) → boolean: locks the epoch of a row in the transaction that stores it. Always true.
LDP_FUNCTION(ldp_lock_epoch) {
    const auto table = static_cast<std::uint32_t>(PG_GETARG_INT64(0));
    const std::int64_t epoch = PG_GETARG_INT64(1);
    if (epoch <= 0) PG_RETURN_BOOL(true);
    for (int i = 0; i < locked_count; ++i)
        if (locked[i].epoch == epoch && locked[i].table == table) PG_RETURN_BOOL(true);
    const Oid sequence = clock_sequence();
    // A transaction that stores reports of many epochs restores or moves a table. It must not fill the table of locks.
    lock_epoch(sequence, table, locked_count < most_locked ? lock_number(epoch) : lock_of_all);
    // The sender of a transaction block holds the lock, too, until it commits the block. A statement that commits itself
    // may be the last of a sender that has crashed, whose epoch was counted since.
    if (commits_itself() && epoch < current_epoch(sequence) - 1)
        ereport(
            ERROR,
            (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
             errmsg("a report arrived after the end of its epoch"),
             errdetail("Rollups may have counted epoch " INT64_FORMAT " since the report was sent.", epoch),
             errhint("Repeat the transaction.")));
    remember_locked({table, epoch, false});
    PG_RETURN_BOOL(true);
}

/// (epoch) → bigint: advances the clock of this server to at least this epoch, durably. Returns the epoch of the clock.
LDP_FUNCTION(ldp_advance_clock) {
    const std::int64_t wanted = PG_GETARG_INT64(0);
    const Oid sequence = clock_sequence();
    (void)RecoveryInProgress();  // initializes the timeline
    LOCKTAG tag;
    SET_LOCKTAG_OBJECT(tag, MyDatabaseId, sequence, 0, 0);
    (void)LockAcquire(&tag, ExclusiveLock, false, false);
    const std::int64_t value = clock_value(sequence);
    const std::int64_t epoch = std::max(value >> timeline_bits, wanted);
    const std::int64_t next = (epoch << timeline_bits) + timeline();
    if (wanted > 0 && next != value) {
        (void)DirectFunctionCall2(setval_oid, ObjectIdGetDatum(sequence), Int64GetDatum(next));
        XLogFlush(XactLastRecEnd);
    }
    (void)LockRelease(&tag, ExclusiveLock, false);
    PG_RETURN_INT64(epoch);
}
