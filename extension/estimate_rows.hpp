// Rows about attributes and their values, used by most accessors. The columns are names and labels, the
// estimate with its error, the number of reports, numeric codes, and a note on missing values.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "arguments.hpp"
#include "core/base/interrupt.hpp"
#include "core/budget/spent.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"
#include "result_rows.hpp"

namespace ldp {

/// The number of reports of a row, and its note. It has no destructor, so it may exist during jumps.
struct ReportStatus {
    std::uint64_t n = 0;
    std::uint64_t people = 0;  ///< lower bound on the number of respondents; 0 if unknown
    bool enough = true;        ///< enough reports to publish estimates
    const char* note = "no reports about it";
    ErrorLaw law = {};         ///< error law of the estimates
    bool pointwise = false;    ///< the estimates have no errors
    std::uint64_t rounds = 0;  ///< the most reports of one respondent; 0 if unknown
    BiasBound bias = {};       ///< by spent budgets, which extends the intervals of shares and means

    /// n, people.
    template <class Row>
    void put_counts(Row& row) const noexcept {
        row.put("n", n);
        if (people != 0 || n == 0) row.put("people", people);
    }
    /// For a row whose estimate may be unknown.
    template <class Row>
    void put_note(Row& row, bool known) const {
        row.put("note", note != nullptr ? note : known ? nullptr : "no reports about it");
    }
};

/// What a summary shows about spent budgets.
[[nodiscard]] inline SpentBudgets spent_budgets(Bytes summary) {
    const std::unique_ptr<const Mechanism> mechanism = load_mechanism(summary, Kind::summary);
    return SpentBudgets(view_of(*mechanism, summary));
}
/// The status of reports of a summary: all, a part of a record, or some of them; allowed beside C++ objects.
/// The spent budgets are those of the whole summary; `possible` are the values of the estimated quantity.
[[nodiscard]] inline ReportStatus report_status(const SpentBudgets& spent, const SummaryView& about,
                                                const ldp::Interval& possible = possible_shares) {
    if (about.n == 0) return {};
    std::string words = note(about);
    ReportStatus status{about.n, fewest_people(about), enough(about)};
    if (spent.possible() && status.enough) {
        words += (words.empty() ? "" : "; ") + spent.note();
        status.bias = spent.bias(about.n, possible);
    }
    status.note = words.empty() ? nullptr : keep(words);
    status.pointwise = about.rounds == ignored_rounds;
    if (about.rounds.recorded() && !status.pointwise) status.rounds = about.rounds.most();
    return status;
}
[[nodiscard]] inline ReportStatus report_status(const SummaryView& whole, const SummaryView& about,
                                                const ldp::Interval& possible = possible_shares) {
    return report_status(SpentBudgets(whole), about, possible);
}
/// The status of all reports.
[[nodiscard]] inline ReportStatus report_status(const SummaryView& whole) {
    return report_status(whole, whole);
}
/// The same for the reports about an attribute, with estimates for this target.
[[nodiscard]] inline ReportStatus report_status(const SummaryView& view, std::size_t attribute,
                                                Target target) {
    SummaryView about = part(view, attribute);
    const std::size_t within = attribute - part_of(*view.mechanism, attribute).first;
    if (const auto* joint = find_capability<JointViews>(*about.mechanism))
        about.n = joint->reports(about, within);
    ReportStatus all = report_status(view, about, possible_values(*about.mechanism, within));
    all.law = error_law(view, attribute, target);
    return all;
}
/// The status of an estimate from a part of the reports.
[[nodiscard]] inline ReportStatus status_of_part(ReportStatus status, std::uint64_t n,
                                                 const ErrorLaw& law) noexcept {
    status.n = n;
    if (status.rounds > 0) status.people = n / status.rounds + (n % status.rounds > 0 ? 1 : 0);
    status.law = law;
    return status;
}

/// Row type ldp_estimate_row.
inline constexpr Column answer_columns[] = {
    {"attribute", TEXTOID},        {"label", TEXTOID},   {"estimate", FLOAT8OID}, {"stderr", FLOAT8OID},
    {"lower", FLOAT8OID},          {"upper", FLOAT8OID}, {"n", INT8OID},          {"people", INT8OID},
    {"attribute_number", INT4OID}, {"value", INT4OID},   {"note", TEXTOID}};

/// Rows of ldp_estimate_row, or of a row type with fewer columns or a p-value.
struct Answers {
    /// Replaces a number if the row has no single attribute or value.
    static constexpr std::uint32_t no_attribute = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

    struct AnswerRow {
        std::uint32_t attribute;
        std::uint64_t value;  ///< its number; the code of a string
        Estimate estimate;
        const ReportStatus* status;
    };

    SummaryLabels labels = {};
    double critical_value = 0;  ///< half the length of an interval, in standard errors
    bool tested = false;        ///< whether there are p-values
    AnswerRow* rows = nullptr;
    double* p_values = nullptr;
    ldp::Interval* intervals = nullptr;  ///< individual intervals of rows; null if no row has one
    std::size_t count = 0, room = 0;

    template <class Row>
    void write(Row& row, std::size_t number) const {
        const auto& [attribute, value, found, status] = rows[number];
        const bool errors = status->enough && !status->pointwise;
        const Estimate estimate{status->enough ? found.value : unknown,
                                errors ? found.standard_error : unknown};
        put_names(row, attribute, value);
        row.put("estimate", estimate.value);
        row.put("stderr", estimate.standard_error);
        const bool own = intervals != nullptr && errors && !std::isnan(intervals[number].lower);
        const ldp::Interval range = extended(own                 ? intervals[number]
                                             : status->pointwise ? ldp::Interval{unknown, unknown}
                                                                 : interval_of(estimate, status->law),
                                             status->bias, critical_value);
        row.put("lower", range.lower);
        row.put("upper", range.upper);
        if constexpr (Row::has("n")) status->put_counts(row);
        if constexpr (Row::has("p_value")) row.put("p_value", errors ? p_values[number] : unknown);
        status->put_note(row, !std::isnan(estimate.value));
    }

    /// Attribute and value of a row, by name and by number.
    template <class Row>
    void put_names(Row& row, std::uint32_t attribute, std::uint64_t value) const {
        if (attribute != no_attribute) {
            row.put("attribute", TypedDatum<TEXTOID>{labels.name(attribute)});
            row.put("attribute_number", static_cast<std::int32_t>(attribute));
        }
        if (value != none) {
            row.put("label", TypedDatum<TEXTOID>{labels.label(attribute, value)});
            if (value <= std::numeric_limits<std::int32_t>::max() && !labels->of_strings(attribute))
                row.put("value", static_cast<std::int32_t>(value));
        }
    }

    /// With few reports many values have equal estimates, and an interval takes microseconds.
    [[nodiscard]] ldp::Interval interval_of(const Estimate& estimate, const ErrorLaw& law) const {
        if (law.n == 0 || std::isnan(estimate.value)) return interval(estimate, critical_value, law);
        std::uint64_t key;
        static_assert(sizeof(key) == sizeof(estimate.value));
        std::memcpy(&key, &estimate.value, sizeof(key));
        CachedInterval& known = recent[key * 0x9E3779B97F4A7C15 >> 58];
        if (known.law != &law || known.value != estimate.value)
            known = {&law, estimate.value, interval(estimate, critical_value, law)};
        return known.interval;
    }

    struct CachedInterval {
        const ErrorLaw* law;
        double value;
        ldp::Interval interval;
    };
    mutable CachedInterval recent[64] = {};

    // Allowed beside C++ objects. There may be millions of rows, so each is written once, in place.

    void reserve(std::size_t wanted) {
        room = wanted;
        rows = static_cast<AnswerRow*>(try_palloc(room * sizeof(AnswerRow)));
        if (tested) p_values = static_cast<double*>(try_palloc(room * sizeof(double)));
    }
    void add(std::size_t attribute, std::uint64_t value, const Estimate& estimate, const ReportStatus* status,
             double p_value = unknown) noexcept {
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): reserve() came before.
        rows[count] = {static_cast<std::uint32_t>(attribute), value, estimate, status};
        if (tested) p_values[count] = p_value;
        ++count;
    }
    /// The same with an individual interval.
    void add(std::size_t attribute, std::uint64_t value, const Estimate& estimate, const ReportStatus* status,
             const ldp::Interval& interval, double p_value = unknown) {
        if (intervals == nullptr) {
            intervals = static_cast<ldp::Interval*>(try_palloc(room * sizeof(ldp::Interval)));
            for_each_index(room, [&](std::size_t row) { intervals[row] = {unknown, unknown}; });
        }
        intervals[count] = interval;
        add(attribute, value, estimate, status, p_value);
    }
};

/// Keeps the data shared by several rows; allowed beside C++ objects.
[[nodiscard]] inline const ReportStatus* kept(const ReportStatus& status) {
    return new (try_palloc(sizeof(ReportStatus))) ReportStatus(status);
}

}  // namespace ldp
