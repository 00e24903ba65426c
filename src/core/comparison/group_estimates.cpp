#include "core/comparison/group_estimates.hpp"

#include "core/base/interrupt.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/marginal.hpp"

namespace ldp {

GroupEstimates::GroupEstimates(const SummaryView& view, Target target) : view_(view), target_(target) {
    if (view.n > 0 && view.mechanism->can_estimate(Quantity::means))
        means_ = estimate(view, {Quantity::means, target});
}

bool GroupEstimates::number(std::size_t attribute) const {
    return part_of(*view_.mechanism, attribute).mechanism->can_estimate(Quantity::means);
}

LawfulEstimates GroupEstimates::of_attribute(std::size_t attribute) const {
    if (find_capability<JointViews>(*part_of(*view_.mechanism, attribute).mechanism) != nullptr)
        return of_table({attribute});
    if (view_.n == 0) return {};
    const ErrorLaw law = part(view_, attribute).n > 0 ? error_law(view_, attribute, target_) : ErrorLaw{};
    if (number(attribute)) return {{means_[attribute]}, {law}};
    return {estimate(view_, {Quantity::frequencies, target_, attribute}), {law}};
}

LawfulEstimates GroupEstimates::of_table(const std::vector<std::size_t>& attributes) const {
    LawfulEstimates all;
    if (view_.n == 0) return all;
    const Marginal table(view_, attributes, Combination::consistent, target_);
    const Cells cells(table.sizes());
    all.estimates.reserve(cells.count());
    all.laws.reserve(cells.count());
    for (std::size_t cell = 0; cell < cells.count(); ++cell) {
        check_interrupt();
        const MeasuredShare share = table.measured(cells.box(cell));
        all.estimates.push_back(share.estimate);
        all.laws.push_back(share.law);
    }
    return all;
}

bool is_text_of_record(const Mechanism& mechanism, std::size_t attribute) {
    return find_capability<Record>(mechanism) != nullptr &&
           part_of(mechanism, attribute).mechanism->can_estimate(Quantity::strings);
}

}  // namespace ldp
