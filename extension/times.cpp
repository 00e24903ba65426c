// ldp_time: a bound of time as people write it. A date, or a time without an offset, is on the clocks of a time zone that
// the function which takes the bound knows. A time with an offset is an instant. Neither depends on the settings of a session.

#include <string>

#include "boundary.hpp"
#include "core/base/text.hpp"
#include "core/delivery/time_form.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"
}

using namespace ldp;

namespace {

/// A value of the type ldp_time: microseconds since 2000-01-01 as PostgreSQL stores them.
struct TimeBound {
    Timestamp time;        ///< in UTC if it is an instant, else on the clocks of some zone
    std::int64_t instant;  ///< 1 or 0
};

TimeBound& bound_argument(FunctionCallInfo fcinfo) {
    return *reinterpret_cast<TimeBound*>(PG_GETARG_POINTER(0));
}

Datum bound_of(Datum time, bool instant) {
    auto* bound = static_cast<TimeBound*>(palloc(sizeof(TimeBound)));
    *bound = {DatumGetTimestamp(time), instant ? 1 : 0};
    PG_RETURN_POINTER(bound);
}

}  // namespace

/// cstring → ldp_time
LDP_FUNCTION_OF_REPORTS(ldp_time_in, ERRCODE_INVALID_DATETIME_FORMAT) {
    char* input = PG_GETARG_CSTRING(0);
    const TimeForm form = time_form(input);
    if (form == TimeForm::none) {
        const std::string_view found = core_text(input);
        throw Error(ErrorCode::malformed, "invalid date or time: \"" + shortened(found, 100) + "\"",
                    "Dates and times are in ISO 8601 and exist in the calendar.",
                    "Write 2026-11-25, 2026-11-25 10:30, or 2026-11-25 10:30+01 with an offset from UTC.");
    }
    const bool instant = form == TimeForm::instant;
    return bound_of(DirectFunctionCall3(instant ? timestamptz_in : timestamp_in, CStringGetDatum(input),
                                        ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)),
                    instant);
}

/// ldp_time → cstring: the same text under all settings, which ldp_time_in reads again.
LDP_FUNCTION(ldp_time_out) {
    const TimeBound& bound = bound_argument(fcinfo);
    char written[MAXDATELEN + 1];
    if (TIMESTAMP_NOT_FINITE(bound.time)) {
        EncodeSpecialTimestamp(bound.time, written);
        PG_RETURN_CSTRING(pstrdup(written));
    }
    pg_tm parts{};
    fsec_t fraction = 0;
    if (timestamp2tm(bound.time, nullptr, &parts, &fraction, nullptr, nullptr) != 0)
        ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range")));
    parts.tm_isdst = 0;  // below 0, no offset is written
    EncodeDateTime(&parts, fraction, bound.instant != 0, 0, nullptr, USE_ISO_DATES, written);
    PG_RETURN_CSTRING(pstrdup(written));
}

/// date → ldp_time
LDP_FUNCTION(ldp_time_of_date) {
    return bound_of(DirectFunctionCall1(date_timestamp, PG_GETARG_DATUM(0)), false);
}

/// timestamp → ldp_time
LDP_FUNCTION(ldp_time_of_timestamp) {
    return bound_of(PG_GETARG_DATUM(0), false);
}

/// timestamptz → ldp_time
LDP_FUNCTION(ldp_time_of_timestamptz) {
    return bound_of(PG_GETARG_DATUM(0), true);
}

/// (ldp_time, time zone) → timestamptz
LDP_FUNCTION(ldp_instant) {
    const TimeBound& bound = bound_argument(fcinfo);
    if (bound.instant != 0) PG_RETURN_TIMESTAMPTZ(bound.time);
    return DirectFunctionCall2(timestamp_zone, PG_GETARG_DATUM(1), TimestampGetDatum(bound.time));
}

/// (ldp_time, time zone) → timestamp on the clocks of the zone
LDP_FUNCTION(ldp_wall_clock) {
    const TimeBound& bound = bound_argument(fcinfo);
    if (bound.instant == 0) PG_RETURN_TIMESTAMP(bound.time);
    return DirectFunctionCall2(timestamptz_zone, PG_GETARG_DATUM(1), TimestampTzGetDatum(bound.time));
}
