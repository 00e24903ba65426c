// The functions that return rows of a source. Their arguments are declared in core/results/row_functions.cpp, in the order
// of SQL.

#include "core/results/rows/value_rows.hpp"
#include "core/summary/queries/distribution.hpp"
#include "summary_rows.hpp"

using namespace ldp;

#define LDP_ROWS(function)                     \
    LDP_FUNCTION(ldp_##function) {             \
        return source_rows(fcinfo, #function); \
    }

LDP_ROWS(estimate)
LDP_ROWS(consistent)
LDP_ROWS(robust_interval)
LDP_ROWS(top)
LDP_ROWS(candidates)
LDP_ROWS(change)
LDP_ROWS(between)
LDP_ROWS(quantiles)
LDP_ROWS(histogram)
LDP_ROWS(distribution)
LDP_ROWS(learn_range)
LDP_ROWS(pilot_choice)
LDP_ROWS(shrinkage)
LDP_ROWS(coefficients)
LDP_ROWS(health)
LDP_ROWS(spent)
LDP_ROWS(series)
LDP_ROWS(series_mean)
LDP_ROWS(series_between)
LDP_ROWS(series_quantiles)
LDP_ROWS(frequent_strings)
LDP_ROWS(string_proportions)
LDP_ROWS(marginals)
LDP_ROWS(marginal)
LDP_ROWS(conditional)
LDP_ROWS(covariance)
LDP_ROWS(correlation)
LDP_ROWS(regression)
LDP_ROWS(winsorized_mean)
LDP_ROWS(association)
LDP_ROWS(model)

// Their JSON arguments are text.
LDP_FUNCTION_OF_REPORTS(ldp_proportion_where, ERRCODE_INVALID_PARAMETER_VALUE) {
    return source_rows(fcinfo, "proportion_where");
}
LDP_FUNCTION_OF_REPORTS(ldp_contrast, ERRCODE_INVALID_PARAMETER_VALUE) {
    return source_rows(fcinfo, "contrast");
}
LDP_FUNCTION_OF_REPORTS(ldp_fitted, ERRCODE_INVALID_PARAMETER_VALUE) {
    return source_rows(fcinfo, "fitted");
}
LDP_FUNCTION_OF_REPORTS(ldp_plan_marginals, ERRCODE_INVALID_PARAMETER_VALUE) {
    return source_rows(fcinfo, "plan_marginals");
}

/// (summary, significance) → jsonb: views for a second round; NULL without reports.
LDP_FUNCTION(ldp_learn_marginals) {
    const RowFunction& function = row_function("learn_marginals");
    const SummaryQuery query = query_arguments(fcinfo, function);
    const std::optional<Subject> subject = source_argument(fcinfo);
    if (!subject) PG_RETURN_NULL();
    KeptResults* kept = new_results();
    kept->results = function.find(*subject, query);
    if (kept->results->count() == 0) PG_RETURN_NULL();
    return json_value(kept->results->row(0)[0].text.c_str());
}

// Numbers of a distribution -------------------------------------------------------------------------------------

namespace {

double quantile_of(const Subject& subject, double share) {
    return ask_one(subject, unknown,
                   [=](const SummaryView& view) { return published_quantile(view, share); });
}

}  // namespace

/// (summary, share, attribute) → float8: the value below which this share of the people lies; the attribute may be NULL
/// where there is one.
LDP_FUNCTION(ldp_quantile) {
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) PG_RETURN_NULL();
    Subject subject = subject_argument(fcinfo);
    subject.pointwise = true;
    return number_or_null(fcinfo, quantile_of(subject, PG_GETARG_FLOAT8(1)));
}

LDP_FUNCTION(ldp_quantile_final) {
    const AggregateArguments arguments = numbers_query(fcinfo, 1);
    return number_or_null(fcinfo, quantile_of(arguments.points(), arguments.numbers[0]));
}

/// (summary, attribute) → float8: the width of the interval over which the mechanism smooths its estimates; the attribute may
/// be NULL where there is one.
LDP_FUNCTION(ldp_resolution) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    const Subject subject = subject_argument(fcinfo);
    return number_or_null(
        fcinfo, ask_one(subject, unknown, [](const SummaryView& view) { return resolution(view); }));
}

// Groups ---------------------------------------------------------------------------------------------------------

LDP_ROWS(compare_groups)
LDP_ROWS(group_test)
LDP_ROWS(clustered)
LDP_ROWS(small_areas)
LDP_ROWS(smooth)
LDP_ROWS(kernel_regression)
LDP_ROWS(calibrate)
