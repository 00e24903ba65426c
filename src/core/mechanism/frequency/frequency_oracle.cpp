#include "core/mechanism/frequency/frequency_oracle.hpp"

#include <algorithm>
#include <cmath>

namespace ldp {

std::span<const Quantity> ValueOracle::answers() const noexcept {
    static constexpr Quantity quantities[] = {Quantity::frequencies};
    return quantities;
}

std::vector<Estimate> FrequencyOracle::estimate(const Counts& counts, const Question& question) const {
    return protocol().frequencies(supports(counts.state), counts.n, question.target);
}

double FrequencyOracle::n_variance_by_moments(std::span<const double> weights,
                                              std::span<const double> shares) const {
    const auto [even, held] = *contrasts();
    double squares = 0, held_squares = 0;
    for (std::size_t v = 0; v < weights.size(); ++v) {
        squares += weights[v] * weights[v];
        held_squares += shares[v] * weights[v] * weights[v];
    }
    return even * squares + (held - 1) * held_squares;
}

// A value that no user holds is supported by a binomial number of reports, which follows from the estimate.
double FrequencyOracle::p_value(std::uint64_t n, const Estimate& estimate) const {
    const auto [p, q] = protocol();
    const double support = std::round(static_cast<double>(n) * (q + estimate.value * (p - q)));
    return binomial_at_least(n, q, static_cast<std::uint64_t>(std::max(support, 0.0)));
}

std::vector<Contribution> FrequencyOracle::contributions(const Question&) const {
    const auto [p, q] = protocol();
    return {{1, {-q / (p - q), (1 - q) / (p - q)}, {0, 1}}};
}

std::vector<Check> FrequencyOracle::health(const Counts& counts) const {
    const double p = protocol().p, q = protocol().q;
    const auto reports = static_cast<double>(counts.n);
    const auto frequency = [&](double support) { return (support / reports - q) / (p - q); };
    const std::vector<std::uint64_t> supported = supports(counts.state);
    std::vector<Check> checks;

    // Each honest report supports p + (k−1)q values on average, for any value.
    if (const auto sums = spread(counts)) {
        const double others = static_cast<double>(domain()) - 1;
        const double off = sums->sum / reports - (p + others * q);
        double p_value;
        if (sums->independent) {
            const BitGroup groups[] = {{1, p}, {others, q}};
            p_value = chance_of_ones(counts.n, sums->sum, groups);
        } else {
            // A small sample may lack rare outliers, and its sample variance is then too small. The variance
            // of independent values is a lower bound.
            const double mean = sums->sum / reports;
            const double variance =
                std::max(p * (1 - p) + others * q * (1 - q), sums->sum_of_squares / reports - mean * mean);
            p_value = two_sided(off * std::sqrt(reports / variance));
        }
        checks.push_back({"sum of frequencies", 1 + off / (p - q), 1, p_value});
    }

    // A value that no user holds has the smallest expected support, a value that all users hold the largest.
    const auto [least, most] = std::ranges::minmax(supported);
    const auto any_of_k = [&](double p_value) {
        return std::min(1.0, static_cast<double>(domain()) * p_value);
    };
    checks.push_back({"least frequency", frequency(static_cast<double>(least)), 0,
                      any_of_k(binomial_at_most(counts.n, q, least))});
    checks.push_back({"greatest frequency", frequency(static_cast<double>(most)), 1,
                      any_of_k(binomial_at_least(counts.n, p, most))});
    for (Check& check : own_checks(counts)) checks.push_back(std::move(check));
    return checks;
}

}  // namespace ldp
