#include "core/math/tails.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/math/statistics.hpp"

namespace ldp {

namespace {

/// Probabilities of the numbers from `first` on; the others are negligible.
struct IntegerDistribution {
    std::int64_t first = 0;
    std::vector<double> chances{1};
};

// Starting at the mode keeps the ratios accurate to the last digits.
IntegerDistribution law_of(const Bits& bits) {
    constexpr double negligible = 1e-18;
    if (bits.count == 0 || bits.one <= 0) return {};
    if (bits.one >= 1) return {static_cast<std::int64_t>(bits.count), {1}};
    const auto n = static_cast<double>(bits.count);
    const double odds = bits.one / (1 - bits.one), mode = std::min(n, std::floor((n + 1) * bits.one));
    std::vector<double> below, above{1};
    for (double i = mode, chance = 1; i > 0 && chance > negligible; --i)
        below.push_back(chance *= i / (odds * (n - i + 1)));
    for (double i = mode, chance = 1; i < n && chance > negligible; ++i)
        above.push_back(chance *= odds * (n - i) / (i + 1));
    IntegerDistribution law{static_cast<std::int64_t>(mode) - static_cast<std::int64_t>(below.size()), {}};
    law.chances.assign(below.rbegin(), below.rend());
    law.chances.insert(law.chances.end(), above.begin(), above.end());
    const double sum = std::accumulate(law.chances.begin(), law.chances.end(), 0.0);
    for (double& chance : law.chances) chance /= sum;
    return law;
}

}  // namespace

double upper_tail(std::int64_t ones, const Bits& some, const Bits& others) {
    const IntegerDistribution law = law_of(some), rest = law_of(others);
    // tail[i]: P(> i) + P(= i)/2 of the other bits, i from rest.first on.
    std::vector<double> tail(rest.chances.size());
    double beyond = 0;
    for (std::size_t i = tail.size(); i-- > 0; beyond += rest.chances[i])
        tail[i] = beyond + rest.chances[i] / 2;
    double chance = 0;
    for (std::size_t j = 0; j < law.chances.size(); ++j) {
        const std::int64_t left = ones - law.first - static_cast<std::int64_t>(j) - rest.first;
        if (left < 0)
            chance += law.chances[j];
        else if (left < static_cast<std::int64_t>(tail.size()))
            chance += law.chances[j] * tail[static_cast<std::size_t>(left)];
    }
    return chance;
}

// The quantile takes up to a tenth of a millisecond. Summaries of few reports have few different degrees of freedom, so
// a thread keeps the last results.
double student_critical_value(double deviations, double degrees_of_freedom) {
    struct KeptQuantile {
        double deviations, degrees_of_freedom, value;
    };
    constexpr unsigned index_bits = 9;
    static thread_local std::array<KeptQuantile, std::size_t{1} << index_bits> all{};
    const auto bits =
        std::bit_cast<std::uint64_t>(degrees_of_freedom) + std::bit_cast<std::uint64_t>(deviations);
    KeptQuantile& kept = all[bits * 0x9E3779B97F4A7C15 >> (64 - index_bits)];
    // Degrees of freedom are above 0.
    if (kept.deviations != deviations || kept.degrees_of_freedom != degrees_of_freedom) {
        const boost::math::students_t law(degrees_of_freedom);
        kept = {deviations, degrees_of_freedom, quantile(complement(law, one_sided(deviations)))};
    }
    return kept.value;
}

double student_above(double deviations, double degrees_of_freedom) {
    if (std::isinf(deviations)) return 0;
    return boost::math::cdf(
        boost::math::complement(boost::math::students_t_distribution<>(degrees_of_freedom), deviations));
}

}  // namespace ldp
