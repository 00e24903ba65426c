#include "core/tables/share_intervals.hpp"

#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/mechanism/frequency/label_sets.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/marginal.hpp"

namespace ldp {

std::vector<ErrorLaw> own_laws(const SummaryView& view, std::size_t attribute) {
    const SummaryView one = part(view, attribute);
    const auto* known = find_capability<LabelSets>(*one.mechanism);
    if (known == nullptr || one.n == 0 || repeats(one)) return {};
    return known->laws_of_shares(one);
}

std::vector<Interval> own_intervals(const SummaryView& view, std::size_t attribute, Target target,
                                    double critical_value) {
    if (const std::vector<ErrorLaw> laws = own_laws(view, attribute); !laws.empty()) {
        const std::vector<Estimate> estimates =
            estimate(view, {Quantity::frequencies, Target::population, attribute});
        std::vector<Interval> all;
        all.reserve(laws.size());
        for_each_index(laws.size(), [&](std::size_t v) {
            all.push_back(std::isnan(estimates[v].value) ? possible_shares
                                                         : interval(estimates[v], critical_value, laws[v]));
        });
        return all;
    }
    const SummaryView one = part(view, attribute);
    const auto* known = find_capability<KnownErrors>(*one.mechanism);
    if (known == nullptr || one.n == 0 || repeats(one)) return {};
    // Reports about one part of a record are a random sample of all reports.
    return known->intervals(one,
                            {Quantity::frequencies, one.drawn == 1 ? target : Target::population,
                             attribute - part_of(*view.mechanism, attribute).first},
                            critical_value);
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
