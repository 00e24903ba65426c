-- Batches: many reports as one value. Their counts equal those of their reports, in every plan and aggregate. Invalid
-- batches are rejected.
\ir setup.sql

-- A batch by hand: a block of the kind 2, the number of reports, payloads.
CREATE FUNCTION pg_temp.batch(spec jsonb, count bigint, payloads text) RETURNS text LANGUAGE sql AS
$$ SELECT overlay(encode(ldp_internal.ldp_spec_parameters(spec), 'hex') PLACING '02' FROM 3) || pg_temp.little(count, 4) || payloads $$;

CREATE TABLE batch_spec (name text PRIMARY KEY, spec jsonb);
INSERT INTO batch_spec VALUES
    ('colour', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue", "none"]}'),
    ('wage', '{"mechanism": "piecewise", "epsilon": 1, "min": 0, "max": 200, "grid": 100}'),
    ('score', '{"mechanism": "haar_ordered", "epsilon": 1, "domain": 8}'),
    ('profile', '{"mechanism": "haar", "epsilon": 1, "grid": 100, "randomizer": "pdp", "attributes": [
        {"name": "a", "min": 0, "max": 10}, {"name": "b", "min": 0, "max": 10}]}');
SELECT spec AS colour FROM batch_spec WHERE name = 'colour' \gset
CREATE TABLE single AS
    SELECT s.name, i AS id, i % 3 AS part, i % 2 AS round, pg_temp.report(s.spec, p.payload) AS report
    FROM batch_spec AS s, generate_series(1, 3000) AS i, LATERAL (SELECT CASE s.name
        WHEN 'colour' THEN pg_temp.little((i * i + i / 7) % 4, 1) WHEN 'wage' THEN pg_temp.little((i * 13 + i / 9) % 161, 1)
        WHEN 'score' THEN pg_temp.little(i % 3, 1) || pg_temp.little(i % 2, 1)
        ELSE pg_temp.little(i % 2, 1) || pg_temp.little((i * 29 + i / 11) % 172, 1) END) AS p (payload);
CREATE TABLE packed AS
    SELECT name, part, round, ldp_pack(report) AS batch FROM single GROUP BY name, part, round, id / 500;
ANALYZE single, packed;

-- Input, output, and parameters of a batch -------------------------------------------------------------------
SELECT ldp_pack(pg_temp.report(:'colour', pg_temp.little(i % 4, 1)))::text = pg_temp.batch(:'colour', 6, '000101020203') AS by_hand
FROM unnest('{2,1,0,3,2,1}'::integer[]) AS i;
SELECT ldp_count(b), ldp_spec(ldp_agg(b)) ->> 'mechanism' AS mechanism, ldp_spec(ldp_agg(b)) = ldp_spec(ldp_agg(r)) AS agrees, b = b::text::ldp_report_batch AS same,
       count(*) AS reports, count(DISTINCT r) AS different, bool_and(right(r::text, 2) IN ('00', '03')) AS right_ones
FROM (SELECT pg_temp.batch(:'colour', 3, '000303')::ldp_report_batch AS b) AS one, LATERAL ldp_unpack(b) AS r GROUP BY b;
-- NULLs are ignored; without reports the result is NULL; batches can be packed; the order has no effect.
SELECT ldp_pack(NULL::ldp_report) IS NULL AS nothing, ldp_count(ldp_pack(report)) AS counted FROM (SELECT report FROM single WHERE id <= 2 AND name = 'wage' UNION ALL SELECT NULL) AS r;
SELECT count(DISTINCT b) = 1 AS one_batch
FROM (SELECT ldp_pack(report ORDER BY id) FROM single WHERE name = 'score' UNION ALL SELECT ldp_pack(report ORDER BY -id) FROM single WHERE name = 'score'
      UNION ALL SELECT ldp_pack(batch) FROM packed WHERE name = 'score' UNION ALL SELECT ldp_pack(r) FROM packed, ldp_unpack(batch) AS r WHERE name = 'score') AS ways (b);
SELECT name, bool_and(report IS NOT NULL AND unpacked IS NOT NULL) AS same, count(*) AS reports
FROM (SELECT name, report, row_number() OVER (PARTITION BY name, report) AS copy FROM single) AS s
     FULL JOIN (SELECT name, r AS unpacked, row_number() OVER (PARTITION BY name, r) AS copy FROM packed, ldp_unpack(batch) AS r) AS u
     USING (name, copy) WHERE report = unpacked OR report IS NULL OR unpacked IS NULL GROUP BY name ORDER BY name;

-- The same summary from reports and from batches, and the same one-step result ------------------------------
SELECT name, ldp_agg(batch) = s AS same, ldp_agg(batch, round) = r AS same_rounds, sum(ldp_count(batch)) = ldp_count(s) AS all_of_them
FROM packed JOIN (SELECT name, ldp_agg(report) AS s, ldp_agg(report, round) AS r FROM single GROUP BY name) AS one USING (name) GROUP BY name, s, r ORDER BY name;
CREATE FUNCTION pg_temp.either(call text, collection text) RETURNS TABLE (single text, packed text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT %s::text FROM single WHERE name = %L', format(call, 'report'), collection) INTO single;
    EXECUTE format('SELECT %s::text FROM packed WHERE name = %L', format(call, 'batch'), collection) INTO packed;
    RETURN NEXT;
END
$$;
SELECT c.call, a.single = a.packed AS same
FROM (VALUES ('ldp_agg(%s)', 'wage'), ('ldp_agg(%s, 7)', 'wage'), ('ldp_mean(ldp_agg(%s))', 'wage'), ('ldp_mean(ldp_agg(%s), ''1'')', 'profile'),
             ('ldp_haar(ldp_agg(%s))', 'profile'), ('ldp_proportion(ldp_agg(%s))', 'colour'), ('ldp_quantile(ldp_agg(%s), 0.5)', 'score'), ('ldp_pack(%s)', 'wage')) AS c (call, collection),
     LATERAL pg_temp.either(c.call, c.collection) AS a;
-- Other aggregates take reports alone.
SELECT f.oid::regprocedure FROM pg_proc AS f WHERE f.prokind = 'a' AND f.proargtypes[0] = 'ldp_report_batch'::regtype ORDER BY f.oid::regprocedure::text COLLATE "C";
-- From one table with both, and from two tables.
CREATE TABLE mixed AS SELECT report, NULL::ldp_report_batch AS batch FROM single WHERE name = 'colour' AND id <= 1000
    UNION ALL SELECT NULL, ldp_pack(report) FROM single WHERE name = 'colour' AND id > 1000;
SELECT ldp_summary_merge(ldp_agg(report), ldp_agg(batch)) = (SELECT ldp_agg(report) FROM single WHERE name = 'colour') AS both FROM mixed;
SELECT ldp_rollup(s) = (SELECT ldp_agg(report) FROM single WHERE name = 'colour') AS rolled_up
FROM (SELECT ldp_agg(report) AS s FROM single WHERE name = 'colour' AND part = 0 UNION ALL SELECT ldp_agg(batch) FROM packed WHERE name = 'colour' AND part > 0) AS parts;

-- The same in every plan ------------------------------------------------------------------------------------
SELECT ldp_agg(batch) AS serial, ldp_pack(batch) AS serial_pack FROM packed WHERE name = 'wage' \gset
SELECT ldp_mean(ldp_agg(batch))::text AS serial_mean FROM packed WHERE name = 'wage' \gset
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE packed SET (parallel_workers = 2);
ALTER TABLE single SET (parallel_workers = 2);
EXPLAIN (COSTS OFF) SELECT ldp_agg(batch) FROM packed WHERE name = 'wage';
EXPLAIN (COSTS OFF) SELECT ldp_pack(report) FROM single WHERE name = 'wage';
SELECT ldp_agg(batch) = :'serial' AS agg, ldp_pack(batch) = :'serial_pack' AS pack, ldp_mean(ldp_agg(batch))::text = :'serial_mean' AS mean FROM packed WHERE name = 'wage';
SELECT ldp_pack(report) = :'serial_pack' AS pack FROM single WHERE name = 'wage';
SELECT bool_and(b = (SELECT ldp_pack(report) FROM single AS o WHERE o.name = g.name)) AS grouped FROM (SELECT name, ldp_pack(batch) AS b FROM packed GROUP BY name) AS g;
SET parallel_leader_participation = off;
SELECT ldp_agg(batch) = :'serial' AS agg, ldp_pack(batch) = :'serial_pack' AS pack FROM packed WHERE name = 'wage';
RESET parallel_leader_participation; RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;

-- Different specs, and limits -------------------------------------------------------------------------------
SELECT ldp_pack(report) FROM (SELECT report FROM single WHERE id = 1 ORDER BY name) AS s;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_agg(batch) FROM (SELECT batch FROM packed ORDER BY name) AS p;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_internal.ldp_check_report(batch, ldp_internal.ldp_spec_parameters(:'colour')) FROM packed WHERE name = 'colour' LIMIT 1;
SELECT ldp_internal.ldp_check_report(batch, ldp_internal.ldp_spec_parameters(:'colour')) FROM packed WHERE name = 'wage' LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
CREATE TABLE wide AS SELECT pg_temp.report('{"mechanism": "oue", "epsilon": 1, "domain": 65536}', repeat('00', 8192)) AS report;
SELECT ldp_count(ldp_pack(report)) AS most FROM wide, generate_series(1, 2048);
SELECT ldp_count(ldp_pack(report)) FROM wide, generate_series(1, 2049);
\echo :LAST_ERROR_SQLSTATE
SELECT sum(ldp_count(b)) AS in_groups, count(*) AS batches FROM (SELECT ldp_pack(report) AS b FROM wide, generate_series(1, 2049) AS i GROUP BY i / 1000) AS groups;

-- Invalid batches. One error in full, the others in a table.
SELECT pg_temp.batch(:'colour', 2, '0100')::ldp_report_batch;
\pset format unaligned
\pset tuples_only on
SELECT what, pg_temp.outcome(format('SELECT %L::ldp_report_batch', input))
FROM (VALUES
    ( 1, 'a whole batch',              pg_temp.batch(:'colour', 3, '000103')),
    ( 2, 'nothing',                    ''),
    ( 3, 'an odd number of digits',    pg_temp.batch(:'colour', 3, '00010')),
    ( 4, 'a report',                   pg_temp.report(:'colour', '00')::text),
    ( 5, 'a block',                    left(pg_temp.batch(:'colour', 1, ''), -8)),
    ( 6, 'half a count',               left(pg_temp.batch(:'colour', 1, ''), -4)),
    ( 7, 'no payloads',                pg_temp.batch(:'colour', 1, '')),
    ( 8, 'no reports',                 pg_temp.batch(:'colour', 0, '')),
    ( 9, 'one that is not counted',    pg_temp.batch(:'colour', 2, '000103')),
    (10, 'one that is not there',      pg_temp.batch(:'colour', 4, '000103')),
    (11, 'a count of 2^32-1',          pg_temp.batch(:'colour', (1::bigint << 32) - 1, '000103')),
    (12, 'a value past the domain',    pg_temp.batch(:'colour', 3, '000104')),
    (13, 'out of order',               pg_temp.batch(:'colour', 3, '010003')),
    (14, 'another mechanism',          overlay(pg_temp.batch(:'colour', 3, '000103') PLACING '63' FROM 5)),
    (15, '17 megabytes and a byte',    repeat('00', 17 * 1024 * 1024 + 1))
) AS hostile (number, what, input) ORDER BY number;
-- Every truncation, and every byte damaged: rejected, unless the result is a valid batch of other reports or of another spec.
SELECT count(*) FILTER (WHERE pg_temp.outcome(format('SELECT %L::ldp_report_batch', left(whole, 2 * size))) LIKE '22P02 %') = count(*) AS refused
FROM (SELECT pg_temp.batch(:'colour', 3, '000103') AS whole) AS w, generate_series(0, length(whole) / 2 - 1) AS size;
SELECT count(*) AS damaged, count(*) FILTER (WHERE o LIKE '22P02 %') AS refused, count(*) FILTER (WHERE o NOT LIKE '22P02 %' AND o <> 'accepted') AS otherwise
FROM (SELECT pg_temp.batch(:'colour', 3, '000103') AS whole) AS w, generate_series(0, length(whole) / 2 - 1) AS place, unnest('{00,01,7f,80,ff}'::text[]) AS hex,
     LATERAL (SELECT pg_temp.outcome(format('SELECT ldp_agg(%L::ldp_report_batch)', overlay(whole PLACING hex FROM 2 * place + 1)))) AS t (o);
-- Values that bypass the input function, as only a superuser's cast allows; with an empty cache, and with a valid batch in
-- the cache.
UPDATE pg_cast SET castfunc = 0, castmethod = 'b' WHERE castsource = 'bytea'::regtype AND casttarget = 'ldp_report_batch'::regtype;  -- unchecked
SELECT what, how, pg_temp.outcome(replace(replace(query, '$b', format('%L::ldp_report_batch', pg_temp.batch(:'colour', 3, '000103'))),
                                          '$f', format('%L::bytea::ldp_report_batch', decode(input, 'hex'))))
FROM (VALUES (1, 'no bytes', ''), (2, 'a header', left(pg_temp.batch(:'colour', 0, ''), 48)), (3, 'a block', left(pg_temp.batch(:'colour', 1, ''), -8)),
             (4, 'one too few', pg_temp.batch(:'colour', 4, '000103')), (5, 'one too many', pg_temp.batch(:'colour', 2, '000103')),
             (6, 'no reports', pg_temp.batch(:'colour', 0, '')), (7, 'a value past the domain', pg_temp.batch(:'colour', 3, '000104')),
             (8, 'a huge block', overlay(pg_temp.batch(:'colour', 3, '000103') PLACING 'ffff' FROM 9))) AS forged (number, what, input),
     (VALUES (1, 'agg', 'SELECT ldp_agg($f)'), (2, 'second of agg', 'SELECT ldp_agg(b) FROM (SELECT $b AS b UNION ALL SELECT $f) AS u'),
             (3, 'pack', 'SELECT ldp_pack(b) FROM (SELECT $b AS b UNION ALL SELECT $f) AS u'), (4, 'unpack', 'SELECT ldp_unpack($f)'),
             (5, 'count', 'SELECT ldp_count($f)'),
             (7, 'check', 'SELECT ldp_internal.ldp_check_report($f, ldp_internal.ldp_spec_parameters((SELECT spec FROM batch_spec WHERE name = ''colour'')))')) AS ways (place, how, query)
ORDER BY number, place;
\pset tuples_only off
\pset format aligned
UPDATE pg_cast SET castfunc = 'ldp_internal.ldp_report_batch_of_bytes(bytea)'::regprocedure, castmethod = 'f' WHERE castsource = 'bytea'::regtype AND casttarget = 'ldp_report_batch'::regtype;

DROP TABLE batch_spec, single, packed, mixed, wide;

-- Collections of batches ------------------------------------------------------------------------------------
-- Each has a counterpart: a collection of single reports with the same spec and the same reports. All queries must give
-- equal results for both.
CREATE FUNCTION pg_temp.of(collection text, payload text) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec(collection)), 'hex') || payload)::ldp_report $$;
CREATE TABLE kind AS SELECT * FROM (VALUES
    ('fresh', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'::jsonb),
    ('kept', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"], "evolving": {}, "budget": {"epsilon": 9}}'),
    ('record', '{"mechanism": "sampled", "epsilon": 1, "attributes": [
        {"name": "town", "domain": 3, "mechanism": "grr"}, {"name": "size", "min": 0, "max": 10, "mechanism": "duchi"}]}')) AS k (name, spec);
SELECT ldp_create_collection(name || '_one', spec, '{{country,text}}'), ldp_create_collection(name || '_many', spec, '{{country,text}}', rows => 'batches') FROM kind;
SELECT ldp_create_collection('plain_many', spec, rows => 'batches') FROM kind WHERE name = 'fresh';
SELECT relname, reloftype::regtype, pg_get_constraintdef(c.oid) ~ '^CHECK \(ldp_internal.ldp_check_report\(batch,' AS checked, obj_description(t.oid) FROM pg_class AS t JOIN pg_constraint AS c ON conrelid = t.oid AND conname = 'report_follows_spec' WHERE relname LIKE '%\_many' ORDER BY relname;
SELECT name, rows FROM ldp_collections WHERE name LIKE 'fresh\_%' ORDER BY name;
SELECT count(ldp_open_rounds(name || t, 0, 3)) FROM kind, unnest('{_one,_many}'::text[]) AS t;
DO $$
DECLARE
    k record;
    digits text;
BEGIN
    FOR k IN SELECT * FROM kind LOOP
        digits := CASE k.name WHEN 'record' THEN '''0'' || i % 2 || ''0'' || i % 5 % 2' ELSE '''0'' || i % 5 % 3' END;
        EXECUTE format('INSERT INTO %I SELECT pg_temp.of(%L, %s), t, CASE WHEN i <= 15 THEN ''fr'' ELSE ''de'' END FROM generate_series(1, 300) AS i, generate_series(0, 2) AS t',
                       k.name || '_one', k.name || '_one', digits);
        EXECUTE format('INSERT INTO %I SELECT ldp_pack(report), round, country FROM %I GROUP BY round, country, hashtext(report::text) %% 3', k.name || '_many', k.name || '_one');
    END LOOP;
END
$$;
SELECT name, ldp_summary_of(name || '_many') = ldp_summary_of(name || '_one') AS whole, ldp_summary_of(name || '_many', 1) = ldp_summary_of(name || '_one', 1) AS of_a_round,
       ldp_summary_of(name || '_many', 9) IS NULL AS of_none,
       (SELECT array_agg(g ORDER BY g.group_key) FROM unnest(ldp_groups_of(name || '_many', '{country,round}')) AS g)::text = (SELECT array_agg(g ORDER BY g.group_key) FROM unnest(ldp_groups_of(name || '_one', '{country,round}')) AS g)::text AS groups
FROM kind ORDER BY name;
SELECT name, count(*) AS rows, bool_and(o IS NOT DISTINCT FROM m) AS same, max((m).n) AS n, max((m).people) AS people, count(DISTINCT (m).note) AS notes
FROM kind, LATERAL (SELECT row_number() OVER (), e AS m FROM ldp_estimate(name || '_many') AS e) AS many (i, m) JOIN LATERAL (SELECT row_number() OVER (), e FROM ldp_estimate(name || '_one') AS e) AS one (i, o) USING (i)
GROUP BY name ORDER BY name;
SELECT ldp_groups_of('fresh_many', '{batch}');

-- Submission: single reports and arrays become batches; a repeated batch counts once; all or nothing.
SELECT ldp_submit('plain_many', pg_temp.of('plain_many', '01'));
SELECT ldp_submit('plain_many', NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit_batch('plain_many', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a001', ARRAY[pg_temp.of('plain_many', '02'), pg_temp.of('plain_many', '00')]) AS added FROM generate_series(1, 2);
SELECT ldp_submit_batch('plain_many', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a001', ARRAY[pg_temp.of('plain_many', '00'), pg_temp.of('plain_many', '02')]) AS added;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit_batch('plain_many', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a002', ARRAY[pg_temp.of('plain_many', '02'), NULL]);
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit_batch('plain_many', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a002', ARRAY[pg_temp.of('plain_many', '02'), pg_temp.of('kept_many', '02')]);
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit_batch('plain_many', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a002', ARRAY[pg_temp.of('plain_many', '02')], 7);
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit_batch('plain_many', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a002', '{}') AS added;
INSERT INTO plain_many (batch) SELECT batch FROM kept_many LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
SELECT array_agg(ldp_count(batch) ORDER BY ldp_count(batch)) AS batches FROM plain_many;
SELECT reports FROM ldp_internal.ldp_batch WHERE collection = 'plain_many' ORDER BY reports;
-- Small batches are packed together.
WITH taken AS (DELETE FROM plain_many RETURNING batch, round) INSERT INTO plain_many SELECT ldp_pack(batch), round FROM taken GROUP BY round;
SELECT count(*) AS rows, sum(ldp_count(batch)) AS reports FROM plain_many;

-- Privileges: the minimum size of a group counts reports, not rows.
SELECT ldp_create_collection('hidden_many', '{"mechanism": "grr", "epsilon": 1, "domain": 3, "min_group": 10}', '{{country,text}}', analysts => 'aggregates', rows => 'batches');
INSERT INTO hidden_many (batch, country) SELECT ldp_pack(pg_temp.of('hidden_many', '01')), country FROM (VALUES ('de', 10), ('fr', 9)) AS c (country, n), generate_series(1, n) GROUP BY country;
INSERT INTO hidden_many (batch, country) SELECT ldp_pack(pg_temp.of('hidden_many', '01')), 'it' FROM generate_series(1, 9) AS i GROUP BY i;
CREATE ROLE ldp_test_reader; GRANT ldp_analyst TO ldp_test_reader;
CREATE ROLE ldp_test_writer; GRANT ldp_submitter TO ldp_test_writer;
SET ROLE ldp_test_reader;
SELECT group_key, ldp_count(summary) FROM unnest(ldp_groups_of('hidden_many', '{country}'));
SELECT ldp_count(ldp_summary_of('hidden_many')) AS all_of_them, ldp_count(ldp_summary_of('plain_many')) AS plain;
SELECT count(*) FROM hidden_many;
\echo :LAST_ERROR_SQLSTATE
SELECT sum(ldp_count(batch)) AS seen, min(round) AS round FROM plain_many;
SELECT ctid FROM plain_many;
\echo :LAST_ERROR_SQLSTATE
SET ROLE ldp_test_writer;
SELECT ldp_submit('hidden_many', (SELECT ldp_unpack(batch) FROM plain_many));
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit_batch('hidden_many', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a003', ARRAY[pg_temp.of('hidden_many', '01')]) AS added;
RESET ROLE;
DROP ROLE ldp_test_reader, ldp_test_writer;

-- Adoption of a table, and tables that are rejected.
SELECT ldp_create_collection('odd', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', rows => 'columns');
\echo :LAST_ERROR_SQLSTATE
CREATE TABLE adopted (batch ldp_report_batch, round integer);
INSERT INTO adopted SELECT batch, 0 FROM plain_many;
SELECT ldp_adopt_collection('adopted', 'adopted', ldp_client_spec('plain_many'));
SELECT ldp_summary_of('adopted') = ldp_summary_of('plain_many') AS same;
CREATE TABLE foreign_one AS SELECT batch, 0 AS round FROM kept_many;
SELECT ldp_adopt_collection('foreign_one', 'foreign_one', ldp_client_spec('plain_many'));
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE adopted RENAME batch TO packs;
SELECT ldp_summary_of('adopted');
\echo :LAST_ERROR_SQLSTATE

SELECT count(ldp_drop_collection(name)) FROM ldp_collections WHERE name ~ '_(one|many)$' OR name = 'adopted';
DROP TABLE kind, foreign_one;
