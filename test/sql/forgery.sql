-- Forged reports: bounds on their effect, robust intervals, and copies of one report.
\ir setup.sql
CREATE SCHEMA forgery;
SET search_path = forgery, public;


-- Effect of one report, and of a share of all ------------------------------------------------------------------
-- By hand: of grr, (1−q)/(p−q) from a share of 0; of duchi, from one end of the range B beyond the other.
SELECT round(one_report::numeric, 6) AS one_report, round(up::numeric, 8) AS up, one_report - (e + 2) / (e - 1) < 1e-9 AS by_hand, abs(up - 0.01 * one_report) < 1e-9 AS share
FROM ldp_influence('{"mechanism": "grr", "epsilon": 1, "domain": 4}'), exp(1::float8) AS e;
SELECT attribute, abs(one_report - (1 + (e + 1) / (e - 1)) * 5) < 1e-9 AS by_hand, abs(down + up) < 1e-9 AS both_ways
FROM ldp_influence('{"mechanism": "duchi", "epsilon": 1, "attributes": [{"name": "hours", "min": 0, "max": 10}]}', 0.2), exp(1::float8) AS e;
-- A single report of laplace has by far the largest effect. In a record, each attribute has fewer honest reports.
SELECT mechanism, round(one_report::numeric, 1) AS one_report
FROM unnest(ARRAY['duchi', 'hybrid', 'piecewise', 'pdp', 'laplace']) AS mechanism,
     ldp_influence(format('{"mechanism": "%s", "epsilon": 1, "min": 0, "max": 10}', mechanism)::jsonb);
SELECT attribute, round(one_report::numeric, 4) AS one_report, round(down::numeric, 4) AS down, round(up::numeric, 4) AS up
FROM ldp_influence('{"mechanism": "sampled", "epsilon": 1, "grid": 10, "attributes": [{"name": "size", "min": 0, "max": 100, "mechanism": "duchi"},
    {"name": "town", "domain": ["Ulm", "Bonn", "Kiel"], "mechanism": "grr", "weight": 3}]}', 0.05);
SELECT attribute, one_report, up FROM ldp_influence('{"mechanism": "haar_ranges", "epsilon": 1, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]}');
SELECT * FROM ldp_influence('{"mechanism": "grr", "epsilon": 1, "domain": 4}', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM ldp_influence('{"mechanism": "grr", "epsilon": 1, "domain": 4}', NULL);
-- ldp_advise has the bound for one forged report in a hundred; laplace has the largest one.
SELECT mechanism, round(worst_case_bias::numeric, 3) AS bias FROM ldp_advise('{"epsilon": 1, "min": 0, "max": 1}');

-- Robust intervals --------------------------------------------------------------------------------------------
CREATE TABLE town AS SELECT pg_temp.report('{"mechanism": "grr", "epsilon": 2, "domain": ["Ulm", "Bonn", "Kiel"]}', pg_temp.little(CASE WHEN i % 20 < 9 THEN 1 WHEN i % 20 < 15 THEN 0 ELSE 2 END, 1)) AS report
FROM generate_series(1, 3000) AS i;
SELECT label, value, round(w.estimate::numeric, 4) AS estimate, round(w.lower::numeric, 4) AS lower, round(w.upper::numeric, 4) AS upper, w.n
FROM (SELECT ldp_agg(report) AS s FROM town) AS t, ldp_robust_interval(s, 0.05) AS w;
-- Without forged reports it is the usual interval, restricted to 0 to 1.
SELECT bool_and(abs(w.lower - greatest(f.lower, 0)) < 1e-12 AND abs(w.upper - least(f.upper, 1)) < 1e-12) AS usual
FROM (SELECT ldp_agg(report) AS s FROM town) AS t, ldp_robust_interval(s, 0, 0.9) AS w JOIN ldp_estimate((SELECT ldp_agg(report) FROM town), statistics => '{proportion}', confidence => 0.9) AS f USING (value);
-- By hand: with at most 150 of 3000 forged, 2850 honest supports at least those without them, at most all.
SELECT w.value, abs(w.lower - greatest((c - 150 - 2850 * q) / (2850 * (p - q)) - z, 0)) < 1e-3 AS lower, abs(w.upper - least((c - 2850 * q) / (2850 * (p - q)) + z, 1)) < 1e-3 AS upper
FROM (SELECT ldp_agg(report) AS s FROM town) AS t, ldp_robust_interval(s, 0.05) AS w JOIN ldp_estimate((SELECT ldp_agg(report) FROM town), statistics => '{proportion}') AS f USING (value),
     LATERAL (SELECT exp(2::float8) / (exp(2::float8) + 2), 1 / (exp(2::float8) + 2)) AS o (p, q),
     LATERAL (SELECT 3000 * (q + f.estimate * (p - q)), 1.959964 * f.stderr / sqrt(0.95)) AS x (c, z) ORDER BY value;
-- If all reports about an attribute may be forged, the interval is the whole range.
SELECT attribute, n, round(w.lower::numeric, 4) AS lower, round(w.upper::numeric, 4) AS upper
FROM (SELECT ldp_agg(pg_temp.report('{"mechanism": "sampled", "epsilon": 1, "grid": 10, "attributes": [{"name": "size", "min": 0, "max": 100, "mechanism": "duchi"},
          {"name": "price", "min": 0, "max": 10, "mechanism": "duchi", "weight": 9}]}', CASE WHEN i % 10 = 0 THEN '00' ELSE '01' END || pg_temp.little(i % 2, 1))) AS s
      FROM generate_series(1, 4000) AS i) AS t, ldp_robust_interval(s, 0.1) AS w;
SELECT count(*) FROM ldp_robust_interval((SELECT ldp_agg(report) FROM town), 1);
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM (SELECT ldp_agg(report) AS s FROM town WHERE false) AS t, ldp_robust_interval(s) AS w;

-- Copies ----------------------------------------------------------------------------------------------------------
-- Values over the whole range, and one report in fifty is a copy.
CREATE TABLE wage AS SELECT pg_temp.report('{"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 2500}', pg_temp.little(CASE WHEN i % 50 = 0 THEN 20000 ELSE i * 20011::bigint % 50000 END, 2)) AS report
FROM generate_series(1, 5000) AS i;
SELECT copies, chance < 1e-100 AS forged
FROM (SELECT count(*) AS copies, ldp_duplicates(report, count(*), sum(count(*)) OVER ()::bigint) AS chance FROM wage GROUP BY report) AS c WHERE chance < 1e-6;
-- The diagnostics of the summary do not detect the copies.
SELECT min(p_value) > 1e-3 AS nothing FROM (SELECT ldp_agg(report) AS s FROM wage) AS t, ldp_health(s);
-- By hand: a pair among two reports of grr over a thousand values, each with probability p at most; one alone.
SELECT abs(ldp_duplicates(report, 2, 2) - p) < 1e-9 AS pair, ldp_duplicates(report, 1, 1000000) AS alone
FROM pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 1000}', '0500') AS report, LATERAL (SELECT exp(1::float8) / (exp(1::float8) + 999)) AS o (p);
SELECT ldp_duplicates(report, 5, 4) FROM town LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_duplicates(report, 0, 4) FROM town LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
