#include "core/groups/weighted_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/share_intervals.hpp"

namespace ldp {

namespace {

using QuantityWeights = std::span<const Labels::QuantityWeight>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Calls `of_attribute` with the weights of each attribute.
template <class OfAttribute>
void for_each_attribute(QuantityWeights weights, OfAttribute of_attribute) {
    while (!weights.empty()) {
        const auto end = std::ranges::find_if(weights, [&](const Labels::QuantityWeight& one) {
            return one.attribute != weights[0].attribute;
        });
        const auto count = static_cast<std::size_t>(end - weights.begin());
        of_attribute(weights.first(count));
        weights = weights.subspan(count);
    }
}

double longer_half_of(double estimate, const Interval& range) noexcept {
    return std::fmax(estimate - range.lower, range.upper - estimate);
}

/// A category may have millions of values.
std::vector<double> zeros(std::size_t count) {
    check_interrupt();
    return std::vector<double>(count);
}

/// The variance of weighted sums of the shares of one attribute's values.
class SharesVariance {
  public:
    /// `sampled` is the part of the sampling error that the errors contain.
    SharesVariance(const SummaryView& part, std::vector<double> shares, double sampled)
        : oracle_(capability<ValueOracle>(*part.mechanism)),
          n_(static_cast<double>(part.n)),
          shares_(std::move(shares)),
          sampled_(sampled) {}

    [[nodiscard]] double of(std::span<const double> weights) const {
        double mean = 0, squares = 0;
        for_each_index(weights.size(), [&](std::size_t v) {
            mean += shares_[v] * weights[v];
            squares += shares_[v] * weights[v] * weights[v];
        });
        const double noise = *oracle_.n_variance_of_sum(weights, shares_);
        return std::max(0.0, noise + sampled_ * (squares - mean * mean)) / n_;
    }

  private:
    const ValueOracle& oracle_;
    double n_;
    std::vector<double> shares_;
    double sampled_;
};

/// Returns the nearest distribution in proportion, after adding this number of reports that are spread evenly.
std::vector<double> spread_shares(std::span<const Estimate> estimates, double n, double more) {
    double sum = 0;
    std::vector<double> shares = zeros(estimates.size());
    for_each_index(shares.size(),
                   [&](std::size_t v) { sum += shares[v] = std::max(0.0, estimates[v].value); });
    const double even = 1 / static_cast<double>(shares.size());
    for_each_index(shares.size(), [&](std::size_t v) {
        shares[v] = ((sum > 0 ? n * shares[v] / sum : n * even) + more * even) / (n + more);
    });
    return shares;
}

BoundedEstimate sum_of_shares(const SummaryView& view, QuantityWeights weights, Target target,
                              double critical_value) {
    const std::size_t attribute = weights[0].attribute;
    const SummaryView one = part(view, attribute);
    const auto n = static_cast<double>(one.n);
    const auto estimates = estimate(view, {Quantity::frequencies, target, attribute});
    const auto own = own_intervals(view, attribute, target, critical_value);
    const ErrorLaw law = error_law(view, attribute, target);
    // Intervals of single values contain the sampling error if the reports are those of a part of the people.
    const double reach = half_length(1, critical_value);
    const bool sampled = target == Target::population || one.drawn < 1;
    const SharesVariance errors(one, spread_shares(estimates, n, 0),
                                target == Target::population ? 1 : 1 - one.drawn);
    const SharesVariance wide(one, spread_shares(estimates, n, square(reach)), sampled ? 1 : 0);
    std::vector<double> all = zeros(estimates.size()), scaled = zeros(estimates.size()),
                        single = zeros(estimates.size());
    double value = 0;
    for (const Labels::QuantityWeight& each : weights) {
        check_interrupt();
        const auto v = static_cast<std::size_t>(*each.value);
        const Interval range = own.empty() ? interval(estimates[v], critical_value, law) : own[v];
        single[v] = 1;
        const double error = std::sqrt(wide.of(single));
        single[v] = 0;
        value += each.weight * estimates[v].value;
        all[v] = each.weight;
        if (error > 0) scaled[v] = each.weight * longer_half_of(estimates[v].value, range) / error;
    }
    // With few reports and little noise, an interval may end at a single possible value. The errors of the estimates are then
    // not independent of each other.
    const double half = std::sqrt(std::max(wide.of(scaled), square(reach) * wide.of(all)));
    return {{value, std::sqrt(errors.of(all))}, {value - half, value + half}};
}

BoundedEstimate weighted_number(const SummaryView& view, const Labels::QuantityWeight& weight, Target target,
                                double critical_value) {
    const SummaryView one = part(view, weight.attribute);
    const Estimate mean = ComparableMeans(view, target).of(weight.attribute);
    const double value = weight.weight * mean.value, error = std::abs(weight.weight) * mean.standard_error;
    double half;
    if (find_capability<ResponseRate>(*one.mechanism) != nullptr) {
        half = half_length(error, critical_value);
    } else {
        half = std::abs(weight.weight) *
               longer_half_of(mean.value,
                              interval(mean, critical_value, error_law(view, weight.attribute, target)));
    }
    return {{value, error}, {value - half, value + half}};
}

[[noreturn]] void refuse_unknown_covariance(const std::string& detail, const std::string& hint) {
    throw Error(ErrorCode::unsupported, "the covariance of these estimates is not known", detail, hint);
}

void check_attribute_of_contrast(const Mechanism& mechanism, QuantityWeights weights) {
    const std::size_t attribute = weights[0].attribute;
    const RecordPart of = part_of(mechanism, attribute);
    const bool number = !weights[0].value;
    const std::string shown = "Attribute " + std::to_string(attribute);
    if (is_series(*of.mechanism))
        throw Error(ErrorCode::unsupported, "a series has estimates of each round", shown + " is a series.",
                    "Use a mean over rounds, with the other rounds as the baseline.");
    if (of.count > 1)
        refuse_unknown_covariance(
            shown + " is reported together with other attributes.",
            "Elements of a vector have means of ranges, and joint tables have shares of several labels.");
    if (number && find_direction(*of.mechanism) != nullptr)
        throw Error(ErrorCode::unsupported, "a direction has no weighted sum",
                    shown + " has values on a circle.", "Compare the shares of arcs instead.");
    const bool means = of.mechanism->can_estimate(Quantity::means);
    if (number && !means && of.mechanism->can_estimate(Quantity::frequencies))
        throw Error(ErrorCode::invalid_value, "an attribute with values has no mean", shown + " has values.",
                    "Use a weight for each label, as in {\"answer\": {\"yes\": 1, \"no\": -1}}.");
    check_can_estimate(*of.mechanism, number ? Quantity::means : Quantity::frequencies);
    if (number) return;
    const auto* oracle = find_capability<ValueOracle>(*of.mechanism);
    if (oracle == nullptr || !oracle->n_variance_of_sum({}, {}))
        refuse_unknown_covariance(
            shown + " has the mechanism \"" + find_mechanism(of.mechanism->header().mechanism)->name + "\".",
            "Use the mechanism \"grr\", \"subset\", \"hadamard\" or \"projective\" in the next spec.");
}

}  // namespace

void check_contrast(const Mechanism& mechanism, QuantityWeights weights) {
    std::size_t attributes = 0;
    for_each_attribute(weights, [&](QuantityWeights of_one) {
        ++attributes;
        check_attribute_of_contrast(mechanism, of_one);
        if (!of_one[0].value && of_one.size() > 1)
            throw Error(ErrorCode::invalid_value, "an attribute has a weight and weights of labels", {},
                        "Give either.");
    });
    const auto* record = find_capability<Record>(mechanism);
    if (attributes > 1 && (record == nullptr || record->per_report() > 1))
        refuse_unknown_covariance("Each person reports several of these attributes.",
                                  "Sum labels of one attribute, or collect one attribute per report.");
}

BoundedEstimate contrast(const SummaryView& view, QuantityWeights weights, Target target,
                         double critical_value) {
    check_contrast(*view.mechanism, weights);
    std::size_t attributes = 0;
    for_each_attribute(weights, [&](QuantityWeights) { ++attributes; });
    const Target against = attributes > 1 ? Target::population : target;
    BoundedEstimate sum{{0, 0}, {0, 0}};
    double half = 0;
    bool known = true;
    for_each_attribute(weights, [&](QuantityWeights of_one) {
        const SummaryView one = part(view, of_one[0].attribute);
        need_one_round(one, "a weighted sum of estimates");
        if (one.n == 0) {
            known = false;
            return;
        }
        const BoundedEstimate found = of_one[0].value
                                          ? sum_of_shares(view, of_one, against, critical_value)
                                          : weighted_number(view, of_one[0], against, critical_value);
        sum.estimate.value += found.estimate.value;
        sum.estimate.standard_error = std::hypot(sum.estimate.standard_error, found.estimate.standard_error);
        half = std::hypot(half, found.interval.upper - found.estimate.value);
    });
    if (!known || std::isnan(sum.estimate.value)) return {{unknown, unknown}, {unknown, unknown}};
    sum.interval = {sum.estimate.value - half, sum.estimate.value + half};
    return sum;
}

Interval possible_sums(const Mechanism& mechanism, QuantityWeights weights) {
    const RecordPart of = part_of(mechanism, weights[0].attribute);
    if (!weights[0].value) {
        const Interval means = possible_values(*of.mechanism, 0);
        const double one = weights[0].weight * means.lower, other = weights[0].weight * means.upper;
        return {std::min(one, other), std::max(one, other)};
    }
    const bool all = weights.size() == of.mechanism->cells()[0];
    Interval sums{all ? infinity : 0, all ? -infinity : 0};
    for (const Labels::QuantityWeight& each : weights)
        sums = {std::min(sums.lower, each.weight), std::max(sums.upper, each.weight)};
    return sums;
}

}  // namespace ldp
