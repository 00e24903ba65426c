-- Changes a database of `ldp attach` to the extension ldp, in one transaction: `ldp attach --adopt --print` prints this script.
--
-- A role that may create the extension runs it. The tables of reports stay: their columns, constraints, owners, privileges and rows.
-- The claims of batches stay, too, so that a batch whose acknowledgement was lost is not counted twice. The stored summaries become
-- rollups. The script runs no code of another role with the rights of this one: it reads plain tables only, and changes tables of
-- reports by ldp_change_as, in the name of their owners.

SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL client_min_messages = error;
SET LOCAL timezone = 'UTC';
SET LOCAL datestyle = 'ISO';
SET LOCAL intervalstyle = 'postgres';
SET LOCAL extra_float_digits = 1;

-- Conditions and locks ------------------------------------------------------------------------------------------
-- Clients lock the same objects in the same order: the collections, the claims, and a table of reports.

DO $$
DECLARE
    wrong text;
    reports regclass[];
    one regclass;
BEGIN
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'ldp') THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_object', MESSAGE = 'the database has the extension ldp already';
    ELSIF to_regclass('ldp_internal.ldp_refresh') IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_object', MESSAGE = 'the database has no tables of ldp attach', HINT = 'Use CREATE EXTENSION ldp.';
    END IF;
    -- A prepared transaction holds its locks until it is committed: the locks below would wait for it.
    SELECT string_agg(DISTINCT quote_literal(p.gid), ', ') INTO wrong
    FROM pg_prepared_xacts AS p JOIN pg_locks AS x ON x.transactionid = p.transaction AND x.pid IS NULL
         JOIN pg_locks AS l ON l.virtualtransaction = x.virtualtransaction AND l.pid IS NULL
    WHERE p.database = current_database() AND l.relation IN (SELECT g.tgrelid FROM pg_trigger AS g WHERE g.tgname = 'ldp_arrival' UNION ALL SELECT t.oid FROM pg_class AS t
        WHERE t.relnamespace::regnamespace::text IN ('ldp', 'ldp_internal'));
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_in_use', MESSAGE = format('prepared transactions use the tables of ldp: %s', wrong),
            HINT = 'Use COMMIT PREPARED or ROLLBACK PREPARED first.';
    END IF;
    LOCK TABLE ldp_internal.ldp_refresh, ldp_internal.ldp_collection, ldp_internal.ldp_batch, ldp.ldp_summaries, ldp.ldp_estimates IN ACCESS EXCLUSIVE MODE;
    -- From here on, these are tables with plain types, which no role can replace by views.
    SELECT string_agg(format('%s %s', e.called, w.wanted), ', ') INTO wrong
    FROM (VALUES ('ldp_internal.ldp_collection', '{name text,reports regclass,spec jsonb,created timestamp with time zone,rows text,parameters bytea}'::text[]),
                 ('ldp_internal.ldp_batch', '{collection text,submitter name,batch uuid,reports bigint,digest bytea,claimed timestamp with time zone}'),
                 ('ldp_internal.ldp_refresh', '{collection text,watermark bigint,history text,by text[],digest bytea,skipped bigint,refreshed timestamp with time zone}'),
                 ('ldp.ldp_summaries', '{collection text,group jsonb,n bigint,summary bytea}'),
                 ('ldp.ldp_estimates', '{collection text}')) AS e (called, columns), unnest(e.columns) AS w (wanted)
    WHERE NOT EXISTS (SELECT FROM pg_class AS t JOIN pg_attribute AS a ON a.attrelid = t.oid WHERE t.oid = to_regclass(e.called) AND t.relkind = 'r'
                      AND a.attnum > 0 AND NOT a.attisdropped AND a.attname || ' ' || format_type(a.atttypid, NULL) = w.wanted);
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'the tables were made by another version of ldp attach',
            DETAIL = format('Missing: %s.', wrong), HINT = 'Use ldp attach --adopt of the version that made them.';
    END IF;
    reports := ARRAY(SELECT c.reports FROM ldp_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports ORDER BY c.name);
    -- The owner of the collections must not reach tables of other roles by this script.
    SELECT string_agg(r.table_name::text, ', ') INTO wrong
    FROM unnest(reports) AS r (table_name) JOIN pg_class AS t ON t.oid = r.table_name, pg_class AS k
    WHERE k.oid = 'ldp_internal.ldp_collection'::regclass AND (t.relkind NOT IN ('r', 'p') OR NOT pg_has_role(k.relowner, t.relowner, 'USAGE'));
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'wrong_object_type', MESSAGE = format('collections refer to objects that are not tables of their owner: %s', wrong);
    END IF;
    FOREACH one IN ARRAY reports LOOP
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', one);
    END LOOP;
    -- Everything in both schemas is dropped at the end, except tables of reports.
    SELECT string_agg(DISTINCT o.name, ', ') INTO wrong FROM (
        SELECT pg_describe_object('pg_class'::regclass, t.oid, 0) FROM pg_class AS t WHERE t.relnamespace::regnamespace::text IN ('ldp', 'ldp_internal')
            AND t.relkind IN ('r', 'v', 'm', 'f', 'p', 'S') AND t.oid <> ALL (reports)
            AND t.relname NOT IN ('ldp_collection', 'ldp_batch', 'ldp_refresh', 'ldp_summaries', 'ldp_estimates', 'ldp_collections')
        UNION ALL
        SELECT pg_describe_object('pg_proc'::regclass, f.oid, 0) FROM pg_proc AS f WHERE f.pronamespace::regnamespace::text IN ('ldp', 'ldp_internal') AND f.proname !~ '^ldp_'
        UNION ALL
        SELECT coalesce(pg_describe_object('pg_class'::regclass, (SELECT w.ev_class FROM pg_rewrite AS w WHERE d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid), 0),
                        pg_describe_object(d.classid, d.objid, d.objsubid)) FROM pg_depend AS d, LATERAL pg_identify_object_as_address(d.classid, d.objid, d.objsubid) AS a
        WHERE (d.refclassid, d.refobjid) IN (
                SELECT 'pg_class'::regclass::oid, t.oid FROM pg_class AS t WHERE t.relnamespace::regnamespace::text IN ('ldp', 'ldp_internal') AND t.oid <> ALL (reports)
                UNION ALL SELECT 'pg_proc'::regclass, f.oid FROM pg_proc AS f WHERE f.pronamespace::regnamespace::text IN ('ldp', 'ldp_internal')
                UNION ALL SELECT 'pg_type'::regclass, y.oid FROM pg_type AS y WHERE y.typnamespace::regnamespace::text IN ('ldp', 'ldp_internal') AND y.typrelid <> ALL (reports))
            AND d.deptype = 'n' AND a.object_names[1] !~ '^(ldp|ldp_internal)($|[.])'
            AND NOT EXISTS (SELECT FROM pg_trigger AS g WHERE d.classid = 'pg_trigger'::regclass AND g.oid = d.objid AND g.tgname = 'ldp_arrival')
            AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
                            AND k.conname IN ('report_follows_spec', 'batch_follows_spec', 'round_is_open'))
            AND NOT (d.classid = 'pg_class'::regclass AND d.objid = ANY (reports))) AS o (name);
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'dependent_objects_still_exist', MESSAGE = 'other objects depend on the tables and functions of ldp attach',
            DETAIL = wrong, HINT = 'Drop these objects, or move them to another schema, and create them again with the functions of the extension.';
    END IF;
END $$;

-- The extension beside the former schemas -------------------------------------------------------------------------

ALTER SCHEMA ldp RENAME TO ldp_attached;
ALTER SCHEMA ldp_internal RENAME TO ldp_attached_internal;
CREATE SCHEMA ldp;
GRANT USAGE ON SCHEMA ldp TO PUBLIC;
CREATE EXTENSION ldp SCHEMA ldp;

-- Clients see in the history of the database that no committed report was lost, so it must stay the same.
DO $$
DECLARE
    origin text := (SELECT coalesce(substring(f.prosrc FROM 'd[.]oid, ([0-9]+)[)]'), n.oid::text) FROM pg_proc AS f, pg_namespace AS n
                    WHERE f.proname = 'ldp_history' AND f.pronamespace = 'ldp_attached_internal'::regnamespace AND n.nspname = 'ldp_attached');
BEGIN
    EXECUTE replace(pg_get_functiondef('ldp_internal.ldp_history()'::regprocedure), 'd.oid, e.oid)', format('d.oid, %s)', origin));
END $$;

-- Collections ---------------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_attached.ldp_is_valid(value bytea, kind text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF kind = 'batch' THEN
        PERFORM value::ldp.ldp_report_batch;
    ELSE
        PERFORM value::ldp.ldp_report;
    END IF;
    RETURN true;
EXCEPTION WHEN invalid_binary_representation THEN
    RETURN false;
END $$;

DO $$
DECLARE
    one record;
    expected record;
    change text;
    skipped bigint;
    bounds text[];
    index regclass;
    rollup regclass;
    rolled text;
    expressions text;
    reader oid;
    total bigint := 0;
BEGIN
    FOR one IN SELECT c.name, c.reports, c.spec, c.created, c.rows, c.parameters, t.relowner AS owner, t.relnamespace AS schema, t.relname,
                      CASE c.rows WHEN 'batches' THEN 'batch' ELSE 'report' END AS held,
                      r.watermark, r.history, r.by AS grouped, r.digest, r.refreshed, r.digest IS NOT NULL AS counted
               FROM ldp_attached_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports JOIN ldp_attached_internal.ldp_refresh AS r ON r.collection = c.name
               ORDER BY c.name LOOP
        BEGIN
            SELECT i.* INTO expected FROM ldp.ldp_spec_info(one.spec) AS i;
        EXCEPTION WHEN OTHERS THEN
            RAISE EXCEPTION USING ERRCODE = SQLSTATE, MESSAGE = format('the extension does not accept the spec of collection "%s": %s', one.name, SQLERRM);
        END;
        IF expected.parameters IS DISTINCT FROM one.parameters THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('the reports of collection "%s" have another spec', one.name),
                DETAIL = 'The extension computes another parameter block from the spec than the block of the reports.',
                HINT = 'Use the version of the extension that belongs to the command that resolved the spec.';
        END IF;
        -- The conditions of ldp refresh. The digest is that of ldp_stored_digest.
        IF one.counted AND one.history IS DISTINCT FROM ldp_internal.ldp_history() THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('collection "%s" is in a copy of its database', one.name),
                DETAIL = 'Transactions of a copy have other numbers, by which new reports are found.', HINT = 'ldp refresh --recount counts all reports that are in the table.';
        ELSIF one.counted AND one.digest IS DISTINCT FROM (
                SELECT sha256(coalesce(string_agg(sha256(convert_to(s."group"::text, 'UTF8') || s.summary), ''::bytea ORDER BY s."group"::text COLLATE "C"), ''))
                FROM ldp_attached.ldp_summaries AS s WHERE s.collection = one.name) THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('the summaries of collection "%s" were changed', one.name),
                DETAIL = 'Their digest differs from that of the last refresh.', HINT = 'ldp refresh --recount counts all reports that are in the table.';
        END IF;
        bounds := (SELECT regexp_match(pg_get_constraintdef(k.oid), '\(round, ''?(-?\d+)''?(?:::integer)?, ''?(-?\d+)''?(?:::integer)?\)') FROM pg_constraint AS k
                   WHERE k.conrelid = one.reports AND k.conname = 'round_is_open');
        IF bounds IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('the table of collection "%s" has no constraint "round_is_open"', one.name),
                HINT = 'ldp_open_rounds creates the constraint.';
        END IF;

        -- The table. Without summaries, the column of stamps is not needed.
        IF one.schema = 'ldp_attached'::regnamespace THEN
            EXECUTE format('ALTER TABLE %s SET SCHEMA ldp', one.reports);
        END IF;
        EXECUTE format('DROP TRIGGER ldp_arrival ON %s', one.reports);
        FOR index IN SELECT i.indexrelid FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid JOIN pg_am AS m ON m.oid = x.relam
                JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                WHERE i.indrelid = one.reports AND i.indnatts = 1 AND m.amname = 'btree' AND a.attname = 'ldp_arrival' LOOP
            EXECUTE format('DROP INDEX %s', index);
        END LOOP;
        change := format('ALTER TABLE %1$s DROP CONSTRAINT %2$s_follows_spec, DROP CONSTRAINT round_is_open, '
                         'ALTER COLUMN %2$s TYPE ldp.%3$s USING %2$s::bytea::ldp.%3$s, %4$s', one.reports, one.held,
                         CASE one.rows WHEN 'batches' THEN 'ldp_report_batch' ELSE 'ldp_report' END,
                         CASE WHEN one.counted THEN 'ALTER COLUMN ldp_arrival DROP NOT NULL' ELSE 'DROP COLUMN ldp_arrival' END);
        skipped := 0;
        BEGIN
            PERFORM ldp_internal.ldp_change_as(one.owner, change);
        EXCEPTION WHEN invalid_binary_representation THEN
            -- Reports that no device can have made, which ldp refresh skips.
            skipped := ldp_internal.ldp_change_as(one.owner, format('DELETE FROM %1$s AS t WHERE NOT ldp_attached.ldp_is_valid(t.%2$s::bytea, %2$L)', one.reports, one.held));
            PERFORM ldp_internal.ldp_change_as(one.owner, change);
        END;
        PERFORM ldp.ldp_adopt_collection(one.name, one.reports, one.spec);
        PERFORM ldp.ldp_open_rounds(one.name, bounds[1]::integer, bounds[2]::integer);
        UPDATE ldp_internal.ldp_collection AS c SET created = one.created WHERE c.name = one.name;
        INSERT INTO ldp_internal.ldp_batch (collection, submitter, batch, reports, digest, claimed)
            SELECT b.collection, b.submitter, b.batch, b.reports, b.digest, b.claimed FROM ldp_attached_internal.ldp_batch AS b WHERE b.collection = one.name;

        -- The summaries become a rollup with the same columns, which has counted the same transactions.
        rolled := NULL;
        IF one.counted THEN
            rolled := CASE WHEN octet_length(one.name) <= 53 THEN one.name || '_summaries' ELSE ('summaries_of_' || one.name)::name::text END;
            IF one.schema = 'ldp_attached'::regnamespace THEN
                EXECUTE format('GRANT CREATE ON SCHEMA ldp TO %s', one.owner::regrole);
            END IF;
            rollup := ldp.ldp_create_rollup(rolled, one.name, one.grouped);
            EXECUTE format('GRANT USAGE ON SCHEMA ldp_attached TO %1$s; GRANT SELECT ON ldp_attached.ldp_summaries TO %1$s', one.owner::regrole);
            SELECT format('INSERT INTO %1$s (bucket, %2$s summary) SELECT DISTINCT ON (f.bucket) f.bucket, %3$s ldp.ldp_rollup(f.summary) OVER (PARTITION BY f.bucket) '
                          'FROM (SELECT ldp_internal.ldp_bucket_key(ARRAY[%4$s]::text[]) AS bucket, %5$s t.summary FROM (SELECT %6$s s.summary::ldp.ldp_summary AS summary '
                          'FROM ldp_attached.ldp_summaries AS s WHERE s.collection = %7$L) AS t) AS f ORDER BY f.bucket', rollup,
                          string_agg(format('%I, ', b.name), ''), string_agg(format('f.%I, ', b.name), ''), string_agg(b.key_text, ', '),
                          string_agg(format('%s AS %I, ', b.expression, b.name), ''), string_agg(format('(s."group" ->> %1$L)::%2$s AS %1$I, ', b.name, b.result_type), ''), one.name)
            INTO expressions FROM ldp_internal.ldp_buckets(one.reports, one.grouped, one.grouped, 'UTC') AS b;
            PERFORM ldp_internal.ldp_change_as(one.owner, expressions);
            UPDATE ldp_internal.ldp_rollup AS r SET counted = one.watermark, refreshed = one.refreshed WHERE r.name = rolled;
            FOR reader IN SELECT DISTINCT a.grantee FROM pg_class AS t, aclexplode(t.relacl) AS a
                    WHERE t.oid = 'ldp_attached.ldp_summaries'::regclass AND a.privilege_type = 'SELECT' AND a.grantee NOT IN (t.relowner, one.owner) LOOP
                PERFORM ldp_internal.ldp_change_as(one.owner, format('GRANT SELECT ON %s TO %s', rollup, ldp_internal.ldp_grantee(reader)));
            END LOOP;
            IF one.schema = 'ldp_attached'::regnamespace THEN
                EXECUTE format('REVOKE CREATE ON SCHEMA ldp FROM %s', one.owner::regrole);
            END IF;
        END IF;
        total := total + 1;
        RAISE INFO 'collection %: table %, %, %', one.name, one.reports,
            CASE WHEN rolled IS NULL THEN 'no summaries' ELSE format('summaries in the rollup %s', rolled) END,
            CASE WHEN skipped > 0 THEN format('%s invalid rows deleted', skipped) ELSE 'all rows kept' END;
    END LOOP;
    RAISE INFO 'the extension ldp has adopted % collections', total;
END $$;

DROP SCHEMA ldp_attached, ldp_attached_internal CASCADE;
DO $$
BEGIN
    PERFORM ldp_internal.ldp_table(c.name) FROM ldp_internal.ldp_collection AS c;  -- raises an error if a table cannot be used
END $$;

-- Sessions that wait for the tables have begun a function that no longer exists. Without them, clients connect again and repeat the batch.
DO $$
BEGIN
    PERFORM pg_terminate_backend(a.pid) FROM pg_stat_activity AS a
    WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND pg_backend_pid() = ANY (pg_blocking_pids(a.pid));
END $$;
