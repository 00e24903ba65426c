// The test of groups and values with one p-value: against Pearson's statistic, its level for small groups, its power, and
// repeated reports.

#include "core/groups/group_test.hpp"

#include <cmath>
#include <random>

#include "core/base/error.hpp"
#include "core/groups/change.hpp"
#include "core/groups/comparison.hpp"
#include "core/groups/independent.hpp"
#include "core/math/statistics.hpp"
#include "core/results/row_functions.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(group_tests)

namespace {

OwnedSummary sampled(const Mechanism& m, std::size_t people, const std::vector<double>& shares,
                     BitSource& bits, std::mt19937_64& draws) {
    std::discrete_distribution<Cell> value(shares.begin(), shares.end());
    std::vector<Cell> cells(people);
    for (Cell& cell : cells) cell = value(draws);
    return reported(m, cells, bits);
}

std::vector<SummaryView> views_of(const std::vector<OwnedSummary>& summaries) {
    std::vector<SummaryView> views;
    for (const OwnedSummary& one : summaries) views.push_back(one.view());
    return views;
}

}  // namespace

// Reports of grr are counts of a contingency table, so the exact score statistic is Pearson's.
BOOST_AUTO_TEST_CASE(grr_has_the_statistic_of_pearson) {
    const auto m = mechanism("grr", 1.5, R"("domain": 4)");
    SeededBits bits(4101);
    std::mt19937_64 draws(5101);
    std::vector<OwnedSummary> groups;
    for (const std::size_t people : {300, 200, 150})
        groups.push_back(sampled(*m, people, {0.4, 0.3, 0.2, 0.1}, bits, draws));
    const double p = std::exp(1.5) / (std::exp(1.5) + 3), q = (1 - p) / 3;
    std::vector<std::vector<double>> shares;
    std::vector<double> all(4);
    for (const OwnedSummary& one : groups) {
        std::vector<double> sent;
        for (const Estimate& each : one.estimate(Quantity::frequencies, Target::population))
            sent.push_back(q + each.value * (p - q));
        for (std::size_t v = 0; v < 4; ++v) all[v] += sent[v] * static_cast<double>(one.view().n) / 650;
        shares.push_back(sent);
    }
    double pearson = 0;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t v = 0; v < 4; ++v)
            pearson += static_cast<double>(groups[g].view().n) * std::pow(shares[g][v] - all[v], 2) / all[v];
    const std::vector<SummaryView> views = views_of(groups);
    const GroupTest found = test_groups(views).at(0);
    BOOST_TEST(found.statistic == pearson, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(found.degrees_of_freedom == 6);
    BOOST_TEST(found.p_value == chi_square_above(6, pearson), boost::test_tools::tolerance(1e-9));
    BOOST_TEST(found.groups == 3u);
    BOOST_TEST(found.n == 650u);
}

// Groups of one population. In 1,500 repetitions, a rate of 0.05 has a standard deviation of 0.0056, and the mean of the
// statistic one of √(2/(1500·degrees)); both bounds are six of them.
BOOST_AUTO_TEST_CASE(the_level_holds_for_small_groups, *boost::unit_test::label("slow")) {
    struct LevelCase {
        const char* name;
        double epsilon;
        std::vector<double> shares;
        std::vector<std::size_t> sizes;
    };
    const std::vector<double> few{0.6, 0.3, 0.1, 0},
        many{0.5, 0.2, 0.1, 0.05, 0.05, 0.04, 0.03, 0.02, 0.01, 0};
    SeededBits bits(4102);
    std::mt19937_64 draws(5102);
    for (const auto& [name, epsilon, shares, sizes] :
         {LevelCase{"grr", 1, few, {50, 50, 50, 50}}, LevelCase{"grr", 4, many, {50, 50, 50, 50}},
          LevelCase{"grr", 8, many, {50, 200}}, LevelCase{"oue", 1, many, {50, 50, 50}},
          LevelCase{"oue", 5, few, {50, 80}}, LevelCase{"sue", 4, many, {50, 100}},
          LevelCase{"subset", 1, many, {50, 50, 50}}}) {
        const auto m = mechanism(name, epsilon, "\"domain\": " + std::to_string(shares.size()));
        constexpr double repetitions = 1500;
        double rejected = 0, statistic = 0, degrees = 0;
        for (int repetition = 0; repetition < repetitions; ++repetition) {
            std::vector<OwnedSummary> groups;
            for (const std::size_t people : sizes) groups.push_back(sampled(*m, people, shares, bits, draws));
            const std::vector<SummaryView> views = views_of(groups);
            const GroupTest found = test_groups(views).at(0);
            rejected += found.p_value < 0.05 ? 1 / repetitions : 0;
            statistic += found.statistic;
            degrees += found.degrees_of_freedom;
        }
        BOOST_TEST_CONTEXT(name << " at " << epsilon << ", " << sizes.size() << " groups") {
            BOOST_TEST_MESSAGE(name << " at " << epsilon << ": " << rejected << ", " << statistic / degrees);
            BOOST_TEST(std::abs(rejected - 0.05) < 6 * 0.0056);
            BOOST_TEST(std::abs(statistic / degrees - 1) < 6 * std::sqrt(2 / degrees));
        }
    }
}

// Many small differences: all values together reject where no single one does.
BOOST_AUTO_TEST_CASE(all_values_together_have_more_power) {
    const auto m = mechanism("grr", 2, R"("domain": 8)");
    SeededBits bits(4103);
    std::mt19937_64 draws(5103);
    std::vector<double> one, other;
    for (int v = 0; v < 8; ++v)
        one.push_back(v % 2 == 0 ? 0.17 : 0.08), other.push_back(v % 2 == 1 ? 0.17 : 0.08);
    std::size_t together = 0, any = 0;
    for (int repetition = 0; repetition < 100; ++repetition) {
        const std::vector<OwnedSummary> groups{sampled(*m, 400, one, bits, draws),
                                               sampled(*m, 400, other, bits, draws)};
        const std::vector<SummaryView> views = views_of(groups);
        together += test_groups(views).at(0).p_value < 0.05 ? 1 : 0;
        const auto single = compare(views, 0, 2, Target::population);
        any +=
            std::ranges::any_of(single, [](const Comparison& each) { return each.adjusted < 0.05; }) ? 1 : 0;
    }
    BOOST_TEST(together >= 90u);
    BOOST_TEST(any + 10 < together);
}

// The same reports in two rounds of memoized responses have no new information.
BOOST_AUTO_TEST_CASE(repeated_responses_change_no_statistic) {
    const auto m = mechanism(
        "grr", 2, R"("domain": 4, "evolving": {}, "budget": {"epsilon": 1000, "report_spent": false})");
    SeededBits bits(4104);
    std::vector<SummaryView> once, twice;
    std::vector<OwnedSummary> kept;
    kept.reserve(4);
    for (const Cell shift : {0, 1}) {
        std::vector<Cell> cells;
        for (Cell i = 0; i < 200; ++i) cells.push_back((i + i % 3 * shift) % 4);
        kept.push_back(reported(*m, cells, bits));
        SummaryView view = kept.back().view();
        view.rounds = Rounds::only(1);
        once.push_back(view);
        OwnedSummary& both = kept.emplace_back(*m);
        both.merge(kept[kept.size() - 2].bytes());
        both.merge(kept[kept.size() - 2].bytes());
        view = both.view();
        view.rounds = {1, 2};
        twice.push_back(view);
    }
    const GroupTest first = test_groups(once).at(0), second = test_groups(twice).at(0);
    BOOST_TEST(second.n == 2 * first.n);
    BOOST_TEST(second.statistic == first.statistic, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(second.p_value == first.p_value, boost::test_tools::tolerance(1e-9));
}

// Numbers are tested by their means; without a known covariance, each value is tested alone. The figures are those of
// the comparison of two groups, whose z² is the statistic.
BOOST_AUTO_TEST_CASE(other_attributes_are_tested_too) {
    const auto m = mechanism("sampled", 3, R"("attributes": [
        {"name": "income", "min": 0, "max": 900, "grid": 10, "mechanism": "duchi"},
        {"name": "mode", "domain": ["car", "bus", "bike"], "mechanism": "hadamard"},
        {"name": "mood", "domain": ["bad", "good"], "mechanism": "grr"}])");
    SeededBits bits(4105);
    OwnedSummary group(*m), baseline(*m);
    for (Cell i = 0; i < 900; ++i) {
        const Cell person[] = {i % 10, i % 3, i % 2}, other[] = {i * 7 / 5 % 10, i % 4 % 3, i % 5 % 2};
        group.draw(person, bits), baseline.draw(other, bits);
    }
    const SummaryView views[] = {group.view(), baseline.view()};
    const auto all = test_groups(views);
    const auto single = compare(views, 1, 2, Target::population);
    BOOST_REQUIRE_EQUAL(all.size(), 3u);
    BOOST_TEST(all[0].degrees_of_freedom == 1);
    BOOST_TEST(std::abs(all[0].p_value - single[0].difference.p_value) < 0.02);
    BOOST_TEST(all[1].one_by_one);
    BOOST_TEST(std::isnan(all[1].statistic));
    double smallest = 1;
    for (std::size_t v = 0; v < 3; ++v) smallest = std::min(smallest, single[1 + v].difference.p_value);
    BOOST_TEST(std::abs(all[1].p_value - std::min(1.0, 3 * smallest)) < 0.05);
    BOOST_TEST(std::abs(all[2].p_value - single[4].difference.p_value) < 0.02);
    const std::vector<double> p_values{all[0].p_value, all[1].p_value, all[2].p_value};
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(all[i].adjusted == adjusted[i]);
    BOOST_TEST(test_groups(views, {1, 2}).size() == 2u);
    BOOST_CHECK_THROW((void)test_groups(std::span(views).first(1)), Error);
    BOOST_CHECK_THROW((void)test_groups(views, {3}), Error);
}

// The level of the other cases, for groups of 50. Bonferroni is below its level, so only the upper bound is checked there:
// six standard deviations of 1,000 repetitions.
BOOST_AUTO_TEST_CASE(the_level_holds_without_a_covariance, *boost::unit_test::label("slow")) {
    SeededBits bits(4106);
    std::mt19937_64 draws(5106);
    for (const auto& [name, rest] :
         {std::pair{"hadamard", R"("domain": 4)"}, std::pair{"olh", R"("domain": 4)"},
          std::pair{"pdp", R"("min": 0, "max": 3, "grid": 3)"},
          std::pair{"duchi", R"("min": 0, "max": 3, "grid": 3)"}}) {
        const auto m = mechanism(name, 2, rest);
        double rejected = 0;
        for (int repetition = 0; repetition < 1000; ++repetition) {
            std::vector<OwnedSummary> groups;
            for (int g = 0; g < 4; ++g) groups.push_back(sampled(*m, 50, {0.6, 0.2, 0.1, 0.1}, bits, draws));
            const std::vector<SummaryView> views = views_of(groups);
            rejected += test_groups(views).at(0).p_value < 0.05 ? 1e-3 : 0;
        }
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(rejected < 0.05 + 6 * 0.0069);
            BOOST_TEST(rejected > 0.001);
        }
    }
}

// Whether one group changed more than another: the difference of two rows of changes. Of 1,500 repetitions, 1,395 hold
// with a coverage of 0.95 minus 3.5 standard deviations; the intervals are wider than that.
BOOST_AUTO_TEST_CASE(differences_of_changes_hold, *boost::unit_test::label("slow")) {
    const auto m = mechanism("grr", 2, R"("domain": 3)");
    SeededBits bits(4108);
    std::mt19937_64 draws(5108);
    const std::vector<double> shares[] = {{0.5, 0.3, 0.2}, {0.7, 0.2, 0.1}, {0.6, 0.2, 0.2}, {0.5, 0.4, 0.1}};
    std::vector<std::size_t> held(3);
    for (int repetition = 0; repetition < 1500; ++repetition) {
        std::vector<OwnedSummary> all;
        for (const std::vector<double>& each : shares) all.push_back(sampled(*m, 60, each, bits, draws));
        const std::vector<SummaryView> views = views_of(all);
        const auto one = change(views[0], views[1], 0, 1.959964, Target::population),
                   other = change(views[2], views[3], 0, 1.959964, Target::population);
        for (std::size_t v = 0; v < 3; ++v) {
            const BoundedEstimate found =
                difference_of({one[v].difference, one[v].interval}, {other[v].difference, other[v].interval});
            const double truth = shares[1][v] - shares[0][v] - (shares[3][v] - shares[2][v]);
            held[v] += found.interval.lower <= truth && truth <= found.interval.upper ? 1 : 0;
        }
    }
    for (const std::size_t each : held) {
        BOOST_TEST(each >= 1395u);
        BOOST_TEST(each <= 1470u);
    }
}

// The approximation for many degrees of freedom begins where it differs from the exact tail by less than 1e-6.
BOOST_AUTO_TEST_CASE(tails_with_many_degrees_of_freedom_are_continuous) {
    for (const double deviations : {-3.0, 0.0, 1.0, 4.0}) {
        const auto tail = [&](double degrees) {
            return chi_square_above(degrees, degrees + deviations * std::sqrt(2 * degrees));
        };
        BOOST_CHECK_SMALL(tail(10'000) - tail(10'000.001), 1e-6);
        BOOST_CHECK_SMALL(tail(3e6) - one_sided(deviations), 2e-4);
    }
}

BOOST_AUTO_TEST_CASE(small_and_empty_groups_are_left_out) {
    const auto m = mechanism("grr", 2, R"("domain": 3, "min_group": 50)");
    SeededBits bits(4107);
    std::mt19937_64 draws(5107);
    std::vector<OwnedSummary> groups;
    for (const std::size_t people : {200, 100, 20})
        groups.push_back(sampled(*m, people, {0.5, 0.3, 0.2}, bits, draws));
    groups.emplace_back(*m);
    const std::vector<SummaryView> views = views_of(groups);
    const GroupTest found = test_groups(views).at(0);
    BOOST_TEST(found.groups == 2u);
    BOOST_TEST(found.n == 300u);
    BOOST_TEST(found.p_value == test_groups(std::span(views).first(2)).at(0).p_value);
    const GroupTest hidden = test_groups(std::span(views).last(3)).at(0);
    BOOST_TEST(std::isnan(hidden.p_value));
    BOOST_TEST(std::isnan(hidden.adjusted));
    const SummaryView none[] = {views[3], views[3]};
    BOOST_TEST(test_groups(none).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
