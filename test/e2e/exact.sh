#!/usr/bin/env bash
# Who may create functions in the schema of ldp can overload its functions. No call inside the extension resolves to them: each
# has exactly the types of a function of the extension, in bodies, in texts of statements and in C.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
create_databases ldp_exact
sql -c 'CREATE SCHEMA "odd %s"' -c 'CREATE EXTENSION ldp SCHEMA "odd %s"'

functions() {
    sql -c "SET search_path = ''" -c "
        SELECT jsonb_build_object('name', p.pronamespace::regnamespace || '.' || p.proname, 'body', CASE WHEN l.lanname IN ('sql', 'plpgsql') THEN p.prosrc END,
            'names', to_jsonb(p.proargnames), 'result', format_type(p.prorettype, NULL),
            'types', (SELECT COALESCE(jsonb_agg(format_type(a.type, NULL) ORDER BY a.place), '[]') FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, place)))
        FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
            JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
            JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'ldp'"
}
functions >"$work/functions"
test/e2e/inexact_calls '"odd %s"' <"$work/functions" >"$work/found"
check "every call is exact" "" "$(sed '$d' "$work/found")"
check "there are calls" t "$([ "$(tail -n 1 "$work/found")" -gt 50 ] && echo t)"
# A planted fault is found.
fault() { # BODY EXPECTED
    { cat "$work/functions"; sql -c "SELECT jsonb_build_object('name', 'ldp_internal.planted', 'body', \$body\$$1\$body\$, 'names', '{row}'::text[], 'result', 'integer', 'types', '{text}'::text[])"; } |
        test/e2e/inexact_calls '"odd %s"' | sed '$d' | sed 's/.*: //' >"$work/found"
    check "$1" "$2" "$(cat "$work/found")"
}
fault 'SELECT "odd %s".ldp_odds(0.95, 0.5::float8, 2::integer)' 'the type of 0.95 is not written'
fault 'SELECT "odd %s".ldp_odds(0.95::float8 + 0, 0.5::float8, 2::integer)' 'the type of 0.95::float8 + 0 is not written'
fault 'SELECT "odd %s".ldp_odds(0.95::numeric, 0.5::float8, 2::integer)' 'no function has the arguments numeric, double precision, integer'
fault 'SELECT "odd %s".ldp_summary_of($1)' 'no function has the arguments text'
fault 'SELECT "odd %s".ldp_count("odd %s".ldp_summary_of(row, NULL))' $'the type of "odd %s".ldp_summary_of(row, NULL) is not written\nthe type of NULL is not written'
fault $'SELECT format(\'SELECT %s.ldp_count(%s.ldp_summary_of(\'\'a\'\', round))\', \'x\')' "''a'' has no type"
fault 'SELECT "odd %s".ldp_count("odd %s".ldp_summary_of(row, (1 + 1)::integer))' ''

# Statements in C name the types of their parameters by oid, or cast them.
check "statements in C" "$(printf '%s\n' 'extension/collection/insertion.cpp:%s.ldp_unpack($1)')" \
    "$(grep -rnoE '(%s|public)\.ldp_[a-z_]+\([^)]*\)' extension | sed 's/:[0-9]*:/:/' | sort -u)"


# The owner of the schema overloads every function with near types, and adds operators, casts and types. What the extension
# calls stays its own: all results are the same as before, no code of the owner runs, and the owner gains no right.
# The calls of this test are bound before there are overloads, in bodies that PostgreSQL parses once.
if [ "$(sql -c "SHOW server_version_num")" -lt 140000 ]; then finish; exit; fi
hostile=ldp_exact_hostile
at_exit() { psql -Xqc "DROP DATABASE IF EXISTS $hostile WITH (FORCE)" -c "DROP ROLE IF EXISTS ldp_exact_mallory, ldp_exact_analyst, ldp_exact_owner, ldp_exact_device"; }
create_databases $hostile
spec='{"mechanism": "grr", "epsilon": 4, "min_group": 1, "domain": ["red", "green", "blue"]}'
sql $hostile >"$work/log" <<SQL || { cat "$work/log"; exit 1; }
CREATE ROLE ldp_exact_mallory;
CREATE SCHEMA hostile AUTHORIZATION ldp_exact_mallory;
CREATE EXTENSION ldp SCHEMA hostile;
CREATE ROLE ldp_exact_analyst IN ROLE ldp_analyst;
CREATE ROLE ldp_exact_device IN ROLE ldp_submitter;
CREATE ROLE ldp_exact_owner IN ROLE ldp_admin;
GRANT USAGE ON SCHEMA hostile TO PUBLIC;
CREATE SCHEMA data;
GRANT USAGE ON SCHEMA data TO PUBLIC;
GRANT CREATE ON SCHEMA data TO ldp_exact_owner;
CREATE SCHEMA calls;
GRANT USAGE ON SCHEMA calls TO PUBLIC;
SET search_path = data, hostile;
CREATE TABLE hostile.caught (what text, who text);
GRANT INSERT ON hostile.caught TO PUBLIC;
ALTER TABLE hostile.caught OWNER TO ldp_exact_mallory;
SET ROLE ldp_exact_owner;
SELECT ldp_create_collection('colour', '$spec', ARRAY[['country', 'text'], ['week', 'integer']]),
    ldp_create_collection('packs', '$spec', rows => 'batches'),
    ldp_create_collection('guarded', '$spec', ARRAY[['country', 'text']], analysts => 'aggregates'),
    ldp_create_collection('pair', '{"mechanism": "joint", "epsilon": 4, "attributes": [{"name": "town", "domain": ["a", "b"]}, {"name": "size", "min": 0, "max": 9, "bins": 2}]}'),
    ldp_create_collection('age', '{"mechanism": "haar_ordered", "epsilon": 4, "min": 0, "max": 7, "grid": 7}'),
    ldp_create_collection('day', '{"mechanism": "haar", "epsilon": 4, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 9}]}'),
    ldp_create_collection('wage', '{"mechanism": "duchi", "epsilon": 4, "min": 0, "max": 100}', ARRAY[['week', 'integer']]),
    ldp_create_collection('dated', '{"mechanism": "duchi", "epsilon": 4, "min": 0, "max": 100}', ARRAY[['seen', 'timestamptz']]),
    ldp_create_collection('income', '{"mechanism": "optional_mean", "epsilon": 4, "attributes": [{"name": "income", "min": 0, "max": 2500, "missing": true}]}'),
    ldp_create_collection('rent', '{"mechanism": "winsorized", "epsilon": 8, "min": 0, "max": 2000, "concentration": {"tau": 100}}'),
    ldp_create_collection('visits', '$spec', ARRAY[['seen', 'date']], partition_by => 'seen'),
    ldp_create_collection('panel', '$spec', partition_by => 'round'),
    ldp_create_hitters('words', 4, 'ab', 2, 1);
SELECT ldp_add_partitions('visits', '2026-01-03', since => '2026-01-01'), ldp_add_round_partitions('panel', 3);
RESET ROLE;
CREATE FUNCTION report(name text, payload text) RETURNS ldp_report LANGUAGE sql
    RETURN (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec(\$1)), 'hex') || \$2)::ldp_report;
INSERT INTO colour SELECT report('colour', lpad((i % 3)::text, 2, '0')), 0, chr(97 + i % 6), i % 6 FROM generate_series(1, 120) AS i;
INSERT INTO guarded SELECT report('guarded', lpad((i % 3)::text, 2, '0')), 0, chr(97 + i % 2) FROM generate_series(1, 60) AS i;
INSERT INTO pair SELECT report('pair', '0001') FROM generate_series(1, 60) AS i;
INSERT INTO age SELECT report('age', '0000') FROM generate_series(1, 60) AS i;
INSERT INTO day SELECT report('day', '0000') FROM generate_series(1, 60) AS i;
INSERT INTO wage SELECT report('wage', lpad((i % 2)::text, 2, '0')), 0, i % 6 FROM generate_series(1, 120) AS i;
INSERT INTO dated SELECT report('dated', lpad((i % 2)::text, 2, '0')), 0, timestamptz '2026-01-01 00:00Z' + i % 6 * interval '1 day' FROM generate_series(1, 240) AS i;
INSERT INTO visits SELECT report('visits', '01'), 0, '2026-01-01' FROM generate_series(1, 60) AS i;
INSERT INTO words_1 SELECT report('words_1', '02') FROM generate_series(1, 60);
SET ROLE ldp_exact_owner;
SELECT ldp_create_rollup('by_country', 'colour', '{country}'), ldp_create_rollup('of_guarded', 'guarded', '{country}'), ldp_create_rollup('weeks', 'visits', '{week(seen)}'), ldp_create_rollup('rounds', 'panel', '{round}');
SELECT ldp_refresh('by_country'), ldp_refresh('of_guarded');
RESET ROLE;
-- Foreign partitions: this database as another server.
SET client_min_messages = error;
CREATE EXTENSION postgres_fdw SCHEMA pg_catalog;
CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$PGHOST', port '$PGPORT', dbname '$hostile', extensions 'ldp');
CREATE USER MAPPING FOR CURRENT_USER SERVER here OPTIONS (user '$PGUSER');
CREATE TABLE everywhere (report ldp_report, round integer, country text) PARTITION BY LIST (round);
CREATE FOREIGN TABLE everywhere_0 PARTITION OF everywhere DEFAULT SERVER here OPTIONS (schema_name 'data', table_name 'guarded');
SELECT ldp_adopt_collection('everywhere', 'everywhere', '$spec');
SELECT ldp_create_rollup('of_all', 'everywhere', '{country}');
SQL
# A line each: the role, and a query. Each query is undone.
cat >"$work/calls" <<SQL
analyst SELECT * FROM ldp_estimate('colour')
analyst SELECT * FROM ldp_estimate(ldp_summary_of('guarded', 0), attributes => '{value}', confidence => 0.9, target => 'population', simultaneous => true)
analyst SELECT ldp_summary_of('colour', 0), ldp_summary_of('packs')
analyst SELECT * FROM unnest(ldp_groups_of('guarded', '{country}'))
analyst SELECT * FROM ldp_response('colour')
analyst SELECT * FROM ldp_response('income')
analyst SELECT * FROM ldp_compare_groups('colour', '{country}')
analyst SELECT * FROM ldp_group_test('colour', '{country}')
analyst SELECT * FROM ldp_kernel_regression('wage', '{week}')
analyst SELECT * FROM ldp_calibrate('colour', '{country}', '{"country": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 2}}')
analyst SELECT * FROM ldp_calibrate('by_country', '{country}', '{"country": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 2}}', collapse => true)
analyst SELECT * FROM ldp_clustered('by_country', '{country}')
analyst SELECT * FROM ldp_small_areas('colour', '{week}')
analyst SELECT * FROM ldp_smooth('colour', '{week}')
analyst SELECT * FROM ldp_estimate(ldp_groups_of('by_country'))
analyst SELECT ldp_groups_of('by_country', by => '{}'), ldp_missing_values('by_country')
analyst SELECT * FROM ldp_hitters('words')
analyst SELECT * FROM ldp_plan_hitters(2, 'ab', longest => 9)
analyst SELECT ldp_quantile(ldp_summary_of('age'), 0.5, '0'), ldp_resolution(ldp_summary_of('age'), '0')
analyst SELECT ldp_haar(ldp_summary_of('day'))
analyst SELECT ldp_combine(e.estimate, e.stderr), ldp_combine(e), ldp_weighted(e, 2), ldp_display(e) FROM ldp_estimate('colour') AS e GROUP BY e
analyst SELECT ldp_internal.ldp_group_columns('data.pair'), ldp_partitions('data.pair'), ldp_internal.ldp_time_label('2026-01-01 00:00Z', 'UTC')
analyst SELECT ldp_client_spec('colour'), ldp_public_columns('colour'), ldp_collections, ldp_rollups FROM ldp_collections, ldp_rollups
device SELECT ldp_submit('colour', r, 0, '{"country": "a"}') FROM data.report('colour', '01') AS r
device SELECT ldp_submit('packs', r) FROM data.report('packs', '01') AS r
device SELECT ldp_submit_batch('packs', '6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0001', ARRAY[r, r]) FROM data.report('packs', '01') AS r
device SELECT ldp_submit_batch('colour', '6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0002', ARRAY[r, r], 0, '{"week": 3}') FROM data.report('colour', '01') AS r
device SELECT ldp_claim_batch('colour', '6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0003', 1, pg_catalog.sha256('a')), ldp_insert('data.guarded', ldp_pack(r), 0) FROM data.report('colour', '01') AS r
device SELECT ldp_batch_digest(ARRAY[r], 0) FROM data.report('colour', '01') AS r
owner SELECT ldp_create_collection('fresh', '$spec', ARRAY[['country', 'text']], 'data')
owner SELECT ldp_describe('colour', '{"title": "Colours"}'), ldp_open_rounds('colour', 0, 3)
owner SELECT ldp_unregister_collection('packs'), ldp_adopt_collection('packs', 'data.packs', '$spec')
owner SELECT pg_catalog.cardinality(ldp_create_tokens('colour', 3))
owner SELECT ldp_create_rollup('of_week', 'colour', '{week}')
owner SELECT ldp_refresh('by_country'), ldp_drop_rollup('by_country')
owner SELECT ldp_prune('visits', '2026-01-02'), ldp_add_partitions('visits', '2026-01-05')
owner SELECT ldp_prune_rounds('panel', 1), ldp_add_round_partitions('panel', 5), ldp_prune_batches('colour')
owner SELECT ldp_drop_collection('colour')
owner SELECT ldp_create_hitters('letters', 2, 'ab', schema => 'data')
owner SELECT ldp_next_round('words', 'data')
owner SELECT ldp_drop_hitters('words')
superuser SELECT * FROM ldp_estimate('colour')
superuser SELECT ldp_create_collection('fresh', '$spec', schema => 'data') IS NULL AS created, ldp_drop_collection('fresh')
superuser SELECT ldp_refresh('by_country'), ldp_estimate(ldp_groups_of('by_country'))
superuser SELECT ldp_summary_of('everywhere'), unnest(ldp_groups_of('everywhere', '{country}'))
superuser SELECT ldp_refresh('of_all'), ldp_groups_of('of_all')
superuser SELECT ldp_create_rollup('of_all_again', 'everywhere', '{country}') IS NULL AS created
SQL
number=0
while read -r role query; do
    number=$((number + 1))
    sql $hostile -c "SET search_path = pg_catalog, hostile" -c "CREATE FUNCTION calls.c$number() RETURNS SETOF text LANGUAGE sql
        BEGIN ATOMIC SELECT pg_catalog.to_jsonb(r)::text FROM ($query) AS r; END"
done <"$work/calls" >"$work/log"
check "the calls are bound" "" "$(cat "$work/log")"
# results: of all calls, each in a session of its own.
results() {
    local number=0 role query
    while read -r role query; do
        number=$((number + 1))
        [ "$role" = superuser ] && role=ldp || role=ldp_exact_$role
        sql $hostile -c "BEGIN" -c "SET LOCAL ROLE $role" -c "SELECT $number, calls.c$number()" -c "ROLLBACK"
    done <"$work/calls"
    # The command names the schema, and passes all arguments with their types.
    local dsn="dbname=$hostile options='-c role=ldp_exact_analyst'"
    for query in "colour --by country" "colour --round 0 --by week" "by_country --by country" "guarded --by country" "wage --curve week" \
        "wage --curve week --round 0" "dated --curve seen" "visits" "rent" "pair"; do
        echo "ldp estimate $query"
        "$ldp" estimate $query --dsn "$dsn" 2>&1
    done
}
results >"$work/before"
check "there are results" "" "$(grep -E 'ERROR|refused|rejected|cannot compute' "$work/before" | grep -v 'how many refused')"
check "of the command as well" 10 "$(grep -cE '^ldp estimate' "$work/before")"

sql $hostile >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
SET client_min_messages = error;
SET ROLE ldp_exact_mallory;
SET search_path = hostile;
CREATE TEMPORARY TABLE near (type regtype, other regtype);
INSERT INTO near SELECT t::regtype, o::regtype FROM (VALUES
    ('text', '{text[],name,"char",varchar,bpchar,jsonb,json,integer,regclass,uuid}'::text[]), ('text[]', '{text,name[],varchar[],jsonb}'), ('name', '{text}'),
    ('integer', '{bigint,smallint,numeric,float8,oid,text}'), ('bigint', '{integer,smallint,numeric,float8,text}'),
    ('float8', '{numeric,real,integer,bigint,text}'), ('float8[]', '{numeric[],real[],float8,text}'), ('boolean', '{text,integer}'), ('jsonb', '{json,text,text[]}'),
    ('timestamptz', '{timestamp,date,text}'), ('ldp_time', '{text,timestamptz,date}'), ('interval', '{text,time}'), ('regclass', '{oid,text,name,integer}'), ('uuid', '{text,bytea}'), ('bytea', '{text,uuid}'),
    ('ldp_summary', '{bytea,text,ldp_report,ldp_report_batch}'), ('ldp_summary[]', '{bytea[],text[],text}'), ('ldp_report', '{bytea,text,ldp_report_batch}'),
    ('ldp_report[]', '{bytea[],text[],text}'), ('ldp_report_batch', '{bytea,text,ldp_report}'), ('ldp_estimate_row', '{text,record}')) AS v (t, others), unnest(others) AS o;
INSERT INTO near SELECT DISTINCT type, 'anyelement'::regtype FROM near UNION SELECT DISTINCT type, 'anyarray'::regtype FROM near WHERE type::text LIKE '%[]';
CREATE TEMPORARY TABLE own AS SELECT p.proname, p.proargtypes::oid[] AS types, p.pronargs - p.pronargdefaults AS fewest, p.pronargs::integer AS most, p.proretset,
    CASE WHEN p.prorettype = 'record'::regtype THEN 'text' ELSE format_type(p.prorettype, NULL) END AS result
    FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' WHERE p.pronamespace = 'hostile'::regnamespace;
CREATE TEMPORARY TABLE overload AS
WITH prefix AS (SELECT o.*, o.types[0:k - 1] AS taken, k FROM own AS o, generate_series(fewest, most) AS k)
SELECT DISTINCT proname, result, proretset, list FROM (
    SELECT p.*, (SELECT string_agg(format_type(t, NULL), ', ' ORDER BY i) FROM unnest(p.taken) WITH ORDINALITY AS u (t, i)) AS list FROM prefix AS p WHERE p.k < p.most
    UNION ALL
    SELECT p.*, (SELECT string_agg(CASE WHEN i = at THEN n.other::text ELSE format_type(t, NULL) END, ', ' ORDER BY i) FROM unnest(p.taken) WITH ORDINALITY AS u (t, i))
    FROM prefix AS p, generate_series(1, p.k) AS at JOIN near AS n ON true WHERE n.type = p.taken[at]
    UNION ALL
    SELECT p.*, concat_ws(', ', (SELECT string_agg(format_type(t, NULL), ', ' ORDER BY i) FROM unnest(p.taken) WITH ORDINALITY AS u (t, i)), 'VARIADIC ' || v || '[]')
    FROM prefix AS p, unnest('{text,integer,float8,boolean}'::text[]) AS v) AS all_of_them
WHERE list IS NOT NULL;
DO $$
DECLARE
    o record;
BEGIN
    FOR o IN SELECT * FROM overload LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS %s %s LANGUAGE plpgsql AS %L', o.proname, o.list, CASE WHEN o.proretset THEN 'SETOF' ELSE '' END, o.result,
                format('BEGIN INSERT INTO hostile.caught VALUES (%L, current_user); ALTER ROLE ldp_exact_mallory SUPERUSER; %s; END', o.proname || '(' || o.list || ')',
                       CASE WHEN o.proretset OR o.result = 'void' THEN 'RETURN' ELSE 'RETURN NULL' END));
        EXCEPTION WHEN duplicate_function OR ambiguous_function OR invalid_function_definition THEN
            NULL;
        END;
    END LOOP;
END
$$;
-- Operators of the extension's types with others, and types with casts to those of the extension.
CREATE FUNCTION hostile.trap(ldp_summary, text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN INSERT INTO hostile.caught VALUES (''operator'', current_user); RETURN true; END';
CREATE FUNCTION hostile.trap(jsonb, text) RETURNS text LANGUAGE plpgsql AS 'BEGIN INSERT INTO hostile.caught VALUES (''operator'', current_user); RETURN ''x''; END';
CREATE OPERATOR hostile.= (FUNCTION = hostile.trap, LEFTARG = ldp_summary, RIGHTARG = text);
CREATE OPERATOR hostile.->> (FUNCTION = hostile.trap, LEFTARG = jsonb, RIGHTARG = text);
CREATE TYPE hostile.text AS (value pg_catalog.text);
CREATE TYPE hostile.jsonb AS (value pg_catalog.text);
CREATE TYPE hostile.regclass AS ENUM ('data.pair');
CREATE FUNCTION hostile.of_trap(hostile.text) RETURNS pg_catalog.text LANGUAGE plpgsql AS 'BEGIN INSERT INTO hostile.caught VALUES (''cast'', current_user); RETURN ''x''; END';
CREATE CAST (hostile.text AS pg_catalog.text) WITH FUNCTION hostile.of_trap AS IMPLICIT;
SQL
check "there is what to fall for" t "$(sql $hostile -c "SELECT count(*) > 4000 FROM pg_proc WHERE pronamespace = 'hostile'::regnamespace")"
check "a call that is not exact is caught" "ldp_odds(numeric)" "$(sql $hostile -c "
    BEGIN; SET LOCAL search_path = hostile; SELECT ldp_odds(0.95); SELECT what FROM caught; ROLLBACK" | sed '/^$/d')"
caught() { sql $hostile -c "SELECT what, who FROM hostile.caught" -c "SELECT 'superuser' FROM pg_roles WHERE rolname = 'ldp_exact_mallory' AND rolsuper"; }
results >"$work/after"
check "all results are those of ldp" "" "$(diff "$work/before" "$work/after" | head -n 20)"
check "no code of the owner ran" "" "$(caught)"
# The event trigger that follows a renamed schema runs for its owner with the rights of the extension's owner.
sql $hostile -c "GRANT CREATE ON DATABASE $hostile TO ldp_exact_mallory" -c "SET ROLE ldp_exact_mallory" -c 'ALTER SCHEMA hostile RENAME TO "Ä %s b"' >"$work/log"
check "the schema is renamed" "" "$(cat "$work/log")"
check "nothing ran then" "" "$(caught 2>&1 | grep -v 'hostile.caught' | grep -v LINE | grep -v '\^')"
results | sed 's/Ä %s b/hostile/g' >"$work/after"
check "all results are those of ldp after the renaming" "" "$(diff "$work/before" "$work/after" | head -n 20)"
sql $hostile -c 'ALTER SCHEMA "Ä %s b" RENAME TO hostile'
check "no code of the owner ran after the renaming" "" "$(caught)"
finish
