-- Labels: names and numbers of attributes and values, for every function that takes them, and which of them a session knows.
\ir setup.sql
CREATE SCHEMA labels;
SET search_path = labels, public;


SELECT ldp_create_collection('label_pair', '{"mechanism": "joint", "epsilon": 4, "attributes": [{"name": "sex", "domain": ["f", "m"]},
    {"name": "age", "min": 0, "max": 100, "edges": [18, 65]}]}');
INSERT INTO label_pair SELECT pg_temp.report_to('label_pair', '00' || lpad(to_hex(1 << i % 6), 2, '0')) FROM generate_series(1, 60) AS i;
SELECT ldp_create_collection('label_record', '{"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "size", "min": 0, "max": 1, "mechanism": "duchi"},
    {"name": "town", "domain": ["Ulm", "Bonn"], "mechanism": "grr"}, {"name": "rank", "domain": 3, "mechanism": "grr"}]}');
INSERT INTO label_record SELECT pg_temp.report_to('label_record', lpad((i % 3)::text, 2, '0') || lpad((i / 3 % 2)::text, 2, '0')) FROM generate_series(0, 119) AS i;
SELECT ldp_create_collection('label_moments', '{"mechanism": "sampled", "epsilon": 4, "per_report": 1, "attributes": [{"name": "x", "min": -1, "max": 1, "mechanism": "duchi"},
    {"name": "y", "min": -1, "max": 1, "mechanism": "duchi"}, {"product": ["x", "x"], "mechanism": "duchi"}, {"product": ["x", "y"], "mechanism": "duchi"},
    {"product": ["y", "y"], "mechanism": "duchi"}]}');
INSERT INTO label_moments SELECT pg_temp.report_to('label_moments', lpad(j::text, 2, '0') || CASE WHEN j < 2 THEN lpad((i % 2)::text, 2, '0') ELSE '01' END)
FROM generate_series(1, 500) AS i, generate_series(0, 4) AS j;
CREATE TABLE s AS SELECT (SELECT ldp_agg(report) FROM label_moments) AS moments, (SELECT ldp_agg(report) FROM label_pair) AS pair, (SELECT ldp_agg(report) FROM label_record) AS record,
    (SELECT ldp_agg(pg_temp.report_to('label_record', lpad((i % 3)::text, 2, '0') || '00')) FROM generate_series(1, 60) AS i) AS later;

-- Every function that takes an attribute takes its name and its number alike.
CREATE FUNCTION pg_temp.alike(call text, name text, number text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    named text; numbered text;
BEGIN
    EXECUTE format('SELECT jsonb_agg(x)::text FROM s, LATERAL %s AS x', replace(call, '%', name)) INTO named;
    EXECUTE format('SELECT jsonb_agg(x)::text FROM s, LATERAL %s AS x', replace(call, '%', number)) INTO numbered;
    RETURN CASE WHEN named IS NULL THEN 'nothing' WHEN named = numbered THEN 'alike' ELSE named || ' ' || numbered END;
END $$;
SELECT call, pg_temp.alike(call, name, number) FROM (VALUES
    ('ldp_estimate(record, attributes => ARRAY[''%''], statistics => ''{mean}'')', 'size', '0'),
    ('ldp_mean(record, ''%'')', 'size', '0'),
    ('ldp_estimate(record, attributes => ARRAY[''%''], statistics => ''{proportion}'')', 'town', '1'),
    ('ldp_estimate(pair, attributes => ARRAY[''%''], statistics => ''{proportion}'')', 'age', '1'),
    ('ldp_proportion(record, ''Bonn'', ''%'')', 'town', '1'),
    ('ldp_proportion(record, ''1'', ''%'')', 'rank', '2'),
    ('ldp_consistent(record, ''norm_sub'', ''%'')', 'town', '1'),
    ('ldp_top(record, 1, attribute => ''%'')', 'town', '1'),
    ('ldp_health(record, ''%'')', 'town', '1'),
    ('ldp_change(record, later, attribute => ''%'')', 'town', '1'),
    ('ldp_part(record, ''%'')', 'rank', '2'),
    ('ldp_marginal(pair, ARRAY[''%''])', 'age', '1'),
    ('ldp_marginal(pair, ARRAY[''%'', ''sex''])', 'age', '1'),
    ('ldp_proportion_where(pair, ''{"%": [18, null]}'')', 'age', '1'),
    ('ldp_proportion_where(pair, ''{"age": [18, null]}'', given => ''{"%": "m"}'')', 'sex', '0'),
    ('ldp_conditional(pair, ''{age}'', ''{%}'')', 'sex', '0'),
    ('ldp_marginal(pair, ARRAY[''%'', ''sex''])', 'age', '1'),
    ('ldp_fitted(pair, ''{%}'')', 'age', '1'),
    ('ldp_plan_marginals(pair, 1000, ''[["sex", "%"]]'')', 'age', '1'),
    ('ldp_covariance(moments, ''x'', ''%'')', 'y', '1'),
    ('ldp_correlation(moments, ''%'', ''y'')', 'x', '0'),
    ('ldp_regression(moments, ''%'', ''{x}'')', 'y', '1'),
    ('ldp_regression(moments, ''y'', ''{%}'')', 'x', '0')) AS calls (call, name, number);

-- What is not there is one error, of whichever function.
SELECT call, pg_temp.refusal(format('SELECT %s FROM s', replace(call, '%', 'village'))) AS name, pg_temp.refusal(format('SELECT %s FROM s', replace(call, '%', '7'))) AS number FROM unnest(ARRAY[
    'ldp_estimate(record, attributes => ARRAY[''%''], statistics => ''{mean}'')', 'ldp_mean(record, ''%'')', 'ldp_estimate(record, attributes => ARRAY[''%''], statistics => ''{proportion}'')', 'ldp_estimate(pair, attributes => ARRAY[''%''], statistics => ''{proportion}'')',
    'ldp_proportion(record, ''Bonn'', ''%'')', 'ldp_consistent(record, ''norm_sub'', ''%'')', 'ldp_top(record, 1, attribute => ''%'')', 'ldp_health(record, ''%'')',
    'ldp_change(record, later, attribute => ''%'')', 'ldp_part(record, ''%'')',
    'ldp_marginal(pair, ARRAY[''%''])', 'ldp_proportion_where(pair, ''{"%": "f"}'')', 'ldp_conditional(pair, ''{age}'', ''{%}'')', 'ldp_marginal(pair, ARRAY[''%'', ''sex''])',
    'ldp_fitted(pair, ''{%}'')', 'ldp_plan_marginals(pair, 1000, ''[["sex", "%"]]'')', 'ldp_covariance(record, ''size'', ''%'')', 'ldp_correlation(record, ''%'', ''size'')',
    'ldp_regression(record, ''%'', ''{size}'')', 'ldp_regression(record, ''size'', ''{%}'')']) AS call;

-- The names and the numbers of all attributes and values. Numbers have no labels.
SELECT l.* FROM s, ldp_labels(record) AS l ORDER BY attribute_number, value;
SELECT l.* FROM s, ldp_labels(pair) AS l;
SELECT count(*) FROM ldp_labels(NULL);

-- A collection that goes away takes its labels with it; another one has its own. In one session and one prepared statement.
SELECT ldp_create_collection('label_one', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "colour", "domain": ["red", "green"]}]}');
CREATE TABLE old AS SELECT ldp_agg(pg_temp.report_to('label_one', '01')) AS s FROM generate_series(1, 30);
PREPARE shares AS SELECT attribute, label FROM old, ldp_estimate(s, statistics => '{proportion}') ORDER BY value;
EXECUTE shares;
BEGIN;
SELECT ldp_drop_collection('label_one');
EXECUTE shares;
SELECT (SELECT count(*) FROM ldp_labels(s)) AS labels, pg_temp.refusal('SELECT ldp_proportion(s, ''green'') FROM old') FROM old;
ROLLBACK;
EXECUTE shares;
SELECT ldp_drop_collection('label_one');
EXECUTE shares;
SELECT ldp_create_collection('label_one', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "colour", "domain": ["blue", "black"]}]}');
EXECUTE shares;
SELECT label FROM ldp_estimate((SELECT ldp_agg(pg_temp.report_to('label_one', '01')) FROM generate_series(1, 30)), statistics => '{proportion}') ORDER BY value;
BEGIN;
SELECT ldp_create_collection('label_two', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "colour", "domain": ["red", "green"]}]}');
EXECUTE shares;
ROLLBACK;
EXECUTE shares;
SELECT ldp_create_collection('label_two', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "colour", "domain": ["red", "green"]}]}');
EXECUTE shares;
-- A table that is dropped by hand is no collection any more.
DROP TABLE label_two;
EXECUTE shares;
SELECT ldp_create_collection('label_three', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "colour", "domain": ["red", "green"]}]}');
EXECUTE shares;
-- Rows that are still being given out keep their labels when the collection goes away.
BEGIN;
DECLARE slow NO SCROLL CURSOR FOR SELECT f.label FROM old, ldp_estimate(s, statistics => '{proportion}') AS f;
FETCH 1 FROM slow;
SELECT ldp_drop_collection('label_three');
FETCH ALL FROM slow;
COMMIT;

-- An attribute of a record that was taken out keeps its name and its labels, as long as the record's collection is there.
PREPARE part AS SELECT attribute, label FROM s, ldp_estimate(ldp_part(record, 'town'), statistics => '{proportion}') ORDER BY value;
EXECUTE part;
EXECUTE part;
SELECT l.* FROM s, unnest('{town,size}'::text[]) AS part, ldp_labels(ldp_part(record, part)) AS l ORDER BY part, value;

-- Every call reads the table of collections with the rights of the caller.
SET client_min_messages = warning;
CREATE ROLE ldp_labels_reader;
GRANT USAGE ON SCHEMA labels TO ldp_labels_reader;
GRANT SELECT ON s TO ldp_labels_reader;
PREPARE town AS SELECT array_agg(label ORDER BY value) AS labels FROM s, ldp_labels(record) WHERE attribute = 'town';
EXECUTE town;
BEGIN;
SET ROLE ldp_labels_reader;
EXECUTE town;
RESET ROLE;
REVOKE SELECT ON ldp_internal.ldp_collection FROM PUBLIC;
EXECUTE town;
SET ROLE ldp_labels_reader;
SELECT pg_temp.refusal('SELECT ldp_labels(record) FROM s');
SELECT pg_temp.refusal('SELECT ldp_estimate(record, attributes => ''{1}'', statistics => ''{proportion}'') FROM s');
RESET ROLE;
EXECUTE town;
ROLLBACK;
-- A row-level policy hides labels as it hides rows.
BEGIN;
ALTER TABLE ldp_internal.ldp_collection ENABLE ROW LEVEL SECURITY;
CREATE POLICY others ON ldp_internal.ldp_collection FOR SELECT TO ldp_labels_reader USING (name <> 'label_record');
EXECUTE town;
SET ROLE ldp_labels_reader;
SELECT (SELECT array_agg(DISTINCT attribute) FROM ldp_labels(record)) AS record, (SELECT array_agg(DISTINCT attribute) FROM ldp_labels(pair)) AS pair FROM s;
RESET ROLE;
EXECUTE town;
ROLLBACK;

-- Two labels that are the same text in two Unicode forms are rejected. Equal letters in other attributes are not two labels.
SELECT pg_temp.refusal($$SELECT ldp_create_collection('label_forms', '{"mechanism": "grr", "epsilon": 1, "domain": ["caf\u00e9", "cafe\u0301", "tea"]}')$$) AS forms;
SELECT ldp_create_collection('label_forms', '{"mechanism": "sampled", "epsilon": 1, "per_report": 1, "attributes": [
    {"name": "a", "domain": ["caf\u00e9", "tea"], "mechanism": "grr"}, {"name": "b", "domain": ["cafe\u0301", "tea"], "mechanism": "grr"}]}');
SELECT ldp_drop_collection('label_forms');

-- A million values, and as many labels as a spec may have.
SELECT ldp_create_collection('label_many', jsonb_build_object('mechanism', 'grr', 'epsilon', 1, 'attributes', jsonb_build_array(jsonb_build_object('name', 'word',
    'domain', (SELECT jsonb_agg('w' || i ORDER BY i) FROM generate_series(0, 99999) AS i)))));
SELECT ldp_create_collection('label_numbers', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "word", "domain": 1000000}]}');
CREATE TABLE many AS SELECT ldp_agg(pg_temp.report_to('label_many', '000000')) AS s, ldp_agg(pg_temp.report_to('label_numbers', '000000')) AS numbers FROM generate_series(1, 30);
SELECT count(*) AS labels, min(value) FILTER (WHERE label = 'w0') AS first, min(value) FILTER (WHERE label = 'w99999') AS last, pg_temp.refusal('SELECT ldp_proportion(s, ''w100000'') FROM many') FROM many, ldp_labels(s);
SELECT l.*, pg_temp.refusal('SELECT ldp_proportion(numbers, ''w1'') FROM many') FROM many, ldp_labels(numbers) AS l;
SELECT label, value FROM many, ldp_estimate(s, statistics => '{proportion}') WHERE value IN (0, 99999) ORDER BY value;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['label_many', 'label_numbers']) AS name;
SELECT (SELECT count(*) FROM ldp_labels(s)) AS labels, (SELECT count(*) FROM ldp_labels(numbers)) AS of_numbers FROM many;

RESET ROLE;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['label_pair', 'label_moments', 'label_record', 'label_one']) AS name;
DELETE FROM ldp_internal.ldp_collection WHERE name = 'label_two';
DROP SCHEMA labels CASCADE;
DROP OWNED BY ldp_labels_reader;
DROP ROLE ldp_labels_reader;
