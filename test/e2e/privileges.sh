#!/usr/bin/env bash
# Every role calls every function and uses every table of the extension, as the catalogue lists them, and may do what the table
# in doc/threat-model.md promises, no less and no more. What is new and not entered there fails.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
page=doc/threat-model.md
roles=(nobody submitter analyst administrator owner)
trap 'cleanup; for role in "${roles[@]}"; do psql -Xqc "DROP ROLE IF EXISTS ldp_test_$role"; done' EXIT
create_databases ldp_privileges

for role in "${roles[@]}"; do sql -c "CREATE ROLE ldp_test_$role"; done
sql >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE EXTENSION ldp;
GRANT ldp_submitter TO ldp_test_submitter;
GRANT ldp_analyst TO ldp_test_analyst;
GRANT ldp_admin TO ldp_test_administrator, ldp_test_owner;
GRANT CREATE ON SCHEMA public TO ldp_test_administrator, ldp_test_owner;
SET ROLE ldp_test_owner;
SELECT ldp_create_collection('colour', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY[['country', 'text']]);
SELECT ldp_create_collection('guarded', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', analysts => 'aggregates');
CREATE TABLE sample AS SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('colour')), 'hex') || '01')::ldp_report AS report;
GRANT SELECT ON sample TO PUBLIC;
INSERT INTO colour SELECT report, 0, 'de' FROM sample, generate_series(1, 30);
INSERT INTO guarded SELECT report FROM sample, generate_series(1, 30);
SELECT ldp_create_rollup('by_country', 'colour', '{country}'), ldp_create_rollup('by_round', 'guarded', '{round}');
SELECT ldp_refresh('by_country'), ldp_refresh('by_round');
SELECT ldp_create_collection('visits', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY[['seen', 'date']], partition_by => 'seen');
SELECT ldp_create_rollup('weekly', 'visits', '{week(seen)}');
SELECT ldp_create_collection('panel', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', partition_by => 'round');
SELECT ldp_create_hitters('words', 2, 'ab', 2, 1);
INSERT INTO words_1 SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('words_1')), 'hex') || '02')::ldp_report FROM generate_series(1, 60);
SELECT ldp_create_collection('colour_1', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
CREATE TABLE found (report ldp_report, round integer);
-- A table that is ready, and no collection.
SELECT ldp_create_collection('ready', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
SELECT ldp_unregister_collection('ready');
RESET ROLE;

CREATE TABLE promised (call text, role text, may text);
GRANT SELECT ON promised TO PUBLIC;
CREATE TABLE everyones (name text);
GRANT SELECT ON everyones TO PUBLIC;
-- What comes of a call, which leaves nothing behind.
CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE call;
    RAISE 'undo' USING ERRCODE = 'UNDO0';
EXCEPTION
    WHEN SQLSTATE 'UNDO0' THEN RETURN 'yes';
    WHEN insufficient_privilege THEN RETURN 'no';
    WHEN feature_not_supported THEN RETURN CASE WHEN SQLERRM LIKE '% without Citus' THEN 'yes' ELSE SQLERRM END;  -- checked after the rights
    WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE VIEW functions AS
    SELECT p.oid, p.proname, p.prosecdef, p.proargtypes FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid
    WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ldp')
          AND p.prorettype <> 'event_trigger'::regtype;  -- which no statement can call
GRANT SELECT ON functions TO PUBLIC;
SQL

# The page's table, a line for each call and role; and its list.
awk -F ' [|] ' '/^[|] `/ && NF == 7 { sub(/^[|] `/, "", $1); sub(/`$/, "", $1); sub(/ [|]$/, "", $7)
    split("nobody submitter analyst administrator owner superuser", role, " ")
    for (i = 1; i <= 6; i++) print $1 "\t" role[i] "\t" $(i + 1) }' $page >"$work/promised"
awk '/^```text$/ { inside = 1; next } /^```$/ { inside = 0 } inside' $page | tr -s ' ' '\n' | grep . >"$work/everyones"
sql -c "\\copy promised FROM '$work/promised'" -c "\\copy everyones FROM '$work/everyones'"
check "the page promises something" t "$(sql -c "SELECT (SELECT count(*) FROM promised) > 300 AND (SELECT count(*) FROM everyones) > 80")"

for role in "${roles[@]}" superuser; do
    [ $role = superuser ] && become="" || become="SET ROLE ldp_test_$role;"
    check "what is promised to $role is so" "" "$(sql <<SQL
SET client_min_messages = warning;
$become
SELECT call || ': promised ' || may || ', found ' || found FROM promised, outcome(call) AS found WHERE role = '$role' AND found <> may;
SQL
)"
    # With NULLs for arguments there is nothing to refuse but the call itself.
    check "what is everyone's is $role's" "" "$(sql <<SQL
$become
SELECT f.oid::regprocedure, found
FROM functions AS f JOIN everyones AS e ON e.name = f.proname,
     LATERAL (SELECT format('SELECT %s(%s)', f.oid::regproc, string_agg('NULL::' || format_type(t, NULL), ', ' ORDER BY place)),
                     bool_or(p.typtype = 'p') FROM unnest(f.proargtypes) WITH ORDINALITY AS a (t, place) JOIN pg_type AS p ON p.oid = t) AS q (call, pseudo),
     LATERAL (SELECT CASE WHEN NOT has_function_privilege(f.oid, 'EXECUTE') THEN 'no' WHEN pseudo THEN 'yes' ELSE outcome(call) END) AS o (found)
WHERE found = 'no';
SQL
)"
done
check "what is everyone's runs as its caller" "" "$(sql -c "SELECT f.oid::regprocedure FROM functions AS f JOIN everyones AS e ON e.name = f.proname WHERE f.prosecdef")"
check "every function has its place on the page" "" "$(sql -c "
    SELECT DISTINCT f.proname FROM functions AS f
    WHERE f.proname NOT IN (SELECT name FROM everyones) AND NOT EXISTS (SELECT FROM promised AS p WHERE p.call ~ ('\\m' || f.proname || '\\('))")"
check "in one place" "" "$(sql -c "
    SELECT DISTINCT e.name FROM everyones AS e JOIN promised AS p ON p.call ~ ('^SELECT (ldp_internal[.])?' || e.name || '\\(') WHERE e.name NOT IN ('ldp_estimate')")"
check "and the page names no other" "" "$(sql -c "SELECT name FROM everyones WHERE name NOT IN (SELECT proname FROM functions)")"
check "every table has its place on the page" "" "$(sql -c "
    SELECT c.relname FROM pg_depend AS d JOIN pg_class AS c ON c.oid = d.objid
    WHERE d.classid = 'pg_class'::regclass AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ldp')
      AND c.relkind <> 'c' AND NOT EXISTS (SELECT FROM promised AS p WHERE p.call ~ ('^SELECT .* FROM (ldp_internal[.])?' || c.relname || '\$'))")"
check "nobody was given more on the extension's tables" "ldp_clock ldp_collection ldp_collections ldp_hitter_search ldp_hitter_searches ldp_rollup ldp_rollups ldp_status" "$(sql -c "
    SELECT string_agg(DISTINCT c.relname, ' ' ORDER BY c.relname) FROM pg_class AS c, aclexplode(c.relacl) AS a
    WHERE c.relname LIKE 'ldp\\_%' AND a.grantee <> c.relowner AND a.privilege_type = 'SELECT'" -c "
    SELECT c.relname, a.privilege_type FROM pg_class AS c, aclexplode(c.relacl) AS a
    WHERE c.relname LIKE 'ldp\\_%' AND a.grantee <> c.relowner AND a.privilege_type <> 'SELECT'")"

finish
