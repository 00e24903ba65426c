-- Covariance, correlation and regression from products of a record's attributes; combination of estimates.
\ir setup.sql
CREATE SCHEMA regression;
SET search_path = regression, public;


-- A record by hand with the products for a regression, and the number of ones among a hundred reports about each number.
SELECT ldp_create_collection('pupil', '{"mechanism": "sampled", "epsilon": 4, "per_report": 1, "grid": 100, "regression": {"of": "score", "on": ["hours"], "group": "school"}, "attributes": [
    {"name": "school", "domain": ["north", "süd"], "mechanism": "grr"},
    {"name": "hours", "min": 0, "max": 10, "mechanism": "duchi"}, {"name": "score", "min": 0, "max": 100, "mechanism": "duchi"},
    {"product": ["score", "score"], "mechanism": "duchi"}, {"product": ["score", "hours"], "mechanism": "duchi"}, {"product": ["hours", "hours"], "mechanism": "duchi"},
    {"product": ["score", {"school": "north"}], "mechanism": "duchi"}, {"product": ["score", {"school": "süd"}], "mechanism": "duchi"},
    {"product": ["hours", {"school": "north"}], "mechanism": "duchi"}, {"product": [{"school": "süd"}, "hours"], "mechanism": "duchi"}]}');
SELECT a ->> 'name' AS name, a -> 'min' AS min, a -> 'max' AS max, a -> 'product' AS product
FROM jsonb_array_elements(ldp_client_spec('pupil') -> 'attributes') AS a;
SELECT (ldp_spec_info('{"mechanism": "sampled", "epsilon": 1, "regression": {"of": "y", "on": ["x"]}, "attributes": [{"name": "x", "min": 0, "max": 1}, {"name": "y", "min": -1, "max": 1}]}')).canonical #>> '{attributes,3,name}' AS third;
CREATE TABLE ones AS SELECT * FROM (VALUES (0, 40), (1, 60), (2, 55), (3, 60), (4, 66), (5, 45), (6, 52), (7, 56), (8, 55), (9, 60)) AS o (attribute, ones);
INSERT INTO pupil SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('pupil')), 'hex') || lpad(to_hex(attribute), 2, '0') || CASE WHEN i % 100 < ones THEN '01' ELSE '00' END)::ldp_report
FROM ones, generate_series(1, 800) AS i;
CREATE TABLE told AS SELECT ldp_agg(report) AS s FROM pupil;

-- By hand: centred means from different people, so that their errors are independent.
CREATE VIEW m AS SELECT attribute AS name, estimate - CASE attribute WHEN 'hours' THEN 5 WHEN 'score' THEN 50 ELSE 0 END AS m, stderr AS e
    FROM told, ldp_estimate(s, statistics => '{mean}', target => 'population');
CREATE VIEW moment AS SELECT x.m AS x, x.e AS ex, y.m AS y, y.e AS ey, xx.m AS xx, xx.e AS exx, xy.m AS xy, xy.e AS exy, yy.m AS yy, yy.e AS eyy
    FROM m AS x, m AS y, m AS xx, m AS xy, m AS yy WHERE x.name = 'hours' AND y.name = 'score' AND xx.name = 'hours*hours' AND xy.name = 'score*hours' AND yy.name = 'score*score';
SELECT abs(c.estimate - (xy - x * y)) < 1e-9 AS estimate, abs(c.stderr / sqrt(exy ^ 2 + (x * ey) ^ 2 + (y * ex) ^ 2) - 1) < 1e-9 AS stderr,
       abs(c.upper - c.estimate - 1.959963984540054 * c.stderr) < 1e-9 AS upper, c.n, c.people, c.attribute, c.label, c.note
FROM told, moment, ldp_covariance(s, 'hours', 'score', target => 'population') AS c;
SELECT abs(c.estimate - (xx - x * x)) < 1e-9 AS variance, abs(c.stderr / sqrt(exx ^ 2 + (2 * x * ex) ^ 2) - 1) < 1e-9 AS stderr
FROM told, moment, ldp_covariance(s, 'hours', 'hours', target => 'population') AS c;
SELECT (c.estimate, c.stderr, c.source) = (d.estimate, d.stderr, d.source) AS in_either_order FROM told, ldp_covariance(s, 'hours', 'score') AS c, ldp_covariance(s, 'score', 'hours') AS d;
SELECT abs(c.estimate - (xy - x * y) / sqrt((xx - x * x) * (yy - y * y))) < 1e-9 AS correlation, -1 <= lower AND lower < estimate AND estimate < upper AND upper <= 1 AS interval,
       c.stderr <= d.stderr AS no_more_against_the_sample
FROM told, moment, ldp_correlation(s, 'hours', 'score') AS c, LATERAL (SELECT stderr FROM ldp_correlation(s, 'hours', 'score', target => 'population')) AS d;
SELECT r.term, r.label, round(r.estimate::numeric, 4) AS estimate, round(r.stderr::numeric, 4) AS stderr, round(r.lower::numeric, 4) AS lower, round(r.upper::numeric, 4) AS upper, r.n, r.people, r.note
FROM told, ldp_regression(s, 'score', ARRAY['hours']) AS r;
WITH line AS (SELECT *, xx - x * x AS v, (xy - x * y) / (xx - x * x) AS slope FROM moment)
SELECT abs(r.estimate - slope) < 1e-9 AS slope,
       abs(r.stderr / (sqrt(exy ^ 2 + (slope * exx) ^ 2 + ((2 * slope * x - y) * ex) ^ 2 + (x * ey) ^ 2) / v) - 1) < 1e-9 AS stderr,
       abs(i.estimate - (50 + y - slope * (x + 5))) < 1e-9 AS intercept
FROM told, line, ldp_regression(s, 'score', ARRAY['hours'], target => 'population') AS r, ldp_regression(s, 'score', ARRAY['hours']) AS i
WHERE r.term = 'hours' AND i.term = '(intercept)';
SELECT r.term, r.label, round(r.estimate::numeric, 4) AS estimate, round(r.stderr::numeric, 4) AS stderr, r.note
FROM told, ldp_regression(s, 'score', ARRAY['hours'], 0.9, "group" => 'school') AS r;
-- The means of both within the groups lie on the lines.
WITH line AS (SELECT r.* FROM told, ldp_regression(s, 'score', ARRAY['hours'], "group" => 'school') AS r),
share AS (SELECT f.label, f.estimate FROM told, ldp_estimate(s, attributes => '{school}', statistics => '{proportion}') AS f)
SELECT l.label, abs((50 + y.m / f.estimate) - (l.estimate + slope.estimate * (5 + x.m / f.estimate))) < 1e-9 AS on_the_line
FROM line AS l JOIN share AS f ON f.label = l.label JOIN m AS y ON y.name = 'score*school=' || l.label
     JOIN m AS x ON x.name IN ('hours*school=' || l.label, 'school=' || l.label || '*hours') JOIN line AS slope ON slope.term = 'hours'
WHERE l.term = 'school';

-- Without predictors, the means within the groups.
SELECT r.term, r.label, abs(r.estimate - (50 + y.m / f.estimate)) < 1e-9 AS mean, r.stderr < 50 AS stderr
FROM told, ldp_regression(s, 'score', '{}', "group" => 'school') AS r LEFT JOIN (SELECT f.* FROM told, ldp_estimate(s, attributes => '{school}', statistics => '{proportion}') AS f) AS f ON f.label = r.label LEFT JOIN m AS y ON y.name = 'score*school=' || r.label ORDER BY r.label;
SELECT jsonb_path_query_array((ldp_spec_info('{"mechanism": "sampled", "epsilon": 1, "regression": {"of": "y", "on": [], "group": "g"}, "attributes": [{"name": "g", "domain": 2}, {"name": "y", "min": -1, "max": 1}]}')).canonical, '$.attributes[*].name') AS names;

-- No reports, and few reports.
SELECT count(*) AS of_no_summary FROM ldp_regression(NULL, 'score', ARRAY['hours']);
SELECT count(*) AS of_no_reports FROM ldp_regression((SELECT ldp_agg(report) FROM pupil WHERE false), 'score', ARRAY['hours']);
SELECT term, estimate, lower, n, note FROM ldp_regression((SELECT ldp_agg(report) FROM (SELECT report FROM pupil WHERE get_byte(ldp_internal.ldp_report_send(report), length(ldp_internal.ldp_report_send(report)) - 2) <> 3 UNION ALL (SELECT report FROM pupil WHERE get_byte(ldp_internal.ldp_report_send(report), length(ldp_internal.ldp_report_send(report)) - 2) = 3 LIMIT 19)) AS r), 'score', ARRAY['hours']);
SELECT ldp_create_collection('partial', '{"mechanism": "sampled", "epsilon": 4, "per_report": 1, "grid": 100, "attributes": [{"name": "hours", "min": 0, "max": 10, "mechanism": "duchi"}, {"name": "score", "min": 0, "max": 100, "mechanism": "duchi"},
    {"product": ["hours", "hours"], "mechanism": "duchi"}, {"product": ["score", "hours"], "mechanism": "duchi"}]}');
INSERT INTO partial SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('partial')), 'hex') || lpad(to_hex(i % 4), 2, '0') || CASE WHEN i % 7 < 4 THEN '01' ELSE '00' END)::ldp_report FROM generate_series(1, 4000) AS i;
SELECT term, estimate IS NULL AS missing, note FROM ldp_regression(ldp_summary_of('partial'), 'score', ARRAY['hours']);
-- The same with memoized responses: the note states missing rounds even if errors were inflated.
SELECT ldp_create_collection('partial_kept', (ldp_client_spec('partial') - 'derived') || '{"evolving": {}, "budget": {"epsilon": 1000000}}');
SELECT ldp_open_rounds('partial_kept', 0, 1);
INSERT INTO partial_kept SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('partial_kept')), 'hex') || right(report::text, 4))::ldp_report, r FROM partial, generate_series(0, 1) AS r;
SELECT term, estimate IS NULL AS missing, n, people, note FROM ldp_regression(pg_temp.all_rounds('partial_kept'), 'score', ARRAY['hours']);

-- Errors.
SELECT pg_temp.refusal(format($$SELECT * FROM told, %s$$, question)) FROM (VALUES
    (1, $$ldp_covariance(s, 'hours', 'age')$$), (2, $$ldp_correlation(s, 'school', 'hours')$$), (3, $$ldp_regression(s, 'score', '{}')$$),
    (4, $$ldp_regression(s, 'score', '{hours,hours}')$$), (5, $$ldp_regression(s, 'score', '{hours}', "group" => 'hours')$$),
    (6, $$ldp_regression(s, 'score', '{hours}', 1)$$), (7, $$ldp_regression(s, 'score', '{hours}', 0.9, 'all')$$),
    (8, $$ldp_covariance(ldp_part(s, 'hours'), 'hours', 'hours')$$)) AS q (place, question) ORDER BY place;
SELECT pg_temp.refusal($$SELECT * FROM ldp_correlation(ldp_summary_of('partial'), 'hours', 'score')$$);
-- Equal hours: the design is singular, and the intervals have no limits; that of a correlation is the range.
SELECT r.term, r.lower, r.upper, r.note
FROM (SELECT ldp_agg(report) AS s FROM pupil WHERE substr(encode(ldp_internal.ldp_report_send(report), 'hex'), length(ldp_internal.ldp_report_send(report)) * 2 - 3) <> '0501') AS a,
     ldp_regression(s, 'score', '{hours}') AS r;
SELECT c.estimate, c.stderr, c.lower, c.upper, c.n, c.note
FROM (SELECT ldp_agg(report) AS s FROM pupil WHERE substr(encode(ldp_internal.ldp_report_send(report), 'hex'), length(ldp_internal.ldp_report_send(report)) * 2 - 3) <> '0501') AS a,
     ldp_correlation(s, 'hours', 'score') AS c;
-- A summary without a collection in this database.
SELECT pg_temp.refusal(format($$SELECT * FROM ldp_covariance(%L::ldp_summary, 'hours', 'score')$$, s)) FROM
    (SELECT ldp_agg((encode(ldp_internal.ldp_spec_parameters(spec), 'hex') || '0001')::ldp_report) AS s FROM (SELECT ldp_client_spec('partial') - 'derived' || '{"min_group": 7}' AS spec) AS other) AS stranger;

-- Combination: two specs, one quantity. --------------------------------------------------------------------
SELECT ldp_create_collection('shy', '{"mechanism": "duchi", "epsilon": 1, "attributes": [{"name": "wage", "min": 0, "max": 100}]}');
SELECT ldp_create_collection('open', '{"mechanism": "duchi", "epsilon": 4, "attributes": [{"name": "wage", "min": 0, "max": 100}]}');
INSERT INTO shy SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('shy')), 'hex') || CASE WHEN i % 100 < 60 THEN '01' ELSE '00' END)::ldp_report FROM generate_series(1, 3000) AS i;
INSERT INTO open SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('open')), 'hex') || CASE WHEN i % 100 < 66 THEN '01' ELSE '00' END)::ldp_report FROM generate_series(1, 1000) AS i;
CREATE VIEW each AS SELECT a::ldp_row AS a FROM ldp_estimate(ldp_summary_of('shy'), statistics => '{mean}') AS a UNION ALL SELECT a::ldp_row FROM ldp_estimate(ldp_summary_of('open'), statistics => '{mean}') AS a;
CREATE VIEW mean AS SELECT sum((a).estimate / (a).stderr ^ 2) / sum(1 / (a).stderr ^ 2) AS estimate, 1 / sqrt(sum(1 / (a).stderr ^ 2)) AS stderr FROM each;
SELECT c.attribute, c.label, abs(c.estimate - m.estimate) < 1e-9 AS estimate, abs(c.stderr - m.stderr) < 1e-9 AS stderr,
       abs(c.lower - (m.estimate - ldp_internal.ldp_critical_value(0.95) * m.stderr)) < 1e-9 AS lower, abs(c.upper - (m.estimate + ldp_internal.ldp_critical_value(0.95) * m.stderr)) < 1e-9 AS upper, c.n, c.statistic, c.note
FROM (SELECT (ldp_combine(a)).* FROM each) AS c, mean AS m;
SELECT abs((c).estimate - m.estimate) < 1e-9 AS estimate, abs((c).stderr - m.stderr) < 1e-9 AS stderr, (c).n
FROM (SELECT ldp_combine((a).estimate, (a).stderr) AS c FROM each) AS c, mean AS m;
SELECT (c).attribute, round((c).estimate::numeric, 3) AS estimate, (c).n FROM (SELECT ldp_combine(a) AS c FROM each WHERE (a).n = 3000) AS alone;
-- Rows without estimates are ignored; without rows the result is NULL.
SELECT b.c = e.c AS with_nothing FROM (SELECT ldp_combine(a) AS c FROM each) AS e,
    (SELECT ldp_combine(a) AS c FROM (SELECT a FROM each UNION ALL SELECT NULL UNION ALL SELECT ROW('wage', NULL, NULL, NULL, NULL, NULL, NULL, 3, NULL, 'few', 'elsewhere')::ldp_row) AS all_) AS b;
SELECT ldp_combine(a) IS NULL AS none, (SELECT (ldp_combine(e, s)).estimate FROM (VALUES (1, NULL), (2, 0.5), (NULL, 1)) AS v (e, s)) AS known FROM each WHERE false;
SELECT pg_temp.refusal($$SELECT ldp_combine(a) FROM (SELECT a FROM each UNION ALL SELECT ROW('age', NULL, NULL, 3, 1, 1, 5, 30, NULL, NULL, 'elsewhere')::ldp_row) AS both_$$);
SELECT pg_temp.refusal($$SELECT ldp_combine(e, 0) FROM (VALUES (1), (2)) AS v (e)$$);
SELECT pg_temp.refusal($$SELECT ldp_combine(e, 'NaN') FROM (VALUES (1), (2)) AS v (e)$$);
SELECT pg_temp.refusal($$SELECT ldp_combine(1, -1)$$);
-- Arithmetic of estimates by different people: 3,000 and 1,000 reports.
CREATE VIEW two AS SELECT (SELECT a FROM each WHERE (a).n = 3000) AS shy, (SELECT a FROM each WHERE (a).n = 1000) AS open;
SELECT (d).attribute, abs((d).estimate - ((open).estimate - (shy).estimate)) < 1e-9 AS estimate, abs((d).stderr - sqrt((open).stderr ^ 2 + (shy).stderr ^ 2)) < 1e-9 AS stderr,
       abs((d).estimate - (d).lower - ldp_internal.ldp_critical_value(0.95) * (d).stderr) < 1e-4 AS lower, (d).n
FROM two, ldp_difference(open, shy) AS d;
SELECT (q).attribute, abs((q).estimate - (open).estimate / (shy).estimate) < 1e-9 AS estimate, (q).lower < (q).estimate AND (q).estimate < (q).upper AS interval, (q).n, (q).note
FROM two, ldp_ratio(open, shy) AS q;
SELECT round((q).estimate::numeric, 6) AS estimate, (q).lower, (q).upper, (q).note FROM two, ldp_ratio(open, ROW('other', NULL, NULL, 1, 2, -3, 5, 100, NULL, NULL, 'elsewhere')::ldp_row) AS q,
    LATERAL (SELECT 1 WHERE (q).estimate = (open).estimate) AS same;
SELECT abs((w).estimate - (3 * (shy).estimate + (open).estimate) / 4) < 1e-9 AS estimate, abs((w).stderr - sqrt(9 * (shy).stderr ^ 2 + (open).stderr ^ 2) / 4) < 1e-9 AS stderr,
       abs((w).upper - (w).estimate - ldp_internal.ldp_critical_value(0.95) * (w).stderr) < 1e-4 AS upper, (w).n
FROM two, LATERAL (SELECT ldp_weighted(a, CASE (a).n WHEN 3000 THEN 0.75 ELSE 0.25 END) AS w FROM each) AS weighted;
-- A weight of 0 leaves a row out. Without an estimate there is no weighted mean.
SELECT w = shy AS alone FROM two, LATERAL (SELECT ldp_weighted(a, CASE (a).n WHEN 3000 THEN 2 ELSE 0 END) AS w FROM each) AS weighted;
SELECT (SELECT ldp_weighted(a, 0) FROM each) IS NULL AS no_weight, (SELECT ldp_weighted(a, 1) FROM each WHERE false) IS NULL AS no_rows;
SELECT (w).estimate, (w).lower, (w).note FROM (SELECT ldp_weighted(a, 1) AS w FROM (SELECT a FROM each UNION ALL SELECT ROW('wage', NULL, NULL, NULL, NULL, NULL, NULL, 3, NULL, NULL, 'elsewhere')::ldp_row) AS all_) AS weighted;
SELECT ldp_difference(NULL, shy) IS NULL AS of_null, (ldp_difference(shy, ROW('wage', NULL, NULL, NULL, NULL, NULL, NULL, 3, NULL, NULL, 'elsewhere')::ldp_row)).note FROM two;
SELECT pg_temp.refusal($$SELECT ldp_weighted(a, -1) FROM each$$);
SELECT pg_temp.refusal($$SELECT ldp_weighted(a, 'Infinity') FROM each$$);
SELECT pg_temp.refusal($$SELECT ldp_weighted(a, NULL) FROM each$$);
SELECT pg_temp.refusal($$SELECT ldp_weighted(NULL, 1) FROM each$$);
SELECT pg_temp.refusal($$SELECT ldp_weighted(a, 1) FROM (SELECT a FROM each UNION ALL SELECT ROW('age', NULL, NULL, 3, 1, 1, 5, 30, NULL, NULL, 'elsewhere')::ldp_row) AS both_$$);
-- Two labels of one summary have dependent errors, which rows do not show. Rows of different groups are accepted.
SELECT pg_temp.refusal($$SELECT ldp_difference(ROW('town', 'a', NULL, 0.3, 0.1, 0.1, 0.5, 30, NULL, NULL, 'elsewhere')::ldp_row, ROW('town', 'b', NULL, 0.6, 0.1, 0.4, 0.8, 30, NULL, NULL, 'elsewhere')::ldp_row)$$);
SELECT pg_temp.refusal($$SELECT ldp_ratio(ROW('town', 'a', NULL, 0.3, 0.1, 0.1, 0.5, 30, NULL, NULL, 'elsewhere')::ldp_row, ROW('town', 'b', NULL, 0.6, 0.1, 0.4, 0.8, 30, NULL, NULL, 'elsewhere')::ldp_row)$$);
SELECT (ldp_difference(ROW('town', 'a', NULL, 0.3, 0.1, 0.1, 0.5, 30, NULL, NULL, 'a poll')::ldp_row, r)).estimate::numeric(3, 1)
FROM (VALUES (ROW('town', 'b', NULL, 0.6, 0.1, 0.4, 0.8, 31, NULL, NULL, 'elsewhere')::ldp_row), (ROW('town', 'b', NULL, 0.6, 0.1, 0.4, 0.8, NULL, NULL, NULL, 'elsewhere')::ldp_row),
             (ROW('town', 'a', NULL, 0.6, 0.1, 0.4, 0.8, 30, NULL, NULL, 'elsewhere')::ldp_row), (ROW('place', 'b', NULL, 0.6, 0.1, 0.4, 0.8, 30, NULL, NULL, 'elsewhere')::ldp_row)) AS other (r);
SELECT pg_temp.refusal($$SELECT ldp_difference(ROW('age', NULL, NULL, 3, -1, 1, 5, 30, NULL, NULL, 'elsewhere')::ldp_row, shy) FROM two$$);
SELECT pg_temp.refusal($$SELECT ldp_ratio(shy, ROW('wage', NULL, NULL, 3, 1, 'NaN', 5, 30, NULL, NULL, 'elsewhere')::ldp_row) FROM two$$);
-- Workers weight parts of the rows.
CREATE TABLE strata WITH (parallel_workers = 2) AS SELECT a, i AS weight FROM each, generate_series(0, 100) AS i;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off;
EXPLAIN (COSTS OFF) SELECT ldp_weighted(a, weight) FROM strata;
SELECT ldp_weighted(a, weight) AS by_workers FROM strata \gset
SET max_parallel_workers_per_gather = 0;
SELECT abs((w).estimate - (p).estimate) < 1e-9 AS estimate, abs((w).stderr - (p).stderr) < 1e-9 AS stderr, abs((w).upper - (p).upper) < 1e-9 AS upper, (w).n = (p).n AS n, (w).n AS reports
FROM (SELECT ldp_weighted(a, weight) AS w, :'by_workers'::ldp_row AS p FROM strata) AS both_ways;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather; RESET parallel_leader_participation;
-- Of each value of a category.
SELECT c.label, c.n, abs(c.estimate - f.estimate) < 1e-9 AS as_rolled_up
FROM (SELECT (ldp_combine(h)).* FROM (SELECT h FROM told, ldp_estimate(s, attributes => '{school}', statistics => '{proportion}') AS h UNION ALL SELECT h FROM told, ldp_estimate(s, attributes => '{school}', statistics => '{proportion}') AS h) AS halves
      GROUP BY (h).attribute, (h).label) AS c JOIN (SELECT f.* FROM told, ldp_estimate(s, attributes => '{school}', statistics => '{proportion}') AS f) AS f USING (label);

-- Means by a private group. Reports name a group and an end: all of a the upper one, b both equally often, and c the lower one.
SELECT ldp_create_collection('stay_days', '{"mechanism": "means_by_group", "epsilon": 4, "attributes": [{"name": "ward", "domain": ["a", "b", "c"]}, {"name": "days", "min": 0, "max": 30}]}') IS NULL AS created;
CREATE TABLE stays AS SELECT ldp_client_spec('stay_days')::jsonb #>> '{derived,block}' AS block;
CREATE TABLE stay_reports AS
SELECT (block || lpad(to_hex(i % 3), 2, '0') || lpad(to_hex(CASE i % 3 WHEN 2 THEN 0 ELSE 2 * ward + (ARRAY[1, i % 2, 0])[ward + 1] END), 2, '0'))::ldp_report AS report
FROM stays, generate_series(0, 17999) AS i, LATERAL (SELECT i / 6 % 3 AS ward) AS w;
CREATE TABLE stay AS SELECT ldp_agg(report) AS s FROM stay_reports;
SELECT f.attribute, f.label, f.statistic, round(f.estimate::numeric, 6) AS estimate, f.stderr > 0 AS error, f.lower <= f.estimate AND f.estimate <= f.upper AS inside, f.n, f.note FROM stay, ldp_regression(s, 'days', '{}', "group" => 'ward') AS f;
-- Each difference is the mean of a group minus the mean of the first group.
SELECT bool_and(abs(d.estimate - (m.estimate - a.estimate)) < 1e-9) AS differences
FROM stay, LATERAL (SELECT array_agg(f) AS rows FROM ldp_regression(s, 'days', '{}', "group" => 'ward') AS f) AS r, unnest(rows) AS d JOIN unnest(rows) AS m ON m.label = d.label AND m.statistic <> 'difference', unnest(rows) AS a
WHERE d.statistic = 'difference' AND a.label LIKE '%a' AND a.statistic <> 'difference';
SELECT f.label, round(f.estimate::numeric, 6) AS share FROM stay, ldp_estimate(s, attributes => '{ward}', statistics => '{proportion}') AS f;
SELECT pg_temp.refusal($$SELECT * FROM stay, ldp_regression(s, 'days', '{ward}')$$);
SELECT pg_temp.refusal($$SELECT * FROM stay, ldp_regression(s, 'ward', '{}', "group" => 'days')$$);
SELECT pg_temp.refusal($$SELECT ldp_agg((block || '0006')::ldp_report) FROM stays$$);
SELECT pg_temp.refusal($$SELECT ldp_agg((block || '0201')::ldp_report) FROM stays$$);

-- Logistic regression on a public column: with two groups, the slope is the difference of the log odds, and its error follows from
-- those of the shares.
SELECT ldp_create_collection('asked', '{"mechanism": "grr", "epsilon": 2, "attributes": [{"name": "answer", "domain": ["no", "yes"]}]}', ARRAY[['week', 'integer']]) IS NULL AS created;
INSERT INTO asked (report, week) SELECT ((ldp_client_spec('asked')::jsonb #>> '{derived,block}') || CASE WHEN i % 10 < 4 + w THEN '01' ELSE '00' END)::ldp_report, w FROM generate_series(1, 4000) AS i, (VALUES (0), (2)) AS weeks (w);
CREATE VIEW answered AS SELECT (group_key ->> 'week')::integer AS week, ln(estimate / (1 - estimate)) AS odds, stderr / (estimate * (1 - estimate)) AS error
FROM ldp_estimate('asked', statistics => '{proportion}', target => 'population', by => '{week}') WHERE label = 'yes';
SELECT abs(r.estimate - (b.odds - a.odds) / 2) < 1e-4 AND abs(r.stderr / (sqrt(a.error ^ 2 + b.error ^ 2) / 2) - 1) < 1e-3 AND r.n = 8000 AND r.attribute = 'answer=yes' AND r.note IS NULL AS slope
FROM answered AS a, answered AS b, ldp_regression('asked', 'answer', '{week}', link => 'logit', by => '{week}') AS r WHERE a.week = 0 AND b.week = 2 AND r.term = 'week';
SELECT bool_and(abs(r.estimate + o.estimate) < 1e-6) AS opposite FROM ldp_regression('asked', 'answer=no', '{week}', link => 'logit', by => '{week}') AS r JOIN ldp_regression(ldp_groups_of('asked', '{week}'), 'answer', '{week}', link => 'logit') AS o USING (term);
-- Without predictors the intercept is the log odds. A column with one value separates nothing: its coefficient has no bounds.
SELECT count(*) = 1 AND bool_and(r.term = '(intercept)' AND r.lower < r.estimate AND r.estimate < r.upper) AS intercept FROM ldp_regression('asked', 'answer', '{}', link => 'logit') AS r;
SELECT r.estimate IS NULL AND r.lower = '-infinity' AND r.upper = 'infinity' AND r.note LIKE '%do not bound%' AS unbounded
FROM ldp_regression(ldp_groups(ARRAY['{"week": 3}'::jsonb], ARRAY[ldp_summary_of('asked')]), 'answer', '{week}', link => 'logit') AS r
WHERE r.term = 'week';
SELECT pg_temp.refusal($$SELECT * FROM ldp_regression('asked', 'answer', '{}', link => 'probit')$$) LIKE '22023 link must be identity or logit%' AS wrong_link;
SELECT pg_temp.refusal($$SELECT * FROM ldp_regression('asked', 'answer', '{town}', link => 'logit', by => '{week}')$$) LIKE '22023%' AS wrong_predictor;
SELECT pg_temp.refusal($$SELECT * FROM ldp_regression('asked', 'answer', '{week}', by => '{week}')$$) LIKE '0A000 only a regression with the link logit uses several groups%' AS wrong_groups;
