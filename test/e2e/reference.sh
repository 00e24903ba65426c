#!/usr/bin/env bash
# The facts of sql/reference.txt: each public function of the catalogs has an example, a line on errors and, unless all its
# overloads are strict or aggregates, a line on NULL. The examples run and return rows. A call with NULLs alone does what the
# line on NULL says.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
create_databases ldp_reference

tools/sql-reference --facts >"$work/facts"
sql >"$work/log" 2>&1 <<'SQL' || { cat "$work/log"; exit 1; }
CREATE EXTENSION ldp;
SELECT ldp_create_collection('region', '{"mechanism": "grr", "epsilon": 4, "min_group": 1, "domain": ["north", "east", "south"]}'),
    ldp_create_collection('links', '{"mechanism": "rappor", "epsilon": 4, "domain": ["a", "b", "c", "d"], "filter_bits": 32, "hashes": 2, "cohorts": 4}'),
    ldp_create_collection('wage', '{"mechanism": "pdp", "epsilon": 4, "attributes": [{"name": "wage", "min": 0, "max": 2500}]}'),
    ldp_create_collection('income', '{"mechanism": "optional_mean", "epsilon": 4, "attributes": [{"name": "income", "min": 0, "max": 2500, "missing": true}]}'),
    ldp_create_collection('services', '{"mechanism": "label_sets", "epsilon": 4, "attributes": [{"name": "services", "domain": ["mail", "maps", "chat"], "several": true, "most": 2}]}'),
    ldp_create_collection('day', '{"mechanism": "haar", "epsilon": 4, "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 9}]}'),
    ldp_create_collection('profile', '{"mechanism": "sampled", "epsilon": 4, "attributes": [{"name": "region", "domain": ["north", "east", "south"]}, {"name": "wage", "min": 0, "max": 2500}]}'),
    ldp_create_collection('age', '{"mechanism": "haar_ordered", "epsilon": 4, "min": 0, "max": 80, "grid": 80}'),
    ldp_create_collection('tree', '{"mechanism": "tree", "epsilon": 4, "min": 0, "max": 80, "grid": 80}'),
    ldp_create_collection('score', '{"mechanism": "square_wave", "epsilon": 4, "min": 0, "max": 10, "grid": 100}'),
    ldp_create_collection('study', '{"mechanism": "sampled", "epsilon": 8, "regression": {"of": "score", "on": ["hours"]}, "attributes": [{"name": "hours", "min": 0, "max": 10}, {"name": "score", "min": 0, "max": 10}]}'),
    ldp_create_collection('survey', '{"mechanism": "joint", "epsilon": 6, "attributes": [{"name": "town", "domain": ["a", "b"]}, {"name": "car", "domain": ["yes", "no"]}]}'),
    ldp_create_collection('rent', '{"mechanism": "winsorized", "epsilon": 4, "min": 0, "max": 2000, "concentration": {"tau": 100}}'),
    ldp_create_collection('growth', '{"mechanism": "duchi", "epsilon": 4, "min": 0, "max": 100}', ARRAY[['week', 'integer']]),
    ldp_create_collection('mood', '{"mechanism": "ddrm", "epsilon": 4, "domain": ["good", "bad"], "rounds": 4}'),
    ldp_create_collection('pulse', '{"mechanism": "threshold_series", "epsilon": 4, "min": 0, "max": 9, "grid": 9, "rounds": 4}'),
    ldp_create_collection('brand', '{"mechanism": "strings", "epsilon": 4, "attributes": [{"name": "brand", "strings": {"alphabet": "ab", "max_length": 4}}]}'),
    ldp_create_collection('visits', '{"mechanism": "grr", "epsilon": 4, "min_group": 1, "domain": ["north", "east", "south"]}', ARRAY[['seen', 'date'], ['country', 'text']], partition_by => 'seen'),
    ldp_create_collection('pages', '{"mechanism": "grr", "epsilon": 4, "min_group": 1, "domain": ["north", "east", "south"]}', ARRAY[['seen', 'date']]),
    ldp_create_collection('panel', '{"mechanism": "grr", "epsilon": 4, "min_group": 1, "domain": ["north", "east", "south"]}', partition_by => 'round');
SELECT ldp_add_round_partitions('panel', 2), ldp_create_rollup('daily', 'visits', '{day(seen),country}'), ldp_create_rollup('by_round', 'panel', '{round}');
SELECT ldp_create_hitters('words', 4, 'ab', longest => 8);
SQL
# people COLUMNS EXPRESSIONS: 300 rows as CSV.
people() { echo "$1"; sql -F, -c "SELECT $2 FROM generate_series(1, 300) AS i"; }
town="(ARRAY['north','east','south'])[1 + i % 3]"
# perturbed COLLECTION COLUMNS EXPRESSIONS [ROUNDS]: makes the reports and stores them.
perturbed() {
    sql -c "SELECT ldp_client_spec('$1')" >"$work/spec"
    people "$2" "$3" | "$ldp" perturb --spec "$work/spec" 2>>"$work/log" >"$work/reports.copy" && sql -c "\\copy $1 (report) FROM '$work/reports.copy'" && return
    bad "reports of $1" "$work/log"
}
perturbed region value "$town"
perturbed links value "(ARRAY['a','b','c','d'])[1 + i % 4]"
perturbed wage wage "i * 8"
perturbed income income "CASE WHEN i % 3 > 0 THEN i * 8 END"
perturbed services services "(ARRAY['mail','mail;chat',''])[1 + i % 3]"
perturbed day a,b "0.5, i % 9"
perturbed profile region,wage "$town, i * 8"
perturbed age value "i % 80"
perturbed tree value "i % 80"
perturbed score value "i % 10"
perturbed study hours,score "i % 10, i % 10"
perturbed survey town,car "(ARRAY['a','b'])[1 + i % 2], (ARRAY['yes','no'])[1 + i % 2]"
perturbed rent value "500 + i % 90"
sql -c "SELECT ldp_next_round('rent')" >>"$work/log" 2>&1 || bad "the second round of rent" "$work/log"
perturbed rent_2 value "500 + i % 90"
perturbed growth value "i % 90"
sql -c "UPDATE growth SET week = 1 + (random() * 9)::integer" >>"$work/log" 2>&1 || bad "the weeks of growth" "$work/log"
perturbed brand brand "CASE WHEN i % 3 = 0 THEN 'abba' ELSE 'baab' END"
perturbed words_1 value "CASE WHEN i % 3 = 0 THEN 'abbaabba' ELSE 'baabaaba' END"
series() {
    { echo "person,round,value"; sql -F, -c "SELECT i, t, $2 FROM generate_series(1, 200) AS i, generate_series(1, 4) AS t ORDER BY 1, 2"; } >"$work/series.csv"
    "$ldp" submit --dsn "dbname=$PGDATABASE" --collection "$1" --person person --round round "$work/series.csv" >"$work/log" 2>&1 || bad "reports of $1" "$work/log"
}
series mood "CASE WHEN i % 2 = 0 THEN 'good' ELSE 'bad' END"
series pulse "i % 9"
sql >"$work/log" 2>&1 <<'SQL' || { cat "$work/log"; exit 1; }
CREATE TABLE reports AS SELECT report, 0 AS round FROM region LIMIT 100;
INSERT INTO visits (report, seen, country) SELECT report, '2026-01-01', (ARRAY['at', 'ch', 'de', 'es', 'fr', 'it'])[1 + floor(6 * random())::integer] FROM region;
INSERT INTO pages (report, seen) SELECT report, date '2026-01-01' + floor(6 * random())::integer FROM region;
INSERT INTO panel (report, round) SELECT report, 0 FROM region;
CREATE TABLE packs AS SELECT ldp_pack(report) AS batch FROM reports;
SELECT ldp_refresh('daily'), ldp_refresh('by_round');
CREATE TABLE facts (name text, example text, nulls text, errors text);
SQL
sql -c "\\copy facts FROM '$work/facts'"

check "facts were read" t "$(sql -c "SELECT count(*) > 90 FROM facts")"
check "each public function has its facts" "" "$(sql -c "
    SELECT DISTINCT p.proname FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'ldp'
    WHERE p.pronamespace = e.extnamespace AND p.proname NOT IN (SELECT name FROM facts WHERE example <> '' AND errors <> '') ORDER BY 1")"
check "and no other" "" "$(sql -c "SELECT name FROM facts WHERE name NOT IN (SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace)")"
check "functions that are called with NULL say what they do" "" "$(sql -c "
    SELECT DISTINCT p.proname FROM pg_proc AS p JOIN facts AS f ON f.name = p.proname
    WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND NOT p.proisstrict AND f.nulls = '' ORDER BY 1")"
check "an example calls its function" "" "$(sql -c "SELECT name FROM facts WHERE strpos(example, name || '(') = 0")"

# Each example is undone.
silent=$(sql -c "SELECT string_agg(proname, ' ') FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prorettype = 'void'::regtype")
while IFS=$'\t' read -r name example; do
    answer=$(sql -v ON_ERROR_STOP=1 -c "BEGIN" -c "$example" -c "ROLLBACK" 2>&1; echo .)
    case $answer in *ERROR* | .) bad "$name: $example"; echo "$answer" | head -n 5 ;; *[!.[:space:]]*) ok ;;
        *) [[ " $silent " == *" $name "* ]] && ok || bad "NULL from $name: $example" ;; esac
done < <(sql -F $'\t' -c "SELECT name, example FROM facts WHERE name NOT IN (SELECT proname FROM pg_proc WHERE prokind = 'p') ORDER BY name")
check "the example of a procedure needs Citus" "ERROR:  0A000" \
    "$(sql -v VERBOSITY=sqlstate -c "$(sql -c "SELECT example FROM facts WHERE name = 'ldp_distribute_collection'")")"

check "a call with NULLs does what is documented" "" "$(sql <<'SQL'
CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE rows bigint; nulls bigint;
BEGIN
    EXECUTE format('SELECT count(*), count(*) FILTER (WHERE r IS NULL) FROM (%s) AS f (r)', call) INTO rows, nulls;
    RETURN CASE WHEN rows = 0 THEN 'no rows' WHEN nulls = rows THEN 'NULL' ELSE 'a result' END;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
SELECT p.oid::regprocedure || ': ' || o || ', documented: ' || f.nulls
FROM pg_proc AS p JOIN facts AS f ON f.name = p.proname,
     LATERAL (SELECT outcome(format('SELECT %I(%s)', p.proname, (SELECT string_agg('NULL::' || format_type(t, NULL), ', ' ORDER BY place)
                                                                 FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, place))))) AS q (o)
WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND NOT p.proisstrict
  AND strpos(f.nulls, CASE o WHEN 'NULL' THEN 'NULL' WHEN 'no rows' THEN 'no rows' ELSE o END) = 0
ORDER BY 1;
SQL
)"
finish
