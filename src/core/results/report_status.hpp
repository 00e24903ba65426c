// The reports behind a row: their number, the rule for small groups, and notes. All rows of results follow this rule:
// if the number of people or reports is below `min_group` of the spec, estimates and intervals are NULL.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "core/mechanism/role/error_law.hpp"
#include "core/mechanism/role/summary_view.hpp"
#include "core/summary/spent.hpp"

namespace ldp {

inline constexpr const char* no_reports_note = "no reports about it";

/// The reports behind a row, and its note.
struct ReportStatus {
    std::uint64_t n = 0;
    std::uint64_t people = 0;  ///< lower bound on the number of respondents; 0 if unknown
    bool enough = true;        ///< enough reports to publish estimates
    std::optional<std::string> note = no_reports_note;
    ErrorLaw law = {};         ///< error law of the estimates
    bool pointwise = false;    ///< the estimates have no errors
    std::uint64_t rounds = 0;  ///< the most reports of one respondent; 0 if unknown
    BiasBound bias = {};       ///< by spent budgets, which extends the intervals of shares and means

    /// The estimate and its error, if it has one; both are unknown if they may not be published.
    [[nodiscard]] double shown(double estimate) const noexcept { return enough ? estimate : unknown; }
    [[nodiscard]] Estimate shown(const Estimate& estimate) const noexcept {
        const bool errors = enough && !pointwise;
        return {shown(estimate.value), errors ? estimate.standard_error : unknown};
    }
    /// An interval if it may be published.
    [[nodiscard]] Interval shown(const Interval& interval) const noexcept {
        return enough && !pointwise ? interval : Interval{unknown, unknown};
    }
    /// Adds a sentence to the note.
    void add_note(const std::string& sentence) {
        if (!sentence.empty()) note = note ? *note + "; " + sentence : sentence;
    }

    /// n, people.
    template <class Row>
    void put_counts(Row& row) const noexcept {
        row.put("n", n);
        if (people != 0 || n == 0) row.put("people", people);
    }
    /// For a row whose estimate may be unknown.
    template <class Row>
    void put_note(Row& row, bool known) const {
        if (note)
            row.put("note", *note);
        else if (!known)
            row.put("note", no_reports_note);
    }
};

/// Statuses at addresses that do not change, which rows share.
class KeptStatuses {
  public:
    KeptStatuses() = default;
    KeptStatuses(KeptStatuses&&) = default;
    KeptStatuses& operator=(KeptStatuses&&) = default;
    KeptStatuses(const KeptStatuses&) = delete;
    KeptStatuses& operator=(const KeptStatuses&) = delete;
    ~KeptStatuses() = default;

    const ReportStatus* keep(ReportStatus status) { return &all_.emplace_back(std::move(status)); }

  private:
    std::deque<ReportStatus> all_;
};

/// Returns what a summary shows about spent budgets, of all people or of those who reported the part with an attribute.
[[nodiscard]] SpentBudgets spent_budgets(Bytes summary, std::optional<std::size_t> attribute = {});
/// Returns the status of reports of a summary: all, a part of a record, or some of them. Spent budgets refer
/// to the whole summary; `possible` are the values of the estimated quantity.
[[nodiscard]] ReportStatus report_status(const SpentBudgets& spent, const SummaryView& about,
                                         const Interval& possible = possible_shares);
/// Returns the status of all reports.
[[nodiscard]] ReportStatus report_status(const SummaryView& whole);
/// Returns the status of the reports about an attribute, with the law of its estimates for this target.
[[nodiscard]] ReportStatus report_status(const SummaryView& view, std::size_t attribute, Target target);
/// Returns the status of an estimate from a part of the reports.
[[nodiscard]] ReportStatus status_of_part(ReportStatus status, std::uint64_t n, const ErrorLaw& law);
/// Same as report_status(), for estimates that may refer to smoothed values.
[[nodiscard]] ReportStatus smoothed_status(const SpentBudgets& spent, const SummaryView& about);
/// Adds a note to results about the people who answer, and extends the bias, if people may leave the attribute out.
void note_answers(ReportStatus& status, const SummaryView& about);

}  // namespace ldp
