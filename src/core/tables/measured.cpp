#include "core/tables/measured.hpp"

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

std::vector<Table> tables(const SummaryView& view, const CrossTables& joint, std::size_t views) {
    const double each = repetition(view);
    std::vector<Table> all;
    for (std::size_t v = 0; v < views; ++v) {
        check_interrupt();
        CrossTable found = joint.table(view, v);
        if (found.people == 0) continue;
        const double people = found.people / each, variance = found.contrast() / people;
        const double held = std::max(0.0, found.held - 1) / people;  // 1 is the contribution of sampling
        all.push_back({std::move(found.attributes), std::move(found.sizes), std::move(found.shares), variance,
                       people, held});
    }
    return all;
}

std::vector<Details> details(const SummaryView& view, const JointCoefficients& joint, std::size_t views) {
    const double each = repetition(view);
    std::vector<Details> all;
    for (std::size_t v = 0; v < views; ++v) {
        check_interrupt();
        Details found = joint.details(view, v);
        if (found.people == 0) continue;
        found.people /= each;
        for (double& reports : found.reports) reports /= each;
        for (double& variance : found.variances) variance *= each;
        all.push_back(std::move(found));
    }
    return all;
}

}  // namespace

Measured measured(const SummaryView& view) {
    const std::size_t views = capability<JointViews>(*view.mechanism).views().size();
    need_reports(view);
    if (const auto* joint = find_capability<JointCoefficients>(*view.mechanism))
        return details(view, *joint, views);
    return tables(view, capability<CrossTables>(*view.mechanism), views);
}

Measured measured_for_model(const SummaryView& view) {
    Measured all = measured(view);
    if (!enough(view))
        raise(ErrorCode::unsupported, "there are too few reports for a model", note(view) + ".",
              "Wait for more.");
    return all;
}

}  // namespace ldp
