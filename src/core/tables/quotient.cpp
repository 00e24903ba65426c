#include "core/tables/quotient.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/unknown.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

namespace {

/// Returns P(X ≥ x | X ≥ above) of a standard normal X for x ≥ `above`.
double tail_above(double x, double above) {
    constexpr double far =
        30;  // beyond this, density over x is accurate to one part in far² and avoids denormal tails
    if (above < far) return one_sided(x) / one_sided(above);
    return std::exp(-(x - above) * (x + above) / 2) * above / x;
}

/// Returns Var(part − r·whole).
double variance_of_difference(const PartOfWhole& of, double r) {
    return of.variance_of_part - 2 * r * of.covariance + r * r * of.variance_of_whole;
}

/// Tests a quotient r: part − r·whole has mean 0. The remainder of the whole after regression on part −
/// r·whole is independent of it. Given this remainder, the selection of the whole truncates the normal law of
/// part − r·whole on one side.
class Fits {
  public:
    Fits(const PartOfWhole& of, double critical_value)
        : of_(of),
          least_(critical_value * std::sqrt(of.variance_of_whole)),
          tail_(one_sided(critical_value)) {}

    [[nodiscard]] bool whole_is_known() const noexcept { return of_.whole > least_; }

    [[nodiscard]] bool operator()(double r) const {
        const double variance = variance_of_difference(of_, r);
        const double difference = of_.part - r * of_.whole;
        if (!(variance > 0)) return difference == 0;
        const double common = (of_.covariance - r * of_.variance_of_whole) / std::sqrt(variance);
        const double x = std::copysign(1, common) * difference / std::sqrt(variance);
        const double chance = tail_above(x, x - (of_.whole - least_) / std::abs(common));
        return tail_ <= chance && chance <= 1 - tail_;
    }

  private:
    PartOfWhole of_;
    double least_, tail_;
};

/// Returns quotients from `lower` to `upper`, denser near the estimate.
std::vector<double> grid(double lower, double estimate, double upper) {
    constexpr double closer = 0.8, closest = 1e-9;
    std::vector<double> all{estimate};
    for (double part = 1; part > closest; part *= closer) {
        all.push_back(estimate + part * (lower - estimate));
        all.push_back(estimate + part * (upper - estimate));
    }
    std::ranges::sort(all);
    return all;
}

/// Returns the last accepted quotient between an accepted one and a rejected one.
double last_that_fits(const Fits& fits, double inside, double outside) {
    constexpr int halvings = 40;
    for (int i = 0; i < halvings; ++i) {
        const double middle = std::midpoint(inside, outside);
        (fits(middle) ? inside : outside) = middle;
    }
    return inside;
}

}  // namespace

Estimate estimate_of_quotient(const PartOfWhole& estimates) {
    const double r = estimates.part / estimates.whole;
    return {r, std::sqrt(std::max(0.0, variance_of_difference(estimates, r))) / estimates.whole};
}

Interval interval_of_quotient(const PartOfWhole& estimates, double critical_value) {
    const Fits fits(estimates, critical_value);
    if (!fits.whole_is_known()) return {unknown, unknown};
    const double estimate = estimates.part / estimates.whole;
    const std::vector<double> tried = grid(std::min(0.0, estimate), estimate, std::max(1.0, estimate));
    // If the whole hardly passes its test, the accepted quotients may form two segments. The longest segment
    // is returned. The hull of both would have too much coverage, and the segment with the estimate too
    // little.
    Interval longest{estimate, estimate};
    for (std::size_t first = 0, last; first < tried.size(); first = last + 1) {
        for (last = first; last < tried.size() && fits(tried[last]);) ++last;
        if (first == last) continue;
        const Interval piece{
            first == 0 ? tried[first] : last_that_fits(fits, tried[first], tried[first - 1]),
            last == tried.size() ? tried[last - 1] : last_that_fits(fits, tried[last - 1], tried[last])};
        if (piece.upper - piece.lower > longest.upper - longest.lower) longest = piece;
    }
    return {std::min(longest.lower, estimate), std::max(longest.upper, estimate)};
}

}  // namespace ldp
