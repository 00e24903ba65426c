-- The id of the database's history. It changes when the server may have lost committed reports: after the promotion of a
-- standby, a recovery to an earlier time, a restored dump, or the replacement of the server.

-- PL/pgSQL keeps the plan of the query in a session. Each transaction of ldp collect calls the function.
CREATE FUNCTION ldp_internal.ldp_history() RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- The first eight digits of the name of a WAL file are the timeline.
    RETURN (SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(encode(sha256(convert_to(concat_ws(' ', 'ldp history 1',
                s.system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8), d.oid, e.oid), 'UTF8')), 'hex'), 16) END
            FROM pg_control_system() AS s, pg_database AS d, pg_extension AS e
            WHERE d.datname = current_database() AND e.extname = 'ldp');
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_history() IS
    'Returns 16 hexadecimal digits that identify the history of this database: a digest of the system identifier, the '
    'timeline, and the OIDs of the database and the extension. Clients compare it with the result at their last '
    'delivery. Returns NULL on a standby.';
