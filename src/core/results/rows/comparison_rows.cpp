// Rows of differences between groups, and of weighted sums of the estimates of one summary.
//
// Length: the row types share the status of groups and the labels.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/groups/answered_groups.hpp"
#include "core/groups/calibration.hpp"
#include "core/groups/calibration_totals.hpp"
#include "core/groups/comparison.hpp"
#include "core/groups/group_test.hpp"
#include "core/groups/named_groups.hpp"
#include "core/groups/weighted_sum.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/results/estimate_rows.hpp"
#include "core/results/report_status.hpp"
#include "core/results/row_functions.hpp"
#include "core/tables/marginal.hpp"

namespace ldp {

namespace {

constexpr auto comparison_columns =
    answer_columns("text baseline", "bigint baseline_n", "number p_value", "number adjusted_p_value",
                   "integer attribute_number", "integer value");

struct ComparisonRows {
    /// An attribute or a joint table: its name, the labels of its values (none for a mean), and the status of each
    /// group's reports about it.
    struct ComparedItem {
        std::string name;
        std::vector<std::string> labels;
        std::vector<ReportStatus> status;
    };
    std::vector<std::optional<std::string>> names = {};  ///< of the groups
    std::vector<std::int64_t> numbers = {};              ///< of the groups, in the query
    bool table = false;
    std::vector<Comparison> rows = {};
    std::vector<ComparedItem> items = {};  ///< by number of the attribute
    std::size_t count = 0;

    [[nodiscard]] BiasBound bias_of(const Comparison& one) const noexcept {
        const std::vector<ReportStatus>& status = items[one.attribute].status;
        return bias_of_difference(status[one.group].bias, status[one.baseline].bias);
    }
    /// Extends the p-values by the biases, as the intervals are extended, and adjusts them again.
    void extend_p_values() {
        bool biased = false;
        for (Comparison& one : rows) {
            Difference& found = one.difference;
            const double p_value = extended_p_value(found.p_value, found.difference.value, found.interval,
                                                    bias_of(one), one.critical_value);
            biased |= p_value > found.p_value;
            found.p_value = p_value;
        }
        if (!biased) return;
        for (Comparison& one : rows)
            if (!std::isnan(one.adjusted)) one.adjusted = one.difference.p_value;
        adjust_by_holm<Comparison>(
            rows, [](const Comparison& one) { return one.adjusted; },
            [](Comparison& one, double adjusted) { one.adjusted = adjusted; });
    }

    void write(RowCells<comparison_columns>& row, std::size_t number) const {
        const Comparison& found = rows[number];
        const ComparedItem& item = items[found.attribute];
        const ReportStatus &group = item.status[found.group], &baseline = item.status[found.baseline];
        row.put("attribute", item.name);
        if (found.value) row.put("label", item.labels[*found.value]);
        row.put("statistic", "difference");
        if (names[found.group]) row.put("group_key", GroupName{*names[found.group], numbers[found.group]});
        if (names[found.baseline]) row.put("baseline", *names[found.baseline]);
        if (group.enough && baseline.enough) {
            const Difference& difference = found.difference;
            row.put("estimate", difference.difference.value);
            row.put("stderr", difference.difference.standard_error);
            const Interval range = extended(difference.interval, bias_of(found), found.critical_value);
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

constexpr auto calibrated_columns =
    answer_columns("number design_effect", "bigint people", "integer attribute_number", "integer value");

/// The column of ldp_estimate's rows.
constexpr std::size_t estimate_at = result_column<estimate_columns>("estimate", ColumnType::number),
                      error_at = result_column<estimate_columns>("stderr", ColumnType::number),
                      lower_at = result_column<estimate_columns>("lower", ColumnType::number),
                      upper_at = result_column<estimate_columns>("upper", ColumnType::number),
                      reports_at = result_column<estimate_columns>("n", ColumnType::bigint),
                      people_at = result_column<estimate_columns>("people", ColumnType::bigint),
                      note_at = result_column<estimate_columns>("note", ColumnType::text);

/// The most pairs of a group and an estimate in one call of ldp_calibrate. Each takes 40 bytes.
constexpr std::size_t max_calibrated = 2'000'000;

/// Weighted means of the estimates of groups.
struct CalibratedRows {
    struct CalibratedRow {
        ResultCell attribute, label, statistic, number, value;
        BoundedEstimate found{{unknown, unknown}, {unknown, unknown}};
        double design_effect = unknown;
        std::uint64_t n = 0, people = 0;
        std::string note = {};
    };
    std::vector<CalibratedRow> rows = {};
    std::size_t count = 0;

    void write(RowCells<calibrated_columns>& row, std::size_t at) const {
        const CalibratedRow& one = rows[at];
        if (one.attribute.known) row.put("attribute", one.attribute.text);
        if (one.label.known) row.put("label", one.label.text);
        row.put("statistic", one.statistic.text);
        row.put("estimate", one.found.estimate.value);
        row.put("stderr", one.found.estimate.standard_error);
        row.put("lower", one.found.interval.lower);
        row.put("upper", one.found.interval.upper);
        row.put("n", one.n);
        if (one.people > 0) row.put("people", one.people);
        row.put("design_effect", one.design_effect);
        if (one.number.known) row.put("attribute_number", static_cast<std::int32_t>(one.number.whole));
        if (one.value.known) row.put("value", static_cast<std::int32_t>(one.value.whole));
        if (!one.note.empty()) row.put("note", one.note);
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

/// The number of the group that is the baseline, if one is. Throws Error (invalid_value).
std::optional<std::size_t> baseline_of(const NamedGroups& named, const SummaryQuery& query) {
    if (!query.baseline_group) return std::nullopt;
    const auto found = std::ranges::find(named.names, query.baseline_group);
    if (found == named.names.end())
        throw Error(ErrorCode::invalid_value,
                    "there is no group \"" + shortened(*query.baseline_group, 100) + "\"",
                    "The argument baseline is the name of a group.",
                    "Without a baseline, all pairs of groups are compared.");
    return static_cast<std::size_t>(found - named.names.begin());
}

/// The summaries of the groups, with their mechanisms.
struct GroupSummaries {
    explicit GroupSummaries(std::span<const Bytes> summaries) {
        for (const Bytes summary : summaries) {
            mechanisms.push_back(checked_mechanism(summary));
            views.push_back(view_of(*mechanisms.back(), summary));
        }
    }
    [[nodiscard]] std::vector<std::uint64_t> sizes() const {
        return mechanisms.empty() ? std::vector<std::uint64_t>{} : mechanisms[0]->cells();
    }

    std::vector<std::shared_ptr<const Mechanism>> mechanisms = {};
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

constexpr auto group_test_columns = columns("text attribute", "number chi_square", "bigint n", "text note",
                                            "integer groups", "number degrees_of_freedom", "number p_value",
                                            "number adjusted_p_value", "integer attribute_number");

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
        all.add_note(
            std::to_string(groups - test.groups) + " of " + std::to_string(groups) +
            (test.groups + 1 == groups ? " groups has too few reports" : " groups have too few reports"));
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

/// The status of a sum over the parts that some attributes are in.
ReportStatus status_of_sum(const SummaryView& view, std::span<const Labels::QuantityWeight> weights,
                           Target target) {
    ReportStatus all = report_status(SpentBudgets(view), view);
    all.note.reset();
    std::uint64_t reports = 0;
    std::vector<std::string> notes;
    for (std::size_t from = 0, end = 0; from < weights.size(); from = end) {
        const std::size_t attribute = weights[from].attribute;
        while (end < weights.size() && weights[end].attribute == attribute) ++end;
        const ReportStatus one = report_status(view, attribute, target);
        reports += one.n;
        all.enough &= one.enough;
        if (one.note && std::ranges::find(notes, *one.note) == notes.end()) notes.push_back(*one.note);
        if (from == 0) all.bias = {};
        const Interval possible = possible_sums(*view.mechanism, weights.subspan(from, end - from));
        const double range = one.bias.range > 0 ? possible.upper - possible.lower : 0;
        // The sum of share·range, of all attributes.
        all.bias = {all.bias.share + one.bias.share * range,
                    all.bias.error + one.bias.error * range,
                    all.bias.range + range,
                    {all.bias.possible.lower + possible.lower, all.bias.possible.upper + possible.upper}};
    }
    if (all.bias.range > 0) {
        all.bias.share /= all.bias.range;
        all.bias.error /= all.bias.range;
    }
    for (const std::string& note : notes) all.add_note(note);
    return status_of_part(std::move(all), reports, {});
}

/// Replaces the estimates of groups by those of pooled_means() if the number has such means. Groups without a weight are
/// unchanged, and so are all groups if one of the others has too few reports. Returns whether people may leave the number out and
/// the estimates were replaced.
bool take_pooled_means(std::vector<BoundedEstimate>& found, const SummaryQuery& query,
                       std::span<const double> weights, std::size_t attribute, double critical_value) {
    const Target target = target_named(query.target);
    const GroupSummaries groups(query.summaries);
    const Mechanism& mechanism = *groups.views[0].mechanism;
    const Mechanism& number = *part_of(mechanism, attribute).mechanism;
    if (!is_compared_number(mechanism, attribute) || !has_pooled_means(number)) return false;
    std::vector<SummaryView> parts;
    std::vector<double> used;
    std::vector<std::size_t> numbers;
    for (std::size_t g = 0; g < groups.views.size(); ++g) {
        const ReportStatus status = report_status(groups.views[g], attribute, target);
        if (!(weights[g] > 0)) continue;
        if (!status.enough || status.n == 0) return false;
        parts.push_back(part(groups.views[g], attribute));
        used.push_back(weights[g]);
        numbers.push_back(g);
    }
    const std::vector<Estimate> all = pooled_means(parts, used, AnswerRate::of_all, target).groups;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Estimate one = all.empty() ? Estimate{unknown, unknown} : all[i];
        found[numbers[i]] = {one, interval(one, critical_value, ErrorLaw{})};
    }
    return find_capability<ResponseRate>(number) != nullptr;
}

/// The groups of a calibration that are used, and their cells.
CalibrationPlan calibration_plan(const SummaryQuery& query, const GroupColumns& of) {
    std::vector<std::uint64_t> reports;
    for (const Bytes summary : query.summaries) reports.push_back(reports_in(summary));
    CalibrationGroups groups{of, reports, query.weight_column};
    if (query.collapse) groups.fewest = unchecked_header(query.summaries[0]).min_group;
    return plan_calibration(groups, query.totals ? std::optional(query.totals->text) : std::nullopt);
}

}  // namespace

namespace accessors {

Found group_test(const Subject& subject, const SummaryQuery& query) {
    const NamedGroups named(query.groups, query.summaries);
    const GroupSummaries groups(named.summaries);
    const Labels& labels = *subject.labels;
    GroupTestRows all;
    all.rows = test_groups(groups.views, attributes_of(query, labels, groups.sizes().size()));
    const bool panel = are_rounds_of_a_panel(groups.views);
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
        if (panel && !std::isnan(test.p_value))
            note += std::string(note.empty() ? "" : "; ") +
                    "if people repeat responses, the p-value is not valid";
        if (named.left_out > 0)
            note += std::string(note.empty() ? "" : "; ") + note_of_left_out(named.left_out);
        all.notes.push_back(std::move(note));
    }
    all.count = all.rows.size();
    return results<group_test_columns>(std::move(all));
}

// The weights are known for the reports that were made. Against a population, the groups' numbers of reports vary, and
// with them the weights within the cells. To first order, the estimate varies by the residuals of the groups' estimates,
// each with the weight over the square root of the number of reports (Deville, Särndal 1992).
Found calibrate(const Subject& subject, const SummaryQuery& query) {
    check_groups(query.groups, query.summaries);
    if (query.summaries.empty()) return results<calibrated_columns>(CalibratedRows());
    const GroupColumns columns(query.groups, query.by.value_or(SummaryQuery::Texts{}), query.weight_column);
    const CalibrationPlan plan = calibration_plan(query, columns);
    const std::size_t groups = plan.groups.size();
    std::vector<Bytes> summaries;
    for (const std::size_t group : plan.groups) summaries.push_back(query.summaries[group]);
    SummaryQuery used = query;
    used.summaries = summaries;
    const double critical_value = ldp::critical_value(query.confidence);
    const bool population = target_named(query.target) == Target::population;
    const bool panel = are_rounds_of_a_panel(GroupSummaries(summaries).views);
    const CalibrationCells cells{groups, plan.cells, plan.totals};
    std::vector<double> weights = calibrated_weights(plan.start, cells);
    double sum = 0;
    for (const double weight : weights) sum += weight;
    for (double& weight : weights) weight /= sum;
    const SummaryQuery of_group{.confidence = query.confidence,
                                .target = query.target,
                                .attributes = query.attributes,
                                .texts = SummaryQuery::Texts{}};
    // The estimates of one figure in the groups.
    struct Figure {
        std::vector<BoundedEstimate> found;
        std::vector<double> reports;
    };
    CalibratedRows all;
    std::vector<Figure> figures;
    std::size_t first = groups;
    for (std::size_t g = 0; g < groups; ++g) {
        check_interrupt();
        if (!(weights[g] > 0)) continue;
        const Found rows = estimate({.summary = summaries[g], .labels = subject.labels}, of_group);
        if (first == groups) {
            first = g;
            if (rows->count() > max_calibrated / groups)
                throw Error(ErrorCode::invalid_value, "too many estimates",
                            "The groups have " + std::to_string(rows->count()) + " estimates each; at most " +
                                std::to_string(max_calibrated) + " are possible together.",
                            "Name an attribute, or use fewer groups.");
            all.rows.resize(rows->count());
            figures.assign(rows->count(),
                           {std::vector<BoundedEstimate>(groups), std::vector<double>(groups)});
        }
        const std::string name = shortened(columns.names[plan.groups[g]], 100);
        if (rows->count() != all.rows.size())
            throw Error(ErrorCode::invalid_value, "the groups do not have the same estimates",
                        "Group " + name + " has " + std::to_string(rows->count()) + ", group " +
                            std::to_string(plan.groups[first] + 1) + " has " +
                            std::to_string(all.rows.size()) + ".",
                        "Pass summaries of one spec, each with reports.");
        for (std::size_t i = 0; i < all.rows.size(); ++i) {
            const std::span<const ResultCell> row = rows->row(i);
            CalibratedRows::CalibratedRow& one = all.rows[i];
            if (g == first) {
                one.attribute = row[result_column<estimate_columns>("attribute", ColumnType::text)];
                one.label = row[result_column<estimate_columns>("label", ColumnType::text)];
                one.statistic = row[result_column<estimate_columns>("statistic", ColumnType::text)];
                one.number = row[result_column<estimate_columns>("attribute_number", ColumnType::integer)];
                one.value = row[result_column<estimate_columns>("value", ColumnType::integer)];
            }
            one.n += static_cast<std::uint64_t>(row[reports_at].whole);
            if (row[people_at].known) one.people += static_cast<std::uint64_t>(row[people_at].whole);
            const auto number = [&](std::size_t at) { return row[at].known ? row[at].number : unknown; };
            figures[i].found[g] = {{number(estimate_at), number(error_at)},
                                   {number(lower_at), number(upper_at)}};
            figures[i].reports[g] = static_cast<double>(row[reports_at].whole);
            const bool known = row[estimate_at].known && row[error_at].known;
            if (row[note_at].known && (one.note.empty() || !known))
                one.note = known ? row[note_at].text : "group " + name + ": " + row[note_at].text;
        }
    }
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
        CalibratedRows::CalibratedRow& one = all.rows[i];
        if (one.statistic.text == statistic_names[static_cast<std::size_t>(Statistic::direction)]) {
            one.note = "a direction has no mean over groups";
            continue;
        }
        if (one.number.known && !one.value.known &&
            take_pooled_means(figures[i].found, used, weights, static_cast<std::size_t>(one.number.whole),
                              critical_value))
            one.note = "among the people who answer";
        const std::vector<BoundedEstimate>& found = figures[i].found;
        BoundedEstimate mean{};
        double weight_so_far = 0, squares = 0, reports = 0, between = 0;
        std::vector<double> values(groups);
        for (std::size_t g = 0; g < groups; ++g) {
            if (!(weights[g] > 0)) continue;
            mean = weighted_mean(mean, weight_so_far, found[g], weights[g]);
            weight_so_far += weights[g];
            squares += weights[g] * weights[g] / figures[i].reports[g];
            reports += figures[i].reports[g];
            values[g] = found[g].estimate.value;
        }
        if (std::isnan(mean.estimate.value) || std::isnan(mean.estimate.standard_error)) continue;
        if (population) {
            const std::vector<double> residuals = calibration_residuals(values, weights, cells);
            for (std::size_t g = 0; g < groups; ++g)
                if (weights[g] > 0) between += square(weights[g] * residuals[g]) / figures[i].reports[g];
        }
        const double value = mean.estimate.value;
        const double half =
            vector_length(mean.interval.upper - value, half_length(std::sqrt(between), critical_value));
        one.found = {{value, vector_length(mean.estimate.standard_error, std::sqrt(between))},
                     {value - half, value + half}};
        one.design_effect = reports * squares;
        if (panel)
            one.note += std::string(one.note.empty() ? "" : "; ") +
                        "if people repeat responses, the interval is too narrow";
    }
    if (!plan.note.empty())
        for (CalibratedRows::CalibratedRow& one : all.rows)
            one.note += std::string(one.note.empty() ? "" : "; ") + plan.note;
    all.count = all.rows.size();
    return results<calibrated_columns>(std::move(all));
}

Found contrast(const Subject& subject, const SummaryQuery& query) {
    const double critical_value = ldp::critical_value(query.confidence);
    const Target target = target_named(query.target);
    std::vector<Labels::QuantityWeight> weights;
    const auto found = [&](const SummaryView& view) {
        EstimateRows all;
        all.labels = subject.labels;
        all.critical_value = critical_value;
        const BoundedEstimate sum = ldp::contrast(view, weights, target, critical_value);
        ReportStatus status = status_of_sum(view, weights, target);
        const bool reported =
            std::ranges::all_of(weights, [&](const auto& one) { return part(view, one.attribute).n > 0; });
        if (status.enough && reported && std::isnan(sum.estimate.value))
            status.add_note("too few people may answer");
        const bool one = weights.front().attribute == weights.back().attribute;
        all.add(one ? weights[0].attribute : EstimateRows::no_attribute, EstimateRows::none, sum.estimate,
                all.kept(std::move(status)), sum.interval);
        return all;
    };
    return results<estimate_columns>(ask(subject, EstimateRows{}, found, [&](const SummaryView& view) {
        weights = fitting(*subject.labels, view.mechanism->cells())
                      .weights(query.weights.text, view.mechanism->cells());
        check_contrast(*view.mechanism, weights);
    }));
}

Found compare_groups(const Subject& subject, const SummaryQuery& query) {
    const NamedGroups named(query.groups, query.summaries);
    const std::optional<std::size_t> baseline = baseline_of(named, query);
    const IntervalRule rule = IntervalRule::of(query.confidence, query.anytime, query.simultaneous);
    const Target target = target_named(query.target);
    const GroupSummaries groups(named.summaries);
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
    all.numbers = named.numbers;
    for (const std::optional<std::string_view>& name : named.names)
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
        for (ReportStatus& one : status)
            if (one.n > 0) one.add_note(note_of_left_out(named.left_out));
        from = end;
    }
    all.extend_p_values();
    return results<comparison_columns>(std::move(all));
}

}  // namespace accessors

}  // namespace ldp
