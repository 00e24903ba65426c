-- Planning: the predicted error of an estimate before the collection, and the required people and epsilon.
\ir setup.sql
CREATE SCHEMA plan;
SET search_path = plan, public;

-- By hand: grr over 4 values at ε = 1, noise q(1−q)/(p−q)² + f(1−p−q)/(p−q), and f(1−f), of 1000 people.
SELECT source, n, epsilon, mechanism, round(part::numeric, 6) AS part, margin IS NULL AS source_only,
       abs(stderr - sqrt((CASE source WHEN 'randomizer' THEN noise WHEN 'all' THEN noise + 0.1875 ELSE 0.1875 END) / 1000)) < 1e-9 AS by_hand
FROM ldp_plan('{"mechanism": "grr", "epsilon": 1, "domain": 4}', people => 1000), exp(1::float8) AS e,
     LATERAL (SELECT e / (e + 3), 1 / (e + 3)) AS o (p, q), LATERAL (SELECT (q * (1 - q) + 0.25 * (p - q) * (1 - p - q)) / (p - q) ^ 2) AS v (noise);
SELECT abs(margin / stderr - 1.959964) < 1e-6 AS margin, abs(effect / stderr - 2.801585) < 1e-5 AS effect, canonical ->> 'mechanism' AS canonical
FROM ldp_plan('{"mechanism": "grr", "epsilon": 1, "domain": 4}', people => 1000) WHERE source = 'all';

-- Two of people, ε and error determine the third.
SELECT n, epsilon, mechanism, stderr <= 0.01 AND stderr > 0.0097 AS reached
FROM (VALUES ('{"mechanism": "auto", "epsilon": 1, "domain": 12}'::jsonb, NULL::bigint), ('{"mechanism": "auto", "domain": 12}', 20000), ('{"mechanism": "auto", "domain": 12}', 2000)) AS c (spec, people),
     ldp_plan(spec, '{"error": 0.01}', people) WHERE source = 'all';
SELECT ldp_required_n('{"mechanism": "auto", "epsilon": 1, "domain": 12}', '{"error": 0.01}') AS people,
       ldp_required_epsilon('{"mechanism": "auto", "domain": 12}', '{"error": 0.01}', 20000) AS epsilon;
SELECT ldp_power(spec, question, ldp_required_n(spec, question)) BETWEEN 0.9 AND 0.9001 AS power
FROM (VALUES ('{"mechanism": "auto", "epsilon": 1, "domain": 12}'::jsonb, '{"effect": 0.05, "power": 0.9, "compare": "groups"}'::jsonb)) AS c (spec, question);
-- The resulting spec is valid for a collection and has the same prediction.
SELECT again.stderr = first.stderr AS same
FROM ldp_plan('{"mechanism": "auto", "domain": 12}', '{"error": 0.02}', 5000) AS first,
     ldp_plan((ldp_spec_info(canonical)).canonical, '{}', 5000) AS again WHERE first.source = 'all' AND again.source = 'all';

-- The sources of error of every kind of target.
SELECT name, round(stderr::numeric, 5) AS stderr, sources
FROM (VALUES (1, 'mean', '{"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 100, "grid": 20}'::jsonb, '{"mean": 10, "sd": 20}'::jsonb),
             (2, 'range', '{"mechanism": "tree", "epsilon": 1, "min": 0, "max": 100, "grid": 100}', '{"low": 10, "high": 20}'),
             (3, 'quantile', '{"mechanism": "square_wave", "epsilon": 1, "min": 0, "max": 100}', '{"quantile": 0.5}'),
             (4, 'pair', '{"mechanism": "joint", "epsilon": 2, "attributes": [{"name": "a", "domain": 3}, {"name": "b", "domain": ["x", "y"]}]}', '{"joint_with": "b"}'),
             (5, 'record', '{"mechanism": "sampled", "epsilon": 2, "attributes": [{"name": "a", "domain": 3}, {"name": "b", "min": 0, "max": 1}]}', '{"attribute": "b"}'),
             (6, 'rounds', '{"mechanism": "l_osue", "epsilon": 2, "domain": 4, "evolving": {}, "budget": {"epsilon": 20}}', '{"rounds": 7}'),
             (7, 'days', '{"mechanism": "l_osue", "epsilon": 2, "domain": 4, "evolving": {}, "budget": {"epsilon": 20}}', '{"compare": "days", "repeat_rate": 1, "target": "sample"}'),
             (8, 'few', '{"mechanism": "oue", "epsilon": 2, "domain": 4}', '{"response_rate": 0.4}')) AS c (place, name, spec, question),
     LATERAL (SELECT max(stderr) FILTER (WHERE source = 'all'), string_agg(source, ', ' ORDER BY stderr DESC) FILTER (WHERE source <> 'all') FROM ldp_plan(spec, question, 10000)) AS p (stderr, sources)
ORDER BY place;

-- Errors.
SELECT * FROM ldp_plan('{"mechanism": "grr", "epsilon": 1, "domain": 4}');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM ldp_plan('{"mechanism": "grr", "domain": 4}', '{"error": 0.1}');
SELECT ldp_required_n('{"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 10}', '{"mean": 10, "sd": 4, "error": 0.1}');
SELECT ldp_required_n('{"mechanism": "grr", "epsilon": 1, "domain": 4}', '{"quantile": 0.5, "error": 0.1}');
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_required_epsilon('{"mechanism": "grr", "domain": 4}', '{"error": 0.0001}', 1000);
SELECT ldp_power('{"mechanism": "grr", "epsilon": 1, "domain": 4}', '{}', 1000);
SELECT ldp_power('{"mechanism": "grr", "epsilon": 1, "domain": 4}', '{"effect": 0.1, "when": 1}', 1000);
SELECT * FROM ldp_plan('{"mechanism": "grr", "epsilon": 1, "domain": 4}', '{}', 0);
SELECT count(*) FROM ldp_plan(NULL, '{}', 10);

-- A protocol for values that change, which the canonical spec contains.
SELECT c->>'mechanism' AS mechanism, c->>'epsilon' AS epsilon, c->'evolving' AS evolving, c ? 'stream' AS stream
FROM CAST((ldp_spec_info('{"mechanism": "auto", "budget": {"epsilon": 6}, "evolving": "auto",
    "stream": {"rounds": 30, "people": 2000}, "domain": 4}')).canonical AS jsonb) AS c;
SELECT c->>'mechanism' AS mechanism, c->'evolving'->>'volatility' AS volatility, c->'attributes'->0->>'evolving' AS rounded
FROM CAST((ldp_spec_info('{"mechanism": "duchi", "budget": {"epsilon": 6}, "evolving": "auto",
    "stream": {"rounds": 30, "people": 2000, "change_rate": 0.05, "jitter": 5}, "min": 0, "max": 100}')).canonical AS jsonb) AS c;
SELECT (ldp_spec_info('{"mechanism": "auto", "budget": {"epsilon": 6}, "evolving": "auto", "domain": 4}')).canonical;
SELECT (ldp_spec_info('{"mechanism": "auto", "budget": {"epsilon": 6}, "evolving": "auto", "domain": 4,
    "stream": {"rounds": 30, "people": 2000, "jitter": 5}}')).canonical;
