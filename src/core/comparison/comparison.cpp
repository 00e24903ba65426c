#include "core/comparison/comparison.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/comparison/group_estimates.hpp"
#include "core/mechanism/joint/joint.hpp"
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
    for (const std::size_t attribute : attributes) check_attribute(attribute, mechanism.cells().size());
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

std::vector<Comparison> compare(std::span<const SummaryView> groups, std::optional<std::size_t> baseline,
                                double critical_value, Target target,
                                const std::vector<std::size_t>& attributes) {
    check(groups, baseline, attributes);
    std::vector<GroupEstimates> of_groups;
    of_groups.reserve(groups.size());
    for (const SummaryView& group : groups) of_groups.emplace_back(group, target);
    const std::size_t pairs = baseline ? groups.size() - 1 : groups.size() * (groups.size() - 1) / 2;
    std::vector<Comparison> all;
    std::vector<double> p_values;
    const auto add_all = [&](std::size_t attribute, bool number, const auto& estimates_of) {
        std::vector<LawfulEstimates> estimates;
        std::size_t values = 0;
        for (const GroupEstimates& group : of_groups) {
            estimates.push_back(estimates_of(group));
            values = std::max(values, estimates.back().size());
            check_interrupt();
        }
        if (values > (max_comparisons - all.size()) / pairs)
            raise(ErrorCode::invalid_value, "too many comparisons",
                  "At most " + std::to_string(max_comparisons) + " are possible.",
                  "Name a baseline or an attribute, or compare fewer groups.");
        // Results of a group with too few reports are not published, and count for no adjustment.
        std::vector<bool> published;
        for (const SummaryView& group : groups)
            published.push_back(is_published(group, attribute, attributes.size() > 1));
        const auto one = [&](std::size_t group, std::size_t value) -> GroupEstimate {
            return estimates[group].empty() ? GroupEstimate{{unknown, unknown}, {}} : estimates[group][value];
        };
        const auto add = [&](std::size_t group, std::size_t other) {
            for (std::size_t v = 0; v < values; ++v) {
                check_interrupt();  // a comparison takes microseconds
                const Difference found = difference(one(group, v), one(other, v), critical_value);
                all.push_back({static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(other),
                               static_cast<std::uint32_t>(attribute),
                               number ? std::nullopt : std::optional(static_cast<std::uint32_t>(v)), found,
                               unknown});
                p_values.push_back(published[group] && published[other] ? found.p_value : unknown);
            }
        };
        for (std::size_t group = 0; group < groups.size(); ++group)
            for (std::size_t other = 0; other < groups.size(); ++other)
                if (baseline ? other == *baseline && group != other : other < group) add(group, other);
    };
    if (attributes.size() > 1)
        add_all(attributes[0], false,
                [&](const GroupEstimates& group) { return group.of_table(attributes); });
    else
        for (std::size_t j = 0; j < groups[0].mechanism->cells().size(); ++j)
            if (attributes.empty() ? !is_text_of_record(*groups[0].mechanism, j) : attributes[0] == j)
                add_all(j, of_groups[0].number(j),
                        [&](const GroupEstimates& group) { return group.of_attribute(j); });
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].adjusted = adjusted[i];
    return all;
}

}  // namespace ldp
