#!/usr/bin/env bash
# The view ldp_status and ldp doctor. Who may read them, and each problem that they report: it appears when the problem is made, with
# its remedy, and goes when the remedy is applied. No state of the database makes the view fail.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
here=ldp_status_here plain=ldp_status_plain superuser=$PGUSER
roles=(watcher stranger keeper sender reader)
server=$(dirname "$LDP_AS_SERVER")
control() { "$LDP_AS_SERVER" "$(${PG_CONFIG:-pg_config} --bindir)/pg_ctl" -D "$server/data" -l "$server/server.log" -w "$@" >/dev/null; }
at_exit() {
    export PGUSER=$superuser
    control status || control start
    psql -XqAtc "SELECT gid FROM pg_prepared_xacts WHERE database = '$here'" | while read -r gid; do psql -Xqd $here -c "ROLLBACK PREPARED '$gid'"; done
    psql -Xqc "ALTER SYSTEM RESET max_prepared_transactions"
    control restart
}
trap 'cleanup; for role in "${roles[@]}"; do psql -Xqc "DROP ROLE IF EXISTS ldp_status_$role"; done' EXIT
psql -Xqc "ALTER SYSTEM SET max_prepared_transactions = 5" && control restart || exit 1
create_databases $here $plain
for role in "${roles[@]}"; do sql -c "CREATE ROLE ldp_status_$role LOGIN" || exit 1; done
sql -c "GRANT pg_monitor TO ldp_status_watcher" -c "GRANT CREATE ON DATABASE $plain TO ldp_status_keeper" || exit 1

# status METRIC OBJECT: value, status and note. The number of a duration that has just passed is left to the cases.
status() { sql -v metric="$1" -v object="$2" <<<"SELECT value, status, note FROM ldp_status WHERE metric = :'metric' AND object = :'object'"; }
# doctor CODE WHAT TEXT...: the code of ldp doctor, and texts that it prints.
doctor() {
    local expected=$1 what=$2 found=0 text
    shift 2
    "$ldp" doctor >"$work/out" 2>"$work/err" || found=$?
    if [ $found -eq "$expected" ]; then ok; else bad "doctor, $what: exit code $found, not $expected" "$work/out" "$work/err"; fi
    for text; do if grep -qF -- "$text" "$work/out" "$work/err"; then ok; else bad "doctor, $what: no \"$text\"" "$work/out" "$work/err"; fi; done
}

# Without the extension, without collections, without a server.
doctor 1 "no extension" "error: database \"$here\" has no collections of ldp" "CREATE EXTENSION ldp"
sql -c "CREATE SCHEMA tools" -c "CREATE EXTENSION ldp SCHEMA tools" || exit 1
sql -c "ALTER DATABASE $here SET search_path = public, tools" || exit 1
doctor 0 "no collections" "0 errors, 0 warnings"
check "a new database has no problem" 0 "$(sql -c "SELECT count(*) FROM ldp_status WHERE status <> 'ok'")"
check "versions" "1|ok|The library has version $(tools/version), and the SQL objects have version $(tools/version | cut -d. -f1,2)." "$(status version ldp)"
PGHOST=$work/nowhere doctor 4 "no server" "error: there is no connection to the server"

sql >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
GRANT ldp_admin TO ldp_status_keeper;
GRANT ldp_submitter TO ldp_status_sender;
GRANT ldp_analyst TO ldp_status_reader;
GRANT USAGE ON SCHEMA tools TO PUBLIC;
GRANT CREATE ON SCHEMA public TO ldp_status_keeper;
CREATE FUNCTION report(name text, digits text) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec(name)), 'hex') || digits)::ldp_report $$;
SET ROLE ldp_status_keeper;
SELECT ldp_create_collection('visits', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY[['seen', 'date']], partition_by => 'seen');
SELECT ldp_create_collection('moods', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
SELECT ldp_open_rounds('moods', 2, 4);
SELECT ldp_create_rollup('days', 'visits', '{day(seen)}'), ldp_create_rollup('rounds', 'moods', '{round}');
INSERT INTO moods SELECT report('moods', '0' || i % 3), 3 FROM generate_series(1, 300) AS i;
SQL
sql -c "SELECT ldp_refresh('days'), ldp_refresh('rounds')" >"$work/log" || cat "$work/log"
check "rounds, reports and health" "first_open_round 2|last_open_round 4|rollup_health 1|rollup_last_round 3|rollup_reports 300|rollup_usable 1" "$(sql -c "
    SELECT string_agg(metric || ' ' || value, '|' ORDER BY metric) FROM ldp_status WHERE object IN ('moods', 'rounds')
    AND metric IN ('first_open_round', 'last_open_round', 'rollup_health', 'rollup_last_round', 'rollup_reports', 'rollup_usable')")"
check "tokens" "2|ok|" "$(sql -c "SELECT cardinality(ldp_create_tokens('moods', 2))" >/dev/null; status tokens_left moods)"
sql -c "SELECT ldp_claim_batch('moods', gen_random_uuid(), 1, sha256('report'), digest) FROM (SELECT t.digest FROM ldp_internal.ldp_token AS t) AS t" >"$work/log" || cat "$work/log"
check "no token is left" "0|warning|No report is admitted. ldp_create_tokens creates tokens." "$(status tokens_left moods)"
sql -c "UPDATE ldp_internal.ldp_collection AS c SET tokens = false WHERE c.name = 'moods'" -c "DELETE FROM ldp_internal.ldp_batch" >/dev/null
check "no problem so far" "" "$(sql -c "SELECT metric, object, note FROM ldp_status WHERE status <> 'ok'")"

# Who may read it. All see the same rows; times of a moment and sizes differ.
rows="SELECT md5(string_agg(format('%s %s %s %s %s', metric, object, CASE WHEN unit NOT IN ('seconds', 'bytes') THEN value END, status, note), E'\n' ORDER BY metric, object)) FROM"
all=$(sql -c "$rows ldp_status")
check "a member of pg_monitor sees what a superuser sees" "$all" "$(sql -c "SET ROLE ldp_status_watcher" -c "$rows ldp_status")"
check "by the function, too" "$all" "$(sql -c "SET ROLE ldp_status_watcher" -c "$rows ldp_internal.ldp_status_rows()")"
check "and no reports" "ERROR:  permission denied for table visits" "$(sql -c "SET ROLE ldp_status_watcher" -c "SELECT * FROM visits")"
for role in stranger keeper sender reader; do
    check "$role may not read the view" "ERROR:  permission denied for view ldp_status" "$(sql -c "SET ROLE ldp_status_$role" -c "SELECT * FROM ldp_status")"
    check "$role may not call the function" "ERROR:  permission denied for function ldp_status_rows" "$(sql -c "SET ROLE ldp_status_$role" -c "SELECT * FROM ldp_internal.ldp_status_rows()")"
done
for part in server_status batch_status role_status budget_status; do
    check "a member of pg_monitor may not call ldp_$part" "ERROR:  permission denied for function ldp_$part" "$(sql -c "SET ROLE ldp_status_watcher" -c "SELECT * FROM ldp_internal.ldp_$part()")"
done
check "no rows for one who only has SELECT" "ERROR:  permission denied for function ldp_status_rows" \
    "$(sql -c "GRANT SELECT ON ldp_status TO ldp_status_stranger" -c "SET ROLE ldp_status_stranger" -c "SELECT * FROM ldp_status")"
PGUSER=ldp_status_stranger doctor 1 "a stranger" "error: role \"ldp_status_stranger\" may not read the status of database \"$here\"" "GRANT pg_monitor TO ROLE"
PGUSER=ldp_status_watcher doctor 0 "a watcher" "ok  rollup_reports"
# Objects of the caller's search path replace none of PostgreSQL.
check "a hostile search path" "$all" "$(sql <<SQL | tail -n 1
CREATE SCHEMA trap;
CREATE FUNCTION trap.format(text, VARIADIC text[]) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''format''; END';
CREATE FUNCTION trap.left(text, integer) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''left''; END';
CREATE FUNCTION trap.now() RETURNS timestamptz LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''now''; END';
CREATE TEMP TABLE kept AS SELECT * FROM tools.ldp_status LIMIT 0;
SET search_path = trap, pg_catalog, tools;
INSERT INTO kept SELECT * FROM ldp_status;
SET search_path = public, tools;
$rows kept;
SQL
)"
sql -c "DROP SCHEMA trap CASCADE" >/dev/null
check "a renamed schema" "$all" "$(sql -c "ALTER SCHEMA tools RENAME TO other" -c "$rows other.ldp_status")"
doctor 0 "a renamed schema" "0 errors, 0 warnings"
sql -c "ALTER SCHEMA other RENAME TO tools"
check "in a read-only transaction" "$all" "$(sql -c "BEGIN READ ONLY" -c "$rows ldp_status")"

# Reports in a default partition.
sql -c "INSERT INTO visits SELECT report('visits', '0' || i % 3), 0, '2026-01-01' FROM generate_series(1, 2000) AS i" || exit 1
remedy='Reports of collection "visits" are in the default partition. Call ldp_add_partitions or ldp_add_round_partitions until their time or round is covered.'
check "reports in a default partition" "2000|warning|$remedy" "$(status default_partition_rows public.visits_default)"
doctor 9 "a default partition" "$remedy" "2,000  public.visits_default"
sql -c "SELECT pg_stat_reset_single_table_counters('visits_default'::regclass)" >/dev/null
check "statistics are lost" "|warning|$remedy" "$(status default_partition_rows public.visits_default)"
sql -c "SELECT ldp_add_partitions('visits', '2026-01-03', since => '2025-12-31')" >/dev/null
check "moved" 0 "$(status default_partition_rows public.visits_default | cut -d'|' -f1)"

# Reports that a rollup has not counted.
check "reports wait" t "$(sql -c "SELECT value > 100000 FROM ldp_status WHERE metric = 'rollup_waiting_bytes' AND object = 'days'")"
check "for a moment only" ok "$(status rollup_age days | cut -d'|' -f2)"
sql -c "UPDATE ldp_internal.ldp_rollup SET refreshed = now() - interval '3 days' WHERE name IN ('days', 'rounds')"
check "a stale rollup" "warning|The last refresh is more than 36 hours old, and reports wait. Call ldp_refresh, and check the timer that calls it." "$(status rollup_age days | cut -d'|' -f2-)"
check "nothing waits for the other" ok "$(status rollup_age rounds | cut -d'|' -f2)"
doctor 9 "a stale rollup" "3 days  days" "The last refresh is more than 36 hours old"
sql -c "SELECT ldp_refresh('days'), ldp_refresh('rounds')" >/dev/null
check "refreshed" "ok|0|2000" "$(status rollup_age days | cut -d'|' -f2)|$(status rollup_waiting_bytes days | cut -d'|' -f1)|$(status rollup_reports days | cut -d'|' -f1)"
sql -c "UPDATE ldp_internal.ldp_collection SET home = '1/1' WHERE name = 'moods'"
check "a copied database" "warning|This database is a copy. New reports have no stamps until the next refresh, which locks the table. Call ldp_refresh." "$(status rollup_age rounds | cut -d'|' -f2-)"
sql -c "SELECT ldp_refresh('rounds')" >/dev/null
check "its first refresh" ok "$(status rollup_age rounds | cut -d'|' -f2)"

# Prepared and open transactions, and locks.
sql -c "BEGIN" -c "LOCK TABLE visits IN ACCESS EXCLUSIVE MODE" -c "PREPARE TRANSACTION 'forgotten'" >/dev/null
check "a locked table" "|warning|Another transaction locks the table. pg_locks shows it." "$(status collection_usable visits)"
check "the other collection is checked" "1|ok|" "$(status collection_usable moods)"
check "a transaction is prepared" "1|ok" "$(status prepared_transactions $here | cut -d'|' -f-2)"
check "it is young" ok "$(status prepared_transaction_age $here | cut -d'|' -f2)"
# The clock of the view is an hour ahead.
late=$(sql -c "BEGIN" -c "ALTER FUNCTION ldp_internal.ldp_server_status() SET search_path = ahead, pg_catalog, pg_temp" \
    -c "CREATE SCHEMA ahead" -c "CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT pg_catalog.clock_timestamp() + interval ''61 minutes'''" \
    -c "SELECT value > 3600, status, note FROM ldp_status WHERE metric = 'prepared_transaction_age'")
check "an old one" 't|warning|Prepared for more than an hour: "forgotten". Their reports are not counted. They hold up VACUUM, new partitions and ldp_prune. End them with COMMIT PREPARED or ROLLBACK PREPARED.' "$late"
sql -c "ROLLBACK PREPARED 'forgotten'"
check "it ended" "0|ok|" "$(status prepared_transactions $here)"
(echo "BEGIN; SELECT pg_current_xact_id(); \\! touch $work/open"; while [ ! -e "$work/enough" ]; do sleep 0.1; done) | sql >/dev/null &
while [ ! -e "$work/open" ]; do sleep 0.1; done
check "an open transaction" "t|ok" "$(sql -c "SELECT value > 0, status FROM ldp_status WHERE metric = 'transaction_age'")"
touch "$work/enough"
wait

# Records of batches.
check "no records" "0|ok||" "$(status batch_records ldp)|$(status batch_records_age ldp | cut -d'|' -f1)"
sql -c "INSERT INTO ldp_internal.ldp_batch SELECT 'moods', 'x', gen_random_uuid(), 1, sha256('a'), now() - interval '500 days' FROM generate_series(1, 3)"
old="The oldest record of a batch is from $(sql -c "SELECT (now() - interval '500 days')::date"). The usual retention is a year. Call ldp_prune_batches for each collection every week."
check "old records" "3 t warning|$old" "$(status batch_records ldp | cut -d'|' -f1) $(sql -c "SELECT value > 499 * 86400 FROM ldp_status WHERE metric = 'batch_records_age'") $(status batch_records_age ldp | cut -d'|' -f2-)"
# ANALYZE reads 30,000 of these. A sample without one of the 24,000 records older than 400 days has a probability below 1e-2000.
sql -c "INSERT INTO ldp_internal.ldp_batch SELECT 'moods', 'x', gen_random_uuid(), 1, sha256('a'), now() - i * interval '6 minutes' FROM generate_series(1, 120000) AS i" -c "ANALYZE ldp_internal.ldp_batch"
check "many records, by statistics" "120003|warning" "$(status batch_records ldp | cut -d'|' -f1)|$(status batch_records_age ldp | cut -d'|' -f2)"
sql -c "SELECT ldp_prune_batches('moods')" -c "VACUUM FULL ANALYZE ldp_internal.ldp_batch" >/dev/null
kept=$(sql -c "SELECT count(*) FROM ldp_internal.ldp_batch")
check "a year of records, by statistics" "t t" "$(sql -c "SELECT $kept BETWEEN 87500 AND 87900" -c "SELECT pg_relation_size('ldp_internal.ldp_batch') > 8388608" | paste -sd' ')"
check "pruned" "$kept|ok|" "$(status batch_records ldp | cut -d'|' -f1)|$(status batch_records_age ldp | cut -d'|' -f2-)"
sql -c "TRUNCATE ldp_internal.ldp_batch"

# Roles.
check "one role may submit" "1|ok|" "$(status submitters ldp)"
sql -c "GRANT ldp_analyst TO ldp_status_sender"
check "a submitter who reads" '2|warning|The role may submit to collections and also may read "moods", may read "visits". Use different roles for submission, for analysis and for ownership.' "$(status submitter_excess ldp_status_sender)"
sql -c "REVOKE ldp_analyst FROM ldp_status_sender" -c "GRANT ldp_status_keeper TO ldp_status_sender"
check "a submitter who owns" '2|warning|The role may submit to collections and also owns "moods", owns "visits". Use different roles for submission, for analysis and for ownership.' "$(status submitter_excess ldp_status_sender)"
doctor 9 "a role" "submitter_excess" "ldp_status_sender"
sql -c "REVOKE ldp_status_keeper FROM ldp_status_sender"
check "rights revoked" "" "$(status submitter_excess ldp_status_sender)"
sql -c "REVOKE ldp_submitter FROM ldp_status_sender" -c "GRANT INSERT (report) ON moods TO ldp_status_reader"
check "a right on the column is enough" '1|warning|The role may submit to collections and also may read "moods". Use different roles for submission, for analysis and for ownership.' "$(status submitter_excess ldp_status_reader)"
sql -c "REVOKE INSERT (report) ON moods FROM ldp_status_reader" -c "GRANT SELECT ON moods TO PUBLIC"
check "everyone reads" '1|warning|Every role has SELECT on reports of the table. Revoke it from PUBLIC.' "$(status public_rights moods)"
sql -c "REVOKE SELECT ON moods FROM PUBLIC"
check "no longer" "" "$(status public_rights moods)"

# Budgets of groups.
group='"budget": {"group": "office", "epsilon": 3, "at_most": 2}'
sql -c "SELECT ldp_create_collection('first', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3, $group}')" >/dev/null
check "one collection of a group" "3|ok| 2|ok|" "$(status group_budget office) $(status group_spent office)"
sql -c "SELECT ldp_create_collection('second', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 4, $group}')" >/dev/null
check "two collections" '4|warning|One person cannot take part in all collections of the group: "first", "second". Their devices stop when the budget is spent.' "$(status group_spent office)"
sql -c "SELECT ldp_drop_collection('first'), ldp_drop_collection('second')" >/dev/null

# Health. Every report of these says 0, which no randomizer at this epsilon returns.
sql >"$work/log" <<'SQL' || cat "$work/log"
SELECT ldp_create_collection('bits', '{"mechanism": "oue", "epsilon": 1, "domain": 8}'), ldp_create_rollup('bits_by_round', 'bits', '{round}');
INSERT INTO bits SELECT report('bits', 'ff') FROM generate_series(1, 200);
SELECT ldp_refresh('bits_by_round');
SQL
check "forged reports" "t|warning|Not all reports come from the randomizer. A client may be broken, or reports may be forged. ldp_health shows the statistics." \
    "$(sql -c "SELECT value < 1e-8, status, note FROM ldp_status WHERE metric = 'rollup_health' AND object = 'bits_by_round'")"
sql -c "SELECT ldp_drop_collection('bits')" >/dev/null
# Of memoized responses, the last round is tested; without rounds, none.
sql >"$work/log" <<'SQL' || cat "$work/log"
SELECT ldp_create_collection('kept', '{"mechanism": "l_grr", "epsilon": 2, "report_epsilon": 1, "domain": 3}', ARRAY[['country', 'text']]);
SELECT ldp_open_rounds('kept', 0, 9), ldp_create_rollup('kept_by_round', 'kept', '{round}'), ldp_create_rollup('kept_by_country', 'kept', '{country}');
INSERT INTO kept SELECT report('kept', '0' || i % 3), i % 2, 'de' FROM generate_series(1, 60) AS i;
SELECT ldp_refresh('kept_by_round'), ldp_refresh('kept_by_country');
SQL
check "memoized, by round" "t|ok|" "$(sql -c "SELECT value > 0, status, note FROM ldp_status WHERE metric = 'rollup_health' AND object = 'kept_by_round'")"
check "memoized, without rounds" "|ok|Responses are memoized. Only a rollup with the column round can be tested." "$(status rollup_health kept_by_country)"

# Damaged and absent objects are rows.
sql -c "ALTER TABLE kept RENAME COLUMN country TO land"
check "a renamed column" "|error|Column \"country\" of rollup \"kept_by_country\" does not exist in the reports of collection \"kept\"." "$(status rollup_usable kept_by_country | sed 's/\. The column was.*/./')"
sql -c "ALTER TABLE kept RENAME COLUMN land TO country" -c "ALTER TABLE kept DROP CONSTRAINT report_follows_spec"
check "a table without its constraint" "|error|The table of collection \"kept\" was altered since its registration." "$(status collection_usable kept | cut -d. -f1 | sed 's/$/./')"
doctor 9 "a damaged table" "1 error, 0 warnings" "was altered since its registration" "ldp_adopt_collection"
sql -c "ALTER TABLE kept_by_round DROP COLUMN summary"
check "a rollup without its summaries" "|error|Column r.summary does not exist." "$(status rollup_reports kept_by_round)"
sql -c "DROP TABLE kept_by_round"
check "a dropped rollup" "0|warning|The table of the rollup was dropped. Create the rollup again; it counts the reports that are still stored." "$(status rollup_usable kept_by_round)"
check "has no other row" 1 "$(sql -c "SELECT count(*) FROM ldp_status WHERE object = 'kept_by_round'")"
sql -c "DROP TABLE kept"
check "a dropped collection" "0|warning|The table of the collection was dropped. Remove the collection with ldp_unregister_collection, or create it again." "$(status collection_usable kept)"
check "its rollup" "0|warning|The collection of the rollup has no table." "$(status rollup_usable kept_by_country)"
sql -c "SELECT ldp_unregister_collection('kept')" >/dev/null
check "removed" 0 "$(sql -c "SELECT count(*) FROM ldp_status WHERE object LIKE 'kept%'")"
sql -c "UPDATE pg_extension SET extversion = '0.9' WHERE extname = 'ldp'"
check "another version" "0|error|The library has version $(tools/version), and the SQL objects have version 0.9. After an upgrade of the package, run ALTER EXTENSION ldp UPDATE in each database, and reconnect all sessions." "$(status version ldp)"
sql -c "UPDATE pg_extension SET extversion = '$(tools/version | cut -d. -f1,2)' WHERE extname = 'ldp'"
check "no two rows of one check and object" "" "$(sql -c "SELECT metric, object FROM ldp_status GROUP BY 1, 2 HAVING count(*) > 1")"

# The output of the command.
check "as JSON" "$(sql -c "SELECT count(*) FROM ldp_status") 300" "$("$ldp" doctor --json 2>/dev/null | python3 -c "
import json, sys
rows = [json.loads(line) for line in sys.stdin]
print(len(rows), *(int(r['value']) for r in rows if (r['metric'], r['object']) == ('rollup_reports', 'rounds')))")"
check "only problems" "" "$("$ldp" doctor --problems 2>/dev/null)"

# Collections without the extension.
PGDATABASE=$plain PGUSER=ldp_status_keeper
export PGDATABASE PGUSER
"$ldp" attach >/dev/null 2>"$work/err" || bad "attach" "$work/err"
"$ldp" spec resolve '{"mechanism": "grr", "epsilon": 1, "domain": ["a", "b"]}' >"$work/spec"
sql -v spec="$(cat "$work/spec")" <<<"SELECT ldp.ldp_create_collection('colour', :'spec', schema => 'ldp')" >"$work/log" || cat "$work/log"
doctor 0 "attached, empty" "collection_usable" "0 errors, 0 warnings"
{ echo value; yes a | head -n 50; } >"$work/colour.csv"
"$ldp" submit --collection colour "$work/colour.csv" 2>"$work/err" || bad "submit" "$work/err"
doctor 9 "attached, never refreshed" "The collection has never been refreshed. Run ldp refresh at regular times."
"$ldp" refresh 2>"$work/err" || bad "refresh" "$work/err"
doctor 0 "attached, refreshed" "rollup_age"
sql -c "UPDATE ldp_internal.ldp_refresh SET refreshed = now() - interval '2 days', skipped = 7" >/dev/null
doctor 9 "attached, stale" "The last refresh is more than 36 hours old. Run ldp refresh, and check the timer that runs it." "skipped_reports"
export PGUSER=ldp_status_stranger
doctor 1 "attached, a stranger" "permission denied"
export PGUSER=$superuser
finish
