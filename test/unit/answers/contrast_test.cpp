// Weighted sums of the estimates of one summary: exact variances, intervals, and refusals.

#include "core/groups/weighted_sum.hpp"

#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/results/row_functions.hpp"
#include "frequency/collected.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(contrasts)

namespace {

using Weights = std::vector<Labels::QuantityWeight>;

/// All payloads of at most two bytes.
std::vector<std::vector<std::byte>> payloads(const Mechanism& m) {
    std::vector<std::vector<std::byte>> all;
    for (std::size_t number = 0; number < std::size_t{1} << (8 * m.payload_size()); ++number) {
        std::vector<std::byte> payload;
        for (std::size_t i = 0; i < m.payload_size(); ++i)
            payload.push_back(static_cast<std::byte>(number >> (8 * i)));
        if (m.valid_payload(payload)) all.push_back(payload);
    }
    return all;
}

/// The probability that a person with this value sends the payload.
double chance_of(const Mechanism& m, Cell value, Bytes payload,
                 const std::vector<std::vector<std::byte>>& permanents) {
    if (m.report_epsilon() == m.epsilon())
        return static_cast<double>(m.probability({&value, 1}, {}, payload));
    double sum = 0;
    for (const auto& permanent : permanents)
        sum += static_cast<double>(m.probability({&value, 1}, {}, permanent)) *
               static_cast<double>(m.instantaneous_probability({}, permanent, payload));
    return sum;
}

/// n·Var of the noise of Σ weights·shares, by enumeration of what people report.
double enumerated(const Mechanism& m, const std::vector<double>& weights, const std::vector<double>& shares) {
    const auto all = payloads(m);
    std::vector<double> terms;
    for (const auto& payload : all) {
        std::vector<std::byte> state(m.state_size());
        BOOST_REQUIRE(m.accumulate(state, payload));
        const auto estimates = m.estimate({1, state}, {Quantity::frequencies, Target::sample});
        double term = 0;
        for (std::size_t v = 0; v < weights.size(); ++v) term += weights[v] * estimates[v].value;
        terms.push_back(term);
    }
    double variance = 0;
    for (std::size_t t = 0; t < shares.size(); ++t) {
        double chances = 0, mean = 0, square = 0;
        for (std::size_t y = 0; y < all.size(); ++y) {
            const double chance = chance_of(m, t, all[y], all);
            chances += chance;
            mean += chance * terms[y];
            square += chance * terms[y] * terms[y];
        }
        BOOST_REQUIRE_CLOSE(chances, 1, 1e-9);
        BOOST_REQUIRE_SMALL(mean - weights[t], 1e-9);
        variance += shares[t] * (square - mean * mean);
    }
    return variance;
}

/// The mean over the labels of a category, whose weights are 0, 1, 2 and so on.
Weights scores(std::size_t values) {
    Weights all;
    for (std::size_t v = 1; v < values; ++v) all.push_back({0, v, static_cast<double>(v)});
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(variances_are_those_of_the_enumerated_reports) {
    for (const char* spec : {R"({"mechanism": "grr", "epsilon": 1, "domain": 3})",
                             R"({"mechanism": "grr", "epsilon": 3, "domain": 6})",
                             R"({"mechanism": "subset", "epsilon": 0.5, "domain": 6})",
                             R"({"mechanism": "subset", "epsilon": 1.5, "domain": 9})",
                             R"({"mechanism": "oue", "epsilon": 1, "domain": 4})",
                             R"({"mechanism": "sue", "epsilon": 2, "domain": 5})",
                             R"({"mechanism": "hadamard", "epsilon": 0.5, "domain": 7})",
                             R"({"mechanism": "hadamard", "epsilon": 1, "domain": 6})",
                             R"({"mechanism": "hadamard", "epsilon": 3, "domain": 14})",
                             R"({"mechanism": "hadamard", "epsilon": 4, "domain": 40})",
                             R"({"mechanism": "projective", "epsilon": 1, "domain": 10})",
                             R"({"mechanism": "projective", "epsilon": 1, "domain": 13})",
                             R"({"mechanism": "projective", "epsilon": 0.3, "domain": 15})",
                             R"({"mechanism": "projective", "epsilon": 2, "domain": 6})",
                             R"({"mechanism": "projective", "epsilon": 1.3, "domain": 50})"}) {
        const auto m = mechanism(spec);
        const auto& oracle = capability<ValueOracle>(*m);
        const std::size_t k = m->cells()[0];
        std::vector<double> shares(k), even(k, 1), few(k), many(k);
        for (std::size_t v = 0; v < k; ++v) {
            shares[v] = static_cast<double>(v * v % 7 + (v == 1 ? 9 : 0));
            many[v] = static_cast<double>(v * 5 % 11) - 4;
        }
        const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
        for (double& share : shares) share /= sum;
        few[0] = 1;
        few[k - 1] = -2;
        BOOST_TEST_CONTEXT(spec) {
            for (const auto& weights : {even, few, many})
                BOOST_CHECK_CLOSE(*oracle.n_variance_of_sum(weights, shares) + 1,
                                  enumerated(*m, weights, shares) + 1, 1e-7);
        }
    }
}

// Two layers: the enumeration is that of one report of each person.
BOOST_AUTO_TEST_CASE(variances_in_two_layers_are_those_of_the_enumerated_reports) {
    for (const char* name : {"l_grr", "l_osue"}) {
        const auto m = mechanism(std::string(R"({"mechanism": ")") + name +
                                 R"(", "epsilon": 2, "report_epsilon": 1, "domain": 4})");
        const std::vector<double> weights{2, -1, 0.5, 0}, shares{0.5, 0.2, 0.3, 0};
        BOOST_TEST_CONTEXT(name)
        BOOST_CHECK_CLOSE(*capability<ValueOracle>(*m).n_variance_of_sum(weights, shares),
                          enumerated(*m, weights, shares), 1e-7);
    }
}

// 5000 samples of people each. A coverage below 93 % or an unbiased sum that differs from the truth by six standard
// errors has a probability below 1e-9 if the true coverage is 94.5 % or more.
BOOST_AUTO_TEST_CASE(intervals_of_sums_of_shares_cover, *boost::unit_test::label("slow")) {
    struct SumCase {
        const char* spec;
        std::size_t people;
        std::vector<double> shares;
        Weights weights;
    };
    const Weights difference{{0, 0, 1}, {0, 1, -1}};
    const std::vector<double> usual{0.5, 0.3, 0.15, 0.05}, rare{0.9, 0.02, 0.04, 0.04};
    const SumCase cases[] = {
        {R"({"mechanism": "grr", "epsilon": 4, "domain": 4})", 50, usual, difference},
        {R"({"mechanism": "grr", "epsilon": 8, "domain": 4})", 50, rare, scores(4)},
        {R"({"mechanism": "grr", "epsilon": 2, "domain": 4})", 50, rare, {{0, 0, 1}, {0, 3, 0.2}}},
        {R"({"mechanism": "subset", "epsilon": 1, "domain": 4})", 100, usual, scores(4)},
        {R"({"mechanism": "projective", "epsilon": 1, "domain": 4})", 100, usual, difference}};
    std::uint64_t seed = 1;
    for (const SumCase& one : cases) {
        const auto m = mechanism(one.spec);
        const std::vector<double> cumulative = cumulated(one.shares);
        double truth = 0;
        for (const auto& each : one.weights) truth += each.weight * one.shares[*each.value];
        for (const Target target : {Target::population, Target::sample}) {
            SeededBits bits(++seed);
            Simulation simulation;
            double mean_square = 0;
            constexpr std::size_t repetitions = 5000;
            for (std::size_t r = 0; r < repetitions; ++r) {
                OwnedSummary summary(*m);
                double held = 0;
                for (std::size_t i = 0; i < one.people; ++i) {
                    const double u = (static_cast<double>(bits.word() >> 11) + 0.5) * 0x1p-53;
                    const auto value = static_cast<Cell>(std::min<std::ptrdiff_t>(
                        std::ranges::lower_bound(cumulative, u) - cumulative.begin(), 3));
                    summary.draw(value, bits);
                    for (const auto& each : one.weights)
                        if (*each.value == value) held += each.weight / static_cast<double>(one.people);
                }
                const BoundedEstimate found =
                    contrast(summary.view(), one.weights, target, critical_value(0.95));
                // The errors about the sum of these people, or of the population.
                const double shift = target == Target::sample ? held - truth : 0;
                simulation.add({{found.estimate.value - shift, found.estimate.standard_error}},
                               {{found.interval.lower - shift, found.interval.upper - shift}}, {truth});
                mean_square += std::pow(found.estimate.standard_error, 2) / repetitions;
            }
            BOOST_TEST_CONTEXT(one.spec << ", " << one.people << " people, target "
                                        << (target == Target::sample ? "sample" : "population")) {
                BOOST_TEST_MESSAGE(simulation.covered[0] / repetitions
                                   << " " << mean_square / simulation.variance(0));
                simulation.check_coverage(1);
                simulation.check_unbiased();
            }
        }
    }
}

// Means of two numbers of a record and shares, which are correlated among people: 3000 samples of 300 people.
BOOST_AUTO_TEST_CASE(intervals_of_sums_over_attributes_cover, *boost::unit_test::label("slow")) {
    const auto m = mechanism(
        R"({"mechanism": "sampled", "epsilon": 3, "attributes": [{"name": "a", "min": 0, "max": 10, "mechanism": "duchi"},
            {"name": "b", "min": 0, "max": 10, "mechanism": "duchi"}, {"name": "c", "domain": 3, "mechanism": "grr"}]})");
    const Weights weights{{0, std::nullopt, 1}, {1, std::nullopt, -2}, {2, 0, 5}, {2, 2, -5}};
    SeededBits bits(11);
    Simulation simulation;
    const auto coin = [&](double share) { return static_cast<double>(bits.word() >> 11) * 0x1p-53 < share; };
    const std::uint64_t top = m->cells()[0] - 1;
    for (std::size_t r = 0; r < 3000; ++r) {
        OwnedSummary summary(*m);
        for (int i = 0; i < 300; ++i) {
            const bool high = coin(0.3);
            const Cell person[] = {high ? top : 0, coin(high ? 0.9 : 0.1) ? top : 0,
                                   high        ? 0U
                                   : coin(0.5) ? 1U
                                               : 2U};
            summary.draw(person, bits);
        }
        const BoundedEstimate found = contrast(summary.view(), weights, Target::sample, critical_value(0.95));
        simulation.add({found.estimate}, {found.interval}, {3 - 2 * 3.4 + 5 * (0.3 - 0.35)});
    }
    simulation.check_coverage();
    simulation.check_unbiased();
}

BOOST_AUTO_TEST_CASE(sums_without_a_known_covariance_are_refused) {
    const Weights means{{0, std::nullopt, 1}, {1, std::nullopt, 1}}, labels{{0, 0, 1}, {0, 1, -1}};
    const auto refuses = [](const char* spec, const Weights& weights) {
        const auto m = mechanism(spec);
        BOOST_TEST_CONTEXT(spec) BOOST_CHECK_THROW(check_contrast(*m, weights), Error);
    };
    const std::string numbers =
        R"("attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]})";
    refuses((R"({"mechanism": "sampled", "per_report": 2, "epsilon": 2, )" + numbers).c_str(), means);
    refuses((R"({"mechanism": "haar", "epsilon": 2, )" + numbers).c_str(), means);
    refuses(R"({"mechanism": "olh", "epsilon": 2, "domain": 3})", labels);
    refuses(
        R"({"mechanism": "label_sets", "epsilon": 2, "attributes": [{"name": "a", "domain": 5, "several": true, "most": 2}]})",
        labels);
    refuses(
        R"({"mechanism": "joint", "epsilon": 2, "attributes": [{"name": "a", "domain": 3}, {"name": "b", "domain": 3}]})",
        labels);
    refuses(R"({"mechanism": "ddrm", "epsilon": 2, "domain": 3, "rounds": 4})", labels);
    refuses(R"({"mechanism": "grr", "epsilon": 2, "domain": 3})", means);
    refuses(R"({"mechanism": "duchi", "epsilon": 2, "min": 0, "max": 1})", labels);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
