// The orders of growth that doc/operation.md states, from counted steps: the checks for interrupts, of which there is
// one for each 16,384 steps. Times are not measured.

#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/longitudinal/number_series.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/summary/queries/series_queries.hpp"
#include "core/tables/fitted.hpp"
#include "core/tables/measured.hpp"
#include "core/tables/pooled.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(growth)

namespace {

std::size_t checks;

/// Returns how often a computation checks for interrupts.
std::size_t checks_of(const std::function<void()>& compute) {
    checks = 0;
    interrupt_handler = []() noexcept {
        ++checks;
        return false;
    };
    compute();
    interrupt_handler = nullptr;
    return checks;
}

/// Returns the exponent of the growth between a size and twice the size.
double order(const std::function<std::size_t(std::size_t)>& steps, std::size_t size) {
    return std::log2(static_cast<double>(steps(2 * size)) / static_cast<double>(steps(size)));
}

OwnedSummary random_reports(const Mechanism& m, int people) {
    SeededBits bits(99);
    OwnedSummary summary(m);
    const std::vector<std::uint64_t> cells = m.input_cells();
    for (int person = 0; person < people; ++person) {
        std::vector<Cell> input;
        for (const std::uint64_t each : cells) input.push_back(bits.below(each));
        summary.add(m.perturb(input, bits));
    }
    return summary;
}

std::string rounds(std::size_t count) {
    return "\"changes\": 3, \"rounds\": " + std::to_string(count);
}
std::string domain(std::size_t count) {
    return "\"domain\": " + std::to_string(count);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_signs_of_all_rounds_are_linear_in_the_rounds) {
    const auto steps = [](std::size_t count) {
        const auto m = mechanism("threshold_series", 2, "\"min\": 0, \"max\": 1, " + rounds(count));
        const OwnedSummary summary = random_reports(*m, 200);
        const SummaryView view = summary.view();
        return checks_of([&] { (void)capability<NumberSeries>(*m).solution(view); });
    };
    BOOST_TEST(order(steps, 1024) < 1.15);
}

BOOST_AUTO_TEST_CASE(errors_of_all_rounds_are_quadratic_in_the_rounds) {
    const auto means = [](std::size_t count) {
        const auto m = mechanism("threshold_series", 2, "\"min\": 0, \"max\": 1, " + rounds(count));
        const OwnedSummary summary = random_reports(*m, 200);
        return checks_of([&] { (void)means_by_round(summary.view(), Target::sample); });
    };
    BOOST_TEST(order(means, 512) < 2.1);
    const auto round = [](std::size_t count) {
        const auto m = mechanism("ddrm", 2, domain(64) + ", " + rounds(count));
        const OwnedSummary summary = random_reports(*m, 200);
        return checks_of([&] { (void)summary.estimate(Quantity::frequencies, Target::sample, count - 1); });
    };
    BOOST_TEST(order(round, 1024) < 1.3);
}

// The share of one value reads the reports in its set, one in q of all outputs.
BOOST_AUTO_TEST_CASE(one_value_of_many_costs_a_part) {
    const auto m = mechanism("projective", 2, domain(1 << 20));
    const OwnedSummary summary = random_reports(*m, 50);
    const auto& oracle = capability<FrequencyOracle>(*m);
    const std::size_t all = checks_of([&] { (void)oracle.supports(summary.state()); });
    const std::size_t one = checks_of([&] { (void)oracle.support(summary.state(), 12345); });
    BOOST_TEST(40 * one < all);
    const std::size_t outputs = m->state_size() / sizeof(std::uint64_t);
    BOOST_TEST(one < outputs / 5 / Work::segment);
}

BOOST_AUTO_TEST_CASE(regressions_on_a_filter_are_quadratic_up_to_the_inverse) {
    const auto steps = [](std::size_t k) {
        const auto m = mechanism("rappor", 2, domain(k) + ", \"cohorts\": 64");
        const OwnedSummary summary = random_reports(*m, 50);
        return checks_of([&] { (void)summary.estimate(Quantity::frequencies); });
    };
    BOOST_TEST(order(steps, 128) < 2.2);
}

// Each pair of attributes is in one table, which is read a fixed number of times.
BOOST_AUTO_TEST_CASE(fitted_tables_are_quadratic_in_the_attributes) {
    const auto steps = [](std::size_t d) {
        std::string attributes;
        for (std::size_t j = 0; j < d; ++j)
            attributes +=
                (j == 0 ? "" : ", ") + ("{\"name\": \"a" + std::to_string(j) + "\", \"domain\": 2}");
        const auto m = mechanism("joint", 2, "\"attributes\": [" + attributes + "]");
        const OwnedSummary summary = random_reports(*m, 200);
        const Measured tables = measured(summary.view());
        return checks_of([&] { (void)fitted(tables); });
    };
    BOOST_TEST(order(steps, 16) < 2.3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
