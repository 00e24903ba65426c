#include "accounting/bound_texts.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace ldp {

namespace {

/// Rounded upwards to a multiple of 10^place.
std::string upwards(double bound, double place) {
    const double step = std::pow(10, place);
    std::ostringstream out;
    out << std::setprecision(10) << std::ceil(bound / step - 1e-9) * step;
    return out.str();
}

}  // namespace

std::string reported_factor(double bound) {
    return upwards(bound, std::floor(std::log10(bound)) - 2);
}

std::string reported_percent(double bound) {
    if (1 - bound < 1e-12) return "100";
    return upwards(100 * bound, std::floor(std::log10(100 * std::min(bound, 1 - bound))) - 1);
}

std::string bound_lines(const PrivacyStatement& statement, std::size_t indent) {
    std::string text;
    const auto add = [&](const PrivacyLoss& loss, const std::string& reports) {
        if (!text.empty()) text += "\n" + std::string(indent, ' ');
        text += rounded(loss.epsilon, 6) + " for " + reports + but_for(loss.delta);
    };
    if (statement.covers_changes()) {
        add(statement.report, "all rounds of a person, including the times of changes");
    } else {
        add(statement.report, "one report");
        if (statement.repetition == Repetition::fresh) text += ", and again for each further report";
        if (statement.has_signal())
            text += ", of which " + rounded(statement.report.epsilon - statement.early_report.epsilon, 6) +
                    " for the bit that states whether the budget is spent";
        if (statement.has_second_layer()) add(statement.answer, "all reports about one answer");
        if (statement.person) add(*statement.person, "all reports of a person");
    }
    if (statement.group) add(statement.group->loss, "all collections of the group");
    return text;
}

}  // namespace ldp
