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
COMMENT ON FUNCTION ldp_internal.ldp_schema() IS
    'Returns the quoted name of the schema that has the extension''s public objects.';

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
    'subject of a function: the name of a collection or a rollup, a summary, or an array of groups with their summaries; '
    'an argument type, not meant for columns of tables';
COMMENT ON FUNCTION ldp_internal.ldp_source_in(cstring) IS
    'Converts the name of a collection or a rollup, or the text of a summary, to a source.';
COMMENT ON FUNCTION ldp_internal.ldp_source_out(@extschema@.ldp_source) IS
    'Converts a source to its name, or to the text of its summary. Groups are converted to their number in parentheses.';
COMMENT ON FUNCTION ldp_internal.ldp_source_recv(internal) IS 'Converts text to a source.';
COMMENT ON FUNCTION ldp_internal.ldp_source_send(@extschema@.ldp_source) IS 'Converts a source to its text.';

CREATE FUNCTION ldp_internal.ldp_source_of_text(text) RETURNS @extschema@.ldp_source
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_source_of_text(text) IS
    'Converts text to a source. Implements the casts from text and varchar.';
CREATE FUNCTION ldp_internal.ldp_source_of_name(name) RETURNS @extschema@.ldp_source
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_source_of_name(name) IS 'Converts a name to a source. Implements a cast.';
CREATE FUNCTION ldp_internal.ldp_source_of_summary(@extschema@.ldp_summary) RETURNS @extschema@.ldp_source
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_source_of_summary(@extschema@.ldp_summary) IS
    'Converts a summary to a source. Implements a cast.';
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
-- The rows of every estimate begin with the columns of ldp_row, and are converted to it without loss of the estimate: rows of
-- different functions can be put together. Further columns of several row types have the same name and type in each of them. The
-- comment on a column of ldp_row applies to the other types, too.

CREATE TYPE @extschema@.ldp_row AS (
    attribute text, label text, statistic text, estimate float8, stderr float8, lower float8, upper float8, n bigint, group_key jsonb, note text, source text
);
COMMENT ON TYPE @extschema@.ldp_row IS
    'an estimate with its error: the columns with which the rows of all estimates begin';
COMMENT ON COLUMN @extschema@.ldp_row.attribute IS
    'name of the attribute; its number if no collection in this database has the spec';
COMMENT ON COLUMN @extschema@.ldp_row.label IS
    'label or number of the value, or the range, string, term or cell of the row; NULL if the row has none';
COMMENT ON COLUMN @extschema@.ldp_row.statistic IS
    'what is estimated: mean, proportion, response_rate, quantile and others';
COMMENT ON COLUMN @extschema@.ldp_row.estimate IS
    'the estimate: a share as a proportion, or a number in the attribute''s units';
COMMENT ON COLUMN @extschema@.ldp_row.stderr IS 'standard error of the estimate';
COMMENT ON COLUMN @extschema@.ldp_row.lower IS 'lower end of the interval';
COMMENT ON COLUMN @extschema@.ldp_row.upper IS 'upper end of the interval';
COMMENT ON COLUMN @extschema@.ldp_row.n IS 'number of reports';
COMMENT ON COLUMN @extschema@.ldp_row.group_key IS 'the group: its columns and their values; NULL without groups';
COMMENT ON COLUMN @extschema@.ldp_row.note IS
    'reason for missing estimates, reason for errors larger than those of n reports, or the values that the row covers';
COMMENT ON COLUMN @extschema@.ldp_row.source IS
    'the spec and a digest of the summary: rows of the same reports have the same source, and may be correlated';

DO $script$
DECLARE
    prefix text := (SELECT string_agg(format('%I %s', attname, format_type(atttypid, NULL)), ', ' ORDER BY attnum)
                    FROM pg_attribute WHERE attrelid = '@extschema@.ldp_row'::regclass);
    fields text := (SELECT string_agg(format('($1).%I', attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '@extschema@.ldp_row'::regclass);
    type text[];
BEGIN
    FOREACH type SLICE 1 IN ARRAY ARRAY[
        ['ldp_estimate_row', 'people bigint, attribute_number integer, value integer',
         'estimated mean of an attribute, or estimated share of one of its values'],
        ['ldp_ranked', 'p_value float8, people bigint, attribute_number integer, value integer',
         'estimate and its significance'],
        ['ldp_quantile_at', 'probability float8, people bigint, attribute_number integer',
         'estimated quantile: the value below which a share of the people lies'],
        ['ldp_bin', 'low float8, high float8, people bigint, attribute_number integer, bin integer',
         'estimated share of a range of numbers'],
        ['ldp_cell', 'cell text[], people bigint, cell_numbers integer[]',
         'estimated share of a cell of a table, or of a box of several cells'],
        ['ldp_conditional_cell', 'given_cell text[], cell text[], people bigint, given_numbers integer[], cell_numbers integer[]',
         'estimated share of a cell among the people of another cell'],
        ['ldp_string_proportion', 'whole boolean, p_value float8, people bigint, attribute_number integer',
         'estimated share of a string of an open domain, and its significance'],
        ['ldp_hitter', 'whole boolean, p_value float8, round integer',
         'estimated share of a string that a search has found, and its significance'],
        ['ldp_series_row', 'round integer, people bigint, attribute_number integer, value integer',
         'estimate of one round of a series'],
        ['ldp_series_quantile', 'round integer, probability float8, people bigint, attribute_number integer',
         'estimated quantile of one round of a series'],
        ['ldp_comparison', 'baseline text, baseline_n bigint, p_value float8, adjusted_p_value float8, attribute_number integer, value integer',
         'difference between a group and the baseline, and its significance'],
        ['ldp_calibrated', 'design_effect float8, people bigint, attribute_number integer, value integer',
         'estimate that agrees with known totals'],
        ['ldp_cluster_mean', 'groups_used integer, degrees_of_freedom float8, between_sd float8, between_sd_lower float8, between_sd_upper float8, '
         || 'icc float8, icc_lower float8, icc_upper float8, design_effect float8, people bigint, attribute_number integer, value integer',
         'mean over groups that are a sample of groups'],
        ['ldp_small_area', 'own_estimate float8, own_stderr float8, weight float8, people bigint, attribute_number integer, value integer',
         'estimate of one of many groups'],
        ['ldp_smoothed', 'own_estimate float8, own_stderr float8, season_effect float8, jump_p_value float8, adjusted_p_value float8, people bigint, attribute_number integer, value integer',
         'estimate of a point in time of a smoothed series'],
        ['ldp_curve_point', 'x float8, bandwidth_used float8',
         'point of a curve'],
        ['ldp_term', 'term text, people bigint',
         'term of a regression'],
        ['ldp_winsorized', 'window_low float8, window_high float8, coverage float8, coverage_lower float8, bias_bound float8, pilot_n bigint, people bigint',
         'winsorized mean and its window'],
        ['ldp_coefficient', 'coefficient integer, people bigint',
         'estimated Haar coefficient'],
        ['ldp_shrunk', 'rmse float8, people bigint, attribute_number integer',
         'shrunk mean and its estimated error'],
        ['ldp_spent_share', 'p_value float8, people bigint',
         'share of the people whose budget is spent']
    ] LOOP
        EXECUTE format('CREATE TYPE %1$s.%2$s AS (%3$s, %4$s)', '@extschema@', type[1], prefix, type[2]);
        EXECUTE format('COMMENT ON TYPE %1$s.%2$s IS %3$L', '@extschema@', type[1], type[3]);
        EXECUTE format('CREATE FUNCTION ldp_internal.ldp_row_of(%1$s.%2$s) RETURNS %1$s.ldp_row LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
                        ''SELECT ROW(%3$s)::%1$s.ldp_row''',
                       '@extschema@', type[1], fields);
        EXECUTE format('COMMENT ON FUNCTION ldp_internal.ldp_row_of(%1$s.%2$s) IS ''Returns the first columns of a row. Implements a cast.''', '@extschema@', type[1]);
        EXECUTE format('CREATE CAST (%1$s.%2$s AS %1$s.ldp_row) WITH FUNCTION ldp_internal.ldp_row_of(%1$s.%2$s) AS IMPLICIT', '@extschema@', type[1]);
    END LOOP;
    FOREACH type SLICE 1 IN ARRAY ARRAY[
        ['people', 'lower bound on the number of distinct respondents, at one report per round; NULL if the rounds are unknown'],
        ['attribute_number', 'number of the attribute, from 0'],
        ['value', 'number of the value, from 0'],
        ['p_value', 'probability of an estimate at least this far from zero if the true value is zero; adjusted for all rows that were tested if the row has no adjusted p-value'],
        ['adjusted_p_value', 'p-value, adjusted for all rows'],
        ['probability', 'requested probability: the share of the people below the quantile'],
        ['low', 'lower end of the range'],
        ['high', 'upper end of the range'],
        ['bin', 'number of the bin, from 0'],
        ['cell', 'values, by label or number, one for each requested attribute'],
        ['cell_numbers', 'numbers of the values, from 0; NULL for a box'],
        ['given_cell', 'values of the condition, by label or number'],
        ['given_numbers', 'numbers of the values of the condition, from 0'],
        ['whole', 'true if the string ends here; false if it has all characters that are reported, so longer strings may begin with it'],
        ['round', 'round of the series'],
        ['baseline', 'name of the group that is compared with; NULL for all other groups together'],
        ['baseline_n', 'number of reports of the baseline'],
        ['design_effect', 'variance of the estimate divided by the variance without groups or weights'],
        ['groups_used', 'number of groups with enough reports'],
        ['degrees_of_freedom', 'degrees of freedom of the interval'],
        ['between_sd', 'standard deviation between the true values of the groups'],
        ['between_sd_lower', 'lower end of the interval of between_sd'],
        ['between_sd_upper', 'upper end of the interval of between_sd'],
        ['icc', 'intraclass correlation: the share of the variance of people that lies between groups'],
        ['icc_lower', 'lower end of the interval of icc'],
        ['icc_upper', 'upper end of the interval of icc'],
        ['own_estimate', 'estimate from the reports of this group alone'],
        ['own_stderr', 'standard error of own_estimate'],
        ['weight', 'weight of own_estimate in the estimate, from 0 to 1'],
        ['season_effect', 'deviation of the season from the mean of all seasons'],
        ['jump_p_value', 'p-value of a jump at this time'],
        ['x', 'number of the group, at which the curve is estimated'],
        ['bandwidth_used', 'bandwidth of the curve'],
        ['term', 'predictor, or (intercept)'],
        ['window_low', 'lower end of the window to which numbers are clamped'],
        ['window_high', 'upper end of the window'],
        ['coverage', 'estimated share of the people inside the window'],
        ['coverage_lower', 'lower end of the interval of coverage'],
        ['bias_bound', 'bound of the bias by numbers outside the window'],
        ['pilot_n', 'number of reports of the histogram'],
        ['coefficient', 'number of the Haar coefficient'],
        ['rmse', 'estimated root mean squared error']
    ] LOOP
        EXECUTE (
            SELECT string_agg(format('COMMENT ON COLUMN %s.%I IS %L', a.attrelid::regclass, a.attname, type[2]), '; ')
            FROM pg_cast AS c JOIN pg_type AS t ON t.oid = c.castsource JOIN pg_attribute AS a ON a.attrelid = t.typrelid
            WHERE c.casttarget = '@extschema@.ldp_row'::regtype AND a.attname = type[1]);
    END LOOP;
    EXECUTE (
        SELECT string_agg(format('COMMENT ON COLUMN %s.%I IS %L', a.attrelid::regclass, a.attname, col_description(r.attrelid, r.attnum)), '; ')
        FROM pg_cast AS c JOIN pg_type AS t ON t.oid = c.castsource JOIN pg_attribute AS a ON a.attrelid = t.typrelid
        JOIN pg_attribute AS r ON r.attrelid = '@extschema@.ldp_row'::regclass AND r.attname = a.attname
        WHERE c.casttarget = '@extschema@.ldp_row'::regtype AND r.attnum > 0);
END
$script$;

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
COMMENT ON TYPE ldp_internal.ldp_agg_state IS
    'state of an aggregate: its arguments, and a summary or a list of few reports';
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_in(cstring) IS
    'Converts Base64 text to an aggregate state; validates all bytes.';
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_out(ldp_internal.ldp_agg_state) IS
    'Converts an aggregate state to Base64 text of its short form.';
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_recv(internal) IS
    'Converts the bytes of the short form to an aggregate state; validates all bytes.';
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_send(ldp_internal.ldp_agg_state) IS
    'Converts an aggregate state to the bytes of its short form.';

