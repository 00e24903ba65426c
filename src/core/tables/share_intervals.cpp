#include "core/tables/share_intervals.hpp"

#include <cmath>
#include <functional>

#include "core/base/interrupt.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/marginal.hpp"

namespace ldp {

namespace {

/// Calls `visit` with the law of each share of an attribute. Returns false if one law applies to all.
bool visit_own_laws(const SummaryView& view, std::size_t attribute, Target target,
                    const std::function<void(const ErrorLaw&)>& visit) {
    const SummaryView one = part(view, attribute);
    if (const auto* series = find_capability<SeriesRandomizer>(*one.mechanism);
        series != nullptr && one.n > 0 && one.mechanism->can_estimate(Quantity::frequencies)) {
        const std::size_t within = attribute - part_of(*view.mechanism, attribute).first;
        const RoundWeight round{static_cast<std::uint32_t>(within + 1), 1};
        const Target of = one.drawn == 1 ? target : Target::population;
        for (const RoundEstimate& share : series->round_sum(one, {&round, 1}, of)) visit(share.law);
        return true;
    }
    const auto* known = find_capability<KnownErrors>(*one.mechanism);
    // Reports about one part of a record are a random sample of all reports.
    return known != nullptr && one.n > 0 && !repeats(one) &&
           known->visit_laws(one, one.drawn == 1 ? target : Target::population, visit);
}

}  // namespace

std::vector<ErrorLaw> own_laws(const SummaryView& view, std::size_t attribute, Target target) {
    std::vector<ErrorLaw> laws;
    visit_own_laws(view, attribute, target, [&](const ErrorLaw& law) { laws.push_back(law); });
    return laws;
}

std::vector<Interval> own_intervals(const SummaryView& view, std::size_t attribute, Target target,
                                    double critical_value) {
    std::vector<Estimate> estimates;
    std::vector<Interval> all;
    visit_own_laws(view, attribute, target, [&](const ErrorLaw& law) {
        if (estimates.empty()) estimates = estimate(view, {Quantity::frequencies, target, attribute});
        const Estimate& share = estimates[all.size()];
        all.push_back(std::isnan(share.value) ? possible_shares : interval(share, critical_value, law));
    });
    return all;
}

std::vector<Interval> intervals(const SummaryView& view, const Question& question,
                                std::span<const Estimate> estimates, double critical_value) {
    const std::size_t attribute = question.attribute == only_attribute ? 0 : question.attribute;
    const bool shares = question.quantity == Quantity::frequencies;
    std::vector<Interval> all;
    all.reserve(estimates.size());
    if (shares) {
        const SummaryView one = part(view, attribute);
        if (find_capability<JointViews>(*one.mechanism) != nullptr) {
            const Marginal table(view, {attribute}, Combination::consistent, question.target);
            const Cells cells(table.sizes());
            for_each_index(cells.count(), [&](std::size_t value) {
                all.push_back(interval(table.measured(cells.box(value)), critical_value));
            });
            return all;
        }
        if (auto own = own_intervals(view, attribute, question.target, critical_value); !own.empty())
            return own;
    }
    ErrorLaw law;
    for_each_index(estimates.size(), [&](std::size_t item) {
        if (item == 0 || !shares) law = error_law(view, shares ? attribute : item, question.target);
        all.push_back(interval(estimates[item], critical_value, law));
    });
    return all;
}

}  // namespace ldp
