#include "core/mechanism/selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/base/attempt.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"
#include "core/format/summary_frame.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/registry.hpp"

namespace ldp {

namespace {

Candidate nothing_measured(const MechanismEntry& entry) {
    return {&entry, unknown, unknown, 0, 0, 0, {}};
}

Candidate candidate(const MechanismEntry& entry, const SelectionRequest& demand) {
    check_interrupt();
    const auto& attributes = demand.attributes;
    const Limits& limits = demand.limits;
    if (entry.shape == Shape::one_categorical && attributes[0].domain > entry.max_size) {
        Candidate result = nothing_measured(entry);
        result.obstacle = "it takes at most " + std::to_string(entry.max_size) + " values";
        return result;
    }
    Candidate result = measured_candidate(entry, [&](Candidate& candidate) {
        auto mechanism = make_mechanism(Settings(entry, demand.epsilon, attributes, {}, limits));
        candidate.n_variance = candidate.bias = 0;
        for (std::size_t j = 0; j < attributes.size(); ++j) {
            candidate.n_variance = std::max(candidate.n_variance, mechanism->expected_variance(j));
            const auto [down, up] = mechanism->promised_bias(j, 0.01);
            const double unit = attributes[j].numeric() ? (attributes[j].max - attributes[j].min) / 2 : 1;
            candidate.bias = std::max(candidate.bias, std::max(-down, up) / unit);
        }
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

std::vector<Candidate> rank(const SelectionRequest& demand) {
    const std::vector<Attribute>& attributes = demand.attributes;
    const Shape shape = attributes.size() > 1     ? Shape::record
                        : attributes[0].strings   ? Shape::one_string
                        : attributes[0].numeric() ? Shape::one_numeric
                                                  : Shape::one_categorical;
    std::vector<Candidate> candidates;
    for (const MechanismEntry* entry : registry())
        if (entry->automatic && entry->shape == shape) candidates.push_back(candidate(*entry, demand));
    std::ranges::stable_sort(candidates, {}, order);
    return candidates;
}

Selected choose(const SelectionRequest& demand) {
    const std::vector<Candidate> candidates = rank(demand);
    const Candidate& first = candidates.front();
    // Only one mechanism collects records. Its obstacles are reported when the spec is made.
    if (first.mechanism->shape == Shape::record)
        return {first.mechanism, "collects several attributes of any kind"};
    if (!first.obstacle.empty()) {
        std::string obstacles;
        for (const Candidate& each : candidates)
            obstacles += (obstacles.empty() ? "" : " ") + std::string(each.mechanism->name) + ": " +
                         each.obstacle + ".";
        raise(ErrorCode::invalid_spec, "no mechanism suits the spec within its limits", obstacles,
              "Raise \"max_report_bytes\" or \"max_decode_cost\", or ask about fewer values.");
    }
    std::string reason = "least variance, " + rounded(first.n_variance, 3) + "/n, within " +
                         std::to_string(demand.limits.report_bytes) + " bytes and " +
                         std::to_string(demand.limits.decode_cost) + " steps a report";
    const auto better =
        std::ranges::find_if(candidates, [](const Candidate& each) { return !each.obstacle.empty(); });
    if (better != candidates.end() && better->n_variance < first.n_variance)
        reason += "; " + std::string(better->mechanism->name) + " would have " +
                  rounded(better->n_variance, 3) + "/n, but " + better->obstacle;
    return {first.mechanism, reason};
}

}  // namespace ldp
