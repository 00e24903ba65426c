#!/usr/bin/env bash
# Collections on a server without the library, by a role that is no superuser: the first tutorial and the survey tutorial,
# the endpoint, and summaries with the bytes of the extension. Submitters and refreshes are killed at random moments, and
# every report counts once. LDP_KILLS says how often (default 8); LDP_SEED, when.
#
# Length: all parts use one server, which starts slowly.
. "$(dirname "$0")/../prelude.sh"
pg_config=${PG_CONFIG:-pg_config}
bin=$("$pg_config" --bindir)
if [ -e "$("$pg_config" --pkglibdir)/ldp.so" ]; then
    echo "the library is installed: no server is without it"
    exit 77
fi
kills=${LDP_KILLS:-8}
RANDOM=${LDP_SEED:-$$}
cd "$work" || exit 1
chmod 755 "$work"
create_databases ldp_attach
extension=(env PGHOST="$PGHOST" PGPORT="$PGPORT" PGUSER="$PGUSER" PGDATABASE=ldp_attach psql -XqAt -v ON_ERROR_STOP=1)
"${extension[@]}" -c "CREATE EXTENSION ldp" || exit 1

# The server ----------------------------------------------------------------------------------------------------
mkdir -m 777 bare socket
child=
control() { "$LDP_AS_SERVER" "$bin/pg_ctl" -D "$work/bare/data" -l "$work/bare/log" -w "$@" >/dev/null; }
at_exit() {
    if [ -n "$child" ]; then kill -9 -- "-$child" 2>/dev/null; fi
    control -m immediate stop
}
"$LDP_AS_SERVER" "$bin/initdb" -D "$work/bare/data" -U boss -A trust -E UTF8 --locale=C.UTF-8 --no-sync >initdb.log 2>&1 || { cat initdb.log; exit 1; }
printf "listen_addresses = ''\nunix_socket_directories = '%s'\nfsync = off\n" "$work/socket" |
    "$LDP_AS_SERVER" tee -a "$work/bare/data/postgresql.conf" >/dev/null
control start || exit 1
export PGHOST=$work/socket PGPORT=5432 PGUSER=boss PGDATABASE=postgres
sql -c "CREATE ROLE keeper LOGIN" -c "CREATE ROLE gateway LOGIN" -c "CREATE DATABASE survey OWNER keeper" >/dev/null
check "no extension is available" 0 "$(sql -c "SELECT count(*) FROM pg_available_extensions WHERE name = 'ldp'")"
maintenance=postgres databases=()
export PGUSER=keeper PGDATABASE=survey
check "no superuser" f "$(sql -c "SELECT rolsuper OR rolcreaterole OR rolcreatedb FROM pg_roles WHERE rolname = current_user")"

run "without attach" 1 "$ldp" estimate region
has err "use ldp attach"
run "the script" 0 "$ldp" attach --print
check "the script has at most 400 lines" t "$([ "$(wc -l <out)" -le 400 ] && echo t)"
run "attach" 0 "$ldp" attach
run "attach twice" 1 "$ldp" attach
has err "already exists"
sql -c "ALTER ROLE keeper SET search_path = public, ldp" >/dev/null
# PostgreSQL 15 and later let only the owner of the database create tables in public.
sql -c "GRANT USAGE ON SCHEMA public TO gateway" >/dev/null

# create NAME SPEC [ARGUMENTS]
create() {
    "$ldp" spec resolve "$2" >canonical.json 2>err || bad "the spec of $1" err
    sql -v name="$1" -v spec="$(cat canonical.json)" -f - >err <<<"SELECT ldp_create_collection(:'name', :'spec'${3:+, $3})" || bad "collection $1" err
}
# same NAME [COLUMN...]: the stored summaries are those that the extension counts from the same reports.
same() {
    local name=$1 columns=${2:-round}
    sql -c "SELECT ldp_client_spec('$name')" >same.json
    sql -c "\\copy (SELECT encode(report, 'hex'), round, ${3:-NULL::text} FROM \"$name\") TO 'same.copy'" >/dev/null
    "${extension[@]}" -c "CREATE TABLE same (report ldp_report, round integer, grp text)" -c "\\copy same FROM 'same.copy'"
    "${extension[@]}" -c "SELECT round, ${3:+coalesce(grp, 'NULL'),} count(*), ldp_agg(report, round) FROM same GROUP BY round${3:+, grp} ORDER BY round${3:+, coalesce(grp, 'NULL') COLLATE \"C\"}" >of_extension
    "${extension[@]}" -c "DROP TABLE same"
    sql -c "SELECT \"group\" ->> 'round', ${3:+coalesce(\"group\" ->> '$3', 'NULL'),} n, encode(summary, 'hex') FROM ldp.ldp_summaries WHERE collection = '$name'
        ORDER BY (\"group\" ->> 'round')::integer${3:+, coalesce(\"group\" ->> '$3', 'NULL') COLLATE \"C\"}" >of_refresh
    name="the summaries of $name"
    check "the summaries of $name equal the extension's" "" "$(diff of_extension of_refresh | cut -c 1-100 | head -5)"
    check "the summaries of $name exist" t "$([ -s of_refresh ] && echo t)"
}

# The first tutorial --------------------------------------------------------------------------------------------
# Its shell blocks, with the command of this test. Its collections, with specs in canonical form.
cat >blocks.py <<'PYTHON'
import json, re, subprocess, sys
page, kind, out = sys.argv[1:]
text = open(page, encoding="utf-8").read()
if kind == "sh":
    for number, block in enumerate(re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)):
        open(f"{out}.{number}.sh", "w", encoding="utf-8").write(block)
else:
    for name, spec, more in re.findall(r"ldp_create_collection\('(\w+)', '(\{.*?\})'(.*?)\);", text, re.DOTALL):
        print(name, json.dumps(json.loads(spec)), more.lstrip(", "), sep="\t")
PYTHON
mkdir first wave
python3 blocks.py "$root/doc/tutorial.md" sh first/block
while IFS=$'\t' read -r name spec more; do create "$name" "$spec" "$more"; done < <(python3 blocks.py "$root/doc/tutorial.md" sql -)
check "collections of the first tutorial" 6 "$(sql -c "SELECT count(*) FROM ldp_collections")"
mkdir path && ln -s "$ldp" path/ldp
# run_block PAGE NUMBER
run_block() { run "$1, block $2" 0 env -C "$1" PATH="$work/path:$PATH" bash -eu "block.$2.sh"; }
for block in 0 1 2 3 4; do run_block first $block; done
check "reports of the first tutorial" "20000|20000|20000|20000|20000|20000" "$(sql -c "SELECT string_agg(n, '|') FROM (SELECT
    (xpath('//c/text()', query_to_xml(format('SELECT count(*) AS c FROM %s', reports), false, true, '')))[1]::text AS n FROM ldp_collections) AS a")"
run "refresh" 0 "$ldp" refresh
has err "region: 20,000 new reports in 1 groups"
run "refresh again" 0 "$ldp" refresh
has err "region: 0 new reports in 0 groups"
for name in region wage screen page profile earnings; do same $name; done
run "groups" 0 "$ldp" refresh --by round,country wage
same wage round country
run "the tutorial's estimates" 0 "$ldp" estimate region --csv region.csv
check "the share of north" t "$(awk -F, '$2 == "north" { print (($5 > 0.35 && $5 < 0.45) ? "t" : $0); exit }' region.csv)"
check "estimates for dashboards" t "$(sql -c "SELECT count(*) = 4 AND sum(estimate) BETWEEN 0.9 AND 1.1 AND bool_and(lower < upper) FROM ldp_estimates WHERE collection = 'region'")"
run "by country" 0 "$ldp" estimate wage --by country
has out "fr"
run "a curve" 2 "$ldp" estimate wage --curve country
has err "requires the extension"

# The survey tutorial -------------------------------------------------------------------------------------------
python3 blocks.py "$root/doc/survey-tutorial.md" sh wave/block
run_block wave 0
run_block wave 2
create living "$(cat wave/survey.json)" "ARRAY[['region', 'text']]"
sql -c "SELECT ldp_open_rounds('living', 0, 1)" >/dev/null
run_block wave 3
run "refresh of the survey" 0 "$ldp" refresh --by round,region living
has err "living: 24,000 new reports in 6 groups"
same living round region
run_block wave 4
has out "Living conditions"
tr '\n' ' ' <out >joined
has joined "In round 1, 15,000 people were asked; the response rate is 80.0"
has wave/living.html "islands"
check "the survey's drawing" t "$([ -s wave/survey.svg ] && echo t)"

# Every mechanism: reports of a device, and batches ----------------------------------------------------------------
# The clients' insertions, by ldp_insert and by ldp_submit_batch, and the digests of batches.
create sent '{"mechanism": "oue", "epsilon": 1, "attributes": [{"name": "colour", "domain": ["red", "green", "blue"]}]}' "ARRAY[['country', 'text']]"
awk 'BEGIN { print "colour,country"; for (i = 0; i < 500; ++i) print (i % 2 ? "red" : "blue") "," (i % 3 ? "de" : "fr") }' >colours.csv
sql -c "GRANT INSERT ON sent TO gateway" >/dev/null
run "by insert" 0 env PGUSER=gateway "$ldp" submit --collection sent --public country --batch 50 colours.csv
run "by call" 0 env PGUSER=gateway "$ldp" submit --copy --state call.ldp --collection sent --public country --method call --batch 50 colours.csv
check "both" 1000 "$(sql -c "SELECT count(*) FROM sent")"
reports=$(sql -c "SELECT string_agg(encode(report, 'hex'), ',') FROM (SELECT report FROM sent LIMIT 3) AS r")
check "digests equal the extension's" "$("${extension[@]}" -c "SELECT ldp_batch_digest('{$reports}', 3, '{\"b\": \"ü\", \"a\": \"x:1\"}')")" \
    "$(sql -c "SELECT ldp_batch_digest('{$reports}', 3, '{\"b\": \"ü\", \"a\": \"x:1\"}')")"
run "refresh by country" 0 "$ldp" refresh --by round,country sent
same sent round country
check "a submitter reads nothing" 1 "$(PGUSER=gateway sql -c "SELECT FROM sent" 2>&1 | grep -c "permission denied")"
check "and has no tokens" 1 "$(PGUSER=gateway sql -c "SELECT ldp.ldp_claim_batch('sent', gen_random_uuid(), 1, sha256(''), sha256('token'))" 2>&1 | grep -c "tokens require the extension ldp")"
check "and writes no claims" 1 "$(PGUSER=gateway sql -c "INSERT INTO ldp_internal.ldp_batch VALUES ('sent', 'x', gen_random_uuid(), 1, sha256(''))" 2>&1 | grep -c "permission denied")"
# The checks run with their own search path: functions of a submitter's schema do not replace those of PostgreSQL.
PGUSER=boss sql -c "CREATE SCHEMA gateways AUTHORIZATION gateway" >/dev/null
cat >replaced.sql <<'SQL'
CREATE FUNCTION gateways.octet_length(bytea) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN
    RETURN (SELECT report_bytes FROM ldp_internal.ldp_collection WHERE name = 'sent'); END $$;
CREATE FUNCTION gateways.substr(bytea, integer, integer) RETURNS bytea LANGUAGE plpgsql AS $$ BEGIN
    RETURN (SELECT parameters FROM ldp_internal.ldp_collection WHERE name = 'sent'); END $$;
SET search_path = gateways, pg_catalog;
INSERT INTO public.sent (report, country, round) VALUES (pg_catalog.decode('0200' || pg_catalog.repeat('ab', 60), 'hex'), 'DE', 0);
SQL
check "functions of a submitter replace none of the checks" 1 "$(PGUSER=gateway sql -f replaced.sql 2>&1 | grep -c report_follows_spec)"
create packed '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "colour", "domain": ["red", "green", "blue"]}]}' "ARRAY[['country', 'text']], rows => 'batches'"
sql -c "GRANT INSERT ON packed TO gateway" >/dev/null
run "batches in rows" 0 env PGUSER=gateway "$ldp" submit --copy --state packed.ldp --collection packed --public country --batch 50 colours.csv
run "refresh of batches" 0 "$ldp" refresh --by country packed
has err "packed: 500 new reports in 2 groups"

# The endpoint
"$ldp" collect --listen 127.0.0.1:0 --dsn user=gateway 2>endpoint.log &
endpoint=$!
for _ in $(seq 100); do
    port=$(sed -n 's|.*127\.0\.0\.1:\([0-9]*\).*|\1|p' endpoint.log | head -1)
    [ -n "$port" ] && break
    sleep 0.1
done
run "over HTTP" 0 "$ldp" submit --copy --state http.ldp --to "http://127.0.0.1:$port" --collection sent --public country colours.csv
kill $endpoint
wait $endpoint
check "reports of the endpoint" 1500 "$(sql -c "SELECT count(*) FROM sent")"

# A report with the right block and length that no device makes is skipped.
sql -c "INSERT INTO region (report) SELECT set_byte(report, octet_length(report) - 1, 255) FROM region LIMIT 1" >/dev/null
run "a forged report" 0 "$ldp" refresh region
has err "1 invalid ones skipped"
check "which is counted" 1 "$(sql -c "SELECT skipped FROM ldp_internal.ldp_refresh WHERE collection = 'region'")"
check "another block" 1 "$(sql -c "INSERT INTO region SELECT set_byte(report, 10, 255) FROM region LIMIT 1" 2>&1 | grep -c report_follows_spec)"
sql -c "UPDATE ldp.ldp_summaries SET summary = set_byte(summary, octet_length(summary) - 1, 1) WHERE collection = 'region'" >/dev/null
run "a summary that was changed" 1 "$ldp" refresh region
has err "were changed"
sql -c "DELETE FROM region WHERE get_byte(report, octet_length(report) - 1) = 255" >/dev/null
run "all again" 0 "$ldp" refresh --recount region
has err "region: 20,000 new reports in 1 groups"
same region

# Kills -----------------------------------------------------------------------------------------------------------
spec='{"mechanism": "olh", "epsilon": 1, "domain": 100}'
create killed "$spec"
rows=$((1000 + 300 * kills))
{ echo value; seq "$rows" | awk '{ print $1 % 100 }'; } >values.csv
set -m  # each child leads a group of its own, and dies with it
submitting() { exec "$ldp" submit --collection killed --batch 5 --state killed.ldp values.csv; }
refreshing() { while :; do "$ldp" refresh killed; done; }
submitter= middle=0
for ((i = 0; i < kills; ++i)); do
    if [ -z "$submitter" ] || ! kill -0 "$submitter" 2>/dev/null; then
        submitting >>log.submit 2>&1 &
        submitter=$!
    fi
    if [ -z "$child" ] || ! kill -0 "$child" 2>/dev/null; then
        refreshing >>log.refresh 2>&1 &
        child=$!
    fi
    sleep "0.$(printf '%03d' $((RANDOM % 400)))"
    kill -0 "$submitter" 2>/dev/null && middle=$((middle + 1))
    case $((RANDOM % 5)) in
        0) control -m immediate stop && control start ;;
        1 | 2) kill -9 -- "-$submitter" 2>/dev/null; wait "$submitter" 2>/dev/null ;;
        *) kill -9 -- "-$child" 2>/dev/null; wait "$child" 2>/dev/null ;;
    esac
done
kill -9 -- "-$child" "-$submitter" 2>/dev/null
wait 2>/dev/null
child=
check "kills while reports were sent" t "$([ $middle -gt 0 ] && echo t)"
for _ in 1 2 3 4 5 6; do (submitting) >>log.submit 2>&1 && break; sleep 1; done
"$ldp" refresh killed >>log.refresh 2>&1 &
"$ldp" refresh killed >>log.refresh 2>&1 &
wait
run "the last refresh" 0 "$ldp" refresh killed
check "nothing is lost, nothing doubled" "$rows|$rows|$rows" \
    "$(sql -c "SELECT (SELECT count(*) FROM killed), (SELECT count(DISTINCT report) FROM killed), (SELECT sum(n) FROM ldp.ldp_summaries WHERE collection = 'killed')")"
same killed
finish
