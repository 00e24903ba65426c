#include "core/math/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

// Returns a bound, for any n and any law, of the probability that the mean of n independent variables
// deviates as far from its expectation: 2·min_t E[exp(t(X − observed mean))]^n (Chernoff 1952). P-values of
// the normal law would be too small in the tails of skewed laws and for small n. `cumulant` is the logarithm
// of that expectation, convex and 0 at 0. `guess` is near its minimum and determines the side.
double chernoff(std::uint64_t n, double guess, const std::function<double(double)>& cumulant) {
    if (guess == 0) return 1;
    double t = std::clamp(guess, -1.0, 1.0);
    while (std::abs(t) < 250 && cumulant(2 * t) < cumulant(t)) t *= 2;
    // the search has full relative precision around 1, not 0
    const auto scaled = [&](double s) { return cumulant(s * t); };
    const double least = boost::math::tools::brent_find_minima(scaled, 0.0, 2.0, 26).second;
    return std::min(1.0, 2 * std::exp(static_cast<double>(n) * least));
}

// Returns P(0), P(1), … of the number of ones among n bits with probability `one`. Starting at the mode keeps
// the ratios accurate to the last digits.
std::vector<double> binomial_law(std::size_t n, double one) {
    const double odds = one / (1 - one);
    std::vector<double> law(n + 1);
    const auto mode = std::min(n, static_cast<std::size_t>(static_cast<double>(n + 1) * one));
    law[mode] = 1;
    for (std::size_t i = mode; i < n && law[i] > 1e-290; ++i)
        law[i + 1] = law[i] * odds * static_cast<double>(n - i) / static_cast<double>(i + 1);
    for (std::size_t i = mode; i > 0 && law[i] > 1e-290; --i)
        law[i - 1] = law[i] / odds * static_cast<double>(i) / static_cast<double>(n - i + 1);
    const double sum = std::accumulate(law.begin(), law.end(), 0.0);
    for (double& p : law) p /= sum;
    return law;
}

std::vector<double> law_of_ones(std::span<const BitGroup> groups) {
    std::vector<double> law{1};
    Work work;
    for (const auto& [bits, one] : groups) {
        const std::vector<double> of_group = binomial_law(static_cast<std::size_t>(bits), one);
        std::vector<double> sum(law.size() + of_group.size() - 1);
        for (std::size_t i = 0; i < of_group.size(); ++i, work.done(law.size()))
            for (std::size_t j = 0; j < law.size() && of_group[i] > 0; ++j)
                sum[i + j] += of_group[i] * law[j];
        law = std::move(sum);
    }
    return law;
}

/// Returns a lower bound of P(X ≤ count) for a binomial X and count ≤ n: the sum of few terms, or the complement of the bound of
/// Chernoff (1952). `p` and `q` are the probabilities of 1 and 0.
double at_least_below(std::uint64_t n, double p, double q, std::uint64_t count) {
    constexpr double rounding = 1e-9;
    constexpr std::uint64_t few = 32;
    const auto all = static_cast<double>(n);
    double sum = 0;
    if (count < few) {
        double term = sum = std::pow(q, all);
        for (double i = 0; i < static_cast<double>(count); ++i) sum += term *= (all - i) * p / ((i + 1) * q);
        sum *= 1 - rounding;
    }
    const double ones = static_cast<double>(count) + 1, zeros = all - ones;
    if (!(ones > all * p)) return sum;
    const double exponent =
        ones * std::log(ones / (all * p)) + (zeros > 0 ? zeros * std::log(zeros / (all * q)) : 0);
    return std::max(sum, 1 - (1 + rounding) * std::exp(-exponent));
}

}  // namespace

double two_sided(double deviations) {
    return std::erfc(std::abs(deviations) / std::sqrt(2.0));
}

double one_sided(double deviations) {
    return std::erfc(deviations / std::sqrt(2.0)) / 2;
}

double normal_quantile(double probability) {
    return boost::math::quantile(boost::math::normal(), probability);
}

double binomial_at_most(std::uint64_t n, double p, std::uint64_t count, double least) {
    if (count >= n || at_least_below(n, p, 1 - p, count) >= least) return 1;
    const boost::math::binomial law(static_cast<double>(n), p);
    return cdf(law, static_cast<double>(count));
}

double binomial_at_least(std::uint64_t n, double p, std::uint64_t count, double least) {
    if (count == 0) return 1;
    if (count > n) return 0;
    if (at_least_below(n, 1 - p, p, n - count) >= least) return 1;
    const boost::math::binomial law(static_cast<double>(n), p);
    return cdf(complement(law, static_cast<double>(count - 1)));
}

double binomial_between(std::uint64_t n, double least, double most, std::uint64_t count) {
    return std::min(1.0, 2 * std::min(binomial_at_most(n, least, count), binomial_at_least(n, most, count)));
}

double probability_above(std::uint64_t count, std::uint64_t n, double error) {
    if (count == 0) return 0;
    const auto k = static_cast<double>(count), all = static_cast<double>(n);
    return boost::math::ibeta_inv(k, all - k + 1, error);
}

double probability_below(std::uint64_t count, std::uint64_t n, double error) {
    if (count >= n) return 1;
    const auto k = static_cast<double>(count), all = static_cast<double>(n);
    return boost::math::ibetac_inv(k + 1, all - k, error);
}

double chi_square_above(double degrees_of_freedom, double statistic) {
    // The cube root is normal (Wilson, Hilferty 1931). From here on, the gamma function may exceed a double.
    constexpr double many = 10'000;
    if (degrees_of_freedom > many) {
        const double variance = 2 / (9 * degrees_of_freedom);
        return one_sided((std::cbrt(statistic / degrees_of_freedom) - (1 - variance)) / std::sqrt(variance));
    }
    return cdf(complement(boost::math::chi_squared(degrees_of_freedom), statistic));
}

Check goodness_of_fit(std::string name, std::span<const std::uint64_t> counts,
                      std::span<const double> weights) {
    const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    const double weight = weights.empty() ? static_cast<double>(counts.size())
                                          : std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::pair<double, double>> classes;  // count and expectation
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (classes.empty() || classes.back().second >= 10) classes.emplace_back(0, 0);
        classes.back().first += static_cast<double>(counts[i]);
        classes.back().second += total * (weights.empty() ? 1 : weights[i]) / weight;
    }
    if (classes.size() > 1 && classes.back().second < 10) {
        const auto [count, expectation] = classes.back();
        classes.pop_back();
        classes.back().first += count;
        classes.back().second += expectation;
    }
    if (classes.size() < 2) return {std::move(name), 0, 0, 1};
    double statistic = 0;
    for (const auto& [count, expectation] : classes)
        statistic += (count - expectation) * (count - expectation) / expectation;
    const double degrees_of_freedom = static_cast<double>(classes.size()) - 1;
    return {std::move(name), statistic, degrees_of_freedom, chi_square_above(degrees_of_freedom, statistic)};
}

std::vector<Check> worst_of(std::span<const std::vector<Check>> parts, std::size_t tests) {
    std::vector<Check> worst;
    Work work;
    for (const std::vector<Check>& checks : parts) {
        work.done(checks.size());
        for (const Check& check : checks) {
            const auto same = std::ranges::find(worst, check.name, &Check::name);
            if (same == worst.end())
                worst.push_back(check);
            else if (check.p_value < same->p_value)
                *same = check;
        }
    }
    for (Check& check : worst) check.p_value = std::min(1.0, static_cast<double>(tests) * check.p_value);
    return worst;
}

double chance_of_ones(std::uint64_t n, double sum, std::span<const BitGroup> groups) {
    double mean = 0, variance = 0;
    for (const auto& [bits, one] : groups) mean += bits * one, variance += bits * one * (1 - one);
    const double off = sum / static_cast<double>(n) - mean;
    return chernoff(n, off / variance, [&](double t) {
        double cumulant = -t * off;
        for (const auto& [bits, one] : groups) cumulant += bits * (std::log1p(one * std::expm1(t)) - one * t);
        return cumulant;
    });
}

Check variance_of_ones(std::uint64_t n, double sum, double sum_of_squares, std::span<const BitGroup> groups) {
    const auto reports = static_cast<double>(n);
    double mean = 0, variance = 0;
    for (const auto& [bits, one] : groups) mean += bits * one, variance += bits * one * (1 - one);
    const double observed = sum_of_squares / reports - 2 * mean * sum / reports + mean * mean;

    const std::vector<double> law = law_of_ones(groups);
    struct TestOutcome {
        double log_probability;
        double square;  // of the deviation, minus the observed mean of squares
    };
    std::vector<TestOutcome> terms;
    double spread = 0;  // variance of the squares
    for (std::size_t ones = 0; ones < law.size(); ++ones) {
        if (law[ones] <= 0) continue;
        const double square = std::pow(static_cast<double>(ones) - mean, 2);
        terms.push_back({std::log(law[ones]), square - observed});
        spread += law[ones] * (square - variance) * (square - variance);
    }
    const double p_value = chernoff(n, (observed - variance) / spread, [&](double t) {
        check_interrupt();
        double most = -std::numeric_limits<double>::infinity(), rest = 0;
        for (const TestOutcome& one : terms) most = std::max(most, one.log_probability + t * one.square);
        for (const TestOutcome& one : terms) rest += std::exp(one.log_probability + t * one.square - most);
        return most + std::log(rest);
    });
    return {"variance of ones per report", observed, variance, p_value};
}

}  // namespace ldp
