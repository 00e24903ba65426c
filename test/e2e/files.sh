#!/usr/bin/env bash
# From a file of a statistics package to estimates, without a text editor except for epsilon; and CSV of other programs.
. "$(dirname "$0")/../prelude.sh"
cd "$work" || exit 1
create_databases ldp_files
sql -c "CREATE EXTENSION ldp" || exit 1
equal() { check "$name" "$2" "$1"; }  # of the last run
cp "$root"/test/data/survey/survey.{zsav,dta} .
# With R and haven, files of the same data that are written now.
if Rscript -e 'library(haven)' >/dev/null 2>&1; then
    (mkdir fresh && cd fresh && Rscript "$root/test/data/survey/survey.R" >/dev/null) || bad "R cannot write the files"
    cp fresh/survey.zsav fresh.zsav
fi
"$ldp" spec draft survey.zsav >out 2>err
if grep -q "without ReadStat" err; then finish; exit; fi
run "a draft" 0 "$ldp" spec draft survey.zsav
sed 's/"epsilon": 1,/"epsilon": 6,/' out >spec.json

# Shares and means of the file, as R computes them (tapply, mean with na.rm = TRUE).
truth="(VALUES ('satisfied', 'very unsatisfied', 0.0750), ('satisfied', 'unsatisfied', 0.1250), ('satisfied', 'neither', 0.1925),
    ('satisfied', 'satisfied', 0.2800), ('satisfied', 'very satisfied', 0.2200), ('satisfied', '(none)', 0.1075),
    ('member', 'no', 205 / 400.0), ('member', 'yes', 195 / 400.0), ('region', 'Größe', 144 / 400.0), ('region', 'North', 127 / 400.0),
    ('region', 'South', 129 / 400.0), ('age', NULL, 52.15), ('income', NULL, 1979.73)) AS t (attribute, label, truth)"
for file in survey.zsav survey.dta fresh.zsav; do
    [ -e $file ] || continue
    collection=${file/./_}
    run "the collection of $file" 0 sql -c "SELECT ldp_create_collection('$collection', '$(cat spec.json)')"
    run "reports of $file" 0 "$ldp" submit --collection "$collection" $file
    has err "400 rows read, 0 skipped, 400 reports submitted"
    equal "$(sql -c "SELECT count(*) FROM $collection")" 400
    # Seven standard errors: a false alarm in 10^11 estimates. The labels are those of the file.
    equal "$(sql -c "SELECT count(*), count(*) FILTER (WHERE abs(e.estimate - t.truth) < 7 * e.stderr)
                     FROM ldp_estimate('$collection') AS e JOIN $truth ON e.attribute = t.attribute AND e.label IS NOT DISTINCT FROM t.label")" "13|13"
    run "estimates of $file" 0 "$ldp" estimate "$collection"
    has out "very unsatisfied"
done

# A submission that was killed resumes in the middle of a file that can be read from its start only.
{ printf '\xFF\xFE'; awk 'BEGIN { print "satisfied;age;income;member;region"; for (i = 0; i < 400; ++i) print "neither;4" i % 10 ";1200," i % 10 ";yes;Größe" }' |
    iconv -f UTF-8 -t UTF-16LE; } >utf16.csv
sql -c "CREATE FUNCTION drag() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END'" >/dev/null
resumed() {  # FILE OPTION...
    collection=resumed_${1/./_}
    sql -c "SELECT ldp_create_collection('$collection', '$(cat spec.json)')" \
        -c "CREATE TRIGGER drag AFTER INSERT ON $collection EXECUTE FUNCTION drag()" >/dev/null
    "$ldp" submit --collection "$collection" --batch 40 "$@" >/dev/null 2>&1 &
    local child=$!
    until [ "$(sql -c "SELECT count(*) >= 80 FROM $collection")" = t ]; do
        kill -0 $child 2>/dev/null || break  # it failed, as the next check finds
        sleep 0.02
    done
    kill -9 $child 2>/dev/null
    wait $child 2>/dev/null
    sql -c "DROP TRIGGER drag ON $collection" >/dev/null
    check "the submission of $1 was interrupted" t "$(sql -c "SELECT count(*) < 400 FROM $collection")"
    run "the rest of $1" 0 "$ldp" submit --collection "$collection" --batch 40 "$@"
    has err "400 rows read, 0 skipped, 400 reports submitted"
    equal "$(sql -c "SELECT count(*) FROM $collection")" 400
}
resumed survey.zsav
resumed survey.dta
resumed utf16.csv --delimiter ';' --decimal ,
finish
