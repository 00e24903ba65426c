-- Privileges ------------------------------------------------------------------------------------------------
-- Functions that are not listed here are executable by everyone. They compute, read public data, do only what the caller
-- could do directly, or check the name of the caller. The complete table is in doc/threat-model.md.

GRANT SELECT ON ldp_internal.ldp_collection, @extschema@.ldp_collections, ldp_internal.ldp_hitter_search, @extschema@.ldp_hitter_searches TO PUBLIC;

REVOKE ALL ON FUNCTION
    ldp_internal.ldp_register_collection_as(name, text, regclass, jsonb, text),
    ldp_internal.ldp_unregister_collection_as(name, text),
    ldp_internal.ldp_describe_as(name, text, jsonb, boolean),
    ldp_internal.ldp_has_reports(ldp_internal.ldp_collection),
    ldp_internal.ldp_last_round(name, text, boolean),
    ldp_internal.ldp_summary_of_as(name, text, integer),
    ldp_internal.ldp_groups_of_as(name, text, text[], @extschema@.ldp_time, @extschema@.ldp_time, integer, integer),
    ldp_internal.ldp_claim_batch_as(name, text, uuid, bigint, bytea, bytea),
    ldp_internal.ldp_claim_batches_as(name, text, uuid[], bigint[], bytea[], bytea[]),
    ldp_internal.ldp_own_search_as(name, text),
    ldp_internal.ldp_record_search_as(name, ldp_internal.ldp_hitter_search),
    ldp_internal.ldp_forget_search_as(name, text),
    ldp_internal.ldp_run_as(oid, boolean, text, anyelement),
    ldp_internal.ldp_run_over_shards(oid, boolean, text, text, anyelement),
    ldp_internal.ldp_hitter_spec(ldp_internal.ldp_hitter_search, integer, text[], text[])
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ldp_internal.ldp_hitter_spec(ldp_internal.ldp_hitter_search, integer, text[], text[])
    TO ldp_admin;
