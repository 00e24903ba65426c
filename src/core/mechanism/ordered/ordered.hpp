// Capability of mechanisms that estimate the distribution of one ordered attribute.
//
// A *fit* is a distribution: non-negative shares of cells that add up to 1. It is biased, towards smoothness
// or away from zero, by an unknown amount, so that values computed from it have no standard error.
//
// *Estimates* are linear in the counts, hence unbiased with a known variance. If the reports determine the
// shares of single points, the mechanism is *sharp* and estimates refer to them: a value between two points
// counts as the points that it is rounded to. For other mechanisms, estimates of single points are too noisy.
// There, estimates refer to the *smoothed* distribution, in which every person's value is spread evenly over
// an interval whose width is the resolution. They hold for every distribution without assumptions. A smoothed
// quantile differs from the sharp one by at most half of the resolution.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/mechanism/ordered/level_fit.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// Noise of the randomizer in estimates that are linear in a state, for a given distribution of people:
/// n·Var, conditional on the people.
class OrderedNoise {
  public:
    OrderedNoise() = default;
    OrderedNoise(const OrderedNoise&) = delete;
    OrderedNoise& operator=(const OrderedNoise&) = delete;
    virtual ~OrderedNoise() = default;

    /// Returns the noise of the mean of a function of the points.
    [[nodiscard]] virtual double of(std::span<const double> function) const = 0;
    /// Returns the largest difference between the estimates of that mean by single reports; for smoothing
    /// mechanisms only.
    [[nodiscard]] virtual double stride(std::span<const double>) const { return 0; }
    /// Returns the noise of the share of people from point `first` to before point `end`. For sharp
    /// mechanisms only, called at most once per point.
    [[nodiscard]] virtual double between(std::size_t first, std::size_t end) const = 0;
    /// Returns between(0, 1), between(0, 2) to between(0, count), which a mechanism may compute faster together.
    [[nodiscard]] virtual std::vector<double> before_each(std::size_t count) const {
        std::vector<double> all;
        all.reserve(count);
        Work work;
        for (std::size_t end = 1; end <= count; ++end, work.done(std::bit_width(count)))
            all.push_back(between(0, end));
        return all;
    }
    /// Returns the noise of the mean of a function that is 1 before point `first`, has these values from
    /// there on, and is 0 afterwards. The run time of sharp mechanisms is proportional to the number of
    /// values, not of points.
    [[nodiscard]] virtual double falling(std::size_t first, std::span<const double> values) const = 0;
    /// Returns the error of the share of the points from `first` to before `end` as a function of its true
    /// value. The distributions inside and outside the range are estimated. Empty for smoothing
    /// mechanisms. The range must leave points on both sides.
    [[nodiscard]] virtual TruthCurve curve(std::size_t, std::size_t, Target) const { return {}; }
    /// Returns the law of the same share if its estimate is linear in a count of reports.
    [[nodiscard]] virtual std::optional<ErrorLaw> law_of_count(std::size_t, std::size_t, Target) const {
        return {};
    }
};

/// Noise whose computation needs the whole function, at all points.
class WholeFunctionNoise : public OrderedNoise {
  public:
    explicit WholeFunctionNoise(std::size_t points) : points_(points) {}
    [[nodiscard]] double between(std::size_t first, std::size_t end) const override {
        std::vector<double> function(points_);
        std::fill(function.begin() + static_cast<std::ptrdiff_t>(first),
                  function.begin() + static_cast<std::ptrdiff_t>(end), 1);
        return of(function);
    }
    [[nodiscard]] double falling(std::size_t first, std::span<const double> values) const override {
        std::vector<double> function(points_);
        std::fill_n(function.begin(), first, 1);
        std::ranges::copy(values, function.begin() + static_cast<std::ptrdiff_t>(first));
        return of(function);
    }

  private:
    std::size_t points_;
};

class MeanDirection;  // circular/mean_direction.hpp

/// Capability whose input codes are points that divide a range into equal steps.
class Ordered : public Capability {
  public:
    static constexpr const char* offers = "the distribution";

    /// Returns the number of points, at least two.
    [[nodiscard]] virtual std::size_t points() const noexcept = 0;
    /// Returns 1 if people may have no value, otherwise 0. These people are at one more position, after all points.
    /// Fits, cumulative shares, and the shares and functions of noise() then have an entry for it, the last one.
    [[nodiscard]] virtual std::size_t unanswered() const noexcept { return 0; }
    /// Returns the attribute's values at the first and the last point; for categories, their indexes.
    [[nodiscard]] virtual Interval ends() const noexcept = 0;
    [[nodiscard]] virtual Distribution fit(const Counts& counts, Smoothing smoothing) const = 0;
    /// Returns the share of people at or below each point, unbiased and linear in the state. Requires n ≥ 1.
    [[nodiscard]] virtual std::vector<double> cumulative(const Counts& counts) const = 0;
    /// Returns the noise of estimates that are computed from cumulative(), for these shares of the points.
    [[nodiscard]] virtual std::unique_ptr<const OrderedNoise> noise(const Counts& counts,
                                                                    std::vector<double> shares) const = 0;
    /// Returns the noise of reports of which up to `each` are of one person and repeat a permanent response,
    /// divided by `each`. With a second layer, it is less than noise(), which the permanent responses would
    /// have if they were sent unchanged.
    [[nodiscard]] virtual std::unique_ptr<const OrderedNoise> repeated_noise(const Counts& counts,
                                                                             std::vector<double> shares,
                                                                             double /*each*/) const {
        return noise(counts, std::move(shares));
    }
    /// Returns the noise for the expected numbers of reports of each part of the mechanism.
    [[nodiscard]] virtual std::unique_ptr<const OrderedNoise> expected_noise(
        std::vector<double> shares) const = 0;
    /// Returns the resolution in steps: even, at least 2, at most the number of steps or 2; 0 for sharp
    /// mechanisms.
    [[nodiscard]] virtual std::uint64_t blur(std::uint64_t n) const = 0;
    /// Returns the mean direction of points on a circle; null if they are on a line. On a circle, the ends of the range are
    /// one point, and the last point has no share of its own.
    [[nodiscard]] virtual const MeanDirection* circle() const noexcept { return nullptr; }
};

/// Returns the resolution in steps at which the smoothing bias is at most a quarter of the standard error.
/// This holds for densities of slope at most 16 (people per squared range); the normal distribution with
/// standard deviation 1/8 has slope 15. n_variance refers to a share at resolution 1.
[[nodiscard]] std::uint64_t balanced_blur(double n_variance, std::uint64_t n, std::uint64_t steps) noexcept;

}  // namespace ldp
