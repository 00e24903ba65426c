// Dates and times in files of statistics packages: numbers whose format states their unit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/input/statistics_parser.hpp"

namespace ldp::cli {

/// How a column of numbers encodes dates or times.
enum class TimeUnit {
    none,
    spss_day,               ///< seconds since 1582-10-14, shown as a date
    spss_time,              ///< seconds since 1582-10-14, shown with the time
    spss_month,             ///< seconds since 1582-10-14, shown as a month
    spss_quarter,           ///< seconds since 1582-10-14, shown as a quarter
    seconds,                ///< a time of day, or a duration, in seconds
    day_1960,               ///< days since 1960-01-01
    month_1960_in_days,     ///< days since 1960-01-01, shown as a month
    quarter_1960_in_days,   ///< days since 1960-01-01, shown as a quarter
    second_1960,            ///< seconds since 1960-01-01
    millisecond_1960,       ///< milliseconds since 1960-01-01
    leap_millisecond_1960,  ///< milliseconds since 1960-01-01, with leap seconds
    week_1960,              ///< weeks since 1960, 52 in each year
    month_1960,             ///< months since 1960-01
    quarter_1960,           ///< quarters since 1960
    half_1960,              ///< half-years since 1960
};

/// Returns the unit of a column by the format that the file states for it, such as DATETIME20 or %tc.
[[nodiscard]] TimeUnit time_unit(StatisticsFormat format, std::string_view written);

/// Returns a value as text: 2026-11-25, 2026-11-25 10:30:00, 10:30:00, 2026-11, 2026q4, 2026h2 or 2026w47. Returns nothing
/// if it is outside the years 1 to 9999, or a negative time of day.
[[nodiscard]] std::optional<std::string> time_text(double value, TimeUnit unit);

}  // namespace ldp::cli
