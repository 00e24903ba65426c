// The combination of several estimates of one quantity.

#include "core/results/estimate_rows.hpp"
#include "core/summary/errors.hpp"
#include "summary_rows.hpp"

using namespace ldp;

namespace {

/// The intervals of rows without bounds.
constexpr double usual_confidence = SummaryQuery{}.confidence;

/// A row of ldp_estimate_row.
struct Answered {
    static constexpr std::size_t columns = std::size(estimate_columns);
    enum Field : std::size_t {
        attribute = result_column<estimate_columns>("attribute", ColumnType::text),
        label = result_column<estimate_columns>("label", ColumnType::text),
        estimate = result_column<estimate_columns>("estimate", ColumnType::number),
        standard_error = result_column<estimate_columns>("stderr", ColumnType::number),
        lower = result_column<estimate_columns>("lower", ColumnType::number),
        upper = result_column<estimate_columns>("upper", ColumnType::number),
        n = result_column<estimate_columns>("n", ColumnType::bigint),
        people = result_column<estimate_columns>("people", ColumnType::bigint),
        number = result_column<estimate_columns>("attribute_number", ColumnType::integer),
        value = result_column<estimate_columns>("value", ColumnType::integer),
        note = result_column<estimate_columns>("note", ColumnType::text)
    };
    Datum values[columns];
    bool missing[columns];

    Answered(HeapTupleHeader row, TupleDesc shape) {
        HeapTupleData tuple{};
        tuple.t_len = HeapTupleHeaderGetDatumLength(row);
        tuple.t_data = row;
        heap_deform_tuple(&tuple, shape, values, missing);
    }

    /// Whether the row has an estimate. Raises an error if its standard error gives no weight.
    [[nodiscard]] bool weighs() const {
        if (missing[estimate] || missing[standard_error]) return false;
        const double error = DatumGetFloat8(values[standard_error]);
        if (error > 0 && std::isfinite(error) && std::isfinite(DatumGetFloat8(values[estimate]))) return true;
        ereport(
            ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("estimate has no valid standard error"),
             errdetail("The standard error is %g, the estimate %g.", error, DatumGetFloat8(values[estimate])),
             errhint("Combine rows with an estimate and a standard error greater than 0.")));
        pg_unreachable();
    }
    [[nodiscard]] const char* words(Field column) const {
        return missing[column] ? "" : TextDatumGetCString(values[column]);
    }
    void check_same_question(const Answered& other) const {
        for (const Field column : {attribute, label}) {
            if (missing[column] == other.missing[column] &&
                std::string_view(words(column)) == std::string_view(other.words(column)))
                continue;
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("cannot combine estimates of different quantities"),
                            errdetail("Found \"%s\" and \"%s\".", words(column), other.words(column)),
                            errhint("Group them by attribute and label.")));
        }
    }
    /// The sum of two counts, if both are known and the sum does not overflow.
    void count(Field column, const Answered& other) {
        std::int64_t sum = 0;
        missing[column] =
            missing[column] || other.missing[column] ||
            __builtin_add_overflow(DatumGetInt64(values[column]), DatumGetInt64(other.values[column]), &sum);
        values[column] = Int64GetDatum(sum);
    }
    /// The common value of two numbers.
    void agree(Field column, const Answered& other) {
        missing[column] = missing[column] || other.missing[column] ||
                          DatumGetInt32(values[column]) != DatumGetInt32(other.values[column]);
    }
    void combine(const Answered& other) {
        const auto of = [](const Answered& answer) {
            return Estimate{DatumGetFloat8(answer.values[estimate]),
                            DatumGetFloat8(answer.values[standard_error])};
        };
        // A row without bounds gets those of the normal law.
        const auto bounds = [&](const Answered& answer) {
            if (answer.missing[lower] || answer.missing[upper]) return interval(of(answer), usual_confidence);
            return ldp::Interval{DatumGetFloat8(answer.values[lower]), DatumGetFloat8(answer.values[upper])};
        };
        const Estimate both = combined(of(*this), of(other));
        const ldp::Interval range = combined_interval(of(*this), bounds(*this), of(other), bounds(other));
        values[estimate] = Float8GetDatum(both.value);
        values[standard_error] = Float8GetDatum(both.standard_error);
        values[lower] = Float8GetDatum(range.lower);
        values[upper] = Float8GetDatum(range.upper);
        missing[lower] = missing[upper] = false;
        for (const Field column : {n, people}) count(column, other);
        for (const Field column : {number, value}) agree(column, other);
        if (missing[note]) missing[note] = other.missing[note], values[note] = other.values[note];
    }
};

}  // namespace

/// (ldp_estimate_row, ldp_estimate_row): the combination of both. A row without an estimate is ignored.
LDP_FUNCTION(ldp_combine_rows) {
    HeapTupleHeader first = PG_GETARG_HEAPTUPLEHEADER(0), second = PG_GETARG_HEAPTUPLEHEADER(1);
    TupleDesc shape =
        lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(first), HeapTupleHeaderGetTypMod(first));
    check_columns(fcinfo, shape, std::span<const ResultColumn>(estimate_columns));
    Answered one(first, shape);
    const Answered other(second, shape);
    one.check_same_question(other);
    const bool both = one.weighs() && other.weighs();
    if (!both) PG_RETURN_DATUM(one.weighs() ? PG_GETARG_DATUM(0) : PG_GETARG_DATUM(1));
    one.combine(other);
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(shape, one.values, one.missing)));
}
