#!/usr/bin/env bash
# The endpoint, its database and its clients are killed at random moments under load; nothing is lost, nothing doubled. Two
# clients send a token with each report. Others replay the tokens that were redeemed; no token admits a second report.
# LDP_KILLS says how often (default 12); LDP_SEED, when. The server does not wait for its disk (synchronous_commit =
# off), so that what it forgets in a crash shows.
. "$(dirname "$0")/../prelude.sh"
kills=${LDP_KILLS:-12}
RANDOM=${LDP_SEED:-$$}
server=$(dirname "$LDP_AS_SERVER")
gateway=ldp_kills_gateway
control() { "$LDP_AS_SERVER" "$(${PG_CONFIG:-pg_config} --bindir)/pg_ctl" -D "$server/data" -l "$server/server.log" -w "$@" >/dev/null; }
declare -A clients
at_exit() {
    local client
    touch "$work/stop"
    for client in "${clients[@]}" "$(cat "$work/endpoint.pid" 2>/dev/null)"; do
        if [ -n "$client" ]; then kill -9 "$client" 2>/dev/null; fi
    done
    control status || control start
    psql -Xqc "ALTER SYSTEM RESET synchronous_commit" -c "ALTER SYSTEM RESET wal_writer_delay" -c "SELECT pg_reload_conf()" >/dev/null
    for database in "${databases[@]}"; do psql -Xqc "DROP DATABASE IF EXISTS $database WITH (FORCE)"; done
    psql -Xqc "DROP ROLE IF EXISTS $gateway"
}
cd "$work" || exit 1
create_databases ldp_collect
sql -c "CREATE EXTENSION ldp" -c "CREATE ROLE $gateway LOGIN IN ROLE ldp_submitter" \
    -c "ALTER SYSTEM SET synchronous_commit = off" -c "ALTER SYSTEM SET wal_writer_delay = '10s'" || exit 1
control reload

# Hashed answers begin with a random seed of 64 bits: two reports are equal if and only if they are one.
spec='{"mechanism": "olh", "epsilon": 1, "domain": 100}'
kinds=(reports batches)
for kind in "${kinds[@]}"; do
    sql -c "SET synchronous_commit = on" -c "SELECT ldp_create_collection('by_$kind', '$spec', rows => '$kind')" >/dev/null
done
rows=$((500 + 100 * kills))
for client in 1 2 3 4; do { echo value; seq "$rows" | awk '{ print $1 % 100 }'; } >"values.$client.csv"; done
# A report with a token is a batch of its own.
tokens=$((rows / 4))
sql -c "SET synchronous_commit = on" -c "SELECT ldp_create_collection('by_token', '$spec')" -c "CREATE TABLE created (token text)" >/dev/null
for client in 5 6; do
    { echo value,token; sql -c "SET synchronous_commit = on" -c "WITH made AS (INSERT INTO created SELECT unnest(ldp_create_tokens('by_token', $tokens)) RETURNING token)
        SELECT token FROM made" | awk '{ print NR % 100 "," $1 }'; } >"values.$client.csv"
done

# Started again whenever it ends, as an operating system does it, always on the port that it found first.
port=0
endpoint() {
    while [ ! -e stop ]; do
        "$ldp" collect --listen "127.0.0.1:$port" --dsn "user=$gateway" "$@" 2>>endpoint.log &
        echo $! >endpoint.pid
        wait $!
        echo $? >endpoint.status
        sleep 0.05
    done
}
address() { sed -n 's|^listening on ||p' endpoint.log | head -n 1; }
: >endpoint.log
"$ldp" collect --listen 127.0.0.1:0 --dsn "user=$gateway" 2>endpoint.log &
first=$!
until [ -n "$(address)" ] || ! kill -0 $first; do sleep 0.05; done
at=$(address) port=${at##*:}
kill -TERM $first
wait $first
check "it ends at the signal" 0 $?
endpoint 2>/dev/null &
supervisor=$!

collection() { if [ "$1" -gt 4 ]; then echo by_token; else echo "by_${kinds[$1 % 2]}"; fi; }
submit() {
    local more=()
    if [ "$1" -gt 4 ]; then more=(--public ldp_token=token); fi
    "$ldp" submit --copy --to "$at" --collection "$(collection "$1")" "${more[@]}" --batch 5 --retry-for 60 "values.$1.csv" >>"log.$1" 2>&1 &
    clients[$1]=$!
}
running() {
    local client
    for client in "${clients[@]}"; do if kill -0 "$client" 2>/dev/null; then return 0; fi; done
    return 1
}
# Sends the report of another batch, under other ids, with tokens that were redeemed. Writes the statuses.
replay() {
    local token
    sql -c "SELECT encode(ldp_internal.ldp_report_batch_send(ldp_pack(report)), 'hex') FROM (SELECT report FROM by_token LIMIT 1) AS r" | xxd -r -p >forged.batch
    if [ ! -s forged.batch ]; then return; fi
    while read -r token; do
        { printf '{"ldp_token":"%s"}\n' "$token"; cat forged.batch; } >forged
        curl -s -o /dev/null -w '%{http_code}\n' -H 'Content-Type: application/vnd.ldp.batch' --data-binary @forged \
            "$at/collections/by_token/batches/$(cat /proc/sys/kernel/random/uuid)" >>replays
    done < <(sql -c "SELECT token FROM created AS c WHERE NOT EXISTS (SELECT FROM ldp_internal.ldp_token AS t
                                                                      WHERE t.digest = sha256(c.token::bytea)) ORDER BY random() LIMIT $1")
}
: >replays
middle=0
# Each when so much is stored: machines differ in speed.
for ((i = 0; i < kills; ++i)); do
    for client in 1 2 3 4 5 6; do
        if [ -z "${clients[$client]:-}" ]; then submit "$client"; fi
    done
    goal=$(((4 * rows + 2 * tokens) * (1000 * i + RANDOM % 1000) / (1000 * kills)))
    until [ "$(sql -c "SELECT coalesce(sum(reports), 0) FROM ldp_internal.ldp_batch")" -ge $goal ] || ! running; do sleep 0.02; done
    if running; then middle=$((middle + 1)); fi
    case $((RANDOM % 4)) in
        0)
            control -m immediate stop
            control start
            ;;
        1)
            victim=$((1 + RANDOM % 6))
            kill -9 "${clients[$victim]}" 2>/dev/null
            wait "${clients[$victim]}" 2>/dev/null
            clients[$victim]=
            ;;
        *) kill -9 "$(cat endpoint.pid)" 2>/dev/null ;;
    esac
    replay 2
done
# To their end, by the remaining gateway or by others. A gateway without incoming batches continues after its retry
# interval.
for client in 1 2 3 4 5 6; do
    if [ -n "${clients[$client]:-}" ]; then wait "${clients[$client]}"; fi
    submit "$client"
    wait "${clients[$client]}"
    check "the end of client $client: $(tail -n 3 "log.$client")" 0 $?
done
clients=()
replay 20
check "a replayed token admits nothing" "" "$(grep -v -x -e 422 -e 503 -e 000 replays)"
check "replays reached the endpoint" yes "$([ "$(grep -c -x 422 replays)" -ge 20 ] && echo yes)"
touch stop
kill -TERM "$(cat endpoint.pid)"
wait $supervisor
check "it stops without an error" 0 "$(cat endpoint.status)"
total=$((2 * rows))
for kind in "${kinds[@]}"; do
    all=$([ "$kind" = reports ] && echo "SELECT report FROM by_reports" || echo "SELECT ldp_unpack(batch) FROM by_batches")
    check "lost and doubled ($kind)" "0|0" \
        "$(sql -c "SELECT $total - count(DISTINCT report), count(*) - count(DISTINCT report) FROM ($all) AS r (report)")"
    check "counted ($kind)" "$total" "$(sql -c "SELECT sum(reports) FROM ldp_internal.ldp_batch WHERE collection = 'by_$kind'")"
done
check "lost and doubled (tokens)" "0|0" \
    "$(sql -c "SELECT 2 * $tokens - count(DISTINCT report), count(*) - count(DISTINCT report) FROM by_token")"
check "all tokens are redeemed" 0 "$(sql -c "SELECT count(*) FROM ldp_internal.ldp_token")"
check "all came through the role of the endpoint" "0" "$(sql -c "SELECT count(*) FROM ldp_internal.ldp_batch WHERE submitter <> '$gateway'")"
echo "$kills kills, $middle of them before the end"
check "kills in the middle" yes "$([ "$middle" -ge $((kills / 4)) ] && echo yes)"
finish
