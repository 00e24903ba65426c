// Series of estimates of successive rounds or days, smoothed by a state space model with known noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/groups/measured/measured_group.hpp"

namespace ldp {

/// Minimum number of estimates from which the variance of the changes can be integrated out.
inline constexpr std::size_t least_smoothed = 5;
/// Maximum number of points in time from the first to the last, including points without an estimate.
inline constexpr std::size_t max_smoothed_points = 10000;
/// Maximum number of points with a jump of any size.
inline constexpr std::size_t max_jumps = 8;
/// Maximum length of a season.
inline constexpr std::size_t max_season = 53;

/// An estimate at a point in time.
struct TimedEstimate {
    std::size_t time;  ///< from 0 on; ascending
    double value, variance;
};

/// A point of a smoothed series.
struct SmoothedPoint {
    Estimate estimate;  ///< level and season
    Interval interval;
    double season;  ///< part of the estimate; the season's mean is 0
    double
        p_value;  ///< of the hypothesis that the level does not jump at this point, two-sided; unknown at the first point
    bool jump = false;  ///< whether the level was smoothed with a jump of any size at this point
};

/// Returns all points in time from 0 to the point of the last estimate. Model: a level that changes by
/// independent normal steps of one unknown variance, a constant season with this period (1 for none), and
/// normal errors of known variances. The variance of the steps is integrated out with a prior that is uniform
/// in their standard deviation. Estimates are means and intervals are quantiles of the result, clipped to the
/// possible values. A p-value is computed from the likelihood ratio between a jump of any size at a point and
/// no jump, in addition to the steps. The point with the smallest p-value gets such a jump if this p-value,
/// times the number of points, is below 0.05; the series is then smoothed again, up to max_jumps times. There
/// are at least least_smoothed estimates, and more than the period.
[[nodiscard]] std::vector<SmoothedPoint> smoothed_series(std::span<const TimedEstimate> estimates,
                                                         std::size_t period, const Interval& truths,
                                                         double confidence);

}  // namespace ldp
