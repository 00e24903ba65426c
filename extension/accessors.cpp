// Accessors that return a number, an array of numbers or a summary. They do not modify the summary, so
// they can be final functions of aggregates that share a state. A result is NULL if no report determines
// it, or if there are too few reports to publish it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "arguments.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/contract/spec.hpp"
#include "core/results/rows/value_rows.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/queries/learn.hpp"
#include "core/summary/queries/string_queries.hpp"
#include "summary_rows.hpp"

using namespace ldp;

namespace {

/// Only the block of the first argument. The megabytes of a state are not read.
Bytes block_argument(FunctionCallInfo fcinfo) {
    const Datum value = PG_GETARG_DATUM(0);
    return contents(PG_DETOAST_DATUM_SLICE(value, 0, static_cast<std::int32_t>(max_block_size)));
}

char* spec_text(Bytes bytes, Kind kind) {
    return keep(parameters_json(*load_mechanism(bytes, kind)));
}

// Single numbers --------------------------------------------------------------------------------------------

double mean(Bytes summary, std::int64_t attribute) {
    return ask_point(
        summary, unknown, [=](const SummaryView& view) { return published_mean(view, attribute); },
        [](const SummaryView& view) { check_answer(*view.mechanism, Quantity::means); });
}

/// The mean of an attribute that is given by name. Throws Error (unsupported) for the name of a vector.
double mean_called(const Subject& subject, std::string_view name) {
    const std::string_view words = core_text(name);
    const std::size_t first = attribute_called(*subject.labels, name),
                      elements = subject.labels->attributes_called(first, words);
    if (elements > 1)
        throw Error(ErrorCode::unsupported,
                    "\"" + std::string(words) + "\" is a vector without a single mean",
                    "The vector has " + std::to_string(elements) + " elements.",
                    "Name an element, such as \"" + subject.labels->name(first) +
                        "\", or use ldp_estimate(summary, ARRAY[name]).");
    return mean(subject.summary, static_cast<std::int64_t>(first));
}

double only_mean(Bytes summary) {
    return ask_point(
        summary, unknown, [=](const SummaryView& view) { return published_mean(view, 0); },
        [](const SummaryView& view) {
            check_answer(*view.mechanism, Quantity::means);
            const std::size_t attributes = view.mechanism->cells().size();
            if (attributes > 1)
                throw Error(ErrorCode::unsupported, "these reports are about several numeric attributes",
                            "The summary has " + std::to_string(attributes) + " attributes.",
                            "Specify one by its name, as in ldp_mean(report, 'wage'), or use "
                            "ldp_estimate(ldp_agg(report)).");
        });
}

double frequency(Bytes summary, std::int64_t value, std::optional<std::size_t> attribute) {
    const auto of_strings = [=](const SummaryView& view) {
        return has_strings(view, one_attribute(*view.mechanism, attribute));
    };
    return ask_point(
        summary, unknown, [=](const SummaryView& view) { return published_share(view, value, attribute); },
        [=](const SummaryView& view) {
            check_no_ranges(*view.mechanism);
            if (!of_strings(view)) check_answer(*view.mechanism, Quantity::frequencies);
        });
}

// Arrays ----------------------------------------------------------------------------------------------------

/// float8[] of `count` ≥ 1 numbers. The array is written in place, because millions of values are common.
template <class ValueAt>
ArrayType* new_array(std::size_t count, ValueAt value_at) {
    std::size_t known = 0;
    for_each_index(count, [&](std::size_t i) { known += std::isnan(value_at(i)) ? 0 : 1; });
    const bool gaps = known < count;
    const auto head =
        static_cast<std::size_t>(gaps ? ARR_OVERHEAD_WITHNULLS(1, count) : ARR_OVERHEAD_NONULLS(1));
    const std::size_t size = head + known * sizeof(float8);
    auto* array = static_cast<ArrayType*>(try_palloc(size));
    std::memset(array, 0, head);
    SET_VARSIZE(array, size);
    array->ndim = 1;
    array->dataoffset = gaps ? static_cast<std::int32_t>(head) : 0;
    array->elemtype = FLOAT8OID;
    ARR_DIMS(array)[0] = static_cast<int>(count);
    ARR_LBOUND(array)[0] = 1;
    auto* number = reinterpret_cast<float8*>(ARR_DATA_PTR(array));
    for_each_index(count, [&](std::size_t i) {
        const double value = value_at(i);
        if (std::isnan(value)) return;
        *number++ = value;
        if (gaps) ARR_NULLBITMAP(array)[i / 8] |= static_cast<std::uint8_t>(1u << i % 8);
    });
    return array;
}

/// All estimates; null if there are no reports.
ArrayType* all_items(Bytes summary, Quantity quantity) {
    return ask_point(
        summary, static_cast<ArrayType*>(nullptr),
        [=](const SummaryView& view) {
            const std::vector<Estimate> estimates = published_estimates(view, quantity);
            if (estimates.empty()) return static_cast<ArrayType*>(nullptr);
            return new_array(estimates.size(), [&](std::size_t i) { return estimates[i].value; });
        },
        [=](const SummaryView& view) { check_answer(*view.mechanism, quantity); });
}

Datum array_or_null(FunctionCallInfo fcinfo, ArrayType* array) {
    if (array == nullptr) PG_RETURN_NULL();
    PG_RETURN_ARRAYTYPE_P(array);
}

// One attribute of a record ---------------------------------------------------------------------------------

varlena* taken(Bytes summary, std::size_t attribute) {
    const std::shared_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    check_interrupt();  // checking took a pass over up to 256 MB
    const SummaryDraft part = summary_of_part(view_of(*mechanism, summary), attribute);
    varlena* value = new_value(part.size());
    part.write(writable(value));
    return value;
}

std::uint64_t count(Bytes summary) {
    return view_of(*checked_mechanism(summary), summary).n;
}

/// The number of reports, a lower bound of the people who sent them (0 if it is unknown), and the number of reports
/// about each attribute.
ArrayType* response_counts(Bytes summary) {
    const std::shared_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    check_interrupt();
    const SummaryView view = view_of(*mechanism, summary);
    std::vector<double> counts{static_cast<double>(view.n), static_cast<double>(fewest_people(view))};
    for (std::size_t j = 0; j < mechanism->cells().size(); ++j)
        counts.push_back(static_cast<double>(part(view, j).n));
    return new_array(counts.size(), [&](std::size_t i) { return counts[i]; });
}

/// The number of the attribute whose values are requested.
std::size_t attribute_of(const Subject& subject) {
    return one_attribute(*checked_mechanism(subject.summary), subject.attribute);
}

}  // namespace

LDP_FUNCTION(ldp_summary_count) {
    PG_RETURN_INT64(static_cast<std::int64_t>(count(summary_argument(fcinfo))));
}

LDP_FUNCTION(ldp_response_counts) {
    PG_RETURN_ARRAYTYPE_P(response_counts(summary_argument(fcinfo)));
}

LDP_FUNCTION(ldp_summary_spec) {
    return json_value(spec_text(block_argument(fcinfo), Kind::summary));
}

LDP_FUNCTION(ldp_report_spec) {
    return json_value(spec_text(block_argument(fcinfo), Kind::report));
}

/// (summary): the names and the labels of its attributes.
LDP_FUNCTION(ldp_labels) {
    return strict_rows(fcinfo,
                       [=](KeptResults& kept) { kept.results = label_rows(*whole_argument(fcinfo).labels); });
}

/// (summary, attribute): the mean of the attribute with this name; of the only one if the name is NULL.
LDP_FUNCTION(ldp_mean) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    if (PG_ARGISNULL(1)) return number_or_null(fcinfo, only_mean(summary_argument(fcinfo)));
    const Subject subject = whole_argument(fcinfo);
    return number_or_null(fcinfo, mean_called(subject, name_argument(fcinfo, 1)));
}

LDP_FUNCTION(ldp_mean_final) {
    return number_or_null(fcinfo, only_mean(state_argument(fcinfo)));
}

LDP_FUNCTION(ldp_mean_of_name_final) {
    const AggregateArguments query = text_query(fcinfo);
    return number_or_null(fcinfo, mean_called(query.subject, query.text));
}

LDP_FUNCTION(ldp_proportion) {
    return array_or_null(fcinfo, all_items(summary_argument(fcinfo), Quantity::frequencies));
}

LDP_FUNCTION(ldp_proportion_final) {
    return array_or_null(fcinfo, all_items(state_argument(fcinfo), Quantity::frequencies));
}

/// (summary, label, attribute): its share, by name; the attribute may be NULL where there is one.
LDP_FUNCTION(ldp_proportion_of_label) {
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) PG_RETURN_NULL();
    const Subject subject = subject_argument(fcinfo);
    const std::size_t value = value_called(*subject.labels, attribute_of(subject), name_argument(fcinfo, 1));
    return number_or_null(fcinfo,
                          frequency(subject.summary, static_cast<std::int64_t>(value), subject.attribute));
}

LDP_FUNCTION(ldp_proportion_of_label_final) {
    const AggregateArguments query = text_query(fcinfo);
    const std::size_t value = value_called(*query.subject.labels, attribute_of(query.subject), query.text);
    return number_or_null(fcinfo,
                          frequency(query.subject.summary, static_cast<std::int64_t>(value), std::nullopt));
}

namespace {

/// The mean vector reconstructed from the estimated Haar coefficients, in the attributes' own units.
Datum haar_vector(FunctionCallInfo fcinfo, Bytes summary) {
    // Only Haar reports estimate coefficients. For other reports the error message names what they
    // estimate.
    check_can_estimate(mechanism_of(fcinfo, summary, Kind::summary), Quantity::coefficients);
    return array_or_null(fcinfo, all_items(summary, Quantity::means));
}

}  // namespace

LDP_FUNCTION(ldp_haar) {
    return haar_vector(fcinfo, summary_argument(fcinfo));
}

LDP_FUNCTION(ldp_haar_final) {
    return haar_vector(fcinfo, state_argument(fcinfo));
}

/// (summary, attribute) → summary: one attribute of a record.
LDP_FUNCTION(ldp_part) {
    const Subject subject = subject_argument(fcinfo);
    PG_RETURN_POINTER(taken(subject.summary, *subject.attribute));
}

/// (confidence) → float8: half the length of an interval in standard errors.
LDP_FUNCTION(ldp_critical_value) {
    PG_RETURN_FLOAT8(critical_value(PG_GETARG_FLOAT8(0)));
}
