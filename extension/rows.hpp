// Functions whose answer is rows: what they find is kept in PostgreSQL's memory, and given out one row a
// call, or, by an aggregate, all at once.
//
// An Answer is a struct without destructor that says in `count` how many rows there are, and puts one after
// another: `write(columns, row number)`.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "boundary.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace ldp {

/// The columns of one row, filled from the left. What is not known is NULL.
class Columns {
  public:
    void put(double number) noexcept { put(Float8GetDatum(number), std::isnan(number)); }
    void put(std::int32_t number) noexcept { put(Int32GetDatum(number), false); }
    void put(std::uint64_t count) noexcept { put(Int64GetDatum(static_cast<std::int64_t>(count)), false); }
    /// A size; 0 is not known.
    void put_size(std::uint64_t size) noexcept {
        put(Int64GetDatum(static_cast<std::int64_t>(size)), size == 0);
    }
    /// Text in the server's encoding; none is NULL.
    void put(const char* text) { put(text == nullptr ? 0 : CStringGetTextDatum(text), text == nullptr); }
    void put(Datum value, bool missing) noexcept {
        values_[used_] = value;
        missing_[used_++] = missing;
    }
    void put_nothing() noexcept { put(0, true); }
    [[nodiscard]] Datum row(TupleDesc shape) {
        return HeapTupleGetDatum(heap_form_tuple(shape, values_, missing_));
    }

  private:
    static constexpr std::size_t most = 13;
    Datum values_[most] = {};
    bool missing_[most] = {};
    std::size_t used_ = 0;
};

template <class Answer>
[[nodiscard]] Datum row_of(const Answer& answer, std::size_t row, TupleDesc shape) {
    Columns columns;
    answer.write(columns, row);
    return columns.row(shape);
}

/// Body of a function that returns rows. `find()` returns the Answer; it runs once, in memory that lives as
/// long as the rows. A NULL among the arguments gives no rows, but for the last `optional` of them.
template <class Find>
Datum rows(FunctionCallInfo fcinfo, Find find, int optional = 0) {
    using Answer = decltype(find());
    static_assert(std::is_trivially_destructible_v<Answer> && std::is_trivially_destructible_v<Find>);
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext* first = SRF_FIRSTCALL_INIT();
        MemoryContextData* caller = MemoryContextSwitchTo(first->multi_call_memory_ctx);
        TupleDesc shape;
        if (get_call_result_type(fcinfo, nullptr, &shape) != TYPEFUNC_COMPOSITE)
            elog(ERROR, "return type must be a row type");
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
    // Before the macro, which counts on before it looks at its argument.
    const Datum row = row_of(*static_cast<const Answer*>(call->user_fctx), call->call_cntr, call->tuple_desc);
    SRF_RETURN_NEXT(call, row);
}

/// The only row of an Answer, as the result of a function that returns a row.
template <class Answer>
Datum one_row(FunctionCallInfo fcinfo, const Answer& answer) {
    static_assert(std::is_trivially_destructible_v<Answer>);
    if (answer.count == 0) PG_RETURN_NULL();
    TupleDesc shape = lookup_rowtype_tupdesc_copy(get_func_rettype(fcinfo->flinfo->fn_oid), -1);
    PG_RETURN_DATUM(row_of(answer, 0, shape));
}

/// All rows of an Answer, as the result of a function that returns an array of rows.
template <class Answer>
Datum row_array(FunctionCallInfo fcinfo, const Answer& answer) {
    static_assert(std::is_trivially_destructible_v<Answer>);
    const Oid type = get_element_type(get_func_rettype(fcinfo->flinfo->fn_oid));
    TupleDesc shape = lookup_rowtype_tupdesc_copy(type, -1);
    auto* elements = static_cast<Datum*>(palloc(sizeof(Datum) * (answer.count + 1)));
    for (std::size_t i = 0; i < answer.count; ++i) {
        CHECK_FOR_INTERRUPTS();
        elements[i] = row_of(answer, i, shape);
    }
    PG_RETURN_ARRAYTYPE_P(
        construct_array(elements, static_cast<int>(answer.count), type, -1, false, TYPALIGN_DOUBLE));
}

}  // namespace ldp
