// Rows of core results as rows of SQL.
//
// The results are a C++ object that belongs to a memory context. Each call computes the cells of one row, and then
// converts them to values, while no object with a destructor is on the stack.
#pragma once

#include "arguments.hpp"
#include "core/results/result_table.hpp"
#include "core/results/row_functions.hpp"
#include "result_rows.hpp"

namespace ldp {

/// Results that live as long as a memory context.
struct KeptResults {
    std::unique_ptr<Results> results;
    MemoryContextCallback callback;
};
/// Empty results in the current memory context. May jump.
[[nodiscard]] KeptResults* new_results();

/// As check_columns() of SQL columns.
void check_columns(FunctionCallInfo fcinfo, TupleDesc result, std::span<const ResultColumn> columns);
/// A row of results. May jump.
[[nodiscard]] Datum row_of(Results& results, std::size_t number, TupleDesc shape);

/// An array argument of text, as UTF-8; raises an error for a NULL element. May jump.
[[nodiscard]] SummaryQuery::Texts texts_argument(FunctionCallInfo fcinfo, int number, const char* of);
/// The arguments of a function, behind its summary. May jump.
[[nodiscard]] SummaryQuery query_arguments(FunctionCallInfo fcinfo, const RowFunction& function);
/// Whether no argument is NULL that must not be.
[[nodiscard]] bool has_arguments(FunctionCallInfo fcinfo, const RowFunction& function);

/// Body of a function that returns rows. `find()` returns the results; it runs once, in memory that lives as long as the
/// rows. It returns nothing if there are no rows.
template <class Find>
Datum result_rows(FunctionCallInfo fcinfo, Find find) {
    static_assert(std::is_trivially_destructible_v<Find>);
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext* first = SRF_FIRSTCALL_INIT();
        MemoryContextData* caller = MemoryContextSwitchTo(first->multi_call_memory_ctx);
        TupleDesc shape;
        if (get_call_result_type(fcinfo, nullptr, &shape) != TYPEFUNC_COMPOSITE)
            elog(ERROR, "return type must be a row type");
        first->tuple_desc = BlessTupleDesc(shape);
        first->max_calls = 0;
        KeptResults* kept = new_results();
        find(*kept);
        if (kept->results != nullptr) {
            check_columns(fcinfo, shape, kept->results->columns());
            first->max_calls = kept->results->count();
        }
        first->user_fctx = kept;
        MemoryContextSwitchTo(caller);
    }
    FuncCallContext* call = SRF_PERCALL_SETUP();
    if (call->call_cntr >= call->max_calls) SRF_RETURN_DONE(call);
    // Before the macro, which increments the counter before it evaluates its argument.
    const Datum row =
        row_of(*static_cast<KeptResults*>(call->user_fctx)->results, call->call_cntr, call->tuple_desc);
    SRF_RETURN_NEXT(call, row);
}

/// Body of a set-returning function of a summary.
Datum summary_rows(FunctionCallInfo fcinfo, const char* function);
/// Bodies of final functions: all rows as an array of rows, or the only row.
Datum final_rows(FunctionCallInfo fcinfo, const RowFunction& function, const Subject& subject,
                 const SummaryQuery& query);
Datum final_row(FunctionCallInfo fcinfo, const RowFunction& function, const Subject& subject,
                const SummaryQuery& query);

}  // namespace ldp
