-- Who owns what: tables that become collections, tables that are no longer what was registered, what runs when one is
-- read, rows and columns that analysts see, batches of several submitters.
\ir setup.sql
CREATE SCHEMA owners;
SET search_path = owners, public;
CREATE ROLE regress_ldp_owner IN ROLE ldp_admin;
CREATE ROLE regress_ldp_rival IN ROLE ldp_admin;
CREATE ROLE regress_ldp_device IN ROLE ldp_submitter;
CREATE ROLE regress_ldp_second IN ROLE ldp_submitter;
CREATE ROLE regress_ldp_reader IN ROLE ldp_analyst;
CREATE ROLE regress_ldp_stranger;
GRANT USAGE ON SCHEMA owners TO PUBLIC;
GRANT CREATE ON SCHEMA owners TO regress_ldp_owner, regress_ldp_rival;
\set spec '''{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'''
CREATE FUNCTION report(name text, payload text) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec(name)), 'hex') || payload)::ldp_report $$;
SELECT (encode(ldp_internal.ldp_spec_parameters(:spec), 'hex') || '01')::ldp_report AS green, ldp_internal.ldp_spec_parameters(:spec) AS block, sha256('a') AS digest, sha256('b') AS other_digest \gset

-- The registry ----------------------------------------------------------------------------------------------
-- It is written by functions alone, and only for the owner of the table.
SET ROLE regress_ldp_owner;
SELECT ldp_create_collection('colour', :spec, ARRAY[['tenant', 'text'], ['note', 'text']]);
SELECT ldp_open_rounds('colour', 0, 1);
RESET ROLE;
SET ROLE regress_ldp_rival;
DELETE FROM ldp_internal.ldp_collection WHERE name = 'colour';
UPDATE ldp_internal.ldp_collection SET reports = 'owners.colour';
INSERT INTO ldp_internal.ldp_batch VALUES ('colour', 'regress_ldp_device', gen_random_uuid(), 1, :'digest');
UPDATE ldp_internal.ldp_hitter_search SET round = 2000000000;
SELECT ldp_drop_collection('colour');
SELECT ldp_unregister_collection('colour');
SELECT ldp_open_rounds('colour', 0, 1000000);
SELECT ldp_adopt_collection('stolen', 'colour', :spec);
SELECT ldp_internal.ldp_register_collection('stolen', 'colour', :spec, 'rows');
SELECT ldp_create_collection('colour', '{"mechanism": "grr", "epsilon": 20, "domain": 3}');
-- What has the caller's name for an argument is closed to everyone.
SELECT ldp_internal.ldp_unregister_collection_as('regress_ldp_owner', 'colour');
SELECT ldp_internal.ldp_run_as('regress_ldp_owner'::regrole, false, 'SELECT 1', NULL::integer);
SELECT ldp_internal.ldp_run_over_shards('regress_ldp_owner'::regrole, false, 'SELECT 1', 'SELECT 1', NULL::integer);
RESET ROLE;
-- Members of the owner's role are owners.
GRANT regress_ldp_owner TO regress_ldp_rival;
SET ROLE regress_ldp_rival;
SELECT ldp_open_rounds('colour', 0, 2);
RESET ROLE;
REVOKE regress_ldp_owner FROM regress_ldp_rival;

-- Names -----------------------------------------------------------------------------------------------------
-- One that was meant as a schema and a name is refused; others may have dots.
SELECT ldp_create_collection('owners.colour', :spec);
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_create_collection('v1.colour', :spec);
SELECT ldp_drop_collection('v1.colour');

-- Adoption --------------------------------------------------------------------------------------------------
CREATE TABLE found (note text, report ldp_report, round integer DEFAULT 7);
INSERT INTO found VALUES ('a', :'green', 3), ('b', :'green', 0);
SELECT ldp_adopt_collection('found', 'found', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_adopt_collection('found', 'found', :spec);
SELECT ldp_adopt_collection('again', 'found', :spec);
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_adopt_collection('found', 'found', :spec);
SELECT n FROM ldp_estimate('found') LIMIT 1;
INSERT INTO found VALUES ('c', :'green', 3);
INSERT INTO found VALUES ('c', NULL, 0);
SELECT attname, attnotnull, attacl FROM pg_attribute WHERE attrelid = 'found'::regclass AND attnum > 0 ORDER BY attnum;
-- Forgotten, and registered again.
SELECT ldp_unregister_collection('found');
SELECT ldp_adopt_collection('refound', 'found', :spec);
SELECT name, reports FROM ldp_collections WHERE reports = 'found'::regclass;
SELECT ldp_drop_collection('refound');
-- A table of the report table type.
CREATE TABLE typed OF ldp_report_row;
INSERT INTO typed VALUES (:'green', 0);
SELECT ldp_adopt_collection('typed', 'typed', :spec);
INSERT INTO typed (report) VALUES (:'green');
INSERT INTO typed (report, round) VALUES (:'green', 7);
INSERT INTO typed VALUES (NULL, 0);
SELECT n FROM ldp_estimate('typed') LIMIT 1;
ALTER TABLE typed ADD COLUMN country text;
SELECT ldp_create_rollup('typed_all', 'typed', '{}');
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE typed NOT OF;
ALTER TABLE typed ADD COLUMN country text;
SELECT ldp_create_rollup('typed_countries', 'typed', '{country}');
SELECT ldp_refresh('typed_countries');
SELECT country, n FROM typed_countries, ldp_estimate(summary, statistics => '{proportion}') LIMIT 1;
SELECT ldp_drop_collection('typed');
-- A collection's table begins with the columns of the type.
SELECT ldp_create_collection('sided', :spec, ARRAY[['country', 'text']]);
SELECT bool_and(t.attname = c.attname AND t.atttypid = c.atttypid) AS same, count(*)
FROM pg_attribute AS t JOIN pg_attribute AS c USING (attnum)
WHERE t.attrelid = (SELECT typrelid FROM pg_type WHERE oid = 'ldp_report_row'::regtype) AND c.attrelid = 'sided'::regclass AND attnum > 0;
SELECT ldp_drop_collection('sided');
CREATE VIEW seen AS SELECT report, round FROM colour;
SELECT ldp_adopt_collection('seen', 'seen', :spec);
\echo :LAST_ERROR_SQLSTATE
CREATE TABLE lettered (report text, round integer);
SELECT ldp_adopt_collection('lettered', 'lettered', :spec);
CREATE TEMPORARY TABLE passing (report ldp_report, round integer);
SELECT ldp_adopt_collection('passing', 'passing', :spec);
SELECT ldp_adopt_collection('odd', 'lettered', :spec, 'everything');
SELECT ldp_adopt_collection(NULL, 'lettered', :spec);
DROP VIEW seen;
DROP TABLE lettered, passing;

-- At use ----------------------------------------------------------------------------------------------------
-- A table that was altered is noticed by everything that uses it.
SELECT ldp_create_collection('altered', :spec);
ALTER TABLE altered DROP CONSTRAINT report_follows_spec;
SELECT ldp_submit('altered', :'green');
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_submit_batch('altered', gen_random_uuid(), ARRAY[:'green']::ldp_report[]);
SELECT * FROM ldp_estimate('altered');
SELECT * FROM unnest(ldp_groups_of('altered', '{round}'));
SELECT ldp_open_rounds('altered', 1);
ALTER TABLE altered ADD CONSTRAINT report_follows_spec CHECK (ldp_internal.ldp_check_report(report, ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 2, "domain": 3}')));
SELECT ldp_submit('altered', :'green');
-- Of another spec whose block is as long.
SELECT ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 2, "domain": 3}') AS other_block \gset
ALTER TABLE altered DROP CONSTRAINT report_follows_spec, ADD CONSTRAINT report_follows_spec CHECK (ldp_internal.ldp_check_report(report, :'other_block'));
SELECT ldp_submit('altered', :'green');
ALTER TABLE altered DROP CONSTRAINT report_follows_spec,
    ADD CONSTRAINT report_follows_spec CHECK (ldp_internal.ldp_check_report(report, :'block')) NOT VALID;
SELECT ldp_submit('altered', :'green');
-- Put back, it is what was registered, however the session prints bytes.
ALTER TABLE altered VALIDATE CONSTRAINT report_follows_spec;
SET bytea_output = escape;
-- PostgreSQL 19 knows no other strings.
SELECT current_setting('server_version_num')::int < 190000 AS other_strings \gset
\if :other_strings
SET standard_conforming_strings = off;
\endif
SELECT ldp_submit('altered', :'green');
RESET bytea_output;
RESET standard_conforming_strings;
ALTER TABLE altered DROP CONSTRAINT round_is_open, ALTER COLUMN round TYPE bigint;
SELECT * FROM ldp_estimate('altered');
ALTER TABLE altered ALTER COLUMN round TYPE integer, DROP CONSTRAINT report_follows_spec;
ALTER TABLE altered ALTER COLUMN report TYPE text USING report::text;
SELECT * FROM ldp_estimate('altered');
SELECT ldp_drop_collection('altered');
-- In its place stands something else: the same identity, another kind. Only a superuser can do this to a catalogue.
SELECT ldp_create_collection('turned', :spec);
BEGIN;
UPDATE pg_class SET relkind = 'v' WHERE oid = 'turned'::regclass;
SELECT * FROM ldp_estimate('turned');
ROLLBACK;
SELECT ldp_drop_collection('turned');
-- Partitions are tables.
CREATE TABLE parted (report ldp_report, round integer) PARTITION BY LIST (round);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES IN (0);
SELECT ldp_adopt_collection('parted', 'parted', :spec);
SELECT ldp_submit('parted', :'green');
SELECT n FROM ldp_estimate('parted') LIMIT 1;
SELECT ldp_drop_collection('parted');

-- What runs when a table is read ----------------------------------------------------------------------------
-- Expressions of indexes are evaluated whenever the table is planned for; here they run with the rights of its owner for every caller, and
-- change nothing of the session.
SET ROLE regress_ldp_owner;
CREATE FUNCTION witness(place text) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    PERFORM set_config('owners.trace', current_user::text, false);
    RAISE INFO '% runs as %', place, current_user;
    RETURN 1;
END $$;
CREATE INDEX ON colour ((witness('an index')));
INSERT INTO colour SELECT report('colour', '01'), 0, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 50) AS i;
RESET ROLE;
-- In a direct query it runs as the caller: a new session has nothing evaluated yet.
\c -
SELECT count(report) FROM owners.colour;
SELECT current_setting('owners.trace', true) = current_user AS caught;
\c -
SELECT n FROM ldp_estimate('colour') LIMIT 1;
SELECT COALESCE(current_setting('owners.trace', true), '') AS trace, current_user = session_user AS same;
\c -
SELECT group_key, ldp_count(summary) FROM unnest(ldp_groups_of('colour', '{tenant}'));
SELECT COALESCE(current_setting('owners.trace', true), '') AS trace, current_user = session_user AS same;
SET search_path = owners, public;
-- Nor can it do as its owner what must not be done behind the caller's back.
SET ROLE regress_ldp_owner;
CREATE OR REPLACE FUNCTION witness(place text) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM set_config('role', 'none', false); RETURN 1; END $$;
RESET ROLE;
\c -
SELECT * FROM ldp_estimate('colour');
SELECT current_user = session_user AS same;
SET search_path = owners, public;
SET ROLE regress_ldp_owner;
DROP FUNCTION witness(text) CASCADE;
RESET ROLE;

-- Columns ---------------------------------------------------------------------------------------------------
-- Analysts see what was collected, and not who wrote it in which transaction.
SET ROLE regress_ldp_reader;
SELECT tenant, note, round, ldp_count(ldp_agg(report)) FROM colour GROUP BY tenant, note, round ORDER BY tenant;
SELECT xmin FROM colour;
SELECT ctid FROM colour;
SELECT tableoid, cmin FROM colour;
SELECT colour.xmax IS NULL FROM colour;
RESET ROLE;
SELECT has_table_privilege('regress_ldp_reader', 'colour', 'SELECT') AS rows, has_any_column_privilege('regress_ldp_reader', 'colour', 'SELECT') AS columns;

-- Tenants ---------------------------------------------------------------------------------------------------
-- Policies apply to every read by the roles that they concern.
SET ROLE regress_ldp_owner;
ALTER TABLE colour ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON colour FOR SELECT TO ldp_analyst USING (tenant = current_setting('owners.tenant', true));
CREATE POLICY submit ON colour FOR INSERT TO ldp_submitter WITH CHECK (true);
RESET ROLE;
SET ROLE regress_ldp_device;
SELECT ldp_submit('colour', :'green');
RESET ROLE;
SET ROLE regress_ldp_reader;
SET owners.tenant = 'a';
SELECT n FROM ldp_estimate('colour') LIMIT 1;
SELECT group_key, ldp_count(summary) FROM unnest(ldp_groups_of('colour', '{tenant}'));
SELECT ldp_count(ldp_agg(report)) FROM colour;
SET owners.tenant = 'b';
SELECT n FROM ldp_estimate('colour') LIMIT 1;
SET owners.tenant = '';
SELECT count(*) FROM ldp_estimate('colour');
RESET ROLE;
-- The owner and superusers see all; if forced, the owner does not.
SELECT ldp_count(ldp_summary_of('colour'));
SET ROLE regress_ldp_owner;
SELECT ldp_count(ldp_summary_of('colour'));
ALTER TABLE colour FORCE ROW LEVEL SECURITY;
SELECT ldp_count(ldp_summary_of('colour'));
RESET ROLE;
SELECT ldp_count(ldp_summary_of('colour'));
RESET owners.tenant;

-- Aggregates only -------------------------------------------------------------------------------------------
SET ROLE regress_ldp_owner;
SELECT ldp_create_collection('guarded', :spec, ARRAY[['tenant', 'text']], analysts => 'aggregates');
SELECT ldp_create_collection('guarded_too', :spec, analysts => 'nothing');
SELECT ldp_create_collection('guarded_too', :spec, analysts => NULL);
SELECT ldp_open_rounds('guarded', 0, 2);
RESET ROLE;
INSERT INTO guarded SELECT report('guarded', '01'), CASE WHEN i <= 30 THEN 0 ELSE 1 END, CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 45) AS i;
SET ROLE regress_ldp_reader;
SELECT report FROM guarded;
SELECT count(*) FROM guarded;
SELECT ldp_count(ldp_summary_of('guarded'));
SELECT n, label FROM ldp_estimate('guarded') LIMIT 1;
-- Groups of fewer than twenty reports, the spec's min_group, are not shown.
SELECT ldp_count(ldp_summary_of('guarded', 0)) AS thirty, ldp_count(ldp_summary_of('guarded', 1)) AS fifteen, ldp_count(ldp_summary_of('guarded', 2)) AS none;
SELECT group_key, ldp_count(summary) FROM unnest(ldp_groups_of('guarded', '{tenant}'));
SELECT group_key, ldp_count(summary) FROM unnest(ldp_groups_of('guarded', '{round,tenant}'));
SELECT * FROM unnest(ldp_groups_of('guarded', '{report}'));
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM unnest(ldp_groups_of('guarded', '{xmin}'));
SELECT * FROM unnest(ldp_groups_of('guarded', '{}'));
SELECT * FROM unnest(ldp_groups_of('guarded', NULL));
SELECT * FROM unnest(ldp_groups_of('guarded', ARRAY['tenant); DROP TABLE guarded; --']));
RESET ROLE;
-- A type of another owner runs no code: its conversion to JSON would be code of the type's owner.
CREATE TYPE foreign_kind AS ENUM ('a');
ALTER TYPE foreign_kind OWNER TO regress_ldp_rival;
ALTER TABLE guarded ADD COLUMN kind foreign_kind;
SELECT * FROM unnest(ldp_groups_of('guarded', '{kind}'));
ALTER TABLE guarded DROP COLUMN kind;
DROP TYPE foreign_kind;
-- The difference of two answers is an answer about few reports, or about one: doc/threat-model.md says so. The counts of the
-- values follow from the estimates.
CREATE FUNCTION counts(summary ldp_summary) RETURNS integer[] LANGUAGE sql AS $$
    SELECT array_agg(round(ldp_count($1) * (share * (exp(1) - 1) + 1) / (exp(1) + 2))::integer ORDER BY value) FROM unnest(ldp_proportion($1)) WITH ORDINALITY AS p (share, value) $$;
CREATE FUNCTION difference(one integer[], other integer[]) RETURNS integer[] LANGUAGE sql STRICT AS $$ SELECT array_agg(a - b ORDER BY i) FROM unnest($1, $2) WITH ORDINALITY AS u (a, b, i) $$;
SET ROLE regress_ldp_reader;
SELECT difference(counts(ldp_summary_of('guarded')), counts(g.summary)) AS not_shown FROM unnest(ldp_groups_of('guarded', '{tenant}')) AS g WHERE group_key ->> 'tenant' = 'b';
SELECT counts(ldp_summary_of('guarded')) AS before \gset
RESET ROLE;
INSERT INTO guarded SELECT report('guarded', '02');
SET ROLE regress_ldp_reader;
SELECT difference(counts(ldp_summary_of('guarded')), :'before') AS new_report;
RESET ROLE;
DELETE FROM guarded WHERE report = report('guarded', '02');
-- Windows of a rollup: 39 reports, each in a minute of its own.
SET ROLE regress_ldp_owner;
SELECT ldp_create_collection('watched', :spec, ARRAY[['seen', 'timestamptz']], analysts => 'aggregates');
SELECT ldp_create_rollup('minutes', 'watched', '{minute(seen)}');
RESET ROLE;
CREATE TABLE truth AS SELECT i, i * i % 3 AS value FROM generate_series(1, 39) AS i;
GRANT SELECT ON truth TO regress_ldp_reader;
INSERT INTO watched SELECT report('watched', lpad(value::text, 2, '0')), 0, timestamptz '2026-01-01 00:00Z' + i * interval '1 minute' FROM truth;
SELECT ldp_refresh('minutes');
SET ROLE regress_ldp_reader;
SELECT count(*) AS buckets_shown FROM ldp_estimate(ldp_groups_of('minutes'));
WITH parts AS MATERIALIZED (
    SELECT i, (SELECT counts(g.summary) FROM unnest(ldp_groups_of('minutes', by => '{}', until => at)) AS g) AS before,
           (SELECT counts(g.summary) FROM unnest(ldp_groups_of('minutes', by => '{}', since => at)) AS g) AS after
    FROM generate_series(1, 40) AS i, LATERAL (SELECT timestamptz '2026-01-01 00:00Z' + i * interval '1 minute') AS b (at)),
apart AS MATERIALIZED (
    SELECT p.i, COALESCE(difference(n.before, p.before), difference(p.after, n.after)) AS found FROM parts AS p JOIN parts AS n ON n.i = p.i + 1),
whole AS (
    SELECT a.i, COALESCE(a.found, difference(counts(ldp_summary_of('watched')), (SELECT ARRAY[sum(o.found[1]), sum(o.found[2]), sum(o.found[3])]::integer[] FROM apart AS o))) AS found
    FROM apart AS a)
SELECT count(*) AS reports, count(*) FILTER (WHERE w.found = ARRAY[(t.value = 0)::integer, (t.value = 1)::integer, (t.value = 2)::integer]) AS recovered
FROM whole AS w JOIN truth AS t ON t.i = w.i;
RESET ROLE;
DROP TABLE truth;
DROP FUNCTION counts(ldp_summary), difference(integer[], integer[]);
SELECT ldp_drop_collection('watched');
-- Other roles get an error; the owner, who reads rows, gets every group.
SET ROLE regress_ldp_device;
SELECT ldp_summary_of('guarded');
SELECT * FROM unnest(ldp_groups_of('guarded', '{tenant}'));
RESET ROLE;
SET ROLE regress_ldp_owner;
SELECT group_key, ldp_count(summary) FROM unnest(ldp_groups_of('guarded', '{tenant}'));
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
RESET ROLE;
SET ROLE regress_ldp_reader;
SELECT ldp_summary_of('guarded');
RESET ROLE;
-- A schema without USAGE is closed to functions, too.
REVOKE USAGE ON SCHEMA owners FROM PUBLIC;
GRANT USAGE ON SCHEMA owners TO regress_ldp_owner;
SET ROLE regress_ldp_reader;
SELECT ldp_summary_of('guarded');
RESET ROLE;
SET ROLE regress_ldp_device;
SELECT ldp_submit('colour', :'green');
RESET ROLE;
GRANT USAGE ON SCHEMA owners TO PUBLIC;

-- Batches ---------------------------------------------------------------------------------------------------
-- The right to insert is the right to claim; a batch belongs to its submitter, even if other roles know its identifier.
\set batch '''6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0001'''
SET ROLE regress_ldp_stranger;
SELECT ldp_claim_batch('colour', :batch, 1, :'digest');
SELECT ldp_submit('colour', :'green');
SELECT ldp_submit_batch('colour', :batch, ARRAY[:'green']::ldp_report[]);
RESET ROLE;
SET ROLE regress_ldp_reader;
SELECT ldp_claim_batch('colour', :batch, 1, :'digest');
RESET ROLE;
SET ROLE regress_ldp_second;
SELECT ldp_claim_batch('colour', :batch, 1, :'other_digest') AS blocked;
SELECT ldp_claim_batch('colour', :batch, 1, :'digest');
RESET ROLE;
SET ROLE regress_ldp_device;
SELECT ldp_claim_batch('colour', :batch, 1, :'digest') AS fresh, ldp_claim_batch('colour', :batch, 1, :'digest') AS again;
SELECT ldp_claim_batch('colour', :batch, 1, NULL);
SELECT ldp_claim_batch('colour', :batch, 1, decode(repeat('00', 1000000), 'hex'));
RESET ROLE;
SELECT submitter, reports FROM ldp_internal.ldp_batch WHERE collection = 'colour' ORDER BY submitter;
-- A gateway's function submits as its owner does.
CREATE FUNCTION gateway(report ldp_report) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, owners, public AS $$ SELECT ldp_submit('colour', report) $$;
ALTER FUNCTION gateway(ldp_report) OWNER TO regress_ldp_device;
SET ROLE regress_ldp_stranger;
SELECT gateway(:'green');
RESET ROLE;

-- Searches --------------------------------------------------------------------------------------------------
SET ROLE regress_ldp_owner;
SELECT ldp_create_hitters('words', 2, 'ab', schema => 'owners');
RESET ROLE;
SET ROLE regress_ldp_rival;
SELECT ldp_next_round('words', 'owners');
SELECT ldp_drop_hitters('words');
SELECT ldp_internal.ldp_forget_search('words');
SELECT ldp_internal.ldp_record_search(ROW('words', 2, 'ab', 1, 32, 64, 0.05, 'rank', 1));
SELECT ldp_internal.ldp_record_search(ROW('other', 2, 'ab', 1, 32, 64, 0.05, 'rank', 2000000000));
SELECT length(ldp_internal.ldp_hitter_spec(ROW('words', 2, 'abcdefghijklmnopqrstuvwxyz', 5, 32, 64, 0.05, 'rank', 1), 1, '{""}', NULL)::text);
SELECT length(ldp_internal.ldp_hitter_spec(ROW('words', 2, 'ab', 3, 32, 64, 0.05, 'rank', 1), 1, '{""}', NULL)::text);
RESET ROLE;
SET ROLE regress_ldp_stranger;
SELECT ldp_create_hitters('theirs', 2, 'ab', schema => 'owners');
SELECT ldp_internal.ldp_hitter_spec(ROW('words', 2, 'ab', 3, 32, 64, 0.05, 'rank', 1), 1, '{""}', NULL);
RESET ROLE;
SET ROLE regress_ldp_owner;
SELECT ldp_drop_hitters('words');
SELECT ldp_drop_collection('colour'), ldp_drop_collection('guarded');
RESET ROLE;
SELECT count(*) FROM ldp_internal.ldp_collection;

SET client_min_messages = warning;
DROP SCHEMA owners CASCADE;
DROP ROLE regress_ldp_owner, regress_ldp_rival, regress_ldp_device, regress_ldp_second, regress_ldp_reader, regress_ldp_stranger;
