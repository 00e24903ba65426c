#include "core/groups/measured/measured_group.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"

namespace ldp {

namespace {

double polynomial(const TruthCurve::Cubic& of, double at) noexcept {
    return of[0] + at * (of[1] + at * (of[2] + at * of[3]));
}

/// The weighted sum of squared deviations of the groups at an assumed variance between them.
struct Deviations {
    double mean;    ///< the weighted mean
    double square;  ///< its expectation is the number of groups less 1
};

class SpreadSearch {
  public:
    explicit SpreadSearch(const MeasuredGroups& measured)
        : groups_(measured.groups),
          degrees_(static_cast<double>(measured.groups.size()) - 1),
          center_(measured.center()) {}

    [[nodiscard]] Deviations at(double between) const {
        double weights = 0, first = 0, second = 0;
        work_.done(groups_.size());
        for (const MeasuredGroup& group : groups_) {
            const double weight = 1 / (between + group.variance_around(center_, between)),
                         value = group.value - center_;
            weights += weight;
            first += weight * value;
            second += weight * value * value;
        }
        return {center_ + first / weights, second - first * first / weights};
    }
    /// Returns the variance between groups at which the sum is `target`, and 0 if it is never so large.
    [[nodiscard]] double solve(double target) const {
        if (!(at(0).square > target)) return 0;
        double high = at_most();
        double low = 0;
        for (int doubling = 0; doubling < 60 && at(high).square > target; ++doubling) low = high, high *= 2;
        for (int halving = 0; halving < 50; ++halving) {
            const double middle = (low + high) / 2;
            (at(middle).square > target ? low : high) = middle;
        }
        return (low + high) / 2;
    }
    [[nodiscard]] double degrees() const noexcept { return degrees_; }
    [[nodiscard]] double center() const noexcept { return center_; }

  private:
    [[nodiscard]] double at_most() const noexcept {
        double most = 0;
        for (const MeasuredGroup& group : groups_) most = std::max(most, square(group.value - center_));
        return std::max(most, 1e-300);
    }

    std::span<const MeasuredGroup> groups_;
    double degrees_, center_;
    mutable Work work_;
};

}  // namespace

double MeasuredGroup::variance_at(double truth) const noexcept {
    return polynomial(variance, truth);
}

double MeasuredGroup::third_at(double truth) const noexcept {
    return polynomial(third, truth);
}

double MeasuredGroup::variance_around(double mean, double between) const noexcept {
    const double found = polynomial(variance, mean) + between * (variance[2] + 3 * variance[3] * mean);
    return std::max(found, 1e-300);
}

double MeasuredGroups::center() const noexcept {
    double sum = 0, people = 0;
    for (const MeasuredGroup& group : groups) sum += group.people * group.value, people += group.people;
    return inside(sum / people);
}

double MeasuredGroups::inside(double mean) const noexcept {
    const double length = truths.upper - truths.lower;
    if (!std::isfinite(length)) return std::clamp(mean, truths.lower, truths.upper);
    double people = 0;
    for (const MeasuredGroup& group : groups) people += group.people;
    const double margin = length / std::max(people, 2.0);
    return std::clamp(mean, truths.lower + margin, truths.upper - margin);
}

GroupSpread spread_of(const MeasuredGroups& measured) {
    const SpreadSearch search(measured);
    const double between = search.solve(search.degrees());
    return {search.at(between).mean, between};
}

Interval spread_interval(const MeasuredGroups& measured, double error) {
    const SpreadSearch search(measured);
    const boost::math::chi_squared law(search.degrees());
    return {search.solve(quantile(complement(law, error))), search.solve(quantile(law, error))};
}

}  // namespace ldp
