// The power of attacks: claims that too few reports support are not called kept.

#include <cmath>
#include <fstream>

#include "core/base/limits.hpp"
#include "core/proof/attack_power.hpp"
#include "extreme_inputs.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(attack_power)

namespace {

LowerBound nothing_found(std::uint64_t trials) {
    LowerBound found;
    found.trials = trials;
    return found;
}

}  // namespace

// At the returned number, counts of 1.645 standard deviations in favour of the claim refute it. At nine tenths of it,
// they do not.
BOOST_AUTO_TEST_CASE(the_number_of_trials_is_the_smallest) {
    for (const double claimed : {0.5, 1.0, 2.0, 4.0}) {
        const auto events = events_of_randomized_response(2 * claimed);
        const double p = events.at(0).likelier, q = events[0].rarer;
        BOOST_CHECK_CLOSE(std::log(p / q), 2 * claimed, 1e-9);
        BOOST_CHECK_CLOSE(p + q, 1, 1e-9);
        const std::uint64_t trials = trials_with_power(events, claimed, 0.99).value();
        const auto bound = [&](double n) {
            const double spread = 1.645 * std::sqrt(n * p * q);
            return epsilon_above(static_cast<std::uint64_t>(n * p - spread),
                                 static_cast<std::uint64_t>(std::ceil(n * q + spread)),
                                 static_cast<std::uint64_t>(n), 0.99, 0);
        };
        BOOST_CHECK_GT(bound(static_cast<double>(trials)), claimed);
        BOOST_CHECK_LE(bound(std::floor(0.9 * static_cast<double>(trials))), claimed);
    }
}

BOOST_AUTO_TEST_CASE(no_number_of_trials_shows_what_is_not_there) {
    const EventOdds equal[] = {{0.5, 0.5}}, weak[] = {{0.5, 0.5 * std::exp(-0.9)}};
    BOOST_CHECK(!trials_with_power(equal, 0.1, 0.99));
    BOOST_CHECK(!trials_with_power(weak, 1, 0.99));
    BOOST_CHECK(!trials_with_power({}, 1, 0.99));
    BOOST_CHECK(trials_with_power(weak, 0.5, 0.99).has_value());
    // An event that δ explains.
    BOOST_CHECK(!trials_with_power(weak, 0.5, 0.99, 0.3));
}

BOOST_AUTO_TEST_CASE(verdicts_know_whether_a_violation_would_be_found) {
    const auto violation = events_of_randomized_response(2);
    const std::uint64_t trials = trials_with_power(violation, 1, 0.99).value();
    // Half of the people are counted.
    const auto judged = [&](std::uint64_t counted) {
        return judge(nothing_found(counted), 2 * counted, violation, 1, 0.99);
    };
    BOOST_CHECK(judged(trials).verdict == AttackVerdict::kept);
    BOOST_CHECK(judged(trials - 1).verdict == AttackVerdict::no_power);
    BOOST_CHECK_EQUAL(judged(10).people.value(), 2 * trials);
    LowerBound found = nothing_found(10);
    found.epsilon = 1.01;
    BOOST_CHECK(judge(found, 20, violation, 1, 0.99).verdict == AttackVerdict::violated);
    const AttackJudgement hopeless = judge(nothing_found(1'000'000), 2'000'000, {}, 1, 0.99);
    BOOST_CHECK(hopeless.verdict == AttackVerdict::no_power && !hopeless.people);
}

BOOST_AUTO_TEST_CASE(every_mechanism_has_a_violation_with_the_multiple_of_its_epsilon) {
    std::ifstream file("test/data/vectors.txt");
    std::string text, ignored;
    int made = 0;
    while (std::getline(file, text)) {
        for (int line = 1; line < 5; ++line) std::getline(file, ignored);
        BOOST_TEST_CONTEXT(text) {
            const Spec spec = resolve(text);
            const auto m = make_mechanism(spec), twice = mechanism_with_factor(spec, 2);
            if (2 * m->epsilon() > max_epsilon) {
                BOOST_CHECK(twice == nullptr);
                continue;
            }
            BOOST_REQUIRE(twice != nullptr);
            BOOST_CHECK_CLOSE(twice->epsilon(), 2 * m->epsilon(), 1e-9);
            BOOST_CHECK_CLOSE(twice->report_epsilon(), 2 * m->report_epsilon(), 1e-6);
            BOOST_CHECK(twice->input_cells() == m->input_cells());
            ++made;
        }
    }
    BOOST_CHECK_GT(made, 30);
}

// Nine of ten attacks find twice the claimed ε with the number of people of the judgement. Fewer than 55 of 100 would have
// a probability below 10^-8 if each finds it with a probability of 0.8. With an eighth of the people, attacks rarely do.
BOOST_AUTO_TEST_CASE(the_number_of_people_finds_the_violation, *boost::unit_test::label("slow")) {
    for (
        const auto& [name, rest] : std::vector<std::pair<std::string, std::string>>{
            {"grr", R"("domain": 4)"},
            {"oue", R"("domain": 6)"},
            {"olh", R"("domain": 20)"},
            {"l_grr", R"("domain": 3, "report_epsilon": 0.7)"},
            {"pdp", R"("min": 0, "max": 1)"},
            {"sampled",
             R"("per_report": 1, "attributes": [{"name": "a", "domain": 3}, {"name": "b", "min": 0, "max": 1}])"}})
        BOOST_TEST_CONTEXT(name) {
            const Spec spec = resolve("{\"mechanism\": \"" + name + "\", \"epsilon\": 1, " + rest + "}");
            const auto m = make_mechanism(spec), twice = mechanism_with_factor(spec, violation_factor);
            const ExtremeInputs inputs(*m);
            const double claimed = inputs.series.promised(*m);
            SeededBits bits(11);
            const auto events = simulated_events(*twice, inputs.series, 20000, bits);
            const std::uint64_t people = judge(nothing_found(50), 100, events, claimed, 0.99).people.value();
            const auto found = [&](std::uint64_t n) {
                int times = 0;
                for (int run = 0; run < 100; ++run)
                    times += attack(*twice, inputs.series, n, 0.99, bits).epsilon > claimed ? 1 : 0;
                return times;
            };
            BOOST_CHECK_GE(found(people), 55);
            BOOST_CHECK_LE(found(people / 8), 45);
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
