#include "core/tables/quotient.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/unknown.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

namespace {

/// P(X ≥ x | X ≥ above) of a standard normal X, x being no less than `above`.
double tail_above(double x, double above) {
    constexpr double far =
        30;  // from here on the density over x, within a part in far², and no denormal tail
    if (above < far) return one_sided(x) / one_sided(above);
    return std::exp(-(x - above) * (x + above) / 2) * above / x;
}

/// Var(part − r·whole).
double variance_of_difference(const PartOfWhole& of, double r) {
    return of.variance_of_part - 2 * r * of.covariance + r * r * of.variance_of_whole;
}

/// Whether the quotient r fits: part − r·whole is 0 on average then, and what is left of the whole, when
/// what it has in common with that is taken out, is independent of it. Given that rest the test of the whole
/// cuts off one side of the normal law of part − r·whole.
class Fits {
  public:
    Fits(const PartOfWhole& of, double critical_value)
        : of_(of),
          least_(critical_value * std::sqrt(of.variance_of_whole)),
          tail_(one_sided(critical_value)) {}

    [[nodiscard]] bool whole_is_told() const noexcept { return of_.whole > least_; }

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

/// Quotients from `lower` to `upper`, closer to each other the closer they are to the estimate.
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

/// The last quotient that fits on the way from one that does to one that does not.
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
    if (!fits.whole_is_told()) return {unknown, unknown};
    const double estimate = estimates.part / estimates.whole;
    const std::vector<double> tried = grid(std::min(0.0, estimate), estimate, std::max(1.0, estimate));
    // Where the whole has hardly passed its test, what fits may lie in two pieces: the longest is told, since
    // all from the first to the last would hold too often, and the piece with the estimate too seldom.
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
