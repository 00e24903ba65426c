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
create_databases ldp_duplicates ldp_subscriber

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
    "SELECT * FROM daily" "SELECT * FROM ldp_internal.ldp_batch ORDER BY batch")
batch=$(sql -c "SELECT batch FROM ldp_internal.ldp_batch WHERE collection = 'colour' LIMIT 1")
# same WHERE PSQL-ARGUMENT...: the first copy of $questions, or those of the variable only.
same() {
    local question
    for question in "${questions[@]}"; do
        check "$1: $question" "$(sql ldp_duplicates -c "$question")" "$(sql "${@:2}" -c "$question")"
    done
}
claim="SELECT ldp_claim_batch('colour', '$batch', 500, (SELECT digest FROM ldp_internal.ldp_batch WHERE batch = '$batch'))"

# A standby ---------------------------------------------------------------------------------------------------
"$LDP_AS_SERVER" "$bin/pg_basebackup" -h "$PGHOST" -U "$PGUSER" -D "$server/standby" -R -c fast --no-sync 2>log || bad "pg_basebackup" log
echo "port = 5433" | "$LDP_AS_SERVER" tee -a "$server/standby/postgresql.auto.conf" >/dev/null
control standby start || bad "the standby does not start" "$server/standby.log"
on_standby=(-p 5433 -d ldp_duplicates)
"$ldp" submit --collection wage --column wage --copy --state second.ldp people.csv 2>log || bad "submitting while it follows" log
sent=$(sql -c "SELECT pg_current_wal_lsn()")
for ((i = 0; i < 100; ++i)); do
    [ "$(sql "${on_standby[@]}" -c "SELECT pg_last_wal_replay_lsn() >= '$sent'")" = t ] && break
    sleep 0.1
done
same standby "${on_standby[@]}"
check "it followed" 4000 "$(sql "${on_standby[@]}" -c 'SELECT count(*) FROM wage')"
name="submitting to a standby"
run "$name" 4 "$ldp" submit --dsn "port=5433 dbname=ldp_duplicates" --retry-for 0.2 --collection colour --column value=colour --copy --state third.ldp people.csv
has err "standby"
control standby promote
check "promoted: a batch counted before is not counted again" f "$(sql "${on_standby[@]}" -c "$claim")"
run "submitting once it is promoted" 0 "$ldp" submit --dsn "port=5433 dbname=ldp_duplicates" --collection colour --column value=colour --copy --state third.ldp people.csv
check "and it counted" 4000 "$(sql "${on_standby[@]}" -c 'SELECT count(*) FROM colour')"
control standby -m immediate stop

# A logical subscriber ----------------------------------------------------------------------------------------
# Its collections are created there; what is published are their tables, and the counted batches.
sql -c "ALTER SYSTEM SET wal_level = logical"
control data -m fast restart
sql -c "CREATE PUBLICATION reports FOR TABLE colour, wage, ldp_internal.ldp_batch" \
    -c "SELECT pg_create_logical_replication_slot('ldp_duplicates', 'pgoutput')" >/dev/null
sql ldp_subscriber >log <<SQL || { cat log; exit 1; }
CREATE EXTENSION ldp;
SELECT ldp_create_collection('colour', '$(sql -c "SELECT ldp_client_spec('colour')")');
SELECT ldp_create_collection('wage', '$(sql -c "SELECT ldp_client_spec('wage')")');
CREATE SUBSCRIPTION reports CONNECTION 'dbname=ldp_duplicates host=$PGHOST user=$PGUSER' PUBLICATION reports
    WITH (create_slot = false, slot_name = 'ldp_duplicates');
SQL
"$ldp" submit --collection wage --column wage --copy --state fourth.ldp people.csv 2>log || bad "submitting while it subscribes" log
for ((i = 0; i < 200; ++i)); do
    [ "$(sql ldp_subscriber -c "SELECT (SELECT count(*) FROM wage), (SELECT count(*) FROM colour), (SELECT count(*) FROM ldp_internal.ldp_batch)")" = \
        "$(sql -c "SELECT (SELECT count(*) FROM wage), (SELECT count(*) FROM colour), (SELECT count(*) FROM ldp_internal.ldp_batch)")" ] && break
    sleep 0.1
done
check "it subscribed" 6000 "$(sql ldp_subscriber -c 'SELECT count(*) FROM wage')"
all=("${questions[@]}")
questions=("${all[@]:0:4}" "${all[5]}")
same subscriber ldp_subscriber
questions=("${all[@]}")
check "subscribed: a batch counted before is not counted again" f "$(sql ldp_subscriber -c "$claim")"
unsubscribe() {
    sql ldp_subscriber -c "ALTER SUBSCRIPTION $1 DISABLE" -c "ALTER SUBSCRIPTION $1 SET (slot_name = NONE)" -c "DROP SUBSCRIPTION $1"
    for ((i = 0; i < 100; ++i)); do   # the process that sends may still be there
        [ "$(sql -c "SELECT count(*) FROM pg_replication_slots WHERE slot_name = '$2' AND active")" = 0 ] && break
        sleep 0.1
    done
    sql -c "SELECT pg_drop_replication_slot('$2')" -c "DROP PUBLICATION $1" >/dev/null
}
unsubscribe reports ldp_duplicates

# With rollups on both sides, each stamps what arrives and counts it once, and prunes for itself. Lists of columns are published
# since PostgreSQL 15.
if [ "$(sql -c "SHOW server_version_num")" -ge 150000 ]; then
    spec='{"mechanism": "grr", "epsilon": 1, "domain": 5}'
    visits="SELECT ldp_create_collection('visits', '$spec', ARRAY[['seen', 'timestamptz'], ['country', 'text']], partition_by => 'seen');
        SELECT ldp_add_partitions('visits', '2026-01-05', since => '2026-01-01');
        SELECT ldp_create_rollup('visits_daily', 'visits', '{day(seen),country}')"
    # visit COUNT COUNTRY
    visit() {
        sql -c "INSERT INTO visits (report, round, seen, country)
            SELECT (encode(ldp_internal.ldp_spec_parameters('$spec'), 'hex') || '0' || i % 5)::ldp_report, 0, timestamptz '2026-01-01' + i % 90 * interval '1 hour', '$2'
            FROM generate_series(1, $1) AS i"
    }
    arrived() {
        for ((i = 0; i < 200; ++i)); do
            [ "$(sql ldp_subscriber -c 'SELECT count(*) FROM visits')" = "$1" ] && return
            sleep 0.1
        done
        bad "of visits, $1 arrive" "$server/data.log"
    }
    refresh() { sql "$1" -c "SELECT ldp_refresh('visits_daily')"; }
    buckets="SELECT bucket, ldp_count(summary), summary FROM visits_daily ORDER BY bucket"
    anew="SELECT ldp_internal.ldp_bucket_key(ARRAY[to_char(seen AT TIME ZONE 'UTC', 'YYYY-MM-DD 00:00:00+00'), country]), count(*), ldp_agg(report, round) FROM visits GROUP BY 1 ORDER BY 1"
    for side in ldp_duplicates ldp_subscriber; do sql $side -c "$visits" >log || { cat log; exit 1; }; done
    visit 300 before
    check "a publisher's rollup" 300 "$(refresh ldp_duplicates)"
    sql -c "CREATE PUBLICATION visits FOR TABLE visits (report, round, seen, country) WITH (publish = 'insert', publish_via_partition_root)" \
        -c "SELECT pg_create_logical_replication_slot('ldp_visits', 'pgoutput')" >/dev/null
    sql ldp_subscriber -c "CREATE SUBSCRIPTION visits CONNECTION 'dbname=ldp_duplicates host=$PGHOST user=$PGUSER' PUBLICATION visits
        WITH (create_slot = false, slot_name = 'ldp_visits')"
    arrived 300
    check "subscribed: what was there is counted" 300 "$(refresh ldp_subscriber)"
    visit 200 after
    refreshed=0
    for ((j = 0; j < 20; ++j)); do   # while it arrives
        visit 10 "while-$j"
        refreshed=$((refreshed + $(refresh ldp_subscriber)))
    done
    # What the publisher stamped long before it arrives is no less new here.
    sql ldp_subscriber -c "ALTER SUBSCRIPTION visits DISABLE"
    visit 100 late
    refreshed=$((refreshed + $(refresh ldp_subscriber)))
    sql ldp_subscriber -c "ALTER SUBSCRIPTION visits ENABLE"
    arrived 800
    check "subscribed: what came later is counted once" 500 $((refreshed + $(refresh ldp_subscriber)))
    check "subscribed: and not again" 0 "$(refresh ldp_subscriber)"
    check "subscribed: every bucket is what its reports give" "$(sql ldp_subscriber -c "$anew")" "$(sql ldp_subscriber -c "$buckets")"
    check "the publisher's rollup goes on" 500 "$(refresh ldp_duplicates)"
    check "subscribed: the same buckets on both sides" "$(sql -c "$buckets")" "$(sql ldp_subscriber -c "$buckets")"
    check "the publisher prunes" 1 "$(sql -c "SELECT partitions FROM ldp_prune('visits', '2026-01-02')")"
    check "by row, too" t "$(sql -c "SELECT rows > 0 FROM ldp_prune('visits', '2026-01-02 12:00Z')")"
    visit 50 pruned
    arrived 850
    check "subscribed: and the subscriber keeps what it has" 50 "$(refresh ldp_subscriber)"
    check "the publisher counts what it inserted" 50 "$(refresh ldp_duplicates)"
    check "subscribed: the same buckets in the end" "$(sql -c "$buckets")" "$(sql ldp_subscriber -c "$buckets")"
    unsubscribe visits ldp_visits
    sql -c "SELECT ldp_drop_collection('visits')" >/dev/null
fi

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
