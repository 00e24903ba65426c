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
    'caller, as COPY does and thus in less than half of INSERT''s time; into the columns batch and round of a collection of '
    'batches, as one row. Returns how many reports that are; error 42809 for a table without such columns, LD002 while no '
    'partition takes the rows, which passes';

CREATE FUNCTION @extschema@.ldp_critical_value(confidence float8) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_critical_value(float8) IS
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

CREATE FUNCTION @extschema@.ldp_robust_interval(summary @extschema@.ldp_summary, forged float8 DEFAULT 0.01,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS TABLE (attribute text, label text, estimate float8, lower float8, upper float8, n bigint, people bigint, attribute_number integer, value integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_robust_interval(@extschema@.ldp_summary, float8, float8, text) IS
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
    RETURNS TABLE (attribute text, low float8, high float8, attribute_number integer, coefficient integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_learn_range(@extschema@.ldp_summary, float8, text) IS
    'ranges for a second round from the reports of a first: of each attribute one that holds this share of the people, '
    'with confidence 0.99; of haar_ranges one for each Haar coefficient, ready for a spec''s "coefficients". Where the '
    'reports are too few, it is the declared range, and note says about how many reports narrow it';

CREATE FUNCTION @extschema@.ldp_first_look(one @extschema@.ldp_summary, other @extschema@.ldp_summary, people bigint)
    RETURNS TABLE (mechanism text, sharp_mechanism text, sharp_error float8, smooth_error float8, smooth_bias float8,
                   smooth_grid bigint, clear boolean)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_first_look(@extschema@.ldp_summary, @extschema@.ldp_summary, bigint) IS
    'Chooses the mechanism for the distribution of a number from two halves of a first round (tree or haar_ordered, '
    'different people, one spec): the sharp one, whose estimates are unbiased and have intervals, or square_wave, whose '
    'smooth fit has a bias and no interval. The errors are root mean squares of the share of a range if so many other '
    'people report: sharp_error of the unbiased estimate, smooth_error of the fit at smooth_grid steps, smooth_bias the '
    'part that does not shrink with more people. clear is true if the difference exceeds two standard errors. Error '
    '42804 if the specs differ, 0A000 for other reports, 22023 if a half is empty';

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
    'two answers to one question as one, weighed by their precision; the interval follows from both intervals, and has their confidence';

CREATE FUNCTION @extschema@.ldp_combine_estimate(answer @extschema@.ldp_answer, estimate float8, stderr float8)
    RETURNS @extschema@.ldp_answer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT @extschema@.ldp_combine_answers(o.other, COALESCE($1, ROW(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::@extschema@.ldp_answer))
    FROM (SELECT ROW(NULL, NULL, $2, $3, $2 - r * $3, $2 + r * $3, NULL, NULL, NULL, NULL, NULL)::@extschema@.ldp_answer
          FROM @extschema@.ldp_critical_value(0.95) AS r) AS o (other)
$$;
COMMENT ON FUNCTION @extschema@.ldp_combine_estimate(@extschema@.ldp_answer, float8, float8) IS
    'the answer with one more estimate and its standard error; NULL is the answer from none';

CREATE AGGREGATE @extschema@.ldp_combine(answer @extschema@.ldp_answer) (
    SFUNC = @extschema@.ldp_combine_answers, STYPE = @extschema@.ldp_answer,
    COMBINEFUNC = @extschema@.ldp_combine_answers, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_combine(@extschema@.ldp_answer) IS
    'answers of different people to one question as one, weighed by their precision; the interval follows from theirs, '
    'and has their confidence; '
    'those without an estimate have no part in it, and one that is alone stays as it is';

CREATE AGGREGATE @extschema@.ldp_combine(estimate float8, stderr float8) (
    SFUNC = @extschema@.ldp_combine_estimate, STYPE = @extschema@.ldp_answer,
    COMBINEFUNC = @extschema@.ldp_combine_answers, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_combine(float8, float8) IS
    'estimates by different people and their standard errors as one answer, weighed by their precision, with an '
    'interval of confidence 0.95';

