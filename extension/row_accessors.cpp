// The functions that return rows of a summary, and the final functions of aggregates that return such rows. Their arguments
// are declared in core/results/row_functions.cpp, in the order of SQL.

#include <algorithm>
#include <cstring>

#include "core/results/value_rows.hpp"
#include "core/summary/distribution.hpp"
#include "summary_rows.hpp"

using namespace ldp;

#define LDP_ROWS(function)                      \
    LDP_FUNCTION(ldp_##function) {              \
        return summary_rows(fcinfo, #function); \
    }

LDP_ROWS(means)
LDP_ROWS(response_rates)
LDP_ROWS(proportions)
LDP_ROWS(robust_interval)
LDP_ROWS(top)
LDP_ROWS(candidates)
LDP_ROWS(change)
LDP_ROWS(between)
LDP_ROWS(cdf)
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
LDP_ROWS(association)
LDP_ROWS(fitted)
LDP_ROWS(model)

LDP_FUNCTION(ldp_estimate_summary) {
    return summary_rows(fcinfo, "estimate");
}

// Their JSON arguments are text.
LDP_FUNCTION_OF_REPORTS(ldp_proportion_where, ERRCODE_INVALID_PARAMETER_VALUE) {
    return summary_rows(fcinfo, "proportion_where");
}
LDP_FUNCTION_OF_REPORTS(ldp_plan_marginals, ERRCODE_INVALID_PARAMETER_VALUE) {
    return summary_rows(fcinfo, "plan_marginals");
}

/// (summary, significance) → jsonb: views for a second round; NULL without reports.
LDP_FUNCTION(ldp_learn_marginals) {
    const RowFunction& function = row_function("learn_marginals");
    const SummaryQuery query = query_arguments(fcinfo, function);
    const Subject subject = whole_argument(fcinfo);
    KeptResults* kept = new_results();
    kept->results = function.find(subject, query);
    if (kept->results->count() == 0) PG_RETURN_NULL();
    return json_value(kept->results->row(0)[0].text.c_str());
}

/// (summary, attributes) → text[]: pairs of an attribute and a frequent text.
LDP_FUNCTION(ldp_frequent_texts) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    const RowFunction& function = row_function("frequent_texts");
    const SummaryQuery query = query_arguments(fcinfo, function);
    const Subject subject = whole_argument(fcinfo);
    KeptResults* kept = new_results();
    kept->results = function.find(subject, query);
    const std::size_t count = kept->results->count();
    if (count == 0) PG_RETURN_ARRAYTYPE_P(construct_empty_array(TEXTOID));
    auto* elements = static_cast<Datum*>(palloc(sizeof(Datum) * 2 * count));
    for (std::size_t i = 0; i < count; ++i) {
        const std::span<const ResultCell> pair = kept->results->row(i);
        elements[2 * i] = text_datum(pair[0].text);
        elements[2 * i + 1] = text_datum(pair[1].text);
    }
    int sizes[2] = {static_cast<int>(count), 2}, from[2] = {1, 1};
    PG_RETURN_ARRAYTYPE_P(
        construct_md_array(elements, nullptr, 2, sizes, from, TEXTOID, -1, false, TYPALIGN_INT));
}

// Final functions: the defaults of the functions of the same name, without errors. -----------------------------

LDP_FUNCTION(ldp_proportions_final) {
    const RowFunction& proportions = row_function("proportions");
    return final_rows(fcinfo, proportions, points_argument(fcinfo), proportions.defaults);
}

/// The final function of an aggregate with arguments: reads them, and puts them into `query`.
#define LDP_FINAL(name, function, rows, arguments_of, ...)     \
    LDP_FUNCTION(ldp_##name##_final) {                         \
        const RowFunction& found = row_function(#function);    \
        const AggregateArguments arguments = arguments_of;     \
        SummaryQuery query = found.defaults;                   \
        __VA_ARGS__;                                           \
        return rows(fcinfo, found, arguments.points(), query); \
    }

LDP_FINAL(proportions_method, proportions, final_rows, text_query(fcinfo),
          query.method = core_text(arguments.text))
LDP_FINAL(top, top, final_rows, integer_query(fcinfo), query.limit = arguments.integer())
LDP_FINAL(between, between, final_row, numbers_query(fcinfo, 2), query.low = arguments.numbers[0],
          query.high = arguments.numbers[1])
LDP_FINAL(quantiles, quantiles, final_rows, list_query(fcinfo),
          query.shares = {arguments.numbers, arguments.count})
LDP_FINAL(histogram, histogram, final_rows, integer_query(fcinfo), query.bins = arguments.integer())

// Numbers of a distribution -------------------------------------------------------------------------------------

namespace {

double quantile_of(const Subject& subject, double share) {
    return ask_one(subject, unknown,
                   [=](const SummaryView& view) { return published_quantile(view, share); });
}

}  // namespace

/// (summary, share) → float8: the value below which this share of the people lies.
LDP_FUNCTION(ldp_quantile) {
    return number_or_null(
        fcinfo, quantile_of({.summary = summary_argument(fcinfo), .pointwise = true}, PG_GETARG_FLOAT8(1)));
}

LDP_FUNCTION(ldp_quantile_final) {
    const AggregateArguments arguments = numbers_query(fcinfo, 1);
    return number_or_null(fcinfo, quantile_of(arguments.points(), arguments.numbers[0]));
}

/// (summary) → float8: the width of the interval over which the mechanism smooths its estimates.
LDP_FUNCTION(ldp_resolution) {
    const Subject subject{.summary = summary_argument(fcinfo)};
    return number_or_null(
        fcinfo, ask_one(subject, unknown, [](const SummaryView& view) { return resolution(view); }));
}

// Groups ---------------------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse_groups(const char* what, const char* detail, const char* hint) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", what), errdetail("%s", detail),
                    errhint("%s", hint)));
}

/// Names and summaries of the groups. A group whose name is NULL has none.
ComparedGroups groups_argument(FunctionCallInfo fcinfo) {
    Datum *names, *values;
    bool *unnamed, *missing;
    int count, summaries;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &names, &unnamed, &count);
    ArrayType* all = PG_GETARG_ARRAYTYPE_P(1);
    deconstruct_array(all, ARR_ELEMTYPE(all), -1, false, TYPALIGN_INT, &values, &missing, &summaries);
    if (count != summaries)
        refuse_groups("groups and summaries must have the same number of elements",
                      psprintf("Found %d and %d.", count, summaries),
                      "Aggregate both from the same rows, as in array_agg(country), array_agg(summary).");
    using Name = std::optional<std::string_view>;
    const auto groups = static_cast<std::size_t>(count);
    auto* bytes = static_cast<Bytes*>(palloc(sizeof(Bytes) * (groups + 1)));
    auto* words = static_cast<Name*>(palloc(sizeof(Name) * (groups + 1)));
    for (int i = 0; i < count; ++i) {
        if (missing[i])
            refuse_groups("a summary must not be NULL", psprintf("It is number %d of %d.", i + 1, count),
                          "Leave out groups without reports.");
        new (&bytes[i]) Bytes(contents(PG_DETOAST_DATUM_PACKED(values[i])));
        check_state_size(bytes[i].size());
        new (&words[i]) Name();
        if (!unnamed[i]) words[i] = core_text(TextDatumGetCString(names[i]));
    }
    return {{words, groups}, {bytes, groups}};
}

/// The number of the group that the argument names; nothing if it is NULL.
std::optional<std::size_t> baseline_argument(FunctionCallInfo fcinfo, int number,
                                             const ComparedGroups& groups) {
    if (PG_ARGISNULL(number)) return {};
    const std::string_view name = word_argument(fcinfo, number);
    const auto found = std::ranges::find(groups.names, name);
    if (found != groups.names.end()) return static_cast<std::size_t>(found - groups.names.begin());
    refuse_groups(psprintf("there is no group \"%.100s\"", text_to_cstring(PG_GETARG_TEXT_PP(number))),
                  "The argument baseline is the name of a group.",
                  "Without a baseline all pairs of groups are compared.");
}

}  // namespace

/// (groups, summaries, attributes, baseline, confidence, target): a row per pair of groups and estimate.
LDP_FUNCTION(ldp_compare_groups) {
    return result_rows(fcinfo, [=](KeptResults& kept) {
        if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(4) || PG_ARGISNULL(5)) return;
        ComparedGroups groups = groups_argument(fcinfo);
        if (!groups.summaries.empty()) groups.labels = &summary_labels(fcinfo, groups.summaries[0]);
        SummaryQuery query;
        if (!PG_ARGISNULL(2)) query.attributes = texts_argument(fcinfo, 2, "attributes");
        groups.baseline = baseline_argument(fcinfo, 3, groups);
        query.confidence = PG_GETARG_FLOAT8(4);
        query.target = word_argument(fcinfo, 5);
        kept.results = accessors::compare_groups(groups, query);
    });
}
