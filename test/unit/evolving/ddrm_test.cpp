// Difference trees: the exact law of a whole series, the frequencies of every round from people who report
// round by round, and the treatment of people who change too often.

#include <cmath>
#include <map>

#include "core/base/error.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(ddrm)

namespace {

using Series = std::vector<Cell>;

std::string trees(std::size_t k, std::size_t rounds, std::size_t changes) {
    return "\"domain\": " + std::to_string(k) + ", \"rounds\": " + std::to_string(rounds) +
           ", \"changes\": " + std::to_string(changes);
}

/// `round` is that of a snapshot, whose level is above the highest one.
std::vector<std::byte> public_randomness_of(unsigned row, unsigned level, unsigned round = 0) {
    return {static_cast<std::byte>(row), static_cast<std::byte>(level), static_cast<std::byte>(round),
            std::byte{0}};
}

void for_each_public_randomness(std::size_t k, std::size_t rounds, const std::function<void(Bytes)>& visit) {
    for (unsigned row = 1; row < std::bit_ceil(k); ++row)
        for (unsigned level = 0; rounds >> level != 0; ++level) {
            visit(public_randomness_of(row, level));
            if (rounds >> (level + 1) != 0) continue;
            for (unsigned round = 1; round <= rounds; ++round)
                visit(public_randomness_of(row, level + 1, round));
        }
}

/// All strings of bits that a permanent response of at most 8 rounds can be.
void for_each_string(const std::function<void(Bytes)>& visit) {
    for (unsigned string = 0; string < 256; ++string) {
        const auto permanent = static_cast<std::byte>(string);
        visit({&permanent, 1});
    }
}

/// The law of the answers, from the numeric randomizer: no state, no channel.
Exact stated(const Mechanism& m, const Series& series, unsigned row, unsigned level, std::size_t changes,
             unsigned permanent) {
    const std::size_t nodes = series.size() >> level;
    const Exact e = mechanism("duchi", epsilon_of_each(m.epsilon(), std::min(changes + 1, nodes)),
                              R"("min": -1, "max": 1, "grid": 2)")
                        ->worst_ratio();
    const auto plus = [&](std::size_t node) {
        return std::popcount(row & series[((node + 1) << level) - 1]) % 2 == 0;
    };
    Exact law = exact(permanent >> nodes == 0 ? 1 : 0, 1);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
        const bool said = (permanent >> i & 1) != 0;
        const bool told = i == 0 || (plus(i) != plus(i - 1) && ++changed <= changes);
        const Exact odds = said == plus(i) ? e : exact(1, 1);
        law = law * (told ? odds / (e + exact(1, 1)) : exact(1, 2));
    }
    return law;
}

/// The law of a snapshot of a value, from randomized response over all values.
Exact stated_snapshot(const Mechanism& m, std::size_t k, Cell value, unsigned permanent) {
    const Exact e = mechanism("grr", m.epsilon(), "\"domain\": " + std::to_string(k))->worst_ratio();
    const Exact odds = permanent >= k ? exact(0, 1) : permanent == value ? e : exact(1, 1);
    return odds / (e + exact(k - 1, 1));
}

/// What these people report in the rounds first..last, as their clients would.
OwnedSummary reported(const Mechanism& m, const std::vector<Series>& people, BitSource& bits,
                      std::uint32_t first = 1, std::uint32_t last = 5000) {
    OwnedSummary summary(m);
    Report report(m.block().begin(), m.block().end());
    report.resize(report.size() + m.payload_size());
    std::vector<std::byte> public_randomness(m.public_size());
    for (const Series& series : people) {
        m.draw_public(bits, public_randomness);
        SeriesState series_state;
        for (const Cell value : series)
            if (find_capability<SeriesRandomizer>(m)->advance(
                    series_state, value, public_randomness, bits,
                    MutableBytes(report).subspan(m.block().size())) &&
                series_state.round >= first && series_state.round <= last)
                summary.add(report);
    }
    return summary;
}

std::vector<Estimate> shares_in(const OwnedSummary& summary, std::size_t round,
                                Target target = Target::sample) {
    return estimate(summary.view(), {Quantity::frequencies, target, round - 1});
}

/// Estimates of all rounds, again and again.
Simulation simulate_series(const Mechanism& m, const std::vector<Series>& people, std::size_t repetitions,
                           std::uint64_t seed) {
    SeededBits bits(seed);
    Simulation simulation;
    const std::size_t rounds = people[0].size(), k = m.cells()[0];
    std::vector<double> truth(rounds * k);
    for (const Series& series : people)
        for (std::size_t t = 0; t < rounds; ++t)
            truth[t * k + series[t]] += 1 / static_cast<double>(people.size());
    for (std::size_t r = 0; r < repetitions; ++r) {
        const OwnedSummary summary = reported(m, people, bits);
        std::vector<Estimate> all;
        for (std::size_t t = 1; t <= rounds; ++t)
            for (const Estimate& each : shares_in(summary, t)) all.push_back(each);
        simulation.add(all, truth);
    }
    return simulation;
}

/// People with values below k of whom every third keeps theirs, others take the next one at some round, once
/// or twice.
std::vector<Series> people_who_change(std::size_t n, std::size_t k, std::size_t rounds, std::size_t changes) {
    std::vector<Series> people;
    for (std::size_t i = 0; i < n; ++i) {
        Series series(rounds, i % 5 == 0 ? 1 : 0);
        for (std::size_t change = 0; change < std::min(i % 3, changes); ++change)
            for (std::size_t t = (i / 3 + 2 * change) % rounds; t < rounds; ++t)
                series[t] = (series[t] + 1) % k;
        people.push_back(std::move(series));
    }
    return people;
}

double p_value(const OwnedSummary& summary, const std::string& name) {
    for (const Check& check : health(summary.view()))
        if (check.name == name) return check.p_value;
    throw std::logic_error("no such check");
}

}  // namespace

// Privacy --------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(whole_series_keep_epsilon, *boost::unit_test::label("slow")) {
    const auto prove_series = [](double epsilon, std::size_t k, std::size_t rounds, std::size_t changes) {
        const auto m = mechanism("ddrm", epsilon, trees(k, rounds, changes));
        Exact worst = exact(1, 1);
        for_each_public_randomness(k, rounds, [&](Bytes public_randomness) {
            std::map<std::byte, std::pair<Exact, Exact>> extremes;
            for_each_input(*m, [&](Input series) {
                Exact sum = exact(0, 1);
                for_each_string([&](Bytes permanent) {
                    const Exact p = m->probability(series, public_randomness, permanent);
                    if (p.is_zero()) return;
                    sum = sum + p;
                    auto& [least, most] = extremes.try_emplace(permanent[0], p, p).first->second;
                    if (p < least) least = p;
                    if (p > most) most = p;
                });
                BOOST_REQUIRE(sum == exact(1, 1));
            });
            for (const auto& [permanent, extreme] : extremes)
                worst = std::max(worst, extreme.second / extreme.first);
        });
        BOOST_CHECK(worst == m->worst_ratio());
        check_worst_ratio(*m);
    };
    for (std::size_t rounds = 2; rounds <= 5; ++rounds)
        for (std::size_t changes = 1; changes < rounds; ++changes)
            for (const double epsilon : {0.01, 1.0, 20.0}) prove_series(epsilon, 2, rounds, changes);
    for (const std::size_t changes : {1, 3, 4}) prove_series(4, 2, 6, changes);
    for (const std::size_t changes : {1, 2, 3}) prove_series(2, 3, 4, changes);
}

BOOST_AUTO_TEST_CASE(large_trees_keep_epsilon) {
    for (const double epsilon : epsilons) {
        check_worst_ratio(*mechanism("ddrm", 4 * epsilon > 20 ? 20 : 4 * epsilon, trees(256, 4096, 3)), 1e-8);
        if (epsilon >= 0.5) check_worst_ratio(*mechanism("ddrm", epsilon, trees(2, 500, 400)), 1e-8);
    }
}

BOOST_AUTO_TEST_CASE(answers_follow_the_card, *boost::unit_test::label("slow")) {
    for (const auto& [k, rounds, changes] :
         {std::tuple<std::size_t, std::size_t, std::size_t>{2, 5, 1}, {2, 6, 3}, {4, 4, 2}}) {
        const auto m = mechanism("ddrm", 1, trees(k, rounds, changes));
        for_each_public_randomness(k, rounds, [&, k = k, c = changes](Bytes public_randomness) {
            for_each_input(*m, [&](Input series) {
                if (series[0] % 2 != 0 && series.back() == 0) return;  // three quarters will do
                for (const unsigned permanent : {0u, 1u, 2u, 5u, 11u, 20u, 63u}) {
                    const auto string = static_cast<std::byte>(permanent);
                    const auto round = std::to_integer<unsigned>(public_randomness[2]);
                    if (round != 0) {
                        BOOST_REQUIRE(m->probability(series, public_randomness, {&string, 1}) ==
                                      stated_snapshot(*m, k, series[round - 1], permanent));
                        continue;
                    }
                    BOOST_REQUIRE(m->probability(series, public_randomness, {&string, 1}) ==
                                  stated(*m, {series.begin(), series.end()},
                                         std::to_integer<unsigned>(public_randomness[0]),
                                         std::to_integer<unsigned>(public_randomness[1]), c, permanent));
                }
            });
        });
    }
}

BOOST_AUTO_TEST_CASE(answers_one_by_one_are_those_of_the_series) {
    const auto m = mechanism("ddrm", 3, trees(5, 11, 2));
    SeededBits drawn(1);
    std::vector<std::byte> public_randomness(4), permanent(m->permanent_size()), payload(m->payload_size());
    for (std::uint64_t user = 0; user < 300; ++user) {
        Series series(11);
        for (Cell& value : series) value = drawn.below(5);
        m->draw_public(drawn, public_randomness);
        SeededBits once(user), again(user);
        m->permanent_response(series, public_randomness, once, permanent);
        SeriesState series_state;
        std::size_t answers = 0;
        for (const Cell value : series) {
            if (!find_capability<SeriesRandomizer>(*m)->advance(series_state, value, public_randomness, again,
                                                                payload))
                continue;
            ++answers;
            BOOST_REQUIRE(m->valid_payload(payload));
            const unsigned level = std::to_integer<unsigned>(public_randomness[1]);
            const auto snapshot = std::to_integer<unsigned>(public_randomness[2]);
            if (snapshot != 0) {
                BOOST_REQUIRE_EQUAL(series_state.round, snapshot);
            } else {
                BOOST_REQUIRE_EQUAL(series_state.round % (1u << level), 0u);
                BOOST_REQUIRE_EQUAL(answers, series_state.round >> level);
            }
            BOOST_REQUIRE(m->instantaneous_probability(public_randomness, permanent, payload) ==
                          exact(1, snapshot != 0 ? 1 : 11 >> level));
            std::vector<std::byte> other = payload;
            other[1] ^= std::byte{1};  // the other answer
            BOOST_REQUIRE(m->instantaneous_probability(public_randomness, permanent, other) == exact(0, 1));
            BOOST_REQUIRE(find_capability<SeriesRandomizer>(*m)->possible(series_state, public_randomness));
        }
        const bool snapshot = public_randomness[2] != std::byte{0};
        BOOST_REQUIRE_EQUAL(answers, snapshot ? 1u : 11u >> std::to_integer<unsigned>(public_randomness[1]));
        BOOST_REQUIRE_EQUAL(once.word(), again.word());  // as many words, too
    }
}

BOOST_AUTO_TEST_CASE(words_drawn_do_not_depend_on_values) {
    const auto m = mechanism("ddrm", 2, trees(3, 8, 2));
    std::vector<std::byte> permanent(1);
    for_each_public_randomness(3, 8, [&](Bytes public_randomness) {
        std::vector<std::uint64_t> next;
        for_each_input(*m, [&](Input series) {
            if (series[1] != series[2] || series[5] != 0 || series[7] != 1) return;
            SeededBits bits(3);
            m->permanent_response(series, public_randomness, bits, permanent);
            next.push_back(bits.word());
        });
        BOOST_CHECK(std::ranges::count(next, next[0]) == std::ssize(next));
    });
}

// Estimates ------------------------------------------------------------------------------------------------

// n·Var of a share of 0 averaged over the rounds, in units of a share on [−1, 1] with two values. The figures
// minimize the sum of the dense inverse over the probabilities of levels and snapshots (numerically).
BOOST_AUTO_TEST_CASE(levels_and_snapshots_minimize_the_mean_variance) {
    for (const auto& [rounds, epsilon, least] : {std::tuple<std::size_t, double, double>{16, 1, 74.70},
                                                 {64, 1, 194.8},
                                                 {128, 1, 281.5},
                                                 {16, 3, 16.36},
                                                 {64, 3, 36.03},
                                                 {128, 3, 50.06}}) {
        const auto m = mechanism("ddrm", epsilon, trees(2, rounds, 2));
        double sum = 0;
        const std::vector<double> even{0.5, 0.5};
        for (std::size_t t = 0; t < rounds; ++t) sum += 4 * m->n_variance_of(t, 0, even) + 1;
        BOOST_TEST(sum / static_cast<double>(rounds) >= 0.999 * least);
        BOOST_TEST(sum / static_cast<double>(rounds) <= 1.03 * least);
    }
}

BOOST_AUTO_TEST_CASE(series_are_estimated_without_bias, *boost::unit_test::label("slow")) {
    std::uint64_t seed = 101;
    for (const auto& [k, rounds, changes, epsilon] :
         {std::tuple<std::size_t, std::size_t, std::size_t, double>{2, 6, 1, 2},
          {3, 5, 2, 3},
          {2, 8, 2, 6}}) {
        const auto m = mechanism("ddrm", epsilon, trees(k, rounds, changes));
        const auto people = people_who_change(600, k, rounds, changes);
        const auto simulation = simulate_series(*m, people, 5000, seed++);
        simulation.check_unbiased();
        // Errors of shares of 0 are too large, as the variance is that of the estimated share.
        simulation.check_coverage(0.985);
    }
}

BOOST_AUTO_TEST_CASE(variance_of_who_keeps_a_value_is_the_stated_one, *boost::unit_test::label("slow")) {
    std::uint64_t seed = 111;
    for (const double epsilon : {1.0, 3.0})
        for (const std::size_t k : {2, 4}) {
            const auto m = mechanism("ddrm", epsilon, trees(k, 4, 1));
            std::vector<Series> people(400, Series(4));
            for (std::size_t i = 0; i < 100; ++i) people[i] = Series(4, 1);
            const auto simulation = simulate_series(*m, people, 5000, seed++);
            simulation.check_unbiased();
            simulation.check_coverage(0.99);
            double most = 0;
            for (std::size_t t = 0; t < 4; ++t) most = std::max(most, simulation.variance(t * k + 1));
            // Levels are divided by who drew them: 1 % on top, and the largest of four.
            BOOST_CHECK_CLOSE_FRACTION(most, m->n_variance(0.25) / 400, 6 * std::sqrt(2.0 / 5000));
        }
}

BOOST_AUTO_TEST_CASE(people_are_drawn_from_a_population, *boost::unit_test::label("slow")) {
    const auto m = mechanism("ddrm", 8, trees(2, 3, 1));
    SeededBits bits(121);
    Simulation simulation;
    for (int r = 0; r < 5000; ++r) {
        std::vector<Series> people;
        for (int i = 0; i < 200; ++i) people.emplace_back(3, bits.below(10) < 3 ? 1 : 0);
        simulation.add(shares_in(reported(*m, people, bits), 3, Target::population), {0.7, 0.3});
    }
    simulation.check_unbiased();
    simulation.check_coverage();
}

BOOST_AUTO_TEST_CASE(rounds_add_up) {
    const auto m = mechanism("ddrm", 4, trees(3, 6, 2));
    const auto people = people_who_change(3000, 3, 6, 2);
    SeededBits one(5), two(5), all(5);
    const OwnedSummary early = reported(*m, people, one, 1, 3), late = reported(*m, people, two, 4);
    const OwnedSummary whole = reported(*m, people, all);
    OwnedSummary sum(*m);
    sum.merge(late.bytes());
    sum.merge(early.bytes());
    BOOST_CHECK(sum.bytes() == whole.bytes());
    for (std::size_t t = 1; t <= 6; ++t) {
        const bool known = !std::isnan(shares_in(early, t)[0].value);
        BOOST_CHECK_EQUAL(known, t <= 3);
        BOOST_CHECK_EQUAL(std::isnan(shares_in(early, t)[2].standard_error), t > 3);
        // Later reports contribute to the estimates of earlier rounds.
        if (known)
            BOOST_CHECK_LT(shares_in(whole, t)[1].standard_error, shares_in(early, t)[1].standard_error);
        // Snapshots determine rounds 4 to 6, and the nodes of rounds 4, and 3 to 4, those before.
        BOOST_CHECK_EQUAL(std::isnan(shares_in(late, t)[0].value), t < 2);
    }
    BOOST_CHECK_THROW(static_cast<void>(shares_in(whole, 7)), Error);
    BOOST_CHECK_EXCEPTION(static_cast<void>(summary_of_part(whole.view(), 0)), Error,
                          [](const Error& error) { return error.code() == ErrorCode::unsupported; });
}

// People who report nothing but one of their answers, as perturb() has it.
BOOST_AUTO_TEST_CASE(single_answers_are_unbiased_too, *boost::unit_test::label("slow")) {
    const auto m = mechanism("ddrm", 8, trees(2, 3, 1));
    std::vector<std::vector<Cell>> people(400, {1, 1, 1});
    for (std::size_t i = 0; i < 100; ++i) people[i] = {0, 0, 0};
    simulate(*m, people, {0.25, 0.75}, Quantity::frequencies, 3000, 131).check_unbiased();
}

// Health ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(too_many_changes_show) {
    const auto m = mechanism("ddrm", 6, trees(2, 8, 1));
    SeededBits bits(141);
    const auto honest = reported(*m, people_who_change(20000, 2, 8, 1), bits);
    BOOST_CHECK_GT(honest.health(), 1e-4);
    std::vector<Series> restless;
    for (std::size_t i = 0; i < 20000; ++i) restless.push_back({0, 0, 1, 1, i % 2, 1, 0, 0});
    const auto summary = reported(*m, restless, bits);
    BOOST_CHECK_LT(p_value(summary, "levels agree"), 1e-6);
    BOOST_CHECK_GT(p_value(summary, "levels drawn"), 1e-4);
    BOOST_CHECK_GT(p_value(summary, "mean within its range"), 1e-4);
}

BOOST_AUTO_TEST_CASE(forged_reports_show) {
    const auto m = mechanism("ddrm", 2, trees(4, 4, 1));
    SeededBits bits(142);
    const auto people = people_who_change(4000, 4, 4, 1);
    const auto forged = [&](unsigned row, unsigned level, int count) {
        OwnedSummary summary = reported(*m, people, bits);
        Report report(m->block().begin(), m->block().end());
        report.resize(report.size() + m->payload_size());
        SeriesState series_state;
        const auto public_randomness = public_randomness_of(row, level);
        for (int i = 0; i < count; ++i) {
            series_state = {};
            for (int t = 0; t < 4; ++t)
                if (find_capability<SeriesRandomizer>(*m)->advance(
                        series_state, 0, public_randomness, bits,
                        MutableBytes(report).subspan(m->block().size())))
                    summary.add(report);
        }
        return summary;
    };
    BOOST_CHECK_LT(p_value(forged(2, 0, 400), "rows drawn"), 1e-6);
    BOOST_CHECK_LT(p_value(forged(1, 2, 500), "levels drawn"), 1e-6);
    OwnedSummary loud = reported(*m, people, bits);
    Report report(m->block().begin(), m->block().end());
    report.push_back(std::byte{1});
    report.push_back(std::byte{3});  // node 1 of single rounds: 1
    for (int i = 0; i < 4000; ++i) loud.add(report);
    BOOST_CHECK_LT(p_value(loud, "mean within its range"), 1e-6);
}

// Bytes ----------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(impossible_parameters_are_refused) {
    const auto m = mechanism("ddrm", 1, trees(4, 8, 2));
    const auto with = [&](std::size_t field, std::uint32_t value) {
        std::vector<std::byte> block(m->block().begin(), m->block().end());
        store(block.data() + header_size + 4 * field, value);
        return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
    };
    for (const std::uint32_t k : {0u, 1u, 257u, ~0u}) BOOST_CHECK(with(0, k));
    for (const std::uint32_t rounds : {0u, 1u, 2u, 4097u, ~0u}) BOOST_CHECK(with(1, rounds));  // 2 changes
    for (const std::uint32_t changes : {0u, 8u, ~0u}) BOOST_CHECK(with(2, changes));
    BOOST_CHECK(!with(0, 256) && !with(1, 4096) && !with(2, 7));
    std::vector<std::byte> poor(m->block().begin(), m->block().end());
    store(poor.data() + 16, 0.0029);
    BOOST_CHECK(malformed([&] { static_cast<void>(load_mechanism(poor, Kind::report)); }));

    for (const std::string& rest : {trees(2, 8, 8), trees(257, 8, 1), trees(2, 4097, 1), trees(2, 1, 1)})
        BOOST_CHECK_THROW(static_cast<void>(mechanism("ddrm", 1, rest)), Error);
    BOOST_CHECK_THROW(static_cast<void>(mechanism("ddrm", 0.01, trees(2, 16, 10))), Error);
    BOOST_CHECK_EXCEPTION(static_cast<void>(mechanism(
                              "ddrm", 1, trees(2, 8, 1) + R"(, "evolving": {}, "budget": {"epsilon": 3})")),
                          Error, [](const Error& error) {
                              return error.code() == ErrorCode::invalid_spec &&
                                     std::string(error.what()).find("series") != std::string::npos;
                          });
}

BOOST_AUTO_TEST_CASE(impossible_payloads_and_states_are_refused) {
    const auto m = mechanism("ddrm", 1, trees(3, 5, 2));  // 3 rows; 5 + 2 + 1 nodes
    for (unsigned row = 0; row < 256; ++row)
        for (unsigned output = 0; output < 256; ++output) {
            const std::byte payload[] = {static_cast<std::byte>(row), static_cast<std::byte>(output)};
            const bool valid = row >= 1 && row <= 3 && output < 16 + 5 * 3;
            std::vector<std::byte> state(m->state_size());
            BOOST_REQUIRE_EQUAL(m->valid_payload(payload), valid);
            BOOST_REQUIRE_EQUAL(m->accumulate(state, payload), valid);
            BOOST_REQUIRE(m->valid_state({valid ? 1u : 0u, state}));
            BOOST_REQUIRE(!m->valid_state({2, state}));
        }
    constexpr std::size_t reports = 3 * 8, drawn = 5 * 3;
    BOOST_REQUIRE_EQUAL(m->state_size(), (2 * reports + drawn) * 8);
    std::vector<std::byte> state(m->state_size());
    state[0] = std::byte{1};
    BOOST_CHECK(m->valid_state({1, state}));
    state[(reports + drawn) * 8] = std::byte{2};  // more ones than reports
    BOOST_CHECK(!m->valid_state({1, state}));
    state[(reports + drawn) * 8] = std::byte{1};
    state[reports * 8] = std::byte{3};  // snapshots
    BOOST_CHECK(m->valid_state({4, state}));
    BOOST_CHECK(!m->valid_state({3, state}));

    const auto possible = [&](const SeriesState& series_state, unsigned row = 1, unsigned level = 0,
                              unsigned round = 0) {
        return find_capability<SeriesRandomizer>(*m)->possible(series_state,
                                                               public_randomness_of(row, level, round));
    };
    BOOST_CHECK(possible({}) && possible({5, 2, 1, 2}));
    BOOST_CHECK(!possible({6, 2, 1, 2}) && !possible({5, 3, 1, 2}) && !possible({5, 2, 2, 2}));
    BOOST_CHECK(!possible({5, 2, 1, 3}) && !possible({1, 2, 1, 2}));
    BOOST_CHECK(!possible({}, 0) && !possible({}, 4) && !possible({}, 1, 3) && !possible({}, 1, 0, 1));
    BOOST_CHECK(possible({5, 2, 0, 0}, 1, 3, 5) && !possible({}, 1, 3, 6) && !possible({}, 1, 4, 1));
    BOOST_CHECK(!possible({5, 2, 1, 0}, 1, 3, 5) && !possible({5, 2, 0, 1}, 1, 3, 5));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
