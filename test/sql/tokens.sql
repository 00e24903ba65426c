-- Tokens: what a claim redeems, and what it refuses.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS ldp;
RESET client_min_messages;

CREATE FUNCTION pg_temp.report(value integer) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 1, "domain": 4}'), 'hex') || lpad(to_hex(value), 2, '0'))::ldp_report $$;
CREATE FUNCTION pg_temp.id(number integer) RETURNS uuid LANGUAGE sql AS $$ SELECT lpad(number::text, 32, '0')::uuid $$;
SELECT ldp_create_collection(name, '{"mechanism": "grr", "epsilon": 1, "domain": 4}', ARRAY[['country', 'text']], rows => name) FROM unnest('{reports,batches}'::text[]) AS name;
SELECT ldp_create_collection('entrance', '{"mechanism": "grr", "epsilon": 1, "domain": 4}');

-- The first tokens make a token a required public column.
SELECT * FROM ldp_public_columns('reports');
CREATE TEMPORARY TABLE token AS
    SELECT c.name AS collection, t.number, t.token FROM unnest('{reports,batches}'::text[]) AS c (name), unnest(ldp_create_tokens(c.name, 3)) WITH ORDINALITY AS t (token, number);
SELECT count(DISTINCT token), bool_and(token ~ '^[0-9a-f]{32}$') FROM token;
SELECT * FROM ldp_public_columns('reports');
SELECT * FROM ldp_public_columns('entrance');
SELECT * FROM ldp_invalid_values('reports', 'ldp_token', '{anything}');
SELECT * FROM ldp_invalid_values('entrance', 'ldp_token', '{anything}');
SELECT ldp_contract_digest('reports', '{ldp_token}') <> ldp_contract_digest('reports');
-- Digests only.
SELECT count(*) FROM ldp_internal.ldp_token AS s JOIN token AS t ON s.collection = t.collection AND s.digest = sha256(convert_to(t.token, 'UTF8'));

-- A token, its number, in a batch with its number and this number of reports.
CREATE FUNCTION pg_temp.submit(collection text, token integer, batch integer, reports integer DEFAULT 1, more jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    state text;
    message text;
BEGIN
    RETURN ldp_submit_batch(collection, pg_temp.id(batch), ARRAY(SELECT pg_temp.report(i % 4) FROM generate_series(1, reports) AS i), 0,
        more || COALESCE((SELECT jsonb_build_object('ldp_token', t.token) FROM token AS t WHERE t.collection = submit.collection AND t.number = submit.token), '{}'));
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
    RETURN state || ' ' || message;
END
$$;
SELECT name, pg_temp.submit(name, NULL, 1) AS missing, pg_temp.submit(name, NULL, 1, 1, '{"ldp_token": "00"}') AS unknown,
       pg_temp.submit(name, 1, 1, 2) AS several FROM unnest('{reports,batches}'::text[]) AS name;
SELECT name, pg_temp.submit(name, 1, 1, 1, '{"country": "de"}') AS new FROM unnest('{reports,batches}'::text[]) AS name;
SELECT name, pg_temp.submit(name, 1, 1, 1, '{"country": "de"}') AS repeated, pg_temp.submit(name, 2, 1, 1, '{"country": "de"}') AS other_token,
       pg_temp.submit(name, 1, 2) AS other_batch, pg_temp.submit(name, 3, 2, 1, '{"capital": "Rome"}') AS refused FROM unnest('{reports,batches}'::text[]) AS name;
-- What was refused redeems no token.
SELECT collection, count(*) FROM ldp_internal.ldp_token GROUP BY 1 ORDER BY 1;
SELECT name, pg_temp.submit(name, 3, 2) FROM unnest('{reports,batches}'::text[]) AS name;
SELECT country, count(*) FROM reports GROUP BY 1 ORDER BY 1;
SELECT country, sum(ldp_count(batch)) FROM batches GROUP BY 1 ORDER BY 1;
-- One statement with several batches: each has its own token.
SELECT pg_temp.submit('reports', 2, batch) FROM generate_series(7, 9) AS batch;
SELECT pg_temp.submit('entrance', NULL, 1), pg_temp.submit('entrance', NULL, 2, 1, '{"ldp_token": "00"}');
-- ldp_insert redeems no token.
SELECT ldp_insert('batches', ldp_pack(pg_temp.report(1)), 0, jsonb_build_object('ldp_token', (SELECT token FROM token WHERE collection = 'batches' AND number = 2)));

-- Claims: of a batch, and of a revoked id, which needs no token.
CREATE FUNCTION pg_temp.digest(name text, of integer) RETURNS bytea LANGUAGE sql AS
$$ SELECT sha256(convert_to(t.token, 'UTF8')) FROM token AS t WHERE t.collection = name AND t.number = of $$;
SELECT ldp_claim_batch('batches', pg_temp.id(20), 0, sha256('void')) AS revoked;
SELECT ldp_claim_batch('batches', pg_temp.id(21), 1, sha256('a'));
SELECT ldp_claim_batch('batches', pg_temp.id(21), 1, sha256('a'), '\xab');
SELECT ldp_claim_batch('batches', pg_temp.id(21), 1, sha256('a'), sha256('guess'));
SELECT ldp_claim_batch('batches', pg_temp.id(21), 1, sha256('a'), pg_temp.digest('batches', 2)) AS new;
SELECT ldp_claim_batch('batches', pg_temp.id(21), 1, sha256('a')) AS new, ldp_claim_batch('batches', pg_temp.id(21), 1, sha256('a'), sha256('guess')) AS other;
SELECT count(*) FROM ldp_internal.ldp_token WHERE collection = 'batches';

-- A group of claims, as ldp collect makes it: each member has the result that it would have alone.
SELECT ldp_create_collection('guarded', '{"mechanism": "grr", "epsilon": 1, "domain": 4}'), ldp_create_collection('unguarded', '{"mechanism": "grr", "epsilon": 1, "domain": 4}');
INSERT INTO token SELECT 'guarded', t.number, t.token FROM unnest(ldp_create_tokens('guarded', 4)) WITH ORDINALITY AS t (token, number);
-- Members are a batch, its number of reports, the text of its digest, and a token: a number, 0 for an unknown one, or NULL.
CREATE FUNCTION pg_temp.claims(name text, members text[]) RETURNS text[] LANGUAGE sql AS $$
    SELECT ldp_internal.ldp_claim_batches(name, array_agg(pg_temp.id(m.f[1]::integer) ORDER BY m.n), array_agg(m.f[2]::bigint ORDER BY m.n),
        array_agg(sha256(convert_to(m.f[3], 'UTF8')) ORDER BY m.n),
        array_agg(CASE WHEN m.f[4] = '0' THEN sha256('guess') WHEN m.f[4] <> '' THEN pg_temp.digest(name, m.f[4]::integer) END ORDER BY m.n))
    FROM (SELECT u.n, string_to_array(u.m, ' ') FROM unnest(members) WITH ORDINALITY AS u (m, n)) AS m (n, f)
$$;
SELECT pg_temp.claims('unguarded', '{3 5 a,1 2 b,2 1 c}') AS new, pg_temp.claims('unguarded', '{1 2 b,4 1 d,3 5 x,2 2 c}') AS mixed;
-- One id several times in a group: the first one counts.
SELECT pg_temp.claims('unguarded', '{7 1 a,7 1 a,6 1 z,7 1 b,7 2 a}') AS first, pg_temp.claims('unguarded', '{7 1 a}') AS again;
-- Tokens: valid; none; unknown; one for two reports; a token of an earlier member; and a revocation, which needs none.
SELECT pg_temp.claims('guarded', '{1 1 a 1,2 1 a,3 1 a 0,4 2 a 2,5 1 a 1,6 0 a}') AS tokens;
SELECT pg_temp.claims('guarded', '{1 1 a 1,2 1 a 2,3 1 a,6 0 a,5 1 a 3}') AS again;
-- A member that is refused leaves its id to a later one.
SELECT pg_temp.claims('guarded', '{9 1 a 0,9 1 a 0,9 1 b 4,9 1 a 0,9 1 b}') AS token_of_the_third;
SELECT substr(batch::text, 36), reports FROM ldp_internal.ldp_batch WHERE collection = 'guarded' ORDER BY 1;
SELECT count(*) FROM ldp_internal.ldp_token WHERE collection = 'guarded';
SELECT pg_temp.claims('unguarded', '{1 2 b}') AS one, ldp_internal.ldp_claim_batches('unguarded', '{}', '{}', '{}') AS none;
-- 1,000 claims of which every seventh is repeated, in any order.
SELECT count(*) FROM unnest(pg_temp.claims('unguarded', ARRAY(SELECT format('%s 1 a', 7 * n) FROM generate_series(10, 200) AS n ORDER BY md5(n::text)))) AS r WHERE r = 'new';
SELECT r, count(*), bool_and((100 + (i * 389) % 1000) % 7 = 0) FROM unnest(pg_temp.claims('unguarded', ARRAY(SELECT format('%s 1 a', 100 + (i * 389) % 1000) FROM generate_series(1, 1000) AS i))) WITH ORDINALITY AS u (r, i) GROUP BY 1 ORDER BY 1;
-- ldp collect claims its new batches again before the commit. If no record was deleted or updated since, the records are not
-- read again; otherwise each of them must exist.
CREATE FUNCTION pg_temp.look_ups() RETURNS bigint LANGUAGE sql AS
$$ SELECT sum(pg_stat_get_xact_numscans(i.indexrelid))::bigint FROM pg_index AS i WHERE i.indrelid = 'ldp_internal.ldp_batch'::regclass $$;
BEGIN;
SELECT pg_temp.claims('unguarded', '{20 1 a,21 2 b,22 1 c,1 2 b}') AS new;
SELECT pg_temp.look_ups() AS before \gset
SELECT pg_temp.claims('unguarded', '{22 1 c,20 1 a,21 2 b}') AS again, pg_temp.claims('unguarded', '{22 1 c,20 1 a}') AS some, pg_temp.look_ups() - :before AS look_ups;
SELECT pg_temp.claims('unguarded', '{20 1 a,21 1 b}') AS reports, pg_temp.claims('unguarded', '{20 1 a,21 2 x}') AS digests, pg_temp.claims('unguarded', '{20 1 a,1 2 b}') AS old, pg_temp.look_ups() > :before AS looked_up;
SELECT pg_temp.claims('unguarded', '{42 1 a,43 1 a}') AS new, pg_temp.claims('unguarded', '{42 1 a,43 1 b}') AS other_digest;
SELECT pg_temp.claims('unguarded', '{44 1 a,45 1 a}') AS new, pg_temp.claims('guarded', '{44 1 a,45 1 a}') AS other_collection;
SELECT pg_temp.claims('unguarded', '{23 1 a,24 1 a}') AS new;
DELETE FROM ldp_internal.ldp_batch WHERE collection = 'unguarded' AND batch = pg_temp.id(23);
SELECT pg_temp.claims('unguarded', '{23 1 a,24 1 a}') AS one_was_deleted, pg_temp.claims('unguarded', '{23 1 a,24 1 a}') AS now;
SELECT pg_temp.claims('unguarded', '{25 1 a,26 1 a}') AS new;
UPDATE ldp_internal.ldp_batch SET reports = 2 WHERE collection = 'unguarded' AND batch = pg_temp.id(26);
SELECT pg_temp.claims('unguarded', '{25 1 a,26 1 a}') AS one_was_updated;
-- What was refused is refused again.
SELECT pg_temp.claims('unguarded', '{36 1 a,3 5 x}') AS content, pg_temp.claims('unguarded', '{36 1 a,3 5 x}') AS again;
SELECT pg_temp.claims('guarded', '{40 1 a,41 1 a 0}') AS tokens, pg_temp.claims('guarded', '{40 1 a,41 1 a 0}') AS again;
-- Without these statistics, the records are read.
SELECT pg_temp.claims('unguarded', '{32 1 a,33 1 a}') AS new;
SET LOCAL track_counts = off;
DELETE FROM ldp_internal.ldp_batch WHERE collection = 'unguarded' AND batch = pg_temp.id(33);
SELECT pg_temp.claims('unguarded', '{32 1 a,33 1 a}') AS one_was_deleted, pg_temp.claims('unguarded', '{34 1 a,35 1 a}') AS new;
SET LOCAL track_counts = on;
SELECT pg_temp.claims('unguarded', '{34 1 a,35 1 a}') AS again;
CREATE ROLE ldp_tokens_submitter IN ROLE ldp_submitter;
SELECT pg_temp.claims('unguarded', '{27 1 a,28 1 a}') AS new;
SET ROLE ldp_tokens_submitter;
SELECT ldp_internal.ldp_claim_batches('unguarded', ARRAY[pg_temp.id(27), pg_temp.id(28)], '{1,1}', ARRAY[sha256('a'), sha256('a')]) AS other_role;
RESET ROLE;
-- What a subtransaction claims may be rolled back.
SAVEPOINT claims;
SELECT pg_temp.claims('unguarded', '{30 1 a,31 1 a}') AS new;
ROLLBACK TO claims;
SELECT pg_temp.claims('unguarded', '{30 1 a,31 1 a}') AS rolled_back;
ROLLBACK;
SELECT pg_temp.claims('unguarded', '{30 1 a,31 1 a}') AS rolled_back;
SELECT ldp_internal.ldp_claim_batches('unguarded', ARRAY[pg_temp.id(50)], '{1,2}', ARRAY[sha256('a')]);
SELECT ldp_internal.ldp_claim_batches('unguarded', ARRAY[pg_temp.id(50)], '{1}', ARRAY[sha256('a')], ARRAY['\xab'::bytea]);
SELECT ldp_internal.ldp_claim_batches('unguarded', ARRAY[pg_temp.id(50), NULL], '{1,1}', ARRAY[sha256('a'), sha256('a')]);
SELECT ldp_internal.ldp_claim_batches('missing', ARRAY[pg_temp.id(50)], '{1}', ARRAY[sha256('a')]);
SELECT ldp_internal.ldp_claim_batches_as(NULL, 'unguarded', ARRAY[pg_temp.id(50)], '{1}', ARRAY[sha256('a')], NULL);
SELECT ldp_drop_collection(name) FROM unnest('{guarded,unguarded}'::text[]) AS name;

-- Numbers, and the end of a collection.
SELECT ldp_create_tokens('reports', 0);
SELECT ldp_create_tokens('reports', 1000001);
SELECT ldp_create_tokens('reports', NULL);
SELECT ldp_create_tokens('missing', 1);
SELECT cardinality(ldp_create_tokens('reports', 1000));
-- Replaced tokens admit nothing, new ones do. Other collections keep their tokens.
SELECT cardinality(ldp_create_tokens('batches', 2));
INSERT INTO token SELECT 'reports', 20 + number, token FROM unnest(ldp_create_tokens('reports', 1)) WITH ORDINALITY AS t (token, number);
INSERT INTO token SELECT 'reports', 30 + number, token FROM unnest(ldp_create_tokens('reports', 2, replace => true)) WITH ORDINALITY AS t (token, number);
SELECT collection, count(*) FROM ldp_internal.ldp_token GROUP BY 1 ORDER BY 1;
SELECT pg_temp.submit('reports', 21, 21) AS replaced, pg_temp.submit('reports', 31, 22) AS new;
SELECT ldp_create_tokens('reports', 0, replace => true) AS none;
SELECT pg_temp.submit('reports', 32, 23) AS replaced, pg_temp.submit('reports', 31, 22) AS repeated;
SELECT ldp_create_tokens('reports', -1, replace => true);
SELECT ldp_create_tokens('reports', 1, replace => NULL);
SELECT ldp_drop_collection('reports');
SELECT count(*) FROM ldp_internal.ldp_token WHERE collection = 'reports';
SELECT ldp_create_collection('reports', '{"mechanism": "grr", "epsilon": 1, "domain": 4}');
SELECT pg_temp.submit('reports', NULL, 1);
SELECT ldp_drop_collection(name) FROM unnest('{reports,batches,entrance}'::text[]) AS name;
