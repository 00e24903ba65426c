#!/usr/bin/env bash
# Every function of the extension, also those that are added later, called with arguments that make no sense: NULL, NaN,
# the ends of every type, arrays of odd shapes, summaries of the wrong mechanism, damaged bytes, endless text. Each call
# ends with an answer, or with an error that PostgreSQL has a name for; none ends the server, or is a bug by its own words.
#
# LDP_HOSTILE_CALLS says how many calls there are, LDP_HOSTILE_SEED which.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
calls=${LDP_HOSTILE_CALLS:-100000} seed=${LDP_HOSTILE_SEED:-1}

create_databases ldp_hostile_calls
sql -c "CREATE EXTENSION ldp"

# Collections of every mechanism, with reports of a few people each.
two='"attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]'
value='"attributes": [{"name": "a", "domain": 20}]' number='"attributes": [{"name": "a", "min": 0, "max": 20}]'
printf '%s\n' a,b 0,0 1,1 0,1 1,0 >"$work/people.csv"
made=0
while IFS=';' read -r spec; do
    made=$((made + 1))
    sql -c "SELECT ldp_create_collection('c$made', '{\"epsilon\": 2, $spec}')" >"$work/log" || { bad "$spec" "$work/log"; continue; }
    case $spec in
        *ddrm* | *threshold_series*) continue ;;
    esac
    sql -c "SELECT ldp_client_spec('c$made')" >"$work/spec"
    "$ldp" perturb --spec "$work/spec" --input "$work/people.csv" >"$work/reports.copy" 2>"$work/err" || { bad "$spec" "$work/err"; continue; }
    sql -c "\\copy c$made (report) FROM '$work/reports.copy'" || bad "$spec"
done <<END
$(for m in grr sue oue subset blh olh hadamard projective rappor l_grr l_sue l_osue loloha dbitflip haar_ordered exponential tree; do echo "\"mechanism\": \"$m\", $value"; done)
$(for m in piecewise pdp laplace duchi onebit hybrid optimal square_wave; do echo "\"mechanism\": \"$m\", $number, \"grid\": 20"; done)
"mechanism": "haar_ordered", $number, "grid": 20
$(for m in haar duchi_vector haar_ranges; do echo "\"mechanism\": \"$m\", $two, \"grid\": 20"; done)
"mechanism": "haar", $two, "details": "global"
"mechanism": "ball", $two, "norm": 1
"mechanism": "gaussian", $two, "delta": 1e-9, "norm": 1
"mechanism": "sampled", "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "domain": 5}]
"mechanism": "sampled", $two, "regression": {"of": "b", "on": ["a"]}, "min_group": 1
"mechanism": "joint", "attributes": [{"name": "a", "domain": 2}, {"name": "b", "min": 0, "max": 1, "bins": 3}]
"mechanism": "grr", "attributes": [{"name": "a", "domain": ["0", "1"]}]
"mechanism": "strings", "attributes": [{"name": "a", "strings": {"alphabet": "01", "max_length": 4}}]
"mechanism": "ddrm", $value, "rounds": 8
"mechanism": "threshold_series", $number, "rounds": 8
END

# The literals of each type. Bytes are those of the collections, whole and damaged.
sql <<'SQL' || bad "the arguments"
CREATE TABLE pool (type regtype, literal text);
CREATE TABLE bytes (type regtype, hex text);
SELECT setseed(0.5);
DO $$
DECLARE
    of regclass;
BEGIN
    FOR of IN SELECT reports FROM ldp_internal.ldp_collection LOOP
        EXECUTE format('INSERT INTO bytes SELECT ''ldp_report'', report::text FROM %s LIMIT 1', of);
    END LOOP;
END
$$;
INSERT INTO bytes SELECT 'ldp_summary', s FROM ldp_collections AS c, LATERAL (SELECT ldp_summary_of(c.name)::text) AS r (s) WHERE s IS NOT NULL;
INSERT INTO bytes SELECT 'ldp_report_batch', ldp_pack(b.hex::ldp_report)::text FROM bytes AS b, generate_series(1, 3) WHERE b.type = 'ldp_report'::regtype GROUP BY b.hex;
-- What an aggregate was asked, before a summary: a number, two, a list, a text, and nothing that makes sense.
-- States are Base64 text of the head and the short form, which is also damaged byte by byte.
CREATE FUNCTION base64(bytes bytea) RETURNS text LANGUAGE sql AS $$ SELECT translate(encode(bytes, 'base64'), E'\n', '') $$;
CREATE TABLE short_form AS SELECT decode(head, 'hex') || decode(ldp_internal.ldp_agg_state_out(state)::text, 'base64') AS form
    FROM (SELECT ldp_internal.ldp_agg_add(NULL, hex::ldp_summary) FROM bytes WHERE type = 'ldp_summary'::regtype UNION ALL
          SELECT ldp_internal.ldp_agg_accumulate(NULL, hex::ldp_report) FROM bytes WHERE type = 'ldp_report'::regtype) AS s (state), unnest(ARRAY[
    '000900000000000000000000e03f', '00090000000000000000000000', '00090000000000000000000000f87f'::text, '000900000000000000000000f0ff',
    '001100000000000000000000000000000000000000f03f', '000600000001' || encode('norm_', 'hex'), '000200000001' || '61', '000100000000',
    '0001000000ff', '0000000000', '00ffffffff', '']) AS head;
INSERT INTO bytes SELECT 'ldp_internal.ldp_agg_state', base64(form) FROM short_form;
INSERT INTO bytes SELECT 'ldp_internal.ldp_agg_state', base64(set_byte(form, (random() * (length(form) - 1))::integer, (random() * 255)::integer))
    FROM short_form, generate_series(1, 2);
-- What is whole gets further than its input function: it comes up more often.
INSERT INTO pool SELECT type, format('%L', hex) FROM bytes, generate_series(1, 8) WHERE type <> 'ldp_internal.ldp_agg_state'::regtype;
INSERT INTO bytes SELECT type, overlay(hex PLACING to_hex(16 + floor(random() * 240)::integer) FROM 1 + 2 * floor(random() * length(hex) / 2)::integer)
    FROM bytes, generate_series(1, 2);
INSERT INTO bytes SELECT type, unnest(ARRAY[left(hex, -2), hex || '00', left(hex, -1), upper(hex)]) FROM bytes WHERE random() < 0.05;
INSERT INTO bytes SELECT type, unnest(ARRAY['', '00', 'zz', repeat('02', 3000000)]) FROM (VALUES ('ldp_report'::regtype), ('ldp_report_batch'), ('ldp_summary'), ('ldp_internal.ldp_agg_state')) AS t (type);
INSERT INTO pool SELECT type, format('%L', hex) FROM bytes WHERE length(hex) < 100000 OR random() < 0.5;
INSERT INTO pool SELECT 'cstring', format('%L', hex) FROM bytes WHERE random() < 0.1;
INSERT INTO pool SELECT 'bytea', format('decode(%L, ''hex'')', hex) FROM bytes WHERE hex ~ '^([0-9a-f]{2})*$' AND random() < 0.1;
INSERT INTO pool SELECT 'ldp_report[]', format('ARRAY[%s, NULL, %1$s]', literal) FROM pool WHERE type = 'ldp_report'::regtype AND random() < 0.2;
INSERT INTO pool SELECT 'jsonb', format('%L', spec) FROM ldp_collections;
INSERT INTO pool SELECT 'jsonb', format('%L', jsonb_set(spec, '{epsilon}', e::jsonb)) FROM ldp_collections, unnest(ARRAY['0', '-1', '1e308', '1e-400', '"1"', 'null', '[]']) AS e;
INSERT INTO pool SELECT 'jsonb', format('%L', spec - key) FROM ldp_collections, jsonb_object_keys(spec) AS key;
INSERT INTO pool VALUES
    ('jsonb', $q$'{"a": 0}'$q$), ('jsonb', $q$'{"b": [0, 1], "a": [1]}'$q$), ('jsonb', $q$'{"b": [null, 0.5]}'$q$), ('text[]', $q$'{a,b}'$q$), ('text[]', $q$'{b}'$q$),
    ('jsonb', $q$'{}'$q$), ('jsonb', $q$'[]'$q$), ('jsonb', $q$'1e999'$q$), ('jsonb', $q$'null'$q$), ('jsonb', $q$'"x"'$q$),
    ('jsonb', $q$(repeat('[', 500) || repeat(']', 500))::jsonb$q$), ('jsonb', $q$to_jsonb(repeat('x', 2000000))$q$),
    ('jsonb', $q$'{"mechanism": "grr", "epsilon": 1, "domain": 16777216}'$q$), ('jsonb', $q$'{"mechanism": "grr", "epsilon": 1, "domain": 1e10}'$q$),
    ('jsonb', $q$'{"mechanism": "grr", "epsilon": 1, "domain": ["\ud83d\ude00", "é", "\u0001"]}'$q$),
    ('jsonb', $q$'{"mechanism": "auto", "epsilon": 1, "domain": 100, "max_report_bytes": 18446744073709551616}'$q$),
    ('text', $q$''$q$), ('text', $q$'a'$q$), ('text', $q$'b'$q$), ('text', $q$'0'$q$), ('text', $q$'%s%n%I'$q$), ('text', $q$'"; DROP TABLE x; --'$q$), ('text', $q$E'\x01\x7f'$q$),
    ('text', $q$repeat('x', 1000000)$q$), ('text', $q$'é😀'$q$), ('text', $q$'NaN'$q$), ('text', $q$'none'$q$), ('text', $q$'norm_sub'$q$), ('text', $q$'ibu'$q$), ('text', $q$'power'$q$),
    ('text', $q$'sample'$q$), ('text', $q$'population'$q$), ('text', $q$'soft'$q$), ('text', $q$'lasso'$q$), ('text', $q$'nnls'$q$), ('text', $q$'bonferroni'$q$), ('text', $q$'em'$q$), ('text', $q$'ems'$q$),
    ('text', $q$'public'$q$), ('text', $q$'pg_catalog'$q$), ('text', $q$'0123456789abcdef'$q$), ('text', $q$'abc'$q$),
    ('integer', '-2147483648'), ('integer', '-1'), ('integer', '0'), ('integer', '1'), ('integer', '2'), ('integer', '19'), ('integer', '20'), ('integer', '1001'), ('integer', '2147483647'),
    ('bigint', '-9223372036854775808'), ('bigint', '-1'), ('bigint', '0'), ('bigint', '1'), ('bigint', '1099511627777'), ('bigint', '9223372036854775807'),
    ('double precision', $q$'NaN'$q$), ('double precision', $q$'Infinity'$q$), ('double precision', $q$'-Infinity'$q$), ('double precision', '0'), ('double precision', '1'), ('double precision', '0.5'),
    ('double precision', '0.95'), ('double precision', '-1'), ('double precision', '1e308'), ('double precision', '5e-324'), ('double precision', '0.9999999999999999'), ('double precision', '20'),
    ('double precision[]', $q$'{}'$q$), ('double precision[]', $q$'{NULL}'$q$), ('double precision[]', $q$'{0.5,NULL,0.1}'$q$), ('double precision[]', $q$'{{0.1,0.2},{0.3,NaN}}'$q$),
    ('double precision[]', $q$'[5:6]={0.1,0.2}'$q$), ('double precision[]', $q$'{-Infinity,Infinity,1e308}'$q$), ('double precision[]', $q$array_fill(0.5::float8, ARRAY[5000])$q$),
    ('text[]', $q$'{}'$q$), ('text[]', $q$'{NULL}'$q$), ('text[]', $q$'{a,b,NULL}'$q$), ('text[]', $q$'{{a,b},{c,d}}'$q$), ('text[]', $q$ARRAY['a integer', '%', repeat('y', 100000)]$q$),
    ('ldp_report[]', $q$'{}'$q$), ('ldp_report[]', $q$'{NULL}'$q$), ('ldp_report[]', $q$'{{NULL,NULL}}'$q$),
    ('uuid', $q$'00000000-0000-0000-0000-000000000000'$q$), ('uuid', $q$'ffffffff-ffff-4fff-bfff-ffffffffffff'$q$), ('boolean', 'true'), ('boolean', 'false'),
    ('bytea', $q$''$q$), ('bytea', $q$repeat('x', 1000000)::bytea$q$),
    ('cstring', $q$''$q$), ('cstring', $q$'xyz'$q$),
    ('ldp_internal.ldp_hitter_search', $q$ROW('h', 'NaN', 'ab', 2147483647, 1, 64, 0.05, 'rank', 2147483647)$q$), ('ldp_internal.ldp_hitter_search', $q$ROW(NULL, 1, 'abc', 1, 1, 64, 0.05, 'rank', 1)$q$),
    ('ldp_internal.ldp_hitter_search', $q$ROW('h', 1, 'ab', 1, 10, 4, 0.05, 'significance', 1)$q$),
    ('ldp_estimate_row', $q$ROW('a', NULL, 1, 0.5, 0, 2, 9223372036854775807, -1, 0, NULL, NULL)::ldp_estimate_row$q$), ('ldp_estimate_row', $q$ROW('a', NULL, -1e308, 5e-324, NULL, NULL, 1, 1, 1, 3, repeat('n', 100000))::ldp_estimate_row$q$),
    ('ldp_estimate_row', $q$ROW('a', NULL, 1e308, 1e308, 0, 0, 30, 30, 0, 2, 'few')::ldp_estimate_row$q$), ('ldp_estimate_row', $q$ROW(NULL, 'é', 'NaN', 0, 0, 0, 0, 0, 0, 0, '')::ldp_estimate_row$q$),
    ('ldp_estimate_row', $q$ROW(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::ldp_estimate_row$q$);
INSERT INTO pool SELECT 'text', format('%L', name) FROM ldp_collections;
-- Functions of the extension, but for those that SQL cannot call.
CREATE TABLE called AS
    SELECT p.oid::regprocedure::text AS signature, p.oid::regproc::text AS name, p.proargtypes::oid[] AS types
    FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'ldp'
    WHERE NOT ('internal'::regtype = ANY (p.proargtypes::oid[])) AND p.prorettype <> ALL (ARRAY['trigger'::regtype, 'event_trigger'::regtype]);
-- By number, for calls that pick some of a hundred thousand.
CREATE TABLE numbered AS SELECT row_number() OVER (ORDER BY signature) - 1 AS number, * FROM called;
CREATE TABLE literals AS SELECT type, row_number() OVER (PARTITION BY type ORDER BY literal) - 1 AS number, literal FROM pool;
CREATE TABLE kinds AS SELECT type, count(*) AS literals FROM pool GROUP BY type;
ALTER TABLE numbered ADD PRIMARY KEY (number);
ALTER TABLE literals ADD PRIMARY KEY (type, number);
ALTER TABLE kinds ADD PRIMARY KEY (type);
ANALYZE numbered, literals, kinds;
CREATE TABLE outcome (signature text, sqlstate text, message text, hint text, call text, seconds float8);
SQL

# Some of the calls, each undone whatever it did. What is not as it should be is recorded, and how many there were.
cat >"$work/calls.sql" <<'SQL'
SET client_min_messages = error;
SET statement_timeout = '100s';
SELECT setseed(:part::float8 / 10000);
CREATE TEMP TABLE picked AS
    SELECT c.id, f.signature, f.name || '(' || COALESCE(string_agg(COALESCE(l.literal, 'NULL') || '::' || a.type::regtype, ', ' ORDER BY a.place), '') || ')' AS call
    FROM (SELECT id, floor(random() * (SELECT count(*) FROM numbered))::bigint AS choice FROM generate_series(1, :calls) AS id) AS c
    JOIN numbered AS f ON f.number = c.choice
    LEFT JOIN LATERAL (SELECT type, place, random() + 0 * c.id AS draw FROM unnest(f.types) WITH ORDINALITY AS t (type, place)) AS a ON true
    LEFT JOIN kinds AS k ON k.type = a.type
    LEFT JOIN literals AS l ON l.type = a.type AND l.number = floor(a.draw * 1.05 * k.literals)::bigint
    GROUP BY c.id, f.signature, f.name;
DO $$
DECLARE
    each record;
    began timestamptz;
    code text; said text; advice text;
BEGIN
    FOR each IN SELECT * FROM picked LOOP
        began := clock_timestamp();
        BEGIN
            EXECUTE 'SELECT ' || each.call;
            RAISE EXCEPTION USING ERRCODE = 'LDP00';
        EXCEPTION WHEN OTHERS OR query_canceled THEN
            GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, said = MESSAGE_TEXT, advice = PG_EXCEPTION_HINT;
        END;
        INSERT INTO outcome VALUES (each.signature, code, said, advice, each.call, extract(epoch FROM clock_timestamp() - began));
    END LOOP;
END
$$;
DROP TABLE picked;
SQL

{
    echo "SELECT pg_backend_pid() AS before \\gset"
    for ((part = seed; calls > (part - seed) * 5000; part++)); do
        printf '\\set part %d\n\\set calls %d\n\\i %s\n' "$part" $((calls - (part - seed) * 5000 < 5000 ? calls - (part - seed) * 5000 : 5000)) "$work/calls.sql"
    done
    echo "SELECT CASE WHEN pg_backend_pid() = :before THEN 'the same' END;"
} >"$work/all.sql"
check "the server lives through all calls" "the same" "$(psql -XqAt -v ON_ERROR_STOP=1 -f "$work/all.sql" 2>&1 | tail -n 1)"
check "all calls were made" "$calls" "$(sql -c "SELECT count(*) FROM outcome")"
check "every function was called, and some calls were answered" "t t" "$(sql -F ' ' -c "
    SELECT $calls < 20000 OR count(DISTINCT signature) = (SELECT count(*) FROM called), count(*) FILTER (WHERE sqlstate = 'LDP00') > 0 FROM outcome")"
check "no error is an internal one, or a bug by its own words" "" "$(sql -c "
    SELECT sqlstate || ' ' || message || ': ' || left(min(call), 300) FROM outcome
    WHERE sqlstate <> 'LDP00' AND (sqlstate LIKE 'XX%' OR message = '' OR concat(message, hint) LIKE '%bug%')
    GROUP BY sqlstate, message LIMIT 10")"
check "no call ran into the limit" "" "$(sql -c "SELECT left(call, 300) FROM outcome WHERE sqlstate = '57014' LIMIT 5")"
# The same bytes come in on the wire, as a column of bytea writes them into a file.
check "damaged values on the wire are refused with a hint" "t t " "$(sql -F ' ' -c "
    CREATE TABLE on_the_wire (sqlstate text, hint text, hex text);
    CREATE TABLE a_report (value ldp_report); CREATE TABLE a_report_batch (value ldp_report_batch); CREATE TABLE a_summary (value ldp_summary); CREATE TABLE a_agg_state (value ldp_internal.ldp_agg_state);
    DO \$\$
    DECLARE
        file text := current_setting('data_directory') || '/hostile';
        each record; code text; advice text;
    BEGIN
        FOR each IN SELECT * FROM bytes WHERE hex ~ '^([0-9a-f]{2})*$' AND length(hex) < 100000 ORDER BY md5(hex) LIMIT 1000 LOOP
            EXECUTE format('COPY (SELECT decode(%L, ''hex'')) TO %L (FORMAT binary)', each.hex, file);
            BEGIN
                EXECUTE format('COPY %s FROM %L (FORMAT binary)', regexp_replace(each.type::text, '^(ldp_internal[.])?ldp', 'a'), file);
                RAISE EXCEPTION USING ERRCODE = 'LDP00';
            EXCEPTION WHEN OTHERS THEN
                GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, advice = PG_EXCEPTION_HINT;
            END;
            INSERT INTO on_the_wire VALUES (code, advice, each.hex);
        END LOOP;
    END
    \$\$;
    SELECT count(*) FILTER (WHERE sqlstate = 'LDP00') > 0, count(*) FILTER (WHERE sqlstate = '22P03') > 0,
        (SELECT min(sqlstate || ': ' || left(hex, 300)) FROM on_the_wire WHERE sqlstate NOT IN ('LDP00', '22P03', '22023') OR (sqlstate <> 'LDP00' AND hint = ''))
    FROM on_the_wire")"
check "damaged values are refused with a hint" "" "$(sql -c "
    SELECT DISTINCT sqlstate || ' ' || message FROM outcome
    WHERE signature ~ '^ldp_internal[.]ldp_(report|report_batch|summary|agg_state)_in' AND sqlstate NOT IN ('LDP00', '54000') AND (hint = '' OR sqlstate NOT IN ('22P02', '22023')) LIMIT 5")"
finish
