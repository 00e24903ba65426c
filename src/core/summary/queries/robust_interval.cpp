#include "core/summary/queries/robust_interval.hpp"

#include <string>

#include "core/base/error.hpp"
#include "core/mechanism/strings/string_shares.hpp"

namespace ldp {

RobustInterval::RobustInterval(const SummaryView& view, const Question& question, double forged,
                               double errors)
    : contributions_(view.mechanism->contributions(question)), forged_(forged), errors_(errors) {
    if (!(forged >= 0 && forged < 1))
        raise(ErrorCode::invalid_value, "the share of forged reports must be at least 0 and below 1",
              "Found " + std::to_string(forged) + ".", "One in a hundred is 0.01.");
    // A string's estimate follows from a part of the reports about its attribute, which forgers choose.
    const std::size_t attribute = question.attribute == only_attribute ? 0 : question.attribute;
    if (find_capability<StringShares>(*part(view, attribute).mechanism) != nullptr) return;
    if (contributions_.size() != 1 || question.attribute == only_attribute) return;
    const double about = static_cast<double>(part(view, question.attribute).n) / static_cast<double>(view.n);
    contributions_[0].chance = (about - forged) / (1 - forged);
}

Interval RobustInterval::operator()(const Estimate& estimate) const {
    return robust_interval(estimate, errors_, contributions_, forged_);
}

}  // namespace ldp
