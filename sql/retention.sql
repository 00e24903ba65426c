
-- Retention -------------------------------------------------------------------------------------------------
-- A report is deleted only after every rollup of its collection has counted it. In case of doubt, the report is kept.

CREATE FUNCTION ldp_internal.ldp_prune_below(caller name, collection ldp_internal.ldp_collection, key text, below text,
        OUT partitions bigint, OUT rows bigint)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reports regclass := collection.reports;
    owner oid := ldp_internal.ldp_owner(reports);
    uncounted text;
    part record;
    whole boolean;
    most integer := ldp_internal.ldp_most_partitions();
BEGIN
    IF below IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed',
            MESSAGE = 'the bound below which reports are deleted must not be NULL';
    END IF;
    IF ldp_internal.ldp_has_foreign_parts(reports) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'feature_not_supported',
            MESSAGE = format('reports of collection "%s" cannot be pruned here: some are on other servers', collection.name),
            DETAIL = 'Only the server of a rollup can determine which reports the rollup has counted.',
            HINT = 'Call ldp_prune or ldp_prune_rounds on each server, for the collection of its own table.';
    END IF;
    PERFORM ldp_internal.ldp_refresh_as(caller, r.name) FROM @extschema@.ldp_rollups AS r WHERE r.collection = ldp_prune_below.collection.name;
    SELECT ldp_internal.ldp_unstamped() || ' OR ' || string_agg(ldp_internal.ldp_uncounted(r), ' OR ') INTO uncounted
    FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries WHERE r.collection = ldp_prune_below.collection.name;
    IF uncounted IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('collection "%s" has no rollup', collection.name),
            DETAIL = 'Deleted reports would be missing from all estimates.',
            HINT = 'Create a rollup with ldp_create_rollup, or delete the reports with DELETE.';
    END IF;
    partitions := 0;
    rows := 0;
    FOR part IN SELECT p.part, p.key_type, p.ends FROM @extschema@.ldp_partitions(reports) AS p WHERE p.key = ldp_prune_below.key AND p.ends IS NOT NULL LOOP
        EXECUTE format('SELECT %L::%s <= %L', part.ends, part.key_type, below) INTO whole;
        -- Keep partitions that were attached after the refresh.
        CONTINUE WHEN whole IS NOT TRUE OR EXISTS (
            SELECT FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries, LATERAL ldp_internal.ldp_parts(part.part) AS leaf
            WHERE r.collection = ldp_prune_below.collection.name AND NOT EXISTS (
                SELECT FROM ldp_internal.ldp_rollup_part AS p WHERE p.rollup = r.name AND p.part = leaf AND p.counted IS NULL));
        IF partitions >= most THEN
            RAISE NOTICE USING
                MESSAGE = format('collection "%s" has more partitions to drop', collection.name),
                DETAIL = format('One call drops at most %s partitions, because the transaction holds their locks.', most),
                HINT = 'Call the function again in another transaction.';
            RETURN;
        END IF;
        -- Submissions lock the parent before the partition, too. After the locks, no report can be added.
        PERFORM ldp_internal.ldp_change_as(owner, format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', reports));
        PERFORM ldp_internal.ldp_change_as(owner, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', part.part));
        -- On several servers, prepared transactions do not hold these locks, but those of their epochs.
        CONTINUE WHEN ldp_internal.ldp_shard_column(collection) IS NOT NULL AND
            (SELECT e.locked <> '{}' FROM ldp_internal.ldp_end_epoch(reports::oid::bigint, 0) AS e);
        IF ldp_internal.ldp_change_as(owner, format('SELECT count(*) FROM (SELECT 1 AS one FROM %s AS t WHERE %s LIMIT 1) AS any_one', part.part, uncounted)) = 0 THEN
            PERFORM ldp_internal.ldp_change_as(owner, format('DROP TABLE %s', part.part));
            partitions := partitions + 1;
        END IF;
    END LOOP;
    rows := ldp_internal.ldp_change_as(owner, format('DELETE FROM %s AS t WHERE t.%I < %L AND (%s) IS NOT TRUE', reports, key, below, uncounted));
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_prune_below(name, ldp_internal.ldp_collection, text, text) IS
    'Deletes the reports of a collection whose column is below a value, provided that all rollups have counted them. '
    'Drops whole partitions and deletes rows from the others; returns both numbers.';

CREATE FUNCTION ldp_internal.ldp_prune_as(caller name, name text, before @extschema@.ldp_time, "column" text, OUT partitions bigint, OUT rows bigint, OUT undated bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
    collection ldp_internal.ldp_collection := ldp_internal.ldp_own_collection(caller, name);
    times text[] := ARRAY(
        SELECT a.attname::text FROM pg_attribute AS a LEFT JOIN pg_partitioned_table AS p ON p.partrelid = a.attrelid AND p.partattrs[0] = a.attnum
        WHERE a.attrelid = collection.reports AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)
        ORDER BY p.partrelid IS NULL, a.attnum);
    key text := COALESCE("column", times[1]);
    -- With several zones, the earliest time counts: the report is kept.
    zones text[] := ARRAY(SELECT DISTINCT r.zone FROM @extschema@.ldp_rollups AS r WHERE r.collection = ldp_prune_as.name);
BEGIN
    IF (key = ANY (times)) IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_column',
            MESSAGE = format('reports of collection "%s" have no time%s', name, ' "' || key || '"'),
            DETAIL = ldp_internal.ldp_listed(times),
            HINT = 'Specify a public column with a time. To delete by round, use ldp_prune_rounds.';
    END IF;
    SELECT p.partitions, p.rows INTO partitions, rows
    FROM pg_attribute AS a, LATERAL ldp_internal.ldp_prune_below(caller, collection, key,
        (SELECT CASE a.atttypid WHEN 'timestamptz'::regtype THEN min(ldp_internal.ldp_instant(before, z.zone))::text
                                WHEN 'date'::regtype THEN min(ldp_internal.ldp_wall_clock(before, z.zone))::date::text
                                ELSE min(ldp_internal.ldp_wall_clock(before, z.zone))::text END FROM unnest(zones) AS z (zone))) AS p
    WHERE a.attrelid = collection.reports AND a.attname = key;
    undated := ldp_internal.ldp_change_as(ldp_internal.ldp_owner(collection.reports), format('SELECT count(*) FROM %s AS t WHERE t.%I IS NULL', collection.reports, key));
    IF undated > 0 THEN
        RAISE WARNING USING
            MESSAGE = format('%s rows of collection "%s" have NULL in column "%s" and are not pruned', undated, name, key),
            HINT = format('Update these rows, and set a default: ALTER TABLE %s ALTER %I SET DEFAULT now().', collection.reports, key);
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_prune_as(name, text, @extschema@.ldp_time, text) IS
    'Implements ldp_prune for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_prune(name text, before @extschema@.ldp_time, "column" text DEFAULT NULL, OUT partitions bigint, OUT rows bigint, OUT undated bigint)
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_prune(text, @extschema@.ldp_time, text) IS
    'Deletes the reports of a collection from before a time. It refreshes the rollups first and deletes only reports '
    'that all rollups have counted. A time without an offset from UTC is in the time zone of the rollups; if they have '
    'several, the earliest of these times counts. One call drops as many partitions as the server has locks for; a '
    'notice states that others remain. The argument "column" is a public column with a time; by default the '
    'partitioning column, or else the first public column with a time. Returns the number of partitions dropped, the '
    'number of rows deleted from other partitions, and the number of rows kept because the column is NULL. Such rows '
    'also raise a warning. Error 0A000 if partitions are foreign tables: reports are deleted on their own server.';

CREATE FUNCTION ldp_internal.ldp_prune_rounds_as(caller name, name text, before integer, OUT partitions bigint, OUT rows bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT p.partitions, p.rows INTO partitions, rows
    FROM ldp_internal.ldp_prune_below(caller, ldp_internal.ldp_own_collection(caller, name), 'round', before::text) AS p;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_prune_rounds_as(name, text, integer) IS
    'Implements ldp_prune_rounds for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_prune_rounds(name text, before integer, OUT partitions bigint, OUT rows bigint)
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_prune_rounds(text, integer) IS
    'Deletes the reports of a collection from rounds below a round. It refreshes the rollups first and deletes only '
    'reports that all rollups have counted. Returns the number of partitions dropped and of rows deleted from others. '
    'Error 0A000 if partitions are foreign tables: reports are deleted on their own server.';

-- A client keeps a batch until the server confirms it. If a batch is repeated after its record was deleted, it is counted twice.
CREATE FUNCTION ldp_internal.ldp_prune_batches_as(caller name, name text, before @extschema@.ldp_time) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection ldp_internal.ldp_collection := ldp_internal.ldp_own_collection(caller, name);
    -- In the DELETE, the STABLE function would be evaluated for each record.
    bound timestamptz := ldp_internal.ldp_instant(before, 'UTC');
    pruned bigint;
BEGIN
    IF bound > now() - interval '1 day' IS NOT FALSE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'records of batches must be kept for at least one day',
            DETAIL = 'If a batch is repeated after its record was deleted, it is counted twice.',
            HINT = 'Keep the records longer than a client may be offline with an unconfirmed batch. The default is one year.';
    END IF;
    DELETE FROM ldp_internal.ldp_batch AS b WHERE b.collection = ldp_prune_batches_as.name AND b.claimed < bound;
    GET DIAGNOSTICS pruned = ROW_COUNT;
    RETURN pruned;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_prune_batches_as(name, text, @extschema@.ldp_time) IS
    'Implements ldp_prune_batches for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_prune_batches(name text, before @extschema@.ldp_time DEFAULT now() - interval '1 year') RETURNS bigint
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_prune_batches(text, @extschema@.ldp_time) IS
    'Deletes the records of batches that were counted before a time, by default one year ago, and returns their '
    'number. A time without an offset is in UTC. Clients must not send these batches again: a repetition would be '
    'counted twice.';

REVOKE ALL ON FUNCTION
    ldp_internal.ldp_prune_below(name, ldp_internal.ldp_collection, text, text),
    ldp_internal.ldp_prune_as(name, text, @extschema@.ldp_time, text),
    ldp_internal.ldp_prune_rounds_as(name, text, integer),
    ldp_internal.ldp_prune_batches_as(name, text, @extschema@.ldp_time)
    FROM PUBLIC;
