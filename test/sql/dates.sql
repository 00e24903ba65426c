-- Bounds of time as people write them: the days of the rollup, whatever the zone and the date style of the session are.
\set SHOW_CONTEXT never
\set ECHO none
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS ldp;
RESET client_min_messages;
\set spec '{"mechanism": "grr", "epsilon": 1, "domain": 4}'

CREATE FUNCTION pg_temp.report(value integer) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 1, "domain": 4}'), 'hex') || lpad(to_hex(value), 2, '0'))::ldp_report $$;

-- Ten reports for each day of October and November, at 00:10, 12:00 and 23:50 on the clocks of the zone. A count of reports
-- is then ten times a number of days.
CREATE FUNCTION pg_temp.fill(zone text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ldp_create_collection(kind || '_' || lower(split_part(zone, '/', 2)), '{"mechanism": "grr", "epsilon": 1, "domain": 4}', ARRAY[['seen', kind]])
    FROM unnest('{date,timestamp,timestamptz}'::text[]) AS kind;
    PERFORM ldp_create_rollup('by_' || c.name, c.name, CASE WHEN c.name LIKE 'date%' THEN '{seen}' ELSE '{day(seen)}' END::text[], zone)
    FROM ldp_collections AS c WHERE c.name ~ ('_' || lower(split_part(zone, '/', 2)) || '$');
    EXECUTE format('INSERT INTO %s (report, seen) SELECT pg_temp.report(n %% 4), (day + (ARRAY[time ''00:10'', ''12:00'', ''23:50''])[n %% 3 + 1])::date '
        'FROM generate_series(date ''2026-10-01'', ''2026-11-30'', ''1 day'') AS day, generate_series(1, 10) AS n', 'date_' || lower(split_part(zone, '/', 2)));
    EXECUTE format('INSERT INTO %s (report, seen) SELECT pg_temp.report(n %% 4), day::date + (ARRAY[time ''00:10'', ''12:00'', ''23:50''])[n %% 3 + 1] '
        'FROM generate_series(date ''2026-10-01'', ''2026-11-30'', ''1 day'') AS day, generate_series(1, 10) AS n', 'timestamp_' || lower(split_part(zone, '/', 2)));
    EXECUTE format('INSERT INTO %s (report, seen) SELECT pg_temp.report(n %% 4), (day::date + (ARRAY[time ''00:10'', ''12:00'', ''23:50''])[n %% 3 + 1]) AT TIME ZONE %L '
        'FROM generate_series(date ''2026-10-01'', ''2026-11-30'', ''1 day'') AS day, generate_series(1, 10) AS n', 'timestamptz_' || lower(split_part(zone, '/', 2)), zone);
END
$$;
SELECT count(pg_temp.fill(zone) IS NULL) AS zones FROM unnest('{Etc/UTC,America/New_York,Europe/Berlin,Asia/Tokyo,Asia/Kathmandu}'::text[]) AS zone;
SELECT count(ldp_refresh(name)) AS refreshed FROM ldp_rollups WHERE name LIKE 'by_%';

CREATE FUNCTION pg_temp.reports(name text, since text, until text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    found bigint;
BEGIN
    EXECUTE format('SELECT sum(ldp_count(g.summary)) FROM unnest(ldp_groups_of(%L, since => %L, until => %L)) AS g', name, since, until) INTO found;
    RETURN found;
END
$$;
-- Each session counts October, the first of November, and a day that an expression names.
CREATE TEMP TABLE counted (zone text, style text, rollup text, october bigint, one_day bigint, of_date bigint, of_series bigint);
DO $$
DECLARE
    session_zone text;
    style text;
BEGIN
    FOREACH session_zone IN ARRAY '{UTC,America/New_York,Asia/Tokyo,Asia/Kathmandu}'::text[] LOOP
        FOREACH style IN ARRAY '{"ISO, YMD","SQL, DMY","German","Postgres, MDY"}'::text[] LOOP
            PERFORM set_config('timezone', session_zone, true), set_config('datestyle', style, true);
            INSERT INTO counted SELECT session_zone, style, r.name, pg_temp.reports(r.name, '2026-10-01', '2026-11-01'), pg_temp.reports(r.name, '2026-11-01', '2026-11-02 00:00'),
                (SELECT sum(ldp_count(g.summary)) FROM unnest(ldp_groups_of(r.name, since => make_date(2026, 11, 1), until => make_date(2026, 11, 4))) AS g),
                (SELECT sum(s.n) FROM ldp_estimate(ldp_groups_of(r.name, since => '2026-11-29T00:00')) AS s WHERE s.value = 0)
            FROM ldp_rollups AS r WHERE r.name LIKE 'by_%';
        END LOOP;
    END LOOP;
END
$$;
SELECT october, one_day, of_date, of_series, count(DISTINCT (zone, style)) AS sessions, count(DISTINCT rollup) AS rollups, count(*) FROM counted GROUP BY 1, 2, 3, 4;

-- An instant is an instant: 10:00 UTC on 1 November is 19:00 in Tokyo and 05:00 in New York.
SET timezone = 'Asia/Tokyo';
SELECT r.name, pg_temp.reports(r.name, '2026-11-01 00:00+09', '2026-11-02 00:00+09') AS of_tokyo, pg_temp.reports(r.name, '2026-10-31T15:00Z', '2026-11-01T15:00Z') AS the_same
FROM ldp_rollups AS r WHERE r.name LIKE 'by_%tz_%' ORDER BY 1;
SELECT ldp_count(summary) FROM unnest(ldp_groups_of('by_timestamptz_tokyo', by => '{}', since => timestamptz '2026-11-30 00:00+09')) AS g (group_key, summary);
SELECT ldp_count(summary) FROM unnest(ldp_groups_of('by_date_berlin', by => '{}', since => timestamptz '2026-11-30 08:00+09')) AS g (group_key, summary);

-- A view keeps its bound, and the bound is the same text under all settings.
SET datestyle = 'German';
CREATE VIEW pg_temp.late AS SELECT * FROM ldp_estimate(ldp_groups_of('by_date_tokyo', since => '2026-11-30'));
SELECT pg_get_viewdef('pg_temp.late'::regclass) LIKE '%2026-11-30 00:00:00%' AS kept, (SELECT max(n) FROM pg_temp.late);
SELECT t::text AS bound, t::text::ldp_time::text = t::text AS again FROM unnest(ARRAY['2026-11-30', '2026-11-30 10:30', '2026-11-30T10:30:15.25+05:45', 'infinity', '-infinity',
    '12026-01-01', '0044-03-15 BC', '2024-02-29T23:59:60Z']::ldp_time[]) AS t;
RESET datestyle;

-- Other texts are refused, in every date style.
CREATE FUNCTION pg_temp.outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
SELECT t AS text, pg_temp.outcome(format('SELECT %L::ldp_time', t)) FROM unnest(ARRAY['03/04/2026', '3.4.2026', '20261125', '2026-11', '2026-02-30', '2025-02-29', '2026-11-25 25:00',
    '2026-11-25 10', '2026-11-25 10:30 CET', '2026-11-25 10:30+1', 'today', 'Nov 25 2026', '0000-01-01', '', '2026-11-25 10:30 Europe/Berlin']) AS t;

-- Names of groups do not depend on settings of the session.
SELECT ldp_create_collection('named', :'spec', ARRAY[['seen', 'timestamptz'], ['day', 'date'], ['lasted', 'interval'], ['share', 'float8'], ['code', 'bytea']]);
INSERT INTO named (report, seen, day, lasted, share, code) SELECT pg_temp.report(n % 4), '2026-11-01 05:30Z', '2026-11-01', '1 day 02:00', 1 / 3.0, '\x01' FROM generate_series(1, 20) AS n;
SELECT ldp_create_rollup('by_name', 'named', '{seen,day,lasted,share,code}', 'Asia/Kathmandu'), ldp_refresh('by_name');
CREATE FUNCTION pg_temp.names() RETURNS TABLE (of_reports jsonb, of_rollup jsonb) LANGUAGE sql AS
$$ SELECT s.group_key, r.group_key FROM unnest(ldp_groups_of('named', '{seen,day,lasted,share,code}')) AS s, unnest(ldp_groups_of('by_name')) AS r $$;
SELECT * FROM pg_temp.names();
CREATE TEMP TABLE names AS SELECT * FROM pg_temp.names();
BEGIN;
SET LOCAL timezone = 'America/New_York';
SET LOCAL datestyle = 'SQL, DMY';
SET LOCAL intervalstyle = 'iso_8601';
SET LOCAL extra_float_digits = -5;
SET LOCAL bytea_output = 'escape';
SELECT count(*) AS equal FROM names NATURAL JOIN pg_temp.names() AS again;
COMMIT;

-- Partitions begin and end in UTC. A prune deletes what is before a day of the rollup.
SELECT ldp_create_collection('parted', :'spec', ARRAY[['seen', 'timestamptz']], partition_by => 'seen');
SET timezone = 'America/New_York';
SELECT ldp_add_partitions('parted', '2026-11-03', since => '2026-11-01');
SELECT begins, ends FROM ldp_partitions('parted') WHERE begins IS NOT NULL ORDER BY 1;
SELECT zone, (SELECT rows FROM ldp_prune('date_' || zone, '2026-11-01')) AS of_dates, (SELECT rows FROM ldp_prune('timestamp_' || zone, '2026-11-01')) AS of_times,
    (SELECT rows FROM ldp_prune('timestamptz_' || zone, '2026-11-01')) AS of_instants FROM unnest('{utc,new_york,berlin,tokyo}'::text[]) AS zone;
-- With rollups of two zones, the earlier of two midnights counts: 1 November begins in Kathmandu before it begins in UTC.
SELECT ldp_create_rollup('also', 'timestamptz_kathmandu', '{day(seen)}', 'UTC') IS NOT NULL AS made;
SELECT rows FROM ldp_prune('timestamptz_kathmandu', '2026-11-01');
SELECT ldp_prune_batches('parted', '2026-01-01'), pg_temp.outcome('SELECT ldp_prune_batches(''parted'', ''infinity'')');

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name) IS NULL) AS dropped FROM ldp_collections WHERE name ~ '^(date|timestamp|timestamptz)_' OR name IN ('parted', 'named');
