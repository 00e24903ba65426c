-- Cross tables: joint estimates of several attributes from reports that each cover some of them.
\ir setup.sql
CREATE SCHEMA joint;
SET search_path = joint, public;


-- Specs: numbers in bins are categories, whose labels are the bins; views and what they are for are settled.
SELECT (ldp_spec_info('{"mechanism": "joint", "epsilon": 4, "attributes": [{"name": "sex", "domain": ["f", "m"]},
    {"name": "age", "min": 0, "max": 100, "bins": 4}, {"name": "town", "domain": 3}]}')).canonical - 'derived';
SELECT (ldp_spec_info('{"mechanism": "joint", "epsilon": 4, "people": 1000000, "marginals": "auto", "optimize_for": "ranges",
    "attributes": [{"name": "sex", "domain": ["f", "m"]}, {"name": "age", "min": 0, "max": 100, "edges": [18, 65]}, {"name": "town", "domain": 3}]}')).canonical - 'derived' - 'attributes';
SELECT (ldp_spec_info('{"mechanism": "joint", "epsilon": 4, "marginals": [["town", "sex"], ["age"]],
    "attributes": [{"name": "sex", "domain": ["f", "m"]}, {"name": "age", "min": 0, "max": 100, "edges": [18, 65]}, {"name": "town", "domain": 3}]}')).canonical - 'attributes';
SELECT pg_temp.refusal(format('SELECT (ldp_spec_info(%L)).canonical', '{"mechanism": "joint", "epsilon": 1, ' || rest || '}'))
FROM unnest(ARRAY[
    '"attributes": [{"name": "a", "domain": 2}]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "min": 0, "max": 1}]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2, "weight": 2}]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "marginals": "triples"',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "marginals": "auto"',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "marginals": "quadruples"',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "marginals": [["a", "c"]]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "marginals": [["a", "a"]]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "marginals": [["a"], ["a"]]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "marginals": [["a"]]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "marginals": []',
    '"attributes": [{"name": "a", "domain": 200}, {"name": "b", "domain": 200}]',
    '"attributes": [{"name": "a", "min": 0, "max": 1, "bins": 2, "edges": [0.5]}, {"name": "b", "domain": 2}]',
    '"attributes": [{"name": "a", "min": 0, "max": 1, "bins": 1}, {"name": "b", "domain": 2}]',
    '"attributes": [{"name": "a", "min": 0, "max": 1, "edges": [0.5, 0.5]}, {"name": "b", "domain": 2}]',
    '"attributes": [{"name": "a", "min": 0, "max": 1, "edges": [1]}, {"name": "b", "domain": 2}]',
    '"attributes": [{"name": "a", "domain": 2, "bins": 2}, {"name": "b", "domain": 2}]']) AS rest;
-- Bins are for every mechanism of categories.
SELECT (ldp_spec_info('{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "age", "min": 0, "max": 100, "edges": [18, 65]}]}')).canonical -> 'attributes';
SELECT attribute, (ldp_spec_info((ldp_spec_info('{"mechanism": "grr", "epsilon": 1}'::jsonb || jsonb_build_object('attributes', jsonb_build_array(attribute)))).canonical)).labels AS labels
FROM unnest(ARRAY['{"name": "age", "min": 0, "max": 100, "bins": 2}', '{"name": "sex", "domain": ["f", "m"]}', '{"name": "sex", "domain": 2}']::jsonb[]) AS attribute;

-- A collection: views 0 to 2 are (sex, age), (sex, town) and (age, town); their sets are single cells at this epsilon.
SELECT ldp_create_collection('survey', '{"mechanism": "joint", "epsilon": 4, "attributes": [{"name": "sex", "domain": ["f", "m"]},
    {"name": "age", "min": 0, "max": 100, "edges": [18, 65]}, {"name": "town", "domain": ["Ulm", "Bonn", "Kiel"]}]}');
INSERT INTO survey SELECT pg_temp.report_to('survey', CASE i % 3
    WHEN 0 THEN '00' || pg_temp.little(1 << (p.sex * 3 + p.age), 1)
    WHEN 1 THEN '01' || pg_temp.little(1 << (p.sex * 3 + p.town), 1)
    ELSE '02' || pg_temp.little(p.age * 3 + p.town, 1) END)
FROM generate_series(1, 3000) AS i,
     LATERAL (SELECT i / 3 % 2 AS sex, (i / 6 % 3 + (i / 18) % 2 * (i / 3 % 2)) % 3 AS age, (i / 3 % 2 + i / 7) % 3 AS town) AS p;
SELECT ldp_agg(report) AS s FROM survey \gset
SELECT * FROM ldp_marginals(:'s');
SELECT * FROM ldp_labels(:'s') ORDER BY attribute_number, value;

\pset numericlocale off
CREATE FUNCTION pg_temp.short(number float8) RETURNS numeric LANGUAGE sql AS $$ SELECT round($1::numeric, 4) $$;
SELECT cell, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper, n, people, cell_numbers, note
FROM ldp_marginal(:'s', '{sex,age}');
SELECT cell, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, n FROM ldp_marginal(:'s', '{age,sex}', 'unbiased', target => 'population');
-- Rows follow the order of the arguments; for one attribute the result is that of ldp_estimate.
SELECT count(*), max(abs(a.estimate - b.estimate)) < 1e-12 AS same FROM ldp_marginal(:'s', '{sex,age}') AS a JOIN ldp_marginal(:'s', '{age,sex}') AS b
    ON a.cell = ARRAY[b.cell[2], b.cell[1]];
SELECT f.label, f.estimate = m.estimate AS same, f.stderr = m.stderr AS as_sure, f.n = m.n AS of_as_many
FROM ldp_estimate(:'s', attributes => '{town}', statistics => '{proportion}') AS f JOIN ldp_marginal(:'s', '{town}') AS m ON m.cell[1] = f.label;
-- Consistent: every view's table of an attribute adds up to the same.
SELECT a.cell[2] AS age, abs(sum(a.estimate) - min(b.estimate)) < 1e-12 AS agrees FROM ldp_marginal(:'s', '{sex,age}') AS a JOIN ldp_marginal(:'s', '{age}') AS b
    ON a.cell[2] = b.cell[1] GROUP BY 1 ORDER BY 1;
SELECT abs(sum(estimate) - 1) < 1e-12 AS whole FROM ldp_marginal(:'s', '{age,town}');
SELECT cell[1] AS town, cell[2] AS age, pg_temp.short(estimate) AS estimate FROM ldp_marginal(:'s', '{town,age}') \crosstabview
SELECT cell, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, cell_numbers FROM ldp_proportion_where(:'s', '{"sex": "f", "age": [18, 100]}');
SELECT cell, pg_temp.short(estimate) AS estimate, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper FROM ldp_proportion_where(:'s', '{"age": [null, 65]}', given => '{"sex": ["f"]}');
-- All of a table is everybody, without error.
SELECT estimate, stderr, lower, upper FROM ldp_proportion_where(:'s', '{"sex": ["f", "m"], "age": [null, null]}', 'unbiased');
SELECT given_cell, cell, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper, given_numbers, cell_numbers
FROM ldp_conditional(:'s', '{age}', '{sex}');
SELECT attribute, label, pg_temp.short(estimate) AS estimate, n FROM ldp_estimate(:'s'::ldp_summary);
SELECT label, pg_temp.short(estimate) AS estimate, p_value < 1e-9 AS held FROM ldp_top(:'s', 2, attribute => 'town');
SELECT label, pg_temp.short(estimate) AS estimate FROM ldp_consistent(:'s', 'norm_sub', attribute => 'town');
SELECT ldp_health.* FROM ldp_health(:'s') WHERE p_value < 1e-6 OR statistic = 'views drawn';

-- What is refused, and what to do.
SELECT pg_temp.refusal(format(query, :'s')) FROM unnest(ARRAY[
    'SELECT ldp_marginal(%L, ''{sex,age,town}'')',
    'SELECT ldp_marginal(%L, ''{sex,wage}'')',
    'SELECT ldp_marginal(%L, ''{sex,sex}'')',
    'SELECT ldp_marginal(%L, ''{}'')',
    'SELECT ldp_marginal(%L, ''{sex,NULL}'')',
    'SELECT ldp_marginal(%L, ''{sex}'', ''best'')',
    'SELECT ldp_proportion_where(%L, ''{"age": [20, 65]}'')',
    'SELECT ldp_proportion_where(%L, ''{"age": "old"}'')',
    'SELECT ldp_proportion_where(%L, ''{"age": [18, 1e400]}'')',
    'SELECT ldp_proportion_where(%L, ''[]'')',
    'SELECT ldp_conditional(%L, ''{sex}'', ''{}'')',
    'SELECT ldp_conditional(%L, ''{sex}'', ''{sex}'')',
    'SELECT ldp_estimate(%L, statistics => ''{proportion}'')',
    'SELECT ldp_estimate(%L, statistics => ''{mean}'')',
    'SELECT ldp_part(%L, ''sex'')']) AS query;
SELECT ldp_create_collection('plain', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "sex", "domain": ["f", "m"]}]}');
SELECT pg_temp.refusal(format('SELECT ldp_marginal(%L, ''{sex}'')', ldp_agg(pg_temp.report_to('plain', '00')))) FROM generate_series(1, 30);

-- Too few reports to show, and none.
SELECT * FROM ldp_marginal((SELECT ldp_agg(report) FROM (SELECT report FROM survey LIMIT 12) AS few), '{sex}');
SELECT count(*) FROM ldp_marginal((SELECT ldp_agg(report) FROM (SELECT report FROM survey LIMIT 0) AS none), '{sex}');
-- A condition that nobody meets: the first sex is not among those with these reports.
SELECT given_cell, estimate, lower, note FROM ldp_conditional((SELECT ldp_agg(r) FROM (SELECT pg_temp.report_to('survey', '00' || pg_temp.little(8 << i % 3, 1)) AS r FROM generate_series(1, 300) AS i) AS x),
    '{age}', '{sex}') WHERE given_cell = '{f}';

-- People who keep their answers: their errors are widened, as everywhere.
SELECT ldp_create_collection('panel', '{"mechanism": "joint", "epsilon": 4, "evolving": {}, "budget": {"epsilon": 1000000}, "attributes": [{"name": "sex", "domain": ["f", "m"]},
    {"name": "age", "min": 0, "max": 100, "edges": [18, 65]}]}');
SELECT ldp_open_rounds('panel', 1, 4);
INSERT INTO panel SELECT pg_temp.report_to('panel', '00' || pg_temp.little(1 << i % 5, 1)), r FROM generate_series(1, 400) AS i, generate_series(1, 4) AS r;
SELECT o.cell, pg_temp.short(a.stderr / o.stderr) AS widened, a.n, a.people, a.note
FROM ldp_marginal(pg_temp.all_rounds('panel'), '{sex}') AS a JOIN ldp_marginal(ldp_summary_of('panel', round => 1), '{sex}') AS o USING (cell);
SELECT pg_temp.refusal('SELECT ldp_marginal((SELECT ldp_agg(report) FROM panel), ''{sex}'')');

-- Parallel workers, partial states and rollups are one count.
SELECT ldp_rollup(s) = :'s' AS same FROM (SELECT ldp_agg(report) AS s FROM (SELECT report, row_number() OVER () % 7 AS part FROM survey) AS p GROUP BY part) AS parts;

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['survey', 'plain', 'panel']) AS name;
DROP SCHEMA joint CASCADE;
