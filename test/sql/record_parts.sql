-- Records of parts: distributions, vectors and joint tables of attributes in one collection, queried by name.
\ir setup.sql
CREATE SCHEMA record_parts;
SET search_path = record_parts, public;


-- Specs: the canonical form has the mechanism of each part, and margins have become shares.
SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 2, "people": 60000, "attributes": [{"name": "mood", "domain": ["bad", "ok", "good"]},
    {"name": "car", "domain": ["no", "yes"]}, {"name": "income", "min": 0, "max": 9000, "estimate": "distribution"}, {"name": "age", "min": 0, "max": 100},
    {"name": "hours", "vector": ["0h", "8h", "16h"], "min": 0, "max": 60}], "joint_tables": [["mood", "car"]], "max_margin_of_error": {"mood": 0.02}}')).canonical - 'derived';
SELECT pg_temp.refusal(format('SELECT (ldp_spec_info(%L)).canonical', '{"mechanism": "auto", "epsilon": 1, "attributes": [{"name": "mood", "domain": ["bad", "ok", "good"]},
    {"name": "car", "domain": 2}, {"name": "age", "min": 0, "max": 100' || rest || '}')) AS refused
FROM unnest(ARRAY[
    '}], "joint_tables": [["mood", "age"]]',
    '}], "joint_tables": [["mood", "town"]]',
    '}, {"name": "town", "domain": 3}], "joint_tables": [["mood", "town"]]',
    ', "estimate": "median"}]',
    ', "mechanism": "pdp", "estimate": "mean"}]',
    ', "estimate": "shape"}], "report_epsilon": 0.5',
    '}], "max_margin_of_error": {"mood": 2}',
    '}], "max_margin_of_error": {"town": 0.1}',
    '}], "max_margin_of_error": {"mood": 0.01}, "people": 10000',
    '}, {"name": "hours", "vector": ["0h"], "min": 0, "max": 60}]',
    '}, {"name": "hours", "vector": 3, "domain": 4}]',
    '}, {"name": "hours", "vector": 3, "min": 0, "max": 60, "mechanism": "grr"}]']) AS rest;

-- A collection: part 0 has the joint tables of mood and car, of which view 0 is mood, 1 is car and 2 is both; parts 1 to 4 are town, age, income and hours.
SELECT ldp_create_collection('poll', '{"mechanism": "sampled", "epsilon": 4, "grid": 100, "attributes": [{"name": "mood", "domain": ["bad", "ok", "good"]},
    {"name": "car", "domain": ["no", "yes"]}, {"name": "town", "domain": ["Ulm", "Bonn", "Kiel"], "mechanism": "grr"}, {"name": "age", "min": 0, "max": 100, "mechanism": "duchi"},
    {"name": "income", "min": 0, "max": 800, "mechanism": "haar_ordered", "grid": 8}, {"name": "hours", "vector": ["0h", "8h", "16h"], "min": 0, "max": 60, "mechanism": "duchi_vector"}],
    "per_report": 1, "joint_tables": [["mood", "car"]]}');
CREATE VIEW pg_temp.sent AS SELECT i, CASE
    WHEN i % 7 < 3 THEN '00' || pg_temp.little(i / 7 % 3, 1) || pg_temp.little(1 << (CASE i / 7 % 3 WHEN 0 THEN mood WHEN 1 THEN car ELSE mood * 2 + car END), 1)
    WHEN i % 7 = 3 THEN '01' || pg_temp.little(i / 7 % 3, 1) || '00'
    WHEN i % 7 = 4 THEN '02' || pg_temp.little(LEAST(i / 7 % 3, 1), 1) || '00'
    WHEN i % 7 = 5 THEN '03' || pg_temp.little(i / 7 % 4, 1) || pg_temp.little(i / 28 % (2 << (i / 7 % 4)) / (1 + i % 2), 1)
    ELSE '04' || pg_temp.little(CASE WHEN i % 3 = 0 THEN 1 ELSE i / 7 % 8 END, 1) || '00' END AS payload
FROM generate_series(1, 8400) AS i, LATERAL (SELECT i / 21 % 3 AS mood, (i / 63 % 2 | i / 21 % 3) & 1 AS car) AS p;
INSERT INTO poll SELECT pg_temp.report_to('poll', payload) FROM pg_temp.sent;
SELECT ldp_agg(report) AS s FROM poll \gset
SELECT array_agg(DISTINCT attribute ORDER BY attribute) AS attributes, ldp_count(:'s'::ldp_summary) FROM ldp_labels(:'s');

\pset numericlocale off
CREATE FUNCTION pg_temp.short(number float8) RETURNS numeric LANGUAGE sql AS $$ SELECT round($1::numeric, 4) $$;
-- Every estimate by name.
SELECT attribute, label, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper, n, attribute_number
FROM ldp_estimate(:'s'::ldp_summary);
SELECT attribute, pg_temp.short(estimate) AS estimate, n FROM ldp_estimate(:'s'::ldp_summary, attributes => '{hours}', statistics => '{mean}');
SELECT attribute, pg_temp.short(estimate) AS estimate, n FROM ldp_estimate(:'s'::ldp_summary, attributes => ARRAY['hours.8h'], statistics => '{mean}');
SELECT pg_temp.short(ldp_mean(:'s'::ldp_summary, 'age')) AS age, pg_temp.short(ldp_mean(:'s'::ldp_summary, 'hours.8h')) AS eight, pg_temp.short(ldp_mean(:'s'::ldp_summary, 'income')) AS income;
SELECT label, pg_temp.short(estimate) AS estimate, n FROM ldp_estimate(:'s'::ldp_summary, attributes => '{mood}', statistics => '{proportion}');
SELECT label, pg_temp.short(estimate) AS estimate FROM ldp_consistent(:'s'::ldp_summary, 'norm_sub', attribute => 'mood');
SELECT label, pg_temp.short(estimate) AS estimate, p_value < 1e-9 AS significant FROM ldp_top(:'s'::ldp_summary, 2, attribute => 'mood');
SELECT pg_temp.short(ldp_proportion(:'s'::ldp_summary, 'ok', 'mood')) AS by_label,
    (SELECT pg_temp.short(estimate) FROM ldp_consistent(:'s'::ldp_summary, 'norm_sub', 'mood') WHERE label = 'ok') AS consistent;
-- A distribution.
SELECT attribute, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper, n FROM ldp_between(:'s'::ldp_summary, 0, 300, attribute => 'income');
SELECT attribute, pg_temp.short(estimate) AS estimate FROM ldp_between(:'s'::ldp_summary, high => 300, attribute => 'income');
SELECT attribute, probability, estimate, lower, upper, n FROM ldp_quantiles(:'s'::ldp_summary, '{0.25,0.5}', attribute => 'income');
SELECT ldp_quantile(:'s'::ldp_summary, 0.5, 'income');
SELECT attribute, low, high, pg_temp.short(estimate) AS estimate, n FROM ldp_histogram(:'s'::ldp_summary, 3, attribute => 'income');
SELECT count(*), pg_temp.short(sum(estimate)) FROM ldp_distribution(:'s'::ldp_summary, attribute => 'income');
SELECT attribute, low, high FROM ldp_learn_range(:'s'::ldp_summary, attribute => 'income');
-- A vector: the means of ranges of its elements.
SELECT attribute, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, n FROM ldp_between(:'s'::ldp_summary, 0, 1, attribute => 'hours');
-- Joint tables.
SELECT * FROM ldp_marginals(:'s');
SELECT cell, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, n, cell_numbers FROM ldp_marginal(:'s', '{mood,car}');
SELECT cell, pg_temp.short(estimate) AS estimate FROM ldp_marginal(:'s', '{car,mood}', 'unbiased', target => 'population') LIMIT 2;
SELECT cell, pg_temp.short(estimate) AS estimate, pg_temp.short(lower) AS lower FROM ldp_proportion_where(:'s', '{"car": "yes"}', given => '{"mood": ["ok", "good"]}');
SELECT cell[1] AS mood, cell[2] AS car, pg_temp.short(estimate) AS estimate FROM ldp_marginal(:'s', '{mood,car}') \crosstabview
-- The reports of all other people are a sample, too: the error against the people who reported lies between both.
SELECT s.attribute, s.estimate = p.estimate AS same, s.stderr < p.stderr AS smaller
FROM ldp_between(:'s'::ldp_summary, 0, 300, attribute => 'income') AS s, ldp_between(:'s'::ldp_summary, 0, 300, target => 'population', attribute => 'income') AS p;

-- A part by itself has the same estimates.
SELECT ldp_part(:'s'::ldp_summary, 'income') AS income, ldp_part(:'s'::ldp_summary, 'hours') AS hours, ldp_part(:'s'::ldp_summary, 'car') AS tables \gset
SELECT p.part, l.* FROM (VALUES (1, :'income'::ldp_summary), (2, :'hours'), (3, :'tables')) AS p (part, summary), ldp_labels(p.summary) AS l ORDER BY p.part, l.attribute_number, l.value;
SELECT ldp_part(:'s'::ldp_summary, 'mood') = :'tables' AS one_part,
    ldp_spec(:'tables'::ldp_summary) ->> 'spec' = left(encode(sha256(convert_to(ldp_spec(:'s'::ldp_summary) ->> 'spec' || '/0', 'UTF8')), 'hex'), 16) AS known;
SELECT bool_and(a.estimate = b.estimate) AS same FROM ldp_histogram(:'s'::ldp_summary, 3, target => 'population', attribute => 'income') AS a JOIN ldp_histogram(:'income'::ldp_summary, 3, target => 'population') AS b USING (bin, stderr, lower, upper);
SELECT bool_and(a.estimate = b.estimate) AS same FROM ldp_marginal(:'s', '{mood,car}', target => 'population') AS a JOIN ldp_marginal(:'tables', '{mood,car}', target => 'population') AS b USING (cell, stderr, lower, upper);
SELECT bool_and(a.estimate = b.estimate) AS same, count(*) FROM ldp_estimate(:'s'::ldp_summary, attributes => '{hours}', statistics => '{mean}', target => 'population') AS a JOIN ldp_estimate(:'hours'::ldp_summary, statistics => '{mean}', target => 'population') AS b USING (attribute, stderr);

-- One step, by name.
SELECT pg_temp.short(ldp_quantile(report, 0.5, 'income')) AS median, pg_temp.short(ldp_mean(report, 'age')) AS age FROM poll;
-- Groups, batches, rollups and merged summaries.
SELECT i % 2 AS half, pg_temp.short(ldp_quantile(report, 0.5, 'income')) AS median, pg_temp.short(ldp_mean(report, 'age')) AS age
FROM (SELECT report, row_number() OVER () AS i FROM poll) AS p GROUP BY 1 ORDER BY 1;
SELECT ldp_rollup(s) = :'s' AS same FROM (SELECT ldp_agg(report) AS s FROM (SELECT report, row_number() OVER () % 7 AS part FROM poll) AS p GROUP BY part) AS parts;
SELECT ldp_agg(ldp_pack) = :'s' AS same FROM (SELECT ldp_pack(report) FROM (SELECT report, row_number() OVER () % 5 AS part FROM poll) AS p GROUP BY part) AS batches;
SELECT ldp_quantile(ldp_agg(ldp_pack), 0.5, 'income') AS estimate FROM (SELECT ldp_pack(report) FROM poll) AS batch;

-- A rollup by a public column, its series, and the combination of both groups.
SELECT ldp_create_collection('regions', ldp_client_spec('poll'), ARRAY[['region', 'text']]);
INSERT INTO regions (report, region) SELECT report, CASE WHEN row_number() OVER () % 3 = 0 THEN 'east' ELSE 'west' END FROM poll;
SELECT ldp_create_rollup('by_region', 'regions', '{region}');
SELECT ldp_refresh('by_region');
SELECT region, (SELECT pg_temp.short(estimate) FROM ldp_between(summary, 0, 300, attribute => 'income')) AS low, (SELECT count(*) FROM ldp_marginal(summary, '{mood,car}')) AS cells FROM by_region ORDER BY 1;
SELECT ldp_rollup(summary) = ldp_summary_of('regions') AS same FROM by_region;
SELECT pg_temp.short((ldp_combine(r)).estimate) AS combined, pg_temp.short((ldp_combine(r)).stderr) AS stderr FROM by_region, ldp_between(summary, 0, 300, target => 'population', attribute => 'income') AS r;

-- Diagnostics and forgery.
SELECT statistic FROM ldp_health(:'s'::ldp_summary) ORDER BY statistic;
SELECT count(*) FROM ldp_health(:'s'::ldp_summary, 'hours');
SELECT attribute, pg_temp.short(one_report) AS one_report, pg_temp.short(up) AS up FROM ldp_influence(ldp_client_spec('poll'));
SELECT attribute, label, lower <= estimate AND estimate <= upper AS inside, n FROM ldp_robust_interval(:'s') WHERE attribute_number IN (0, 4, 5);

-- What is refused, and the key of the spec that would allow it.
SELECT pg_temp.refusal(format(query, :'s')) FROM unnest(ARRAY[
    'SELECT ldp_quantiles(%L::ldp_summary, attribute => ''age'')',
    'SELECT ldp_between(%L::ldp_summary, 0, 10, attribute => ''age'')',
    'SELECT ldp_between(%L::ldp_summary, 0, 1, attribute => ''town'')',
    'SELECT ldp_between(%L::ldp_summary, 0, 1, attribute => ''car'')',
    'SELECT ldp_between(%L::ldp_summary, 0, 1, attribute => ''hours.8h'')',
    'SELECT ldp_between(%L::ldp_summary, 0, 3, attribute => ''hours'')',
    'SELECT ldp_histogram(%L::ldp_summary, 3, attribute => ''mood'')',
    'SELECT ldp_quantiles(%L::ldp_summary)',
    'SELECT ldp_mean(%L::ldp_summary, ''hours'')',
    'SELECT ldp_mean(%L::ldp_summary, ''wage'')',
    'SELECT ldp_estimate(%L::ldp_summary, attributes => ''{income}'', statistics => ''{proportion}'')',
    'SELECT ldp_estimate(%L::ldp_summary, attributes => ''{hours}'', statistics => ''{proportion}'')',
    'SELECT ldp_marginal(%L, ''{mood,town}'')',
    'SELECT ldp_marginal(%L, ''{town}'')',
    'SELECT ldp_marginal(%L, ''{age}'')',
    'SELECT ldp_coefficients(%L)']) AS query;
SELECT pg_temp.refusal('SELECT ldp_quantile(report, 0.5, ''age'') FROM poll');
SELECT pg_temp.refusal('SELECT ldp_mean(report, ''hours'') FROM poll');

-- Too few reports of a part to show.
SELECT attribute, estimate, n, note FROM ldp_between((SELECT ldp_agg(pg_temp.report_to('poll', payload)) FROM pg_temp.sent WHERE i <= 100), 0, 300, attribute => 'income');

-- People who keep their responses over rounds, in two layers: standard errors are inflated for each part by itself.
SELECT ldp_create_collection('panel', '{"mechanism": "sampled", "epsilon": 4, "report_epsilon": 2, "evolving": {}, "budget": {"epsilon": 1000000},
    "attributes": [{"name": "mood", "domain": 4, "mechanism": "l_grr"}, {"name": "car", "domain": 2, "mechanism": "l_grr"}]}');
SELECT ldp_open_rounds('panel', 1, 4);
INSERT INTO panel SELECT pg_temp.report_to('panel', lpad((i % 2)::text, 2, '0') || pg_temp.little(i / 2 % 2, 1)), r FROM generate_series(1, 800) AS i, generate_series(1, 4) AS r;
SELECT attribute, label, pg_temp.short(o.estimate) AS estimate, pg_temp.short(a.stderr / o.stderr) AS inflated, a.n, a.people, a.note
FROM ldp_estimate(pg_temp.all_rounds('panel')) AS a JOIN ldp_estimate(ldp_summary_of('panel', round => 1)) AS o USING (attribute, label);
SELECT attribute, label, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr FROM ldp_change(ldp_summary_of('panel', round => 1), ldp_summary_of('panel', round => 2), 1, target => 'sample', attribute => 'mood');
SELECT attribute, label, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr FROM ldp_change(ldp_summary_of('panel', round => 1), ldp_summary_of('panel', round => 2), 0, target => 'sample', attribute => 'mood');

-- Joint tables and a Haar vector, whose elements have ranges of their own, in two layers. Views of two and three cells are reported through l_grr, the
-- view of six cells through l_osue.
SELECT ldp_create_collection('layers', '{"mechanism": "sampled", "epsilon": 1, "report_epsilon": 0.5, "grid": 10, "evolving": {}, "budget": {"epsilon": 1000000},
    "attributes": [{"name": "mood", "domain": ["bad", "ok", "good"]}, {"name": "car", "domain": ["no", "yes"]},
    {"name": "person", "vector": ["age", "hours", "gain", "loss"], "min": [20, 0, 0, 0], "max": [80, 100, 50000, 50000], "mechanism": "haar"}], "per_report": 1, "joint_tables": [["mood", "car"]]}');
SELECT a ->> 'name' AS name, a -> 'min' AS min, a -> 'max' AS max, a -> 'report_epsilon' AS own FROM jsonb_array_elements(ldp_client_spec('layers') -> 'attributes') AS a WHERE a ? 'min';
SELECT ldp_client_spec('layers') -> 'report_epsilon' AS one_report;
SELECT ldp_open_rounds('layers', 1, 3);
INSERT INTO layers SELECT pg_temp.report_to('layers', CASE WHEN i % 5 < 3 THEN '00' || pg_temp.little(i % 3, 1) || pg_temp.little(CASE i % 3 WHEN 0 THEN mood WHEN 1 THEN car ELSE 1 << (mood * 2 + car) END, 1)
    ELSE '01' || pg_temp.little(i / 5 % 4, 1) || pg_temp.little(i % 95, 1) END), r
FROM generate_series(1, 3000) AS i, generate_series(1, 3) AS r, LATERAL (SELECT (i + r) / 21 % 3 AS mood, i / 63 % 2 AS car) AS p;
SELECT ldp_summary_of('layers', round => 1) AS one, pg_temp.all_rounds('layers') AS three \gset
SELECT attribute, label, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, n FROM ldp_estimate(:'one'::ldp_summary);
SELECT cell, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, lower < upper AS interval, n FROM ldp_marginal(:'one', '{mood,car}');
-- Several rounds together: only the permanent part of the noise does not average out, so the errors are inflated by less than the root of 3.
SELECT a.attribute, pg_temp.short(min(a.stderr / o.stderr)) AS least, pg_temp.short(max(a.stderr / o.stderr)) AS most, bool_and(a.note = 'up to 3 reports of one person: errors are inflated') AS note
FROM ldp_estimate(:'three'::ldp_summary) AS a JOIN ldp_estimate(:'one'::ldp_summary) AS o ON (a.attribute, a.label) IS NOT DISTINCT FROM (o.attribute, o.label) GROUP BY 1 ORDER BY 1;
SELECT bool_and(a.stderr / o.stderr BETWEEN 0.6 AND 0.95) AS inflated FROM ldp_marginal(:'three', '{mood,car}') AS a JOIN ldp_marginal(:'one', '{mood,car}') AS o USING (cell);
SELECT d.attribute, d.label, pg_temp.short(d.estimate) AS estimate, pg_temp.short(k.stderr / d.stderr) AS kept FROM ldp_change(:'one', ldp_summary_of('layers', round => 2), target => 'sample') AS d
JOIN ldp_change(:'one', ldp_summary_of('layers', round => 2), 1, target => 'sample') AS k ON (d.attribute, d.label) IS NOT DISTINCT FROM (k.attribute, k.label) ORDER BY d.attribute_number, d.label;
-- Coefficients by name, and their inverse: each element is the sum of the coefficients on its path, scaled to its range.
SELECT count(*), bool_and(pg_temp.short(c.estimate) = pg_temp.short(o.estimate)) AS same, bool_and(c.stderr >= o.stderr) AS wider
FROM ldp_coefficients(:'one', attribute => 'person') AS c JOIN ldp_coefficients(ldp_part(:'one'::ldp_summary, 'person')) AS o USING (coefficient);
SELECT count(*), bool_and(c = o) AS same FROM ldp_coefficients(:'one') AS c JOIN ldp_coefficients(:'one', attribute => 'person.hours') AS o USING (coefficient);
SELECT element, bool_and(abs(m.estimate - (low + high) / 2 - (high - low) / 2 * sum) < 1e-6) AS inverted
FROM (SELECT element, sum(CASE WHEN coefficient = 0 OR element * 2 * width / 4 % 2 = 0 THEN estimate ELSE -estimate END)
    FROM ldp_coefficients(:'one', attribute => 'person'), generate_series(0, 3) AS element, LATERAL (SELECT CASE WHEN coefficient = 0 THEN 1 ELSE 1 << floor(log(2, coefficient))::int END AS width) AS w
    WHERE coefficient = 0 OR element * width / 4 = coefficient - width GROUP BY element) AS s
JOIN (VALUES (0, 20, 80), (1, 0, 100), (2, 0, 50000), (3, 0, 50000)) AS r (element, low, high) USING (element) JOIN ldp_estimate(:'one'::ldp_summary, attributes => '{person}', statistics => '{mean}') AS m ON m.attribute_number = element + 2
GROUP BY element ORDER BY element;
SELECT pg_temp.refusal(format(query, :'one')) FROM unnest(ARRAY['SELECT ldp_coefficients(%L, attribute => ''mood'')', 'SELECT ldp_coefficients(%L, attribute => ''wage'')']) AS query;
SELECT pg_temp.refusal(format('SELECT (ldp_spec_info(%L)).canonical', '{"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "domain": 3}, {"name": "v", "vector": 2, ' || rest || '}]}')) AS refused
FROM unnest(ARRAY['"min": [0, 1, 2], "max": 5', '"min": [0, "x"], "max": 5', '"min": [0, 5], "max": [1, 5]', '"min": 0, "max": [1]']) AS rest;
-- By themselves, with plans and effects of forgery.
SELECT name, pg_temp.short(one.error * sqrt(1000)::numeric) AS one_layer, pg_temp.short(two.error * sqrt(1000)::numeric) AS two_layers FROM (VALUES
    ('joint', '"mechanism": "joint", "attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3}]', '{"attribute": "a", "joint_with": "b"}'),
    ('haar', '"mechanism": "haar", "randomizer": "duchi", "attributes": [{"name": "a", "min": 0, "max": 2}, {"name": "b", "min": 0, "max": 2}]', '{"attribute": "a"}')) AS s (name, rest, question),
    LATERAL (SELECT stderr::numeric AS error FROM ldp_plan(('{"epsilon": 1, ' || rest || '}')::jsonb, question::jsonb, 1000) WHERE source = 'all') AS one,
    LATERAL (SELECT stderr::numeric AS error FROM ldp_plan(('{"epsilon": 3, "report_epsilon": 1, ' || rest || '}')::jsonb, question::jsonb, 1000) WHERE source = 'all') AS two;

SET client_min_messages = warning;
SELECT ldp_drop_rollup('by_region');
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['poll', 'panel', 'regions', 'layers']) AS name;
DROP SCHEMA record_parts CASCADE;
