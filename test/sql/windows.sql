-- Moving windows: rows that leave a window are subtracted from its summary. The result equals a new aggregation.
\ir setup.sql

CREATE TABLE daily_report AS
    SELECT s.name, i % 40 AS day, i, CASE WHEN i % 17 > 0 THEN pg_temp.report(s.spec, p.payload) END AS report
    FROM (VALUES ('colour', '{"mechanism": "grr", "epsilon": 1, "domain": 4}'::jsonb), ('tags', '{"mechanism": "oue", "epsilon": 2, "domain": 12}'),
                 ('wage', '{"mechanism": "piecewise", "epsilon": 1, "min": 0, "max": 200, "grid": 100}'),
                 ('profile', '{"mechanism": "haar", "epsilon": 1, "grid": 100, "randomizer": "pdp", "attributes": [
                      {"name": "a", "min": 0, "max": 10}, {"name": "b", "min": 0, "max": 10}]}')) AS s (name, spec), generate_series(1, 900) AS i,
         LATERAL (SELECT CASE s.name WHEN 'colour' THEN pg_temp.little((i * i + i / 7) % 4, 1) WHEN 'tags' THEN pg_temp.little((i * 37 + i / 5) % 4096, 2)
                  WHEN 'wage' THEN pg_temp.little((i * 13 + i / 9) % 161, 1) ELSE pg_temp.little(i % 2, 1) || pg_temp.little((i * 29 + i / 11) % 172, 1) END) AS p (payload);
-- Ten days in the middle have no reports at all.
CREATE TABLE daily AS
    SELECT name, day, ldp_agg(report) AS summary, ldp_agg(report, day) AS told, ldp_pack(report) AS batch
    FROM (SELECT name, day, CASE WHEN day NOT BETWEEN 15 AND 24 THEN report END AS report FROM daily_report) AS r GROUP BY name, day;

-- A window of seven days, by days and by rows, with and without rounds, up to today or up to last week; two windows at once.
SELECT name, count(*) AS days, bool_and(week IS NOT DISTINCT FROM anew) AS same, count(week) AS answered, bool_and(told IS NOT DISTINCT FROM anew_told) AS same_rounds,
       bool_and(before IS NOT DISTINCT FROM before_anew) AS same_before, bool_and(parts IS NOT DISTINCT FROM anew) AS same_parts
FROM (SELECT name, day, ldp_rollup(summary) OVER w AS week, ldp_rollup(told) OVER w AS told, ldp_rollup(summary) OVER (PARTITION BY name ORDER BY day ROWS BETWEEN 12 PRECEDING AND 7 PRECEDING) AS before,
             ldp_summary_merge(ldp_rollup(summary) FILTER (WHERE day % 2 = 0) OVER w, ldp_rollup(summary) FILTER (WHERE day % 2 = 1) OVER w) AS parts,
             (SELECT ldp_rollup(o.summary) FROM daily AS o WHERE o.name = d.name AND o.day BETWEEN d.day - 6 AND d.day) AS anew,
             (SELECT ldp_rollup(o.told) FROM daily AS o WHERE o.name = d.name AND o.day BETWEEN d.day - 6 AND d.day) AS anew_told,
             (SELECT ldp_rollup(o.summary) FROM daily AS o WHERE o.name = d.name AND o.day BETWEEN d.day - 12 AND d.day - 7) AS before_anew
      FROM daily AS d WINDOW w AS (PARTITION BY name ORDER BY day RANGE BETWEEN 6 PRECEDING AND CURRENT ROW)) AS m GROUP BY name ORDER BY name;
-- Single reports, some of them NULL, in windows of 20, of none at first, of one, and of days.
SELECT name, count(*) AS rows, count(twenty) AS answered, bool_and(twenty IS NOT DISTINCT FROM twenty_anew) AS twenty, bool_and(before IS NOT DISTINCT FROM before_anew) AS before,
       count(one) AS ones, bool_and(one IS NOT DISTINCT FROM one_anew) AS one, bool_and(days IS NOT DISTINCT FROM days_anew) AS days
FROM (SELECT name, ldp_agg(report) OVER (PARTITION BY name ORDER BY i ROWS 19 PRECEDING) AS twenty, ldp_agg(report) OVER (PARTITION BY name ORDER BY i ROWS BETWEEN 12 PRECEDING AND 7 PRECEDING) AS before,
             ldp_agg(report) OVER (PARTITION BY name ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS one, ldp_agg(report) OVER (PARTITION BY name ORDER BY day RANGE BETWEEN 2 PRECEDING AND 1 PRECEDING) AS days,
             (SELECT ldp_agg(o.report) FROM daily_report AS o WHERE o.name = d.name AND o.i BETWEEN d.i - 19 AND d.i) AS twenty_anew, (SELECT ldp_agg(o.report) FROM daily_report AS o WHERE o.name = d.name AND o.i BETWEEN d.i - 12 AND d.i - 7) AS before_anew,
             (SELECT ldp_agg(o.report) FROM daily_report AS o WHERE o.name = d.name AND o.i = d.i - 1) AS one_anew, (SELECT ldp_agg(o.report) FROM daily_report AS o WHERE o.name = d.name AND o.i <= 120 AND o.day BETWEEN d.day - 2 AND d.day - 1) AS days_anew
      FROM daily_report AS d WHERE i <= 120) AS m GROUP BY name ORDER BY name;
-- Rows that leave are subtracted for reports and batches alike, without rounds.
SELECT aggfnoid::regprocedure AS aggregate, aggminvtransfn AS inverse FROM pg_aggregate WHERE aggfnoid IN (SELECT oid FROM pg_proc WHERE proname = 'ldp_agg') ORDER BY 1::text;
-- Different specs do not mix in a window either.
SELECT count(ldp_agg) FROM (SELECT ldp_agg(report) OVER (ORDER BY i, name ROWS 1 PRECEDING) FROM daily_report) AS m;
\echo :LAST_ERROR_SQLSTATE
-- Batches, and one-step aggregates, which are aggregated anew.
SELECT bool_and(agg IS NOT DISTINCT FROM anew) AS agg, bool_and(mean IS NOT DISTINCT FROM ldp_mean(anew)) AS mean
FROM (SELECT ldp_agg(batch) OVER w AS agg, ldp_mean(ldp_agg(batch) OVER w) AS mean, ldp_rollup(summary) OVER w AS anew FROM daily WHERE name = 'wage' WINDOW w AS (ORDER BY day ROWS 6 PRECEDING)) AS m;

-- Memoized responses, with rounds in some summaries only.
CREATE TABLE mixed AS SELECT day, CASE WHEN day % 5 = 0 THEN ldp_agg(r) ELSE ldp_agg(r, day) END AS summary
    FROM generate_series(1, 30) AS day, pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 4, "evolving": {}, "budget": {"epsilon": 9}}', pg_temp.little(day % 4, 1)) AS r, generate_series(1, 3) GROUP BY day;
SELECT count(*) AS days, bool_and(week = (SELECT ldp_rollup(o.summary) FROM mixed AS o WHERE o.day BETWEEN w.day - 3 AND w.day)) AS same
FROM (SELECT day, ldp_rollup(summary) OVER (ORDER BY day ROWS 3 PRECEDING) AS week FROM mixed) AS w;

SELECT count(*) AS days, bool_and(three IS NOT DISTINCT FROM anew) AS same
FROM (SELECT ldp_agg(r) OVER (ORDER BY day ROWS 2 PRECEDING) AS three, ldp_rollup(s) OVER (ORDER BY day ROWS 2 PRECEDING) AS anew
      FROM (SELECT day, r, ldp_agg(r) OVER (PARTITION BY day) AS s FROM generate_series(1, 30) AS day,
                   pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 4, "evolving": {}, "budget": {"epsilon": 9}}', pg_temp.little(day % 4, 1)) AS r) AS t) AS w;

-- Direct calls: a part and the rest make the whole, which is unchanged; a summary that is not a part is rejected.
SELECT name, ldp_summary_subtract(whole, part) = rest AS rest, ldp_summary_subtract(whole, NULL) IS NULL AS nothing, ldp_summary_subtract(part, part) IS NULL AS all_of_it,
       ldp_summary_subtract(part, whole) IS NULL AS too_much, ldp_summary_subtract(whole, batch) = rest AS batch, ldp_count(whole) = ldp_count(part) + ldp_count(rest) AS still
FROM (SELECT name, ldp_rollup(summary) AS whole, ldp_rollup(summary) FILTER (WHERE day = 3) AS part, ldp_rollup(summary) FILTER (WHERE day <> 3) AS rest,
             ldp_agg(batch) FILTER (WHERE day = 3) AS batch FROM daily GROUP BY name) AS d ORDER BY name;
SELECT ldp_summary_subtract(ldp_rollup(summary) FILTER (WHERE day < 4), ldp_agg(pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 4}', '03')) FILTER (WHERE day < 3))
FROM (SELECT day, ldp_agg(pg_temp.report('{"mechanism": "grr", "epsilon": 1, "domain": 4}', '01')) AS summary FROM generate_series(1, 5) AS day GROUP BY day) AS d;
\echo :LAST_ERROR_SQLSTATE
SELECT ldp_summary_subtract((SELECT ldp_rollup(summary) FROM daily WHERE name = 'colour'), (SELECT summary FROM daily WHERE name = 'tags' AND day = 1));
\echo :LAST_ERROR_SQLSTATE

DROP TABLE daily_report, daily, mixed;
