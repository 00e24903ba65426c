#include "accounting/lower_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/unknown.hpp"

namespace ldp {

namespace {

constexpr double pi = std::numbers::pi;

/// The best of the bounds that priors of different widths lead to: from 1 down to what no n in use asks for.
template <class Bound>
double best_over_widths(Bound bound) {
    double best = 0;
    for (int step = 1; step <= 192; ++step) best = std::max(best, bound(std::pow(10, -step / 16.0)));
    return best;
}

/// Mean of 1/(1 − c·x²) where x has the density cos²(πx/2a)/a on [−a, a]; c·a² < 1.
double mean_reciprocal(double c, double a) {
    constexpr int points = 32;
    double sum = 0;
    for (int i = 0; i < points; ++i) {
        const double at = (i + 0.5) / points, x = a * at, cosine = std::cos(pi * at / 2);
        sum += 2 * cosine * cosine / (1 - c * x * x);
    }
    return sum / points;
}

/// The largest information of a report about the shares of k values: the trace of its Fisher information,
/// along shares that add up to 1, where all are equal. The maximum is attained by a report that j values make
/// e^ε times as probable.
double information_of_shares(double epsilon, double k) {
    const double less = std::exp(-epsilon), first = std::floor(k / (std::exp(epsilon) + 1));
    double most = 0;
    for (const double j : {std::max(1.0, first), std::min(k - 1, first + 1)})
        most = std::max(most, j * (k - j) / std::pow(j + (k - j) * less, 2));
    return std::pow(-std::expm1(-epsilon), 2) * k * most;
}

}  // namespace

double least_error_of_means(double epsilon, std::size_t d, double n, Target target) {
    const auto numbers = static_cast<double>(d);
    const double contraction = std::pow(std::tanh(epsilon / 2), 2);
    const double excess = epsilon / -std::expm1(-epsilon) - 1;
    // Of all numbers together: twice the most that one report moves their law, in nats.
    const double together = 2 * (excess - std::log1p(excess));
    return best_over_widths([&](double a) {
        const double rest = 1 - a * a;
        const double information =
            std::min(numbers * contraction * mean_reciprocal(contraction, a), together / (rest * rest));
        const double prior = pi * pi / (n * a * a);
        if (target == Target::population) return numbers / (information + numbers * prior);
        const double known = std::min(numbers * contraction, together / rest);
        const double spread = 1 - a * a * (1.0 / 3 - 2 / (pi * pi));
        return (std::pow(std::max(0.0, numbers - known), 2) / (information + numbers * prior) +
                std::max(0.0, numbers * spread - std::min(numbers * contraction, together))) /
               numbers;
    });
}

double least_error_of_shares(double epsilon, std::uint64_t k, double n, Target target) {
    if (k < 2) return 0;
    const auto values = static_cast<double>(k);
    const double at_center = information_of_shares(epsilon, values);
    return best_over_widths([&](double s) {
        const double information = at_center / (1 - s),
                     prior = 4 * pi * pi * std::pow(values, 3) / (n * s * s);
        if (target == Target::population) return std::pow(values - 1, 2) / (information + prior) / values;
        const double largest = (1 + s) / values;
        return (std::pow(std::max(0.0, values - 1 - largest * information), 2) / (information + prior) +
                std::max(0.0, 1 - (1 + s * s) / values - largest * largest * information)) /
               values;
    });
}

double least_error(double epsilon, const Attribute& attribute, double n, Target target) {
    if (attribute.derived() || attribute.circular) return unknown;
    return attribute.numeric() ? least_error_of_means(epsilon, 1, n, target)
                               : least_error_of_shares(epsilon, attribute.domain, n, target);
}

double least_worst_error(double epsilon, const std::vector<Attribute>& attributes, double n, Target target) {
    double worst = unknown;
    for (const Attribute& attribute : attributes)
        worst = std::fmax(worst, least_error(epsilon, attribute, n, target));  // ignores NaN
    return worst;
}

}  // namespace ldp
