-- ldp: private aggregate queries. Types, aggregates, accessors, specs; then collections, which are tables of
-- reports that belong to a spec.
--
-- Names: what stands in a function's body is qualified, with the extension's schema written in by CREATE
-- EXTENSION (@extschema@; hence relocatable = false). Bodies that need nothing of the caller's search_path also
-- pin it; those that create tables in the caller's schema, or insert where the caller's triggers run, do not.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION ldp" to load this file. \quit

-- Types -----------------------------------------------------------------------------------------------------

CREATE TYPE ldp_report;
CREATE TYPE ldp_summary;

CREATE FUNCTION ldp_report_in(cstring) RETURNS ldp_report
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ldp_report_out(ldp_report) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ldp_report_recv(internal) RETURNS ldp_report
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ldp_report_send(ldp_report) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE ldp_report (
    INPUT = ldp_report_in, OUTPUT = ldp_report_out, RECEIVE = ldp_report_recv, SEND = ldp_report_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended
);
COMMENT ON TYPE ldp_report IS 'one perturbed report, with the parameters that its noise was drawn with';
COMMENT ON FUNCTION ldp_report_in(cstring) IS 'hexadecimal text to report; checks everything';
COMMENT ON FUNCTION ldp_report_out(ldp_report) IS 'report to hexadecimal text';
COMMENT ON FUNCTION ldp_report_recv(internal) IS 'bytes to report; checks everything';
COMMENT ON FUNCTION ldp_report_send(ldp_report) IS 'report to bytes';

CREATE FUNCTION ldp_summary_in(cstring) RETURNS ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ldp_summary_out(ldp_summary) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ldp_summary_recv(internal) RETURNS ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ldp_summary_send(ldp_summary) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE ldp_summary (
    INPUT = ldp_summary_in, OUTPUT = ldp_summary_out, RECEIVE = ldp_summary_recv, SEND = ldp_summary_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended
);
COMMENT ON TYPE ldp_summary IS
    'what reports add up to: all that estimates need; its size depends on the spec, not on the number of reports';
COMMENT ON FUNCTION ldp_summary_in(cstring) IS 'hexadecimal text to summary; checks everything';
COMMENT ON FUNCTION ldp_summary_out(ldp_summary) IS 'summary to hexadecimal text';
COMMENT ON FUNCTION ldp_summary_recv(internal) IS 'bytes to summary; checks everything';
COMMENT ON FUNCTION ldp_summary_send(ldp_summary) IS 'summary to bytes';

-- Equality, order and hashing by bytes, so that GROUP BY, DISTINCT, ORDER BY and indexes work: PostgreSQL's
-- functions for bytea under names of their own, for both types alike.
DO $script$
DECLARE
    type text;
    operator text[];
BEGIN
    FOREACH type IN ARRAY ARRAY['ldp_report', 'ldp_summary'] LOOP
        FOREACH operator SLICE 1 IN ARRAY ARRAY[
            ['eq', '=',  '=',  '<>', 'eqsel, JOIN = eqjoinsel, HASHES, MERGES',       'equal'],
            ['ne', '<>', '<>', '=',  'neqsel, JOIN = neqjoinsel',                     'not equal'],
            ['lt', '<',  '>',  '>=', 'scalarltsel, JOIN = scalarltjoinsel',           'less than, byte by byte'],
            ['le', '<=', '>=', '>',  'scalarlesel, JOIN = scalarlejoinsel',           'less than or equal, byte by byte'],
            ['gt', '>',  '<',  '<=', 'scalargtsel, JOIN = scalargtjoinsel',           'greater than, byte by byte'],
            ['ge', '>=', '<=', '<',  'scalargesel, JOIN = scalargejoinsel',           'greater than or equal, byte by byte']
        ] LOOP
            EXECUTE format('CREATE FUNCTION %1$s_%2$s(%1$s, %1$s) RETURNS boolean AS %3$L
                            LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE',
                           type, operator[1], 'bytea' || operator[1]);
            EXECUTE format('CREATE OPERATOR %2$s (FUNCTION = %1$s_%3$s, LEFTARG = %1$s, RIGHTARG = %1$s,
                            COMMUTATOR = %4$s, NEGATOR = %5$s, RESTRICT = %6$s)',
                           type, operator[2], operator[1], operator[3], operator[4], operator[5]);
            EXECUTE format('COMMENT ON FUNCTION %1$s_%2$s(%1$s, %1$s) IS %3$L', type, operator[1],
                           'implementation of the operator ' || operator[2]);
            EXECUTE format('COMMENT ON OPERATOR %2$s (%1$s, %1$s) IS %3$L', type, operator[2], operator[6]);
        END LOOP;

        EXECUTE format('
            CREATE FUNCTION %1$s_cmp(%1$s, %1$s) RETURNS integer AS ''byteacmp''
                LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
            CREATE FUNCTION %1$s_hash(%1$s) RETURNS integer AS ''hashvarlena''
                LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
            CREATE FUNCTION %1$s_hash_extended(%1$s, bigint) RETURNS bigint AS ''hashvarlenaextended''
                LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
            COMMENT ON FUNCTION %1$s_cmp(%1$s, %1$s) IS ''less, equal or greater, byte by byte'';
            COMMENT ON FUNCTION %1$s_hash(%1$s) IS ''hash'';
            COMMENT ON FUNCTION %1$s_hash_extended(%1$s, bigint) IS ''64-bit hash with a seed'';

            CREATE OPERATOR FAMILY %1$s_order USING btree;
            CREATE OPERATOR CLASS %1$s_order DEFAULT FOR TYPE %1$s USING btree FAMILY %1$s_order AS
                OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
                FUNCTION 1 %1$s_cmp(%1$s, %1$s),
                FUNCTION 2 bytea_sortsupport(internal);
            CREATE OPERATOR FAMILY %1$s_hash USING hash;
            CREATE OPERATOR CLASS %1$s_hash DEFAULT FOR TYPE %1$s USING hash FAMILY %1$s_hash AS
                OPERATOR 1 =,
                FUNCTION 1 %1$s_hash(%1$s),
                FUNCTION 2 %1$s_hash_extended(%1$s, bigint);
            COMMENT ON OPERATOR FAMILY %1$s_order USING btree IS ''by bytes'';
            COMMENT ON OPERATOR CLASS %1$s_order USING btree IS ''by bytes'';
            COMMENT ON OPERATOR FAMILY %1$s_hash USING hash IS ''by bytes'';
            COMMENT ON OPERATOR CLASS %1$s_hash USING hash IS ''by bytes''', type);
    END LOOP;
END
$script$;

CREATE TYPE ldp_report_row AS (report ldp_report, round integer);
COMMENT ON TYPE ldp_report_row IS 'a row of a collection''s table, which is made OF this type';
COMMENT ON COLUMN ldp_report_row.report IS 'one person''s perturbed report';
COMMENT ON COLUMN ldp_report_row.round IS 'which round of a repeated collection it belongs to; 0 if there is one';

-- Accessors -------------------------------------------------------------------------------------------------
-- Errors are those of the randomisers alone (target 'sample'), or those and the error of having drawn the
-- people who report from a population ('population').

CREATE FUNCTION ldp_count(summary ldp_summary) RETURNS bigint
    AS 'MODULE_PATHNAME', 'ldp_summary_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_count(ldp_summary) IS 'how many reports the summary counts';

CREATE FUNCTION ldp_spec(summary ldp_summary) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'ldp_summary_spec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_spec(ldp_summary) IS 'mechanism, epsilon, parameters and the spec''s fingerprint';

CREATE FUNCTION ldp_spec(report ldp_report) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'ldp_report_spec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_spec(ldp_report) IS 'mechanism, epsilon, parameters and the spec''s fingerprint';

CREATE FUNCTION ldp_mean(summary ldp_summary) RETURNS float8
    AS 'MODULE_PATHNAME', 'ldp_summary_mean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_mean(ldp_summary) IS 'estimated mean of the only numeric attribute';

CREATE FUNCTION ldp_mean(summary ldp_summary, attribute integer) RETURNS float8
    AS 'MODULE_PATHNAME', 'ldp_summary_mean_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_mean(ldp_summary, integer) IS 'estimated mean of one numeric attribute, numbered from 0';

CREATE FUNCTION ldp_means(summary ldp_summary, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample',
        OUT attribute integer, OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'ldp_summary_means' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ldp_means(ldp_summary, float8, text) IS
    'estimated mean of every numeric attribute, with standard error and interval; target sample or population';

CREATE FUNCTION ldp_frequency(summary ldp_summary) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'ldp_summary_frequency' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_frequency(ldp_summary) IS 'estimated share of every value; unbiased, so some may lie outside 0 to 1';

CREATE FUNCTION ldp_frequency(summary ldp_summary, value integer) RETURNS float8
    AS 'MODULE_PATHNAME', 'ldp_summary_frequency_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_frequency(ldp_summary, integer) IS 'estimated share of one value, numbered from 0';

CREATE FUNCTION ldp_frequencies(summary ldp_summary, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample',
        OUT value integer, OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'ldp_summary_frequencies' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION ldp_frequencies(ldp_summary, float8, text) IS
    'estimated share of every value, with standard error and interval; target sample or population';

CREATE FUNCTION ldp_haar(summary ldp_summary) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'ldp_summary_haar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_haar(ldp_summary) IS
    'estimated mean vector, rebuilt from its Haar coefficients; an element that too few reports tell of is NULL';

CREATE FUNCTION ldp_coefficients(summary ldp_summary, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample',
        OUT coefficient integer, OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'ldp_summary_coefficients' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ldp_coefficients(ldp_summary, float8, text) IS
    'estimated mean of every Haar coefficient, attributes scaled to [-1,1], with standard error and interval';

-- Aggregates ------------------------------------------------------------------------------------------------
-- Their state is an ldp_summary: it is combined by parallel workers, partitions and other servers as it is.

CREATE FUNCTION ldp_summary_accumulate(summary ldp_summary, report ldp_report) RETURNS ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ldp_summary_accumulate(ldp_summary, ldp_report) IS
    'the summary with one more report; NULL is the summary of no reports';

CREATE FUNCTION ldp_summary_merge(summary ldp_summary, other ldp_summary) RETURNS ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ldp_summary_merge(ldp_summary, ldp_summary) IS
    'the summary of the reports of both; NULL is the summary of no reports';

CREATE AGGREGATE ldp_agg(report ldp_report) (
    SFUNC = ldp_summary_accumulate, STYPE = ldp_summary, SSPACE = 512,
    COMBINEFUNC = ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ldp_agg(ldp_report) IS 'reports to their summary, for the accessors to answer from';

CREATE AGGREGATE ldp_rollup(summary ldp_summary) (
    SFUNC = ldp_summary_merge, STYPE = ldp_summary, SSPACE = 512,
    COMBINEFUNC = ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ldp_rollup(ldp_summary) IS 'summaries of parts to the summary of the whole';

CREATE AGGREGATE ldp_mean(report ldp_report) (
    SFUNC = ldp_summary_accumulate, STYPE = ldp_summary, SSPACE = 512, FINALFUNC = ldp_mean,
    COMBINEFUNC = ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ldp_mean(ldp_report) IS 'estimated mean of the only numeric attribute';

CREATE AGGREGATE ldp_frequency(report ldp_report) (
    SFUNC = ldp_summary_accumulate, STYPE = ldp_summary, SSPACE = 512, FINALFUNC = ldp_frequency,
    COMBINEFUNC = ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ldp_frequency(ldp_report) IS 'estimated share of every value, in order';

CREATE AGGREGATE ldp_haar(report ldp_report) (
    SFUNC = ldp_summary_accumulate, STYPE = ldp_summary, SSPACE = 512, FINALFUNC = ldp_haar,
    COMBINEFUNC = ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ldp_haar(ldp_report) IS 'estimated mean vector, rebuilt from its Haar coefficients';

-- Specs -----------------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_spec_canonical(spec jsonb) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_spec_canonical(jsonb) IS 'the spec with every default filled in, or an error that says what is wrong';

CREATE FUNCTION ldp_spec_parameters(spec jsonb) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_spec_parameters(jsonb) IS 'the parameter block that every report under the spec begins with';

CREATE FUNCTION ldp_check_report(report ldp_report, parameters bytea) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_check_report(ldp_report, bytea) IS
    'true if the report was made with these parameters, otherwise an error; stands in each collection''s CHECK';

-- Roles -----------------------------------------------------------------------------------------------------
-- They belong to the cluster: they may be there already, another database may be creating them right now, and
-- DROP EXTENSION leaves them.

DO $script$
DECLARE
    role text[];
BEGIN
    FOREACH role SLICE 1 IN ARRAY ARRAY[
        ['ldp_submitter', 'may submit reports to ldp''s collections, and read none'],
        ['ldp_analyst',   'may read the reports of ldp''s collections, and change none'],
        ['ldp_admin',     'may create ldp''s collections, and drop its own']
    ] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role[1]) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role[1]);
                EXECUTE format('COMMENT ON ROLE %I IS %L', role[1], role[2]);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
    END LOOP;
END
$script$;

-- Collections -----------------------------------------------------------------------------------------------

CREATE TABLE ldp_collection (
    name    text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 63),
    reports regclass NOT NULL,
    spec    jsonb NOT NULL,
    created timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE ldp_collection IS 'all collections, with the canonical spec of each; see the view ldp_collections';
COMMENT ON COLUMN ldp_collection.name IS 'what clients and functions call it';
COMMENT ON COLUMN ldp_collection.reports IS 'its table';
COMMENT ON COLUMN ldp_collection.spec IS 'its canonical spec, which never changes: reports were made under it';
COMMENT ON COLUMN ldp_collection.created IS 'when it was created';

CREATE TABLE ldp_batch (
    collection text REFERENCES ldp_collection ON DELETE CASCADE,
    batch      uuid,
    reports    bigint NOT NULL CHECK (reports >= 0),
    digest     bytea,
    PRIMARY KEY (collection, batch)
);
COMMENT ON TABLE ldp_batch IS 'batches that were counted, so that a client which lost the answer can repeat one safely';
COMMENT ON COLUMN ldp_batch.collection IS 'the collection';
COMMENT ON COLUMN ldp_batch.batch IS 'the number that the client gave its batch';
COMMENT ON COLUMN ldp_batch.reports IS 'how many reports it had';
COMMENT ON COLUMN ldp_batch.digest IS 'a hash of its content, to tell a repetition from another batch of the same number';

-- A collection whose table was dropped by hand is not dumped: its regclass would mean nothing elsewhere.
SELECT pg_catalog.pg_extension_config_dump('ldp_collection',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS t WHERE t.oid = reports)');
SELECT pg_catalog.pg_extension_config_dump('ldp_batch',
    'WHERE EXISTS (SELECT FROM @extschema@.ldp_collection AS c JOIN pg_catalog.pg_class AS t ON t.oid = c.reports '
    'WHERE c.name = collection)');

CREATE FUNCTION ldp_refuse_spec_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'object_not_in_prerequisite_state',
        MESSAGE = format('the spec of collection "%s" cannot be changed', OLD.name),
        DETAIL = 'The noise in its reports was drawn under this spec; no other can take it out again.',
        HINT = 'Create a new collection for the new spec.';
END
$$;
COMMENT ON FUNCTION ldp_refuse_spec_change() IS 'keeps specs as they are';

CREATE TRIGGER ldp_spec_is_immutable BEFORE UPDATE ON ldp_collection FOR EACH ROW
    WHEN (NEW.spec IS DISTINCT FROM OLD.spec) EXECUTE FUNCTION ldp_refuse_spec_change();
COMMENT ON TRIGGER ldp_spec_is_immutable ON ldp_collection IS 'a spec never changes; a new spec is a new collection';

CREATE VIEW ldp_collections AS
    SELECT c.name, c.reports, c.spec ->> 'mechanism' AS mechanism, (c.spec ->> 'epsilon')::float8 AS epsilon,
           c.spec, c.created
    FROM ldp_collection AS c JOIN pg_catalog.pg_class AS t ON t.oid = c.reports;
COMMENT ON VIEW ldp_collections IS 'the collections, their tables and specs; open to everyone';
COMMENT ON COLUMN ldp_collections.name IS 'what clients and functions call it';
COMMENT ON COLUMN ldp_collections.reports IS 'its table';
COMMENT ON COLUMN ldp_collections.mechanism IS 'how its reports are randomised';
COMMENT ON COLUMN ldp_collections.epsilon IS 'what one report may cost in privacy';
COMMENT ON COLUMN ldp_collections.spec IS 'its canonical spec';
COMMENT ON COLUMN ldp_collections.created IS 'when it was created';

CREATE FUNCTION ldp_collection_named(name text) RETURNS ldp_collections
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_one @extschema@.ldp_collections;
BEGIN
    SELECT c.* INTO found_one FROM @extschema@.ldp_collections AS c WHERE c.name = ldp_collection_named.name;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = format('there is no collection %s', COALESCE('"' || ldp_collection_named.name || '"', 'NULL')),
            HINT = 'The view ldp_collections shows which collections there are.';
    END IF;
    RETURN found_one;
END
$$;
COMMENT ON FUNCTION ldp_collection_named(text) IS 'the row of ldp_collections with this name, or an error';

CREATE FUNCTION ldp_client_spec(name text) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT (@extschema@.ldp_collection_named($1)).spec $$;
COMMENT ON FUNCTION ldp_client_spec(text) IS 'the canonical spec of a collection: all that a client needs to make reports';

CREATE FUNCTION ldp_create_collection(name text, spec jsonb, side_columns text[] DEFAULT NULL) RETURNS regclass
    LANGUAGE plpgsql AS $$
DECLARE
    canonical jsonb := @extschema@.ldp_spec_canonical(spec);
    schema text := pg_catalog.current_schema();
    check_call text;
    side text := '';
    pair text[];
    registered regclass;
BEGIN
    IF name IS NULL OR canonical IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'a collection needs a name and a spec';
    END IF;
    IF pg_catalog.octet_length(name) NOT BETWEEN 1 AND 63 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = 'a collection''s name must have 1 to 63 bytes',
            DETAIL = pg_catalog.format('Found %s.', pg_catalog.octet_length(name)),
            HINT = 'Its table gets the same name.';
    END IF;

    SELECT c.reports INTO registered FROM @extschema@.ldp_collection AS c
    WHERE c.name = ldp_create_collection.name;
    IF FOUND THEN
        IF EXISTS (SELECT FROM pg_catalog.pg_class AS t WHERE t.oid = registered::pg_catalog.oid) THEN
            RAISE EXCEPTION USING
                ERRCODE = 'duplicate_object',
                MESSAGE = pg_catalog.format('collection "%s" exists already', name),
                DETAIL = pg_catalog.format('Its table is %s.', registered),
                HINT = 'A new version of a spec is a new collection, under a name of its own.';
        END IF;
        DELETE FROM @extschema@.ldp_collection AS c WHERE c.name = ldp_create_collection.name;
    END IF;

    check_call := pg_catalog.format('CONSTRAINT report_follows_spec CHECK (@extschema@.ldp_check_report(report, %L))',
        '\x' || pg_catalog.encode(@extschema@.ldp_spec_parameters(canonical), 'hex'));
    IF COALESCE(pg_catalog.cardinality(side_columns), 0) = 0 THEN
        EXECUTE pg_catalog.format(
            'CREATE TABLE %I.%I OF @extschema@.ldp_report_row '
            '(report WITH OPTIONS NOT NULL, round WITH OPTIONS NOT NULL DEFAULT 0, %s)', schema, name, check_call);
    ELSE
        IF pg_catalog.array_ndims(side_columns) <> 2 OR pg_catalog.array_length(side_columns, 2) <> 2 THEN
            RAISE EXCEPTION USING
                ERRCODE = 'array_subscript_error',
                MESSAGE = 'side columns must be pairs of a name and a type',
                HINT = 'For example ARRAY[[''country'', ''text''], [''version'', ''integer'']].';
        END IF;
        FOREACH pair SLICE 1 IN ARRAY side_columns LOOP
            IF pair[1] IS NULL OR pair[2] IS NULL OR pg_catalog.strpos(pair[2], '(') > 0 THEN
                RAISE EXCEPTION USING
                    ERRCODE = 'feature_not_supported',
                    MESSAGE = pg_catalog.format('side column %s cannot have the type %s',
                                                COALESCE(pair[1], 'NULL'), COALESCE(pair[2], 'NULL')),
                    DETAIL = 'A side column needs a name and a type without modifiers, such as text or numeric.',
                    HINT = 'Add a constraint to the table afterwards.';
            END IF;
            side := side || pg_catalog.format(', %I %s', pair[1], pair[2]::pg_catalog.regtype);
        END LOOP;
        EXECUTE pg_catalog.format(
            'CREATE TABLE %I.%I (report @extschema@.ldp_report NOT NULL, round pg_catalog.int4 NOT NULL DEFAULT 0%s, %s)',
            schema, name, side, check_call);
    END IF;

    registered := pg_catalog.format('%I.%I', schema, name)::pg_catalog.regclass;
    EXECUTE pg_catalog.format('COMMENT ON TABLE %s IS %L', registered,
        pg_catalog.format('reports of the ldp collection "%s"', name));
    EXECUTE pg_catalog.format('GRANT INSERT ON %s TO ldp_submitter', registered);
    EXECUTE pg_catalog.format('GRANT SELECT ON %s TO ldp_analyst', registered);
    INSERT INTO @extschema@.ldp_collection (name, reports, spec) VALUES (name, registered, canonical);
    RETURN registered;
END
$$;
COMMENT ON FUNCTION ldp_create_collection(text, jsonb, text[]) IS
    'creates a table for reports under a spec in the current schema, and registers it; side columns, pairs of name '
    'and type, hold what needs no protection. ldp_submitter may insert, ldp_analyst may read; both need USAGE on the '
    'schema';

CREATE FUNCTION ldp_drop_collection(name text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    registered regclass;
BEGIN
    SELECT c.reports INTO registered FROM @extschema@.ldp_collection AS c
    WHERE c.name = ldp_drop_collection.name;
    IF NOT FOUND THEN
        PERFORM @extschema@.ldp_collection_named(name);  -- says so
    END IF;
    IF EXISTS (SELECT FROM pg_class AS t WHERE t.oid = registered) THEN
        EXECUTE format('DROP TABLE %s', registered);
    END IF;
    DELETE FROM @extschema@.ldp_collection AS c WHERE c.name = ldp_drop_collection.name;
END
$$;
COMMENT ON FUNCTION ldp_drop_collection(text) IS 'drops a collection''s table with all its reports, and forgets its batches';

-- Submission ------------------------------------------------------------------------------------------------
-- Reports are inserted with the rights of whoever submits. Only the record of batches is written with the rights
-- of the extension's owner, by a function that touches nothing else: one that inserted into a table for its caller
-- would run that table's triggers as the owner, too.

CREATE FUNCTION ldp_claim_batch(name text, batch uuid, reports bigint, digest bytea DEFAULT NULL) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted @extschema@.ldp_batch;
BEGIN
    PERFORM @extschema@.ldp_collection_named(name);
    -- Waits if another transaction is submitting the same batch, until it is known how that ends.
    INSERT INTO @extschema@.ldp_batch AS b (collection, batch, reports, digest)
    VALUES (ldp_claim_batch.name, ldp_claim_batch.batch, ldp_claim_batch.reports, ldp_claim_batch.digest)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
        RETURN true;
    END IF;
    SELECT b.* INTO STRICT counted FROM @extschema@.ldp_batch AS b
    WHERE b.collection = ldp_claim_batch.name AND b.batch = ldp_claim_batch.batch;
    IF counted.reports <> ldp_claim_batch.reports OR counted.digest <> ldp_claim_batch.digest THEN
        RAISE EXCEPTION USING
            ERRCODE = 'unique_violation',
            MESSAGE = format('batch %s of collection "%s" was counted before with other reports',
                             ldp_claim_batch.batch, ldp_claim_batch.name),
            DETAIL = format('It had %s reports; now there are %s%s.', counted.reports, ldp_claim_batch.reports,
                            CASE WHEN counted.reports = ldp_claim_batch.reports THEN ', but not the same' ELSE '' END),
            HINT = 'Give every batch a number of its own, and repeat a batch unchanged.';
    END IF;
    RETURN false;
END
$$;
COMMENT ON FUNCTION ldp_claim_batch(text, uuid, bigint, bytea) IS
    'true if the batch is new: insert its reports in the same transaction; false if it was counted before';

CREATE FUNCTION ldp_submit(name text, report ldp_report, round integer DEFAULT 0) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE pg_catalog.format('INSERT INTO %s (report, round) VALUES ($1, $2)',
                              (@extschema@.ldp_collection_named(name)).reports) USING report, round;
END
$$;
COMMENT ON FUNCTION ldp_submit(text, ldp_report, integer) IS 'adds a report to a collection';

CREATE FUNCTION ldp_submit_batch(name text, batch uuid, reports ldp_report[], round integer DEFAULT 0) RETURNS bigint
    LANGUAGE plpgsql AS $$
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
    EXECUTE pg_catalog.format('INSERT INTO %s (report, round) SELECT r, $2 FROM pg_catalog.unnest($1) AS r',
                              (@extschema@.ldp_collection_named(name)).reports) USING reports, round;
    RETURN pg_catalog.cardinality(reports);
END
$$;
COMMENT ON FUNCTION ldp_submit_batch(text, uuid, ldp_report[], integer) IS
    'adds reports to a collection, all or none, and once however often it is repeated; returns how many were added';

-- Estimates -------------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_estimate(name text, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS TABLE (attribute text, value text, estimate float8, stderr float8, lower float8, upper float8, n bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    collection @extschema@.ldp_collections := @extschema@.ldp_collection_named(ldp_estimate.name);
    attributes jsonb := collection.spec -> 'attributes';
    summary @extschema@.ldp_summary;
BEGIN
    EXECUTE format('SELECT @extschema@.ldp_agg(report) FROM %s', collection.reports) INTO summary;
    IF attributes -> 0 ? 'domain' THEN
        RETURN QUERY
        SELECT attributes #>> '{0,name}', COALESCE(attributes #>> ARRAY['0', 'domain', f.value::text], f.value::text),
               f.estimate, f.stderr, f.lower, f.upper, @extschema@.ldp_count(summary)
        FROM @extschema@.ldp_frequencies(summary, ldp_estimate.confidence, ldp_estimate.target) AS f
        ORDER BY f.value;
    ELSE
        RETURN QUERY
        SELECT attributes #>> ARRAY[m.attribute::text, 'name'], NULL::text,
               m.estimate, m.stderr, m.lower, m.upper, @extschema@.ldp_count(summary)
        FROM @extschema@.ldp_means(summary, ldp_estimate.confidence, ldp_estimate.target) AS m
        ORDER BY m.attribute;
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_estimate(text, float8, text) IS
    'what a collection''s reports tell: a row per value or attribute, with standard error and interval; no rows without reports';

-- Privileges ------------------------------------------------------------------------------------------------
-- What is not mentioned here is a pure function, or reads what is public anyway, and stays open to everyone.

GRANT SELECT ON ldp_collections TO PUBLIC;
GRANT SELECT, INSERT, DELETE ON ldp_collection TO ldp_admin;

REVOKE ALL ON FUNCTION
    ldp_create_collection(text, jsonb, text[]),
    ldp_drop_collection(text),
    ldp_claim_batch(text, uuid, bigint, bytea),
    ldp_submit(text, ldp_report, integer),
    ldp_submit_batch(text, uuid, ldp_report[], integer)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ldp_create_collection(text, jsonb, text[]), ldp_drop_collection(text) TO ldp_admin;
GRANT EXECUTE ON FUNCTION
    ldp_claim_batch(text, uuid, bigint, bytea),
    ldp_submit(text, ldp_report, integer),
    ldp_submit_batch(text, uuid, ldp_report[], integer)
    TO ldp_submitter;
