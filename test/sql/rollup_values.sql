-- Rollups of extreme values: every value of a public column has a bucket, equal values have one, and names of buckets are distinct.
\ir setup.sql
CREATE SCHEMA rollup_values;
SET search_path = rollup_values, public;
SET timezone = 'America/New_York';
\set spec '''{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'''
CREATE FUNCTION report(value bigint) RETURNS ldp_report LANGUAGE sql IMMUTABLE AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'), 'hex') || '0' || value % 3)::ldp_report $$;

-- Extreme values of every type ------------------------------------------------------------------------------
CREATE TABLE value (type text, values text[]);
INSERT INTO value VALUES
    ('date', '{-infinity,infinity,4714-11-24 BC,4713-01-01 BC,0001-01-01 BC,0001-01-01,1970-01-01,2026-10-25,294276-12-31,294277-01-01,5874897-12-31}'),
    ('timestamp', '{-infinity,infinity,4714-11-24 00:00:00 BC,4713-01-01 00:00:00 BC,0001-12-31 23:59:59 BC,2026-10-25 02:30:00,294276-12-31 23:59:59.999999}'),
    ('timestamptz', '{-infinity,infinity,4714-11-24 00:00:00+00 BC,4714-11-30 12:00:00+00 BC,0001-12-31 23:59:59+00 BC,2026-03-29 00:59:59+00,2026-03-29 01:00:00+00,2026-10-25 00:30:00+00,2026-10-25 01:30:00+00,294276-12-31 23:59:59.999999+00}'),
    ('integer', '{-2147483648,-1,0,2147483647}'),
    ('bigint', '{-9223372036854775808,0,9223372036854775807}'),
    ('float8', '{NaN,-Infinity,Infinity,0,-0,4.9e-324,1.7976931348623157e308,0.1,0.30000000000000004,0.3}'),
    ('float4', '{NaN,-Infinity,Infinity,0,-0,1e-45,3.4028235e38,0.1}'),
    ('numeric', '{NaN,0,0.000,1.0,1.00,1e999,-1e-999,123456789.123456789}'),
    ('text', '{"",NULL,"NULL","a,b","{}","\"","\\\\","é"}'),
    ('boolean', '{t,f,NULL}'),
    ('uuid', '{00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff}'),
    ('interval', '{-178000000 years,178000000 years,0,1 day}'),
    ('time', '{00:00:00,24:00:00}'),
    ('bytea', '{"\\\\x","\\\\x00ff"}'),
    ('jsonb', ARRAY['null', '{}', '{"a": [1, null, 1.50]}']),
    ('inet', '{0.0.0.0/0,::/0,ffff::1}'),
    ('int4range', '{empty,"(,)","[1,2147483647)"}'),
    ('text[]', '{"{}","{NULL}","{\"NULL\"}","{{a},{b}}"}'),
    ('int4[]', '{"{}","{1,NULL}","[5:6]={1,2}"}');
SELECT count(ldp_create_collection('v_' || type, :spec, ARRAY[['v', type]])) FROM value;
-- Of each type: rollups by the value and by units of its time, refreshed after each of three sendings under other settings.
CREATE PROCEDURE fill() LANGUAGE plpgsql AS $$
DECLARE
    each record;
    unit text;
    zone text;
    made integer := 0;
BEGIN
    FOR each IN SELECT 'v_' || type AS name, type FROM value ORDER BY type LOOP
    PERFORM ldp_create_rollup(each.name || '_itself', each.name, '{v}');
    FOREACH unit IN ARRAY CASE WHEN each.type IN ('date', 'timestamp', 'timestamptz') THEN '{hour,week,year}' ELSE '{}'::text[] END LOOP
        FOREACH zone IN ARRAY '{America/New_York,XXX-167}'::text[] LOOP
            made := made + 1;
            PERFORM ldp_create_rollup(format('%s_%s_%s', each.name, unit, made), each.name, ARRAY[unit || '(v)'], zone);
        END LOOP;
    END LOOP;
    END LOOP;
    FOR turn IN 0..1 LOOP
        PERFORM set_config('extra_float_digits', (ARRAY['1', '-15'])[turn + 1], true), set_config('datestyle', (ARRAY['German', 'SQL, MDY'])[turn + 1], true),
            set_config('intervalstyle', (ARRAY['postgres', 'iso_8601'])[turn + 1], true), set_config('bytea_output', (ARRAY['hex', 'escape'])[turn + 1], true),
            set_config('timezone', (ARRAY['America/New_York', 'Asia/Kolkata'])[turn + 1], true);
        FOR each IN SELECT * FROM value LOOP
            EXECUTE format('INSERT INTO %I (report, v) SELECT report(i + $2), u::%s FROM unnest($1) WITH ORDINALITY AS x (u, i)', 'v_' || each.type, each.type) USING each.values, turn;
        END LOOP;
        COMMIT;
        IF (SELECT bool_or(ldp_refresh(r.name) <> cardinality(v.values)) FROM ldp_rollups AS r JOIN value AS v ON r.collection = 'v_' || v.type) THEN
            RAISE EXCEPTION 'not everything is counted';
        END IF;
        COMMIT;
    END LOOP;
END
$$;
-- Buckets of the values are what the reports give; names of buckets are distinct, and they add up to everything; all can be asked, and pruned.
CREATE FUNCTION problems(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    rollup record;
    same boolean;
    late bigint;
    problem text := '';
BEGIN
    EXECUTE format('SELECT bool_and(a.s = b.s) AND count(*) = count(a.s) AND count(*) = count(b.s)
        FROM (SELECT COALESCE(to_jsonb(v), ''null'') AS v, ldp_agg(report, round) AS s FROM (SELECT report, round, first_value(v) OVER (PARTITION BY v) AS v FROM %I) AS x GROUP BY 1) AS a
             FULL JOIN (SELECT COALESCE(to_jsonb(v), ''null'') AS v, summary AS s FROM %I) AS b USING (v)', name, name || '_itself') INTO same;
    IF same IS NOT TRUE THEN problem := problem || ' Its buckets are not its values.'; END IF;
    FOR rollup IN SELECT r.* FROM ldp_rollups AS r WHERE r.collection = problems.name LOOP
        SELECT count(*) = count(DISTINCT g.group_key) AND ldp_rollup(g.summary) = ldp_summary_of(problems.name) INTO same FROM unnest(ldp_groups_of(rollup.name)) AS g (group_key, summary);
        IF same IS NOT TRUE THEN problem := problem || format(' Names or sums of %s.', rollup.name); END IF;
        PERFORM ldp_estimate(rollup.name, by => '{}');
        IF name ~ '^v_(date|timestamp)' THEN
            PERFORM ldp_groups_of(rollup.name, since => '-infinity', until => 'infinity'), ldp_groups_of(rollup.name, since => '2026-01-01', until => '2027-01-01'),
                ldp_groups_of(rollup.name, by => ARRAY[format('year(%s)', regexp_replace(rollup.buckets[1], '\(.*', ''))]);
        END IF;
    END LOOP;
    IF name ~ '^v_(date|timestamp)' THEN
        PERFORM ldp_prune(name, '2026-01-01');
        EXECUTE format('SELECT count(*) FROM %I WHERE v < ''2026-01-01''', name) INTO late;
        IF late > 0 THEN problem := problem || format(' %s are not pruned.', late); END IF;
    END IF;
    RETURN problem;
END
$$;
CALL fill();
SELECT count(*) AS rollups FROM ldp_rollups WHERE collection LIKE 'v\_%';
SELECT type, problems('v_' || type) FROM value ORDER BY type;
-- Buckets at the ends.
SELECT group_key, n FROM ldp_estimate('v_date_year_5', by => '{year}') WHERE label = 'red';
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('v_timestamptz_week_16')) WHERE label = 'red';
SELECT buckets, zone FROM ldp_rollups WHERE name IN ('v_date_year_5', 'v_timestamptz_week_16') ORDER BY name;

-- Wide values, and many columns -----------------------------------------------------------------------------
SELECT ldp_create_collection('wide', :spec, ARRAY[['country', 'text'], ['tags', 'text[]']]);
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'wide'::regclass AND conname = 'public_columns_are_short';
INSERT INTO wide SELECT report(1), 0, repeat('é', 513);
INSERT INTO wide SELECT report(1), 0, 'de', array_fill('x'::text, ARRAY[1000]);
INSERT INTO wide SELECT report(1), 0, repeat('é', 512);
SELECT ldp_create_rollup('by_country', 'wide', '{country,tags}');
ALTER TABLE wide DROP CONSTRAINT public_columns_are_short;
-- 9.6 kB that no compression makes shorter.
INSERT INTO wide SELECT report(1), 0, string_agg(md5(i::text), ''), '{a}' FROM generate_series(1, 300) AS i;
SELECT ldp_refresh('by_country');
INSERT INTO wide SELECT report(1), 0, string_agg(md5(i::text), ''), '{a}' FROM generate_series(1, 300) AS i;
SELECT ldp_refresh('by_country');
SELECT octet_length(country), octet_length(bucket), ldp_count(summary) FROM by_country ORDER BY 1;
SELECT count(*), max(octet_length(group_key ->> 'country')) FROM unnest(ldp_groups_of('by_country'));
SELECT ldp_create_collection('many', :spec, ARRAY(SELECT ARRAY['c' || i, CASE WHEN i % 2 = 0 THEN 'integer' ELSE 'text' END] FROM generate_series(1, 120) AS i));
INSERT INTO many (report, c1, c2, c119, c120) SELECT report(i), 'a' || i % 2, i % 3, 'z', 5 FROM generate_series(1, 12) AS i;
SELECT ldp_create_rollup('of_many', 'many', ARRAY(SELECT 'c' || i FROM generate_series(1, 120) AS i));
SELECT ldp_refresh('of_many');
SELECT count(*) AS buckets, sum(ldp_count(summary)) FROM of_many;
SELECT count(*), min(ldp_count(summary)), count(DISTINCT group_key), max((SELECT count(*) FROM jsonb_object_keys(group_key))) AS keys FROM unnest(ldp_groups_of('of_many'));
SELECT ldp_create_collection('no_order', :spec, ARRAY[['j', 'json']]);
SELECT ldp_create_rollup('of_json', 'no_order', '{j}');

-- Names of hours --------------------------------------------------------------------------------------------
SELECT ldp_create_collection('hours', :spec, ARRAY[['seen', 'timestamptz']], partition_by => 'seen');
INSERT INTO hours SELECT report(i), 0, timestamptz '2026-10-24 23:30Z' + i * interval '30 minutes' FROM generate_series(1, 6) AS i;
SELECT ldp_create_rollup('hourly', 'hours', '{hour(seen)}', 'Europe/Berlin'), ldp_refresh('hourly');
SELECT group_key, n FROM ldp_estimate(ldp_groups_of('hourly')) WHERE label = 'red';
SELECT group_key, n, (group_key ->> 'day')::date FROM ldp_estimate('hourly', by => '{day(hour)}') WHERE label = 'red';
SELECT ldp_internal.ldp_time_label(t, z) FROM unnest(ARRAY['2026-07-01 12:00Z', '0001-06-01 00:00Z', '1890-01-01 00:00:00.25Z', 'infinity', '4714-11-24 00:00Z BC']::timestamptz[]) AS t,
    unnest(ARRAY['America/St_Johns', 'Europe/Amsterdam']) AS z;

-- Columns that are NULL -------------------------------------------------------------------------------------
-- A time that the collection is partitioned by is the time of arrival unless it is sent.
SELECT a.attname, a.attnotnull, pg_get_expr(d.adbin, d.adrelid) FROM pg_attribute AS a JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE a.attrelid = 'hours'::regclass AND a.attname = 'seen';
\set VERBOSITY terse
INSERT INTO hours VALUES (report(1), 0, NULL);
\set VERBOSITY default
SELECT ldp_submit('hours', report(1));
SELECT seen = now() - interval '0' OR seen > now() - interval '1 hour' AS arrived FROM hours ORDER BY seen DESC LIMIT 1;
SELECT ldp_create_collection('by_integer', :spec, ARRAY[['shard', 'integer']], partition_by => 'shard');
SELECT ldp_submit('by_integer', report(1));
-- In other columns NULL is a bucket, which the health query finds, and which pruning reports.
SELECT ldp_create_collection('gaps', :spec, ARRAY[['seen', 'timestamptz'], ['country', 'text']]);
SELECT ldp_create_rollup('gaps_daily', 'gaps', '{day(seen),country}');
INSERT INTO gaps SELECT report(i), 0, CASE WHEN i > 3 THEN timestamptz '2026-01-01 00:00Z' END, CASE WHEN i > 5 THEN 'de' END FROM generate_series(1, 10) AS i;
SELECT ldp_refresh('gaps_daily');
SELECT * FROM ldp_missing_values('gaps_daily');
SELECT * FROM ldp_missing_values('hourly');
SELECT * FROM ldp_prune('gaps', '2026-02-01');
SELECT count(*) FROM gaps;

-- Stamps ----------------------------------------------------------------------------------------------------
-- One that would be above the greatest bigint is an error; one that no transaction can have is replaced.
SELECT ldp_internal.ldp_arrival(ldp_internal.ldp_cluster_database(), 9223372036854775807);
SELECT ldp_internal.ldp_arrival(ldp_internal.ldp_cluster_database(), 5) - 5 = pg_current_xact_id()::text::bigint AS number, ldp_internal.ldp_arrival('elsewhere', 5) IS NULL AS elsewhere;
SELECT provolatile FROM pg_proc WHERE proname = 'ldp_arrival';
INSERT INTO gaps (report, seen, ldp_arrival) VALUES (report(1), '2026-03-01', NULL), (report(2), '2026-03-01', 9223372036854775807), (report(2), '2026-03-01', -5);
SELECT ldp_refresh('gaps_daily');
SELECT ldp_refresh('gaps_daily'), ldp_refresh('gaps_daily');
INSERT INTO gaps (report, seen, ldp_arrival) VALUES (report(1), '2026-03-01', NULL), (report(2), '2026-03-01', 9223372036854775807);
UPDATE ldp_internal.ldp_collection SET home = 'elsewhere' WHERE name = 'gaps';
SELECT ldp_refresh('gaps_daily'), ldp_refresh('gaps_daily');
INSERT INTO gaps (report, seen) VALUES (report(1), '2026-03-01');
SELECT ldp_refresh('gaps_daily'), ldp_refresh('gaps_daily'), (SELECT sum(ldp_count(summary)) FROM gaps_daily) AS all_of_them, (SELECT stamp < 4611686018427387904 FROM ldp_internal.ldp_collection WHERE name = 'gaps') AS small;
-- A refresh finds new reports by the index, which summarizes all pages afterwards.
INSERT INTO gaps SELECT report(i), 0, '2026-04-01', 'de' FROM generate_series(1, 20000) AS i;
SELECT ldp_refresh('gaps_daily');
INSERT INTO gaps SELECT report(i), 0, '2026-04-02', 'de' FROM generate_series(1, 10) AS i;
CREATE FUNCTION plan(rollup text) RETURNS SETOF text LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    r ldp_internal.ldp_rollup; c ldp_internal.ldp_collection; line text;
BEGIN
    SELECT * INTO r FROM ldp_internal.ldp_rollup WHERE name = rollup;
    SELECT * INTO c FROM ldp_internal.ldp_collection WHERE name = r.collection;
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || ldp_internal.ldp_roll_up_statement(r, c, c.reports::text, format('t.ldp_arrival >= %s AND t.ldp_arrival < %s OR t.ldp_arrival = ANY (%L::bigint[]) OR %s',
            r.counted, r.counted + 1000000, r.open, ldp_internal.ldp_unstamped()), ldp_internal.ldp_unstamped()) LOOP
        IF line ~ 'Bitmap|Seq Scan on gaps|Rows Removed' THEN RETURN NEXT regexp_replace(trim(line), '(=|: )[0-9]+$', '\1N'); END IF;
    END LOOP;
END $$;
BEGIN;
SELECT DISTINCT regexp_replace(plan, '\(actual.*\)|[0-9]+', '', 'g') AS plan FROM plan('gaps_daily') WHERE plan ~ 'Scan' ORDER BY 1;
ROLLBACK;
SELECT count(*) AS summarised FROM pg_class AS t, ldp_internal.ldp_rollup_part AS p WHERE t.oid = p.part AND p.rollup = 'gaps_daily' AND p.pages * current_setting('block_size')::bigint = pg_relation_size(t.oid);

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name)) FROM ldp_collections AS c JOIN pg_class AS t ON t.oid = c.reports WHERE t.relnamespace = 'rollup_values'::regnamespace;
SELECT count(*) FROM ldp_internal.ldp_rollup_part;
DROP SCHEMA rollup_values CASCADE;
