-- Privileges ------------------------------------------------------------------------------------------------
-- Functions that are not listed here are executable by everyone. They compute, read public data, do only what the caller
-- could do directly, or check the name of the caller. The complete table is in doc/threat-model.md.

GRANT SELECT ON @extschema@.ldp_collection, @extschema@.ldp_collections, @extschema@.ldp_hitter_search TO PUBLIC;

REVOKE ALL ON FUNCTION
    @extschema@.ldp_register_collection_as(name, text, regclass, jsonb, text),
    @extschema@.ldp_unregister_collection_as(name, text),
    @extschema@.ldp_summary_of_as(name, text, integer),
    @extschema@.ldp_groups_of_as(name, text, text[]),
    @extschema@.ldp_claim_batch_as(name, text, uuid, bigint, bytea),
    @extschema@.ldp_own_search_as(name, text),
    @extschema@.ldp_record_search_as(name, @extschema@.ldp_hitter_search),
    @extschema@.ldp_forget_search_as(name, text),
    @extschema@.ldp_run_as(oid, boolean, text, anyelement),
    @extschema@.ldp_hitter_spec(@extschema@.ldp_hitter_search, integer, text[], text[])
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    @extschema@.ldp_hitter_spec(@extschema@.ldp_hitter_search, integer, text[], text[])
    TO ldp_admin;
