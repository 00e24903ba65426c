#!/usr/bin/env bash
# pg_dump | psql of a database with collections, reports, counted batches and a materialised view of summaries. The
# copy returns the same estimates, has the same constraints, and has the records of counted batches.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
from=ldp_dump_from to=ldp_dump_to

create_databases $from $to
sql $from >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE EXTENSION ldp;
SELECT ldp_create_collection('colour', '{"mechanism": "oue", "epsilon": 1, "domain": ["red", "green", "blue"]}');
SELECT ldp_create_collection('visits', '{"mechanism": "haar", "epsilon": 2, "attributes":
    [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": -1e-7, "max": 3e5}, {"name": "c", "min": 0, "max": 1}]}',
    ARRAY[['country', 'text']]);
SELECT ldp_create_collection('forgotten', '{"mechanism": "grr", "epsilon": 1, "domain": 2}');
DROP TABLE forgotten;
SQL
{ echo value; for i in $(seq 900); do case $((i % 3)) in 0) echo red ;; 1) echo green ;; *) echo blue ;; esac; done; } >"$work/colour.csv"
"$ldp" submit --dsn "dbname=$from" --collection colour "$work/colour.csv" 2>"$work/log" || { cat "$work/log"; exit 1; }
sql $from -c "SELECT ldp_client_spec('visits')" >"$work/visits.spec"
{ echo a,b,c; for i in $(seq 500); do echo "0.$i,$i,1"; done; } >"$work/visits.csv"
"$ldp" perturb --spec "$work/visits.spec" <"$work/visits.csv" 2>/dev/null >"$work/visits.copy"
sql $from >"$work/log" <<SQL || { cat "$work/log"; exit 1; }
SELECT ldp_open_rounds('visits', 0, 3);
SELECT ldp_describe('colour', '{"title": "Colours", "people_asked": {"0": 1000}, "attributes": {"value": {"display": {"red": "Rot"}}}}', force => true);
\\copy visits (report) FROM '$work/visits.copy'
UPDATE visits SET country = CASE WHEN ctid::text LIKE '%1)' THEN 'fr' ELSE 'de' END, round = 3;
CREATE MATERIALIZED VIEW by_country AS SELECT country, ldp_agg(report) AS summary FROM visits GROUP BY country;
SELECT ldp_create_rollup('rounds', 'visits', '{round}'), ldp_refresh('rounds'), ldp_create_hitters('words', 2, 'ab');
CREATE VIEW trend AS SELECT country, ldp_mean(summary, '1') AS mean FROM by_country;
SQL

questions=("SELECT * FROM ldp_estimate('colour')" "SELECT * FROM ldp_estimate('visits')"
    "SELECT * FROM by_country ORDER BY country" "SELECT * FROM trend ORDER BY country"
    "SELECT ldp_rollup(summary) FROM by_country" "SELECT name, reports, spec, texts FROM ldp_collections ORDER BY name"
    "SELECT * FROM ldp_internal.ldp_batch ORDER BY batch" "SELECT * FROM ldp_estimate(ldp_groups_of('rounds'))" "SELECT * FROM ldp_internal.ldp_hitter_search"
    "SELECT name, collection, summaries, buckets, counted, open FROM ldp_internal.ldp_rollup" "SELECT rollup, part, counted, open FROM ldp_internal.ldp_rollup_part")
# Each form of a dump gives the same; what follows looks at the last.
for form in custom directory tar sections plain; do
    psql -Xqc "DROP DATABASE $to" -c "CREATE DATABASE $to" "$maintenance"
    case $form in
        custom | tar) pg_dump -F $form -f "$work/$form" $from && pg_restore -d $to "$work/$form" ;;
        directory) pg_dump -F directory -j 2 -f "$work/$form" $from && pg_restore -j 2 -d $to "$work/$form" ;;
        sections) pg_dump -s $from | sql $to && pg_dump -a $from | sql $to ;;
        plain) pg_dump $from | sql $to ;;
    esac >"$work/restore.log" 2>&1
    check "the restore reports nothing ($form)" "" "$(grep -v '^$' "$work/restore.log" | grep -iE 'error|warning')"
    for question in "${questions[@]}"; do
        [ $form = sections ] && case $question in *by_country* | *trend*) continue ;; esac
        answer=$(sql $from -c "$question")
        check "an answer worth comparing: $question" yes "$([ -n "$answer" ] && echo yes)"
        check "$form: $question" "$answer" "$(sql $to -c "$question")"
    done
done
# The owner of a database reads all tables of ldp as a member of pg_read_all_data, and not without.
if [ "$(sql $from -c "SHOW server_version_num")" -ge 140000 ]; then
    sql $from -c "CREATE ROLE ldp_dump_owner LOGIN" -c "ALTER DATABASE $from OWNER TO ldp_dump_owner" -c "GRANT SELECT ON ALL TABLES IN SCHEMA public TO ldp_dump_owner" >/dev/null
    check "an owner without the right" 1 "$(pg_dump -U ldp_dump_owner -f "$work/own" $from 2>&1 | grep -c 'permission denied for table ldp_batch')"
    sql $from -c "GRANT pg_read_all_data TO ldp_dump_owner" >/dev/null
    check "an owner with the right" "" "$(pg_dump -U ldp_dump_owner -f "$work/own" $from 2>&1)"
    check "its dump has the batches" yes "$(grep -q '^COPY ldp_internal.ldp_batch' "$work/own" && echo yes)"
    sql $from -c "ALTER DATABASE $from OWNER TO CURRENT_USER" -c "DROP OWNED BY ldp_dump_owner" -c "DROP ROLE ldp_dump_owner" >/dev/null
fi

check "a collection dropped by hand stays behind" 3 "$(sql $to -c "SELECT count(*) FROM ldp_internal.ldp_collection")"
check "parts still make the whole" t \
    "$(sql $to -c "SELECT (SELECT ldp_rollup(summary) FROM by_country) = (SELECT ldp_agg(report) FROM visits)")"
batch=$(sql $to -c "SELECT batch FROM ldp_internal.ldp_batch LIMIT 1")
check "a batch counted before is not counted again" f "$(sql $to -c "SELECT ldp_claim_batch(collection, batch, reports, digest) FROM ldp_internal.ldp_batch WHERE batch = '$batch'")"
check "the table still refuses foreign reports" 1 "$(sql $to -c "INSERT INTO colour SELECT report FROM visits LIMIT 1" | grep -c 'made for another collection')"
check "privileges came along" t "$(sql $to -c "SELECT has_table_privilege('ldp_submitter', 'colour', 'INSERT') AND NOT has_table_privilege('ldp_submitter', 'colour', 'SELECT')")"

# A restore by the owner of the new database, who is no superuser, as doc/sql.md describes it.
at_exit() { psql -Xqc "DROP DATABASE IF EXISTS $to" -c "DROP ROLE IF EXISTS ldp_restorer" "$maintenance"; }
psql -Xqc "DROP DATABASE $to" -c "CREATE ROLE ldp_restorer LOGIN" -c "CREATE DATABASE $to OWNER ldp_restorer" "$maintenance"
sed -n '/^[*][*]Without superuser rights/,/^Then/p' doc/sql.md | sed '1,/^```sql$/d;/^```$/,$d; s/restorer/ldp_restorer/' >"$work/prepare.sql"
check "the page has the statements" 2 "$(grep -c ';$' "$work/prepare.sql")"
check "the superuser prepares the database" "" "$(sql $to -f "$work/prepare.sql")"
PGUSER=ldp_restorer pg_restore --no-owner --no-comments -d $to "$work/custom" >"$work/restore.log" 2>&1
check "the restore without superuser rights reports nothing" "" "$(grep -v '^$' "$work/restore.log")"
for question in "${questions[@]}"; do
    check "without superuser rights: $question" "$(sql $from -c "$question")" "$(sql $to -c "$question")"
done
check "its owner refreshes and queries it" "$(sql $from -c "SELECT * FROM ldp_estimate('visits')")" \
    "$(PGUSER=ldp_restorer sql $to -c "SELECT FROM ldp_refresh('rounds')" -c "SELECT * FROM ldp_estimate('visits')" | grep .)"
sql $to -c "REVOKE INSERT ON ALL TABLES IN SCHEMA ldp_internal FROM ldp_restorer"

finish
