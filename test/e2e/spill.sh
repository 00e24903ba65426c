#!/usr/bin/env bash
# Many groups in little memory: states that go to disk and come back give the same answers, hashed and sorted, in
# one process and in several.
. "$(dirname "$0")/../prelude.sh"
cd "$work" || exit 1
create_databases ldp_spill
sql -c "CREATE EXTENSION ldp" || exit 1
{ echo value; seq 30000 | awk '{ print $1 % 20 }'; } >values.csv
# A small state and a large one.
for mechanism in grr oue; do
    domain=$([ $mechanism = grr ] && echo 4 || echo 64)
    echo "{\"mechanism\": \"$mechanism\", \"epsilon\": 1, \"domain\": $domain}" >spec.json
    awk -v n="$domain" 'NR == 1 || $1 < n' values.csv | "$ldp" perturb --spec spec.json >reports 2>/dev/null
    sql -c "CREATE TABLE $mechanism (i serial, report ldp_report)" -c "\\copy $mechanism (report) FROM 'reports'" \
        -c "ALTER TABLE $mechanism SET (parallel_workers = 2)" -c "ANALYZE $mechanism" >/dev/null
    question="SELECT i % 3000 AS g, ldp_agg(report) AS s FROM $mechanism GROUP BY 1"
    digest="SELECT md5(string_agg(g || s::text || f, ',' ORDER BY g)) FROM
            (SELECT g, s, (SELECT string_agg(f::text, ';') FROM ldp_estimate(s, statistics => '{proportion}') AS f) AS f FROM answers OFFSET 0) AS a"
    # asked SETTING...: the answers under these settings, and how they were found. The settings are for the question alone:
    # PostgreSQL 13 starts workers for each row of the digest where they are said to cost nothing.
    asked() {
        local settings=()
        for setting; do settings+=(-c "SET $setting"); done
        sql "${settings[@]}" -c "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $question" >plan
        sql "${settings[@]}" -c "CREATE TEMP TABLE answers AS $question" -c "RESET ALL" -c "$digest"
    }
    name="$mechanism"
    whole=$(asked "work_mem = '200MB'" "max_parallel_workers_per_gather = 0")
    check "$mechanism: an answer" 32 "${#whole}"
    if grep -q "Disk" plan; then bad "$mechanism: it went to disk with memory enough" plan; else ok; fi
    check "$mechanism: hashed in batches" "$whole" \
        "$(asked "work_mem = '256kB'" "hash_mem_multiplier = 1" "max_parallel_workers_per_gather = 0" "enable_sort = off")"
    has plan "HashAggregate"
    has plan "Disk Usage"
    check "$mechanism: sorted on disk" "$whole" \
        "$(asked "work_mem = '64kB'" "max_parallel_workers_per_gather = 0" "enable_hashagg = off")"
    has plan "external merge"
    check "$mechanism: by workers" "$whole" \
        "$(asked "work_mem = '256kB'" "hash_mem_multiplier = 1" "parallel_setup_cost = 0" "parallel_tuple_cost = 0" \
            "min_parallel_table_scan_size = 0")"
    has plan "Workers Launched"
done
finish
