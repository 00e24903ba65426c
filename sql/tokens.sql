-- Tokens ----------------------------------------------------------------------------------------------------
-- A token admits one report. The claim of a batch deletes its token, so the table does not record which batch had which token.
-- Like ldp_batch, the table has no foreign key to the collection, because pg_restore -j may fill it first.

CREATE TABLE ldp_internal.ldp_token (
    collection text,
    digest     bytea CHECK (octet_length(digest) = 32),
    PRIMARY KEY (collection, digest)
);
COMMENT ON TABLE ldp_internal.ldp_token IS 'tokens that no batch has redeemed; see ldp_create_tokens';
COMMENT ON COLUMN ldp_internal.ldp_token.collection IS 'name of the collection';
COMMENT ON COLUMN ldp_internal.ldp_token.digest IS
    'SHA-256 digest of the token, which cannot be computed back into the token';
SELECT pg_extension_config_dump('ldp_internal.ldp_token', '');

CREATE FUNCTION ldp_internal.ldp_create_tokens_as(caller name, name text, tokens integer, replace boolean DEFAULT false) RETURNS text[]
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    collection ldp_internal.ldp_collection := ldp_internal.ldp_own_collection(caller, name);
    created text[];
BEGIN
    IF replace IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'the argument "replace" must not be NULL';
    END IF;
    IF (tokens NOT BETWEEN CASE WHEN replace THEN 0 ELSE 1 END AND 1000000) IS NOT FALSE THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('invalid number of tokens: %s', COALESCE(tokens::text, 'NULL')),
            HINT = 'One call creates 1 to 1000000 tokens. With "replace", it may also create none.';
    END IF;
    IF NOT collection.tokens THEN
        UPDATE ldp_internal.ldp_collection AS c SET tokens = true WHERE c.name = ldp_create_tokens_as.name;
    END IF;
    IF replace THEN
        DELETE FROM ldp_internal.ldp_token AS t WHERE t.collection = ldp_create_tokens_as.name;
    END IF;
    -- A UUID has 122 random bits, so the digest of two UUIDs has more entropy than the 128 bits of a token.
    created := ARRAY(SELECT encode(substr(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 1, 16), 'hex')
                     FROM generate_series(1, tokens));
    -- The order of the rows does not show the order in which the tokens are handed out.
    INSERT INTO ldp_internal.ldp_token (collection, digest)
    SELECT name, sha256(convert_to(u.token, 'UTF8')) AS digest FROM unnest(created) AS u (token) ORDER BY digest;
    RETURN created;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_create_tokens_as(name, text, integer, boolean) IS
    'Implements ldp_create_tokens for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION @extschema@.ldp_create_tokens(name text, tokens integer, replace boolean DEFAULT false) RETURNS text[]
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 100000;
COMMENT ON FUNCTION @extschema@.ldp_create_tokens(text, integer, boolean) IS
    'Creates tokens for a collection and returns them: random texts of 32 hexadecimal digits, of which the database '
    'stores SHA-256 digests only. From the first call on, the collection takes a batch only with a token in the public '
    'column ldp_token, and a token admits one batch of one report. With replace, earlier tokens that no batch has '
    'redeemed become invalid. Error 22023 for less than 1 token (less than 0 with replace) or more than 1000000, 42704 '
    'if the collection does not exist, 42501 unless the caller owns it.';

REVOKE ALL ON FUNCTION ldp_internal.ldp_create_tokens_as(name, text, integer, boolean) FROM PUBLIC;
