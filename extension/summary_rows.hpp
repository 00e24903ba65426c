// Rows of core results as rows of SQL, one per call.
//
// The results are a C++ object that belongs to a memory context. Each call computes the cells of one row, and then
// converts them to values, while no object with a destructor is on the stack.
#pragma once

#include "arguments.hpp"
#include "core/results/result_table.hpp"
#include "core/results/row_functions.hpp"

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

/// The columns of the groups of a source, as jsonb.
struct GroupKeys {
    const Datum* values = nullptr;
    std::size_t count = 0;
    const char* column = "group";  ///< of groups that the source does not have
};

/// Results that live as long as a memory context.
struct KeptResults {
    std::unique_ptr<Results> results;
    GroupKeys groups;
    MemoryContextCallback callback;

    [[nodiscard]] std::span<const ResultColumn> columns() const noexcept { return results->columns(); }
    [[nodiscard]] std::size_t count() const noexcept { return results->count(); }
    /// May jump.
    [[nodiscard]] Datum row(std::size_t number, TupleDesc shape) const;
};
/// Empty results in the current memory context. May jump.
[[nodiscard]] KeptResults* new_results();

/// A column of a result type in SQL.
struct SqlColumn {
    const char* name;
    Oid type;
};
/// Raises error XX000 with the name of the column if the SQL result type has other columns than the results.
void check_columns(FunctionCallInfo fcinfo, TupleDesc result, std::span<const SqlColumn> columns);
void check_columns(FunctionCallInfo fcinfo, TupleDesc result, std::span<const ResultColumn> columns);

/// An array argument of text, as UTF-8; raises an error for a NULL element. May jump.
[[nodiscard]] SummaryQuery::Texts texts_argument(FunctionCallInfo fcinfo, int number, const char* of);
/// The arguments of a function, behind its source. May jump.
[[nodiscard]] SummaryQuery query_arguments(FunctionCallInfo fcinfo, const RowFunction& function);
/// Whether no argument is NULL that must not be.
[[nodiscard]] bool has_arguments(FunctionCallInfo fcinfo, const RowFunction& function);

/// Body of a function that returns rows. `find()` returns them as KeptResults or with the same functions, or null if
/// there are no rows; it runs once, in memory that lives as long as the rows.
template <class Find>
Datum rows_found(FunctionCallInfo fcinfo, Find find) {
    static_assert(std::is_trivially_destructible_v<Find>);
    using Rows = std::remove_pointer_t<decltype(find())>;
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext* first = SRF_FIRSTCALL_INIT();
        MemoryContextData* caller = MemoryContextSwitchTo(first->multi_call_memory_ctx);
        TupleDesc shape;
        if (get_call_result_type(fcinfo, nullptr, &shape) != TYPEFUNC_COMPOSITE)
            elog(ERROR, "return type must be a row type");
        first->tuple_desc = BlessTupleDesc(shape);
        first->max_calls = 0;
        if (Rows* rows = find(); rows != nullptr) {
            check_columns(fcinfo, shape, rows->columns());
            first->max_calls = rows->count();
            first->user_fctx = rows;
        }
        MemoryContextSwitchTo(caller);
    }
    FuncCallContext* call = SRF_PERCALL_SETUP();
    if (call->call_cntr >= call->max_calls) SRF_RETURN_DONE(call);
    // Before the macro, which increments the counter before it evaluates its argument.
    const Datum row = static_cast<Rows*>(call->user_fctx)->row(call->call_cntr, call->tuple_desc);
    SRF_RETURN_NEXT(call, row);
}

/// The same for core results, which `find(kept)` assigns.
template <class Find>
Datum result_rows(FunctionCallInfo fcinfo, Find find) {
    return rows_found(fcinfo, [=]() -> KeptResults* {
        KeptResults* kept = new_results();
        find(*kept);
        return kept->results == nullptr ? nullptr : kept;
    });
}

/// The same for a function that returns no rows if an argument is NULL.
template <class Find>
Datum strict_rows(FunctionCallInfo fcinfo, Find find) {
    return result_rows(fcinfo, [=](KeptResults& kept) {
        for (int i = 0; i < PG_NARGS(); ++i)
            if (PG_ARGISNULL(i)) return;
        find(kept);
    });
}

/// Body of a set-returning function: (source, further arguments), or of groups (source, by, further arguments).
Datum source_rows(FunctionCallInfo fcinfo, const char* function);

}  // namespace ldp
