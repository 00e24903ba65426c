-- Joint estimates -------------------------------------------------------------------------------------------
-- Estimates from reports on cross tables (joint) or on boxes (joint_haar). The method 'consistent' uses every marginal that shares
-- an attribute with the query, so that the results of all queries agree. The method 'unbiased' uses only marginals that have
-- all attributes of the query. Both methods are unbiased and have standard errors.

CREATE FUNCTION @extschema@.ldp_marginals(source @extschema@.ldp_source)
    RETURNS TABLE (attributes text[], cells bigint, n bigint, attribute_numbers integer[])
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_marginals(@extschema@.ldp_source) IS
    'Returns the marginals of a joint or joint_haar summary, or of the attributes of "joint_tables" in a record. Each '
    'row has the attributes reported together, the number of cells of their cross table, and the number of reports.';

CREATE FUNCTION @extschema@.ldp_marginal(source @extschema@.ldp_source, attributes text[], method text DEFAULT 'consistent',
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_cell
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_marginal(@extschema@.ldp_source, text[], text, float8, text) IS
    'Returns the estimated proportion of every combination of the values of some attributes, one per row, with '
    'standard error and interval. The argument method is consistent or unbiased. Error 0A000 if no marginal covers the '
    'attributes.';

CREATE FUNCTION @extschema@.ldp_proportion_where(source @extschema@.ldp_source, conditions jsonb, method text DEFAULT 'consistent',
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample', given jsonb DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_cell
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_proportion_where(@extschema@.ldp_source, jsonb, text, float8, text, jsonb) IS
    'Returns one row: the estimated share of the people who meet all conditions. The argument conditions maps an '
    'attribute to a label, an array of labels, or [low, high] for a number in bins. If given is not NULL, the result is '
    'the share among the people who meet its conditions.';

CREATE FUNCTION @extschema@.ldp_conditional(source @extschema@.ldp_source, "of" text[], given text[],
        method text DEFAULT 'consistent', confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS SETOF @extschema@.ldp_conditional_cell
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_conditional(@extschema@.ldp_source, text[], text[], text, float8, text) IS
    'Returns the estimated conditional share of every combination of values, given each combination of the values of '
    'the given attributes. Each row has a standard error and an interval; NULL if the conditioning event may have '
    'probability zero. Error 0A000 if no marginal covers the attributes.';

-- Associations and synthetic data ---------------------------------------------------------------------------
-- Tests of association, and fitted tables. Fitted tables are biased, but closer to the true shares than unbiased estimates
-- unless the noise is small. They have no intervals because of the bias.

CREATE FUNCTION @extschema@.ldp_association(source @extschema@.ldp_source, confidence float8 DEFAULT 0.95)
    RETURNS TABLE (attribute text, other_attribute text, estimate float8, lower float8, upper float8, information float8,
        information_stderr float8, n bigint, note text, p_value float8, adjusted_p_value float8, attribute_number integer,
        other_attribute_number integer)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_association(@extschema@.ldp_source, float8) IS
    'Returns the association of every pair of attributes: Cramer''s V and mutual information in bits, both debiased. The '
    'column p_value is the p-value of independence in the population; adjusted_p_value is adjusted for all pairs (Holm).';

CREATE FUNCTION @extschema@.ldp_fitted(source @extschema@.ldp_source, attributes text[], known jsonb DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_cell
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 100000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_fitted(@extschema@.ldp_source, text[], jsonb) IS
    'Returns fitted shares of every combination of the values of some attributes, without standard errors. The shares '
    'are non-negative, sum to 1, and are consistent across tables. If no marginal covers the attributes, returns the '
    'table of largest entropy that agrees with the marginals, and note states this. The argument known has totals or '
    'shares of every value of some attributes, for example from a census, as in {"sex": {"f": 510, "m": 490}}. The '
    'table is scaled to these margins, so that only its conditional shares and odds ratios are estimated. Error 22023 '
    'for invalid margins.';

CREATE FUNCTION @extschema@.ldp_model(source @extschema@.ldp_source, significance float8 DEFAULT 0.05, cells integer DEFAULT 65536)
    RETURNS TABLE (kind text, attributes text[], estimate float8, information float8, p_value float8, cells bigint, clique integer,
        parent integer, attribute_numbers integer[])
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_model(@extschema@.ldp_source, float8, integer) IS
    'Returns a graphical model of all attributes: the cliques of a graph, as a tree, and its edges. Edges are pairs '
    'whose p-value of independence is below significance, provided that no clique exceeds this number of cells.';

CREATE FUNCTION @extschema@.ldp_learn_marginals(source @extschema@.ldp_source, significance float8 DEFAULT 0.05) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_learn_marginals(@extschema@.ldp_source, float8) IS
    'Returns marginals for the spec of a second round: the pairs of attributes that are significantly dependent, '
    'adjusted for all pairs, and a single marginal for each other attribute.';

CREATE FUNCTION @extschema@.ldp_plan_marginals(source @extschema@.ldp_source, people float8, queries jsonb DEFAULT '"pairs"')
    RETURNS TABLE (marginals jsonb, error float8)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000000 ROWS 4;
COMMENT ON FUNCTION @extschema@.ldp_plan_marginals(@extschema@.ldp_source, float8, jsonb) IS
    'Returns candidate marginals for the spec of a second round, best first. The column error is the predicted total '
    'variation distance of the fitted tables of the given queries, including noise and fit. It is simulated from the '
    'fit of this first round for the given number of people.';

CREATE FUNCTION @extschema@.ldp_synthesize(source @extschema@.ldp_source, records bigint, seed bigint DEFAULT 1,
        significance float8 DEFAULT 0.05, cells integer DEFAULT 65536)
    RETURNS TABLE (number bigint, record jsonb)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000000 ROWS 10000 SUPPORT ldp_internal.ldp_rows;
COMMENT ON FUNCTION @extschema@.ldp_synthesize(@extschema@.ldp_source, bigint, bigint, float8, integer) IS
    'Returns synthetic records, each a JSON object of labels by attribute, numbered from 1. Their distribution is the '
    'model that ldp_model returns for the same significance and cells. Equal seeds give equal records. Do not fit a '
    'regression to the records: tables of numbers in fine bins attenuate slopes. For 28,155 employees, true slopes of '
    '62.4 and 10.2 became about 0 at epsilon 1 to 2, and 12 and 4 at epsilon 4. Use products and ldp_regression '
    'instead.';

