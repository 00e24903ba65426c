// Thresholds over rounds: exact ε of whole series, estimates in closed form, diagnostics and bytes. Coverage
// is in threshold_series_coverage_test.cpp.

#include <map>
#include <numeric>

#include "core/base/error.hpp"
#include "number_people.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(threshold_series)

namespace {

/// `round` is that of a snapshot, whose level is above the highest one.
std::vector<std::byte> public_randomness_of(unsigned threshold, unsigned level, std::uint32_t position,
                                            unsigned round = 0) {
    std::vector<std::byte> all{static_cast<std::byte>(threshold), static_cast<std::byte>(level),
                               static_cast<std::byte>(round), std::byte{0}};
    all.resize(8);
    store(all.data() + 4, position);
    return all;
}

void for_each_public_randomness(std::size_t grid, std::size_t thresholds, std::size_t rounds,
                                const std::function<void(Bytes)>& visit) {
    for (unsigned threshold = 1; threshold <= thresholds; ++threshold)
        for (unsigned level = 0; rounds >> level != 0; ++level)
            for (std::uint32_t position = 0; position < grid / thresholds; ++position) {
                visit(public_randomness_of(threshold, level, position));
                if (rounds >> (level + 1) != 0) continue;
                for (unsigned round = 1; round <= rounds; ++round)
                    visit(public_randomness_of(threshold, level + 1, position, round));
            }
}

/// People who are spread over the range, and keep their number.
std::vector<NumberCells> keepers(std::size_t n, std::size_t rounds, std::size_t grid) {
    std::vector<NumberCells> people;
    for (std::size_t i = 0; i < n; ++i)
        people.emplace_back(rounds, (grid / 10 + i % 17 * grid / 60) % (grid + 1));
    return people;
}

double round_mean(const OwnedSummary& summary, std::size_t round) {
    return summary.estimate(Quantity::means)[round - 1].value;
}

}  // namespace

// Privacy --------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(whole_series_keep_epsilon, *boost::unit_test::label("slow")) {
    for (const auto& [grid, thresholds, rounds, changes] :
         {std::array<std::size_t, 4>{2, 2, 3, 1}, {2, 2, 4, 2}, {4, 2, 3, 2}, {2, 2, 5, 1}, {4, 4, 4, 3}})
        for (const double epsilon : {0.01, 1.0, 20.0}) {
            const auto m =
                mechanism("threshold_series", epsilon, threshold_settings(grid, thresholds, rounds, changes));
            Exact worst = exact(1, 1);
            for_each_public_randomness(grid, thresholds, rounds, [&](Bytes public_randomness) {
                std::map<unsigned, std::pair<Exact, Exact>> extremes;
                for_each_input(*m, [&](Input series) {
                    Exact sum = exact(0, 1);
                    for (unsigned string = 0; string < 1u << rounds; ++string) {
                        const auto permanent = static_cast<std::byte>(string);
                        const Exact p = m->probability(series, public_randomness, {&permanent, 1});
                        if (p.is_zero()) continue;
                        sum = sum + p;
                        auto& [least, most] = extremes.try_emplace(string, p, p).first->second;
                        if (p < least) least = p;
                        if (p > most) most = p;
                    }
                    BOOST_REQUIRE(sum == exact(1, 1));
                });
                for (const auto& [string, extreme] : extremes)
                    worst = std::max(worst, extreme.second / extreme.first);
            });
            BOOST_CHECK(worst == m->worst_ratio());
            check_worst_ratio(*m);
        }
}

// The bits of a number are those of a category of two values that says whether it reaches the threshold.
BOOST_AUTO_TEST_CASE(bits_are_those_of_the_sign) {
    const auto m = mechanism("threshold_series", 2, threshold_settings(8, 2, 6, 2));
    const auto signs = mechanism("ddrm", 2, R"("domain": 2, "rounds": 6, "changes": 2)");
    SeededBits bits(7);
    for_each_public_randomness(8, 2, 6, [&](Bytes public_randomness) {
        if (public_randomness[2] != std::byte{0}) return;
        const unsigned split = std::to_integer<unsigned>(public_randomness[0]);
        const Cell threshold = 4 * (split - 1) + load<std::uint32_t>(public_randomness.data() + 4) + 1;
        const std::vector<std::byte> other{std::byte{1}, public_randomness[1], std::byte{0}, std::byte{0}};
        for (int trial = 0; trial < 40; ++trial) {
            NumberCells series(6), reached(6);
            for (std::size_t t = 0; t < 6; ++t) {
                series[t] = bits.below(9);
                reached[t] = series[t] >= threshold ? 0 : 1;  // row 1 makes value 0 a +
            }
            const auto permanent = static_cast<std::byte>(bits.below(64));
            BOOST_REQUIRE(m->probability(series, public_randomness, {&permanent, 1}) ==
                          signs->probability(reached, other, {&permanent, 1}));
        }
    });
}

// A snapshot reports how many of several thresholds the number in its round reaches, by randomized response.
BOOST_AUTO_TEST_CASE(snapshots_count_thresholds) {
    const auto m = mechanism("threshold_series", 3, threshold_settings(24, 8, 4, 1));
    std::size_t bits = 0;
    while (m->valid_payload(std::vector<std::byte>{std::byte{1}, static_cast<std::byte>(14 + 4 * bits)}))
        ++bits;
    --bits;  // 14 outputs of nodes, and 4 rounds of bits + 1 outcomes
    BOOST_TEST((bits == 2 || bits == 4));
    const Exact e = mechanism("grr", 3, "\"domain\": " + std::to_string(bits + 1))->worst_ratio();
    for_each_public_randomness(24, 8, 4, [&](Bytes public_randomness) {
        const auto round = std::to_integer<unsigned>(public_randomness[2]);
        if (round == 0) return;
        const std::size_t classes = 8 / bits;
        const std::size_t first = (std::to_integer<unsigned>(public_randomness[0]) - 1) % classes;
        for (Cell value = 0; value <= 24; ++value) {
            NumberCells series(4, 7);
            series[round - 1] = value;
            std::size_t reached = 0;
            for (std::size_t j = 0; j < bits; ++j)
                reached +=
                    value >= 3 * (first + j * classes) + load<std::uint32_t>(public_randomness.data() + 4) + 1
                        ? 1
                        : 0;
            for (unsigned outcome = 0; outcome <= bits + 1; ++outcome) {
                const auto permanent = static_cast<std::byte>(outcome);
                const Exact odds = outcome > bits ? exact(0, 1) : outcome == reached ? e : exact(1, 1);
                BOOST_REQUIRE(m->probability(series, public_randomness, {&permanent, 1}) ==
                              odds / (e + exact(bits, 1)));
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(thresholds_are_uniform) {
    const auto m = mechanism("threshold_series", 1, threshold_settings(8, 4, 4, 1));
    SeededBits bits(8);
    std::vector<std::uint64_t> drawn(8);
    std::vector<std::byte> public_randomness(m->public_size());
    for (int i = 0; i < 20000; ++i) {
        m->draw_public(bits, public_randomness);
        BOOST_REQUIRE(m->valid_public(public_randomness));
        ++drawn[2 * (std::to_integer<std::size_t>(public_randomness[0]) - 1) +
                load<std::uint32_t>(public_randomness.data() + 4)];
    }
    BOOST_CHECK_GT(goodness_of_fit("thresholds", drawn).p_value, 1e-8);
    BOOST_CHECK(!m->valid_public(public_randomness_of(1, 0, 2)));
    BOOST_CHECK(!m->valid_public(public_randomness_of(5, 0, 0)));
    BOOST_CHECK(!m->valid_public(public_randomness_of(0, 0, 0)));
    BOOST_CHECK(!m->valid_public(public_randomness_of(1, 3, 0)));
}

// Estimates ------------------------------------------------------------------------------------------------

// n·Var of the mean of numbers spread evenly over [−1, 1], with their own variance, averaged over the rounds.
// The bounds are the goals for two levels of ε; without snapshots and least squares they were 513, 1216, 1678
// and 67, 157, 216.
BOOST_AUTO_TEST_CASE(snapshots_reduce_the_mean_variance) {
    std::vector<double> even(4097, 1.0 / 4097);
    for (const auto& [rounds, epsilon, most] : {std::tuple<std::size_t, double, double>{16, 1, 76},
                                                {64, 1, 197},
                                                {128, 1, 285},
                                                {16, 3, 10.6},
                                                {64, 3, 26.5},
                                                {128, 3, 38}}) {
        const auto m = mechanism("threshold_series", epsilon, threshold_settings(32768, 32, rounds, 2));
        double sum = 0, largest = 0;
        for (std::size_t t = 0; t < rounds; ++t) {
            const double one = m->n_variance_of(t, 0, even) + 1.0 / 3;
            sum += one;
            largest = std::max(largest, one);
        }
        BOOST_TEST_MESSAGE("T " << rounds << " epsilon " << epsilon << ": "
                                << sum / static_cast<double>(rounds) << ", worst " << largest);
        BOOST_TEST(sum / static_cast<double>(rounds) <= most);
    }
}

BOOST_AUTO_TEST_CASE(variance_in_closed_form) {
    for (const double epsilon : {0.5, 2.0, 6.0})
        for (const double f : {0.0, 0.3, 0.5}) {
            const auto signs = mechanism("ddrm", epsilon, R"("domain": 2, "rounds": 3, "changes": 1)");
            const auto m = mechanism("threshold_series", epsilon, threshold_settings(34, 17, 3, 1));
            // A snapshot has one threshold, as no other number divides 17. A random threshold makes people with the number f differ as a share f of holders does.
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance(2 * f - 1), 4 * (signs->n_variance(f) + f * (1 - f)),
                                       1e-9);
            // People at the two ends of the range differ in nothing from holders.
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance_of(2, 0, std::vector<double>{1 - f, f}),
                                       4 * signs->n_variance_of(2, 1, std::vector<double>{1 - f, f}), 1e-9);
            if (f > 0)
                BOOST_CHECK_CLOSE_FRACTION(m->n_variance_of(2, 0, std::vector<double>{0, 1, 0}),
                                           m->n_variance(0), 1e-1);
        }
}

BOOST_AUTO_TEST_CASE(thresholds_divide_the_grid) {
    const auto thresholds = [](const std::string& rest) {
        const auto m = mechanism("threshold_series", 2, R"("min": 0, "max": 1)" + rest);
        for (const auto& [name, value] : m->parameters())
            if (name == "thresholds") return value;
        return 0.0;
    };
    BOOST_CHECK_EQUAL(thresholds(""), 32);
    BOOST_CHECK_EQUAL(thresholds(R"(, "grid": 24)"), 24);
    BOOST_CHECK_EQUAL(thresholds(R"(, "grid": 100)"), 25);
    BOOST_CHECK_EQUAL(thresholds(R"(, "grid": 9)"), 9);
    BOOST_CHECK_EQUAL(thresholds(R"(, "grid": 9, "thresholds": 3)"), 3);
    BOOST_CHECK_THROW(static_cast<void>(thresholds(R"(, "grid": 131)")), Error);
    BOOST_CHECK_THROW(static_cast<void>(thresholds(R"(, "thresholds": 12)")), Error);
    BOOST_CHECK_THROW(static_cast<void>(thresholds(R"(, "thresholds": 1)")), Error);
    BOOST_CHECK_THROW(static_cast<void>(thresholds(R"(, "thresholds": 256)")), Error);
}

BOOST_AUTO_TEST_CASE(a_round_has_an_ordered_distribution) {
    // Sharp if each part is one step of the grid.
    for (const std::size_t grid : {64, 8}) {
        const auto m = mechanism("threshold_series", 8, threshold_settings(grid, 8, 4, 1));
        const std::vector<NumberCells> people = keepers(50000, 4, grid);
        SeededBits bits(259);
        const OwnedSummary summary = reported_series(*m, people, bits);
        const auto [ordered, counts] = capability<NumberSeries>(*m).in_round(2, summary.view());
        const std::vector<double> truth = rounded_shares(people, 1, grid, 8);
        const std::vector<double> below = ordered->cumulative(counts);
        const auto noise = ordered->noise(counts, truth);
        const auto expected = ordered->expected_noise(truth);
        double sum = 0;
        for (std::size_t point = 0; point < 8; ++point) {
            sum += truth[point];
            // The variance of the share up to a point, in three ways.
            const double n_variance = noise->between(0, point + 1);
            BOOST_CHECK_CLOSE_FRACTION(n_variance, noise->falling(point + 1, std::vector<double>(8 - point)),
                                       1e-9);
            BOOST_CHECK_CLOSE_FRACTION(n_variance, expected->between(0, point + 1), 0.05);
            BOOST_CHECK_LT(std::abs(below[point] - sum),
                           6 * std::sqrt(n_variance / static_cast<double>(counts.n)));
        }
        BOOST_CHECK_CLOSE_FRACTION(static_cast<double>(counts.n), 50000, 0.05);
        BOOST_CHECK_CLOSE_FRACTION(capability<SeriesRandomizer>(*m).reports_per_user(),
                                   static_cast<double>(summary.view().n) / 50000, 0.02);
        BOOST_CHECK_EQUAL(ordered->blur(counts.n) == 0, grid == 8);
        const Distribution fit = ordered->fit(counts, Smoothing::none);
        BOOST_CHECK_CLOSE_FRACTION(std::accumulate(fit.shares.begin(), fit.shares.end(), 0.0), 1, 1e-9);
        for (std::size_t point = 0; point <= 8; ++point)
            BOOST_CHECK_SMALL(fit.shares[point] - truth[point], 0.1);
        BOOST_CHECK_EQUAL(fit.edges.size(), 10u);
    }
}

BOOST_AUTO_TEST_CASE(estimates_are_in_units_of_the_attribute) {
    const auto unit = mechanism("threshold_series", 2, threshold_settings(64, 8, 4, 1));
    const auto wide =
        mechanism("threshold_series", 2, threshold_settings(64, 8, 4, 1, R"("min": 100, "max": 300)"));
    const std::vector<NumberCells> people = keepers(500, 4, 64);
    SeededBits one(5), two(5);
    const OwnedSummary small = reported_series(*unit, people, one),
                       large = reported_series(*wide, people, two);
    const auto means = small.estimate(Quantity::means), wider = large.estimate(Quantity::means);
    BOOST_REQUIRE_EQUAL(means.size(), 4u);
    for (std::uint32_t t = 1; t <= 4; ++t) {
        BOOST_CHECK_CLOSE_FRACTION(100 + 200 * means[t - 1].value, wider[t - 1].value, 1e-9);
        BOOST_CHECK_CLOSE_FRACTION(200 * means[t - 1].standard_error, wider[t - 1].standard_error, 1e-9);
        BOOST_CHECK_CLOSE_FRACTION(mean_over(large, {t}).value, wider[t - 1].value, 1e-12);
        BOOST_CHECK_CLOSE_FRACTION(mean_over(large, {t}).standard_error, wider[t - 1].standard_error, 1e-12);
        const RoundEstimate narrow = mean_over(small, {t}), scaled = mean_over(large, {t});
        const Interval in_unit = interval(narrow, 1.96, narrow.law),
                       in_range = interval(scaled, 1.96, scaled.law);
        BOOST_CHECK_CLOSE_FRACTION(100 + 200 * in_unit.lower, in_range.lower, 1e-9);
        BOOST_CHECK_CLOSE_FRACTION(100 + 200 * in_unit.upper, in_range.upper, 1e-9);
    }
    const double change = mean_over(large, {4}, {1}).value;
    BOOST_CHECK_CLOSE_FRACTION(change, wider[3].value - wider[0].value, 1e-9);
    BOOST_CHECK_CLOSE_FRACTION(change, 200 * mean_over(small, {4}, {1}).value, 1e-6);
    BOOST_CHECK_CLOSE_FRACTION(mean_over(large, {2, 3, 4}, {1}).value,
                               (wider[1].value + wider[2].value + wider[3].value) / 3 - wider[0].value, 1e-6);
    BOOST_CHECK_SMALL(mean_over(large, {2, 3}, {3, 2}).standard_error, 1e-12);
    RoundDistribution distribution(large.view(), 3);
    BOOST_CHECK_EQUAL(distribution.share_between(0, 500, Target::sample).value, 1);
    BOOST_CHECK_EQUAL(distribution.share_between(301, 500, Target::sample).value, 0);
    BOOST_CHECK(!distribution.smearing().empty());
    for (const std::int64_t round : {-1, 0, 5})
        BOOST_CHECK_THROW(static_cast<void>(mean_over(small, {round})), Error);
    BOOST_CHECK_THROW(static_cast<void>(mean_over(small, {1}, {5})), Error);
    BOOST_CHECK_THROW(static_cast<void>(mean_over(small, {})), Error);
    BOOST_CHECK_THROW(RoundDistribution(small.view(), 0), Error);
    BOOST_CHECK_THROW(RoundDistribution(small.view(), 5), Error);
    BOOST_CHECK_THROW(static_cast<void>(distribution.share_between(2, 1, Target::sample)), Error);
    BOOST_CHECK_THROW(static_cast<void>(distribution.quantile(1, 0.95, Target::sample)), Error);
}

BOOST_AUTO_TEST_CASE(rounds_without_reports_are_unknown) {
    const auto m = mechanism("threshold_series", 2, threshold_settings(64, 8, 8, 1));
    const std::vector<NumberCells> people = keepers(500, 3, 64);
    SeededBits bits(6);
    const OwnedSummary summary = reported_series(*m, people, bits);
    for (std::uint32_t t = 1; t <= 8; ++t) {
        BOOST_CHECK_EQUAL(std::isnan(round_mean(summary, t)), t > 3);
        BOOST_CHECK_EQUAL(RoundDistribution(summary.view(), t).known(), t <= 3);
    }
    BOOST_CHECK(std::isnan(mean_over(summary, {1, 4}).value));
    BOOST_CHECK(!std::isnan(mean_over(summary, {1, 3}).value));
}

// Health ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(too_many_changes_show) {
    const auto m = mechanism("threshold_series", 6, threshold_settings(64, 8, 8, 1));
    const auto p_value = [](const OwnedSummary& summary) {
        for (const Check& check : health(summary.view()))
            if (check.name == "levels agree") return check.p_value;
        throw std::logic_error("no such check");
    };
    SeededBits bits(271);
    const auto honest = reported_series(*m, keepers(20000, 8, 64), bits);
    BOOST_CHECK_GT(honest.health(), 1e-4);
    std::vector<NumberCells> restless;
    for (std::size_t i = 0; i < 20000; ++i)
        restless.push_back({5, 5, 60, 60, i % 2 == 0 ? 60u : 5u, 60, 5, 5});
    BOOST_CHECK_LT(p_value(reported_series(*m, restless, bits)), 1e-6);
    OwnedSummary forged = reported_series(*m, keepers(4000, 8, 64), bits);
    Report report(m->block().begin(), m->block().end());
    report.push_back(std::byte{3});
    report.push_back(std::byte{1});
    for (int i = 0; i < 1000; ++i) forged.add(report);
    double least = 1;
    for (const Check& check : health(forged.view()))
        if (check.name == "thresholds drawn") least = check.p_value;
    BOOST_CHECK_LT(least, 1e-6);
}

// Bytes ----------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(impossible_parameters_are_refused) {
    const auto m = mechanism("threshold_series", 1, threshold_settings(64, 8, 8, 2));
    const auto with = [&](std::size_t field, std::uint32_t value) {
        std::vector<std::byte> block(m->block().begin(), m->block().end());
        store(block.data() + header_size + 4 * field, value);
        return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
    };
    for (const std::uint32_t grid : {0u, 1u, 12u, (1u << 20) + 8, ~0u}) BOOST_CHECK(with(0, grid));
    for (const std::uint32_t thresholds : {0u, 1u, 3u, 128u, 256u, ~0u}) BOOST_CHECK(with(1, thresholds));
    for (const std::uint32_t rounds : {0u, 1u, 2u, 4097u, ~0u}) BOOST_CHECK(with(2, rounds));
    for (const std::uint32_t changes : {0u, 8u, ~0u}) BOOST_CHECK(with(3, changes));
    BOOST_CHECK(!with(0, 1u << 20) && !with(1, 64) && !with(2, 4096) && !with(3, 7));
    std::vector<std::byte> empty(m->block().begin(), m->block().end());
    store(empty.data() + header_size + 16, 2.0);  // min above max
    BOOST_CHECK(malformed([&] { static_cast<void>(load_mechanism(empty, Kind::report)); }));
}

BOOST_AUTO_TEST_CASE(impossible_payloads_are_refused) {
    const auto m = mechanism("threshold_series", 1, threshold_settings(60, 5, 5, 2));  // 5 + 2 + 1 nodes
    constexpr unsigned outcomes = 2;
    for (unsigned threshold = 0; threshold < 256; ++threshold)
        for (unsigned output = 0; output < 256; ++output) {
            const std::byte payload[] = {static_cast<std::byte>(threshold), static_cast<std::byte>(output)};
            const bool valid = threshold >= 1 && threshold <= 5 && output < 16 + 5 * outcomes;
            std::vector<std::byte> state(m->state_size());
            BOOST_REQUIRE_EQUAL(m->valid_payload(payload), valid);
            BOOST_REQUIRE_EQUAL(m->accumulate(state, payload), valid);
            BOOST_REQUIRE(m->valid_state({valid ? 1u : 0u, state}));
        }
    BOOST_REQUIRE_EQUAL(m->state_size(), (2u * 5 * 8 + 5 * 5 * outcomes) * 8);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
