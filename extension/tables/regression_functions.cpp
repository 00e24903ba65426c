// Association of the numbers of a record: covariance, correlation and regression. Also the combination of
// several estimates of one quantity.

#include "core/regression/product_regression.hpp"

#include "estimate_rows.hpp"
#include "tables/text_arrays.hpp"

using namespace ldp;

namespace {

struct EstimateRow {
    const char *term, *label;
    Estimate estimate;
    ldp::Interval interval;
    const char* note;  ///< of this row; null without one
};

constexpr Column term_columns[] = {{"term", TEXTOID},     {"label", TEXTOID},   {"estimate", FLOAT8OID},
                                   {"stderr", FLOAT8OID}, {"lower", FLOAT8OID}, {"upper", FLOAT8OID},
                                   {"n", INT8OID},        {"people", INT8OID},  {"note", TEXTOID}};

/// Rows about all reports together: ldp_estimate_row, or one per term.
struct Rows {
    ReportStatus status = {};
    EstimateRow* rows = nullptr;
    std::size_t count = 0;

    template <class Writer>
    void write(Writer& row, std::size_t number) const {
        const auto& [term, label, estimate, interval, note] = rows[number];
        if constexpr (Writer::has("term")) {
            if (term != nullptr) row.put("term", server_text(term));
            if (label != nullptr) row.put("label", server_text(label));
        }
        row.put("estimate", estimate.value);
        row.put("stderr", estimate.standard_error);
        row.put("lower", interval.lower);
        row.put("upper", interval.upper);
        status.put_counts(row);
        if (note != nullptr)
            row.put("note", server_text(note));
        else
            status.put_note(row, !std::isnan(estimate.value));
    }

    void add(const char* term, const char* label, const Estimate& estimate, const ldp::Interval& interval,
             const char* note = nullptr) noexcept {
        rows[count++] = {term, label, estimate, interval, note};
    }
    void add(const char* term, const char* label, const Estimate& estimate, double critical_value,
             const char* note = nullptr) noexcept {
        add(term, label, estimate,
            {estimate.value - critical_value * estimate.standard_error,
             estimate.value + critical_value * estimate.standard_error},
            note);
    }
};

/// Space for this number of rows about a summary. The attribute with the fewest reports decides whether
/// estimates are published.
Rows room(const SummaryView& view, std::size_t scarcest, std::size_t count) {
    const ReportStatus least = report_status(part(view, scarcest));
    Rows all{.status = report_status(view),
             .rows = static_cast<EstimateRow*>(try_palloc(count * sizeof(EstimateRow)))};
    if (!least.enough) all.status.note = least.note;
    return all;
}

/// `ask(joint)` of a summary whose attributes are known; no rows without reports.
template <class Ask>
Rows ask_joint(const Subject& subject, Target target, Ask ask) {
    const auto found = [&](const SummaryView& view) {
        const Labels& labels = *subject.labels;
        if (!labels.known())
            throw Error(ErrorCode::invalid_value, "the names of the attributes are unknown",
                        "No collection in this database has the summary's spec, which defines the products.",
                        "Run the query in the database of the collection.");
        return ask(Joint{view, labels.attributes(), target});
    };
    return ldp::ask(subject.summary, Rows{}, found,
                    [](const SummaryView& view) { (void)capability<Record>(*view.mechanism); });
}

/// An attribute's name, from its name or number; other text is rejected later.
std::string named(const Joint& joint, std::string_view name) {
    const auto found = find_attribute_or_number(joint.attributes, name);
    return found ? joint.attributes[*found].name : std::string(name);
}

using Associate = MomentEstimate (*)(const Joint&, const std::string&, const std::string&, double);

Rows associated(Associate associate, const Subject& subject, std::string_view x, std::string_view y,
                double critical_value, Target target) {
    return ask_joint(subject, target, [&](const Joint& joint) {
        const auto [estimate, interval, scarcest] =
            associate(joint, named(joint, x), named(joint, y), critical_value);
        Rows all = room(joint.view, scarcest, 1);
        all.add(nullptr, nullptr, estimate, interval);
        return all;
    });
}

Rows regressed(const Subject& subject, std::string_view of, const TextArray& on,
               std::optional<std::string_view> group, double critical_value, Target target) {
    return ask_joint(subject, target, [&](const Joint& joint) {
        RegressionDesign design{named(joint, of), {}, {}};
        for (std::size_t i = 0; i < on.count; ++i) design.on.push_back(named(joint, on.texts[i]));
        if (group) design.group = named(joint, *group);
        const Regression found = regression(joint, design);
        Rows all = room(joint.view, found.scarcest, found.intercepts.size() + found.slopes.size() + 1);
        const auto grouped = group ? find_attribute(joint.attributes, *design.group) : std::nullopt;
        for (std::size_t c = 0; c < found.intercepts.size(); ++c) {
            all.add(grouped ? keep(*design.group) : "(intercept)",
                    grouped ? keep(label_or_number(joint.attributes[*grouped], c)) : nullptr,
                    found.intercepts[c], critical_value);
        }
        for (std::size_t j = 0; j < found.slopes.size(); ++j)
            all.add(keep(design.on[j]), nullptr, found.slopes[j], critical_value);
        const bool status = !found.r_squared_note.empty() && !std::isnan(found.intercepts[0].value);
        all.add("(r_squared)", nullptr, found.r_squared, critical_value,
                status ? keep(found.r_squared_note) : nullptr);
        return all;
    });
}

/// (summary, x, y, confidence, target): a row.
Datum association_rows(FunctionCallInfo fcinfo, Associate associate) {
    return rows<answer_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        const std::string_view x = word_argument(fcinfo, 1), y = word_argument(fcinfo, 2);
        return associated(associate, subject, x, y, critical_value(PG_GETARG_FLOAT8(3)),
                          target_argument(fcinfo, 4));
    });
}

// Combination of estimates ----------------------------------------------------------------------------------

/// A row of ldp_estimate_row, as Answers writes it.
struct Answered {
    static constexpr std::size_t columns = std::size(answer_columns);
    enum Field : std::size_t {
        attribute = column_number<answer_columns>("attribute", TEXTOID),
        label = column_number<answer_columns>("label", TEXTOID),
        estimate = column_number<answer_columns>("estimate", FLOAT8OID),
        standard_error = column_number<answer_columns>("stderr", FLOAT8OID),
        lower = column_number<answer_columns>("lower", FLOAT8OID),
        upper = column_number<answer_columns>("upper", FLOAT8OID),
        n = column_number<answer_columns>("n", INT8OID),
        people = column_number<answer_columns>("people", INT8OID),
        number = column_number<answer_columns>("attribute_number", INT4OID),
        value = column_number<answer_columns>("value", INT4OID),
        note = column_number<answer_columns>("note", TEXTOID)
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

LDP_FUNCTION(ldp_covariance) {
    return association_rows(fcinfo, covariance);
}

LDP_FUNCTION(ldp_correlation) {
    return association_rows(fcinfo, correlation);
}

/// (summary, of, predictors, confidence, target, group): a row for the intercept, or for each group's
/// intercept; for each predictor; and for R².
LDP_FUNCTION(ldp_regression) {
    return rows<term_columns>(
        fcinfo,
        [=] {
            const Subject subject = whole_argument(fcinfo);
            const std::string_view of = word_argument(fcinfo, 1);
            const TextArray on = text_array_argument(fcinfo, 2);
            std::optional<std::string_view> group;
            if (!PG_ARGISNULL(5)) group = word_argument(fcinfo, 5);
            return regressed(subject, of, on, group, critical_value(PG_GETARG_FLOAT8(3)),
                             target_argument(fcinfo, 4));
        },
        1);
}

/// (ldp_estimate_row, ldp_estimate_row): the combination of both. A row without an estimate is ignored.
LDP_FUNCTION(ldp_combine_rows) {
    HeapTupleHeader first = PG_GETARG_HEAPTUPLEHEADER(0), second = PG_GETARG_HEAPTUPLEHEADER(1);
    TupleDesc shape =
        lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(first), HeapTupleHeaderGetTypMod(first));
    check_columns(fcinfo, shape, answer_columns);
    Answered one(first, shape);
    const Answered other(second, shape);
    one.check_same_question(other);
    const bool both = one.weighs() && other.weighs();
    if (!both) PG_RETURN_DATUM(one.weighs() ? PG_GETARG_DATUM(0) : PG_GETARG_DATUM(1));
    one.combine(other);
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(shape, one.values, one.missing)));
}
