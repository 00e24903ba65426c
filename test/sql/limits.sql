-- Resource limits: ldp.max_state bounds states before their memory is allocated. Estimates for the planner.
\ir setup.sql

-- A report of parameters and zeros, as any of these randomizers might make.
CREATE FUNCTION zeros(mechanism text, domain integer, rest jsonb DEFAULT '{}') RETURNS ldp_report
LANGUAGE sql AS $$
    SELECT (encode(ldp_internal.ldp_spec_parameters(c.spec), 'hex') ||
            repeat('00', (c.spec #>> '{derived,report_bytes}')::integer - octet_length(ldp_internal.ldp_spec_parameters(c.spec))))::ldp_report
    FROM (SELECT (ldp_spec_info(jsonb_build_object('mechanism', mechanism, 'epsilon', 1, 'min_group', 1, 'attributes',
              jsonb_build_array(jsonb_build_object('name', 'v', 'domain', domain))) || rest)).canonical) AS c (spec)
$$;
CREATE FUNCTION bytes(summary ldp_summary) RETURNS integer LANGUAGE sql AS $$ SELECT octet_length(ldp_internal.ldp_summary_send(summary)) $$;

-- A report of 32 bytes that stands for a state of 256 MB.
SELECT octet_length(ldp_internal.ldp_report_send(zeros('hadamard', 16777216)));
SHOW ldp.max_state;
SELECT ldp_agg(zeros('hadamard', 16777216));
SELECT ldp_proportion(zeros('grr', 16777216), '5');
SELECT ldp_proportion(zeros('l_grr', 16777216, '{"report_epsilon": 0.5}'), '5');
SELECT ldp_internal.ldp_agg_accumulate(NULL, zeros('hadamard', 16777216));
-- The bound is on the summary, to the kB.
SET ldp.max_state = '80kB';
SELECT bytes(ldp_agg(zeros('grr', 10234)));
SELECT bytes(ldp_agg(zeros('grr', 10235)));
-- The first report is refused, however many follow; groups are refused one by one.
SELECT g, bytes(ldp_agg(zeros('grr', 1000 * g))) FROM generate_series(9, 10) AS g GROUP BY g ORDER BY g;
SELECT g, ldp_agg(zeros('grr', 1000 * g)) FROM generate_series(10, 11) AS g GROUP BY g ORDER BY g;
-- Of windows that move as of groups.
SELECT max(bytes(w)) FROM (SELECT ldp_agg(zeros('grr', 10234)) OVER (ORDER BY i ROWS 2 PRECEDING) AS w FROM generate_series(1, 9) AS i) AS m;
SELECT max(bytes(w)) FROM (SELECT ldp_agg(zeros('grr', 10235)) OVER (ORDER BY i ROWS 2 PRECEDING) AS w FROM generate_series(1, 9) AS i) AS m;

-- What was counted under a higher bound can be kept, written and read, but under a lower one neither added to nor
-- answered from.
SET ldp.max_state = '1MB';
CREATE TABLE kept AS SELECT ldp_agg(zeros('grr', 20000)) AS summary;
SELECT ldp_count(summary), round(ldp_proportion(summary, '0')::numeric, 2) > 1 AS frequent FROM kept;
SET ldp.max_state = '64kB';
SELECT bytes(summary), summary = summary::text::ldp_summary AS same FROM kept;
SELECT ldp_rollup(summary) FROM kept;
SELECT ldp_summary_merge(summary, summary) FROM kept;
SELECT ldp_rollup(summary) OVER (ORDER BY i ROWS 2 PRECEDING) FROM kept, generate_series(1, 9) AS i;
SELECT ldp_summary_subtract(summary, summary) FROM kept;
SELECT ldp_internal.ldp_agg_accumulate(ldp_internal.ldp_agg_add(NULL, summary), zeros('grr', 20000)) IS NOT NULL AS counted FROM kept;
SELECT ldp_proportion(summary, '0') FROM kept;
SELECT * FROM ldp_top(NULL), kept WHERE false;
SELECT t.* FROM kept, ldp_top(summary, 1) AS t;
SELECT ldp_count(summary) FROM kept;
SELECT h.* FROM kept, ldp_health(summary) AS h;
RESET ldp.max_state;
SELECT ldp_count(ldp_rollup(summary)) FROM kept;

-- Only superusers set it.
CREATE ROLE ldp_test_limited;
SET ROLE ldp_test_limited;
SET ldp.max_state = '1GB';
RESET ROLE;
DROP ROLE ldp_test_limited;

-- Numbers of rows that an argument determines.
CREATE FUNCTION planned(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan #>> '{0,Plan,Plan Rows}';
END $$;
SELECT planned('SELECT * FROM ldp_top(NULL, 3)') AS top, planned('SELECT * FROM ldp_top(NULL)') AS top_by_default,
    planned('SELECT * FROM ldp_top(NULL, 1000)') AS top_many,
    planned('SELECT * FROM ldp_histogram(NULL, 40)') AS bins, planned('SELECT * FROM ldp_quantiles(NULL)') AS quantiles,
    planned('SELECT * FROM ldp_quantiles(NULL, ARRAY[0.1, 0.2, 0.3])') AS three_quantiles,
    planned('SELECT * FROM ldp_synthesize((SELECT summary FROM kept), 5000)') AS records,
    planned('SELECT * FROM ldp_estimate((SELECT summary FROM kept), statistics => ''{proportion}'')') AS shares,
    planned(format('SELECT * FROM ldp_estimate(%L, statistics => ''{proportion}'')', (SELECT ldp_agg(zeros('grr', 77))))) AS known_shares;
-- No function in C that takes reports or summaries is left to the default cost, and none that returns rows to the
-- default number of them.
SELECT p.oid::regprocedure FROM pg_proc AS p JOIN pg_depend AS d ON d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'ldp' JOIN pg_language AS l ON l.oid = p.prolang
WHERE l.lanname = 'c' AND p.proargtypes::oid[] && ARRAY['ldp_report', 'ldp_summary', 'ldp_internal.ldp_agg_state']::regtype[]::oid[] AND (p.proretset AND p.prorows = 1000 AND p.proname <> 'ldp_distribution' OR
    p.procost = 1 AND p.proname NOT IN ('ldp_check_report', 'ldp_rows')) ORDER BY 1;
DROP TABLE kept;
DROP FUNCTION planned(text), bytes(ldp_summary), zeros(text, integer, jsonb);

-- Totals beyond 2^40 reports. Two years have 2^40 reports each, by doubling.
CREATE FUNCTION doubled(summary ldp_summary, times integer) RETURNS ldp_summary LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. times LOOP summary := ldp_summary_merge(summary, summary); END LOOP;
    RETURN summary;
END $$;
SELECT ldp_create_collection('polls', '{"mechanism": "grr", "epsilon": 1, "min_group": 1, "domain": 4}', ARRAY[['day', 'date']]);
SELECT ldp_create_rollup('polls_yearly', 'polls', '{year(day)}'), ldp_create_rollup('polls_always', 'polls', '{}');
SELECT encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('polls')), 'hex') AS block \gset
INSERT INTO polls (report, day)
SELECT (:'block' || lpad(to_hex(CASE WHEN i <= likely THEN 0 ELSE 1 + i % 3 END), 2, '0'))::ldp_report, day
FROM (VALUES (date '2025-03-01', 400), ('2026-03-01', 350)) AS year (day, likely), generate_series(1, 1024) AS i;
SELECT ldp_refresh('polls_yearly'), ldp_refresh('polls_always');
CREATE TABLE halves AS SELECT row_number() OVER (ORDER BY day) AS half, doubled(ldp_agg(report), 29) AS summary FROM polls GROUP BY day;
UPDATE polls_yearly SET summary = doubled(summary, 30);
UPDATE polls_always SET summary = doubled(summary, 29);
SELECT ldp_count(summary) FROM polls_yearly ORDER BY year;
INSERT INTO polls (report, day) SELECT report, '2025-12-31' FROM polls LIMIT 1;
\pset format unaligned
SELECT DISTINCT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_rollup(summary) FROM polls_yearly$$),
    ($$SELECT ldp_summary_merge(a.summary, a.summary) FROM polls_yearly AS a$$),
    ($$SELECT ldp_rollup(summary) OVER (ORDER BY year) FROM polls_yearly$$),
    ($$SELECT * FROM ldp_estimate('polls_yearly', by => '{}')$$),
    ($$SELECT * FROM ldp_groups_of('polls_yearly', by => '{}')$$),
    ($$SELECT ldp_refresh('polls_yearly')$$),
    ($$SELECT ldp_refresh('polls_always')$$)) AS q (query);
CREATE TABLE many AS SELECT i, doubled(summary, 0) AS summary FROM halves, generate_series(1, 3000) AS i;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT pg_temp.refusal('SELECT ldp_rollup(summary) FROM many');
\pset format aligned
RESET max_parallel_workers_per_gather;
-- Nothing was counted, and no report was lost.
SELECT ldp_count(summary) FROM polls_yearly ORDER BY year;
-- The total of the years. Two halves of a summary have the same total as their sum, and the years have 1/√2 of its error.
WITH totals AS (
    SELECT 'years' AS what, (t).label, (t).estimate, (t).stderr, (t).lower, (t).upper, (t).n
    FROM (SELECT ldp_weighted(e, e.n) AS t FROM ldp_estimate('polls_yearly', by => '{year}', target => 'population') AS e GROUP BY e.attribute, e.label) AS w
    UNION ALL
    SELECT 'combined', (t).label, (t).estimate, (t).stderr, (t).lower, (t).upper, (t).n
    FROM (SELECT ldp_combine(e) AS t FROM ldp_estimate('polls_yearly', by => '{year}', target => 'population') AS e GROUP BY e.attribute, e.label) AS c
    UNION ALL
    SELECT 'sum of halves', e.label, e.estimate, e.stderr, e.lower, e.upper, e.n
    FROM (SELECT ldp_rollup(summary) AS s FROM halves) AS h, ldp_estimate(s, target => 'population') AS e)
SELECT years.label, round(years.estimate::numeric, 6) AS estimate, years.n, abs(years.estimate - halves.estimate) < 1e-12 AS same,
       round((halves.stderr / years.stderr / sqrt(2))::numeric, 2) AS ratio_of_errors, round(((years.upper - years.lower) / years.stderr)::numeric, 2) AS width,
       combined.n AS combined_n, abs(combined.estimate - years.estimate) < 0.01 AS near
FROM totals AS years JOIN totals AS halves USING (label) JOIN totals AS combined USING (label)
WHERE (years.what, halves.what, combined.what) = ('years', 'sum of halves', 'combined') ORDER BY years.label;
SELECT ldp_drop_rollup('polls_yearly'), ldp_drop_rollup('polls_always'), ldp_drop_collection('polls');
DROP TABLE halves, many;
DROP FUNCTION doubled(ldp_summary, integer);
