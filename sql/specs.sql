-- Specs -----------------------------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.ldp_spec_canonical(spec jsonb) RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION @extschema@.ldp_spec_canonical(jsonb) IS
    'the spec with every default filled in, and in "derived" what follows from it, such as sizes in bytes; error '
    '22023 that says what is wrong';

CREATE FUNCTION @extschema@.ldp_spec_parameters(spec jsonb) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION @extschema@.ldp_spec_parameters(jsonb) IS
    'the parameter block that every report under the spec begins with, in bytes; error 22023 if the spec is wrong';

CREATE FUNCTION @extschema@.ldp_spec_fingerprint(spec jsonb) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION @extschema@.ldp_spec_fingerprint(jsonb) IS
    'what identifies the spec in every report and summary, 16 hexadecimal digits; error 22023 if the spec is wrong';

CREATE FUNCTION @extschema@.ldp_part_fingerprint(fingerprint text, attribute integer) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_part_fingerprint(text, integer) IS 'what identifies the summary of one attribute of a record with this fingerprint';

CREATE FUNCTION @extschema@.ldp_check_report(report @extschema@.ldp_report, parameters bytea) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION @extschema@.ldp_check_report(@extschema@.ldp_report, bytea) IS
    'true if the report was made with these parameters, otherwise error 23514; stands in each collection''s CHECK';

CREATE FUNCTION @extschema@.ldp_check_report(batch @extschema@.ldp_report_batch, parameters bytea) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION @extschema@.ldp_check_report(@extschema@.ldp_report_batch, bytea) IS
    'true if the reports of the batch were made with these parameters, otherwise error 23514; stands in a '
    'collection''s CHECK';

CREATE FUNCTION @extschema@.ldp_check_round(round integer, first integer, last integer) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.ldp_check_round(integer, integer, integer) IS
    'true if the round is one of these, otherwise error 23514; stands in each collection''s CHECK';

CREATE FUNCTION @extschema@.ldp_spec_labels(spec jsonb) RETURNS text[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION @extschema@.ldp_spec_labels(jsonb) IS
    'the labels of the first attribute''s values, in order, or of its bins; NULL if it has none; error 22023 if the spec is wrong';

CREATE FUNCTION @extschema@.ldp_advise(spec jsonb, users bigint DEFAULT 100000,
        OUT mechanism text, OUT stderr float8, OUT lower_bound float8, OUT pull float8, OUT report_bytes bigint,
        OUT summary_bytes bigint, OUT decode_cost float8, OUT obstacle text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_advise(jsonb, bigint) IS
    'the mechanisms that suit a spec''s epsilon, attribute and limits (its own mechanism does not matter), best '
    'first: stderr, of a value with an average share, from so many users; lower_bound, what that of no unbiased '
    'estimate under this epsilon can be below; pull, how far one forged report in a hundred moves it at most, on a '
    'share or on a number from -1 to 1; sizes in bytes; decode_cost, steps of about a nanosecond a report; '
    'obstacle, why "auto" would not choose it';

CREATE FUNCTION @extschema@.ldp_plan(spec jsonb, question jsonb DEFAULT '{}', people bigint DEFAULT NULL,
        OUT source text, OUT stderr float8, OUT part float8, OUT margin float8, OUT effect float8,
        OUT n bigint, OUT epsilon float8, OUT mechanism text, OUT canonical jsonb)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 5;
COMMENT ON FUNCTION @extschema@.ldp_plan(jsonb, jsonb, bigint) IS
    'the standard error to expect of an answer before anybody reports (source "all"), and where it comes from, part '
    'being the share of its square; margin is half an interval, effect what a test would find; of '
    'people, epsilon and error what is not given is found out. Error 22023 if spec or question is wrong';

CREATE FUNCTION @extschema@.ldp_required_n(spec jsonb, question jsonb) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_required_n(jsonb, jsonb) IS
    'how many people the answer to a question needs for the error, margin or effect that it gives; error 22023 if '
    'spec or question is wrong';

CREATE FUNCTION @extschema@.ldp_required_epsilon(spec jsonb, question jsonb, people bigint) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_required_epsilon(jsonb, jsonb, bigint) IS
    'the least epsilon, of four digits, at which so many people are enough; where the spec says "auto", through the '
    'mechanism chosen there';

CREATE FUNCTION @extschema@.ldp_power(spec jsonb, question jsonb, people bigint) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.ldp_power(jsonb, jsonb, bigint) IS
    'the chance that a test of so many people''s reports finds the effect that the question gives';

CREATE FUNCTION @extschema@.ldp_influence(spec jsonb, forged float8 DEFAULT 0.01,
        OUT attribute text, OUT one_report float8, OUT down float8, OUT up float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_influence(jsonb, float8) IS
    'what forgers can do to each attribute''s estimate at most, in its own units or of a share: one report among n '
    'moves it by one_report/n, and the share forged of all reports by down or up';

CREATE FUNCTION @extschema@.ldp_minimax_bound(spec jsonb, users bigint DEFAULT 100000)
    RETURNS TABLE (attribute text, stderr float8, lower_bound float8, minimax float8, ratio float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION @extschema@.ldp_minimax_bound(jsonb, bigint) IS
    'of each attribute, in its own units: stderr, to expect of an estimate from so many reports; lower_bound, what '
    'that of no unbiased estimate by any mechanism at this epsilon can be below, at its worst people; minimax, what '
    'no estimate at all can be below, root mean squared, of a category over its values; ratio, stderr by '
    'lower_bound. The row without attribute is about all numbers together, scaled to -1 to 1, and has no stderr';

CREATE FUNCTION @extschema@.ldp_compose(epsilons float8[], at_delta float8)
    RETURNS TABLE (method text, epsilon float8, delta float8, smallest boolean)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 3;
COMMENT ON FUNCTION @extschema@.ldp_compose(float8[], float8) IS
    'what answers about one person cost together, each pure at its epsilon (at most 700): basic, advanced and '
    'optimal composition, each with the delta at which it holds; all are true, so the smallest one counts. at_delta '
    'is 1e-200 or more; NULLs are left out';

CREATE FUNCTION @extschema@.ldp_shuffled(local_epsilon float8, n bigint, at_delta float8)
    RETURNS TABLE (epsilon float8, delta float8, closed_form float8, lower_bound float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000000 ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_shuffled(float8, bigint, float8) IS
    'what a report at local_epsilon costs, at this delta (1e-100 or more), if somebody who is trusted shuffles it '
    'among those of n people (at most 10^9) before anybody sees them; beside it a closed form that holds as well, '
    'NULL where it says nothing, and what no bound for all mechanisms can be below';

CREATE FUNCTION @extschema@.ldp_odds(epsilon float8, prior float8 DEFAULT 0.5, people integer DEFAULT 1)
    RETURNS TABLE (odds float8, right_guess float8, posterior float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION @extschema@.ldp_odds(float8, float8, integer) IS
    'what epsilon (at delta 0) means at most: odds, the factor by which odds between two values move; right_guess, '
    'the chance of telling two equally likely values apart; posterior, what is believed of something that was '
    'believed with probability prior. Of people who answer together, of all their values';

CREATE FUNCTION @extschema@.ldp_duplicates(report @extschema@.ldp_report, copies bigint, reports bigint) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.ldp_duplicates(@extschema@.ldp_report, bigint, bigint) IS
    'a bound of the chance, 0 to 1, that among so many reports of as many honest people any comes as often as this '
    'one did, whatever people''s values are';

