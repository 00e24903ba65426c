// Questions to a summary. None changes it, so aggregates that share a state can end in any of them. What is
// not known (no report touched it) is NULL.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "arguments.hpp"
#include "core/mechanism/series.hpp"
#include "core/spec/spec.hpp"
#include "core/summary/candidates.hpp"
#include "core/summary/consistency.hpp"
#include "core/summary/top.hpp"
#include "rows.hpp"

using namespace ldp;

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Arguments ------------------------------------------------------------------------------------------------

/// No more of the first argument than its block: what stands in it needs none of a state's megabytes.
Bytes block_argument(FunctionCallInfo fcinfo) {
    const Datum value = PG_GETARG_DATUM(0);
    return contents(PG_DETOAST_DATUM_SLICE(value, 0, static_cast<std::int32_t>(max_block_size)));
}

std::size_t limit_argument(FunctionCallInfo fcinfo, int number) {
    const std::int32_t limit = PG_GETARG_INT32(number);
    if (limit < 0)
        throw Error(ErrorCode::invalid_value, "a limit must not be negative",
                    "Found " + std::to_string(limit) + ".");
    return static_cast<std::size_t>(limit);
}

/// Throws Error (unsupported) unless the summary answers this, by itself: a series has shares in each round.
void check_answer(const Mechanism& mechanism, Quantity quantity) {
    check_answers(mechanism, quantity);
    if (quantity == Quantity::frequencies && as_series(mechanism) != nullptr)
        throw Error(ErrorCode::unsupported, "these reports tell of a series, which has shares in each round",
                    {}, "Ask for them with ldp_series.");
}

// One number, or an array ----------------------------------------------------------------------------------

Datum one_number(FunctionCallInfo fcinfo, double value) {
    if (std::isnan(value)) PG_RETURN_NULL();
    PG_RETURN_FLOAT8(value);
}

struct Found {
    double value;
    std::size_t count;  ///< of items; 0 if there are no reports
};

/// The estimate of one item, if there is such a one.
Found estimate_of(Bytes summary, Quantity quantity, std::size_t item) {
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    check_answer(*mechanism, quantity);
    if (summary_count(*mechanism, summary) == 0) return {unknown, 0};
    const std::vector<Estimate> estimates = estimate(*mechanism, summary, {quantity});
    return {item < estimates.size() ? estimates[item].value : unknown, estimates.size()};
}

/// The estimate of the item that the second argument names.
Datum one_item(FunctionCallInfo fcinfo, Quantity quantity, const char* noun) {
    const std::int32_t item = PG_GETARG_INT32(1);
    const Found found = estimate_of(summary_argument(fcinfo), quantity, static_cast<std::uint32_t>(item));
    if (found.count == 0) PG_RETURN_NULL();
    if (item < 0 || static_cast<std::size_t>(item) >= found.count)
        throw Error(ErrorCode::invalid_value, std::string("there is no ") + noun + " " + std::to_string(item),
                    "They are numbered from 0 to " + std::to_string(found.count - 1) + ".");
    return one_number(fcinfo, found.value);
}

/// float8[] of `count` ≥ 1 numbers, written once and nowhere else: millions of values are common.
template <class ValueAt>
ArrayType* new_array(std::size_t count, ValueAt value_at) {
    std::size_t known = 0;
    for (std::size_t i = 0; i < count; ++i) known += std::isnan(value_at(i)) ? 0 : 1;
    const bool gaps = known < count;
    const std::size_t head = gaps ? ARR_OVERHEAD_WITHNULLS(1, count) : ARR_OVERHEAD_NONULLS(1);
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
    for (std::size_t i = 0; i < count; ++i) {
        const double value = value_at(i);
        if (std::isnan(value)) continue;
        *number++ = value;
        if (gaps) ARR_NULLBITMAP(array)[i / 8] |= static_cast<bits8>(1u << i % 8);
    }
    return array;
}

/// All estimates, as float8[]; none if there are no reports.
ArrayType* all_items(Bytes summary, Quantity quantity) {
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    check_answer(*mechanism, quantity);
    if (summary_count(*mechanism, summary) == 0) return nullptr;
    const std::vector<Estimate> estimates = estimate(*mechanism, summary, {quantity});
    return new_array(estimates.size(), [&](std::size_t i) { return estimates[i].value; });
}

ArrayType* all_consistent(Bytes summary, Consistency method) {
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    check_answer(*mechanism, Quantity::frequencies);
    if (summary_count(*mechanism, summary) == 0) return nullptr;
    const std::vector<double> values = consistent(*mechanism, summary, method);
    return new_array(values.size(), [&](std::size_t i) { return values[i]; });
}

Datum array_or_null(FunctionCallInfo fcinfo, ArrayType* array) {
    if (array == nullptr) PG_RETURN_NULL();
    PG_RETURN_ARRAYTYPE_P(array);
}

// Rows -----------------------------------------------------------------------------------------------------

/// Items in PostgreSQL's memory, to be given out as rows.
struct Items {
    struct Item {
        std::int32_t number;
        Estimate estimate;
        double p_value;
    };

    const Item* items = nullptr;
    std::size_t count = 0;
    double reach = 0;  ///< of an interval, in standard errors
    bool labelled = false, tested = false;
    /// The names of values; those that it does not reach have their number as a name.
    Elements labels = {};

    void write(Columns& columns, std::size_t row) const {
        const auto& [number, estimate, p_value] = items[row];
        columns.put(number);
        if (labelled) write_label(columns, number);
        columns.put(estimate.value);
        columns.put(estimate.standard_error);
        columns.put(estimate.value - reach * estimate.standard_error);
        columns.put(estimate.value + reach * estimate.standard_error);
        if (tested) columns.put(p_value);
    }

    /// Keeps what `items` holds; beside C++ objects.
    template <class Range, class ItemOf>
    void keep(const Range& found, ItemOf item_of) {
        auto* kept = static_cast<Item*>(try_palloc(found.size() * sizeof(Item)));
        for (const auto& one : found) {
            kept[count] = item_of(count, one);
            ++count;
        }
        items = kept;
    }
    void keep(const std::vector<Estimate>& estimates) {
        keep(estimates, [](std::size_t i, const Estimate& estimate) {
            return Item{static_cast<std::int32_t>(i), estimate, unknown};
        });
    }
    void keep(const std::vector<Ranked>& ranking) {
        keep(ranking, [](std::size_t, const Ranked& ranked) {
            return Item{static_cast<std::int32_t>(ranked.value), ranked.estimate, ranked.p_value};
        });
    }

    /// The shares in all rounds of a series, one round after another; returns how many values there are.
    std::size_t keep_series(Bytes summary, Target target) {
        const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(summary);
        const SeriesMechanism* series = as_series(*mechanism);
        if (series == nullptr)
            throw Error(ErrorCode::unsupported, "these reports tell of no series", {},
                        "Rounds of other mechanisms are a column to group by.");
        const std::size_t values = mechanism->cells()[0];
        if (summary_count(*mechanism, summary) == 0) return values;
        std::vector<Estimate> all;
        for (std::size_t round = 0; round < series->rounds(); ++round) {
            const auto found = estimate(*mechanism, summary, {Quantity::frequencies, target, round});
            all.insert(all.end(), found.begin(), found.end());
        }
        keep(all, [=](std::size_t i, const Estimate& estimate) {
            return Item{static_cast<std::int32_t>(i % values), estimate, unknown};
        });
        return values;
    }

  private:
    void write_label(Columns& columns, std::int32_t number) const {
        const auto at = static_cast<std::size_t>(number);
        if (at < labels.count) return columns.put(labels.values[at], labels.missing[at]);
        char digits[16];
        pg_ltoa(number, digits);
        columns.put(digits);
    }
};

/// `ask(mechanism)` adds items, unless there are no reports.
template <class Ask>
void answer(Bytes summary, Quantity quantity, Ask ask) {
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    check_answer(*mechanism, quantity);
    if (summary_count(*mechanism, summary) > 0) ask(*mechanism);
}

/// All items with their errors. Arguments: the summary, confidence, target.
Datum plain_rows(FunctionCallInfo fcinfo, Quantity quantity) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        Items items{.reach = reach(PG_GETARG_FLOAT8(1))};
        const Question question{quantity, target_argument(fcinfo, 2)};
        answer(summary, quantity,
               [&](const Mechanism& mechanism) { items.keep(estimate(mechanism, summary, question)); });
        return items;
    });
}

varlena* taken(Bytes summary, std::size_t attribute) {
    const std::vector<std::byte> part = summary_of_part(*checked_mechanism(summary), summary, attribute);
    varlena* value = new_value(part.size());
    std::ranges::copy(part, writable(value).begin());
    return value;
}

char* fingerprint_of_part(std::string_view fingerprint, std::size_t attribute) {
    std::uint64_t number = 0;
    const auto [end, error] =
        std::from_chars(fingerprint.data(), fingerprint.data() + fingerprint.size(), number, 16);
    if (error != std::errc{} || end != fingerprint.data() + fingerprint.size())
        throw Error(ErrorCode::invalid_value, "a fingerprint has 16 hexadecimal digits",
                    "Found \"" + std::string(fingerprint.substr(0, 60)) + "\".");
    return keep(fingerprint_text(part_fingerprint(number, attribute)));
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
    return json_value(spec_text(block_argument(fcinfo), Kind::summary));
}

LDP_FUNCTION(ldp_report_spec) {
    return json_value(spec_text(block_argument(fcinfo), Kind::report));
}

/// The mean of the only attribute.
LDP_FUNCTION(ldp_summary_mean) {
    const Found found = estimate_of(summary_argument(fcinfo), Quantity::means, 0);
    if (found.count > 1)
        throw Error(ErrorCode::unsupported, "these reports tell the means of several attributes",
                    "There are " + std::to_string(found.count) + ".",
                    "Ask for one with ldp_mean(ldp_agg(report), attribute), or for all with "
                    "ldp_haar(report) or ldp_means(ldp_agg(report)).");
    return one_number(fcinfo, found.value);
}

LDP_FUNCTION(ldp_summary_mean_of) {
    return one_item(fcinfo, Quantity::means, "attribute");
}

LDP_FUNCTION(ldp_summary_frequency_of) {
    return one_item(fcinfo, Quantity::frequencies, "value");
}

LDP_FUNCTION(ldp_summary_frequency) {
    return array_or_null(fcinfo, all_items(summary_argument(fcinfo), Quantity::frequencies));
}

/// The vector that the estimated Haar coefficients add up to, in the attributes' own units.
LDP_FUNCTION(ldp_summary_haar) {
    const Bytes summary = summary_argument(fcinfo);
    // Only Haar reports tell coefficients; of others the error says what they tell instead.
    check_answers(*checked_mechanism(summary), Quantity::coefficients);
    return array_or_null(fcinfo, all_items(summary, Quantity::means));
}

/// (summary, attribute) → summary: one attribute of a record.
LDP_FUNCTION(ldp_part) {
    const Bytes summary = summary_argument(fcinfo);
    PG_RETURN_POINTER(taken(summary, attribute_argument(fcinfo, 1)));
}

/// (fingerprint, attribute) → text: the fingerprint of what ldp_part gives.
LDP_FUNCTION(ldp_part_fingerprint) {
    const std::string_view record = word_argument(fcinfo, 0);
    PG_RETURN_TEXT_P(cstring_to_text(fingerprint_of_part(record, attribute_argument(fcinfo, 1))));
}

/// (summary, attribute, confidence, target, labels): a row per value of one attribute.
LDP_FUNCTION(ldp_attribute_rows) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const std::size_t attribute = attribute_argument(fcinfo, 1);
        Items items{.reach = reach(PG_GETARG_FLOAT8(2)), .labelled = true};
        const Question question{Quantity::frequencies, target_argument(fcinfo, 3), attribute};
        items.labels = text_array_argument(fcinfo, 4);
        answer(summary, question.quantity,
               [&](const Mechanism& mechanism) { items.keep(estimate(mechanism, summary, question)); });
        return items;
    });
}

/// (summary, confidence, target, labels): a row per round of a series and value.
LDP_FUNCTION(ldp_series_rows) {
    struct Rounds {
        Items items;
        std::size_t count, values;
        void write(Columns& columns, std::size_t row) const {
            columns.put(static_cast<std::int32_t>(row / values + 1));
            items.write(columns, row);
        }
    };
    return rows(fcinfo, [=] {
        Items items{.reach = reach(PG_GETARG_FLOAT8(1)), .labelled = true};
        const Target target = target_argument(fcinfo, 2);
        items.labels = text_array_argument(fcinfo, 3);
        const std::size_t values = items.keep_series(summary_argument(fcinfo), target);
        return Rounds{items, items.count, values};
    });
}

/// (summary, method) → float8[]: frequencies made consistent.
LDP_FUNCTION(ldp_consistent) {
    const Bytes summary = summary_argument(fcinfo);
    const Consistency method = consistency_named(word_argument(fcinfo, 1));
    return array_or_null(fcinfo, all_consistent(summary, method));
}

LDP_FUNCTION(ldp_summary_frequencies) {
    return plain_rows(fcinfo, Quantity::frequencies);
}

LDP_FUNCTION(ldp_summary_means) {
    return plain_rows(fcinfo, Quantity::means);
}

LDP_FUNCTION(ldp_summary_coefficients) {
    return plain_rows(fcinfo, Quantity::coefficients);
}

/// (summary, method, confidence, target, labels): a row per value.
LDP_FUNCTION(ldp_frequency_rows) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const Consistency method = consistency_named(word_argument(fcinfo, 1));
        Items items{.reach = reach(PG_GETARG_FLOAT8(2)), .labelled = true};
        const Question question{Quantity::frequencies, target_argument(fcinfo, 3)};
        items.labels = text_array_argument(fcinfo, 4);
        answer(summary, question.quantity, [&](const Mechanism& mechanism) {
            if (method == Consistency::none) return items.keep(estimate(mechanism, summary, question));
            // Errors and intervals belong to the unbiased estimates alone.
            items.keep(consistent(mechanism, summary, method), [](std::size_t i, double value) {
                return Items::Item{static_cast<std::int32_t>(i), {value, unknown}, unknown};
            });
        });
        return items;
    });
}

/// (summary, limit, confidence, target, control, labels): the most frequent values and their significance.
LDP_FUNCTION(ldp_top_rows) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const std::size_t limit = limit_argument(fcinfo, 1);
        Items items{.reach = reach(PG_GETARG_FLOAT8(2)), .labelled = true, .tested = true};
        const Target target = target_argument(fcinfo, 3);
        const Control control = control_named(word_argument(fcinfo, 4));
        items.labels = text_array_argument(fcinfo, 5);
        answer(summary, Quantity::frequencies, [&](const Mechanism& mechanism) {
            items.keep(top(mechanism, summary, limit, target, control));
        });
        return items;
    });
}

/// (summary, selection, control, confidence, labels): the values picked among candidates, and their
/// significance.
LDP_FUNCTION(ldp_candidate_rows) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const Selection selection = selection_named(word_argument(fcinfo, 1));
        const Control control = control_named(word_argument(fcinfo, 2));
        Items items{.reach = reach(PG_GETARG_FLOAT8(3)), .labelled = true, .tested = true};
        items.labels = text_array_argument(fcinfo, 4);
        answer(summary, Quantity::frequencies, [&](const Mechanism& mechanism) {
            items.keep(candidates(mechanism, summary, selection, control));
        });
        return items;
    });
}

/// (summary): what honest reports must follow, and whether these do.
LDP_FUNCTION(ldp_health) {
    struct Statistics {
        struct Statistic {
            const char* name;
            double observed, expected, p_value;
        };
        const Statistic* statistics;
        std::size_t count;
        void write(Columns& columns, std::size_t row) const {
            const Statistic& one = statistics[row];
            columns.put(server_text(one.name));
            columns.put(one.observed);
            columns.put(one.expected);
            columns.put(one.p_value);
        }
    };
    const auto ask = [](Bytes summary) {
        const std::vector<Check> checks = health(*checked_mechanism(summary), summary);
        auto* statistics =
            static_cast<Statistics::Statistic*>(try_palloc(checks.size() * sizeof(Statistics::Statistic)));
        for (std::size_t i = 0; i < checks.size(); ++i)
            statistics[i] = {keep(checks[i].name), checks[i].observed, checks[i].expected, checks[i].p_value};
        return Statistics{statistics, checks.size()};
    };
    return rows(fcinfo, [=] { return ask(summary_argument(fcinfo)); });
}

/// (confidence) → float8: how many standard errors an interval reaches to either side.
LDP_FUNCTION(ldp_reach) {
    PG_RETURN_FLOAT8(reach(PG_GETARG_FLOAT8(0)));
}
