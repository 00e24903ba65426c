-- Haar coefficients of several attributes: boxes of ordered values, reported as a level of one attribute or of two.
\ir setup.sql
CREATE SCHEMA joint_haar;
SET search_path = joint_haar, public;

CREATE FUNCTION pg_temp.byte(number integer) RETURNS text LANGUAGE sql AS $$ SELECT lpad(to_hex(number), 2, '0') $$;
CREATE FUNCTION pg_temp.short(number float8) RETURNS numeric LANGUAGE sql AS $$ SELECT round($1::numeric, 4) $$;

-- Specs.
SELECT (ldp_spec_info('{"mechanism": "joint_haar", "epsilon": 4, "marginals": [["age", "sex"]], "people": 1000, "attributes": [{"name": "sex", "domain": ["f", "m"]},
    {"name": "age", "min": 0, "max": 100, "edges": [18, 40, 65]}]}')).canonical - 'derived';
-- With views, "auto" chooses the mechanism with the smallest error for the queries; the advice ignores queries that "people" leaves to fits.
SELECT c->>'mechanism' AS mechanism, c->'chosen'->>'reason' AS reason FROM unnest(ARRAY['"marginals": "pairs"', '"marginals": "pairs", "optimize_for": "ranges"', '"marginals": "triples"']) AS rest,
    CAST((ldp_spec_info(('{"mechanism": "auto", "epsilon": 1, "attributes": [{"name": "a", "domain": 16}, {"name": "b", "domain": 16}, {"name": "c", "domain": 12}], ' || rest || '}')::jsonb)).canonical AS jsonb) AS c;
SELECT mechanism, pg_temp.short(stderr) AS stderr, obstacle FROM ldp_advise('{"mechanism": "auto", "epsilon": 1, "marginals": "pairs", "optimize_for": "ranges", "people": 300,
    "attributes": [{"name": "a", "domain": 64}, {"name": "b", "domain": 64}]}', 1000000);
SELECT pg_temp.refusal(format('SELECT (ldp_spec_info(%L)).canonical', '{"mechanism": "joint_haar", "epsilon": 1, ' || rest || '}'))
FROM unnest(ARRAY[
    '"attributes": [{"name": "a", "domain": 2}]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "min": 0, "max": 1}]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2, "weight": 2}]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "marginals": "triples"',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}, {"name": "c", "domain": 2}], "marginals": [["a", "b", "c"]]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "marginals": [["a"]]',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "people": 0',
    '"attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}], "one_way_share": 0.5',
    '"attributes": [{"name": "a", "domain": 4096}, {"name": "b", "domain": 2048}]']) AS rest;

-- A collection. Its queries are sex; two levels of age; sex with each of these. At this epsilon a report has a position and a
-- sign, and these say the truth.
SELECT ldp_create_collection('survey', '{"mechanism": "joint_haar", "epsilon": 4, "attributes": [{"name": "sex", "domain": ["f", "m"]},
    {"name": "age", "min": 0, "max": 100, "edges": [18, 40, 65]}]}');
CREATE VIEW people AS
SELECT i % 5 AS question, i / 5 % 2 AS sex, CASE WHEN i / 10 % 3 = 0 THEN 3 * (i / 5 % 2) ELSE i / 30 % 4 END AS age FROM generate_series(1, 6000) AS i;
INSERT INTO survey SELECT pg_temp.report_to('survey', pg_temp.byte(question) || pg_temp.byte(CASE question
    WHEN 0 THEN sex WHEN 1 THEN age / 2 WHEN 2 THEN age WHEN 3 THEN sex # (age / 2) ELSE age / 2 * 2 + (sex # (age % 2)) END)) FROM people;
SELECT ldp_agg(report) AS s FROM survey \gset
SELECT * FROM ldp_marginals(:'s');
SELECT pg_temp.short(avg((sex = 0)::integer)) AS f, pg_temp.short(avg((sex = 0 AND age IN (1, 2))::integer)) AS f_from_18_to_65 FROM people;
SELECT cell, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper, n, people, cell_numbers, note
FROM ldp_marginal(:'s', '{sex,age}');
-- Each detail was asked for once: both methods are one. Margins are those of the attributes alone.
SELECT count(*), bool_and(a.estimate = b.estimate AND a.stderr = b.stderr) AS same FROM ldp_marginal(:'s', '{sex,age}') AS a
    JOIN ldp_marginal(:'s', '{age,sex}', 'unbiased') AS b ON a.cell = ARRAY[b.cell[2], b.cell[1]];
SELECT a.cell[2] AS age, abs(sum(a.estimate) - min(b.estimate)) < 1e-12 AS agrees FROM ldp_marginal(:'s', '{sex,age}') AS a JOIN ldp_marginal(:'s', '{age}') AS b
    ON a.cell[2] = b.cell[1] GROUP BY 1 ORDER BY 1;
SELECT cell, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper FROM ldp_proportion_where(:'s', '{"sex": "f", "age": [18, 65]}');
SELECT cell, pg_temp.short(estimate) AS estimate, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper FROM ldp_proportion_where(:'s', '{"age": [null, 40]}', given => '{"sex": "f"}');
SELECT estimate, stderr, lower, upper FROM ldp_proportion_where(:'s', '{"sex": ["f", "m"], "age": [null, null]}');
SELECT given_cell, cell, pg_temp.short(estimate) AS estimate, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper FROM ldp_conditional(:'s', '{age}', '{sex}');
SELECT cell[1] AS sex, cell[2] AS age, pg_temp.short(estimate) AS estimate FROM ldp_marginal(:'s', '{sex,age}') \crosstabview
SELECT attribute, label, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, n FROM ldp_estimate(:'s'::ldp_summary);
SELECT label, p_value < 1e-9 AS held FROM ldp_top(:'s', 2, attribute => 'age');
-- Fitted tables are those of people.
SELECT cell, pg_temp.short(estimate) AS estimate, note FROM ldp_fitted(:'s', '{sex,age}');
SELECT bool_and(estimate >= 0) AS none_negative, abs(sum(estimate) - 1) < 1e-9 AS whole FROM ldp_fitted(:'s', '{age,sex}');
SELECT ldp_health.statistic, p_value < 1e-6 AS suspect FROM ldp_health(:'s') WHERE p_value < 1e-6 OR statistic = 'questions drawn';

-- Association of both attributes, which equals that of the true table if rare ages are reported, too; a model, and synthetic records.
SELECT pg_temp.short(sqrt(sum(power(both_ - sex_ * age_, 2) / (sex_ * age_)))) AS cramers_v FROM
    (SELECT avg((p.sex = s AND p.age = a)::integer) AS both_, avg((p.sex = s)::integer) AS sex_, avg((p.age = a)::integer) AS age_
     FROM people AS p, generate_series(0, 1) AS s, generate_series(0, 3) AS a GROUP BY s, a) AS cells;
SELECT attribute, other_attribute, pg_temp.short(estimate) AS v, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper, pg_temp.short(information) AS information, n, p_value < 1e-9 AS sure,
    adjusted_p_value = p_value AS alone, note FROM ldp_association(:'s');
SELECT ldp_learn_marginals(:'s');
SELECT kind, attributes, pg_temp.short(estimate) AS v, cells, clique, parent FROM ldp_model(:'s');
SELECT r.record->>'sex' AS sex, (r.record->>'age')::float8 < 40 AS below_40, pg_temp.short(count(*) / 20000.0) AS share, pg_temp.short(min(f.share)::float8) AS fitted
FROM ldp_synthesize(:'s', 20000, 3) AS r JOIN LATERAL
    (SELECT sum(estimate) AS share FROM ldp_fitted(:'s', '{sex,age}') WHERE cell[1] = r.record->>'sex' AND (cell_numbers[2] < 2) = ((r.record->>'age')::float8 < 40)) AS f ON true
GROUP BY 1, 2 ORDER BY 1, 2 DESC;

-- What is refused, and what to do.
SELECT pg_temp.refusal(format(query, :'s')) FROM unnest(ARRAY[
    'SELECT ldp_marginal(%L, ''{sex,wage}'')',
    'SELECT ldp_proportion_where(%L, ''{"age": [20, 65]}'')',
    'SELECT ldp_estimate(%L, statistics => ''{mean}'')',
    'SELECT ldp_quantile(%L, 0.5, ''age'')']) AS query;
SELECT pg_temp.refusal(format('SELECT pg_temp.report_to(%L, %L)', 'survey', payload)) FROM unnest(ARRAY['0500', '0002', '0404', '04', '040000']) AS payload;

-- For this small expected number of people, levels of pairs are omitted: estimates that need them are fitted.
SELECT ldp_create_collection('small', '{"mechanism": "joint_haar", "epsilon": 1, "people": 300, "attributes": [{"name": "a", "domain": 16}, {"name": "b", "domain": 16}]}');
INSERT INTO small SELECT pg_temp.report_to('small', pg_temp.byte(i % 9) || pg_temp.byte(i / 9 % 2)) FROM generate_series(1, 900) AS i;
SELECT conditions, (s).estimate IS NULL AS unknown, (s).note
FROM unnest(ARRAY['{"a": [0, 1, 2, 3, 4, 5, 6, 7], "b": [8, 9, 10, 11, 12, 13, 14, 15]}', '{"a": 3, "b": 5}', '{"a": 3}']) AS conditions,
     ldp_proportion_where(ldp_summary_of('small'), conditions::jsonb) AS s;
SELECT count(*), bool_and(estimate >= 0) AS told FROM ldp_fitted(ldp_summary_of('small'), '{a,b}');
SELECT attribute, other_attribute, estimate BETWEEN 0 AND 1 AS v, p_value BETWEEN 0 AND 1 AS p, n, note FROM ldp_association(ldp_summary_of('small'));

-- Too few reports to show, and none.
SELECT DISTINCT estimate, note FROM ldp_marginal((SELECT ldp_agg(report) FROM (SELECT report FROM survey LIMIT 12) AS few), '{sex,age}');
SELECT count(*) FROM ldp_marginal((SELECT ldp_agg(report) FROM (SELECT report FROM survey LIMIT 0) AS none), '{sex}');
SELECT DISTINCT estimate, p_value, note FROM ldp_association((SELECT ldp_agg(report) FROM (SELECT report FROM survey LIMIT 12) AS few));
SELECT pg_temp.refusal('SELECT ldp_model((SELECT ldp_agg(report) FROM (SELECT report FROM joint_haar.survey LIMIT 12) AS few))');

-- People who keep their answers: their errors are widened, as everywhere.
SELECT ldp_create_collection('panel', '{"mechanism": "joint_haar", "epsilon": 4, "evolving": {}, "budget": {"epsilon": 1000000}, "attributes": [{"name": "sex", "domain": ["f", "m"]},
    {"name": "age", "min": 0, "max": 100, "edges": [18, 65]}]}');
SELECT ldp_open_rounds('panel', 1, 4);
INSERT INTO panel SELECT pg_temp.report_to('panel', pg_temp.byte(i % 5) || pg_temp.byte(i / 5 % 2)), r FROM generate_series(1, 1000) AS i, generate_series(1, 4) AS r;
SELECT o.cell, pg_temp.short(a.stderr / o.stderr) AS widened, a.n, a.people
FROM ldp_marginal(pg_temp.all_rounds('panel'), '{sex}') AS a JOIN ldp_marginal(ldp_summary_of('panel', round => 1), '{sex}') AS o USING (cell);
SELECT a.n, o.n AS of_one_round, pg_temp.short(a.p_value / o.p_value) AS as_sure FROM ldp_association(pg_temp.all_rounds('panel')) AS a, ldp_association(ldp_summary_of('panel', round => 1)) AS o;

-- Partial states, rollups and batches are one count.
SELECT ldp_rollup(s) = :'s' AS same FROM (SELECT ldp_agg(report) AS s FROM (SELECT report, row_number() OVER () % 7 AS part FROM survey) AS p GROUP BY part) AS parts;
SELECT ldp_agg(b) = :'s' AS same FROM (SELECT ldp_pack(report) AS b FROM (SELECT report, row_number() OVER () % 5 AS part FROM survey) AS p GROUP BY part) AS batches;

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['survey', 'small', 'panel']) AS name;
DROP SCHEMA joint_haar CASCADE;
