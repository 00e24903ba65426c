-- Labels ----------------------------------------------------------------------------------------------------
-- Reports contain the fingerprint of their spec, which identifies the collection whose spec defines the labels. The C
-- functions read ldp_collection with the rights of the caller.

CREATE FUNCTION @extschema@.ldp_labels(summary @extschema@.ldp_summary)
    RETURNS TABLE (attribute text, label text, attribute_number integer, value integer)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION @extschema@.ldp_labels(@extschema@.ldp_summary) IS
    'Returns the labels of the values of each attribute, in order, with the numbers of attributes and values (from 0). An '
    'attribute without labels, such as a number, has one row, in which label and value are NULL. Names and labels come from '
    'the collection with the summary''s spec. Returns no rows if no collection has this spec.';
