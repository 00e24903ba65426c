#include "core/groups/interval_rule.hpp"

#include <algorithm>
#include <cmath>

#include "core/math/statistics.hpp"
#include "core/mechanism/role/estimate.hpp"

namespace ldp {

namespace {

/// The m for which c is least: m = log(1 + m) + 2·log(1/0.05).
constexpr double tuned_information = 8.21;

double information(double people) noexcept {
    return people * (tuned_information / IntervalRule::tuned_people);
}

}  // namespace

IntervalRule::IntervalRule(double critical_value)
    : error_(two_sided(critical_value)), critical_value_(critical_value) {}

IntervalRule IntervalRule::of(double confidence, bool anytime, bool simultaneous) {
    const double fixed = ldp::critical_value(confidence);
    return {1 - confidence, fixed, anytime, simultaneous};
}

IntervalRule IntervalRule::for_rows(std::size_t rows) const {
    if (!simultaneous_ || rows <= 1) return *this;
    const double error = error_ / static_cast<double>(rows);
    return {error, error > 0 ? -normal_quantile(error / 2) : critical_value_, anytime_, simultaneous_};
}

double IntervalRule::critical_value(double people) const noexcept {
    if (!anytime_) return critical_value_;
    const double m = information(people);
    return std::sqrt((1 + 1 / m) * (std::log1p(m) - 2 * std::log(error_)));
}

double IntervalRule::p_value(double deviations, double people) const noexcept {
    if (!anytime_) return two_sided(deviations);
    const double m = information(people);
    return std::min(1.0, std::sqrt(1 + m) * std::exp(-deviations * deviations * (m / (1 + m)) / 2));
}

}  // namespace ldp
