
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

CREATE FUNCTION @extschema@.ldp_home() RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.ldp_home() IS 'which database this is, in which cluster: where stamps mean what they say';

CREATE FUNCTION @extschema@.ldp_arrival(home text, above bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.ldp_arrival(text, bigint) IS
    'the stamp of a report that arrives now, above this one: the number of the transaction; NULL if this is not its home';

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

-- What is asked for by name becomes an expression here, and nowhere else. It is a column's name, quoted, or a unit of time of
-- one that has a time.
CREATE FUNCTION @extschema@.ldp_buckets(source regclass, columns text[], by text[], zone text)
    RETURNS TABLE (name text, expression text, result_type text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part text;
    pieces text[];
    of_type oid;
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
        expression := CASE WHEN pieces[1] IS NULL THEN format('t.%I', part)
                           WHEN of_type = 'timestamptz'::regtype THEN format('date_trunc(%L, t.%I, %L)', pieces[1], pieces[2], zone)
                           ELSE format('date_trunc(%L, t.%I::timestamp)::%s', pieces[1], pieces[2], result_type) END;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_buckets(regclass, text[], text[], text) IS
    'what buckets by these columns, or units of their time, are called, and the expressions in SQL, with their types, of a table t';

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

-- Rows are found by what makes their bucket, in words: PostgreSQL before 15 takes NULLs for different ones.
CREATE FUNCTION @extschema@.ldp_roll_up(rollup @extschema@.ldp_rollup, collection @extschema@.ldp_collection, condition text) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' SET enable_seqscan = off SET jit = off AS $$
DECLARE
    owner oid := @extschema@.ldp_owner(collection.reports);
    names text;
    expressions text;
    words text;
BEGIN
    SELECT string_agg(format('%I, ', b.name), ''), string_agg(format('%s, ', b.expression), ''), string_agg(format('(%s)::text', b.expression), ', ')
    INTO names, expressions, words
    FROM @extschema@.ldp_buckets(collection.reports, @extschema@.ldp_group_columns(collection.reports), rollup.buckets, rollup.zone) AS b;
    -- What is new is found by the index on stamps, also where nobody has counted yet how much there is.
    -- What came before the lock was granted is seen whole by the statement after it, however it came.
    PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE %s IN ACCESS SHARE MODE', collection.reports));
    RETURN @extschema@.ldp_change_as(owner, format(
        'WITH fresh AS (SELECT ARRAY[%1$s]::text[] AS bucket, %2$s %3$s.ldp_agg(t.%4$I, t.round) AS summary FROM %5$s AS t WHERE %6$s '
        'GROUP BY %2$s () HAVING count(*) > 0), '
        'merged AS (INSERT INTO %7$s AS r (bucket, %8$s summary) SELECT * FROM fresh '
        'ON CONFLICT (bucket) DO UPDATE SET summary = %3$s.ldp_summary_merge(r.summary, EXCLUDED.summary)) '
        'SELECT sum(%3$s.ldp_count(summary))::bigint FROM fresh',
        words, expressions, '@extschema@', @extschema@.ldp_report_column(collection.reports), collection.reports, condition,
        rollup.summaries, names));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_roll_up(@extschema@.ldp_rollup, @extschema@.ldp_collection, text) IS
    'adds a collection''s reports t that meet a condition to a rollup; returns how many there are';

CREATE FUNCTION @extschema@.ldp_stamp_reports(collection @extschema@.ldp_collection, rollup text) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reports regclass := collection.reports;
    owner oid := @extschema@.ldp_owner(reports);
    each @extschema@.ldp_rollup;
    counted bigint;
    of_rollup bigint := 0;
    above bigint;
    role text;
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
    IF collection.home = @extschema@.ldp_home() THEN
        RETURN 0;
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
        PERFORM @extschema@.ldp_change_as(owner, format('CREATE INDEX ON %s (ldp_arrival)', reports));
    ELSE
        -- A copy, or adopted: nobody else writes, so whatever is there and not counted can be, for good.
        FOR each IN SELECT r.* FROM @extschema@.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries WHERE r.collection = ldp_stamp_reports.collection.name LOOP
            counted := @extschema@.ldp_roll_up(each, collection, 't.ldp_arrival IS NULL OR ' || @extschema@.ldp_uncounted(each));
            IF each.name = rollup THEN
                of_rollup := counted;
            END IF;
        END LOOP;
        PERFORM @extschema@.ldp_change_as(owner, format('UPDATE %s SET ldp_arrival = 0 WHERE ldp_arrival IS NULL', reports));
    END IF;
    SELECT GREATEST(max(r.counted), ldp_stamp_reports.collection.stamp, @extschema@.ldp_change_as(owner, format(
        'SELECT max(ldp_arrival) FROM %s WHERE ldp_arrival >= %s', reports, COALESCE(min(r.counted), 0))))
    INTO above FROM @extschema@.ldp_rollup AS r WHERE r.collection = ldp_stamp_reports.collection.name;
    PERFORM @extschema@.ldp_change_as(owner, format('ALTER TABLE %s ALTER COLUMN ldp_arrival SET DEFAULT %s.ldp_arrival(%L, %s)',
        reports, '@extschema@', @extschema@.ldp_home(), above));
    UPDATE @extschema@.ldp_collection AS c SET home = @extschema@.ldp_home(), stamp = above WHERE c.name = ldp_stamp_reports.collection.name;
    UPDATE @extschema@.ldp_rollup AS r SET counted = above + 1, open = '{}', refreshed = clock_timestamp()
    WHERE r.collection = ldp_stamp_reports.collection.name;
    -- Who may insert may not choose the stamp.
    FOR role IN SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
                FROM pg_class AS t, LATERAL aclexplode(t.relacl) AS a
                WHERE t.oid = reports AND a.privilege_type = 'INSERT' AND a.grantee <> owner LOOP
        PERFORM @extschema@.ldp_change_as(owner, format('REVOKE INSERT ON %s FROM %s', reports, role));
        PERFORM @extschema@.ldp_change_as(owner, format('GRANT INSERT (%s) ON %s TO %s',
            (SELECT string_agg(quote_ident(a.attname), ', ') FROM pg_attribute AS a
             WHERE a.attrelid = reports AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'ldp_arrival'), reports, role));
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
           string_agg(CASE WHEN b.result_type ~ '^(date|timestamp|integer)' THEN quote_ident(b.name) END, ', ')
    INTO names, definitions, indexed
    FROM @extschema@.ldp_buckets(whole.reports, @extschema@.ldp_group_columns(whole.reports), by, zone) AS b;
    SELECT t.* INTO STRICT relation FROM pg_class AS t WHERE t.oid = whole.reports;
    owner := relation.relowner;
    table_name := format('%s.%I', relation.relnamespace::regnamespace, name);
    PERFORM @extschema@.ldp_stamp_reports(whole, NULL);
    PERFORM @extschema@.ldp_change_as(owner, format('CREATE TABLE %s (bucket text[] PRIMARY KEY, %s summary %s.ldp_summary NOT NULL)',
        table_name, definitions, '@extschema@'));
    created := table_name::regclass;
    PERFORM @extschema@.ldp_change_as(owner, format('COMMENT ON TABLE %s IS %L', created, format('rollup of the ldp collection "%s"', collection)));
    IF indexed IS NOT NULL THEN
        PERFORM @extschema@.ldp_change_as(owner, format('CREATE INDEX ON %s (%s)', created, indexed));
    END IF;
    -- Policies, which decide what an analyst may see of the reports, are the owner's to write for this table, too.
    IF whole.analysts = 'rows' AND NOT relation.relrowsecurity THEN
        PERFORM @extschema@.ldp_change_as(owner, format('GRANT SELECT ON %s TO ldp_analyst', created));
    END IF;
    DELETE FROM @extschema@.ldp_rollup AS r WHERE r.name = ldp_create_rollup_as.name;  -- whose table is gone
    INSERT INTO @extschema@.ldp_rollup (name, collection, summaries, buckets, columns, zone)
    VALUES (name, collection, created, by, COALESCE(names, '{}'), zone);
    RETURN created;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_create_rollup_as(name, text, text, text[], text) IS 'ldp_create_rollup, of this caller';

CREATE FUNCTION @extschema@.ldp_create_rollup(name text, collection text, by text[], zone text DEFAULT 'UTC') RETURNS regclass
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_create_rollup(text, text, text[], text) IS
    'creates a table of summaries of a collection''s reports beside its table, a row for each bucket by the round, side columns, or '
    'units of time of side columns, as in {day(visited),country}; ldp_refresh fills it';

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
BEGIN
    -- Again, for another refresh may have ended meanwhile.
    SELECT r.* INTO STRICT rollup FROM @extschema@.ldp_rollup AS r WHERE r.name = ldp_refresh_as.name FOR UPDATE;
    SELECT c.* INTO STRICT collection FROM @extschema@.ldp_collection AS c WHERE c.name = rollup.collection;
    -- Not beyond this transaction: of its number every crash keeps a trace if it keeps what is counted here; higher
    -- ones, of transactions that left none, are used again.
    snapshot := pg_current_snapshot();
    first_not := LEAST(pg_snapshot_xmax(snapshot), pg_current_xact_id())::text::bigint + collection.stamp;
    not_ended := ARRAY(SELECT x.id FROM (SELECT o::text::bigint + collection.stamp FROM pg_snapshot_xip(snapshot) AS o) AS x (id) WHERE x.id < first_not);
    count := count + @extschema@.ldp_roll_up(rollup, collection, format('%s AND t.ldp_arrival < %s AND t.ldp_arrival <> ALL (%L::bigint[])',
        @extschema@.ldp_uncounted(rollup), first_not, not_ended));
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
    PERFORM @extschema@.ldp_change_as(@extschema@.ldp_owner(rollup.summaries), format('DROP TABLE %s', rollup.summaries));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_drop_rollup_as(name, text) IS 'ldp_drop_rollup, of this caller';

CREATE FUNCTION @extschema@.ldp_drop_rollup(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_drop_rollup(text) IS 'drops a rollup with all its summaries';

CREATE FUNCTION @extschema@.ldp_rolled_up_as(caller name, name text, by text[], since timestamptz, until timestamptz,
        first_round integer, last_round integer) RETURNS @extschema@.ldp_group[]
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    rollup @extschema@.ldp_rollup := @extschema@.ldp_rollup_named(name, COALESCE(by, '{}'),
        since IS NOT NULL OR until IS NOT NULL, first_round IS NOT NULL OR last_round IS NOT NULL);
    reading record;
    condition text := 'true';
    bound record;
    column_name text;
    groups text;
    expressions text;
BEGIN
    SELECT r.* INTO reading FROM @extschema@.ldp_collection AS c,
           LATERAL @extschema@.ldp_reader(c, rollup.summaries, rollup.columns || 'summary'::text, caller) AS r
    WHERE c.name = rollup.collection;
    -- A bucket belongs to where it begins. Times without a zone are the rollup's.
    FOR bound IN SELECT * FROM (VALUES ('>=', since, NULL::integer), ('<', until, NULL), ('>=', NULL, first_round), ('<=', NULL, last_round))
                               AS v (operator, moment, round) WHERE moment IS NOT NULL OR round IS NOT NULL LOOP
        SELECT format(CASE a.atttypid WHEN 'timestamptz'::regtype THEN 't.%I %s %L::timestamptz' WHEN 'integer'::regtype THEN 't.%I %s %L::integer'
                                      ELSE 't.%I::timestamp %s %L::timestamp' END, a.attname, bound.operator,
                      CASE WHEN bound.moment IS NULL THEN bound.round::text WHEN a.atttypid = 'timestamptz'::regtype THEN bound.moment::text
                           ELSE (bound.moment AT TIME ZONE rollup.zone)::text END)
        INTO column_name
        FROM pg_attribute AS a
        WHERE a.attrelid = rollup.summaries AND a.attname = ANY (rollup.columns)
              AND CASE WHEN bound.moment IS NULL THEN a.attname = 'round' ELSE a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) END
        ORDER BY a.attnum LIMIT 1;
        IF NOT FOUND THEN
            RAISE EXCEPTION USING
                ERRCODE = 'undefined_column',
                MESSAGE = format('rollup "%s" does not know %s', rollup.name, CASE WHEN bound.moment IS NULL THEN 'rounds' ELSE 'times' END),
                DETAIL = @extschema@.ldp_listed(rollup.columns),
                HINT = 'Create a rollup by what is asked for.';
        END IF;
        condition := condition || ' AND ' || column_name;
    END LOOP;
    -- Times with a zone are told in the rollup's.
    SELECT string_agg(format(CASE b.result_type WHEN 'timestamp with time zone' THEN '%L, (%s) AT TIME ZONE %L' ELSE '%L, %s' END, b.name, b.expression, rollup.zone), ', '),
           string_agg(b.expression || ', ', '')
    INTO groups, expressions
    FROM @extschema@.ldp_buckets(rollup.summaries, rollup.columns, COALESCE(by, rollup.columns), rollup.zone) AS b;
    RETURN @extschema@.ldp_run_as(reading.role, reading.policies,
        format('SELECT array_agg(ROW(g.name, g.summary)::%1$s.ldp_group ORDER BY g.place) FROM '
               '(SELECT jsonb_build_object(%2$s) AS name, %1$s.ldp_rollup(t.summary) AS summary, row_number() OVER (ORDER BY %3$s count(*)) AS place '
               'FROM %4$s AS t WHERE %5$s GROUP BY %3$s () HAVING %1$s.ldp_count(%1$s.ldp_rollup(t.summary)) >= %6$s) AS g',
               '@extschema@', groups, expressions, rollup.summaries, condition, reading.fewest),
        NULL::@extschema@.ldp_group[]);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_rolled_up_as(name, text, text[], timestamptz, timestamptz, integer, integer) IS 'ldp_rolled_up, of this caller';

CREATE FUNCTION @extschema@.ldp_rolled_up(name text, by text[] DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
        first_round integer DEFAULT NULL, last_round integer DEFAULT NULL) RETURNS @extschema@.ldp_group[]
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_rolled_up(text, text[], timestamptz, timestamptz, integer, integer) IS
    'the summaries behind ldp_series, as an array of rows of name and summary';

CREATE FUNCTION @extschema@.ldp_series(name text, by text[] DEFAULT NULL, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
        first_round integer DEFAULT NULL, last_round integer DEFAULT NULL, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS TABLE ("group" jsonb, attribute text, label text, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint,
        attribute_number integer, value integer, note text)
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT g."group", e.attribute, e.label, e.estimate, e.stderr, e.lower, e.upper, e.n, e.people, e.attribute_number, e.value, e.note
    FROM unnest(@extschema@.ldp_rolled_up($1, $2, $3, $4, $5, $6)) WITH ORDINALITY AS g ("group", summary, place),
         LATERAL @extschema@.ldp_estimate(g.summary, $7, $8) WITH ORDINALITY AS e (attribute, label, estimate, stderr, lower, upper, n, people,
             attribute_number, value, note, row)
    ORDER BY g.place, e.row
$$;
COMMENT ON FUNCTION @extschema@.ldp_series(text, text[], timestamptz, timestamptz, integer, integer, float8, text) IS
    'what the reports in a rollup tell, as ldp_estimate does of a collection: bucket by bucket, or the sums by some of its columns, or '
    'longer units of its time; of the buckets that begin in a span of time, or of rounds';

-- Partitions ------------------------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.ldp_partitions(reports regclass)
    RETURNS TABLE (part regclass, key text, key_type regtype, begins text, ends text)
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
    SELECT t.oid::regclass, a.attname::text, a.atttypid::regtype, NULLIF(b.bounds[1], 'MINVALUE'), NULLIF(b.bounds[2], 'MAXVALUE')
    FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
         JOIN pg_inherits AS i ON i.inhparent = p.partrelid JOIN pg_class AS t ON t.oid = i.inhrelid,
         LATERAL regexp_match(pg_get_expr(t.relpartbound, t.oid), '^FOR VALUES FROM \(''?([^'']*)''?\) TO \(''?([^'']*)''?\)$') AS b (bounds)
    WHERE p.partrelid = $1 AND p.partstrat = 'r' AND p.partnatts = 1
$$;
COMMENT ON FUNCTION @extschema@.ldp_partitions(regclass) IS
    'the partitions of a table by ranges of a column, the column and its type, and from where (or any) to where each goes; '
    'both ends NULL of the default partition';

CREATE FUNCTION @extschema@.ldp_add_partition(reports regclass, key text, low text, high text, part text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid := @extschema@.ldp_owner(reports);
    created text := (SELECT format('%s.%s', t.relnamespace::regnamespace, @extschema@.ldp_partition_name(t.relname, part))
                     FROM pg_class AS t WHERE t.oid = reports);
    rest regclass := (SELECT NULLIF(p.partdefid, 0) FROM pg_partitioned_table AS p WHERE p.partrelid = reports);
    rounds text := (SELECT pg_get_constraintdef(c.oid) FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'round_is_open');
    columns text := (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a
                     WHERE a.attrelid = reports AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '');
BEGIN
    PERFORM @extschema@.ldp_change_as(owner, format('CREATE TABLE %s (LIKE %s INCLUDING ALL)', created, reports));
    -- What has come too early waits in the default partition. The rounds of it may be closed by now.
    PERFORM @extschema@.ldp_change_as(owner, format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS round_is_open', created));
    IF rest IS NOT NULL THEN
        PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', rest));
        PERFORM @extschema@.ldp_change_as(owner, format(
            'WITH moved AS (DELETE FROM %s AS t WHERE t.%I >= %L AND t.%2$I < %4$L RETURNING %5$s) INSERT INTO %6$s (%5$s) SELECT * FROM moved',
            rest, key, low, high, columns, created));
    END IF;
    IF rounds IS NOT NULL THEN
        PERFORM @extschema@.ldp_change_as(owner, format('ALTER TABLE %s ADD CONSTRAINT round_is_open %s', created, rounds));
    END IF;
    PERFORM @extschema@.ldp_change_as(owner, format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', reports, created, low, high));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_add_partition(regclass, text, text, text, text) IS
    'adds a partition to a collection''s table, from low to below high, and moves into it what is there of it';

CREATE FUNCTION @extschema@.ldp_partition_key(collection @extschema@.ldp_collection, OUT key text, OUT type regtype)
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT a.attname, a.atttypid INTO key, type FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
    WHERE p.partrelid = collection.reports AND p.partstrat = 'r' AND p.partnatts = 1;
    IF type IN ('integer', 'date', 'timestamp', 'timestamptz') IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'wrong_object_type',
            MESSAGE = format('collection "%s" is not partitioned by a range of rounds or times', collection.name),
            HINT = 'ldp_create_collection creates one that is, with partition_by.';
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_partition_key(@extschema@.ldp_collection) IS
    'the column that a collection is partitioned by, and its type; an error if there is none';

CREATE FUNCTION @extschema@.ldp_check_steps(possible boolean) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF possible IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'there are no such partitions',
            HINT = 'Say up to where partitions are to go, of a step that is positive, and no more than 10000 at once: of times for a collection that is '
                   'partitioned by time, of rounds for one that is by rounds.';
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_check_steps(boolean) IS 'an error unless partitions that are asked for are possible';

CREATE FUNCTION @extschema@.ldp_add_partitions_as(caller name, name text, until timestamptz, step interval, since timestamptz) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
    collection @extschema@.ldp_collection := @extschema@.ldp_own_collection(caller, name);
    place record := @extschema@.ldp_partition_key(collection);
    low timestamptz;
    high timestamptz;
    added integer := 0;
BEGIN
    PERFORM @extschema@.ldp_check_steps(place.type <> 'integer'::regtype AND isfinite(until) AND isfinite(COALESCE(since, now())) AND step > '0'
        AND (place.type <> 'date'::regtype OR step >= '1 day'));
    SELECT COALESCE(max(p.ends::timestamptz), date_trunc('day', COALESCE(since, now()))) INTO low FROM @extschema@.ldp_partitions(collection.reports) AS p;
    PERFORM @extschema@.ldp_check_steps(until - low < 10000 * step);
    WHILE low < until LOOP
        high := low + step;
        PERFORM @extschema@.ldp_add_partition(collection.reports, place.key,
            (CASE place.type WHEN 'timestamptz'::regtype THEN low::text ELSE low::timestamp::text END),
            (CASE place.type WHEN 'timestamptz'::regtype THEN high::text ELSE high::timestamp::text END),
            to_char(low, CASE WHEN low = date_trunc('day', low) THEN 'YYYYMMDD' ELSE 'YYYYMMDD_HH24MI' END));
        low := high;
        added := added + 1;
    END LOOP;
    RETURN added;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_add_partitions_as(name, text, timestamptz, interval, timestamptz) IS 'ldp_add_partitions, of this caller';

CREATE FUNCTION @extschema@.ldp_add_partitions(name text, until timestamptz, step interval DEFAULT '1 day', since timestamptz DEFAULT NULL) RETURNS integer
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_add_partitions(text, timestamptz, interval, timestamptz) IS
    'adds partitions to a collection that is partitioned by time, from where the last one ends (at first from since, or today, in UTC) '
    'until all of a time is covered; returns how many';

CREATE FUNCTION @extschema@.ldp_add_round_partitions_as(caller name, name text, last integer, step integer, first integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection @extschema@.ldp_collection := @extschema@.ldp_own_collection(caller, name);
    place record := @extschema@.ldp_partition_key(collection);
    low bigint;
    added integer := 0;
BEGIN
    PERFORM @extschema@.ldp_check_steps(place.type = 'integer'::regtype AND step > 0 AND last::bigint + step < 2147483647);
    SELECT COALESCE(max(p.ends::bigint), first) INTO low FROM @extschema@.ldp_partitions(collection.reports) AS p;
    PERFORM @extschema@.ldp_check_steps(last - low < 10000::bigint * step);
    WHILE low <= last LOOP
        PERFORM @extschema@.ldp_add_partition(collection.reports, place.key, low::text, (low + step)::text, low::text);
        low := low + step;
        added := added + 1;
    END LOOP;
    RETURN added;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_add_round_partitions_as(name, text, integer, integer, integer) IS 'ldp_add_round_partitions, of this caller';

CREATE FUNCTION @extschema@.ldp_add_round_partitions(name text, last integer, step integer DEFAULT 1, first integer DEFAULT 0) RETURNS integer
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_add_round_partitions(text, integer, integer, integer) IS
    'the same for a collection that is partitioned by rounds: until the last round is covered';

-- Retention -------------------------------------------------------------------------------------------------
-- A report goes when every rollup of its collection has counted it, and not before.

CREATE FUNCTION @extschema@.ldp_prune_below(caller name, collection @extschema@.ldp_collection, key text, below text, OUT partitions bigint, OUT rows bigint)
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
            MESSAGE = 'up to where reports are to be deleted must be said';
    END IF;
    PERFORM @extschema@.ldp_refresh_as(caller, r.name) FROM @extschema@.ldp_rollups AS r WHERE r.collection = ldp_prune_below.collection.name;
    SELECT string_agg(@extschema@.ldp_uncounted(r), ' OR ') INTO uncounted
    FROM @extschema@.ldp_rollup AS r JOIN pg_class AS t ON t.oid = r.summaries WHERE r.collection = ldp_prune_below.collection.name;
    IF uncounted IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('collection "%s" has no rollup', collection.name),
            DETAIL = 'What its reports tell would be lost.',
            HINT = 'Create one with ldp_create_rollup; or delete the reports yourself.';
    END IF;
    partitions := 0;
    rows := 0;
    FOR part IN SELECT p.part, p.key_type, p.ends FROM @extschema@.ldp_partitions(reports) AS p WHERE p.key = ldp_prune_below.key AND p.ends IS NOT NULL LOOP
        EXECUTE format('SELECT %L::%s <= %L', part.ends, part.key_type, below) INTO whole;
        CONTINUE WHEN whole IS NOT TRUE;
        -- Submitters lock the whole before the part, too. Nobody can add to it now.
        PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', reports));
        PERFORM @extschema@.ldp_change_as(owner, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', part.part));
        IF @extschema@.ldp_change_as(owner, format('SELECT count(*) FROM (SELECT FROM %s AS t WHERE %s LIMIT 1) AS any_one', part.part, uncounted)) = 0 THEN
            PERFORM @extschema@.ldp_change_as(owner, format('DROP TABLE %s', part.part));
            partitions := partitions + 1;
        END IF;
    END LOOP;
    rows := @extschema@.ldp_change_as(owner, format('DELETE FROM %s AS t WHERE t.%I < %L AND NOT (%s)', reports, key, below, uncounted));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_prune_below(name, @extschema@.ldp_collection, text, text) IS
    'deletes the reports of a collection whose column is below a value, as far as all its rollups have counted them: partitions, and '
    'rows of those that stay';

CREATE FUNCTION @extschema@.ldp_prune_as(caller name, name text, before timestamptz, "column" text, OUT partitions bigint, OUT rows bigint)
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
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_prune_as(name, text, timestamptz, text) IS 'ldp_prune, of this caller';

CREATE FUNCTION @extschema@.ldp_prune(name text, before timestamptz, "column" text DEFAULT NULL, OUT partitions bigint, OUT rows bigint)
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_prune(text, timestamptz, text) IS
    'deletes the reports of a collection from before a time, by the side column that it is partitioned by, the first with a time, or the '
    'one named: after a refresh, what all its rollups have counted; returns how many partitions went, and how many rows of others';

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

-- Who may call what, as at the end of the script before this one.
GRANT SELECT ON @extschema@.ldp_rollup, @extschema@.ldp_rollups TO PUBLIC;
REVOKE ALL ON FUNCTION
    @extschema@.ldp_change_as(oid, text),
    @extschema@.ldp_own_collection(name, text),
    @extschema@.ldp_roll_up(@extschema@.ldp_rollup, @extschema@.ldp_collection, text),
    @extschema@.ldp_stamp_reports(@extschema@.ldp_collection, text),
    @extschema@.ldp_create_rollup_as(name, text, text, text[], text),
    @extschema@.ldp_refresh_as(name, text),
    @extschema@.ldp_drop_rollup_as(name, text),
    @extschema@.ldp_rolled_up_as(name, text, text[], timestamptz, timestamptz, integer, integer),
    @extschema@.ldp_add_partition(regclass, text, text, text, text),
    @extschema@.ldp_add_partitions_as(name, text, timestamptz, interval, timestamptz),
    @extschema@.ldp_add_round_partitions_as(name, text, integer, integer, integer),
    @extschema@.ldp_prune_below(name, @extschema@.ldp_collection, text, text),
    @extschema@.ldp_prune_as(name, text, timestamptz, text),
    @extschema@.ldp_prune_rounds_as(name, text, integer),
    @extschema@.ldp_prune_batches_as(name, text, timestamptz)
    FROM PUBLIC;
