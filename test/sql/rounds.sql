-- Rounds that are counted together: memoized and fresh responses in all ways of aggregation; and groups that are too small
-- to be published.
\ir setup.sql

CREATE FUNCTION pg_temp.answered(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    state text;
    message text;
    hint text;
BEGIN
    EXECUTE query;
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN state || ' ' || message || ' / ' || hint;
END
$$;

-- Four rounds of 300 people, who say the same in each.
SELECT ldp_create_collection('fresh', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}');
SELECT ldp_create_collection('kept', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"], "evolving": {}, "budget": {"epsilon": 9}}');
SELECT ldp_create_collection('fresh_record', '{"mechanism": "sampled", "epsilon": 1, "attributes": [
    {"name": "town", "domain": 3, "mechanism": "grr"}, {"name": "size", "min": 0, "max": 10, "mechanism": "duchi"}]}');
SELECT ldp_create_collection('kept_record', '{"mechanism": "sampled", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 1000000}, "attributes": [
    {"name": "town", "domain": 3, "mechanism": "grr"}, {"name": "size", "min": 0, "max": 10, "mechanism": "duchi"}]}');
SELECT count(ldp_open_rounds(name, 7, 10)) FROM unnest(ARRAY['fresh', 'kept', 'fresh_record', 'kept_record']) AS name;
INSERT INTO fresh SELECT pg_temp.report_to('fresh', '0' || i % 5 % 3), t FROM generate_series(1, 300) AS i, generate_series(7, 10) AS t;
INSERT INTO kept SELECT pg_temp.report_to('kept', '0' || i % 5 % 3), t FROM generate_series(1, 300) AS i, generate_series(7, 10) AS t;
INSERT INTO fresh_record SELECT pg_temp.report_to('fresh_record', '0' || i % 2 || '0' || i % 5 % 2), t FROM generate_series(1, 300) AS i, generate_series(7, 10) AS t;
INSERT INTO kept_record SELECT pg_temp.report_to('kept_record', '0' || i % 2 || '0' || i % 5 % 2), t FROM generate_series(1, 300) AS i, generate_series(7, 10) AS t;
ANALYZE;

-- In all ways of aggregation: the error of the whole relative to that of a round. Four rounds of fresh responses halve the
-- error; four rounds of memoized responses do not reduce it.
CREATE VIEW way AS
    SELECT 'fresh' AS answers, 'by name' AS way, pg_temp.all_rounds('fresh') AS whole, ldp_summary_of('fresh', 7) AS one
    UNION ALL SELECT 'kept', 'by name', pg_temp.all_rounds('kept'), ldp_summary_of('kept', round => 7)
    UNION ALL SELECT 'fresh', 'with the round', (SELECT ldp_agg(report, round) FROM fresh), (SELECT ldp_agg(report, round) FROM fresh WHERE round = 8)
    UNION ALL SELECT 'kept', 'with the round', (SELECT ldp_agg(report, round) FROM kept), (SELECT ldp_agg(report, round) FROM kept WHERE round = 8)
    UNION ALL SELECT 'fresh', 'rolled up', (SELECT ldp_rollup(s) FROM (SELECT ldp_agg(report, round) AS s FROM fresh GROUP BY round) AS r), ldp_summary_of('fresh', 9)
    UNION ALL SELECT 'kept', 'rolled up', (SELECT ldp_rollup(s) FROM (SELECT ldp_agg(report, round) AS s FROM kept GROUP BY round) AS r), ldp_summary_of('kept', 9)
    UNION ALL SELECT 'fresh', 'a part', ldp_part(pg_temp.all_rounds('fresh_record'), 'town'), ldp_part(ldp_summary_of('fresh_record', 7), 'town')
    UNION ALL SELECT 'kept', 'a part', ldp_part(pg_temp.all_rounds('kept_record'), 'town'), ldp_part(ldp_summary_of('kept_record', 7), 'town')
    UNION ALL SELECT 'fresh', 'parts rolled up', (SELECT ldp_rollup(ldp_part(s, '0')) FROM (SELECT ldp_agg(report, round) AS s FROM fresh_record GROUP BY round) AS r), ldp_part(ldp_summary_of('fresh_record', 7), '0')
    UNION ALL SELECT 'kept', 'parts rolled up', (SELECT ldp_rollup(ldp_part(s, '0')) FROM (SELECT ldp_agg(report, round) AS s FROM kept_record GROUP BY round) AS r), ldp_part(ldp_summary_of('kept_record', 7), '0');
SELECT way, answers, round((w.stderr / o.stderr)::numeric, 9) AS of_one_round, w.n, w.people, round(w.estimate::numeric, 9) = round(o.estimate::numeric, 9) AS same_estimate, w.note
FROM way, ldp_estimate(whole, statistics => '{proportion}') AS w JOIN LATERAL ldp_estimate(one, statistics => '{proportion}') AS o ON o.value = w.value WHERE w.value = 0 ORDER BY way, answers;
SELECT answers, bool_and(same) AS same_bytes FROM (
    SELECT answers, whole = first_value(whole) OVER (PARTITION BY answers ORDER BY way) AS same FROM way WHERE way NOT LIKE '%part%') AS w GROUP BY answers ORDER BY answers;
-- All functions with errors agree: twice that of independent reports; against a population, too.
SELECT f.target, bool_and(abs(k.stderr / f.stderr - 2) < 1e-9) AS twice
FROM (VALUES ('sample'), ('population')) AS t (target),
     LATERAL (SELECT t.target, * FROM ldp_estimate(pg_temp.all_rounds('fresh'), target => t.target)) AS f
     JOIN LATERAL (SELECT * FROM ldp_estimate(pg_temp.all_rounds('kept'), target => t.target)) AS k USING (value) GROUP BY f.target ORDER BY f.target;
SELECT abs(k.stderr / f.stderr - 2) < 1e-9 AS mean FROM ldp_estimate(pg_temp.all_rounds('kept_record'), attributes => '{size}', statistics => '{mean}') AS k, ldp_estimate(pg_temp.all_rounds('fresh_record'), attributes => '{size}', statistics => '{mean}') AS f;
SELECT abs(k.stderr / f.stderr - 2) < 1e-9 AS range FROM ldp_between(pg_temp.all_rounds('kept_record'), 1, 1) AS k, ldp_between(pg_temp.all_rounds('fresh_record'), 1, 1) AS f;
SELECT k.value, k.p_value > f.p_value AS less_significant FROM ldp_top(pg_temp.all_rounds('kept'), 1) AS k, ldp_top(pg_temp.all_rounds('fresh'), 1) AS f;
SELECT attribute, label, n, people, note FROM ldp_estimate(ldp_summary_of('kept_record', 8));
SELECT bool_and(abs(k.stderr / f.stderr - 2) < 1e-9) AS change FROM ldp_change(pg_temp.all_rounds('kept'), pg_temp.all_rounds('kept')) AS k JOIN ldp_change(pg_temp.all_rounds('fresh'), pg_temp.all_rounds('fresh')) AS f USING (value);

-- In one step, or counted without rounds: valid for fresh responses; memoized ones have estimates without errors.
\pset format unaligned
\pset tuples_only on
CREATE TABLE question (number integer, of_summary text, of_reports text);
INSERT INTO question VALUES
    (1, 'ldp_estimate(s, statistics => ''{proportion}'')', NULL), (2, 'ldp_proportion(s)', 'ldp_proportion(report)'),
    (4, 'ldp_proportion(s, ''red'')', 'ldp_proportion(report, ''red'')'), (5, 'ldp_consistent(s, ''norm_sub'')', NULL), (6, 'ldp_top(s)', NULL),
    (7, 'ldp_estimate(s)', NULL), (8, 'ldp_change(s, s)', NULL), (9, 'ldp_health(s)', NULL), (10, 'ldp_learn_range(s)', NULL), (11, 'ldp_change(s, s, 0.5)', NULL);
SELECT number, answers, told, count(*), pg_temp.answered(format('SELECT %s FROM (SELECT %s AS s FROM %I) AS s', of_summary, told, answers)) AS outcome
FROM question, (VALUES ('fresh'), ('kept')) AS a (answers), (VALUES ('ldp_agg(report)'), ('ldp_agg(report, round)'), ('ldp_agg(report, round) FILTER (WHERE round = 9)')) AS t (told)
GROUP BY number, of_summary, answers, told ORDER BY answers, told, number;
SELECT number, answers, pg_temp.answered(format('SELECT %s FROM %I', of_reports, answers)) FROM question, (VALUES ('fresh'), ('kept')) AS a (answers) WHERE of_reports IS NOT NULL ORDER BY answers, number;
-- Every aggregate in one step returns the estimates of the summary with rounds, for each round and for all. Rows have no errors.
SELECT ldp_create_collection('kept_number', '{"mechanism": "duchi", "epsilon": 1, "min": 0, "max": 10, "evolving": {}, "budget": {"epsilon": 1000000}}');
SELECT ldp_create_collection('kept_vector', '{"mechanism": "haar", "epsilon": 1, "grid": 10, "evolving": {}, "budget": {"epsilon": 1000000}, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]}');
SELECT ldp_create_collection('kept_ordered', '{"mechanism": "haar_ordered", "epsilon": 2, "domain": 4, "evolving": {}, "budget": {"epsilon": 9}}');
SELECT count(ldp_open_rounds(name, 7, 10)) FROM unnest(ARRAY['kept_number', 'kept_vector', 'kept_ordered']) AS name;
INSERT INTO kept_number SELECT pg_temp.report_to('kept_number', '0' || (i + t) % 2), t FROM generate_series(1, 60) AS i, generate_series(7, 10) AS t;
INSERT INTO kept_vector SELECT pg_temp.report_to('kept_vector', '0' || (i + t) % 2 || '00'), t FROM generate_series(1, 60) AS i, generate_series(7, 10) AS t;
INSERT INTO kept_ordered SELECT pg_temp.report_to('kept_ordered', '0' || (i + t) % 2 || '00'), t FROM generate_series(1, 60) AS i, generate_series(7, 10) AS t;
CREATE TABLE step (collection text, aggregate text, arguments text, of_summary text);
INSERT INTO step VALUES
    ('kept_number', 'ldp_mean(ldp_report)', '', 'ldp_mean(s)'), 
    ('kept_vector', 'ldp_mean(ldp_report,text)', ', ''b''::text', 'ldp_mean(s, ''b'')'), ('kept_vector', 'ldp_haar(ldp_report)', '', 'ldp_haar(s)'),
    ('kept', 'ldp_proportion(ldp_report)', '', 'ldp_proportion(s)'),
    ('kept', 'ldp_proportion(ldp_report,text)', ', ''red''::text', 'ldp_proportion(s, ''red'')'),
    ('kept_ordered', 'ldp_quantile(ldp_report,double precision)', ', 0.5', 'ldp_quantile(s, 0.5)'), ('kept_ordered', 'ldp_quantile(ldp_report,double precision,text)', ', 0.5, ''value''', 'ldp_quantile(s, 0.5)');
-- The estimates alone, of a number, an array, or rows.
CREATE FUNCTION pg_temp.points(result jsonb) RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE WHEN result -> 0 ? 'estimate' THEN (SELECT jsonb_agg(e -> 'estimate') FROM jsonb_array_elements(result) AS e) ELSE result END $$;
CREATE FUNCTION pg_temp.compared(s step, rounds text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    one jsonb; two jsonb;
    name text := split_part(s.aggregate, '(', 1);
BEGIN
    EXECUTE format('SELECT to_jsonb(%s(report%s)) FROM %I WHERE %s', name, s.arguments, s.collection, rounds) INTO one;
    EXECUTE format('SELECT jsonb_agg(r) FROM (SELECT ldp_agg(report, round) AS s FROM %I WHERE %s) AS a, LATERAL (SELECT %s) AS f (r)', s.collection, rounds, s.of_summary) INTO two;
    one := CASE WHEN jsonb_typeof(one) = 'object' THEN jsonb_build_array(one) ELSE one END;
    IF NOT two -> 0 ? 'estimate' THEN two := two -> 0; END IF;
    IF one::text ~ '"(stderr|lower|upper|p_value|people)": [^n]' THEN RETURN 'errors: ' || one; END IF;
    RETURN CASE WHEN pg_temp.points(one) = pg_temp.points(two) AND pg_temp.points(one)::text ~ '[0-9]' THEN 'equal' ELSE concat(one, ' is not ', two) END;
END $$;
SELECT aggregate, pg_temp.compared(s, 'true'), pg_temp.compared(s, 'round = 8') FROM step AS s;
SELECT count(DISTINCT mean) AS rounds FROM (SELECT round, ldp_proportion(report) AS mean FROM fresh GROUP BY round) AS r, (SELECT round, ldp_proportion(report) AS share FROM kept GROUP BY round) AS k WHERE k.share = r.mean AND k.round = r.round;
-- All aggregates are here, except those that need the rounds: searches and diagnostics depend on the error.
SELECT f.oid::regprocedure FROM pg_aggregate AS a JOIN pg_proc AS f ON f.oid = a.aggfnoid WHERE f.proargtypes[0] = 'ldp_report'::regtype AND a.aggfinalfn <> 0
    AND f.proname <> 'ldp_agg' AND f.oid NOT IN (SELECT aggregate::regprocedure FROM step) ORDER BY f.oid::regprocedure::text;
DROP FUNCTION pg_temp.compared;
DROP TABLE step;
-- Functions without estimates still work: counting and merging. A NULL round is unknown.
SELECT ldp_count(ldp_agg(report)), ldp_agg(report) = ldp_agg(report, NULL), ldp_agg(report) = ldp_agg(report, round) FROM kept;
SELECT bool_and(people IS NULL), min(n) FROM ldp_estimate((SELECT ldp_agg(report) FROM fresh), statistics => '{proportion}');
\pset tuples_only off
\pset format aligned

-- In parallel the same.
SELECT ldp_agg(report, round) AS serial FROM kept \gset
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
ALTER TABLE kept SET (parallel_workers = 2);
EXPLAIN (COSTS OFF) SELECT ldp_agg(report, round) FROM kept;
SELECT ldp_agg(report, round) = :'serial' AS two_workers FROM kept;
SET parallel_leader_participation = off;
SELECT ldp_agg(report, round) = :'serial' AS workers_alone FROM kept;
SELECT bool_and(s = ldp_summary_of('kept', round)) AS grouped FROM (SELECT round, ldp_agg(report, round) AS s FROM kept GROUP BY round) AS g;
RESET parallel_leader_participation; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;

-- A forged summary: no rounds but reports, rounds but no reports.
SELECT octet_length(ldp_internal.ldp_spec_parameters(ldp_client_spec('kept'))) AS block \gset
SELECT overlay(:'serial' PLACING '0b000000' FROM 2 * :block + 17 FOR 8)::ldp_summary;
SELECT overlay(overlay(:'serial' PLACING '0000000000000000' FROM 2 * :block + 1 FOR 16) PLACING repeat('00', 24) FROM 2 * :block + 33)::ldp_summary;

-- Small groups ----------------------------------------------------------------------------------------------
SELECT ldp_create_collection('few', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green"]}');
SELECT ldp_create_collection('any', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green"], "min_group": 1}');
SELECT ldp_create_collection('day', '{"mechanism": "haar_ordered", "epsilon": 2, "domain": 4}');
SELECT ldp_create_collection('pair', '{"mechanism": "haar", "epsilon": 1, "grid": 10, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]}');
SELECT name, spec -> 'min_group' AS min_group FROM ldp_collections WHERE name IN ('few', 'any') ORDER BY name;
-- Nineteen, and the twentieth.
INSERT INTO few SELECT pg_temp.report_to('few', '0' || i % 2), 0 FROM generate_series(1, 19) AS i;
INSERT INTO "any" SELECT pg_temp.report_to('any', '0' || i % 2), 0 FROM generate_series(1, 2) AS i;
INSERT INTO day SELECT pg_temp.report_to('day', '0' || i % 2 || '00'), 0 FROM generate_series(1, 19) AS i;
INSERT INTO pair SELECT pg_temp.report_to('pair', '0' || i % 2 || '00'), 0 FROM generate_series(1, 19) AS i;
SELECT label, estimate, stderr, lower, upper, n, people, note FROM ldp_estimate(pg_temp.all_rounds('few'));
SELECT label, round(estimate::numeric, 9) AS estimate, n, people, note FROM ldp_estimate(pg_temp.all_rounds('any'));
SELECT label, estimate, n, p_value, note FROM ldp_top(pg_temp.all_rounds('few'));
SELECT probability, estimate, lower, upper, n, note FROM ldp_quantiles(pg_temp.all_rounds('day'), '{0.5}');
SELECT low, high, estimate, stderr, n, note FROM ldp_histogram(pg_temp.all_rounds('day'), 2);
SELECT low, estimate, n, note FROM ldp_distribution(pg_temp.all_rounds('day')) LIMIT 1;
SELECT estimate, n, note FROM ldp_between(pg_temp.all_rounds('day'), high => 1) UNION ALL SELECT estimate, n, note FROM ldp_between(pg_temp.all_rounds('day'), 0, 1);
SELECT coefficient, estimate, stderr, note FROM ldp_coefficients(pg_temp.all_rounds('pair'));
SELECT attribute, estimate, rmse, n, note FROM ldp_shrinkage(pg_temp.all_rounds('pair'));
SELECT label, estimate, note FROM ldp_change(pg_temp.all_rounds('few'), pg_temp.all_rounds('few'));
SELECT ldp_proportion(s) IS NULL AND ldp_proportion(s, 'red') IS NULL AND (SELECT bool_and(estimate IS NULL) FROM ldp_consistent(s, 'norm')) AS shares, ldp_count(s) AS n FROM pg_temp.all_rounds('few') AS s;
SELECT ldp_quantile(s, 0.5) IS NULL AS quantile FROM pg_temp.all_rounds('day') AS s;
SELECT ldp_mean(s, '0') IS NULL AND ldp_mean(s, 'b') IS NULL AND ldp_haar(s) IS NULL AS means FROM pg_temp.all_rounds('pair') AS s;
SELECT ldp_proportion(report) IS NULL AND ldp_proportion(report, 'red') IS NULL AS in_one_step FROM few;
-- Diagnostics use exact laws for any number of reports. So does ldp_learn_range, which returns the declared range.
SELECT count(*) FROM ldp_health(pg_temp.all_rounds('few'));
SELECT low, high, note LIKE 'the declared range: % reports do not narrow it; this requires about % reports about the attribute' AS says_how_many FROM ldp_learn_range(pg_temp.all_rounds('few'));
-- Merged small summaries are large enough.
SELECT ldp_open_rounds('few', 0, 1);
INSERT INTO few VALUES (pg_temp.report_to('few', '01'), 1);
SELECT bool_and(ldp_proportion(s, 'red') IS NULL) AS none, ldp_proportion(ldp_rollup(s), 'red') IS NOT NULL AS whole FROM (SELECT ldp_agg(report) AS s FROM few GROUP BY round) AS r;
SELECT count(estimate), count(note) FROM ldp_estimate(pg_temp.all_rounds('few'));
-- With memoized responses, people count: five of them in four rounds send twenty reports.
SELECT label, estimate, n, people, note FROM ldp_estimate((SELECT ldp_agg(report, round) FROM (SELECT report, round, row_number() OVER (PARTITION BY round) AS i FROM kept) AS k WHERE i <= 5), statistics => '{proportion}');

-- Invalid confidences ----------------------------------------------------------------------------------------
SELECT pg_temp.answered(format(q, c)) FROM (VALUES ('SELECT ldp_estimate(''any'', confidence => %s)'), ('SELECT ldp_quantiles(pg_temp.all_rounds(''day''), confidence => %s)'), ('SELECT ldp_internal.ldp_critical_value(%s)')) AS v (q), (VALUES ('0.9999999999999999'), ('0.9999999999999998')) AS w (c);

DROP VIEW way;
DROP TABLE question;
SELECT count(ldp_drop_collection(name)) FROM ldp_collections WHERE name IN ('fresh', 'kept', 'fresh_record', 'kept_record', 'kept_number', 'kept_vector', 'kept_ordered', 'few', 'any', 'day', 'pair');

-- Numbers that clients round: the errors of means contain the rounding. A constant step of 90 adds 45²/n. If steps follow each
-- person, the error is that of a population.
CREATE TABLE rounded (name text, report ldp_report);
INSERT INTO rounded SELECT name, pg_temp.report(spec, pg_temp.little((i * 7 + i / 5) % 95, 1)) FROM generate_series(1, 400) AS i, (
    SELECT 'kept' AS name, '{"mechanism": "optimal", "epsilon": 2, "min": 0, "max": 360, "grid": 360, "evolving": {}, "budget": {"epsilon": 900}}'::jsonb AS spec
    UNION ALL SELECT 'constant', '{"mechanism": "optimal", "epsilon": 2, "grid": 360, "attributes": [{"name": "minutes", "min": 0, "max": 360, "evolving": true}],
        "evolving": {"volatility": 1, "base_levels": 4}, "budget": {"epsilon": 900}}'
    UNION ALL SELECT 'following', '{"mechanism": "optimal", "epsilon": 2, "grid": 360, "attributes": [{"name": "minutes", "min": 0, "max": 360, "evolving": true}],
        "evolving": {}, "budget": {"epsilon": 900}}') AS q;
SELECT r.name, round(sqrt(400 * (r.stderr ^ 2 - k.stderr ^ 2))::numeric, 6) AS rounding, round((p.stderr / r.stderr)::numeric, 6) AS population
FROM (SELECT name, ldp_agg(report, 1) AS s FROM rounded GROUP BY name) AS g, LATERAL (SELECT g.name, * FROM ldp_estimate(g.s, statistics => '{mean}')) AS r,
     LATERAL ldp_estimate(g.s, statistics => '{mean}', target => 'population') AS p,
     (SELECT stderr FROM ldp_estimate((SELECT ldp_agg(report, 1) FROM rounded WHERE name = 'kept'), statistics => '{mean}')) AS k ORDER BY r.name;

-- The round that a name means: the last one with at least min_group reports. It follows from the reports, not from the rounds that are
-- open: of a table that was adopted, after round 0 was opened again, in batches, and behind a policy.
CREATE TABLE before (report ldp_report, round integer);
INSERT INTO before SELECT pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 2}', '0' || i % 2), r FROM (VALUES (0, 40), (1, 30), (2, 25), (3, 5)) AS v (r, n), generate_series(1, n) AS i;
SELECT ldp_adopt_collection('before', 'before', '{"mechanism": "grr", "epsilon": 1, "domain": 2}');
CREATE FUNCTION pg_temp.meant(name text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', ldp_count(ldp_summary_of(name)), (SELECT DISTINCT n FROM ldp_estimate(name)), ldp_count((ldp_groups_of(name, '{}'))[1].summary),
                     ldp_count((ldp_groups_of(name, '{}', first_round => 0))[1].summary)) $$;
SELECT pg_temp.meant('before') AS adopted;
SELECT ldp_open_rounds('before', 1, 4);
SELECT pg_temp.meant('before') AS opened;
SELECT ldp_open_rounds('before', 0);
SELECT pg_temp.meant('before') AS opened_again;
SELECT ldp_create_collection('packed', '{"mechanism": "grr", "epsilon": 1, "domain": 2}', rows => 'batches');
SELECT ldp_open_rounds('packed', 0, 4);
INSERT INTO packed (batch, round) SELECT ldp_pack(report), round FROM before GROUP BY round;
SELECT pg_temp.meant('packed') AS batches;
-- If all rounds are small, the last one.
DELETE FROM before WHERE round < 3 AND ctid NOT IN (SELECT min(ctid) FROM before WHERE round < 3 GROUP BY round);
SELECT pg_temp.meant('before') AS small;
CREATE ROLE regress_ldp_rounds_reader;
GRANT SELECT ON before TO regress_ldp_rounds_reader;
ALTER TABLE before ENABLE ROW LEVEL SECURITY;
CREATE POLICY until ON before TO regress_ldp_rounds_reader USING (round < 2);
SELECT pg_temp.meant('before') AS owner;
SET ROLE regress_ldp_rounds_reader;
SELECT ldp_count(ldp_summary_of('before')) AS reader, (SELECT DISTINCT n FROM ldp_estimate('before')) AS by_name;
RESET ROLE;
SELECT ldp_drop_collection('before'), ldp_drop_collection('packed');
DROP ROLE regress_ldp_rounds_reader;
