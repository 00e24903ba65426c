#!/usr/bin/env bash
# ALTER EXTENSION ldp UPDATE from every version before, with collections, reports, stored summaries and views in place:
# what was answered before is answered after, byte by byte, and the upgraded database can be dumped and restored.
set -uo pipefail
cd "$(dirname "$0")/../.."
ldp=${LDP:-build/bin/ldp}
from=ldp_upgrade_from to=ldp_upgrade_to second=ldp_upgrade_second third=ldp_upgrade_third
work=$(mktemp -d "${TMPDIR:-/tmp}/ldp-upgrade.XXXXXX")
cleanup() {
    for database in $from $to $second $third; do psql -Xqc "DROP DATABASE IF EXISTS $database WITH (FORCE)" 2>/dev/null; done
    rm -rf "$work"
}
trap cleanup EXIT

passed=0 failed=0
check() {  # what, expected, found
    if [ "$2" = "$3" ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        printf 'FAILED: %s\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
    fi
}
sql() { psql -XqAt -v ON_ERROR_STOP=1 -d "$@" 2>&1; }
newest=$(sed -n "s/^default_version = '\(.*\)'/\1/p" ldp.control)

# What version 0.1.0 could do. The library is the new one, as it is after an upgrade of the package.
psql -Xqc "CREATE DATABASE $from" -c "CREATE DATABASE $to" || exit 1
sql $from >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE EXTENSION ldp VERSION '0.1.0';
SELECT ldp_create_collection('region', '{"mechanism": "grr", "epsilon": 1, "domain": ["north", "east", "south"]}');
SELECT ldp_create_collection('tags', '{"mechanism": "oue", "epsilon": 1, "domain": 10}');
SELECT ldp_create_collection('wage', '{"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 2500}');
SELECT ldp_create_collection('day', '{"mechanism": "haar", "epsilon": 2, "attributes":
    [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 9}, {"name": "c", "min": 0, "max": 9}]}');
SQL
check "the old version is there" 0.1.0 "$(sql $from -c "SELECT extversion FROM pg_extension WHERE extname = 'ldp'")"
{ echo region,value,wage,a,b,c
  for i in $(seq 600); do
      case $((i % 3)) in 0) echo -n north, ;; 1) echo -n east, ;; *) echo -n south, ;; esac
      echo "$((i % 10)),$((4 * i)),0.$((i % 10)),$((i % 9)),$((i % 7))"
  done; } >"$work/people.csv"
for name in region tags wage day; do
    sql $from -c "SELECT ldp_client_spec('$name')" >"$work/spec"
    # A lone attribute without a name is called value.
    case $name in
        region) cut -d, -f1 "$work/people.csv" | sed '1s/.*/value/' ;;
        tags) cut -d, -f2 "$work/people.csv" ;;
        wage) cut -d, -f3 "$work/people.csv" | sed '1s/.*/value/' ;;
        day) cut -d, -f4- "$work/people.csv" ;;
    esac | "$ldp" perturb --spec "$work/spec" 2>/dev/null >"$work/$name.copy"
    sql $from -c "\\copy $name (report) FROM '$work/$name.copy'" || exit 1
done
sql $from >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE VIEW shares AS SELECT * FROM ldp_frequencies((SELECT ldp_agg(report) FROM region));
CREATE VIEW sure AS SELECT * FROM ldp_frequencies((SELECT ldp_agg(report) FROM tags), 0.99, 'population');
CREATE VIEW answers AS
    SELECT (SELECT ldp_frequency(report) FROM region) AS region, (SELECT ldp_mean(report) FROM wage) AS wage, (SELECT ldp_haar(report) FROM day) AS day;
CREATE MATERIALIZED VIEW summaries AS
    SELECT 'region' AS name, ldp_agg(report) AS summary FROM region UNION ALL
    SELECT 'wage', ldp_agg(report) FROM wage UNION ALL SELECT 'day', ldp_agg(report) FROM day;
CREATE FUNCTION estimates() RETURNS SETOF text LANGUAGE sql AS $$
    SELECT e::text FROM unnest(ARRAY['region', 'tags', 'wage', 'day']) AS name, ldp_estimate(name) AS e $$;
SQL
questions=("SELECT * FROM shares" "SELECT * FROM sure" "SELECT * FROM answers" "SELECT * FROM summaries" "SELECT estimates()"
    "SELECT name, ldp_count(summary) FROM summaries" "SELECT name, mechanism, epsilon, spec FROM ldp_collections ORDER BY name")
before=()
for question in "${questions[@]}"; do before+=("$(sql $from -c "$question")"); done

check "the upgrade says nothing" "" "$(sql $from -c "ALTER EXTENSION ldp UPDATE")"
check "the new version is there" "$newest" "$(sql $from -c "SELECT extversion FROM pg_extension WHERE extname = 'ldp'")"
same_answers() {  # database, when
    for i in "${!questions[@]}"; do
        check "an answer worth comparing: ${questions[$i]}" yes "$([ -n "${before[$i]}" ] && echo yes)"
        check "$2: ${questions[$i]}" "${before[$i]}" "$(sql "$1" -c "${questions[$i]}")"
    done
}
same_answers $from "after the upgrade"
check "stored summaries and new ones add up" t "$(sql $from -c "
    SELECT ldp_rollup(s) = ldp_agg_twice FROM (SELECT summary AS s FROM summaries WHERE name = 'region' UNION ALL SELECT ldp_agg(report) FROM region) AS both_of_them,
           (SELECT ldp_agg(report) AS ldp_agg_twice FROM (SELECT report FROM region UNION ALL SELECT report FROM region) AS r) AS twice GROUP BY ldp_agg_twice")"
check "collections of before have labels" "{north,east,south}" "$(sql $from -c "SELECT ldp_labels(ldp_agg(report)) FROM region")"
check "and the new accessors" "north east south " "$(sql $from -c "SELECT f.label FROM ldp_frequencies((SELECT ldp_agg(report) FROM region)) AS f ORDER BY value" | tr '\n' ' ')"
check "they take reports as before" 601 "$(sql $from -c "INSERT INTO region (report) SELECT report FROM region LIMIT 1" -c "SELECT ldp_count(ldp_agg(report)) FROM region")"
sql $from -c "DELETE FROM region WHERE ctid = (SELECT max(ctid) FROM region)"

# A summary of oue from 0.1.0 is told apart by its length, and its reports make a new one.
old="convert_from(convert_to(encode(ldp_spec_parameters(ldp_client_spec('tags')), 'hex'), 'UTF8'), 'UTF8')"
check "an old summary of oue is refused, and told what to do" "ERROR:  the summary has the wrong length
DETAIL:  Found 116 bytes; its parameters say 134.
HINT:  It was cut short or damaged, does not come from ldp, or was made by version 0.1: aggregate its reports again." \
    "$(sql $from -c "SELECT (overlay($old PLACING '01' FROM 3 FOR 2) || repeat('00', 88))::ldp_summary" | sed 's/^LINE.*//; /^ *^$/d' | head -n 3)"
check "its reports make a new one" 600 "$(sql $from -c "SELECT ldp_count(ldp_agg(report)) FROM tags")"

pg_dump $from | sql $to >"$work/restore.log"
check "the restore reports nothing" "" "$(grep -v '^$' "$work/restore.log" | grep -iE 'error|warning')"
same_answers $to "after dump and restore"
check "labels are known there, too" "{north,east,south}" "$(sql $to -c "SELECT ldp_labels(ldp_agg(report)) FROM region")"

# An upgraded extension is the one that a new database gets.
contents="SELECT pg_describe_object(classid, objid, 0) FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
          AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ldp') ORDER BY 1"
check "the same objects as in a new database" "$(sql $to -c "$contents")" "$(sql $from -c "$contents")"

# What version 0.2.0 added.
psql -Xqc "CREATE DATABASE $second" || exit 1
sql $second >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE EXTENSION ldp VERSION '0.2.0';
SELECT ldp_create_collection('region', '{"mechanism": "auto", "epsilon": 1, "domain": ["north", "east", "south"]}');
SELECT ldp_create_hitters('words', 2, 'ab');
SQL
sql $second -c "SELECT ldp_client_spec('region')" >"$work/spec"
cut -d, -f1 "$work/people.csv" | sed '1s/.*/value/' | "$ldp" perturb --spec "$work/spec" 2>/dev/null >"$work/region.copy"
sql $second -c "\\copy region (report) FROM '$work/region.copy'" || exit 1
sql $second >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE VIEW shares AS SELECT * FROM ldp_frequencies((SELECT ldp_agg(report) FROM region), 'norm_sub');
CREATE VIEW ranking AS SELECT * FROM ldp_top((SELECT ldp_agg(report) FROM region), 2);
CREATE VIEW signs AS SELECT * FROM ldp_health((SELECT ldp_agg(report) FROM region));
CREATE VIEW one AS SELECT ldp_frequency((SELECT ldp_agg(report) FROM region), 'east') AS share, ldp_labels((SELECT ldp_agg(report) FROM region)) AS labels;
CREATE MATERIALIZED VIEW summaries AS SELECT ldp_agg(report) AS summary FROM region;
CREATE FUNCTION estimates() RETURNS SETOF text LANGUAGE sql AS $$ SELECT e::text FROM ldp_estimate('region') AS e $$;
SQL
questions=("SELECT * FROM shares" "SELECT * FROM ranking" "SELECT * FROM signs" "SELECT * FROM one" "SELECT * FROM summaries" "SELECT estimates()"
    "SELECT name, round FROM ldp_hitter_search")
before=()
for question in "${questions[@]}"; do before+=("$(sql $second -c "$question")"); done
check "the upgrade from 0.2.0 says nothing" "" "$(sql $second -c "ALTER EXTENSION ldp UPDATE")"
same_answers $second "after the upgrade from 0.2.0"
check "the same objects as in a new database, from 0.2.0" "$(sql $to -c "$contents")" "$(sql $second -c "$contents")"

# What version 0.3.0 added.
psql -Xqc "CREATE DATABASE $third" || exit 1
sql $third >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE EXTENSION ldp VERSION '0.3.0';
SELECT ldp_create_collection('person', '{"mechanism": "sampled", "epsilon": 2, "attributes": [
    {"name": "region", "domain": ["north", "east", "south"], "mechanism": "grr"}, {"name": "wage", "min": 0, "max": 2500, "mechanism": "pdp"}]}');
SELECT ldp_create_collection('score', '{"mechanism": "haar_ordered", "epsilon": 1, "min": 0, "max": 7, "grid": 7}');
SQL
awk -F, 'NR == 1 { print "region,wage" } NR > 1 { print $1 "," $3 }' "$work/people.csv" >"$work/person.csv"
awk -F, 'NR == 1 { print "value" } NR > 1 { print $2 % 8 }' "$work/people.csv" >"$work/score.csv"
for name in person score; do
    sql $third -c "SELECT ldp_client_spec('$name')" >"$work/spec"
    "$ldp" perturb --spec "$work/spec" <"$work/$name.csv" 2>/dev/null >"$work/$name.copy"
    sql $third -c "\\copy $name (report) FROM '$work/$name.copy'" || exit 1
done
sql $third >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
UPDATE person SET round = 1 WHERE ctid IN (SELECT ctid FROM person LIMIT 300);
CREATE MATERIALIZED VIEW summaries AS SELECT round, ldp_agg(report) AS summary FROM person GROUP BY round;
CREATE VIEW parts AS SELECT round, f.* FROM summaries, ldp_frequencies(ldp_part(summary, 'region')) AS f ORDER BY round, value;
CREATE VIEW wages AS SELECT round, ldp_mean(summary, 'wage'), ldp_attributes(summary) FROM summaries ORDER BY round;
CREATE VIEW ranks AS SELECT q.* FROM ldp_quantiles((SELECT ldp_agg(report) FROM score)) AS q;
CREATE VIEW bins AS SELECT h.* FROM ldp_histogram((SELECT ldp_agg(report) FROM score), 4) AS h;
CREATE FUNCTION estimates() RETURNS SETOF text LANGUAGE sql AS $$ SELECT e::text FROM ldp_estimate('person') AS e $$;
SQL
questions=("SELECT * FROM summaries ORDER BY round" "SELECT * FROM parts" "SELECT * FROM wages" "SELECT * FROM ranks" "SELECT * FROM bins" "SELECT estimates()")
before=()
for question in "${questions[@]}"; do before+=("$(sql $third -c "$question")"); done
check "the upgrade from 0.3.0 says nothing" "" "$(sql $third -c "ALTER EXTENSION ldp UPDATE")"
same_answers $third "after the upgrade from 0.3.0"
check "the same objects as in a new database, from 0.3.0" "$(sql $to -c "$contents")" "$(sql $third -c "$contents")"
check "stored summaries of rounds are compared" "0 north|0 east|0 south|1 " "$(sql $third -F ' ' -R '|' -c "
    SELECT c.attribute, c.label FROM summaries AS b, summaries AS a, ldp_change(b.summary, a.summary, 0.5) AS c WHERE b.round = 0 AND a.round = 1")"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
