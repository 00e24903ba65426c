// Critical values and p-values for all looks at the data: figures of the manual, and the level while groups grow.

#include "core/groups/interval_rule.hpp"

#include <cmath>
#include <random>

#include "core/base/error.hpp"
#include "core/groups/difference.hpp"
#include "core/math/statistics.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(interval_rules)

namespace {

constexpr double of_one_look = 1.959963984540054;  // of confidence 0.95

}  // namespace

// The normal mixture at the error 0.05, with the figures of the manual.
BOOST_AUTO_TEST_CASE(sequences_are_narrowest_at_their_number_of_people) {
    const IntervalRule rule = IntervalRule::of(0.95, true, false);
    for (const auto& [people, ratio] : {std::pair{50, 2.38}, std::pair{100, 1.95}, std::pair{1000, 1.55},
                                        std::pair{10'000, 1.66}, std::pair{100'000, 1.82}})
        BOOST_CHECK_SMALL(rule.critical_value(people) / of_one_look - ratio, 0.006);
    BOOST_TEST(rule.critical_value(990) > rule.critical_value(1000));
    BOOST_TEST(rule.critical_value(1010) > rule.critical_value(1000));
    for (const double people : {1.0, 50.0, 1000.0, 1e6})
        BOOST_TEST(rule.p_value(rule.critical_value(people), people) == 0.05,
                   boost::test_tools::tolerance(1e-9));
    // The probability of z > 3.03 if a test at the level 0.05 has the power 0.8.
    BOOST_CHECK_SMALL(one_sided(rule.critical_value(1000) - of_one_look - 0.8416) - 0.41, 0.005);
    BOOST_CHECK_THROW((void)IntervalRule::of(1, true, false), Error);
}

BOOST_AUTO_TEST_CASE(people_of_a_difference_weigh_their_variances) {
    const GroupEstimate group{{0.5, 0.1}, {}, 400}, same{{0.5, 0.1}, {}, 400}, exact{{0.5, 0}, {}, 100};
    BOOST_TEST(people_of_difference(group, same) == 400);
    BOOST_TEST(people_of_difference(group, exact) == 400);
    BOOST_TEST(people_of_difference(exact, {{0.5, 0}, {}, 300}) == 150);
}

namespace {

/// Draws of one group of people: how many of them reported the value.
struct GrowingGroup {
    std::uint64_t people, counted;

    void add(std::uint64_t further, double sent, std::mt19937_64& draws) {
        people += further;
        counted += std::binomial_distribution<std::uint64_t>(further, sent)(draws);
    }
    [[nodiscard]] double share() const { return static_cast<double>(counted) / static_cast<double>(people); }
};

/// The numbers of 1,000 repetitions in which 1,000 looks at two groups without a difference reject at least once.
struct FalseAlarms {
    std::size_t repeated = 0, anytime = 0;
};
/// The first group starts with 50 people, and grows by `step` between looks; the second one starts with `others`, and
/// grows by `step` or not at all.
FalseAlarms false_alarms(double epsilon, double share, std::uint64_t step, std::uint64_t others, bool both,
                         std::mt19937_64& draws) {
    const double e = std::exp(epsilon), p = e / (e + 3), q = 1 / (e + 3), sent = q + share * (p - q);
    const IntervalRule rule = IntervalRule::of(0.95, true, false);
    const auto estimated = [&](const GrowingGroup& group) {
        const double counted = group.share(), all = static_cast<double>(group.people);
        return GroupEstimate{{(counted - q) / (p - q), std::sqrt(counted * (1 - counted) / all) / (p - q)},
                             {.n = group.people, .p = p, .q = q, .truths = possible_shares},
                             all};
    };
    FalseAlarms found;
    for (int repetition = 0; repetition < 1000; ++repetition) {
        GrowingGroup a{}, b{};
        a.add(50, sent, draws), b.add(others, sent, draws);
        bool repeated = false, anytime = false;
        for (int look = 0; look < 1000 && !anytime; ++look) {
            if (look > 0) a.add(step, sent, draws);
            if (look > 0 && both) b.add(step, sent, draws);
            const double mean =
                static_cast<double>(a.counted + b.counted) / static_cast<double>(a.people + b.people);
            const double far =
                std::abs(a.share() - b.share()) /
                std::sqrt(mean * (1 - mean) *
                          (1 / static_cast<double>(a.people) + 1 / static_cast<double>(b.people)));
            repeated |= far > of_one_look;
            if (far < 2) continue;  // the least critical value of the sequence is 3.03
            const Difference one = difference(estimated(a), estimated(b), rule);
            anytime = one.p_value < 0.05;
            BOOST_REQUIRE_EQUAL(anytime, one.interval.lower > 0 || one.interval.upper < 0);
        }
        found.repeated += repeated ? 1 : 0;
        found.anytime += anytime ? 1 : 0;
    }
    return found;
}

}  // namespace

// From 50 people in each group on, at frequent looks and up to 20,000 people, also for rare values. The other group grows
// as fast, or has 50 or 1,000 people at all looks, as the summary `before` of a change. If each of 1,000 repetitions had a
// false alarm with the probability 0.05, more than 95 have a probability below 1e-8.
BOOST_AUTO_TEST_CASE(looks_at_all_times_keep_the_level, *boost::unit_test::label("slow")) {
    struct GrowthCase {
        std::uint64_t step, others;
        bool both;
    };
    std::mt19937_64 draws(5012);
    for (const double epsilon : {1.0, 6.0})
        for (const double share : {0.3, 0.02})
            for (const auto& [step, others, both] : {GrowthCase{1, 50, true}, GrowthCase{20, 50, true},
                                                     GrowthCase{1, 50, false}, GrowthCase{2, 1000, false}}) {
                const FalseAlarms found = false_alarms(epsilon, share, step, others, both, draws);
                BOOST_TEST_CONTEXT("epsilon " << epsilon << ", share " << share << ", step " << step
                                              << ", others " << others) {
                    BOOST_TEST_MESSAGE(found.anytime << " and " << found.repeated);
                    BOOST_TEST(found.anytime <= 95u);
                    BOOST_TEST(found.repeated > 95u);
                }
            }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
