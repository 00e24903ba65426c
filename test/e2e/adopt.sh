#!/usr/bin/env bash
# A database of ldp attach changes to the extension and back, while clients and an endpoint go on. Reports, claims, rights and
# summaries stay. Refusals and kills change nothing. LDP_KILLS states how often the command or the server is killed (default 6);
# LDP_SEED, when.
#
# Length: all parts use one server, which starts slowly.
. "$(dirname "$0")/../prelude.sh"
bin=$("${PG_CONFIG:-pg_config}" --bindir)
kills=${LDP_KILLS:-6}
RANDOM=${LDP_SEED:-$$}
cd "$work" || exit 1
chmod 755 "$work"

# The server ----------------------------------------------------------------------------------------------------
# A server of its own, because it is killed. It offers the same extension as the server of the test.
offered() { for one in extension_destdir extension_control_path dynamic_library_path; do
    psql -XqAtc "SELECT format('%s = %L', name, setting) FROM pg_settings WHERE name = '$one'"; done; }
offered >offered.conf
mkdir -m 777 bare socket
child=
control() { "$LDP_AS_SERVER" "$bin/pg_ctl" -D "$work/bare/data" -l "$work/bare/log" -w "$@" >/dev/null; }
at_exit() {
    if [ -n "$child" ]; then kill -9 "$child" 2>/dev/null; fi
    control -m immediate stop
}
"$LDP_AS_SERVER" "$bin/initdb" -D "$work/bare/data" -U boss -A trust -E UTF8 --locale=C.UTF-8 --no-sync >initdb.log 2>&1 || { cat initdb.log; exit 1; }
{ printf "listen_addresses = ''\nunix_socket_directories = '%s'\nfsync = off\nmax_prepared_transactions = 3\n" "$work/socket"; cat offered.conf; } |
    "$LDP_AS_SERVER" tee -a "$work/bare/data/postgresql.conf" >/dev/null
control start || exit 1
export PGHOST=$work/socket PGPORT=5432 PGUSER=boss PGDATABASE=postgres
maintenance=postgres
sql -c "CREATE ROLE keeper LOGIN" -c "CREATE ROLE gateway LOGIN" -c "CREATE ROLE reader LOGIN" -c "CREATE DATABASE survey OWNER keeper" >/dev/null
export PGDATABASE=survey
keeper() { PGUSER=keeper sql "$@"; }
gateway() { PGUSER=gateway sql "$@"; }
check "no superuser" f "$(keeper -c "SELECT rolsuper OR rolcreaterole OR rolcreatedb FROM pg_roles WHERE rolname = current_user")"

# The database without the extension --------------------------------------------------------------------------------
run "attach" 0 env PGUSER=keeper "$ldp" attach
keeper -c "ALTER ROLE keeper SET search_path = public, ldp" -c "CREATE SCHEMA \"wave 2\"" -c "GRANT USAGE ON SCHEMA public, \"wave 2\" TO gateway, reader" >/dev/null
# create NAME SPEC [ARGUMENTS]
create() {
    "$ldp" spec resolve "$2" >canonical.json 2>err || bad "the spec of $1" err
    PGUSER=keeper sql -v name="$1" -v spec="$(cat canonical.json)" -f - >err <<<"SELECT ldp_create_collection(:'name', :'spec'${3:+, $3})" || bad "collection $1" err
    keeper -c "GRANT INSERT ON $(keeper -c "SELECT reports FROM ldp_collections WHERE name = '$1'") TO gateway" >/dev/null
}
oue='{"mechanism": "oue", "epsilon": 1, "title": "Colours", "attributes": [{"name": "colour", "domain": ["red", "green", "blue"]}]}'
create sent "$oue" "ARRAY[['country', 'text'], ['visited', 'date']]"
create packed "$oue" "rows => 'batches', schema => 'ldp'"
create late "$oue"
create gone "$oue"
create flow "$oue"
create panel '{"mechanism": "sampled", "epsilon": 2, "report_epsilon": 1, "budget": {"epsilon": 40}, "evolving": {}, "attributes":
    [{"name": "sex", "domain": ["f", "m"]}, {"name": "town", "domain": ["Bonn", "Mainz", "Ulm"]}]}' "schema => 'wave 2'"
keeper -c "SELECT ldp_open_rounds('panel', 1, 2)" >/dev/null
awk 'BEGIN { print "colour,country,visited"; for (i = 0; i < 500; ++i) print (i % 2 ? "red" : "blue") "," (i % 3 ? "de" : "") ",2026-0" 1 + i % 2 "-17" }' >colours.csv
awk 'BEGIN { print "who,sex,town"; for (i = 0; i < 300; ++i) print i "," (i % 2 ? "f" : "m") "," (i % 3 ? "Bonn" : "Ulm") }' >people.csv
# submit NAME COLLECTION [OPTION...] FILE: by the gateway, in a state file with this name.
submit() { run "submit $1" 0 env PGUSER=gateway "$ldp" submit --copy --state "$1.ldp" --collection "$2" --batch 50 "${@:3}"; }
submit sent sent --public country --public visited colours.csv
submit packed packed colours.csv
submit late late colours.csv
submit gone gone colours.csv
for round in 1 2; do run "round $round" 0 env PGUSER=gateway "$ldp" submit --state panel.ldp --collection panel --person who --round $round people.csv; done
run "groups" 0 env PGUSER=keeper "$ldp" refresh --by round,country,visited sent
run "one group" 0 env PGUSER=keeper "$ldp" refresh packed gone panel
# Reports of gone were deleted after they were counted. Later reports of sent are not counted yet; one of them is impossible.
keeper -c "DELETE FROM gone" >/dev/null
submit more sent --public country --public visited colours.csv
keeper -c "INSERT INTO sent (report, country) SELECT set_byte(report, octet_length(report) - 1, 255), 'xx' FROM sent LIMIT 1" \
    -c "GRANT SELECT ON ldp.ldp_summaries TO reader" >/dev/null
# A batch whose acknowledgement is lost.
id=4d3f6a52-93d6-4a0e-8d35-1f5a3c8a0001
batch() { gateway -c "SELECT ldp.ldp_submit_batch('late', '$id', '{$(cat lost)}', 0)"; }
keeper -c "SELECT string_agg(encode(report, 'hex'), ',') FROM (SELECT report FROM late LIMIT 3) AS r" >lost
check "the first attempt" 3 "$(batch)"
# Code of the owner, which runs when the table is changed. It must not get the rights of the administrator.
keeper >err <<'SQL' || bad "the trap" err
CREATE FUNCTION trap(anyelement) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN EXECUTE 'ALTER ROLE keeper SUPERUSER'; END IF;
    BEGIN EXECUTE 'RESET ROLE'; EXECUTE 'RESET SESSION AUTHORIZATION'; EXCEPTION WHEN OTHERS THEN NULL; END;
    IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN EXECUTE 'ALTER ROLE keeper SUPERUSER'; END IF;
    RETURN true; END $$;
ALTER TABLE sent ADD CONSTRAINT trapped CHECK (public.trap(report));
SQL

# stored: the summaries of all groups, in both kinds of databases.
stored() {
    if [ "$(sql -c "SELECT count(*) FROM pg_extension WHERE extname = 'ldp'")" = 1 ]; then
        for one in $(sql -c "SELECT name FROM ldp.ldp_rollups ORDER BY collection"); do
            sql -c "SELECT r.collection, (to_jsonb(t) - 'bucket' - 'summary')::text, ldp.ldp_count(t.summary), md5(t.summary::bytea) FROM ldp.ldp_rollups AS r,
                $(sql -c "SELECT summaries FROM ldp.ldp_rollups WHERE name = '$one'") AS t WHERE r.name = '$one' ORDER BY 2"
        done
    else
        sql -c "SELECT collection, \"group\"::text, n, md5(summary) FROM ldp.ldp_summaries ORDER BY collection, 2"
    fi
}
# counted: the summaries that ldp_agg computes from the reports.
counted() {
    sql -c "SELECT 'panel', jsonb_build_object('round', round)::text, count(*), md5(ldp.ldp_agg(report, round)::bytea) FROM \"wave 2\".panel GROUP BY 2 ORDER BY 2" \
        -c "SELECT 'sent', jsonb_build_object('round', round, 'country', country, 'visited', visited)::text, count(*), md5(ldp.ldp_agg(report, round)::bytea)
            FROM sent GROUP BY 2 ORDER BY 2"
}
state() {
    sql -c "SELECT n.nspname, t.relname, t.relkind, t.relowner::regrole, t.relacl FROM pg_class AS t JOIN pg_namespace AS n ON n.oid = t.relnamespace
            WHERE n.nspname !~ '^pg_|^information' ORDER BY 1, 2" -c "SELECT count(*), md5(string_agg(md5(report::bytea), '' ORDER BY report::bytea)) FROM sent" \
        -c "SELECT b.collection, b.submitter, b.batch FROM ldp_internal.ldp_batch AS b WHERE b.collection <> 'flow' ORDER BY 1, 2, 3" -c "SELECT extname FROM pg_extension ORDER BY 1" \
        -c "SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid <> 0 ORDER BY 1::text, 2, 3"
    stored
}

# Refusals change nothing -------------------------------------------------------------------------------------------
sql -c "CREATE TABLE public.private (report bytea, round integer, ldp_arrival bigint)" >/dev/null
state >before
# refused DIRECTION NAME TEXT PREPARE UNDO: both SQL commands of the owner of the database surround the refusal.
refused() {
    keeper -c "$4" >prepare.log 2>&1 || bad "$2" prepare.log
    run "$2" 1 env PGUSER="${by:-boss}" "$ldp" attach "$1"
    has err "$3"
    keeper -c "$5" >prepare.log 2>&1 || bad "$2, undone" prepare.log
    state >after
    check "$2 changes nothing" "" "$(diff before after | head -3)"
}
by=keeper refused --adopt "a role without the right" 'permission denied to create extension "ldp"' "SELECT 1" "SELECT 1"
refused --adopt "a prepared transaction" "prepared transactions use the tables of ldp: 'half'" \
    "BEGIN; INSERT INTO late (report) SELECT report FROM late LIMIT 1; PREPARE TRANSACTION 'half'" "ROLLBACK PREPARED 'half'"
refused --adopt "a dashboard" "view public.dashboard" "CREATE VIEW dashboard AS SELECT * FROM ldp.ldp_estimates" "DROP VIEW dashboard"
refused --adopt "a table of the owner" "table ldp.notes" "CREATE TABLE ldp.notes ()" "DROP TABLE ldp.notes"
refused --adopt "a domain in use" "column one of table public.copied" "CREATE TABLE copied (one ldp.ldp_report)" "DROP TABLE copied"
refused --adopt "a changed summary" 'the summaries of collection "gone" were changed' "UPDATE ldp.ldp_summaries SET summary = summary || '\x00' WHERE collection = 'gone'" \
    "UPDATE ldp.ldp_summaries SET summary = substr(summary, 1, octet_length(summary) - 1) WHERE collection = 'gone'"
refused --adopt "another block" 'the reports of collection "gone" have another spec' "UPDATE ldp_internal.ldp_collection SET parameters = set_byte(parameters, 20, 255) WHERE name = 'gone'" \
    "UPDATE ldp_internal.ldp_collection AS c SET parameters = decode(c.spec #>> '{derived,block}', 'hex') WHERE name = 'gone'"
refused --adopt "a copy of the database" 'collection "gone" is in a copy of its database' "UPDATE ldp_internal.ldp_refresh SET history = reverse(history)" \
    "UPDATE ldp_internal.ldp_refresh SET history = reverse(history)"
refused --adopt "a table of another role" "not tables of their owner: public.private" "UPDATE ldp_internal.ldp_collection SET reports = 'private' WHERE name = 'gone'" \
    "UPDATE ldp_internal.ldp_collection SET reports = 'gone' WHERE name = 'gone'"
refused --adopt "another version" "another version of ldp attach" "ALTER TABLE ldp_internal.ldp_refresh RENAME watermark TO mark" "ALTER TABLE ldp_internal.ldp_refresh RENAME mark TO watermark"
refused --from-extension "no extension" "the database does not have the extension ldp" "SELECT 1" "SELECT 1"
run "both ways" 2 "$ldp" attach --adopt --from-extension

# Clients that go on ------------------------------------------------------------------------------------------------
# One ldp submit and one endpoint continue through both changes.
history=$(sql -c "SELECT ldp_internal.ldp_history()")
stored >summaries
rows=4000
{ echo colour; seq $rows | awk '{ print ($1 % 2 ? "red" : "green") }'; } >long.csv
PGUSER=gateway "$ldp" submit --collection flow --batch 2 --state flow.ldp long.csv >flow.log 2>&1 &
flow=$!
"$ldp" collect --listen 127.0.0.1:0 --dsn user=gateway 2>endpoint.log &
endpoint=$!
for _ in $(seq 100); do
    port=$(sed -n 's|.*127\.0\.0\.1:\([0-9]*\).*|\1|p' endpoint.log | head -1)
    [ -n "$port" ] && break
    sleep 0.1
done
# post NAME: sends a file to the endpoint.
post() { run "over HTTP, $1" 0 "$ldp" submit --copy --state "http.$1.ldp" --to "http://127.0.0.1:$port" --collection late colours.csv; }
post before
# A session that waits for the tables is ended, and its client repeats the batch.
waits() { [ "$(sql -c "SELECT count(*) > 0 FROM pg_stat_activity WHERE usename = '$1' AND wait_event_type = 'Lock'")" = t ]; }

run "adopt" 0 "$ldp" attach --adopt
has err 'collection sent: table public.sent, summaries in the rollup sent_summaries, 1 invalid rows deleted'
has err 'collection late: table public.late, no summaries, all rows kept'
has err "the extension ldp has adopted 6 collections"
check "the submission goes on" t "$(kill -0 $flow 2>/dev/null && echo t)"
post adopted
check "the history is the same" "$history" "$(sql -c "SELECT ldp_internal.ldp_history()")"
stored >adopted
check "the stored summaries" "" "$(diff summaries adopted | head -5)"
check "a lost acknowledgement" 0 "$(batch)"
check "no report is doubled" 1503 "$(sql -c "SELECT count(*) FROM late")"
check "the trap" f "$(sql -c "SELECT rolsuper FROM pg_roles WHERE rolname = 'keeper'")"
check "the owner refreshes" 500 "$(keeper -c "SELECT ldp_refresh('sent_summaries')")"
stored | grep -E '^(panel|sent)' >adopted
counted >aggregated
check "the summaries equal ldp_agg" "" "$(diff aggregated adopted | head -5)"
check "there are summaries" 6 "$(wc -l <aggregated)"
check "deleted reports stay counted" 500 "$(keeper -c "SELECT ldp_count(summary) FROM gone_summaries")"
check "the reader" "500|t" "$(PGUSER=reader sql -c "SELECT ldp.ldp_count(ldp.ldp_summary_of('gone_summaries')), has_table_privilege('sent_summaries', 'SELECT') AND NOT has_table_privilege('sent', 'SELECT')")"
check "the gateway has no stamp" "t|f|f" "$(sql -c "SELECT has_column_privilege('gateway', 'sent', 'report', 'INSERT'), has_column_privilege('gateway', 'sent', 'ldp_arrival', 'INSERT'), has_table_privilege('gateway', 'sent', 'SELECT')")"
check "the owner creates nothing in ldp" f "$(sql -c "SELECT has_schema_privilege('keeper', 'ldp', 'CREATE')")"
check "texts" Colours "$(sql -c "SELECT ldp.ldp_client_spec('sent') ->> 'title'")"
check "closed rounds" 1 "$(gateway -c "INSERT INTO \"wave 2\".panel (report, round) VALUES ('$(sql -c "SELECT report FROM \"wave 2\".panel LIMIT 1")', 3)" 2>&1 | grep -c "round 3")"
check "the former schemas" 0 "$(sql -c "SELECT count(*) FROM pg_namespace WHERE nspname ~ 'ldp_attached'")"
run "adopt twice" 1 "$ldp" attach --adopt
has err "the database has the extension ldp already"
submit third sent --public country --public visited colours.csv
run "estimates" 0 env PGUSER=keeper "$ldp" estimate sent --by country

# The way back ------------------------------------------------------------------------------------------------------
sql -c "GRANT ldp_admin TO keeper" -c "GRANT CREATE ON SCHEMA public TO keeper" >/dev/null
create parted "$oue" "partition_by => 'round'"
create guarded "$oue" "analysts => 'aggregates'"
create invited "$oue"
keeper -c "SELECT ldp_create_rollup('months', 'sent', '{month(visited)}')" -c "SELECT ldp_create_hitters('words', 2, 'ab'), cardinality(ldp_create_tokens('invited', 2))" \
    -c "CREATE VIEW dashboard AS SELECT * FROM ldp_estimate('sent')" >err || bad "parts" err
state >before
refused --from-extension "parts without a counterpart" "Drop or change these parts first" "SELECT 1" "SELECT 1"
run "the parts" 1 "$ldp" attach --from-extension
for part in 'collection "guarded": only aggregates' 'collection "invited": reports need tokens' 'collection "parted": the table has partitions' 'rollup "months": units of time' 'search "words"' 'view public.dashboard uses the extension' \
    'the rollups are "months" and "sent_summaries"'; do has err "$part"; done
keeper -c "DROP VIEW dashboard" -c "SELECT ldp_drop_rollup('months'), ldp_drop_hitters('words'), ldp_drop_collection('parted'), ldp_drop_collection('guarded'), ldp_drop_collection('invited')" >err || bad "no parts" err
sql -c "REVOKE ldp_admin FROM keeper" >/dev/null
state >before
by=keeper refused --from-extension "a role that does not own the extension" "permission denied" "SELECT 1" "SELECT 1"
run "back" 0 "$ldp" attach --from-extension
has err "collection sent: table public.sent, summaries of the rollup sent_summaries"
has err "tables of ldp attach have replaced the extension for 6 collections"
has err "reader"
post back
check "the history is the same again" "$history" "$(sql -c "SELECT ldp_internal.ldp_history()")"
check "no extension" 0 "$(sql -c "SELECT count(*) FROM pg_extension WHERE extname = 'ldp'")"
check "all belongs to the owner" keeper "$(sql -c "SELECT string_agg(DISTINCT o, ',') FROM (SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname IN ('ldp', 'ldp_internal')
    UNION ALL SELECT relowner::regrole::text FROM pg_class WHERE relnamespace::regnamespace::text IN ('ldp', 'ldp_internal')
    UNION ALL SELECT proowner::regrole::text FROM pg_proc WHERE pronamespace::regnamespace::text IN ('ldp', 'ldp_internal')
    UNION ALL SELECT typowner::regrole::text FROM pg_type WHERE typnamespace::regnamespace::text IN ('ldp', 'ldp_internal')) AS a (o)")"
check "the lost acknowledgement again" 0 "$(batch)"
check "the trap again" f "$(sql -c "SELECT rolsuper FROM pg_roles WHERE rolname = 'keeper'")"
submit fourth sent --public country --public visited colours.csv
run "refresh" 0 env PGUSER=keeper "$ldp" refresh
has err "sent: 500 new reports"
has err "gone: 0 new reports"
has err "late: 2,003 new reports"
stored | grep -v '^gone' >after
sql -c "SELECT * FROM ldp.ldp_estimates WHERE collection <> 'gone' ORDER BY collection, \"group\"::text, attribute, label" >estimates.after
wait $flow
check "the submission ended well" 0 $?
tail -n 1 flow.log >flow.end
has flow.end "4,000 reports submitted"
check "each report of the submission once" "$rows" "$(sql -c "SELECT count(*) FROM flow")"
check "each batch once" "$rows" "$(sql -c "SELECT sum(reports) FROM ldp_internal.ldp_batch WHERE collection = 'flow'")"
kill $endpoint
wait $endpoint
run "all again" 0 env PGUSER=keeper "$ldp" refresh --recount sent late panel packed
stored | grep -v '^gone\|^flow' >recounted
check "the summaries equal those of all reports" "" "$(diff <(grep -v '^flow' after) recounted | head -5)"
check "the estimates, too" "" "$(diff <(grep -v '^flow' estimates.after) <(sql -c "SELECT * FROM ldp.ldp_estimates WHERE collection NOT IN ('gone', 'flow') ORDER BY collection, \"group\"::text, attribute, label") | head -5)"

# A client waits --------------------------------------------------------------------------------------------------
# Adoption waits for the transaction of one client; a second client waits for the adoption.
keeper -c "DELETE FROM sent" >/dev/null
coproc held { PGUSER=gateway psql -XqAt 2>&1; }
echo "BEGIN; INSERT INTO late (report, round) VALUES ('\\x$(cut -d, -f1 lost)', 0) RETURNING 'held';" >&"${held[1]}"
sleep 0.3
"$ldp" attach --adopt 2>adopt.log &
child=$!
for _ in $(seq 100); do waits boss && break; sleep 0.05; done
PGUSER=gateway "$ldp" submit --copy --state wait.ldp --collection late colours.csv >wait.log 2>&1 &
waiting=$!
for _ in $(seq 100); do waits gateway && break; sleep 0.05; done
check "adoption and a client wait" t "$(waits boss && waits gateway && echo t)"
was=$(sql -c "SELECT count(*) FROM pg_extension WHERE extname = 'ldp'")
check "nothing happened yet" 0 "$was"
echo "COMMIT;" >&"${held[1]}"
exec {held[1]}>&-
wait $child
check "the adoption ended well" 0 $?
wait $waiting
check "so did the client" 0 $?
check "all are there" 2504 "$(sql -c "SELECT count(*) FROM late")"
began=$(date +%s%3N)
run "back with a script" 0 bash -c '"$0" attach --from-extension --print | psql -Xq1 -v ON_ERROR_STOP=1' "$ldp"

took=$(($(date +%s%3N) - began))

# Kills -----------------------------------------------------------------------------------------------------------
# Everything or nothing, whichever of the command and the server is killed. After every second kill, the change is completed, so that
# both directions are killed.
invariant() {
    sql -c "SELECT (SELECT count(*) FROM late), (SELECT count(*) FROM ldp_internal.ldp_batch), (SELECT count(*) FROM pg_namespace WHERE nspname ~ '^ldp_(attached|extension)'),
        to_regclass('ldp_internal.ldp_refresh') IS NULL = EXISTS (SELECT FROM pg_extension WHERE extname = 'ldp')"
    stored
}
invariant >expected
set -m
killed=0
for ((i = 0; i < kills; ++i)); do
    way=--adopt
    [ "$(sql -c "SELECT count(*) FROM pg_extension WHERE extname = 'ldp'")" = 1 ] && way=--from-extension
    "$ldp" attach $way >>kills.log 2>&1 &
    child=$!
    sleep "$(printf '%d.%03d' $((pause = RANDOM % (took + 1), pause / 1000)) $((pause % 1000)))"
    kill -0 $child 2>/dev/null && killed=$((killed + 1))
    if ((RANDOM % 2)); then control -m immediate stop; control start; fi
    kill -9 $child 2>/dev/null
    wait $child 2>/dev/null
    for _ in $(seq 200); do [ "$(sql -c "SELECT count(*) FROM pg_stat_activity WHERE usename = 'boss' AND pid <> pg_backend_pid() AND backend_type = 'client backend'")" = 0 ] && break; sleep 0.05; done
    invariant >found
    check "everything or nothing, kill $i" "" "$(diff expected found | head -5)"
    if ((i % 2)) && [ "$(sql -c "SELECT count(*) FROM pg_extension WHERE extname = 'ldp'")" = "$([ $way = --from-extension ] && echo 1 || echo 0)" ]; then
        run "the change after kill $i" 0 "$ldp" attach $way
    fi
done
set +m
child=
check "kills in the middle" t "$([ $killed -gt 0 ] && echo t)"
if [ "$(sql -c "SELECT count(*) FROM pg_extension WHERE extname = 'ldp'")" = 0 ]; then run "adopt with a script" 0 bash -c '"$0" attach --adopt --print | psql -Xq1 -v ON_ERROR_STOP=1' "$ldp"; fi
check "the last replay" 0 "$(batch)"

# Another encoding, and the extension in another schema --------------------------------------------------------------
sql postgres -c "CREATE DATABASE latin OWNER keeper ENCODING LATIN1 LOCALE 'C' TEMPLATE template0" >/dev/null
export PGDATABASE=latin PGCLIENTENCODING=UTF8
sql -c "CREATE EXTENSION ldp" -c "GRANT ldp_admin TO keeper" -c "GRANT ALL ON SCHEMA public TO keeper" -c "GRANT USAGE ON SCHEMA public TO gateway" >/dev/null
PGUSER=keeper sql -c "SELECT ldp_create_collection('grün', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"attributes\": [{\"name\": \"colour\", \"domain\": [\"grün\", \"rot\"]}]}', ARRAY[['ort', 'text']])" \
    -c "SELECT ldp_create_rollup('summen', 'grün', '{ort}')" -c "GRANT INSERT ON \"grün\" TO gateway" >err || bad "latin" err
awk 'BEGIN { print "colour,ort"; for (i = 0; i < 90; ++i) print (i % 2 ? "grün" : "rot") "," (i % 3 ? "Köln" : "Ulm") }' >towns.csv
run "latin" 0 env PGUSER=gateway "$ldp" submit --state latin.ldp --collection grün --public ort towns.csv
run "latin, back" 0 "$ldp" attach --from-extension
has err "search_path"
run "latin, refresh" 0 env PGUSER=keeper "$ldp" refresh
has err "grün: 0 new reports"
stored >summaries
check "latin, groups" 2 "$(wc -l <summaries)"
run "latin, adopt" 0 "$ldp" attach --adopt
stored >adopted
check "latin, the summaries" "" "$(diff summaries adopted)"
# The trap works: it gives the owner the rights of a superuser who inserts a row.
sql survey -c "INSERT INTO sent (report, country) SELECT report, 'de' FROM late LIMIT 1" >/dev/null
check "the trap itself" t "$(sql -c "SELECT rolsuper FROM pg_roles WHERE rolname = 'keeper'")"
finish
