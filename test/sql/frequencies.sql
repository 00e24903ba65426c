-- Frequencies of every mechanism: equal results in every plan, labels, consistency, significance, diagnostics.
\ir setup.sql


-- Twelve values, so that a payload is two bytes of bits (four of them spare), one of a cell, or a seed and a bucket.
CREATE TABLE oracle (name text PRIMARY KEY, spec jsonb);
INSERT INTO oracle SELECT name, jsonb_build_object('mechanism', name, 'epsilon', 1, 'domain', 12) || more
FROM (VALUES ('grr', '{}'::jsonb), ('oue', '{}'), ('sue', '{}'), ('subset', '{}'), ('blh', '{}'), ('olh', '{}'),
             ('hadamard', '{}'), ('projective', '{}'), ('rappor', '{"filter_bits": 12, "cohorts": 4, "hashes": 2}'),
             ('exponential', '{"columns": 4, "max_distance": 2}')) AS o (name, more);


-- For all data, reports of one spec have one length, and "derived" has the constants.
SELECT name, (ldp_spec_info(spec)).canonical -> 'derived' ->> 'report_bytes' AS report, (ldp_spec_info(spec)).canonical -> 'derived' ->> 'summary_bytes' AS summary,
       round(((ldp_spec_info(spec)).canonical -> 'derived' ->> 'p')::numeric, 9) AS p, round(((ldp_spec_info(spec)).canonical -> 'derived' ->> 'q')::numeric, 9) AS q
FROM oracle ORDER BY name;

-- Reports by hand, about twelve thousand of each kind. A subset of three values is three bits.
CREATE TABLE report AS
    SELECT o.name, i AS id, i % 3 AS part, (o.block || CASE o.name
        WHEN 'grr' THEN pg_temp.little(i * i % 12, 1)
        WHEN 'exponential' THEN pg_temp.little(i * i % 12, 1)
        WHEN 'hadamard' THEN pg_temp.little((i * 7 + i / 5) % 16, 1)
        WHEN 'projective' THEN pg_temp.little((i * 7 + i / 5) % 13, 1)
        WHEN 'subset' THEN pg_temp.little((1 << i % 4) + (16 << i % 4) + (256 << i * i % 4), 2)
        WHEN 'oue' THEN pg_temp.little((i * 37 + i / 5) % 4096, 2)
        WHEN 'sue' THEN pg_temp.little((i * 41 + i / 7) % 4096, 2)
        WHEN 'blh' THEN pg_temp.scramble(i, 1) || pg_temp.scramble(i, 2) || pg_temp.little(i % 2, 1)
        WHEN 'olh' THEN pg_temp.scramble(i, 3) || pg_temp.scramble(i, 4) || pg_temp.little(i % 4, 1)
        WHEN 'rappor' THEN pg_temp.little(i % 4, 1) || pg_temp.little((i * 43 + i / 4) % 4096, 2) END)::ldp_report AS report
    FROM (SELECT name, encode(ldp_internal.ldp_spec_parameters(spec), 'hex') AS block FROM oracle OFFSET 0) AS o, generate_series(1, 12000) AS i;
ANALYZE report;

-- The estimator from supports counted here, for the oracles whose support can be read off the payload.
WITH tally AS (
    SELECT name, count(*)::float8 AS n FROM report GROUP BY name),
support AS (
    SELECT name, v, count(*) FILTER (WHERE CASE name
               WHEN 'grr' THEN get_byte(payload, 0) = v
               WHEN 'hadamard' THEN (SELECT sum(((v + 1) & get_byte(payload, 0)) >> bit & 1) FROM generate_series(0, 4) AS bit) % 2 = 0
               ELSE get_bit(payload, v) = 1 END)::float8 AS supported
    FROM (SELECT name, decode(right(report::text, CASE WHEN name IN ('grr', 'hadamard') THEN 2 ELSE 4 END), 'hex') AS payload
          FROM report WHERE name IN ('grr', 'hadamard', 'oue', 'sue', 'subset')) AS r, generate_series(0, 11) AS v
    GROUP BY name, v),
constant AS (
    SELECT name, (d ->> 'p')::float8 AS p, (d ->> 'q')::float8 AS q FROM oracle, LATERAL (SELECT (ldp_spec_info(spec)).canonical -> 'derived') AS c (d)),
expected AS (
    SELECT name, v, (supported / n - q) / (p - q) AS f, p, q, n AS reports FROM support JOIN tally USING (name) JOIN constant USING (name)),
answer AS (
    SELECT name, a.* FROM (SELECT name, ldp_agg(report) AS s FROM report GROUP BY name) AS g, ldp_estimate(s, statistics => '{proportion}') AS a)
SELECT name, count(*) AS items, bool_and(abs(a.estimate - f) < 1e-9) AS estimates,
       bool_and(abs(a.stderr - sqrt((i * p * (1 - p) + (1 - i) * q * (1 - q)) / reports) / (p - q)) < 1e-9) AS errors,
       bool_and(abs(a.upper - greatest(a.estimate + 1.959963984540054 * a.stderr, 0)) < 1e-9) AS intervals, bool_and(a.label = v::text) AS labels, bool_and(a.n = reports) AS counts
FROM answer AS a JOIN expected USING (name), LATERAL (SELECT LEAST(1, GREATEST(0, f))) AS inside (i)
WHERE a.value = v GROUP BY name ORDER BY name;

-- Every plan gives the same bytes: serial, parallel, rolled up, filtered and merged in another order.
SELECT name, ldp_agg(report) AS serial INTO TABLE whole FROM report GROUP BY name;
SELECT name, (SELECT ldp_rollup(s) FROM (SELECT ldp_agg(report) AS s FROM report AS r WHERE r.name = w.name GROUP BY part) AS p) = serial AS rolled_up,
       (SELECT ldp_agg(report ORDER BY id DESC) FROM report AS r WHERE r.name = w.name) = serial AS backwards,
       serial::text::ldp_summary = serial AS written_and_read, ldp_count(serial) AS reports
FROM whole AS w ORDER BY name;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT name, ldp_agg(report) FROM report GROUP BY name;
SELECT name, p.parallel = w.serial AS the_same
FROM (SELECT name, ldp_agg(report) AS parallel FROM report GROUP BY name) AS p JOIN whole AS w USING (name) ORDER BY name;
RESET max_parallel_workers_per_gather;

-- Consistency -----------------------------------------------------------------------------------------------
SELECT name, method, bool_and(estimate >= 0) OR method = 'norm' AS no_negative, abs(sum(estimate) - 1) < 1e-9 AS sums_to_1,
       bool_and(stderr IS NULL AND lower IS NULL AND upper IS NULL) AS no_error
FROM whole, unnest(ARRAY['norm', 'norm_mul', 'norm_sub', 'mle_apx', 'ibu', 'ibu_early', 'empirical_bayes']) AS method, ldp_consistent(serial, method)
WHERE name IN ('oue', 'olh') GROUP BY name, method ORDER BY name, method;
SELECT method, count(*) FROM whole, unnest(ARRAY['base_cut', 'norm_cut', 'power']) AS method, ldp_consistent(serial, method)
WHERE name = 'projective' GROUP BY method ORDER BY method;
SELECT ARRAY(SELECT estimate FROM ldp_consistent(serial, 'none')) = ldp_proportion(serial) AS unchanged FROM whole WHERE name = 'grr';
SELECT ldp_consistent(serial, 'magic') FROM whole WHERE name = 'grr';
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_consistent(serial, 'ibu_early') FROM whole WHERE name = 'rappor';
\echo :LAST_ERROR_SQLSTATE

-- Labels ----------------------------------------------------------------------------------------------------
SELECT ldp_create_collection('colour', '{"mechanism": "grr", "epsilon": 2, "attributes": [{"name": "colour",
    "domain": ["red", "green", "blue", "rest"], "other": "rest"}]}');
INSERT INTO colour SELECT pg_temp.report(ldp_client_spec('colour'), pg_temp.little(CASE WHEN i < 60 THEN 0 WHEN i < 90 THEN 2 ELSE i % 4 END, 1)) FROM generate_series(0, 99) AS i;
CREATE TABLE colours AS SELECT ldp_agg(report) AS s FROM colour;
SELECT l.* FROM colours, ldp_labels(s) AS l ORDER BY value;
SELECT value, label, round(estimate::numeric, 6) AS estimate, round(stderr::numeric, 6) AS stderr FROM colours, ldp_estimate(s, statistics => '{proportion}');
SELECT label, round(estimate::numeric, 6) AS estimate, p_value < 1e-6 AS significant FROM colours, ldp_top(s, 2);
SELECT ldp_proportion(s, 'blue') = (ldp_proportion(s))[3] AS by_label FROM colours;
SELECT ldp_proportion(s, 'pink') FROM colours;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_proportion(serial, '3') = (ldp_proportion(serial))[4] AS by_number, (SELECT count(*) FROM ldp_labels(serial)) AS labels FROM whole WHERE name = 'grr';

-- Significance ----------------------------------------------------------------------------------------------
-- That nobody holds a value is a binomial number of supports: the p-value is its upper tail, times twelve values.
SELECT count(*), bool_and(estimate <= before) AS descending, bool_and(p_value BETWEEN 0 AND 1) AS probabilities
FROM (SELECT name, estimate, p_value, lag(estimate, 1, 'infinity') OVER (PARTITION BY name ORDER BY place) AS before
      FROM whole, ldp_top(serial, 12) WITH ORDINALITY AS t (attribute, label, statistic, estimate, stderr, lower, upper, n, group_key, note, source, p_value, people, attribute_number, value, place)) AS t;
WITH few AS (SELECT ldp_agg(report) AS s FROM (SELECT pg_temp.report(spec || '{"min_group": 1}', pg_temp.little(v, 1)) AS report
             FROM oracle, unnest(ARRAY[5, 5, 5, 5, 1]) AS v WHERE name = 'grr') AS r),
     tail AS (SELECT q, 5 * q ^ 4 * (1 - q) + q ^ 5 AS p FROM oracle, LATERAL (SELECT 1 / (exp(1::float8) + 11)) AS c (q) WHERE name = 'grr')
SELECT t.value, abs(t.p_value - 12 * tail.p) < 1e-12 AS binomial FROM few, tail, ldp_top(s, 1) AS t;
SELECT count(*) FROM whole, ldp_top(serial, 0) WHERE name = 'grr';
SELECT * FROM whole, ldp_top(serial, -1) WHERE name = 'grr';
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM whole, ldp_top(serial, p_adjust => 'luck') WHERE name = 'grr';
\echo :LAST_ERROR_SQLSTATE
-- Pure noise has no significant candidates. (test/e2e/hitters.sh tests real ones, because only the client has the filters.)
SELECT (SELECT count(*) FROM ldp_candidates(serial, 'nnls')) AS nnls,
       (SELECT count(*) FROM ldp_candidates(serial, 'lasso', 'benjamini_hochberg')) AS lasso FROM whole WHERE name = 'rappor';
SELECT * FROM whole, ldp_candidates(serial) WHERE name = 'grr';
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM whole, ldp_candidates(serial, 'best') WHERE name = 'rappor';
\echo :LAST_ERROR_SQLSTATE

-- Health ----------------------------------------------------------------------------------------------------
-- Reports that do not come from the randomizer and have a valid format: the statistics detect them.
SELECT name, statistic FROM whole, ldp_health(serial) WHERE p_value < 1e-6 ORDER BY name, statistic COLLATE "C";
-- All bits set; a hash function with a single bucket; the output that every value has in common.
SELECT name, bool_or(p_value < 1e-6) AS seen
FROM (SELECT name, ldp_agg(pg_temp.report(spec, forged)) AS s
      FROM oracle JOIN (VALUES ('oue', 'ff0f'), ('sue', 'ff0f'), ('rappor', '00ff0f'), ('olh', repeat('00', 17)), ('blh', repeat('00', 17)), ('hadamard', '00')) AS f (name, forged) USING (name),
           generate_series(1, 100) GROUP BY name) AS flood, ldp_health(s) GROUP BY name ORDER BY name;
-- Reports with an invalid format are rejected.
CREATE FUNCTION pg_temp.refusal(spec jsonb, payload text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_temp.report(spec, payload);
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
SELECT name, what, pg_temp.refusal(spec, payload)
FROM oracle JOIN (VALUES ('hadamard', 'an output past the last', '10'), ('exponential', 'a value past the last', '0c'), ('projective', 'a point past the last', '0d'), ('olh', 'a bucket past the last', repeat('00', 16) || '04'),
                         ('blh', 'a bucket past the last', repeat('00', 16) || '02'), ('subset', 'one value too many', '0f00'), ('subset', 'a bit past the domain', '0310'),
                         ('oue', 'a bit past the domain', '0010'), ('rappor', 'a cohort past the last', '040000'), ('rappor', 'a bit past the last', '000010'),
                         ('olh', 'no bucket', repeat('00', 16)), ('sue', 'a byte too many', '000000')) AS f (name, what, payload) USING (name) ORDER BY name, what;

-- Values with a distance ------------------------------------------------------------------------------------
-- Two values through a table: the report is the value with probability p, else the other one.
SELECT derived ->> 'epsilon_per_unit' AS none, (ldp_spec_info(spec)).canonical -> 'utilities' AS utilities FROM (VALUES
    ('{"mechanism": "exponential", "epsilon": 1, "domain": ["no", "yes"], "utilities": [[7, 0], [-3, 4]]}'::jsonb)) AS s (spec),
    LATERAL (SELECT (ldp_spec_info(spec)).canonical -> 'derived') AS c (derived);
WITH answers AS (SELECT ldp_agg(pg_temp.report('{"mechanism": "exponential", "epsilon": 1, "domain": 2, "utilities": [[7, 0], [-3, 4]]}',
                                               pg_temp.little((i % 4 = 0)::integer, 1))) AS s FROM generate_series(1, 400) AS i),
     law AS (SELECT exp(1::float8) / (exp(1::float8) + 1) AS p)
SELECT value, abs(estimate - ((CASE value WHEN 0 THEN 0.75 ELSE 0.25 END - (1 - p)) / (2 * p - 1))) < 1e-9 AS estimates,
       abs(stderr - sqrt(p * (1 - p) / 400) / (2 * p - 1)) < 1e-9 AS errors FROM answers, law, ldp_estimate(s, statistics => '{proportion}');
-- Near values are less distinguishable, and a limited range spends epsilon on them.
SELECT round(((ldp_spec_info(spec)).canonical -> 'derived' ->> 'epsilon_per_unit')::numeric, 6) AS per_unit FROM (VALUES
    ('{"mechanism": "exponential", "epsilon": 4, "domain": 5}'::jsonb), ('{"mechanism": "exponential", "epsilon": 4, "domain": 5, "max_distance": 2}'),
    ('{"mechanism": "exponential", "epsilon": 4, "domain": 5, "max_distance": 1}')) AS s (spec);
SELECT ldp_create_collection('twins', '{"mechanism": "exponential", "epsilon": 1, "domain": 3, "coordinates": [[0, 0], [9, 9], [0, 0]]}');
\echo :LAST_ERROR_SQLSTATE

-- Few reports ------------------------------------------------------------------------------------------------
-- All 25 reports are equal. Against a population they do so with probability x ^ 25, half of which is 0.025 at the lower end.
WITH law AS (SELECT exp(3::float8) / (exp(3::float8) + 1) AS p),
     few AS (SELECT ldp_agg(pg_temp.report('{"mechanism": "grr", "epsilon": 3, "domain": 2}', '00')) AS s FROM generate_series(1, 25))
SELECT value, estimate > 1 AS beyond, abs(upper - estimate) < 1e-12 AS room, abs(lower - (0.05 ^ (1 / 25::float8) - (1 - p)) / (2 * p - 1)) < 1e-9 AS exact
FROM few, law, ldp_estimate(s, statistics => '{proportion}', target => 'population') WHERE value = 0;
-- For a number with one bit per report, the mean is a share of the range.
WITH law AS (SELECT exp(3::float8) / (exp(3::float8) + 1) AS p),
     few AS (SELECT ldp_agg(pg_temp.report('{"mechanism": "duchi", "epsilon": 3, "min": 10, "max": 50}', '00')) AS s FROM generate_series(1, 25))
SELECT estimate < 10 AS beyond, abs(upper - (50 - 40 * (0.05 ^ (1 / 25::float8) - (1 - p)) / (2 * p - 1))) < 1e-7 AS exact, abs(lower - estimate) < 1e-12 AS room
FROM few, law, ldp_estimate(s, statistics => '{mean}');

-- Advice ----------------------------------------------------------------------------------------------------
SELECT mechanism, round(stderr::numeric, 6) AS stderr, report_bytes, obstacle FROM ldp_advise('{"epsilon": 1, "domain": 1024}', 10000);
SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "domain": 1024, "max_report_bytes": 40}')).canonical -> 'chosen';
SELECT (ldp_spec_info((ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "domain": 1024}')).canonical)).canonical = (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "domain": 1024}')).canonical AS stable;
SELECT ldp_internal.ldp_spec_parameters('{"mechanism": "auto", "epsilon": 1, "domain": 6}') = ldp_internal.ldp_spec_parameters('{"mechanism": "subset", "epsilon": 1, "domain": 6}') OR
       ldp_internal.ldp_spec_parameters('{"mechanism": "auto", "epsilon": 1, "domain": 6}') = ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 1, "domain": 6}') AS same_reports;
SELECT mechanism, round(stderr::numeric, 6) AS stderr, report_bytes, obstacle FROM ldp_advise('{"epsilon": 1, "min": 0, "max": 1}', 10000);

SELECT count(ldp_drop_collection('colour')) AS dropped;

-- Several labels of a person: the shares of the labels do not add up to 1, and a person has a mean number of them.
\pset format aligned
SELECT ldp_create_collection('services', '{"mechanism": "auto", "epsilon": 3, "attributes": [{"name": "services", "domain": ["mail", "maps", "music", "chat"], "several": true}]}', ARRAY[['country', 'text']]);
SELECT ldp_client_spec('services')::jsonb - 'derived' - 'chosen' AS spec;
-- Each person is asked about one label, in turn. All have the first one, a half the second one, and so on.
INSERT INTO services (report, country) SELECT pg_temp.report_to('services', pg_temp.little(i % 4 + CASE WHEN i / 4 % (1 + i % 4) = 0 THEN 256 ELSE 0 END, 2)),
    CASE WHEN i % 28 < 12 THEN 'north' ELSE 'south' END FROM generate_series(1, 4000) AS i;
SELECT label, round(estimate::numeric, 3) AS estimate, round(stderr::numeric, 3) AS stderr, round(lower::numeric, 3) AS lower, round(upper::numeric, 3) AS upper, n, note
FROM ldp_estimate(ldp_summary_of('services'), statistics => '{proportion}');
SELECT attribute, label, round(estimate::numeric, 3) AS estimate, round(stderr::numeric, 3) AS stderr, round(lower::numeric, 3) AS lower, round(upper::numeric, 3) AS upper, n, note
FROM ldp_estimate(ldp_summary_of('services'), attributes => '{services}', statistics => '{set_size}');
SELECT label, round(estimate::numeric, 3) AS estimate FROM ldp_consistent(ldp_summary_of('services'), 'base_cut');
SELECT label, round(estimate::numeric, 3) AS estimate, p_value < 0.01 AS clear FROM ldp_top(ldp_summary_of('services'), 2);
SELECT count(*) AS differences, bool_and(p_value > 0.01) AS equal FROM ldp_compare_groups('services', '{country}');
SELECT bool_and(p_value > 0.001) AS healthy FROM ldp_health(ldp_summary_of('services')) WHERE statistic = 'labels asked';
SELECT ldp_required_n('{"mechanism": "auto", "epsilon": 1, "domain": 8, "several": true, "most": 2}', '{"value": 3, "proportion": 0.2, "margin": 0.05}') AS people;
\pset format unaligned
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_consistent(ldp_summary_of('services'), 'norm_sub')$$),
    ($$SELECT ldp_estimate(summary, statistics => '{set_size}') FROM (SELECT ldp_agg(report) AS summary FROM report WHERE name = 'grr') AS s$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "grr", "epsilon": 1, "domain": 4, "several": true}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "domain": ["a", "b;c"], "several": true}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "domain": 4, "most": 2}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "domain": 200, "several": true, "most": 100}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "marginals": "pairs", "attributes": [{"name": "a", "domain": 3, "several": true}, {"name": "b", "domain": 3}]}')).canonical$$)) AS q (query);
\pset format aligned
SELECT ldp_drop_collection('services');
