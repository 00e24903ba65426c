# What suites begin with that run in Node: test/prelude.sh, and the counting of Node's tests.
. "$(dirname "${BASH_SOURCE[0]}")/../prelude.sh"

# tests FILE...: runs them, counts them, shows what they print, and what failed.
tests() {
    local log=$work/node.log good poor
    node --test --test-reporter=tap "$@" >"$log" 2>&1
    good=$(awk '/^# pass [0-9]+$/ { n += $3 } END { print n + 0 }' "$log")
    poor=$(awk '/^# (fail|cancelled) [0-9]+$/ { n += $3 } END { print n + 0 }' "$log")
    if [ $((good + poor)) -eq 0 ]; then poor=1; fi
    passed=$((passed + good)) failed=$((failed + poor))
    if [ "$poor" -eq 0 ]; then grep -E '^# .*[^0-9.]$' "$log" | grep -v '^# Subtest'; else cat "$log"; fi
}
