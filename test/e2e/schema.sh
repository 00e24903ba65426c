#!/usr/bin/env bash
# The extension in a schema of any name, which is renamed: SQL suites, sessions that already called functions, and a dump
# give the same as before.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
from=ldp_schema_from to=ldp_schema_to

create_databases $from $to
sql $from >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE SCHEMA "c %s";
CREATE EXTENSION ldp SCHEMA "c %s";
SET search_path = public, "c %s";
SELECT ldp_create_collection('colour', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}', ARRAY[['seen', 'date']], partition_by => 'seen');
SELECT ldp_add_partitions('colour', '2030-01-03', since => '2030-01-01');
SELECT ldp_create_rollup('days', 'colour', '{day(seen)}');
SELECT ldp_create_hitters('words', 2, 'ab');
SQL
sql $from -c "SET search_path = \"c %s\"" -c "SELECT ldp_client_spec('colour')" | tail -n 1 >"$work/spec"
{ echo value; for i in $(seq 300); do case $((i % 3)) in 0) echo red ;; 1) echo green ;; *) echo blue ;; esac; done; } >"$work/colour.csv"
"$ldp" perturb --spec "$work/spec" <"$work/colour.csv" 2>/dev/null >"$work/reports"
reports=$(paste -sd, "$work/reports")
batch="ldp_submit_batch('colour', 'a81bc81b-dead-4e5d-abff-90865d1e13b1', '{$reports}', 0, '{\"seen\": \"2030-01-01\"}')"
# functions SCHEMA: uses what the bodies of functions mention.
functions() {
    printf 'SET search_path = public, "%s";\n' "$1"
    cat <<'SQL'
SELECT ldp_refresh('days') >= 0, ldp_count(ldp_summary_of('colour'));
SELECT * FROM ldp_estimate(ldp_groups_of('days'));
SELECT * FROM ldp_estimate('colour');
SELECT * FROM unnest(ldp_groups_of('colour', '{seen}'));
SELECT name, collection, summaries, buckets, open FROM ldp_rollups ORDER BY name;
SELECT name, reports, fingerprint FROM ldp_collections ORDER BY name;
SELECT collection, batch, reports FROM ldp_internal.ldp_batch;
SELECT * FROM ldp_missing_values('days');
SET client_min_messages = warning;
SELECT ldp_describe('colour', '{"title": "Colours", "attributes": {"value": {"display": {"red": "Rot"}}}}', force => true) -> 'title';
SELECT ldp_client_spec('colour') -> 'attributes';
SELECT reports FROM ldp_response('colour');
SQL
}
functions "c %s" >"$work/functions"
check "a batch is counted" 300 "$(sql $from -c 'SET search_path = public, "c %s"' -c "SELECT $batch")"
before=$(sql $from -f "$work/functions")
check "there is something to compare" 300 "$(head -n 1 <<<"$before" | cut -d'|' -f2)"

check "bodies name the schema before .ldp_ only" 0 "$(sql $from -c "SELECT count(*) FROM pg_proc WHERE strpos(replace(prosrc, '\"c %s\".ldp_', ''), 'c %s') > 0")"

# The schema of internal objects.
check "everyone may use it, and nobody create in it" "ldp_internal t f" "$(sql $from -F ' ' -c "
    SELECT n.nspname, has_schema_privilege('public', n.oid, 'USAGE'), has_schema_privilege('public', n.oid, 'CREATE')
    FROM pg_depend AS d JOIN pg_namespace AS n ON n.oid = d.objid
    WHERE d.classid = 'pg_namespace'::regclass AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ldp')")"
check "users have a list that they can read" t "$(sql $from -c "SELECT count(*) <= 130 FROM pg_proc WHERE pronamespace = '\"c %s\"'::regnamespace")"
# Literals and text would choose the other function, in silence.
check "no function with a source has the same name as one with text, or as an aggregate" "" "$(sql $from -c "
    SELECT DISTINCT s.proname FROM pg_proc AS s JOIN pg_proc AS o ON o.proname = s.proname AND o.oid <> s.oid AND o.pronamespace = s.pronamespace
    WHERE s.pronamespace = '\"c %s\"'::regnamespace AND '\"c %s\".ldp_source'::regtype = ANY (s.proargtypes::oid[])
      AND (o.prokind = 'a' OR o.proargtypes[0] IN ('text'::regtype, 'name'::regtype, 'varchar'::regtype))")"
check "it is not renamed" "ERROR:  schema \"ldp_internal\" cannot be renamed" "$(sql $from -c "ALTER SCHEMA ldp_internal RENAME TO other" | head -n 1)"
check "it is not dropped" "ERROR:  cannot drop schema ldp_internal because extension ldp requires it" "$(sql $from -c "DROP SCHEMA ldp_internal CASCADE" | head -n 1)"
# The owner of a database cannot prepare it. When the extension is dropped, it is dropped.
psql -Xqc "CREATE ROLE ldp_schema_early" -c "GRANT CREATE ON DATABASE $to TO ldp_schema_early" "$maintenance"
sql $to -c "SET ROLE ldp_schema_early" -c "CREATE SCHEMA ldp_internal"
check "another owner's schema of the name is refused" "42P06 schema \"ldp_internal\" already exists The extension ldp creates this schema for its internal objects. Its owner is ldp_schema_early." \
    "$(sql $to -v VERBOSITY=verbose -c "CREATE EXTENSION ldp" | sed -nE 's/^(ERROR|DETAIL):  ([0-9A-Z]{5}: )?/\2/p' | sed 's/^\(42P06\):/\1/' | xargs -d '\n')"
check "also if it is to be the schema of the extension" 1 "$(sql $to -c "CREATE EXTENSION ldp SCHEMA ldp_internal" | grep -c 'schema "ldp_internal" already exists')"
sql $to -c "DROP SCHEMA ldp_internal" -c "CREATE EXTENSION ldp" -c "DROP EXTENSION ldp"
check "the extension takes its schema along" 0 "$(sql $to -c "SELECT count(*) FROM pg_namespace WHERE nspname = 'ldp_internal'")"
psql -Xqc "REVOKE CREATE ON DATABASE $to FROM ldp_schema_early" -c "DROP ROLE ldp_schema_early" "$maintenance"

# A session that has called the functions renames the schema; then it, and a new one, find everything.
for name in "t" 'Ä b.c' "ldp" "named"; do
    old=$(sql $from -c "SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'ldp'")
    { cat "$work/functions"; printf 'ALTER SCHEMA %s RENAME TO "%s";\n' "$old" "$name"; functions "$name"; } >"$work/session"
    check "the session goes on after renaming to $name" "$before"$'\n'"$before" "$(sql $from -f "$work/session")"
    functions "$name" >"$work/functions"
    check "a new session, schema $name" "$before" "$(sql $from -f "$work/functions")"
    check "no body keeps the old name, schema $name" 0 "$(sql $from -v old="$old" <<<"SELECT count(*) FROM pg_proc AS f, pg_extension AS e
        WHERE e.extname = 'ldp' AND f.pronamespace IN (e.extnamespace, 'ldp_internal'::regnamespace) AND strpos(replace(f.prosrc, 't.ldp_arrival', ''), :'old' || '.ldp_') > 0")"
done
check "comments and rights stay" "t|f" "$(sql $from -c "SELECT obj_description(f.oid) LIKE 'Implements ldp_refresh%', has_function_privilege('ldp_admin', f.oid, 'EXECUTE')
    FROM pg_proc AS f WHERE proname = 'ldp_refresh_as'")"
check "a repeated batch counts once" 0 "$(sql $from -c 'SET search_path = public, named' -c "SELECT $batch")"
check "a rollback" "$before" "$({ echo 'BEGIN; ALTER SCHEMA named RENAME TO other; ROLLBACK;'; cat "$work/functions"; } >"$work/session" && sql $from -f "$work/session")"
check "a name that CREATE EXTENSION refuses, too" "ERROR:  invalid character in the name of the schema of the extension \"ldp\"" \
    "$(sql $from -c "ALTER SCHEMA named RENAME TO \"a'b\"" | head -n 1)"
# A role without rights in the functions may rename a schema that it owns.
sql $from -c "CREATE ROLE ldp_schema_owner" -c "ALTER SCHEMA named OWNER TO ldp_schema_owner" -c "GRANT CREATE ON DATABASE $from TO ldp_schema_owner"
check "its owner renames it" "" "$(sql $from -c "SET ROLE ldp_schema_owner" -c "ALTER SCHEMA named RENAME TO owned")"
functions owned >"$work/functions"
check "after its owner renamed it" "$before" "$(sql $from -f "$work/functions")"
sql $from -c "ALTER SCHEMA owned OWNER TO CURRENT_USER" -c "DROP OWNED BY ldp_schema_owner" -c "DROP ROLE ldp_schema_owner"

check "a dump" "" "$(pg_dump $from 2>&1 >"$work/dump")"
check "its restore" "" "$(sql $to -f "$work/dump" 2>&1 | grep -iE 'error|warning')"
check "the copy" "$before" "$(sql $to -f "$work/functions")"

# A restore by the owner of a new database, who is no superuser. Some collections belong to a second administrator, and the
# extension has a schema of its own.
restored=ldp_schema_restored
at_exit() {
    psql -Xqc "DROP DATABASE IF EXISTS $from WITH (FORCE)" -c "DROP DATABASE IF EXISTS $restored" \
        -c "DROP ROLE IF EXISTS ldp_schema_second, ldp_schema_restorer" "$maintenance" 2>/dev/null
}
sql $from >"$work/log" <<SQL || { cat "$work/log"; exit 1; }
CREATE ROLE ldp_schema_second LOGIN IN ROLE ldp_admin;
GRANT CREATE ON SCHEMA public TO ldp_schema_second;
GRANT USAGE ON SCHEMA owned TO ldp_schema_second;
SET SESSION AUTHORIZATION ldp_schema_second;
SET search_path = public, owned;
SELECT ldp_create_collection('vote', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}', ARRAY[['seen', 'date']]);
SELECT ldp_create_rollup('vote_days', 'vote', '{day(seen)}');
SELECT ldp_submit_batch('vote', 'a81bc81b-dead-4e5d-abff-90865d1e13b2', '{$reports}', 0, '{"seen": "2030-01-01"}');
SELECT ldp_refresh('vote_days');
SQL
sed "s/'days'/'vote_days'/; s/'colour'/'vote'/" "$work/functions" >"$work/functions_of_second"
second=$(sql $from -f "$work/functions_of_second")
check "the second administrator's collection" 300 "$(sed -n 1p <<<"$second" | cut -d'|' -f2)"
pg_dump -F custom -f "$work/custom" $from
psql -Xqc "CREATE ROLE ldp_schema_restorer LOGIN" -c "CREATE DATABASE $restored OWNER ldp_schema_restorer" "$maintenance"
sql $restored >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE SCHEMA owned AUTHORIZATION ldp_schema_restorer;
CREATE EXTENSION ldp SCHEMA owned;
GRANT INSERT ON ALL TABLES IN SCHEMA ldp_internal TO ldp_schema_restorer;
GRANT USAGE ON SCHEMA owned TO ldp_schema_second;
GRANT ldp_submitter TO ldp_schema_second;
SQL
PGUSER=ldp_schema_restorer pg_restore --no-owner --no-comments -d $restored "$work/custom" >"$work/restore.log" 2>&1
check "the restore reports the schema alone" "" "$(grep -iE 'error|warning' "$work/restore.log" | grep -vE 'schema "owned" already exists|errors ignored on restore: 1$')"
for suite in functions functions_of_second; do
    check "restored without superuser rights ($suite)" "$(sql $from -f "$work/$suite")" "$(sql $restored -f "$work/$suite")"
done
check "its owner refreshes both rollups" 2 "$(PGUSER=ldp_schema_restorer sql $restored -c 'SET search_path = public, owned' \
    -c "SELECT count(*) FROM unnest('{days,vote_days}'::text[]) AS r (name) WHERE ldp_refresh(r.name) >= 0")"
check "batches counted before are not counted again" 0 "$(PGUSER=ldp_schema_second sql $restored -c 'SET search_path = public, owned' \
    -c "SELECT ldp_submit_batch('vote', 'a81bc81b-dead-4e5d-abff-90865d1e13b2', '{$reports}', 0, '{\"seen\": \"2030-01-01\"}')")"

# The suites, in a schema that was renamed.
check "the suites" 0 "$(LDP_SCHEMA=1 test/regress aggregates batches insertion rounds public_columns >"$work/log" 2>&1; echo $?)"
[ -s "$work/log" ] && [ "$failed" -gt 0 ] && tail -n 40 "$work/log"
finish
