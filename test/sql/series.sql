-- Series: rounds are a column, summaries of days roll up to weeks, and a difference accounts for the common part of two days.
\ir setup.sql
CREATE SCHEMA series;
SET search_path = series, public;


-- Fourteen days of 300 reports each: shares of labels, shares through hashes, means, and a record.
SELECT ldp_create_collection('app', '{"mechanism": "l_osue", "epsilon": 2, "report_epsilon": 1, "domain": ["mail", "maps", "news", "other"]}');
SELECT ldp_create_collection('site', '{"mechanism": "loloha", "epsilon": 2, "report_epsilon": 1, "domain": 12, "hash_buckets": 2}');
SELECT ldp_create_collection('minutes', '{"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 100, "grid": 10}');
SELECT ldp_create_collection('person', '{"mechanism": "sampled", "epsilon": 1, "grid": 10, "attributes": [{"name": "size", "min": 0, "max": 100, "mechanism": "duchi"},
    {"name": "colour", "domain": ["red", "green", "blue"], "mechanism": "grr", "weight": 3}]}');
SELECT ldp_open_rounds(name, 1, 15) FROM unnest('{app,site,minutes,person}'::text[]) AS name;
INSERT INTO app SELECT pg_temp.report(ldp_client_spec('app'), pg_temp.little((i * 37 + i / 5 + day * i % 11) % 16, 1)), day
FROM generate_series(1, 300) AS i, generate_series(1, 14) AS day;
INSERT INTO site SELECT pg_temp.report(ldp_client_spec('site'), pg_temp.scramble(i, 1) || pg_temp.scramble(i, 2) || pg_temp.little((i + day * i % 5) % 2, 1)), day
FROM generate_series(1, 300) AS i, generate_series(1, 14) AS day;
INSERT INTO minutes SELECT pg_temp.report(ldp_client_spec('minutes'), pg_temp.little((i * 7 + i / 5 + day * i % 7) % 10, 1)), day
FROM generate_series(1, 300) AS i, generate_series(1, 14) AS day;
INSERT INTO person SELECT pg_temp.report(ldp_client_spec('person'), CASE WHEN i % 4 = 0 THEN '00' ELSE '01' END ||
    pg_temp.little((i / 4 + day * i % 7) % CASE WHEN i % 4 = 0 THEN 2 ELSE 3 END, 1)), day
FROM generate_series(1, 300) AS i, generate_series(1, 14) AS day;

-- A round is a column like any other.
SELECT round AS day, round(ldp_mean(report)::numeric, 6) AS mean FROM minutes WHERE round <= 3 GROUP BY day ORDER BY day;
SELECT round AS day, (SELECT string_agg(label || ' ' || round(estimate::numeric, 4), ', ' ORDER BY value) FROM ldp_estimate(ldp_agg(report), statistics => '{proportion}')) AS shares
FROM app WHERE round <= 3 GROUP BY day ORDER BY day;

-- Summaries of days, kept up to date, and those of weeks from them: the same bytes as from the reports.
CREATE MATERIALIZED VIEW daily AS
    SELECT 'app' AS name, round AS day, ldp_agg(report) AS summary FROM app GROUP BY round
    UNION ALL SELECT 'site', round, ldp_agg(report) FROM site GROUP BY round
    UNION ALL SELECT 'minutes', round, ldp_agg(report) FROM minutes GROUP BY round
    UNION ALL SELECT 'person', round, ldp_agg(report) FROM person GROUP BY round;
CREATE UNIQUE INDEX ON daily (name, day);
WITH weekly AS (SELECT name, (day - 1) / 7 AS week, ldp_rollup(summary) AS summary FROM daily GROUP BY name, week),
reports AS (SELECT 'app' AS name, * FROM app UNION ALL SELECT 'site', * FROM site UNION ALL SELECT 'minutes', * FROM minutes UNION ALL SELECT 'person', * FROM person)
SELECT w.name, week, ldp_count(w.summary), w.summary = (SELECT ldp_agg(report) FROM reports AS r WHERE r.name = w.name AND (r.round - 1) / 7 = week) AS as_from_reports
FROM weekly AS w ORDER BY name, week;
INSERT INTO minutes SELECT report, 15 FROM minutes WHERE round = 14;
REFRESH MATERIALIZED VIEW CONCURRENTLY daily;
SELECT name, count(*) AS days, sum(ldp_count(summary)) AS reports FROM daily GROUP BY name ORDER BY name;

SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ANALYZE app;
EXPLAIN (COSTS OFF) SELECT round, ldp_agg(report) FROM app GROUP BY round;
SELECT count(*) AS days, bool_and(p.parallel = d.summary) AS the_same
FROM (SELECT round, ldp_agg(report) AS parallel FROM app GROUP BY round) AS p JOIN daily AS d ON d.name = 'app' AND d.day = p.round;
RESET max_parallel_workers_per_gather;

-- Changes: attribute, value and label as the other accessors have them.
CREATE TABLE pair AS SELECT b.name, b.summary AS before, a.summary AS after
    FROM daily AS b JOIN daily AS a USING (name) WHERE b.day = 1 AND a.day = 9;
SELECT attribute, value, label, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper
FROM pair, ldp_change(before, after, 0.6, target => 'sample') WHERE name = 'app';
SELECT name, attribute, value, label, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr FROM pair, ldp_change(before, after, 0.6, target => 'sample') WHERE name IN ('minutes', 'person') ORDER BY name, attribute, value;
-- Without anything in common, variances add up, and intervals are those of two groups of different people.
SELECT name, count(*) AS items, bool_and(abs(c.estimate - (y.estimate - x.estimate)) < 1e-12) AS differences,
       bool_and(abs(c.stderr - sqrt(x.stderr ^ 2 + y.stderr ^ 2)) < 1e-12) AS errors, bool_and((c.lower, c.upper) = (g.lower, g.upper)) AS intervals
FROM pair, ldp_change(before, after, target => 'sample') AS c JOIN LATERAL ldp_compare_groups(ldp_groups('{before,after}'::text[], ARRAY[before, after]), baseline => 'before', target => 'sample') AS g USING (value) JOIN LATERAL ldp_estimate(before, statistics => '{proportion}') AS x USING (value) JOIN LATERAL ldp_estimate(after, statistics => '{proportion}') AS y USING (value)
WHERE name IN ('app', 'site') GROUP BY name ORDER BY name;
-- One layer by hand: the less noisy day's variance is common to both.
SELECT abs(c.stderr - sqrt(x.stderr ^ 2 + y.stderr ^ 2 - 2 * 0.6 * LEAST(x.stderr, y.stderr) ^ 2)) < 1e-9 AS by_hand
FROM pair, ldp_change(before, after, 0.6, target => 'sample') AS c, ldp_estimate(before, statistics => '{mean}') AS x, ldp_estimate(after, statistics => '{mean}') AS y WHERE name = 'minutes';
-- Two layers: what the permanent response adds, from its own p and q, is common, and what the second layer adds is not.
WITH constant AS (SELECT p, q, 1 / (exp(2.0::float8) + 1) AS r FROM (SELECT (d ->> 'p')::float8 AS p, (d ->> 'q')::float8 AS q FROM CAST((ldp_spec_info(ldp_client_spec('app'))).canonical AS jsonb) AS s, LATERAL (SELECT s -> 'derived') AS t (d)) AS u),
item AS (SELECT c.*, LEAST(1, GREATEST(0, x.estimate)) AS f, LEAST(1, GREATEST(0, y.estimate)) AS g, x.stderr ^ 2 + y.stderr ^ 2 AS apart
         FROM pair, ldp_change(before, after, 1, target => 'sample') AS c JOIN LATERAL ldp_estimate(before, statistics => '{proportion}') AS x USING (value) JOIN LATERAL ldp_estimate(after, statistics => '{proportion}') AS y USING (value) WHERE name = 'app')
SELECT bool_and(abs(stderr ^ 2 - (apart - 2.0 / 300 * LEAST(f / 4 + (1 - f) * r * (1 - r), g / 4 + (1 - g) * r * (1 - r)) / (0.5 - r) ^ 2)) < 1e-9) AS by_hand FROM item, constant;
-- A larger memoized share gives a narrower interval; equal reports have a change of exactly 0, unless a second layer drew anew.
SELECT name, bool_and(a.stderr > b.stderr AND b.stderr > c.stderr) AS narrower
FROM pair, ldp_change(before, after) AS a JOIN LATERAL ldp_change(before, after, 0.5) AS b ON (b.attribute, b.value) IS NOT DISTINCT FROM (a.attribute, a.value)
     JOIN LATERAL ldp_change(before, after, 1) AS c ON (c.attribute, c.value) IS NOT DISTINCT FROM (a.attribute, a.value) GROUP BY name ORDER BY name;
SELECT name, bool_and(estimate = 0) AS unchanged, bool_and(stderr = 0) AS for_certain FROM pair, ldp_change(before, before, 1, target => 'sample') GROUP BY name ORDER BY name;
SELECT name, bool_and(s.stderr <= p.stderr) AS population_is_less_sure
FROM pair, ldp_change(before, after, 0.5, target => 'sample') AS s JOIN LATERAL ldp_change(before, after, 0.5, target => 'population') AS p ON (p.attribute, p.value) IS NOT DISTINCT FROM (s.attribute, s.value) GROUP BY name ORDER BY name;
-- Part of a record, and days one after another.
SELECT label, value, round(estimate::numeric, 6) AS estimate FROM pair, ldp_change(ldp_part(before, 'colour'), ldp_part(after, 'colour'), 0.6) WHERE name = 'person';
SELECT day, round(c.estimate::numeric, 4) AS change, round(c.stderr::numeric, 4) AS stderr
FROM (SELECT day, summary, lag(summary) OVER (ORDER BY day) AS previous FROM daily WHERE name = 'minutes' AND day <= 4) AS d, ldp_change(previous, summary, 0.5, target => 'sample') AS c ORDER BY day;

-- Errors.
\pset format unaligned
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_change((SELECT before FROM pair WHERE name = 'minutes'), (SELECT before FROM pair WHERE name = 'person'))$$),
    ($$SELECT ldp_change(ldp_part(before, 'size'), ldp_part(after, 'colour')) FROM pair WHERE name = 'person'$$),
    ($$SELECT ldp_change(before, after, 1.5) FROM pair$$),
    ($$SELECT ldp_change(before, after, -0.1) FROM pair$$),
    ($$SELECT ldp_change(before, after, 'NaN') FROM pair$$),
    ($$SELECT ldp_change(before, after, 0.5, 1) FROM pair$$),
    ($$SELECT ldp_change(before, after, 0.5, 0.9, 'panel') FROM pair$$)) AS q (query);
\pset format aligned

-- A series under one epsilon: all rounds from one summary, whichever reports it has so far.
SELECT ldp_create_collection('plan', '{"mechanism": "ddrm", "epsilon": 6, "rounds": 4, "changes": 1, "domain": ["free", "pro"]}');
INSERT INTO plan SELECT pg_temp.report(ldp_client_spec('plan'), '01' || pg_temp.little(2 * node + CASE WHEN (i * 7 + node) % 10 < CASE node WHEN 0 THEN 7 WHEN 4 THEN 6 WHEN 6 THEN 4 ELSE 5 END THEN 1 ELSE 0 END, 1)),
    CASE node WHEN 0 THEN 1 WHEN 1 THEN 2 WHEN 4 THEN 2 WHEN 2 THEN 3 ELSE 4 END
FROM generate_series(1, 200) AS i, generate_series(0, 6) AS node;
SELECT round, label, round(estimate::numeric, 4) AS estimate, round(stderr::numeric, 4) AS stderr FROM ldp_series((SELECT ldp_agg(report) FROM plan)) ORDER BY round, value;
SELECT round, label, round(estimate::numeric, 4) AS estimate FROM ldp_series((SELECT ldp_agg(report) FROM plan WHERE round <= 2)) ORDER BY round, value;
SELECT round, sum(estimate) BETWEEN 0.999999 AND 1.000001 AS sum_to_one FROM ldp_series((SELECT ldp_agg(report) FROM plan), 0.9, 'population') GROUP BY round ORDER BY round;
SELECT count(*) FROM ldp_series(NULL::ldp_summary);
-- At all looks, and of all rows together.
SELECT count(*) AS rows, bool_and(a.estimate = s.estimate AND a.upper - a.lower > 1.5 * (s.upper - s.lower)) AS anytime, bool_and(t.upper - t.lower > s.upper - s.lower) AS simultaneous
FROM (SELECT ldp_agg(report) AS summary FROM plan) AS p, ldp_series(summary) AS s JOIN LATERAL ldp_series(summary, anytime => true) AS a USING (round, value) JOIN LATERAL ldp_series(summary, simultaneous => true) AS t USING (round, value);
-- The mean of rounds and the difference of two rounds, with their covariance. The mean of one round is that round.
SELECT label, round(estimate::numeric, 4) AS estimate, round(stderr::numeric, 4) AS stderr FROM ldp_series_mean((SELECT ldp_agg(report) FROM plan), '{1,2,3,4}') ORDER BY value;
SELECT label, round(estimate::numeric, 4) AS estimate, round(stderr::numeric, 4) AS stderr FROM ldp_series_mean((SELECT ldp_agg(report) FROM plan), '{4}', '{1}') ORDER BY value;
SELECT bool_and(abs(m.estimate - s.estimate) < 1e-12 AND abs(m.stderr - s.stderr) < 1e-12 AND abs(m.lower - s.lower) < 1e-12) AS one_round
FROM (SELECT ldp_agg(report) AS summary FROM plan) AS p, ldp_series_mean(summary, '{3}') AS m JOIN LATERAL ldp_series(summary) AS s ON s.round = 3 AND s.value = m.value;
SELECT count(*) AS rows, count(estimate) AS known FROM ldp_series_mean((SELECT ldp_agg(report) FROM plan WHERE round <= 2), '{4}', '{1}');
SELECT count(*) FROM ldp_series_mean(NULL, '{1}');

-- Series of numbers: means of rounds, shares of ranges and quantiles.
SELECT ldp_create_collection('weight', '{"mechanism": "threshold_series", "epsilon": 9, "rounds": 4, "changes": 1, "thresholds": 4, "attributes": [{"name": "weight", "min": 0, "max": 100}]}');
INSERT INTO weight SELECT pg_temp.report(ldp_client_spec('weight'), pg_temp.little(1 + i % 4, 1) ||
        pg_temp.little(2 * node + CASE WHEN (i * 7 + i / 4 + node) % 10 < CASE WHEN node IN (0, 4, 6) THEN 9 - 2 * (i % 4) ELSE 5 END THEN 1 ELSE 0 END, 1)),
    CASE node WHEN 0 THEN 1 WHEN 1 THEN 2 WHEN 4 THEN 2 WHEN 2 THEN 3 ELSE 4 END
FROM generate_series(1, 400) AS i, generate_series(0, 6) AS node;
CREATE TABLE weights AS SELECT ldp_agg(report) AS summary FROM weight;
SELECT round, attribute, label, round(estimate::numeric, 3) AS estimate, round(stderr::numeric, 3) AS stderr, round(lower::numeric, 3) AS lower, round(upper::numeric, 3) AS upper, n
FROM weights, ldp_series(summary) ORDER BY round;
SELECT round, round(estimate::numeric, 4) AS estimate, round(stderr::numeric, 4) AS stderr, note FROM weights, ldp_series_between(summary, 25, 75) ORDER BY round;
SELECT round, probability, round(estimate::numeric, 2) AS estimate, round(lower::numeric, 2) AS lower, round(upper::numeric, 2) AS upper FROM weights, ldp_series_quantiles(summary, '{0.25,0.5}') ORDER BY round, probability;
SELECT round(estimate::numeric, 3) AS estimate, round(stderr::numeric, 3) AS stderr FROM weights, ldp_series_mean(summary, '{1,2,3,4}');
SELECT round(c.estimate::numeric, 3) AS change, abs(c.estimate - (b.estimate - a.estimate)) < 1e-9 AS difference, c.stderr < sqrt(a.stderr ^ 2 + b.stderr ^ 2) AS shared_reports
FROM weights, ldp_series_mean(summary, '{4}', baseline => '{3}') AS c, ldp_series(summary) AS a, ldp_series(summary) AS b WHERE a.round = 3 AND b.round = 4;
-- Rounds that the reports do not reach; parts of the reports, merged; groups.
SELECT round, estimate IS NULL AS unknown, note FROM ldp_series_between((SELECT ldp_agg(report) FROM weight WHERE round <= 2), 0, 50) ORDER BY round;
SELECT round, probability, estimate IS NULL AS unknown FROM ldp_series_quantiles((SELECT ldp_agg(report) FROM weight WHERE round <= 2), '{0.5}') ORDER BY round;
SELECT (SELECT ldp_rollup(summary) FROM (SELECT ldp_agg(report) AS summary FROM weight GROUP BY round) AS days) = summary AS merged FROM weights;
SELECT part, count(*) AS rounds, count(estimate) AS known FROM (SELECT round <= 2 AS part, ldp_agg(report) AS summary FROM weight GROUP BY part) AS g, ldp_series(summary) GROUP BY part ORDER BY part;
SELECT bool_and(b.estimate = s.estimate AND b.stderr = s.stderr) AS up_to, bool_and(f.estimate = t.estimate AND f.stderr = t.stderr) AS from_on
FROM weights, ldp_series_between(summary, NULL, 25) AS b JOIN ldp_series_between(summary, '-Infinity', 25) AS s USING (round)
     JOIN ldp_series_between(summary, low => 75) AS f USING (round) JOIN ldp_series_between(summary, 75, 'Infinity') AS t USING (round);
SELECT count(*) FROM weights, ldp_series_quantiles(summary, '{}');
\pset format unaligned
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_estimate(summary, statistics => '{mean}') FROM weights$$),
    ($$SELECT ldp_mean(summary) FROM weights$$),
    ($$SELECT ldp_quantiles(summary) FROM weights$$),
    ($$SELECT ldp_estimate('weight')$$),
    ($$SELECT ldp_learn_range(summary) FROM weights$$),
    ($$SELECT ldp_series_between(summary, 2, 1) FROM weights$$),
    ($$SELECT ldp_series_between(summary) FROM weights$$),
    ($$SELECT ldp_series_quantiles(summary, '{1}') FROM weights$$),
    ($$SELECT ldp_series_mean(summary, '{}') FROM weights$$),
    ($$SELECT ldp_series_mean(summary, '{1,5}') FROM weights$$),
    ($$SELECT ldp_series_mean(summary, '{0}') FROM weights$$),
    ($$SELECT ldp_series_mean(summary, '{1}', '{5}') FROM weights$$),
    ($$SELECT ldp_series_between(ldp_agg(report), 0, 1) FROM plan$$),
    ($$SELECT ldp_series_quantiles(ldp_agg(report)) FROM plan$$),
    ($$SELECT ldp_series_mean(ldp_agg(report), '{1}') FROM minutes$$),
    ($$SELECT ldp_create_collection('bad', '{"mechanism": "threshold_series", "epsilon": 6, "thresholds": 3, "grid": 100, "min": 0, "max": 1}')$$),
    ($$SELECT ldp_create_collection('bad', '{"mechanism": "threshold_series", "epsilon": 6, "domain": 2}')$$)) AS q (query);
\pset format aligned
\pset format unaligned
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_estimate(ldp_agg(report), statistics => '{proportion}') FROM plan$$),
    ($$SELECT ldp_proportion(ldp_agg(report)) FROM plan$$),
    ($$SELECT ldp_top(ldp_agg(report)) FROM plan$$),
    ($$SELECT ldp_estimate('plan')$$),
    ($$SELECT ldp_series(ldp_agg(report)) FROM app$$),
    ($$SELECT ldp_series(ldp_agg(report), 2) FROM plan$$),
    ($$SELECT ldp_create_collection('bad', '{"mechanism": "ddrm", "epsilon": 6, "rounds": 4, "changes": 4, "domain": 2}')$$),
    ($$SELECT ldp_create_collection('bad', '{"mechanism": "ddrm", "epsilon": 6, "domain": 2, "evolving": {}, "budget": {"epsilon": 9}}')$$)) AS q (query);
\pset format aligned

-- A distribution of numbers that change: buckets of five partitions, of people whose value is 8, 9 or 10. By round, over all rounds, and
-- its change to the last round, in which a third have moved up by 6.
SELECT ldp_create_collection('waiting', '{"mechanism": "dithered", "epsilon": 4, "min": 0, "max": 20, "grid": 20, "buckets": 5, "evolving": {}, "budget": {"epsilon": 20}}');
SELECT ldp_open_rounds('waiting', 1, 3);
INSERT INTO waiting SELECT pg_temp.report(ldp_client_spec('waiting'), pg_temp.little(part, 1) || pg_temp.little(CASE WHEN i % 16 = 0 THEN i / 16 % 5 ELSE (value + 4 - part) / 5 END, 1)), day
FROM (SELECT i, day, i % 5 AS part, 8 + i / 15 % 3 + CASE WHEN day = 3 AND i % 3 = 0 THEN 6 ELSE 0 END AS value FROM generate_series(1, 300) AS i, generate_series(1, 3) AS day) AS people;
SELECT round, round(estimate::numeric, 4) AS estimate, round(lower::numeric, 4) AS low, round(upper::numeric, 4) AS high, note
FROM (SELECT round, ldp_agg(report, round) AS summary FROM waiting GROUP BY round) AS s, ldp_between(summary, 8, 10) ORDER BY round;
SELECT round(estimate::numeric, 4) AS estimate, round(lower::numeric, 4) AS low, round(upper::numeric, 4) AS high, note
FROM ldp_between((SELECT ldp_agg(report, round) FROM waiting), 8, 10);
SELECT q.probability, q.estimate, q.lower, q.upper FROM ldp_quantiles((SELECT ldp_agg(report, round) FROM waiting WHERE round = 1), '{0.1,0.5,0.9}'::float8[]) AS q;
SELECT round(estimate::numeric, 3) AS estimate, round(stderr::numeric, 3) AS stderr, round(lower::numeric, 3) AS low, round(upper::numeric, 3) AS high
FROM ldp_change((SELECT ldp_agg(report, round) FROM waiting WHERE round = 1), (SELECT ldp_agg(report, round) FROM waiting WHERE round = 3), 0.67, target => 'sample');
SELECT bool_and(p_value > 0.001) AS healthy FROM ldp_health((SELECT ldp_agg(report, round) FROM waiting WHERE round = 1));
\pset format unaligned
SELECT pg_temp.refusal($$SELECT ldp_create_collection('bad', '{"mechanism": "dithered", "epsilon": 4, "attributes": [{"name": "x", "min": 0, "max": 20, "evolving": true}], "budget": {"epsilon": 20}}')$$);
\pset format aligned

-- NULLs and empty summaries give no rows.
CREATE VIEW nobody AS SELECT name, before, after, overlay(before::text PLACING repeat('0', 2 * 8) || 'ffffff7f00000080' || repeat('0', length(before::text) - start - 31) FROM start)::ldp_summary AS empty
FROM (SELECT *, length(ldp_internal.ldp_spec_parameters(ldp_client_spec(name))) * 2 + 1 AS start FROM pair) AS p;
SELECT name, ldp_count(empty) AS reports, (SELECT count(*) FROM ldp_change(empty, after)) AS from_nothing, (SELECT count(*) FROM ldp_change(before, empty)) AS to_nothing,
       (SELECT count(*) FROM ldp_change(NULL, after)) AS from_null, (SELECT count(*) FROM ldp_change(before, after, NULL)) AS kept_null FROM nobody ORDER BY name;
SET client_min_messages = warning;
DROP MATERIALIZED VIEW daily;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['app', 'site', 'minutes', 'person', 'plan', 'weight', 'waiting']) AS name;
DROP SCHEMA series CASCADE;
