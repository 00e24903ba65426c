#include "core/choice/selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "core/base/attempt.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"
#include "core/choice/record_choice.hpp"
#include "core/format/summary_frame.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp {

namespace {

Candidate nothing_measured(const MechanismEntry& entry) {
    return {&entry, unknown, unknown, 0, 0, 0, {}};
}

Candidate candidate(const MechanismEntry& entry, const SelectionRequest& demand,
                    const OptionValues& options = {}, const ResponseLimit* responses = nullptr) {
    check_interrupt();
    const auto& attributes = demand.attributes;
    const Limits& limits = demand.limits;
    if (entry.shape == Shape::one_categorical && attributes[0].domain > entry.max_size) {
        Candidate result = nothing_measured(entry);
        result.obstacle = "it supports at most " + std::to_string(entry.max_size) + " values";
        return result;
    }
    std::string unpaid;
    Candidate result = measured_candidate(entry, [&](Candidate& candidate) {
        std::vector<Attribute> settled = attributes;
        OptionValues values = options;
        if (entry.shape == Shape::record) {
            values = with_defaults(entry, settled, std::move(values));
            SettingsDraft draft{demand.epsilon, settled, values};
            choose_record(draft, limits, nullptr);
        }
        auto mechanism = make_mechanism(Settings(entry, demand.epsilon, settled, std::move(values)));
        candidate.n_variance = candidate.bias = 0;
        for (std::size_t j = 0; j < attributes.size(); ++j) {
            candidate.n_variance = std::max(candidate.n_variance, mechanism->expected_variance(j));
            const auto [down, up] = mechanism->promised_bias(j, 0.01);
            const double unit = attributes[j].numeric() ? (attributes[j].max - attributes[j].min) / 2 : 1;
            candidate.bias = std::max(candidate.bias, std::max(-down, up) / unit);
        }
        if (responses != nullptr) unpaid = responses->obstacle(*mechanism);
        return mechanism;
    });
    if (!result.obstacle.empty()) return result;
    if (entry.shape == Shape::record) return result;  // each attribute already keeps to the limits
    if (result.report_bytes > limits.report_bytes)
        result.obstacle = "its reports have " + std::to_string(result.report_bytes) + " bytes; allowed are " +
                          std::to_string(limits.report_bytes);
    else if (result.decode_cost > static_cast<double>(limits.decode_cost))
        result.obstacle = "a report costs " +
                          std::to_string(static_cast<std::uint64_t>(std::ceil(result.decode_cost))) +
                          " steps; allowed are " + std::to_string(limits.decode_cost);
    if (result.obstacle.empty()) result.obstacle = unpaid;
    return result;
}

/// Sort key of candidates. Mechanisms that are the same channel have the same variance up to rounding. The
/// key rounds the variance so that the smaller mechanism comes first.
auto order(const Candidate& candidate) {
    const double variance = candidate.n_variance;
    return std::tuple(
        !candidate.obstacle.empty(),
        std::isnan(variance) ? std::numeric_limits<float>::infinity() : static_cast<float>(variance),
        candidate.report_bytes, candidate.decode_cost);
}

}  // namespace

Candidate measured_candidate(const MechanismEntry& entry,
                             const std::function<std::unique_ptr<const Mechanism>(Candidate&)>& build) {
    Candidate found = nothing_measured(entry);
    const auto refused = attempt([&] {
        const auto mechanism = build(found);
        found.report_bytes = mechanism->block().size() + mechanism->payload_size();
        found.summary_bytes = SummaryFrame(mechanism->block().size()).size(mechanism->state_size());
        found.decode_cost = mechanism->cost().decode();
    });
    if (refused) {
        if (refused->code() != ErrorCode::invalid_spec)
            raise(refused->code(), refused->what(), refused->detail(), refused->hint());
        found.obstacle = refused->what();
    }
    return found;
}

namespace {

Shape shape_of(const std::vector<Attribute>& attributes) {
    return attributes.size() > 1     ? Shape::record
           : attributes[0].strings   ? Shape::one_string
           : attributes[0].several() ? Shape::one_set
           : attributes[0].numeric() ? Shape::one_numeric
                                     : Shape::one_categorical;
}

/// The first candidate of the ranking in a sentence, with its better competitor.
std::string reason_of(std::span<const Candidate> candidates, const Limits& limits) {
    const Candidate& first = candidates.front();
    std::string reason = "smallest variance, " + rounded(first.n_variance, 3) + "/n, within " +
                         std::to_string(limits.report_bytes) + " bytes and " +
                         std::to_string(limits.decode_cost) + " steps per report";
    const auto better =
        std::ranges::find_if(candidates, [](const Candidate& each) { return !each.obstacle.empty(); });
    if (better != candidates.end() && better->n_variance < first.n_variance)
        reason += "; " + std::string(better->mechanism->name) + " would have " +
                  rounded(better->n_variance, 3) + "/n, but " + better->obstacle;
    return reason;
}

[[noreturn]] void refuse_all(std::span<const Candidate> candidates, const Attribute& attribute,
                             const std::string& hint) {
    std::string obstacles;
    for (const Candidate& each : candidates)
        obstacles +=
            (obstacles.empty() ? "" : " ") + std::string(each.mechanism->name) + ": " + each.obstacle + ".";
    raise(ErrorCode::invalid_spec,
          "no mechanism suits \"" + attribute.name + "\" within the limits of the spec", obstacles, hint);
}

}  // namespace

std::vector<Candidate> rank(const SelectionRequest& demand) {
    const Shape shape = shape_of(demand.attributes);
    std::vector<Candidate> candidates;
    for (const MechanismEntry* entry : registry())
        if (entry->automatic && entry->shape == shape &&
            (shape == Shape::record || suits_number(*entry, demand.attributes[0])))
            candidates.push_back(candidate(*entry, demand));
    std::ranges::stable_sort(candidates, {}, order);
    return candidates;
}

Selected choose(const SelectionRequest& demand) {
    std::vector<Candidate> candidates = rank(demand);
    std::erase_if(candidates, [](const Candidate& one) { return one.mechanism->literature; });
    const Candidate& first = candidates.front();
    // Only one mechanism collects records. Its obstacles are reported when the spec is made.
    if (first.mechanism->shape == Shape::record)
        return {first.mechanism, "collects several attributes of any kind"};
    if (!first.obstacle.empty())
        refuse_all(candidates, demand.attributes[0],
                   "Raise \"max_report_bytes\" or \"max_decode_cost\", or use fewer values.");
    return {first.mechanism, reason_of(candidates, demand.limits)};
}

// Memoized responses ---------------------------------------------------------------------------------------

namespace {

/// A number of responses, or a bound of one that no budget pays for.
std::string count_text(std::uint64_t responses) {
    constexpr std::uint64_t countless = 1'000'000'000'000;
    return responses < countless ? grouped(responses) : "more than " + grouped(countless);
}

}  // namespace

std::string ResponseLimit::obstacle(const Mechanism& mechanism) const {
    const std::uint64_t keys = needs.most(first, mechanism);
    if (keys <= most) return {};
    const std::uint64_t left = needs.beside_signal(mechanism, most);
    const std::optional<double> share = needs.exceeding(first, mechanism, left);
    if (share && *share <= most_ended) return {};
    if (share)
        return rounded(100 * *share, 3) + " % of people need more than the " + std::to_string(left) +
               " different responses that the budget pays for, in the declared stream";
    return "a person whose value changes may need " + count_text(keys) +
           " different responses, and the budget pays for " + std::to_string(most);
}

std::string ResponseLimit::reason(const Mechanism& mechanism) const {
    const std::uint64_t keys = needs.most(first, mechanism);
    if (keys <= most)
        return "a person gives at most " + std::to_string(keys) +
               " different responses, and the budget pays for " + std::to_string(most);
    const std::uint64_t left = needs.beside_signal(mechanism, most);
    return "the budget pays for " + std::to_string(left) + " different responses, and " +
           rounded(100 * needs.exceeding(first, mechanism, left).value_or(1), 3) +
           " % of people need more in the declared stream";
}

std::string advice_within(const ResponseLimit&) {
    return "Ask for fewer values or ranges, lower \"epsilon\" so that the budget pays for more responses, or declare "
           "how the values change: \"stream\": {\"rounds\": …, \"people\": …, \"attributes\": {}}. With it, \"evolving\": "
           "\"auto\" also chooses the rounding of numbers. A mechanism that is named in the spec is used "
           "even if its budget may end.";
}

bool has_few_responses(const MechanismEntry& mechanism, Shape attribute) noexcept {
    const Shape shape = mechanism.shape == Shape::one_ordered ? Shape::one_numeric : mechanism.shape;
    return mechanism.responses.name != nullptr && shape == attribute;
}

std::vector<OptionValues> response_options(const MechanismEntry& mechanism, std::uint64_t most) {
    constexpr std::uint64_t all_of = 16;
    const auto [option, more] = mechanism.responses;
    // Of a word, the last choice has the fewest responses.
    for (const Option& one : mechanism.options)
        if (one.name == std::string_view(option) && !one.choices.empty())
            return {{}, OptionValues{{option, std::string(one.choices.back())}}};
    std::vector<OptionValues> found{{}};
    if (most <= more) return found;
    const std::uint64_t largest = most - more;
    std::uint64_t least = 2 - std::min<std::uint64_t>(more, 2);
    for (const Option& one : mechanism.options)
        if (one.name == std::string_view(option)) least = std::max(least, one.least);
    if (largest < least) return found;
    for (std::uint64_t value = least; value <= std::min(largest, all_of); ++value)
        found.push_back({{option, value}});
    if (largest > all_of) found.push_back({{option, largest}});
    return found;
}

SelectedWithin choose_within(const SelectionRequest& demand, const ResponseLimit& limit,
                             const std::function<bool(const MechanismEntry&)>& suitable) {
    const Shape shape = shape_of(demand.attributes);
    if (shape == Shape::record) {
        const Selected selected = choose(demand);
        return {selected.mechanism, selected.reason};
    }
    std::vector<Candidate> candidates;
    for (const MechanismEntry* entry : registry())
        if (entry->automatic && !entry->literature && entry->shape == shape &&
            !has_few_responses(*entry, shape) && suits_number(*entry, demand.attributes[0]))
            candidates.push_back(candidate(*entry, demand, {}, &limit));
    std::map<const MechanismEntry*, OptionValues> chosen;
    for (const MechanismEntry* few : registry()) {
        if (!has_few_responses(*few, shape) || !suits_number(*few, demand.attributes[0]) ||
            demand.attributes[0].evolving || (suitable && !suitable(*few)))
            continue;
        std::optional<Candidate> best;
        for (const OptionValues& values : response_options(*few, limit.most)) {
            Candidate found = candidate(*few, demand, values, &limit);
            if (best && !(order(found) < order(*best))) continue;
            best = std::move(found);
            chosen[few] = values;
        }
        candidates.push_back(std::move(*best));
    }
    std::ranges::stable_sort(candidates, {}, order);
    const Candidate& first = candidates.front();
    if (!first.obstacle.empty()) refuse_all(candidates, demand.attributes[0], advice_within(limit));
    const OptionValues& values = chosen[first.mechanism];
    const auto mechanism =
        make_mechanism(Settings(*first.mechanism, demand.epsilon, demand.attributes, values));
    return {first.mechanism, reason_of(candidates, demand.limits) + "; " + limit.reason(*mechanism), values};
}

}  // namespace ldp
