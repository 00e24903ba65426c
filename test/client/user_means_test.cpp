// People with many values: one record each, and error bars whose unit is the person.

#include "client/fleet/user_means.hpp"
#include "../support/draws.hpp"

#include <cmath>
#include <limits>

#include "../support/seeded_words.hpp"
#include "client_support.hpp"
#include "core/summary/summary.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(user_means)

namespace {

std::vector<double> numbers(const std::vector<Value>& record) {
    std::vector<double> all;
    for (const Value& value : record) all.push_back(std::get<double>(value));
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(everyone_has_one_record_in_the_order_of_coming) {
    UserMeans means(resolve(people));
    const auto add = [&](const char* user, double wage, double age, double years) {
        means.add(user, std::vector<Value>{wage, age, years});
    };
    add("b", 100, 20, 1);
    add("a", 900, 50, 30);
    add("b", 300, 20, 2);
    add("b", 200, 23, 6);
    BOOST_TEST(means.size() == 2u);
    BOOST_TEST(numbers(means.record(0)) == (std::vector<double>{200, 21, 3}),
               boost::test_tools::per_element());
    BOOST_TEST(numbers(means.record(1)) == (std::vector<double>{900, 50, 30}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(only_the_mean_is_clamped) {
    const Collection c = collection(wages);  // −100 to 300
    UserMeans means(c.spec());
    for (const double wage : {-1000.0, 1200.0, 100.0}) means.add("within", std::vector<Value>{wage});
    for (const double wage : {400.0, 300.0}) means.add("beyond", std::vector<Value>{wage});
    SystemRandom bits;
    const Encoded within = c.encode(means.record(0), bits);
    BOOST_TEST(!within.clamped.any());
    BOOST_TEST(
        static_cast<double>(within.cells[0]) == 0.5 * static_cast<double>(c.mechanism().cells()[0] - 1),
        boost::test_tools::tolerance(1e-5));
    BOOST_TEST(c.encode(means.record(1), bits).clamped.attributes.size() == 1u);
}

BOOST_AUTO_TEST_CASE(the_bin_is_that_of_the_mean) {
    const Collection c{resolve(R"({"mechanism": "joint", "epsilon": 1, "attributes": [
        {"name": "age", "min": 0, "max": 100, "edges": [20, 60]}, {"name": "rent", "min": 0, "max": 10, "bins": 2}]})")};
    UserMeans means(c.spec());
    means.add("a", std::vector<Value>{10.0, 4.0});
    means.add("a", std::vector<Value>{90.0, 5.0});
    means.add("b", std::vector<Value>{500.0, 5.0});
    SystemRandom bits;
    BOOST_TEST(c.encode(means.record(0), bits).cells == (std::vector<Cell>{1, 0}),
               boost::test_tools::per_element());
    const Encoded beyond = c.encode(means.record(1), bits);
    BOOST_TEST(beyond.cells == (std::vector<Cell>{2, 1}), boost::test_tools::per_element());
    BOOST_TEST(beyond.clamped.attributes.size() == 1u);
}

BOOST_AUTO_TEST_CASE(averages_do_not_overflow_or_drift) {
    UserMeans means(resolve(wages));
    constexpr double most = std::numeric_limits<double>::max();
    for (int i = 0; i < 100; ++i) means.add("huge", std::vector<Value>{i % 2 == 0 ? most : -most});
    BOOST_TEST(std::abs(numbers(means.record(0))[0]) < 1e-12 * most);
    for (int i = 1; i <= 100000; ++i) means.add("many", std::vector<Value>{i % 10});
    BOOST_CHECK_CLOSE_FRACTION(numbers(means.record(1))[0], 4.5, 1e-12);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_averaged_is_refused_and_changes_nothing) {
    BOOST_CHECK_EXCEPTION(UserMeans(resolve(colours)), Error,
                          error_with(ErrorCode::invalid_value, "\"colour\" has a domain"));
    BOOST_CHECK_THROW(UserMeans(resolve(numbered)), Error);
    UserMeans means(resolve(wages));
    const auto refused = [&](const char* user, const std::vector<Value>& record, const char* message) {
        BOOST_CHECK_EXCEPTION(means.add(user, record), Error, error_with(ErrorCode::invalid_value, message));
    };
    refused("", {1.0}, "has no person");
    refused("a", {NAN}, "\"wage\" cannot be averaged");
    refused("a", {HUGE_VAL}, "finite");
    refused("a", {"12"}, "finite");
    refused("a", {}, "wrong number of values");
    refused("a", {1.0, 2.0}, "Found 2; the spec has 1");
    BOOST_TEST(means.size() == 0u);
}

// Values of one person that follow from each other: a level of their own, and every value half the one
// before. An interval whose unit is the person covers the population's mean. One that takes the same values
// for as many people's, as if each had been reported, promises far too much.
BOOST_AUTO_TEST_CASE(intervals_cover_when_a_persons_values_depend_on_each_other) {
    constexpr int repetitions = 5000, users = 60, values = 20;
    const Collection c = collection(R"({"mechanism": "duchi", "epsilon": 4, "min": -2, "max": 2})");
    SeededBits bits(71);
    double level[users], swing[users];
    int covered = 0, covered_by_values = 0;
    for (int r = 0; r < repetitions; ++r) {
        UserMeans means(c.spec());
        for (int i = 0; i < users * values; ++i) {
            const int user = i % users;  // one value of everybody in turn
            if (i < users) level[user] = 2 * uniform(bits) - 1;
            swing[user] = (i < users ? 0 : swing[user] / 2) + uniform(bits) - 0.5;
            means.add(std::to_string(user), std::vector<Value>{level[user] + swing[user]});
        }
        std::vector<std::byte> summary(summary_size(c.mechanism()));
        start_summary(c.mechanism(), summary);
        BOOST_REQUIRE_EQUAL(means.size(), static_cast<std::size_t>(users));
        for (std::size_t user = 0; user < means.size(); ++user) {
            const Encoded encoded = c.encode(means.record(user), bits);
            BOOST_REQUIRE(accumulate(c.mechanism(), summary, c.mechanism().perturb(encoded.cells, bits)) ==
                          Outcome::ok);
        }
        const Estimate estimate =
            ldp::estimate(view_of(c.mechanism(), summary), {Quantity::means, Target::population})[0];
        covered += std::abs(estimate.value) <= critical_value(0.95) * estimate.standard_error;
        covered_by_values +=
            std::abs(estimate.value) <= critical_value(0.95) * estimate.standard_error / std::sqrt(values);
    }
    BOOST_TEST(covered > 0.93 * repetitions);
    BOOST_TEST(covered < 0.97 * repetitions);
    BOOST_TEST(covered_by_values < 0.5 * repetitions);
}

BOOST_AUTO_TEST_CASE(slopes_ignore_levels_and_the_order_of_records) {
    UserSlopes slopes(resolve(people));
    const auto add = [&](const char* user, double time, double wage, double age, double years) {
        slopes.add(user, time, std::vector<Value>{wage, age, years});
    };
    // 1e9 is a level. The values of "a" are 1e9 + 2t, 3 − t and t².
    for (const double t : {4.0, 1.0, 3.0, 2.0}) {
        add("a", t, 1e9 + 2 * t, 3 - t, t * t);
        add("b", 1e6 + t, 5, 2 * t, -t);
    }
    BOOST_TEST(slopes.size() == 2u);
    const auto of = [&](std::size_t user) { return numbers(slopes.record(user)); };
    const std::vector<double> expected[] = {{2, -1, 5}, {0, 2, -1}};
    for (std::size_t user = 0; user < 2; ++user)
        for (std::size_t j = 0; j < 3; ++j) BOOST_TEST(std::abs(of(user)[j] - expected[user][j]) < 1e-6);
}

BOOST_AUTO_TEST_CASE(a_slope_needs_two_times) {
    UserSlopes slopes(resolve(wages));
    const auto refused = [&](const std::function<void()>& action, const char* message) {
        BOOST_CHECK_EXCEPTION(action(), Error, error_with(ErrorCode::invalid_value, message));
    };
    for (int i = 0; i < 3; ++i) slopes.add("a", 0.1, std::vector<Value>{static_cast<double>(i)});
    refused([&] { (void)slopes.record(0); }, "fewer than two different times");
    refused([&] { slopes.add("b", NAN, std::vector<Value>{1.0}); }, "time of a record");
    refused([&] { slopes.add("", 1, std::vector<Value>{1.0}); }, "has no person");
    refused([&] { slopes.add("b", 1, std::vector<Value>{HUGE_VAL}); }, "finite");
    BOOST_TEST(slopes.size() == 1u);
    slopes.add("a", 0.2, std::vector<Value>{1.0});
    BOOST_TEST(std::abs(numbers(slopes.record(0))[0]) < 1e-9);
    constexpr double most = std::numeric_limits<double>::max();
    slopes.add("c", 0, std::vector<Value>{-most});
    slopes.add("c", 1e-300, std::vector<Value>{most});
    refused([&] { (void)slopes.record(1); }, "");
    BOOST_CHECK_THROW(UserSlopes(resolve(colours)), Error);
}

// Half of the people have three times, S = 2, the others four times of the same length, S = 5. The ratio of the variance of the mean of
// slopes to that of least squares with an intercept for each person is mean(S)·mean(1/S) = 3.5·0.35 = 1.225. With 4000 pairs of
// estimates, an error of the ratio by more than 0.15 has a probability below 1e-8.
BOOST_AUTO_TEST_CASE(the_mean_slope_has_the_stated_efficiency) {
    constexpr int repetitions = 4000, users = 20;
    const Spec spec = resolve(wages);
    SeededBits bits(75);
    double of_mean = 0, of_least_squares = 0;
    for (int r = 0; r < repetitions; ++r) {
        UserSlopes slopes(spec);
        double mean = 0, products = 0, squares = 0;
        for (int user = 0; user < users; ++user) {
            const int times = 3 + user % 2;
            const double level = 1000 * uniform(bits), middle = (times - 1) / 2.0;
            for (int t = 0; t < times; ++t) {
                const double value = level + uniform(bits) - 0.5;  // the true slope is 0
                slopes.add(std::to_string(user), t, std::vector<Value>{value});
                products += (t - middle) * value;
                squares += (t - middle) * (t - middle);
            }
            mean += numbers(slopes.record(static_cast<std::size_t>(user)))[0] / users;
        }
        of_mean += mean * mean;
        of_least_squares += products / squares * (products / squares);
    }
    BOOST_TEST_MESSAGE("ratio of variances " << of_mean / of_least_squares);
    BOOST_TEST(std::abs(of_mean / of_least_squares - 1.225) < 0.15);
}

// Random levels and slopes, four values of each person, and reports at epsilon 4. The interval of the mean slope covers the true
// mean in 95 % of 2000 runs. A coverage outside 92 to 98 % has a probability below 1e-8.
BOOST_AUTO_TEST_CASE(intervals_of_mean_slopes_cover) {
    constexpr int repetitions = 2000, users = 60;
    const Collection c = collection(R"({"mechanism": "duchi", "epsilon": 4, "min": -2, "max": 2})");
    SeededBits bits(76);
    int covered = 0;
    for (int r = 0; r < repetitions; ++r) {
        UserSlopes slopes(c.spec());
        std::vector<std::byte> summary(summary_size(c.mechanism()));
        start_summary(c.mechanism(), summary);
        for (int user = 0; user < users; ++user) {
            const double level = 1e4 * uniform(bits), slope = 0.3 + uniform(bits) - 0.5;
            for (int t = 0; t < 4; ++t)
                slopes.add(std::to_string(user), t,
                           std::vector<Value>{level + slope * t + uniform(bits) - 0.5});
            const Encoded record = c.encode(slopes.record(static_cast<std::size_t>(user)), bits);
            (void)accumulate(c.mechanism(), summary, c.mechanism().perturb(record.cells, bits));
        }
        const Estimate mean =
            estimate(view_of(c.mechanism(), summary), {Quantity::means, Target::population})[0];
        const Interval range = interval(mean, 0.95);
        covered += range.lower <= 0.3 && 0.3 <= range.upper;
    }
    BOOST_TEST_MESSAGE("coverage " << covered / static_cast<double>(repetitions));
    BOOST_TEST(covered > 0.92 * repetitions);
    BOOST_TEST(covered < 0.98 * repetitions);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
