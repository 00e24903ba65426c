-- ldp_report and ldp_summary as types: text, binary, comparison; and rejected input.
\ir setup.sql

-- Bytes are written by hand here. So the test checks the format, not the code that writes it. The helpers are:
-- header(kind, mechanism, size of the parameters, epsilon): version, kind, mechanism, flags, size, min_group,
-- fingerprint, epsilon
CREATE FUNCTION pg_temp.double(number float8) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(substr(encode(float8send(number), 'hex'), 15 - 2 * i, 2), '' ORDER BY i) FROM generate_series(0, 7) AS i $$;
CREATE FUNCTION pg_temp.header(kind integer, mechanism integer, parameters integer, epsilon float8 DEFAULT 1) RETURNS text
LANGUAGE sql AS
$$ SELECT '02' || pg_temp.little(kind, 1) || pg_temp.little(mechanism, 1) || '00' || pg_temp.little(24 + parameters, 2)
          || '0000' || '8877665544332211' || pg_temp.double(epsilon) $$;
-- The number of reports, and their first and last round: 0 and 0, or without reports the greatest and the least number.
CREATE FUNCTION pg_temp.counted(reports bigint) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.little(reports, 8) || CASE reports WHEN 0 THEN 'ffffff7f00000080' ELSE repeat('00', 8) END $$;
-- grr over 4 values; oue over 12 values; piecewise with 10 steps and a window of 6 on [0,1]; haar on 4 attributes
CREATE FUNCTION pg_temp.grr(kind integer) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.header(kind, 1, 4) || '04000000' $$;
CREATE FUNCTION pg_temp.oue(kind integer) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.header(kind, 2, 4) || '0c000000' $$;
-- Twelve bit counters that all count the same: a plane for each binary digit.
CREATE FUNCTION pg_temp.planes(count bigint) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(CASE count >> digit & 1 WHEN 1 THEN 'ff0f' ELSE '0000' END, '' ORDER BY digit) FROM generate_series(0, 40) AS digit $$;
CREATE FUNCTION pg_temp.piecewise(kind integer) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.header(kind, 3, 24) || '0a000000' || '06000000' || pg_temp.double(0) || pg_temp.double(1) $$;
CREATE FUNCTION pg_temp.haar(kind integer) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.header(kind, 5, 43) || '04000000' || '0a000000' || '06000000' || '0000' || '0100'
          || '04000000' || pg_temp.double(0) || pg_temp.double(1) || '00' || '0100' || '0400' || '817f' $$;

-- Text goes in and comes out the same; upper case is read and written as lower case.
SELECT pg_temp.grr(0) || '03' AS report \gset
SELECT :'report'::ldp_report;
SELECT upper(:'report')::ldp_report::text = :'report' AS same;
SELECT pg_temp.grr(1) || pg_temp.counted(5) || repeat(pg_temp.little(2, 8), 2) || pg_temp.little(1, 8) || pg_temp.little(0, 8) AS summary \gset
SELECT :'summary'::ldp_summary;
SELECT :'summary'::ldp_summary::text = :'summary' AS same;
SELECT NULL::ldp_report IS NULL AND NULL::ldp_summary IS NULL AS nulls;

-- One error in full, as people see it; the others in a table.
SELECT (:'report' || '00')::ldp_report;
SELECT left(:'summary', -2)::ldp_summary;

\pset format unaligned
\pset tuples_only on

-- Invalid reports.
SELECT what, pg_temp.outcome(format('SELECT %L::ldp_report', input))
FROM (VALUES
    ( 1, 'a whole grr report',              pg_temp.grr(0) || '00'),
    ( 2, 'a whole oue report',              pg_temp.oue(0) || 'ff0f'),
    ( 3, 'a whole piecewise report',        pg_temp.piecewise(0) || '0f'),
    ( 4, 'a whole haar report',             pg_temp.haar(0) || '030f'),
    ( 5, 'nothing',                         ''),
    ( 6, 'an odd number of digits',         pg_temp.grr(0) || '000'),
    ( 7, 'no digit',                        pg_temp.grr(0) || '0g'),
    ( 8, 'a prefix',                        '\x' || pg_temp.grr(0) || '00'),
    ( 9, 'a space at the end',              pg_temp.grr(0) || '00 '),
    (10, 'half a header',                   left(pg_temp.grr(0), 24)),
    (11, 'a header short of one byte',      left(pg_temp.grr(0), 46)),
    (12, 'a header alone',                  left(pg_temp.grr(0), 48)),
    (13, 'version 0',                       '00' || substr(pg_temp.grr(0), 3) || '00'),
    (14, 'version 1',                       '01' || substr(pg_temp.grr(0), 3) || '00'),
    (15, 'a summary',                       pg_temp.grr(1) || '00'),
    (16, 'kind 2',                          pg_temp.grr(2) || '00'),
    (17, 'mechanism 0',                     pg_temp.header(0, 0, 4) || '0400000000'),
    (18, 'mechanism 255',                   pg_temp.header(0, 255, 4) || '0400000000'),
    (19, 'reserved byte 3',                 overlay(pg_temp.grr(0) || '00' PLACING '02' FROM 7)),
    (20, 'the usual min_group, written',    overlay(pg_temp.grr(0) || '00' PLACING '1400' FROM 13)),
    (21, 'another min_group, memoized', overlay(overlay(pg_temp.grr(0) || '00' PLACING '1500' FROM 13) PLACING '01' FROM 7)),
    (22, 'a block smaller than its header', overlay(pg_temp.grr(0) || '00' PLACING '1700' FROM 9)),
    (23, 'a block larger than the report',  overlay(pg_temp.grr(0) || '00' PLACING '1e00' FROM 9)),
    (24, 'the largest block size',          overlay(pg_temp.grr(0) || '00' PLACING 'ffff' FROM 9)),
    (25, 'a block too large',               overlay(pg_temp.grr(0) PLACING 'd107' FROM 9) || repeat('00', 4000)),
    (26, 'parameters cut short',            overlay(pg_temp.grr(0) || '00' PLACING '1a00' FROM 9)),
    (27, 'parameters too long',             overlay(pg_temp.grr(0) || '00' PLACING '1d00' FROM 9)),
    (28, 'epsilon 0',                       pg_temp.header(0, 1, 4, 0) || '0400000000'),
    (29, 'epsilon -1',                      pg_temp.header(0, 1, 4, -1) || '0400000000'),
    (30, 'epsilon NaN',                     pg_temp.header(0, 1, 4, 'NaN') || '0400000000'),
    (31, 'epsilon infinite',                pg_temp.header(0, 1, 4, 'Infinity') || '0400000000'),
    (32, 'epsilon above the cap',           pg_temp.header(0, 1, 4, 20.5) || '0400000000'),
    (33, 'grr over 1 value',                pg_temp.header(0, 1, 4) || '0100000000'),
    (34, 'grr over 2^32-1 values',          pg_temp.header(0, 1, 4) || 'ffffffff00000000'),
    (35, 'no payload',                      pg_temp.grr(0)),
    (36, 'a payload too long',              pg_temp.grr(0) || '0000'),
    (37, 'a value past the domain',         pg_temp.grr(0) || '04'),
    (38, 'a bit past the domain',           pg_temp.oue(0) || '0010'),
    (39, 'a payload cut short',             pg_temp.oue(0) || '00'),
    (40, 'oue over 2^16+1 values',          pg_temp.header(0, 2, 4) || '01000100' || repeat('00', 8193)),
    (41, 'a cell past the window',          pg_temp.piecewise(0) || '10'),
    (42, 'no grid',                         overlay(pg_temp.piecewise(0) || '00' PLACING '00000000' FROM 49)),
    (43, 'a grid too fine',                 overlay(pg_temp.piecewise(0) || '000000' PLACING '01001000' FROM 49)),
    (44, 'no window',                       overlay(pg_temp.piecewise(0) || '00' PLACING '00000000' FROM 57)),
    (45, 'a window of 2^32-1',              overlay(pg_temp.piecewise(0) || '00000000' PLACING 'ffffffff' FROM 57)),
    (46, 'an empty range',                  overlay(pg_temp.piecewise(0) || '00' PLACING pg_temp.double(1) FROM 65)),
    (47, 'a range that is no number',       overlay(pg_temp.piecewise(0) || '00' PLACING pg_temp.double('NaN') FROM 65)),
    (48, 'an infinite range',               overlay(pg_temp.piecewise(0) || '00' PLACING pg_temp.double('Infinity') FROM 81)),
    (49, 'a coefficient past the last',     pg_temp.haar(0) || '0400'),
    (50, 'a cell past the window, haar',    pg_temp.haar(0) || '0010'),
    (51, 'haar on 1 attribute',             overlay(pg_temp.haar(0) || '0000' PLACING '01000000' FROM 49)),
    (52, 'haar on 2^32-1 attributes',       overlay(pg_temp.haar(0) || '0000' PLACING 'ffffffff' FROM 49)),
    (53, 'unknown details',                 overlay(pg_temp.haar(0) || '0000' PLACING '02' FROM 73)),
    (54, 'reserved byte, haar',             overlay(pg_temp.haar(0) || '0000' PLACING '01' FROM 75)),
    (55, 'more runs than there are',        overlay(pg_temp.haar(0) || '0000' PLACING 'ffff' FROM 77)),
    (56, 'no runs',                         overlay(pg_temp.haar(0) || '0000' PLACING '0000' FROM 77)),
    (57, 'a run of 0 attributes',           overlay(pg_temp.haar(0) || '0000' PLACING '00000000' FROM 81)),
    (58, 'a run of 2^32-1 attributes',      overlay(pg_temp.haar(0) || '0000' PLACING 'ffffffff' FROM 81)),
    (59, 'a megabyte and a byte',           repeat('00', 1024 * 1024 + 1))
) AS hostile (number, what, input) ORDER BY number;

-- Invalid summaries.
SELECT what, pg_temp.outcome(format('SELECT %L::ldp_summary', input))
FROM (VALUES
    ( 1, 'an empty grr summary',            pg_temp.grr(1) || pg_temp.counted(0) || repeat('00', 32)),
    ( 2, 'a grr summary',                   pg_temp.grr(1) || pg_temp.counted(3) || pg_temp.little(3, 8) || repeat('00', 24)),
    ( 3, 'an oue summary',                  pg_temp.oue(1) || pg_temp.counted(3) || pg_temp.planes(3) || pg_temp.little(3 * 144, 8) || pg_temp.little(0, 8)),
    ( 4, 'a piecewise summary',             pg_temp.piecewise(1) || pg_temp.counted(2) || pg_temp.little(18, 8) || pg_temp.little(234, 8) || repeat('00', 8)),
    ( 5, 'a haar summary',                  pg_temp.haar(1) || pg_temp.counted(1) || repeat('00', 96) || pg_temp.little(1, 8) || pg_temp.little(15, 8) || pg_temp.little(225, 8) || repeat('00', 8)),
    ( 6, 'nothing',                         ''),
    ( 7, 'a report',                        pg_temp.grr(0) || '00'),
    ( 8, 'an odd number of digits',         pg_temp.grr(1) || pg_temp.counted(0) || repeat('00', 32) || '0'),
    ( 9, 'the block alone',                 pg_temp.grr(1)),
    (10, 'half a count',                    pg_temp.grr(1) || '00000000'),
    (11, 'no state',                        pg_temp.grr(1) || pg_temp.counted(0)),
    (12, 'a state short of one byte',       pg_temp.grr(1) || pg_temp.counted(0) || repeat('00', 31)),
    (13, 'a state too long by one byte',    pg_temp.grr(1) || pg_temp.counted(0) || repeat('00', 33)),
    (14, 'a state of a larger domain',      pg_temp.grr(1) || pg_temp.counted(0) || repeat('00', 40)),
    (15, 'counts without reports',          pg_temp.grr(1) || pg_temp.counted(0) || pg_temp.little(1, 8) || repeat('00', 24)),
    (16, 'reports without counts',          pg_temp.grr(1) || pg_temp.counted(1) || repeat('00', 32)),
    (17, 'counts that wrap around',         pg_temp.grr(1) || pg_temp.counted(0) || repeat('0000000000000080', 2) || repeat('00', 16)),
    (18, 'a negative count',                pg_temp.grr(1) || pg_temp.counted(-1) || repeat('ff', 8) || repeat('00', 24)),
    (19, '2^40 reports, the most',          pg_temp.grr(1) || pg_temp.counted(1::bigint << 40) || pg_temp.little(1::bigint << 40, 8) || repeat('00', 24)),
    (20, '2^40+1 reports',                  pg_temp.grr(1) || pg_temp.counted((1::bigint << 40) + 1) || pg_temp.little((1::bigint << 40) + 1, 8) || repeat('00', 24)),
    (21, 'more ones than reports, oue',     pg_temp.oue(1) || pg_temp.counted(3) || pg_temp.planes(4) || pg_temp.little(3 * 144, 8) || pg_temp.little(0, 8)),
    (22, 'a sum too large, piecewise',      pg_temp.piecewise(1) || pg_temp.counted(2) || pg_temp.little(31, 8) || pg_temp.little(465, 8) || repeat('00', 8)),
    (23, 'squares too small, piecewise',    pg_temp.piecewise(1) || pg_temp.counted(2) || pg_temp.little(20, 8) || pg_temp.little(199, 8) || repeat('00', 8)),
    (24, 'squares too large, piecewise',    pg_temp.piecewise(1) || pg_temp.counted(2) || pg_temp.little(20, 8) || pg_temp.little(301, 8) || repeat('00', 8)),
    (25, 'squares beyond 64 bits',          pg_temp.piecewise(1) || pg_temp.counted(2) || pg_temp.little(20, 8) || repeat('ff', 16)),
    (26, 'sums without reports, haar',      pg_temp.haar(1) || pg_temp.counted(0) || repeat('00', 8) || pg_temp.little(1, 8) || pg_temp.little(1, 8) || repeat('00', 104)),
    (27, 'parts that do not add up, haar',  pg_temp.haar(1) || pg_temp.counted(2) || repeat('00', 96) || pg_temp.little(1, 8) || pg_temp.little(15, 8) || pg_temp.little(225, 8) || repeat('00', 8)),
    (28, 'an unknown version',              '07' || substr(pg_temp.grr(1), 3) || pg_temp.counted(0) || repeat('00', 32)),
    (29, 'an unknown mechanism',            pg_temp.header(1, 99, 4) || '04000000' || pg_temp.counted(0) || repeat('00', 32)),
    (30, 'an oue summary of plain counters',pg_temp.oue(1) || pg_temp.counted(3) || repeat(pg_temp.little(3, 8), 12)),
    (31, 'a bit past the domain, oue',      pg_temp.oue(1) || pg_temp.counted(3) || '0010' || repeat('0000', 40) || pg_temp.little(3, 8) || pg_temp.little(0, 8)),
    (32, 'ones too spread, oue',            pg_temp.oue(1) || pg_temp.counted(3) || pg_temp.planes(3) || pg_temp.little(3 * 144 + 1, 8) || pg_temp.little(0, 8))
) AS hostile (number, what, input) ORDER BY number;

-- One byte of a report or a summary damaged: rejected, unless the result is a valid report or summary of another spec.
SELECT count(*) AS tried, count(*) FILTER (WHERE pg_temp.outcome(format('SELECT %L::%s', input, type)) LIKE '22P02 %') AS refused
FROM (SELECT 'ldp_report' AS type, pg_temp.haar(0) || '0000' AS whole
      UNION ALL SELECT 'ldp_summary', pg_temp.piecewise(1) || pg_temp.counted(0) || repeat('00', 24)) AS kinds,
     LATERAL generate_series(0, length(whole) / 2 - 1) AS place,
     LATERAL (VALUES ('00'), ('01'), ('7f'), ('80'), ('ff')) AS byte (hex),
     LATERAL (SELECT overlay(whole PLACING hex FROM 2 * place + 1)) AS damaged (input);
-- Every truncation is rejected.
SELECT count(*) AS tried, count(*) FILTER (WHERE pg_temp.outcome(format('SELECT %L::%s', input, type)) LIKE '22P02 %') AS refused
FROM (SELECT 'ldp_report' AS type, pg_temp.haar(0) || '0000' AS whole
      UNION ALL SELECT 'ldp_summary', pg_temp.haar(1) || pg_temp.counted(0) || repeat('00', 128)) AS kinds,
     LATERAL generate_series(0, length(whole) / 2 - 1) AS size,
     LATERAL (SELECT left(whole, 2 * size)) AS cut (input);

\pset tuples_only off
\pset format aligned

-- Input functions report soft errors on servers that support them.
DO $$
DECLARE
    valid boolean;
BEGIN
    IF current_setting('server_version_num')::integer >= 160000 THEN
        EXECUTE $q$SELECT pg_input_is_valid('00', 'ldp_report') OR pg_input_is_valid('0', 'ldp_summary')$q$ INTO valid;
        ASSERT NOT valid;
    END IF;
END
$$;

-- Comparison, by bytes.
CREATE TEMP TABLE reports (id integer, report ldp_report);
INSERT INTO reports SELECT i, (pg_temp.grr(0) || '0' || i % 4)::ldp_report FROM generate_series(1, 40) AS i;
SELECT a.id, b.id, a.report = b.report AS eq, a.report <> b.report AS ne, a.report < b.report AS lt,
       a.report <= b.report AS le, a.report > b.report AS gt, a.report >= b.report AS ge,
       ldp_internal.ldp_report_cmp(a.report, b.report) AS cmp
FROM reports AS a, reports AS b WHERE a.id IN (1, 2) AND b.id IN (1, 2, 5) ORDER BY a.id, b.id;
SELECT right(report::text, 2) AS payload, count(*) FROM reports GROUP BY report ORDER BY report DESC;
SELECT count(DISTINCT report) FROM reports;
-- Grouping by hash and by sorting, and the three joins, agree.
CREATE FUNCTION pg_temp.answers() RETURNS text LANGUAGE sql AS $$
    SELECT (SELECT count(*) FROM (SELECT report FROM reports GROUP BY report) AS g) || ' groups, '
        || (SELECT count(*) FROM reports AS a JOIN reports AS b USING (report)) || ' pairs' $$;
SET enable_sort = off; SET enable_mergejoin = off; SET enable_nestloop = off;
SELECT pg_temp.answers();
RESET enable_sort; RESET enable_mergejoin; SET enable_hashagg = off; SET enable_hashjoin = off;
SELECT pg_temp.answers();
RESET enable_nestloop; SET enable_mergejoin = off;
SELECT pg_temp.answers();
RESET enable_mergejoin; RESET enable_hashagg; RESET enable_hashjoin;
CREATE INDEX ON reports (report);
CREATE INDEX ON reports USING hash (report);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM reports WHERE report < :'report';
SELECT count(*) FROM reports WHERE report < :'report';
SELECT count(*) FROM reports WHERE report = :'report';
RESET enable_seqscan;
-- The same for summaries.
CREATE TEMP TABLE summaries (id integer, summary ldp_summary);
INSERT INTO summaries SELECT id, ldp_agg(report) FROM reports GROUP BY id;
SELECT count(*), count(DISTINCT summary), min(ldp_internal.ldp_summary_cmp(summary, summary)) AS least, max(ldp_internal.ldp_summary_cmp(summary, summary)) AS most FROM summaries;
SELECT count(*) FROM summaries AS a JOIN summaries AS b ON a.summary = b.summary;
SELECT bool_and(before <= summary) AS ordered FROM (SELECT summary, lag(summary) OVER (ORDER BY summary) AS before FROM summaries) AS s;
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcname LIKE 'ldp\_%' ORDER BY opcname;
SELECT ldp_internal.ldp_report_hash(report) = ldp_internal.ldp_report_hash(upper(report::text)::ldp_report) AS same_hash,
       ldp_internal.ldp_report_hash_extended(report, 0) <> ldp_internal.ldp_report_hash_extended(report, 1) AS seeded
FROM reports WHERE id = 1;

-- Binary: send gives the bytes, COPY takes them back. The file stands in the server's data directory.
SELECT current_setting('data_directory') || '/ldp_types_test.copy' AS file \gset
SELECT encode(ldp_internal.ldp_report_send(:'report'), 'hex') = :'report' AS report_bytes,
       encode(ldp_internal.ldp_summary_send(:'summary'), 'hex') = :'summary' AS summary_bytes;
COPY (SELECT report, summary FROM reports JOIN summaries USING (id)) TO :'file' (FORMAT binary);
CREATE TEMP TABLE copied (report ldp_report, summary ldp_summary);
COPY copied FROM :'file' (FORMAT binary);
SELECT count(*), count(DISTINCT report) FROM copied JOIN reports USING (report) JOIN summaries USING (summary, id);
-- Input that is invalid as text is also invalid in binary format; a column of bytea writes a file of whatever bytes.
CREATE TEMP TABLE received_report (report ldp_report);
CREATE TEMP TABLE received_summary (summary ldp_summary);
COPY (SELECT decode(left(:'report', -2), 'hex')) TO :'file' (FORMAT binary);
COPY received_report FROM :'file' (FORMAT binary);
\echo :LAST_ERROR_SQLSTATE
COPY (SELECT decode(left(:'report', 20), 'hex')) TO :'file' (FORMAT binary);
COPY received_report FROM :'file' (FORMAT binary);
COPY (SELECT ''::bytea) TO :'file' (FORMAT binary);
COPY received_report FROM :'file' (FORMAT binary);
COPY (SELECT decode(:'report' || '00', 'hex')) TO :'file' (FORMAT binary);
COPY received_report FROM :'file' (FORMAT binary);
COPY (SELECT decode(repeat('00', 1024 * 1024 + 1), 'hex')) TO :'file' (FORMAT binary);
COPY received_report FROM :'file' (FORMAT binary);
COPY (SELECT decode(left(:'summary', -2), 'hex')) TO :'file' (FORMAT binary);
COPY received_summary FROM :'file' (FORMAT binary);
COPY (SELECT decode(:'report', 'hex')) TO :'file' (FORMAT binary);
COPY received_summary FROM :'file' (FORMAT binary);
COPY (SELECT NULL::bytea) TO :'file' (FORMAT binary);
COPY received_summary FROM :'file' (FORMAT binary);
SELECT count(*), count(summary) FROM received_summary;
COPY (SELECT 1) TO PROGRAM 'cat >/dev/null; rm -f ldp_types_test.copy';

-- Long reports are stored out of line and come back whole.
CREATE TEMP TABLE long_reports AS
    SELECT (pg_temp.header(0, 2, 4) || '00000100'
            || (SELECT string_agg(md5(format('%s %s', i, j)), '' ORDER BY j) FROM generate_series(1, 512) AS j))::ldp_report AS report
    FROM generate_series(1, 3) AS i;
SELECT pg_relation_size(reltoastrelid) > 0 AS out_of_line FROM pg_class WHERE oid = 'long_reports'::regclass;
SELECT bool_and(report = report::text::ldp_report) AS same, max(length(report::text)) / 2 AS bytes,
       ldp_count(ldp_agg(report)) FROM long_reports;

-- Every object of the extension has a comment.
SELECT pg_describe_object(classid, objid, 0) AS without_comment
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ldp')
  AND deptype = 'e' AND COALESCE(obj_description(objid, classid::regclass::name), '') = ''
  -- array and row types come with what they belong to
  AND NOT (classid = 'pg_type'::regclass AND EXISTS (
      SELECT FROM pg_type AS t LEFT JOIN pg_class AS c ON c.oid = t.typrelid
      WHERE t.oid = objid AND (t.typcategory = 'A' OR c.relkind <> 'c')))
ORDER BY 1;
SELECT attrelid::regclass AS of, attname AS column_without_comment
FROM pg_depend JOIN pg_attribute AS a ON attrelid = CASE classid WHEN 'pg_class'::regclass THEN objid
    WHEN 'pg_type'::regclass THEN (SELECT typrelid FROM pg_type AS t WHERE t.oid = objid AND typtype = 'c') END
WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ldp')
  AND deptype = 'e' AND attnum > 0 AND NOT attisdropped AND COALESCE(col_description(attrelid, attnum), '') = ''
  AND (SELECT relkind FROM pg_class AS c WHERE c.oid = attrelid) IN ('r', 'v', 'c')
ORDER BY 1, 2;

-- Bytes: casts in both directions, and the text of a bytea.
CREATE TEMP TABLE byte AS SELECT r AS report, ldp_pack(r) AS batch, ldp_agg(r) AS summary FROM (SELECT (encode(ldp_internal.ldp_spec_parameters('{"mechanism": "grr", "epsilon": 1, "domain": 3}'), 'hex') || '01')::ldp_report) AS g (r) GROUP BY r;
SELECT report::bytea::ldp_report = report AS report, batch::bytea::ldp_report_batch = batch AS batch, summary::bytea::ldp_summary = summary AS summary,
    report::bytea = ldp_internal.ldp_report_send(report) AS same_bytes, report::bytea::text::ldp_report = report AS text FROM byte;
SELECT pg_temp.outcome('SELECT ''\x01''::bytea::ldp_report'), pg_temp.outcome('SELECT summary::bytea::ldp_report FROM byte'), pg_temp.outcome('SELECT ''\xg1''::ldp_report'), pg_temp.outcome('SELECT octet_length(report) FROM byte');
DROP TABLE byte;
