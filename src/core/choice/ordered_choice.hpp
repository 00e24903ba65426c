// Choice of a mechanism for the distribution of one ordered attribute: a number, or a category whose values
// are in order.
#pragma once

#include <optional>
#include <vector>

#include "core/choice/selection.hpp"
#include "core/mechanism/role/estimate.hpp"

namespace ldp {

/// The estimates for which the mechanism is chosen.
enum class OrderedUse {
    ranges,     ///< shares of ranges and of histogram bins: unbiased, with intervals
    quantiles,  ///< shares below thresholds, and quantiles: unbiased, with intervals
    shape,      ///< a smooth density fitted to the reports: biased by an unknown amount, without intervals
};

/// A request for the distribution of one attribute.
struct OrderedRequest {
    double epsilon;                     ///< of a report
    Attribute attribute;                ///< the attribute
    std::optional<std::uint64_t> grid;  ///< of a number: steps; the default of each mechanism if not given
    Limits limits;                      ///< limits of size and cost
    OrderedUse use;                     ///< the purpose of the choice
};

/// Returns whether the mechanism estimates the distribution of one ordered attribute.
[[nodiscard]] bool is_ordered(const MechanismEntry& mechanism) noexcept;
/// Returns the options with which a mechanism is considered for a distribution.
[[nodiscard]] OptionValues options_for_order(const MechanismEntry& mechanism);

/// Returns the mechanism for the distribution that limits the number of a person's different responses.
[[nodiscard]] const MechanismEntry& few_ordered_responses() noexcept;

/// Returns n·Var of the randomizer in an estimate, averaged over ranges between two cuts
/// (OrderedUse::quantiles: over thresholds), for people spread evenly over the points. Up to 45 points, all
/// ranges are averaged; otherwise 1024 ranges with evenly spread cuts. If the mechanism smooths, the ranges
/// are also smoothed, at the resolution for `reports` reports. Error (unsupported) if the mechanism estimates
/// no distribution.
[[nodiscard]] double mean_variance(const Mechanism& mechanism, OrderedUse use, std::uint64_t reports);
/// Returns the same average for a mechanism without smoothing, for people spread over its points as in
/// `shares`, with this target.
[[nodiscard]] double mean_variance(const Mechanism& mechanism, OrderedUse use, std::vector<double> shares,
                                   Target target);

/// The mechanisms for the distribution: those that can be chosen first, each part by ascending
/// mean_variance(), which is the candidates' n_variance. OrderedUse::shape puts the mechanism with a smooth
/// fit first.
[[nodiscard]] std::vector<Candidate> rank_ordered(const OrderedRequest& request);

/// Returns the first candidate of the ranking and the reason. Error (invalid_spec) with the obstacle of each
/// candidate if none can be chosen.
[[nodiscard]] Selected choose_ordered(const OrderedRequest& request);
/// Chooses as choose_ordered(), among the mechanisms that keep to the limit and the mechanism of few
/// responses.
[[nodiscard]] SelectedWithin choose_ordered_within(const OrderedRequest& request, const ResponseLimit& limit);

}  // namespace ldp
