#include "core/comparison/comparison.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/marginal.hpp"

namespace ldp {

namespace {

/// The estimates of a group about one attribute or one joint table; none if no report is about it.
struct ComparedEstimates {
    bool number = false;
    std::vector<GroupEstimate> estimates;
};

ComparedEstimates of_table(const SummaryView& view, const std::vector<std::size_t>& attributes,
                           Target target) {
    ComparedEstimates all;
    if (view.n == 0) return all;
    const Marginal table(view, attributes, Combination::consistent, target);
    const Cells cells(table.sizes());
    all.estimates.reserve(cells.count());
    for (std::size_t cell = 0; cell < cells.count(); ++cell) {
        check_interrupt();
        const MeasuredShare share = table.measured(cells.box(cell));
        all.estimates.push_back({share.estimate, share.law});
    }
    return all;
}

ComparedEstimates of_attribute(const SummaryView& view, std::size_t attribute, Target target) {
    if (find_capability<JointViews>(*part_of(*view.mechanism, attribute).mechanism) != nullptr)
        return of_table(view, {attribute}, target);
    const SummaryView about = part(view, attribute);
    ComparedEstimates all{about.mechanism->can_estimate(Quantity::means), {}};
    if (about.n == 0) return all;
    const ErrorLaw law = error_law(view, attribute, target);
    if (all.number)
        all.estimates.push_back({estimate(view, {Quantity::means, target})[attribute], law});
    else
        for (const Estimate& one : estimate(view, {Quantity::frequencies, target, attribute}))
            all.estimates.push_back({one, law});
    return all;
}

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

/// Whether the attribute is a text of a record, whose shares are not compared.
bool is_text_of_record(const Mechanism& mechanism, std::size_t attribute) {
    return find_capability<Record>(mechanism) != nullptr &&
           part_of(mechanism, attribute).mechanism->can_estimate(Quantity::strings);
}

}  // namespace

std::vector<Comparison> compare(std::span<const SummaryView> groups, std::optional<std::size_t> baseline,
                                double critical_value, Target target,
                                const std::vector<std::size_t>& attributes) {
    check(groups, baseline, attributes);
    const std::size_t pairs = baseline ? groups.size() - 1 : groups.size() * (groups.size() - 1) / 2;
    std::vector<Comparison> all;
    std::vector<double> p_values;
    const auto add_all = [&](std::size_t attribute, const auto& estimates_of) {
        std::vector<ComparedEstimates> of_groups;
        std::size_t values = 0;
        for (const SummaryView& group : groups) {
            of_groups.push_back(estimates_of(group));
            values = std::max(values, of_groups.back().estimates.size());
            check_interrupt();
        }
        if (values > (max_comparisons - all.size()) / pairs)
            raise(ErrorCode::invalid_value, "too many comparisons",
                  "At most " + std::to_string(max_comparisons) + " are possible.",
                  "Name a baseline or an attribute, or compare fewer groups.");
        const auto one = [](const ComparedEstimates& of, std::size_t value) -> GroupEstimate {
            return of.estimates.empty() ? GroupEstimate{{unknown, unknown}, {}} : of.estimates[value];
        };
        const auto add = [&](std::size_t group, std::size_t other) {
            for (std::size_t v = 0; v < values; ++v) {
                check_interrupt();  // a comparison takes microseconds
                const Difference found =
                    difference(one(of_groups[group], v), one(of_groups[other], v), critical_value);
                all.push_back(
                    {static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(other),
                     static_cast<std::uint32_t>(attribute),
                     of_groups[group].number ? std::nullopt : std::optional(static_cast<std::uint32_t>(v)),
                     found, unknown});
                p_values.push_back(found.p_value);
            }
        };
        for (std::size_t group = 0; group < groups.size(); ++group)
            for (std::size_t other = 0; other < groups.size(); ++other)
                if (baseline ? other == *baseline && group != other : other < group) add(group, other);
    };
    if (attributes.size() > 1)
        add_all(attributes[0], [&](const SummaryView& group) { return of_table(group, attributes, target); });
    else
        for (std::size_t j = 0; j < groups[0].mechanism->cells().size(); ++j)
            if (attributes.empty() ? !is_text_of_record(*groups[0].mechanism, j) : attributes[0] == j)
                add_all(j, [&](const SummaryView& group) { return of_attribute(group, j, target); });
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].adjusted = adjusted[i];
    return all;
}

}  // namespace ldp
