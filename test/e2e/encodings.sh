#!/usr/bin/env bash
# The extension in databases of other encodings: it installs, its labels are text of the database, and the fingerprint of a
# spec is the same in all of them.
. "$(dirname "$0")/../prelude.sh"
cd "$work" || exit 1

create_databases ldp_utf8
sql -c "CREATE EXTENSION ldp"
spec() { echo "{\"mechanism\": \"grr\", \"epsilon\": 1, \"attributes\": [{\"name\": \"$1\", \"domain\": [\"other\", \"$1\"]}]}"; }
tried=0
while read -r encoding label; do
    tried=$((tried + 1))
    database=ldp_encoding_$tried
    PGDATABASE=$maintenance psql -Xqc "CREATE DATABASE $database ENCODING $encoding LOCALE 'C' TEMPLATE template0" || exit 1
    databases+=("$database")
    # In SQL_ASCII, text is what clients send.
    check "$encoding installs the extension" "" "$(sql "$database" -c "CREATE EXTENSION ldp")"
    check "$encoding estimates" "$label|3|$(sql -c "SELECT (ldp_spec_info('$(spec "$label")')).fingerprint")" "$(PGCLIENTENCODING=UTF8 sql "$database" <<SQL | tail -n 1
SELECT ldp_create_collection('$label', '$(spec "$label")');
INSERT INTO "$label" SELECT (encode(ldp_internal.ldp_spec_parameters(ldp_client_spec('$label')), 'hex') || '01')::ldp_report, 0 FROM generate_series(1, 3);
SELECT e.label, e.n, c.fingerprint FROM ldp_collections AS c, ldp_estimate(c.name) AS e WHERE e.label = '$label' AND e.attribute = '$label';
SQL
)"
    check "$encoding finds labels by name and number" "{other,$label}|$label|0|1" "$(PGCLIENTENCODING=UTF8 sql "$database" -c "SELECT array_agg(l.label ORDER BY value),
        min(l.attribute), min(l.attribute_number), (SELECT value FROM ldp_estimate(s, attributes => ARRAY['$label'], statistics => '{proportion}') WHERE label = '$label') FROM ldp_summary_of('$label') AS s, ldp_labels(s) AS l GROUP BY s")"
    check "$encoding quotes a label in an error" "ERROR:  there is no value \"no $label\" DETAIL:  There are other, $label." \
        "$(PGCLIENTENCODING=UTF8 sql "$database" -c "SELECT ldp_proportion(ldp_summary_of('$label'), 'no $label')" | head -n 2 | paste -sd' ')"
    check "$encoding quotes a name in an error" "ERROR:  unknown method \"$label\"" \
        "$(PGCLIENTENCODING=UTF8 sql "$database" -c "SELECT ldp_consistent(ldp_summary_of('$label'), '$label')" | head -n 1)"
    # The command, with another encoding of the client than the database has, finds the same people in the same groups.
    PGCLIENTENCODING=UTF8 sql "$database" -c "SELECT ldp_create_collection('towns', '$(spec "$label")', ARRAY[['town', 'text']])" >/dev/null
    printf '%s,town\n' "$label" >file.csv
    for ((i = 0; i < 30; i++)); do printf 'other,%s\n%s,Ulm\n%s,%s\n' "$label" "$label" "$label" "$label"; done >>file.csv
    PGDATABASE=$database PGCLIENTENCODING=LATIN1 run "$encoding submits a file" 0 "$ldp" submit --collection towns --public town --state "$tried.ldp" file.csv
    has err "90 rows read, 0 skipped, 90 reports submitted"
    PGDATABASE=$database PGCLIENTENCODING=LATIN1 run "$encoding shows groups" 0 "$ldp" estimate towns --by town --csv out.csv --html out.html
    check "$encoding has the people of each group" "Ulm|30 $label|60" "$(PGCLIENTENCODING=UTF8 sql "$database" -c "SELECT group_key ->> 'town', ldp_count(summary)
        FROM unnest(ldp_groups_of('towns', '{town}')) AS g ORDER BY 2" | paste -sd' ')"
    has out.html "Reports: <bdi>$label</bdi> 60"
    has out.csv "$label"
done <<'END'
EUC_JP 東京
EUC_KR 서울
EUC_CN 北京
EUC_TW 臺北
LATIN1 grün
LATIN2 Łódź
WIN1252 €5
KOI8R Москва
SQL_ASCII grün
END
finish
