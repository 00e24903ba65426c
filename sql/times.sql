
-- Bounds of time ----------------------------------------------------------------------------------------------
-- A bound that people write as a date must not depend on the time zone or the date style of the session. A literal of
-- timestamptz does. Therefore functions take their bounds as ldp_time, which keeps whether an offset was written, and convert
-- them in a time zone of their own: that of the rollup. Expressions of date, timestamp and timestamptz are cast implicitly.

CREATE TYPE @extschema@.ldp_time;

CREATE FUNCTION ldp_internal.ldp_time_in(cstring) RETURNS @extschema@.ldp_time
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ldp_internal.ldp_time_out(@extschema@.ldp_time) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE @extschema@.ldp_time (
    INPUT = ldp_internal.ldp_time_in, OUTPUT = ldp_internal.ldp_time_out, INTERNALLENGTH = 16, ALIGNMENT = double, CATEGORY = 'l'
);
COMMENT ON TYPE @extschema@.ldp_time IS
    'bound of time in ISO 8601: a date or a time, in the time zone of the function that takes it, or a time with an '
    'offset from UTC';
COMMENT ON FUNCTION ldp_internal.ldp_time_in(cstring) IS
    'Converts text in ISO 8601 to a bound of time. Error 22007 for any other text, such as 03/04/2026.';
COMMENT ON FUNCTION ldp_internal.ldp_time_out(@extschema@.ldp_time) IS
    'Converts a bound of time to text in ISO 8601, under all settings of a session.';

CREATE FUNCTION ldp_internal.ldp_time_of_date(date) RETURNS @extschema@.ldp_time
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_time_of_date(date) IS 'Converts a date to a bound of time. Implements a cast.';
CREATE CAST (date AS @extschema@.ldp_time) WITH FUNCTION ldp_internal.ldp_time_of_date(date) AS IMPLICIT;
COMMENT ON CAST (date AS @extschema@.ldp_time) IS
    'Converts a date to the bound at midnight of this date in the rollup''s time zone.';
CREATE FUNCTION ldp_internal.ldp_time_of_timestamp(timestamp) RETURNS @extschema@.ldp_time
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_time_of_timestamp(timestamp) IS
    'Converts a time without a time zone to a bound of time. Implements a cast.';
CREATE CAST (timestamp AS @extschema@.ldp_time) WITH FUNCTION ldp_internal.ldp_time_of_timestamp(timestamp) AS IMPLICIT;
COMMENT ON CAST (timestamp AS @extschema@.ldp_time) IS
    'Converts a time without an offset to a bound on the clocks of the rollup''s zone.';
CREATE FUNCTION ldp_internal.ldp_time_of_timestamptz(timestamptz) RETURNS @extschema@.ldp_time
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_time_of_timestamptz(timestamptz) IS
    'Converts an instant to a bound of time. Implements a cast.';
CREATE CAST (timestamptz AS @extschema@.ldp_time) WITH FUNCTION ldp_internal.ldp_time_of_timestamptz(timestamptz) AS IMPLICIT;
COMMENT ON CAST (timestamptz AS @extschema@.ldp_time) IS 'Converts an instant to a bound.';

CREATE FUNCTION ldp_internal.ldp_instant(bound @extschema@.ldp_time, zone text) RETURNS timestamptz
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_instant(@extschema@.ldp_time, text) IS
    'Returns the instant of a bound; a date, or a time without an offset, is interpreted in this time zone.';
CREATE FUNCTION ldp_internal.ldp_wall_clock(bound @extschema@.ldp_time, zone text) RETURNS timestamp
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ldp_internal.ldp_wall_clock(@extschema@.ldp_time, text) IS
    'Returns the time that clocks of the time zone show at a bound.';
