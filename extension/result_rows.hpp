// Functions that return rows that no summary determines; summary_rows.hpp has the others. The rows are kept in
// PostgreSQL's memory and returned one per call.
//
// A row type is an array of Columns, declared once; check_columns() compares it with the SQL result type
// of the function. An Answer is a struct without destructor: `count` is its number of rows, and
// `write(row, number)` writes one of them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

#include "boundary.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace ldp {

/// A column of a row type: its name and its type in SQL.
struct Column {
    const char* name;
    Oid type;
};

/// A value of this SQL type.
template <Oid type>
struct TypedDatum {
    Datum datum;
};

/// The index of a row type's column, from 0. Without a column of this name and type, compilation fails.
template <const auto& columns>
[[nodiscard]] consteval std::size_t column_number(std::string_view name, Oid type) {
    std::size_t number = 0;
    while (number < std::size(columns) && !(columns[number].name == name && columns[number].type == type))
        ++number;
    if (number == std::size(columns)) throw "the row type has no column of this name and type";
    return number;
}

/// Writes one row of a row type. A column that is not written is NULL. A name or type that the row type
/// does not have is a compilation error, so no index is out of bounds.
template <const auto& columns>
class RowWriter {
    static constexpr std::size_t count = std::size(columns);
    static_assert(count > 0 && count <= MaxTupleAttributeNumber);

    template <Oid type>
    struct Name {
        // NOLINTNEXTLINE(google-explicit-constructor): a literal is the name.
        consteval Name(const char* name) : index(column_number<columns>(name, type)) {}
        std::size_t index;
    };

  public:
    /// Whether the row type has a column of this name.
    [[nodiscard]] static consteval bool has(const char* name) {
        for (const Column& column : columns)
            if (std::string_view(column.name) == name) return true;
        return false;
    }

    /// A number; NULL if unknown.
    void put(Name<FLOAT8OID> name, double number) noexcept {
        if (!std::isnan(number)) set(name.index, Float8GetDatum(number));
    }
    void put(Name<INT4OID> name, std::int32_t number) noexcept { set(name.index, Int32GetDatum(number)); }
    void put(Name<INT8OID> name, std::uint64_t number) noexcept {
        set(name.index, Int64GetDatum(static_cast<std::int64_t>(number)));
    }
    void put(Name<BOOLOID> name, bool truth) noexcept { set(name.index, BoolGetDatum(truth)); }
    /// Text in the server's encoding; null is NULL.
    void put(Name<TEXTOID> name, const char* text) {
        if (text != nullptr) set(name.index, CStringGetTextDatum(text));
    }
    template <Oid type>
    void put(std::type_identity_t<Name<type>> name, TypedDatum<type> value) noexcept {
        set(name.index, value.datum);
    }

    [[nodiscard]] Datum row(TupleDesc shape) {
        return HeapTupleGetDatum(heap_form_tuple(shape, values_, missing_));
    }

    RowWriter() noexcept {
        for (bool& missing : missing_) missing = true;
    }

  private:
    void set(std::size_t index, Datum value) noexcept {
        values_[index] = value;
        missing_[index] = false;
    }

    Datum values_[count] = {};
    bool missing_[count];
};

/// Raises error XX000 with the name of the column if the SQL result type has other columns than those
/// written.
void check_columns(FunctionCallInfo fcinfo, TupleDesc result, std::span<const Column> columns);

template <const auto& columns, class Answer>
[[nodiscard]] Datum row_of(const Answer& answer, std::size_t number, TupleDesc shape) {
    RowWriter<columns> row;
    answer.write(row, number);
    return row.row(shape);
}

/// Body of a function that returns rows of this row type. `find()` returns the Answer; it runs once, in
/// memory that lives as long as the rows. If an argument is NULL, the function returns no rows. The last
/// `optional` arguments may be NULL.
template <const auto& columns, class Find>
Datum rows(FunctionCallInfo fcinfo, Find find, int optional = 0) {
    using Answer = decltype(find());
    static_assert(std::is_trivially_destructible_v<Answer> && std::is_trivially_destructible_v<Find>);
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext* first = SRF_FIRSTCALL_INIT();
        MemoryContextData* caller = MemoryContextSwitchTo(first->multi_call_memory_ctx);
        TupleDesc shape;
        if (get_call_result_type(fcinfo, nullptr, &shape) != TYPEFUNC_COMPOSITE)
            elog(ERROR, "return type must be a row type");
        check_columns(fcinfo, shape, columns);
        first->tuple_desc = BlessTupleDesc(shape);
        first->max_calls = 0;
        bool complete = true;
        for (int i = 0; i < PG_NARGS() - optional; ++i) complete = complete && !PG_ARGISNULL(i);
        if (complete) {
            auto* answer = static_cast<Answer*>(palloc(sizeof(Answer)));
            *answer = find();
            first->user_fctx = answer;
            first->max_calls = answer->count;
        }
        MemoryContextSwitchTo(caller);
    }
    FuncCallContext* call = SRF_PERCALL_SETUP();
    if (call->call_cntr >= call->max_calls) SRF_RETURN_DONE(call);
    // Before the macro, which increments the counter before it evaluates its argument.
    const Datum row =
        row_of<columns>(*static_cast<const Answer*>(call->user_fctx), call->call_cntr, call->tuple_desc);
    SRF_RETURN_NEXT(call, row);
}

}  // namespace ldp
