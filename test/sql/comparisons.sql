-- Comparisons: differences of groups with intervals and p-values, by summaries and by a column of a collection.
\ir setup.sql
CREATE SCHEMA comparisons;
SET search_path = comparisons, public;

SELECT ldp_create_collection('survey', '{"mechanism": "sampled", "epsilon": 2, "grid": 10, "attributes": [{"name": "income", "min": 0, "max": 1000, "mechanism": "duchi"},
    {"name": "mood", "domain": ["bad", "fair", "good"], "mechanism": "grr", "weight": 3}]}');
ALTER TABLE survey ADD COLUMN country text;
INSERT INTO survey (report, country) SELECT pg_temp.report(ldp_client_spec('survey'), CASE WHEN i % 4 = 0 THEN '00' || pg_temp.little((i % 5 < n)::integer, 1)
    ELSE '01' || pg_temp.little(CASE WHEN i % 7 < n THEN 0 ELSE i % 3 END, 1) END), country
FROM (VALUES ('north', 2, 400), ('south', 3, 300), ('west', 5, 200)) AS c (country, n, people), generate_series(1, people) AS i;

-- All pairs: the difference is that of the groups' own estimates, and n is that of the part.
SELECT attribute, label, group_key ->> 'country' AS country, baseline, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr, round(lower::numeric, 6) AS lower,
       round(upper::numeric, 6) AS upper, round(p_value::numeric, 6) AS p_value, round(adjusted_p_value::numeric, 6) AS adjusted, n, baseline_n, attribute_number, value, note
FROM ldp_compare_groups('survey', '{country}');
WITH own AS (SELECT key ->> 'country' AS country, e.* FROM unnest(ldp_groups_of('survey', '{country}')) AS s (key, summary), ldp_estimate(s.summary, target => 'population') AS e)
SELECT count(*) AS rows, bool_and(abs(c.estimate - (a.estimate - b.estimate)) < 1e-9) AS differences, bool_and(abs(c.stderr - sqrt(a.stderr ^ 2 + b.stderr ^ 2)) < 1e-9) AS errors,
       bool_and((c.p_value < 0.05) = (c.lower > 0 OR c.upper < 0)) AS agree, bool_and(c.adjusted_p_value >= c.p_value) AS adjusted
FROM ldp_compare_groups('survey', '{country}') AS c JOIN own AS a ON (a.country, a.attribute, a.label) IS NOT DISTINCT FROM (c.group_key ->> 'country', c.attribute, c.label)
     JOIN own AS b ON (b.country, b.attribute, b.label) IS NOT DISTINCT FROM (c.baseline, c.attribute, c.label);
-- One attribute, one baseline, another confidence, the respondents alone.
SELECT label, group_key, baseline, round(estimate::numeric, 6) AS estimate, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper
FROM ldp_compare_groups('survey', '{country}', attributes => '{mood}', baseline => 'south', confidence => 0.8, target => 'sample');
-- The same from summaries of any grouping.
SELECT count(*) AS rows, bool_and(c.group_key ->> 'group' = 'true' AND c.baseline = 'false') AS named
FROM (SELECT array_agg(cold::text ORDER BY cold) AS groups, array_agg(summary ORDER BY cold) AS summaries
      FROM (SELECT country = 'north' AS cold, ldp_agg(report) AS summary FROM survey GROUP BY cold) AS g) AS g, ldp_compare_groups(ldp_groups(groups, summaries)) AS c;

-- At all looks: the same differences with wider intervals and larger p-values. Of all rows together: the error of each is divided by their number.
SELECT bool_and(a.estimate = c.estimate AND a.upper - a.lower BETWEEN 1.4 * (c.upper - c.lower) AND 3 * (c.upper - c.lower)) AS wider,
       bool_and(a.p_value >= c.p_value AND (a.p_value < 0.05) = (a.lower > 0 OR a.upper < 0)) AS larger
FROM ldp_compare_groups('survey', '{country}', anytime => true) AS a JOIN ldp_compare_groups('survey', '{country}') AS c USING (attribute_number, value, group_key, baseline)
WHERE value IS NOT NULL;
SELECT count(*) AS rows, bool_and(abs(s.lower - c.lower) < 1e-6 AND abs(s.upper - c.upper) < 1e-6 AND s.p_value = c.p_value) AS divided
FROM ldp_compare_groups('survey', '{country}', '{mood}', simultaneous => true) AS s JOIN ldp_compare_groups('survey', '{country}', '{mood}', confidence => 1 - 0.05 / 9) AS c USING (value, group_key, baseline);
SELECT count(*) AS rows, bool_and(abs(s.lower - c.lower) < 1e-6 AND abs(s.upper - c.upper) < 1e-6) AS divided
FROM ldp_estimate('survey', '{mood}', simultaneous => true, by => '{country}') AS s JOIN ldp_estimate('survey', '{mood}', confidence => 1 - 0.05 / 9, by => '{country}') AS c USING (group_key, value);
SELECT count(*) AS rows FROM ldp_estimate(ldp_groups('{}'::text[], '{}'));
-- Groups of several columns may have equal names. Their rows have their own columns.
SELECT group_key, n FROM ldp_compare_groups(ARRAY[ROW('{"a": "x, y", "b": "z"}', ldp_summary_of('survey'))::ldp_group, ROW('{"a": "x", "b": "y, z"}', ldp_summary_of('survey'))::ldp_group], attributes => '{income}');
SELECT round(a.estimate::numeric, 6) AS estimate, round(((a.upper - a.lower) / (c.upper - c.lower))::numeric, 3) AS anytime, round(((s.upper - s.lower) / (c.upper - c.lower))::numeric, 3) AS simultaneous
FROM ldp_summary_of('survey') AS r (summary), ldp_change(r.summary, r.summary, target => 'sample', anytime => true) AS a JOIN ldp_change(r.summary, r.summary, target => 'sample') AS c USING (attribute_number)
     JOIN ldp_change(r.summary, r.summary, target => 'sample', simultaneous => true) AS s USING (attribute_number) WHERE attribute_number = 0;
SELECT bool_and(abs(s.lower - c.lower) < 1e-6 AND abs(s.upper - c.upper) < 1e-6) AS divided
FROM ldp_estimate('survey', simultaneous => true) AS s JOIN ldp_estimate('survey', confidence => 1 - 0.05 / 4) AS c ON (s.attribute, s.label) IS NOT DISTINCT FROM (c.attribute, c.label);
SELECT bool_and(s = c) AS one_row FROM ldp_summary_of('survey') AS r (summary), ldp_estimate(r.summary, attributes => '{income}', statistics => '{mean}', simultaneous => true) AS s, ldp_estimate(r.summary, attributes => '{income}', statistics => '{mean}') AS c;
SELECT bool_and(abs(s.lower - c.lower) < 1e-6) AS divided FROM ldp_summary_of('survey') AS r (summary), ldp_estimate(r.summary, attributes => '{mood}', statistics => '{proportion}', simultaneous => true) AS s JOIN
       ldp_estimate(r.summary, attributes => '{mood}', statistics => '{proportion}', confidence => 1 - 0.05 / 3) AS c USING (value);

-- One test of all groups and values: Pearson's statistic of the reports, since the category is collected by grr.
SELECT attribute, round(chi_square::numeric, 4) AS chi_square, degrees_of_freedom AS degrees, round(p_value::numeric, 6) AS p_value, round(adjusted_p_value::numeric, 6) AS adjusted, groups, n, attribute_number, note
FROM ldp_group_test('survey', '{country}');
WITH own AS (SELECT s.group_key ->> 'country' AS country, p.value, p.n, 1 / (exp(2) + 2) + p.estimate * (exp(2) - 1) / (exp(2) + 2) AS sent FROM unnest(ldp_groups_of('survey', '{country}')) AS s, ldp_estimate(s.summary, attributes => '{mood}', statistics => '{proportion}') AS p),
     pooled AS (SELECT value, sum(n * sent) / sum(n) AS share FROM own GROUP BY value)
SELECT abs(sum(n * (sent - share) ^ 2 / share) - (SELECT chi_square FROM ldp_group_test('survey', '{country}', '{mood}'))) < 1e-6 AS pearson FROM own JOIN pooled USING (value);
-- From a rollup.
SELECT ldp_create_rollup('by_country', 'survey', '{country}');
SELECT ldp_refresh('by_country') > 0 AS refreshed;
SELECT bool_and(t = c) AS same FROM (SELECT array_agg(country ORDER BY country) AS groups, array_agg(summary ORDER BY country) AS summaries FROM by_country) AS g, ldp_group_test(ldp_groups(groups, summaries)) AS t
JOIN ldp_group_test('survey', '{country}') AS c USING (attribute_number);
SELECT ldp_drop_rollup('by_country');

-- The cells of a joint table.
SELECT ldp_create_collection('trips', '{"mechanism": "joint", "epsilon": 3, "attributes": [{"name": "mode", "domain": ["car", "bus"]}, {"name": "late", "domain": ["no", "yes"]}]}');
ALTER TABLE trips ADD COLUMN town text;
INSERT INTO trips (report, town) SELECT pg_temp.report(ldp_client_spec('trips'), '00' || pg_temp.little(1 << CASE WHEN i % n = 0 THEN 3 ELSE i % 4 END, 1)), town
FROM (VALUES ('A', 2), ('B', 9)) AS t (town, n), generate_series(1, 200) AS i;
SELECT attribute, label, group_key ->> 'town' AS town, baseline, round(estimate::numeric, 6) AS estimate, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper, p_value < 0.001 AS clear, n
FROM ldp_compare_groups('trips', '{town}', '{late,mode}');
SELECT count(*) AS rows, bool_and(abs(c.estimate - (b.estimate - a.estimate)) < 1e-9) AS differences
FROM ldp_compare_groups('trips', '{town}', '{mode,late}') AS c, unnest(ldp_groups_of('trips', '{town}')) AS one, unnest(ldp_groups_of('trips', '{town}')) AS other,
     ldp_marginal(one.summary, '{mode,late}', target => 'population') AS a, ldp_marginal(other.summary, '{mode,late}', target => 'population') AS b
WHERE one.group_key ->> 'town' = 'A' AND other.group_key ->> 'town' = 'B' AND a.cell = b.cell AND array_to_string(a.cell, ', ') = c.label;

-- Few reports: nothing below min_group is shown, and a group that nobody reported about has no estimate.
SELECT ldp_create_collection('few', '{"mechanism": "grr", "epsilon": 1, "domain": ["no", "yes"], "min_group": 20}');
ALTER TABLE few ADD COLUMN site text;
INSERT INTO few (report, site) SELECT pg_temp.report(ldp_client_spec('few'), pg_temp.little(i % 2, 1)), CASE WHEN i <= 19 THEN 'small' ELSE 'large' END FROM generate_series(1, 60) AS i;
SELECT group_key, baseline, label, estimate, p_value, adjusted_p_value, n, baseline_n, note FROM ldp_compare_groups('few', '{site}');
SELECT group_key, label, estimate, lower, p_value, n, note FROM ldp_compare_groups(ldp_groups('{some,none}'::text[], (SELECT ARRAY[s, ldp_summary_subtract(s, s)] FROM ldp_summary_of('few') AS s)), baseline => 'some');

SELECT attribute, chi_square IS NULL AS without, p_value IS NULL AS untested, groups, n, note FROM ldp_group_test('few', '{site}');
SELECT attribute, chi_square IS NULL AS one_by_one, p_value < 0.001 AS clear, groups, n, note FROM ldp_group_test('trips', '{town}');

-- Differences of changes: whether group A changed more than group B. Both rows are of different people.
WITH change AS (SELECT key ->> 'town' AS town, c::ldp_row AS change, c.* FROM unnest(ldp_groups_of('trips', '{town}')) AS s (key, summary), ldp_change((SELECT ldp_agg(report) FROM trips WHERE town <> key ->> 'town'), s.summary) AS c)
SELECT a.attribute, a.label, round((d).estimate::numeric, 6) = round((a.estimate - b.estimate)::numeric, 6) AS difference, abs((d).stderr - sqrt(a.stderr ^ 2 + b.stderr ^ 2)) < 1e-9 AS error
FROM change AS a JOIN change AS b USING (attribute_number, value), ldp_difference(a.change, b.change) AS d
WHERE a.town = 'A' AND b.town = 'B' ORDER BY a.attribute_number, a.value;

-- Refusals.
SELECT ldp_create_collection('empty', '{"mechanism": "grr", "epsilon": 1, "domain": 2}', ARRAY[['site', 'text']]);
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_compare_groups('survey', '{planet}')$$),
    ($$SELECT ldp_compare_groups('empty', '{site}')$$),
    ($$SELECT ldp_group_test('empty', '{site}')$$),
    ($$SELECT ldp_compare_groups('nothing', '{country}')$$),
    ($$SELECT ldp_compare_groups('survey', '{country}', baseline => 'east')$$),
    ($$SELECT ldp_compare_groups('survey', '{country}', '{colour}')$$),
    ($$SELECT ldp_compare_groups('survey', '{country}', '{mood,mood}')$$),
    ($$SELECT ldp_compare_groups('survey', '{country}', '{mood,income}')$$),
    ($$SELECT ldp_compare_groups('survey', '{country}', '{NULL}')$$),
    ($$SELECT ldp_compare_groups('survey', '{country}', target => 'panel')$$),
    ($$SELECT ldp_compare_groups('survey', '{country}', confidence => 1)$$),
    ($$SELECT ldp_compare_groups(ldp_groups('{a}'::text[], (SELECT array_agg(summary) FROM unnest(ldp_groups_of('few', '{site}')))))$$),
    ($$SELECT ldp_compare_groups(ldp_groups('{a}'::text[], (SELECT ARRAY[ldp_agg(report)] FROM few)))$$),
    ($$SELECT ldp_compare_groups(ldp_groups('{a,b}'::text[], (SELECT ARRAY[ldp_agg(report), NULL] FROM few)))$$),
    ($$SELECT ldp_compare_groups(ldp_groups('{a,b}'::text[], (SELECT ARRAY[(SELECT ldp_agg(report) FROM few), (SELECT ldp_agg(report) FROM trips)])))$$),
    ($$SELECT ldp_compare_groups(ldp_groups('{}'::text[], '{}'::ldp_summary[]))$$),
    ($$SELECT ldp_compare_groups('survey', '{country}', confidence => 0, anytime => true)$$),
    ($$SELECT ldp_group_test('survey', '{planet}')$$),
    ($$SELECT ldp_group_test('survey', '{country}', '{mood,colour}')$$),
    ($$SELECT ldp_group_test('survey', '{country}', '{mood,mood}')$$),
    ($$SELECT ldp_group_test(ldp_groups('{a}'::text[], (SELECT ARRAY[ldp_agg(report)] FROM few)))$$),
    ($$SELECT ldp_group_test(ldp_groups('{a,b}'::text[], (SELECT ARRAY[(SELECT ldp_agg(report) FROM few), (SELECT ldp_agg(report) FROM trips)])))$$)) AS q (query);
SELECT count(*) AS from_null FROM ldp_group_test(ldp_groups(NULL::text[], NULL::ldp_summary[]));
SELECT count(*) AS from_null FROM ldp_compare_groups(ldp_groups(NULL::text[], NULL::ldp_summary[]), target => NULL);

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['survey', 'trips', 'few']) AS name;

-- Calibration. ----------------------------------------------------------------------------------------------
SELECT ldp_create_collection('people', '{"mechanism": "sampled", "epsilon": 2, "grid": 10, "attributes": [{"name": "income", "min": 0, "max": 1000, "mechanism": "duchi"},
    {"name": "mood", "domain": ["bad", "fair", "good"], "mechanism": "grr", "weight": 3}]}', ARRAY[['region', 'text'], ['age', 'integer'], ['weight', 'float8']]);
INSERT INTO people (report, region, age, weight) SELECT pg_temp.report(ldp_client_spec('people'), CASE WHEN i % 4 = 0 THEN '00' || pg_temp.little((i % 5 < n)::integer, 1)
    ELSE '01' || pg_temp.little(CASE WHEN i % 7 < n THEN 0 ELSE i % 3 END, 1) END), region, age, 1 + i % 2
FROM (VALUES ('north', 1, 2, 400), ('north', 2, 3, 200), ('south', 1, 5, 100), ('south', 2, 1, 300)) AS c (region, age, n, people), generate_series(1, people) AS i;
-- Weighted sums of the estimates of one summary. A report of GRR is one label. For weights g that add up to 0, n times
-- the variance against the population is q/(p-q)^2 * sum(g^2) + sum(f * g^2)/(p-q) - sum(f * g)^2.
CREATE VIEW mood AS SELECT s, ldp_count(ldp_part(s, 'mood')) AS n, (spec -> 'parameters' ->> 'p')::float8 AS p, (spec -> 'parameters' ->> 'q')::float8 AS q, f
FROM (SELECT s, ldp_spec(ldp_part(s, 'mood')) AS spec, (SELECT array_agg(estimate ORDER BY value) FROM ldp_estimate(s, attributes => '{mood}', statistics => '{proportion}')) AS f FROM ldp_summary_of('people') AS s) AS one;
SELECT c.attribute, c.label, abs(c.estimate - (f[1] - f[3])) < 1e-12 AS estimate,
       abs(c.stderr - sqrt((2 * q / (p - q) ^ 2 + (f[1] + f[3]) / (p - q) - (f[1] - f[3]) ^ 2) / m.n)) < 1e-12 AS stderr,
       round(((c.upper - c.estimate) / c.stderr)::numeric, 2) AS half, abs(c.upper + c.lower - 2 * c.estimate) < 1e-12 AS symmetric, c.n = m.n AS n, c.people, c.attribute_number, c.value, c.note
FROM mood AS m, ldp_contrast(s, '{"mood": {"bad": 1, "good": -1, "fair": 0}}', target => 'population') AS c;
-- One label is its proportion; the sum of all labels is 1, without an error. The scale of the weights has no influence.
SELECT abs(c.estimate - o.estimate) < 1e-12 AS estimate, abs(c.stderr - o.stderr) < 1e-4 AS stderr, c.lower <= o.lower AND c.upper >= o.upper AS longer_half
FROM mood, ldp_contrast(s, '{"mood": {"good": 1}}', target => 'population') AS c, ldp_estimate(s, attributes => '{mood}', statistics => '{proportion}', target => 'population') AS o WHERE o.label = 'good';
SELECT round(c.estimate::numeric, 12) AS one, c.stderr < 1e-6 AS exact FROM mood, ldp_contrast(s, '{"mood": {"bad": 1, "fair": 1, "good": 1}}') AS c;
SELECT abs(c.estimate / b.estimate - 1e-20) < 1e-30 AND abs(c.stderr / b.stderr - 1e-20) < 1e-30 AND abs((c.upper - c.lower) / (b.upper - b.lower) - 1e-20) < 1e-30 AS scaled
FROM mood, ldp_contrast(s, '{"1": {"bad": 1, "good": -0.5}}') AS b, ldp_contrast(s, '{"mood": {"bad": 1e-20, "good": -0.5e-20}}') AS c;
-- Different attributes are reported by different people. The interval adds the halves of both as squares.
SELECT c.attribute, abs(c.estimate - (i.estimate + 100 * m.estimate)) < 1e-9 AS estimate, abs(c.stderr - sqrt(i.stderr ^ 2 + 1e4 * m.stderr ^ 2)) < 1e-9 AS stderr,
       abs(c.upper - c.estimate - sqrt(greatest(i.upper - i.estimate, i.estimate - i.lower) ^ 2 + 1e4 * (m.upper - m.estimate) ^ 2)) < 1e-6 AS upper, c.n = i.n + m.n AS n, c.people, c.note
FROM mood, ldp_contrast(s, '{"income": 1, "mood": {"bad": 100, "good": -100}}') AS c, ldp_contrast(s, '{"mood": {"bad": 1, "good": -1}}', target => 'population') AS m,
     ldp_estimate(s, attributes => '{income}', statistics => '{mean}', target => 'population') AS i;
SELECT count(*) AS without_reports FROM ldp_contrast((SELECT ldp_agg(report) FROM people WHERE false), '{"mood": {"bad": 1}}');
SELECT c.estimate, c.lower, c.n, c.note FROM ldp_contrast((SELECT ldp_agg(report) FROM (SELECT report FROM people LIMIT 19) AS few), '{"income": 1, "mood": {"bad": 1}}') AS c;
SELECT ldp_create_collection('answers', '{"mechanism": "grr", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 8}, "domain": ["a", "b"]}');
SELECT ldp_create_collection('hashed', '{"mechanism": "olh", "epsilon": 2, "domain": 3}');
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"planet": 1}')$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"mood": {"great": 1}}')$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"mood": 1}')$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"mood": {"good": 1}, "1": {"good": 1}}')$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"mood": {"good": 1}, "1": 1}')$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"income": {"0": 1}}')$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"income": "1"}')$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"income": 1e101}')$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"income": 0}')$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '[1, -1]')$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"income": 1}', 1)$$),
    ($$SELECT ldp_contrast(ldp_summary_of('people'), '{"income": 1}', target => 'panel')$$),
    ($$SELECT ldp_contrast((SELECT ldp_agg(pg_temp.report_to('answers', '00'), i) FROM generate_series(0, 1) AS i), '{"0": {"a": 1}}')$$),
    ($$SELECT ldp_contrast((SELECT ldp_agg(ldp_report) FROM (SELECT pg_temp.report_to('hashed', repeat('00', 17)) AS ldp_report) AS r), '{"0": {"0": 1}}')$$)) AS q (query);

-- Totals of combinations: the weighted mean of the groups, and Kish's design effect.
WITH totals (region, age, total) AS (VALUES ('north', 1, 100), ('north', 2, 200), ('south', 1, 300), ('south', 2, 400)),
by_hand AS (SELECT ldp_weighted(e, total) AS w FROM totals AS t JOIN unnest(ldp_groups_of('people', '{region,age}')) AS s ON s.group_key = jsonb_build_object('region', region, 'age', age), ldp_estimate(s.summary, target => 'population') AS e
            GROUP BY (e).attribute, (e).label)
SELECT c.attribute, c.label, round(c.estimate::numeric, 4) AS estimate, round(c.stderr::numeric, 4) AS stderr, abs(c.estimate - (w).estimate) < 1e-9 AS weighted, abs(c.stderr - (w).stderr) < 1e-9 AS error,
       abs(c.lower - (w).lower) < 1e-9 AND abs(c.upper - (w).upper) < 1e-9 AS interval, c.n, c.people, round(c.design_effect::numeric, 4) AS design_effect, c.attribute_number, c.value, c.note
FROM ldp_calibrate('people', '{region,age}', (SELECT jsonb_agg(to_jsonb(t)) FROM totals AS t)) AS c JOIN by_hand ON ((w).attribute, (w).label) IS NOT DISTINCT FROM (c.attribute, c.label);
-- Totals of margins. The weights of the groups are those of iterative proportional fitting, computed here again.
WITH RECURSIVE fit (step, a, b, c, d) AS (
    VALUES (0, 400::float8, 200::float8, 100::float8, 300::float8)
    UNION ALL SELECT step + 1, a * r1 * c1, b * r1 * c2, c * r2 * c1, d * r2 * c2
    FROM (SELECT *, 450 / (a * r1 + c * r2) AS c1, 550 / (b * r1 + d * r2) AS c2 FROM (SELECT *, 300 / (a + b) AS r1, 700 / (c + d) AS r2 FROM fit) AS rows) AS columns WHERE step < 200),
weights AS (SELECT * FROM fit WHERE step = 200)
SELECT c.attribute, c.label, abs(c.estimate - (w).estimate) < 1e-6 AS weighted, c.stderr > (w).stderr AND c.stderr < 1.1 * (w).stderr AS error,
       abs(s.stderr - (o).stderr) < 1e-6 AS of_the_sample, round(c.design_effect::numeric, 4) AS design_effect, c.note
FROM ldp_calibrate('people', '{region,age}', '{"region": {"north": 300, "south": 700}, "age": {"1": 450, "2": 550}}', attributes => '{mood}') AS c
     JOIN ldp_calibrate('people', '{region,age}', '{"region": {"north": 300, "south": 700}, "age": {"1": 450, "2": 550}}', attributes => '{mood}', target => 'sample') AS s USING (attribute, label),
     LATERAL (SELECT ldp_weighted(e, weight) AS w, ldp_weighted(f, weight) AS o
              FROM (SELECT CASE g.group_key ->> 'region' || (g.group_key ->> 'age') WHEN 'north1' THEN a WHEN 'north2' THEN b WHEN 'south1' THEN weights.c ELSE d END AS weight, e, f
                    FROM weights, unnest(ldp_groups_of('people', '{region,age}')) AS g, ldp_estimate(g.summary, attributes => '{mood}', target => 'population') AS e,
                         ldp_estimate(g.summary, attributes => '{mood}') AS f WHERE (e).label = c.label AND (f).label = c.label) AS groups) AS h;
-- An error without a detail has no line for it.
SELECT ldp_calibrate('people', '{region}');
-- Weights of a public column, alone and with totals. A total of 0 leaves a group out.
SELECT c.label, abs(c.estimate - h.estimate) < 1e-9 AS weighted, round(c.design_effect::numeric, 4) AS design_effect
FROM ldp_calibrate('people', NULL, weights => 'weight', attributes => '{mood}') AS c
     JOIN (SELECT (e).label, (ldp_weighted(e, ldp_count(s.summary) * (s.group_key ->> 'weight')::float8)).estimate FROM unnest(ldp_groups_of('people', '{weight}')) AS s, ldp_estimate(s.summary, attributes => '{mood}') AS e GROUP BY 1) AS h USING (label);
SELECT c.label, abs(c.estimate - h.estimate) < 1e-9 AS weighted
FROM ldp_calibrate('people', '{region}', '{"region": {"north": 1, "south": 0}}', 'weight', attributes => '{mood}') AS c
     JOIN (SELECT (e).label, (ldp_weighted(e, ldp_count(s.summary) * (s.group_key ->> 'weight')::float8)).estimate FROM unnest(ldp_groups_of('people', '{weight,region}')) AS s, ldp_estimate(s.summary, attributes => '{mood}') AS e WHERE s.group_key ->> 'region' = 'north' GROUP BY 1) AS h USING (label);
-- From a rollup.
SELECT ldp_create_rollup('people_by', 'people', '{region,age}'), ldp_refresh('people_by');
SELECT count(*) AS rows, bool_and(r IS NOT DISTINCT FROM c) AS same
FROM ldp_calibrate('people_by', '{region}', '{"region": {"north": 1, "south": 2}}') AS r JOIN ldp_calibrate('people', '{region}', '{"region": {"north": 1, "south": 2}}') AS c USING (attribute_number, value) WHERE r.label IS NOT NULL;
-- Groups without reports, and with few.
INSERT INTO people (report, region, age, weight) SELECT pg_temp.report(ldp_client_spec('people'), '0100'), 'west', 1, 1 FROM generate_series(1, 19);
SELECT label, estimate, n, note FROM ldp_calibrate('people', '{region}', '{"region": {"north": 1, "south": 1, "west": 1}}', attributes => '{mood}');
SELECT c.label, abs(c.estimate - o.estimate) < 1e-9 AS as_without_west, c.note FROM ldp_calibrate('people', '{region}', '{"region": {"north": 1, "south": 1, "west": 1, "east": 1}}', collapse => true, attributes => '{mood}') AS c
     JOIN ldp_calibrate('people', '{region}', '{"region": {"north": 1, "south": 1, "west": 0}}', attributes => '{mood}') AS o USING (label);
SELECT c.label, abs(c.estimate - o.estimate) < 1e-9 AS added_to_the_north, c.note
FROM ldp_calibrate('people', '{region,age}', '[{"region": "north", "age": 1, "total": 1}, {"region": "north", "age": 2, "total": 3}, {"region": "north", "age": 3, "total": 4}, {"region": "south", "age": 1, "total": 1}, {"region": "south", "age": 2, "total": 2}, {"region": "west", "age": 1, "total": 0}]', collapse => true, attributes => '{mood}') AS c
     JOIN ldp_calibrate('people', '{region,age}', '[{"region": "north", "age": 1, "total": 2}, {"region": "north", "age": 2, "total": 6}, {"region": "south", "age": 1, "total": 1}, {"region": "south", "age": 2, "total": 2}, {"region": "west", "age": 1, "total": 0}]', attributes => '{mood}') AS o USING (label);
UPDATE people SET region = NULL WHERE region = 'west';
SELECT count(*) AS with_null FROM ldp_calibrate('people', '{region}', '[{"region": "north", "total": 1}, {"region": "south", "total": 1}, {"region": null, "total": 0}]');
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_calibrate('people', '{region}')$$),
    ($$SELECT ldp_calibrate('people', '{}', '{}')$$),
    ($$SELECT ldp_calibrate('people', NULL, '[{"total": 5}]')$$),
    ($$SELECT ldp_calibrate('people', '{region}', '{"region": {"north": 1, "south": 1}}')$$),
    ($$SELECT ldp_calibrate('people', '{planet}', '{"planet": {"earth": 1}}')$$),
    ($$SELECT ldp_calibrate('nothing', '{region}', '{"region": {"north": 1}}')$$),
    ($$SELECT ldp_calibrate('people', '{region}', '{"region": {"north": 1}}')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '{"age": {"1": 1}}')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '{"age": {"1": 1, "2": 1, "3": 1}}')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '{"age": {"1": 1, "2": -1}}')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '{"age": {"1": 1, "2": "many"}}')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '{"age": 1}')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '{"age": {"1": 1, "2": 1}, "region": {}}')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '1')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '[{"age": 1, "total": 1}, {"age": 2}]')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '[{"age": 1, "total": 1}, {"age": "1", "total": 1}]')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '{"age": {"1": 0, "2": 0}}')$$),
    ($$SELECT ldp_calibrate('people', '{region}', '[{"region": "north", "total": 1}, {"region": "south", "total": 1}, {"region": null, "total": 1}]', 'age', collapse => NULL)$$),
    ($$SELECT ldp_calibrate('people', NULL, weights => 'region')$$),
    ($$SELECT ldp_calibrate('people', '{age,weight}', '{"age": {"1": 500, "2": 519}, "weight": {"1": 500, "2": 600}}')$$),
    ($$SELECT ldp_calibrate('people', '{age}', '{"age": {"1": 1, "2": 1}}', attributes => '{height}')$$)) AS q (query);
DELETE FROM people WHERE region IS NULL OR region = 'north' AND age = 2 OR region = 'south' AND age = 1;
SELECT pg_temp.refusal($$SELECT ldp_calibrate('people', '{region,age}', '{"region": {"north": 1, "south": 2}, "age": {"1": 2, "2": 1}}')$$);
SELECT count(*) AS without_reports FROM ldp_calibrate('hashed', '{round}', '{"round": {"0": 1}}');
-- Groups of a source have their columns in their names.
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_calibrate(ldp_groups('{a}'::text[], ARRAY[ldp_summary_of('people')]), totals => '{"region": {}}')$$),
    ($$SELECT ldp_calibrate(ldp_groups('{a}'::text[], ARRAY[ldp_summary_of('people')]), weights => 'w')$$),
    ($$SELECT ldp_calibrate(ldp_groups(ARRAY['{"w": -1}']::jsonb[], ARRAY[ldp_summary_of('people')]), weights => 'w')$$),
    ($$SELECT ldp_calibrate(ldp_groups(ARRAY['{"w": 1}', '{"v": 1}']::jsonb[], ARRAY[ldp_summary_of('people'), ldp_summary_of('people')]), weights => 'w')$$),
    ($$SELECT ldp_calibrate(ldp_groups(ARRAY['{"a": {"b": 1}}']::jsonb[], ARRAY[ldp_summary_of('people')]), totals => '{"a": {}}')$$),
    ($$SELECT ldp_calibrate(ldp_groups('{a,b}'::text[], ARRAY[ldp_summary_of('people'), ldp_summary_of('hashed')]), totals => '{"group": {"a": 1, "b": 1}}')$$),
    ($$SELECT ldp_calibrate(ldp_groups('{a}'::text[], ARRAY[ldp_summary_of('people')]), '{group}', '{"group": {"a": 1}}')$$),
    ($$SELECT ldp_calibrate('people', '{NULL}', '{}')$$),
    ($$SELECT ldp_calibrate(array_agg(ROW(jsonb_build_object('number', i), summary)::ldp_group), totals => jsonb_build_object('number', jsonb_object_agg(i, 1)))
       FROM generate_series(1, 30) AS i, (SELECT ldp_agg(pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 70000}', '000000')) AS summary) AS s$$)) AS q (query);
-- Names of one column are values of the column "group". The order of the columns is that of their names.
WITH named AS (
    SELECT array_agg(group_key ->> 'age' ORDER BY group_key ->> 'age') AS names, array_agg(summary ORDER BY group_key ->> 'age') AS summaries FROM unnest(ldp_groups_of('people', '{age}'))
)
SELECT count(*) AS rows, bool_and(g IS NOT DISTINCT FROM c) AS same
FROM named, ldp_calibrate(ldp_groups(names, summaries), totals => '{"group": {"1": 1, "2": 2}}') AS g JOIN ldp_calibrate('people', '{age}', '{"age": {"1": 1, "2": 2}}') AS c USING (attribute_number, value) WHERE g.label IS NOT NULL;
-- With collapse, a group has enough reports from the spec's min_group on. Numbers of combinations agree with 1.50, too.
WITH summed AS (
    SELECT min_group, share, ldp_agg(pg_temp.report(jsonb_build_object('mechanism', 'grr', 'epsilon', 1, 'domain', 4, 'min_group', min_group), '00')) AS summary
    FROM (VALUES (4), (5)) AS m (min_group), (VALUES (1.50, 30), (2, 4)) AS g (share, reports), generate_series(1, reports) GROUP BY min_group, share
), grouped AS (
    SELECT min_group, array_agg(ROW(jsonb_build_object('share', share), summary)::ldp_group ORDER BY share) AS groups FROM summed GROUP BY min_group
)
SELECT min_group, min(c.n) AS n, min(c.note) AS note
FROM grouped, ldp_calibrate(groups, totals => '[{"share": 1.5, "total": 1}, {"share": 2, "total": 3}]', collapse => true) AS c
GROUP BY min_group ORDER BY min_group;
SELECT ldp_drop_rollup('people_by');
SELECT count(ldp_drop_collection(name)) FROM unnest('{people,answers,hashed,empty}'::text[]) AS name;
DROP SCHEMA comparisons CASCADE;

-- The usual target of a function is the people who reported, or the population for these comparisons and weights.
SELECT DISTINCT proname, target
FROM pg_proc AS p, LATERAL (SELECT (regexp_match(pg_get_function_arguments(p.oid), '\mtarget text DEFAULT ''(\w+)'''))[1] AS target) AS d
WHERE target <> 'sample' AND proname LIKE 'ldp\_%' ORDER BY 1;
