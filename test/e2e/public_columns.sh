#!/usr/bin/env bash
# Values of public columns, from a file to rollups: rows and batches, a database and an endpoint, kills in the middle, types,
# rights, and the example of doc/operation.md. The server is named by PGHOST and its like, the program by LDP.
. "$(dirname "$0")/../prelude.sh"
children=()
at_exit() {
    local child
    for child in "${children[@]}"; do kill "$child" 2>/dev/null && wait "$child"; done
    for role in ldp_side_keeper ldp_side_gateway ldp_side_narrow; do psql -Xqc "DROP OWNED BY $role" -c "DROP ROLE IF EXISTS $role" 2>/dev/null; done
}
cd "$work" || exit 1
create_databases ldp_side
sql -c "CREATE EXTENSION ldp" -c "CREATE ROLE ldp_side_keeper LOGIN IN ROLE ldp_admin" -c "CREATE ROLE ldp_side_gateway LOGIN IN ROLE ldp_submitter" \
    -c "CREATE ROLE ldp_side_narrow LOGIN" -c "CREATE SCHEMA survey AUTHORIZATION ldp_side_keeper" \
    -c "GRANT USAGE ON SCHEMA survey TO ldp_submitter, ldp_analyst, ldp_side_narrow" || exit 1
equal() { check "$name" "$2" "$1"; }  # of the last run

# The collection of doc/operation.md, once with rows of reports and once with rows of batches.
create() {
    sql -c "SET ROLE ldp_side_keeper" -c "SELECT ldp_create_collection('$1', '{\"mechanism\": \"auto\", \"epsilon\": 1, \"domain\": [\"shop\", \"news\", \"games\", \"mail\"]}',
            ARRAY[['seen', 'timestamptz'], ['country', 'text']], schema => 'survey', partition_by => 'seen', rows => '$2')" \
        -c "SELECT ldp_add_partitions('$1', now() + interval '14 days')" \
        -c "SELECT ldp_create_rollup('$1_daily', '$1', '{day(seen),country}', 'Europe/Berlin')" >/dev/null
}
# 3,000 visits in 3 countries on 2 days, 300 without a country.
awk 'BEGIN { print "value,visited,country"
    for (i = 0; i < 3000; i++) print (i % 3 ? "shop" : "news") ",2026-11-2" (i % 2 + 4) " 12:00:00+01," (i % 10 ? (i % 3 == 1 ? "de" : i % 3 ? "fr" : "it") : "") }' >visits.csv
expected=$(awk -F, 'NR > 1 { n[substr($2, 1, 10) "|" $3]++ } END { for (k in n) print k "|" n[k] }' visits.csv | sort)
by_group() {
    sql -c "SELECT (t.seen AT TIME ZONE 'Europe/Berlin')::date, t.country, sum($2) FROM survey.$1 AS t GROUP BY 1, 2" | sort
}
refreshed() { sql -c "SET ROLE ldp_side_keeper" -c "SELECT ldp_refresh('$1_daily')"; }
rolled_up() {
    sql -c "SELECT (group_key ->> 'day')::date, group_key ->> 'country', max(n) FROM ldp_estimate(ldp_groups_of('$1_daily')) GROUP BY 1, 2" | sort
}
missing() { sql -c "SELECT \"column\", missing, reports FROM ldp_missing_values('$1_daily')" | tr '\n' ' '; }

"$ldp" collect --listen 127.0.0.1:0 --dsn user=ldp_side_gateway 2>endpoint.log &
children+=($!)
until grep -q listening endpoint.log || ! kill -0 "${children[0]}"; do sleep 0.05; done
at=$(sed -n 's/^listening on //p' endpoint.log)

# The endpoint finds a new collection within seconds.
known_to_endpoint() {
    for _ in $(seq 100); do
        python3 -c "import urllib.request; urllib.request.urlopen('$at/collections/$1/columns')" 2>/dev/null && return
        sleep 0.1
    done
}

# Rows with 60 countries in turn make the batches of a sorted file.
sql -c "SELECT ldp_create_collection('mixed', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3}', ARRAY[['country', 'text']])" >/dev/null
awk 'BEGIN { print "value,country"; for (i = 0; i < 1200; i++) print i % 3 ",c" i % 60 }' >mixed.csv
run "mixed public columns" 0 "$ldp" submit --collection mixed --public country --batch 20 mixed.csv
equal "$(sql -c "SELECT count(*), sum(reports) FROM ldp_internal.ldp_batch WHERE collection = 'mixed'")" "60|1200"
equal "$(sql -c "SELECT count(*), min(n), max(n) FROM (SELECT count(*) AS n FROM mixed GROUP BY country) AS c")" "60|20|20"

for rows in reports batches; do
    counted=$([ $rows = batches ] && echo 'ldp_count(t.batch)' || echo 1)
    for way in insert call endpoint; do
        collection=${way}_$rows
        create "$collection" $rows
        if [ $way = endpoint ]; then to=(--to "$at"); else to=(--method $way); fi
        if [ $way = endpoint ]; then known_to_endpoint "$collection"; fi
        # Killed in the middle, three times.
        for pause in 0.05 0.1 0.2; do
            "$ldp" submit "${to[@]}" --collection "$collection" --public country --public seen=visited --batch 10 visits.csv >out 2>err &
            child=$!
            sleep $pause
            kill -9 $child 2>/dev/null
            wait $child 2>/dev/null
        done
        run "visits ($way, $rows)" 0 "$ldp" submit "${to[@]}" --collection "$collection" --public country --public seen=visited visits.csv
        has err "3,000 rows read, 0 skipped, 3,000 reports submitted"
        equal "$(by_group "$collection" "$counted")" "$expected"
        equal "$(refreshed "$collection")" 3000
        equal "$(rolled_up "$collection")" "$expected"
        equal "$(missing "$collection")" "country|300|3000 day|0|3000 "
        equal "$(sql -c "SELECT sum(reports) FROM ldp_internal.ldp_batch WHERE collection = '$collection'")" 3000
    done
    # Batches hold reports with the same values: 8 groups in 6 windows of 500 rows at most.
    create "grouped_$rows" $rows
    run "groups become batches ($rows)" 0 "$ldp" submit --collection "grouped_$rows" --public country --public seen=visited --batch 500 visits.csv
    equal "$(sql -c "SELECT count(*) <= 48 AND sum(reports) = 3000 FROM ldp_internal.ldp_batch WHERE collection = 'grouped_$rows'")" t
done

# A column without values gets its default: the time of arrival.
create later reports
run "without columns" 0 "$ldp" submit --collection later visits.csv
equal "$(sql -c "SELECT count(*) FILTER (WHERE seen > now() - interval '1 hour' AND country IS NULL) FROM survey.later")" 3000
refreshed later >/dev/null
equal "$(missing later)" "country|3000|3000 day|0|3000 "

# Bad values stop a submission before the first report leaves.
sql -c "SELECT ldp_create_collection('typed', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3}',
        ARRAY[['number', 'integer'], ['ratio', 'numeric'], ['day', 'date'], ['flag', 'boolean'], ['label', 'text']])" \
    -c "ALTER TABLE typed ALTER COLUMN number SET NOT NULL" >/dev/null
bad_value() {  # column, value, message
    printf 'value,number,ratio,day,flag,label\n1,1,0.5,2026-01-31,true,a\n' >typed.csv
    awk -v c="$1" -v v="$2" 'BEGIN { n = split("value number ratio day flag label", name); split("1 1 0.5 2026-01-31 true a", x)
        for (i = 1; i <= n; i++) printf "%s%s", name[i] == c ? v : x[i], i < n ? "," : "\n" }' >>typed.csv
    rm -f typed.csv.typed.ldp
    run "$1 = $2" 1 "$ldp" submit --collection typed --public number --public ratio --public day --public flag --public label typed.csv
    has err "line 3"
    has err "$3"
    equal "$(sql -c 'SELECT count(*) FROM typed')" 0
}
bad_value number twelve 'invalid value for public column "number": "twelve"'
bad_value number 3000000000 'invalid value for public column "number"'
bad_value number "" 'public column "number" has no value'
bad_value ratio half 'invalid value for public column "ratio": "half"'
bad_value day 2026-02-30 'invalid value for public column "day"'
bad_value flag maybe 'invalid value for public column "flag"'
bad_value label "$(printf 'x%.0s' $(seq 1025))" 'the value of public column "label" is too long'
printf 'value,number,ratio,day,flag,label\n1,7,0.5,2026-01-31,true,"a, ""b"""\n2,8,,,,\n' >typed.csv
rm -f typed.csv.typed.ldp
run "good values" 0 "$ldp" submit --collection typed --public number --public ratio --public day --public flag --public label typed.csv
equal "$(sql -c "SELECT number, ratio, day, flag, label FROM typed ORDER BY number" | tr '\n' ' ')" '7|0.5|2026-01-31|t|a, "b" 8|||| '
run "another column" 1 "$ldp" submit --collection typed --public number --public ratio typed.csv
has err "belongs to another kind of record"
run "an unknown column" 1 "$ldp" submit --collection typed --public nothing --state other.ldp typed.csv
has err 'the collection has no public column "nothing"'
run "a required column that was not named" 1 "$ldp" submit --collection typed --public ratio --state other.ldp typed.csv
has err 'the collection requires the unchanged value of "number"'
check "nothing was drawn for it" no "$(test -e other.ldp && echo yes || echo no)"
run "a column twice" 2 "$ldp" submit --collection typed --public number --public number=ratio --state other.ldp typed.csv

# The server checks every type, its domains and the constraints on one column before the first report is drawn: through a
# database and through an endpoint. Each line has a type, a good value and a bad one.
sql -c "CREATE TYPE mood AS ENUM ('good', 'bad')" -c "CREATE DOMAIN postcode AS text CHECK (VALUE ~ '^[0-9]{5}$')" \
    -c "CREATE TYPE pair AS (a integer, b text)" >/dev/null
cat >types <<'TYPES'
smallint|7|40000
integer|7|x
bigint|7|9223372036854775808
real|0.5|1e300
double precision|0.5|1e400
numeric|0.5|0.5.1
numeric(4,2)|12.34|123.4
money|12.50|twelve
boolean|yes|maybe
text|a|
varchar(3)|abc|abcd
character(2)|ab|abc
"char"|a|
bytea|\x00ff|\x0
uuid|5d3f7c2e-0d50-4d2f-9d0c-3a6f1f9c2b11|5d3f7c2e
date|2026-02-28|2026-02-30
time|10:30|25:30
timetz|10:30+01|10:30+99
timestamp|2026-11-25 10:30|2026-11-25 25:30
timestamptz|2026-11-25 10:30+01|2026-11-25 10:30+99
interval|2 days|2 dais
inet|10.0.0.1|10.0.0.256
cidr|10.0.0.0/8|10.0.0.1/8
macaddr|08:00:2b:01:02:03|08:00:2b:01:02
jsonb|{"a": 1}|{a: 1}
json|[1]|[1
xml|<a/>|<a
bit(3)|101|1010
varbit(3)|101|1012
point|(1,2)|(1)
int4range|[1,2)|[2,1)
tsvector|a b|'a
mood|good|splendid
postcode|12345|1234
integer[]|{1,2}|{1,x}
pair|(1,a)|(x,a)
pg_lsn|0/1|x
TYPES
number=0
while IFS='|' read -r type good bad_one; do
    number=$((number + 1))
    collection=type_$number
    sql -c "SELECT ldp_create_collection('$collection', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3}')" \
        -c "ALTER TABLE $collection ADD COLUMN side $type" -c "GRANT USAGE ON SCHEMA public TO ldp_submitter" \
        -c "ALTER TABLE $collection ADD CHECK (side::text <> 'refused')" -c "GRANT INSERT (side) ON $collection TO ldp_submitter" >/dev/null
    # Quoted for CSV; the delimiter is a bar that no value has.
    printf 'value|side\n1|"%s"\n2|\n' "${good//\"/\"\"}" >"$collection.good"
    { cat "$collection.good"; printf '0|"%s"\n1|"%s"\n' "${bad_one//\"/\"\"}" "${bad_one//\"/\"\"}"; } >"$collection.bad"
    if [ -n "$bad_one" ]; then
        run "$type = $bad_one" 1 "$ldp" submit --collection $collection --public side --delimiter '|' "$collection.bad"
        has err "line 4"
        has err 'invalid value for public column "side"'
        check "no state file of $type" no "$([ -e "$collection.bad.$collection.ldp" ] && echo yes || echo no)"
        run "$type = $bad_one, skipped" 5 "$ldp" submit --collection $collection --public side --delimiter '|' --on-bad-row skip "$collection.bad"
        has err "4 rows read, 2 skipped, 2 reports submitted"
        equal "$(sql -c "SELECT count(*), count(side) FROM $collection")" "2|1"
    else
        run "$type = $good" 0 "$ldp" submit --collection $collection --public side --delimiter '|' "$collection.good"
    fi
done <types
# The same of the endpoint, which has found all of them when it has found the last one.
known_to_endpoint "type_$number"
number=0
while IFS='|' read -r type good bad_one; do
    number=$((number + 1))
    collection=type_$number
    [ -n "$bad_one" ] || continue
    run "$type = $bad_one (endpoint)" 1 "$ldp" submit --to "$at" --collection $collection --public side --delimiter '|' --copy --state "$collection.http.ldp" "$collection.bad"
    has err "line 4"
    check "no state file of $type (endpoint)" no "$([ -e "$collection.http.ldp" ] && echo yes || echo no)"
    run "$type = $good (endpoint)" 0 "$ldp" submit --to "$at" --collection $collection --public side --delimiter '|' --copy --state "$collection.http.ldp" "$collection.good"
done <types
# The column of a label of a set has true values, under its own name and under that of --column.
sql -c "SELECT ldp_create_collection('owned', '{\"mechanism\": \"auto\", \"epsilon\": 1, \"attributes\": [{\"name\": \"pets\", \"several\": true, \"domain\": [\"cat\", \"dog\"]}]}', ARRAY[['home', 'text']])" >/dev/null
printf 'pets.cat,pets.dog,c,home\n1,0,1,flat\n0,0,0,house\n' >owned.csv
run "the column of a label in clear" 1 "$ldp" submit --collection owned --public home=pets.cat owned.csv
has err "would send the values of attribute"
run "another column of a label in clear" 1 "$ldp" submit --collection owned --column pets.cat=c --public home=c owned.csv
has err "would send the values of attribute"
run "another column in clear" 0 "$ldp" submit --collection owned --column pets.cat=c --public home owned.csv
has err "2 rows read, 0 skipped, 2 reports submitted"
equal "$(sql -c "SELECT string_agg(home, ' ' ORDER BY home) FROM owned")" "flat house"

# A CHECK constraint on the column, and values that other rows have refused for the attribute: these are not sent.
sql -c "SELECT ldp_create_collection('checked', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3}', ARRAY[['region', 'text'], ['seen', 'timestamp']])" \
    -c "ALTER TABLE checked ADD CHECK (region IN ('north', 'south')), ADD CHECK (seen >= '2026-01-01')" >/dev/null
printf 'value,region,seen\n1,north,2026-01-01\n2,west,2026-01-02\n9,hidden,2026-01-02\n1,south,2025-12-31 23:30:00-01\n1,south,2025-12-31\n' >checked.csv
run "a constraint" 1 "$ldp" submit --collection checked --public region --public seen --outside refuse --on-bad-row stop checked.csv
has err "checked.csv, line 4"
sed -i '4d' checked.csv
run "a constraint without the invalid row" 1 "$ldp" submit --collection checked --public region --public seen checked.csv
has err 'checked.csv, line 3: invalid value for public column "region": "west"'
has err 'the server says: '
run "rows that a constraint refuses" 5 "$ldp" submit --collection checked --public region --public seen --on-bad-row skip checked.csv
has err "4 rows read, 2 skipped, 2 reports submitted"
check "nothing was dead-lettered" "" "$("$ldp" queue checked.csv.checked.ldp | grep -i 'dead' | grep -v ' 0 ')"

# What depends on other columns or tables is checked at the insertion: the reports with these values are spent and not counted,
# all others are counted.
sql -c "SELECT ldp_create_collection('related', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3}', ARRAY[['region', 'text'], ['low', 'integer'], ['high', 'integer']])" \
    -c "CREATE TABLE regions (name text PRIMARY KEY)" -c "INSERT INTO regions VALUES ('north'), ('south')" \
    -c "ALTER TABLE related ADD CHECK (low <= high), ADD FOREIGN KEY (region) REFERENCES regions" \
    -c "CREATE FUNCTION no_seven() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.low = 7 THEN RAISE check_violation USING MESSAGE = ''seven''; END IF; RETURN NEW; END'" \
    -c "CREATE TRIGGER no_seven BEFORE INSERT ON related FOR EACH ROW EXECUTE FUNCTION no_seven()" >/dev/null
printf 'value,region,low,high\n1,north,1,2\n2,west,1,2\n0,south,3,2\n1,south,7,9\n2,south,8,9\n' >related.csv
check "values by themselves are valid" 0 "$(sql -c "SELECT count(*) FROM (SELECT ldp_invalid_values('related', 'region', '{west}') UNION ALL SELECT ldp_invalid_values('related', 'low', '{7}')) AS u")"
run "rows that other columns and tables refuse" 3 "$ldp" submit --collection related --public region --public low --public high related.csv
equal "$(sql -c "SELECT region, low, high FROM related ORDER BY low" | paste -sd' ')" "north|1|2 south|8|9"

# A column of the file that has the name of a public column is not sent, and the command does not advise to send it.
sql -c "SELECT ldp_create_collection('unasked', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": [\"a\", \"b\"]}', ARRAY[['country', 'text'], ['other', 'text']])" >/dev/null
printf 'value,country\na,de\nb,fr\n' >unasked.csv
run "a public column that is not named" 0 "$ldp" submit --collection unasked unasked.csv
check "no advice to send it" 0 "$(grep -c 'country' err)"
check "no value was sent" 2 "$(sql -c "SELECT count(*) FROM unasked WHERE country IS NULL")"
run "a public column that the contract lacks" 6 "$ldp" submit --collection unasked --public country --copy --state asked.ldp unasked.csv
digest=$(sed -n "s/.*--accept '\([0-9a-f ]*\)'.*/\1/p" err)
run "a public column that is named" 0 "$ldp" submit --collection unasked --public country --accept "$digest" --copy --state asked.ldp unasked.csv
check "its values were sent" 2 "$(sql -c "SELECT count(*) FROM unasked WHERE country IS NOT NULL")"

# The record of a person has the public columns of the person's rows, which must agree.
sql -c "SELECT ldp_create_collection('people', '{\"mechanism\": \"laplace\", \"epsilon\": 1, \"min\": 0, \"max\": 10}', ARRAY[['country', 'text']])" >/dev/null
printf 'who,value,country\na,1,de\nb,2,fr\na,3,de\na,4,fr\n' >people.csv
run "people of two countries" 1 "$ldp" submit --collection people --average-by who --public country people.csv
has err "line 5: the public columns of a person differ"
has err "first row is line 2"
run "people of one country" 5 "$ldp" submit --collection people --average-by who --public country --on-bad-row skip --state people.ldp people.csv
equal "$(sql -c "SELECT country, count(*) FROM people GROUP BY 1 ORDER BY 1" | tr '\n' ' ')" 'de|1 fr|1 '

# Over HTTP: unknown columns, wrong types, and another value under an id that was counted.
post() {  # collection, id, values, type; prints the status
    { if [ -n "$3" ]; then printf '%s\n' "$3"; fi; cat frame; } >body
    python3 - "$at/collections/$1/batches/$2" "$4" <<'PY'
import sys, urllib.request, urllib.error
request = urllib.request.Request(sys.argv[1], data=open("body", "rb").read(), headers={"Content-Type": sys.argv[2]}, method="POST")
try:
    with urllib.request.urlopen(request) as answer: print(answer.status)
except urllib.error.HTTPError as error:
    print(error.code)
    open("refusal", "wb").write(error.read())
PY
}
sql -c "SELECT encode(ldp_internal.ldp_report_batch_send(ldp_pack(report)), 'hex') FROM survey.later LIMIT 1" >frame.hex
python3 -c "open('frame', 'wb').write(bytes.fromhex(open('frame.hex').read()))"
id() { sql -c "SELECT gen_random_uuid()"; }
columned=application/vnd.ldp.batch
name="over HTTP"
known_to_endpoint later
one=$(id)
equal "$(post later "$one" '{"country":"de"}' $columned)" 201
equal "$(post later "$one" '{"country":"de"}' $columned)" 200
equal "$(post later "$one" '{"country":"fr"}' $columned)" 409
equal "$(post later "$one" '' application/octet-stream)" 409
equal "$(post later "$(id)" '{"continent":"europe"}' $columned)" 422
has refusal 'no public column'
equal "$(post later "$(id)" '{"round":"3"}' $columned)" 422
equal "$(post later "$(id)" '{"report":"00"}' $columned)" 422
equal "$(post later "$(id)" '{"ldp_arrival":"0"}' $columned)" 422
equal "$(post later "$(id)" '{"seen":"some day"}' $columned)" 422
has refusal 'invalid value for public column'
equal "$(post later "$(id)" '{"country":1}' $columned)" 400
equal "$(post later "$(id)" '{"country":"de","country":"fr"}' $columned)" 400
equal "$(post later "$(id)" '{"country":["de"]}' $columned)" 400
equal "$(post later "$(id)" '{"country":"d\u0000e"}' $columned)" 422
equal "$(post later "$(id)" 'country=de' $columned)" 400
equal "$(post later "$(id)" "{\"country\":\"$(printf 'x%.0s' $(seq 1025))\"}" $columned)" 422
equal "$(post later "$(id)" '{"country":"de"}' application/json)" 415
equal "$(sql -c "SELECT count(*) FROM survey.later WHERE country = 'de'")" 3000

# Rights: a role that may insert reports and one public column fills no other.
sql -c "GRANT INSERT (report, round, country) ON survey.later TO ldp_side_narrow" >/dev/null
as_narrow() { sql -c "SET ROLE ldp_side_narrow" -c "SELECT ldp_insert('survey.later', (SELECT ldp_pack(r) FROM (VALUES ('$report'::ldp_report)) AS v (r)), 0, '$1')" 2>&1; }
report=$(sql -c "SELECT report FROM survey.later LIMIT 1")
name="rights"
equal "$(as_narrow '{"country": "se"}')" 1
case $(as_narrow '{"seen": "2026-11-24"}') in *"permission denied"*) ok ;; *) bad "$name: a column without privilege was filled" ;; esac
equal "$(sql -c "SELECT count(*) FROM survey.later WHERE country = 'se'")" 1
finish
