-- Estimates from many groups of different people --------------------------------------------------------------

CREATE FUNCTION @extschema@.ldp_clustered(source @extschema@.ldp_source, by text[] DEFAULT NULL, attributes text[] DEFAULT NULL, weights text DEFAULT 'people', confidence float8 DEFAULT 0.95)
    RETURNS SETOF @extschema@.ldp_cluster_mean
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_clustered(@extschema@.ldp_source, text[], text[], text, float8) IS
    'Returns means and proportions over groups that are a random sample of groups, such as schools or days. The source '
    'is the name of a collection or a rollup with the grouping columns by, as in ldp_groups_of, or groups with their '
    'summaries. The groups consist of different people. Reports without a value of a column are left out, with a note. '
    'If weights is people, an estimate is the mean over people; if it is groups, the mean over groups. The standard '
    'error applies to a new random sample of groups. Its degrees of freedom are approximated by the method of '
    'Satterthwaite. The columns between_sd and icc are the standard deviation between groups and the intraclass '
    'correlation, without the noise of the randomization. The icc is NULL if the reports do not show the variance '
    'between people. The design_effect is the variance divided by the variance of a simple random sample of the same '
    'number of people. Error 22023 for fewer than two groups or an unknown attribute, 42703 if the column does not '
    'exist, 42501 if the caller may not query the collection.';

CREATE FUNCTION @extschema@.ldp_small_areas(source @extschema@.ldp_source, by text[] DEFAULT NULL, attributes text[] DEFAULT NULL, confidence float8 DEFAULT 0.95)
    RETURNS SETOF @extschema@.ldp_small_area
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 1000;
COMMENT ON FUNCTION @extschema@.ldp_small_areas(@extschema@.ldp_source, text[], text[], float8) IS
    'Returns means and proportions of many small groups that borrow strength from each other (empirical Bayes). The '
    'source is the name of a collection or a rollup with the grouping columns by, as in ldp_groups_of, or groups with '
    'their summaries. The groups consist of different people. Reports without a value of a column are left out, with a '
    'note. The estimate is between the group''s own estimate, which has the weight in the column weight, and the mean '
    'of all groups. The weights follow from the variance between groups, without the noise of the randomization. '
    'Intervals hold on average over the groups, not for each group. Error 22023 for fewer than five groups or an '
    'unknown attribute, 42703 if the column does not exist, 42501 if the caller may not query the collection.';

CREATE FUNCTION @extschema@.ldp_smooth(source @extschema@.ldp_source, by text[] DEFAULT NULL, attributes text[] DEFAULT NULL, season integer DEFAULT NULL, confidence float8 DEFAULT 0.95)
    RETURNS SETOF @extschema@.ldp_smoothed
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 1000;
COMMENT ON FUNCTION @extschema@.ldp_smooth(@extschema@.ldp_source, text[], text[], integer, float8) IS
    'Returns a smoothed series of means and proportions: a level that changes by random steps, and a season, from '
    'estimates with known noise (Kalman filter and smoother). The source is the name of a collection or a rollup with a '
    'column of dates or integers, or groups with such names. The groups consist of different people. There is a row for '
    'each point in time, including points without reports. Reports without a value of the column are left out, with a '
    'note. Detected jumps are part of the smoothed series. The argument season is the number of points in time of a '
    'season, 0 for none. If it is NULL, it is 7 for dates with at least 28 days of reports, and otherwise 0. The column '
    'jump_p_value is the p-value of the hypothesis that the level does not jump at this point, and adjusted_p_value is '
    'adjusted for the rows of the call (Holm 1979). Error 22023 for fewer than five groups or an unknown attribute, '
    '42703 if the column does not exist, 42501 if the caller may not query the collection.';

-- Calibration -----------------------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.ldp_calibrate(source @extschema@.ldp_source, by text[] DEFAULT NULL, totals jsonb DEFAULT NULL, weights text DEFAULT NULL, collapse boolean DEFAULT false,
        attributes text[] DEFAULT NULL, confidence float8 DEFAULT 0.95, target text DEFAULT 'population')
    RETURNS SETOF @extschema@.ldp_calibrated
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_calibrate(@extschema@.ldp_source, text[], jsonb, text, boolean, text[], float8, text) IS
    'Returns estimates of a population, weighted so that groups of a collection''s reports agree with known totals. The '
    'rows are the same as for ldp_estimate, without texts. The source is the name of a collection or a rollup with the grouping '
    'columns by, as in ldp_groups_of, or groups with their summaries. Without by, the columns of the groups are in the order '
    'of their names. If totals is an object, it contains the totals of each column''s values, as in {"region": {"north": 700, "south": 300}, "age": {...}}, and the weights are raked. If '
    'it is an array, it has the totals of combinations, as in [{"region": "north", "age": "young", "total": 200}], and '
    'the groups are post-stratified. The argument weights names a public column with each person''s design weight; '
    'without totals, these weights are used alone. A total of 0 excludes the groups to which it applies. A positive total without reports is '
    'an error. If collapse is true, such a total is added to the groups with the same values of the first columns, and '
    'groups with fewer reports than min_group are left out. The interval is derived from the intervals of the groups and '
    'has at least their confidence. With the target population, the errors contain the variation of raked weights; with '
    'sample, they apply to the weighted people who reported. The column design_effect is the design effect of Kish '
    '(1965). Error 22023 for invalid totals and if raking does not converge; 42703 if a column does not exist; 42704 if '
    'the collection does not exist; 42501 if the caller may not query it.';
