#include "core/summary/errors.hpp"

#include <algorithm>
#include <cmath>

#include "core/mechanism/frequency/label_sets.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/mean/rounded_numbers.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/role/forgery.hpp"
#include "core/mechanism/vector/haar_vector.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

/// Reports about one part of a record are a random sample of all reports.
Target target_of_part(const SummaryView& part, Target target) noexcept {
    return part.drawn == 1 ? target : Target::population;
}

/// Returns the target of the errors of means. If the steps of a rounding are unknown, they contain the variance
/// between people.
Target target_of_means(const SummaryView& part, std::size_t first, std::size_t last, Target target) {
    for (std::size_t j = first; target == Target::sample && j <= last; ++j)
        if (std::isinf(rounding_deviation(*part.mechanism, j))) return Target::population;
    return target_of_part(part, target);
}

/// Returns the possible values of an attribute's mean; unlimited if they are unknown.
Interval possible_means(const Mechanism& mechanism, std::size_t attribute) {
    if (const Range* range = mechanism.range_of_number()) return {range->min, range->max};
    if (const auto* ordered = find_capability<Ordered>(mechanism)) return ordered->ends();
    if (const auto* vector = find_capability<HaarVector>(mechanism)) return vector->ends(attribute);
    const auto parts = mechanism.contributions({Quantity::means, Target::sample, attribute});
    return parts.size() == 1 ? parts[0].truths : ErrorLaw{}.truths;
}

}  // namespace

ErrorLaw error_law(const SummaryView& view, std::size_t attribute, Target target) {
    const SummaryView one = part(view, attribute);
    const std::size_t within = attribute - part_of(*view.mechanism, attribute).first;
    ErrorLaw law = one.mechanism->can_estimate(Quantity::frequencies) ? law_of_share() : ErrorLaw{};
    const auto* known = find_capability<KnownErrors>(*one.mechanism);
    if (known != nullptr && one.n > 0 && !repeats(one))
        law = known->error_law(one.n, target_of_means(one, within, within, target));
    if (std::isinf(law.truths.upper) && one.mechanism->can_estimate(Quantity::means))
        law.truths = possible_means(*one.mechanism, within);
    return law;
}

ErrorLaw group_law(const SummaryView& view, std::size_t first, std::size_t last, Target target) {
    ErrorLaw law;
    if (!repeats(view))
        law = capability<GroupMean>(*view.mechanism)
                  .group_law(view, first, last, target_of_means(view, first, last, target));
    const double size = static_cast<double>(last - first + 1);
    law.truths = {0, 0};
    for (std::size_t j = first; j <= last; ++j) {
        const RecordPart one = part_of(*view.mechanism, j);
        const Interval range = possible_means(*one.mechanism, j - one.first);
        law.truths.lower += range.lower / size;
        law.truths.upper += range.upper / size;
    }
    return law;
}

std::optional<Interval> answered_interval(const SummaryView& view, std::size_t attribute, Target target,
                                          double critical_value, double forged) {
    const SummaryView one = part(view, attribute);
    const auto* rate = find_capability<ResponseRate>(*one.mechanism);
    if (rate == nullptr || one.n == 0) return {};
    return rate->answered_interval(one, {target_of_means(one, 0, 0, target), critical_value, most_of_one(one),
                                         std::min(1.0, forged / one.drawn)});
}

std::optional<Direction> mean_direction(const SummaryView& view, std::size_t attribute, Target target,
                                        double critical_value, double forged) {
    const SummaryView one = part(view, attribute);
    const auto* circle = find_direction(*one.mechanism);
    if (circle == nullptr || one.n == 0) return {};
    return circle->direction(one, {target_of_part(one, target), critical_value, most_of_one(one),
                                   std::min(1.0, forged / one.drawn)});
}

std::optional<ResultantLength> resultant_length(const SummaryView& view, std::size_t attribute, Target target,
                                                double critical_value) {
    const SummaryView one = part(view, attribute);
    const auto* circle = find_direction(*one.mechanism);
    if (circle == nullptr || one.n == 0) return {};
    return circle->resultant_length(one, {target_of_part(one, target), critical_value, most_of_one(one)});
}

AnsweredMean answered_terms(const SummaryView& part, Target target) {
    return capability<ResponseRate>(*part.mechanism).answered_mean(part, target_of_means(part, 0, 0, target));
}

ComparableMeans::ComparableMeans(const SummaryView& view, Target target) : view_(view), target_(target) {
    if (view.n > 0 && view.mechanism->can_estimate(Quantity::means))
        means_ = estimate(view, {Quantity::means, target});
}

Estimate ComparableMeans::of(std::size_t attribute) const {
    if (means_.empty()) return {unknown, unknown};
    const Estimate& mean = means_[attribute];
    const SummaryView one = part(view_, attribute);
    if (find_direction(*one.mechanism) != nullptr) return {unknown, unknown};
    const auto* rate = find_capability<ResponseRate>(*one.mechanism);
    if (rate == nullptr || one.n == 0 || std::isnan(mean.value)) return mean;
    if (hardly_answered(rate->response_rate(one, Target::population))) return {unknown, unknown};
    constexpr double critical = 1.959963984540054, margin = 4;  // beyond the range, in halves of it
    const auto found =
        rate->answered_interval(one, {target_of_part(one, target_), critical, most_of_one(one), 0, margin});
    const Interval range = possible_means(*one.mechanism, 0);
    const double half = (range.upper - range.lower) / 2;
    const double least = range.lower - margin * half, most = range.upper + margin * half;
    if (!(found.lower > least && found.upper < most)) return {unknown, unknown};
    return {mean.value, std::max({mean.standard_error, (mean.value - found.lower) / critical,
                                  (found.upper - mean.value) / critical})};
}

namespace {

/// Returns an estimate about a part. Against the people who reported, the people who did not report the part add its
/// sampling error (SampledRecord::estimate_part).
template <class Estimated>
Estimate estimate_of_part(const SummaryView& part, Target target, Estimated estimated) {
    const Estimate population = estimated(Target::population);
    return target == Target::population ? population
                                        : mixed(estimated(Target::sample), population, part.drawn);
}

}  // namespace

LawfulRate response_rate(const SummaryView& view, std::size_t attribute, Target target) {
    const SummaryView one = part(view, attribute);
    const auto& rate = capability<ResponseRate>(*one.mechanism);
    const Target against = target_of_part(one, target);
    Estimate found = estimate_of_part(one, target, [&](Target of) { return rate.response_rate(one, of); });
    if (!repeats(one)) return {found, rate.response_law(one, against)};
    found.standard_error *= std::sqrt(most_of_one(one));
    return {found, law_of_share()};
}

SetSize set_size(const SummaryView& view, std::size_t attribute, Target target, double critical_value) {
    const SummaryView one = part(view, attribute);
    const auto& sets = capability<LabelSets>(*one.mechanism);
    const Target against = target_of_part(one, target);
    const auto most = static_cast<double>(sets.most());
    Estimate found = estimate_of_part(one, target, [&](Target of) { return sets.set_size(one, of); });
    ErrorLaw law{.truths = {0, most}};
    if (repeats(one))
        found.standard_error *= std::sqrt(most_of_one(one));
    else
        law = sets.size_law(one, against);
    const Interval range = interval(found, critical_value, law);
    return {found, {std::min(range.lower, most), std::max(std::min(range.upper, most), found.value)}};
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

}  // namespace ldp
