-- Aggregates and accessors: correct estimates, equal results in every plan, and rejection of forged states.
\ir setup.sql


CREATE TABLE spec (name text PRIMARY KEY, spec jsonb);
INSERT INTO spec VALUES
    ('colour', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue", "none"]}'),
    ('tags', '{"mechanism": "oue", "epsilon": 2, "domain": 12}'),
    ('wage', '{"mechanism": "piecewise", "epsilon": 1, "min": 0, "max": 200, "grid": 100}'),
    ('age', '{"mechanism": "pdp", "epsilon": 2, "min": 17, "max": 90, "grid": 200}'),
    ('profile', '{"mechanism": "haar", "epsilon": 1, "grid": 100, "randomizer": "pdp", "attributes": [
        {"name": "a", "min": 0, "max": 10}, {"name": "b", "min": 0, "max": 10},
        {"name": "c", "min": -5, "max": 5}, {"name": "d", "min": 100, "max": 300}]}');

CREATE TABLE colour AS
    SELECT i AS id, i % 3 AS part, pg_temp.report(spec, pg_temp.little((i * i + i / 7) % 4, 1)) AS report
    FROM spec, generate_series(1, 5000) AS i WHERE name = 'colour';
CREATE TABLE tags AS
    SELECT i AS id, i % 3 AS part, pg_temp.report(spec, pg_temp.little((i * 37 + i / 5) % 4096, 2)) AS report
    FROM spec, generate_series(1, 3000) AS i WHERE name = 'tags';
-- Of the windows below piecewise has 61 cells on a grid of 100, pdp 100 on 200, haar 72 on 100: the number
-- of outputs exceeds the number of grid steps by these amounts.
CREATE TABLE wage AS
    SELECT i AS id, i % 3 AS part, (i * 13 + i / 9) % 161 AS cell,
           pg_temp.report(spec, pg_temp.little((i * 13 + i / 9) % 161, 1)) AS report
    FROM spec, generate_series(1, 3000) AS i WHERE name = 'wage';
CREATE TABLE age AS
    SELECT i AS id, (i * 17 + i / 7) % 300 AS cell, pg_temp.report(spec, pg_temp.little((i * 17 + i / 7) % 300, 2)) AS report
    FROM spec, generate_series(1, 2000) AS i WHERE name = 'age';
CREATE TABLE profile AS
    SELECT i AS id, i % 3 AS part, i % 4 AS coefficient, (i * 29 + i / 11) % 172 AS cell,
           pg_temp.report(spec, pg_temp.little(i % 4, 1) || pg_temp.little((i * 29 + i / 11) % 172, 1)) AS report
    FROM spec, generate_series(1, 4000) AS i WHERE name = 'profile';
ANALYZE;

-- The parameters of a report and of its summary.
SELECT name, ldp_spec(report) ->> 'mechanism' AS mechanism, ldp_spec(report) ->> 'epsilon' AS epsilon,
       ldp_spec(report) #>> '{parameters,window}' AS window, ldp_spec(report) = ldp_spec(ldp_agg(report)) AS agrees
FROM (SELECT 'colour' AS name, report FROM colour WHERE id = 1 UNION ALL SELECT 'tags', report FROM tags WHERE id = 1
      UNION ALL SELECT 'wage', report FROM wage WHERE id = 1 UNION ALL SELECT 'age', report FROM age WHERE id = 1 UNION ALL SELECT 'profile', report FROM profile WHERE id = 1) AS one
GROUP BY name, report ORDER BY name;

-- Frequencies -----------------------------------------------------------------------------------------------
SELECT ldp_count(ldp_agg(report)) FROM colour;
SELECT round(f::numeric, 9) AS frequency FROM (SELECT ldp_proportion(report) AS all FROM colour) AS s, unnest(s.all) AS f;
SELECT value, round(estimate::numeric, 9) AS estimate, round(stderr::numeric, 9) AS stderr,
       round(lower::numeric, 9) AS lower, round(upper::numeric, 9) AS upper
FROM ldp_estimate((SELECT ldp_agg(report) FROM colour), statistics => '{proportion}');
-- The formulas of grr, computed here from counts: e = exp(epsilon), p = e/(e+k-1), q = 1/(e+k-1).
WITH card AS (SELECT exp(1.0::float8) / (exp(1.0::float8) + 3) AS p, 1 / (exp(1.0::float8) + 3) AS q),
     counted AS (SELECT v, (SELECT count(*) FROM colour WHERE right(report::text, 2) = pg_temp.little(v, 1))::float8 / 5000 AS share
                 FROM generate_series(0, 3) AS v),
     expected AS (SELECT v, f, sqrt((f * p * (1 - p) + (1 - f) * q * (1 - q)) / ((p - q) ^ 2 * 5000)) AS noise, f * (1 - f) / 5000 AS sampling
                  FROM card, counted, LATERAL (SELECT (share - q) / (p - q)) AS estimate (f))
SELECT value, abs(estimate - f) < 1e-12 AS estimate, abs(s.stderr - noise) < 1e-12 AS stderr,
       abs(lower - (f - 1.959963984540054 * noise)) < 1e-12 AS lower, abs(upper - (f + 1.959963984540054 * noise)) < 1e-12 AS upper,
       abs(p.stderr - sqrt(noise ^ 2 + sampling)) < 1e-12 AS population
FROM (SELECT ldp_agg(report) AS whole FROM colour) AS c, ldp_estimate(whole, statistics => '{proportion}') AS s
     JOIN expected ON v = value, LATERAL (SELECT o.stderr FROM ldp_estimate(whole, statistics => '{proportion}', target => 'population') AS o WHERE o.value = s.value) AS p
ORDER BY value;
SELECT value, round(estimate::numeric, 9) AS estimate, round(stderr::numeric, 9) AS stderr
FROM ldp_estimate((SELECT ldp_agg(report) FROM tags), statistics => '{proportion}') WHERE value IN (0, 5, 11);
SELECT round(ldp_proportion(ldp_agg(report), '5')::numeric, 9) FROM tags;
SELECT ldp_proportion(ldp_agg(report), '11') = (ldp_proportion(report))[12] AS same FROM tags;
-- Intervals at another confidence: 90 %.
SELECT bool_and(abs((upper - lower) / (2 * stderr) - 1.6448536269514722) < 1e-9) AS ninety
FROM ldp_estimate((SELECT ldp_agg(report) FROM tags), statistics => '{proportion}', confidence => 0.9);

-- Means -----------------------------------------------------------------------------------------------------
SELECT round(ldp_mean(report)::numeric, 9) AS mean FROM wage;
SELECT attribute, round(estimate::numeric, 9) AS estimate, round(stderr::numeric, 9) AS stderr,
       round(lower::numeric, 9) AS lower, round(upper::numeric, 9) AS upper
FROM ldp_estimate((SELECT ldp_agg(report) FROM wage), statistics => '{mean}');
SELECT round(ldp_mean(report)::numeric, 9) AS mean FROM age;
-- The channels inverted here: outputs 0 to N-1, the w cells from s on e = exp(epsilon) times as likely as the others.
CREATE FUNCTION pg_temp.inverted(cell float8, steps float8, w float8, epsilon float8) RETURNS float8 LANGUAGE sql AS $$
    SELECT ((cell * (w * exp(epsilon) + steps) - (steps + w) * (steps + w - 1) / 2) / (exp(epsilon) - 1) - w * (w - 1) / 2) / w / steps $$;
SELECT abs(ldp_mean(report) - 200 * pg_temp.inverted(avg(cell), 100, 61, 1)) < 1e-9 AS inverted FROM wage;
SELECT abs(ldp_mean(report) - (17 + 73 * pg_temp.inverted(avg(cell), 200, 100, 2))) < 1e-9 AS inverted FROM age;
SELECT ldp_mean(ldp_agg(report), '0') = ldp_mean(report) AS same FROM wage;
SELECT p.stderr > s.stderr AS population_is_less_sure
FROM (SELECT ldp_agg(report) AS whole FROM wage) AS w, ldp_estimate(whole, statistics => '{mean}') AS s, ldp_estimate(whole, statistics => '{mean}', target => 'population') AS p;

-- A vector --------------------------------------------------------------------------------------------------
SELECT round(m::numeric, 9) AS mean FROM (SELECT ldp_haar(report) AS vector FROM profile) AS s, unnest(vector) AS m;
SELECT coefficient, round(estimate::numeric, 9) AS estimate, round(stderr::numeric, 9) AS stderr
FROM ldp_coefficients((SELECT ldp_agg(report) FROM profile));
SELECT attribute, round(estimate::numeric, 9) AS estimate, round(stderr::numeric, 9) AS stderr
FROM ldp_estimate((SELECT ldp_agg(report) FROM profile), statistics => '{mean}');
-- Each coefficient inverted here; then each leaf is the sum of the mean and the coefficients on its path.
WITH c AS (SELECT coefficient, 2 * pg_temp.inverted(avg(cell), 100, 72, 1) - 1 AS value FROM profile GROUP BY coefficient),
     v AS (SELECT array_agg(value ORDER BY coefficient) AS c FROM c),
     s AS (SELECT ldp_agg(report) AS whole FROM profile)
SELECT bool_and(abs(estimate - v.c[coefficient + 1]) < 1e-9) AS coefficients,
       abs(ldp_mean(whole, '0') - (5 + 5 * (v.c[1] + v.c[2] + v.c[3]))) < 1e-9 AS a,
       abs(ldp_mean(whole, '1') - (5 + 5 * (v.c[1] + v.c[2] - v.c[3]))) < 1e-9 AS b,
       abs(ldp_mean(whole, '2') - 5 * (v.c[1] - v.c[2] + v.c[4])) < 1e-9 AS c,
       abs(ldp_mean(whole, '3') - (200 + 100 * (v.c[1] - v.c[2] - v.c[4]))) < 1e-9 AS d
FROM v, s, ldp_coefficients(whole) GROUP BY v.c, whole;
-- A coefficient without reports is unknown, and so are the elements that depend on it.
SELECT ldp_haar(report) IS NOT NULL AS answered, array_position(ldp_haar(report), NULL) AS first_unknown,
       ldp_mean(ldp_agg(report), '3') IS NULL AS d_unknown, ldp_mean(ldp_agg(report), '0') IS NOT NULL AS a_known
FROM profile WHERE coefficient <> 3;
SELECT coefficient, estimate IS NULL AS unknown, stderr IS NULL AS s, lower IS NULL AS l, upper IS NULL AS u
FROM ldp_coefficients((SELECT ldp_agg(report) FROM profile WHERE coefficient <> 3));

-- Groups, filters, NULLs, no rows ---------------------------------------------------------------------------
SELECT part, ldp_count(ldp_agg(report)) AS n, round((ldp_proportion(report))[1]::numeric, 9) AS red FROM colour GROUP BY part ORDER BY part;
SELECT part, ldp_count(ldp_agg(report)) AS n FROM colour GROUP BY ROLLUP (part) ORDER BY part;
SELECT ldp_count(ldp_agg(report) FILTER (WHERE part = 1)) AS n FROM colour;
SELECT ldp_count(ldp_agg(CASE WHEN part = 1 THEN report END)) AS n FROM colour;
SELECT ldp_count(ldp_agg(DISTINCT report)) AS n FROM colour;
SELECT ldp_agg(report ORDER BY id) = ldp_agg(report ORDER BY report DESC) AS same FROM colour;
SELECT ldp_agg(report) IS NULL AS agg, ldp_proportion(report) IS NULL AS frequency FROM colour WHERE false;
SELECT ldp_agg(NULL::ldp_report) IS NULL AS agg, ldp_rollup(NULL) IS NULL AS rollup, ldp_mean(NULL::ldp_report) IS NULL AS mean,
       ldp_proportion(NULL::ldp_report) IS NULL AS frequency, ldp_haar(NULL::ldp_report) IS NULL AS haar FROM colour;
SELECT count(*) FROM ldp_estimate(NULL, statistics => '{proportion}');
-- Aggregates that share a state; running ones.
SELECT ldp_agg(report)::text = ldp_agg(report)::text AS same, ldp_count(ldp_agg(report)) AS n,
       ldp_proportion(report) = ldp_proportion(ldp_agg(report)) AS f FROM colour;
SELECT bool_and(ldp_count(running) = id) AS counted, bool_and(running::text = alone::text) AS right_counts
FROM (SELECT id, ldp_agg(report) OVER (ORDER BY id) AS running FROM colour WHERE id <= 50) AS w,
     LATERAL (SELECT ldp_agg(report) AS alone FROM colour AS c WHERE c.id <= w.id) AS a;
SELECT id, ldp_count(ldp_agg(report) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)) AS n FROM colour WHERE id <= 4;
-- A summary without reports has only NULL estimates.
SELECT encode(ldp_internal.ldp_spec_parameters(spec), 'hex') AS block FROM spec WHERE name = 'wage' \gset
SELECT overlay(:'block' PLACING '01' FROM 3) || repeat('00', 8) || 'ffffff7f00000080' || repeat('00', 24) AS nothing \gset
SELECT ldp_count(:'nothing'), ldp_mean(:'nothing'::ldp_summary) IS NULL AS mean, ldp_mean(:'nothing', '7') IS NULL AS seventh,
       (SELECT count(*) FROM ldp_estimate(:'nothing', statistics => '{mean}')) AS rows;

-- The same in every plan ------------------------------------------------------------------------------------
SELECT ldp_agg(report) AS serial FROM colour \gset
SELECT ldp_agg(report) AS serial_profile FROM profile \gset
SELECT ldp_mean(report)::text AS serial_mean FROM wage \gset
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE colour SET (parallel_workers = 2);
ALTER TABLE wage SET (parallel_workers = 2);
ALTER TABLE profile SET (parallel_workers = 2);
EXPLAIN (COSTS OFF) SELECT ldp_agg(report) FROM colour;
EXPLAIN (COSTS OFF) SELECT ldp_mean(report) FROM wage;
EXPLAIN (COSTS OFF) SELECT ldp_proportion(report) FROM colour;
EXPLAIN (COSTS OFF) SELECT ldp_haar(report) FROM profile;
SELECT ldp_agg(report) = :'serial' AS two_workers FROM colour;
SELECT ldp_agg(report) = :'serial_profile' AS two_workers FROM profile;
SELECT ldp_mean(report)::text = :'serial_mean' AS two_workers FROM wage;
SELECT bool_and(ldp_count(s) = n) AS grouped FROM (SELECT part, ldp_agg(report) AS s, count(*) AS n FROM colour GROUP BY part) AS g;
SET parallel_leader_participation = off;
SELECT ldp_agg(report) = :'serial' AS workers_alone FROM colour;
SELECT ldp_agg(report) = :'serial_profile' AS workers_alone FROM profile;
SET max_parallel_workers_per_gather = 1;
SELECT ldp_agg(report) = :'serial' AS one_worker FROM colour;
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 2;
-- Parts, as a materialised view keeps them, roll up to the whole; in parallel too.
CREATE MATERIALIZED VIEW colour_daily AS SELECT id % 100 AS day, ldp_agg(report) AS summary FROM colour GROUP BY id % 100;
CREATE MATERIALIZED VIEW profile_daily AS SELECT id % 100 AS day, ldp_agg(report) AS summary FROM profile GROUP BY id % 100;
SELECT ldp_rollup(summary) = :'serial' AS rolled_up FROM colour_daily;
SELECT ldp_rollup(summary) = :'serial_profile' AS rolled_up FROM profile_daily;
ALTER MATERIALIZED VIEW profile_daily SET (parallel_workers = 2);
EXPLAIN (COSTS OFF) SELECT ldp_rollup(summary) FROM profile_daily;
SELECT ldp_rollup(summary) = :'serial_profile' AS rolled_up FROM profile_daily;
SELECT ldp_rollup(s) = :'serial' AS rolled_up_twice
FROM (SELECT ldp_rollup(summary) AS s FROM colour_daily GROUP BY day % 7) AS weekly;
-- Partitionwise.
CREATE TABLE parted (id integer, part integer, report ldp_report) PARTITION BY LIST (part);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES IN (0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1, 2);
INSERT INTO parted SELECT id, part, report FROM colour;
ANALYZE parted;
SET max_parallel_workers_per_gather = 0;
SET enable_partitionwise_aggregate = on;
EXPLAIN (COSTS OFF) SELECT ldp_agg(report) FROM parted;
SELECT ldp_agg(report) = :'serial' AS partitionwise FROM parted;
RESET enable_partitionwise_aggregate;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
-- More specs in turn than the cache of a query holds.
SELECT count(*) AS groups, min(ldp_count(s)) AS least, max(ldp_count(s)) AS most, count(DISTINCT ldp_spec(s) ->> 'spec') AS specs
FROM (SELECT k, ldp_agg(report) AS s FROM (
          SELECT k, pg_temp.report(format('{"mechanism": "grr", "epsilon": 1, "domain": %s}', k)::jsonb, '00') AS report
          FROM generate_series(1, 20) AS i, generate_series(2, 44) AS k ORDER BY i, k) AS r GROUP BY k) AS g;

-- Different specs do not mix --------------------------------------------------------------------------------
SELECT ldp_agg(report) FROM (SELECT report FROM colour WHERE id = 1 UNION ALL SELECT report FROM tags WHERE id = 1) AS mixed;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_rollup(s) FROM (SELECT ldp_agg(report) AS s FROM wage UNION ALL SELECT ldp_agg(report) FROM profile) AS mixed;
\echo :LAST_ERROR_SQLSTATE
-- Neither do two specs that differ only in a name: same mechanism, same parameters.
SELECT ldp_agg(pg_temp.report(spec, '00'))
FROM (VALUES ('{"mechanism": "grr", "epsilon": 1, "domain": ["yes", "no"]}'::jsonb), ('{"mechanism": "grr", "epsilon": 1, "domain": ["no", "yes"]}')) AS s (spec);
\echo :LAST_ERROR_SQLSTATE

-- Queries that a summary does not support --------------------------------------------------------------------
SELECT ldp_mean(report) FROM colour;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_mean(report) FROM profile;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_proportion(report) FROM wage;
SELECT ldp_haar(report) FROM wage;
SELECT * FROM ldp_coefficients((SELECT ldp_agg(report) FROM tags));
SELECT ldp_proportion(ldp_agg(report), '4') FROM colour;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_proportion(ldp_agg(report), '-1') FROM colour;
SELECT ldp_mean(ldp_agg(report), '4') FROM profile;
SELECT * FROM ldp_estimate((SELECT ldp_agg(report) FROM colour), statistics => '{proportion}', confidence => 1);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM ldp_estimate((SELECT ldp_agg(report) FROM colour), statistics => '{proportion}', confidence => 0);
SELECT * FROM ldp_estimate(:'nothing', statistics => '{mean}', confidence => 'NaN');
SELECT * FROM ldp_estimate((SELECT ldp_agg(report) FROM colour), statistics => '{proportion}', target => 'everybody');
\echo :LAST_ERROR_SQLSTATE

-- Direct calls ----------------------------------------------------------------------------------------------
-- Outside an aggregate the argument stays as it is: a variable, a stored row, a long stored row.
-- A summary with one more report, by the functions of ldp_agg.
CREATE FUNCTION pg_temp.accumulated(summary ldp_summary, report ldp_report) RETURNS ldp_summary LANGUAGE sql AS
$$ SELECT ldp_internal.ldp_agg_final(ldp_internal.ldp_agg_accumulate(ldp_internal.ldp_agg_add(NULL, summary), report)) $$;
CREATE TABLE state AS SELECT ldp_agg(report) AS s FROM wage WHERE id <= 10;
CREATE TABLE long_state AS SELECT ldp_agg(pg_temp.report('{"mechanism": "oue", "epsilon": 1, "domain": 8000}', repeat(pg_temp.little(id, 1), 1000))) AS s FROM wage WHERE id <= 255;
INSERT INTO state SELECT ldp_summary_merge(s, s) FROM long_state;  -- compressed
ALTER TABLE state ALTER COLUMN s SET STORAGE EXTERNAL;
INSERT INTO state SELECT s::text::ldp_summary FROM long_state;  -- out of line
SELECT pg_relation_size(reltoastrelid) > 0 AS out_of_line FROM pg_class WHERE oid = 'state'::regclass;
DO $$
DECLARE
    before ldp_summary;
    copy text;
    after ldp_summary;
BEGIN
    SELECT s INTO before FROM state WHERE ldp_spec(s) ->> 'mechanism' = 'piecewise';
    copy := before::text;
    after := pg_temp.accumulated(before, (SELECT report FROM wage WHERE id = 11));
    ASSERT before::text = copy AND ldp_count(after) = 11;
    after := ldp_summary_merge(before, before);
    ASSERT before::text = copy AND ldp_count(after) = 20;
    after := ldp_summary_merge(NULL, before);
    ASSERT before::text = copy AND after = before;
    ASSERT ldp_summary_merge(before, NULL) = before AND pg_temp.accumulated(before, NULL::ldp_report) = before;
    ASSERT ldp_summary_merge(NULL, NULL) IS NULL AND pg_temp.accumulated(NULL, NULL::ldp_report) IS NULL;
END
$$;
SELECT ldp_count(ldp_summary_merge(s, s)) AS merged, ldp_count(ldp_summary_merge(NULL, s)) AS alone, ldp_count(s) AS n FROM state ORDER BY n;
SELECT ldp_count(ldp_rollup(s)) AS rolled_up FROM state, generate_series(1, 3) GROUP BY s ORDER BY 1;
SELECT ldp_count(s) AS still FROM state ORDER BY 1;

-- Full: 2^40 reports are the maximum.
SELECT overlay(encode(ldp_internal.ldp_spec_parameters(spec), 'hex') PLACING '01' FROM 3) || pg_temp.little((1::bigint << 40) - 1, 8) || repeat('00', 8) || pg_temp.little((1::bigint << 40) - 1, 8) || repeat('00', 24) AS nearly_full
FROM spec WHERE name = 'colour' \gset
SELECT ldp_count(pg_temp.accumulated(:'nearly_full', report)) FROM colour WHERE right(report::text, 2) = '00' LIMIT 1;
SELECT pg_temp.accumulated(pg_temp.accumulated(:'nearly_full', report), report) FROM colour LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_rollup(s) FROM (SELECT :'nearly_full'::ldp_summary AS s UNION ALL SELECT :'nearly_full') AS two;
\echo :LAST_ERROR_SQLSTATE

-- Forged: a cast without checks, which only a superuser can make, lets any bytes through as a state or a report.
UPDATE pg_cast SET castfunc = 0, castmethod = 'b' WHERE castsource = 'bytea'::regtype AND casttarget = 'ldp_summary'::regtype;  -- unchecked
UPDATE pg_cast SET castfunc = 0, castmethod = 'b' WHERE castsource = 'bytea'::regtype AND casttarget = 'ldp_report'::regtype;  -- unchecked
-- s, r: a valid summary and report. forged: the other argument. Each with an empty cache, and with the valid value in the
-- cache.
SELECT s::text AS s, report::text AS r FROM state, wage WHERE ldp_spec(s) ->> 'mechanism' = 'piecewise' AND id = 1 \gset
CREATE TABLE forged (number integer, what text, bytes bytea);
INSERT INTO forged VALUES
    (1, 'no bytes', ''),
    (2, 'one byte', '\x01'),
    (3, 'a header', decode(left(:'s', 48), 'hex')),
    (4, 'a block', decode(left(:'s', 96), 'hex')),
    (5, 'a byte short', decode(left(:'s', -2), 'hex')),
    (6, 'a byte long', decode(:'s' || '00', 'hex')),
    (7, 'a huge block', decode(overlay(:'s' PLACING 'ffff' FROM 9), 'hex')),
    (8, 'a tiny block', decode(overlay(:'s' PLACING '0000' FROM 9), 'hex')),
    (9, 'a report', decode(:'r', 'hex')),
    (10, 'counts that cannot be', decode(left(:'s', 96) || repeat('ff', 8) || repeat('00', 8) || repeat('ff', 24), 'hex'));
\pset format unaligned
\pset tuples_only on
SELECT what, how, pg_temp.outcome(replace(replace(replace(query, '$s', quote_literal(:'s') || '::ldp_summary'), '$r', quote_literal(:'r') || '::ldp_report'),
                                          '$f', quote_literal(bytes) || '::bytea::ldp_summary'))
FROM forged, (VALUES
    (1, 'state of accumulate', 'SELECT pg_temp.accumulated($f, $r)'),
    (2, 'state of merge', 'SELECT ldp_summary_merge($f, $s)'),
    (3, 'other of merge', 'SELECT ldp_summary_merge($s, $f)'),
    (4, 'first of rollup', 'SELECT ldp_rollup(s) FROM (SELECT $f AS s UNION ALL SELECT $s) AS u'),
    (5, 'second of rollup', 'SELECT ldp_rollup(s) FROM (SELECT $s AS s UNION ALL SELECT $f) AS u'),
    (6, 'accessor', 'SELECT ldp_mean($f)'),
    (7, 'rows', 'SELECT * FROM ldp_estimate($f, statistics => ''{mean}'')')) AS ways (place, how, query)
ORDER BY number, place;
SELECT what, how, pg_temp.outcome(replace(replace(replace(query, '$s', quote_literal(:'s') || '::ldp_summary'), '$r', quote_literal(:'r') || '::ldp_report'),
                                          '$f', quote_literal(bytes) || '::bytea::ldp_report'))
FROM (VALUES
    (1, 'no bytes', ''::bytea), (2, 'a header', decode(left(:'r', 48), 'hex')), (3, 'no payload', decode(left(:'r', 96), 'hex')),
    (4, 'a byte long', decode(:'r' || '00', 'hex')), (5, 'a cell past the window', decode(left(:'r', -2) || 'a1', 'hex')),
    (6, 'a summary', decode(:'s', 'hex'))) AS forged_report (number, what, bytes),
    (VALUES
    (1, 'accumulate', 'SELECT pg_temp.accumulated($s, $f)'),
    (2, 'first of agg', 'SELECT ldp_agg(r) FROM (SELECT $f AS r UNION ALL SELECT $r) AS u'),
    (3, 'second of agg', 'SELECT ldp_agg(r) FROM (SELECT $r AS r UNION ALL SELECT $f) AS u'),
    (4, 'spec', 'SELECT ldp_spec($f)'),
    (5, 'check', 'SELECT ldp_internal.ldp_check_report($f, ldp_internal.ldp_spec_parameters((SELECT spec FROM spec WHERE name = ''wage'')))')) AS ways (place, how, query)
ORDER BY number, place;
\pset tuples_only off
\pset format aligned
UPDATE pg_cast SET castfunc = 'ldp_internal.ldp_summary_of_bytes(bytea)'::regprocedure, castmethod = 'f' WHERE castsource = 'bytea'::regtype AND casttarget = 'ldp_summary'::regtype;
UPDATE pg_cast SET castfunc = 'ldp_internal.ldp_report_of_bytes(bytea)'::regprocedure, castmethod = 'f' WHERE castsource = 'bytea'::regtype AND casttarget = 'ldp_report'::regtype;

-- A state is changed in place only if it belongs to the executor; other summaries are copied.
SELECT ldp_count(summary) AS before, ldp_count(pg_temp.accumulated(summary, report)) AS counted,
       ldp_count(ldp_summary_merge(summary, summary)) AS merged, ldp_count(summary) AS after
FROM (SELECT ldp_agg(report) AS summary, (array_agg(report))[1] AS report FROM colour OFFSET 0) AS s;

-- Parameter blocks are checked, too.
SELECT ldp_internal.ldp_check_report(:'r'::ldp_report, ''::bytea);
SELECT ldp_internal.ldp_check_report(:'r'::ldp_report, decode(left(:'r', 96) || '00', 'hex'));
SELECT ldp_internal.ldp_check_report(:'r'::ldp_report, decode(left(:'r', 96), 'hex'));

DROP MATERIALIZED VIEW colour_daily, profile_daily;
DROP TABLE spec, colour, tags, wage, age, profile, parted, state, long_state, forged;

-- Forms of states -------------------------------------------------------------------------------------------
-- A state of few reports is a list, a state of many reports a summary; other servers send a short form. All ways lead to
-- the same summary. A moving window counts without lists, so it gives the expected summaries.
CREATE AGGREGATE state_of(report ldp_report) (SFUNC = ldp_internal.ldp_agg_accumulate, STYPE = ldp_internal.ldp_agg_state);
CREATE AGGREGATE sum_of(state ldp_internal.ldp_agg_state) (SFUNC = ldp_internal.ldp_agg_state_merge, STYPE = ldp_internal.ldp_agg_state, FINALFUNC = ldp_internal.ldp_agg_final);
CREATE TABLE formed (name text, most integer, block text);
INSERT INTO formed SELECT name, most, encode(ldp_internal.ldp_spec_parameters((ldp_spec_info(spec)).canonical), 'hex') FROM (VALUES
    ('grr', 1024, '{"mechanism": "grr", "epsilon": 1, "domain": 1024}'::jsonb),
    ('oue', 82, '{"mechanism": "oue", "epsilon": 1, "domain": 256}'),
    ('record', 102, '{"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "domain": 50, "mechanism": "grr"}, {"name": "b", "domain": 50, "mechanism": "grr"}]}')) AS s (name, most, spec);
CREATE TABLE sized AS SELECT name, n, i AS id, (block || CASE name WHEN 'grr' THEN pg_temp.little(i * 7 % 1024, 2)
        WHEN 'oue' THEN repeat(pg_temp.little(i * 31 % 256, 1), 32) ELSE pg_temp.little(i % 2, 1) || pg_temp.little(i * 3 % 50, 1) END)::ldp_report AS report
    FROM formed, unnest(ARRAY[1, 5, most - 1, most, most + 1, 2 * most + 9]) AS n, generate_series(1, n) AS i;
SELECT name, n, get_byte(ldp_internal.ldp_agg_state_send(state), 2) = 0 AS sent_as_list, ldp_internal.ldp_agg_final(state) = expected AS rows,
       (SELECT ldp_agg(b) FROM (SELECT ldp_pack(report) AS b FROM sized AS s WHERE s.name = f.name AND s.n = f.n GROUP BY id % 3) AS p) = expected AS batches,
       (SELECT ldp_rollup(r) FROM (SELECT ldp_agg(report) AS r FROM sized AS s WHERE s.name = f.name AND s.n = f.n GROUP BY id % 3) AS p) = expected AS rolled_up,
       (SELECT sum_of(q) FROM (SELECT state_of(report) AS q FROM sized AS s WHERE s.name = f.name AND s.n = f.n GROUP BY id % 3) AS p) = expected AS combined,
       (SELECT sum_of(q::text::ldp_internal.ldp_agg_state) FROM (SELECT state_of(report) AS q FROM sized AS s WHERE s.name = f.name AND s.n = f.n GROUP BY id % 3) AS p) = expected AS sent,
       (SELECT sum_of(CASE WHEN part = 1 THEN q ELSE q::text::ldp_internal.ldp_agg_state END ORDER BY part) FROM (SELECT id % 3 AS part, state_of(report) AS q FROM sized AS s WHERE s.name = f.name AND s.n = f.n GROUP BY id % 3) AS p) = expected AS mixed,
       ldp_internal.ldp_agg_final(ldp_internal.ldp_agg_accumulate(state::text::ldp_internal.ldp_agg_state, one)) = ldp_summary_merge(expected, ldp_agg_one) AS continued
FROM (SELECT name, n, state_of(report) AS state, (array_agg(report))[1] AS one FROM sized GROUP BY name, n) AS f,
     LATERAL (SELECT ldp_agg(report) OVER (ORDER BY id ROWS BETWEEN 5000 PRECEDING AND 5000 FOLLOWING) FROM sized AS s WHERE s.name = f.name AND s.n = f.n LIMIT 1) AS w (expected),
     LATERAL (SELECT ldp_agg(r) FROM (SELECT f.one) AS s (r)) AS o (ldp_agg_one)
ORDER BY name, n;
-- Damaged states are refused, or are the state of other reports.
CREATE FUNCTION pg_temp.state_outcome(state text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ldp_internal.ldp_agg_final(state::ldp_internal.ldp_agg_state);
    RETURN 'taken';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END
$$;
CREATE TABLE sent AS SELECT n, ldp_internal.ldp_agg_state_send(state_of(report)) AS bytes FROM sized WHERE name = 'record' AND n IN (5, 103) GROUP BY n;
SELECT n, pg_temp.state_outcome(translate(encode(bytes, 'base64'), E'\n', '')) AS whole, (SELECT string_agg(DISTINCT pg_temp.state_outcome(translate(encode(substr(bytes, 1, i), 'base64'), E'\n', '')), ' ') FROM generate_series(0, length(bytes) - 1) AS i) AS truncated,
       (SELECT string_agg(DISTINCT pg_temp.state_outcome(translate(encode(set_byte(bytes, i, get_byte(bytes, i) # flip), 'base64'), E'\n', '')), ' ') FROM generate_series(0, length(bytes) - 1) AS i, unnest(ARRAY[1, 128, 255]) AS flip) AS damaged
FROM sent ORDER BY n;
-- Sums of short forms are checked once, at the end. They can be sent, merged and continued before.
CREATE AGGREGATE unchecked_of(state ldp_internal.ldp_agg_state) (SFUNC = ldp_internal.ldp_agg_state_merge, STYPE = ldp_internal.ldp_agg_state);
CREATE TABLE summed AS SELECT name, n, ldp_agg(report) AS expected, (array_agg(report))[1] AS one,
    (SELECT unchecked_of(ldp_internal.ldp_agg_add(NULL, s)::text::ldp_internal.ldp_agg_state) FROM (SELECT ldp_agg(report) AS s FROM sized AS z WHERE z.name = f.name AND z.n = f.n GROUP BY id % 3) AS p) AS sum
    FROM sized AS f WHERE n > 5 GROUP BY name, n;
SELECT name, n, ldp_internal.ldp_agg_final(sum) = expected AS final, ldp_internal.ldp_agg_final(sum::text::ldp_internal.ldp_agg_state) = expected AS sent,
       ldp_internal.ldp_agg_final(ldp_internal.ldp_agg_accumulate(sum, one)) = ldp_summary_merge(expected, (SELECT ldp_agg(r) FROM (SELECT one) AS o (r))) AS continued,
       ldp_internal.ldp_agg_final(ldp_internal.ldp_agg_state_merge(sum, ldp_internal.ldp_agg_accumulate(NULL, one))) = ldp_summary_merge(expected, (SELECT ldp_agg(r) FROM (SELECT one) AS o (r))) AS with_list,
       ldp_internal.ldp_agg_final(ldp_internal.ldp_agg_state_merge(ldp_internal.ldp_agg_accumulate(NULL, one), sum)) = ldp_summary_merge(expected, (SELECT ldp_agg(r) FROM (SELECT one) AS o (r))) AS to_list,
       ldp_internal.ldp_agg_final(ldp_internal.ldp_agg_add(sum, expected)) = ldp_summary_merge(expected, expected) AS with_summary,
       ldp_internal.ldp_agg_final(ldp_internal.ldp_agg_state_merge(sum, sum)) = ldp_summary_merge(expected, expected) AS twice
FROM summed ORDER BY name, n;
-- The sum of states with impossible counters is refused at the end: here, one state has another number of reports.
CREATE TABLE wrong AS SELECT sum, set_byte(bytes, 1 + length(ldp_internal.ldp_spec_parameters((ldp_spec_info('{"mechanism": "grr", "epsilon": 1, "domain": 1024}')).canonical)), 77) AS bytes
    FROM (SELECT sum, ldp_internal.ldp_agg_state_send(sum) AS bytes FROM summed WHERE name = 'grr' AND n = 1025) AS s;
SELECT pg_temp.state_outcome(translate(encode(bytes, 'base64'), E'\n', '')) AS one,
       pg_temp.outcome(format('SELECT ldp_internal.ldp_agg_state_merge(%L::ldp_internal.ldp_agg_state, %L) IS NOT NULL', sum::text, translate(encode(bytes, 'base64'), E'\n', ''))) AS merged,
       pg_temp.outcome(format('SELECT ldp_internal.ldp_agg_final(ldp_internal.ldp_agg_state_merge(%L::ldp_internal.ldp_agg_state, %L))', sum::text, translate(encode(bytes, 'base64'), E'\n', ''))) AS final
FROM wrong;
-- Rows of shards: the summaries of each bucket are added.
CREATE TABLE shard_rows AS SELECT sha256(convert_to(bucket::text, 'UTF8')) AS bucket, bucket AS number, ldp_agg(report) AS summary FROM sized, LATERAL (SELECT id % 7) AS b (bucket) WHERE name = 'grr' AND n = 1025 GROUP BY bucket, id % 3;
CREATE FUNCTION pg_temp.over_shards(columns text) RETURNS text LANGUAGE sql AS $$
    SELECT ldp_internal.ldp_run_over_shards(current_user::regrole, false,
        format('SELECT %s ldp_internal.ldp_agg_state_send(ldp_internal.ldp_agg_add(NULL, summary)) AS summary FROM shard_rows', columns),
        'SELECT concat_ws('' '', count(*), count(DISTINCT number), (SELECT bool_and(s.summary = e.summary) FROM (SELECT number, ldp_rollup(summary) AS summary FROM ldp_shard_rows GROUP BY number) AS s '
        'JOIN (SELECT number, ldp_rollup(summary) AS summary FROM shard_rows GROUP BY number) AS e USING (number))) FROM ldp_shard_rows', NULL::text)
$$;
SELECT pg_temp.over_shards('bucket, number,') AS of_buckets, pg_temp.over_shards('number,') AS of_rows;
DROP TABLE summed, wrong, shard_rows;
DROP AGGREGATE unchecked_of(ldp_internal.ldp_agg_state);
-- Padding inside the text is rejected, also where the text is converted in segments.
SELECT pg_temp.outcome($$SELECT (repeat('A', 1048572) || 'AAA=' || 'AAAA')::ldp_internal.ldp_agg_state$$);
-- The 16 summaries of this array would have 256 MB. Reading their short forms in one query takes the memory of one summary at a
-- time, and so does writing them.
CREATE FUNCTION pg_temp.memory_now() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    bytes bigint = 0;
BEGIN
    IF current_setting('server_version_num')::integer >= 140000 THEN
        EXECUTE 'SELECT sum(total_bytes) FROM pg_backend_memory_contexts' INTO bytes;
    END IF;
    RETURN bytes;
END
$$;
CREATE TABLE wide AS SELECT ldp_internal.ldp_agg_add(NULL, ldp_agg(pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 2000000}', '010000'))) AS state;
SELECT cardinality(('{' || repeat(state::text || ',', 15) || state::text || '}')::ldp_internal.ldp_agg_state[]) AS read, pg_temp.memory_now() < 100000000 AS little_memory FROM wide;
SELECT length(array_fill(state, ARRAY[4])::text) > 8000 AS written, pg_temp.memory_now() < 130000000 AS little_memory FROM wide;
DROP TABLE wide;
-- A group of ten reports takes memory for ten reports: with counters, 2,000 groups would take 16 MB.
CREATE FUNCTION pg_temp.memory_of(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    SET LOCAL work_mem = '64MB';
    SET LOCAL enable_sort = off;
    EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN jsonb_path_query_first(plan, '$.**."Peak Memory Usage"')::bigint;
END
$$;
SELECT pg_temp.memory_of($$SELECT ldp_agg(report) FROM sized, generate_series(1, 400) AS g WHERE name = 'grr' AND n = 1023 AND id <= 50 GROUP BY g, id % 5$$) BETWEEN 200 AND 2000 AS few_kilobytes;
DROP AGGREGATE state_of(ldp_report), sum_of(ldp_internal.ldp_agg_state);
