-- One-step aggregates ---------------------------------------------------------------------------------------
-- Results of an accessor computed directly from reports, at confidence 0.95 and for the sample. An aggregate returns one
-- value, so rows are returned as an array. Every other accessor takes the result of ldp_agg.

CREATE FUNCTION ldp_internal.ldp_mean_of_name_final(state ldp_internal.ldp_agg_state) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_mean_of_name_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_mean by name';

CREATE FUNCTION ldp_internal.ldp_mean_final(state ldp_internal.ldp_agg_state) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_mean_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_mean';

CREATE FUNCTION ldp_internal.ldp_haar_final(state ldp_internal.ldp_agg_state) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_haar_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_haar';

CREATE FUNCTION ldp_internal.ldp_proportion_final(state ldp_internal.ldp_agg_state) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_proportion_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_proportion';

CREATE FUNCTION ldp_internal.ldp_proportion_of_label_final(state ldp_internal.ldp_agg_state) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_proportion_of_label_final(ldp_internal.ldp_agg_state) IS
    'final function of ldp_proportion by label';

CREATE FUNCTION ldp_internal.ldp_quantile_final(state ldp_internal.ldp_agg_state) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION ldp_internal.ldp_quantile_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_quantile';

CREATE AGGREGATE @extschema@.ldp_mean(report @extschema@.ldp_report) (
    SFUNC = ldp_internal.ldp_agg_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_mean_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_mean(@extschema@.ldp_report) IS
    'Returns the estimated mean of the only numeric attribute, in the attribute''s units.';

CREATE AGGREGATE @extschema@.ldp_mean(report @extschema@.ldp_report, attribute text) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_mean_of_name_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_mean(@extschema@.ldp_report, text) IS
    'Returns the estimated mean of the named attribute, in the attribute''s units.';

CREATE AGGREGATE @extschema@.ldp_haar(report @extschema@.ldp_report) (
    SFUNC = ldp_internal.ldp_agg_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_haar_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_haar(@extschema@.ldp_report) IS
    'Returns the estimated mean vector in the attributes'' units, reconstructed from its Haar coefficients.';

CREATE AGGREGATE @extschema@.ldp_proportion(report @extschema@.ldp_report) (
    SFUNC = ldp_internal.ldp_agg_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_proportion_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_proportion(@extschema@.ldp_report) IS
    'Returns the estimated proportion of every value, in order.';

CREATE AGGREGATE @extschema@.ldp_proportion(report @extschema@.ldp_report, label text) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_proportion_of_label_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_proportion(@extschema@.ldp_report, text) IS
    'Returns the estimated proportion of the value with this label.';

CREATE AGGREGATE @extschema@.ldp_quantile(report @extschema@.ldp_report, probability float8) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_quantile_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_quantile(@extschema@.ldp_report, float8) IS
    'Returns the value, in the attribute''s units, below which this share of the people lies. 0.5 gives the median.';

CREATE AGGREGATE @extschema@.ldp_quantile(report @extschema@.ldp_report, probability float8, attribute text) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_quantile_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_quantile(@extschema@.ldp_report, float8, text) IS
    'Returns the value of the named attribute, in its units, below which this share of the people lies.';

