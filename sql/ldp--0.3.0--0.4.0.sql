-- ldp 0.4.0: changes between rounds. Installed after 0.3.0, on new databases too; names as explained in 0.1.0.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "ALTER EXTENSION ldp UPDATE" to load this file. \quit

-- In C, for the estimates; the function that people call looks the labels up.
CREATE FUNCTION ldp_change_rows(before ldp_summary, after ldp_summary, kept float8, confidence float8, target text,
        OUT attribute integer, OUT value integer, OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION ldp_change_rows(ldp_summary, ldp_summary, float8, float8, text) IS 'ldp_change without labels; immutable, for stored expressions';

CREATE FUNCTION ldp_change(before ldp_summary, after ldp_summary, kept float8 DEFAULT 0, confidence float8 DEFAULT 0.95,
        target text DEFAULT 'sample')
    RETURNS TABLE (attribute integer, value integer, label text, estimate float8, stderr float8, lower float8, upper float8)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH change AS MATERIALIZED (SELECT * FROM @extschema@.ldp_change_rows($1, $2, $3, $4, $5)),
    named AS (
        SELECT c.attribute, l.place - 1 AS value, l.label
        FROM change AS c, LATERAL unnest(@extschema@.ldp_labels(@extschema@.ldp_part($1, c.attribute)))
             WITH ORDINALITY AS l (label, place)
        WHERE c.value = 0)
    SELECT c.attribute, c.value, COALESCE(n.label, c.value::text), c.estimate, c.stderr, c.lower, c.upper
    FROM change AS c LEFT JOIN named AS n ON n.attribute = c.attribute AND n.value = c.value
    ORDER BY c.attribute, c.value
$$;
COMMENT ON FUNCTION ldp_change(ldp_summary, ldp_summary, float8, float8, text) IS
    'how the mean of every number and the share of every value changed from one summary to another; kept is the share of '
    'people, of the smaller summary, who are in both and repeated a remembered answer: the noise in both then cancels in part';

-- All rounds at once: a mechanism of series has shares in each.
CREATE FUNCTION ldp_series_rows(summary ldp_summary, confidence float8, target text, labels text[],
        OUT round integer, OUT value integer, OUT label text, OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION ldp_series_rows(ldp_summary, float8, text, text[]) IS 'ldp_series with these labels';

CREATE FUNCTION ldp_series(summary ldp_summary, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS TABLE (round integer, value integer, label text, estimate float8, stderr float8, lower float8, upper float8)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM @extschema@.ldp_series_rows($1, $2, $3, COALESCE(@extschema@.ldp_labels($1), '{}'))
$$;
COMMENT ON FUNCTION ldp_series(ldp_summary, float8, text) IS
    'of a mechanism of series (ddrm), the share of every value in every round; NULL where the reports do not reach yet';
