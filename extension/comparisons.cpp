// Rows of differences between groups.

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/comparison/comparison.hpp"
#include "core/tables/marginal.hpp"
#include "estimate_rows.hpp"
#include "tables/text_arrays.hpp"

using namespace ldp;

namespace {

constexpr Column comparison_columns[] = {
    {"attribute", TEXTOID},        {"label", TEXTOID},      {"group_name", TEXTOID},
    {"baseline", TEXTOID},         {"estimate", FLOAT8OID}, {"stderr", FLOAT8OID},
    {"lower", FLOAT8OID},          {"upper", FLOAT8OID},    {"n", INT8OID},
    {"baseline_n", INT8OID},       {"p_value", FLOAT8OID},  {"adjusted_p_value", FLOAT8OID},
    {"attribute_number", INT4OID}, {"value", INT4OID},      {"note", TEXTOID}};

/// Names and summaries of the groups. A group whose name is NULL has a null name.
struct Groups {
    const Datum* names;
    const bool* unnamed;
    const Bytes* summaries;
    std::size_t count;
};

struct ComparisonQuery {
    Groups groups;
    SummaryLabels labels;
    TextArray attributes;
    std::optional<std::size_t> baseline;
    double critical_value;
    Target target;
};

struct ComparisonRows {
    /// An attribute or a joint table: its name, the labels of its values (null for a mean), in UTF-8, and the
    /// status of each group's reports about it.
    struct Shown {
        const char* name;
        const char** labels;
        const ReportStatus** status;
    };
    Groups groups = {};
    double critical_value = 0;
    bool table = false;
    const Comparison* rows = nullptr;
    const Shown* shown = nullptr;  ///< by number of the attribute
    std::size_t count = 0;

    void write(RowWriter<comparison_columns>& row, std::size_t number) const {
        const Comparison& found = rows[number];
        const Shown& item = shown[found.attribute];
        const ReportStatus *group = item.status[found.group], *baseline = item.status[found.baseline];
        row.put("attribute", server_text(item.name));
        if (found.value) row.put("label", server_text(item.labels[*found.value]));
        if (!groups.unnamed[found.group])
            row.put("group_name", TypedDatum<TEXTOID>{groups.names[found.group]});
        if (!groups.unnamed[found.baseline])
            row.put("baseline", TypedDatum<TEXTOID>{groups.names[found.baseline]});
        if (group->enough && baseline->enough) {
            const Difference& difference = found.difference;
            row.put("estimate", difference.difference.value);
            row.put("stderr", difference.difference.standard_error);
            const ldp::Interval range = extended(
                difference.interval, bias_of_difference(group->bias, baseline->bias), critical_value);
            row.put("lower", range.lower);
            row.put("upper", range.upper);
            row.put("p_value", difference.p_value);
            row.put("adjusted_p_value", found.adjusted);
        }
        row.put("n", group->n);
        row.put("baseline_n", baseline->n);
        if (!table) {
            row.put("attribute_number", static_cast<std::int32_t>(found.attribute));
            if (found.value) row.put("value", static_cast<std::int32_t>(*found.value));
        }
        const bool of_group = !group->enough || group->note != nullptr || group->n == 0;
        (of_group ? group : baseline)->put_note(row, !std::isnan(found.difference.difference.value));
    }
};

// Reading arguments. These functions may jump.
// ---------------------------------------------------------------

[[noreturn]] void refuse(const char* what, const char* detail, const char* hint) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", what), errdetail("%s", detail),
                    errhint("%s", hint)));
}

Groups groups_argument(FunctionCallInfo fcinfo) {
    Datum *names, *values;
    bool *unnamed, *missing;
    int count, summaries;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &names, &unnamed, &count);
    ArrayType* all = PG_GETARG_ARRAYTYPE_P(1);
    deconstruct_array(all, ARR_ELEMTYPE(all), -1, false, TYPALIGN_INT, &values, &missing, &summaries);
    if (count != summaries)
        refuse("groups and summaries must have the same number of elements",
               psprintf("Found %d and %d.", count, summaries),
               "Aggregate both from the same rows, as in array_agg(country), array_agg(summary).");
    auto* contents = static_cast<Bytes*>(palloc(sizeof(Bytes) * (static_cast<std::size_t>(count) + 1)));
    for (int i = 0; i < count; ++i) {
        if (missing[i])
            refuse("a summary must not be NULL", psprintf("It is number %d of %d.", i + 1, count),
                   "Leave out groups without reports.");
        new (&contents[i]) Bytes(ldp::contents(PG_DETOAST_DATUM_PACKED(values[i])));
    }
    return {names, unnamed, contents, static_cast<std::size_t>(count)};
}

/// The number of the group that the argument names; nothing if it is NULL.
std::optional<std::size_t> baseline_argument(FunctionCallInfo fcinfo, int number, const Groups& groups) {
    if (PG_ARGISNULL(number)) return {};
    const char* name = text_to_cstring(PG_GETARG_TEXT_PP(number));
    for (std::size_t i = 0; i < groups.count; ++i)
        if (!groups.unnamed[i] && std::strcmp(TextDatumGetCString(groups.names[i]), name) == 0) return i;
    refuse(psprintf("there is no group \"%.100s\"", name), "The argument baseline is the name of a group.",
           "Without a baseline all pairs of groups are compared.");
}

// Access to summaries; C++ that does not jump.
// ---------------------------------------------------------------

/// The attributes in ascending order, without repetition.
std::vector<std::size_t> attributes_of(const ComparisonQuery& query, const Labels& labels,
                                       std::size_t count) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < query.attributes.count; ++i)
        all.push_back(labels.attribute_called(query.attributes.texts[i], count));
    std::ranges::sort(all);
    if (std::ranges::adjacent_find(all) != all.end())
        throw Error(ErrorCode::invalid_value, "an attribute occurs twice", {}, "Name each attribute once.");
    return all;
}

/// Labels of the rows, one for each value or cell.
class RowLabels {
  public:
    RowLabels(const Labels& labels, const std::vector<std::uint64_t>& sizes,
              const std::vector<std::size_t>& attributes)
        : labels_(labels), attributes_(attributes) {
        if (attributes.size() < 2) return;
        std::vector<std::uint64_t> of_table;
        for (const std::size_t attribute : attributes) {
            of_table.push_back(sizes[attribute]);
            name_ += (name_.empty() ? "" : ", ") + labels.name(attribute);
        }
        cells_.emplace(of_table);
    }
    [[nodiscard]] std::string attribute(const Comparison& found) const {
        return cells_ ? name_ : labels_.name(found.attribute);
    }
    [[nodiscard]] std::string value(const Comparison& found) const {
        if (!cells_) return labels_.label(found.attribute, *found.value);
        const std::vector<std::uint64_t> values = cells_->values(*found.value);
        std::string all;
        for (std::size_t i = 0; i < values.size(); ++i)
            all += (i == 0 ? "" : ", ") + labels_.label(attributes_[i], values[i]);
        return all;
    }

  private:
    const Labels& labels_;
    const std::vector<std::size_t>& attributes_;
    std::string name_;
    std::optional<Cells> cells_;
};

ComparisonRows compared(const ComparisonQuery& query) {
    std::vector<std::unique_ptr<const Mechanism>> mechanisms;
    std::vector<SummaryView> views;
    for (std::size_t i = 0; i < query.groups.count; ++i) {
        mechanisms.push_back(checked_mechanism(query.groups.summaries[i]));
        views.push_back(view_of(*mechanisms[i], query.groups.summaries[i]));
    }
    const std::vector<std::uint64_t> sizes =
        mechanisms.empty() ? std::vector<std::uint64_t>{} : mechanisms[0]->cells();
    const Labels& labels = *query.labels;
    const std::vector<std::size_t> attributes = attributes_of(query, labels, sizes.size());
    const GroupComparison comparison(views, query.baseline, attributes);
    // The only buffer of the size of the result.
    const std::span<Comparison> found(
        static_cast<Comparison*>(try_palloc(sizeof(Comparison) * (comparison.count() + 1))),
        comparison.count());
    comparison.write(query.critical_value, query.target, found);
    const RowLabels names(labels, sizes, attributes);

    ComparisonRows all{.groups = query.groups,
                       .critical_value = query.critical_value,
                       .table = attributes.size() > 1,
                       .rows = found.data()};
    auto* shown =
        static_cast<ComparisonRows::Shown*>(try_palloc(sizeof(ComparisonRows::Shown) * (sizes.size() + 1)));
    all.shown = shown;
    all.count = found.size();
    // Rows of an attribute are adjacent, and so are those of a pair of groups.
    Work work;
    for (std::size_t from = 0; from < found.size();) {
        const Comparison& first = found[from];
        std::size_t values = 0, end = from;
        for (; end < found.size() && found[end].attribute == first.attribute; ++end, work.done())
            if (found[end].value) values = std::max<std::size_t>(values, *found[end].value + 1);
        auto& [name, words, status] = shown[first.attribute];
        name = keep(names.attribute(first));
        words = static_cast<const char**>(try_palloc(sizeof(const char*) * (values + 1)));
        for (std::size_t v = 0; v < values; ++v, work.done()) words[v] = keep(names.value(found[from + v]));
        status = static_cast<const ReportStatus**>(try_palloc(sizeof(const ReportStatus*) * views.size()));
        for (std::size_t g = 0; g < views.size(); ++g)
            status[g] = kept(all.table ? report_status(views[g], part(views[g], attributes[0]))
                                       : report_status(views[g], first.attribute, query.target));
        from = end;
    }
    return all;
}

}  // namespace

/// (groups, summaries, attributes, baseline, confidence, target): a row per pair of groups and estimate.
LDP_FUNCTION(ldp_compare_groups) {
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(4) || PG_ARGISNULL(5))
        return rows<comparison_columns>(fcinfo, [] { return ComparisonRows{}; });
    return rows<comparison_columns>(
        fcinfo,
        [=] {
            const Groups groups = groups_argument(fcinfo);
            return compared({groups,
                             groups.count == 0 ? SummaryLabels() : SummaryLabels(fcinfo, groups.summaries[0]),
                             PG_ARGISNULL(2) ? TextArray{} : text_array_argument(fcinfo, 2),
                             baseline_argument(fcinfo, 3, groups), critical_value(PG_GETARG_FLOAT8(4)),
                             target_argument(fcinfo, 5)});
        },
        4);
}
