// A distribution fitted to reports: to look at, without errors.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/mechanism/estimate.hpp"

namespace ldp {

/// What keeps a fit from following the noise. Binomial: each step is followed by averaging neighbouring
/// densities with weights 1, 2, 1 (EMS; Li, Wang et al. 2020). None: plain maximum likelihood. A sharp
/// mechanism's fit takes no such steps and is the same for both.
enum class Smoothing { none, binomial };

/// A distribution over adjoining cells, spread evenly inside each of them.
struct Distribution {
    std::vector<double> edges;   ///< of the cells, ascending, in the attribute's units: one more than shares
    std::vector<double> shares;  ///< of the cells: none negative, sum 1
    unsigned iterations;
    bool converged;  ///< whether the stop rule ended the fit rather than the limit on iterations

    /// The share at or below a value.
    [[nodiscard]] double cdf(double value) const;
    /// The value below which a share lies; 0 ≤ share ≤ 1.
    [[nodiscard]] double quantile(double share) const;
    /// The shares of this many bins of equal width.
    [[nodiscard]] std::vector<double> histogram(std::size_t bins) const;
};

/// The cells of points at equal distances from one end to the other: each reaches half a step to either side,
/// so that the outer cells are halves. Their edges, one more than points.
[[nodiscard]] std::vector<double> edges_around(const Interval& ends, std::size_t points);

/// Fits shares to points from `low` to `high` by repeated improvement, each point's cell reaching half a step
/// to either side (so that the outer cells are halves). `improve` makes one step of expectation and
/// maximisation and returns the log-likelihood per report of what it was given. The fit stops when the
/// log-likelihood of all reports changes by less than 1/1000 (times e^ε without smoothing; the published
/// rule), at the latest after 10000 steps.
[[nodiscard]] Distribution fit_points(Interval ends, std::size_t points, std::uint64_t n, double epsilon,
                                      Smoothing smoothing,
                                      const std::function<double(std::span<double>)>& improve);
/// A fit as the answer of Aggregator::estimate().
[[nodiscard]] std::vector<Estimate> without_errors(const Distribution& fit);

}  // namespace ldp
