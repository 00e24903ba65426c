// The published Haar pipeline, which figures compare with: that it is what was printed and released, and
// what that costs.

#define BOOST_TEST_MODULE evaluation
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "../../test/support/seeded_words.hpp"
#include "../competitors/published_haar.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(published_haar)

// Over inputs at the corners and in the middle of the cube, reports in the windows of each, and all masks.
BOOST_AUTO_TEST_CASE(the_printed_details_cost_more_than_they_claim) {
    const double values[] = {-1, 0, 1};
    for (const double epsilon : {0.5, 1.0, 2.0})
        for (std::size_t details = 1; details <= 4; ++details) {
            const evaluation::GlobalPerturbation mechanism(epsilon);
            const double expected = epsilon * (details <= 2 ? 2 : 4);
            BOOST_CHECK_CLOSE_FRACTION(mechanism.enumerated_epsilon(details, values), expected, 1e-9);
            BOOST_CHECK_CLOSE_FRACTION(mechanism.epsilon(details), expected, 1e-12);
        }
    for (const double epsilon : {0.5, 1.0, 4.0})
        BOOST_CHECK_CLOSE_FRACTION(evaluation::DensityWindow(epsilon).epsilon(), epsilon, 1e-9);
    BOOST_CHECK_CLOSE_FRACTION(evaluation::PrintedHaar(15, 1).epsilon(), 17, 1e-9);
    BOOST_CHECK_EQUAL(evaluation::ReleasedHaar(15, 1).epsilon(), std::numeric_limits<double>::infinity());
    BOOST_CHECK_NO_THROW(evaluation::check_published_haar());
}

// Masks of an even number of ones come with probability e^ε/(e^ε + 1), each as often as any other of its
// parity.
BOOST_AUTO_TEST_CASE(the_printed_masks_are_uniform_within_their_parity) {
    constexpr int draws = 100000;
    constexpr double epsilon = 1;
    const evaluation::GlobalPerturbation mechanism(epsilon);
    SeededBits bits(1604);
    int seen[8] = {};
    for (int i = 0; i < draws; ++i) {
        std::vector<double> details{0.25, -0.5, 0.75};
        const std::vector<double> before = details;
        mechanism.perturb(details, bits);
        unsigned mask = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            const evaluation::CoefficientWindow window(before[j], epsilon);
            BOOST_REQUIRE_LE(std::abs(details[j]), window.bound);
            if (details[j] < window.low || details[j] > window.high) mask |= 1U << j;
        }
        ++seen[mask];
    }
    for (unsigned mask = 0; mask < 8; ++mask) {
        const bool even = std::popcount(mask) % 2 == 0;
        const double p = (even ? std::exp(epsilon) : 1) / (std::exp(epsilon) + 1) / 4;
        BOOST_CHECK_LT(std::abs(seen[mask] - draws * p), 6 * std::sqrt(draws * p * (1 - p)));
    }
}

// Means and variances of the leaves are those of the closed form: half of each detail is missing as printed.
BOOST_AUTO_TEST_CASE(the_published_forms_follow_their_laws) {
    constexpr int draws = 40000;
    const std::vector<double> leaves{1, -1, 0.25, 0.5, -1, -1, 1, 0};
    const evaluation::PrintedHaar printed(7, 1);
    const evaluation::ReleasedHaar released(7, 1);
    SeededBits bits(1605);
    for (const evaluation::PublishedHaar* form : {static_cast<const evaluation::PublishedHaar*>(&printed),
                                                  static_cast<const evaluation::PublishedHaar*>(&released)}) {
        std::vector<double> coefficients(8), found(8), sum(8), squares(8), fourths(8);
        form->tree().forward(leaves, coefficients);
        const auto law = form->law(coefficients);
        for (int i = 0; i < draws; ++i) {
            std::vector<double> report = coefficients;
            form->perturb(report, bits);
            form->tree().inverse(report, found);
            for (std::size_t j = 0; j < 8; ++j) {
                const double error = found[j] - leaves[j] - law.bias[j];
                sum[j] += error / draws;
                squares[j] += error * error / draws;
                fourths[j] += std::pow(error, 4) / draws;
            }
        }
        for (std::size_t j = 0; j < 8; ++j) {
            BOOST_CHECK_LT(std::abs(sum[j]), 6 * std::sqrt(squares[j] / draws));
            BOOST_CHECK_LT(std::abs(squares[j] - law.variance[j]),
                           6 * std::sqrt((fourths[j] - squares[j] * squares[j]) / draws));
            if (form == &printed) BOOST_CHECK_SMALL(law.bias[j] - (coefficients[0] - leaves[j]) / 2, 1e-12);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
