// Rows about strings of an open domain.

#include <algorithm>

#include "core/results/row_functions.hpp"
#include "core/results/rows/value_rows.hpp"
#include "core/summary/queries/learn.hpp"
#include "core/summary/queries/string_queries.hpp"

namespace ldp {

namespace {

constexpr auto string_columns =
    answer_columns("truth whole", "number p_value", "bigint people", "integer attribute_number");

/// Strings with their shares.
struct StringRows {
    struct StringRow {
        Cell code;
        bool whole;
        bool named;  ///< whether the row has a string
        Estimate estimate;
        double p_value;
        ReportStatus status;
    };

    const Labels* labels = &no_labels();
    std::size_t attribute = 0;
    double critical_value = 0;
    std::vector<StringRow> rows = {};
    std::size_t count = 0;

    void write(RowCells<string_columns>& row, std::size_t number) const {
        const auto& [code, whole, named, found, p_value, status] = rows[number];
        const Estimate estimate = status.enough ? found : Estimate{unknown, unknown};
        const Interval range =
            extended(interval(estimate, critical_value, status.law), status.bias, critical_value);
        row.put("attribute", labels->name(attribute));
        row.put("attribute_number", static_cast<std::int32_t>(attribute));
        row.put("statistic", "proportion");
        if (named) {
            row.put("label", labels->label(attribute, code));
            row.put("whole", whole);
        }
        row.put("estimate", estimate.value);
        row.put("stderr", estimate.standard_error);
        row.put("lower", range.lower);
        row.put("upper", range.upper);
        status.put_counts(row);
        row.put("p_value", status.shown(p_value));
        status.put_note(row, !std::isnan(estimate.value));
    }

    void add(Cell code, bool whole, const StringShare& share, const ReportStatus& status) {
        rows.push_back(
            {code, whole, true, share.estimate, share.p_value, status_of_part(status, share.n, share.law)});
        count = rows.size();
    }
    /// A row without a string.
    void add(const ReportStatus& status) {
        rows.push_back({0, false, false, {unknown, unknown}, unknown, status});
        count = rows.size();
    }
};

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
            StringRows all;
            all.labels = subject.labels;
            all.attribute = checked(view);
            all.critical_value = critical_value;
            find(view, all.attribute,
                 report_status(SpentBudgets(view, all.attribute), part(view, all.attribute)), all);
            return all;
        },
        [&](const SummaryView& view) { (void)checked(view); });
}

StringSearchLimits limits_of(const SummaryQuery& query) {
    if (query.keep < 1)
        throw Error(ErrorCode::invalid_value, "keep must be at least 1",
                    "Found " + std::to_string(query.keep) + ".");
    StringSearchLimits limits{.significance = query.significance,
                              .keep = static_cast<std::uint64_t>(query.keep)};
    if (!query.most) return limits;
    if (*query.most < 0)
        throw Error(ErrorCode::invalid_value, "limit must not be negative",
                    "Found " + std::to_string(*query.most) + ".");
    limits.limit = static_cast<std::size_t>(*query.most);
    return limits;
}

}  // namespace

namespace accessors {

/// The strings of a search.
Found frequent_strings(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const double critical_value = ldp::critical_value(query.confidence);
    const Target target = target_named(query.target);
    const StringSearchLimits limits = limits_of(query);
    return results<string_columns>(strings_of(
        subject, critical_value,
        [&](const SummaryView& view, std::size_t attribute, const ReportStatus& status, StringRows& all) {
            const auto found = search_strings(view, attribute, limits, target);
            // Below min_group, the set of frequent strings is withheld like their estimates.
            if (!status.enough) return all.add(status);
            for (const FrequentString& one : found) all.add(one.code, one.whole, one.share, status);
        }));
}

/// The shares of these strings.
Found string_shares(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const double critical_value = ldp::critical_value(query.confidence);
    const Target target = target_named(query.target);
    return results<string_columns>(strings_of(
        subject, critical_value,
        [&](const SummaryView& view, std::size_t attribute, const ReportStatus& status, StringRows& all) {
            std::vector<Cell> codes;
            for (const std::string_view string : query.strings)
                codes.push_back(subject.labels->value_called(attribute, string));
            const auto shares = shares_of_strings(view, attribute, codes, target);
            const Cell base = capability<StringShares>(*part(view, attribute).mechanism).base();
            for (std::size_t i = 0; i < shares.size(); ++i)
                all.add(codes[i], codes[i] % base == 0, shares[i], status);
        }));
}

}  // namespace accessors

}  // namespace ldp
