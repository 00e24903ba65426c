-- Length: accessors of one value, of all values and of groups share conventions and helpers.

-- Accessors -------------------------------------------------------------------------------------------------
-- Length: the accessors are one list, in the order of the reference.
-- With target 'sample', errors include only the noise of the randomizers; with 'population', also the sampling error of the
-- respondents. The argument attribute is a name, or a number as text; most functions on a record require it. A function
-- that returns only numbers is immutable; a function that looks up names is stable.
-- Costs are for a few hundred values, in planner units of about ten nanoseconds, so that the planner filters rows first and
-- uses parallel workers. Actual costs grow with the number of values of the summary, which is unknown to the planner.

CREATE FUNCTION ldp_internal.ldp_rows(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_rows(internal) IS
    'Estimates the number of rows of a function for the planner, if a constant argument determines it. Planner support '
    'function.';

CREATE FUNCTION @extschema@.ldp_count(summary @extschema@.ldp_summary) RETURNS bigint
    AS 'MODULE_PATHNAME', 'ldp_summary_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_count(@extschema@.ldp_summary) IS 'Returns the number of reports in a summary.';

CREATE FUNCTION @extschema@.ldp_spec(summary @extschema@.ldp_summary) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'ldp_summary_spec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_spec(@extschema@.ldp_summary) IS
    'Returns the parameters of a summary''s spec: mechanism, epsilon, delta if the mechanism has one, mechanism '
    'parameters and the fingerprint of the spec.';

CREATE FUNCTION @extschema@.ldp_spec(report @extschema@.ldp_report) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'ldp_report_spec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_spec(@extschema@.ldp_report) IS
    'Returns the parameters of a report''s spec: mechanism, epsilon, delta if the mechanism has one, mechanism '
    'parameters and the fingerprint of the spec.';

CREATE FUNCTION @extschema@.ldp_count(batch @extschema@.ldp_report_batch) RETURNS bigint
    AS 'MODULE_PATHNAME', 'ldp_batch_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_count(@extschema@.ldp_report_batch) IS
    'Returns the number of reports in a batch. Reads only the head of the batch.';

CREATE FUNCTION @extschema@.ldp_unpack(batch @extschema@.ldp_report_batch) RETURNS SETOF @extschema@.ldp_report
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 10000;
COMMENT ON FUNCTION @extschema@.ldp_unpack(@extschema@.ldp_report_batch) IS
    'Returns the reports of a batch, one per row, in random order.';

CREATE FUNCTION @extschema@.ldp_insert(reports regclass, batch @extschema@.ldp_report_batch, round integer, columns jsonb DEFAULT NULL) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_insert(regclass, @extschema@.ldp_report_batch, integer, jsonb) IS
    'Inserts the reports of a batch into the columns report and round of a table, one per row, and returns their number. '
    'If the table belongs to a collection of batches, inserts the batch as one row into the columns batch and round. '
    'Runs with the rights of the caller and inserts as COPY does, in less than half the time of INSERT. The argument '
    'columns contains values of public columns for all rows, such as {"country": "de"}; a column without a value, or '
    'with the value null, takes its default. Returns NULL if one of the first three arguments is NULL. Error 42809 if '
    'the table has no such columns; 42703 for a key that is not a public column; 22001 for a value of more than 1024 '
    'bytes; the error of the type for a value that is not of the column''s type; LD002 if no partition accepts the rows '
    'at the moment.';

CREATE FUNCTION ldp_internal.ldp_critical_value(confidence float8) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ldp_internal.ldp_critical_value(float8) IS
    'Returns the critical value of the normal distribution: half the length of a two-sided interval in standard '
    'errors. Error 22023 unless confidence is between 0 and 1.';

CREATE FUNCTION @extschema@.ldp_part(summary @extschema@.ldp_summary, attribute text)
    RETURNS @extschema@.ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_part(@extschema@.ldp_summary, text) IS
    'Returns the summary of the named attribute of a sampled record, computed from the reports about this attribute. '
    'Attributes that are reported together (a vector, or the attributes of "joint_tables") have one summary.';

CREATE FUNCTION @extschema@.ldp_estimate(source @extschema@.ldp_source, attributes text[] DEFAULT NULL, statistics text[] DEFAULT NULL,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', texts text[] DEFAULT NULL, simultaneous boolean DEFAULT false,
        by text[] DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_estimate_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 100 SUPPORT ldp_internal.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_estimate(@extschema@.ldp_source, text[], text[], float8, text, text[], boolean, text[]) IS
    'Returns the estimates of a source. There is one row for the mean of each numeric attribute, in its units, and for '
    'the proportion of each value of a category. Each row has a standard error and an interval. The argument '
    'attributes selects attributes or vectors by name; the others are not computed. The argument statistics selects '
    'mean, proportion, response_rate, set_size, resultant_length and direction. The statistic response_rate is the share of people '
    'who have a value, for numbers with "missing": true. The statistic set_size is the mean number of labels of a person, '
    'for attributes with "several": true. The mean of a number with "circular": true is a direction, which the statistics '
    'mean and direction select. The statistic '
    'resultant_length is the length of its mean vector. The mean of a number with "missing": true is the mean of the people who answer. '
    'Estimates are unbiased and may lie outside their range; intervals contain a possible value. The argument target '
    'is sample or population. For an attribute of texts, a search finds the significantly frequent ones. The argument '
    'texts, an array of pairs of an attribute and a text, lists given texts instead. If simultaneous is true, the '
    'intervals of all rows hold jointly with the confidence. If the source consists of groups, or is a name and the '
    'argument by has grouping columns as in ldp_groups_of, each group has its rows, with its columns in group_key. '
    'Every group lists the texts that are significantly frequent in all groups together. Error 22023 for an unknown '
    'attribute or statistic, or if texts are not pairs, 0A000 for a statistic that no selected attribute has. Sources: '
    'doi 10.1109/SP.2019.00018, arXiv 1911.12834, PrivSet (Wang et al., INFOCOM 2018), doi 10.14778/3389133.3389140.';

CREATE FUNCTION @extschema@.ldp_robust_interval(source @extschema@.ldp_source, forged float8 DEFAULT 0.01,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_estimate_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_robust_interval(@extschema@.ldp_source, float8, float8, text) IS
    'Returns all estimates of a summary with intervals that hold under forgery. The intervals cover the value of the '
    'honest people if at most the share forged (0 to 1) of all reports is forged. Rows and units are the same as for '
    'ldp_estimate.';

-- Means

CREATE FUNCTION @extschema@.ldp_mean(summary @extschema@.ldp_summary, attribute text DEFAULT NULL) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_mean(@extschema@.ldp_summary, text) IS
    'Returns the estimated mean of the named numeric attribute, or of the only one, in the attribute''s units. The mean '
    'of a number with "circular": true is its mean direction. Error 0A000 if there are several and none is named.';

CREATE FUNCTION @extschema@.ldp_haar(summary @extschema@.ldp_summary) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_haar(@extschema@.ldp_summary) IS
    'Returns the estimated mean vector, reconstructed from the Haar coefficients: one element per attribute in '
    'order, in the attribute''s units. An element with too few reports is NULL.';

CREATE FUNCTION @extschema@.ldp_shrinkage(source @extschema@.ldp_source, shrink text DEFAULT 'soft',
        target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_shrunk
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_shrinkage(@extschema@.ldp_source, text, text) IS
    'Returns the estimated mean of every attribute of a Haar vector, in the attribute''s units, after shrinking '
    'small Haar coefficients. The argument shrink is soft or sure. Estimates are biased; rmse is the estimated root '
    'mean squared error.';

CREATE FUNCTION @extschema@.ldp_coefficients(source @extschema@.ldp_source,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_coefficient
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_coefficients(@extschema@.ldp_source, float8, text, text) IS
    'Returns the estimated mean of every Haar coefficient, with standard error and interval. Attributes are scaled '
    'to [-1,1]. Coefficient 0 is the overall mean. The others are half the differences between left and right '
    'halves, level by level from the root. In a record, attribute is the name of a vector; it may be omitted if '
    'the record has one Haar vector.';

-- Shares of values

CREATE FUNCTION @extschema@.ldp_proportion(summary @extschema@.ldp_summary) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_proportion(@extschema@.ldp_summary) IS
    'Returns the estimated proportion of every value, in order. Estimates are unbiased, so they may lie outside 0 '
    'to 1.';

CREATE FUNCTION @extschema@.ldp_proportion(summary @extschema@.ldp_summary, label text,
        attribute text DEFAULT NULL)
    RETURNS float8
    AS 'MODULE_PATHNAME', 'ldp_proportion_of_label' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_proportion(@extschema@.ldp_summary, text, text) IS
    'Returns the estimated proportion of the value with this label, or of this string of an open domain, of the only '
    'attribute or of the named one. A value without a label is given by its number from 0, such as ''3''. Error '
    '22023 if the label does not exist, or if the string contains a character that is not in the alphabet.';

CREATE FUNCTION @extschema@.ldp_consistent(source @extschema@.ldp_source, method text DEFAULT 'norm_sub', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_estimate_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 100 SUPPORT ldp_internal.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_consistent(@extschema@.ldp_source, text, text) IS
    'Returns consistent proportions of all values of the only attribute or of the named one, without standard errors. '
    'The argument method accepts none, base_cut, norm, norm_mul, norm_cut, norm_sub, mle_apx, power, ibu, ibu_early '
    'and empirical_bayes. With none, the proportions are the estimates of ldp_estimate.';

CREATE FUNCTION @extschema@.ldp_top(source @extschema@.ldp_source, "limit" integer DEFAULT 10,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', p_adjust text DEFAULT 'bonferroni', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_ranked
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 10 SUPPORT ldp_internal.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_top(@extschema@.ldp_source, integer, float8, text, text, text) IS
    'Returns the values with the largest estimated shares, largest first, in at most limit rows. The column p_value is '
    'the p-value of the hypothesis that the true share is zero, adjusted for all values. The argument p_adjust is '
    'bonferroni (probability of any false alarm) or benjamini_hochberg (share of false alarms).';

CREATE FUNCTION @extschema@.ldp_candidates(source @extschema@.ldp_source, selection text DEFAULT 'lasso',
        p_adjust text DEFAULT 'bonferroni', confidence float8 DEFAULT 0.95, attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_ranked
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_candidates(@extschema@.ldp_source, text, text, float8, text) IS
    'Returns the values that a regression selects from the candidates of a rappor spec, in descending order of their '
    'shares. The number of candidates may exceed the number that can be estimated separately. The argument selection '
    'is lasso or nnls. P-values are adjusted for all candidates; standard errors after selection are approximate.';

-- Strings of an open domain

CREATE FUNCTION @extschema@.ldp_frequent_strings(source @extschema@.ldp_source, confidence float8 DEFAULT 0.95,
        target text DEFAULT 'sample', significance float8 DEFAULT 0.05, keep integer DEFAULT 32,
        "limit" integer DEFAULT NULL, attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_string_proportion
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_frequent_strings(@extschema@.ldp_source, float8, text, float8, integer, integer, text) IS
    'Returns the frequent strings of an open domain, largest share first: those whose p-value is at most significance, '
    'or the limit largest ones. The search extends prefixes level by level, and each level continues at most keep of '
    'them. P-values are adjusted for all prefixes that the search examines. The argument attribute is the name of an '
    'attribute of a record. Error 0A000 if the reports are not about strings, 22023 if an argument is out of range.';

CREATE FUNCTION @extschema@.ldp_string_proportions(source @extschema@.ldp_source, strings text[], confidence float8 DEFAULT 0.95,
        target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_string_proportion
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 100000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_string_proportions(@extschema@.ldp_source, text[], float8, text, text) IS
    'Returns the estimated proportion of each of these strings of an open domain, in their order. Strings are encoded '
    'as a client encodes them: folded, truncated, and with replaced characters. P-values are adjusted for the number '
    'of strings. Error 22023 if a string contains a character that is not in the alphabet, 22004 if a string is NULL, '
    '0A000 if the reports are not about strings.';

-- Ranges and distributions

CREATE FUNCTION @extschema@.ldp_between(source @extschema@.ldp_source, low float8 DEFAULT NULL, high float8 DEFAULT NULL,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_estimate_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_between(@extschema@.ldp_source, float8, float8, float8, text, text) IS
    'Returns one row. For an ordered attribute, returns the share of people with values from low to high, both '
    'included. For several numeric attributes, returns the overall mean of the attributes from number low to number '
    'high, in their units. If the argument attribute names a vector of a record, low and high are numbers of its '
    'elements, from 0. If a bound is NULL, the range has no bound on this side: with high alone, the result is the '
    'share at or below this value. Error 22023 if both bounds are NULL.';

CREATE FUNCTION @extschema@.ldp_quantile(summary @extschema@.ldp_summary, probability float8, attribute text DEFAULT NULL) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_quantile(@extschema@.ldp_summary, float8, text) IS
    'Returns the value of the named attribute, or of the only one, in its units, below which this share of the people '
    'lies. 0.5 gives the median.';

CREATE FUNCTION @extschema@.ldp_quantiles(source @extschema@.ldp_source,
        probabilities float8[] DEFAULT '{0.05,0.25,0.5,0.75,0.95}', confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_quantile_at
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 5 SUPPORT ldp_internal.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_quantiles(@extschema@.ldp_source, float8[], float8, text, text) IS
    'Returns the values, in the attribute''s units, below which these shares of the people lie. One row per share, '
    'each with an interval.';

CREATE FUNCTION @extschema@.ldp_histogram(source @extschema@.ldp_source, bins integer DEFAULT 10,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_bin
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 10 SUPPORT ldp_internal.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_histogram(@extschema@.ldp_source, integer, float8, text, text) IS
    'Returns the estimated proportion of each bin of an ordered attribute. The argument bins is the number of '
    'bins, which have equal width over the attribute''s range. Estimates are unbiased, so they may be negative; each '
    'row has a standard error.';

CREATE FUNCTION @extschema@.ldp_distribution(source @extschema@.ldp_source, smoothing text DEFAULT 'ems',
        attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_bin
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 100000 ROWS 1000;
COMMENT ON FUNCTION @extschema@.ldp_distribution(@extschema@.ldp_source, text, text) IS
    'Returns the fitted distribution of an ordered attribute: shares that are not negative and sum to 1, without '
    'errors. The argument smoothing is ems or em; it affects only square_wave.';

CREATE FUNCTION @extschema@.ldp_resolution(summary @extschema@.ldp_summary, attribute text DEFAULT NULL) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_resolution(@extschema@.ldp_summary, text) IS
    'Returns the width, in the attribute''s units, of the interval over which the mechanism smooths shares and quantiles '
    'of the named attribute, or of the only one. Returns 0 if the mechanism does not smooth.';

CREATE FUNCTION @extschema@.ldp_learn_range(source @extschema@.ldp_source, coverage float8 DEFAULT 0.9,
        attribute text DEFAULT NULL)
    RETURNS TABLE (attribute text, note text, low float8, high float8, attribute_number integer, coefficient integer)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_learn_range(@extschema@.ldp_source, float8, text) IS
    'Returns ranges for the spec of a second round, estimated from the reports of a first round. With confidence 0.99, '
    'each range contains at least the proportion coverage of the people. For haar_ranges it returns one range per Haar '
    'coefficient, in the form of a spec''s "coefficients". If there are too few reports, it returns the declared range, '
    'and note states the approximate number of reports that would narrow it.';

CREATE FUNCTION @extschema@.ldp_pilot_choice(one @extschema@.ldp_source, other @extschema@.ldp_source, people bigint)
    RETURNS TABLE (mechanism text, sharp_mechanism text, sharp_error float8, smooth_error float8, smooth_bias float8,
                   smooth_grid bigint, clear boolean)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_pilot_choice(@extschema@.ldp_source, @extschema@.ldp_source, bigint) IS
    'Chooses the mechanism for the distribution of a number from two halves of a first round. Both halves use one spec '
    '(tree or haar_ordered) and different people. The candidates are the sharp mechanism, with unbiased estimates and '
    'intervals, and square_wave, whose smooth fit has a bias and no interval. The errors are root mean squared errors '
    'of the share of a range, for the reports of the given number of other people. The column sharp_error is the error '
    'of the unbiased estimate; smooth_error is the error of the fit with smooth_grid steps. The column smooth_bias is '
    'the part of smooth_error that does not shrink with more people. The column clear is true if the difference '
    'exceeds two standard errors. Error 42804 if the specs differ, 0A000 for other reports, 22023 if a half is empty.';

-- Diagnostics and changes

CREATE FUNCTION @extschema@.ldp_health(source @extschema@.ldp_source, attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_statistic
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 4;
COMMENT ON FUNCTION @extschema@.ldp_health(@extschema@.ldp_source, text) IS
    'Returns diagnostics of the reports, one per row: statistics whose distribution under honest reporting does not '
    'depend on people''s values. The column p_value is the probability that honest reports deviate at least as much. A '
    'p_value near 0 indicates that some reports did not come from the randomizer; a large p_value is only weak '
    'evidence of honest reports. If budgets can have ended, a row has the share of people whose budget is spent (see '
    'ldp_spent), without a p_value, because a spent budget is no sign of forged reports.';

CREATE FUNCTION @extschema@.ldp_spent(source @extschema@.ldp_source, confidence float8 DEFAULT 0.95)
    RETURNS SETOF @extschema@.ldp_spent_share
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_spent(@extschema@.ldp_source, float8) IS
    'Returns the share of people whose budget was spent, so that their responses repeat earlier values. The share is '
    'estimated from the signal of memoized reports ("report_spent" in the spec), is unbiased, and may be negative. The '
    'column p_value is the one-sided p-value of the hypothesis that the share is 0. Estimates are NULL, with a note, if '
    'the reports have no signal or if no budget can end. Error 0A000 if the reports were counted without their rounds.';

CREATE FUNCTION @extschema@.ldp_change(before @extschema@.ldp_source, after @extschema@.ldp_source,
        memoized float8 DEFAULT 0, confidence float8 DEFAULT 0.95, target text DEFAULT 'population', attribute text DEFAULT NULL,
        anytime boolean DEFAULT false, simultaneous boolean DEFAULT false)
    RETURNS SETOF @extschema@.ldp_ranked
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_change(@extschema@.ldp_source, @extschema@.ldp_source, float8, float8, text, text, boolean, boolean) IS
    'Returns the change (after minus before) of the mean of every number and of the share of every value. The argument '
    'memoized is the share of people, relative to the smaller summary, who are in both summaries and repeated a '
    'memoized response. The noise of these people cancels in part. The p_value belongs to a two-sided test of the '
    'hypothesis that nothing changed; it is not adjusted for the number of rows. If anytime is true, all intervals of '
    'a row that are computed while reports arrive in the two summaries hold jointly with the confidence. The smallest '
    'p_value of all looks is then valid. If simultaneous is true, the intervals of all rows hold jointly with the '
    'confidence. The columns n and people refer to the smaller summary. Error 42804 if the specs differ.';

-- Comparisons of groups

CREATE FUNCTION @extschema@.ldp_compare_groups(source @extschema@.ldp_source, by text[] DEFAULT NULL, attributes text[] DEFAULT NULL, baseline text DEFAULT NULL,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'population', anytime boolean DEFAULT false, simultaneous boolean DEFAULT false)
    RETURNS SETOF @extschema@.ldp_comparison
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_compare_groups(@extschema@.ldp_source, text[], text[], text, float8, text, boolean, boolean) IS
    'Compares groups of different people. The source is the name of a collection or a rollup with the grouping columns '
    'by, as in ldp_groups_of, or groups with their summaries. Reports without a value of a column are left out, with a '
    'note. All pairs of groups are compared, or each group with the baseline. There is one row for the mean of each '
    'numeric attribute, in its units, and for the proportion of each value of a category. The column estimate is the '
    'estimate of the group in group_key minus the estimate of the group in baseline. If attributes names one '
    'attribute, the rows are about this attribute only. If it names several, the rows are about the cells of their '
    'joint table; compare single attributes in separate calls. There are no rows for texts. The p_value belongs to a '
    'two-sided test of the hypothesis that the groups do not differ. The adjusted_p_value is adjusted for the number '
    'of rows (Holm 1979). The interval from lower to upper has the confidence for each row separately. If simultaneous '
    'is true, the intervals of all rows hold jointly with the confidence. If anytime is true, all intervals of a row '
    'that are computed while reports arrive hold jointly with the confidence. The smallest p_value of all looks is '
    'then valid, from 50 people in each group on. With the target population, the errors include the sampling error. '
    'For rounds of a panel, ldp_change with the argument memoized has smaller errors. Error 42804 if the specs differ, '
    '22023 for fewer than two groups or an unknown attribute or baseline, 42703 if a column does not exist, 42501 if '
    'the caller may not query the collection.';

CREATE FUNCTION @extschema@.ldp_group_test(source @extschema@.ldp_source, by text[] DEFAULT NULL, attributes text[] DEFAULT NULL)
    RETURNS TABLE (attribute text, chi_square float8, n bigint, note text, groups integer, degrees_of_freedom float8, p_value float8, adjusted_p_value float8, attribute_number integer)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_group_test(@extschema@.ldp_source, text[], text[]) IS
    'Tests whether groups of different people have the same distribution: one row and one p-value for all groups and '
    'values of each attribute, or of the named ones. The source is the name of a collection or a rollup with the '
    'grouping columns by, as in ldp_groups_of, or groups with their summaries. Reports without a value of a column '
    'are left out, with a note. For a category, chi_square is a score statistic with the covariance of the '
    'randomized reports, and approximately chi-square distributed. Rare values are merged. If the covariance is '
    'unknown, the values are tested one by one (Bonferroni), and chi_square is NULL. For a number, the means are '
    'tested. The adjusted_p_value is adjusted for the number of rows (Holm 1979). The columns groups and n count the '
    'groups with enough reports, and their reports. Error 42804 if the specs differ, 22023 for fewer than two groups '
    'or an unknown attribute, 42703 if a column does not exist, 42501 if the caller may not query the collection.';

-- Curves

CREATE FUNCTION @extschema@.ldp_kernel_regression(source @extschema@.ldp_source, by text[] DEFAULT NULL, bandwidth float8 DEFAULT 0,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'population', attribute text DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_curve_point
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 100000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_kernel_regression(@extschema@.ldp_source, text[], float8, float8, text, text) IS
    'Returns the mean of a number as a smooth function of a public number, at each of 4 to 4096 points. The source is '
    'the name of a collection or a rollup with the grouping column by: round, or a column of numbers, dates or times. It '
    'may also be groups whose names are numbers. Reports without a value of the column are left out, with a note. Dates '
    'and times are in days since 1970-01-01. No person belongs to two points. The estimate is a weighted sum of the '
    'means of the points within the bandwidth (Priestley, Chao 1972), with weights that reproduce quadratic curves. A '
    'bandwidth of 0 is chosen from the known noise. With fewer than 12 points, a bandwidth of 0 means no smoothing: each '
    'row is the mean of its own point. The column n counts the reports within the bandwidth. Intervals hold for each '
    'point alone, if the true curve has two continuous derivatives. Error 42804 if the specs differ, 0A000 if the '
    'reports do not estimate a mean, 22023 for an invalid number of points or bandwidth, and if names are not numbers, '
    'dates or times. Error 42703 if the column does not exist, 42501 if the caller may not query the collection.';

-- Winsorized means

CREATE FUNCTION @extschema@.ldp_winsorized_mean(histogram @extschema@.ldp_source, clamped @extschema@.ldp_source,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'population')
    RETURNS SETOF @extschema@.ldp_winsorized
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_winsorized_mean(@extschema@.ldp_source, @extschema@.ldp_source, float8, text) IS
    'Returns the mean of a number from the two rounds of a winsorized mean: the histogram of the first round, and the '
    'reports of the second round, whose values are clamped to a window. Estimate, standard error and interval refer to '
    'the mean of the clamped values. The column coverage is the estimated share of people with values in the window, '
    'and coverage_lower its lower confidence bound. The mean of all values differs from the mean of clamped values by '
    'at most bias_bound, which is an upper confidence bound. The column pilot_n is the number of reports of the first '
    'round. Error 0A000 if the first summary is not a histogram of one number, or if the second does not estimate the '
    'mean of one number. Error 42804 if the summaries belong to different winsorized means, 22023 if the first round '
    'is unknown in this database or has no reports.';

-- Covariance and regression

CREATE FUNCTION @extschema@.ldp_covariance(source @extschema@.ldp_source, x text, y text,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_estimate_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_covariance(@extschema@.ldp_source, text, text, float8, text) IS
    'Returns one row: the estimated covariance of two numbers of a record, in the product of their units. With x = y '
    'it returns the variance. Error 0A000 if the spec does not collect the product.';

CREATE FUNCTION @extschema@.ldp_correlation(source @extschema@.ldp_source, x text, y text,
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_estimate_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_correlation(@extschema@.ldp_source, text, text, float8, text) IS
    'Returns one row: the estimated correlation of two numbers of a record. The estimate is unbiased to the first '
    'order, so it may lie outside -1 to 1; the interval does not. If a variance is not significantly greater than 0, '
    'the estimate is NULL, the interval is [-1, 1], and the column note gives the reason. Error 0A000 if the spec '
    'does not collect the product and both squares.';

CREATE FUNCTION @extschema@.ldp_regression(source @extschema@.ldp_source, "of" text, predictors text[],
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', "group" text DEFAULT NULL, link text DEFAULT 'identity',
        by text[] DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_term
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_regression(@extschema@.ldp_source, text, text[], float8, text, text, text, text[]) IS
    'Returns a regression on predictors, one term per row. The terms are (intercept), or one intercept for each value of '
    'the category "group", and the coefficient of each predictor. With the link identity, it is the least squares '
    'regression of a number, computed from the means of products. A slope has the unit of the response per unit of the '
    'predictor, and (r_squared) is the share of variance explained. If the residual variance of the predictors, given the '
    'other terms, is not significantly greater than 0, the interval of a coefficient is unbounded, and the note states how '
    'many reports are needed. If the spec collects the number and the group together (means_by_group), there are no '
    'predictors, and the terms are the means of the groups. The statistic difference is the mean of a group minus the mean '
    'of the first group. With the link logit, it is the logistic regression of a category with two values, or of one value '
    'as in "answer=yes", from the likelihood of the randomized reports. A coefficient is a change of the log odds. '
    'Predictors are categories or numbers in bins that the reports cover together with the outcome, and public columns. '
    'The source is then a collection with the grouping columns by, or groups with their summaries. A category has a '
    'coefficient for each value except the first. The errors refer to a population. If the reports do not bound a '
    'coefficient, its interval is unbounded, with a note. Error 0A000 if the spec does not collect a product, or the '
    'outcome and its predictors together; 22023 for an unknown attribute, value or link.';

-- All estimates

CREATE FUNCTION ldp_internal.ldp_response_counts(summary @extschema@.ldp_summary) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_response_counts(@extschema@.ldp_summary) IS
    'Returns the number of reports, a lower bound of the people who sent them (0 if it is unknown), and the number of '
    'reports about each attribute.';

-- The first element of a vector stands for all: its elements are reported together.
CREATE FUNCTION @extschema@.ldp_response(name text, round integer DEFAULT NULL)
    RETURNS TABLE (attribute text, title text, people_asked bigint, response_rate float8, answer_rate float8, lower float8,
                   upper float8, reports bigint, note text, people bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    described @extschema@.ldp_collections := ldp_internal.ldp_collection_named(name);
    summary @extschema@.ldp_summary := @extschema@.ldp_summary_of(name, round);
    counts float8[] := ldp_internal.ldp_response_counts(summary);
    rates @extschema@.ldp_estimate_row[];
    one record;
BEGIN
    people_asked := CASE jsonb_typeof(described.texts -> 'people_asked') WHEN 'number' THEN described.texts ->> 'people_asked'
                    WHEN 'object' THEN described.texts -> 'people_asked' ->> round::text END;
    people := CASE WHEN counts[2] > 0 THEN counts[2] END;
    response_rate := people::float8 / people_asked;
    reports := COALESCE(counts[1], 0);
    RETURN NEXT;
    IF counts IS NULL THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM jsonb_array_elements(described.spec -> 'attributes') AS a (attribute) WHERE a.attribute -> 'missing' = 'true') THEN
        rates := ARRAY(SELECT r FROM @extschema@.ldp_estimate(summary::@extschema@.ldp_source, NULL::text[], '{response_rate}'::text[], 0.95::float8, 'sample'::text, NULL::text[], false::boolean, NULL::text[]) AS r);
    END IF;
    people_asked := NULL;
    people := NULL;
    response_rate := NULL;
    FOR one IN SELECT a.attribute ->> 'name' AS name, a.attribute ? 'product' AS derived,
                      sum(COALESCE(jsonb_array_length(a.attribute -> 'vector'), 1)) OVER (ORDER BY a.number)
                      - COALESCE(jsonb_array_length(a.attribute -> 'vector'), 1) AS first
               FROM jsonb_array_elements(described.spec -> 'attributes') WITH ORDINALITY AS a (attribute, number) ORDER BY a.number LOOP
        CONTINUE WHEN one.derived;
        attribute := one.name;
        title := described.texts -> 'attributes' -> one.name ->> 'title';
        reports := counts[one.first + 3];
        SELECT r.estimate, r.lower, r.upper, r.note INTO answer_rate, lower, upper, note
        FROM unnest(rates) AS r WHERE r.attribute = one.name;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_response(text, integer) IS
    'Returns the response to a collection, or to one round. The first row has no attribute: people_asked is the number '
    'of people who were asked, as the owner stated it with ldp_describe. The column people is a lower bound of the '
    'people who reported, and response_rate is people divided by people_asked. Each further row has the number of '
    'reports about an attribute or a vector. For a number with "missing": true, answer_rate is the estimated share of '
    'people who answer, with its 95 % interval. Columns that are not known are NULL. Error 42704 if the collection does '
    'not exist, 42501 if the caller may not query it.';

CREATE FUNCTION @extschema@.ldp_display(result @extschema@.ldp_row, digits integer DEFAULT 2)
    RETURNS @extschema@.ldp_row
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF digits < 1 OR digits > 15 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('invalid number of digits: %s', digits),
            HINT = 'A standard error can be rounded to 1 to 15 significant digits.';
    END IF;
    RETURN (SELECT ROW(($1).attribute, ($1).label, ($1).statistic, COALESCE(round(($1).estimate::numeric, places)::float8, ($1).estimate),
               COALESCE(round(($1).stderr::numeric, places)::float8, ($1).stderr),
               COALESCE(round(($1).lower::numeric, places)::float8, ($1).lower),
               COALESCE(round(($1).upper::numeric, places)::float8, ($1).upper),
               ($1).n, ($1).group_key, ($1).note, ($1).source)::@extschema@.ldp_row
    FROM (SELECT CASE WHEN ($1).stderr > 0 AND ($1).stderr < 1e300 THEN $2 - 1 - floor(log(($1).stderr))::integer END AS places) AS of_error);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_display(@extschema@.ldp_row, integer) IS
    'Returns a row of an estimate, with the standard error rounded to this number of significant digits (1 to 15), and '
    'estimate and interval rounded to the same decimal place. A row whose standard error is NULL or 0 is returned '
    'unchanged. Error 22023 unless the number of digits is 1 to 15.';

-- Combination of estimates ------------------------------------------------------------------------------------
-- For estimates of one quantity by different people under different specs, for example if people chose their epsilon or a
-- spec was replaced. Summaries of one spec are merged with ldp_rollup instead.

CREATE FUNCTION ldp_internal.ldp_combine_rows(result @extschema@.ldp_row, other @extschema@.ldp_row)
    RETURNS @extschema@.ldp_row
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_combine_rows(@extschema@.ldp_row, @extschema@.ldp_row) IS
    'Returns the precision-weighted mean of two estimates of one quantity. The interval is derived from both '
    'intervals and has their confidence.';

CREATE FUNCTION ldp_internal.ldp_combine_estimate(result @extschema@.ldp_row, estimate float8, stderr float8)
    RETURNS @extschema@.ldp_row
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ldp_internal.ldp_combine_rows(ROW(NULL, NULL, NULL, $2, $3, NULL, NULL, NULL, NULL, NULL, NULL)::@extschema@.ldp_row,
                                         COALESCE($1, ROW(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::@extschema@.ldp_row))
$$;
COMMENT ON FUNCTION ldp_internal.ldp_combine_estimate(@extschema@.ldp_row, float8, float8) IS
    'Returns a combined estimate after adding one estimate with its standard error. A NULL state has no estimates.';

CREATE AGGREGATE @extschema@.ldp_combine(result @extschema@.ldp_row) (
    SFUNC = ldp_internal.ldp_combine_rows, STYPE = @extschema@.ldp_row,
    COMBINEFUNC = ldp_internal.ldp_combine_rows, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_combine(@extschema@.ldp_row) IS
    'Returns the precision-weighted mean of independent estimates of one quantity by different people. The interval '
    'is derived from their intervals and has their confidence. Rows without an estimate are ignored; a single row is '
    'returned unchanged.';

CREATE AGGREGATE @extschema@.ldp_combine(estimate float8, stderr float8) (
    SFUNC = ldp_internal.ldp_combine_estimate, STYPE = @extschema@.ldp_row,
    COMBINEFUNC = ldp_internal.ldp_combine_rows, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_combine(float8, float8) IS
    'Returns the precision-weighted mean of independent estimates by different people, from the estimates and their '
    'standard errors. The interval has confidence 0.95.';

-- Arithmetic of estimates -------------------------------------------------------------------------------------
-- For estimates by different people. Quantities of one summary are correlated, and have functions of their own.

CREATE FUNCTION @extschema@.ldp_difference(result @extschema@.ldp_row, other @extschema@.ldp_row)
    RETURNS @extschema@.ldp_row
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_difference(@extschema@.ldp_row, @extschema@.ldp_row) IS
    'Returns result - other, two estimates by different people, with a standard error and an interval. The interval is '
    'derived from both intervals and has their confidence. The attribute, the label and their numbers are NULL where '
    'the two estimates differ in them. Without one of the estimates the result is NULL, with a note. For groups of one '
    'collection, ldp_compare_groups also returns p-values. Error 22023 for a negative standard error, for a row '
    'without a source, and for estimates of two quantities with the same source: for estimates of one summary, use '
    'ldp_contrast.';

CREATE FUNCTION @extschema@.ldp_ratio(result @extschema@.ldp_row, other @extschema@.ldp_row)
    RETURNS @extschema@.ldp_row
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.ldp_ratio(@extschema@.ldp_row, @extschema@.ldp_row) IS
    'Returns result / other, two estimates by different people, with a standard error and an interval. The interval '
    'has the confidence of both intervals. It is unlimited, with a note, if the denominator may be 0. The attribute, '
    'the label and their numbers are NULL where the two estimates differ in them. Error 22023 for a negative standard '
    'error, for a row without a source, and for estimates of two quantities with the same source.';

CREATE FUNCTION @extschema@.ldp_contrast(source @extschema@.ldp_source, weights jsonb, confidence float8 DEFAULT 0.95,
        target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_estimate_row
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_contrast(@extschema@.ldp_source, jsonb, float8, text) IS
    'Returns one row: a weighted sum of estimates of one summary, with the covariance of these estimates. The argument '
    'weights maps a number to the weight of its mean, or a category to an object with the weights of labels, as in '
    '{"region": {"north": 1, "south": -1}}. For weights of one attribute, the error includes the exact covariance of the '
    'estimates. A sum over several attributes requires that each report is about one attribute; its error contains the '
    'sampling error, even with the target sample. The interval is derived from the intervals of the estimates, and has '
    'the same confidence level. The columns attribute and label are NULL where they are not unique. Error 0A000 if the '
    'covariance is not known, 22023 for invalid weights.';

CREATE TYPE ldp_internal.ldp_weighted_state AS (result @extschema@.ldp_row, weight float8);
COMMENT ON TYPE ldp_internal.ldp_weighted_state IS
    'State of ldp_weighted: the weighted mean of the rows so far, and the sum of their weights.';
COMMENT ON COLUMN ldp_internal.ldp_weighted_state.result IS 'the weighted mean';
COMMENT ON COLUMN ldp_internal.ldp_weighted_state.weight IS 'the sum of the weights';

CREATE FUNCTION ldp_internal.ldp_weighted_rows(result @extschema@.ldp_row, weight float8,
                                               other @extschema@.ldp_row, other_weight float8)
    RETURNS @extschema@.ldp_row
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_weighted_rows(@extschema@.ldp_row, float8, @extschema@.ldp_row, float8) IS
    'Returns the weighted mean of two estimates of one quantity by different people. A row with weight 0 has no effect. '
    'Error 22023 for a weight that is negative or not finite, and 22004 for NULL.';

CREATE FUNCTION ldp_internal.ldp_add_weighted(state ldp_internal.ldp_weighted_state, result @extschema@.ldp_row, weight float8)
    RETURNS ldp_internal.ldp_weighted_state
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $1 IS NULL THEN ROW(ldp_internal.ldp_weighted_rows($2, $3, $2, 0), $3)::ldp_internal.ldp_weighted_state
                ELSE ROW(ldp_internal.ldp_weighted_rows(($1).result, ($1).weight, $2, $3), ($1).weight + $3)::ldp_internal.ldp_weighted_state
           END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_add_weighted(ldp_internal.ldp_weighted_state, @extschema@.ldp_row, float8) IS
    'Returns the state of ldp_weighted after one more row.';

CREATE FUNCTION ldp_internal.ldp_add_weighted(state ldp_internal.ldp_weighted_state, other ldp_internal.ldp_weighted_state)
    RETURNS ldp_internal.ldp_weighted_state
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $1 IS NULL THEN $2 WHEN $2 IS NULL THEN $1
                ELSE ldp_internal.ldp_add_weighted($1, ($2).result, ($2).weight) END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_add_weighted(ldp_internal.ldp_weighted_state, ldp_internal.ldp_weighted_state) IS
    'Returns the state of ldp_weighted for the rows of two states.';

CREATE FUNCTION ldp_internal.ldp_weighted_final(state ldp_internal.ldp_weighted_state)
    RETURNS @extschema@.ldp_row
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN ($1).weight > 0 THEN ($1).result END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_weighted_final(ldp_internal.ldp_weighted_state) IS
    'Returns the result of ldp_weighted, or NULL if all weights are 0.';

CREATE AGGREGATE @extschema@.ldp_weighted(result @extschema@.ldp_row, weight float8) (
    SFUNC = ldp_internal.ldp_add_weighted, STYPE = ldp_internal.ldp_weighted_state,
    FINALFUNC = ldp_internal.ldp_weighted_final, COMBINEFUNC = ldp_internal.ldp_add_weighted, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_weighted(@extschema@.ldp_row, float8) IS
    'Returns the weighted mean of estimates of one quantity in groups of different people, for example with the number '
    'of people of each group in the population as weights. The interval is derived from the intervals of the groups and '
    'has their confidence. Without the estimate of a group, the result is NULL, with a note. Rows with weight 0 are '
    'ignored. Error 22023 for a weight that is negative or not finite, and for rows of several attributes or labels; '
    '22004 for a row or a weight that is NULL.';

