#!/usr/bin/env bash
# Tokens through an endpoint: statuses, replays, a race for one token, --hold, and ldp submit. test/e2e/collect.sh adds kills.
. "$(dirname "$0")/../prelude.sh"
gateway=ldp_token_gateway
children=()
at_exit() {
    local child
    for child in "${children[@]}"; do kill "$child" 2>/dev/null && wait "$child"; done
    psql -Xqc "DROP ROLE IF EXISTS $gateway"
}
cd "$work" || exit 1
create_databases ldp_tokens
sql -c "CREATE EXTENSION ldp" -c "CREATE ROLE $gateway LOGIN IN ROLE ldp_submitter" || exit 1
for name in mood free; do
    sql -c "SELECT ldp_create_collection('$name', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": [\"good\", \"bad\"]}', rows => 'batches')" >/dev/null
done
mapfile -t tokens < <(sql -c "SELECT unnest(ldp_create_tokens('mood', 40))")
check "tokens" 40 "${#tokens[@]}"
left() { sql -c "SELECT count(*) FROM ldp_internal.ldp_token"; }
counted() { sql -c "SELECT coalesce(sum(ldp_count(batch)), 0) FROM mood"; }

# endpoint OPTION...: sets $at.
endpoint() {
    : >endpoint.log  # of an earlier endpoint
    "$ldp" collect --listen 127.0.0.1:0 --dsn "user=$gateway" "$@" 2>endpoint.log &
    children+=($!)
    until grep -q listening endpoint.log || ! kill -0 "${children[-1]}"; do sleep 0.05; done
    at=$(sed -n 's/^listening on //p' endpoint.log)
}
for number in 1 2; do
    sql -c "SELECT encode(ldp_internal.ldp_report_batch_send(ldp_pack((encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('mood')), 'hex') || '01')::ldp_report)), 'hex') FROM generate_series(1, $number)" \
        | xxd -r -p >"$number.batch"
done
# post COLLECTION ID TOKEN [REPORTS]: the status and the code of the response. Without a token, TOKEN is empty.
post() {
    local type=application/octet-stream
    { if [ -n "$3" ]; then printf '{"ldp_token":"%s"}\n' "$3"; fi; cat "${4:-1}.batch"; } >"body.$2"
    if [ -n "$3" ]; then type=application/vnd.ldp.batch; fi
    curl -s -o "answer.$2" -w '%{http_code}' -H "Content-Type: $type" --data-binary "@body.$2" "$at/collections/$1/batches/$2"
    sed -n 's/.*"code":"\([^"]*\)".*/ \1/p' "answer.$2"
    echo
}
id() { printf '00000000-0000-4000-8000-%012d' "$1"; }

endpoint
check "the token is a required public column" '[{"name":"ldp_token","type":"text","required":true}]' "$(curl -s "$at/collections/mood/columns")"
check "no token" "422 LD003" "$(post mood "$(id 1)" "")"
check "an unknown token" "422 LD003" "$(post mood "$(id 1)" 00000000000000000000000000000000)"
check "one token for two reports" "422 LD003" "$(post mood "$(id 1)" "${tokens[0]}" 2)"
check "a refused batch redeems no token" 40 "$(left)"
check "a valid token" 201 "$(post mood "$(id 1)" "${tokens[0]}")"
check "a replay" 200 "$(post mood "$(id 1)" "${tokens[0]}")"
check "a replay with another token" 409 "$(post mood "$(id 1)" "${tokens[1]}")"
check "a replay without a token" 409 "$(post mood "$(id 1)" "")"
check "another batch" "422 LD003" "$(post mood "$(id 2)" "${tokens[0]}")"
check "a revocation needs no token" 204 "$(curl -s -o answer -w '%{http_code}' -X DELETE "$at/collections/mood/batches/$(id 2)")"
check "a revoked id redeems no token" 409 "$(post mood "$(id 2)" "${tokens[1]}")"
check "a token elsewhere" 422 "$(post free "$(id 3)" "${tokens[1]}")"
check "a collection without tokens" 201 "$(post free "$(id 3)" "")"
check "one token is redeemed" "39 1" "$(left) $(counted)"

# Thirty clients send the same token at once.
for number in $(seq 100 129); do post mood "$(id "$number")" "${tokens[1]}" >"status.$number" & done
for job in $(jobs -p); do [ "$job" = "${children[0]}" ] || wait "$job"; done
check "a race for one token" "1 29" "$(cat status.1?? | grep -c 201) $(cat status.1?? | grep -c '422 LD003')"
check "its report counts once" "38 2" "$(left) $(counted)"

# The database has digests of unredeemed tokens, and nothing else of a token.
dump=$(pg_dump "$PGDATABASE")
check "a dump has no token" 0 "$(printf '%s\n' "${tokens[@]}" | grep -c -F -f - <<<"$dump")"
check "a dump has the digests of unredeemed tokens only" "1 0" \
    "$(grep -c "$(printf %s "${tokens[2]}" | sha256sum | cut -d' ' -f1)" <<<"$dump") $(grep -c "$(printf %s "${tokens[1]}" | sha256sum | cut -d' ' -f1)" <<<"$dump")"

# A file with a token for each row, one of them redeemed before.
{ echo value,token; for i in 1 2 3 4 5; do echo "good,${tokens[i]}"; done; } >moods.csv
run "a row without its token" 1 "$ldp" submit --to "$at" --collection mood moods.csv
has err "the collection requires the unchanged value of \"ldp_token\""
run "a file with tokens" 3 "$ldp" submit --to "$at" --collection mood --public ldp_token=token moods.csv
has err "1 of these reports were refused"
has err "the batch has no valid token"
check "the others count" "34 6" "$(left) $(counted)"
{ echo value,token; for i in 6 7 8; do echo "good,${tokens[i]}"; done; } >direct.csv
run "over a connection" 0 "$ldp" submit --collection mood --public ldp_token=token direct.csv
{ echo value,token; for i in 8 9 10; do echo "good,${tokens[i]}"; done; } >call.csv
run "with ldp_submit_batch" 3 "$ldp" submit --method call --collection mood --public ldp_token=token call.csv
has err "1 of these reports were refused"
check "direct submissions redeem tokens" "29 11" "$(left) $(counted)"

# A batch without a valid token is refused alone, although the others of its transaction wait for further batches.
kill -TERM "${children[0]}"
wait "${children[0]}"
children=()
endpoint --hold 3
post mood "$(id 201)" "${tokens[11]}" >status.201 &
honest=($!)
post mood "$(id 202)" "${tokens[12]}" >status.202 &
honest+=($!)
check "a held batch with a redeemed token" "422 LD003" "$(post mood "$(id 203)" "${tokens[0]}")"
check "the others wait" "" "$(cat status.201 status.202)"
check "the third valid one" 201 "$(post mood "$(id 204)" "${tokens[13]}")"
wait "${honest[@]}"
check "they count together" "201 201" "$(cat status.201 status.202 | tr '\n' ' ' | xargs)"
check "in the end" "26 14" "$(left) $(counted)"
finish
