-- Strings of an open domain: estimates, the search, and everything around a collection of them.
\ir setup.sql
CREATE SCHEMA strings;
SET search_path = strings, public;

CREATE FUNCTION pg_temp.short(number float8) RETURNS numeric LANGUAGE sql AS $$ SELECT round($1::numeric, 4) $$;

-- Specs.
SELECT (ldp_spec_info('{"mechanism": "strings", "epsilon": 12, "attributes": [{"name": "brand", "strings": {"alphabet": "zyxa-w", "max_length": 6}}]}')).canonical;
SELECT c->>'mechanism' AS mechanism, c->'attributes'->0->'strings' AS strings FROM unnest(ARRAY['"alphabet": "a-z0-9 ", "max_length": 12, "lowercase": true, "other": " "', '"alphabet": "-+α-ω", "max_length": 3']) AS rest,
    CAST((ldp_spec_info(('{"mechanism": "auto", "epsilon": 1, "strings": {' || rest || '}}')::jsonb)).canonical AS jsonb) AS c;
SELECT pg_temp.refusal(format('SELECT (ldp_spec_info(%L)).canonical', '{"mechanism": "strings", "epsilon": 1, ' || rest || '}'))
FROM unnest(ARRAY[
    '"domain": 4',
    '"strings": {"alphabet": "a-z"}',
    '"strings": {"max_length": 4}',
    '"strings": {"alphabet": "z-a", "max_length": 4}',
    '"strings": {"alphabet": "a-z", "max_length": 14}',
    '"strings": {"alphabet": "a-z", "max_length": 4, "other": "_"}',
    '"strings": {"alphabet": "a-z", "max_length": 4, "upper": true}',
    '"strings": {"alphabet": "a-z", "max_length": 4}, "domain": 4',
    '"strings": {"alphabet": "a-z", "max_length": 4}, "hash_buckets": 65536, "cohorts": 1024',
    '"strings": {"alphabet": "a-z", "max_length": 12}, "first_level_length": 9',
    '"attributes": [{"name": "a", "strings": {"alphabet": "a-z", "max_length": 4}}, {"name": "b", "domain": 2}]']) AS rest;
SELECT pg_temp.refusal($$SELECT (ldp_spec_info('{"mechanism": "grr", "epsilon": 1, "strings": {"alphabet": "a-z", "max_length": 4}}')).canonical$$);

-- Reports by hand: the code of a string in base 27, and the bucket of its prefix under the hash function of a cohort.
CREATE FUNCTION pg_temp.signed(z numeric) RETURNS bigint LANGUAGE sql AS $$ SELECT (CASE WHEN z >= 2::numeric ^ 63 THEN z - 2::numeric ^ 64 ELSE z END)::bigint $$;
CREATE FUNCTION pg_temp.xor(a numeric, b numeric) RETURNS numeric LANGUAGE sql AS
$$ SELECT CASE WHEN x < 0 THEN x + 2::numeric ^ 64 ELSE x END FROM (SELECT (pg_temp.signed(a) # pg_temp.signed(b))::numeric AS x) AS y $$;
CREATE FUNCTION pg_temp.mixed(z numeric) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
    z := mod(pg_temp.xor(z, div(z, 2::numeric ^ 30)) * 13787848793156543929, 2::numeric ^ 64);
    z := mod(pg_temp.xor(z, div(z, 2::numeric ^ 27)) * 10723151780598845931, 2::numeric ^ 64);
    RETURN pg_temp.xor(z, div(z, 2::numeric ^ 31));
END $$;
CREATE FUNCTION pg_temp.code(string text) RETURNS numeric LANGUAGE sql AS
$$ SELECT COALESCE(sum((ascii(c) - 96) * 27::numeric ^ (6 - i)), 0) FROM string_to_table(left(string, 6), NULL) WITH ORDINALITY AS s (c, i) WHERE c <> '' $$;
CREATE FUNCTION pg_temp.bucket(part numeric, level integer, cohort integer) RETURNS numeric LANGUAGE sql AS $$
    SELECT div(pg_temp.mixed(pg_temp.xor(mod(part * 11400714819323198485, 2::numeric ^ 64),
        pg_temp.mixed(mod(level * 2::numeric ^ 32 + cohort + 11400714819323198485, 2::numeric ^ 64)))) * 1024, 2::numeric ^ 64)
$$;
-- The bucket of a prefix is the sum of those of its head and of its tail of three characters.
CREATE FUNCTION pg_temp.payload(string text, level integer, cohort integer) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.little(level, 1) || pg_temp.little(cohort, 2) ||
        pg_temp.little(mod(pg_temp.bucket(div(prefix, 27::numeric ^ 3), level, cohort) + pg_temp.bucket(mod(prefix, 27::numeric ^ 3), 255, cohort), 1024)::bigint, 2)
    FROM div(pg_temp.code(string), 27::numeric ^ (3 - 3 * level)) AS prefix
$$;

-- At this epsilon 99 of 100 reports are true. Here all are, so estimates exceed the shares a little.
SELECT ldp_create_collection('brand', '{"mechanism": "strings", "epsilon": 12, "cohorts": 16, "attributes": [{"name": "brand", "strings": {"alphabet": "a-z", "max_length": 6}}]}');
SELECT s->'derived'->>'levels' AS levels, s->>'first_level_length' AS first, s->>'level_step' AS step, s->>'cohorts' AS cohorts, s->>'hash_buckets' AS buckets, pg_temp.short((s->'derived'->>'p')::float8) AS p
FROM ldp_client_spec('brand') AS s;
CREATE TABLE people AS
SELECT i, CASE WHEN i % 20 < 8 THEN 'acme' WHEN i % 20 < 12 THEN 'acmeone' WHEN i % 20 < 14 THEN 'zed' WHEN i % 20 < 16 THEN 'ab' WHEN i % 20 < 17 THEN ''
    ELSE translate(md5(i::text), '0123456789', 'ghijklmnop') END AS brand, i / 20 % 2 AS level, i / 40 % 16 AS cohort FROM generate_series(1, 3840) AS i;
INSERT INTO brand SELECT pg_temp.report_to('brand', pg_temp.payload(brand, level, cohort)) FROM people;
SELECT ldp_summary_of('brand') AS s \gset
-- A string of six characters may be the beginning of longer ones. The empty string is that of people without one.
SELECT attribute, label, whole, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, pg_temp.short(lower) AS lower, pg_temp.short(upper) AS upper, n, people,
    p_value < 1e-6 AS held, attribute_number, note FROM ldp_frequent_strings(:'s');
SELECT label, pg_temp.short(estimate) AS estimate, n FROM ldp_frequent_strings(:'s', "limit" => 2);
SELECT count(*) AS rows, bool_and(lower >= 0) AS not_negative FROM ldp_frequent_strings(:'s', "limit" => 40, significance => 0.5, keep => 100, target => 'population');
SELECT attribute, label, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, n, value, note FROM ldp_estimate(:'s'::ldp_summary);
-- Given strings, encoded as clients do; the share of a long string is that of its first characters.
SELECT label, whole, pg_temp.short(estimate) AS estimate, n, p_value < 1e-6 AS held FROM ldp_string_proportions(:'s', ARRAY['acme', 'acmeone', 'acmeon...', 'none', '', 'zed']);
SELECT pg_temp.short(ldp_proportion(:'s'::ldp_summary, 'acme')) AS acme, pg_temp.short(ldp_proportion(:'s'::ldp_summary, 'zed', 'brand')) AS zed,
       (SELECT pg_temp.short(ldp_proportion(report, 'acme'::text)) FROM brand) AS of_reports;
SELECT (a).label, pg_temp.short((a).estimate) AS estimate FROM (SELECT ldp_frequent_strings(ldp_agg(report), "limit" => 3) AS a FROM brand) AS x;
SELECT (a).label, pg_temp.short((a).estimate) AS estimate FROM (SELECT ldp_frequent_strings(ldp_agg(batch), "limit" => 3) AS a FROM (SELECT ldp_pack(report) AS batch FROM brand) AS b) AS x;
SELECT pg_temp.refusal(q) FROM unnest(ARRAY[
    'SELECT * FROM ldp_string_proportions($s, ARRAY[''a'', NULL])',
    'SELECT * FROM ldp_string_proportions($s, ARRAY[''Acme''])',
    'SELECT * FROM ldp_string_proportions($s, ARRAY[''acme''], attribute => ''town'')',
    'SELECT * FROM ldp_frequent_strings($s, keep => 0)',
    'SELECT * FROM ldp_frequent_strings($s, keep => -1)',
    'SELECT * FROM ldp_frequent_strings($s, keep => 10000)',
    'SELECT * FROM ldp_frequent_strings($s, significance => 1)',
    'SELECT * FROM ldp_frequent_strings($s, "limit" => -1)',
    'SELECT * FROM ldp_estimate($s, statistics => ''{proportion}'')',
    'SELECT * FROM ldp_top($s)',
    'SELECT ldp_mean($s)',
    'SELECT ldp_consistent($s, ''norm_sub'')',
    'SELECT * FROM ldp_change($s, $s)']) WITH ORDINALITY AS t (call, number), LATERAL (SELECT replace(call, '$s', quote_literal(:'s') || '::ldp_summary') AS q) AS r ORDER BY number;
SELECT l.*, ldp_count(:'s'::ldp_summary) FROM ldp_labels(:'s') AS l;

-- Other reports have no strings.
SELECT ldp_create_collection('colour', '{"mechanism": "grr", "epsilon": 12, "domain": ["red", "blue"]}');
INSERT INTO colour SELECT pg_temp.report_to('colour', '00') FROM generate_series(1, 30);
SELECT pg_temp.refusal('SELECT * FROM ldp_frequent_strings(ldp_summary_of(''colour''))');
SELECT pg_temp.refusal('SELECT ldp_string_proportions(ldp_summary_of(''colour''), ''{red}'')');

-- Below min_group, strings are withheld like their estimates.
SELECT * FROM ldp_frequent_strings((SELECT ldp_agg(report) FROM (SELECT report FROM brand LIMIT 12) AS few));
SELECT label, whole, estimate, n, note FROM ldp_string_proportions((SELECT ldp_agg(report) FROM (SELECT report FROM brand LIMIT 12) AS few), '{acme}');
SELECT label, estimate, n, note FROM ldp_estimate((SELECT ldp_agg(report) FROM (SELECT report FROM brand LIMIT 12) AS few));
SELECT count(*) FROM ldp_frequent_strings((SELECT ldp_agg(report) FROM brand WHERE false));

-- Diagnostics, forgery, planning.
SELECT statistic, p_value < 1e-6 AS suspect FROM ldp_health(:'s');
SELECT statistic FROM ldp_health((SELECT ldp_agg(report) FROM brand WHERE get_byte(ldp_internal.ldp_report_send(report), octet_length(ldp_internal.ldp_report_send(report)) - 5) = 1)) WHERE p_value < 1e-6;
SELECT attribute, pg_temp.short(one_report) AS one_report, pg_temp.short(down) AS down, pg_temp.short(up) AS up FROM ldp_influence(ldp_client_spec('brand'), 0.01);
SELECT source, pg_temp.short(stderr) AS stderr, pg_temp.short(part) AS part, pg_temp.short(margin) AS margin FROM ldp_plan(ldp_client_spec('brand'), '{"attribute": "brand", "value": "acme"}', 10000);
SELECT ldp_required_n(ldp_client_spec('brand'), '{"value": "acme", "margin": 0.01}');
SELECT pg_temp.refusal($$SELECT ldp_required_n(ldp_client_spec('brand'), '{"value": "ACME", "margin": 0.01}')$$);
SELECT mechanism, pg_temp.short(stderr) AS stderr, obstacle FROM ldp_advise('{"mechanism": "auto", "epsilon": 1, "strings": {"alphabet": "a-z", "max_length": 4}}', 1000000) WHERE obstacle IS NULL;

-- Rounds of memoized responses: groups and rollups.
SELECT ldp_create_collection('panel', '{"mechanism": "strings", "epsilon": 12, "cohorts": 16, "evolving": {}, "budget": {"epsilon": 1000000}, "attributes": [{"name": "brand", "strings": {"alphabet": "a-z", "max_length": 6}}]}', ARRAY[['country', 'text']]);
SELECT ldp_open_rounds('panel', 1, 2);
INSERT INTO panel (report, round, country) SELECT pg_temp.report_to('panel', pg_temp.payload(brand, level, cohort)), round, CASE WHEN i % 3 = 0 THEN 'fr' ELSE 'de' END
FROM people, generate_series(1, 2) AS round;
SELECT label, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, n, people, note FROM ldp_frequent_strings(pg_temp.all_rounds('panel'), "limit" => 2);
SELECT pg_temp.refusal('SELECT * FROM ldp_frequent_strings((SELECT ldp_agg(report) FROM strings.panel))');
SELECT ldp_create_rollup('brands', 'panel', '{country,round}');
SELECT ldp_refresh('brands') > 0 AS refreshed;
SELECT country, string_agg(label, ' ' ORDER BY estimate DESC) AS strings FROM (SELECT country, ldp_rollup(summary) AS s FROM brands GROUP BY country) AS c, ldp_frequent_strings(s) GROUP BY country ORDER BY country;
SELECT label, pg_temp.short(estimate) AS estimate FROM ldp_string_proportions((SELECT ldp_rollup(summary) FROM brands WHERE country = 'fr' AND round = 2), '{acme,zed}');
-- A series lists the texts of all buckets together in each bucket, so their numbers of holders add up.
SELECT group_key ->> 'country' AS country, label, pg_temp.short(estimate) AS estimate, n, note FROM ldp_estimate('brands', by => '{country}') WHERE label IN ('acme', 'zed') ORDER BY 1, 2;
SELECT count(DISTINCT texts) AS lists, min(texts) AS texts FROM (SELECT group_key, string_agg(label, ' ' ORDER BY label) AS texts FROM ldp_estimate(ldp_groups_of('brands')) GROUP BY group_key) AS g;
SELECT count(*) FROM ldp_estimate(ldp_groups_of('brands'), attributes => '{}');
SELECT bool_and(abs(s.total - t.estimate) < 1e-9) AS equal, count(*) FROM (SELECT label, sum(estimate * n) / sum(n) AS total FROM ldp_estimate('brands', by => '{round}') GROUP BY label) AS s
JOIN ldp_string_proportions(pg_temp.all_rounds('panel'), ARRAY(SELECT label FROM ldp_frequent_strings(pg_temp.all_rounds('panel')))) AS t USING (label);

-- A part of a record: half of the people report their brand, and half their mood. "auto" settles the options of the part.
SELECT a FROM jsonb_array_elements((ldp_spec_info('{"mechanism": "auto", "epsilon": 2, "attributes": [{"name": "brand", "strings": {"alphabet": "a-z0-9 ", "max_length": 12}},
    {"name": "mood", "domain": ["bad", "good"]}]}')).canonical -> 'attributes') AS a;
SELECT ldp_create_collection('poll', '{"mechanism": "sampled", "epsilon": 12, "per_report": 1, "attributes": [{"name": "brand", "strings": {"alphabet": "a-z", "max_length": 6}},
    {"name": "mood", "domain": ["bad", "good"], "mechanism": "grr"}]}');
INSERT INTO poll SELECT pg_temp.report_to('poll', CASE WHEN i / 640 % 2 = 0 THEN '00' || pg_temp.payload(brand, level, cohort) ELSE '01' || pg_temp.little(i % 4 / 3, 1) || repeat('00', 4) END) FROM people;
SELECT ldp_summary_of('poll') AS s \gset
SELECT attribute, label, pg_temp.short(estimate) AS estimate, pg_temp.short(stderr) AS stderr, n, attribute_number, value FROM ldp_estimate(:'s'::ldp_summary);
SELECT attribute, label, pg_temp.short(estimate) AS estimate FROM ldp_estimate(:'s'::ldp_summary, attributes => '{mood}');
SELECT attribute, label, pg_temp.short(estimate) AS estimate, note FROM ldp_estimate(:'s'::ldp_summary, attributes => '{0}', texts => '{{brand,none},{brand,acme}}');
SELECT texts, texts = ARRAY(SELECT label FROM ldp_frequent_strings(:'s', attribute => 'brand')) AS frequent
FROM (SELECT array_agg(label) AS texts FROM ldp_estimate(ldp_groups('{all}'::text[], ARRAY[:'s'::ldp_summary]), '{brand}')) AS e;
SELECT count(*) AS groups, count(DISTINCT texts) AS lists FROM (SELECT group_key, string_agg(label, ' ' ORDER BY label) AS texts FROM
    ldp_estimate(ldp_groups('{all,some}'::text[], ARRAY[:'s'::ldp_summary, (SELECT ldp_agg(report) FROM (SELECT report FROM poll LIMIT 300) AS r)]), '{brand}') GROUP BY group_key) AS g;
SELECT count(*) FROM ldp_estimate('poll', attributes => '{mood}');
SELECT pg_temp.refusal('SELECT ldp_estimate(ldp_groups(''{a,b}''::text[], ARRAY[ldp_summary_of(''poll''), ldp_summary_of(''panel'')]))');
SELECT pg_temp.refusal(format(call, :'s')) FROM unnest(ARRAY[
    'SELECT * FROM ldp_estimate(%L::ldp_summary, attributes => ''{hat}'')',
    'SELECT * FROM ldp_estimate(%L::ldp_summary, attributes => ''{brand,NULL}'')',
    'SELECT * FROM ldp_estimate(%L::ldp_summary, texts => ''{brand,acme}'')',
    'SELECT * FROM ldp_estimate(%L::ldp_summary, texts => ''{{brand,Acme}}'')']) AS call;
SELECT label, whole, pg_temp.short(estimate) AS estimate, n, p_value < 1e-6 AS held FROM ldp_frequent_strings(:'s', "limit" => 3, attribute => 'brand');
SELECT label, pg_temp.short(estimate) AS estimate, n FROM ldp_string_proportions(:'s', '{acme,none}', attribute => 'brand');
SELECT pg_temp.short(ldp_proportion(:'s'::ldp_summary, 'acme', 'brand')) AS acme, pg_temp.short(ldp_proportion(:'s'::ldp_summary, 'good', 'mood')) AS good;
SELECT string_agg((a).label, ' ') AS strings FROM (SELECT ldp_frequent_strings(ldp_agg(report), "limit" => 3, attribute => 'brand') AS a FROM poll) AS x;
SELECT label, pg_temp.short(estimate) AS estimate FROM ldp_frequent_strings(ldp_part(:'s'::ldp_summary, 'brand'), "limit" => 2);
SELECT attribute, label, pg_temp.short(estimate) AS estimate FROM ldp_change(:'s'::ldp_summary, :'s'::ldp_summary);
SELECT attribute, label, count(*) FROM ldp_compare_groups(ldp_groups(ARRAY['a', 'b'], ARRAY[:'s'::ldp_summary, :'s'::ldp_summary])) GROUP BY attribute, label ORDER BY label;
SELECT attribute, pg_temp.short(one_report) AS one_report, pg_temp.short(up) AS up FROM ldp_influence(ldp_client_spec('poll'));
SELECT bool_and(lower <= estimate AND estimate <= upper) AS inside, count(*) FROM ldp_robust_interval(:'s');
SELECT count(*) FROM ldp_health(:'s'::ldp_summary, 'brand');
SELECT pg_temp.refusal(replace(call, '$s', quote_literal(:'s') || '::ldp_summary')) FROM unnest(ARRAY[
    'SELECT * FROM ldp_frequent_strings($s)',
    'SELECT * FROM ldp_frequent_strings($s, attribute => ''mood'')',
    'SELECT * FROM ldp_top($s, attribute => ''brand'')',
    'SELECT * FROM ldp_estimate($s, attributes => ''{brand}'', statistics => ''{proportion}'')',
    'SELECT * FROM ldp_change($s, $s, attribute => ''brand'')',
    'SELECT ldp_mean($s, ''brand'')',
    'SELECT * FROM ldp_quantiles($s, attribute => ''brand'')',
    'SELECT * FROM ldp_marginal($s, ''{brand,mood}'')']) AS call;

SELECT ldp_drop_rollup('brands');
SET client_min_messages = warning;
SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['brand', 'colour', 'panel', 'poll']) AS name;
DROP SCHEMA strings CASCADE;
