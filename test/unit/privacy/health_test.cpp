// Checks of honest reports have p-values that are what they say, and floods of forged but well-formed reports
// are seen.

#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/channel/window_channel.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(honesty)

namespace {

constexpr double seen = 1e-6;  // what a flood's p-value must stay below

std::vector<Check> health(const OwnedSummary& summary) {
    return ldp::health(summary.view());
}

/// The p-value of a check by its name; fails the test for an unknown name.
double p_value(const OwnedSummary& summary, const std::string& name) {
    for (const Check& check : health(summary))
        if (check.name == name) return check.p_value;
    BOOST_FAIL("no check \"" << name << '"');
    return 1;
}

/// Counts how often honest reports have small p-values, check by check. A p-value may be too large, which is
/// the case of bounds and of tests of several values at once, but not too small.
class Alarms {
  public:
    void add(const std::vector<Check>& checks) {
        std::set<std::string> names;
        for (const Check& check : checks) {
            BOOST_REQUIRE_MESSAGE(names.insert(check.name).second, check.name << " is checked twice");
            BOOST_REQUIRE_MESSAGE(check.p_value >= 0 && check.p_value <= 1 && std::isfinite(check.observed),
                                  check.name);
            Counts& counts = counts_[check.name];
            ++counts.all;
            for (std::size_t i = 0; i < std::size(levels); ++i) counts.small[i] += check.p_value <= levels[i];
        }
    }
    void test() const {
        for (const auto& [name, counts] : counts_)
            for (std::size_t i = 0; i < std::size(levels); ++i) {
                const double expected = levels[i] * counts.all;
                BOOST_CHECK_MESSAGE(counts.small[i] <= expected + 6 * std::sqrt(expected) + 1,
                                    name << ": " << counts.small[i] << " of " << counts.all
                                         << " p-values at most " << levels[i]);
            }
    }

  private:
    static constexpr double levels[] = {0.01, 1e-3, 1e-5};
    struct Counts {
        double all = 0;
        double small[std::size(levels)] = {};
    };
    std::map<std::string, Counts> counts_;
};

/// Repetitions of `people` honest reports; person i holds hold(i).
template <class Hold>
void check_honest(const Mechanism& m, std::size_t people, Hold hold, std::size_t repetitions,
                  BitSource& bits) {
    Alarms alarms;
    for (std::size_t r = 0; r < repetitions; ++r) {
        OwnedSummary summary(m);
        for (std::size_t i = 0; i < people; ++i) summary.draw(hold(i), bits);
        alarms.add(health(summary));
    }
    BOOST_TEST_CONTEXT(parameters_json(m) << ", people " << people) {
        alarms.test();
    }
}

/// A report with this payload.
Report forged(const Mechanism& m, Bytes payload) {
    Report report(m.block().begin(), m.block().end());
    report.insert(report.end(), payload.begin(), payload.end());
    return report;
}

/// A forged unary report with these bits set.
Report forged_bits(const Mechanism& m, const std::vector<std::size_t>& set) {
    std::vector<std::byte> payload(m.payload_size());
    for (const std::size_t v : set) payload[v / 8] |= static_cast<std::byte>(1u << v % 8);
    return forged(m, payload);
}

}  // namespace

BOOST_AUTO_TEST_CASE(honest_oracles_raise_no_alarm, *boost::unit_test::label("slow")) {
    SeededBits bits(401);
    for (const char* name : {"grr", "oue", "sue"})
        for (const double epsilon : {0.1, 1.0, 5.0})
            for (const std::size_t k : {2, 30})
                for (const std::size_t people : {1, 2, 5, 100}) {
                    const auto m = mechanism(name, epsilon, "\"domain\": " + std::to_string(k));
                    const std::size_t repetitions = people < 100 ? 2000 : 500;
                    check_honest(
                        *m, people, [](std::size_t) { return std::vector<Cell>{0}; }, repetitions, bits);
                    check_honest(
                        *m, people, [&](std::size_t i) { return std::vector<Cell>{i * i % k}; }, repetitions,
                        bits);
                }
}

BOOST_AUTO_TEST_CASE(honest_numbers_raise_no_alarm, *boost::unit_test::label("slow")) {
    SeededBits bits(402);
    for (const char* name : {"piecewise", "pdp", "optimal"})
        for (const double epsilon : {0.1, 1.0, 5.0})
            for (const std::size_t people : {1, 2, 5, 100}) {
                const auto m = mechanism(name, epsilon, "\"min\": 0, \"max\": 1, \"grid\": 100");
                for (const Cell at : {0, 50, 90, 100})
                    check_honest(
                        *m, people, [&](std::size_t) { return std::vector<Cell>{at}; }, 2000, bits);
                check_honest(
                    *m, people, [](std::size_t i) { return std::vector<Cell>{i % 2 * 100}; }, 2000, bits);
            }
}

// The marginals of a table in two layers have different oracles, and so different statistics.
BOOST_AUTO_TEST_CASE(statistics_of_different_parts_are_kept) {
    const std::vector<std::vector<Check>> parts{
        {{"a", 1, 1, 0.5}}, {{"b", 2, 1, 0.01}, {"a", 3, 1, 0.1}, {"c", 4, 1, 0.9}}, {{"b", 5, 1, 0.2}}};
    const std::vector<Check> worst = worst_of(parts, 3);
    BOOST_REQUIRE_EQUAL(worst.size(), 3u);
    BOOST_TEST((worst[0].name == "a" && worst[0].observed == 3));
    BOOST_TEST((worst[1].name == "b" && worst[1].observed == 2));
    BOOST_TEST((worst[2].name == "c" && worst[2].observed == 4));
    BOOST_CHECK_CLOSE(worst[1].p_value, 0.03, 1e-9);
    BOOST_TEST(worst[2].p_value == 1);

    SeededBits bits(405);
    const auto tables = mechanism("joint", 2, R"("report_epsilon": 0.5, "attributes": [
        {"name": "a", "domain": 2}, {"name": "b", "domain": 2}, {"name": "c", "domain": 20}])");
    for (const std::size_t people : {1, 20, 400})
        check_honest(
            *tables, people,
            [](std::size_t i) {
                return std::vector<Cell>{i / 3 % 2, i / 5 % 2, i / 7 % 20};
            },
            300, bits);
}

BOOST_AUTO_TEST_CASE(honest_vectors_raise_no_alarm, *boost::unit_test::label("slow")) {
    SeededBits bits(403);
    for (const std::size_t d : {2, 5, 64})
        for (const std::size_t people : {1, 3, 10, 100}) {
            const auto m = mechanism("haar", 2, unit_attributes(d) + ", \"grid\": 100");
            for (const Cell at : {0, 100})
                check_honest(
                    *m, people, [&](std::size_t) { return std::vector<Cell>(d, at); }, 500, bits);
            check_honest(
                *m, people,
                [&](std::size_t i) {
                    std::vector<Cell> cells(d);
                    for (std::size_t j = 0; j < d; ++j) cells[j] = (i + j) % 2 * 100;
                    return cells;
                },
                500, bits);
        }
}

BOOST_AUTO_TEST_CASE(honest_trees_raise_no_alarm, *boost::unit_test::label("slow")) {
    SeededBits bits(405);
    for (const double epsilon : {0.1, 2.0, 5.0})
        for (const std::size_t k : {2, 11, 64})
            for (const std::size_t people : {1, 3, 10, 100})
                for (const char* name : {"haar_ordered", "tree"}) {
                    const auto m = mechanism(name, epsilon, "\"domain\": " + std::to_string(k));
                    check_honest(
                        *m, people, [](std::size_t) { return std::vector<Cell>{0}; }, 500, bits);
                    check_honest(
                        *m, people, [&](std::size_t i) { return std::vector<Cell>{i * i % k}; }, 500, bits);
                }
}

BOOST_AUTO_TEST_CASE(rare_classes_are_taken_together) {
    // 3 hits on 4096 classes coincide once in 1365 times, which is no more surprising than that.
    std::vector<std::uint64_t> counts(4096);
    counts[7] = 2;
    counts[8] = 1;
    BOOST_CHECK_GT(goodness_of_fit("few", counts).p_value, 0.001);
    // By hand: 60 against 40 in two classes of one half is 4.
    const std::uint64_t halves[] = {60, 40};
    BOOST_CHECK_CLOSE_FRACTION(goodness_of_fit("halves", halves).observed, 4, 1e-12);
    BOOST_CHECK_CLOSE_FRACTION(goodness_of_fit("halves", halves).p_value, 0.04550026389635842, 1e-9);
    const double weights[] = {3, 2};
    BOOST_CHECK_SMALL(goodness_of_fit("weighted", halves, weights).observed, 1e-12);
}

BOOST_AUTO_TEST_CASE(bounds_of_chances_are_bounds) {
    // Ones of seven reports of 20 bits, all of one kind: binomial, and a bound that is not far off.
    const BitGroup groups[] = {{4, 0.3}, {16, 0.3}};
    for (std::uint64_t ones = 0; ones <= 140; ++ones) {
        const double exact =
            2 * (ones < 42 ? binomial_at_most(140, 0.3, ones) : binomial_at_least(140, 0.3, ones));
        const double bound = chance_of_ones(7, static_cast<double>(ones), groups);
        BOOST_CHECK_GE(bound, std::min(1.0, exact) * (1 - 1e-9));
        BOOST_CHECK_LE(bound, 20 * exact);
    }
    // One report: its square deviation from the mean of 6 is at least 64 with 14 ones or more.
    const double exact = binomial_at_least(20, 0.3, 14);
    const Check check = variance_of_ones(1, 14, 14 * 14, groups);
    BOOST_CHECK_CLOSE_FRACTION(check.observed, 64, 1e-12);
    BOOST_CHECK_CLOSE_FRACTION(check.expected, 4.2, 1e-12);
    BOOST_CHECK_GE(check.p_value, exact);
    BOOST_CHECK_LE(check.p_value, 40 * exact);
}

BOOST_AUTO_TEST_CASE(floods_of_empty_and_full_reports_are_seen) {
    SeededBits bits(411);
    for (const char* name : {"oue", "sue"}) {
        const auto m = mechanism(name, 1, "\"domain\": 50");
        OwnedSummary empty(*m);
        for (std::size_t i = 0; i < 20; ++i) empty.add(forged_bits(*m, {}));
        BOOST_CHECK_LT(p_value(empty, "sum of frequencies"), seen);
        std::vector<std::size_t> all(50);
        std::iota(all.begin(), all.end(), 0u);
        OwnedSummary summary(*m);
        for (std::size_t i = 0; i < 5000; ++i)  // 2 % of them
            summary.add(i % 50 == 0 ? forged_bits(*m, all) : m->perturb(std::vector<Cell>{i % 7}, bits));
        BOOST_CHECK_LT(p_value(summary, "sum of frequencies"), seen);
        BOOST_CHECK_LT(p_value(summary, "variance of ones per report"), seen);
    }
}

BOOST_AUTO_TEST_CASE(floods_with_the_right_number_of_ones_are_seen, *boost::unit_test::label("slow")) {
    SeededBits bits(412);
    for (const char* name : {"oue", "sue"}) {
        const auto m = mechanism(name, 1, "\"domain\": 50");
        const auto [p, q] = dynamic_cast<const FrequencyOracle&>(*m).protocol();
        const auto ones = static_cast<std::size_t>(std::lround(p + 49 * q));
        OwnedSummary summary(*m);
        for (std::size_t i = 0; i < 60000; ++i) {
            if (i % 20 != 0) {
                summary.add(m->perturb(std::vector<Cell>{i % 7}, bits));
                continue;
            }
            // 5 %: the target and as many others as an honest report has.
            std::vector<std::size_t> set{42};
            while (set.size() < ones) {
                const auto v = static_cast<std::size_t>(bits.below(50));
                if (std::ranges::find(set, v) == set.end()) set.push_back(v);
            }
            summary.add(forged_bits(*m, set));
        }
        BOOST_CHECK_LT(p_value(summary, "variance of ones per report"), seen);
    }
}

BOOST_AUTO_TEST_CASE(floods_of_one_value_are_seen) {
    // Under ε = 0.5 even a value that all hold is reported by 15 % of them only.
    SeededBits bits(413);
    const auto m = mechanism("grr", 0.5, "\"domain\": 10");
    const std::byte target[] = {std::byte{3}};
    OwnedSummary summary(*m);
    for (std::size_t i = 0; i < 5000; ++i)
        summary.add(i % 5 == 0 ? forged(*m, target) : m->perturb(std::vector<Cell>{i % 10}, bits));
    BOOST_CHECK_LT(p_value(summary, "greatest frequency"), seen);
    // And one that is never reported has too few.
    OwnedSummary shunned(*m);
    for (std::size_t i = 0; i < 5000; ++i) {
        Report report = m->perturb(std::vector<Cell>{i % 10}, bits);
        if (report.back() == target[0]) report.back() = std::byte{0};
        shunned.add(report);
    }
    BOOST_CHECK_LT(p_value(shunned, "least frequency"), seen);
}

BOOST_AUTO_TEST_CASE(floods_beyond_the_end_are_seen) {
    for (const char* name : {"piecewise", "pdp"}) {
        const auto m = mechanism(name, 1, "\"min\": 0, \"max\": 1, \"grid\": 100");
        const auto most = static_cast<std::uint8_t>(100 + m->parameters().back().second -
                                                    1);  // grid steps + window width cells
        for (const std::uint8_t end : {std::uint8_t{0}, most}) {
            const std::byte payload[] = {static_cast<std::byte>(end)};
            OwnedSummary summary(*m);
            for (std::size_t i = 0; i < 200; ++i) summary.add(forged(*m, payload));
            BOOST_CHECK_LT(p_value(summary, "mean within its range"), seen);
            BOOST_CHECK_LT(p_value(summary, "mean square within its range"), seen);
        }
        // Both ends in turn leave the mean where it may be.
        OwnedSummary summary(*m);
        for (std::size_t i = 0; i < 200; ++i) {
            const std::byte payload[] = {static_cast<std::byte>(i % 2 * most)};
            summary.add(forged(*m, payload));
        }
        BOOST_CHECK_GT(p_value(summary, "mean within its range"), 0.1);
        BOOST_CHECK_LT(p_value(summary, "mean square within its range"), seen);
    }
}

BOOST_AUTO_TEST_CASE(floods_of_one_coefficient_are_seen) {
    SeededBits bits(414);
    const auto m = mechanism("haar", 1, unit_attributes(8) + ", \"grid\": 100");
    const std::vector<Cell> person{10, 20, 30, 40, 50, 60, 70, 80};
    OwnedSummary summary(*m);
    for (std::size_t i = 0; i < 200; ++i) {
        Report report = m->perturb(person, bits);
        report[m->block().size()] = std::byte{5};  // the coefficient's number
        summary.add(report);
    }
    BOOST_CHECK_LT(p_value(summary, "coefficients drawn"), seen);
}

BOOST_AUTO_TEST_CASE(floods_of_one_node_are_seen) {
    SeededBits bits(415);
    const auto m = mechanism("haar_ordered", 1, "\"domain\": 64");
    // One level; one column of a level; and one node, whatever the column is.
    const auto flooded = [&](std::size_t part, auto forge) {
        OwnedSummary summary(*m);
        for (std::size_t i = 0; i < 4000; ++i) {
            Report report = m->perturb(std::vector<Cell>{i % 64}, bits);
            if (i % part == 0) forge(MutableBytes(report).subspan(m->block().size()));
            summary.add(report);
        }
        return summary;
    };
    const auto level = flooded(5, [&](MutableBytes payload) {
        payload[0] = std::byte{5};
        payload[1] = static_cast<std::byte>(bits.below(64));
    });
    BOOST_CHECK_LT(p_value(level, "levels drawn"), seen);
    const auto column = flooded(1, [&](MutableBytes payload) {
        if (payload[0] == std::byte{5} && bits.below(4) == 0) payload[1] = std::byte{7};
    });
    BOOST_CHECK_LT(p_value(column, "columns drawn"), seen);
    const auto node = flooded(1, [&](MutableBytes payload) {
        if (payload[0] != std::byte{5}) return;
        const auto place = std::uint64_t{19}, drawn = bits.below(32);
        payload[1] = static_cast<std::byte>(drawn + (std::popcount(place & drawn) % 2 == 0 ? 0 : 32));
    });
    BOOST_CHECK_GT(p_value(node, "columns drawn"), 1e-3);
    BOOST_CHECK_LT(p_value(node, "greatest support of a node"), seen);
    BOOST_CHECK_LT(p_value(node, "least support of a node"), seen);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
