// Questions to a summary. None changes it, so aggregates that share a state can end in any of them. What is
// not known (no report touched it) is NULL.

#include <cmath>
#include <string>

#include "boundary.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
}

using namespace ldp;

namespace {

/// A mechanism's estimate of one item and its interval: plain numbers, in PostgreSQL's memory.
struct Answer {
    double value;
    double standard_error;
    double lower;
    double upper;
};

struct Answers {
    const Answer* items;
    std::size_t count;  ///< 0 if there are no reports
};

constexpr double usual_confidence = 0.95;

std::unique_ptr<const Mechanism> checked_mechanism(Bytes summary) {
    std::unique_ptr<const Mechanism> mechanism = load_mechanism(summary, Kind::summary);
    check_summary(*mechanism, summary);
    return mechanism;
}

Answers ask(Bytes summary, const Question& question, double confidence = usual_confidence) {
    (void)interval({0, 0}, confidence);  // a wrong confidence is an error even where there is nothing to tell
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    check_answers(*mechanism, question.quantity);
    if (summary_count(*mechanism, summary) == 0) return {};
    const std::vector<Estimate> estimates = estimate(*mechanism, summary, question);
    auto* items = static_cast<Answer*>(try_palloc(estimates.size() * sizeof(Answer)));
    for (std::size_t i = 0; i < estimates.size(); ++i) {
        const auto [lower, upper] = interval(estimates[i], confidence);
        items[i] = {estimates[i].value, estimates[i].standard_error, lower, upper};
    }
    return {items, estimates.size()};
}

Bytes summary_argument(FunctionCallInfo fcinfo) {
    return contents(PG_GETARG_VARLENA_PP(0));
}

Target target_argument(FunctionCallInfo fcinfo, int number) {
    const std::string_view word = text_to_cstring(PG_GETARG_TEXT_PP(number));
    if (word == "sample") return Target::sample;
    if (word == "population") return Target::population;
    throw Error(
        ErrorCode::invalid_value, "unknown target \"" + std::string(word) + "\"",
        "Allowed are \"sample\", the error against the people who reported, and \"population\", which "
        "adds the error of having drawn them from a population.");
}

Datum one_number(FunctionCallInfo fcinfo, double value) {
    if (std::isnan(value)) PG_RETURN_NULL();
    PG_RETURN_FLOAT8(value);
}

/// The estimate of the item that the second argument names.
Datum one_item(FunctionCallInfo fcinfo, Quantity quantity, const char* noun) {
    const std::int32_t item = PG_GETARG_INT32(1);
    const Answers answers = ask(summary_argument(fcinfo), {quantity});
    if (answers.count == 0) PG_RETURN_NULL();
    if (item < 0 || static_cast<std::size_t>(item) >= answers.count)
        throw Error(ErrorCode::invalid_value, std::string("there is no ") + noun + " " + std::to_string(item),
                    "They are numbered from 0 to " + std::to_string(answers.count - 1) + ".");
    return one_number(fcinfo, answers.items[item].value);
}

/// All estimates, as float8[].
Datum all_items(FunctionCallInfo fcinfo, Quantity quantity) {
    const Answers answers = ask(summary_argument(fcinfo), {quantity});
    if (answers.count == 0) PG_RETURN_NULL();
    auto* values = static_cast<Datum*>(palloc(answers.count * sizeof(Datum)));
    auto* unknown = static_cast<bool*>(palloc(answers.count * sizeof(bool)));
    for (std::size_t i = 0; i < answers.count; ++i) {
        values[i] = Float8GetDatum(answers.items[i].value);
        unknown[i] = std::isnan(answers.items[i].value);
    }
    int size = static_cast<int>(answers.count), first = 1;
    PG_RETURN_ARRAYTYPE_P(construct_md_array(values, unknown, 1, &size, &first, FLOAT8OID, sizeof(float8),
                                             FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/// One row per item: its number, estimate, standard error and interval. Arguments: the summary, confidence,
/// target.
Datum rows(FunctionCallInfo fcinfo, Quantity quantity) {
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext* first = SRF_FIRSTCALL_INIT();
        MemoryContextData* caller = MemoryContextSwitchTo(first->multi_call_memory_ctx);
        TupleDesc shape;
        if (get_call_result_type(fcinfo, nullptr, &shape) != TYPEFUNC_COMPOSITE)
            elog(ERROR, "return type must be a row type");
        first->tuple_desc = BlessTupleDesc(shape);
        const Bytes summary = summary_argument(fcinfo);
        const Answers answers = ask(summary, {quantity, target_argument(fcinfo, 2)}, PG_GETARG_FLOAT8(1));
        first->user_fctx = const_cast<Answer*>(answers.items);
        first->max_calls = answers.count;
        MemoryContextSwitchTo(caller);
    }
    FuncCallContext* call = SRF_PERCALL_SETUP();
    if (call->call_cntr >= call->max_calls) SRF_RETURN_DONE(call);

    const Answer& answer = static_cast<const Answer*>(call->user_fctx)[call->call_cntr];
    const double numbers[] = {answer.value, answer.standard_error, answer.lower, answer.upper};
    Datum columns[5] = {Int32GetDatum(static_cast<std::int32_t>(call->call_cntr))};
    bool unknown[5] = {false};
    for (int i = 0; i < 4; ++i) {
        columns[i + 1] = Float8GetDatum(numbers[i]);
        unknown[i + 1] = std::isnan(numbers[i]);
    }
    SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, columns, unknown)));
}

char* spec_text(Bytes bytes, Kind kind) {
    return keep(parameters_json(*load_mechanism(bytes, kind)));
}

}  // namespace

LDP_FUNCTION(ldp_summary_count) {
    const Bytes summary = summary_argument(fcinfo);
    const std::uint64_t count = summary_count(*checked_mechanism(summary), summary);
    PG_RETURN_INT64(static_cast<std::int64_t>(count));
}

LDP_FUNCTION(ldp_summary_spec) {
    return json_value(spec_text(summary_argument(fcinfo), Kind::summary));
}

LDP_FUNCTION(ldp_report_spec) {
    return json_value(spec_text(contents(PG_GETARG_VARLENA_PP(0)), Kind::report));
}

/// The mean of the only attribute.
LDP_FUNCTION(ldp_summary_mean) {
    const Answers answers = ask(summary_argument(fcinfo), {Quantity::means});
    if (answers.count == 0) PG_RETURN_NULL();
    if (answers.count > 1)
        throw Error(ErrorCode::unsupported, "these reports tell the means of several attributes",
                    "There are " + std::to_string(answers.count) + ".",
                    "Ask for one with ldp_mean(ldp_agg(report), attribute), or for all with "
                    "ldp_haar(report) or ldp_means(ldp_agg(report)).");
    return one_number(fcinfo, answers.items[0].value);
}

LDP_FUNCTION(ldp_summary_mean_of) {
    return one_item(fcinfo, Quantity::means, "attribute");
}

LDP_FUNCTION(ldp_summary_frequency_of) {
    return one_item(fcinfo, Quantity::frequencies, "value");
}

LDP_FUNCTION(ldp_summary_frequency) {
    return all_items(fcinfo, Quantity::frequencies);
}

/// The vector that the estimated Haar coefficients add up to, in the attributes' own units.
LDP_FUNCTION(ldp_summary_haar) {
    // Only Haar reports tell coefficients; of others the error says what they tell instead.
    check_answers(*checked_mechanism(summary_argument(fcinfo)), Quantity::coefficients);
    return all_items(fcinfo, Quantity::means);
}

LDP_FUNCTION(ldp_summary_frequencies) {
    return rows(fcinfo, Quantity::frequencies);
}

LDP_FUNCTION(ldp_summary_means) {
    return rows(fcinfo, Quantity::means);
}

LDP_FUNCTION(ldp_summary_coefficients) {
    return rows(fcinfo, Quantity::coefficients);
}
