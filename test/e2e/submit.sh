#!/usr/bin/env bash
# ldp submit against a real server, named by PGHOST and its like: whole, interrupted, repeated and refused.
# LDP names the program (default build/bin/ldp).
. "$(dirname "$0")/../prelude.sh"
child=
at_exit() { if [ -n "$child" ]; then kill -9 "$child" 2>/dev/null; fi; }
cd "$work" || exit 1
create_databases ldp_submit
sql -c "CREATE EXTENSION ldp" || exit 1
equal() { check "$name" "$2" "$1"; }  # of the last run
create() { sql -c "SELECT ldp_create_collection('$1', '$2')" >/dev/null; }
colours='{"mechanism": "grr", "epsilon": 3, "attributes": [{"name": "colour", "domain": ["red", "green", "blue"]}]}'
people='{"mechanism": "haar", "epsilon": 3, "attributes": [{"name": "wage", "min": 0, "max": 1000}, {"name": "age", "min": 17, "max": 90}]}'

awk 'BEGIN { print "id,colour,wage,age,who"
    for (i = 0; i < 30000; i++) print i "," (i % 5 ? "green" : "red") "," (i % 1100) "," 17 + i % 74 "," i % 20000 }' >values.csv

# Whole -----------------------------------------------------------------------------------------------------
create whole "$people"
run "a whole file" 0 "$ldp" submit --collection whole values.csv
has err "30,000 rows read, 0 skipped, 2,673 numbers clamped (wage 2,673), 30,000 reports submitted"
equal "$(sql -c 'SELECT count(*) FROM whole')" 30000
equal "$(sql -c "SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'whole'")" 3
equal "$(stat -c %a values.csv.whole.ldp)" 600
equal "$(wc -c <out)" 0
if grep -q $'\x1b' err; then bad "control sequences where there is no terminal"; else ok; fi
truth=$(awk -F, 'NR > 1 { w += $3 > 1000 ? 1000 : $3; a += $4; n++ } END { printf "(VALUES (%s%s%s, %f), (%s%s%s, %f))", q, "wage", q, w / n, q, "age", q, a / n }' q="'" values.csv)
equal "$(sql -c "SELECT count(*) FROM ldp_estimate('whole') AS e JOIN $truth AS t (attribute, truth) USING (attribute)
              WHERE n = 30000 AND abs(estimate - truth) < 6 * stderr")" 2
run "the same again" 0 "$ldp" submit --collection whole values.csv
has err "was submitted to collection \"whole\" before; nothing was sent now"
has err "30,000 reports submitted"
equal "$(sql -c 'SELECT count(*) FROM whole')" 30000

create called "$colours"
sql -c "SELECT ldp_open_rounds('called', 12)" >/dev/null
run "by function, in a round" 0 "$ldp" submit --collection called --method call --batch 7000 --round 12 values.csv
equal "$(sql -c 'SELECT count(*) FROM called WHERE round = 12')" 30000
equal "$(sql -c "SELECT count(*) FROM ldp_estimate('called') AS e JOIN (VALUES ('red', 0.2), ('green', 0.8), ('blue', 0)) AS t (label, truth)
              USING (label) WHERE abs(estimate - truth) < 6 * stderr")" 3

# Interrupted -----------------------------------------------------------------------------------------------
# start COLLECTION OPTION...: submits $file in the background, in batches so small that it takes a while, and comes
# back when the first of them are counted. The process is $child.
file=values.csv batch=5
batches() { sql -c "SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = '$1'"; }
start() {
    local before
    before=$(batches "$1")
    "$ldp" submit --collection "$1" "${@:2}" --batch $batch $file >out 2>err &
    child=$!
    while kill -0 "$child" 2>/dev/null && [ "$(batches "$1")" -eq "$before" ]; do :; done
}
# end SIGNAL: ends it; its exit code is $status.
end() {
    kill "-$1" "$child"
    wait "$child" 2>/dev/null
    status=$?
    child=
}

for method in insert call; do
    name="killed ($method)"
    create "killed_$method" "$people"
    for pause in 0 0.01 0.02 0.03 0.05; do
        start "killed_$method" --method $method
        sleep $pause
        end KILL
        equal "$status" 137
    done
    before=$(sql -c "SELECT count(*) FROM killed_$method")
    if [ "$before" -gt 0 ] && [ "$before" -lt 30000 ]; then ok; else bad "$name: $before reports is not the middle"; fi
    run "after five kills ($method)" 0 "$ldp" submit --collection "killed_$method" --method $method values.csv
    has err "30,000 rows read, 0 skipped, 2,673 numbers clamped (wage 2,673), 30,000 reports submitted"
    equal "$(sql -c "SELECT count(*) FROM killed_$method")" 30000
    equal "$(sql -c "SELECT sum(reports) FROM ldp_internal.ldp_batch WHERE collection = 'killed_$method'")" 30000
done

# Of averages, each person's once.
name="killed (averages)"
create killed_averages "$people"
for pause in 0 0.02 0.05; do
    start killed_averages --average-by who
    sleep $pause
    end KILL
done
before=$(sql -c "SELECT count(*) FROM killed_averages")
if [ "$before" -gt 0 ] && [ "$before" -lt 20000 ]; then ok; else bad "$name: $before reports is not the middle"; fi
run "going on without averages" 1 "$ldp" submit --collection killed_averages values.csv
has err "belongs to another kind of record"
run "after three kills (averages)" 0 "$ldp" submit --collection killed_averages --average-by who values.csv
has err "30,000 rows read, 0 skipped, 20,000 people averaged, 0 skipped,"
has err "20,000 reports submitted"
equal "$(sql -c "SELECT count(*) FROM killed_averages")" 20000

# The server stops in the middle: retries hide the failure; without retries the command prints how to continue.
cut() { sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()" >/dev/null; }
for retries in 60 0; do
    create "cut_$retries" "$colours"
    start "cut_$retries" --retry-for $retries
    cut
    if [ $retries = 60 ]; then end KILL; else wait "$child"; status=$?; child=; fi
    name="the connection is cut ($retries)"
    equal "$status" "$([ $retries = 60 ] && echo 137 || echo 4)"
    run "and made again ($retries)" 0 "$ldp" submit --collection "cut_$retries" values.csv
    has err "30,000 reports submitted"
    equal "$(sql -c "SELECT count(*) FROM cut_$retries")" 30000
done
run "no server" 4 "$ldp" submit --dsn "host=$work" --retry-for 0.3 --collection whole values.csv
has err "there is no connection to the server; retrying"
has err "Run the same command again"
run "no such database" 1 "$ldp" submit --dsn "dbname=nowhere" --collection whole values.csv
if grep -q "retrying\|Run the same command again" err; then bad "$name: waiting cannot help" err; else ok; fi

# A state file that was restored from an older copy.
create restored "$colours"
start restored
end KILL
state=values.csv.restored.ldp
cp $state older
restore() { rm -f $state-wal; cp older $state; }
"$ldp" queue $state >/dev/null  # takes what is in the log into the file
cp $state older
before=$(batches restored)
start restored
while [ "$(batches restored)" -lt $((before + 3)) ]; do :; done
end KILL
for method in insert call; do
    before=$(sql -c "SELECT count(*) FROM restored")
    restore
    run "an older copy ($method)" 1 "$ldp" submit --method $method --batch 7 --collection restored values.csv
    has err "another copy of the store"
    has err "moved to the dead letters"
    equal "$(sql -c "SELECT count(*) FROM restored")" "$before"
done
run "its queue" 0 "$ldp" queue $state
has out "with other reports"
run "its queue, to go on" 0 "$ldp" queue --continue $state
has out "may have spent"

# Two at once.
create contested "$colours"
start contested
kill -STOP "$child"
run "a second process" 1 "$ldp" submit --collection contested values.csv
has err "in use by another process"
end KILL
run "after the first one died" 0 "$ldp" submit --collection contested values.csv
equal "$(sql -c 'SELECT count(*) FROM contested')" 30000

# Refused ---------------------------------------------------------------------------------------------------
create strict "$people"
{ cat values.csv; echo '30000,red,12,thirty,0'; } >bad.csv
run "a bad row in the end" 1 "$ldp" submit --collection strict --batch 100 bad.csv
has err 'error: bad.csv, line 30002: "thirty" is not a number'
equal "$(sql -c 'SELECT count(*) FROM strict')" 0
equal "$(ls bad.csv.strict.ldp 2>/dev/null)" ""
run "skipped" 5 "$ldp" submit --collection strict --on-bad-row skip bad.csv
has err "skipped: bad.csv, line 30002"
has err "30,001 rows read, 1 skipped, 2,673 numbers clamped (wage 2,673), 30,000 reports submitted"
equal "$(sql -c 'SELECT count(*) FROM strict')" 30000
echo '30001,red,12,30,0' >>bad.csv
run "a file that has changed" 1 "$ldp" submit --collection strict --on-bad-row skip bad.csv
has err "belongs to another content of bad.csv"
run "another column" 1 "$ldp" submit --collection whole --column age=id values.csv
has err "belongs to another kind of record"
run "another round" 1 "$ldp" submit --collection whole --round 1 values.csv
has err "belongs to another round"
run "another spec" 1 "$ldp" submit --collection called --state values.csv.whole.ldp values.csv
has err "belongs to another spec"
create twin "$people"
run "another collection" 1 "$ldp" submit --collection twin --state values.csv.whole.ldp values.csv
has err "belongs to another collection"
sql -c "SELECT ldp_drop_collection('twin')" >/dev/null
create twin "$people"
run "values outside" 1 "$ldp" submit --collection twin --outside refuse values.csv
has err "line 1003: 1001 is outside the range of \"wage\""
run "no such collection" 1 "$ldp" submit --collection nowhere values.csv
has err "the server says: \"collection 'nowhere' does not exist"
printf 'id,age\n1,20\n' >short.csv
run "a missing column" 1 "$ldp" submit --collection whole short.csv
has err 'no column "wage"'
cp values.csv text.ldp
run "an invalid state file" 1 "$ldp" submit --collection twin --state text.ldp values.csv
has err "not a state file of ldp"
if cmp -s values.csv text.ldp; then ok; else bad "it was overwritten"; fi

# Some reports, and too much at once -----------------------------------------------------------------------
# A server that refuses one report in a hundred: the others are counted, and those can be sent when it has changed
# its mind.
head -n 2001 values.csv >some.csv
for method in insert call; do
    create "picky_$method" '{"mechanism": "pdp", "epsilon": 1, "attributes": [{"name": "wage", "min": 0, "max": 1000}]}'
    sql -c "CREATE OR REPLACE FUNCTION picks(report ldp_report) RETURNS boolean LANGUAGE sql IMMUTABLE
                AS 'SELECT abs(hashtext(report::text)) % 100 <> 7'" \
        -c "ALTER TABLE picky_$method ADD CONSTRAINT picky CHECK (picks(report))" >/dev/null
    run "refused in part ($method)" 3 "$ldp" submit --method $method --batch 500 --collection "picky_$method" some.csv
    has err "of these reports were refused and not counted"
    has err "ldp queue some.csv.picky_$method.ldp"
    counted=$(sql -c "SELECT count(*) FROM picky_$method")
    run "what was refused ($method)" 0 "$ldp" queue "some.csv.picky_$method.ldp"
    has out "waiting     0"
    has out "set aside   $((2000 - counted))"
    has out "violates check constraint 'picky'"
    if [ "$counted" -lt 2000 ] && [ "$counted" -gt 1800 ]; then ok; else bad "$name: $counted counted"; fi
    run "and again ($method)" 3 "$ldp" submit --method $method --collection "picky_$method" some.csv
    equal "$(sql -c "SELECT count(*) FROM picky_$method")" "$counted"
    sql -c "ALTER TABLE picky_$method DROP CONSTRAINT picky" >/dev/null
    run "queued again ($method)" 0 "$ldp" queue --retry "some.csv.picky_$method.ldp"
    has out "$((2000 - counted)) reports queued again"
    run "sent again ($method)" 0 "$ldp" submit --method $method --collection "picky_$method" some.csv
    equal "$(sql -c "SELECT count(*) FROM picky_$method")" 2000
done

# Killed again and again while batches are refused, divided and drawn ahead: each report is counted or set aside, once.
name="killed among refusals"
create cut_picky '{"mechanism": "pdp", "epsilon": 1, "attributes": [{"name": "wage", "min": 0, "max": 1000}]}'
sql -c "ALTER TABLE cut_picky ADD CONSTRAINT picky CHECK (picks(report))" >/dev/null
file=some.csv batch=2
for pause in 0 0.02 0.05 0.03 0.01 0.04; do
    start cut_picky
    sleep $pause
    end KILL
done
before=$(sql -c "SELECT count(*) FROM cut_picky")
if [ "$before" -gt 0 ] && [ "$before" -lt 1900 ]; then ok; else bad "$name: $before reports is not the middle"; fi
run "after six kills" 3 "$ldp" submit --batch 20 --collection cut_picky some.csv
has err "2,000 rows read, 0 skipped"
counted=$(sql -c "SELECT count(*) FROM cut_picky")
run "what was set aside then" 0 "$ldp" queue some.csv.cut_picky.ldp
has out "waiting     0"
has out "set aside   $((2000 - counted))"
equal "$(sql -c "SELECT sum(reports) FROM ldp_internal.ldp_batch WHERE collection = 'cut_picky'")" "$counted"

# A server that has time for 100 reports in a transaction.
create slow "$colours"
sql -c "CREATE FUNCTION drag() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
            IF (SELECT count(*) FROM taken) > 100 THEN PERFORM pg_sleep(10); END IF; RETURN NULL; END'" \
    -c "CREATE TRIGGER drag AFTER INSERT ON slow REFERENCING NEW TABLE AS taken EXECUTE FUNCTION drag()" >/dev/null
head -n 401 values.csv >few.csv
run "a statement_timeout" 0 "$ldp" submit --dsn "options='-c statement_timeout=500'" --batch 400 --collection slow few.csv
equal "$(sql -c "SELECT count(*) FROM slow")" 400
equal "$(sql -c "SELECT max(reports) <= 100 FROM ldp_internal.ldp_batch WHERE collection = 'slow'")" t

# A file that may not grow.
name="a limit on files"
status=0
(ulimit -f 8; exec "$ldp" submit --collection twin --state limited.ldp few.csv) >out 2>err || status=$?
equal "$status" 1
has err "error: state file limited.ldp"
equal "$(ls limited.ldp* 2>/dev/null)" ""

# A copy of a file under another name, which would count every person twice.
create twice "$colours"
run "a file" 0 "$ldp" submit --collection twice few.csv
cp few.csv renamed.csv
run "its copy" 1 "$ldp" submit --collection twice renamed.csv
has err "error: renamed.csv has the content of a file that was submitted before"
has err "few.csv.twice.ldp belongs to the earlier submission"
equal "$(ls renamed.csv.twice.ldp 2>/dev/null)" ""
mkdir elsewhere
run "its copy, with a state file elsewhere" 1 "$ldp" submit --collection twice --state elsewhere/state.ldp renamed.csv
equal "$(sql -c 'SELECT count(*) FROM twice')" 400
create other "$colours"
run "its copy, for another collection" 0 "$ldp" submit --collection other renamed.csv
sql -c "SELECT ldp_open_rounds('twice', 0, 1)" >/dev/null
run "its copy, in another round" 0 "$ldp" submit --collection twice --round 1 --state round.ldp renamed.csv
equal "$(sql -c 'SELECT count(*) FROM twice')" 800
cp few.csv elsewhere/few.csv
run "its copy in another folder" 1 "$ldp" submit --collection twice elsewhere/few.csv
has err "few.csv.twice.ldp belongs to the earlier submission"
# Two submissions of one content at the same time: one of them passes.
create race "$colours"
for i in $(seq 8); do
    mkdir "one$i" "two$i"
    head -n $((400 + i)) values.csv | tee "one$i/f.csv" >"two$i/f.csv"
    "$ldp" submit --collection race "one$i/f.csv" 2>"one$i/err" &
    first=$!
    "$ldp" submit --collection race "two$i/f.csv" 2>"two$i/err"
    second=$?
    wait $first
    check "submissions $i at the same time" "0 1" "$(printf '%s\n' $? $second | sort | xargs)"
    check "the error of the other" 1 "$(cat "one$i/err" "two$i/err" | grep -c 'has the content of a file that was submitted before')"
done
equal "$(sql -c 'SELECT count(*) FROM race')" $((8 * 399 + 36))
mv few.csv.twice.ldp kept
run "the file without its state file" 1 "$ldp" submit --collection twice few.csv
has err "few.csv.twice.ldp belonged to the earlier submission and no longer exists"
mv kept few.csv.twice.ldp
run "the file again" 0 "$ldp" submit --collection twice few.csv
has err "nothing was sent now"
run "the file with another format" 1 "$ldp" submit --collection twice --missing red few.csv
has err "began with another --delimiter, --decimal or --missing"
# Without a folder for its records, a copy could count twice.
run "a user without a home" 1 env -u HOME -u XDG_STATE_HOME "$ldp" submit --collection other --round 0 --state homeless.ldp some.csv
has err "there is no folder for the state of this user"
check "no state of it" no "$(test -e homeless.ldp && echo yes || echo no)"
equal "$(sql -c 'SELECT count(*) FROM twice')" 800
run "its copy, on purpose" 0 "$ldp" submit --collection twice --copy renamed.csv
equal "$(sql -c 'SELECT count(*) FROM twice')" 1200

# What a server that does not wait for its disk has counted is durable all the same: the claim sees to it.
equal "$(sql -c "SET synchronous_commit = off" -c "BEGIN" -c "SHOW synchronous_commit" \
    -c "SELECT ldp_claim_batch('slow', gen_random_uuid(), 1, sha256('x'))" -c "SHOW synchronous_commit" -c "ROLLBACK" \
    -c "SHOW synchronous_commit" | tr '\n' ' ')" "off t on off "
for level in local remote_write on remote_apply; do
    equal "$(sql -c "SET synchronous_commit = $level" -c "SELECT ldp_claim_batch('slow', gen_random_uuid(), 1, sha256('x')), current_setting('synchronous_commit')")" \
        "t|$level"
done

# Roles -----------------------------------------------------------------------------------------------------
for method in insert call; do
    create "role_$method" "$colours"
    run "the submitter's role ($method)" 0 "$ldp" submit --dsn "options='-c role=ldp_submitter'" \
        --collection "role_$method" --method $method values.csv
    equal "$(sql -c "SELECT count(*) FROM role_$method")" 30000
done
run "the analyst's role" 1 "$ldp" submit --dsn "options='-c role=ldp_analyst'" --collection twin values.csv
has err "permission denied"
has err "ldp_submitter"
equal "$(sql -c 'SELECT count(*) FROM twin')" 0
run "and then a role that may" 0 "$ldp" submit --collection twin values.csv
equal "$(sql -c 'SELECT count(*) FROM twin')" 30000

# From one command to the other -----------------------------------------------------------------------------
create copied "$colours"
sql -c "SELECT ldp_client_spec('copied')" >spec.json
run "perturb under the server's spec" 0 "$ldp" perturb --spec spec.json --input values.csv
cp out reports.copy
run "and copy" 0 psql -qX -c "\\copy copied (report) from 'reports.copy'"
equal "$(sql -c 'SELECT count(*) FROM copied')" 30000
equal "$(sql -c "SELECT n FROM ldp_estimate('copied') LIMIT 1")" 30000

finish
