#include "core/series/series_queries.hpp"

#include <map>

#include "core/base/error.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

std::vector<RoundEstimate> means_by_round(const SummaryView& view, Target target) {
    const auto& series = capability<NumberSeries>(*view.mechanism);
    need_reports(view);
    return series.round_means(view, target);
}

std::vector<RoundEstimate> mean_of_rounds(const SummaryView& view, std::span<const std::int64_t> rounds,
                                          std::span<const std::int64_t> baseline, Target target) {
    const auto& sums = capability<RoundSums>(*view.mechanism);
    need_reports(view);
    if (rounds.empty())
        raise(ErrorCode::invalid_value, "there must be at least one round", "The list of rounds is empty.");
    const std::uint32_t last = capability<SeriesRandomizer>(*view.mechanism).rounds();
    std::map<std::uint32_t, double> weights;
    const auto add = [&](std::span<const std::int64_t> some, double sign) {
        for (const std::int64_t round : some) {
            if (round < 1 || round > last)
                raise(ErrorCode::invalid_value, "the series does not have round " + std::to_string(round),
                      "Its rounds are 1 to " + std::to_string(last) + ".");
            weights[static_cast<std::uint32_t>(round)] += sign / static_cast<double>(some.size());
        }
    };
    add(rounds, 1);
    add(baseline, -1);
    std::vector<RoundWeight> sum;
    for (const auto& [round, weight] : weights) sum.push_back({round, weight});
    return sums.round_sum(view, sum, target);
}

RoundDistribution::RoundDistribution(const SummaryView& view, std::uint32_t round)
    : RoundDistribution(view, round, capability<NumberSeries>(*view.mechanism).solution(view)) {}

RoundDistribution::RoundDistribution(const SummaryView& view, std::uint32_t round,
                                     std::shared_ptr<const NumberSeries::Solution> solution)
    : in_round_(capability<NumberSeries>(*view.mechanism).in_round(round, view, std::move(solution))) {
    if (in_round_.counts.n > 0) estimator_.emplace(*in_round_.ordered, in_round_.counts);
}

ShareOfRange RoundDistribution::share_between(double low, double high, Target target) {
    return ldp::share_between(*estimator_, low, high, target);
}

Quantile RoundDistribution::quantile(double share, double confidence, Target target) {
    return ldp::quantile(*estimator_, share, confidence, target);
}

std::string RoundDistribution::smearing() const {
    return ldp::smearing(estimator_->resolution());
}

}  // namespace ldp
