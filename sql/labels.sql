-- Labels ----------------------------------------------------------------------------------------------------
-- Reports carry their spec's fingerprint. It leads to the collection whose spec has the labels. The functions in C read
-- ldp_collection with the caller's rights.

CREATE FUNCTION @extschema@.ldp_attributes(summary @extschema@.ldp_summary) RETURNS text[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_attributes(@extschema@.ldp_summary) IS
    'the names of the attributes, in order, from the collection with the summary''s spec; NULL if no collection has it';

CREATE FUNCTION @extschema@.ldp_attribute(summary @extschema@.ldp_summary, name text DEFAULT NULL) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_attribute(@extschema@.ldp_summary, text) IS
    'the number, from 0, of the attribute with this name or number; without a name that of the only attribute. Error 22023 '
    'if the attribute does not exist, or if a name is given and no collection has the summary''s spec';

CREATE FUNCTION @extschema@.ldp_labels(summary @extschema@.ldp_summary, attribute text DEFAULT NULL) RETURNS text[]
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_labels(@extschema@.ldp_summary, text) IS
    'the labels of the values, in order, from the collection with the summary''s spec; NULL if no collection has it or the '
    'attribute has no labels';

CREATE FUNCTION @extschema@.ldp_value(summary @extschema@.ldp_summary, label text,
        attribute text DEFAULT NULL)
    RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.ldp_value(@extschema@.ldp_summary, text, text) IS
    'the number, from 0, of the value with this label; where values have no labels, of the value with this number. Error '
    '22023 if the value does not exist';

