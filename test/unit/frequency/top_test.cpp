// The most frequent values are found, and values that nobody holds are called significant no more often than
// promised.

#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/summary/queries/top.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(top_values)

namespace {

std::vector<double> adjusted(std::vector<double> p_values, std::size_t tested, Control control) {
    adjust(p_values, tested, control);
    return p_values;
}

void check_close(const std::vector<double>& found, const std::vector<double>& expected) {
    BOOST_REQUIRE_EQUAL(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) BOOST_CHECK_CLOSE_FRACTION(found[i], expected[i], 1e-12);
}

/// `people` reports, person i's about hold(i).
template <class Hold>
OwnedSummary collect(const Mechanism& m, std::size_t people, Hold hold, BitSource& bits) {
    OwnedSummary summary(m);
    for (std::size_t i = 0; i < people; ++i) summary.draw(static_cast<Cell>(hold(i)), bits);
    return summary;
}

}  // namespace

BOOST_AUTO_TEST_CASE(bonferroni_multiplies) {
    check_close(adjusted({0.001, 0.01, 0.02, 0.3}, 4, Control::bonferroni), {0.004, 0.04, 0.08, 1});
    check_close(adjusted({0.001}, 10, Control::bonferroni), {0.01});
    check_close(adjusted({}, 10, Control::bonferroni), {});
}

BOOST_AUTO_TEST_CASE(benjamini_hochberg_takes_the_least_from_each_rank_on) {
    // tested · p / rank is 0.03, 0.06, 0.052, 0.0615, 0.06, 0.35
    check_close(adjusted({0.005, 0.02, 0.026, 0.041, 0.05, 0.35}, 6, Control::benjamini_hochberg),
                {0.03, 0.052, 0.052, 0.06, 0.06, 0.35});
    check_close(adjusted({0.5, 0.5, 0.9}, 3, Control::benjamini_hochberg), {0.75, 0.75, 0.9});
    // Of four, only the smallest two: 0.04 and 0.1; a third below 0.075 would have lowered the second.
    check_close(adjusted({0.01, 0.05}, 4, Control::benjamini_hochberg), {0.04, 0.1});
    check_close(adjusted({0.01, 0.05, 0.06, 0.9}, 4, Control::benjamini_hochberg), {0.04, 0.08, 0.08, 0.9});
    check_close(adjusted({0.9}, 4, Control::benjamini_hochberg), {1});
}

BOOST_AUTO_TEST_CASE(controls_have_names) {
    BOOST_CHECK(control_named("bonferroni") == Control::bonferroni);
    BOOST_CHECK(control_named("benjamini_hochberg") == Control::benjamini_hochberg);
    BOOST_CHECK_EXCEPTION(static_cast<void>(control_named("bonferoni")), Error, [](const Error& e) {
        return e.code() == ErrorCode::invalid_value &&
               e.hint().find("benjamini_hochberg") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(planted_values_come_first) {
    SeededBits bits(201);
    for (const char* name : {"grr", "oue", "sue"}) {
        const auto m = mechanism(name, 4, "\"domain\": 300");
        // Half of the people on value 7, a quarter on 123, an eighth on 299, the rest everywhere.
        const auto summary = collect(
            *m, 20000, [](std::size_t i) { return i % 2   ? 7
                                                  : i % 4 ? 123
                                                  : i % 8 ? 299
                                                          : i / 8 % 300; },
            bits);
        for (const Control control : {Control::bonferroni, Control::benjamini_hochberg}) {
            const auto found = top(summary.view(), 5, Target::sample, control);
            BOOST_REQUIRE_EQUAL(found.size(), 5);
            BOOST_CHECK_EQUAL(found[0].value, 7);
            BOOST_CHECK_EQUAL(found[1].value, 123);
            BOOST_CHECK_EQUAL(found[2].value, 299);
            const auto estimates = summary.estimate(Quantity::frequencies);
            for (std::size_t i = 0; i < 5; ++i) {
                BOOST_CHECK_EQUAL(found[i].estimate.value, estimates[found[i].value].value);
                BOOST_CHECK_EQUAL(found[i].estimate.standard_error, estimates[found[i].value].standard_error);
                if (i > 0) BOOST_CHECK_LE(found[i - 1].p_value, found[i].p_value);
                if (i < 3) BOOST_CHECK_LT(found[i].p_value, 1e-20);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(adjusted_values_are_those_of_the_whole_domain) {
    SeededBits bits(202);
    const auto m = mechanism("oue", 1, "\"domain\": 60");
    const auto summary = collect(
        *m, 2000, [](std::size_t i) { return i % 3 ? i % 5 : i % 60; }, bits);
    const auto estimates = summary.estimate(Quantity::frequencies);
    std::vector<double> all;
    for (const Estimate& e : estimates) all.push_back(capability<Significance>(*m).p_value(2000, e));
    std::ranges::sort(all);
    for (const Control control : {Control::bonferroni, Control::benjamini_hochberg}) {
        std::vector<double> expected = all;
        adjust(expected, 60, control);
        for (const std::size_t limit : {0, 1, 6, 60, 1000}) {
            const auto found = top(summary.view(), limit, Target::sample, control);
            BOOST_REQUIRE_EQUAL(found.size(), std::min<std::size_t>(limit, 60));
            for (std::size_t i = 0; i < found.size(); ++i) BOOST_CHECK_EQUAL(found[i].p_value, expected[i]);
        }
    }
}

BOOST_AUTO_TEST_CASE(equal_estimates_rank_by_value_and_share_their_significance) {
    SeededBits bits(203);
    const auto m = mechanism("grr", 8, "\"domain\": 50");
    OwnedSummary summary(*m);
    for (const Cell held : {30, 20, 30, 20, 10}) summary.add(m->perturb(std::vector<Cell>{held}, bits));
    const auto found = top(summary.view(), 50, Target::sample, Control::benjamini_hochberg);
    std::vector<std::size_t> expected{20, 30, 10};
    for (std::size_t v = 0; v < 50; ++v)
        if (v != 10 && v != 20 && v != 30) expected.push_back(v);
    for (std::size_t i = 0; i < 50; ++i) BOOST_REQUIRE_EQUAL(found[i].value, expected[i]);
    BOOST_CHECK_EQUAL(found[0].p_value, found[1].p_value);
    BOOST_CHECK_GT(found[2].p_value, found[1].p_value);
    BOOST_CHECK_EQUAL(found[3].p_value, 1);
}

BOOST_AUTO_TEST_CASE(significance_is_about_those_who_reported) {
    SeededBits bits(204);
    const auto m = mechanism("sue", 2, "\"domain\": 20");
    const auto summary = collect(
        *m, 500, [](std::size_t i) { return i % 4; }, bits);
    const auto sample = top(summary.view(), 4, Target::sample, Control::bonferroni);
    const auto population = top(summary.view(), 4, Target::population, Control::bonferroni);
    for (std::size_t i = 0; i < 4; ++i) {
        BOOST_CHECK_EQUAL(sample[i].value, population[i].value);
        BOOST_CHECK_EQUAL(sample[i].p_value, population[i].p_value);
        BOOST_CHECK_GT(population[i].estimate.standard_error, sample[i].estimate.standard_error);
    }
}

BOOST_AUTO_TEST_CASE(only_values_have_tops) {
    SeededBits bits(205);
    const auto m = mechanism("pdp", 1, "\"min\": 0, \"max\": 1");
    OwnedSummary summary(*m);
    summary.add(m->perturb(std::vector<Cell>{0}, bits));
    BOOST_CHECK_EXCEPTION(static_cast<void>(top(summary.view(), 1, Target::sample, Control::bonferroni)),
                          Error, [](const Error& e) { return e.code() == ErrorCode::unsupported; });
}

BOOST_AUTO_TEST_CASE(values_nobody_holds_are_rarely_significant, *boost::unit_test::label("slow")) {
    // Everybody holds value 0; a repetition fails if any other is significant at 0.05. For grr, 100 people
    // under ε = 6 send a value nobody holds 0.14 times, so that a normal approximation would be far off.
    struct TopCase {
        const char* name;
        double epsilon;
        std::size_t people, repetitions;
    };
    SeededBits bits(206);
    for (const auto& [name, epsilon, people, repetitions] :
         {TopCase{"grr", 6, 100, 20000}, TopCase{"grr", 2, 1000, 3000}, TopCase{"oue", 1, 200, 5000},
          TopCase{"oue", 5, 100, 10000}}) {
        const auto m = mechanism(name, epsilon, "\"domain\": 100");
        for (const Control control : {Control::bonferroni, Control::benjamini_hochberg}) {
            std::size_t alarms = 0, discoveries = 0;
            double false_share = 0;
            for (std::size_t r = 0; r < repetitions / 2; ++r) {
                const auto summary = collect(
                    *m, people, [](std::size_t) { return 0; }, bits);
                std::size_t wrong = 0, significant = 0;
                for (const Ranked& ranked : top(summary.view(), 100, Target::sample, control))
                    if (ranked.p_value <= 0.05) {
                        ++significant;
                        wrong += ranked.value != 0;
                    }
                alarms += wrong > 0;
                discoveries += significant > wrong;
                false_share +=
                    significant > 0 ? static_cast<double>(wrong) / static_cast<double>(significant) : 0;
            }
            const double runs = static_cast<double>(repetitions) / 2;
            const double most = 0.05 * runs + 6 * std::sqrt(0.05 * 0.95 * runs);
            if (control == Control::bonferroni) BOOST_CHECK_LE(static_cast<double>(alarms), most);
            BOOST_CHECK_LE(false_share, most);
            BOOST_CHECK_GT(static_cast<double>(discoveries), 0.9 * runs);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
