-- Functions in C that return rows: each declares its columns, which are compared with those that it returns in SQL.
\ir setup.sql
SET client_min_messages = warning;
CREATE SCHEMA row_types;
SET search_path = row_types, public;

CREATE TEMP VIEW functions AS
    SELECT p.oid, p.proname, p.proretset, p.prosrc, p.probin, p.proargtypes, p.proisstrict
    FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang AND l.lanname = 'c'
         JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
         JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'ldp'
         JOIN pg_type AS t ON t.oid = p.prorettype LEFT JOIN pg_type AS element ON element.oid = t.typelem
    WHERE t.typtype = 'c' OR t.typname = 'record' OR element.typtype = 'c';

-- Functions of several rows compare before they look at arguments: called with NULLs they return none.
DO $$
DECLARE
    one record; found bigint;
BEGIN
    FOR one IN SELECT * FROM functions WHERE proretset LOOP
        IF one.proisstrict THEN EXECUTE format('ALTER FUNCTION %s CALLED ON NULL INPUT', one.oid::regprocedure); END IF;
        EXECUTE format('SELECT count(*) FROM %s(%s)', one.oid::regproc,
                       (SELECT string_agg(format('NULL::%s', format_type(a.type, NULL)), ', ' ORDER BY a.number)
                        FROM unnest(one.proargtypes) WITH ORDINALITY AS a (type, number))) INTO STRICT found;
        IF found > 0 THEN RAISE EXCEPTION '% returns rows', one.proname; END IF;
        IF one.proisstrict THEN EXECUTE format('ALTER FUNCTION %s STRICT', one.oid::regprocedure); END IF;
    END LOOP;
END $$;
SELECT count(*) > 25 AS "functions of several rows were called" FROM functions WHERE proretset;

-- Other functions compare when they return.
CREATE TABLE reports AS
    SELECT pg_temp.report('{"mechanism": "grr", "epsilon": 2, "attributes": [{"name": "town", "domain": 3}]}', '00') AS town,
           pg_temp.report('{"mechanism": "duchi", "epsilon": 1, "attributes": [{"name": "wage", "min": 0, "max": 100}]}', '00') AS wage,
           pg_temp.report('{"mechanism": "haar_ordered", "epsilon": 1, "grid": 7, "attributes": [{"name": "age", "min": 0, "max": 7}]}', '0000') AS age;
SELECT (ldp_spec_info('{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green"]}')).labels;
SELECT (ldp_internal.ldp_combine_rows(a, a)).attribute FROM ldp_estimate((SELECT ldp_agg(town) FROM reports)) AS a, LATERAL (SELECT ROW(a.attribute, a.label, a.statistic, a.estimate, a.stderr, a.lower, a.upper, a.n, NULL, NULL, 'elsewhere')::ldp_row AS b) AS other LIMIT 1;
SELECT (ldp_difference(a, b)).attribute, (ldp_ratio(a, b)).label, (ldp_internal.ldp_weighted_rows(a, 1, b, 1)).n FROM ldp_estimate((SELECT ldp_agg(town) FROM reports)) AS a, LATERAL (SELECT ROW(a.attribute, a.label, a.statistic, a.estimate, a.stderr, a.lower, a.upper, a.n, NULL, NULL, 'elsewhere')::ldp_row AS b) AS other LIMIT 1;
-- All were called, except functions that return the result of an SQL function.
SELECT proname FROM functions WHERE NOT proretset ORDER BY proname COLLATE "C";

-- Other columns are rejected for all arguments.
CREATE FUNCTION pg_temp.refused_columns(columns text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text; hint text;
BEGIN
    EXECUTE format('CREATE FUNCTION pg_temp.planted(float8, float8, integer) RETURNS TABLE (%s) AS %L, ''ldp_odds'' LANGUAGE C', columns,
                   (SELECT probin FROM functions WHERE proname = 'ldp_odds'));
    PERFORM * FROM pg_temp.planted(1, 0.5, 1);
    DROP FUNCTION pg_temp.planted;
    RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(E'\n', SQLSTATE || ' ' || SQLERRM, detail, hint);
END $$;
SELECT pg_temp.refused_columns('odds float8, right_guess float8, posterior float8');
SELECT pg_temp.refused_columns('odds float8, right_guess float8, belief float8');
SELECT pg_temp.refused_columns('odds float8, right_guess text, posterior float8');
SELECT pg_temp.refused_columns('right_guess float8, odds float8, posterior float8');
SELECT pg_temp.refused_columns('odds float8, right_guess float8');
SELECT pg_temp.refused_columns('odds float8, right_guess float8, posterior float8, note text');

-- So are columns of an altered type, also in an array and in an argument.
BEGIN;
ALTER TYPE ldp_statistic ADD ATTRIBUTE note text;
SELECT ldp_health(ldp_agg(town)) FROM reports;
ROLLBACK;
BEGIN;
ALTER TYPE ldp_row RENAME ATTRIBUTE lower TO least;
SELECT ldp_internal.ldp_combine_rows(NULL::ldp_row, NULL) IS NULL AS "strict", ldp_internal.ldp_combine_rows(ROW(NULL, NULL, NULL, 1, 1, 0, 2, 1, NULL, NULL, 'elsewhere')::ldp_row,
    ROW(NULL, NULL, NULL, 1, 1, 0, 2, 1, NULL, NULL, 'elsewhere')::ldp_row);
ROLLBACK;

DROP SCHEMA row_types CASCADE;
