#!/usr/bin/env bash
# Every function can be cancelled: by a time limit of a tenth of a second, by pg_cancel_backend, by
# pg_terminate_backend and by a fast shutdown. The functions run with the most expensive legal arguments.
# test/e2e/calls has a call of each function; a function without one fails the test.
#
# The documented limit is 0.2 s. The test allows 5 s, because it runs beside others. It prints all calls that exceed
# the limit, and the largest time. LDP_CANCEL=largest runs all calls at full size. By default domains of 2^24 values
# are reduced to 2^21, and only calls that take long run.
. "$(dirname "$0")/../prelude.sh"
cd "$work" || exit 1
largest=${LDP_CANCEL:-}
values=$([ "$largest" ] && echo 16777216 || echo 2097152)
create_databases ldp_cancel
sql -c "CREATE EXTENSION ldp"
sql -c "ALTER DATABASE ldp_cancel SET ldp.max_state = '320MB'"
sql -c "CREATE UNLOGGED TABLE large (name text PRIMARY KEY, summary ldp_summary)" \
    -c "CREATE UNLOGGED TABLE one_of (name text PRIMARY KEY, report ldp_report)" \
    -c "CREATE UNLOGGED TABLE specs (name text PRIMARY KEY, spec jsonb)"
# Not compressed: unpacking is PostgreSQL's affair, and asks for no interrupts.
sql -c "ALTER TABLE large ALTER summary SET STORAGE EXTERNAL"

# remember NAME SPEC: through a file, as arguments have a limit.
remember() {
    echo "$2" >spec.json
    sql -v name="$1" <<'SQL' || bad "the spec of $1"
\set spec `cat spec.json`
INSERT INTO specs VALUES (:'name', :'spec');
SQL
}
# summarise NAME SPEC VALUES: a few reports, doubled some times, or until they stand for 2^20 where that is cheap. A client
# for series would be too much here: their reports are made by hand, one of each response of a node (two for each of the 8,191 nodes of 4,096 rounds).
summarise() {
    echo "$2" >spec
    if [ "$3" ]; then
        printf '%b' "$3" | "$ldp" perturb --spec spec 2>err >reports.copy || { bad "a report of $1" err; return; }
    else
        sql -v spec="$2" <<'SQL' >reports.copy
SELECT encode(ldp_internal.ldp_spec_parameters(:'spec') || '\x01' || set_byte(set_byte('\x0000', 0, i & 255), 1, i >> 8), 'hex')
FROM generate_series(0, 16381) AS i;
SQL
    fi
    remember "$1" "$2"
    sql <<SQL >log || bad "a summary of $1" log
CREATE TEMPORARY TABLE one (report ldp_report);
\\copy one FROM 'reports.copy'
INSERT INTO one_of SELECT '$1', report FROM one LIMIT 1;
DO \$\$
DECLARE s ldp_summary := (SELECT ldp_agg(report) FROM one);
BEGIN
    FOR i IN 1 .. CASE WHEN octet_length(ldp_internal.ldp_summary_send(s)) < 10000000 THEN 20 ELSE 5 END LOOP s := ldp_summary_merge(s, s); END LOOP;
    INSERT INTO large VALUES ('$1', s);
END \$\$
SQL
}
category() { echo "{\"mechanism\": \"$1\", \"epsilon\": $3, \"attributes\": [{\"name\": \"v\", \"domain\": $2}]${4:+, $4}}"; }
number() { echo "{\"mechanism\": \"$1\", \"epsilon\": 1, \"attributes\": [{\"name\": \"v\", \"min\": 0, \"max\": 1048575}]${2:+, $2}}"; }
vector=$(printf '{"name": "a%d", "min": 0, "max": 1}, ' {1..4096}) header=$(printf 'a%d,' {1..4096}) zeros=$(printf '0,%.0s' {1..4096})
vector="\"attributes\": [${vector%, }]" vector_rows="${header%,}\n${zeros%,}\n"
# Cross tables of all pairs of 128 attributes, of 20,000 people.
pairs=$(printf '{"name": "a%d", "domain": 4}, ' {1..128}) pairs_header=$(printf 'a%d,' {1..128}) pairs_row=$(printf '%d,' {0..3}{,,,}{,,,}{,})
pairs_rows="${pairs_header%,}\n$(yes "${pairs_row%,}" | head -n 20000)\n"
summarise grr "$(category grr "$values" 1)" 'v\n5\n'
summarise hadamard "$(category hadamard "$values" 1)" 'v\n5\n'
summarise projective "$(category projective "$values" "$([ "$largest" ] && echo 8.5 || echo 7)")" 'v\n5\n'
summarise olh "$(category olh 1048576 1)" 'v\n5\n'
summarise oue "$(category oue 65536 1)" 'v\n5\n'
summarise subset "$(category subset 65536 1)" 'v\n5\n'
summarise l_grr "$(category l_grr "$values" 2 '"report_epsilon": 1')" 'v\n5\n'
summarise dbitflip "$(category dbitflip "$values" 1 '"buckets": 65536')" 'v\n5\n'
summarise rappor "$(category rappor 2048 1 '"filter_bits": 1024, "hashes": 8, "cohorts": 256')" 'v\n5\n'
summarise many "$(category rappor 65536 1 '"filter_bits": 1024, "hashes": 8, "cohorts": 256')" 'v\n5\n'
summarise ddrm "$(category ddrm 256 1 '"rounds": 4096')" ''
summarise threshold_series "$(number threshold_series '"rounds": 4096, "thresholds": 128')" ''
summarise square_wave "$(number square_wave '"grid": 65536')" 'v\n5\n'
summarise ordered "$(number haar_ordered '"grid": 1048575')" 'v\n5\n'
summarise binned "$(number grr '"bins": 4096' | sed 's/}], "bins": 4096/, "bins": 4096}]/')" 'v\n5\n'
summarise clamped "$(number duchi)" 'v\n5\n'
summarise tree "$(number tree '"grid": 16383')" 'v\n5\n'
summarise ordered_words "$(category haar_ordered 1048576 1)" 'v\n5\n'
summarise haar "{\"mechanism\": \"haar\", \"epsilon\": 1, $vector}" "$vector_rows"
summarise haar_ranges "{\"mechanism\": \"haar_ranges\", \"epsilon\": 1, $vector}" "$vector_rows"
summarise duchi_vector "{\"mechanism\": \"duchi_vector\", \"epsilon\": 1, $vector}" "$vector_rows"
fine='{"name": "a", "domain": 1024}, {"name": "b", "domain": 1024}'
summarise joint_haar "{\"mechanism\": \"joint_haar\", \"epsilon\": 1, \"attributes\": [$fine]}" "a,b\n$(printf '%d,7\\n' {1..1000})"
summarise strings '{"mechanism": "strings", "epsilon": 8, "cohorts": 16384, "hash_buckets": 2, "first_level_length": 2, "attributes": [{"name": "v", "strings": {"alphabet": "a-zA-Z0-9", "max_length": 10}}]}' \
    "v\n$(yes 'acme\n' | head -n 20000 | tr -d '\n')"
labels=$(printf '"label %d", ' {0..65535})
summarise labelled "{\"mechanism\": \"grr\", \"epsilon\": 1, \"attributes\": [{\"name\": \"v\", \"domain\": [${labels%, }]}]}" 'v\nlabel 5\n'
summarise sets '{"mechanism": "label_sets", "epsilon": 1, "attributes": [{"name": "v", "domain": 512, "several": true, "most": 6}]}' 'v\n5;7\n'
summarise exponential "$(category exponential 1024 1)" 'v\n5\n'
summarise sampled '{"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "domain": 1000000}]}' 'a,b\n0.5,7\n'
optional=$(printf '{"name": "a%d", "min": 0, "max": 1, "missing": true}, ' {1..1024})
summarise optional "{\"mechanism\": \"sampled\", \"epsilon\": 1, \"attributes\": [${optional%, }]}" "$(printf 'a%d,' {1..1023})a1024\n$(printf '0.5,%.0s' {1..1023})\n"
summarise slopes '{"mechanism": "sampled", "epsilon": 4, "grid": 100, "regression": {"of": "y", "on": ["x"]}, "attributes": [{"name": "x", "min": 0, "max": 1}, {"name": "y", "min": 0, "max": 1}]}' \
    "x,y\n$(yes '0,0\n1,1\n' | head -n 10000 | tr -d '\n')"
summarise joint "{\"mechanism\": \"joint\", \"epsilon\": 4, \"attributes\": [${pairs%, }]}" "$pairs_rows"

# Filters of noise alone, which a regression lets one value in after another from: half of all bits set, more or less.
sql <<'SQL' >log || bad "a forged summary" log
WITH many (bytes) AS (SELECT ldp_internal.ldp_summary_send(summary) FROM large WHERE name = 'many'),
cohort (bits) AS (
    SELECT string_agg(encode(sha512(convert_to(c || '.' || i, 'UTF8')), 'hex'), '') || repeat('00', 21 * 128)
    FROM generate_series(1, 256) AS c, generate_series(1, 40) AS i GROUP BY c)
INSERT INTO large
SELECT 'forged', (encode(substr(bytes, 1, octet_length(bytes) - 16 - 256 * (8 + 41 * 128) - 16), 'hex')
    || '0000001000000000' || repeat('00', 8) || repeat('0000100000000000', 256)
    || (SELECT string_agg(bits, '') FROM cohort) || repeat('00', 16))::ldp_summary
FROM many;
SQL

# ask SUMMARIES QUESTION [long]: puts a question to each; `long` says that it takes longer than its limit, which leaves
# time to load the summary, and is cut short.
ask() {
    local one
    for one in $1; do
        cat <<SQL
SELECT 100 + octet_length(ldp_internal.ldp_summary_send(summary)) / 500000 AS time_limit FROM large WHERE name = '$one' \gset
SET statement_timeout = :time_limit;
\echo @ :time_limit ${3:--} $one: $2
\timing on
SELECT count(answer) FROM (SELECT summary AS s FROM large WHERE name = '$one') AS l, LATERAL $2 AS answer;
\timing off
\echo = :SQLSTATE :LAST_ERROR_MESSAGE
SET statement_timeout = 0;
SQL
    done >>questions.sql
}
ask "hadamard grr" "ldp_consistent(s, 'power')" long
ask "hadamard" "ldp_consistent(s, 'ibu')" long
ask "hadamard" "ldp_consistent(s, 'ibu_early')" long
ask "hadamard" "ldp_consistent(s, 'norm_sub')" long
ask "hadamard projective" "ldp_estimate(s, statistics => '{proportion}')" long
ask "hadamard" "ldp_change(s, s, 0.5)" long
ask "hadamard" "ldp_top(s, 100000000, p_adjust => 'benjamini_hochberg')" long
ask "projective" "ldp_health(s)" long
ask "rappor" "ldp_proportion(s)" long
ask "rappor" "ldp_change(s, s)" long
ask "ddrm" "ldp_change(s, s)" long
ask "ddrm" "ldp_series(s)" long
ask "ddrm" "ldp_health(s)" long
ask "threshold_series" "ldp_health(s)" long
ask "forged" "ldp_candidates(s, 'nnls')" long
ask "forged" "ldp_candidates(s, 'lasso')" long
ask "strings" "ldp_frequent_strings(s, keep => 16)" long
ask "strings" "ldp_health(s)"
ask "square_wave" "ldp_distribution(s, 'em')" long
ask "square_wave" "ldp_distribution(s, 'ems')" long
ask "ordered" "ldp_quantiles(s, ARRAY(SELECT i / 1000.0::float8 FROM generate_series(1, 999) AS i))" long
ask "ordered ordered_words" "ldp_estimate(s)"
# A window that moves takes the state apart and copies it for every row.
week="(SELECT sum(ldp_count(w)) FROM (SELECT ldp_rollup(s) OVER (ORDER BY day ROWS 6 PRECEDING) AS w FROM generate_series(1, 100000) AS day) AS m)"
ask "hadamard olh ordered haar_ranges joint" "$week" long
ask "joint_haar" "ldp_marginal(s, '{a,b}')" long
ask "joint_haar" "ldp_fitted(s, '{a,b}')" long
ask "joint_haar" "ldp_health(s)"
ask "joint_haar" "ldp_association(s)"
ask "joint_haar" "ldp_model(s)" long
ask "joint_haar" "ldp_synthesize(s, 1000000)" long
ask "joint" "ldp_association(s)" long
ask "joint" "ldp_model(s)" long
ask "joint" "ldp_synthesize(s, 1000000)" long
ask "joint" "ldp_fitted(s, '{a1,a2}')"
ask "joint" "ldp_marginal(s, '{a1,a2}')"
if [ "$largest" ]; then
    all=$(sql -c "SELECT string_agg(name, ' ' ORDER BY name) FROM large")
    for method in none base_cut norm norm_mul norm_cut norm_sub mle_apx power ibu ibu_early empirical_bayes; do
        ask "$all" "ldp_consistent(s, '$method')"
    done
    for question in "ldp_count(s)" "ldp_mean(s)" "ldp_estimate(s, statistics => '{mean}')" "ldp_estimate(s, statistics => '{response_rate}')" "ldp_haar(s)" "ldp_shrinkage(s, 'sure')" "ldp_coefficients(s)" \
        "ldp_proportion(s)" "ldp_proportion(s, '3')" "ldp_top(s, 100000000)" "ldp_candidates(s)" "ldp_between(s, 3, 1000)" \
        "ldp_between(s, NULL, 1000)" "ldp_quantile(s, 0.5)" "ldp_quantiles(s)" "ldp_histogram(s, 1000)" "ldp_distribution(s)" \
        "ldp_resolution(s)" "ldp_learn_range(s)" "ldp_health(s)" "ldp_change(s, s, 0.5, 0.95, 'population')" "ldp_series(s)" \
        "ldp_estimate(s)" "ldp_part(s, '0')" "ldp_summary_merge(s, s)" "length(s::text)" "ldp_internal.ldp_summary_in(ldp_internal.ldp_summary_out(s))"; do
        ask "$all" "$question"
    done
fi
# Reports that take long to count, many of them in one value.
echo "$(category olh 1048576 1)" >spec
{ echo v; seq 20000 | sed 's/.*/5/'; } | "$ldp" perturb --spec spec 2>err >reports.copy || bad "many reports" err
sql <<SQL >log || bad "a batch of many reports" log
CREATE TEMPORARY TABLE many (report ldp_report);
\\copy many FROM 'reports.copy'
CREATE UNLOGGED TABLE packed AS SELECT ldp_pack(report) AS batch FROM many;
CREATE UNLOGGED TABLE crowd AS SELECT ldp_pack(report) AS batch FROM many, generate_series(1, 40);
CREATE TABLE one_by_one (report ldp_report, round integer);
SQL
of_batches() { # of_batches TABLE QUESTION
    cat >>questions.sql <<SQL
SET statement_timeout = 100;
\echo @ 100 long $1: $2
\timing on
SELECT $2 FROM $1;
\timing off
\echo = :SQLSTATE :LAST_ERROR_MESSAGE
SET statement_timeout = 0;
SQL
}
of_batches packed "ldp_count(ldp_agg(batch))"
of_batches crowd "ldp_insert('one_by_one', batch, 0)"

# The catalogue ---------------------------------------------------------------------------------------------
remember many_reports "$(cat spec)"
remember labels "{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": [${labels%, }]}"
remember auto "$(category auto 65536 1)"
remember auto_joint "{\"mechanism\": \"joint\", \"epsilon\": 4, \"marginals\": \"auto\", \"people\": 1000000, \"attributes\": [$(printf '{"name": "a%d", "domain": 16}, ' {1..32} | sed 's/, $//')]}"
sql <<'SQL' >log || bad "the collections" log
CREATE FUNCTION spec(name text) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT s.spec FROM public.specs AS s WHERE s.name = $1 $$;
CREATE FUNCTION reports(name text) RETURNS SETOF ldp_report LANGUAGE sql STABLE
    AS $$ SELECT o.report FROM public.one_of AS o, generate_series(1, 1000) WHERE o.name = $1 $$;
CREATE TABLE packed_of AS SELECT o.name, ldp_pack(o.report) AS batch FROM one_of AS o, generate_series(1, 1000) WHERE o.name IN ('haar', 'hadamard', 'labelled', 'ordered', 'strings') GROUP BY o.name;
CREATE FUNCTION batches(name text) RETURNS SETOF ldp_report_batch LANGUAGE sql STABLE
    AS $$ SELECT p.batch FROM public.packed_of AS p, generate_series(1, 40) WHERE p.name = $1 $$;
CREATE TABLE many AS SELECT ldp_unpack(batch) AS report FROM packed;
SELECT ldp_create_collection('c_' || name, spec) FROM specs WHERE name IN ('binned', 'haar', 'joint', 'joint_haar', 'ordered', 'sampled', 'slopes', 'square_wave', 'strings');
SELECT ldp_create_collection('labelled', spec('labelled'));
ALTER TABLE labelled ADD COLUMN side integer;
INSERT INTO labelled SELECT r, 0, side FROM generate_series(0, 4) AS side, reports('labelled') AS r;
SELECT ldp_create_collection('curve', spec('clamped'), ARRAY[['week', 'integer']]);
INSERT INTO curve SELECT r, 0, week FROM generate_series(1, 40) AS week, reports('clamped') AS r;
SELECT ldp_create_rollup('rolled', 'labelled', '{round}');
SELECT ldp_create_collection('parts', spec('haar'), ARRAY[['seen', 'timestamptz']], partition_by => 'seen');
SELECT ldp_create_collection('parted_rounds', spec('haar'), partition_by => 'round');
SELECT ldp_create_rollup('seen', 'parts', '{day(seen)}');
SELECT ldp_refresh('seen');
SELECT ldp_create_collection('free', spec('grr'));
SELECT ldp_unregister_collection('free');
SELECT ldp_create_hitters('lost', 1, 'ab', 1, 100, 8);
SELECT ldp_internal.ldp_forget_search('lost');
SELECT ldp_create_hitters('search', 1, 'ab', 1, 100, 8);
SQL
sql -c "SELECT ldp_client_spec('search_1')" >spec
{ sql -c "SELECT ldp_client_spec('search_1') -> 'attributes' -> 0 ->> 'name'"; printf 'a\n%.0s' {1..1000}; } |
    "$ldp" perturb --spec spec 2>err | sql -c "\\copy search_1 (report) FROM STDIN" || bad "reports of a search" err
calls=0
while IFS=: read -r names call; do
    case $names in '#'* | '') continue ;; esac
    for one in $names; do
        calls=$((calls + 1))
        from="LATERAL $call AS answer" limit=100
        if [ "$one" != - ]; then
            from="(SELECT summary AS s FROM large WHERE name = '$one') AS l, $from"
            limit=$(sql -c "SELECT 100 + octet_length(ldp_internal.ldp_summary_send(summary)) / 500000 FROM large WHERE name = '$one'")
        fi
        cat <<SQL >>questions.sql
\echo @ $limit call $one:$call
-- A limit that fires as a statement ends may cancel the ROLLBACK after it.
ROLLBACK;
BEGIN;
SET LOCAL statement_timeout = $limit;
\timing on
SELECT count(answer) FROM $from;
\timing off
\echo = :SQLSTATE :LAST_ERROR_MESSAGE
ROLLBACK;
SQL
        # What a call depends on, PostgreSQL notes of a view.
        echo "CREATE VIEW call_$calls AS SELECT count(answer) FROM $from;" >>views.sql
    done
done <"$root/test/e2e/calls"
sql <views.sql >log || bad "the calls as views" log
# Reading bytes in binary form: what COPY sends is read again.
for one in hadamard haar joint; do
    sql -c "\\copy (SELECT summary FROM large WHERE name = '$one') TO '$one.bin' (FORMAT binary)" \
        -c "CREATE TABLE taken_$one (summary ldp_summary)" || bad "$one in binary form"
    cat <<SQL >>questions.sql
SET statement_timeout = 200;
\echo @ 200 call reading $one in binary form
\timing on
\copy taken_$one FROM '$one.bin' (FORMAT binary)
\timing off
\echo = :SQLSTATE :LAST_ERROR_MESSAGE
SET statement_timeout = 0;
SQL
done
check "every function of the extension is called" "" "$(sql <<'SQL'
WITH RECURSIVE ours AS (
    SELECT p.* FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
        JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'ldp'
), named AS (
    SELECT DISTINCT refobjid AS oid FROM pg_depend WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_proc'::regclass
), step (caller, callee) AS (
    SELECT a.aggfnoid::oid, f.oid FROM pg_aggregate AS a,
        unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn]::oid[]) AS f (oid)
    UNION ALL SELECT oid, prosupport::oid FROM ours
    -- NAME_as is what NAME calls, also where NAME is in C; bodies name what they call.
    UNION ALL SELECT f.oid, g.oid FROM ours AS f, ours AS g WHERE g.proname = f.proname || '_as'
    UNION ALL SELECT f.oid, g.oid FROM ours AS f, ours AS g, pg_language AS l, pg_language AS m
        WHERE l.oid = f.prolang AND l.lanname IN ('sql', 'plpgsql') AND m.oid = g.prolang AND m.lanname <> 'c'
            AND f.prosrc ~ ('\m' || g.proname || '\M') AND g.oid <> f.oid
), called AS (
    SELECT oid FROM named
    UNION SELECT oid FROM ours WHERE prokind = 'p'  -- which no query can call; they only change the catalog
    UNION SELECT t.tgfoid FROM pg_trigger AS t
    UNION SELECT t.evtfoid FROM pg_event_trigger AS t
    UNION SELECT a.amhandler::oid FROM pg_am AS a
    UNION SELECT t.typreceive::oid FROM pg_type AS t JOIN ours ON ours.oid = t.typreceive::oid
    UNION SELECT s.callee FROM called JOIN step AS s ON s.caller = called.oid
)
SELECT ours.oid::regprocedure FROM ours JOIN pg_language AS l ON l.oid = ours.prolang
WHERE l.lanname <> 'internal' AND ours.oid NOT IN (SELECT oid FROM called) OR ours.prokind = 'a' AND ours.oid NOT IN (SELECT oid FROM called)
ORDER BY 1;
SQL
)"
server_log=$(dirname "$PGHOST")/server.log
logged=$(($(wc -c <"$server_log") + 1))
psql -XqAt <questions.sql >answers 2>errors
allowed=5000  # ms after the limit
long_ones=0 cut=0
while read -r kind first second rest; do
    case $kind in
        @) limit=$first long=$second question=$rest ;;
        Time:) over=$(awk "BEGIN { printf \"%d\", $first - $limit }") ;;
        =)
            if [ "$over" -le $allowed ]; then ok; else bad "$question ended ${over} ms after its limit of $limit ms"; fi
            if [ "$long" = long ]; then
                long_ones=$((long_ones + 1))
                if [ "$first" = 57014 ]; then
                    cut=$((cut + 1))
                # psql measures longer than the server, so a query that met its limit may exceed it by psql's clock.
                elif [ "$first" != 00000 ] || [ "$over" -gt 200 ]; then
                    bad "$question was not cut short: $first"
                fi
            elif [ "$long" = call ] && [ "$first" != 00000 ] && [ "$first" != 57014 ]; then
                bad "$question failed: $first $second $rest"
            fi
            [ "$over" -le 200 ] || echo "$question ended $over ms after its limit of $limit ms"
            [ "$over" -le "${worst:-0}" ] || { worst=$over; slowest=$question; }
            ;;
    esac
done <answers
check "every question was asked" "$(grep -c '^@' answers)" "$(grep -c '^=' answers)"
# The faster the machine, the more of them end before their limit; were it most, little would be shown.
if [ $((2 * cut)) -ge $long_ones ]; then ok; else bad "only $cut of $long_ones long questions were cut short"; fi
check "no error is of ldp itself" "" "$(grep -i 'bug in ldp\|server closed' errors)"
# A crash has no error: the server's log has the signal and the statement.
check "no backend ended by a signal" "" "$(tail -c "+$logged" "$server_log" | grep -A 1 'was terminated by signal')"
echo "The latest end was ${worst:-0} ms after the limit: ${slowest:-none}"

# The same without a time limit: a cancel, a terminate, and a fast shutdown.
question="SELECT count(*) FROM large, ldp_candidates(summary, 'nnls') WHERE name = 'forged'"
# stops WHAT STATE COMMAND...: the running query ends within the limit with this SQLSTATE after the command.
stops() {
    local what=$1 state=$2 began over
    shift 2
    PGAPPNAME=ldp_long psql -Xq -v VERBOSITY=verbose -c "$question" >out 2>err &
    until [ "$(sql -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ldp_long' AND state = 'active' AND now() - query_start > '0.5 s'")" = 1 ]; do
        kill -0 $! 2>/dev/null || { bad "$what: the question ended by itself" out err; return; }
        sleep 0.1
    done
    began=$(date +%s%N)
    "$@" >log 2>&1 || bad "$what: the command failed" log
    wait $!
    over=$((($(date +%s%N) - began) / 1000000))
    if [ $over -le $allowed ]; then ok; else bad "$what took $over ms"; fi
    if grep -q "$state" err; then ok; else bad "$what: no error $state" err; fi
}
tell() { sql -c "SELECT $1(pid) FROM pg_stat_activity WHERE application_name = 'ldp_long'"; }
stops "a cancel" 57014 tell pg_cancel_backend
stops "a terminate" 57P01 tell pg_terminate_backend
data=$(dirname "$PGHOST")/data pg_ctl=$("${PG_CONFIG:-pg_config}" --bindir)/pg_ctl
# More is to be stopped here than one process.
allowed=10000
stops "a fast shutdown" 57P01 "$LDP_AS_SERVER" "$pg_ctl" -D "$data" -m fast -w -t 60 stop
"$LDP_AS_SERVER" "$pg_ctl" -D "$data" -l "${data%data}server.log" -w -t 60 start >log || bad "the server does not start again" log
check "the server is there again" 1 "$(sql -c "SELECT 1")"
finish
