#!/usr/bin/env bash
# Rollups of a table that Citus distributes count each report once. First every way of inserting reports, and of ending late,
# one by one; then all at once, while backends, servers and clients are killed. In the end each rollup is, byte for byte, what
# the reports in the table give when they are counted anew.
# LDP_KILLS says how often (default 8); LDP_SEED, when.
. "$(dirname "$0")/nodes"
. "$root/test/e2e/sessions"
kills=${LDP_KILLS:-8}
RANDOM=${LDP_SEED:-$$}
start_nodes ldp_citus_rollups
databases+=(ldp_citus_rollups_copy)
# Crashes lose transactions that were not flushed; Citus ends prepared transactions soon.
for node in 0 1 2; do
    on $node -d "$maintenance" -c "ALTER SYSTEM SET synchronous_commit = off" -c "ALTER SYSTEM SET citus.recover_2pc_interval = '2s'" -c "SELECT pg_reload_conf()" >log
done

spec='{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'
sql >log <<SQL || { cat log; exit 1; }
CREATE FUNCTION report(value integer) RETURNS ldp_report LANGUAGE sql IMMUTABLE AS
\$\$ SELECT (encode(ldp_internal.ldp_spec_parameters('$spec'), 'hex') || '0' || value % 3)::ldp_report \$\$;
SELECT ldp_create_collection('visits', '$spec', ARRAY[['seen', 'timestamptz'], ['country', 'text'], ['shard', 'integer']]);
ALTER TABLE visits ALTER seen SET DEFAULT '2026-01-01 00:00Z';
ALTER TABLE visits ALTER country SET DEFAULT 'none';
CALL ldp_distribute_collection('visits', 'shard', 4);
SELECT ldp_create_collection('packs', '$spec', ARRAY[['day', 'date'], ['shard', 'integer']], rows => 'batches', partition_by => 'day');
ALTER TABLE packs ALTER shard SET DEFAULT (random() * 9)::integer;
SELECT create_distributed_table('packs', 'shard', shard_count => 4);
SELECT ldp_open_rounds('visits', 0, 1000), ldp_open_rounds('packs', 0, 1000);
INSERT INTO visits (report, round, seen, country) SELECT report(i), 0, timestamptz '2026-01-01 00:00Z' + i * interval '1 hour', 'de' FROM generate_series(1, 50) AS i;
SELECT ldp_create_rollup('daily', 'visits', '{day(seen),country}');
SELECT ldp_create_rollup('weekly', 'visits', '{week(seen),shard}', 'Europe/Berlin');
SELECT ldp_create_rollup('packed', 'packs', '{day,round}');
CALL ldp_distribute_collection('visits');
SQL
refresh() { sql -c "SELECT ldp_refresh('daily'), ldp_refresh('weekly'), ldp_refresh('packed')"; }
# Buckets that are not what they are when they are counted anew.
wrong() {
    sql ${1:+"$1"} <<'SQL'
WITH daily AS MATERIALIZED (SELECT day, country, ldp_rollup(summary) AS summary FROM daily GROUP BY day, country),
    weekly AS MATERIALIZED (SELECT week, shard, ldp_rollup(summary) AS summary FROM weekly GROUP BY week, shard),
    packed AS MATERIALIZED (SELECT day, round, ldp_rollup(summary) AS summary FROM packed GROUP BY day, round),
    of_daily AS MATERIALIZED (SELECT date_trunc('day', seen, 'UTC') AS day, country, ldp_agg(report, round) AS summary FROM visits GROUP BY 1, 2),
    of_weekly AS MATERIALIZED (SELECT date_trunc('week', seen, 'Europe/Berlin') AS week, shard, ldp_agg(report, round) AS summary FROM visits GROUP BY 1, 2),
    of_packed AS MATERIALIZED (SELECT day, round, ldp_agg(batch, round) AS summary FROM packs GROUP BY 1, 2)
SELECT (SELECT count(*) FROM daily AS r FULL JOIN of_daily AS c ON r.day = c.day AND r.country = c.country WHERE (r.summary = c.summary) IS NOT TRUE)
     + (SELECT count(*) FROM weekly AS r FULL JOIN of_weekly AS c ON r.week = c.week AND r.shard = c.shard WHERE (r.summary = c.summary) IS NOT TRUE)
     + (SELECT count(*) FROM packed AS r FULL JOIN of_packed AS c ON r.day = c.day AND r.round = c.round WHERE (r.summary = c.summary) IS NOT TRUE)
SQL
}
# insert COUNT COUNTRY: a statement that inserts this number of reports.
insert() {
    echo "INSERT INTO visits (report, round, seen, country) SELECT report(i), i % 3, timestamptz '2026-01-02 00:00Z' + i * interval '1 minute', '$2' FROM generate_series(1, $1) AS i;"
}

# One by one ------------------------------------------------------------------------------------------------
check "reports from before the rollup" "50|50|0" "$(refresh)"
check "are counted once" "0|0|0" "$(refresh)"
check "the servers count their reports" 4 "$(sql -c "SET citus.explain_all_tasks = on" -c "EXPLAIN $(sql -c "
    SELECT ldp_internal.ldp_roll_up_statement(r, c, 'visits', 'true', '(t.round IS NULL)', 'shard') FROM ldp_internal.ldp_rollup AS r, ldp_internal.ldp_collection AS c
    WHERE r.name = 'daily' AND c.name = 'visits'")" | grep -c 'Insert on daily_')"
sql -c "COPY (SELECT report(i), 0, '2026-01-05' FROM generate_series(1, 30) AS i) TO STDOUT" >rows
sql -c "INSERT INTO visits (report, seen, country) VALUES (report(1), '2026-01-02', 'one')" -c "$(insert 7 many)" -c "SELECT ldp_submit('visits', report(2), columns => '{\"country\": \"call\"}')" \
    -c "SELECT ldp_submit_batch('visits', '00000000-0000-4000-8000-000000000001', ARRAY[report(0), report(1)])" -c "\\copy visits (report, round, seen) FROM rows" \
    -c "INSERT INTO visits (report, round, seen, country, shard) SELECT report, round, seen, 'shards', shard FROM visits WHERE country = 'many'" \
    -c "INSERT INTO visits (report, round, seen, country) SELECT report, round, seen, 'coordinator' FROM visits WHERE country = 'many' ORDER BY seen LIMIT 5" \
    -c "INSERT INTO packs (batch, day) SELECT ldp_pack(report(i)), '2026-01-03' FROM generate_series(1, 20) AS i" >log
check "every way of inserting" "53|53|20" "$(refresh)"
check "also on a worker" "3|3|0" "$(on 1 -c "$(insert 3 worker)" >log; refresh)"
check "each once" "0|0|0 0" "$(refresh) $(wrong)"
check "an error of a refresh leaves nothing behind" 0 "$(sql -c "$(insert 2000 cancelled)"; for limit in 60 80 100 120; do sql -c "SET statement_timeout = $limit" -c "SELECT ldp_refresh('daily')"; done >log
    refresh >log; wrong)"
check "an old snapshot is refused" "ERROR:  25001: reports of a distributed table cannot be counted in a transaction with an old snapshot" \
    "$(sql -v VERBOSITY=verbose -c "BEGIN ISOLATION LEVEL REPEATABLE READ" -c "SELECT ldp_refresh('daily')" | grep ERROR)"

for name in one two; do open_session $name; done
tell one "BEGIN; $(insert 3 one)"
tell two "BEGIN; $(insert 5 two) COMMIT;"
check "an open transaction delays its epoch" "0|0|0 1 1" "$(refresh) $(sql -F ' ' -c "SELECT max(open), count(DISTINCT open) FROM ldp_rollups WHERE collection = 'visits'")"
sql -c "$(insert 2 three)"
check "but no later one" "2|2|0" "$(refresh)"
tell one "$(insert 1 one) COMMIT;"
check "and not for ever" "9|9|0 0" "$(refresh) $(sql -c "SELECT max(open) FROM ldp_rollups")"
tell one "BEGIN; SAVEPOINT a; $(insert 7 undone) ROLLBACK TO a; SAVEPOINT b; $(insert 2 one) RELEASE b; SAVEPOINT c; $(insert 4 one)"
check "subtransactions are open" "0|0|0" "$(refresh)"
tell one "COMMIT;"
check "what was not undone is counted" "6|6|0" "$(refresh)"
tell one "BEGIN; $(insert 9 undone) ROLLBACK;"
check "nothing of a transaction that was undone" "0|0|0" "$(refresh)"
tell one "BEGIN; $(insert 2 own) SELECT 'own', ldp_refresh('daily');"
tell two "SELECT 'waited', ldp_refresh('daily');" go
tell one "COMMIT;"
tell two "SELECT 1;"
check "a refresh counts its own reports later" "own|0 waited|2" "$(grep -h '^own' one.out) $(grep -h '^waited' two.out)"
check "and all of it once" 0 "$(refresh >log; wrong)"

# On a worker, as Citus leaves them if the coordinator is lost.
stored=$(on 1 -c "SELECT s.shard_name FROM citus_shards AS s, pg_dist_local_group AS g JOIN pg_dist_node AS n USING (groupid) WHERE s.table_name = 'visits'::regclass AND s.nodename = n.nodename LIMIT 1")
shard=$(on 1 -c "SELECT i FROM generate_series(0, 9) AS i WHERE get_shard_id_for_distribution_column('visits', i) = regexp_replace('$stored', '.*_', '')::bigint LIMIT 1")
row="INSERT INTO $stored SELECT report(i), 0, '2026-01-03', 'prepared', $shard, ldp_internal.ldp_advance_clock(0) FROM generate_series(1, 4) AS i"
on 1 -c "BEGIN" -c "$row" -c "PREPARE TRANSACTION 'later'"
check "a prepared transaction is open" "0|0|0" "$(refresh)"
control "${nodes[1]}" -m immediate restart
check "after a crash, too" "0|0|0" "$(refresh)"
on 1 -c "COMMIT PREPARED 'later'"
check "it is counted when it is committed" "4|4|0" "$(refresh)"
check "a statement that arrives too late is refused" "ERROR:  40001: a report arrived after the end of its epoch" \
    "$(on 1 -v VERBOSITY=verbose -c "${row/ldp_advance_clock(0)/ldp_advance_clock(0) - 2}" | grep ERROR)"
check "its transaction may be in time" "4|4|0" "$(on 1 -c "BEGIN" -c "${row/ldp_advance_clock(0)/ldp_advance_clock(0)}" -c "COMMIT"; refresh)"
control "${nodes[1]}" -m immediate stop
check "a server that does not answer is named" "ERROR:  08001: server ${nodes[1]}:$PGPORT does not answer" "$(sql -v VERBOSITY=verbose -c "SELECT ldp_refresh('daily')" | grep ERROR)"
control "${nodes[1]}" start
# As after a failover: the clock is of another timeline.
on 1 -c "SELECT setval('ldp_internal.ldp_clock', 9)" >log
check "a server without an epoch stamps nothing" "5|t" "$(on 1 -c "$(insert 5 unstamped)"; sql -c "SELECT count(*), bool_and(ldp_arrival IS NULL) FROM visits WHERE country = 'unstamped'")"
check "the refresh stamps for it" "0|0|0" "$(refresh)"
check "and then counts" "5|5|0" "$(refresh)"
check "the server has an epoch again" 3 "$(on 1 -c "$(insert 3 stamped)"; sql -c "SELECT count(ldp_arrival) FROM visits WHERE country = 'stamped'")"
check "all is right so far" 0 "$(refresh >log; wrong)"
check "a bucket has a row for each shard at most" 4 "$(sql -c "SELECT max(n) FROM (SELECT count(*) AS n FROM daily GROUP BY day, country) AS rows")"

# Series, retention and roles -------------------------------------------------------------------------------
check "the series of a column" t "$(sql -c "SELECT (SELECT array_agg((s.group_key, s.label, s.n, s.estimate)::text ORDER BY s.group_key, s.label) FROM ldp_estimate('daily', by => '{country}') AS s)
    = (SELECT array_agg((jsonb_build_object('country', g.country), e.label, e.n, e.estimate)::text ORDER BY jsonb_build_object('country', g.country), e.label)
       FROM (SELECT country, ldp_agg(report, round) AS summary FROM visits GROUP BY country) AS g, ldp_estimate(g.summary) AS e)")"
# The groups, in their order, are those of the same rows on one server.
sql -c "CREATE TABLE weekly_here AS SELECT week, shard, ldp_rollup(summary) AS summary FROM weekly GROUP BY week, shard" -c "CREATE TABLE daily_here AS SELECT day, country, ldp_rollup(summary) AS summary FROM daily GROUP BY day, country" >log
here() { echo "SELECT jsonb_build_object($2) AS group_key, ldp_rollup(summary) AS summary, row_number() OVER (ORDER BY $3 count(*)) AS place FROM $1 WHERE $4 GROUP BY $3 ()"; }
same() { sql -c "SELECT (SELECT array_agg((g.group_key, g.summary)::text) FROM unnest(ldp_groups_of($1)) AS g) IS NOT DISTINCT FROM (SELECT array_agg((g.group_key, g.summary)::text ORDER BY g.place) FROM ($2) AS g)"; }
day="'day', ldp_internal.ldp_time_label(day, 'UTC')"
check "groups of all columns" t "$(same "'daily', '{day,country}', first_round => 0" "$(here daily_here "$day, 'country', country" "day, country," true)")"
check "groups in another order" t "$(same "'daily', '{country,day}', first_round => 0" "$(here daily_here "'country', country, $day" "country, day," true)")"
check "groups of one column" t "$(same "'daily', '{country}', first_round => 0" "$(here daily_here "'country', country" "country," true)")"
check "groups of longer times" t "$(same "'daily', '{month(day)}', first_round => 0" "$(here daily_here "'month', ldp_internal.ldp_time_label(date_trunc('month', day, 'UTC'), 'UTC')" "date_trunc('month', day, 'UTC')," true)")"
check "groups of some days" t "$(same "'daily', '{country}', '2026-01-02', '2026-01-04'" "$(here daily_here "'country', country" "country," "day >= '2026-01-02' AND day < '2026-01-04'")")"
check "one group" t "$(same "'daily', '{}', first_round => 0" "$(here daily_here "" "" true)")"
check "groups of the column of shards" t "$(same "'weekly', '{shard}', first_round => 0" "$(here weekly_here "'shard', shard" "shard," true)")"
check "no groups" t "$(same "'daily', '{country}', '1999-01-01', '1999-01-02'" "SELECT NULL::jsonb AS group_key, NULL::ldp_summary AS summary, 1 AS place WHERE false")"
series="SELECT md5(string_agg(s::text, ' ')) FROM ldp_estimate(ldp_groups_of('daily')) AS s"
check "the series on a worker" "$(sql -c "$series")" "$(on 1 -c "$series")"
check "a worker does not refresh" "ERROR:  55000: collections cannot be changed on a worker of Citus" "$(on 1 -v VERBOSITY=verbose -c "SELECT ldp_refresh('daily')" | grep ERROR)"
check "the series of some days" "2026-01-02|2026-01-03" "$(sql -c "SELECT min(group_key ->> 'day')::date, max(group_key ->> 'day')::date FROM ldp_estimate(ldp_groups_of('visits', by => '{day}', since => '2026-01-02', until => '2026-01-04'))")"
check "missing values" "country|day|0" "$(sql -c "SELECT min(\"column\"), max(\"column\"), sum(missing) FROM ldp_missing_values('daily')")"
before=$(sql -c "SELECT ldp_count(ldp_rollup(summary)) FROM daily")
tell one "BEGIN; INSERT INTO visits (report, seen, country) VALUES (report(1), '2026-01-01', 'early');"
check "a prune deletes what is counted" t "$(sql -c "SELECT rows > 70 FROM ldp_prune('visits', '2026-01-03')")"
tell one "COMMIT;"
check "and nothing else" "1|1|0" "$(refresh)"
check "the sums remain" t "$(sql -c "SELECT ldp_count(ldp_rollup(summary)) = $before + 1 FROM daily")"
check "partitions of the batches" 3 "$(sql -c "SET client_min_messages = warning" -c "SELECT ldp_add_partitions('packs', '2026-01-04', since => '2026-01-01')")"
sql -c "INSERT INTO packs (batch, day) SELECT ldp_pack(report(i)), date '2026-01-01' + i % 3 FROM generate_series(1, 30) AS i GROUP BY i % 3" -c "CREATE TABLE packed_before AS SELECT day, round, ldp_agg(batch, round) AS summary FROM packs GROUP BY day, round"
check "partitions are dropped" "2|0" "$(sql -c "SET lock_timeout = '20s'" -c "SELECT partitions, rows FROM ldp_prune('packs', '2026-01-03')")"
check "after they were counted" 0 "$(sql -c "WITH p AS MATERIALIZED (SELECT day, round, ldp_rollup(summary) AS summary FROM packed GROUP BY day, round)
    SELECT count(*) FROM p FULL JOIN packed_before AS b USING (day, round) WHERE (p.summary = b.summary) IS NOT TRUE")"
close_sessions one two

sql -c "CREATE ROLE ldp_citus_keeper LOGIN" -c "CREATE ROLE ldp_citus_device LOGIN" -c "CREATE ROLE ldp_citus_analyst LOGIN" -c "GRANT ldp_admin TO ldp_citus_keeper" \
    -c "GRANT ldp_submitter TO ldp_citus_device" -c "GRANT ldp_analyst TO ldp_citus_analyst" -c "CREATE SCHEMA kept AUTHORIZATION ldp_citus_keeper" -c "GRANT USAGE ON SCHEMA kept TO ldp_submitter, ldp_analyst" >log
as() { PGUSER=ldp_citus_$1 sql -v VERBOSITY=terse "${@:2}"; }
check "an owner without other rights" $'kept.visits2\n\nkept.hourly' "$(as keeper -c "SELECT ldp_create_collection('visits2', '$spec', ARRAY[['seen', 'timestamptz'], ['shard', 'integer']], schema => 'kept')" \
    -c "ALTER TABLE kept.visits2 ALTER shard SET DEFAULT (random() * 9)::integer" -c "ALTER TABLE kept.visits2 ALTER seen SET DEFAULT now()" -c "SELECT create_distributed_table('kept.visits2', 'shard')" \
    -c "SELECT ldp_create_rollup('hourly', 'visits2', '{hour(seen)}')")"
check "a submitter" "" "$(as device -c "SELECT ldp_submit('visits2', report(1))" -c "COPY kept.visits2 (report) FROM STDIN" <<<"$(sql -c "SELECT report(2)")")"
check "does not refresh" "ERROR:  permission denied: role \"ldp_citus_device\" does not own the table kept.visits2" "$(as device -c "SELECT ldp_refresh('hourly')")"
check "the owner does" 2 "$(as keeper -c "SELECT ldp_refresh('hourly')")"
check "a stamp of the submitter delays the report" "0 1" "$(as device -c "INSERT INTO kept.visits2 (report, ldp_arrival) VALUES (report(1), 1000000000000)"
    as keeper -c "SELECT ldp_refresh('hourly')" -c "SELECT ldp_refresh('hourly')" | xargs)"
check "an analyst reads the series" 3 "$(as analyst -c "SELECT DISTINCT n FROM ldp_estimate('hourly', by => '{}')")"
check "but not the table" "ERROR:  permission denied for table hourly" "$(as analyst -c "SELECT count(*) FROM kept.hourly")"
check "the owner prunes" 3 "$(as keeper -c "SELECT rows FROM ldp_prune('visits2', now() + interval '1 hour')")"
check "the owner drops" "" "$(as keeper -c "SELECT ldp_drop_rollup('hourly')" -c "SELECT ldp_drop_collection('visits2')" | tr -d '\n')"

# A collection that has a rollup, reports and partitions before it is distributed.
one=$(sql -c "SELECT report(1)")
as keeper >log -c "SELECT ldp_create_collection('moved', '$spec', '{{day,date}}', schema => 'kept', partition_by => 'day')" -c "SELECT ldp_create_rollup('moved_daily', 'moved', '{day}')"
submit() { PGUSER=ldp_citus_device on $1 -v VERBOSITY=terse -c "SELECT ldp_submit('moved', '$one', columns => '{\"day\": \"2026-01-0$2\"}') FROM generate_series(1, $3)" | xargs; }
submit 0 1 3
as keeper -c "CALL ldp_distribute_collection('moved', shards => 4)"
check "submitters keep their rights" " " "$(submit 0 1 2) $(submit 1 2 2)"
check "the owner counts once" "7 0" "$(as keeper -c "SELECT ldp_refresh('moved_daily')" -c "SELECT ldp_refresh('moved_daily')" | xargs)"
check "and after the refresh" "  3" "$(submit 0 1 1) $(submit 1 2 2) $(as keeper -c "SELECT ldp_refresh('moved_daily')")"
check "reports in the default partition move without a message" 2 "$(as keeper -c "SELECT ldp_add_partitions('moved', '2026-01-03', since => '2026-01-01')")"
check "a partition has all of them" "6 4" "$(sql -F ' ' -c "SELECT (SELECT count(*) FROM kept.moved_20260101), (SELECT count(*) FROM kept.moved_20260102)")"
check "no copies remain on the coordinator" 0 "$(sql -c "SELECT sum(pg_relation_size(relid)) FROM pg_partition_tree('kept.moved') WHERE isleaf")"
check "a prune deletes the reports of a day" "1|0|0" "$(as keeper -c "SELECT * FROM ldp_prune('moved', '2026-01-02')")"
check "the rollup keeps them" 10 "$(as keeper -c "SELECT ldp_count(ldp_rollup(summary)) FROM kept.moved_daily")"
as keeper >log -c "SELECT ldp_drop_collection('moved')"

# Tables that are distributed later, and copies ---------------------------------------------------------------
sql -c "SET client_min_messages = warning" -c "SELECT ldp_create_collection('later', '$spec', ARRAY[['country', 'text'], ['shard', 'integer']])" -c "ALTER TABLE later ALTER shard SET DEFAULT (random() * 9)::integer" \
    -c "INSERT INTO later (report, country) SELECT report(i), 'de' FROM generate_series(1, 9) AS i" -c "SELECT ldp_create_rollup('countries', 'later', '{country}')" -c "SELECT ldp_refresh('countries')" \
    -c "INSERT INTO later (report, country) SELECT report(i), 'fr' FROM generate_series(1, 4) AS i" -c "SELECT create_distributed_table('later', 'shard', shard_count => 4)" \
    -c "INSERT INTO later (report, country) SELECT report(i), 'de' FROM generate_series(1, 5) AS i" >log || bad "later" log
countries="SELECT (SELECT array_agg((country, summary)::text ORDER BY country) FROM (SELECT country, ldp_rollup(summary) AS summary FROM countries GROUP BY country) AS r)
    = (SELECT array_agg((country, summary)::text ORDER BY country) FROM (SELECT country, ldp_agg(report, round) AS summary FROM later GROUP BY country) AS c)"
check "a rollup follows its collection" "9 0 t" "$(sql -c "SELECT ldp_refresh('countries')" -c "SELECT ldp_refresh('countries')" -c "$countries" | xargs)"
check "and counts" "6 t" "$(sql -c "INSERT INTO later (report, country) SELECT report(i), 'it' FROM generate_series(1, 6) AS i" -c "SELECT ldp_refresh('countries')" -c "$countries" | xargs)"
sql -c "INSERT INTO later (report, country) SELECT report(i), 'fr' FROM generate_series(1, 3) AS i"
psql -Xqc "CREATE DATABASE ldp_citus_rollups_copy" "$maintenance"
pg_dump "$PGDATABASE" | sql ldp_citus_rollups_copy >log
check "a copy on one server is restored" "" "$(grep -iE 'error' log)"
check "it counts the rest" "5 0 t" "$(sql ldp_citus_rollups_copy -c "INSERT INTO later (report, country) SELECT report(i), 'fr' FROM generate_series(1, 2) AS i" -c "SELECT ldp_refresh('countries')" \
    -c "SELECT ldp_refresh('countries')" -c "$countries" | xargs)"
check "in one row for each bucket" 3 "$(sql ldp_citus_rollups_copy -c "SELECT count(*) FROM countries")"
check "here nothing has changed" "3 t" "$(sql -c "SELECT ldp_refresh('countries')" -c "$countries" | xargs)"

# All at once -----------------------------------------------------------------------------------------------
# Statements of a random transaction of this writer.
transaction() {
    local n=$((1 + RANDOM % 40)) country="c$((RANDOM % 4))"
    case $1$((RANDOM % 4)) in
        single*) echo "INSERT INTO visits (report, round, seen, country) VALUES (report($n), $n, '2026-02-01 00:00Z', '$country');" ;;
        many*) insert $n $country ;;
        block0) echo "BEGIN; $(insert $n $country) SELECT pg_sleep(0.2); $(insert 3 $country) COMMIT;" ;;
        block1) echo "BEGIN; $(insert $n $country) SAVEPOINT a; $(insert $n undone) ROLLBACK TO a; SAVEPOINT b; $(insert 2 $country) RELEASE b; COMMIT;" ;;
        block2) echo "BEGIN; $(insert $n undone) ROLLBACK;" ;;
        block3) echo "INSERT INTO visits (report, round, seen, country, shard) SELECT report, round, seen, '$country', shard FROM visits WHERE country = 'c1' LIMIT $n;" ;;
        copy[01]) printf 'COPY visits (report, round, seen, country) FROM STDIN;\n%s\n\\.\n' "$(for ((j = 0; j < n; ++j)); do printf '%s\t%s\t2026-02-02\t%s\n' "$copied" $j $country; done)" ;;
        copy*) echo "INSERT INTO packs (batch, round, day) SELECT ldp_pack(report(i + $RANDOM)), $((n % 5)), date '2026-03-01' + $n % 3 FROM generate_series(1, $n) AS i;" ;;
        call[01]) echo "SELECT ldp_submit('visits', report($n), $n, '{\"country\": \"$country\"}');" ;;
        call*) echo "SELECT ldp_submit_batch('visits', '$(printf '%08x-0000-4000-8000-%08x%04x' $RANDOM $RANDOM $RANDOM)', ARRAY(SELECT report(i) FROM generate_series(1, $n) AS i));" ;;
    esac
}
copied=$(sql -c "SELECT report(1)")
# writer KIND SERVER: transactions one after another; if a crash or a kill ends the session, another one.
writer() {
    local kind=$1 child=
    export PGHOST=${nodes[$2]}
    while [ -e storm ]; do
        while [ -e storm ]; do transaction "$kind"; sleep "0.0$((RANDOM % 10))"; done 2>/dev/null | psql -XqAt >>"written.$kind" 2>&1 &
        child=$!
        echo "$child" >"client.$kind"
        wait "$child"
        sleep 0.1
    done
}
refresher() {
    while [ -e storm ]; do
        sql -c "SET statement_timeout = $((RANDOM % 3 ? 0 : 50 + RANDOM % 200))" -c "SELECT ldp_refresh('$1')" -c "SELECT ldp_refresh('packed')" >>"refreshed" 2>&1
        sleep 0.05
    done
}
victim() { on $1 -d "$maintenance" -c "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1"; }
# Anew, without the reports that were deleted above.
sql >log -c "SELECT ldp_drop_rollup(name) FROM ldp_rollups WHERE collection IN ('visits', 'packs')" -c "SELECT ldp_create_rollup('daily', 'visits', '{day(seen),country}')" \
    -c "SELECT ldp_create_rollup('weekly', 'visits', '{week(seen),shard}', 'Europe/Berlin')" -c "SELECT ldp_create_rollup('packed', 'packs', '{day,round}')" || bad "rollups anew" log
: >storm
for kind in single many block copy call; do writer $kind 0 & done
writer many 1 &
for name in daily weekly; do refresher $name & done
done_kills=0
for ((i = 0; i < kills; ++i)); do
    sleep "0.$((3 + RANDOM % 7))"
    node=$((RANDOM % 3))
    case $((RANDOM % 6)) in
        0 | 1) pid=$(victim $node); [[ $pid =~ ^[0-9]+$ ]] && kill -9 "$pid" && done_kills=$((done_kills + 1)) ;;
        2) pid=$(victim $node); [[ $pid =~ ^[0-9]+$ ]] && on $node -d "$maintenance" -c "SELECT pg_terminate_backend($pid)" >log && done_kills=$((done_kills + 1)) ;;
        3) control "${nodes[1 + RANDOM % 2]}" -m immediate restart && done_kills=$((done_kills + 1)) ;;
        4) control "${nodes[0]}" -m immediate restart && done_kills=$((done_kills + 1)) ;;
        5) kill -9 "$(cat "client.$(printf '%s\n' single many block copy call | shuf -n 1)")" 2>/dev/null && done_kills=$((done_kills + 1)) ;;
    esac
done 2>kill.log
sleep 1
rm storm
wait
for node in 0 1 2; do
    for tries in $(seq 100); do [ "$(on $node -c "SELECT 1")" = 1 ] && break; sleep 0.1; done
done
# Transactions whose end Citus still has to determine.
for tries in $(seq 100); do
    pending=$(sql -c "SELECT recover_prepared_transactions() * 0" -c "SELECT sum(result::bigint) FROM run_command_on_all_nodes('SELECT count(*) FROM pg_prepared_xacts')" | tail -n 1)
    [ "$pending" = 0 ] && break
    sleep 0.2
done
check "no transaction is left" 0 "$pending"
for tries in $(seq 20); do left=$(refresh); [ "$left" = "0|0|0" ] && break; sleep 0.1; done
check "nothing is left to count" "0|0|0" "$left"
check "in the end every bucket is right" 0 "$(wrong)"
check "there were reports and batches" "t|t" "$(sql -c "SELECT (SELECT count(*) FROM visits) > 10 * $kills, (SELECT count(*) FROM packs) > 5")"
echo "$done_kills kills, $(sql -c "SELECT count(*) FROM visits") reports, $(sql -c "SELECT sum(ldp_count(batch)) FROM packs") in batches"
echo "refreshes: $(grep -c '^[1-9][0-9]*$' refreshed) counted, $(grep -c 'canceling statement' refreshed) interrupted, $(grep -c ERROR refreshed) failed"
echo "sessions lost: $(cat written.* | grep -c 'server closed\|crash\|terminat'), reports refused: $(cat written.* | grep -c 'end of its epoch')"

finish
