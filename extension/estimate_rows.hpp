// Rows about attributes and their values, which most questions are answered in: what it is about, by name;
// the estimate; of how many reports it is; the numbers behind the names; and why something is missing.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "arguments.hpp"
#include "core/base/interrupt.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/pooling.hpp"
#include "result_rows.hpp"

namespace ldp {

/// Of how many reports a row is, and what its reader has to know. No destructor: it may stand beside jumps.
struct ReportStatus {
    std::uint64_t n = 0;
    std::uint64_t people = 0;  ///< the fewest whose reports these can be; 0 if it is not known
    bool enough = true;        ///< to show estimates of
    const char* note = "no reports";
    ErrorLaw law = {};  ///< of the estimates

    /// n, people.
    template <class Row>
    void put_counts(Row& row) const noexcept {
        row.put("n", n);
        if (people != 0 || n == 0) row.put("people", people);
    }
    /// Of a row with an estimate that may be unknown.
    template <class Row>
    void put_note(Row& row, bool known) const {
        row.put("note", note != nullptr ? note : known ? nullptr : "no report tells of it");
    }
};

/// What there is to say of reports; allowed beside C++ objects.
[[nodiscard]] inline ReportStatus told(const SummaryView& view) {
    if (view.n == 0) return {};
    const std::string words = note(view);
    return {view.n, fewest_people(view), enough(view), words.empty() ? nullptr : keep(words)};
}
/// The same of the reports about an attribute, for estimates against this target.
[[nodiscard]] inline ReportStatus told(const SummaryView& view, std::size_t attribute, Target target) {
    SummaryView about = part(view, attribute);
    if (const auto* joint = find_capability<JointViews>(*view.mechanism))
        about.n = joint->reports(view, attribute);
    ReportStatus all = told(about);
    all.law = error_law(view, attribute, target);
    return all;
}

/// Row type ldp_answer.
inline constexpr Column answer_columns[] = {
    {"attribute", TEXTOID},        {"label", TEXTOID},   {"estimate", FLOAT8OID}, {"stderr", FLOAT8OID},
    {"lower", FLOAT8OID},          {"upper", FLOAT8OID}, {"n", INT8OID},          {"people", INT8OID},
    {"attribute_number", INT4OID}, {"value", INT4OID},   {"note", TEXTOID}};

/// Rows of ldp_answer, or of a row type with fewer columns or a p-value.
struct Answers {
    /// Instead of a number, where the row is about no single attribute or value.
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    struct AnswerRow {
        std::uint32_t attribute, value;
        Estimate estimate;
        const ReportStatus* told;
    };

    SummaryLabels labels = {};
    double critical_value = 0;  ///< of an interval, in standard errors
    bool tested = false;        ///< whether there are p-values
    AnswerRow* rows = nullptr;
    double* p_values = nullptr;
    ldp::Interval* intervals = nullptr;  ///< of the rows that have one of their own; null if none has
    std::size_t count = 0, room = 0;

    template <class Row>
    void write(Row& row, std::size_t number) const {
        const auto& [attribute, value, found, told] = rows[number];
        const Estimate estimate = told->enough ? found : Estimate{unknown, unknown};
        put_names(row, attribute, value);
        row.put("estimate", estimate.value);
        row.put("stderr", estimate.standard_error);
        const bool own = intervals != nullptr && told->enough && !std::isnan(intervals[number].lower);
        const ldp::Interval range = own ? intervals[number] : interval_of(estimate, told->law);
        row.put("lower", range.lower);
        row.put("upper", range.upper);
        if constexpr (Row::has("n")) told->put_counts(row);
        if constexpr (Row::has("p_value")) row.put("p_value", told->enough ? p_values[number] : unknown);
        told->put_note(row, !std::isnan(estimate.value));
    }

    /// What a row is about, by name and by number.
    template <class Row>
    void put_names(Row& row, std::uint32_t attribute, std::uint32_t value) const {
        if (attribute != none) {
            row.put("attribute", TypedDatum<TEXTOID>{labels.name(attribute)});
            row.put("attribute_number", static_cast<std::int32_t>(attribute));
        }
        if (value != none) {
            row.put("label", TypedDatum<TEXTOID>{labels.label(attribute, value)});
            row.put("value", static_cast<std::int32_t>(value));
        }
    }

    /// Of few reports many values have the same estimate, and an interval takes microseconds.
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

    // Allowed beside C++ objects: rows may be millions, so they are written once, where they stay.

    void reserve(std::size_t wanted) {
        room = wanted;
        rows = static_cast<AnswerRow*>(try_palloc(room * sizeof(AnswerRow)));
        if (tested) p_values = static_cast<double*>(try_palloc(room * sizeof(double)));
    }
    void add(std::size_t attribute, std::size_t value, const Estimate& estimate, const ReportStatus* told,
             double p_value = unknown) noexcept {
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): reserve() came before.
        rows[count] = {static_cast<std::uint32_t>(attribute), static_cast<std::uint32_t>(value), estimate,
                       told};
        if (tested) p_values[count] = p_value;
        ++count;
    }
    /// The same with an interval of its own.
    void add(std::size_t attribute, std::size_t value, const Estimate& estimate, const ReportStatus* told,
             const ldp::Interval& interval, double p_value = unknown) {
        if (intervals == nullptr) {
            intervals = static_cast<ldp::Interval*>(try_palloc(room * sizeof(ldp::Interval)));
            for_each_index(room, [&](std::size_t row) { intervals[row] = {unknown, unknown}; });
        }
        intervals[count] = interval;
        add(attribute, value, estimate, told, p_value);
    }
};

/// Keeps what several rows share; allowed beside C++ objects.
[[nodiscard]] inline const ReportStatus* kept(const ReportStatus& told) {
    return new (try_palloc(sizeof(ReportStatus))) ReportStatus(told);
}

}  // namespace ldp
