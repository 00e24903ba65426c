#!/usr/bin/env bash
# ldp summarize counts the reports of files as ldp_agg counts rows: the bytes of the summaries are equal, for every
# mechanism, every format of a file, and every way of grouping. Files of summaries are read by ldp estimate, SQL and Python.
. "$(dirname "$0")/../prelude.sh"
cd "$work" || exit 1
create_databases ldp_summarize
sql -c "CREATE EXTENSION ldp" || exit 1

# Every mechanism --------------------------------------------------------------------------------------------
# Reports of the specs of the conformance vectors, in pseudo-random rounds and groups. The server writes the files.
sql -f - >/dev/null <<'SQL' || bad "the table of specs"
CREATE TABLE specs (number integer PRIMARY KEY, spec jsonb);
CREATE TABLE rows (number integer, report ldp_report, round integer, country text, day date);
SQL
kinds=0
while read -r spec; do
    kinds=$((kinds + 1))
    sql -v spec="$spec" -v number=$kinds -f - >/dev/null <<<"INSERT INTO specs VALUES (:number, (ldp_spec_info(:'spec')).canonical)" || bad "$spec"
    sql -c "SELECT spec FROM specs WHERE number = $kinds" >spec_$kinds.json
done < <(grep '^{' "$root/test/data/vectors.txt")
check "mechanisms" t "$(sql -c "SELECT count(DISTINCT spec ->> 'mechanism') > 25 FROM specs")"

# people NUMBER: 200 people, as CSV, for the attributes that they give.
people() {
    sql -v number="$1" -f - <<'SQL'
SELECT format('COPY (SELECT %s FROM generate_series(1, 200) AS i) TO STDOUT (FORMAT csv, HEADER)', string_agg(format(
    CASE WHEN a ? 'min' THEN '%3$s + (%4$s - %3$s) * (i * %2$s %% 101 / 100.0) AS %1$I'
         WHEN a ? 'strings' THEN '(ARRAY[''a'', ''abc'', ''ba''])[1 + i %% 3] AS %1$I'
         WHEN jsonb_typeof(a -> 'domain') = 'array' THEN '%5$L::jsonb ->> (i * i / %2$s %% %6$s)::integer AS %1$I'
         ELSE 'i * i / %2$s %% %5$s AS %1$I' END,
    a ->> 'name', 2 * place + 1, a ->> 'min', a ->> 'max', a ->> 'domain',
    CASE jsonb_typeof(a -> 'domain') WHEN 'array' THEN jsonb_array_length(a -> 'domain') END), ', '))
FROM (SELECT a || jsonb_build_object('name', concat_ws('.', a ->> 'name', element)), row_number() OVER (ORDER BY place, number)
      FROM jsonb_array_elements((SELECT spec -> 'attributes' FROM specs AS s WHERE s.number = :number)) WITH ORDINALITY AS t (a, place)
           LEFT JOIN LATERAL (SELECT e #>> '{}', n FROM jsonb_array_elements(CASE jsonb_typeof(a -> 'vector') WHEN 'array' THEN a -> 'vector'
               ELSE (SELECT jsonb_agg(i) FROM generate_series(0, (a ->> 'vector')::integer - 1) AS i) END) WITH ORDINALITY AS v (e, n)) AS l (element, number) ON true
      WHERE NOT a ? 'product') AS of_columns (a, place) \gexec
SQL
}
# same WHAT SQL ARGUMENT...: the output of ldp summarize is what the query returns.
same() {
    run "$1" 0 "$ldp" summarize "${@:3}"
    mv out counted
    sql -c "$2" >expected
    run "$1: equals SQL" 0 cmp counted expected
}
counted=0 unperturbed=0
for ((number = 1; number <= kinds; ++number)); do
    people $number >people.csv
    if ! "$ldp" perturb --spec spec_$number.json <people.csv >reports 2>err; then
        # ldp perturb rejects specs with memory and series. The reports are those of the conformance vectors.
        block=$(sql -c "SELECT encode(ldp_internal.ldp_spec_parameters(spec), 'hex') FROM specs WHERE number = $number")
        awk -v number=$number -v block="$block" '/^{/ { ++spec; line = 0 } { ++line }
            spec == number && line == 3 { for (i = 1; i <= NF; ++i) for (j = 0; j < 20; ++j) print block $i }' "$root/test/data/vectors.txt" >reports
        unperturbed=$((unperturbed + 1))
    fi
    counted=$((counted + 1))
    sql -c "TRUNCATE rows" -c "\\copy rows (report) FROM 'reports'" >/dev/null || bad "spec $number"
    sql >/dev/null -c "UPDATE rows SET round = get_byte(decode(md5(report::text), 'hex'), 0) % 3,
        country = (ARRAY['de', 'a, \"b\"', NULL, E'tab\\tand\\nline', ''])[1 + get_byte(decode(md5(report::text), 'hex'), 1) % 5]"
    sql -c "\\copy (SELECT report, round, country FROM rows) TO 'rows.copy'" -c "\\copy (SELECT report, round, country FROM rows) TO 'rows.binary' (FORMAT binary)" \
        -c "\\copy (SELECT country, report, round FROM rows) TO 'rows.csv' (FORMAT csv, HEADER)" \
        -c "\\copy (SELECT ldp_pack(report) AS batch, round, country FROM rows GROUP BY round, country) TO 'batches.csv' (FORMAT csv, HEADER)" >/dev/null
    xxd -r -p reports >rows.bytes
    with="--spec spec_$number.json"
    # shellcheck disable=SC2086
    {
        same "spec $number: lines" "SELECT ldp_agg(report) FROM rows" $with reports
        same "spec $number: bytes" "SELECT ldp_agg(report) FROM rows" $with rows.bytes
        same "spec $number: COPY in text" "SELECT ldp_agg(report, round) FROM rows" $with --columns report,round,country rows.copy
        same "spec $number: batches" "SELECT ldp_agg(report, round) FROM rows" $with batches.csv
        run "spec $number: groups of a binary COPY" 0 "$ldp" summarize $with --by country,round --columns report,round,country rows.binary --out groups.csv
        run "spec $number: groups of CSV" 0 "$ldp" summarize $with --by country,round --threads 3 rows.csv --out other.csv
        run "spec $number: both are equal" 0 cmp groups.csv other.csv
        sql -c "DROP TABLE IF EXISTS found" -c "CREATE TABLE found (country text, round integer, n bigint, summary ldp_summary)" \
            -c "\\copy found FROM 'groups.csv' (FORMAT csv, HEADER)" >/dev/null
        check "spec $number: groups equal SQL" "0|0" "$(sql -c "WITH w AS (SELECT country, round, count(*) AS n, ldp_agg(report, round)::text AS s FROM rows GROUP BY 1, 2),
            f AS (SELECT country, round, n, summary::text AS s FROM found)
            SELECT (SELECT count(*) FROM (TABLE w EXCEPT TABLE f) AS a), (SELECT count(*) FROM (TABLE f EXCEPT TABLE w) AS b)")"
        same "spec $number: merged" "SELECT ldp_agg(report, round) FROM rows" $with --merge groups.csv
    }
done
check "specs that were counted" "$kinds" $counted
check "specs without ldp perturb" t "$([ $unperturbed -gt 0 ] && [ $unperturbed -lt 20 ] && echo t)"

# Reports of one person in several rounds, and signals of a spent budget, by hand.
sql -c "SELECT ldp_create_collection('kept', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"evolving\": {}, \"budget\": {\"epsilon\": 5}, \"domain\": 4}')" \
    -c "SELECT ldp_open_rounds('kept', 3, 6)" \
    -c "INSERT INTO kept SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('kept')), 'hex') || '0' || i % 7 % 4)::ldp_report, round
        FROM generate_series(1, 100) AS i, generate_series(3, 6) AS round" -c "\\copy (SELECT report, round FROM kept) TO 'kept.csv' (FORMAT csv, HEADER)" >/dev/null
sql -c "SELECT ldp_client_spec('kept')" >kept.json
same "memoized responses" "SELECT ldp_agg(report, round) FROM kept" --spec kept.json kept.csv
same "one round of all" "SELECT ldp_agg(report, 4) FROM kept" --spec kept.json --round 4 - <<<"$(sql -c "SELECT report FROM kept")"

# Files of groups in other programs ---------------------------------------------------------------------------
spec='{"mechanism": "grr", "epsilon": 3, "attributes": [{"name": "mood", "domain": ["low", "high"]}]}'
echo "$spec" >mood.json
sql -v spec="$spec" -f - >/dev/null <<'SQL' || bad "moods"
SELECT ldp_create_collection('mood', :'spec', ARRAY[['country', 'text']]);
SELECT ldp_open_rounds('mood', 1, 3);
SQL
awk 'BEGIN { print "mood"; for (i = 0; i < 900; ++i) print i % 3 ? "low" : "high" }' >mood.values
"$ldp" perturb --spec mood.json <mood.values 2>/dev/null | awk '{ print $0 "," (NR % 2 ? "de" : "fr") "," 1 + NR % 3 }' >mood.rows
sql -c "\\copy mood (report, country, round) FROM 'mood.rows' (FORMAT csv)" >/dev/null || bad "moods"
{ echo report,country,round; cat mood.rows; } >mood.csv
run "groups and rounds" 0 "$ldp" summarize --spec mood.json --by country,round mood.csv --out mood.groups
has err "900 reports of 6 groups"
for options in "" "--by country" "--round 2" "--round all" "--round all --by country"; do
    # shellcheck disable=SC2086
    run "the collection $options" 0 "$ldp" estimate mood $options --csv of_server
    # shellcheck disable=SC2086
    run "the file $options" 0 env PGHOST="$work/nowhere" "$ldp" estimate --spec mood.json mood.groups $options --csv of_file
    run "equal figures $options" 0 cmp of_server of_file
done
run "a query of groups" 0 "$ldp" query --spec mood.json --groups <("$ldp" summarize --spec mood.json --merge --by country mood.groups 2>/dev/null) \
    '{"function": "compare_groups", "attributes": ["mood"]}'
has out '"fr"'
python3 - "$root/bindings/python" <<'PYTHON' >of_python 2>err || bad "Python" err
import csv, sys
sys.path.insert(0, sys.argv[1])
csv.field_size_limit(1 << 30)
with open("mood.groups", newline="") as file:
    rows = list(csv.DictReader(file))
assert {row["country"] for row in rows} == {"de", "fr"} and sum(int(row["n"]) for row in rows) == 900
print(rows[0]["summary"])
PYTHON
is of_python "$(sql -c "SELECT ldp_agg(report, round) FROM mood WHERE country = 'de' AND round = 1")"

# Files that do not fit ---------------------------------------------------------------------------------------
sed '451s/,de\|,fr/0&/' mood.csv >bad.csv
run "a report that is too long" 1 "$ldp" summarize --spec mood.json bad.csv
has err "bad.csv, line 451: "
run "which is skipped" 5 "$ldp" summarize --spec mood.json --on-bad-row skip bad.csv
has err "skipped: bad.csv, line 451: "
has err "899 reports, 1 invalid records skipped"
sed '2s/^\(.*\)0\(.,\)/\19\2/' mood.csv >forged.csv
run "a payload that no device makes" 1 "$ldp" summarize --spec mood.json forged.csv
has err "forged.csv, line 2: the payload of the report is invalid"
run "reports of another spec" 1 "$ldp" summarize --spec kept.json mood.csv
has err "mood.csv, line 2: reports under different specs cannot be counted together"
run "a column that is missing" 1 "$ldp" summarize --spec mood.json --by region mood.csv
has err "there is no column region"
run "no reports" 1 "$ldp" summarize --spec mood.json /dev/null
has err "there are no reports"
run "a text" 1 "$ldp" summarize --spec mood.json mood.json
has err "neither hexadecimal digits nor a column report or batch"
sql -c "\\copy (SELECT report, round, day FROM (SELECT *, date '2026-01-01' + round AS day FROM mood) AS m) TO 'mood.binary' (FORMAT binary)" >/dev/null
run "a date in binary format" 1 "$ldp" summarize --spec mood.json --columns report,round,day --by day mood.binary
has err "the column day is not text"
head -c 20000 mood.binary >cut.binary
run "a COPY that is cut off" 1 "$ldp" summarize --spec mood.json --columns report,round,day cut.binary
has err "cut off"
run "no memory" 2 "$ldp" summarize --spec mood.json --memory 0 mood.csv
run "an output that exists stays" 1 "$ldp" summarize --spec mood.json --out of_python bad.csv
check "nothing is left" "" "$(ls ./*.partial 2>/dev/null)"
printf 'report,note\n"%s","two\nlines"\nzz,x\n' "$(head -1 mood.rows | cut -d, -f1)" >lines.csv
run "lines in quotes are counted" 1 "$ldp" summarize --spec mood.json lines.csv
has err "lines.csv, line 4: "
finish
