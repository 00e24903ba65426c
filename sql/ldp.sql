-- ldp: private aggregate queries. One current script, read from top to bottom: types, what counts reports, specs,
-- roles, collections (tables of reports that belong to a spec), submission, names, accessors, aggregates that answer
-- in one step, batches, searches for frequent strings, privileges. It is long because it is all there is.
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
CREATE TYPE @extschema@.ldp_question;
CREATE FUNCTION @extschema@.ldp_question_in(cstring) RETURNS @extschema@.ldp_question
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION @extschema@.ldp_question_out(@extschema@.ldp_question) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION @extschema@.ldp_question_recv(internal) RETURNS @extschema@.ldp_question
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION @extschema@.ldp_question_send(@extschema@.ldp_question) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE @extschema@.ldp_question (
    INPUT = @extschema@.ldp_question_in, OUTPUT = @extschema@.ldp_question_out,
    RECEIVE = @extschema@.ldp_question_recv, SEND = @extschema@.ldp_question_send,
    INTERNALLENGTH = variable, ALIGNMENT = int4, STORAGE = extended
);
COMMENT ON TYPE @extschema@.ldp_question IS 'a summary and what an aggregate was asked of it; the state of one that is at work';
COMMENT ON FUNCTION @extschema@.ldp_question_in(cstring) IS 'hexadecimal text to question; checks everything';
COMMENT ON FUNCTION @extschema@.ldp_question_out(@extschema@.ldp_question) IS 'question to hexadecimal text';
COMMENT ON FUNCTION @extschema@.ldp_question_recv(internal) IS 'bytes to question; checks everything';
COMMENT ON FUNCTION @extschema@.ldp_question_send(@extschema@.ldp_question) IS 'question to bytes';

-- Counting --------------------------------------------------------------------------------------------------
-- States are combined by parallel workers, partitions and other servers as they are.

CREATE FUNCTION @extschema@.ldp_summary_accumulate(summary @extschema@.ldp_summary,
        report @extschema@.ldp_report)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_summary_accumulate(@extschema@.ldp_summary, @extschema@.ldp_report) IS
    'the summary with one more report; NULL is the summary of no reports';

CREATE FUNCTION @extschema@.ldp_summary_accumulate(summary @extschema@.ldp_summary,
        report @extschema@.ldp_report, round integer)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME', 'ldp_summary_accumulate_round' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_summary_accumulate(@extschema@.ldp_summary, @extschema@.ldp_report, integer) IS
    'the summary with one more report, of this round; NULL is the summary of no reports';

CREATE FUNCTION @extschema@.ldp_summary_merge(summary @extschema@.ldp_summary, other @extschema@.ldp_summary)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_summary_merge(@extschema@.ldp_summary, @extschema@.ldp_summary) IS
    'the summary of the reports of both; NULL is the summary of no reports; error 42804 if their specs differ';

-- What leaves a moving window is taken out of its summary again. NULL says that this cannot be: then PostgreSQL adds up
-- what is left in the window. Both functions are strict, for a window wants its state never to be NULL.

CREATE FUNCTION @extschema@.ldp_window_merge(summary @extschema@.ldp_summary, other @extschema@.ldp_summary)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME', 'ldp_summary_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_window_merge(@extschema@.ldp_summary, @extschema@.ldp_summary) IS
    'the summary of the reports of both, of which neither is NULL';

CREATE FUNCTION @extschema@.ldp_summary_subtract(summary @extschema@.ldp_summary, part @extschema@.ldp_summary)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_summary_subtract(@extschema@.ldp_summary, @extschema@.ldp_summary) IS
    'the summary without a part that was added to it; NULL if nothing is left, or the rounds that are left are not known';

CREATE FUNCTION @extschema@.ldp_window_accumulate(window_state internal, report @extschema@.ldp_report) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_window_accumulate(internal, @extschema@.ldp_report) IS 'transition function of ldp_agg over a moving window';
CREATE FUNCTION @extschema@.ldp_window_remove(window_state internal, report @extschema@.ldp_report) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_window_remove(internal, @extschema@.ldp_report) IS 'inverse transition function of ldp_agg over a moving window';
CREATE FUNCTION @extschema@.ldp_window_final(window_state internal) RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_window_final(internal) IS 'final function of ldp_agg over a moving window';

CREATE FUNCTION @extschema@.ldp_question_accumulate(question @extschema@.ldp_question,
        report @extschema@.ldp_report, number float8)
    RETURNS @extschema@.ldp_question
    AS 'MODULE_PATHNAME', 'ldp_question_number' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_question_accumulate(@extschema@.ldp_question, @extschema@.ldp_report, float8) IS
    'the question with one more report; NULL is one of no reports';

CREATE FUNCTION @extschema@.ldp_question_accumulate(question @extschema@.ldp_question,
        report @extschema@.ldp_report, number integer)
    RETURNS @extschema@.ldp_question
    AS 'MODULE_PATHNAME', 'ldp_question_integer' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_question_accumulate(@extschema@.ldp_question, @extschema@.ldp_report, integer) IS
    'the question with one more report; NULL is one of no reports';

CREATE FUNCTION @extschema@.ldp_question_accumulate(question @extschema@.ldp_question,
        report @extschema@.ldp_report, low float8, high float8)
    RETURNS @extschema@.ldp_question
    AS 'MODULE_PATHNAME', 'ldp_question_range' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_question_accumulate(@extschema@.ldp_question, @extschema@.ldp_report, float8, float8) IS
    'the question with one more report; NULL is one of no reports';

CREATE FUNCTION @extschema@.ldp_question_accumulate(question @extschema@.ldp_question,
        report @extschema@.ldp_report, numbers float8[])
    RETURNS @extschema@.ldp_question
    AS 'MODULE_PATHNAME', 'ldp_question_numbers' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_question_accumulate(@extschema@.ldp_question, @extschema@.ldp_report, float8[]) IS
    'the question with one more report; NULL is one of no reports';

CREATE FUNCTION @extschema@.ldp_question_accumulate(question @extschema@.ldp_question,
        report @extschema@.ldp_report, words text)
    RETURNS @extschema@.ldp_question
    AS 'MODULE_PATHNAME', 'ldp_question_text' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_question_accumulate(@extschema@.ldp_question, @extschema@.ldp_report, text) IS
    'the question with one more report; NULL is one of no reports';

CREATE FUNCTION @extschema@.ldp_question_merge(question @extschema@.ldp_question,
        other @extschema@.ldp_question)
    RETURNS @extschema@.ldp_question
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_question_merge(@extschema@.ldp_question, @extschema@.ldp_question) IS
    'the question about the reports of both; NULL is one of no reports';

CREATE AGGREGATE @extschema@.ldp_agg(report @extschema@.ldp_report) (
    SFUNC = @extschema@.ldp_summary_accumulate, STYPE = @extschema@.ldp_summary, SSPACE = 512,
    COMBINEFUNC = @extschema@.ldp_summary_merge, PARALLEL = SAFE,
    MSFUNC = @extschema@.ldp_window_accumulate, MINVFUNC = @extschema@.ldp_window_remove, MSTYPE = internal, MSSPACE = 512,
    MFINALFUNC = @extschema@.ldp_window_final
);
COMMENT ON AGGREGATE @extschema@.ldp_agg(@extschema@.ldp_report) IS
    'reports to their summary, for the accessors to answer from; NULL of no reports, error 42804 if specs differ';

CREATE AGGREGATE @extschema@.ldp_agg(report @extschema@.ldp_report, round integer) (
    SFUNC = @extschema@.ldp_summary_accumulate, STYPE = @extschema@.ldp_summary, SSPACE = 512,
    COMBINEFUNC = @extschema@.ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_agg(@extschema@.ldp_report, integer) IS
    'reports to their summary, which knows their rounds: what errors need where people keep their answers; NULL of '
    'no reports, error 42804 if specs differ';

CREATE AGGREGATE @extschema@.ldp_rollup(summary @extschema@.ldp_summary) (
    SFUNC = @extschema@.ldp_summary_merge, STYPE = @extschema@.ldp_summary, SSPACE = 512,
    COMBINEFUNC = @extschema@.ldp_summary_merge, PARALLEL = SAFE,
    MSFUNC = @extschema@.ldp_window_merge, MINVFUNC = @extschema@.ldp_summary_subtract, MSTYPE = @extschema@.ldp_summary, MSSPACE = 512
);
COMMENT ON AGGREGATE @extschema@.ldp_rollup(@extschema@.ldp_summary) IS
    'summaries of parts to the summary of the whole, byte for byte that of all their reports; NULL of none, error '
    '42804 if specs differ';

-- Specs -----------------------------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.ldp_spec_canonical(spec jsonb) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION @extschema@.ldp_spec_canonical(jsonb) IS
    'the spec with every default filled in, and in "derived" what follows from it, such as sizes in bytes; error '
    '22023 that says what is wrong';

CREATE FUNCTION @extschema@.ldp_spec_parameters(spec jsonb) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION @extschema@.ldp_spec_parameters(jsonb) IS
    'the parameter block that every report under the spec begins with, in bytes; error 22023 if the spec is wrong';

CREATE FUNCTION @extschema@.ldp_spec_fingerprint(spec jsonb) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION @extschema@.ldp_spec_fingerprint(jsonb) IS
    'what identifies the spec in every report and summary, 16 hexadecimal digits; error 22023 if the spec is wrong';

CREATE FUNCTION @extschema@.ldp_part_fingerprint(fingerprint text, attribute integer) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_part_fingerprint(text, integer) IS 'what identifies the summary of one attribute of a record with this fingerprint';

CREATE FUNCTION @extschema@.ldp_check_report(report @extschema@.ldp_report, parameters bytea) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION @extschema@.ldp_check_report(@extschema@.ldp_report, bytea) IS
    'true if the report was made with these parameters, otherwise error 23514; stands in each collection''s CHECK';

CREATE FUNCTION @extschema@.ldp_check_report(batch @extschema@.ldp_report_batch, parameters bytea) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION @extschema@.ldp_check_report(@extschema@.ldp_report_batch, bytea) IS
    'true if the reports of the batch were made with these parameters, otherwise error 23514; stands in a '
    'collection''s CHECK';

CREATE FUNCTION @extschema@.ldp_check_round(round integer, first integer, last integer) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.ldp_check_round(integer, integer, integer) IS
    'true if the round is one of these, otherwise error 23514; stands in each collection''s CHECK';

CREATE FUNCTION @extschema@.ldp_spec_labels(spec jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(e.label ORDER BY e.place)
    FROM (SELECT COALESCE($1 #> '{attributes,0,domain}', @extschema@.ldp_bin_labels(jsonb_build_array($1 #> '{attributes,0}')) #> '{0,domain}')) AS a (domain),
         jsonb_array_elements_text(CASE jsonb_typeof(a.domain) WHEN 'array' THEN a.domain END) WITH ORDINALITY AS e (label, place)
$$;
COMMENT ON FUNCTION @extschema@.ldp_spec_labels(jsonb) IS 'the labels of the values, in order; NULL if a canonical spec gives none';

CREATE FUNCTION @extschema@.ldp_bin_labels(attributes jsonb) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_bin_labels(jsonb) IS
    'the attributes of a canonical spec, numbers in bins with the bins'' labels as their domain';

CREATE FUNCTION @extschema@.ldp_advise(spec jsonb, users bigint DEFAULT 100000,
        OUT mechanism text, OUT stderr float8, OUT lower_bound float8, OUT pull float8, OUT report_bytes bigint,
        OUT summary_bytes bigint, OUT decode_cost float8, OUT obstacle text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_advise(jsonb, bigint) IS
    'the mechanisms that suit a spec''s epsilon, attribute and limits (its own mechanism does not matter), best '
    'first: stderr, of a value with an average share, from so many users; lower_bound, what that of no unbiased '
    'estimate under this epsilon can be below; pull, how far one forged report in a hundred moves it at most, on a '
    'share or on a number from -1 to 1; sizes in bytes; decode_cost, steps of about a nanosecond a report; '
    'obstacle, why "auto" would not choose it';

CREATE FUNCTION @extschema@.ldp_plan(spec jsonb, question jsonb DEFAULT '{}', people bigint DEFAULT NULL,
        OUT source text, OUT stderr float8, OUT part float8, OUT margin float8, OUT effect float8,
        OUT n bigint, OUT epsilon float8, OUT mechanism text, OUT canonical jsonb)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 5;
COMMENT ON FUNCTION @extschema@.ldp_plan(jsonb, jsonb, bigint) IS
    'the standard error to expect of an answer before anybody reports (source "all"), and where it comes from, part '
    'being the share of its square; margin is half an interval, effect what a test would find; of '
    'people, epsilon and error what is not given is found out. Error 22023 if spec or question is wrong';

CREATE FUNCTION @extschema@.ldp_required_n(spec jsonb, question jsonb) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_required_n(jsonb, jsonb) IS
    'how many people the answer to a question needs for the error, margin or effect that it gives; error 22023 if '
    'spec or question is wrong';

CREATE FUNCTION @extschema@.ldp_required_epsilon(spec jsonb, question jsonb, people bigint) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_required_epsilon(jsonb, jsonb, bigint) IS
    'the least epsilon, of four digits, at which so many people are enough; where the spec says "auto", through the '
    'mechanism chosen there';

CREATE FUNCTION @extschema@.ldp_power(spec jsonb, question jsonb, people bigint) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_power(jsonb, jsonb, bigint) IS
    'the chance that a test of so many people''s reports finds the effect that the question gives';

CREATE FUNCTION @extschema@.ldp_influence(spec jsonb, forged float8 DEFAULT 0.01,
        OUT attribute text, OUT one_report float8, OUT down float8, OUT up float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_influence(jsonb, float8) IS
    'what forgers can do to each attribute''s estimate at most, in its own units or of a share: one report among n '
    'moves it by one_report/n, and the share forged of all reports by down or up';

CREATE FUNCTION @extschema@.ldp_minimax_bound(spec jsonb, users bigint DEFAULT 100000)
    RETURNS TABLE (attribute text, stderr float8, lower_bound float8, minimax float8, ratio float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_minimax_bound(jsonb, bigint) IS
    'of each attribute, in its own units: stderr, to expect of an estimate from so many reports; lower_bound, what '
    'that of no unbiased estimate by any mechanism at this epsilon can be below, at its worst people; minimax, what '
    'no estimate at all can be below, root mean squared, of a category over its values; ratio, stderr by '
    'lower_bound. The row without attribute is about all numbers together, scaled to -1 to 1, and has no stderr';

CREATE FUNCTION @extschema@.ldp_compose(epsilons float8[], at_delta float8)
    RETURNS TABLE (method text, epsilon float8, delta float8, smallest boolean)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 3;
COMMENT ON FUNCTION @extschema@.ldp_compose(float8[], float8) IS
    'what answers about one person cost together, each pure at its epsilon (at most 700): basic, advanced and '
    'optimal composition, each with the delta at which it holds; all are true, so the smallest one counts. at_delta '
    'is 1e-200 or more; NULLs are left out';

CREATE FUNCTION @extschema@.ldp_shuffled(local_epsilon float8, n bigint, at_delta float8)
    RETURNS TABLE (epsilon float8, delta float8, closed_form float8, lower_bound float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_shuffled(float8, bigint, float8) IS
    'what a report at local_epsilon costs, at this delta (1e-100 or more), if somebody who is trusted shuffles it '
    'among those of n people (at most 10^9) before anybody sees them; beside it a closed form that holds as well, '
    'NULL where it says nothing, and what no bound for all mechanisms can be below';

CREATE FUNCTION @extschema@.ldp_odds(epsilon float8, prior float8 DEFAULT 0.5, people integer DEFAULT 1)
    RETURNS TABLE (odds float8, right_guess float8, posterior float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_odds(float8, float8, integer) IS
    'what epsilon (at delta 0) means at most: odds, the factor by which odds between two values move; right_guess, '
    'the chance of telling two equally likely values apart; posterior, what is believed of something that was '
    'believed with probability prior. Of people who answer together, of all their values';

CREATE FUNCTION @extschema@.ldp_copies(report @extschema@.ldp_report, copies bigint, reports bigint) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_copies(@extschema@.ldp_report, bigint, bigint) IS
    'a bound of the chance, 0 to 1, that among so many reports of as many honest people any comes as often as this '
    'one did, whatever people''s values are';

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
            HINT = 'ldp_create_collection creates a table; ldp_adopt_collection takes one that has the columns report and round, or '
                   'batch and round.';
    END IF;
    -- One whose table is gone, and what was counted for it.
    DELETE FROM @extschema@.ldp_collection AS c WHERE c.name = ldp_register_collection_as.name;
    DELETE FROM @extschema@.ldp_batch AS b WHERE b.collection = ldp_register_collection_as.name;
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
            EXECUTE format('ALTER TABLE %1$s ALTER COLUMN %2$s SET NOT NULL, ALTER COLUMN round SET NOT NULL, '
                           'ADD CONSTRAINT report_follows_spec CHECK (%3$s.ldp_check_report(%2$s, %4$L))',
                           reports, held, '@extschema@', @extschema@.ldp_spec_parameters(canonical));
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
    'makes a collection of a table of reports that is there: checks all of them, grants what ldp_create_collection '
    'grants, but no side columns, and registers it. Error 42809 if the table cannot be a collection''s, 42501 '
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
            HINT = format('Say ldp_create_collection(%L, …, schema => %L).', split_part(name, '.', 2), split_part(name, '.', 1));
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
            side := side || format(', %I %s', pair[1], pair[2]::regtype);
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
    EXECUTE format('CREATE TABLE %I.%I (%s NOT NULL, round integer NOT NULL DEFAULT 0%s) %s', schema, name,
                   CASE rows WHEN 'batches' THEN 'batch @extschema@.ldp_report_batch' ELSE 'report @extschema@.ldp_report' END, side,
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
    'columns, pairs of name and type, hold what needs no protection. ldp_submitter may insert; ldp_analyst may read '
    '"rows", or only ask for "aggregates"; both need USAGE on the schema. A row holds one of the "reports", or '
    '"batches" of them. Partitioned by the round or a side column, it has a default partition for whatever has none '
    'of its own. Error 22023 if the spec is wrong, 42710 if there is a collection of this name, 42501 unless the '
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
    EXECUTE format('ALTER TABLE %s %s ADD CONSTRAINT round_is_open CHECK (%s.ldp_check_round(round, %L, %L)) NOT VALID',
                   table_name, CASE WHEN EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = reports AND c.conname = 'round_is_open')
                            THEN 'DROP CONSTRAINT round_is_open,' END, '@extschema@', first, COALESCE(last, first));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_open_rounds(text, integer, integer) IS
    'from now on, reports of the rounds first to last are taken and no others, which are error 23514; at first that '
    'is round 0, or those of a series. Waits for queries that read the table, and is its owner''s to call';

-- Reading ---------------------------------------------------------------------------------------------------
-- A table's owner decides what code runs when it is read: expressions of indexes and policies, and more. That code runs
-- as the owner here, whoever asks, and can change nothing of the session. Only where a row-level policy decides what the
-- caller may see is the caller the one who reads.

CREATE TYPE @extschema@.ldp_group AS ("group" jsonb, summary @extschema@.ldp_summary);
COMMENT ON TYPE @extschema@.ldp_group IS 'the summary of a group of a collection''s reports';
COMMENT ON COLUMN @extschema@.ldp_group."group" IS 'what they have in common, by column';
COMMENT ON COLUMN @extschema@.ldp_group.summary IS 'their summary';

CREATE FUNCTION @extschema@.ldp_run_as(role oid, policies boolean, query text, type anyelement) RETURNS anyelement
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_run_as(oid, boolean, text, anyelement) IS
    'the one value, of the last argument''s type, that a query gives with the rights of this role';

CREATE FUNCTION @extschema@.ldp_reader(collection @extschema@.ldp_collection, source regclass, columns text[], caller name,
        OUT role oid, OUT policies boolean, OUT fewest bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation pg_class;
    reads boolean;
BEGIN
    SELECT t.* INTO STRICT relation FROM pg_class AS t WHERE t.oid = source;
    reads := NOT EXISTS (SELECT FROM unnest(columns) AS wanted
                         WHERE NOT has_column_privilege(caller, relation.oid, wanted, 'SELECT'));
    fewest := CASE WHEN reads THEN 0 ELSE COALESCE((collection.spec ->> 'min_group')::bigint, 20) END;
    IF NOT has_schema_privilege(caller, relation.relnamespace, 'USAGE')
       OR NOT (reads OR collection.analysts = 'aggregates' AND pg_has_role(caller, 'ldp_analyst', 'USAGE')) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied to read the reports of collection "%s"', collection.name),
            HINT = 'Members of the role ldp_analyst may read reports, or ask for aggregates; they need USAGE on the schema, too.';
    END IF;
    SELECT r.oid, relation.relrowsecurity AND NOT (r.rolsuper OR r.rolbypassrls)
                  AND (relation.relforcerowsecurity OR NOT pg_has_role(caller, relation.relowner, 'USAGE'))
    INTO STRICT role, policies FROM pg_roles AS r WHERE r.rolname = caller;
    IF NOT reads AND (policies OR (SELECT t.relrowsecurity FROM pg_class AS t WHERE t.oid = collection.reports)) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied: collection "%s" has row-level policies', collection.name),
            DETAIL = 'Policies decide which rows a role may read; of who asks for aggregates they cannot be asked.',
            HINT = 'Give each tenant a collection, or let tenants'' analysts see rows.';
    END IF;
    IF NOT policies THEN
        role := relation.relowner;
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_reader(@extschema@.ldp_collection, regclass, text[], name) IS
    'how a caller reads these columns of a collection''s table, or of one of its rollups: as which role, whether under policies, '
    'and of how many reports together at least; an error if not at all';

CREATE FUNCTION @extschema@.ldp_reading(name text, columns text[], caller name,
        OUT table_name text, OUT held text, OUT role oid, OUT policies boolean, OUT fewest bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection @extschema@.ldp_collection;
BEGIN
    table_name := @extschema@.ldp_table(name);
    SELECT c.* INTO STRICT collection FROM @extschema@.ldp_collection AS c WHERE c.name = ldp_reading.name;
    held := @extschema@.ldp_report_column(collection.reports);
    SELECT r.* INTO role, policies, fewest FROM @extschema@.ldp_reader(collection, collection.reports, columns || held, caller) AS r;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_reading(text, text[], name) IS
    'how a caller reads a collection''s reports: from which table and column, as which role, whether under policies, and of '
    'how many together at least; an error if not at all';

CREATE FUNCTION @extschema@.ldp_summary_of_as(caller name, name text, round integer) RETURNS @extschema@.ldp_summary
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reading record := @extschema@.ldp_reading(name, '{round}', caller);
BEGIN
    RETURN @extschema@.ldp_run_as(reading.role, reading.policies,
        format('SELECT CASE WHEN %1$s.ldp_count(%1$s.ldp_agg(%2$s, round)) >= %3$s THEN %1$s.ldp_agg(%2$s, round) END FROM %4$s '
               'WHERE COALESCE(round = %5$L, true)', '@extschema@', reading.held, reading.fewest, reading.table_name, round),
        NULL::@extschema@.ldp_summary);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_summary_of_as(name, text, integer) IS 'ldp_summary_of, of this caller';

CREATE FUNCTION @extschema@.ldp_summary_of(name text, round integer DEFAULT NULL) RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_summary_of(text, integer) IS
    'the summary of all reports of a collection, or of one round, for the accessors to answer from; NULL of none, '
    'or of fewer than the spec''s min_group for who may not select the reports; error 42501 for who may not ask';

-- A type's owner says what its values are in words, which runs as the table's owner: another's is not taken. What a
-- report was stamped with as it arrived says who came together.
CREATE FUNCTION @extschema@.ldp_group_columns(source regclass) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(a.attname::text ORDER BY a.attnum)
    FROM pg_class AS t JOIN pg_attribute AS a ON a.attrelid = t.oid JOIN pg_type AS y ON y.oid = a.atttypid JOIN pg_roles AS o ON o.oid = y.typowner
    WHERE t.oid = $1 AND a.attname NOT IN (@extschema@.ldp_report_column($1), 'ldp_arrival') AND a.attnum > 0 AND NOT a.attisdropped
          AND (o.rolsuper OR o.oid = t.relowner)
$$;
COMMENT ON FUNCTION @extschema@.ldp_group_columns(regclass) IS 'what reports of a collection''s table can be grouped by';

CREATE FUNCTION @extschema@.ldp_groups_of_as(caller name, name text, by text[]) RETURNS @extschema@.ldp_group[]
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reports regclass := (@extschema@.ldp_collection_named(name)).reports;
    groups text[];
    unknown text;
    reading record;
BEGIN
    groups := @extschema@.ldp_group_columns(reports);
    SELECT COALESCE(b, 'NULL') INTO unknown FROM unnest(by) AS b WHERE (b = ANY (groups)) IS NOT TRUE;
    IF FOUND OR COALESCE(cardinality(by), 0) = 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_column',
            MESSAGE = format('reports of collection "%s" cannot be grouped by %s', name, COALESCE('"' || unknown || '"', 'nothing')),
            DETAIL = format('There are "%s".', array_to_string(groups, '", "')),
            HINT = 'Name the round or side columns, as in ARRAY[''round''].';
    END IF;
    reading := @extschema@.ldp_reading(name, by || 'round'::text, caller);
    RETURN @extschema@.ldp_run_as(reading.role, reading.policies,
        format('SELECT array_agg(ROW(g.name, g.summary)::%1$s.ldp_group ORDER BY g.name) FROM '
               '(SELECT jsonb_build_object(%2$s) AS name, %1$s.ldp_agg(t.%6$s, t.round) AS summary FROM %3$s AS t '
               'GROUP BY %4$s HAVING %1$s.ldp_count(%1$s.ldp_agg(t.%6$s, t.round)) >= %5$s) AS g', '@extschema@',
               (SELECT string_agg(format('%L, t.%I', b, b), ', ') FROM unnest(by) AS b), reading.table_name,
               (SELECT string_agg(format('t.%I', b), ', ') FROM unnest(by) AS b), reading.fewest, reading.held),
        NULL::@extschema@.ldp_group[]);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_groups_of_as(name, text, text[]) IS 'ldp_groups_of, of this caller';

CREATE FUNCTION @extschema@.ldp_groups_of(name text, by text[]) RETURNS @extschema@.ldp_group[]
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_groups_of(text, text[]) IS 'the rows of ldp_summaries_of, as an array';

CREATE FUNCTION @extschema@.ldp_summaries_of(name text, by text[]) RETURNS SETOF @extschema@.ldp_group
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 100 SET search_path = pg_catalog, pg_temp
    AS $$ SELECT g.* FROM unnest(@extschema@.ldp_groups_of($1, $2)) AS g $$;
COMMENT ON FUNCTION @extschema@.ldp_summaries_of(text, text[]) IS
    'a row for each group of a collection''s reports, by round or side columns: what it has in common, and its '
    'summary; groups of fewer reports than the spec''s min_group are left out for who may not select the reports. '
    'Error 42703 if there is no such column';

-- Submission ------------------------------------------------------------------------------------------------
-- Reports are inserted with the rights of whoever submits. Only the record of batches is written with the rights
-- of the extension's owner, by a function that touches nothing else: one that inserted into a table for its caller
-- would run that table's triggers as the owner, too.

CREATE FUNCTION @extschema@.ldp_insertable(name text, caller name DEFAULT CURRENT_USER) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    table_name text := @extschema@.ldp_table(name);
    allowed boolean := (SELECT has_column_privilege(caller, t.oid, @extschema@.ldp_report_column(t.oid), 'INSERT') AND has_schema_privilege(caller, t.relnamespace, 'USAGE')
                        FROM @extschema@.ldp_collections AS c JOIN pg_class AS t ON t.oid = c.reports WHERE c.name = ldp_insertable.name);
BEGIN
    IF allowed IS NULL THEN  -- of a table that is gone since the statement began
        PERFORM @extschema@.ldp_table(name);  -- says so
    END IF;
    IF allowed IS NOT TRUE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('permission denied to submit reports to collection "%s"', name),
            HINT = 'Members of the role ldp_submitter may submit reports; they need USAGE on the schema, too.';
    END IF;
    RETURN table_name;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_insertable(text, name) IS
    'a collection''s table, quoted and with its schema; error 42501 if this role may not submit to it';

CREATE FUNCTION @extschema@.ldp_claim_batch_as(caller name, name text, batch uuid, reports bigint, digest bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted @extschema@.ldp_batch;
BEGIN
    IF batch IS NULL OR reports IS NULL OR digest IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed',
            MESSAGE = 'a batch needs a number, how many reports it has, and a digest of them';
    END IF;
    IF octet_length(digest) <> 32 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'the digest of a batch must have 32 bytes',
            DETAIL = format('Found %s.', octet_length(digest)),
            HINT = 'Give SHA-256 of what the batch contains, the same whenever it is sent.';
    END IF;
    PERFORM FROM @extschema@.ldp_collection AS c WHERE c.name = ldp_claim_batch_as.name FOR KEY SHARE;
    PERFORM @extschema@.ldp_insertable(name, caller);
    -- Who submits a batch forgets its reports once it is committed: the commit has to be durable then.
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    -- Waits if another transaction is submitting the same batch, until it is known how that ends.
    INSERT INTO @extschema@.ldp_batch AS b (collection, submitter, batch, reports, digest)
    VALUES (ldp_claim_batch_as.name, caller, ldp_claim_batch_as.batch, ldp_claim_batch_as.reports, ldp_claim_batch_as.digest)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
        RETURN true;
    END IF;
    SELECT b.* INTO STRICT counted FROM @extschema@.ldp_batch AS b
    WHERE b.collection = ldp_claim_batch_as.name AND b.submitter = caller AND b.batch = ldp_claim_batch_as.batch;
    IF counted.reports <> ldp_claim_batch_as.reports OR counted.digest <> ldp_claim_batch_as.digest THEN
        RAISE EXCEPTION USING
            ERRCODE = 'unique_violation',
            MESSAGE = format('batch %s of collection "%s" was counted before with other reports',
                             ldp_claim_batch_as.batch, ldp_claim_batch_as.name),
            DETAIL = format('It had %s reports; now there are %s%s.', counted.reports, ldp_claim_batch_as.reports,
                            CASE WHEN counted.reports = ldp_claim_batch_as.reports THEN ', but not the same' ELSE '' END),
            HINT = 'Give every batch a number of its own, and repeat a batch unchanged.';
    END IF;
    RETURN false;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_claim_batch_as(name, text, uuid, bigint, bytea) IS 'ldp_claim_batch, of this caller';

CREATE FUNCTION @extschema@.ldp_claim_batch(name text, batch uuid, reports bigint, digest bytea) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_claim_batch(text, uuid, bigint, bytea) IS
    'for COPY: true if the batch is new, and its reports are to be inserted in the same transaction; false if the '
    'same role submitted it before; error 23505 if it was counted with other reports. digest is SHA-256 of them, 32 '
    'bytes';

CREATE FUNCTION @extschema@.ldp_packed(reports @extschema@.ldp_report[]) RETURNS SETOF @extschema@.ldp_report_batch
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF array_position(reports, NULL::@extschema@.ldp_report) IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'not_null_violation',
            MESSAGE = 'a report to be packed is NULL',
            HINT = 'Leave it out, or send what it was meant to be.';
    END IF;
    -- Groups for which a batch has room. Reports of another spec, whose block differs, are in batches of their own, for the
    -- table's CHECK to refuse as it refuses single ones. A block tells its size in its bytes 4 and 5.
    RETURN QUERY
    SELECT @extschema@.ldp_pack(u.report)
    FROM unnest(reports) WITH ORDINALITY AS u (report, place), LATERAL (SELECT @extschema@.ldp_report_send(u.report)) AS s (bytes)
    GROUP BY substr(s.bytes, 1, get_byte(s.bytes, 4) + 256 * get_byte(s.bytes, 5)), (u.place - 1) / GREATEST(16777216 / length(s.bytes), 1);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_packed(@extschema@.ldp_report[]) IS
    'reports as batches: one for each spec, or several where one has no room for all';

CREATE FUNCTION @extschema@.ldp_insertion(table_name text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format(CASE @extschema@.ldp_report_column($1::regclass)
                  WHEN 'batch' THEN 'INSERT INTO %s (batch, round) SELECT r, $2 FROM %s.ldp_packed($1) AS r'
                  ELSE 'INSERT INTO %s (report, round) SELECT r, $2 FROM pg_catalog.unnest($1) AS r' END, $1, '@extschema@')
$$;
COMMENT ON FUNCTION @extschema@.ldp_insertion(text) IS
    'the statement that inserts reports, $1, of a round, $2, into a collection''s table';

CREATE FUNCTION @extschema@.ldp_submit(name text, report @extschema@.ldp_report, round integer DEFAULT 0) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE @extschema@.ldp_insertion(@extschema@.ldp_insertable(name)) USING ARRAY[report], round;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_submit(text, @extschema@.ldp_report, integer) IS
    'adds a report to a collection; repeated, it counts again. Error 23514 if it is of another spec, or the round '
    'is not open; 42501 for who may not insert';

CREATE FUNCTION @extschema@.ldp_submit_batch(name text, batch uuid, reports @extschema@.ldp_report[], round integer DEFAULT 0) RETURNS bigint
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
    EXECUTE @extschema@.ldp_insertion(@extschema@.ldp_table(name)) USING reports, round;
    RETURN pg_catalog.cardinality(reports);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_submit_batch(text, uuid, @extschema@.ldp_report[], integer) IS
    'adds reports to a collection, all or none, and once however often the same role repeats it; returns how many '
    'were added, 0 for a repetition; error 23505 if the batch was counted with other reports';

-- Names -----------------------------------------------------------------------------------------------------
-- Reports carry their spec's fingerprint, which leads from them to what attributes and values are called.

CREATE FUNCTION @extschema@.ldp_legend(fingerprint text) RETURNS jsonb
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN jsonb_path_exists(l.attributes, '$[*].edges') THEN @extschema@.ldp_bin_labels(l.attributes) ELSE l.attributes END
    FROM (SELECT COALESCE(
        (SELECT c.spec -> 'attributes' FROM @extschema@.ldp_collections AS c WHERE c.fingerprint = $1 LIMIT 1),
        (SELECT jsonb_build_array(a.attribute)
         FROM @extschema@.ldp_collections AS c,
              LATERAL jsonb_array_elements(c.spec -> 'attributes') WITH ORDINALITY AS a (attribute, place)
         WHERE c.mechanism = 'sampled' AND @extschema@.ldp_part_fingerprint(c.fingerprint, a.place::integer - 1) = $1 LIMIT 1),
        '[]')) AS l (attributes)
$$;
COMMENT ON FUNCTION @extschema@.ldp_legend(text) IS
    'the attributes of the spec with this fingerprint, or of the record whose attribute has it, as a collection has them, bins with '
    'their labels; none if there is no such collection';

CREATE FUNCTION @extschema@.ldp_attributes(summary @extschema@.ldp_summary) RETURNS text[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(a.attribute ->> 'name' ORDER BY a.place)
    FROM jsonb_array_elements(@extschema@.ldp_legend(@extschema@.ldp_spec($1) ->> 'spec')) WITH ORDINALITY AS a (attribute, place)
$$;
COMMENT ON FUNCTION @extschema@.ldp_attributes(@extschema@.ldp_summary) IS
    'the names of the attributes, in order, as the collection with the summary''s spec has them; NULL if there is none';

CREATE FUNCTION @extschema@.ldp_attribute(summary @extschema@.ldp_summary, name text DEFAULT NULL) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_attribute(@extschema@.ldp_summary, text) IS
    'the number, from 0, of the attribute with this name, or of the only one if none is given; error 22023 if there '
    'is none, 42704 if no collection here knows names';

CREATE FUNCTION @extschema@.ldp_labels(summary @extschema@.ldp_summary, attribute text DEFAULT NULL) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT @extschema@.ldp_spec_labels(jsonb_build_object('attributes', jsonb_build_array(
        @extschema@.ldp_legend(@extschema@.ldp_spec($1) ->> 'spec') -> @extschema@.ldp_attribute($1, $2))))
$$;
COMMENT ON FUNCTION @extschema@.ldp_labels(@extschema@.ldp_summary, text) IS
    'the labels of the values, in order, as the collection with the summary''s spec has them; NULL if there is none, or it '
    'has no labels';

CREATE FUNCTION @extschema@.ldp_value(summary @extschema@.ldp_summary, label text,
        attribute text DEFAULT NULL)
    RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_value(@extschema@.ldp_summary, text, text) IS
    'the number, from 0, of the value with this label; error 22023 if there is none';

-- Accessors -------------------------------------------------------------------------------------------------
-- Errors are those of the randomizers alone (target 'sample'), or those and the error of having drawn the people who
-- report from a population ('population'). An attribute is named, or numbered as text; of a record most questions are
-- about one. Where all answers are numbers a function is immutable; where names are looked up it is stable.
-- Costs are those of some hundred values, in the planner's units of about ten nanoseconds: rows are left out first, and
-- workers share the work. They grow with the values, which only the summary knows.

CREATE FUNCTION @extschema@.ldp_rows(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.ldp_rows(internal) IS
    'tells the planner how many rows a function will give, where an argument says so';

CREATE FUNCTION @extschema@.ldp_count(summary @extschema@.ldp_summary) RETURNS bigint
    AS 'MODULE_PATHNAME', 'ldp_summary_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_count(@extschema@.ldp_summary) IS
    'how many reports the summary counts';

CREATE FUNCTION @extschema@.ldp_spec(summary @extschema@.ldp_summary) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'ldp_summary_spec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_spec(@extschema@.ldp_summary) IS
    'what the summary tells of its spec: mechanism, epsilon (and delta, where there is one), parameters and the spec''s fingerprint';

CREATE FUNCTION @extschema@.ldp_spec(report @extschema@.ldp_report) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'ldp_report_spec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_spec(@extschema@.ldp_report) IS
    'what the report tells of its spec: mechanism, epsilon (and delta, where there is one), parameters and the spec''s fingerprint';

CREATE FUNCTION @extschema@.ldp_count(batch @extschema@.ldp_report_batch) RETURNS bigint
    AS 'MODULE_PATHNAME', 'ldp_batch_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_count(@extschema@.ldp_report_batch) IS
    'how many reports the batch has; reads no more than its head';

CREATE FUNCTION @extschema@.ldp_spec(batch @extschema@.ldp_report_batch) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'ldp_batch_spec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_spec(@extschema@.ldp_report_batch) IS
    'what the batch tells of its spec: mechanism, epsilon (and delta, where there is one), parameters and the spec''s fingerprint';

CREATE FUNCTION @extschema@.ldp_unpack(batch @extschema@.ldp_report_batch) RETURNS SETOF @extschema@.ldp_report
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10000;
COMMENT ON FUNCTION @extschema@.ldp_unpack(@extschema@.ldp_report_batch) IS 'the reports of a batch, one a row';

CREATE FUNCTION @extschema@.ldp_insert(reports regclass, batch @extschema@.ldp_report_batch, round integer) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C STRICT COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_insert(regclass, @extschema@.ldp_report_batch, integer) IS
    'inserts a batch''s reports of a round into the columns report and round of a table, one a row, with the rights of the '
    'caller, as COPY does and thus in less than half of INSERT''s time; returns how many rows that are; error 42809 for a '
    'table without such columns';

CREATE FUNCTION @extschema@.ldp_reach(confidence float8) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_reach(float8) IS
    'how many standard errors an interval of this confidence reaches to either side; error 22023 unless it is '
    'between 0 and 1';

CREATE FUNCTION @extschema@.ldp_part(summary @extschema@.ldp_summary, attribute integer)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME', 'ldp_part_of_number' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_part(@extschema@.ldp_summary, integer) IS
    'one attribute of a sampled record, numbered from 0, as a summary of its own: of the reports that were about it';

CREATE FUNCTION @extschema@.ldp_part(summary @extschema@.ldp_summary, attribute text)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME', 'ldp_part_of_name' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_part(@extschema@.ldp_summary, text) IS
    'the attribute of a sampled record with this name as a summary of its own: of the reports that were about it';

CREATE FUNCTION @extschema@.ldp_withstand(summary @extschema@.ldp_summary, forged float8 DEFAULT 0.01,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS TABLE (attribute text, label text, estimate float8, lower float8, upper float8, n bigint, people bigint, attribute_number integer, value integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_withstand(@extschema@.ldp_summary, float8, float8, text) IS
    'all that a summary tells, in the units of ldp_estimate, with intervals that hold for the honest people if at '
    'most the share forged (0 to 1) of the reports is forged, whatever those say';

-- Means

CREATE FUNCTION @extschema@.ldp_mean(summary @extschema@.ldp_summary) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_mean(@extschema@.ldp_summary) IS
    'estimated mean of the only numeric attribute, in its own units; error 0A000 of a record of several';

CREATE FUNCTION @extschema@.ldp_mean(summary @extschema@.ldp_summary, attribute integer) RETURNS float8
    AS 'MODULE_PATHNAME', 'ldp_mean_of_number' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_mean(@extschema@.ldp_summary, integer) IS
    'estimated mean of one numeric attribute, numbered from 0, in its own units';

CREATE FUNCTION @extschema@.ldp_mean(summary @extschema@.ldp_summary, attribute text) RETURNS float8
    AS 'MODULE_PATHNAME', 'ldp_mean_of_name' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_mean(@extschema@.ldp_summary, text) IS
    'estimated mean of the numeric attribute with this name, in its own units';

CREATE FUNCTION @extschema@.ldp_means(summary @extschema@.ldp_summary, confidence float8 DEFAULT 0.95,
        target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_answer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_means(@extschema@.ldp_summary, float8, text, text) IS
    'estimated mean of every numeric attribute, or of one, in its own units, a row for each with standard error and '
    'interval; target sample or population';

CREATE FUNCTION @extschema@.ldp_haar(summary @extschema@.ldp_summary) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_haar(@extschema@.ldp_summary) IS
    'estimated mean vector in the attributes'' own units, one element for each in order, rebuilt from its Haar '
    'coefficients; an element that too few reports tell of is NULL';

CREATE FUNCTION @extschema@.ldp_shrunk(summary @extschema@.ldp_summary, shrink text DEFAULT 'soft',
        target text DEFAULT 'sample')
    RETURNS TABLE (attribute text, estimate float8, rmse float8, n bigint, people bigint, attribute_number integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_shrunk(@extschema@.ldp_summary, text, text) IS
    'the mean of every attribute of a haar vector in its own units, small details shrunk (soft or sure): biased, '
    'with the root of its estimated mean squared error';

CREATE FUNCTION @extschema@.ldp_haar(summary @extschema@.ldp_summary, shrink text) RETURNS float8[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $2 = 'none' THEN @extschema@.ldp_haar($1)
                ELSE (SELECT array_agg(s.estimate ORDER BY s.attribute_number) FROM @extschema@.ldp_shrunk($1, $2) AS s) END
$$;
COMMENT ON FUNCTION @extschema@.ldp_haar(@extschema@.ldp_summary, text) IS
    'the estimated mean vector in the attributes'' own units, small details shrunk: none, soft or sure';

CREATE FUNCTION @extschema@.ldp_coefficients(summary @extschema@.ldp_summary,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS TABLE (coefficient integer, estimate float8, stderr float8, lower float8, upper float8, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_coefficients(@extschema@.ldp_summary, float8, text) IS
    'estimated mean of every Haar coefficient, attributes scaled to [-1,1], with standard error and interval: '
    'number 0 is the overall mean, then come half the differences between left and right halves, level by level '
    'from the root';

-- Shares of values

CREATE FUNCTION @extschema@.ldp_frequency(summary @extschema@.ldp_summary) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_frequency(@extschema@.ldp_summary) IS
    'estimated share, of 1, of every value in order; unbiased, so some may lie outside 0 to 1';

CREATE FUNCTION @extschema@.ldp_frequency(summary @extschema@.ldp_summary, value integer) RETURNS float8
    AS 'MODULE_PATHNAME', 'ldp_frequency_of_number' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_frequency(@extschema@.ldp_summary, integer) IS
    'estimated share, of 1, of one value, numbered from 0; error 22023 if there is no such value';

CREATE FUNCTION @extschema@.ldp_frequency(summary @extschema@.ldp_summary, value integer, attribute text) RETURNS float8
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT @extschema@.ldp_frequency(@extschema@.ldp_part($1, $3), $2) $$;
COMMENT ON FUNCTION @extschema@.ldp_frequency(@extschema@.ldp_summary, integer, text) IS
    'estimated share, of 1, of one value, numbered from 0, of one attribute of a record';

CREATE FUNCTION @extschema@.ldp_frequency(summary @extschema@.ldp_summary, label text,
        attribute text DEFAULT NULL)
    RETURNS float8
    AS 'MODULE_PATHNAME', 'ldp_frequency_of_label' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_frequency(@extschema@.ldp_summary, text, text) IS
    'estimated share, of 1, of the value with this label, of the only attribute or the one named; error 22023 if '
    'there is no such label';

CREATE FUNCTION @extschema@.ldp_consistent(summary @extschema@.ldp_summary, method text) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_consistent(@extschema@.ldp_summary, text) IS
    'estimated share, of 1, of every value in order, made consistent: none, base_cut, norm, norm_mul, norm_cut, '
    'norm_sub, mle_apx, power, ibu, ibu_early or empirical_bayes';

CREATE FUNCTION @extschema@.ldp_consistent(summary @extschema@.ldp_summary, method text, attribute text) RETURNS float8[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT @extschema@.ldp_consistent(@extschema@.ldp_part($1, $3), $2) $$;
COMMENT ON FUNCTION @extschema@.ldp_consistent(@extschema@.ldp_summary, text, text) IS
    'estimated share, of 1, of every value of one attribute of a record, made consistent by one of these methods';

CREATE FUNCTION @extschema@.ldp_frequencies(summary @extschema@.ldp_summary, method text DEFAULT 'none',
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_answer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100 SUPPORT @extschema@.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_frequencies(@extschema@.ldp_summary, text, float8, text, text) IS
    'estimated share, of 1, of every value, a row for each: with standard error and interval (target sample or '
    'population), or made consistent by a method of ldp_consistent, without them';

CREATE FUNCTION @extschema@.ldp_top(summary @extschema@.ldp_summary, "limit" integer DEFAULT 10,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', control text DEFAULT 'bonferroni', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_ranked
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 10 SUPPORT @extschema@.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_top(@extschema@.ldp_summary, integer, float8, text, text, text) IS
    'the values of the largest estimated shares, at most limit rows, the largest first, with p-values, adjusted for '
    'all values, of nobody holding them; control bonferroni (any false alarm) or benjamini_hochberg (the share of '
    'false alarms)';

CREATE FUNCTION @extschema@.ldp_candidates(summary @extschema@.ldp_summary, selection text DEFAULT 'lasso',
        control text DEFAULT 'bonferroni', confidence float8 DEFAULT 0.95, attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_ranked
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_candidates(@extschema@.ldp_summary, text, text, float8, text) IS
    'the values that rappor reports speak for, among more candidates than could each be estimated: picked by regression '
    '(lasso or nnls), the largest first, with p-values adjusted for all candidates; after picking, errors are approximate';

-- Groups and distributions

CREATE FUNCTION @extschema@.ldp_range(summary @extschema@.ldp_summary, low float8, high float8,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_answer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_range(@extschema@.ldp_summary, float8, float8, float8, text, text) IS
    'one row: of an ordered attribute the share of people from the value low to high, both included; of several '
    'numeric attributes the mean of those numbered low to high together, in their units';

CREATE FUNCTION @extschema@.ldp_cdf(summary @extschema@.ldp_summary, value float8,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_answer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_cdf(@extschema@.ldp_summary, float8, float8, text, text) IS
    'one row: estimated share of people at or below a value of an ordered attribute';

CREATE FUNCTION @extschema@.ldp_quantile(summary @extschema@.ldp_summary, share float8) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_quantile(@extschema@.ldp_summary, float8) IS
    'the value, in the attribute''s own units, below which this share of the people lies; 0.5 is the median';

CREATE FUNCTION @extschema@.ldp_quantile(summary @extschema@.ldp_summary, share float8, attribute text) RETURNS float8
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT @extschema@.ldp_quantile(@extschema@.ldp_part($1, $3), $2) $$;
COMMENT ON FUNCTION @extschema@.ldp_quantile(@extschema@.ldp_summary, float8, text) IS
    'the value, in its own units, below which this share of the people lies in one attribute of a record';

CREATE FUNCTION @extschema@.ldp_quantiles(summary @extschema@.ldp_summary,
        shares float8[] DEFAULT '{0.05,0.25,0.5,0.75,0.95}', confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_quantile_at
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 5 SUPPORT @extschema@.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_quantiles(@extschema@.ldp_summary, float8[], float8, text, text) IS
    'the values, in the attribute''s own units, below which these shares of the people lie, a row for each with its '
    'interval';

CREATE FUNCTION @extschema@.ldp_histogram(summary @extschema@.ldp_summary, bins integer DEFAULT 10,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_bin
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 10 SUPPORT @extschema@.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_histogram(@extschema@.ldp_summary, integer, float8, text, text) IS
    'estimated shares, of 1, of so many bins of equal width over the range of an ordered attribute, a row for each: '
    'unbiased, so maybe negative, with errors';

CREATE FUNCTION @extschema@.ldp_distribution(summary @extschema@.ldp_summary, smoothing text DEFAULT 'ems',
        attribute text DEFAULT NULL)
    RETURNS TABLE (attribute text, low float8, high float8, estimate float8, n bigint, people bigint, attribute_number integer, bin integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION @extschema@.ldp_distribution(@extschema@.ldp_summary, text, text) IS
    'the distribution of an ordered attribute, fitted: shares that are not negative and sum to 1, without errors; '
    'smoothing ems or em, which only square_wave knows apart';

CREATE FUNCTION @extschema@.ldp_resolution(summary @extschema@.ldp_summary) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_resolution(@extschema@.ldp_summary) IS
    'the stretch over which shares and quantiles of these reports are smeared, in the attribute''s units; 0 if they are not';

CREATE FUNCTION @extschema@.ldp_resolution(summary @extschema@.ldp_summary, attribute text) RETURNS float8
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT @extschema@.ldp_resolution(@extschema@.ldp_part($1, $2)) $$;
COMMENT ON FUNCTION @extschema@.ldp_resolution(@extschema@.ldp_summary, text) IS
    'the stretch over which shares and quantiles of one attribute of a record are smeared, in its own units; 0 if '
    'they are not';

CREATE FUNCTION @extschema@.ldp_learn_range(summary @extschema@.ldp_summary, coverage float8 DEFAULT 0.9,
        attribute text DEFAULT NULL)
    RETURNS TABLE (attribute text, low float8, high float8, attribute_number integer, coefficient integer)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_learn_range(@extschema@.ldp_summary, float8, text) IS
    'ranges for a second round from the reports of a first: of each attribute one that holds this share of the people, '
    'with confidence 0.99; of haar_ranges one for each Haar coefficient, ready for a spec''s "coefficients"';

-- Health, rounds

CREATE FUNCTION @extschema@.ldp_health(summary @extschema@.ldp_summary, attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_statistic
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 4;
COMMENT ON FUNCTION @extschema@.ldp_health(@extschema@.ldp_summary, text) IS
    'statistics that honest reports follow whatever people''s values are, a row for each, and how likely honest '
    'reports are as far off: a p-value near 0 says that not all reports came from the randomizer, a large one says '
    'little';

CREATE FUNCTION @extschema@.ldp_change(before @extschema@.ldp_summary, after @extschema@.ldp_summary,
        kept float8 DEFAULT 0, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS TABLE (attribute text, label text, estimate float8, stderr float8, lower float8, upper float8, attribute_number integer, value integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_change(@extschema@.ldp_summary, @extschema@.ldp_summary, float8, float8, text, text) IS
    'how the mean of every number and the share of every value changed from one summary to another, after less '
    'before; kept is the share of people, of the smaller summary, who are in both and repeated a remembered answer: '
    'the noise in both then cancels in part. Error 42804 if specs differ';

CREATE FUNCTION @extschema@.ldp_series(summary @extschema@.ldp_summary, confidence float8 DEFAULT 0.95,
        target text DEFAULT 'sample')
    RETURNS TABLE (round integer, attribute text, label text, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint, attribute_number integer, value integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_series(@extschema@.ldp_summary, float8, text) IS
    'of a mechanism of series (ddrm), the share, of 1, of every value in every round, a row for each; NULL where '
    'the reports do not reach yet; error 0A000 of other mechanisms';

-- Numbers together

CREATE FUNCTION @extschema@.ldp_covariance(summary @extschema@.ldp_summary, x text, y text,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_answer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_covariance(@extschema@.ldp_summary, text, text, float8, text) IS
    'one row: estimated covariance of two numbers of a record that has their product, in their units multiplied; of '
    'a number with itself its variance. Error 0A000 if the product is missing';

CREATE FUNCTION @extschema@.ldp_correlation(summary @extschema@.ldp_summary, x text, y text,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_answer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_correlation(@extschema@.ldp_summary, text, text, float8, text) IS
    'one row: estimated correlation of two numbers of a record that has their product and squares; unbiased to the '
    'first order, so it may lie outside -1 to 1, but for the interval. Error 0A000 if a product is missing';

CREATE FUNCTION @extschema@.ldp_regression(summary @extschema@.ldp_summary, "of" text, predictors text[],
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', "group" text DEFAULT NULL)
    RETURNS TABLE (term text, label text, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_regression(@extschema@.ldp_summary, text, text[], float8, text, text) IS
    'least squares of a number on others, from the means of their products, a row for each term: (intercept), or '
    'that of each value of the category "group", the slope of each predictor in units of the one by the other, and '
    '(r_squared), the share of the variance that they explain. Error 0A000 if a product is missing, or the design '
    'is singular as far as the reports tell';

-- Everything

CREATE FUNCTION @extschema@.ldp_estimate(summary @extschema@.ldp_summary, confidence float8 DEFAULT 0.95,
        target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_answer
    AS 'MODULE_PATHNAME', 'ldp_estimate_summary' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_estimate(@extschema@.ldp_summary, float8, text) IS
    'what a summary tells: a row per numeric attribute, its mean in its own units, and per value of a category, its '
    'share of 1, with standard error and interval; target sample or population';

CREATE FUNCTION @extschema@.ldp_estimate(name text, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample',
        round integer DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_answer
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 100 SET search_path = pg_catalog, pg_temp
    AS $$ SELECT * FROM @extschema@.ldp_estimate(@extschema@.ldp_summary_of($1, $4), $2, $3) $$;
COMMENT ON FUNCTION @extschema@.ldp_estimate(text, float8, text, integer) IS
    'what a collection''s reports, or those of one round, tell: a row per numeric attribute, its mean in its own '
    'units, and per value of a category, its share of 1, with standard error and interval; no rows without reports; '
    'error 42704 if there is no such collection, 42501 for who may not ask';

-- Several answers to one question -----------------------------------------------------------------------------
-- By people of their own, under specs of their own: where they chose their epsilon, or a spec was renewed. Of one spec
-- summaries are rolled up instead.

CREATE FUNCTION @extschema@.ldp_combine_answers(answer @extschema@.ldp_answer, other @extschema@.ldp_answer)
    RETURNS @extschema@.ldp_answer
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_combine_answers(@extschema@.ldp_answer, @extschema@.ldp_answer) IS
    'two answers to one question as one, weighed by their precision, with an interval of confidence 0.95';

CREATE FUNCTION @extschema@.ldp_combine_estimate(answer @extschema@.ldp_answer, estimate float8, stderr float8)
    RETURNS @extschema@.ldp_answer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT @extschema@.ldp_combine_answers(o.other, COALESCE($1, ROW(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::@extschema@.ldp_answer))
    FROM (SELECT ROW(NULL, NULL, $2, $3, $2 - r * $3, $2 + r * $3, NULL, NULL, NULL, NULL, NULL)::@extschema@.ldp_answer
          FROM @extschema@.ldp_reach(0.95) AS r) AS o (other)
$$;
COMMENT ON FUNCTION @extschema@.ldp_combine_estimate(@extschema@.ldp_answer, float8, float8) IS
    'the answer with one more estimate and its standard error; NULL is the answer from none';

CREATE AGGREGATE @extschema@.ldp_combine(answer @extschema@.ldp_answer) (
    SFUNC = @extschema@.ldp_combine_answers, STYPE = @extschema@.ldp_answer,
    COMBINEFUNC = @extschema@.ldp_combine_answers, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_combine(@extschema@.ldp_answer) IS
    'answers of different people to one question as one, weighed by their precision, with an interval of confidence 0.95; '
    'those without an estimate have no part in it, and one that is alone stays as it is';

CREATE AGGREGATE @extschema@.ldp_combine(estimate float8, stderr float8) (
    SFUNC = @extschema@.ldp_combine_estimate, STYPE = @extschema@.ldp_answer,
    COMBINEFUNC = @extschema@.ldp_combine_answers, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_combine(float8, float8) IS
    'estimates by different people and their standard errors as one answer, weighed by their precision, with an '
    'interval of confidence 0.95';

-- Joint answers ---------------------------------------------------------------------------------------------
-- Of reports on cross tables (joint), or on boxes (joint_haar). The method 'consistent' draws on every view that shares an attribute with the
-- question, so that answers of all questions agree; 'unbiased' on those alone that have all its attributes. Both have no
-- bias, and know their error.

CREATE FUNCTION @extschema@.ldp_views(summary @extschema@.ldp_summary)
    RETURNS TABLE (attributes text[], cells bigint, n bigint, attribute_numbers integer[])
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_views(@extschema@.ldp_summary) IS
    'of joint and joint_haar, which attributes are reported together, how many cells their cross table has, and how '
    'many reports are about it';

CREATE FUNCTION @extschema@.ldp_marginal(summary @extschema@.ldp_summary, attributes text[], method text DEFAULT 'consistent',
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_cell
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_marginal(@extschema@.ldp_summary, text[], text, float8, text) IS
    'the estimated share, of 1, of every combination of some attributes'' values, a row for each with standard '
    'error and interval; method consistent or unbiased. Error 0A000 if no view has the attributes';

CREATE FUNCTION @extschema@.ldp_share(summary @extschema@.ldp_summary, conditions jsonb, method text DEFAULT 'consistent',
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', given jsonb DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_cell
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_share(@extschema@.ldp_summary, jsonb, text, float8, text, jsonb) IS
    'one row: the estimated share of the people who meet all conditions, given by attribute: a label, an array of '
    'labels, or of a number in bins [low, high]; with given, of those who meet these conditions';

CREATE FUNCTION @extschema@.ldp_conditional(summary @extschema@.ldp_summary, "of" text[], given text[],
        method text DEFAULT 'consistent', confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS TABLE (given_cell text[], cell text[], estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint,
        given_numbers integer[], cell_numbers integer[], note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_conditional(@extschema@.ldp_summary, text[], text[], text, float8, text) IS
    'of those with each combination of the given attributes'' values, the estimated share of every combination of '
    'the others'', a row for each with standard error and interval; NULL where there may be nobody with the given '
    'values. Error 0A000 if no view has the attributes';

CREATE FUNCTION @extschema@.ldp_crosstab(summary @extschema@.ldp_summary, row_attribute text, column_attribute text,
        method text DEFAULT 'consistent', confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS TABLE (row_label text, column_label text, estimate float8, stderr float8, lower float8, upper float8, n bigint, people bigint,
        row_value integer, column_value integer, note text)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT m.cell[1], m.cell[2], m.estimate, m.stderr, m.lower, m.upper, m.n, m.people, m.cell_numbers[1], m.cell_numbers[2], m.note
    FROM @extschema@.ldp_marginal($1, ARRAY[$2, $3], $4, $5, $6) AS m
$$;
COMMENT ON FUNCTION @extschema@.ldp_crosstab(@extschema@.ldp_summary, text, text, text, float8, text) IS
    'the cross table of two attributes, shares of 1, a row for each of its cells: for \crosstabview row_label '
    'column_label estimate. Error 0A000 if no view has both';

-- Models of joint answers -----------------------------------------------------------------------------------
-- What attributes have to do with each other, beyond chance; and tables that could be those of people: biased, nearer to
-- the truth than unbiased ones wherever noise is not small, and therefore without intervals.

CREATE FUNCTION @extschema@.ldp_association(summary @extschema@.ldp_summary, confidence float8 DEFAULT 0.95)
    RETURNS TABLE (attribute text, other_attribute text, estimate float8, lower float8, upper float8, information float8,
        information_stderr float8, n bigint, p_value float8, adjusted_p_value float8, attribute_number integer,
        other_attribute_number integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_association(@extschema@.ldp_summary, float8) IS
    'how strongly every two attributes hang together: Cramér''s V and mutual information in bits, both debiased, and the '
    'p-value of independence, for itself and adjusted for all pairs (Holm); against a population';

CREATE FUNCTION @extschema@.ldp_fitted(summary @extschema@.ldp_summary, attributes text[])
    RETURNS TABLE (cell text[], estimate float8, n bigint, people bigint, cell_numbers integer[], note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_fitted(@extschema@.ldp_summary, text[]) IS
    'the share of every combination of the attributes'' values, fitted: not negative, adding up to 1, all tables agreeing; '
    'without errors. What no view has all of follows from the views within as the table of most entropy, and says so';

CREATE FUNCTION @extschema@.ldp_model(summary @extschema@.ldp_summary, significance float8 DEFAULT 0.05, cells integer DEFAULT 65536)
    RETURNS TABLE (kind text, attributes text[], estimate float8, information float8, p_value float8, cells bigint, clique integer,
        parent integer, attribute_numbers integer[])
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_model(@extschema@.ldp_summary, float8, integer) IS
    'how all attributes hang together: the cliques of a graph, as a tree, and its edges, pairs that are less likely than '
    'significance if independent, as far as no clique has a table of more cells';

CREATE FUNCTION @extschema@.ldp_learn_views(summary @extschema@.ldp_summary, significance float8 DEFAULT 0.05) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_learn_views(@extschema@.ldp_summary, float8) IS
    'views for a second round''s spec: the pairs that depend on each other beyond significance, adjusted for all pairs, and '
    'alone each attribute that is in none of them';

CREATE FUNCTION @extschema@.ldp_synthesize(summary @extschema@.ldp_summary, records bigint, seed bigint DEFAULT 1,
        significance float8 DEFAULT 0.05, cells integer DEFAULT 65536)
    RETURNS TABLE (number bigint, record jsonb)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 10000 SUPPORT @extschema@.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_synthesize(@extschema@.ldp_summary, bigint, bigint, float8, integer) IS
    'made-up records, each a JSON object of labels by attribute, numbered from 1, that are spread as the model of '
    'the same significance and cells says; equal seeds make equal records';

-- In one step -----------------------------------------------------------------------------------------------
-- What an accessor answers, straight from reports, at confidence 0.95 and for the sample. An aggregate returns one
-- value: rows come as an array of them.

CREATE FUNCTION @extschema@.ldp_means_final(summary @extschema@.ldp_summary) RETURNS @extschema@.ldp_answer[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_means_final(@extschema@.ldp_summary) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_mean_of_number_final(question @extschema@.ldp_question) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_mean_of_number_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_mean_of_name_final(question @extschema@.ldp_question) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_mean_of_name_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_frequencies_final(summary @extschema@.ldp_summary)
    RETURNS @extschema@.ldp_answer[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_frequencies_final(@extschema@.ldp_summary) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_frequencies_method_final(question @extschema@.ldp_question)
    RETURNS @extschema@.ldp_answer[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_frequencies_method_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_frequency_of_number_final(question @extschema@.ldp_question) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_frequency_of_number_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_frequency_of_label_final(question @extschema@.ldp_question) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_frequency_of_label_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_top_final(question @extschema@.ldp_question) RETURNS @extschema@.ldp_ranked[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_top_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_range_final(question @extschema@.ldp_question) RETURNS @extschema@.ldp_answer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_range_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_cdf_final(question @extschema@.ldp_question) RETURNS @extschema@.ldp_answer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_cdf_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_quantile_final(question @extschema@.ldp_question) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_quantile_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_quantiles_final(question @extschema@.ldp_question)
    RETURNS @extschema@.ldp_quantile_at[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_quantiles_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_histogram_final(question @extschema@.ldp_question)
    RETURNS @extschema@.ldp_bin[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_histogram_final(@extschema@.ldp_question) IS
    'final function of an aggregate';

CREATE FUNCTION @extschema@.ldp_health_final(summary @extschema@.ldp_summary)
    RETURNS @extschema@.ldp_statistic[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_health_final(@extschema@.ldp_summary) IS
    'final function of an aggregate';

CREATE AGGREGATE @extschema@.ldp_mean(report @extschema@.ldp_report) (
    SFUNC = @extschema@.ldp_summary_accumulate, STYPE = @extschema@.ldp_summary, SSPACE = 512, FINALFUNC = @extschema@.ldp_mean,
    COMBINEFUNC = @extschema@.ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_mean(@extschema@.ldp_report) IS
    'estimated mean of the only numeric attribute, in its own units';

CREATE AGGREGATE @extschema@.ldp_mean(report @extschema@.ldp_report, attribute integer) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_mean_of_number_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_mean(@extschema@.ldp_report, integer) IS
    'estimated mean of one numeric attribute, numbered from 0, in its own units';

CREATE AGGREGATE @extschema@.ldp_mean(report @extschema@.ldp_report, attribute text) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_mean_of_name_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_mean(@extschema@.ldp_report, text) IS
    'estimated mean of the attribute with this name, in its own units';

CREATE AGGREGATE @extschema@.ldp_means(report @extschema@.ldp_report) (
    SFUNC = @extschema@.ldp_summary_accumulate, STYPE = @extschema@.ldp_summary, SSPACE = 512, FINALFUNC = @extschema@.ldp_means_final,
    COMBINEFUNC = @extschema@.ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_means(@extschema@.ldp_report) IS
    'estimated mean of every numeric attribute, as an array of rows; confidence 0.95, target sample';

CREATE AGGREGATE @extschema@.ldp_haar(report @extschema@.ldp_report) (
    SFUNC = @extschema@.ldp_summary_accumulate, STYPE = @extschema@.ldp_summary, SSPACE = 512, FINALFUNC = @extschema@.ldp_haar,
    COMBINEFUNC = @extschema@.ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_haar(@extschema@.ldp_report) IS
    'estimated mean vector in the attributes'' own units, rebuilt from its Haar coefficients';

CREATE AGGREGATE @extschema@.ldp_frequency(report @extschema@.ldp_report) (
    SFUNC = @extschema@.ldp_summary_accumulate, STYPE = @extschema@.ldp_summary, SSPACE = 512, FINALFUNC = @extschema@.ldp_frequency,
    COMBINEFUNC = @extschema@.ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_frequency(@extschema@.ldp_report) IS
    'estimated share, of 1, of every value, in order';

CREATE AGGREGATE @extschema@.ldp_frequency(report @extschema@.ldp_report, value integer) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_frequency_of_number_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_frequency(@extschema@.ldp_report, integer) IS
    'estimated share, of 1, of one value, numbered from 0';

CREATE AGGREGATE @extschema@.ldp_frequency(report @extschema@.ldp_report, label text) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_frequency_of_label_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_frequency(@extschema@.ldp_report, text) IS
    'estimated share, of 1, of the value with this label';

CREATE AGGREGATE @extschema@.ldp_frequencies(report @extschema@.ldp_report) (
    SFUNC = @extschema@.ldp_summary_accumulate, STYPE = @extschema@.ldp_summary, SSPACE = 512, FINALFUNC = @extschema@.ldp_frequencies_final,
    COMBINEFUNC = @extschema@.ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_frequencies(@extschema@.ldp_report) IS
    'estimated share, of 1, of every value, as an array of rows; confidence 0.95, target sample';

CREATE AGGREGATE @extschema@.ldp_frequencies(report @extschema@.ldp_report, method text) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_frequencies_method_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_frequencies(@extschema@.ldp_report, text) IS
    'estimated share, of 1, of every value, made consistent by a method of ldp_consistent, as an array of rows';

CREATE AGGREGATE @extschema@.ldp_top(report @extschema@.ldp_report, "limit" integer) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_top_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_top(@extschema@.ldp_report, integer) IS
    'the values of the largest estimated shares, as an array of rows; confidence 0.95, target sample';

CREATE AGGREGATE @extschema@.ldp_range(report @extschema@.ldp_report, low float8, high float8) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_range_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_range(@extschema@.ldp_report, float8, float8) IS
    'the share of people from low to high, or the mean of a range of attributes, as a row; confidence 0.95, target '
    'sample';

CREATE AGGREGATE @extschema@.ldp_cdf(report @extschema@.ldp_report, value float8) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_cdf_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_cdf(@extschema@.ldp_report, float8) IS
    'estimated share of people at or below a value, as a row; confidence 0.95, target sample';

CREATE AGGREGATE @extschema@.ldp_quantile(report @extschema@.ldp_report, share float8) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_quantile_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_quantile(@extschema@.ldp_report, float8) IS
    'the value, in the attribute''s own units, below which this share of the people lies; 0.5 is the median';

CREATE AGGREGATE @extschema@.ldp_quantiles(report @extschema@.ldp_report, shares float8[]) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_quantiles_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_quantiles(@extschema@.ldp_report, float8[]) IS
    'the values, in the attribute''s own units, below which these shares of the people lie, as an array of rows; '
    'confidence 0.95, target sample';

CREATE AGGREGATE @extschema@.ldp_histogram(report @extschema@.ldp_report, bins integer) (
    SFUNC = @extschema@.ldp_question_accumulate, STYPE = @extschema@.ldp_question, SSPACE = 512, FINALFUNC = @extschema@.ldp_histogram_final,
    COMBINEFUNC = @extschema@.ldp_question_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_histogram(@extschema@.ldp_report, integer) IS
    'estimated shares, of 1, of bins of equal width, as an array of rows; confidence 0.95, target sample';

CREATE AGGREGATE @extschema@.ldp_health(report @extschema@.ldp_report) (
    SFUNC = @extschema@.ldp_summary_accumulate, STYPE = @extschema@.ldp_summary, SSPACE = 512, FINALFUNC = @extschema@.ldp_health_final,
    COMBINEFUNC = @extschema@.ldp_summary_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_health(@extschema@.ldp_report) IS
    'statistics that honest reports follow, as an array of rows';

-- Batches ---------------------------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.ldp_pack_accumulate(packing internal, report @extschema@.ldp_report) RETURNS internal
    AS 'MODULE_PATHNAME', 'ldp_pack_reports' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_pack_accumulate(internal, @extschema@.ldp_report) IS 'transition function of ldp_pack';
CREATE FUNCTION @extschema@.ldp_pack_combine(packing internal, other internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_pack_combine(internal, internal) IS 'combine function of ldp_pack';
CREATE FUNCTION @extschema@.ldp_pack_serialize(packing internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_pack_serialize(internal) IS 'the state of ldp_pack on its way from a worker';
CREATE FUNCTION @extschema@.ldp_pack_deserialize(bytes bytea, packing internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_pack_deserialize(bytea, internal) IS 'the state of ldp_pack, from a worker';
CREATE FUNCTION @extschema@.ldp_pack_final(packing internal) RETURNS @extschema@.ldp_report_batch
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_pack_final(internal) IS 'final function of an aggregate';

CREATE AGGREGATE @extschema@.ldp_pack(report @extschema@.ldp_report) (
    SFUNC = @extschema@.ldp_pack_accumulate, STYPE = internal, SSPACE = 16384, FINALFUNC = @extschema@.ldp_pack_final,
    COMBINEFUNC = @extschema@.ldp_pack_combine, SERIALFUNC = @extschema@.ldp_pack_serialize,
    DESERIALFUNC = @extschema@.ldp_pack_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_pack(@extschema@.ldp_report) IS
    'reports of one spec to one batch of them all, at most 2^24 bytes of payloads; NULL of no reports, error 42804 '
    'if specs differ';

-- Whatever takes reports takes batches of them, by the same name: the functions in C look at the bytes.
DO $script$
DECLARE
    twin record;
BEGIN
    FOR twin IN
        SELECT format('CREATE FUNCTION %s.%I(%s) RETURNS %s AS %L, %L LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000',
                      '@extschema@', f.proname, replace(a.arguments, 'report @extschema@.ldp_report', 'batch @extschema@.ldp_report_batch'),
                      f.prorettype::regtype, f.probin, f.prosrc) AS definition,
               format('FUNCTION %s.%I(%s)', '@extschema@', f.proname, t.types) AS signature, d.description
        FROM pg_proc AS f, LATERAL (SELECT pg_get_function_arguments(f.oid)) AS a (arguments),
             LATERAL (SELECT string_agg(CASE o.type WHEN '@extschema@.ldp_report'::regtype THEN '@extschema@.ldp_report_batch'::regtype
                                                    ELSE o.type::regtype END::text, ', ' ORDER BY o.place)
                      FROM unnest(f.proargtypes) WITH ORDINALITY AS o (type, place)) AS t (types),
             LATERAL (SELECT obj_description(f.oid, 'pg_proc')) AS d (description)
        WHERE f.pronamespace = '@extschema@'::regnamespace AND f.proargtypes[1] = '@extschema@.ldp_report'::regtype
          AND f.proname IN ('ldp_summary_accumulate', 'ldp_question_accumulate', 'ldp_pack_accumulate', 'ldp_window_accumulate', 'ldp_window_remove')
        ORDER BY f.oid
    LOOP
        EXECUTE twin.definition;
        EXECUTE format('COMMENT ON %s IS %L', twin.signature, replace(twin.description, 'one more report', 'the reports of one more batch'));
    END LOOP;

    FOR twin IN
        SELECT format('CREATE AGGREGATE %s.%I(%s) (SFUNC = %s, STYPE = %s, SSPACE = %s, COMBINEFUNC = %s, PARALLEL = SAFE%s%s%s)',
                      '@extschema@', f.proname, replace(i.arguments, 'report @extschema@.ldp_report', 'batch @extschema@.ldp_report_batch'),
                      a.aggtransfn, a.aggtranstype::regtype, a.aggtransspace, a.aggcombinefn,
                      CASE WHEN a.aggfinalfn <> 0 THEN format(', FINALFUNC = %s', a.aggfinalfn) END,
                      CASE WHEN a.aggserialfn <> 0 THEN format(', SERIALFUNC = %s, DESERIALFUNC = %s', a.aggserialfn, a.aggdeserialfn) END,
                      CASE WHEN a.aggmtransfn <> 0 THEN format(', MSFUNC = %s, MINVFUNC = %s, MSTYPE = %s, MSSPACE = %s, MFINALFUNC = %s',
                           a.aggmtransfn, a.aggminvtransfn, a.aggmtranstype::regtype, a.aggmtransspace, a.aggmfinalfn) END) AS definition,
               format('AGGREGATE %s.%I(%s)', '@extschema@', f.proname, i.types) AS signature,
               format('%s; from batches', obj_description(f.oid, 'pg_proc')) AS description
        FROM pg_aggregate AS a JOIN pg_proc AS f ON f.oid = a.aggfnoid,
             LATERAL (SELECT pg_get_function_arguments(f.oid),
                             (SELECT string_agg(CASE o.type WHEN '@extschema@.ldp_report'::regtype THEN '@extschema@.ldp_report_batch'::regtype
                                                            ELSE o.type::regtype END::text, ', ' ORDER BY o.place)
                              FROM unnest(f.proargtypes) WITH ORDINALITY AS o (type, place))) AS i (arguments, types)
        WHERE f.pronamespace = '@extschema@'::regnamespace AND f.proargtypes[0] = '@extschema@.ldp_report'::regtype
        ORDER BY f.oid
    LOOP
        EXECUTE twin.definition;
        EXECUTE format('COMMENT ON %s IS %L', twin.signature, twin.description);
    END LOOP;
END
$script$;

-- Frequent strings ------------------------------------------------------------------------------------------
-- There are too many strings to ask about each, so they are found letter by letter, each round among other people:
-- the collection NAME_1 asks how strings begin, NAME_2 how those go on whose beginnings were frequent, and so on
-- (prefix extension: Bassily, Nissim, Stemmer, Thakurta 2017; Wang, Li, Jha 2018). A round's labels are
--   beginnings of a fixed number of characters, which in the last round are the longest that are told apart;
--   whole strings, which end with U+0003: those that may end in this round, and those handed on before, which stay so
--   that every later round makes their estimates better;
--   one for all other strings, which begins with U+0003, as no string does.

CREATE TABLE @extschema@.ldp_hitter_search (
    name         text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 60),
    epsilon      float8 NOT NULL,
    alphabet     text NOT NULL,
    step         integer NOT NULL CHECK (step BETWEEN 1 AND 64),
    keep         integer NOT NULL CHECK (keep BETWEEN 1 AND 10000),
    longest      integer NOT NULL CHECK (longest BETWEEN 1 AND 64),
    significance float8 NOT NULL CHECK (significance > 0 AND significance < 1),
    method       text NOT NULL CHECK (method IN ('significance', 'rank')),
    round        integer NOT NULL DEFAULT 1
);
COMMENT ON TABLE @extschema@.ldp_hitter_search IS 'searches for frequent strings; each round of one is a collection';
COMMENT ON COLUMN @extschema@.ldp_hitter_search.name IS 'its name; that of a round''s collection is this, "_" and the round';
COMMENT ON COLUMN @extschema@.ldp_hitter_search.epsilon IS 'what a report may cost in privacy';
COMMENT ON COLUMN @extschema@.ldp_hitter_search.alphabet IS 'the characters that strings are searched among';
COMMENT ON COLUMN @extschema@.ldp_hitter_search.step IS 'how many characters a round adds';
COMMENT ON COLUMN @extschema@.ldp_hitter_search.keep IS 'how many beginnings and strings a round may hand on';
COMMENT ON COLUMN @extschema@.ldp_hitter_search.longest IS 'how many characters of a string are told apart';
COMMENT ON COLUMN @extschema@.ldp_hitter_search.significance IS 'the p-value, adjusted for all labels of a round, up to which one is there';
COMMENT ON COLUMN @extschema@.ldp_hitter_search.method IS 'what a round hands on: the largest of those that are significant, or the largest';
COMMENT ON COLUMN @extschema@.ldp_hitter_search.round IS 'the current round, from 1';
SELECT pg_extension_config_dump('@extschema@.ldp_hitter_search', '');

CREATE FUNCTION @extschema@.ldp_hitter_search_named(name text) RETURNS @extschema@.ldp_hitter_search
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_one @extschema@.ldp_hitter_search;
BEGIN
    SELECT s.* INTO found_one FROM @extschema@.ldp_hitter_search AS s WHERE s.name = ldp_hitter_search_named.name;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = format('there is no search for frequent strings %s',
                             COALESCE('"' || ldp_hitter_search_named.name || '"', 'NULL')),
            HINT = 'The table ldp_hitter_search shows which there are.';
    END IF;
    RETURN found_one;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_hitter_search_named(text) IS
    'the row of ldp_hitter_search with this name; error 42704 if there is none';

CREATE FUNCTION @extschema@.ldp_hitter_letters(alphabet text) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT count(DISTINCT l)::numeric FROM unnest(string_to_array($1, NULL)) AS l $$;
COMMENT ON FUNCTION @extschema@.ldp_hitter_letters(text) IS 'how many different characters an alphabet has';

CREATE FUNCTION @extschema@.ldp_hitter_labels(letters numeric, characters integer) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT sum(LEAST($1, 1000000::numeric) ^ i::numeric) FROM generate_series(0, LEAST($2, 64)) AS i $$;
COMMENT ON FUNCTION @extschema@.ldp_hitter_labels(numeric, integer) IS 'how many strings of at most so many characters there are';

CREATE FUNCTION @extschema@.ldp_hitter_prefix(search @extschema@.ldp_hitter_search, round integer) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    letters numeric := @extschema@.ldp_hitter_letters(search.alphabet);
    first integer := search.step;
BEGIN
    IF round < 1 THEN
        RETURN 0;
    END IF;
    -- The first round begins with as many as a later one has room for.
    WHILE first < LEAST(search.longest, 64) AND @extschema@.ldp_hitter_labels(letters, first + 1)
          <= search.keep * @extschema@.ldp_hitter_labels(letters, search.step) LOOP
        first := first + 1;
    END LOOP;
    RETURN LEAST(first + (round::bigint - 1) * search.step, search.longest);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_hitter_prefix(@extschema@.ldp_hitter_search, integer) IS
    'how many characters the beginnings of a round have, the mark at a string''s end included';

-- Searches are recorded by the three functions below. One belongs to whoever owns its current round's table.

CREATE FUNCTION @extschema@.ldp_own_search_as(caller name, name text) RETURNS @extschema@.ldp_hitter_search
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search @extschema@.ldp_hitter_search;
BEGIN
    SELECT s.* INTO search FROM @extschema@.ldp_hitter_search AS s WHERE s.name = ldp_own_search_as.name FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM @extschema@.ldp_hitter_search_named(name);  -- says so
    END IF;
    PERFORM @extschema@.ldp_check_admin(caller);
    PERFORM @extschema@.ldp_check_owner(
        (SELECT c.reports FROM @extschema@.ldp_collection AS c WHERE c.name = format('%s_%s', search.name, search.round)), caller);
    RETURN search;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_own_search_as(name, text) IS 'ldp_own_search, of this caller';

CREATE FUNCTION @extschema@.ldp_own_search(name text) RETURNS @extschema@.ldp_hitter_search
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_own_search(text) IS
    'the row of ldp_hitter_search with this name, locked; error 42501 unless the caller owns the search';

CREATE FUNCTION @extschema@.ldp_record_search_as(caller name, search @extschema@.ldp_hitter_search) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before @extschema@.ldp_hitter_search;
BEGIN
    PERFORM @extschema@.ldp_check_admin(caller);
    PERFORM @extschema@.ldp_check_owner(
        (@extschema@.ldp_collection_named(format('%s_%s', search.name, search.round))).reports, caller);
    IF search.round = 1 THEN
        INSERT INTO @extschema@.ldp_hitter_search SELECT search.*;
    ELSE
        before := @extschema@.ldp_own_search_as(caller, search.name);
        UPDATE @extschema@.ldp_hitter_search AS s SET round = s.round + 1 WHERE s.name = before.name AND s.round = search.round - 1;
    END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_record_search_as(name, @extschema@.ldp_hitter_search) IS 'ldp_record_search, of this caller';

CREATE FUNCTION @extschema@.ldp_record_search(search @extschema@.ldp_hitter_search) RETURNS void
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_record_search(@extschema@.ldp_hitter_search) IS
    'records a search in its first round, or that its next one has begun; the caller owns the round''s collection';

CREATE FUNCTION @extschema@.ldp_forget_search_as(caller name, name text) RETURNS @extschema@.ldp_hitter_search
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search @extschema@.ldp_hitter_search := @extschema@.ldp_own_search_as(caller, name);
BEGIN
    DELETE FROM @extschema@.ldp_hitter_search AS s WHERE s.name = search.name;
    RETURN search;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_forget_search_as(name, text) IS 'ldp_forget_search, of this caller';

CREATE FUNCTION @extschema@.ldp_forget_search(name text) RETURNS @extschema@.ldp_hitter_search
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_forget_search(text) IS
    'forgets a search of the caller''s, whose row it returns, and leaves its collections';

CREATE FUNCTION @extschema@.ldp_hitter_spec(search @extschema@.ldp_hitter_search, round integer, beginnings text[], strings text[]) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    length integer := @extschema@.ldp_hitter_prefix(search, round);
    letters integer := (SELECT count(DISTINCT l) FROM unnest(string_to_array(search.alphabet, NULL)) AS l);
    labels numeric := COALESCE(cardinality(strings), 0)
        + COALESCE((SELECT sum(letters::numeric ^ GREATEST(length - char_length(b), 0)) FROM unnest(beginnings) AS b), 0);
BEGIN
    IF length IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed',
            MESSAGE = 'the spec of a round needs a search and the round''s number',
            HINT = 'The table ldp_hitter_search shows which searches there are; rounds count from 1.';
    END IF;
    -- Before they are made: no spec has room for as many.
    IF labels > 1000000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'program_limit_exceeded',
            MESSAGE = 'a round of this search asks about too many strings',
            DETAIL = format('Beginnings of %s characters would be %s; a spec has no room for 1000000.', length, round(labels)),
            HINT = 'Give a smaller step, fewer to keep, or a smaller alphabet.';
    END IF;
    RETURN (
        WITH RECURSIVE letter AS (SELECT DISTINCT l FROM unnest(string_to_array(search.alphabet, NULL)) AS l),
        grown (beginning, characters) AS (
            SELECT b, char_length(b) FROM unnest(beginnings) AS b
            UNION ALL
            SELECT g.beginning || l, g.characters + 1 FROM grown AS g, letter
            WHERE g.characters < length AND octet_length(convert_to(g.beginning || l, 'UTF8')) <= 64
        ),
        labels (label) AS (
            SELECT CASE WHEN g.characters = length THEN g.beginning ELSE g.beginning || chr(3) END FROM grown AS g
            UNION ALL
            SELECT s || chr(3) FROM unnest(strings) AS s
        )
        SELECT jsonb_build_object('mechanism', 'auto', 'epsilon', search.epsilon, 'min_group', 1, 'attributes', jsonb_build_array(
            jsonb_build_object('name', 'value', 'prefix', length, 'other', chr(3) || 'other', 'domain',
                (SELECT jsonb_agg(label ORDER BY label COLLATE "C") FROM labels) || to_jsonb(chr(3) || 'other')))));
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_hitter_spec(@extschema@.ldp_hitter_search, integer, text[], text[]) IS
    'the spec of a round that continues these beginnings and keeps counting these strings';

CREATE FUNCTION @extschema@.ldp_hitter_round(search @extschema@.ldp_hitter_search, round integer)
    RETURNS TABLE (label text, whole boolean, fresh boolean, estimate float8, stderr float8, n bigint, p_value float8)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    collection @extschema@.ldp_collections :=
        @extschema@.ldp_collection_named(format('%s_%s', search.name, ldp_hitter_round.round));
    labels text[] := @extschema@.ldp_spec_labels(collection.spec);
    -- Strings shorter than the beginnings that this round continues were handed on by an earlier one.
    continued integer := @extschema@.ldp_hitter_prefix(search, ldp_hitter_round.round - 1);
    summary @extschema@.ldp_summary := @extschema@.ldp_summary_of(collection.name);
BEGIN
    RETURN QUERY
    SELECT v.label, v.label <> t.label OR char_length(v.label) = search.longest, char_length(v.label) >= continued,
           t.estimate, t.stderr, t.n, t.p_value
    FROM (SELECT r.label, r.estimate, r.stderr, r.n, r.p_value FROM @extschema@.ldp_top(summary, cardinality(labels)) AS r
          UNION ALL
          SELECT l, NULL, NULL, 0, NULL FROM unnest(labels) AS l WHERE summary IS NULL) AS t,
         LATERAL (SELECT rtrim(t.label, chr(3))) AS v (label)
    WHERE left(t.label, 6) <> chr(3) || 'other';
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_hitter_round(@extschema@.ldp_hitter_search, integer) IS
    'what a round tells of each of its beginnings and strings: whether it is a whole string, whether no earlier round '
    'asked about it, its estimated share and adjusted p-value';

CREATE FUNCTION @extschema@.ldp_create_hitters(name text, epsilon float8, alphabet text, step integer DEFAULT 1, keep integer DEFAULT 32,
        longest integer DEFAULT 64, significance float8 DEFAULT 0.05, method text DEFAULT 'significance',
        schema text DEFAULT current_schema()) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search @extschema@.ldp_hitter_search := ROW(name, epsilon, alphabet, step, keep, longest, significance, method, 1);
    letter_bytes bigint;
    labels numeric;
    bytes numeric;
BEGIN
    IF NOT (search IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'a search for frequent strings needs all its parameters';
    END IF;
    PERFORM @extschema@.ldp_check_admin();
    IF octet_length(name) NOT BETWEEN 1 AND 60 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = 'the name of a search must have 1 to 60 bytes',
            DETAIL = format('Found %s.', octet_length(name)),
            HINT = 'Its rounds'' collections get the same name and a number.';
    END IF;
    IF method NOT IN ('significance', 'rank') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('unknown method "%s"', method),
            HINT = 'Methods of a search are significance and rank.';
    END IF;
    IF alphabet = '' OR strpos(alphabet, chr(3)) > 0 OR step NOT BETWEEN 1 AND 64
       OR keep NOT BETWEEN 1 AND 10000 OR longest NOT BETWEEN 1 AND 64 OR NOT (significance > 0 AND significance < 1) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'a parameter of the search is out of range',
            DETAIL = format('Found step %s, keep %s, longest %s, significance %s and an alphabet of %s characters.',
                            step, keep, longest, significance, char_length(alphabet)),
            HINT = 'step and longest must be 1 to 64, keep 1 to 10000, significance between 0 and 1; the alphabet must '
                   'have characters, but not U+0003.';
    END IF;
    -- A later round would find it out too late: the largest there can be must fit into a spec.
    SELECT max(octet_length(to_json(l)::text)) - 2 INTO letter_bytes FROM unnest(string_to_array(alphabet, NULL)) AS l;
    labels := keep * (@extschema@.ldp_hitter_labels(@extschema@.ldp_hitter_letters(alphabet), step) + 64 / step);
    bytes := labels * (longest * letter_bytes + 10);
    IF bytes > 1000000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'program_limit_exceeded',
            MESSAGE = 'a round of this search might ask about too many strings',
            DETAIL = format('Up to %s, which take %s bytes; a spec may have 1000000.', round(labels), round(bytes)),
            HINT = 'Give a smaller step, fewer to keep, a smaller alphabet, or a smaller length of the longest.';
    END IF;

    IF EXISTS (SELECT FROM @extschema@.ldp_hitter_search AS s WHERE s.name = ldp_create_hitters.name) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_object',
            MESSAGE = format('a search for frequent strings "%s" exists already', name),
            HINT = 'ldp_drop_hitters drops it with all its reports.';
    END IF;
    PERFORM @extschema@.ldp_create_collection(
        name || '_1', @extschema@.ldp_hitter_spec(search, 1, ARRAY[''], '{}'), NULL, schema);
    PERFORM @extschema@.ldp_record_search(search);
    RETURN name || '_1';
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_create_hitters(text, float8, text, integer, integer, integer, float8, text, text) IS
    'begins a search for frequent strings over an alphabet; creates the first round''s collection, in the current '
    'schema if none is named, and returns its name. Each round adds step characters and hands on at most keep '
    'beginnings: by method those that are significant, or those of the largest rank; longest characters of a string '
    'are told apart. Error 54000 if a round might ask about too many strings';

CREATE FUNCTION @extschema@.ldp_next_round(name text, schema text DEFAULT current_schema()) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search @extschema@.ldp_hitter_search;
    next_name text;
    beginnings text[];
    strings text[];
    reports bigint;
BEGIN
    -- Of two who ask at once the second waits, and goes on from the round that the first began.
    search := @extschema@.ldp_own_search(name);
    WITH labels AS MATERIALIZED (SELECT * FROM @extschema@.ldp_hitter_round(search, search.round)),
    handed_on AS (
        SELECT l.label, l.whole FROM labels AS l WHERE l.fresh AND (search.method = 'rank' OR l.p_value <= search.significance)
        ORDER BY l.estimate DESC, l.label LIMIT search.keep)
    SELECT (SELECT array_agg(h.label) FROM handed_on AS h WHERE NOT h.whole),
           (SELECT array_agg(s.label) FROM (SELECT h.label FROM handed_on AS h WHERE h.whole
                                            UNION ALL SELECT l.label FROM labels AS l WHERE NOT l.fresh) AS s),
           (SELECT max(l.n) FROM labels AS l)
    INTO beginnings, strings, reports;
    IF reports = 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('round %s of "%s" has no reports', search.round, name),
            HINT = format('Collect reports in "%s_%s" first.', name, search.round);
    END IF;
    IF beginnings IS NULL THEN
        RETURN NULL;
    END IF;

    search.round := search.round + 1;
    next_name := format('%s_%s', name, search.round);
    PERFORM @extschema@.ldp_create_collection(
        next_name, @extschema@.ldp_hitter_spec(search, search.round, beginnings, strings), NULL, schema);
    PERFORM @extschema@.ldp_record_search(search);
    RETURN next_name;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_next_round(text, text) IS
    'ends the current round of a search: creates the next one''s collection, in the current schema if none is '
    'named, and returns its name; NULL if no beginning is left to continue, error 55000 if the round has no reports';

CREATE FUNCTION @extschema@.ldp_hitters(name text, confidence float8 DEFAULT 0.95, top integer DEFAULT NULL)
    RETURNS TABLE (label text, estimate float8, stderr float8, lower float8, upper float8, n bigint, p_value float8, round integer)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 32 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search @extschema@.ldp_hitter_search := @extschema@.ldp_hitter_search_named(ldp_hitters.name);
BEGIN
    IF ldp_hitters.top < 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('%s are no number of strings', ldp_hitters.top),
            HINT = 'Ask for 0 or more, or give NULL for all that are significant.';
    END IF;
    -- Rounds are about different people, so their estimates are independent. They weigh by their reports and not by
    -- their errors, which are smaller where an estimate is. A string was asked about in one round or in several, and
    -- is as significant as in the best of them, which is corrected for as many looks.
    RETURN QUERY
    SELECT f.label, f.estimate, f.stderr, f.estimate - reach * f.stderr, f.estimate + reach * f.stderr, f.n, f.p_value, f.round
    FROM (SELECT l.label, sum(l.n * l.estimate) / sum(l.n) AS estimate, sqrt(sum((l.n * l.stderr) ^ 2)) / sum(l.n) AS stderr,
                 LEAST(count(l.p_value) * min(l.p_value), 1) AS p_value, sum(l.n)::bigint AS n, min(r) AS round
          FROM generate_series(1, search.round) AS r, LATERAL @extschema@.ldp_hitter_round(search, r) AS l
          WHERE l.whole AND l.n > 0
          GROUP BY l.label) AS f,
         @extschema@.ldp_reach(ldp_hitters.confidence) AS reach
    WHERE ldp_hitters.top IS NOT NULL OR f.p_value <= search.significance
    ORDER BY f.estimate DESC, f.label LIMIT ldp_hitters.top;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_hitters(text, float8, integer) IS
    'the frequent strings that a search has found so far, the most frequent first: estimated share of 1, its error, '
    'the p-value and how many reports tell of it; so many of the largest instead, whether they are significant or '
    'not; error 42704 if there is no such search';

CREATE FUNCTION @extschema@.ldp_plan_hitters(epsilon float8, alphabet text, users bigint DEFAULT 100000, step integer DEFAULT 1,
        keep integer DEFAULT 32, longest integer DEFAULT 64, significance float8 DEFAULT 0.05, method text DEFAULT 'significance',
        power float8 DEFAULT 0.9)
    RETURNS TABLE (round integer, characters integer, labels bigint, share float8, n bigint)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 8 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search @extschema@.ldp_hitter_search := ROW('plan', epsilon, alphabet, step, keep, longest, significance, method, 1);
    letters numeric := @extschema@.ldp_hitter_letters(alphabet);
    rounds integer := 1;
BEGIN
    IF NOT (search IS NOT NULL) OR users IS NULL OR power IS NULL THEN
        RETURN;
    END IF;
    IF alphabet = '' OR step NOT BETWEEN 1 AND 64 OR keep NOT BETWEEN 1 AND 10000 OR longest NOT BETWEEN 1 AND 64
       OR NOT (significance > 0 AND significance < 1) OR method NOT IN ('significance', 'rank')
       OR users < 1 OR NOT (power > 0.5 AND power < 1)
       OR keep * @extschema@.ldp_hitter_labels(letters, step) > 1000000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'a parameter of the plan is out of range',
            HINT = 'step and longest must be 1 to 64, keep 1 to 10000, significance between 0 and 1, method significance or '
                   'rank, users 1 or more, power between 0.5 and 1; a round has room for 1000000 strings.';
    END IF;
    WHILE @extschema@.ldp_hitter_prefix(search, rounds) < longest LOOP
        rounds := rounds + 1;
    END LOOP;
    -- A string that shares its beginnings with nobody is found if it passes every round. To pass, its estimate must
    -- exceed what chance gives to the best of so many labels (or to the last of those that are handed on by rank), and by
    -- as many standard errors more as the power takes. Rounds are of such sizes that this is the same share in all.
    RETURN QUERY
    SELECT p.round, p.characters, p.labels, sqrt(sum(p.need) OVER () / users),
           round(users * p.need / sum(p.need) OVER ())::bigint
    FROM (SELECT r.round, r.characters, r.labels,
                 (@extschema@.ldp_reach(GREATEST(1 - 2 * q.chance, 1e-9)) + @extschema@.ldp_reach(2 * power ^ (1.0::float8 / rounds) - 1)) ^ 2
                 * (SELECT a.stderr ^ 2 * 1e6 FROM @extschema@.ldp_advise(jsonb_build_object(
                        'mechanism', 'auto', 'epsilon', search.epsilon, 'domain', r.labels), 1000000) AS a LIMIT 1) AS need
          FROM (SELECT g AS round, c AS characters,
                       (CASE WHEN g = 1 THEN 1 ELSE search.keep END * @extschema@.ldp_hitter_labels(letters, c - b) + 1)::bigint AS labels
                FROM generate_series(1, rounds) AS g, LATERAL (SELECT @extschema@.ldp_hitter_prefix(search, g),
                                                                      @extschema@.ldp_hitter_prefix(search, g - 1)) AS o (c, b)) AS r,
               LATERAL (SELECT GREATEST(CASE WHEN search.method = 'rank' AND r.round < rounds THEN search.keep
                                             ELSE search.significance END / r.labels::float8, 1e-15)) AS q (chance)) AS p
    ORDER BY p.round;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_plan_hitters(float8, text, bigint, integer, integer, integer, float8, text, float8) IS
    'the rounds of a search: beginnings of how many characters, at most how many labels, how many of the users to ask in '
    'each, and the least share of a string that is found with this probability';

CREATE FUNCTION @extschema@.ldp_drop_hitters(name text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search @extschema@.ldp_hitter_search := @extschema@.ldp_forget_search(name);
BEGIN
    PERFORM @extschema@.ldp_drop_collection(c.name) FROM @extschema@.ldp_collections AS c
    WHERE c.name IN (SELECT format('%s_%s', search.name, r) FROM generate_series(1, search.round) AS r);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_drop_hitters(text) IS
    'drops a search for frequent strings, its rounds'' collections and all their reports; error 42704 if there is '
    'none, 42501 unless it is the caller''s';

-- Privileges ------------------------------------------------------------------------------------------------
-- A function that nothing is said of here is open to everyone: it computes, reads what is public, does what its caller
-- could do without it, or decides by its caller's name. doc/threat-model.md has the whole table.

GRANT SELECT ON @extschema@.ldp_collection, @extschema@.ldp_collections, @extschema@.ldp_hitter_search TO PUBLIC;

REVOKE ALL ON FUNCTION
    @extschema@.ldp_register_collection_as(name, text, regclass, jsonb, text),
    @extschema@.ldp_unregister_collection_as(name, text),
    @extschema@.ldp_summary_of_as(name, text, integer),
    @extschema@.ldp_groups_of_as(name, text, text[]),
    @extschema@.ldp_claim_batch_as(name, text, uuid, bigint, bytea),
    @extschema@.ldp_own_search_as(name, text),
    @extschema@.ldp_record_search_as(name, @extschema@.ldp_hitter_search),
    @extschema@.ldp_forget_search_as(name, text),
    @extschema@.ldp_run_as(oid, boolean, text, anyelement),
    @extschema@.ldp_hitter_spec(@extschema@.ldp_hitter_search, integer, text[], text[])
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    @extschema@.ldp_hitter_spec(@extschema@.ldp_hitter_search, integer, text[], text[])
    TO ldp_admin;
