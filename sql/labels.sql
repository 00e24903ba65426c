-- Labels ----------------------------------------------------------------------------------------------------
-- Reports contain the fingerprint of their spec, which identifies the collection whose spec defines the labels. The C
-- functions read ldp_collection with the rights of the caller.

CREATE FUNCTION @extschema@.ldp_attributes(summary @extschema@.ldp_summary) RETURNS text[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_attributes(@extschema@.ldp_summary) IS
    'Returns the names of the attributes, in order, from the collection with the summary''s spec. Returns NULL if no '
    'collection has this spec.';

CREATE FUNCTION @extschema@.ldp_attribute(summary @extschema@.ldp_summary, name text DEFAULT NULL) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_attribute(@extschema@.ldp_summary, text) IS
    'Returns the number (from 0) of the attribute with this name or number. Without a name, returns the number of '
    'the only attribute. Error 22023 if the attribute does not exist, or if a name is given and no collection has '
    'the summary''s spec.';

CREATE FUNCTION @extschema@.ldp_labels(summary @extschema@.ldp_summary, attribute text DEFAULT NULL) RETURNS text[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_labels(@extschema@.ldp_summary, text) IS
    'Returns the labels of the values, in order, from the collection with the summary''s spec. Returns NULL if no '
    'collection has this spec, or if the attribute has no labels.';

CREATE FUNCTION @extschema@.ldp_value(summary @extschema@.ldp_summary, label text,
        attribute text DEFAULT NULL)
    RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_value(@extschema@.ldp_summary, text, text) IS
    'Returns the number (from 0) of the value with this label. If the values have no labels, label is the number of '
    'the value. Error 22023 if the value does not exist.';

