// Fits by a prior for each level of a tree: what they make of exact shares, and how much nearer they are than
// the estimates they are made of.

#include <cmath>
#include <numeric>

#include "core/math/monotone.hpp"
#include "core/mechanism/ordered/shrunk_splits.hpp"
#include "core/summary/queries/distribution.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(fits)

namespace {

constexpr std::size_t k = 256;

std::vector<double> normed(std::vector<double> shares) {
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    return shares;
}
std::vector<double> smooth(std::size_t points) {
    std::vector<double> shares(points);
    for (std::size_t s = 0; s < points; ++s) {
        const double x = (static_cast<double>(s) + 0.5) / static_cast<double>(points);
        shares[s] = std::exp(-std::pow((x - 0.4) / 0.15, 2));
    }
    return normed(shares);
}
std::vector<double> spikes(std::size_t points) {
    std::vector<double> shares(points);
    for (std::size_t i = 0; i < 8; ++i) shares[(i * 37 + 11) % points] += static_cast<double>(i + 1);
    return normed(shares);
}
std::vector<double> even(std::size_t points) {
    return normed(std::vector<double>(points, 1));
}

/// The mean squared error of a range whose ends fall anywhere alike.
double error_of_ranges(std::span<const double> curve, std::span<const double> truth) {
    double sum = 0, squares = 0;
    for (std::size_t s = 0; s < curve.size(); ++s) {
        sum += curve[s] - truth[s];
        squares += std::pow(curve[s] - truth[s], 2);
    }
    const auto cuts = static_cast<double>(curve.size() + 1);
    return 2 * (squares / cuts - std::pow(sum / cuts, 2));
}

/// The curve that does not fall and is nearest, each square being divided by its variance.
std::vector<double> pooled(const Ordered& ordered, const Counts& counts) {
    const std::vector<double> below = ordered.cumulative(counts);
    std::vector<double> shares = confined(monotone(below)), weights;
    std::adjacent_difference(shares.begin(), shares.end(), shares.begin());
    const auto noise = ordered.noise(counts, shares);
    for (std::size_t s = 0; s + 1 < below.size(); ++s)
        weights.push_back(1 / std::max(noise->between(0, s + 1), 1e-12));
    std::vector<double> curve = monotone(std::span(below).first(below.size() - 1), weights);
    curve.push_back(1);
    return confined(curve);
}

}  // namespace

BOOST_AUTO_TEST_CASE(shares_without_noise_stay_as_they_are) {
    for (const std::size_t points : {2, 3, 5, 100, 256, 1000})
        for (const auto& shares : {smooth(points), spikes(points), even(points)}) {
            const std::vector<double> none(std::bit_width(points - 1));
            const std::vector<double> found = shrunk_splits(cumulated(shares), none);
            BOOST_REQUIRE_EQUAL(found.size(), points);
            for (std::size_t s = 0; s < points; ++s) BOOST_CHECK_SMALL(found[s] - shares[s], 1e-9);
        }
}

// What is all noise becomes even.
BOOST_AUTO_TEST_CASE(noise_alone_is_evened_out) {
    const auto found = [](std::size_t points) {
        std::vector<double> curve(points, 0.75);
        curve.back() = 1;
        return shrunk_splits(curve, std::vector<double>(std::bit_width(points - 1), 1e6));
    };
    for (const std::size_t points : {2, 4, 256, 1024})
        for (const double share : found(points))
            BOOST_CHECK_CLOSE_FRACTION(share, 1 / static_cast<double>(points), 1e-3);
    // Where there are more points on the left there are more people, though that all are in one half is
    // thought possible for both alike.
    BOOST_CHECK_SMALL(cumulated(found(100))[63] - 0.64, 0.05);
}

// Against what is expected the limits are seven standard deviations away.
BOOST_AUTO_TEST_CASE(they_are_nearer_than_what_they_are_made_of, *boost::unit_test::label("slow")) {
    constexpr std::size_t n = 5000, repetitions = 40;
    SeededBits bits(641);
    for (const std::string name : {"haar_ordered", "tree"}) {
        const auto m = mechanism(name, 2, "\"domain\": " + std::to_string(k));
        const auto& ordered = dynamic_cast<const Ordered&>(*m);
        for (const auto& shares : {smooth(k), spikes(k), even(k)}) {
            const auto people = people_of(shares, n);
            const auto truth = cumulated(shares_among(people, k));
            double fitted = 0, unbiased = 0, nearest = 0;
            for (std::size_t r = 0; r < repetitions; ++r) {
                const auto summary = reported(*m, people, bits);
                const Counts counts{n, summary.state()};
                const Distribution fit = decode(summary.view(), Smoothing::none);
                BOOST_CHECK_GE(std::ranges::min(fit.shares), 0);
                BOOST_CHECK_CLOSE_FRACTION(std::accumulate(fit.shares.begin(), fit.shares.end(), 0.0), 1,
                                           1e-12);
                fitted += error_of_ranges(cumulated(fit.shares), truth);
                unbiased += error_of_ranges(ordered.cumulative(counts), truth);
                nearest += error_of_ranges(pooled(ordered, counts), truth);
            }
            BOOST_CHECK_LT(fitted, 0.75 * unbiased);
            if (shares == even(k)) BOOST_CHECK_LT(fitted, 0.7 * nearest);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
