#!/usr/bin/env bash
# ldp submit --person: files of people who report repeatedly, into a database and an endpoint; kills in the middle, order of
# rows, budgets, public columns and several files of one panel. The server is named by PGHOST and its like, the program by LDP.
. "$(dirname "$0")/../prelude.sh"
children=()
at_exit() {
    local child
    for child in "${children[@]}"; do kill "$child" 2>/dev/null && wait "$child"; done
    psql -Xqc "DROP OWNED BY ldp_panel_gateway" -c "DROP ROLE IF EXISTS ldp_panel_gateway" 2>/dev/null
}
cd "$work" || exit 1
create_databases ldp_panel
sql -c "CREATE EXTENSION ldp" -c "CREATE ROLE ldp_panel_gateway LOGIN IN ROLE ldp_submitter" || exit 1
equal() { check "$name" "$2" "$1"; }  # of the last run
create() { sql -c "SELECT ldp_create_collection('$1', '$2', ARRAY[['country', 'text']])" -c "SELECT ldp_open_rounds('$1', 1, 99)" >/dev/null; }
# One layer: a memoized response is the report itself, so equal values of a person give equal reports.
moods='{"mechanism": "grr", "epsilon": 2, "evolving": {}, "domain": ["bad", "ok", "good"], "budget": {"epsilon": 6}}'
series='{"mechanism": "ddrm", "epsilon": 4, "domain": 4, "rounds": 8, "changes": 2}'
by_round() { sql -c "SELECT round, count(*) FROM $1 GROUP BY 1 ORDER BY 1" | tr '\n' ' '; }

# 200 people, 10 rounds: two thirds keep their mood, the others change it once.
panel() {  # first round, last round
    awk -v first="$1" -v last="$2" 'BEGIN { print "who,day,mood,country"; split("bad ok good", mood, " ")
        for (t = first; t <= last; t++) for (i = 0; i < 200; i++) print "p" i "," t "," mood[1 + (i % 3 + (i % 3 == 2 && t > 5)) % 3] "," (i % 2 ? "de" : "fr") }'
}
panel 1 10 >panel.csv
panel 11 12 >later.csv
rounds=$(for t in $(seq 10); do printf '%s|200 ' "$t"; done)

"$ldp" collect --listen 127.0.0.1:0 --dsn user=ldp_panel_gateway 2>endpoint.log &
children+=($!)
until grep -q listening endpoint.log || ! kill -0 "${children[0]}"; do sleep 0.05; done
at=$(sed -n 's/^listening on //p' endpoint.log)

for way in database endpoint; do
    create "moods_$way" "$moods"
    to=()
    if [ $way = endpoint ]; then
        to=(--to "$at")
        for _ in $(seq 100); do
            python3 -c "import urllib.request; urllib.request.urlopen('$at/collections/moods_$way/spec')" 2>/dev/null && break
            sleep 0.1
        done
    fi
    # Killed in the middle, three times.
    for pause in 0.05 0.1 0.2; do
        "$ldp" submit "${to[@]}" --collection "moods_$way" --person who --round day --column value=mood --public country --batch 100 panel.csv >out 2>err &
        child=$!
        sleep $pause
        kill -9 $child 2>/dev/null
        wait $child 2>/dev/null
    done
    run "a panel ($way)" 0 "$ldp" submit "${to[@]}" --collection "moods_$way" --person who --round day --column value=mood --public country panel.csv
    has err "2,000 rows read, 0 skipped, 2,000 reports submitted"
    # 134 people draw one response, 66 draw two.
    has err "1,734 of 2,000 responses from memory"
    equal "$(by_round "moods_$way")" "$rounds"
    equal "$(sql -c "SELECT country, count(*) FROM moods_$way GROUP BY 1 ORDER BY 1" | tr '\n' ' ')" "de|1000 fr|1000 "
    equal "$(stat -c %a "moods_$way.panel.ldp")" 600
    # Each person has one response per value, across kills: at most 3 distinct reports of a person in 10 rounds.
    run "no name of a person ($way)" 1 "$ldp" ledger "moods_$way.panel.ldp"
    has err "has the ledgers of"
    has err "Name a person: --person."
    run "a ledger ($way)" 0 "$ldp" ledger --person p0 "moods_$way.panel.ldp"
    has out "1 of at most 3"
    run "another ledger ($way)" 0 "$ldp" ledger --person p2 "moods_$way.panel.ldp"
    has out "2 of at most 3"
    run "the same file again ($way)" 0 "$ldp" submit "${to[@]}" --collection "moods_$way" --person who --round day --column value=mood --public country panel.csv
    has err "was submitted to collection \"moods_$way\" before; nothing was sent now"
    has err "2,000 reports submitted"
    # The next file uses the same memory.
    run "later rounds ($way)" 0 "$ldp" submit "${to[@]}" --collection "moods_$way" --person who --round day --column value=mood --public country later.csv
    has err "400 rows read, 0 skipped, 400 reports submitted, 400 of 400 responses from memory"
    equal "$(by_round "moods_$way")" "${rounds}11|200 12|200 "
    run "its ledger ($way)" 0 "$ldp" ledger --person p0 "moods_$way.panel.ldp"
    has out "1 of at most 3"
    equal "$(sql -c "SELECT sum(reports) FROM ldp_internal.ldp_batch WHERE collection = 'moods_$way'")" 2400
done
# A file is as its people said: shares of round 1 within 6 standard errors.
name="estimates"
equal "$(sql -c "SELECT count(*) FROM (SELECT ldp_agg(report, round) AS summary FROM moods_database WHERE round = 1) AS s, ldp_estimate(summary, statistics => '{proportion}') WHERE abs(estimate - 1 / 3.0) < 6 * stderr")" 3

# A file per day, without a column of rounds.
create daily "$moods"
for day in 1 2 3; do
    printf 'who,mood\na,ok\nb,%s\n' "$([ $day = 2 ] && echo bad || echo good)" >day$day.csv
    run "day $day" 0 "$ldp" submit --collection daily --person who --round $day --column mood day$day.csv
    has err "2 reports submitted"
done
equal "$(by_round daily)" "1|2 2|2 3|2 "
equal "$(sql -c "SELECT count(DISTINCT report) <= 3 FROM daily")" t
run "day 3 again" 0 "$ldp" submit --collection daily --person who --round 3 --column mood day3.csv
has err "nothing was sent now"
run "day 3 with other columns" 1 "$ldp" submit --collection daily --person mood --round 3 --column who day3.csv
has err "belongs to another kind of record"
printf 'who,mood\nb,good\n' >day2b.csv
run "day 2 of another file" 1 "$ldp" submit --collection daily --person who --round 2 --column mood day2b.csv
has err 'day2b.csv, line 2: round 2 of person "b" comes after round 3'
equal "$(by_round daily)" "1|2 2|2 3|2 "

# The order of rows.
create ordered "$moods"
submit() { "$ldp" submit --collection ordered --person who --round day --column mood "$@"; }
printf 'who,day,mood\nb,3,ok\na,1,ok\na,2,bad\nb,1,ok\na,2,ok\nb,5,good\n' >mixed.csv
run "a row of an earlier round" 1 submit mixed.csv
has err 'mixed.csv, line 5: round 1 of person "b" comes after round 3'
has err "Sort the file by the column of the round."
equal "$(sql -c 'SELECT count(*) FROM ordered')" 0
if [ -e ordered.panel.ldp ]; then bad "a refused file leaves a state file"; else ok; fi
run "such rows are skipped" 5 submit --on-bad-row skip mixed.csv
has err 'person "a" has a second row in round 2'
has err "6 rows read, 2 skipped, 4 reports submitted"
equal "$(by_round ordered)" "1|1 2|1 3|1 5|1 "
for bad in 'a,x,ok' 'a,3000000000,ok' 'a,,ok' ',9,ok' 'a,9,fine'; do
    printf 'who,day,mood\nc,8,ok\n%s\n' "$bad" >bad.csv
    run "the row $bad" 1 submit bad.csv
    has err "bad.csv, line 3: "
done
equal "$(by_round ordered)" "1|1 2|1 3|1 5|1 "

# A budget: two values, then the person stops.
create spent '{"mechanism": "grr", "epsilon": 2, "evolving": {}, "domain": ["bad", "ok", "good"], "budget": {"epsilon": 4, "when_spent": "stop"}}'
printf 'who,day,mood\na,1,ok\na,2,bad\na,3,good\na,4,ok\nb,4,ok\n' >spent.csv
run "a budget that is spent" 0 "$ldp" submit --collection spent --person who --round day --column mood spent.csv
has err "5 rows read, 0 skipped, 2 without a report because the budget is spent, 3 reports submitted, 0 of 3 responses from memory"
equal "$(by_round spent)" "1|1 2|1 4|1 "

# One budget of each person for two collections: "a" reports twice to the first one, and once to the second.
group='"budget": {"group": "acme", "epsilon": 3}'
create pain '{"mechanism": "grr", "epsilon": 1, "domain": ["bad", "ok", "good"], "title": "Pain", '"$group}"
create sleep '{"mechanism": "grr", "epsilon": 0.5, "evolving": {}, "domain": ["bad", "ok"], '"$group}"
printf 'who,day,mood\na,1,ok\na,2,bad\nb,1,ok\n' >pain.csv
printf 'who,day,mood\na,1,ok\na,2,bad\na,3,ok\nb,4,ok\n' >sleep.csv
printf 'who,day,mood\na,3,ok\nb,3,ok\nb,4,bad\n' >pain2.csv
drawing() { "$ldp" submit --collection "$1" --person who --round day --column mood "${@:2}"; }
run "no ledger" 2 drawing pain pain.csv
has err 'belongs to the group "acme": name the file with its ledger, --ledger FILE'
run "no person" 1 "$ldp" submit --collection pain --column mood --ledger acme.ledger pain.csv
has err "a budget of a group needs a column that identifies the person"
run "a ledger without a group, for the person's total" 0 drawing spent --ledger acme.ledger spent.csv
has err 'was submitted to collection "spent" before'
run "the first collection" 0 drawing pain --ledger acme.ledger pain.csv
has err "3 reports submitted"
run "the second collection" 0 drawing sleep --ledger acme.ledger sleep.csv
has err "4 rows read, 0 skipped, 4 reports submitted, 1 of 4 responses from memory"
run "what is left" 0 drawing pain --ledger acme.ledger pain2.csv
has err "3 rows read, 0 skipped, 2 without a report because the budget is spent, 1 reports submitted"
equal "$(by_round pain)" "1|2 2|1 3|1 "
run "the ledger of the group" 0 "$ldp" ledger --all acme.ledger
has out 'group         "acme", epsilon 3 of each person'
check "the first collection" '2 2 2 "Pain"' "$(awk '/Pain/ { print $2, $3, $4, $5 }' out)"
check "the second collection" '2 1 1 "grr"' "$(awk '/"grr"/ { print $2, $3, $4, $5 }' out)"
check "all collections" 'all 2 3 3 0 left' "$(awk '/^all +[0-9]/ { print $1, $2, $3, $4, $5, $6 }' out)"
run "one person" 0 "$ldp" ledger --all --person b acme.ledger
check "what b has spent" 'all 1 2.5 3 0 left' "$(awk '/^all +[0-9]/ { print $1, $2, $3, $4, $5, $6 }' out)"
run "nobody" 1 "$ldp" ledger --all --person zoe acme.ledger
has err 'no account of "zoe"'
run "no ledger of groups" 1 "$ldp" ledger --all pain.panel.ldp
has err "not a ledger of ldp"
create other '{"mechanism": "grr", "epsilon": 1, "domain": ["bad", "ok"], "budget": {"group": "acme", "epsilon": 4}}'
run "another epsilon" 1 drawing other --ledger acme.ledger --on-bad-row skip sleep.csv
has err 'the group "acme" has two budgets'

# An interrupted file comes before the next one.
create broken "$moods"
run "a server that is gone" 4 env PGPORT=1 "$ldp" submit --retry-for 0 --collection broken --person who --round day --column mood panel.csv
"$ldp" submit --collection broken --person who --round day --column value=mood --batch 1 panel.csv >out 2>err &
child=$!
until [ "$(sql -c 'SELECT count(*) > 3 FROM broken')" = t ] || ! kill -0 $child; do :; done
kill -9 $child 2>/dev/null
wait $child 2>/dev/null
run "another file in between" 1 "$ldp" submit --collection broken --person who --round day --column value=mood later.csv
has err "the submission of another file is unfinished"
run "the same file" 0 "$ldp" submit --collection broken --person who --round day --column value=mood panel.csv
equal "$(by_round broken)" "$rounds"
run "then the other file" 0 "$ldp" submit --collection broken --person who --round day --column value=mood later.csv
equal "$(by_round broken)" "${rounds}11|200 12|200 "

# Series.
create numbers "$series"
awk 'BEGIN { print "who,day,value"; for (i = 0; i < 300; i++) for (t = 1; t <= 8; t++) print "p" i "," t "," (i % 4) }' >series.csv
run "a series" 0 "$ldp" submit --collection numbers --person who --round day series.csv
reports=$(sql -c 'SELECT count(*) FROM numbers')
has err "2,400 rows read, 0 skipped, $(echo "$reports" | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta') reports submitted"
equal "$(sql -c "SELECT count(*) >= 300 FROM numbers")" t
printf 'who,day,value\nx,9,1\n' >ninth.csv
# Numbers: three in four people weigh 20, the others 80 from round 5 on.
create weights '{"mechanism": "threshold_series", "epsilon": 16, "rounds": 8, "changes": 1, "attributes": [{"name": "weight", "min": 0, "max": 100}]}'
awk 'BEGIN { print "who,day,weight"; for (i = 0; i < 800; i++) for (t = 1; t <= 8; t++) print "p" i "," t "," (i % 4 == 3 && t > 4 ? 80 : 20) }' >weights.csv
run "a series of numbers" 0 "$ldp" submit --collection weights --person who --round day weights.csv
has err "6,400 rows read, 0 skipped"
equal "$(sql -c "SELECT count(*) FROM ldp_series(ldp_summary_of('weights')) AS s WHERE abs(estimate - CASE WHEN round > 4 THEN 35 ELSE 20 END) < 6 * stderr")" 8
equal "$(sql -c "SELECT abs(estimate - 15) < 6 * stderr FROM ldp_series_mean(ldp_summary_of('weights'), '{5,6,7,8}', baseline => '{1,2,3,4}')")" t
run "its estimates" 0 "$ldp" estimate weights
has out "Mean of weight, round by round"
has out "Median of weight, round by round"
# A record: half of the people report the series of their weight, the others their region from memory.
create mixed '{"mechanism": "sampled", "epsilon": 16, "evolving": {}, "budget": {"epsilon": 160}, "attributes": [{"name": "weight", "min": 0, "max": 100, "mechanism": "threshold_series", "rounds": 8, "changes": 1}, {"name": "region", "domain": ["north", "south"], "mechanism": "grr"}]}'
awk 'BEGIN { print "who,day,weight,region"; for (i = 0; i < 1600; i++) for (t = 1; t <= 8; t++) print "p" i "," t "," (i % 4 == 3 && t > 4 ? 80 : 20) "," (i % 5 ? "north" : "south") }' >mixed.csv
run "a record with a series" 0 "$ldp" submit --collection mixed --person who --round day mixed.csv
has err "12,800 rows read, 0 skipped"
equal "$(sql -c "SELECT count(*) FROM ldp_series(ldp_summary_of('mixed'), attribute => 'weight') AS s WHERE abs(estimate - CASE WHEN round > 4 THEN 35 ELSE 20 END) < 6 * stderr AND attribute = 'weight' AND attribute_number = 0")" 8
equal "$(sql -c "SELECT count(*) FROM ldp_series(ldp_part(ldp_summary_of('mixed'), 'weight')) AS s WHERE abs(estimate - CASE WHEN round > 4 THEN 35 ELSE 20 END) < 6 * stderr")" 8
equal "$(sql -c "SELECT abs(estimate - 15) < 6 * stderr FROM ldp_series_mean(ldp_summary_of('mixed'), '{5,6,7,8}', baseline => '{1,2,3,4}', attribute => 'weight')")" t
equal "$(sql -c "SELECT count(*) FROM ldp_series_between(ldp_summary_of('mixed'), 50, 100, attribute => 'weight') AS s WHERE abs(estimate - CASE WHEN round > 4 THEN 0.25 ELSE 0 END) < 6 * stderr + 0.1")" 8
equal "$(sql -c "SELECT count(*) FROM ldp_series_quantiles(ldp_summary_of('mixed'), '{0.5}', attribute => 'weight') AS s WHERE lower <= 30")" 8
# The region is estimated round by round; the reports of all rounds repeat it.
equal "$(sql -c "SELECT count(*) FROM generate_series(1, 8) AS t, ldp_estimate(ldp_summary_of('mixed', t)) AS e WHERE e.label = 'south' AND abs(e.estimate - 0.2) < 6 * e.stderr")" 8
equal "$(sql -c "SELECT count(*) FROM ldp_estimate('mixed') AS e WHERE e.attribute = 'weight' AND e.estimate IS NULL AND e.note LIKE 'a series%'")" 1
equal "$(sql -c "SELECT count(*) FROM (SELECT round, ldp_proportion(ldp_part(ldp_agg(report, round), 'region')) AS f FROM mixed GROUP BY round) AS g WHERE abs(f[2] - 0.2) < 0.2")" 8
# Without rounds the series is estimated, and the memoized attribute is not.
equal "$(sql -c "SELECT count(estimate) FROM ldp_series((SELECT ldp_agg(report) FROM mixed), attribute => 'weight')")" 8
run "a memoized part without rounds" 1 sql -c "SELECT ldp_estimate((SELECT ldp_agg(report) FROM mixed), attributes => '{region}', statistics => '{proportion}')"
has out "counted without their rounds"
run "a mean of a series" 1 sql -c "SELECT * FROM ldp_estimate(ldp_summary_of('mixed'), attributes => '{weight}', statistics => '{mean}')"
has out "attribute 0 is a series"
has out "use ldp_series, for a record with attribute => name"
run "a series of a category" 1 sql -c "SELECT * FROM ldp_series(ldp_summary_of('mixed'), attribute => 'region')"
has out "does not support a series"
run "a series without its name" 1 sql -c "SELECT * FROM ldp_series(ldp_summary_of('mixed'))"
has out "ldp_part(summary, attribute)"
run "the ledger of one of them" 0 "$ldp" ledger --person p1 mixed.panel.ldp
has out "1 of at most"
run "the estimates of a record with a series" 0 "$ldp" estimate mixed
has out "Mean of weight, round by round"
has out "ldp_series(ldp_summary_of('mixed'), attribute => 'weight')"
printf 'who,day,weight,region\nx,9,1,north\n' >beyond.csv
has out "region"
run "a round that no series has" 1 "$ldp" submit --collection mixed --person who --round day beyond.csv
has err "the series does not have round 9"
run "a round that the series does not have" 1 "$ldp" submit --collection numbers --person who --round day ninth.csv
has err "the series does not have round 9"

# Specs without a memory, and options that do not go together.
sql -c "SELECT ldp_create_collection('plain', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": [\"bad\", \"ok\", \"good\"]}')" >/dev/null
run "no memory" 1 "$ldp" submit --collection plain --person who --column mood panel.csv
has err "--person requires a spec with changing values"
run "no person" 1 "$ldp" submit --collection ordered --column mood --state no.ldp panel.csv
has err "Use ldp submit --person COLUMN --round COLUMN"
run "a round without a person" 2 "$ldp" submit --collection plain --round day panel.csv
run "two kinds of people" 2 "$ldp" submit --collection plain --person who --average-by who panel.csv
run "no such column" 1 "$ldp" submit --collection ordered --person nobody --round day --column mood panel.csv
has err '"nobody"'
finish
