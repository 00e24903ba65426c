-- Reports on several servers --------------------------------------------------------------------------------
-- A collection's table may have foreign partitions. A server of such a partition computes the summaries of its own reports,
-- because postgres_fdw can push down an aggregate over one foreign table. It cannot push down a partial aggregate over a
-- partitioned table; a query of the table itself would fetch all reports.

CREATE FUNCTION ldp_internal.ldp_has_foreign_parts(reports regclass) RETURNS boolean
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN  -- every query of a collection calls it, and PL/pgSQL keeps the plan
    RETURN EXISTS (SELECT FROM pg_foreign_table AS f, LATERAL pg_partition_ancestors(f.ftrelid) AS a WHERE a.relid = reports AND f.ftrelid <> reports);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_has_foreign_parts(regclass) IS
    'Returns true if a table has a partition that is a foreign table.';

-- A query of a partition checks the privileges and row-level policies of the partition, and a query of the table those of the
-- table. They have the same result if the role owns all partitions that are read and can select from them.
CREATE FUNCTION ldp_internal.ldp_summaries_by_part(reports regclass, role oid, by text[], condition text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH tree AS MATERIALIZED (
        SELECT p.relid, p.parentrelid, t.relkind = 'f' AS is_foreign, pg_has_role($2, t.relowner, 'USAGE') AND has_table_privilege($2, t.oid, 'SELECT') AS readable
        FROM pg_partition_tree($1) AS p JOIN pg_class AS t ON t.oid = p.relid
    ), mixed AS MATERIALIZED (
        SELECT DISTINCT a.relid FROM tree AS f, LATERAL pg_partition_ancestors(f.relid) AS a WHERE f.is_foreign AND a.relid <> f.relid
    ), sources AS (
        -- Every foreign partition, and the local partitions together, each with all of its own partitions.
        SELECT CASE WHEN s.is_foreign THEN s.relid::oid END AS server_part, bool_and(s.readable) AS readable,
               CASE WHEN count(*) = 1 THEN min(s.relid::text)
                    ELSE format('(%s)', string_agg(format('SELECT %s FROM %s', n.columns, s.relid), ' UNION ALL ' ORDER BY s.relid)) END AS source
        FROM tree AS s, LATERAL (SELECT string_agg(quote_ident(c), ', ') AS columns
                                 FROM (SELECT unnest($3) UNION SELECT 'round' UNION SELECT ldp_internal.ldp_report_column($1)) AS u (c)) AS n
        WHERE s.parentrelid IN (SELECT m.relid FROM mixed AS m) AND s.relid NOT IN (SELECT m.relid FROM mixed AS m)
        GROUP BY 1
    ), named AS (
        SELECT COALESCE(string_agg(format('t.%I AS b%s, ', b.name, b.index), '' ORDER BY b.index), '') AS outputs,
               ' GROUP BY ' || string_agg(format('t.%I', b.name), ', ' ORDER BY b.index) AS groups
        FROM unnest($3) WITH ORDINALITY AS b (name, index)
    )
    SELECT CASE WHEN bool_and(s.readable) AND bool_or(s.server_part IS NOT NULL) THEN
        string_agg(format('SELECT %s%s.ldp_agg(t.%I, t.round) AS summary FROM %s AS t WHERE %s%s', n.outputs, ldp_internal.ldp_schema(),
                          ldp_internal.ldp_report_column($1), s.source, $4, n.groups), ' UNION ALL ' ORDER BY s.server_part) END
    FROM sources AS s, named AS n
$$;
COMMENT ON FUNCTION ldp_internal.ldp_summaries_by_part(regclass, oid, text[], text) IS
    'Returns a query for the summaries of each foreign partition of a table, and of all local partitions together. The '
    'summaries are grouped by columns, whose names in the result are b1, b2 and so on. Returns NULL if the role cannot '
    'query the partitions with the same result as the table.';

-- The setting excludes partitions whose bounds contradict the condition, such as those of other rounds.
CREATE FUNCTION ldp_internal.ldp_run_by_part(role oid, query text, type anyelement) RETURNS anyelement
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp SET constraint_exclusion = on SET jit = off AS $$
BEGIN
    RETURN ldp_internal.ldp_run_as(role, false, query, type);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_run_by_part(oid, text, anyelement) IS
    'Runs a query of ldp_summaries_by_part as ldp_run_as does.';

REVOKE ALL ON FUNCTION ldp_internal.ldp_run_by_part(oid, text, anyelement) FROM PUBLIC;
