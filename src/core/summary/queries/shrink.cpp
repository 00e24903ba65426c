#include "core/summary/queries/shrink.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "core/base/square.hpp"
#include "core/base/unknown.hpp"
#include "core/math/statistics.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

double universal(std::size_t details) {
    return std::sqrt(2 * std::log(std::max(2.0, static_cast<double>(details))));
}

/// Returns Stein's estimate of the mean squared error of soft thresholding z, with noise of variance 1.
double stein(double z, double threshold) noexcept {
    return std::abs(z) <= threshold ? square(z) - 1 : square(threshold) + 1;
}

/// Returns the risk of soft thresholding noise alone: E[(|z| − λ)₊²]. A non-zero coefficient has a larger
/// risk.
double least_risk(double threshold) {
    const double density = std::exp(-square(threshold) / 2) / std::sqrt(2 * std::numbers::pi);
    return 2 * ((1 + square(threshold)) * one_sided(threshold) - threshold * density);
}

// Between two adjacent |z|, the estimate rises with the threshold. The minimum is therefore at 0 or at one of
// the |z|, which are tried in ascending order.
double best_threshold(std::span<const Estimate> details) {
    struct Detail {
        double z, variance;
    };
    std::vector<Detail> sorted;
    double variances = 0, excess = 0;
    for (const auto& [value, error] : details) {
        if (std::isnan(error)) continue;
        sorted.push_back({std::abs(value / error), square(error)});
        variances += square(error);
        excess += square(value / error) - 1;
    }
    const auto m = static_cast<double>(sorted.size());
    const double most = universal(sorted.size());
    if (sorted.size() < 8) return 0;
    // The coefficients are too small relative to the noise, and the error of the estimate would determine the
    // threshold (Donoho, Johnstone 1995).
    if (excess * std::sqrt(m) <= m * std::pow(std::log2(m), 1.5)) return most;
    std::ranges::sort(sorted, {}, &Detail::z);
    double best = 0, least = variances, below = 0, rest = variances;
    for (const auto& [z, variance] : sorted) {
        if (z > most) break;
        below += variance * (square(z) - 1);
        rest -= variance;
        const double risk = below + rest * (1 + square(z));
        if (risk >= least) continue;
        least = risk;
        best = z;
    }
    return best;
}

/// Shrinks the coefficients of a level in place and returns the average of their squared errors.
double shrink(std::span<Estimate> details, double threshold) {
    double risk = 0, signal = 0, noise = 0, seen = 0;
    for (auto& [value, error] : details) {
        if (std::isnan(error)) {
            value = 0;
            continue;
        }
        ++seen;
        noise += square(error);
        risk += square(error) * stein(value / error, threshold);
        signal += square(value) - square(error);
        value = std::copysign(std::max(0.0, std::abs(value) - threshold * error), value);
    }
    const auto all = static_cast<double>(details.size());
    if (seen == 0) return unknown;
    return (std::max(risk, noise * least_risk(threshold)) + (all - seen) * std::max(0.0, signal / seen)) /
           all;
}

}  // namespace

std::vector<Estimate> shrunk(const SummaryView& view, Shrinkage shrinkage, Target target) {
    const auto& haar = capability<HaarVector>(*view.mechanism);
    std::vector<Estimate> coefficients = estimate(view, {Quantity::coefficients, target});
    const std::size_t d = coefficients.size();
    std::vector<double> values(d), squares(d), leaves(d), leaf_squares(d);
    squares[0] = square(coefficients[0].standard_error);
    const auto levels = haar.tree().levels();
    for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
        const auto details =
            std::span(coefficients).subspan(levels[level], levels[level + 1] - levels[level]);
        const double threshold =
            shrinkage == Shrinkage::soft ? universal(details.size()) : best_threshold(details);
        const double average = shrink(details, threshold);
        std::fill_n(squares.begin() + static_cast<std::ptrdiff_t>(levels[level]), details.size(), average);
    }
    std::ranges::transform(coefficients, values.begin(), &Estimate::value);
    haar.tree().inverse(values, leaves);
    haar.tree().accumulate_paths(squares, leaf_squares);
    std::vector<Estimate> estimates;
    for (std::size_t j = 0; j < d; ++j) {
        const auto [min, max] = haar.ends(j);
        const double half = max / 2 - min / 2;
        estimates.push_back({min / 2 + max / 2 + half * leaves[j], half * std::sqrt(leaf_squares[j])});
    }
    return estimates;
}

}  // namespace ldp
