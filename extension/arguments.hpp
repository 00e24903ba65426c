// Arguments of accessors, and access to the summary.
#pragma once

#include <cmath>
#include <string>

#include "boundary.hpp"
#include "collection/sources.hpp"
#include "core/results/summary_query.hpp"
#include "server_limits.hpp"
#include "states.hpp"
#include "summary_labels.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
}

namespace ldp {

// Reading arguments. These functions may jump, so do not call them beside C++ objects. ----------------------

/// The same bytes of a summary. Throws Error (full) above the size limit.
[[nodiscard]] inline Bytes within_limit(Bytes summary) {
    check_state_size(summary.size());
    return summary;
}

/// A summary. Throws Error (full) above the size limit.
[[nodiscard]] inline Bytes summary_argument(FunctionCallInfo fcinfo, int number = 0) {
    return within_limit(contents(PG_GETARG_VARLENA_PP(number)));
}

/// The summary of the first argument, a state without a head. Not for functions that return sets.
[[nodiscard]] inline Bytes state_argument(FunctionCallInfo fcinfo) {
    return within_limit(summary_of_state(fcinfo, contents(PG_GETARG_VARLENA_PP(0))));
}

/// A name or label in the server's encoding.
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
    return {.summary = summary, .labels = &summary_labels(fcinfo, summary)};
}

/// The first argument, a source, as the subject; nothing if it has no reports that the caller may query.
[[nodiscard]] inline std::optional<Subject> source_argument(FunctionCallInfo fcinfo) {
    const std::optional<Bytes> summary = source_summary(fcinfo, 0);
    if (!summary) return std::nullopt;
    return Subject{.summary = within_limit(*summary), .labels = &summary_labels(fcinfo, *summary)};
}

/// Selects the attributes with this name, in the server's encoding.
inline void select(Subject& subject, std::string_view name) {
    subject.attribute = attribute_called(*subject.labels, name);
    subject.attributes = subject.labels->attributes_called(*subject.attribute, core_text(name));
}

/// The first argument, a summary, with the attribute that the last argument names, if any.
[[nodiscard]] inline Subject subject_argument(FunctionCallInfo fcinfo) {
    Subject subject = whole_argument(fcinfo);
    const int last = PG_NARGS() - 1;
    if (!PG_ARGISNULL(last)) select(subject, name_argument(fcinfo, last));
    return subject;
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

// Arguments of aggregates, which are in the head of a state (states.hpp) -------------------------------------

/// The content of an ldp_agg_state state.
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
};
/// The first argument as an ldp_agg_state with this number of numbers, or with text. Beside numbers, the state may name an
/// attribute, which becomes the subject's. May jump; throws Error (malformed) for a state of another kind.
[[nodiscard]] AggregateArguments numbers_query(FunctionCallInfo fcinfo, std::size_t count);
[[nodiscard]] AggregateArguments text_query(FunctionCallInfo fcinfo);

}  // namespace ldp
