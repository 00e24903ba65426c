// Estimates of many small groups that borrow strength from each other (Fay, Herriot 1979).
#pragma once

#include <vector>

#include "core/groups/measured/measured_group.hpp"

namespace ldp {

/// Minimum number of groups for which the variance between groups can be integrated out.
inline constexpr std::size_t least_small_areas = 5;

/// A group's estimate.
struct SmallArea {
    Estimate estimate;
    Interval interval;
    double weight;  ///< of the group's own estimate; the mean of all groups has the weight 1 − weight
};

/// Returns the estimates of at least least_small_areas groups. Model: true values are normal with unknown mean and variance, and
/// estimates are normal with known variances. The variance of the true values is integrated out with a uniform prior, which
/// allows for its error as Morris' intervals do (Morris 1983). Estimates are means, intervals quantiles of the resulting
/// distribution, clipped to the possible values. Intervals hold on average over the groups.
[[nodiscard]] std::vector<SmallArea> small_areas(const MeasuredGroups& measured, double confidence);

}  // namespace ldp
