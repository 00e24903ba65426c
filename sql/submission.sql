-- Submission ------------------------------------------------------------------------------------------------
-- Reports are inserted with the rights of whoever submits. Only the record of batches is written with the rights
-- of the extension's owner, by a function that touches nothing else: one that inserted into a table for its caller
-- would run that table's triggers as the owner, too.

CREATE FUNCTION @extschema@.ldp_insertable(name text, caller name DEFAULT CURRENT_USER) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    table_name text := @extschema@.ldp_table(name);
    allowed boolean := (SELECT has_column_privilege(caller, t.oid, @extschema@.ldp_report_column(t.oid), 'INSERT') AND has_schema_privilege(caller, t.relnamespace, 'USAGE')
                        FROM @extschema@.ldp_collections AS c JOIN pg_class AS t ON t.oid = c.reports WHERE c.name = ldp_insertable.name);
BEGIN
    IF allowed IS NULL THEN  -- of a table that is gone since the statement began
        PERFORM @extschema@.ldp_table(name);  -- says so
    END IF;
    IF allowed IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied to submit reports to collection "%s"', name),
            HINT = 'Members of the role ldp_submitter may submit reports; they need USAGE on the schema, too.';
    END IF;
    RETURN table_name;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_insertable(text, name) IS
    'a collection''s table, quoted and with its schema; error 42501 if this role may not submit to it';

CREATE FUNCTION @extschema@.ldp_claim_batch_as(caller name, name text, batch uuid, reports bigint, digest bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted @extschema@.ldp_batch;
BEGIN
    IF batch IS NULL OR reports IS NULL OR digest IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed',
            MESSAGE = 'a batch needs a number, how many reports it has, and a digest of them';
    END IF;
    IF octet_length(digest) <> 32 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'the digest of a batch must have 32 bytes',
            DETAIL = format('Found %s.', octet_length(digest)),
            HINT = 'Give SHA-256 of what the batch contains, the same whenever it is sent.';
    END IF;
    PERFORM FROM @extschema@.ldp_collection AS c WHERE c.name = ldp_claim_batch_as.name FOR KEY SHARE;
    PERFORM @extschema@.ldp_insertable(name, caller);
    -- Who submits a batch forgets its reports once it is committed: the commit has to be durable then.
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    -- Waits if another transaction is submitting the same batch, until it is known how that ends.
    INSERT INTO @extschema@.ldp_batch AS b (collection, submitter, batch, reports, digest)
    VALUES (ldp_claim_batch_as.name, caller, ldp_claim_batch_as.batch, ldp_claim_batch_as.reports, ldp_claim_batch_as.digest)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
        RETURN true;
    END IF;
    SELECT b.* INTO STRICT counted FROM @extschema@.ldp_batch AS b
    WHERE b.collection = ldp_claim_batch_as.name AND b.submitter = caller AND b.batch = ldp_claim_batch_as.batch;
    IF counted.reports <> ldp_claim_batch_as.reports OR counted.digest <> ldp_claim_batch_as.digest THEN
        RAISE EXCEPTION USING
            ERRCODE = 'LD001',
            MESSAGE = format('batch %s of collection "%s" was counted before with other reports',
                             ldp_claim_batch_as.batch, ldp_claim_batch_as.name),
            DETAIL = format('It had %s reports; now there are %s%s.', counted.reports, ldp_claim_batch_as.reports,
                            CASE WHEN counted.reports = ldp_claim_batch_as.reports THEN ', but not the same' ELSE '' END),
            HINT = 'Give every batch a number of its own, and repeat a batch unchanged.';
    END IF;
    RETURN false;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_claim_batch_as(name, text, uuid, bigint, bytea) IS 'ldp_claim_batch, of this caller';

CREATE FUNCTION @extschema@.ldp_claim_batch(name text, batch uuid, reports bigint, digest bytea) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_claim_batch(text, uuid, bigint, bytea) IS
    'for COPY: true if the batch is new, and its reports are to be inserted in the same transaction; false if the '
    'same role submitted it before; error LD001 if it was counted with other reports. digest is SHA-256 of them, 32 '
    'bytes';

CREATE FUNCTION @extschema@.ldp_packed(reports @extschema@.ldp_report[]) RETURNS SETOF @extschema@.ldp_report_batch
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF array_position(reports, NULL::@extschema@.ldp_report) IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'not_null_violation',
            MESSAGE = 'a report to be packed is NULL',
            HINT = 'Leave it out, or send what it was meant to be.';
    END IF;
    -- Groups for which a batch has room. Reports of another spec, whose block differs, are in batches of their own, for the
    -- table's CHECK to refuse as it refuses single ones. A block tells its size in its bytes 4 and 5.
    RETURN QUERY
    SELECT @extschema@.ldp_pack(u.report)
    FROM unnest(reports) WITH ORDINALITY AS u (report, place), LATERAL (SELECT @extschema@.ldp_report_send(u.report)) AS s (bytes)
    GROUP BY substr(s.bytes, 1, get_byte(s.bytes, 4) + 256 * get_byte(s.bytes, 5)), (u.place - 1) / GREATEST(16777216 / length(s.bytes), 1);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_packed(@extschema@.ldp_report[]) IS
    'reports as batches: one for each spec, or several where one has no room for all';

CREATE FUNCTION @extschema@.ldp_insertion(table_name text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format(CASE @extschema@.ldp_report_column($1::regclass)
                  WHEN 'batch' THEN 'INSERT INTO %s (batch, round) SELECT r, $2 FROM %s.ldp_packed($1) AS r'
                  ELSE 'INSERT INTO %s (report, round) SELECT r, $2 FROM pg_catalog.unnest($1) AS r' END, $1, '@extschema@')
$$;
COMMENT ON FUNCTION @extschema@.ldp_insertion(text) IS
    'the statement that inserts reports, $1, of a round, $2, into a collection''s table';

CREATE FUNCTION @extschema@.ldp_insert_reports(table_name text, reports @extschema@.ldp_report[], round integer) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_insert_reports(text, @extschema@.ldp_report[], integer) IS
    'runs ldp_insertion of a table with the rights of the caller; returns how many rows were inserted; error LD002 while no '
    'partition takes the rows, which passes';

-- Where rows are batches, an array of reports is as many rows as ldp_packed makes of it.
CREATE FUNCTION @extschema@.ldp_check_inserted(name text, table_name text, inserted bigint, reports @extschema@.ldp_report[]) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    expected bigint := cardinality(reports);
BEGIN
    IF @extschema@.ldp_report_column(table_name::regclass) = 'batch' THEN
        SELECT count(*) INTO expected FROM @extschema@.ldp_packed(reports);
    END IF;
    IF inserted <> expected THEN
        RAISE EXCEPTION USING
            ERRCODE = 'triggered_data_change_violation',
            MESSAGE = format('the table of collection "%s" took %s rows of %s', name, inserted, expected),
            DETAIL = 'A trigger or a rule of the table keeps rows out or adds some. Nothing of the batch was counted.',
            HINT = 'The table''s owner can remove the trigger or the rule.';
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_check_inserted(text, text, bigint, @extschema@.ldp_report[]) IS
    'error 27000 unless a collection''s table took all rows of these reports';

CREATE FUNCTION @extschema@.ldp_submit(name text, report @extschema@.ldp_report, round integer DEFAULT 0) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM @extschema@.ldp_insert_reports(@extschema@.ldp_insertable(name), ARRAY[report], round);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_submit(text, @extschema@.ldp_report, integer) IS
    'adds a report to a collection; repeated, it counts again. Error 23514 if it is of another spec, or the round '
    'is not open; LD002 while no partition takes the row, which passes; 42501 for who may not insert';

CREATE FUNCTION @extschema@.ldp_submit_batch(name text, batch uuid, reports @extschema@.ldp_report[], round integer DEFAULT 0) RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE
    table_name pg_catalog.text;
BEGIN
    IF reports IS NULL OR batch IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed', MESSAGE = 'a batch needs a number and an array of reports';
    END IF;
    IF NOT @extschema@.ldp_claim_batch(name, batch, pg_catalog.cardinality(reports), pg_catalog.sha256(
            pg_catalog.convert_to(pg_catalog.format('%s:%s', round,
                pg_catalog.array_to_string(reports, ',', 'NULL')), 'UTF8'))) THEN
        RETURN 0;
    END IF;
    table_name := @extschema@.ldp_table(name);
    PERFORM @extschema@.ldp_check_inserted(name, table_name, @extschema@.ldp_insert_reports(table_name, reports, round),
        reports);
    RETURN pg_catalog.cardinality(reports);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_submit_batch(text, uuid, @extschema@.ldp_report[], integer) IS
    'adds reports to a collection, all or none, and once however often the same role repeats it; returns how many '
    'were added, 0 for a repetition; error LD001 if the batch was counted with other reports, LD002 while no partition '
    'takes the rows, which passes; 27000 if a trigger or a rule of the table keeps rows out';

