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

-- What was derived from a spec has no part in its fingerprint: another version may derive more.
CREATE TABLE @extschema@.ldp_collection (
    name        text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 63),
    reports     regclass NOT NULL UNIQUE,
    spec        jsonb NOT NULL,
    created     timestamptz NOT NULL DEFAULT now(),
    analysts    text NOT NULL DEFAULT 'rows' CHECK (analysts IN ('rows', 'aggregates')),
    home        text,
    stamp       bigint,
    fingerprint text NOT NULL GENERATED ALWAYS AS (@extschema@.ldp_spec_fingerprint(spec - 'derived')) STORED,
    parameters  bytea NOT NULL GENERATED ALWAYS AS (@extschema@.ldp_spec_parameters(spec - 'derived')) STORED
);
COMMENT ON TABLE @extschema@.ldp_collection IS 'all collections, with the canonical spec of each; see the view ldp_collections';
COMMENT ON COLUMN @extschema@.ldp_collection.name IS 'what clients and functions call it';
COMMENT ON COLUMN @extschema@.ldp_collection.reports IS 'its table';
COMMENT ON COLUMN @extschema@.ldp_collection.spec IS 'its canonical spec, which never changes: reports were made under it';
COMMENT ON COLUMN @extschema@.ldp_collection.created IS 'when it was created';
COMMENT ON COLUMN @extschema@.ldp_collection.analysts IS
    'what the members of ldp_analyst see: ''rows'', or ''aggregates'', which they ask ldp''s functions for';
COMMENT ON COLUMN @extschema@.ldp_collection.home IS 'in which database its reports are stamped as they arrive, for rollups; NULL if they are not';
COMMENT ON COLUMN @extschema@.ldp_collection.stamp IS 'what stamps of reports that arrive there are above';
COMMENT ON COLUMN @extschema@.ldp_collection.fingerprint IS 'what identifies its spec in reports and summaries';
COMMENT ON COLUMN @extschema@.ldp_collection.parameters IS 'the parameter block that its reports begin with';
CREATE INDEX ldp_collection_fingerprint ON @extschema@.ldp_collection (fingerprint);
COMMENT ON INDEX @extschema@.ldp_collection_fingerprint IS 'finds the collection of a summary';

-- A submitter is a role by name, as dumps have it: a copy elsewhere need not have the role. What one submitter counted
-- says nothing of another's batch of the same number, which nobody can take, or use up, before its owner.
-- No foreign key ties it to its collection: pg_restore -j may fill this table first. What removes a collection removes
-- its batches, and so does what takes its name.
CREATE TABLE @extschema@.ldp_batch (
    collection text,
    submitter  name,
    batch      uuid,
    reports    bigint NOT NULL CHECK (reports >= 0),
    digest     bytea NOT NULL CHECK (octet_length(digest) = 32),
    claimed    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (collection, submitter, batch)
);
COMMENT ON TABLE @extschema@.ldp_batch IS 'batches that were counted, so that a client which lost the answer can repeat one safely';
COMMENT ON COLUMN @extschema@.ldp_batch.collection IS 'the collection';
COMMENT ON COLUMN @extschema@.ldp_batch.submitter IS 'the role that submitted it';
COMMENT ON COLUMN @extschema@.ldp_batch.batch IS 'the number that the client gave its batch';
COMMENT ON COLUMN @extschema@.ldp_batch.reports IS 'how many reports it had';
COMMENT ON COLUMN @extschema@.ldp_batch.digest IS 'a hash of its content, to tell a repetition from another batch of the same number';
COMMENT ON COLUMN @extschema@.ldp_batch.claimed IS 'when it was counted';

-- A collection whose table was dropped by hand is not dumped: its regclass would mean nothing elsewhere.
SELECT pg_extension_config_dump('@extschema@.ldp_collection',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS t WHERE t.oid = reports)');
SELECT pg_extension_config_dump('@extschema@.ldp_batch',
    'WHERE EXISTS (SELECT FROM @extschema@.ldp_collection AS c JOIN pg_catalog.pg_class AS t ON t.oid = c.reports '
    'WHERE c.name = collection)');

CREATE FUNCTION @extschema@.ldp_refuse_spec_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'object_not_in_prerequisite_state',
        MESSAGE = format('the spec of collection "%s" cannot be changed', OLD.name),
        DETAIL = 'The noise in its reports was drawn under this spec; no other can take it out again.',
        HINT = 'Create a new collection for the new spec.';
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_refuse_spec_change() IS 'keeps specs as they are';

CREATE TRIGGER ldp_spec_is_immutable BEFORE UPDATE ON @extschema@.ldp_collection FOR EACH ROW
    WHEN (NEW.spec IS DISTINCT FROM OLD.spec) EXECUTE FUNCTION @extschema@.ldp_refuse_spec_change();
COMMENT ON TRIGGER ldp_spec_is_immutable ON @extschema@.ldp_collection IS 'a spec never changes; a new spec is a new collection';

-- A report table has these columns first, then the collection's side columns.
CREATE TYPE @extschema@.ldp_report_row AS (report @extschema@.ldp_report, round integer);
COMMENT ON TYPE @extschema@.ldp_report_row IS
    'the report table type: CREATE TABLE name OF ldp_report_row creates a table that ldp_adopt_collection accepts. A typed '
    'table takes no further columns; ALTER TABLE name NOT OF makes it an ordinary table first';
COMMENT ON COLUMN @extschema@.ldp_report_row.report IS 'one randomized report';
COMMENT ON COLUMN @extschema@.ldp_report_row.round IS 'the round that the report belongs to; 0 for a collection without rounds';

-- Whether a table's rows are reports or batches is told by its columns alone, so that nothing can contradict them.
CREATE FUNCTION @extschema@.ldp_report_column(reports regclass) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Asked for every batch that is claimed; a body in SQL would be planned anew each time.
    RETURN CASE WHEN EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = $1 AND a.attname = 'batch' AND a.attnum > 0
                                 AND NOT a.attisdropped AND a.attgenerated = '' AND a.atttypid = '@extschema@.ldp_report_batch'::regtype)
                     AND NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = $1 AND a.attname = 'report' AND a.attnum > 0
                                     AND NOT a.attisdropped AND a.attgenerated = '' AND a.atttypid = '@extschema@.ldp_report'::regtype)
                THEN 'batch' ELSE 'report' END;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_report_column(regclass) IS
    'the column that has a collection''s reports: "report", or "batch" where they rest in batches';

CREATE VIEW @extschema@.ldp_collections AS
    SELECT c.name, c.reports, c.spec ->> 'mechanism' AS mechanism, (c.spec ->> 'epsilon')::float8 AS epsilon,
           coalesce((c.spec ->> 'delta')::float8, 0) AS delta, c.spec, c.created, c.fingerprint,
           CASE @extschema@.ldp_report_column(c.reports) WHEN 'batch' THEN 'batches' ELSE 'reports' END AS rows
    FROM @extschema@.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports;
COMMENT ON VIEW @extschema@.ldp_collections IS 'the collections, their tables and specs; open to everyone';
COMMENT ON COLUMN @extschema@.ldp_collections.name IS 'what clients and functions call it';
COMMENT ON COLUMN @extschema@.ldp_collections.reports IS 'its table';
COMMENT ON COLUMN @extschema@.ldp_collections.mechanism IS 'how its reports are randomized';
COMMENT ON COLUMN @extschema@.ldp_collections.epsilon IS 'what one report may cost in privacy';
COMMENT ON COLUMN @extschema@.ldp_collections.delta IS 'the probability but for which epsilon holds; 0: for certain';
COMMENT ON COLUMN @extschema@.ldp_collections.spec IS 'its canonical spec';
COMMENT ON COLUMN @extschema@.ldp_collections.created IS 'when it was created';
COMMENT ON COLUMN @extschema@.ldp_collections.fingerprint IS 'what identifies its spec in reports and summaries';
COMMENT ON COLUMN @extschema@.ldp_collections.rows IS 'what a row of its table holds: ''reports'', one each, or ''batches''';

CREATE FUNCTION @extschema@.ldp_collection_named(name text) RETURNS @extschema@.ldp_collections
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
COMMENT ON FUNCTION @extschema@.ldp_collection_named(text) IS
    'the row of ldp_collections with this name; error 42704 if there is none';

CREATE FUNCTION @extschema@.ldp_client_spec(name text) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT (@extschema@.ldp_collection_named($1)).spec $$;
COMMENT ON FUNCTION @extschema@.ldp_client_spec(text) IS
    'the canonical spec of a collection: all that a client needs to make reports; error 42704 if there is no such '
    'collection';

-- What a role may do is decided by a few functions, whose errors say what to do.

CREATE FUNCTION @extschema@.ldp_check_admin(caller name DEFAULT CURRENT_USER) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT pg_has_role(caller, 'ldp_admin', 'USAGE') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied: role "%s" may not create collections', caller),
            HINT = 'Members of the role ldp_admin may create collections and searches.';
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_check_admin(name) IS 'error 42501 unless the role may create collections';

CREATE FUNCTION @extschema@.ldp_check_owner(reports regclass, caller name DEFAULT CURRENT_USER) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid := (SELECT t.relowner FROM pg_class AS t WHERE t.oid = reports);
BEGIN
    IF owner IS NULL THEN  -- whoever could drop the table has done so
        PERFORM @extschema@.ldp_check_admin(caller);
    ELSIF NOT pg_has_role(caller, owner, 'USAGE') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied: role "%s" does not own the table %s', caller, reports),
            DETAIL = format('It belongs to %s.', pg_get_userbyid(owner)),
            HINT = 'What belongs to a collection is changed by the owner of its table.';
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_check_owner(regclass, name) IS
    'error 42501 unless the role owns a collection''s table, or is a member of the role that does';

CREATE FUNCTION @extschema@.ldp_check_free(name text) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    taken regclass;
BEGIN
    SELECT c.reports INTO taken FROM @extschema@.ldp_collections AS c WHERE c.name = ldp_check_free.name;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_object',
            MESSAGE = format('collection "%s" exists already', name),
            DETAIL = format('Its table is %s.', taken),
            HINT = 'A new version of a spec is a new collection, under a name of its own.';
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_check_free(text) IS 'error 42710 if there is a collection with this name';

-- A table's owner can alter it, drop its CHECK, or put something else in its place. So it is looked at whenever it is
-- used.
CREATE FUNCTION @extschema@.ldp_table_problem(reports regclass, parameters bytea) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_table_problem(regclass, bytea) IS
    'why a table is none for the reports of a spec with this parameter block (not looked at if NULL); NULL if it is one, '
    'and empty if there is no such table';

CREATE FUNCTION @extschema@.ldp_table(name text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    table_name text;
    problem text;
BEGIN
    SELECT format('%I.%I', s.nspname, t.relname), @extschema@.ldp_table_problem(c.reports, c.parameters) INTO table_name, problem
    FROM @extschema@.ldp_collection AS c JOIN pg_class AS t ON t.oid = c.reports JOIN pg_namespace AS s ON s.oid = t.relnamespace
    WHERE c.name = ldp_table.name;
    IF NOT FOUND THEN
        PERFORM @extschema@.ldp_collection_named(name);  -- says so
    END IF;
    IF problem = '' THEN  -- since the statement began
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = format('collection "%s" has just been dropped', name),
            HINT = 'The view ldp_collections shows which collections there are.';
    END IF;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('the table of collection "%s" is not what was registered', name),
            DETAIL = format('%s is used no more. %s', table_name, problem),
            HINT = 'Undo what was done to it; or forget it with ldp_unregister_collection, and register it again with '
                   'ldp_adopt_collection.';
    END IF;
    RETURN table_name;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_table(text) IS
    'a collection''s table, quoted and with its schema; error 55000 if it is not what was registered, 42704 if '
    'there is no such collection';

CREATE FUNCTION @extschema@.ldp_register_collection_as(caller name, name text, reports regclass, spec jsonb, analysts text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    canonical jsonb := @extschema@.ldp_spec_canonical(spec);
    problem text;
    other text;
BEGIN
    IF name IS NULL OR canonical IS NULL OR reports IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'a collection needs a name, a spec and a table';
    END IF;
    IF analysts NOT IN ('rows', 'aggregates') IS NOT FALSE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('analysts cannot see %s', COALESCE('"' || analysts || '"', 'NULL')),
            HINT = 'They see "rows", or "aggregates" only.';
    END IF;
    PERFORM @extschema@.ldp_check_admin(caller);
    PERFORM @extschema@.ldp_check_owner(reports, caller);
    PERFORM @extschema@.ldp_check_free(name);
    SELECT c.name INTO other FROM @extschema@.ldp_collection AS c WHERE c.reports = ldp_register_collection_as.reports;
    problem := CASE WHEN FOUND THEN format('It is the table of collection "%s".', other)
               ELSE @extschema@.ldp_table_problem(reports, @extschema@.ldp_spec_parameters(canonical)) END;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'wrong_object_type',
            MESSAGE = format('%s cannot be the table of collection "%s"', reports, name),
            DETAIL = problem,
            HINT = 'ldp_create_collection creates a table; ldp_adopt_collection takes one that has the columns report and round '
                   '(CREATE TABLE name OF ldp_report_row), or batch and round.';
    END IF;
    -- One whose table is gone, and what was counted for it.
    DELETE FROM @extschema@.ldp_collection AS c WHERE c.name = ldp_register_collection_as.name;
    DELETE FROM @extschema@.ldp_batch AS b WHERE b.collection = ldp_register_collection_as.name;
    DELETE FROM @extschema@.ldp_rollup_part AS p USING @extschema@.ldp_rollup AS r WHERE r.name = p.rollup AND r.collection = ldp_register_collection_as.name;
    DELETE FROM @extschema@.ldp_rollup AS r WHERE r.collection = ldp_register_collection_as.name;
    INSERT INTO @extschema@.ldp_collection (name, reports, spec, analysts) VALUES (name, reports, canonical, analysts);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_register_collection_as(name, text, regclass, jsonb, text) IS 'ldp_register_collection, of this caller';

CREATE FUNCTION @extschema@.ldp_register_collection(name text, reports regclass, spec jsonb, analysts text) RETURNS void
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_register_collection(text, regclass, jsonb, text) IS
    'registers a table that is ready, of the caller''s; ldp_adopt_collection makes it ready first. Error 42809 if '
    'the table cannot be a collection''s';

CREATE FUNCTION @extschema@.ldp_unregister_collection_as(caller name, name text) RETURNS regclass
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    registered regclass;
BEGIN
    -- The row before the table: those who submit lock them in that order, too.
    SELECT c.reports INTO registered FROM @extschema@.ldp_collection AS c
    WHERE c.name = ldp_unregister_collection_as.name FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM @extschema@.ldp_collection_named(name);  -- says so
    END IF;
    PERFORM @extschema@.ldp_check_owner(registered, caller);
    DELETE FROM @extschema@.ldp_collection AS c WHERE c.name = ldp_unregister_collection_as.name;
    DELETE FROM @extschema@.ldp_batch AS b WHERE b.collection = ldp_unregister_collection_as.name;
    DELETE FROM @extschema@.ldp_rollup_part AS p USING @extschema@.ldp_rollup AS r WHERE r.name = p.rollup AND r.collection = ldp_unregister_collection_as.name;
    DELETE FROM @extschema@.ldp_rollup AS r WHERE r.collection = ldp_unregister_collection_as.name;
    RETURN registered;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_unregister_collection_as(name, text) IS 'ldp_unregister_collection, of this caller';

CREATE FUNCTION @extschema@.ldp_unregister_collection(name text) RETURNS regclass
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_unregister_collection(text) IS
    'forgets a collection and its batches, and leaves its table, which it returns';

CREATE FUNCTION @extschema@.ldp_adopt_collection(name text, reports regclass, spec jsonb, analysts text DEFAULT 'rows') RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    canonical jsonb := @extschema@.ldp_spec_canonical(spec);
    series integer := COALESCE((canonical ->> 'rounds')::integer, 0);
    held text := @extschema@.ldp_report_column(reports);
    bounded boolean;
BEGIN
    IF name IS NULL OR canonical IS NULL OR reports IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'a collection needs a name, a spec and a table';
    END IF;
    PERFORM @extschema@.ldp_check_admin();
    PERFORM @extschema@.ldp_check_owner(reports);
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', reports);
    IF @extschema@.ldp_table_problem(reports, NULL) IS NULL THEN  -- else it is refused below
        IF NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'report_follows_spec') THEN
            -- A table of the type ldp_report_row cannot declare a default.
            IF NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = reports AND a.attname = 'round' AND (a.atthasdef OR a.attidentity <> '')) THEN
                EXECUTE format('ALTER TABLE %s ALTER COLUMN round SET DEFAULT 0', reports);
            END IF;
            -- One change a statement: Citus takes no more.
            EXECUTE format('ALTER TABLE %s ALTER COLUMN %s SET NOT NULL', reports, held);
            EXECUTE format('ALTER TABLE %s ALTER COLUMN round SET NOT NULL', reports);
            EXECUTE format('ALTER TABLE %s ADD CONSTRAINT report_follows_spec CHECK (%s.ldp_check_report(%s, %L))',
                           reports, '@extschema@', held, @extschema@.ldp_spec_parameters(canonical));
        END IF;
        EXECUTE format('COMMENT ON TABLE %s IS %L', reports, format('reports of the ldp collection "%s"', name));
        EXECUTE format('GRANT INSERT ON %s TO ldp_submitter', reports);
        IF analysts = 'rows' THEN
            EXECUTE format('GRANT SELECT (%s, round) ON %s TO ldp_analyst', held, reports);
        END IF;
    END IF;
    bounded := EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'round_is_open');
    PERFORM @extschema@.ldp_register_collection(name, reports, canonical, analysts);
    IF NOT bounded THEN
        PERFORM @extschema@.ldp_open_rounds(name, 0, series);
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_adopt_collection(text, regclass, jsonb, text) IS
    'makes a collection of an existing table of reports, such as one of the type ldp_report_row: checks all reports, sets the '
    'default round 0 if the column round has no default, grants the privileges that ldp_create_collection grants, except on side '
    'columns, and registers the table. Error 42809 if the table cannot be a collection''s, 42501 '
    'unless it is the caller''s';

CREATE FUNCTION @extschema@.ldp_partition_name(name text, part text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whole text := format('%s_%s', name, part);
BEGIN
    IF octet_length(whole) > 63 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = format('"%s" is too long for the name of a partition', whole),
            DETAIL = format('It has %s bytes; a table''s name has 63 at most.', octet_length(whole)),
            HINT = 'Give the collection a shorter name.';
    END IF;
    RETURN quote_ident(whole);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_partition_name(text, text) IS 'what the table of a part of a collection is called, quoted';

-- The schema is the caller's current one; only the default, which is evaluated outside, can see it.
CREATE FUNCTION @extschema@.ldp_create_collection(name text, spec jsonb, side_columns text[] DEFAULT NULL, schema text DEFAULT current_schema(),
        analysts text DEFAULT 'rows', rows text DEFAULT 'reports', partition_by text DEFAULT NULL)
    RETURNS regclass
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    canonical jsonb := @extschema@.ldp_spec_canonical(spec);
    side text := '';
    side_names text := '';
    short text := '';
    pair text[];
    key_type regtype := CASE partition_by WHEN 'round' THEN 'integer'::regtype END;
    created regclass;
BEGIN
    IF name IS NULL OR canonical IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'a collection needs a name and a spec';
    END IF;
    IF rows NOT IN ('reports', 'batches') IS NOT FALSE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('rows cannot hold %s', COALESCE('"' || rows || '"', 'NULL')),
            HINT = 'They hold "reports", one each, or "batches" of them.';
    END IF;
    IF schema IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_schema_name',
            MESSAGE = 'no schema has been selected to create the collection''s table in',
            HINT = 'Set search_path, or name the schema as the argument "schema".';
    END IF;
    IF octet_length(name) NOT BETWEEN 1 AND 63 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = 'a collection''s name must have 1 to 63 bytes',
            DETAIL = format('Found %s.', octet_length(name)),
            HINT = 'Its table gets the same name.';
    END IF;
    -- Any name will do, but this one was meant otherwise.
    IF EXISTS (SELECT FROM pg_namespace AS s WHERE starts_with(name, s.nspname || '.')) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = format('the name of collection "%s" begins with that of a schema', name),
            DETAIL = 'Its table would get this very name, with the dot.',
            HINT = format('Say ldp_create_collection(%L, ..., schema => %L).', split_part(name, '.', 2), split_part(name, '.', 1));
    END IF;
    PERFORM @extschema@.ldp_check_admin();
    PERFORM @extschema@.ldp_check_free(name);

    IF cardinality(side_columns) > 0 THEN
        IF array_ndims(side_columns) <> 2 OR array_length(side_columns, 2) <> 2 THEN
            RAISE EXCEPTION USING
                ERRCODE = 'array_subscript_error',
                MESSAGE = 'side columns must be pairs of a name and a type',
                HINT = 'For example ARRAY[[''country'', ''text''], [''version'', ''integer'']].';
        END IF;
        FOREACH pair SLICE 1 IN ARRAY side_columns LOOP
            IF pair[1] IS NULL OR pair[2] IS NULL OR strpos(pair[2], '(') > 0 THEN
                RAISE EXCEPTION USING
                    ERRCODE = 'feature_not_supported',
                    MESSAGE = format('side column %s cannot have the type %s', COALESCE(pair[1], 'NULL'), COALESCE(pair[2], 'NULL')),
                    DETAIL = 'A side column needs a name and a type without modifiers, such as text or numeric.',
                    HINT = 'Add a constraint to the table afterwards.';
            END IF;
            -- A report without the value that it is partitioned by would rest in the default partition for ever.
            side := side || format(', %I %s%s', pair[1], pair[2]::regtype, CASE WHEN pair[1] = partition_by THEN ' NOT NULL' ||
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
            DETAIL = CASE WHEN key_type IS NULL THEN 'It is neither the round nor a side column.' ELSE format('Its type is %s.', key_type) END,
            HINT = 'Partition by "round", or by a side column that is an integer, a date or a timestamp.';
    END IF;
    EXECUTE format('CREATE TABLE %I.%I (%s NOT NULL, round integer NOT NULL DEFAULT 0%s%s) %s', schema, name,
                   CASE rows WHEN 'batches' THEN 'batch @extschema@.ldp_report_batch' ELSE 'report @extschema@.ldp_report' END, side,
                   CASE WHEN short <> '' THEN ', CONSTRAINT side_columns_are_short CHECK (' || substr(short, 6) || ')' END,
                   CASE WHEN partition_by IS NOT NULL THEN format('PARTITION BY RANGE (%I)', partition_by) END);
    IF partition_by IS NOT NULL THEN
        EXECUTE format('CREATE TABLE %1$I.%2$s PARTITION OF %1$I.%3$I DEFAULT', schema, @extschema@.ldp_partition_name(name, 'default'), name);
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
    'creates a table for reports under a spec, in the current schema if none is named, and registers it; side '
    'columns, pairs of name and type, hold what needs no protection, in at most 1024 bytes each. ldp_submitter may insert; ldp_analyst may read '
    '"rows", or only ask for "aggregates"; both need USAGE on the schema. A row holds one of the "reports", or '
    '"batches" of them. Partitioned by the round or a side column, it has a default partition for whatever has none '
    'of its own, and a side column that it is partitioned by is NOT NULL, by default the time of arrival if it is one. Error 22023 if the spec is wrong, 42710 if there is a collection of this name, 42501 unless the '
    'caller is a member of ldp_admin';

CREATE FUNCTION @extschema@.ldp_drop_collection(name text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rollups regclass[] := ARRAY(SELECT r.summaries FROM @extschema@.ldp_rollups AS r WHERE r.collection = ldp_drop_collection.name);
    registered regclass := @extschema@.ldp_unregister_collection(name);
    dropped regclass;
BEGIN
    FOREACH dropped IN ARRAY rollups || registered LOOP
        IF EXISTS (SELECT FROM pg_class AS t WHERE t.oid = dropped) THEN
            EXECUTE format('DROP TABLE %s', dropped);
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_drop_collection(text) IS
    'drops a collection''s table with all its reports, and its rollups, and forgets its batches; error 42704 if '
    'there is none, 42501 unless it is the caller''s';

-- Who submits names the round; which there are is for the owner to say, or anybody could make as many as there are
-- numbers. Reports that are there stay; hence NOT VALID.
CREATE FUNCTION @extschema@.ldp_open_rounds(name text, first integer, last integer DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    table_name text := @extschema@.ldp_table(name);
    reports regclass := table_name::regclass;
BEGIN
    IF first IS NULL OR COALESCE(last, first) < first THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('there are no rounds from %s to %s', COALESCE(first::text, 'NULL'), COALESCE(last::text, first::text, 'NULL')),
            HINT = 'Name the first and the last round that take reports from now on.';
    END IF;
    PERFORM @extschema@.ldp_check_owner(reports);
    -- One change a statement: Citus takes no more. The lock of the first keeps submitters out until both are done.
    IF EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'round_is_open') THEN
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT round_is_open', table_name);
    END IF;
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT round_is_open CHECK (%s.ldp_check_round(round, %L, %L)) NOT VALID',
                   table_name, '@extschema@', first, COALESCE(last, first));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_open_rounds(text, integer, integer) IS
    'from now on, reports of the rounds first to last are taken and no others, which are error 23514; at first that '
    'is round 0, or those of a series. Waits for queries that read the table, and is its owner''s to call';

