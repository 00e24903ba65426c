#!/usr/bin/env bash
# Copies of a database, made in every other way than by a dump: a standby and its promotion, a logical subscriber,
# pg_upgrade. They give the same answers bit by bit, and know which batches were counted.
. "$(dirname "$0")/../prelude.sh"
bin=$("${PG_CONFIG:-pg_config}" --bindir)
server=$(dirname "$LDP_AS_SERVER")
control() { "$LDP_AS_SERVER" "$bin/pg_ctl" -D "$server/$1" -l "$server/$1.log" -w "${@:2}" >/dev/null; }
at_exit() {
    for copy in standby upgraded; do
        if [ -e "$server/$copy/postmaster.pid" ]; then control $copy -m immediate stop; fi
        rm -rf "${server:?}/$copy"
    done
    control data status || control data start
    sql "$maintenance" -c "ALTER SYSTEM RESET wal_level" >/dev/null
}
cd "$work" || exit 1
create_databases ldp_copies ldp_subscriber

sql >log <<'SQL' || { cat log; exit 1; }
CREATE EXTENSION ldp;
SELECT ldp_create_collection('colour', '{"mechanism": "oue", "epsilon": 1, "domain": ["red", "green", "blue"]}');
SELECT ldp_create_collection('wage', '{"mechanism": "pdp", "epsilon": 1, "attributes": [{"name": "wage", "min": 0, "max": 1000}]}');
CREATE MATERIALIZED VIEW daily AS SELECT round, ldp_agg(report) AS summary FROM wage GROUP BY round;
SQL
{ echo colour,wage; seq 2000 | awk '{ print ($1 % 3 ? "red" : "blue") "," $1 % 1000 }'; } >people.csv
submit() { "$ldp" submit --collection "$1" --batch 500 --column "$2" people.csv 2>log || bad "submitting $1" log; }
submit colour value=colour
submit wage wage
sql -c "REFRESH MATERIALIZED VIEW daily"
questions=("SELECT * FROM ldp_estimate('colour')" "SELECT * FROM ldp_estimate('wage')"
    "SELECT * FROM ldp_top(ldp_summary_of('colour'), 2)" "SELECT ldp_agg(report) FROM wage"
    "SELECT * FROM daily" "SELECT * FROM ldp_batch ORDER BY batch")
batch=$(sql -c "SELECT batch FROM ldp_batch WHERE collection = 'colour' LIMIT 1")
# same WHERE PSQL-ARGUMENT...: the first copy of $questions, or those of the variable only.
same() {
    local question
    for question in "${questions[@]}"; do
        check "$1: $question" "$(sql ldp_copies -c "$question")" "$(sql "${@:2}" -c "$question")"
    done
}
claim="SELECT ldp_claim_batch('colour', '$batch', 500, (SELECT digest FROM ldp_batch WHERE batch = '$batch'))"

# A standby ---------------------------------------------------------------------------------------------------
"$LDP_AS_SERVER" "$bin/pg_basebackup" -h "$PGHOST" -U "$PGUSER" -D "$server/standby" -R -c fast --no-sync 2>log || bad "pg_basebackup" log
echo "port = 5433" | "$LDP_AS_SERVER" tee -a "$server/standby/postgresql.auto.conf" >/dev/null
control standby start || bad "the standby does not start" "$server/standby.log"
on_standby=(-p 5433 -d ldp_copies)
"$ldp" submit --collection wage --column wage --state second.ldp people.csv 2>log || bad "submitting while it follows" log
sent=$(sql -c "SELECT pg_current_wal_lsn()")
for ((i = 0; i < 100; ++i)); do
    [ "$(sql "${on_standby[@]}" -c "SELECT pg_last_wal_replay_lsn() >= '$sent'")" = t ] && break
    sleep 0.1
done
same standby "${on_standby[@]}"
check "it followed" 4000 "$(sql "${on_standby[@]}" -c 'SELECT count(*) FROM wage')"
name="submitting to a standby"
run "$name" 4 "$ldp" submit --dsn "port=5433 dbname=ldp_copies" --retry-for 0.2 --collection colour --column value=colour --state third.ldp people.csv
has err "read-only transaction"
control standby promote
check "promoted: a batch counted before is not counted again" f "$(sql "${on_standby[@]}" -c "$claim")"
run "submitting once it is promoted" 0 "$ldp" submit --dsn "port=5433 dbname=ldp_copies" --collection colour --column value=colour --state third.ldp people.csv
check "and it counted" 4000 "$(sql "${on_standby[@]}" -c 'SELECT count(*) FROM colour')"
control standby -m immediate stop

# A logical subscriber ----------------------------------------------------------------------------------------
# Its collections are created there; what is published are their tables, and the counted batches.
sql -c "ALTER SYSTEM SET wal_level = logical"
control data -m fast restart
sql -c "CREATE PUBLICATION reports FOR TABLE colour, wage, ldp_batch" \
    -c "SELECT pg_create_logical_replication_slot('ldp_copies', 'pgoutput')" >/dev/null
sql ldp_subscriber >log <<SQL || { cat log; exit 1; }
CREATE EXTENSION ldp;
SELECT ldp_create_collection('colour', '$(sql -c "SELECT ldp_client_spec('colour')")');
SELECT ldp_create_collection('wage', '$(sql -c "SELECT ldp_client_spec('wage')")');
CREATE SUBSCRIPTION reports CONNECTION 'dbname=ldp_copies host=$PGHOST user=$PGUSER' PUBLICATION reports
    WITH (create_slot = false, slot_name = 'ldp_copies');
SQL
"$ldp" submit --collection wage --column wage --state fourth.ldp people.csv 2>log || bad "submitting while it subscribes" log
for ((i = 0; i < 200; ++i)); do
    [ "$(sql ldp_subscriber -c "SELECT (SELECT count(*) FROM wage), (SELECT count(*) FROM colour), (SELECT count(*) FROM ldp_batch)")" = \
        "$(sql -c "SELECT (SELECT count(*) FROM wage), (SELECT count(*) FROM colour), (SELECT count(*) FROM ldp_batch)")" ] && break
    sleep 0.1
done
check "it subscribed" 6000 "$(sql ldp_subscriber -c 'SELECT count(*) FROM wage')"
all=("${questions[@]}")
questions=("${all[@]:0:4}" "${all[5]}")
same subscriber ldp_subscriber
questions=("${all[@]}")
check "subscribed: a batch counted before is not counted again" f "$(sql ldp_subscriber -c "$claim")"
sql ldp_subscriber -c "ALTER SUBSCRIPTION reports DISABLE" -c "ALTER SUBSCRIPTION reports SET (slot_name = NONE)" \
    -c "DROP SUBSCRIPTION reports"
sql -c "SELECT pg_drop_replication_slot('ldp_copies')" -c "DROP PUBLICATION reports" >/dev/null

# pg_upgrade --------------------------------------------------------------------------------------------------
sql -c "REFRESH MATERIALIZED VIEW daily" >/dev/null
answers=()
for question in "${questions[@]}"; do answers+=("$(sql -c "$question")"); done
control data -m fast stop
"$LDP_AS_SERVER" "$bin/initdb" -D "$server/upgraded" -U "$PGUSER" -A trust -E UTF8 --locale=C.UTF-8 --no-sync >log 2>&1 || bad initdb log
"$LDP_AS_SERVER" cp "$server/data/postgresql.conf" "$server/upgraded/"
if "$LDP_AS_SERVER" "$bin/pg_upgrade" -b "$bin" -B "$bin" -d "$server/data" -D "$server/upgraded" -U "$PGUSER" -s "$server" \
    --no-sync >log 2>&1 || "$LDP_AS_SERVER" "$bin/pg_upgrade" -b "$bin" -B "$bin" -d "$server/data" -D "$server/upgraded" -U "$PGUSER" -s "$server" >log 2>&1; then
    control upgraded start
    for i in "${!questions[@]}"; do
        check "upgraded: ${questions[i]}" "${answers[i]}" "$(sql -c "${questions[i]}")"
    done
    check "upgraded: a batch counted before is not counted again" f "$(sql -c "$claim")"
    check "upgraded: a foreign report is refused" 1 \
        "$(sql -c "INSERT INTO colour SELECT report FROM wage LIMIT 1" | grep -c 'made for another collection')"
    control upgraded -m fast stop
else
    bad pg_upgrade log
fi
finish
