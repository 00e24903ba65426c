// Values that change: the exact law of a permanent response and of one report of it. Estimates of several
// rounds of memoized responses, and the correlation of these rounds.
//
// Length: the mechanisms of two layers are tested by the same checks.

#include <cmath>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(longitudinal)

namespace {

/// `rest` goes on with the spec after "domain".
std::unique_ptr<const Mechanism> two_layers(const std::string& name, double epsilon, double first,
                                            std::size_t k, const std::string& rest = {}) {
    return mechanism(name, epsilon,
                     "\"domain\": " + std::to_string(k) + ", \"report_epsilon\": " + text(first) + rest);
}

/// onebit of a number in 0..steps.
std::unique_ptr<const Mechanism> layered_bit(double epsilon, double first, std::size_t steps) {
    return mechanism("onebit", epsilon,
                     "\"min\": 0, \"max\": " + std::to_string(steps) +
                         ", \"grid\": " + std::to_string(steps) + ", \"report_epsilon\": " + text(first));
}

std::string buckets(std::size_t g) {
    return ", \"hash_buckets\": " + std::to_string(g);
}

/// Three rounds by the same 300 people. Their values are spread 60 %, 30 %, 10 % and none in the first two
/// rounds; in the third, each third person has another one.
struct ThreeRounds {
    static constexpr std::size_t people = 300, repetitions = 6000, changed = 3;

    std::vector<Cell> before = people_of({0.6, 0.3, 0.1, 0}, people), after = before;
    std::vector<double> truth = shares_among(before, 4), later, stayed = std::vector<double>(4);
    Simulation first, third;
    std::vector<double> unchanged = std::vector<double>(4), partly = unchanged;  // mean products of errors

    ThreeRounds(const Mechanism& m, std::uint64_t seed) {
        for (std::size_t i = 0; i < people; ++i)
            if (i % changed == 0)
                after[i] = (before[i] + 1 + i % 2) % 4;
            else
                stayed[before[i]] += 1.0 / people;
        later = shares_among(after, 4);
        SeededBits bits(seed);
        std::vector<std::byte> payload(m.payload_size());
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<std::byte> states[3];
            for (auto& state : states) state.resize(m.state_size());
            for (std::size_t i = 0; i < people; ++i) {
                Device device(m, bits);
                for (int round = 0; round < 3; ++round) {
                    device.report({round < 2 ? &before[i] : &after[i], 1}, payload);
                    if (!m.accumulate(states[round], payload)) throw std::logic_error("refused");
                }
            }
            std::vector<Estimate> estimates[3];
            for (int round = 0; round < 3; ++round)
                estimates[round] = m.estimate({people, states[round]}, {Quantity::frequencies});
            first.add(estimates[0], truth);
            third.add(estimates[2], later);
            for (std::size_t v = 0; v < 4; ++v) {
                const double error = estimates[0][v].value - truth[v];
                unchanged[v] += error * (estimates[1][v].value - truth[v]) / repetitions;
                partly[v] += error * (estimates[2][v].value - later[v]) / repetitions;
            }
        }
    }

    /// n·Cov of the first and the third round that those who did not change make up.
    [[nodiscard]] double stayed_covariance(const Mechanism& m, std::size_t v) const {
        const double share = 1 - 1.0 / changed;
        return share * m.n_covariance(stayed[v] / share);
    }
    /// Six standard deviations of a mean product of two errors.
    [[nodiscard]] double tolerance(std::size_t v) const {
        return 6 * std::sqrt(2 * first.variance(v) * std::max(first.variance(v), third.variance(v)) /
                             repetitions);
    }
    void check(const Mechanism& m, bool exact_variance = true) const {
        first.check_unbiased();
        third.check_unbiased();
        first.check_coverage();
        third.check_coverage();
        for (std::size_t v = 0; v < 4; ++v) {
            if (exact_variance) {
                first.check_variance(v, m.n_variance(truth[v]) / people);
                third.check_variance(v, m.n_variance(later[v]) / people);
                BOOST_CHECK_SMALL(unchanged[v] - m.n_covariance(truth[v]) / people, tolerance(v));
            }
            BOOST_CHECK_LE(m.n_covariance(truth[v]), m.n_variance(truth[v]));
        }
    }
};

/// A parameter by name.
double parameter(const Mechanism& m, const std::string& name) {
    for (const auto& [key, value] : m.parameters())
        if (key == name) return value;
    BOOST_FAIL("there is no parameter " << name);
    return 0;
}

bool invalid(const std::string& json) {
    try {
        static_cast<void>(mechanism(json));
        return false;
    } catch (const Error& error) {
        return error.code() == ErrorCode::invalid_spec;
    }
}

}  // namespace

// Privacy ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(two_layers_keep_both_epsilons, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const double share : {0.5, 0.99})
            for (const char* name : {"l_grr", "l_sue", "l_osue"})
                for (const int k : {2, 3, 5}) {
                    const auto m = two_layers(name, epsilon, share * epsilon, k);
                    prove_two_layers(*m);
                }
    const auto m = two_layers("l_grr", 1, 0.3, 257);  // two bytes a report
    check_worst_ratio(*m);
}

BOOST_AUTO_TEST_CASE(hashed_layers_keep_both_epsilons, *boost::unit_test::label("slow")) {
    for (std::size_t g = 2; g <= 16; ++g)
        for (const double epsilon : {0.01, 1.0, 4.0, 20.0}) {
            const auto m = two_layers("loloha", epsilon, epsilon / 2, 4, buckets(g));
            prove_two_layers(*m, 3);
        }
}

BOOST_AUTO_TEST_CASE(layered_filters_keep_both_epsilons, *boost::unit_test::label("slow")) {
    const auto m = two_layers("rappor", 4, 1.5, 2, R"(, "filter_bits": 8, "hashes": 1, "cohorts": 2)");
    prove_two_layers(*m, 3);
}

BOOST_AUTO_TEST_CASE(layered_bits_keep_both_epsilons) {
    for (const double epsilon : epsilons)
        for (const double share : {0.5, 0.99}) {
            const auto m = layered_bit(epsilon, share * epsilon, 4);
            prove_two_layers(*m);
        }
    const auto m = layered_bit(1, 0.4, 1 << 20);
    check_worst_ratio(*m);
    BOOST_CHECK_GE(margin(0.4, m->first_report_ratio()), 0);
    BOOST_CHECK_LT(margin(0.4, m->first_report_ratio()), 1e-9);
}

BOOST_AUTO_TEST_CASE(buckets_keep_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const int d : {1, 2, 3, 4})
            prove(*mechanism("dbitflip", epsilon,
                             R"("domain": 9, "buckets": 4, "bits_per_report": )" + std::to_string(d)));
}

// The law of one report, from the parameters alone; ε₁ close to ε∞, where the second layer adds little
// noise.
BOOST_AUTO_TEST_CASE(large_specs_keep_both_epsilons) {
    for (const double epsilon : epsilons)
        for (const double first : {epsilon / 2, std::nextafter(epsilon, 0.0)}) {
            std::vector<std::unique_ptr<const Mechanism>> all;
            all.push_back(two_layers("l_grr", epsilon, first, 1 << 24));
            all.push_back(two_layers("l_sue", epsilon, first, 1 << 16));
            all.push_back(two_layers("l_osue", epsilon, first, 1 << 16));
            all.push_back(two_layers("loloha", epsilon, first, 1 << 20));
            all.push_back(two_layers("loloha", epsilon, first, 1 << 20, buckets(1 << 16)));
            all.push_back(two_layers("rappor", epsilon, first, 1 << 16, ", \"hashes\": 7"));
            for (const auto& m : all) {
                check_worst_ratio(*m);
                const double left = margin(first, m->first_report_ratio());
                BOOST_CHECK_GE(left, 0);
                BOOST_CHECK_LT(left, 1e-6);
            }
        }
}

BOOST_AUTO_TEST_CASE(second_flips_are_as_few_as_they_may_be) {
    for (const double epsilon : epsilons)
        for (const double share : {0.1, 0.5, 0.999}) {
            const std::uint64_t first = rare_heads(epsilon), both = rare_heads(share * epsilon);
            const std::uint64_t heads = second_flips(first, both);
            const auto flipped = [&](std::uint64_t again) {
                const Exact one = exact_dyadic(first, 64), two = exact_dyadic(again, 64);
                return one * two.complement() + one.complement() * two;
            };
            BOOST_CHECK(flipped(heads) >= exact_dyadic(both, 64));
            BOOST_CHECK(flipped(heads - 1) < exact_dyadic(both, 64));
        }
    BOOST_CHECK_EQUAL(second_flips(12345, 12345), 0u);
}

BOOST_AUTO_TEST_CASE(samplers_do_what_their_probabilities_say) {
    const Cell value = 1;
    for (const auto& m : {two_layers("l_grr", 2, 1, 5), two_layers("l_sue", 2, 1, 3),
                          two_layers("l_osue", 2, 1, 3), two_layers("loloha", 2, 1, 9, buckets(5)),
                          two_layers("rappor", 2, 1, 4, R"(, "filter_bits": 8, "cohorts": 2)")}) {
        check_frequencies_of_reports(*m, {&value, 1}, 31);
        check_frequencies_of_responses(*m, {&value, 1}, 32);
    }
    const auto bit = layered_bit(2, 1, 3);
    check_frequencies_of_reports(*bit, {&value, 1}, 35);
    check_frequencies_of_responses(*bit, {&value, 1}, 36);
    check_frequencies_of_reports(
        *mechanism("dbitflip", 1, R"("domain": 9, "buckets": 5, "bits_per_report": 3)"), {&value, 1}, 33);
}

// A node of a difference tree (Xue, Ye, Hu, Zhu, Wang 2023) holds −1, 0 or 1: duchi on three points. A node
// that is not 0 for one person and is for another gives away some of ε, and where both have one such node, ε
// in all: a person with at most κ of them gives away κ·ε.
BOOST_AUTO_TEST_CASE(difference_nodes_are_duchi_on_three_points) {
    for (const double epsilon : epsilons) {
        const auto m = mechanism("duchi", epsilon, R"("min": -1, "max": 1, "grid": 2)");
        const std::byte minus[] = {std::byte{0}}, plus[] = {std::byte{1}};
        const auto p = [&](Cell difference, Bytes sign) {
            return m->probability({&difference, 1}, {}, sign);
        };
        BOOST_CHECK(p(1, plus) == exact(1, 2));
        BOOST_CHECK(p(1, minus) == exact(1, 2));
        BOOST_CHECK(p(2, plus) == p(0, minus));
        BOOST_CHECK((p(2, plus) / p(1, plus)) * (p(1, minus) / p(2, minus)) == m->worst_ratio());
        check_worst_ratio(*m);
    }
}

// Keys ------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(inputs_with_one_key_share_a_law, *boost::unit_test::label("slow")) {
    SeededBits bits(34);
    for (const auto& m : {two_layers("l_grr", 2, 1, 5), two_layers("l_osue", 2, 1, 5),
                          two_layers("loloha", 2, 1, 12, buckets(3)),
                          mechanism("dbitflip", 1, R"("domain": 12, "buckets": 6, "bits_per_report": 2)"),
                          mechanism("dbitflip", 1, R"("domain": 12, "buckets": 6, "bits_per_report": 6)"),
                          two_layers("rappor", 2, 1, 4, R"(, "filter_bits": 8, "cohorts": 2)"),
                          mechanism("sampled", 1,
                                    R"("attributes": [{"name": "a", "domain": 3, "mechanism": "grr"},
                                      {"name": "b", "domain": 4, "mechanism": "oue"}])")}) {
        for (int user = 0; user < 5; ++user) {
            std::vector<std::byte> public_randomness(m->public_size());
            m->draw_public(bits, public_randomness);
            std::map<std::vector<Cell>, std::vector<Exact>> laws;
            for_each_input(*m, [&](Input input) {
                std::vector<Exact> law;
                for_each_permanent(*m, public_randomness, [&](Bytes permanent) {
                    law.push_back(m->probability(input, public_randomness, permanent));
                });
                const auto [known, fresh] = laws.try_emplace(m->response_key(input, public_randomness), law);
                BOOST_CHECK(known->second == law);
            });
            BOOST_CHECK_LE(laws.size(), m->most_keys());
        }
    }
}

BOOST_AUTO_TEST_CASE(a_user_has_no_more_keys_than_stated) {
    SeededBits bits(35);
    const auto greatest = [&](const Mechanism& m) {
        std::size_t keys = 0;
        std::vector<std::byte> payload(m.payload_size());
        for (int user = 0; user < 20; ++user) {
            Device device(m, bits);
            for (Cell value = 0; value < m.cells()[0]; ++value) device.report({&value, 1}, payload);
            keys = std::max(keys, device.keys());
        }
        BOOST_CHECK_EQUAL(keys, m.most_keys());
        return keys;
    };
    BOOST_CHECK_EQUAL(greatest(*two_layers("l_sue", 2, 1, 40)), 40u);
    BOOST_CHECK_EQUAL(greatest(*two_layers("loloha", 2, 1, 360, buckets(2))), 2u);
    BOOST_CHECK_EQUAL(greatest(*two_layers("loloha", 2, 1, 360)), 4u);
    BOOST_CHECK_EQUAL(
        greatest(*mechanism("dbitflip", 1, R"("domain": 360, "buckets": 90, "bits_per_report": 16)")), 17u);
    BOOST_CHECK_EQUAL(
        greatest(*mechanism("dbitflip", 1, R"("domain": 360, "buckets": 8, "bits_per_report": 8)")), 8u);
    BOOST_CHECK_EQUAL(greatest(*mechanism("dbitflip", 1, R"("domain": 360, "bits_per_report": 1)")), 2u);
    BOOST_CHECK_EQUAL(mechanism("haar", 1, unit_attributes(4096))->most_keys(),
                      std::numeric_limits<std::uint64_t>::max());
}

// Estimates -------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(they_agree_with_golden_constants) {
    for (const char* epsilon : {"0.5", "1.0", "2.0", "4.0"}) {
        const double all = std::stod(epsilon), first = all / 2;
        std::string key = std::string("epsilon_inf=") + epsilon + ";epsilon_1=" + text(first);
        if (key.find('.', key.rfind('=')) == key.npos) key += ".0";
        for (const std::string name : {"sue", "osue"}) {
            const auto m = two_layers("l_" + name, all, first, 360);
            BOOST_CHECK_CLOSE_FRACTION(1 - parameter(*m, "second_flip"),
                                       golden("longitudinal_" + name, key, "p2"), 1e-9);
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance(0), golden("longitudinal_" + name, key, "n_var_at_0"),
                                       1e-9);
        }
        const double best = golden("loloha", key, "g_best");
        BOOST_CHECK_EQUAL(parameter(*two_layers("loloha", all, first, 360), "hash_buckets"), best);
        for (const double g : {2.0, best}) {
            const auto m = two_layers("loloha", all, first, 360, buckets(static_cast<std::size_t>(g)));
            const std::string of_g = key + ";g=" + text(g);
            BOOST_CHECK_CLOSE_FRACTION(parameter(*m, "second_epsilon"), golden("loloha", of_g, "epsilon_irr"),
                                       1e-9);
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance(0), golden("loloha", of_g, "n_var_at_0"), 1e-9);
        }
        const auto m = mechanism("dbitflip", all, R"("domain": 360, "bits_per_report": 16)");
        BOOST_CHECK_CLOSE_FRACTION(
            m->n_variance(0),
            golden("dbitflip", std::string("epsilon=") + epsilon + ";b=360;d=16", "n_var_at_0"), 1e-9);
    }
}

// One report through both layers is one of the relative without a second layer, at ε₁.
BOOST_AUTO_TEST_CASE(two_layers_are_as_accurate_as_one) {
    for (const double epsilon : {0.5, 1.0, 4.0})
        for (const double first : {epsilon / 3, epsilon * 0.9})
            for (const double truth : {0.0, 0.3, 1.0}) {
                for (const auto& [both, one] :
                     {std::pair{"l_grr", "grr"}, {"l_sue", "sue"}, {"l_osue", "oue"}})
                    BOOST_CHECK_CLOSE_FRACTION(two_layers(both, epsilon, first, 20)->n_variance(truth),
                                               mechanism(one, first, "\"domain\": 20")->n_variance(truth),
                                               1e-9);
                BOOST_CHECK_CLOSE_FRACTION(two_layers("loloha", epsilon, first, 20)->n_variance(truth),
                                           mechanism("olh", first, "\"domain\": 20")->n_variance(truth),
                                           1e-9);
                BOOST_CHECK_CLOSE_FRACTION(
                    two_layers("loloha", epsilon, first, 20, buckets(2))->n_variance(truth),
                    mechanism("blh", first, "\"domain\": 20")->n_variance(truth), 1e-9);
                const std::string bits = R"(, "filter_bits": 32)";
                BOOST_CHECK_CLOSE_FRACTION(
                    two_layers("rappor", epsilon, first, 20, bits)->n_variance(truth),
                    mechanism("rappor", first, "\"domain\": 20" + bits)->n_variance(truth), 1e-9);
            }
}

// Those whose value changed drew a permanent response of their own, and add nothing to the covariance.
BOOST_AUTO_TEST_CASE(rounds_of_kept_values, *boost::unit_test::label("slow")) {
    for (const char* name : {"l_grr", "l_sue", "l_osue"}) {
        const auto m = two_layers(name, 2, 1.2, 4);
        const ThreeRounds rounds(*m, 41);
        rounds.check(*m);
        for (std::size_t v = 0; v < 4; ++v)
            BOOST_CHECK_SMALL(rounds.partly[v] - rounds.stayed_covariance(*m, v) / ThreeRounds::people,
                              rounds.tolerance(v));
    }
}

// Here they share a permanent response where both values do: leaving that out makes a difference look less
// sure than it is.
BOOST_AUTO_TEST_CASE(rounds_of_kept_buckets, *boost::unit_test::label("slow")) {
    for (const auto& m :
         {two_layers("loloha", 2, 1.2, 4, buckets(2)), two_layers("loloha", 2, 1.2, 4, buckets(4)),
          mechanism("dbitflip", 1, R"("domain": 4, "bits_per_report": 2)")}) {
        const ThreeRounds rounds(*m, 42);
        rounds.check(*m);
        for (std::size_t v = 0; v < 4; ++v)
            BOOST_CHECK_GT(rounds.partly[v] - rounds.stayed_covariance(*m, v) / ThreeRounds::people,
                           -rounds.tolerance(v));
    }
}

// The variance depends on which filters overlap; of two values that do not, it is the same for both.
BOOST_AUTO_TEST_CASE(rounds_of_kept_filters, *boost::unit_test::label("slow")) {
    const auto m = two_layers("rappor", 3, 2, 4, R"(, "filter_bits": 16, "hashes": 2, "cohorts": 2)");
    const ThreeRounds rounds(*m, 43);
    rounds.check(*m, false);
    for (std::size_t v = 0; v < 4; ++v) {
        BOOST_CHECK_LE(rounds.unchanged[v],
                       m->n_covariance(rounds.truth[v]) / ThreeRounds::people + rounds.tolerance(v));
        BOOST_CHECK_GT(rounds.unchanged[v], 0.5 * m->n_covariance(rounds.truth[v]) / ThreeRounds::people);
    }
}

// A number's bit through both layers is duchi's at ε₁, and what two rounds share is the kept one's noise.
BOOST_AUTO_TEST_CASE(rounds_of_kept_bits, *boost::unit_test::label("slow")) {
    constexpr std::size_t people = 200, repetitions = 20000;
    const auto m = layered_bit(2, 1.2, 4);
    SeededBits bits(45);
    std::vector<std::byte> payload(m->payload_size());
    const double truth = 1.5;  // half of the people hold 1, half 2
    double bias = 0, square = 0, product = 0;
    std::size_t covered = 0;
    for (std::size_t r = 0; r < repetitions; ++r) {
        std::vector<std::byte> states[2];
        for (auto& state : states) state.resize(m->state_size());
        for (std::size_t i = 0; i < people; ++i) {
            Device device(*m, bits);
            const Cell value = 1 + i % 2;
            for (auto& state : states) {
                device.report({&value, 1}, payload);
                BOOST_REQUIRE(m->accumulate(state, payload));
            }
        }
        const Estimate first = m->estimate({people, states[0]}, {Quantity::means})[0];
        const double error = first.value - truth;
        const double second = m->estimate({people, states[1]}, {Quantity::means})[0].value - truth;
        bias += error / repetitions;
        square += error * error / repetitions;
        product += error * second / repetitions;
        covered += std::abs(error) < 1.96 * first.standard_error ? 1 : 0;
    }
    // n·Var at 1 and 2 of 0..4, that is at −1/2 and 0 of [−1,1], in squares of half the range.
    const auto scaled = [&](auto of) { return 4 * (of(-0.5) + of(0.0)) / 2 / people; };
    const double variance = scaled([&](double t) { return m->n_variance(t); });
    const double covariance = scaled([&](double t) { return m->n_covariance(t); });
    const auto at_first = mechanism("duchi", 1.2, R"("min": 0, "max": 4, "grid": 4)");
    BOOST_CHECK_CLOSE_FRACTION(m->n_variance(0.3), at_first->n_variance(0.3), 1e-9);
    BOOST_CHECK_LT(covariance, 0.6 * variance);
    BOOST_CHECK_SMALL(bias, 6 * std::sqrt(variance / repetitions));
    BOOST_CHECK_SMALL(square - variance, 6 * variance * std::sqrt(2.0 / repetitions));
    BOOST_CHECK_SMALL(product - covariance, 6 * variance * std::sqrt(2.0 / repetitions));
    BOOST_CHECK_SMALL(static_cast<double>(covered) / repetitions - 0.95, 0.02);
}

// Specs and bytes -------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(specs_tell_both_epsilons) {
    const Spec spec = Spec::from_json(R"({"mechanism": "loloha", "epsilon": 4, "domain": 10})");
    BOOST_CHECK_EQUAL(spec.real("report_epsilon"), 2);
    BOOST_CHECK_EQUAL(spec.number("hash_buckets"), 8u);
    BOOST_CHECK(Spec::from_json(spec.to_json()).fingerprint() == spec.fingerprint());
    for (const char* name : {"l_grr", "l_sue", "l_osue", "loloha", "rappor"}) {
        const std::string begin =
            std::string(R"({"mechanism": ")") + name + R"(", "epsilon": 1, "domain": 4, "report_epsilon": )";
        for (const char* bad : {"1", "1.5", "-0.5", "0.0004", "\"half\"", "null"})
            BOOST_CHECK(invalid(begin + bad + "}"));
        const auto m = mechanism(begin + "0.3}");
        BOOST_CHECK_EQUAL(m->report_epsilon(), 0.3);
        BOOST_CHECK_EQUAL(m->epsilon(), 1);
        // ε₁ is the last of the parameters.
        for (const double bad : {1.0, 2.0, -0.3, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
            std::vector<std::byte> block(m->block().begin(), m->block().end());
            store(block.data() + block.size() - sizeof(double), bad);
            BOOST_CHECK(malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); }));
        }
    }
    BOOST_CHECK(invalid(R"({"mechanism": "loloha", "epsilon": 1, "domain": 4, "hash_buckets": 1})"));
    BOOST_CHECK(invalid(R"({"mechanism": "dbitflip", "epsilon": 1, "domain": 4, "buckets": 5})"));
    BOOST_CHECK(invalid(R"({"mechanism": "dbitflip", "epsilon": 1, "domain": 4, "buckets": 1})"));
    BOOST_CHECK(invalid(R"({"mechanism": "dbitflip", "epsilon": 1, "domain": 4, "bits_per_report": 5})"));
}

BOOST_AUTO_TEST_CASE(a_second_layer_is_the_exception) {
    const Spec one_time = Spec::from_json(R"({"mechanism": "rappor", "epsilon": 1, "domain": 20})");
    BOOST_CHECK_EQUAL(one_time.to_json().find("report_epsilon"), std::string::npos);
    BOOST_CHECK_EQUAL(fingerprint_text(one_time.fingerprint()),
                      "58e63f70a085312a645390fe4aebc082046c46f2e9e6ee0835626f7eb85e9e2d");
    const auto m = make_mechanism(one_time);
    BOOST_CHECK_EQUAL(to_hex(m->block().subspan(header_size)), "140000008000020800");
    BOOST_CHECK_EQUAL(m->report_epsilon(), m->epsilon());
    BOOST_CHECK(m->first_report_ratio() == m->worst_ratio());
    BOOST_CHECK_EQUAL(m->n_covariance(0.2), m->n_variance(0.2));
    const auto bit = mechanism("onebit", 1, R"("min": 0, "max": 2, "grid": 2, "report_epsilon": 0)");
    BOOST_CHECK(std::ranges::equal(bit->block(),
                                   mechanism("onebit", 1, R"("min": 0, "max": 2, "grid": 2)")->block()));
    BOOST_CHECK(invalid(R"({"mechanism": "onebit", "epsilon": 1, "min": 0, "max": 2, "report_epsilon": 1})"));
    const auto explicit_zero =
        Spec::from_json(R"({"mechanism": "rappor", "epsilon": 1, "domain": 20, "report_epsilon": 0})");
    BOOST_CHECK(explicit_zero.fingerprint() == one_time.fingerprint());
}

BOOST_AUTO_TEST_CASE(impossible_buckets_are_refused) {
    const auto m = mechanism("dbitflip", 1, R"("domain": 10, "bits_per_report": 3)");
    const auto takes = [&](std::vector<unsigned> bytes) {
        std::vector<std::byte> payload, state(m->state_size());
        for (const unsigned byte : bytes) payload.push_back(static_cast<std::byte>(byte));
        const bool taken = m->accumulate(state, payload);
        BOOST_CHECK_EQUAL(m->valid_payload(payload), taken);
        BOOST_CHECK_EQUAL(m->valid_state({1, state}), taken);
        return taken;
    };
    BOOST_CHECK(takes({0, 5, 9, 7}));
    BOOST_CHECK(!takes({0, 5, 10, 7}));  // a bucket past the last
    BOOST_CHECK(!takes({0, 5, 5, 7}));   // one drawn twice
    BOOST_CHECK(!takes({5, 0, 9, 7}));   // out of order
    BOOST_CHECK(!takes({0, 5, 9, 8}));   // a bit too many
}

// Health ----------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(honest_rounds_are_healthy_and_floods_are_not) {
    SeededBits bits(44);
    for (const auto& m :
         {two_layers("l_grr", 2, 1, 8), two_layers("l_sue", 2, 1, 20), two_layers("l_osue", 2, 1, 20),
          two_layers("loloha", 2, 1, 20), two_layers("rappor", 2, 1, 20),
          mechanism("dbitflip", 1, R"("domain": 20, "bits_per_report": 4)"),
          mechanism("dbitflip", 1, R"("domain": 20, "bits_per_report": 1)"),
          mechanism("dbitflip", 1, R"("domain": 20, "bits_per_report": 20)")})
        for (int run = 0; run < 5; ++run) {
            OwnedSummary summary(*m);
            for (int i = 0; i < 4000; ++i) {
                const Cell value = bits.below(3);
                summary.draw(value, bits);
            }
            BOOST_CHECK_GT(summary.health(), 1e-5);
            Report forged = m->perturb(std::vector<Cell>{7}, bits);
            for (int i = 0; i < 2000; ++i) summary.add(forged);
            BOOST_CHECK_LT(summary.health(), 1e-9);
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
