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

CREATE FUNCTION @extschema@.ldp_query_accumulate(question @extschema@.ldp_query,
        report @extschema@.ldp_report, number float8)
    RETURNS @extschema@.ldp_query
    AS 'MODULE_PATHNAME', 'ldp_query_number' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_query_accumulate(@extschema@.ldp_query, @extschema@.ldp_report, float8) IS
    'the question with one more report; NULL is one of no reports';

CREATE FUNCTION @extschema@.ldp_query_accumulate(question @extschema@.ldp_query,
        report @extschema@.ldp_report, number integer)
    RETURNS @extschema@.ldp_query
    AS 'MODULE_PATHNAME', 'ldp_query_integer' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_query_accumulate(@extschema@.ldp_query, @extschema@.ldp_report, integer) IS
    'the question with one more report; NULL is one of no reports';

CREATE FUNCTION @extschema@.ldp_query_accumulate(question @extschema@.ldp_query,
        report @extschema@.ldp_report, low float8, high float8)
    RETURNS @extschema@.ldp_query
    AS 'MODULE_PATHNAME', 'ldp_query_range' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_query_accumulate(@extschema@.ldp_query, @extschema@.ldp_report, float8, float8) IS
    'the question with one more report; NULL is one of no reports';

CREATE FUNCTION @extschema@.ldp_query_accumulate(question @extschema@.ldp_query,
        report @extschema@.ldp_report, numbers float8[])
    RETURNS @extschema@.ldp_query
    AS 'MODULE_PATHNAME', 'ldp_query_numbers' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_query_accumulate(@extschema@.ldp_query, @extschema@.ldp_report, float8[]) IS
    'the question with one more report; NULL is one of no reports';

CREATE FUNCTION @extschema@.ldp_query_accumulate(question @extschema@.ldp_query,
        report @extschema@.ldp_report, words text)
    RETURNS @extschema@.ldp_query
    AS 'MODULE_PATHNAME', 'ldp_query_text' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION @extschema@.ldp_query_accumulate(@extschema@.ldp_query, @extschema@.ldp_report, text) IS
    'the question with one more report; NULL is one of no reports';

CREATE FUNCTION @extschema@.ldp_query_merge(question @extschema@.ldp_query,
        other @extschema@.ldp_query)
    RETURNS @extschema@.ldp_query
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_query_merge(@extschema@.ldp_query, @extschema@.ldp_query) IS
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

