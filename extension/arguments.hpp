// Arguments that many functions take.
#pragma once

#include <memory>
#include <string>

#include "boundary.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
}

namespace ldp {

/// The mechanism of a summary whose every byte was checked.
[[nodiscard]] inline std::unique_ptr<const Mechanism> checked_mechanism(Bytes summary) {
    std::unique_ptr<const Mechanism> mechanism = load_mechanism(summary, Kind::summary);
    check_summary(*mechanism, summary);
    return mechanism;
}

// May jump: not beside C++ objects. -------------------------------------------------------------------------

[[nodiscard]] inline Bytes summary_argument(FunctionCallInfo fcinfo, int number = 0) {
    return contents(PG_GETARG_VARLENA_PP(number));
}

[[nodiscard]] inline std::string_view word_argument(FunctionCallInfo fcinfo, int number) {
    return text_to_cstring(PG_GETARG_TEXT_PP(number));
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

/// An array argument's elements; `missing` tells which are NULL.
struct Elements {
    const Datum* values;
    const bool* missing;
    std::size_t count;
};

[[nodiscard]] inline Elements text_array_argument(FunctionCallInfo fcinfo, int number) {
    Datum* values;
    bool* missing;
    int count;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(number), TEXTOID, -1, false, TYPALIGN_INT, &values, &missing,
                      &count);
    return {values, missing, static_cast<std::size_t>(count)};
}

[[nodiscard]] inline Elements number_array_argument(FunctionCallInfo fcinfo, int number) {
    Datum* values;
    bool* missing;
    int count;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(number), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
                      TYPALIGN_DOUBLE, &values, &missing, &count);
    return {values, missing, static_cast<std::size_t>(count)};
}

}  // namespace ldp
