-- Rollups over columns that a collation compares, or that were renamed or dropped; the number of partitions of one call.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS ldp;
RESET client_min_messages;
\set spec '{"mechanism": "grr", "epsilon": 1, "domain": 4}'
CREATE FUNCTION pg_temp.report(value integer) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 1, "domain": 4}'), 'hex') || lpad(to_hex(value), 2, '0'))::ldp_report $$;
CREATE FUNCTION pg_temp.outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE query INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- A collation for which ulm and ULM are equal: each text is a bucket, in every refresh.
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT ldp_create_collection('towns', :'spec', ARRAY[['town', 'text'], ['tags', 'text[]']]);
ALTER TABLE towns ALTER town TYPE text COLLATE loose, ALTER tags TYPE text[] COLLATE loose;
INSERT INTO towns (report, town, tags) SELECT pg_temp.report(i % 4), (ARRAY['ulm', 'ULM', 'Bonn'])[i % 3 + 1], (ARRAY['{a}', '{A}']::text[][])[i % 2 + 1:i % 2 + 1] FROM generate_series(1, 12) AS i;
SELECT ldp_create_rollup('by_town', 'towns', '{town,tags}') IS NOT NULL AS made, ldp_refresh('by_town');
INSERT INTO towns (report, town) SELECT pg_temp.report(i % 4), (ARRAY['Ulm', 'ULM'])[i % 2 + 1] FROM generate_series(1, 4) AS i;
SELECT ldp_refresh('by_town');
SELECT group_key ->> 'town' COLLATE "C" AS town, ldp_count(summary) FROM unnest(ldp_groups_of('by_town', by => '{town}')) AS g ORDER BY 1;
-- Arrays that differ in their lower bounds alone are two groups with equal names.
INSERT INTO towns (report, town, tags) SELECT pg_temp.report(i % 4), 'Ulm', (ARRAY['{b}', '[0:0]={b}']::text[])[i % 2 + 1]::text[] FROM generate_series(1, 6) AS i;
SELECT group_key, ldp_count(summary) FROM unnest(ldp_groups_of('towns', '{tags}')) AS s WHERE group_key ->> 'tags' = '["b"]';
SELECT ldp_refresh('by_town');
SELECT group_key, ldp_count(summary) FROM unnest(ldp_groups_of('by_town', by => '{tags}')) AS g WHERE group_key ->> 'tags' = '["b"]';

-- A column that was renamed or dropped.
SELECT ldp_create_collection('visits', :'spec', ARRAY[['seen', 'date'], ['country', 'text']]);
SELECT ldp_create_rollup('weekly', 'visits', '{week(seen),country}') IS NOT NULL AS made;
INSERT INTO visits (report, seen, country) SELECT pg_temp.report(i % 4), '2026-11-02', 'de' FROM generate_series(1, 5) AS i;
SELECT ldp_refresh('weekly');
ALTER TABLE visits RENAME seen TO day;
SELECT pg_temp.outcome('SELECT ldp_refresh(''weekly'')');
SELECT pg_temp.outcome('SELECT rows FROM ldp_prune(''visits'', ''2026-12-01'')');
ALTER TABLE visits RENAME day TO seen;
SELECT ldp_refresh('weekly');
ALTER TABLE visits DROP country;
SELECT pg_temp.outcome('SELECT ldp_refresh(''weekly'')');
SELECT ldp_drop_rollup('weekly');
SELECT ldp_create_rollup('weekly', 'visits', '{week(seen)}') IS NOT NULL AS made, ldp_refresh('weekly');
SELECT rows FROM ldp_prune('visits', '2026-12-01');

-- As many partitions in one call as the server has locks for.
SELECT ldp_create_collection('parts', :'spec', ARRAY[['seen', 'timestamptz']], partition_by => 'seen');
SELECT ldp_create_collection('rounds', :'spec', partition_by => 'round');
SELECT ldp_create_rollup('daily', 'parts', '{day(seen)}') IS NOT NULL AS made, ldp_create_rollup('by_round', 'rounds', '{round}') IS NOT NULL AS made_too;
SELECT ldp_internal.ldp_most_partitions() = GREATEST(current_setting('max_locks_per_transaction')::integer
    * (current_setting('max_connections')::integer + current_setting('max_prepared_transactions')::integer) / 16, 10) AS of_settings;
BEGIN;
CREATE OR REPLACE FUNCTION ldp_internal.ldp_most_partitions() RETURNS integer LANGUAGE sql STABLE AS 'SELECT 3';
SELECT pg_temp.outcome('SELECT ldp_add_partitions(''parts'', ''2026-01-04 00:01'', since => ''2026-01-01'')');
SELECT pg_temp.outcome('SELECT ldp_add_partitions(''parts'', ''2026-01-04'', since => ''2026-01-01'')'), pg_temp.outcome('SELECT ldp_add_partitions(''parts'', ''2026-01-06'')');
SELECT pg_temp.outcome('SELECT ldp_add_round_partitions(''rounds'', 6, 2)'), pg_temp.outcome('SELECT ldp_add_round_partitions(''rounds'', 4, 2)');
SELECT ldp_insert('parts', ldp_pack(pg_temp.report(1)), 0, '{"seen": "2026-01-05 12:00"}') FROM generate_series(1, 7);
\set VERBOSITY terse
SELECT * FROM ldp_prune('parts', '2026-01-05');
SELECT * FROM ldp_prune('parts', '2026-01-05');
SELECT * FROM ldp_prune('parts', '2026-01-05');
ROLLBACK;

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name) IS NULL) AS dropped FROM ldp_collections WHERE name IN ('towns', 'visits', 'parts', 'rounds');
DROP COLLATION loose;
