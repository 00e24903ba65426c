#include "core/spec/response_count.hpp"

#include <algorithm>
#include <limits>

#include "core/base/bytes.hpp"
#include "core/mechanism/capability.hpp"
#include "core/spec/evolving_options.hpp"

namespace ldp {

namespace {

/// The keys of one part of a record, or of a mechanism that is not a record of parts.
std::uint64_t keys_of_part(const Spec& spec, const RecordPart& part) {
    const std::vector<std::uint64_t> cells = part.mechanism->cells();
    const std::uint64_t keys = part.mechanism->most_keys();
    const Attribute& attribute = spec.attributes()[part.first];
    if (cells.size() != 1 || !attribute.evolving || !spec.evolving()) return keys;
    return std::min(keys, RoundingLevels(cells[0] - 1, spec.evolving()->base_levels).ends());
}

}  // namespace

std::uint64_t possible_responses(const Spec& spec, const Mechanism& mechanism) {
    std::vector<std::uint64_t> keys;
    for (const RecordPart& part : parts_of(mechanism)) keys.push_back(keys_of_part(spec, part));
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

std::uint64_t affordable_responses(const Spec& spec) {
    return spec.budget().value().answers(spec.epsilon());
}

std::uint64_t most_responses(const Spec& spec, const Mechanism& mechanism) {
    return std::min(possible_responses(spec, mechanism), affordable_responses(spec));
}

}  // namespace ldp
