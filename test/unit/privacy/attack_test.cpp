// Attacks on reports: what they show is never more than the truth, and nearly all of it. Every test is
// seeded; bounds at a confidence of 1 − 10^-9 would be exceeded that seldom by a correct program and a fresh
// seed.

#include <cmath>

#include "core/proof/attack.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(attacks)

namespace {

constexpr double sure = 1 - 1e-9;

/// People with the lowest value of everything against people with the highest.
LowerBound extremes(const Mechanism& m, std::uint64_t people, std::uint64_t seed, Series series = {},
                    double confidence = sure) {
    std::vector<Cell> first(m.cells().size(), 0), second;
    for (const std::uint64_t each : m.cells()) second.push_back(each - 1);
    series.first = first;
    series.second = second;
    SeededBits bits(seed);
    const LowerBound found = attack(m, series, people, confidence, bits);
    BOOST_CHECK_LE(found.epsilon, series.promised(m));
    return found;
}

Series rounds(std::uint64_t n, bool fresh, bool changing = false) {
    Series series;
    series.rounds = n;
    series.fresh = fresh;
    series.changing = changing;
    return series;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_million_reports_show_nearly_all_of_epsilon, *boost::unit_test::label("slow")) {
    BOOST_CHECK_GE(extremes(*mechanism("grr", 1, R"("domain": 4)"), 1000000, 1, {}, 0.99).epsilon, 0.85);
    BOOST_CHECK_GE(extremes(*mechanism("duchi", 1, R"("min": 0, "max": 1)"), 1000000, 2, {}, 0.99).epsilon,
                   0.85);
}

// Clopper and Pearson's bounds of a coin: found wanting in no more runs than they may be.
BOOST_AUTO_TEST_CASE(bounds_hold_as_often_as_they_say, *boost::unit_test::label("slow")) {
    const auto m = mechanism("grr", 1, R"("domain": 2)");
    const Cell values[] = {0, 1};
    Series series;
    series.first = {&values[0], 1};
    series.second = {&values[1], 1};
    SeededBits bits(3);
    int beyond = 0;
    for (int run = 0; run < 500; ++run) beyond += attack(*m, series, 200, 0.9, bits).epsilon > 1 ? 1 : 0;
    BOOST_CHECK_LT(beyond, 50 + 6 * std::sqrt(500 * 0.1 * 0.9));
    BOOST_CHECK_GT(beyond, 0);  // and they are not slack without need
}

BOOST_AUTO_TEST_CASE(no_mechanism_shows_more_than_it_promises, *boost::unit_test::label("slow")) {
    const std::string number = R"("min": 0, "max": 1)", vector = unit_attributes(5);
    for (const auto& [name, rest, least] : std::vector<std::tuple<std::string, std::string, double>>{
             {"oue", R"("domain": 8)", 0.4},
             {"sue", R"("domain": 8)", 0.4},
             {"olh", R"("domain": 20)", 0.3},
             {"subset", R"("domain": 8)", 0.3},
             {"rappor", R"("domain": 20, "filter_bits": 8, "hashes": 1)", 0.3},
             {"laplace", R"("min": 0, "max": 1, "grid": 8)", 0.4},
             {"piecewise", number, 0.3},
             {"optimal", number, 0.3},
             {"square_wave", number, 0.3},
             {"haar", vector, 0.1},
             {"duchi_vector", vector, 0.4},
             {"dbitflip", R"("domain": 8, "bits_per_report": 4)", 0.2}})
        BOOST_TEST_CONTEXT(name)
    BOOST_CHECK_GE(extremes(*mechanism(name, 2, rest), 5000, 4).epsilon, least * 2);
}

BOOST_AUTO_TEST_CASE(fresh_noise_costs_epsilon_each_round_and_memos_once, *boost::unit_test::label("slow")) {
    const auto m = mechanism("grr", 0.5, R"("domain": 3)");
    const double kept = extremes(*m, 100000, 5, rounds(5, false)).epsilon,
                 fresh = extremes(*m, 100000, 6, rounds(5, true)).epsilon,
                 changing = extremes(*m, 100000, 7, rounds(5, false, true)).epsilon;
    BOOST_CHECK_GT(kept, 0.4);
    BOOST_CHECK_LT(kept, 0.5);
    BOOST_CHECK_GT(fresh, 1.2);
    BOOST_CHECK_LT(fresh, 2.5);
    BOOST_CHECK_GT(changing, 0.6);
    BOOST_CHECK_LT(changing, 1.0);
}

BOOST_AUTO_TEST_CASE(two_layers_give_away_little_at_once_and_no_more_than_their_memo_in_all,
                     *boost::unit_test::label("slow")) {
    const auto m = mechanism("l_grr", 2, R"("domain": 3, "report_epsilon": 0.5)");
    const double once = extremes(*m, 20000, 8).epsilon,
                 often = extremes(*m, 4000, 9, rounds(30, false)).epsilon;
    BOOST_CHECK_GT(once, 0.25);
    BOOST_CHECK_LT(once, 0.5);
    BOOST_CHECK_GT(often, 0.9);
    BOOST_CHECK_LT(often, 2.0);
    // A report of many bits.
    const auto wide = mechanism("l_osue", 2, R"("domain": 40, "report_epsilon": 1)");
    BOOST_CHECK_GT(extremes(*wide, 20000, 10).epsilon, 0.25);
}

BOOST_AUTO_TEST_CASE(texts_are_told_apart_without_knowing_what_they_mean) {
    const auto texts = [](const Mechanism& m, Cell value, BitSource& bits) {
        std::vector<std::string> all;
        for (int i = 0; i < 20000; ++i) all.push_back(to_hex(m.perturb({&value, 1}, bits)));
        return all;
    };
    SeededBits bits(11);
    for (const auto& [name, domain] : {std::pair{"grr", 5}, {"oue", 60}}) {
        const auto m = mechanism(name, 2, "\"domain\": " + std::to_string(domain));
        const LowerBound found = attack(texts(*m, 0, bits), texts(*m, 1, bits), sure);
        BOOST_CHECK_GT(found.epsilon, 1);
        BOOST_CHECK_LT(found.epsilon, 2);
        BOOST_CHECK_SMALL(attack(texts(*m, 0, bits), texts(*m, 0, bits), sure).epsilon, 1e-12);
    }
    // The truth itself.
    const std::vector<std::string> zeros(1000, "0"), ones(1000, "1");
    BOOST_CHECK_GT(attack(zeros, ones, 0.99).epsilon, 4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
