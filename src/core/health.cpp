#include "health.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>
#include <utility>

namespace ldp {

double two_sided(double deviations) {
    return std::erfc(std::abs(deviations) / std::sqrt(2.0));
}

double one_sided(double deviations) {
    return std::erfc(deviations / std::sqrt(2.0)) / 2;
}

double binomial_at_most(std::uint64_t n, double p, std::uint64_t count) {
    if (count >= n) return 1;
    const boost::math::binomial law(static_cast<double>(n), p);
    return cdf(law, static_cast<double>(count));
}

double binomial_at_least(std::uint64_t n, double p, std::uint64_t count) {
    if (count == 0) return 1;
    if (count > n) return 0;
    const boost::math::binomial law(static_cast<double>(n), p);
    return cdf(complement(law, static_cast<double>(count - 1)));
}

Check goodness_of_fit(std::string name, std::span<const std::uint64_t> counts,
                      std::span<const double> weights) {
    const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
    double statistic = 0;
    for (std::size_t i = 0; i < counts.size() && total > 0; ++i) {
        const double share = weights.empty() ? 1 / static_cast<double>(counts.size()) : weights[i] / weight;
        statistic += std::pow(static_cast<double>(counts[i]) - total * share, 2) / (total * share);
    }
    const double freedom = static_cast<double>(counts.size()) - 1;
    const boost::math::chi_squared law(freedom);
    return {std::move(name), statistic, freedom, cdf(complement(law, statistic))};
}

Check variance_of_ones(std::uint64_t n, double sum, double sum_of_squares, std::span<const BitGroup> groups) {
    // The fourth central moment of the sum: each bit's own, and 3 v v' for every two different bits.
    double mean = 0, variance = 0, fourth = 0, squares = 0;
    for (const auto [bits, one] : groups) {
        const double of_bit = one * (1 - one);
        mean += bits * one;
        variance += bits * of_bit;
        fourth += bits * of_bit * (1 - 3 * of_bit);
        squares += bits * of_bit * of_bit;
    }
    fourth += 3 * (variance * variance - squares);
    const auto reports = static_cast<double>(n);
    const double observed = sum_of_squares / reports - 2 * mean * sum / reports + mean * mean;
    const double error = std::sqrt((fourth - variance * variance) / reports);
    return {"variance of ones per report", observed, variance, two_sided((observed - variance) / error)};
}

}  // namespace ldp
