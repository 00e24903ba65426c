// Distributions fitted to reports, for display; they have no standard errors.
#pragma once

#include <span>
#include <vector>

#include "core/channel/window_decoder.hpp"
#include "core/mechanism/role/estimate.hpp"

namespace ldp {

/// The regularization of a fit. Binomial: after each step, densities are averaged with their neighbours with
/// weights 1, 2, 1 (EMS; Li, Wang et al. 2020). None: maximum likelihood. For a sharp mechanism, both give
/// the same fit.
enum class Smoothing { none, binomial };

/// A distribution over adjacent cells, uniform inside each of them.
struct Distribution {
    std::vector<double> edges;   ///< of the cells, ascending, in the attribute's units: one more than shares
    std::vector<double> shares;  ///< of the cells: none negative, sum 1
    unsigned iterations;
    bool converged;  ///< whether the stopping rule ended the fit before the limit on iterations

    /// Returns the share at or below a value.
    [[nodiscard]] double cdf(double value) const;
    /// Returns the value below which a share lies. Requires 0 ≤ share ≤ 1.
    [[nodiscard]] double quantile(double share) const;
    /// Returns the shares of `bins` bins of equal width.
    [[nodiscard]] std::vector<double> histogram(std::size_t bins) const;
};

/// Returns the edges of the cells of equidistant points, one more than points. Each cell extends half a step
/// to either side of its point, so that the outer cells are half as wide.
[[nodiscard]] std::vector<double> edges_around(const Interval& ends, std::size_t points);

/// Fits shares to points within `ends` iteratively, from the observed shares of outputs. The fit stops when the log-likelihood
/// of all n reports changes by less than 1/1000 (times e^ε without smoothing; the published rule), at the latest after
/// 10000 steps.
[[nodiscard]] Distribution fit_points(Interval ends, const WindowDecoder& decoder,
                                      std::span<const double> observed, std::uint64_t n, double epsilon,
                                      Smoothing smoothing);
/// Returns a fit in the form of Aggregator::estimate().
[[nodiscard]] std::vector<Estimate> without_errors(const Distribution& fit);

}  // namespace ldp
