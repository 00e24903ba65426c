#!/usr/bin/env bash
# Settings that a session may change, and that may change what SQL means or how values are read. Under each of them collections,
# submissions, rollups, searches, partitions, retention and estimates return the same as under the defaults.
. "$(dirname "$0")/../prelude.sh"
cd "$root" || exit 1
create_databases ldp_settings

sql >"$work/log" <<'SQL' || { cat "$work/log"; exit 1; }
CREATE EXTENSION ldp;
CREATE FUNCTION report(spec jsonb, payload text) RETURNS ldp_report LANGUAGE sql AS
$$ SELECT (encode(ldp_internal.ldp_spec_parameters(spec), 'hex') || payload)::ldp_report $$;
CREATE TABLE spec (name text PRIMARY KEY, spec jsonb);
INSERT INTO spec VALUES
    ('colour', '{"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "blue"]}'),
    ('record', '{"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "town", "domain": 3, "mechanism": "grr"}, {"name": "size", "min": 0, "max": 10, "mechanism": "duchi"}]}'),
    ('ordered', '{"mechanism": "haar_ordered", "epsilon": 2, "domain": 4}');
CREATE TABLE given AS
    SELECT 'colour' AS name, (SELECT array_agg(report(s.spec, '0' || i % 5 % 3) ORDER BY i) FROM generate_series(1, 120) AS i) AS reports FROM spec AS s WHERE name = 'colour'
    UNION ALL SELECT 'record', (SELECT array_agg(report(s.spec, '0' || i % 2 || '0' || i % 5 % 2) ORDER BY i) FROM generate_series(1, 120) AS i) FROM spec AS s WHERE name = 'record'
    UNION ALL SELECT 'ordered', (SELECT array_agg(report(s.spec, '0' || i % 2 || '00') ORDER BY i) FROM generate_series(1, 120) AS i) FROM spec AS s WHERE name = 'ordered';
ANALYZE;
SQL

# A result is kept in a table while the setting holds, and printed under the defaults.
cat >"$work/session.sql" <<'SQL'
SELECT spec::text AS colour FROM spec WHERE name = 'colour' \gset
SELECT spec::text AS record FROM spec WHERE name = 'record' \gset
:setting
CREATE TEMP TABLE r01 AS SELECT ldp_create_collection('plain', (SELECT spec FROM spec WHERE name = 'colour'), ARRAY[['country', 'text'], ['seen', 'timestamptz']])::text AS made,
    ldp_create_collection('parted', (SELECT spec FROM spec WHERE name = 'colour'), ARRAY[['seen', 'timestamptz']], partition_by => 'seen')::text AS parted,
    ldp_create_collection('rounds', (SELECT spec FROM spec WHERE name = 'record'), partition_by => 'round')::text AS rounds,
    ldp_create_collection('packed', (SELECT spec FROM spec WHERE name = 'colour'), rows => 'batches')::text AS packed;
CREATE TABLE found OF ldp_report_row;
INSERT INTO found SELECT unnest(reports), 0 FROM given WHERE name = 'ordered';
CREATE TEMP TABLE r02 AS SELECT ldp_add_partitions('parted', '2030-01-05 00:00+00', '1 day', '2030-01-01 00:00+00') AS days, ldp_add_round_partitions('rounds', 3) AS rounds,
    ldp_open_rounds('plain', 0, 3)::text AS opened, ldp_open_rounds('rounds', 0, 3)::text AS opened_too, ldp_adopt_collection('found', 'found', (SELECT spec FROM spec WHERE name = 'ordered'))::text AS adopted;
CREATE TEMP TABLE r03 AS SELECT ldp_submit_batch('plain', md5('plain' || n)::uuid, reports, n, jsonb_build_object('country', CASE n WHEN 1 THEN 'd''e' ELSE 'fr' END, 'seen', '2030-01-0' || n || ' 12:00+00')) AS n
    FROM given, generate_series(1, 3) AS n WHERE name = 'colour';
CREATE TEMP TABLE r04 AS SELECT ldp_submit_batch('parted', md5('parted' || n)::uuid, reports, 0, jsonb_build_object('seen', '2030-01-0' || n || ' 12:00+00')) AS n FROM given, generate_series(1, 4) AS n WHERE name = 'colour';
CREATE TEMP TABLE r05 AS SELECT ldp_submit_batch('rounds', md5('rounds' || n)::uuid, reports, n) AS n FROM given, generate_series(0, 3) AS n WHERE name = 'record';
CREATE TEMP TABLE r06 AS SELECT ldp_submit_batch('packed', md5('packed')::uuid, reports) AS n, ldp_submit('packed', reports[1])::text AS one,
    ldp_batch_digest(reports, 3, '{"a": 1, "b": "x"}') AS digest FROM given WHERE name = 'colour';
CREATE TEMP TABLE r07 AS SELECT ldp_submit_batch('plain', md5('plain1')::uuid, reports, 1, '{"country": "d''e", "seen": "2030-01-01 12:00+00"}') AS again FROM given WHERE name = 'colour';
CREATE TEMP TABLE r08 AS SELECT ldp_create_rollup('days', 'plain', '{day(seen),country}', 'Europe/Berlin')::text AS days, ldp_create_rollup('weeks', 'parted', '{week(seen),round}')::text AS weeks,
    ldp_create_rollup('by_round', 'rounds', '{round}')::text AS by_round;
CREATE TEMP TABLE r09 AS SELECT ldp_refresh('days') AS days, ldp_refresh('weeks') AS weeks, ldp_refresh('by_round') AS by_round;
CREATE TEMP TABLE r10 AS SELECT * FROM ldp_estimate(ldp_groups_of('days'));
CREATE TEMP TABLE r11 AS SELECT * FROM ldp_estimate(ldp_groups_of('days', '{week(day)}', '2030-01-01 00:00+00', '2030-01-03 00:00+00'));
CREATE TEMP TABLE r12 AS SELECT * FROM ldp_estimate('plain', by => ARRAY['country']);
CREATE TEMP TABLE r13 AS SELECT * FROM ldp_estimate(ldp_groups_of('by_round', first_round => 1, last_round => 2));
CREATE TEMP TABLE r14 AS SELECT * FROM ldp_missing_values('days');
CREATE TEMP TABLE r15 AS SELECT * FROM ldp_estimate('plain') UNION ALL SELECT * FROM ldp_estimate(ldp_summary_of('plain', 2)) UNION ALL SELECT * FROM ldp_estimate('rounds', target => 'population');
CREATE TEMP TABLE r16 AS SELECT * FROM unnest(ldp_groups_of('plain', '{country,round}'));
CREATE TEMP TABLE r17 AS SELECT * FROM ldp_compare_groups(ldp_groups_of('plain', '{country}', first_round => 0));
CREATE TEMP TABLE r18 AS SELECT ldp_summary_of('plain') AS s, ldp_summary_of('rounds', 2) AS one, ldp_quantile(ldp_summary_of('found'), 0.5, 'value') AS median, ldp_client_spec('plain') AS spec;
CREATE TEMP TABLE r19 AS SELECT * FROM ldp_public_columns('plain');
CREATE TEMP TABLE r20 AS SELECT name, reports::text, mechanism, epsilon, spec, fingerprint, rows FROM ldp_collections ORDER BY name;
CREATE TEMP TABLE r21 AS SELECT part::text, key, begins, ends FROM ldp_partitions('parted') UNION ALL SELECT part::text, key, begins, ends FROM ldp_partitions('rounds');
CREATE TEMP TABLE r22 AS SELECT 1 AS step, partitions, rows FROM ldp_prune('parted', '2030-01-03 00:00+00') UNION ALL SELECT 2, partitions, rows FROM ldp_prune_rounds('rounds', 2)
    UNION ALL SELECT 3, partitions, rows FROM ldp_prune('plain', '2030-01-02 00:00+00') UNION ALL SELECT 4, ldp_prune_batches('plain', '2001-01-01'), 0;
CREATE TEMP TABLE r23 AS SELECT ldp_create_hitters('words', 2, 'ab', 2, 1)::text AS first;
INSERT INTO words_1 SELECT report(ldp_client_spec('words_1'), '0' || i % 5 % 3) FROM generate_series(1, 400) AS i;
CREATE TEMP TABLE r24 AS SELECT ldp_next_round('words')::text AS second;
CREATE TEMP TABLE r25 AS SELECT * FROM ldp_hitters('words');
CREATE TEMP TABLE r26 AS SELECT * FROM ldp_plan_hitters(2, 'abc', 10000);
CREATE TEMP TABLE r27 AS SELECT r.* FROM ldp_estimate('plain') AS e, LATERAL ldp_display(e, 1) AS r;
CREATE TEMP TABLE r28 AS SELECT collection, batch, reports, digest FROM ldp_internal.ldp_batch ORDER BY collection, batch;
CREATE TEMP TABLE r29 AS SELECT name, collection, summaries::text, buckets, columns, zone FROM ldp_internal.ldp_rollup ORDER BY name;
CREATE TEMP TABLE r30 AS SELECT ldp_drop_rollup('days')::text, ldp_unregister_collection('found')::text AS freed, ldp_drop_hitters('words')::text,
    (SELECT count(ldp_drop_collection(name)) FROM unnest(ARRAY['plain', 'parted', 'rounds', 'packed']) AS name) AS dropped;
DROP TABLE found;
:reset
SELECT format('SELECT %L, t.* FROM %I AS t', relname, relname) FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relname ~ '^r[0-9]' ORDER BY relname \gexec
SQL
# session NAME VALUE: what the session prints under a setting.
session() {
    psql -XqAt -v ON_ERROR_STOP=1 -v setting="SET $1 = $2;" -v reset="RESET $1;" -f "$work/session.sql" 2>"$work/errors" |
        tr -d '"' | sort  # which quote_all_identifiers adds
    psql -Xqc "SET client_min_messages = error; DROP TABLE IF EXISTS found" -c "SELECT count(ldp_drop_hitters(name)) FROM ldp_internal.ldp_hitter_search" \
        -c "SELECT count(ldp_drop_collection(name)) FROM ldp_collections" >/dev/null 2>&1
}
session work_mem "'4MB'" >"$work/expected"
check "there is something to compare" "r01 r30" "$(echo $(sed -n '1s/|.*//p;$s/|.*//p' "$work/expected"))"
[ -s "$work/errors" ] && cat "$work/errors"

# Flags and words that a session may change, and values of the others. Settings of the planner choose among equal plans.
{
    psql -XqAtF ' ' <<'SQL'
SELECT name, quote_literal(value) FROM pg_settings, LATERAL unnest(CASE vartype WHEN 'bool' THEN ARRAY[CASE setting WHEN 'on' THEN 'off' ELSE 'on' END] ELSE enumvals END) AS value
WHERE context = 'user' AND vartype IN ('bool', 'enum') AND value <> setting
      AND category ~ '^(Version and Platform Compatibility|Client Connection Defaults|Developer Options|Query Tuning / Other)'
      AND name !~ '^(transaction_|default_transaction_(read_only|deferrable)|client_min_messages|debug_p|default_toast_compression|trace_|log_|force_parallel_mode|jit_|zero_damaged|ignore_|exit_|idle_)'
ORDER BY name;
SQL
    cat <<'LIST'
DateStyle 'German, DMY'
DateStyle 'SQL, MDY'
DateStyle 'Postgres, DMY'
TimeZone 'America/Caracas'
TimeZone 'America/New_York'
TimeZone 'Asia/Tokyo'
TimeZone 'Asia/Kathmandu'
extra_float_digits -15
client_encoding 'LATIN1'
plpgsql.extra_errors 'all'
search_path public,pg_catalog
LIST
    # Decimal commas, and a dotless i, if the server has such locales.
    for locale in $(locale -a 2>/dev/null | grep -iE '^(de_DE|tr_TR)\.utf-?8$'); do
        for category in lc_messages lc_monetary lc_numeric lc_time; do echo "$category '$locale'"; done
    done
} >"$work/settings"
check "there are settings" yes "$([ "$(wc -l <"$work/settings")" -ge 25 ] && echo yes)"
for needed in transform_null_equals standard_conforming_strings array_nulls quote_all_identifiers bytea_output IntervalStyle; do
    check "$needed is among them" 1 "$(grep -c "^$needed " "$work/settings" | sed 's/[1-9]$/1/')"
done
while read -r name value; do
    session "$name" "$value" >"$work/found"
    if diff "$work/expected" "$work/found" >"$work/difference"; then ok; else bad "$name = $value" "$work/errors" "$work/difference"; fi
done <"$work/settings"
finish
