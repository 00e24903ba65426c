#include "core/summary/queries/empirical_bayes.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <numeric>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

// The prior of the frequencies as point masses, which maximizes the likelihood of the estimates, and the
// posterior means. Estimates that differ by less than an eighth of a standard error share a bin. The points
// of the prior are at the bins, so that it has no mass between distant estimates.
class FreeLaw {
  public:
    /// `sorted` is in ascending order and not empty.
    explicit FreeLaw(const std::vector<Estimate>& sorted) {
        constexpr double near = 1.0 / 8;  // in standard errors
        Work work;
        for (const Estimate& each : sorted) {
            if (bins_.empty() || each.value - bins_.back().first > near * each.standard_error)
                bins_.push_back({each.value});
            bins_.back().add(each);
            work.done();
        }
        const double even = 1 / static_cast<double>(sorted.size());
        std::vector<Estimate> points{{0, bins_[0].error()}, {even, bins_[0].error()}};
        for (const Bin& bin : bins_)
            if (bin.value() > 0) points.push_back({std::min(1.0, bin.value()), bin.error()});
        std::ranges::sort(points, {}, &Estimate::value);
        for (const Estimate& point : points) {
            points_.push_back(point.value);
            // The noise at a frequency is that of an estimate of this size.
            noise_.push_back(std::max(point.standard_error, 1e-150));
        }
        masses_.assign(points_.size(), 1 / static_cast<double>(points_.size()));
        climb();
    }

    /// Adds a constant to all estimates so that the means sum to 1.
    void sum_to_one() {
        const double limit = 2 + bins_.back().value() - bins_.front().value();
        const auto excess = [&](double shift) {
            long double sum = 0;
            for (const Bin& bin : bins_) sum += bin.count * mean_at(bin.value() + shift);
            return static_cast<double>(sum - 1);
        };
        std::uintmax_t steps = 200;
        const auto [low, high] = boost::math::tools::toms748_solve(
            excess, -limit, limit, boost::math::tools::eps_tolerance<double>(50), steps);
        shift_ = (low + high) / 2;
    }
    [[nodiscard]] double mean(double estimate) const noexcept { return mean_at(estimate + shift_); }

  private:
    struct Bin {
        double first;
        double count = 0, sum = 0, errors = 0;
        std::size_t from = 0, to = 0;       // range of the points with relevant likelihood
        std::vector<double> likelihoods{};  // likelihood of each of these points, up to a factor
        double mean = 0;

        void add(const Estimate& estimate) noexcept {
            ++count;
            sum += estimate.value;
            errors += estimate.standard_error;
        }
        [[nodiscard]] double value() const noexcept { return sum / count; }
        [[nodiscard]] double error() const noexcept { return errors / count; }
    };

    // Expectation maximization, which raises the likelihood in every step. The means converge long before the
    // prior does.
    void climb() {
        constexpr int steps = 300;
        constexpr double enough = 8;  // in standard errors
        for (Bin& bin : bins_) {
            const double y = bin.value();
            const auto away = [&](std::size_t i) { return (y - points_[i]) / noise_[i]; };
            while (bin.from + 1 < points_.size() && away(bin.from) > enough) ++bin.from;
            bin.to = bin.from + 1;
            while (bin.to < points_.size() && away(bin.to) > -enough) ++bin.to;
            double least = std::abs(away(bin.from));
            for (std::size_t i = bin.from; i < bin.to; ++i) least = std::min(least, std::abs(away(i)));
            for (std::size_t i = bin.from; i < bin.to; ++i)
                bin.likelihoods.push_back(std::exp((least * least - away(i) * away(i)) / 2) / noise_[i]);
        }
        Work work;
        for (int step = 0; step <= steps; ++step) {
            std::vector<double> masses(points_.size());
            for (Bin& bin : bins_) {
                double total = 0, moment = 0;
                for (std::size_t i = bin.from; i < bin.to; ++i) {
                    const double joint = masses_[i] * bin.likelihoods[i - bin.from];
                    total += joint;
                    moment += joint * points_[i];
                }
                bin.mean = moment / total;
                for (std::size_t i = bin.from; i < bin.to; ++i)
                    masses[i] += bin.count * masses_[i] * bin.likelihoods[i - bin.from] / total;
                work.done(bin.to - bin.from);
            }
            const double all = std::accumulate(masses.begin(), masses.end(), 0.0);
            for (std::size_t i = 0; i < masses.size(); ++i) masses_[i] = masses[i] / all;
        }
        for (std::size_t b = 1; b < bins_.size(); ++b)
            bins_[b].mean = std::max(bins_[b].mean, bins_[b - 1].mean);
    }

    // Interpolates linearly between bins. Beyond them, the line is parallel to the estimates.
    [[nodiscard]] double mean_at(double y) const noexcept {
        const auto after = std::ranges::upper_bound(bins_, y, {}, &Bin::value);
        if (after == bins_.begin()) return std::max(0.0, after->mean + y - after->value());
        const Bin& left = after[-1];
        if (after == bins_.end()) return std::min(1.0, left.mean + y - left.value());
        return std::lerp(left.mean, after->mean, (y - left.value()) / (after->value() - left.value()));
    }

    std::vector<Bin> bins_;                        // in ascending order
    std::vector<double> points_, noise_, masses_;  // the prior
    double shift_ = 0;
};

}  // namespace

std::vector<double> empirical_bayes(std::span<const Estimate> estimates) {
    std::vector<Estimate> sorted(estimates.begin(), estimates.end());
    Work work;
    std::ranges::sort(sorted, [&](const Estimate& a, const Estimate& b) {
        work.done();
        return a.value < b.value;
    });
    FreeLaw law(sorted);
    law.sum_to_one();
    std::vector<double> means(estimates.size());
    long double sum = 0;
    for_each_index(means.size(), [&](std::size_t v) { sum += means[v] = law.mean(estimates[v].value); });
    for_each_index(means.size(), [&](std::size_t v) { means[v] = static_cast<double>(means[v] / sum); });
    return means;
}

}  // namespace ldp
