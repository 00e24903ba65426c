#!/usr/bin/env bash
# ldp estimate for every kind of collection. Its output equals the SQL estimates, for every role with access and for
# all names of attributes and values. Pages are well-formed XML, which PostgreSQL parses.
#
# Length: all parts compare the command with the same collections, which one script makes once.
. "$(dirname "$0")/../prelude.sh"
cd "$work" || exit 1
create_databases ldp_estimate
sql -c "CREATE EXTENSION ldp" -c "CREATE TABLE pages (name text PRIMARY KEY, page xml)" >/dev/null || exit 1
sql -f - <<'SQL' || exit 1
CREATE FUNCTION nodes(path text, page xml) RETURNS text[] LANGUAGE sql AS
    $$ SELECT xpath(path, page, '{{h,http://www.w3.org/1999/xhtml}}')::text[] $$;
-- What is wrong with a page: numbers that its own SQL does not give, and whatever is not of the page itself.
CREATE FUNCTION faults(page xml) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    part record;
    answer jsonb;
    given float8[];
    shown float8[];
    answers integer := 0;
BEGIN
    FOR part IN SELECT * FROM XMLTABLE(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h, 'http://www.w3.org/2000/svg' AS s),
        '//h:figure | //h:div[@class="facts"]' PASSING page
        COLUMNS kind text PATH 'local-name(.)', title text PATH 'string((.//s:title | .//h:h3)[1])', sql text PATH 'string(.//h:pre)',
                refused text PATH 'string(.//h:p[@class="refused"])', drawn integer PATH 'count(.//s:circle) + count(.//s:polygon) + count(.//s:rect)',
                whole xml PATH '.') LOOP
        CONTINUE WHEN part.sql = '' OR part.refused <> '';
        answers := answers + 1;
        EXECUTE format('SELECT jsonb_agg(to_jsonb(a)) FROM (%s) AS a', rtrim(part.sql, ';')) INTO answer;
        SELECT array_agg(f.value::text::float8) INTO given FROM jsonb_array_elements(answer) AS r (fields), jsonb_each(fields) AS f
            WHERE jsonb_typeof(f.value) = 'number';
        shown := nodes('//h:data/@value', part.whole);
        IF NOT shown <@ given THEN
            RETURN NEXT format('SQL does not give all numbers of %s: %s', part.title, shown);
        END IF;
        IF shown = '{}' AND jsonb_path_exists(answer, '$[*] ? (@.estimate > -1e300)') THEN
            RETURN NEXT 'no numbers: ' || part.title;
        -- An interval without an estimate is printed only, and a direction that the reports do not show.
        ELSIF shown <> '{}' AND part.kind = 'figure' AND part.drawn = 0 AND NOT jsonb_path_exists(
            answer, '$[*] ? (@.estimate == null || @.statistic == "direction" && @.stderr == null)') THEN
            RETURN NEXT 'nothing is drawn: ' || part.title;
        END IF;
    END LOOP;
    IF answers < 2 THEN
        RETURN NEXT format('%s answers', answers);
    END IF;
    IF nodes('//h:script | //h:link | //h:img | //h:iframe | //h:object | //@src | //@style | //@*[starts-with(local-name(), "on")] '
             '| //@href[not(starts-with(., "#") or starts-with(., "data:text/csv;charset=utf-8,"))]', page) <> '{}' OR page::text ~* 'url\(|@import' THEN
        RETURN NEXT 'something from elsewhere';
    END IF;
END $$;
SQL

# page NAME [FILE]: makes all forms of a collection's answer, and checks the page.
page() {
    local file=${2:-$1}
    run "$1 as a page" 0 "$ldp" estimate "$1" --html "$file.html" --svg "$file.svg" --csv "$file.csv"
    check "$1: what is wrong" "" "$(sql -v name="$1" -v page="$(cat "$file.html")" -f - <<'SQL'
INSERT INTO pages VALUES (:'name', xmlparse(document :'page'));
SELECT faults(page) FROM pages WHERE name = :'name';
SQL
)"
    # Texts that were made harmless twice have the escapes of their own marks.
    if grep -qF '\u{2069}' "$file.html"; then bad "$1: texts were escaped twice"; else ok; fi
    check "$1: its drawing is XML" "t" "$(sql -v svg="$(cat "$file.svg")" -f - <<<"SELECT :'svg' IS DOCUMENT")"
}

# people SPEC: 400 people, as CSV, for the attributes that they give.
people() {
    sql -v spec="$1" -f - <<'SQL'
SELECT format('COPY (SELECT %s FROM generate_series(1, 400) AS i) TO STDOUT (FORMAT csv, HEADER)', string_agg(format(
    CASE WHEN a ? 'min' THEN '%3$s + (%4$s - %3$s) * (i * %2$s %% 101 / 100.0) AS %1$I'
         WHEN a ? 'strings' THEN '(ARRAY[''a'', ''abc'', ''ba''])[1 + i %% 3] AS %1$I'
         WHEN jsonb_typeof(a -> 'domain') = 'array' THEN '%5$L::jsonb ->> (i * i / %2$s %% %6$s)::integer AS %1$I'
         ELSE 'i * i / %2$s %% %5$s AS %1$I' END,
    a ->> 'name', 2 * place + 1, a ->> 'min', a ->> 'max', a ->> 'domain',
    CASE jsonb_typeof(a -> 'domain') WHEN 'array' THEN jsonb_array_length(a -> 'domain') END), ', '))
FROM (SELECT a || jsonb_build_object('name', concat_ws('.', a ->> 'name', element)), row_number() OVER (ORDER BY place, number)
      FROM jsonb_array_elements((ldp_spec_info(:'spec')).canonical -> 'attributes') WITH ORDINALITY AS t (a, place)
           LEFT JOIN LATERAL (SELECT e #>> '{}', n FROM jsonb_array_elements(CASE jsonb_typeof(a -> 'vector') WHEN 'array' THEN a -> 'vector'
               ELSE (SELECT jsonb_agg(i) FROM generate_series(0, (a ->> 'vector')::integer - 1) AS i) END) WITH ORDINALITY AS v (e, n)) AS l (element, number) ON true
      WHERE NOT a ? 'product') AS of_columns (a, place) \gexec
SQL
}
# collect NAME SPEC [ARGUMENT...]: makes a collection of these people's reports.
collect() {
    sql -v name="$1" -v spec="$2" -f - >err <<<"SELECT ldp_create_collection(:'name', :'spec'${3:+, $3})" || bad "$1" err
    people "$2" >people.csv
    "$ldp" perturb --spec "$2" <people.csv >reports 2>err || bad "$2" err
    sql -c "\\copy \"${1//\"/\"\"}\" (report) FROM 'reports'" || bad "$1"
}

# Every kind ------------------------------------------------------------------------------------------------
of=0
while read -r spec; do
    case $spec in
        *ddrm* | *threshold_series*) continue ;;
    esac
    of=$((of + 1))
    collect "kind_$of" "$spec"
    page "kind_$of"
    has "kind_$of.html" "400 reports"
done < <(grep '^{' "$root/test/data/vectors.txt")
check "all kinds" t "$(sql -c "SELECT count(DISTINCT mechanism) > 25 FROM ldp_collections")"

# A series, of reports made by hand: an answer of every node of the tree of rounds.
sql >/dev/null <<'SQL' || bad "the series"
SELECT ldp_create_collection('plan', '{"mechanism": "ddrm", "epsilon": 6, "rounds": 4, "changes": 1, "domain": ["free", "pro"]}');
INSERT INTO plan SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('plan')), 'hex') || '01' ||
        lpad(to_hex(2 * node + (i % 3 = 0)::integer), 2, '0'))::ldp_report, least(node + 1, 4)
    FROM generate_series(1, 200) AS i, generate_series(0, 6) AS node;
SQL
page plan
# Commands that take a spec take the one of a collection, too.
sql -c "SELECT ldp_client_spec('kind_1')" >kind_1.json
for command in "plan --people 1000" advise "spec check" "disclosure --part summary"; do
    # shellcheck disable=SC2086
    run "$command of a file" 0 "$ldp" $command kind_1.json
    mv out of_file
    # shellcheck disable=SC2086
    run "$command of a collection" 0 "$ldp" $command collection:kind_1
    is out "$(cat of_file)"
done
sql -c "SELECT ldp_create_collection('visited', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3}', ARRAY[['country', 'text'], ['day', 'date']])" >/dev/null
run "the consent text of a collection has its public columns" 0 "$ldp" disclosure --part consent collection:visited
has out "can read them: the number of the round, country (text), day (date). A rare value"
run "or their absence" 0 "$ldp" disclosure --part consent collection:kind_1
has out "can read them: the number of the round."
sql -c "SELECT ldp_drop_collection('visited')" >/dev/null
run "no such collection" 1 "$ldp" advise collection:nothing
has err "collection 'nothing'"

run "a series in the terminal" 0 "$ldp" estimate plan
has out "round 4"
has out "ldp_series(ldp_summary_of('plan'))"
check "a line for each value" 2 "$(grep -c '<polyline' plan.svg)"

# Numbers together, and rounds -------------------------------------------------------------------------------
collect numbers '{"mechanism": "sampled", "epsilon": 8, "attributes": [{"name": "x", "min": 0, "max": 1}, {"name": "y", "min": 0, "max": 2}],
    "regression": {"of": "y", "on": ["x"]}}'
page numbers
run "numbers in the terminal" 0 "$ldp" estimate numbers
has out "Correlations of numbers"
has out "x, y"
# A file with the summary gives the same, without a server: as psql writes it, and as bytes.
sql -c "SELECT ldp_client_spec('numbers')" >numbers.json
sql -c "SELECT ldp_summary_of('numbers')" >numbers.hex
python3 -c 'import sys; open("numbers.ldp", "wb").write(bytes.fromhex(open("numbers.hex").read()))'
cp out of_server
run "a file in the terminal" 0 env PGHOST="$work/nowhere" "$ldp" estimate --spec numbers.json numbers.ldp
mv out of_file
run "equals the collection" 0 cmp of_file of_server
run "a file in hexadecimal as a page" 0 env PGHOST="$work/nowhere" "$ldp" estimate --spec numbers.json numbers.hex \
    --html file.html --svg file.svg --csv file.csv
for form in html svg csv; do run "$form equals the collection's" 0 cmp "file.$form" "numbers.$form"; done
run "standard input" 0 "$ldp" estimate --spec numbers.json - <numbers.hex
has out "Results of “summary”"
run "the summary of another spec" 1 "$ldp" estimate --spec kind_1.json numbers.ldp
has err "under different specs"
run "no summary" 1 "$ldp" estimate --spec numbers.json numbers.json
has err "does not contain a summary"
# Functions of summaries in files equal those of SQL in every number.
# same_rows WHAT SQL ARGUMENT...: rows of ldp query as a function of SQL returns them. Names of groups are objects there.
same_rows() {
    run "$1" 0 env PGHOST="$work/nowhere" "$ldp" query "${@:3}"
    cp out rows.json
    check "$1 equals SQL" t "$(sql -v rows="$(cat rows.json)" -f - <<<"WITH found AS ($2) SELECT count(*) > 0 AND jsonb_agg(to_jsonb(found)) = :'rows'::jsonb FROM found")"
}
same_rows "a query" "SELECT * FROM ldp_regression('numbers', 'y', '{x}')" --spec numbers.json '{"function": "regression", "of": "y", "predictors": ["x"]}' numbers.hex
same_rows "a second summary" "SELECT * FROM ldp_change('numbers', ldp_summary_of('numbers'))" --spec numbers.json --with after=numbers.ldp '{"function": "change"}' - <numbers.hex
echo '{"function": "calibrate", "totals": [{"side": "a=b", "total": 3}, {"side": "c", "total": 0.5}], "attributes": ["x"]}' >calibrate.json
same_rows "groups" "SELECT c.* FROM ldp_calibrate(ldp_groups(ARRAY['{\"side\": \"a=b\"}', '{\"side\": \"c\"}']::jsonb[], ARRAY[ldp_summary_of('numbers'), ldp_summary_of('numbers')]),
    totals => '[{\"side\": \"a=b\", \"total\": 3}, {\"side\": \"c\", \"total\": 0.5}]', attributes => '{x}') AS c" \
    --spec numbers.json --group '{"side": "a=b"}=numbers.hex' --group '{"side": "c"}=numbers.ldp' calibrate.json
run "without a spec" 0 "$ldp" query '{"function": "estimate"}' numbers.ldp
has out '"attribute":"0"'
run "the summary of another spec in a query" 1 "$ldp" query --spec kind_1.json '{"function": "estimate"}' numbers.ldp
has err "under different specs"
run "a function that does not exist" 1 "$ldp" query '{"function": "estimates"}' numbers.ldp
has err "there is no function"
run "no summary for a query" 1 "$ldp" query '{"function": "estimate"}'
has err "needs a summary"
run "a summary that is not one" 1 "$ldp" query '{"function": "estimate"}' numbers.json
run "a group without a file" 2 "$ldp" query --group a '{"function": "clustered"}'
has err "NAME=FILE"
run "an argument twice" 2 "$ldp" query --with after=numbers.ldp '{"function": "change", "after": ""}' numbers.ldp
has err "and so has the command line"
run "groups of a file that has none" 1 "$ldp" estimate --spec numbers.json numbers.ldp --by country
has err "cannot be grouped by"
run "curves need a server" 2 "$ldp" estimate --spec numbers.json numbers.ldp --curve day
has err "requires a server"
collect daily '{"mechanism": "auto", "epsilon": 2, "attributes": [{"name": "mood", "domain": ["low", "high"]}, {"name": "hours", "min": 0, "max": 24}],
    "min_group": 30}'
sql -c "SELECT ldp_open_rounds('daily', 0, 2)" -c "UPDATE daily SET round = 1 WHERE ctid IN (SELECT ctid FROM daily LIMIT 150)" \
    -c "UPDATE daily SET round = 2 WHERE ctid IN (SELECT ctid FROM daily WHERE round = 0 LIMIT 8)" >/dev/null
page daily
run "rounds in the terminal" 0 "$ldp" estimate daily
has out "All 400 reports are in rounds 0 to 2"
has out "Since round 0,"
has out "ε = 6. Then"
has out "Source: Reports of the collection “daily”, round 1"
has out "Shares of mood, round by round"
has out "Mean of hours, round by round"
run "all rounds together" 0 "$ldp" estimate daily --round all
has out "400 reports about mood, hours, in rounds 0 to 2"
has out "ldp_groups_of('daily', ARRAY[]::text[], first_round => 0)"
run "no round" 2 "$ldp" estimate daily --round last
has err "the number of a round, or all"
run "one round" 0 "$ldp" estimate daily --round 1
has out "150 reports of round 1"
has out "ldp_summary_of('daily', 1)"
run "too few, who may see rows" 0 "$ldp" estimate daily --round 2 --html few.html
has few.html "fewer than 30 reports: nothing is shown"
if grep -qE '<circle|<data' <(sed -n '/id="answers"/,/>Collection</p' few.html); then bad "estimates of 8 people" few.html; else ok; fi

# Strings of an open domain: a string that may have been cut does not look whole.
collect brands '{"mechanism": "strings", "epsilon": 8, "attributes": [{"name": "brand", "strings": {"alphabet": "a-c", "max_length": 3}}]}'
page brands
run "strings in the terminal" 0 "$ldp" estimate brands
has out "abc..."
has out "text, of which at most the first 3 characters"

# Texts that are too rare to be listed.
rare='{"mechanism": "strings", "epsilon": 8, "attributes": [{"name": "brand", "strings": {"alphabet": "a-z", "max_length": 4}}]}'
sql -v spec="$rare" -f - >/dev/null <<<"SELECT ldp_create_collection('rare', :'spec')" || bad "rare texts"
awk 'BEGIN { print "brand"; for (i = 0; i < 1000; ++i) print i % 2 ? "abc" : sprintf("%c%c%c", 97 + i % 26, 97 + i / 26 % 26, 97 + i / 100 % 26) }' >rare.csv
"$ldp" perturb --spec "$rare" <rare.csv >reports 2>err || bad "rare texts" err
sql -c "\copy rare (report) FROM 'reports'" || bad "rare texts"
run "rare texts in the terminal" 0 "$ldp" estimate rare
if grep -qE "About [3-6][0-9](\.[0-9])?.% of the people gave a text that is not listed" out; then ok; else bad "the share of texts that are not listed" out; fi

# People who keep their answers: reports made by hand, of a payload of one byte.
sql >/dev/null <<'SQL' || bad "kept answers"
SELECT ldp_create_collection('kept', '{"mechanism": "grr", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 5}, "domain": 4}');
SELECT ldp_open_rounds('kept', 3, 6);
INSERT INTO kept SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('kept')), 'hex') || '0' || i % 7 % 4)::ldp_report, round
    FROM generate_series(1, 100) AS i, generate_series(3, 6) AS round;
SQL
page kept
has kept.html "rounds 3 to 6, sent by between 100 and 400 people: reports are not linked between rounds."
has kept.html "no person spends more than ε = 4"
has kept.html "ε = 4. Then it is at most 98.3"
has kept.html "In rounds 4 to 6, all devices repeated their responses from memory: the figures refer to round 3, and a change since then cannot be seen."
check "equal points are one" 0 "$(grep -c '>By round<' kept.html)"
has kept.html "Each round was tested"  # the tests need one report per person
if grep -q 'class="refused"' kept.html; then bad "a message of the server on a page" kept.html; else ok; fi
has kept.html '<td>1.009</td>'   # planned and estimated error of the last round
run "four rounds together" 0 "$ldp" estimate kept --round all --html together.html
has together.html '<td>1.009</td>'   # a person with four equal reports counts once

# Two questions that are reported together: each one states the reports that its own figure used.
collect jointly '{"mechanism": "auto", "epsilon": 4, "people": 400, "attributes": [{"name": "mood", "domain": ["low", "high"]},
    {"name": "diet", "domain": ["meat", "fish", "none"]}, {"name": "hours", "min": 0, "max": 24}], "joint_tables": [["mood", "diet"]]}'
page jointly
used() { awk -F, -v figure="$1" '$1 == figure { print $9; exit }' jointly.csv; }
either=$(used "diet and mood") both=$(used "Associations of attributes")
run "two questions together in the terminal" 0 "$ldp" estimate jointly
check "reports about mood" "$(used "Shares of mood")" "$(sed -n '/^Response by question/,$s/^  mood  *\([0-9]*\).*/\1/p' out | head -1)"
check "reports about diet" "$(used "Shares of diet")" "$(sed -n '/^Response by question/,$s/^  diet  *\([0-9]*\).*/\1/p' out | head -1)"
has jointly.html "$either reports are about either attribute, $both of them about both."
check "reports about either are less than the sum" t "$(sql -c "SELECT $either < $(used "Shares of mood") + $(used "Shares of diet")")"

# Reports that no device made, and none at all.
sql >/dev/null <<'SQL' || bad "forged reports"
SELECT ldp_create_collection('forged', '{"mechanism": "grr", "epsilon": 1, "domain": 4}');
INSERT INTO forged SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('forged')), 'hex') || '00')::ldp_report FROM generate_series(1, 2000);
SELECT ldp_create_collection('empty', '{"mechanism": "grr", "epsilon": 1, "domain": 4}');
SQL
page forged
has forged.html "<strong>Warning:</strong> Honest devices"
if grep -q "Warning" kept.html; then bad "a warning of honest reports" kept.html; else ok; fi
run "no reports" 0 "$ldp" estimate empty --html empty.html
has empty.html "There are no reports"
if grep -q 'class="refused"' empty.html; then bad "no reports were asked about" empty.html; else ok; fi

# Groups and dates -------------------------------------------------------------------------------------------
collect towns '{"mechanism": "auto", "epsilon": 4, "attributes": [{"name": "mood", "domain": ["low", "high"]}, {"name": "hours", "min": 0, "max": 24}]}'
sql -c "ALTER TABLE towns ADD town text, ADD seen date" \
    -c "UPDATE towns SET town = CASE i % 8 WHEN 0 THEN 'Ulm' WHEN 1 THEN NULL ELSE 'Bonn' END, seen = date '2026-02-28' + i % 3
        FROM (SELECT ctid AS at, row_number() OVER ()::integer AS i FROM towns) AS numbered WHERE ctid = at" >/dev/null || bad "public columns"
run "groups" 0 "$ldp" estimate towns --by town --title "Two <towns>" --html by.html --csv by.csv
check "groups: what is wrong" "" "$(sql -v page="$(cat by.html)" -f - <<<"SELECT faults(xmlparse(document :'page'))")"
has by.html "<h1><bdi>Two &lt;towns&gt;</bdi></h1>"
has by.html "400 reports about <bdi>mood</bdi>, <bdi>hours</bdi>."
has by.html "Answers from 28 February 2026 to 2 March 2026, computed on "
has by.html "<h3>By <bdi>town</bdi></h3>"
has by.html "Reports: <bdi>Bonn</bdi> "
check "groups as SQL has them" "$(sql -F, -c "SELECT label, coalesce(group_key ->> 'town', 'none'), estimate
    FROM ldp_estimate('towns', '{mood}', by => '{town}') ORDER BY n DESC, 2, value")" \
    "$(sed -n 's/^Shares of mood by town,\([^,]*,[^,]*\),[^,]*,\([^,]*\),.*/\1,\2/p' by.csv)"
check "means of three groups" 3 "$(grep -c '^Mean of hours by town,' by.csv)"
run "no such column" 1 "$ldp" estimate towns --by city
has err 'cannot be grouped by "city"'
has err "Available columns are round, town, seen."
sql -c "ALTER TABLE towns ADD sent timestamptz DEFAULT '2026-05-06 12:00 UTC'" >/dev/null
run "two columns with dates" 0 "$ldp" estimate towns
if grep -q "2026," out || grep -q "from 28" out; then bad "a period of two columns" out; else ok; fi
run "one of them" 0 "$ldp" estimate towns --date sent
has out "Answers of 6 May 2026, computed on "
# Days are those of the rollup: 23:30 UTC on 6 May is 7 May in Berlin, in sessions of all zones and styles.
sql -c "UPDATE towns SET sent = '2026-05-06 23:30 UTC'" -c "SELECT ldp_create_rollup('towns_daily', 'towns', '{day(sent)}', 'Europe/Berlin')" >/dev/null
sql -c "SELECT ldp_refresh('towns_daily')" >/dev/null
# Pages, tables and texts of all sessions are equal, except for the day of the computation.
undated() { sed -E 's/, computed on [^<]*//' "$1"; }
locales=(C $(locale -a 2>/dev/null | grep -iE '^(C|de_DE|tr_TR)\.utf-?8$'))
for zone in UTC America/New_York Asia/Tokyo Asia/Kathmandu; do
    for style in "ISO, YMD" "SQL, DMY" "SQL, MDY" German "Postgres, DMY"; do
        session="$zone, $style, ${locales[0]}"
        export PGTZ=$zone PGDATESTYLE=$style LC_ALL=${locales[0]}
        run "days of a collection ($session)" 0 "$ldp" estimate towns --date sent --by town --html zone.html --csv zone.csv
        [ -e first.html ] || { has zone.html "Answers of 7 May 2026, computed on "; undated zone.html >first.html; cp zone.csv first.csv; }
        check "page and table ($session)" "" "$(undated zone.html | diff first.html -; diff first.csv zone.csv)"
        run "days of a rollup ($session)" 0 "$ldp" estimate towns_daily
        [ -e first.out ] || { has out "Answers of 7 May 2026, computed on "; undated out >first.out; }
        check "text of a rollup ($session)" "" "$(undated out | diff first.out -)"
        unset PGTZ PGDATESTYLE LC_ALL
        locales=("${locales[@]:1}" "${locales[0]}")
    done
done
sql -c "SELECT ldp_drop_rollup('towns_daily')" >/dev/null

# More groups than a drawing of lines shows: files and tables have all.
collect many '{"mechanism": "sampled", "epsilon": 8, "attributes": [{"name": "mood", "domain": ["low", "high"], "mechanism": "grr"},
    {"name": "hours", "vector": ["a", "b", "c", "d"], "min": 0, "max": 24}]}' "ARRAY[['town', 'text'], ['seen', 'date']]"
sql -c "UPDATE many SET town = 'town ' || chr(97 + i % 10), seen = date '2026-02-28' + i % 3
        FROM (SELECT ctid AS at, row_number() OVER ()::integer AS i FROM many) AS numbered WHERE ctid = at" >/dev/null || bad "ten towns"
run "ten groups" 0 "$ldp" estimate many --by town --html many.html --csv many.csv
check "shares of ten groups" 20 "$(grep -c '^Shares of mood by town,' many.csv)"
check "means of ten groups" 40 "$(grep -c '^Means of hours by town,' many.csv)"
has many.html "The drawing shows the 6 largest of 10 groups; the table contains all."
run "ten groups in the terminal" 0 "$ldp" estimate many --by town
check "ten groups in the terminal" 10 "$(grep -o 'town [a-j]' out | sort -u | wc -l)"

# A rollup, whose reports may be pruned.
sql -c "SELECT ldp_create_rollup('many_daily', 'many', '{seen,town}')" -c "SELECT ldp_refresh('many_daily')" >/dev/null || bad "a rollup"
"$ldp" estimate many --by town --title title --csv of_reports.csv
sql -c "DELETE FROM many WHERE seen = '2026-02-28'" >/dev/null
run "a rollup" 0 "$ldp" estimate many_daily --by town --title title --csv of_rollup.csv --html many_daily.html
check "estimates of all reports" "$(cat of_reports.csv)" "$(cat of_rollup.csv)"
# With rounds, a rollup has the results of the last one, and the changes, as the collection.
sql -c "SELECT ldp_create_rollup('daily_rounds', 'daily', '{round}')" -c "SELECT ldp_refresh('daily_rounds')" >/dev/null || bad "a rollup by round"
"$ldp" estimate daily --title title --csv of_reports.csv
run "a rollup by round" 0 "$ldp" estimate daily_rounds --title title --csv of_rollup.csv
check "a rollup's last round" "$(cat of_reports.csv)" "$(cat of_rollup.csv)"
run "a rollup by round in the terminal" 0 "$ldp" estimate daily_rounds
has out "150 reports of round 1 about"
check "a rollup: what is wrong" "" "$(sql -v page="$(cat many_daily.html)" -f - <<<"SELECT faults(xmlparse(document :'page'))")"
has many_daily.html "400 reports about"
has many_daily.html "from 28 February 2026 to 2 March 2026"
run "a column that the rollup lacks" 1 "$ldp" estimate many_daily --by round
has err "Available columns are seen, town."
run "a round of a rollup without rounds" 1 "$ldp" estimate many_daily --round 0
has err "no column for rounds"

# Curves over public columns ------------------------------------------------------------------------------------
# The mean of week w is 4 + (w - 12)²/8. A kernel regression with quadratic weights has no bias for a parabola. Each of 24 estimates
# is more than 6.5 standard errors away with a chance below 1e-10.
curved='{"mechanism": "auto", "epsilon": 8, "min_group": 30, "attributes": [{"name": "mood", "domain": ["low", "high"]},
    {"name": "hours", "min": 0, "max": 24, "title": "Hours awake", "unit": "h"}]}'
sql -v spec="$curved" -f - >/dev/null <<<"SELECT ldp_create_collection('curved', :'spec', ARRAY[['week', 'integer'], ['seen', 'date'], ['clock', 'time'],
    ['town', 'text'], ['half', 'integer']], analysts => 'aggregates')" || bad "a collection with a curve"
awk 'BEGIN { print "mood,hours"; for (i = 0; i < 4800; ++i) { w = i % 24 - 12; print (i % 3 ? "low" : "high") "," 4 + w * w / 8 + (i % 7 - 3) / 3 } }' >curved.csv
"$ldp" perturb --spec "$curved" <curved.csv >reports 2>err || bad "reports of a curve" err
awk '{ w = (NR - 1) % 24; printf "%s,%d,2026-03-%02d,%02d:30,Ulm,%d\n", $0, w, w + 1, w, w % 2 }' reports >placed.csv
sql -c "\\copy curved (report, week, seen, clock, town, half) FROM 'placed.csv' (FORMAT csv)" || bad "reports with weeks"
run "a curve" 0 "$ldp" estimate curved --curve week --html curve.html --svg curve.svg --csv curve.csv
check "a curve: what is wrong" "" "$(sql -v page="$(cat curve.html)" -f - <<<"SELECT faults(xmlparse(document :'page'))")"
has curve.html "Mean of <bdi>Hours awake</bdi> over <bdi>week</bdi>"
has curve.html "Lines or band: 95"
check "the rows of the curve are those of SQL" "$(sql -F, -c "SELECT x, x, estimate, stderr, lower, upper, n, note FROM ldp_kernel_regression('curved', '{week}', attribute => 'hours')")" \
    "$(sed -n 's/^Mean of hours over week,\([^,]*\),,/\1,/p' curve.csv)"
check "the curve is near the truth" 24 "$(awk -F, '/^Mean of hours over week,/ { d = $5 - 4 - ($4 - 12) ^ 2 / 8; if (d < 0) d = -d; n += d < 6.5 * $6 && $6 < 0.5 } END { print n + 0 }' curve.csv)"
check "only the number has a curve" 24 "$(grep -c ' over week,' curve.csv)"
run "a curve in the terminal" 0 "$ldp" estimate curved --curve week
has out "which was chosen from the"
has out "Hours awake over week"
has out "SELECT * FROM ldp_kernel_regression('curved', ARRAY['week'], attribute => 'hours');"
run "a bandwidth" 0 "$ldp" estimate curved --curve week --bandwidth 3.5 --confidence 0.8 --csv bandwidth.csv
check "the bandwidth is that of SQL" "$(sql -F, -c "SELECT x, estimate, stderr, lower, upper, n FROM ldp_kernel_regression('curved', '{week}', 3.5, 0.8, attribute => 'hours')")" \
    "$(sed -n 's/^Mean of hours over week,[^,]*,,\(.*\),$/\1/p' bandwidth.csv)"
# Days and hours at the same distances as weeks have the same estimates.
estimates() { awk -F, '/^Mean of hours over / { printf "%.6f %.6f\n", $5, $6 }' "$1"; }
for column in seen clock; do
    run "a curve over $column" 0 "$ldp" estimate curved --curve $column --html $column.html --svg $column.svg --csv $column.csv
    check "$column: what is wrong" "" "$(sql -v page="$(cat $column.html)" -f - <<<"SELECT faults(xmlparse(document :'page'))")"
    check "$column: the estimates" "$(estimates curve.csv)" "$(estimates $column.csv)"
done
has seen.svg ">2026-03-01<"
has seen.html "days, which was chosen"
check "positions of dates" "2026-03-01,,20513" "$(sed -n 's/^Mean of hours over seen,\([^,]*,[^,]*,[^,]*\),.*/\1/p' seen.csv | head -1)"
has clock.svg ">00:30<"
sql -c "ALTER TABLE curved ADD sent timestamptz" -c "UPDATE curved SET sent = seen + time '18:30' AT TIME ZONE 'UTC'" >/dev/null 2>err || bad "a column with times" err
run "a curve over times of dates" 0 "$ldp" estimate curved --curve sent --csv sent.csv --html sent.html
check "times of dates: the estimates" "$(estimates curve.csv)" "$(estimates sent.csv)"
has sent.html "sent (UTC)"
# A rollup, and rounds, of which the last one has a curve of its own.
sql -c "SELECT ldp_create_rollup('curved_weekly', 'curved', '{week}')" -c "SELECT ldp_refresh('curved_weekly')" >/dev/null || bad "a rollup by week"
run "a curve of a rollup" 0 "$ldp" estimate curved_weekly --curve week --csv of_rollup.csv
check "a curve of a rollup" "$(grep ' over week,' curve.csv)" "$(grep ' over week,' of_rollup.csv)"
sql -c "SELECT ldp_open_rounds('curved', 0, 1)" -c "UPDATE curved SET round = 1 WHERE week < 3" >/dev/null
run "too few values in the last round" 0 "$ldp" estimate curved --curve week
has out "A curve needs reports at 4 to 4,096 different values of week, and there are reports at 3."
run "a curve of another round" 0 "$ldp" estimate curved --curve week --round 0 --csv round.csv
check "a curve of one round" 21 "$(grep -c ' over week,' round.csv)"
sql -c "SELECT ldp_open_rounds('curved', 0, 5)" -c "UPDATE curved SET round = week % 6" >/dev/null
run "a curve over rounds" 0 "$ldp" estimate curved --curve round --csv rounds.csv
check "a curve over rounds" "$(sql -F, -c "SELECT x, estimate, n FROM ldp_kernel_regression('curved', '{round}', attribute => 'hours')")" \
    "$(sed -n 's/^Mean of hours over round,[^,]*,,\([^,]*,[^,]*\),[^,]*,[^,]*,[^,]*,\([^,]*\),.*/\1,\2/p' rounds.csv)"
sql -c "UPDATE curved SET round = 0" >/dev/null
run "too few values" 0 "$ldp" estimate curved --curve half
has out "and there are reports at 2."
run "a curve over names" 1 "$ldp" estimate curved --curve town
has err "a curve needs a column of numbers, dates or times"
has err 'The column "town" has the type text.'
run "a curve over no column" 1 "$ldp" estimate curved --curve city
has err 'cannot be grouped by "city"'
run "no number" 1 "$ldp" estimate plan --curve round
has err "a curve needs an attribute whose mean is estimated"
run "a curve needs a server" 2 "$ldp" estimate --spec numbers.json numbers.ldp --curve week
run "a bandwidth without a curve" 2 "$ldp" estimate curved --bandwidth 3
run "a negative bandwidth" 2 "$ldp" estimate curved --curve week --bandwidth -1

# Privileges ----------------------------------------------------------------------------------------------------
reader=ldp_estimate_reader
at_exit() { psql -Xqc "DROP ROLE IF EXISTS $reader" >/dev/null 2>&1; }
sql -c "CREATE ROLE $reader LOGIN" >/dev/null || exit 1
collect aggregates '{"mechanism": "grr", "epsilon": 1, "min_group": 500, "attributes": [{"name": "town", "domain": ["Ulm", "Bonn"]}]}' "analysts => 'aggregates'"
run "a stranger" 1 "$ldp" estimate aggregates --dsn user=$reader
has err "ldp_analyst"
sql -c "GRANT ldp_analyst TO $reader" >/dev/null
run "a curve, who may see aggregates" 0 "$ldp" estimate curved --curve seen --dsn user=$reader --csv reader.csv
check "a curve, who may see aggregates" "$(grep ' over seen,' seen.csv)" "$(grep ' over seen,' reader.csv)"
run "too few, who may see aggregates" 0 "$ldp" estimate aggregates --dsn user=$reader
has out "fewer than 500"
if grep -q "Shares" out; then bad "estimates of too few" out; else ok; fi
sql -c "INSERT INTO aggregates SELECT * FROM aggregates" >/dev/null
run "who may see aggregates" 0 "$ldp" estimate aggregates --dsn user=$reader --csv -
if grep -q "Shares of town by" out; then bad "groups without --by" out; else ok; fi
check "as SQL has them" "$(sql -F, -c "SET ROLE $reader" -c "SELECT label, estimate FROM ldp_estimate('aggregates')")" \
    "$(sed -n 's/^Shares of town,\([^,]*\),,,\([^,]*\),.*/\1,\2/p' out)"

sql -c "ALTER TABLE aggregates ADD seen date DEFAULT '2026-03-02'" -c "INSERT INTO aggregates (report, seen) SELECT report, date '2026-03-05' FROM aggregates LIMIT 600" >/dev/null
run "dates, who may see aggregates" 0 "$ldp" estimate aggregates --dsn user=$reader
has out "from 2 March 2026 to 5 March 2026"

# Sureness --------------------------------------------------------------------------------------------------
run "a population, at 80 %" 0 "$ldp" estimate daily --round all --target population --confidence 0.8 --csv -
check "as SQL has it" "$(sql -F, -c "SELECT label, estimate, stderr, lower, upper FROM
    ldp_estimate(ldp_groups_of('daily', '{}', first_round => 0), attributes => '{mood}', statistics => '{proportion}', confidence => 0.8, target => 'population')")" \
    "$(sed -n 's/^Shares of mood,\([^,]*\),,,\([^,]*,[^,]*,[^,]*,[^,]*\),[0-9]*,$/\1,\2/p' out)"
run "no probability" 2 "$ldp" estimate daily --confidence 95
run "a wrong target" 2 "$ldp" estimate daily --target people
run "no collection" 1 "$ldp" estimate nowhere
has err "nowhere"
run "nowhere to write" 1 "$ldp" estimate daily --html /nowhere/page.html
has err "/nowhere/page.html"
run "no server" 1 "$ldp" estimate daily --dsn "host=/nowhere"

# Names are anything ------------------------------------------------------------------------------------------
evil='<script>alert(1)</script>"'\''&amp;]]>'
collect "$evil" "$(sql -v evil="$evil" -f - <<'SQL'
SELECT jsonb_build_object('mechanism', 'joint', 'epsilon', 6, 'attributes', jsonb_build_array(
    jsonb_build_object('name', :'evil', 'domain', ARRAY[:'evil', E'a\u202Eb\u2068c', E'\x1B[31mred\x07', '=1+1,"x"', 'שלום']),
    jsonb_build_object('name', E'a\u2067 -- \\', 'domain', ARRAY['</title>', repeat('long', 50)])))
SQL
)"
page "$evil" evil
collect "'; SELECT 1/0 --" '{"mechanism": "grr", "epsilon": 4, "attributes": [{"name": "{name}", "domain": ["{summary}", "{groups}"]}]}'
sql -c "ALTER TABLE \"'; SELECT 1/0 --\" ADD \"{name}\" date DEFAULT '2026-03-02'" >/dev/null
run "names like placeholders" 0 "$ldp" estimate "'; SELECT 1/0 --" --by "{name}" --csv -
check "estimates of all of them" 4 "$(grep -c '^"\?Shares of {name}' out)"
run "anything in the terminal" 0 "$ldp" estimate "$evil"
if LC_ALL=C.UTF-8 grep -qP '[\x00-\x09\x0B-\x1F\x7F\x{202a}-\x{202e}\x{2066}-\x{2069}]' out; then bad "$name: it commands the terminal" out; else ok; fi
has out "a\u{202e}b"
has out "U&'a\\+002067 -- \\\\'"
# Titles, questions, units and display texts -------------------------------------------------------------------------
study='{"mechanism": "sampled", "epsilon": 8, "per_report": 1, "attributes": [{"name": "age", "min": 0, "max": 100, "missing": true, "mechanism": "optional_mean"},
    {"name": "mood", "domain": ["-", "0", "+"], "mechanism": "grr"}, {"name": "hours", "vector": ["am", "noon", "pm"], "min": 0, "max": 12, "mechanism": "duchi_vector"}]}'
collect study "$study"
"$ldp" estimate study --csv plain.csv
run "names without texts" 0 "$ldp" estimate study
has out "Response by question"
sql -v evil="$evil" -f - >/dev/null <<'SQL' || bad "texts"
SELECT ldp_describe('study', jsonb_build_object('title', 'Well-being in ' || :'evil', 'description', 'About {summary} & {{title}}.', 'people_asked', 500, 'attributes',
    jsonb_build_object('age', '{"title": "Age of people", "question": "How old are you?", "unit": "years"}'::jsonb,
        'mood', jsonb_build_object('title', E'a\u202Eb', 'question', '</title>' || :'evil', 'scale', 'ordered', 'display', jsonb_build_object('-', :'evil', '+', 'gut')),
        'hours', '{"title": "Hours awake", "unit": "<b>h</b>", "display": {"am": "in the morning"}}'::jsonb)), force => true);
SQL
page study
has study.html "500 people were asked; the response rate is 80.0"
if grep -q "In round" study.html; then bad "a round of a collection without rounds" study.html; else ok; fi
has study.html "How old are you?"
has study.html "Response by question"
check "labels, not display texts, in the CSV" "$(cat plain.csv)" "$(cat study.csv)"
check "titles, questions and units on the page" "t t t t f" "$(sql -F ' ' -f - <<'SQL'
SELECT string_agg(t, '|') LIKE '%Age of people%Hours awake%', string_agg(t, '|') LIKE '%in the morning%', string_agg(t, '|') LIKE '%&lt;b&gt;h%',
       string_agg(t, '|') LIKE '%gut%', string_agg(t, '|') LIKE '%{{title}}%{{title}}%'
FROM pages, unnest(nodes('//h:body//text()', page)) AS t WHERE name = 'study';
SQL
)"
run "texts in the terminal" 0 "$ldp" estimate study
if LC_ALL=C.UTF-8 grep -qP '[\x00-\x09\x0B-\x1F\x7F\x{202a}-\x{202e}\x{2066}-\x{2069}]' out; then bad "$name: it commands the terminal" out; else ok; fi
has out "How old are you?"
has out "years ("
has out "share who answer"
has out "in the morning"
# Titles that are equal: no figure merges them.
collect alike '{"mechanism": "sampled", "epsilon": 8, "attributes": [
    {"name": "x", "min": 0, "max": 10, "title": "Hours", "mechanism": "optimal"}, {"name": "y", "min": 0, "max": 10, "title": "Hours", "mechanism": "optimal"},
    {"name": "Hours", "domain": ["a", "b", "c"], "mechanism": "grr"}]}' "ARRAY[['town', 'text']]"
sql -c "UPDATE alike SET town = (ARRAY['Ulm', 'Bonn'])[1 + i % 2] FROM (SELECT ctid AS at, row_number() OVER ()::integer AS i FROM alike) AS r WHERE ctid = at" >/dev/null
run "equal titles" 0 "$ldp" estimate alike --by town
for title in "Mean of Hours (x)" "Mean of Hours (y)" "Shares of Hours"; do check "$title" 1 "$(grep -cxF "$title" out)"; done
collect twins '{"mechanism": "duchi_vector", "epsilon": 8, "attributes": [{"name": "x", "min": 0, "max": 10, "title": "Hours"}, {"name": "y", "min": 0, "max": 10, "title": "Hours"}]}' \
    "ARRAY[['town', 'text']]"
run "equal titles in one figure" 0 "$ldp" estimate twins
for title in "Hours (x)" "Hours (y)"; do has out "$title  "; done
# People asked by round.
collect waves '{"mechanism": "grr", "epsilon": 4, "people_asked": {"0": 250, "1": 800}, "domain": 2}'
sql -c "SELECT ldp_open_rounds('waves', 0, 1)" -c "UPDATE waves SET round = 1 WHERE ctid IN (SELECT ctid FROM waves LIMIT 200)" >/dev/null
page waves
has waves.html "Response by round"
has waves.html "25.0"
run "one round" 0 "$ldp" estimate waves --round 0
has out "In round 0, 250 people were asked; the response rate is 80.0"

# Names are in it, as text of it.
check "a name in a heading" t "$(sql -v evil="$evil" -f - <<<"SELECT (xpath('string(//*[local-name()=\"h1\"])', page))[1]::text LIKE '%&lt;script&gt;%' FROM pages WHERE name = :'evil'")"
finish
