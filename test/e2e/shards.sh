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
        at $asks -c "\\copy (SELECT $shard, id % 2, report FROM ${name}_whole WHERE id % 3 = $shard) TO '$work/part'"
        at $shard -c "CREATE TABLE ${name}_$shard (shard integer, round integer, report ldp_report)" -c "\\copy ${name}_$shard FROM '$work/part'" \
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
        echo "CREATE TABLE $name (shard integer, round integer, report ldp_report) PARTITION BY LIST (shard);
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
    SELECT array_agg(e ORDER BY e.value) = (SELECT array_agg(w ORDER BY w.value) FROM ldp_proportions((SELECT ldp_agg(report) FROM colour_whole)) AS w)
    FROM ldp_proportions(($(rolled_up colour report))) AS e")"
check "a collection may lie on several servers" "t 3000" "$(at $asks -F ' ' -c "
    SELECT ldp_adopt_collection('colour', 'colour', '$spec_colour')" -c "
    SELECT ldp_summary_of('colour') = (SELECT ldp_agg(report, id % 2) FROM colour_whole), ldp_count(ldp_summary_of('colour'))" | tail -n 1)"
check "a rollup would have to know arrivals on every server" 'ERROR:  0A000: rollups of collection "colour" are not supported: its reports are on several servers' \
    "$(at $asks -v VERBOSITY=verbose -c "SELECT ldp_create_rollup('shards', 'colour', '{shard}')" | grep '^ERROR')"

# One is gone.
bin=$("${PG_CONFIG:-pg_config}" --bindir) data=$(dirname "${clusters[1]}")/data
pg_ctl() { "$LDP_AS_SERVER" "$bin/pg_ctl" -D "$data" -l "$data/../again.log" -w -m immediate "$@" >/dev/null; }
pg_ctl stop
for question in "$(rolled_up colour report)" "$(rolled_up wage_packed batch)" "SELECT ldp_agg(report) FROM colour" "SELECT ldp_summary_of('colour')"; do
    check "without a server there is no answer: $question" 'ERROR:  08001: could not connect to server "shard_1"' \
        "$(at $asks -v VERBOSITY=verbose -c "SET enable_partitionwise_aggregate = on" -c "$question" | grep '^ERROR')"
done
check "the others are still there" 2000 "$(at $asks -c "SELECT ldp_count(ldp_agg(report)) FROM colour WHERE shard <> 1")"
pg_ctl start
check "it is back" t "$(ask "SELECT ($(rolled_up colour report)) = (SELECT ldp_agg(report) FROM colour_whole)")"

finish
