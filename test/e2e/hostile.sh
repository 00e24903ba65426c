#!/usr/bin/env bash
# A superuser installs ldp into a schema of another owner. The owner has created functions and operators that match
# unqualified names and argument types better than PostgreSQL's own. Then all functions are called. None of the
# owner's code may run: each function would record the call and make its owner a superuser.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
version=${LDP_VERSION:-$(sed -n "s/^default_version = '\(.*\)'/\1/p" ldp.control)}
hostile=ldp_hostile odd=ldp_odd_schema
offered=$(dirname "$PGHOST")/stage$("${PG_CONFIG:-pg_config}" --sharedir)/extension
# Roles cannot go before the databases that they own something in.
trap 'cleanup; psql -Xqc "DROP ROLE IF EXISTS ldp_mallory"' EXIT

psql -Xqc "CREATE ROLE ldp_mallory" || exit 1
create_databases $hostile
psql -Xqc "ALTER DATABASE $hostile OWNER TO ldp_mallory" || exit 1
# Every function and operator of PostgreSQL's whose name the script mentions, for more types than the script uses.
script=$work/script
cat "$offered"/ldp--*.sql >"$script"
sql $hostile -v file="$script" <<'SQL' >/dev/null || exit 1
\set script `cat :file`
SET client_min_messages = error;
CREATE SCHEMA hostile AUTHORIZATION ldp_mallory;
SET ROLE ldp_mallory;
CREATE TABLE hostile.caught (what text, who text);
GRANT INSERT ON hostile.caught TO PUBLIC;
CREATE TEMPORARY TABLE script AS SELECT :'script'::text AS text;
CREATE TEMPORARY TABLE overload AS
WITH type (name) AS (VALUES ('text'), ('integer'), ('bigint'), ('numeric'), ('float8'), ('boolean'), ('name'), ('oid'), ('regclass'),
                            ('regtype'), ('jsonb'), ('bytea'), ('uuid'), ('text[]')),
arguments (list, number) AS (
    SELECT '', 0 UNION ALL SELECT name, 1 FROM type
    UNION ALL SELECT concat_ws(', ', a.name, b.name), 2 FROM type AS a, type AS b
    UNION ALL SELECT concat_ws(', ', 'text', a.name, b.name), 3 FROM type AS a, type AS b
    UNION ALL SELECT concat_ws(', ', 'text', a.name, b.name, 'text'), 4 FROM type AS a, type AS b
    UNION ALL SELECT 'text' || repeat(', text', more), more + 1 FROM generate_series(4, 9) AS more
    UNION ALL SELECT 'anyelement', 1 UNION ALL SELECT 'anyarray', 1 UNION ALL SELECT 'anyarray, text', 2
),
mentioned (name) AS (SELECT DISTINCT m[1] FROM script, regexp_matches(text, '\m([a-z_][a-z_0-9]*)\s*\(', 'g') AS m),
functions AS (
    SELECT m.name, (SELECT COALESCE(min(format_type(CASE WHEN t.typtype = 'p' THEN NULL ELSE t.oid END, NULL)) FILTER (WHERE t.typtype <> 'p'), 'text')
                    FROM pg_proc AS p JOIN pg_type AS t ON t.oid = p.prorettype
                    WHERE p.proname = m.name AND p.pronamespace = 'pg_catalog'::regnamespace) AS result
    FROM mentioned AS m
    WHERE EXISTS (SELECT FROM pg_proc AS p WHERE p.proname = m.name AND p.pronamespace = 'pg_catalog'::regnamespace)
),
used (symbol) AS (SELECT DISTINCT m[1] FROM script, regexp_matches(text, '([-+*/<>=~!@#%^&|?]+)', 'g') AS m)
SELECT 'function' AS kind, name, list, result, NULL AS a, NULL AS b FROM functions, arguments
UNION ALL
SELECT 'operator', symbol, concat_ws(', ', a.name, b.name),
       COALESCE((SELECT format_type(o.oprresult, NULL) FROM pg_operator AS o
                 WHERE o.oprname = symbol AND o.oprnamespace = 'pg_catalog'::regnamespace AND o.oprleft = a.name::regtype AND o.oprright = b.name::regtype),
                CASE WHEN symbol IN ('+', '-', '*', '/', '^', '%') THEN a.name WHEN symbol IN ('||', '->>', '#>>') THEN 'text'
                     WHEN symbol IN ('->', '#>') THEN 'jsonb' ELSE 'boolean' END),
       a.name, b.name
FROM used, type AS a, type AS b
WHERE EXISTS (SELECT FROM pg_operator AS o WHERE o.oprname = symbol AND o.oprnamespace = 'pg_catalog'::regnamespace AND o.oprkind = 'b');
DO $$
DECLARE
    o record;
BEGIN
    FOR o IN SELECT * FROM overload LOOP
        EXECUTE format('CREATE FUNCTION hostile.%1$I(%2$s) RETURNS %3$s LANGUAGE plpgsql AS %4$L', o.name, o.list,
            CASE WHEN o.list LIKE 'any%' THEN 'text' ELSE o.result END,
            format('BEGIN INSERT INTO hostile.caught VALUES (%L, current_user); ALTER ROLE ldp_mallory SUPERUSER; RETURN NULL; END',
                   o.name || '(' || o.list || ')'));
        IF o.kind = 'operator' AND o.name <> '=>' THEN
            EXECUTE format('CREATE OPERATOR hostile.%s (FUNCTION = hostile.%I, LEFTARG = %s, RIGHTARG = %s)', o.name, o.name, o.a, o.b);
        END IF;
    END LOOP;
END
$$;
SQL
check "there is what to fall for" t "$(sql $hostile -c "SELECT count(*) > 10000 FROM pg_proc WHERE pronamespace = 'hostile'::regnamespace")"
# The trap works: this is what an open name does.
check "an open name is caught" "format(text, text, text, text)" "$(sql $hostile -c "
    BEGIN; SET LOCAL search_path = hostile; SELECT format('%s%s%s', 'a'::text, 'b'::text, 'c'::text); SELECT what FROM caught; ROLLBACK" | sed '/^$/d')"

check "ldp installs" "" "$(sql $hostile -c "SET client_min_messages = warning; CREATE EXTENSION ldp VERSION '$version' SCHEMA hostile")"
caught() { sql $hostile -c "SELECT what, who FROM hostile.caught" -c "SELECT 'superuser' FROM pg_roles WHERE rolname = 'ldp_mallory' AND rolsuper"; }
check "nothing ran while it was installed" "" "$(caught)"

# Nothing that was parsed for good (rules of views, checks, defaults, generated columns, triggers, operator classes)
# refers to anything in the schema but the extension's own.
check "nothing refers to what is not ldp's" "" "$(sql $hostile <<'SQL'
WITH RECURSIVE own (class, object) AS (
    SELECT classid, objid FROM pg_depend WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ldp')
    UNION
    SELECT d.classid, d.objid FROM own JOIN pg_depend AS d ON d.refclassid = own.class AND d.refobjid = own.object AND d.deptype IN ('i', 'a')
)
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) || ' uses ' || pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
FROM own JOIN pg_depend AS d ON d.classid = own.class AND d.objid = own.object
WHERE (d.refclassid, d.refobjid) NOT IN (SELECT class, object FROM own)
  AND (pg_identify_object(d.refclassid, d.refobjid, 0)).schema = 'hostile' ORDER BY 1;
SQL
)"
# What is parsed at every call has PostgreSQL's path alone, or names everything: then the calls below show it.
# Three functions name everything instead: a procedure with a setting cannot commit, and PostgreSQL inlines a default or a cast without one.
check "functions pin their path" "ldp_distribute_collection ldp_random_number ldp_row_of" "$(sql $hostile -c "
    SELECT string_agg(DISTINCT p.proname::text, ' ') FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
    WHERE l.lanname IN ('sql', 'plpgsql') AND p.proname LIKE 'ldp\_%' AND p.proconfig[1] IS DISTINCT FROM 'search_path=pg_catalog, pg_temp'")"

spec='{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'
record='{"mechanism": "sampled", "epsilon": 2, "attributes": [{"name": "town", "domain": ["a", "b"], "mechanism": "grr"}, {"name": "size", "min": 0, "max": 9, "mechanism": "duchi"}]}'
pair='{"mechanism": "joint", "epsilon": 4, "attributes": [{"name": "town", "domain": ["a", "b"]}, {"name": "size", "min": 0, "max": 9, "bins": 2}]}'
ordered='{"mechanism": "haar_ordered", "epsilon": 1, "min": 0, "max": 7, "grid": 7}'
vector='{"mechanism": "haar", "epsilon": 4, "grid": 100, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 9}]}'
of() { sql $hostile -c "SET search_path = pg_catalog, hostile; SELECT encode(ldp_internal.ldp_spec_parameters('$1'), 'hex') || '$2'"; }
report=$(of "$spec" 00) told=$(of "$record" 0001) together=$(of "$pair" 0001) placed=$(of "$ordered" 0000) measured=$(of "$vector" 0000)
batch=6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f000
# With PostgreSQL's schema before the hostile one, as it is unless somebody says otherwise, and behind it.
number=0
for path in hostile "hostile, pg_catalog"; do
    number=$((number + 1))
    check "everything answers with the path $path" "" "$(sql $hostile <<SQL | grep -E 'ERROR|FATAL'
SET track_functions = 'all';
SET search_path = $path;
\o /dev/null
SELECT ldp_create_collection('colour', '$spec');
SELECT ldp_create_collection('side', '$spec', ARRAY[['country', 'text'], ['version', 'integer']]);
SELECT ldp_create_collection('record', '$record'), ldp_create_collection('pair', '$pair');
SELECT ldp_create_collection('packs', '$spec', rows => 'batches');
SELECT ldp_submit('colour', '$report'), ldp_submit('side', '$report'), ldp_submit('record', '$told'), ldp_submit('pair', '$together'), ldp_submit('packs', '$report');
SELECT ldp_submit_batch('colour', '$batch$number', ARRAY['$report', '$report']::ldp_report[]);
SELECT ldp_submit_batch('packs', '$batch$number', ARRAY['$report', '$report']::ldp_report[]), ldp_summary_of('packs'), pg_catalog.unnest(ldp_groups_of('packs', '{round}'));
SELECT ldp_submit_batch('colour', '$batch$number', ARRAY['$report', '$report']::ldp_report[]);
SELECT ldp_insert('side', ldp_pack('$report'::ldp_report), 0), ldp_insert('colour', ldp_pack('$report'::ldp_report), 0);
ALTER TABLE hostile.side ENABLE ROW LEVEL SECURITY;
ALTER TABLE hostile.side FORCE ROW LEVEL SECURITY;
CREATE POLICY all_of_them ON hostile.side USING (true);
SELECT ldp_insert('side', ldp_pack('$report'::ldp_report), 0);
ALTER TABLE hostile.side DISABLE ROW LEVEL SECURITY;
SELECT ldp_claim_batch('side', '$batch$number', 3, pg_catalog.sha256('a'::bytea)), ldp_claim_batch('side', '$batch$number', 3, pg_catalog.sha256('a'::bytea));
SELECT ldp_internal.ldp_claim_batches('side', ARRAY['$batch$number']::uuid[], ARRAY[3]::bigint[], ARRAY[pg_catalog.sha256('a'::bytea)]::bytea[], NULL::bytea[]);
SELECT ldp_internal.ldp_insertable('colour'), ldp_internal.ldp_packed(ARRAY['$report', '$report']::ldp_report[]),
    ldp_internal.ldp_check_inserted('colour', 'hostile.colour', 2, ARRAY['$report', '$report']::ldp_report[]);
SELECT ldp_open_rounds('side', 0, 3);
SELECT * FROM pg_catalog.unnest(ldp_groups_of('side', ARRAY['country', 'round']::text[]));
SELECT ldp_unregister_collection('side'), ldp_adopt_collection('side', 'hostile.side', '$spec');
SELECT ldp_summary_of('side', 0);
SELECT * FROM ldp_collections;
SELECT ldp_client_spec('colour'), (ldp_spec_info(ldp_client_spec('colour'))).labels;
SELECT * FROM ldp_estimate('colour');
SELECT * FROM ldp_estimate('record', confidence => 0.9, target => 'population');
CREATE TEMPORARY VIEW summary AS SELECT ldp_agg(report) AS s FROM colour;
CREATE TEMPORARY VIEW told AS SELECT ldp_agg(report) AS s FROM record;
SELECT ldp_count(s), ldp_labels(s), ldp_proportion(s, 'green') FROM summary;
SELECT ldp_proportion(s, 'green', '0'), ldp_consistent(s, 'norm_sub', '0') FROM summary;
SELECT ldp_mean(s, 'size'), ldp_labels(ldp_part(s, 'town')) FROM told;
CREATE TEMPORARY VIEW together AS SELECT ldp_agg(report) AS s FROM pair;
SELECT f.* FROM together, ldp_association(s) AS f;
SELECT f.* FROM together, ldp_fitted(s, '{town,size}') AS f;
SELECT f.* FROM together, ldp_proportion_where(s, '{"town": "a"}', given => '{"size": [0, 4.5]}') AS f;
SELECT ldp_labels(s) FROM together;
SELECT f.* FROM summary, ldp_estimate(s, statistics => '{proportion}') AS f;
SELECT f.* FROM summary, ldp_consistent(s, 'norm_sub') AS f;
SELECT f.* FROM summary, ldp_top(s, 2) AS f;
SELECT f.* FROM summary, ldp_change(s, s, 0.5) AS f;
SELECT f.* FROM told, ldp_change(s, s) AS f;
SELECT f.* FROM told, ldp_estimate(s, statistics => '{mean}') AS f;
SELECT f.* FROM summary, ldp_compare_groups(ldp_groups('{a,b}'::text[], ARRAY[s, s])) AS f;
SELECT f.* FROM summary, ldp_group_test(ldp_groups('{a,b}'::text[], ARRAY[s, s])) AS f;
SELECT f.* FROM told, ldp_estimate(s, statistics => '{mean}') AS m, ldp_display(m) AS f;
SELECT ldp_combine(f) AS all_, ldp_combine(f.estimate, f.stderr) AS numbers FROM told, ldp_estimate(s, statistics => '{mean}') AS f;
SELECT ldp_weighted(f, 2), ldp_internal.ldp_add_weighted(ROW(f, 1)::ldp_internal.ldp_weighted_state, ROW(f, 1)::ldp_internal.ldp_weighted_state) FROM told, ldp_estimate(s, statistics => '{mean}') AS f GROUP BY f;
SELECT ldp_difference(f, o), ldp_ratio(f, o) FROM told, ldp_estimate(s, statistics => '{mean}') AS f, (SELECT ROW('size', NULL, 'mean', 1, 1, 0, 2, 30, NULL, NULL, 'elsewhere')::ldp_row AS o) AS other;
SELECT ldp_describe('colour', '{"title": "Colours"}'), ldp_response('colour'), ldp_contract_digest('colour', NULL);
SELECT ldp_internal.ldp_has_reports(c) FROM ldp_internal.ldp_collection AS c;
SELECT ldp_quantile(ldp_agg('$placed'::ldp_report), 0.5, '0'), ldp_resolution(ldp_agg('$placed'::ldp_report), '0');
SELECT ldp_haar(ldp_agg('$measured'::ldp_report));
SELECT ldp_mean(report, 'size'), ldp_estimate(ldp_agg(report), statistics => '{mean}'), ldp_health(ldp_agg(report)) FROM record;
SELECT ldp_create_rollup('by_country', 'side', '{country}');
SELECT ldp_internal.ldp_end_epoch('hostile.side'::regclass::oid::bigint, 0), ldp_internal.ldp_locked_epochs('hostile.side'::regclass::oid::bigint, 0),
    ldp_internal.ldp_on_all_servers('SELECT 1'), ldp_internal.ldp_key_text('a'::text),
    ldp_internal.ldp_roll_up_statement(r, c, 'hostile.side', 'true', 'false', 'country')
FROM ldp_internal.ldp_rollup AS r JOIN ldp_internal.ldp_collection AS c ON c.name OPERATOR(pg_catalog.=) r.collection;
SELECT ldp_refresh('by_country');
SELECT * FROM ldp_public_columns('side');
SELECT f.* FROM ldp_invalid_values('side', 'country', ARRAY['x']::text[]) AS f;
SELECT ldp_submit('side', '$report', columns => '{"country": "x", "version": 1}'), ldp_submit('side', '$report', columns => '{"country": "y", "version": 1}');
SELECT * FROM ldp_compare_groups('side', '{country}');
SELECT * FROM ldp_clustered('side', '{country}');
SELECT ldp_submit('side', '$report', columns => '{"version": 2}'), ldp_submit('side', '$report', columns => '{"version": 3}'), ldp_submit('side', '$report', columns => '{"version": 4}'), ldp_submit('side', '$report', columns => '{"version": 5}');
SELECT * FROM ldp_small_areas('side', '{version}');
SELECT * FROM ldp_group_test('side', '{country}');
SELECT * FROM ldp_calibrate('side', ARRAY['country']::text[], '[{"country": "x", "total": 1}, {"country": "y", "total": 1}, {"country": null, "total": 2}]');
SELECT * FROM ldp_smooth('side', '{version}');
SELECT ldp_create_collection('curve', '{"mechanism": "duchi", "epsilon": 1, "min": 0, "max": 1}', ARRAY[['week', 'integer']]);
SELECT ldp_submit('curve', pg_catalog.concat(pg_catalog.encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('curve')), 'hex'), '01')::ldp_report, columns => pg_catalog.jsonb_build_object('week', week))
FROM pg_catalog.generate_series(1, 5) AS week;
SELECT pg_catalog.count(*) FROM ldp_kernel_regression('curve', '{week}');
SELECT ldp_drop_collection('curve');
SELECT ldp_estimate('by_country', by => '{}'), ldp_missing_values('by_country'), ldp_internal.ldp_time_label(pg_catalog.now(), 'Europe/Berlin'), ldp_prune_batches('side');
SELECT ldp_create_collection('visits', '$spec', ARRAY[['seen', 'date']], partition_by => 'seen');
SELECT ldp_add_partitions('visits', '2026-01-03', since => '2026-01-01'), ldp_submit('visits', '$report');
SELECT ldp_create_rollup('weekly', 'visits', '{week(seen)}');
SELECT ldp_prune('visits', '2026-01-02'), ldp_estimate(ldp_groups_of('weekly', since => '2026-01-01')), ldp_invalid_values('visits', 'seen', '{2026-01-01,x}');
SELECT ldp_create_collection('panel', '$spec', partition_by => 'round');
SELECT ldp_add_round_partitions('panel', 3), ldp_submit('panel', '$report'), ldp_create_rollup('by_round', 'panel', '{round}', 'Europe/Berlin');
SELECT ldp_prune_rounds('panel', 1), ldp_drop_rollup('by_round');
SELECT * FROM ldp_rollups, ldp_internal.ldp_listed('{colour}');
SELECT ldp_create_tokens('visits', 2), pg_catalog.count(*) FROM ldp_status;
CREATE EXTENSION IF NOT EXISTS postgres_fdw SCHEMA pg_catalog;
CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$PGHOST', port '$PGPORT', dbname '$hostile', extensions 'ldp');
CREATE USER MAPPING FOR CURRENT_USER SERVER here OPTIONS (user '$PGUSER');
CREATE TABLE hostile.everywhere (report ldp_report, round integer, country text) PARTITION BY LIST (round);
CREATE FOREIGN TABLE hostile.everywhere_0 PARTITION OF hostile.everywhere DEFAULT SERVER here OPTIONS (schema_name 'hostile', table_name 'side');
SELECT ldp_adopt_collection('everywhere', 'hostile.everywhere', '$spec');
SELECT ldp_summary_of('everywhere'), pg_catalog.unnest(ldp_groups_of('everywhere', ARRAY['country']::text[]));
SELECT ldp_create_rollup('of_all', 'everywhere', '{country}'), ldp_refresh('of_all');
SELECT ldp_groups_of('of_all'), ldp_drop_rollup('of_all');
SELECT ldp_drop_collection('everywhere');
DROP SERVER here CASCADE;
SELECT ldp_create_hitters('words', 2, 'ab', 2, 1);
SELECT ldp_internal.ldp_random_number('{3}'), ldp_internal.ldp_is_distributed('hostile.side'), ldp_internal.ldp_share_collections('side'),
    ldp_internal.ldp_share_row('ldp_collection', '{"name": "side", "reports": "hostile.side"}');
SQL
)"
    # Sixty people whose words begin alike are enough for a second round.
    sql $hostile <<SQL >/dev/null
SET search_path = pg_catalog, hostile;
INSERT INTO hostile.words_1 SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('words_1')), 'hex') || '02')::ldp_report FROM generate_series(1, 60);
SQL
    check "a search goes on with the path $path" "words_2" "$(sql $hostile <<SQL
SET track_functions = 'all';
SET search_path = $path;
SELECT ldp_next_round('words');
\o /dev/null
SELECT ldp_internal.ldp_hitter_round(h, 1) FROM ldp_internal.ldp_hitter_search AS h;
SELECT * FROM ldp_hitters('words'), ldp_plan_hitters(2, 'ab', longest => 9);
SELECT ldp_drop_hitters('words');
SQL
)"
    # A refusal says what is wrong as well.
    check "what is refused is refused by ldp" "42704 42704 42710 55000 22023 LD001 0A000" "$(sql $hostile <<SQL | grep -oE 'ERROR:  [0-9A-Z]{5}' | cut -c9- | xargs
\set VERBOSITY verbose
\set ON_ERROR_STOP off
SET track_functions = 'all';
SET search_path = $path;
SELECT ldp_client_spec('nothing');
SELECT ldp_hitters('nothing');
SELECT ldp_internal.ldp_history();
SELECT ldp_create_collection('colour', '$spec');
UPDATE ldp_internal.ldp_collection SET spec = '{}';
SELECT ldp_proportion(s, 'no such') FROM (SELECT ldp_agg(report) AS s FROM colour) AS c;
SELECT ldp_submit_batch('colour', '$batch$number', ARRAY['$report']::ldp_report[]);
CALL ldp_distribute_collection('colour');
SQL
)"
    check "nothing ran with the path $path" "" "$(caught)"
    sql $hostile -c "SET search_path = $path; SET track_functions = 'all'" -c "SELECT ldp_drop_collection('colour'), ldp_drop_collection('side'), ldp_drop_collection('record'), ldp_drop_collection('pair'), ldp_drop_collection('packs'), ldp_drop_collection('visits'), ldp_drop_collection('panel')" >/dev/null
    check "nothing ran while collections were dropped" "" "$(caught)"
done
# Only Citus can run three functions to their end.
check "every function that pins its path was called" "" "$(sql $hostile -c "
    SELECT p.oid::regprocedure FROM pg_proc AS p WHERE p.proname NOT IN ('ldp_distribute', 'ldp_least_hashes', 'ldp_shard_default') AND p.proname LIKE 'ldp\_%' AND p.proconfig IS NOT NULL AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
      AND NOT EXISTS (SELECT FROM pg_stat_user_functions AS s WHERE s.funcid = p.oid AND s.calls > 0)")"

# A schema's name is text like any other.
create_databases $odd
check "a schema may have an odd name" "colour 2|green" "$(sql $odd <<SQL | xargs
CREATE SCHEMA "100%s Söme %1 %I";
CREATE EXTENSION ldp SCHEMA "100%s Söme %1 %I";
SET search_path = "100%s Söme %1 %I", public;
SELECT ldp_create_collection('colour', '$spec');
\o /dev/null
SELECT ldp_create_collection('side', '$spec', ARRAY[['country', 'text']], 'public');
SELECT ldp_create_hitters('words', 2, 'ab'), ldp_submit('colour', '$report'), ldp_submit('side', '$report'), ldp_submit('colour', '$report');
SELECT ldp_drop_hitters('words');
SELECT ldp_open_rounds('side', 0, 2), ldp_submit_batch('side', '${batch}1', ARRAY['$report']::ldp_report[], 2);
SELECT ldp_unregister_collection('side'), ldp_adopt_collection('side', 'public.side', '$spec', 'aggregates');
SELECT * FROM pg_catalog.unnest(ldp_groups_of('side', ARRAY['country', 'round']));
\o
SELECT n, label FROM ldp_estimate('colour') WHERE label = 'green';
SQL
)"

finish
