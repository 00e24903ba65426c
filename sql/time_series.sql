-- Rounds of a time series under one epsilon ----------------------------------------------------------------
-- One summary has the reports of all rounds. In a record, an attribute may be a series.

CREATE FUNCTION @extschema@.ldp_series(source @extschema@.ldp_source, confidence float8 DEFAULT 0.95,
        target text DEFAULT 'sample', attribute text DEFAULT NULL, anytime boolean DEFAULT false, simultaneous boolean DEFAULT false)
    RETURNS SETOF @extschema@.ldp_series_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_series(@extschema@.ldp_source, float8, text, text, boolean, boolean) IS
    'Returns the estimates of every round of a time series: the proportion of every value for ddrm, or the mean in the '
    'attribute''s units for threshold_series. For a record, the argument attribute names the series. If anytime is '
    'true, all intervals of a row that are computed while reports arrive hold jointly with the confidence. If '
    'simultaneous is true, the intervals of all rows hold jointly with the confidence. In rounds with too few reports, '
    'the estimate is NULL. Error 0A000 for other mechanisms.';

CREATE FUNCTION @extschema@.ldp_series_mean(source @extschema@.ldp_source, rounds integer[], baseline integer[] DEFAULT '{}',
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_estimate_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 5;
COMMENT ON FUNCTION @extschema@.ldp_series_mean(@extschema@.ldp_source, integer[], integer[], float8, text, text) IS
    'Returns the mean of these rounds of a time series, minus the mean of the baseline rounds if any are given. There is '
    'one row for a number, in its units, and one row for the proportion of each value of a category. For a record, the '
    'argument attribute names the series. The error includes the covariance of the rounds. Error 22023 if the array of '
    'rounds is empty or names a round that the series does not have, 0A000 for other mechanisms.';

CREATE FUNCTION @extschema@.ldp_series_between(source @extschema@.ldp_source, low float8 DEFAULT NULL, high float8 DEFAULT NULL,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_series_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_series_between(@extschema@.ldp_source, float8, float8, float8, text, text) IS
    'Returns the proportion of people with low <= number <= high, in the attribute''s units, in every round of a time '
    'series of numbers (threshold_series). For a record, the argument attribute names the series. If shares are '
    'smoothed, the note states the width. In rounds with too few reports, the estimate is NULL. If a bound is NULL, the '
    'range has no bound on this side. Error 22023 if both bounds are NULL or high is less than low, 0A000 for other '
    'mechanisms.';

CREATE FUNCTION @extschema@.ldp_series_quantiles(source @extschema@.ldp_source, probabilities float8[] DEFAULT '{0.05,0.25,0.5,0.75,0.95}',
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_series_quantile
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_series_quantiles(@extschema@.ldp_source, float8[], float8, text, text) IS
    'Returns the values, in the attribute''s units, below which these shares of the people lie, in every round of a time '
    'series of numbers (threshold_series). For a record, the argument attribute names the series. If the distribution is '
    'smoothed, the note states the width. In rounds with too few reports, the estimate is NULL. Error 22023 unless all '
    'shares are between 0 and 1, 0A000 for other mechanisms.';
