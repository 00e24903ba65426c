#include "core/contract/privacy_statement.hpp"

#include <cmath>

#include "core/base/text.hpp"
#include "core/contract/response_count.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp {

double PrivacyLoss::factor() const noexcept {
    return std::exp(epsilon);
}

double PrivacyLoss::right_guess() const noexcept {
    const double less = std::exp(-epsilon);
    return (1 + delta * less) / (1 + less);
}

double PrivacyLoss::posterior(double prior) const noexcept {
    return prior / (prior + (1 - prior) * std::exp(-epsilon));
}

PrivacyLoss PrivacyStatement::after(double different) const noexcept {
    if (covers_changes()) return response;
    PrivacyLoss all = response.times(different);
    if (different > 0) all.epsilon += signal.epsilon;
    return all;
}

std::vector<StatedLoss> PrivacyStatement::losses() const {
    std::vector<StatedLoss> all{{"report", report}};
    if (has_signal()) all.push_back({"early_report", early_report});
    if (has_second_layer()) all.push_back({"answer", answer});
    if (repetition == Repetition::memoized) all.push_back({"response", response});
    if (has_signal()) all.push_back({"signal", signal});
    if (person) all.push_back({"person", *person});
    if (group) all.push_back({"group", group->loss});
    return all;
}

PrivacyStatement privacy_statement(const Spec& spec, const Mechanism& mechanism) {
    PrivacyStatement statement;
    statement.response = {spec.epsilon(), spec.delta()};
    const SeriesParts* parts = series_parts(mechanism);
    if (is_series(mechanism) || (parts != nullptr && parts->only_series())) {
        statement.repetition = Repetition::series;
        statement.report = statement.early_report = statement.answer = statement.response;
        statement.person = statement.response;
    } else {
        statement.early_report = {mechanism.report_epsilon(), spec.delta()};
        statement.report = statement.early_report;
        statement.answer = statement.response;
        if (ldp::has_signal(mechanism)) {
            statement.signal.epsilon = signal_epsilon(mechanism);
            statement.report.epsilon += signal_report_epsilon(mechanism);
            statement.answer.epsilon += statement.signal.epsilon;
        }
        if (spec.budget()) statement.person = PrivacyLoss{most_epsilon(spec, mechanism), 0};
        if (spec.evolving()) {
            statement.repetition = Repetition::memoized;
            statement.responses = most_responses(spec, mechanism);
        }
    }
    if (spec.budget() && spec.budget()->group)
        statement.group = GroupLoss{spec.budget()->group->name, {spec.budget()->group->epsilon, 0}};
    return statement;
}

std::string statement_of_group(const Spec& spec, const Mechanism& mechanism) {
    const PrivacyStatement statement = privacy_statement(spec, mechanism);
    if (!statement.group) return {};
    const double all = statement.group->loss.epsilon, most = statement.person->epsilon;
    std::string text = "all collections of the group \"" + statement.group->name +
                       "\" together cost a person at most epsilon " + shortest(all) + "; ";
    if (statement.repetition == Repetition::memoized)
        text += "this one reserves " + shortest(most) + " at a person's first report";
    else if (statement.covers_changes())
        text += "the whole series costs " + shortest(most) + ", reserved at a person's first report";
    else
        text += "each report of this one costs " + shortest(statement.report.epsilon) +
                (most < all ? ", and all of them at most " + shortest(most) : "");
    if (most >= all && statement.repetition == Repetition::memoized)
        text += ", which leaves nothing for another collection: limit it by \"at_most\"";
    return text;
}

}  // namespace ldp
