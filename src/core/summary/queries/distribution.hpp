// Estimates of the distribution of one ordered attribute from a summary; see ordered.hpp for definitions. All
// functions throw Error: unsupported if the reports carry no distribution, invalid_value if there are no
// reports or an argument is out of range.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/mechanism/ordered/ordered_estimator.hpp"

namespace ldp {

/// A share and the law of its error, for interval().
struct ShareOfRange : Estimate {
    ErrorLaw law;
};

[[nodiscard]] Distribution decode(const SummaryView& view, Smoothing smoothing);

/// Returns the width over which the estimates below are smoothed, in the attribute's units; 0 if they are
/// sharp. It depends on the number of reports and the spec only.
[[nodiscard]] double resolution(const SummaryView& view);

/// Returns a note about the smoothing of shares and quantiles for display; empty if they are sharp.
[[nodiscard]] std::string smearing(const SummaryView& view);

/// Returns the share of people at or below a value, sharp or smoothed. Outside the declared range, the result
/// is 0 or 1 without error. Near a single frequent value, or where the distribution begins steeply, the
/// smoothed share differs from the sharp one.
[[nodiscard]] ShareOfRange cdf(const SummaryView& view, double value, Target target);

/// Returns the share of people with low ≤ value ≤ high, sharp or smoothed. Requires low ≤ high. The error is
/// computed for the range, so that errors common to both ends cancel.
[[nodiscard]] ShareOfRange share_between(const SummaryView& view, double low, double high, Target target);

/// Returns the shares of bins of equal width over the declared range; they sum to 1. Smoothed shares count
/// people near a bin edge partly in both bins. Sharp shares count a grid point on an edge in the upper bin.
/// Requires 1 ≤ bins ≤ max_bins and at most one bin per grid point.
inline constexpr std::size_t max_bins = 1000;
[[nodiscard]] std::vector<ShareOfRange> histogram(const SummaryView& view, std::size_t bins, Target target);

/// Returns the shares of the same bins in the distribution from which quantile() is read. They are not negative and sum
/// to 1, and they are biased. NaN if nobody may answer.
[[nodiscard]] std::vector<double> monotone_histogram(const SummaryView& view, std::size_t bins);

/// Returns the value below which the share lies, smoothed, or the first grid point whose cumulative share is
/// at least `share`. Requires 0 < share < 1.
[[nodiscard]] Quantile quantile(const SummaryView& view, double share, double confidence, Target target);
/// Returns several quantiles. The state is decoded once.
[[nodiscard]] std::vector<Quantile> quantiles(const SummaryView& view, std::span<const double> shares,
                                              double confidence, Target target);
/// Returns the value of a quantile without an interval.
[[nodiscard]] double quantile(const SummaryView& view, double share);

// The same for an estimator that is already open.
[[nodiscard]] ShareOfRange share_between(OrderedEstimator& estimator, double low, double high, Target target);
[[nodiscard]] Quantile quantile(OrderedEstimator& estimator, double share, double confidence, Target target);
[[nodiscard]] std::string smearing(double resolution);

}  // namespace ldp
