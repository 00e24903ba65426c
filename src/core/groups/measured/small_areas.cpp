#include "core/groups/measured/small_areas.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/groups/measured/normal_mixture.hpp"

namespace ldp {

namespace {

/// The model at one variance of the true values.
struct AssumedSpread {
    double between;
    double log_density;          ///< of the estimates, with the mean integrated out
    double mean, mean_variance;  ///< of the mean given the estimates
    double probability = 0;
};

/// The distribution of the variance of the true values given the estimates, at the points of a grid.
class SpreadGrid {
  public:
    SpreadGrid(const MeasuredGroups& measured, double center)
        : groups_(measured.groups), center_(center), scale_(typical_error()) {
        // The variance is scale·u/(1 − u), so that u is between 0 and 1. The second grid has the range that matters.
        std::vector<double> coarse;
        for (std::size_t i = 0; i < coarse_points; ++i)
            coarse.push_back(weighted(i + 0.5, coarse_points, 0, 1).log_density);
        const double most = *std::ranges::max_element(coarse);
        std::size_t first = 0, last = coarse_points - 1;
        while (first < last && coarse[first] < most - negligible) ++first;
        while (last > first && coarse[last] < most - negligible) --last;
        const double low = static_cast<double>(first == 0 ? 0 : first - 1) / coarse_points,
                     high = static_cast<double>(std::min(last + 2, coarse_points)) / coarse_points;
        for (std::size_t i = 0; i < points; ++i)
            all_.push_back(weighted(static_cast<double>(i) + 0.5, points, low, high));
        const double top = std::ranges::max(all_, {}, &AssumedSpread::log_density).log_density;
        double sum = 0;
        for (AssumedSpread& one : all_) sum += one.probability = std::exp(one.log_density - top);
        for (AssumedSpread& one : all_) one.probability /= sum;
        std::erase_if(all_, [](const AssumedSpread& one) { return one.probability < 1e-9; });
    }
    [[nodiscard]] const std::vector<AssumedSpread>& all() const noexcept { return all_; }

  private:
    static constexpr std::size_t coarse_points = 64, points = 64;
    static constexpr double negligible = 20;

    [[nodiscard]] double typical_error() const {
        double sum = 0;
        for (const MeasuredGroup& group : groups_) sum += group.variance_around(center_, 0);
        return sum / static_cast<double>(groups_.size());
    }
    /// The density at a point of a grid of u, with that of u in place of the variance.
    [[nodiscard]] AssumedSpread weighted(double index, std::size_t count, double low, double high) {
        const double u = std::lerp(low, high, index / static_cast<double>(count));
        AssumedSpread found = at(scale_ * u / (1 - u));
        found.log_density -= 2 * std::log1p(-u);
        return found;
    }
    [[nodiscard]] AssumedSpread at(double between) {
        double precision = 0, first = 0, second = 0, product = 1, logs = 0;
        for (const MeasuredGroup& group : groups_) {
            work_.done();
            const double whole = between + group.variance_around(center_, between),
                         value = group.value - center_;
            precision += 1 / whole;
            first += value / whole;
            second += value * value / whole;
            product *= whole / scale_;
            if (product < 1e-100 || product > 1e100) logs += std::log(product), product = 1;
        }
        logs += std::log(product);
        return {between, -(logs + std::log(precision * scale_) + second - first * first / precision) / 2,
                center_ + first / precision, 1 / precision};
    }

    std::span<const MeasuredGroup> groups_;
    double center_, scale_;
    Work work_;
    std::vector<AssumedSpread> all_;
};

}  // namespace

std::vector<SmallArea> small_areas(const MeasuredGroups& measured, double confidence) {
    const double center = measured.center();
    const SpreadGrid spreads(measured, center);
    const auto possible = [&](double value) {
        return std::clamp(value, measured.truths.lower, measured.truths.upper);
    };
    std::vector<SmallArea> found;
    NormalMixture mixture;
    Work work;
    for (const MeasuredGroup& group : measured.groups) {
        mixture.parts.clear();
        double weight = 0;
        for (const AssumedSpread& one : spreads.all()) {
            const double error = group.variance_around(center, one.between),
                         own = one.between / (one.between + error);
            mixture.parts.push_back({one.probability, one.mean + own * (group.value - one.mean),
                                     std::sqrt(error * own + square(1 - own) * one.mean_variance)});
            weight += one.probability * own;
            work.done(100);
        }
        const Estimate moments = mixture.moments();
        found.push_back({{possible(moments.value), moments.standard_error},
                         {possible(mixture.quantile((1 - confidence) / 2, moments)),
                          possible(mixture.quantile((1 + confidence) / 2, moments))},
                         weight});
    }
    return found;
}

}  // namespace ldp
