// Arithmetic of rows of estimates: the combination of several estimates of one quantity, differences, quotients and
// weighted means.

#include "core/groups/independent.hpp"
#include "core/results/estimate_rows.hpp"
#include "core/summary/errors.hpp"
#include "summary_rows.hpp"

#include <cstring>

extern "C" {
#include "common/hashfn.h"
}

using namespace ldp;

namespace {

/// The intervals of rows without bounds.
constexpr double usual_confidence = SummaryQuery{}.confidence;

/// A row of ldp_row.
struct Answered {
    static constexpr std::size_t columns = std::size(answer_prefix);
    enum Field : std::size_t {
        attribute = result_column<answer_prefix>("attribute", ColumnType::text),
        label = result_column<answer_prefix>("label", ColumnType::text),
        estimate = result_column<answer_prefix>("estimate", ColumnType::number),
        standard_error = result_column<answer_prefix>("stderr", ColumnType::number),
        lower = result_column<answer_prefix>("lower", ColumnType::number),
        upper = result_column<answer_prefix>("upper", ColumnType::number),
        n = result_column<answer_prefix>("n", ColumnType::bigint),
        statistic = result_column<answer_prefix>("statistic", ColumnType::text),
        group = result_column<answer_prefix>("group_key", ColumnType::group),
        source = result_column<answer_prefix>("source", ColumnType::text),
        note = result_column<answer_prefix>("note", ColumnType::text)
    };
    Datum values[columns];
    bool missing[columns];

    Answered(HeapTupleHeader row, TupleDesc shape) {
        HeapTupleData tuple{};
        tuple.t_len = HeapTupleHeaderGetDatumLength(row);
        tuple.t_data = row;
        heap_deform_tuple(&tuple, shape, values, missing);
        if (std::string_view(words(statistic)) ==
            statistic_names[static_cast<std::size_t>(Statistic::direction)])
            ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                            errmsg("a direction has no sum, difference, quotient or mean"),
                            errdetail("\"%s\" has values on a circle.", words(attribute)),
                            errhint("Compare the shares of arcs instead.")));
    }

    [[noreturn]] void raise_invalid_error() const {
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("estimate has no valid standard error"),
                 errdetail("The standard error is %g, the estimate %g.",
                           DatumGetFloat8(values[standard_error]), DatumGetFloat8(values[estimate])),
                 errhint("Combine rows with an estimate and a standard error greater than 0.")));
        pg_unreachable();
    }
    /// Whether the row has an estimate. Raises an error if its standard error gives no weight.
    [[nodiscard]] bool weighs() const {
        if (missing[estimate] || missing[standard_error]) return false;
        const double error = DatumGetFloat8(values[standard_error]);
        if (error > 0 && std::isfinite(error) && std::isfinite(DatumGetFloat8(values[estimate]))) return true;
        raise_invalid_error();
    }
    [[nodiscard]] const char* words(Field column) const {
        return missing[column] ? "" : TextDatumGetCString(values[column]);
    }
    void check_same_question(const Answered& other) const {
        for (const Field column : {attribute, label}) {
            if (equal_words(column, other)) continue;
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("cannot combine estimates of different quantities"),
                            errdetail("Found \"%s\" and \"%s\".", words(column), other.words(column)),
                            errhint("Group them by attribute and label.")));
        }
    }
    [[nodiscard]] bool equal_words(Field column, const Answered& other) const {
        return missing[column] == other.missing[column] &&
               std::string_view(words(column)) == std::string_view(other.words(column));
    }
    [[nodiscard]] bool equal_count(Field column, const Answered& other) const {
        return missing[column] == other.missing[column] &&
               (missing[column] || DatumGetInt64(values[column]) == DatumGetInt64(other.values[column]));
    }
    /// Raises an error if the rows are two quantities of the same reports, as their sources show. Groups of different people may have
    /// equal counts, and then equal sources, so that one quantity of equal sources is accepted.
    void check_different_people(const Answered& other) const {
        if (missing[source] || other.missing[source])
            ereport(
                ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("source of an estimate is unknown"),
                 errdetail("The column source shows whether two estimates are about the same reports."),
                 errhint(
                     "Pass whole rows. For an estimate from elsewhere, set the column source to its name.")));
        if (!equal_words(source, other) ||
            (equal_words(attribute, other) && equal_words(label, other) && equal_words(statistic, other)))
            return;
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("cannot subtract or divide two estimates of the same people"),
                        errdetail("Both rows have the source \"%s\"; their labels are \"%s\" and \"%s\".",
                                  words(source), words(label), other.words(label)),
                        errhint("For estimates of one summary, use ldp_contrast.")));
    }
    /// The sum of two counts, if both are known and the sum does not overflow.
    void count(Field column, const Answered& other) {
        std::int64_t sum = 0;
        missing[column] =
            missing[column] || other.missing[column] ||
            __builtin_add_overflow(DatumGetInt64(values[column]), DatumGetInt64(other.values[column]), &sum);
        values[column] = Int64GetDatum(sum);
    }
    /// Whether the row has an estimate with a standard error. Raises an error if they are no numbers of an estimate.
    [[nodiscard]] bool known() const {
        if (missing[estimate] || missing[standard_error]) return false;
        const double error = DatumGetFloat8(values[standard_error]);
        if (error >= 0 && std::isfinite(error) && std::isfinite(DatumGetFloat8(values[estimate])))
            return true;
        raise_invalid_error();
    }
    /// The estimate of a row. A row without bounds gets those of the normal law.
    [[nodiscard]] BoundedEstimate bounded() const {
        const Estimate found{DatumGetFloat8(values[estimate]), DatumGetFloat8(values[standard_error])};
        if (missing[lower] || missing[upper]) return {found, interval(found, usual_confidence)};
        const ldp::Interval range{DatumGetFloat8(values[lower]), DatumGetFloat8(values[upper])};
        if (!(range.lower <= range.upper))
            ereport(ERROR,
                    (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid interval of an estimate"),
                     errdetail("The lower end is %g, the upper end %g.", range.lower, range.upper)));
        return {found, range};
    }
    /// Writes a result that is computed from this row and another one.
    void put(const BoundedEstimate& result) {
        values[estimate] = Float8GetDatum(result.estimate.value);
        values[standard_error] = Float8GetDatum(result.estimate.standard_error);
        values[lower] = Float8GetDatum(result.interval.lower);
        values[upper] = Float8GetDatum(result.interval.upper);
        for (const Field column : {estimate, standard_error, lower, upper})
            missing[column] = std::isnan(DatumGetFloat8(values[column]));
    }
    void put_nothing(const char* reason) {
        for (const Field column : {estimate, standard_error, lower, upper}) missing[column] = true;
        put_note(reason);
    }
    void put_note(const char* text) { missing[note] = false, values[note] = CStringGetTextDatum(text); }
    /// Adds the count of another row, and leaves names that differ unknown. The source becomes that of both.
    void join(const Answered& other) {
        for (const Field column : {attribute, label, statistic})
            missing[column] = missing[column] || !equal_words(column, other);
        missing[group] = true;
        count(n, other);
        if (!missing[source] && !other.missing[source]) {
            const char* both = psprintf("%s %s", words(source), other.words(source));
            const std::uint32_t digest = DatumGetUInt32(
                hash_any(reinterpret_cast<const unsigned char*>(both), static_cast<int>(std::strlen(both))));
            values[source] = CStringGetTextDatum(psprintf("%.8s/%08x", words(source), digest));
        } else {
            missing[source] = true;
        }
        if (missing[note]) missing[note] = other.missing[note], values[note] = other.values[note];
    }
    void combine(const Answered& other) {
        const BoundedEstimate one = bounded(), another = other.bounded();
        put({combined(one.estimate, another.estimate),
             combined_interval(one.estimate, one.interval, another.estimate, another.interval)});
        join(other);
    }
};

/// Two arguments of type ldp_row. May jump.
struct TwoRows {
    TupleDesc shape;
    Answered one, other;

    TwoRows(FunctionCallInfo fcinfo, int first, int second)
        : shape(shape_of(fcinfo, PG_GETARG_HEAPTUPLEHEADER(first))),
          one(PG_GETARG_HEAPTUPLEHEADER(first), shape),
          other(PG_GETARG_HEAPTUPLEHEADER(second), shape) {}

    [[nodiscard]] static TupleDesc shape_of(FunctionCallInfo fcinfo, HeapTupleHeader row) {
        TupleDesc shape =
            lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
        check_columns(fcinfo, shape, std::span<const ResultColumn>(answer_prefix));
        return shape;
    }
    [[nodiscard]] Datum first() { return HeapTupleGetDatum(heap_form_tuple(shape, one.values, one.missing)); }
};

constexpr const char* no_estimate_note = "an estimate is unknown";

/// The result of an operation on two estimates of different people.
template <class Operation>
Datum computed(FunctionCallInfo fcinfo, Operation operation) {
    TwoRows rows(fcinfo, 0, 1);
    const bool known = rows.one.known() && rows.other.known();
    if (known) rows.one.check_different_people(rows.other);
    rows.one.join(rows.other);
    if (known)
        operation(rows.one, rows.other.bounded());
    else
        rows.one.put_nothing(no_estimate_note);
    return rows.first();
}

/// A weight of a row. Raises an error unless it is a number from 0 on.
double weight_argument(FunctionCallInfo fcinfo, int number) {
    if (PG_ARGISNULL(number - 1) || PG_ARGISNULL(number))
        ereport(ERROR,
                (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                 errmsg(PG_ARGISNULL(number) ? "weight is NULL" : "weighted row of estimates is NULL"),
                 errdetail("A weighted mean without this group would be an estimate for other people."),
                 errhint("Merge the group with another one, or omit its row and its weight.")));
    const double weight = PG_GETARG_FLOAT8(number);
    if (!(weight >= 0) || !std::isfinite(weight))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid weight: %g", weight),
                 errhint("Use weights of at least 0, for example the number of people of each group in the "
                         "population.")));
    return weight;
}

}  // namespace

/// (ldp_row, ldp_row): the combination of both. A row without an estimate is ignored. The result has
/// bounds.
LDP_FUNCTION(ldp_combine_rows) {
    TwoRows rows(fcinfo, 0, 1);
    rows.one.check_same_question(rows.other);
    if (!rows.one.weighs()) std::swap(rows.one, rows.other);
    if (!rows.one.weighs()) PG_RETURN_DATUM(PG_GETARG_DATUM(1));
    if (rows.other.weighs())
        rows.one.combine(rows.other);
    else
        rows.one.put(rows.one.bounded());
    PG_RETURN_DATUM(rows.first());
}

/// (ldp_row, ldp_row): the first minus the second.
LDP_FUNCTION(ldp_difference) {
    return computed(fcinfo, [](Answered& one, const BoundedEstimate& other) {
        one.put(difference_of(one.bounded(), other));
    });
}

/// (ldp_row, ldp_row): the first divided by the second.
LDP_FUNCTION(ldp_ratio) {
    return computed(fcinfo, [](Answered& one, const BoundedEstimate& other) {
        const BoundedEstimate numerator = one.bounded(), result = quotient_of(numerator, other);
        one.put(result);
        // An unlimited numerator, such as another quotient, has a note of its own.
        const bool limited =
            std::isfinite(numerator.interval.lower) && std::isfinite(numerator.interval.upper);
        if (other.estimate.value == 0 || (limited && !std::isfinite(result.interval.lower)))
            one.put_note("the denominator may be 0");
    });
}

/// (ldp_row, weight, ldp_row, weight): their weighted mean. A row with weight 0 has no effect.
LDP_FUNCTION(ldp_weighted_rows) {
    const double weight = weight_argument(fcinfo, 1), other_weight = weight_argument(fcinfo, 3);
    TwoRows rows(fcinfo, 0, 2);
    rows.one.check_same_question(rows.other);
    if (other_weight == 0) PG_RETURN_DATUM(PG_GETARG_DATUM(0));
    if (weight == 0) PG_RETURN_DATUM(PG_GETARG_DATUM(2));
    if (rows.one.known() && rows.other.known())
        rows.one.put(weighted_mean(rows.one.bounded(), weight, rows.other.bounded(), other_weight));
    else
        rows.one.put_nothing(no_estimate_note);
    rows.one.join(rows.other);
    PG_RETURN_DATUM(rows.first());
}
