#include "core/tables/measured.hpp"

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

/// Collects the estimates of views, all of one kind.
struct OfViews {
    double each;  ///< factor of a variance by which repeated reports of people inflate it
    Measured all = {};

    void operator()(CrossTable found) {
        if (found.people == 0) return;
        const double people = found.people / each, variance = found.contrast() / people;
        const double held = std::max(0.0, found.held - 1) / people;  // 1 is the contribution of sampling
        of_kind<Table>().push_back({std::move(found.attributes), std::move(found.sizes),
                                    std::move(found.shares), variance, people, held});
    }
    void operator()(Details found) {
        std::vector<Details>& details = of_kind<Details>();
        if (found.people == 0) return;
        found.people /= each;
        for (double& reports : found.reports) reports /= each;
        for (double& variance : found.variances) variance *= each;
        details.push_back(std::move(found));
    }

  private:
    template <class Kind>
    std::vector<Kind>& of_kind() {
        if (!std::holds_alternative<std::vector<Kind>>(all)) all.emplace<std::vector<Kind>>();
        return std::get<std::vector<Kind>>(all);
    }
};

}  // namespace

Measured measured(const SummaryView& view) {
    const auto& joint = capability<JointViews>(*view.mechanism);
    const std::size_t views = joint.views().size();
    need_reports(view);
    OfViews found{repetition(view)};
    for (std::size_t v = 0; v < views; ++v) {
        check_interrupt();
        std::visit(found, joint.estimate_of_view(view, v));
    }
    return std::move(found.all);
}

Measured measured_for_model(const SummaryView& view) {
    Measured all = measured(view);
    if (!enough(view))
        raise(ErrorCode::unsupported, "there are too few reports for a model", note(view) + ".",
              "Wait for more reports.");
    return all;
}

}  // namespace ldp
