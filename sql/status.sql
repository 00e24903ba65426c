-- Status ----------------------------------------------------------------------------------------------------
-- The view ldp_status is for monitoring. It reads catalogs, statistics and tables of rollups, but no reports. Members of pg_monitor
-- may not read these objects themselves, so a function with the rights of the extension's owner does.
--
-- Each check runs by itself, and its error becomes a row. Code of a table's owner runs with the rights of this owner, as in
-- report_access.sql. A table that another transaction locks delays a check by lock_timeout.

CREATE TYPE ldp_internal.ldp_status_row AS (metric text, object text, value float8, unit text, status text, note text);
COMMENT ON TYPE ldp_internal.ldp_status_row IS 'row of ldp_status: the result of one check of one object';
COMMENT ON COLUMN ldp_internal.ldp_status_row.metric IS 'name of the check';
COMMENT ON COLUMN ldp_internal.ldp_status_row.object IS 'name of the collection, rollup, role, group or database';
COMMENT ON COLUMN ldp_internal.ldp_status_row.value IS 'measured value; NULL if it is not known';
COMMENT ON COLUMN ldp_internal.ldp_status_row.unit IS 'unit of the value';
COMMENT ON COLUMN ldp_internal.ldp_status_row.status IS '''ok'', ''warning'' or ''error''';
COMMENT ON COLUMN ldp_internal.ldp_status_row.note IS 'explanation of the value, and the remedy of a problem';

CREATE FUNCTION ldp_internal.ldp_library_version() RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_library_version() IS 'Returns the version of the library that this session has loaded.';

CREATE FUNCTION ldp_internal.ldp_server_status() RETURNS SETOF ldp_internal.ldp_status_row
    LANGUAGE plpgsql STABLE ROWS 6 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    library text := ldp_internal.ldp_library_version();
    installed text := (SELECT e.extversion FROM pg_extension AS e WHERE e.extname = 'ldp');
    same boolean := starts_with(library, installed || '.');
    found record;
BEGIN
    RETURN NEXT ROW('version', 'ldp', same::integer, 'bool', CASE WHEN same THEN 'ok' ELSE 'error' END,
        format('The library has version %s, and the SQL objects have version %s.', library, installed)
        || CASE WHEN same THEN '' ELSE ' After an upgrade of the package, run ALTER EXTENSION ldp UPDATE in each database, and reconnect all sessions.' END)::ldp_internal.ldp_status_row;
    RETURN NEXT ROW('collections', 'ldp', (SELECT count(*) FROM ldp_internal.ldp_collection), 'collections', 'ok', NULL)::ldp_internal.ldp_status_row;
    SELECT count(*) AS transactions, extract(epoch FROM clock_timestamp() - min(p.prepared))::float8 AS age,
           string_agg(format('"%s"', p.gid), ', ' ORDER BY p.prepared) FILTER (WHERE p.prepared < clock_timestamp() - interval '1 hour') AS old
    INTO found FROM pg_prepared_xacts AS p WHERE p.database = current_database();
    RETURN NEXT ROW('prepared_transactions', current_database(), found.transactions, 'transactions', 'ok', NULL)::ldp_internal.ldp_status_row;
    RETURN NEXT ROW('prepared_transaction_age', current_database(), COALESCE(found.age, 0), 'seconds', CASE WHEN found.old IS NULL THEN 'ok' ELSE 'warning' END,
        'Prepared for more than an hour: ' || left(found.old, 200) || '. Their reports are not counted. They hold up VACUUM, new partitions and ldp_prune. '
        'End them with COMMIT PREPARED or ROLLBACK PREPARED.')::ldp_internal.ldp_status_row;
    SELECT a.pid, extract(epoch FROM clock_timestamp() - a.xact_start)::float8 AS age INTO found
    FROM pg_stat_activity AS a WHERE a.datname = current_database() AND a.backend_xid IS NOT NULL AND a.pid <> pg_backend_pid()
    ORDER BY a.xact_start LIMIT 1;
    RETURN NEXT ROW('transaction_age', current_database(), COALESCE(found.age, 0), 'seconds', CASE WHEN found.age > 3600 THEN 'warning' ELSE 'ok' END,
        CASE WHEN found.age > 3600 THEN format('Process %s has a transaction that writes and is open for more than an hour. Its reports are not counted, and it '
            'holds up VACUUM. See pg_stat_activity; pg_terminate_backend(%1$s) ends it.', found.pid) END)::ldp_internal.ldp_status_row;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_server_status() IS
    'Returns the rows of ldp_status about versions and open transactions.';

-- The records of batches can be the largest table. Above 8 MB, their age comes from the statistics of ANALYZE.
CREATE FUNCTION ldp_internal.ldp_batch_status() RETURNS SETOF ldp_internal.ldp_status_row
    LANGUAGE plpgsql STABLE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    records regclass := 'ldp_internal.ldp_batch';
    number float8;
    oldest timestamptz;
    age interval;
BEGIN
    IF ldp_internal.ldp_is_distributed(records) THEN
        RETURN NEXT ROW('batch_records', 'ldp', NULL, 'rows', 'ok', 'Citus distributes the records of batches. See citus_total_relation_size(''ldp_internal.ldp_batch'').')::ldp_internal.ldp_status_row;
        RETURN;
    END IF;
    IF pg_relation_size(records) <= 8388608 THEN
        SELECT count(*), min(b.claimed) INTO number, oldest FROM ldp_internal.ldp_batch AS b;
    ELSE
        SELECT NULLIF(t.reltuples, -1) INTO number FROM pg_class AS t WHERE t.oid = records;
        SELECT min(v.claimed) INTO oldest
        FROM pg_stats AS s, unnest(s.histogram_bounds::text::timestamptz[] || s.most_common_vals::text::timestamptz[]) AS v (claimed)
        WHERE s.schemaname = 'ldp_internal' AND s.tablename = 'ldp_batch' AND s.attname = 'claimed';
    END IF;
    age := clock_timestamp() - oldest;
    RETURN NEXT ROW('batch_records', 'ldp', number, 'rows', 'ok', NULL)::ldp_internal.ldp_status_row;
    RETURN NEXT ROW('batch_records_bytes', 'ldp', pg_total_relation_size(records), 'bytes', 'ok', NULL)::ldp_internal.ldp_status_row;
    RETURN NEXT ROW('batch_records_age', 'ldp', extract(epoch FROM age)::float8, 'seconds', CASE WHEN age > interval '400 days' THEN 'warning' ELSE 'ok' END,
        CASE WHEN age > interval '400 days' THEN format('The oldest record of a batch is from %s. The usual retention is a year. Call ldp_prune_batches for each '
            'collection every week.', oldest::date) END)::ldp_internal.ldp_status_row;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_batch_status() IS 'Returns the rows of ldp_status about the records of batches.';

CREATE FUNCTION ldp_internal.ldp_collection_status(collection ldp_internal.ldp_collection) RETURNS SETOF ldp_internal.ldp_status_row
    LANGUAGE plpgsql STABLE ROWS 6 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reports regclass := collection.reports;
    rounds text[] := (SELECT regexp_match(pg_get_constraintdef(k.oid), 'ldp_check_round[(]round, [('']*(-?[0-9]+)[^,]*, [('']*(-?[0-9]+)')
                      FROM pg_constraint AS k WHERE k.conrelid = reports AND k.conname = 'round_is_open');
    waiting record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class AS t WHERE t.oid = reports) THEN
        RETURN NEXT ROW('collection_usable', collection.name, 0, 'bool', 'warning',
            'The table of the collection was dropped. Remove the collection with ldp_unregister_collection, or create it again.')::ldp_internal.ldp_status_row;
        RETURN;
    END IF;
    PERFORM ldp_internal.ldp_table(collection.name);  -- its error becomes the row
    RETURN NEXT ROW('collection_usable', collection.name, 1, 'bool', 'ok', NULL)::ldp_internal.ldp_status_row;
    RETURN QUERY
    SELECT m.metric, collection.name, m.value, m.unit, 'ok', m.note
    FROM (SELECT sum(pg_total_relation_size(p)) FILTER (WHERE NOT d.distributed)::float8 AS bytes,
                 sum(pg_stat_get_live_tuples(p)) FILTER (WHERE NOT d.distributed)::float8 AS rows,
                 CASE WHEN d.distributed THEN format('Citus distributes the reports. See citus_total_relation_size(''%s'').', reports) END AS note
          FROM (SELECT ldp_internal.ldp_is_distributed(reports) AS distributed) AS d LEFT JOIN ldp_internal.ldp_parts(reports) AS p ON true GROUP BY d.distributed) AS s,
         LATERAL (VALUES ('collection_bytes', s.bytes, 'bytes', s.note), ('collection_rows', s.rows, 'rows', s.note),
                         ('first_open_round', rounds[1]::float8, 'round', NULL), ('last_open_round', rounds[2]::float8, 'round', NULL)) AS m (metric, value, unit, note);
    IF collection.tokens AND ldp_internal.ldp_node_group() > 0 THEN
        RETURN NEXT ROW('tokens_left', collection.name, NULL, 'tokens', 'ok', 'Only the coordinator of Citus has tokens.')::ldp_internal.ldp_status_row;
    ELSIF collection.tokens THEN
        RETURN QUERY
        SELECT 'tokens_left', collection.name, t.number, 'tokens', CASE WHEN t.number = 0 THEN 'warning' ELSE 'ok' END,
               CASE WHEN t.number = 0 THEN 'No report is admitted. ldp_create_tokens creates tokens.' WHEN t.number > 100000 THEN 'There are more than 100,000.' END
        FROM (SELECT count(*)::float8 AS number
              FROM (SELECT FROM ldp_internal.ldp_token AS t WHERE t.collection = ldp_collection_status.collection.name LIMIT 100001) AS few) AS t;
    END IF;
    FOR waiting IN
        SELECT p.partdefid::regclass AS part, pg_relation_size(p.partdefid) AS bytes, pg_stat_get_live_tuples(p.partdefid) AS rows,
               pg_stat_get_tuples_inserted(p.partdefid) + pg_stat_get_tuples_deleted(p.partdefid) = 0 AS unknown
        FROM pg_partition_tree(reports) AS t JOIN pg_partitioned_table AS p ON p.partrelid = t.relid AND p.partdefid <> 0 LOOP
        -- Statistics are lost in a crash. Rows that were moved leave the file as it is until VACUUM.
        waiting.unknown := waiting.unknown AND waiting.rows = 0 AND waiting.bytes > 0;
        RETURN NEXT ROW('default_partition_rows', waiting.part, CASE WHEN NOT waiting.unknown THEN waiting.rows END, 'rows',
            CASE WHEN waiting.unknown OR waiting.rows > 0 THEN 'warning' ELSE 'ok' END,
            CASE WHEN waiting.unknown OR waiting.rows > 0 THEN format('Reports of collection "%s" are in the default partition. Call ldp_add_partitions or '
                'ldp_add_round_partitions until their time or round is covered.', collection.name) END)::ldp_internal.ldp_status_row;
    END LOOP;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_collection_status(ldp_internal.ldp_collection) IS
    'Returns the rows of ldp_status about the table, the rounds and the default partition of a collection. Numbers of rows come '
    'from statistics.';

-- The pages that the tables had at the last refresh are known, so new pages show that reports wait.
CREATE FUNCTION ldp_internal.ldp_rollup_status(rollup ldp_internal.ldp_rollup) RETURNS SETOF ldp_internal.ldp_status_row
    LANGUAGE plpgsql STABLE ROWS 6 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection ldp_internal.ldp_collection;
    present boolean := EXISTS (SELECT FROM pg_class AS t WHERE t.oid = rollup.summaries);
    elsewhere boolean;
    distributed boolean;
    copied boolean;
    waiting float8;
    age interval := clock_timestamp() - rollup.refreshed;
BEGIN
    SELECT c.* INTO collection FROM ldp_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports WHERE c.name = rollup.collection;
    IF NOT FOUND OR NOT present THEN
        RETURN NEXT ROW('rollup_usable', rollup.name, 0, 'bool', 'warning', CASE WHEN present THEN 'The collection of the rollup has no table.'
            ELSE 'The table of the rollup was dropped. Create the rollup again; it counts the reports that are still stored.' END)::ldp_internal.ldp_status_row;
        RETURN;
    END IF;
    elsewhere := ldp_internal.ldp_has_foreign_parts(collection.reports);
    IF NOT elsewhere THEN  -- its error becomes the row
        PERFORM ldp_internal.ldp_roll_up_statement(rollup, collection, collection.reports::text, 'true', 'false', ldp_internal.ldp_shard_column(collection));
    END IF;
    RETURN NEXT ROW('rollup_usable', rollup.name, 1, 'bool', 'ok', NULL)::ldp_internal.ldp_status_row;
    distributed := ldp_internal.ldp_is_distributed(collection.reports);
    -- A worker of Citus has a copy of the row of the coordinator.
    copied := NOT elsewhere AND collection.home IS DISTINCT FROM ldp_internal.ldp_cluster_database()
        AND NOT (distributed AND ldp_internal.ldp_node_group() > 0);
    SELECT sum(GREATEST(pg_relation_size(p) - COALESCE(s.pages, 0) * current_setting('block_size')::bigint, 0)) INTO waiting
    FROM ldp_internal.ldp_parts(collection.reports) AS p
         LEFT JOIN ldp_internal.ldp_rollup_part AS s ON s.rollup = rollup.name AND s.part = p AND s.counted IS NULL;
    RETURN QUERY
    SELECT 'rollup_age', rollup.name, extract(epoch FROM age)::float8, 'seconds', CASE WHEN w.note IS NULL THEN 'ok' ELSE 'warning' END, w.note
    FROM (SELECT CASE WHEN copied THEN 'This database is a copy. New reports have no stamps until the next refresh, which locks the table. Call ldp_refresh.'
                      WHEN rollup.refreshed IS NULL AND waiting > 0 THEN 'The rollup has never been refreshed, and reports wait. Call ldp_refresh at regular times.'
                      WHEN age > interval '36 hours' AND distributed
                      THEN 'The last refresh is more than 36 hours old. Call ldp_refresh on the coordinator, and check the timer that calls it.'
                      WHEN age > interval '36 hours' AND (waiting > 0 OR rollup.open <> '{}')
                      THEN 'The last refresh is more than 36 hours old, and reports wait. Call ldp_refresh, and check the timer that calls it.' END) AS w (note);
    RETURN NEXT ROW('rollup_waiting_bytes', rollup.name, CASE WHEN NOT (elsewhere OR distributed) THEN waiting END, 'bytes', 'ok',
        CASE WHEN distributed THEN 'Citus distributes the reports.' END)::ldp_internal.ldp_status_row;
    RETURN NEXT ROW('rollup_open_transactions', rollup.name, cardinality(rollup.open), 'transactions', 'ok', NULL)::ldp_internal.ldp_status_row;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_rollup_status(ldp_internal.ldp_rollup) IS
    'Returns the rows of ldp_status about the progress of a rollup. Reports that wait are estimated by the pages that were added '
    'since the last refresh.';

-- Reads at most 16 MB, and tests summaries up to 64 kB, because some tests of large summaries take seconds. Memoized responses of
-- several rounds are no independent reports, so only the last round is tested.
CREATE FUNCTION ldp_internal.ldp_summary_status(rollup ldp_internal.ldp_rollup) RETURNS SETOF ldp_internal.ldp_status_row
    LANGUAGE plpgsql STABLE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    spec jsonb := (SELECT c.spec FROM ldp_internal.ldp_collection AS c WHERE c.name = rollup.collection);
    owner oid := ldp_internal.ldp_owner(rollup.summaries);
    summary text := format('SELECT %s.ldp_rollup(r.summary) FROM ONLY %s AS r', ldp_internal.ldp_schema(), rollup.summaries::regclass);
    memoized boolean;
    large boolean;
    last_one integer;
    counted @extschema@.ldp_summary;
    tested @extschema@.ldp_summary;
    chance float8;
BEGIN
    IF owner IS NULL OR spec IS NULL THEN
        RETURN;
    END IF;
    IF pg_table_size(rollup.summaries) > 16777216 OR ldp_internal.ldp_is_distributed(rollup.summaries)
       OR EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhparent = rollup.summaries) THEN
        RETURN NEXT ROW('rollup_reports', rollup.name, NULL, 'reports', 'ok', 'The rollup is larger than 16 MB or on several servers. See ldp_count and ldp_health.')::ldp_internal.ldp_status_row;
        RETURN;
    END IF;
    counted := ldp_internal.ldp_run_as(owner, false, summary, NULL::@extschema@.ldp_summary);
    RETURN NEXT ROW('rollup_reports', rollup.name, COALESCE(@extschema@.ldp_count(counted), 0), 'reports', 'ok', NULL)::ldp_internal.ldp_status_row;
    memoized := spec -> 'derived' ?| '{possible_responses,max_responses}';
    IF 'round' = ANY (rollup.columns) THEN
        last_one := ldp_internal.ldp_run_as(owner, false, format('SELECT max(r.round) FROM ONLY %s AS r', rollup.summaries::regclass), NULL::integer);
        RETURN NEXT ROW('rollup_last_round', rollup.name, last_one, 'round', 'ok', NULL)::ldp_internal.ldp_status_row;
    END IF;
    tested := CASE WHEN NOT memoized THEN counted
                   WHEN last_one IS NOT NULL THEN ldp_internal.ldp_run_as(owner, false, format('%s WHERE r.round = %s', summary, last_one), NULL::@extschema@.ldp_summary) END;
    large := pg_column_size(tested) > 65536;
    IF NOT large THEN
        SELECT min(h.p_value) INTO chance FROM @extschema@.ldp_health(tested::@extschema@.ldp_source, NULL::text) AS h;
    END IF;
    RETURN NEXT ROW('rollup_health', rollup.name, chance, 'probability', CASE WHEN chance < 1e-8 THEN 'warning' ELSE 'ok' END,
        CASE WHEN chance < 1e-8 THEN 'Not all reports come from the randomizer. A client may be broken, or reports may be forged. ldp_health shows the statistics.'
             WHEN large THEN 'The summary is larger than 64 kB. ldp_health tests it.'
             WHEN memoized AND last_one IS NULL AND counted IS NOT NULL THEN 'Responses are memoized. Only a rollup with the column round can be tested.' END)::ldp_internal.ldp_status_row;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_summary_status(ldp_internal.ldp_rollup) IS
    'Returns the rows of ldp_status about the summaries of a rollup: the number of reports, the last round, and the smallest '
    'p-value of ldp_health.';

CREATE FUNCTION ldp_internal.ldp_role_status() RETURNS SETOF ldp_internal.ldp_status_row
    LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH collection AS (
        SELECT c.name, t.oid AS reports, t.relowner, ldp_internal.ldp_report_column(t.oid) AS held, t.relacl
        FROM ldp_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports),
    granted AS (
        SELECT c.name, c.reports, c.relowner, c.held, a.grantee, a.privilege_type
        FROM collection AS c, aclexplode(c.relacl) AS a
        UNION SELECT c.name, c.reports, c.relowner, c.held, a.grantee, a.privilege_type
        FROM collection AS c JOIN pg_attribute AS b ON b.attrelid = c.reports AND b.attname = c.held, aclexplode(b.attacl) AS a),
    submitter AS (
        SELECT DISTINCT r.oid, r.rolname, r.rolcanlogin, g.name, g.reports, g.relowner, g.held
        FROM granted AS g JOIN pg_roles AS r ON NOT r.rolsuper AND left(r.rolname, 3) <> 'pg_' AND pg_has_role(r.oid, g.grantee, 'MEMBER')
        WHERE g.privilege_type = 'INSERT' AND g.grantee NOT IN (0, g.relowner)),
    excess AS (
        SELECT s.rolname, s.name, CASE WHEN pg_has_role(s.oid, s.relowner, 'MEMBER') THEN 'owns' ELSE 'may read' END AS does
        FROM submitter AS s WHERE pg_has_role(s.oid, s.relowner, 'MEMBER') OR has_column_privilege(s.oid, s.reports, s.held, 'SELECT'))
    SELECT 'submitters', 'ldp', count(DISTINCT s.oid)::float8, 'roles', 'ok', NULL FROM submitter AS s WHERE s.rolcanlogin
    UNION ALL
    SELECT 'submitter_excess', e.rolname, count(*)::float8, 'collections', 'warning',
           left(format('The role may submit to collections and also %s.', string_agg(format('%s "%s"', e.does, e.name), ', ' ORDER BY e.name)), 300)
           || ' Use different roles for submission, for analysis and for ownership.'
    FROM excess AS e GROUP BY e.rolname
    UNION ALL
    SELECT 'public_rights', g.name, 1, 'bool', 'warning',
           format('Every role has %s on reports of the table. Revoke it from PUBLIC.', string_agg(DISTINCT g.privilege_type, ', '))
    FROM granted AS g WHERE g.grantee = 0 AND g.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE') GROUP BY g.name
$$;
COMMENT ON FUNCTION ldp_internal.ldp_role_status() IS
    'Returns the rows of ldp_status about roles: how many may submit, and which submitters also read or own a table. A '
    'further row names each collection on whose reports PUBLIC has rights.';

CREATE FUNCTION ldp_internal.ldp_budget_status() RETURNS SETOF ldp_internal.ldp_status_row
    LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    SELECT m.metric, g.name, m.value, 'epsilon', m.status, m.note
    FROM (SELECT c.spec -> 'budget' ->> 'group' AS name, max(p.epsilon) FILTER (WHERE p.scope = 'group') AS budget,
                 sum(p.epsilon) FILTER (WHERE p.scope = 'person') AS spent, string_agg(DISTINCT format('"%s"', c.name), ', ') AS collections
          FROM ldp_internal.ldp_collection AS c, @extschema@.ldp_privacy(c.spec::jsonb) AS p WHERE c.spec -> 'budget' ? 'group' GROUP BY 1) AS g,
         LATERAL (VALUES ('group_budget', g.budget, 'ok', NULL),
                         ('group_spent', g.spent, CASE WHEN g.spent > g.budget THEN 'warning' ELSE 'ok' END,
                          CASE WHEN g.spent > g.budget THEN format('One person cannot take part in all collections of the group: %s. Their devices stop when the budget '
                              'is spent.', left(g.collections, 200)) END)) AS m (metric, value, status, note)
$$;
COMMENT ON FUNCTION ldp_internal.ldp_budget_status() IS
    'Returns the rows of ldp_status about groups with one budget: the budget, and the sum of the largest costs of their '
    'collections for a person.';

CREATE FUNCTION ldp_internal.ldp_status_rows() RETURNS SETOF ldp_internal.ldp_status_row
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100 SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' SET jit = off AS $$
DECLARE
    part record;
    detail text;
    hint text;
BEGIN
    FOR part IN
        SELECT s.metric, 'ldp' AS object, format('SELECT * FROM ldp_internal.%I()', s.function) AS query
        FROM (VALUES ('version', 'ldp_server_status'), ('batch_records', 'ldp_batch_status'), ('submitters', 'ldp_role_status'),
                     ('group_budget', 'ldp_budget_status')) AS s (metric, function)
        UNION ALL
        SELECT s.metric, s.object, format('SELECT s.* FROM ldp_internal.%1$I AS o, LATERAL ldp_internal.%2$I(o) AS s WHERE o.name = %3$L', s.source, s.function, s.object)
        FROM (SELECT 'collection_usable', c.name, 'ldp_collection', 'ldp_collection_status' FROM ldp_internal.ldp_collection AS c
              UNION ALL SELECT 'rollup_usable', r.name, 'ldp_rollup', 'ldp_rollup_status' FROM ldp_internal.ldp_rollup AS r
              UNION ALL SELECT 'rollup_reports', r.name, 'ldp_rollup', 'ldp_summary_status' FROM ldp_internal.ldp_rollup AS r) AS s (metric, object, source, function)
    LOOP
        BEGIN
            RETURN QUERY EXECUTE part.query;
        EXCEPTION
            WHEN lock_not_available THEN
                RETURN NEXT ROW(part.metric, part.object, NULL, NULL, 'warning', 'Another transaction locks the table. pg_locks shows it.')::ldp_internal.ldp_status_row;
            WHEN OTHERS THEN
                GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
                RETURN NEXT ROW(part.metric, part.object, NULL, NULL, 'error', concat_ws(' ', upper(left(SQLERRM, 1)) || substr(SQLERRM, 2) || '.', NULLIF(detail, ''), NULLIF(hint, '')))::ldp_internal.ldp_status_row;
        END;
    END LOOP;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_status_rows() IS
    'Returns the rows of ldp_status with the rights of the extension''s owner. The error of a check is a row.';

CREATE VIEW @extschema@.ldp_status AS
    SELECT s.metric, s.object, s.value, s.unit, s.status, s.note FROM ldp_internal.ldp_status_rows() AS s;
COMMENT ON VIEW @extschema@.ldp_status IS
    'state of collections, rollups, roles and budgets for monitoring, one row for each check and object; readable by members '
    'of pg_monitor';
COMMENT ON COLUMN @extschema@.ldp_status.metric IS 'name of the check';
COMMENT ON COLUMN @extschema@.ldp_status.object IS 'name of the collection, rollup, partition, role, group or database';
COMMENT ON COLUMN @extschema@.ldp_status.value IS 'measured value; NULL if it is not known';
COMMENT ON COLUMN @extschema@.ldp_status.unit IS 'unit of the value; ''bool'' is 1 or 0';
COMMENT ON COLUMN @extschema@.ldp_status.status IS '''ok'', ''warning'' or ''error''';
COMMENT ON COLUMN @extschema@.ldp_status.note IS 'explanation of the value, and the remedy of a problem';

-- Privileges
REVOKE ALL ON FUNCTION
    ldp_internal.ldp_server_status(),
    ldp_internal.ldp_batch_status(),
    ldp_internal.ldp_collection_status(ldp_internal.ldp_collection),
    ldp_internal.ldp_rollup_status(ldp_internal.ldp_rollup),
    ldp_internal.ldp_summary_status(ldp_internal.ldp_rollup),
    ldp_internal.ldp_role_status(),
    ldp_internal.ldp_budget_status(),
    ldp_internal.ldp_status_rows()
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ldp_internal.ldp_status_rows() TO pg_monitor;
GRANT SELECT ON @extschema@.ldp_status TO pg_monitor;

