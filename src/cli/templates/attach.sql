-- Collections of ldp in PostgreSQL 13 or later without the extension: `ldp attach --print` prints this script.
--
-- The objects have the names and signatures of the extension, so that all clients and the endpoint `ldp collect` use them. An
-- ordinary role that may create schemas runs the script in one transaction and owns everything. Nothing here computes an
-- estimate: `ldp refresh` counts new reports outside the server and stores summaries and estimates.

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'ldp') THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_object', MESSAGE = 'the database has the extension ldp', HINT = 'Use the extension.';
    END IF;
END $$;
SET LOCAL client_min_messages = warning;
CREATE SCHEMA ldp;
CREATE SCHEMA ldp_internal;
COMMENT ON SCHEMA ldp IS 'collections of ldp without the extension: tables and functions for clients';
COMMENT ON SCHEMA ldp_internal IS 'collections of ldp without the extension: what clients do not call by name';
GRANT USAGE ON SCHEMA ldp, ldp_internal TO PUBLIC;

-- Reports and batches -----------------------------------------------------------------------------------------
-- A value begins with format version 2 and its kind: 0 for a report, 2 for a batch. Text without \x is hexadecimal digits, which
-- bytea takes for characters ("02..."). A trigger of each table converts them.

CREATE DOMAIN ldp.ldp_report AS bytea CHECK (substr(VALUE, 1, 2) = '\x0200' AND octet_length(VALUE) > 24 OR substr(VALUE, 1, 4) = '\x30323030');
CREATE DOMAIN ldp.ldp_report_batch AS bytea CHECK (substr(VALUE, 1, 2) = '\x0202' AND octet_length(VALUE) > 28 OR substr(VALUE, 1, 4) = '\x30323032');
COMMENT ON DOMAIN ldp.ldp_report IS 'one randomized report with the parameters of its randomizer';
COMMENT ON DOMAIN ldp.ldp_report_batch IS 'reports of one spec with one copy of the parameters';

CREATE FUNCTION ldp_internal.ldp_bytes(value bytea) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    $$ SELECT CASE WHEN get_byte(value, 0) = 48 THEN decode(convert_from(value, 'UTF8'), 'hex') ELSE value END $$;
COMMENT ON FUNCTION ldp_internal.ldp_bytes(bytea) IS 'Returns the bytes of a report or batch that may be in hexadecimal digits.';

-- Numbers in the formats are little-endian.
CREATE FUNCTION ldp_internal.ldp_batch_count(batch bytea, block bytea) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT get_byte(batch, octet_length(block)) + (get_byte(batch, octet_length(block) + 1)::bigint << 8)
         + (get_byte(batch, octet_length(block) + 2)::bigint << 16) + (get_byte(batch, octet_length(block) + 3)::bigint << 24)
$$;
COMMENT ON FUNCTION ldp_internal.ldp_batch_count(bytea, bytea) IS 'Returns the number of reports of a batch with this block.';

-- The checks of tables. They compare the block and lengths. ldp refresh checks payloads, and skips those that no device makes.
CREATE FUNCTION ldp_internal.ldp_follows(value bytea, block bytea, report_bytes integer) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE get_byte(value, 1)
        WHEN 0 THEN octet_length(value) = report_bytes AND substr(value, 1, octet_length(block)) = block
        WHEN 2 THEN octet_length(value) > octet_length(block) + 4 AND substr(value, 1, octet_length(block)) = set_byte(block, 1, 2)
            AND octet_length(value) = octet_length(block) + 4
                + ldp_internal.ldp_batch_count(value, block) * (report_bytes - octet_length(block))
        ELSE false END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_follows(bytea, bytea, integer) IS 'Returns whether a report or batch has this block and the right length.';
CREATE FUNCTION ldp_internal.ldp_check_round(round integer, first integer, last integer) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT round BETWEEN first AND last $$;
COMMENT ON FUNCTION ldp_internal.ldp_check_round(integer, integer, integer) IS 'Returns whether a round is open.';

CREATE FUNCTION ldp_internal.ldp_arrive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_ARGV[0] = 'batch' THEN NEW.batch := ldp_internal.ldp_bytes(NEW.batch);
    ELSE NEW.report := ldp_internal.ldp_bytes(NEW.report); END IF;
    -- A client cannot choose the stamp, by which ldp refresh finds new rows.
    NEW.ldp_arrival := pg_current_xact_id()::text::bigint;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION ldp_internal.ldp_arrive() IS 'Converts hexadecimal digits, and stamps a row with its transaction. Trigger function.';

-- Tables ------------------------------------------------------------------------------------------------------

CREATE TABLE ldp_internal.ldp_collection (
    name         text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 63),
    reports      regclass NOT NULL UNIQUE,
    spec         jsonb NOT NULL,
    texts        jsonb NOT NULL DEFAULT '{}',
    created      timestamptz NOT NULL DEFAULT now(),
    rows         text NOT NULL CHECK (rows IN ('reports', 'batches')),
    parameters   bytea NOT NULL,
    report_bytes integer NOT NULL,
    fingerprint  text NOT NULL GENERATED ALWAYS AS (encode(substr(parameters, 9, 8), 'hex')) STORED
);
COMMENT ON TABLE ldp_internal.ldp_collection IS 'all collections with their canonical specs; see the view ldp_collections';

-- A batch is counted once for each role that submits it.
CREATE TABLE ldp_internal.ldp_batch (
    collection text,
    submitter  name,
    batch      uuid,
    reports    bigint NOT NULL CHECK (reports >= 0),
    digest     bytea NOT NULL CHECK (octet_length(digest) = 32),
    claimed    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (collection, submitter, batch)
);
COMMENT ON TABLE ldp_internal.ldp_batch IS 'batches that were counted, so that a client without a response can safely repeat a batch';

-- All rows of transactions before `watermark` are in the summaries. A refresh locks the row of its collection.
CREATE TABLE ldp_internal.ldp_refresh (
    collection text PRIMARY KEY REFERENCES ldp_internal.ldp_collection (name) ON DELETE CASCADE,
    watermark  bigint NOT NULL DEFAULT 0,
    history    text,
    by         text[] NOT NULL DEFAULT '{round}',
    digest     bytea,
    skipped    bigint NOT NULL DEFAULT 0,
    refreshed  timestamptz
);
COMMENT ON TABLE ldp_internal.ldp_refresh IS 'progress of ldp refresh: the first transaction whose rows are not counted, the columns of the groups, the SHA-256 digest of all summaries';

CREATE TABLE ldp.ldp_summaries (
    collection text NOT NULL REFERENCES ldp_internal.ldp_collection (name) ON DELETE CASCADE,
    "group"    jsonb NOT NULL,
    n          bigint NOT NULL,
    summary    bytea NOT NULL,
    PRIMARY KEY (collection, "group")
);
COMMENT ON TABLE ldp.ldp_summaries IS 'the summary of each group of reports, with the bytes of ldp_summary; written by ldp refresh';
CREATE TABLE ldp.ldp_estimates (
    collection text NOT NULL REFERENCES ldp_internal.ldp_collection (name) ON DELETE CASCADE,
    "group"    jsonb NOT NULL,
    attribute  text, label text,
    estimate   float8, stderr float8, lower float8, upper float8,
    n          bigint,
    note       text
);
CREATE INDEX ldp_estimates_collection ON ldp.ldp_estimates (collection, "group");
COMMENT ON TABLE ldp.ldp_estimates IS 'estimates with 95 % intervals for each group; written by ldp refresh';

CREATE FUNCTION ldp_internal.ldp_stored_digest(collection text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(coalesce(string_agg(sha256(convert_to(s."group"::text, 'UTF8') || s.summary), ''::bytea ORDER BY s."group"::text COLLATE "C"), ''))
    FROM ldp.ldp_summaries AS s WHERE s.collection = $1
$$;
COMMENT ON FUNCTION ldp_internal.ldp_stored_digest(text) IS 'Returns the SHA-256 digest of all summaries of a collection.';

CREATE FUNCTION ldp_internal.ldp_refuse_spec_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('the spec of collection "%s" cannot be changed', OLD.name), HINT = 'Create a new collection for the new spec.';
END $$;
CREATE TRIGGER ldp_spec_is_immutable BEFORE UPDATE ON ldp_internal.ldp_collection FOR EACH ROW WHEN (NEW.spec IS DISTINCT FROM OLD.spec) EXECUTE FUNCTION ldp_internal.ldp_refuse_spec_change();

CREATE VIEW ldp.ldp_collections AS
    SELECT c.name, c.reports, c.spec ->> 'mechanism' AS mechanism, (c.spec ->> 'epsilon')::float8 AS epsilon,
           coalesce((c.spec ->> 'delta')::float8, 0) AS delta, c.spec, c.created, c.fingerprint, c.rows, c.texts
    FROM ldp_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports;
COMMENT ON VIEW ldp.ldp_collections IS 'collections with their tables and specs; readable by everyone';
GRANT SELECT ON ldp.ldp_collections, ldp_internal.ldp_collection TO PUBLIC;

-- Collections ---------------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_internal.ldp_collection_named(name text) RETURNS ldp_internal.ldp_collection LANGUAGE plpgsql STABLE AS $$
DECLARE
    found_one ldp_internal.ldp_collection;
BEGIN
    SELECT c.* INTO found_one FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_collection_named.name;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_object', MESSAGE = format('collection "%s" does not exist', name), HINT = 'The view ldp_collections lists all collections.';
    END IF;
    RETURN found_one;
END $$;

CREATE FUNCTION ldp.ldp_client_spec(name text) RETURNS jsonb LANGUAGE sql STABLE AS
    $$ SELECT c.spec FROM ldp_internal.ldp_collection_named($1) AS c $$;
COMMENT ON FUNCTION ldp.ldp_client_spec(text) IS 'Returns the canonical spec of a collection. Error 42704 if the collection does not exist.';

CREATE FUNCTION ldp_internal.ldp_attribute_names(spec jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(array_agg(concat_ws('.', a ->> 'name', e.label)), '{}') FROM jsonb_array_elements(spec -> 'attributes') AS a
    LEFT JOIN LATERAL (SELECT jsonb_array_elements_text(a -> 'vector') WHERE jsonb_typeof(a -> 'vector') = 'array'
                       UNION ALL SELECT generate_series(0, (a ->> 'vector')::integer - 1)::text WHERE jsonb_typeof(a -> 'vector') = 'number'
                       UNION ALL SELECT NULL) AS e (label) ON true
$$;
COMMENT ON FUNCTION ldp_internal.ldp_attribute_names(jsonb) IS 'Returns the names of all attributes, and of the elements of vectors.';

CREATE FUNCTION ldp.ldp_public_columns(name text) RETURNS TABLE ("column" text, type text, required boolean) LANGUAGE plpgsql STABLE AS $$
DECLARE
    collection ldp_internal.ldp_collection := ldp_internal.ldp_collection_named(name);
BEGIN
    RETURN QUERY
    SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
    FROM pg_attribute AS a WHERE a.attrelid = collection.reports AND a.attnum > 0 AND NOT a.attisdropped
        AND a.attname NOT IN ('report', 'batch', 'round', 'ldp_arrival') AND a.attname <> ALL (ldp_internal.ldp_attribute_names(collection.spec))
        AND a.attgenerated = '' AND a.attidentity <> 'a'
    ORDER BY a.attnum;
END $$;
COMMENT ON FUNCTION ldp.ldp_public_columns(text) IS 'Returns the public columns of a collection: the name, the type, and whether a report needs a value.';

CREATE FUNCTION ldp.ldp_open_rounds(name text, first integer, last integer DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    reports regclass := (ldp_internal.ldp_collection_named(name)).reports;
BEGIN
    IF EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'round_is_open') THEN
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT round_is_open', reports);
    END IF;
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT round_is_open CHECK (ldp_internal.ldp_check_round(round, %L, %L)) NOT VALID', reports, first, coalesce(last, first));
END $$;
COMMENT ON FUNCTION ldp.ldp_open_rounds(text, integer, integer) IS 'Opens the rounds first to last for new reports and closes all others.';

CREATE FUNCTION ldp_internal.ldp_register(name text, reports regclass, spec jsonb, rows text, first integer, last integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    held text := CASE rows WHEN 'batches' THEN 'batch' ELSE 'report' END;
    block bytea := decode(spec #>> '{derived,block}', 'hex');
    report_bytes integer := spec #>> '{derived,report_bytes}';
BEGIN
    IF block IS NULL OR report_bytes IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'the spec is not in canonical form', HINT = 'ldp spec resolve SPEC prints the canonical form.';
    END IF;
    EXECUTE format('ALTER TABLE %1$s ADD CONSTRAINT %2$s_follows_spec CHECK (ldp_internal.ldp_follows(%2$s, %3$L, %4$s)) NOT VALID', reports, held, block, report_bytes);
    EXECUTE format('CREATE INDEX ON %s (ldp_arrival)', reports);
    EXECUTE format('CREATE TRIGGER ldp_arrival BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION ldp_internal.ldp_arrive(%L)', reports, held);
    EXECUTE format('COMMENT ON TABLE %s IS %L', reports, format('reports of the ldp collection "%s"', name));
    INSERT INTO ldp_internal.ldp_collection (name, reports, spec, rows, parameters, report_bytes) VALUES (name, reports, spec, rows, block, report_bytes);
    INSERT INTO ldp_internal.ldp_refresh (collection) VALUES (name);
    PERFORM ldp.ldp_open_rounds(name, first, last);
END $$;
COMMENT ON FUNCTION ldp_internal.ldp_register(text, regclass, jsonb, text, integer, integer) IS 'Creates a collection from a table that is empty or has valid reports.';

CREATE FUNCTION ldp.ldp_create_collection(name text, spec jsonb, public_columns text[] DEFAULT NULL, schema text DEFAULT current_schema(),
    rows text DEFAULT 'reports') RETURNS regclass LANGUAGE plpgsql AS $$
DECLARE
    more text := '';
    pair text[];
    created regclass;
BEGIN
    IF cardinality(public_columns) > 0 THEN
        FOREACH pair SLICE 1 IN ARRAY public_columns LOOP
            IF pair[1] = ANY (ldp_internal.ldp_attribute_names(spec)) THEN
                RAISE EXCEPTION USING ERRCODE = 'duplicate_column', MESSAGE = format('public column "%s" has the name of an attribute', pair[1]);
            END IF;
            more := more || format(', %1$I %2$s CHECK (octet_length(%1$I::text) <= 1024)', pair[1], pair[2]::regtype);
        END LOOP;
    END IF;
    EXECUTE format('CREATE TABLE %I.%I (%s bytea NOT NULL%s, round integer NOT NULL DEFAULT 0, ldp_arrival bigint NOT NULL)', schema, name,
                   CASE rows WHEN 'batches' THEN 'batch' ELSE 'report' END, more);
    created := format('%I.%I', schema, name)::regclass;
    PERFORM ldp_internal.ldp_register(name, created, spec, rows, CASE WHEN spec ? 'rounds' THEN 1 ELSE 0 END, coalesce((spec ->> 'rounds')::integer, 0));
    RETURN created;
END $$;
COMMENT ON FUNCTION ldp.ldp_create_collection(text, jsonb, text[], text, text) IS 'Creates a table for reports under a canonical spec. Grant INSERT on it to submitters.';

CREATE FUNCTION ldp.ldp_drop_collection(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    reports regclass := (ldp_internal.ldp_collection_named(name)).reports;
BEGIN
    EXECUTE format('DROP TABLE %s', reports);
    DELETE FROM ldp_internal.ldp_batch AS b WHERE b.collection = ldp_drop_collection.name;
    DELETE FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_drop_collection.name;
END $$;
COMMENT ON FUNCTION ldp.ldp_drop_collection(text) IS 'Drops a collection with all its reports and summaries.';

-- Submission ------------------------------------------------------------------------------------------------------
-- Reports are inserted with the rights of the submitter. Only the record of a batch is written with the owner's rights.

CREATE FUNCTION ldp_internal.ldp_history() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(encode(sha256(convert_to(concat_ws(' ', 'ldp history 1', s.system_identifier,
               left(pg_walfile_name(pg_current_wal_lsn()), 8), d.oid, n.oid), 'UTF8')), 'hex'), 16) END
    FROM pg_control_system() AS s, pg_database AS d, pg_namespace AS n WHERE d.datname = current_database() AND n.nspname = 'ldp'
$$;
COMMENT ON FUNCTION ldp_internal.ldp_history() IS 'Returns 16 hexadecimal digits that identify the history of this database. NULL on a standby.';

CREATE FUNCTION ldp.ldp_claim_batch(name text, batch uuid, reports bigint, digest bytea, token bytea DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    into_table regclass := (ldp_internal.ldp_collection_named(name)).reports;
    counted ldp_internal.ldp_batch;
BEGIN
    IF NOT has_table_privilege(session_user, into_table, 'INSERT') THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('permission denied to submit reports to collection "%s"', name),
            HINT = format('The owner can GRANT INSERT ON %s.', into_table);
    END IF;
    IF token IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = 'tokens require the extension ldp'; END IF;
    -- The submitter deletes its reports after the commit, so the commit must be durable.
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    INSERT INTO ldp_internal.ldp_batch (collection, submitter, batch, reports, digest)
        VALUES (name, session_user, ldp_claim_batch.batch, ldp_claim_batch.reports, ldp_claim_batch.digest) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        RETURN true;
    END IF;
    SELECT b.* INTO counted FROM ldp_internal.ldp_batch AS b WHERE b.collection = name AND b.submitter = session_user AND b.batch = ldp_claim_batch.batch;
    IF counted.digest IS DISTINCT FROM ldp_claim_batch.digest OR counted.reports <> ldp_claim_batch.reports THEN
        RAISE EXCEPTION USING ERRCODE = 'LD001', MESSAGE = format('batch %s of collection "%s" was counted before with other reports', batch, name),
            HINT = 'Use a new identifier for each batch, and repeat a batch unchanged.';
    END IF;
    RETURN false;
END $$;
COMMENT ON FUNCTION ldp.ldp_claim_batch(text, uuid, bigint, bytea, bytea) IS
    'Records a batch, and returns whether it is new. Insert its reports in the same transaction. Error LD001 if it was counted with other reports, 0A000 for a token.';

CREATE FUNCTION ldp_internal.ldp_claim_batches(name text, batches uuid[], reports bigint[], digests bytea[], tokens bytea[] DEFAULT NULL, OUT results text[]) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. cardinality(batches) LOOP
        BEGIN results[i] := CASE WHEN ldp.ldp_claim_batch(name, batches[i], reports[i], digests[i], tokens[i]) THEN 'new' ELSE 'repeated' END;
        EXCEPTION WHEN SQLSTATE 'LD001' THEN results[i] := 'LD001'; END;
    END LOOP;
END $$;
COMMENT ON FUNCTION ldp_internal.ldp_claim_batches(text, uuid[], bigint[], bytea[], bytea[]) IS 'Records batches for ldp collect. Returns new, repeated or LD001 for each.';
CREATE FUNCTION ldp_internal.ldp_named_values(reports regclass, columns jsonb, OUT names text, OUT "values" text) LANGUAGE plpgsql STABLE AS $$
DECLARE
    wrong text;
BEGIN
    SELECT k INTO wrong FROM jsonb_object_keys(coalesce(columns, '{}')) AS k WHERE k NOT IN (
        SELECT p."column" FROM ldp_internal.ldp_collection AS c, ldp.ldp_public_columns(c.name) AS p WHERE c.reports = ldp_named_values.reports);
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_column', MESSAGE = format('column "%s" of table %s is not a public column', wrong, reports);
    END IF;
    SELECT coalesce(string_agg(format(', %I', a.attname), '' ORDER BY a.attnum), ''),
           coalesce(string_agg(format(', %L::%s', v.value, format_type(a.atttypid, a.atttypmod)), '' ORDER BY a.attnum), '') INTO names, "values"
    FROM jsonb_each_text(coalesce(columns, '{}')) AS v JOIN pg_attribute AS a ON a.attrelid = reports AND a.attname = v.key WHERE v.value IS NOT NULL;
END $$;
COMMENT ON FUNCTION ldp_internal.ldp_named_values(regclass, jsonb) IS 'Returns public columns and their values as lists for INSERT. Error 42703 for other columns.';

CREATE FUNCTION ldp_internal.ldp_store(reports regclass, "values" bytea[], round integer, columns jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    more record := ldp_internal.ldp_named_values(reports, columns);
    stored bigint;
BEGIN
    EXECUTE format('INSERT INTO %s (report, round%s) SELECT v, $2%s FROM unnest($1) AS v ORDER BY random()', reports, more.names, more."values")
        USING "values", round;
    GET DIAGNOSTICS stored = ROW_COUNT;
    RETURN stored;
END $$;
COMMENT ON FUNCTION ldp_internal.ldp_store(regclass, bytea[], integer, jsonb) IS 'Inserts reports of a round in random order, and returns their number.';

CREATE FUNCTION ldp.ldp_insert(reports regclass, batch ldp.ldp_report_batch, round integer, columns jsonb DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    into_one ldp_internal.ldp_collection;
    bytes bytea := ldp_internal.ldp_bytes(batch);
    more record := ldp_internal.ldp_named_values(reports, columns);
    size integer;
BEGIN
    SELECT c.* INTO STRICT into_one FROM ldp_internal.ldp_collection AS c WHERE c.reports = ldp_insert.reports;
    IF NOT ldp_internal.ldp_follows(bytes, into_one.parameters, into_one.report_bytes) THEN
        RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = 'the batch was made for another collection or another version of its spec', HINT = 'Use the spec of ldp_client_spec.';
    END IF;
    IF into_one.rows = 'batches' THEN
        EXECUTE format('INSERT INTO %s (batch, round%s) SELECT $1, $2%s', reports, more.names, more."values") USING bytes, round;
        RETURN ldp_internal.ldp_batch_count(bytes, into_one.parameters);
    END IF;
    size := into_one.report_bytes - octet_length(into_one.parameters);
    RETURN ldp_internal.ldp_store(reports, ARRAY(
        SELECT into_one.parameters || substr(bytes, octet_length(into_one.parameters) + 5 + i::integer * size, size)
        FROM generate_series(0, ldp_internal.ldp_batch_count(bytes, into_one.parameters) - 1) AS i), round, columns);
END $$;
COMMENT ON FUNCTION ldp.ldp_insert(regclass, ldp.ldp_report_batch, integer, jsonb) IS
    'Inserts the reports of a batch with the rights of the caller, and returns their number. The argument columns has values of public columns.';

-- Clients compute the same digest: the round, the reports in hexadecimal, and the values sorted by the bytes of their names.
CREATE FUNCTION ldp.ldp_batch_digest(reports ldp.ldp_report[], round integer, columns jsonb DEFAULT NULL) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to(coalesce(round::text, '') || ':'
        || coalesce((SELECT string_agg(coalesce(encode(ldp_internal.ldp_bytes(u.report), 'hex'), 'NULL'), ',' ORDER BY u.place)
                     FROM unnest(reports) WITH ORDINALITY AS u (report, place)), '')
        || coalesce((SELECT E'\n' || string_agg(octet_length(v.key) || ':' || v.key || octet_length(v.value) || ':' || v.value, '' ORDER BY v.key COLLATE "C")
                     FROM jsonb_each_text(coalesce(columns, '{}')) AS v WHERE v.value IS NOT NULL), ''), 'UTF8'))
$$;
COMMENT ON FUNCTION ldp.ldp_batch_digest(ldp.ldp_report[], integer, jsonb) IS 'Returns the SHA-256 digest of a batch.';

CREATE FUNCTION ldp.ldp_submit_batch(name text, batch uuid, reports ldp.ldp_report[], round integer DEFAULT 0, columns jsonb DEFAULT NULL)
    RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    into_one ldp_internal.ldp_collection := ldp_internal.ldp_collection_named(name);
    stored bigint;
BEGIN
    IF NOT ldp.ldp_claim_batch(name, batch, cardinality(reports), ldp.ldp_batch_digest(reports, round, columns)) THEN
        RETURN 0;
    END IF;
    IF into_one.rows = 'batches' THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = format('collection "%s" stores batches', name), HINT = 'Use ldp_insert.';
    END IF;
    stored := ldp_internal.ldp_store(into_one.reports, reports::bytea[], round, columns);
    IF stored <> cardinality(reports) THEN
        RAISE EXCEPTION USING ERRCODE = 'triggered_data_change_violation', MESSAGE = format('the table of collection "%s" accepted %s of %s rows', name, stored, cardinality(reports));
    END IF;
    RETURN stored;
END $$;
COMMENT ON FUNCTION ldp.ldp_submit_batch(text, uuid, ldp.ldp_report[], integer, jsonb) IS 'Adds a batch of reports to a collection, all or none, and once if the same role repeats it. Returns the number of reports added.';

CREATE FUNCTION ldp.ldp_submit(name text, report ldp.ldp_report, round integer DEFAULT 0, columns jsonb DEFAULT NULL) RETURNS void LANGUAGE sql AS
    $$ SELECT ldp_internal.ldp_store((ldp_internal.ldp_collection_named($1)).reports, ARRAY[$2::bytea], $3, $4) $$;
COMMENT ON FUNCTION ldp.ldp_submit(text, ldp.ldp_report, integer, jsonb) IS 'Adds one report to a collection.';

CREATE FUNCTION ldp.ldp_invalid_values(name text, "column" text, "values" text[]) RETURNS TABLE (refused text, reason text) LANGUAGE plpgsql AS $$
DECLARE
    reports regclass := (ldp_internal.ldp_collection_named(name)).reports;
    type text := (SELECT p.type FROM ldp.ldp_public_columns(name) AS p WHERE p."column" = ldp_invalid_values."column");
BEGIN
    IF type IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_column', MESSAGE = format('column "%s" is not a public column', "column");
    END IF;
    FOREACH refused IN ARRAY "values" LOOP
        BEGIN
            EXECUTE format('SELECT $1::%s', type) USING refused;
        EXCEPTION WHEN data_exception OR check_violation THEN
            reason := SQLERRM;
            RETURN NEXT;
        END;
    END LOOP;
END $$;
COMMENT ON FUNCTION ldp.ldp_invalid_values(text, text, text[]) IS 'Returns the values that are not of the type of a public column, and the reason for each.';

-- All functions run with the search path of this script. A submitter could otherwise replace the operators of the checks.
DO $$
DECLARE
    one regprocedure;
BEGIN
    FOR one IN SELECT p.oid FROM pg_proc AS p WHERE p.pronamespace IN ('ldp'::regnamespace, 'ldp_internal'::regnamespace) LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp', one);
    END LOOP;
END $$;
-- Functions for owners are not for others.
REVOKE EXECUTE ON FUNCTION ldp.ldp_create_collection(text, jsonb, text[], text, text), ldp.ldp_drop_collection(text), ldp.ldp_open_rounds(text, integer, integer) FROM PUBLIC;
