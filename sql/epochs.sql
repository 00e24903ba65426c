-- Epochs ----------------------------------------------------------------------------------------------------
-- If Citus distributes the table of a collection, the transaction numbers of one server cannot order its reports. The stamp
-- of such a report is an epoch. Every server has a clock, a sequence that shows the current epoch. A transaction that inserts
-- reports locks the current epoch of its server for this table, in shared mode, and stamps the reports with it
-- (ldp_epoch, the default of ldp_arrival). On the server that stores a report, the transaction that stores it locks the epoch
-- there (ldp_lock_epoch, in a CHECK). Both locks last until the transaction ends, including a prepared transaction.
--
-- A refresh advances all clocks, and then looks for locks of earlier epochs on all servers (ldp_locked_epochs). An epoch
-- without a lock has ended: no report with this stamp can become visible anymore. The refresh counts the reports of all
-- epochs that ended, and stores the others in ldp_rollup.open. No lock conflicts with another one, so submissions and
-- refreshes do not wait for each other.
--
-- Citus commits in two phases. If the coordinator crashes, or a server cannot be reached, the locks of the coordinator are
-- lost while reports on other servers are prepared or even uncommitted. Their epoch remains open, because the transactions
-- that store them hold locks, too. Only a statement that a server received outside of a transaction block may have no lock
-- yet. It commits by itself, so it is refused if its epoch has ended (error 40001). A refresh therefore advances the clocks
-- twice, with a pause for the statements on their way.
--
-- Every stamp of a server is at least its clock, and a clock is durable before a refresh depends on it. A server without an
-- epoch of its own timeline stamps nothing, and the refresh stamps its reports.

CREATE SEQUENCE ldp_internal.ldp_clock;
COMMENT ON SEQUENCE ldp_internal.ldp_clock IS
    'clock of this server for the reports of distributed tables: the current epoch, and the timeline in the last 16 bits';
GRANT SELECT ON SEQUENCE ldp_internal.ldp_clock TO PUBLIC;

CREATE FUNCTION ldp_internal.ldp_epoch(key bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION ldp_internal.ldp_epoch(bigint) IS
    'Returns the stamp of a report that arrives now in the distributed table with this key, and locks the epoch until '
    'the end of the transaction. Returns NULL if this server has no epoch yet.';

CREATE FUNCTION ldp_internal.ldp_lock_epoch(key bigint, stamp bigint) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION ldp_internal.ldp_lock_epoch(bigint, bigint) IS
    'Locks the epoch of a stored report until the end of the transaction, and returns true. Error 40001 if the epoch has '
    'ended and the statement commits by itself.';

CREATE FUNCTION ldp_internal.ldp_advance_clock(epoch bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION ldp_internal.ldp_advance_clock(bigint) IS
    'Advances the clock of this server to at least this epoch, durably. Advances the clock to this epoch, and '
    'returns the current epoch. The argument 0 only returns it.';

-- Of an epoch, the remainder by 32767 identifies its lock. 32767 locks all epochs.
CREATE FUNCTION ldp_internal.ldp_locked_epochs(key bigint, epoch bigint) RETURNS integer[]
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM ldp_internal.ldp_advance_clock(epoch);
    RETURN (SELECT COALESCE(array_agg(DISTINCT l.objsubid::integer), '{}') FROM pg_locks AS l
            WHERE l.locktype = 'object' AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
                  AND l.classid = 'ldp_internal.ldp_clock'::regclass AND l.objid::bigint = key);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_locked_epochs(bigint, bigint) IS
    'Advances the clock of this server to at least this epoch. Afterwards, returns the numbers of the epochs that '
    'transactions of this server lock for a table.';

CREATE FUNCTION ldp_internal.ldp_shard_column(collection ldp_internal.ldp_collection) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reports regclass := collection.reports;
    elsewhere boolean := EXISTS (SELECT FROM pg_partition_tree(reports) AS p JOIN pg_class AS t ON t.oid = p.relid WHERE t.relkind = 'f');
    shard text;
BEGIN
    IF ldp_internal.ldp_is_distributed(reports) THEN
        EXECUTE 'SELECT pg_catalog.column_to_column_name(d.logicalrelid, d.partkey) FROM pg_catalog.pg_dist_partition AS d '
                'WHERE d.logicalrelid = $1 AND d.partmethod = ''h'''
        INTO shard USING reports;
        elsewhere := elsewhere OR shard IS NULL;
    ELSIF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        elsewhere := elsewhere OR EXISTS (SELECT FROM pg_partition_tree(reports) AS p WHERE ldp_internal.ldp_is_distributed(p.relid));
    END IF;
    IF elsewhere THEN
        RAISE EXCEPTION USING
            ERRCODE = 'feature_not_supported',
            MESSAGE = format('rollups of collection "%s" are not supported: its reports are on several servers', collection.name),
            DETAIL = 'A rollup of reports on several servers needs a table that Citus distributes by a column.',
            HINT = 'Distribute the whole table with create_distributed_table; or create a collection and a rollup on each server, '
                   'and merge the summaries with ldp_rollup.';
    END IF;
    RETURN shard;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_shard_column(ldp_internal.ldp_collection) IS
    'Returns the column by which Citus distributes the table of a collection; NULL if the table is on this server. Error '
    '0A000 if a part of the table is on another server in another way.';

CREATE FUNCTION ldp_internal.ldp_on_all_servers(command text) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    done record;
    value text;
BEGIN
    -- This server is the last one: if the command fails elsewhere, nothing has changed here.
    IF to_regclass('pg_catalog.pg_dist_node') IS NOT NULL THEN
        FOR done IN EXECUTE
            'SELECT r.node_name, r.node_port, r.success, r.result FROM (SELECT array_agg(n.nodename::text) AS names, array_agg(n.nodeport) AS ports '
            'FROM pg_catalog.pg_dist_node AS n WHERE n.noderole = ''primary'' AND n.groupid <> (SELECT g.groupid FROM pg_catalog.pg_dist_local_group AS g)) AS n, '
            'LATERAL pg_catalog.master_run_on_worker(n.names, n.ports, array_fill($1, ARRAY[cardinality(n.names)]), true) '
            'AS r WHERE n.names IS NOT NULL' USING command LOOP
            IF NOT done.success THEN
                RAISE EXCEPTION USING
                    ERRCODE = 'sqlclient_unable_to_establish_sqlconnection',
                    MESSAGE = format('server %s:%s does not answer', done.node_name, done.node_port),
                    DETAIL = done.result,
                    HINT = 'A refresh needs all servers of pg_dist_node. Repeat it when the server runs, or remove the server with citus_remove_node.';
            END IF;
            RETURN NEXT done.result;
        END LOOP;
    END IF;
    EXECUTE command INTO value;
    RETURN NEXT value;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_on_all_servers(text) IS
    'Runs a query on the other servers of Citus, then on this server, and returns its value on each. Every query commits '
    'by itself. Without Citus, runs it on this server only. Error 08001 if a server does not answer.';

CREATE FUNCTION ldp_internal.ldp_end_epoch(key bigint, above bigint, OUT first_not bigint, OUT locked integer[])
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    latest bigint := GREATEST(above, ldp_internal.ldp_advance_clock(0));
BEGIN
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'active_sql_transaction',
            MESSAGE = 'reports of a distributed table cannot be counted in a transaction with an old snapshot',
            DETAIL = 'A refresh first determines which transactions have ended, and then counts their reports.',
            HINT = 'Refresh in a transaction with the isolation level READ COMMITTED.';
    END IF;
    -- Citus commits on the other servers as soon as this one has committed. A crash must not undo the progress of a rollup here.
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    LOOP
        first_not := latest + 1;
        SELECT max(e::bigint) INTO latest FROM ldp_internal.ldp_on_all_servers(format('SELECT ldp_internal.ldp_advance_clock(%s)', first_not)) AS e;
        EXIT WHEN latest = first_not;  -- otherwise a server was ahead, and may have stamped reports with later epochs
    END LOOP;
    PERFORM pg_sleep(0.05);
    locked := ARRAY(SELECT DISTINCT unnest(l::integer[]) FROM ldp_internal.ldp_on_all_servers(
        format('SELECT ldp_internal.ldp_locked_epochs(%s, %s)', key, first_not + 1)) AS l);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_end_epoch(bigint, bigint) IS
    'Advances the clocks of all servers above an epoch and above the latest clock. Returns the first epoch that later '
    'transactions may stamp with, and the numbers of the epochs that transactions still lock for a table. Error 25001 '
    'unless the isolation level is READ COMMITTED.';

-- Workers compute keys of buckets, with settings of their own.
CREATE FUNCTION ldp_internal.ldp_key_text(value anyelement) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO'
    SET intervalstyle = 'postgres' SET extra_float_digits = 1 SET bytea_output = 'hex' AS $$
BEGIN
    RETURN value::text;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_key_text(anyelement) IS
    'Returns the text of a value, which does not depend on the settings of the session.';

REVOKE ALL ON FUNCTION
    ldp_internal.ldp_advance_clock(bigint),
    ldp_internal.ldp_locked_epochs(bigint, bigint),
    ldp_internal.ldp_on_all_servers(text),
    ldp_internal.ldp_end_epoch(bigint, bigint)
    FROM PUBLIC;

