-- Summaries of collections ----------------------------------------------------------------------------------
-- The owner of a table defines code that runs when the table is read, such as expressions of indexes and policies. Here this
-- code always runs with the rights of the owner and cannot change the session. If row-level policies apply to the caller,
-- the table is read with the rights of the caller instead.

CREATE TYPE @extschema@.ldp_group AS ("group" jsonb, summary @extschema@.ldp_summary);
COMMENT ON TYPE @extschema@.ldp_group IS 'summary of a group of a collection''s reports';
COMMENT ON COLUMN @extschema@.ldp_group."group" IS 'values that define the group, by column';
COMMENT ON COLUMN @extschema@.ldp_group.summary IS 'summary of the reports of the group';

CREATE FUNCTION ldp_internal.ldp_run_as(role oid, policies boolean, query text, type anyelement) RETURNS anyelement
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_run_as(oid, boolean, text, anyelement) IS
    'Runs a query with the rights of a role and returns its single value, in the type of the last argument.';

CREATE FUNCTION ldp_internal.ldp_reader(collection ldp_internal.ldp_collection, source regclass, columns text[], caller name,
        OUT role oid, OUT policies boolean, OUT fewest bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation pg_class;
    reads boolean;
BEGIN
    SELECT t.* INTO STRICT relation FROM pg_class AS t WHERE t.oid = source;
    reads := NOT EXISTS (SELECT FROM unnest(columns) AS wanted
                         WHERE NOT has_column_privilege(caller, relation.oid, wanted, 'SELECT'));
    fewest := CASE WHEN reads THEN 0 ELSE COALESCE((collection.spec ->> 'min_group')::bigint, 20) END;
    IF NOT has_schema_privilege(caller, relation.relnamespace, 'USAGE')
       OR NOT (reads OR collection.analysts = 'aggregates' AND pg_has_role(caller, 'ldp_analyst', 'USAGE')) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied to read the reports of collection "%s"', collection.name),
            HINT = 'Members of the role ldp_analyst may read reports or query aggregates; they also need USAGE on the schema.';
    END IF;
    SELECT r.oid, relation.relrowsecurity AND NOT (r.rolsuper OR r.rolbypassrls)
                  AND (relation.relforcerowsecurity OR NOT pg_has_role(caller, relation.relowner, 'USAGE'))
    INTO STRICT role, policies FROM pg_roles AS r WHERE r.rolname = caller;
    IF NOT reads AND (policies OR (SELECT t.relrowsecurity FROM pg_class AS t WHERE t.oid = collection.reports)) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied: collection "%s" has row-level policies', collection.name),
            DETAIL = 'Row-level policies cannot be evaluated for a role that may only query aggregates.',
            HINT = 'Create one collection per tenant, or grant the analysts of a tenant access to rows.';
    END IF;
    IF NOT policies THEN
        role := relation.relowner;
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_reader(ldp_internal.ldp_collection, regclass, text[], name) IS
    'Returns how a caller may read these columns of a collection''s table or of a rollup. The result has the role '
    'that reads, whether row-level policies apply, and the smallest number of reports per group. Error 42501 if the '
    'caller has no access.';

CREATE FUNCTION ldp_internal.ldp_report_access(name text, columns text[], caller name,
        OUT table_name text, OUT held text, OUT role oid, OUT policies boolean, OUT fewest bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection ldp_internal.ldp_collection;
BEGIN
    table_name := ldp_internal.ldp_table(name);
    SELECT c.* INTO STRICT collection FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_report_access.name;
    held := ldp_internal.ldp_report_column(collection.reports);
    SELECT r.* INTO role, policies, fewest FROM ldp_internal.ldp_reader(collection, collection.reports, columns || held, caller) AS r;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_report_access(text, text[], name) IS
    'Returns how a caller may read a collection''s reports. The result has the table, the column, the role that '
    'reads, whether row-level policies apply, and the smallest number of reports per group. Error 42501 if the '
    'caller has no access.';

CREATE FUNCTION ldp_internal.ldp_summary_of_as(caller name, name text, round integer) RETURNS @extschema@.ldp_summary
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reading record := ldp_internal.ldp_report_access(name, '{round}', caller);
    parts text;
BEGIN
    IF NOT reading.policies AND ldp_internal.ldp_has_foreign_parts(reading.table_name::regclass) THEN
        parts := ldp_internal.ldp_summaries_by_part(reading.table_name::regclass, reading.role, '{}',
            CASE WHEN round IS NULL THEN 'true' ELSE format('t.round = %s', round) END);
    END IF;
    IF parts IS NOT NULL THEN
        RETURN ldp_internal.ldp_run_by_part(reading.role,
            format('SELECT CASE WHEN %1$s.ldp_count(g.summary) >= %2$s THEN g.summary END FROM (SELECT %1$s.ldp_rollup(p.summary) AS summary FROM (%3$s) AS p) AS g',
                   ldp_internal.ldp_schema(), reading.fewest, parts),
            NULL::@extschema@.ldp_summary);
    END IF;
    RETURN ldp_internal.ldp_run_as(reading.role, reading.policies,
        format('SELECT CASE WHEN %1$s.ldp_count(%1$s.ldp_agg(%2$s, round)) >= %3$s THEN %1$s.ldp_agg(%2$s, round) END FROM %4$s '
               'WHERE %5$s', ldp_internal.ldp_schema(), reading.held, reading.fewest, reading.table_name,
               CASE WHEN round IS NULL THEN 'true' ELSE format('round = %s', round) END),
        NULL::@extschema@.ldp_summary);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_summary_of_as(name, text, integer) IS
    'Implements ldp_summary_of for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_summary_of(name text, round integer DEFAULT NULL) RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_summary_of(text, integer) IS
    'Returns the summary of all reports of a collection, or of one round, the argument of the accessors. Returns '
    'NULL without reports. If the caller may not select the reports, it also returns NULL for fewer reports than the '
    'spec''s min_group. Error 42501 if the caller may not query the collection.';

-- The output function of a type runs with the rights of the table's owner, so only types of superusers and of the owner are
-- accepted. The column ldp_arrival is excluded, because its stamps show which reports were submitted together.
CREATE FUNCTION @extschema@.ldp_group_columns(source regclass) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(a.attname::text ORDER BY a.attnum)
    FROM pg_class AS t JOIN pg_attribute AS a ON a.attrelid = t.oid JOIN pg_type AS y ON y.oid = a.atttypid JOIN pg_roles AS o ON o.oid = y.typowner
    WHERE t.oid = $1 AND a.attname NOT IN (ldp_internal.ldp_report_column($1), 'ldp_arrival') AND a.attnum > 0 AND NOT a.attisdropped
          AND (o.rolsuper OR o.oid = t.relowner)
$$;
COMMENT ON FUNCTION @extschema@.ldp_group_columns(regclass) IS
    'Returns the columns by which reports of a collection''s table can be grouped.';

-- Names of groups are the same in all sessions.
CREATE FUNCTION ldp_internal.ldp_groups_of_as(caller name, name text, by text[]) RETURNS @extschema@.ldp_group[]
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO'
    SET intervalstyle = 'postgres' SET extra_float_digits = 1 SET bytea_output = 'hex' AS $$
DECLARE
    reports regclass := (ldp_internal.ldp_collection_named(name)).reports;
    groups text[];
    unknown text;
    reading record;
    parts text;
BEGIN
    groups := @extschema@.ldp_group_columns(reports);
    SELECT COALESCE(b, 'NULL') INTO unknown FROM unnest(by) AS b WHERE (b = ANY (groups)) IS NOT TRUE;
    IF FOUND OR COALESCE(cardinality(by), 0) = 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_column',
            MESSAGE = format('reports of collection "%s" cannot be grouped by %s', name, COALESCE('"' || unknown || '"', 'nothing')),
            DETAIL = format('Available columns are "%s".', array_to_string(groups, '", "')),
            HINT = 'Specify the round or public columns, as in ARRAY[''round''].';
    END IF;
    reading := ldp_internal.ldp_report_access(name, by || 'round'::text, caller);
    IF NOT reading.policies AND ldp_internal.ldp_has_foreign_parts(reports) THEN
        parts := ldp_internal.ldp_summaries_by_part(reports, reading.role, by, 'true');
    END IF;
    IF parts IS NOT NULL THEN
        RETURN ldp_internal.ldp_run_by_part(reading.role,
            format('SELECT array_agg(ROW(g.name, g.summary)::%1$s.ldp_group ORDER BY g.name) FROM '
                   '(SELECT jsonb_build_object(%2$s) AS name, %1$s.ldp_rollup(p.summary) AS summary FROM (%3$s) AS p '
                   'GROUP BY %4$s HAVING %1$s.ldp_count(%1$s.ldp_rollup(p.summary)) >= %5$s) AS g', ldp_internal.ldp_schema(),
                   (SELECT string_agg(format('%L, p.b%s', b.name, b.index), ', ') FROM unnest(by) WITH ORDINALITY AS b (name, index)), parts,
                   (SELECT string_agg(format('p.b%s', b.index), ', ') FROM unnest(by) WITH ORDINALITY AS b (name, index)), reading.fewest),
            NULL::@extschema@.ldp_group[]);
    END IF;
    RETURN ldp_internal.ldp_run_as(reading.role, reading.policies,
        format('SELECT array_agg(ROW(g.name, g.summary)::%1$s.ldp_group ORDER BY g.name) FROM '
               '(SELECT jsonb_build_object(%2$s) AS name, %1$s.ldp_agg(t.%6$s, t.round) AS summary FROM %3$s AS t '
               'GROUP BY %4$s HAVING %1$s.ldp_count(%1$s.ldp_agg(t.%6$s, t.round)) >= %5$s) AS g', ldp_internal.ldp_schema(),
               (SELECT string_agg(format('%L, t.%I', b, b), ', ') FROM unnest(by) AS b), reading.table_name,
               (SELECT string_agg(format('t.%I', b), ', ') FROM unnest(by) AS b), reading.fewest, reading.held),
        NULL::@extschema@.ldp_group[]);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_groups_of_as(name, text, text[]) IS
    'Implements ldp_groups_of for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION ldp_internal.ldp_groups_of(name text, by text[]) RETURNS @extschema@.ldp_group[]
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_groups_of(text, text[]) IS 'Returns the rows of ldp_summaries_of as an array.';

CREATE FUNCTION @extschema@.ldp_summaries_of(name text, by text[]) RETURNS SETOF @extschema@.ldp_group
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 100 SET search_path = pg_catalog, pg_temp
    AS $$ SELECT g.* FROM unnest(ldp_internal.ldp_groups_of($1, $2)) AS g $$;
COMMENT ON FUNCTION @extschema@.ldp_summaries_of(text, text[]) IS
    'Returns the summary of each group of a collection''s reports, one group per row. The argument by lists the '
    'grouping columns: round, or public columns. Instants in names of groups are in UTC. If the caller may not select the reports, groups of fewer reports '
    'than the spec''s min_group are omitted. Error 42703 if a column does not exist.';

