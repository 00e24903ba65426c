#!/usr/bin/env bash
# Rollups count each report once. First every way in which a transaction can end late, or twice, or not at all, one by one;
# then all at once for simulated days: writers, refreshes, interrupts, prunes and crashes. In the end each rollup is, byte for
# byte, what the reports that were ever committed give when they are counted anew.
# LDP_ROLLUP_DAYS says for how many days (default 30); LDP_SEED, which.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
here=ldp_rollups there=ldp_rollups_there copy=ldp_rollups_copy
days=${LDP_ROLLUP_DAYS:-30}
RANDOM=${LDP_SEED:-$$}
server=$(dirname "$LDP_AS_SERVER")
control() { "$LDP_AS_SERVER" "$(${PG_CONFIG:-pg_config} --bindir)/pg_ctl" -D "$server/data" -l "$server/server.log" -w "$@" >/dev/null; }
at_exit() {
    control status || control start
    psql -XqAtc "SELECT gid FROM pg_prepared_xacts WHERE database = '$here'" | while read -r gid; do psql -Xqd $here -c "ROLLBACK PREPARED '$gid'"; done
    psql -Xqc "ALTER SYSTEM RESET max_prepared_transactions"
    control restart
}
psql -Xqc "ALTER SYSTEM SET max_prepared_transactions = 20" && control restart || exit 1
create_databases $here $there
databases+=($copy)
spec='{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'
sql >"$work/log" <<SQL || { cat "$work/log"; exit 1; }
CREATE EXTENSION ldp;
CREATE FUNCTION report(value integer) RETURNS ldp_report LANGUAGE sql AS
\$\$ SELECT (encode(ldp_internal.ldp_spec_parameters('$spec'), 'hex') || '0' || value % 3)::ldp_report \$\$;
SELECT ldp_create_collection('visits', '$spec', ARRAY[['seen', 'timestamptz'], ['country', 'text']], partition_by => 'seen');
SELECT ldp_create_collection('packs', '$spec', ARRAY[['day', 'date']], rows => 'batches');
SELECT ldp_add_partitions('visits', '2026-01-04', since => '2026-01-01');
SELECT ldp_open_rounds('visits', 0, 1000), ldp_open_rounds('packs', 0, 1000);
INSERT INTO visits SELECT report(i), 0, timestamptz '2026-01-01 00:00Z' + i * interval '1 hour', 'de' FROM generate_series(1, 50) AS i;
SELECT ldp_create_rollup('daily', 'visits', '{day(seen),country}');
SELECT ldp_create_rollup('weekly', 'visits', '{week(seen)}', 'Europe/Berlin');
SELECT ldp_create_rollup('packed', 'packs', '{day,round}');
-- What was ever committed: whoever inserts a report writes it down here as well.
CREATE TABLE sent (report ldp_report, round integer, seen timestamptz, country text);
CREATE TABLE sent_packs (batch ldp_report_batch, round integer, day date);
INSERT INTO sent SELECT report, round, seen, country FROM visits;
-- How many buckets are not what they are when they are counted anew.
CREATE VIEW wrong AS
WITH anew (name, bucket, summary) AS (
    SELECT 'daily', ldp_internal.ldp_bucket_key(ARRAY[to_char(seen AT TIME ZONE 'UTC', 'YYYY-MM-DD 00:00:00+00'), country]), ldp_agg(report, round) FROM sent GROUP BY 2
    UNION ALL SELECT 'weekly', ldp_internal.ldp_bucket_key(ARRAY[(date_trunc('week', seen, 'Europe/Berlin') AT TIME ZONE 'UTC')::text || '+00']), ldp_agg(report, round) FROM sent GROUP BY 2
    UNION ALL SELECT 'packed', ldp_internal.ldp_bucket_key(ARRAY[day::text, round::text]), ldp_agg(batch, round) FROM sent_packs GROUP BY 2),
kept AS (
    SELECT 'daily' AS name, bucket, summary FROM daily UNION ALL SELECT 'weekly', bucket, summary FROM weekly UNION ALL SELECT 'packed', bucket, summary FROM packed)
SELECT name, bucket FROM anew FULL JOIN kept USING (name, bucket) WHERE (anew.summary = kept.summary) IS NOT TRUE;
-- At any moment: what is counted and what waits is what was sent.
CREATE VIEW kept_up AS
SELECT r.name, COALESCE((SELECT sum(ldp_count(summary)) FROM daily), 0) + (SELECT count(*) FROM visits WHERE ldp_arrival >= r.counted OR ldp_arrival = ANY (r.open))
       = (SELECT count(*) FROM sent) AS so FROM ldp_internal.ldp_rollup AS r WHERE r.name = 'daily'
UNION ALL
SELECT r.name, COALESCE((SELECT sum(ldp_count(summary)) FROM weekly), 0) + (SELECT count(*) FROM visits WHERE ldp_arrival >= r.counted OR ldp_arrival = ANY (r.open))
       = (SELECT count(*) FROM sent) FROM ldp_internal.ldp_rollup AS r WHERE r.name = 'weekly';
SQL
refresh() { sql "${1:-$here}" -c "SELECT ldp_refresh('daily'), ldp_refresh('weekly'), ldp_refresh('packed')"; }
# insert COUNT COUNTRY: statements that insert this number of reports.
insert() {
    echo "INSERT INTO visits (report, round, seen, country) SELECT report(i), i % 3, timestamptz '2026-01-02 00:00Z' + i * interval '1 minute', '$2' FROM generate_series(1, $1) AS i;
          INSERT INTO sent SELECT report(i), i % 3, timestamptz '2026-01-02 00:00Z' + i * interval '1 minute', '$2' FROM generate_series(1, $1) AS i;"
}
wrong() { sql "${1:-$here}" -c "SELECT count(*) FROM wrong"; }
waits() { sql -c "SELECT counted > 0 AND cardinality(open) FROM ldp_internal.ldp_rollup WHERE name = 'daily'"; }

. "$root/test/e2e/sessions"
for name in first second third; do open_session $name; done

# One by one ------------------------------------------------------------------------------------------------
check "what was there before the rollup" "50|50|0" "$(refresh)"
check "is counted once" "0|0|0" "$(refresh)"
tell first "BEGIN; $(insert 3 first)"
tell second "BEGIN; $(insert 5 second) COMMIT;"
check "who began first need not end first" "5|5|0" "$(refresh)"
tell first "COMMIT;"
check "and is not forgotten" "3|3|0" "$(refresh)"
tell first "BEGIN; SELECT pg_current_xact_id(); SAVEPOINT a; $(insert 7 undone) ROLLBACK TO a; SAVEPOINT b; $(insert 2 first) RELEASE b; SAVEPOINT c; $(insert 4 first)"
check "what is not committed" "0|0|0" "$(refresh)"
tell first "COMMIT;"
check "of subtransactions, what was not undone" "6|6|0" "$(refresh)"
tell first "BEGIN; $(insert 9 undone) ROLLBACK;"
check "nothing of a transaction that was undone" "0|0|0" "$(refresh)"

tell first "BEGIN; $(insert 8 prepared) PREPARE TRANSACTION 'later';"
tell second "BEGIN; $(insert 1 second) COMMIT;"
check "a prepared transaction has not ended" "1|1|0" "$(refresh)"
control -m immediate restart
check "not even after a crash" "0|0|0" "$(refresh)"
sql -c "COMMIT PREPARED 'later'"
check "but when it is committed" "8|8|0" "$(refresh)"
check "and so far every bucket is right" 0 "$(wrong)"
close_sessions first second third
for name in first second third; do open_session $name; done

# Who refreshes may have begun before others, and have inserted.
tell first "BEGIN; $(insert 2 first)"
tell second "BEGIN; $(insert 3 second)"
tell third "BEGIN; $(insert 4 third) COMMIT;"
check "first another" "4|4|0" "$(refresh)"
tell first "SELECT ldp_refresh('daily'), ldp_refresh('weekly');"
tell second "COMMIT;"
tell first "SELECT ldp_refresh('daily'), ldp_refresh('weekly'); COMMIT;"
check "then what that one had not seen" 5 "$(sql -c "SELECT ldp_refresh('daily')" -c "SELECT ldp_refresh('weekly')" | head -n 1)"
check "and all of it once" 0 "$(wrong)"
# A snapshot that is older than what it looks at.
tell first "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM visits;"
tell second "BEGIN; $(insert 6 second) COMMIT;"
tell first "SELECT 'old', ldp_refresh('daily'); COMMIT;"
check "an old snapshot counts what it sees" 1 "$(grep -cx 'old|0' "$work/first.out")"
check "a new one the rest" "6|6|0" "$(refresh)"
tell first "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM visits;"
tell second "BEGIN; $(insert 6 second) COMMIT;"
refresh >/dev/null
tell first "SELECT ldp_refresh('daily'); COMMIT;"
check "one that is older than another refresh is refused" 1 "$(grep -c 'could not serialize' "$work/first.out")"
check "and all is well" "0" "$(wrong)"
# Two at once.
tell second "BEGIN; $(insert 6 second) COMMIT;"
tell first "BEGIN; SELECT ldp_refresh('daily');"
tell second "SELECT 'waited', ldp_refresh('daily');" go
for tries in $(seq 500); do [ "$(sql -c "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%waited%' AND pid <> pg_backend_pid()")" = 1 ] && break; sleep 0.01; done
tell third "$(insert 1 third)"
check "writers do not wait for a refresh" 1 "$(sql -c "SELECT count(*) FROM visits WHERE country = 'third' AND seen < '2026-01-02 00:02Z' AND ldp_arrival >= (SELECT counted FROM ldp_internal.ldp_rollup WHERE name = 'daily')")"
tell first "COMMIT;"
tell second "SELECT 1;"
check "another refresh waits, and counts what is left" 1 "$(grep -cx 'waited|1' "$work/second.out")"
refresh >/dev/null
check "both together once" 0 "$(wrong)"
# Frozen rows are visible to everybody, whatever their snapshot.
sql -c "SELECT ldp_create_collection('frozen', '$spec')" -c "SELECT ldp_create_rollup('of_frozen', 'frozen', '{round}')" >/dev/null
sql -c "COPY (SELECT report(i), 0 FROM generate_series(1, 40) AS i) TO STDOUT" >"$work/frozen"
tell first "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM visits;"
tell second "BEGIN; TRUNCATE frozen;"
tell second "\\copy frozen (report, round) FROM '$work/frozen' WITH (FREEZE)"
tell second "COMMIT;"
tell first "SELECT 'frozen', ldp_refresh('of_frozen'); COMMIT;"
check "frozen rows are not counted before their time" 1 "$(grep -cx 'frozen|0' "$work/first.out")"
check "but then" 40 "$(sql -c "SELECT ldp_refresh('of_frozen')")"
check "once" 0 "$(sql -c "SELECT ldp_refresh('of_frozen')")"
sql -c "SELECT ldp_drop_collection('frozen')" >/dev/null
# Interrupted, nothing has happened.
sql -c "$(insert 20000 many)"
for limit in 1 2 5 10 20; do sql -c "SET statement_timeout = $limit" -c "SELECT ldp_refresh('daily')" >>"$work/interrupted"; done
check "a refresh can be interrupted" yes "$(grep -q 'canceling statement' "$work/interrupted" && echo yes)"
refresh >/dev/null
check "which leaves nothing behind" 0 "$(wrong)"
# A report that came before its partition, of a round that is closed by now.
sql -c "INSERT INTO visits SELECT report(1), 900, '2026-01-09 12:00Z', 'early'" -c "INSERT INTO sent SELECT report(1), 900, '2026-01-09 12:00Z', 'early'" \
    -c "SELECT ldp_open_rounds('visits', 0, 800)" -c "SELECT ldp_add_partitions('visits', '2026-01-11')" >/dev/null
check "what came too early is moved" visits_20260109 "$(sql -c "SELECT tableoid::regclass FROM visits WHERE country = 'early'")"
check "and counted" 0 "$(refresh >/dev/null; wrong)"
sql -c "SELECT ldp_open_rounds('visits', 0, 1000)"

# Copies ----------------------------------------------------------------------------------------------------
# With reports that are counted, and some that are not; more come there before anybody refreshes.
sql -c "$(insert 11 uncounted)"
home="SELECT home = ldp_internal.ldp_cluster_database() FROM ldp_internal.ldp_collection WHERE name = 'visits'"
pg_dump $here | sql $there >"$work/restore.log"
check "the restore reports nothing" "" "$(grep -iE 'error|warning' "$work/restore.log")"
close_sessions first second third
psql -Xqc "CREATE DATABASE $copy TEMPLATE $here" "$maintenance"
for where in $there $copy; do
    check "a copy is not the home ($where)" f "$(sql $where -c "$home")"
    sql $where -c "$(insert 13 new)"
    check "it counts what was not counted, and what is new ($where)" 24 "$(sql $where -c "SELECT ldp_refresh('weekly')")"
    check "in all rollups ($where)" "0|0|0" "$(refresh $where)"
    check "each once ($where)" 0 "$(wrong $where)"
    check "and is the home of what comes after ($where)" t "$(sql $where -c "$home")"
    sql $where -c "$(insert 17 newer)"
    check "which is counted, too ($where)" "17|17|0" "$(refresh $where)"
    check "once ($where)" 0 "$(wrong $where)"
    # Without an offset, the bound would be midnight in the zone of the rollup "weekly", an hour before the partition ends.
    check "a bound is in the zone of the rollups ($where)" "0" "$(sql $where -c "SELECT partitions FROM ldp_prune('visits', '2026-01-02')")"
    check "pruned as here ($where)" "1" "$(sql $where -c "SELECT partitions FROM ldp_prune('visits', '2026-01-02 00:00Z')")"
    check "with nothing lost ($where)" 0 "$(refresh $where >/dev/null; wrong $where)"
done
check "here nothing has changed" "11|11|0" "$(refresh)"
check "here all is right" 0 "$(wrong)"

# Where Citus has spread a part alone, its list of tables says so, which here is one of our own making.
check "what lies on several servers is refused, if only a part does" \
    "ERROR:  rollups of collection \"visits\" are not supported: its reports are on several servers" "$(sql -c "SET allow_system_table_mods = on" -c "
        CREATE TABLE pg_catalog.pg_dist_partition AS SELECT min(relid::oid)::regclass AS logicalrelid FROM pg_partition_tree('visits') WHERE isleaf" -c "
        SELECT ldp_refresh('daily')" 2>&1 | grep ERROR)"
sql -c "SET allow_system_table_mods = on" -c "DROP TABLE pg_catalog.pg_dist_partition"

# All at once -----------------------------------------------------------------------------------------------
# visit DAY COUNTRY: statements that send some reports, most of this day and some that are late.
visit() {
    local n=$((1 + RANDOM % 60)) seed=$RANDOM late=$((RANDOM % 4 ? 0 : RANDOM % 12))
    for table in visits sent; do
        echo "INSERT INTO $table (report, round, seen, country) SELECT report(i + $seed), $1, timestamptz '2026-02-01 00:00Z' + ($1 - $late) * interval '1 day' + i * interval '20 minutes', '$2'
              FROM generate_series(1, $n) AS i;"
    done
}
pack() {
    local n=$((1 + RANDOM % 200)) seed=$RANDOM
    for table in packs sent_packs; do
        echo "INSERT INTO $table (batch, round, day) SELECT ldp_pack(report(i + $seed)), $1, date '2026-02-01' + $1 FROM generate_series(1, $n) AS i;"
    done
}
# writer NAME DAY: some transactions of every kind, in one session.
writer() {
    local i
    for i in 1 2 3; do
        case $((RANDOM % 9)) in
            0) echo "BEGIN; $(visit "$2" "$1") ROLLBACK;" ;;
            1) echo "BEGIN; $(visit "$2" "$1") SAVEPOINT a; $(visit "$2" undone) ROLLBACK TO a; SAVEPOINT b; $(pack "$2") RELEASE b; COMMIT;" ;;
            2) echo "BEGIN; $(visit "$2" "$1") SELECT pg_sleep(0.2); $(visit "$2" "$1") COMMIT;" ;;
            3) echo "BEGIN; SELECT pg_current_xact_id(), pg_sleep(0.1); $(visit "$2" "$1") COMMIT;" ;;
            4) echo "BEGIN; $(visit "$2" "$1") PREPARE TRANSACTION '$1 $2 $i'; SELECT pg_sleep(0.1); COMMIT PREPARED '$1 $2 $i';" ;;
            5) echo "BEGIN; $(visit "$2" "$1") SELECT ldp_refresh('daily'); COMMIT;" ;;
            *) echo "BEGIN; $(pack "$2") COMMIT; BEGIN; $(visit "$2" "$1") COMMIT;" ;;
        esac
    done | psql -XqAtd $here
}
# A session that keeps a rollup current until the file goes, and is now and then interrupted; another if a crash ends it.
keep_current() {
    while [ -e "$work/storm" ]; do
        while [ -e "$work/storm" ]; do
            echo "SET statement_timeout = $((RANDOM % 3 ? 0 : 1 + RANDOM % 20)); SELECT ldp_refresh('$1'); SELECT ldp_refresh('packed');"
            sleep 0.05
        done 2>/dev/null | psql -XqAtd $here 2>&1
    done
}
# What a crash has left prepared holds its locks until somebody ends it.
end_prepared() {
    sql -c "SELECT gid FROM pg_prepared_xacts WHERE database = '$here'" | while read -r gid; do sql -c "COMMIT PREPARED '$gid'"; done
}
: >"$work/storm"
for name in daily weekly; do keep_current $name >>"$work/kept" 2>&1 & done
pruned=0
for ((day = 1; day <= days; ++day)); do
    writers=()
    for name in a b c; do writer $name $day >>"$work/written" 2>&1 & writers+=($!); done
    # One whose transaction goes on while days pass.
    [ $((day % 4)) = 1 ] && { { echo "BEGIN; $(visit $day long)"; echo "SELECT pg_sleep(1); COMMIT;"; } | psql -XqAtd $here >>"$work/written" 2>&1 & writers+=($!); }
    if [ $((day % 10)) = 5 ]; then sleep "0.$((RANDOM % 3))"; control -m immediate restart; end_prepared; fi
    sql -c "SELECT ldp_add_partitions('visits', timestamptz '2026-02-01 00:00Z' + $day * interval '1 day')" >>"$work/pruned"
    if [ $((day % 3)) = 0 ]; then
        sql -c "SET lock_timeout = '1s'" -c "SELECT partitions + rows FROM ldp_prune('visits', timestamptz '2026-02-01 00:00Z' + ($day - 8) * interval '1 day')" >>"$work/pruned"
        check "on day $day, what is counted and what waits is what was sent" "daily|t weekly|t" "$(sql -c "SELECT * FROM kept_up ORDER BY name" | xargs)"
    fi
    for one in "${writers[@]}"; do [ $((day % 2)) = 0 ] || wait "$one"; done
done
rm "$work/storm"
wait
end_prepared
refresh >/dev/null
check "in the end every bucket is right" 0 "$(wrong)"
check "the indexes on stamps find every report" t "$(sql -c "SET enable_bitmapscan = off" \
    -c "CREATE TEMPORARY TABLE stamps AS SELECT ldp_arrival AS stamp, count(*) AS n FROM visits WHERE ldp_arrival IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 300" \
    -c "SET enable_bitmapscan = on" -c "SET enable_seqscan = off" \
    -c "SELECT bool_and(n = (SELECT count(*) FROM visits AS v WHERE v.ldp_arrival = s.stamp)) FROM stamps AS s")"
check "there were buckets of them all" t "$(sql -c "SELECT count(DISTINCT day) >= $days FROM daily" -c "SELECT count(*) >= 5 FROM weekly" -c "SELECT count(*) > $days / 2 FROM packed" | sort -u)"
check "and reports went" t "$(sql -c "SELECT (SELECT count(*) FROM visits) < (SELECT count(*) FROM sent)")"
echo "$days days, $(sql -c "SELECT count(*) || ' reports, ' || (SELECT sum(ldp_count(batch)) FROM sent_packs) || ' in batches, ' || (SELECT count(*) FROM visits) || ' left' FROM sent"), \
$(grep -c '^[1-9][0-9]*$' "$work/kept") refreshes that counted, $(grep -c 'canceling statement' "$work/kept") interrupted, $(grep -c 'server closed\|crash\|terminat' "$work/kept" "$work/written" | awk -F: '{ n += $2 } END { print n }') sessions lost"
check "refreshes were interrupted" yes "$(grep -q 'canceling statement' "$work/kept" && echo yes)"

finish
