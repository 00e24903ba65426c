#!/usr/bin/env bash
# Numbers, vectors and records from the client's noise to SQL's answers, against the truth; ranges learnt in a first
# round and used in a second.
#
# The noise differs in every run. An estimate is correct if its error is below six of its own standard errors: a false
# alarm rate of 10^-9. With some fifty comparisons the total is below 10^-6. Intervals of quantiles use a confidence
# of 0.999999999.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
# collect COLLECTION SPEC FILE: a collection with reports of the file's records.
collect() {
    sql -c "SELECT ldp_create_collection('$1', '$2')" >"$work/log" || { cat "$work/log"; exit 1; }
    sql -c "SELECT ldp_client_spec('$1')" >"$work/spec"
    "$ldp" perturb --spec "$work/spec" <"$3" 2>"$work/err" >"$work/reports.copy" || { cat "$work/err"; exit 1; }
    sql -c "\\copy $1 (report) FROM '$work/reports.copy'" || exit 1
}
# agrees WHAT QUERY: the query gives estimate, standard error and truth; how many rows are there, and all agree.
agrees() {
    check "$1" "$2 t" "$(sql -F ' ' -c "SELECT count(*), bool_and(abs(estimate - truth) < 6 * stderr) FROM ($3) AS found (estimate, stderr, truth)")"
}
create_databases ldp_numbers
sql -c "CREATE EXTENSION ldp"

# People of 17 to 90 years, more of them young; hours that follow from age; a colour; and four times of day.
awk 'BEGIN {
    srand(3)
    print "age,hours,colour,t0,t1,t2,t3"
    for (i = 0; i < 40000; i++) {
        age = 17 + int(74 * rand() * rand()); hours = 60 - age / 2 + 5 * rand()
        level = (i % 100) / 100 - 0.5; swing = 0.1 * rand()
        print age "," hours "," (i % 5 < 3 ? "red" : i % 5 < 4 ? "blue" : "green") "," \
            level + swing "," level + swing / 2 "," level - swing / 2 "," level - swing
    }
}' >"$work/people.csv"
sql -c "CREATE TABLE truth (age float8, hours float8, colour text, t0 float8, t1 float8, t2 float8, t3 float8)"
sql -c "\\copy truth FROM '$work/people.csv' (FORMAT csv, HEADER)"

# One number: its mean through every mechanism, and its distribution.
age='"attributes": [{"name": "age", "min": 17, "max": 90}]'
for mechanism in auto laplace duchi piecewise pdp hybrid optimal square_wave haar_ordered tree; do
    grid=
    case $mechanism in square_wave | haar_ordered | tree) grid=', "grid": 73' ;; esac
    collect "age_$mechanism" "{\"mechanism\": \"$mechanism\", \"epsilon\": 2, $age$grid}" "$work/people.csv"
    agrees "the mean age by $mechanism" 1 "SELECT estimate, stderr, (SELECT avg(age) FROM truth) FROM ldp_estimate('age_$mechanism')"
done
ordered="(SELECT ldp_agg(report) FROM age_haar_ordered)"
agrees "shares up to an age" 3 "SELECT c.estimate, c.stderr, (SELECT avg((age <= bound)::int) FROM truth)
    FROM unnest(ARRAY[20, 30, 55]) AS bound, ldp_between($ordered, high => bound) AS c"
agrees "shares between two ages" 2 "SELECT r.estimate, r.stderr, (SELECT avg((age BETWEEN low AND high)::int) FROM truth)
    FROM (VALUES (18, 29), (30, 64)) AS v (low, high), ldp_between($ordered, low, high) AS r"
agrees "a histogram" 2 "SELECT h.estimate, h.stderr, (SELECT avg((age >= low AND (age < high OR bin = 1))::int) FROM truth) FROM ldp_histogram($ordered, 2) AS h"
check "its bins cover everyone" "1.0000000" "$(sql -c "SELECT round(sum(estimate)::numeric, 7) FROM ldp_histogram($ordered, 5)")"
check "quartiles hold the truth" "t t t" "$(sql -F ' ' -c "
    SELECT string_agg((t BETWEEN lower - 1 AND upper + 1)::text, ' ' ORDER BY probability) FROM ldp_quantiles($ordered, '{0.25,0.5,0.75}', 0.999999999) AS q,
        LATERAL (SELECT percentile_disc(q.probability) WITHIN GROUP (ORDER BY age) FROM truth) AS p (t)" | sed 's/true/t/g; s/false/f/g')"
check "the median alone is the same" t "$(sql -c "SELECT ldp_quantile($ordered, 0.5) = estimate FROM ldp_quantiles($ordered, '{0.5}')")"
check "a fitted distribution is one" "t t" "$(sql -F ' ' -c "SELECT min(estimate) >= 0, abs(sum(estimate) - 1) < 1e-9 FROM ldp_distribution($ordered)")"
check "so is that of square_wave" "t t" "$(sql -F ' ' -c "SELECT min(estimate) >= 0, abs(sum(estimate) - 1) < 1e-9 FROM ldp_distribution((SELECT ldp_agg(report) FROM age_square_wave))")"
check "only smeared estimates have a resolution" "0 t" "$(sql -F ' ' -c "SELECT ldp_resolution($ordered), ldp_resolution((SELECT ldp_agg(report) FROM age_square_wave)) > 0")"

# A record of several kinds.
collect record '{"mechanism": "auto", "epsilon": 2, "attributes": [{"name": "age", "min": 17, "max": 90},
    {"name": "hours", "min": 0, "max": 60, "weight": 2}, {"name": "colour", "domain": ["red", "blue", "green"]}]}' "$work/people.csv"
check "auto samples records" sampled "$(sql -c "SELECT mechanism FROM ldp_collections WHERE name = 'record'")"
agrees "means and shares of a record" 5 "SELECT estimate, stderr, t.truth FROM ldp_estimate('record', target => 'population') AS e
    JOIN (SELECT 'age', NULL, avg(age) FROM truth UNION ALL SELECT 'hours', NULL, avg(hours) FROM truth UNION ALL
          SELECT 'colour', colour, count(*) / 40000.0 FROM truth GROUP BY colour) AS t (attribute, label, truth)
    ON t.attribute = e.attribute AND t.label IS NOT DISTINCT FROM e.label"
record="(SELECT ldp_agg(report) FROM record)"
check "means by name" t "$(sql -c "SELECT ldp_mean($record, 'hours') = ldp_mean($record, '1')")"
check "a name that is not there" "ERROR:  there is no attribute \"height\"" "$(sql -c "SELECT ldp_mean($record, 'height')" | head -n 1)"
agrees "one attribute, taken out, with its labels" 3 "SELECT f.estimate, f.stderr, (SELECT count(*) / 40000.0 FROM truth WHERE colour = f.label)
    FROM ldp_estimate(ldp_part($record, 'colour'), statistics => '{proportion}', target => 'population') AS f"
check "it can be ranked" red "$(sql -c "SELECT label FROM ldp_top(ldp_part($record, 'colour'), 1)")"
check "parts of parts add up" t "$(sql -c "SELECT (SELECT ldp_rollup(ldp_part(s, '2')) FROM (SELECT ldp_agg(report) AS s FROM record GROUP BY ctid::text < '(50') AS half) = ldp_part($record, '2')")"
check "a mean's part is no frequency" "ERROR:  these reports have no statistic \"proportion\"" "$(sql -c "SELECT * FROM ldp_estimate(ldp_part($record, 'age'), statistics => '{proportion}')" | head -n 1)"

# A vector: all its mechanisms, groups of it, and its shrunk form.
vector='"attributes": [{"name": "t0", "min": -1, "max": 1}, {"name": "t1", "min": -1, "max": 1}, {"name": "t2", "min": -1, "max": 1}, {"name": "t3", "min": -1, "max": 1}]'
ranges=
for kind in duchi_vector ball gaussian haar haar_global haar_ranges haar_learnt; do
    case $kind in
        haar_global) more='"mechanism": "haar", "details": "global"' ;;
        haar_learnt) more="\"mechanism\": \"haar\", \"coefficients\": $ranges" ;;
        gaussian) more='"mechanism": "gaussian", "delta": 1e-6' ;;
        *) more="\"mechanism\": \"$kind\"" ;;
    esac
    epsilon=2
    [ $kind = haar_ranges ] && epsilon=4
    collect "v_$kind" "{$more, \"epsilon\": $epsilon, $vector}" "$work/people.csv"
    if [ $kind = haar_ranges ]; then
        ranges=$(sql -c "SELECT jsonb_agg(jsonb_build_array(low, high) ORDER BY coefficient) FROM ldp_learn_range((SELECT ldp_agg(report) FROM v_haar_ranges), 0.9)")
        check "details are learnt to be small" "4 t" "$(sql -F ' ' -c "SELECT count(*), bool_and(high <= 0.3) FILTER (WHERE coefficient > 0) FROM ldp_learn_range((SELECT ldp_agg(report) FROM v_haar_ranges), 0.9)")"
        continue
    fi
    summary="(SELECT ldp_agg(report) FROM v_$kind)"
    agrees "the vector by $kind" 4 "SELECT estimate, stderr, t.truth FROM ldp_estimate('v_$kind', target => 'population') AS e
        JOIN (SELECT unnest(ARRAY['t0','t1','t2','t3']), unnest(ARRAY[avg(t0), avg(t1), avg(t2), avg(t3)]) FROM truth) AS t (attribute, truth) USING (attribute)"
    agrees "half of it by $kind" 1 "SELECT r.estimate, r.stderr, (SELECT avg(t0 + t1) / 2 FROM truth) FROM ldp_between($summary, 0, 1, target => 'population') AS r"
done
check "learnt ranges pay" t "$(sql -c "SELECT max(l.stderr) < 0.7 * max(f.stderr) FROM ldp_estimate('v_haar_learnt') AS l, ldp_estimate('v_haar') AS f")"
check "shrunk means have an error" "4 t" "$(sql -F ' ' -c "SELECT count(*), bool_and(rmse > 0) FROM ldp_shrinkage((SELECT ldp_agg(report) FROM v_haar), 'sure')")"
check "a range for one number holds most people, and is no wider than declared" t "$(sql -c "
    SELECT low >= 17 AND high <= 90 AND (SELECT avg((age BETWEEN low AND high)::int) >= 0.9 FROM truth) FROM ldp_learn_range($ordered, 0.9)")"

# Plans in SQL and in a shell are the same, digit by digit.
while IFS='|' read -r spec question people; do
    check "a plan of $spec" \
        "$("$ldp" plan --csv ${people:+--people "$people"} --target-json "$question" "$spec" | sed 1d | cut -d, -f1-8)" \
        "$(sql -c "COPY (SELECT source, stderr, part, margin, effect, n, epsilon, mechanism FROM ldp_plan('$spec', '$question', ${people:-NULL})) TO STDOUT CSV")"
done <<'PLANS'
{"mechanism": "auto", "epsilon": 1, "domain": 12}|{"error": 0.01, "response_rate": 0.7}|
{"mechanism": "auto", "domain": 1000}|{"margin": 0.02, "compare": "groups", "part": 0.3}|50000
{"mechanism": "auto", "epsilon": 2, "min": 0, "max": 90}|{"mean": 40, "sd": 30}|3000
{"mechanism": "tree", "epsilon": 1, "min": 0, "max": 90}|{"quantile": 0.4}|3000
{"mechanism": "joint", "epsilon": 1, "attributes": [{"name": "a", "domain": 3}, {"name": "b", "domain": 4}]}|{"joint_with": "b", "proportion": 0.2}|3000
PLANS

finish
