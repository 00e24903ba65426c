#!/usr/bin/env bash
# Reports distributed over servers by Citus. The summary of a coordinator and two workers equals, byte for byte, the
# summary of a single server. A collection can be distributed like any table.
#
# Runs where Citus is installed, on this cluster and two nested clusters of test/with-cluster. Otherwise the test is
# skipped with a message.
. "$(dirname "$0")/nodes"
start_nodes ldp_citus
check "the extension comes to all" "1|1" "$(sql -c "
    SELECT string_agg(result, '|') FROM run_command_on_workers('SELECT count(*) FROM pg_extension WHERE extname = ''ldp''')")"

. "$root/test/e2e/spread"
for name in "${names[@]}"; do
    sql -c "CREATE TABLE ${name}_whole (id integer GENERATED ALWAYS AS IDENTITY, report ldp_report)" -c "\\copy ${name}_whole (report) FROM '$work/$name'" \
        -c "CREATE TABLE $name (id integer, round integer, report ldp_report)" -c "CREATE TABLE ${name}_packed (lot integer, round integer, batch ldp_report_batch)" \
        -c "SELECT create_distributed_table('$name', 'id', shard_count => 8), create_distributed_table('${name}_packed', 'lot', shard_count => 8)" \
        -c "INSERT INTO $name SELECT id, id % 2, report FROM ${name}_whole" \
        -c "INSERT INTO ${name}_packed SELECT id % 20, id % 2, ldp_pack(report) FROM ${name}_whole GROUP BY id % 20, id % 2" >/dev/null
    whole="(SELECT ldp_agg(report) FROM ${name}_whole)"
    check "$name: servers add up to one" t "$(sql -c "SELECT (SELECT ldp_agg(report) FROM $name) = $whole")"
    check "$name: in batches" t "$(sql -c "SELECT (SELECT ldp_agg(batch) FROM ${name}_packed) = $whole")"
    check "$name: with their rounds" t "$(sql -c "
        SELECT (SELECT ldp_agg(report, round) FROM $name) = (SELECT ldp_agg(report, id % 2) FROM ${name}_whole)")"
    check "$name: some of them, in groups that lie across servers" t "$(sql -c "
        CREATE TEMPORARY TABLE groups AS SELECT id % 3 AS of, ldp_agg(report) FILTER (WHERE round = 0) AS summary FROM $name GROUP BY id % 3" -c "
        SELECT bool_and(summary = (SELECT ldp_agg(report) FROM ${name}_whole WHERE id % 3 = of AND id % 2 = 0)) FROM groups")"
    check "$name: in two steps" t "$(sql -c "
        SELECT (SELECT ldp_rollup(s) FROM (SELECT ldp_agg(report) AS s FROM $name GROUP BY id) AS parts) = $whole")"
    for call in "$name ldp_agg(report)" "${name}_packed ldp_agg(batch)"; do
        read -r table call <<<"$call"
        check "$name: $call is computed where its reports are" 8 \
            "$(sql -c "SET citus.explain_all_tasks = on" -c "EXPLAIN (VERBOSE, COSTS OFF) SELECT $call FROM $table" | grep -c "Query: SELECT worker_partial_agg")"
    done
done
check "one step is answered as by one server" t "$(sql -c "SELECT (SELECT ldp_proportion(report) FROM colour) = (SELECT ldp_proportion(report) FROM colour_whole)")"

# A collection: its table is spread by a public column that the server draws.
{ echo value; seq 0 299; } >"$work/people.csv"
for rows in reports batches; do
    sql -c "SELECT ldp_create_collection('$rows', '$spec_colour', ARRAY[['lot', 'integer']], rows => '$rows')" \
        -c "ALTER TABLE $rows ALTER lot SET DEFAULT (random() * 1000)::integer" -c "SELECT create_distributed_table('$rows', 'lot')" >/dev/null
    for method in insert call; do
        run "submitting to $rows by $method" 0 "$ldp" submit --copy --collection $rows --method $method --batch 50 --state "$work/$rows.$method" "$work/people.csv"
    done
    check "$rows: each arrived once" "600 600" "$(sql -F ' ' -c "SELECT ldp_count(ldp_summary_of('$rows')), (SELECT sum(reports) FROM ldp_internal.ldp_batch WHERE collection = '$rows')")"
    check "$rows: on both workers" 2 "$(sql -c "SELECT count(*) FROM run_command_on_workers('SELECT count(*) FROM $rows') WHERE success")"
    check "$rows: its rounds are opened" "" "$(sql -c "SELECT ldp_open_rounds('$rows', 0, 3)" -c "SELECT ldp_open_rounds('$rows', 0, 4)" | tr -d '\n')"
    check "$rows: adopted again" "" "$(sql -c "SELECT ldp_unregister_collection('$rows')" >/dev/null; sql -c "ALTER TABLE $rows DROP CONSTRAINT report_follows_spec" -c "ALTER TABLE $rows DROP CONSTRAINT round_is_open" \
        -c "SELECT ldp_adopt_collection('$rows', '$rows', '$spec_colour')")"
    check "$rows: estimated" 1024 "$(sql -c "SELECT count(*) FROM ldp_estimate('$rows')")"
done
check "dropped on all" "" "$(sql -c "SELECT ldp_drop_collection('reports')" | tr -d '\n')"

finish
