-- ldp: private aggregate queries. The script is one file a topic; the Makefile lists them (TOPICS) in the order in which
-- the build joins them.
--
-- The schema that this is installed into may belong to somebody who is not to gain the installer's rights, and so
-- may every schema on a caller's search_path. Nothing of theirs is ever picked up instead of PostgreSQL's own:
--   - the script runs with PostgreSQL's schema alone on its path, and names everything of ldp's with its schema
--     (@extschema@, written in by CREATE EXTENSION; hence relocatable = false);
--   - so do the bodies of functions, which pin their path;
--   - the two bodies that do not, because they insert where the caller's triggers run, name every function with its
--     schema and use no operator.
--
-- Nobody writes to ldp's own tables but through its functions. Those that do come in pairs: NAME, which anybody may
-- call, and NAME_as, which nobody may, and which runs with the rights of the extension's owner. NAME calls NAME_as
-- with the name of its caller before its arguments, and NAME_as decides what that role may do.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION ldp" to load this file. \quit

SET LOCAL search_path = pg_catalog, pg_temp;

-- Types -----------------------------------------------------------------------------------------------------

CREATE TYPE @extschema@.ldp_report;
CREATE TYPE @extschema@.ldp_report_batch;
CREATE TYPE @extschema@.ldp_summary;

CREATE FUNCTION @extschema@.ldp_report_in(cstring) RETURNS @extschema@.ldp_report
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION @extschema@.ldp_report_out(@extschema@.ldp_report) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION @extschema@.ldp_report_recv(internal) RETURNS @extschema@.ldp_report
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION @extschema@.ldp_report_send(@extschema@.ldp_report) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE @extschema@.ldp_report (
    INPUT = @extschema@.ldp_report_in, OUTPUT = @extschema@.ldp_report_out, RECEIVE = @extschema@.ldp_report_recv, SEND = @extschema@.ldp_report_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended, CATEGORY = 'l'
);
COMMENT ON TYPE @extschema@.ldp_report IS 'one perturbed report, with the parameters that its noise was drawn with';
COMMENT ON FUNCTION @extschema@.ldp_report_in(cstring) IS 'hexadecimal text to report; checks everything';
COMMENT ON FUNCTION @extschema@.ldp_report_out(@extschema@.ldp_report) IS 'report to hexadecimal text';
COMMENT ON FUNCTION @extschema@.ldp_report_recv(internal) IS 'bytes to report; checks everything';
COMMENT ON FUNCTION @extschema@.ldp_report_send(@extschema@.ldp_report) IS 'report to bytes';

CREATE FUNCTION @extschema@.ldp_report_batch_in(cstring) RETURNS @extschema@.ldp_report_batch
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
CREATE FUNCTION @extschema@.ldp_report_batch_out(@extschema@.ldp_report_batch) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
CREATE FUNCTION @extschema@.ldp_report_batch_recv(internal) RETURNS @extschema@.ldp_report_batch
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
CREATE FUNCTION @extschema@.ldp_report_batch_send(@extschema@.ldp_report_batch) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE @extschema@.ldp_report_batch (
    INPUT = @extschema@.ldp_report_batch_in, OUTPUT = @extschema@.ldp_report_batch_out,
    RECEIVE = @extschema@.ldp_report_batch_recv, SEND = @extschema@.ldp_report_batch_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended, CATEGORY = 'l'
);
COMMENT ON TYPE @extschema@.ldp_report_batch IS
    'many reports of one spec as one value, which has its parameters once; their order tells nothing';
COMMENT ON FUNCTION @extschema@.ldp_report_batch_in(cstring) IS 'hexadecimal text to batch; checks everything';
COMMENT ON FUNCTION @extschema@.ldp_report_batch_out(@extschema@.ldp_report_batch) IS 'batch to hexadecimal text';
COMMENT ON FUNCTION @extschema@.ldp_report_batch_recv(internal) IS 'bytes to batch; checks everything';
COMMENT ON FUNCTION @extschema@.ldp_report_batch_send(@extschema@.ldp_report_batch) IS 'batch to bytes';

-- Where a literal could be a report, a batch or a summary, it is a summary.
CREATE FUNCTION @extschema@.ldp_summary_in(cstring) RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION @extschema@.ldp_summary_out(@extschema@.ldp_summary) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION @extschema@.ldp_summary_recv(internal) RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION @extschema@.ldp_summary_send(@extschema@.ldp_summary) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE @extschema@.ldp_summary (
    INPUT = @extschema@.ldp_summary_in, OUTPUT = @extschema@.ldp_summary_out, RECEIVE = @extschema@.ldp_summary_recv, SEND = @extschema@.ldp_summary_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended, CATEGORY = 'l', PREFERRED = true
);
COMMENT ON TYPE @extschema@.ldp_summary IS
    'what reports add up to: all that estimates need; its size depends on the spec, not on the number of reports';
COMMENT ON FUNCTION @extschema@.ldp_summary_in(cstring) IS 'hexadecimal text to summary; checks everything';
COMMENT ON FUNCTION @extschema@.ldp_summary_out(@extschema@.ldp_summary) IS 'summary to hexadecimal text';
COMMENT ON FUNCTION @extschema@.ldp_summary_recv(internal) IS 'bytes to summary; checks everything';
COMMENT ON FUNCTION @extschema@.ldp_summary_send(@extschema@.ldp_summary) IS 'summary to bytes';

-- Equality, order and hashing by bytes, so that GROUP BY, DISTINCT, ORDER BY and indexes work: PostgreSQL's
-- functions for bytea under names of their own, for all three types alike. Names reach format() as arguments, for the
-- schema's may hold a percent sign.
DO $script$
DECLARE
    type text;
    operator text[];
BEGIN
    FOREACH type IN ARRAY ARRAY['@extschema@.ldp_report', '@extschema@.ldp_report_batch', '@extschema@.ldp_summary'] LOOP
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
            EXECUTE format('CREATE OPERATOR %7$s.%2$s (FUNCTION = %1$s_%3$s, LEFTARG = %1$s, RIGHTARG = %1$s,
                            COMMUTATOR = OPERATOR(%7$s.%4$s), NEGATOR = OPERATOR(%7$s.%5$s), RESTRICT = %6$s)',
                           type, operator[2], operator[1], operator[3], operator[4], operator[5], '@extschema@');
            EXECUTE format('COMMENT ON FUNCTION %1$s_%2$s(%1$s, %1$s) IS %3$L', type, operator[1],
                           'implementation of the operator ' || operator[2]);
            EXECUTE format('COMMENT ON OPERATOR %4$s.%2$s (%1$s, %1$s) IS %3$L', type, operator[2], operator[6], '@extschema@');
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
                OPERATOR 1 %2$s.<, OPERATOR 2 %2$s.<=, OPERATOR 3 %2$s.=, OPERATOR 4 %2$s.>=, OPERATOR 5 %2$s.>,
                FUNCTION 1 %1$s_cmp(%1$s, %1$s),
                FUNCTION 2 bytea_sortsupport(internal);
            CREATE OPERATOR FAMILY %1$s_hash USING hash;
            CREATE OPERATOR CLASS %1$s_hash DEFAULT FOR TYPE %1$s USING hash FAMILY %1$s_hash AS
                OPERATOR 1 %2$s.=,
                FUNCTION 1 %1$s_hash(%1$s),
                FUNCTION 2 %1$s_hash_extended(%1$s, bigint);
            COMMENT ON OPERATOR FAMILY %1$s_order USING btree IS ''by bytes'';
            COMMENT ON OPERATOR CLASS %1$s_order USING btree IS ''by bytes'';
            COMMENT ON OPERATOR FAMILY %1$s_hash USING hash IS ''by bytes'';
            COMMENT ON OPERATOR CLASS %1$s_hash USING hash IS ''by bytes''', type, '@extschema@');
    END LOOP;
END
$script$;

-- Answers ---------------------------------------------------------------------------------------------------
-- A column that stands in several kinds of rows has the same name, type and order in each: what the row is about,
-- in words; the estimate and how sure it is; of how many reports; the numbers behind the words. What
-- is said of a column of ldp_answer holds in the others, too.

CREATE TYPE @extschema@.ldp_answer AS (
    attribute text, label text, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint,
    attribute_number integer, value integer, note text
);
COMMENT ON TYPE @extschema@.ldp_answer IS 'an estimated mean of an attribute, or share of one of its values';
COMMENT ON COLUMN @extschema@.ldp_answer.attribute IS 'the attribute, by name; its number where no collection here knows its name';
COMMENT ON COLUMN @extschema@.ldp_answer.label IS 'the value, by label or number; NULL if the row is about no single value';
COMMENT ON COLUMN @extschema@.ldp_answer.estimate IS 'the estimate: a share of 1, or a mean in the attribute''s own units';
COMMENT ON COLUMN @extschema@.ldp_answer.stderr IS 'its standard error';
COMMENT ON COLUMN @extschema@.ldp_answer.lower IS 'the lower end of its interval';
COMMENT ON COLUMN @extschema@.ldp_answer.upper IS 'the upper end of its interval';
COMMENT ON COLUMN @extschema@.ldp_answer.n IS 'how many reports the row is about';
COMMENT ON COLUMN @extschema@.ldp_answer.people IS 'the fewest people whose reports these can be, at one a round; NULL if their rounds were not told';
COMMENT ON COLUMN @extschema@.ldp_answer.attribute_number IS 'the attribute''s number, from 0';
COMMENT ON COLUMN @extschema@.ldp_answer.value IS 'the value''s number, from 0';
COMMENT ON COLUMN @extschema@.ldp_answer.note IS 'why estimates are not shown, errors are larger than n reports would have, or of what values an answer is';

CREATE TYPE @extschema@.ldp_ranked AS (
    attribute text, label text, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint, p_value float8,
    attribute_number integer, value integer, note text
);
COMMENT ON TYPE @extschema@.ldp_ranked IS 'an estimated share and its significance';
COMMENT ON COLUMN @extschema@.ldp_ranked.p_value IS 'how likely so large an estimate is of a value that nobody holds, adjusted for all values';

CREATE TYPE @extschema@.ldp_quantile_at AS (
    attribute text, share float8, estimate float8, lower float8, upper float8, n bigint, people bigint,
    attribute_number integer, note text
);
COMMENT ON TYPE @extschema@.ldp_quantile_at IS 'the estimated value below which a share of the people lies';
COMMENT ON COLUMN @extschema@.ldp_quantile_at.share IS 'the share asked for';
COMMENT ON COLUMN @extschema@.ldp_quantile_at.estimate IS 'the value below which it lies, in the attribute''s own units';

CREATE TYPE @extschema@.ldp_bin AS (
    attribute text, low float8, high float8, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint,
    attribute_number integer, bin integer, note text
);
COMMENT ON TYPE @extschema@.ldp_bin IS 'the estimated share of a bin of a histogram';
COMMENT ON COLUMN @extschema@.ldp_bin.low IS 'where the bin begins';
COMMENT ON COLUMN @extschema@.ldp_bin.high IS 'where the bin ends';
COMMENT ON COLUMN @extschema@.ldp_bin.bin IS 'the bin''s number, from 0';

CREATE TYPE @extschema@.ldp_cell AS (
    cell text[], estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint, cell_numbers integer[], note text
);
COMMENT ON TYPE @extschema@.ldp_cell IS 'the estimated share of a cell of a cross table, or of a box of several';
COMMENT ON COLUMN @extschema@.ldp_cell.cell IS 'the values, by label or number, one for each attribute asked for';
COMMENT ON COLUMN @extschema@.ldp_cell.cell_numbers IS 'the values'' numbers, from 0; NULL of a box';

CREATE TYPE @extschema@.ldp_statistic AS (
    statistic text, observed float8, expected float8, p_value float8
);
COMMENT ON TYPE @extschema@.ldp_statistic IS 'what honest reports follow, and how likely they are as far off';
COMMENT ON COLUMN @extschema@.ldp_statistic.statistic IS 'what was looked at';
COMMENT ON COLUMN @extschema@.ldp_statistic.observed IS 'what the reports have';
COMMENT ON COLUMN @extschema@.ldp_statistic.expected IS 'what honest reports would have, or the nearest they could';
COMMENT ON COLUMN @extschema@.ldp_statistic.p_value IS 'how likely honest reports are as far off';

DO $script$
DECLARE
    twin record;
BEGIN
    FOR twin IN
        SELECT a.attrelid::regclass AS type, a.attname AS name, col_description(o.attrelid, o.attnum) AS description
        FROM pg_attribute AS a JOIN pg_attribute AS o ON o.attname = a.attname AND o.attrelid = '@extschema@.ldp_answer'::regclass
        WHERE a.attrelid IN ('@extschema@.ldp_ranked'::regclass, '@extschema@.ldp_quantile_at'::regclass,
                             '@extschema@.ldp_bin'::regclass, '@extschema@.ldp_cell'::regclass)
          AND col_description(a.attrelid, a.attnum) IS NULL
    LOOP
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', twin.type, twin.name, twin.description);
    END LOOP;
END
$script$;

-- The state of an aggregate that is asked more than its reports: the arguments, then a summary. It is not for storing;
-- text and bytes let it travel between servers.
CREATE TYPE @extschema@.ldp_query;
CREATE FUNCTION @extschema@.ldp_query_in(cstring) RETURNS @extschema@.ldp_query
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION @extschema@.ldp_query_out(@extschema@.ldp_query) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION @extschema@.ldp_query_recv(internal) RETURNS @extschema@.ldp_query
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION @extschema@.ldp_query_send(@extschema@.ldp_query) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE @extschema@.ldp_query (
    INPUT = @extschema@.ldp_query_in, OUTPUT = @extschema@.ldp_query_out,
    RECEIVE = @extschema@.ldp_query_recv, SEND = @extschema@.ldp_query_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended
);
COMMENT ON TYPE @extschema@.ldp_query IS 'a summary and what an aggregate was asked of it; the state of one that is at work';
COMMENT ON FUNCTION @extschema@.ldp_query_in(cstring) IS 'hexadecimal text to question; checks everything';
COMMENT ON FUNCTION @extschema@.ldp_query_out(@extschema@.ldp_query) IS 'question to hexadecimal text';
COMMENT ON FUNCTION @extschema@.ldp_query_recv(internal) IS 'bytes to question; checks everything';
COMMENT ON FUNCTION @extschema@.ldp_query_send(@extschema@.ldp_query) IS 'question to bytes';

