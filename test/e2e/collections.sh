#!/usr/bin/env bash
# Collections beside what happens in a database: they are dropped while others submit, their tables come from a dump or
# another server without their registration, and the database's text is not UTF-8.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
here=ldp_collections there=ldp_collections_there latin=ldp_collections_latin
create_databases $here $there
spec='{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'
sql $here -c "CREATE EXTENSION ldp" -c "SELECT ldp_create_collection('colour', '$spec')" >/dev/null
report=$(sql $here -c "SELECT encode(ldp_internal.ldp_spec_parameters('$spec'), 'hex') || '01'")

# Dropping while others submit ------------------------------------------------------------------------------
# A session of its own that runs commands step by step.
session() {
    coproc PSQL { psql -XqAt -d "$here" 2>&1; }
}
tell() { printf '%s\n\\echo done\n' "$1" >&"${PSQL[1]}"; }
answered() {
    local line
    while IFS= read -r -t 20 -u "${PSQL[0]}" line && [ "$line" != done ]; do echo "$line"; done
}
leave() { printf '\\q\n' >&"${PSQL[1]}"; wait "$PSQL_PID" 2>/dev/null; }
# until_waiting FUNCTION: until a session that calls it waits for a lock.
until_waiting() {
    local tries
    for tries in $(seq 200); do
        [ "$(sql $here -c "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%$1%' AND pid <> pg_backend_pid()")" != 0 ] && return
        sleep 0.02
    done
    bad "nobody waits in $1 after $tries tries"
}
session
tell "BEGIN; SELECT ldp_claim_batch('colour', gen_random_uuid(), 1, sha256('a'));"
answered >/dev/null
sql $here -c "SELECT ldp_drop_collection('colour')" >"$work/dropped" &
dropping=$!
until_waiting ldp_drop_collection
tell "INSERT INTO colour (report) VALUES ('$report'); COMMIT; SELECT 'counted';"
check "who was first ends first" counted "$(answered)"
wait $dropping
check "then the collection is dropped" "" "$(cat "$work/dropped")"

sql $here -c "SELECT ldp_create_collection('colour', '$spec')" >/dev/null
tell "BEGIN; SELECT ldp_drop_collection('colour');"
answered >/dev/null
sql $here -c "SELECT ldp_submit_batch('colour', gen_random_uuid(), ARRAY['$report']::ldp_report[])" >"$work/submitted" &
submitting=$!
until_waiting ldp_submit_batch
tell "COMMIT; SELECT 'dropped';"
check "who drops first ends first" dropped "$(answered)"
wait $submitting
check "a dropped collection accepts no reports" 'ERROR:  collection "colour" does not exist' "$(head -n 1 "$work/submitted")"
leave

# Concurrent sessions: every outcome has the correct error, and there is no deadlock.
sql $here -c "SELECT ldp_create_collection('colour', '$spec')" >/dev/null
crowd=()
for way in "SELECT ldp_submit_batch('colour', gen_random_uuid(), ARRAY['$report']::ldp_report[]);" "SELECT ldp_submit('colour', '$report');" \
    "BEGIN; SELECT ldp_claim_batch('colour', gen_random_uuid(), 1, sha256('a')); INSERT INTO colour (report) VALUES ('$report'); COMMIT;" \
    "SELECT n FROM ldp_estimate('colour');" "SELECT ldp_open_rounds('colour', 0, 3);"; do
    for i in $(seq 60); do echo "$way"; done | psql -XqAt -v VERBOSITY=sqlstate -d $here >"$work/crowd.${#crowd[@]}" 2>&1 &
    crowd+=($!)
done
# However long a loaded machine takes.
for i in $(seq 400); do grep -qx 1 "$work"/crowd.* && break; sleep 0.05; done
for i in $(seq 15); do
    echo "SELECT ldp_drop_collection('colour'); SELECT ldp_create_collection('colour', '$spec'); SELECT pg_sleep(0.03);"
done | psql -XqAt -v VERBOSITY=sqlstate -d $here >"$work/drops" 2>&1
wait "${crowd[@]}"
check "all drops went through" 0 "$(grep -c ERROR "$work/drops")"
# No collection, no table, or in a transaction that such an error has ended.
check "and there was no error but that it was gone" "" \
    "$(cat "$work"/crowd.* | grep ERROR | grep -vE '(42704|42P01|25P02)$' | sort | uniq -c)"
check "something was counted on the way" yes "$(grep -qx 1 "$work"/crowd.* && echo yes)"
check "every batch that is on record is there" t "$(sql $here -c "SELECT (SELECT count(*) FROM ldp_internal.ldp_batch) <= (SELECT count(*) FROM colour)")"

# A table that comes alone -----------------------------------------------------------------------------------
sql $here >/dev/null <<SQL
SELECT ldp_create_collection('visit', '$spec', ARRAY[['country', 'text']]);
SELECT ldp_open_rounds('visit', 0, 4);
INSERT INTO visit SELECT (encode(ldp_internal.ldp_spec_parameters('$spec'), 'hex') || lpad(to_hex(i % 3), 2, '0'))::ldp_report, i % 5, 'de' FROM generate_series(1, 300) AS i;
SQL
sql $there -c "CREATE EXTENSION ldp"
pg_dump -t visit $here | sql $there | grep -v '^$' >"$work/restore.log"
check "the table comes with its rules" "" "$(cat "$work/restore.log")"
check "but is no collection" 0 "$(sql $there -c "SELECT count(*) FROM ldp_collections")"
check "it is adopted" "" "$(sql $there -c "SELECT ldp_adopt_collection('visit', 'visit', '$spec')")"
check "with the same answers" "$(sql $here -c "SELECT * FROM ldp_estimate('visit')")" "$(sql $there -c "SELECT * FROM ldp_estimate('visit')")"
check "the same rounds" "$(sql $here -c "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'round_is_open' AND conrelid = 'visit'::regclass")" \
    "$(sql $there -c "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'round_is_open' AND conrelid = 'visit'::regclass")"
check "and the same spec, to the byte" "$(sql $here -c "SELECT ldp_client_spec('visit')")" "$(sql $there -c "SELECT ldp_client_spec('visit')")"
# What a subscriber has: columns, and rows that nothing checked.
sql $there -c "CREATE TABLE copied (report ldp_report, round integer, country text)" -c "INSERT INTO copied SELECT * FROM visit" >/dev/null
check "rows that nothing checked are checked" "" "$(sql $there -c "SELECT ldp_adopt_collection('copied', 'copied', '$spec')")"
check "and count" 300 "$(sql $there -c "SELECT sum(ldp_count(summary)) FROM unnest(ldp_groups_of('copied', '{round}'))")"
sql $there -c "CREATE TABLE mixed (report ldp_report, round integer)" -c "INSERT INTO mixed SELECT report, round FROM visit LIMIT 3" \
    -c "INSERT INTO mixed SELECT (encode(ldp_internal.ldp_spec_parameters(s), 'hex') || '00')::ldp_report, 0 FROM (SELECT '{\"mechanism\": \"grr\", \"epsilon\": 9, \"domain\": 3}'::jsonb) AS q (s)" >/dev/null
check "one report of another spec is found" 1 "$(sql $there -c "SELECT ldp_adopt_collection('mixed', 'mixed', '$spec')" | grep -c 'made for another collection')"

# Another encoding ------------------------------------------------------------------------------------------
PGDATABASE=$maintenance psql -Xqc "CREATE DATABASE $latin ENCODING LATIN1 LOCALE 'C' TEMPLATE template0" || exit 1
databases+=("$latin")
latin1() { PGCLIENTENCODING=UTF8 sql $latin "$@"; }
latin1 -c "CREATE EXTENSION ldp"
check "names and labels are text" "é|grün|3" "$(latin1 <<'SQL' | tail -n 1
SELECT ldp_create_collection('é', '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "café", "domain": ["rouge", "grün"]}]}', ARRAY[['été', 'text']]);
INSERT INTO "é" SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('é')), 'hex') || '01')::ldp_report, 0, 'ü' FROM generate_series(1, 3);
SELECT c.name, e.label, e.n FROM ldp_collections AS c, ldp_estimate(c.name) AS e WHERE e.label = 'grün' AND e.attribute = 'café';
SQL
)"
check "a label is found by name" 1 "$(latin1 -c "SELECT value FROM ldp_labels(ldp_summary_of('é')) WHERE label = 'grün' AND attribute = 'café'")"
check "groups, too" '{"été": "ü"}' "$(latin1 -c "SELECT group_key FROM unnest(ldp_groups_of('é', ARRAY['été']))")"
check "its fingerprint is that of everywhere" "$(sql $here -c "SELECT (ldp_spec_info('{\"mechanism\": \"grr\", \"epsilon\": 1, \"attributes\": [{\"name\": \"café\", \"domain\": [\"rouge\", \"grün\"]}]}')).fingerprint")" \
    "$(latin1 -c "SELECT fingerprint FROM ldp_collections WHERE name = 'é'")"
refusal() { latin1 -v VERBOSITY=sqlstate -c "$1" | grep -o '[0-9A-Z]\{5\}$'; }
check "words that are unknown are invalid, not unreadable" "22023 22023 22023 22023 22023 22023" "$(
    for call in "ldp_proportion(ldp_summary_of('é'), 'ocré')" "ldp_consistent(ldp_summary_of('é'), 'é')" "ldp_consistent(ldp_summary_of('é'), 'é')" \
        "ldp_top(ldp_summary_of('é'), p_adjust => 'é')" "ldp_estimate('é', confidence => 0.9, target => 'é')" "ldp_proportion(ldp_summary_of('é'), 'rouge', 'é')"; do
        refusal "SELECT $call"
    done | xargs)"
check "in the aggregates as well" 22023 "$(refusal "SELECT ldp_proportion(report, 'ocré') FROM \"é\"")"
check "and they are quoted as they were" 'ERROR:  unknown method "é"' "$(latin1 -c "SELECT ldp_consistent(ldp_summary_of('é'), 'é')" | head -n 1)"
check "a search has letters of it" mots_1 "$(latin1 -c "SELECT ldp_create_hitters('mots', 2, 'éü')")"
check "a spec with what the database cannot hold is refused before" 22P05 "$(refusal "SELECT (ldp_spec_info('{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": [\"\\u0416\", \"b\"]}')).canonical")"

finish
