// Intervals with few reports at extreme populations: shares near 0 and 1 and beyond, levels, groups and
// buckets with few reports, and combined estimates.

#include <cmath>
#include <functional>
#include <random>

#include "core/base/exact.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/tables/share_intervals.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(few_reports)

namespace {

constexpr double usual = 1.959963984540054;  // of confidence 0.95

bool holds(const Interval& interval, double truth) {
    return interval.lower <= truth + 1e-9 && truth - 1e-9 <= interval.upper;
}

std::vector<Interval> of_shares(const SummaryView& view, Target target) {
    const Question question{Quantity::frequencies, target, 0};
    return intervals(view, question, estimate(view, question), usual);
}

/// The law of how many reports draw an item and how many of these speak for it: chances[drawn][speaking].
using Law = std::vector<std::vector<double>>;

/// One report more, with these probabilities to be drawn and speak for the item, and to be drawn and not.
Law with_one(const Law& law, double speaking, double silent) {
    Law next(law.size() + 1, std::vector<double>(law.size() + 1));
    for (std::size_t i = 0; i < law.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            next[i][j] += law[i][j] * (1 - speaking - silent);
            next[i + 1][j + 1] += law[i][j] * speaking;
            next[i + 1][j] += law[i][j] * silent;
        }
    return next;
}

/// The law of a report about an item, from a person who holds it and from another.
struct Report {
    double speaking, silent;
};

/// Of n people; against a population each holds the item with probability `share`.
Law law_of(std::size_t n, double share, const Report& holder, const Report& other, Target target) {
    Law law{{1}};
    const auto holders = static_cast<std::size_t>(std::lround(share * static_cast<double>(n)));
    for (std::size_t i = 0; i < n; ++i) {
        const double held = target == Target::population ? share : i < holders ? 1 : 0;
        law = with_one(law, std::lerp(other.speaking, holder.speaking, held),
                       std::lerp(other.silent, holder.silent, held));
    }
    return law;
}

using ByCounts = std::function<Interval(std::size_t drawn, std::size_t speaking)>;

double coverage(const Law& law, double truth, const ByCounts& interval_of) {
    double covered = 0;
    for (std::size_t i = 0; i < law.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j)
            if (law[i][j] > 1e-9 && holds(interval_of(i, j), truth)) covered += law[i][j];
    return covered;
}

}  // namespace

// Whatever the people hold and however far beyond the possible an estimate lies.
BOOST_AUTO_TEST_CASE(every_interval_of_a_share_contains_a_possible_share) {
    SeededBits bits(1801);
    for (const char* spec :
         {"grr 2", "oue 4", "olh 8", "subset 8", "projective 9", "hadamard 2", "hadamard 12", "exponential 4",
          "dbitflip 8", "haar_ordered 2", "haar_ordered 9", "tree 8", "rappor 4"}) {
        const std::string words = spec;
        const std::string rest = words.starts_with("dbitflip") ? R"(, "bits_per_report": 2)"
                                 : words.starts_with("rappor") ? R"(, "filter_bits": 32, "cohorts": 2)"
                                                               : "";
        for (const double epsilon : {1.0, 4.0}) {
            const auto m = mechanism(words.substr(0, words.find(' ')), epsilon,
                                     "\"domain\": " + words.substr(words.find(' ') + 1) + rest);
            for (int repetition = 0; repetition < 20; ++repetition) {
                const OwnedSummary summary = reported(*m, std::vector<Cell>(50, repetition % 2), bits);
                const auto sample = summary.estimate(Quantity::frequencies, Target::sample),
                           population = summary.estimate(Quantity::frequencies, Target::population);
                for (const Target target : {Target::sample, Target::population}) {
                    const auto ranges = of_shares(summary.view(), target);
                    BOOST_REQUIRE_EQUAL(ranges.size(), sample.size());
                    for (std::size_t v = 0; v < ranges.size(); ++v)
                        BOOST_TEST_CONTEXT(spec << ", epsilon " << epsilon << ", value " << v) {
                            BOOST_CHECK_LE(ranges[v].lower, std::min(sample[v].value, 1.0));
                            BOOST_CHECK_GE(ranges[v].upper, std::max(sample[v].value, 0.0));
                            BOOST_CHECK_GE(population[v].standard_error,
                                           sample[v].standard_error * (1 - 1e-12));
                        }
                }
            }
        }
    }
}

// People at an end, few of them, at a small epsilon: estimates are far outside the range. No false alarm is
// possible.
BOOST_AUTO_TEST_CASE(every_interval_of_a_mean_contains_a_possible_mean) {
    SeededBits bits(1802);
    const std::string one = R"("min": -3, "max": 10)";
    const std::string vector = R"("attributes": [{"name": "a", "min": 0, "max": 10}, {"name": "b", "min": -2,
        "max": 2}, {"name": "c", "min": 5, "max": 6}, {"name": "d", "min": 0, "max": 1}])";
    const std::string record = R"("attributes": [{"name": "v", "vector": ["x", "y"], "min": 0, "max": 10},
        {"name": "w", "min": -3, "max": 10, "estimate": "distribution"}, {"name": "z", "min": 0, "max": 1}])";
    const std::vector<std::pair<std::string, std::string>> specs{
        {"pdp", one},
        {"piecewise", one},
        {"hybrid", one},
        {"duchi", one},
        {"onebit", R"("min": 0, "max": 10)"},
        {"laplace", one},
        {"optimal", one},
        {"tree", one},
        {"haar_ordered", one},
        {"dithered", one},
        {"square_wave", one},
        {"duchi_vector", vector},
        {"haar", vector},
        {"haar", vector + R"(, "details": "global")"},
        {"gaussian", vector + R"(, "delta": 1e-9)"},
        {"sampled", record}};
    for (const auto& [name, rest] : specs)
        for (const double epsilon : {0.5, 4.0}) {
            const auto m = mechanism(name, epsilon, rest);
            const std::vector<std::uint64_t> cells = m->cells();
            const auto range = [&](std::size_t j) {  // as in the specs above
                if (name == "sampled") return std::vector<Interval>{{0, 10}, {0, 10}, {-3, 10}, {0, 1}}[j];
                if (cells.size() > 1) return std::vector<Interval>{{0, 10}, {-2, 2}, {5, 6}, {0, 1}}[j];
                return name == "onebit" ? Interval{0, 10} : Interval{-3, 10};
            };
            for (int repetition = 0; repetition < 40; ++repetition) {
                std::vector<Cell> end;
                for (const std::uint64_t count : cells) end.push_back(repetition % 2 == 0 ? 0 : count - 1);
                OwnedSummary summary(*m);
                for (int person = 0; person < 12; ++person) summary.draw(end, bits);
                for (const Target target : {Target::sample, Target::population}) {
                    const Question question{Quantity::means, target};
                    const auto all = estimate(summary.view(), question);
                    const auto ranges = intervals(summary.view(), question, all, usual);
                    BOOST_REQUIRE_EQUAL(ranges.size(), cells.size());
                    for (std::size_t j = 0; j < ranges.size(); ++j) {
                        if (std::isnan(all[j].value)) continue;
                        BOOST_TEST_CONTEXT(name << ", epsilon " << epsilon << ", attribute " << j) {
                            BOOST_CHECK_LE(ranges[j].lower, range(j).upper + 1e-9);
                            BOOST_CHECK_GE(ranges[j].upper, range(j).lower - 1e-9);
                            BOOST_CHECK_LE(ranges[j].lower, all[j].value);
                            BOOST_CHECK_GE(ranges[j].upper, all[j].value);
                        }
                    }
                    if (find_capability<GroupMean>(*m) == nullptr || name == "sampled") continue;
                    const Estimate mean = group_mean(summary.view(), 0, 1, target);
                    if (std::isnan(mean.value)) continue;
                    const Interval group = interval(mean, usual, group_law(summary.view(), 0, 1, target));
                    BOOST_CHECK_LE(group.lower, (range(0).upper + range(1).upper) / 2 + 1e-9);
                    BOOST_CHECK_GE(group.upper, (range(0).lower + range(1).lower) / 2 - 1e-9);
                }
            }
        }
}

// 20 reports of vectors of 4 numbers, half of the people at either end of each: 5000 repetitions, with a
// margin of six standard deviations below 93 % (chance of a false alarm 2e-9 each).
BOOST_AUTO_TEST_CASE(groups_of_elements_are_covered_with_few_reports, *boost::unit_test::label("slow")) {
    constexpr std::size_t repetitions = 5000, n = 20;
    SeededBits bits(1803);
    std::mt19937_64 draws(1804);
    const std::string attributes = unit_attributes(4);
    for (const auto& [name, epsilon, rest] :
         {std::tuple{"haar", 4.0, ""}, std::tuple{"haar", 8.0, ""}, std::tuple{"duchi_vector", 4.0, ""},
          std::tuple{"gaussian", 8.0, R"(, "delta": 1e-9)"}}) {
        const auto m = mechanism(name, epsilon, attributes + rest);
        const std::vector<std::uint64_t> cells = m->cells();
        for (const std::size_t last : {1, 3}) {
            double covered = 0, asked = 0;
            for (std::size_t r = 0; r < repetitions; ++r) {
                OwnedSummary summary(*m);
                for (std::size_t person = 0; person < n; ++person) {
                    std::vector<Cell> input;
                    for (const std::uint64_t count : cells) input.push_back(draws() % 4 * (count - 1) / 3);
                    summary.draw(input, bits);
                }
                const Estimate mean = group_mean(summary.view(), 0, last, Target::population);
                if (std::isnan(mean.value)) continue;
                const Interval limits =
                    interval(mean, usual, group_law(summary.view(), 0, last, Target::population));
                ++asked;
                covered += limits.lower <= 0 && limits.upper >= 0 ? 1 : 0;
            }
            BOOST_TEST_CONTEXT(name << ", epsilon " << epsilon << ", elements 0 to " << last)
            BOOST_CHECK_GE(covered / asked, 0.93 - 6 * std::sqrt(0.93 * 0.07 / asked));
        }
    }
}

// All people hold one of two values: exact, by the law of how many reports fall into its block, and on its
// side of it.
BOOST_AUTO_TEST_CASE(hadamard_covers_people_who_are_alike) {
    constexpr std::size_t n = 50;
    const auto m = mechanism("hadamard", 4, R"("domain": 2)");
    const auto chance = [&](Cell value, std::byte output) {
        const Cell input[] = {value};
        return static_cast<double>(m->probability(input, {}, {&output, 1}));
    };
    // Outputs 0 and 1 are the block of value 0, and 0 is on its side.
    const Report holder{chance(0, std::byte{0}), chance(0, std::byte{1})},
        other{chance(1, std::byte{0}), chance(1, std::byte{1})};
    BOOST_REQUIRE_GT(holder.speaking, 0.9);
    for (const Target target : {Target::sample, Target::population})
        for (const double share : {0.0, 0.02, 0.5, 0.98, 1.0}) {
            const double covered = coverage(
                law_of(n, share, holder, other, target), share, [&](std::size_t drawn, std::size_t speaking) {
                    OwnedSummary summary(*m);
                    const auto add = [&](std::size_t many, unsigned output) {
                        std::vector<std::byte> report(m->block().begin(), m->block().end());
                        report.push_back(static_cast<std::byte>(output));
                        for (std::size_t i = 0; i < many; ++i) summary.add(report);
                    };
                    add(speaking, 0), add(drawn - speaking, 1), add(n - drawn, 2);
                    return of_shares(summary.view(), target)[0];
                });
            BOOST_TEST_CONTEXT("share " << share
                                        << (target == Target::sample ? ", sample" : ", population")) {
                BOOST_TEST_MESSAGE(share << ": " << covered);
                BOOST_CHECK_GE(covered, 0.93);
            }
        }
}

// At a large epsilon the tree has one level of single points, and its reports are those of randomized response. Exact,
// by the law of how many reports name a point of the range. Half a step as an error left out the people whom
// one changed report moves: 88 % of the intervals contained the share.
BOOST_AUTO_TEST_CASE(ranges_of_a_tree_with_one_level_are_covered) {
    constexpr std::size_t n = 50, points = 16;
    const auto m = mechanism("tree", 8, R"("min": 0, "max": 15, "grid": 15)");
    SeededBits bits(1805);
    const auto chance = [&](Cell value, const std::vector<std::byte>& report) {
        return static_cast<double>(
            m->probability(std::vector<Cell>{value}, {}, Bytes(report).subspan(m->block().size())));
    };
    const auto naming = [&](Cell value) {
        std::vector<std::byte> report;
        do report = m->perturb(std::vector<Cell>{value}, bits);
        while (chance(value, report) < 0.5);
        return report;
    };
    for (const std::size_t size : {1, 5, 12}) {
        const std::vector<std::byte> inside = naming(0), outside = naming(points - 1);
        const double kept = chance(0, inside), changed = chance(0, outside),
                     others = changed * static_cast<double>(size);
        const Report holder{kept - changed + others, 1 - (kept - changed + others)},
            other{others, 1 - others};
        for (const Target target : {Target::sample, Target::population})
            for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0}) {
                const double covered =
                    coverage(law_of(n, share, holder, other, target), share,
                             [&](std::size_t drawn, std::size_t named) {
                                 OwnedSummary summary(*m);
                                 for (std::size_t i = 0; i < drawn; ++i)
                                     summary.add(i < named ? inside : outside);
                                 const ShareOfRange found =
                                     share_between(summary.view(), 0, static_cast<double>(size - 1), target);
                                 return interval(found, usual, found.law);
                             });
                BOOST_TEST_CONTEXT(size << " points, share " << share
                                        << (target == Target::sample ? ", sample" : ", population")) {
                    BOOST_TEST_MESSAGE(covered);
                    BOOST_CHECK_GE(covered, 0.93);
                }
            }
    }
}

// A report has two of eight bits: exact, by the law of how many have the bit of a bucket, and how many of
// these are 1. The normal law about the estimate misses by far.
BOOST_AUTO_TEST_CASE(few_reports_of_some_bits_are_covered) {
    const auto m = mechanism("dbitflip", 8, R"("domain": 8, "bits_per_report": 2)");
    const auto terms = m->contributions({Quantity::frequencies})[0].terms;
    const double length = terms.upper - terms.lower, q = -terms.lower / length, drawn = 0.25;
    const Report holder{drawn * (1 - q), drawn * q}, other{drawn * q, drawn * (1 - q)};
    for (const std::size_t n : {20, 50, 200})
        for (const Target target : {Target::sample, Target::population}) {
            const ErrorLaw law = capability<KnownErrors>(*m).error_law(n, target);
            std::vector<Interval> known((n + 1) * (n + 1), {unknown, unknown});
            const auto interval_of = [&](std::size_t i, std::size_t j) {
                Interval& at = known[i * (n + 1) + j];
                if (std::isnan(at.lower)) {
                    const double value = (static_cast<double>(j) - q * static_cast<double>(i)) /
                                         static_cast<double>(n) * length;
                    at = interval({value, 0}, usual, law);
                }
                return at;
            };
            double average = 0;
            for (const double share : {0.0, 0.05, 0.125, 0.25, 0.5, 0.95, 1.0}) {
                const double truth =
                    target == Target::population
                        ? share
                        : std::round(share * static_cast<double>(n)) / static_cast<double>(n);
                const double covered = coverage(law_of(n, truth, holder, other, target), truth, interval_of);
                average += covered / 7;
                BOOST_TEST_CONTEXT(n << " reports, share " << share) {
                    BOOST_TEST_MESSAGE(n << ", " << share << ": " << covered);
                    BOOST_CHECK_GE(covered, n < 50 ? 0.91 : 0.93);
                }
            }
            BOOST_CHECK_LE(average, 0.985);
        }
}

namespace {

/// How often the intervals of a query hold, on average, and how often those of the normal law would.
struct Covered {
    double with_law = 0, normal = 0;
};

using Answers = std::vector<std::pair<Estimate, Interval>>;

Covered simulated(const std::function<Answers(BitSource&)>& answers, const std::vector<double>& truths,
                  int repetitions, std::uint64_t seed) {
    SeededBits bits(seed);
    Covered covered;
    for (int i = 0; i < repetitions; ++i) {
        const Answers found = answers(bits);
        for (std::size_t item = 0; item < truths.size(); ++item) {
            const double each = 1 / static_cast<double>(truths.size()) / repetitions;
            covered.with_law += holds(found[item].second, truths[item]) ? each : 0;
            covered.normal += holds(interval(found[item].first, 0.95), truths[item]) ? each : 0;
        }
    }
    return covered;
}

Answers shares_and_intervals(const SummaryView& view, Target target) {
    const Question question{Quantity::frequencies, target, 0};
    const auto estimates = estimate(view, question);
    const auto ranges = intervals(view, question, estimates, usual);
    Answers all;
    for (std::size_t i = 0; i < estimates.size(); ++i) all.emplace_back(estimates[i], ranges[i]);
    return all;
}

/// People drawn anew from shares, in whole parts of 20.
std::vector<Cell> drawn_from(const std::vector<Cell>& twenty, std::size_t n, BitSource& bits) {
    std::vector<Cell> people(n);
    for (Cell& cell : people) cell = twenty[bits.below(twenty.size())];
    return people;
}

}  // namespace

// Levels of trees that few reports draw: 1500 summaries each, with six standard deviations of room, of which
// the answers of one count as one.
BOOST_AUTO_TEST_CASE(few_reports_of_levels_are_covered, *boost::unit_test::label("slow")) {
    struct FewReportsCase {
        const char* name;
        double epsilon;
        std::size_t values, n;
        Target target;
        double bar;
    };
    constexpr int repetitions = 1500;
    std::uint64_t seed = 1811;
    for (const FewReportsCase& one : {FewReportsCase{"haar_ordered", 4, 2, 20, Target::population, 0.91},
                                      FewReportsCase{"haar_ordered", 8, 64, 200, Target::sample, 0.93},
                                      FewReportsCase{"tree", 8, 8, 50, Target::population, 0.93}})
        for (const bool alike : {false, true}) {
            const auto m = mechanism(one.name, one.epsilon, "\"domain\": " + std::to_string(one.values));
            std::vector<Cell> twenty(20, one.values - 1);
            if (!alike)
                for (std::size_t i = 0; i < 20; ++i) twenty[i] = i * one.values / 20;
            const std::vector<double> truths = shares_among(twenty, one.values);
            std::vector<Cell> people;
            while (people.size() < one.n) people.insert(people.end(), twenty.begin(), twenty.end());
            const Covered covered = simulated(
                [&](BitSource& bits) {
                    const auto reporting = one.target == Target::population
                                               ? drawn_from(twenty, one.n, bits)
                                               : std::vector(people.begin(), people.begin() + one.n);
                    const OwnedSummary summary = reported(*m, reporting, bits);
                    return shares_and_intervals(summary.view(), one.target);
                },
                truths, repetitions, seed++);
            BOOST_TEST_CONTEXT(one.name << " " << one.values << (alike ? ", alike" : "")) {
                BOOST_TEST_MESSAGE(one.name << " " << one.values << ": " << covered.with_law << ", normal "
                                            << covered.normal);
                BOOST_CHECK_GE(covered.with_law,
                               one.bar - 6 * std::sqrt(one.bar * (1 - one.bar) / repetitions));
            }
        }
}

// Means of several attributes of which 20 people report one each.
BOOST_AUTO_TEST_CASE(means_of_few_groups_are_covered) {
    constexpr int repetitions = 3000;
    const auto m = mechanism("sampled", 4, "\"grid\": 100, " + unit_attributes(4));
    std::uint64_t seed = 1821;
    for (const Target target : {Target::sample, Target::population}) {
        // On [−1,1], as the attributes are: cells 0 to 95 by five, on average 47.5.
        const double even = (47.5 / 100) * 2 - 1, low = 0.1 * 2 - 1;
        const Covered found = simulated(
            [&](BitSource& bits) {
                OwnedSummary summary(*m);
                for (std::size_t person = 0; person < 20; ++person) {
                    const std::size_t at = target == Target::sample ? person : bits.below(20);
                    summary.draw(std::vector<Cell>{5 * at, 5 * (at + 7) % 100, 5 * (at + 3) % 100, 10}, bits);
                }
                Answers all;
                for (const std::size_t last : {std::size_t{1}, std::size_t{3}}) {
                    const Estimate mean = group_mean(summary.view(), 0, last, target);
                    all.emplace_back(mean, interval(mean, usual, group_law(summary.view(), 0, last, target)));
                }
                return all;
            },
            {even, (3 * even + low) / 4}, repetitions, seed++);
        BOOST_TEST_MESSAGE(found.with_law << ", normal " << found.normal);
        BOOST_CHECK_GE(found.with_law, 0.92 - 6 * std::sqrt(0.92 * 0.08 / repetitions));
        BOOST_CHECK_LE(found.with_law, 0.985);
        BOOST_CHECK_LT(found.normal, 0.92);
    }
}

// Two answers of 50 reports each to one question: exact, by the laws of both counts.
BOOST_AUTO_TEST_CASE(combined_answers_are_covered) {
    constexpr std::uint64_t n = 50;
    for (const double epsilon : {1.0, 4.0, 8.0}) {
        const auto m = mechanism("grr", epsilon, R"("domain": 4)");
        const auto& oracle = capability<FrequencyOracle>(*m);
        const auto [p, q] = oracle.protocol();
        std::vector<Estimate> estimates;
        std::vector<Interval> ranges;
        for (std::uint64_t support = 0; support <= n; ++support) {
            estimates.push_back(oracle.protocol().frequency(support, n, Target::population));
            ranges.push_back(interval(estimates.back(), usual, oracle.error_law(n, Target::population)));
        }
        for (const double share : {0.02, 0.05, 0.1, 0.3, 0.5, 0.95, 1.0}) {
            std::vector<double> law{1};
            for (std::uint64_t i = 0; i < n; ++i) {
                const double one = q + share * (p - q);
                law.push_back(0);
                for (std::size_t j = law.size(); j-- > 0;)
                    law[j] = (1 - one) * law[j] + (j > 0 ? one * law[j - 1] : 0);
            }
            double covered = 0, normal = 0;
            for (std::size_t a = 0; a <= n; ++a)
                for (std::size_t b = 0; b <= n; ++b) {
                    if (law[a] * law[b] < 1e-12) continue;
                    const Interval both = combined_interval(estimates[a], ranges[a], estimates[b], ranges[b]);
                    const Estimate found = combined(estimates[a], estimates[b]);
                    BOOST_REQUIRE(both.lower <= found.value && found.value <= both.upper);
                    BOOST_REQUIRE(both.lower <= 1 && both.upper >= 0);
                    if (holds(both, share)) covered += law[a] * law[b];
                    if (holds(interval(found, 0.95), share)) normal += law[a] * law[b];
                }
            BOOST_TEST_CONTEXT("epsilon " << epsilon << ", share " << share) {
                BOOST_TEST_MESSAGE(epsilon << ", " << share << ": " << covered << ", normal " << normal);
                BOOST_CHECK_GE(covered, 0.93);
                if (epsilon == 4 && share == 0.05) BOOST_CHECK_LT(normal, 0.9);
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
