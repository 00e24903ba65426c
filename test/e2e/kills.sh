#!/usr/bin/env bash
# Server and client are killed at random moments, under every way of submitting; nothing is lost, nothing doubled.
# LDP_KILLS says how often (default 8); LDP_SEED, when. The server does not wait for its disk (synchronous_commit =
# off), so that what it forgets in a crash shows.
. "$(dirname "$0")/../prelude.sh"
kills=${LDP_KILLS:-8}
RANDOM=${LDP_SEED:-$$}
child=
server=$(dirname "$LDP_AS_SERVER")
control() { "$LDP_AS_SERVER" "$(${PG_CONFIG:-pg_config} --bindir)/pg_ctl" -D "$server/data" -l "$server/server.log" -w "$@" >/dev/null; }
at_exit() {
    if [ -n "$child" ]; then kill -9 -- "-$child" 2>/dev/null; fi
    control status || control start
    psql -Xqc "ALTER SYSTEM RESET synchronous_commit" -c "ALTER SYSTEM RESET wal_writer_delay" -c "SELECT pg_reload_conf()" >/dev/null
}
cd "$work" || exit 1
create_databases ldp_kills
sql -c "CREATE EXTENSION ldp" -c "ALTER SYSTEM SET synchronous_commit = off" -c "ALTER SYSTEM SET wal_writer_delay = '10s'" || exit 1
control reload

# Hashed answers begin with a random seed of 64 bits: two reports are equal if and only if they are one.
spec='{"mechanism": "olh", "epsilon": 1, "domain": 100}'
ways=(insert call batch claim)
each=$((kills / ${#ways[@]}))
rows=$((1000 + 400 * each))
{ echo value; seq "$rows" | awk '{ print $1 % 100 }'; } >values.csv
echo "$spec" >spec.json
"$ldp" perturb --spec spec.json <values.csv >reports 2>/dev/null
mkdir batches
split -l 20 -a 5 reports batches/

# Each way goes on, from what it finds done, until all is done; what it does is what the manual says.
by_insert() { exec "$ldp" submit --collection by_insert --method insert --batch 5 values.csv; }
by_call() { exec "$ldp" submit --collection by_call --method call --batch 5 values.csv; }
id_of() { printf '00000000-0000-4000-8000-%012x' $((36#${1##*/})); }
# each_batch WAY COMMAND...: until every batch has a mark, or until the time limit.
each_batch() {
    local batch patience=600
    for batch in batches/*; do
        until [ -e "$1.${batch##*/}" ]; do
            if "${@:2}" "$batch" "$(id_of "$batch")"; then
                : >"$1.${batch##*/}"
            else
                [ $((--request-timeout)) -gt 0 ] || return 1
                sleep 0.1
            fi
        done
    done
}
submit_batch() { sql -c "SELECT ldp_submit_batch('by_batch', '$2', '{$(paste -sd, "$1")}')"; }
claim_and_copy() {
    sql <<SQL
BEGIN;
SELECT ldp_claim_batch('by_claim', '$2', $(wc -l <"$1"), sha256('$1')) AS new \gset
\if :new
\copy by_claim (report) FROM '$1'
\endif
COMMIT;
SQL
}
by_batch() { each_batch by_batch submit_batch; }
by_claim() { each_batch by_claim claim_and_copy; }

set -m  # each child leads a group of its own, and dies with it
middle=0
for way in "${ways[@]}"; do
    sql -c "SET synchronous_commit = on" -c "SELECT ldp_create_collection('by_$way', '$spec')" >/dev/null
    for ((i = 0; i < each; ++i)); do
        if [ -z "$child" ] || ! kill -0 "$child" 2>/dev/null; then
            "by_$way" >"log.$way" 2>&1 &
            child=$!
        fi
        sleep "0.$(printf '%03d' $((RANDOM % 400)))"
        kill -0 "$child" 2>/dev/null && middle=$((middle + 1))
        victim=$(((i + RANDOM % 2) % 2))
        if [ $victim = 0 ]; then
            control -m immediate stop
            [ $((RANDOM % 3)) = 0 ] && { kill -9 -- "-$child" 2>/dev/null; wait "$child" 2>/dev/null; }
            control start
        else
            kill -9 -- "-$child" 2>/dev/null
            wait "$child" 2>/dev/null
        fi
    done
    # To its end, by whom is left or another.
    if [ -n "$child" ] && kill -0 "$child" 2>/dev/null; then wait "$child"; fi
    child=
    status=0
    ("by_$way") >"log.$way" 2>&1 || status=$?
    check "the end ($way): $(tail -n 3 "log.$way")" 0 "$status"
    check "lost and doubled ($way)" "0|0" \
        "$(sql -c "SELECT $rows - count(DISTINCT report), count(*) - count(DISTINCT report) FROM by_$way")"
    check "counted batches ($way)" "$rows" "$(sql -c "SELECT sum(reports) FROM ldp_internal.ldp_batch WHERE collection = 'by_$way'")"
done
set +m
check "all that was sent in batches is there" "$(LC_ALL=C sort reports | sha256sum)" "$(sql -c 'SELECT report FROM by_batch' | LC_ALL=C sort | sha256sum)"
check "and by claims" "$(LC_ALL=C sort reports | sha256sum)" "$(sql -c 'SELECT report FROM by_claim' | LC_ALL=C sort | sha256sum)"
echo "$((each * ${#ways[@]})) kills, $middle of them before the end"
check "kills in the middle" yes "$([ "$middle" -ge $((each * ${#ways[@]} / 4)) ] && echo yes)"
finish
