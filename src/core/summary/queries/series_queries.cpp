#include "core/summary/queries/series_queries.hpp"

#include <map>

#include "core/base/error.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

/// Returns estimates with the errors for all people who reported to the record of which the series is a part.
/// `ask(target)` returns those for the people who reported the series, or for the population.
template <class Ask>
std::vector<RoundEstimate> of_record(const SummaryView& view, Target target, Ask ask) {
    if (target == Target::population || view.drawn == 1) return ask(target);
    std::vector<RoundEstimate> all = ask(Target::population);
    const std::vector<RoundEstimate> noise = ask(Target::sample);
    for (std::size_t i = 0; i < all.size(); ++i)
        static_cast<Estimate&>(all[i]) = mixed(noise[i], all[i], view.drawn);
    return all;
}

}  // namespace

std::vector<RoundEstimate> means_by_round(const SummaryView& view, Target target) {
    const auto& series = capability<NumberSeries>(*view.mechanism);
    need_reports(view);
    return of_record(view, target, [&](Target of) { return series.round_means(view, of); });
}

std::vector<RoundEstimate> mean_of_rounds(const SummaryView& view, std::span<const std::int64_t> rounds,
                                          std::span<const std::int64_t> baseline, Target target) {
    const auto& series = capability<SeriesRandomizer>(*view.mechanism);
    need_reports(view);
    if (rounds.empty())
        raise(ErrorCode::invalid_value, "there must be at least one round", "The list of rounds is empty.");
    const std::uint32_t last = series.rounds();
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
    return of_record(view, target, [&](Target of) { return series.round_sum(view, sum, of); });
}

RoundDistribution::RoundDistribution(const SummaryView& view, std::uint32_t round)
    : RoundDistribution(view, round, capability<NumberSeries>(*view.mechanism).solution(view)) {}

RoundDistribution::RoundDistribution(const SummaryView& view, std::uint32_t round,
                                     std::shared_ptr<const NumberSeries::Solution> solution)
    : in_round_(capability<NumberSeries>(*view.mechanism).in_round(round, view, std::move(solution))) {
    if (in_round_.counts.n > 0) estimator_.emplace(*in_round_.ordered, in_round_.counts, 1, view.drawn);
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
