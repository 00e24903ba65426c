#include "cli/input/statistics_times.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace ldp::cli {

namespace {

using namespace std::chrono;

/// Days after whose end a leap second was inserted (IERS Bulletin C): the year, and whether it was 30 June.
struct LeapDay {
    int year;
    bool june;
};
constexpr LeapDay leap_days[] = {
    {1972, true},  {1972, false}, {1973, false}, {1974, false}, {1975, false}, {1976, false}, {1977, false},
    {1978, false}, {1979, false}, {1981, true},  {1982, true},  {1983, true},  {1985, true},  {1987, false},
    {1989, false}, {1990, false}, {1992, true},  {1993, true},  {1994, true},  {1995, false}, {1997, true},
    {1998, false}, {2005, false}, {2008, false}, {2012, true},  {2015, true},  {2016, false}};

constexpr std::int64_t second = 1'000'000, day = 86400 * second;  ///< in microseconds

std::string digits(std::int64_t number, std::size_t width) {
    const std::string text = std::to_string(number);
    return std::string(width - std::min(width, text.size()), '0') + text;
}

std::optional<year_month_day> date_of(sys_days at) {
    const year_month_day date(at);
    if (date.year() < year(1) || date.year() > year(9999)) return {};
    return date;
}

std::string text_of(const year_month_day& date) {
    return digits(static_cast<int>(date.year()), 4) + "-" + digits(static_cast<unsigned>(date.month()), 2) +
           "-" + digits(static_cast<unsigned>(date.day()), 2);
}

/// Returns 10:30:15.25 from microseconds.
std::string clock_text(std::int64_t time) {
    const std::int64_t whole = time / second;
    std::string text =
        digits(whole / 3600, 2) + ":" + digits(whole / 60 % 60, 2) + ":" + digits(whole % 60, 2);
    if (const std::int64_t rest = time % second; rest != 0) {
        text += "." + digits(rest, 6);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text;
}

/// Returns a part of a year, such as a quarter, by its number since 1960. A year has `parts` of them.
std::optional<std::string> part_of_year(double value, int parts, char letter, std::size_t width) {
    if (!(std::abs(value) < 1e6)) return {};
    const auto number = static_cast<std::int64_t>(std::floor(value));
    const std::int64_t years = (number >= 0 ? number : number - parts + 1) / parts, of_year = 1960 + years;
    if (of_year < 1 || of_year > 9999) return {};
    return digits(of_year, 4) + letter + digits(number - years * parts + 1, width);
}

/// Takes the leap seconds out of microseconds since 1960.
std::int64_t without_leaps(std::int64_t time) {
    std::int64_t leaps = 0;
    for (const auto& [of_year, june] : leap_days) {
        const sys_days next = june ? sys_days(year(of_year) / 7 / 1) : sys_days(year(of_year + 1) / 1 / 1);
        const std::int64_t at = (next - sys_days(year(1960) / 1 / 1)).count() * day + leaps * second;
        if (time < at) break;
        ++leaps;
    }
    return time - leaps * second;
}

enum class Shown { date, time, month, quarter };

/// Returns the date or time that is this number of microseconds after the start of a day.
std::optional<std::string> since(sys_days start, double microseconds, Shown shown) {
    if (!(std::abs(microseconds) < 4e6 * static_cast<double>(day))) return {};
    const auto time = static_cast<std::int64_t>(std::llround(microseconds));
    const std::int64_t days_since = (time >= 0 ? time : time - day + 1) / day;
    const auto date = date_of(start + days(days_since));
    if (!date) return {};
    const unsigned month = static_cast<unsigned>(date->month());
    switch (shown) {
        case Shown::date:
            return text_of(*date);
        case Shown::time:
            return text_of(*date) + " " + clock_text(time - days_since * day);
        case Shown::month:
            return text_of(*date).substr(0, 7);
        case Shown::quarter:
            return digits(static_cast<int>(date->year()), 4) + "q" + std::to_string((month + 2) / 3);
    }
    return {};
}

}  // namespace

TimeUnit time_unit(StatisticsFormat format, std::string_view written) {
    const auto begins = [&](std::initializer_list<std::string_view> words) {
        return std::ranges::any_of(words, [&](std::string_view word) { return written.starts_with(word); });
    };
    switch (format) {
        case StatisticsFormat::sav:
        case StatisticsFormat::por:
            if (begins({"DATETIME", "YMDHMS"})) return TimeUnit::spss_time;
            if (begins({"TIME", "DTIME", "MTIME"})) return TimeUnit::seconds;
            if (begins({"MOYR"})) return TimeUnit::spss_month;
            if (begins({"QYR"})) return TimeUnit::spss_quarter;
            return begins({"DATE", "ADATE", "EDATE", "JDATE", "SDATE", "WKYR"}) ? TimeUnit::spss_day
                                                                                : TimeUnit::none;
        case StatisticsFormat::dta:
            if (begins({"%tc", "%-tc"})) return TimeUnit::millisecond_1960;
            if (begins({"%tC", "%-tC"})) return TimeUnit::leap_millisecond_1960;
            if (begins({"%tw", "%-tw"})) return TimeUnit::week_1960;
            if (begins({"%tm", "%-tm"})) return TimeUnit::month_1960;
            if (begins({"%tq", "%-tq"})) return TimeUnit::quarter_1960;
            if (begins({"%th", "%-th"})) return TimeUnit::half_1960;
            return begins({"%td", "%-td", "%d", "%-d"}) ? TimeUnit::day_1960 : TimeUnit::none;
        case StatisticsFormat::sas7bdat:
        case StatisticsFormat::xport:
            if (begins({"DATETIME", "DATEAMPM", "E8601DT", "B8601DT", "NLDATM", "MDYAMPM"}))
                return TimeUnit::second_1960;
            if (begins({"TIME", "HHMM", "TOD", "E8601TM", "B8601TM", "NLTIM"})) return TimeUnit::seconds;
            if (begins({"YYMMDD", "MMDDYY", "DDMMYY", "DATE", "E8601DA", "B8601DA", "WORDDATE", "WEEKDAT",
                        "NLDATE", "JULIAN"}))
                return TimeUnit::day_1960;
            if (begins({"MONYY", "YYMM", "MMYY", "YYMON"})) return TimeUnit::month_1960_in_days;
            return begins({"YYQ"}) ? TimeUnit::quarter_1960_in_days : TimeUnit::none;
    }
    return TimeUnit::none;
}

std::optional<std::string> time_text(double value, TimeUnit unit) {
    constexpr sys_days spss = sys_days(year(1582) / 10 / 14), of_1960 = sys_days(year(1960) / 1 / 1);
    constexpr double in_seconds = second, in_days = day, in_milliseconds = 1000;
    switch (unit) {
        case TimeUnit::none:
            break;
        case TimeUnit::spss_day:
            return since(spss, value * in_seconds, Shown::date);
        case TimeUnit::spss_time:
            return since(spss, value * in_seconds, Shown::time);
        case TimeUnit::spss_month:
            return since(spss, value * in_seconds, Shown::month);
        case TimeUnit::spss_quarter:
            return since(spss, value * in_seconds, Shown::quarter);
        case TimeUnit::seconds:
            if (!(value >= 0 && value < 1e9)) return {};
            return clock_text(std::llround(value * in_seconds));
        case TimeUnit::day_1960:
            return since(of_1960, std::floor(value) * in_days, Shown::date);
        case TimeUnit::month_1960_in_days:
            return since(of_1960, std::floor(value) * in_days, Shown::month);
        case TimeUnit::quarter_1960_in_days:
            return since(of_1960, std::floor(value) * in_days, Shown::quarter);
        case TimeUnit::second_1960:
            return since(of_1960, value * in_seconds, Shown::time);
        case TimeUnit::millisecond_1960:
            return since(of_1960, value * in_milliseconds, Shown::time);
        case TimeUnit::leap_millisecond_1960:
            if (!(std::abs(value) < 1e15)) return {};
            return since(of_1960, static_cast<double>(without_leaps(std::llround(value * in_milliseconds))),
                         Shown::time);
        case TimeUnit::week_1960:
            return part_of_year(value, 52, 'w', 2);
        case TimeUnit::month_1960:
            return part_of_year(value, 12, '-', 2);
        case TimeUnit::quarter_1960:
            return part_of_year(value, 4, 'q', 1);
        case TimeUnit::half_1960:
            return part_of_year(value, 2, 'h', 1);
    }
    return {};
}

}  // namespace ldp::cli
