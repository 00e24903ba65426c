-- Collections: specs, tables, privileges, submission, estimates.
\ir setup.sql


-- Specs -----------------------------------------------------------------------------------------------------
SELECT (ldp_spec_info('{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green"]}')).canonical - 'derived' AS grr;
SELECT (ldp_spec_info('{"mechanism": "haar", "epsilon": 1, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 2}]}')).canonical - 'derived' AS haar;
SELECT (ldp_spec_info((ldp_spec_info(s)).canonical)).canonical = (ldp_spec_info(s)).canonical AS stable, ldp_internal.ldp_spec_parameters((ldp_spec_info(s)).canonical) = ldp_internal.ldp_spec_parameters(s) AS same
FROM (VALUES ('{"mechanism": "grr", "epsilon": 0.1, "domain": 1024}'::jsonb), ('{"mechanism": "oue", "epsilon": 1e-2, "domain": 100}'),
             ('{"mechanism": "pdp", "epsilon": 3.3333333333333335, "min": -0.1, "max": 1e10}')) AS v (s);
SELECT (ldp_spec_info(NULL)).canonical IS NULL AS nothing;
SELECT i.fingerprint, i.labels, i.fingerprint = ldp_internal.ldp_spec_fingerprint(s) AS same_fingerprint, i.canonical = ldp_internal.ldp_spec_canonical(s) AS same_spec,
       i.parameters = ldp_internal.ldp_spec_parameters(s) AS same_block, i.labels IS NOT DISTINCT FROM ldp_internal.ldp_spec_labels(s) AS same_labels
FROM unnest(ARRAY['{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green"]}', '{"mechanism": "auto", "epsilon": 1, "attributes": [{"name": "age", "min": 0, "max": 100, "edges": [18, 65]}]}',
                  '{"mechanism": "duchi", "epsilon": 1, "min": 0, "max": 1}']::jsonb[]) AS s, ldp_spec_info(s) AS i;
-- One error in full; the others in a table.
SELECT (ldp_spec_info('{"mechanism": "grr", "epsilon": 1, "domain": 4, "min": 0}')).canonical;
SELECT (ldp_spec_info('{"mechanism": "grr", "epsilon": 1, "domain": 4, "colour": "red"}')).canonical;
\echo :LAST_ERROR_SQLSTATE
\pset format unaligned
\pset tuples_only on
-- (Without details that quote a JSON library or a number to its last digit.)
SELECT what, CASE WHEN number IN (13, 40) THEN split_part(outcome, ' / ', 1) ELSE outcome END
FROM (VALUES
    ( 1, 'no JSON',              '{"mechanism": "grr", '),
    ( 2, 'no object',            '[1, 2]'),
    ( 3, 'a null',               'null'),
    ( 4, 'nothing in it',        '{}'),
    ( 5, 'unknown mechanism',    '{"mechanism": "magic", "epsilon": 1, "domain": 4}'),
    ( 6, 'mechanism a number',   '{"mechanism": 1, "epsilon": 1, "domain": 4}'),
    ( 7, 'unknown version',      '{"version": 2, "mechanism": "grr", "epsilon": 1, "domain": 4}'),
    ( 8, 'no epsilon',           '{"mechanism": "grr", "domain": 4}'),
    ( 9, 'epsilon 0',            '{"mechanism": "grr", "epsilon": 0, "domain": 4}'),
    (10, 'epsilon -1',           '{"mechanism": "grr", "epsilon": -1, "domain": 4}'),
    (11, 'epsilon "NaN"',        '{"mechanism": "grr", "epsilon": "NaN", "domain": 4}'),
    (12, 'epsilon above the cap', '{"mechanism": "grr", "epsilon": 20.1, "domain": 4}'),
    (13, 'epsilon 1e400',        '{"mechanism": "grr", "epsilon": 1e400, "domain": 4}'),
    (14, 'no attribute',         '{"mechanism": "grr", "epsilon": 1}'),
    (15, 'empty attributes',     '{"mechanism": "grr", "epsilon": 1, "attributes": []}'),
    (16, 'empty domain',         '{"mechanism": "grr", "epsilon": 1, "domain": []}'),
    (17, 'domain of 0',          '{"mechanism": "grr", "epsilon": 1, "domain": 0}'),
    (18, 'domain of 1',          '{"mechanism": "grr", "epsilon": 1, "domain": 1}'),
    (19, 'domain of -4',         '{"mechanism": "grr", "epsilon": 1, "domain": -4}'),
    (20, 'domain of 2.5',        '{"mechanism": "grr", "epsilon": 1, "domain": 2.5}'),
    (21, 'k beyond the limit',   '{"mechanism": "grr", "epsilon": 1, "domain": 16777217}'),
    (22, 'k beyond the limit, oue', '{"mechanism": "oue", "epsilon": 1, "domain": 65537}'),
    (23, 'duplicate labels',     '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "red"]}'),
    (24, 'an empty label',       '{"mechanism": "grr", "epsilon": 1, "domain": ["red", ""]}'),
    (25, 'a label that is missing', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", 7]}'),
    (26, 'min = max',            '{"mechanism": "piecewise", "epsilon": 1, "min": 5, "max": 5}'),
    (27, 'min > max',            '{"mechanism": "piecewise", "epsilon": 1, "min": 5, "max": 4}'),
    (28, 'no max',               '{"mechanism": "piecewise", "epsilon": 1, "min": 5}'),
    (29, 'max a word',           '{"mechanism": "piecewise", "epsilon": 1, "min": 5, "max": "much"}'),
    (30, 'a grid too coarse',    '{"mechanism": "piecewise", "epsilon": 1, "min": 0, "max": 1, "grid": 1}'),
    (31, 'a grid too fine',      '{"mechanism": "piecewise", "epsilon": 1, "min": 0, "max": 1, "grid": 1048577}'),
    (32, 'a category for pdp',   '{"mechanism": "pdp", "epsilon": 1, "domain": 4}'),
    (33, 'a number for grr',     '{"mechanism": "grr", "epsilon": 1, "min": 0, "max": 1}'),
    (34, 'one attribute for haar', '{"mechanism": "haar", "epsilon": 1, "min": 0, "max": 1}'),
    (35, 'unknown details',      '{"mechanism": "haar", "epsilon": 1, "details": "all", "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]}'),
    (36, 'two attributes of one name', '{"mechanism": "haar", "epsilon": 1, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "a", "min": 0, "max": 1}]}'),
    (37, 'an attribute without a name', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"domain": 4}]}'),
    (38, 'a key it does not know', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "a", "domain": 4, "units": "cm"}]}'),
    (39, 'an option of another mechanism', '{"mechanism": "grr", "epsilon": 1, "domain": 4, "grid": 100}'),
    (40, 'derived that is not',  '{"mechanism": "grr", "epsilon": 1, "domain": 4, "derived": {"p": 1}}'),
    (41, 'nested too deeply',    '{"mechanism": "grr", "epsilon": 1, "domain": [[[[[[[[[["x"]]]]]]]]]]}'),
    (42, 'megabytes',            '{"mechanism": "grr", "epsilon": 1, "domain": ["' || repeat('x', 1100000) || '", "b"]}')
) AS bad (number, what, spec), LATERAL pg_temp.outcome(format('SELECT (ldp_spec_info(%L)).canonical', spec)) AS outcome ORDER BY number;
\pset tuples_only off
\pset format aligned

-- Creating --------------------------------------------------------------------------------------------------
SELECT ldp_create_collection('colour', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}');
SELECT ldp_create_collection('shade', '{"mechanism": "grr", "epsilon": 1, "domain": ["light", "middle", "dark"]}');
SELECT ldp_create_collection('Weird "name", 100%s', '{"mechanism": "piecewise", "epsilon": 2, "min": 0, "max": 10, "grid": 100}');
SELECT ldp_create_collection('visit', '{"mechanism": "grr", "epsilon": 1, "domain": 3}',
                             ARRAY[['country', 'text'], ['app "version"', 'integer'], ['seen', 'timestamp with time zone'], ['tags', 'text[]']]);
SELECT ldp_create_collection('profile', '{"mechanism": "haar", "randomizer": "pdp", "epsilon": 4, "grid": 100, "attributes": [
    {"name": "age", "min": 0, "max": 100}, {"name": "wage", "min": 0, "max": 1000}]}');
SELECT attname, format_type(atttypid, atttypmod) AS type, attnotnull FROM pg_attribute WHERE attrelid = 'colour'::regclass AND attnum > 0 ORDER BY attnum;
SELECT attname, format_type(atttypid, atttypmod) AS type, attnotnull FROM pg_attribute WHERE attrelid = 'visit'::regclass AND attnum > 0 ORDER BY attnum;
SELECT relname, reloftype::regtype FROM pg_class WHERE relname IN ('colour', 'visit', 'Weird "name", 100%s') ORDER BY relname COLLATE "C";
SELECT name, reports, mechanism, epsilon, spec = ldp_client_spec(name) AS same_spec, spec = (ldp_spec_info(spec)).canonical AS canonical FROM ldp_collections ORDER BY name COLLATE "C";
SELECT obj_description('colour'::regclass);
-- In the current schema.
CREATE SCHEMA elsewhere;
SET search_path = elsewhere, public;
SELECT ldp_create_collection('away', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
RESET search_path;
SELECT reports FROM ldp_collections WHERE name = 'away';
SELECT ldp_submit('away', pg_temp.report_to('away', '01'));
SELECT n FROM ldp_estimate('away') LIMIT 1;

SELECT ldp_create_collection('colour', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
\echo :LAST_ERROR_SQLSTATE
CREATE TABLE occupied (i integer);
SELECT ldp_create_collection('occupied', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
SELECT count(*) FROM ldp_collections WHERE name = 'occupied';
DROP TABLE occupied;
SELECT ldp_create_collection('bad', '{"mechanism": "grr", "epsilon": 0, "domain": 3}');
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_create_collection('', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_create_collection(repeat('ä', 32), '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
SELECT ldp_create_collection(NULL, '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_create_collection('bad', NULL);
SELECT ldp_create_collection('bad', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY['country', 'text']);
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_create_collection('bad', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY[['country', 'text', 'x']]);
SELECT ldp_create_collection('bad', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY[['country', NULL]]);
SELECT ldp_create_collection('bad', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY[['country', 'varchar(2)']]);
SELECT left(pg_temp.outcome($$SELECT ldp_create_collection('bad', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY[['country', 'text; DROP TABLE colour']])$$), 5) AS sqlstate;
SELECT ldp_create_collection('bad', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY[['report', 'text']]);
SELECT count(*) FROM ldp_collections WHERE name = 'bad';

-- Only its own reports --------------------------------------------------------------------------------------
INSERT INTO colour VALUES (pg_temp.report_to('colour', '00')), (pg_temp.report_to('colour', '02'));
INSERT INTO colour VALUES (pg_temp.report_to('shade', '00'));
\echo :LAST_ERROR_SQLSTATE
INSERT INTO colour VALUES (pg_temp.report_to('profile', '0000'));
INSERT INTO colour VALUES (NULL);
INSERT INTO colour (report, round) VALUES (pg_temp.report_to('colour', '00'), NULL);
UPDATE colour SET report = pg_temp.report_to('shade', '00');
SELECT ldp_open_rounds('visit', 0, 3);
INSERT INTO visit VALUES (pg_temp.report_to('visit', '01'), 3, 'DE', 7, '2026-01-01', '{a,b}');
INSERT INTO visit VALUES (pg_temp.report_to('visit', '01'));
INSERT INTO visit (report, country) VALUES (pg_temp.report_to('colour', '01'), 'DE');
SELECT country, round, ldp_count(ldp_agg(report)) FROM visit GROUP BY country, round ORDER BY round;
SELECT count(*) FROM colour;
DELETE FROM colour;

-- The spec cannot be changed; the rest of the row can.
UPDATE ldp_internal.ldp_collection SET spec = jsonb_set(spec, '{epsilon}', '9') WHERE name = 'colour';
\echo :LAST_ERROR_SQLSTATE
UPDATE ldp_internal.ldp_collection SET created = created WHERE name = 'colour';
SELECT spec ->> 'epsilon' AS epsilon FROM ldp_collections WHERE name = 'colour';

-- Submission ------------------------------------------------------------------------------------------------
SELECT ldp_submit('colour', pg_temp.report_to('colour', '01'));
-- Only the owner opens rounds; reports of a closed round are kept.
SELECT ldp_submit('colour', pg_temp.report_to('colour', '02'), 5);
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_open_rounds('colour', 4, 5);
SELECT ldp_submit('colour', pg_temp.report_to('colour', '02'), 5);
SELECT ldp_submit('colour', pg_temp.report_to('colour', '02'));
SELECT ldp_open_rounds('colour', 0, 1);
SELECT ldp_open_rounds('colour', 3, 2), ldp_open_rounds('colour', NULL);
SELECT ldp_open_rounds('colour', NULL);
SELECT ldp_open_rounds('colours', 1);
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'round_is_open' AND conrelid = 'colour'::regclass;
SELECT ldp_submit('Weird "name", 100%s', pg_temp.report_to('Weird "name", 100%s', '11'));
SELECT right(report::text, 2) AS payload, round FROM colour ORDER BY report;
SELECT ldp_submit('colour', pg_temp.report_to('shade', '01'));
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit('colour', NULL);
SELECT ldp_submit('colours', pg_temp.report_to('colour', '01'));
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit(NULL, pg_temp.report_to('colour', '01'));
SELECT ldp_client_spec('colours');
SELECT * FROM ldp_estimate('colours');
DELETE FROM colour;

\set batch '''6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0001'''
\set other '''6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0002'''
\set third '''6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0003'''
SELECT array_agg(pg_temp.report_to('colour', lpad(to_hex(i % 3), 2, '0')) ORDER BY i) AS reports FROM generate_series(1, 10) AS i \gset
SELECT ldp_submit_batch('colour', :batch, :'reports');
SELECT ldp_submit_batch('colour', :batch, :'reports');
SELECT count(*) FROM colour;
SELECT ldp_submit_batch('colour', :other, :'reports', 1);
SELECT round, count(*) FROM colour GROUP BY round ORDER BY round;
-- The same identifier with other reports, fewer reports or another round is an error; otherwise reports would be lost.
SELECT ldp_submit_batch('colour', :batch, (:'reports'::ldp_report[])[1:9] || pg_temp.report_to('colour', '02'));
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit_batch('colour', :batch, (:'reports'::ldp_report[])[1:9]);
SELECT ldp_submit_batch('colour', :batch, :'reports', 1);
-- Another collection has batches of its own.
SELECT ldp_submit_batch('visit', :batch, ARRAY[pg_temp.report_to('visit', '00')]);
-- All or nothing: with one invalid report, no report of the batch is counted.
SELECT ldp_submit_batch('colour', :third, :'reports'::ldp_report[] || pg_temp.report_to('shade', '00'));
SELECT ldp_submit_batch('colour', :third, :'reports'::ldp_report[] || NULL::ldp_report);
SELECT count(*) FROM colour;
SELECT ldp_submit_batch('colour', :third, :'reports');
BEGIN;
SELECT ldp_submit_batch('colour', 'aaaaaaaa-0000-0000-0000-000000000000', :'reports');
ROLLBACK;
SELECT ldp_submit_batch('colour', 'aaaaaaaa-0000-0000-0000-000000000000', :'reports');
SELECT count(*) FROM colour;
SELECT ldp_submit_batch('colour', 'bbbbbbbb-0000-0000-0000-000000000000', '{}');
SELECT ldp_submit_batch('colour', :batch, NULL);
SELECT ldp_submit_batch('colour', NULL, :'reports');
SELECT ldp_submit_batch('colours', :batch, :'reports');
-- COPY: claim the batch, then copy, in one transaction.
SELECT ldp_claim_batch('shade', :batch, 2, sha256('a')), ldp_claim_batch('shade', :batch, 2, sha256('a'));
SELECT ldp_claim_batch('shade', :batch, 2, sha256('b'));
SELECT ldp_claim_batch('shade', :batch, 3, sha256('a'));
\set VERBOSITY terse
SELECT ldp_claim_batch('shade', :other, -1, sha256('a'));
\set VERBOSITY default
SELECT ldp_claim_batch('shade', :other, NULL, sha256('a'));
SELECT ldp_claim_batch('shade', NULL, 1, sha256('a'));
SELECT ldp_claim_batch('shade', :other, 1, NULL);
SELECT ldp_claim_batch('shade', :other, 1, '\xab');
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_claim_batch('shades', :batch, 1, sha256('a'));
SELECT ldp_claim_batch(NULL, :batch, 1, sha256('a'));
SELECT ldp_internal.ldp_claim_batch_as(NULL, 'shade', :other, 1, sha256('a'));
-- A read-only transaction is rejected under the name of the function, as on a standby.
SELECT pg_temp.outcome('SET LOCAL transaction_read_only = on; ' || query) FROM (VALUES
    (format('SELECT ldp_claim_batch(%L, %L, 1, sha256(%L))', 'shade', :other, 'a')),
    (format('SELECT ldp_submit(%L, %L)', 'shade', pg_temp.report_to('shade', '01'))),
    (format('SELECT ldp_submit_batch(%L, %L, ARRAY[%L::ldp_report])', 'shade', :other, pg_temp.report_to('shade', '01')))) AS q (query);

-- Estimates -------------------------------------------------------------------------------------------------
SELECT attribute, label, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr,
       round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper, n
FROM ldp_estimate('colour');
SELECT e.label, e.estimate = (f.all)[row_number() OVER ()] AS same FROM ldp_estimate('colour') AS e, (SELECT ldp_proportion(report) AS all FROM colour) AS f;
SELECT attribute, label, n, attribute_number, value FROM ldp_estimate('visit');
INSERT INTO profile SELECT pg_temp.report_to('profile', lpad(to_hex(i % 2), 2, '0') || lpad(to_hex(i % 100), 2, '0')) FROM generate_series(1, 200) AS i;
SELECT attribute, label, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr, n, attribute_number, value FROM ldp_estimate('profile');
SELECT p.stderr > s.stderr AS less_sure, p.upper - p.lower > s.upper - s.lower AS wider, s.upper - s.lower > n.upper - n.lower AS narrower
FROM ldp_estimate('colour') AS s JOIN ldp_estimate('colour', confidence => 0.95, target => 'population') AS p USING (value) JOIN ldp_estimate('colour', confidence => 0.5) AS n USING (value);
SELECT attribute, label, n FROM ldp_estimate('Weird "name", 100%s');
SELECT * FROM ldp_estimate('shade');
SELECT * FROM ldp_estimate('colour', confidence => 2);
SELECT * FROM ldp_estimate('colour', confidence => 0.95, target => 'people');

-- Roles -----------------------------------------------------------------------------------------------------
SELECT rolname, rolcanlogin, rolsuper, rolcreaterole, shobj_description(oid, 'pg_authid') IS NOT NULL AS comment
FROM pg_roles WHERE rolname LIKE 'ldp\_%' ORDER BY rolname;
CREATE ROLE regress_ldp_device IN ROLE ldp_submitter;
CREATE ROLE regress_ldp_reader IN ROLE ldp_analyst;
CREATE ROLE regress_ldp_owner IN ROLE ldp_admin;
CREATE ROLE regress_ldp_stranger;
GRANT USAGE ON SCHEMA public TO regress_ldp_device, regress_ldp_reader, regress_ldp_owner, regress_ldp_stranger;
GRANT CREATE ON SCHEMA public TO regress_ldp_owner;
SELECT pg_temp.report_to('colour', '01') AS report, pg_temp.report_to('shade', '01') AS foreign_report \gset
-- A device submits and cannot read.
SET ROLE regress_ldp_device;
SELECT name FROM ldp_collections WHERE name = 'colour';
SELECT ldp_client_spec('colour') ->> 'mechanism' AS mechanism;
SELECT ldp_submit('colour', :'report');
SELECT ldp_submit_batch('colour', 'cccccccc-0000-0000-0000-000000000000', ARRAY[:'report', :'report']::ldp_report[]);
SELECT ldp_submit_batch('colour', 'cccccccc-0000-0000-0000-000000000000', ARRAY[:'report', :'report']::ldp_report[]);
INSERT INTO colour (report) VALUES (:'report');
INSERT INTO colour (report) VALUES (:'foreign_report');
SELECT * FROM colour;
SELECT * FROM ldp_estimate('colour');
DELETE FROM colour;
UPDATE colour SET round = 1;
SELECT * FROM ldp_internal.ldp_batch;
INSERT INTO ldp_internal.ldp_batch VALUES ('colour', 'regress_ldp_device', :batch, 1, sha256('a'));
INSERT INTO ldp_internal.ldp_collection (name) VALUES ('mine');
DELETE FROM ldp_internal.ldp_batch;
SELECT ldp_drop_collection('colour');
SELECT ldp_create_collection('mine', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
RESET ROLE;
-- An analyst reads and cannot write.
SET ROLE regress_ldp_reader;
SELECT n FROM ldp_estimate('colour') LIMIT 1;
SELECT ldp_count(ldp_agg(report)) FROM colour;
SELECT ldp_submit('colour', :'report');
SELECT ldp_submit_batch('colour', :batch, ARRAY[:'report']::ldp_report[]);
SELECT ldp_claim_batch('colour', :batch, 1, sha256('a'));
INSERT INTO colour (report) VALUES (:'report');
DELETE FROM colour;
SELECT ldp_drop_collection('colour');
RESET ROLE;
-- An administrator creates collections and drops its own.
SET ROLE regress_ldp_owner;
SELECT ldp_create_collection('mine', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
SELECT ldp_drop_collection('colour');
UPDATE ldp_internal.ldp_collection SET spec = '{}' WHERE name = 'mine';
DELETE FROM ldp_internal.ldp_collection WHERE name = 'mine';
INSERT INTO ldp_internal.ldp_batch VALUES ('mine', 'regress_ldp_owner', :batch, 1, sha256('a'));
SELECT ldp_submit('mine', :'report');
RESET ROLE;
SET ROLE regress_ldp_device;
SELECT ldp_submit_batch('mine', :batch, '{}');
RESET ROLE;
SET ROLE regress_ldp_owner;
SELECT ldp_drop_collection('mine');
SELECT to_regclass('mine') IS NULL AS gone, (SELECT count(*) FROM ldp_collections WHERE name = 'mine') AS registered;
RESET ROLE;
SELECT count(*) AS batches FROM ldp_internal.ldp_batch WHERE collection = 'mine';
-- Every role may list the collections, and nothing else.
SET ROLE regress_ldp_stranger;
SELECT count(*) > 0 AS seen FROM ldp_collections;
SELECT ldp_client_spec('colour') ->> 'mechanism' AS mechanism;
SELECT ldp_count(ldp_agg(:'report'::ldp_report));
SELECT * FROM ldp_estimate('colour');
SELECT ldp_submit('colour', :'report');
SELECT ldp_claim_batch('colour', :batch, 1, sha256('a'));
SELECT ldp_create_collection('theirs', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
RESET ROLE;
-- A trigger on a table runs with the rights of the submitter, not of the extension's owner.
CREATE TABLE witnessed (role name);
GRANT INSERT ON witnessed TO PUBLIC;
CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO witnessed VALUES (current_user); RETURN NEW; END $$;
CREATE TRIGGER witness BEFORE INSERT ON colour FOR EACH ROW EXECUTE FUNCTION witness();
SET ROLE regress_ldp_device;
SELECT ldp_submit('colour', :'report');
SELECT ldp_submit_batch('colour', 'dddddddd-0000-0000-0000-000000000000', ARRAY[:'report']::ldp_report[]);
RESET ROLE;
SELECT DISTINCT role FROM witnessed;
DROP FUNCTION witness() CASCADE;
DROP TABLE witnessed;
-- SECURITY DEFINER functions set their search_path, and only their owner may execute them.
SELECT proname, proconfig, proacl FROM pg_proc WHERE proname LIKE 'ldp\_%' AND prosecdef ORDER BY proname;
-- An error of ldp's own functions has the context of the caller only.
\set SHOW_CONTEXT always
SELECT ldp_summary_of('nothing');
SELECT ldp_estimate('nothing');
\set SHOW_CONTEXT never
REVOKE ALL ON SCHEMA public FROM regress_ldp_device, regress_ldp_reader, regress_ldp_owner, regress_ldp_stranger;
DROP ROLE regress_ldp_device, regress_ldp_reader, regress_ldp_owner, regress_ldp_stranger;

-- Dropping --------------------------------------------------------------------------------------------------
SELECT count(*) > 0 AS batches FROM ldp_internal.ldp_batch WHERE collection = 'colour';
SELECT ldp_drop_collection('colour');
SELECT to_regclass('colour') IS NULL AS gone, (SELECT count(*) FROM ldp_collections WHERE name = 'colour') AS registered,
       (SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'colour') AS batches;
SELECT ldp_drop_collection('colour');
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_drop_collection('Weird "name", 100%s');
-- Dependent objects prevent the drop.
CREATE VIEW dependent AS SELECT ldp_agg(report) FROM profile;
SELECT ldp_drop_collection('profile');
DROP VIEW dependent;
SELECT count(*) FROM ldp_collections WHERE name = 'profile';
SELECT ldp_drop_collection('profile');
-- If a table is dropped directly, its collection disappears, its name is free, and its batches are deleted.
DROP TABLE shade;
SELECT count(*) AS seen, (SELECT count(*) FROM ldp_internal.ldp_collection WHERE name = 'shade') AS stale FROM ldp_collections WHERE name = 'shade';
SELECT ldp_client_spec('shade');
SELECT ldp_create_collection('shade', '{"mechanism": "oue", "epsilon": 3, "domain": 5}');
SELECT mechanism FROM ldp_collections WHERE name = 'shade';
SELECT ldp_claim_batch('shade', :batch, 2, sha256('b')) AS new;
DROP TABLE shade;
SELECT ldp_drop_collection('shade');
SELECT count(*) FROM ldp_internal.ldp_collection WHERE name = 'shade';
-- A table that was renamed or moved keeps its collection.
ALTER TABLE visit RENAME TO seen_before;
ALTER TABLE seen_before SET SCHEMA elsewhere;
SELECT reports FROM ldp_collections WHERE name = 'visit';
SELECT ldp_submit('visit', pg_temp.report_to('visit', '02'));
-- pg_dump saves the registered collections whose tables exist.
DROP TABLE elsewhere.away;
SELECT conf.oid::regclass AS dumped, condition FROM pg_extension, unnest(extconfig, extcondition) AS conf (oid, condition) WHERE extname = 'ldp';
SELECT count(*) FROM ldp_internal.ldp_collection WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS t WHERE t.oid = reports);
-- pg_restore -j fills the tables in any order.
SELECT conname FROM pg_constraint AS c JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = c.conrelid
WHERE c.contype = 'f' AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ldp');
-- A new collection has no records of batches of an earlier collection with the same name.
INSERT INTO ldp_internal.ldp_batch VALUES ('away', 'regress_ldp_device', gen_random_uuid(), 1, sha256('a'));
SELECT ldp_drop_collection('away');
SELECT ldp_create_collection('away', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
INSERT INTO ldp_internal.ldp_batch VALUES ('away', 'regress_ldp_device', gen_random_uuid(), 1, sha256('a'));
DROP TABLE away;
SELECT ldp_create_collection('away', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
SELECT count(*) AS batches FROM ldp_internal.ldp_batch WHERE collection = 'away';
SELECT ldp_drop_collection('visit'), ldp_drop_collection('away');
SELECT count(*) FROM ldp_internal.ldp_collection;
DROP SCHEMA elsewhere;

-- Citus supports one change per ALTER TABLE.
SELECT proname FROM pg_proc WHERE proname LIKE 'ldp\_%' AND prosrc ~ 'ALTER TABLE[^;]*(DROP CONSTRAINT [a-z_]+,|SET NOT NULL,)';
