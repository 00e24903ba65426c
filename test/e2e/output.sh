#!/usr/bin/env bash
# Output that cannot be written, of every command: exit code 7 on a full disk and with a closed standard output; the signal
# SIGPIPE if the reader of a pipe is gone. The server is named by PGHOST and its like, the program by LDP.
. "$(dirname "$0")/../prelude.sh"
cd "$work" || exit 1
create_databases ldp_output
sql -c "CREATE EXTENSION ldp" -c "SELECT ldp_create_collection('pets', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"attributes\": [{\"name\": \"pet\", \"domain\": [\"cat\", \"dog\"]}]}')" >/dev/null || exit 1
echo '{"mechanism": "joint", "epsilon": 4, "attributes": [{"name": "pet", "domain": ["cat", "dog"]}, {"name": "home", "domain": ["flat", "house"]}]}' >joint.json
echo '{"mechanism": "grr", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 4}, "attributes": [{"name": "pet", "domain": ["cat", "dog"]}]}' >panel.json
{ echo pet,home,who,round; for i in $(seq 200); do echo "$([ $((i % 3)) = 0 ] && echo cat || echo dog),$([ $((i % 2)) = 0 ] && echo flat || echo house),p$i,0"; done; } >pets.csv
run "a collection with reports" 0 "$ldp" submit --collection pets pets.csv
sql -c "SELECT ldp_create_collection('homes', '$(cat joint.json)')" -c "SELECT ldp_create_collection('moods', '$(cat panel.json)')" >/dev/null
run "a collection of records" 0 "$ldp" submit --collection homes pets.csv
run "a panel" 0 "$ldp" submit --collection moods --person who --round round pets.csv
sql -c "SELECT ldp_agg(report) FROM homes" >homes.hex

# A line for each command that writes to standard output. `collect` and `submit` write none.
cat >outputs <<'LINES'
spec resolve panel.json
spec check panel.json
spec draft pets.csv
advise panel.json
plan --people 1000 joint.json
perturb --spec collection:pets --input pets.csv
contract pets.csv.pets.ldp
queue pets.csv.pets.ldp
ledger --person p1 moods.panel.ldp
estimate pets
estimate --csv - pets
estimate --html - pets
estimate --spec joint.json homes.hex
simulate once --runs 2 --data pets.csv joint.json
simulate evolving --people 10 --rounds 2 panel.json
model joint.json homes.hex
synthesize joint.json homes.hex
audit joint.json
disclosure joint.json
reference man
help
help submit
--version
LINES
for command in $("$ldp" help | awk '/^commands/ { on = 1; next } on && NF > 1 { print $1 }'); do
    case $command in collect | submit) continue ;; esac
    if ! grep -q "^$command" outputs; then bad "no line for $command"; fi
done
while read -ra words; do
    run "${words[*]}" 0 "$ldp" "${words[@]}"
    if [ -s out ]; then ok; else bad "$name writes nothing"; fi
    run "${words[*]}, full" 7 sh -c '"$0" "$@" >/dev/full' "$ldp" "${words[@]}"
    has err "error: cannot write the output"
    run "${words[*]}, closed" 7 sh -c '"$0" "$@" >&-' "$ldp" "${words[@]}"
    python3 - "$ldp" "${words[@]}" <<'PYTHON' >signals 2>err
import os, signal, subprocess, sys
for ignored in (False, True):  # Python sets SIGPIPE to be ignored, and programs that it starts inherit that
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(sys.argv[1:], stdout=writer, stderr=subprocess.DEVNULL, restore_signals=not ignored)
    os.close(writer)
    print(done.returncode == -signal.SIGPIPE)
PYTHON
    check "$name: the reader is gone" "True True" "$(paste -sd ' ' signals)"
done <outputs
# A file that is opened must not get the number of a closed standard output.
cp pets.csv others.csv
run "a state file beside a closed output" 0 sh -c '"$0" submit --collection pets --state other.ldp --copy others.csv >&- 2>/dev/null' "$ldp"
run "the state file is sound" 0 "$ldp" queue other.ldp
finish
