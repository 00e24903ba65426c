// Arrays of text and numbers, for rows about several attributes.
#pragma once

#include "result_rows.hpp"

namespace ldp {

/// Texts in PostgreSQL's memory.
struct TextArray {
    const char* const* texts;
    std::size_t count;
};

// May jump: not beside C++ objects.

/// An array argument of text, as UTF-8; raises an error for a NULL element.
[[nodiscard]] inline TextArray text_array_argument(FunctionCallInfo fcinfo, int number) {
    Datum* values;
    bool* missing;
    int count;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(number), TEXTOID, -1, false, TYPALIGN_INT, &values, &missing,
                      &count);
    auto** words = static_cast<const char**>(palloc(sizeof(char*) * (static_cast<std::size_t>(count) + 1)));
    for (int i = 0; i < count; ++i) {
        if (missing[i])
            ereport(ERROR,
                    (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("name of an attribute must not be NULL"),
                     errdetail("It is number %d of %d.", i + 1, count), errhint("Remove the NULL element.")));
        words[i] = core_text(TextDatumGetCString(values[i])).data();
    }
    return {words, static_cast<std::size_t>(count)};
}

[[nodiscard]] inline TypedDatum<TEXTARRAYOID> text_array(const char* const* utf8, std::size_t count) {
    auto* words = static_cast<Datum*>(palloc(sizeof(Datum) * (count + 1)));
    for (std::size_t i = 0; i < count; ++i) words[i] = CStringGetTextDatum(server_text(utf8[i]));
    return {
        PointerGetDatum(construct_array(words, static_cast<int>(count), TEXTOID, -1, false, TYPALIGN_INT))};
}

[[nodiscard]] inline TypedDatum<INT4ARRAYOID> number_array(const std::int32_t* numbers, std::size_t count) {
    auto* all = static_cast<Datum*>(palloc(sizeof(Datum) * (count + 1)));
    for (std::size_t i = 0; i < count; ++i) all[i] = Int32GetDatum(numbers[i]);
    return {PointerGetDatum(
        construct_array(all, static_cast<int>(count), INT4OID, sizeof(std::int32_t), true, TYPALIGN_INT))};
}

}  // namespace ldp
