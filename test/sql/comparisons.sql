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
    ($$SELECT ldp_compare_groups('{}'::text[], '{}'::ldp_summary[])$$)) AS q (query);
SELECT count(*) AS from_null FROM ldp_compare_groups(NULL::text[], NULL::ldp_summary[], target => NULL);

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['survey', 'trips', 'few']) AS name;
DROP SCHEMA comparisons CASCADE;
