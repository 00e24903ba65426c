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
