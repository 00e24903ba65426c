-- Batches ---------------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_internal.ldp_pack_accumulate(packing internal, report @extschema@.ldp_report) RETURNS internal
    AS 'MODULE_PATHNAME', 'ldp_pack_reports' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION ldp_internal.ldp_pack_accumulate(internal, @extschema@.ldp_report) IS 'transition function of ldp_pack';
CREATE FUNCTION ldp_internal.ldp_pack_combine(packing internal, other internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_pack_combine(internal, internal) IS 'combine function of ldp_pack';
CREATE FUNCTION ldp_internal.ldp_pack_serialize(packing internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_pack_serialize(internal) IS 'serialization function of ldp_pack';
CREATE FUNCTION ldp_internal.ldp_pack_deserialize(bytes bytea, packing internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION ldp_internal.ldp_pack_deserialize(bytea, internal) IS 'deserialization function of ldp_pack';
CREATE FUNCTION ldp_internal.ldp_pack_final(packing internal) RETURNS @extschema@.ldp_report_batch
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_pack_final(internal) IS 'final function of ldp_pack';

CREATE AGGREGATE @extschema@.ldp_pack(report @extschema@.ldp_report) (
    SFUNC = ldp_internal.ldp_pack_accumulate, STYPE = internal, SSPACE = 16384, FINALFUNC = ldp_internal.ldp_pack_final,
    COMBINEFUNC = ldp_internal.ldp_pack_combine, SERIALFUNC = ldp_internal.ldp_pack_serialize,
    DESERIALFUNC = ldp_internal.ldp_pack_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.ldp_pack(@extschema@.ldp_report) IS
    'Returns one batch of all the reports, with at most 2^24 bytes of payloads. Returns NULL if there are no reports. '
    'Error 42804 if the specs differ.';

-- ldp_agg and ldp_pack also exist for batches. The C functions distinguish reports and batches by their bytes.
DO $script$
DECLARE
    twin record;
BEGIN
    FOR twin IN
        SELECT format('CREATE FUNCTION %s.%I(%s) RETURNS %s AS %L, %L LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000',
                      'ldp_internal', f.proname, replace(a.arguments, 'report @extschema@.ldp_report', 'batch @extschema@.ldp_report_batch'),
                      f.prorettype::regtype, f.probin, f.prosrc) AS definition,
               format('FUNCTION %s.%I(%s)', 'ldp_internal', f.proname, t.types) AS signature, d.description
        FROM pg_proc AS f, LATERAL (SELECT pg_get_function_arguments(f.oid)) AS a (arguments),
             LATERAL (SELECT string_agg(CASE o.type WHEN '@extschema@.ldp_report'::regtype THEN '@extschema@.ldp_report_batch'::regtype
                                                    ELSE o.type::regtype END::text, ', ' ORDER BY o.index)
                      FROM unnest(f.proargtypes) WITH ORDINALITY AS o (type, index)) AS t (types),
             LATERAL (SELECT obj_description(f.oid, 'pg_proc')) AS d (description)
        WHERE f.pronamespace = 'ldp_internal'::regnamespace AND f.proargtypes[1] = '@extschema@.ldp_report'::regtype
          AND f.proname IN ('ldp_agg_accumulate', 'ldp_pack_accumulate', 'ldp_window_accumulate', 'ldp_window_remove')
        ORDER BY f.oid
    LOOP
        EXECUTE twin.definition;
        EXECUTE format('COMMENT ON %s IS %L', twin.signature, replace(twin.description, 'one more report', 'the reports of one more batch'));
    END LOOP;

    FOR twin IN
        SELECT format('CREATE AGGREGATE %s.%I(%s) (SFUNC = %s, STYPE = %s, SSPACE = %s, COMBINEFUNC = %s, PARALLEL = SAFE%s%s%s)',
                      '@extschema@', f.proname, replace(i.arguments, 'report @extschema@.ldp_report', 'batch @extschema@.ldp_report_batch'),
                      a.aggtransfn, a.aggtranstype::regtype, a.aggtransspace, a.aggcombinefn,
                      CASE WHEN a.aggfinalfn <> 0 THEN format(', FINALFUNC = %s', a.aggfinalfn) END,
                      CASE WHEN a.aggserialfn <> 0 THEN format(', SERIALFUNC = %s, DESERIALFUNC = %s', a.aggserialfn, a.aggdeserialfn) END,
                      CASE WHEN a.aggmtransfn <> 0 THEN format(', MSFUNC = %s, MINVFUNC = %s, MSTYPE = %s, MSSPACE = %s, MFINALFUNC = %s',
                           a.aggmtransfn, a.aggminvtransfn, a.aggmtranstype::regtype, a.aggmtransspace, a.aggmfinalfn) END) AS definition,
               format('AGGREGATE %s.%I(%s)', '@extschema@', f.proname, i.types) AS signature,
               format('%s The reports come from batches.', obj_description(f.oid, 'pg_proc')) AS description
        FROM pg_aggregate AS a JOIN pg_proc AS f ON f.oid = a.aggfnoid,
             LATERAL (SELECT pg_get_function_arguments(f.oid),
                             (SELECT string_agg(CASE o.type WHEN '@extschema@.ldp_report'::regtype THEN '@extschema@.ldp_report_batch'::regtype
                                                            ELSE o.type::regtype END::text, ', ' ORDER BY o.index)
                              FROM unnest(f.proargtypes) WITH ORDINALITY AS o (type, index))) AS i (arguments, types)
        WHERE f.pronamespace = '@extschema@'::regnamespace AND f.proargtypes[0] = '@extschema@.ldp_report'::regtype AND f.proname IN ('ldp_agg', 'ldp_pack')
        ORDER BY f.oid
    LOOP
        EXECUTE twin.definition;
        EXECUTE format('COMMENT ON %s IS %L', twin.signature, twin.description);
    END LOOP;
END
$script$;

