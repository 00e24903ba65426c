-- Renaming the schema -----------------------------------------------------------------------------------------
-- The bodies of functions contain the name of the extension's schema as text, which PostgreSQL does not change when the
-- schema is renamed. An event trigger then creates these functions again, in the transaction of the renaming. Some of them
-- are in ldp_internal, whose name is fixed; the trigger rejects its renaming. In a body the
-- name of the schema always stands before .ldp_ and is a whole word; t.ldp_arrival is a column. Before 14, PostgreSQL has no functions in SQL whose
-- bodies follow a renaming; PL/pgSQL has none.

CREATE FUNCTION ldp_internal.ldp_follow_schema() RETURNS event_trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on
    SET check_function_bodies = off SET quote_all_identifiers = off AS $$
DECLARE
    -- This body is one of those that change: the literal has the name that all bodies have.
    written text := split_part('@extschema@.ldp_', '.ldp_', 1);
    present text;
    definition text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_namespace AS n WHERE n.nspname = 'ldp_internal') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'feature_not_supported',
            MESSAGE = 'schema "ldp_internal" cannot be renamed',
            DETAIL = 'The functions of the extension ldp refer to it by this name.',
            HINT = 'The schema that CREATE EXTENSION named can be renamed.';
    END IF;
    SELECT n.nspname INTO STRICT present FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'ldp';
    IF present ~ '["$''\\]' THEN  -- as in CREATE EXTENSION
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = 'invalid character in the name of the schema of the extension "ldp"',
            DETAIL = 'The name must not contain any of the characters "$''\.';
    END IF;
    present := quote_ident(present);
    IF present = written THEN
        RETURN;
    END IF;
    FOR definition IN
        SELECT replace(pg_get_functiondef(f.oid), f.prosrc,
                       regexp_replace(f.prosrc, '(^|[^[:alnum:]_$"])' || regexp_replace(written, '([^[:alnum:]_])', '\\\1', 'g') || '[.](?=ldp_(?!arrival))',
                                      '\1' || present || '.', 'g'))
        FROM pg_proc AS f JOIN pg_language AS l ON l.oid = f.prolang JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = f.oid
             JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
        WHERE e.extname = 'ldp' AND l.lanname IN ('sql', 'plpgsql') AND strpos(f.prosrc, written || '.ldp_') > 0
    LOOP
        EXECUTE definition;
    END LOOP;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_follow_schema() IS
    'Writes the new name of the extension''s schema into the bodies of its functions after ALTER SCHEMA RENAME. Error 42602 if '
    'the name has a quotation mark, a dollar sign or a backslash, 0A000 for the schema ldp_internal. Event trigger function.';

REVOKE ALL ON FUNCTION ldp_internal.ldp_follow_schema() FROM PUBLIC;

CREATE EVENT TRIGGER ldp_follow_schema ON ddl_command_end WHEN TAG IN ('ALTER SCHEMA') EXECUTE FUNCTION ldp_internal.ldp_follow_schema();
ALTER EVENT TRIGGER ldp_follow_schema ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER ldp_follow_schema IS 'keeps the functions of ldp valid when their schema is renamed';
