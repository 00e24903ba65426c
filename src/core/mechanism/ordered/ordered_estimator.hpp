// Estimates from the counts of an ordered mechanism: cumulative shares, means of functions and quantiles,
// each with its error.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/ordered/ordered.hpp"

namespace ldp {

struct Quantile {
    double value;
    /// The values whose cumulative share does not differ significantly from the requested one. The interval
    /// is not symmetric: it is wide where there are few people. Inflated by half the resolution on either
    /// side, it also covers the sharp quantile, for any distribution. For a sharp mechanism, it extends from
    /// the first to the last point that may be the quantile.
    Interval interval;
};

/// A state prepared for estimation. The mechanism and the state must outlive the object.
///
/// If people may have no value, all estimates are about the people who answer. A share is the ratio R/A of the share
/// R of a range and the share A of people who answer. It is the root θ of R − θA, the mean of a function of the
/// positions. Intervals consist of the θ for which this mean is within its errors of 0 (Fieller 1954).
class OrderedEstimator {
  public:
    /// `each` is the largest number of reports of one person, which may repeat each other. `drawn` is
    /// SummaryView::drawn.
    OrderedEstimator(const Ordered& ordered, const Counts& counts, double each = 1, double drawn = 1);

    /// Expected estimates and errors from n reports. These are the shares of the points among the people who
    /// answer, whose share of all people is `rate`.
    OrderedEstimator(const Ordered& ordered, std::vector<double> shares, std::uint64_t n, double rate = 1);

    [[nodiscard]] bool sharp() const noexcept { return blur_ == 0; }
    /// Returns whether the points are on a circle.
    [[nodiscard]] bool circular() const noexcept { return ordered_.circle() != nullptr; }
    /// Returns the width over which estimates are smoothed, in the attribute's units; 0 if they are sharp.
    [[nodiscard]] double resolution() const noexcept;
    /// Returns the length of the range in steps between points.
    [[nodiscard]] double steps() const noexcept { return static_cast<double>(steps_); }
    /// Returns the attribute's value at a position in steps.
    [[nodiscard]] double value(double at) const;

    /// Positions in steps. right_end has the whole range on its left, left_end none of it. before() excludes
    /// values equal to `value` from the left side; behind() includes them.
    static constexpr double right_end = std::numeric_limits<double>::max();
    static constexpr double left_end = std::numeric_limits<double>::lowest();
    [[nodiscard]] double before(double value) const;
    [[nodiscard]] double behind(double value) const;

    /// Returns the share of people between two positions.
    [[nodiscard]] Estimate share(double from, double to, Target target);
    /// A share of people and the law of its estimate.
    struct LawfulShare {
        Estimate share;
        ErrorLaw law;
    };
    /// Returns the share of people whose value is between two values, which are included. On a circle, these are the
    /// people from `low` upwards to `high`: the arc may contain the ends of the range, and any number of turns may be added
    /// to its bounds. An unlimited bound is an end of the range.
    [[nodiscard]] LawfulShare within(double low, double high, Target target);
    /// Returns the share of people from point `first` to before point `end`.
    [[nodiscard]] Estimate between(std::size_t first, std::size_t end, Target target);
    /// Return the laws of these estimates.
    [[nodiscard]] ErrorLaw law_of_share(double from, double to, Target target);
    [[nodiscard]] ErrorLaw law_between(std::size_t first, std::size_t end, Target target);
    /// Returns the mean of a function of the points over the people.
    [[nodiscard]] Estimate mean_of(std::span<const double> function, Target target);
    /// Returns the terms of that mean among the people who answer.
    [[nodiscard]] AnsweredMean answered_mean(std::span<const double> function, Target target);
    /// Return the share of people who answer, and its law.
    [[nodiscard]] Estimate answered(Target target);
    [[nodiscard]] ErrorLaw law_of_answered(Target target);
    /// Returns the smoothed value below which a share lies, or the first point whose cumulative share is at
    /// least `share`. Requires 0 < share < 1.
    [[nodiscard]] Quantile quantile(double share, double critical_value, Target target);
    /// Returns the value alone by a binary search.
    [[nodiscard]] double quantile(double share);
    /// Returns the share between two positions of the curve from which quantiles are read. It is at least 0, and the
    /// shares of adjacent ranges over all positions add up to 1. It is biased.
    [[nodiscard]] double monotone_share(double from, double to);
    /// Returns the fit of a sharp mechanism: the average of the weighted monotone regression of the
    /// cumulative shares, with inverse variances as weights, and the result of shrunk_splits().
    [[nodiscard]] Distribution fit();

  private:
    /// Returns the position of a value.
    [[nodiscard]] double at(double value) const;
    /// Returns the number of points before a position.
    [[nodiscard]] std::size_t points_below(double place) const;
    /// Returns the share of each smoothed point below a position.
    [[nodiscard]] std::vector<double> below(double at) const;
    /// Returns the smoothed cumulative share at each point.
    [[nodiscard]] std::vector<double> smeared();
    /// Points of equal height in a fitted curve.
    struct Pool {
        std::size_t from, to;
        double noisiest;                 ///< the largest noise of an estimate in the pool
        std::optional<double> error[2];  ///< standard error of its height by target, once computed
    };
    /// The curve for quantiles, which does not decrease. For a sharp mechanism, it is the monotone regression
    /// of the estimates with inverse variances as weights. Computed on first use.
    struct Curve {
        std::vector<double> height, weight;
        std::vector<Pool> pools;  ///< the last point is a pool of its own
    };
    [[nodiscard]] const Curve& curve();
    /// Returns the variances of a sharp mechanism's Haar coefficients for shrunk_splits().
    [[nodiscard]] std::vector<double> split_variances();
    [[nodiscard]] Pool& pool_of(std::size_t point);
    /// Returns the function whose mean is the height of a pool: 1 before it, and the values within it.
    [[nodiscard]] std::vector<double> within(const Pool& pool) const;
    [[nodiscard]] double error_of(Pool& pool, Target target);
    /// Returns the standard error of the height of a pool minus `share` times the share of people who answer.
    [[nodiscard]] double error_of_answered(const Pool& pool, double share, Target target);
    /// Returns the position at which the curve reaches a share.
    [[nodiscard]] double place_of(double share);
    /// Returns the height of the curve at a position, from 0 to 1.
    [[nodiscard]] double height_at(double position);
    /// Returns the estimated share of people who answer.
    [[nodiscard]] double answering();
    /// Returns f − mean at the points, and 0 for people without a value.
    [[nodiscard]] std::vector<double> contrast(std::span<const double> function, double mean) const;
    /// Returns the variance of the mean of a function of all positions.
    [[nodiscard]] double variance_of(std::span<const double> function, std::span<const double> shares,
                                     const OrderedNoise& noise, Target target) const;
    /// Returns the noise for these shares of all positions.
    [[nodiscard]] std::unique_ptr<const OrderedNoise> noise_for(std::vector<double> shares) const;
    [[nodiscard]] ErrorLaw law_among_answered(std::size_t first, std::size_t end, Target target);
    [[nodiscard]] Interval sharp_interval(double share, std::size_t point, double critical_value,
                                          Target target);
    [[nodiscard]] bool optional() const noexcept { return last_ > steps_; }
    [[nodiscard]] double error(double noise, double sampling, Target target) const;
    /// Reads the state on first use.
    void read();

    const Ordered& ordered_;
    Counts counts_;
    std::size_t steps_;
    std::size_t last_;  ///< the last position: the last point, or the position of people without a value
    std::uint64_t blur_;
    bool expected_ = false;  ///< whether the counts are expected ones
    double each_, drawn_;
    std::vector<double> cumulative_;  ///< unbiased
    std::vector<double> nearest_;     ///< a cumulative distribution close to it
    std::vector<double> shares_;      ///< the shares of `nearest_`
    std::unique_ptr<const OrderedNoise> noise_;
    Curve curve_;
};

}  // namespace ldp
