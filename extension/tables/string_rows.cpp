// Rows about strings of an open domain.

#include <algorithm>
#include <new>

#include "core/strings/string_queries.hpp"
#include "estimate_rows.hpp"
#include "tables/text_arrays.hpp"

using namespace ldp;

namespace {

/// Row type ldp_string_share.
constexpr Column string_columns[] = {{"attribute", TEXTOID},
                                     {"label", TEXTOID},
                                     {"whole", BOOLOID},
                                     {"estimate", FLOAT8OID},
                                     {"stderr", FLOAT8OID},
                                     {"lower", FLOAT8OID},
                                     {"upper", FLOAT8OID},
                                     {"n", INT8OID},
                                     {"people", INT8OID},
                                     {"p_value", FLOAT8OID},
                                     {"attribute_number", INT4OID},
                                     {"note", TEXTOID}};

/// Strings with their shares. It has no destructor, so it may exist during jumps.
struct StringRows {
    struct StringRow {
        Cell code;
        bool whole;
        bool named;  ///< whether the row has a string
        Estimate estimate;
        double p_value;
        ReportStatus status;
    };

    SummaryLabels labels = {};
    std::size_t attribute = 0;
    double critical_value = 0;
    StringRow* rows = nullptr;
    std::size_t count = 0;

    void write(RowWriter<string_columns>& row, std::size_t number) const {
        const auto& [code, whole, named, found, p_value, status] = rows[number];
        const Estimate estimate = status.enough ? found : Estimate{unknown, unknown};
        const ldp::Interval range =
            extended(interval(estimate, critical_value, status.law), status.bias, critical_value);
        row.put("attribute", TypedDatum<TEXTOID>{labels.name(attribute)});
        row.put("attribute_number", static_cast<std::int32_t>(attribute));
        if (named) {
            row.put("label", TypedDatum<TEXTOID>{labels.label(attribute, code)});
            row.put("whole", whole);
        }
        row.put("estimate", estimate.value);
        row.put("stderr", estimate.standard_error);
        row.put("lower", range.lower);
        row.put("upper", range.upper);
        status.put_counts(row);
        row.put("p_value", status.enough ? p_value : unknown);
        status.put_note(row, !std::isnan(estimate.value));
    }

    // Allowed beside C++ objects.

    void reserve(std::size_t room) {
        rows = static_cast<StringRow*>(try_palloc((room + 1) * sizeof(StringRow)));
    }
    void add(Cell code, bool whole, const StringShare& share, const ReportStatus& status) noexcept {
        new (&rows[count++]) StringRow{
            code, whole, true, share.estimate, share.p_value, status_of_part(status, share.n, share.law)};
    }
    /// A row without a string.
    void add(const ReportStatus& status) noexcept {
        new (&rows[count++]) StringRow{0, false, false, {unknown, unknown}, unknown, status};
    }
};

/// An array argument of strings, as UTF-8; raises an error for a NULL element. May jump.
TextArray strings_argument(FunctionCallInfo fcinfo, int number) {
    if (array_contains_nulls(PG_GETARG_ARRAYTYPE_P(number)))
        ereport(ERROR,
                (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a string must not be NULL"),
                 errhint("Remove the NULL element. The empty string counts people without a string.")));
    return text_array_argument(fcinfo, number);
}

/// Calls `find(view, attribute, status, rows)` for an attribute of strings.
template <class Find>
StringRows strings_of(const Subject& subject, double critical_value, Find find) {
    const auto checked = [&](const SummaryView& view) {
        check_no_ranges(*view.mechanism);
        const std::size_t attribute = one_attribute(*view.mechanism, subject.attribute);
        (void)capability<StringShares>(*part(view, attribute).mechanism);
        return attribute;
    };
    return ask(
        subject.summary, StringRows{},
        [&](const SummaryView& view) {
            StringRows all{
                .labels = subject.labels, .attribute = checked(view), .critical_value = critical_value};
            find(view, all.attribute, report_status(view, part(view, all.attribute)), all);
            return all;
        },
        [&](const SummaryView& view) { (void)checked(view); });
}

StringRows frequent(const Subject& subject, const StringSearchLimits& limits, double critical_value,
                    Target target) {
    return strings_of(
        subject, critical_value,
        [&](const SummaryView& view, std::size_t attribute, const ReportStatus& status, StringRows& all) {
            const auto found = search_strings(view, attribute, limits, target);
            all.reserve(found.size());
            // Below min_group, the set of frequent strings is withheld like their estimates.
            if (!status.enough) return all.add(status);
            for (const FrequentString& one : found) all.add(one.code, one.whole, one.share, status);
        });
}

StringRows asked(const Subject& subject, const TextArray& strings, double critical_value, Target target) {
    return strings_of(
        subject, critical_value,
        [&](const SummaryView& view, std::size_t attribute, const ReportStatus& status, StringRows& all) {
            std::vector<Cell> codes;
            for (std::size_t i = 0; i < strings.count; ++i)
                codes.push_back(subject.labels->value_called(attribute, strings.texts[i]));
            const auto shares = shares_of_strings(view, attribute, codes, target);
            all.reserve(shares.size());
            const Cell base = capability<StringShares>(*part(view, attribute).mechanism).base();
            for (std::size_t i = 0; i < shares.size(); ++i)
                all.add(codes[i], codes[i] % base == 0, shares[i], status);
        });
}

StringSearchLimits limits_of(double significance, std::int32_t keep) {
    if (keep < 1)
        throw Error(ErrorCode::invalid_value, "keep must be at least 1",
                    "Found " + std::to_string(keep) + ".");
    return {.significance = significance, .keep = static_cast<std::uint64_t>(keep)};
}
StringSearchLimits with_limit(StringSearchLimits limits, std::int32_t limit) {
    if (limit < 0)
        throw Error(ErrorCode::invalid_value, "limit must not be negative",
                    "Found " + std::to_string(limit) + ".");
    limits.limit = static_cast<std::size_t>(limit);
    return limits;
}

}  // namespace

/// Arguments: summary, confidence, target, significance, keep, limit, attribute. Returns the strings of a
/// search.
LDP_FUNCTION(ldp_frequent_strings) {
    return rows<string_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            const double critical = critical_value(PG_GETARG_FLOAT8(1));
            const Target target = target_argument(fcinfo, 2);
            const StringSearchLimits significant = limits_of(PG_GETARG_FLOAT8(3), PG_GETARG_INT32(4));
            return frequent(subject,
                            PG_ARGISNULL(5) ? significant : with_limit(significant, PG_GETARG_INT32(5)),
                            critical, target);
        },
        2);
}

/// Arguments: summary, strings, confidence, target, attribute. Returns the shares of these strings.
LDP_FUNCTION(ldp_string_shares) {
    return rows<string_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            const TextArray strings = strings_argument(fcinfo, 1);
            const double critical = critical_value(PG_GETARG_FLOAT8(2));
            return asked(subject, strings, critical, target_argument(fcinfo, 3));
        },
        1);
}
