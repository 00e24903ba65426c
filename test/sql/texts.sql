-- Titles, questions and other texts of collections, their changes, and the response to a collection.
\ir setup.sql
CREATE SCHEMA texts;
SET search_path = texts, public;
CREATE ROLE regress_ldp_author IN ROLE ldp_admin;
CREATE ROLE regress_ldp_other IN ROLE ldp_admin;
GRANT USAGE ON SCHEMA texts TO PUBLIC;
GRANT CREATE ON SCHEMA texts TO regress_ldp_author;
\set plain '''{"mechanism": "grr", "epsilon": 2, "min_group": 1, "attributes": [{"name": "mood", "domain": ["-", "+"]}]}'''
\set described '''{"mechanism": "grr", "epsilon": 2, "min_group": 1, "title": "Moods", "people_asked": 8, "attributes": [{"name": "mood", "domain": ["-", "+"], "question": "How are you?", "scale": "ordered", "display": {"-": "bad", "+": "good"}}]}'''

-- A spec with other texts is the same spec.
SELECT (ldp_spec_info(:plain)).fingerprint = (ldp_spec_info(:described)).fingerprint AS same_fingerprint,
       ldp_internal.ldp_spec_parameters(:plain) = ldp_internal.ldp_spec_parameters(:described) AS same_block,
       (ldp_spec_info(:plain)).canonical = ldp_internal.ldp_spec_without_texts(:described) AS same_without_texts;
SELECT ldp_internal.ldp_spec_texts(:described), ldp_internal.ldp_spec_texts(:plain);
SELECT ldp_internal.ldp_spec_with_texts((ldp_spec_info(:plain)).canonical, ldp_internal.ldp_spec_texts(:described)) = (ldp_spec_info(:described)).canonical AS same_with_texts;

SET ROLE regress_ldp_author;
SELECT ldp_create_collection('mood', :described), ldp_create_collection('bare', :plain);
SELECT name, spec = (ldp_spec_info(:plain)).canonical AS plain, texts FROM ldp_collections WHERE name IN ('mood', 'bare') ORDER BY name;
SELECT ldp_client_spec('mood') = (ldp_spec_info(:described)).canonical AS all_texts, ldp_client_spec('bare') = (ldp_spec_info(:plain)).canonical AS none;
-- Changes are merged: null removes a text.
SELECT ldp_describe('bare', '{"title": "Bare", "description": "No texts at first.", "attributes": {"mood": {"title": "Mood", "display": {"+": "fine"}}}}');
SELECT ldp_describe('bare', '{"title": null, "people_asked": {"0": 10, "1": 4}, "attributes": {"mood": {"display": {"+": null, "-": "low"}}}}');
SELECT ldp_describe('bare', '{}') = texts AS unchanged FROM ldp_collections WHERE name = 'bare';
SELECT ldp_client_spec('bare') -> 'attributes' -> 0 ->> 'title' AS title, ldp_client_spec('bare') -> 'people_asked' AS people_asked;
SELECT pg_temp.outcome(format('SELECT ldp_describe(''mood'', %L)', texts)) FROM unnest('{"[]","{\"titel\": \"x\"}","{\"title\": \"\"}","{\"title\": \"a\\nb\"}",
    "{\"attributes\": {\"age\": {\"title\": \"Age\"}}}","{\"attributes\": {\"mood\": {\"unit\": \"m\"}}}","{\"attributes\": {\"mood\": {\"display\": {\"-\": \"+\", \"+\": null}}}}",
    "{\"attributes\": {\"mood\": {\"domain\": 3}}}","{\"people_asked\": 0}","{\"epsilon\": 1}"}'::text[]) AS texts;
SELECT pg_temp.outcome($$SELECT ldp_describe('nobody', '{}')$$), pg_temp.outcome($$SELECT ldp_describe(NULL, '{}')$$), pg_temp.outcome($$SELECT ldp_describe('mood', NULL)$$);
-- The digest of the contract covers spec, texts and columns in clear, but neither runs of spaces nor the people who were asked. A test
-- of the client has the same digest.
SELECT ldp_create_collection('noted', '{"mechanism": "grr", "epsilon": 1, "title": "Moods", "attributes": [{"name": "mood", "domain": ["-", "+"], "question": "How are you?"}]}',
                             ARRAY[['note', 'text'], ['day', 'date']]);
SELECT ldp_contract_digest('noted') AS digest \gset
SELECT :'digest' AS digest, ldp_contract_digest('noted', NULL) = :'digest' AS none, ldp_contract_digest('noted', '{note,day}') = ldp_contract_digest('noted', '{day,note,day}') AS any_order;
SELECT count(DISTINCT d) AS different FROM unnest(ARRAY[:'digest', ldp_contract_digest('noted', '{note}'), ldp_contract_digest('noted', '{day}'), ldp_contract_digest('noted', '{note,day}')]) AS d;
SELECT pg_temp.outcome(format('SELECT ldp_contract_digest(%s)', c)) FROM unnest('{"''nobody''","NULL","''noted'', ''{note,report}''","''noted'', ''{mood}''","''noted'', ''{NULL}''"}'::text[]) AS c;
SELECT ldp_describe('noted', '{"people_asked": 5, "attributes": {"mood": {"question": "How  are   you?"}}}') -> 'people_asked' AS asked, ldp_contract_digest('noted') = :'digest' AS same;
SELECT ldp_describe('noted', '{"title": "Mood"}') ->> 'title' AS title, ldp_contract_digest('noted') = :'digest' AS same;
SELECT ldp_drop_collection('noted');
-- Registration of a table keeps the texts of the spec.
SELECT ldp_client_spec('mood') AS kept \gset
SELECT ldp_unregister_collection('mood'), ldp_adopt_collection('mood', 'mood', :'kept');
SELECT texts ->> 'title' AS title, fingerprint = (ldp_spec_info(:plain)).fingerprint AS same FROM ldp_collections WHERE name = 'mood';
RESET ROLE;

-- Only the owner changes texts.
SET ROLE regress_ldp_other;
SELECT pg_temp.outcome($$SELECT ldp_describe('mood', '{"title": "Mine"}')$$);
SELECT pg_temp.outcome($$SELECT ldp_internal.ldp_describe_as('regress_ldp_author', 'mood', '{"title": "Mine"}', true)$$);
SELECT pg_temp.outcome($$SELECT ldp_internal.ldp_has_reports(c) FROM ldp_internal.ldp_collection AS c WHERE name = 'mood'$$);
SELECT pg_temp.outcome($$UPDATE ldp_internal.ldp_collection SET texts = '{}'$$);
SELECT texts ->> 'title' AS title FROM ldp_collections WHERE name = 'mood';
RESET ROLE;

-- The response. Reports of a record are about one of its attributes; people asked are by round or in each round.
SELECT ldp_response('mood');
INSERT INTO mood (report) SELECT pg_temp.report_to('mood', '01') FROM generate_series(1, 6);
SELECT * FROM ldp_response('mood');
SET ROLE regress_ldp_author;
SELECT ldp_open_rounds('bare', 0, 2);
RESET ROLE;
INSERT INTO bare (report, round) SELECT pg_temp.report_to('bare', '00'), (i - 1) / 4 FROM generate_series(1, 9) AS i;
SELECT people_asked, people, response_rate, reports FROM ldp_response('bare', 0) WHERE attribute IS NULL
UNION ALL SELECT people_asked, people, response_rate, reports FROM ldp_response('bare', 1) WHERE attribute IS NULL
UNION ALL SELECT people_asked, people, response_rate, reports FROM ldp_response('bare', 2) WHERE attribute IS NULL
UNION ALL SELECT people_asked, people, response_rate, reports FROM ldp_response('bare') WHERE attribute IS NULL;

-- What gives an answer its meaning stays once there are reports, unless the owner insists. Headings change at any time.
SET ROLE regress_ldp_author;
SELECT pg_temp.refusal(format('SELECT ldp_describe(''mood'', %L)', texts)) FROM unnest('{"{\"attributes\": {\"mood\": {\"question\": \"Do you smoke?\"}}}",
    "{\"attributes\": {\"mood\": {\"display\": {\"-\": \"good\", \"+\": \"bad\"}}}}","{\"attributes\": {\"mood\": {\"title\": \"Smoking\"}}}",
    "{\"attributes\": {\"mood\": {\"description\": \"Another one.\"}}}","{\"attributes\": {\"mood\": {\"scale\": null}}}","{\"attributes\": null}",
    "{\"title\": \"New\", \"description\": \"About moods.\", \"people_asked\": 9}","{\"attributes\": {\"mood\": {\"question\": \"How are you?\"}}}"}'::text[]) AS texts;
SELECT pg_temp.outcome($$SELECT ldp_describe('mood', '{"attributes": {"mood": {"question": "How are you today?"}}}', NULL)$$);
SELECT ldp_describe('mood', '{"attributes": {"mood": {"question": "How are you today?"}}}', force => true) -> 'attributes' -> 'mood' ->> 'question' AS question;
-- Reports that were pruned into a rollup, and batches whose rows were deleted, were reports.
SELECT ldp_create_collection('pruned', :plain), ldp_create_collection('emptied', :plain);
SELECT ldp_create_rollup('of_pruned', 'pruned', '{round}');
SELECT ldp_describe(c, '{"attributes": {"mood": {"title": "Mood"}}}') FROM unnest('{pruned,emptied}'::text[]) AS c;
RESET ROLE;
INSERT INTO pruned (report) SELECT pg_temp.report_to('pruned', '01') FROM generate_series(1, 3);
SELECT ldp_submit_batch('emptied', '6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0001', ARRAY[pg_temp.report_to('emptied', '01')]);
SET ROLE regress_ldp_author;
SELECT ldp_refresh('of_pruned'), ldp_prune_rounds('pruned', 1);
DELETE FROM emptied;
SELECT c, (SELECT count(*) FROM pruned) AS rows, pg_temp.outcome(format('SELECT ldp_describe(%L, ''{"attributes": {"mood": {"title": "Tobacco"}}}'')', c)) FROM unnest('{pruned,emptied}'::text[]) AS c;
SELECT ldp_drop_collection('pruned'), ldp_drop_collection('emptied');
RESET ROLE;
SELECT ldp_create_collection('parts', '{"mechanism": "sampled", "epsilon": 2, "per_report": 1, "min_group": 1, "attributes": [
    {"name": "a", "domain": 2, "mechanism": "grr"}, {"name": "v", "vector": ["x", "y"], "min": 0, "max": 1, "mechanism": "duchi_vector", "title": "Vector"},
    {"name": "n", "min": 0, "max": 1, "missing": true, "mechanism": "optional_mean", "title": "Number"}]}');
SELECT attribute, title, people_asked, people, response_rate, reports, answer_rate FROM ldp_response('parts');
SELECT pg_temp.outcome($$SELECT ldp_response('nobody')$$);
SET ROLE regress_ldp_other;
SELECT pg_temp.outcome($$SELECT ldp_response('mood')$$);
RESET ROLE;

SELECT ldp_drop_collection(name) FROM unnest('{mood,bare,parts}'::text[]) AS name;
DROP SCHEMA texts;
DROP ROLE regress_ldp_author, regress_ldp_other;
