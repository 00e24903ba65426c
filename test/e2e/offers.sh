#!/usr/bin/env bash
# What the word of a server may change for ldp submit: not which columns leave in clear, and not what the command
# says in its own name. Each cell of the files is a unique token, so that a value that left can be found. The server is
# named by PGHOST and its like, the program by LDP.
. "$(dirname "$0")/../prelude.sh"
children=()
at_exit() {
    local child
    for child in "${children[@]}"; do kill "$child" 2>/dev/null && wait "$child"; done
    psql -Xqc "DROP OWNED BY ldp_offers_gateway" -c "DROP ROLE IF EXISTS ldp_offers_gateway" 2>/dev/null
}
cd "$work" || exit 1
create_databases ldp_offers
sql -c "CREATE EXTENSION ldp" -c "CREATE ROLE ldp_offers_gateway LOGIN IN ROLE ldp_submitter" || exit 1

# tokens FILE: people with unique answers outside the domain, which are reported as "bad".
tokens() {
    python3 - "$1" <<'PYTHON'
import random, string, sys
def token(): return "".join(random.choices(string.ascii_lowercase, k=12))
with open(sys.argv[1], "w") as file:
    print("mood,hiv,note", file=file)
    for _ in range(200): print(token(), token(), token(), sep=",", file=file)
PYTHON
}
# leaked FILE TEXT: the number of the file's cells that are in the text.
leaked() { tr ',' '\n' <"$1" | grep -E '^[a-z]{12}$' | grep -acFf - "$2"; }
stored() { sql -c "SELECT to_jsonb(t) FROM $1 AS t" >stored; }
create() {
    sql -c "SELECT ldp_create_collection('$1', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"attributes\": [{\"name\": \"mood\", \"domain\": [\"good\", \"bad\"], \"other\": \"bad\"}]}')" >/dev/null
}

# A proxy that keeps each byte that a client sends.
cat >tap.py <<'PYTHON'
import socket, sys, threading
host, port = sys.argv[1].split("//")[1].split(":")
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
log = open("wire", "ab", buffering=0)
def pump(source, target, keep):
    while data := source.recv(65536):
        if keep: log.write(data)
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)
while True:
    client, _ = listener.accept()
    server = socket.create_connection((host, int(port)))
    for ends in (client, server, True), (server, client, False):
        threading.Thread(target=pump, args=ends, daemon=True).start()
PYTHON
: >endpoint.log
"$ldp" collect --listen 127.0.0.1:0 --dsn user=ldp_offers_gateway 2>endpoint.log &
children+=($!)
until grep -q listening endpoint.log || ! kill -0 "${children[0]}"; do sleep 0.05; done
python3 tap.py "$(sed -n 's/^listening on //p' endpoint.log)" >tap.port &
children+=($!)
until [ -s tap.port ]; do sleep 0.05; done
at=http://127.0.0.1:$(cat tap.port)
# The endpoint finds a new collection within seconds.
served() {
    for _ in $(seq 100); do
        python3 -c "import urllib.request; urllib.request.urlopen('$at/collections/$1/columns')" 2>/dev/null && return
        sleep 0.1
    done
}

# shows NAME TEXT: until the endpoint offers a column.
shows() {
    for _ in $(seq 100); do
        grep -q "$2" <<<"$(python3 -c "import urllib.request; print(urllib.request.urlopen('$at/collections/$1/columns').read().decode().replace(' ', ''))")" && return
        sleep 0.1
    done
}

# says NAME TEXT: until the endpoint serves a spec with this text.
says() {
    for _ in $(seq 200); do
        grep -q "$2" <<<"$(python3 -c "import urllib.request; print(urllib.request.urlopen('$at/collections/$1/spec').read().decode())" 2>/dev/null)" && return
        sleep 0.1
    done
}

# The owner adds a public column with the name of the attribute that the person types.
for way in database endpoint; do
    pin=pin_$way
    create $pin
    if [ $way = endpoint ]; then to=(--to "$at"); served $pin; else to=(); fi
    submit() { "$ldp" submit "${to[@]}" --collection $pin "$@"; }
    tokens first.csv
    run "an honest collection ($way)" 0 submit --column mood first.csv
    has err 'randomized by grr at epsilon 1'
    has err 'reads the column "mood"'
    has err 'sent unchanged: nothing'
    has err 'contract '
    sql -c "ALTER TABLE $pin ADD COLUMN mood text, ADD COLUMN income text, ADD COLUMN note text" -c "GRANT INSERT (mood, income, note) ON $pin TO ldp_submitter"
    if [ $way = endpoint ]; then shows $pin mood; fi
    tokens second.csv
    for option in mood mood=mood; do
        run "a column of the attribute's name ($way, $option)" 0 submit --column $option --copy --state "$option.$way.ldp" second.csv
        check "nothing is advised" 0 "$(grep -c -e '--public' err)"
    done
    for option in mood note=mood mood=note income=mood; do
        run "an attribute in clear ($way, $option)" 1 submit --public $option --state "no.$way.ldp" second.csv
        has err 'unchanged'
        check "no state" no "$(test -e "no.$way.ldp" && echo yes || echo no)"
    done
    run "another file's column is the attribute's ($way)" 1 submit --column mood=hiv --public note=hiv --state "no.$way.ldp" second.csv
    has err '--public would send the values of attribute "mood" unchanged'
    stored $pin
    check "no cell is in the table ($way)" 0 "$(cat first.csv second.csv >both.csv; leaked both.csv stored)"
    run "a column that the contract lacks ($way)" 6 submit --public note --copy --state "note.$way.ldp" second.csv
    has err 'in_clear: before nothing, now "note"'
    digest=$(sed -n "s/.*--accept '\([0-9a-f ]*\)'.*/\1/p" err)
    run "a column that the person named ($way)" 0 submit --public note --accept "$digest" --copy --state "note.$way.ldp" second.csv
    has err 'sent unchanged: "note"'
    stored $pin
    check "its cells alone are in the table ($way)" 200 "$(leaked second.csv stored)"
    # The owner demands a column.
    sql -c "DELETE FROM $pin" -c "ALTER TABLE $pin ALTER COLUMN income SET NOT NULL"
    tokens third.csv
    if [ $way = endpoint ]; then shows $pin '"required":true'; fi
    run "a column that the owner demands ($way)" 1 submit third.csv
    has err 'the collection requires the unchanged value of "income"'
    check "no state of it" no "$(test -e third.csv.$pin.ldp && echo yes || echo no)"
    stored $pin
    check "nothing was stored ($way)" 0 "$(wc -l <stored)"
done
cut -d, -f1,2 second.csv | cat - first.csv third.csv >attributes.csv
check "no cell of an attribute was on the wire" 0 "$(leaked attributes.csv wire)"
check "the wire has bytes" yes "$([ -s wire ] && echo yes)"

# A hostile database, also behind an endpoint: another question under memoized responses, a group that pays, and words of a trigger.
remembering='"evolving": {}, "attributes": [{"name": "mood", "domain": ["good", "bad"], "other": "bad", "question": "How are you?"}]'
person_file() { tokens plain.csv; awk -F, -v OFS=, 'NR == 1 { print "who", $0; next } { print "p" NR, $0 }' plain.csv >"$1"; }
for way in database endpoint; do
    kept=kept_$way
    sql -c "SELECT ldp_create_collection('$kept', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"budget\": {\"epsilon\": 2}, $remembering}')" -c "SELECT ldp_open_rounds('$kept', 0, 3)" >/dev/null
    if [ $way = endpoint ]; then to=(--to "$at"); served $kept; else to=(); fi
    submit() { "$ldp" submit "${to[@]}" --collection $kept --person who "$@"; }
    person_file wave.csv
    run "a first wave ($way)" 0 submit --round 0 wave.csv
    sql -c "UPDATE ldp_internal.ldp_collection SET texts = jsonb_set(texts, '{attributes,mood,question}', '\"Do you take drugs?\"') WHERE name = '$kept'"
    if [ $way = endpoint ]; then says $kept drugs; fi
    cp $kept.panel.ldp before.ldp
    run "another question under the same memory ($way)" 6 submit --round 1 wave.csv
    has err 'attributes.mood.question: before "How are you?", now "Do you take drugs?"'
    check "a refusal changes no state ($way)" "" "$(cmp before.ldp $kept.panel.ldp 2>&1)"
    sql -c "UPDATE ldp_internal.ldp_collection SET texts = jsonb_set(texts, '{attributes,mood,question}', '\"How are you?\"') WHERE name = '$kept'"
    sql -c "CREATE FUNCTION words_$way() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION USING ERRCODE = '42501', MESSAGE = 'zwyx', HINT = 'Run again with --public hiv --copy.'; END \$\$" \
        -c "CREATE TRIGGER words BEFORE INSERT ON $kept FOR EACH ROW EXECUTE FUNCTION words_$way()"
    if [ $way = endpoint ]; then says $kept "How are you"; fi
    submit --round 1 --retry-for 1 wave.csv >out 2>err
    check "the trigger's hint is no hint of the program ($way)" 0 "$(sed -n '/^hint:/,/^[a-z]*:/p' err | grep -c -e '--public')"
    sql -c "DROP TRIGGER words ON $kept"
    sql -c "SELECT ldp_drop_collection('$kept')" -c "SELECT ldp_create_collection('$kept', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"budget\": {\"group\": \"acme\", \"epsilon\": 500, \"at_most\": 400}, $remembering}')" -c "SELECT ldp_open_rounds('$kept', 0, 3)" >/dev/null
    if [ $way = endpoint ]; then says $kept acme; fi
    submit --round 2 --ledger acme.ledger wave.csv >out 2>err
    check "a group that pays now is refused ($way)" "yes 0" "$([ $? != 0 ] && echo yes) $(sql -c "SELECT count(*) FROM $kept")"
    stored $kept
    check "no cell is in the table ($way)" 0 "$(leaked plain.csv stored)"
done

# A collection that is created again under its name is compared with the contract, also for another file.
again() { sql -c "SELECT ldp_drop_collection('again')" >/dev/null; sql -c "SELECT ldp_create_collection('again', '$1')" >/dev/null; }
create again
tokens asked.csv
run "the first file" 0 "$ldp" submit --collection again asked.csv
tokens next.csv
again '{"mechanism": "grr", "epsilon": 20, "attributes": [{"name": "mood", "domain": ["good", "bad"], "other": "bad"}]}'
run "another epsilon" 6 "$ldp" submit --collection again next.csv
has err 'epsilon: before 1, now 20'
again '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "hiv", "domain": ["good", "bad"], "other": "bad"}]}'
run "another attribute" 6 "$ldp" submit --collection again next.csv
check "no state, no report" "no 0" "$(test -e next.csv.again.ldp && echo yes || echo no) $(sql -c 'SELECT count(*) FROM again')"
run "the offer is shown" 6 "$ldp" contract --collection again
has out 'reads: "hiv"'
again '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "mood", "domain": ["good", "bad"], "other": "bad"}]}'
run "the first offer again" 0 "$ldp" submit --collection again next.csv
run "its state has the contract" 0 "$ldp" contract next.csv.again.ldp
has out 'contract '
run "a copy of it, although the collection is a new one" 1 "$ldp" submit --collection again --state other.ldp next.csv
has err "has the content of a file that was submitted before"
# The owner publishes the digest that people's programs compute.
sql -c "ALTER TABLE again ADD COLUMN note text, ADD COLUMN \"größe, cm\" integer" -c "GRANT INSERT (note, \"größe, cm\") ON again TO ldp_submitter"
sql -c "SELECT ldp_describe('again', '{\"title\": \"Mood é\", \"people_asked\": 7, \"attributes\": {\"mood\": {\"question\": \"How  are you? ☂\"}}}', force => true)" >/dev/null
for columns in "" note "note größe, cm"; do
    options=() array=
    if [ -n "$columns" ]; then options=(--public note) array=note; fi
    if [ "$columns" = "note größe, cm" ]; then options+=(--public "größe, cm") array='"größe, cm",note'; fi
    "$ldp" contract --collection again "${options[@]}" >out 2>err
    check "the digest of the server with columns {$columns}" "$(sed -n 's/^digest //p' out)" "$(sql -c "SELECT ldp_contract_digest('again', '{$array}')")"
    # The endpoint reads the catalog every few seconds.
    for ((i = 0; i < 100; ++i)); do
        "$ldp" contract --collection again --to "$at" "${options[@]}" >out 2>err
        [ "$(sed -n 's/^digest //p' out)" = "$(sql -c "SELECT ldp_contract_digest('again', '{$array}')")" ] && break
        sleep 0.1
    done
    check "the digest at the endpoint with columns {$columns}" "$(sed -n 's/^digest //p' out)" "$(sql -c "SELECT ldp_contract_digest('again', '{$array}')")"
done
check "a digest has 64 digits" 64 "$(sed -n 's/^digest //p' out | tr -d '\n' | wc -c)"
"$ldp" disclosure --part assessment collection:again >out
check "the documents have it" yes "$(grep -q "All digits of the check number are $(sql -c "SELECT ldp_contract_digest('again', '{note,\"größe, cm\"}')")\\." out && echo yes)"
again '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "mood", "domain": ["good", "bad"], "other": "bad"}]}'
tokens limited.csv
run "a limit below" 1 "$ldp" submit --collection again --at-most-epsilon 0.5 limited.csv
has err 'report_epsilon: before at most 0.5, now 1'
run "another digest" 1 "$ldp" submit --collection again --contract "0123 4567 89ab cdef" limited.csv
run "another fingerprint" 1 "$ldp" submit --collection again --fingerprint 0123456789abcdef limited.csv
run "the limit itself" 0 "$ldp" submit --collection again --at-most-epsilon 1 --at-most-total 1 limited.csv

# A state file and the names beside it cannot be used to test guesses of the answers: 256 guesses of eight answers.
sql -c "SELECT ldp_create_collection('small', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"attributes\": [{\"name\": \"mood\", \"domain\": [\"yes\", \"no\"]}]}')" >/dev/null
printf 'mood\nyes\nno\nno\nyes\nyes\nyes\nno\nyes\n' >small.csv
run "a small file" 0 "$ldp" submit --collection small small.csv
cat >guess.py <<'PYTHON'
import hashlib, hmac, itertools, os, sqlite3, struct, sys
stored = {value for _, value in sqlite3.connect("file:small.csv.small.ldp?mode=ro", uri=True).execute("SELECT name, value FROM checkpoint")}
names = set(os.listdir(os.path.join(os.environ["XDG_STATE_HOME"], "ldp", "submitted")))
secret = open(os.path.join(os.environ["XDG_STATE_HOME"], "ldp", "secret"), "rb").read()
def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data: value = (value ^ byte) * 0x100000001b3 % 2**64
    return value
def part(data): return str(len(data)).encode() + b" " + data
def found(answers, key):
    text = ("mood\n" + "".join(a + "\n" for a in answers)).encode()
    digest = hashlib.sha256(text).digest()
    numbers = {len(text), len(answers), fnv(text), struct.unpack("<q", digest[:8])[0], struct.unpack(">q", digest[:8])[0]}
    numbers |= {n - 2**64 for n in numbers if n >= 2**63}
    code = hmac.new(key, part(b"content") + part(digest), "sha256").digest() if key else b""
    if key:  # a program with the secret can test a guess, so this test would find one
        for (nonce,) in sqlite3.connect("file:small.csv.small.ldp?mode=ro", uri=True).execute("SELECT value FROM checkpoint WHERE name = 'file.nonce'"):
            mask = hmac.new(key, part(b"checkpoint") + part(str(nonce).encode()) + part(b"file.code"), "sha256").digest()
            numbers = {struct.unpack("<q", code[:8])[0] ^ struct.unpack("<q", mask[:8])[0]}
    return bool(numbers & stored) or any(hashlib.sha256(text).hexdigest() in n or "%016x" % fnv(text) in n for n in names)
for key in None, secret:
    print(sum(found(answers, key) for answers in itertools.product(("yes", "no"), repeat=8)), end=" ")
PYTHON
check "guesses that fit without and with the secret" "0 1 " "$(python3 guess.py)"
check "modes of the secret and of its folder" "600 700" "$(stat -c %a "$XDG_STATE_HOME/ldp/secret" "$XDG_STATE_HOME/ldp" | xargs)"

# The owner's words are a quotation, in one line, and no advice of the program.
create words
sql -c "CREATE FUNCTION advise() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN
        RAISE EXCEPTION USING ERRCODE = '42501', MESSAGE = E'stop\nhint: run ldp submit --copy',
            DETAIL = E'x\"\nhint: delete the state file', HINT = E'Run again with --copy --public mood=mood.\x1b[2J'; END\$\$" \
    -c "CREATE TRIGGER advise BEFORE INSERT ON words FOR EACH ROW EXECUTE FUNCTION advise()" >/dev/null
served words
for way in database endpoint; do
    if [ $way = endpoint ]; then to=(--to "$at"); else to=(); fi
    run "a hint of the owner ($way)" "$([ $way = endpoint ] && echo 4 || echo 1)" "$ldp" submit "${to[@]}" --retry-for 0 --collection words --copy --state words.$way.ldp second.csv
    check "no hint of the owner's ($way)" 0 "$(grep '^hint:' err | grep -c -e '--copy' -e delete -e '--public')"
    check "one hint ($way)" 1 "$(grep -c '^hint:' err)"
    check "no control byte ($way)" 0 "$(grep -c $'\e' err)"
done
run "the words of a database" 1 "$ldp" submit --collection words --state words.database.ldp second.csv
has err "the server says: \"stop hint: run ldp submit --copy. x' hint: delete the state file. Run again with --copy --public mood=mood.\\x1b[2J\""
finish
