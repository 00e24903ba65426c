#include "core/summary/queries/distribution.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/circular/mean_direction.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

[[noreturn]] void out_of_range(const std::string& what, double found) {
    raise(ErrorCode::invalid_value, what, "Found " + shortest(found) + ".");
}

void check_share(double share) {
    if (!(share > 0 && share < 1)) out_of_range("the share must lie between 0 and 1", share);
}

OrderedEstimator estimator_of(const SummaryView& view) {
    const auto& ordered = capability<Ordered>(*view.mechanism);
    need_reports(view);
    return {ordered, view, most_of_one(view), view.drawn};
}

OrderedEstimator estimator_of_quantiles(const SummaryView& view) {
    check_has_quantiles(capability<Ordered>(*view.mechanism));
    return estimator_of(view);
}

ShareOfRange share_of_range(OrderedEstimator& estimator, double from, double to, Target target) {
    return {estimator.share(from, to, target), estimator.law_of_share(from, to, target)};
}

}  // namespace

Distribution decode(const SummaryView& view, Smoothing smoothing) {
    const auto& ordered = capability<Ordered>(*view.mechanism);
    need_reports(view);
    return ordered.fit(view, smoothing);
}

double resolution(const SummaryView& view) {
    return estimator_of(view).resolution();
}

// The difference between sharp and smoothed share depends on the distribution inside the smoothing width. The
// reports carry no information about it, so that no interval can cover it. The note states this.
std::string smearing(double resolution) {
    if (resolution == 0) return {};
    return "of values smoothed over " + shortest(resolution) + "; exact values may lie outside the interval";
}

std::string smearing(const SummaryView& view) {
    return smearing(resolution(view));
}

ShareOfRange cdf(const SummaryView& view, double value, Target target) {
    if (std::isnan(value)) out_of_range("the value must be a number", value);
    OrderedEstimator estimator = estimator_of(view);
    return share_of_range(estimator, OrderedEstimator::left_end, estimator.behind(value), target);
}

ShareOfRange share_between(OrderedEstimator& estimator, double low, double high, Target target) {
    if (std::isnan(low) || std::isnan(high) || !(low <= high || estimator.circular()))
        out_of_range("the range must not end before it begins", high);
    const auto [share, law] = estimator.within(low, high, target);
    return {share, law};
}

ShareOfRange share_between(const SummaryView& view, double low, double high, Target target) {
    OrderedEstimator estimator = estimator_of(view);
    return share_between(estimator, low, high, target);
}

namespace {

/// Calls `bin` with the two ends of each bin, as positions. Error (invalid_value) if there are too many bins.
template <class Bin>
void for_each_bin(const OrderedEstimator& estimator, std::size_t bins, Bin bin) {
    const double steps = estimator.steps();
    const auto most = std::min<std::size_t>(max_bins, static_cast<std::size_t>(steps) + 1);
    if (bins < 1 || bins > most)
        out_of_range("the number of bins must lie between 1 and " + std::to_string(most),
                     static_cast<double>(bins));
    double from = OrderedEstimator::left_end;
    for (std::size_t i = 1; i <= bins; ++i) {
        check_interrupt();
        const double to = i == bins ? OrderedEstimator::right_end
                                    : steps * static_cast<double>(i) / static_cast<double>(bins);
        bin(from, to);
        from = to;
    }
}

}  // namespace

std::vector<ShareOfRange> histogram(const SummaryView& view, std::size_t bins, Target target) {
    OrderedEstimator estimator = estimator_of(view);
    std::vector<ShareOfRange> shares;
    for_each_bin(estimator, bins, [&](double from, double to) {
        shares.push_back(share_of_range(estimator, from, to, target));
    });
    return shares;
}

std::vector<double> monotone_histogram(const SummaryView& view, std::size_t bins) {
    OrderedEstimator estimator = estimator_of(view);
    std::vector<double> shares;
    for_each_bin(estimator, bins,
                 [&](double from, double to) { shares.push_back(estimator.monotone_share(from, to)); });
    return shares;
}

double quantile(const SummaryView& view, double share) {
    check_share(share);
    return estimator_of_quantiles(view).quantile(share);
}

std::vector<Quantile> quantiles(const SummaryView& view, std::span<const double> shares, double confidence,
                                Target target) {
    std::ranges::for_each(shares, check_share);
    const double critical_value = ldp::critical_value(confidence);
    OrderedEstimator estimator = estimator_of_quantiles(view);
    std::vector<Quantile> found;
    for (const double share : shares) {
        check_interrupt();
        found.push_back(estimator.quantile(share, critical_value, target));
    }
    return found;
}

Quantile quantile(OrderedEstimator& estimator, double share, double confidence, Target target) {
    check_share(share);
    return estimator.quantile(share, critical_value(confidence), target);
}

Quantile quantile(const SummaryView& view, double share, double confidence, Target target) {
    return quantiles(view, {&share, 1}, confidence, target)[0];
}

}  // namespace ldp
