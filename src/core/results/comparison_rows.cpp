// Rows of differences between groups.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/comparison/comparison.hpp"
#include "core/comparison/group_test.hpp"
#include "core/results/report_status.hpp"
#include "core/results/row_functions.hpp"
#include "core/tables/marginal.hpp"

namespace ldp {

namespace {

constexpr ResultColumn comparison_columns[] = {{"attribute", ColumnType::text},
                                               {"label", ColumnType::text},
                                               {"group_name", ColumnType::text},
                                               {"baseline", ColumnType::text},
                                               {"estimate", ColumnType::number},
                                               {"stderr", ColumnType::number},
                                               {"lower", ColumnType::number},
                                               {"upper", ColumnType::number},
                                               {"n", ColumnType::bigint},
                                               {"baseline_n", ColumnType::bigint},
                                               {"p_value", ColumnType::number},
                                               {"adjusted_p_value", ColumnType::number},
                                               {"attribute_number", ColumnType::integer},
                                               {"value", ColumnType::integer},
                                               {"note", ColumnType::text}};

struct ComparisonRows {
    /// An attribute or a joint table: its name, the labels of its values (none for a mean), and the status of each
    /// group's reports about it.
    struct ComparedItem {
        std::string name;
        std::vector<std::string> labels;
        std::vector<ReportStatus> status;
    };
    std::vector<std::optional<std::string>> names = {};  ///< of the groups
    bool table = false;
    std::vector<Comparison> rows = {};
    std::vector<ComparedItem> items = {};  ///< by number of the attribute
    std::size_t count = 0;

    void write(RowCells<comparison_columns>& row, std::size_t number) const {
        const Comparison& found = rows[number];
        const ComparedItem& item = items[found.attribute];
        const ReportStatus &group = item.status[found.group], &baseline = item.status[found.baseline];
        row.put("attribute", item.name);
        if (found.value) row.put("label", item.labels[*found.value]);
        if (names[found.group]) row.put("group_name", *names[found.group]);
        if (names[found.baseline]) row.put("baseline", *names[found.baseline]);
        if (group.enough && baseline.enough) {
            const Difference& difference = found.difference;
            row.put("estimate", difference.difference.value);
            row.put("stderr", difference.difference.standard_error);
            const Interval range = extended(
                difference.interval, bias_of_difference(group.bias, baseline.bias), found.critical_value);
            row.put("lower", range.lower);
            row.put("upper", range.upper);
            row.put("p_value", difference.p_value);
            row.put("adjusted_p_value", found.adjusted);
        }
        row.put("n", group.n);
        row.put("baseline_n", baseline.n);
        if (!table) {
            row.put("attribute_number", static_cast<std::int32_t>(found.attribute));
            if (found.value) row.put("value", static_cast<std::int32_t>(*found.value));
        }
        const bool of_group = !group.enough || group.note || group.n == 0;
        (of_group ? group : baseline).put_note(row, !std::isnan(found.difference.difference.value));
    }
};

/// The attributes in ascending order, without repetition.
std::vector<std::size_t> attributes_of(const SummaryQuery& query, const Labels& labels, std::size_t count) {
    std::vector<std::size_t> all;
    for (const std::string_view name : query.attributes.value_or(SummaryQuery::Texts{}))
        all.push_back(labels.attribute_called(name, count));
    std::ranges::sort(all);
    if (std::ranges::adjacent_find(all) != all.end())
        throw Error(ErrorCode::invalid_value, "an attribute occurs twice", {}, "Name each attribute once.");
    return all;
}

/// Throws Error (invalid_value) if not every group has a summary.
void check_group_names(const SummaryQuery& query) {
    if (query.groups.size() != query.summaries.size())
        throw Error(ErrorCode::invalid_value, "groups and summaries must have the same number of elements",
                    "Found " + std::to_string(query.groups.size()) + " and " +
                        std::to_string(query.summaries.size()) + ".",
                    "Pass a name and a summary of each group, in the same order.");
}

/// The number of the group that is the baseline, if one is. Throws Error (invalid_value).
std::optional<std::size_t> baseline_of(const SummaryQuery& query) {
    check_group_names(query);
    if (!query.baseline_group) return std::nullopt;
    const auto found = std::ranges::find(query.groups, query.baseline_group);
    if (found == query.groups.end())
        throw Error(ErrorCode::invalid_value,
                    "there is no group \"" + shortened(*query.baseline_group, 100) + "\"",
                    "The argument baseline is the name of a group.",
                    "Without a baseline all pairs of groups are compared.");
    return static_cast<std::size_t>(found - query.groups.begin());
}

/// The summaries of the groups, with their mechanisms.
struct GroupSummaries {
    explicit GroupSummaries(const SummaryQuery& query) {
        for (const Bytes summary : query.summaries) {
            mechanisms.push_back(checked_mechanism(summary));
            views.push_back(view_of(*mechanisms.back(), summary));
        }
    }
    [[nodiscard]] std::vector<std::uint64_t> sizes() const {
        return mechanisms.empty() ? std::vector<std::uint64_t>{} : mechanisms[0]->cells();
    }

    std::vector<std::unique_ptr<const Mechanism>> mechanisms = {};
    std::vector<SummaryView> views = {};
};

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

constexpr ResultColumn group_test_columns[] = {{"attribute", ColumnType::text},
                                               {"chi_square", ColumnType::number},
                                               {"degrees_of_freedom", ColumnType::number},
                                               {"groups", ColumnType::integer},
                                               {"n", ColumnType::bigint},
                                               {"p_value", ColumnType::number},
                                               {"adjusted_p_value", ColumnType::number},
                                               {"attribute_number", ColumnType::integer},
                                               {"note", ColumnType::text}};

struct GroupTestRows {
    std::vector<std::string> names = {};
    std::vector<GroupTest> rows = {};
    std::vector<std::string> notes = {};
    std::size_t count = 0;

    void write(RowCells<group_test_columns>& row, std::size_t number) const {
        const GroupTest& found = rows[number];
        row.put("attribute", names[number]);
        row.put("chi_square", found.statistic);
        row.put("degrees_of_freedom", found.degrees_of_freedom);
        row.put("p_value", found.p_value);
        row.put("adjusted_p_value", found.adjusted);
        row.put("groups", static_cast<std::int32_t>(found.groups));
        row.put("n", found.n);
        row.put("attribute_number", static_cast<std::int32_t>(found.attribute));
        if (!notes[number].empty()) row.put("note", notes[number]);
    }
};

/// The note of a test among all groups.
std::string note_of(const GroupTest& test, std::size_t groups) {
    ReportStatus all;
    all.note.reset();
    if (test.groups < groups)
        all.add_note(std::to_string(groups - test.groups) + " of " + std::to_string(groups) +
                     " groups have too few reports");
    if (test.groups > 1 && std::isnan(test.p_value))
        all.add_note("too few reports for a test");
    else if (test.groups > 1 && test.classes < test.values)
        all.add_note(std::to_string(test.values) + " values are in " + std::to_string(test.classes) +
                     " classes, because some are rare");
    if (test.one_by_one)
        all.add_note("the smallest p-value of " + std::to_string(test.values) +
                     " values, times their number, because the covariance of their estimates is unknown");
    return all.note.value_or("");
}

}  // namespace

namespace accessors {

Found group_test(const Subject& subject, const SummaryQuery& query) {
    check_group_names(query);
    const GroupSummaries groups(query);
    const Labels& labels = *subject.labels;
    GroupTestRows all;
    all.rows = test_groups(groups.views, attributes_of(query, labels, groups.sizes().size()));
    for (const GroupTest& test : all.rows) {
        all.names.push_back(labels.name(test.attribute));
        std::string note = note_of(test, groups.views.size());
        // Repeated reports and spent budgets.
        for (const SummaryView& view : groups.views) {
            const ReportStatus status = report_status(view, test.attribute, Target::population);
            if (!status.enough || status.n == 0 || !status.note) continue;
            note += (note.empty() ? "" : "; ") + *status.note;
            break;
        }
        all.notes.push_back(std::move(note));
    }
    all.count = all.rows.size();
    return results<group_test_columns>(std::move(all));
}

Found compare_groups(const Subject& subject, const SummaryQuery& query) {
    const std::optional<std::size_t> baseline = baseline_of(query);
    const IntervalRule rule = IntervalRule::of(query.confidence, query.anytime, query.simultaneous);
    const Target target = target_named(query.target);
    const GroupSummaries groups(query);
    const std::vector<SummaryView>& views = groups.views;
    const std::vector<std::uint64_t> sizes = groups.sizes();
    const Labels& labels = *subject.labels;
    const std::vector<std::size_t> attributes = attributes_of(query, labels, sizes.size());
    const GroupComparison comparison(views, baseline, attributes);
    ComparisonRows all;
    // The only buffer of the size of the result.
    reserve_rows(all.rows, comparison.count());
    all.rows.resize(comparison.count());
    comparison.write(rule, target, all.rows);
    const RowLabels names(labels, sizes, attributes);
    for (const std::optional<std::string_view>& name : query.groups)
        all.names.push_back(name ? std::optional(std::string(*name)) : std::nullopt);
    all.table = attributes.size() > 1;
    all.items.resize(sizes.size());
    all.count = all.rows.size();
    // Rows of an attribute are adjacent, and so are those of a pair of groups.
    Work work;
    for (std::size_t from = 0; from < all.count;) {
        const Comparison& first = all.rows[from];
        std::size_t values = 0, end = from;
        for (; end < all.count && all.rows[end].attribute == first.attribute; ++end, work.done())
            if (all.rows[end].value) values = std::max<std::size_t>(values, *all.rows[end].value + 1);
        auto& [name, words, status] = all.items[first.attribute];
        name = names.attribute(first);
        for (std::size_t v = 0; v < values; ++v, work.done())
            words.push_back(names.value(all.rows[from + v]));
        for (const SummaryView& view : views)
            status.push_back(all.table
                                 ? report_status(SpentBudgets(view, attributes[0]), part(view, attributes[0]))
                                 : report_status(view, first.attribute, target));
        from = end;
    }
    return results<comparison_columns>(std::move(all));
}

}  // namespace accessors

}  // namespace ldp
