-- Partitions that are filled elsewhere and attached, detached and attached again, and pruned: each report is counted once, and none is
-- deleted that some rollup has not counted.
\ir setup.sql
CREATE SCHEMA rollup_partitions;
SET search_path = rollup_partitions, public;
SET timezone = 'UTC';
\set spec '''{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'''
CREATE FUNCTION report(value bigint) RETURNS ldp_report LANGUAGE sql IMMUTABLE AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'), 'hex') || '0' || value % 3)::ldp_report $$;

SELECT ldp_create_collection('visits', :spec, ARRAY[['seen', 'date'], ['country', 'text']], partition_by => 'seen');
SELECT ldp_add_partitions('visits', '2026-01-03', since => '2026-01-01');
SELECT ldp_create_rollup('daily', 'visits', '{day(seen),country}'), ldp_create_rollup('whole', 'visits', '{}');
CREATE VIEW counted AS SELECT (SELECT sum(ldp_count(summary)) FROM daily) AS daily, (SELECT sum(ldp_count(summary)) FROM whole) AS whole;
INSERT INTO visits (report, seen, country) SELECT report(i), date '2026-01-01' + i % 2, 'in time' FROM generate_series(1, 10) AS i;

-- Filled before the last refresh: with its stamps, without any, and with those of another server.
CREATE TABLE stamped (LIKE visits INCLUDING ALL);
INSERT INTO stamped (report, seen, country) SELECT report(i), '2026-02-01', 'stamped' FROM generate_series(1, 20) AS i;
CREATE TABLE unstamped (LIKE visits INCLUDING ALL EXCLUDING DEFAULTS);
INSERT INTO unstamped (report, round, seen, country) SELECT report(i), 0, '2026-02-02', 'unstamped' FROM generate_series(1, 30) AS i;
CREATE TABLE foreign_stamps (LIKE visits INCLUDING ALL);
INSERT INTO foreign_stamps (report, seen, country, ldp_arrival) SELECT report(i), '2026-02-03', 'foreign', 1000000000000 + i FROM generate_series(1, 40) AS i;
SELECT ldp_refresh('daily'), ldp_refresh('whole');
ALTER TABLE visits ATTACH PARTITION stamped FOR VALUES FROM ('2026-02-01') TO ('2026-02-02');
ALTER TABLE visits ATTACH PARTITION unstamped FOR VALUES FROM ('2026-02-02') TO ('2026-02-03');
-- Pruned before any refresh, everything is counted first, in all rollups.
SELECT * FROM ldp_prune('visits', '2026-03-01');
SELECT * FROM counted;
ALTER TABLE visits ATTACH PARTITION foreign_stamps FOR VALUES FROM ('2026-02-03') TO ('2026-02-04');
INSERT INTO visits (report, seen, country) SELECT report(i), '2026-02-03', 'after' FROM generate_series(1, 5) AS i;
SELECT ldp_refresh('daily'), ldp_refresh('daily'), ldp_refresh('whole');
SELECT * FROM counted;
-- Its default may differ.
CREATE TABLE silent (LIKE visits INCLUDING ALL EXCLUDING DEFAULTS);
ALTER TABLE visits ATTACH PARTITION silent FOR VALUES FROM ('2026-02-04') TO ('2026-02-05');
SELECT ldp_refresh('daily');
INSERT INTO silent (report, round, seen, country) SELECT report(i), 0, '2026-02-04', 'silent' FROM generate_series(1, 7) AS i;
SELECT ldp_refresh('daily');
SELECT ldp_refresh('daily'), ldp_refresh('whole');
SELECT * FROM counted;

-- Detached, filled, and attached again: what one rollup had counted by then and another had not.
INSERT INTO visits (report, seen, country) SELECT report(i), '2026-02-04', 'before' FROM generate_series(1, 8) AS i;
SELECT ldp_refresh('daily');
ALTER TABLE visits DETACH PARTITION silent;
INSERT INTO visits (report, seen, country) SELECT report(i), '2026-02-03', 'meanwhile' FROM generate_series(1, 2) AS i;
SELECT ldp_refresh('daily'), ldp_refresh('whole');
INSERT INTO silent (report, round, seen, country, ldp_arrival) SELECT report(i), 0, '2026-02-04', 'elsewhere', ldp_internal.ldp_arrival(c.home, c.stamp) FROM generate_series(1, 9) AS i, ldp_internal.ldp_collection AS c WHERE c.name = 'visits';
SELECT ldp_refresh('daily'), ldp_refresh('whole');
ALTER TABLE visits ATTACH PARTITION silent FOR VALUES FROM ('2026-02-04') TO ('2026-02-05');
SELECT ldp_refresh('daily'), ldp_refresh('daily'), ldp_refresh('whole');
SELECT * FROM counted;
SELECT country, ldp_count(ldp_rollup(summary)) FROM daily GROUP BY country ORDER BY country;
-- Also of a table whose own children are tables.
SELECT ldp_create_collection('parent', :spec), ldp_create_rollup('of_parent', 'parent', '{}');
CREATE TABLE child (LIKE parent INCLUDING ALL);
INSERT INTO child (report) SELECT report(i) FROM generate_series(1, 6) AS i;
INSERT INTO parent (report) SELECT report(i) FROM generate_series(1, 3) AS i;
SELECT ldp_refresh('of_parent');
ALTER TABLE child INHERIT parent;
SELECT ldp_refresh('of_parent'), ldp_refresh('of_parent');
-- An old snapshot does not see all of what was attached.
CREATE TABLE late (LIKE visits INCLUDING ALL);
INSERT INTO late (report, seen) VALUES (report(1), '2026-02-05');
ALTER TABLE visits ATTACH PARTITION late FOR VALUES FROM ('2026-02-05') TO ('2026-02-06');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT ldp_refresh('daily');
ROLLBACK;
SELECT ldp_refresh('daily'), ldp_refresh('whole');
-- A rollup that is created later counts what is there.
SELECT ldp_create_rollup('later', 'visits', '{seen}'), ldp_refresh('later') = (SELECT count(*) FROM visits) AS everything, ldp_refresh('later');
-- What has no stamp gets one, and is pruned when it is counted.
INSERT INTO visits (report, seen, country, ldp_arrival) VALUES (report(1), '2026-02-03', 'kept', NULL), (report(1), '2026-03-03', 'kept', NULL);
SELECT * FROM ldp_prune('visits', '2026-04-01');
SELECT count(*) FROM visits;
SELECT * FROM ldp_prune('visits', '2026-04-01');
SELECT ldp_count(ldp_rollup(summary)) FROM daily WHERE country = 'kept';
SELECT count(*) FROM ldp_internal.ldp_rollup_part AS p WHERE NOT EXISTS (SELECT FROM ldp_internal.ldp_rollup AS r WHERE r.name = p.rollup);

-- At random -------------------------------------------------------------------------------------------------
-- Reports arrive, partitions are added by hand and by ldp, detached and attached, rollups refreshed one by one, and reports pruned. In the
-- end the rollups are, bucket for bucket, what the reports that were ever there give.
SELECT ldp_create_collection('random', :spec, ARRAY[['slot', 'integer'], ['v', 'float8']], partition_by => 'slot'), ldp_open_rounds('random', 0, 5);
SELECT ldp_create_rollup('random_1', 'random', '{slot,v}'), ldp_create_rollup('random_2', 'random', '{round}');
CREATE TABLE sent (report ldp_report, round integer, slot integer, v float8);
CREATE PROCEDURE storm(steps integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    dice float8; at integer; aside integer[] := '{}'; made integer := 0; n integer; home text; above bigint; stamp bigint;
BEGIN
    FOR step IN 1..steps LOOP
        dice := random();
        at := CASE WHEN made = 0 THEN -1 ELSE floor(random() * made) END;
        n := 1 + floor(random() * 9);
        SELECT c.home, c.stamp INTO home, above FROM ldp_internal.ldp_collection AS c WHERE c.name = 'random';
        IF dice < 0.35 THEN
            WITH new AS (INSERT INTO random (report, round, slot, v) SELECT report(i + step), i % 3, CASE WHEN at = ANY (aside) THEN -1 ELSE at END, (ARRAY['NaN', '-0', '0', '1e308', '0.1', NULL])[1 + (i + step) % 6]::float8
                         FROM generate_series(1, n) AS i RETURNING report, round, slot, v)
            INSERT INTO sent SELECT * FROM new;
        ELSIF dice < 0.55 THEN
            -- By hand, filled first: with a stamp of now, of no time, or of any.
            EXECUTE format('CREATE TABLE hand_%s (LIKE random INCLUDING ALL)', made);
            stamp := CASE floor(random() * 3) WHEN 0 THEN ldp_internal.ldp_arrival(home, above) WHEN 1 THEN floor(random() * 1e12) END;
            EXECUTE format('WITH new AS (INSERT INTO hand_%1$s (report, round, slot, v, ldp_arrival) SELECT report(i), i %% 3, %1$s, i, $2 FROM generate_series(1, $1) AS i RETURNING report, round, slot, v) INSERT INTO sent SELECT * FROM new', made) USING n, stamp;
            COMMIT;
            IF random() < 0.5 THEN PERFORM ldp_refresh('random_1'); COMMIT; END IF;
            IF random() < 0.5 THEN PERFORM ldp_refresh('random_2'); COMMIT; END IF;
            EXECUTE format('ALTER TABLE random ATTACH PARTITION hand_%s FOR VALUES FROM (%1$s) TO (%s)', made, made + 1);
            made := made + 1;
        ELSIF dice < 0.65 AND made > 0 AND NOT at = ANY (aside) AND to_regclass('hand_' || at) IS NOT NULL THEN
            EXECUTE format('ALTER TABLE random DETACH PARTITION hand_%s', at);
            aside := aside || at;
        ELSIF dice < 0.75 AND cardinality(aside) > 0 THEN
            at := aside[1];
            EXECUTE format('WITH new AS (INSERT INTO hand_%1$s (report, round, slot, v) SELECT report(i), i %% 3, %1$s, -i FROM generate_series(1, $1) AS i RETURNING report, round, slot, v) INSERT INTO sent SELECT * FROM new', at) USING n;
            COMMIT;
            IF random() < 0.5 THEN PERFORM ldp_refresh('random_2'); COMMIT; END IF;
            EXECUTE format('ALTER TABLE random ATTACH PARTITION hand_%s FOR VALUES FROM (%1$s) TO (%s)', at, at + 1);
            aside := aside[2:];
        ELSIF dice < 0.82 THEN
            SELECT p.partitions + p.rows INTO n FROM ldp_internal.ldp_collection AS c, ldp_internal.ldp_prune_below(CURRENT_USER, c, 'slot', (at - 2)::text) AS p WHERE c.name = 'random';
        ELSIF dice < 0.92 THEN
            PERFORM ldp_refresh('random_1');
        ELSE
            PERFORM ldp_refresh('random_2');
        END IF;
        COMMIT;
    END LOOP;
    FOREACH at IN ARRAY aside LOOP
        EXECUTE format('ALTER TABLE random ATTACH PARTITION hand_%s FOR VALUES FROM (%1$s) TO (%s)', at, at + 1);
    END LOOP;
END $$;
SELECT setseed(0.4);
CALL storm(100);
SELECT ldp_refresh('random_1') >= 0, ldp_refresh('random_2') >= 0;
SELECT ldp_refresh('random_1'), ldp_refresh('random_2');
SELECT ldp_refresh('random_1'), ldp_refresh('random_2');
SELECT count(*) > 200 AS many, count(DISTINCT slot) > 10 AS slots, count(*) > (SELECT count(*) FROM random) AS pruned FROM sent;
SELECT 'slot, v' AS wrong, slot::float8, v FROM (SELECT slot, COALESCE(v::text, '') AS v, ldp_agg(report, round) AS summary FROM (SELECT report, round, slot, v + 0 AS v FROM sent) AS s GROUP BY 1, 2) AS a
    FULL JOIN (SELECT slot, COALESCE((v + 0)::text, '') AS v, summary FROM random_1) AS r USING (slot, v) WHERE (a.summary = r.summary) IS NOT TRUE
UNION ALL SELECT 'round', round, NULL FROM (SELECT round, ldp_agg(report, round) AS summary FROM sent GROUP BY round) AS a FULL JOIN random_2 AS r USING (round) WHERE (a.summary = r.summary) IS NOT TRUE;

SET client_min_messages = warning;
DROP TABLE child;
DROP VIEW counted;
SELECT count(ldp_drop_collection(name)) FROM ldp_collections AS c JOIN pg_class AS t ON t.oid = c.reports WHERE t.relnamespace = 'rollup_partitions'::regnamespace;
DROP SCHEMA rollup_partitions CASCADE;
