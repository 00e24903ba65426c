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
SELECT attribute, label, group_name, baseline, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr, round(lower::numeric, 6) AS lower,
       round(upper::numeric, 6) AS upper, round(p_value::numeric, 6) AS p_value, round(adjusted_p_value::numeric, 6) AS adjusted, n, baseline_n, attribute_number, value, note
FROM ldp_compare_groups('survey', 'country');
WITH own AS (SELECT "group" ->> 'country' AS country, e.* FROM ldp_summaries_of('survey', '{country}') AS s, ldp_estimate(s.summary, target => 'population') AS e)
SELECT count(*) AS rows, bool_and(abs(c.estimate - (a.estimate - b.estimate)) < 1e-9) AS differences, bool_and(abs(c.stderr - sqrt(a.stderr ^ 2 + b.stderr ^ 2)) < 1e-9) AS errors,
       bool_and((c.p_value < 0.05) = (c.lower > 0 OR c.upper < 0)) AS agree, bool_and(c.adjusted_p_value >= c.p_value) AS adjusted
FROM ldp_compare_groups('survey', 'country') AS c JOIN own AS a ON (a.country, a.attribute, a.label) IS NOT DISTINCT FROM (c.group_name, c.attribute, c.label)
     JOIN own AS b ON (b.country, b.attribute, b.label) IS NOT DISTINCT FROM (c.baseline, c.attribute, c.label);
-- One attribute, one baseline, another confidence, the respondents alone.
SELECT label, group_name, baseline, round(estimate::numeric, 6) AS estimate, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper
FROM ldp_compare_groups('survey', 'country', attributes => '{mood}', baseline => 'south', confidence => 0.8, target => 'sample');
-- The same from summaries of any grouping.
SELECT count(*) AS rows, bool_and(c.group_name = 'true' AND c.baseline = 'false') AS named
FROM (SELECT array_agg(cold::text ORDER BY cold) AS groups, array_agg(summary ORDER BY cold) AS summaries
      FROM (SELECT country = 'north' AS cold, ldp_agg(report) AS summary FROM survey GROUP BY cold) AS g) AS g, ldp_compare_groups(groups, summaries) AS c;

-- At all looks: the same differences with wider intervals and larger p-values. Of all rows together: the error of each is divided by their number.
SELECT bool_and(a.estimate = c.estimate AND a.upper - a.lower BETWEEN 1.4 * (c.upper - c.lower) AND 3 * (c.upper - c.lower)) AS wider,
       bool_and(a.p_value >= c.p_value AND (a.p_value < 0.05) = (a.lower > 0 OR a.upper < 0)) AS larger
FROM ldp_compare_groups('survey', 'country', anytime => true) AS a JOIN ldp_compare_groups('survey', 'country') AS c USING (attribute_number, value, group_name, baseline)
WHERE value IS NOT NULL;
SELECT count(*) AS rows, bool_and(abs(s.lower - c.lower) < 1e-6 AND abs(s.upper - c.upper) < 1e-6 AND s.p_value = c.p_value) AS divided
FROM ldp_compare_groups('survey', 'country', '{mood}', simultaneous => true) AS s JOIN ldp_compare_groups('survey', 'country', '{mood}', confidence => 1 - 0.05 / 9) AS c USING (value, group_name, baseline);
SELECT round(a.estimate::numeric, 6) AS estimate, round(((a.upper - a.lower) / (c.upper - c.lower))::numeric, 3) AS anytime, round(((s.upper - s.lower) / (c.upper - c.lower))::numeric, 3) AS simultaneous
FROM ldp_summary_of('survey') AS r (summary), ldp_change(r.summary, r.summary, anytime => true) AS a JOIN ldp_change(r.summary, r.summary) AS c USING (attribute_number)
     JOIN ldp_change(r.summary, r.summary, simultaneous => true) AS s USING (attribute_number) WHERE attribute_number = 0;
SELECT bool_and(abs(s.lower - c.lower) < 1e-6 AND abs(s.upper - c.upper) < 1e-6) AS divided
FROM ldp_estimate('survey', simultaneous => true) AS s JOIN ldp_estimate('survey', confidence => 1 - 0.05 / 4) AS c ON (s.attribute, s.label) IS NOT DISTINCT FROM (c.attribute, c.label);
SELECT bool_and(s = c) AS one_row FROM ldp_summary_of('survey') AS r (summary), ldp_means(r.summary, attribute => 'income', simultaneous => true) AS s, ldp_means(r.summary, attribute => 'income') AS c;
SELECT bool_and(abs(s.lower - c.lower) < 1e-6) AS divided FROM ldp_summary_of('survey') AS r (summary), ldp_proportions(r.summary, attribute => 'mood', simultaneous => true) AS s JOIN
       ldp_proportions(r.summary, attribute => 'mood', confidence => 1 - 0.05 / 3) AS c USING (value);

-- One test of all groups and values: Pearson's statistic of the reports, since the category is collected by grr.
SELECT attribute, round(chi_square::numeric, 4) AS chi_square, degrees_of_freedom AS degrees, round(p_value::numeric, 6) AS p_value, round(adjusted_p_value::numeric, 6) AS adjusted, groups, n, attribute_number, note
FROM ldp_group_test('survey', 'country');
WITH own AS (SELECT s."group" ->> 'country' AS country, p.value, p.n, 1 / (exp(2) + 2) + p.estimate * (exp(2) - 1) / (exp(2) + 2) AS sent FROM ldp_summaries_of('survey', '{country}') AS s, ldp_proportions(s.summary, attribute => 'mood') AS p),
     pooled AS (SELECT value, sum(n * sent) / sum(n) AS share FROM own GROUP BY value)
SELECT abs(sum(n * (sent - share) ^ 2 / share) - (SELECT chi_square FROM ldp_group_test('survey', 'country', '{mood}'))) < 1e-6 AS pearson FROM own JOIN pooled USING (value);
-- From a rollup.
SELECT ldp_create_rollup('by_country', 'survey', '{country}');
SELECT ldp_refresh('by_country') > 0 AS refreshed;
SELECT bool_and(t = c) AS same FROM (SELECT array_agg(country ORDER BY country) AS groups, array_agg(summary ORDER BY country) AS summaries FROM by_country) AS g, ldp_group_test(groups, summaries) AS t
JOIN ldp_group_test('survey', 'country') AS c USING (attribute_number);
SELECT ldp_drop_rollup('by_country');

-- The cells of a joint table.
SELECT ldp_create_collection('trips', '{"mechanism": "joint", "epsilon": 3, "attributes": [{"name": "mode", "domain": ["car", "bus"]}, {"name": "late", "domain": ["no", "yes"]}]}');
ALTER TABLE trips ADD COLUMN town text;
INSERT INTO trips (report, town) SELECT pg_temp.report(ldp_client_spec('trips'), '00' || pg_temp.little(1 << CASE WHEN i % n = 0 THEN 3 ELSE i % 4 END, 1)), town
FROM (VALUES ('A', 2), ('B', 9)) AS t (town, n), generate_series(1, 200) AS i;
SELECT attribute, label, group_name, baseline, round(estimate::numeric, 6) AS estimate, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper, p_value < 0.001 AS clear, n
FROM ldp_compare_groups('trips', 'town', '{late,mode}');
SELECT count(*) AS rows, bool_and(abs(c.estimate - (b.estimate - a.estimate)) < 1e-9) AS differences
FROM ldp_compare_groups('trips', 'town', '{mode,late}') AS c, ldp_summaries_of('trips', '{town}') AS one, ldp_summaries_of('trips', '{town}') AS other,
     ldp_marginal(one.summary, '{mode,late}', target => 'population') AS a, ldp_marginal(other.summary, '{mode,late}', target => 'population') AS b
WHERE one."group" ->> 'town' = 'A' AND other."group" ->> 'town' = 'B' AND a.cell = b.cell AND array_to_string(a.cell, ', ') = c.label;

-- Few reports: nothing below min_group is shown, and a group that nobody reported about has no estimate.
SELECT ldp_create_collection('few', '{"mechanism": "grr", "epsilon": 1, "domain": ["no", "yes"], "min_group": 20}');
ALTER TABLE few ADD COLUMN site text;
INSERT INTO few (report, site) SELECT pg_temp.report(ldp_client_spec('few'), pg_temp.little(i % 2, 1)), CASE WHEN i <= 19 THEN 'small' ELSE 'large' END FROM generate_series(1, 60) AS i;
SELECT group_name, baseline, label, estimate, p_value, adjusted_p_value, n, baseline_n, note FROM ldp_compare_groups('few', 'site');
SELECT group_name, label, estimate, lower, p_value, n, note FROM ldp_compare_groups('{some,none}', (SELECT ARRAY[s, ldp_summary_subtract(s, s)] FROM ldp_summary_of('few') AS s), baseline => 'some');

SELECT attribute, chi_square IS NULL AS without, p_value IS NULL AS untested, groups, n, note FROM ldp_group_test('few', 'site');
SELECT attribute, chi_square IS NULL AS one_by_one, p_value < 0.001 AS clear, groups, n, note FROM ldp_group_test('trips', 'town');

-- Differences of changes: whether group A changed more than group B. Both rows are of different people.
WITH change AS (SELECT "group" ->> 'town' AS town, c.* FROM ldp_summaries_of('trips', '{town}') AS s, ldp_change((SELECT ldp_agg(report) FROM trips WHERE town <> s."group" ->> 'town'), s.summary) AS c)
SELECT a.attribute, a.label, round((d).estimate::numeric, 6) = round((a.estimate - b.estimate)::numeric, 6) AS difference, abs((d).stderr - sqrt(a.stderr ^ 2 + b.stderr ^ 2)) < 1e-9 AS error
FROM change AS a JOIN change AS b USING (attribute_number, value), ldp_difference(ROW(a.attribute, a.label, a.estimate, a.stderr, a.lower, a.upper, a.n, a.people, attribute_number, value, a.note)::ldp_estimate_row,
     ROW(b.attribute, b.label, b.estimate, b.stderr, b.lower, b.upper, b.n, b.people, attribute_number, value, b.note)::ldp_estimate_row) AS d
WHERE a.town = 'A' AND b.town = 'B' ORDER BY a.attribute_number, a.value;

-- Refusals.
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_compare_groups('survey', 'planet')$$),
    ($$SELECT ldp_compare_groups('nothing', 'country')$$),
    ($$SELECT ldp_compare_groups('survey', 'country', baseline => 'east')$$),
    ($$SELECT ldp_compare_groups('survey', 'country', '{colour}')$$),
    ($$SELECT ldp_compare_groups('survey', 'country', '{mood,mood}')$$),
    ($$SELECT ldp_compare_groups('survey', 'country', '{mood,income}')$$),
    ($$SELECT ldp_compare_groups('survey', 'country', '{NULL}')$$),
    ($$SELECT ldp_compare_groups('survey', 'country', target => 'panel')$$),
    ($$SELECT ldp_compare_groups('survey', 'country', confidence => 1)$$),
    ($$SELECT ldp_compare_groups('{a}', (SELECT array_agg(summary) FROM ldp_summaries_of('few', '{site}')))$$),
    ($$SELECT ldp_compare_groups('{a}', (SELECT ARRAY[ldp_agg(report)] FROM few))$$),
    ($$SELECT ldp_compare_groups('{a,b}', (SELECT ARRAY[ldp_agg(report), NULL] FROM few))$$),
    ($$SELECT ldp_compare_groups('{a,b}', (SELECT ARRAY[(SELECT ldp_agg(report) FROM few), (SELECT ldp_agg(report) FROM trips)]))$$),
    ($$SELECT ldp_compare_groups('{}'::text[], '{}'::ldp_summary[])$$),
    ($$SELECT ldp_compare_groups('survey', 'country', confidence => 0, anytime => true)$$),
    ($$SELECT ldp_group_test('survey', 'planet')$$),
    ($$SELECT ldp_group_test('survey', 'country', '{mood,colour}')$$),
    ($$SELECT ldp_group_test('survey', 'country', '{mood,mood}')$$),
    ($$SELECT ldp_group_test('{a}', (SELECT ARRAY[ldp_agg(report)] FROM few))$$),
    ($$SELECT ldp_group_test('{a,b}', (SELECT ARRAY[(SELECT ldp_agg(report) FROM few), (SELECT ldp_agg(report) FROM trips)]))$$)) AS q (query);
SELECT count(*) AS from_null FROM ldp_group_test(NULL::text[], NULL::ldp_summary[]);
SELECT count(*) AS from_null FROM ldp_compare_groups(NULL::text[], NULL::ldp_summary[], target => NULL);

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['survey', 'trips', 'few']) AS name;
DROP SCHEMA comparisons CASCADE;
