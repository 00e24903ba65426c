#include "core/groups/answered_groups.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/spent.hpp"

namespace ldp {

namespace {

/// Returns rates that are shrunk to their mean ρ. `variance` is that of the rate of one report. The variance between groups is
/// found by the method of moments, with the weights of equal groups.
std::vector<double> shrunk_rates(std::span<const AnsweredMean> groups, std::span<const double> people,
                                 double rate, double variance) {
    double weights = 0, squares = 0, sum = 0, deviations = 0;
    for (std::size_t j = 0; j < groups.size(); ++j) {
        const double weight = people[j] / variance;
        weights += weight, squares += square(weight), sum += weight * groups[j].rate;
    }
    for (std::size_t j = 0; j < groups.size(); ++j)
        deviations += people[j] / variance * square(groups[j].rate - sum / weights);
    const double degrees = static_cast<double>(groups.size()) - 1, scale = weights - squares / weights;
    const double between = scale > 0 ? std::max(0.0, (deviations - degrees) / scale) : 0;
    std::vector<double> rates;
    for (std::size_t j = 0; j < groups.size(); ++j) {
        const double own = between / (between + variance / people[j]);
        constexpr double least = 0.05;  // of the mean rate, far below it
        rates.push_back(std::max(least * rate, std::lerp(rate, groups[j].rate, own)));
    }
    return rates;
}

/// The reports of all groups together.
struct MergedGroups {
    SummaryView view;
    std::vector<std::byte> state;
    std::vector<double> people;  ///< of each group, who may have several reports each

    explicit MergedGroups(std::span<const SummaryView> parts)
        : view(parts[0]), state(parts[0].state.begin(), parts[0].state.end()) {
        view.n = 0;
        for (std::size_t j = 0; j < parts.size(); ++j) {
            check_interrupt();
            people.push_back(static_cast<double>(parts[j].n) / most_of_one(parts[j]));
            if (j > 0) view.mechanism->merge(state, parts[j].state);
            view.n += parts[j].n;
            view.drawn = std::min(view.drawn, parts[j].drawn);
        }
        view.state = state;
    }
    MergedGroups(const MergedGroups&) = delete;
    MergedGroups& operator=(const MergedGroups&) = delete;
};

/// The reports of all groups with a second copy of one group. In a distribution, each report is about one level, and a small group
/// may have none about a level. An estimate of the group alone would take such a level as known, and be biased. A second copy of
/// the group changes the estimate of all by n/(n + own) of the group's distance from it. A level without a report of
/// the group keeps the estimate of all. If estimates are means over reports, the result is the group's own.
struct GroupTwice {
    SummaryView view;
    std::vector<std::byte> state;
    double times;  ///< factor of the change

    GroupTwice(const SummaryView& all, const SummaryView& group)
        : view(all),
          state(all.state.begin(), all.state.end()),
          times(static_cast<double>(all.n) / static_cast<double>(group.n)) {
        all.mechanism->merge(state, group.state);
        view.n += group.n;
        view.state = state;
    }
    GroupTwice(const GroupTwice&) = delete;
    GroupTwice& operator=(const GroupTwice&) = delete;
    [[nodiscard]] double by_influence(double with, double all) const noexcept {
        return with + times * (with - all);
    }
};

AnsweredMean terms_of_group(const SummaryView& all, const AnsweredMean& pooled, const SummaryView& group,
                            Target target) {
    const GroupTwice more(all, group);
    const AnsweredMean found = answered_terms(more.view, target);
    return {more.by_influence(found.sum, pooled.sum), more.by_influence(found.rate, pooled.rate), {}};
}

/// The means of pooled_means() for numbers that everybody reports.
GroupMeans ordered_groups(std::span<const SummaryView> parts, Target target) {
    const MergedGroups merged(parts);
    const auto mean = [](const SummaryView& view, Target of) { return ComparableMeans(view, of).of(0); };
    const Estimate pooled = mean(merged.view, target);
    if (!std::isfinite(pooled.value) || !std::isfinite(pooled.standard_error)) return {};
    double people = 0;
    for (const double each : merged.people) people += each;
    const auto variance = [&](Target of) { return square(mean(merged.view, of).standard_error); };
    GroupMeans found{.within =
                         std::max(0.0, people * (variance(Target::population) - variance(Target::sample)))};
    for (std::size_t j = 0; j < parts.size(); ++j) {
        check_interrupt();
        const GroupTwice more(merged.view, parts[j]);
        found.groups.push_back({more.by_influence(mean(more.view, target).value, pooled.value),
                                pooled.standard_error * std::sqrt(people / merged.people[j])});
    }
    return found;
}

}  // namespace

std::vector<Estimate> answered_groups(std::span<const SummaryView> parts, std::span<const double> weights,
                                      AnswerRate rate, Target target) {
    if (parts.empty()) return {};
    const Mechanism& mechanism = *parts[0].mechanism;
    const auto& answers = capability<ResponseRate>(mechanism);
    const MergedGroups merged(parts);
    const SummaryView& all = merged.view;
    const std::vector<double>& people = merged.people;
    const AnsweredMean pooled = answered_terms(all, target);
    std::vector<AnsweredMean> groups;
    double sum = 0, answered = 0, weight = 0;
    for (std::size_t j = 0; j < parts.size(); ++j) {
        check_interrupt();
        groups.push_back(terms_of_group(all, pooled, parts[j], target));
        sum += weights[j] * groups[j].sum;
        answered += weights[j] * groups[j].rate;
        weight += weights[j];
    }
    const double n = static_cast<double>(all.n), known = answered / weight, mean = sum / answered;
    const double of_rate = n * square(answers.response_rate(all, Target::population).standard_error);
    double squares = 0;
    for (std::size_t j = 0; j < parts.size(); ++j) squares += square(weights[j] / weight) / people[j];
    constexpr double clear = 1.96;
    if (!(known > clear * std::sqrt(of_rate * squares))) return {};
    const double of_one = n * square(pooled.error(mean));
    const std::vector<double> rates = rate == AnswerRate::of_group
                                          ? shrunk_rates(groups, people, known, of_rate)
                                          : std::vector<double>(groups.size(), known);
    const Interval range = possible_values(mechanism, 0);
    const double width = range.upper - range.lower;
    std::vector<Estimate> found;
    for (std::size_t j = 0; j < groups.size(); ++j)
        found.push_back({range.lower + width * (mean + groups[j].at(mean) / rates[j]),
                         width * std::sqrt(of_one / people[j]) / rates[j]});
    return found;
}

bool has_pooled_means(const Mechanism& part) {
    return find_capability<ResponseRate>(part) != nullptr || find_capability<Ordered>(part) != nullptr;
}

GroupMeans pooled_means(std::span<const SummaryView> parts, std::span<const double> weights, AnswerRate rate,
                        Target target) {
    if (parts.empty()) return {};
    return find_capability<ResponseRate>(*parts[0].mechanism) != nullptr
               ? GroupMeans{answered_groups(parts, weights, rate, target)}
               : ordered_groups(parts, target);
}

}  // namespace ldp
