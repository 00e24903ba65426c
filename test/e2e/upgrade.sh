#!/usr/bin/env bash
# ALTER EXTENSION ldp UPDATE, with collections, reports, stored summaries and views in place: what was answered before is
# answered after, byte by byte, and the upgraded database can be dumped and restored. Until there is a next version, the
# step is an artificial one that this test writes itself: it adds a function, replaces one, and adds a column.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
from=ldp_upgrade_from to=ldp_upgrade_to new=ldp_upgrade_new
oldest=$(sed -n "s/^default_version = '\(.*\)'/\1/p" ldp.control)
newest=$oldest.test
# Where this cluster looks for extensions first.
offered=$(dirname "$PGHOST")/stage$("${PG_CONFIG:-pg_config}" --sharedir)/extension
step=$offered/ldp--$oldest--$newest.sql
at_exit() { rm -f "$step"; }

cat >"$step" <<'SQL'
\echo Use "ALTER EXTENSION ldp UPDATE" to load this file. \quit
SET LOCAL search_path = pg_catalog, pg_temp;
CREATE FUNCTION @extschema@.ldp_epsilon(name text) RETURNS float8
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT (ldp_internal.ldp_collection_named($1)).epsilon $$;
COMMENT ON FUNCTION @extschema@.ldp_epsilon(text) IS 'what one report of a collection may cost';
CREATE OR REPLACE FUNCTION @extschema@.ldp_client_spec(name text) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT (ldp_internal.ldp_collection_named($1)).spec || '{"upgraded": true}' $$;
ALTER TABLE ldp_internal.ldp_batch ADD COLUMN received timestamptz;
SQL

create_databases $from $to $new
sql $from >"$work/log" <<SQL || { cat "$work/log"; exit 1; }
CREATE EXTENSION ldp VERSION '$oldest';
SELECT ldp_create_collection('region', '{"mechanism": "grr", "epsilon": 1, "min_group": 1, "domain": ["north", "east", "south"]}');
SELECT ldp_create_collection('tags', '{"mechanism": "oue", "epsilon": 1, "domain": 10}');
SELECT ldp_create_collection('wage', '{"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 2500}', ARRAY[['country', 'text']]);
SELECT ldp_create_collection('day', '{"mechanism": "haar", "epsilon": 2, "attributes":
    [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 9}, {"name": "c", "min": 0, "max": 9}]}');
SELECT ldp_create_collection('profile', '{"mechanism": "sampled", "epsilon": 2, "attributes": [
    {"name": "region", "domain": ["north", "east", "south"], "mechanism": "grr"}, {"name": "wage", "min": 0, "max": 2500, "mechanism": "pdp"}]}');
SELECT ldp_create_collection('age', '{"mechanism": "haar_ordered", "epsilon": 2, "min": 0, "max": 2500, "grid": 100}');
SELECT ldp_create_hitters('words', 2, 'ab');
SQL
check "the old version is there" $oldest "$(sql $from -c "SELECT extversion FROM pg_extension WHERE extname = 'ldp'")"
{ echo region,value,wage,a,b,c
  for i in $(seq 600); do
      case $((i % 3)) in 0) echo -n north, ;; 1) echo -n east, ;; *) echo -n south, ;; esac
      echo "$((i % 10)),$((4 * i)),0.$((i % 10)),$((i % 9)),$((i % 7))"
  done; } >"$work/people.csv"
for name in region tags wage day profile age; do
    sql $from -c "SELECT ldp_client_spec('$name')" >"$work/spec"
    # A lone attribute without a name is called value.
    case $name in
        region) cut -d, -f1 "$work/people.csv" | sed '1s/.*/value/' ;;
        tags) cut -d, -f2 "$work/people.csv" ;;
        wage | age) cut -d, -f3 "$work/people.csv" | sed '1s/.*/value/' ;;
        day) cut -d, -f4- "$work/people.csv" ;;
        profile) cut -d, -f1,3 "$work/people.csv" ;;
    esac | "$ldp" perturb --spec "$work/spec" 2>/dev/null >"$work/$name.copy"
    sql $from -c "\\copy $name (report) FROM '$work/$name.copy'" || exit 1
done
sql $from >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
SELECT ldp_open_rounds('region', 0, 1);
SELECT ldp_submit_batch('region', '6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0001', ARRAY(SELECT report FROM region ORDER BY report LIMIT 3), 1);
CREATE VIEW shares AS SELECT * FROM ldp_estimate((SELECT ldp_agg(report) FROM region), statistics => '{proportion}');
CREATE VIEW sure AS SELECT * FROM ldp_estimate((SELECT ldp_agg(report) FROM tags), statistics => '{proportion}', confidence => 0.99, target => 'population');
CREATE VIEW likely AS SELECT * FROM ldp_consistent((SELECT ldp_agg(report) FROM region), 'norm_sub');
CREATE VIEW ranking AS SELECT * FROM ldp_top((SELECT ldp_agg(report) FROM region), 2);
CREATE VIEW signs AS SELECT * FROM ldp_health((SELECT ldp_agg(report) FROM region));
CREATE VIEW answers AS
    SELECT (SELECT ldp_proportion(report) FROM region) AS region, (SELECT ldp_mean(report) FROM wage) AS wage, (SELECT ldp_haar(report) FROM day) AS day;
CREATE VIEW record AS SELECT f.* FROM ldp_estimate(ldp_part((SELECT ldp_agg(report) FROM profile), 'region'), statistics => '{proportion}') AS f;
CREATE VIEW steps AS
    SELECT (SELECT ldp_quantile(report, 0.25) FROM age) AS quartile, (SELECT array_agg(t)::text FROM ldp_top((SELECT ldp_agg(report) FROM region), 2) AS t) AS top, (SELECT ldp_proportion(report, 'east') FROM region) AS east,
           (SELECT b.estimate FROM ldp_between((SELECT ldp_agg(report) FROM age), 100, 900) AS b) AS middle;
CREATE TABLE published OF ldp_estimate_row;
INSERT INTO published SELECT * FROM ldp_estimate('profile');
CREATE VIEW quartiles AS SELECT * FROM ldp_quantiles((SELECT ldp_agg(report) FROM age), '{0.25,0.5,0.75}');
CREATE VIEW change AS SELECT * FROM ldp_change((SELECT ldp_agg(report) FROM region WHERE round = 0), (SELECT ldp_agg(report) FROM region WHERE round = 1), 0.5);
CREATE MATERIALIZED VIEW summaries AS
    SELECT 'region' AS name, ldp_agg(report) AS summary FROM region UNION ALL
    SELECT 'wage', ldp_agg(report) FROM wage UNION ALL SELECT 'day', ldp_agg(report) FROM day;
CREATE TABLE kept (summary ldp_summary, reports bigint GENERATED ALWAYS AS (ldp_count(summary)) STORED);
INSERT INTO kept SELECT ldp_agg(report) FROM age;
CREATE MATERIALIZED VIEW medians AS SELECT ldp_quantile(summary, 0.5) AS median FROM kept;
CREATE FUNCTION estimates() RETURNS SETOF text LANGUAGE sql AS $$
    SELECT e::text FROM unnest(ARRAY['region', 'tags', 'wage', 'day', 'profile', 'age']) AS name, ldp_estimate(name) AS e $$;
SQL
questions=("SELECT * FROM shares" "SELECT * FROM sure" "SELECT * FROM likely" "SELECT * FROM ranking" "SELECT * FROM signs" "SELECT * FROM answers"
    "SELECT * FROM record" "SELECT * FROM steps" "SELECT * FROM published" "SELECT * FROM quartiles" "SELECT * FROM change" "SELECT * FROM summaries" "SELECT * FROM kept" "SELECT * FROM medians" "SELECT estimates()"
    "SELECT name, ldp_count(summary) FROM summaries" "SELECT name, mechanism, epsilon, spec FROM ldp_collections ORDER BY name"
    "SELECT name, round FROM ldp_internal.ldp_hitter_search" "SELECT collection, submitter, batch, reports, digest FROM ldp_internal.ldp_batch")
before=()
for question in "${questions[@]}"; do before+=("$(sql $from -c "$question")"); done

check "the upgrade says nothing" "" "$(sql $from -c "ALTER EXTENSION ldp UPDATE TO '$newest'")"
check "the new version is there" $newest "$(sql $from -c "SELECT extversion FROM pg_extension WHERE extname = 'ldp'")"
same_answers() {  # database, when
    for i in "${!questions[@]}"; do
        check "an answer worth comparing: ${questions[$i]}" yes "$([ -n "${before[$i]}" ] && ! grep -q ERROR <<<"${before[$i]}" && echo yes)"
        check "$2: ${questions[$i]}" "${before[$i]}" "$(sql "$1" -c "${questions[$i]}")"
    done
}
same_answers $from "after the upgrade"
check "the new function is there" 1 "$(sql $from -c "SELECT ldp_epsilon('region')")"
check "the replaced one is the new one" true "$(sql $from -c "SELECT ldp_client_spec('region') -> 'upgraded'")"
check "stored summaries and new ones add up" t "$(sql $from -c "
    SELECT ldp_rollup(s) = ldp_agg_twice FROM (SELECT summary AS s FROM summaries WHERE name = 'region' UNION ALL SELECT ldp_agg(report) FROM region) AS both_of_them,
           (SELECT ldp_agg(report) AS ldp_agg_twice FROM (SELECT report FROM region UNION ALL SELECT report FROM region) AS r) AS twice GROUP BY ldp_agg_twice")"
check "collections take reports as before" 604 "$(sql $from -c "INSERT INTO region (report) SELECT report FROM region LIMIT 1" -c "SELECT ldp_count(ldp_agg(report)) FROM region")"
sql $from -c "DELETE FROM region WHERE ctid = (SELECT max(ctid) FROM region)"
check "a batch of before counts once" 0 "$(sql $from -c "
    SELECT ldp_submit_batch('region', '6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0001', ARRAY(SELECT report FROM region WHERE round = 0 ORDER BY report LIMIT 3), 1)")"

# A dump names no version: what is restored is what the new server offers, here the upgraded one as well.
sql $to -c "CREATE EXTENSION ldp VERSION '$newest'"
pg_dump $from | sql $to >"$work/restore.log"
check "the restore reports nothing" "" "$(grep -v '^$' "$work/restore.log" | grep -iE 'error|warning')"
same_answers $to "after dump and restore"
check "a restored batch counts once" 0 "$(sql $to -c "
    SELECT ldp_submit_batch('region', '6b1e0f5c-1b1a-4b52-9d1c-0a8d6f1f0001', ARRAY(SELECT report FROM region WHERE round = 0 ORDER BY report LIMIT 3), 1)")"

# An upgraded extension is the one that a new database gets: the same objects, defined alike.
sql $new -c "CREATE EXTENSION ldp VERSION '$newest'"
contents="SELECT pg_describe_object(d.classid, d.objid, 0), CASE WHEN p.prokind = 'f' THEN md5(pg_get_functiondef(p.oid)) END
          FROM pg_depend AS d LEFT JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
          WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
            AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ldp') ORDER BY 1"
check "there are objects to compare" yes "$([ "$(sql $new -c "$contents" | wc -l)" -gt 100 ] && echo yes)"
check "the same objects as in a new database" "$(sql $new -c "$contents")" "$(sql $from -c "$contents")"

finish
