-- Changes a database with the extension ldp to tables of `ldp attach`, in one transaction: `ldp attach --from-extension --print`
-- prints this script.
--
-- The owner of the extension runs it. Tables of reports stay, as do the claims of batches. A rollup of public columns becomes the
-- summaries of ldp refresh. Afterwards the owner of the tables owns everything, and no library is needed.

SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL client_min_messages = error;
SET LOCAL timezone = 'UTC';
SET LOCAL datestyle = 'ISO';
SET LOCAL intervalstyle = 'postgres';
SET LOCAL extra_float_digits = 1;

-- Conditions and locks ------------------------------------------------------------------------------------------

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'ldp') THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_object', MESSAGE = 'the database does not have the extension ldp';
    END IF;
END $$;

DO $$
DECLARE
    wrong text;
    one regclass;
    kept regclass[];
    kept_rollups regclass[];
BEGIN
    SELECT string_agg(DISTINCT quote_literal(p.gid), ', ') INTO wrong
    FROM pg_prepared_xacts AS p JOIN pg_locks AS x ON x.transactionid = p.transaction AND x.pid IS NULL
         JOIN pg_locks AS l ON l.virtualtransaction = x.virtualtransaction AND l.pid IS NULL
    WHERE p.database = current_database() AND l.relation IN (SELECT c.reports FROM ldp_internal.ldp_collection AS c UNION ALL SELECT t.oid FROM pg_class AS t
        WHERE t.relnamespace = 'ldp_internal'::regnamespace);
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_in_use', MESSAGE = format('prepared transactions use the tables of ldp: %s', wrong),
            HINT = 'Use COMMIT PREPARED or ROLLBACK PREPARED first.';
    END IF;
    LOCK TABLE ldp_internal.ldp_collection, ldp_internal.ldp_batch, ldp_internal.ldp_rollup, ldp_internal.ldp_rollup_part IN ACCESS EXCLUSIVE MODE;
    kept := ARRAY(SELECT c.reports FROM ldp_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports ORDER BY c.name);
    kept_rollups := ARRAY(SELECT r.summaries FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries);
    PERFORM ldp_internal.ldp_table(c.name) FROM ldp_internal.ldp_collection AS c WHERE c.reports = ANY (kept);
    FOREACH one IN ARRAY kept LOOP
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', one);
    END LOOP;
    SELECT string_agg(p.problem, '; ' ORDER BY p.problem) INTO wrong FROM (
        SELECT format('collection "%s": only aggregates are open to analysts', c.name) FROM ldp_internal.ldp_collection AS c
            WHERE c.reports = ANY (kept) AND c.analysts <> 'rows'
        UNION ALL SELECT format('collection "%s": reports need tokens', c.name) FROM ldp_internal.ldp_collection AS c WHERE c.reports = ANY (kept) AND c.tokens
        UNION ALL SELECT format('collection "%s": %s', c.name, CASE WHEN ldp_internal.ldp_shard_column(c) IS NOT NULL THEN 'the table is distributed by Citus'
                WHEN t.reloftype <> 0 THEN 'the table is typed (ALTER TABLE ... NOT OF)' ELSE 'the table has partitions' END)
            FROM ldp_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports
            WHERE t.reloftype <> 0 OR t.relkind <> 'r' OR ldp_internal.ldp_shard_column(c) IS NOT NULL OR EXISTS (SELECT FROM pg_inherits AS i WHERE t.oid IN (i.inhparent, i.inhrelid))
        UNION ALL SELECT format('collection "%s": the rollups are %s, of which one can stay (ldp_drop_rollup)', r.collection, string_agg(format('"%s"', r.name), ' and ' ORDER BY r.name))
            FROM ldp_internal.ldp_rollup AS r WHERE r.summaries = ANY (kept_rollups) GROUP BY r.collection HAVING count(*) > 1
        UNION ALL SELECT format('rollup "%s": units of time (ldp_drop_rollup)', r.name)
            FROM ldp_internal.ldp_rollup AS r WHERE r.summaries = ANY (kept_rollups) AND r.buckets <> r.columns
        UNION ALL SELECT format('search "%s" for frequent strings (ldp_drop_hitters)', s.name) FROM ldp_internal.ldp_hitter_search AS s
        UNION ALL SELECT format('the tables have the owners %s', string_agg(DISTINCT t.relowner::regrole::text, ' and ')) FROM pg_class AS t
            WHERE t.oid = ANY (kept || kept_rollups) HAVING count(DISTINCT t.relowner) > 1
        UNION ALL SELECT 'schema "ldp" exists and is not that of the extension' FROM pg_namespace AS n, pg_extension AS e
            WHERE n.nspname = 'ldp' AND e.extname = 'ldp' AND e.extnamespace <> n.oid
        UNION ALL SELECT DISTINCT format('%s uses the extension', pg_describe_object('pg_class'::regclass, o.relation, 0))
            FROM pg_extension AS e JOIN pg_depend AS m ON m.refclassid = 'pg_extension'::regclass AND m.refobjid = e.oid AND m.deptype = 'e'
                 JOIN pg_depend AS d ON d.refclassid = m.classid AND d.refobjid = m.objid AND d.deptype = 'n',
                 LATERAL (SELECT w.ev_class FROM pg_rewrite AS w WHERE d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
                          UNION ALL SELECT f.adrelid FROM pg_attrdef AS f WHERE d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid
                          UNION ALL SELECT k.conrelid FROM pg_constraint AS k WHERE d.classid = 'pg_constraint'::regclass AND k.oid = d.objid AND k.conrelid <> 0
                          UNION ALL SELECT coalesce(i.indrelid, t.oid) FROM pg_class AS t LEFT JOIN pg_index AS i ON i.indexrelid = t.oid
                                    WHERE d.classid = 'pg_class'::regclass AND t.oid = d.objid) AS o (relation)
            WHERE e.extname = 'ldp' AND o.relation <> ALL (kept || kept_rollups) AND NOT EXISTS (SELECT FROM pg_class AS t WHERE t.oid = o.relation AND t.relispartition)
                AND NOT EXISTS (SELECT FROM pg_depend AS x JOIN pg_class AS t ON (x.classid, x.objid) IN (('pg_class'::regclass, t.oid), ('pg_type'::regclass, t.reltype))
                                WHERE t.oid = o.relation AND x.deptype = 'e' AND x.refobjid = e.oid)
        UNION ALL SELECT DISTINCT format('%s uses the reports', pg_describe_object('pg_class'::regclass, w.ev_class, 0))
            FROM pg_depend AS d JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
            WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (kept) AND a.attname IN ('report', 'batch', 'ldp_arrival')) AS p (problem);
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = 'the database uses parts of the extension that tables of ldp attach do not have', DETAIL = wrong,
            HINT = 'Drop or change these parts first. Nothing was changed.';
    END IF;
END $$;

-- Contents of the extension's tables ------------------------------------------------------------------------------

CREATE TEMPORARY TABLE ldp_kept ON COMMIT DROP AS
    SELECT c.name, c.reports, ldp_internal.ldp_report_column(c.reports) AS held, ldp_internal.ldp_spec_canonical(ldp_internal.ldp_spec_with_texts(c.spec, c.texts)) AS spec,
           c.created, t.relowner AS owner, r.name AS rollup, r.summaries, r.columns AS grouped,
           (SELECT regexp_match(pg_get_constraintdef(k.oid), '\(round, ''?(-?\d+)''?(?:::integer)?, ''?(-?\d+)''?(?:::integer)?\)') FROM pg_constraint AS k
            WHERE k.conrelid = c.reports AND k.conname = 'round_is_open') AS bounds
    FROM ldp_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports
         LEFT JOIN (SELECT r.* FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS s ON s.oid = r.summaries) AS r ON r.collection = c.name;
CREATE TEMPORARY TABLE ldp_kept_batch ON COMMIT DROP AS
    SELECT b.* FROM ldp_internal.ldp_batch AS b WHERE b.collection IN (SELECT k.name FROM pg_temp.ldp_kept AS k);
CREATE TEMPORARY TABLE ldp_kept_summary (collection text, "group" jsonb, n bigint, summary bytea) ON COMMIT DROP;
CREATE TEMPORARY TABLE ldp_kept_estimate (collection text, "group" jsonb, attribute text, label text, estimate float8, stderr float8, lower float8, upper float8, n bigint,
    note text) ON COMMIT DROP;
CREATE TEMPORARY TABLE ldp_kept_origin ON COMMIT DROP AS
    SELECT coalesce(substring(f.prosrc FROM 'd[.]oid, ([0-9]+)[)]'), e.oid::text) AS origin, n.oid AS schema, n.nspname = 'ldp' AS same
    FROM pg_proc AS f, pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE f.oid = 'ldp_internal.ldp_history()'::regprocedure AND e.extname = 'ldp';

DO $$
DECLARE
    one record;
    index regclass;
    grantee oid;
    readers text;
    stamped boolean;
BEGIN
    FOR one IN SELECT k.* FROM pg_temp.ldp_kept AS k ORDER BY k.name LOOP
        IF one.bounds IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('the table of collection "%s" has no constraint "round_is_open"', one.name),
                HINT = 'ldp_open_rounds creates the constraint.';
        END IF;
        IF one.rollup IS NOT NULL THEN
            -- No writer is active, so the refresh counts all reports.
            EXECUTE format('SELECT %s.ldp_refresh(%L)', ldp_internal.ldp_schema(), one.rollup);
            EXECUTE format('GRANT INSERT ON pg_temp.ldp_kept_summary TO %s', one.owner::regrole);
            PERFORM ldp_internal.ldp_change_as(one.owner, format(
                'INSERT INTO pg_temp.ldp_kept_summary (collection, "group", n, summary) SELECT %L, jsonb_build_object(%s), %s.ldp_count(t.summary), t.summary::bytea FROM %s AS t',
                one.name, (SELECT string_agg(format('%L, t.%I%s', b, b, CASE WHEN b <> 'round' THEN '::text' END), ', ') FROM unnest(one.grouped) AS b), ldp_internal.ldp_schema(), one.summaries));
            SELECT string_agg(DISTINCT ldp_internal.ldp_grantee(x.grantee), ', ') INTO readers FROM pg_class AS t, aclexplode(t.relacl) AS x
            WHERE t.oid = one.summaries AND x.privilege_type = 'SELECT' AND x.grantee <> t.relowner;
            IF readers IS NOT NULL THEN
                RAISE INFO 'readers of the rollup % need GRANT SELECT ON ldp.ldp_summaries, ldp.ldp_estimates: %', one.rollup, readers;
            END IF;
            BEGIN
                EXECUTE format('INSERT INTO pg_temp.ldp_kept_estimate SELECT s.collection, s."group", e.attribute, e.label, e.estimate, e.stderr, e.lower, e.upper, e.n, e.note '
                               'FROM pg_temp.ldp_kept_summary AS s, %1$s.ldp_estimate(s.summary::%1$s.ldp_summary) AS e WHERE s.collection = %2$L', ldp_internal.ldp_schema(), one.name);
            EXCEPTION WHEN feature_not_supported THEN
                NULL;  -- a mechanism with other estimates
            END;
            EXECUTE format('SELECT %s.ldp_drop_rollup(%L)', ldp_internal.ldp_schema(), one.rollup);
        END IF;

        -- The table. All stamps become 0: its reports are counted if there are summaries, and later reports have the number of a transaction.
        stamped := EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = one.reports AND a.attname = 'ldp_arrival' AND NOT a.attisdropped);
        FOR index IN SELECT DISTINCT i.indexrelid FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                WHERE i.indrelid = one.reports AND a.attname = 'ldp_arrival' LOOP
            EXECUTE format('DROP INDEX %s', index);
        END LOOP;
        IF stamped THEN
            PERFORM ldp_internal.ldp_change_as(one.owner, format('ALTER TABLE %s ALTER COLUMN ldp_arrival DROP DEFAULT', one.reports));
        END IF;
        PERFORM ldp_internal.ldp_change_as(one.owner, format('ALTER TABLE %1$s DROP CONSTRAINT report_follows_spec, DROP CONSTRAINT round_is_open, '
            'ALTER COLUMN %2$s TYPE bytea USING %2$s::bytea, %3$s', one.reports, one.held,
            CASE WHEN stamped THEN 'ALTER COLUMN ldp_arrival TYPE bigint USING 0, ALTER COLUMN ldp_arrival SET NOT NULL' ELSE 'ADD COLUMN ldp_arrival bigint NOT NULL DEFAULT 0' END));
        IF NOT stamped THEN
            EXECUTE format('ALTER TABLE %s ALTER COLUMN ldp_arrival DROP DEFAULT', one.reports);
        END IF;
        -- A rollup has replaced INSERT on the table by INSERT on its columns. The trigger of ldp attach sets the stamps.
        FOR grantee IN SELECT DISTINCT x.grantee FROM pg_attribute AS a, aclexplode(a.attacl) AS x
                WHERE a.attrelid = one.reports AND a.attname = one.held AND x.privilege_type = 'INSERT' LOOP
            EXECUTE format('GRANT INSERT ON %s TO %s', one.reports, ldp_internal.ldp_grantee(grantee));
        END LOOP;
    END LOOP;
END $$;

-- The tables of ldp attach ------------------------------------------------------------------------------------------

DROP EXTENSION ldp;
DO $$
BEGIN
    IF (SELECT o.same FROM pg_temp.ldp_kept_origin AS o) THEN
        EXECUTE format('ALTER SCHEMA %s RENAME TO ldp_extension', (SELECT o.schema::regnamespace FROM pg_temp.ldp_kept_origin AS o));
    END IF;
END $$;

{{{attach}}}
DO $$
DECLARE
    one record;
    command text;
BEGIN
    EXECUTE replace(pg_get_functiondef('ldp_internal.ldp_history()'::regprocedure), 'd.oid, n.oid)', format('d.oid, %s)', (SELECT o.origin FROM pg_temp.ldp_kept_origin AS o)));
    FOR one IN SELECT k.* FROM pg_temp.ldp_kept AS k ORDER BY k.name LOOP
        IF (SELECT o.same AND t.relnamespace = o.schema FROM pg_temp.ldp_kept_origin AS o, pg_class AS t WHERE t.oid = one.reports) THEN
            EXECUTE format('ALTER TABLE %s SET SCHEMA ldp', one.reports);
        END IF;
        PERFORM ldp_internal.ldp_register(one.name, one.reports, one.spec, CASE one.held WHEN 'batch' THEN 'batches' ELSE 'reports' END, one.bounds[1]::integer, one.bounds[2]::integer);
        UPDATE ldp_internal.ldp_collection AS c SET created = one.created WHERE c.name = one.name;
    END LOOP;
    INSERT INTO ldp_internal.ldp_batch (collection, submitter, batch, reports, digest, claimed)
        SELECT b.collection, b.submitter, b.batch, b.reports, b.digest, b.claimed FROM pg_temp.ldp_kept_batch AS b;
    INSERT INTO ldp.ldp_summaries SELECT s.* FROM pg_temp.ldp_kept_summary AS s;
    INSERT INTO ldp.ldp_estimates SELECT e.* FROM pg_temp.ldp_kept_estimate AS e;
    UPDATE ldp_internal.ldp_refresh AS r SET watermark = 1, by = k.grouped, history = ldp_internal.ldp_history(), digest = ldp_internal.ldp_stored_digest(r.collection), refreshed = now()
    FROM pg_temp.ldp_kept AS k WHERE k.name = r.collection AND k.rollup IS NOT NULL;
    -- The owner of the tables runs ldp refresh.
    FOR command IN
        SELECT format('ALTER %s OWNER TO %s', o.called, k.owner::regrole) FROM (SELECT DISTINCT k.owner FROM pg_temp.ldp_kept AS k) AS k, (
            SELECT format('SCHEMA %s', n.oid::regnamespace) FROM pg_namespace AS n WHERE n.nspname IN ('ldp', 'ldp_internal')
            UNION ALL SELECT format('%s %s', CASE t.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, t.oid::regclass) FROM pg_class AS t
                WHERE t.relnamespace IN ('ldp'::regnamespace, 'ldp_internal'::regnamespace) AND t.relkind IN ('r', 'v') AND t.oid NOT IN (SELECT k.reports FROM pg_temp.ldp_kept AS k)
            UNION ALL SELECT format('FUNCTION %s', f.oid::regprocedure) FROM pg_proc AS f WHERE f.pronamespace IN ('ldp'::regnamespace, 'ldp_internal'::regnamespace)
            UNION ALL SELECT format('DOMAIN %s', format_type(y.oid, NULL)) FROM pg_type AS y WHERE y.typnamespace = 'ldp'::regnamespace AND y.typtype = 'd') AS o (called) LOOP
        EXECUTE command;
    END LOOP;
    FOR one IN SELECT k.* FROM pg_temp.ldp_kept AS k ORDER BY k.name LOOP
        RAISE INFO 'collection %: table %, %', one.name, one.reports, CASE WHEN one.rollup IS NULL THEN 'no summaries'
            ELSE format('summaries of the rollup %s', one.rollup) END;
    END LOOP;
    IF NOT (SELECT o.same FROM pg_temp.ldp_kept_origin AS o) THEN
        RAISE INFO 'the functions are in the schema ldp now: set search_path for clients that use no schema';
    END IF;
    RAISE INFO 'tables of ldp attach have replaced the extension for % collections', (SELECT count(*) FROM pg_temp.ldp_kept);
END $$;
DO $$
BEGIN
    IF to_regnamespace('ldp_extension') IS NOT NULL AND (SELECT o.same FROM pg_temp.ldp_kept_origin AS o) THEN
        DROP SCHEMA ldp_extension;
    END IF;
    -- As in adoption: these sessions have begun a function that no longer exists.
    PERFORM pg_terminate_backend(a.pid) FROM pg_stat_activity AS a
    WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND pg_backend_pid() = ANY (pg_blocking_pids(a.pid));
END $$;
