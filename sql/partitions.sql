
-- Partitions ------------------------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.ldp_partitions(reports regclass)
    RETURNS TABLE (part regclass, key text, key_type regtype, begins text, ends text)
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
    SELECT t.oid::regclass, a.attname::text, a.atttypid::regtype, NULLIF(b.bounds[1], 'MINVALUE'), NULLIF(b.bounds[2], 'MAXVALUE')
    FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
         JOIN pg_inherits AS i ON i.inhparent = p.partrelid JOIN pg_class AS t ON t.oid = i.inhrelid,
         LATERAL regexp_match(pg_get_expr(t.relpartbound, t.oid), '^FOR VALUES FROM [(]''?([^'']*)''?[)] TO [(]''?([^'']*)''?[)]$') AS b (bounds)
    WHERE p.partrelid = $1 AND p.partstrat = 'r' AND p.partnatts = 1
$$;
COMMENT ON FUNCTION @extschema@.ldp_partitions(regclass) IS
    'Returns the range partitions of a table: the partition, the partitioning column, its type, and both ends of the '
    'range. An unbounded end is NULL; the default partition has NULL for both.';

CREATE FUNCTION ldp_internal.ldp_add_partition(reports regclass, key text, low text, high text, part text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = 'warning' AS $$
DECLARE
    owner oid := ldp_internal.ldp_owner(reports);
    of_name text := (SELECT format('%s.%s', t.relnamespace::regnamespace, ldp_internal.ldp_partition_name(t.relname, part))
                     FROM pg_class AS t WHERE t.oid = reports);
    rest regclass := (SELECT NULLIF(p.partdefid, 0) FROM pg_partitioned_table AS p WHERE p.partrelid = reports);
    rounds text := (SELECT pg_get_constraintdef(c.oid) FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'round_is_open');
    columns text := (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a
                     WHERE a.attrelid = reports AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '');
BEGIN
    PERFORM ldp_internal.ldp_change_as(owner, format('CREATE TABLE %s (LIKE %s INCLUDING ALL)', of_name, reports));
    -- Reports that arrived early are in the default partition. Their rounds may be closed by now.
    PERFORM ldp_internal.ldp_change_as(owner, format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS round_is_open', of_name));
    IF rest IS NOT NULL THEN
        PERFORM ldp_internal.ldp_change_as(owner, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', rest));
        PERFORM ldp_internal.ldp_change_as(owner, format(
            'WITH moved AS (DELETE FROM %s AS t WHERE t.%I >= %L AND t.%2$I < %4$L RETURNING %5$s) INSERT INTO %6$s (%5$s) SELECT * FROM moved',
            rest, key, low, high, columns, of_name));
    END IF;
    IF rounds IS NOT NULL THEN
        PERFORM ldp_internal.ldp_change_as(owner, format('ALTER TABLE %s ADD CONSTRAINT round_is_open %s', of_name, rounds));
    END IF;
    PERFORM ldp_internal.ldp_change_as(owner, format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', reports, of_name, low, high));
    IF ldp_internal.ldp_is_distributed(reports) THEN  -- Citus has copied the moved reports into shards
        PERFORM ldp_internal.ldp_change_as(owner, format('SELECT (pg_catalog.truncate_local_data_after_distributing_table(%L) IS NULL)::integer::bigint', of_name));
    END IF;
    -- Moved reports keep their stamps.
    INSERT INTO ldp_internal.ldp_rollup_part (rollup, part)
    SELECT r.name, t.oid FROM ldp_internal.ldp_rollup AS r, pg_class AS t
    WHERE r.collection = (SELECT c.name FROM ldp_internal.ldp_collection AS c WHERE c.reports = ldp_add_partition.reports) AND t.oid = of_name::regclass;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_add_partition(regclass, text, text, text, text) IS
    'Adds a partition from low (included) to high (excluded) to a collection''s table, and moves rows of this range '
    'from the default partition into it.';

CREATE FUNCTION ldp_internal.ldp_partition_key(collection ldp_internal.ldp_collection, OUT key text, OUT type regtype)
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT a.attname, a.atttypid INTO key, type FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
    WHERE p.partrelid = collection.reports AND p.partstrat = 'r' AND p.partnatts = 1;
    IF type IN ('integer', 'date', 'timestamp', 'timestamptz') IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'wrong_object_type',
            MESSAGE = format('collection "%s" is not partitioned by a range of rounds or times', collection.name),
            HINT = 'To create a partitioned collection, call ldp_create_collection with partition_by.';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_partition_key(ldp_internal.ldp_collection) IS
    'Returns the name and type of the partitioning column of a collection. Error 42809 if the table is not '
    'partitioned by a range of rounds or times.';

CREATE FUNCTION ldp_internal.ldp_check_steps(possible boolean) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF possible IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'invalid range of partitions',
            HINT = 'Specify an end and a positive step, for at most 10000 partitions in one call. Use ldp_add_partitions for '
                   'partitions by time and ldp_add_round_partitions for partitions by round.';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_check_steps(boolean) IS
    'Raises error 22023 unless the requested partitions are possible.';

-- A transaction holds the locks of all tables, indexes and TOAST tables that it creates or drops until it ends: eleven of a new
-- partition with a rollup. All sessions share the table of locks.
CREATE FUNCTION ldp_internal.ldp_most_partitions() RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT GREATEST(current_setting('max_locks_per_transaction')::integer
        * (current_setting('max_connections')::integer + current_setting('max_prepared_transactions')::integer) / 16, 10)
$$;
COMMENT ON FUNCTION ldp_internal.ldp_most_partitions() IS
    'Returns the largest number of partitions that one transaction adds or drops, so that the server has locks for other sessions.';

CREATE FUNCTION ldp_internal.ldp_check_locks(partitions bigint) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF partitions > ldp_internal.ldp_most_partitions() THEN
        RAISE EXCEPTION USING
            ERRCODE = 'program_limit_exceeded',
            MESSAGE = 'too many partitions in one call',
            DETAIL = format('%s partitions are requested. The locks of this server are enough for %s in one transaction.', partitions, ldp_internal.ldp_most_partitions()),
            HINT = 'Call the function several times with an earlier end, use longer steps, or increase max_locks_per_transaction.';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_check_locks(bigint) IS
    'Raises error 54000 if a transaction cannot hold the locks of this number of new partitions.';

CREATE FUNCTION ldp_internal.ldp_add_partitions_as(caller name, name text, until @extschema@.ldp_time, step interval, since @extschema@.ldp_time) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
    collection ldp_internal.ldp_collection := ldp_internal.ldp_own_collection(caller, name);
    partition_column record := ldp_internal.ldp_partition_key(collection);
    last timestamptz := ldp_internal.ldp_instant(until, 'UTC');
    first timestamptz := COALESCE(ldp_internal.ldp_instant(since, 'UTC'), now());
    low timestamptz;
    high timestamptz;
    added integer := 0;
BEGIN
    PERFORM ldp_internal.ldp_check_steps(partition_column.type <> 'integer'::regtype AND isfinite(last) AND isfinite(first) AND step > '0'
        AND (partition_column.type <> 'date'::regtype OR step >= '1 day'));
    SELECT COALESCE(max(p.ends::timestamptz), date_trunc('day', first)) INTO low FROM @extschema@.ldp_partitions(collection.reports::regclass) AS p;
    PERFORM ldp_internal.ldp_check_steps(last - low < 10000 * step);
    PERFORM ldp_internal.ldp_check_locks(count(*)) FROM generate_series(low, last - interval '1 microsecond', step) AS g;
    WHILE low < last LOOP
        high := low + step;
        PERFORM ldp_internal.ldp_add_partition(collection.reports, partition_column.key,
            (CASE partition_column.type WHEN 'timestamptz'::regtype THEN low::text ELSE low::timestamp::text END),
            (CASE partition_column.type WHEN 'timestamptz'::regtype THEN high::text ELSE high::timestamp::text END),
            to_char(low, CASE WHEN low = date_trunc('day', low) THEN 'YYYYMMDD' ELSE 'YYYYMMDD_HH24MI' END));
        low := high;
        added := added + 1;
    END LOOP;
    RETURN added;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_add_partitions_as(name, text, @extschema@.ldp_time, interval, @extschema@.ldp_time) IS
    'Implements ldp_add_partitions for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_add_partitions(name text, until @extschema@.ldp_time, step interval DEFAULT '1 day', since @extschema@.ldp_time DEFAULT NULL) RETURNS integer
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_add_partitions(text, @extschema@.ldp_time, interval, @extschema@.ldp_time) IS
    'Adds partitions of length step to a collection partitioned by time, until the time until is covered, and '
    'returns their number. The first one starts at the end of the last partition, or at since, or at the beginning '
    'of the current day (UTC). Times without an offset are in UTC.';

CREATE FUNCTION ldp_internal.ldp_add_round_partitions_as(caller name, name text, last integer, step integer, first integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection ldp_internal.ldp_collection := ldp_internal.ldp_own_collection(caller, name);
    partition_column record := ldp_internal.ldp_partition_key(collection);
    low bigint;
    added integer := 0;
BEGIN
    PERFORM ldp_internal.ldp_check_steps(partition_column.type = 'integer'::regtype AND step > 0 AND last::bigint + step < 2147483647);
    SELECT COALESCE(max(p.ends::bigint), first) INTO low FROM @extschema@.ldp_partitions(collection.reports::regclass) AS p;
    PERFORM ldp_internal.ldp_check_steps(last - low < 10000::bigint * step);
    PERFORM ldp_internal.ldp_check_locks((last - low) / step + 1);
    WHILE low <= last LOOP
        PERFORM ldp_internal.ldp_add_partition(collection.reports, partition_column.key, low::text, (low + step)::text, low::text);
        low := low + step;
        added := added + 1;
    END LOOP;
    RETURN added;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_add_round_partitions_as(name, text, integer, integer, integer) IS
    'Implements ldp_add_round_partitions for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_add_round_partitions(name text, last integer, step integer DEFAULT 1, first integer DEFAULT 0) RETURNS integer
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_add_round_partitions(text, integer, integer, integer) IS
    'Adds partitions of step rounds to a collection partitioned by round, until the round last is covered, and '
    'returns their number. The first one starts at the end of the last partition, or at the round first.';

REVOKE ALL ON FUNCTION
    ldp_internal.ldp_add_partition(regclass, text, text, text, text),
    ldp_internal.ldp_add_partitions_as(name, text, @extschema@.ldp_time, interval, @extschema@.ldp_time),
    ldp_internal.ldp_add_round_partitions_as(name, text, integer, integer, integer)
    FROM PUBLIC;
