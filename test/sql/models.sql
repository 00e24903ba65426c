-- Associations of attributes: tests, fitted tables, models, and synthetic records.
\ir setup.sql
CREATE SCHEMA models;
SET search_path = models, public;

CREATE FUNCTION pg_temp.short(number float8) RETURNS numeric LANGUAGE sql AS $$ SELECT round($1::numeric, 3) $$;

-- Views 0 to 2 are (sex, age), (sex, town) and (age, town). Age goes with sex; towns go with nothing. The label is one
-- that JSON escapes.
SELECT ldp_create_collection('survey', '{"mechanism": "joint", "epsilon": 4, "attributes": [{"name": "sex", "domain": ["f", "m"]},
    {"name": "age", "min": 0, "max": 100, "edges": [18, 65]}, {"name": "town \"here\"", "domain": ["Ulm", "Bonn\\Beuel", "Kiel"]}]}');
INSERT INTO survey SELECT pg_temp.report_to('survey', CASE i % 3
    WHEN 0 THEN '00' || pg_temp.little(1 << (p.sex * 3 + p.age), 1)
    WHEN 1 THEN '01' || pg_temp.little(1 << (p.sex * 3 + p.town), 1)
    ELSE '02' || pg_temp.little(p.age * 3 + p.town, 1) END)
FROM generate_series(1, 5400) AS i,
     LATERAL (SELECT i / 3 % 2 AS sex, CASE WHEN i / 6 % 5 < 4 THEN i / 3 % 2 * 2 ELSE i / 30 % 3 END AS age, i / 90 % 3 AS town) AS p;
SELECT ldp_agg(report) AS s FROM survey \gset

SELECT attribute, other_attribute, pg_temp.short(estimate) AS v, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper, pg_temp.short(information) AS bits,
       p_value < 1e-6 AS beyond_chance, adjusted_p_value >= p_value AS adjusted, n, attribute_number, other_attribute_number, note
FROM ldp_association(:'s');

-- Fitted tables are of people, and agree; a question in another order is the same one.
SELECT cell, pg_temp.short(estimate) AS estimate, n, people, cell_numbers, note FROM ldp_fitted(:'s', '{age,sex}');
SELECT abs(sum(estimate) - 1) < 1e-9 AS whole, min(estimate) >= 0 AS people FROM ldp_fitted(:'s', '{"town \"here\"",sex}');
SELECT a.cell[2] AS age, abs(sum(a.estimate) - min(b.estimate)) < 1e-7 AS agrees FROM ldp_fitted(:'s', '{sex,age}') AS a JOIN ldp_fitted(:'s', '{age}') AS b
    ON a.cell[2] = b.cell[1] GROUP BY 1 ORDER BY 1;
SELECT count(*), max(abs(a.estimate - b.estimate)) < 1e-12 AS same FROM ldp_fitted(:'s', '{sex,age}') AS a JOIN ldp_fitted(:'s', '{age,sex}') AS b
    ON a.cell = ARRAY[b.cell[2], b.cell[1]];
-- With known margins: those are exact, and odds ratios are those of the fit. A margin of another attribute is summed out.
SELECT cell, pg_temp.short(estimate) AS estimate, note FROM ldp_fitted(:'s', '{age,sex}', '{"sex": {"f": 300, "m": 700}}');
WITH k AS (SELECT cell, estimate FROM ldp_fitted(:'s', '{sex,age}', known => '{"sex": {"f": 0.3, "m": 0.7}, "age": {"[0, 18)": 1, "[18, 65)": 5, "[65, 100]": 4}}')),
f AS (SELECT cell, estimate FROM ldp_fitted(:'s', '{sex,age}'))
SELECT (SELECT max(abs(m - p)) < 1e-8 FROM (SELECT sum(estimate) AS m, CASE cell[1] WHEN 'f' THEN 0.3 ELSE 0.7 END AS p FROM k GROUP BY cell[1]) AS s) AS sex,
       (SELECT max(abs(m - p)) < 1e-8 FROM (SELECT sum(estimate) AS m, CASE cell[2] WHEN '[0, 18)' THEN 0.1 WHEN '[18, 65)' THEN 0.5 ELSE 0.4 END AS p FROM k GROUP BY cell[2]) AS s) AS age,
       abs(ln(k00.estimate * k12.estimate / (k02.estimate * k10.estimate)) - ln(f00.estimate * f12.estimate / (f02.estimate * f10.estimate))) < 1e-3 AS odds_ratio
FROM k AS k00, k AS k12, k AS k02, k AS k10, f AS f00, f AS f12, f AS f02, f AS f10
WHERE k00.cell = '{f,"[0, 18)"}' AND f00.cell = k00.cell AND k12.cell = '{m,"[65, 100]"}' AND f12.cell = k12.cell AND k02.cell = '{f,"[65, 100]"}' AND f02.cell = k02.cell
      AND k10.cell = '{m,"[0, 18)"}' AND f10.cell = k10.cell;
SELECT t.cell, abs(t.estimate - sum(b.estimate)) < 1e-9 AS summed_out, t.note FROM ldp_fitted(:'s', '{age}', '{"sex": {"f": 1, "m": 2}}') AS t
    JOIN ldp_fitted(:'s', '{age,sex}', '{"sex": {"f": 1, "m": 2}}') AS b ON b.cell[1] = t.cell[1] GROUP BY t.cell, t.estimate, t.note ORDER BY t.cell;
SELECT count(*) AS of_null FROM ldp_fitted(NULL, '{age}', '{"sex": {"f": 1, "m": 2}}');
-- No view covers all three: the association follows from the views, and the note states it.
SELECT count(*), pg_temp.short(sum(estimate)) AS whole, min(note) AS note FROM ldp_fitted(:'s', '{sex,age,"town \"here\""}');
SELECT max(abs(m.estimate - f.estimate)) < 1e-6 AS agrees FROM (SELECT cell[1:2] AS cell, sum(estimate) AS estimate FROM ldp_fitted(:'s', '{sex,age,"town \"here\""}') GROUP BY 1) AS m
    JOIN ldp_fitted(:'s', '{sex,age}') AS f USING (cell);

SELECT kind, attributes, pg_temp.short(estimate) AS v, pg_temp.short(information) AS bits, p_value < 1e-6 AS beyond_chance, cells, clique, parent, attribute_numbers FROM ldp_model(:'s', 0.0001);
SELECT kind, attributes, clique, parent FROM ldp_model(:'s', 0.0001, cells => 4);

-- Views for a second round, in the format of a spec: the associated pair, and the towns alone.
SELECT ldp_learn_marginals(:'s'), ldp_learn_marginals(:'s', 0);
SELECT ldp_create_collection('second', ldp_client_spec('survey') - 'derived' || jsonb_build_object('marginals', ldp_learn_marginals(:'s')));
INSERT INTO second SELECT pg_temp.report_to('second', '0001');
SELECT v.attributes FROM ldp_marginals(ldp_summary_of('second')) AS v;
-- Ways to divide the people of a second round, by what their answers would be off by, the best first.
SELECT marginals, error BETWEEN 0.001 AND 0.5 AS plausible FROM ldp_plan_marginals(:'s', 100000, '[["age", "sex"]]');
SELECT count(*), bool_and(error > 0) AS known, bool_or(marginals = '"pairs"') AS pairs FROM ldp_plan_marginals(:'s', 100000);

-- Records: as many as asked for, the same for the same seed, spread as the model says, numbers within their bins.
SELECT min(number) AS first, max(number) AS last, count(DISTINCT record->>'sex') AS sexes, bool_and((record->>'age')::float8 BETWEEN 0 AND 100) AS ages,
       array_agg(DISTINCT record->>'town "here"') AS towns FROM ldp_synthesize(:'s', 300, seed => 7);
SELECT count(*), (SELECT array_agg(record ORDER BY number) FROM ldp_synthesize(:'s', 100)) = array_agg(record ORDER BY number) AS same,
       (SELECT array_agg(record ORDER BY number) FROM ldp_synthesize(:'s', 100, seed => -1)) = array_agg(record ORDER BY number) AS same_for_another_seed FROM ldp_synthesize(:'s', 100);
SELECT max(abs(r.share - f.estimate)) < 0.001 AS spread_so
FROM (SELECT ARRAY[sex, CASE WHEN age < 18 THEN '[0, 18)' WHEN age < 65 THEN '[18, 65)' ELSE '[65, 100]' END] AS cell, count(*) / 10000.0 AS share
      FROM ldp_synthesize(:'s', 10000), jsonb_to_record(record) AS person (sex text, age float8) GROUP BY 1) AS r
     JOIN ldp_fitted(:'s', '{sex,age}') AS f USING (cell);
-- Straight into a table.
CREATE TABLE people (sex text, age float8, "town ""here""" text);
INSERT INTO people SELECT person.* FROM ldp_synthesize(:'s', 50), jsonb_populate_record(NULL::people, record) AS person;
SELECT count(*), count(DISTINCT age) > 40 AS ages FROM people;
SELECT count(*) FROM ldp_synthesize(:'s', 0);

-- Where no collection knows the names, numbers stand for them.
BEGIN;
SELECT ldp_drop_collection('survey');
SELECT attribute, other_attribute FROM ldp_association(:'s');
SELECT kind, attributes FROM ldp_model(:'s', 0.0001);
SELECT bool_and((SELECT count(*) FROM jsonb_object_keys(record)) = 3 AND (record->>'1')::integer BETWEEN 0 AND 2) AS numbered FROM ldp_synthesize(:'s', 100);
ROLLBACK;

-- What is refused, and what to do.
\pset format unaligned
SELECT pg_temp.refusal(format(query, :'s')) FROM unnest(ARRAY[
    'SELECT ldp_association(%L, 1)',
    'SELECT ldp_fitted(%L, ''{sex,wage}'')',
    'SELECT ldp_fitted(%L, ''{sex,sex}'')',
    'SELECT ldp_fitted(%L, ''{sex}'', ''{"sex": {"f": 1}}'')',
    'SELECT ldp_fitted(%L, ''{sex}'', ''{"sex": {"f": -1, "m": 2}}'')',
    'SELECT ldp_fitted(%L, ''{sex}'', ''{"sex": {"f": 0, "m": 0}}'')',
    'SELECT ldp_fitted(%L, ''{sex}'', ''{"sex": 0.5}'')',
    'SELECT ldp_fitted(%L, ''{sex}'', ''{"height": {"1": 1}}'')',
    'SELECT ldp_fitted(%L, ''{}'')',
    'SELECT ldp_fitted(%L, ''{NULL}'')',
    'SELECT ldp_model(%L, 1.5)',
    'SELECT ldp_model(%L, ''NaN'')',
    'SELECT ldp_model(%L, cells => 1)',
    'SELECT ldp_model(%L, cells => -1)',
    'SELECT ldp_learn_marginals(%L, -0.1)',
    'SELECT ldp_learn_marginals(%L, ''NaN'')',
    'SELECT ldp_plan_marginals(%L, 0)',
    'SELECT ldp_plan_marginals(%L, ''NaN'')',
    'SELECT ldp_plan_marginals(%L, 100, ''"boxes"'')',
    'SELECT ldp_plan_marginals(%L, 100, ''[]'')',
    'SELECT ldp_plan_marginals(%L, 100, ''[["sex", "wage"]]'')',
    'SELECT ldp_plan_marginals(%L, 100, ''[["sex", "sex"]]'')',
    'SELECT ldp_plan_marginals(%L, 100, ''[[1]]'')',
    'SELECT ldp_synthesize(%L, -1)',
    'SELECT ldp_synthesize(%L, 1000000000000)']) AS query;
SELECT pg_temp.refusal(format('SELECT ldp_fitted(%L, ''{sex,"town \"here\""}'')', s))
FROM (SELECT ldp_agg(pg_temp.report_to('survey', '00' || pg_temp.little(1, 1))) AS s FROM generate_series(1, 30)) AS nobody_about_towns;
SELECT ldp_create_collection('plain', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "sex", "domain": ["f", "m"]}]}');
SELECT pg_temp.refusal(format('SELECT %s((SELECT ldp_agg(pg_temp.report_to(''plain'', ''00'')) FROM generate_series(1, 30))%s)', name, rest))
FROM (VALUES ('ldp_association', ''), ('ldp_fitted', ', ''{sex}'''), ('ldp_model', ''), ('ldp_synthesize', ', 5')) AS f (name, rest);
-- Too few reports to show anything of, and none.
SELECT ldp_agg(report) AS few FROM (SELECT report FROM survey LIMIT 12) AS p \gset
SELECT count(*), count(estimate), min(note) FROM ldp_association(:'few');
SELECT count(*), count(estimate), min(note) FROM ldp_fitted(:'few', '{sex}');
SELECT pg_temp.refusal(format('SELECT ldp_model(%L)', :'few'));
SELECT pg_temp.refusal(format('SELECT ldp_synthesize(%L, 5)', :'few'));
SELECT pg_temp.refusal(format('SELECT ldp_learn_marginals(%L)', :'few'));
SELECT ldp_learn_marginals(ldp_agg(report)) IS NULL AS none FROM survey WHERE false;
SELECT (SELECT count(*) FROM ldp_association(ldp_agg(report))) AS pairs, (SELECT count(*) FROM ldp_fitted(ldp_agg(report), '{sex}')) AS cells,
       (SELECT count(*) FROM ldp_model(ldp_agg(report))) AS cliques, (SELECT count(*) FROM ldp_synthesize(ldp_agg(report), 5)) AS records FROM survey WHERE false;
-- A pair with fewer reports than others has no estimates.
SELECT attribute, other_attribute, n, estimate IS NULL AS hidden, p_value IS NULL AND lower IS NULL AND information IS NULL AS all_of_it, note
FROM ldp_association((SELECT ldp_agg(report) FROM (SELECT report, row_number() OVER (PARTITION BY substr(report::text, length(report::text) - 3, 2) ORDER BY report) AS i,
    substr(report::text, length(report::text) - 3, 2) AS view FROM survey) AS r WHERE i <= CASE view WHEN '01' THEN 19 ELSE 1800 END));
SELECT attributes, estimate IS NULL AS hidden, p_value IS NULL AND information IS NULL AS all_of_it
FROM ldp_model((SELECT ldp_agg(report) FROM (SELECT report, row_number() OVER (PARTITION BY substr(report::text, length(report::text) - 3, 2) ORDER BY report) AS i,
    substr(report::text, length(report::text) - 3, 2) AS view FROM survey) AS r WHERE i <= CASE view WHEN '01' THEN 19 ELSE 1800 END), 1) WHERE kind = 'edge';
-- Without reports about an attribute there are no synthetic records.
SELECT ldp_create_collection('rare', '{"mechanism": "joint", "epsilon": 4, "marginals": [["a", "b"], ["c"]], "attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}, {"name": "c", "domain": 2}]}');
SELECT pg_temp.refusal(format('SELECT ldp_synthesize(%L, 5)', ldp_agg(pg_temp.report_to('rare', '0001')))) FROM generate_series(1, 30);
-- Memoized responses: n counts people instead of reports, and the rounds must be known.
SELECT ldp_create_collection('panel', '{"mechanism": "joint", "epsilon": 4, "min_group": 30, "evolving": {}, "budget": {"epsilon": 40}, "attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}]}');
SELECT ldp_open_rounds('panel', 0, 2);
INSERT INTO panel SELECT pg_temp.report_to('panel', '00' || pg_temp.little(1 << i % 4, 1)), round FROM generate_series(1, 30) AS i, generate_series(0, 2) AS round;
SELECT round, estimate IS NULL AS hidden, n, note FROM (VALUES (0, ldp_summary_of('panel', 0)), (NULL, pg_temp.all_rounds('panel'))) AS r (round, s), ldp_association(s);
DELETE FROM panel WHERE round = 1;
SELECT estimate IS NULL AS hidden, n, note FROM ldp_association(pg_temp.all_rounds('panel'));
SELECT pg_temp.refusal(format('SELECT ldp_model(%L)', ldp_agg(report))) FROM panel;
SELECT (SELECT count(*) FROM ldp_association(NULL)) AS pairs, (SELECT count(*) FROM ldp_synthesize(NULL, 5)) AS records;
\pset format aligned

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['survey', 'second', 'plain', 'rare', 'panel']) AS name;
DROP SCHEMA models CASCADE;
