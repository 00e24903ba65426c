-- Means over groups that are a sample of groups, and estimates of small groups, by a public column of a collection or by a rollup.
\ir setup.sql
CREATE SCHEMA groups;
SET search_path = groups, public;

SELECT ldp_create_collection('pupils', '{"mechanism": "sampled", "epsilon": 2, "grid": 10, "attributes": [{"name": "hours", "min": 0, "max": 10},
    {"name": "bus", "domain": ["no", "yes"], "mechanism": "grr"}]}', ARRAY[['school', 'text'], ['seen', 'date']]);
INSERT INTO pupils (report, school, seen) SELECT pg_temp.report(ldp_client_spec('pupils'), CASE WHEN i % 2 = 0 THEN '00' || pg_temp.little(s * i % 97 % (10 + s % 3), 1)
    ELSE '01' || pg_temp.little((i / 2 % 12 < s)::integer, 1) END), chr(64 + s), date '2030-01-01' + s
FROM generate_series(1, 10) AS s, generate_series(1, 120) AS i;

-- Of groups with equally many people the error is that of the estimates of the groups, with one degree of freedom less than there are
-- groups. The means of hours are closer to each other than the noise allows, and have the error of the model.
SELECT attribute, label, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper,
       groups_used, round(degrees_of_freedom::numeric, 6) AS df, n, people, attribute_number, value, note FROM ldp_clustered('pupils', '{school}');
SELECT attribute, label, round(between_sd::numeric, 6) AS between_sd, round(between_sd_lower::numeric, 6) AS lower, round(between_sd_upper::numeric, 6) AS upper,
       round(icc::numeric, 6) AS icc, round(icc_lower::numeric, 6) AS icc_lower, round(icc_upper::numeric, 6) AS icc_upper, round(design_effect::numeric, 6) AS design_effect
FROM ldp_clustered('pupils', '{school}');
WITH own AS (SELECT attribute, label, avg(estimate) AS mean, stddev(estimate) / sqrt(count(*)) AS error
             FROM unnest(ldp_groups_of('pupils', '{school}')) AS s, ldp_estimate(s.summary) AS e GROUP BY attribute, label)
SELECT count(*) AS rows, bool_and(abs(c.estimate - o.mean) < 1e-9) AS means, bool_and(abs(c.stderr - o.error) < 1e-9) FILTER (WHERE c.label IS NOT NULL) AS errors,
       bool_and(c.icc BETWEEN c.icc_lower AND c.icc_upper AND c.estimate BETWEEN c.lower AND c.upper) AS ordered
FROM ldp_clustered('pupils', '{school}') AS c JOIN own AS o ON (o.attribute, o.label) IS NOT DISTINCT FROM (c.attribute, c.label);
-- Equal weights of unequal groups, one attribute, another confidence.
DELETE FROM pupils WHERE school > 'E' AND ctid IN (SELECT ctid FROM (SELECT ctid, row_number() OVER (PARTITION BY school ORDER BY ctid) AS i FROM pupils) AS p WHERE i > 40);
SELECT w.weights, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper,
       round(degrees_of_freedom::numeric, 6) AS df, round(design_effect::numeric, 6) AS design_effect, n
FROM (VALUES ('people'), ('groups')) AS w (weights), ldp_clustered('pupils', '{school}', '{bus}', w.weights, 0.9) WHERE label = 'yes';
-- A rollup counts the same reports.
SELECT ldp_create_rollup('pupils_by_day', 'pupils', '{day(seen)}');
SELECT ldp_refresh('pupils_by_day') AS refreshed;
SELECT count(*) AS rows, bool_and(r.estimate = c.estimate AND r.stderr = c.stderr AND r.icc IS NOT DISTINCT FROM c.icc) AS equal
FROM ldp_clustered('pupils_by_day', '{day}') AS r JOIN ldp_clustered('pupils', '{seen}') AS c ON (r.attribute, r.label) IS NOT DISTINCT FROM (c.attribute, c.label);

-- Small groups: an estimate is between its own one and the mean of all groups.
UPDATE pupils SET school = NULL WHERE school = 'J';
SELECT group_key, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper,
       round(own_estimate::numeric, 6) AS own, round(own_stderr::numeric, 6) AS own_stderr, round(weight::numeric, 6) AS weight, n, people, attribute_number, value, note
FROM ldp_small_areas('pupils', '{school}', '{bus}') WHERE label = 'yes';
SELECT count(*) AS rows, bool_and(abs(a.own_estimate - e.estimate) < 1e-9) AS own, bool_and(a.estimate BETWEEN a.lower AND a.upper) AS ordered, bool_and(a.weight BETWEEN 0 AND 1) AS weights,
       bool_and(a.stderr <= a.own_stderr) AS smaller
FROM ldp_small_areas('pupils', '{school}') AS a JOIN ldp_estimate('pupils', by => '{school}') AS e
     ON (a.group_key, a.attribute, a.label) IS NOT DISTINCT FROM (e.group_key, e.attribute, e.label);
SELECT count(*) AS rows, bool_and(r.estimate = c.estimate AND r.weight = c.weight) AS equal
FROM ldp_small_areas('pupils_by_day', '{day}') AS r JOIN ldp_small_areas('pupils', '{seen}') AS c ON ((r.group_key ->> 'day')::date, r.attribute, r.label) IS NOT DISTINCT FROM ((c.group_key ->> 'seen')::date, c.attribute, c.label);

-- Reports without a value of the column form no group in any function, and a note has their number.
SELECT 'clustered' AS function, count(*) AS rows, max(groups_used) AS groups, min(note) AS note FROM ldp_clustered('pupils', '{school}', '{bus}')
UNION ALL SELECT 'small areas', count(*), count(DISTINCT group_key), min(note) FROM ldp_small_areas('pupils', '{school}', '{bus}')
UNION ALL SELECT 'comparison', count(*), count(DISTINCT group_key), min(note) FROM ldp_compare_groups('pupils', '{school}', '{bus}', 'A')
UNION ALL SELECT 'test', count(*), max(groups), min(note) FROM ldp_group_test('pupils', '{school}', '{bus}');

-- Groups may be NULL, or have no columns.
SELECT group_key, label, n FROM ldp_estimate(ARRAY[ROW(NULL, ldp_summary_of('pupils'))::ldp_group, ROW('{}', ldp_summary_of('pupils'))::ldp_group], '{bus}');
SELECT count(*), count(group_key) FROM ldp_compare_groups(ARRAY[ROW(NULL, ldp_summary_of('pupils'))::ldp_group, ROW('{"a": 1}', ldp_summary_of('pupils'))::ldp_group, ROW('{"a": 2}', ldp_summary_of('pupils'))::ldp_group]);
SELECT pg_temp.refusal(query) FROM (VALUES
    ('SELECT ldp_estimate(ARRAY[NULL]::ldp_group[])'), ('SELECT ldp_estimate(ARRAY[ROW(''{"a": 1}'', NULL)::ldp_group])'),
    ('SELECT ldp_estimate(ARRAY[ROW(''5'', ldp_summary_of(''pupils''))::ldp_group])'), ('SELECT ldp_estimate(ldp_summary_of(''pupils''), by => ''{school}'')'),
    ('SELECT ldp_small_areas(ARRAY[NULL]::ldp_group[])')) AS r (query);

-- A series of days with a jump. Two days have no reports.
SELECT ldp_create_collection('moods', '{"mechanism": "grr", "epsilon": 2, "domain": ["bad", "good"]}', ARRAY[['seen', 'date'], ['step', 'integer']]);
INSERT INTO moods (report, seen, step) SELECT pg_temp.report(ldp_client_spec('moods'), pg_temp.little(((i * 7 + d * 13) % 100 < CASE WHEN d < 12 THEN 35 ELSE 65 END)::integer, 1)), date '2030-01-01' + d, d * 2
FROM generate_series(0, 23) AS d, generate_series(1, 200) AS i WHERE d NOT IN (5, 6);
SELECT group_key, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper,
       round(own_estimate::numeric, 6) AS own, round(own_stderr::numeric, 6) AS own_stderr, season_effect, n, people, note
FROM ldp_smooth('moods', '{seen}') WHERE label = 'good';
SELECT label, group_key, round(jump_p_value::numeric, 6) AS p_value, round(adjusted_p_value::numeric, 6) AS adjusted FROM ldp_smooth('moods', '{seen}') WHERE adjusted_p_value < 0.05 ORDER BY label;
SELECT count(*) AS rows, count(jump_p_value) AS tested, bool_and(estimate BETWEEN lower AND upper) AS ordered, bool_and(stderr < own_stderr) AS smaller FROM ldp_smooth('moods', '{seen}');
-- Integers are in numeric order, and their common distance is one step. A season of two steps.
SELECT count(*) AS rows, bool_and(s.estimate = d.estimate) AS equal, min((s.group_key ->> 'step')::integer) AS first, max((s.group_key ->> 'step')::integer) AS last
FROM ldp_smooth('moods', '{step}', season => 0) AS s JOIN ldp_smooth('moods', '{seen}') AS d ON s.label = d.label AND date '2030-01-01' + (s.group_key ->> 'step')::integer / 2 = (d.group_key ->> 'seen')::date;
SELECT bool_and(abs(one.season_effect + other.season_effect) < 1e-9 AND one.season_effect <> 0) AS balanced
FROM ldp_smooth('moods', '{step}', '{value}', 2) AS one JOIN ldp_smooth('moods', '{step}', '{value}', 2) AS other ON one.label = other.label AND (one.group_key ->> 'step')::integer + 2 = (other.group_key ->> 'step')::integer;
-- Days of a rollup.
SELECT ldp_create_rollup('moods_by_day', 'moods', '{day(seen)}'), ldp_refresh('moods_by_day') > 0 AS refreshed;
SELECT count(*) AS rows, bool_and(r.estimate = s.estimate) AS equal FROM ldp_smooth('moods_by_day', '{day}') AS r JOIN ldp_smooth('moods', '{seen}') AS s ON r.label = s.label AND r.group_key ->> 'day' = s.group_key ->> 'seen';
-- Rounds of a panel.
SELECT ldp_create_collection('moods_of_people', '{"mechanism": "grr", "epsilon": 2, "domain": ["bad", "good"], "evolving": {}, "budget": {"epsilon": 4}}');
SELECT ldp_open_rounds('moods_of_people', 0, 6);
INSERT INTO moods_of_people (report, round) SELECT pg_temp.report(ldp_client_spec('moods_of_people'), pg_temp.little(i % 2, 1)), r FROM generate_series(1, 6) AS r, generate_series(1, 50) AS i;
SELECT 'smooth' AS function, note FROM ldp_smooth('moods_of_people', '{round}') UNION SELECT 'clustered', note FROM ldp_clustered('moods_of_people', '{round}')
UNION SELECT 'small_areas', note FROM ldp_small_areas('moods_of_people', '{round}') UNION SELECT 'group_test', note FROM ldp_group_test('moods_of_people', '{round}')
UNION SELECT 'calibrate', note FROM ldp_calibrate('moods_of_people', '{round}', '{"round": {"1": 1, "2": 1, "3": 1, "4": 1, "5": 1, "6": 1}}') ORDER BY function;
-- Groups without reports, and groups whose reports are all equal.
TRUNCATE moods_of_people;
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_clustered('moods_of_people', '{round}')$$),
    ($$SELECT ldp_small_areas('moods_of_people', '{round}')$$),
    ($$SELECT ldp_smooth('moods_of_people', '{round}')$$)) AS q (query);
SELECT ldp_create_collection('equal_moods', '{"mechanism": "grr", "epsilon": 20, "domain": ["bad", "good"]}', ARRAY[['site', 'text'], ['day', 'integer']]);
INSERT INTO equal_moods (report, site, day) SELECT pg_temp.report(ldp_client_spec('equal_moods'), '01'), 'site ' || i % 10, i % 10 FROM generate_series(1, 500) AS i;
SELECT label, round(lower::numeric, 4) AS lower, round(upper::numeric, 4) AS upper, icc, note FROM ldp_clustered('equal_moods', '{site}');
SELECT label, min(round(lower::numeric, 4)) AS lower, max(round(upper::numeric, 4)) AS upper FROM ldp_small_areas('equal_moods', '{site}') GROUP BY label ORDER BY label;
SELECT label, min(round(lower::numeric, 4)) AS lower, max(round(upper::numeric, 4)) AS upper FROM ldp_smooth('equal_moods', '{day}') GROUP BY label ORDER BY label;

-- Groups below min_group have no estimate.
SELECT ldp_create_collection('few_pupils', '{"mechanism": "grr", "epsilon": 1, "domain": ["no", "yes"], "min_group": 20}', ARRAY[['site', 'text']]);
INSERT INTO few_pupils (report, site) SELECT pg_temp.report(ldp_client_spec('few_pupils'), pg_temp.little(i % 3 / 2, 1)), CASE WHEN i <= 19 THEN 'small' WHEN i < 60 THEN 'large' ELSE 'more' END FROM generate_series(1, 99) AS i;
SELECT label, round(estimate::numeric, 6) AS estimate, groups_used, n, note FROM ldp_clustered('few_pupils', '{site}');
INSERT INTO few_pupils (report, site) SELECT report, 'copy ' || i FROM few_pupils, generate_series(1, 2) AS i WHERE site = 'small';
SELECT label, group_key, estimate, lower, round(own_estimate::numeric, 6) AS own, weight, n, note FROM ldp_small_areas('few_pupils', '{site}');
DELETE FROM few_pupils WHERE site = 'large' OR site LIKE 'copy%';
SELECT label, estimate, lower, icc, groups_used, n, note FROM ldp_clustered('few_pupils', '{site}');

-- Refusals.
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_clustered('pupils', '{planet}')$$),
    ($$SELECT ldp_clustered('nothing', '{school}')$$),
    ($$SELECT ldp_clustered('pupils_by_day', '{school}')$$),
    ($$SELECT ldp_clustered('pupils', '{school}', '{colour}')$$),
    ($$SELECT ldp_clustered('pupils', '{school}', weights => 'equal')$$),
    ($$SELECT ldp_clustered('pupils', '{school}', confidence => 1)$$),
    ($$SELECT ldp_small_areas('pupils', '{school}', '{colour}')$$),
    ($$SELECT ldp_small_areas('pupils', '{round}')$$),
    ($$SELECT ldp_smooth('pupils', '{school}')$$),
    ($$SELECT ldp_smooth('pupils', '{round}')$$),
    ($$SELECT ldp_smooth('moods', '{seen}', '{colour}')$$),
    ($$SELECT ldp_smooth('moods', '{seen}', season => 54)$$),
    ($$SELECT ldp_smooth('moods', '{seen}', confidence => 0)$$),
    ($$INSERT INTO moods (report, step) SELECT report, 1000001 FROM moods LIMIT 1; SELECT ldp_smooth('moods', '{step}')$$),
    ($$DELETE FROM few_pupils WHERE site = 'small'; SELECT ldp_clustered('few_pupils', '{site}')$$),
    ($$SELECT ldp_clustered(ldp_groups('{a}'::text[], (SELECT ARRAY[summary, summary] FROM unnest(ldp_groups_of('pupils', '{school}')) LIMIT 1)))$$),
    ($$SELECT ldp_clustered(ldp_groups('{a,b}'::text[], (SELECT ARRAY[(SELECT ldp_agg(report) FROM few_pupils), (SELECT ldp_agg(report) FROM pupils)])))$$)) AS q (query);
SELECT count(*) AS from_null FROM ldp_clustered('pupils', '{school}', weights => NULL);
SELECT count(*) AS from_null FROM ldp_small_areas('pupils', '{school}', confidence => NULL);
SELECT count(*) AS from_null FROM ldp_smooth('moods', '{seen}', confidence => NULL);

SELECT count(ldp_drop_rollup(name)) FROM unnest('{pupils_by_day,moods_by_day}'::text[]) AS name;
SELECT count(ldp_drop_collection(name)) FROM unnest('{pupils,few_pupils,moods,moods_of_people,equal_moods}'::text[]) AS name;
RESET search_path;
DROP SCHEMA groups CASCADE;
