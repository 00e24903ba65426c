#include "core/summary/errors.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/summary/pooling.hpp"

namespace ldp {

namespace {

/// Reports about one part of a record are a random sample of all reports.
Target target_of_part(const SummaryView& part, Target target) noexcept {
    return part.drawn == 1 ? target : Target::population;
}

}  // namespace

ErrorLaw error_law(const SummaryView& view, std::size_t attribute, Target target) {
    const SummaryView one = part(view, attribute);
    const ErrorLaw unknown_law =
        one.mechanism->can_estimate(Quantity::frequencies) ? law_of_share() : ErrorLaw{};
    const auto* known = find_capability<KnownErrors>(*one.mechanism);
    if (known == nullptr || one.n == 0 || repeats(one)) return unknown_law;
    return known->error_law(one.n, target_of_part(one, target));
}

ErrorLaw group_law(const SummaryView& view, std::size_t first, std::size_t last, Target target) {
    if (repeats(view)) return {};
    return capability<GroupMean>(*view.mechanism).group_law(view, first, last, target_of_part(view, target));
}

Interval combined_interval(const Estimate& one, const Interval& of_one, const Estimate& other,
                           const Interval& of_other) noexcept {
    const double ratio = one.standard_error / other.standard_error, weight = 1 / (1 + ratio * ratio);
    const double middle = combined(one, other).value;
    const double low = std::hypot(weight * (one.value - of_one.lower),
                                  (1 - weight) * (other.value - of_other.lower)),
                 high = std::hypot(weight * (of_one.upper - one.value),
                                   (1 - weight) * (of_other.upper - other.value));
    // If both estimates lie beyond the same end of the possible values, both intervals end there.
    return {std::min(middle - low, std::max(of_one.lower, of_other.lower)),
            std::max(middle + high, std::min(of_one.upper, of_other.upper))};
}

std::vector<Interval> intervals(const SummaryView& view, const Question& question,
                                std::span<const Estimate> estimates, double critical_value) {
    const std::size_t attribute = question.attribute == only_attribute ? 0 : question.attribute;
    const bool shares = question.quantity == Quantity::frequencies;
    if (shares) {
        const SummaryView one = part(view, attribute);
        const auto* of_items = find_capability<ItemErrors>(*one.mechanism);
        if (of_items != nullptr && one.n > 0 && !repeats(one))
            return of_items->intervals(one,
                                       {question.quantity, target_of_part(one, question.target),
                                        attribute - part_of(*view.mechanism, attribute).first},
                                       critical_value);
    }
    std::vector<Interval> all;
    all.reserve(estimates.size());
    ErrorLaw law;
    for_each_index(estimates.size(), [&](std::size_t item) {
        if (item == 0 || !shares) law = error_law(view, shares ? attribute : item, question.target);
        all.push_back(interval(estimates[item], critical_value, law));
    });
    return all;
}

}  // namespace ldp
