// Arguments of accessors, and access to the summary.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "boundary.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/summary/learn.hpp"
#include "core/summary/pooling.hpp"
#include "server_limits.hpp"
#include "summary_labels.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
}

namespace ldp {

/// Defaults of functions, and the values that aggregates without these arguments use.
inline constexpr double usual_confidence = 0.95;

/// The subject of a query: a summary, or one attribute of it. It has no destructor, so it may exist
/// during jumps.
struct Subject {
    Bytes summary;
    SummaryLabels labels;
    std::optional<std::size_t> attribute;
    std::size_t attributes = 1;  ///< number of attributes from `attribute` on: several if a vector is named
    /// Whether estimates without errors are enough, as in one-step aggregates, which do not count rounds.
    bool pointwise = false;

    /// Selects the attributes with this name: an attribute, or all elements of a vector. Throws Error
    /// (invalid_value) if the name is unknown.
    void select(std::string_view name) {
        attribute = labels.attribute_called(name);
        attributes = labels->attributes_called(*attribute, core_text(name));
    }
    /// Whether the subject includes an attribute.
    [[nodiscard]] bool has(std::size_t number) const noexcept {
        return !attribute || (number >= *attribute && number - *attribute < attributes);
    }
};

// Reading arguments. These functions may jump, so do not call them beside C++ objects. ----------------------

[[nodiscard]] inline Bytes summary_argument(FunctionCallInfo fcinfo, int number = 0) {
    return contents(PG_GETARG_VARLENA_PP(number));
}

/// A name or label in the server's encoding, for SummaryLabels.
[[nodiscard]] inline std::string_view name_argument(FunctionCallInfo fcinfo, int number) {
    return text_to_cstring(PG_GETARG_TEXT_PP(number));
}

/// A keyword that core accepts, or rejects with a quotation.
[[nodiscard]] inline std::string_view word_argument(FunctionCallInfo fcinfo, int number) {
    return core_text(name_argument(fcinfo, number));
}

/// The first argument, a summary, as the subject.
[[nodiscard]] inline Subject whole_argument(FunctionCallInfo fcinfo) {
    const Bytes summary = summary_argument(fcinfo);
    return {summary, SummaryLabels(fcinfo, summary), std::nullopt};
}

/// The same for a result for which estimates without errors are enough.
[[nodiscard]] inline Subject points_argument(FunctionCallInfo fcinfo) {
    Subject subject = whole_argument(fcinfo);
    subject.pointwise = true;
    return subject;
}

/// The first argument, a summary, with the attribute that the last argument names, if any.
[[nodiscard]] inline Subject subject_argument(FunctionCallInfo fcinfo) {
    Subject subject = whole_argument(fcinfo);
    const int last = PG_NARGS() - 1;
    if (!PG_ARGISNULL(last)) subject.select(name_argument(fcinfo, last));
    return subject;
}

[[nodiscard]] inline Target target_argument(FunctionCallInfo fcinfo, int number) {
    const std::string_view word = word_argument(fcinfo, number);
    if (word == "sample") return Target::sample;
    if (word == "population") return Target::population;
    throw Error(ErrorCode::invalid_value, "unknown target \"" + std::string(word) + "\"",
                "Valid values are \"sample\" (error for the respondents) and \"population\" (with the "
                "sampling error).");
}

/// An attribute's number. Throws Error (invalid_value) below 0; callers check the upper bound.
[[nodiscard]] inline std::size_t attribute_argument(FunctionCallInfo fcinfo, int number) {
    const std::int32_t attribute = PG_GETARG_INT32(number);
    if (attribute < 0)
        throw Error(ErrorCode::invalid_value, "there is no attribute " + std::to_string(attribute),
                    "Attributes are numbered from 0.");
    return static_cast<std::size_t>(attribute);
}

struct Numbers {
    const double* numbers;
    std::size_t count;
};
/// An array argument of numbers, without its NULLs.
[[nodiscard]] inline Numbers numbers_argument(FunctionCallInfo fcinfo, int number) {
    Datum* values;
    bool* missing;
    int count;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(number), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
                      TYPALIGN_DOUBLE, &values, &missing, &count);
    auto* numbers = static_cast<double*>(palloc(sizeof(double) * (static_cast<std::size_t>(count) + 1)));
    std::size_t known = 0;
    for (int i = 0; i < count; ++i)
        if (!missing[i]) numbers[known++] = DatumGetFloat8(values[i]);
    return {numbers, known};
}

/// A number as a result of a function; unknown (NaN) is NULL.
[[nodiscard]] inline Datum number_or_null(FunctionCallInfo fcinfo, double number) {
    if (std::isnan(number)) PG_RETURN_NULL();
    PG_RETURN_FLOAT8(number);
}

// Arguments of aggregates -----------------------------------------------------------------------------------
// Arguments besides the reports, such as the share of a quantile or the limits of a range. The state
// contains them, because a final function on another worker or server receives only the state.
//
// The state has the type ldp_query: 4 bytes with the length of the rest of the head, one byte for the
// kind, the arguments, and a summary. The arguments are numbers of 8 bytes each, text, or both: the count of
// numbers (4 bytes), the numbers, and the name of an attribute. An ordinary state is the same without a head.

enum class ArgumentKind : std::uint8_t { numbers = 0, text = 1, numbers_of_attribute = 2 };

/// The size of the head before the summary. Throws Error (malformed).
[[nodiscard]] Bytes head_of(Bytes state);

/// The content of an ldp_query state.
struct AggregateArguments {
    Subject subject;
    const double* numbers;
    std::size_t count;  ///< number of numbers
    std::string_view text;

    /// The subject of a result for which estimates without errors are enough.
    [[nodiscard]] Subject points() const {
        Subject same = subject;
        same.pointwise = true;
        return same;
    }
    [[nodiscard]] std::int32_t integer() const { return static_cast<std::int32_t>(numbers[0]); }
};
/// The first argument as an ldp_query with this number of numbers, with an integer, with any number of
/// numbers, or with text. Beside numbers, the state may name an attribute, which becomes the subject's. May
/// jump; throws Error (malformed) for a state of another kind.
[[nodiscard]] AggregateArguments numbers_query(FunctionCallInfo fcinfo, std::size_t count);
[[nodiscard]] AggregateArguments integer_query(FunctionCallInfo fcinfo);
[[nodiscard]] AggregateArguments list_query(FunctionCallInfo fcinfo);
[[nodiscard]] AggregateArguments text_query(FunctionCallInfo fcinfo);

// Access to summaries; C++ that does not jump. --------------------------------------------------------------

/// The mechanism of a summary after a check of all its bytes and of its size limit.
[[nodiscard]] inline std::unique_ptr<const Mechanism> checked_mechanism(Bytes summary) {
    check_state_size(summary.size());
    std::unique_ptr<const Mechanism> mechanism = load_mechanism(summary, Kind::summary);
    check_summary(*mechanism, summary);
    return mechanism;
}

/// Throws Error (unsupported) unless the mechanism's summaries estimate this directly: a mechanism for
/// ranges does not estimate the shares of values.
inline void check_answer(const Mechanism& mechanism, Quantity quantity) {
    check_no_ranges(mechanism);
    check_can_estimate(mechanism, quantity);
    if (find_capability<SeriesRandomizer>(mechanism) != nullptr)
        throw Error(ErrorCode::unsupported,
                    quantity == Quantity::means
                        ? "these reports are about a series, which has a mean in each round"
                        : "these reports are about a series, which has shares in each round",
                    {}, "Use ldp_series.");
}

/// The attribute of a query on one attribute. Throws Error: unsupported if there are several and none is
/// named, invalid_value if the attribute does not exist.
[[nodiscard]] inline std::size_t one_attribute(const Mechanism& mechanism, std::optional<std::size_t> named) {
    const bool series = find_capability<SeriesRandomizer>(mechanism) != nullptr;
    const std::size_t attributes = series ? 1 : mechanism.cells().size();
    if (named)
        check_attribute(*named, attributes);
    else if (attributes > 1)
        throw Error(ErrorCode::unsupported, "these reports are about several attributes, and none is named",
                    "The summary has " + std::to_string(attributes) + " attributes.",
                    std::string("Specify one, as in attribute => 'town'") +
                        (find_capability<Record>(mechanism) == nullptr
                             ? "."
                             : ", or take it out first: ldp_part(summary, 'town')."));
    return named.value_or(0);
}

/// `ask(view)` of a summary, or `otherwise` without reports; `check(view)` runs first.
template <class Answer, class Ask, class Check>
Answer ask(Bytes summary, const Answer& otherwise, Ask ask, Check check) {
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    const SummaryView view = view_of(*mechanism, summary);
    check(view);
    return view.n == 0 ? otherwise : ask(view);
}
template <class Answer, class Ask>
Answer ask(Bytes summary, const Answer& otherwise, Ask ask) {
    return ldp::ask(summary, otherwise, ask, [](const SummaryView&) {});
}

/// The same for a subject.
template <class Answer, class Ask, class Check>
Answer ask(const Subject& subject, const Answer& otherwise, Ask ask, Check check) {
    return ldp::ask(
        subject.summary, otherwise,
        [&](const SummaryView& view) { return ask(subject.pointwise ? for_point_estimates(view) : view); },
        check);
}
/// The same for a result that has no error: rounds need not be known.
template <class Answer, class Ask, class Check>
Answer ask_point(Bytes summary, const Answer& otherwise, Ask query, Check check) {
    return ask(Subject{.summary = summary, .labels = {}, .attribute = {}, .pointwise = true}, otherwise,
               query, check);
}

/// The same for the selected attribute of a record.
template <class Answer, class Ask>
Answer ask_part(const Subject& subject, const Answer& otherwise, Ask ask) {
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(subject.summary);
    SummaryView view = view_of(*mechanism, subject.summary);
    if (subject.pointwise) view = for_point_estimates(view);
    if (!subject.attribute) return view.n == 0 ? otherwise : ask(view);
    view = single_part(view, *subject.attribute);
    try {
        return view.n == 0 ? otherwise : ask(view);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::unsupported || view.mechanism == mechanism.get()) throw;
        throw Error(
            error.code(), error.what(), error.detail(),
            "The spec determines the queries of an attribute: \"want\": \"distribution\" allows ranges "
            "and quantiles, \"together\" joint tables, and \"vector\" means of ranges of elements.");
    }
}
/// The same for mechanisms that estimate only one attribute of a record.
template <class Answer, class Ask>
Answer ask_one(const Subject& subject, const Answer& otherwise, Ask ask) {
    return ask_part(subject, otherwise, [&](const SummaryView& view) {
        if (!subject.attribute) (void)one_attribute(*view.mechanism, std::nullopt);
        return ask(view);
    });
}

}  // namespace ldp
