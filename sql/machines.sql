-- Several machines --------------------------------------------------------------------------------------------
-- With Citus, the rows of a collection are on several nodes. A client may connect to any of them, so each node needs the rows of
-- ldp_collection and ldp_rollup. These tables stay ordinary tables on each node, because functions read them in queries on
-- shards, in parallel workers and with row locks, none of which Citus supports. The table ldp_shared_row is a reference table of Citus:
-- a trigger on the coordinator writes each changed row into it as JSON, in which tables have names, because their
-- numbers differ between nodes. A trigger on its copies writes the row into the table of each worker. Both are part of the transaction
-- of the change. The claims of batches are a distributed table, whose key holds for all nodes.

CREATE TABLE ldp_internal.ldp_shared_row (
    catalog text CHECK (catalog IN ('ldp_collection', 'ldp_rollup')),
    name    text,
    content jsonb NOT NULL,
    PRIMARY KEY (catalog, name)
);
COMMENT ON TABLE ldp_internal.ldp_shared_row IS
    'rows of ldp_collection and ldp_rollup whose tables Citus distributes, for its workers; empty without Citus';
COMMENT ON COLUMN ldp_internal.ldp_shared_row.catalog IS 'table of the row: ''ldp_collection'' or ''ldp_rollup''';
COMMENT ON COLUMN ldp_internal.ldp_shared_row.name IS 'name of the collection or rollup';
COMMENT ON COLUMN ldp_internal.ldp_shared_row.content IS 'the row, with names of tables';

CREATE FUNCTION ldp_internal.ldp_is_distributed(source regclass) RETURNS boolean
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    distributed boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition AS d WHERE d.logicalrelid = $1)' INTO distributed USING source;
    END IF;
    RETURN distributed;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_is_distributed(regclass) IS 'Returns true if Citus distributes a table or copies it to all nodes.';

CREATE FUNCTION ldp_internal.ldp_node_group() RETURNS integer
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number integer;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_local_group') IS NOT NULL THEN
        EXECUTE 'SELECT g.groupid FROM pg_catalog.pg_dist_local_group AS g' INTO number;
    END IF;
    RETURN number;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_node_group() IS
    'Returns the number of this node in Citus: 0 on the coordinator, and a positive number on a worker. Returns NULL without Citus.';

CREATE FUNCTION ldp_internal.ldp_check_coordinator() RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF ldp_internal.ldp_node_group() > 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = 'collections cannot be changed on a worker of Citus',
            DETAIL = 'A worker has a copy of the catalog of collections. Reports can be submitted and queried on a worker.',
            HINT = 'Connect to the coordinator.';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_check_coordinator() IS 'Raises error 55000 on a worker of Citus.';

-- On the coordinator --------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_internal.ldp_share_row(catalog text, content jsonb) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF ldp_internal.ldp_is_distributed(COALESCE(content ->> 'reports', content ->> 'summaries')::regclass) THEN
        INSERT INTO ldp_internal.ldp_shared_row AS s (catalog, name, content)
        VALUES (ldp_share_row.catalog, ldp_share_row.content ->> 'name', ldp_share_row.content)
        ON CONFLICT ON CONSTRAINT ldp_shared_row_pkey DO UPDATE SET content = EXCLUDED.content;
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_share_row(text, jsonb) IS
    'Writes a row of a table of the catalog to all nodes if Citus distributes the table of the collection or rollup.';

CREATE FUNCTION ldp_internal.ldp_share_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF ldp_internal.ldp_node_group() IS DISTINCT FROM 0 OR NOT ldp_internal.ldp_is_distributed('ldp_internal.ldp_shared_row') THEN
        NULL;
    ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM ldp_internal.ldp_shared_row AS s WHERE s.catalog = TG_TABLE_NAME AND s.name = OLD.name;
    ELSE
        PERFORM ldp_internal.ldp_share_row(TG_TABLE_NAME, to_jsonb(NEW));
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_share_change() IS
    'Writes changes of the catalog on a coordinator of Citus to ldp_shared_row. Trigger function.';

CREATE TRIGGER ldp_share_change AFTER INSERT OR UPDATE OR DELETE ON ldp_internal.ldp_collection FOR EACH ROW
    EXECUTE FUNCTION ldp_internal.ldp_share_change();
COMMENT ON TRIGGER ldp_share_change ON ldp_internal.ldp_collection IS 'copies changes to the nodes of Citus';
CREATE TRIGGER ldp_share_change AFTER INSERT OR UPDATE OR DELETE ON ldp_internal.ldp_rollup FOR EACH ROW
    EXECUTE FUNCTION ldp_internal.ldp_share_change();
COMMENT ON TRIGGER ldp_share_change ON ldp_internal.ldp_rollup IS 'copies changes to the nodes of Citus';

-- On each node ----------------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_internal.ldp_apply_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed ldp_internal.ldp_shared_row := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    relation text := CASE changed.catalog WHEN 'ldp_collection' THEN 'reports' ELSE 'summaries' END;
    columns text;
    assignments text;
BEGIN
    IF ldp_internal.ldp_node_group() = 0 THEN
        RETURN NULL;
    END IF;
    -- The table may not be visible yet, or no more. A dropped table's number may return as that of another table.
    EXECUTE format('DELETE FROM ldp_internal.%I AS c WHERE c.name = $1 AND $2 OR NOT EXISTS (SELECT FROM pg_class AS t WHERE t.oid = c.%I)',
                   changed.catalog, relation)
    USING changed.name, TG_OP = 'DELETE';
    IF TG_OP <> 'DELETE' AND to_regclass(changed.content ->> relation) IS NOT NULL THEN
        SELECT string_agg(quote_ident(a.attname), ', '), string_agg(format('%1$I = EXCLUDED.%1$I', a.attname), ', ') INTO columns, assignments
        FROM pg_attribute AS a WHERE a.attrelid = format('ldp_internal.%I', changed.catalog)::regclass AND a.attnum > 0 AND NOT a.attisdropped
            AND a.attgenerated = '';
        EXECUTE format('INSERT INTO ldp_internal.%1$I (%2$s) SELECT %2$s FROM jsonb_populate_record(NULL::ldp_internal.%1$I, $1) '
                       'ON CONFLICT (name) DO UPDATE SET %3$s', changed.catalog, columns, assignments)
        USING changed.content;
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_apply_change() IS
    'Applies a row of ldp_shared_row to the table of the catalog on a worker of Citus. Trigger function.';

CREATE TRIGGER ldp_apply_change AFTER INSERT OR UPDATE OR DELETE ON ldp_internal.ldp_shared_row FOR EACH ROW
    EXECUTE FUNCTION ldp_internal.ldp_apply_change();
COMMENT ON TRIGGER ldp_apply_change ON ldp_internal.ldp_shared_row IS 'changes the catalog of each worker of Citus';

-- Distribution ------------------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_internal.ldp_share_collections_as(caller name, name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET client_min_messages = 'warning' AS $$
BEGIN
    PERFORM ldp_internal.ldp_check_owner((ldp_internal.ldp_collection_named(name)).reports, caller);
    IF ldp_internal.ldp_node_group() IS NULL THEN
        RETURN;
    ELSIF NOT ldp_internal.ldp_is_distributed('ldp_internal.ldp_shared_row') THEN
        -- Citus creates the trigger on the copies only with this setting.
        PERFORM set_config('citus.enable_unsafe_triggers', 'on', true);
        EXECUTE 'SELECT create_reference_table(''ldp_internal.ldp_shared_row'')';
        PERFORM set_config('citus.enable_unsafe_triggers', 'off', true);
    ELSE
        -- A node that was added later. Citus copies the rows without the trigger, so they are written again below.
        EXECUTE 'SELECT replicate_reference_tables(''block_writes'')';
    END IF;
    IF NOT ldp_internal.ldp_is_distributed('ldp_internal.ldp_batch') THEN
        EXECUTE 'SELECT create_distributed_table(''ldp_internal.ldp_batch'', ''batch'', colocate_with => ''none'')';
        EXECUTE 'SELECT truncate_local_data_after_distributing_table(''ldp_internal.ldp_batch'')';
    END IF;
    PERFORM ldp_internal.ldp_share_row('ldp_collection', to_jsonb(c)) FROM ldp_internal.ldp_collection AS c;
    PERFORM ldp_internal.ldp_share_row('ldp_rollup', to_jsonb(r)) FROM ldp_internal.ldp_rollup AS r;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_share_collections_as(name, text) IS
    'Implements ldp_share_collections for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION ldp_internal.ldp_share_collections(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION ldp_internal.ldp_share_collections(text) IS
    'Copies the catalog of distributed collections and rollups to all nodes of Citus. Error 42501 unless the caller owns this collection.';

CREATE FUNCTION ldp_internal.ldp_least_hashes(source regclass) RETURNS integer[]
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    hashes integer[];
BEGIN
    EXECUTE 'SELECT array_agg(s.shardminvalue::integer ORDER BY s.shardminvalue::integer) FROM pg_catalog.pg_dist_shard AS s WHERE s.logicalrelid = $1'
    INTO hashes USING source;
    RETURN hashes;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_least_hashes(regclass) IS
    'Returns the smallest hash value of each shard of a table that Citus distributes, in ascending order.';

-- A function, because Citus accepts no subscript of an array in the default of a column.
CREATE FUNCTION ldp_internal.ldp_random_number(numbers integer[]) RETURNS integer
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED AS $$
    SELECT $1[1 OPERATOR(pg_catalog.+) pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) pg_catalog.cardinality($1)::pg_catalog.float8)::pg_catalog.int4]
$$;
COMMENT ON FUNCTION ldp_internal.ldp_random_number(integer[]) IS 'Returns one of the numbers at random.';

CREATE FUNCTION ldp_internal.ldp_shard_default(hashes integer[]) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    numbers integer[];
    tried bigint := 16 * cardinality(hashes);
BEGIN
    -- Citus hashes the distribution column. The smallest suitable number stands for each shard.
    LOOP
        EXECUTE 'SELECT array_agg(v.number ORDER BY v.number) FROM (SELECT min(i::integer) AS number FROM generate_series(1, $2) AS i '
                'GROUP BY width_bucket(worker_hash(i::integer), $1)) AS v' INTO numbers USING hashes, tried;
        EXIT WHEN cardinality(numbers) = cardinality(hashes);
        tried := 2 * tried;
    END LOOP;
    RETURN format('ldp_internal.ldp_random_number(%L)', numbers);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_shard_default(integer[]) IS
    'Returns the SQL expression of a random number that has exactly one value for each shard. The argument contains the '
    'smallest hash value of each shard, in ascending order.';

CREATE FUNCTION ldp_internal.ldp_distribute(name text, by text, shards integer) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = 'warning' AS $$
DECLARE
    table_name text := ldp_internal.ldp_table(name);
    reports regclass := table_name::regclass;
    hashes integer[];
    key text;
    present text;
    key_type regtype;
    coordinator boolean;
    granted record;
BEGIN
    PERFORM ldp_internal.ldp_check_owner(reports);
    IF ldp_internal.ldp_node_group() IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'feature_not_supported',
            MESSAGE = format('collection "%s" cannot be distributed without Citus', name),
            DETAIL = 'The extension citus is not installed in this database.',
            HINT = 'Install Citus on each node; or use foreign tables of postgres_fdw.';
    END IF;
    IF shards NOT BETWEEN 1 AND 64000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('invalid number of shards: %s', shards),
            HINT = 'Choose a number from 1 to 64000, at least the number of processors of all workers.';
    END IF;
    EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_node AS n WHERE n.groupid = 0)' INTO coordinator;
    IF NOT coordinator THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('collection "%s" cannot be distributed: the workers do not know the coordinator', name),
            DETAIL = 'The catalog of collections has a copy on each node, including the coordinator.',
            HINT = 'Call citus_set_coordinator_host with the address of this server first.';
    END IF;
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', reports);
    IF ldp_internal.ldp_is_distributed(reports) THEN
        hashes := ldp_internal.ldp_least_hashes(reports);
        EXECUTE 'SELECT column_to_column_name(d.logicalrelid, d.partkey) FROM pg_catalog.pg_dist_partition AS d WHERE d.logicalrelid = $1'
        INTO present USING reports;
        IF by <> present OR shards <> cardinality(hashes) THEN
            RAISE EXCEPTION USING
                ERRCODE = 'object_not_in_prerequisite_state',
                MESSAGE = format('collection "%s" is already distributed in another way', name),
                DETAIL = format('It is distributed by the column "%s" over %s shards.', present, cardinality(hashes)),
                HINT = 'Omit the arguments "by" and "shards". The distribution of a collection is fixed: Citus would replace its table by another one.';
        END IF;
    END IF;
    key := COALESCE(present, by, 'shard');
    SELECT a.atttypid INTO key_type FROM pg_attribute AS a WHERE a.attrelid = reports AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped;
    IF present IS NULL AND (key = 'round' OR key_type <> 'integer'::regtype) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('collection "%s" cannot be distributed by the column "%s"', name, key),
            DETAIL = CASE key WHEN 'round' THEN 'All reports of a round would be in one shard.' ELSE format('The type of the column is %s.', key_type) END,
            HINT = 'Specify a public column of the type integer, or omit the argument "by".';
    END IF;
    IF present IS NULL THEN
        shards := COALESCE(shards, current_setting('citus.shard_count')::integer);
        hashes := ARRAY(SELECT (-2147483648 + i * (4294967296 / shards))::integer FROM generate_series(0, shards::bigint - 1) AS i);
        IF key_type IS NULL THEN
            IF EXISTS (SELECT FROM pg_class AS t WHERE t.oid = reports AND t.reloftype <> 0) THEN
                RAISE EXCEPTION USING
                    ERRCODE = 'wrong_object_type',
                    MESSAGE = format('cannot add a column for shards to the typed table %s', reports),
                    DETAIL = 'A table that was created with OF accepts no further columns.',
                    HINT = format('Use ALTER TABLE %s NOT OF to make it an ordinary table first. Its columns and reports are kept.', reports);
            END IF;
            EXECUTE format('ALTER TABLE %s ADD COLUMN %I integer NOT NULL DEFAULT %s', reports, key, ldp_internal.ldp_shard_default(hashes));
            EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', reports, key, 'random number that determines the shard of the row');
            IF (SELECT c.analysts = 'rows' FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_distribute.name) THEN
                EXECUTE format('GRANT SELECT (%I) ON %s TO ldp_analyst', key, reports);
            END IF;
        ELSE
            EXECUTE format('UPDATE %s SET %I = %s WHERE %2$I IS NULL', reports, key, ldp_internal.ldp_shard_default(hashes));
            EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', reports, key, ldp_internal.ldp_shard_default(hashes));
        END IF;
        -- Shards of its own have equal ranges of hashes, as computed above.
        EXECUTE format('SELECT create_distributed_table(%L, %L, shard_count => %s, colocate_with => %L)', reports, key, shards, 'none');
        EXECUTE format('SELECT truncate_local_data_after_distributing_table(%L)', reports);
        -- Citus inserts defaults into shards with the rights of the submitter. If the collection has a rollup, these rights are on columns.
        FOR granted IN SELECT DISTINCT a.grantee, a.is_grantable, COALESCE(', ' || quote_ident(stamp.attname), '') AS stamp
                       FROM pg_attribute AS c LEFT JOIN pg_attribute AS stamp ON stamp.attrelid = c.attrelid AND stamp.attname = 'ldp_arrival' AND NOT stamp.attisdropped,
                            aclexplode(c.attacl) AS a
                       WHERE c.attrelid = reports AND c.attname = ldp_internal.ldp_report_column(reports) AND a.privilege_type = 'INSERT' LOOP
            EXECUTE format('GRANT INSERT (%I%s) ON %s TO %s %s', key, granted.stamp, reports, ldp_internal.ldp_grantee(granted.grantee),
                CASE WHEN granted.is_grantable THEN 'WITH GRANT OPTION' END);
        END LOOP;
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_distribute(text, text, integer) IS
    'Distributes the table of a collection with the rights of the caller, unless it is distributed already.';

-- The statistics of ANALYZE, or the first rows of each shard, show whether the column is suitable.
CREATE FUNCTION ldp_internal.ldp_advise_shards(name text) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection ldp_internal.ldp_collection;
    key text;
    shards integer;
    number float8;
    largest float8;
    seen bigint;
    query text;
    look jsonb;
    hint text := 'Omit the argument "by" of ldp_distribute_collection. The column shard then has one value for each shard. A distribution cannot be '
                 'changed, so use a new collection for further reports.';
BEGIN
    SELECT c.* INTO collection FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_advise_shards.name;
    key := ldp_internal.ldp_shard_column(collection);
    IF key IS NULL OR NOT has_column_privilege(collection.reports, key, 'SELECT') OR EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = collection.reports AND a.attname = key AND a.atttypid <> 'integer'::regtype) THEN
        RETURN;
    END IF;
    shards := cardinality(ldp_internal.ldp_least_hashes(collection.reports));
    SELECT CASE WHEN s.n_distinct > 0 THEN s.n_distinct ELSE -s.n_distinct * t.reltuples END, s.most_common_freqs[1] INTO number, largest
    FROM pg_class AS t JOIN pg_stats AS s ON s.schemaname = t.relnamespace::regnamespace::text AND s.tablename = t.relname AND s.attname = key
    WHERE t.oid = collection.reports AND s.n_distinct <> 0 AND t.reltuples > 0;
    IF NOT FOUND THEN
        query := format('SELECT jsonb_build_object(''number'', count(*), ''largest'', max(v.reports) / sum(v.reports), ''seen'', sum(v.reports)) FROM '
                        '(SELECT r.value, count(*) AS reports FROM (SELECT t.%I AS value FROM %s AS t LIMIT 1000) AS r WHERE r.value IS NOT NULL GROUP BY r.value) AS v',
                        key, collection.reports);
        -- The owner of the extension reads with the rights of the table's owner: in a transaction, Citus refuses another role.
        IF has_function_privilege('ldp_internal.ldp_run_as(oid,boolean,text,anyelement)', 'EXECUTE') THEN
            look := ldp_internal.ldp_run_as(ldp_internal.ldp_owner(collection.reports), false, query, NULL::jsonb);
        ELSE
            EXECUTE query INTO look;
        END IF;
        number := look ->> 'number';
        largest := look ->> 'largest';
        seen := look ->> 'seen';
        IF number <= shards AND COALESCE(seen, 0) < 10 * shards THEN
            RETURN;
        END IF;
    END IF;
    IF number <> shards THEN
        RAISE NOTICE USING
            MESSAGE = format('column "%s" of collection "%s" has %s values than there are shards', key, name, CASE WHEN number > shards THEN 'more' ELSE 'fewer' END),
            DETAIL = CASE WHEN number > shards
                THEN format('Values found: at least %s. Shards: %s. A rollup has a row for each bucket and value.', round(number), shards)
                ELSE format('Values found: %s. Shards: %s. Shards without a value have no reports.', round(number), shards) END,
            HINT = hint;
    END IF;
    IF number >= shards AND largest > 0.1 AND largest * shards > 3 THEN
        RAISE NOTICE USING
            MESSAGE = format('one value of column "%s" of collection "%s" has a large share of the reports', key, name),
            DETAIL = format('Its share is %s %%. All its reports are in one of %s shards.', round(100 * largest), shards),
            HINT = hint;
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_advise_shards(text) IS
    'Raises a notice if the column by which Citus distributes a collection is not suitable: it has more or fewer values than '
    'shards, or one value has a large share of the reports. The values are those of the statistics, or of the first rows of '
    'each shard.';

-- A row of the catalog is written with the rights of the extension's owner, thus in another session on the worker, which sees the
-- table only after the commit.
CREATE PROCEDURE @extschema@.ldp_distribute_collection(name text, by text DEFAULT NULL, shards integer DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ldp_internal.ldp_distribute(name, by, shards);
    COMMIT;
    PERFORM ldp_internal.ldp_share_collections(name);
    PERFORM ldp_internal.ldp_advise_shards(name);
END
$$;
COMMENT ON PROCEDURE @extschema@.ldp_distribute_collection(text, text, integer) IS
    'Distributes a collection over the nodes of Citus, so that reports can be submitted and estimated on each node. '
    'The argument by is a public column of the type integer; the default adds the column shard. The default of the '
    'new column is a random number with exactly one value for each shard. The default of shards is '
    'citus.shard_count. A notice names a column that has more or fewer values than shards, or a value with a large share '
    'of the reports. A repeated call includes nodes and rollups that were added. Error 0A000 without Citus, 22023 '
    'for another type of column, 55000 on a worker or if the collection is distributed in another way, 42501 unless '
    'the caller owns the table, 2D000 in a transaction block.';

-- Privileges
REVOKE ALL ON FUNCTION
    ldp_internal.ldp_share_row(text, jsonb),
    ldp_internal.ldp_share_collections_as(name, text)
    FROM PUBLIC;
