-- ldp_insert: the reports of a batch into a table, one per row, as COPY does. Where COPY is not possible, the rows are those
-- of INSERT, or the call fails.
\ir setup.sql

-- What an insertion comes to, and whether COPY was at it when it failed.
CREATE FUNCTION pg_temp.inserted(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    state text;
    message text;
    context text;
BEGIN
    EXECUTE query INTO result;
    RETURN COALESCE(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, context = PG_EXCEPTION_CONTEXT;
    RETURN state || ' ' || message || COALESCE(' / ' || substring(context FROM 'COPY \w+, line \d+'), '');
END
$$;

CREATE TABLE insertion_spec (name text PRIMARY KEY, spec jsonb);
INSERT INTO insertion_spec VALUES
    ('colour', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue", "none"]}'),
    ('wage', '{"mechanism": "piecewise", "epsilon": 1, "min": 0, "max": 200, "grid": 100}'),
    ('score', '{"mechanism": "haar_ordered", "epsilon": 1, "domain": 8}'),
    ('profile', '{"mechanism": "haar", "epsilon": 1, "grid": 100, "randomizer": "pdp", "attributes": [
        {"name": "a", "min": 0, "max": 10}, {"name": "b", "min": 0, "max": 10}]}');
CREATE TABLE single AS
    SELECT s.name, i AS id, pg_temp.report(s.spec, p.payload) AS report
    FROM insertion_spec AS s, generate_series(1, 3000) AS i, LATERAL (SELECT CASE s.name
        WHEN 'colour' THEN pg_temp.little((i * i + i / 7) % 4, 1) WHEN 'wage' THEN pg_temp.little((i * 13 + i / 9) % 161, 1)
        WHEN 'score' THEN pg_temp.little(i % 3, 1) || pg_temp.little(i % 2, 1)
        ELSE pg_temp.little(i % 2, 1) || pg_temp.little((i * 29 + i / 11) % 172, 1) END) AS p (payload);
CREATE TABLE packed AS SELECT name, ldp_pack(report) AS batch FROM single GROUP BY name;
CREATE FUNCTION pg_temp.colours(n integer, value integer DEFAULT 1) RETURNS ldp_report_batch LANGUAGE sql AS
$$ SELECT ldp_pack(pg_temp.report(spec, pg_temp.little(value, 1))) FROM insertion_spec, generate_series(1, n) WHERE name = 'colour' $$;

-- The same rows as INSERT's ----------------------------------------------------------------------------------
CREATE TABLE one_by_one (name text, report ldp_report, round integer);
CREATE TABLE at_once (round integer, gone text, report ldp_report, name text DEFAULT current_setting('insertion.name'), id serial);
ALTER TABLE at_once DROP COLUMN gone;
INSERT INTO one_by_one SELECT name, ldp_unpack(batch), -7 FROM packed;
SELECT name, set_config('insertion.name', name, false) = name AS named, ldp_insert('at_once', batch, -7) AS rows FROM packed ORDER BY name;
SELECT a.name, ldp_agg(a.report) = ldp_agg(o.report) AS same_summary, count(*), count(DISTINCT a.id) AS ids, min(a.round), max(a.round)
FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY report) AS place FROM at_once) AS a
JOIN (SELECT *, row_number() OVER (PARTITION BY name ORDER BY report) AS place FROM one_by_one) AS o ON (o.name, o.place, o.report, o.round) = (a.name, a.place, a.report, a.round)
GROUP BY a.name ORDER BY a.name;
-- In random order, although a batch is sorted: the first 40 of 400 rows, half of which are equal, are all equal in fewer than 1
-- of 10^11 runs.
CREATE TABLE halves AS SELECT ldp_pack(r) AS batch, array_agg(r ORDER BY r) AS reports
FROM (SELECT pg_temp.report(spec, pg_temp.little(i % 2, 1)) AS r FROM insertion_spec, generate_series(1, 400) AS i WHERE name = 'colour') AS r;
SELECT ldp_create_collection('shuffled', spec) FROM insertion_spec WHERE name = 'colour';
SELECT ldp_insert('shuffled', batch, 0) FROM halves;
SELECT count(DISTINCT report) AS copied FROM (SELECT report FROM shuffled LIMIT 40) AS first;
TRUNCATE shuffled;
SELECT ldp_submit_batch('shuffled', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0b001', reports) FROM halves;
SELECT count(DISTINCT report) AS submitted FROM (SELECT report FROM shuffled LIMIT 40) AS first;
SELECT count(DISTINCT r) AS unpacked FROM (SELECT ldp_unpack(batch) AS r FROM halves LIMIT 40) AS first;
SELECT ldp_pack(r) = batch AS same_batch FROM halves, LATERAL (SELECT r FROM ldp_unpack(batch) AS r) AS u GROUP BY batch;
SELECT ldp_drop_collection('shuffled');
DROP TABLE halves;
-- In pieces of every size, so that rows end anywhere in what COPY reads at a time.
TRUNCATE at_once;
SET insertion.name = 'sizes';
SELECT count(*) AS batches, bool_and(ldp_insert('at_once', pg_temp.colours(n), n) = n) AS counted FROM unnest('{1,2,3,100,2040,2041,2042,2100,4000}'::integer[]) AS n;
SELECT count(*) = sum(DISTINCT round) AS all_there, count(DISTINCT report) AS different FROM at_once;
SELECT ldp_insert(NULL, pg_temp.colours(1), 0) IS NULL AND ldp_insert('at_once', NULL, 0) IS NULL AND ldp_insert('at_once', pg_temp.colours(1), NULL) IS NULL AS nothing;

-- Collections: what does not follow the spec comes in as little as a round that is not open, and with it nothing ----
SELECT ldp_create_collection('insertion', spec) FROM insertion_spec WHERE name = 'colour';
SELECT ldp_open_rounds('insertion', 0, 3);
SELECT pg_temp.inserted('SELECT ldp_insert(''insertion'', pg_temp.colours(50), 4)');
SELECT pg_temp.inserted($$ SELECT ldp_insert('insertion', batch, 0) FROM packed WHERE name = 'wage' $$);
SELECT count(*), ldp_count(ldp_summary_of('insertion')) FROM insertion;

-- What has a say in each row ---------------------------------------------------------------------------------
CREATE TABLE watched (report ldp_report, round integer, CONSTRAINT early CHECK (round < 5));
CREATE FUNCTION thin_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.round = 1 THEN RETURN NULL; END IF; NEW.round := NEW.round - 1; RETURN NEW; END $$;
SELECT pg_temp.inserted('SELECT ldp_insert(''watched'', pg_temp.colours(3), 5)') AS copied;
CREATE TRIGGER thin_out BEFORE INSERT ON watched FOR EACH ROW EXECUTE FUNCTION thin_out();
SELECT pg_temp.inserted('SELECT ldp_insert(''watched'', pg_temp.colours(3), 6)') AS inserted;
SELECT ldp_insert('watched', pg_temp.colours(3), 5) AS kept, ldp_insert('watched', pg_temp.colours(3), 1) AS dropped;
SELECT round, count(*) FROM watched GROUP BY round;
DROP TRIGGER thin_out ON watched;
-- After a statement, all its rows are seen at once.
CREATE FUNCTION tell_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% rows', (SELECT count(*) FROM added); RETURN NULL; END $$;
CREATE TRIGGER tell AFTER INSERT ON watched REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tell_rows();
SELECT ldp_insert('watched', pg_temp.colours(3), 2);
DROP TRIGGER tell ON watched;
CREATE RULE aside AS ON INSERT TO watched WHERE NEW.round = 3 DO INSTEAD INSERT INTO at_once (report, round) VALUES (NEW.report, -3);
SELECT ldp_insert('watched', pg_temp.colours(4), 3) AS instead;
SELECT count(*) FROM at_once WHERE round = -3;
DROP RULE aside ON watched;
CREATE VIEW seen AS SELECT report, round FROM watched WHERE round < 2 WITH CHECK OPTION;
SELECT ldp_insert('seen', pg_temp.colours(2), 0);
SELECT pg_temp.inserted('SELECT ldp_insert(''seen'', pg_temp.colours(2), 2)');
SELECT round, count(*) FROM watched GROUP BY round ORDER BY round;

-- Partitions.
CREATE TABLE split (report ldp_report NOT NULL, round integer NOT NULL) PARTITION BY LIST (round);
CREATE TABLE split_1 PARTITION OF split FOR VALUES IN (1);
CREATE TABLE split_2 PARTITION OF split FOR VALUES IN (2);
SELECT sum(ldp_insert('split', pg_temp.colours(10 * r), r)) FROM unnest('{1,2}'::integer[]) AS r;
SELECT pg_temp.inserted('SELECT ldp_insert(''split'', pg_temp.colours(1), 3)');
SELECT (SELECT count(*) FROM split_1) AS first, (SELECT count(*) FROM split_2) AS second;
-- A row that fits no partition is LD002, whichever function inserts it; a row that a CHECK refuses is 23514.
ALTER TABLE split ADD CONSTRAINT early CHECK (round < 2) NOT VALID;
SELECT pg_temp.inserted('SELECT ldp_insert(''split'', pg_temp.colours(1), 2)') AS a_check;
SELECT pg_temp.inserted('SELECT ldp_insert(''split_1'', pg_temp.colours(1), 0)') AS of_another_partition;
ALTER TABLE split DROP CONSTRAINT early;
SELECT count(ldp_create_collection('of_' || kind, spec, rows => kind, partition_by => 'round')) FROM insertion_spec, unnest('{reports,batches}'::text[]) AS kind WHERE name = 'colour';
CREATE FUNCTION pg_temp.submitted(collection text) RETURNS TABLE (inserted text, submitted text, together text) LANGUAGE sql AS $$
    SELECT pg_temp.inserted(format('SELECT ldp_insert(%L, pg_temp.colours(7), 0)', collection)),
           pg_temp.inserted(format('SELECT ldp_submit(%L, report) FROM single WHERE name = ''colour'' AND id = 1', collection)),
           pg_temp.inserted(format('SELECT ldp_submit_batch(%L, gen_random_uuid(), array_agg(report)) FROM single WHERE name = ''colour'' AND id <= 3', collection)) $$;
SELECT c, s.* FROM unnest('{of_reports,of_batches}'::text[]) AS c, pg_temp.submitted(c) AS s;
SELECT ldp_open_rounds(c, 1) FROM unnest('{of_reports,of_batches}'::text[]) AS c;
SELECT c, s.* FROM unnest('{of_reports,of_batches}'::text[]) AS c, pg_temp.submitted(c) AS s;
SELECT ldp_open_rounds(c, 0) FROM unnest('{of_reports,of_batches}'::text[]) AS c;
DROP TABLE of_reports_default, of_batches_default;
SELECT c, s.* FROM unnest('{of_reports,of_batches}'::text[]) AS c, pg_temp.submitted(c) AS s;
SELECT ldp_drop_collection(c) FROM unnest('{of_reports,of_batches}'::text[]) AS c;

-- Rollups count what arrives like this, once.
SELECT ldp_create_rollup('insertion_rollup', 'insertion', '{round}');
SELECT ldp_insert('insertion', pg_temp.colours(60), 1), ldp_refresh('insertion_rollup'), ldp_insert('insertion', pg_temp.colours(7), 2);
SELECT ldp_refresh('insertion_rollup') AS late, ldp_refresh('insertion_rollup') AS again;
SELECT round, ldp_count(summary) FROM insertion_rollup ORDER BY round;
SELECT ldp_drop_rollup('insertion_rollup');
TRUNCATE insertion;

-- One amid another: what a default does for each row, also where that fails and is caught.
CREATE FUNCTION another() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    BEGIN
        PERFORM ldp_insert('watched', pg_temp.colours(5), 7);
    EXCEPTION WHEN check_violation THEN
        NULL;
    END;
    RETURN ldp_insert('split', pg_temp.colours(2, 3), 2);
END $$;
CREATE TABLE outer_one (report ldp_report, round integer, inner_rows bigint DEFAULT another());
SELECT ldp_insert('outer_one', batch, 4) FROM (SELECT ldp_pack(report) AS batch FROM single WHERE name = 'wage' AND id <= 100) AS few;
SELECT count(*), sum(inner_rows), ldp_agg(report) = (SELECT ldp_agg(report) FROM single WHERE name = 'wage' AND id <= 100) AS same FROM outer_one;
SELECT count(*) FROM split_2;

-- Who may ---------------------------------------------------------------------------------------------------
CREATE ROLE ldp_test_none;
CREATE ROLE ldp_test_half;
CREATE ROLE ldp_test_writer;
GRANT ldp_submitter TO ldp_test_writer;
GRANT INSERT (report) ON insertion TO ldp_test_half;
CREATE TABLE tenants (report ldp_report, round integer, tenant name DEFAULT current_user);
GRANT INSERT (report, round) ON tenants TO ldp_test_writer, ldp_test_half;
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON tenants FOR INSERT TO ldp_test_writer WITH CHECK (tenant = current_user AND round < 10);
SELECT pg_temp.colours(8)::text AS eight \gset
SET ROLE ldp_test_none;
SELECT ldp_insert('insertion', :'eight', 0);
\echo :LAST_ERROR_SQLSTATE
SET ROLE ldp_test_half;
SELECT ldp_insert('insertion', :'eight', 0);
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_insert('tenants', :'eight', 0);
\echo :LAST_ERROR_SQLSTATE
SET ROLE ldp_test_writer;
SELECT ldp_insert('insertion', :'eight', 1), ldp_insert('tenants', :'eight', 1);
SELECT ldp_insert('tenants', :'eight', 10);
\echo :LAST_ERROR_SQLSTATE
BEGIN READ ONLY;
SELECT ldp_insert('insertion', :'eight', 1);
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
RESET ROLE;
SELECT tenant, round, count(*) FROM tenants GROUP BY tenant, round;
SELECT round, count(*) FROM insertion GROUP BY round ORDER BY round;
DROP OWNED BY ldp_test_none, ldp_test_half, ldp_test_writer;
DROP ROLE ldp_test_none, ldp_test_half, ldp_test_writer;

-- Tables that are no place for them.
CREATE TABLE as_bytes (report bytea, round integer);
CREATE TABLE without_round (report ldp_report);
SELECT ldp_create_collection('insertion_batches', spec, rows => 'batches') FROM insertion_spec WHERE name = 'colour';
SELECT t, pg_temp.inserted(format('SELECT ldp_insert(%L, pg_temp.colours(1), 0)', t)) FROM unnest('{as_bytes,without_round,insertion_batches,nowhere,pg_class}'::text[]) AS t;
SELECT pg_temp.inserted($$ SELECT ldp_insert(1, pg_temp.colours(1), 0) $$);

SELECT ldp_drop_collection('insertion'), ldp_drop_collection('insertion_batches');
DROP TABLE insertion_spec, single, packed, one_by_one, at_once, split, outer_one, tenants, as_bytes, without_round;
DROP TABLE watched CASCADE;
DROP FUNCTION thin_out, tell_rows, another;

-- A batch is counted whole or not at all, also by ldp_submit_batch.
SELECT ldp_create_collection('picky', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
CREATE FUNCTION keep_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER keep_out BEFORE INSERT ON picky FOR EACH ROW EXECUTE FUNCTION keep_out();
SELECT ldp_submit_batch('picky', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a077', ARRAY[pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 3}', '01')]);
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE picky DISABLE TRIGGER keep_out;
SELECT ldp_submit_batch('picky', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a077', ARRAY[pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 3}', '01')]);
SELECT ldp_drop_collection('picky');
DROP FUNCTION keep_out;

-- A session keeps the plans of 16 insertions. A trigger inserts into more tables during an insertion, and its tables change.
SELECT count(ldp_create_collection('kept_' || i, '{"mechanism": "grr", "epsilon": 1, "domain": 3}', public_columns => '{{place,text}}')) FROM generate_series(1, 20) AS i;
CREATE FUNCTION everywhere() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 2..20 LOOP PERFORM ldp_submit('kept_' || i, NEW.report, columns => jsonb_build_object('place', i)); END LOOP;
    RETURN NEW;
END $$;
CREATE TRIGGER everywhere BEFORE INSERT ON kept_1 FOR EACH ROW EXECUTE FUNCTION everywhere();
SELECT count(ldp_submit('kept_1', pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 3}', '01'))) FROM generate_series(1, 3) AS i;
SELECT count(*) FROM kept_1;
SELECT min(c.rows), max(c.rows), bool_and(c.place = c.i::text)
FROM generate_series(2, 20) AS s (i), LATERAL (SELECT s.i, (xpath('//n/text()', x))[1]::text::int AS rows, (xpath('//p/text()', x))[1]::text AS place
    FROM query_to_xml(format('SELECT count(*) AS n, min(place) AS p FROM kept_%s', i), false, true, '') AS x) AS c;
-- The type of a column, the table of a name, the role, and an error in the middle.
ALTER TABLE kept_2 ALTER place TYPE varchar(100);
SELECT ldp_submit('kept_2', pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 3}', '01'), columns => '{"place": 7}');
SELECT ldp_drop_collection('kept_3'), ldp_create_collection('kept_3', '{"mechanism": "grr", "epsilon": 1, "domain": 4}', public_columns => '{{place,text}}');
SELECT ldp_submit('kept_3', pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 3}', '01'), columns => '{"place": 7}');
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit('kept_3', pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 4}', '03'), columns => '{"place": 7}');
CREATE ROLE ldp_test_reader;
SET ROLE ldp_test_reader;
SELECT ldp_internal.ldp_insert_reports('public.kept_2', ARRAY[pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 3}', '01')], 0, '{"place": 7}');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
SELECT string_agg(place, ',' ORDER BY place) AS kept_2, (SELECT count(*) FROM kept_3) AS kept_3 FROM kept_2;
-- ldp_submit_batch claims with the caller's right to call ldp_claim_batch.
REVOKE EXECUTE ON FUNCTION ldp_claim_batch FROM PUBLIC;
GRANT INSERT ON kept_4 TO ldp_test_reader;
SET ROLE ldp_test_reader;
SELECT ldp_submit_batch('kept_4', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a083', '{}');
RESET ROLE;
GRANT EXECUTE ON FUNCTION ldp_claim_batch TO PUBLIC;
SET ROLE ldp_test_reader;
SELECT ldp_submit_batch('kept_4', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a083', '{}');
RESET ROLE;
-- A session remembers that a table follows its spec, until the table changes.
SELECT pg_get_constraintdef(oid) AS follows FROM pg_constraint WHERE conrelid = 'kept_2'::regclass AND conname = 'report_follows_spec' \gset
CREATE FUNCTION pg_temp.both_ways(name text, batch uuid) RETURNS text LANGUAGE sql AS $$
SELECT pg_temp.inserted(format('SELECT 1 FROM ldp_submit(%1$L, %2$L)', name, r)) || ', ' || pg_temp.inserted(format('SELECT ldp_submit_batch(%1$L, %3$L, ARRAY[%2$L, %2$L]::ldp_report[])', name, r, batch))
FROM (SELECT pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 3}', '01') AS r) AS report $$;
SELECT pg_temp.both_ways('kept_2', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a081');
ALTER TABLE kept_2 DROP CONSTRAINT report_follows_spec;
SELECT pg_temp.both_ways('kept_2', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a082');
ALTER TABLE kept_2 ADD CONSTRAINT report_follows_spec CHECK (true);
SELECT pg_temp.both_ways('kept_2', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a082');
ALTER TABLE kept_2 DROP CONSTRAINT report_follows_spec;
SELECT format('ALTER TABLE kept_2 ADD CONSTRAINT report_follows_spec %s', :'follows') \gexec
ALTER TABLE kept_2 RENAME TO renamed_2;
CREATE SCHEMA elsewhere_2;
ALTER TABLE renamed_2 SET SCHEMA elsewhere_2;
ALTER SCHEMA elsewhere_2 RENAME TO there_2;
SELECT pg_temp.both_ways('kept_2', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a082');
SELECT count(*) FROM there_2.renamed_2;
SELECT count(ldp_drop_collection('kept_' || i)) FROM generate_series(1, 20) AS i;
DROP SCHEMA there_2;
DROP FUNCTION everywhere;
DROP ROLE ldp_test_reader;

-- A long block -----------------------------------------------------------------------------------------------
-- The CHECK has the digest of a long block. It rejects reports and batches whose block differs in any byte, also behind the header.
SELECT jsonb_build_object('mechanism', 'sampled', 'epsilon', 1, 'attributes', jsonb_agg(jsonb_build_object('name', 'a' || i) ||
    CASE WHEN i % 2 = 0 THEN jsonb_build_object('min', 0, 'max', 98 + i, 'mechanism', 'pdp') ELSE jsonb_build_object('domain', 8 + i, 'mechanism', 'grr') END ORDER BY i)) AS long_spec
FROM generate_series(1, 20) AS i \gset
SELECT ldp_create_collection('long_rows', :'long_spec'), ldp_create_collection('long_batches', :'long_spec', rows => 'batches');
SELECT c.name, length(c.parameters) AS block, length(pg_get_constraintdef(k.oid)) < 200 AS short FROM ldp_internal.ldp_collection AS c
JOIN pg_constraint AS k ON k.conrelid = c.reports AND k.conname = 'report_follows_spec' WHERE c.name LIKE 'long\_%' ORDER BY 1;
SELECT encode(parameters, 'hex') || '0003' || repeat('00', ldp_payload.size - 2) AS own,
       regexp_replace(encode(parameters, 'hex'), '0000000000005940', '0000000000006940') || '0003' || repeat('00', ldp_payload.size - 2) AS forged
FROM ldp_internal.ldp_collection, LATERAL (SELECT 3 AS size) AS ldp_payload WHERE name = 'long_rows' \gset
SELECT :'own' <> :'forged' AS differ, left(:'own', 48) = left(:'forged', 48) AS same_header;
SELECT ldp_submit('long_rows', :'own'), ldp_submit('long_batches', :'own'), ldp_submit_batch('long_rows', '6f1b3d52-8f0e-4b55-9d0e-3f6a51c0a091', ARRAY[:'own', :'own']::ldp_report[]);
SELECT ldp_submit('long_rows', :'forged');
\echo :LAST_ERROR_SQLSTATE
INSERT INTO long_rows VALUES (:'forged', 0);
\echo :LAST_ERROR_SQLSTATE
INSERT INTO long_batches SELECT ldp_pack(:'forged'::ldp_report), 0;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit('long_rows', pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 3}', '01'));
\echo :LAST_ERROR_SQLSTATE
-- A constraint with the whole block accepts the same reports, and another digest or header none.
SELECT encode(parameters, 'hex') AS long_block FROM ldp_internal.ldp_collection WHERE name = 'long_rows' \gset
SELECT ldp_internal.ldp_check_report(:'own'::ldp_report, decode(:'long_block', 'hex'));
SELECT ldp_internal.ldp_check_report(:'own'::ldp_report, substr(decode(:'long_block', 'hex'), 1, 24) || sha256('other'));
SELECT ldp_internal.ldp_check_report(:'own'::ldp_report, set_byte(substr(decode(:'long_block', 'hex'), 1, 24), 8, 1) || sha256(decode(:'long_block', 'hex')));
ALTER TABLE long_rows DROP CONSTRAINT report_follows_spec;
SELECT format('ALTER TABLE long_rows ADD CONSTRAINT report_follows_spec CHECK (ldp_internal.ldp_check_report(report, %L))', '\x' || :'long_block') \gexec
SELECT ldp_submit('long_rows', :'own');
TRUNCATE long_rows;
ALTER TABLE long_rows DROP CONSTRAINT report_follows_spec;
SELECT format('ALTER TABLE long_rows ADD CONSTRAINT report_follows_spec CHECK (ldp_internal.ldp_check_report(report, %L))', substr(decode(:'long_block', 'hex'), 1, 24) || sha256('other')) \gexec
SELECT ldp_submit('long_rows', :'own');
SELECT count(ldp_drop_collection('long_' || t)) FROM unnest('{rows,batches}'::text[]) AS t;
