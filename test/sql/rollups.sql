-- Rollups: buckets by round, public columns and units of time; series from them; partitions; retention; privileges.
\ir setup.sql
CREATE SCHEMA rollups;
SET search_path = rollups, public;
SET timezone = 'America/New_York';
SET datestyle = 'German';
\set spec '''{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'''
\set kept '''{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"], "evolving": {}, "budget": {"epsilon": 9}}'''
CREATE FUNCTION report(name text, value bigint) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec(name)), 'hex') || '0' || value % 3)::ldp_report $$;

-- Tables ----------------------------------------------------------------------------------------------------
-- Nothing is a typed table, so each can be altered, and partitioned from the start.
SELECT ldp_create_collection('plain', :spec), ldp_create_collection('packed', :spec, rows => 'batches');
SELECT count(*) FROM pg_class WHERE relnamespace = 'rollups'::regnamespace AND reloftype <> 0;
SELECT ldp_create_collection('visits', :spec, ARRAY[['seen', 'timestamptz'], ['country', 'text']], partition_by => 'seen');
SELECT ldp_create_collection('panel', :kept, ARRAY[['day', 'date']], partition_by => 'round', rows => 'reports');
SELECT ldp_create_collection('stays', :spec, ARRAY[['began', 'timestamp'], ['tags', 'text[]']], partition_by => 'began', rows => 'batches');
SELECT relname, relkind, pg_get_partkeydef(oid) FROM pg_class WHERE relnamespace = 'rollups'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname;
SELECT ldp_create_collection('odd', :spec, ARRAY[['country', 'text']], partition_by => 'country');
SELECT ldp_create_collection('odd', :spec, partition_by => 'nothing');
SELECT ldp_create_collection(repeat('n', 60), :spec, partition_by => 'round');
-- Rows without a partition go to the default partition.
SELECT ldp_open_rounds('visits', 0, 99), ldp_open_rounds('panel', 0, 99), ldp_open_rounds('stays', 0, 99), ldp_open_rounds('packed', 0, 99);
INSERT INTO visits SELECT report('visits', i), i % 4, timestamptz '2026-03-27 00:00Z' + i * interval '30 minutes', (ARRAY['de', 'fr', NULL])[i % 3 + 1] FROM generate_series(0, 479) AS i;
INSERT INTO panel SELECT report('panel', i), r, date '2026-03-27' + r FROM generate_series(1, 30) AS i, generate_series(0, 9) AS r;
INSERT INTO stays SELECT ldp_pack(report('stays', i)), 0, timestamp '2026-03-27 12:00' + i % 5 * interval '1 day', ARRAY['a', NULL] FROM generate_series(1, 100) AS i GROUP BY i % 5;
SELECT DISTINCT tableoid::regclass FROM visits UNION ALL SELECT DISTINCT tableoid::regclass FROM panel UNION ALL SELECT DISTINCT tableoid::regclass FROM stays;
-- New partitions start where the last one ends, and take their rows from the default partition.
SELECT ldp_add_partitions('visits', '2026-04-01 00:00Z', since => '2026-03-27 12:00Z');
SELECT ldp_add_partitions('visits', '2026-04-01 00:00Z');
SELECT ldp_add_partitions('visits', '2026-04-05 00:00Z', '3 days');
SELECT ldp_add_round_partitions('panel', 3), ldp_add_round_partitions('panel', 3), ldp_add_round_partitions('panel', 8, 5);
SELECT ldp_add_partitions('stays', '2026-03-29 06:00Z', '6 hours', '2026-03-28');
SELECT p.part, p.key, p.key_type, p.begins, p.ends FROM unnest(ARRAY['visits', 'panel']::regclass[]) AS t, ldp_partitions(t) AS p ORDER BY p.key, p.begins;
SELECT tableoid::regclass, count(*) FROM visits GROUP BY 1 ORDER BY min(tableoid::regclass::text);
SELECT tableoid::regclass, count(*) FROM panel GROUP BY 1 ORDER BY min(tableoid::regclass::text);
SELECT tableoid::regclass, sum(ldp_count(batch)) FROM stays GROUP BY 1 ORDER BY min(tableoid::regclass::text);
SELECT ldp_add_partitions('panel', '2026-04-01');
SELECT ldp_add_round_partitions('visits', 3);
SELECT ldp_add_partitions('plain', '2026-04-01');
SELECT ldp_add_partitions('visits', 'infinity');
SELECT ldp_add_partitions('visits', '2027-01-01', '-1 day');
SELECT ldp_add_partitions('visits', '2126-01-01', '1 hour');
SELECT ldp_add_partitions('visits', NULL);
SELECT ldp_add_round_partitions('panel', 2147483647);
SELECT ldp_add_round_partitions('panel', 20, 0);
-- Partitions have the constraints of the table, and queries read all of them.
INSERT INTO panel_3 SELECT report('visits', 1), 3;
SELECT ldp_open_rounds('panel', 5, 99);
INSERT INTO panel_3 SELECT report('panel', 1), 3;
SELECT ldp_count(pg_temp.all_rounds('visits')), ldp_count(pg_temp.all_rounds('panel')), ldp_count(ldp_summary_of('stays'));

-- Buckets ---------------------------------------------------------------------------------------------------
SELECT ldp_create_rollup('daily', 'visits', '{day(seen),country}', 'Europe/Berlin');
SELECT ldp_create_rollup('by_round', 'panel', '{round}');
SELECT ldp_create_rollup('stays_weekly', 'stays', '{week(began),tags}');
SELECT ldp_create_rollup('everything', 'visits', '{}');
SELECT ldp_create_rollup('days_of_panel', 'panel', '{month(day),day}');
SELECT name, ldp_refresh(name) AS counted, ldp_refresh(name) AS again FROM ldp_rollups ORDER BY name;
SELECT name, collection, summaries, buckets, zone, refreshed > now() - interval '1 hour' AS refreshed, open FROM ldp_rollups ORDER BY name;
SELECT a.attrelid::regclass, a.attname, format_type(a.atttypid, NULL) FROM pg_attribute AS a JOIN ldp_rollups AS r ON r.summaries = a.attrelid WHERE a.attnum > 1 ORDER BY r.name, a.attnum;
-- A bucket is, to the byte, its reports; also where the day is not UTC's, the column is empty, and summer time begins.
SELECT count(*) AS buckets, bool_and(d.summary = a.summary) AS same, count(*) FILTER (WHERE a.summary IS NULL OR d.summary IS NULL) AS missing
FROM daily AS d FULL JOIN (SELECT date_trunc('day', seen AT TIME ZONE 'Europe/Berlin') AS day, country, ldp_agg(report, round) AS summary FROM visits GROUP BY 1, 2) AS a
     ON a.day = d.day AT TIME ZONE 'Europe/Berlin' AND a.country IS NOT DISTINCT FROM d.country;
SELECT ldp_rollup(d.summary) = pg_temp.all_rounds('visits') AS sums, (SELECT summary FROM everything) = pg_temp.all_rounds('visits') AS everything FROM daily AS d;
SELECT bool_and(b.summary = ldp_summary_of('panel', b.round)) FROM by_round AS b;
SELECT week, tags, ldp_count(summary) FROM stays_weekly ORDER BY week;
SELECT min(month), max(month), min(day), max(day), count(*) FROM days_of_panel;
-- New and late reports.
INSERT INTO visits SELECT report('visits', i), 0, timestamptz '2026-03-28 00:00Z' + i * interval '10 days', 'de' FROM generate_series(0, 2) AS i;
INSERT INTO visits SELECT report('visits', 1), 0, '2026-06-01 00:00Z';
SELECT ldp_submit_batch('packed', '6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0001', ARRAY[report('packed', 1), report('packed', 2)], 3);
SELECT ldp_refresh('daily'), ldp_refresh('everything');
SELECT ldp_rollup(summary) = pg_temp.all_rounds('visits') FROM daily;
-- Errors.
SELECT ldp_create_rollup('odd', 'visits', '{report}');
SELECT ldp_create_rollup('odd', 'visits', '{ldp_arrival}');
SELECT ldp_create_rollup('odd', 'visits', '{day(country)}');
SELECT ldp_create_rollup('odd', 'visits', '{"day(seen); DROP TABLE visits"}');
SELECT ldp_create_rollup('odd', 'visits', '{decade(seen)}');
SELECT ldp_create_rollup('odd', 'visits', '{country,country}');
SELECT ldp_create_rollup('odd', 'visits', '{NULL}');
SELECT ldp_create_rollup('odd', 'visits', '{country}', 'Mars/Olympus');
SELECT ldp_create_rollup('odd', 'nothing', '{country}');
SELECT ldp_create_rollup('daily', 'visits', '{country}');
SELECT ldp_create_rollup('visits', 'panel', '{round}');
CREATE SCHEMA elsewhere;
SET search_path = elsewhere, public;
SELECT ldp_create_collection('daily', '{"mechanism": "grr", "epsilon": 1, "domain": 3}');
SET search_path = rollups, public;
DROP SCHEMA elsewhere;
SELECT ldp_create_rollup(NULL, 'visits', '{country}');
SELECT ldp_refresh('nothing');
SELECT ldp_refresh('visits');
SELECT * FROM unnest(ldp_groups_of('visits', '{ldp_arrival}'));

-- Series ----------------------------------------------------------------------------------------------------
-- Bucket by bucket, as ldp_estimate would answer.
SELECT group_key, label, round(estimate::numeric, 4) AS estimate, round(stderr::numeric, 4) AS stderr, n, note FROM ldp_estimate(ldp_groups_of('daily', since => '2026-03-29 00:00+02', until => '2026-03-30 00:00+02'));
-- Sums over a span, by some columns, by longer units, or all in one; of the rollup that is named, or that fits.
SELECT group_key, label, n, people FROM ldp_estimate(ldp_groups_of('visits', by => '{country}', since => '2026-03-28', until => '2026-03-31')) WHERE label = 'red';
SELECT group_key, n FROM ldp_estimate('daily', by => '{week(day)}') WHERE label = 'red';
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('visits', by => '{}', until => '2026-03-28 00:00+01')) WHERE label = 'red';
SELECT count(*), bool_and(s.estimate = e.estimate AND s.stderr = e.stderr AND s.lower = e.lower AND s.n = e.n)
FROM ldp_estimate('daily', confidence => 0.9, target => 'population', by => '{}') AS s JOIN ldp_estimate(pg_temp.all_rounds('visits'), confidence => 0.9, target => 'population') AS e USING (attribute, label);
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('stays_weekly', since => '2026-03-30 00:00Z')) WHERE label = 'red';
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('days_of_panel', by => '{quarter(day)}', since => '2026-03-31 00:00Z')) WHERE label = 'red';
-- With memoized responses, ten rounds have nearly the errors of one round.
SELECT s.group_key, s.n, s.people, round((s.stderr / o.stderr)::numeric, 4) AS of_one_round, s.note
FROM ldp_estimate(ldp_groups_of('by_round', by => '{}', first_round => 2, last_round => 5)) AS s, ldp_estimate(ldp_summary_of('panel', 2)) AS o WHERE s.label = 'red' AND o.label = 'red';
SELECT count(*) FROM ldp_estimate(ldp_groups_of('by_round', first_round => 4));
SELECT count(*) FROM ldp_estimate(ldp_groups_of('daily', since => '2030-01-01'));
SELECT * FROM ldp_estimate(ldp_groups_of('by_round', since => '2026-01-01'));
SELECT * FROM ldp_estimate(ldp_groups_of('daily', first_round => 1));
SELECT * FROM ldp_estimate('daily', by => '{round}');
SELECT * FROM ldp_estimate(ldp_groups_of('visits', by => '{seen}', since => '2026-01-01'));
SELECT * FROM ldp_estimate(ldp_groups_of('plain', by => '{}', since => '2026-01-01'));

-- Privileges ------------------------------------------------------------------------------------------------
CREATE ROLE regress_ldp_keeper IN ROLE ldp_admin;
CREATE ROLE regress_ldp_reader IN ROLE ldp_analyst;
CREATE ROLE regress_ldp_device IN ROLE ldp_submitter;
GRANT USAGE ON SCHEMA rollups TO PUBLIC;
GRANT CREATE ON SCHEMA rollups TO regress_ldp_keeper;
SET ROLE regress_ldp_keeper;
SELECT ldp_create_collection('guarded', :spec, ARRAY[['country', 'text']], analysts => 'aggregates');
SELECT ldp_create_collection('tenants', :spec, ARRAY[['tenant', 'text']]);
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY submit ON tenants FOR INSERT TO ldp_submitter WITH CHECK (true);
INSERT INTO guarded SELECT report('guarded', i), 0, CASE WHEN i < 20 THEN 'few' ELSE 'many' END FROM generate_series(1, 50) AS i;
INSERT INTO tenants SELECT report('tenants', i), 0, 'regress_ldp_' || CASE WHEN i < 20 THEN 'reader' ELSE 'keeper' END FROM generate_series(1, 50) AS i;
SELECT ldp_create_rollup('guarded_by_country', 'guarded', '{country}'), ldp_create_rollup('by_tenant', 'tenants', '{tenant}');
SELECT ldp_refresh('guarded_by_country'), ldp_refresh('by_tenant');
-- Code of the owner runs as the owner in every refresh.
CREATE TABLE witnessed (who name, path text);
CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO rollups.witnessed VALUES (current_user, current_setting('search_path')); RETURN NEW; END $$;
CREATE TRIGGER witness BEFORE INSERT OR UPDATE ON guarded_by_country FOR EACH ROW EXECUTE FUNCTION witness();
CREATE TRIGGER witness BEFORE DELETE ON guarded FOR EACH ROW EXECUTE FUNCTION witness();
INSERT INTO guarded SELECT report('guarded', i), 0, 'many' FROM generate_series(1, 5) AS i;
RESET ROLE;
SELECT ldp_refresh('guarded_by_country');
SELECT * FROM ldp_prune_rounds('guarded', 0);
SELECT DISTINCT * FROM witnessed;
-- Submitters cannot choose the stamp; analysts get no small groups; policies apply to rows.
SET ROLE regress_ldp_device;
INSERT INTO guarded (report, ldp_arrival) VALUES (report('guarded', 1), 0);
INSERT INTO guarded SELECT report('guarded', 1), 0, 'many';
SELECT ldp_submit('guarded', report('guarded', 1));
SELECT * FROM ldp_estimate(ldp_groups_of('guarded_by_country'));
RESET ROLE;
SET ROLE regress_ldp_reader;
SELECT group_key, label, n FROM ldp_estimate(ldp_groups_of('guarded_by_country'));
SELECT group_key, label, n FROM ldp_estimate('guarded_by_country', by => '{}');
SELECT summary FROM guarded_by_country;
SELECT * FROM ldp_estimate(ldp_groups_of('by_tenant'));
SELECT ldp_refresh('guarded_by_country');
SELECT * FROM ldp_prune_rounds('guarded', 1);
RESET ROLE;
SET ROLE regress_ldp_keeper;
ALTER TABLE by_tenant ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON by_tenant FOR SELECT TO ldp_analyst USING (tenant = current_user);
GRANT SELECT ON by_tenant TO ldp_analyst;
RESET ROLE;
SET ROLE regress_ldp_reader;
SELECT group_key, label, n FROM ldp_estimate(ldp_groups_of('by_tenant'));
RESET ROLE;

-- Retention -------------------------------------------------------------------------------------------------
SELECT * FROM ldp_prune('plain', now());
SELECT * FROM ldp_prune_rounds('packed', 9);
SELECT * FROM ldp_prune('visits', NULL);
SELECT * FROM ldp_prune_rounds('panel', NULL);
SELECT * FROM ldp_prune('visits', '2026-03-30 12:00Z', 'country');
-- Whole partitions, and of what is left the rows.
INSERT INTO visits SELECT report('visits', i), 0, timestamptz '2026-03-28 00:00Z' + i * interval '1 minute', 'de' FROM generate_series(1, 9) AS i;
SELECT ldp_rollup(summary) AS before FROM daily \gset
SELECT ldp_agg(report, round) AS waiting FROM visits WHERE ldp_arrival >= (SELECT counted FROM ldp_internal.ldp_rollup WHERE name = 'daily') \gset
SELECT * FROM ldp_prune('visits', '2026-03-30 12:00Z');
SELECT tableoid::regclass, count(*), min(seen) >= '2026-03-30 12:00Z' AS kept FROM visits WHERE seen IS NOT NULL GROUP BY 1 ORDER BY min(tableoid::regclass::text);
SELECT ldp_rollup(summary) = ldp_summary_merge(:'before', :'waiting') AS nothing_lost FROM daily;
SELECT ldp_rollup(d.summary) = e.summary AS alike FROM daily AS d, everything AS e GROUP BY e.summary;
SELECT * FROM ldp_prune('visits', '2026-03-30 12:00Z');
SELECT * FROM ldp_prune_rounds('panel', 7);
SELECT tableoid::regclass, min(round), count(*) FROM panel GROUP BY 1 ORDER BY min(tableoid::regclass::text);
SELECT * FROM ldp_prune('stays', '2026-03-29 03:00Z');
SELECT tableoid::regclass, min(began) FROM stays GROUP BY 1 ORDER BY min(tableoid::regclass::text);
-- Records of batches by their age: none that a client may still send again.
SELECT ldp_prune_batches('packed'), ldp_prune_batches('packed', now() - interval '25 hours');
SELECT ldp_prune_batches('packed', now());
SELECT ldp_prune_batches('packed', NULL);
UPDATE ldp_internal.ldp_batch SET claimed = now() - interval '13 months' WHERE collection = 'packed';
SELECT ldp_prune_batches('visits'), ldp_prune_batches('packed'), ldp_prune_batches('packed');
-- The bound is computed once, not for each record.
SET track_functions = 'all';
BEGIN;
INSERT INTO ldp_internal.ldp_batch SELECT 'packed', 'regress_ldp_device', gen_random_uuid(), 1, sha256('a'), now() - i * interval '1 month' FROM generate_series(1, 24) AS i;
SELECT ldp_prune_batches('packed', now() - interval '375 days') AS pruned, pg_stat_get_xact_function_calls('ldp_internal.ldp_instant(ldp_time, text)'::regprocedure) AS computed;
ROLLBACK;
RESET track_functions;

-- Dropping --------------------------------------------------------------------------------------------------
SELECT ldp_drop_rollup('everything');
DROP TABLE stays_weekly;
SELECT ldp_refresh('stays_weekly');
SELECT ldp_create_rollup('stays_weekly', 'stays', '{week(began)}');
SELECT ldp_refresh('stays_weekly');
-- Adopted again, its reports keep their stamps, and nothing is counted twice.
SELECT ldp_unregister_collection('panel');
SELECT ldp_refresh('by_round');
SELECT ldp_adopt_collection('panel', 'panel', :kept);
DROP TABLE by_round, days_of_panel;
SELECT ldp_create_rollup('by_round', 'panel', '{round}');
SELECT ldp_refresh('by_round'), ldp_refresh('by_round');
INSERT INTO panel SELECT report('panel', 1), 9 FROM generate_series(1, 7);
SELECT ldp_refresh('by_round'), ldp_refresh('by_round');
SELECT ldp_drop_collection(name) FROM unnest(ARRAY['plain', 'packed', 'visits', 'panel', 'stays', 'guarded', 'tenants']) AS name;
SELECT count(*) FROM ldp_internal.ldp_rollup;
SELECT relname FROM pg_class WHERE relnamespace = 'rollups'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname;
SET client_min_messages = warning;
DROP SCHEMA rollups CASCADE;
DROP ROLE regress_ldp_keeper, regress_ldp_reader, regress_ldp_device;
