// Estimates for the planner beyond COST and ROWS.

#include <algorithm>

#include "arguments.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
}

using namespace ldp;

namespace {

/// The value of an argument that is known by now; null if it is not. The first argument is a source, whose functions are not
/// called, because they read reports.
const Const* known(const SupportRequestRows& request, int index) {
    if (!is_funcclause(request.node)) return nullptr;
    List* arguments = reinterpret_cast<FuncExpr*>(request.node)->args;
    if (index >= list_length(arguments)) return nullptr;
    auto* argument = static_cast<Node*>(list_nth(arguments, index));
    if (request.root != nullptr && index > 0) argument = estimate_expression_value(request.root, argument);
    if (!IsA(argument, Const)) return nullptr;
    const auto* found = reinterpret_cast<const Const*>(argument);
    return found->constisnull ? nullptr : found;
}

/// Whether an argument is the constant NULL.
bool is_null(const SupportRequestRows& request, int number) {
    if (!is_funcclause(request.node)) return false;
    const List* arguments = reinterpret_cast<FuncExpr*>(request.node)->args;
    if (number >= list_length(arguments)) return false;
    const auto* argument = static_cast<const Node*>(list_nth(arguments, number));
    return IsA(argument, Const) && reinterpret_cast<const Const*>(argument)->constisnull;
}

/// How many values the only attribute of a summary has; 0 if it has several.
double values_of(Bytes summary) {
    const std::vector<std::uint64_t> cells = load_mechanism(summary, Kind::summary)->cells();
    return cells.size() == 1 ? static_cast<double>(cells[0]) : 0;
}

}  // namespace

/// Rows of a function whose second argument is a number of rows, or an array with an element for each. Otherwise there is
/// a row for each value of the first argument, a source with a summary. Datum 0 is the null pointer: nothing is
/// known.
LDP_FUNCTION(ldp_rows) {
    auto* request = reinterpret_cast<SupportRequestRows*>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestRows)) PG_RETURN_DATUM(0);
    double rows = 0;
    if (const Const* second = known(*request, 1); second != nullptr && second->consttype == INT4OID) {
        rows = DatumGetInt32(second->constvalue);
    } else if (second != nullptr && second->consttype == INT8OID) {
        rows = static_cast<double>(DatumGetInt64(second->constvalue));
    } else if (second != nullptr && second->consttype == FLOAT8ARRAYOID) {
        ArrayType* array = DatumGetArrayTypeP(second->constvalue);
        rows = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    } else if (const Const* source = known(*request, 0);
               source != nullptr && (second != nullptr || is_null(*request, 1))) {
        const std::optional<Bytes> summary = summary_head(source->constvalue);
        rows = summary ? values_of(*summary) : 0;
    }
    if (rows <= 0) PG_RETURN_DATUM(0);
    request->rows = rows;
    PG_RETURN_POINTER(request);
}
