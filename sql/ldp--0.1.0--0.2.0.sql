-- ldp 0.2.0: labels, consistent frequencies, the most frequent values, health of reports, advice on mechanisms,
-- and a search for frequent strings. Installed after 0.1.0, on new databases too; names as explained there.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "ALTER EXTENSION ldp UPDATE" to load this file. \quit

-- Collections know their spec's fingerprint -----------------------------------------------------------------
-- Reports and summaries carry it, which leads from them to the labels of their values.

CREATE FUNCTION ldp_spec_fingerprint(spec jsonb) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_spec_fingerprint(jsonb) IS 'what identifies the spec in every report and summary, 16 hexadecimal digits';

-- "derived" has no part in it, and what an earlier version derived might be called wrong.
ALTER TABLE ldp_collection
    ADD COLUMN fingerprint text NOT NULL GENERATED ALWAYS AS (@extschema@.ldp_spec_fingerprint(spec - 'derived')) STORED;
COMMENT ON COLUMN ldp_collection.fingerprint IS 'what identifies its spec in reports and summaries';
CREATE INDEX ldp_collection_fingerprint ON ldp_collection (fingerprint);
COMMENT ON INDEX ldp_collection_fingerprint IS 'finds the collection of a summary';

CREATE OR REPLACE VIEW ldp_collections AS
    SELECT c.name, c.reports, c.spec ->> 'mechanism' AS mechanism, (c.spec ->> 'epsilon')::float8 AS epsilon,
           c.spec, c.created, c.fingerprint
    FROM ldp_collection AS c JOIN pg_catalog.pg_class AS t ON t.oid = c.reports;
COMMENT ON COLUMN ldp_collections.fingerprint IS 'what identifies its spec in reports and summaries';

CREATE FUNCTION ldp_spec_labels(spec jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(e.label ORDER BY e.place)
    FROM jsonb_array_elements_text(CASE jsonb_typeof($1 #> '{attributes,0,domain}') WHEN 'array' THEN
             $1 #> '{attributes,0,domain}' END) WITH ORDINALITY AS e (label, place)
$$;
COMMENT ON FUNCTION ldp_spec_labels(jsonb) IS 'the labels of the values, in order; NULL if a canonical spec gives none';

CREATE FUNCTION ldp_labels(summary ldp_summary) RETURNS text[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT @extschema@.ldp_spec_labels(c.spec) FROM @extschema@.ldp_collections AS c
    WHERE c.fingerprint = @extschema@.ldp_spec($1) ->> 'spec' LIMIT 1
$$;
COMMENT ON FUNCTION ldp_labels(ldp_summary) IS
    'the labels of the values, in order, as the collection with the summary''s spec has them; NULL if there is none, '
    'or it has no labels';

-- Frequencies -----------------------------------------------------------------------------------------------
-- What a view calls it keeps, under a new name: the old one is for the function that knows labels.

ALTER FUNCTION ldp_frequencies(ldp_summary, float8, text) RENAME TO ldp_unlabelled_frequencies;

-- In C, for labels are found by their number there; the functions that people call look the labels up.
CREATE FUNCTION ldp_frequency_rows(summary ldp_summary, method text, confidence float8, target text, labels text[],
        OUT value integer, OUT label text, OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION ldp_frequency_rows(ldp_summary, text, float8, text, text[]) IS 'ldp_frequencies with these labels';

CREATE FUNCTION ldp_frequencies(summary ldp_summary, method text DEFAULT 'none', confidence float8 DEFAULT 0.95,
        target text DEFAULT 'sample')
    RETURNS TABLE (value integer, label text, estimate float8, stderr float8, lower float8, upper float8)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM @extschema@.ldp_frequency_rows($1, $2, $3, $4, COALESCE(@extschema@.ldp_labels($1), '{}'))
$$;
COMMENT ON FUNCTION ldp_frequencies(ldp_summary, text, float8, text) IS
    'estimated share of every value, with its label; with standard error and interval (target sample or population), '
    'or made consistent by a method, without them';

CREATE FUNCTION ldp_consistent(summary ldp_summary, method text) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_consistent(ldp_summary, text) IS
    'estimated share of every value, made consistent: none, base_cut, norm, norm_mul, norm_cut, norm_sub, mle_apx, power or ibu';

CREATE FUNCTION ldp_value(summary ldp_summary, label text) RETURNS integer
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    labels text[] := @extschema@.ldp_labels(summary);
    found_at integer := array_position(labels, label) - 1;
BEGIN
    -- Without labels a value's number stands for it.
    IF labels IS NULL AND label ~ '^[0-9]{1,9}$' THEN
        found_at := label::integer;
    END IF;
    IF found_at IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('there is no value "%s"', label),
            DETAIL = COALESCE(
                format('There are %s labels, such as "%s".', cardinality(labels), labels[1]),
                'No collection with the summary''s spec gives its values labels, so they are called by their numbers.'),
            HINT = 'ldp_labels(summary) lists the labels.';
    END IF;
    RETURN found_at;
END
$$;
COMMENT ON FUNCTION ldp_value(ldp_summary, text) IS 'the number of the value with this label, or an error';

CREATE FUNCTION ldp_frequency(summary ldp_summary, label text) RETURNS float8
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT @extschema@.ldp_frequency($1, @extschema@.ldp_value($1, $2)) $$;
COMMENT ON FUNCTION ldp_frequency(ldp_summary, text) IS 'estimated share of the value with this label';

CREATE FUNCTION ldp_top_rows(summary ldp_summary, "limit" integer, confidence float8, target text, control text, labels text[],
        OUT value integer, OUT label text, OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8,
        OUT p_value float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ldp_top_rows(ldp_summary, integer, float8, text, text, text[]) IS 'ldp_top with these labels';

CREATE FUNCTION ldp_top(summary ldp_summary, "limit" integer DEFAULT 10, confidence float8 DEFAULT 0.95,
        target text DEFAULT 'sample', control text DEFAULT 'bonferroni')
    RETURNS TABLE (value integer, label text, estimate float8, stderr float8, lower float8, upper float8, p_value float8)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM @extschema@.ldp_top_rows($1, $2, $3, $4, $5, COALESCE(@extschema@.ldp_labels($1), '{}'))
$$;
COMMENT ON FUNCTION ldp_top(ldp_summary, integer, float8, text, text) IS
    'the values of the largest estimated shares, the largest first, and p-values, adjusted for all values, of nobody '
    'holding them; control bonferroni or benjamini_hochberg';

CREATE FUNCTION ldp_candidate_rows(summary ldp_summary, selection text, control text, confidence float8, labels text[],
        OUT value integer, OUT label text, OUT estimate float8, OUT stderr float8, OUT lower float8, OUT upper float8,
        OUT p_value float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ldp_candidate_rows(ldp_summary, text, text, float8, text[]) IS 'ldp_candidates with these labels';

CREATE FUNCTION ldp_candidates(summary ldp_summary, selection text DEFAULT 'lasso', control text DEFAULT 'bonferroni',
        confidence float8 DEFAULT 0.95)
    RETURNS TABLE (value integer, label text, estimate float8, stderr float8, lower float8, upper float8, p_value float8)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM @extschema@.ldp_candidate_rows($1, $2, $3, $4, COALESCE(@extschema@.ldp_labels($1), '{}'))
$$;
COMMENT ON FUNCTION ldp_candidates(ldp_summary, text, text, float8) IS
    'the values that rappor reports speak for, among more candidates than could each be estimated: picked by regression '
    '(lasso or nnls), the largest first, with p-values adjusted for all candidates; after picking, errors are approximate';

-- Health, advice --------------------------------------------------------------------------------------------

CREATE FUNCTION ldp_health(summary ldp_summary,
        OUT statistic text, OUT observed float8, OUT expected float8, OUT p_value float8)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 4;
COMMENT ON FUNCTION ldp_health(ldp_summary) IS
    'statistics that honest reports follow whatever people''s values are, and how likely honest reports are as far off';

CREATE FUNCTION ldp_advise(spec jsonb, users bigint DEFAULT 100000,
        OUT mechanism text, OUT stderr float8, OUT report_bytes bigint, OUT summary_bytes bigint,
        OUT decode_cost float8, OUT obstacle text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ldp_advise(jsonb, bigint) IS
    'the mechanisms that suit a spec (its own does not matter), best first: the standard error of a frequency, sizes, '
    'steps to count a report, and why "auto" would not choose it';

CREATE FUNCTION ldp_reach(confidence float8) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_reach(float8) IS 'how many standard errors an interval of this confidence reaches to either side';

-- Estimates -------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION ldp_estimate(name text, confidence float8 DEFAULT 0.95, target text DEFAULT 'sample')
    RETURNS TABLE (attribute text, value text, estimate float8, stderr float8, lower float8, upper float8, n bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    collection @extschema@.ldp_collections := @extschema@.ldp_collection_named(ldp_estimate.name);
    attributes jsonb := collection.spec -> 'attributes';
    summary @extschema@.ldp_summary;
    reports bigint;
BEGIN
    EXECUTE format('SELECT @extschema@.ldp_agg(report) FROM %s', collection.reports) INTO summary;
    reports := @extschema@.ldp_count(summary);
    IF attributes -> 0 ? 'domain' THEN
        RETURN QUERY
        SELECT attributes #>> '{0,name}', f.label, f.estimate, f.stderr, f.lower, f.upper, reports
        FROM @extschema@.ldp_frequency_rows(summary, 'none', ldp_estimate.confidence, ldp_estimate.target,
                 COALESCE(@extschema@.ldp_spec_labels(collection.spec), '{}')) AS f
        ORDER BY f.value;
    ELSE
        RETURN QUERY
        SELECT attributes #>> ARRAY[m.attribute::text, 'name'], NULL::text,
               m.estimate, m.stderr, m.lower, m.upper, reports
        FROM @extschema@.ldp_means(summary, ldp_estimate.confidence, ldp_estimate.target) AS m
        ORDER BY m.attribute;
    END IF;
END
$$;

-- Frequent strings ------------------------------------------------------------------------------------------
-- There are too many strings to ask about each, so they are found letter by letter, each round among other people:
-- the collection NAME_1 asks how strings begin, NAME_2 how those go on whose beginnings were frequent, and so on
-- (prefix extension: Bassily, Nissim, Stemmer, Thakurta 2017; Wang, Li, Jha 2018). A round's labels are
--   beginnings of a fixed number of characters;
--   whole strings, which end with U+0003: those that may end in this round, and those found before, which stay so
--   that every later round makes their estimates better;
--   one for all other strings, which begins with U+0003, as no string does.

CREATE TABLE ldp_hitter_search (
    name         text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 60),
    epsilon      float8 NOT NULL,
    alphabet     text NOT NULL,
    step         integer NOT NULL CHECK (step BETWEEN 1 AND 64),
    keep         integer NOT NULL CHECK (keep BETWEEN 1 AND 10000),
    longest      integer NOT NULL CHECK (longest BETWEEN 1 AND 64),
    significance float8 NOT NULL CHECK (significance > 0 AND significance < 1),
    round        integer NOT NULL DEFAULT 1
);
COMMENT ON TABLE ldp_hitter_search IS 'searches for frequent strings; each round of one is a collection';
COMMENT ON COLUMN ldp_hitter_search.name IS 'its name; that of a round''s collection is this, "_" and the round';
COMMENT ON COLUMN ldp_hitter_search.epsilon IS 'what a report may cost in privacy';
COMMENT ON COLUMN ldp_hitter_search.alphabet IS 'the characters that strings are searched among';
COMMENT ON COLUMN ldp_hitter_search.step IS 'how many characters a round adds';
COMMENT ON COLUMN ldp_hitter_search.keep IS 'how many beginnings and strings a round may hand on';
COMMENT ON COLUMN ldp_hitter_search.longest IS 'the most characters of a string';
COMMENT ON COLUMN ldp_hitter_search.significance IS 'the p-value, adjusted for all labels of a round, up to which one is there';
COMMENT ON COLUMN ldp_hitter_search.round IS 'the current round, from 1';
SELECT pg_catalog.pg_extension_config_dump('ldp_hitter_search', '');

CREATE FUNCTION ldp_hitter_search_named(name text) RETURNS ldp_hitter_search
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_one @extschema@.ldp_hitter_search;
BEGIN
    SELECT s.* INTO found_one FROM @extschema@.ldp_hitter_search AS s WHERE s.name = ldp_hitter_search_named.name;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'undefined_object',
            MESSAGE = format('there is no search for frequent strings %s',
                             COALESCE('"' || ldp_hitter_search_named.name || '"', 'NULL')),
            HINT = 'The table ldp_hitter_search shows which there are.';
    END IF;
    RETURN found_one;
END
$$;
COMMENT ON FUNCTION ldp_hitter_search_named(text) IS 'the row of ldp_hitter_search with this name, or an error';

CREATE FUNCTION ldp_hitter_prefix(search ldp_hitter_search, round integer) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT LEAST($2 * $1.step, $1.longest + 1, 64) $$;
COMMENT ON FUNCTION ldp_hitter_prefix(ldp_hitter_search, integer) IS
    'how many characters the beginnings of a round have, the mark at a string''s end included';

CREATE FUNCTION ldp_hitter_spec(search ldp_hitter_search, round integer, beginnings text[], strings text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE wanted (length) AS (SELECT @extschema@.ldp_hitter_prefix($1, $2)),
    letter AS (SELECT DISTINCT l FROM unnest(string_to_array($1.alphabet, NULL)) AS l),
    grown (beginning, length) AS (
        SELECT b, char_length(b) FROM unnest($3) AS b
        UNION ALL
        SELECT g.beginning || l, g.length + 1 FROM grown AS g, letter, wanted AS w
        WHERE g.length < LEAST(w.length, $1.longest) AND octet_length(convert_to(g.beginning || l, 'UTF8')) <= 64
    ),
    labels (label) AS (
        SELECT CASE WHEN g.length = w.length THEN g.beginning ELSE g.beginning || chr(3) END FROM grown AS g, wanted AS w
        UNION ALL
        SELECT s || chr(3) FROM unnest($4) AS s
    )
    SELECT jsonb_build_object('mechanism', 'auto', 'epsilon', $1.epsilon, 'attributes', jsonb_build_array(
        jsonb_build_object('name', 'value', 'prefix', w.length, 'other', chr(3) || 'other', 'domain',
            (SELECT jsonb_agg(label ORDER BY label COLLATE "C") FROM labels) || to_jsonb(chr(3) || 'other'))))
    FROM wanted AS w
$$;
COMMENT ON FUNCTION ldp_hitter_spec(ldp_hitter_search, integer, text[], text[]) IS
    'the spec of a round that continues these beginnings and keeps counting these strings';

CREATE FUNCTION ldp_hitter_round(search ldp_hitter_search, round integer)
    RETURNS TABLE (value text, whole boolean, fresh boolean, estimate float8, stderr float8, p_value float8, n bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    collection @extschema@.ldp_collections :=
        @extschema@.ldp_collection_named(format('%s_%s', search.name, ldp_hitter_round.round));
    labels text[] := @extschema@.ldp_spec_labels(collection.spec);
    -- Strings shorter than the beginnings that this round continues were found in an earlier one.
    continued integer := @extschema@.ldp_hitter_prefix(search, ldp_hitter_round.round - 1);
    summary @extschema@.ldp_summary;
BEGIN
    EXECUTE format('SELECT @extschema@.ldp_agg(report) FROM %s', collection.reports) INTO summary;
    RETURN QUERY
    SELECT v.value, v.value <> t.label OR char_length(v.value) = 64, char_length(v.value) >= continued,
           t.estimate, t.stderr, t.p_value, COALESCE(@extschema@.ldp_count(summary), 0)
    FROM (SELECT r.label, r.estimate, r.stderr, r.p_value
          FROM @extschema@.ldp_top_rows(summary, cardinality(labels), 0.95, 'sample', 'bonferroni', labels) AS r
          UNION ALL
          SELECT l, NULL, NULL, NULL FROM unnest(labels) AS l WHERE summary IS NULL) AS t,
         LATERAL (SELECT rtrim(t.label, chr(3))) AS v (value)
    WHERE left(t.label, 6) <> chr(3) || 'other';
END
$$;
COMMENT ON FUNCTION ldp_hitter_round(ldp_hitter_search, integer) IS
    'what a round tells of each of its beginnings and strings: whether it is a whole string, whether no earlier round '
    'asked about it, its estimated share and adjusted p-value';

CREATE FUNCTION ldp_create_hitters(name text, epsilon float8, alphabet text, step integer DEFAULT 1, keep integer DEFAULT 32,
        longest integer DEFAULT 64, significance float8 DEFAULT 0.05) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    search @extschema@.ldp_hitter_search := ROW(name, epsilon, alphabet, step, keep, longest, significance, 1);
    letters pg_catalog.int8;
    letter_bytes pg_catalog.int8;
    labels pg_catalog.numeric := 0;
    bytes pg_catalog.numeric;
BEGIN
    IF NOT (search IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'a search for frequent strings needs all its parameters';
    END IF;
    IF pg_catalog.octet_length(name) NOT BETWEEN 1 AND 60 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_name',
            MESSAGE = 'the name of a search must have 1 to 60 bytes',
            DETAIL = pg_catalog.format('Found %s.', pg_catalog.octet_length(name)),
            HINT = 'Its rounds'' collections get the same name and a number.';
    END IF;
    IF alphabet = '' OR pg_catalog.strpos(alphabet, pg_catalog.chr(3)) > 0 OR step NOT BETWEEN 1 AND 64
       OR keep NOT BETWEEN 1 AND 10000 OR longest NOT BETWEEN 1 AND 64 OR NOT (significance > 0 AND significance < 1) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'a parameter of the search is out of range',
            DETAIL = pg_catalog.format('Found step %s, keep %s, longest %s, significance %s and an alphabet of %s characters.',
                                       step, keep, longest, significance, pg_catalog.char_length(alphabet)),
            HINT = 'step and longest must be 1 to 64, keep 1 to 10000, significance between 0 and 1; the alphabet must '
                   'have characters, but not U+0003.';
    END IF;
    -- A later round would find it out too late: the largest there can be must fit into a spec.
    SELECT pg_catalog.count(DISTINCT l), pg_catalog.max(pg_catalog.octet_length(pg_catalog.to_json(l)::pg_catalog.text)) - 2
    INTO letters, letter_bytes FROM pg_catalog.unnest(pg_catalog.string_to_array(alphabet, NULL)) AS l;
    FOR i IN 0 .. step LOOP
        labels := labels + letters::pg_catalog.numeric ^ i;
    END LOOP;
    labels := keep * (labels + 64 / step);
    bytes := labels * (longest * letter_bytes + 10);
    IF bytes > 1000000 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'program_limit_exceeded',
            MESSAGE = 'a round of this search might ask about too many strings',
            DETAIL = pg_catalog.format('Up to %s, which take %s bytes; a spec may have 1000000.',
                                       pg_catalog.round(labels), pg_catalog.round(bytes)),
            HINT = 'Give a smaller step, fewer to keep, a smaller alphabet, or a smaller length of the longest.';
    END IF;

    INSERT INTO @extschema@.ldp_hitter_search SELECT search.* ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_object',
            MESSAGE = pg_catalog.format('a search for frequent strings "%s" exists already', name),
            HINT = 'ldp_drop_hitters drops it with all its reports.';
    END IF;
    PERFORM @extschema@.ldp_create_collection(name || '_1', @extschema@.ldp_hitter_spec(search, 1, ARRAY[''], '{}'));
    RETURN name || '_1';
END
$$;
COMMENT ON FUNCTION ldp_create_hitters(text, float8, text, integer, integer, integer, float8) IS
    'begins a search for frequent strings over an alphabet; creates the first round''s collection in the current schema, '
    'and returns its name';

CREATE FUNCTION ldp_next_round(name text) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    search @extschema@.ldp_hitter_search := @extschema@.ldp_hitter_search_named(name);
    next_name pg_catalog.text;
    beginnings pg_catalog.text[];
    strings pg_catalog.text[];
    reports pg_catalog.int8;
BEGIN
    -- Of two who ask at once the second waits, and goes on from the round that the first began.
    SELECT s.* INTO STRICT search FROM @extschema@.ldp_hitter_search AS s WHERE s.name = ldp_next_round.name FOR UPDATE;
    WITH labels AS MATERIALIZED (SELECT * FROM @extschema@.ldp_hitter_round(search, search.round)),
    significant AS (
        SELECT l.value, l.whole FROM labels AS l WHERE l.fresh AND l.p_value <= search.significance
        ORDER BY l.estimate DESC, l.value LIMIT search.keep)
    SELECT (SELECT pg_catalog.array_agg(s.value) FROM significant AS s WHERE NOT s.whole),
           (SELECT pg_catalog.array_agg(s.value) FROM (SELECT s.value FROM significant AS s WHERE s.whole
                                                       UNION ALL SELECT l.value FROM labels AS l WHERE NOT l.fresh) AS s),
           (SELECT pg_catalog.max(l.n) FROM labels AS l)
    INTO beginnings, strings, reports;
    IF reports = 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = pg_catalog.format('round %s of "%s" has no reports', search.round, name),
            HINT = pg_catalog.format('Collect reports in "%s_%s" first.', name, search.round);
    END IF;
    IF beginnings IS NULL THEN
        RETURN NULL;
    END IF;

    UPDATE @extschema@.ldp_hitter_search AS s SET round = s.round + 1 WHERE s.name = ldp_next_round.name
    RETURNING s.* INTO search;
    next_name := pg_catalog.format('%s_%s', name, search.round);
    PERFORM @extschema@.ldp_create_collection(next_name, @extschema@.ldp_hitter_spec(search, search.round, beginnings, strings));
    RETURN next_name;
END
$$;
COMMENT ON FUNCTION ldp_next_round(text) IS
    'ends the current round of a search: creates the next one''s collection in the current schema, and returns its name; '
    'NULL if no beginning is left to continue';

CREATE FUNCTION ldp_hitters(name text, confidence float8 DEFAULT 0.95)
    RETURNS TABLE (value text, estimate float8, stderr float8, lower float8, upper float8, p_value float8, n bigint, round integer)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 32 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search @extschema@.ldp_hitter_search := @extschema@.ldp_hitter_search_named(ldp_hitters.name);
BEGIN
    -- A string was found if a later round goes on counting it, or if it is significant in the current one. Rounds are
    -- about different people, so their estimates are independent, and weigh by their precision.
    RETURN QUERY
    SELECT f.value, f.estimate, f.stderr, f.estimate - reach * f.stderr, f.estimate + reach * f.stderr, f.p_value, f.n, f.round
    FROM (SELECT l.value, sum(l.estimate / l.stderr ^ 2) / sum(1 / l.stderr ^ 2) AS estimate, 1 / sqrt(sum(1 / l.stderr ^ 2)) AS stderr,
                 min(l.p_value) FILTER (WHERE l.fresh) AS p_value, sum(l.n)::bigint AS n, min(r) AS round
          FROM generate_series(1, search.round) AS r, LATERAL @extschema@.ldp_hitter_round(search, r) AS l
          WHERE l.whole
          GROUP BY l.value
          HAVING bool_or(NOT l.fresh) OR bool_or(r = search.round AND l.p_value <= search.significance)) AS f,
         @extschema@.ldp_reach(ldp_hitters.confidence) AS reach
    ORDER BY f.estimate DESC NULLS LAST, f.value;
END
$$;
COMMENT ON FUNCTION ldp_hitters(text, float8) IS
    'the frequent strings that a search has found so far, the most frequent first: estimated share, its error, the '
    'p-value in the round that found it, and how many reports tell of it';

CREATE FUNCTION ldp_drop_hitters(name text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    search @extschema@.ldp_hitter_search := @extschema@.ldp_hitter_search_named(name);
BEGIN
    PERFORM @extschema@.ldp_drop_collection(c.name) FROM @extschema@.ldp_collections AS c
    WHERE c.name IN (SELECT format('%s_%s', search.name, r) FROM generate_series(1, search.round) AS r);
    DELETE FROM @extschema@.ldp_hitter_search AS s WHERE s.name = search.name;
END
$$;
COMMENT ON FUNCTION ldp_drop_hitters(text) IS 'drops a search for frequent strings, its rounds'' collections and all their reports';

-- Privileges ------------------------------------------------------------------------------------------------

GRANT SELECT ON ldp_hitter_search TO PUBLIC;
GRANT INSERT, UPDATE, DELETE ON ldp_hitter_search TO ldp_admin;

REVOKE ALL ON FUNCTION
    ldp_create_hitters(text, float8, text, integer, integer, integer, float8),
    ldp_next_round(text),
    ldp_drop_hitters(text)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ldp_create_hitters(text, float8, text, integer, integer, integer, float8),
    ldp_next_round(text),
    ldp_drop_hitters(text)
    TO ldp_admin;
