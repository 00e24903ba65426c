#!/usr/bin/env bash
# The page doc/machines.md: its blocks run on three nodes, from nothing, with the addresses of these nodes for its names.
#
# Runs where Citus is installed; otherwise the test is skipped with a message.
. "$(dirname "$0")/nodes"
page=$root/doc/machines.md
roles=(survey_node_keeper survey_node_device survey_node_analyst)
forget() {
    local host role
    for host in "${clusters[@]}"; do
        psql -h "$host" -Xqd "$maintenance" -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS survey WITH (FORCE)"
        for role in "${roles[@]}"; do psql -h "$host" -Xqd "$maintenance" -c "DROP ROLE IF EXISTS $role" 2>/dev/null; done
    done
} >/dev/null
trap 'forget; cleanup' EXIT
for PGHOST in "${clusters[@]}"; do prepare_node "$PGHOST"; done
forget
mkdir bin
ln -s "$ldp" bin/ldp
export PATH=$work/bin:$PATH PGHOST=${nodes[0]} PGDATABASE=$maintenance
awk -v work="$work" '/^```/ && inside { close(name); inside = 0; next }
    /^```(sql|sh)$/ { inside = 1; name = sprintf("%s/line-%d.%s", work, NR, substr($0, 4)); print name; next }
    inside { print > name }' "$page" >blocks
while read -r block; do
    # The third worker of the page is the second one here, which the page adds first.
    if grep -q node-3 "$block"; then sql -d survey -c "SELECT count(*) FROM pg_dist_node" >before; sed -i '/node-3/d' "$block"; fi
    sed -i "s|node-\([0-2]\)|\${node_\1}|g" "$block"
    node_0=${nodes[0]} node_1=${nodes[1]} node_2=${nodes[2]} envsubst '$node_0 $node_1 $node_2' <"$block" >"$block.here"
    case $block in
        *.sql) psql -X -d survey -v ON_ERROR_STOP=1 -f "$block.here" >"$block.answer" 2>&1 ;;
        *.sh) bash -euo pipefail "$block.here" >"$block.answer" 2>&1 ;;
    esac && ok || bad "${block##*/} of the page" "$block.answer"
done <blocks
export PGDATABASE=survey
check "the page has its blocks" 11 "$(wc -l <blocks)"
check "the estimate and the series have all countries and labels" 16 "$(cat line-*.sql.answer | grep -cE '^ (de|fr) ')"
for node in 0 1 2; do check "node $node has the series" 8 "$(on $node -c "SELECT count(*) FROM ldp_estimate('visits_daily', by => '{country}')")"; done
for node in 0 1 2; do check "node $node has the reports" 6 "$(on $node -c "SELECT ldp_count(ldp_summary_of('visits'))")"; done
check "shards are on both workers" 2 "$(sql -c "SELECT count(DISTINCT nodename) FROM citus_shards WHERE table_name = 'survey.visits'::regclass AND nodename <> '${nodes[0]}'")"
finish
