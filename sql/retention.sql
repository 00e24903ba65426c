
-- Retention -------------------------------------------------------------------------------------------------
-- A report is deleted when every rollup of its collection has counted it, and not before. Where that is in doubt, it stays.

CREATE FUNCTION @extschema@.ldp_prune_below(caller name, collection @extschema@.ldp_collection, key text, below text,
        OUT partitions bigint, OUT rows bigint)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reports regclass := collection.reports;
    owner oid := @extschema@.ldp_owner(reports);
    uncounted text;
    part record;
    whole boolean;
BEGIN
    IF below IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed',
            MESSAGE = 'the bound below which reports are deleted must not be NULL';
    END IF;
    PERFORM @extschema@.ldp_refresh_as(caller, r.name) FROM @extschema@.ldp_rollups AS r WHERE r.collection = ldp_prune_below.collection.name;
    SELECT @extschema@.ldp_unstamped() || ' OR ' || string_agg(@extschema@.ldp_uncounted(r), ' OR ') INTO uncounted
    FROM @extschema@.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries WHERE r.collection = ldp_prune_below.collection.name;
    IF uncounted IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('collection "%s" has no rollup', collection.name),
            DETAIL = 'Its reports are counted nowhere.',
            HINT = 'Create one with ldp_create_rollup; or delete the reports yourself.';
    END IF;
    partitions := 0;
    rows := 0;
    FOR part IN SELECT p.part, p.key_type, p.ends FROM @extschema@.ldp_partitions(reports) AS p WHERE p.key = ldp_prune_below.key AND p.ends IS NOT NULL LOOP
        EXECUTE format('SELECT %L::%s <= %L', part.ends, part.key_type, below) INTO whole;
        -- Also not one that the refresh did not find.
        CONTINUE WHEN whole IS NOT TRUE OR EXISTS (
            SELECT FROM @extschema@.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries, LATERAL @extschema@.ldp_parts(part.part) AS leaf
            WHERE r.collection = ldp_prune_below.collection.name AND NOT EXISTS (
                SELECT FROM @extschema@.ldp_rollup_part AS p WHERE p.rollup = r.name AND p.part = leaf AND p.counted IS NULL));
        -- Submitters lock the whole before the part, too. Nobody can add to it now.
        PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', reports));
        PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', part.part));
        IF @extschema@.ldp_change_as(owner, format('SELECT count(*) FROM (SELECT FROM %s AS t WHERE %s LIMIT 1) AS any_one', part.part, uncounted)) = 0 THEN
            PERFORM @extschema@.ldp_change_as(owner, format('DROP TABLE %s', part.part));
            partitions := partitions + 1;
        END IF;
    END LOOP;
    rows := @extschema@.ldp_change_as(owner, format('DELETE FROM %s AS t WHERE t.%I < %L AND (%s) IS NOT TRUE', reports, key, below, uncounted));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_prune_below(name, @extschema@.ldp_collection, text, text) IS
    'deletes the reports of a collection whose column is below a value, as far as all its rollups have counted them: partitions, and '
    'rows of those that stay';

CREATE FUNCTION @extschema@.ldp_prune_as(caller name, name text, before timestamptz, "column" text, OUT partitions bigint, OUT rows bigint, OUT undated bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
    collection @extschema@.ldp_collection := @extschema@.ldp_own_collection(caller, name);
    times text[] := ARRAY(
        SELECT a.attname::text FROM pg_attribute AS a LEFT JOIN pg_partitioned_table AS p ON p.partrelid = a.attrelid AND p.partattrs[0] = a.attnum
        WHERE a.attrelid = collection.reports AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)
        ORDER BY p.partrelid IS NULL, a.attnum);
    key text := COALESCE("column", times[1]);
BEGIN
    IF (key = ANY (times)) IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_column',
            MESSAGE = format('reports of collection "%s" have no time%s', name, ' "' || key || '"'),
            DETAIL = @extschema@.ldp_listed(times),
            HINT = 'Give a time, and the side column that has it; ldp_prune_rounds goes by rounds.';
    END IF;
    SELECT p.partitions, p.rows INTO partitions, rows
    FROM pg_attribute AS a, LATERAL @extschema@.ldp_prune_below(caller, collection, key,
        CASE a.atttypid WHEN 'timestamptz'::regtype THEN before::text WHEN 'date'::regtype THEN before::date::text ELSE before::timestamp::text END) AS p
    WHERE a.attrelid = collection.reports AND a.attname = key;
    undated := @extschema@.ldp_change_as(@extschema@.ldp_owner(collection.reports), format('SELECT count(*) FROM %s AS t WHERE t.%I IS NULL', collection.reports, key));
    IF undated > 0 THEN
        RAISE WARNING USING
            MESSAGE = format('%s rows of collection "%s" have no "%s", so they are never pruned by it', undated, name, key),
            HINT = format('Set it in these rows, and let the column have a default: ALTER TABLE %s ALTER %I SET DEFAULT now().', collection.reports, key);
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_prune_as(name, text, timestamptz, text) IS 'ldp_prune, of this caller';

CREATE FUNCTION @extschema@.ldp_prune(name text, before timestamptz, "column" text DEFAULT NULL, OUT partitions bigint, OUT rows bigint, OUT undated bigint)
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_prune(text, timestamptz, text) IS
    'deletes the reports of a collection from before a time, by the side column that it is partitioned by, the first with a time, or the '
    'one named: after a refresh, what all its rollups have counted. Returns the number of partitions dropped, the number of rows deleted from '
    'others, and the number of rows that stay because the column is NULL, about which it also warns';

CREATE FUNCTION @extschema@.ldp_prune_rounds_as(caller name, name text, before integer, OUT partitions bigint, OUT rows bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT p.partitions, p.rows INTO partitions, rows
    FROM @extschema@.ldp_prune_below(caller, @extschema@.ldp_own_collection(caller, name), 'round', before::text) AS p;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_prune_rounds_as(name, text, integer) IS 'ldp_prune_rounds, of this caller';

CREATE FUNCTION @extschema@.ldp_prune_rounds(name text, before integer, OUT partitions bigint, OUT rows bigint)
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_prune_rounds(text, integer) IS 'the same of the reports of rounds before this one';

-- A client keeps a batch until it knows that it was counted. One that is sent again after its record is gone counts twice.
CREATE FUNCTION @extschema@.ldp_prune_batches_as(caller name, name text, before timestamptz) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection @extschema@.ldp_collection := @extschema@.ldp_own_collection(caller, name);
    pruned bigint;
BEGIN
    IF before > now() - interval '1 day' IS NOT FALSE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'records of batches are kept for a day at least',
            DETAIL = 'A batch whose record is gone would be counted again if it were sent again.',
            HINT = 'Keep them for longer than any client may be offline with a batch that it has sent and got no answer for; by default that is a year.';
    END IF;
    DELETE FROM @extschema@.ldp_batch AS b WHERE b.collection = ldp_prune_batches_as.name AND b.claimed < before;
    GET DIAGNOSTICS pruned = ROW_COUNT;
    RETURN pruned;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_prune_batches_as(name, text, timestamptz) IS 'ldp_prune_batches, of this caller';

CREATE FUNCTION @extschema@.ldp_prune_batches(name text, before timestamptz DEFAULT now() - interval '1 year') RETURNS bigint
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_prune_batches(text, timestamptz) IS
    'forgets the batches of a collection that were counted before a time, by default a year ago; returns how many. No client may send '
    'one of them again';

REVOKE ALL ON FUNCTION
    @extschema@.ldp_prune_below(name, @extschema@.ldp_collection, text, text),
    @extschema@.ldp_prune_as(name, text, timestamptz, text),
    @extschema@.ldp_prune_rounds_as(name, text, integer),
    @extschema@.ldp_prune_batches_as(name, text, timestamptz)
    FROM PUBLIC;
