#include "core/spec/privacy_statement.hpp"

#include <cmath>

#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/spent_signal.hpp"
#include "core/spec/response_count.hpp"

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

}  // namespace ldp
