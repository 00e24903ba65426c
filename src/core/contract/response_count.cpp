#include "core/contract/response_count.hpp"

#include <algorithm>
#include <limits>

#include "core/base/bytes.hpp"
#include "core/base/text.hpp"
#include "core/contract/evolving_options.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp {

namespace {

/// The keys of one part of a record, or of a mechanism that is not a record of parts.
std::uint64_t keys_of_part(const std::vector<Attribute>& attributes, const Evolving& evolving,
                           const RecordPart& part, std::size_t first) {
    const std::vector<std::uint64_t> cells = part.mechanism->cells();
    const std::uint64_t keys = part.mechanism->most_keys();
    const Attribute& attribute = attributes[first + part.first];
    if (part.count != 1 || !attribute.evolving) return keys;
    const RoundingLevels levels(grid_steps(attribute, cells[0]), evolving.base_levels);
    return std::min(keys, levels.ends() + (may_be_missing(attribute) ? 1 : 0));
}

}  // namespace

std::uint64_t possible_responses(const std::vector<Attribute>& attributes, const Evolving& evolving,
                                 const Mechanism& mechanism, std::size_t first) {
    std::vector<std::uint64_t> keys;
    for (const RecordPart& part : parts_of(mechanism))
        keys.push_back(keys_of_part(attributes, evolving, part, first));
    // A person reports the same few parts in all rounds. The key has an entry for each of them.
    std::ranges::sort(keys, std::ranges::greater());
    const auto* record = find_capability<Record>(mechanism);
    const std::size_t reported =
        record == nullptr ? 1 : std::min<std::size_t>(record->per_report(), keys.size());
    Uint128 product = 1;
    for (std::size_t i = 0; i < reported; ++i)
        product = std::min<Uint128>(product * keys[i], std::numeric_limits<std::uint64_t>::max());
    return static_cast<std::uint64_t>(product);
}

std::uint64_t possible_responses(const Spec& spec, const Mechanism& mechanism) {
    return possible_responses(spec.attributes(), spec.evolving().value(), mechanism, 0);
}

std::uint64_t beside_signal(const Budget& budget, const Mechanism& mechanism) {
    if (budget.when_spent == Budget::WhenSpent::stop || !budget.report_spent.value_or(true)) return 0;
    const double signal = signal_epsilon(mechanism);
    // The difference of equal decimals would not be exact.
    if (signal == mechanism.epsilon()) return budget.responses(signal) - 1;
    Budget rest = budget;
    rest.epsilon -= signal;
    return rest.epsilon > 0 ? rest.responses(mechanism.epsilon()) : 0;
}

std::uint64_t affordable_responses(const Budget& budget, std::uint64_t possible, const Mechanism& mechanism) {
    const std::uint64_t all = budget.responses(mechanism.epsilon());
    if (all == 0 || possible <= all) return all;
    const std::uint64_t rest = beside_signal(budget, mechanism);
    return rest == 0 ? all : rest;
}

std::uint64_t affordable_responses(const Spec& spec, const Mechanism& mechanism) {
    return affordable_responses(spec.budget().value(), possible_responses(spec, mechanism), mechanism);
}

std::uint64_t affordable_responses(const Spec& spec) {
    return affordable_responses(spec, *make_mechanism(spec));
}

std::uint64_t most_responses(const Spec& spec, const Mechanism& mechanism) {
    return std::min(possible_responses(spec, mechanism), affordable_responses(spec, mechanism));
}

double most_epsilon(const Spec& spec, const Mechanism& mechanism) {
    const Budget& budget = spec.budget().value();
    const SeriesParts* parts = series_parts(mechanism);
    if (is_series(mechanism) || (parts != nullptr && parts->only_series())) return spec.epsilon();
    const std::uint64_t responses =
        spec.evolving() ? most_responses(spec, mechanism) : budget.responses(spec.epsilon());
    const double signal = has_signal(mechanism) ? signal_epsilon(mechanism) : 0;
    return std::min(budget.epsilon, static_cast<double>(responses) * spec.epsilon() + signal);
}

BudgetTerms budget_terms(const Spec& spec, const Mechanism& mechanism) {
    const std::uint64_t responses = affordable_responses(spec, mechanism);
    if (responses == 0 || possible_responses(spec, mechanism) <= responses) return {};
    const BudgetEnd end = spec.budget()->when_spent == Budget::WhenSpent::stop ? BudgetEnd::stopped
                          : beside_signal(*spec.budget(), mechanism) > 0       ? BudgetEnd::signalled
                                                                               : BudgetEnd::silent;
    return {static_cast<std::uint32_t>(
                std::min<std::uint64_t>(responses, std::numeric_limits<std::uint32_t>::max())),
            end};
}

}  // namespace ldp
