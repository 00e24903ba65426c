
-- Series ----------------------------------------------------------------------------------------------------

-- Row-level policies on reports do not apply to sums of reports. Therefore a role that is subject to such policies may read a
-- rollup only if the rollup's table has its own policies. Every other role that may read the reports may read the rollup.
CREATE FUNCTION ldp_internal.ldp_rollup_reader(rollup ldp_internal.ldp_rollup, collection ldp_internal.ldp_collection, caller name,
        OUT role oid, OUT policies boolean, OUT fewest bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation pg_class;
    needed text[] := ARRAY[ldp_internal.ldp_report_column(collection.reports), 'round'] || ARRAY(
        SELECT CASE WHEN EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = collection.reports AND a.attname = b AND NOT a.attisdropped) THEN b
               ELSE regexp_replace(b, '^[a-z]+[(](.*)[)]$', E'\\1') END FROM unnest(rollup.buckets) AS b);
    reads boolean;
    hidden boolean;
BEGIN
    SELECT t.* INTO STRICT relation FROM pg_class AS t WHERE t.oid = rollup.summaries;
    IF NOT relation.relrowsecurity THEN
        SELECT t.relrowsecurity AND NOT (r.rolsuper OR r.rolbypassrls) AND (t.relforcerowsecurity OR NOT pg_has_role(caller, t.relowner, 'USAGE'))
        INTO hidden FROM pg_class AS t, pg_roles AS r WHERE t.oid = collection.reports AND r.rolname = caller;
        IF hidden THEN
            RAISE EXCEPTION USING
                ERRCODE = 'insufficient_privilege',
                MESSAGE = format('permission denied: collection "%s" has row-level policies', collection.name),
                DETAIL = format('Rollup "%s" includes reports that policies hide from role "%s".', rollup.name, caller),
                HINT = 'Query the reports directly; or let the owner enable row-level security on the rollup''s table, create policies, and grant SELECT.';
        END IF;
        reads := has_schema_privilege(caller, relation.relnamespace, 'USAGE') AND NOT EXISTS (
            SELECT FROM unnest(needed) AS n LEFT JOIN pg_attribute AS a ON a.attrelid = collection.reports AND a.attname = n AND NOT a.attisdropped
            WHERE has_column_privilege(caller, collection.reports, a.attnum, 'SELECT') IS NOT TRUE);
        IF reads THEN
            role := relation.relowner;
            policies := false;
            fewest := 0;
            RETURN;
        END IF;
    END IF;
    SELECT r.* INTO role, policies, fewest FROM ldp_internal.ldp_reader(collection, rollup.summaries, rollup.columns || 'summary'::text, caller) AS r;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_rollup_reader(ldp_internal.ldp_rollup, ldp_internal.ldp_collection, name) IS
    'Returns how a caller may read a rollup. The result has the role that reads, whether row-level policies apply, '
    'and the smallest number of reports per group. Error 42501 if the caller has no access.';

-- The offset distinguishes the repeated hour of a day on which clocks are set back. Times outside these years are in UTC.
CREATE FUNCTION ldp_internal.ldp_time_label(moment timestamptz, zone text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    there timestamp;
    ahead integer;
BEGIN
    IF (moment >= '0002-01-01 00:00:00+00' AND moment < '294275-01-01 00:00:00+00') IS NOT TRUE THEN
        RETURN to_jsonb(moment) #>> '{}';
    END IF;
    there := moment AT TIME ZONE zone;
    ahead := extract(epoch FROM there - (moment AT TIME ZONE 'UTC'));
    RETURN format('%s%s%s:%s%s', to_jsonb(there) #>> '{}', CASE WHEN ahead < 0 THEN '-' ELSE '+' END, to_char(abs(ahead) / 3600, 'FM9900'),
        to_char(abs(ahead) / 60 % 60, 'FM00'), CASE WHEN ahead % 60 <> 0 THEN ':' || to_char(abs(ahead) % 60, 'FM00') END);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_time_label(timestamptz, text) IS
    'Returns a time in ISO 8601 format in a time zone, with its offset. Times before the year 2 or after 294274 are '
    'in UTC.';

CREATE FUNCTION ldp_internal.ldp_rolled_up_as(caller name, name text, by text[], since @extschema@.ldp_time, until @extschema@.ldp_time,
        first_round integer, last_round integer) RETURNS @extschema@.ldp_group[]
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO'
    SET intervalstyle = 'postgres' SET extra_float_digits = 1 SET bytea_output = 'hex' AS $$
DECLARE
    rollup ldp_internal.ldp_rollup := ldp_internal.ldp_rollup_named(name, COALESCE(by, '{}'),
        since IS NOT NULL OR until IS NOT NULL, first_round IS NOT NULL OR last_round IS NOT NULL);
    reading record;
    condition text := 'true';
    bound record;
    column_name text;
    groups text;
    expressions text;
    source text := rollup.summaries::text;
    query text;
    shards text;
    of_groups text[];
BEGIN
    SELECT r.* INTO reading FROM ldp_internal.ldp_collection AS c,
           LATERAL ldp_internal.ldp_rollup_reader(rollup, c, caller) AS r
    WHERE c.name = rollup.collection;
    -- The beginning of a bucket decides. Bounds and times without a zone are in the zone of the rollup.
    FOR bound IN SELECT * FROM (VALUES ('>=', since, NULL::integer), ('<', until, NULL), ('>=', NULL, first_round), ('<=', NULL, last_round))
                               AS v (operator, moment, round) WHERE moment IS NOT NULL OR round IS NOT NULL LOOP
        SELECT format(CASE a.atttypid WHEN 'timestamptz'::regtype THEN 't.%I %s %L::timestamptz' WHEN 'integer'::regtype THEN 't.%I %s %L::integer'
                                      ELSE 't.%I %s %L::timestamp' END, a.attname, bound.operator,
                      CASE WHEN bound.moment IS NULL THEN bound.round::text
                           WHEN a.atttypid = 'timestamptz'::regtype THEN ldp_internal.ldp_instant(bound.moment, rollup.zone)::text
                           ELSE ldp_internal.ldp_wall_clock(bound.moment, rollup.zone)::text END)
        INTO column_name
        FROM pg_attribute AS a
        WHERE a.attrelid = rollup.summaries AND a.attname = ANY (rollup.columns)
              AND CASE WHEN bound.moment IS NULL THEN a.attname = 'round' ELSE a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) END
        ORDER BY a.attnum LIMIT 1;
        IF NOT FOUND THEN
            RAISE EXCEPTION USING
                ERRCODE = 'undefined_column',
                MESSAGE = format('rollup "%s" has no column for %s', rollup.name, CASE WHEN bound.moment IS NULL THEN 'rounds' ELSE 'times' END),
                DETAIL = ldp_internal.ldp_listed(rollup.columns),
                HINT = 'Create a rollup with this column.';
        END IF;
        condition := condition || ' AND ' || column_name;
    END LOOP;
    -- In groups of 40 columns, because a function has at most 100 arguments.
    SELECT string_agg(n.object, ' || ' ORDER BY n.chunk), string_agg(n.expressions, '' ORDER BY n.chunk) INTO groups, expressions
    FROM (SELECT b.index / 40 AS chunk, format('jsonb_build_object(%s)', string_agg(format(CASE b.result_type WHEN 'timestamp with time zone'
                     THEN '%L, ldp_internal.ldp_time_label((%s)::timestamptz, %L::text)' ELSE '%L, %s' END, b.name, b.expression, rollup.zone), ', ' ORDER BY b.index)) AS object,
                 string_agg(b.expression || ', ', '' ORDER BY b.index) AS expressions
          FROM (SELECT b.*, row_number() OVER () - 1 AS index
                FROM ldp_internal.ldp_buckets(rollup.summaries, rollup.columns, COALESCE(by, rollup.columns), rollup.zone) AS b) AS b
          GROUP BY 1) AS n;
    -- A distributed rollup has a row for each bucket and value of ldp_shard. The shards send their rows, and the sums of groups of
    -- fewer columns.
    IF EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = rollup.summaries AND a.attname = 'ldp_shard' AND NOT a.attisdropped) THEN
        of_groups := ARRAY(SELECT c FROM unnest(rollup.columns) AS c
                           WHERE by IS NULL OR c = ANY (by) OR c IN (SELECT regexp_replace(b, '^[a-z]+[(](.*)[)]$', E'\\1') FROM unnest(by) AS b));
        SELECT format(CASE WHEN cardinality(of_groups) = cardinality(rollup.columns) OR bool_or(NOT n.collisdeterministic)
                           THEN 'SELECT t.bucket, %1$s ldp_internal.ldp_agg_state_send(ldp_internal.ldp_agg_add(NULL, t.summary)) AS summary FROM %2$s AS t WHERE %3$s'
                           ELSE 'SELECT %5$s ldp_internal.ldp_agg_state_send(ldp_internal.ldp_agg_add(NULL, %4$s.ldp_rollup(t.summary))) AS summary FROM %2$s AS t '
                                'WHERE %3$s GROUP BY %5$s t.ldp_shard' END,
                      COALESCE(string_agg(format('t.%I, ', a.attname), '' ORDER BY a.attnum), ''), source, condition, ldp_internal.ldp_schema(),
                      COALESCE(string_agg(format('t.%I, ', a.attname), '' ORDER BY a.attnum) FILTER (WHERE a.attname = ANY (of_groups)), ''))
        INTO shards
        FROM pg_attribute AS a LEFT JOIN pg_collation AS n ON n.oid = a.attcollation WHERE a.attrelid = rollup.summaries AND a.attname = ANY (rollup.columns);
        source := 'ldp_shard_rows';
        condition := 'true';
    END IF;
    query := format('SELECT array_agg(ROW(g.name, g.summary)::%1$s.ldp_group ORDER BY g.index) FROM '
                    '(SELECT %2$s AS name, %1$s.ldp_rollup(t.summary) AS summary, row_number() OVER (ORDER BY %3$s count(*)) AS index '
                    'FROM %4$s AS t WHERE %5$s GROUP BY %3$s () HAVING %1$s.ldp_count(%1$s.ldp_rollup(t.summary)) >= %6$s) AS g',
                    ldp_internal.ldp_schema(), COALESCE(groups, 'jsonb_build_object()'), expressions, source, condition, reading.fewest);
    RETURN CASE WHEN shards IS NULL THEN ldp_internal.ldp_run_as(reading.role, reading.policies, query, NULL::@extschema@.ldp_group[])
                ELSE ldp_internal.ldp_run_over_shards(reading.role, reading.policies, shards, query, NULL::@extschema@.ldp_group[]) END;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_rolled_up_as(name, text, text[], @extschema@.ldp_time, @extschema@.ldp_time, integer, integer) IS
    'Implements ldp_groups_of for a rollup and this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_missing_values(name text) RETURNS TABLE ("column" text, missing bigint, reports bigint)
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.key, COALESCE(sum(@extschema@.ldp_count(g.summary::@extschema@.ldp_summary)) FILTER (WHERE c.value = 'null'), 0)::bigint, sum(@extschema@.ldp_count(g.summary::@extschema@.ldp_summary))::bigint
    FROM unnest(@extschema@.ldp_groups_of($1, NULL::text[], NULL::@extschema@.ldp_time, NULL::@extschema@.ldp_time, NULL::integer, NULL::integer)) AS g (group_key, summary), LATERAL jsonb_each(g.group_key) AS c GROUP BY c.key ORDER BY c.key
$$;
COMMENT ON FUNCTION @extschema@.ldp_missing_values(text) IS
    'Returns for each column of a rollup the number of reports in buckets where the column is NULL, and the number '
    'of all reports. A growing number indicates clients that do not send a public column.';

REVOKE ALL ON FUNCTION
    ldp_internal.ldp_rolled_up_as(name, text, text[], @extschema@.ldp_time, @extschema@.ldp_time, integer, integer)
    FROM PUBLIC;
