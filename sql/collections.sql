-- Length: the life of a collection is one topic: its roles, table, checks, adoption and end.

-- Roles -----------------------------------------------------------------------------------------------------
-- Roles belong to the cluster. They may exist already, another database may create them at the same time, and DROP
-- EXTENSION keeps them.

DO $script$
DECLARE
    role text[];
BEGIN
    FOREACH role SLICE 1 IN ARRAY ARRAY[
        ['ldp_submitter', 'may submit reports to ldp''s collections, and read none'],
        ['ldp_analyst',   'may read the reports of ldp''s collections, and change none'],
        ['ldp_admin',     'may create ldp''s collections, and drop its own']
    ] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role[1]) THEN
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

-- Derived quantities are excluded from the fingerprint, because a later version may derive more of them.
CREATE TABLE ldp_internal.ldp_collection (
    name        text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 63),
    reports     regclass NOT NULL UNIQUE,
    spec        jsonb NOT NULL,
    texts       jsonb NOT NULL DEFAULT '{}',
    created     timestamptz NOT NULL DEFAULT now(),
    analysts    text NOT NULL DEFAULT 'rows' CHECK (analysts IN ('rows', 'aggregates')),
    home        text,
    stamp       bigint,
    tokens      boolean NOT NULL DEFAULT false,
    fingerprint text NOT NULL GENERATED ALWAYS AS (ldp_internal.ldp_spec_fingerprint(spec - 'derived')) STORED,
    parameters  bytea NOT NULL GENERATED ALWAYS AS (ldp_internal.ldp_spec_parameters(spec - 'derived')) STORED
);
COMMENT ON TABLE ldp_internal.ldp_collection IS
    'all collections with their canonical specs; see the view ldp_collections';
COMMENT ON COLUMN ldp_internal.ldp_collection.name IS 'name of the collection, as clients and functions use it';
COMMENT ON COLUMN ldp_internal.ldp_collection.reports IS 'table of the collection';
COMMENT ON COLUMN ldp_internal.ldp_collection.spec IS
    'canonical spec of the collection; immutable, because the reports were randomized under it';
COMMENT ON COLUMN ldp_internal.ldp_collection.texts IS
    'titles, questions and other texts for people, which the owner may change; see ldp_describe';
COMMENT ON COLUMN ldp_internal.ldp_collection.created IS 'time of creation';
COMMENT ON COLUMN ldp_internal.ldp_collection.analysts IS
    'access of members of ldp_analyst: ''rows'', or ''aggregates'' for access through functions of ldp only, where the '
    'difference of two results can be a single report';
COMMENT ON COLUMN ldp_internal.ldp_collection.home IS
    'database in which arriving reports are stamped for rollups; NULL if they are not stamped';
COMMENT ON COLUMN ldp_internal.ldp_collection.stamp IS
    'lower bound of the stamps of reports that arrive in that database; NULL if the stamps are epochs';
COMMENT ON COLUMN ldp_internal.ldp_collection.tokens IS 'whether each report needs a token; see ldp_create_tokens';
COMMENT ON COLUMN ldp_internal.ldp_collection.fingerprint IS
    'fingerprint of the spec, 64 hexadecimal digits; reports and summaries have the first 16';
COMMENT ON COLUMN ldp_internal.ldp_collection.parameters IS 'parameter block at the beginning of every report';
CREATE INDEX ldp_collection_fingerprint ON ldp_internal.ldp_collection (left(fingerprint, 16));
COMMENT ON INDEX ldp_internal.ldp_collection_fingerprint IS 'finds the collection of a summary';

-- The submitter is the name of a role, as in a dump: a copy of the database need not have the role. The submitter is part
-- of the key, so no role can use up an identifier of another role's batch. The type name would take 64 bytes of every row.
-- The table has no foreign key to the collection, because pg_restore -j may fill it first. The functions that remove a
-- collection, or reuse its name, also delete its batches.
CREATE TABLE ldp_internal.ldp_batch (
    collection text,
    submitter  text COLLATE "C",
    batch      uuid,
    reports    bigint NOT NULL CHECK (reports >= 0),
    digest     bytea NOT NULL CHECK (octet_length(digest) = 32),
    claimed    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (collection, submitter, batch)
);
COMMENT ON TABLE ldp_internal.ldp_batch IS
    'batches that were counted, so that a client without a response can safely repeat a batch';
COMMENT ON COLUMN ldp_internal.ldp_batch.collection IS 'name of the collection';
COMMENT ON COLUMN ldp_internal.ldp_batch.submitter IS 'role that submitted the batch';
COMMENT ON COLUMN ldp_internal.ldp_batch.batch IS 'identifier that the client chose for the batch';
COMMENT ON COLUMN ldp_internal.ldp_batch.reports IS 'number of reports in the batch';
COMMENT ON COLUMN ldp_internal.ldp_batch.digest IS
    'SHA-256 digest of the content, which distinguishes a repetition from another batch with the same identifier';
COMMENT ON COLUMN ldp_internal.ldp_batch.claimed IS 'time at which the batch was counted';

-- If the table of a collection was dropped, the collection is not dumped, because its regclass is invalid elsewhere. The
-- condition names no table of ldp, because its schema may be renamed. A collection that is created deletes the batches that
-- another one of its name left.
SELECT pg_extension_config_dump('ldp_internal.ldp_collection',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS t WHERE t.oid = reports)');
SELECT pg_extension_config_dump('ldp_internal.ldp_batch', '');

CREATE FUNCTION ldp_internal.ldp_refuse_spec_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'object_not_in_prerequisite_state',
        MESSAGE = format('the spec of collection "%s" cannot be changed', OLD.name),
        DETAIL = 'The reports were randomized under this spec, and only this spec gives unbiased estimates.',
        HINT = 'Create a new collection for the new spec.';
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_refuse_spec_change() IS 'Rejects every change of a spec. Trigger function.';

CREATE TRIGGER ldp_spec_is_immutable BEFORE UPDATE ON ldp_internal.ldp_collection FOR EACH ROW
    WHEN (NEW.spec IS DISTINCT FROM OLD.spec) EXECUTE FUNCTION ldp_internal.ldp_refuse_spec_change();
COMMENT ON TRIGGER ldp_spec_is_immutable ON ldp_internal.ldp_collection IS
    'rejects changes of a spec; a new spec needs a new collection';

-- The first columns of a report table; public columns follow.
CREATE TYPE @extschema@.ldp_report_row AS (report @extschema@.ldp_report, round integer);
COMMENT ON TYPE @extschema@.ldp_report_row IS
    'row type of report tables: CREATE TABLE name OF ldp_report_row creates a table that ldp_adopt_collection '
    'accepts. A typed table accepts no further columns; ALTER TABLE name NOT OF makes it an ordinary table';
COMMENT ON COLUMN @extschema@.ldp_report_row.report IS 'one randomized report';
COMMENT ON COLUMN @extschema@.ldp_report_row.round IS 'round of the report; 0 for a collection without rounds';

-- The columns of a table determine whether its rows are reports or batches. The catalog stores no copy that could disagree.
CREATE FUNCTION ldp_internal.ldp_report_column(reports regclass) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Called for every claimed batch. A body in SQL would be planned in each call.
    RETURN CASE WHEN EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = $1 AND a.attname = 'batch' AND a.attnum > 0
                                 AND NOT a.attisdropped AND a.attgenerated = '' AND a.atttypid = '@extschema@.ldp_report_batch'::regtype)
                     AND NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = $1 AND a.attname = 'report' AND a.attnum > 0
                                     AND NOT a.attisdropped AND a.attgenerated = '' AND a.atttypid = '@extschema@.ldp_report'::regtype)
                THEN 'batch' ELSE 'report' END;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_report_column(regclass) IS
    'Returns the name of the column that stores a collection''s reports: "report", or "batch" if a row stores a '
    'batch.';

CREATE VIEW @extschema@.ldp_collections AS
    SELECT c.name, c.reports, c.spec ->> 'mechanism' AS mechanism, (c.spec ->> 'epsilon')::float8 AS epsilon,
           coalesce((c.spec ->> 'delta')::float8, 0) AS delta, c.spec, c.created, c.fingerprint,
           CASE ldp_internal.ldp_report_column(c.reports) WHEN 'batch' THEN 'batches' ELSE 'reports' END AS rows, c.texts
    FROM ldp_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports;
COMMENT ON VIEW @extschema@.ldp_collections IS 'collections with their tables and specs; readable by everyone';
COMMENT ON COLUMN @extschema@.ldp_collections.name IS 'name of the collection, as clients and functions use it';
COMMENT ON COLUMN @extschema@.ldp_collections.reports IS 'table of the collection';
COMMENT ON COLUMN @extschema@.ldp_collections.mechanism IS 'mechanism that randomizes the reports';
COMMENT ON COLUMN @extschema@.ldp_collections.epsilon IS
    'key epsilon of the spec: the privacy cost of one response; ldp_privacy(spec) returns the costs of a report and of '
    'a person';
COMMENT ON COLUMN @extschema@.ldp_collections.delta IS
    'probability with which the epsilon guarantee may fail; 0 if it always holds';
COMMENT ON COLUMN @extschema@.ldp_collections.spec IS 'canonical spec of the collection';
COMMENT ON COLUMN @extschema@.ldp_collections.created IS 'time of creation';
COMMENT ON COLUMN @extschema@.ldp_collections.fingerprint IS
    'fingerprint of the spec, 64 hexadecimal digits; reports and summaries have the first 16';
COMMENT ON COLUMN @extschema@.ldp_collections.rows IS
    'content of a row of the table: ''reports'' (one per row) or ''batches''';
COMMENT ON COLUMN @extschema@.ldp_collections.texts IS
    'titles, questions and other texts for people, by the names of attributes; see ldp_describe';

CREATE FUNCTION ldp_internal.ldp_collection_named(name text) RETURNS @extschema@.ldp_collections
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_one @extschema@.ldp_collections;
BEGIN
    SELECT c.* INTO found_one FROM @extschema@.ldp_collections AS c WHERE c.name = ldp_collection_named.name;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = format('collection %s does not exist', COALESCE('"' || ldp_collection_named.name || '"', 'NULL')),
            HINT = 'The view ldp_collections lists all collections.';
    END IF;
    RETURN found_one;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_collection_named(text) IS
    'Returns the row of ldp_collections with this name. Error 42704 if the collection does not exist.';

CREATE FUNCTION @extschema@.ldp_client_spec(name text) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT ldp_internal.ldp_spec_with_texts(c.spec, c.texts) FROM ldp_internal.ldp_collection_named($1) AS c $$;
COMMENT ON FUNCTION @extschema@.ldp_client_spec(text) IS
    'Returns the canonical spec of a collection, which contains everything that a client needs to show a form and to '
    'create reports. Error 42704 if the collection does not exist.';

CREATE FUNCTION @extschema@.ldp_contract_digest(name text, in_clear text[] DEFAULT '{}') RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    spec jsonb := @extschema@.ldp_client_spec(name);
    filled text[] := COALESCE(in_clear, '{}');
    no_column text;
BEGIN
    SELECT u.called INTO no_column FROM unnest(filled) AS u (called)
    WHERE NOT EXISTS (SELECT FROM @extschema@.ldp_public_columns(name) AS p WHERE p."column" = u.called);
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_column',
            MESSAGE = format('collection "%s" has no public column "%s"', name, no_column),
            HINT = 'ldp_public_columns lists the public columns.';
    END IF;
    RETURN ldp_internal.ldp_digest_of_contract(spec, to_jsonb(filled));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_contract_digest(text, text[]) IS
    'Returns the digest of the contract that a collection offers: 64 hexadecimal digits, of which people compare the '
    'first 16. It covers the spec, all texts, and the public columns that clients fill, which in_clear lists. Publish '
    'the digest through a channel other than this server, for example in a letter. A client that is given the digest '
    'refuses every other contract. Error 42704 if the collection does not exist, 42703 if a name is not a public '
    'column.';

-- Privilege checks

CREATE FUNCTION ldp_internal.ldp_check_admin(caller name DEFAULT CURRENT_USER) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM ldp_internal.ldp_check_coordinator();
    IF NOT pg_has_role(caller, 'ldp_admin', 'USAGE') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied: role "%s" may not create collections', caller),
            HINT = 'Members of the role ldp_admin may create collections and searches.';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_check_admin(name) IS 'Raises error 42501 unless the role may create collections.';

CREATE FUNCTION ldp_internal.ldp_check_owner(reports regclass, caller name DEFAULT CURRENT_USER) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid := (SELECT t.relowner FROM pg_class AS t WHERE t.oid = reports);
BEGIN
    PERFORM ldp_internal.ldp_check_coordinator();
    IF owner IS NULL THEN  -- the table was dropped by a role with the right to do so
        PERFORM ldp_internal.ldp_check_admin(caller);
    ELSIF NOT pg_has_role(caller, owner, 'USAGE') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied: role "%s" does not own the table %s', caller, reports),
            DETAIL = format('The owner is %s.', pg_get_userbyid(owner)),
            HINT = 'Only the owner of the table can change a collection and its rollups.';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_check_owner(regclass, name) IS
    'Raises error 42501 unless the role owns a collection''s table or is a member of the owning role.';

CREATE FUNCTION ldp_internal.ldp_check_free(name text) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    taken regclass;
BEGIN
    SELECT c.reports INTO taken FROM @extschema@.ldp_collections AS c WHERE c.name = ldp_check_free.name;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_object',
            MESSAGE = format('collection "%s" already exists', name),
            DETAIL = format('Its table is %s.', taken),
            HINT = 'For a new version of a spec, create a collection with another name.';
    END IF;
    IF EXISTS (SELECT FROM @extschema@.ldp_rollups AS r WHERE r.name = ldp_check_free.name) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_object',
            MESSAGE = format('rollup "%s" already exists', name),
            DETAIL = 'A collection and a rollup cannot have the same name.',
            HINT = 'Choose another name, or drop the rollup with all its summaries with ldp_drop_rollup.';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_check_free(text) IS
    'Raises error 42710 if a collection or a rollup with this name exists.';

-- The owner of a table can alter it, drop its CHECK constraint, or replace it. Therefore every use checks the table.
CREATE FUNCTION ldp_internal.ldp_table_problem(reports regclass, parameters bytea) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_table_problem(regclass, bytea) IS
    'Returns the reason why a table cannot store reports of a spec with this parameter block. Returns NULL if it '
    'can, and an empty string if the table does not exist. If parameters is NULL, the constraint on the parameter '
    'block is not checked.';

CREATE FUNCTION ldp_internal.ldp_table(name text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    table_name text;
    problem text;
BEGIN
    SELECT format('%I.%I', s.nspname, t.relname), ldp_internal.ldp_table_problem(c.reports, c.parameters) INTO table_name, problem
    FROM ldp_internal.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports JOIN pg_namespace AS s ON s.oid = t.relnamespace
    WHERE c.name = ldp_table.name;
    IF NOT FOUND THEN
        PERFORM ldp_internal.ldp_collection_named(name);  -- raises the error
    END IF;
    IF problem = '' THEN  -- dropped since the statement began
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = format('collection "%s" has just been dropped', name),
            HINT = 'The view ldp_collections lists all collections.';
    END IF;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('the table of collection "%s" was altered since its registration', name),
            DETAIL = format('Table %s is not usable. %s', table_name, problem),
            HINT = 'Revert the change; or remove the collection with ldp_unregister_collection and register the table again '
                   'with ldp_adopt_collection.';
    END IF;
    RETURN table_name;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_table(text) IS
    'Returns the quoted and schema-qualified name of a collection''s table. Error 55000 if the table was altered '
    'since its registration, 42704 if the collection does not exist.';

CREATE FUNCTION ldp_internal.ldp_register_collection_as(caller name, name text, reports regclass, spec jsonb, analysts text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    canonical jsonb := ldp_internal.ldp_spec_canonical(spec);
    problem text;
    other text;
BEGIN
    IF name IS NULL OR canonical IS NULL OR reports IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'name, spec and table of a collection must not be NULL';
    END IF;
    IF analysts NOT IN ('rows', 'aggregates') IS NOT FALSE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('invalid value for parameter "analysts": %s', COALESCE('"' || analysts || '"', 'NULL')),
            HINT = 'Valid values are "rows" and "aggregates".';
    END IF;
    PERFORM ldp_internal.ldp_check_admin(caller);
    PERFORM ldp_internal.ldp_check_owner(reports, caller);
    PERFORM ldp_internal.ldp_check_free(name);
    SELECT c.name INTO other FROM ldp_internal.ldp_collection AS c WHERE c.reports = ldp_register_collection_as.reports;
    problem := CASE WHEN FOUND THEN format('It is the table of collection "%s".', other)
               ELSE ldp_internal.ldp_table_problem(reports, ldp_internal.ldp_spec_parameters(canonical)) END;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'wrong_object_type',
            MESSAGE = format('%s cannot be the table of collection "%s"', reports, name),
            DETAIL = problem,
            HINT = 'Create a table with ldp_create_collection; or give ldp_adopt_collection a table with the columns report and '
                   'round (CREATE TABLE name OF ldp_report_row), or batch and round.';
    END IF;
    SELECT a.attname INTO other FROM pg_attribute AS a
    WHERE a.attrelid = reports AND a.attnum > 0 AND NOT a.attisdropped AND a.attname = ANY (ldp_internal.ldp_attribute_names(canonical))
          AND a.attname NOT IN ('report', 'batch', 'round', 'ldp_arrival');
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_column',
            MESSAGE = format('public column "%s" of collection "%s" has the name of an attribute', other, name),
            DETAIL = 'Values of public columns are sent in clear; values of attributes are randomized.',
            HINT = 'Give the column another name.';
    END IF;
    -- Remove the catalog rows of a collection of this name whose table was dropped.
    DELETE FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_register_collection_as.name;
    DELETE FROM ldp_internal.ldp_batch AS b WHERE b.collection = ldp_register_collection_as.name;
    DELETE FROM ldp_internal.ldp_token AS t WHERE t.collection = ldp_register_collection_as.name;
    DELETE FROM ldp_internal.ldp_rollup_part AS p USING ldp_internal.ldp_rollup AS r WHERE r.name = p.rollup AND r.collection = ldp_register_collection_as.name;
    DELETE FROM ldp_internal.ldp_rollup AS r WHERE r.collection = ldp_register_collection_as.name;
    INSERT INTO ldp_internal.ldp_collection (name, reports, spec, texts, analysts)
    VALUES (name, reports, ldp_internal.ldp_spec_without_texts(canonical), ldp_internal.ldp_spec_texts(canonical), analysts);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_register_collection_as(name, text, regclass, jsonb, text) IS
    'Implements ldp_register_collection for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION ldp_internal.ldp_register_collection(name text, reports regclass, spec jsonb, analysts text) RETURNS void
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_register_collection(text, regclass, jsonb, text) IS
    'Registers a prepared table that the caller owns. To prepare a table, use ldp_adopt_collection. Error 42809 if '
    'the table cannot belong to a collection.';

CREATE FUNCTION ldp_internal.ldp_unregister_collection_as(caller name, name text) RETURNS regclass
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    registered regclass;
BEGIN
    -- Lock the row before the table. Submissions lock them in the same order.
    SELECT c.reports INTO registered FROM ldp_internal.ldp_collection AS c
    WHERE c.name = ldp_unregister_collection_as.name FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM ldp_internal.ldp_collection_named(name);  -- raises the error
    END IF;
    PERFORM ldp_internal.ldp_check_owner(registered, caller);
    DELETE FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_unregister_collection_as.name;
    DELETE FROM ldp_internal.ldp_batch AS b WHERE b.collection = ldp_unregister_collection_as.name;
    DELETE FROM ldp_internal.ldp_token AS t WHERE t.collection = ldp_unregister_collection_as.name;
    DELETE FROM ldp_internal.ldp_rollup_part AS p USING ldp_internal.ldp_rollup AS r WHERE r.name = p.rollup AND r.collection = ldp_unregister_collection_as.name;
    DELETE FROM ldp_internal.ldp_rollup AS r WHERE r.collection = ldp_unregister_collection_as.name;
    RETURN registered;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_unregister_collection_as(name, text) IS
    'Implements ldp_unregister_collection for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_unregister_collection(name text) RETURNS regclass
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_unregister_collection(text) IS
    'Removes a collection, its tokens and its records of batches from the catalog, keeps the table, and returns it.';

CREATE FUNCTION ldp_internal.ldp_has_reports(collection ldp_internal.ldp_collection) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    source regclass;
    found_one boolean := EXISTS (SELECT FROM ldp_internal.ldp_batch AS b WHERE b.collection = ldp_has_reports.collection.name);
BEGIN
    FOR source IN SELECT t.oid FROM pg_class AS t WHERE t.oid = collection.reports
                      OR t.oid IN (SELECT r.summaries FROM ldp_internal.ldp_rollup AS r WHERE r.collection = ldp_has_reports.collection.name) LOOP
        EXIT WHEN found_one;
        found_one := ldp_internal.ldp_run_as(ldp_internal.ldp_owner(source), false, format('SELECT EXISTS (SELECT FROM %s)', source), NULL::boolean);
    END LOOP;
    RETURN found_one;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_has_reports(ldp_internal.ldp_collection) IS
    'Returns true if the table of a collection or a rollup of it has rows, or if a batch was counted.';

-- Clients that memoize responses compare the texts with those that people saw. This check keeps an honest owner from a change
-- that stops them; a dishonest owner can register the table again.
CREATE FUNCTION ldp_internal.ldp_describe_as(caller name, name text, texts jsonb, force boolean) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    described ldp_internal.ldp_collection;
    changed jsonb;
    reworded text[];
BEGIN
    -- Submissions lock the row FOR KEY SHARE, so they do not wait.
    SELECT c.* INTO described FROM ldp_internal.ldp_collection AS c WHERE c.name = ldp_describe_as.name FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM ldp_internal.ldp_collection_named(name);  -- raises the error
    END IF;
    PERFORM ldp_internal.ldp_check_owner(described.reports, caller);
    IF texts IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'the texts of a collection must not be NULL';
    END IF;
    changed := ldp_internal.ldp_changed_texts(ldp_internal.ldp_spec_with_texts(described.spec, described.texts), texts);
    reworded := ARRAY(SELECT COALESCE(o.key, n.key) FROM jsonb_each(COALESCE(described.texts -> 'attributes', '{}')) AS o
                      FULL JOIN jsonb_each(COALESCE(changed -> 'attributes', '{}')) AS n ON n.key = o.key
                      WHERE o.value IS DISTINCT FROM n.value ORDER BY 1);
    IF force IS NOT TRUE AND reworded <> '{}' AND ldp_internal.ldp_has_reports(described) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('the texts of "%s" cannot be changed while collection "%s" has reports', array_to_string(reworded, '", "'), name),
            DETAIL = 'These texts give an answer its meaning. Clients that memoize responses stop until people accept the new texts.',
            HINT = 'Create a new collection for another question. For the same question in other words, use force => true.';
    END IF;
    IF changed IS DISTINCT FROM described.texts THEN
        UPDATE ldp_internal.ldp_collection AS c SET texts = changed WHERE c.name = ldp_describe_as.name;
        RAISE NOTICE USING
            MESSAGE = format('the contract of collection "%s" has the digest %s', name,
                             @extschema@.ldp_contract_digest(name, '{}'::text[])),
            HINT = 'Publish the digest through a channel other than this server. If clients fill public columns, publish ldp_contract_digest(name, in_clear).';
    END IF;
    RETURN changed;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_describe_as(name, text, jsonb, boolean) IS
    'Implements ldp_describe for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_describe(name text, texts jsonb, force boolean DEFAULT false) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_describe(text, jsonb, boolean) IS
    'Changes the titles, questions and other texts of a collection, and returns all texts. A NOTICE states the digest '
    'of the contract; see ldp_contract_digest. The argument texts is a merge patch (RFC 7396) with the keys title, '
    'description, people_asked and attributes. The key attributes maps names of attributes to objects with the keys '
    'title, question, unit, description, scale and display. A text that is null is removed; other texts remain. '
    'Reports and fingerprint do not depend on the texts. Once the collection has reports, texts of attributes can be '
    'changed only with force, because they give an answer its meaning. Clients that memoize responses then stop until '
    'people accept the new texts. Error 22023 if a text is invalid, 55000 without force for texts of attributes of a '
    'collection with reports, 42704 if the collection does not exist, 42501 unless the caller owns it.';

CREATE FUNCTION @extschema@.ldp_adopt_collection(name text, reports regclass, spec jsonb, analysts text DEFAULT 'rows') RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    canonical jsonb := ldp_internal.ldp_spec_canonical(spec);
    series integer := COALESCE((canonical ->> 'rounds')::integer, (canonical -> 'derived' ->> 'series_rounds')::numeric::integer, 0);
    held text := ldp_internal.ldp_report_column(reports);
    block bytea := ldp_internal.ldp_spec_parameters(canonical);
    bounded boolean;
    required text;
BEGIN
    IF name IS NULL OR canonical IS NULL OR reports IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'name, spec and table of a collection must not be NULL';
    END IF;
    PERFORM ldp_internal.ldp_check_admin();
    PERFORM ldp_internal.ldp_check_owner(reports);
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', reports);
    IF ldp_internal.ldp_table_problem(reports, NULL) IS NULL THEN  -- otherwise rejected below
        IF NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'report_follows_spec') THEN
            -- A table of the type ldp_report_row cannot declare a default.
            IF NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = reports AND a.attname = 'round' AND (a.atthasdef OR a.attidentity <> '')) THEN
                EXECUTE format('ALTER TABLE %s ALTER COLUMN round SET DEFAULT 0', reports);
            END IF;
            -- One change per statement, because Citus does not support more.
            EXECUTE format('ALTER TABLE %s ALTER COLUMN %s SET NOT NULL', reports, held);
            EXECUTE format('ALTER TABLE %s ALTER COLUMN round SET NOT NULL', reports);
            -- A long block is replaced by its header and its digest: PostgreSQL parses the constraint in each statement.
            EXECUTE format('ALTER TABLE %s ADD CONSTRAINT report_follows_spec CHECK (ldp_internal.ldp_check_report(%s, %L))',
                           reports, held, CASE WHEN length(block) > 56 THEN substr(block, 1, 24) || sha256(block) ELSE block END);
        END IF;
        EXECUTE format('COMMENT ON TABLE %s IS %L', reports, format('reports of the ldp collection "%s"', name));
        EXECUTE format('GRANT INSERT ON %s TO ldp_submitter', reports);
        IF analysts = 'rows' THEN
            EXECUTE format('GRANT SELECT (%s, round) ON %s TO ldp_analyst', held, reports);
        END IF;
    END IF;
    bounded := EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'round_is_open');
    PERFORM ldp_internal.ldp_register_collection(name, reports, canonical, analysts);
    IF NOT bounded THEN
        PERFORM @extschema@.ldp_open_rounds(name, 0::integer, series);
    END IF;
    FOR required IN SELECT p."column" FROM @extschema@.ldp_public_columns(name) AS p WHERE p.required LOOP
        RAISE WARNING USING
            MESSAGE = format('every report needs a value of public column "%s"', required),
            DETAIL = 'People who do not want to send this value in clear cannot take part.',
            HINT = 'Give the column a default, or allow NULL.';
    END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_adopt_collection(text, regclass, jsonb, text) IS
    'Creates a collection from an existing table of reports, such as a table of the type ldp_report_row. It checks all '
    'reports and sets the default 0 for the column round if the column has no default. It grants the privileges that '
    'ldp_create_collection grants, except on public columns, and registers the table. Warns of public columns that '
    'every report must fill. Error 42809 if the table cannot belong to a collection, 42701 if a column has the name of '
    'an attribute, 42501 unless the caller owns it.';

CREATE FUNCTION ldp_internal.ldp_partition_name(name text, part text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whole text := format('%s_%s', name, part);
BEGIN
    IF octet_length(whole) > 63 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = format('partition name "%s" is too long', whole),
            DETAIL = format('The name has %s bytes; the limit is 63.', octet_length(whole)),
            HINT = 'Choose a shorter name for the collection.';
    END IF;
    RETURN quote_ident(whole);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_partition_name(text, text) IS
    'Returns the quoted name of a partition of a collection''s table.';

-- Devices compare labels byte by byte, so people's answers would be divided between two forms of a label. Other encodings
-- than UTF-8 have one form of each letter.
CREATE FUNCTION ldp_internal.ldp_check_labels(spec jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    two record;
BEGIN
    IF getdatabaseencoding() <> 'UTF8' THEN
        RETURN;
    END IF;
    SELECT a.attribute ->> 'name' AS attribute, min(l.label COLLATE "C") AS one, max(l.label COLLATE "C") AS other INTO two
    FROM jsonb_array_elements(spec -> 'attributes') AS a (attribute),
         jsonb_array_elements_text(CASE jsonb_typeof(a.attribute -> 'domain') WHEN 'array' THEN a.attribute -> 'domain' ELSE '[]' END) AS l (label)
    WHERE octet_length(l.label) > length(l.label)
    GROUP BY a.attribute, normalize(l.label, NFC) HAVING count(*) > 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('two labels of "%s" are the same text in two Unicode forms', two.attribute),
            DETAIL = format('The labels are "%s" and "%s".', two.one, two.other),
            HINT = 'Write all labels and values in the composed form: normalize(label, NFC).';
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_check_labels(jsonb) IS
    'Raises error 22023 if two labels of an attribute are equal after Unicode normalization (NFC).';

-- The default of the argument schema is evaluated with the search path of the caller, unlike the body.
CREATE FUNCTION @extschema@.ldp_create_collection(name text, spec jsonb, public_columns text[] DEFAULT NULL, schema text DEFAULT current_schema(),
        analysts text DEFAULT 'rows', rows text DEFAULT 'reports', partition_by text DEFAULT NULL)
    RETURNS regclass
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    canonical jsonb := ldp_internal.ldp_spec_canonical(spec);
    public_list text := '';
    side_names text := '';
    short text := '';
    pair text[];
    key_type regtype := CASE partition_by WHEN 'round' THEN 'integer'::regtype END;
    created regclass;
BEGIN
    IF name IS NULL OR canonical IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'name and spec of a collection must not be NULL';
    END IF;
    IF rows NOT IN ('reports', 'batches') IS NOT FALSE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('invalid value for parameter "rows": %s', COALESCE('"' || rows || '"', 'NULL')),
            HINT = 'Valid values are "reports" (one per row) and "batches".';
    END IF;
    IF schema IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_schema_name',
            MESSAGE = 'no schema has been selected to create the collection''s table in',
            HINT = 'Set search_path, or specify the argument "schema".';
    END IF;
    IF octet_length(name) NOT BETWEEN 1 AND 63 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = 'a collection''s name must have 1 to 63 bytes',
            DETAIL = format('The name has %s bytes.', octet_length(name)),
            HINT = 'The name is also the name of the table.';
    END IF;
    PERFORM ldp_internal.ldp_check_labels(canonical);
    -- Such a name is valid, but the caller probably meant a schema-qualified name.
    IF EXISTS (SELECT FROM pg_namespace AS s WHERE starts_with(name, s.nspname || '.')) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = format('the name of collection "%s" begins with the name of a schema', name),
            DETAIL = 'The name of the table would contain the dot.',
            HINT = format('Use ldp_create_collection(%L, ..., schema => %L).', split_part(name, '.', 2), split_part(name, '.', 1));
    END IF;
    PERFORM ldp_internal.ldp_check_admin();
    PERFORM ldp_internal.ldp_check_free(name);

    IF cardinality(public_columns) > 0 THEN
        IF array_ndims(public_columns) <> 2 OR array_length(public_columns, 2) <> 2 THEN
            RAISE EXCEPTION USING
                ERRCODE = 'array_subscript_error',
                MESSAGE = 'public columns must be pairs of a name and a type',
                HINT = 'For example ARRAY[[''country'', ''text''], [''version'', ''integer'']].';
        END IF;
        FOREACH pair SLICE 1 IN ARRAY public_columns LOOP
            IF pair[1] IS NULL OR pair[2] IS NULL OR strpos(pair[2], '(') > 0 THEN
                RAISE EXCEPTION USING
                    ERRCODE = 'feature_not_supported',
                    MESSAGE = format('public column %s cannot have the type %s', COALESCE(pair[1], 'NULL'), COALESCE(pair[2], 'NULL')),
                    DETAIL = 'A public column needs a name and a type without modifiers, such as text or numeric.',
                    HINT = 'Add a constraint to the table afterwards.';
            END IF;
            IF to_regtype(pair[2]) IS NULL THEN
                RAISE EXCEPTION USING
                    ERRCODE = 'undefined_object',
                    MESSAGE = format('type "%s" of public column "%s" does not exist', pair[2], pair[1]),
                    DETAIL = 'A name without a schema denotes a type of PostgreSQL itself.',
                    HINT = 'Add the schema to the name of a type of an extension, or of a user-defined type, as in public.citext.';
            END IF;
            -- A report with NULL in the partitioning column would stay in the default partition permanently.
            public_list := public_list || format(', %I %s%s', pair[1], pair[2]::regtype, CASE WHEN pair[1] = partition_by THEN ' NOT NULL' ||
                CASE pair[2]::regtype WHEN 'timestamptz'::regtype THEN ' DEFAULT now()' WHEN 'timestamp'::regtype THEN ' DEFAULT (now() AT TIME ZONE ''UTC'')'
                    WHEN 'date'::regtype THEN ' DEFAULT ((now() AT TIME ZONE ''UTC'')::date)' ELSE '' END END);
            short := short || CASE WHEN pair[2]::regtype IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'bytea'::regtype)
                                   THEN format(' AND octet_length(%I) <= 1024', pair[1])
                                   WHEN (SELECT y.typlen = -1 FROM pg_type AS y WHERE y.oid = pair[2]::regtype)
                                   THEN format(' AND pg_column_size(%I) <= 1028', pair[1]) ELSE '' END;
            side_names := side_names || format(', %I', pair[1]);
            IF pair[1] = partition_by THEN
                key_type := pair[2]::regtype;
            END IF;
        END LOOP;
    END IF;
    IF partition_by IS NOT NULL AND key_type NOT IN ('integer', 'date', 'timestamp', 'timestamptz') IS NOT FALSE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('a collection cannot be partitioned by "%s"', partition_by),
            DETAIL = CASE WHEN key_type IS NULL THEN 'The name is neither "round" nor a public column.' ELSE format('The type of the column is %s.', key_type) END,
            HINT = 'Partition by "round", or by a public column of type integer, date or timestamp.';
    END IF;
    EXECUTE format('CREATE TABLE %I.%I (%s NOT NULL, round integer NOT NULL DEFAULT 0%s%s) %s', schema, name,
                   CASE rows WHEN 'batches' THEN 'batch @extschema@.ldp_report_batch' ELSE 'report @extschema@.ldp_report' END, public_list,
                   CASE WHEN short <> '' THEN ', CONSTRAINT public_columns_are_short CHECK (' || substr(short, 6) || ')' END,
                   CASE WHEN partition_by IS NOT NULL THEN format('PARTITION BY RANGE (%I)', partition_by) END);
    IF partition_by IS NOT NULL THEN
        EXECUTE format('CREATE TABLE %1$I.%2$s PARTITION OF %1$I.%3$I DEFAULT', schema, ldp_internal.ldp_partition_name(name, 'default'), name);
    END IF;
    created := format('%I.%I', schema, name)::regclass;
    PERFORM @extschema@.ldp_adopt_collection(name, created, canonical, analysts);
    IF analysts = 'rows' AND side_names <> '' THEN
        EXECUTE format('GRANT SELECT (%s) ON %s TO ldp_analyst', substr(side_names, 3), created);
    END IF;
    RETURN created;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_create_collection(text, jsonb, text[], text, text, text, text) IS
    'Creates a table for reports under a spec, by default in the current schema, registers it as a collection, and '
    'returns it. The argument public_columns has pairs of name and type for data that needs no protection, at most 1024 '
    'bytes per value. The role ldp_submitter may insert. The role ldp_analyst may read the rows if analysts is "rows", '
    'or query aggregates only if it is "aggregates". This hides rows and small groups in one result; the difference of '
    'two results can be a single report, which its epsilon protects. Both roles need USAGE on the schema. The argument '
    'rows is "reports" for one report per row, or "batches". The argument partition_by is "round" or a public column; '
    'rows without a partition go to a default partition. A public column used for partitioning is NOT NULL; a time '
    'column defaults to the time of arrival. Error 22023 if the spec is invalid, 42701 if a public column has the name '
    'of an attribute, 42710 if the collection exists, 42501 unless the caller is a member of ldp_admin.';

CREATE FUNCTION @extschema@.ldp_drop_collection(name text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rollups regclass[] := ARRAY(SELECT r.summaries FROM @extschema@.ldp_rollups AS r WHERE r.collection = ldp_drop_collection.name);
    -- The rollups of other servers are foreign tables that inherit from a rollup.
    elsewhere regclass[] := ARRAY(SELECT i.inhrelid FROM pg_inherits AS i JOIN pg_class AS t ON t.oid = i.inhrelid WHERE i.inhparent = ANY (rollups) AND t.relkind = 'f');
    registered regclass := @extschema@.ldp_unregister_collection(name);
    dropped regclass;
BEGIN
    FOREACH dropped IN ARRAY elsewhere || rollups || registered LOOP
        IF EXISTS (SELECT FROM pg_class AS t WHERE t.oid = dropped) THEN
            EXECUTE format('DROP %s %s', CASE WHEN dropped = ANY (elsewhere) THEN 'FOREIGN TABLE' ELSE 'TABLE' END, dropped);
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_drop_collection(text) IS
    'Drops a collection: its table with all reports, its rollups and its records of batches. Error 42704 if the '
    'collection does not exist, 42501 unless the caller owns it.';

-- The submitter chooses the round of a report. The owner restricts the rounds, because otherwise a submitter could create
-- any number of them. Existing reports are kept; hence NOT VALID.
CREATE FUNCTION @extschema@.ldp_open_rounds(name text, first integer, last integer DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    table_name text := ldp_internal.ldp_table(name);
    reports regclass := table_name::regclass;
BEGIN
    IF first IS NULL OR COALESCE(last, first) < first THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('invalid range of rounds: %s to %s', COALESCE(first::text, 'NULL'), COALESCE(last::text, first::text, 'NULL')),
            HINT = 'Specify the first and the last round that accept reports from now on.';
    END IF;
    PERFORM ldp_internal.ldp_check_owner(reports);
    -- One change per statement, because Citus does not support more. The lock of the first statement blocks submitters.
    IF EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'round_is_open') THEN
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT round_is_open', table_name);
    END IF;
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT round_is_open CHECK (ldp_internal.ldp_check_round(round, %L, %L)) NOT VALID',
                   table_name, first, COALESCE(last, first));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_open_rounds(text, integer, integer) IS
    'Opens the rounds first to last for new reports and closes all others; reports of a closed round raise error '
    '23514. A new collection accepts round 0, or the rounds of its series. Waits for queries that read the table. '
    'Error 42501 unless the caller owns the table.';

