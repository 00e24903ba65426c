#include "core/proof/attack_power.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/limits.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp {

namespace {

/// Multiplies the ε of one report, if the options have it.
void multiply_report_epsilon(OptionValues& options, double factor) {
    const auto found = options.find("report_epsilon");
    if (found == options.end()) return;
    if (auto* epsilon = std::get_if<double>(&found->second)) *epsilon *= factor;
}

/// The bound of the attack on an event if the two counts differ from their expectations by 1.645 standard deviations,
/// in favour of the claim: each of them does so with a probability of 5 %.
double bound_with_power(const EventOdds& event, std::uint64_t trials, double confidence, double delta) {
    constexpr double deviations = 1.645;
    const auto n = static_cast<double>(trials);
    const auto count = [&](double p, double sign) {
        return std::clamp(n * p + sign * deviations * std::sqrt(n * p * (1 - p)), 0.0, n);
    };
    return epsilon_above(static_cast<std::uint64_t>(std::floor(count(event.likelier, -1))),
                         static_cast<std::uint64_t>(std::ceil(count(event.rarer, 1))), trials, confidence,
                         delta);
}

}  // namespace

std::unique_ptr<const Mechanism> mechanism_with_factor(const Settings& settings, double factor) {
    const double epsilon = settings.epsilon() * factor;
    if (!(epsilon >= min_epsilon && epsilon <= max_epsilon)) return nullptr;
    OptionValues options;
    for (const Option& option : settings.mechanism().options)
        if (option.applies(settings.attributes())) options.emplace(option.name, settings.option(option.name));
    multiply_report_epsilon(options, factor);
    std::vector<Attribute> attributes = settings.attributes();
    for (Attribute& attribute : attributes) multiply_report_epsilon(attribute.options, factor);
    try {
        return make_mechanism(
            Settings(settings.mechanism(), epsilon, std::move(attributes), std::move(options)));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_spec) throw;
        return nullptr;
    }
}

std::vector<EventOdds> simulated_events(const PrivacyProof& mechanism, const Series& series,
                                        std::uint64_t people, BitSource& bits) {
    Scores scores = simulated_scores(mechanism, series, people, bits);
    std::ranges::sort(scores.first);
    std::ranges::sort(scores.second);
    const auto n = static_cast<double>(people);
    // The probability of a rare event is at least what the mechanism's ε permits.
    const double most = std::exp(-series.promised(mechanism)), delta = series.promised_delta(mechanism);
    std::vector<EventOdds> events;
    const auto add = [&](std::size_t likelier, std::size_t rarer) {
        constexpr std::size_t seldom = 20;  // rarer events are not estimated well enough
        if (likelier < seldom) return;
        const double p = static_cast<double>(likelier) / n;
        events.push_back({p, std::max(static_cast<double>(rarer) / n, (p - delta) * most)});
    };
    constexpr std::size_t tried = 100;
    for (const auto* quantiles : {&scores.first, &scores.second})
        for (std::size_t i = 0; i < people; i += 1 + people / tried) {
            const auto below = [&](const std::vector<double>& all) {
                return static_cast<std::size_t>(std::ranges::lower_bound(all, (*quantiles)[i]) - all.begin());
            };
            const std::size_t first = below(scores.first), second = below(scores.second);
            add(first, second);
            add(people - second, people - first);
        }
    return events;
}

std::vector<EventOdds> events_of_randomized_response(double epsilon) {
    const double lie = 1 / (1 + std::exp(epsilon));
    return {{1 - lie, lie}};
}

std::optional<std::uint64_t> trials_with_power(std::span<const EventOdds> events, double claimed,
                                               double confidence, double delta) {
    std::vector<EventOdds> promising;
    for (const EventOdds& event : events)
        if (event.likelier - delta > std::exp(claimed) * event.rarer) promising.push_back(event);
    const auto enough = [&](std::uint64_t trials) {
        return std::ranges::any_of(promising, [&](const EventOdds& event) {
            return bound_with_power(event, trials, confidence, delta) > claimed;
        });
    };
    constexpr unsigned most = 40;
    unsigned doublings = 1;
    while (doublings <= most && !enough(std::uint64_t{1} << doublings)) ++doublings;
    if (doublings > most) return {};
    std::uint64_t few = std::uint64_t{1} << (doublings - 1), many = std::uint64_t{1} << doublings;
    while (many - few > 1 + many / 128) {
        const std::uint64_t middle = few + (many - few) / 2;
        (enough(middle) ? many : few) = middle;
    }
    return many;
}

AttackJudgement judge(const LowerBound& found, std::uint64_t people, std::span<const EventOdds> violation,
                      double claimed, double confidence, double delta) {
    if (found.epsilon > claimed) return {AttackVerdict::violated, {}};
    const auto trials = trials_with_power(violation, claimed, confidence, delta);
    if (!trials) return {AttackVerdict::no_power, {}};
    const double each =
        static_cast<double>(people) / static_cast<double>(std::max<std::uint64_t>(1, found.trials));
    const auto needed = static_cast<std::uint64_t>(std::ceil(static_cast<double>(*trials) * each));
    return {found.trials < *trials ? AttackVerdict::no_power : AttackVerdict::kept, needed};
}

}  // namespace ldp
