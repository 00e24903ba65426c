// Questions to a summary about the distribution of one ordered attribute; what the answers are, ordered.hpp
// says. All throw Error: unsupported if its reports tell no distribution, invalid_value if there are none or
// an argument is out of range.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/mechanism/ordered/ordered_estimator.hpp"

namespace ldp {

/// A share of people, and how it is distributed: for interval().
struct ShareOfRange : Estimate {
    ErrorLaw law;
};

[[nodiscard]] Distribution decode(const SummaryView& view, Smoothing smoothing);

/// The stretch over which the estimates below smear, in the attribute's units; 0 if they are sharp. It
/// follows from the number of reports and the spec alone.
[[nodiscard]] double resolution(const SummaryView& view);

/// What a reader of the shares and quantiles below has to know of their smearing; empty if they are sharp.
[[nodiscard]] std::string smearing(const SummaryView& view);

/// The share of people at or below a value, sharp or smeared; 0 and 1 without error outside the declared
/// range. Near a single value that many people have, or where the distribution begins steeply, the sharp
/// share is another than the smeared one.
[[nodiscard]] ShareOfRange cdf(const SummaryView& view, double value, Target target);

/// The share of people with low ≤ value ≤ high, sharp or smeared; low ≤ high. Its error is its own, not that
/// of a difference: what both ends have in common cancels.
[[nodiscard]] ShareOfRange share_between(const SummaryView& view, double low, double high, Target target);

/// The shares of bins of equal width over the declared range, smeared at the edges between them or, if sharp,
/// with a point on an edge in the upper bin; they add up to 1. 1 ≤ bins ≤ max_bins, and at most as many as
/// points.
inline constexpr std::size_t max_bins = 1000;
[[nodiscard]] std::vector<ShareOfRange> histogram(const SummaryView& view, std::size_t bins, Target target);

/// The value below which a share lies, 0 < share < 1, smeared; or the first point with that share at or below
/// it.
[[nodiscard]] Quantile quantile(const SummaryView& view, double share, double confidence, Target target);
/// Several, for hardly more than the work of one: the state is read once.
[[nodiscard]] std::vector<Quantile> quantiles(const SummaryView& view, std::span<const double> shares,
                                              double confidence, Target target);
/// The value alone.
[[nodiscard]] double quantile(const SummaryView& view, double share);

}  // namespace ldp
