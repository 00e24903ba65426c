-- Privacy costs: composition, shuffling, odds. Lower bounds of the error.
\ir setup.sql

-- Composition -----------------------------------------------------------------------------------------------
SELECT method, round(epsilon::numeric, 6) AS epsilon, delta, smallest FROM ldp_compose(array_fill(0.05::float8, ARRAY[365]), 1e-6);
SELECT method, round(epsilon::numeric, 6) AS epsilon, delta, smallest FROM ldp_compose('{1,0.25,0.25,0.1,NULL,0.1,2}', 1e-6);
-- At a very small δ, the sum is the smallest bound.
SELECT method, round(epsilon::numeric, 3) AS epsilon, delta, smallest FROM ldp_compose('{1,1}', 1e-200);
SELECT method, epsilon, delta, smallest FROM ldp_compose('{}', 1e-6);
SELECT count(*) FROM ldp_compose(NULL, 1e-6);
SELECT * FROM ldp_compose('{1}', 0);
SELECT * FROM ldp_compose('{1,0}', 1e-6);
SELECT * FROM ldp_compose('{NaN}', 1e-6);

-- Responses with a δ of their own: one δ for each response, and one for all.
SELECT method, round(epsilon::numeric, 6) AS epsilon, delta, smallest FROM ldp_compose('{0.5,0.5,0.5,0.5}', 1e-2, '{1e-9,0,0,1e-8}');
SELECT method, round(epsilon::numeric, 6) AS epsilon, delta, smallest FROM ldp_compose(array_fill(0.05::float8, ARRAY[365]), 1e-6, '{1e-9}');
-- With δ 0 everywhere, the result is that of pure responses.
SELECT count(*) FROM (SELECT * FROM ldp_compose('{1,1,0.5}', 1e-6) INTERSECT SELECT * FROM ldp_compose('{1,1,0.5}', 1e-6, '{0,0,0}')) AS equal;
-- If at_delta is the sum of all δ, there is no advanced bound.
SELECT method, epsilon, delta, smallest FROM ldp_compose('{1,1}', 2e-7, '{1e-7,1e-7}');
SELECT count(*) FROM (SELECT * FROM ldp_compose('{1,NULL}', 1e-6, NULL) INTERSECT SELECT * FROM ldp_compose('{1,NULL}', 1e-6)) AS equal;
SELECT count(*) FROM ldp_compose('{1}', NULL, '{0}');
SELECT count(*) FROM ldp_compose(NULL, 1e-6, '{0}');
SELECT * FROM ldp_compose('{1,1}', 1e-6, '{1e-5,1e-5}');
SELECT * FROM ldp_compose('{1,1}', 1e-6, '{1e-7,1e-7,1e-7}');
SELECT * FROM ldp_compose('{1,1}', 1e-6, '{}');
SELECT * FROM ldp_compose('{1,1}', 1e-6, '{1,0}');
SELECT * FROM ldp_compose('{1,NULL}', 1e-6, '{1e-7,1e-7}');

-- Shuffling -------------------------------------------------------------------------------------------------
SELECT round(epsilon::numeric, 5) AS epsilon, delta, round(closed_form::numeric, 5) AS closed_form, round(lower_bound::numeric, 5) AS lower_bound
FROM ldp_shuffled(1, 10000, 1e-6);
-- The closed form has a condition.
SELECT round(epsilon::numeric, 5) AS epsilon, closed_form FROM ldp_shuffled(4, 1000, 1e-6);
SELECT epsilon < 0.001 AS small, lower_bound < epsilon AS bounded FROM ldp_shuffled(1, 100000000, 1e-9);
SELECT count(*) FROM ldp_shuffled(1, NULL, 1e-6);
SELECT * FROM ldp_shuffled(0, 1000, 1e-6);
SELECT * FROM ldp_shuffled(1, 0, 1e-6);
SELECT * FROM ldp_shuffled(1, 1000, 2);

-- Of one channel: never above the bound for all mechanisms.
SELECT round(epsilon::numeric, 4) AS epsilon, delta, round(generic::numeric, 4) AS generic, round(lower_bound::numeric, 4) AS lower_bound, round(blanket::numeric, 4) AS blanket
FROM ldp_shuffled(spec => '{"mechanism": "grr", "epsilon": 1, "domain": 4}', n => 1000, at_delta => 1e-6);
SELECT mechanism, n, epsilon <= generic AS bounded, lower_bound <= epsilon AS ordered, round((lower_bound / epsilon)::numeric, 2) AS ratio
FROM unnest('{grr,grr,subset,oue}'::text[], '{2000,100000,2000,2000}'::bigint[]) AS t (mechanism, n),
     ldp_shuffled(jsonb_build_object('mechanism', mechanism, 'epsilon', 2, 'domain', 5), n, 1e-8);
SELECT count(*) FROM ldp_shuffled(NULL::jsonb, 1000, 1e-6);
SELECT * FROM ldp_shuffled(spec => '{"mechanism": "grr", "epsilon": 1, "domain": 4}', n => 0, at_delta => 1e-6);
SELECT * FROM ldp_shuffled(spec => '{"mechanism": "grr", "epsilon": 1, "domain": 4}', n => 10000001, at_delta => 1e-6);
SELECT * FROM ldp_shuffled(spec => '{"mechanism": "olh", "epsilon": 1, "domain": 4}', n => 1000, at_delta => 1e-6);
SELECT * FROM ldp_shuffled(spec => '{"mechanism": "gaussian", "epsilon": 4, "delta": 1e-3, "grid": 2, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]}',
    n => 1000, at_delta => 1e-6);

-- Divergences -----------------------------------------------------------------------------------------------
SELECT response, divergence, round(parameter::numeric, 4) AS parameter, round(largest::numeric, 6) AS largest, exact, input, other_input,
       round(bound::numeric, 6) AS bound, round(general_bound::numeric, 4) AS general_bound
FROM ldp_divergences('{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}');
-- Several rounds: an upper bound is not exact, and not above the bound of randomized response.
SELECT divergence, round(parameter::numeric, 4) AS parameter, round(largest::numeric, 6) AS largest, exact, round(bound::numeric, 6) AS bound
FROM ldp_divergences('{"mechanism": "pdp", "epsilon": 0.5, "min": 0, "max": 10, "grid": 20}', rounds => 4);
-- Two layers: all reports of a value, and one report.
SELECT response, round(max(largest)::numeric, 6) AS largest FROM ldp_divergences('{"mechanism": "l_grr", "epsilon": 1, "report_epsilon": 0.2, "domain": 3}')
WHERE divergence = 'renyi' GROUP BY response ORDER BY response;
-- Mechanisms of one layer, with their pairs of inputs.
SELECT mechanism, round(largest::numeric, 6) AS total_variation, input, other_input
FROM unnest('{oue,subset,hadamard,exponential}'::text[]) AS mechanism, ldp_divergences(jsonb_build_object('mechanism', mechanism, 'epsilon', 2, 'domain', 5))
WHERE divergence = 'total_variation' ORDER BY mechanism;
SELECT count(*) FROM ldp_divergences(NULL);
SELECT * FROM ldp_divergences('{"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 10}');
SELECT * FROM ldp_divergences('{"mechanism": "olh", "epsilon": 1, "domain": 10}');
SELECT * FROM ldp_divergences('{"mechanism": "grr", "epsilon": 1, "domain": 10}', 0);

-- Odds ------------------------------------------------------------------------------------------------------
SELECT round(odds::numeric, 4) AS odds, round(right_guess::numeric, 4) AS right_guess, round(posterior::numeric, 4) AS posterior FROM ldp_odds(1);
SELECT round(odds::numeric, 4) AS odds, round(right_guess::numeric, 4) AS right_guess, round(posterior::numeric, 4) AS posterior FROM ldp_odds(0.5, 0.01, 4);
SELECT * FROM ldp_odds(-1);
SELECT * FROM ldp_odds(1, 1);
SELECT * FROM ldp_odds(1, 0.5, 0);

-- The privacy statement of a spec. The tests of the clients compare it with the enumerated reports.
SELECT s.name, p.scope, p.epsilon, p.delta, p.odds = o.odds AS same_odds, p.delta > 0 OR p.right_guess = o.right_guess AS same_guess
FROM unnest('{fresh,limited,signal,layers,delta,series,grouped}'::text[], '{
    "{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 6}",
    "{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 6, \"budget\": {\"group\": \"g\", \"epsilon\": 7, \"at_most\": 3}}",
    "{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 6, \"evolving\": {}, \"budget\": {\"epsilon\": 3}}",
    "{\"mechanism\": \"l_grr\", \"epsilon\": 2, \"report_epsilon\": 1, \"domain\": 6, \"evolving\": {}, \"budget\": {\"epsilon\": 8}}",
    "{\"mechanism\": \"gaussian\", \"epsilon\": 1, \"delta\": 0.001, \"attributes\": [{\"name\": \"a\", \"min\": 0, \"max\": 1}, {\"name\": \"b\", \"min\": 0, \"max\": 1}]}",
    "{\"mechanism\": \"ddrm\", \"epsilon\": 2, \"domain\": 3, \"rounds\": 4, \"changes\": 1}",
    "{\"mechanism\": \"grr\", \"epsilon\": 2, \"domain\": 30, \"evolving\": {}, \"budget\": {\"group\": \"g\", \"epsilon\": 20, \"at_most\": 5}}"}'::jsonb[]) AS s (name, spec),
     ldp_privacy(s.spec) AS p, LATERAL ldp_odds(p.epsilon) AS o;
SELECT * FROM ldp_privacy('{"mechanism": "grr"}');
SELECT * FROM ldp_privacy(NULL);

-- Lower bounds ----------------------------------------------------------------------------------------------
-- subset reaches the bound; a mechanism of one bit reaches it at mean 0.
SELECT attribute, round(stderr::numeric, 6) AS stderr, round(lower_bound::numeric, 6) AS lower_bound, round(minimax::numeric, 6) AS minimax, round(ratio::numeric, 4) AS ratio
FROM ldp_minimax_bound('{"mechanism": "subset", "epsilon": 1, "attributes": [{"name": "town", "domain": 40}]}', 1000000000);
SELECT attribute, round(stderr::numeric, 3) AS stderr, round(lower_bound::numeric, 3) AS lower_bound, round(minimax::numeric, 3) AS minimax, round(ratio::numeric, 2) AS ratio
FROM ldp_minimax_bound('{"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "wage", "min": 0, "max": 2500, "mechanism": "duchi"},
    {"name": "age", "min": 0, "max": 100, "mechanism": "duchi"}, {"name": "town", "domain": ["a", "b"], "mechanism": "grr"}]}');
SELECT bool_and(lower_bound <= stderr) AS kept, count(DISTINCT lower_bound) AS bounds FROM ldp_advise('{"epsilon": 1, "domain": 64}');
-- For cross tables, the advice uses the planned error of the pair with the largest error.
SELECT mechanism, round(stderr::numeric, 4) AS stderr, obstacle
FROM ldp_advise('{"mechanism": "auto", "epsilon": 1, "marginals": "pairs", "attributes": [{"name": "sex", "domain": ["f", "m"]}, {"name": "town", "domain": 5}, {"name": "age", "min": 0, "max": 100, "bins": 4}]}', 10000);
SELECT round(max(stderr)::numeric, 4) AS stderr
FROM unnest('{sex,sex,town}'::text[], '{town,age,age}'::text[]) AS pair (a, b),
     ldp_plan('{"mechanism": "joint", "epsilon": 1, "attributes": [{"name": "sex", "domain": ["f", "m"]}, {"name": "town", "domain": 5}, {"name": "age", "min": 0, "max": 100, "bins": 4}]}',
              jsonb_build_object('attribute', a, 'joint_with', b), 10000) WHERE source = 'randomizer';
SELECT mechanism, obstacle FROM ldp_advise('{"epsilon": 1, "marginals": "pairs", "attributes": [{"name": "sex", "domain": ["f", "m"]}, {"name": "age", "min": 0, "max": 100}]}');
-- The choice depends on the error of the queries: cells or boxes. If only one mechanism supports them, it is chosen.
SELECT target, advised, obstacle FROM unnest('{cells,ranges}'::text[]) AS target,
     LATERAL (SELECT mechanism AS advised, obstacle FROM ldp_advise(jsonb_build_object('epsilon', 1, 'marginals', 'pairs', 'optimize_for', target, 'attributes',
         '[{"name": "age", "min": 0, "max": 100, "bins": 20}, {"name": "wage", "min": 0, "max": 100, "bins": 16}]'::jsonb), 10000) LIMIT 2) AS a;
SELECT mechanism, obstacle FROM ldp_advise('{"epsilon": 1, "marginals": "triples", "attributes": [{"name": "a", "domain": 8}, {"name": "b", "domain": 8}, {"name": "c", "domain": 8}]}') LIMIT 2;
SELECT mechanism, obstacle FROM ldp_advise('{"epsilon": 1, "marginals": "pairs", "attributes": [{"name": "a", "domain": 200}, {"name": "b", "domain": 200}]}') LIMIT 2;
SELECT * FROM ldp_minimax_bound('{"mechanism": "grr", "epsilon": 1, "domain": 4}', 0);
SELECT * FROM ldp_minimax_bound('{"mechanism": "grr", "domain": 4}');
