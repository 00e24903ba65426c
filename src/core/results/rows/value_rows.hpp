// Helpers of the rows of means and shares, and results that are single numbers or arrays of numbers.
#pragma once

#include <optional>
#include <vector>

#include "core/groups/interval_rule.hpp"
#include "core/results/estimate_rows.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/tables/marginal.hpp"

namespace ldp {

/// Whether the primary estimate of an attribute is its mean, rather than the shares of its values.
[[nodiscard]] bool has_mean(const SummaryView& view, std::size_t attribute);

/// As one_attribute(), for an attribute whose values have shares.
[[nodiscard]] std::size_t one_category(const SummaryView& view, std::optional<std::size_t> named);

/// The query's subject: the summary, with the attribute that the query names.
[[nodiscard]] Subject selected(Subject whole, std::optional<std::string_view> attribute);

/// The note of the share of a range that has no point of the grid, to which numbers are rounded: its estimate is 0. Empty for
/// other ranges, and for ranges outside the declared one.
[[nodiscard]] std::string no_point_note(const Estimate& share, const Interval& range, const Interval& ends);

/// Empty rows about the subject, with space for this number of rows; without allocation if it is 0.
[[nodiscard]] EstimateRows rows_about(const Subject& subject, double critical_value, std::size_t room,
                                      bool tested = false);

/// Returns the rows that `find` returns for each group and a critical value. If their intervals are to hold together, each row
/// with an estimate has the error divided by the number of these rows.
template <class Find>
std::vector<EstimateRows> rows_together(const SummaryQuery& query, std::size_t groups, Find find) {
    const IntervalRule rule = IntervalRule::of(query.confidence, false, query.simultaneous);
    std::vector<EstimateRows> all;
    for (std::size_t group = 0; group < groups; ++group) {
        check_interrupt();
        all.push_back(find(group, rule.critical_value(0)));
    }
    if (!rule.simultaneous()) return all;
    std::size_t known = 0;
    Work work;
    for (const EstimateRows& of_group : all)
        for (const EstimateRows::EstimateRow& row : of_group.rows) {
            work.done();
            known += row.status->enough && !std::isnan(row.estimate.value) ? 1 : 0;
        }
    const double critical_value = rule.for_rows(known).critical_value(0);
    for (std::size_t group = 0; group < groups; ++group) {
        check_interrupt();
        if (!all[group].intervals.empty())
            all[group] = find(group, critical_value);
        else
            all[group].critical_value = critical_value;
    }
    return all;
}

/// The status of the rows of an attribute's values. If tables were combined, each share has its own
/// estimate and error law from one evaluation.
class ValueStatus {
  public:
    ValueStatus(const SummaryView& view, std::size_t attribute, Target target, const ReportStatus* about);
    /// Whether each value has its own error law.
    [[nodiscard]] bool measured() const noexcept { return tables_.has_value(); }
    [[nodiscard]] std::size_t values() const noexcept { return cells_->count(); }
    [[nodiscard]] MeasuredShare share(std::size_t value) const {
        return tables_->measured(cells_->box(value));
    }

    [[nodiscard]] const ReportStatus* with(const ErrorLaw& law, EstimateRows& rows) const {
        ReportStatus one = *about_;
        one.law = law;
        return rows.kept(std::move(one));
    }
    [[nodiscard]] const ReportStatus* of(std::size_t value, EstimateRows& rows) const {
        return measured() ? with(share(value).law, rows) : about_;
    }

  private:
    const ReportStatus* about_;
    std::optional<Marginal> tables_;
    std::optional<Cells> cells_;
};

/// Calls `find(view, attribute, status)` for the values of one attribute, with the status of its reports. `find` returns
/// the rows, which keep the status.
template <class Find>
EstimateRows of_one_category(const Subject& subject, Find find) {
    return ask(
        subject, EstimateRows{},
        [&](const SummaryView& view) { return find(view, one_category(view, subject.attribute)); },
        [&](const SummaryView& view) { (void)one_category(view, subject.attribute); });
}

// Results without rows. As in rows, they are unknown, or empty, if there are too few reports to publish them.

/// Returns the mean of an attribute of a mechanism that estimates means. Throws Error (invalid_value) if it does not exist.
[[nodiscard]] double published_mean(const SummaryView& view, std::int64_t attribute);
/// Returns the share of a value, or of a string's code.
[[nodiscard]] double published_share(const SummaryView& view, std::int64_t value,
                                     std::optional<std::size_t> attribute);
/// Returns the quantile of a share.
[[nodiscard]] double published_quantile(const SummaryView& view, double share);
/// Returns all estimates of a quantity.
[[nodiscard]] std::vector<Estimate> published_estimates(const SummaryView& view, Quantity quantity);

}  // namespace ldp
