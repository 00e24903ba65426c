// Lower bounds of the error of every mechanism under ε-LDP.
//
// Each bound holds for every estimator of n reports, at its worst population. Each person sends one report,
// which is ε-LDP given all earlier reports; sequential interaction is included. A bound is n times the mean
// squared error, averaged over the targets, as Planner::expected_variance is. It follows from van Trees'
// inequality (Gill, Levit 1995, doi:10.2307/3318681) and from bounds of the Fisher information of a report
// (Barnes, Chen, Özgür 2020, arXiv:2005.10783). The proofs are in doc/theory-bounds.md.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/mechanism/role/estimate.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// As n: the limit of a bound as the number of reports grows. It bounds every estimator that is unbiased for
/// all populations at any n (Cramér and Rao); all estimators of ldp are. For few reports, the bound of other
/// estimators is smaller, because they may use the range of possible shares and means.
inline constexpr double endless = std::numeric_limits<double>::infinity();

/// Returns the bound for the means of d numbers on [−1, 1] that each person has. For one number and people
/// drawn from a population, its limit is ((e^ε + 1)/(e^ε − 1))², which `duchi` attains where the mean is 0.
/// For many numbers it is d/(2(D − 1 − ln D)) with D = ε/(1 − e^{−ε}), about 4d/ε² for a small ε.
[[nodiscard]] double least_error_of_means(double epsilon, std::size_t d, double n, Target target);
/// Returns the bound for the shares of k ≥ 2 values, averaged over the values. Its limit is the constant of
/// Ye and Barg 2018 (doi:10.1109/TIT.2018.2809790), which `subset` attains at its best size, for every k.
[[nodiscard]] double least_error_of_shares(double epsilon, std::uint64_t k, double n, Target target);

/// Returns the bound for one attribute, independent of the others; numbers are scaled to [−1, 1]. NaN for a
/// product, whose values may never reach the ends of its range, and for a direction, whose error depends on
/// the resultant length: no bound of either is known.
[[nodiscard]] double least_error(double epsilon, const Attribute& attribute, double n, Target target);
/// Returns the largest bound of the attributes, each taken alone; NaN if none has a bound.
[[nodiscard]] double least_worst_error(double epsilon, const std::vector<Attribute>& attributes, double n,
                                       Target target);

}  // namespace ldp
