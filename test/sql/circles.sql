-- Values on a circle: the mean direction, its length and shares of arcs, by groups, and what they refuse.
\ir setup.sql
CREATE SCHEMA circles;
SET search_path = circles, public;
SELECT ldp_create_collection('bedtime', '{"mechanism": "auto", "epsilon": 2, "min_group": 1, "attributes": [{"name": "bedtime", "min": 0, "max": 24, "circular": true, "unit": "h"}]}', ARRAY[['region', 'text']]);
SELECT ldp_client_spec('bedtime')::jsonb - 'derived' AS spec;
-- The expected number of each report of people at one point, from the pattern of the block.
SELECT encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('bedtime')), 'hex') AS block \gset
CREATE FUNCTION outputs(block text, people bigint, own integer) RETURNS TABLE (output integer, reports integer) LANGUAGE sql AS $$
    WITH weight AS (SELECT d, CASE get_bit(substr(decode(block, 'hex'), 29, 8), d) WHEN 1 THEN exp(2.0) ELSE 1 END AS weight FROM generate_series(0, 23) AS d)
    SELECT (own + d) % 24, round(people * weight / sum(weight) OVER ())::integer FROM weight $$;
INSERT INTO bedtime (report, region) SELECT (:'block' || pg_temp.little(o.output, 1))::ldp_report, p.region
FROM (VALUES ('around midnight', 8000, 23), ('around midnight', 4000, 2), ('one hour', 6000, 6)) AS p (region, people, own), outputs(:'block', people, own) AS o, generate_series(1, o.reports);
INSERT INTO bedtime (report, region) SELECT (:'block' || pg_temp.little(i % 24, 1))::ldp_report, 'none' FROM generate_series(1, 4800) AS i;

-- The hours 23, 23 and 2 have the mean atan2(sin 30° − 2·sin 15°, cos 30° + 2·cos 15°) = −0.0237 h and the resultant length 0.9333.
SELECT group_key, statistic, CASE WHEN stderr > 0 THEN round(estimate::numeric, 2) END AS estimate, stderr < 0.1 AS exact, round(lower::numeric, 2) AS lower, round(upper::numeric, 2) AS upper, note
FROM ldp_estimate('bedtime', by => '{region}') ORDER BY group_key;
SELECT group_key, statistic, round(estimate::numeric, 2) AS estimate, stderr < 0.03 AS exact, lower <= estimate AND estimate <= upper AND upper - lower < 0.2 AS near, note
FROM ldp_estimate('bedtime', statistics => '{resultant_length}', by => '{region}') ORDER BY group_key;
SELECT statistic FROM ldp_estimate('bedtime', statistics => '{mean, resultant_length}');
SELECT statistics, array_agg(statistic) AS rows FROM (VALUES ('{direction}'::text[]), ('{direction,resultant_length}'), ('{mean,direction}'), ('{direction,mean}')) AS s (statistics), ldp_estimate('bedtime', statistics => statistics)
GROUP BY statistics ORDER BY 1;
SELECT bool_and(d IS NOT DISTINCT FROM m) AS the_mean FROM ldp_estimate('bedtime', by => '{region}', statistics => '{direction}') AS d JOIN ldp_estimate('bedtime', by => '{region}', statistics => '{mean}') AS m USING (group_key);
SELECT region, round(ldp_mean(ldp_agg(report))::numeric, 2) AS mean FROM bedtime WHERE region <> 'none' GROUP BY region ORDER BY region;
-- A forged report moves an end of the interval across midnight.
SELECT r.lower < e.lower AND r.upper > e.upper AS wider FROM (SELECT ldp_agg(report) AS s FROM bedtime WHERE region = 'around midnight') AS a, ldp_robust_interval(s, forged => 0.02) AS r, ldp_estimate(s) AS e;

-- Arcs: the night from 22 to 3 contains the ends of the range. Bounds beyond the range go around.
SELECT region, round(night.estimate::numeric, 2) AS night, round(day.estimate::numeric, 2) AS day, night.stderr < 0.06 AND night.lower <= night.estimate AND night.estimate <= night.upper AS near,
       (night.estimate, night.stderr) = (around.estimate, around.stderr) AS goes_around, abs(night.estimate + day.estimate - 1) < 1e-9 AS whole
FROM (SELECT region, ldp_agg(report) AS s FROM bedtime GROUP BY region) AS a, ldp_between(s, 22, 3) AS night, ldp_between(s, 4, 21) AS day, ldp_between(s, -2, 3) AS around ORDER BY region;
SELECT round(estimate::numeric, 2) AS the_circle FROM ldp_between('bedtime', 0, 24);
SELECT low, high, round(estimate::numeric, 2) AS estimate FROM (SELECT ldp_agg(report) AS s FROM bedtime WHERE region = 'one hour') AS a, ldp_histogram(s, 4);

-- Health: reports of one value have the longest mean vector, and reports of one output cannot be from the mechanism.
SELECT region, h.statistic, h.p_value > 0.01 AS sound FROM (SELECT region, ldp_agg(report) AS s FROM bedtime GROUP BY region) AS a, ldp_health(s) AS h ORDER BY region, h.statistic;
SELECT h.statistic, h.p_value < 1e-9 AS forged FROM (SELECT ldp_agg((:'block' || '07')::ldp_report) AS s FROM generate_series(1, 1000)) AS a, ldp_health(s) AS h;
SELECT count(*) AS checks, bool_and(p_value BETWEEN 0 AND 1) AS probabilities FROM (SELECT ldp_agg((:'block' || '07')::ldp_report) AS s) AS a, ldp_health(s);
-- One report moves the direction by at most half a turn over n, times the inverse of the first factor.
SELECT attribute, round(one_report::numeric, 2) AS one_report, round(down::numeric, 3) AS down, round(up::numeric, 3) AS up FROM ldp_influence(ldp_client_spec('bedtime'));

-- Comparisons leave directions out.
SELECT (SELECT count(*) FROM ldp_compare_groups('bedtime', '{region}')) AS compared, (SELECT count(*) FROM ldp_clustered('bedtime', '{region}')) AS clustered;
SELECT statistic, estimate, n, note FROM ldp_calibrate('bedtime', '{region}', '{"region": {"around midnight": 5, "none": 2, "one hour": 3}}');
-- A record of a number on a circle and a category.
SELECT ldp_create_collection('habits', '{"mechanism": "sampled", "per_report": 1, "epsilon": 2, "min_group": 1, "attributes": [{"name": "bedtime", "min": 0, "max": 24, "circular": true, "mechanism": "ring"}, {"name": "mood", "domain": 4, "mechanism": "grr"}]}', ARRAY[['region', 'text']]);
INSERT INTO habits (report, region) SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('habits')), 'hex') || pg_temp.little(i % 2, 1) || pg_temp.little(i / 2 % 4, 1))::ldp_report, i / 80 FROM generate_series(1, 160) AS i;
SELECT attribute, label, statistic, n FROM ldp_estimate('habits', statistics => '{direction, proportion}');
SELECT attribute, label, note, n FROM ldp_calibrate('habits', '{region}', '{"region": {"0": 5, "1": 2, "2": 3}}') WHERE label IS NULL OR label = '0';
SELECT DISTINCT attribute FROM ldp_compare_groups('habits', '{region}');
SELECT ldp_part(ldp_summary_of('habits'), 'bedtime') IS NOT NULL AS part;
-- A direction has no sum, no difference and no place among compared means.
\pset format unaligned
SELECT pg_temp.refusal(query) FROM (VALUES
    ($$SELECT ldp_contrast('bedtime', '{"bedtime": 1}')$$),
    ($$SELECT ldp_estimate('bedtime', statistics => '{response_rate}')$$),
    ($$SELECT ldp_difference(a, b) FROM ldp_estimate('bedtime') AS a, ldp_estimate('bedtime') AS b$$),
    ($$SELECT ldp_quantile(ldp_summary_of('bedtime'), 0.5)$$),
    ($$SELECT ldp_weighted(e, 1) FROM ldp_estimate('bedtime', by => '{region}') AS e$$),
    ($$SELECT ldp_combine(e) FROM ldp_estimate('bedtime', by => '{region}') AS e$$),
    ($$SELECT ldp_ratio(e, e) FROM ldp_estimate('bedtime', by => '{region}') AS e$$),
    ($$SELECT ldp_estimate('habits', attributes => '{mood}', statistics => '{direction}')$$),
    ($$SELECT ldp_estimate('habits', statistics => '{rate}')$$),
    ($$SELECT ldp_quantiles('habits', attribute => 'bedtime')$$),
    ($$SELECT ldp_regression('habits', 'bedtime', '{mood}')$$),
    ($$SELECT ldp_regression('habits', 'mood', '{bedtime}')$$),
    ($$SELECT ldp_correlation('habits', 'bedtime', 'mood')$$),
    ($$SELECT ldp_kernel_regression(ldp_groups(ARRAY['{"x": 1}'::jsonb], ARRAY[ldp_summary_of('bedtime')]))$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "ring", "epsilon": 1, "min": 0, "max": 24}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "optimal", "epsilon": 1, "min": 0, "max": 24, "circular": true}')).canonical$$),
    ($$SELECT (ldp_spec_info('{"mechanism": "auto", "epsilon": 1, "min": 0, "max": 24, "circular": true, "missing": true}')).canonical$$)) AS q (query);
\pset format aligned
SELECT ldp_drop_collection('bedtime'), ldp_drop_collection('habits');
SET client_min_messages = warning;
DROP SCHEMA circles CASCADE;
