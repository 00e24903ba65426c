#!/usr/bin/env bash
# Associations of attributes, from devices to a model and to synthetic records, through the server and through the
# command.
. "$(dirname "$0")/../prelude.sh"
cd "$work" || exit 1
create_databases ldp_models
sql -c "CREATE EXTENSION ldp" || exit 1
cat >survey.json <<'JSON'
{"mechanism": "joint", "epsilon": 4, "attributes": [{"name": "sex", "domain": ["f", "m"]},
    {"name": "age", "min": 0, "max": 100, "edges": [18, 65]}, {"name": "town", "domain": ["Ulm, new", "Bonn", "<Kiel>"]}]}
JSON
# Age goes with sex; towns go with nothing.
seq 12000 | awk 'BEGIN { print "sex,age,town"; srand(1) }
    { sex = $1 % 2; age = rand() < 0.8 ? 5 + 80 * sex : 40; town = int($1 / 2) % 3
      print (sex ? "m" : "f") "," age "," (town == 0 ? "\"Ulm, new\"" : town == 1 ? "Bonn" : "<Kiel>") }' >people.csv
run "reports" 0 "$ldp" perturb --spec survey.json <people.csv
cp out reports
sql -c "CREATE TABLE survey (report ldp_report)" -c "\\copy survey FROM 'reports'" \
    -c "SELECT ldp_create_collection('known', '$(cat survey.json)')" >/dev/null
sql -c "SELECT ldp_agg(report) FROM survey" >summary

check "what goes with what" "sex age t,sex town f,age town f" "$(sql -c "
    SELECT string_agg(concat_ws(' ', attribute, other_attribute, p_value < 1e-9), ',' ORDER BY attribute_number, other_attribute_number)
    FROM (SELECT ldp_agg(report) AS s FROM survey) AS a, ldp_association(s)")"

run "a model" 0 "$ldp" model --significance 1e-9 --svg graph.svg survey.json summary
has out "sex, age: "
has out "sex, age (6 cells)"
has out "town (3 cells)"
has graph.svg "<line"
check "a line for each edge" 1 "$(grep -c '<line' graph.svg)"
run "from standard input" 0 "$ldp" model --significance 1e-9 survey.json - <summary
run "nothing but cliques" 0 "$ldp" model --significance 0 survey.json summary
has out "none: no pair of attributes"

run "records" 0 "$ldp" synthesize --records 3000 --seed 5 survey.json summary
cp out records.csv
check "a header and records" "3001 sex,age,town" "$(wc -l <records.csv) $(head -1 records.csv)"
run "the same again" 0 "$ldp" synthesize --records 3000 --seed 5 survey.json summary
if cmp -s out records.csv; then ok; else bad "equal seeds make equal records"; fi
# The server draws the same values of the same model.
check "as the server has them" "t" "$(sql -c "CREATE TABLE records (i serial, sex text, age float8, town text)" \
    -c "\\copy records (sex, age, town) FROM 'records.csv' CSV HEADER" -c "
    SELECT bool_and(r.sex = record->>'sex' AND r.town = record->>'town' AND width_bucket(r.age, '{0,18,65,100.1}'::float8[]) =
                    width_bucket((record->>'age')::float8, '{0,18,65,100.1}'::float8[])) AND count(*) = 3000
    FROM (SELECT ldp_agg(report) AS s FROM survey) AS a, ldp_synthesize(s, 3000, 5) JOIN records AS r ON r.i = number" | tail -1)"
check "spread like the people" "t" "$(sql -c "SELECT abs(avg((sex = 'm' AND age > 65)::integer) - 0.4) < 0.06 FROM records")"

# The same people, asked about boxes.
sed 's/"joint"/"joint_haar"/' survey.json >boxes.json
run "reports about boxes" 0 "$ldp" perturb --spec boxes.json <people.csv
cp out reports
sql -c "SELECT ldp_create_collection('boxes', '$(cat boxes.json)')" -c "\\copy boxes (report) FROM 'reports'" >/dev/null
sql -c "SELECT ldp_agg(report) FROM boxes" >boxes
check "what goes with what, of boxes" "sex age t,sex town f,age town f" "$(sql -c "
    SELECT string_agg(concat_ws(' ', attribute, other_attribute, p_value < 1e-9), ',' ORDER BY attribute_number, other_attribute_number)
    FROM ldp_association(ldp_summary_of('boxes'))")"
run "answers of boxes" 0 "$ldp" estimate boxes
has out "Associations of attributes"
has out "age and sex"
run "a model of boxes" 0 "$ldp" model --significance 1e-9 boxes.json boxes
has out "sex, age (6 cells)"
has out "town (3 cells)"
run "records of boxes" 0 "$ldp" synthesize --records 3000 boxes.json boxes
check "spread like the people, too" 1 "$(awk -F, 'NR > 1 && $1 == "m" && $2 > 65 { ++all } END { print (all > 1020 && all < 1380) }' out)"

echo '{"mechanism": "joint", "epsilon": 2, "attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}]}' >other.json
echo '{"mechanism": "grr", "epsilon": 2, "domain": 4}' >single.json
run "another spec's summary" 1 "$ldp" model other.json summary
has err "spec"
run "no summary" 1 "$ldp" synthesize survey.json survey.json
has err "does not contain a summary"
run "no file" 1 "$ldp" model survey.json nowhere
has err "nowhere"
run "no cells" 1 "$ldp" model --cells 1 survey.json summary
has err "between 2 and 1048576"
run "fewer than none" 2 "$ldp" synthesize --records -1 survey.json summary
head -c 200 summary >cut
run "a piece of a summary" 1 "$ldp" model survey.json cut
{ cat summary && cat summary; } >twice
run "two summaries" 1 "$ldp" model survey.json twice
{ echo value && yes 1 | head -40; } | "$ldp" perturb --spec single.json >reports 2>/dev/null
sql -c "CREATE TABLE single (report ldp_report)" -c "\\copy single FROM 'reports'" >/dev/null
sql -c "SELECT ldp_agg(report) FROM single" >alone
run "one attribute" 1 "$ldp" model single.json alone
has err "does not support several attributes together"
sql -c "SELECT ldp_agg(report) FROM (SELECT report FROM survey LIMIT 5) AS few" >few
run "too few reports" 1 "$ldp" synthesize survey.json few
has err "too few reports"
finish
