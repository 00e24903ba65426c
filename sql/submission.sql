-- Submission ------------------------------------------------------------------------------------------------
-- Reports are inserted with the rights of the submitter. Only the records of batches are written with the rights of the
-- extension's owner, by a function that accesses no other table. If a function with these rights inserted the reports, it
-- would also run the triggers of the caller's table with these rights.

CREATE FUNCTION ldp_internal.ldp_insertable(name text, caller name DEFAULT CURRENT_USER) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    table_name text := ldp_internal.ldp_table(name);
    -- A privilege on the table is the common case and the cheaper question.
    allowed boolean := (SELECT (has_table_privilege(caller, t.oid, 'INSERT') OR
                                has_column_privilege(caller, t.oid, ldp_internal.ldp_report_column(t.oid), 'INSERT'))
                               AND has_schema_privilege(caller, t.relnamespace, 'USAGE')
                        FROM ldp_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports WHERE c.name = ldp_insertable.name);
BEGIN
    IF allowed IS NULL THEN  -- the table was dropped since the statement began
        PERFORM ldp_internal.ldp_table(name);  -- raises the error
    END IF;
    IF allowed IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied to submit reports to collection "%s"', name),
            HINT = 'Members of the role ldp_submitter may submit reports; they also need USAGE on the schema.';
    END IF;
    RETURN table_name;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_insertable(text, name) IS
    'Returns the quoted and schema-qualified name of a collection''s table. Error 42501 if the role may not submit '
    'reports to it.';

-- In C, as are ldp_submit and ldp_submit_batch: these calls are the load of a server that collects reports.
CREATE FUNCTION ldp_internal.ldp_claim_batch_as(caller name, name text, batch uuid, reports bigint, digest bytea, token bytea DEFAULT NULL) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C SECURITY DEFINER SET search_path = pg_catalog, pg_temp COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_claim_batch_as(name, text, uuid, bigint, bytea, bytea) IS
    'Implements ldp_claim_batch for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_claim_batch(name text, batch uuid, reports bigint, digest bytea, token bytea DEFAULT NULL) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_claim_batch(text, uuid, bigint, bytea, bytea) IS
    'Records a batch whose reports the client inserts with COPY. Returns true if the batch is new; insert its reports in '
    'the same transaction. Returns false if the same role submitted it before. The submitting role is the user of the '
    'session if its settings in the catalogue include a role, and otherwise the current role. The argument digest is the '
    'SHA-256 digest (32 bytes) of the reports, and token the SHA-256 digest of the token that a collection with tokens '
    'requires. Error LD001 if the batch was counted with other reports, LD003 if a new batch lacks a valid token or has '
    'one token for several reports.';

-- For ldp collect, which stores the batches of many clients in one transaction. A batch that is refused must not end it.
CREATE FUNCTION ldp_internal.ldp_claim_batches_as(caller name, name text, batches uuid[], reports bigint[], digests bytea[], tokens bytea[]) RETURNS text[]
    AS 'MODULE_PATHNAME' LANGUAGE C SECURITY DEFINER SET search_path = pg_catalog, pg_temp COST 10000;
COMMENT ON FUNCTION ldp_internal.ldp_claim_batches_as(name, text, uuid[], bigint[], bytea[], bytea[]) IS
    'Implements ldp_claim_batches for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION ldp_internal.ldp_claim_batches(name text, batches uuid[], reports bigint[], digests bytea[], tokens bytea[] DEFAULT NULL) RETURNS text[]
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 10000;
COMMENT ON FUNCTION ldp_internal.ldp_claim_batches(text, uuid[], bigint[], bytea[], bytea[]) IS
    'Records batches as ldp_claim_batch does, and returns the result of each: new, repeated, or the SQLSTATE of the error '
    'that ldp_claim_batch would raise, LD001 or LD003. A batch with an error is not recorded, and redeems no token. Error '
    '2202E if the arrays differ in size.';

CREATE FUNCTION ldp_internal.ldp_packed(reports @extschema@.ldp_report[]) RETURNS SETOF @extschema@.ldp_report_batch
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF array_position(reports, NULL::@extschema@.ldp_report) IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'not_null_violation',
            MESSAGE = 'reports of a batch must not be NULL',
            HINT = 'Remove the NULL elements of the array.';
    END IF;
    -- Groups that fit into a batch. Reports of another spec have another parameter block and form separate batches, which the
    -- CHECK constraint of the table rejects like single reports. Bytes 4 and 5 of a block are its size.
    RETURN QUERY
    SELECT @extschema@.ldp_pack(u.report::@extschema@.ldp_report)
    FROM unnest(reports) WITH ORDINALITY AS u (report, index), LATERAL (SELECT ldp_internal.ldp_report_send(u.report)) AS s (bytes)
    GROUP BY substr(s.bytes, 1, get_byte(s.bytes, 4) + 256 * get_byte(s.bytes, 5)), (u.index - 1) / GREATEST(16777216 / length(s.bytes), 1);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_packed(@extschema@.ldp_report[]) IS
    'Returns the reports as batches: one for each spec, or several if the reports exceed the size of a batch.';

CREATE FUNCTION ldp_internal.ldp_insert_reports(table_name text, reports @extschema@.ldp_report[], round integer, columns jsonb DEFAULT NULL) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_insert_reports(text, @extschema@.ldp_report[], integer, jsonb) IS
    'Inserts reports of a round into a table with the rights of the caller, in random order or in batches, and returns '
    'the number of rows inserted. The argument columns contains values of public columns, as in ldp_insert. Error LD002 '
    'if no partition accepts the rows at the moment.';

CREATE FUNCTION @extschema@.ldp_public_columns(name text) RETURNS TABLE ("column" text, type text, required boolean)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection @extschema@.ldp_collections := ldp_internal.ldp_collection_named(name);
    attributes text[] := ldp_internal.ldp_attribute_names(collection.spec);
BEGIN
    RETURN QUERY
    SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
    FROM pg_attribute AS a WHERE a.attrelid = collection.reports AND a.attnum > 0 AND NOT a.attisdropped
        AND a.attname NOT IN ('report', 'batch', 'round', 'ldp_arrival', 'ldp_token') AND a.attname <> ALL (attributes) AND a.attgenerated = '' AND a.attidentity <> 'a'
    ORDER BY a.attnum;
    IF (SELECT c.tokens FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_public_columns.name) THEN
        RETURN QUERY SELECT 'ldp_token'::text, 'text'::text, true;
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_public_columns(text) IS
    'Returns the public columns of a collection, which clients may fill: the name of each column, its type, and whether '
    'a report needs a value because the column has no default and cannot be NULL. A collection with tokens also has the '
    'column ldp_token, whose value is redeemed and not stored. Columns with the name of an attribute are not included. '
    'Error 42704 if the collection does not exist.';

-- Values of a device go to a column by its name. An owner who adds a column with the name of an attribute would receive in
-- clear what people meant to randomize.
CREATE FUNCTION ldp_internal.ldp_check_public_columns(reports regclass, columns text[]) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection text;
    wrong text;
BEGIN
    -- Called for every batch with values of public columns. Only a name with a dot can be that of an element of a vector.
    SELECT c.name, u.name INTO collection, wrong FROM ldp_internal.ldp_collection AS c, unnest(columns) AS u (name)
    WHERE c.reports = ldp_check_public_columns.reports
          AND (c.spec -> 'attributes' @> jsonb_build_array(jsonb_build_object('name', u.name))
               OR strpos(u.name, '.') > 0 AND u.name = ANY (ldp_internal.ldp_attribute_names(c.spec))) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_column',
            MESSAGE = format('column "%s" of table %s is not a public column', wrong, reports),
            DETAIL = format('It has the name of an attribute of collection "%s", whose values are randomized.', collection),
            HINT = 'The owner of the table can rename or drop the column.';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_check_public_columns(regclass, text[]) IS
    'Raises error 42703 if one of these columns of a table has the name of an attribute of its collection.';

-- Converts values as an insertion does, because only the server has the types and domains of the columns.
CREATE FUNCTION ldp_internal.ldp_check_values(reports regclass, "column" text, "values" text[]) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_check_values(regclass, text, text[]) IS
    'Raises the error of an insertion for the first of the values that this public column of a table cannot have.';

CREATE FUNCTION @extschema@.ldp_invalid_values(name text, "column" text, "values" text[]) RETURNS TABLE (refused text, reason text)
    LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD' AS $$
DECLARE
    reports regclass := (ldp_internal.ldp_collection_named(name)).reports;
    good text[] := "values";
    one text;
    checked record;
BEGIN
    -- Whether a token is valid is decided when it is redeemed: submitters cannot test tokens.
    IF "column" = 'ldp_token' AND (SELECT c.tokens FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_invalid_values.name) THEN
        RETURN;
    END IF;
    BEGIN
        PERFORM ldp_internal.ldp_check_values(reports, "column", "values");
    EXCEPTION WHEN OTHERS THEN  -- each value by itself
        good := '{}';
        FOREACH one IN ARRAY "values" LOOP
            BEGIN
                PERFORM ldp_internal.ldp_check_values(reports, "column", ARRAY[one]);
                good := good || one;
            EXCEPTION WHEN OTHERS THEN
                -- The state of the server or of the session, or the name of the column, is no fault of the value.
                IF left(SQLSTATE, 2) IN ('08', '40', '53', '55', '57', '58', 'XX') OR SQLSTATE = '42703' THEN
                    RAISE;
                END IF;
                GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
                refused := one;
                reason := COALESCE(NULLIF(reason, ''), SQLERRM);
                RETURN NEXT;
            END;
        END LOOP;
    END;
    FOR checked IN
        SELECT k.conname, pg_get_expr(k.conbin, k.conrelid) AS condition,
               CASE WHEN a.atttypid = 'timestamp'::regtype THEN 'timestamptz AT TIME ZONE ''UTC''' ELSE format_type(a.atttypid, a.atttypmod) END AS type
        FROM pg_constraint AS k JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND k.conkey = ARRAY[a.attnum]
        WHERE k.conrelid = reports AND k.contype = 'c' AND a.attname = "column" ORDER BY k.conname
    LOOP
        RETURN QUERY EXECUTE format('SELECT u.v, %L FROM unnest($1) AS u (v) WHERE (SELECT (%s) FROM (SELECT u.v::%s AS %I) AS r) IS FALSE',
                                    format('The value violates the CHECK constraint "%s".', checked.conname), checked.condition, checked.type, "column")
            USING good;
    END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_invalid_values(text, text, text[]) IS
    'Returns the values that a public column of a collection cannot have, and the reason for each. Such values are not '
    'of the column''s type or domain, or violate a CHECK constraint on this column alone. Clients call the function '
    'before they draw the reports of a file. Error 42704 if the collection does not exist, 42703 if the column is not '
    'public.';

CREATE FUNCTION @extschema@.ldp_batch_digest(reports @extschema@.ldp_report[], round integer, columns jsonb DEFAULT NULL) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_batch_digest(@extschema@.ldp_report[], integer, jsonb) IS
    'Returns the SHA-256 digest of a batch: of its round, its reports and the values of its public columns. '
    'ldp_submit_batch compares it, and clients pass it to ldp_claim_batch. Error 22023 if columns is neither an object '
    'nor null.';

-- In a collection of batches, an array of reports becomes one row for each batch of ldp_packed.
CREATE FUNCTION ldp_internal.ldp_check_inserted(name text, table_name text, inserted bigint, reports @extschema@.ldp_report[]) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    expected bigint := cardinality(reports);
BEGIN
    IF ldp_internal.ldp_report_column(table_name::regclass) = 'batch' THEN
        SELECT count(*) INTO expected FROM ldp_internal.ldp_packed(reports);
    END IF;
    IF inserted <> expected THEN
        RAISE EXCEPTION USING
            ERRCODE = 'triggered_data_change_violation',
            MESSAGE = format('the table of collection "%s" accepted %s of %s rows', name, inserted, expected),
            DETAIL = 'A trigger or rule of the table suppresses or adds rows. No report of the batch was counted.',
            HINT = 'The owner of the table can remove the trigger or rule.';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_check_inserted(text, text, bigint, @extschema@.ldp_report[]) IS
    'Raises error 27000 unless a collection''s table accepted all rows of these reports.';

CREATE FUNCTION @extschema@.ldp_submit(name text, report @extschema@.ldp_report, round integer DEFAULT 0, columns jsonb DEFAULT NULL) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_submit(text, @extschema@.ldp_report, integer, jsonb) IS
    'Adds one report to a collection, with values of public columns as in ldp_insert. A repeated call adds the report '
    'again. Raises the errors of ldp_insert; 23514 if the report has another spec or the round is closed, LD002 if no '
    'partition accepts the row at the moment, 42501 if the caller may not insert.';

CREATE FUNCTION @extschema@.ldp_submit_batch(name text, batch uuid, reports @extschema@.ldp_report[], round integer DEFAULT 0,
        columns jsonb DEFAULT NULL) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_submit_batch(text, uuid, @extschema@.ldp_report[], integer, jsonb) IS
    'Adds a batch of reports to a collection, all or none, and exactly once if the same role repeats it. The argument '
    'columns contains values of public columns for all of them, as in ldp_insert. Returns the number of reports added, 0 '
    'for a repetition. In a collection with tokens, columns has the token under the name ldp_token, and a batch has one '
    'report. Raises the errors of ldp_insert; LD001 if the batch was counted with other reports or other public columns. '
    'LD003 if its token is missing, unknown or redeemed. LD002 if no partition accepts the rows at the moment, 27000 if a '
    'trigger or rule of the table suppresses rows.';

