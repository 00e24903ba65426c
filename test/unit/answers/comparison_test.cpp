// Comparisons of groups: the score test against closed forms and by simulation, the adjustment for many
// comparisons, and refusals.

#include "core/groups/comparison.hpp"

#include <cmath>
#include <random>

#include "core/base/error.hpp"
#include "core/base/unknown.hpp"
#include "core/math/statistics.hpp"
#include "core/results/row_functions.hpp"
#include "core/tables/marginal.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(comparisons)

namespace {

constexpr double usual = 1.959963984540054;  // of confidence 0.95

/// People drawn from a population in which the values 0 to 3 have these shares. A number has four values, at
/// equal distances.
OwnedSummary drawn(const Mechanism& m, std::size_t people, const std::vector<double>& shares, BitSource& bits,
                   std::mt19937_64& draws) {
    const Cell step = m.can_estimate(Quantity::means) ? (m.cells()[0] - 1) / 3 : 1;
    std::discrete_distribution<Cell> value(shares.begin(), shares.end());
    std::vector<Cell> cells(people);
    for (Cell& cell : cells) cell = value(draws) * step;
    return reported(m, cells, bits);
}

std::vector<double> truth_of(const Mechanism& m, const std::vector<double>& group,
                             const std::vector<double>& baseline) {
    std::vector<double> differences;
    for (std::size_t v = 0; v < group.size(); ++v) differences.push_back(group[v] - baseline[v]);
    if (!m.can_estimate(Quantity::means)) return differences;
    double mean = 0;  // in the units of the specs below, from 0 to 3
    for (std::size_t v = 0; v < group.size(); ++v) mean += static_cast<double>(v) * differences[v];
    return {mean};
}

}  // namespace

BOOST_AUTO_TEST_CASE(normal_estimates_have_the_usual_difference) {
    const Difference found = difference({{7, 3}, {}}, {{2, 4}, {}}, usual);
    BOOST_TEST(found.difference.value == 5);
    BOOST_TEST(found.difference.standard_error == 5);
    BOOST_TEST(found.interval.lower == 5 - 5 * usual, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(found.interval.upper == 5 + 5 * usual, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(found.p_value == two_sided(1), boost::test_tools::tolerance(1e-9));
    // Standard errors that were estimated with 10 and 15 degrees of freedom: Welch's test has
    // 25²/(9²/10 + 16²/15) = 24.83.
    const Difference welch =
        difference({{7, 3}, {.degrees_of_freedom = 10}}, {{2, 4}, {.degrees_of_freedom = 15}}, usual);
    BOOST_TEST(welch.interval.upper == 5 + 5 * 2.0602, boost::test_tools::tolerance(1e-4));
    BOOST_TEST(welch.p_value == 0.32697, boost::test_tools::tolerance(1e-3));
}

// Without noise the law is that of counts, and the test that of Miettinen and Nurminen without its factor
// N/(N − 1), apart from the correction for skewness, which vanishes for equal groups.
BOOST_AUTO_TEST_CASE(shares_without_noise_have_the_pooled_test) {
    const auto share = [](double counted, std::uint64_t n) {
        const double value = counted / static_cast<double>(n);
        return GroupEstimate{{value, std::sqrt(value * (1 - value) / static_cast<double>(n))},
                             {.n = n, .p = 1, .q = 0, .truths = possible_shares}};
    };
    const Difference found = difference(share(70, 100), share(50, 100), usual);
    const double pooled = std::sqrt(0.6 * 0.4 * 2 / 100);
    BOOST_TEST(found.p_value == two_sided(0.2 / pooled), boost::test_tools::tolerance(1e-9));
    const Difference none = difference(share(0, 50), share(0, 50), usual);
    BOOST_TEST(none.p_value == 1, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(none.interval.upper > 0.015);
    BOOST_TEST(none.interval.upper < 0.1);
    BOOST_TEST(none.interval.lower == -none.interval.upper, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(an_interval_ends_where_its_p_value_begins) {
    SeededBits bits(4001);
    std::mt19937_64 draws(5001);
    for (const char* name : {"grr", "hadamard", "subset", "olh", "pdp"}) {
        const auto m =
            mechanism(name, 2, std::string(name) == "pdp" ? R"("min": 0, "max": 3)" : R"("domain": 4)");
        const OwnedSummary group = drawn(*m, 90, {0.6, 0.3, 0.1, 0}, bits, draws),
                           baseline = drawn(*m, 60, {0.1, 0.3, 0.3, 0.3}, bits, draws);
        const SummaryView views[] = {group.view(), baseline.view()};
        for (const Comparison& one : compare(views, 1, usual, Target::population)) {
            if (one.difference.p_value > 0.9) continue;
            const double confidence = 1 - one.difference.p_value;
            const auto& again = compare(views, 1, critical_value(confidence), Target::population);
            const auto same = std::ranges::find(again, one.value, &Comparison::value);
            const Interval& limits = same->difference.interval;
            BOOST_TEST_CONTEXT(name << " " << one.value.value_or(0))
            BOOST_CHECK_SMALL(std::min(std::abs(limits.lower), std::abs(limits.upper)), 1e-6);
        }
    }
}

namespace {

/// The chances of the numbers of successes in n trials.
std::vector<double> binomial(std::size_t n, double one) {
    std::vector<double> chances{1};
    for (std::size_t trial = 0; trial < n; ++trial) {
        chances.push_back(0);
        for (std::size_t c = chances.size(); c-- > 0;)
            chances[c] = chances[c] * (1 - one) + (c > 0 ? chances[c - 1] * one : 0);
    }
    return chances;
}

}  // namespace

// Every pair of counts of two groups, with exact coverage. At a large ε an estimate of 0 or 1 has no
// variance; the true values under a hypothesis must be found there, too.
BOOST_AUTO_TEST_CASE(interval_and_p_value_agree_for_every_count) {
    for (const double epsilon : {1.0, 4.0, 8.0, 20.0})
        for (const auto& [people, others] : {std::pair{20, 20}, std::pair{20, 200}, std::pair{100, 10}}) {
            const double e = std::exp(epsilon), p = e / (e + 3), q = 1 / (e + 3);
            const auto share = [&](int count, int n) {
                const double counted = count / static_cast<double>(n);
                return GroupEstimate{
                    {(counted - q) / (p - q), std::sqrt(counted * (1 - counted) / n) / (p - q)},
                    {.n = static_cast<std::uint64_t>(n), .p = p, .q = q, .truths = possible_shares}};
            };
            std::vector<Interval> found;
            std::size_t contradictions = 0;
            for (int a = 0; a <= people; ++a)
                for (int b = 0; b <= others; ++b) {
                    const Difference one = difference(share(a, people), share(b, others), usual);
                    const bool zero = one.interval.lower <= 0 && one.interval.upper >= 0;
                    contradictions += zero != (one.p_value >= 0.05) ? 1 : 0;
                    found.push_back(one.interval);
                }
            BOOST_TEST_CONTEXT("epsilon " << epsilon << ", " << people << " and " << others) {
                BOOST_TEST(contradictions == 0u);
                for (const double f : {0.0, 0.05, 0.3})
                    for (const double g : {0.05, 0.3, 0.8}) {
                        const auto of_a = binomial(static_cast<std::size_t>(people), q + f * (p - q)),
                                   of_b = binomial(static_cast<std::size_t>(others), q + g * (p - q));
                        double covered = 0;
                        std::size_t at = 0;
                        for (const double chance : of_a)
                            for (const double other : of_b) {
                                const Interval& limits = found[at++];
                                if (limits.lower <= f - g && f - g <= limits.upper) covered += chance * other;
                            }
                        BOOST_TEST_CONTEXT("shares " << f << " and " << g) BOOST_TEST(covered > 0.93);
                    }
            }
        }
}

// Constant populations, estimates outside the possible values, one report, and little or much noise. An interval contains the
// estimate, and 0 if the hypothesis of no difference is not rejected.
BOOST_AUTO_TEST_CASE(intervals_of_extreme_populations_contain_what_is_not_rejected) {
    struct ExtremeGroup {
        std::uint64_t n;
        double counted;  ///< share of the reports
    };
    std::vector<ExtremeGroup> groups;
    for (const std::uint64_t n : {1, 2, 7, 50, 1000, 1000000000})
        for (const double share : {0.0, 0.02, 0.5, 1.0})
            groups.push_back({n, std::round(share * static_cast<double>(n)) / static_cast<double>(n)});
    for (const double epsilon : {0.001, 1.0, 4.0, 20.0})
        for (const Target target : {Target::population, Target::sample})
            for (const double error : {0.5, 0.05, 1e-5}) {
                const double p = 1 / (1 + std::exp(-epsilon)), q = 1 / (1 + std::exp(epsilon));
                const auto group = [&](const ExtremeGroup& one) {
                    const double value = (one.counted - q) / (p - q), share = std::clamp(value, 0.0, 1.0),
                                 chance = std::lerp(q, p, share),
                                 variance = target == Target::sample ? p * q : chance * (1 - chance);
                    return GroupEstimate{{value, std::sqrt(variance / static_cast<double>(one.n)) / (p - q)},
                                         {.n = one.n,
                                          .p = p,
                                          .q = q,
                                          .counts_people = target == Target::sample,
                                          .truths = possible_shares}};
                };
                std::size_t contradictions = 0, outside = 0;
                for (const ExtremeGroup& one : groups)
                    for (const ExtremeGroup& other : groups) {
                        const Difference found =
                            difference(group(one), group(other), critical_value(1 - error));
                        const auto& [lower, upper] = found.interval;
                        const double value = found.difference.value, close = 1e-9 * (1 + std::abs(value));
                        outside += lower <= value + close && value <= upper + close ? 0 : 1;
                        const bool zero = lower <= close && upper >= -close;
                        contradictions += found.p_value > error * (1 + 1e-6) && !zero ? 1 : 0;
                    }
                BOOST_TEST_CONTEXT("epsilon " << epsilon << ", error " << error) {
                    BOOST_TEST(outside == 0u);
                    BOOST_TEST(contradictions == 0u);
                }
            }
}

// 4000 repetitions of each case. Coverage and level are those of a discrete test, hence the band.
BOOST_AUTO_TEST_CASE(intervals_of_differences_hold, *boost::unit_test::label("slow")) {
    struct Case {
        const char *name, *rest;
        double epsilon;
    };
    const std::vector<double> one{0.6, 0.3, 0.1, 0};
    for (const auto& [name, rest, epsilon] :
         {Case{"grr", R"("domain": 4)", 1}, Case{"hadamard", R"("domain": 4)", 2},
          Case{"subset", R"("domain": 4)", 1}, Case{"pdp", R"("min": 0, "max": 3)", 1},
          Case{"optimal", R"("min": 0, "max": 3)", 3}, Case{"tree", R"("min": 0, "max": 3)", 2}}) {
        const auto m = mechanism(name, epsilon, rest);
        SeededBits bits(4002);
        std::mt19937_64 draws(5002);
        for (const auto& [people, others] : {std::pair{50, 200}, std::pair{60, 60}})
            for (const std::vector<double>& other : {one, std::vector<double>{0.3, 0.3, 0.2, 0.2}}) {
                constexpr std::size_t repetitions = 4000;
                const std::vector<double> truth = truth_of(*m, other, one);
                std::vector<double> covered(truth.size()), rejected(truth.size());
                for (std::size_t r = 0; r < repetitions; ++r) {
                    const OwnedSummary baseline =
                                           drawn(*m, static_cast<std::size_t>(people), one, bits, draws),
                                       group =
                                           drawn(*m, static_cast<std::size_t>(others), other, bits, draws);
                    const SummaryView views[] = {group.view(), baseline.view()};
                    const auto all = compare(views, 1, usual, Target::population);
                    BOOST_REQUIRE_EQUAL(all.size(), truth.size());
                    for (std::size_t i = 0; i < all.size(); ++i) {
                        const auto& [lower, upper] = all[i].difference.interval;
                        covered[i] += lower <= truth[i] && truth[i] <= upper ? 1.0 / repetitions : 0;
                        rejected[i] += all[i].difference.p_value < 0.05 ? 1.0 / repetitions : 0;
                    }
                }
                for (std::size_t i = 0; i < truth.size(); ++i)
                    BOOST_TEST_CONTEXT(name << ", " << people << " and " << others << ", item " << i) {
                        BOOST_CHECK_GE(covered[i], 0.93);
                        BOOST_CHECK_LE(covered[i], 0.975);
                        if (truth[i] == 0) BOOST_CHECK_LE(rejected[i], 0.07);
                    }
            }
    }
}

BOOST_AUTO_TEST_CASE(cells_of_joint_tables_are_compared) {
    const auto m =
        mechanism("joint", 2, R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3}])");
    SeededBits bits(4003);
    OwnedSummary group(*m), baseline(*m);
    for (Cell i = 0; i < 200; ++i) {
        const Cell person[] = {i % 2, i % 3}, other[] = {i % 2, (i % 2) + i % 4 / 2};
        group.draw(person, bits), baseline.draw(other, bits);
    }
    const SummaryView views[] = {group.view(), baseline.view()};
    const auto found = compare(views, 1, usual, Target::sample, {0, 1});
    const Marginal first(views[0], {0, 1}, Combination::consistent, Target::sample),
        second(views[1], {0, 1}, Combination::consistent, Target::sample);
    const std::vector<Estimate> of_group = first.shares(), of_baseline = second.shares();
    BOOST_REQUIRE_EQUAL(found.size(), 6u);
    for (std::size_t cell = 0; cell < 6; ++cell)
        BOOST_TEST(found[cell].difference.difference.value == of_group[cell].value - of_baseline[cell].value,
                   boost::test_tools::tolerance(1e-9));
}

// A distribution is compared by its mean, a vector by the means of its elements, and attributes together by
// the cells of their table.
BOOST_AUTO_TEST_CASE(every_part_of_a_record_is_compared) {
    const auto m = mechanism("sampled", 3, R"("attributes": [
        {"name": "income", "min": 0, "max": 900, "grid": 10, "estimate": "distribution"},
        {"name": "hours", "vector": ["0h", "12h"], "min": 0, "max": 60, "grid": 4},
        {"name": "mode", "domain": ["car", "bus"]}, {"name": "late", "domain": ["no", "yes"]}],
        "joint_tables": [["mode", "late"]])");
    SeededBits bits(4006);
    OwnedSummary group(*m), baseline(*m);
    const std::vector<std::uint64_t> cells = m->cells();
    for (Cell i = 0; i < 600; ++i) {
        std::vector<Cell> person, other;
        for (std::size_t j = 0; j < cells.size(); ++j)
            person.push_back((i + j) % cells[j]), other.push_back(i * 3 / 2 % cells[j]);
        group.draw(person, bits), baseline.draw(other, bits);
    }
    const SummaryView views[] = {group.view(), baseline.view()};
    const std::vector<Estimate> means = group.estimate(Quantity::means),
                                others = baseline.estimate(Quantity::means);
    const auto all = compare(views, 1, usual, Target::population);
    BOOST_REQUIRE_EQUAL(all.size(), 3u + 2 + 2);
    for (std::size_t j = 0; j < 3; ++j) {
        BOOST_TEST(!all[j].value);
        BOOST_TEST(all[j].difference.difference.value == means[j].value - others[j].value,
                   boost::test_tools::tolerance(1e-9));
    }
    const auto table = compare(views, 1, usual, Target::population, {3, 4});
    BOOST_REQUIRE_EQUAL(table.size(), 4u);
    // The cells with a value add up to its share.
    BOOST_TEST(table[0].difference.difference.value + table[1].difference.difference.value ==
                   all[3].difference.difference.value,
               boost::test_tools::tolerance(1e-9));
    BOOST_CHECK_THROW((void)compare(views, 1, usual, Target::population, {0, 3}), Error);
}

// Shares are those of buckets, fewer than the values.
BOOST_AUTO_TEST_CASE(buckets_of_values_are_compared) {
    SeededBits bits(4011);
    const auto m = mechanism("dbitflip", 2, R"("domain": 50, "buckets": 10, "bits_per_report": 4)");
    const OwnedSummary a = reported(*m, std::vector<Cell>(40, 0), bits),
                       b = reported(*m, std::vector<Cell>(40, 49), bits);
    const SummaryView views[] = {a.view(), b.view()};
    const std::vector<Comparison> found = compare(views, std::nullopt, usual, Target::sample);
    BOOST_REQUIRE_EQUAL(found.size(), 10);
    const std::vector<Estimate> of_a = estimate(a.view(), {Quantity::frequencies, Target::sample}),
                                of_b = estimate(b.view(), {Quantity::frequencies, Target::sample});
    for (std::size_t i = 0; i < 10; ++i)
        BOOST_TEST(found[i].difference.difference.value == of_b[i].value - of_a[i].value);
}

BOOST_AUTO_TEST_CASE(pairs_come_in_order_and_are_adjusted_together) {
    const auto m = mechanism("grr", 1, R"("domain": 3)");
    SeededBits bits(4004);
    std::mt19937_64 draws(5004);
    std::vector<OwnedSummary> summaries;
    for (int g = 0; g < 3; ++g)
        summaries.push_back(drawn(*m, 300, {g == 2 ? 1.0 : 0.2, 0.4, 0.4}, bits, draws));
    summaries.emplace_back(*m);  // without reports
    std::vector<SummaryView> views;
    for (const OwnedSummary& one : summaries) views.push_back(one.view());
    const auto all = compare(views, {}, usual, Target::population);
    BOOST_REQUIRE_EQUAL(all.size(), 6u * 3);
    std::vector<double> p_values;
    for (const Comparison& one : all) {
        BOOST_TEST(one.baseline < one.group);
        BOOST_TEST(std::isnan(one.difference.p_value) == (one.group == 3));
        p_values.push_back(one.difference.p_value);
    }
    const std::vector<double> adjusted = holm_adjusted(p_values);
    const double smallest = *std::ranges::min_element(p_values, [](double a, double b) { return a < b; });
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::isnan(p_values[i])) continue;
        BOOST_TEST(all[i].adjusted == adjusted[i]);
        BOOST_TEST(adjusted[i] <= std::min(1.0, 9 * p_values[i]));  // nine comparisons are known
        if (p_values[i] == smallest) BOOST_TEST(adjusted[i] == std::min(1.0, 9 * smallest));
    }
    const std::vector<double> example{0.01, 0.04, unknown, 0.03};
    const std::vector<double> expected{0.03, 0.06, 0, 0.06};
    const std::vector<double> by_hand = holm_adjusted(example);
    for (std::size_t i : {0, 1, 3})
        BOOST_TEST(by_hand[i] == expected[i], boost::test_tools::tolerance(1e-12));
    BOOST_TEST(std::isnan(by_hand[2]));
}

// Of three groups one is hidden: only the comparison of the other two counts.
BOOST_AUTO_TEST_CASE(hidden_groups_count_for_no_adjustment) {
    const auto m = mechanism("grr", 2, R"("domain": 2, "min_group": 50)");
    SeededBits bits(4009);
    std::mt19937_64 draws(5009);
    const OwnedSummary one = drawn(*m, 200, {0.5, 0.5}, bits, draws),
                       two = drawn(*m, 200, {0.3, 0.7}, bits, draws),
                       hidden = drawn(*m, 20, {0.5, 0.5}, bits, draws);
    const SummaryView all[] = {one.view(), two.view(), hidden.view()}, visible[] = {one.view(), two.view()};
    const auto with = compare(all, {}, usual, Target::population),
               without = compare(visible, {}, usual, Target::population);
    for (const Comparison& found : with)
        if (found.group == 2 || found.baseline == 2)
            BOOST_TEST(std::isnan(found.adjusted));
        else
            BOOST_TEST(found.adjusted ==
                       std::ranges::find(without, found.value, &Comparison::value)->adjusted);
}

// Eighteen intervals of four groups. In each of 300 repetitions, all of them hold with a probability of 0.95, and
// fewer than 262 repetitions have a probability below 1e-8. One by one, all hold in about half of the repetitions.
BOOST_AUTO_TEST_CASE(simultaneous_intervals_hold_together) {
    const auto m = mechanism("grr", 1, R"("domain": 3)");
    SeededBits bits(4013);
    std::mt19937_64 draws(5013);
    std::size_t together = 0, one_by_one = 0;
    for (int repetition = 0; repetition < 300; ++repetition) {
        std::vector<OwnedSummary> groups;
        for (int g = 0; g < 4; ++g) groups.push_back(drawn(*m, 60, {0.5, 0.3, 0.2}, bits, draws));
        std::vector<SummaryView> views;
        for (const OwnedSummary& one : groups) views.push_back(one.view());
        const auto all_hold = [&](bool simultaneous) {
            const auto found =
                compare(views, {}, IntervalRule::of(0.95, false, simultaneous), Target::population);
            return std::ranges::all_of(found, [](const Comparison& one) {
                return one.difference.interval.lower <= 0 && one.difference.interval.upper >= 0;
            });
        };
        together += all_hold(true) ? 1 : 0;
        one_by_one += all_hold(false) ? 1 : 0;
    }
    BOOST_TEST(together >= 262u);
    BOOST_TEST(one_by_one < 240u);
}

// Results that are not published do not count: those of the small group and of the group without reports.
BOOST_AUTO_TEST_CASE(simultaneous_intervals_divide_the_error) {
    const auto m = mechanism("grr", 2, R"("domain": 3, "min_group": 50)");
    SeededBits bits(4014);
    std::mt19937_64 draws(5014);
    const OwnedSummary one = drawn(*m, 200, {0.5, 0.3, 0.2}, bits, draws),
                       two = drawn(*m, 200, {0.3, 0.3, 0.4}, bits, draws),
                       hidden = drawn(*m, 20, {0.5, 0.3, 0.2}, bits, draws), none(*m);
    const SummaryView views[] = {one.view(), two.view(), hidden.view(), none.view()};
    for (const bool anytime : {false, true}) {
        const auto together = compare(views, {}, IntervalRule::of(0.94, anytime, true), Target::population),
                   single = compare(views, {}, IntervalRule::of(0.98, anytime, false), Target::population);
        for (std::size_t i = 0; i < together.size(); ++i) {
            if (together[i].group != 1) continue;
            BOOST_TEST(together[i].difference.interval.lower == single[i].difference.interval.lower,
                       boost::test_tools::tolerance(1e-6));
            BOOST_TEST(together[i].difference.p_value == single[i].difference.p_value);
        }
    }
}

BOOST_AUTO_TEST_CASE(impossible_comparisons_are_refused) {
    const auto m = mechanism("grr", 1, R"("domain": 3)"), other = mechanism("grr", 2, R"("domain": 3)");
    const OwnedSummary one(*m), two(*other);
    const SummaryView alone[] = {one.view()}, mixed[] = {one.view(), two.view()},
                      same[] = {one.view(), one.view()};
    const auto code = [](const auto& action) {
        try {
            action();
        } catch (const Error& error) {
            return error.code();
        }
        throw std::logic_error("not refused");
    };
    const auto asked = [&](std::span<const SummaryView> views, std::optional<std::size_t> baseline,
                           const std::vector<std::size_t>& attributes = {}) {
        return code([&] { (void)compare(views, baseline, usual, Target::sample, attributes); });
    };
    BOOST_CHECK(asked(alone, {}) == ErrorCode::invalid_value);
    BOOST_CHECK(asked(mixed, {}) == ErrorCode::incompatible);
    BOOST_CHECK(asked(same, 2) == ErrorCode::invalid_value);
    BOOST_CHECK(asked(same, 0, {1}) == ErrorCode::invalid_value);
    // Comparisons are counted before anything is estimated.
    const auto large = mechanism("grr", 1, R"("domain": 1000)");
    OwnedSummary reports(*large);
    SeededBits bits(4005);
    reports.draw(Cell{1}, bits);
    const std::vector<SummaryView> many(64, reports.view());  // 2016 pairs
    BOOST_CHECK(code([&] { (void)GroupComparison(many, {}, {}); }) == ErrorCode::invalid_value);
    BOOST_TEST(GroupComparison(many, 0, {}).count() == 63'000u);
}

BOOST_AUTO_TEST_CASE(long_names_of_groups_are_cut_between_characters) {
    std::string name = "a", shown = "a";
    for (int i = 0; i < 60; ++i) name += "ä";
    for (int i = 0; i < 48; ++i) shown += "ä";
    SummaryQuery query;
    query.baseline_group = name;
    BOOST_CHECK_EXCEPTION((void)row_function("compare_groups").find({.summary = {}}, query), Error,
                          [&](const Error& error) {
                              return error.code() == ErrorCode::invalid_value &&
                                     error.what() == "there is no group \"" + shown + "...\"";
                          });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
