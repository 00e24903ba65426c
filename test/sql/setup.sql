\set ECHO none
-- The prelude of every suite of test/sql: \ir setup.sql. It installs the extension and creates functions that build
-- reports by hand and return errors as text.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS ldp;
RESET client_min_messages;

-- A number as hexadecimal digits of its bytes, the lowest byte first.
CREATE FUNCTION pg_temp.little(number bigint, bytes integer) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(lpad(to_hex(number >> (8 * i) & 255), 2, '0'), '' ORDER BY i) FROM generate_series(0, bytes - 1) AS i $$;
-- A report under a spec: the spec's parameter block and a payload.
CREATE FUNCTION pg_temp.report(spec jsonb, payload text) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters(spec), 'hex') || payload)::ldp_report $$;
-- The same for a collection.
CREATE FUNCTION pg_temp.report_to(collection text, payload text) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT pg_temp.report(ldp_client_spec(collection), payload) $$;
-- The reports of all rounds together.
CREATE FUNCTION pg_temp.all_rounds(collection text) RETURNS ldp_summary LANGUAGE sql AS
$$ SELECT g.summary FROM unnest(ldp_groups_of(collection, '{}', first_round => 0)) AS g $$;
-- 64 bits as hexadecimal digits, which depend on two numbers and are the same on every machine.
CREATE FUNCTION pg_temp.scramble(a bigint, b bigint) RETURNS text LANGUAGE sql AS
$$ SELECT left(md5(a || ':' || b), 16) $$;

-- "accepted", or the SQLSTATE, the message and the detail of the error in one line.
CREATE FUNCTION pg_temp.outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    state text;
    message text;
    detail text;
BEGIN
    EXECUTE query INTO result;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    RETURN state || ' ' || message || CASE WHEN detail = '' THEN '' ELSE ' / ' || detail END;
END
$$;
-- The same with the hint, a line for each part; "not refused" without an error.
CREATE FUNCTION pg_temp.refusal(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text; hint text;
BEGIN
    EXECUTE query;
    RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(E'\n', SQLSTATE || ' ' || SQLERRM, NULLIF(detail, ''), NULLIF(hint, ''));
END $$;
\set ECHO all
