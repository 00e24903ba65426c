-- ldp: private aggregate queries. The script has one file per topic; pgxs.mk lists the files (TOPICS) in the order in which
-- the build concatenates them.
--
-- The schema of the extension, and every schema on a caller's search_path, may belong to a role that must not gain the
-- rights of the installer. Objects of such schemas must never replace objects of PostgreSQL. Three rules ensure this.
--   - The script runs with pg_catalog as its only search path, and qualifies every name of ldp with its schema.
--   - The bodies of functions do the same and set their search path. They contain the name of the extension's schema before
--     .ldp_ only, so that it can be replaced when the schema is renamed (renaming.sql); elsewhere they call ldp_schema().
--   - Two bodies cannot set their path, because the caller's triggers run during their INSERT. They qualify every
--     function and use no operators.
--
-- ldp has two schemas. The schema of the extension, which CREATE EXTENSION substitutes for @extschema@, has the objects that
-- users name. The schema ldp_internal has all others. Tables are in it, support functions of types, operators and aggregates,
-- and functions that only functions of ldp, constraints and defaults call.
--
-- Only functions of ldp write to its tables. They come in pairs. Everyone may execute NAME. NAME_as runs with the rights
-- of the extension's owner and is not executable by others. NAME passes the name of its caller as the first argument to
-- NAME_as, which checks the caller's privileges.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION ldp" to load this file. \quit

SET LOCAL search_path = pg_catalog, pg_temp;

-- The extension must own this schema: another owner could replace functions that run with the rights of the installer.
DO $script$
BEGIN
    IF EXISTS (SELECT FROM pg_namespace AS n WHERE n.nspname = 'ldp_internal') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_schema',
            MESSAGE = 'schema "ldp_internal" already exists',
            DETAIL = format('The extension ldp creates this schema for its internal objects. Its owner is %s.',
                            (SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace AS n WHERE n.nspname = 'ldp_internal')),
            HINT = 'Rename or drop the schema, and create the extension in another one.';
    END IF;
END
$script$;
CREATE SCHEMA ldp_internal;
COMMENT ON SCHEMA ldp_internal IS 'internal objects of the extension ldp; users call the functions in its other schema';
-- Functions that run with the rights of their caller, and constraints of tables, name objects of this schema.
GRANT USAGE ON SCHEMA ldp_internal TO PUBLIC;

-- The name of a schema that was renamed later is different from @extschema@.
CREATE FUNCTION ldp_internal.ldp_schema() RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_schema() IS 'Returns the quoted name of the schema that has the extension''s public objects.';

-- Types -----------------------------------------------------------------------------------------------------

CREATE TYPE @extschema@.ldp_report;
CREATE TYPE @extschema@.ldp_report_batch;
CREATE TYPE @extschema@.ldp_summary;
CREATE TYPE @extschema@.ldp_source;

CREATE FUNCTION ldp_internal.ldp_report_in(cstring) RETURNS @extschema@.ldp_report
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION ldp_internal.ldp_report_out(@extschema@.ldp_report) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION ldp_internal.ldp_report_recv(internal) RETURNS @extschema@.ldp_report
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION ldp_internal.ldp_report_send(@extschema@.ldp_report) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE @extschema@.ldp_report (
    INPUT = ldp_internal.ldp_report_in, OUTPUT = ldp_internal.ldp_report_out, RECEIVE = ldp_internal.ldp_report_recv, SEND = ldp_internal.ldp_report_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended, CATEGORY = 'l'
);
COMMENT ON TYPE @extschema@.ldp_report IS 'one randomized report with the parameters of its randomizer';
COMMENT ON FUNCTION ldp_internal.ldp_report_in(cstring) IS 'Converts hexadecimal text to a report; validates all bytes.';
COMMENT ON FUNCTION ldp_internal.ldp_report_out(@extschema@.ldp_report) IS 'Converts a report to hexadecimal text.';
COMMENT ON FUNCTION ldp_internal.ldp_report_recv(internal) IS 'Converts bytes to a report; validates all bytes.';
COMMENT ON FUNCTION ldp_internal.ldp_report_send(@extschema@.ldp_report) IS 'Converts a report to bytes.';

CREATE FUNCTION ldp_internal.ldp_report_batch_in(cstring) RETURNS @extschema@.ldp_report_batch
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
CREATE FUNCTION ldp_internal.ldp_report_batch_out(@extschema@.ldp_report_batch) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
CREATE FUNCTION ldp_internal.ldp_report_batch_recv(internal) RETURNS @extschema@.ldp_report_batch
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
CREATE FUNCTION ldp_internal.ldp_report_batch_send(@extschema@.ldp_report_batch) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE @extschema@.ldp_report_batch (
    INPUT = ldp_internal.ldp_report_batch_in, OUTPUT = ldp_internal.ldp_report_batch_out,
    RECEIVE = ldp_internal.ldp_report_batch_recv, SEND = ldp_internal.ldp_report_batch_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended, CATEGORY = 'l'
);
COMMENT ON TYPE @extschema@.ldp_report_batch IS
    'batch of reports of one spec, with one copy of the parameters; the order of the reports carries no information';
COMMENT ON FUNCTION ldp_internal.ldp_report_batch_in(cstring) IS
    'Converts hexadecimal text to a batch; validates all bytes.';
COMMENT ON FUNCTION ldp_internal.ldp_report_batch_out(@extschema@.ldp_report_batch) IS
    'Converts a batch to hexadecimal text.';
COMMENT ON FUNCTION ldp_internal.ldp_report_batch_recv(internal) IS 'Converts bytes to a batch; validates all bytes.';
COMMENT ON FUNCTION ldp_internal.ldp_report_batch_send(@extschema@.ldp_report_batch) IS 'Converts a batch to bytes.';

-- The preferred type of the category: an untyped literal resolves to a summary.
CREATE FUNCTION ldp_internal.ldp_summary_in(cstring) RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION ldp_internal.ldp_summary_out(@extschema@.ldp_summary) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION ldp_internal.ldp_summary_recv(internal) RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION ldp_internal.ldp_summary_send(@extschema@.ldp_summary) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE @extschema@.ldp_summary (
    INPUT = ldp_internal.ldp_summary_in, OUTPUT = ldp_internal.ldp_summary_out, RECEIVE = ldp_internal.ldp_summary_recv, SEND = ldp_internal.ldp_summary_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended, CATEGORY = 'l', PREFERRED = true
);
COMMENT ON TYPE @extschema@.ldp_summary IS
    'mergeable summary of reports, sufficient for all estimates; its size depends on the spec, not on the number of '
    'reports';
COMMENT ON FUNCTION ldp_internal.ldp_summary_in(cstring) IS
    'Converts hexadecimal text to a summary; validates all bytes.';
COMMENT ON FUNCTION ldp_internal.ldp_summary_out(@extschema@.ldp_summary) IS 'Converts a summary to hexadecimal text.';
COMMENT ON FUNCTION ldp_internal.ldp_summary_recv(internal) IS 'Converts bytes to a summary; validates all bytes.';
COMMENT ON FUNCTION ldp_internal.ldp_summary_send(@extschema@.ldp_summary) IS 'Converts a summary to bytes.';

-- The casts read no table. The function that is called resolves a name: see report_access.sql, which also has the cast of groups.
CREATE FUNCTION ldp_internal.ldp_source_in(cstring) RETURNS @extschema@.ldp_source
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ldp_internal.ldp_source_out(@extschema@.ldp_source) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ldp_internal.ldp_source_recv(internal) RETURNS @extschema@.ldp_source
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ldp_internal.ldp_source_send(@extschema@.ldp_source) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE @extschema@.ldp_source (
    INPUT = ldp_internal.ldp_source_in, OUTPUT = ldp_internal.ldp_source_out, RECEIVE = ldp_internal.ldp_source_recv, SEND = ldp_internal.ldp_source_send,
    INTERNALLENGTH = variable, ALIGNMENT = double, STORAGE = extended, CATEGORY = 'l'
);
COMMENT ON TYPE @extschema@.ldp_source IS
    'what a function is about: the name of a collection or a rollup, a summary, or an array of groups with their summaries; an '
    'argument type, not meant for columns of tables';
COMMENT ON FUNCTION ldp_internal.ldp_source_in(cstring) IS 'Converts the name of a collection or a rollup, or the text of a summary, to a source.';
COMMENT ON FUNCTION ldp_internal.ldp_source_out(@extschema@.ldp_source) IS
    'Converts a source to its name, or to the text of its summary; groups to their number in parentheses.';
COMMENT ON FUNCTION ldp_internal.ldp_source_recv(internal) IS 'Converts text to a source.';
COMMENT ON FUNCTION ldp_internal.ldp_source_send(@extschema@.ldp_source) IS 'Converts a source to its text.';

CREATE FUNCTION ldp_internal.ldp_source_of_text(text) RETURNS @extschema@.ldp_source
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_source_of_text(text) IS 'Converts text to a source. Implements the casts from text and varchar.';
CREATE FUNCTION ldp_internal.ldp_source_of_name(name) RETURNS @extschema@.ldp_source
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_source_of_name(name) IS 'Converts a name to a source. Implements a cast.';
CREATE FUNCTION ldp_internal.ldp_source_of_summary(@extschema@.ldp_summary) RETURNS @extschema@.ldp_source
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_source_of_summary(@extschema@.ldp_summary) IS 'Converts a summary to a source. Implements a cast.';
CREATE CAST (text AS @extschema@.ldp_source) WITH FUNCTION ldp_internal.ldp_source_of_text(text) AS IMPLICIT;
CREATE CAST (varchar AS @extschema@.ldp_source) WITH FUNCTION ldp_internal.ldp_source_of_text(text) AS IMPLICIT;
CREATE CAST (name AS @extschema@.ldp_source) WITH FUNCTION ldp_internal.ldp_source_of_name(name) AS IMPLICIT;
CREATE CAST (@extschema@.ldp_summary AS @extschema@.ldp_source) WITH FUNCTION ldp_internal.ldp_source_of_summary(@extschema@.ldp_summary) AS IMPLICIT;
COMMENT ON CAST (text AS @extschema@.ldp_source) IS 'the name of a collection or a rollup';
COMMENT ON CAST (varchar AS @extschema@.ldp_source) IS 'the name of a collection or a rollup';
COMMENT ON CAST (name AS @extschema@.ldp_source) IS 'the name of a collection or a rollup';
COMMENT ON CAST (@extschema@.ldp_summary AS @extschema@.ldp_source) IS 'a summary';

-- Equality, order and hashing by bytes, for GROUP BY, DISTINCT, ORDER BY and indexes. All three types use PostgreSQL's
-- functions for bytea under names of their own. Names are arguments of format(), because the name of the schema may
-- contain a percent sign.
DO $script$
DECLARE
    type text;
    support text;
    operator text[];
BEGIN
    FOREACH type IN ARRAY ARRAY['@extschema@.ldp_report', '@extschema@.ldp_report_batch', '@extschema@.ldp_summary'] LOOP
        support := replace(type, '@extschema@.', 'ldp_internal.');
        FOREACH operator SLICE 1 IN ARRAY ARRAY[
            ['eq', '=',  '=',  '<>', 'eqsel, JOIN = eqjoinsel, HASHES, MERGES',       'equal'],
            ['ne', '<>', '<>', '=',  'neqsel, JOIN = neqjoinsel',                     'not equal'],
            ['lt', '<',  '>',  '>=', 'scalarltsel, JOIN = scalarltjoinsel',           'less than, byte by byte'],
            ['le', '<=', '>=', '>',  'scalarlesel, JOIN = scalarlejoinsel',           'less than or equal, byte by byte'],
            ['gt', '>',  '<',  '<=', 'scalargtsel, JOIN = scalargtjoinsel',           'greater than, byte by byte'],
            ['ge', '>=', '<=', '<',  'scalargesel, JOIN = scalargejoinsel',           'greater than or equal, byte by byte']
        ] LOOP
            EXECUTE format('CREATE FUNCTION %4$s_%2$s(%1$s, %1$s) RETURNS boolean AS %3$L
                            LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE',
                           type, operator[1], 'bytea' || operator[1], support);
            EXECUTE format('CREATE OPERATOR %7$s.%2$s (FUNCTION = %8$s_%3$s, LEFTARG = %1$s, RIGHTARG = %1$s,
                            COMMUTATOR = OPERATOR(%7$s.%4$s), NEGATOR = OPERATOR(%7$s.%5$s), RESTRICT = %6$s)',
                           type, operator[2], operator[1], operator[3], operator[4], operator[5], '@extschema@', support);
            EXECUTE format('COMMENT ON FUNCTION %4$s_%2$s(%1$s, %1$s) IS %3$L', type, operator[1],
                           'implementation of the operator ' || operator[2], support);
            EXECUTE format('COMMENT ON OPERATOR %4$s.%2$s (%1$s, %1$s) IS %3$L', type, operator[2], operator[6], '@extschema@');
        END LOOP;

        -- Explicit only: a function that takes bytes is not called with a report by mistake.
        EXECUTE format('
            CREATE FUNCTION %2$s_of_bytes(bytea) RETURNS %1$s AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
            COMMENT ON FUNCTION %2$s_of_bytes(bytea) IS ''Converts bytes; validates all of them. The cast from bytea uses it.'';
            CREATE CAST (bytea AS %1$s) WITH FUNCTION %2$s_of_bytes(bytea);
            CREATE CAST (%1$s AS bytea) WITHOUT FUNCTION;
            COMMENT ON CAST (bytea AS %1$s) IS ''validates all bytes'';
            COMMENT ON CAST (%1$s AS bytea) IS ''the bytes as they are''', type, support);
        EXECUTE format('
            CREATE FUNCTION %3$s_cmp(%1$s, %1$s) RETURNS integer AS ''byteacmp''
                LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
            CREATE FUNCTION %3$s_hash(%1$s) RETURNS integer AS ''hashvarlena''
                LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
            CREATE FUNCTION %3$s_hash_extended(%1$s, bigint) RETURNS bigint AS ''hashvarlenaextended''
                LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
            COMMENT ON FUNCTION %3$s_cmp(%1$s, %1$s) IS ''less, equal or greater, byte by byte'';
            COMMENT ON FUNCTION %3$s_hash(%1$s) IS ''hash'';
            COMMENT ON FUNCTION %3$s_hash_extended(%1$s, bigint) IS ''64-bit hash with a seed'';

            CREATE OPERATOR FAMILY %1$s_order USING btree;
            CREATE OPERATOR CLASS %1$s_order DEFAULT FOR TYPE %1$s USING btree FAMILY %1$s_order AS
                OPERATOR 1 %2$s.<, OPERATOR 2 %2$s.<=, OPERATOR 3 %2$s.=, OPERATOR 4 %2$s.>=, OPERATOR 5 %2$s.>,
                FUNCTION 1 %3$s_cmp(%1$s, %1$s),
                FUNCTION 2 bytea_sortsupport(internal);
            CREATE OPERATOR FAMILY %1$s_hash USING hash;
            CREATE OPERATOR CLASS %1$s_hash DEFAULT FOR TYPE %1$s USING hash FAMILY %1$s_hash AS
                OPERATOR 1 %2$s.=,
                FUNCTION 1 %3$s_hash(%1$s),
                FUNCTION 2 %3$s_hash_extended(%1$s, bigint);
            COMMENT ON OPERATOR FAMILY %1$s_order USING btree IS ''by bytes'';
            COMMENT ON OPERATOR CLASS %1$s_order USING btree IS ''by bytes'';
            COMMENT ON OPERATOR FAMILY %1$s_hash USING hash IS ''by bytes'';
            COMMENT ON OPERATOR CLASS %1$s_hash USING hash IS ''by bytes''', type, '@extschema@', support);
    END LOOP;
END
$script$;

-- Result rows -----------------------------------------------------------------------------------------------
-- A column of several row types has the same name, type and order in each of them. First come the names and labels, then the
-- estimate with its error, the number of reports, and the numeric codes of the labels. The comment on a column of
-- ldp_estimate_row applies to the other types, too.

CREATE TYPE @extschema@.ldp_estimate_row AS (
    attribute text, label text, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint,
    attribute_number integer, value integer, note text
);
COMMENT ON TYPE @extschema@.ldp_estimate_row IS
    'estimated mean of an attribute, or estimated share of one of its values';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.attribute IS
    'name of the attribute; its number if no collection in this database has the spec';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.label IS
    'label or number of the value; NULL if the row has no single value';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.estimate IS
    'the estimate: a share of 1, or a mean in the attribute''s units';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.stderr IS 'standard error of the estimate';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.lower IS 'lower end of the interval';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.upper IS 'upper end of the interval';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.n IS 'number of reports';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.people IS
    'lower bound on the number of distinct respondents, at one report per round; NULL if the rounds are unknown';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.attribute_number IS 'number of the attribute, from 0';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.value IS 'number of the value, from 0';
COMMENT ON COLUMN @extschema@.ldp_estimate_row.note IS
    'reason for missing estimates, reason for errors larger than those of n reports, or the values that the row '
    'covers';

CREATE TYPE @extschema@.ldp_ranked AS (
    attribute text, label text, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint, p_value float8,
    attribute_number integer, value integer, note text
);
COMMENT ON TYPE @extschema@.ldp_ranked IS 'estimated share and its significance';
COMMENT ON COLUMN @extschema@.ldp_ranked.p_value IS
    'probability of an estimate at least this large if no person holds the value, adjusted for all values';

CREATE TYPE @extschema@.ldp_string_proportion AS (
    attribute text, label text, whole boolean, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint,
    p_value float8, attribute_number integer, note text
);
COMMENT ON TYPE @extschema@.ldp_string_proportion IS 'estimated share of a string of an open domain, and its significance';
COMMENT ON COLUMN @extschema@.ldp_string_proportion.label IS
    'the string, followed by three dots unless it is whole; its code if no collection in this database has the spec';
COMMENT ON COLUMN @extschema@.ldp_string_proportion.whole IS
    'true if the string ends here; false if it has all characters that are reported, so longer strings may begin with it';
COMMENT ON COLUMN @extschema@.ldp_string_proportion.n IS 'number of reports about the whole string';
COMMENT ON COLUMN @extschema@.ldp_string_proportion.p_value IS
    'probability of an estimate at least this large if no person holds the string, adjusted for all strings that were '
    'tested';

CREATE TYPE @extschema@.ldp_quantile_at AS (
    attribute text, probability float8, estimate float8, lower float8, upper float8, n bigint, people bigint,
    attribute_number integer, note text
);
COMMENT ON TYPE @extschema@.ldp_quantile_at IS 'estimated quantile: the value below which a share of the people lies';
COMMENT ON COLUMN @extschema@.ldp_quantile_at.probability IS 'requested probability: the share of the people below the quantile';
COMMENT ON COLUMN @extschema@.ldp_quantile_at.estimate IS 'estimated quantile in the attribute''s units';

CREATE TYPE @extschema@.ldp_bin AS (
    attribute text, low float8, high float8, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint,
    attribute_number integer, bin integer, note text
);
COMMENT ON TYPE @extschema@.ldp_bin IS 'estimated share of a bin of a histogram';
COMMENT ON COLUMN @extschema@.ldp_bin.low IS 'lower end of the bin';
COMMENT ON COLUMN @extschema@.ldp_bin.high IS 'upper end of the bin';
COMMENT ON COLUMN @extschema@.ldp_bin.bin IS 'number of the bin, from 0';

CREATE TYPE @extschema@.ldp_cell AS (
    cell text[], estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint, cell_numbers integer[], note text
);
COMMENT ON TYPE @extschema@.ldp_cell IS 'estimated share of a cell of a cross table, or of a box of several cells';
COMMENT ON COLUMN @extschema@.ldp_cell.cell IS 'values, by label or number, one for each requested attribute';
COMMENT ON COLUMN @extschema@.ldp_cell.cell_numbers IS 'numbers of the values, from 0; NULL for a box';

CREATE TYPE @extschema@.ldp_statistic AS (
    statistic text, observed float8, expected float8, p_value float8
);
COMMENT ON TYPE @extschema@.ldp_statistic IS 'diagnostic statistic and its p-value under honest reporting';
COMMENT ON COLUMN @extschema@.ldp_statistic.statistic IS 'name of the statistic';
COMMENT ON COLUMN @extschema@.ldp_statistic.observed IS 'observed value';
COMMENT ON COLUMN @extschema@.ldp_statistic.expected IS
    'expected value under honest reporting, or the closest possible one';
COMMENT ON COLUMN @extschema@.ldp_statistic.p_value IS
    'probability of a deviation at least this large under honest reporting';

DO $script$
DECLARE
    twin record;
BEGIN
    FOR twin IN
        SELECT a.attrelid::regclass AS type, a.attname AS name, col_description(o.attrelid, o.attnum) AS description
        FROM pg_attribute AS a JOIN pg_attribute AS o ON o.attname = a.attname AND o.attrelid = '@extschema@.ldp_estimate_row'::regclass
        WHERE a.attrelid IN ('@extschema@.ldp_ranked'::regclass, '@extschema@.ldp_string_proportion'::regclass,
                              '@extschema@.ldp_quantile_at'::regclass,
                             '@extschema@.ldp_bin'::regclass, '@extschema@.ldp_cell'::regclass)
          AND col_description(a.attrelid, a.attnum) IS NULL
    LOOP
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', twin.type, twin.name, twin.description);
    END LOOP;
END
$script$;

-- The state of an aggregate: its arguments besides the reports, if any, then a summary or a list of few reports. It is not
-- meant to be stored; its text and binary formats serve the transfer between servers.
CREATE TYPE ldp_internal.ldp_agg_state;
CREATE FUNCTION ldp_internal.ldp_agg_state_in(cstring) RETURNS ldp_internal.ldp_agg_state
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION ldp_internal.ldp_agg_state_out(ldp_internal.ldp_agg_state) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION ldp_internal.ldp_agg_state_recv(internal) RETURNS ldp_internal.ldp_agg_state
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION ldp_internal.ldp_agg_state_send(ldp_internal.ldp_agg_state) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE TYPE ldp_internal.ldp_agg_state (
    INPUT = ldp_internal.ldp_agg_state_in, OUTPUT = ldp_internal.ldp_agg_state_out,
    RECEIVE = ldp_internal.ldp_agg_state_recv, SEND = ldp_internal.ldp_agg_state_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended
);
COMMENT ON TYPE ldp_internal.ldp_agg_state IS 'state of an aggregate: its arguments, and a summary or a list of few reports';
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_in(cstring) IS
    'Converts Base64 text to an aggregate state; validates all bytes.';
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_out(ldp_internal.ldp_agg_state) IS
    'Converts an aggregate state to Base64 text of its short form.';
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_recv(internal) IS
    'Converts the bytes of the short form to an aggregate state; validates all bytes.';
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_send(ldp_internal.ldp_agg_state) IS 'Converts an aggregate state to the bytes of its short form.';

