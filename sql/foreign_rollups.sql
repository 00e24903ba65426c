-- Rollups on several servers --------------------------------------------------------------------------------
-- Transaction numbers differ between servers, so each server counts the reports of its own table in a rollup of its own. If all
-- partitions of a collection's table are foreign, a rollup of the collection is a table whose children are foreign tables: the
-- tables of these rollups. A query adds their summaries. Only the servers refresh them.

CREATE FUNCTION ldp_internal.ldp_refuse_local_parts(collection ldp_internal.ldp_collection) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part regclass;
    kind "char";
    wrapper name;
BEGIN
    IF collection.home IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'feature_not_supported',
            MESSAGE = format('rollups of collection "%s" are not supported: its reports have stamps of this server', collection.name),
            DETAIL = 'Reports that are inserted through its table into another server would bring stamps that are not valid there.',
            HINT = 'Adopt a table without the column ldp_arrival, whose partitions are all foreign tables.';
    END IF;
    SELECT p.relid, t.relkind, w.fdwname INTO part, kind, wrapper
    FROM pg_partition_tree(collection.reports) AS p JOIN pg_class AS t ON t.oid = p.relid LEFT JOIN pg_foreign_table AS f ON f.ftrelid = t.oid
         LEFT JOIN pg_foreign_server AS s ON s.oid = f.ftserver LEFT JOIN pg_foreign_data_wrapper AS w ON w.oid = s.srvfdw
    WHERE p.isleaf AND w.fdwname IS DISTINCT FROM 'postgres_fdw' ORDER BY p.relid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'feature_not_supported',
            MESSAGE = format('rollups of collection "%s" are not supported: partition %s is not a table of another server', collection.name, part),
            DETAIL = CASE kind WHEN 'f' THEN format('The foreign-data wrapper "%s" is not postgres_fdw.', wrapper)
                               ELSE 'A rollup of a collection on several servers adds the rollups of the servers. It counts no reports itself.' END,
            HINT = 'Make the reports of this server a collection and a rollup of their own, and attach a foreign table of a server '
                   'that connects to this database.';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_refuse_local_parts(ldp_internal.ldp_collection) IS
    'Raises error 0A000 unless all partitions of a collection''s table are foreign tables of postgres_fdw.';

-- The definitions of rollups are read in foreign tables that exist only in this transaction.
CREATE FUNCTION ldp_internal.ldp_find_rollup(rollup ldp_internal.ldp_rollup, collection ldp_internal.ldp_collection, part regclass,
        OUT schema_name text, OUT table_name text, OUT refreshed timestamptz)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid := ldp_internal.ldp_owner(collection.reports);
    schema text;
    server name;
    options jsonb;
    found_names jsonb;
    known jsonb;
    own jsonb;
    one jsonb;
BEGIN
    SELECT t.relnamespace::regnamespace::text, s.srvname,
           jsonb_build_array(COALESCE((SELECT o.option_value FROM pg_options_to_table(f.ftoptions) AS o WHERE o.option_name = 'schema_name'), n.nspname),
                             COALESCE((SELECT o.option_value FROM pg_options_to_table(f.ftoptions) AS o WHERE o.option_name = 'table_name'), t.relname))
    INTO STRICT schema, server, options
    FROM pg_class AS t JOIN pg_namespace AS n ON n.oid = t.relnamespace JOIN pg_foreign_table AS f ON f.ftrelid = t.oid JOIN pg_foreign_server AS s ON s.oid = f.ftserver
    WHERE t.oid = part;
    PERFORM ldp_internal.ldp_change_as(owner, format('CREATE FOREIGN TABLE %1$s.ldp_rollups_elsewhere (name text, collection text, summaries text, buckets text[], zone text, '
        'refreshed timestamptz) SERVER %2$I OPTIONS (schema_name ''ldp_internal'', table_name ''ldp_rollup'')', schema, server));
    PERFORM ldp_internal.ldp_change_as(owner, format('CREATE FOREIGN TABLE %1$s.ldp_collections_elsewhere (name text, reports text, fingerprint text) '
        'SERVER %2$I OPTIONS (schema_name ''ldp_internal'', table_name ''ldp_collection'')', schema, server));
    -- The other server shows names with their schemas.
    known := ldp_internal.ldp_run_as(owner, false, format('SELECT jsonb_agg(to_jsonb(c)) FROM %s.ldp_collections_elsewhere AS c', schema), NULL::jsonb);
    found_names := ldp_internal.ldp_run_as(owner, false, format('SELECT jsonb_agg(to_jsonb(r)) FROM %s.ldp_rollups_elsewhere AS r', schema), NULL::jsonb);
    PERFORM ldp_internal.ldp_change_as(owner, format('DROP FOREIGN TABLE %1$s.ldp_rollups_elsewhere, %1$s.ldp_collections_elsewhere', schema));
    SELECT c INTO own FROM jsonb_array_elements(known) AS c WHERE c ->> 'reports' = format('%I.%I', options ->> 0, options ->> 1);
    IF (own ->> 'fingerprint' = collection.fingerprint) IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = CASE WHEN own IS NULL THEN 'undefined_object' ELSE 'datatype_mismatch' END,
            MESSAGE = format(CASE WHEN own IS NULL THEN 'table %s.%s on server "%s" is not the table of a collection'
                                  ELSE 'table %s.%s on server "%s" is the table of a collection with another spec' END, options ->> 0, options ->> 1, server),
            HINT = format('Adopt it on that server with ldp_adopt_collection and the spec of collection "%s".', collection.name);
    END IF;
    SELECT r INTO one FROM jsonb_array_elements(found_names) AS r
    WHERE r ->> 'collection' = own ->> 'name' AND r -> 'buckets' = to_jsonb(rollup.buckets) AND r ->> 'zone' = rollup.zone AND r ->> 'summaries' !~ '^[0-9]+$'  -- its table exists
    ORDER BY r ->> 'name' LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = format('collection "%s" on server "%s" has no rollup with these buckets and this time zone', own ->> 'name', server),
            DETAIL = ldp_internal.ldp_listed(ARRAY(SELECT format('%s by %s in %s', r ->> 'name', r ->> 'buckets', r ->> 'zone') FROM jsonb_array_elements(found_names) AS r
                WHERE r ->> 'collection' = own ->> 'name' ORDER BY 1)),
            HINT = format('Create it on that server with ldp_create_rollup(name, %L, %L, %L).', own ->> 'name', rollup.buckets, rollup.zone);
    END IF;
    schema_name := (parse_ident(one ->> 'summaries'))[1];
    table_name := (parse_ident(one ->> 'summaries'))[2];
    refreshed := (one ->> 'refreshed')::timestamptz;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_find_rollup(ldp_internal.ldp_rollup, ldp_internal.ldp_collection, regclass) IS
    'Returns the table and the last refresh of the rollup, on the server of a foreign partition, that has the same spec, '
    'buckets and time zone. Error 42704 if it does not exist, 42804 if the spec differs.';

CREATE FUNCTION ldp_internal.ldp_follow_rollups(rollup ldp_internal.ldp_rollup, collection ldp_internal.ldp_collection) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid := ldp_internal.ldp_owner(collection.reports);
    part record;
    elsewhere record;
    oldest timestamptz := 'infinity';
    created text;
BEGIN
    PERFORM ldp_internal.ldp_refuse_local_parts(collection);
    PERFORM ldp_internal.ldp_change_as(owner, format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', collection.reports));
    DELETE FROM ldp_internal.ldp_rollup_part AS p WHERE p.rollup = ldp_follow_rollups.rollup.name AND NOT EXISTS (SELECT FROM pg_class AS t WHERE t.oid = p.part);
    FOR part IN SELECT l.relid, s.srvname, EXISTS (SELECT FROM ldp_internal.ldp_rollup_part AS p WHERE p.rollup = ldp_follow_rollups.rollup.name AND p.part = l.relid) AS followed
                FROM pg_partition_tree(collection.reports) AS l JOIN pg_foreign_table AS f ON f.ftrelid = l.relid JOIN pg_foreign_server AS s ON s.oid = f.ftserver
                WHERE l.isleaf ORDER BY l.relid LOOP
        SELECT e.* INTO elsewhere FROM ldp_internal.ldp_find_rollup(rollup, collection, part.relid) AS e;
        oldest := LEAST(oldest, COALESCE(elsewhere.refreshed, '-infinity'));
        CONTINUE WHEN part.followed;
        INSERT INTO ldp_internal.ldp_rollup_part (rollup, part) VALUES (rollup.name, part.relid);
        -- The owner may have dropped a partition and created it again. Its rollup must be added only once.
        CONTINUE WHEN EXISTS (SELECT FROM pg_inherits AS i JOIN pg_foreign_table AS f ON f.ftrelid = i.inhrelid JOIN pg_foreign_server AS s ON s.oid = f.ftserver
            WHERE i.inhparent = rollup.summaries AND s.srvname = part.srvname
                AND f.ftoptions @> ARRAY['schema_name=' || elsewhere.schema_name, 'table_name=' || elsewhere.table_name]);
        SELECT format('%s.%I', t.relnamespace::regnamespace, ldp_internal.ldp_partition_name(t.relname, part.relid::oid::text)) INTO created FROM pg_class AS t WHERE t.oid = rollup.summaries;
        PERFORM ldp_internal.ldp_change_as(owner, format('CREATE FOREIGN TABLE %s () INHERITS (%s) SERVER %I OPTIONS (schema_name %L, table_name %L)',
            created, rollup.summaries, part.srvname, elsewhere.schema_name, elsewhere.table_name));
    END LOOP;
    UPDATE ldp_internal.ldp_rollup AS r SET refreshed = CASE WHEN isfinite(oldest) THEN oldest END WHERE r.name = rollup.name;
    RETURN 0;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_follow_rollups(ldp_internal.ldp_rollup, ldp_internal.ldp_collection) IS
    'Adds the rollups of the servers of new partitions to a rollup on several servers, and stores the time of the oldest '
    'refresh of all servers. Returns 0, the number of reports that it counts itself.';

REVOKE ALL ON FUNCTION
    ldp_internal.ldp_find_rollup(ldp_internal.ldp_rollup, ldp_internal.ldp_collection, regclass),
    ldp_internal.ldp_follow_rollups(ldp_internal.ldp_rollup, ldp_internal.ldp_collection)
    FROM PUBLIC;
