// Queries about the rounds of a series. One summary has the reports of all rounds. All functions throw Error:
// unsupported if the reports are not of such a series, invalid_value if there are no reports or an
// argument is out of range. Of a record, the view is that of a part; with the target `sample`, errors include
// the sampling error of the people who reported other parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/mechanism/longitudinal/number_series.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/summary/queries/distribution.hpp"

namespace ldp {

/// Returns the means of a number in all rounds. NaN if the reports do not reach a round.
[[nodiscard]] std::vector<RoundEstimate> means_by_round(const SummaryView& view, Target target);

/// Returns the mean of these rounds, from 1, minus the mean of the `baseline` rounds if there are any: one
/// estimate for a number, or one for the share of each value of a category. The errors include the covariance
/// of the rounds. NaN if the reports do not reach a round. Requires at least one round.
[[nodiscard]] std::vector<RoundEstimate> mean_of_rounds(const SummaryView& view,
                                                        std::span<const std::int64_t> rounds,
                                                        std::span<const std::int64_t> baseline,
                                                        Target target);

/// The distribution of a number in one round, from 1. The estimates are defined in distribution.hpp.
class RoundDistribution {
  public:
    /// The view must outlive it.
    RoundDistribution(const SummaryView& view, std::uint32_t round);
    /// Shares the solution of the view with the other rounds.
    RoundDistribution(const SummaryView& view, std::uint32_t round,
                      std::shared_ptr<const NumberSeries::Solution> solution);

    /// Whether the reports reach the round. Call the functions below only if it is true.
    [[nodiscard]] bool known() const noexcept { return estimator_.has_value(); }
    [[nodiscard]] ShareOfRange share_between(double low, double high, Target target);
    [[nodiscard]] Quantile quantile(double share, double confidence, Target target);
    /// Returns a note about the smoothing; empty if the estimates are sharp.
    [[nodiscard]] std::string smearing() const;

  private:
    NumberSeries::InRound in_round_;
    std::optional<OrderedEstimator> estimator_;
};

}  // namespace ldp
