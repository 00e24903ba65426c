// Rows about the rounds of a series. One summary has the reports of all rounds.

#include <algorithm>

#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/groups/group_estimates.hpp"
#include "core/groups/interval_rule.hpp"
#include "core/results/estimate_rows.hpp"
#include "core/results/row_functions.hpp"
#include "core/results/rows/value_rows.hpp"
#include "core/summary/queries/series_queries.hpp"

namespace ldp {

namespace {

constexpr auto series_columns =
    answer_columns("integer round", "bigint people", "integer attribute_number", "integer value");
constexpr auto series_quantile_columns =
    answer_columns("integer round", "number probability", "bigint people", "integer attribute_number");

const SeriesRandomizer& series_of(const SummaryView& view) {
    return capability<SeriesRandomizer>(*view.mechanism);
}

void check_series(const SummaryView& view) {
    (void)series_of(view);
}

void check_numbers(const SummaryView& view) {
    (void)capability<NumberSeries>(*view.mechanism);
}

bool is_number(const SummaryView& view) {
    return view.mechanism->can_estimate(Quantity::means);
}

/// The status of an estimate with this law.
ReportStatus status_with(const SummaryView& view, const ErrorLaw& law) {
    ReportStatus all = report_status(view);
    all.law = law;
    return all;
}

/// Rows of estimates, the same number for each round.
struct SeriesRows {
    EstimateRows estimates = {};
    std::size_t count = 0, each = 1;

    void write(RowCells<series_columns>& row, std::size_t number) const {
        row.put("round", static_cast<std::int32_t>(number / each + 1));
        estimates.write(row, number);
    }
};

SeriesRows by_round(EstimateRows estimates, std::size_t each) {
    const std::size_t count = estimates.count;
    return {std::move(estimates), count, each};
}

/// Calls `add(distribution, status)` for each round. Notes state the smoothing in a round.
template <class Add>
void for_each_distribution(const SummaryView& view, Add add) {
    const std::uint32_t count = series_of(view).rounds();
    const auto solution = capability<NumberSeries>(*view.mechanism).solution(view);
    for (std::uint32_t round = 1; round <= count; ++round) {
        check_interrupt();
        RoundDistribution distribution(view, round, solution);
        ReportStatus about = report_status(view);
        if (distribution.known() && about.enough) about.add_note(distribution.smearing());
        add(distribution, about);
    }
}

/// Quantiles of all rounds, one round after another.
struct SeriesQuantiles {
    struct SeriesQuantile {
        double share;
        Quantile quantile;
        const ReportStatus* about;
    };
    const Labels* labels = &no_labels();
    std::size_t attribute = 0;
    std::vector<SeriesQuantile> rows = {};
    KeptStatuses statuses = {};
    std::size_t count = 0, each = 1;

    void write(RowCells<series_quantile_columns>& row, std::size_t number) const {
        const auto& [share, quantile, about] = rows[number];
        const double shown = about->shown(quantile.value);
        row.put("round", static_cast<std::int32_t>(number / each + 1));
        row.put("attribute", labels->name(attribute));
        row.put("attribute_number", static_cast<std::int32_t>(attribute));
        row.put("label", shortest(share));
        row.put("statistic", "quantile");
        row.put("probability", share);
        row.put("estimate", shown);
        row.put("lower", about->shown(quantile.interval.lower));
        row.put("upper", about->shown(quantile.interval.upper));
        about->put_counts(row);
        about->put_note(row, !std::isnan(shown));
    }
};

std::vector<std::int64_t> wide(std::span<const std::int32_t> numbers) {
    return {numbers.begin(), numbers.end()};
}

/// `ask(view)` of the reports about the series: those of the selected attribute of a record, or all. `check(view)`
/// throws if there is no such series.
template <class Found, class Ask>
Found ask_series(const Subject& subject, Found otherwise, Ask ask, void (*check)(const SummaryView&)) {
    const std::shared_ptr<const Mechanism> mechanism = checked_mechanism(subject.summary);
    SummaryView view = view_of(*mechanism, subject.summary);
    if (subject.attribute && !is_series(*mechanism)) view = single_part(view, *subject.attribute);
    if (subject.attribute && is_series(*mechanism)) check_attribute(*subject.attribute, 1);
    check(view);
    if (view.n == 0) return otherwise;
    return ask(view);
}

/// The mean of rounds, less that of the baseline rounds; `tested` with the p-value of the hypothesis that this is 0.
EstimateRows rows_of_rounds(const Subject& whole, const SummaryQuery& query, bool tested) {
    const Subject subject = selected(whole, query.attribute);
    const std::size_t attribute = subject.attribute.value_or(0);
    const IntervalRule rule = IntervalRule::of(query.confidence, false, false);
    const Target target = target_named(query.target);
    const auto found = [&](const SummaryView& view) {
        const std::vector<RoundEstimate> items =
            mean_of_rounds(view, wide(query.rounds), wide(query.baseline), target);
        const double people = informative_people(view);
        EstimateRows all = rows_about(subject, rule.critical_value(people), items.size(), tested);
        for (std::size_t value = 0; value < items.size(); ++value)
            all.add(attribute, is_number(view) ? EstimateRows::none : value, items[value],
                    all.kept(status_with(view, items[value].law)),
                    rule.p_value(std::abs(items[value].value) / items[value].standard_error, people));
        return all;
    };
    return ask_series(subject, EstimateRows{}, found, check_series);
}

}  // namespace

namespace accessors {

/// A row per round of a series, or per round and value.
Found series(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const std::size_t attribute = subject.attribute.value_or(0);
    const IntervalRule rule = IntervalRule::of(query.confidence, query.anytime, query.simultaneous);
    const Target target = target_named(query.target);
    const auto found = [&](const SummaryView& view) {
        const std::size_t rounds = series_of(view).rounds();
        const std::size_t each = is_number(view) ? 1 : view.mechanism->cells()[0];
        const double critical_value = rule.for_rows(rounds * each).critical_value(informative_people(view));
        EstimateRows all = rows_about(subject, critical_value, rounds * each);
        if (is_number(view)) {
            for (const RoundEstimate& mean : means_by_round(view, target))
                all.add(attribute, EstimateRows::none, mean, all.kept(status_with(view, mean.law)));
        } else {
            for (std::size_t round = 1; round <= rounds; ++round) {
                const auto one = static_cast<std::int64_t>(round);
                const std::vector<RoundEstimate> shares = mean_of_rounds(view, {&one, 1}, {}, target);
                const ReportStatus* const about = all.kept(status_with(view, shares[0].law));
                for (std::size_t value = 0; value < shares.size(); ++value)
                    all.add(attribute, value, shares[value], about);
            }
        }
        return by_round(std::move(all), each);
    };
    return results<series_columns>(ask_series(subject, SeriesRows{}, found, check_series));
}

/// The mean of rounds, less that of the baseline rounds.
Found series_mean(const Subject& whole, const SummaryQuery& query) {
    return results<estimate_columns>(rows_of_rounds(whole, query, false));
}

Found series_change(const Subject& whole, const SummaryQuery& query) {
    return results<ranked_columns>(rows_of_rounds(whole, query, true));
}

/// The share of people with low ≤ number ≤ high, by round. One of the bounds may be missing.
Found series_range(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const std::size_t attribute = subject.attribute.value_or(0);
    const double critical_value = ldp::critical_value(query.confidence);
    const Target target = target_named(query.target);
    const Interval bounds = range_of(query);
    const auto found = [&](const SummaryView& view) {
        EstimateRows all = rows_about(subject, critical_value, series_of(view).rounds());
        const Interval ends = capability<NumberSeries>(*view.mechanism).expected_in(1)->ends();
        for_each_distribution(view, [&](RoundDistribution& one, ReportStatus& about) {
            ShareOfRange share{{unknown, unknown}, {}};
            if (one.known()) share = one.share_between(bounds.lower, bounds.upper, target);
            if (about.enough) about.add_note(no_point_note(share, bounds, ends));
            about.law = share.law;
            all.add(attribute, EstimateRows::none, share, all.kept(about));
        });
        return by_round(std::move(all), 1);
    };
    return results<series_columns>(ask_series(subject, SeriesRows{}, found, check_numbers));
}

/// The values below which these shares lie, by round.
Found series_quantiles(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const std::size_t attribute = subject.attribute.value_or(0);
    const Target target = target_named(query.target);
    const auto found = [&](const SummaryView& view) {
        SeriesQuantiles all;
        all.labels = subject.labels;
        all.attribute = attribute;
        all.each = std::max<std::size_t>(1, query.shares.size());
        reserve_rows(all.rows, all.each * series_of(view).rounds());
        for_each_distribution(view, [&](RoundDistribution& one, ReportStatus& about) {
            const ReportStatus* const status = all.statuses.keep(about);
            for (const double share : query.shares) {
                Quantile quantile{unknown, {unknown, unknown}};
                if (one.known()) quantile = one.quantile(share, query.confidence, target);
                all.rows.push_back({share, quantile, status});
            }
        });
        all.count = all.rows.size();
        return all;
    };
    return results<series_quantile_columns>(ask_series(subject, SeriesQuantiles{}, found, check_numbers));
}

}  // namespace accessors

}  // namespace ldp
