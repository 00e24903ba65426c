#include "core/results/report_status.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

SpentBudgets spent_budgets(Bytes summary, std::optional<std::size_t> attribute) {
    const std::shared_ptr<const Mechanism> mechanism = mechanism_of(summary);
    return SpentBudgets(view_of(*mechanism, summary), attribute);
}

ReportStatus report_status(const SpentBudgets& spent, const SummaryView& about, const Interval& possible) {
    ReportStatus status;
    if (about.n == 0) return status;
    status.n = about.n;
    status.people = fewest_people(about);
    status.enough = enough(about);
    status.note.reset();
    status.add_note(note(about));
    if (spent.possible() && status.enough) {
        status.add_note(spent.note());
        status.bias = spent.bias(about.n, possible);
    }
    status.pointwise = about.rounds == ignored_rounds;
    if (about.rounds.recorded() && !status.pointwise) status.rounds = about.rounds.most();
    return status;
}

ReportStatus report_status(const SummaryView& whole) {
    return report_status(SpentBudgets(whole), whole);
}

ReportStatus report_status(const SummaryView& view, std::size_t attribute, Target target) {
    SummaryView about = part(view, attribute);
    const std::size_t within = attribute - part_of(*view.mechanism, attribute).first;
    if (const auto* joint = find_capability<JointViews>(*about.mechanism))
        about.n = joint->reports(about, within);
    ReportStatus all =
        report_status(SpentBudgets(view, attribute), about, possible_values(*about.mechanism, within));
    all.law = error_law(view, attribute, target);
    return all;
}

ReportStatus status_of_part(ReportStatus status, std::uint64_t n, const ErrorLaw& law) {
    status.n = n;
    if (status.rounds > 0) status.people = n / status.rounds + (n % status.rounds > 0 ? 1 : 0);
    status.law = law;
    return status;
}

ReportStatus smoothed_status(const SpentBudgets& spent, const SummaryView& about) {
    ReportStatus all = report_status(spent, about);
    if (all.enough) all.add_note(smearing(about));
    note_answers(all, about);
    return all;
}

void note_answers(ReportStatus& status, const SummaryView& about) {
    const auto* answered = find_capability<ResponseRate>(*about.mechanism);
    if (answered == nullptr || !status.enough || about.n == 0) return;
    const auto [rate, error] = answered->response_rate(about, Target::population);
    const bool few = interval(Estimate{rate, error * std::sqrt(most_of_one(about))}, 0.95).lower <= 0;
    // A report that repeats another response changes a share by up to its share among the people who answer.
    constexpr double least_rate = 0.01;
    status.bias.range /= std::clamp(rate, least_rate, 1.0);
    status.add_note(few ? "among the people who answer, of whom there may be too few for an interval"
                        : "among the people who answer");
}

}  // namespace ldp
