-- One-step aggregates ---------------------------------------------------------------------------------------
-- Results of an accessor computed directly from reports, at confidence 0.95 and for the sample. An aggregate returns one
-- value, so rows are returned as an array. Every other accessor takes the result of ldp_agg.

CREATE FUNCTION ldp_internal.ldp_mean_of_number_final(state ldp_internal.ldp_agg_state) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_mean_of_number_final(ldp_internal.ldp_agg_state) IS
    'final function of ldp_mean by number';

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

CREATE FUNCTION ldp_internal.ldp_proportions_final(state ldp_internal.ldp_agg_state)
    RETURNS @extschema@.ldp_estimate_row[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_proportions_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_proportions';

CREATE FUNCTION ldp_internal.ldp_proportions_method_final(state ldp_internal.ldp_agg_state)
    RETURNS @extschema@.ldp_estimate_row[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_proportions_method_final(ldp_internal.ldp_agg_state) IS
    'final function of ldp_proportions with a method';

CREATE FUNCTION ldp_internal.ldp_proportion_of_number_final(state ldp_internal.ldp_agg_state) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_proportion_of_number_final(ldp_internal.ldp_agg_state) IS
    'final function of ldp_proportion by number';

CREATE FUNCTION ldp_internal.ldp_proportion_of_label_final(state ldp_internal.ldp_agg_state) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_proportion_of_label_final(ldp_internal.ldp_agg_state) IS
    'final function of ldp_proportion by label';

CREATE FUNCTION ldp_internal.ldp_top_final(state ldp_internal.ldp_agg_state) RETURNS @extschema@.ldp_ranked[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION ldp_internal.ldp_top_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_top';

CREATE FUNCTION ldp_internal.ldp_between_final(state ldp_internal.ldp_agg_state) RETURNS @extschema@.ldp_estimate_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION ldp_internal.ldp_between_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_between';

CREATE FUNCTION ldp_internal.ldp_quantile_final(state ldp_internal.ldp_agg_state) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION ldp_internal.ldp_quantile_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_quantile';

CREATE FUNCTION ldp_internal.ldp_quantiles_final(state ldp_internal.ldp_agg_state)
    RETURNS @extschema@.ldp_quantile_at[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION ldp_internal.ldp_quantiles_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_quantiles';

CREATE FUNCTION ldp_internal.ldp_histogram_final(state ldp_internal.ldp_agg_state)
    RETURNS @extschema@.ldp_bin[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION ldp_internal.ldp_histogram_final(ldp_internal.ldp_agg_state) IS 'final function of ldp_histogram';

CREATE AGGREGATE @extschema@.ldp_mean(report @extschema@.ldp_report) (
    SFUNC = ldp_internal.ldp_agg_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_mean_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_mean(@extschema@.ldp_report) IS
    'Returns the estimated mean of the only numeric attribute, in the attribute''s units.';

CREATE AGGREGATE @extschema@.ldp_mean(report @extschema@.ldp_report, attribute integer) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_mean_of_number_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_mean(@extschema@.ldp_report, integer) IS
    'Returns the estimated mean of one numeric attribute, in the attribute''s units. The argument attribute is '
    'numbered from 0.';

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

CREATE AGGREGATE @extschema@.ldp_proportion(report @extschema@.ldp_report, value integer) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_proportion_of_number_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_proportion(@extschema@.ldp_report, integer) IS
    'Returns the estimated proportion of one value. The argument value is numbered from 0.';

CREATE AGGREGATE @extschema@.ldp_proportion(report @extschema@.ldp_report, label text) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_proportion_of_label_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_proportion(@extschema@.ldp_report, text) IS
    'Returns the estimated proportion of the value with this label.';

CREATE AGGREGATE @extschema@.ldp_proportions(report @extschema@.ldp_report) (
    SFUNC = ldp_internal.ldp_agg_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_proportions_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_proportions(@extschema@.ldp_report) IS
    'Returns the estimated proportion of every value as an array of rows. Confidence is 0.95, target sample.';

CREATE AGGREGATE @extschema@.ldp_proportions(report @extschema@.ldp_report, method text) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_proportions_method_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_proportions(@extschema@.ldp_report, text) IS
    'Returns the consistent proportion of every value as an array of rows. The argument method is a method of '
    'ldp_consistent.';

CREATE AGGREGATE @extschema@.ldp_top(report @extschema@.ldp_report, "limit" integer) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_top_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_top(@extschema@.ldp_report, integer) IS
    'Returns the values with the largest estimated shares as an array of rows. Confidence is 0.95, target sample.';

CREATE AGGREGATE @extschema@.ldp_top(report @extschema@.ldp_report, "limit" integer, attribute text) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_top_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_top(@extschema@.ldp_report, integer, text) IS
    'Returns the values of the named attribute with the largest estimated shares as an array of rows. '
    'Confidence is 0.95, target sample.';

CREATE AGGREGATE @extschema@.ldp_between(report @extschema@.ldp_report, low float8, high float8) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_between_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_between(@extschema@.ldp_report, float8, float8) IS
    'Returns the share of people from low to high, or the mean of a range of attributes, as a row. Confidence is '
    '0.95, target sample.';

CREATE AGGREGATE @extschema@.ldp_between(report @extschema@.ldp_report, low float8, high float8, attribute text) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_between_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_between(@extschema@.ldp_report, float8, float8, text) IS
    'Returns the share of people whose value of the named attribute is from low to high, as a row. For a vector, '
    'returns the mean of the elements from low to high, numbered from 0. Confidence is 0.95, target sample.';

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

CREATE AGGREGATE @extschema@.ldp_quantiles(report @extschema@.ldp_report, probabilities float8[]) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_quantiles_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_quantiles(@extschema@.ldp_report, float8[]) IS
    'Returns the values, in the attribute''s units, below which these shares of the people lie, as an array of rows. '
    'Confidence is 0.95, target sample.';

CREATE AGGREGATE @extschema@.ldp_quantiles(report @extschema@.ldp_report, probabilities float8[], attribute text) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_quantiles_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_quantiles(@extschema@.ldp_report, float8[], text) IS
    'Returns the values of the named attribute, in its units, below which these shares of the people lie, as an '
    'array of rows. Confidence is 0.95, target sample.';

CREATE AGGREGATE @extschema@.ldp_histogram(report @extschema@.ldp_report, bins integer) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_histogram_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_histogram(@extschema@.ldp_report, integer) IS
    'Returns the estimated proportions of bins of equal width as an array of rows. Confidence is 0.95, target '
    'sample.';

CREATE AGGREGATE @extschema@.ldp_histogram(report @extschema@.ldp_report, bins integer, attribute text) (
    SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state, SSPACE = 512, FINALFUNC = ldp_internal.ldp_histogram_final,
    COMBINEFUNC = ldp_internal.ldp_agg_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_histogram(@extschema@.ldp_report, integer, text) IS
    'Returns the estimated proportions of bins of equal width of the named attribute as an array of rows. '
    'Confidence is 0.95, target sample.';

