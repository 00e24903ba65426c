-- Result rows: equal columns in all functions, attributes and values by name, one step or two, and errors.
\ir setup.sql
CREATE SCHEMA answers;
SET search_path = answers, public;


SELECT ldp_create_collection('town', '{"mechanism": "grr", "epsilon": 2, "attributes": [{"name": "town", "domain": ["Ulm", "Bonn", "Kiel"]}]}');
SELECT ldp_create_collection('wage', '{"mechanism": "duchi", "epsilon": 1, "attributes": [{"name": "wage", "min": 0, "max": 100}]}');
SELECT ldp_create_collection('age', '{"mechanism": "haar_ordered", "epsilon": 1, "grid": 7, "attributes": [{"name": "age", "min": 0, "max": 7}]}');
SELECT ldp_create_collection('day', '{"mechanism": "haar", "randomizer": "pdp", "epsilon": 4, "grid": 100, "attributes": [{"name": "night", "min": 0, "max": 100}, {"name": "noon", "min": 0, "max": 1000}]}');
SELECT ldp_create_collection('person', '{"mechanism": "sampled", "epsilon": 1, "grid": 10, "attributes": [{"name": "size", "min": 0, "max": 100, "mechanism": "duchi"},
    {"name": "town", "domain": ["Ulm", "Bonn", "Kiel"], "mechanism": "grr", "weight": 3}, {"name": "price", "min": 0, "max": 10, "mechanism": "duchi"}]}');
SELECT ldp_open_rounds('town', 0, 1), ldp_open_rounds('wage', 0, 1);
INSERT INTO town SELECT pg_temp.report_to('town', pg_temp.little(CASE WHEN i % 4 = 0 THEN i / 4 % 3 ELSE 1 END, 1)), i % 2 FROM generate_series(1, 3000) AS i;
INSERT INTO wage SELECT pg_temp.report_to('wage', pg_temp.little(i % 2, 1)), i % 2 FROM generate_series(1, 2000) AS i;
INSERT INTO age SELECT pg_temp.report_to('age', pg_temp.little(i % 3, 1) || pg_temp.little((i * 7 + i / 3) % (2 << i % 3), 1)) FROM generate_series(1, 3000) AS i;
INSERT INTO day SELECT pg_temp.report_to('day', pg_temp.little(i % 2, 1) || pg_temp.little(i % 100, 1)) FROM generate_series(1, 1000) AS i;
INSERT INTO person SELECT pg_temp.report_to('person', pg_temp.little(CASE WHEN i % 5 < 3 THEN 1 ELSE (i % 5 - 3) * 2 END, 1) || pg_temp.little((i / 5 + (i % 4) / 3) % CASE WHEN i % 5 < 3 THEN 3 ELSE 2 END, 1))
FROM generate_series(1, 6000) AS i;
ANALYZE;
CREATE TABLE whole AS
    SELECT 'town' AS name, ldp_agg(report) AS s FROM town UNION ALL SELECT 'wage', ldp_agg(report) FROM wage UNION ALL SELECT 'age', ldp_agg(report) FROM age
    UNION ALL SELECT 'day', ldp_agg(report) FROM day UNION ALL SELECT 'person', ldp_agg(report) FROM person;

-- Columns ---------------------------------------------------------------------------------------------------
-- In all functions and types a column name has one type, and columns have one order (ldp_hitters has the round last).
CREATE VIEW columns AS
    SELECT p.proname || CASE WHEN p.proargnames[1] = 'name' THEN ' by name' WHEN p.proname = 'ldp_shuffled' AND p.proargnames[1] = 'spec' THEN ' of a spec' ELSE '' END || ' returns' AS source, a.name, a.place, format_type(a.type, NULL) AS type
    FROM pg_proc AS p, unnest(p.proargnames, p.proargmodes, p.proallargtypes) WITH ORDINALITY AS a (name, mode, type, place)
    WHERE p.proname LIKE 'ldp\_%' AND a.mode = 't'
    UNION ALL
    SELECT t.typname, a.attname, a.attnum, format_type(a.atttypid, NULL)
    FROM pg_type AS t JOIN pg_attribute AS a ON a.attrelid = t.typrelid
    WHERE a.attnum > 0 AND (t.typname IN ('ldp_row', 'ldp_statistic') OR EXISTS (SELECT FROM pg_cast AS c WHERE c.castsource = t.oid AND c.casttarget = 'ldp_row'::regtype));
SELECT source, string_agg(name, ', ' ORDER BY place) AS columns FROM columns WHERE source NOT LIKE 'ldp_advise%' GROUP BY source ORDER BY source COLLATE "C";
SELECT name, string_agg(DISTINCT type, ', ') AS types FROM columns GROUP BY name HAVING count(DISTINCT type) > 1;
SELECT DISTINCT a.name AS before, b.name AS after
FROM columns AS a JOIN columns AS b ON b.source = a.source AND b.place > a.place
     JOIN columns AS c ON c.name = b.name JOIN columns AS d ON d.source = c.source AND d.name = a.name AND d.place > c.place
WHERE a.source !~ 'ldp_(plan_)?hitter' AND c.source !~ 'ldp_(plan_)?hitter';

-- Rows of every estimate are cast to ldp_row, except those of other kinds of answers.
SELECT string_agg(DISTINCT p.proname, ', ' ORDER BY p.proname) AS others
FROM pg_proc AS p JOIN pg_type AS t ON t.oid = p.prorettype
WHERE p.proname LIKE 'ldp\_%' AND p.pronamespace <> 'ldp_internal'::regnamespace AND t.typname <> 'ldp_row'
  AND ('estimate' = ANY (p.proargnames) OR EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = t.typrelid AND a.attname = 'estimate'))
  AND NOT EXISTS (SELECT FROM pg_cast AS c WHERE c.castsource = t.oid AND c.casttarget = 'ldp_row'::regtype AND c.castcontext = 'i');

-- Names -----------------------------------------------------------------------------------------------------
SELECT attribute, label, round(estimate::numeric, 4) AS estimate, round(stderr::numeric, 4) AS stderr, n, attribute_number, value FROM ldp_estimate('person');
SELECT to_jsonb(e) - '{source,people}'::text[] FROM whole, ldp_estimate(s) AS e WHERE name = 'person' EXCEPT SELECT to_jsonb(e) - '{source,people}'::text[] FROM ldp_estimate('person') AS e;
SELECT attribute, round(estimate::numeric, 4) AS estimate, n, attribute_number FROM whole, ldp_estimate(s, statistics => '{mean}') WHERE name IN ('person', 'day', 'wage', 'age') ORDER BY name, attribute_number;
SELECT attribute, round(estimate::numeric, 4) AS estimate FROM whole, ldp_estimate(s, attributes => '{price}', statistics => '{mean}') WHERE name = 'person';
SELECT attribute, label, round(estimate::numeric, 4) AS estimate, round(stderr::numeric, 4) AS stderr, n, attribute_number, value FROM whole, ldp_estimate(s, attributes => '{town}', statistics => '{proportion}') WHERE name = 'person';
SELECT f.* FROM whole, ldp_estimate(s, attributes => '{1}', statistics => '{proportion}') AS f WHERE name = 'person' EXCEPT SELECT f.* FROM whole, ldp_estimate(s, attributes => '{town}', statistics => '{proportion}') AS f WHERE name = 'person';
SELECT attribute, label, round(estimate::numeric, 4) AS estimate, stderr, n FROM whole, ldp_consistent(s, 'norm_sub', attribute => 'town') WHERE name = 'person';
SELECT attribute, label, round(estimate::numeric, 4) AS estimate, n, round(p_value::numeric, 4) AS p_value, attribute_number, value FROM whole, ldp_top(s, 2, attribute => 'town') WHERE name = 'person';
SELECT attribute, label, n, attribute_number, value FROM whole, ldp_top(ldp_part(s, 'town'), 1) WHERE name = 'person';
SELECT ldp_mean(s, 'price') = ldp_mean(s, '2') AS a_mean, ldp_mean(ldp_part(s, 'price')) = ldp_mean(s, 'price') AS of_part, ldp_proportion(s, 'Bonn', 'town') = f.estimate AS a_share
FROM whole, ldp_estimate(s, attributes => '{town}', statistics => '{proportion}') AS f WHERE name = 'person' AND f.label = 'Bonn';
SELECT l.* FROM whole, ldp_labels(s) AS l WHERE name = 'person' ORDER BY attribute_number, value;
SELECT ldp_quantile(s, 0.5, 'age') = ldp_quantile(s, 0.5) AS median, (SELECT count(*) FROM ldp_health(s, 'age')) = (SELECT count(*) FROM ldp_health(s)) AS health FROM whole WHERE name = 'age';
SELECT ldp_proportion(s, 'Bonn', 'town') = (ldp_proportion(ldp_part(s, 'town')))[2] AS a_share, ARRAY(SELECT estimate FROM ldp_consistent(s, 'norm_sub', 'town')) = ARRAY(SELECT estimate FROM ldp_consistent(ldp_part(s, 'town'))) AS consistent FROM whole WHERE name = 'person';
SELECT ldp_resolution(s, 'age') = ldp_resolution(s) AS resolution FROM whole WHERE name = 'age';
SELECT attribute, round(low::numeric, 1) AS low, round(high::numeric, 1) AS high, attribute_number, coefficient FROM whole, ldp_learn_range(s) WHERE name = 'age';
SELECT attribute, round(low::numeric, 1) AS low, round(high::numeric, 1) AS high, n, bin FROM whole, ldp_histogram(s, 2, attribute => 'age') WHERE name = 'age';
SELECT attribute, n, attribute_number FROM whole, ldp_shrinkage(s) WHERE name = 'day';
-- The names of a summary are unknown if its collection is not in this database.
CREATE TABLE stranger AS SELECT ldp_agg((encode(ldp_internal.ldp_spec_parameters('{"mechanism": "sampled", "epsilon": 1, "attributes": [
    {"name": "a", "domain": 2, "mechanism": "grr"}, {"name": "b", "min": 0, "max": 1, "mechanism": "duchi"}]}'), 'hex') || p)::ldp_report) AS s FROM unnest(ARRAY['0000', '0101']) AS p;
SELECT attribute, label, n, attribute_number, value FROM stranger, ldp_estimate(s);
SELECT attribute, label FROM stranger, ldp_estimate(s, attributes => '{0}', statistics => '{proportion}');
-- An untyped literal is a summary, or a name. All kinds of a source have the same rows.
SELECT ldp_count(s::text::ldp_summary) = ldp_count(s) AS same FROM whole WHERE name = 'town';
SELECT s::text AS literal FROM whole WHERE name = 'town' \gset
SELECT count(*) AS values FROM ldp_estimate(:'literal', statistics => '{proportion}');
SELECT count(*) AS kinds, count(DISTINCT p.rows) AS results FROM whole, LATERAL (VALUES (ldp_summary_of('town')::ldp_source), ('town'), ('town'::text::ldp_source), ('town'::varchar::ldp_source), ('town'::name::ldp_source),
    (ldp_summary_of('town')::text::ldp_source), (ldp_groups('{a}'::text[], ARRAY[ldp_summary_of('town')])::ldp_source)) AS v (source), LATERAL (SELECT array_agg(ROW(r.attribute, r.label, r.estimate, r.stderr, r.lower, r.upper, r.n, r.note, r.source))::text AS rows FROM ldp_estimate(source, statistics => '{proportion}') AS r) AS p WHERE name = 'town';
SELECT source::text, length(source::text) FROM whole, LATERAL (VALUES ('town'::ldp_source), (ldp_groups('{a,b}'::text[], ARRAY[s, s])::ldp_source)) AS v (source) WHERE name = 'town';
SELECT s::ldp_source::text = s::text AS text_of_a_summary FROM whole WHERE name = 'town';
PREPARE of_source AS SELECT count(*) FROM ldp_estimate($1, statistics => '{proportion}');
EXECUTE of_source('town');
EXECUTE of_source(:'literal');
DEALLOCATE of_source;
SELECT count(*) AS without FROM ldp_estimate(NULL, statistics => '{proportion}'), ldp_change('town', NULL), ldp_health(ldp_groups('{}'::text[], '{}'));

-- In one step -----------------------------------------------------------------------------------------------
SELECT ldp_mean(report) = ldp_mean(ldp_agg(report)) AS mean, ldp_mean(report, 'wage') = ldp_mean(report) AS by_name, ldp_mean(report, '0') = ldp_mean(report) AS by_number FROM wage;
SELECT ldp_mean(report, 'noon') = ldp_mean(ldp_agg(report), '1') AS mean FROM day;
SELECT ldp_proportion(report, 'Bonn') = ldp_proportion(ldp_agg(report), 'Bonn') AS of_summary, ldp_proportion(report, 'Bonn') = (ldp_proportion(report))[2] AS of_all FROM town;
SELECT ldp_quantile(report, 0.5) = ldp_quantile(ldp_agg(report), 0.5) AS quantile FROM age;
-- Rows of each group.
SELECT round, a.label, a.n FROM (SELECT round, ldp_agg(report) AS s FROM town GROUP BY round) AS x, ldp_top(s, 1) AS a ORDER BY round;
-- Groups, filters, NULLs, no rows.
SELECT round, round(ldp_mean(report, 'wage')::numeric, 4) AS mean, ldp_mean(report, 'wage') = ldp_mean(report) AS same FROM wage GROUP BY ROLLUP (round) ORDER BY round;
SELECT ldp_quantile(report, 0.5) IS NULL AS quantile, ldp_proportion(report) IS NULL AS shares FROM age WHERE false;
SELECT ldp_quantile(NULL::ldp_report, 0.5) IS NULL AS no_report, ldp_quantile(report, NULL) IS NULL AS no_share, ldp_mean(report, NULL::text) IS NULL AS no_name FROM age;
SELECT ldp_quantile(CASE WHEN round < 0 THEN report END, 0.5) IS NULL AS none, ldp_quantile(report, CASE WHEN ctid::text < '(1' THEN 0.5 END) IS NOT NULL AS some FROM age;
SELECT * FROM (SELECT id, ldp_mean(report, 'wage') OVER (ORDER BY id) = ldp_mean(report) OVER (ORDER BY id) AS running FROM (SELECT row_number() OVER () AS id, report FROM wage LIMIT 22) AS w) AS r WHERE id > 19;

-- The same in every plan.
SELECT ldp_quantile(report, 0.5)::text AS median FROM age \gset
SELECT ldp_proportion(report)::text AS shares, ldp_proportion(report, 'Bonn')::text AS bonn FROM town \gset
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE age SET (parallel_workers = 2);
ALTER TABLE town SET (parallel_workers = 2);
EXPLAIN (COSTS OFF) SELECT ldp_quantile(report, 0.5) FROM age;
EXPLAIN (COSTS OFF) SELECT ldp_proportion(report), ldp_proportion(report, 'Bonn') FROM town;
SELECT ldp_quantile(report, 0.5)::text = :'median' AS median FROM age;
SELECT ldp_proportion(report)::text = :'shares' AS shares, ldp_proportion(report, 'Bonn')::text = :'bonn' AS bonn FROM town;
SELECT round, ldp_proportion(report, 'Bonn') = ldp_proportion(ldp_agg(report), 'Bonn') AS grouped FROM town GROUP BY round ORDER BY round;
CREATE TABLE parted (report ldp_report, round integer) PARTITION BY LIST (round);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES IN (0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
INSERT INTO parted SELECT report, round FROM town;
ANALYZE parted;
SET max_parallel_workers_per_gather = 0;
SET enable_partitionwise_aggregate = on;
EXPLAIN (COSTS OFF) SELECT ldp_proportion(report, 'Bonn') FROM parted;
SELECT ldp_proportion(report, 'Bonn')::text = :'bonn' AS partitionwise FROM parted;
RESET ALL;
SET search_path = answers, public;

-- States are transferred between servers as text or bytes, and merged there.
CREATE AGGREGATE state_of(report ldp_report, share float8) (SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state);
CREATE AGGREGATE state_of(report ldp_report, words text) (SFUNC = ldp_internal.ldp_agg_state_accumulate, STYPE = ldp_internal.ldp_agg_state);
CREATE TABLE state AS SELECT state_of(report, 0.5) AS q FROM age;
SELECT ldp_internal.ldp_quantile_final(q)::text = :'median' AS finished, ldp_internal.ldp_quantile_final(q::text::ldp_internal.ldp_agg_state)::text = :'median' AS written_and_read FROM state;
SELECT ldp_internal.ldp_quantile_final(ldp_internal.ldp_agg_state_merge(a.half::text::ldp_internal.ldp_agg_state, b.half))::text = :'median' AS added
FROM (SELECT state_of(report, 0.5) AS half FROM age WHERE ctid::text < '(10') AS a, (SELECT state_of(report, 0.5) AS half FROM age WHERE NOT ctid::text < '(10') AS b;
SELECT ldp_internal.ldp_agg_state_merge(NULL, NULL) IS NULL AS nothing, ldp_internal.ldp_agg_state_merge(q, NULL)::text = q::text AS first, ldp_internal.ldp_agg_state_merge(NULL, q)::text = q::text AS second FROM state;

-- A first round without reports.
CREATE TABLE first AS SELECT (overlay(block PLACING '01' FROM 3) || repeat('00', 8) || 'ffffff7f00000080' || repeat('00', (canonical #>> '{derived,summary_bytes}')::integer - length(block) / 2 - 16))::ldp_summary AS s
FROM CAST((ldp_spec_info('{"mechanism": "haar_ranges", "epsilon": 1, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]}')).canonical AS jsonb) AS canonical,
     LATERAL (SELECT encode(ldp_internal.ldp_spec_parameters(canonical), 'hex')) AS p (block);

-- Errors --------------------------------------------------------------------------------------------------
\pset format unaligned
\pset tuples_only on
SELECT query || E'\n' || pg_temp.refusal(query) || E'\n' FROM (VALUES
    -- A record, queried as a single attribute.
    ($$SELECT ldp_estimate(s, statistics => '{proportion}') FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_top(s) FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_proportion(s) FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_proportion(s, '0') FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_proportion(s, 'Ulm') FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_consistent(s, 'norm') FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_between(s, high => 5) FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_quantile(s, 0.5) FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_proportion(report) FROM person$$),
    ($$SELECT ldp_mean(report) FROM person$$),
    -- Ranges, queried for other quantities.
    ($$SELECT ldp_estimate(s, statistics => '{proportion}') FROM first$$),
    ($$SELECT ldp_estimate(s, attributes => '{0}', statistics => '{proportion}') FROM first$$),
    ($$SELECT ldp_estimate(s, statistics => '{mean}') FROM first$$),
    ($$SELECT ldp_estimate(s) FROM first$$),
    -- A number, queried for shares.
    ($$SELECT ldp_estimate(s, attributes => '{size}', statistics => '{proportion}') FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_top(s, attribute => 'size') FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_quantile(s, 0.5, 'size') FROM whole WHERE name = 'person'$$),
    -- Names that do not exist.
    ($$SELECT ldp_estimate(s, attributes => '{village}', statistics => '{proportion}') FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_estimate(s, attributes => '{3}', statistics => '{proportion}') FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_estimate(s, attributes => '{3}', statistics => '{mean}') FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_estimate(s, attributes => '{a}', statistics => '{proportion}') FROM stranger$$),
    ($$SELECT ldp_proportion(s, 'Trier', 'town') FROM whole WHERE name = 'person'$$),
    ($$SELECT ldp_proportion(report, 'Trier') FROM town$$),
    ($$SELECT ldp_mean(report, 'rent') FROM wage$$),
    ($$SELECT ldp_mean(report, '1') FROM wage$$),
    ($$SELECT ldp_mean(report, '-1') FROM wage$$),
    ($$SELECT ldp_proportion(report, '3') FROM town$$),
    -- The name of a collection instead of a summary, and other names.
    ($$SELECT * FROM ldp_estimate('village', statistics => '{proportion}')$$),
    ($$SELECT * FROM ldp_estimate(repeat('village ', 8), statistics => '{proportion}')$$),
    ($$SELECT * FROM ldp_estimate(ldp_groups('{a,b}'::text[], (SELECT ARRAY[s, s] FROM whole WHERE name = 'town')), statistics => '{proportion}')$$),
    ($$SELECT * FROM ldp_group_test('town')$$),
    ($$SELECT * FROM ldp_group_test((SELECT s FROM whole WHERE name = 'town'))$$),
    ($$SELECT * FROM ldp_group_test(ldp_groups('{a,b}'::text[], (SELECT ARRAY[s, s] FROM whole WHERE name = 'town')), '{round}')$$),
    ($$SELECT * FROM ldp_group_test(ldp_groups('{a,b}'::text[], (SELECT ARRAY[s] FROM whole WHERE name = 'town')))$$),
    ($$SELECT ldp_count('town')$$),
    -- Arguments of aggregates.
    ($$SELECT ldp_quantile(report, CASE WHEN ctid::text < '(1' THEN 0.25 ELSE 0.5 END) FROM age$$),
    ($$SELECT ldp_proportion(report, CASE round WHEN 0 THEN 'Ulm' ELSE 'Bonn' END) FROM town$$),
    ($$SELECT ldp_quantile(report, 1.5) FROM age$$),
    ($$SELECT ldp_top(ldp_agg(report), -1) FROM town$$),
    ($$SELECT ldp_histogram(ldp_agg(report), 0) FROM age$$),
    ($$SELECT ldp_consistent(ldp_agg(report), 'magic') FROM town$$),
    ($$SELECT ldp_quantile(report, 0.5) FROM (SELECT report FROM age UNION ALL SELECT report FROM town) AS mixed$$),
    -- States of other aggregates, and invalid states.
    ($$SELECT ldp_internal.ldp_proportion_of_label_final(q) FROM state$$),
    ($$SELECT ldp_internal.ldp_quantile_final(state_of(report, 'x'::text)) FROM age$$),
    ($$SELECT ldp_internal.ldp_agg_state_merge(q, (SELECT state_of(report, 0.25) FROM age)) FROM state$$),
    ($$SELECT ldp_internal.ldp_agg_state_merge(q, (SELECT state_of(report, 'x'::text) FROM age)) FROM state$$),
    ($$SELECT ldp_internal.ldp_agg_state_merge(q, (SELECT state_of(report, 0.5) FROM town)) FROM state$$),
    ($$SELECT ''::ldp_internal.ldp_agg_state$$),
    ($$SELECT translate(encode('\x00ffffffff00', 'base64'), E'\n', '')::ldp_internal.ldp_agg_state$$),
    ($$SELECT encode('\x000000000000', 'base64')::ldp_internal.ldp_agg_state$$),
    ($$SELECT encode('\x000100000000', 'base64')::ldp_internal.ldp_agg_state$$),
    ($$SELECT encode('\x00010000000001', 'base64')::ldp_internal.ldp_agg_state$$),
    ($$SELECT (left(q::text, -4))::ldp_internal.ldp_agg_state FROM state$$),
    ($$SELECT (left(q::text, -1))::ldp_internal.ldp_agg_state FROM state$$),
    ($$SELECT 'town'::ldp_internal.ldp_agg_state$$)) AS q (query);
-- Forged values that bypass the input function, as only a superuser can create: every use checks them.
CREATE CAST (bytea AS ldp_internal.ldp_agg_state) WITHOUT FUNCTION;
CREATE CAST (ldp_internal.ldp_agg_state AS bytea) WITHOUT FUNCTION;
-- The state of many reports is a summary, that of few reports a list.
CREATE TABLE forged AS SELECT what, bytes FROM state, LATERAL (SELECT q::bytea) AS h (whole), (SELECT state_of(report, 0.5)::bytea FROM (SELECT report FROM age LIMIT 3) AS few) AS l (list), LATERAL (VALUES
    (1, 'no bytes', ''::bytea), (2, 'a length alone', substr(whole, 1, 5)), (3, 'a head alone', substr(whole, 1, 14)), (4, 'a summary alone', substr(whole, 15)),
    (5, 'a byte short', substr(whole, 1, length(whole) - 1)), (6, 'a byte long', whole || '\x00'), (7, 'a huge head', '\x00ffffffff'::bytea || substr(whole, 6)),
    (8, 'a kind there is not', overlay(whole PLACING '\x02'::bytea FROM 6)), (9, 'an invalid share', overlay(whole PLACING '\xffffffffffffffff'::bytea FROM 7)),
    (10, 'a list alone', substr(list, 15)), (11, 'a list cut short', substr(list, 1, 14 + get_byte(list, 18) + 16 + 4)),
    (12, 'a list of more reports than bytes', overlay(list PLACING '\xffffffffffffff'::bytea FROM 15 + get_byte(list, 18))),
    (13, 'a list of impossible reports', overlay(list PLACING '\xffffffff'::bytea FROM 15 + get_byte(list, 18) + 16))) AS f (place, what, bytes)
ORDER BY place;
SELECT what || ': ' || pg_temp.refusal(replace(query, '$f', quote_literal(bytes) || '::bytea::ldp_internal.ldp_agg_state'))
FROM forged, (VALUES (1, 'SELECT ldp_internal.ldp_quantile_final($f)'), (2, 'SELECT ldp_internal.ldp_top_final($f)'), (3, 'SELECT ldp_internal.ldp_agg_state_merge($f, q) FROM state'), (4, 'SELECT ldp_internal.ldp_agg_state_merge(q, $f) FROM state'),
                     (5, 'SELECT ldp_internal.ldp_agg_state_merge(NULL, $f)'), (6, 'SELECT ldp_internal.ldp_agg_state_accumulate($f, (SELECT report FROM age LIMIT 1), 0.5::float8)')) AS w (place, query);
-- Also if a summary with the kind of a batch is added to a list, or a list to it.
SELECT pg_temp.refusal(format('SELECT ldp_internal.ldp_agg_state_merge(%L::bytea::ldp_internal.ldp_agg_state, %L::bytea::ldp_internal.ldp_agg_state)', first, second))
FROM (SELECT set_byte(q::bytea, 15, 2), state_of(few.report, 0.5)::bytea FROM state, (SELECT report FROM age LIMIT 3) AS few GROUP BY q::bytea) AS f (summary, list),
     LATERAL (VALUES (list, summary), (summary, list)) AS o (first, second);
DROP CAST (bytea AS ldp_internal.ldp_agg_state);
DROP CAST (ldp_internal.ldp_agg_state AS bytea);
-- An error in an estimate has a short context, without internal statements of the extension.
CREATE FUNCTION pg_temp.context(query text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    context text;
BEGIN
    EXECUTE query;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
    RETURN array_length(string_to_array(context, E'\n'), 1) - 2;  -- without this function's own two
END $$;
SELECT pg_temp.context($$SELECT * FROM ldp_estimate('town', confidence => 2)$$) <= 1 AS short;
\pset tuples_only off
\pset format aligned
-- Rows for people to read: the standard error has two digits, and the other numbers end where it ends.
SELECT r.attribute, r.label, r.estimate, r.stderr, r.lower, r.upper, r.n FROM ldp_estimate('person') AS e, ldp_display(e) AS r;
SELECT bool_and(abs(r.estimate - e.estimate) <= r.stderr / 10 AND r.n = e.n AND r.label IS NOT DISTINCT FROM e.label AND r.source = e.source) AS close FROM ldp_estimate('person') AS e, ldp_display(e, 3) AS r;
SELECT pg_temp.outcome(format('SELECT ldp_display(e, %s) FROM ldp_estimate(''person'') AS e', digits)) FROM unnest('{0,1,15,16,99}'::integer[]) AS digits;
SELECT (ldp_display(e)).estimate, (ldp_display(e)).note FROM (VALUES (ROW('a', 'b', NULL, 1.23456, 0, 1, 2, 1, NULL, 'exact', 'elsewhere')::ldp_row), (ROW('a', 'b', NULL, 12345.6, 321, 1, 2, 1, NULL, NULL, 'elsewhere')::ldp_row),
    (ROW('a', 'b', NULL, NULL, NULL, NULL, NULL, 0, NULL, 'none', 'elsewhere')::ldp_row)) AS t (e);

SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['town', 'wage', 'age', 'day', 'person']) AS name;
DROP SCHEMA answers CASCADE;
