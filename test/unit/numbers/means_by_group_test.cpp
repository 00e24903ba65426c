// Means of a number by a private group: ε by enumeration, unbiased terms, errors and their covariance, coverage of
// intervals, and groups and numbers as parts of records.

#include <array>
#include <cmath>
#include <random>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/contract/labels.hpp"
#include "core/results/row_functions.hpp"
#include "group_people.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(means_by_group)

namespace {

OwnedSummary reports_of(const Mechanism& m, People& people, std::size_t n, double missing, BitSource& bits) {
    std::mt19937_64 random(bits.word());
    std::bernoulli_distribution absent(missing);
    OwnedSummary summary(m);
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<Cell> input = people.draw();
        if (absent(random)) input[1] = m.cells()[1] - 1;
        summary.draw(input, bits);
    }
    return summary;
}

Simulated simulate(double epsilon, std::size_t n, std::size_t repetitions, double missing = 0) {
    const auto m = by_group(epsilon, People::groups, missing > 0);
    People people(11);
    SeededBits bits(12);
    Simulated all;
    for (std::size_t r = 0; r < repetitions; ++r) {
        const OwnedSummary summary = reports_of(*m, people, n, missing, bits);
        all.add(means_of_groups(summary.view(), usual), people);
    }
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_sampler_keeps_epsilon) {
    prove(*by_group(2, 4, false, 4));
    prove(*by_group(4, 3, true, 3));
    for (const double epsilon : epsilons)
        for (const std::size_t groups : {2, 5, 40, 1024})
            for (const bool missing : {false, true})
                check_worst_ratio(*by_group(epsilon, groups, missing, 1048576));
    check_frequencies_of_reports(*by_group(1, 2, false, 4), std::vector<Cell>{1, 3}, 4711);
    check_frequencies_of_reports(*by_group(1, 2, true, 4), std::vector<Cell>{0, 5}, 4712);
}

// Exact expectations over all reports, for every input.
BOOST_AUTO_TEST_CASE(terms_are_unbiased) {
    for (const double epsilon : {0.5, 1.0, 4.0})
        for (const bool missing : {false, true}) {
            const auto m = by_group(epsilon, 2, missing, 6);
            const auto payloads = payloads_of(*m);
            for_each_input(*m, [&](Input input) {
                std::vector<double> sums(2), shares(2);
                for (const auto& payload : payloads) {
                    const auto p = static_cast<double>(m->probability(input, {}, payload));
                    const std::vector<std::byte> state = state_of(*m, payload);
                    const auto found = reporter(*m).group_sums({1, state});
                    for (std::size_t group = 0; group < 2; ++group) {
                        sums[group] += p * found[group].sum;
                        shares[group] += p * found[group].share;
                    }
                }
                for (std::size_t group = 0; group < 2; ++group) {
                    const bool own = group == input[0] && input[1] <= 6;
                    BOOST_CHECK_SMALL(sums[group] - (own ? static_cast<double>(input[1]) / 3 - 1 : 0), 1e-12);
                    BOOST_CHECK_SMALL(shares[group] - (own ? 1 : 0), 1e-12);
                }
            });
        }
}

// The mean product of the terms of two groups follows from the counters. For many reports of one input, it is compared
// with the mean product of single reports. The tolerance is more than 9 standard errors: a product is at most the product
// of the largest terms. The probability of a false alarm is below 1e-15.
BOOST_AUTO_TEST_CASE(products_of_two_groups_are_those_of_reports) {
    for (const double epsilon : {0.5, 2.0})
        for (const bool missing : {false, true})
            for (const std::size_t groups : {2, 3, 5}) {
                const auto m = by_group(epsilon, groups, missing, 3);
                const double one_mean = 0.4, other_mean = -0.7;
                for_each_input(*m, [&](Input input) {
                    constexpr int draws = 4000;
                    double expected = 0, square_of_products = 0;
                    std::vector<std::byte> payload(m->payload_size()), all(m->state_size());
                    SeededBits bits(5);
                    for (int i = 0; i < draws; ++i) {
                        m->permanent_response(input, {}, bits, payload);
                        BOOST_REQUIRE(m->accumulate(all, payload));
                        const std::vector<std::byte> state = state_of(*m, payload);
                        const auto sums = reporter(*m).group_sums({1, state});
                        const double product = sums[0].residual(one_mean) * sums[1].residual(other_mean);
                        expected += product / draws;
                        square_of_products += square(product) / draws;
                    }
                    const double found = reporter(*m).product({draws, all}, 0, one_mean, 1, other_mean).once;
                    BOOST_CHECK_SMALL(found - expected, 10 * std::sqrt(square_of_products / draws));
                });
            }
}

// A false alarm of a coverage outside 0.92 to 0.98 with 5 · 400 intervals of a true coverage of 0.95 has a probability
// below 1e-8. Intervals that are the whole range always cover.
BOOST_AUTO_TEST_CASE(intervals_cover, *boost::unit_test::label("slow")) {
    const Simulated few = simulate(4, 200, 400), many = simulate(2, 2000, 400),
                    rare = simulate(4, 2000, 200, 0.25);
    for (const Simulated& one : {few, many, rare}) {
        BOOST_TEST(one.means.rate() > 0.92);
        BOOST_TEST(one.means.rate() < 0.98);
        BOOST_TEST(one.differences.rate() > 0.92);
    }
    // A standard deviation from 1,000 independent estimates has a relative error of 2.3 %.
    BOOST_TEST(many.means.error_ratio() > 0.85);
    BOOST_TEST(many.means.error_ratio() < 1.15);
    BOOST_TEST(many.differences.error_ratio() > 0.85);
    BOOST_TEST(many.differences.error_ratio() < 1.15);
}

// Few people at a small ε: no result is refused, and the interval is the declared range.
BOOST_AUTO_TEST_CASE(nothing_is_refused) {
    const auto m = by_group(0.1, People::groups);
    People people(3);
    SeededBits bits(4);
    const OwnedSummary summary = reports_of(*m, people, 30, 0, bits);
    const MeansOfGroups found = means_of_groups(summary.view(), usual);
    BOOST_REQUIRE_EQUAL(found.means.size(), People::groups);
    std::size_t whole = 0;
    for (const Coefficient& one : found.means) {
        BOOST_TEST(one.interval.lower >= 0);
        BOOST_TEST(one.interval.upper <= 20);
        whole += one.interval.lower == 0 && one.interval.upper == 20 && !one.note.empty();
    }
    BOOST_TEST(whole > 0u);
}

/// n times the variance of Σ (x − μ) over a group with this share and mean μ, by the mechanism of Raab et al. (2025), which
/// sends one group and one bit of the number.
double variance_of_one_bit(double epsilon, double groups, double share, double mean) {
    const double e = std::exp(epsilon), bit = (e - 1) / (e + 1), odds = (e + 1) / 2;
    const double p = odds / (odds + groups - 1), q = 1 / (odds + groups - 1);
    const double named = share * p + (1 - share) * q;
    return named / square(p * bit) - 2 * mean * mean * share / (p - q) + named * square(mean / (p - q)) -
           square(mean * q / (p - q));
}

// The statement of the manual: the error of the mean of a group is at most 0.9 times that of the mechanism above. The variance
// of 100,000 reports differs by about a percent from its expectation.
BOOST_AUTO_TEST_CASE(errors_are_below_those_of_one_group_and_one_bit) {
    for (const double epsilon : {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0}) {
        const auto m = by_group(epsilon, People::groups);
        People people(1);
        SeededBits bits(9);
        const OwnedSummary summary = reports_of(*m, people, 100000, 0, bits);
        const auto sums = reporter(*m).group_sums(summary.view());
        double mine = 0, rival = 0;
        for (std::size_t group = 0; group < People::groups; ++group) {
            const double mean = people.truth(group) / 10 - 1, share = People::shares_of_groups[group];
            mine += sums[group].variance(mean) / square(share);
            rival += variance_of_one_bit(epsilon, People::groups, share, mean) / square(share);
        }
        BOOST_TEST(std::sqrt(mine / rival) < 0.9, "epsilon " << epsilon << ": " << std::sqrt(mine / rival));
    }
}

BOOST_AUTO_TEST_CASE(specs_that_do_not_fit_are_refused) {
    const auto refused = [](const std::string& attributes, const std::string& part) {
        const auto says = [&](const Error& error) {
            return std::string(error.what()).find(part) != std::string::npos;
        };
        BOOST_CHECK_EXCEPTION(
            mechanism(R"({"mechanism": "means_by_group", "epsilon": 1, "attributes": [)" + attributes + "]}"),
            Error, says);
    };
    const std::string number = R"({"name": "x", "min": 0, "max": 1})",
                      group = R"({"name": "g", "domain": 3})";
    refused(group + R"(, {"name": "h", "domain": 3})", "one category and one number");
    refused(R"({"name": "g", "domain": 2000}, )" + number, "at most 1024 groups");
    refused(R"({"name": "g", "domain": 5, "several": true}, )" + number, "one category and one number");
}

// A part of a record, beside joint tables and a number.
BOOST_AUTO_TEST_CASE(groups_and_numbers_are_parts_of_records) {
    const Spec spec = resolve(R"({"mechanism": "sampled", "epsilon": 4,
        "joint_tables": [["age", "years"], ["a", "b"]], "attributes": [
        {"name": "age", "domain": ["young", "old"]}, {"name": "years", "min": 0, "max": 20},
        {"name": "a", "domain": 2}, {"name": "b", "domain": 3}, {"name": "pay", "min": 0, "max": 1}]})");
    BOOST_CHECK(Spec::from_json(spec.to_json()).to_json() == spec.to_json());
    const auto m = make_mechanism(spec);
    BOOST_REQUIRE_EQUAL(parts_of(*m).size(), 3u);
    BOOST_CHECK(has_means_of_groups(*m, 1, 0));
    BOOST_CHECK(!has_means_of_groups(*m, 0, 1));
    BOOST_CHECK(!has_means_of_groups(*m, 4, 0));
    OwnedSummary summary(*m);
    SeededBits bits(6);
    const std::uint64_t top = m->cells()[1] - 1;
    for (std::uint64_t i = 0; i < 30000; ++i)
        summary.draw(std::vector<Cell>{i % 2, i % 2 == 0 ? top / 4 : top / 2, 0, 0, 0}, bits);
    const Labels labels(spec.attributes());
    SummaryQuery query;
    query.of = "years";
    query.group = "age";
    const auto rows = accessors::regression({.summary = summary.bytes(), .labels = &labels}, query);
    BOOST_CHECK_EQUAL(rows->count(), 3u);  // two means and a difference
    const std::string_view predictors[] = {"pay"};
    query.predictors = predictors;
    BOOST_CHECK_EXCEPTION(accessors::regression({.summary = summary.bytes(), .labels = &labels}, query),
                          Error, [](const Error& error) {
                              return std::string(error.what())
                                         .find(R"("years" and "age" estimate the mean of each group only)") !=
                                     std::string::npos;
                          });
    const MeansOfGroups found = means_of_groups(part(summary.view(), 1), usual);
    // More than 10 standard errors.
    BOOST_CHECK_SMALL(found.means[0].estimate.value - 5, 10 * found.means[0].estimate.standard_error);
    BOOST_CHECK_SMALL(found.means[1].estimate.value - 10, 10 * found.means[1].estimate.standard_error);
    BOOST_TEST(found.means[0].estimate.standard_error < 0.5);
    BOOST_CHECK(found.differences[1].interval.lower > 0);
    const auto shares = summary.estimate(Quantity::frequencies, Target::sample, 0);
    BOOST_CHECK_SMALL(shares[0].value - 0.5, 10 * shares[0].standard_error);
    BOOST_CHECK_GT(summary.health(), 1e-9);

    // Weights of 1: the pair is as probable as the number, and the tables have the weight 3.
    const auto chances = parts_of(*m);
    BOOST_CHECK_CLOSE_FRACTION(chances[0].chance, chances[2].chance, 1e-9);
    BOOST_CHECK_CLOSE_FRACTION(chances[1].chance, 3 * chances[2].chance, 1e-9);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
