-- Budgets that end: the signal in reports, its share, notes and intervals.
\ir setup.sql
SET client_min_messages = warning;

-- Nine values, of which a budget of five pays for four responses and the signal. All 1,000 people report the first value,
-- and from round 6 on 700 bits of 1,000 are 1.
SELECT ldp_create_collection('spends', '{"mechanism": "grr", "epsilon": 1, "domain": 9, "evolving": {}, "budget": {"epsilon": 5}}');
SELECT key, value FROM jsonb_each(ldp_client_spec('spends') -> 'derived') WHERE key ~ 'epsilon|max_responses' ORDER BY key;
SELECT count(ldp_open_rounds('spends', 1, 9));
SELECT encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('spends')), 'hex') AS block \gset
INSERT INTO spends SELECT (:'block' || CASE WHEN i % 3 = 0 THEN '01' ELSE '00' END || CASE WHEN t > 5 AND i % 5 < 3 OR i % 4 = 0 THEN '01' ELSE '00' END)::ldp_report, t
FROM generate_series(1, 1000) AS i, unnest(ARRAY[2, 3, 6, 9]) AS t;
ANALYZE;
SELECT round, round(s.estimate::numeric, 4) AS estimate, round(s.stderr::numeric, 4) AS stderr, round(s.lower::numeric, 4) AS lower,
       round(s.upper::numeric, 4) AS upper, s.p_value < 0.01 AS significant, s.n, s.people, s.note
FROM (SELECT round, ldp_agg(report, round) AS summary FROM spends GROUP BY round) AS r, ldp_spent(summary) AS s ORDER BY round;
-- Rounds together, and as rollups: the same counts, with the error of memoized bits.
SELECT round(s.estimate::numeric, 4) AS estimate, s.stderr > 0.03 AS inflated, s.n, s.people, s.note FROM ldp_spent(pg_temp.all_rounds('spends')) AS s;
SELECT ldp_rollup(summary) = pg_temp.all_rounds('spends') AS same FROM (SELECT ldp_agg(report, round) AS summary FROM spends GROUP BY round) AS r;
-- A batch has the signal, too.
SELECT ldp_agg(batch, 9) = ldp_summary_of('spends', 9) AS same FROM (SELECT ldp_pack(report) AS batch FROM spends WHERE round = 9) AS b;

-- Before a budget can have ended nothing changes; afterwards rows have notes, and intervals include the bias.
SELECT round, value, round(e.lower::numeric, 3) AS lower, round(e.upper::numeric, 3) AS upper, e.note
FROM unnest(ARRAY[3, 9]) AS round, ldp_estimate(ldp_summary_of('spends', round)) AS e WHERE value < 2 ORDER BY round, value;
SELECT value, upper - lower > 0.6 AS extended, note FROM ldp_change(ldp_summary_of('spends', 3), ldp_summary_of('spends', 9)) WHERE value = 0;
SELECT statistic, round(observed::numeric, 4) AS observed, expected, p_value FROM ldp_health(ldp_summary_of('spends', 9)) WHERE statistic LIKE '%budget%';
SELECT count(*) FROM ldp_health(ldp_summary_of('spends', 3)) WHERE statistic LIKE '%budget%';

-- Groups, quantities of the spec, and windows of rounds have the signal as well.
SELECT group_key, value, upper - lower > 0.6 AS extended, note IS NOT NULL AS noted
FROM (SELECT array_agg(part ORDER BY part) AS names, array_agg(summary ORDER BY part) AS summaries
      FROM (SELECT 'half ' || i % 2 AS part, ldp_agg(report, round) AS summary FROM (SELECT report, round, row_number() OVER () AS i FROM spends WHERE round = 9) AS r GROUP BY part) AS g) AS g,
     ldp_compare_groups(ldp_groups(names, summaries)) AS c WHERE value = 0;
SELECT attribute, one_report IS NOT DISTINCT FROM (SELECT one_report FROM ldp_influence('{"mechanism": "grr", "epsilon": 1, "domain": 9}')) AS same FROM ldp_influence(ldp_client_spec('spends'));
CREATE TEMP TABLE numbered AS SELECT report, row_number() OVER (ORDER BY round, report::text) AS i FROM spends LIMIT 200;
SELECT bool_and(summary IS NOT DISTINCT FROM anew) AS same FROM (
    SELECT ldp_agg(report) OVER (ORDER BY i ROWS 19 PRECEDING) AS summary, (SELECT ldp_agg(o.report) FROM numbered AS o WHERE o.i BETWEEN d.i - 19 AND d.i) AS anew
    FROM numbered AS d) AS m;
-- A record in two layers: each part, extracted or not, has the share of the people who reported it.
SELECT ldp_create_collection('mixed', '{"mechanism": "sampled", "epsilon": 2, "report_epsilon": 1, "evolving": {}, "budget": {"epsilon": 6},
    "attributes": [{"name": "town", "domain": 9, "mechanism": "l_grr"}, {"name": "age", "min": 0, "max": 90, "mechanism": "optimal"}]}');
SELECT key, value FROM jsonb_each(ldp_client_spec('mixed') -> 'derived') WHERE key ~ 'epsilon|max_responses' ORDER BY key;
SELECT count(ldp_open_rounds('mixed', 1, 9));
SELECT encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('mixed')), 'hex') AS block \gset
INSERT INTO mixed SELECT (:'block' || '0' || i % 2 || '0' || i % 5 || CASE WHEN i % 3 > 0 THEN '01' ELSE '00' END)::ldp_report, t FROM generate_series(1, 900) AS i, unnest(ARRAY[1, 8]) AS t;
SELECT round, attribute, value, upper - lower > 1.2 * first_value(upper - lower) OVER (PARTITION BY attribute ORDER BY round) AS extended, note
FROM unnest(ARRAY[1, 8]) AS round, ldp_estimate(ldp_summary_of('mixed', round)) AS e WHERE value = 0 OR value IS NULL ORDER BY 1, 2;
SELECT round, round(s.estimate::numeric, 4) AS estimate, s.n, s.note FROM unnest(ARRAY[1, 8]) AS round, ldp_spent(ldp_summary_of('mixed', round)) AS s ORDER BY 1;
SELECT f.note FROM ldp_estimate(ldp_part(ldp_summary_of('mixed', 8), 'town'), statistics => '{proportion}') AS f WHERE value = 0;
SELECT round(s.estimate::numeric, 4) AS estimate, s.n, s.note FROM ldp_spent(ldp_part(ldp_summary_of('mixed', 8), 'town')) AS s;
-- Parts of all kinds in a record: part 0 has the joint tables of mood and car; town, age, income and hours follow. In the first
-- round there is no note. In round 20 all rows have one, and the intervals of means, shares and quantiles are extended.
SELECT ldp_create_collection('poll', '{"mechanism": "sampled", "epsilon": 4, "grid": 100, "evolving": {}, "budget": {"epsilon": 12}, "per_report": 1, "joint_tables": [["mood", "car"]],
    "attributes": [{"name": "mood", "domain": ["bad", "ok", "good"]}, {"name": "car", "domain": ["no", "yes"]}, {"name": "town", "domain": ["Ulm", "Bonn", "Kiel"], "mechanism": "grr"},
    {"name": "age", "min": 0, "max": 100, "mechanism": "duchi"}, {"name": "income", "min": 0, "max": 800, "mechanism": "haar_ordered", "grid": 8},
    {"name": "hours", "vector": ["0h", "8h", "16h"], "min": 0, "max": 60, "mechanism": "duchi_vector"}]}');
SELECT count(ldp_open_rounds('poll', 0, 20));
SELECT encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('poll')), 'hex') AS block \gset
INSERT INTO poll SELECT (:'block' || CASE
    WHEN i % 7 < 3 THEN '00' || pg_temp.little(i / 7 % 3, 1) || pg_temp.little(1 << (CASE i / 7 % 3 WHEN 0 THEN mood WHEN 1 THEN car ELSE mood * 2 + car END), 1)
    WHEN i % 7 = 3 THEN '01' || pg_temp.little(i / 7 % 3, 1) || '00'
    WHEN i % 7 = 4 THEN '02' || pg_temp.little(LEAST(i / 7 % 3, 1), 1) || '00'
    WHEN i % 7 = 5 THEN '03' || pg_temp.little(i / 7 % 4, 1) || pg_temp.little(i / 28 % (2 << (i / 7 % 4)) / (1 + i % 2), 1)
    ELSE '04' || pg_temp.little(CASE WHEN i % 3 = 0 THEN 1 ELSE i / 7 % 8 END, 1) || '00' END || CASE WHEN i % 11 = 0 THEN '01' ELSE '00' END)::ldp_report, t
FROM generate_series(1, 4200) AS i, LATERAL (SELECT i / 21 % 3 AS mood, (i / 63 % 2 | i / 21 % 3) & 1 AS car) AS p, unnest('{0,20}'::integer[]) AS t;
CREATE FUNCTION pg_temp.asked(query text, round integer) RETURNS TABLE (number bigint, lower float8, upper float8, note text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT row_number() OVER (), (r ->> ''lower'')::float8, (r ->> ''upper'')::float8, r ->> ''note'' FROM (SELECT to_jsonb(q) AS r FROM %s AS q) AS r',
                                replace(query, '$s', quote_literal(ldp_summary_of('poll', round)::text) || '::ldp_summary'));
END $$;
SELECT query, count(*) AS rows, count(before.note) AS early_notes, bool_and(after.note LIKE '%people repeat earlier responses%') AS noted, bool_and(after.upper - after.lower > before.upper - before.lower + 1e-3) AS extended
FROM unnest(ARRAY['ldp_estimate($s)', 'ldp_estimate($s, statistics => ''{mean}'')', 'ldp_estimate($s, attributes => ARRAY[''hours.8h''], statistics => ''{mean}'')', 'ldp_estimate($s, attributes => ''{mood}'', statistics => ''{proportion}'')', 'ldp_estimate($s, attributes => ''{town}'', statistics => ''{proportion}'')',
    'ldp_top($s, 2, attribute => ''town'')', 'ldp_between($s, 0, 300, attribute => ''income'')', 'ldp_between($s, high => 300, attribute => ''income'')', 'ldp_quantiles($s, ''{0.5}'', attribute => ''income'')',
    'ldp_histogram($s, 4, attribute => ''income'')', 'ldp_distribution($s, attribute => ''income'')', 'ldp_between($s, 0, 1, attribute => ''hours'')', 'ldp_marginal($s, ''{mood,car}'')',
    'ldp_proportion_where($s, ''{"car": "yes"}'')', 'ldp_proportion_where($s, ''{"car": "yes"}'', given => ''{"mood": ["ok", "good"]}'')', 'ldp_conditional($s, ''{car}'', ''{mood}'')', 'ldp_marginal($s, ''{mood,car}'')',
    'ldp_robust_interval($s)']) WITH ORDINALITY AS q (query, k),
    LATERAL (SELECT * FROM pg_temp.asked(query, 0) AS a) AS before JOIN LATERAL (SELECT * FROM pg_temp.asked(query, 20) AS a) AS after USING (number) GROUP BY k, query ORDER BY k;
SELECT query, count(*) AS rows, bool_and(note LIKE '%people repeat earlier responses%') AS noted
FROM unnest(ARRAY['ldp_association(p)', 'ldp_fitted(p, ''{mood,car}'')', 'ldp_model(p)']) WITH ORDINALITY AS q (query, k),
    LATERAL (SELECT * FROM pg_temp.asked(replace(query, '(p', '(ldp_part($s, ''mood'')'), 20)) AS a GROUP BY k, query ORDER BY k;

-- Without a signal the share is unknown; people who stop are missing; a budget that cannot end has no share.
SELECT ldp_create_collection('hides', '{"mechanism": "grr", "epsilon": 1, "domain": 9, "evolving": {}, "budget": {"epsilon": 5, "report_spent": false}}');
SELECT ldp_create_collection('stops', '{"mechanism": "grr", "epsilon": 1, "domain": 9, "evolving": {}, "budget": {"epsilon": 5, "when_spent": "stop"}}');
SELECT ldp_create_collection('lasts', '{"mechanism": "grr", "epsilon": 1, "domain": 9, "evolving": {}, "budget": {"epsilon": 9}}');
SELECT count(ldp_open_rounds(name, 5, 6)) FROM unnest(ARRAY['hides', 'stops', 'lasts']) AS name;
INSERT INTO hides SELECT pg_temp.report_to('hides', '00'), t FROM generate_series(1, 100), unnest(ARRAY[5, 6]) AS t;
INSERT INTO stops SELECT pg_temp.report_to('stops', '00'), 6 FROM generate_series(1, 100);
INSERT INTO lasts SELECT pg_temp.report_to('lasts', '00'), 6 FROM generate_series(1, 100);
SELECT name, s.estimate, s.note FROM unnest(ARRAY['hides', 'lasts', 'stops']) AS name, ldp_spent(ldp_summary_of(name, 6)) AS s ORDER BY name;
SELECT name, e.note FROM unnest(ARRAY['hides', 'lasts', 'stops']) AS name, ldp_estimate(ldp_summary_of(name, 6)) AS e WHERE value = 0 ORDER BY name;
-- Collections with the signal and without it do not mix. Impossible bits and counts are rejected.
SELECT split_part(pg_temp.outcome('SELECT ldp_summary_merge(ldp_summary_of(''spends'', 9), ldp_summary_of(''hides'', 6))'), ' / ', 1) AS outcome;
SELECT pg_temp.outcome(format('SELECT %L::ldp_summary', left(whole, -16) || more)) AS outcome
FROM (SELECT ldp_summary_of('spends', 9)::text AS whole) AS s, unnest(ARRAY['e803000000000000', 'e903000000000000', '00000000000000ff']) AS more;
SELECT pg_temp.report_to('spends', '0002');

SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['spends', 'hides', 'stops', 'lasts', 'mixed', 'poll']) AS name;

-- A budget of a group: a notice states what the collection reserves, and the canonical form has the group.
SET client_min_messages = notice;
SELECT ldp_create_collection('grouped', '{"mechanism": "grr", "epsilon": 1, "domain": 9, "budget": {"group": "acme-2026", "epsilon": 20, "at_most": 5}}');
SELECT ldp_create_collection('reserves', '{"mechanism": "grr", "epsilon": 1, "domain": 9, "evolving": {}, "budget": {"group": "acme-2026", "epsilon": 20, "at_most": 5}}');
SELECT name, ldp_client_spec(name) -> 'budget' AS budget, ldp_client_spec(name) -> 'derived' ->> 'max_epsilon' AS at_most
FROM unnest(ARRAY['grouped', 'reserves']) AS name;
SELECT (ldp_spec_info('{"mechanism": "grr", "epsilon": 1, "domain": 9, "budget": {"group": "acme-2026", "epsilon": 20, "at_most": 25}}')).canonical;
SELECT (ldp_spec_info('{"mechanism": "grr", "epsilon": 1, "domain": 9, "budget": {"epsilon": 20}}')).canonical;
