#include "core/summary/spent.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/spent_signal.hpp"
#include "core/summary/pooling.hpp"

namespace ldp {

namespace {

constexpr double usual_critical_value = 1.959963984540054;  // of 95 %

std::string percent(double share) {
    return shortest(std::round(1000 * std::clamp(share, 0.0, 1.0)) / 10) + " %";
}

}  // namespace

double BiasBound::at(double critical_value) const noexcept {
    return range == 0 ? 0 : range * std::clamp(share + critical_value * error, 0.0, 1.0);
}

Interval extended(const Interval& found, const BiasBound& bias, double critical_value) noexcept {
    if (bias.range == 0) return found;
    const double half = (found.upper - found.lower) / 2;
    const double errors = vector_length(half, critical_value * bias.range * bias.error) - half;
    const double most = std::clamp(bias.range * bias.share + errors, 0.0, bias.range);
    return {std::min(found.lower, std::max(found.lower - most, bias.possible.lower)),
            std::max(found.upper, std::min(found.upper + most, bias.possible.upper))};
}

double extended_p_value(double p_value, double estimate, const Interval& found, const BiasBound& bias,
                        double critical_value) noexcept {
    if (bias.range == 0 || std::isnan(p_value)) return p_value;
    const double half = (found.upper - found.lower) / 2;
    const double error = vector_length(half / critical_value, bias.range * bias.error);
    const double beyond = std::abs(estimate) - bias.range * bias.share;
    return std::max(p_value, beyond > 0 ? two_sided(error > 0 ? beyond / error : HUGE_VAL) : 1);
}

BiasBound bias_of_difference(const BiasBound& one, const BiasBound& other) noexcept {
    const double range = std::max(one.range, other.range);
    return {(one.share + other.share) / 2, (one.error + other.error) / 2, 2 * range, {-range, range}};
}

SpentBudgets::SpentBudgets(const SummaryView& whole, std::optional<std::size_t> attribute)
    : terms_(budget_terms(whole.mechanism->block())), reports_(whole.n) {
    if (!terms_.can_end() || whole.n == 0) return;
    const Rounds& rounds = whole.rounds;
    known_ = rounds.recorded() && rounds != ignored_rounds;
    possible_ = !known_ || rounds.first < 0 || std::int64_t{rounds.last} + 1 > std::int64_t{terms_.responses};
    if (!has_signal()) return;
    ones_ = *spent_ones(whole);
    const auto* record = find_capability<Record>(*whole.mechanism);
    if (attribute && record != nullptr && record->counted_parts() > 0) {
        reports_ = record->part(whole, *attribute).n;
        ones_ = *spent_ones(whole, record->part_of(*attribute).number);
    }
    const SpentSignal signal(*whole.mechanism);
    p_ = signal.share_of_ones(true);
    q_ = signal.share_of_ones(false);
    each_ = most_of_one(whole);
}

SpentShare SpentBudgets::share(double critical_value) const {
    const double n = static_cast<double>(reports_);
    // Both states have the same variance.
    const Estimate share{(static_cast<double>(ones_) / n - q_) / (p_ - q_),
                         std::sqrt(p_ * (1 - p_) * each_ / n) / (p_ - q_)};
    const ErrorLaw law =
        each_ > 1
            ? law_of_share()
            : ErrorLaw{.n = reports_, .p = p_, .q = q_, .counts_people = true, .truths = possible_shares};
    return {share, interval(share, critical_value, law), one_sided(share.value / share.standard_error)};
}

bool SpentBudgets::significant() const {
    return has_signal() && possible_ && known_ && reports_ > 0 &&
           share(usual_critical_value).p_value < significance;
}

BiasBound SpentBudgets::bias(std::uint64_t reports, const Interval& possible) const {
    if (reports == 0 || reports_ == 0 || !has_signal() || !possible_ || !known_) return {};
    const Estimate found = share(usual_critical_value).share;
    const double of_part = static_cast<double>(reports_) / static_cast<double>(reports);
    return {of_part * found.value, of_part * found.standard_error, possible.upper - possible.lower, possible};
}

std::string SpentBudgets::note() const {
    if (!possible_ || reports_ == 0) return {};
    if (terms_.end == BudgetEnd::stopped)
        return "people whose budget is spent have stopped reporting; the estimate is about the others";
    if (!has_signal() || !known_)
        return "people may repeat earlier responses, because a budget pays for " +
               std::to_string(terms_.responses) + "; their number is unknown";
    const SpentShare found = share(usual_critical_value);
    return (significant() ? percent(found.interval.lower) + " to " : "at most ") +
           percent(found.interval.upper) +
           " of the people repeat earlier responses, because their budget is spent";
}

Interval possible_values(const Mechanism& part, std::size_t attribute) {
    if (!part.can_estimate(Quantity::means)) return possible_shares;
    // Contributions to a mean among the people who answer are those of a sum around any mean.
    const auto* ordered = find_capability<Ordered>(part);
    if (ordered != nullptr && find_capability<ResponseRate>(part) != nullptr) return ordered->ends();
    Interval all{0, 0};
    for (const Contribution& one : part.contributions({Quantity::means, Target::sample, attribute})) {
        all.lower += one.truths.lower;
        all.upper += one.truths.upper;
    }
    return all;
}

}  // namespace ldp
