// Rows of means, of shares, and of all estimates of a summary.
//
// Length: all estimates of a summary are made by the functions for means and for shares.

#include "core/results/rows/value_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/interrupt.hpp"
#include "core/mechanism/frequency/label_sets.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/results/row_functions.hpp"
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
    if (!one.can_estimate(Quantity::frequencies))
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

/// Adds the row of a mean. If people may leave the number out, the row has an interval of its own.
void add_mean(EstimateRows& all, const SummaryView& view, std::size_t attribute, const Estimate& mean,
              Target target) {
    ReportStatus status = report_status(view, attribute, target);
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

EstimateRows mean_rows(const Subject& subject, double critical_value, Target target) {
    const auto found = [&](const SummaryView& view) {
        if (subject.attribute) {  // one attribute or one vector, which is one part
            const std::size_t first = part_of(*view.mechanism, *subject.attribute).first;
            const auto estimates = means_of_part(view, *subject.attribute, target);
            EstimateRows all = rows_about(subject, critical_value, estimates.size());
            for (std::size_t i = 0; i < estimates.size(); ++i)
                if (subject.has(first + i)) add_mean(all, view, first + i, estimates[i], target);
            return all;
        }
        const auto estimates = estimate(view, {Quantity::means, target});
        EstimateRows all = rows_about(subject, critical_value, estimates.size());
        for (std::size_t j = 0; j < estimates.size(); ++j) {
            if (has_mean(view, j) && subject.has(j)) add_mean(all, view, j, estimates[j], target);
        }
        return all;
    };
    return ask(subject, EstimateRows{}, found, [&](const SummaryView& view) {
        if (subject.attribute) {
            check_attribute(*subject.attribute, view.mechanism->cells().size());
            check_no_series(*view.mechanism, *subject.attribute);
        }
        check_answer(*view.mechanism, Quantity::means);
    });
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
    if (!status.enough && searched)
        all.add(attribute, EstimateRows::none, {unknown, unknown}, all.kept(status));
    if (status.enough)
        status.add_note(searched ? "only significantly frequent texts are listed"
                                 : "from a list of texts, which may be rare here");
    for (const ListedText& one : texts)
        all.add(attribute, one.code, one.share.estimate,
                all.kept(status_of_part(status, one.share.n, one.share.law)));
}

/// A row without an estimate. The reports about a series are those of all rounds.
void add_series(EstimateRows& all, const SummaryView& view, std::size_t attribute) {
    const SummaryView about = part(view, attribute);
    ReportStatus status;
    status.n = about.n;
    status.note = "a series, with estimates of each round from the reports of all rounds";
    all.add(attribute, EstimateRows::none, {unknown, unknown}, all.kept(std::move(status)));
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

/// The estimates of a summary: the mean of each number, the shares of each category, and the texts of an open
/// domain.
EstimateRows everything(const Subject& subject, const Selection& selection, double critical_value,
                        Target target) {
    const auto found = [&](const SummaryView& view) {
        const std::vector<std::uint64_t> cells = view.mechanism->cells();
        const std::vector<bool> selected = selection.selected(*subject.labels, cells.size());
        std::map<std::size_t, std::vector<ListedText>> texts;
        std::size_t room = 0;
        bool numbers = false;
        for (std::size_t j = 0; j < cells.size(); ++j) {
            if (!selected[j]) continue;
            if (is_series(*view.mechanism, j)) {
                ++room;
            } else if (has_strings(view, j)) {
                texts[j] = listed_texts(view, j, selection, *subject.labels, target);
                room += texts[j].size() + 1;
            } else {
                numbers |= has_mean(view, j);
                room += has_mean(view, j) ? 1 : cells[j];
            }
        }
        std::vector<Estimate> means;
        if (numbers && !selection.attributes)
            means = estimate(view, {Quantity::means, target});
        else if (numbers)
            means = means_of_parts(view, selected, target);
        EstimateRows all = rows_about(subject, critical_value,
                                      cells.size() > 1 || has_mean(view, 0) || !texts.empty() ? room : 0);
        for (std::size_t j = 0; j < cells.size(); ++j)
            if (!selected[j])
                continue;
            else if (const auto listed = texts.find(j); listed != texts.end())
                add_texts(all, view, j, listed->second, !selection.texts);
            else if (is_series(*view.mechanism, j))
                add_series(all, view, j);
            else if (has_mean(view, j))
                add_mean(all, view, j, means[j], target);
            else
                add_shares(all, view, j, target);
        return all;
    };
    return ask(subject.summary, EstimateRows{}, found,
               [](const SummaryView& view) { check_answer(*view.mechanism, view.mechanism->answers()[0]); });
}

constexpr auto text_pair_columns = columns("text attribute", "text label");

/// Pairs of an attribute and a text.
struct TextPairs {
    struct TextPair {
        std::size_t attribute;
        Cell code;
    };
    const Labels* labels = &no_labels();
    std::vector<TextPair> pairs = {};
    std::size_t count = 0;

    void write(RowCells<text_pair_columns>& row, std::size_t number) const {
        row.put("attribute", shown_name(*labels, pairs[number].attribute));
        row.put("label", shown_label(*labels, pairs[number].attribute, pairs[number].code));
    }
};

constexpr auto robust_interval_columns =
    columns("text attribute", "text label", "number estimate", "number lower", "number upper", "bigint n",
            "bigint people", "integer attribute_number", "integer value", "text note");

/// All estimates of a summary, with individual bounds.
struct BoundedRows {
    EstimateRows estimates = {};
    std::vector<Interval> bounds = {};
    std::size_t count = 0;

    void write(RowCells<robust_interval_columns>& row, std::size_t number) const {
        const auto& [attribute, value, estimate, status] = estimates.rows[number];
        const double shown = status->shown(estimate.value);
        estimates.put_names(row, attribute, value);
        row.put("estimate", shown);
        row.put("lower", status->shown(bounds[number].lower));
        row.put("upper", status->shown(bounds[number].upper));
        status->put_counts(row);
        status->put_note(row, !std::isnan(shown));
    }
};

}  // namespace

namespace accessors {

Found means(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const Target target = target_named(query.target);
    return results<estimate_columns>(rows_together(
        query, [&](double critical_value) { return mean_rows(subject, critical_value, target); }));
}

/// The share of people who answer, for each number that people may leave out.
Found response_rates(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const Target target = target_named(query.target);
    const auto answered = [](const SummaryView& view, std::size_t attribute) {
        return find_capability<ResponseRate>(*part_of(*view.mechanism, attribute).mechanism) != nullptr;
    };
    const auto found = [&](const SummaryView& view) {
        const std::size_t attributes = view.mechanism->cells().size();
        EstimateRows all = rows_about(subject, critical_value(query.confidence), attributes);
        for (std::size_t j = 0; j < attributes; ++j) {
            if (!subject.has(j) || !answered(view, j)) continue;
            const SummaryView one = part(view, j);
            ReportStatus status = report_status(SpentBudgets(view, j), one, possible_shares);
            LawfulRate rate{{unknown, unknown}, {}};
            if (one.n > 0) rate = response_rate(view, j, target);
            status.law = rate.law;
            all.add(j, EstimateRows::none, rate.estimate, all.kept(std::move(status)));
        }
        return all;
    };
    return results<estimate_columns>(ask(subject, EstimateRows{}, found, [&](const SummaryView& view) {
        const std::size_t attributes = view.mechanism->cells().size();
        if (subject.attribute) check_attribute(*subject.attribute, attributes);
        for (std::size_t j = 0; j < attributes; ++j)
            if (subject.has(j) && answered(view, j)) return;
        throw Error(
            ErrorCode::unsupported, "these reports have no response rate",
            "Only numbers with \"missing\": true have one. For a category, use the share of the label in "
            "\"missing_label\".");
    }));
}

/// The mean number of labels of a person, for each attribute with sets of labels.
Found set_sizes(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const Target target = target_named(query.target);
    const double errors = critical_value(query.confidence);
    const auto sets = [](const SummaryView& view, std::size_t attribute) {
        return find_capability<LabelSets>(*part_of(*view.mechanism, attribute).mechanism);
    };
    const auto found = [&](const SummaryView& view) {
        const std::size_t attributes = view.mechanism->cells().size();
        EstimateRows all = rows_about(subject, errors, attributes);
        for (std::size_t j = 0; j < attributes; ++j) {
            if (!subject.has(j) || sets(view, j) == nullptr) continue;
            const SummaryView one = part(view, j);
            const Interval possible{0, static_cast<double>(sets(view, j)->most())};
            SetSize size{{unknown, unknown}, {unknown, unknown}};
            if (one.n > 0) size = set_size(view, j, target, errors);
            all.add(j, EstimateRows::none, size.estimate,
                    all.kept(report_status(SpentBudgets(view, j), one, possible)), size.interval);
        }
        return all;
    };
    return results<estimate_columns>(ask(subject, EstimateRows{}, found, [&](const SummaryView& view) {
        const std::size_t attributes = view.mechanism->cells().size();
        if (subject.attribute) check_attribute(*subject.attribute, attributes);
        for (std::size_t j = 0; j < attributes; ++j)
            if (subject.has(j) && sets(view, j) != nullptr) return;
        throw Error(ErrorCode::unsupported, "these reports have no sets of labels",
                    "The mean number of labels is estimated for attributes with \"several\": true.");
    }));
}

Found frequencies(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const Consistency method = consistency_named(query.method);
    const Target target = target_named(query.target);
    return results<estimate_columns>(rows_together(
        query, [&](double critical_value) { return share_rows(subject, method, critical_value, target); }));
}

Found estimate(const Subject& subject, const SummaryQuery& query) {
    if (query.texts && query.texts->size() % 2 != 0)
        throw Error(ErrorCode::invalid_value, "texts must be pairs of an attribute and a text");
    const Target target = target_named(query.target);
    return results<estimate_columns>(rows_together(query, [&](double critical_value) {
        return everything(subject, {query.attributes, query.texts}, critical_value, target);
    }));
}

/// The texts that a search of each selected attribute finds.
Found frequent_texts(const Subject& subject, const SummaryQuery& query) {
    TextPairs all;
    all.labels = subject.labels;
    const Selection selection{query.attributes};
    all = ask(subject.summary, std::move(all), [&](const SummaryView& view) {
        const std::size_t attributes = view.mechanism->cells().size();
        const std::vector<bool> chosen = selection.selected(*subject.labels, attributes);
        TextPairs found;
        found.labels = subject.labels;
        for (std::size_t j = 0; j < attributes; ++j)
            if (chosen[j] && has_strings(view, j))
                for (const ListedText& one : listed_texts(view, j, {}, *subject.labels, Target::sample))
                    found.pairs.push_back({j, one.code});
        found.count = found.pairs.size();
        return found;
    });
    return results<text_pair_columns>(std::move(all));
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
            const auto& [attribute, value, estimate, status] = all.estimates.rows[row];
            const Quantity quantity = value == EstimateRows::none ? Quantity::means : Quantity::frequencies;
            if (row == 0 || attribute != all.estimates.rows[row - 1].attribute)
                of_attribute.emplace(view, Question{quantity, target, attribute}, query.forged, errors);
            const auto answered = quantity == Quantity::means
                                      ? answered_interval(view, attribute, target, errors, query.forged)
                                      : std::nullopt;
            bounds.push_back(answered ? *answered : (*of_attribute)(estimate));
        }
        return bounds;
    });
    all.count = all.bounds.size();
    return results<robust_interval_columns>(std::move(all));
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

std::vector<double> published_shares(const SummaryView& view, Consistency method,
                                     std::optional<std::size_t> attribute) {
    const std::size_t one = one_attribute(*view.mechanism, attribute);
    std::vector<double> values = consistent(view, method, one);
    if (!enough(part(view, one))) values.clear();
    return values;
}

}  // namespace ldp
