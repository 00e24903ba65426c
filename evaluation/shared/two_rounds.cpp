#include "two_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/summary.hpp"

namespace evaluation {

namespace {

/// Number of points from −1 to 1 on which the first round places values. It is small, so that the share
/// of each point has a small error.
constexpr std::size_t points = 7;

constexpr double place(std::size_t point) {
    return 2 * static_cast<double>(point) / (points - 1) - 1;
}

std::string categories(std::size_t d) {
    std::string list;
    for (std::size_t j = 0; j < d; ++j)
        list += (j == 0 ? "" : ", ") + ("{\"name\": \"" + std::to_string(j)) +
                "\", \"domain\": " + std::to_string(points) + "}";
    return "\"attributes\": [" + list + "]";
}

}  // namespace

FirstRound::FirstRound(double epsilon, std::size_t attributes, std::size_t people)
    : experiment_("{\"mechanism\": \"sampled\", \"epsilon\": " + ldp::shortest(epsilon) + ", " +
                  categories(attributes) + "}"),
      people_(static_cast<double>(people)),
      worthwhile_(experiment_.mechanism().expected_variance(0) < 0.1 * 0.1 * people_ / one_in),
      per_report_(experiment_.parameter("per_report")) {
    // The one of least worst variance where nothing else is known stands first.
    for (const char* name : {"optimal", "duchi", "pdp", "piecewise", "hybrid", "laplace"})
        candidates_.emplace_back(name, experiment_.parameter("epsilon_per_part"));
}

void FirstRound::ask(std::span<const double> person, ldp::BitSource& bits) {
    experiment_.ask(person, bits);
}

FirstRound::Shares FirstRound::shares(std::size_t attribute) const {
    const ldp::SummaryView part = experiment_.part(attribute);
    Shares all;
    for (const auto& [value, error] : part.mechanism->estimate(part, {ldp::Quantity::frequencies})) {
        all.raw.push_back(value);
        all.variances.push_back(error * error);
    }
    all.consistent = ldp::consistent(ldp::view_of(experiment_.mechanism(), experiment_.summary()),
                                     ldp::Consistency::norm_sub, attribute);
    return all;
}

ldp::Estimate FirstRound::mean(std::size_t attribute) const {
    const Shares of = shares(attribute);
    double mean = 0, noise = 0, first = 0, second = 0;
    for (std::size_t i = 0; i < points; ++i) {
        mean += of.raw[i] * place(i);
        noise += of.variances[i] * place(i) * place(i);
        first += of.consistent[i] * place(i);
        second += of.consistent[i] * place(i) * place(i);
    }
    return {mean,
            std::sqrt(noise + (second - first * first) / static_cast<double>(experiment_.part(attribute).n))};
}

// Chooses the two clamping points and the numeric randomizer with the smallest mean squared error
// predicted from the shares of the points. Rounding to points increases the clamped part. Its two ends do
// not cancel, because the shares are not known precisely enough. Half of the standard error is added to
// avoid a range that looks good by chance.
Plan FirstRound::best(const Shares& shares, double reports) const {
    Plan best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t from = 0; from < points; ++from)
        for (std::size_t to = from + 1; to < points; ++to) {
            const double low = place(from), high = place(to);
            double mean = 0, mean_square = 0, bias = 0, doubt = 0;
            for (std::size_t i = 0; i < points; ++i) {
                const double inside = std::clamp(place(i), low, high), out = std::abs(place(i) - inside);
                mean += shares.consistent[i] * inside;
                mean_square += shares.consistent[i] * inside * inside;
                bias += shares.consistent[i] * out;
                doubt += shares.variances[i] * out * out;
            }
            for (const NumericCandidate& candidate : candidates_) {
                double spread = mean_square - mean * mean;
                for (std::size_t i = 0; i < points; ++i)
                    spread += shares.consistent[i] * candidate.noise(std::clamp(place(i), low, high),
                                                                     (low + high) / 2, (high - low) / 2);
                const double clamped = bias + std::sqrt(doubt) / 2;
                const double error = clamped * clamped + spread / reports;
                if (error >= least) continue;
                least = error;
                best = {.low = low, .high = high, .candidate = &candidate, .spread = spread};
            }
        }
    return best;
}

// The summed variance Σ spread/chance is least for chances in proportion to the roots of the spreads; the
// ranges in turn depend on how many reports there will be.
std::vector<Plan> FirstRound::plans() const {
    const std::size_t d = experiment_.spec().attributes().size();
    std::vector<Plan> plans(d);
    for (Plan& plan : plans)
        plan = {.candidate = &candidates_[0], .chance = per_report_ / static_cast<double>(d)};
    if (!worthwhile_) return plans;
    const double reports = people_ * (1 - 1.0 / one_in);
    for (int round = 0; round < 4; ++round) {
        double sum = 0, largest = 0;
        for (std::size_t j = 0; j < d; ++j) {
            plans[j] = best(shares(j),
                            reports * (round == 0 ? per_report_ / static_cast<double>(d) : plans[j].chance));
            plans[j].share = std::sqrt(plans[j].spread);
            largest = std::max(largest, plans[j].share);
        }
        for (Plan& plan : plans) sum += plan.share = std::max(1.0, std::round(1000 * plan.share / largest));
        for (Plan& plan : plans) plan.chance = std::min(1.0, per_report_ * plan.share / sum);
    }
    return plans;
}

std::string attributes(const std::vector<Plan>& plans) {
    std::string list;
    for (std::size_t j = 0; j < plans.size(); ++j)
        list += (j == 0 ? "" : ", ") + ("{\"name\": \"" + std::to_string(j)) +
                "\", \"min\": " + ldp::shortest(plans[j].low) + ", \"max\": " + ldp::shortest(plans[j].high) +
                ", \"mechanism\": \"" + plans[j].candidate->name() +
                "\", \"weight\": " + ldp::shortest(plans[j].share) + "}";
    return "\"attributes\": [" + list + "]";
}

}  // namespace evaluation
