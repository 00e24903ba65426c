#!/usr/bin/env bash
# The command and the endpoint over several kinds of connection. Databases have other encodings, and so has libpq. A pooler
# gives each transaction another session. A server has German messages. The extension is in a schema of its own. Everything
# that is stored has the characters of the file.
. "$(dirname "$0")/../prelude.sh"
unset PGCLIENTENCODING
server=$(dirname "$LDP_AS_SERVER")
bin=$(${PG_CONFIG:-pg_config} --bindir)
role=ldp_connections_submitter
endpoint=
at_exit() {
    export PGHOST=$home PGPORT=$home_port
    stop_endpoint
    if [ -e "$server/pooler/pid" ]; then kill "$(cat "$server/pooler/pid")" 2>/dev/null; fi
    if [ -e "$server/german/postmaster.pid" ]; then
        "$LDP_AS_SERVER" "$bin/pg_ctl" -D "$server/german" -m immediate -w stop >/dev/null
    fi
    rm -rf "$server/german" "$server/locales" "$server/pooler"
    psql -Xqc "SET client_min_messages = error" -c "DROP ROLE IF EXISTS $role" 2>/dev/null
}
stop_endpoint() {
    if [ -n "$endpoint" ]; then kill "$endpoint" 2>/dev/null && wait "$endpoint"; fi
    endpoint=
}
cd "$work" || exit 1
# What the test asks of the server itself, past poolers and encodings.
admin() { PGHOST=$admin_host PGPORT=$admin_port PGCLIENTENCODING=UTF8 sql "$@"; }
admin_host=$PGHOST admin_port=$PGPORT home=$PGHOST home_port=$PGPORT

# create NAME LABEL [SCHEMA]: a collection whose name, attribute, label and public column are not ASCII, in a new extension.
create() {
    admin -c "SET client_min_messages = error" -c "${3:+CREATE SCHEMA $3; }CREATE EXTENSION ldp ${3:+SCHEMA $3}" \
        -c "DO \$\$ BEGIN CREATE ROLE $role LOGIN IN ROLE ldp_submitter; EXCEPTION WHEN duplicate_object THEN NULL; END \$\$" \
        ${3:+-c "GRANT USAGE ON SCHEMA $3 TO PUBLIC"} -c "SET search_path = ${3:-public}, public" -c "SELECT ldp_create_collection('$1',
            '{\"mechanism\": \"grr\", \"epsilon\": 8, \"attributes\": [{\"name\": \"$1\", \"domain\": [\"other\", \"$2\"]}]}',
            ARRAY[['$1 2', 'text']], schema => 'public')" >created
    check "the collection $1" "\"$1\"" "$(tail -n 1 created)"
}
# use WHAT NAME LABEL: submits in three ways and estimates. The environment names the server as a client sees it.
use() {
    local what=$1 collection=$2 label=$3 at
    { echo "$collection,$collection 2"; for _ in 1 2 3 4 5 6 7 8 9 10; do echo "$label,$label"; done; } >values.csv
    rm -rf ./*.ldp ./*.ldp-* endpoint.log "$XDG_STATE_HOME"
    run "$what: insert" 0 "$ldp" submit --dsn "user=$role" --collection "$collection" --public "$collection 2" --state 1.ldp values.csv
    run "$what: again" 0 "$ldp" submit --dsn "user=$role" --collection "$collection" --public "$collection 2" --state 1.ldp values.csv
    run "$what: call" 0 "$ldp" submit --dsn "user=$role" --collection "$collection" --public "$collection 2" --method call --copy --state 2.ldp values.csv
    "$ldp" collect --listen 127.0.0.1:0 --dsn "user=$role" --sessions 1 2>endpoint.log &
    endpoint=$!
    until grep -qs "listening\|error" endpoint.log || ! kill -0 "$endpoint" 2>/dev/null; do sleep 0.05; done
    at=$(sed -n 's/^listening on //p' endpoint.log)
    run "$what: endpoint" 0 "$ldp" submit --to "$at" --retry-for 10 --collection "$collection" --public "$collection 2" --copy --state 3.ldp values.csv
    stop_endpoint
    check "$what: the endpoint's errors" "" "$(grep -v ^listening endpoint.log)"
    check "$what: stored" "30|$label" "$(admin -c "SELECT count(*), string_agg(DISTINCT \"$collection 2\", ' ') FROM public.\"$collection\"")"
    run "$what: estimate" 0 "$ldp" estimate --csv - --by "$collection 2" "$collection"
    has out "$label"
}

# Databases in other encodings.
number=0
while read -r encoding collected label settings; do
    for setting in $settings; do
        number=$((number + 1))
        export PGDATABASE=ldp_connections_$number
        PGDATABASE=$maintenance psql -Xqc "CREATE DATABASE $PGDATABASE ENCODING $encoding LOCALE 'C' TEMPLATE template0" || exit 1
        databases+=("$PGDATABASE")
        create "$collected" "$label"
        if [ "$setting" != none ]; then export PGCLIENTENCODING=$setting; fi
        use "$encoding, client $setting" "$collected" "$label"
        unset PGCLIENTENCODING
    done
done <<'END'
LATIN1 größe Köln none
EUC_JP 東京 大阪 none SJIS
UTF8 größe Köln LATIN1
SQL_ASCII größe Köln none
END

# Names that are no UTF-8, as SQL_ASCII allows: such a collection leaves out itself alone.
admin -c "SELECT ldp_create_collection('odd', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3}')" >/dev/null
PGCLIENTENCODING=SQL_ASCII psql -Xqc $'ALTER TABLE odd ADD COLUMN "\xff" text'
rm -f endpoint.log  # of the last endpoint, which has another address
"$ldp" collect --listen 127.0.0.1:0 --dsn "user=$role" --sessions 1 2>endpoint.log &
endpoint=$!
until grep -qs "listening" endpoint.log || ! kill -0 "$endpoint" 2>/dev/null; do sleep 0.05; done
run "beside a name that is no UTF-8" 0 "$ldp" submit --to "$(sed -n 's/^listening on //p' endpoint.log)" --retry-for 10 --collection größe \
    --public "größe 2" --copy --state 9.ldp values.csv
stop_endpoint
name="the endpoint's complaint"
has endpoint.log 'odd'

# An extension in a schema of its own.
create_databases ldp_connections_schema && PGDATABASE=ldp_connections_schema
create größe Köln ldp
use "a schema of its own" größe Köln

# Behind a pooler. Sessions of other programs keep their settings.
pooler=$(command -v pgbouncer || echo /usr/sbin/pgbouncer)
[ -x "$pooler" ] || "$root/tools/deps" pgbouncer >deps.log 2>&1 || echo "no pgbouncer here: its tests are skipped"
if [ -x "$pooler" ]; then
    create_databases ldp_connections_pooled && PGDATABASE=ldp_connections_pooled
    create größe Köln
    mkdir "$server/pooler" && chmod 777 "$server/pooler"
    for ignored in "" "ignore_startup_parameters = options"; do
        admin -c "TRUNCATE größe" -c "DELETE FROM ldp_internal.ldp_batch" >/dev/null
        cat >"$server/pooler/ini" <<INI
[databases]
* = host=$admin_host port=$admin_port
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = $server/pooler
auth_type = trust
auth_file = $server/pooler/users
pool_mode = transaction
default_pool_size = 2
server_check_delay = 0
pidfile = $server/pooler/pid
logfile = $server/pooler/log
$ignored
INI
        printf '"%s" ""\n"%s" ""\n' "$PGUSER" "$role" >"$server/pooler/users"
        chmod a+r "$server/pooler/ini" "$server/pooler/users"
        "$LDP_AS_SERVER" "$pooler" -q "$server/pooler/ini" 2>pooler.log &
        until [ -S "$server/pooler/.s.PGSQL.6432" ] || [ -z "$(jobs -r)" ]; do sleep 0.05; done
        export PGHOST=$server/pooler PGPORT=6432
        what="a pooler${ignored:+ that ignores options}"
        use "$what" größe Köln
        for user in "$PGUSER" "$role"; do
            check "$what: settings of $user" "off|\"\$user\", public|0|0|none" "$(PGUSER=$user sql -c "SELECT current_setting('default_transaction_read_only'),
                current_setting('search_path'), current_setting('statement_timeout'), current_setting('lock_timeout'), current_setting('role')")"
        done
        PGHOST=$admin_host PGPORT=$admin_port
        kill "$(cat "$server/pooler/pid")"
        wait
    done
fi

# A German server that is full: the SQLSTATE decides whether a client waits.
mkdir "$server/locales"
if localedef -i de_DE -f UTF-8 "$server/locales/de_DE.UTF-8" 2>/dev/null; then
    chmod -R a+rX "$server/locales"
    export LOCPATH=$server/locales
fi
"$LDP_AS_SERVER" "$bin/initdb" -D "$server/german" -U ldp -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null || exit 1
mkdir german && chmod 777 german "$work"
{
    grep -E "^(dynamic_library_path|extension_destdir|extension_control_path)" "$server/data/postgresql.conf"
    printf "listen_addresses = ''\nunix_socket_directories = '%s'\nfsync = off\n" "$work/german"
    if [ -n "${LOCPATH:-}" ]; then echo "lc_messages = 'de_DE.UTF-8'"; fi
} >german.conf
"$LDP_AS_SERVER" tee -a "$server/german/postgresql.conf" <german.conf >/dev/null
"$LDP_AS_SERVER" "$bin/pg_ctl" -D "$server/german" -l "$server/german/log" -w start >/dev/null || { cat "$server/german/log"; exit 1; }
export PGHOST=$work/german PGPORT=5432 PGDATABASE=postgres
admin_host=$PGHOST admin_port=$PGPORT
create größe Köln
use "a German server" größe Köln
echo "größe,größe 2"$'\n'"Köln,Köln" >one.csv
admin -c "ALTER ROLE $role CONNECTION LIMIT 0"
run "a full server" 4 "$ldp" submit --dsn "user=$role" --retry-for 1 --collection größe --public "größe 2" --state 4.ldp one.csv
has err "; retrying"
if [ -n "${LOCPATH:-}" ]; then has err "zu viele Verbindungen"; fi
admin -c "ALTER ROLE $role CONNECTION LIMIT -1"
run "no such database" 1 "$ldp" submit --dsn "user=$role dbname=missing" --retry-for 60 --collection größe --public "größe 2" --state 5.ldp one.csv
run "it has room" 0 "$ldp" submit --dsn "user=$role" --collection größe --public "größe 2" --state 4.ldp one.csv

# TLS that fails is not retried: a server without TLS, and a certificate that the client does not trust. A good one is used.
tcp=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
for name in server other; do
    "$LDP_AS_SERVER" openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$name" -keyout "$server/german/$name.key" \
        -out "$server/german/$name.crt" 2>/dev/null || exit 1
    "$LDP_AS_SERVER" cat "$server/german/$name.crt" >"$name.crt"
done
printf "listen_addresses = '127.0.0.1'\nport = %s\n" "$tcp" | "$LDP_AS_SERVER" tee -a "$server/german/postgresql.conf" >/dev/null
restart() { "$LDP_AS_SERVER" "$bin/pg_ctl" -D "$server/german" -l "$server/german/log" -m fast -w restart >/dev/null; }
# tls EXIT TLS: submits over TCP with these parameters of TLS.
tls() {
    run "TLS: $2" "$1" timeout 30 "$ldp" submit --dsn "user=$role host=127.0.0.1 port=$tcp dbname=postgres $2" --retry-for 300 \
        --collection größe --public "größe 2" --state tls.ldp one.csv
    check "TLS is not retried: $2" 0 "$(grep -c '; retrying' err)"
}
restart
tls 1 "sslmode=require"
echo "ssl = on" | "$LDP_AS_SERVER" tee -a "$server/german/postgresql.conf" >/dev/null
restart
tls 1 "sslmode=verify-ca sslrootcert=$work/other.crt"
tls 1 "sslmode=verify-full sslrootcert=$work/server.crt"
tls 0 "sslmode=verify-ca sslrootcert=$work/server.crt"
finish
