-- Length: creation, refresh, reading and retention of a rollup depend on the same stamps and rights.

-- Rollups ---------------------------------------------------------------------------------------------------
-- A rollup is a table with one summary for each bucket of a collection's reports, for example for each day and country. A
-- refresh adds the reports that arrived since the last refresh, each exactly once.
--
-- A refresh finds new reports by their stamps in the column ldp_arrival, which the first rollup adds to the table. The stamp
-- is the number of the transaction that inserted the report. A refresh takes a snapshot and counts the reports of all
-- transactions that ended between the last snapshot and this one. It stores its progress as the first stamp that is not
-- counted (counted), and the smaller stamps whose transactions were still open (open). Therefore refreshes and submissions
-- do not wait for each other, regardless of the order and duration of transactions.
--
-- Transaction numbers are valid in one cluster only. The default of the column contains the database in which it creates
-- stamps (home) and an offset for them. In a copy of the database the default is NULL until the first refresh. That refresh
-- locks the table, counts all uncounted reports, and makes the copy the home of later stamps. Therefore stamps keep their
-- meaning, and a dump needs only the rows.
--
-- In a table that Citus distributes, the stamps are epochs instead of transaction numbers (sql/epochs.sql); then the offset in
-- ldp_collection.stamp is NULL. The refresh counts the stamps in [counted, first_not) without open, in both cases. The rollup
-- is distributed like the collection and has one row for each bucket and value of the distribution column (ldp_shard), so
-- that every server counts its own reports.

CREATE TABLE ldp_internal.ldp_rollup (
    name       text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 63),
    collection text NOT NULL,
    summaries  regclass NOT NULL UNIQUE,
    buckets    text[] NOT NULL,
    columns    text[] NOT NULL,
    zone       text NOT NULL,
    counted    bigint NOT NULL DEFAULT 0,
    open       bigint[] NOT NULL DEFAULT '{}',
    refreshed  timestamptz
);
COMMENT ON TABLE ldp_internal.ldp_rollup IS 'all rollups and their progress; see the view ldp_rollups';
COMMENT ON COLUMN ldp_internal.ldp_rollup.name IS 'name of the rollup, as functions use it';
COMMENT ON COLUMN ldp_internal.ldp_rollup.collection IS 'collection whose reports the rollup counts';
COMMENT ON COLUMN ldp_internal.ldp_rollup.summaries IS 'table of the rollup';
COMMENT ON COLUMN ldp_internal.ldp_rollup.buckets IS
    'columns and units of time that define a bucket, as given to ldp_create_rollup';
COMMENT ON COLUMN ldp_internal.ldp_rollup.columns IS 'names of these columns in the table of the rollup';
COMMENT ON COLUMN ldp_internal.ldp_rollup.zone IS 'time zone of days and other units of time';
COMMENT ON COLUMN ldp_internal.ldp_rollup.counted IS
    'smallest stamp of reports that are not counted yet, apart from the stamps in open';
COMMENT ON COLUMN ldp_internal.ldp_rollup.open IS
    'smaller stamps whose transactions had not ended at the last refresh; their reports are not counted yet';
COMMENT ON COLUMN ldp_internal.ldp_rollup.refreshed IS
    'time of the last refresh; reports committed before it are counted';
CREATE INDEX ldp_rollup_collection ON ldp_internal.ldp_rollup (collection);
COMMENT ON INDEX ldp_internal.ldp_rollup_collection IS 'finds the rollups of a collection';
SELECT pg_extension_config_dump('ldp_internal.ldp_rollup',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS t WHERE t.oid = summaries)');

-- Stamps identify the counted reports of a table, but not those of a partition that was filled elsewhere and then attached.
-- Therefore each rollup has a row for each partition whose stamps it follows. The row of a detached partition stores the
-- progress of the rollup at that time.
CREATE TABLE ldp_internal.ldp_rollup_part (
    rollup  text,
    part    regclass,
    counted bigint,
    open    bigint[],
    pages   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (rollup, part)
);
COMMENT ON TABLE ldp_internal.ldp_rollup_part IS 'tables and partitions whose reports each rollup counts by stamp';
COMMENT ON COLUMN ldp_internal.ldp_rollup_part.rollup IS 'name of the rollup';
COMMENT ON COLUMN ldp_internal.ldp_rollup_part.part IS 'the partition, or the table itself if it has no partitions';
COMMENT ON COLUMN ldp_internal.ldp_rollup_part.counted IS
    'NULL while the partition is attached; otherwise ldp_rollup.counted at the time the partition was found detached';
COMMENT ON COLUMN ldp_internal.ldp_rollup_part.open IS 'ldp_rollup.open at that time';
COMMENT ON COLUMN ldp_internal.ldp_rollup_part.pages IS
    'lower bound of the number of pages that the index on stamps summarizes';
SELECT pg_extension_config_dump('ldp_internal.ldp_rollup_part',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS t WHERE t.oid = part)');

CREATE VIEW @extschema@.ldp_rollups AS
    SELECT r.name, r.collection, r.summaries, r.buckets, r.zone, r.refreshed, cardinality(r.open) AS open
    FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries;
COMMENT ON VIEW @extschema@.ldp_rollups IS 'rollups and the time of their last refresh; readable by everyone';
COMMENT ON COLUMN @extschema@.ldp_rollups.name IS 'name of the rollup, as functions use it';
COMMENT ON COLUMN @extschema@.ldp_rollups.collection IS 'collection whose reports the rollup counts';
COMMENT ON COLUMN @extschema@.ldp_rollups.summaries IS 'table of the rollup';
COMMENT ON COLUMN @extschema@.ldp_rollups.buckets IS
    'parts of a bucket: the round, public columns, or units of time of public columns';
COMMENT ON COLUMN @extschema@.ldp_rollups.zone IS 'time zone of days and other units of time';
COMMENT ON COLUMN @extschema@.ldp_rollups.refreshed IS 'time of the last refresh; NULL before the first one';
COMMENT ON COLUMN @extschema@.ldp_rollups.open IS
    'largest number of transactions whose reports were not counted because the transactions had not ended';

CREATE FUNCTION ldp_internal.ldp_cluster_database() RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_cluster_database() IS
    'Returns an identifier of this database and its cluster. Stamps are valid only within one of them.';

-- All rows of a transaction have the same stamp, for any number of statements and subtransactions. The function is STABLE,
-- because COPY can insert many rows at once only if no default is volatile.
CREATE FUNCTION ldp_internal.ldp_arrival(home text, above bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION ldp_internal.ldp_arrival(text, bigint) IS
    'Returns the stamp of a report that arrives now: the transaction number plus the second argument. Returns NULL '
    'if this database is not the home of the stamps. Error 22003 if the sum exceeds bigint.';

-- All rows of a statement have the same stamp, but up to version 16, PostgreSQL's BRIN opens its pages for each of them. Small
-- stamps in queries have the type integer.
CREATE FUNCTION ldp_internal.ldp_stamps_handler(internal) RETURNS index_am_handler
    AS 'MODULE_PATHNAME' LANGUAGE C;
COMMENT ON FUNCTION ldp_internal.ldp_stamps_handler(internal) IS 'Returns the routines of the access method ldp_stamps.';
CREATE ACCESS METHOD ldp_stamps TYPE INDEX HANDLER ldp_internal.ldp_stamps_handler;
COMMENT ON ACCESS METHOD ldp_stamps IS
    'BRIN whose insertions return at once for a value that the same transaction has just inserted into the same range of '
    'pages';
CREATE OPERATOR CLASS ldp_internal.ldp_stamp_ops DEFAULT FOR TYPE bigint USING ldp_stamps AS
    OPERATOR 1 pg_catalog.<, OPERATOR 2 pg_catalog.<=, OPERATOR 3 pg_catalog.=, OPERATOR 4 pg_catalog.>=, OPERATOR 5 pg_catalog.>,
    OPERATOR 1 pg_catalog.< (bigint, integer), OPERATOR 2 pg_catalog.<= (bigint, integer), OPERATOR 3 pg_catalog.= (bigint, integer),
    OPERATOR 4 pg_catalog.>= (bigint, integer), OPERATOR 5 pg_catalog.> (bigint, integer),
    FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
    FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS ldp_internal.ldp_stamp_ops USING ldp_stamps IS 'smallest and largest stamp of a range of pages';
COMMENT ON OPERATOR FAMILY ldp_internal.ldp_stamp_ops USING ldp_stamps IS 'comparison of stamps';

CREATE FUNCTION ldp_internal.ldp_summarize_stamps(index regclass) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_summarize_stamps(regclass) IS
    'Summarizes all full ranges of pages in an index of the access method ldp_stamps, as VACUUM does. Returns the number of '
    'summarized ranges. Error 42501 unless the caller owns the index.';

CREATE FUNCTION ldp_internal.ldp_change_as(role oid, command text) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_change_as(oid, text) IS
    'Runs a command with the rights of a role. Returns the number of rows changed, or the single number that the '
    'command returns.';

CREATE FUNCTION ldp_internal.ldp_listed(names text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT COALESCE('Available: "' || NULLIF(array_to_string($1, '", "'), '') || '".', 'None is available.') $$;
COMMENT ON FUNCTION ldp_internal.ldp_listed(text[]) IS 'Returns a list of names for the detail of an error message.';

CREATE FUNCTION ldp_internal.ldp_rollup_named(name text, by text[] DEFAULT NULL, timed boolean DEFAULT false, counted boolean DEFAULT false)
    RETURNS ldp_internal.ldp_rollup
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_one ldp_internal.ldp_rollup;
BEGIN
    SELECT r.* INTO found_one FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries
    WHERE r.name = ldp_rollup_named.name
          OR r.collection = ldp_rollup_named.name AND ldp_rollup_named.by IS NOT NULL
             AND r.columns @> ARRAY(SELECT regexp_replace(b, '^[a-z]+[(](.*)[)]$', E'\\1') FROM unnest(ldp_rollup_named.by) AS b)
             AND (NOT ldp_rollup_named.counted OR 'round' = ANY (r.columns))
             AND (NOT timed OR EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = r.summaries AND a.attname = ANY (r.columns)
                                       AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)))
    ORDER BY r.name = ldp_rollup_named.name DESC, cardinality(r.columns), r.name LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = format('rollup %s does not exist', COALESCE('"' || ldp_rollup_named.name || '"', 'NULL')),
            DETAIL = CASE WHEN EXISTS (SELECT FROM @extschema@.ldp_collections AS c WHERE c.name = ldp_rollup_named.name)
                          THEN CASE WHEN ldp_rollup_named.by IS NOT NULL
                                    THEN 'A collection with this name exists, but none of its rollups has all the requested columns.'
                                    ELSE 'It is the name of a collection, not of a rollup. ' || ldp_internal.ldp_listed(ARRAY(
                                         SELECT r.name FROM @extschema@.ldp_rollups AS r WHERE r.collection = ldp_rollup_named.name ORDER BY r.name)) END
                          ELSE ldp_internal.ldp_listed(ARRAY(SELECT r.name FROM @extschema@.ldp_rollups AS r ORDER BY r.name)) END,
            HINT = 'The view ldp_rollups lists all rollups. To create one, use ldp_create_rollup.';
    END IF;
    RETURN found_one;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_rollup_named(text, text[], boolean, boolean) IS
    'Returns the rollup with this name. If name is a collection, returns its rollup with the fewest columns that has '
    'all columns in by, a time column if timed, and the round if counted.';

-- Only this function translates names of buckets into expressions: a quoted column name, or a unit of time of a column with a
-- time. Every value of a column must have a bucket, because otherwise one report would make all refreshes fail. However,
-- date_trunc() fails near both ends of its range, and a date may exceed the range. Therefore times before 4712 BC are in
-- the bucket -infinity, and times from 294275 AD on in the bucket infinity.
-- The column key_text identifies the bucket. Equal values have equal texts under all settings of a session. Values that a
-- nondeterministic collation calls equal have several texts, so each text is a bucket.
CREATE FUNCTION ldp_internal.ldp_buckets(source regclass, columns text[], by text[], zone text)
    RETURNS TABLE (name text, expression text, result_type text, key_text text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part text;
    pieces text[];
    of_type oid;
    of_collation oid;
    low text;
    high text;
BEGIN
    FOREACH part IN ARRAY by LOOP
        pieces := CASE WHEN part = ANY (columns) THEN ARRAY[NULL, part]
                       ELSE regexp_match(part, '^(minute|hour|day|week|month|quarter|year)[(](.*)[)]$') END;
        SELECT a.atttypid, a.attcollation, format_type(a.atttypid, NULL) INTO of_type, of_collation, result_type
        FROM pg_attribute AS a WHERE a.attrelid = source AND a.attname = pieces[2] AND pieces[2] = ANY (columns);
        IF NOT FOUND OR pieces[1] IS NOT NULL AND of_type NOT IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) THEN
            RAISE EXCEPTION USING
                ERRCODE = 'undefined_column',
                MESSAGE = format('invalid bucket %s', COALESCE('"' || part || '"', 'NULL')),
                DETAIL = ldp_internal.ldp_listed(columns),
                HINT = 'Specify a column, or minute, hour, day, week, month, quarter or year of a column with a time, as in "day(visited)".';
        END IF;
        name := COALESCE(pieces[1], part);
        low := format('%L::%s', '4712-01-01 00:00:00+00 BC', result_type);
        high := format('%L::%s', '294275-01-01 00:00:00+00', result_type);
        expression := CASE WHEN pieces[1] IS NULL THEN
                               -- A cast moves below a COLLATE, and would then differ from the expression of GROUP BY.
                               format(CASE WHEN EXISTS (SELECT FROM pg_collation AS c WHERE c.oid = of_collation AND NOT c.collisdeterministic)
                                           THEN '(CASE WHEN true THEN t.%I COLLATE pg_catalog."C" END)' ELSE 't.%I' END, part)
                           WHEN of_type = 'timestamptz'::regtype THEN format('date_trunc(%L, t.%I, %L)', pieces[1], pieces[2], zone)
                           ELSE format('date_trunc(%L, t.%I::timestamp)::%s', pieces[1], pieces[2], result_type) END;
        IF pieces[1] IS NOT NULL THEN
            expression := format('CASE WHEN t.%1$I >= %2$s AND t.%1$I < %3$s THEN %4$s WHEN t.%1$I < %2$s THEN ''-infinity''::%5$s '
                                 'WHEN t.%1$I >= %3$s THEN ''infinity''::%5$s END', pieces[2], low, high, expression, result_type);
        END IF;
        key_text := format(CASE WHEN of_type = 'numeric'::regtype THEN 'trim_scale(%s)::text'
                             WHEN of_type IN ('float4'::regtype, 'float8'::regtype) THEN '(%s + 0)::text'  -- -0 is 0
                             ELSE '(%s)::text' END, expression);
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_buckets(regclass, text[], text[], text) IS
    'Returns for each bucket column, or unit of time of a column, its name, SQL expression over a table t, result '
    'type, and an expression of the text that identifies the bucket.';

-- Hashes the bytes of the array's text without conversion, so that values that are invalid in another encoding have a key.
CREATE FUNCTION ldp_internal.ldp_bucket_key(key_texts text[]) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT sha256(replace($1::text, chr(92), chr(92) || chr(92))::bytea) $$;
COMMENT ON FUNCTION ldp_internal.ldp_bucket_key(text[]) IS
    'Returns the key of a bucket in its rollup: a hash of fixed length of the texts that identify the bucket.';

-- Every change of a collection's rollups holds this lock until the end of the transaction. Submitters do not wait for it.
CREATE FUNCTION ldp_internal.ldp_own_collection(caller name, name text) RETURNS ldp_internal.ldp_collection
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection ldp_internal.ldp_collection;
BEGIN
    SELECT c.* INTO collection FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_own_collection.name FOR NO KEY UPDATE;
    PERFORM ldp_internal.ldp_table(name);
    PERFORM ldp_internal.ldp_check_owner(collection.reports, caller);
    RETURN collection;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_own_collection(name, text) IS
    'Locks and returns the row of ldp_collection with this name. Error 42501 unless the role owns the collection.';

CREATE FUNCTION ldp_internal.ldp_owner(source regclass) RETURNS oid
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT t.relowner FROM pg_class AS t WHERE t.oid = $1 $$;
COMMENT ON FUNCTION ldp_internal.ldp_owner(regclass) IS 'Returns the owner of a table.';

CREATE FUNCTION ldp_internal.ldp_uncounted(rollup ldp_internal.ldp_rollup) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT format('(t.ldp_arrival >= %s OR t.ldp_arrival = ANY (%L::bigint[]))', $1.counted, $1.open) $$;
COMMENT ON FUNCTION ldp_internal.ldp_uncounted(ldp_internal.ldp_rollup) IS
    'Returns the SQL condition for reports of a table t that a rollup has not counted.';

-- Only the owner can store a stamp that no transaction has. Rollups cannot use such a stamp, so a refresh replaces it.
CREATE FUNCTION ldp_internal.ldp_unstamped() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '(t.ldp_arrival IS NULL OR t.ldp_arrival < 0 OR t.ldp_arrival > 4611686018427387904)'::text $$;
COMMENT ON FUNCTION ldp_internal.ldp_unstamped() IS
    'Returns the SQL condition for reports of a table t without a stamp, or with a stamp that no transaction can '
    'have.';

-- The key of a row is a hash of its bucket, because a wide value does not fit into an index. Two values with equal texts,
-- which only types of extensions can have, share a bucket.
CREATE FUNCTION ldp_internal.ldp_roll_up_statement(rollup ldp_internal.ldp_rollup, collection ldp_internal.ldp_collection, source text,
        condition text, odd text, shard text DEFAULT NULL) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names text;
    named text;
    expressions text;
    key_texts text;
    lost text := (SELECT s.source FROM unnest(rollup.buckets) AS b (bucket),
                         LATERAL (SELECT regexp_replace(b.bucket, '^(minute|hour|day|week|month|quarter|year)[(](.*)[)]$', E'\\2') AS source) AS s
                  WHERE NOT ldp_internal.ldp_group_columns(collection.reports::regclass) && ARRAY[b.bucket, s.source] LIMIT 1);
BEGIN
    IF lost IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_column',
            MESSAGE = format('column "%s" of rollup "%s" does not exist in the reports of collection "%s"', lost, rollup.name, collection.name),
            DETAIL = 'The column was renamed or dropped after the rollup was created. Until this is repaired, neither a refresh nor ldp_prune is possible.',
            HINT = 'Rename the column back, or replace the rollup with ldp_drop_rollup and ldp_create_rollup. A new rollup counts the reports that are still stored.';
    END IF;
    SELECT string_agg(format('%I, ', b.name), ''), string_agg(format('%s AS %I, ', b.expression, b.name), ''),
           string_agg(format(', %s', b.expression), ''),
           string_agg(CASE WHEN shard IS NULL THEN b.key_text ELSE format('ldp_internal.ldp_key_text(%s)', regexp_replace(b.key_text, '::text$', '')) END, ', ')
    INTO names, named, expressions, key_texts
    FROM ldp_internal.ldp_buckets(collection.reports, ldp_internal.ldp_group_columns(collection.reports::regclass), rollup.buckets, rollup.zone) AS b;
    RETURN format(CASE WHEN shard IS NULL THEN
        'WITH fresh AS (SELECT %9$s AS ldp_odd, ldp_internal.ldp_bucket_key(ARRAY[%1$s]::text[]) AS bucket, %2$s %3$s.ldp_agg(t.%4$I, t.round) AS summary '
        'FROM %5$s AS t WHERE %6$s GROUP BY %9$s %10$s), '
        'counted AS (SELECT DISTINCT ON (bucket) bucket, %8$s %3$s.ldp_rollup(summary) OVER (PARTITION BY bucket) AS summary FROM fresh '
        'WHERE NOT ldp_odd ORDER BY bucket), '
        'merged AS (INSERT INTO %7$s AS r (bucket, %8$s summary) SELECT * FROM counted '
        'ON CONFLICT (bucket) DO UPDATE SET summary = %3$s.ldp_summary_merge(r.summary, EXCLUDED.summary)) '
        'SELECT CASE WHEN odd THEN -1 - n ELSE n END FROM (SELECT bool_or(ldp_odd) AS odd, '
        'COALESCE(sum(%3$s.ldp_count(summary)) FILTER (WHERE NOT ldp_odd), 0)::bigint AS n FROM fresh) AS f'
    ELSE
        'INSERT INTO %7$s AS r (ldp_shard, bucket, %8$s summary) '
        'SELECT DISTINCT ON (ldp_shard, bucket) ldp_shard, bucket, %8$s %3$s.ldp_rollup(summary) OVER (PARTITION BY ldp_shard, bucket) FROM ('
        'SELECT t.%11$I AS ldp_shard, ldp_internal.ldp_bucket_key(ARRAY[%1$s]::text[]) AS bucket, %2$s %3$s.ldp_agg(t.%4$I, t.round) AS summary '
        'FROM %5$s AS t WHERE (%6$s) AND NOT %9$s GROUP BY t.%11$I %10$s) AS fresh '
        'ON CONFLICT (ldp_shard, bucket) DO UPDATE SET summary = %3$s.ldp_summary_merge(r.summary, EXCLUDED.summary)'
    END,
        key_texts, named, ldp_internal.ldp_schema(), ldp_internal.ldp_report_column(collection.reports), source, condition,
        rollup.summaries, names, odd, expressions, shard);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_roll_up_statement(ldp_internal.ldp_rollup, ldp_internal.ldp_collection, text, text, text, text) IS
    'Returns the SQL statement that ldp_roll_up runs. If Citus distributes the table by the column shard, Citus runs '
    'the statement on the shards; it then returns no number.';

CREATE FUNCTION ldp_internal.ldp_roll_up(rollup ldp_internal.ldp_rollup, collection ldp_internal.ldp_collection, source text, condition text,
        odd text DEFAULT '(t.round IS NULL AND false)') RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' SET intervalstyle = 'postgres'
    SET extra_float_digits = 1 SET bytea_output = 'hex' SET enable_seqscan = off SET jit = off AS $$
DECLARE
    owner oid := ldp_internal.ldp_owner(collection.reports);
    shard text := ldp_internal.ldp_shard_column(collection);
    counted bigint;
BEGIN
    -- enable_seqscan is off so that the index on stamps is used without statistics, too. The statement after the lock has a
    -- snapshot that includes everything committed before the lock was granted.
    IF shard IS NULL THEN
        PERFORM ldp_internal.ldp_change_as(owner, format('LOCK TABLE %s IN ACCESS SHARE MODE', collection.reports));
        RETURN ldp_internal.ldp_change_as(owner, ldp_internal.ldp_roll_up_statement(rollup, collection, source, condition, odd));
    END IF;
    counted := ldp_internal.ldp_change_as(owner, format(
        'SELECT COALESCE(sum(CASE WHEN %1$s THEN 0 ELSE %2$s END), 0)::bigint * CASE WHEN bool_or(%1$s) THEN -1 ELSE 1 END '
        '- COALESCE(bool_or(%1$s), false)::integer FROM %3$s AS t WHERE %4$s',
        odd, CASE ldp_internal.ldp_report_column(collection.reports) WHEN 'batch' THEN format('%s.ldp_count(t.batch)', ldp_internal.ldp_schema()) ELSE '1' END,
        source, condition));
    IF counted NOT IN (0, -1) OR counted = 0 AND condition = 'false' THEN
        PERFORM ldp_internal.ldp_change_as(owner, ldp_internal.ldp_roll_up_statement(rollup, collection, source, condition, odd, shard));
    END IF;
    RETURN counted;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_roll_up(ldp_internal.ldp_rollup, ldp_internal.ldp_collection, text, text, text) IS
    'Adds the reports t of a source that meet a condition to a rollup, except reports that meet the condition odd. '
    'Returns the number n of reports added, or -1 - n if there are odd reports.';

CREATE FUNCTION ldp_internal.ldp_has_parts(reports regclass) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT t.relkind = 'p' OR t.relhassubclass FROM pg_class AS t WHERE t.oid = $1 $$;
COMMENT ON FUNCTION ldp_internal.ldp_has_parts(regclass) IS
    'Returns true if a table has partitions or may have partitions.';

CREATE FUNCTION ldp_internal.ldp_parts(reports regclass) RETURNS SETOF regclass
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE tree (part) AS (
        SELECT t.oid FROM pg_class AS t WHERE t.oid = $1 AND t.relkind <> 'p'
        UNION SELECT i.inhrelid FROM tree AS t JOIN pg_inherits AS i ON i.inhparent = t.part)
    SELECT t.part::regclass FROM tree AS t UNION ALL SELECT p.relid FROM pg_partition_tree($1) AS p WHERE p.isleaf AND p.relid <> $1
$$;
COMMENT ON FUNCTION ldp_internal.ldp_parts(regclass) IS
    'Returns the tables that store the rows of a table: its leaf partitions, or the table itself.';

-- A partition that a rollup does not follow was attached by the owner. Its reports may have any stamps, so all rollups count
-- the whole partition under an exclusive lock. If the partition was detached and attached again, they count only the
-- reports that they had not counted at the time of the detachment.
CREATE FUNCTION ldp_internal.ldp_count_parts(collection ldp_internal.ldp_collection, rollup text) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reports regclass := collection.reports;
    owner oid := ldp_internal.ldp_owner(reports);
    attached regclass[];
    added regclass;
    each ldp_internal.ldp_rollup;
    seen ldp_internal.ldp_rollup_part;
    condition text;
    uncounted text;
    counted bigint;
    of_rollup bigint := 0;
    alone text := CASE WHEN ldp_internal.ldp_shard_column(collection) IS NULL THEN 'ONLY ' ELSE '' END;
BEGIN
    -- This lock prevents ATTACH and DETACH until the end of the transaction. Submitters do not wait for it.
    IF ldp_internal.ldp_has_parts(reports) THEN
        PERFORM ldp_internal.ldp_change_as(owner, format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', reports));
    END IF;
    attached := ARRAY(SELECT p FROM ldp_internal.ldp_parts(reports) AS p);
    DELETE FROM ldp_internal.ldp_rollup_part AS p WHERE p.rollup IN (SELECT r.name FROM ldp_internal.ldp_rollup AS r WHERE r.collection = ldp_count_parts.collection.name)
        AND NOT EXISTS (SELECT FROM pg_class AS t WHERE t.oid = p.part);
    UPDATE ldp_internal.ldp_rollup_part AS p SET counted = r.counted, open = r.open FROM ldp_internal.ldp_rollup AS r
    WHERE r.collection = ldp_count_parts.collection.name AND r.name = p.rollup AND p.counted IS NULL AND p.part <> ALL (attached);
    FOR added IN SELECT a FROM unnest(attached) AS a WHERE EXISTS (
            SELECT FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries
                 LEFT JOIN ldp_internal.ldp_rollup_part AS p ON p.rollup = r.name AND p.part = a AND p.counted IS NULL
            WHERE r.collection = ldp_count_parts.collection.name AND p.rollup IS NULL) ORDER BY a LOOP
        IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
            RAISE EXCEPTION USING
                ERRCODE = 'active_sql_transaction',
                MESSAGE = format('partition %s of collection "%s" cannot be counted in a transaction with an old snapshot', added, collection.name),
                DETAIL = 'The partition was attached since the last refresh and must be counted completely.',
                HINT = 'Refresh in a transaction with the isolation level READ COMMITTED.';
        END IF;
        PERFORM ldp_internal.ldp_change_as(owner, format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', added));
        uncounted := ldp_internal.ldp_unstamped();
        FOR each IN SELECT r.* FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries WHERE r.collection = ldp_count_parts.collection.name LOOP
            uncounted := uncounted || ' OR ' || ldp_internal.ldp_uncounted(each);
            condition := 'true';
            SELECT p.* INTO seen FROM ldp_internal.ldp_rollup_part AS p WHERE p.rollup = each.name AND p.part = added;
            IF FOUND THEN
                each.counted := COALESCE(seen.counted, each.counted);
                each.open := COALESCE(seen.open, each.open);
                condition := ldp_internal.ldp_unstamped() || ' OR ' || ldp_internal.ldp_uncounted(each);
            END IF;
            counted := ldp_internal.ldp_roll_up(each, collection, alone || added::text, condition);
            IF each.name = rollup THEN
                of_rollup := of_rollup + counted;
            END IF;
        END LOOP;
        PERFORM ldp_internal.ldp_change_as(owner, format('UPDATE %s%s AS t SET ldp_arrival = 0 WHERE %s', alone, added, uncounted));
        INSERT INTO ldp_internal.ldp_rollup_part (rollup, part)
        SELECT r.name, added FROM ldp_internal.ldp_rollup AS r WHERE r.collection = ldp_count_parts.collection.name
        ON CONFLICT ON CONSTRAINT ldp_rollup_part_pkey DO UPDATE SET counted = NULL, open = NULL;
    END LOOP;
    RETURN of_rollup;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_count_parts(ldp_internal.ldp_collection, text) IS
    'Counts partitions attached since the last refresh in all rollups of a collection. Returns the number of reports '
    'that the named rollup counted.';

-- Every refresh reads the pages that the index on stamps does not summarize. If another command such as VACUUM holds a
-- lock, this work is left to the next refresh; VACUUM itself does the same work.
CREATE FUNCTION ldp_internal.ldp_summarize_parts(rollup text, reports regclass) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid := ldp_internal.ldp_owner(reports);
    grown record;
    index regclass;
    method name;
BEGIN
    FOR grown IN SELECT p.part, s.pages FROM ldp_internal.ldp_rollup_part AS p,
                     LATERAL (SELECT pg_relation_size(p.part) / current_setting('block_size')::bigint AS pages) AS s
                 WHERE p.rollup = ldp_summarize_parts.rollup AND p.counted IS NULL AND s.pages <> p.pages LOOP
        BEGIN
            PERFORM ldp_internal.ldp_change_as(owner, format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE NOWAIT', grown.part));
            FOR index, method IN SELECT i.indexrelid, m.amname FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indexrelid JOIN pg_am AS m ON m.oid = t.relam
                             JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                         WHERE i.indrelid = grown.part AND m.amname IN ('brin', 'ldp_stamps') AND a.attname = 'ldp_arrival' LOOP
                PERFORM ldp_internal.ldp_change_as(owner, format('SELECT %s(%L)::bigint',
                    CASE method WHEN 'brin' THEN 'pg_catalog.brin_summarize_new_values' ELSE 'ldp_internal.ldp_summarize_stamps' END, index));
            END LOOP;
            UPDATE ldp_internal.ldp_rollup_part AS p SET pages = grown.pages WHERE p.rollup = ldp_summarize_parts.rollup AND p.part = grown.part;
        EXCEPTION WHEN lock_not_available THEN
            NULL;
        END;
    END LOOP;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_summarize_parts(text, regclass) IS
    'Updates the indexes on stamps of the partitions that have grown since the last refresh of this rollup.';

CREATE FUNCTION ldp_internal.ldp_grantee(role oid) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT CASE $1 WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid($1)) END $$;
COMMENT ON FUNCTION ldp_internal.ldp_grantee(oid) IS 'Returns the name of a role as GRANT expects it.';

CREATE FUNCTION ldp_internal.ldp_spread_rollup(rollup ldp_internal.ldp_rollup, collection ldp_internal.ldp_collection, shard text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = 'warning' AS $$
DECLARE
    owner oid := ldp_internal.ldp_owner(collection.reports);
    names text := (SELECT string_agg(format('%I, ', c), '') FROM unnest(rollup.columns) AS c);
    key text := (SELECT c.conname FROM pg_constraint AS c WHERE c.conrelid = rollup.summaries AND c.contype = 'p');
    spread boolean := EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = rollup.summaries AND a.attname = 'ldp_shard' AND NOT a.attisdropped);
    of_type text;
    of_default text;
    value text;
    commands text[] := '{}';
    command text;
BEGIN
    IF shard IS NULL AND spread THEN  -- restored where Citus does not distribute it
        commands := ARRAY[
            format('WITH old AS (DELETE FROM %1$s RETURNING *) INSERT INTO %1$s (ldp_shard, bucket, %2$s summary) SELECT DISTINCT ON (bucket) ldp_shard, bucket, '
                   '%2$s %3$s.ldp_rollup(summary) OVER (PARTITION BY bucket) FROM old ORDER BY bucket', rollup.summaries, names, ldp_internal.ldp_schema()),
            format('ALTER TABLE %s DROP COLUMN ldp_shard, ADD PRIMARY KEY (bucket)', rollup.summaries)];
    ELSIF shard IS NOT NULL THEN
        SELECT format_type(a.atttypid, a.atttypmod), pg_get_expr(d.adbin, d.adrelid) INTO of_type, of_default
        FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = collection.reports AND a.attname = shard;
        IF NOT spread THEN
            -- The sums of all servers together get any value that the column may have.
            value := ldp_internal.ldp_run_as(owner, false, format('SELECT max(v) FROM (SELECT t.%I::text AS v FROM %s AS t LIMIT 1) AS one', shard, collection.reports), NULL::text);
            IF value IS NULL AND of_default IS NOT NULL THEN
                value := ldp_internal.ldp_run_as(owner, false, format('SELECT (%s)::text', of_default), NULL::text);
            END IF;
            commands := ARRAY[
                format('ALTER TABLE %s ADD COLUMN ldp_shard %s', rollup.summaries, of_type),
                format('UPDATE %s SET ldp_shard = %L', rollup.summaries, value),
                format('ALTER TABLE %s DROP CONSTRAINT %I, ADD PRIMARY KEY (ldp_shard, bucket)', rollup.summaries, key)];
        END IF;
        IF NOT ldp_internal.ldp_is_distributed(rollup.summaries) THEN
            commands := commands || format('SELECT (pg_catalog.create_distributed_table(%L, ''ldp_shard'', colocate_with => %L) IS NULL)::integer::bigint',
                    rollup.summaries, collection.reports)
                || format('SELECT (pg_catalog.truncate_local_data_after_distributing_table(%L) IS NULL)::integer::bigint', rollup.summaries);
        END IF;
    END IF;
    FOREACH command IN ARRAY commands LOOP
        PERFORM ldp_internal.ldp_change_as(owner, command);
    END LOOP;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_spread_rollup(ldp_internal.ldp_rollup, ldp_internal.ldp_collection, text) IS
    'Distributes the table of a rollup like the table of its collection, which is distributed by this column. If the '
    'column is NULL, merges the rows of all servers.';

CREATE FUNCTION ldp_internal.ldp_stamp_reports(collection ldp_internal.ldp_collection, rollup text) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reports regclass := collection.reports;
    owner oid := ldp_internal.ldp_owner(reports);
    each ldp_internal.ldp_rollup;
    counted bigint;
    of_rollup bigint := 0;
    above bigint;
    rights aclitem[];
    granted record;
    shard text := ldp_internal.ldp_shard_column(collection);
    added boolean := false;
BEGIN
    IF collection.home = ldp_internal.ldp_cluster_database() AND (collection.stamp IS NULL) = (shard IS NOT NULL) THEN
        RETURN ldp_internal.ldp_count_parts(collection, rollup);
    END IF;
    IF shard IS NOT NULL THEN  -- Citus cannot change a table in parallel after it has changed it one by one
        PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
    END IF;
    PERFORM ldp_internal.ldp_change_as(owner, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', reports));
    IF NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = reports AND a.attname = 'ldp_arrival' AND NOT a.attisdropped) THEN
        IF EXISTS (SELECT FROM pg_class AS t WHERE t.oid = reports AND t.reloftype <> 0) THEN
            RAISE EXCEPTION USING
                ERRCODE = 'wrong_object_type',
                MESSAGE = format('cannot add a column for rollups to the typed table %s', reports),
                DETAIL = 'A table that was created with OF accepts no further columns.',
                HINT = format('Use ALTER TABLE %s NOT OF to make it an ordinary table first. Its columns and reports are kept.', reports);
        END IF;
        PERFORM ldp_internal.ldp_change_as(owner, format('ALTER TABLE %s ADD COLUMN ldp_arrival bigint DEFAULT 0', reports));
        added := true;
    END IF;
    -- An adopted table has the column without the index.
    IF NOT EXISTS (SELECT FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                   WHERE i.indrelid = reports AND a.attname = 'ldp_arrival') THEN
        PERFORM ldp_internal.ldp_change_as(owner, format('COMMENT ON COLUMN %s.ldp_arrival IS %L', reports,
            'stamp of the report for rollups: the number of its transaction, plus an offset'));
        -- Autovacuum summarizes shards, and only indexes of BRIN itself. BRIN asserts its own identifier in builds that check.
        PERFORM ldp_internal.ldp_change_as(owner, format(CASE
            WHEN current_setting('server_version_num')::integer >= 170000 OR current_setting('debug_assertions')::boolean
                OR to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL
            THEN 'CREATE INDEX ON %s USING brin (ldp_arrival) WITH (pages_per_range = 32, autosummarize = on)'
            ELSE 'CREATE INDEX ON %s USING ldp_stamps (ldp_arrival) WITH (pages_per_range = 32)' END, reports));
    END IF;
    -- On several servers, the changes of the table wait for prepared transactions, too, which the lock does not.
    IF EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'epoch_is_locked') THEN
        PERFORM ldp_internal.ldp_change_as(owner, format('ALTER TABLE %s DROP CONSTRAINT epoch_is_locked', reports));
    END IF;
    IF shard IS NOT NULL THEN
        PERFORM ldp_internal.ldp_change_as(owner, format(
            'ALTER TABLE %s ADD CONSTRAINT epoch_is_locked CHECK (ldp_internal.ldp_lock_epoch(%s, ldp_arrival)) NOT VALID', reports, reports::oid));
        PERFORM ldp_internal.ldp_change_as(owner, format('ALTER TABLE %s ALTER COLUMN ldp_arrival SET DEFAULT ldp_internal.ldp_epoch(%s)',
            reports, reports::oid));
    END IF;
    FOR each IN SELECT r.* FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries WHERE r.collection = ldp_stamp_reports.collection.name LOOP
        PERFORM ldp_internal.ldp_spread_rollup(each, collection, shard);
    END LOOP;
    IF NOT added THEN
        -- A copied or adopted table. The lock blocks all writers, so all uncounted reports can be counted.
        of_rollup := ldp_internal.ldp_count_parts(collection, rollup);
        FOR each IN SELECT r.* FROM ldp_internal.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries WHERE r.collection = ldp_stamp_reports.collection.name LOOP
            counted := ldp_internal.ldp_roll_up(each, collection, reports::text,
                ldp_internal.ldp_unstamped() || ' OR ' || ldp_internal.ldp_uncounted(each));
            IF each.name = rollup THEN
                of_rollup := of_rollup + counted;
            END IF;
        END LOOP;
        PERFORM ldp_internal.ldp_change_as(owner, format('UPDATE %s AS t SET ldp_arrival = 0 WHERE %s%s', reports, ldp_internal.ldp_unstamped(),
            CASE WHEN shard IS NOT NULL THEN ' OR t.ldp_arrival > 17592186044416' END));  -- no clock will show it
    END IF;
    SELECT GREATEST(max(r.counted), ldp_stamp_reports.collection.stamp, ldp_internal.ldp_change_as(owner, format(
        'SELECT max(ldp_arrival) FROM %s WHERE ldp_arrival >= %s', reports, COALESCE(min(r.counted), 0))))
    INTO above FROM ldp_internal.ldp_rollup AS r WHERE r.collection = ldp_stamp_reports.collection.name;
    IF shard IS NULL THEN
        PERFORM ldp_internal.ldp_change_as(owner, format('ALTER TABLE %s ALTER COLUMN ldp_arrival SET DEFAULT ldp_internal.ldp_arrival(%L, %s)',
            reports, ldp_internal.ldp_cluster_database(), above));
    ELSE
        SELECT e.first_not - 1 INTO above FROM ldp_internal.ldp_end_epoch(reports::oid::bigint, above) AS e;
    END IF;
    UPDATE ldp_internal.ldp_collection AS c SET home = ldp_internal.ldp_cluster_database(), stamp = CASE WHEN shard IS NULL THEN above END
    WHERE c.name = ldp_stamp_reports.collection.name;
    UPDATE ldp_internal.ldp_rollup AS r SET counted = above + 1, open = '{}', refreshed = clock_timestamp()
    WHERE r.collection = ldp_stamp_reports.collection.name;
    IF shard IS NOT NULL THEN
        -- Citus inserts stamps into shards with the rights of the submitter. A stamp of its own affects only the report: a past
        -- one is not counted, and a refresh replaces others.
        FOR granted IN SELECT DISTINCT a.grantee, a.is_grantable FROM pg_attribute AS c, aclexplode(c.attacl) AS a
                       WHERE c.attrelid = reports AND c.attname = ldp_internal.ldp_report_column(reports) AND a.privilege_type = 'INSERT' LOOP
            PERFORM ldp_internal.ldp_change_as(owner, format('GRANT INSERT (ldp_arrival) ON %s TO %s %s', reports, ldp_internal.ldp_grantee(granted.grantee),
                CASE WHEN granted.is_grantable THEN 'WITH GRANT OPTION' END));
        END LOOP;
        RETURN of_rollup;
    END IF;
    -- Submitters must not choose the stamp, so INSERT on the table is replaced by INSERT on the other columns. The same
    -- grantors grant it again, so that REVOKE CASCADE works as before. For a grantor without USAGE on the schema, the owner
    -- grants it.
    SELECT t.relacl INTO rights FROM pg_class AS t WHERE t.oid = reports;
    FOR granted IN SELECT DISTINCT a.grantee FROM aclexplode(rights) AS a WHERE a.privilege_type = 'INSERT' AND a.grantor = owner AND a.grantee <> owner LOOP
        PERFORM ldp_internal.ldp_change_as(owner, format('REVOKE INSERT ON %s FROM %s CASCADE', reports, ldp_internal.ldp_grantee(granted.grantee)));
    END LOOP;
    FOR granted IN
        WITH RECURSIVE one AS (SELECT a.* FROM aclexplode(rights) AS a WHERE a.privilege_type = 'INSERT' AND a.grantee <> owner),
            chain AS (SELECT o.*, 0 AS step FROM one AS o WHERE o.grantor = owner
                      UNION ALL SELECT o.*, c.step + 1 FROM chain AS c JOIN one AS o ON o.grantor = c.grantee WHERE c.step < 100)
        SELECT CASE WHEN has_schema_privilege(c.grantor, t.relnamespace, 'USAGE') THEN c.grantor ELSE owner END AS grantor, c.grantee,
               bool_or(c.is_grantable) AS is_grantable
        FROM chain AS c, pg_class AS t WHERE t.oid = reports GROUP BY 1, 2 ORDER BY min(c.step) LOOP
        PERFORM ldp_internal.ldp_change_as(granted.grantor, format('GRANT INSERT (%s) ON %s TO %s %s',
            (SELECT string_agg(quote_ident(a.attname), ', ') FROM pg_attribute AS a
             WHERE a.attrelid = reports AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'ldp_arrival'), reports,
            ldp_internal.ldp_grantee(granted.grantee), CASE WHEN granted.is_grantable THEN 'WITH GRANT OPTION' END));
    END LOOP;
    RETURN of_rollup;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_stamp_reports(ldp_internal.ldp_collection, text) IS
    'Ensures that reports of a collection are stamped in this database. If they were stamped in another database, '
    'counts the reports that its rollups have not counted. Returns the number of reports that the named rollup '
    'counted.';

CREATE FUNCTION ldp_internal.ldp_create_rollup_as(caller name, name text, collection text, by text[], zone text) RETURNS regclass
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whole ldp_internal.ldp_collection;
    relation pg_class;
    owner oid;
    table_name text;
    names text[];
    definitions text;
    indexed text;
    created regclass;
    made ldp_internal.ldp_rollup;
    elsewhere boolean;
BEGIN
    IF name IS NULL OR collection IS NULL OR by IS NULL OR zone IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed',
            MESSAGE = 'name, collection, columns and time zone of a rollup must not be NULL';
    END IF;
    PERFORM date_trunc('day', now(), zone);  -- raises an error for an invalid zone
    whole := ldp_internal.ldp_own_collection(caller, collection);
    elsewhere := ldp_internal.ldp_has_foreign_parts(whole.reports);
    IF EXISTS (SELECT FROM @extschema@.ldp_rollups AS r WHERE r.name = ldp_create_rollup_as.name) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_object',
            MESSAGE = format('rollup "%s" already exists', name),
            HINT = 'To drop it with all its summaries, use ldp_drop_rollup.';
    END IF;
    PERFORM ldp_internal.ldp_check_free(name);
    SELECT array_agg(b.name), string_agg(format('%I %s, ', b.name, b.result_type), ''),
           string_agg(quote_ident(b.name), ', ') FILTER (WHERE b.indexed <= 8)
    INTO names, definitions, indexed
    FROM (SELECT b.*, CASE WHEN b.result_type IN ('date', 'timestamp without time zone', 'timestamp with time zone', 'integer')
                      THEN count(*) FILTER (WHERE b.result_type IN ('date', 'timestamp without time zone', 'timestamp with time zone', 'integer'))
                           OVER (ROWS UNBOUNDED PRECEDING) END AS indexed
          FROM ldp_internal.ldp_buckets(whole.reports, ldp_internal.ldp_group_columns(whole.reports::regclass), by, zone) AS b) AS b;
    SELECT t.* INTO STRICT relation FROM pg_class AS t WHERE t.oid = whole.reports;
    owner := relation.relowner;
    table_name := format('%s.%I', relation.relnamespace::regnamespace, name);
    IF elsewhere THEN
        PERFORM ldp_internal.ldp_refuse_local_parts(whole);
    ELSE
        PERFORM ldp_internal.ldp_stamp_reports(whole, NULL);
        SELECT c.* INTO STRICT whole FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_create_rollup_as.collection;
    END IF;
    PERFORM ldp_internal.ldp_change_as(owner, format('CREATE TABLE %s (bucket bytea PRIMARY KEY, %s summary %s.ldp_summary NOT NULL)',
        table_name, definitions, ldp_internal.ldp_schema()));
    created := table_name::regclass;
    PERFORM ldp_internal.ldp_change_as(owner, format('COMMENT ON TABLE %s IS %L', created, format('rollup of the ldp collection "%s"', collection)));
    IF indexed IS NOT NULL THEN
        PERFORM ldp_internal.ldp_change_as(owner, format('CREATE INDEX ON %s (%s)', created, indexed));
    END IF;
    DELETE FROM ldp_internal.ldp_rollup AS r WHERE r.name = ldp_create_rollup_as.name;  -- its table was dropped
    INSERT INTO ldp_internal.ldp_rollup (name, collection, summaries, buckets, columns, zone)
    VALUES (name, collection, created, by, COALESCE(names, '{}'), zone) RETURNING * INTO made;
    DELETE FROM ldp_internal.ldp_rollup_part AS p WHERE p.rollup = ldp_create_rollup_as.name;
    IF elsewhere THEN
        PERFORM ldp_internal.ldp_follow_rollups(made, whole);
        RETURN created;
    END IF;
    PERFORM ldp_internal.ldp_spread_rollup(made, whole, ldp_internal.ldp_shard_column(whole));
    -- The stamps of existing reports are those of this database, or 0.
    INSERT INTO ldp_internal.ldp_rollup_part (rollup, part) SELECT name, p FROM ldp_internal.ldp_parts(whole.reports) AS p;
    BEGIN
        PERFORM ldp_internal.ldp_roll_up(made, whole, whole.reports::text, 'false');
    EXCEPTION WHEN undefined_function THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_function',
            MESSAGE = format('rollup "%s" has a column whose type cannot be grouped', name),
            DETAIL = SQLERRM,
            HINT = 'Use public columns of types with an equality operator, such as jsonb instead of json.';
    END;
    PERFORM ldp_internal.ldp_advise_shards(collection);
    RETURN created;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_create_rollup_as(name, text, text, text[], text) IS
    'Implements ldp_create_rollup for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_create_rollup(name text, collection text, by text[], zone text DEFAULT 'UTC') RETURNS regclass
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_create_rollup(text, text, text[], text) IS
    'Creates a rollup: a table of summaries of a collection''s reports, one row per bucket. The argument by lists the '
    'parts of a bucket: the round, public columns, or units of time of public columns, as in {day(visited),country}. '
    'Use ldp_refresh to fill the table and ldp_estimate with ldp_groups_of to read it. Only the owner may read the '
    'table itself. If all partitions of the collection''s table are foreign tables, the rollup adds the rollups of '
    'their servers, which must have the same spec, buckets and time zone. Error 42704 if a server has no such rollup, '
    '42804 if its spec differs, 0A000 if only some of the partitions are foreign.';

CREATE FUNCTION ldp_internal.ldp_refresh_as(caller name, name text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rollup ldp_internal.ldp_rollup := ldp_internal.ldp_rollup_named(name);
    collection ldp_internal.ldp_collection := ldp_internal.ldp_own_collection(caller, rollup.collection);
    elsewhere boolean := ldp_internal.ldp_has_foreign_parts(collection.reports);
    count bigint := CASE WHEN elsewhere THEN ldp_internal.ldp_follow_rollups(rollup, collection) ELSE ldp_internal.ldp_stamp_reports(collection, name) END;
    began timestamptz := clock_timestamp();
    shard text := CASE WHEN NOT elsewhere THEN ldp_internal.ldp_shard_column(collection) END;
    snapshot pg_snapshot;
    first_not bigint;
    not_ended bigint[];
    locked integer[];
    unstamped text;
    counted bigint;
BEGIN
    IF elsewhere THEN
        RETURN count;
    END IF;
    -- Read again, because another refresh may have ended in the meantime.
    SELECT r.* INTO STRICT rollup FROM ldp_internal.ldp_rollup AS r WHERE r.name = ldp_refresh_as.name FOR UPDATE;
    SELECT c.* INTO STRICT collection FROM ldp_internal.ldp_collection AS c WHERE c.name = rollup.collection;
    IF shard IS NOT NULL THEN
        SELECT e.first_not, e.locked INTO first_not, locked FROM ldp_internal.ldp_end_epoch(collection.reports::oid::bigint, rollup.counted - 1) AS e;
        not_ended := ARRAY(SELECT c.epoch FROM (SELECT unnest(rollup.open) UNION SELECT generate_series(rollup.counted, first_not - 1)) AS c (epoch)
                           WHERE locked <> '{}' AND ARRAY[(c.epoch % 32767)::integer, 32767] && locked);
    ELSE
        -- Count no stamps beyond the number of this transaction. After a crash, numbers of transactions that left no trace on disk
        -- are assigned again. The number of this transaction is durable whenever the counts are.
        snapshot := pg_current_snapshot();
        first_not := LEAST(pg_snapshot_xmax(snapshot), pg_current_xact_id())::text::bigint + collection.stamp;
        not_ended := ARRAY(SELECT x.id FROM (SELECT o::text::bigint + collection.stamp FROM pg_snapshot_xip(snapshot) AS o) AS x (id) WHERE x.id < first_not);
    END IF;
    unstamped := ldp_internal.ldp_unstamped();
    IF shard IS NOT NULL THEN  -- a clock may be ahead by a few refreshes
        unstamped := format('(%s OR t.ldp_arrival > %s)', unstamped, first_not + 1000);
    END IF;
    counted := ldp_internal.ldp_roll_up(rollup, collection,
        CASE WHEN shard IS NOT NULL OR ldp_internal.ldp_has_parts(collection.reports) THEN '' ELSE 'ONLY ' END || collection.reports::text,
        format('t.ldp_arrival >= %1$s AND t.ldp_arrival < %2$s AND t.ldp_arrival <> ALL (%3$L::bigint[]) OR t.ldp_arrival = ANY (%4$L::bigint[]) OR %5$s',
            rollup.counted, first_not, not_ended, ARRAY(SELECT o FROM unnest(rollup.open) AS o WHERE o < first_not AND o <> ALL (not_ended) AND o < rollup.counted),
            unstamped),
        unstamped);
    -- Reports without a stamp get the current one; the next refresh counts them.
    IF counted < 0 THEN
        counted := -1 - counted;
        PERFORM ldp_internal.ldp_change_as(ldp_internal.ldp_owner(collection.reports), format('UPDATE %s AS t SET ldp_arrival = %s WHERE %s', collection.reports,
            CASE WHEN shard IS NULL THEN format('ldp_internal.ldp_arrival(%L, %s)', collection.home, collection.stamp)
                 ELSE format('ldp_internal.ldp_epoch(%s)', collection.reports::oid) END, unstamped));
    END IF;
    count := count + counted;
    IF shard IS NULL THEN
        PERFORM ldp_internal.ldp_summarize_parts(rollup.name, collection.reports);
    END IF;
    -- A transaction that began later may have counted further already.
    UPDATE ldp_internal.ldp_rollup AS r
    SET counted = GREATEST(r.counted, first_not), refreshed = began,
        open = ARRAY(SELECT o FROM unnest(r.open || not_ended) AS o WHERE o >= first_not OR o = ANY (not_ended) GROUP BY o ORDER BY o)
    WHERE r.name = rollup.name;
    RETURN count;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_refresh_as(name, text) IS
    'Implements ldp_refresh for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_refresh(name text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_refresh(text) IS
    'Adds the reports that arrived since the last refresh to a rollup, each exactly once, and returns their number. '
    'For a rollup of a collection whose partitions are foreign tables, adds the rollups of new partitions and returns '
    '0; each server refreshes its own rollup. The column refreshed of ldp_rollups is then the time of the oldest of '
    'these refreshes.';

CREATE FUNCTION ldp_internal.ldp_drop_rollup_as(caller name, name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rollup ldp_internal.ldp_rollup := ldp_internal.ldp_rollup_named(name);
BEGIN
    PERFORM FROM ldp_internal.ldp_collection AS c WHERE c.name = rollup.collection FOR NO KEY UPDATE;
    PERFORM ldp_internal.ldp_check_owner(rollup.summaries, caller);
    DELETE FROM ldp_internal.ldp_rollup AS r WHERE r.name = rollup.name;
    DELETE FROM ldp_internal.ldp_rollup_part AS p WHERE p.rollup = ldp_drop_rollup_as.name;
    PERFORM ldp_internal.ldp_change_as(ldp_internal.ldp_owner(rollup.summaries), 'DROP FOREIGN TABLE ' || string_agg(i.inhrelid::regclass::text, ', '))
    FROM pg_inherits AS i JOIN pg_class AS t ON t.oid = i.inhrelid WHERE i.inhparent = rollup.summaries AND t.relkind = 'f' HAVING count(*) > 0;
    PERFORM ldp_internal.ldp_change_as(ldp_internal.ldp_owner(rollup.summaries), format('DROP TABLE %s', rollup.summaries));
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_drop_rollup_as(name, text) IS
    'Implements ldp_drop_rollup for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_drop_rollup(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_drop_rollup(text) IS 'Drops a rollup with all its summaries.';

-- Privileges
GRANT SELECT ON ldp_internal.ldp_rollup, @extschema@.ldp_rollups TO PUBLIC;
REVOKE ALL ON FUNCTION
    ldp_internal.ldp_change_as(oid, text),
    ldp_internal.ldp_own_collection(name, text),
    ldp_internal.ldp_roll_up(ldp_internal.ldp_rollup, ldp_internal.ldp_collection, text, text, text),
    ldp_internal.ldp_count_parts(ldp_internal.ldp_collection, text),
    ldp_internal.ldp_summarize_parts(text, regclass),
    ldp_internal.ldp_spread_rollup(ldp_internal.ldp_rollup, ldp_internal.ldp_collection, text),
    ldp_internal.ldp_stamp_reports(ldp_internal.ldp_collection, text),
    ldp_internal.ldp_create_rollup_as(name, text, text, text[], text),
    ldp_internal.ldp_refresh_as(name, text),
    ldp_internal.ldp_drop_rollup_as(name, text)
    FROM PUBLIC;
