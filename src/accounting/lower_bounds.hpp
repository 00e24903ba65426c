// What no mechanism can do better: lower bounds of errors under ε-LDP.
//
// Each bound holds for every estimator of n reports, one of each person, every report ε-LDP whatever the
// earlier ones were (sequential interaction included), at its worst people. It is n times the mean squared
// error, averaged over what is asked, so that it stands beside Planner::promised_variance. By van Trees'
// inequality (Gill, Levit 1995, doi:10.2307/3318681) from bounds of the Fisher information of a report
// (Barnes, Chen, Özgür 2020, arXiv:2005.10783); the proofs stand in doc/theory-bounds.md.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/mechanism/estimate.hpp"
#include "core/mechanism/settings.hpp"

namespace ldp {

/// As n: what bounds come to as there are more reports. At any n, no estimator can be below that which is
/// unbiased whoever the people are, as all of ldp's are (Cramér and Rao); few reports bound others less,
/// since they may lean on what shares and means can be at all.
inline constexpr double endless = std::numeric_limits<double>::infinity();

/// Of the means of d numbers on [−1, 1] that each person has. As n grows, for one number and people drawn
/// from a population, it is ((e^ε + 1)/(e^ε − 1))², which `duchi` attains where the mean is 0; for many
/// numbers d/(2(D − 1 − ln D)) with D = ε/(1 − e^{−ε}), which is about 4d/ε² for a small ε.
[[nodiscard]] double least_error_of_means(double epsilon, std::size_t d, double n, Target target);
/// Of the shares of k ≥ 2 values, averaged over the values. As n grows it is the constant of Ye and Barg 2018
/// (doi:10.1109/TIT.2018.2809790), which `subset` attains at its best size, for every k.
[[nodiscard]] double least_error_of_shares(double epsilon, std::uint64_t k, double n, Target target);

/// Of one attribute, whatever the others are: numbers scaled to [−1, 1]. NaN of a product, whose ends nobody
/// may reach.
[[nodiscard]] double least_error(double epsilon, const Attribute& attribute, double n, Target target);
/// Of the attribute that fares worst, each taken by itself; 0 if all are products.
[[nodiscard]] double least_worst_error(double epsilon, const std::vector<Attribute>& attributes, double n,
                                       Target target);

}  // namespace ldp
