-- Calibration -----------------------------------------------------------------------------------------------
-- Estimates of a population from groups of a collection's reports. The groups are those of public columns, and their
-- weights agree with known totals. ldp_internal.ldp_calibration translates totals in JSON into cells; the library computes.

CREATE FUNCTION ldp_internal.ldp_check_calibration(valid boolean, message text, detail text, hint text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF valid IS NOT FALSE THEN
        RETURN;
    END IF;
    message := COALESCE(NULLIF(message, ''), 'the totals are invalid');
    hint := COALESCE(hint, '');
    IF detail IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = message, HINT = hint;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = message, DETAIL = detail, HINT = hint;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_check_calibration(boolean, text, text, text) IS 'Raises error 22023 with these texts unless valid.';

-- A cell is a value of a column (raking), or a combination of values of all columns (post-stratification). Its key is the
-- JSON array of the values as texts.
CREATE FUNCTION ldp_internal.ldp_calibration_cells(by text[], totals jsonb)
    RETURNS TABLE (column_number integer, cell_key jsonb, total float8)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    wrong text;
    example text := 'For margins of each column, use {"region": {"north": 700, "south": 300}}. For combinations of all columns, '
        'use [{"region": "north", "age": "young", "total": 200}].';
BEGIN
    IF jsonb_typeof(totals) = 'object' THEN
        SELECT COALESCE(b, k) INTO wrong FROM unnest(by) AS b FULL JOIN jsonb_object_keys(totals) AS k ON k = b
        WHERE b IS NULL OR k IS NULL LIMIT 1;
        IF FOUND THEN
            PERFORM ldp_internal.ldp_check_calibration(false, format('totals and grouping columns do not have the same columns: "%s"', wrong),
                format('The grouping columns are %s.', array_to_string(by, ', ')), example);
        END IF;
        SELECT t.key INTO wrong FROM jsonb_each(totals) AS t (key, value) WHERE jsonb_typeof(t.value) <> 'object' LIMIT 1;
        IF FOUND THEN
            PERFORM ldp_internal.ldp_check_calibration(false, format('the totals of column "%s" are not an object', wrong), NULL, example);
        END IF;
        RETURN QUERY SELECT b.number::integer, jsonb_build_array(v.key), CASE jsonb_typeof(v.value) WHEN 'number' THEN v.value::text::float8 END
            FROM unnest(by) WITH ORDINALITY AS b (name, number), jsonb_each(totals -> b.name) AS v (key, value) ORDER BY b.number, v.key;
    ELSIF jsonb_typeof(totals) = 'array' AND 'total' <> ALL (by) THEN
        SELECT e.value::text INTO wrong FROM jsonb_array_elements(totals) AS e (value)
        WHERE NOT COALESCE(jsonb_typeof(e.value) = 'object' AND e.value ?& (by || 'total'::text)
                           AND (SELECT count(*) FROM jsonb_object_keys(CASE jsonb_typeof(e.value) WHEN 'object' THEN e.value ELSE '{}' END)) = cardinality(by) + 1, false) LIMIT 1;
        IF FOUND THEN
            PERFORM ldp_internal.ldp_check_calibration(false, 'an element of totals has other keys than the grouping columns and "total"',
                format('Found %s.', left(wrong, 200)), example);
        END IF;
        RETURN QUERY SELECT 1, to_jsonb(ARRAY(SELECT e.value ->> b.name FROM unnest(by) WITH ORDINALITY AS b (name, number) ORDER BY b.number)),
                CASE jsonb_typeof(e.value -> 'total') WHEN 'number' THEN (e.value ->> 'total')::float8 END
            FROM jsonb_array_elements(totals) AS e (value);
    ELSE
        PERFORM ldp_internal.ldp_check_calibration(false, CASE jsonb_typeof(totals) WHEN 'array' THEN 'a grouping column cannot have the name "total"'
            ELSE 'totals must be an object or an array' END, NULL, example);
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_calibration_cells(text[], jsonb) IS
    'Returns the cells of the totals of ldp_calibrate: the number of the column, the values, and the total, which is NULL if '
    'it is not a number.';

CREATE FUNCTION ldp_internal.ldp_calibration(groups @extschema@.ldp_group[], by text[], totals jsonb, weights text, fewest bigint,
        OUT names text[], OUT summaries @extschema@.ldp_summary[], OUT starts float8[], OUT cells integer[], OUT cell_totals float8[], OUT note text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    columns integer := CASE jsonb_typeof(totals) WHEN 'object' THEN cardinality(by) WHEN 'array' THEN 1 ELSE 0 END;
    cell_columns integer[];
    keys jsonb[];
    wrong text;
    number float8;
    included integer[];
    missing integer[];
    one integer;
    sum float8;
    others integer[];
BEGIN
    IF totals IS NOT NULL THEN
        SELECT array_agg(c.column_number), array_agg(c.cell_key), array_agg(c.total) INTO cell_columns, keys, cell_totals
        FROM ldp_internal.ldp_calibration_cells(by, totals) AS c;
    END IF;
    SELECT (keys[i])::text INTO wrong FROM generate_subscripts(keys, 1) AS i
    WHERE NOT COALESCE(cell_totals[i] >= 0 AND cell_totals[i] < 'Infinity', false) LIMIT 1;
    IF FOUND THEN
        PERFORM ldp_internal.ldp_check_calibration(false, format('invalid total of %s', wrong), NULL,
            'A total must be a number of at least 0. A total of 0 leaves the groups out.');
    END IF;
    SELECT k.key::text INTO wrong FROM unnest(cell_columns, keys) AS k ("column", key) GROUP BY k."column", k.key HAVING count(*) > 1 LIMIT 1;
    IF FOUND THEN
        PERFORM ldp_internal.ldp_check_calibration(false, format('%s has two totals', wrong), NULL, 'Name each combination once.');
    END IF;
    IF weights IS NOT NULL THEN
        SELECT g.group_key::text INTO wrong FROM unnest(groups) AS g
        WHERE NOT COALESCE(jsonb_typeof(g.group_key -> weights) = 'number' AND (g.group_key ->> weights)::numeric >= 0, false) LIMIT 1;
        IF FOUND THEN
            PERFORM ldp_internal.ldp_check_calibration(false, format('column "%s" has a value that is not a weight', weights),
                format('The group is %s.', left(wrong, 200)), 'A weight must be a number of at least 0.');
        END IF;
    END IF;
    -- The cells of each group, from 1; NULL without a total.
    WITH each AS MATERIALIZED (
        SELECT g.number, g.group_key, g.summary, @extschema@.ldp_count(g.summary::@extschema@.ldp_summary) AS reports,
               @extschema@.ldp_count(g.summary::@extschema@.ldp_summary) * CASE WHEN weights IS NULL THEN 1 ELSE (g.group_key ->> weights)::float8 END AS start
        FROM unnest(groups) WITH ORDINALITY AS g (group_key, summary, number)
    ), key AS MATERIALIZED (
        SELECT e.number, c."column", CASE jsonb_typeof(totals) WHEN 'object' THEN jsonb_build_array(e.group_key ->> by[c."column"])
                                     ELSE to_jsonb(ARRAY(SELECT e.group_key ->> b.name FROM unnest(by) WITH ORDINALITY AS b (name, number) ORDER BY b.number)) END AS key
        FROM each AS e, generate_series(1, columns) AS c ("column")
    ), cell AS MATERIALIZED (
        SELECT k.number, k."column", k.key, t.cell FROM key AS k
        LEFT JOIN unnest(cell_columns, keys) WITH ORDINALITY AS t ("column", key, cell) ON t."column" = k."column" AND t.key = k.key
    ), of_number AS MATERIALIZED (
        SELECT c.number, array_agg(c.cell::integer - 1 ORDER BY c."column") AS cells, min(c.key::text) FILTER (WHERE c.cell IS NULL) AS wrong,
               bool_and(cell_totals[c.cell] > 0) AS counts FROM cell AS c GROUP BY c.number
    ), of_group AS MATERIALIZED (
        SELECT e.number, e.group_key, e.summary, e.start, c.cells, c.wrong FROM each AS e LEFT JOIN of_number AS c ON c.number = e.number
        WHERE c.wrong IS NOT NULL OR c.counts IS NOT FALSE AND e.start > 0 AND e.reports >= COALESCE(fewest, 0)
    )
    SELECT array_agg(o.group_key::text ORDER BY o.number), array_agg(o.summary ORDER BY o.number), array_agg(o.start ORDER BY o.number),
           (SELECT array_agg(c.cell ORDER BY o.number, c.index) FROM of_group AS o, unnest(o.cells) WITH ORDINALITY AS c (cell, index)), min(o.wrong)
    INTO names, summaries, starts, cells, wrong FROM of_group AS o;
    IF wrong IS NOT NULL THEN
        PERFORM ldp_internal.ldp_check_calibration(false, format('reports with %s have no total', wrong),
            format('The columns are %s.', array_to_string(by, ', ')),
            CASE WHEN jsonb_typeof(totals) = 'object' AND wrong::jsonb @> '[null]'
                 THEN 'NULL has totals in combinations only, as in [{"region": null, "age": "young", "total": 0}].'
                 ELSE 'Add their total. A total of 0 leaves them out.' END);
    END IF;
    IF names IS NULL THEN
        PERFORM ldp_internal.ldp_check_calibration(false, 'no group has enough reports and a positive weight', NULL, 'Wait for more reports.');
    END IF;
    cells := COALESCE(cells, '{}');
    cell_totals := COALESCE(cell_totals, '{}');
    -- Positive totals without reports.
    SELECT array_agg(m.i ORDER BY m.i) INTO missing
    FROM (SELECT i FROM generate_subscripts(keys, 1) AS i WHERE cell_totals[i] > 0 EXCEPT SELECT c + 1 FROM unnest(cells) AS c) AS m;
    IF missing IS NOT NULL AND fewest IS NULL THEN
        PERFORM ldp_internal.ldp_check_calibration(false, format('no reports with %s', keys[missing[1]]),
            format('The columns are %s.', CASE jsonb_typeof(totals) WHEN 'object' THEN by[cell_columns[missing[1]]] ELSE array_to_string(by, ', ') END),
            'Merge the total with another one, or use collapse => true.');
    END IF;
    FOREACH one IN ARRAY COALESCE(missing, '{}') LOOP
        -- The groups that share most of the first columns; the other values of the column in raking.
        FOR agreeing IN REVERSE CASE jsonb_typeof(totals) WHEN 'array' THEN cardinality(by) - 1 ELSE 0 END..0 LOOP
            SELECT array_agg(i), sum(cell_totals[i]) INTO others, sum FROM generate_subscripts(keys, 1) AS i
            WHERE cell_columns[i] = cell_columns[one] AND cell_totals[i] > 0 AND i <> ALL (missing)
                  AND NOT EXISTS (SELECT FROM generate_series(0, agreeing - 1) AS p WHERE keys[i] -> p <> keys[one] -> p);
            EXIT WHEN others IS NOT NULL;
        END LOOP;
        IF others IS NULL THEN
            PERFORM ldp_internal.ldp_check_calibration(false, 'no group has enough reports and a positive weight', NULL, 'Wait for more reports.');
        END IF;
        number := cell_totals[one];
        cell_totals[one] := 0;
        FOREACH one IN ARRAY others LOOP
            cell_totals[one] := cell_totals[one] * (1 + number / sum);
        END LOOP;
    END LOOP;
    IF fewest IS NOT NULL AND cardinality(names) < cardinality(groups) OR missing IS NOT NULL THEN
        note := format('%s of %s groups are used, and %s added to other groups (collapse)', cardinality(names), cardinality(groups),
                       CASE COALESCE(cardinality(missing), 0) WHEN 0 THEN 'no totals were' WHEN 1 THEN '1 total was' ELSE cardinality(missing) || ' totals were' END);
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_calibration(@extschema@.ldp_group[], text[], jsonb, text, bigint) IS
    'Returns the arguments of ldp_calibrated_groups for groups and totals, and a note on totals that were added to those of '
    'other groups. Groups with fewer reports than fewest are left out; NULL for no collapsing.';

CREATE FUNCTION ldp_internal.ldp_calibrated_groups(groups text[], summaries @extschema@.ldp_summary[], weights float8[], cells integer[], totals float8[],
        attributes text[], confidence float8, target text)
    RETURNS SETOF @extschema@.ldp_calibrated
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION ldp_internal.ldp_calibrated_groups(text[], @extschema@.ldp_summary[], float8[], integer[], float8[], text[], float8, text) IS
    'Returns the estimates of ldp_calibrate from groups with names, summaries and start weights. The argument cells has '
    'the cell of each group in every column, one group after another; cells are numbered from 0 in totals.';

CREATE FUNCTION @extschema@.ldp_calibrate(source @extschema@.ldp_source, by text[] DEFAULT NULL, totals jsonb DEFAULT NULL, weights text DEFAULT NULL, collapse boolean DEFAULT false,
        attributes text[] DEFAULT NULL, confidence float8 DEFAULT 0.95, target text DEFAULT 'population')
    RETURNS SETOF @extschema@.ldp_calibrated
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    of_name boolean := ldp_internal.ldp_source_name(source) IS NOT NULL;
    wanted text[] := CASE WHEN of_name THEN COALESCE(by, '{}') || CASE WHEN weights IS NOT NULL AND weights <> ALL (COALESCE(by, '{}')) THEN ARRAY[weights] ELSE '{}' END END;
    margins text[] := by;
    summary @extschema@.ldp_summary;
    found record;
    fewest bigint;
    prepared record;
BEGIN
    IF source IS NULL THEN
        RETURN;
    END IF;
    PERFORM ldp_internal.ldp_check_calibration(totals IS NOT NULL OR weights IS NOT NULL, 'neither totals nor weights are given', NULL,
        'Pass known totals of the groups, the name of a public column with weights, or both.');
    found := ldp_internal.ldp_source_groups(source, CASE WHEN of_name THEN NULLIF(wanted, '{}') ELSE by END);
    IF found.groups = '{}' THEN
        RETURN;
    END IF;
    IF COALESCE(cardinality(by), 0) = 0 THEN
        margins := ARRAY(SELECT k.key FROM jsonb_object_keys((found.groups)[1].group_key) WITH ORDINALITY AS k (key, place) WHERE k.key <> COALESCE(weights, '') ORDER BY k.place);
    END IF;
    summary := (found.summaries)[1];
    fewest := CASE WHEN collapse THEN COALESCE((SELECT (c.spec ->> 'min_group')::bigint FROM @extschema@.ldp_collections AS c
        WHERE c.fingerprint = @extschema@.ldp_spec(summary) ->> 'fingerprint' LIMIT 1), 20) END;
    prepared := ldp_internal.ldp_calibration(found.groups, margins, totals, weights, fewest);
    RETURN QUERY SELECT c.attribute, c.label, c.statistic, c.estimate, c.stderr, c.lower, c.upper, c.n, c.group_key, NULLIF(concat_ws('; ', c.note, prepared.note), ''), c.source,
            c.design_effect, c.people, c.attribute_number, c.value
        FROM ldp_internal.ldp_calibrated_groups(prepared.names, prepared.summaries, prepared.starts, prepared.cells, prepared.cell_totals,
                                                attributes, confidence, target) AS c;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_calibrate(@extschema@.ldp_source, text[], jsonb, text, boolean, text[], float8, text) IS
    'Returns estimates of a population, weighted so that groups of a collection''s reports agree with known totals. '
    'Rows are those of ldp_estimate, without texts. The source is the name of a collection or a rollup with the '
    'grouping columns by, as in ldp_groups_of, or groups with their summaries. If totals is an object, it contains '
    'the totals of each column''s values, as in {"region": {"north": 700, "south": 300}, "age": {...}}, and the '
    'weights are raked. If it is an array, it has the totals of combinations, as in [{"region": "north", "age": '
    '"young", "total": 200}], and the groups are post-stratified. The argument weights names a public column with '
    'each person''s design weight; without totals, these weights are used alone. A total of 0 leaves groups out. A '
    'positive total without reports is an error. If collapse is true, such a total is added to the groups with the '
    'same values of the first columns, and groups with fewer reports than min_group are left out. The interval is '
    'derived from the intervals of the groups and has at least their confidence. With the target population, the '
    'errors contain the variation of raked weights; with sample, they apply to the weighted people who reported. The '
    'column design_effect is that of Kish. Error 22023 for invalid totals and if raking does not converge; 42703 if '
    'a column does not exist; 42704 if the collection does not exist; 42501 if the caller may not query it.';
