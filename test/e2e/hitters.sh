#!/usr/bin/env bash
# Frequent strings out of a domain too large to list, found round by round among different people: precision and
# recall against the truth. And rappor's candidates, which take real filters.
#
# The client's noise differs in every run, so thresholds are loose. The rarest string that must be found has a share
# of 0.02 among 30,000 people per round. At epsilon 4 the standard error of a share is at most sqrt(0.38/30000) =
# 0.0036 (frequent strings) and sqrt(0.08/30000) = 0.0016 (absent strings). Significance at 0.05 among a thousand
# labels takes four of the latter. Thus each prefix of a frequent string is missed with probability P(Z < (0.0064 -
# 0.02)/0.0018), below 1e-13. Of the labels without holders, a round finds any significant with probability at most
# 0.05, and one in 27 of them is a whole string. More than three false strings in nine rounds have a probability below
# 1e-8.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
# collect COLLECTION FILE: reports of a file of values, as the collection's spec has them made.
collect() {
    sql -c "SELECT ldp_client_spec('$1')" >"$work/spec"
    "$ldp" perturb --spec "$work/spec" <"$2" 2>"$work/err" >"$work/reports.copy" || { cat "$work/err"; exit 1; }
    sql -c "\\copy $1 (report) FROM '$work/reports.copy'" || exit 1
}
create_databases ldp_hitters
sql -c "CREATE EXTENSION ldp"

# Eleven frequent strings, some the beginning of another, in 80 % of the people; the rest hold one each of their own.
frequent=(rain raincoat snow sun sunny wind windmill storm fog thunder hail)
shares=(16 12 11 9 8 6 5 4 4 3 2)   # per cent
{
    for i in "${!frequent[@]}"; do
        for ((n = 0; n < shares[i] * 10; n++)); do echo "${frequent[$i]}"; done
    done
    for ((n = 0; n < 200; n++)); do echo "q$(printf '%x' $((n * 7919 % 65536)) | tr 0-9 g-p)$n" | tr 0-9 a-j; done
} >"$work/thousand"
round_of_people() { echo value; for ((n = 0; n < 30; n++)); do cat "$work/thousand"; done; }
round_of_people >"$work/people.csv"

check "the first round" weather_1 "$(sql -c "SELECT ldp_create_hitters('weather', 4, 'abcdefghijklmnopqrstuvwxyz', keep => 24, longest => 12)")"
round=weather_1 rounds=0
while [ -n "$round" ] && [ $rounds -lt 15 ]; do
    rounds=$((rounds + 1))
    collect "$round" "$work/people.csv"
    round=$(sql -c "SELECT ldp_next_round('weather')")
    case $round in '' | weather_[0-9]*) ;; *) echo "$round"; break ;; esac
done
# Each round calls a beginning that nobody holds significant with probability 0.05 at most, and such a one goes on for
# a round: six rounds too many have a probability of 0.05^6.
check "the search ends by itself, after the longest string and its end" yes "$([ $rounds -ge 8 ] && [ $rounds -lt 15 ] && echo yes)"
sql -c "SELECT label FROM ldp_hitters('weather')" | sort >"$work/found"
printf '%s\n' "${frequent[@]}" | sort >"$work/true"
right=$(comm -12 "$work/found" "$work/true" | wc -l) found=$(wc -l <"$work/found")
echo "precision $right/$found, recall $right/${#frequent[@]}, $rounds rounds"
check "every frequent string is found" "${#frequent[@]}" "$right"
check "hardly another one" yes "$([ $((found - right)) -le 3 ] && echo yes || cat "$work/found")"
# Six standard errors: a false alarm has probability 2e-9 for each of eleven.
check "with shares near the truth" t "$(sql -c "
    SELECT bool_and(abs(h.estimate - t.share / 100.0) < 6 * h.stderr AND h.lower < h.estimate AND h.n >= 30000 AND h.p_value < 0.05)
    FROM ldp_hitters('weather') AS h
    JOIN unnest(string_to_array('${frequent[*]}', ' '), string_to_array('${shares[*]}', ' ')::int[]) AS t (label, share) USING (label)")"
check "a search that has ended stays so" "" "$(sql -c "SELECT ldp_next_round('weather')")"
check "nothing stays behind" 0 "$(sql -c "SELECT ldp_drop_hitters('weather')" -c "SELECT count(*) FROM ldp_collections" | tail -n 1)"

# Forty people in one round: the intervals are those of all estimates of the collection, also at other levels of confidence.
# At epsilon 6, most of them are not symmetrical.
sql -c "SELECT ldp_create_hitters('few', 6, 'abc', longest => 1)" >/dev/null
{ echo value; for ((n = 0; n < 10; n++)); do printf 'a\na\na\nb\n'; done; } >"$work/few.csv"
collect few_1 "$work/few.csv"
for confidence in 0.95 0.8; do
    check "intervals of strings are those of the library at $confidence" "4 0 true" "$(sql -c "
        SELECT count(*) || ' ' || count(*) FILTER (WHERE (h.lower, h.upper) IS DISTINCT FROM (f.lower, f.upper)) || ' ' ||
               bool_or(abs(h.lower + h.upper - 2 * h.estimate) > 0.001)
        FROM ldp_hitters('few', $confidence, 4) AS h JOIN ldp_estimate(ldp_summary_of('few_1'), statistics => '{proportion}', confidence => $confidence) AS f
             ON rtrim(f.label, '.') = rtrim(h.label, '.')")"
done
sql -c "SELECT ldp_drop_hitters('few')" >/dev/null

# By rank, among strings that all have the longest length: two rounds, since the first asks about three letters at once,
# and none only to confirm that a string of four letters ends. Of 20,000 people a round a standard error at epsilon 2 is below
# sqrt(1.1/20000) = 0.0075; what is found has shares of 0.3, 0.2 and 0.1, beginnings no less.
codes() { echo value; for ((n = 0; n < 2000; n++)); do printf 'abba\nabba\nabba\nabcd\nabcd\ndead\naaaa\nbbbb\ncccc\nddddd\n'; done; }
codes >"$work/codes.csv"
search="2, 'abcde', 2, 16, 4, 0.05, 'rank'"
check "the first round by rank" codes_1 "$(sql -c "SELECT ldp_create_hitters('codes', $search)")"
collect codes_1 "$work/codes.csv"
check "the second round" codes_2 "$(sql -c "SELECT ldp_next_round('codes')")"
collect codes_2 "$work/codes.csv"
check "there is no third one" "" "$(sql -c "SELECT ldp_next_round('codes')")"
check "it handed on all that it may" 16 "$(sql -c "
    SELECT count(DISTINCT left(l, 3)) FILTER (WHERE strpos(l, chr(3)) = 0) + count(*) FILTER (WHERE strpos(l, chr(3)) BETWEEN 1 AND 3)
    FROM unnest((ldp_spec_info(ldp_client_spec('codes_2'))).labels) AS l WHERE l !~ 'other'")"
# A string too many has probability 0.05. Longer strings count as their beginning.
check "the frequent strings are found" "aaaa... abba... abcd... bbbb... cccc... dddd... dead..." "$(sql -c "
    SELECT string_agg(label, ' ' ORDER BY label) FROM ldp_hitters('codes') WHERE p_value < 1e-7")"
check "by rank there are as many as are asked for" "12 true" "$(sql -c "
    SELECT count(*) || ' ' || bool_or(p_value > 0.05) FROM ldp_hitters('codes', top => 12)")"
check "the largest first" "abba... abcd..." "$(sql -c "SELECT string_agg(label, ' ' ORDER BY estimate DESC) FROM ldp_hitters('codes', top => 2)")"
check "strings that may be longer are not whole" f "$(sql -c "SELECT bool_or(whole) FROM ldp_hitters('codes')")"
check "estimates of a round show no mark" "0 true" "$(sql -c "
    SELECT count(*) FILTER (WHERE strpos(label, chr(3)) > 0) || ' ' || bool_or(label = 'abba...') FROM ldp_estimate('codes_2')")"
check "a label is accepted as it is shown" t "$(sql -c "
    SELECT bool_and(ldp_proportion(ldp_summary_of('codes_2'), label) = estimate) FROM ldp_estimate('codes_2') WHERE estimate > 0.05")"
sql -c "SELECT ldp_drop_hitters('codes')" >/dev/null

# Guarantees of a plan: the false alarm rate of each label equals the allowed one, and a share of the planned size is
# missed at the allowed rate. Both are quantiles of the normal law with the variance of ldp_advise.
check "a plan's rounds are those of the search" "1|2|32 2|3|97 3|4|97" "$(sql -c "
    SELECT concat_ws('|', round, characters, labels) FROM ldp_plan_hitters(2, 'abcde', longest => 4, keep => 16, step => 1)" | xargs)"
check "its people are all the people" t "$(sql -c "SELECT abs(sum(n) - 5000) <= 2 FROM ldp_plan_hitters(1, 'abcdefgh', 5000, longest => 7)")"
check "and every round passes the same share" t "$(sql -c "
    WITH plan AS (SELECT * FROM ldp_plan_hitters(2, 'abcdefghijklmnopqrstuvwxyz', 1000000, longest => 6, method => 'rank', power => 0.9))
    SELECT max(round) = 5 AND bool_and(abs((ldp_internal.ldp_critical_value(CASE WHEN round < 5 THEN 1 - 64.0 / labels ELSE 1 - 0.1 / labels END)
        + ldp_internal.ldp_critical_value(2 * power(0.9, 0.2) - 1)) * a.stderr / share - 1) < 1e-4)
    FROM plan, LATERAL (SELECT stderr FROM ldp_advise(jsonb_build_object('mechanism', 'auto', 'epsilon', 2, 'domain', labels), n) LIMIT 1) AS a")"

# What is refused.
refusal() { sql -v VERBOSITY=sqlstate -c "$1" | grep -o '[0-9A-Z]\{5\}$'; }
sql -c "SELECT ldp_create_hitters('words', 2, 'ab', longest => 3)" >/dev/null
check "a second search of one name" 42710 "$(refusal "SELECT ldp_create_hitters('words', 2, 'ab')")"
check "a round without reports" 55000 "$(refusal "SELECT ldp_next_round('words')")"
check "a search that is not there" 42704 "$(refusal "SELECT ldp_next_round('nothing')")"
check "a step of 0" 22023 "$(refusal "SELECT ldp_create_hitters('more', 2, 'ab', step => 0)")"
check "an unknown method" 22023 "$(refusal "SELECT ldp_create_hitters('more', 2, 'ab', method => 'luck')")"
check "fewer strings than none" 22023 "$(refusal "SELECT ldp_hitters('words', top => -1)")"
check "a plan for nobody" 22023 "$(refusal "SELECT ldp_plan_hitters(2, 'ab', 0)")"
check "no alphabet" 22023 "$(refusal "SELECT ldp_create_hitters('more', 2, '')")"
check "rounds too large for a spec" 54000 "$(refusal "SELECT ldp_create_hitters('more', 2, 'abcdefghijklmnopqrstuvwxyz', step => 5)")"
check "no parameter is NULL" 22004 "$(refusal "SELECT ldp_create_hitters('more', 2, NULL)")"
check "an impossible epsilon" 22023 "$(refusal "SELECT ldp_create_hitters('more', 0, 'ab')")"
check "no half-made search is left" 1 "$(sql -c "SELECT count(*) FROM ldp_internal.ldp_hitter_search")"

# rappor: of 3000 candidates four are held, by 5000 to 20000 people. Standard errors are about 0.004.
sql -c "SELECT ldp_create_collection('sites', '{\"mechanism\": \"rappor\", \"epsilon\": 4, \"domain\": 3000, \"hashes\": 1}')" >/dev/null
{ echo value; for ((n = 0; n < 4000; n++)); do printf '17\n17\n17\n17\n170\n170\n170\n1700\n1700\n2999\n'; done; } >"$work/sites.csv"
collect sites "$work/sites.csv"
for selection in lasso nnls; do
    check "$selection finds the values that are held" "17 170 1700 2999" "$(sql -c "
        SELECT string_agg(label, ' ' ORDER BY estimate DESC) FROM ldp_candidates((SELECT ldp_agg(report) FROM sites), '$selection')
        WHERE p_value < 1e-6")"
done
finish
