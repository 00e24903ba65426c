
-- Rollups ---------------------------------------------------------------------------------------------------
-- A rollup is a table with a summary for each bucket of a collection's reports: each day, say, and each country. A
-- refresh adds what has arrived since the last one, each report once.
--
-- What has arrived is told by a stamp in the column ldp_arrival, which a table gets with its first rollup: the number of
-- the transaction that inserted the report. A refresh looks at a snapshot. It counts the reports of transactions that
-- had ended by then and had not by the last snapshot, and remembers where it stands as two things: the first stamp
-- that it has not come to (counted), and those below it whose transactions were still open. So nobody waits for
-- anybody, in whatever order transactions end, and however long one takes.
--
-- Numbers of transactions mean something in one cluster only. Each table's default says in which database it stamps (home)
-- and adds what its stamps are to be above. In a copy of the database the default gives NULL, until the first refresh
-- there counts whatever is not counted yet while nobody writes, and makes the copy the home of what comes after.
-- Stamps in rows and rollups therefore never mean something else than they did where they were made, and a dump needs
-- no more than its rows.

CREATE TABLE @extschema@.ldp_rollup (
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
COMMENT ON TABLE @extschema@.ldp_rollup IS 'all rollups, and how far each has come; see the view ldp_rollups';
COMMENT ON COLUMN @extschema@.ldp_rollup.name IS 'what functions call it';
COMMENT ON COLUMN @extschema@.ldp_rollup.collection IS 'whose reports it counts';
COMMENT ON COLUMN @extschema@.ldp_rollup.summaries IS 'its table';
COMMENT ON COLUMN @extschema@.ldp_rollup.buckets IS 'what makes a bucket, as it was asked for';
COMMENT ON COLUMN @extschema@.ldp_rollup.columns IS 'what its table calls that';
COMMENT ON COLUMN @extschema@.ldp_rollup.zone IS 'the time zone in which days begin';
COMMENT ON COLUMN @extschema@.ldp_rollup.counted IS 'reports with this stamp or a higher one are not counted yet';
COMMENT ON COLUMN @extschema@.ldp_rollup.open IS 'nor are those with these lower ones, whose transactions had not ended';
COMMENT ON COLUMN @extschema@.ldp_rollup.refreshed IS 'what was there at this time is counted';
CREATE INDEX ldp_rollup_collection ON @extschema@.ldp_rollup (collection);
COMMENT ON INDEX @extschema@.ldp_rollup_collection IS 'finds the rollups of a collection';
SELECT pg_extension_config_dump('@extschema@.ldp_rollup',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS t WHERE t.oid = summaries)');

-- Stamps say which reports of a table are counted, but not of a partition that was filled elsewhere and then attached. So each
-- rollup has a row for each partition whose reports it follows by their stamps. A row of a partition that was detached
-- keeps how far the rollup had come in it.
CREATE TABLE @extschema@.ldp_rollup_part (
    rollup  text,
    part    regclass,
    counted bigint,
    open    bigint[],
    pages   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (rollup, part)
);
COMMENT ON TABLE @extschema@.ldp_rollup_part IS 'the tables and partitions whose reports each rollup counts by their stamps';
COMMENT ON COLUMN @extschema@.ldp_rollup_part.rollup IS 'the rollup';
COMMENT ON COLUMN @extschema@.ldp_rollup_part.part IS 'the partition, or the table itself if it has none';
COMMENT ON COLUMN @extschema@.ldp_rollup_part.counted IS
    'NULL while the partition is attached; ldp_rollup.counted at the time when it was found detached';
COMMENT ON COLUMN @extschema@.ldp_rollup_part.open IS 'ldp_rollup.open at that time';
COMMENT ON COLUMN @extschema@.ldp_rollup_part.pages IS 'the number of its pages that the index on stamps describes, at least';
SELECT pg_extension_config_dump('@extschema@.ldp_rollup_part',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS t WHERE t.oid = part) AND EXISTS (SELECT FROM @extschema@.ldp_rollup AS r '
    'JOIN pg_catalog.pg_class AS t ON t.oid = r.summaries WHERE r.name = rollup)');

CREATE VIEW @extschema@.ldp_rollups AS
    SELECT r.name, r.collection, r.summaries, r.buckets, r.zone, r.refreshed, cardinality(r.open) AS open
    FROM @extschema@.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries;
COMMENT ON VIEW @extschema@.ldp_rollups IS 'the rollups, and when each was refreshed; open to everyone';
COMMENT ON COLUMN @extschema@.ldp_rollups.name IS 'what functions call it';
COMMENT ON COLUMN @extschema@.ldp_rollups.collection IS 'whose reports it counts';
COMMENT ON COLUMN @extschema@.ldp_rollups.summaries IS 'its table';
COMMENT ON COLUMN @extschema@.ldp_rollups.buckets IS 'what makes a bucket: the round, side columns, units of time of side columns';
COMMENT ON COLUMN @extschema@.ldp_rollups.zone IS 'the time zone in which days begin';
COMMENT ON COLUMN @extschema@.ldp_rollups.refreshed IS 'what was there at this time is counted; NULL if nothing is';
COMMENT ON COLUMN @extschema@.ldp_rollups.open IS 'but for that of so many transactions at most, which had not ended';

CREATE FUNCTION @extschema@.ldp_cluster_database() RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.ldp_cluster_database() IS 'which database this is, in which cluster: where stamps mean what they say';

-- All rows of a transaction have the same number, however many statements and subtransactions inserted them. So the function
-- is STABLE: the default of a column that is not volatile lets COPY insert many rows at once.
CREATE FUNCTION @extschema@.ldp_arrival(home text, above bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.ldp_arrival(text, bigint) IS
    'the stamp of a report that arrives now: the number of the transaction, added to the second argument; NULL if this database is not '
    'the home; error 22003 if the sum is no bigint';

CREATE FUNCTION @extschema@.ldp_change_as(role oid, command text) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_change_as(oid, text) IS
    'runs a command with the rights of this role; how many rows it changed, or the one number that it gives';

CREATE FUNCTION @extschema@.ldp_listed(names text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT COALESCE('There are "' || NULLIF(array_to_string($1, '", "'), '') || '".', 'There are none.') $$;
COMMENT ON FUNCTION @extschema@.ldp_listed(text[]) IS 'what there is, for the details of an error';

CREATE FUNCTION @extschema@.ldp_rollup_named(name text, by text[] DEFAULT NULL, timed boolean DEFAULT false, counted boolean DEFAULT false)
    RETURNS @extschema@.ldp_rollup
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_one @extschema@.ldp_rollup;
BEGIN
    SELECT r.* INTO found_one FROM @extschema@.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries
    WHERE r.name = ldp_rollup_named.name
          OR r.collection = ldp_rollup_named.name AND ldp_rollup_named.by IS NOT NULL
             AND r.columns @> ARRAY(SELECT regexp_replace(b, '^[a-z]+\((.*)\)$', '\1') FROM unnest(ldp_rollup_named.by) AS b)
             AND (NOT ldp_rollup_named.counted OR 'round' = ANY (r.columns))
             AND (NOT timed OR EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = r.summaries AND a.attname = ANY (r.columns)
                                       AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)))
    ORDER BY r.name = ldp_rollup_named.name DESC, cardinality(r.columns), r.name LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = format('there is no rollup %s', COALESCE('"' || ldp_rollup_named.name || '"', 'NULL')),
            DETAIL = CASE WHEN EXISTS (SELECT FROM @extschema@.ldp_collections AS c WHERE c.name = ldp_rollup_named.name)
                          THEN 'There is a collection with this name, but no rollup of it that knows what is asked for.'
                          ELSE @extschema@.ldp_listed(ARRAY(SELECT r.name FROM @extschema@.ldp_rollups AS r ORDER BY r.name)) END,
            HINT = 'The view ldp_rollups shows which there are; ldp_create_rollup creates one.';
    END IF;
    RETURN found_one;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_rollup_named(text, text[], boolean, boolean) IS
    'the rollup with this name; or if it is a collection''s, the one of its rollups with the fewest columns that has all these, and a time or '
    'rounds where they are needed';

-- Names of buckets become expressions here, and nowhere else: a column's name, quoted, or a unit of time of a column that has a
-- time. Every value of a column has a bucket, or one report would stop all refreshes. date_trunc() fails near both ends of
-- its range, and a date may be beyond it: times before 4712 BC are in the bucket -infinity, those from 294275 AD on in infinity.
-- The words identify the bucket, so values that are equal have the same words, whatever the session's settings.
CREATE FUNCTION @extschema@.ldp_buckets(source regclass, columns text[], by text[], zone text)
    RETURNS TABLE (name text, expression text, result_type text, words text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part text;
    pieces text[];
    of_type oid;
    low text;
    high text;
BEGIN
    FOREACH part IN ARRAY by LOOP
        pieces := CASE WHEN part = ANY (columns) THEN ARRAY[NULL, part]
                       ELSE regexp_match(part, '^(minute|hour|day|week|month|quarter|year)\((.*)\)$') END;
        SELECT a.atttypid, format_type(a.atttypid, NULL) INTO of_type, result_type
        FROM pg_attribute AS a WHERE a.attrelid = source AND a.attname = pieces[2] AND pieces[2] = ANY (columns);
        IF NOT FOUND OR pieces[1] IS NOT NULL AND of_type NOT IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) THEN
            RAISE EXCEPTION USING
                ERRCODE = 'undefined_column',
                MESSAGE = format('there are no buckets by %s', COALESCE('"' || part || '"', 'NULL')),
                DETAIL = @extschema@.ldp_listed(columns),
                HINT = 'Name some of these, or minute, hour, day, week, month, quarter or year of one that is a time, as in "day(visited)".';
        END IF;
        name := COALESCE(pieces[1], part);
        low := format('%L::%s', '4712-01-01 00:00:00+00 BC', result_type);
        high := format('%L::%s', '294275-01-01 00:00:00+00', result_type);
        expression := CASE WHEN pieces[1] IS NULL THEN format('t.%I', part)
                           WHEN of_type = 'timestamptz'::regtype THEN format('date_trunc(%L, t.%I, %L)', pieces[1], pieces[2], zone)
                           ELSE format('date_trunc(%L, t.%I::timestamp)::%s', pieces[1], pieces[2], result_type) END;
        IF pieces[1] IS NOT NULL THEN
            expression := format('CASE WHEN t.%1$I >= %2$s AND t.%1$I < %3$s THEN %4$s WHEN t.%1$I < %2$s THEN ''-infinity''::%5$s '
                                 'WHEN t.%1$I >= %3$s THEN ''infinity''::%5$s END', pieces[2], low, high, expression, result_type);
        END IF;
        words := format(CASE WHEN of_type = 'numeric'::regtype THEN 'trim_scale(%s)::text'
                             WHEN of_type IN ('float4'::regtype, 'float8'::regtype) THEN '(%s + 0)::text'  -- -0 is 0
                             ELSE '(%s)::text' END, expression);
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_buckets(regclass, text[], text[], text) IS
    'what buckets by these columns, or units of their time, are called, the expressions in SQL, with their types, of a table t, and '
    'expressions of their words, which identify a bucket';

-- Bytes of the array's text as they are: a value that is no valid text in another encoding has a key, too.
CREATE FUNCTION @extschema@.ldp_bucket_key(words text[]) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT sha256(replace($1::text, chr(92), chr(92) || chr(92))::bytea) $$;
COMMENT ON FUNCTION @extschema@.ldp_bucket_key(text[]) IS
    'the key of a bucket in its rollup: a hash of its words, of the same length however long they are';

-- Whoever changes what belongs to a collection's rollups holds this lock, until the end of the transaction. Submitters
-- do not wait for it.
CREATE FUNCTION @extschema@.ldp_own_collection(caller name, name text) RETURNS @extschema@.ldp_collection
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection @extschema@.ldp_collection;
BEGIN
    SELECT c.* INTO collection FROM @extschema@.ldp_collection AS c WHERE c.name = ldp_own_collection.name FOR NO KEY UPDATE;
    PERFORM @extschema@.ldp_table(name);
    PERFORM @extschema@.ldp_check_owner(collection.reports, caller);
    RETURN collection;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_own_collection(name, text) IS
    'the row of ldp_collection with this name, locked; an error unless this role owns the collection';

CREATE FUNCTION @extschema@.ldp_owner(source regclass) RETURNS oid
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT t.relowner FROM pg_class AS t WHERE t.oid = $1 $$;
COMMENT ON FUNCTION @extschema@.ldp_owner(regclass) IS 'the owner of a table';

CREATE FUNCTION @extschema@.ldp_uncounted(rollup @extschema@.ldp_rollup) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT format('(t.ldp_arrival >= %s OR t.ldp_arrival = ANY (%L::bigint[]))', $1.counted, $1.open) $$;
COMMENT ON FUNCTION @extschema@.ldp_uncounted(@extschema@.ldp_rollup) IS 'the condition of a report t that a rollup has not counted';

-- Only the owner can store a stamp that no transaction has. No rollup could count by it, so it is replaced.
CREATE FUNCTION @extschema@.ldp_unstamped() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '(t.ldp_arrival IS NULL OR t.ldp_arrival < 0 OR t.ldp_arrival > 4611686018427387904)'::text $$;
COMMENT ON FUNCTION @extschema@.ldp_unstamped() IS 'the condition of a report t that has no stamp, or one that no transaction can have';

-- A row is found by the hash of its bucket: a wide value fits into no index. Two values that have the same words, which only
-- types of extensions can have, are one bucket.
CREATE FUNCTION @extschema@.ldp_roll_up_statement(rollup @extschema@.ldp_rollup, collection @extschema@.ldp_collection, source text,
        condition text, odd text) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names text;
    named text;
    expressions text;
    words text;
BEGIN
    SELECT string_agg(format('%I, ', b.name), ''), string_agg(format('%s AS %I, ', b.expression, b.name), ''),
           string_agg(format(', %s', b.expression), ''), string_agg(b.words, ', ')
    INTO names, named, expressions, words
    FROM @extschema@.ldp_buckets(collection.reports, @extschema@.ldp_group_columns(collection.reports), rollup.buckets, rollup.zone) AS b;
    RETURN format(
        'WITH fresh AS (SELECT %9$s AS ldp_odd, %3$s.ldp_bucket_key(ARRAY[%1$s]::text[]) AS bucket, %2$s %3$s.ldp_agg(t.%4$I, t.round) AS summary '
        'FROM %5$s AS t WHERE %6$s GROUP BY %9$s %10$s), '
        'counted AS (SELECT DISTINCT ON (bucket) bucket, %8$s %3$s.ldp_rollup(summary) OVER (PARTITION BY bucket) AS summary FROM fresh '
        'WHERE NOT ldp_odd ORDER BY bucket), '
        'merged AS (INSERT INTO %7$s AS r (bucket, %8$s summary) SELECT * FROM counted '
        'ON CONFLICT (bucket) DO UPDATE SET summary = %3$s.ldp_summary_merge(r.summary, EXCLUDED.summary)) '
        'SELECT CASE WHEN odd THEN -1 - n ELSE n END FROM (SELECT bool_or(ldp_odd) AS odd, '
        'COALESCE(sum(%3$s.ldp_count(summary)) FILTER (WHERE NOT ldp_odd), 0)::bigint AS n FROM fresh) AS f',
        words, named, '@extschema@', @extschema@.ldp_report_column(collection.reports), source, condition,
        rollup.summaries, names, odd, expressions);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_roll_up_statement(@extschema@.ldp_rollup, @extschema@.ldp_collection, text, text, text) IS
    'the statement of ldp_roll_up';

CREATE FUNCTION @extschema@.ldp_roll_up(rollup @extschema@.ldp_rollup, collection @extschema@.ldp_collection, source text, condition text,
        odd text DEFAULT '(t.round IS NULL AND false)') RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' SET intervalstyle = 'postgres'
    SET extra_float_digits = 1 SET bytea_output = 'hex' SET enable_seqscan = off SET jit = off AS $$
DECLARE
    owner oid := @extschema@.ldp_owner(collection.reports);
BEGIN
    -- What is new is found by the index on stamps, also where no statistics say how much there is.
    -- The statement after the lock sees all that came before the lock was granted.
    PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE %s IN ACCESS SHARE MODE', collection.reports));
    RETURN @extschema@.ldp_change_as(owner, @extschema@.ldp_roll_up_statement(rollup, collection, source, condition, odd));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_roll_up(@extschema@.ldp_rollup, @extschema@.ldp_collection, text, text, text) IS
    'adds the reports t of a source that meet a condition to a rollup, but for odd ones; returns their number n, or -1 - n if there are odd ones';

CREATE FUNCTION @extschema@.ldp_has_parts(reports regclass) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT t.relkind = 'p' OR t.relhassubclass FROM pg_class AS t WHERE t.oid = $1 $$;
COMMENT ON FUNCTION @extschema@.ldp_has_parts(regclass) IS 'whether a table has partitions, or may have';

CREATE FUNCTION @extschema@.ldp_parts(reports regclass) RETURNS SETOF regclass
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE tree (part) AS (
        SELECT t.oid FROM pg_class AS t WHERE t.oid = $1 AND t.relkind <> 'p'
        UNION SELECT i.inhrelid FROM tree AS t JOIN pg_inherits AS i ON i.inhparent = t.part)
    SELECT t.part::regclass FROM tree AS t UNION ALL SELECT p.relid FROM pg_partition_tree($1) AS p WHERE p.isleaf AND p.relid <> $1
$$;
COMMENT ON FUNCTION @extschema@.ldp_parts(regclass) IS 'the tables that hold the rows of a table: its partitions, or itself';

-- A partition that a rollup does not follow was attached by the owner. What it holds may have any stamp, so all rollups count
-- it whole while nobody else uses it. One that was detached and is attached again: what they had not counted by then.
CREATE FUNCTION @extschema@.ldp_count_parts(collection @extschema@.ldp_collection, rollup text) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reports regclass := collection.reports;
    owner oid := @extschema@.ldp_owner(reports);
    attached regclass[];
    added regclass;
    each @extschema@.ldp_rollup;
    seen @extschema@.ldp_rollup_part;
    condition text;
    uncounted text;
    counted bigint;
    of_rollup bigint := 0;
BEGIN
    -- No partition is attached or detached until the end of the transaction. Submitters do not wait for this lock.
    IF @extschema@.ldp_has_parts(reports) THEN
        PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', reports));
    END IF;
    attached := ARRAY(SELECT p FROM @extschema@.ldp_parts(reports) AS p);
    DELETE FROM @extschema@.ldp_rollup_part AS p WHERE p.rollup IN (SELECT r.name FROM @extschema@.ldp_rollup AS r WHERE r.collection = ldp_count_parts.collection.name)
        AND NOT EXISTS (SELECT FROM pg_class AS t WHERE t.oid = p.part);
    UPDATE @extschema@.ldp_rollup_part AS p SET counted = r.counted, open = r.open FROM @extschema@.ldp_rollup AS r
    WHERE r.collection = ldp_count_parts.collection.name AND r.name = p.rollup AND p.counted IS NULL AND p.part <> ALL (attached);
    FOR added IN SELECT a FROM unnest(attached) AS a WHERE EXISTS (
            SELECT FROM @extschema@.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries
                 LEFT JOIN @extschema@.ldp_rollup_part AS p ON p.rollup = r.name AND p.part = a AND p.counted IS NULL
            WHERE r.collection = ldp_count_parts.collection.name AND p.rollup IS NULL) ORDER BY a LOOP
        IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
            RAISE EXCEPTION USING
                ERRCODE = 'active_sql_transaction',
                MESSAGE = format('partition %s of collection "%s" cannot be counted in a transaction with an old snapshot', added, collection.name),
                DETAIL = 'It was attached since the last refresh, so all of it is to be counted.',
                HINT = 'Refresh in a transaction of the isolation level READ COMMITTED.';
        END IF;
        PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', added));
        uncounted := @extschema@.ldp_unstamped();
        FOR each IN SELECT r.* FROM @extschema@.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries WHERE r.collection = ldp_count_parts.collection.name LOOP
            uncounted := uncounted || ' OR ' || @extschema@.ldp_uncounted(each);
            condition := 'true';
            SELECT p.* INTO seen FROM @extschema@.ldp_rollup_part AS p WHERE p.rollup = each.name AND p.part = added;
            IF FOUND THEN
                each.counted := COALESCE(seen.counted, each.counted);
                each.open := COALESCE(seen.open, each.open);
                condition := @extschema@.ldp_unstamped() || ' OR ' || @extschema@.ldp_uncounted(each);
            END IF;
            counted := @extschema@.ldp_roll_up(each, collection, format('ONLY %s', added), condition);
            IF each.name = rollup THEN
                of_rollup := of_rollup + counted;
            END IF;
        END LOOP;
        PERFORM @extschema@.ldp_change_as(owner, format('UPDATE ONLY %s AS t SET ldp_arrival = 0 WHERE %s', added, uncounted));
        INSERT INTO @extschema@.ldp_rollup_part (rollup, part)
        SELECT r.name, added FROM @extschema@.ldp_rollup AS r WHERE r.collection = ldp_count_parts.collection.name
        ON CONFLICT ON CONSTRAINT ldp_rollup_part_pkey DO UPDATE SET counted = NULL, open = NULL;
    END LOOP;
    RETURN of_rollup;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_count_parts(@extschema@.ldp_collection, text) IS
    'counts partitions that were attached since the last refresh in all rollups of a collection; returns how many reports one of them counted';

-- Pages of which the index on stamps knows nothing are read by every refresh. Where something else uses the table, as VACUUM
-- does, which does the same work, the next refresh does it.
CREATE FUNCTION @extschema@.ldp_summarize_parts(rollup text, reports regclass) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid := @extschema@.ldp_owner(reports);
    grown record;
    index regclass;
BEGIN
    FOR grown IN SELECT p.part, s.pages FROM @extschema@.ldp_rollup_part AS p,
                     LATERAL (SELECT pg_relation_size(p.part) / current_setting('block_size')::bigint AS pages) AS s
                 WHERE p.rollup = ldp_summarize_parts.rollup AND p.counted IS NULL AND s.pages <> p.pages LOOP
        BEGIN
            PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE NOWAIT', grown.part));
            FOR index IN SELECT i.indexrelid FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indexrelid JOIN pg_am AS m ON m.oid = t.relam
                             JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                         WHERE i.indrelid = grown.part AND m.amname = 'brin' AND a.attname = 'ldp_arrival' LOOP
                PERFORM @extschema@.ldp_change_as(owner, format('SELECT pg_catalog.brin_summarize_new_values(%L)::bigint', index));
            END LOOP;
            UPDATE @extschema@.ldp_rollup_part AS p SET pages = grown.pages WHERE p.rollup = ldp_summarize_parts.rollup AND p.part = grown.part;
        EXCEPTION WHEN lock_not_available THEN
            NULL;
        END;
    END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_summarize_parts(text, regclass) IS
    'brings the indexes on stamps of a collection''s table up to date, where partitions have grown since this rollup was refreshed';

CREATE FUNCTION @extschema@.ldp_grantee(role oid) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT CASE $1 WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid($1)) END $$;
COMMENT ON FUNCTION @extschema@.ldp_grantee(oid) IS 'a role as GRANT names it';

CREATE FUNCTION @extschema@.ldp_stamp_reports(collection @extschema@.ldp_collection, rollup text) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reports regclass := collection.reports;
    owner oid := @extschema@.ldp_owner(reports);
    each @extschema@.ldp_rollup;
    counted bigint;
    of_rollup bigint := 0;
    above bigint;
    rights aclitem[];
    granted record;
    elsewhere boolean := false;
BEGIN
    IF EXISTS (SELECT FROM pg_partition_tree(reports) AS p JOIN pg_class AS t ON t.oid = p.relid WHERE t.relkind = 'f') THEN
        elsewhere := true;
    ELSIF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN  -- Citus
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition AS d '
                'WHERE d.logicalrelid = $1 OR d.logicalrelid IN (SELECT p.relid FROM pg_partition_tree($1) AS p))'
        INTO elsewhere USING reports;
    END IF;
    IF elsewhere THEN
        RAISE EXCEPTION USING
            ERRCODE = 'feature_not_supported',
            MESSAGE = format('rollups of collection "%s" are not possible: its reports are on several servers', collection.name),
            DETAIL = 'What a rollup has counted it knows by numbers of transactions, and each server has its own.',
            HINT = 'Let each server keep a collection and a rollup of its part, and add their summaries up with ldp_rollup.';
    END IF;
    IF collection.home = @extschema@.ldp_cluster_database() THEN
        RETURN @extschema@.ldp_count_parts(collection, rollup);
    END IF;
    PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', reports));
    IF NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = reports AND a.attname = 'ldp_arrival' AND NOT a.attisdropped) THEN
        IF EXISTS (SELECT FROM pg_class AS t WHERE t.oid = reports AND t.reloftype <> 0) THEN
            RAISE EXCEPTION USING
                ERRCODE = 'wrong_object_type',
                MESSAGE = format('a rollup needs a further column in the typed table %s', reports),
                DETAIL = 'A table that was created with OF takes no further columns.',
                HINT = format('Make it an ordinary table first: ALTER TABLE %s NOT OF. Its columns and reports stay.', reports);
        END IF;
        PERFORM @extschema@.ldp_change_as(owner, format('ALTER TABLE %s ADD COLUMN ldp_arrival bigint DEFAULT 0', reports));
        PERFORM @extschema@.ldp_change_as(owner, format('COMMENT ON COLUMN %s.ldp_arrival IS %L', reports,
            'when the report arrived: the number of its transaction, for rollups'));
        PERFORM @extschema@.ldp_change_as(owner, format(
            'CREATE INDEX ON %s USING brin (ldp_arrival) WITH (pages_per_range = 32, autosummarize = on)', reports));
    ELSE
        -- A copy, or adopted: nobody else writes, so all reports that are there and not counted can be counted.
        of_rollup := @extschema@.ldp_count_parts(collection, rollup);
        FOR each IN SELECT r.* FROM @extschema@.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries WHERE r.collection = ldp_stamp_reports.collection.name LOOP
            counted := @extschema@.ldp_roll_up(each, collection, reports::text,
                @extschema@.ldp_unstamped() || ' OR ' || @extschema@.ldp_uncounted(each));
            IF each.name = rollup THEN
                of_rollup := of_rollup + counted;
            END IF;
        END LOOP;
        PERFORM @extschema@.ldp_change_as(owner, format('UPDATE %s AS t SET ldp_arrival = 0 WHERE %s', reports, @extschema@.ldp_unstamped()));
    END IF;
    SELECT GREATEST(max(r.counted), ldp_stamp_reports.collection.stamp, @extschema@.ldp_change_as(owner, format(
        'SELECT max(ldp_arrival) FROM %s WHERE ldp_arrival >= %s', reports, COALESCE(min(r.counted), 0))))
    INTO above FROM @extschema@.ldp_rollup AS r WHERE r.collection = ldp_stamp_reports.collection.name;
    PERFORM @extschema@.ldp_change_as(owner, format('ALTER TABLE %s ALTER COLUMN ldp_arrival SET DEFAULT %s.ldp_arrival(%L, %s)',
        reports, '@extschema@', @extschema@.ldp_cluster_database(), above));
    UPDATE @extschema@.ldp_collection AS c SET home = @extschema@.ldp_cluster_database(), stamp = above WHERE c.name = ldp_stamp_reports.collection.name;
    UPDATE @extschema@.ldp_rollup AS r SET counted = above + 1, open = '{}', refreshed = clock_timestamp()
    WHERE r.collection = ldp_stamp_reports.collection.name;
    -- A role that may insert may not choose the stamp. Roles that granted the right on grant it again, so that it ends with
    -- theirs as before; the owner does for a role that cannot name the table any more.
    SELECT t.relacl INTO rights FROM pg_class AS t WHERE t.oid = reports;
    FOR granted IN SELECT DISTINCT a.grantee FROM aclexplode(rights) AS a WHERE a.privilege_type = 'INSERT' AND a.grantor = owner AND a.grantee <> owner LOOP
        PERFORM @extschema@.ldp_change_as(owner, format('REVOKE INSERT ON %s FROM %s CASCADE', reports, @extschema@.ldp_grantee(granted.grantee)));
    END LOOP;
    FOR granted IN
        WITH RECURSIVE one AS (SELECT a.* FROM aclexplode(rights) AS a WHERE a.privilege_type = 'INSERT' AND a.grantee <> owner),
            chain AS (SELECT o.*, 0 AS step FROM one AS o WHERE o.grantor = owner
                      UNION ALL SELECT o.*, c.step + 1 FROM chain AS c JOIN one AS o ON o.grantor = c.grantee WHERE c.step < 100)
        SELECT CASE WHEN has_schema_privilege(c.grantor, t.relnamespace, 'USAGE') THEN c.grantor ELSE owner END AS grantor, c.grantee,
               bool_or(c.is_grantable) AS is_grantable
        FROM chain AS c, pg_class AS t WHERE t.oid = reports GROUP BY 1, 2 ORDER BY min(c.step) LOOP
        PERFORM @extschema@.ldp_change_as(granted.grantor, format('GRANT INSERT (%s) ON %s TO %s %s',
            (SELECT string_agg(quote_ident(a.attname), ', ') FROM pg_attribute AS a
             WHERE a.attrelid = reports AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'ldp_arrival'), reports,
            @extschema@.ldp_grantee(granted.grantee), CASE WHEN granted.is_grantable THEN 'WITH GRANT OPTION' END));
    END LOOP;
    RETURN of_rollup;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_stamp_reports(@extschema@.ldp_collection, text) IS
    'sees to it that a collection''s reports are stamped in this database; if they were in another, counts whatever its rollups '
    'have not, and returns how many reports one of them had not';

CREATE FUNCTION @extschema@.ldp_create_rollup_as(caller name, name text, collection text, by text[], zone text) RETURNS regclass
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whole @extschema@.ldp_collection;
    relation pg_class;
    owner oid;
    table_name text;
    names text[];
    definitions text;
    indexed text;
    created regclass;
    made @extschema@.ldp_rollup;
BEGIN
    IF name IS NULL OR collection IS NULL OR by IS NULL OR zone IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed',
            MESSAGE = 'a rollup needs a name, a collection, columns and a time zone';
    END IF;
    PERFORM date_trunc('day', now(), zone);  -- or it is none
    whole := @extschema@.ldp_own_collection(caller, collection);
    IF EXISTS (SELECT FROM @extschema@.ldp_rollups AS r WHERE r.name = ldp_create_rollup_as.name) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_object',
            MESSAGE = format('rollup "%s" exists already', name),
            HINT = 'ldp_drop_rollup drops it with all its summaries.';
    END IF;
    PERFORM @extschema@.ldp_check_free(name);
    SELECT array_agg(b.name), string_agg(format('%I %s, ', b.name, b.result_type), ''),
           string_agg(quote_ident(b.name), ', ') FILTER (WHERE b.indexed <= 8)
    INTO names, definitions, indexed
    FROM (SELECT b.*, CASE WHEN b.result_type IN ('date', 'timestamp without time zone', 'timestamp with time zone', 'integer')
                      THEN count(*) FILTER (WHERE b.result_type IN ('date', 'timestamp without time zone', 'timestamp with time zone', 'integer'))
                           OVER (ROWS UNBOUNDED PRECEDING) END AS indexed
          FROM @extschema@.ldp_buckets(whole.reports, @extschema@.ldp_group_columns(whole.reports), by, zone) AS b) AS b;
    SELECT t.* INTO STRICT relation FROM pg_class AS t WHERE t.oid = whole.reports;
    owner := relation.relowner;
    table_name := format('%s.%I', relation.relnamespace::regnamespace, name);
    PERFORM @extschema@.ldp_stamp_reports(whole, NULL);
    PERFORM @extschema@.ldp_change_as(owner, format('CREATE TABLE %s (bucket bytea PRIMARY KEY, %s summary %s.ldp_summary NOT NULL)',
        table_name, definitions, '@extschema@'));
    created := table_name::regclass;
    PERFORM @extschema@.ldp_change_as(owner, format('COMMENT ON TABLE %s IS %L', created, format('rollup of the ldp collection "%s"', collection)));
    IF indexed IS NOT NULL THEN
        PERFORM @extschema@.ldp_change_as(owner, format('CREATE INDEX ON %s (%s)', created, indexed));
    END IF;
    DELETE FROM @extschema@.ldp_rollup AS r WHERE r.name = ldp_create_rollup_as.name;  -- whose table is gone
    INSERT INTO @extschema@.ldp_rollup (name, collection, summaries, buckets, columns, zone)
    VALUES (name, collection, created, by, COALESCE(names, '{}'), zone) RETURNING * INTO made;
    -- Stamps of what is there by now are those of this database, or 0.
    DELETE FROM @extschema@.ldp_rollup_part AS p WHERE p.rollup = ldp_create_rollup_as.name;
    INSERT INTO @extschema@.ldp_rollup_part (rollup, part) SELECT name, p FROM @extschema@.ldp_parts(whole.reports) AS p;
    BEGIN
        PERFORM @extschema@.ldp_roll_up(made, whole, whole.reports::text, 'false');
    EXCEPTION WHEN undefined_function THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_function',
            MESSAGE = format('there are no buckets by some column of rollup "%s"', name),
            DETAIL = SQLERRM,
            HINT = 'Take side columns of types whose values can be compared, such as jsonb in place of json.';
    END;
    RETURN created;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_create_rollup_as(name, text, text, text[], text) IS 'ldp_create_rollup, of this caller';

CREATE FUNCTION @extschema@.ldp_create_rollup(name text, collection text, by text[], zone text DEFAULT 'UTC') RETURNS regclass
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_create_rollup(text, text, text[], text) IS
    'creates a table of summaries of a collection''s reports beside its table, a row for each bucket by the round, side columns, or '
    'units of time of side columns, as in {day(visited),country}; ldp_refresh fills it, and ldp_series reads it. The table itself is '
    'readable for its owner only';

CREATE FUNCTION @extschema@.ldp_refresh_as(caller name, name text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rollup @extschema@.ldp_rollup := @extschema@.ldp_rollup_named(name);
    collection @extschema@.ldp_collection := @extschema@.ldp_own_collection(caller, rollup.collection);
    count bigint := @extschema@.ldp_stamp_reports(collection, name);
    began timestamptz := clock_timestamp();
    snapshot pg_snapshot;
    first_not bigint;
    not_ended bigint[];
    counted bigint;
BEGIN
    -- Again, for another refresh may have ended meanwhile.
    SELECT r.* INTO STRICT rollup FROM @extschema@.ldp_rollup AS r WHERE r.name = ldp_refresh_as.name FOR UPDATE;
    SELECT c.* INTO STRICT collection FROM @extschema@.ldp_collection AS c WHERE c.name = rollup.collection;
    -- Not beyond this transaction: of its number every crash keeps a trace if it keeps what is counted here; higher
    -- ones, of transactions that left none, are used again.
    snapshot := pg_current_snapshot();
    first_not := LEAST(pg_snapshot_xmax(snapshot), pg_current_xact_id())::text::bigint + collection.stamp;
    not_ended := ARRAY(SELECT x.id FROM (SELECT o::text::bigint + collection.stamp FROM pg_snapshot_xip(snapshot) AS o) AS x (id) WHERE x.id < first_not);
    counted := @extschema@.ldp_roll_up(rollup, collection,
        CASE WHEN @extschema@.ldp_has_parts(collection.reports) THEN '' ELSE 'ONLY ' END || collection.reports::text,
        format('t.ldp_arrival >= %1$s AND t.ldp_arrival < %2$s AND t.ldp_arrival <> ALL (%3$L::bigint[]) OR t.ldp_arrival = ANY (%4$L::bigint[]) OR %5$s',
            rollup.counted, first_not, not_ended, ARRAY(SELECT o FROM unnest(rollup.open) AS o WHERE o < first_not AND o <> ALL (not_ended) AND o < rollup.counted),
            @extschema@.ldp_unstamped()),
        @extschema@.ldp_unstamped());
    -- Reports without a stamp arrive now, and are counted next time.
    IF counted < 0 THEN
        counted := -1 - counted;
        PERFORM @extschema@.ldp_change_as(@extschema@.ldp_owner(collection.reports), format('UPDATE %s AS t SET ldp_arrival = %s.ldp_arrival(%L, %s) WHERE %s',
            collection.reports, '@extschema@', collection.home, collection.stamp, @extschema@.ldp_unstamped()));
    END IF;
    count := count + counted;
    PERFORM @extschema@.ldp_summarize_parts(rollup.name, collection.reports);
    -- This transaction may have begun before one that has counted further.
    UPDATE @extschema@.ldp_rollup AS r
    SET counted = GREATEST(r.counted, first_not), refreshed = began,
        open = ARRAY(SELECT o FROM unnest(r.open || not_ended) AS o WHERE o >= first_not OR o = ANY (not_ended) GROUP BY o ORDER BY o)
    WHERE r.name = rollup.name;
    RETURN count;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_refresh_as(name, text) IS 'ldp_refresh, of this caller';

CREATE FUNCTION @extschema@.ldp_refresh(name text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_refresh(text) IS
    'adds the reports to a rollup that have arrived since the last time, each once; returns how many';

CREATE FUNCTION @extschema@.ldp_drop_rollup_as(caller name, name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rollup @extschema@.ldp_rollup := @extschema@.ldp_rollup_named(name);
BEGIN
    PERFORM FROM @extschema@.ldp_collection AS c WHERE c.name = rollup.collection FOR NO KEY UPDATE;
    PERFORM @extschema@.ldp_check_owner(rollup.summaries, caller);
    DELETE FROM @extschema@.ldp_rollup AS r WHERE r.name = rollup.name;
    DELETE FROM @extschema@.ldp_rollup_part AS p WHERE p.rollup = ldp_drop_rollup_as.name;
    PERFORM @extschema@.ldp_change_as(@extschema@.ldp_owner(rollup.summaries), format('DROP TABLE %s', rollup.summaries));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_drop_rollup_as(name, text) IS 'ldp_drop_rollup, of this caller';

CREATE FUNCTION @extschema@.ldp_drop_rollup(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_drop_rollup(text) IS 'drops a rollup with all its summaries';

-- Who may call what, as at the end of the script before this one.
GRANT SELECT ON @extschema@.ldp_rollup, @extschema@.ldp_rollups TO PUBLIC;
REVOKE ALL ON FUNCTION
    @extschema@.ldp_change_as(oid, text),
    @extschema@.ldp_own_collection(name, text),
    @extschema@.ldp_roll_up(@extschema@.ldp_rollup, @extschema@.ldp_collection, text, text, text),
    @extschema@.ldp_count_parts(@extschema@.ldp_collection, text),
    @extschema@.ldp_summarize_parts(text, regclass),
    @extschema@.ldp_stamp_reports(@extschema@.ldp_collection, text),
    @extschema@.ldp_create_rollup_as(name, text, text, text[], text),
    @extschema@.ldp_refresh_as(name, text),
    @extschema@.ldp_drop_rollup_as(name, text)
    FROM PUBLIC;
