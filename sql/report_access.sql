-- Summaries of collections ----------------------------------------------------------------------------------
-- The owner of a table defines code that runs when the table is read, such as expressions of indexes and policies. Here this
-- code always runs with the rights of the owner and cannot change the session. If row-level policies apply to the caller,
-- the table is read with the rights of the caller instead.

CREATE TYPE @extschema@.ldp_group AS (group_key jsonb, summary @extschema@.ldp_summary);
COMMENT ON TYPE @extschema@.ldp_group IS 'summary of a group of a collection''s reports';
COMMENT ON COLUMN @extschema@.ldp_group.group_key IS 'values that define the group, by column';
COMMENT ON COLUMN @extschema@.ldp_group.summary IS 'summary of the reports of the group';

CREATE FUNCTION ldp_internal.ldp_run_as(role oid, policies boolean, query text, type anyelement) RETURNS anyelement
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_run_as(oid, boolean, text, anyelement) IS
    'Runs a query with the rights of a role and returns its single value, in the type of the last argument.';
CREATE FUNCTION ldp_internal.ldp_run_over_shards(role oid, policies boolean, shards text, query text, type anyelement) RETURNS anyelement
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_run_over_shards(oid, boolean, text, text, anyelement) IS
    'Runs two queries with the rights of a role and returns the single value of the second one, in the type of the last '
    'argument. The rows of the first query, which ends with a summary as servers send it, are the table ldp_shard_rows of '
    'the second one. If the first column is named bucket, the summaries of each bucket are added.';

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

-- A name without a round means the last round, everywhere. A round that has just begun has too few reports for estimates, so it is
-- the last round with at least min_group reports, or the last one if all have fewer. A series has its rounds inside one summary.
CREATE FUNCTION ldp_internal.ldp_is_series(spec jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT COALESCE(($1 ->> 'rounds')::numeric, ($1 -> 'derived' ->> 'series_rounds')::numeric, 0) > 0
$$;
COMMENT ON FUNCTION ldp_internal.ldp_is_series(jsonb) IS
    'Returns true for the spec of a time series, whose summary has an estimate of each round.';

-- Only functions that run with the rights of the extension's owner call it, and name their caller.
CREATE FUNCTION ldp_internal.ldp_last_round(caller name, name text, summed boolean, OUT known boolean, OUT round integer, OUT summary @extschema@.ldp_summary)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rollup ldp_internal.ldp_rollup;
    collection ldp_internal.ldp_collection;
    reading record;
    parts text;
    enough bigint;
    rounds @extschema@.ldp_group[];
    query text;
BEGIN
    SELECT r.* INTO rollup FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries WHERE r.name = ldp_last_round.name;
    SELECT c.* INTO STRICT collection FROM ldp_internal.ldp_collection AS c WHERE c.name = COALESCE(rollup.collection, ldp_last_round.name);
    enough := COALESCE((collection.spec ->> 'min_group')::bigint, 20);
    known := NOT ldp_internal.ldp_is_series(collection.spec) AND (rollup.name IS NULL OR 'round' = ANY (rollup.columns));
    IF NOT known THEN
        RETURN;
    END IF;
    IF rollup.name IS NOT NULL THEN
        rounds := ldp_internal.ldp_rolled_up_as(caller, name, '{round}'::text[], NULL::@extschema@.ldp_time, NULL::@extschema@.ldp_time, NULL::integer, NULL::integer);
    ELSE
        reading := ldp_internal.ldp_report_access(name, '{round}', caller);
        IF NOT reading.policies AND ldp_internal.ldp_has_foreign_parts(reading.table_name::regclass) THEN
            parts := ldp_internal.ldp_summaries_by_part(reading.table_name::regclass, reading.role, '{round}', 'true');
        END IF;
        -- If only round 0 is open, there are usually no others, and the reports are read once. Closed rounds may have reports, too.
        IF parts IS NULL AND NOT (summed AND EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = collection.reports AND c.conname = 'round_is_open'
                                                     AND pg_get_constraintdef(c.oid) ~ 'ldp_check_round[(]round, 0, 0[)]')) THEN
            round := ldp_internal.ldp_run_as(reading.role, reading.policies,
                format('SELECT (SELECT g.round FROM (SELECT t.round, %s AS reports FROM %s AS t GROUP BY t.round) AS g WHERE g.reports >= %s '
                       'ORDER BY g.reports >= %s DESC, g.round DESC LIMIT 1)',
                       CASE reading.held WHEN 'batch' THEN format('sum(%s.ldp_count(t.batch))', ldp_internal.ldp_schema()) ELSE 'count(*)' END,
                       reading.table_name, reading.fewest, enough),
                NULL::integer);
            RETURN;
        END IF;
        query := format('SELECT array_agg(ROW(jsonb_build_object(''round'', g.round), g.summary)::%1$s.ldp_group) FROM (%2$s) AS g WHERE %1$s.ldp_count(g.summary) >= %3$s',
            ldp_internal.ldp_schema(),
            CASE WHEN parts IS NULL THEN format('SELECT t.round, %s.ldp_agg(t.%s, t.round) AS summary FROM %s AS t GROUP BY t.round', ldp_internal.ldp_schema(), reading.held, reading.table_name)
                 ELSE format('SELECT p.b1 AS round, %s.ldp_rollup(p.summary) AS summary FROM (%s) AS p GROUP BY p.b1', ldp_internal.ldp_schema(), parts) END,
            reading.fewest);
        rounds := CASE WHEN parts IS NULL THEN ldp_internal.ldp_run_as(reading.role, reading.policies, query, NULL::@extschema@.ldp_group[])
                       ELSE ldp_internal.ldp_run_by_part(reading.role, query, NULL::@extschema@.ldp_group[]) END;
    END IF;
    SELECT (g.group_key ->> 'round')::integer, g.summary INTO round, summary FROM unnest(rounds) AS g WHERE g.group_key ->> 'round' IS NOT NULL
    ORDER BY @extschema@.ldp_count(g.summary::@extschema@.ldp_summary) >= enough DESC, (g.group_key ->> 'round')::integer DESC LIMIT 1;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_last_round(name, text, boolean) IS
    'Returns the round that the name of a collection or a rollup selects: the last round with at least min_group '
    'reports, or the last round if all have fewer. The round is NULL if there are no reports. The column known is '
    'false for a time series and for a rollup without rounds. With summed, the column summary is the summary of this '
    'round, or NULL if it has not been computed.';

CREATE FUNCTION ldp_internal.ldp_summary_of_as(caller name, name text, round integer) RETURNS @extschema@.ldp_summary
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    of_rollup boolean := EXISTS (SELECT FROM @extschema@.ldp_rollups AS r WHERE r.name = ldp_summary_of_as.name);
    reading record;
    parts text;
    last_one record;
BEGIN
    IF NOT of_rollup THEN
        reading := ldp_internal.ldp_report_access(name, '{round}', caller);
    END IF;
    IF round IS NULL THEN
        last_one := ldp_internal.ldp_last_round(caller, name, true);
        round := last_one.round;
        IF last_one.known AND round IS NULL OR last_one.summary IS NOT NULL THEN
            RETURN last_one.summary;
        END IF;
    END IF;
    IF of_rollup THEN
        RETURN (SELECT g.summary FROM unnest(ldp_internal.ldp_rolled_up_as(caller, name, '{}'::text[], NULL::@extschema@.ldp_time, NULL::@extschema@.ldp_time, round, round)) AS g);
    END IF;
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
    'Returns the summary of one round of a collection or of a rollup. Without the argument round it is the last round '
    'with at least min_group reports of the spec, or the last round if all have fewer. A name that is passed as the '
    'source of a function selects the same summary. The summary of a time series has all rounds, and the summary of a '
    'rollup without the column round has all reports. For the reports of several rounds, use ldp_groups_of. Returns NULL '
    'if there are no reports. If the caller may not select the reports, it also returns NULL for fewer reports than the '
    'spec''s min_group. Error 42704 if there is no such collection or rollup, 42501 if the caller may not query it.';

-- The output function of a type runs with the rights of the table's owner, so only types of superusers and of the owner are
-- accepted. The column ldp_arrival is excluded, because its stamps show which reports were submitted together.
CREATE FUNCTION ldp_internal.ldp_group_columns(source regclass) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(a.attname::text ORDER BY a.attnum)
    FROM pg_class AS t JOIN pg_attribute AS a ON a.attrelid = t.oid JOIN pg_type AS y ON y.oid = a.atttypid JOIN pg_roles AS o ON o.oid = y.typowner
    WHERE t.oid = $1 AND a.attname NOT IN (ldp_internal.ldp_report_column($1), 'ldp_arrival') AND a.attnum > 0 AND NOT a.attisdropped
          AND (o.rolsuper OR o.oid = t.relowner)
$$;
COMMENT ON FUNCTION ldp_internal.ldp_group_columns(regclass) IS
    'Returns the columns by which reports of a collection''s table can be grouped.';

-- Names of groups are the same in all sessions.
CREATE FUNCTION ldp_internal.ldp_groups_of_as(caller name, name text, by text[], since @extschema@.ldp_time, until @extschema@.ldp_time,
        first_round integer, last_round integer) RETURNS @extschema@.ldp_group[]
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO'
    SET intervalstyle = 'postgres' SET extra_float_digits = 1 SET bytea_output = 'hex' AS $$
DECLARE
    of_rollup boolean;
    reports regclass;
    groups text[];
    unknown text;
    reading record;
    parts text;
    last_one record;
    condition text;
    names text;
    columns text;
BEGIN
    -- Of a collection, a rollup that fits has the times.
    of_rollup := since IS NOT NULL OR until IS NOT NULL OR EXISTS (SELECT FROM @extschema@.ldp_rollups AS r WHERE r.name = ldp_groups_of_as.name);
    IF NOT of_rollup THEN
        reports := (ldp_internal.ldp_collection_named(name)).reports;
        groups := ldp_internal.ldp_group_columns(reports);
        SELECT COALESCE(b, 'NULL') INTO unknown FROM unnest(by) AS b WHERE (b = ANY (groups)) IS NOT TRUE;
        IF FOUND OR by IS NULL THEN
            RAISE EXCEPTION USING
                ERRCODE = 'undefined_column',
                MESSAGE = CASE WHEN by IS NULL THEN format('grouping columns of collection "%s" are missing', name)
                               ELSE format('reports of collection "%s" cannot be grouped by "%s"', name, unknown) END,
                DETAIL = format('Available columns are "%s".', array_to_string(groups, '", "')),
                HINT = 'Specify the round or public columns, as in ARRAY[''round''].';
        END IF;
        reading := ldp_internal.ldp_report_access(name, by || 'round'::text, caller);
    END IF;
    IF of_rollup AND first_round = 0 AND last_round IS NULL THEN
        first_round := NULL;  -- also of a rollup without rounds
    ELSIF since IS NULL AND until IS NULL AND first_round IS NULL AND last_round IS NULL AND 'round' <> ALL (by) THEN
        last_one := ldp_internal.ldp_last_round(caller, name, false);
        IF last_one.known THEN
            first_round := COALESCE(last_one.round, 1);
            last_round := COALESCE(last_one.round, 0);
        END IF;
    END IF;
    IF of_rollup THEN
        RETURN ldp_internal.ldp_rolled_up_as(caller, name, by, since, until, first_round, last_round);
    END IF;
    condition := concat_ws(' AND ', 'true', 't.round >= ' || first_round, 't.round <= ' || last_round);
    IF NOT reading.policies AND ldp_internal.ldp_has_foreign_parts(reports) THEN
        parts := ldp_internal.ldp_summaries_by_part(reports, reading.role, by, condition);
    END IF;
    SELECT string_agg(format('%L, %s', b.name, CASE WHEN parts IS NULL THEN format('t.%I', b.name) ELSE 'p.b' || b.index END), ', ' ORDER BY b.index),
           COALESCE('GROUP BY ' || string_agg(CASE WHEN parts IS NULL THEN format('t.%I', b.name) ELSE 'p.b' || b.index END, ', ' ORDER BY b.index), '') INTO names, columns
    FROM unnest(by) WITH ORDINALITY AS b (name, index);
    IF parts IS NOT NULL THEN
        RETURN ldp_internal.ldp_run_by_part(reading.role,
            format('SELECT array_agg(ROW(g.name, g.summary)::%1$s.ldp_group ORDER BY g.name) FROM '
                   '(SELECT jsonb_build_object(%2$s) AS name, %1$s.ldp_rollup(p.summary) AS summary FROM (%3$s) AS p '
                   '%4$s HAVING %1$s.ldp_count(%1$s.ldp_rollup(p.summary)) >= %5$s) AS g', ldp_internal.ldp_schema(),
                   names, parts, columns, reading.fewest),
            NULL::@extschema@.ldp_group[]);
    END IF;
    RETURN ldp_internal.ldp_run_as(reading.role, reading.policies,
        format('SELECT array_agg(ROW(g.name, g.summary)::%1$s.ldp_group ORDER BY g.name) FROM '
               '(SELECT jsonb_build_object(%2$s) AS name, %1$s.ldp_agg(t.%6$s, t.round) AS summary FROM %3$s AS t '
               'WHERE %7$s %4$s HAVING %1$s.ldp_count(%1$s.ldp_agg(t.%6$s, t.round)) >= %5$s) AS g', ldp_internal.ldp_schema(),
               names, reading.table_name, columns, reading.fewest, reading.held, condition),
        NULL::@extschema@.ldp_group[]);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_groups_of_as(name, text, text[], @extschema@.ldp_time, @extschema@.ldp_time, integer, integer) IS
    'Implements ldp_groups_of for this caller, with the rights of the extension''s owner.';

-- Volatile, because the planner calls a stable function to estimate the rows of unnest(), and would read the reports twice.
CREATE FUNCTION @extschema@.ldp_groups_of(name text, by text[] DEFAULT NULL, since @extschema@.ldp_time DEFAULT NULL, until @extschema@.ldp_time DEFAULT NULL,
        first_round integer DEFAULT NULL, last_round integer DEFAULT NULL) RETURNS @extschema@.ldp_group[]
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_groups_of(text, text[], @extschema@.ldp_time, @extschema@.ldp_time, integer, integer) IS
    'Returns the summary of each group of a collection''s reports, or of a rollup. The result is a source for '
    'functions of groups, and unnest() converts it to rows. The argument by lists the grouping columns: round, or '
    'public columns. For a rollup, it lists some of the rollup''s columns, or longer units of its time, and may be '
    'omitted. An empty array gives one group. The arguments first_round and last_round select rounds. Without '
    'arguments for rounds and times, and unless round is a grouping column, the groups consist of the reports of the '
    'round that ldp_summary_of selects. With first_round => 0, they consist of the reports of all rounds. The '
    'arguments since and until select the buckets of a rollup that begin in this range. For the name of a collection, '
    'they select buckets of its rollup with the fewest columns that has the requested columns. A bound without an '
    'offset from UTC is in the time zone of the rollup. In group_key, an instant of a rollup is in the time zone of '
    'the rollup, and any other instant is in UTC. If the caller may not select the reports, groups of fewer reports '
    'than the spec''s min_group are omitted. Error 42703 if a column does not exist, 42704 if there is no such '
    'collection or rollup.';

-- Other sources than names -----------------------------------------------------------------------------------

CREATE FUNCTION ldp_internal.ldp_source_of_groups(@extschema@.ldp_group[]) RETURNS @extschema@.ldp_source
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_source_of_groups(@extschema@.ldp_group[]) IS
    'Converts groups to a source. Implements a cast.';
CREATE CAST (@extschema@.ldp_group[] AS @extschema@.ldp_source) WITH FUNCTION ldp_internal.ldp_source_of_groups(@extschema@.ldp_group[]) AS IMPLICIT;
COMMENT ON CAST (@extschema@.ldp_group[] AS @extschema@.ldp_source) IS 'groups with their summaries';

CREATE FUNCTION @extschema@.ldp_groups(groups anyarray, summaries @extschema@.ldp_summary[]) RETURNS @extschema@.ldp_group[]
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF cardinality(groups) <> cardinality(summaries) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'groups and summaries must have the same number of elements',
            DETAIL = format('Found %s and %s.', cardinality(groups), cardinality(summaries)),
            HINT = 'Pass a name and a summary of each group, in the same order.';
    END IF;
    RETURN ARRAY(SELECT ROW(CASE WHEN jsonb_typeof(to_jsonb(g.name)) = 'object' THEN to_jsonb(g.name) ELSE jsonb_build_object('group', g.name) END,
                            g.summary)::@extschema@.ldp_group FROM unnest(groups, summaries) WITH ORDINALITY AS g (name, summary, place) ORDER BY g.place);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_groups(anyarray, @extschema@.ldp_summary[]) IS
    'Returns groups with these names and summaries, as a source for functions of groups. A name is text, a number, a '
    'date, or a JSON object of several columns. Error 22023 unless both arrays have the same length.';

CREATE FUNCTION ldp_internal.ldp_source_name(source @extschema@.ldp_source) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_source_name(@extschema@.ldp_source) IS
    'Returns the name of a source; NULL if it has none.';
CREATE FUNCTION ldp_internal.ldp_source_array(source @extschema@.ldp_source) RETURNS @extschema@.ldp_group[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_source_array(@extschema@.ldp_source) IS
    'Returns the groups of a source; NULL if it has none.';

-- A group with a NULL column has no name. The functions of groups decide on its reports.
CREATE FUNCTION ldp_internal.ldp_source_groups(source @extschema@.ldp_source, by text[], further text,
        OUT groups @extschema@.ldp_group[], OUT names text[], OUT summaries @extschema@.ldp_summary[])
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text := ldp_internal.ldp_source_name(source);
    columns text[] := CASE WHEN name IS NULL OR further IS NULL OR further = ANY (by) THEN by ELSE by || further END;
BEGIN
    groups := COALESCE(CASE WHEN name IS NOT NULL THEN @extschema@.ldp_groups_of(name, columns, NULL::@extschema@.ldp_time, NULL::@extschema@.ldp_time, NULL::integer, NULL::integer)
                            ELSE ldp_internal.ldp_source_array(source) END, '{}');
    IF source IS NOT NULL AND name IS NULL AND (by IS NOT NULL OR ldp_internal.ldp_source_array(source) IS NULL) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = CASE WHEN by IS NULL THEN 'one summary has no groups' ELSE 'only a name has grouping columns' END,
            HINT = 'Use a name and grouping columns, or ldp_groups_of(name, by) or ldp_groups(names, summaries).';
    END IF;
    IF EXISTS (SELECT FROM unnest(groups) AS g (group_key, summary) WHERE jsonb_typeof(g.group_key) <> 'object') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'a group is not a JSON object',
            DETAIL = 'A group has its columns and their values, as in {"country": "de"}.',
            HINT = 'Use ldp_groups(names, summaries).';
    END IF;
    SELECT COALESCE(array_agg(CASE WHEN NOT g.unknown THEN g.name END ORDER BY g.place), '{}'), COALESCE(array_agg(g.summary ORDER BY g.place), '{}')
    INTO names, summaries
    FROM (SELECT g.summary, g.place,
                 (SELECT string_agg(c.value, ', ' ORDER BY array_position(columns, c.key), c.place) FROM jsonb_each_text(g.group_key) WITH ORDINALITY AS c (key, value, place)) AS name,
                 EXISTS (SELECT FROM jsonb_each_text(g.group_key) AS c (key, value) WHERE c.value IS NULL) AS unknown
          FROM unnest(groups) WITH ORDINALITY AS g (group_key, summary, place)) AS g;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_source_groups(@extschema@.ldp_source, text[], text) IS
    'Returns the groups of a source, which a name forms by columns, and by the column further unless it is NULL. A group with '
    'NULL in one of the columns has the name NULL.';

