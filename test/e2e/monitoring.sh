#!/usr/bin/env bash
# The files in monitoring/. They parse, and their query runs with the rights of pg_monitor alone. Each metric and label that a rule or
# a panel names exists, in the view or at an endpoint. The table of the manual lists the metrics of the view.
. "$(dirname "$0")/../prelude.sh"
python=/usr/bin/python3  # Debian's, whose packages it has
"$python" -c "import yaml" 2>/dev/null || { echo "python3-yaml is missing"; exit 77; }
cd "$root" || exit 1
create_databases ldp_monitoring
roles=(watcher sender gateway)
trap 'cleanup; for role in "${roles[@]}"; do psql -Xqc "DROP ROLE IF EXISTS ldp_monitoring_$role"; done' EXIT
for role in "${roles[@]}"; do sql -c "CREATE ROLE ldp_monitoring_$role LOGIN" || exit 1; done

# A database in which every check has a row.
sql >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE EXTENSION ldp;
GRANT pg_monitor TO ldp_monitoring_watcher;
GRANT ldp_submitter, ldp_analyst TO ldp_monitoring_sender;
GRANT ldp_submitter TO ldp_monitoring_gateway;
SELECT ldp_create_collection('visits', '{"mechanism": "grr", "epsilon": 1, "domain": 3, "budget": {"group": "office", "epsilon": 3, "at_most": 2}}',
    ARRAY[['seen', 'date']], partition_by => 'seen');
SELECT ldp_create_rollup('rounds', 'visits', '{round}');
GRANT SELECT (report) ON visits TO PUBLIC;
SELECT cardinality(ldp_create_tokens('visits', 1));
SQL
metrics=$(sql -c "SELECT DISTINCT metric FROM ldp_status ORDER BY 1")
check "the manual lists each metric" "$metrics" "$(sed -n '/^| metric /,/^$/p' doc/operation.md | sed -nE 's/^\| (`[^|]*`) \|.*/\1/p' | tr -d '` ' | tr , '\n' | sort)"

# What a user's exporter does with each file.
cat >"$work/read.py" <<'PYTHON'
import json, re, sys
import yaml

folder, metrics, endpoint = sys.argv[1], set(open(sys.argv[2]).read().split()), open(sys.argv[3]).read()
read = lambda name: yaml.safe_load(open(f"{folder}/{name}"))
faults = []

# The metrics that the exporters make of the query: name -> labels.
of_query = {}
for space, query in read("postgres_exporter.yml").items():
    usage = {name: part["usage"] for column in query["metrics"] for name, part in column.items()}
    labels = {name for name, kind in usage.items() if kind == "LABEL"}
    of_query.update({f"{space}_{name}": labels for name, kind in usage.items() if kind == "GAUGE"})
    open("postgres.sql", "w").write(query["query"])
    json.dump(sorted(usage), open("columns.json", "w"))
collector = read("sql_exporter.yml")
open("sql.sql", "w").write(collector["queries"][0]["query"])
of_other = {one["metric_name"]: set(one["key_labels"]) for one in collector["metrics"]}
if of_query != of_other:
    faults.append(f"the exporters differ: {of_query} and {of_other}")

# The metrics of the endpoint, with the labels of their samples.
for name, labels in re.findall(r"^(ldp_collect_\w+)(?:\{(.*)\})? ", endpoint, re.MULTILINE):
    of_query.setdefault(name, set()).update(re.findall(r"(\w+)=", labels))

rules = read("alerts.yml")
alerts = [rule for group in rules["groups"] for rule in group["rules"]]
expressions = [(rule["alert"], rule["expr"]) for rule in alerts]
board = json.load(open(f"{folder}/grafana.json"))
expressions += [(panel["title"], target["expr"]) for panel in board["panels"] for target in panel["targets"]]
expressions += [(one["name"], one["query"]["query"]) for one in board["templating"]["list"] if one["type"] == "query"]
target_labels = {"instance", "job"}  # those of every scrape
for title, text in expressions:
    names = re.findall(r"\bldp_\w+", text)
    if not names:
        faults.append(f"{title}: names no metric")
    for name in names:
        if name not in of_query:
            faults.append(f"{title}: there is no metric {name}")
    for name, selector in re.findall(r"\b(ldp_\w+)\{([^}]*)\}", text):
        for label, value in re.findall(r'(\w+)=~?"([^"]*)"', selector):
            if label not in of_query.get(name, set()) | target_labels:
                faults.append(f"{title}: {name} has no label {label}")
            if label == "metric" and value not in metrics:
                faults.append(f"{title}: ldp_status has no metric {value}")
if len({rule["alert"] for rule in alerts}) != len(alerts) or len({panel["id"] for panel in board["panels"]}) != len(board["panels"]):
    faults.append("two alerts or panels with one name")
for rule in alerts:
    if rule["labels"]["severity"] not in ("critical", "warning") or not {"summary", "description"} <= set(rule["annotations"]):
        faults.append(f"{rule['alert']}: no severity, summary or description")
    used = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
    known = target_labels.union(*(of_query.get(name, set()) for name in re.findall(r"\bldp_\w+", rule["expr"])))
    if not used <= known:
        faults.append(f"{rule['alert']}: no label {used - known}")
variables = {one["name"] for one in board["templating"]["list"]} | {"__rate_interval"}
for name in re.findall(r"\$\{?(\w+)", "".join(text for _, text in expressions[len(alerts):])):
    if name not in variables:
        faults.append(f"the dashboard has no variable {name}")
print("\n".join(faults) or f"{len(expressions)} expressions")
sys.exit(bool(faults))
PYTHON

"$ldp" collect --listen 127.0.0.1:0 --dsn user=ldp_monitoring_gateway 2>"$work/endpoint.log" &
endpoint=$!
address() { sed -n 's|^listening on ||p' "$work/endpoint.log" 2>/dev/null | head -n 1; }
until [ -n "$(address)" ] || ! kill -0 $endpoint 2>/dev/null; do sleep 0.05; done
[ -n "$(address)" ] || { cat "$work/endpoint.log"; exit 1; }
get() { python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())' "$(address)/metrics"; }
get >/dev/null  # so that a request is counted
get >"$work/metrics"
kill -TERM $endpoint
wait $endpoint
echo "$metrics" >"$work/names"
cd "$work" || exit 1
read_files() { "$python" read.py "$1" names metrics; }
check "every metric and label of the files exists" 0 "$(read_files "$root/monitoring" >read.out 2>&1; echo $?)"
[ "$failed" -eq 0 ] || cat read.out
check "there is something to compare" t "$(sed -nE 's/^([0-9]+) expressions$/\1/p' read.out | awk '{ print ($1 > 25 ? "t" : "f") }')"
for file in postgres sql; do
    check "the query of $file runs with the rights of pg_monitor" "$(python3 -c 'import json; print("|".join(json.load(open("columns.json"))))')" \
        "$( (echo "CREATE TEMP VIEW asked AS"; cat $file.sql; echo "; SELECT string_agg(attname, '|' ORDER BY attname) FROM pg_attribute WHERE attrelid = 'asked'::regclass") |
            PGUSER=ldp_monitoring_watcher sql)"
    check "its rows differ in their labels, and have numbers" "0 $(sql -c "SELECT count(*) FROM ldp_status")" \
        "$( (echo "CREATE TEMP TABLE asked AS"; cat $file.sql; echo "; SELECT count(*) - count(DISTINCT (metric, object, unit)), count(value + problem) FROM asked") |
            PGUSER=ldp_monitoring_watcher sql -F ' ')"
done

# The check finds a wrong name in each file.
damaged() {
    rm -rf wrong && cp -r "$root/monitoring" wrong && sed -i "$3" "wrong/$2"
    if cmp -s "wrong/$2" "$root/monitoring/$2"; then bad "$1: nothing was damaged"; fi
    check "$1" 1 "$(read_files wrong >wrong.out 2>&1; echo $?)"
}
damaged "a wrong metric of the endpoint" alerts.yml 's/ldp_collect_waiting/ldp_collect_queue/'
damaged "a wrong metric of the view" alerts.yml 's/rollup_age/rollup_lag/'
damaged "a wrong label" alerts.yml 's/labels.object/labels.collection/'
damaged "a wrong metric of a panel" grafana.json 's/rollup_reports/reports/'
damaged "a wrong label of a panel" grafana.json 's/by (le)/by (le)/; s/{metric=/{check=/'
damaged "a wrong variable" grafana.json 's/\$endpoint/$gateway/'
damaged "a wrong column" postgres_exporter.yml 's/- problem:/- problems:/'
cd "$root" || exit 1
finish
