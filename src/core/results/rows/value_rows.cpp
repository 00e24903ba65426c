// Rows of means, of shares, and of all estimates of a summary.
//
// Length: all estimates of a summary are made by the functions for means and for shares.

#include "core/results/rows/value_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/groups/named_groups.hpp"
#include "core/mechanism/frequency/label_sets.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mean/means_by_group.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/batch.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/part_means.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/queries/robust_interval.hpp"
#include "core/summary/queries/string_queries.hpp"
#include "core/tables/share_intervals.hpp"

namespace ldp {

bool has_mean(const SummaryView& view, std::size_t attribute) {
    const Mechanism& one = *part_of(*view.mechanism, attribute).mechanism;
    return one.can_estimate(Quantity::means) && !is_series(one);
}

std::size_t one_category(const SummaryView& view, std::optional<std::size_t> named) {
    check_answer(*view.mechanism, Quantity::frequencies);
    const std::size_t attribute = one_attribute(*view.mechanism, named);
    check_no_series(*view.mechanism, attribute);
    const Mechanism& one = *part_of(*view.mechanism, attribute).mechanism;
    if (one.can_estimate(Quantity::strings)) check_can_estimate(one, Quantity::frequencies);
    if (!one.can_estimate(Quantity::frequencies) || is_number_of_groups(*view.mechanism, attribute))
        throw Error(ErrorCode::unsupported, "attribute " + std::to_string(attribute) + " is a number",
                    "Shares are estimated for categories only.",
                    std::vector{Remedy::ask_attribute_means, Remedy::take_attribute});
    return attribute;
}

Subject selected(Subject whole, std::optional<std::string_view> attribute) {
    if (attribute) whole.select(*attribute);
    return whole;
}

std::string no_point_note(const Estimate& share, const Interval& range, const Interval& ends) {
    // A range without a bound on one side has the first or the last point, or lies outside.
    if (std::isinf(range.lower) || std::isinf(range.upper)) return {};
    const bool inside = range.lower <= ends.upper && range.upper >= ends.lower;
    if (!inside || share.value != 0 || share.standard_error != 0) return {};
    return "the range has no point of the grid, to which numbers are rounded";
}

EstimateRows rows_about(const Subject& subject, double critical_value, std::size_t room, bool tested) {
    EstimateRows all;
    all.labels = subject.labels;
    all.critical_value = critical_value;
    all.tested = tested;
    if (room > 0) all.reserve(room);
    return all;
}

ValueStatus::ValueStatus(const SummaryView& view, std::size_t attribute, Target target,
                         const ReportStatus* about)
    : about_(about) {
    const Mechanism& mechanism = *part_of(*view.mechanism, attribute).mechanism;
    if (find_capability<JointViews>(mechanism) == nullptr || !about->enough) return;
    tables_.emplace(view, std::vector{attribute}, Combination::consistent, target);
    cells_.emplace(tables_->sizes());
}

namespace {

/// Allocates the shares if necessary: a mechanism of buckets has fewer shares than values.
void add_shares(EstimateRows& all, const SummaryView& view, std::size_t attribute, Target target) {
    const ValueStatus about(view, attribute, target, all.kept(report_status(view, attribute, target)));
    if (about.measured()) {
        if (!all.reserved()) all.reserve(about.values());
        for_each_index(about.values(), [&](std::size_t value) {
            const MeasuredShare share = about.share(value);
            all.add(attribute, value, share.estimate, about.with(share.law, all));
        });
        return;
    }
    const auto estimates = estimate(view, {Quantity::frequencies, target, attribute});
    if (!all.reserved()) all.reserve(estimates.size());
    const auto ranges = own_intervals(view, attribute, target, all.critical_value);
    for_each_index(estimates.size(), [&](std::size_t value) {
        if (ranges.empty())
            all.add(attribute, value, estimates[value], about.of(value, all));
        else
            all.add(attribute, value, estimates[value], about.of(value, all), ranges[value]);
    });
}

/// Adds the row of a mean direction.
void add_direction(EstimateRows& all, std::size_t attribute, const Estimate& mean, const Direction& found,
                   ReportStatus status) {
    if (status.enough && !found.determined)
        status.add_note("the direction is not determined: the values may prefer none");
    else if (status.enough)
        status.add_note(
            "the mean direction; beyond an end of the range, the interval goes on at the other end");
    const Estimate shown{mean.value, found.determined ? mean.standard_error : unknown};
    all.add(attribute, EstimateRows::none, shown, all.kept(std::move(status)), found.interval);
    all.rows.back().statistic = Statistic::direction;
}

/// Adds the row of the mean resultant length of values on a circle.
void add_resultant_length(EstimateRows& all, const SummaryView& view, std::size_t attribute, Target target) {
    const SummaryView one = part(view, attribute);
    const ResultantLength found = resultant_length(view, attribute, target, all.critical_value)
                                      .value_or(ResultantLength{{unknown, unknown}, {unknown, unknown}});
    all.add(attribute, EstimateRows::none, found.estimate,
            all.kept(report_status(SpentBudgets(view, attribute), one, possible_shares)), found.interval);
    all.rows.back().statistic = Statistic::resultant_length;
}

/// Adds the row of a mean. If people may leave the number out, the row has an interval of its own.
void add_mean(EstimateRows& all, const SummaryView& view, std::size_t attribute, const Estimate& mean,
              Target target) {
    ReportStatus status = report_status(view, attribute, target);
    if (const auto found = mean_direction(view, attribute, target, all.critical_value)) {
        add_direction(all, attribute, mean, *found, std::move(status));
        return;
    }
    const auto own = answered_interval(view, attribute, target, all.critical_value);
    if (!own) {
        all.add(attribute, EstimateRows::none, mean, all.kept(std::move(status)));
        return;
    }
    const Interval& range = status.law.truths;
    // A report that repeats another response changes the mean by up to its share among the people who answer.
    constexpr double least_rate = 0.01;
    const Estimate rate = response_rate(view, attribute, Target::population).estimate;
    status.bias.range /= std::clamp(rate.value, least_rate, 1.0);
    if (status.enough) {
        const bool whole = own->lower <= range.lower && own->upper >= range.upper;
        status.add_note(whole ? "among the people who answer, of whom there may be too few for an interval"
                              : "among the people who answer");
        // The bias of a ratio is at most about the square of this, in halves of the range.
        constexpr double uncertain = 0.1;
        if (!whole && !(rate.standard_error < uncertain * rate.value))
            status.add_note("averages of many such means are biased");
    }
    // Arithmetic with rows uses the standard error, and ignores rows without one.
    const Estimate shown{mean.value, hardly_answered(rate) ? unknown : mean.standard_error};
    all.add(attribute, EstimateRows::none, shown, all.kept(std::move(status)), *own);
}

EstimateRows share_rows(const Subject& subject, Consistency method, double critical_value, Target target) {
    return of_one_category(subject, [&](const SummaryView& view, std::size_t attribute) {
        EstimateRows all = rows_about(subject, critical_value, 0);
        if (method == Consistency::none) {
            add_shares(all, view, attribute, target);
        } else {
            // Errors and intervals apply to the unbiased estimates only.
            const ReportStatus* const status = all.kept(report_status(view, attribute, target));
            const std::vector<double> shares = consistent(view, method, attribute);
            all.reserve(shares.size());
            for_each_index(shares.size(), [&](std::size_t value) {
                all.add(attribute, value, {shares[value], unknown}, status);
            });
        }
        return all;
    });
}

/// The attributes and texts of all estimates.
struct Selection {
    std::optional<SummaryQuery::Texts> attributes = {};  ///< names; nothing for all attributes
    /// Pairs of an attribute and a text, which are listed instead of those of a search.
    std::optional<SummaryQuery::Texts> texts = {};
    std::optional<SummaryQuery::Texts> statistics = {};

    [[nodiscard]] std::vector<bool> selected(const Labels& labels, std::size_t count) const {
        std::vector<bool> all(count, !attributes);
        for (std::size_t i = 0; attributes && i < attributes->size(); ++i) {
            const std::string_view name = (*attributes)[i];
            const std::size_t first = labels.attribute_called(name, count);
            for (std::size_t j = 0; j < labels.attributes_called(first, name); ++j) all[first + j] = true;
        }
        return all;
    }
    /// The codes of the listed texts of an attribute, in their order.
    [[nodiscard]] std::vector<Cell> codes(const Labels& labels, std::size_t attribute,
                                          std::size_t count) const {
        std::vector<Cell> all;
        for (std::size_t i = 0; i + 1 < texts->size(); i += 2)
            if (labels.attribute_called((*texts)[i], count) == attribute)
                all.push_back(labels.value_called(attribute, (*texts)[i + 1]));
        return all;
    }
};

/// The texts of an attribute with their shares.
struct ListedText {
    Cell code;
    StringShare share;
};

std::vector<ListedText> listed_texts(const SummaryView& view, std::size_t attribute,
                                     const Selection& selection, const Labels& labels, Target target) {
    std::vector<ListedText> all;
    if (selection.texts) {
        const std::vector<Cell> codes = selection.codes(labels, attribute, view.mechanism->cells().size());
        const std::vector<StringShare> shares = shares_of_strings(view, attribute, codes, target);
        for (std::size_t i = 0; i < codes.size(); ++i) all.push_back({codes[i], shares[i]});
    } else if (enough(part(view, attribute))) {
        for (const FrequentString& one : search_strings(view, attribute, {}, target))
            all.push_back({one.code, one.share});
    }
    return all;
}

/// Rows of texts; a row without a text if a search may not show any because there are too few reports.
void add_texts(EstimateRows& all, const SummaryView& view, std::size_t attribute,
               std::span<const ListedText> texts, bool searched) {
    ReportStatus status = report_status(SpentBudgets(view, attribute), part(view, attribute));
    all.statistic = Statistic::proportion;
    if (!status.enough && searched)
        all.add(attribute, EstimateRows::none, {unknown, unknown}, all.kept(status));
    if (status.enough)
        status.add_note(searched ? "only significantly frequent texts are listed"
                                 : "from a list of texts; the text may be rare in these reports");
    for (const ListedText& one : texts)
        all.add(attribute, one.code, one.share.estimate,
                all.kept(status_of_part(status, one.share.n, one.share.law)));
    all.statistic.reset();
}

/// A row without an estimate. The reports about a series are those of all rounds.
void add_series(EstimateRows& all, const SummaryView& view, std::size_t attribute) {
    const SummaryView about = part(view, attribute);
    ReportStatus status;
    status.n = about.n;
    status.note = "a series, with estimates of each round from the reports of all rounds";
    all.add(attribute, EstimateRows::none, {unknown, unknown}, all.kept(std::move(status)));
    all.rows.back().statistic = Statistic::none;
}

/// Adds a row without an estimate.
void add_number_of_groups(EstimateRows& all, const SummaryView& view, std::size_t attribute) {
    ReportStatus status;
    status.n = part(view, attribute).n;
    status.note = "a number with a mean in each group, which a regression with this group estimates";
    all.add(attribute, EstimateRows::none, {unknown, unknown}, all.kept(std::move(status)));
    all.rows.back().statistic = Statistic::none;
}

/// Adds the row of the share of people who answer.
void add_response_rate(EstimateRows& all, const SummaryView& view, std::size_t attribute, Target target) {
    const SummaryView one = part(view, attribute);
    ReportStatus status = report_status(SpentBudgets(view, attribute), one, possible_shares);
    LawfulRate rate{{unknown, unknown}, {}};
    if (one.n > 0) rate = response_rate(view, attribute, target);
    status.law = rate.law;
    all.add(attribute, EstimateRows::none, rate.estimate, all.kept(std::move(status)));
    all.rows.back().statistic = Statistic::response_rate;
}

const LabelSets* label_sets(const SummaryView& view, std::size_t attribute) {
    return find_capability<LabelSets>(*part_of(*view.mechanism, attribute).mechanism);
}

/// Adds the row of the mean number of labels of a person.
void add_set_size(EstimateRows& all, const SummaryView& view, std::size_t attribute, Target target) {
    const SummaryView one = part(view, attribute);
    const Interval possible{0, static_cast<double>(label_sets(view, attribute)->most())};
    SetSize size{{unknown, unknown}, {unknown, unknown}};
    if (one.n > 0) size = set_size(view, attribute, target, all.critical_value);
    all.add(attribute, EstimateRows::none, size.estimate,
            all.kept(report_status(SpentBudgets(view, attribute), one, possible)), size.interval);
    all.rows.back().statistic = Statistic::set_size;
}

/// The means of the parts that the selected numbers are in; unknown elsewhere.
std::vector<Estimate> means_of_parts(const SummaryView& view, const std::vector<bool>& selected,
                                     Target target) {
    std::vector<Estimate> means(selected.size(), {unknown, unknown});
    for (std::size_t j = 0, end = 0; j < selected.size(); ++j) {
        if (!selected[j] || j < end || !has_mean(view, j)) continue;
        const std::vector<Estimate> of_part = means_of_part(view, j, target);
        const std::size_t first = part_of(*view.mechanism, j).first;
        std::ranges::copy(of_part, means.begin() + static_cast<std::ptrdiff_t>(first));
        end = first + of_part.size();
    }
    return means;
}

/// What the query selects.
struct SelectedStatistics {
    std::vector<bool> attributes;
    std::vector<Statistic>
        statistics;  ///< in the order of the query; empty for the usual one of each attribute
};

std::vector<Statistic> statistics_named(const std::optional<SummaryQuery::Texts>& names) {
    std::vector<Statistic> all;
    for (const std::string_view name : names.value_or(SummaryQuery::Texts())) {
        const std::span selectable(statistic_names, static_cast<std::size_t>(last_selectable) + 1);
        const auto found = std::ranges::find(selectable, name);
        if (found == selectable.end())
            throw Error(
                ErrorCode::invalid_value, "there is no statistic \"" + shortened(name, 60) + "\"", {},
                "The statistics are mean, proportion, response_rate, set_size, resultant_length and direction.");
        all.push_back(static_cast<Statistic>(found - selectable.begin()));
    }
    return all;
}

bool has_statistic(const SummaryView& view, std::size_t attribute, Statistic statistic) {
    const Mechanism& one = *part_of(*view.mechanism, attribute).mechanism;
    switch (statistic) {
        case Statistic::mean:
            return has_mean(view, attribute);
        case Statistic::proportion:
            return !is_series(*view.mechanism, attribute) &&
                   !is_number_of_groups(*view.mechanism, attribute) &&
                   (has_strings(view, attribute) || one.can_estimate(Quantity::frequencies));
        case Statistic::response_rate:
            return find_capability<ResponseRate>(one) != nullptr;
        case Statistic::set_size:
            return label_sets(view, attribute) != nullptr;
        case Statistic::resultant_length:
        case Statistic::direction:
            return find_direction(one) != nullptr;
        default:
            return false;
    }
}

/// The statistics of the selected attributes, in words.
std::string words_of_statistics(const SummaryView& view, const std::vector<bool>& attributes) {
    std::string all;
    for (std::size_t number = 0; number <= static_cast<std::size_t>(last_selectable); ++number)
        for (std::size_t j = 0; j < attributes.size(); ++j)
            if (attributes[j] && has_statistic(view, j, static_cast<Statistic>(number))) {
                all += (all.empty() ? "" : ", ") + std::string(statistic_names[number]);
                break;
            }
    return all;
}

/// What the query selects from these reports. Throws Error (unsupported) for a statistic that no selected attribute has, whether
/// there are several attributes or one. Attributes without a statistic have no row of it.
SelectedStatistics selected_of(const SummaryView& view, const Selection& selection, const Labels& labels) {
    const std::size_t count = view.mechanism->cells().size();
    SelectedStatistics all{selection.selected(labels, count), statistics_named(selection.statistics)};
    check_no_ranges(*view.mechanism);
    if (!selection.statistics) check_answer(*view.mechanism, view.mechanism->answers()[0]);
    for (const Statistic one : all.statistics) {
        bool found = false;
        for (std::size_t j = 0; j < count; ++j) found |= all.attributes[j] && has_statistic(view, j, one);
        if (found) continue;
        for (std::size_t j = 0; j < count; ++j)
            if (selection.attributes && all.attributes[j]) check_no_series(*view.mechanism, j);
        const Quantity quantity = one == Statistic::mean ? Quantity::means : Quantity::frequencies;
        if ((one == Statistic::mean || one == Statistic::proportion) &&
            view.mechanism->can_estimate(quantity))
            check_answer(*view.mechanism, quantity);  // refuses a series
        const std::string others = words_of_statistics(view, all.attributes);
        const std::string name = statistic_names[static_cast<std::size_t>(one)];
        throw Error(
            ErrorCode::unsupported,
            (selection.attributes ? "the selected attributes have no statistic \""
                                  : "these reports have no statistic \"") +
                name + "\"",
            others.empty() ? "" : "Available statistics are: " + others + ".",
            one == Statistic::response_rate
                ? "Numbers with \"missing\": true have response rates. For a category, use the share of the label in "
                  "\"missing_label\"."
            : one == Statistic::set_size         ? "Attributes with \"several\": true have set sizes."
            : one == Statistic::resultant_length ? "Numbers with \"circular\": true have resultant lengths."
            : one == Statistic::direction        ? "Numbers with \"circular\": true have directions."
                                                 : "Select other attributes or statistics.");
    }
    return all;
}

/// The estimates of a summary. Without statistics: the mean of each number, the shares of each category, and the texts of an
/// open domain.
EstimateRows everything(const Subject& subject, const Selection& selection, double critical_value,
                        Target target) {
    const auto found = [&](const SummaryView& view) {
        const std::vector<std::uint64_t> cells = view.mechanism->cells();
        const auto [selected, statistics] = selected_of(view, selection, *subject.labels);
        const auto wanted = [&](std::size_t j, Statistic one) {
            return selected[j] && std::ranges::find(statistics, one) != statistics.end() &&
                   has_statistic(view, j, one);
        };
        const auto usual = [&](std::size_t j) { return selected[j] && !selection.statistics; };
        // The mean and the direction of a number on a circle are one row.
        const auto named_twice = [&](std::size_t j, Statistic one) {
            return one == Statistic::direction && wanted(j, Statistic::mean);
        };
        std::map<std::size_t, std::vector<ListedText>> texts;
        std::size_t room = 0;
        bool numbers = false;
        for (std::size_t j = 0; j < cells.size(); ++j) {
            if (!selected[j]) continue;
            const bool listed = has_strings(view, j) && !is_series(*view.mechanism, j);
            if (listed && (usual(j) || wanted(j, Statistic::proportion))) {
                texts[j] = listed_texts(view, j, selection, *subject.labels, target);
                room += texts[j].size() + 1;
            }
            const bool number = has_mean(view, j) &&
                                (usual(j) || wanted(j, Statistic::mean) || wanted(j, Statistic::direction));
            numbers |= number;
            const bool by_group = is_number_of_groups(*view.mechanism, j);
            const bool shares =
                !listed && !by_group && (usual(j) ? !number : wanted(j, Statistic::proportion));
            room += statistics.size() + (shares ? cells[j] : 1);
        }
        std::vector<Estimate> means;
        if (numbers && !selection.attributes)
            means = estimate(view, {Quantity::means, target});
        else if (numbers)
            means = means_of_parts(view, selected, target);
        EstimateRows all = rows_about(subject, critical_value,
                                      cells.size() > 1 || has_mean(view, 0) || !texts.empty() ? room : 0);
        const auto add = [&](std::size_t j, Statistic one) {
            // The mean of a number on a circle is its direction.
            if (one == Statistic::mean || one == Statistic::direction)
                add_mean(all, view, j, means[j], target);
            else if (one == Statistic::response_rate)
                add_response_rate(all, view, j, target);
            else if (one == Statistic::set_size)
                add_set_size(all, view, j, target);
            else if (one == Statistic::resultant_length)
                add_resultant_length(all, view, j, target);
            else if (const auto listed = texts.find(j); listed != texts.end())
                add_texts(all, view, j, listed->second, !selection.texts);
            else
                add_shares(all, view, j, target);
        };
        for (std::size_t j = 0; j < cells.size(); ++j) {
            if (usual(j) && is_series(*view.mechanism, j))
                add_series(all, view, j);
            else if (usual(j) && is_number_of_groups(*view.mechanism, j))
                add_number_of_groups(all, view, j);
            else if (usual(j))
                add(j, has_mean(view, j) && !texts.contains(j) ? Statistic::mean : Statistic::proportion);
            for (const Statistic one : statistics)
                if (wanted(j, one) && !named_twice(j, one)) add(j, one);
        }
        return all;
    };
    return ask(subject.summary, EstimateRows{}, found,
               [&](const SummaryView& view) { (void)selected_of(view, selection, *subject.labels); });
}

/// Throws Error (incompatible) unless the summaries have one spec. Returns whether an attribute of it has texts.
bool check_one_spec(std::span<const Bytes> summaries) {
    const std::shared_ptr<const Mechanism> mechanism = checked_mechanism(summaries[0]);
    for (const Bytes one : summaries.subspan(1)) {
        if (is_summary_of(*mechanism, one)) continue;
        (void)checked_mechanism(one);  // bytes that are no summary are that error
        raise_incompatible(mechanism->block(), one);
    }
    const SummaryView view = view_of(*mechanism, summaries[0]);
    for (std::size_t j = 0; j < mechanism->cells().size(); ++j)
        if (has_strings(view, j)) return true;
    return false;
}

/// The significantly frequent texts of the reports of all groups together: pairs of an attribute and a text.
std::vector<std::string> frequent_texts(const Subject& subject, const SummaryQuery& query) {
    std::vector<std::byte> merged(query.summaries[0].begin(), query.summaries[0].end());
    for (const Bytes one : query.summaries.subspan(1)) {
        check_interrupt();
        merged = merge_summaries(merged, one);
    }
    const Selection selection{query.attributes};
    return ask(merged, std::vector<std::string>(), [&](const SummaryView& view) {
        const std::size_t attributes = view.mechanism->cells().size();
        const std::vector<bool> chosen = selection.selected(*subject.labels, attributes);
        std::vector<std::string> found;
        for (std::size_t j = 0; j < attributes; ++j)
            if (chosen[j] && has_strings(view, j))
                for (const ListedText& one : listed_texts(view, j, {}, *subject.labels, Target::sample)) {
                    found.push_back(subject.labels->name(j));
                    found.push_back(subject.labels->label(j, one.code));
                }
        return found;
    });
}

/// All estimates of a summary, with individual bounds.
struct BoundedRows {
    EstimateRows estimates = {};
    std::vector<Interval> bounds = {};
    std::size_t count = 0;

    void write(RowCells<estimate_columns>& row, std::size_t number) const {
        const auto& [attribute, of, value, estimate, status] = estimates.rows[number];
        const double shown = status->shown(estimate.value);
        estimates.put_names(row, estimates.rows[number]);
        row.put("estimate", shown);
        row.put("lower", status->shown(bounds[number].lower));
        row.put("upper", status->shown(bounds[number].upper));
        status->put_counts(row);
        status->put_note(row, !std::isnan(shown));
    }
};

}  // namespace

namespace accessors {

/// Consistent proportions. Those of the method "none" are the estimates, with their errors.
Found consistent(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    return results<estimate_columns>(share_rows(subject, consistency_named(query.method),
                                                critical_value(query.confidence),
                                                target_named(query.target)));
}

Found estimate(const Subject& subject, const SummaryQuery& query) {
    if (query.texts && query.texts->size() % 2 != 0)
        throw Error(ErrorCode::invalid_value, "texts must be pairs of an attribute and a text");
    const Target target = target_named(query.target);
    Selection selection{query.attributes, query.texts, query.statistics};
    if (query.summaries.empty()) {
        std::vector<EstimateRows> rows = rows_together(query, 1, [&](std::size_t, double critical_value) {
            return everything(subject, selection, critical_value, target);
        });
        return results<estimate_columns>(std::move(rows[0]));
    }
    check_groups(query.groups, query.summaries);
    // Every group lists the same texts.
    std::vector<std::string> frequent;
    const bool searched = check_one_spec(query.summaries) && !query.texts;
    if (searched) frequent = frequent_texts(subject, query);
    const std::vector<std::string_view> pairs(frequent.begin(), frequent.end());
    if (searched) selection.texts = SummaryQuery::Texts(pairs);
    std::vector<EstimateRows> rows =
        rows_together(query, query.summaries.size(), [&](std::size_t group, double critical_value) {
            return everything({.summary = query.summaries[group], .labels = subject.labels}, selection,
                              critical_value, target);
        });
    std::vector<Found> groups;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Found one = results<estimate_columns>(std::move(rows[i]));
        one->set_group({query.groups[i], static_cast<std::int64_t>(i)});
        one->set_source(source_of(query.summaries.subspan(i, 1)));
        groups.push_back(std::move(one));
    }
    return std::make_unique<GroupedResults>(std::move(groups));
}

/// All estimates, with intervals that hold if at most this share of the reports is forged.
Found robust_interval(const Subject& subject, const SummaryQuery& query) {
    const double errors = critical_value(query.confidence);
    const Target target = target_named(query.target);
    BoundedRows all;
    all.estimates = everything(subject, {}, 0, target);
    all.bounds = ask(subject.summary, std::vector<Interval>(), [&](const SummaryView& view) {
        std::vector<Interval> bounds;
        reserve_rows(bounds, all.estimates.count);
        std::optional<RobustInterval> of_attribute;
        Work work;
        for (std::size_t row = 0; row < all.estimates.count; ++row, work.done()) {
            const auto& [attribute, of, value, estimate, status] = all.estimates.rows[row];
            const Quantity quantity = value == EstimateRows::none ? Quantity::means : Quantity::frequencies;
            if (row == 0 || attribute != all.estimates.rows[row - 1].attribute)
                of_attribute.emplace(view, Question{quantity, target, attribute}, query.forged, errors);
            auto answered = quantity == Quantity::means
                                ? answered_interval(view, attribute, target, errors, query.forged)
                                : std::nullopt;
            if (quantity == Quantity::means)
                if (const auto found = mean_direction(view, attribute, target, errors, query.forged))
                    answered = found->interval;
            bounds.push_back(answered ? *answered : (*of_attribute)(estimate));
        }
        return bounds;
    });
    all.count = all.bounds.size();
    return results<estimate_columns>(std::move(all));
}

}  // namespace accessors

double published_mean(const SummaryView& view, std::int64_t attribute) {
    const std::size_t attributes = view.mechanism->cells().size();
    if (attribute < 0 || attribute >= static_cast<std::int64_t>(attributes))
        throw Error(ErrorCode::invalid_value, "there is no attribute " + std::to_string(attribute),
                    "Attributes are numbered from 0 to " + std::to_string(attributes - 1) + ".");
    const auto number = static_cast<std::size_t>(attribute);
    const std::vector<Estimate> means = means_of_part(view, number, Target::sample);
    if (means.empty() || !enough(part(view, number))) return unknown;
    return means[number - part_of(*view.mechanism, number).first].value;
}

double published_share(const SummaryView& view, std::int64_t value, std::optional<std::size_t> attribute) {
    const std::size_t one = one_attribute(*view.mechanism, attribute);
    double share;
    if (has_strings(view, one)) {
        const auto code = static_cast<Cell>(value);
        share = shares_of_strings(view, one, {&code, 1}, Target::sample)[0].estimate.value;
    } else {
        share = share_of(view, value, Target::sample, one).value;
    }
    return enough(part(view, one)) ? share : unknown;
}

double published_quantile(const SummaryView& view, double share) {
    const double value = quantile(view, share);
    return enough(view) ? value : unknown;
}

std::vector<Estimate> published_estimates(const SummaryView& view, Quantity quantity) {
    if (quantity == Quantity::frequencies) (void)one_attribute(*view.mechanism, std::nullopt);
    std::vector<Estimate> estimates = estimate(view, {quantity});
    if (!enough(view)) estimates.clear();
    return estimates;
}

}  // namespace ldp
