-- ldp 0.3.0: records of several attributes by name and one by one, ranges, distributions, quantiles, shrinkage,
-- and ranges learnt in a first round. Installed after 0.2.0, on new databases too; names as explained in 0.1.0.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "ALTER EXTENSION ldp UPDATE" to load this file. \quit

-- Attributes by name ----------------------------------------------------------------------------------------

CREATE FUNCTION ldp_spec_attributes(spec jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(a.attribute ->> 'name' ORDER BY a.place)
    FROM jsonb_array_elements($1 -> 'attributes') WITH ORDINALITY AS a (attribute, place)
$$;
COMMENT ON FUNCTION ldp_spec_attributes(jsonb) IS 'the names of the attributes of a canonical spec, in order';

CREATE FUNCTION ldp_attributes(summary ldp_summary) RETURNS text[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT @extschema@.ldp_spec_attributes(c.spec) FROM @extschema@.ldp_collections AS c
    WHERE c.fingerprint = @extschema@.ldp_spec($1) ->> 'spec' LIMIT 1
$$;
COMMENT ON FUNCTION ldp_attributes(ldp_summary) IS
    'the names of the attributes, in order, as the collection with the summary''s spec has them; NULL if there is none';

CREATE FUNCTION ldp_attribute(summary ldp_summary, name text) RETURNS integer
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names text[] := @extschema@.ldp_attributes(summary);
    place integer := array_position(names, name);
BEGIN
    IF names IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = 'the names of the attributes are not known',
            DETAIL = 'No collection has the summary''s spec.',
            HINT = 'Give the attribute''s number, from 0.';
    ELSIF place IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('there is no attribute "%s"', name),
            DETAIL = format('There are %s.', array_to_string(names[:20], ', ') || CASE WHEN cardinality(names) > 20 THEN ', …' ELSE '' END);
    END IF;
    RETURN place - 1;
END
$$;
COMMENT ON FUNCTION ldp_attribute(ldp_summary, text) IS 'the number of the attribute with this name, or an error';

CREATE FUNCTION ldp_mean(summary ldp_summary, attribute text) RETURNS float8
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT @extschema@.ldp_mean($1, @extschema@.ldp_attribute($1, $2)) $$;
COMMENT ON FUNCTION ldp_mean(ldp_summary, text) IS 'estimated mean of the attribute with this name, in its own units';

-- One attribute of a record ---------------------------------------------------------------------------------
-- A record's summary holds one of each attribute's own; taken out, it answers whatever the attribute's mechanism does.

CREATE FUNCTION ldp_part(summary ldp_summary, attribute integer) RETURNS ldp_summary
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_part(ldp_summary, integer) IS
    'one attribute of a sampled record as a summary of its own: of the reports that were about it';

CREATE FUNCTION ldp_part(summary ldp_summary, attribute text) RETURNS ldp_summary
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT @extschema@.ldp_part($1, @extschema@.ldp_attribute($1, $2)) $$;
COMMENT ON FUNCTION ldp_part(ldp_summary, text) IS
    'the attribute of a sampled record with this name as a summary of its own: of the reports that were about it';

CREATE FUNCTION ldp_part_fingerprint(fingerprint text, attribute integer) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_part_fingerprint(text, integer) IS 'what identifies the summary of one attribute of a record with this fingerprint';

CREATE FUNCTION ldp_attribute_labels(attribute jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(e.label ORDER BY e.place)
    FROM jsonb_array_elements_text(CASE jsonb_typeof($1 -> 'domain') WHEN 'array' THEN $1 -> 'domain' END)
         WITH ORDINALITY AS e (label, place)
$$;
COMMENT ON FUNCTION ldp_attribute_labels(jsonb) IS 'the labels of the values of one attribute of a canonical spec; NULL if it has none';

CREATE OR REPLACE FUNCTION ldp_labels(summary ldp_summary) RETURNS text[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.labels FROM (
        SELECT 1, @extschema@.ldp_spec_labels(c.spec) FROM @extschema@.ldp_collections AS c
        WHERE c.fingerprint = @extschema@.ldp_spec($1) ->> 'spec'
        UNION ALL
        SELECT 2, @extschema@.ldp_attribute_labels(a.attribute)
        FROM @extschema@.ldp_collections AS c,
             LATERAL jsonb_array_elements(c.spec -> 'attributes') WITH ORDINALITY AS a (attribute, place)
        WHERE c.mechanism = 'sampled'
          AND @extschema@.ldp_part_fingerprint(c.fingerprint, a.place::integer - 1) = @extschema@.ldp_spec($1) ->> 'spec'
        ) AS found (rank, labels)
    ORDER BY found.rank LIMIT 1
$$;

CREATE FUNCTION ldp_attribute_rows(summary ldp_summary, attribute integer, confidence float8, target text, labels text[],
        OUT value integer, OUT label text, OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION ldp_attribute_rows(ldp_summary, integer, float8, text, text[]) IS
    'estimated share of every value of one attribute of a record, with these labels';

-- Groups and distributions ----------------------------------------------------------------------------------

CREATE FUNCTION ldp_range(summary ldp_summary, low float8, high float8, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample',
        OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION ldp_range(ldp_summary, float8, float8, float8, text) IS
    'of an ordered attribute the share of people from low to high, both included; of several numeric attributes the mean '
    'of those numbered low to high together';

CREATE FUNCTION ldp_cdf(summary ldp_summary, value float8, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample',
        OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION ldp_cdf(ldp_summary, float8, float8, text) IS 'estimated share of people at or below a value';

CREATE FUNCTION ldp_quantile(summary ldp_summary, share float8) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_quantile(ldp_summary, float8) IS 'the value below which this share of the people lies; 0.5 is the median';

CREATE FUNCTION ldp_quantiles(summary ldp_summary, shares float8[] DEFAULT '{0.05,0.25,0.5,0.75,0.95}',
        confidence float8 DEFAULT 0.95, target text DEFAULT 'sample',
        OUT share float8, OUT estimate float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 5;
COMMENT ON FUNCTION ldp_quantiles(ldp_summary, float8[], float8, text) IS
    'the values below which these shares of the people lie, with intervals';

CREATE FUNCTION ldp_histogram(summary ldp_summary, bins integer DEFAULT 10, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample',
        OUT bin integer, OUT low float8, OUT high float8, OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ldp_histogram(ldp_summary, integer, float8, text) IS
    'estimated shares of bins of equal width over the range of an ordered attribute, unbiased, with errors';

CREATE FUNCTION ldp_distribution(summary ldp_summary, smoothing text DEFAULT 'ems',
        OUT cell integer, OUT low float8, OUT high float8, OUT share float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION ldp_distribution(ldp_summary, text) IS
    'the distribution of an ordered attribute, fitted: shares that are not negative and sum to 1, without errors';

CREATE FUNCTION ldp_resolution(summary ldp_summary) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_resolution(ldp_summary) IS
    'the stretch over which shares and quantiles of these reports are smeared, in the attribute''s units; 0 if they are not';

-- Shrinkage -------------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_shrunk(summary ldp_summary, shrink text DEFAULT 'soft', target text DEFAULT 'sample',
        OUT attribute integer, OUT estimate float8, OUT rmse float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION ldp_shrunk(ldp_summary, text, text) IS
    'the mean of every attribute of a haar vector, small details shrunk (soft or sure): biased, with the root of its '
    'estimated mean squared error';

CREATE FUNCTION ldp_haar(summary ldp_summary, shrink text) RETURNS float8[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $2 = 'none' THEN @extschema@.ldp_haar($1)
                ELSE (SELECT array_agg(s.estimate ORDER BY s.attribute) FROM @extschema@.ldp_shrunk($1, $2) AS s) END
$$;
COMMENT ON FUNCTION ldp_haar(ldp_summary, text) IS 'the estimated mean vector, small details shrunk: none, soft or sure';

-- Learning ranges -------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_learn_range(summary ldp_summary, coverage float8 DEFAULT 0.9,
        OUT item integer, OUT low float8, OUT high float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ldp_learn_range(ldp_summary, float8) IS
    'ranges for a second round from the reports of a first: of each attribute (item) one that holds this share of the '
    'people, with confidence 0.99; of haar_ranges one for each Haar coefficient, ready for a spec''s "coefficients"';

-- Estimates -------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION ldp_estimate(name text, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS TABLE (attribute text, value text, estimate float8, stderr float8, lower float8, upper float8, n bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    collection @extschema@.ldp_collections := @extschema@.ldp_collection_named(ldp_estimate.name);
    attributes jsonb := collection.spec -> 'attributes';
    summary @extschema@.ldp_summary;
    reports bigint;
BEGIN
    EXECUTE format('SELECT @extschema@.ldp_agg(report) FROM %s', collection.reports) INTO summary;
    reports := @extschema@.ldp_count(summary);
    -- Means have a row each, in order; categories one for each value.
    RETURN QUERY
    WITH each AS (SELECT a.attribute, a.place::integer - 1 AS number
                  FROM jsonb_array_elements(attributes) WITH ORDINALITY AS a (attribute, place)),
    rows AS (
        SELECT e.number, NULL::integer AS value, NULL::text AS label, m.estimate, m.stderr, m.lower, m.upper
        FROM each AS e JOIN @extschema@.ldp_means(CASE WHEN attributes @? '$[*] ? (!exists (@.domain))' THEN summary END,
                                                  ldp_estimate.confidence, ldp_estimate.target) AS m ON m.attribute = e.number
        WHERE NOT e.attribute ? 'domain'
        UNION ALL
        SELECT e.number, f.value, f.label, f.estimate, f.stderr, f.lower, f.upper
        FROM each AS e, LATERAL @extschema@.ldp_attribute_rows(
                 summary, e.number, ldp_estimate.confidence, ldp_estimate.target,
                 COALESCE(@extschema@.ldp_attribute_labels(e.attribute), '{}')) AS f
        WHERE e.attribute ? 'domain')
    SELECT attributes #>> ARRAY[r.number::text, 'name'], r.label, r.estimate, r.stderr, r.lower, r.upper, reports
    FROM rows AS r
    ORDER BY r.number, r.value;
END
$$;
