-- Numbers, vectors and records: the same summaries in every plan, questions to them, and what they refuse.
\ir setup.sql
CREATE SCHEMA numbers;
SET search_path = numbers, public;


-- Grids of few steps, so that an output is one byte.
CREATE TABLE question (name text PRIMARY KEY, spec jsonb);
INSERT INTO question SELECT name, jsonb_build_object('mechanism', name, 'epsilon', 1) || more FROM (VALUES
    ('laplace', '{"min": 0, "max": 100, "grid": 10}'::jsonb), ('duchi', '{"min": 0, "max": 100, "grid": 10}'),
    ('onebit', '{"min": 0, "max": 100, "grid": 10}'), ('hybrid', '{"min": 0, "max": 100, "grid": 10}'),
    ('square_wave', '{"min": 0, "max": 100, "grid": 10}'), ('haar_ordered', '{"min": 0, "max": 7, "grid": 7}'),
    ('duchi_vector', '{"attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 9}, {"name": "c", "min": -1, "max": 1}]}'),
    ('gaussian', '{"delta": 0.001, "grid": 2, "attributes": [{"name": "a", "min": 0, "max": 100}, {"name": "b", "min": -1, "max": 1}]}'),
    ('sampled', '{"grid": 10, "attributes": [{"name": "size", "min": 0, "max": 100, "mechanism": "duchi"},
        {"name": "colour", "domain": ["red", "green", "blue"], "mechanism": "grr", "weight": 3},
        {"name": "price", "min": 0, "max": 10, "mechanism": "duchi"}]}')) AS q (name, more);
SELECT name, (ldp_spec_info(spec)).canonical - 'derived' AS canonical FROM question WHERE name IN ('sampled', 'haar_ordered') ORDER BY name;

CREATE TABLE report AS
    SELECT q.name, i AS id, i % 3 AS part, pg_temp.report(q.spec, CASE q.name
        WHEN 'laplace' THEN pg_temp.little((i * 7 + i / 5) % 800, 2)
        WHEN 'haar_ordered' THEN pg_temp.little(i % 3, 1) || pg_temp.little((i * 7 + i / 3) % (2 << (i % 3)::integer), 1)
        WHEN 'duchi_vector' THEN pg_temp.little(i % 8, 1)
        WHEN 'gaussian' THEN pg_temp.little((i * 7 + i / 5) % 180, 1) || pg_temp.little(90 + i % 8, 1)
        WHEN 'sampled' THEN pg_temp.little(CASE WHEN i % 5 < 3 THEN 1 ELSE (i % 5 - 3) * 2 END, 1) || pg_temp.little(i / 5 % CASE WHEN i % 5 < 3 THEN 3 ELSE 2 END, 1)
        ELSE pg_temp.little((i * 7 + i / 5) % CASE WHEN q.name IN ('duchi', 'onebit') THEN 2 ELSE 10 END, 1) END) AS report
    FROM question AS q, generate_series(1, 6000) AS i WHERE q.name <> 'hybrid';
ANALYZE report;

-- Every plan gives the same bytes.
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

-- As collections, in partitions by round, of which each is added up by itself; and a rollup, refreshed in two steps.
SELECT count(ldp_create_collection('of_' || name, spec, partition_by => 'round')), count(ldp_open_rounds('of_' || name, 0, 2)),
       sum(ldp_add_round_partitions('of_' || name, 2)), count(ldp_create_rollup(name || '_by_round', 'of_' || name, '{round}'))
FROM whole JOIN question USING (name);
CREATE TABLE collected (name text, partitions bigint, partitionwise ldp_summary, refreshed bigint[], rolled_up ldp_summary);
SET enable_partitionwise_aggregate = on;
DO $$
DECLARE
    of text;
    first bigint;
BEGIN
    FOR of IN SELECT w.name FROM whole AS w LOOP
        EXECUTE format('INSERT INTO %I (report, round) SELECT report, part FROM report WHERE name = %L AND id > 1000', 'of_' || of, of);
        COMMIT;
        first := ldp_refresh(of || '_by_round');
        EXECUTE format('INSERT INTO %I (report, round) SELECT report, part FROM report WHERE name = %L AND id <= 1000', 'of_' || of, of);
        COMMIT;
        EXECUTE format('INSERT INTO collected SELECT %1$L, count(DISTINCT tableoid), (SELECT ldp_rollup(s) FROM (SELECT ldp_agg(report) AS s FROM %2$I GROUP BY round) AS p),
                        ARRAY[%3$s, ldp_refresh(%4$L)] FROM %2$I', of, 'of_' || of, first, of || '_by_round');
        COMMIT;
        EXECUTE format('UPDATE collected SET rolled_up = (SELECT ldp_rollup(summary) FROM %I) WHERE name = %L', of || '_by_round', of);
    END LOOP;
END
$$;
RESET enable_partitionwise_aggregate;
SELECT name, partitions, partitionwise = serial AS the_same, refreshed, rolled_up = (SELECT ldp_agg(r.report, r.part) FROM report AS r WHERE r.name = w.name) AS rolled_up
FROM collected AS c JOIN whole AS w USING (name) ORDER BY name;
SELECT count(*) FROM whole, LATERAL (SELECT ldp_drop_collection('of_' || name)) AS dropped;

-- duchi by hand: the share of ones, scaled to the range.
WITH e AS (SELECT exp(1.0::float8) AS e),
counted AS (SELECT avg(get_byte(decode(right(report::text, 2), 'hex'), 0))::float8 AS ones FROM report WHERE name = 'duchi')
SELECT abs(ldp_mean(serial) - 100 * ((ones - 1 / (e + 1)) * (e + 1) / (e - 1))) < 1e-6 AS mean_of_duchi FROM e, counted, whole WHERE name = 'duchi';
-- duchi_vector by hand.
WITH counted AS (SELECT avg(get_byte(decode(right(report::text, 2), 'hex'), 0) & 1)::float8 AS ones FROM report WHERE name = 'duchi_vector')
SELECT abs(ldp_mean(serial, '0') - (1 + (2 * ones - 1) * 2 * (exp(1) + 1) / (exp(1) - 1)) / 2) < 1e-9 AS first_of_vector FROM counted, whole WHERE name = 'duchi_vector';

-- gaussian by hand: the mean output, less what noise of 0 adds to the end of the grid. Its δ stands beside ε.
WITH counted AS (SELECT avg(get_byte(decode(right(report::text, 4), 'hex'), 0))::float8 AS output FROM report WHERE name = 'gaussian')
SELECT abs(ldp_mean(serial, '0') - 50 * (output + 0.5 - ceil(12 * (ldp_spec(serial) #>> '{parameters,sigma}')::float8) - 1)) < 1e-9 AS first_of_noisy_vector
FROM counted, whole WHERE name = 'gaussian';
SELECT ldp_spec(serial) - 'spec' - 'parameters' AS promise FROM whole WHERE name = 'gaussian';
SELECT attribute, lower < estimate AND estimate < upper AS has_interval, n FROM whole, ldp_estimate(serial, statistics => '{mean}') WHERE name = 'gaussian';
SELECT statistic, p_value < 1e-6 AS alarm FROM whole, ldp_health(serial) WHERE name = 'gaussian';
SELECT ldp_create_collection('short', '{"mechanism": "gaussian", "epsilon": 1, "delta": 1e-9, "norm": 1, "attributes": [
    {"name": "a", "min": -1, "max": 1}, {"name": "b", "min": -1, "max": 1}, {"name": "c", "min": -1, "max": 1}]}');
SELECT epsilon, delta, spec - 'attributes' - 'derived' AS spec FROM ldp_collections WHERE name = 'short';
SELECT ldp_drop_collection('short');

-- Ranges, cumulative shares, quantiles, histograms.
SELECT round(estimate::numeric, 6) AS estimate, stderr > 0 AS has_error, lower < estimate AND estimate < upper AS has_interval
FROM whole, ldp_between(serial, 2, 5) WHERE name = 'haar_ordered';
SELECT abs(r.estimate - (h.estimate - l.estimate)) < 1e-9 AS a_range_is_a_difference, r.stderr < h.stderr + l.stderr AS with_its_own_error
FROM whole, ldp_between(serial, 2, 5) AS r, ldp_between(serial, high => 5) AS h, ldp_between(serial, high => 1) AS l WHERE name = 'haar_ordered';
-- A bound that is NULL is no bound.
SELECT name, up_to = (SELECT b FROM ldp_between(serial, '-Infinity', 5) AS b) AS up_to, from_on = (SELECT b FROM ldp_between(serial, CASE name WHEN 'haar_ordered' THEN 6 ELSE 5 END, 'Infinity') AS b) AS from_on,
       abs(up_to.estimate + from_on.estimate - 1) < 1e-9 AS whole_without_overlap
FROM whole, ldp_between(serial, NULL, 5) AS up_to, ldp_between(serial, CASE name WHEN 'haar_ordered' THEN 6 ELSE 5 END, NULL) AS from_on
WHERE name IN ('haar_ordered', 'square_wave') ORDER BY name;
SELECT bool_and(b.estimate = h.estimate AND b.stderr = h.stderr) AS the_range_of_elements FROM whole, ldp_between(serial, high => 1) AS b, ldp_between(serial, 0, 1) AS h WHERE name = 'duchi_vector';
SELECT name, abs(sum(h.estimate) - 1) < 1e-9 AS sums_to_one, count(*) AS bins, min(low) AS low, max(high) AS high
FROM whole, ldp_histogram(serial, 4) AS h WHERE name IN ('haar_ordered', 'square_wave') GROUP BY name ORDER BY name;
SELECT name, abs(sum(estimate) - 1) < 1e-9 AS sums_to_one, min(estimate) >= 0 AS none_negative, count(*) AS cells
FROM whole, ldp_distribution(serial) WHERE name IN ('haar_ordered', 'square_wave') GROUP BY name ORDER BY name;
SELECT count(*) AS plain_likelihood FROM whole, ldp_distribution(serial, 'em') WHERE name = 'square_wave';
SELECT name, q.probability, lower <= estimate AND estimate <= upper AS inside, ldp_quantile(serial, q.probability) = estimate AS the_same
FROM whole, ldp_quantiles(serial, '{0.25,NULL,0.5}') AS q WHERE name IN ('haar_ordered', 'square_wave') ORDER BY name, q.probability;
SELECT name, r.note = 'of values smoothed over ' || ldp_resolution(serial) || '; exact values may lie outside the interval' AS range_says_so,
       r.note = c.note AND c.note = q.note AND q.note = h.note AS all_do, d.note
FROM whole, ldp_between(serial, 2, 5) AS r, ldp_between(serial, high => 5) AS c, ldp_quantiles(serial, '{0.5}') AS q, ldp_histogram(serial, 1) AS h,
     LATERAL (SELECT note FROM ldp_distribution(serial) LIMIT 1) AS d
WHERE name IN ('haar_ordered', 'square_wave') ORDER BY name;
SELECT name, ldp_resolution(serial) > 0 AS smeared FROM whole WHERE name IN ('haar_ordered', 'square_wave') ORDER BY name;
SELECT abs(r.estimate - (m.a + m.b) / 2) < 1e-9 AS a_group_is_a_mean, stderr > 0 AS has_error
FROM whole, ldp_between(serial, 0, 1) AS r, LATERAL (SELECT ldp_mean(serial, '0'), ldp_mean(serial, '1')) AS m (a, b) WHERE name = 'duchi_vector';

-- The choice between a sharp and a smooth mechanism.
SELECT l.mechanism = CASE WHEN l.smooth_error < l.sharp_error THEN 'square_wave' ELSE l.sharp_mechanism END AS the_better_one,
       l.sharp_mechanism, l.smooth_grid, l.smooth_error >= l.smooth_bias AS with_its_bias, m.sharp_error < l.sharp_error / 9 AS fewer_errors_of_many
FROM whole, ldp_pilot_choice(serial, serial, 100) AS l, ldp_pilot_choice(serial, serial, 10000) AS m WHERE name = 'haar_ordered';
SELECT mechanism, round(stderr::numeric, 5) AS stderr, lower_bound, obstacle FROM ldp_advise('{"epsilon": 1, "min": 0, "max": 255, "grid": 255, "estimate": "distribution"}');
SELECT mechanism, obstacle FROM ldp_advise('{"mechanism": "haar_ordered", "epsilon": 1, "domain": 8}');
SELECT spec ->> 'mechanism' AS mechanism, spec ->> 'grid' AS grid, spec -> 'chosen' AS chosen
FROM CAST((ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "min": 0, "max": 255, "grid": 255, "estimate": "distribution"}')).canonical AS jsonb) AS spec;

-- A record, whole and in parts.
SELECT ldp_create_collection('things', spec) FROM question WHERE name = 'sampled';
INSERT INTO things (report) SELECT report FROM report WHERE name = 'sampled';
SELECT attribute, label, n, stderr > 0 AS has_error, attribute_number, value FROM ldp_estimate('things');
SELECT l.* FROM whole, ldp_labels(serial) AS l WHERE name = 'sampled' ORDER BY attribute_number, value;
SELECT l.* FROM whole, ldp_labels(ldp_part(serial, 'colour')) AS l WHERE name = 'sampled' ORDER BY value;
SELECT f.label, abs(f.estimate - e.estimate) < 1e-12 AS as_in_the_record
FROM whole, ldp_estimate(ldp_part(serial, '1'), statistics => '{proportion}') AS f JOIN ldp_estimate('things') AS e ON e.label = f.label WHERE name = 'sampled' ORDER BY f.value;
SELECT ldp_count(ldp_part(serial, '0')) + ldp_count(ldp_part(serial, '1')) + ldp_count(ldp_part(serial, '2')) AS reports,
       ldp_mean(ldp_part(serial, 'price')) = ldp_mean(serial, '2') AS a_mean, ldp_part(serial, '1')::text::ldp_summary = ldp_part(serial, '1') AS written_and_read
FROM whole WHERE name = 'sampled';
SELECT ldp_spec(ldp_part(serial, '1')) ->> 'spec' = left(encode(sha256(convert_to(ldp_spec(serial) ->> 'spec' || '/1', 'UTF8')), 'hex'), 16) AS known FROM whole WHERE name = 'sampled';
SELECT ldp_part(serial, '0') = serial AS of_one_attribute_it_is_all FROM whole WHERE name = 'duchi';
SELECT statistic FROM whole, ldp_health(serial) WHERE name = 'sampled';

-- What is refused, and how.
\pset format unaligned
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_part(serial, '0') FROM whole WHERE name = 'duchi_vector'$$),
    ($$SELECT ldp_part(serial, '3') FROM whole WHERE name = 'sampled'$$),
    ($$SELECT ldp_part(serial, '-1') FROM whole WHERE name = 'sampled'$$),
    ($$SELECT ldp_part(serial, 'height') FROM whole WHERE name = 'sampled'$$),
    ($$SELECT ldp_mean(serial, 'size') FROM whole WHERE name = 'duchi'$$),
    ($$SELECT * FROM whole, ldp_between(serial, 5, 2) WHERE name = 'haar_ordered'$$),
    ($$SELECT * FROM whole, ldp_between(serial, 0.5, 1) WHERE name = 'duchi_vector'$$),
    ($$SELECT * FROM whole, ldp_between(serial, 2, 1) WHERE name = 'duchi_vector'$$),
    ($$SELECT * FROM whole, ldp_between(serial, 'NaN', 1) WHERE name = 'haar_ordered'$$),
    ($$SELECT * FROM whole, ldp_between(serial, 0, 0) WHERE name = 'duchi'$$),
    ($$SELECT * FROM whole, ldp_between(serial, high => 5) WHERE name = 'duchi'$$),
    ($$SELECT * FROM whole, ldp_between(serial) WHERE name = 'haar_ordered'$$),
    ($$SELECT * FROM whole, ldp_between(serial, high => 'NaN') WHERE name = 'haar_ordered'$$),
    ($$SELECT ldp_quantile(serial, 1.5) FROM whole WHERE name = 'haar_ordered'$$),
    ($$SELECT * FROM whole, ldp_histogram(serial, 0) WHERE name = 'haar_ordered'$$),
    ($$SELECT * FROM whole, ldp_histogram(serial, 2000000000) WHERE name = 'haar_ordered'$$),
    ($$SELECT ldp_pilot_choice(w.serial, o.serial, 10) FROM whole AS w, whole AS o WHERE w.name = 'haar_ordered' AND o.name = 'square_wave'$$),
    ($$SELECT ldp_pilot_choice(serial, serial, 10) FROM whole WHERE name = 'square_wave'$$),
    ($$SELECT ldp_pilot_choice(serial, serial, 0) FROM whole WHERE name = 'haar_ordered'$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "tree", "epsilon": 1, "min": 0, "max": 9, "estimate": "distribution"}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "min": 0, "max": 9, "estimate": "median"}')).canonical$$),
    ($$SELECT * FROM whole, ldp_distribution(serial, 'none') WHERE name = 'square_wave'$$),
    ($$SELECT * FROM whole, ldp_shrinkage(serial, 'soft') WHERE name = 'duchi_vector'$$),
    ($$SELECT pg_temp.report(spec, 'ff5a') FROM question WHERE name = 'gaussian'$$),
    ($$SELECT ldp_minimax_bound(spec) FROM question WHERE name = 'gaussian'$$),
    ($$SELECT (ldp_spec_info(spec - 'delta')).canonical FROM question WHERE name = 'gaussian'$$),
    ($$SELECT (ldp_spec_info(spec || '{"evolving": {}, "budget": {"epsilon": 5}}')).canonical FROM question WHERE name = 'gaussian'$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "duchi", "epsilon": 1, "delta": 1e-9, "min": 0, "max": 1}')).canonical$$),
    ($$SELECT * FROM whole, ldp_shrinkage(serial, 'hard') WHERE name = 'duchi_vector'$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "min": 0, "max": 1, "weight": 0}, {"name": "b", "domain": 3}]}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "min": 0, "max": 1, "mechanism": "grr"}, {"name": "b", "domain": 3}]}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "haar", "epsilon": 1, "coefficients": [[-1, 1]], "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "haar_ordered", "epsilon": 1, "domain": 8, "grid": 7}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "onebit", "epsilon": 1, "min": 1, "max": 2}')).canonical$$)) AS q (query);
\pset format aligned

-- A number that people may leave out: the mean of those who answer, and their share. 40 % of the reports have no number, and
-- the others are in the upper part of the range.
SELECT ldp_create_collection('income', '{"mechanism": "auto", "epsilon": 4, "attributes": [{"name": "income", "min": 0, "max": 100, "missing": true}]}', ARRAY[['country', 'text']]);
SELECT ldp_client_spec('income')::jsonb - 'derived' - 'chosen' AS spec;
INSERT INTO income (report, country) SELECT pg_temp.report_to('income', pg_temp.little(CASE WHEN i % 5 < 2 THEN 0 ELSE 60 + i % 24 END, 1)),
    CASE WHEN i % 7 < 3 THEN 'north' ELSE 'south' END FROM generate_series(1, 3000) AS i;
SELECT attribute, round(estimate::numeric, 3) AS estimate, round(stderr::numeric, 3) AS stderr, round(lower::numeric, 3) AS lower, round(upper::numeric, 3) AS upper, n, note
FROM ldp_estimate(ldp_summary_of('income'), statistics => '{mean}');
SELECT attribute, round(estimate::numeric, 3) AS estimate, round(stderr::numeric, 4) AS stderr, round(lower::numeric, 3) AS lower, round(upper::numeric, 3) AS upper, n, note
FROM ldp_estimate(ldp_summary_of('income'), attributes => '{income}', statistics => '{response_rate}');
SELECT round(ldp_mean(report)::numeric, 3) AS one_step, (SELECT note FROM ldp_estimate(ldp_agg(report))) AS note FROM income;
SELECT lower < (SELECT lower FROM ldp_estimate(ldp_summary_of('income'), statistics => '{mean}')) AS wider, upper > estimate AS above FROM ldp_robust_interval(ldp_summary_of('income'), forged => 0.02);
SELECT group_key, baseline, attribute, p_value > 0.5 AS equal FROM ldp_compare_groups('income', '{country}');
-- Reports without a number alone: more than any response rate explains.
SELECT estimate, lower, upper, note FROM ldp_estimate((SELECT ldp_agg(pg_temp.report_to('income', '00')) FROM generate_series(1, 100)), statistics => '{mean}');
SELECT ldp_drop_collection('income');
\pset format unaligned
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_estimate(serial, statistics => '{response_rate}') FROM whole WHERE name = 'duchi'$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "duchi", "epsilon": 1, "min": 0, "max": 1, "missing": true}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "optional_mean", "epsilon": 1, "min": 0, "max": 1}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "min": 0, "max": 1, "missing": 0.3}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "min": 0, "max": 1, "missing": true, "estimate": "shape"}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "domain": ["a", "b"], "missing": true}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "min": 0, "max": 1, "bins": 4, "missing": true}')).canonical$$)) AS q (query);
\pset format aligned

-- NULLs and empty summaries.
SELECT ldp_part(NULL, '0') IS NULL AS part, ldp_quantile(NULL, 0.5) IS NULL AND ldp_resolution(NULL) IS NULL AS quantile, ldp_mean(NULL::ldp_summary) IS NULL AS mean, (SELECT count(*) FROM ldp_consistent(NULL)) AS shares, (SELECT count(*) FROM ldp_between(NULL, 0, 1)) AS ranges,
       (SELECT count(*) FROM ldp_histogram(NULL)) AS bins;
SELECT ldp_quantile(serial, NULL) IS NULL AS quantile, (SELECT count(*) FROM ldp_consistent(serial, NULL)) AS shares FROM whole WHERE name = 'haar_ordered';
SELECT ldp_drop_collection('things');

-- A winsorized mean: the second round follows from the reports of the first one.
SELECT ldp_create_collection('spent', '{"mechanism": "winsorized", "epsilon": 4, "attributes": [{"name": "spent", "min": 0, "max": 800, "unit": "€"}],
    "concentration": {"tau": 50, "gamma": 0.01}, "min_group": 20, "title": "Spending"}', ARRAY[['country', 'text'], ['day', 'date']], analysts => 'aggregates');
SELECT ldp_client_spec('spent') - 'derived' AS first_round;
SELECT pg_temp.refusal($$SELECT ldp_next_round('spent')$$);
INSERT INTO spent SELECT pg_temp.report_to('spent', pg_temp.little(CASE WHEN i % 10 = 0 THEN i / 10 % 8 ELSE 2 + i % 2 END, 1)) FROM generate_series(1, 10) AS i;
SELECT pg_temp.refusal($$SELECT ldp_next_round('spent')$$);
INSERT INTO spent SELECT pg_temp.report_to('spent', pg_temp.little(CASE WHEN i % 10 = 0 THEN i / 10 % 8 ELSE 2 + i % 5 / 4 END, 1)) FROM generate_series(1, 500) AS i;
SELECT ldp_next_round('spent');
SELECT ldp_client_spec('spent_2') - 'derived' - 'chosen' AS second_round;
-- Both rounds have the same columns and the same rights.
SELECT c.name, c.analysts, (SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)
                            FROM pg_attribute AS a WHERE a.attrelid = c.reports AND a.attnum > 0) AS columns, has_table_privilege('ldp_analyst', c.reports, 'SELECT') OR
    has_any_column_privilege('ldp_analyst', c.reports, 'SELECT') AS "analysts read rows"
FROM ldp_internal.ldp_collection AS c WHERE c.name IN ('spent', 'spent_2') ORDER BY c.name;
SELECT pg_temp.refusal($$SELECT ldp_next_round('spent')$$);
SELECT pg_temp.refusal($$SELECT ldp_next_round('spent_2')$$);
INSERT INTO spent_2 SELECT pg_temp.report_to('spent_2', pg_temp.little(20 + i % 60, 1)) FROM generate_series(1, 10) AS i;
SELECT estimate, n, window_low, window_high, pilot_n, note FROM ldp_winsorized_mean(ldp_summary_of('spent'), ldp_summary_of('spent_2'));
INSERT INTO spent_2 SELECT pg_temp.report_to('spent_2', pg_temp.little(20 + i % 60, 1)) FROM generate_series(1, 590) AS i;
SELECT attribute, round(estimate::numeric, 2) AS estimate, round(stderr::numeric, 3) AS stderr, round(lower::numeric, 2) AS lower, round(upper::numeric, 2) AS upper,
       n, people, window_low, window_high, round(coverage::numeric, 3) AS coverage, round(coverage_lower::numeric, 3) AS coverage_lower,
       round(bias_bound::numeric, 1) AS bias_bound, pilot_n, note
FROM ldp_winsorized_mean(ldp_summary_of('spent'), ldp_summary_of('spent_2'));
SELECT w.stderr < m.stderr AS "less than of the population" FROM ldp_winsorized_mean(ldp_summary_of('spent'), ldp_summary_of('spent_2'), 0.95, 'sample') AS w,
    ldp_winsorized_mean(ldp_summary_of('spent'), ldp_summary_of('spent_2')) AS m;
SELECT pg_temp.refusal($$SELECT ldp_winsorized_mean(ldp_summary_of('spent_2'), ldp_summary_of('spent'))$$);
SELECT pg_temp.refusal($$SELECT ldp_winsorized_mean(ldp_summary_of('spent'), ldp_summary_of('spent'))$$);
SELECT pg_temp.refusal($$SELECT w.* FROM whole, ldp_winsorized_mean(serial, ldp_summary_of('spent_2')) AS w WHERE name = 'duchi'$$);

-- A curve: 8 weeks of reports of bits, more ones from week to week.
SELECT ldp_create_collection('growth', '{"mechanism": "duchi", "epsilon": 4, "min": 0, "max": 100, "grid": 10}', ARRAY[['week', 'integer'], ['day', 'date']]);
INSERT INTO growth SELECT pg_temp.report_to('growth', CASE WHEN i % 10 <= week THEN '01' ELSE '00' END), 0, NULLIF(week, 8) FROM generate_series(0, 8) AS week, generate_series(1, 200) AS i;
SELECT x, round(estimate::numeric, 1) AS estimate, round(stderr::numeric, 2) AS stderr, lower < estimate AND estimate < upper AS inside, n, bandwidth_used, note
FROM ldp_kernel_regression('growth', '{week}', 3.5);
-- Few points are not smoothed: each row is about its own reports.
SELECT count(*), max(bandwidth_used) AS bandwidth, min(n) AS least, max(n) AS most, min(note) AS note FROM ldp_kernel_regression('growth', '{week}');
SELECT count(*), min(bandwidth_used) > 0 AS chosen, count(DISTINCT bandwidth_used) AS bandwidths, max(note) AS note
FROM ldp_summary_of('growth') AS s, ldp_kernel_regression(ldp_groups(ARRAY(SELECT generate_series(1, 12)), array_fill(s, ARRAY[12])));
SELECT count(*) FROM ldp_kernel_regression(ldp_groups(NULL::float8[], NULL));
-- Dates and times are numbers of days; those of all types have equal curves.
SELECT ldp_create_collection('dated', '{"mechanism": "duchi", "epsilon": 4, "min": 0, "max": 100, "grid": 10}',
    ARRAY[['day', 'date'], ['local', 'timestamp'], ['moment', 'timestamptz'], ['number', 'numeric'], ['word', 'text']]);
INSERT INTO dated SELECT report, 0, d, d, d::timestamp AT TIME ZONE 'UTC', d - DATE '1970-01-01', 'w' || week
FROM growth, LATERAL (SELECT DATE '2026-01-05' + 7 * week) AS dates (d) WHERE week IS NOT NULL;
SET timezone = 'Asia/Kathmandu';
SELECT count(*), count(DISTINCT c) AS curves, min(c.x) = DATE '2026-01-05' - DATE '1970-01-01' AS "days since 1970"
FROM unnest('{day,local,moment,number}'::text[]) AS by, ldp_kernel_regression('dated', ARRAY[by], 24) AS c;
RESET timezone;
SELECT pg_temp.outcome($$SELECT * FROM ldp_kernel_regression('dated', '{word}')$$);
UPDATE dated SET day = 'infinity', moment = 'infinity', number = 'NaN' WHERE word = 'w3';
SELECT pg_temp.outcome(format('SELECT * FROM ldp_kernel_regression(''dated'', %L)', ARRAY[by])) FROM unnest('{day,moment,number}'::text[]) AS by;
SELECT pg_temp.outcome(q) FROM unnest(ARRAY[
    $$SELECT * FROM ldp_kernel_regression('growth', '{week}', -1)$$,
    $$SELECT * FROM ldp_kernel_regression('growth', '{month}')$$,
    $$SELECT * FROM ldp_kernel_regression('spent', '{round}')$$,
    $$SELECT ldp_kernel_regression(ldp_groups('{1,2,3}'::text[], ARRAY[s, s, s])) FROM ldp_summary_of('growth') AS s$$,
    $$SELECT ldp_kernel_regression(ldp_groups('{1,2,3}'::text[], ARRAY[s, s])) FROM ldp_summary_of('growth') AS s$$,
    $$SELECT ldp_kernel_regression(ldp_groups('{1,2,3,4}'::text[], ARRAY[s, s, s, s])) FROM ldp_summary_of('spent') AS s$$,
    $$SELECT ldp_kernel_regression(ldp_groups('{1,2,3,4}'::text[], ARRAY[s, t, s, s])) FROM ldp_summary_of('growth') AS s, ldp_summary_of('spent_2') AS t$$]) AS q;

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name)) FROM unnest('{spent,spent_2,growth,dated}'::text[]) AS name;
DROP SCHEMA numbers CASCADE;
