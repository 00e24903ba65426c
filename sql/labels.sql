-- Names -----------------------------------------------------------------------------------------------------
-- Reports carry their spec's fingerprint, which leads from them to what attributes and values are called.

CREATE FUNCTION @extschema@.ldp_legend(fingerprint text) RETURNS jsonb
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN jsonb_path_exists(l.attributes, '$[*].edges') THEN @extschema@.ldp_bin_labels(l.attributes) ELSE l.attributes END
    FROM (SELECT COALESCE(
        (SELECT c.spec -> 'attributes' FROM @extschema@.ldp_collections AS c WHERE c.fingerprint = $1 LIMIT 1),
        (SELECT jsonb_build_array(a.attribute)
         FROM @extschema@.ldp_collections AS c,
              LATERAL jsonb_array_elements(c.spec -> 'attributes') WITH ORDINALITY AS a (attribute, place)
         WHERE c.mechanism = 'sampled' AND @extschema@.ldp_part_fingerprint(c.fingerprint, a.place::integer - 1) = $1 LIMIT 1),
        '[]')) AS l (attributes)
$$;
COMMENT ON FUNCTION @extschema@.ldp_legend(text) IS
    'the attributes of the spec with this fingerprint, or of the record whose attribute has it, as a collection has them, bins with '
    'their labels; none if there is no such collection';

CREATE FUNCTION @extschema@.ldp_attributes(summary @extschema@.ldp_summary) RETURNS text[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(a.attribute ->> 'name' ORDER BY a.place)
    FROM jsonb_array_elements(@extschema@.ldp_legend(@extschema@.ldp_spec($1) ->> 'spec')) WITH ORDINALITY AS a (attribute, place)
$$;
COMMENT ON FUNCTION @extschema@.ldp_attributes(@extschema@.ldp_summary) IS
    'the names of the attributes, in order, as the collection with the summary''s spec has them; NULL if there is none';

CREATE FUNCTION @extschema@.ldp_attribute(summary @extschema@.ldp_summary, name text DEFAULT NULL) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_attribute(@extschema@.ldp_summary, text) IS
    'the number, from 0, of the attribute with this name, or of the only one if none is given; error 22023 if there '
    'is none, 42704 if no collection here knows names';

CREATE FUNCTION @extschema@.ldp_labels(summary @extschema@.ldp_summary, attribute text DEFAULT NULL) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT @extschema@.ldp_spec_labels(jsonb_build_object('attributes', jsonb_build_array(
        @extschema@.ldp_legend(@extschema@.ldp_spec($1) ->> 'spec') -> @extschema@.ldp_attribute($1, $2))))
$$;
COMMENT ON FUNCTION @extschema@.ldp_labels(@extschema@.ldp_summary, text) IS
    'the labels of the values, in order, as the collection with the summary''s spec has them; NULL if there is none, or it '
    'has no labels';

CREATE FUNCTION @extschema@.ldp_value(summary @extschema@.ldp_summary, label text,
        attribute text DEFAULT NULL)
    RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_value(@extschema@.ldp_summary, text, text) IS
    'the number, from 0, of the value with this label; error 22023 if there is none';

