-- Estimates from many groups of different people --------------------------------------------------------------

CREATE FUNCTION ldp_internal.ldp_clustered(groups text[], summaries @extschema@.ldp_summary[], attributes text[], weights text, confidence float8)
    RETURNS TABLE (attribute text, label text, estimate float8, stderr float8, lower float8, upper float8, groups_used integer, degrees_of_freedom float8,
        between_sd float8, between_sd_lower float8, between_sd_upper float8, icc float8, icc_lower float8, icc_upper float8, design_effect float8,
        n bigint, people bigint, attribute_number integer, value integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION ldp_internal.ldp_clustered(text[], @extschema@.ldp_summary[], text[], text, float8) IS
    'Implements ldp_clustered for summaries of groups.';

CREATE FUNCTION @extschema@.ldp_clustered(source @extschema@.ldp_source, by text[] DEFAULT NULL, attributes text[] DEFAULT NULL, weights text DEFAULT 'people', confidence float8 DEFAULT 0.95)
    RETURNS TABLE (attribute text, label text, estimate float8, stderr float8, lower float8, upper float8, groups_used integer, degrees_of_freedom float8,
        between_sd float8, between_sd_lower float8, between_sd_upper float8, icc float8, icc_lower float8, icc_upper float8, design_effect float8,
        n bigint, people bigint, attribute_number integer, value integer, note text)
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.*
    FROM ldp_internal.ldp_source_groups($1, $2) AS g, ldp_internal.ldp_clustered(g.names, g.summaries, $3, $4, $5) AS c WHERE $1 IS NOT NULL
$$;
COMMENT ON FUNCTION @extschema@.ldp_clustered(@extschema@.ldp_source, text[], text[], text, float8) IS
    'Returns means and proportions over groups that are a random sample of groups, such as schools or days. The source '
    'is the name of a collection or a rollup with the grouping columns by, as in ldp_groups_of, or groups with their summaries. '
    'The groups consist of different people. With weights people, an estimate is the mean over people, with groups '
    'the mean over groups. The standard error holds for new groups, with Satterthwaite''s degrees of freedom. The columns between_sd '
    'and icc are the standard deviation between groups and the intraclass correlation, without the noise of the '
    'randomization. The icc is NULL if the reports do not show the variance between people. The design_effect is the '
    'variance divided by that of a simple random sample of as many people. Error 22023 for fewer than two groups or '
    'an unknown attribute, 42703 if the column does not exist, 42501 if the caller may not query the collection.';

CREATE FUNCTION ldp_internal.ldp_small_areas(groups text[], summaries @extschema@.ldp_summary[], attributes text[], confidence float8)
    RETURNS TABLE (attribute text, label text, group_name text, estimate float8, stderr float8, lower float8, upper float8, own_estimate float8, own_stderr float8,
        weight float8, n bigint, people bigint, attribute_number integer, value integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION ldp_internal.ldp_small_areas(text[], @extschema@.ldp_summary[], text[], float8) IS
    'Implements ldp_small_areas for summaries of groups.';

CREATE FUNCTION @extschema@.ldp_small_areas(source @extschema@.ldp_source, by text[] DEFAULT NULL, attributes text[] DEFAULT NULL, confidence float8 DEFAULT 0.95)
    RETURNS TABLE (attribute text, label text, group_name text, estimate float8, stderr float8, lower float8, upper float8, own_estimate float8, own_stderr float8,
        weight float8, n bigint, people bigint, attribute_number integer, value integer, note text)
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.*
    FROM ldp_internal.ldp_source_groups($1, $2) AS g, ldp_internal.ldp_small_areas(g.names, g.summaries, $3, $4) AS a WHERE $1 IS NOT NULL
$$;
COMMENT ON FUNCTION @extschema@.ldp_small_areas(@extschema@.ldp_source, text[], text[], float8) IS
    'Returns means and proportions of many small groups that borrow strength from each other (empirical Bayes). The source '
    'is the name of a collection or a rollup with the grouping columns by, as in ldp_groups_of, or groups with their summaries. '
    'The groups consist of different people. The estimate is between the group''s own estimate, which has the weight '
    'in the column weight, and the mean of all groups. The weights follow from the variance between groups, without the '
    'noise of the randomization. Intervals hold on average over the groups, not for each group. Error 22023 for fewer '
    'than five groups or an unknown attribute, 42703 if the column does not exist, 42501 if the caller may not query '
    'the collection.';

CREATE FUNCTION ldp_internal.ldp_smooth(groups text[], summaries @extschema@.ldp_summary[], positions integer[], attributes text[], season integer, confidence float8)
    RETURNS TABLE (attribute text, label text, "position" integer, estimate float8, stderr float8, lower float8, upper float8, own_estimate float8, own_stderr float8,
        season_effect float8, n bigint, people bigint, jump_p_value float8, adjusted_p_value float8, attribute_number integer, value integer, note text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION ldp_internal.ldp_smooth(text[], @extschema@.ldp_summary[], integer[], text[], integer, float8) IS
    'Implements ldp_smooth for summaries of groups at ascending positions in time.';

CREATE FUNCTION @extschema@.ldp_smooth(source @extschema@.ldp_source, by text[] DEFAULT NULL, attributes text[] DEFAULT NULL, season integer DEFAULT NULL, confidence float8 DEFAULT 0.95)
    RETURNS TABLE (attribute text, label text, group_name text, estimate float8, stderr float8, lower float8, upper float8, own_estimate float8, own_stderr float8,
        season_effect float8, n bigint, people bigint, jump_p_value float8, adjusted_p_value float8, attribute_number integer, value integer, note text)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
#variable_conflict use_column
DECLARE
    groups text[];
    summaries @extschema@.ldp_summary[];
    positions integer[];
    dates boolean;
    strange text;
BEGIN
    IF source IS NULL OR confidence IS NULL THEN
        RETURN;
    END IF;
    SELECT g.names, g.summaries INTO groups, summaries FROM ldp_internal.ldp_source_groups($1, $2) AS g;
    dates := NOT EXISTS (SELECT FROM unnest(groups) AS u (word) WHERE u.word !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$');
    SELECT u.word INTO strange FROM unnest(groups) AS u (word) WHERE NOT dates AND u.word !~ '^-?[0-9]{1,9}$' LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'groups are not dates or integers',
            DETAIL = format('One of them is "%s".', left(strange, 100)),
            HINT = 'Group by round, by a column of type date or integer, or by the days of a rollup.';
    END IF;
    -- The order of the texts of integers is not that of the integers. A group without a name has no position.
    SELECT array_agg(t.word ORDER BY t.at), array_agg(t.summary ORDER BY t.at), array_agg(t.at ORDER BY t.at) FILTER (WHERE t.at IS NOT NULL) INTO groups, summaries, positions
    FROM (SELECT u.word, u.summary, CASE WHEN dates THEN u.word::date - date '2000-01-01' ELSE u.word::integer END AS at
          FROM unnest(groups, summaries) AS u (word, summary)) AS t;
    IF season IS NULL THEN
        season := CASE WHEN dates AND cardinality(positions) >= 28 AND (SELECT bool_or(p - before = 1) FROM
            (SELECT p, lag(p) OVER (ORDER BY p) AS before FROM unnest(positions) AS p) AS gaps) THEN 7 ELSE 0 END;
    END IF;
    RETURN QUERY SELECT s.attribute, s.label, CASE WHEN dates THEN (date '2000-01-01' + s."position")::text ELSE s."position"::text END, s.estimate, s.stderr, s.lower,
        s.upper, s.own_estimate, s.own_stderr, s.season_effect, s.n, s.people, s.jump_p_value, s.adjusted_p_value, s.attribute_number, s.value, s.note
    FROM ldp_internal.ldp_smooth(COALESCE(groups, '{}'), COALESCE(summaries, '{}'), COALESCE(positions, '{}'), $3, season, $5) AS s;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_smooth(@extschema@.ldp_source, text[], text[], integer, float8) IS
    'Returns a smoothed series of means and proportions: a level that changes by random steps, and a season, from '
    'estimates with known noise (Kalman filter and smoother). The source '
    'is the name of a collection or a rollup with a column of dates or integers, or groups with such names. '
    'The groups consist of different people. There is a row for each point in time; those without reports have estimates, '
    'too. A jump that is found is part of the series. The argument season is the number of points in time of a season, 0 for none. NULL is 7 for dates with at least 28 days of reports, and otherwise '
    '0. The p-value is that of a jump of the level at this point, and adjusted_p_value is adjusted for the rows of the call (Holm 1979). Error 22023 for fewer than '
    'five groups or an unknown attribute, 42703 if the column does not exist, 42501 if the caller may not query '
    'the collection.';
