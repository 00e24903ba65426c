-- Frequent strings ------------------------------------------------------------------------------------------
-- The domain of strings is too large for one collection, so a search extends frequent prefixes round by round. Each round
-- has different people. The collection NAME_1 counts prefixes, NAME_2 counts extensions of the frequent prefixes, and so on.
-- Prefix extension: Bassily, Nissim, Stemmer, Thakurta 2017; Wang, Li, Jha 2021. The labels of a round are of three kinds.
--   Prefixes have a fixed number of characters. In the last round, this is the largest number that distinguishes strings.
--   Whole strings end with U+0003: strings that may end in this round, and strings found in earlier rounds, which every
--   later round counts again to reduce their error.
--   One label represents all other strings. It begins with U+0003, which no string contains.

CREATE TABLE ldp_internal.ldp_hitter_search (
    name         text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 60),
    epsilon      float8 NOT NULL,
    alphabet     text NOT NULL,
    step         integer NOT NULL CHECK (step BETWEEN 1 AND 64),
    keep         integer NOT NULL CHECK (keep BETWEEN 1 AND 10000),
    longest      integer NOT NULL CHECK (longest BETWEEN 1 AND 64),
    significance float8 NOT NULL CHECK (significance > 0 AND significance < 1),
    method       text NOT NULL CHECK (method IN ('significance', 'rank')),
    round        integer NOT NULL DEFAULT 1
);
COMMENT ON TABLE ldp_internal.ldp_hitter_search IS
    'all searches for frequent strings; see the view ldp_hitter_searches';
COMMENT ON COLUMN ldp_internal.ldp_hitter_search.name IS
    'name of the search; the collection of a round has this name, "_" and the round';
COMMENT ON COLUMN ldp_internal.ldp_hitter_search.epsilon IS 'privacy cost of one report';
COMMENT ON COLUMN ldp_internal.ldp_hitter_search.alphabet IS 'characters of the strings';
COMMENT ON COLUMN ldp_internal.ldp_hitter_search.step IS 'number of characters that each round adds';
COMMENT ON COLUMN ldp_internal.ldp_hitter_search.keep IS
    'largest number of prefixes and strings that a round passes to the next one';
COMMENT ON COLUMN ldp_internal.ldp_hitter_search.longest IS 'number of leading characters that distinguish strings';
COMMENT ON COLUMN ldp_internal.ldp_hitter_search.significance IS
    'largest adjusted p-value at which a label counts as present; adjusted for all labels of a round';
COMMENT ON COLUMN ldp_internal.ldp_hitter_search.method IS
    'labels that a round passes on: the largest significant ones (significance), or the largest ones (rank)';
COMMENT ON COLUMN ldp_internal.ldp_hitter_search.round IS 'current round, from 1';
SELECT pg_extension_config_dump('ldp_internal.ldp_hitter_search', '');

CREATE VIEW @extschema@.ldp_hitter_searches AS
    SELECT s.name, s.epsilon, s.alphabet, s.step, s.keep, s.longest, s.significance, s.method, s.round FROM ldp_internal.ldp_hitter_search AS s;
COMMENT ON VIEW @extschema@.ldp_hitter_searches IS
    'searches for frequent strings and their current rounds; readable by everyone';
COMMENT ON COLUMN @extschema@.ldp_hitter_searches.name IS
    'name of the search; the collection of a round has this name, "_" and the round';
COMMENT ON COLUMN @extschema@.ldp_hitter_searches.epsilon IS 'privacy cost of one report';
COMMENT ON COLUMN @extschema@.ldp_hitter_searches.alphabet IS 'characters of the strings';
COMMENT ON COLUMN @extschema@.ldp_hitter_searches.step IS 'number of characters that each round adds';
COMMENT ON COLUMN @extschema@.ldp_hitter_searches.keep IS
    'largest number of prefixes and strings that a round passes to the next one';
COMMENT ON COLUMN @extschema@.ldp_hitter_searches.longest IS 'number of leading characters that distinguish strings';
COMMENT ON COLUMN @extschema@.ldp_hitter_searches.significance IS
    'largest adjusted p-value at which a label counts as present; adjusted for all labels of a round';
COMMENT ON COLUMN @extschema@.ldp_hitter_searches.method IS
    'labels that a round passes on: the largest significant ones (significance), or the largest ones (rank)';
COMMENT ON COLUMN @extschema@.ldp_hitter_searches.round IS 'current round, from 1';

CREATE FUNCTION ldp_internal.ldp_hitter_search_named(name text) RETURNS ldp_internal.ldp_hitter_search
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_one ldp_internal.ldp_hitter_search;
BEGIN
    SELECT s.* INTO found_one FROM ldp_internal.ldp_hitter_search AS s WHERE s.name = ldp_hitter_search_named.name;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = format('search for frequent strings %s does not exist',
                             COALESCE('"' || ldp_hitter_search_named.name || '"', 'NULL')),
            HINT = 'The view ldp_hitter_searches lists all searches.';
    END IF;
    RETURN found_one;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_hitter_search_named(text) IS
    'Returns the row of ldp_hitter_search with this name. Error 42704 if the search does not exist.';

CREATE FUNCTION ldp_internal.ldp_hitter_letters(alphabet text) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT count(DISTINCT l)::numeric FROM unnest(string_to_array($1, NULL)) AS l $$;
COMMENT ON FUNCTION ldp_internal.ldp_hitter_letters(text) IS 'Returns the number of distinct characters of an alphabet.';

CREATE FUNCTION ldp_internal.ldp_hitter_labels(letters numeric, characters integer) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT sum(LEAST($1, 1000000::numeric) ^ i::numeric) FROM generate_series(0, LEAST($2, 64)) AS i $$;
COMMENT ON FUNCTION ldp_internal.ldp_hitter_labels(numeric, integer) IS
    'Returns the number of strings of at most this length over an alphabet of this size.';

CREATE FUNCTION ldp_internal.ldp_hitter_prefix(search ldp_internal.ldp_hitter_search, round integer) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    letters numeric := ldp_internal.ldp_hitter_letters(search.alphabet);
    first integer := search.step;
BEGIN
    IF round < 1 THEN
        RETURN 0;
    END IF;
    -- The first round starts with the longest prefixes whose number does not exceed that of a later round.
    WHILE first < LEAST(search.longest, 64) AND ldp_internal.ldp_hitter_labels(letters, first + 1)
          <= search.keep * ldp_internal.ldp_hitter_labels(letters, search.step) LOOP
        first := first + 1;
    END LOOP;
    RETURN LEAST(first + (round::bigint - 1) * search.step, search.longest);
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_hitter_prefix(ldp_internal.ldp_hitter_search, integer) IS
    'Returns the prefix length of a round, including the mark at the end of a string.';

-- The three functions below record searches. The owner of the table of the current round owns the search.

CREATE FUNCTION ldp_internal.ldp_own_search_as(caller name, name text) RETURNS ldp_internal.ldp_hitter_search
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search ldp_internal.ldp_hitter_search;
BEGIN
    SELECT s.* INTO search FROM ldp_internal.ldp_hitter_search AS s WHERE s.name = ldp_own_search_as.name FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM ldp_internal.ldp_hitter_search_named(name);  -- raises the error
    END IF;
    PERFORM ldp_internal.ldp_check_admin(caller);
    PERFORM ldp_internal.ldp_check_owner(
        (SELECT c.reports FROM ldp_internal.ldp_collection AS c WHERE c.name = format('%s_%s', search.name, search.round)), caller);
    RETURN search;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_own_search_as(name, text) IS
    'Implements ldp_own_search for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION ldp_internal.ldp_own_search(name text) RETURNS ldp_internal.ldp_hitter_search
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_own_search(text) IS
    'Locks and returns the row of ldp_hitter_search with this name. Error 42501 unless the caller owns the search.';

CREATE FUNCTION ldp_internal.ldp_record_search_as(caller name, search ldp_internal.ldp_hitter_search) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before ldp_internal.ldp_hitter_search;
BEGIN
    PERFORM ldp_internal.ldp_check_admin(caller);
    PERFORM ldp_internal.ldp_check_owner(
        (ldp_internal.ldp_collection_named(format('%s_%s', search.name, search.round))).reports, caller);
    IF search.round = 1 THEN
        INSERT INTO ldp_internal.ldp_hitter_search SELECT search.*;
    ELSE
        before := ldp_internal.ldp_own_search_as(caller, search.name);
        UPDATE ldp_internal.ldp_hitter_search AS s SET round = s.round + 1 WHERE s.name = before.name AND s.round = search.round - 1;
    END IF;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_record_search_as(name, ldp_internal.ldp_hitter_search) IS
    'Implements ldp_record_search for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION ldp_internal.ldp_record_search(search ldp_internal.ldp_hitter_search) RETURNS void
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_record_search(ldp_internal.ldp_hitter_search) IS
    'Records a search in its first round, or the beginning of its next round. The caller must own the collection of '
    'the round.';

CREATE FUNCTION ldp_internal.ldp_forget_search_as(caller name, name text) RETURNS ldp_internal.ldp_hitter_search
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search ldp_internal.ldp_hitter_search := ldp_internal.ldp_own_search_as(caller, name);
BEGIN
    DELETE FROM ldp_internal.ldp_hitter_search AS s WHERE s.name = search.name;
    RETURN search;
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_forget_search_as(name, text) IS
    'Implements ldp_forget_search for this caller, with the rights of the extension''s owner.';

CREATE FUNCTION ldp_internal.ldp_forget_search(name text) RETURNS ldp_internal.ldp_hitter_search
    AS 'MODULE_PATHNAME', 'ldp_with_caller' LANGUAGE C COST 1000;
COMMENT ON FUNCTION ldp_internal.ldp_forget_search(text) IS
    'Removes a search of the caller from the catalog, keeps its collections, and returns its row.';

CREATE FUNCTION ldp_internal.ldp_hitter_spec(search ldp_internal.ldp_hitter_search, round integer, beginnings text[], strings text[]) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    length integer := ldp_internal.ldp_hitter_prefix(search, round);
    letters integer := (SELECT count(DISTINCT l) FROM unnest(string_to_array(search.alphabet, NULL)) AS l);
    labels numeric := COALESCE(cardinality(strings), 0)
        + COALESCE((SELECT sum(letters::numeric ^ GREATEST(length - char_length(b), 0)) FROM unnest(beginnings) AS b), 0);
BEGIN
    IF length IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'null_value_not_allowed',
            MESSAGE = 'search and round must not be NULL',
            HINT = 'The table ldp_hitter_search lists all searches; rounds are numbered from 1.';
    END IF;
    -- Checked before the labels are created, because a spec has a limit on their number.
    IF labels > 1000000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'program_limit_exceeded',
            MESSAGE = 'a round of this search has too many labels',
            DETAIL = format('The round would have %s prefixes of %s characters; the limit is 1000000.', round(labels), length),
            HINT = 'Reduce step, keep or the alphabet.';
    END IF;
    RETURN (
        WITH RECURSIVE letter AS (SELECT DISTINCT l FROM unnest(string_to_array(search.alphabet, NULL)) AS l),
        grown (beginning, characters) AS (
            SELECT b, char_length(b) FROM unnest(beginnings) AS b
            UNION ALL
            SELECT g.beginning || l, g.characters + 1 FROM grown AS g, letter
            WHERE g.characters < length AND octet_length(convert_to(g.beginning || l, 'UTF8')) <= 64
        ),
        labels (label) AS (
            SELECT CASE WHEN g.characters = length THEN g.beginning ELSE g.beginning || chr(3) END FROM grown AS g
            UNION ALL
            SELECT s || chr(3) FROM unnest(strings) AS s
        )
        SELECT jsonb_build_object('mechanism', 'auto', 'epsilon', search.epsilon, 'min_group', 1, 'attributes', jsonb_build_array(
            jsonb_build_object('name', 'value', 'prefix', length, 'other', chr(3) || 'other', 'domain',
                (SELECT jsonb_agg(label ORDER BY label COLLATE "C") FROM labels) || to_jsonb(chr(3) || 'other')))));
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_hitter_spec(ldp_internal.ldp_hitter_search, integer, text[], text[]) IS
    'Returns the spec of a round that extends these prefixes and continues to count these strings.';

CREATE FUNCTION ldp_internal.ldp_hitter_round(search ldp_internal.ldp_hitter_search, round integer, confidence float8 DEFAULT 0.95)
    RETURNS TABLE (label text, whole boolean, fresh boolean, estimate float8, stderr float8, lower float8, upper float8, n bigint, p_value float8)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    collection @extschema@.ldp_collections :=
        ldp_internal.ldp_collection_named(format('%s_%s', search.name, ldp_hitter_round.round));
    labels text[] := ldp_internal.ldp_spec_labels(collection.spec::jsonb);
    -- Strings shorter than the prefixes that this round extends come from an earlier round.
    continued integer := ldp_internal.ldp_hitter_prefix(search, ldp_hitter_round.round - 1);
    summary @extschema@.ldp_summary := @extschema@.ldp_summary_of(collection.name::text, NULL::integer);
BEGIN
    RETURN QUERY
    SELECT v.label, v.label <> t.label OR char_length(v.label) = search.longest, char_length(v.label) >= continued,
           t.estimate, t.stderr, t.lower, t.upper, t.n, t.p_value
    FROM (SELECT labels[r.value + 1] AS label, r.estimate, r.stderr, r.lower, r.upper, r.n, r.p_value
          FROM @extschema@.ldp_top(summary::@extschema@.ldp_source, cardinality(labels)::integer, ldp_hitter_round.confidence, 'sample'::text, 'bonferroni'::text, NULL::text) AS r
          UNION ALL
          SELECT l, NULL, NULL, NULL, NULL, 0, NULL FROM unnest(labels) AS l WHERE summary IS NULL) AS t,
         LATERAL (SELECT rtrim(t.label, chr(3))) AS v (label)
    WHERE left(t.label, 6) <> chr(3) || 'other';
END
$$;
COMMENT ON FUNCTION ldp_internal.ldp_hitter_round(ldp_internal.ldp_hitter_search, integer, float8) IS
    'Returns the estimated share, interval and adjusted p-value of each prefix and string of a round. The column whole '
    'is true for a whole string; the column fresh is true if no earlier round counted the label.';

CREATE FUNCTION @extschema@.ldp_create_hitters(name text, epsilon float8, alphabet text, step integer DEFAULT 1, keep integer DEFAULT 32,
        longest integer DEFAULT 64, significance float8 DEFAULT 0.05, method text DEFAULT 'significance',
        schema text DEFAULT current_schema()) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search ldp_internal.ldp_hitter_search := ROW(name, epsilon, alphabet, step, keep, longest, significance, method, 1);
    letter_bytes bigint;
    labels numeric;
    bytes numeric;
BEGIN
    IF NOT (search IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'parameters of a search for frequent strings must not be NULL';
    END IF;
    PERFORM ldp_internal.ldp_check_admin();
    IF octet_length(name) NOT BETWEEN 1 AND 60 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = 'the name of a search must have 1 to 60 bytes',
            DETAIL = format('The name has %s bytes.', octet_length(name)),
            HINT = 'The collections of the rounds are named after the search, with a number.';
    END IF;
    IF method NOT IN ('significance', 'rank') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('unknown method "%s"', method),
            HINT = 'Valid methods are significance and rank.';
    END IF;
    IF alphabet = '' OR strpos(alphabet, chr(3)) > 0 OR step NOT BETWEEN 1 AND 64
       OR keep NOT BETWEEN 1 AND 10000 OR longest NOT BETWEEN 1 AND 64 OR NOT (significance > 0 AND significance < 1) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'a parameter of the search is out of range',
            DETAIL = format('The values are: step %s, keep %s, longest %s, significance %s, alphabet of %s characters.',
                            step, keep, longest, significance, char_length(alphabet)),
            HINT = 'Valid ranges: step and longest 1 to 64, keep 1 to 10000, significance between 0 and 1. The alphabet must '
                   'not be empty or contain U+0003.';
    END IF;
    -- Checked now for the largest possible later round, whose labels must fit into a spec.
    SELECT max(octet_length(to_json(l)::text)) - 2 INTO letter_bytes FROM unnest(string_to_array(alphabet, NULL)) AS l;
    labels := keep * (ldp_internal.ldp_hitter_labels(ldp_internal.ldp_hitter_letters(alphabet), step) + 64 / step);
    bytes := labels * (longest * letter_bytes + 10);
    IF bytes > 1000000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'program_limit_exceeded',
            MESSAGE = 'a round of this search might have too many labels',
            DETAIL = format('A round may have %s labels of %s bytes in total; the limit is 1000000 bytes.', round(labels), round(bytes)),
            HINT = 'Reduce step, keep, longest or the alphabet.';
    END IF;

    IF EXISTS (SELECT FROM ldp_internal.ldp_hitter_search AS s WHERE s.name = ldp_create_hitters.name) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_object',
            MESSAGE = format('search for frequent strings "%s" already exists', name),
            HINT = 'To drop it with all its reports, use ldp_drop_hitters.';
    END IF;
    PERFORM @extschema@.ldp_create_collection(
        (name || '_1')::text, ldp_internal.ldp_hitter_spec(search, 1, ARRAY[''], '{}')::jsonb, NULL::text[], schema, 'rows'::text, 'reports'::text, NULL::text);
    PERFORM ldp_internal.ldp_record_search(search);
    RETURN name || '_1';
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_create_hitters(text, float8, text, integer, integer, integer, float8, text, text) IS
    'Starts a search for frequent strings over an alphabet, creates the collection of the first round, by default in '
    'the current schema, and returns its name. Each round adds step characters and passes at most keep prefixes to '
    'the next round. The argument method is significance (significant prefixes only) or rank (the largest ones). The '
    'argument longest is the number of leading characters that distinguish strings. Error 54000 if a round might '
    'count too many strings.';

CREATE FUNCTION @extschema@.ldp_next_round(name text, schema text DEFAULT current_schema()) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search ldp_internal.ldp_hitter_search;
    next_name text;
    beginnings text[];
    strings text[];
    reports bigint;
    first_round ldp_internal.ldp_collection;
    histogram @extschema@.ldp_summary;
BEGIN
    -- The first round of a winsorized mean has no row of its own: the second one follows from its spec and its reports. Both
    -- rounds have the same public columns, rows and rights of analysts.
    SELECT c.* INTO first_round FROM ldp_internal.ldp_collection AS c
    WHERE c.name = ldp_next_round.name
          AND NOT EXISTS (SELECT FROM ldp_internal.ldp_hitter_search AS s WHERE s.name = ldp_next_round.name);
    IF FOUND THEN
        PERFORM ldp_internal.ldp_check_admin();
        PERFORM ldp_internal.ldp_check_owner(ldp_internal.ldp_table(name)::regclass);
        IF jsonb_array_length(first_round.spec -> 'attributes') <> 1 OR NOT first_round.spec -> 'attributes' -> 0 ?| ARRAY['bins', 'edges'] THEN
            RAISE EXCEPTION USING
                ERRCODE = 'feature_not_supported',
                MESSAGE = format('collection "%s" has no further round', name),
                DETAIL = 'Its reports are not about one number in bins.',
                HINT = 'Searches for frequent strings, and collections with the mechanism "winsorized", have further rounds.';
        END IF;
        histogram := @extschema@.ldp_summary_of(name, NULL::integer);
        IF histogram IS NULL THEN
            RAISE EXCEPTION USING
                ERRCODE = 'object_not_in_prerequisite_state',
                MESSAGE = format('the first round "%s" has no reports', name),
                HINT = format('Collect reports in the collection "%s" first.', name);
        END IF;
        next_name := name || '_2';
        PERFORM @extschema@.ldp_create_collection(
            next_name, ldp_internal.ldp_winsorized_spec(@extschema@.ldp_client_spec(name), histogram)::jsonb,
            (SELECT array_agg(ARRAY[a.attname, format_type(a.atttypid, NULL)] ORDER BY a.attnum) FROM pg_attribute AS a
             WHERE a.attrelid = first_round.reports AND a.attnum > 0 AND NOT a.attisdropped
                   AND a.attname NOT IN (ldp_internal.ldp_report_column(first_round.reports), 'round', 'ldp_arrival'))::text[],
            schema, first_round.analysts::text,
            (CASE ldp_internal.ldp_report_column(first_round.reports) WHEN 'batch' THEN 'batches' ELSE 'reports' END)::text, NULL::text);
        RETURN next_name;
    END IF;
    -- Of two concurrent calls the second waits and continues from the round that the first started.
    search := ldp_internal.ldp_own_search(name);
    WITH labels AS MATERIALIZED (SELECT * FROM ldp_internal.ldp_hitter_round(search, search.round, 0.95::float8)),
    handed_on AS (
        SELECT l.label, l.whole FROM labels AS l WHERE l.fresh AND (search.method = 'rank' OR l.p_value <= search.significance)
        ORDER BY l.estimate DESC, l.label LIMIT search.keep)
    SELECT (SELECT array_agg(h.label) FROM handed_on AS h WHERE NOT h.whole),
           (SELECT array_agg(s.label) FROM (SELECT h.label FROM handed_on AS h WHERE h.whole
                                            UNION ALL SELECT l.label FROM labels AS l WHERE NOT l.fresh) AS s),
           (SELECT max(l.n) FROM labels AS l)
    INTO beginnings, strings, reports;
    IF reports = 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('round %s of "%s" has no reports', search.round, name),
            HINT = format('Collect reports in the collection "%s_%s" first.', name, search.round);
    END IF;
    IF beginnings IS NULL THEN
        RETURN NULL;
    END IF;

    search.round := search.round + 1;
    next_name := format('%s_%s', name, search.round);
    PERFORM @extschema@.ldp_create_collection(
        next_name, ldp_internal.ldp_hitter_spec(search, search.round, beginnings, strings)::jsonb, NULL::text[], schema, 'rows'::text, 'reports'::text, NULL::text);
    PERFORM ldp_internal.ldp_record_search(search);
    RETURN next_name;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_next_round(text, text) IS
    'Ends the current round of a search, creates the collection of the next round, by default in the current schema, and '
    'returns its name. Returns NULL if no prefix remains to be extended. For a collection with the mechanism winsorized, '
    'creates the collection of the second round, whose range is the window that the reports of the first round '
    'determine, and whose name ends with _2. The new collection has the same public columns, kind of rows and rights of '
    'analysts. Error 55000 if the current round has no reports, 0A000 if the collection has no further round, 22023 if '
    'its reports do not determine the window.';

CREATE FUNCTION @extschema@.ldp_hitters(name text, confidence float8 DEFAULT 0.95, top integer DEFAULT NULL)
    RETURNS SETOF @extschema@.ldp_hitter
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 32 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search ldp_internal.ldp_hitter_search := ldp_internal.ldp_hitter_search_named(ldp_hitters.name);
BEGIN
    IF ldp_hitters.top < 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('top must not be negative: %s', ldp_hitters.top),
            HINT = 'Specify 0 or more, or NULL for all significant strings.';
    END IF;
    -- Rounds have different people, so their estimates are independent. The weights are the numbers of reports; weights by
    -- the estimated errors would be biased, because the errors grow with the estimates. If several rounds count a string,
    -- its p-value is the smallest of them, corrected for the number of rounds (Bonferroni).
    RETURN QUERY
    SELECT NULL::text, f.label || CASE WHEN char_length(f.label) < search.longest THEN '' ELSE '...' END, (f.mean).statistic,
           (f.mean).estimate, (f.mean).stderr, (f.mean).lower, (f.mean).upper, (f.mean).n, NULL::jsonb, NULL::text, (f.mean).source,
           char_length(f.label) < search.longest, f.p_value, f.round
    FROM (SELECT l.label, LEAST(count(l.p_value) * min(l.p_value), 1) AS p_value, min(r) AS round,
                 @extschema@.ldp_weighted(ROW(NULL, l.label, 'proportion', l.estimate, l.stderr, l.lower, l.upper, l.n, NULL, NULL, format('%s/%s', search.name, r))::@extschema@.ldp_row,
                                          l.n::float8) AS mean
          FROM generate_series(1, search.round) AS r, LATERAL ldp_internal.ldp_hitter_round(search, r, ldp_hitters.confidence::float8) AS l
          WHERE l.whole AND l.n > 0
          GROUP BY l.label) AS f
    WHERE ldp_hitters.top IS NOT NULL OR f.p_value <= search.significance
    ORDER BY (f.mean).estimate DESC, f.label LIMIT ldp_hitters.top;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_hitters(text, float8, integer) IS
    'Returns the frequent strings that a search has found, most frequent first. Each row has the estimated share as a '
    'proportion, its error and interval, the p-value, the number of reports and the round. The interval has its '
    'confidence only for a string that was chosen before the search. If a string is listed because it is significant, '
    'its estimate is too high on average. Three dots follow a string with longest characters, because longer strings '
    'may begin with it; the column whole is then false. With the argument top, returns this number of strings with the '
    'largest shares, significant or not. Error 42704 if the search does not exist.';

CREATE FUNCTION @extschema@.ldp_plan_hitters(epsilon float8, alphabet text, users bigint DEFAULT 100000, step integer DEFAULT 1,
        keep integer DEFAULT 32, longest integer DEFAULT 64, significance float8 DEFAULT 0.05, method text DEFAULT 'significance',
        power float8 DEFAULT 0.9)
    RETURNS TABLE (round integer, characters integer, labels bigint, share float8, n bigint)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 8 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search ldp_internal.ldp_hitter_search := ROW('plan', epsilon, alphabet, step, keep, longest, significance, method, 1);
    letters numeric := ldp_internal.ldp_hitter_letters(alphabet);
    rounds integer := 1;
BEGIN
    IF NOT (search IS NOT NULL) OR users IS NULL OR power IS NULL THEN
        RETURN;
    END IF;
    IF alphabet = '' OR step NOT BETWEEN 1 AND 64 OR keep NOT BETWEEN 1 AND 10000 OR longest NOT BETWEEN 1 AND 64
       OR NOT (significance > 0 AND significance < 1) OR method NOT IN ('significance', 'rank')
       OR users < 1 OR NOT (power > 0.5 AND power < 1)
       OR keep * ldp_internal.ldp_hitter_labels(letters, step) > 1000000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'a parameter of the plan is out of range',
            HINT = 'Valid ranges: step and longest 1 to 64, keep 1 to 10000, significance between 0 and 1, users at least 1, '
                   'power between 0.5 and 1. The method is significance or rank. A round has at most 1000000 labels.';
    END IF;
    WHILE ldp_internal.ldp_hitter_prefix(search, rounds) < longest LOOP
        rounds := rounds + 1;
    END LOOP;
    -- A string whose prefixes are not shared by other strings is found if it passes every round. To pass, its estimate must
    -- exceed the largest noise among the labels (by rank: the noise of the last label that is passed on). The required
    -- margin above this noise follows from the power. The sizes of the rounds make the detectable share equal in all rounds.
    RETURN QUERY
    SELECT p.round, p.characters, p.labels, sqrt(sum(p.need) OVER () / users),
           round(users * p.need / sum(p.need) OVER ())::bigint
    FROM (SELECT r.round, r.characters, r.labels,
                 (ldp_internal.ldp_critical_value(GREATEST(1 - 2 * q.chance, 1e-9)::float8) + ldp_internal.ldp_critical_value((2 * power ^ (1.0::float8 / rounds) - 1)::float8)) ^ 2
                 * (SELECT a.stderr ^ 2 * 1e6 FROM @extschema@.ldp_advise(jsonb_build_object(
                        'mechanism', 'auto', 'epsilon', search.epsilon, 'domain', r.labels)::jsonb, 1000000::bigint) AS a LIMIT 1) AS need
          FROM (SELECT g AS round, c AS characters,
                       (CASE WHEN g = 1 THEN 1 ELSE search.keep END * ldp_internal.ldp_hitter_labels(letters, c - b) + 1)::bigint AS labels
                FROM generate_series(1, rounds) AS g, LATERAL (SELECT ldp_internal.ldp_hitter_prefix(search, g),
                                                                      ldp_internal.ldp_hitter_prefix(search, g - 1)) AS o (c, b)) AS r,
               LATERAL (SELECT GREATEST(CASE WHEN search.method = 'rank' AND r.round < rounds THEN search.keep
                                             ELSE search.significance END / r.labels::float8, 1e-15)) AS q (chance)) AS p
    ORDER BY p.round;
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_plan_hitters(float8, text, bigint, integer, integer, integer, float8, text, float8) IS
    'Returns the planned rounds of a search: prefix length in characters, largest number of labels, and number of '
    'users. The column share is the smallest share of a string that the search finds with the probability power.';

CREATE FUNCTION @extschema@.ldp_drop_hitters(name text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search ldp_internal.ldp_hitter_search := ldp_internal.ldp_forget_search(name);
BEGIN
    PERFORM @extschema@.ldp_drop_collection(c.name::text) FROM @extschema@.ldp_collections AS c
    WHERE c.name IN (SELECT format('%s_%s', search.name, r) FROM generate_series(1, search.round) AS r);
END
$$;
COMMENT ON FUNCTION @extschema@.ldp_drop_hitters(text) IS
    'Drops a search for frequent strings with the collections of its rounds and all their reports. Error 42704 if '
    'the search does not exist, 42501 unless the caller owns it.';

