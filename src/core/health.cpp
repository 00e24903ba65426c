#include "health.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>
#include <utility>

namespace ldp {

double two_sided(double deviations) {
    return std::erfc(std::abs(deviations) / std::sqrt(2.0));
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

double binomial_between(std::uint64_t n, double least, double most, std::uint64_t count) {
    return std::min(1.0, 2 * std::min(binomial_at_most(n, least, count), binomial_at_least(n, most, count)));
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

}  // namespace ldp
