// Means over groups of people that are a random sample of groups, such as schools or days.
#pragma once

#include "core/groups/measured/measured_group.hpp"

namespace ldp {

/// A mean over groups and the variance between them.
struct ClusteredMean {
    Estimate estimate;
    Interval interval;
    double degrees_of_freedom;
    double between;             ///< variance between the groups
    Interval between_interval;  ///< of this variance
    double correlation;         ///< intraclass correlation
    Interval correlation_interval;
    double design_effect;  ///< variance divided by the variance of a simple random sample of as many people
    bool few_groups;       ///< too few to show whether the groups' values are skewed
    bool skewed;           ///< whether they clearly are
};

enum class GroupWeights { people, equal };

/// Returns the mean over at least two groups that are a random sample of groups. The error is estimated from the deviations of
/// the groups from the mean. It is unbiased if the variances between and within groups follow the model, and
/// consistent otherwise (Bell, McCaffrey 2002). The interval has Satterthwaite's degrees of freedom. The
/// interval of a share contains the means that a test does not reject; the variance between groups at a mean
/// m is proportional to m(1 − m).
///
/// If the groups' values are skewed, the interval is longer on the side of the skewness. If the sample lacks
/// groups in the long tail, its mean is too close to the other groups and its error is too small (Johnson
/// 1978; Hall 1992).
[[nodiscard]] ClusteredMean clustered_mean(const MeasuredGroups& measured, GroupWeights weights,
                                           double critical_value);

}  // namespace ldp
