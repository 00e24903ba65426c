// Arguments that many functions take, and how a summary is asked.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "boundary.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/summary/learn.hpp"
#include "server_limits.hpp"
#include "summary_labels.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
}

namespace ldp {

/// What aggregates, which have no such argument, and functions take by default.
inline constexpr double usual_confidence = 0.95;

/// What a question is about: a summary, or one attribute of it. No destructor: it may stand beside jumps.
struct Subject {
    Bytes summary;
    SummaryLabels labels;
    std::optional<std::size_t> attribute;
};

// Reading arguments; may jump: not beside C++ objects. ------------------------------------------------------

[[nodiscard]] inline Bytes summary_argument(FunctionCallInfo fcinfo, int number = 0) {
    return contents(PG_GETARG_VARLENA_PP(number));
}

/// A name or label, as the server writes it: for SummaryLabels.
[[nodiscard]] inline std::string_view name_argument(FunctionCallInfo fcinfo, int number) {
    return text_to_cstring(PG_GETARG_TEXT_PP(number));
}

/// A word that core knows, or refuses by quoting it.
[[nodiscard]] inline std::string_view word_argument(FunctionCallInfo fcinfo, int number) {
    return core_text(name_argument(fcinfo, number));
}

/// The first argument, a summary, about all of which a question is.
[[nodiscard]] inline Subject whole_argument(FunctionCallInfo fcinfo) {
    const Bytes summary = summary_argument(fcinfo);
    return {summary, SummaryLabels(fcinfo, summary), std::nullopt};
}

/// The first argument, a summary, and of it the attribute that the last argument names, if it names one.
[[nodiscard]] inline Subject subject_argument(FunctionCallInfo fcinfo) {
    Subject subject = whole_argument(fcinfo);
    const int last = PG_NARGS() - 1;
    if (!PG_ARGISNULL(last)) subject.attribute = subject.labels.attribute_called(name_argument(fcinfo, last));
    return subject;
}

[[nodiscard]] inline Target target_argument(FunctionCallInfo fcinfo, int number) {
    const std::string_view word = word_argument(fcinfo, number);
    if (word == "sample") return Target::sample;
    if (word == "population") return Target::population;
    throw Error(
        ErrorCode::invalid_value, "unknown target \"" + std::string(word) + "\"",
        "Allowed are \"sample\", the error against the people who reported, and \"population\", which "
        "adds the error of having drawn them from a population.");
}

/// An attribute's number; Error (invalid_value) below 0. Above the last one it is for others to refuse.
[[nodiscard]] inline std::size_t attribute_argument(FunctionCallInfo fcinfo, int number) {
    const std::int32_t attribute = PG_GETARG_INT32(number);
    if (attribute < 0)
        throw Error(ErrorCode::invalid_value, "there is no attribute " + std::to_string(attribute),
                    "They are numbered from 0.");
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

/// A number as a function's result; what is not known (NaN) is NULL.
[[nodiscard]] inline Datum number_or_null(FunctionCallInfo fcinfo, double number) {
    if (std::isnan(number)) PG_RETURN_NULL();
    PG_RETURN_FLOAT8(number);
}

// What an aggregate was asked ------------------------------------------------------------------------------
// Beside its reports: the share of a quantile, the limits of a range. It travels in the aggregate's state,
// for a final function that runs elsewhere than the transitions sees no other argument.
//
// The state, of type ldp_query: 4 bytes that tell how long the rest of the head is, a byte for the kind,
// the arguments (numbers of 8 bytes each, or text); then a summary. An ordinary state is the same without a
// head.

enum class AskedKind : std::uint8_t { numbers = 0, text = 1 };

/// What stands before the summary. Throws Error (malformed).
[[nodiscard]] Bytes head_of(Bytes question);

/// What a final function finds in a question.
struct AggregateArguments {
    Subject subject;
    const double* numbers;
    std::size_t count;  ///< of numbers
    std::string_view text;

    [[nodiscard]] std::int32_t integer() const { return static_cast<std::int32_t>(numbers[0]); }
};
/// The first argument as a question of so many numbers, of an integer, of any number of numbers, or of text.
/// May jump; throws Error (malformed) where it is another.
[[nodiscard]] AggregateArguments asked_numbers(FunctionCallInfo fcinfo, std::size_t count);
[[nodiscard]] AggregateArguments asked_integer(FunctionCallInfo fcinfo);
[[nodiscard]] AggregateArguments asked_list(FunctionCallInfo fcinfo);
[[nodiscard]] AggregateArguments asked_text(FunctionCallInfo fcinfo);

// Asking; C++ that does not jump. ---------------------------------------------------------------------------

/// The mechanism of a summary whose every byte was checked, and which is no larger than may be answered from.
[[nodiscard]] inline std::unique_ptr<const Mechanism> checked_mechanism(Bytes summary) {
    check_state_size(summary.size());
    std::unique_ptr<const Mechanism> mechanism = load_mechanism(summary, Kind::summary);
    check_summary(*mechanism, summary);
    return mechanism;
}

/// Throws Error (unsupported) unless the mechanism's summaries answer this, by themselves: what tells ranges
/// tells them of no attribute's values.
inline void check_answer(const Mechanism& mechanism, Quantity quantity) {
    check_no_ranges(mechanism);
    check_tells(mechanism, quantity);
    if (quantity == Quantity::frequencies && find_capability<SeriesRandomizer>(mechanism) != nullptr)
        throw Error(ErrorCode::unsupported, "these reports tell of a series, which has shares in each round",
                    {}, "Ask for them with ldp_series.");
}

/// The attribute that a question to one attribute is about. Throws Error: unsupported if there are several
/// and none is named, invalid_value if there is no such attribute.
[[nodiscard]] inline std::size_t one_attribute(const Mechanism& mechanism, std::optional<std::size_t> named) {
    const bool series = find_capability<SeriesRandomizer>(mechanism) != nullptr;
    const std::size_t attributes = series ? 1 : mechanism.cells().size();
    if (named)
        check_attribute(*named, attributes);
    else if (attributes > 1)
        throw Error(ErrorCode::unsupported, "these reports are about several attributes, and none is named",
                    "There are " + std::to_string(attributes) + ".",
                    std::string("Name one, as in attribute => 'town'") +
                        (find_capability<Record>(mechanism) == nullptr
                             ? "."
                             : ", or take it out first: ldp_part(summary, 'town')."));
    return named.value_or(0);
}

/// `ask(view)` of a summary, or `otherwise` if there are no reports; `check(view)` comes before.
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

/// The same about what was asked for: of a record the one attribute.
template <class Answer, class Ask>
Answer ask_part(const Subject& subject, const Answer& otherwise, Ask ask) {
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(subject.summary);
    SummaryView view = view_of(*mechanism, subject.summary);
    if (subject.attribute) view = single_part(view, *subject.attribute);
    return view.n == 0 ? otherwise : ask(view);
}
/// The same where a record answers for one attribute only.
template <class Answer, class Ask>
Answer ask_one(const Subject& subject, const Answer& otherwise, Ask ask) {
    return ask_part(subject, otherwise, [&](const SummaryView& view) {
        (void)one_attribute(*view.mechanism, std::nullopt);
        return ask(view);
    });
}

}  // namespace ldp
