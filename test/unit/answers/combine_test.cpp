// Estimates of one number from several collections.

#include "core/groups/independent.hpp"

#include <cmath>
#include <tuple>

#include "core/base/text.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(combine)

namespace {

/// Estimates of a share from every possible count of reports that support it, with exact intervals.
std::vector<BoundedEstimate> of_every_count(const FrequencyOracle& oracle, std::uint64_t n) {
    std::vector<BoundedEstimate> all;
    for (std::uint64_t support = 0; support <= n; ++support) {
        const Estimate estimate = oracle.protocol().frequency(support, n, Target::population);
        all.push_back(
            {estimate, interval(estimate, critical_value(0.95), oracle.error_law(n, Target::population))});
    }
    return all;
}

/// The probability of each count among n reports.
std::vector<double> binomial(std::uint64_t n, double chance) {
    std::vector<double> law{1};
    for (std::uint64_t i = 0; i < n; ++i) {
        law.push_back(0);
        for (std::size_t j = law.size(); j-- > 0;)
            law[j] = (1 - chance) * law[j] + (j > 0 ? chance * law[j - 1] : 0);
    }
    return law;
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_is_the_mean_of_least_variance) {
    const Estimate all[] = {{3, 0.5}, {4, 2}, {2.5, 0.25}};
    double weights = 0, sum = 0;
    for (const auto& [value, error] : all) {
        weights += 1 / (error * error);
        sum += value / (error * error);
    }
    const int orders[][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
    for (const auto& [i, j, k] : orders) {
        const Estimate found = combined(combined(all[i], all[j]), all[k]);
        BOOST_TEST(found.value == sum / weights, boost::test_tools::tolerance(1e-14));
        BOOST_TEST(found.standard_error == std::sqrt(1 / weights), boost::test_tools::tolerance(1e-14));
    }
    const Estimate tiny = combined({1e-200, 3e-200}, {2e-200, 4e-200}),
                   huge = combined({1e200, 3e200}, {2e200, 4e200});
    BOOST_TEST(tiny.standard_error == 2.4e-200, boost::test_tools::tolerance(1e-14));
    BOOST_TEST(huge.standard_error == 2.4e200, boost::test_tools::tolerance(1e-14));
    const Estimate far = combined({1, 1}, {7, 1e300});
    BOOST_TEST(far.value == 1);
    BOOST_TEST(far.standard_error == 1);
}

// People choose their ε: the weighted mean holds, also of shares, whose errors are smaller where they are,
// and is as good as with the errors that the truth has.
BOOST_AUTO_TEST_CASE(people_who_choose_their_epsilon_are_combined, *boost::unit_test::label("slow")) {
    struct CombinationCase {
        std::string rest;
        Quantity quantity;
        std::vector<Cell> people;
        double truth;
    };
    std::vector<Cell> wages;
    for (std::size_t i = 0; i < 400; ++i) wages.push_back(i * i % 101);
    double mean = 0;
    for (const Cell wage : wages) mean += static_cast<double>(wage) / 400;
    const CombinationCase cases[] = {
        {R"("domain": 4, "mechanism": "grr")", Quantity::frequencies, people_of({0.1, 0.2, 0.3, 0.4}, 400),
         0.1},
        {R"("min": 0, "max": 100, "grid": 100, "mechanism": "pdp")", Quantity::means, wages, mean}};
    for (const CombinationCase& one : cases) {
        std::vector<std::unique_ptr<const Mechanism>> all;
        for (const double epsilon : {0.5, 1.0, 3.0})
            all.push_back(mechanism("{\"epsilon\": " + shortest(epsilon) + ", " + one.rest + "}"));
        SeededBits bits(77);
        Simulation simulation;
        std::vector<double> squares(all.size());
        constexpr std::size_t repetitions = 5000;
        for (std::size_t r = 0; r < repetitions; ++r) {
            Estimate whole{};
            for (std::size_t i = 0; i < all.size(); ++i) {
                const Estimate each = reported(*all[i], one.people, bits).estimate(one.quantity)[0];
                squares[i] += std::pow(each.value - one.truth, 2) / repetitions;
                whole = i == 0 ? each : combined(whole, each);
            }
            simulation.add({whole}, {one.truth});
        }
        simulation.check_coverage();
        BOOST_TEST(std::abs(simulation.bias(0)) < 0.1 * std::sqrt(simulation.variance(0)));
        double precision = 0;
        for (const double square : squares) precision += 1 / square;
        BOOST_TEST(simulation.variance(0) * precision < 1 + 6 * std::sqrt(2.0 / repetitions));
    }
}

// All pairs of counts, weighted by their exact probabilities.
BOOST_AUTO_TEST_CASE(intervals_of_differences_and_quotients_cover) {
    for (const auto& [epsilon, n, m] : {std::tuple{1.0, 400, 600}, {4.0, 50, 80}, {8.0, 100, 50}}) {
        const auto randomizer = mechanism("grr", epsilon, R"("domain": 4)");
        const auto& oracle = capability<FrequencyOracle>(*randomizer);
        const auto [p, q] = oracle.protocol();
        const auto ones = of_every_count(oracle, static_cast<std::uint64_t>(n)),
                   others = of_every_count(oracle, static_cast<std::uint64_t>(m));
        for (const auto& [share, other_share] : {std::pair{0.2, 0.7}, {0.5, 0.9}, {0.05, 0.6}, {1.0, 1.0}}) {
            const auto law = binomial(static_cast<std::uint64_t>(n), q + share * (p - q)),
                       other_law = binomial(static_cast<std::uint64_t>(m), q + other_share * (p - q));
            double difference = 0, quotient = 0, weighted = 0;
            for (std::size_t a = 0; a < ones.size(); ++a)
                for (std::size_t b = 0; b < others.size(); ++b) {
                    const double chance = law[a] * other_law[b];
                    if (chance < 1e-11) continue;
                    const auto covers = [&](const BoundedEstimate& found, double truth) {
                        BOOST_REQUIRE(found.interval.lower <= found.estimate.value &&
                                      found.estimate.value <= found.interval.upper);
                        return found.interval.lower <= truth && truth <= found.interval.upper ? chance : 0;
                    };
                    difference += covers(difference_of(ones[a], others[b]), share - other_share);
                    quotient += covers(quotient_of(ones[a], others[b]), share / other_share);
                    weighted += covers(weighted_mean(ones[a], 0.2, others[b], 5),
                                       (0.2 * share + 5 * other_share) / 5.2);
                }
            BOOST_TEST_CONTEXT("epsilon " << epsilon << ", shares " << share << ", " << other_share) {
                BOOST_TEST_MESSAGE(difference << ", " << quotient << ", " << weighted);
                for (const double covered : {difference, quotient, weighted}) BOOST_CHECK_GE(covered, 0.93);
                // At the ends of the possible values, the intervals cover more.
                if (share < 1)
                    for (const double covered : {difference, quotient, weighted})
                        BOOST_CHECK_LE(covered, 0.98);
            }
        }
    }
}

// ldp_hitters: the share of a string, of which one or two rounds with different people report, among those people. All counts,
// weighted by their exact probabilities. Counts are few, so the probability of a single share differs from that of others.
BOOST_AUTO_TEST_CASE(shares_that_rounds_count_together_are_covered) {
    struct CoverageOfShares {
        double mean = 0, least = 1;
        void add(double probability) {
            mean += probability / 5;
            least = std::min(least, probability);
        }
    };
    double least_of_normal = 1;
    for (const double epsilon : {2.0, 4.0, 6.0})
        for (const std::uint64_t n : {30, 100, 1000}) {
            const auto randomizer = mechanism("subset", epsilon, R"("domain": 100)");
            const auto& oracle = capability<FrequencyOracle>(*randomizer);
            const auto [p, q] = oracle.protocol();
            std::vector<BoundedEstimate> found;
            for (std::uint64_t support = 0; support <= n; ++support) {
                const Estimate estimate = oracle.protocol().frequency(support, n, Target::sample);
                found.push_back({estimate, interval(estimate, critical_value(0.95),
                                                    oracle.error_law(n, Target::sample))});
            }
            CoverageOfShares one, both, normal;
            for (const std::uint64_t twentieths : {1, 2, 6, 10, 18}) {
                const std::uint64_t holders = n * twentieths / 20;
                const double share = static_cast<double>(holders) / static_cast<double>(n);
                const auto of_holders = binomial(holders, p), of_others = binomial(n - holders, q);
                std::vector<double> chances(n + 1);
                for (std::size_t a = 0; a < of_holders.size(); ++a)
                    for (std::size_t b = 0; b < of_others.size(); ++b)
                        chances[a + b] += of_holders[a] * of_others[b];
                const auto covers = [share](const Interval& range) {
                    return range.lower - 1e-9 <= share && share <= range.upper + 1e-9 ? 1.0 : 0.0;
                };
                double of_one = 0, of_both = 0, of_normal = 0;
                for (std::size_t a = 0; a <= n; ++a) {
                    if (chances[a] < 1e-9) continue;
                    of_one += chances[a] * covers(found[a].interval);
                    of_normal += chances[a] * covers(interval(found[a].estimate, 0.95));
                    for (std::size_t b = 0; b <= n; ++b)
                        if (chances[a] * chances[b] > 1e-12)
                            of_both += chances[a] * chances[b] *
                                       covers(weighted_mean(found[a], 1, found[b], 1).interval);
                }
                one.add(of_one);
                both.add(of_both);
                normal.add(of_normal);
            }
            BOOST_TEST_CONTEXT("epsilon " << epsilon << ", " << n << " people") {
                BOOST_TEST_MESSAGE("epsilon " << epsilon << ", " << n << " people: one round " << one.mean
                                              << " (least " << one.least << "), two " << both.mean << " ("
                                              << both.least << "), normal " << normal.mean << " ("
                                              << normal.least << ")");
                BOOST_CHECK_GE(one.mean, 0.94);
                BOOST_CHECK_GE(both.mean, 0.94);
                BOOST_CHECK_GE(std::min(one.least, both.least), 0.9);
            }
            least_of_normal = std::min(least_of_normal, normal.least);
        }
    BOOST_CHECK_LT(least_of_normal, 0.8);
}

BOOST_AUTO_TEST_CASE(quotients_solve_their_equation) {
    const BoundedEstimate numerators[] = {{{3, 1}, {1, 6}},     {{-3, 1}, {-5, -2}}, {{0.5, 1}, {-1, 3}},
                                          {{-0.5, 1}, {-3, 1}}, {{0, 1}, {-2, 2}},   {{0, 0}, {0, 0}}};
    const BoundedEstimate denominators[] = {
        {{4, 1}, {3, 5.5}}, {{4, 2}, {0.01, 7}}, {{-4, 2}, {-7.5, -1}}, {{4, 0}, {4, 4}}};
    for (const BoundedEstimate& one : numerators)
        for (const BoundedEstimate& other : denominators) {
            const BoundedEstimate found = quotient_of(one, other);
            const auto of_rest = [&](double q) {
                const BoundedEstimate product{
                    {q * other.estimate.value, std::abs(q) * other.estimate.standard_error},
                    {std::min(q * other.interval.lower, q * other.interval.upper),
                     std::max(q * other.interval.lower, q * other.interval.upper)}};
                return difference_of(one, product).interval;
            };
            const bool positive = other.estimate.value > 0;
            const Interval first = of_rest(found.interval.lower), last = of_rest(found.interval.upper);
            BOOST_TEST(std::abs(positive ? first.lower : first.upper) < 1e-9);
            BOOST_TEST(std::abs(positive ? last.upper : last.lower) < 1e-9);
            const auto opposite = [](const BoundedEstimate& of) {
                return BoundedEstimate{{-of.estimate.value, of.estimate.standard_error},
                                       {-of.interval.upper, -of.interval.lower}};
            };
            BOOST_TEST(quotient_of(opposite(one), opposite(other)).interval.lower == found.interval.lower);
            BOOST_TEST(std::abs(quotient_of(opposite(one), other).interval.upper + found.interval.lower) <
                       1e-12);
        }
    BOOST_TEST(std::isinf(quotient_of({{1, 1}, {0, 2}}, {{1, 1}, {-1, 2}}).interval.upper));
    BOOST_TEST(std::isnan(quotient_of({{1, 1}, {0, 2}}, {{0, 1}, {-1, 2}}).estimate.value));
}

// Twenty groups of twenty people with weights from 0.2 to 5, in every order.
BOOST_AUTO_TEST_CASE(weighted_means_of_small_groups_cover) {
    const auto randomizer = mechanism("grr", 2, R"("domain": 2)");
    const auto& oracle = capability<FrequencyOracle>(*randomizer);
    const auto [p, q] = oracle.protocol();
    const auto estimates = of_every_count(oracle, 20);
    SeededBits bits(9);
    Simulation simulation;
    for (std::size_t r = 0; r < 6000; ++r) {
        double truth = 0, total = 0, forward_total = 0;
        BoundedEstimate forward{}, backward{};
        std::vector<std::pair<BoundedEstimate, double>> groups;
        for (std::size_t g = 0; g < 20; ++g) {
            const double share = 0.1 + 0.04 * static_cast<double>(g),
                         weight = 0.2 * std::pow(25, static_cast<double>(g * 7 % 20) / 19);
            std::size_t count = 0;
            for (std::size_t i = 0; i < 20; ++i)
                count += static_cast<double>(bits.word() >> 11) * 0x1p-53 < q + share * (p - q);
            groups.emplace_back(estimates[count], weight);
            truth += weight * share;
            total += weight;
        }
        for (const auto& [estimate, weight] : groups) {
            forward = weighted_mean(forward, forward_total, estimate, weight);
            forward_total += weight;
        }
        double backward_total = 0;
        for (std::size_t g = groups.size(); g-- > 0;) {
            backward = weighted_mean(backward, backward_total, groups[g].first, groups[g].second);
            backward_total += groups[g].second;
        }
        BOOST_REQUIRE(std::abs(forward.interval.lower - backward.interval.lower) < 1e-12);
        BOOST_REQUIRE(std::abs(forward.estimate.standard_error - backward.estimate.standard_error) < 1e-12);
        simulation.add({forward.estimate}, {forward.interval}, {truth / total});
    }
    simulation.check_coverage();
    simulation.check_unbiased();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
