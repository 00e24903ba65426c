-- Aggregates ------------------------------------------------------------------------------------------------
-- A state of many reports is a summary, so parallel workers, partitions and other servers can combine states without
-- conversion. A state of few reports is a list of them.

CREATE FUNCTION ldp_internal.ldp_agg_accumulate(state ldp_internal.ldp_agg_state, report @extschema@.ldp_report)
    RETURNS ldp_internal.ldp_agg_state
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION ldp_internal.ldp_agg_accumulate(ldp_internal.ldp_agg_state, @extschema@.ldp_report) IS
    'Returns the aggregate state with one more report. A NULL state has no reports.';

CREATE FUNCTION ldp_internal.ldp_agg_accumulate(state ldp_internal.ldp_agg_state, report @extschema@.ldp_report, round integer)
    RETURNS ldp_internal.ldp_agg_state
    AS 'MODULE_PATHNAME', 'ldp_agg_accumulate_round' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION ldp_internal.ldp_agg_accumulate(ldp_internal.ldp_agg_state, @extschema@.ldp_report, integer) IS
    'Returns the aggregate state with one more report of a round. A NULL state has no reports.';

CREATE FUNCTION ldp_internal.ldp_agg_add(state ldp_internal.ldp_agg_state, summary @extschema@.ldp_summary)
    RETURNS ldp_internal.ldp_agg_state
    AS 'MODULE_PATHNAME', 'ldp_agg_state_merge' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_agg_add(ldp_internal.ldp_agg_state, @extschema@.ldp_summary) IS
    'Returns the aggregate state with the reports of a summary. A NULL state has no reports.';

CREATE FUNCTION ldp_internal.ldp_agg_final(state ldp_internal.ldp_agg_state) RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_agg_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_agg and ldp_rollup';

CREATE FUNCTION @extschema@.ldp_summary_merge(summary @extschema@.ldp_summary, other @extschema@.ldp_summary)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_summary_merge(@extschema@.ldp_summary, @extschema@.ldp_summary) IS
    'Returns the summary of the reports of both summaries. A NULL summary has no reports. Error 42804 if the specs '
    'differ.';

-- Inverse transition for moving windows: summaries that leave the window are subtracted. If the subtraction is not possible,
-- the function returns NULL, and PostgreSQL aggregates the window anew. Both functions are strict, because the state of a
-- moving window must not be NULL.

CREATE FUNCTION ldp_internal.ldp_window_merge(summary @extschema@.ldp_summary, other @extschema@.ldp_summary)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME', 'ldp_summary_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_window_merge(@extschema@.ldp_summary, @extschema@.ldp_summary) IS
    'Returns the summary of the reports of two summaries that are not NULL.';

CREATE FUNCTION @extschema@.ldp_summary_subtract(summary @extschema@.ldp_summary, part @extschema@.ldp_summary)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_summary_subtract(@extschema@.ldp_summary, @extschema@.ldp_summary) IS
    'Returns the summary without a part that was merged into it. Returns NULL if no reports remain, or if the '
    'remaining rounds cannot be determined.';

CREATE FUNCTION ldp_internal.ldp_window_accumulate(window_state internal, report @extschema@.ldp_report) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION ldp_internal.ldp_window_accumulate(internal, @extschema@.ldp_report) IS 'transition function of ldp_agg over a moving window';
CREATE FUNCTION ldp_internal.ldp_window_remove(window_state internal, report @extschema@.ldp_report) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_window_remove(internal, @extschema@.ldp_report) IS 'inverse transition function of ldp_agg over a moving window';
CREATE FUNCTION ldp_internal.ldp_window_final(window_state internal) RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_window_final(internal) IS 'final function of ldp_agg over a moving window';

CREATE FUNCTION ldp_internal.ldp_agg_state_accumulate(state ldp_internal.ldp_agg_state,
        report @extschema@.ldp_report, number float8)
    RETURNS ldp_internal.ldp_agg_state
    AS 'MODULE_PATHNAME', 'ldp_agg_state_number' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_accumulate(ldp_internal.ldp_agg_state, @extschema@.ldp_report, float8) IS
    'Returns the aggregate state with one more report. A NULL state has no reports.';

CREATE FUNCTION ldp_internal.ldp_agg_state_accumulate(state ldp_internal.ldp_agg_state,
        report @extschema@.ldp_report, argument text)
    RETURNS ldp_internal.ldp_agg_state
    AS 'MODULE_PATHNAME', 'ldp_agg_state_text' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_accumulate(ldp_internal.ldp_agg_state, @extschema@.ldp_report, text) IS
    'Returns the aggregate state with one more report. A NULL state has no reports.';

CREATE FUNCTION ldp_internal.ldp_agg_state_accumulate(state ldp_internal.ldp_agg_state,
        report @extschema@.ldp_report, number float8, attribute text)
    RETURNS ldp_internal.ldp_agg_state
    AS 'MODULE_PATHNAME', 'ldp_agg_state_number_of' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_accumulate(ldp_internal.ldp_agg_state, @extschema@.ldp_report, float8, text) IS
    'Returns the aggregate state with one more report. A NULL state has no reports.';

CREATE FUNCTION ldp_internal.ldp_agg_state_merge(state ldp_internal.ldp_agg_state,
        other ldp_internal.ldp_agg_state)
    RETURNS ldp_internal.ldp_agg_state
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_agg_state_merge(ldp_internal.ldp_agg_state, ldp_internal.ldp_agg_state) IS
    'Returns the aggregate state for the reports of both states. A NULL state has no reports.';

CREATE AGGREGATE @extschema@.ldp_agg(report @extschema@.ldp_report) (
    SFUNC = ldp_internal.ldp_agg_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_agg_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE,
    MSFUNC = ldp_internal.ldp_window_accumulate, MINVFUNC = ldp_internal.ldp_window_remove, MSTYPE = internal, MSSPACE = 512,
    MFINALFUNC = ldp_internal.ldp_window_final
);
COMMENT ON AGGREGATE @extschema@.ldp_agg(@extschema@.ldp_report) IS
    'Returns the summary of the reports, the argument of the accessors. Returns NULL if there are no reports. Error '
    '42804 if the specs differ.';

CREATE AGGREGATE @extschema@.ldp_agg(report @extschema@.ldp_report, round integer) (
    SFUNC = ldp_internal.ldp_agg_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_agg_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_agg(@extschema@.ldp_report, integer) IS
    'Returns the summary of the reports, including the number of reports per round. The errors of repeated reports with '
    'memoized responses depend on the rounds. Returns NULL if there are no reports. Error 42804 if the specs differ.';

CREATE AGGREGATE @extschema@.ldp_rollup(summary @extschema@.ldp_summary) (
    SFUNC = ldp_internal.ldp_agg_add, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_agg_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE,
    MSFUNC = ldp_internal.ldp_window_merge, MINVFUNC = @extschema@.ldp_summary_subtract, MSTYPE = @extschema@.ldp_summary, MSSPACE = 512
);
COMMENT ON AGGREGATE @extschema@.ldp_rollup(@extschema@.ldp_summary) IS
    'Returns the summary of all reports from summaries of parts. The result is byte for byte the summary of all their '
    'reports. Returns NULL if there are no summaries. Error 42804 if the specs differ.';

