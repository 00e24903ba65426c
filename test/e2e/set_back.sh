#!/usr/bin/env bash
# A failover to a standby that lags loses committed reports. Clients say that the server was set back; what they have kept
# (ldp submit --keep) is sent again (ldp queue --resend). Afterwards no report is missing, and none is counted twice. Through
# the database and through an endpoint.
. "$(dirname "$0")/../prelude.sh"
bin=$("${PG_CONFIG:-pg_config}" --bindir)
server=$(dirname "$LDP_AS_SERVER")
gateway=ldp_set_back_gateway
endpoint=
control() { "$LDP_AS_SERVER" "$bin/pg_ctl" -D "$server/lagging" -l "$server/lagging.log" -w "$@" >/dev/null; }
at_exit() {
    if [ -n "$endpoint" ]; then kill -TERM "$endpoint" 2>/dev/null && wait "$endpoint"; fi
    if [ -e "$server/lagging/postmaster.pid" ]; then control -m immediate stop; fi
    rm -rf "${server:?}/lagging"
    psql -Xqc "DROP ROLE IF EXISTS $gateway"
}
cd "$work" || exit 1
create_databases ldp_set_back
spec='{"mechanism": "grr", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 5}, "attributes": [{"name": "mood", "domain": ["good", "bad"]}]}'
for name in direct posted; do
    sql -c "SET client_min_messages = warning" -c "CREATE EXTENSION IF NOT EXISTS ldp" \
        -c "SELECT ldp_create_collection('$name', '$spec')" >log || { cat log; exit 1; }
    sql -c "SELECT ldp_open_rounds('$name', 0, 9)" >log || { cat log; exit 1; }
done
sql -c "CREATE ROLE $gateway LOGIN IN ROLE ldp_submitter"
for round in 1 2 3; do
    { echo who,mood; seq 300 | awk -v round=$round '{ print $1 "," (($1 + round) % 3 ? "good" : "bad") }'; } >"$round.csv"
done
# listening PORT: starts the endpoint for the server at this port.
listening() {
    if [ -n "$endpoint" ]; then kill -TERM "$endpoint" && wait "$endpoint"; fi
    rm -f endpoint.log
    "$ldp" collect --listen 127.0.0.1:0 --dsn "port=$1 dbname=ldp_set_back user=$gateway" 2>endpoint.log &
    endpoint=$!
    for ((i = 0; i < 200; i++)); do grep -qs 'listening on' endpoint.log && break; sleep 0.05; done
    url=$(sed -n 's|^listening on ||p' endpoint.log)
}
# round STATUS PORT ROUND [OPTION...]: submits a round both ways.
round() {
    local status=$1 port=$2 round=$3
    shift 3
    run "round $round to the database" "$status" "$ldp" submit --dsn "port=$port dbname=ldp_set_back" --collection direct --person who \
        --round "$round" --keep 7d --batch 70 "$@" "$round.csv"
    cat err >direct.err
    run "round $round to the endpoint" "$status" "$ldp" submit --to "$url" --collection posted --person who --round "$round" --keep 7d \
        --batch 70 "$@" "$round.csv"
    cat err >posted.err
}
# counts PORT NAME: the numbers of reports by round.
counts() { psql -XqAt -p "$1" -d ldp_set_back -c "SELECT string_agg(n::text, ' ' ORDER BY round) FROM (SELECT round, count(*) AS n FROM $2 GROUP BY round) AS r"; }

"$LDP_AS_SERVER" "$bin/pg_basebackup" -h "$PGHOST" -U "$PGUSER" -D "$server/lagging" -R -c fast --no-sync 2>log || bad "pg_basebackup" log
echo "port = 5434" | "$LDP_AS_SERVER" tee -a "$server/lagging/postgresql.auto.conf" >/dev/null
control start || bad "the standby does not start" "$server/lagging.log"
first=${PGPORT:-5432}
listening "$first"
round 0 "$first" 1
check "nothing was set back" "" "$(grep -h 'restored from an older' direct.err posted.err)"
sent=$(sql -c "SELECT pg_current_wal_lsn()")
for ((i = 0; i < 200; ++i)); do
    [ "$(sql -p 5434 -c "SELECT pg_last_wal_replay_lsn() >= '$sent'")" = t ] && break
    sleep 0.1
done
control -m fast stop
round 0 "$first" 2
check "two rounds are counted" "300 300" "$(counts "$first" direct)"

# The standby becomes the primary without the second round.
echo "primary_conninfo = ''" | "$LDP_AS_SERVER" tee -a "$server/lagging/postgresql.auto.conf" >/dev/null
control start
control promote
check "the second round is lost" "300" "$(counts 5434 direct)"
check "also that of the endpoint" "300" "$(counts 5434 posted)"
listening 5434
# The standby has another address, which a person's side must accept first.
round 6 5434 3
for way in direct posted; do
    has $way.err 'endpoint: before "'
    has $way.err "same owner only"
done
contract=$(sed -n 's/^contract //p' direct.err)
round 1 5434 3 --accept "$contract"
for way in direct posted; do
    name="$way"
    has $way.err "was restored from an older state or replaced since the last delivery"
    has $way.err "ldp queue --resend $way.panel.ldp"
    check "$way: the third round is counted, the second is missing" "300 300" "$(counts 5434 $way)"
    run "queue --resend" 0 "$ldp" queue --resend $way.panel.ldp
    has out "900 reports"
done
round 0 5434 3
for way in direct posted; do
    name="$way again"
    has $way.err "900 delivered reports were sent again: 300 were missing, 600 were counted before"
    check "$way: nothing is missing, and nothing is counted twice" "300 300 300" "$(counts 5434 $way)"
done
run "a second time" 0 "$ldp" queue --resend direct.panel.ldp
run "and sending" 0 "$ldp" submit --dsn "port=5434 dbname=ldp_set_back" --collection direct --person who --round 3 3.csv
has err "0 were missing, 900 were counted before"
check "it changes nothing" "300 300 300" "$(counts 5434 direct)"
run "kept reports go the way that they went" 0 "$ldp" queue --resend direct.panel.ldp
run "another role is refused" 1 "$ldp" submit --dsn "port=5434 dbname=ldp_set_back user=$gateway" --collection direct --person who --round 3 3.csv
has err "by another route"
check "and nothing was counted twice" "300 300 300" "$(counts 5434 direct)"
finish
