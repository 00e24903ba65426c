#include "core/groups/comparison.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/groups/group_estimates.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

void check(std::span<const SummaryView> groups, std::optional<std::size_t> baseline,
           std::span<const std::size_t> attributes) {
    if (groups.size() < 2)
        raise(ErrorCode::invalid_value, "a comparison needs at least two groups",
              "Found " + std::to_string(groups.size()) + ".");
    if (baseline && *baseline >= groups.size())
        raise(ErrorCode::invalid_value, "there is no group " + std::to_string(*baseline),
              "Groups are numbered from 0 to " + std::to_string(groups.size() - 1) + ".");
    const Mechanism& mechanism = *groups[0].mechanism;
    check_no_ranges(mechanism);
    for (const std::size_t attribute : attributes) {
        check_attribute(attribute, mechanism.cells().size());
        check_no_series(mechanism, attribute);
    }
    for (const SummaryView& group : groups)
        if (!std::ranges::equal(group.mechanism->block(), mechanism.block()))
            raise_incompatible(mechanism.block(), group.mechanism->block());
}

void check_count(std::size_t values, std::size_t most, const char* hint) {
    if (values > most)
        raise(ErrorCode::invalid_value, "too many comparisons",
              "At most " + std::to_string(max_comparisons) + " are possible.", hint);
}

/// Whether they are enough to publish estimates.
bool is_published(const SummaryView& group, std::size_t attribute, bool table) {
    return enough(reports_about(group, attribute, table));
}

}  // namespace

SummaryView reports_about(const SummaryView& group, std::size_t attribute, bool table) {
    SummaryView about = part(group, attribute);
    const auto* joint = find_capability<JointViews>(*about.mechanism);
    if (joint != nullptr && !table)
        about.n = joint->reports(about, attribute - part_of(*group.mechanism, attribute).first);
    return about;
}

std::vector<ComparedAttribute> compared_attributes(std::span<const SummaryView> groups,
                                                   std::span<const std::size_t> attributes) {
    check(groups, std::nullopt, attributes);
    std::vector<ComparedAttribute> all;
    if (std::ranges::all_of(groups, [](const SummaryView& group) { return group.n == 0; })) return all;
    const Mechanism& mechanism = *groups[0].mechanism;
    std::size_t values = 0;
    for (std::size_t j = 0; j < mechanism.cells().size(); ++j) {
        if (attributes.empty() ? is_left_out(mechanism, j) : !std::ranges::binary_search(attributes, j))
            continue;
        const bool number = is_compared_number(mechanism, j);
        all.push_back({j, number, number ? 1 : compared_values(mechanism, j)});
        check_count(all.back().values, max_comparisons / groups.size() - values,
                    "Name an attribute, or compare fewer groups.");
        values += all.back().values;
    }
    return all;
}

GroupComparison::GroupComparison(std::span<const SummaryView> groups, std::optional<std::size_t> baseline,
                                 std::vector<std::size_t> attributes)
    : groups_(groups), baseline_(baseline), attributes_(std::move(attributes)) {
    check(groups_, baseline_, attributes_);
    pairs_ = baseline_ ? groups_.size() - 1 : groups_.size() * (groups_.size() - 1) / 2;
    if (std::ranges::all_of(groups_, [](const SummaryView& group) { return group.n == 0; })) return;
    const Mechanism& mechanism = *groups_[0].mechanism;
    const std::vector<std::uint64_t> cells = mechanism.cells();
    const auto add = [&](std::size_t attribute, bool number, std::size_t values) {
        check_count(values, (max_comparisons - count_) / pairs_,
                    "Name a baseline or an attribute, or compare fewer groups.");
        compared_.push_back({attribute, number, values});
        count_ += values * pairs_;
    };
    if (attributes_.size() > 1) {
        std::size_t values = 1;
        for (const std::size_t each : attributes_)
            values *=
                static_cast<std::size_t>(std::min<std::uint64_t>(cells[each], max_comparisons / values + 1));
        add(attributes_[0], false, values);
        return;
    }
    for (std::size_t j = 0; j < cells.size(); ++j) {
        if (attributes_.empty() ? is_left_out(mechanism, j) : attributes_[0] != j) continue;
        const bool number = is_compared_number(mechanism, j);
        add(j, number, number ? 1 : compared_values(mechanism, j));
    }
}

std::size_t GroupComparison::count_published() const {
    std::size_t count = 0;
    for (const ComparedAttribute& each : compared_) {
        std::vector<bool> counted;
        for (const SummaryView& group : groups_) {
            const SummaryView about = reports_about(group, each.attribute, attributes_.size() > 1);
            counted.push_back(about.n > 0 && enough(about));
        }
        const auto groups = static_cast<std::size_t>(std::ranges::count(counted, true));
        if (groups > 0)
            count += each.values * (!baseline_            ? groups * (groups - 1) / 2
                                    : counted[*baseline_] ? groups - 1
                                                          : 0);
    }
    return count;
}

void GroupComparison::write(const IntervalRule& rule, Target target, std::span<Comparison> results) const {
    if (count_ == 0) return;
    const IntervalRule of_each = rule.simultaneous() ? rule.for_rows(count_published()) : rule;
    std::vector<GroupEstimates> estimates;
    estimates.reserve(groups_.size());
    for (const SummaryView& group : groups_) estimates.emplace_back(group, target);
    std::size_t written = 0;
    for (const ComparedAttribute& each : compared_) {
        write(each, estimates, of_each, results.subspan(written, each.values * pairs_));
        written += each.values * pairs_;
    }
    // So far `adjusted` is the p-value of the results that count.
    adjust_by_holm<Comparison>(
        results, [](const Comparison& one) { return one.adjusted; },
        [](Comparison& one, double p_value) { one.adjusted = p_value; });
}

// A value at a time, so that of a joint table's cells only one for each group is in memory.
void GroupComparison::write(const ComparedAttribute& compared, std::span<const GroupEstimates> estimates,
                            const IntervalRule& rule, std::span<Comparison> results) const {
    std::vector<LawfulEstimates> all;
    for (const GroupEstimates& group : estimates) {
        all.push_back(attributes_.size() > 1 ? group.of_table(attributes_)
                                             : group.of_attribute(compared.attribute));
        check_interrupt();
    }
    // Results of a group with too few reports are not published, and count for no adjustment.
    std::vector<bool> published;
    std::vector<double> people;
    for (const SummaryView& group : groups_) {
        published.push_back(is_published(group, compared.attribute, attributes_.size() > 1));
        people.push_back(
            informative_people(reports_about(group, compared.attribute, attributes_.size() > 1)));
    }
    std::vector<GroupEstimate> at(groups_.size());
    for (std::size_t value = 0; value < compared.values; ++value) {
        for (std::size_t group = 0; group < at.size(); ++group) {
            check_interrupt();  // a cell of a table may take microseconds
            at[group] = all[group].empty() ? GroupEstimate{{unknown, unknown}, {}} : all[group][value];
            at[group].people = people[group];
        }
        std::size_t pair = 0;
        const auto add = [&](std::size_t group, std::size_t other) {
            check_interrupt();  // a comparison takes microseconds
            const Difference found = difference(at[group], at[other], rule);
            results[pair++ * compared.values + value] = {
                static_cast<std::uint32_t>(group),
                static_cast<std::uint32_t>(other),
                static_cast<std::uint32_t>(compared.attribute),
                static_cast<float>(rule.critical_value(people_of_difference(at[group], at[other]))),
                compared.number ? std::nullopt : std::optional(static_cast<std::uint32_t>(value)),
                found,
                published[group] && published[other] ? found.p_value : unknown};
        };
        for (std::size_t group = 0; group < groups_.size(); ++group)
            for (std::size_t other = 0; other < groups_.size(); ++other)
                if (baseline_ ? other == *baseline_ && group != other : other < group) add(group, other);
    }
}

std::vector<Comparison> compare(std::span<const SummaryView> groups, std::optional<std::size_t> baseline,
                                const IntervalRule& rule, Target target,
                                const std::vector<std::size_t>& attributes) {
    const GroupComparison comparison(groups, baseline, attributes);
    std::vector<Comparison> all(comparison.count());
    comparison.write(rule, target, all);
    return all;
}

}  // namespace ldp
