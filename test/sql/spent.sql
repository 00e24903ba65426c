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
-- Impossible bits are rejected.
SELECT pg_temp.report_to('spends', '0002');

SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['spends', 'hides', 'stops', 'lasts']) AS name;
