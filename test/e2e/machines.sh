#!/usr/bin/env bash
# Collections on three nodes of Citus, used from each of them: registration, rights, submission, estimates, exactly-once batches,
# changes on the coordinator, a node that is added, and a node that is down.
#
# Runs where Citus is installed; otherwise the test is skipped with a message.
. "$(dirname "$0")/nodes"
roles=(ldp_machines_owner ldp_machines_device ldp_machines_analyst ldp_machines_admin)
forget_roles() {
    local host role
    for host in "${clusters[@]}"; do
        for role in "${roles[@]}"; do psql -h "$host" -Xqd "$maintenance" -c "DROP ROLE IF EXISTS $role" >/dev/null 2>&1; done
    done
}
trap 'cleanup; forget_roles' EXIT
forget_roles
start_nodes ldp_machines 1
as() { PGUSER=ldp_machines_$1 on "$2" "${@:3}"; }
first() { grep -m 1 -E '^(ERROR|psql)' <<<"$1" | sed -E 's/^psql:[^ ]* //'; }

sql >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE ROLE ldp_machines_owner LOGIN;
CREATE ROLE ldp_machines_admin LOGIN;
CREATE ROLE ldp_machines_device LOGIN;
CREATE ROLE ldp_machines_analyst LOGIN;
GRANT ldp_admin TO ldp_machines_owner, ldp_machines_admin;
GRANT ldp_submitter TO ldp_machines_device;
GRANT ldp_analyst TO ldp_machines_analyst;
CREATE SCHEMA work;
GRANT USAGE ON SCHEMA work TO PUBLIC;
GRANT CREATE ON SCHEMA work TO ldp_machines_owner;
CREATE TABLE elsewhere (n integer);   -- so that tables have other numbers on the coordinator
SET ROLE ldp_machines_owner;
SELECT ldp_create_collection('colour', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}', '{{country,text}}', schema => 'work'),
    ldp_create_collection('packed', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"], "min_group": 5}', schema => 'work', rows => 'batches', analysts => 'aggregates'),
    ldp_create_collection('profile', '{"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "domain": ["x", "y"]}, {"name": "b", "min": 0, "max": 9}]}',
                          '{{day,date},{lot,integer}}', schema => 'work', partition_by => 'day'),
    ldp_create_collection('local', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', '{{place,text}}', schema => 'work');
CREATE TABLE work.typed OF public.ldp_report_row;
SELECT ldp_adopt_collection('typed', 'work.typed', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
SQL
spec='{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'
{ echo value; for i in $(seq 300); do case $((i % 3)) in 0) echo red ;; 1) echo green ;; *) echo blue ;; esac; done; } >values.csv
"$ldp" perturb --spec <(echo "$spec") <values.csv 2>/dev/null >reports
"$ldp" perturb --spec <(sql -c "SELECT ldp_client_spec('packed')") <values.csv 2>/dev/null >packs
{ echo a,b; for i in $(seq 300); do echo "x,$((i % 10))"; done; } >people.csv
"$ldp" perturb --spec <(sql -c "SELECT ldp_client_spec('profile')") <people.csv 2>/dev/null >profiles
array="{$(head -n 20 reports | paste -sd,)}" pack="{$(head -n 20 packs | paste -sd,)}"
one=$(head -n 1 reports)
# Reports from before the distribution.
as device 0 -c "\\copy work.colour (report) FROM 'reports'" -c "SELECT ldp_submit_batch('packed', '00000000-0000-0000-0000-000000000001', '$pack')" >/dev/null

# Distribution.
verbose="-v VERBOSITY=verbose"
check "the owner distributes" "" "$(as owner 0 -c "CALL ldp_distribute_collection('colour', shards => 4)" \
    -c "CALL ldp_distribute_collection('packed', shards => 4)" -c "CALL ldp_distribute_collection('profile', 'lot', 4)")"
check "nobody else" "ERROR:  42501: permission denied: role \"ldp_machines_admin\" does not own the table work.colour" \
    "$(first "$(as admin 0 $verbose -c "CALL ldp_distribute_collection('colour')")")"
check "by an integer" "ERROR:  22023: collection \"local\" cannot be distributed by the column \"place\"" \
    "$(first "$(as owner 0 $verbose -c "CALL ldp_distribute_collection('local', 'place')")")"
check "not by the round" "ERROR:  22023: collection \"local\" cannot be distributed by the column \"round\"" \
    "$(first "$(as owner 0 $verbose -c "CALL ldp_distribute_collection('local', 'round')")")"
check "over at least one shard" "ERROR:  22023: invalid number of shards: 0" "$(first "$(as owner 0 $verbose -c "CALL ldp_distribute_collection('local', shards => 0)")")"
check "a typed table has no place for the column" "ERROR:  42809: cannot add a column for shards to the typed table work.typed" \
    "$(first "$(as owner 0 $verbose -c "CALL ldp_distribute_collection('typed')")")"
check "not in another way" "ERROR:  55000: collection \"colour\" is already distributed in another way" \
    "$(first "$(as owner 0 $verbose -c "CALL ldp_distribute_collection('colour', shards => 8)")")"
# alter_distributed_table copies the rows into another table.
check "so the distribution is fixed" 0 "$(sql -c "BEGIN" -c "SET LOCAL client_min_messages = error" -c "SELECT alter_distributed_table('work.colour', shard_count => 8)" \
    -c "SELECT count(*) FROM ldp_collections WHERE name = 'colour'" -c "ROLLBACK" | xargs)"
check "not in a transaction" "ERROR:  2D000: invalid transaction termination" \
    "$(first "$(as owner 0 $verbose -c "BEGIN" -c "CALL ldp_distribute_collection('colour')")")"
for table in colour:shard packed:shard profile:lot; do
    check "$table: the default has one number for each shard" "4 4" "$(sql -F ' ' -c "
        SELECT count(DISTINCT n), count(DISTINCT get_shard_id_for_distribution_column('work.${table%:*}', n)) FROM pg_attrdef AS d JOIN pg_attribute AS a
            ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum), LATERAL regexp_matches(pg_get_expr(d.adbin, d.adrelid), '\\d+', 'g') AS m,
            LATERAL (SELECT m[1]::integer) AS o (n)
        WHERE a.attrelid = 'work.${table%:*}'::regclass AND a.attname = '${table#*:}'")"
done
check "reports from before are in all shards" "4 300" "$(sql -F ' ' -c "SELECT count(DISTINCT shard), count(*) FROM work.colour")"
check "partitions are distributed, too" 2 "$(as owner 0 -c "SELECT ldp_add_partitions('profile', date_trunc('day', now()) + interval '2 days')")"

# A node that is added.
check "worker 2 is added" 3 "$(add_node 2)"
check "it has no collections yet" "ERROR:  collection \"colour\" does not exist" "$(first "$(as device 2 -c "SELECT ldp_submit('colour', '$one')")")"
check "it has them when the owner repeats the call" "" "$(as owner 0 -c "CALL ldp_distribute_collection('colour')")"
for node in 1 2; do
    check "node $node has the collections, by name" "colour work.colour reports packed work.packed batches profile work.profile reports" \
        "$(on $node -F ' ' -c "SELECT name, reports, rows FROM ldp_collections ORDER BY name" | xargs)"
    check "node $node: other numbers" t "$(on $node -c "SELECT reports::oid <> $(sql -c "SELECT 'work.colour'::regclass::oid") FROM ldp_collections WHERE name = 'colour'")"
    check "node $node: the same specs" "$(sql -c "SELECT ldp_client_spec(c) FROM unnest('{colour,packed,profile}'::text[]) AS c")" \
        "$(on $node -c "SELECT ldp_client_spec(c) FROM unnest('{colour,packed,profile}'::text[]) AS c")"
done
# One shard of each table moves to the new node.
sql -c "SELECT citus_move_shard_placement(min(s.shardid), '${nodes[1]}', $PGPORT, '${nodes[2]}', $PGPORT, 'block_writes')
    FROM pg_dist_shard AS s JOIN pg_dist_placement AS q USING (shardid) JOIN pg_dist_node AS n USING (groupid)
    WHERE s.logicalrelid IN ('work.colour'::regclass, 'work.packed', 'work.profile', 'ldp_internal.ldp_batch') AND n.nodename = '${nodes[1]}'
    GROUP BY s.logicalrelid" >"$work/log" || bad "shards move" "$work/log"
check "shards are on the new node" 4 "$(sql -c "SELECT count(DISTINCT s.logicalrelid) FROM pg_dist_shard AS s JOIN pg_dist_placement AS q USING (shardid) JOIN pg_dist_node AS n USING (groupid)
    WHERE s.logicalrelid IN ('work.colour'::regclass, 'work.packed', 'work.profile', 'ldp_internal.ldp_batch') AND n.nodename = '${nodes[2]}'")"

# Submission on each node; each batch counts once.
for node in 0 1 2; do
    check "node $node: one report" "" "$(as device $node -c "SELECT ldp_submit('colour', '$one', columns => '{\"country\": \"de\"}')")"
    check "node $node: a batch" 20 "$(as device $node -c "SELECT ldp_submit_batch('colour', '00000000-0000-0000-0000-00000000000$node', '$array')")"
    check "node $node: COPY" "" "$(as device $node -c "\\copy work.colour (report) FROM 'reports'")"
    check "node $node: into a partition" "" "$(as device $node -c "\\copy work.profile (report) FROM 'profiles'")"
    PGHOST=${nodes[$node]} PGUSER=ldp_machines_device run "node $node: ldp submit" 0 "$ldp" submit --copy --collection packed --method call --batch 50 --state "state.$node" values.csv
    check "node $node: a batch of before" 0 "$(as device $node -c "SELECT ldp_submit_batch('packed', '00000000-0000-0000-0000-000000000001', '$pack')")"
    check "node $node: with other reports" "ERROR:  LD001: batch 00000000-0000-0000-0000-000000000001 of collection \"packed\" was counted before with other reports" \
        "$(first "$(as device $node $verbose -c "SELECT ldp_submit_batch('packed', '00000000-0000-0000-0000-000000000001', ('$pack'::ldp_report[])[1:3])")")"
    # Of an error on another node, Citus keeps the message and not the SQLSTATE.
    check "node $node: another spec" 1 "$(as device $node -c "SELECT ldp_submit('packed', '$(head -n 1 profiles)')" | grep -c '^ERROR:  the report was made for another collection')"
done
for i in 1 2 3 4 5 6; do
    for node in 0 1 2; do as device $node -c "SELECT ldp_submit_batch('packed', '00000000-0000-0000-0001-00000000000$i', '$pack')" & done | sort -n | xargs
done >together
check "the same batch on all nodes at the same time counts once" "0 0 20" "$(sort -u together)"

# Estimates on each node.
count=$((300 + 3 * 321))
for node in 0 1 2; do
    check "node $node: all reports" "$count $((20 + 900 + 120)) 900" "$(as analyst $node -F ' ' -c "SELECT ldp_count(ldp_summary_of('colour')), ldp_count(ldp_summary_of('packed')), ldp_count(ldp_summary_of('profile'))")"
    check "node $node: the same estimates" "$(as analyst 0 -c "SELECT * FROM ldp_estimate('colour')" -c "SELECT * FROM ldp_estimate('packed')" -c "SELECT * FROM ldp_estimate('profile')")" \
        "$(as analyst $node -c "SELECT * FROM ldp_estimate('colour')" -c "SELECT * FROM ldp_estimate('packed')" -c "SELECT * FROM ldp_estimate('profile')")"
    check "node $node: rows for those who may read them" $count "$(as analyst $node -c "SELECT count(report) FROM work.colour")"
    check "node $node: in groups" "de 3" "$(as analyst $node -F ' ' -c "SELECT group_key ->> 'country', ldp_count(summary) FROM unnest(ldp_groups_of('colour', '{country}')) WHERE group_key ->> 'country' = 'de'")"
    check "node $node: with labels where shards compute the estimates" "blue green red" "$(as analyst $node -c "SELECT DISTINCT (ldp_estimate(ldp_agg(report))).label FROM work.colour GROUP BY shard ORDER BY 1" | xargs)"
    check "node $node: no rows for aggregates alone" "ERROR:  42501: permission denied for table packed" "$(first "$(as analyst $node $verbose -c "SELECT batch FROM work.packed")")"
    check "node $node: no estimates for devices" "ERROR:  42501: permission denied to read the reports of collection \"colour\"" "$(first "$(as device $node $verbose -c "SELECT * FROM ldp_estimate('colour')")")"
    check "node $node: no reports of analysts" "ERROR:  42501: permission denied to submit reports to collection \"colour\"" "$(first "$(as analyst $node $verbose -c "SELECT ldp_submit('colour', '$one')")")"
done

# Tokens, which the coordinator redeems. The state of the collections, and the documents of disclosure, on each node.
as owner 0 -c "SELECT ldp_create_collection('admitted', '$spec', schema => 'work', rows => 'batches')" -c "CALL ldp_distribute_collection('admitted', shards => 4)" >"$work/log" 2>&1 || bad "tokens" "$work/log"
mapfile -t tokens < <(as owner 0 -c "SELECT unnest(ldp_create_tokens('admitted', 2))")
token="columns => '{\"ldp_token\": \"${tokens[0]}\"}'"
as owner 0 -c "GRANT INSERT ON work.admitted TO ldp_submitter" >/dev/null
check "a worker has no tokens" "ERROR:  LD003: the token is unknown to collection \"admitted\", or was redeemed by another batch" \
    "$(first "$(as device 1 $verbose -c "SELECT ldp_submit_batch('admitted', '00000000-0000-0000-0000-0000000000a0', ARRAY['$one'::ldp_report], $token)")")"
check "the coordinator redeems a token" 1 "$(as device 0 -c "SELECT ldp_submit_batch('admitted', '00000000-0000-0000-0000-0000000000a1', ARRAY['$one'::ldp_report], $token)")"
check "once" "ERROR:  LD003: the token is unknown to collection \"admitted\", or was redeemed by another batch" \
    "$(first "$(as device 0 $verbose -c "SELECT ldp_submit_batch('admitted', '00000000-0000-0000-0000-0000000000a2', ARRAY['$one'::ldp_report], $token)")")"
check "a repetition on a worker needs none" 0 "$(as device 2 -c "SELECT ldp_submit_batch('admitted', '00000000-0000-0000-0000-0000000000a1', ARRAY['$one'::ldp_report], $token)")"
for node in 0 1 2; do
    check "node $node: no problems" "" "$(on $node -c "SELECT * FROM ldp_status WHERE status <> 'ok'")"
    check "node $node: no sizes of empty tables" "4 8" "$(on $node -F ' ' -c "SELECT count(*) FILTER (WHERE metric = 'collection_usable'), count(*) FILTER (WHERE metric IN ('collection_bytes', 'collection_rows') AND value IS NULL)
        FROM ldp_status WHERE object IN ('colour', 'packed', 'profile', 'admitted')")"
    check "node $node: tokens" "$([ $node = 0 ] && echo 1)" "$(on $node -c "SELECT value FROM ldp_status WHERE metric = 'tokens_left'")"
    PGHOST=${nodes[$node]} run "node $node: ldp doctor" 0 "$ldp" doctor
    PGHOST=${nodes[$node]} run "node $node: ldp disclosure" 0 "$ldp" disclosure --part assessment collection:packed
    mv out "assessment.$node"
done
check "the same documents" "" "$(cmp assessment.0 assessment.1; cmp assessment.0 assessment.2)"
as owner 0 -c "SELECT ldp_drop_collection('admitted')" >/dev/null

# A column that is not suitable for the distribution.
as owner 0 -c "SELECT ldp_create_collection('stores', '$spec', '{{store,integer}}', schema => 'work')" -c "\\copy work.stores (report) FROM 'reports'" \
    -c "UPDATE work.stores AS s SET store = n.number FROM (SELECT ctid AS row, row_number() OVER () AS number FROM work.stores) AS n WHERE s.ctid = n.row" >/dev/null
notices() { grep -E '^(psql:.*)?(NOTICE|DETAIL)' <<<"$1" | sed -E 's/^psql:[^ ]* //' | xargs -d '\n'; }
check "a column of many values" "NOTICE:  column \"store\" of collection \"stores\" has more values than there are shards DETAIL:  Values found: at least 300. Shards: 4. A rollup has a row for each bucket and value." \
    "$(notices "$(as owner 0 -c "CALL ldp_distribute_collection('stores', 'store', 4)")")"
check "also for a rollup" 1 "$(as owner 0 -c "SELECT ldp_create_rollup('stores_daily', 'stores', '{store}')" | grep -c '^NOTICE:  column "store" of collection "stores" has more values')"
as owner 0 -c "SELECT ldp_create_collection('regions', '$spec', '{{region,integer}}', schema => 'work')" -c "\\copy work.regions (report) FROM 'reports'" \
    -c "UPDATE work.regions SET region = 7" >/dev/null
check "a column of few values" "NOTICE:  column \"region\" of collection \"regions\" has fewer values than there are shards DETAIL:  Values found: 1. Shards: 4. Shards without a value have no reports." \
    "$(notices "$(as owner 0 -c "CALL ldp_distribute_collection('regions', 'region', 4)")")"
as owner 0 -c "SELECT ldp_create_collection('skewed', '$spec', '{{region,integer}}', schema => 'work')" -c "\\copy work.skewed (report) FROM 'reports'" \
    -c "UPDATE work.skewed AS s SET region = GREATEST(n.number - 296, 1) FROM (SELECT ctid AS row, row_number() OVER () AS number FROM work.skewed) AS n WHERE s.ctid = n.row" -c "ANALYZE work.skewed" >/dev/null
check "a value with most of the reports" 1 "$(as owner 0 -c "CALL ldp_distribute_collection('skewed', 'region', 4)" | grep -c '^NOTICE:  one value of column "region" of collection "skewed" has a large share of the reports')"
check "no notice for the usual column" "" "$(as owner 0 -c "CALL ldp_distribute_collection('colour')" -c "SELECT ldp_create_rollup('colours', 'colour', '{country}')" -c "SELECT ldp_drop_rollup('colours')" | grep NOTICE)"
as owner 0 -c "SELECT ldp_drop_rollup('stores_daily')" -c "SELECT ldp_drop_collection(c) FROM unnest('{stores,regions,skewed}'::text[]) AS c" >/dev/null

# Changes, on the coordinator; all nodes follow.
for call in "ldp_open_rounds('colour', 0, 1)" "ldp_describe('colour', '{\"title\": \"Colours\"}')" "ldp_drop_collection('colour')" "ldp_unregister_collection('colour')" \
    "ldp_create_collection('more', '$spec')" "ldp_create_rollup('lots', 'colour', '{country}')" "ldp_internal.ldp_distribute('colour', NULL, NULL)"; do
    check "no change on a worker: ${call%%(*}" "ERROR:  55000: collections cannot be changed on a worker of Citus" "$(first "$(as owner 1 $verbose -c "SELECT $call")")"
done
check "another admin has no more rights than on one server" "ERROR:  42501: permission denied: role \"ldp_machines_admin\" does not own the table work.colour" \
    "$(first "$(as admin 0 $verbose -c "SELECT ldp_describe('colour', '{\"title\": \"Colours\"}')")")"
as owner 0 -c "SELECT ldp_open_rounds('colour', 1, 2)" -c "SELECT ldp_describe('colour', '{\"title\": \"Colours\"}')" >/dev/null
check "the spec cannot be changed" "ERROR:  the spec of collection \"colour\" cannot be changed" "$(first "$(sql -c "UPDATE ldp_internal.ldp_collection SET spec = '{}' WHERE name = 'colour'")")"
for node in 1 2; do
    check "node $node: texts" Colours "$(on $node -c "SELECT texts ->> 'title' FROM ldp_collections WHERE name = 'colour'")"
    check "node $node: rounds" 1 "$(as device $node -c "SELECT ldp_submit('colour', '$one')" | grep -c '^ERROR:  round 0 is not open')"
    check "node $node: open ones" "" "$(as device $node -c "SELECT ldp_submit('colour', '$one', 2)")"
done
as owner 0 -c "ALTER TABLE work.colour RENAME TO colours" -c "SELECT ldp_unregister_collection('packed')" >/dev/null
check "a renamed table, with the reports of all rounds" "$((count + 2))" "$(as analyst 1 -c "SELECT ldp_count(summary) FROM unnest(ldp_groups_of('colour', '{}', first_round => 0))")"
check "without names of rounds, the last one with enough reports" "$count" "$(as analyst 1 -c "SELECT ldp_count(ldp_summary_of('colour'))")"
check "a collection that was removed" "ERROR:  collection \"packed\" does not exist" "$(first "$(as device 1 -c "SELECT ldp_submit_batch('packed', '00000000-0000-0000-0000-000000000009', '$pack')")")"
check "with its batches" 0 "$(sql -c "SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'packed'")"
as owner 0 -c "SELECT ldp_adopt_collection('again', 'work.packed', '${spec%\}}, \"min_group\": 5}', 'aggregates')" >/dev/null
check "and adopted under another name" $((20 + 900 + 120)) "$(as analyst 2 -c "SELECT ldp_count(ldp_summary_of('again'))")"
as owner 0 -c "BEGIN" -c "SELECT ldp_unregister_collection('again')" -c "ROLLBACK" >/dev/null
check "a change that is rolled back" again "$(on 1 -c "SELECT name FROM ldp_collections WHERE name = 'again'")"

# A worker that is down. Other nodes refuse what needs it, and nothing is counted in part.
control "${nodes[2]}" -m fast stop
check "estimates name the missing node" 1 "$(as analyst 0 -c "SELECT ldp_count(ldp_summary_of('colour'))" | grep -cF "${nodes[2]}")"
check "reports of all shards are refused" 1 "$(as device 1 -c "\\copy work.profile (report) FROM 'profiles'" | grep -cF "${nodes[2]}")"
control "${nodes[2]}" start
check "it counts again, and nothing in part" "$count 900" "$(as analyst 0 -F ' ' -c "SELECT ldp_count(ldp_summary_of('colour')), ldp_count(ldp_summary_of('profile'))")"

# What a dump of the coordinator has.
pg_dump -Fc -f dump 2>err || bad "pg_dump" err
check "a dump has the reports of all nodes" "$((count + 2))" "$(pg_restore -a -n work -t colours -f - dump | grep -c '^0200')"
check "and the catalog" "again colour local profile typed" "$(pg_restore -a -t ldp_collection -f - dump | grep -oE '^[a-z]+.work[.][a-z]+' | cut -f 1 | sort | xargs)"
check "and the batches" "$(sql -c "SELECT count(*) FROM ldp_internal.ldp_batch")" "$(pg_restore -a -t ldp_batch -f - dump | grep -c ldp_machines_device)"

check "dropped on all nodes" "colour profile" "$(as owner 0 -c "SELECT ldp_drop_collection('again')" >/dev/null; on 2 -c "SELECT name FROM ldp_collections ORDER BY 1" | xargs)"
sql -c "DROP EXTENSION ldp CASCADE" >"$work/log" 2>&1 || bad "DROP EXTENSION" "$work/log"
check "the extension is dropped on all nodes" "0 0 0" "$(for node in 0 1 2; do on $node -c "SELECT count(*) FROM pg_namespace WHERE nspname = 'ldp_internal'"; done | xargs)"
finish
