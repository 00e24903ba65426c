// Means of groups in a form whose sums over groups are unbiased: of numbers that people may leave out, and of numbers with a
// distribution.
//
// Among the people who answer, the mean of a group is a ratio of two estimates, sum and response rate. Averages of such ratios are
// biased if groups are small. The mean μ of all groups is therefore Σ w·sum / Σ w·rate. A group has the
// linearized estimate μ + (sum − μ·rate)/ρ, whose numerator has the expectation 0 if the mean of the group is
// μ (Deville, Särndal 1992).
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/role/estimate.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// The response rate ρ in the linearized estimate of a group.
enum class AnswerRate {
    of_all,   ///< the weighted mean of all groups: weighted means of estimates are ratios of sums, exactly
    of_group  ///< the rate of the group, shrunk towards the mean of all by its own error
};

/// Returns the linearized estimates of groups with reports, on the scale of the attribute. `parts` are their
/// reports about the attribute, a number that people may leave out. The variance of one report is the same in
/// all groups, from all reports together. Estimates are neither clipped nor selected, and only these
/// estimates may be summed over groups. The result is empty if too few people answer in all groups together.
[[nodiscard]] std::vector<Estimate> answered_groups(std::span<const SummaryView> parts,
                                                    std::span<const double> weights, AnswerRate rate,
                                                    Target target);

/// Means of groups, and the variance of a value among the people of a group, which is unknown for numbers that people may leave
/// out.
struct GroupMeans {
    std::vector<Estimate> groups = {};
    double within = unknown;
};

/// Returns whether the mean of this mechanism's number in a small group takes the reports of all groups.
[[nodiscard]] bool has_pooled_means(const Mechanism& part);

/// Returns the means of groups with reports, on the scale of the attribute, for a mechanism with has_pooled_means(). `parts` are
/// their reports about the attribute. For numbers that people may leave out, they are the means of
/// answered_groups(). For others, the mean of a group is its influence on the mean of all. If a small group
/// has no report about a level of the distribution, the estimate of all groups is therefore used for this
/// level. The variance of one report is the same in all groups. The result is empty without an estimate of
/// all groups together.
[[nodiscard]] GroupMeans pooled_means(std::span<const SummaryView> parts, std::span<const double> weights,
                                      AnswerRate rate, Target target);

}  // namespace ldp
