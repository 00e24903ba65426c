#include "core/results/rows/group_items.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/spent.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

std::vector<std::size_t> selected(const SummaryQuery& query, const Labels& labels,
                                  const Mechanism& mechanism) {
    const std::size_t count = mechanism.cells().size();
    std::vector<bool> wanted(count, !query.attributes);
    for (const std::string_view name : query.attributes.value_or(SummaryQuery::Texts{})) {
        const std::size_t first = labels.attribute_called(name, count);
        for (std::size_t i = 0; i < labels.attributes_called(first, name) && first + i < count; ++i)
            wanted[first + i] = true;
    }
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < count; ++i)
        if (wanted[i] && (query.attributes || !is_left_out(mechanism, i))) all.push_back(i);
    return all;
}

/// The errors of groups whose laws depend on the true value: those of one report are the same in all groups.
void measure_by_curves(GroupItem& item, std::span<const GroupEstimate> found,
                       std::span<const TruthCurve> curves) {
    TruthCurve::Cubic variance{}, third{};
    double people = 0;
    for (const TruthCurve& curve : curves) {
        people += curve.n;
        for (std::size_t i = 0; i < variance.size(); ++i)
            variance[i] += curve.n * curve.variance[i], third[i] += curve.n * curve.third[i];
    }
    if (!item.share) {
        item.origin = item.truths.lower;
        item.unit = item.truths.upper - item.truths.lower;
        item.truths = possible_shares;
    }
    for (std::size_t j = 0; j < found.size(); ++j) {
        const double n = curves[j].n;
        MeasuredGroup group{.value = (found[j].estimate.value - item.origin) / item.unit, .people = n};
        for (std::size_t i = 0; i < variance.size(); ++i) {
            group.variance[i] = variance[i] / people / n;
            group.third[i] = third[i] / people / (n * n);
        }
        group.variance[0] += square(found[j].law.unseen_error / item.unit);
        item.groups.push_back(group);
    }
}

/// The errors of groups whose standard errors do not depend on the true value. Errors that were estimated in each group are
/// replaced by their mean over all groups, because an estimate and its own error can be correlated.
void measure_by_errors(GroupItem& item, std::span<const GroupEstimate> found) {
    double sum = 0, degrees = 0;
    for (std::size_t j = 0; j < found.size(); ++j) {
        const double of_one =
            static_cast<double>(item.status[item.numbers[j]].n) * square(found[j].estimate.standard_error);
        sum += found[j].law.degrees_of_freedom * of_one;
        degrees += found[j].law.degrees_of_freedom;
    }
    for (std::size_t j = 0; j < found.size(); ++j) {
        const auto n = static_cast<double>(item.status[item.numbers[j]].n);
        MeasuredGroup group{.value = found[j].estimate.value, .people = n};
        group.variance[0] = (degrees > 0 ? sum / degrees / n : square(found[j].estimate.standard_error)) +
                            square(found[j].law.unseen_error);
        item.groups.push_back(group);
    }
}

}  // namespace

GroupItems::GroupItems(const Subject& subject, const SummaryQuery& query, const GroupTerms& terms)
    : labels_(*subject.labels), named_(query.groups, query.summaries), terms_(terms) {
    if (named_.names.size() < terms.least)
        throw Error(
            ErrorCode::invalid_value, "at least " + std::to_string(terms.least) + " groups are required",
            "Found " + std::to_string(named_.names.size()) + ".", "Group the reports by another column.");
    for (const Bytes summary : named_.summaries) {
        mechanisms_.push_back(checked_mechanism(summary));
        views_.push_back(view_of(*mechanisms_.back(), summary));
    }
    const Mechanism& mechanism = *mechanisms_[0];
    check_no_ranges(mechanism);
    for (const SummaryView& group : views_)
        if (!std::ranges::equal(group.mechanism->block(), mechanism.block()))
            raise_incompatible(mechanism.block(), group.mechanism->block());
    for (const SummaryView& group : views_) {
        check_interrupt();
        estimates_.emplace_back(group, Target::population);
        noisy_.emplace_back(group, Target::sample);
    }
    panel_ = are_rounds_of_a_panel(views_);
    attributes_ = selected(query, labels_, mechanism);
    std::size_t items = 0;
    for (const std::size_t attribute : attributes_) {
        check_no_series(mechanism, attribute);
        items += is_compared_number(mechanism, attribute) ? 1 : compared_values(mechanism, attribute);
        if (items > max_group_items / views_.size())
            throw Error(ErrorCode::invalid_value, "too many estimates",
                        "At most " + std::to_string(max_group_items) + " are possible.",
                        "Name an attribute, or use fewer groups.");
    }
}

GroupItem GroupItems::pooled(std::size_t attribute, std::span<const ReportStatus> status) const {
    GroupItem item{.attribute = static_cast<std::uint32_t>(attribute), .status = status};
    std::vector<SummaryView> parts;
    std::vector<double> weights;
    std::vector<std::uint32_t> numbers;
    for (std::size_t j = 0; j < views_.size(); ++j) {
        if (!status[j].enough || status[j].n == 0) continue;
        parts.push_back(part(views_[j], attribute));
        weights.push_back(terms_.weights == GroupWeights::equal ? 1 : static_cast<double>(status[j].n));
        numbers.push_back(static_cast<std::uint32_t>(j));
    }
    const GroupMeans found = pooled_means(parts, weights, terms_.rate, Target::population);
    if (found.groups.empty()) return item;
    item.truths = possible_values(*parts[0].mechanism, 0);
    item.numbers = std::move(numbers);
    item.within = found.within;
    for (std::size_t i = 0; i < found.groups.size(); ++i) {
        MeasuredGroup group{.value = found.groups[i].value, .people = static_cast<double>(parts[i].n)};
        group.variance[0] = square(found.groups[i].standard_error);
        item.groups.push_back(group);
    }
    return item;
}

void GroupItems::for_each(const std::function<void(const GroupItem&)>& visit) const {
    for (const std::size_t attribute : attributes_) of_attribute(attribute, visit);
}

void GroupItems::of_attribute(std::size_t attribute,
                              const std::function<void(const GroupItem&)>& visit) const {
    const Mechanism& mechanism = *mechanisms_[0];
    const bool number = is_compared_number(mechanism, attribute);
    const std::size_t values = number ? 1 : compared_values(mechanism, attribute);
    std::vector<ReportStatus> status;
    std::vector<LawfulEstimates> found;
    double spread = 0, people = 0;
    Work work;
    const Mechanism& part = *part_of(mechanism, attribute).mechanism;
    const bool of_all = number && has_pooled_means(part);
    for (std::size_t j = 0; j < views_.size(); ++j) {
        check_interrupt();
        status.push_back(report_status(views_[j], attribute, Target::population));
        if (!status.back().enough || status.back().n == 0) {
            found.emplace_back();
            continue;
        }
        if (panel_) status.back().add_note(terms_.panel_note);
        status.back().add_note(note_of_left_out(named_.left_out));
        if (of_all) continue;
        found.push_back(estimates_[j].of_attribute(attribute));
        if (!number || found.back().empty()) continue;
        const double n = static_cast<double>(status.back().n), all = found.back()[0].estimate.standard_error,
                     noise = noisy_[j].of_attribute(attribute)[0].estimate.standard_error;
        spread += n * n * (square(all) - square(noise));
        people += n;
    }
    if (of_all) {
        visit(pooled(attribute, status));
        return;
    }
    std::vector<GroupEstimate> known;
    std::vector<TruthCurve> curves;
    // A visit takes microseconds for each group.
    for (std::size_t value = 0; value < values; ++value, work.done(1000 * views_.size())) {
        GroupItem item{
            .attribute = static_cast<std::uint32_t>(attribute), .status = status, .share = !number};
        if (!number) item.value = static_cast<std::uint32_t>(value);
        known.clear(), curves.clear();
        bool counted = false;
        for (std::size_t j = 0; j < views_.size(); ++j) {
            if (found[j].empty()) continue;
            const GroupEstimate one = found[j][value];
            if (!std::isfinite(one.estimate.value) || !std::isfinite(one.estimate.standard_error)) continue;
            known.push_back(one);
            item.numbers.push_back(static_cast<std::uint32_t>(j));
            counted = counted || one.law.n > 0;
            if (const auto curve = curve_of(one.estimate, one.law)) curves.push_back(*curve);
        }
        if (known.empty()) {
            visit(item);
            continue;
        }
        item.truths = number ? known[0].law.truths : possible_shares;
        // Bits show the mean alone.
        if (number && !counted && people > 0) item.within = std::max(0.0, spread / people);
        if (curves.size() == known.size() &&
            (item.share || std::isfinite(item.truths.upper - item.truths.lower)))
            measure_by_curves(item, known, curves);
        else
            measure_by_errors(item, known);
        visit(item);
    }
}

}  // namespace ldp
