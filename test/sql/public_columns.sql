-- Values of public columns: what ldp_insert, ldp_submit and ldp_submit_batch write, and what they refuse.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS ldp;
RESET client_min_messages;
SET timezone = 'UTC';
SET datestyle = 'ISO';

CREATE FUNCTION pg_temp.outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    state text;
    message text;
    detail text;
BEGIN
    EXECUTE query INTO result;
    RETURN COALESCE(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    RETURN state || ' ' || message || COALESCE(' / ' || NULLIF(detail, ''), '');
END
$$;
CREATE FUNCTION pg_temp.report(value integer) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 1, "domain": 4}'), 'hex') || lpad(to_hex(value), 2, '0'))::ldp_report $$;
CREATE FUNCTION pg_temp.reports(n integer) RETURNS ldp_report[] LANGUAGE sql AS
$$ SELECT array_agg(pg_temp.report(i % 4)) FROM generate_series(1, n) AS i $$;
CREATE FUNCTION pg_temp.batch(n integer) RETURNS ldp_report_batch LANGUAGE sql AS
$$ SELECT ldp_pack(r) FROM unnest(pg_temp.reports(n)) AS r $$;

CREATE DOMAIN side_code AS text CHECK (VALUE ~ '^[a-z]{2}$');
CREATE TYPE side_level AS ENUM ('low', 'high');
SELECT ldp_create_collection(kind, '{"mechanism": "grr", "epsilon": 1, "domain": 4}', ARRAY[['country', 'text'], ['seen', 'timestamptz'], ['number', 'integer'],
    ['price', 'numeric'], ['code', 'public.side_code'], ['level', 'public.side_level'], ['tags', 'text[]'], ['more', 'jsonb'], ['Odd "name"', 'text']],
    rows => kind) FROM unnest('{reports,batches}'::text[]) AS kind;
SELECT * FROM ldp_public_columns('batches');

-- The same values in rows of reports (by COPY), of batches, and where a trigger has INSERT take the place of COPY.
\set all '\'{"country": "de", "seen": "2026-11-24 10:00:00+01", "number": 7, "price": 0.50, "code": "ab", "level": "high", "tags": "{a,b}", "more": {"x": [1, null]}, "Odd \\"name\\"": "o\'\'k"}\''
SELECT ldp_insert('reports', pg_temp.batch(5), 0, :all), ldp_insert('batches', pg_temp.batch(5), 0, :all);
CREATE FUNCTION pg_temp.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER nothing BEFORE INSERT ON reports FOR EACH ROW EXECUTE FUNCTION pg_temp.nothing();
SELECT ldp_insert('reports', pg_temp.batch(5), 0, :all);
DROP TRIGGER nothing ON reports;
SELECT ldp_submit_batch(c, gen_random_uuid(), pg_temp.reports(5), 0, :all) FROM unnest('{reports,batches}'::text[]) AS c;
SELECT ldp_submit('reports', pg_temp.report(1), 0, :all);
SELECT country, seen, number, price, code, level, tags, more, "Odd ""name""", count(*), sum(ldp_count(ldp_pack)) FROM
    (SELECT *, ldp_pack(report) OVER (PARTITION BY ctid) FROM reports) AS r GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;
SELECT country, seen, number, price, code, level, tags, more, "Odd ""name""", count(*), sum(ldp_count(batch)) FROM batches GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- No value: the default, or NULL.
ALTER TABLE reports ALTER COLUMN country SET DEFAULT 'nowhere';
TRUNCATE reports;
SELECT ldp_insert('reports', pg_temp.batch(1), 0, side::jsonb) FROM unnest(ARRAY[NULL, 'null', '{}', '{"country": null}', '{"number": 1}']) AS side;
SELECT country, number, count(*) FROM reports GROUP BY 1, 2 ORDER BY 1, 2;

-- What is refused, by each function, and what it says.
CREATE FUNCTION pg_temp.refusals(side text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT DISTINCT pg_temp.outcome(format(query, side)) FROM unnest(ARRAY[
        'SELECT ldp_insert(''reports'', pg_temp.batch(3), 0, %L)', 'SELECT ldp_insert(''batches'', pg_temp.batch(3), 0, %L)',
        'SELECT ldp_submit(''reports'', pg_temp.report(1), 0, %L)', 'SELECT ldp_submit_batch(''reports'', gen_random_uuid(), pg_temp.reports(3), 0, %L)',
        'SELECT ldp_submit_batch(''batches'', gen_random_uuid(), pg_temp.reports(3), 0, %L)']) AS query
    ORDER BY 1
$$;
SELECT side, r.* FROM unnest(ARRAY['{"nothing": "1"}', '{"round": 1}', '{"report": "00"}', '{"batch": "00"}', '{"ldp_arrival": 1}', '{"ctid": "(0,1)"}', '{"tableoid": 1}',
    '{"number": "seven"}', '{"number": 3000000000}', '{"seen": "some day"}', '{"code": "ABC"}', '{"level": "middle"}', '{"more": "{"}', '{"price": true}', '[1]', '"text"']) AS side,
    LATERAL pg_temp.refusals(side) AS r;
SELECT pg_temp.outcome(format('SELECT ldp_insert(''reports'', pg_temp.batch(1), 0, %L)', jsonb_build_object('country', repeat('x', 1024))));
SELECT pg_temp.refusals(jsonb_build_object('country', repeat('x', 1025))::text);
SELECT count(*) FROM reports;

-- Dates and times are the same in sessions of all zones and styles. Without an offset they are in UTC, and other texts than ISO 8601 are refused.
CREATE DOMAIN side_day AS date;
CREATE TABLE dated (report ldp_report, round integer, day date, own public.side_day, local timestamp, instant timestamptz, clock timetz, days date[], span tstzrange);
DO $$
DECLARE
    zone text;
    style text;
BEGIN
    FOREACH zone IN ARRAY '{UTC,America/New_York,Asia/Tokyo,Asia/Kathmandu}'::text[] LOOP
        FOREACH style IN ARRAY '{"ISO, YMD","SQL, DMY","German","Postgres, MDY"}'::text[] LOOP
            PERFORM set_config('timezone', zone, true), set_config('datestyle', style, true);
            PERFORM ldp_insert('dated', pg_temp.batch(1), 0, '{"day": "2026-04-03", "own": "2026-04-03", "local": "2026-04-03", "instant": "2026-04-03", "clock": "10:30", "days": "{2026-04-03}", "span": "[2026-04-03,2026-04-04)"}'),
                ldp_insert('dated', pg_temp.batch(1), 0, '{"local": "2026-04-03T10:30", "instant": "2026-04-03 10:30:15.5"}'),
                ldp_insert('dated', pg_temp.batch(1), 0, '{"local": "2026-04-03T10:30+05:45", "instant": "2026-04-03T10:30+05:45"}'),
                ldp_insert('dated', pg_temp.batch(1), 0, '{"local": "2026-04-03T10:30Z", "instant": "2026-04-03 10:30Z"}'),
                ldp_insert('dated', pg_temp.batch(1), 0, '{"day": "0044-03-15 BC", "local": "0044-03-15 BC", "instant": "0044-03-15 BC"}');
            IF pg_temp.outcome($q$SELECT ldp_insert('dated', pg_temp.batch(1), 0, '{"local": "2026-02-30"}')$q$) NOT LIKE '22007%' OR current_setting('datestyle') <> style AND style <> 'German'
                OR current_setting('timezone') <> zone THEN
                RAISE EXCEPTION 'settings of the session are lost';
            END IF;
        END LOOP;
    END LOOP;
END
$$;
SELECT day, own, local, instant, clock, days, span, count(*) FROM dated GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 3, 4;
SET datestyle = 'SQL, DMY';
SELECT side, pg_temp.outcome(format('SELECT ldp_insert(''dated'', pg_temp.batch(1), 0, %L)', side))
FROM unnest(ARRAY['{"day": "03/04/2026"}', '{"own": "03/04/2026"}', '{"day": "2026-04-03 10:00"}', '{"day": "today"}', '{"day": "infinity"}', '{"local": "03/04/2026"}', '{"instant": "03/04/2026 10:30"}',
    '{"instant": "2026-04-03 10:30 CET"}', '{"day": "20260403"}', '{"days": "{03/04/2026}"}']) AS side;
SET datestyle = 'ISO';

-- Columns that nobody fills, and limits of a type.
CREATE TABLE shaped (report ldp_report, round integer, doubled integer GENERATED ALWAYS AS (2 * round) STORED, id integer GENERATED ALWAYS AS IDENTITY,
    own integer GENERATED BY DEFAULT AS IDENTITY, short varchar(3), gone text);
CREATE TABLE no_binary (report ldp_report, round integer, acl aclitem);
ALTER TABLE shaped DROP COLUMN gone;
SELECT side, pg_temp.outcome(format('SELECT ldp_insert(''shaped'', pg_temp.batch(2), 3, %L)', side))
FROM unnest(ARRAY['{"doubled": 1}', '{"id": 9}', '{"own": 9}', '{"short": "abc"}', '{"short": "abcd"}', '{"gone": "x"}']) AS side;
SELECT ldp_insert('no_binary', pg_temp.batch(2), 3, jsonb_build_object('acl', '=r/' || quote_ident(current_user))) AS inserted;
SELECT acl IS NULL AS no_acl, count(*) FROM no_binary GROUP BY 1;
SELECT own, short, doubled, count(*) FROM shaped GROUP BY 1, 2, 3 ORDER BY 1, 2;

-- A batch that comes again with other values is another batch.
\set id '5c7d1f0a-6d6e-4f0e-9a53-1a3d3a9a5a10'
SELECT ldp_submit_batch('batches', :'id', pg_temp.reports(3), 0, '{"country": "de", "number": 1}'),
       ldp_submit_batch('batches', :'id', pg_temp.reports(3), 0, '{"number": "1", "country": "de", "code": null}');
SELECT pg_temp.outcome(format('SELECT ldp_submit_batch(''batches'', %L, pg_temp.reports(3), 0, %L)', :'id', side))
FROM unnest(ARRAY['{"country": "fr", "number": 1}', '{"country": "de"}', NULL, '{"country": "de", "number": 2}']) AS side;
SELECT count(*) FROM batches WHERE country = 'de' AND number = 1;
-- The digest is what doc/formats.md says, and without values what it was before there were any.
SELECT ldp_batch_digest('{}', 5) = sha256('5:') AS none, ldp_batch_digest('{}', 5, '{}') = sha256('5:') AS empty,
       ldp_batch_digest('{}', 5, '{"b": "x:y", "a": ""}') = sha256(E'5:\n1:a0:1:b3:x:y') AS two,
       ldp_batch_digest('{}', 5, '{"é": "1"}') = sha256(convert_to(E'5:\n2:é1:1', 'UTF8')) AS bytes;

-- Partitions and rollups: a partition key has its default or is refused, and values that are missing are counted.
SELECT ldp_create_collection('by_time', '{"mechanism": "grr", "epsilon": 1, "domain": 4}', ARRAY[['seen', 'timestamptz'], ['country', 'text']], partition_by => 'seen');
SELECT ldp_create_collection('by_number', '{"mechanism": "grr", "epsilon": 1, "domain": 4}', ARRAY[['week', 'integer']], partition_by => 'week', rows => 'batches');
SELECT ldp_create_rollup('time_daily', 'by_time', '{day(seen),country}', 'UTC');
SELECT ldp_insert('by_time', pg_temp.batch(4), 0, '{"country": "de"}'), ldp_insert('by_time', pg_temp.batch(3), 0, '{"seen": "2026-11-24"}');
SELECT seen > now() - interval '1 minute' AS now, country, count(*) FROM by_time GROUP BY 1, 2 ORDER BY 1;
SELECT pg_temp.outcome(format('SELECT ldp_submit_batch(''by_number'', gen_random_uuid(), pg_temp.reports(3), 0, %L)', side)) FROM unnest(ARRAY['{"week": 7}', '{"week": null}', NULL]) AS side;
SELECT ldp_refresh('time_daily');
SELECT * FROM ldp_missing_values('time_daily');

-- A column with the name of an attribute would receive in clear what people meant to randomize.
\set pin '{"mechanism": "sampled", "epsilon": 2, "attributes": [{"name": "mood", "domain": ["good", "bad"], "mechanism": "grr"}, {"name": "day", "vector": ["am", "pm"], "min": 0, "max": 1, "mechanism": "duchi_vector"}]}'
SELECT pg_temp.outcome(format('SELECT ldp_create_collection(''pin'', %L, ARRAY[[''country'', ''text''], [%L, ''text'']])', :'pin', c)) FROM unnest('{mood,day,day.am,am}'::text[]) AS c;
SELECT pg_temp.outcome($$SELECT ldp_create_collection('short', '{"mechanism": "grr", "epsilon": 1, "domain": 4}', ARRAY[['value', 'text']])$$);
CREATE TABLE adopted (report ldp_report, round integer, mood text);
SELECT pg_temp.outcome(format('SELECT ldp_adopt_collection(''adopted'', ''adopted'', %L)', :'pin'));
ALTER TABLE adopted RENAME COLUMN mood TO country;
SELECT ldp_adopt_collection('adopted', 'adopted', :'pin');
-- The owner may add it later: it is not public, and no device fills it.
ALTER TABLE pin ADD COLUMN mood text, ADD COLUMN "day.am" text, ADD COLUMN version text;
SELECT * FROM ldp_public_columns('pin');
SELECT c, pg_temp.outcome(format('SELECT ldp_insert(''pin'', ldp_pack(r), 0, %1$L), ldp_submit(''pin'', r, 0, %1$L), ldp_submit_batch(''pin'', gen_random_uuid(), ARRAY[r], 0, %1$L)
    FROM (SELECT (encode(ldp_internal.ldp_spec_parameters(%2$L), ''hex'') || ''0000'')::ldp_report) AS p (r) GROUP BY r', c, :'pin'))
FROM unnest('{"{\"mood\": \"good\"}","{\"country\": \"de\", \"day.am\": null}"}'::text[]) AS c;
SELECT pg_temp.outcome(format('SELECT ldp_submit(''pin'', (encode(ldp_internal.ldp_spec_parameters(%L), ''hex'') || ''0000'')::ldp_report, 0, %L)', :'pin', '{"mood": "good"}')),
    pg_temp.outcome(format('SELECT ldp_submit(''pin'', (encode(ldp_internal.ldp_spec_parameters(%L), ''hex'') || ''0000'')::ldp_report, 0, %L)', :'pin', '{"country": "de", "version": "2"}'));
SELECT mood, country, version FROM pin;
-- A session remembers the names that it checked, of each spec by itself.
SELECT ldp_create_collection('clear', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY[['mood', 'text']]);
SELECT pg_temp.outcome(format('SELECT ldp_submit(''clear'', (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec(''clear'')), ''hex'') || ''00'')::ldp_report, 0, %L)', '{"mood": "good"}')),
    pg_temp.outcome(format('SELECT ldp_submit(''pin'', (encode(ldp_internal.ldp_spec_parameters(%L), ''hex'') || ''0000'')::ldp_report, 0, %L)', :'pin', '{"mood": "good"}')),
    pg_temp.outcome(format('SELECT ldp_submit(''clear'', (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec(''clear'')), ''hex'') || ''00'')::ldp_report, 0, %L)', '{"mood": "bad"}'));
SELECT mood FROM clear ORDER BY 1;
SELECT ldp_drop_collection('clear');
SELECT ldp_drop_collection('pin'), ldp_drop_collection('adopted');

-- Rights: of each column its own.
CREATE ROLE ldp_public_columns_role;
GRANT INSERT (report, round, country) ON reports TO ldp_public_columns_role;
SET ROLE ldp_public_columns_role;
SELECT pg_temp.outcome(format('SELECT ldp_insert(''reports'', pg_temp.batch(2), 0, %L)', side)) FROM unnest(ARRAY['{"country": "se"}', '{"number": 1}']) AS side;
SELECT pg_temp.outcome(format('SELECT ldp_submit_batch(''reports'', gen_random_uuid(), pg_temp.reports(2), 0, %L)', side)) FROM unnest(ARRAY['{"country": "se"}', '{"number": 1}']) AS side;
RESET ROLE;
SELECT country, count(*) FROM reports WHERE country = 'se' GROUP BY 1;

SELECT ldp_drop_collection(name) FROM ldp_collections WHERE name IN ('reports', 'batches', 'by_time', 'by_number') ORDER BY name;
DROP TABLE shaped, no_binary, dated;
DROP DOMAIN side_code, side_day;
DROP TYPE side_level;
DROP ROLE ldp_public_columns_role;

-- Values that a column cannot have, in every session.
CREATE TYPE public.weather AS ENUM ('sun', 'rain');
CREATE DOMAIN public.postcode AS text CHECK (VALUE ~ '^[0-9]{5}$');
SELECT ldp_create_collection('asked', '{"mechanism": "grr", "epsilon": 1, "domain": 3}',
    ARRAY[['id', 'uuid'], ['sky', 'public.weather'], ['place', 'public.postcode'], ['amount', 'numeric'], ['seen', 'timestamp']]);
ALTER TABLE asked ADD COLUMN code varchar(3), ADD CHECK (amount > 3), ADD CHECK (seen >= '2026-01-01');
SELECT * FROM ldp_invalid_values('asked', 'id', '{a,5d3f7c2e-0d50-4d2f-9d0c-3a6f1f9c2b11,NULL}');
SELECT * FROM ldp_invalid_values('asked', 'sky', '{sun,"snow, perhaps"}');
SELECT * FROM ldp_invalid_values('asked', 'place', '{12345,1234}');
SELECT * FROM ldp_invalid_values('asked', 'code', '{abc,abcd}');
SELECT * FROM ldp_invalid_values('asked', 'amount', '{4,2,x}');
SET timezone = 'Asia/Kathmandu';
SET datestyle = 'SQL, DMY';
SELECT * FROM ldp_invalid_values('asked', 'seen', '{2025-12-31 23:30:00-01,2025-12-31,02/01/2026}');
RESET timezone;
RESET datestyle;
SELECT * FROM ldp_invalid_values('asked', 'seen', NULL);
SELECT * FROM ldp_invalid_values('asked', 'report', '{a}');
SELECT * FROM ldp_invalid_values('asked', 'value', '{a}');
SELECT * FROM ldp_invalid_values('nothing', 'value', '{a}');
SELECT count(*) FROM asked;
-- A type outside pg_catalog needs its schema.
SELECT pg_temp.outcome($$SELECT ldp_create_collection('unknown', '{"mechanism": "grr", "epsilon": 1, "domain": 3}', ARRAY[['place', 'postcode']])$$);
SELECT ldp_drop_collection('asked');
DROP DOMAIN public.postcode;
DROP TYPE public.weather;
