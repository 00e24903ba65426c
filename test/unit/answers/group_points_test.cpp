// Names of groups as numbers, dates and times.

#include <boost/test/unit_test.hpp>

#include "core/base/error.hpp"
#include "core/groups/group_points.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(group_points)

BOOST_AUTO_TEST_CASE(numbers_dates_and_times_are_points) {
    BOOST_TEST(point_of_name("-2.5e3") == -2500);
    BOOST_TEST(point_of_name("7") == 7);
    BOOST_TEST(point_of_name("1970-01-02") == 1);
    BOOST_TEST(point_of_name("1969-12-31T12:00:00") == -0.5);
    BOOST_TEST(point_of_name("2000-03-01") == 11017);  // behind a leap day
    // One instant in three zones, and with a fraction of a second.
    BOOST_TEST(point_of_name("2026-03-01T12:00:00+00:00") == point_of_name("2026-03-01 12:00:00Z"));
    BOOST_TEST(point_of_name("2026-03-01T12:00:00+00:00") == point_of_name("2026-03-01T17:45:00+05:45"));
    BOOST_TEST(point_of_name("2026-03-01T12:00:00+00") == point_of_name("2026-03-01T07:00:00-05:00"));
    BOOST_TEST(point_of_name("1970-01-01T00:00:43.2") == 0.0005);
}

BOOST_AUTO_TEST_CASE(other_names_are_no_points) {
    for (const char* name : {"", "w", "7 ", "2026-02-30", "2026-13-01", "2026-3-01", "2026-03-01T",
                             "2026-03-01T12:00:00+", "2026-03-01T12:00:00Zz", "12:00"})
        BOOST_TEST_CONTEXT(name) {
            BOOST_CHECK_EXCEPTION((void)point_of_name(name), Error, [](const Error& error) {
                return error.code() == ErrorCode::invalid_value;
            });
        }
}

BOOST_AUTO_TEST_CASE(dates_and_integers_are_points_in_time) {
    constexpr std::string_view days[] = {"2024-02-29", "2024-03-01", "1969-12-31"};
    const TimeNames dates(days);
    BOOST_TEST(dates.dates());
    BOOST_TEST(dates.positions()[1] == dates.positions()[0] + 1);
    BOOST_TEST(dates.positions()[2] == -1);
    for (std::size_t i = 0; i < std::size(days); ++i) BOOST_TEST(dates.name(dates.positions()[i]) == days[i]);
    constexpr std::string_view steps[] = {"-3", "12"};
    const TimeNames integers(steps);
    BOOST_TEST(!integers.dates());
    BOOST_TEST(integers.positions()[0] == -3);
    BOOST_TEST(integers.name(12) == "12");
    // A date among integers is neither.
    constexpr std::string_view mixed[] = {"2024-02-29", "12"};
    BOOST_CHECK_THROW(TimeNames{mixed}, Error);
    constexpr std::string_view long_number[] = {"1234567890"};
    BOOST_CHECK_THROW(TimeNames{long_number}, Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
