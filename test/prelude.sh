# What scripts of tests begin with: . "$(dirname "$0")/../prelude.sh"
#
# Defines $root, $ldp (the command; LDP overrides it), a folder $work that is removed at the end together with the
# created databases, and the counting of checks. The last line of a script is finish, which prints the counts. PGHOST
# and the other variables of libpq select the server.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ldp=$(realpath -e "${LDP:-$root/build/bin/ldp}") || exit 1
work=$(mktemp -d "$("$root/test/scratch")/ldp-test.XXXXXX")
export XDG_STATE_HOME=$work/state  # so that tests record no submissions in a home
maintenance=${PGDATABASE:-postgres}
databases=()

at_exit() { :; }  # for a script's own
cleanup() {
    trap '' INT TERM HUP
    export PGDATABASE=$maintenance
    at_exit
    # What still runs could write into the folder while it is deleted.
    for job in $(jobs -p); do kill -9 "$job" 2>/dev/null; done
    wait
    for database in "${databases[@]}"; do
        psql -Xqc "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $database WITH (FORCE)"
    done
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# create_databases NAME...: the first one is the default database of programs.
create_databases() {
    local database
    for database; do
        PGDATABASE=$maintenance psql -Xqc "CREATE DATABASE $database" || exit 1
        databases+=("$database")
    done
    export PGDATABASE=${databases[0]}
}
# sql [DATABASE] ARGUMENT...: psql, whose answers are bare and whose errors are answers.
sql() { psql -XqAt -v ON_ERROR_STOP=1 "$@" 2>&1; }

passed=0 failed=0
ok() { passed=$((passed + 1)); }
# bad WHAT [FILE...]: with the content of the files.
bad() {
    local file
    failed=$((failed + 1))
    echo "FAILED: $1"
    for file in "${@:2}"; do tail -n 20 "$file" | sed "s|^|    ${file##*/}: |"; done
}
# check WHAT EXPECTED FOUND
check() { if [ "$2" = "$3" ]; then ok; else bad "$1"$'\n'"  expected: $2"$'\n'"  found:    $3"; fi; }
# run NAME STATUS COMMAND...: leaves standard output in the file out and standard error in err.
run() {
    name=$1
    local expected=$2 status=0
    shift 2
    "$@" >out 2>err || status=$?
    if [ "$status" -eq "$expected" ]; then ok; else bad "$name: exit code $status, not $expected" out err; fi
}
# Of the last run: a fixed text in a file; a number of lines; a file's whole text.
has() { if grep -qF -- "$2" "$1"; then ok; else bad "$name: \"$2\" is not in $1" out err; fi; }
lines() { if [ "$(wc -l <"$1")" -eq "$2" ]; then ok; else bad "$name: $1 has not $2 lines" out err; fi; }
is() { if [ "$(cat "$1")" = "$2" ]; then ok; else bad "$name: $1 is not \"$2\"" out err; fi; }

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
