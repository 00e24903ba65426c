// Simulated people who report in every round: their values, and the results of a simulation.

#include "simulation/simulation.hpp"

#include <cmath>

#include "../support/seeded_words.hpp"
#include "client_support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(simulation)

using ldp::simulation::Round;
using ldp::simulation::SimulationSetup;
using ldp::simulation::Spending;
using ldp::simulation::spending;
using ldp::simulation::Stream;
using ldp::simulation::ValueProcess;

namespace {

std::vector<Round> rounds_of(const std::string& json, const SimulationSetup& scene) {
    return ldp::simulation::simulate(Collection(resolve(json)), scene);
}

/// The mean square of error / claimed.
double honesty(const std::vector<Round>& rounds) {
    double sum = 0;
    for (const Round& round : rounds) sum += std::pow(round.error / round.claimed, 2);
    return sum / static_cast<double>(rounds.size());
}

}  // namespace

BOOST_AUTO_TEST_CASE(lives_change_as_they_should) {
    constexpr int n = 200000;
    SeededBits bits(1);
    const auto near = [](double share, double p) {
        return std::abs(share - p) < 6 * std::sqrt(p * (1 - p) / n);
    };
    ValueProcess syn(Stream::syn, bits);
    double last = syn.next(bits), changes = 0, sum = 0;
    for (int t = 0; t < n; ++t) {
        const double value = syn.next(bits);
        BOOST_REQUIRE((value >= 0 && value <= 359 && value == std::floor(value)));
        changes += value != last ? 1 : 0;
        sum += value;
        last = value;
    }
    BOOST_TEST(near(changes / n, 0.25 * 359 / 360));
    // Rounds are correlated for the lifetime of a value: 1 + 2·Σ 0.75^s = 7 times the variance.
    BOOST_TEST(std::abs(sum / n - 179.5) < 6 * std::sqrt(7.0 / n * 360 * 360 / 12));

    ValueProcess jitter(Stream::jitter, bits);
    last = jitter.next(bits);
    double jumps = 0, farthest = 0;
    for (int t = 0; t < n; ++t) {
        const double value = jitter.next(bits), clamped = std::abs(value - last);
        BOOST_REQUIRE((value >= 0 && value <= ValueProcess::most));
        BOOST_REQUIRE(std::abs(100 * value - std::round(100 * value)) < 1e-6);
        if (clamped > 20)
            ++jumps;
        else
            farthest = std::max(farthest, clamped);
        last = value;
    }
    // A jump by no more than the noise hides in it: that leaves between 7/8 and all of them.
    BOOST_TEST((jumps / n > 0.01 * 0.86 && jumps / n < 0.01 + 6 * std::sqrt(0.01 / n)));
    BOOST_TEST(farthest > 19.5);
}

BOOST_AUTO_TEST_CASE(spending_is_that_of_people) {
    const Spending some = spending({{1, 90}, {3, 5}, {7, 5}});
    BOOST_TEST(some.mean == 1.4);
    BOOST_TEST(some.most_of_95 == 3u);
    BOOST_TEST(some.most == 7u);
    BOOST_TEST(spending({{1, 90}, {3, 4}, {7, 6}}).most_of_95 == 7u);
    BOOST_TEST(spending({{2, 1}}).most_of_95 == 2u);
}

BOOST_AUTO_TEST_CASE(answers_are_those_of_the_values) {
    constexpr std::uint64_t people = 2000;
    const std::vector<Round> rounds = rounds_of(
        R"({"mechanism": "grr", "epsilon": 4, "domain": 360, "evolving": {}, "budget": {"epsilon": 999}})",
        {Stream::syn, people, 30, 1, 0});
    for (std::size_t t = 0; t < rounds.size(); ++t) {
        const Round& round = rounds[t];
        BOOST_TEST(round.drawn + round.kept == people);
        BOOST_TEST((round.nearest == 0 && round.refused == 0));
        // Of the 360 values, a person has each of this number of draws; all draws except the first
        // occur at one change in four.
        const double missed = std::pow(1 - 0.25 / 360, static_cast<double>(t));
        const double expected = 360 * (1 - 359.0 / 360 * missed);
        BOOST_TEST(std::abs(round.answers.mean - expected) <
                   6 * std::sqrt(0.25 * 0.75 * static_cast<double>(t) / people) + 1e-9);
        BOOST_TEST((round.answers.mean <= static_cast<double>(round.answers.most) &&
                    round.answers.most_of_95 <= round.answers.most));
    }
    BOOST_TEST(rounds.back().answers.most_of_95 < rounds.back().answers.most);
    // 30 rounds of 360 values: the errors' squares vary by a few per cent.
    BOOST_TEST(std::abs(honesty(rounds) - 1) < 0.2);
    BOOST_TEST(rounds[0].absolute < rounds[0].error);
    BOOST_TEST(std::isnan(rounds[0].truth));
}

// The label of people without an answer is longer than the prefix.
BOOST_AUTO_TEST_CASE(missing_strings_are_counted_as_missing) {
    const std::vector<Round> rounds = rounds_of(
        R"({"mechanism": "grr", "epsilon": 20, "domain": ["ab", "cd", "others", "no answer"], "prefix": 2,
            "other": "others", "missing_label": "no answer"})",
        {Stream::syn, 4000, 1, 1, 0});
    BOOST_TEST(rounds.at(0).error < 1e-3);
}

BOOST_AUTO_TEST_CASE(specs_without_memory_spend_in_every_round) {
    const std::vector<Round> rounds = rounds_of(
        R"({"mechanism": "duchi", "epsilon": 1, "min": 100, "max": 110})", {Stream::jitter, 100, 300, 3, 0});
    for (std::size_t t = 0; t < rounds.size(); ++t) {
        BOOST_TEST(rounds[t].drawn == 100u);
        BOOST_TEST(rounds[t].answers.most == t + 1);
        BOOST_TEST(rounds[t].answers.most_of_95 == t + 1);
        BOOST_TEST(rounds[t].answers.mean == static_cast<double>(t + 1));
        BOOST_TEST(rounds[t].error == std::abs(rounds[t].estimate - rounds[t].truth));
        BOOST_TEST(std::abs(rounds[t].truth - 105) < 2);
    }
    // Fresh noise in each of 300 rounds: squares of normal variables, √(2/300) each way.
    BOOST_TEST(std::abs(honesty(rounds) - 1) < 6 * std::sqrt(2.0 / 300));
}

BOOST_AUTO_TEST_CASE(buckets_are_compared_with_buckets) {
    const std::vector<Round> rounds = rounds_of(
        R"({"mechanism": "dbitflip", "epsilon": 12, "domain": 360, "buckets": 7, "bits_per_report": 7, "evolving": {},
            "budget": {"epsilon": 999}})",
        {Stream::syn, 3000, 40, 5, 0});
    // So little noise that the people's own differences from bucket to bucket, sixfold, would show.
    BOOST_TEST(honesty(rounds) < 3);
    BOOST_TEST(rounds.back().answers.most <= 7u);
}

// Equal seeds give all specs the same people, so that specs can be compared.
BOOST_AUTO_TEST_CASE(lives_do_not_depend_on_the_spec) {
    const SimulationSetup scene{Stream::jitter, 50, 20, 7, 0};
    const auto a = rounds_of(R"({"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 360})", scene);
    const auto b = rounds_of(R"({"mechanism": "hybrid", "epsilon": 2, "budget": {"epsilon": 8}, "attributes":
        [{"name": "x", "min": 0, "max": 360, "evolving": true}]})",
                             scene);
    for (std::size_t t = 0; t < 20; ++t) BOOST_TEST(a[t].truth == b[t].truth);
    BOOST_TEST(a[5].estimate != b[5].estimate);
    BOOST_TEST(b.back().answers.most <= 4u);
}

BOOST_AUTO_TEST_CASE(nobody_left_is_no_answer) {
    const std::vector<Round> rounds =
        rounds_of(R"({"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 360, "evolving": {},
                      "budget": {"epsilon": 1, "when_spent": "stop"}})",
                  {Stream::jitter, 1, 20, 1, 0});
    BOOST_TEST(rounds[0].drawn == 1u);
    std::size_t refused = 0;
    for (const Round& round : rounds) {
        refused += round.refused;
        BOOST_TEST(std::isnan(round.error) == (round.refused == 1));
        BOOST_TEST(round.answers.most == 1u);
    }
    BOOST_TEST(refused > 10u);
}

// People whose values change about once in four rounds; at most eight rounds have truthful responses.
BOOST_AUTO_TEST_CASE(a_series_costs_once) {
    const std::string json =
        R"({"mechanism": "ddrm", "epsilon": 8, "domain": 2, "rounds": 16, "changes": 8})";
    const std::vector<Round> rounds = rounds_of(json, {Stream::syn, 20000, 16, 3, 0});
    std::uint64_t drawn = 0, silent = 0;
    for (const Round& round : rounds) {
        BOOST_TEST((round.answers.most == 1u && round.answers.mean == 1));
        BOOST_TEST(round.drawn + round.silent == 20000u);
        BOOST_TEST(round.error < 6 * round.claimed);
        drawn += round.drawn;
        silent += round.silent;
    }
    BOOST_TEST((drawn > 20000u && silent > 20000u));
    BOOST_TEST(honesty(rounds) < 3);
    BOOST_CHECK_EXCEPTION(rounds_of(json, {Stream::syn, 1, 17, 3, 0}), Error,
                          error_with(ErrorCode::unsupported, "16 rounds"));
}

// Numbers that jitter and change: a person's threshold is passed less often than a value changes.
BOOST_AUTO_TEST_CASE(a_series_of_numbers_costs_once) {
    const std::string json =
        R"({"mechanism": "threshold_series", "epsilon": 8, "min": 0, "max": 10, "rounds": 8, "changes": 4})";
    const std::vector<Round> rounds = rounds_of(json, {Stream::syn, 20000, 8, 4, 0});
    for (const Round& round : rounds) {
        BOOST_TEST((round.answers.most == 1u && round.answers.mean == 1));
        BOOST_TEST((round.truth > 0 && round.truth < 10));
        BOOST_TEST(round.error < 6 * round.claimed);
        BOOST_TEST(round.claimed < 1);
    }
    BOOST_TEST(honesty(rounds) < 3);
}

// A person of a record reports a series under one ε, or another attribute from memoized responses.
BOOST_AUTO_TEST_CASE(a_series_of_a_record_costs_once) {
    const std::string json =
        R"({"mechanism": "sampled", "epsilon": 8, "evolving": {}, "budget": {"epsilon": 800},
        "attributes": [{"name": "weight", "min": 0, "max": 10, "mechanism": "threshold_series", "rounds": 8,
            "changes": 4}, {"name": "colour", "domain": 4, "mechanism": "grr"}]})";
    constexpr std::uint64_t people = 20000;
    SimulationSetup scene{Stream::syn, people, 8, 5, 0};
    scene.streams = {Stream::syn, {}};
    const std::vector<Round> rounds = rounds_of(json, scene);
    std::uint64_t silent = 0;
    for (const Round& round : rounds) {
        // Either part costs one response, and half of the people report in all rounds.
        BOOST_TEST(round.answers.most == 1u);
        BOOST_TEST(round.drawn + round.kept + round.silent == people);
        silent += round.silent;
        for (const auto& answer : round.record) BOOST_TEST(answer.error < 6 * answer.claimed);
        BOOST_TEST(round.record[0].claimed < 1);
        BOOST_TEST(round.record[1].claimed < 0.02);
    }
    BOOST_TEST((silent > people && silent < 8 * people / 2 + people));
    BOOST_TEST(honesty(rounds) < 3);
    scene.rounds = 9;
    BOOST_CHECK_EXCEPTION(rounds_of(json, scene), Error, error_with(ErrorCode::unsupported, "8 rounds"));
}

namespace {

/// Two attributes that people keep, and one that changes.
const std::string mixed = R"({"mechanism": "sampled", "epsilon": 2, "report_epsilon": 1, "evolving": {},
    "budget": {"epsilon": 999}, "attributes": [{"name": "colour", "domain": 4, "mechanism": "l_grr"},
        {"name": "place", "domain": 360, "mechanism": "l_osue"}, {"name": "age", "min": 0, "max": 90}]})";

}  // namespace

// A person reports one attribute in all rounds: two in three people keep its value and draw one response.
BOOST_AUTO_TEST_CASE(kept_values_cost_one_response) {
    constexpr std::uint64_t people = 3000;
    constexpr std::size_t count = 40;
    SimulationSetup scene{Stream::syn, people, count, 4, 0};
    scene.streams = {{}, Stream::syn, {}};
    const std::vector<Round> rounds = rounds_of(mixed, scene);
    for (std::size_t t = 0; t < count; ++t) {
        const Round& round = rounds[t];
        BOOST_TEST(round.drawn + round.kept == people);
        BOOST_TEST(round.record[2].truth == rounds[0].record[2].truth);
        BOOST_TEST(round.error == round.record[0].error);
        const double missed = std::pow(1 - 0.25 / 360, static_cast<double>(t));
        const double keys = 360 * (1 - 359.0 / 360 * missed);
        // The variance over people: of which attribute it is, and of the number of changes.
        const double variance = 2.0 / 9 * std::pow(keys - 1, 2) + 0.25 * 0.75 * static_cast<double>(t) / 3;
        BOOST_TEST(std::abs(round.answers.mean - (2 + keys) / 3) < 6 * std::sqrt(variance / people) + 1e-9);
    }
    // By independent draws of all three attributes every round would have as many as 40 responses.
    BOOST_TEST(rounds.back().answers.most > 6u);

    const std::vector<Round> changing = rounds_of(mixed, {Stream::syn, people, count, 4, 0});
    BOOST_TEST(changing[5].record[2].truth != changing[0].record[2].truth);
    scene.streams = {Stream::syn, Stream::syn, Stream::syn};
    const std::vector<Round> named = rounds_of(mixed, scene);
    for (std::size_t t = 0; t < count; ++t) BOOST_TEST(named[t].error == changing[t].error);
}

BOOST_AUTO_TEST_CASE(kept_values_are_those_of_the_people, *boost::unit_test::label("slow")) {
    constexpr std::uint64_t people = 900;
    SimulationSetup scene{Stream::syn, people, 3, 4, 2};
    scene.streams = {{}, Stream::syn, {}};
    double sum = 0;
    for (std::uint64_t i = 0; i < people; ++i) {
        scene.fixed.push_back({static_cast<double>(i % 2), 0, static_cast<double>(i % 90)});
        sum += static_cast<double>(i % 90);
    }
    std::vector<double> squares(3);
    constexpr int runs = 400;
    for (int run = 0; run < runs; ++run) {
        scene.seed = static_cast<std::uint64_t>(run);
        const Round round = rounds_of(mixed, scene)[2];
        BOOST_TEST(round.truth == sum / people);
        BOOST_TEST(round.estimate == round.record[2].estimate);
        for (std::size_t j = 0; j < 3; ++j)
            squares[j] += std::pow(round.record[j].error / round.record[j].claimed, 2) / runs;
    }
    // By Chernoff's bound a mean of 400 squares of normal variables is off by half with probability 1e-8.
    // Means over values vary by less, and estimated standard errors by a few per cent.
    for (std::size_t j = 0; j < 3; ++j) BOOST_TEST(std::abs(squares[j] - 1) < 0.5);
}

BOOST_AUTO_TEST_CASE(attributes_that_nobody_reports_have_no_answer) {
    SimulationSetup scene{Stream::syn, 1, 2, 4, 0};
    const std::vector<Round> rounds = rounds_of(mixed, scene);
    int answered = 0;
    for (const ldp::simulation::SimulatedEstimate& answer : rounds[1].record)
        answered += std::isnan(answer.error) ? 0 : 1;
    BOOST_TEST(answered == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
