-- Specs -----------------------------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.ldp_spec_info(spec jsonb, OUT canonical jsonb, OUT parameters bytea, OUT fingerprint text, OUT labels text[])
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION @extschema@.ldp_spec_info(jsonb) IS
    'Checks a spec and returns one row. The column canonical is the spec with all defaults filled in, and with derived '
    'quantities, such as sizes in bytes, under "derived". The column parameters is the parameter block at the '
    'beginning of every report. The column fingerprint identifies the spec: 64 hexadecimal digits, of which every '
    'report and summary has the first 16. The column labels has the labels of the first attribute''s values or bins, '
    'in order; NULL if it has none. Error 22023 if the spec is invalid.';

CREATE FUNCTION ldp_internal.ldp_spec_canonical(spec jsonb) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION ldp_internal.ldp_spec_canonical(jsonb) IS
    'Returns the canonical spec: all defaults filled in, and derived quantities such as sizes in bytes under '
    '"derived". Error 22023 if the spec is invalid.';

CREATE FUNCTION ldp_internal.ldp_spec_parameters(spec jsonb) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION ldp_internal.ldp_spec_parameters(jsonb) IS
    'Returns the parameter block at the beginning of every report under the spec. Error 22023 if the spec is invalid.';

CREATE FUNCTION ldp_internal.ldp_spec_fingerprint(spec jsonb) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION ldp_internal.ldp_spec_fingerprint(jsonb) IS
    'Returns the fingerprint that identifies the spec: 64 hexadecimal digits, of which every report and summary has '
    'the first 16. Error 22023 if the spec is invalid.';

CREATE FUNCTION ldp_internal.ldp_spec_texts(spec jsonb) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION ldp_internal.ldp_spec_texts(jsonb) IS
    'Returns the titles, questions and other texts of a spec as an object. Its key "attributes" maps names of '
    'attributes to their texts. Error 22023 if the spec is invalid.';

CREATE FUNCTION ldp_internal.ldp_spec_without_texts(spec jsonb) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION ldp_internal.ldp_spec_without_texts(jsonb) IS
    'Returns the canonical spec without texts for people. Error 22023 if the spec is invalid.';

CREATE FUNCTION ldp_internal.ldp_changed_texts(spec jsonb, changes jsonb) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION ldp_internal.ldp_changed_texts(jsonb, jsonb) IS
    'Returns the texts of a spec after changes, a merge patch (RFC 7396) in the form of ldp_spec_texts: null removes '
    'a text. Error 22023 if the spec or a text is invalid.';

CREATE FUNCTION ldp_internal.ldp_spec_with_texts(spec jsonb, texts jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $2 = '{}' THEN $1 ELSE $1 || ($2 - 'attributes') || jsonb_build_object('attributes',
        (SELECT jsonb_agg(a.attribute || COALESCE($2 -> 'attributes' -> (a.attribute ->> 'name'), '{}') ORDER BY a.number)
         FROM jsonb_array_elements($1 -> 'attributes') WITH ORDINALITY AS a (attribute, number))) END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_spec_with_texts(jsonb, jsonb) IS
    'Inserts texts in the form of ldp_spec_texts into a canonical spec, and returns the result.';

CREATE FUNCTION ldp_internal.ldp_digest_of_contract(spec jsonb, columns jsonb) RETURNS text
    AS 'MODULE_PATHNAME', 'ldp_contract_digest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION ldp_internal.ldp_digest_of_contract(jsonb, jsonb) IS
    'Returns the digest of the contract of a spec with its texts and of the public columns that its clients fill, given '
    'as an array of names. Error 22023 if the spec is invalid.';

CREATE FUNCTION ldp_internal.ldp_attribute_names(spec jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT COALESCE(array_agg(n.name), '{}') FROM jsonb_array_elements($1 -> 'attributes') AS a (attribute), LATERAL (
        SELECT a.attribute ->> 'name' UNION ALL SELECT (a.attribute ->> 'name') || '.' || e.label FROM jsonb_array_elements_text(
            CASE jsonb_typeof(a.attribute -> 'vector') WHEN 'array' THEN a.attribute -> 'vector' ELSE '[]' END) AS e (label)) AS n (name)
$$;
COMMENT ON FUNCTION ldp_internal.ldp_attribute_names(jsonb) IS
    'Returns the names of the attributes of a canonical spec, and those of the elements of vectors, such as day.morning.';

CREATE FUNCTION ldp_internal.ldp_winsorized_spec(spec jsonb, histogram @extschema@.ldp_summary) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION ldp_internal.ldp_winsorized_spec(jsonb, @extschema@.ldp_summary) IS
    'Returns the spec of the second round of a winsorized mean from the spec and the reports of its first round. Error '
    '0A000 if the spec is not one number in bins, 22023 if the reports do not determine the window.';

CREATE FUNCTION ldp_internal.ldp_check_report(report @extschema@.ldp_report, parameters bytea) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION ldp_internal.ldp_check_report(@extschema@.ldp_report, bytea) IS
    'Returns true if the report has these parameters, and raises error 23514 otherwise. The argument parameters is a '
    'parameter block, or the first 24 bytes of a block followed by the SHA-256 digest of the whole block. Used in the '
    'CHECK constraint of each collection.';

CREATE FUNCTION ldp_internal.ldp_check_report(batch @extschema@.ldp_report_batch, parameters bytea) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION ldp_internal.ldp_check_report(@extschema@.ldp_report_batch, bytea) IS
    'Returns true if the reports of the batch have these parameters, and raises error 23514 otherwise. The argument '
    'parameters is the same as for a report. Used in the CHECK constraint of a collection of batches.';

CREATE FUNCTION ldp_internal.ldp_check_round(round integer, first integer, last integer) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_check_round(integer, integer, integer) IS
    'Returns true if the round is between first and last, and raises error 23514 otherwise. Used in the CHECK '
    'constraint of each collection.';

CREATE FUNCTION ldp_internal.ldp_spec_labels(spec jsonb) RETURNS text[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION ldp_internal.ldp_spec_labels(jsonb) IS
    'Returns the labels of the first attribute''s values or bins, in order. Returns NULL if the attribute has no '
    'labels. Error 22023 if the spec is invalid.';

CREATE FUNCTION @extschema@.ldp_advise(spec jsonb, users bigint DEFAULT 100000,
        OUT mechanism text, OUT stderr float8, OUT lower_bound float8, OUT worst_case_bias float8, OUT report_bytes bigint,
        OUT summary_bytes bigint, OUT decode_cost float8, OUT obstacle text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_advise(jsonb, bigint) IS
    'Returns the mechanisms that support a spec''s epsilon, attributes and limits, best first. The spec''s own '
    'mechanism is ignored. The column stderr is the standard error for a value with an average share, at this number '
    'of users. The column lower_bound is a lower bound on the standard error of every unbiased estimate under this '
    'epsilon. The column worst_case_bias is the largest shift by one forged report in a hundred, of a share or of a '
    'number scaled to -1 to 1. Sizes are in bytes; decode_cost is in steps of about a nanosecond per report. The '
    'column obstacle states why "auto" would not choose the mechanism.';

CREATE FUNCTION @extschema@.ldp_plan(spec jsonb, planning_target jsonb DEFAULT '{}', people bigint DEFAULT NULL,
        OUT source text, OUT stderr float8, OUT part float8, OUT margin float8, OUT effect float8,
        OUT n bigint, OUT epsilon float8, OUT mechanism text, OUT canonical jsonb)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 5;
COMMENT ON FUNCTION @extschema@.ldp_plan(jsonb, jsonb, bigint) IS
    'Returns the predicted standard error of an estimate (source "all") and its sources, before any data is collected. '
    'The column part is a source''s share of the squared error. The column margin is half the length of an interval; '
    'the column effect is the smallest effect that a test detects. Two of people, epsilon and error are given, and the '
    'function computes the third. Error 22023 if the spec or the planning target is invalid.';

CREATE FUNCTION @extschema@.ldp_required_n(spec jsonb, planning_target jsonb) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_required_n(jsonb, jsonb) IS
    'Returns the number of people needed to reach the error, margin or effect of a planning target. Error 22023 if '
    'the spec or the planning target is invalid.';

CREATE FUNCTION @extschema@.ldp_required_epsilon(spec jsonb, planning_target jsonb, people bigint) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_required_epsilon(jsonb, jsonb, bigint) IS
    'Returns the smallest epsilon, rounded up to four digits, at which this number of people reaches a planning '
    'target. If the mechanism is "auto", the mechanism chosen at that epsilon is used.';

CREATE FUNCTION @extschema@.ldp_power(spec jsonb, planning_target jsonb, people bigint) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_power(jsonb, jsonb, bigint) IS
    'Returns the probability that a test on reports of this number of people detects the effect of a planning target.';

CREATE FUNCTION @extschema@.ldp_influence(spec jsonb, forged float8 DEFAULT 0.01,
        OUT attribute text, OUT one_report float8, OUT down float8, OUT up float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_influence(jsonb, float8) IS
    'Returns bounds on the shift of each attribute''s estimate by forged reports, in the attribute''s units or as a '
    'share. One report among n shifts the estimate by at most one_report/n. If the proportion forged of all reports is '
    'forged, the estimate decreases by at most down or increases by at most up.';

CREATE FUNCTION @extschema@.ldp_minimax_bound(spec jsonb, users bigint DEFAULT 100000)
    RETURNS TABLE (attribute text, stderr float8, lower_bound float8, minimax float8, ratio float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_minimax_bound(jsonb, bigint) IS
    'Returns the predicted standard error of each attribute beside lower bounds of the error, in the attribute''s units, '
    'at this number of users. The column lower_bound is the smallest worst-case standard error of any unbiased estimate '
    'by any mechanism at this epsilon. The column minimax is a lower bound for all estimators, as a root mean squared '
    'error; for a category, the mean is also taken over its values. The column ratio is stderr divided by lower_bound. '
    'The row without an attribute covers all numbers together, scaled to -1 to 1. '
    'No bound is known for a product and for a direction; both columns are NULL there.';

CREATE FUNCTION @extschema@.ldp_compose(epsilons float8[], at_delta float8, deltas float8[] DEFAULT NULL)
    RETURNS TABLE (method text, epsilon float8, delta float8, smallest boolean)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 3;
COMMENT ON FUNCTION @extschema@.ldp_compose(float8[], float8, float8[]) IS
    'Returns the total privacy cost of several reports about one person by basic, advanced and optimal composition. '
    'Each epsilon is at most 700. The column delta is the delta at which the bound holds. All bounds hold; smallest '
    'marks the tightest one. Without deltas, each report is pure at its epsilon, at_delta is at least 1e-200, and NULL '
    'elements are ignored. Otherwise each report fails its epsilon with a probability of at most its delta. The '
    'argument deltas has one element for each epsilon, or one element for all; 0 marks a pure report. Then at_delta must '
    'not be below the probability that a report fails, 1 - (1 - delta)(1 - delta)... The epsilon of advanced composition '
    'is NULL unless at_delta exceeds the sum of the deltas. NULL elements are an error.';

CREATE FUNCTION @extschema@.ldp_shuffled(local_epsilon float8, n bigint, at_delta float8)
    RETURNS TABLE (epsilon float8, delta float8, closed_form float8, lower_bound float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_shuffled(float8, bigint, float8) IS
    'Returns the central privacy cost of a report at local_epsilon after a trusted party shuffles it among the '
    'reports of n people (at most 10^9). The argument at_delta is at least 1e-100. The column closed_form is another '
    'valid bound, NULL where it does not apply. The column lower_bound is a lower bound on every result that holds '
    'for all mechanisms.';

CREATE FUNCTION @extschema@.ldp_shuffled(spec jsonb, n bigint, at_delta float8)
    RETURNS TABLE (epsilon float8, delta float8, generic float8, lower_bound float8, blanket float8)
    AS 'MODULE_PATHNAME', 'ldp_shuffled_reports' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_shuffled(jsonb, bigint, float8) IS
    'Returns the central privacy cost of a report of this spec after a trusted party shuffles it among the reports of '
    'n people (at most 10^7), by enumeration of the randomizer. The column generic is the cost for any mechanism at '
    'the same epsilon. The column lower_bound is a lower bound: the cost if all other people have one value, the worst '
    'of the values that were compared. The column blanket is the probability with which a report does not depend on '
    'the value. The argument at_delta is at least 1e-100. A text constant needs the name of the argument, as in spec '
    '=> ''{...}'', or a cast to jsonb. The function raises an error if the spec is too large for enumeration.';

CREATE FUNCTION @extschema@.ldp_divergences(spec jsonb, rounds bigint DEFAULT 1)
    RETURNS TABLE (response text, divergence text, parameter float8, largest float8, exact boolean, input text, other_input text,
                   bound float8, general_bound float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000000 ROWS 13;
COMMENT ON FUNCTION @extschema@.ldp_divergences(jsonb, bigint) IS
    'Returns divergences between the distributions of a report under two inputs, one row for each divergence, by '
    'enumeration of the randomizer. The column largest is the maximum over all pairs of inputs; input and other_input '
    'are the pair. The column parameter is the order of a Renyi divergence or the gamma of a hockey_stick divergence. '
    'The column bound is the largest value of any channel at the epsilon of the spec, and general_bound is a bound from '
    'the literature. The argument rounds is the number of fresh reports of one person; the column exact is false if '
    'largest is then only an upper bound. For two layers, rows with the response permanent cover all reports of one '
    'value, and rows with the response report cover one report. The function raises an error if the spec is too large '
    'for enumeration.';

CREATE FUNCTION @extschema@.ldp_privacy(spec jsonb)
    RETURNS TABLE (scope text, epsilon float8, delta float8, odds float8, right_guess float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 4;
COMMENT ON FUNCTION @extschema@.ldp_privacy(jsonb) IS
    'Returns the privacy loss of the reports under a spec, one row for each bound. The row report refers to one report '
    'with all its content; for a series, it refers to all rounds. If reports have a signal of a spent budget, the row '
    'early_report refers to a report before any budget can have ended, and the row signal to the signal in all reports. '
    'Other rows refer to all reports about one answer (answer), one memoized response (response), all reports of a '
    'person (person), and all collections of the group (group). The row person is missing if nothing limits the number '
    'of reports. The columns odds and right_guess are the same as in ldp_odds. Error 22023 if the spec is invalid.';

CREATE FUNCTION @extschema@.ldp_odds(epsilon float8, prior float8 DEFAULT 0.5, people integer DEFAULT 1)
    RETURNS TABLE (odds float8, right_guess float8, posterior float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_odds(float8, float8, integer) IS
    'Returns worst-case interpretations of epsilon (at delta 0). The column odds is the largest factor by which the '
    'odds between two values change. The column right_guess is the largest probability of guessing correctly between '
    'two equally likely values. The column posterior is the largest probability of an event that had the probability '
    'prior. The argument people is the number of people whose values are considered jointly.';

CREATE FUNCTION @extschema@.ldp_duplicates(report @extschema@.ldp_report, copies bigint, reports bigint) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_duplicates(@extschema@.ldp_report, bigint, bigint) IS
    'Returns an upper bound (0 to 1) on the probability that any report occurs at least copies times among this '
    'number of reports from different honest people. The bound holds for all values of the people.';

