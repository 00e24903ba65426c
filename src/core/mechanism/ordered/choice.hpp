// Which mechanism suits the distribution of one ordered attribute: a number, or a category whose values are
// in order.
#pragma once

#include <optional>
#include <vector>

#include "core/mechanism/estimate.hpp"
#include "core/mechanism/selection.hpp"

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

/// Whether the mechanism estimates the distribution of one ordered attribute.
[[nodiscard]] bool is_ordered(const MechanismEntry& mechanism) noexcept;

/// n·Var of the randomizer in an estimate, averaged over ranges between two cuts (OrderedUse::quantiles: over
/// thresholds), if people are spread evenly over the points. Of up to 45 points all ranges are averaged; of
/// more, 1024 ranges whose cuts are spread evenly. If the mechanism smears values, the ranges are smeared at
/// the resolution of so many reports. Throws Error (unsupported) if the mechanism has no distribution.
[[nodiscard]] double mean_variance(const Mechanism& mechanism, OrderedUse use, std::uint64_t reports);
/// The same of a mechanism that does not smear, if people are spread over its points like the shares, against
/// the people who report or the population.
[[nodiscard]] double mean_variance(const Mechanism& mechanism, OrderedUse use, std::vector<double> shares,
                                   Target target);

/// The mechanisms for the distribution: those that can be chosen first, each part by ascending
/// mean_variance(), which is the candidates' n_variance. OrderedUse::shape puts the mechanism with a smooth
/// fit first.
[[nodiscard]] std::vector<Candidate> rank_ordered(const OrderedRequest& request);

/// The first of the ranking, and the reason. Throws Error (invalid_spec) with each candidate's obstacle if
/// none can be chosen.
[[nodiscard]] Selected choose_ordered(const OrderedRequest& request);

}  // namespace ldp
