// Weighted sums of estimates of one summary, with their covariance.
#pragma once

#include <span>

#include "core/contract/labels.hpp"
#include "core/groups/independent.hpp"
#include "core/mechanism/role/summary_view.hpp"
#include "core/summary/spent.hpp"

namespace ldp {

/// Returns Σ weight·estimate over the mean of numbers and the shares of values, in the order of Labels::weights().
///
/// Each report is about one part of a record, so that the errors of different parts are independent against the
/// population. Errors of a sum over several parts therefore contain the sampling error of each part, also
/// with the target sample. The errors of ldp::estimate() contain it only for the reports that are not about
/// the part. Within a category, the error is exact for the estimated shares: the variance between people, of
/// a multinomial sample, and the variance of the randomizer (ValueOracle::n_variance_of_sum).
///
/// The interval follows from the intervals of the estimates ("method of variance estimates recovery", Zou, Donner 2008)
/// with the longer half of each on both sides and the correlations of the estimates. It is at least the normal interval. Both are
/// unknown without reports about an attribute, and if so few people answer that the mean is not one of ComparableMeans.
///
/// Throws Error (unsupported) if a covariance is not known. This is so for attributes that are reported together, reports
/// about several parts, mechanisms without n_variance_of_sum(), and repeated responses. Throws Error (invalid_value) for the
/// mean of a category or labels of a number. Requires n ≥ 1.
[[nodiscard]] BoundedEstimate contrast(const SummaryView& view,
                                       std::span<const Labels::QuantityWeight> weights, Target target,
                                       double critical_value);

/// Throws the errors of contrast() that do not depend on the reports.
void check_contrast(const Mechanism& mechanism, std::span<const Labels::QuantityWeight> weights);

/// Returns the possible values of the part of the sum that is about an attribute. `weights` are of this attribute alone.
[[nodiscard]] Interval possible_sums(const Mechanism& mechanism,
                                     std::span<const Labels::QuantityWeight> weights);

}  // namespace ldp
