-- Budgets that end: the signal in reports, its share, notes and intervals.
\ir setup.sql
SET client_min_messages = warning;

-- Nine values, of which a budget of five pays for four responses and the signal. All 1,000 people report the first value,
-- and from round 6 on 700 bits of 1,000 are 1.
SELECT ldp_create_collection('spends', '{"mechanism": "grr", "epsilon": 1, "domain": 9, "evolving": {}, "budget": {"epsilon": 5}}');
SELECT key, value FROM jsonb_each(ldp_client_spec('spends') -> 'derived') WHERE key ~ 'epsilon|answers' ORDER BY key;
SELECT count(ldp_open_rounds('spends', 1, 9));
INSERT INTO spends SELECT pg_temp.report_to('spends', CASE WHEN i % 3 = 0 THEN '01' ELSE '00' END || CASE WHEN t > 5 AND i % 5 < 3 OR i % 4 = 0 THEN '01' ELSE '00' END), t
FROM generate_series(1, 1000) AS i, unnest(ARRAY[2, 3, 6, 9]) AS t;
ANALYZE;
SELECT round, round(s.estimate::numeric, 4) AS estimate, round(s.stderr::numeric, 4) AS stderr, round(s.lower::numeric, 4) AS lower,
       round(s.upper::numeric, 4) AS upper, s.p_value < 0.01 AS significant, s.n, s.people, s.note
FROM (SELECT round, ldp_agg(report, round) AS summary FROM spends GROUP BY round) AS r, ldp_spent(summary) AS s ORDER BY round;
-- Rounds together, and as rollups: the same counts, with the error of memoized bits.
SELECT round(s.estimate::numeric, 4) AS estimate, s.stderr > 0.03 AS inflated, s.n, s.people, s.note FROM ldp_spent(ldp_summary_of('spends')) AS s;
SELECT ldp_rollup(summary) = ldp_summary_of('spends') AS same FROM (SELECT ldp_agg(report, round) AS summary FROM spends GROUP BY round) AS r;
-- A batch has the signal, too.
SELECT ldp_agg(batch, 9) = ldp_summary_of('spends', 9) AS same FROM (SELECT ldp_pack(report) AS batch FROM spends WHERE round = 9) AS b;

-- Before a budget can have ended nothing changes; afterwards rows have notes, and intervals include the bias.
SELECT round, value, round(e.lower::numeric, 3) AS lower, round(e.upper::numeric, 3) AS upper, e.note
FROM unnest(ARRAY[3, 9]) AS round, ldp_estimate('spends', round => round) AS e WHERE value < 2 ORDER BY round, value;
SELECT value, upper - lower > 0.6 AS extended, note FROM ldp_change(ldp_summary_of('spends', 3), ldp_summary_of('spends', 9)) WHERE value = 0;
SELECT statistic, round(observed::numeric, 4) AS observed, expected, p_value FROM ldp_health(ldp_summary_of('spends', 9)) WHERE statistic LIKE '%budget%';
SELECT count(*) FROM ldp_health(ldp_summary_of('spends', 3)) WHERE statistic LIKE '%budget%';

-- Groups, quantities of the spec, and windows of rounds have the signal as well.
SELECT group_name, value, upper - lower > 0.6 AS extended, note IS NOT NULL AS noted
FROM (SELECT array_agg(part ORDER BY part) AS names, array_agg(summary ORDER BY part) AS summaries
      FROM (SELECT 'half ' || i % 2 AS part, ldp_agg(report, round) AS summary FROM (SELECT report, round, row_number() OVER () AS i FROM spends WHERE round = 9) AS r GROUP BY part) AS g) AS g,
     ldp_compare_groups(names, summaries) AS c WHERE value = 0;
SELECT attribute, one_report IS NOT DISTINCT FROM (SELECT one_report FROM ldp_influence('{"mechanism": "grr", "epsilon": 1, "domain": 9}')) AS same FROM ldp_influence(ldp_client_spec('spends'));
CREATE TEMP TABLE numbered AS SELECT report, row_number() OVER (ORDER BY round, report::text) AS i FROM spends LIMIT 200;
SELECT bool_and(summary IS NOT DISTINCT FROM anew) AS same FROM (
    SELECT ldp_agg(report) OVER (ORDER BY i ROWS 19 PRECEDING) AS summary, (SELECT ldp_agg(o.report) FROM numbered AS o WHERE o.i BETWEEN d.i - 19 AND d.i) AS anew
    FROM numbered AS d) AS m;
-- A record in two layers: the part of an attribute has no signal, and says that the share is unknown.
SELECT ldp_create_collection('mixed', '{"mechanism": "sampled", "epsilon": 2, "first_epsilon": 1, "evolving": {}, "budget": {"epsilon": 5},
    "attributes": [{"name": "town", "domain": 9, "mechanism": "l_grr"}, {"name": "age", "min": 0, "max": 90, "mechanism": "optimal"}]}');
SELECT key, value FROM jsonb_each(ldp_client_spec('mixed') -> 'derived') WHERE key ~ 'epsilon|answers' ORDER BY key;
SELECT count(ldp_open_rounds('mixed', 1, 9));
INSERT INTO mixed SELECT pg_temp.report_to('mixed', '0' || i % 2 || '0' || i % 5 || CASE WHEN i % 3 > 0 THEN '01' ELSE '00' END), t FROM generate_series(1, 900) AS i, unnest(ARRAY[1, 8]) AS t;
SELECT round, attribute, value, upper - lower > 1.2 * first_value(upper - lower) OVER (PARTITION BY attribute ORDER BY round) AS extended, note
FROM unnest(ARRAY[1, 8]) AS round, ldp_estimate('mixed', round => round) AS e WHERE value = 0 OR value IS NULL ORDER BY 1, 2;
SELECT round, round(s.estimate::numeric, 4) AS estimate, s.n, s.note FROM unnest(ARRAY[1, 8]) AS round, ldp_spent(ldp_summary_of('mixed', round)) AS s ORDER BY 1;
SELECT f.note FROM ldp_frequencies(ldp_part(ldp_summary_of('mixed', 8), 'town')) AS f WHERE value = 0;
SELECT s.estimate, s.note FROM ldp_spent(ldp_part(ldp_summary_of('mixed', 8), 'town')) AS s;
-- Without a signal the share is unknown; people who stop are missing; a budget that cannot end has no share.
SELECT ldp_create_collection('hides', '{"mechanism": "grr", "epsilon": 1, "domain": 9, "evolving": {}, "budget": {"epsilon": 5, "report_spent": false}}');
SELECT ldp_create_collection('stops', '{"mechanism": "grr", "epsilon": 1, "domain": 9, "evolving": {}, "budget": {"epsilon": 5, "when_spent": "stop"}}');
SELECT ldp_create_collection('lasts', '{"mechanism": "grr", "epsilon": 1, "domain": 9, "evolving": {}, "budget": {"epsilon": 9}}');
SELECT count(ldp_open_rounds(name, 5, 6)) FROM unnest(ARRAY['hides', 'stops', 'lasts']) AS name;
INSERT INTO hides SELECT pg_temp.report_to('hides', '00'), t FROM generate_series(1, 100), unnest(ARRAY[5, 6]) AS t;
INSERT INTO stops SELECT pg_temp.report_to('stops', '00'), 6 FROM generate_series(1, 100);
INSERT INTO lasts SELECT pg_temp.report_to('lasts', '00'), 6 FROM generate_series(1, 100);
SELECT name, s.estimate, s.note FROM unnest(ARRAY['hides', 'lasts', 'stops']) AS name, ldp_spent(ldp_summary_of(name, 6)) AS s ORDER BY name;
SELECT name, e.note FROM unnest(ARRAY['hides', 'lasts', 'stops']) AS name, ldp_estimate(name, round => 6) AS e WHERE value = 0 ORDER BY name;
-- Collections with the signal and without it do not mix. Impossible bits and counts are rejected.
SELECT split_part(pg_temp.outcome('SELECT ldp_summary_merge(ldp_summary_of(''spends'', 9), ldp_summary_of(''hides'', 6))'), ' / ', 1) AS outcome;
SELECT pg_temp.outcome(format('SELECT %L::ldp_summary', left(whole, -16) || more)) AS outcome
FROM (SELECT ldp_summary_of('spends', 9)::text AS whole) AS s, unnest(ARRAY['e803000000000000', 'e903000000000000', '00000000000000ff']) AS more;
SELECT pg_temp.report_to('spends', '0002');

SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['spends', 'hides', 'stops', 'lasts', 'mixed']) AS name;
