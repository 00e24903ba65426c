#include "core/comparison/comparison.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/comparison/group_estimates.hpp"
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

/// Whether enough reports are about the attribute, or about tables with it, to publish estimates.
bool is_published(const SummaryView& group, std::size_t attribute, bool table) {
    SummaryView about = part(group, attribute);
    const auto* joint = find_capability<JointViews>(*about.mechanism);
    if (joint != nullptr && !table)
        about.n = joint->reports(about, attribute - part_of(*group.mechanism, attribute).first);
    return enough(about);
}

}  // namespace

GroupComparison::GroupComparison(std::span<const SummaryView> groups, std::optional<std::size_t> baseline,
                                 std::vector<std::size_t> attributes)
    : groups_(groups), baseline_(baseline), attributes_(std::move(attributes)) {
    check(groups_, baseline_, attributes_);
    pairs_ = baseline_ ? groups_.size() - 1 : groups_.size() * (groups_.size() - 1) / 2;
    if (std::ranges::all_of(groups_, [](const SummaryView& group) { return group.n == 0; })) return;
    const Mechanism& mechanism = *groups_[0].mechanism;
    const std::vector<std::uint64_t> cells = mechanism.cells();
    const auto add = [&](std::size_t attribute, bool number, std::size_t values) {
        if (values > (max_comparisons - count_) / pairs_)
            raise(ErrorCode::invalid_value, "too many comparisons",
                  "At most " + std::to_string(max_comparisons) + " are possible.",
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

void GroupComparison::write(double critical_value, Target target, std::span<Comparison> results) const {
    if (count_ == 0) return;
    std::vector<GroupEstimates> estimates;
    estimates.reserve(groups_.size());
    for (const SummaryView& group : groups_) estimates.emplace_back(group, target);
    std::size_t written = 0;
    for (const ComparedAttribute& each : compared_) {
        write(each, estimates, critical_value, results.subspan(written, each.values * pairs_));
        written += each.values * pairs_;
    }
    // So far `adjusted` is the p-value of the results that count.
    adjust_by_holm<Comparison>(
        results, [](const Comparison& one) { return one.adjusted; },
        [](Comparison& one, double p_value) { one.adjusted = p_value; });
}

// A value at a time, so that of a joint table's cells only one for each group is in memory.
void GroupComparison::write(const ComparedAttribute& compared, std::span<const GroupEstimates> estimates,
                            double critical_value, std::span<Comparison> results) const {
    std::vector<LawfulEstimates> all;
    for (const GroupEstimates& group : estimates) {
        all.push_back(attributes_.size() > 1 ? group.of_table(attributes_)
                                             : group.of_attribute(compared.attribute));
        check_interrupt();
    }
    // Results of a group with too few reports are not published, and count for no adjustment.
    std::vector<bool> published;
    for (const SummaryView& group : groups_)
        published.push_back(is_published(group, compared.attribute, attributes_.size() > 1));
    std::vector<GroupEstimate> at(groups_.size());
    for (std::size_t value = 0; value < compared.values; ++value) {
        for (std::size_t group = 0; group < at.size(); ++group) {
            check_interrupt();  // a cell of a table may take microseconds
            at[group] = all[group].empty() ? GroupEstimate{{unknown, unknown}, {}} : all[group][value];
        }
        std::size_t pair = 0;
        const auto add = [&](std::size_t group, std::size_t other) {
            check_interrupt();  // a comparison takes microseconds
            const Difference found = difference(at[group], at[other], critical_value);
            results[pair++ * compared.values + value] = {
                static_cast<std::uint32_t>(group),
                static_cast<std::uint32_t>(other),
                static_cast<std::uint32_t>(compared.attribute),
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
                                double critical_value, Target target,
                                const std::vector<std::size_t>& attributes) {
    const GroupComparison comparison(groups, baseline, attributes);
    std::vector<Comparison> all(comparison.count());
    comparison.write(critical_value, target, all);
    return all;
}

}  // namespace ldp
