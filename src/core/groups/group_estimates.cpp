#include "core/groups/group_estimates.hpp"

#include <algorithm>

#include "core/mechanism/circular/mean_direction.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mean/means_by_group.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/share_intervals.hpp"

namespace ldp {

GroupEstimates::GroupEstimates(const SummaryView& view, Target target)
    : view_(view), target_(target), means_(view, target) {}

bool GroupEstimates::number(std::size_t attribute) const {
    return is_compared_number(*view_.mechanism, attribute);
}

LawfulEstimates GroupEstimates::of_attribute(std::size_t attribute) const {
    if (find_capability<JointViews>(*part_of(*view_.mechanism, attribute).mechanism) != nullptr)
        return of_table({attribute});
    if (view_.n == 0) return {};
    const ErrorLaw law = part(view_, attribute).n > 0 ? error_law(view_, attribute, target_) : ErrorLaw{};
    if (number(attribute)) return {{means_.of(attribute)}, law};
    std::vector<Estimate> shares = estimate(view_, {Quantity::frequencies, target_, attribute});
    if (std::vector<ErrorLaw> laws = own_laws(view_, attribute, target_); !laws.empty())
        return {std::move(shares), std::move(laws)};
    return {std::move(shares), law};
}

LawfulEstimates GroupEstimates::of_table(const std::vector<std::size_t>& attributes) const {
    if (view_.n == 0) return {};
    return LawfulEstimates(Marginal(view_, attributes, Combination::consistent, target_));
}

double informative_people(const SummaryView& view) {
    return static_cast<double>(view.n) / repetition(view);
}

bool is_compared_number(const Mechanism& mechanism, std::size_t attribute) {
    const Mechanism& part = *part_of(mechanism, attribute).mechanism;
    return part.can_estimate(Quantity::means) && find_capability<JointViews>(part) == nullptr;
}

std::size_t compared_values(const Mechanism& mechanism, std::size_t attribute) {
    if (is_number_of_groups(mechanism, attribute)) return 0;
    const std::uint64_t buckets = part_of(mechanism, attribute).mechanism->value_buckets();
    return static_cast<std::size_t>(buckets > 0 ? buckets : mechanism.cells()[attribute]);
}

bool is_left_out(const Mechanism& mechanism, std::size_t attribute) {
    if (is_number_of_groups(mechanism, attribute)) return true;
    if (find_direction(*part_of(mechanism, attribute).mechanism) != nullptr) return true;
    if (find_capability<Record>(mechanism) == nullptr) return false;
    const Mechanism& part = *part_of(mechanism, attribute).mechanism;
    return part.can_estimate(Quantity::strings) || is_series(part);
}

bool are_rounds_of_a_panel(std::span<const SummaryView> groups) {
    std::vector<std::int32_t> rounds;
    for (const SummaryView& group : groups) {
        if (!group.mechanism->header().kept || group.rounds.most() > 1) return false;
        if (!group.rounds.empty()) rounds.push_back(group.rounds.first);
    }
    std::ranges::sort(rounds);
    return rounds.size() > 1 && std::ranges::adjacent_find(rounds) == rounds.end();
}

}  // namespace ldp
