#!/usr/bin/env bash
# An endpoint without memory (ulimit -v) and without file descriptors (ulimit -n). It serves on or ends: it never stays
# alive without serving, and never ignores SIGTERM. LDP_LIMITS has kilobytes of memory above those after its start.
. "$(dirname "$0")/../prelude.sh"
gateway=ldp_memory_gateway
at_exit() {
    if [ -n "${endpoint:-}" ]; then kill -9 "$endpoint" 2>/dev/null; fi
    psql -Xqc "DROP ROLE IF EXISTS $gateway"
}
cd "$work" || exit 1
create_databases ldp_memory
sql -c "CREATE EXTENSION ldp" -c "CREATE ROLE $gateway LOGIN IN ROLE ldp_submitter" \
    -c "SELECT ldp_create_collection('colour', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 5}')" >/dev/null || exit 1

# started LIMIT OPTION...: starts an endpoint with this limit of kilobytes; false if it ended at once.
started() {
    local limit=$1
    shift
    : >listening  # before the subshell does it
    # shellcheck disable=SC3045
    (ulimit -v "$limit" && exec "$ldp" collect --listen 127.0.0.1:0 --dsn "user=$gateway" "$@") 2>listening &
    endpoint=$!
    for ((i = 0; i < 200; i++)); do
        [ "$(wc -l <listening)" -ge 1 ] && break  # a whole line
        kill -0 $endpoint 2>/dev/null || return 1
        sleep 0.05
    done
    port=$(grep -om1 '127\.0\.0\.1:[0-9]*' listening)
    port=${port#*:}
}
# ended: whether the endpoint ends within 20 seconds.
ended() {
    for ((i = 0; i < 200; i++)); do
        kill -0 $endpoint 2>/dev/null || return 0
        sleep 0.1
    done
    return 1
}

cat >load.py <<'E2'
# Opens connections with bodies of unknown size, some of which end, and says whether /healthz was answered afterwards.
import socket, sys, time
port, held = int(sys.argv[1]), []
head = b"POST /collections/colour/batches/0d6c7ea3-3a2f-4f0e-9a53-%012x HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\n"
for i in range(120):
    try:
        one = socket.create_connection(("127.0.0.1", port), timeout=5)
        if i % 3 == 0:
            one.sendall(head % i + b"Content-Length: 1000000\r\n\r\n" + b"x" * 1000000)
        else:
            one.sendall(head % i + b"Transfer-Encoding: chunked\r\n\r\n10000\r\n" + b"x" * 65536)
        held.append(one)
    except OSError:
        pass
time.sleep(0.5)
for one in held:
    one.close()
time.sleep(0.5)
try:
    one = socket.create_connection(("127.0.0.1", port), timeout=10)
    one.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    print("serves" if one.recv(12).startswith(b"HTTP/1.1") else "silent")
except OSError as error:
    print("silent:", error)
E2

started unlimited || bad "the endpoint does not start" listening
base=$(awk '/^VmSize/ { print $2 }' /proc/$endpoint/status)
check "it serves under the load" serves "$(python3 load.py "$port")"
kill -TERM $endpoint
if ended; then ok; else bad "an endpoint with memory does not end"; fi
for more in ${LDP_LIMITS:-500 2000 5000 10000 20000 40000 60000 80000}; do
    if started $((base + more)); then
        found=$(python3 load.py "$port")
        if [ "$found" = serves ]; then
            ok
        elif ended; then
            ok
        else
            bad "with $more kB more it is alive and $found" listening
        fi
        kill -TERM $endpoint 2>/dev/null
    fi
    if ended; then ok; else bad "with $more kB more it ignores SIGTERM" listening; kill -9 $endpoint; fi
    wait $endpoint 2>/dev/null
done

# File descriptors: the soft limit is raised, and a hard limit that is too low is refused.
endpoint=
run "too few descriptors" 1 bash -c "ulimit -n 40; exec '$ldp' collect --listen 127.0.0.1:0 --dsn user=$gateway"
has err "file descriptors"
has err "--connections"
: >listening
# shellcheck disable=SC3045
(ulimit -Sn 40 && exec "$ldp" collect --listen 127.0.0.1:0 --dsn "user=$gateway") 2>listening &
endpoint=$!
for ((i = 0; i < 200; i++)); do [ "$(wc -l <listening)" -ge 1 ] && break; sleep 0.05; done
limit=$(awk '/^Max open files/ { print $4 }' /proc/$endpoint/limits)
check "the soft limit is raised" yes "$([ "${limit:-0}" -ge 600 ] && echo yes)"
# It reports to the service manager that it serves.
kill -TERM $endpoint
if ended; then ok; else bad "it does not end"; fi
cat >notified.py <<'E2'
import os, socket, subprocess, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("notify")
manager.settimeout(20)
endpoint = subprocess.Popen(sys.argv[1:], env={**os.environ, "NOTIFY_SOCKET": os.path.abspath("notify")}, stderr=subprocess.DEVNULL)
print(manager.recv(100).decode(), manager.recv(100).decode())
endpoint.terminate()
print(endpoint.wait())
E2
check "it reports to the service manager" "READY=1 WATCHDOG=1
0" "$(python3 notified.py "$ldp" collect --listen 127.0.0.1:0 --dsn user=$gateway)"
endpoint=
finish
