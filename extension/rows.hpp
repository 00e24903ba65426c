// Functions that return rows: what they find is kept in PostgreSQL's memory at the first call, and given out
// one row a call.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "boundary.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
}

namespace ldp {

/// The columns of one row, filled from the left. What is not known is NULL.
class Columns {
  public:
    void put(double number) noexcept { put(Float8GetDatum(number), std::isnan(number)); }
    void put(std::int32_t number) noexcept { put(Int32GetDatum(number), false); }
    /// A size; 0 is not known.
    void put_size(std::uint64_t size) noexcept {
        put(Int64GetDatum(static_cast<std::int64_t>(size)), size == 0);
    }
    /// Text in the server's encoding; none is NULL.
    void put(const char* text) { put(text == nullptr ? 0 : CStringGetTextDatum(text), text == nullptr); }
    void put(Datum value, bool unknown) noexcept {
        values_[used_] = value;
        unknown_[used_++] = unknown;
    }
    [[nodiscard]] Datum row(TupleDesc shape) {
        return HeapTupleGetDatum(heap_form_tuple(shape, values_, unknown_));
    }

  private:
    static constexpr std::size_t most = 8;
    Datum values_[most] = {};
    bool unknown_[most] = {};
    std::size_t used_ = 0;
};

/// Body of a function that returns rows. `find()` runs once, in memory that lives as long as the rows; its
/// Answer says in `count` how many there are, and `write(columns, row number)` is asked for one after
/// another.
template <class Find>
Datum rows(FunctionCallInfo fcinfo, Find find) {
    using Answer = decltype(find());
    static_assert(std::is_trivially_destructible_v<Answer> && std::is_trivially_destructible_v<Find>);
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext* first = SRF_FIRSTCALL_INIT();
        MemoryContextData* caller = MemoryContextSwitchTo(first->multi_call_memory_ctx);
        TupleDesc shape;
        if (get_call_result_type(fcinfo, nullptr, &shape) != TYPEFUNC_COMPOSITE)
            elog(ERROR, "return type must be a row type");
        first->tuple_desc = BlessTupleDesc(shape);
        auto* answer = static_cast<Answer*>(palloc(sizeof(Answer)));
        *answer = find();
        first->user_fctx = answer;
        first->max_calls = answer->count;
        MemoryContextSwitchTo(caller);
    }
    FuncCallContext* call = SRF_PERCALL_SETUP();
    if (call->call_cntr >= call->max_calls) SRF_RETURN_DONE(call);
    Columns columns;
    static_cast<const Answer*>(call->user_fctx)->write(columns, call->call_cntr);
    SRF_RETURN_NEXT(call, columns.row(call->tuple_desc));
}

}  // namespace ldp
