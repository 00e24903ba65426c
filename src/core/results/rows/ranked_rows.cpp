// Rows of the most frequent values, of selected candidates, and of changes, with p-values.

#include <algorithm>
#include <utility>

#include "core/base/interrupt.hpp"
#include "core/groups/change.hpp"
#include "core/groups/group_estimates.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/results/row_functions.hpp"
#include "core/results/rows/value_rows.hpp"
#include "core/summary/queries/candidates.hpp"
#include "core/summary/queries/top.hpp"
#include "core/tables/share_intervals.hpp"

namespace ldp {

namespace {

std::size_t limit_of(std::int32_t limit) {
    if (limit < 0)
        throw Error(ErrorCode::invalid_value, "limit must not be negative",
                    "Found " + std::to_string(limit) + ".");
    return static_cast<std::size_t>(limit);
}

/// Rows in order of size. If there are too few reports for an order, a single row without a value.
EstimateRows ranked(const Subject& subject, const SummaryView& view, const std::vector<Ranked>& ranking,
                    std::size_t attribute, double critical_value, Target target, ReportStatus reports) {
    EstimateRows all = rows_about(subject, critical_value, ranking.size() + 1, true);
    const ReportStatus* const status = all.kept(std::move(reports));
    const ValueStatus about(view, attribute, target, status);
    if (!status->enough)
        all.add(attribute, EstimateRows::none, {unknown, unknown}, status);
    else if (const auto ranges = own_intervals(view, attribute, target, critical_value); !ranges.empty())
        for_each_index(ranking.size(), [&](std::size_t i) {
            const auto& [value, estimate, p_value] = ranking[i];
            all.add(attribute, value, estimate, about.of(value, all), ranges[value], p_value);
        });
    else
        for_each_index(ranking.size(), [&](std::size_t i) {
            const auto& [value, estimate, p_value] = ranking[i];
            all.add(attribute, value, estimate, about.of(value, all), p_value);
        });
    return all;
}

/// The status of a difference, with the numbers of the summary with fewer reports. Spent budgets bias both
/// estimates.
ReportStatus status_of_both(const SummaryView& before, const SummaryView& after, std::uint32_t attribute) {
    const SummaryView old_part = part(before, attribute), new_part = part(after, attribute);
    const Interval possible =
        possible_values(*old_part.mechanism, attribute - part_of(*before.mechanism, attribute).first);
    const ReportStatus first = report_status(SpentBudgets(before, attribute), old_part, possible),
                       second = report_status(SpentBudgets(after, attribute), new_part, possible);
    ReportStatus both = !second.enough || (first.enough && !first.note) ? second : first;
    const ReportStatus& smaller = first.n < second.n ? first : second;
    both.n = smaller.n;
    both.people = smaller.people;
    both.bias = bias_of_difference(first.bias, second.bias);
    return both;
}

/// The number of changes of the selected attributes that have enough reports in both summaries.
std::size_t changed_rows(const Subject& subject, const SummaryView& before, const SummaryView& after) {
    const Mechanism& mechanism = *before.mechanism;
    std::size_t count = 0;
    for (std::size_t j = 0; j < mechanism.cells().size(); ++j) {
        if (!subject.has(j) || is_left_out(mechanism, j)) continue;
        const auto counts = [j](const SummaryView& one) {
            const SummaryView about = part(one, j);
            return about.n > 0 && enough(about);
        };
        if (counts(before) && counts(after))
            count += is_compared_number(mechanism, j) ? 1 : compared_values(mechanism, j);
    }
    return count;
}

}  // namespace

namespace accessors {

Found top(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const std::size_t limit = limit_of(query.limit);
    const double critical_value = ldp::critical_value(query.confidence);
    const Target target = target_named(query.target);
    const Control control = control_named(query.control);
    return results<ranked_columns>(
        of_one_category(subject, [&](const SummaryView& view, std::size_t attribute) {
            return ranked(subject, view, ldp::top(view, limit, target, control, attribute), attribute,
                          critical_value, target, report_status(view, attribute, target));
        }));
}

Found candidates(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const CandidateMethod method = candidate_method_named(query.selection);
    const Control control = control_named(query.control);
    const double critical_value = ldp::critical_value(query.confidence);
    return results<ranked_columns>(ask_one(subject, EstimateRows{}, [&](const SummaryView& view) {
        check_answer(*view.mechanism, Quantity::frequencies);
        ReportStatus about = report_status(spent_budgets(subject.summary, subject.attribute), view);
        about.law = law_of_share();
        return ranked(subject, view, ldp::candidates(view, method, control), subject.attribute.value_or(0),
                      critical_value, Target::sample, std::move(about));
    }));
}

/// Differences; empty if one of the summaries has no reports.
Found change(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const IntervalRule rule = IntervalRule::of(query.confidence, query.anytime, query.simultaneous);
    const Target target = target_named(query.target);
    // Bytes that are not a summary raise that error, not the error of a different spec.
    const std::shared_ptr<const Mechanism> other = checked_mechanism(query.other);
    const SummaryView later = view_of(*other, query.other);
    const auto found = [&](const SummaryView& before) {
        if (later.n == 0) return EstimateRows{};
        const std::vector<Change> changes = ldp::change(
            before, later, query.memoized,
            rule.simultaneous() ? rule.for_rows(changed_rows(subject, before, later)) : rule, target);
        EstimateRows all = rows_about(subject, 0, changes.size(), true);
        all.statistic = Statistic::change;
        const ReportStatus* last = nullptr;
        std::uint32_t last_attribute = EstimateRows::no_attribute;
        const auto about = [&](std::uint32_t attribute) {  // the rows of an attribute are adjacent
            if (attribute != std::exchange(last_attribute, attribute))
                last = all.kept(status_of_both(before, later, attribute));
            return last;
        };
        Work work;
        for (const auto& [attribute, value, difference, interval, p_value, critical_value] : changes) {
            work.done();
            if (!subject.has(attribute)) continue;
            const ReportStatus* const status = about(attribute);
            all.add(attribute, value ? *value : EstimateRows::none, difference, status, interval,
                    extended_p_value(p_value, difference.value, interval, status->bias, critical_value));
            all.critical_value = std::max(all.critical_value, critical_value);
        }
        return all;
    };
    return results<ranked_columns>(ask(subject.summary, EstimateRows{}, found, [&](const SummaryView& view) {
        if (!subject.attribute) return;
        check_no_series(*view.mechanism, *subject.attribute);
        const Mechanism& one = *part_of(*view.mechanism, *subject.attribute).mechanism;
        if (one.can_estimate(Quantity::strings)) check_can_estimate(one, Quantity::frequencies);
    }));
}

}  // namespace accessors

}  // namespace ldp
