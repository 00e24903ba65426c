#!/usr/bin/env bash
# Reports on several servers with PostgreSQL's own postgres_fdw. Each of three clusters stores a part, and one of them
# queries all. The merged summary equals, byte for byte, the summary of a single server. If a server is down, the
# query fails instead of returning a partial result.
#
# The clusters are this one and two that test/with-cluster puts beside it, one inside the other.
LDP_CLUSTERS="${LDP_CLUSTERS:-} $PGHOST"
read -ra clusters <<<"$LDP_CLUSTERS"
if [ ${#clusters[@]} -lt 3 ]; then
    export LDP_CLUSTERS
    exec "$(dirname "$0")/../with-cluster" bash "$0"
fi
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1

# at NUMBER ARGUMENT...: psql on one of the clusters; the last is the one that asks.
at() { PGHOST=${clusters[$1]} sql "${@:2}"; }
asks=2
for shard in 0 1 2; do at $shard -c "CREATE EXTENSION ldp" >/dev/null || exit 1; done

. test/e2e/spread
for name in "${names[@]}"; do
    # The whole on the one that asks; a third of it, in reports and in batches, on each.
    at $asks -c "CREATE TABLE ${name}_whole (id integer GENERATED ALWAYS AS IDENTITY, report ldp_report)" \
        -c "\\copy ${name}_whole (report) FROM '$work/$name'"
    for shard in 0 1 2; do
        at $asks -c "\\copy (SELECT $shard, id % 2, 'r' || id % 100, report FROM ${name}_whole WHERE id % 3 = $shard) TO '$work/part'"
        at $shard -c "CREATE TABLE ${name}_$shard (shard integer, round integer, region text, report ldp_report)" -c "\\copy ${name}_$shard FROM '$work/part'" \
            -c "CREATE TABLE ${name}_packed_$shard AS SELECT shard, round, ldp_pack(report) AS batch FROM ${name}_$shard GROUP BY shard, round" \
            -c "ANALYZE"
    done
done

# One partitioned table over all parts; postgres_fdw accesses the remote ones. The option extensions declares that ldp
# is installed there, so that whole aggregates are computed remotely.
{
    echo "CREATE EXTENSION postgres_fdw;"
    for shard in 0 1; do
        echo "CREATE SERVER shard_$shard FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '${clusters[$shard]}', port '$PGPORT', dbname '$PGDATABASE', extensions 'ldp', use_remote_estimate 'true');
              CREATE USER MAPPING FOR CURRENT_USER SERVER shard_$shard OPTIONS (user '$PGUSER');"
    done
    for name in "${names[@]}"; do
        echo "CREATE TABLE $name (shard integer, round integer, region text, report ldp_report) PARTITION BY LIST (shard);
              CREATE TABLE ${name}_packed (shard integer, round integer, batch ldp_report_batch) PARTITION BY LIST (shard);"
        for table in $name ${name}_packed; do
            for shard in 0 1; do echo "CREATE FOREIGN TABLE ${table}_$shard PARTITION OF $table FOR VALUES IN ($shard) SERVER shard_$shard;"; done
            echo "ALTER TABLE $table ATTACH PARTITION ${table}_2 FOR VALUES IN (2);"
        done
    done
} >"$work/setup"
check "the servers know each other" "" "$(at $asks -f "$work/setup")"

rolled_up() { echo "SELECT ldp_rollup(s) FROM (SELECT ldp_agg($2) AS s FROM $1 GROUP BY shard) AS parts"; }
ask() { at $asks -c "SET enable_partitionwise_aggregate = on" -c "$1"; }
for name in "${names[@]}"; do
    whole="SELECT ldp_agg(report) FROM ${name}_whole"
    in_rounds="SELECT ldp_agg(report, id % 2) FROM ${name}_whole"
    check "$name: three servers add up to one" t "$(ask "SELECT ($(rolled_up $name report)) = ($whole)")"
    check "$name: in batches" t "$(ask "SELECT ($(rolled_up ${name}_packed batch)) = ($whole)")"
    check "$name: with their rounds" t "$(ask "SELECT ($(rolled_up ${name}_packed "batch, round")) = ($in_rounds)")"
    check "$name: reports that are fetched" t "$(at $asks -c "SELECT (SELECT ldp_agg(report) FROM $name) = ($whole)")"
    # Nothing travels but a summary from each.
    for question in "$name report ldp_agg(report)" "${name}_packed batch ldp_agg(batch)"; do
        read -r table column call <<<"$question"
        check "$name: $call is computed where its reports are" 2 \
            "$(ask "EXPLAIN (VERBOSE, COSTS OFF) $(rolled_up $table $column)" | grep -cF "Remote SQL: SELECT public.$call")"
    done
done
check "answers are those of one server" t "$(ask "
    SELECT array_agg(e ORDER BY e.value) = (SELECT array_agg(w ORDER BY w.value) FROM ldp_estimate((SELECT ldp_agg(report) FROM colour_whole), statistics => '{proportion}') AS w)
    FROM ldp_estimate(($(rolled_up colour report)), statistics => '{proportion}') AS e")"

# Functions that take a collection's name query each server for summaries. auto_explain logs the queries of functions, with the
# queries that postgres_fdw sends.
travels() {
    at $asks -c "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on; SET auto_explain.log_verbose = on;
                 SET client_min_messages = log" "$@" | sed -n 's/^ *Remote SQL: //p' | sort | uniq -c | sed 's/^ *//'
}
for name in "${names[@]}"; do
    spec=spec_$name
    at $asks -c "SELECT ldp_adopt_collection('$name', '$name', '${!spec}', 'aggregates')" >/dev/null
    for by in round region region,round; do
        check "$name: groups by $by are those of one server" t "$(at $asks -c "
            SELECT array_agg(s ORDER BY s.group_key) = (SELECT array_agg(ROW(w.groups, w.summary)::ldp_group ORDER BY w.groups)
                FROM (SELECT jsonb_build_object($(sed "s/\([a-z]*\)/'\1', \1/g" <<<"$by")) AS groups, ldp_agg(report, round) AS summary
                      FROM (SELECT *, id % 2 AS round, 'r' || id % 100 AS region FROM ${name}_whole) AS t WHERE '$by' ~ 'round' OR round = 1 GROUP BY $by) AS w)
            FROM unnest(ldp_groups_of('$name', '{$by}')) AS s")"
    done
    check "$name: a collection may be on several servers" "t t t" "$(at $asks -F ' ' -c "
        SELECT ldp_summary_of('$name') = ldp_summary_of('$name', 1),
               ldp_summary_of('$name', 1) = (SELECT ldp_agg(report, 1) FROM ${name}_whole WHERE id % 2 = 1), ldp_summary_of('$name', 2) IS NULL")"
done
check "a server sends a summary of each round" "1 SELECT round, public.ldp_agg(report, round) FROM public.colour_0 GROUP BY 1
1 SELECT round, public.ldp_agg(report, round) FROM public.colour_1 GROUP BY 1" "$(travels -c "SELECT ldp_summary_of('colour')")"
check "or of one round" "1 SELECT public.ldp_agg(report, round) FROM public.colour_0 WHERE ((round = 1))
1 SELECT public.ldp_agg(report, round) FROM public.colour_1 WHERE ((round = 1))" "$(travels -c "SELECT * FROM ldp_estimate(ldp_summary_of('colour', 1))")"
check "and one of each group" "1 SELECT region, round, public.ldp_agg(report, round) FROM public.colour_0 GROUP BY 1, 2
1 SELECT region, round, public.ldp_agg(report, round) FROM public.colour_1 GROUP BY 1, 2" "$(travels -c "SELECT * FROM unnest(ldp_groups_of('colour', '{region,round}'))")"

# Analysts need no user mapping: the queries run with the rights of the table's owner. The smallest number of reports is that of
# all servers together: 30 reports by region, 10 of them on each server.
at $asks -c "CREATE ROLE keeper; CREATE ROLE viewer; CREATE ROLE tenant; GRANT ldp_analyst TO viewer; GRANT USAGE, CREATE ON SCHEMA public TO keeper; GRANT USAGE ON SCHEMA public TO tenant;
    GRANT USAGE ON FOREIGN SERVER shard_0, shard_1 TO keeper;
    ALTER TABLE colour OWNER TO keeper; ALTER TABLE colour_2 OWNER TO keeper; ALTER FOREIGN TABLE colour_0 OWNER TO keeper;" || exit 1
for shard in 0 1; do
    for role in keeper tenant; do at $asks -c "CREATE USER MAPPING FOR $role SERVER shard_$shard OPTIONS (user '$PGUSER', password_required 'false')"; done
done
counts="SET ROLE viewer; SELECT ldp_count(ldp_summary_of('colour')), (SELECT count(*) FROM unnest(ldp_groups_of('colour', '{region}'))),
    (SELECT count(*) FROM unnest(ldp_groups_of('colour', '{region,shard}'))), (SELECT sum(estimate)::numeric(4, 2) FROM ldp_estimate('colour'))"
check "a partition of another owner is read as the table is" "1500 50 0 1.00" "$(at $asks -F ' ' -c "$counts")"
check "which fetches its reports" "$(for shard in 0 1; do echo "1 SELECT round, report FROM public.colour_$shard"; done)" "$(travels -c "SELECT ldp_summary_of('colour')")"
at $asks -c "ALTER FOREIGN TABLE colour_1 OWNER TO keeper"
check "an analyst queries all servers" "1500 50 0 1.00" "$(at $asks -F ' ' -c "$counts")"
check "for summaries" 2 "$(travels -c "SELECT ldp_summary_of('colour')" | grep -c "^1 SELECT round, public.ldp_agg(report, round) FROM public.colour_[01] GROUP BY 1$")"
check "but may read no reports" f "$(at $asks -c "SET ROLE viewer; SELECT has_any_column_privilege('colour', 'SELECT')")"
check "a role without access queries nothing" 'ERROR:  permission denied to read the reports of collection "colour"' \
    "$(at $asks -c "SET ROLE tenant; SELECT ldp_summary_of('colour')" | grep ERROR)"
at $asks -c "GRANT SELECT ON colour TO tenant; ALTER TABLE colour ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON colour TO tenant USING (shard <> 0)"
check "policies of the table apply to all its parts" "1000 t" "$(at $asks -F ' ' -c "SET ROLE tenant; SELECT ldp_count(ldp_summary_of('colour')),
    NOT EXISTS (SELECT FROM unnest(ldp_groups_of('colour', '{shard}')) AS s WHERE (s.group_key ->> 'shard')::integer = 0)")"
at $asks -c "ALTER TABLE colour DISABLE ROW LEVEL SECURITY"

# A query that waits for a server ends when it is cancelled, there too.
at 0 -c "BEGIN" -c "LOCK TABLE colour_0" -c "SELECT 'locked'" -c "SELECT pg_sleep(600)" >"$work/locked" &
holder=$!
until grep -q locked "$work/locked"; do sleep 0.1; done
check "a query of several servers can be cancelled" 'ERROR:  57014: canceling statement due to statement timeout' \
    "$(at $asks -v VERBOSITY=verbose -c "SET statement_timeout = '300ms'" -c "SELECT ldp_summary_of('colour')" | grep '^ERROR')"
for try in {1..100}; do
    waiting=$(at 0 -c "SELECT count(*) FROM pg_locks WHERE relation = 'colour_0'::regclass AND NOT granted")
    [ "$waiting" = 0 ] && break
    sleep 0.1
done
check "and its server waits no longer" 0 "$waiting"
at 0 -c "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'colour_0'::regclass AND mode = 'AccessExclusiveLock'" >/dev/null
wait $holder
check "a rollup counts no reports of several servers" \
    'ERROR:  0A000: rollups of collection "colour" are not supported: partition public.colour_2 is not a table of another server' \
    "$(at $asks -v VERBOSITY=verbose -c "SELECT ldp_create_rollup('shards', 'colour', '{shard}')" | grep '^ERROR')"
check "reports are pruned on their own server" 'ERROR:  0A000: reports of collection "colour" cannot be pruned here: some are on other servers' \
    "$(at $asks -v VERBOSITY=verbose -c "SELECT ldp_prune_rounds('colour', 1)" | grep '^ERROR')"

# Rollups. Each server has a collection and a rollup of its own. The server that queries has a collection over all three, and
# reaches its own part through a connection to itself.
for shard in 0 1 2; do
    at $shard -c "SELECT ldp_create_collection('visit', '$spec_colour', ARRAY[['shard', 'integer'], ['seen', 'date'], ['region', 'text']])" \
        -c "ALTER TABLE visit ALTER shard SET DEFAULT $shard" -c "INSERT INTO visit (report, round, seen, region) SELECT report, 0, '2024-05-01', region FROM colour_$shard LIMIT 100" |
        grep ERROR
done
{
    echo "CREATE SERVER shard_2 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '${clusters[2]}', port '$PGPORT', dbname '$PGDATABASE', extensions 'ldp');
          CREATE USER MAPPING FOR CURRENT_USER SERVER shard_2 OPTIONS (user '$PGUSER');
          CREATE TABLE visits (report ldp_report, round integer, shard integer, seen date, region text) PARTITION BY LIST (shard);"
    for shard in 0 1; do echo "CREATE FOREIGN TABLE visits_$shard PARTITION OF visits FOR VALUES IN ($shard) SERVER shard_$shard OPTIONS (table_name 'visit');"; done
} >"$work/setup"
at $asks -f "$work/setup" -c "SELECT ldp_adopt_collection('visits', 'visits', '$spec_colour')" >/dev/null
create="SELECT ldp_create_rollup('visits_weekly', 'visits', '{week(seen),region}')"
check "each server needs a rollup of its own" 'ERROR:  42704: collection "visit" on server "shard_0" has no rollup with these buckets and this time zone' \
    "$(at $asks -v VERBOSITY=verbose -c "$create" | grep '^ERROR')"
for shard in 0 1; do at $shard -c "SELECT ldp_create_rollup('by_week', 'visit', '{week(seen),region}')" >/dev/null; done
check "then one server has a rollup of all" visits_weekly "$(at $asks -c "$create")"
check "which is as old as the oldest" t "$(at $asks -c "SELECT refreshed IS NULL FROM ldp_rollups WHERE name = 'visits_weekly'")"
for shard in 0 1; do at $shard -c "SELECT ldp_refresh('by_week')" >/dev/null; done
rolled="SELECT sum(ldp_count(summary)) FROM unnest(ldp_groups_of('visits_weekly'))"
check "it needs no refresh" 200 "$(at $asks -c "$rolled")"
at $asks -c "CREATE FOREIGN TABLE visits_2 PARTITION OF visits FOR VALUES IN (2) SERVER shard_2 OPTIONS (table_name 'visit')"
check "until partitions are added" 'ERROR:  42704: collection "visit" on server "shard_2" has no rollup with these buckets and this time zone' \
    "$(at $asks -v VERBOSITY=verbose -c "SELECT ldp_refresh('visits_weekly')" | grep '^ERROR')"
at 2 -c "SELECT ldp_create_rollup('by_week', 'visit', '{week(seen),region}')" -c "SELECT ldp_refresh('by_week')" >/dev/null
check "a refresh adds their rollups" "0 300 t" "$(at $asks -c "SELECT ldp_refresh('visits_weekly')" -c "$rolled" -c "SELECT refreshed < now() FROM ldp_rollups WHERE name = 'visits_weekly'" | xargs)"
check "a partition that is created again is not added twice" "0 300" "$(at $asks -c "DROP FOREIGN TABLE visits_1" \
    -c "CREATE FOREIGN TABLE visits_1 PARTITION OF visits FOR VALUES IN (1) SERVER shard_1 OPTIONS (table_name 'visit')" -c "SELECT ldp_refresh('visits_weekly')" -c "$rolled" | xargs)"
at 1 -c "CREATE TABLE alien (LIKE visit INCLUDING DEFAULTS)" -c "SELECT ldp_adopt_collection('alien', 'alien', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 8}')" >/dev/null
for alien in "alien 42804 table public.alien on server \"shard_1\" is the table of a collection with another spec" \
    "colour_1 42704 table public.colour_1 on server \"shard_1\" is not the table of a collection"; do
    read -r table state message <<<"$alien"
    check "a server's table must have the spec: $table" "ERROR:  $state: $message" "$(at $asks -v VERBOSITY=verbose -c "BEGIN" \
        -c "CREATE FOREIGN TABLE visits_3 PARTITION OF visits FOR VALUES IN (3) SERVER shard_1 OPTIONS (table_name '$table')" -c "SELECT ldp_refresh('visits_weekly')" | grep '^ERROR')"
done
check "and no local partition" 'ERROR:  0A000: rollups of collection "visits" are not supported: partition public.visits_3 is not a table of another server' \
    "$(at $asks -v VERBOSITY=verbose -c "BEGIN" -c "CREATE TABLE visits_3 PARTITION OF visits FOR VALUES IN (3)" -c "SELECT ldp_refresh('visits_weekly')" | grep '^ERROR')"

# Reports arrive on each server and through the server that queries, while rollups are refreshed and backends are killed.
touch "$work/go"
load() { # load SERVER STATEMENT
    while [ -e "$work/go" ]; do PGAPPNAME=load at "$1" -c "$2" >/dev/null; sleep 0.1; done
}
insert() { echo "INSERT INTO $1 (report, round, $2 seen, region) SELECT report, 0, $3 date '2024-05-01' + (random() * 60)::integer, region FROM colour_$4 LIMIT (random() * 40)::integer"; }
loads=()
for shard in 0 1 2; do
    for statement in "$(insert visit "" "" $shard)" "SELECT ldp_refresh('by_week')"; do
        load $shard "$statement" &
        loads+=($!)
    done
done
for statement in "$(insert visits shard, "(random() * 2)::integer," 2)" "SELECT ldp_refresh('visits_weekly')"; do
    load $asks "$statement" &
    loads+=($!)
done
before=0 killed=0
for try in {1..12}; do
    # A backend that has ended by itself is a warning.
    ended=$(at $((try % 3)) -c "SET client_min_messages = error" -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE (application_name = 'load' OR application_name = 'postgres_fdw') AND random() < 0.5")
    killed=$((killed + ended))
    now=$(at $asks -c "$rolled")
    # A connection that was killed while it waited in the session of the query is an error.
    [[ $now =~ ^[0-9]+$ ]] || continue
    [ "$now" -ge "$before" ] || bad "a rollup of all servers lost reports: $before, then $now"
    before=$now
done
rm "$work/go"
wait "${loads[@]}"
for shard in 0 1 2; do at $shard -c "SELECT ldp_refresh('by_week')" >/dev/null; done
check "backends were killed, and reports arrived" "yes yes" "$([ $killed -gt 0 ] && [ $before -ge 300 ] && echo yes) $([ "$(at $asks -c "SELECT count(*) FROM visits")" -gt 310 ] && echo yes)"
check "every report is in the rollup of all servers once" t "$(at $asks -c "
    SELECT array_agg(ROW(g.group_key, g.summary) ORDER BY g.group_key) = (SELECT array_agg(ROW(v.name, v.summary) ORDER BY v.name) FROM (
        SELECT jsonb_build_object('week', date_trunc('week', seen::timestamp)::date, 'region', region) AS name, ldp_agg(report, round) AS summary FROM visits
        GROUP BY date_trunc('week', seen::timestamp)::date, region) AS v)
    FROM unnest(ldp_groups_of('visits_weekly')) AS g")"
check "a series adds all servers" "$(at $asks -c "SELECT count(*) FROM visits WHERE seen >= '2024-05-06' AND seen < '2024-05-20'")" "$(at $asks -c "
    SELECT sum(n) FROM (SELECT DISTINCT group_key, n FROM ldp_estimate(ldp_groups_of('visits_weekly', '{week}', '2024-05-06', '2024-05-20'))) AS s")"

# One is gone.
bin=$("${PG_CONFIG:-pg_config}" --bindir) data=$(dirname "${clusters[1]}")/data
pg_ctl() { "$LDP_AS_SERVER" "$bin/pg_ctl" -D "$data" -l "$data/../again.log" -w -m immediate "$@" >/dev/null; }
pg_ctl stop
for question in "$(rolled_up colour report)" "$(rolled_up wage_packed batch)" "SELECT ldp_agg(report) FROM colour" "SELECT ldp_summary_of('colour')" "SELECT * FROM unnest(ldp_groups_of('colour', '{round}'))" \
    "SELECT * FROM ldp_estimate('colour')" "SELECT * FROM ldp_estimate(ldp_groups_of('visits_weekly'))" "SELECT ldp_refresh('visits_weekly')"; do
    check "without a server there is no answer: $question" 'ERROR:  08001: could not connect to server "shard_1"' \
        "$(at $asks -v VERBOSITY=verbose -c "SET enable_partitionwise_aggregate = on" -c "$question" | grep '^ERROR')"
done
check "the others are still there" 2000 "$(at $asks -c "SELECT ldp_count(ldp_agg(report)) FROM colour WHERE shard <> 1")"
pg_ctl start
check "it is back" t "$(ask "SELECT ($(rolled_up colour report)) = (SELECT ldp_agg(report) FROM colour_whole)")"
check "a collection of several servers can be dropped" "0 3" "$(at $asks -c "BEGIN" -c "SELECT ldp_create_rollup('visits_again', 'visits', '{week(seen),region}')" \
    -c "SELECT ldp_drop_collection('visits')" -c "SELECT count(*) FROM pg_class WHERE relname LIKE 'visits%'" -c "ROLLBACK" -c "SELECT count(*) FROM pg_class WHERE relname LIKE 'visits\__'" | tail -n 2 | xargs)"
at $asks -c "SELECT ldp_drop_rollup('visits_weekly')" >/dev/null
check "a rollup of several servers can be dropped" 0 "$(at $asks -c "SELECT count(*) FROM pg_class WHERE relname LIKE 'visits_weekly%'")"

finish
