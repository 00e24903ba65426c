#include "core/joint/tables.hpp"

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

std::vector<Table> tables(const SummaryView& view) {
    const std::size_t views = capability<JointViews>(*view.mechanism).views().size();
    if (find_capability<JointDetails>(*view.mechanism) != nullptr)
        raise(ErrorCode::unsupported, "these reports tell boxes of attributes, not whole cross tables",
              "Associations, models and made-up rows are made of cross tables.",
              "Ask for fitted tables with ldp_fitted, or collect with the mechanism joint.");
    const auto& joint = capability<CrossTables>(*view.mechanism);
    need_reports(view);
    const double each = most_of_one(view);
    std::vector<Table> all;
    for (std::size_t v = 0; v < views; ++v) {
        check_interrupt();
        CrossTable found = joint.table(view, v);
        if (found.people == 0) continue;
        const double people = found.people / each, variance = found.contrast() / people;
        all.push_back(
            {std::move(found.attributes), std::move(found.sizes), std::move(found.shares), variance, people});
    }
    return all;
}

std::vector<Table> tables_for_model(const SummaryView& view) {
    std::vector<Table> all = tables(view);
    if (!enough(view))
        raise(ErrorCode::unsupported, "there are too few reports for a model", note(view) + ".",
              "Wait for more.");
    return all;
}

}  // namespace ldp
